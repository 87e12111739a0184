"""Random programs over columns: every way that their dice can fall comes out as often as with compiled rules.

The programs are those that hold the other back ends against each other (lang/random_rules.py). Here each is followed
over columns, exactly and by drawing lots, and enumerated: compiled and run once for every way in which single dice can
fall, with the product of their chances.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from lang.random_rules import VOCABULARY, condition, number, procedure
from lang.test_backends import TWO, armies
from lang.workbench import Unit, battle, compute, program, run
from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import RuleFault
from warhost_battles.players import UsualPlayer
from warhost_odds.chance import OutOfReachError, PathDice, explore
from warhost_odds.columns import Columns
from warhost_odds.rows import Batch

#: What is looked at when a program has run: everything that columns write, and numbers over it.
SEEN = """
state of battle
    found: number = 0
number found() = battle.found
number marks(unit) = unit.hurt * 100 + unit.struck
    +50 if unit.broken
    +5000 if unit.mood is angry
    +9000 if unit.mood is afraid
    +20000 if unit.quarry is not none
    +40000 if unit has Tired
number led(unit) = count_of(unit, unit.friends) + strength(unit) * 10
procedure begins(unit, other: unit)
    battle.found = floor(p(unit, other) * 12)
"""

#: More ways than this are not enumerated.
MOST_WAYS = 600
TRIALS = 200

Seen = tuple[Hashable, ...]


class SingleDice:
    """Dice that know no short cuts: each that falls is one of as many ways as it has sides."""

    def __init__(self, dice: PathDice) -> None:
        self.pool, self.pick, self._dice = dice.pool, dice.pick, dice

    @property
    def thrown(self) -> int:
        return self._dice.thrown


def questions(on: Battle) -> list[tuple[str, tuple[str, ...]]]:
    """What is asked afterwards: numbers with their arguments."""
    units = [u.id for u in on.by_id.values() if u._noun == "unit"]
    asked: list[tuple[str, tuple[str, ...]]] = [("found", ()), ("need", ("a0", "b0")), ("may_go", ("b0",))]
    return [*asked, *((name, (unit,)) for unit in units for name in ("marks", "led", "share"))]


def enumerated(on: Battle, most: int = MOST_WAYS) -> dict[Seen, float]:
    """What can come of `begins`, each with its probability, by running compiled rules.

    Raises RuleFault if it can fail, OutOfReachError if there are more ways than `most`.
    """
    before = Checkpoint(on)
    asked = questions(on)

    def once(dice: PathDice) -> Seen:
        on.dice = SingleDice(dice)  # type: ignore[assignment]
        on.budget.reset()
        try:
            run(on, "begins", "a0", "b0")
            return tuple(compute(on, name, *args) for name, args in asked)
        finally:
            before.restore()

    found: dict[Seen, float] = {}
    for chance, seen in explore(once, most):
        found[seen] = found.get(seen, 0.0) + chance
    return found


def followed(on: Battle, lots: np.random.Generator | None = None) -> dict[Seen, float]:
    """The same over columns: probabilities, or with lots how often each came of so many trials."""
    columns = Columns(on, lots)
    begins = on.program.procedures["begins"]
    found: Counter[Seen] = Counter()
    with columns.steps.at_work():
        for batch in columns.call(begins, [on.by_id["a0"], on.by_id["b0"]], [columns.start(TRIALS if lots else 1.0)]):
            for seen, weight in zip(_seen(on, columns, batch), batch.weights.tolist(), strict=True):
                found[seen] += weight
    return {seen: weight for seen, weight in found.items() if weight}


def _seen(on: Battle, columns: Columns, batch: Batch) -> list[Seen]:
    """What is seen in each row."""
    answers = [columns.ask(name, [on.by_id[one] for one in args], batch) for name, args in questions(on)]
    return list(zip(*(columns.interner.items(answer, batch.n) for answer in answers), strict=True))


def in_reach(act: Callable[[], Any]) -> Any:
    """What comes of it; a program of too many ways, or one that can fail, is no program for this test."""
    try:
        return act()
    except OutOfReachError:
        event("too many ways")
        assume(False)


def bench(text: str, sides: tuple[list[Unit], list[Unit]]) -> Battle:
    made = program(text + SEEN, above=VOCABULARY)
    return battle(made, *sides, players=[UsualPlayer(), UsualPlayer()])


def holds(text: str, sides: tuple[list[Unit], list[Unit]], seed: int) -> None:
    """A program over columns comes to what it comes to compiled."""
    on = bench(text, sides)
    before = on.state_hash()
    try:
        expected = in_reach(lambda: enumerated(on))
    except RuleFault:
        event("fails")
        with pytest.raises((RuleFault, OutOfReachError)):
            followed(on)
        return
    exact = in_reach(lambda: followed(on))
    event(f"{min(len(expected), 9)} outcomes")
    assert exact.keys() == expected.keys()
    for seen, chance in expected.items():
        assert math.isclose(exact[seen], chance, rel_tol=1e-9, abs_tol=1e-12), seen
    drawn = in_reach(lambda: followed(on, np.random.Generator(np.random.PCG64(seed))))
    assert sum(drawn.values()) == TRIALS
    assert drawn.keys() <= expected.keys()
    assert on.state_hash() == before


@settings(max_examples=70)
@given(procedure(), armies(), st.integers(0, 9999))
def test_random_procedures(text: str, sides: tuple[list[Unit], list[Unit]], seed: int) -> None:
    holds(text, sides, seed)


@settings(max_examples=60)
@given(number(TWO, ["n"], False, 4), condition(TWO, ["n"], False, 4), armies(), st.integers(0, 9999))
def test_random_numbers_of_a_throw(
    value: str, truth: str, sides: tuple[list[Unit], list[Unit]], seed: int
) -> None:
    """What a die decides, asked of every row at once."""
    text = (
        f"number x(unit, other: unit, n) = {value}\nflag y(unit, other: unit, n) = {truth}\n"
        "procedure p(unit, other: unit)\n"
        "    n = unit rolls d6\n"
        "    unit.hurt += n\n"
        "    other.broken = y(unit, other, n)\n"
        "    result floor(x(unit, other, n))\n"
    )
    holds(text, sides, seed)
