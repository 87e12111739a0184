"""What one side may know: the same whatever the other side holds."""

from __future__ import annotations

import json
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cards.table import decks_of, exchanged, game, mentioned, played, played_with, view
from warhost.engine.audience import HIDDEN
from warhost_battles.players import RandomPlayer
from warhost_battles.views import seen_by, view_of

SEEDS = st.integers(0, 10**9)


def playable(card: Any) -> bool:
    """What of a card the small game's rules tell by what they offer."""
    return bool(card.value >= 4)


@settings(max_examples=40)
@given(seed=SEEDS, viewer=st.integers(0, 1))
def test_a_view_is_the_same_whatever_the_other_side_holds(seed: int, viewer: int) -> None:
    first, answers = played(game, seed)
    orders = exchanged(first, 1 - viewer, playable, random.Random(seed))
    second = played_with(game, seed, answers, orders, "preparing")
    assert view(second, viewer) == view(first, viewer)


def test_whose_hand_is_another_sees_another_battle() -> None:
    first, answers = played(game, 3)
    orders = exchanged(first, 1, playable, random.Random(3))
    second = played_with(game, 3, answers, orders, "preparing")
    assert view(second, 1) != view(first, 1)
    assert view(second, 0) == view(first, 0)


@settings(max_examples=40)
@given(seed=SEEDS, viewer=st.integers(0, 1))
def test_no_card_of_the_other_side_is_in_a_view_before_it_lay_open(seed: int, viewer: int) -> None:
    battle, _ = played(game, seed)
    others = {c.id for deck in decks_of(battle, 1 - viewer) for c in deck.cards}
    for record in view_of(battle.log, battle.sides[viewer]):
        for id in mentioned(record, others):
            assert battle.lain_open[id] <= record["n"]


@settings(max_examples=20)
@given(seed=SEEDS)
def test_a_view_holds_no_seed_no_digest_and_no_choice_of_another(seed: int) -> None:
    battle, _ = played(game, seed)
    for viewer, side in enumerate(battle.sides):
        header, *records = [json.loads(line) for line in view(battle, viewer)]
        assert set(header) == {"view", "side", "warhost", "ruleset", "armies", "names", "scenario"}
        assert [r["n"] for r in records] == list(range(len(records)))
        decisions = [r for r in records if r["kind"] == "decision"]
        assert {r["side"] for r in decisions} <= {side.name}
        assert "(secret)" not in [r["answer"] for r in decisions]
        assert not [r for r in records if {"why", "views", "hash", "seed"} & set(r)]
        own = [r for r in battle.log if r["kind"] == "decision" and r["side"] == side.name]
        assert len(own) == len(decisions)


def test_the_umpire_reads_everything_but_what_was_chosen_secretly() -> None:
    battle, _ = played(game, 7)
    assert HIDDEN not in json.dumps([{k: v for k, v in r.items() if k != "views"} for r in battle.log])
    guesses = [r for r in battle.log if r["kind"] == "decision" and r["decision"] == "guess"]
    assert {r["answer"] for r in guesses} == {"(secret)"}
    side = next(s for s in battle.sides if s.name == guesses[0]["side"])
    mine = seen_by(guesses[0], side)
    assert mine is not None
    assert mine["answer"] in ("1", "2", "3")


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_same_seed_gives_the_same_log_views_and_state(seed: int) -> None:
    (first, _), (second, _) = played(game, seed), played(game, seed)
    assert first.log == second.log
    assert first.state_hash() == second.state_hash()


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_laws_of_cards_hold_after_every_phase(seed: int) -> None:
    battle = game(seed, [RandomPlayer(seed + 1), RandomPlayer(seed + 2)])
    broken: list[str] = []
    battle.on_phase = lambda b: broken.extend(b.broken_laws())
    battle.run()
    assert not broken
    for deck in battle.everyone["deck"]:
        places = [[c for c in deck.cards if c.place == p] for p in ("in_pile", "in_hand", "in_play", "in_discards")]
        assert sum(map(len, places)) == len(deck.cards)
        for card in deck.cards:
            knowing = battle.hidden.get(card.id)
            assert card.place != "in_pile" or knowing == ()
            assert card.place != "in_discards" or knowing is None
