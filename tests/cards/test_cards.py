"""Cards as rules see them: the examples of a small game of cards, and what a moment brings back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cards.table import game, parley
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import RuleFault
from warhost_battles.players import RandomPlayer
from warhost_cards.functions import FUNCTIONS
from warhost_proof.examples import run_examples


def test_the_examples_of_the_game_of_cards() -> None:
    results = run_examples(parley())
    assert len(results) >= 13
    assert {r.title: r.failures for r in results if r.failures} == {}


def call(battle: Any, name: str, *given: Any) -> Any:
    return next(f for f in FUNCTIONS if f.name == name).call(battle, *given)


def test_a_moment_brings_decks_and_hands_back() -> None:
    battle = game(5, [RandomPlayer(1), RandomPlayer(2)])
    red = battle.sides[0]
    bare = Checkpoint(battle)
    call(battle, "make_deck", red, "orders")
    fresh, before = Checkpoint(battle), battle.state_hash()
    call(battle, "discard", call(battle, "draw", red, "orders", 5))
    call(battle, "put_on_top", call(battle, "draw", red, "orders", 2))
    assert (call(battle, "pile_size", red, "orders"), battle.state_hash() == before) == (47, False)
    fresh.restore()
    assert len(call(battle, "hand", red, "orders")) == 0
    assert call(battle, "pile_size", red, "orders") == 52
    assert Checkpoint(battle).key() == fresh.key()
    bare.restore()
    call(battle, "make_deck", red, "orders")
    assert Checkpoint(battle).key() == fresh.key()


def test_cards_are_drawn_at_once_also_within_a_together() -> None:
    battle = game(5, [RandomPlayer(1), RandomPlayer(2)])
    red = battle.sides[0]
    call(battle, "make_deck", red, "orders")
    with battle.together():
        drawn = [*call(battle, "draw", red, "orders", 3), *call(battle, "draw", red, "orders", 3)]
    assert len({c.id for c in drawn}) == 6
    assert call(battle, "hand", red, "orders") == [c for c in battle.everyone["card"] if c in drawn]


def test_a_deck_of_titles() -> None:
    battle = game(5, [RandomPlayer(1), RandomPlayer(2)])
    call(battle, "make_deck", None, "winds", ["North", "South", "South"])
    names = [c.name for c in call(battle, "draw", battle.sides[0], "winds", 9)]
    assert sorted(names) == ["North", "South", "South"]
    assert battle.broken_laws() == []


def test_what_is_no_card_stops_the_battle() -> None:
    battle = game(5, [RandomPlayer(1), RandomPlayer(2)])
    unit = battle.everyone["unit"][0]
    for name, given, said in (("discard", [unit], "is no card"), ("discard", [None], "none is no card")):
        with pytest.raises(RuleFault, match=said):
            call(battle, name, *given)
    with pytest.raises(RuleFault, match='not "tarot"'):
        call(battle, "make_deck", battle.sides[0], "orders", "tarot")


def test_every_card_is_known_to_whom_it_should_be() -> None:
    battle = game(5, [RandomPlayer(1), RandomPlayer(2)])
    red, blue = battle.sides
    call(battle, "make_deck", red, "orders")
    (card,) = call(battle, "draw", red, "orders", 1)
    assert (battle.knows(red, card), battle.knows(blue, card)) == (True, False)
    call(battle, "put_on_top", card)
    assert (battle.knows(red, card), battle.knows(blue, card)) == (True, False)
    call(battle, "put_back", card)
    assert (battle.knows(red, card), battle.knows(blue, card)) == (False, False)
