"""The joint chances of every situation, computed by hand."""

from __future__ import annotations

from typing import Any

from odds import arcana_by_hand, legiones_by_hand, small_by_hand
from odds.situations import Situation

_BOOKS = {
    "small_fantasy": small_by_hand.expected, "arcana": arcana_by_hand.expected, "legiones": legiones_by_hand.expected,
}  # fmt: skip


def expected_joint(situation: Situation) -> dict[tuple[Any, ...], float]:
    """Chances of (outcome, models lost by attacker and defender, points lost by both); their sum is 1."""
    return _BOOKS[situation.ruleset](situation.name, situation.until)
