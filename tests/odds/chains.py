"""What the calculations by hand share: pools of icepool's dice, and a walk from state to state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import TypeVar

import icepool

State = TypeVar("State", bound=Hashable)
Chances = dict[State, float]

#: Rounds that a fight to the end goes on at most.
MOST_ROUNDS = 200


@cache
def pool(count: int, chance: tuple[int, int]) -> dict[int, float]:
    """How many of so many dice succeed; chance: (successes, of)."""
    good, of = max(0, min(chance[0], chance[1])), chance[1]
    if count <= 0 or good == 0:
        return {0: 1.0}
    die = count @ icepool.coin(good, of)
    return {int(k): float(die.probability(k)) for k in die.outcomes()}


def faces(sides: int) -> dict[int, float]:
    """One die."""
    die = icepool.d(sides)
    return {int(k): float(die.probability(k)) for k in die.outcomes()}


def mixed(*parts: tuple[float, Mapping[State, float]]) -> Chances[State]:
    """The distributions with their weights, put together."""
    found: Chances[State] = {}
    for weight, part in parts:
        for key, p in part.items():
            found[key] = found.get(key, 0.0) + weight * p
    return found


def followed(
    start: State, step: Callable[[State, int], Mapping[State, float]], over: Callable[[State], bool], rounds: int
) -> Chances[State]:
    """Where a chain is after so many rounds, or where it stopped. step is told the number of the round, from 0."""
    now: Chances[State] = {start: 1.0}
    done: Chances[State] = {}
    for n in range(rounds):
        after: Chances[State] = {}
        for state, p in now.items():
            for new, q in step(state, n).items():
                place = done if over(new) else after
                place[new] = place.get(new, 0.0) + p * q
        now = {s: p for s, p in after.items() if p > 1e-18}
        if not now:
            break
    return mixed((1.0, done), (1.0, now))
