"""Chance as distributions: every way that a step may fall out, with its probability."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from warhost.engine.dice import check_pool
from warhost.engine.throws import Throws, Toss
from warhost.errors import WarhostError
from warhost.lang import ir
from warhost_odds.weighing import nobody_looks, total_of_pool

#: A single step may fall out in so many ways at most.
MOST_PATHS = 6_000


class OutOfReachError(WarhostError):
    """Something that cannot be computed exactly. The message says what and why."""


class Work:
    """A budget of work, in microseconds of a usual machine. It is counted, never measured, so that the same question is
    given up at the same point on every machine; unless somebody says how many seconds it may take.
    """

    def __init__(self, left: float = math.inf, seconds: float | None = None) -> None:
        self.most = self.left = left
        self.seconds = seconds
        self._ends = None if seconds is None else time.monotonic() + seconds

    def spend(self, much: float) -> None:
        """Take some microseconds off the budget. Raises OutOfReachError when there are not so many left."""
        self.left -= much
        if self.left < 0:
            usual = f"more than {self.most / 1e6:,.0f} s of work" if self.most >= 1e6 else "more work than drawing"
            raise OutOfReachError(f"there are too many ways in which it may go ({usual})")
        if self._ends is not None and time.monotonic() > self._ends:
            raise OutOfReachError(f"{self.seconds:g} s were not enough")


class PathDice:
    """Dice that follow one path through a tree of chances.

    path: the branch to take at each throw; beyond its end the first one is taken. weight: the probability of the path
    that was taken. widths: how many branches each throw had. `passing` and `scored` are shortcuts for dice that are
    alike: they branch only by how many pass, or by what the dice add up to.
    """

    def __init__(self, path: Sequence[int]) -> None:
        self.path = path
        self.taken: list[int] = []
        self.widths: list[int] = []
        self.weight = 1.0
        self.thrown = 0

    def _branch(self, chances: Sequence[float]) -> int:
        at = len(self.taken)
        chosen = self.path[at] if at < len(self.path) else 0
        self.taken.append(chosen)
        self.widths.append(len(chances))
        self.weight *= chances[chosen]
        return chosen

    def pool(self, count: int, sides: int) -> list[int]:
        check_pool(count, sides)
        if sides > MOST_PATHS:
            raise OutOfReachError(f"a die with {sides} sides")
        self.thrown += max(count, 0)
        even = [1.0 / sides] * sides
        return [self._branch(even) + 1 for _ in range(count)]

    def pick(self, count: int) -> int:
        return self._branch([1.0 / count] * count)

    def passing(self, count: int, row: Sequence[int]) -> int:
        """How many of so many dice show a face that passes; row[face] is 1 or 0, row[0] is unused."""
        if count <= 0:
            return 0
        self.thrown += count
        sides = len(row) - 1
        good = sum(row[1:])
        if good in (0, sides):
            return count if good else 0
        return self._branch(binomial(count, good / sides).tolist())

    def scored(self, count: int, sides: int, worth: Mapping[int, float]) -> int:
        """What so many dice come to together when each comes to a number with these chances."""
        check_pool(count, sides)
        if count <= 0:
            return 0
        self.thrown += count
        totals, chances = _totals(count, tuple(sorted(worth.items())))
        return totals[self._branch(chances)] if len(totals) > 1 else totals[0]

    def weigh_pool(
        self, throws: Throws, roll: ir.Roll, spec: ir.Spec, args: tuple[Any, ...], by: Any, against: Any, opposed: bool
    ) -> int | None:
        """What a pool of the rules comes to; None when its dice must be thrown one by one (see weighing.py)."""
        return total_of_pool(self.scored, throws, roll, spec, args, by, against, opposed)

    def only_totals(self, throws: Throws, name: str, by: Any, against: Any, toss: Toss) -> bool:
        """Whether a throw may be given as a sum alone: nobody asks for its dice."""
        return nobody_looks(throws, name, by, against, toss)


@lru_cache(maxsize=20_000)
def _totals(count: int, worth: tuple[tuple[int, float], ...]) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """The totals of so many dice, lowest first, and their chances."""
    low = worth[0][0]
    one = np.zeros(worth[-1][0] - low + 1)
    for value, chance in worth:
        one[value - low] += chance
    sums = np.ones(1)
    for _ in range(count):
        sums = np.convolve(sums, one)
    kept = [i for i, chance in enumerate(sums.tolist()) if chance > 0.0]
    return tuple(low * count + i for i in kept), tuple(float(sums[i]) for i in kept)


def explore(
    run: Callable[[PathDice], Any], most: int = MOST_PATHS, what: str = "a step"
) -> list[tuple[float, Any]]:
    """Run something once for every path of chance: (probability, what it gave).

    Raises OutOfReachError when there are more than `most`, which says so of `what`.
    """
    found: list[tuple[float, Any]] = []
    waiting: list[list[int]] = [[]]
    while waiting:
        dice = PathDice(waiting.pop())
        result = run(dice)
        found.append((dice.weight, result))
        if len(found) + len(waiting) + sum(width - 1 for width in dice.widths[len(dice.path) :]) > most:
            _too_many(most, what)
        for at in range(len(dice.path), len(dice.taken)):
            head = dice.taken[:at]
            waiting.extend([*head, other] for other in range(1, dice.widths[at]))
    return found


def _too_many(most: int, what: str) -> NoReturn:
    raise OutOfReachError(f"{what} falls out in more than {most:,} ways")


@lru_cache(maxsize=20_000)
def binomial(n: int, p: float) -> npt.NDArray[np.float64]:
    """The probability of 0 to n successes of n dice that succeed with p."""
    if n <= 1000:
        values = [math.comb(n, k) * p**k * (1.0 - p) ** (n - k) for k in range(n + 1)]
    else:
        up, down = math.log(p) if p else -math.inf, math.log1p(-p) if p < 1 else -math.inf
        whole = math.lgamma(n + 1)
        values = [
            math.exp(whole - math.lgamma(k + 1) - math.lgamma(n - k + 1) + (k * up if k else 0.0)
                     + ((n - k) * down if n > k else 0.0))
            for k in range(n + 1)
        ]  # fmt: skip
    made = np.array(values)
    made.flags.writeable = False
    return made
