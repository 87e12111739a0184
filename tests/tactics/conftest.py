"""Rulesets, loaded once: the real one, and the same without any word of judgement."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from warhost.packs import Ruleset, load
from warhost.plugins import activate

ROOT = Path(__file__).resolve().parents[2]

activate(["warhost_tactics", "warhost_field"])  # in a working copy this also makes them importable


@pytest.fixture(scope="session")
def rules() -> Ruleset:
    return load(str(ROOT / "rulesets" / "small_fantasy"))


@pytest.fixture(scope="session")
def silent_rules(tmp_path_factory: pytest.TempPathFactory) -> Ruleset:
    """The same rules, but no option is rated and no answer is called usual."""
    copy = tmp_path_factory.mktemp("silent") / "small_fantasy"
    shutil.copytree(ROOT / "rulesets" / "small_fantasy", copy)
    for file in (copy / "rules").glob("*.rules"):
        lines = file.read_text(encoding="utf-8").split("\n")
        file.write_text("\n".join(without_judgement(line) for line in lines), encoding="utf-8")
    for file in (copy / "advice").glob("*.rules"):
        if "\nadvise " in file.read_text(encoding="utf-8"):
            file.unlink()
    return load(str(copy))


def without_judgement(line: str) -> str:
    """A line of rules without its `usually ..`."""
    if re.match(r"\s+(choose |\w+( when .*)? usually )", line):
        return re.sub(r" usually [^:]*?(?=:|$)", "", line)
    return line
