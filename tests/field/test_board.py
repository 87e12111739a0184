"""What a board says of the state of its terrain: as the rules have it, and judged when it is loaded."""

from __future__ import annotations

from typing import Any

import pytest

import warhost
from warhost.packs.ruleset import Ruleset
from warhost_field.plugin import warhost_board_problems

HOUSE = {"id": "inn", "type": "building", "shape": {"rectangle": {"x": 60, "y": 45, "width": 4, "depth": 4}}}


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    """A ruleset whose terrain may burn."""
    return warhost.load("small_fantasy")


def problems(rules: Ruleset, state: Any) -> list[str]:
    board = {"table": {"width": 120, "depth": 90}, "terrain": [{**HOUSE, "state": state}]}
    return list(warhost_board_problems(board, rules.program))


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
