"""Every page of the manual is true: its files load, its commands print what it shows, its links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .pages import ROOT, Reader, blocks_of

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
RECORDS = sorted((ROOT / "docs/design").glob("*.md"))
EVERY_PAGE = [*PAGES, ROOT / "CHANGELOG.md", *RECORDS, ROOT / "benchmarks/README.md"]

_LINK = re.compile(r"(?<!`)!?\[[^\]]*\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_CACHE", str(cache))
    monkeypatch.setenv("WARHOST_PATH", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / ".data"))
    reader = Reader(tmp_path, cache)
    for block in blocks_of(page):
        reader.read(block)


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = [link for link in _LINK.findall(text) if not (page.parent / link).exists()]
    assert not broken, broken


def test_every_fence_is_seen() -> None:
    for page in PAGES:
        opened = len(re.findall(r"^```\w+$", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert len(list(blocks_of(page))) == opened, page


def test_readme_and_ci_run_the_same_tests() -> None:
    command = "-m pytest -n auto"
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert command in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_generated_parts_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs/generate.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
