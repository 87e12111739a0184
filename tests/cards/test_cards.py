"""Cards as rules see them: the examples of a small game of cards, and the laws of decks in random battles."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from warhost.engine.examples import run_examples
from warhost.packs import Ruleset, load

PARLEY = Path(__file__).parent / "parley"


@cache
def parley() -> Ruleset:
    return load(PARLEY)


def test_the_examples_of_the_game_of_cards() -> None:
    results = run_examples(parley())
    assert len(results) >= 4
    assert not [r for r in results if not r.passed]
