"""What rules may do to a throw before its dice fall, and while they lie there."""

from __future__ import annotations

from typing import Any

import pytest

from lang.workbench import Battle, battle, program, rolled, run, said, unit

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
state of unit
    skill: number = 3
    lost: number = 0
    luck: number = 1
roll hit(unit) by unit: d6 <= unit.skill
roll strength(unit) by unit: 2d6 + unit.skill
roll volley(unit) by unit: pool unit.skill of d6 >= 5
roll duel(unit, other: unit) by unit against other: d6 + unit.skill against d6 + other.skill by other, ties to other
procedure try_hit(unit): yes_no
    result roll hit(unit)
procedure try_many(unit): number
    result how many of 3 pass hit(unit)
procedure try_strength(unit): number
    result roll strength(unit)
procedure try_volley(unit): number
    result roll volley(unit)
procedure try_duel(unit, other: unit): yes_no
    result roll duel(unit, other)
procedure try_loose(unit): number
    result unit rolls 2d6 + 1
procedure try_at_once(unit, other: unit)
    together
        other.lost += how many of 2 pass hit(unit)
        unit.lost += how many of 1 pass hit(other)
"""


def play(rules: str, *dice: int, trace: bool, **given: Any) -> Battle:
    return battle(program(RULES + rules), [unit("u")], [unit("v")], dice=list(dice), trace=trace, **given)


@BOTH
def test_dice_are_added_and_taken_before_they_fall(trace: bool) -> None:
    rules = """
before rolling(throw) when throw.name == "volley"
    say "{size_of(throw.dice)} dice of {highest of it.sides over throw.dice}, need {throw.need}"
    add_dice(throw, 2)
before rolling(throw) when throw.name == "strength"
    add_dice(throw, -1)
"""
    on = play(rules, 5, 4, 6, 5, 1, 4, trace=trace)
    assert run(on, "try_volley", "u") == 3
    assert said(on) == ["3 dice of 6, need 5"]
    assert run(on, "try_strength", "u") == 7
    assert rolled(on) == [("volley", [5, 4, 6, 5, 1], 3), ("strength", [4], 7)]


@BOTH
def test_the_need_is_changed(trace: bool) -> None:
    rules = """
before rolling(throw) when throw.name == "hit"
    set_need(throw, throw.need - 2)
"""
    on = play(rules, 2, 1, 1, 2, 3, trace=trace)
    assert [run(on, "try_hit", "u") for _ in range(2)] == [False, True]
    assert run(on, "try_many", "u") == 1
    assert [r["need"] for r in on.log if r["kind"] == "roll"] == [1, 1, 1]


@BOTH
def test_another_die_falls_in_the_place_of_one(trace: bool) -> None:
    """The first die of 2d6 is a d20, and what it shows above 6 counts as 6."""
    rules = """
item "Strange Die"
    reaction "Strange Die" to rolling(throw) by bearer.side
        when throw.side is bearer.side and throw.name == "strength"
        once per game
        choose die from throw.dice by bearer
        if die is not none: swap_die(throw, die, 20, die.sides)
"""
    answers = {"reaction to rolling": "Strange Die", "die": "1: 0"}
    on = battle(
        program(RULES + rules), [unit("u", ("item", "Strange Die"))], [unit("v")], dice=[17, 2, 1, 1], trace=trace,
        answers=answers,
    )  # fmt: skip
    assert [run(on, "try_strength", "u") for _ in range(2)] == [11, 5]
    assert rolled(on) == [("strength", [6, 2], 11), ("strength", [1, 1], 5)]


@BOTH
def test_throws_without_a_block_and_opposed_ones_are_seen(trace: bool) -> None:
    rules = """
before rolling(throw)
    say "{throw.by}: {size_of(throw.dice)}, {throw.total}, {throw is succeeded}"
before rolling(throw) when throw.name == "rolls"
    add_dice(throw, 1)
