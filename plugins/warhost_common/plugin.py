"""Libraries of rules that no board and no kind of figure comes into: a ruleset takes them by their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warhost.hookspecs import hookimpl
from warhost.vocabulary import RulesLibrary

HERE = Path(__file__).parent

ROLL_OFFS = RulesLibrary(
    "roll_offs",
    HERE / "roll_offs.rules",
    "Every side throws a die; those with equal dice throw again among themselves. `roll_off()` throws, "
    "`highest_thrower()` is who had most, `higher_roller()` is both.",
)

DUELS = RulesLibrary(
    "duels",
    HERE / "duels.rules",
    "How a fight of two units came out, for questions of `warhost odds`: `over: duel_over`, `outcome: duel_outcome`.",
    needs=("flag out_of_duel(unit)",),
)

LAST_SIDE_STANDING = RulesLibrary(
    "last_side_standing",
    HERE / "last_side_standing.rules",
    "`last_side_standing()` ends a battle of two sides or more when only one of them can fight on, or none.",
    needs=("flag can_fight_on(side)",),
)

AHEAD = RulesLibrary(
    "ahead",
    HERE / "ahead.rules",
    "`ahead()` is the side with the highest standing, none when two share it.",
    needs=("number standing(side)",),
)


@hookimpl
def warhost_libraries() -> Iterable[RulesLibrary]:
    """`libraries: [roll_offs, last_side_standing, ahead, duels]`."""
    return (ROLL_OFFS, LAST_SIDE_STANDING, AHEAD, DUELS)
