"""The joint chances of every situation, computed by hand."""

from __future__ import annotations

from typing import Any

from odds import arcana_by_hand, legiones_by_hand, small_by_hand
from odds.situations import Situation

_BOOKS = {
    "small_fantasy": small_by_hand.expected, "arcana": arcana_by_hand.expected, "legiones": legiones_by_hand.expected,
}  # fmt: skip


#: What both had lost before the fight, where that is not nothing: it is no part of what the fight costs.
_BEFORE = {"two fifths gone already": (0, 8, 0, 56), "a wounded unit": (1, 2, 0, 0)}


def expected_joint(situation: Situation) -> dict[tuple[Any, ...], float]:
    """Chances of (outcome, models lost by attacker and defender, points lost by both); their sum is 1."""
    found = _BOOKS[situation.ruleset](situation.name, situation.until)
    before = _BEFORE.get(situation.name, (0, 0, 0, 0))
    return {(word, *(n - m for n, m in zip(lost, before, strict=True))): p for (word, *lost), p in found.items()}
