"""Examples: the boards that they lay are judged like those of scenarios."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warhost.packs import read
from warhost.packs.find import find
from warhost.packs.project import Project

EXAMPLE = """\
- title: A hedge is a hedge
  given:
    board:
      terrain:
        - {id: hedge, type: low_hedge, shape: {rectangle: {x: 60, y: 40, width: 20, depth: 1, angle: 0}}, height: 1}
    sides: [{name: Reds}, {name: Blues}]
  when: result 1
  then: {result: 1}
"""


@pytest.fixture
def ruleset(tmp_path: Path) -> Path:
    copy = tmp_path / "small_fantasy"
    shutil.copytree(find("small_fantasy").folder, copy)
    for file in (copy / "examples").glob("*.yaml"):
        file.unlink()
    (copy / "examples" / "hedges.yaml").write_text(EXAMPLE, encoding="utf-8")
    return copy


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("terrain:", "terrian:", 4),
        ("type: low_hedge", "type: low_hegde", 5),
        ("width: 20", "widht: 20", 5),
        ("height: 1", "hieght: 1", 5),
        ("rectangle:", "rectagnle:", 5),
    ],
)
def test_a_misspelt_word_of_a_board_is_told_at_its_line(ruleset: Path, right: str, wrong: str, line: int) -> None:
    assert read(ruleset)[1] == []
    (ruleset / "examples" / "hedges.yaml").write_text(EXAMPLE.replace(right, wrong, 1), encoding="utf-8")
    for _ in range(2):
        problems = read(ruleset)[1]
        assert problems
        assert {(p.file.rpartition("/")[2], p.line) for p in problems} == {("hedges.yaml", line)}


STANDING = """\
- title: The riders stand on the table
  given:
    scenario: open_field
    sides: [{name: Elves, units: [{id: riders, profile: elf_riders, size: 5, at: [100, 20]}]}, {name: Orcs}]
  when: result 1
  then: {result: 1}
"""

PROFILES, FIELD, LIST = "data/profiles.yaml", "scenarios/1_open_field.yaml", "armies/list_elves.yaml"
#: One change after the other: in which file, what it said and says, and the lines of the example that are wrong then.
STEPS = (
    (PROFILES, "close_combat: 4", "close_combat: 3", []),
    (FIELD, "width: 120, depth: 90}", "width: 80, depth: 90}", [4]),
    (PROFILES, "close_combat: 3", "close_combat: 4", [4]),
    (LIST, "name: ", "name: The ", [4]),
    (FIELD, "width: 80, depth: 90}", "width: 120, depth: 90}", []),
    (PROFILES, "  elf_riders: {name", "  elf_horsemen: {name", [4]),
    (PROFILES, "shooting: 2", "shooting: 3", [4]),
    (PROFILES, "  elf_horsemen: {name", "  elf_riders: {name", []),
    (PROFILES, "elf_riders: {name: Elf riders,", "elf_riders: {abstract: true,", [4]),
)


def test_after_a_change_of_data_an_example_is_judged_as_by_a_fresh_look(ruleset: Path) -> None:
    (ruleset / "examples" / "hedges.yaml").write_text(STANDING, encoding="utf-8")
    project = Project(ruleset)
    assert project.problems() == []
    for name, old, new, lines in STEPS:
        text = (ruleset / name).read_text(encoding="utf-8")
        assert old in text
        (ruleset / name).write_text(text.replace(old, new), encoding="utf-8")
        problems = project.problems()
        assert [p.line for p in problems if p.file.endswith("hedges.yaml")] == lines, name
        assert problems == Project(ruleset).problems()
