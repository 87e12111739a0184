"""Cards as rules see them: the examples of a small game of cards."""

from __future__ import annotations

from tests.cards.table import parley
from warhost.engine.examples import run_examples


def test_the_examples_of_the_game_of_cards() -> None:
    results = run_examples(parley())
    assert len(results) >= 4
    assert not [r for r in results if r.failures]
