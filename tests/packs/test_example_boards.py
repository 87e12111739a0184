"""Examples: the boards that they lay are judged like those of scenarios."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warhost.packs import read
from warhost.packs.find import find

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
