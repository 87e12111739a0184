"""Answers that are kept: what they depend on, and that they are computed anew when that changes, and only then."""

from __future__ import annotations

import pytest

from lang.workbench import Battle, battle, compute, program, run, unit
from warhost.engine.standing import standing
from warhost.lang.depends import Dependence
from warhost.lang.program import Program

RULES = """
profile of unit
    skill: number = 3
state of unit
    hurt: number = 0
    tired: number = 0
    gone: number = 0
noun sleeper is a unit where it.tired > 2
number aim(unit) = unit.skill
number strength(unit) = aim(unit) - unit.hurt
number weakest() = lowest of strength(it) over units
number asleep() = number of units where it is sleeper
number of_plugin(unit) = number of units where on_table(it)
procedure hurt_it(unit)
    unit.hurt += 1
procedure tire(unit)
    unit.tired += 1
procedure aim_better(unit)
    aim(unit: unit) +1 until end of battle because "blessed"
procedure aim_better_unhurt(unit)
    aim(unit: unit) +1 while unit.gone == 0
procedure lose_heart(unit)
    unit.gone = 1
trait Worn
    aim -1 when bearer is unit and unit.tired > 0
procedure wear_out(unit)
    give Worn to unit
"""


@pytest.fixture(scope="module")
def rules() -> Program:
    return program(RULES)


def begun(rules: Program) -> Battle:
    return battle(rules, [unit("one")], [unit("two")])


def fields(found: frozenset[str] | None) -> set[str]:
    assert found is not None
    return set(found) & {"hurt", "tired", "gone", "skill", "turn"}


@pytest.mark.parametrize(
    ("name", "on"),
    [
        ("aim", {"skill", "tired"}),  # a trait may change it, and looks at somebody's state
        ("strength", {"skill", "tired", "hurt"}),
        ("weakest", {"skill", "tired", "hurt"}),
        ("asleep", {"tired"}),  # by the condition of a noun
        ("of_plugin", set()),
    ],
)
def test_what_a_number_depends_on(rules: Program, name: str, on: set[str]) -> None:
    assert fields(Dependence(rules).of([name])) == on


def test_what_is_unclear_makes_all_unclear_that_ask_it(rules: Program) -> None:
    assert Dependence(rules).of(["weakest"], {"aim"}) is None
    assert Dependence(rules).of(["asleep"], {"aim"}) is not None


def kept(fight: Battle, name: str) -> int:
    """How many answers of a number are known and still stand."""
    answers = fight.kept[name]
    answers.look(fight)
    return len(answers.known)


def test_an_answer_stands_until_a_field_is_written_that_it_depends_on(rules: Program) -> None:
    fight = begun(rules)
    somebody = fight.by_id["one"]
    assert (compute(fight, "weakest"), kept(fight, "weakest")) == (3, 1)
    run(fight, "tire", somebody)
    assert kept(fight, "weakest") == 0, "a trait might look at it"
    compute(fight, "weakest"), compute(fight, "asleep")
    run(fight, "hurt_it", somebody)
    assert (kept(fight, "weakest"), kept(fight, "asleep")) == (0, 1)
    assert compute(fight, "weakest") == 2


def test_what_comes_into_force_is_seen(rules: Program) -> None:
    fight = begun(rules)
    somebody = fight.by_id["one"]
    for other in fight.everyone["unit"]:
        if other is not somebody:
            run(fight, "aim_better", other)
    assert compute(fight, "weakest") == 3
    run(fight, "aim_better", somebody)
    assert compute(fight, "weakest") == 4
    run(fight, "wear_out", somebody)
    assert compute(fight, "weakest") == 4
    run(fight, "tire", somebody)
    assert compute(fight, "weakest") == 3


def test_what_holds_while_something_is_so_ends_with_it(rules: Program) -> None:
    """The condition stands in a step: nobody can tell from the number that it depends on it."""
    fight = begun(rules)
    for each in fight.everyone["unit"]:
        run(fight, "aim_better_unhurt", each)
    assert compute(fight, "weakest") == 4
    run(fight, "lose_heart", fight.by_id["one"])
    assert compute(fight, "weakest") == 3


def test_a_stamp_never_comes_back(rules: Program) -> None:
    fight = begun(rules)
    seen = [standing(fight, ("weakest",))]
    for step in ("hurt_it", "aim_better", "aim_better_unhurt", "lose_heart", "hurt_it"):
        run(fight, step, fight.by_id["one"])
        seen.append(standing(fight, ("weakest",)))
    fight.version += 1
    seen.append(standing(fight, ("weakest",)))
    assert len(set(seen)) == len(seen)
    fight.version = 0
    assert standing(fight, ("weakest",)) not in seen
