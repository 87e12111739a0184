"""A computer player in a hurry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warhost import Decision


class Hasty:
    """Takes what the rules rate highest, and of equals the last: the longest way, the enemy furthest on."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def decide(self, decision: Decision, battle: Any) -> int:
        """The number of an option."""
        ratings = decision.ratings() or [0] * len(decision.options)
        return max(range(len(ratings)), key=lambda i: (ratings[i], i))
