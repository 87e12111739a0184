"""What an outsider's plugin would declare: a board that is one long line, and dice that can be turned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warhost.vocabulary import Function, Parameter

TWO_UNITS = (Parameter("a", "unit"), Parameter("b", "unit"))


def _distance(battle: Any, a: Any, b: Any) -> int:
    return int(abs(a.x - b.x))


def _sees(battle: Any, a: Any, b: Any) -> bool:
    return _distance(battle, a, b) <= 24


def _touches(battle: Any, a: Any, b: Any) -> bool:
    return a is not b and _distance(battle, a, b) <= 1


def _turn_die(battle: Any, throw: Any, die: Any, face: int) -> None:
    die.face, die.turned = face, True


def _spots(battle: Any, unit: Any) -> list[int]:
    return [unit.x - 1, unit.x + 1]


class Way:
    """A way past some units, one after the other."""

    def __init__(self, *passed: Any) -> None:
        self.passed = passed

    def perform(self, battle: Any, who: Any, handlers: Mapping[str, Callable[..., Any]]) -> None:
        """Touch them in turn, until a handler stops the move."""
        battle.travel_stopped = False
        for other in self.passed:
            handlers["touches"](who, other)
            if battle.travel_stopped:
                return
            who.x = other.x


FUNCTIONS = (
    Function("distance", TWO_UNITS, "distance", _distance, "how far apart two units are on the line"),
    Function("sees", TWO_UNITS, "yes_no", _sees, "whether a unit is near enough to be seen"),
    Function("touches", TWO_UNITS, "yes_no", _touches, "whether two units stand side by side"),
    Function(
        "turn_die", (Parameter("throw", "throw"), Parameter("die", "die"), Parameter("face", "number")), "any",
        _turn_die, "turn a die of a throw to another face", frozenset({"writes"}),
    ),
    Function("spots_beside", (Parameter("unit", "unit"),), "list of number", _spots, "the places to either side"),
)  # fmt: skip
