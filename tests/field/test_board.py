"""What a board says of the state of its terrain: as the rules have it, and judged when it is loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import warhost
from warhost.packs.ruleset import Ruleset
from warhost_field.plugin import warhost_board_problems
from warhost_proof.examples import run_examples

HOUSE = {"id": "inn", "type": "building", "shape": {"rectangle": {"x": 60, "y": 45, "width": 4, "depth": 4}}}


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    """A ruleset whose terrain may burn."""
    return warhost.load("small_fantasy")


def problems(rules: Ruleset, state: Any) -> list[str]:
    return [said for _, said in wrong_with(rules, terrain=[{**HOUSE, "state": state}])]


def wrong_with(rules: Ruleset, **parts: Any) -> list[tuple[tuple[str | int, ...], str]]:
    board = {"table": {"width": 120, "depth": 90}, **parts}
    return [(tuple(said[0]), said[1]) for said in warhost_board_problems(board, rules.program)]


@pytest.mark.parametrize("said", [True, False, "yes", "no"])
def test_yes_and_no_are_right(rules: Ruleset, said: Any) -> None:
    assert problems(rules, {"burning": said}) == []


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"burning": "perhaps"}, 'the burning of a terrain is yes or no, not "perhaps"'),
        ({"burning": 1}, "yes or no"),
        ({"smoking": True}, 'a terrain has no state "smoking"'),
        ("burning", "list of its fields"),
    ],
)
def test_anything_else_is_told(rules: Ruleset, state: Any, says: str) -> None:
    (problem,) = problems(rules, state)
    assert says in problem


ELLIPSE = {"x": 60, "y": 45, "width": 4, "depth": 4}


@pytest.mark.parametrize(
    ("parts", "place", "says"),
    [
        ({"table": {"width": 120, "depth": 90, "hight": 3}}, ("table", "hight"), 'the table has no "hight"'),
        ({"zones": {"first": {**ELLIPSE, "angle": 4}}}, ("zones", "first", "angle"), 'zone "first" has no "angle"'),
        ({"terrain": [{**HOUSE, "id": "barn", "hegiht": 2}]}, ("terrain", 0, "hegiht"), 'did you mean "height"?'),
        ({"terrain": [{**HOUSE, "type": "buidling"}]}, ("terrain", 0, "type"), 'did you mean "building"?'),
        (
            {"to_lay": [{"type": "wood", "shape": {"ellipse": {**ELLIPSE, "angel": 9}}}]},
            ("to_lay", 0, "shape", "ellipse", "angel"),
            'did you mean "angle"?',
        ),
        ({"terrain": [{**HOUSE, "shape": {"blob": {}}}]}, ("terrain", 0, "shape", "blob"), "unknown shape"),
    ],
)
def test_a_misspelt_word_is_told_at_its_place(
    rules: Ruleset, parts: dict[str, Any], place: tuple[str | int, ...], says: str
) -> None:
    ((where, said),) = wrong_with(rules, **parts)
    assert where == place
    assert says in said


def test_a_section_of_another_plugin_is_left_alone(rules: Ruleset) -> None:
    assert wrong_with(rules, weather="wet") == []


PLACED = """
- title: "Somewhere"
  given:
    board: {{terrain: []}}
    sides:
      - {{name: A, units: [{{id: mob, profile: orc_mob, size: 6, {place}}}]}}
  when: mob.x
  then: {{result: 20}}
"""


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("at: [20, 30], facing: 90, files: 3", None),
        ("at: 60", "mob stands at [x, y], two numbers, not at 60"),
        ("at: [20, left]", "two numbers, not 'left'"),
        ("at: [20, 30], facing: north", "mob faces: degrees, 0 is up the table, not 'north'"),
        ("at: [20, 30], files: wide", "mob has files: models abreast, not 'wide'"),
    ],
)
def test_a_unit_stands_at_two_numbers(tmp_path: Path, place: str, says: str | None) -> None:
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "somewhere.yaml").write_text(PLACED.format(place=place), encoding="utf-8")
    (result,) = run_examples(warhost.load("small_fantasy", house=[str(tmp_path)]), "somewhere")
    assert any(says in failure for failure in result.failures) if says else not result.failures
