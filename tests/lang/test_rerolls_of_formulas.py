"""Many throws of a test whose die is no plain one: a re-roll throws the formula again."""

from __future__ import annotations

import pytest

from lang.workbench import battle, program, run, unit

RULES = """
profile of unit
    size_of_die: number = 7
roll odd(unit) by unit: d(unit.size_of_die) >= 7
roll pair(unit) by unit: 2d6 >= 7
procedure odd_ones(unit): number
    result how many of 2 pass odd(unit)
procedure pairs(unit): number
    result how many of 2 pass pair(unit)
rule "Again"
    reroll failures of odd
    reroll failures of pair
"""


@pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])
@pytest.mark.parametrize(
    ("step", "dice"), [("odd_ones", [7, 1, 7]), ("pairs", [6, 6, 1, 2, 5, 5])], ids=["any die", "two dice"]
)
def test_a_reroll_throws_the_formula_again(step: str, dice: list[int], trace: bool) -> None:
    on = battle(program(RULES), [unit("u")], [unit("v")], dice=dice, trace=trace)
    assert run(on, step, "u") == 2
