"""Cards in `warhost odds`: a draw is a die as large as the pile."""

from __future__ import annotations

import pytest

from tests.cards.table import parley
from warhost_odds.asking import odds


def test_a_card_and_a_die_are_weighed_exactly() -> None:
    found = odds(parley(), "captain:1", "captain:1", method="exact")
    assert found.outcome["attacker_won"] == pytest.approx(12 / 52 + 40 / 52 / 2)
