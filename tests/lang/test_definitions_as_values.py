"""Definitions that are values: given by name of a local, aimed by their own `targets` line; things of any kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lang.outsider import FUNCTIONS
from lang.workbench import Unit, battle, check, compute, program, run, unit
from warhost.engine.battle import Battle

WORDS = (Path(__file__).parent / "fixture.rules").read_text(encoding="utf-8")
BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
number strength_now(unit) = unit.fv
trait Boon
    targets friendly units
    strength_now +1 when unit is bearer
trait Bane
    targets enemy units where it.fv >= 3
    strength_now -2 when unit is bearer
trait Rank(n)
    strength_now +n when unit is bearer
procedure promote(unit)
    give Rank(4) to unit
    give Boon to unit until end of turn
procedure copy(unit, other: unit)
    bear_alike(unit, other)
procedure lay(unit, trait: trait, goal: anything)
    give trait to goal
procedure aimed(unit, trait: trait): number
    result size_of(targets_of(trait, unit))
procedure named(unit): number
    result size_of(targets_of("Bane", unit))
procedure swap(unit, side)
    go_over(unit, side)
"""


def play(red: list[Unit], blue: list[Unit], trace: bool) -> Battle:
    return battle(program(RULES, FUNCTIONS, above=WORDS), red, blue, trace=trace)


def value(on: Battle, title: str) -> Any:
    return on.definition("trait", title)


@BOTH
def test_a_definition_is_given_by_the_name_of_a_parameter(trace: bool) -> None:
    on = play([unit("u")], [unit("v")], trace)
    run(on, "lay", "u", value(on, "Boon"), "v")
    run(on, "lay", "u", value(on, "Bane"), "v")
    assert compute(on, "strength_now", "v") == 2
    (boon, bane) = on.entity("v").effects
    assert (boon.name, bane.name, boon.giver.id, boon.owner.name) == ("Boon", "Bane", "u", "Red")


@BOTH
def test_what_a_definition_may_be_aimed_at(trace: bool) -> None:
    on = play([unit("u"), unit("w")], [unit("v", fv=3), unit("x", fv=2)], trace)
    assert run(on, "aimed", "u", value(on, "Boon")) == 2
    assert run(on, "aimed", "u", value(on, "Bane")) == 1
    assert run(on, "named", "u") == 1


@BOTH
def test_one_bears_what_another_bears_and_what_passes_stays_where_it_is(trace: bool) -> None:
    on = play([unit("u"), unit("w")], [unit("v")], trace)
    run(on, "lay", "u", value(on, "Bane"), "w")
    run(on, "promote", "u")
    run(on, "copy", "w", "u")
    assert [e.name for e in on.entity("w").effects] == ["Rank"]
    assert [e.name for e in on.entity("u").effects] == ["Rank", "Boon"]
    assert compute(on, "strength_now", "w") == compute(on, "strength_now", "v") + 4


@BOTH
def test_a_unit_goes_over_to_the_other_side(trace: bool) -> None:
    on = play([unit("u"), unit("w")], [unit("v")], trace)
    red, blue = on.sides
    run(on, "swap", "u", blue)
    assert [[x.id for x in s.units] for s in (red, blue)] == [["w"], ["u", "v"]]
    assert (on.entity("u").side, on.entity("u").owner) == (blue, red)
    run(on, "swap", "u", red)
    assert [x.id for x in red.units] == ["u", "w"]


@BOTH
def test_of_a_rule_and_a_trait_of_one_title_the_trait_is_given(trace: bool) -> None:
    rules = """
number strength_now(unit) = unit.fv
rule "Luck"
    strength_now +0 when unit.fv >= 100
trait Luck(n)
    strength_now +n when unit is bearer
procedure bless(unit)
    give Luck(2) to unit
"""
    on = battle(program(rules, FUNCTIONS, above=WORDS), [unit("u")], [unit("v")], trace=trace)
    before = compute(on, "strength_now", "u")
    run(on, "bless", "u")
    assert compute(on, "strength_now", "u") == before + 2


def test_only_definitions_can_be_given() -> None:
    text = "procedure wrong(unit, n)\n    give n to unit\n"
    problems = check(text, FUNCTIONS, above=WORDS)[1]
    assert problems