"""
    on = play(rules, 1, 2, 3, 4, 6, trace=trace)
    assert run(on, "try_loose", "u") == 7
    assert run(on, "try_duel", "u", "v") is False
    assert said(on) == ["u: 2, 0, no", "u: 1, 0, no", "v: 1, 0, no"]


@BOTH
def test_dice_that_have_fallen_are_not_added_to(trace: bool) -> None:
    on = play("before rolled(throw)\n    add_dice(throw, 1)\n", 2, trace=trace)
    with pytest.raises(Exception, match="the dice of this throw have fallen"):
        run(on, "try_hit", "u")


@BOTH
def test_dice_of_a_formula_that_throws_itself_are_not_laid_out_twice(trace: bool) -> None:
    rules = """
procedure one_more(unit): number
    unit.lost += 1
    result 1
procedure odd(unit): number
    result unit rolls d6 + one_more(unit)
before rolling(throw)
    say "{size_of(throw.dice)}"
"""
    on = play(rules, 3, trace=trace)
    assert run(on, "odd", "u") == 4
    assert (said(on), on.entity("u").lost) == (["0"], 1)


@BOTH
def test_answers_to_dice_count_within_a_together(trace: bool) -> None:
    """The re-roll changes the hits that are counted, and is paid for before the window is offered again."""
    rules = """
reaction "Luck" to rolled(throw) by units as friend
    when throw.by is friend and throw.total >= 10 and friend.luck >= 1
    friend.luck -= 1
    reroll_dice(throw)
after rolled(throw)
    say "{throw.total}"
"""
    on = play(rules, 5, 6, 2, 3, 1, trace=trace, answers={"reaction to rolled": "Luck"})
    run(on, "try_at_once", "u", "v")
    assert [on.entity(x).lost for x in ("u", "v")] == [1, 2]
    assert on.entity("u").luck == 0
    assert said(on) == ["5", "1"]


@BOTH
def test_only_throws_that_are_asked_for_by_name_are_watched(trace: bool) -> None:
    rules = 'after rolled(throw) when throw.name == "hit" and throw.by is not none\n    say "{throw.total}"\n'
    on = play(rules, 4, 3, 3, trace=trace)
    run(on, "try_hit", "u")
    run(on, "try_strength", "u")
    assert said(on) == ["4"]
    assert [r["event"] for r in on.log if r["kind"] == "event"] == ["rolled"]


def test_what_nobody_bears_does_not_slow_a_throw() -> None:
    rules = 'item "Strange Die"\n    before rolling(throw)\n        add_dice(throw, 1)\n'
    on = battle(program(RULES + rules), [unit("u")], [unit("v", ("item", "Strange Die"))], dice=[3])
    test = on.program.rolls["hit"]
    assert on.throws._plain_test(test) is None
    on.end_effect(on.entity("v").effects[0])
    assert on.throws._plain_test(test) is not None


@BOTH
def test_the_log_keeps_what_the_dice_showed_before_re_rolls(trace: bool) -> None:
    """As they fell, and after each re-roll but the last: `dice` is what they show in the end."""
    rules = """
before rolled(throw) when throw.name == "volley"
    again = all dice in throw where it.face == 4
    reroll_dice(throw, again)
before rolled(throw) when throw.name == "duel"
    again = all dice in throw where it.face == 1
    reroll_dice(throw, again)
"""
    on = play(rules, 1, 4, 4, 2, 6, 5, 5, 5, 1, 2, 3, trace=trace)
    assert run(on, "try_volley", "u") == 1
    assert run(on, "try_volley", "u") == 3
    run(on, "try_duel", "u", "v")
    kept = [(r["dice"], r.get("earlier")) for r in on.log if r["kind"] == "roll"]
    assert kept == [([1, 2, 6], [[1, 4, 4]]), ([5, 5, 5], None), ([3, 2], [[1, 2]])]
