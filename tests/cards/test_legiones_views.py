"""Hands of orders in Legiones Antiquitata: what one side may know is the same whatever the other holds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cards.table import Watched, decks_of, exchanged, mentioned, played, played_with, view
from warhost.armies.roster import Army
from warhost.engine.decisions import Policy
from warhost.packs import Ruleset, load
from warhost_battles.views import view_of

BOARD = {
    "hexes": {"columns": 7, "rows": 7},
    "zones": {"first": {"rows": [1, 2]}, "second": {"rows": [6, 7]}},
}
SCENARIO = {"id": "glade", "name": "A glade", "settings": {"turns": 2}, "board": BOARD}


@cache
def legiones() -> Ruleset:
    return load("legiones")


def duel(seed: int, players: Sequence[Policy]) -> Watched:
    """Two units a side on a small board for two turns."""
    rules = legiones()
    armies = [
        Army.from_data(
            {"id": name, "name": name, "limit": 0, "units": [
                {"id": f"{name}_guards", "name": f"{name} guards", "profile": "samurai", "size": 1},
                {"id": f"{name}_monks", "name": f"{name} monks", "profile": "warrior_monks_bow", "size": 1},
            ]},
            rules,
        )
        for name in ("east", "west")
    ]  # fmt: skip
    return Watched(rules, armies, seed, scenario=SCENARIO, players=players)


def use(card: Any) -> tuple[int, str]:
    """What of a card the rules tell by what they offer: all but which of two suits of its colour it has."""
    return card.value, card.colour


@settings(max_examples=8)
@given(seed=st.integers(0, 10**9), viewer=st.integers(0, 1))
def test_a_view_is_the_same_whatever_the_other_side_holds(seed: int, viewer: int) -> None:
    first, answers = played(duel, seed)
    orders = exchanged(first, 1 - viewer, use, random.Random(seed))
    second = played_with(duel, seed, answers, orders, "shuffling")
    assert view(second, viewer) == view(first, viewer)
    others = {c.id for deck in decks_of(first, 1 - viewer) for c in deck.cards}
    for record in view_of(first.log, first.sides[viewer]):
        for id in mentioned(record, others):
            assert first.lain_open[id] <= record["n"]
