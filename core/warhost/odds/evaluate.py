"""From a question that is set up to the joint distribution of what may come of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warhost.errors import UsageError
from warhost.odds.answer import Key, Method, Weight

if TYPE_CHECKING:
    from warhost.odds.questions import Prepared


@dataclass(frozen=True, slots=True)
class Joint:
    """joint: probabilities when the method is exact, else how often each ending was seen in so many trials."""

    method: Method
    why: str
    joint: Mapping[Key, Weight]
    trials: int | None


def evaluate(prepared: Prepared, until: str, method: str = "auto", trials: int = 10_000, seed: int = 0) -> Joint:
    """What may come of a question. method: auto, exact or simulation. Raises UsageError."""
    from warhost.odds.scalar import simulate

    if method == "exact":
        raise UsageError("this question cannot be answered exactly: leave --method out, or say --method simulation")
    why = "simulated, because that was asked for" if method == "simulation" else "simulated with the compiled rules"
    return Joint("simulation", why, simulate(prepared, until, trials, seed), trials)
