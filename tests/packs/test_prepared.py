"""What comes with the package holds wherever it lies and is looked at from: nothing is told otherwise for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

import pytest

from warhost.packs.find import schema_folder

from .conftest import HILL

ROOT = Path(__file__).resolve().parents[2]

#: A hill with something to warn of, so that a file is named.
WARNED = {**HILL, "rules/more.rules": "number alone() = 1\n"}
CHECK = "from warhost.cli import main; main()"
MAKE = f"from warhost.packs import prepared; prepared.begin_making(); {CHECK}"


class Site:
    """A folder with the package in it, as it is installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hill = folder / "warhost/_data/rulesets/hill_fight"
        self.prepared = folder / "warhost/_data/prepared"

    def run(self, code: str, where: Path, cache: Path) -> str:
        """What Python code prints that checks the hill, run in a folder with a cache."""
        cache.mkdir(mode=0o700, exist_ok=True)
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "WARHOST_CACHE": str(cache), "NO_COLOR": "1"}
        run = subprocess.run(
            [sys.executable, "-c", code, "check", str(self.hill)],
            cwd=where, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def check(self, where: Path, cache: Path) -> str:
        return self.run(CHECK, where, cache)


def site(folder: Path, files: Mapping[str, str]) -> Site:
    """The package with its plugins, and a hill as the only ruleset."""
    shutil.copytree(ROOT / "core/warhost", folder / "warhost", ignore=shutil.ignore_patterns("__pycache__"))
    for plugin in (ROOT / "plugins").iterdir():
        shutil.copytree(plugin, folder / plugin.name, ignore=shutil.ignore_patterns("__pycache__", "vscode"))
    shutil.copytree(schema_folder(), folder / "warhost/_data/schemas")
    about = folder / "warhost-0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: warhost\nVersion: 0\n")
    (about / "entry_points.txt").write_text(distribution("warhost").read_text("entry_points.txt") or "")
    made = Site(folder)
    for name, text in files.items():
        path = made.hill / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A package that was prepared in one folder and lies in another now."""
    work = tmp_path_factory.mktemp("built")
    built = site(work / "a-home-like-no-other", WARNED)
    built.run(MAKE, work, work / "cache")
    built.prepared.mkdir()
    for entry in (work / "cache").glob("*.bin"):
        (built.prepared / f"{entry.name}.z").write_bytes(zlib.compress(entry.read_bytes()))
    there = tmp_path_factory.mktemp("user") / "some where" / "site"
    there.parent.mkdir()
    return Site(shutil.move(built.folder, there))


@pytest.mark.parametrize("where", ["above", "beside"])
def test_the_first_check_begins_from_what_came_with_the_package(installed: Site, tmp_path: Path, where: str) -> None:
    folder = installed.folder.parents[1] if where == "above" else tmp_path
    told = installed.check(folder, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []  # there was nothing to work out
    place = "some where/site/warhost/_data/rulesets/hill_fight" if where == "above" else "hill_fight"
    assert told.startswith(f"{place}/rules/more.rules:1:1: warning")
    aside = installed.prepared.rename(tmp_path / "aside")
    try:
        assert installed.check(folder, tmp_path / "cache") == told
        assert list((tmp_path / "cache").iterdir())
    finally:
        aside.rename(installed.prepared)


def test_a_change_is_told_as_without_it(installed: Site, tmp_path: Path) -> None:
    changed = Site(shutil.copytree(installed.folder, tmp_path / "site"))
    rules = changed.hill / "rules/more.rules"
    rules.write_text("number alone() = 1\n\nnumber afar() = 2\n", encoding="utf-8")
    told = changed.check(tmp_path, tmp_path / "cache")
    assert "nothing asks for afar" in told
    shutil.rmtree(changed.prepared)
    assert changed.check(tmp_path, tmp_path / "other") == told


def test_from_within_the_package_all_is_worked_out(installed: Site, tmp_path: Path) -> None:
    told = installed.check(installed.folder / "warhost", tmp_path / "cache")
    assert "_data/rulesets/hill_fight/rules/more.rules:1:1: warning" in told
    assert list((tmp_path / "cache").iterdir())


def test_a_damaged_entry_is_worked_out_anew(installed: Site, tmp_path: Path) -> None:
    damaged = Site(shutil.copytree(installed.folder, tmp_path / "site"))
    told = damaged.check(tmp_path, tmp_path / "cache")
    for entry in damaged.prepared.iterdir():
        entry.write_bytes(entry.read_bytes()[:-9])
    assert damaged.check(tmp_path, tmp_path / "other") == told
    assert list((tmp_path / "other").iterdir())
