"""What lasts `until used` counts in one throw, or in one value that a step takes; looking at it does not use it."""

from __future__ import annotations

import pytest

from lang.workbench import Battle, battle, compute, program, run, unit

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
profile of unit
    skill: number = 3
state of unit
    went: number = 0
    lost: number = 0
number aim(unit) = unit.skill
number need(unit) = aim(unit) + 1
number pace(unit) = 6
flag quick(unit) = pace(unit) > 6
roll hit(unit) by unit: d6 <= need(unit)
procedure bless(unit)
    aim(unit: unit) +1 until used because "blessed"
procedure hurry(unit)
    pace(unit: unit) x2 until it is used
procedure go(unit)
    if pace(unit) > 0 and unit is quick
        unit.went += pace(unit)
procedure shoot(unit): yes_no
    result roll hit(unit)
procedure shoot_often(unit): number
    result how many of 2 pass hit(unit)
procedure loose(unit): number
    result unit rolls d6 + aim(unit)
procedure both_at_once(unit, other: unit)
    together
        unit.went += pace(unit)
        other.went += pace(unit)
procedure think(unit)
    choose by unit
        stay rated pace(unit): unit.went = 0
        leave rated 1: unit.went = 1

trait Lucky
    aim +2 when unit is bearer
    may reroll failures of hit when unit is bearer
condition Warded
    before harmed(unit, n) when unit is bearer
        change n to 0
event harmed(unit, n)
procedure harm(unit, n)
    emit harmed(unit, n)
        unit.lost += n
procedure make_lucky(unit)
    give "Lucky" to unit until used
procedure ward(unit)
    give "Warded" to unit until used
"""


def play(*dice: int, trace: bool, **answers: object) -> Battle:
    return battle(program(RULES), [unit("u")], [unit("v")], dice=list(dice), trace=trace, answers=answers)


@BOTH
@pytest.mark.parametrize(("step", "dice"), [("shoot", [5]), ("shoot_often", [5, 6]), ("loose", [1])])
def test_a_throw_uses_what_counts_in_it(step: str, dice: list[int], trace: bool) -> None:
    on = play(*dice, *dice, trace=trace)
    run(on, "bless", "u")
    assert [compute(on, "need", "u") for _ in range(3)] == [5, 5, 5]
    first, then = run(on, step, "u"), run(on, step, "u")
    assert first == then + 1
    assert (on.dynamics, on.on_use, compute(on, "need", "u")) == ([], 0, 4)


@BOTH
def test_another_units_throw_does_not_use_it(trace: bool) -> None:
    on = play(5, 5, trace=trace)
    run(on, "bless", "u")
    assert [run(on, "shoot", "v"), run(on, "shoot", "u")] == [False, True]


@BOTH
def test_a_step_uses_what_it_takes_and_not_what_it_asks(trace: bool) -> None:
    on = play(trace=trace)
    run(on, "hurry", "u")
    run(on, "think", "u")
    assert compute(on, "quick", "u") is True
    run(on, "go", "u")
    assert (on.entity("u").went, compute(on, "pace", "u")) == (12, 6)


@BOTH
def test_within_a_together_everybody_sees_it(trace: bool) -> None:
    on = play(trace=trace)
    run(on, "hurry", "u")
    run(on, "both_at_once", "u", "v")
    assert [on.entity(x).went for x in ("u", "v")] == [12, 12]
    assert (compute(on, "pace", "u"), on.on_use) == (6, 0)


@BOTH
def test_an_instance_of_a_kind_ends_with_its_first_use(trace: bool) -> None:
    on = play(6, 6, 5, trace=trace, **{"re-roll hit": 1})
    run(on, "make_lucky", "u")
    run(on, "shoot", "u")
    assert on.entity("u").effects == []
    assert run(on, "shoot", "u") is False


@BOTH
def test_a_handler_that_has_run_was_used(trace: bool) -> None:
    on = play(trace=trace)
    run(on, "ward", "u")
    run(on, "harm", "v", 2)
    assert len(on.entity("u").effects) == 1
    for _ in range(2):
        run(on, "harm", "u", 2)
    assert ([on.entity(x).lost for x in ("u", "v")], on.entity("u").effects, on.on_use) == ([2, 2], [], 0)
