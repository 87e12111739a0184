"""What one side may know: the same whatever the other side holds."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cards.table import Again, Noting, game
from warhost.engine.audience import HIDDEN, seen_by, view_of
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, RandomPlayer
from warhost.engine.views import view_lines

SEEDS = st.integers(0, 10**9)


class Watched(Battle):
    """A battle that remembers which cards ever lay open, and when: by id, the length of the log then."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.lain_open: dict[str, int] = {}
        super().__init__(*given, **more)

    def show(self, thing: Any, side: Any = None) -> None:
        if side is None:
            self.lain_open.setdefault(thing.id, len(self.log))
        super().show(thing, side)


def view(battle: Battle, side: int) -> list[str]:
    """A side's view, line by line as it is written to a file."""
    return [json.dumps(line) for line in view_lines(battle, battle.sides[side], battle.log)]


def played(seed: int) -> tuple[Watched, list[Answer]]:
    answers: list[Answer] = []
    players = [Noting(RandomPlayer(seed + i), answers) for i in (1, 2)]
    battle = game(seed, players, Watched)
    battle.run()
    assert isinstance(battle, Watched)
    return battle, answers


def cards_of(battle: Battle, side: int) -> list[Any]:
    return [c for deck in battle.everyone["deck"] if deck.side is battle.sides[side] for c in deck.cards]


def exchanged(battle: Watched, side: int, chance: random.Random) -> dict[str, list[str]]:
    """Decks of a side by id, in another order: only cards that never lay open change places, and only with those that
    the rules treat alike where anybody could see it (what may be played, what may not).
    """
    orders = {}
    for deck in battle.everyone["deck"]:
        if deck.side is not battle.sides[side]:
            continue
        order = [c.id for c in deck.cards]
        groups: dict[bool, list[int]] = {}
        for i, card in enumerate(deck.cards):
            if card.id not in battle.lain_open:
                groups.setdefault(card.value >= 4, []).append(i)
        for places in groups.values():
            for a, b in zip(places, chance.sample(places, len(places)), strict=True):
                order[a] = deck.cards[b].id
        orders[deck.id] = order
    return orders


@settings(max_examples=40)
@given(seed=SEEDS, viewer=st.integers(0, 1))
def test_a_view_is_the_same_whatever_the_other_side_holds(seed: int, viewer: int) -> None:
    first, answers = played(seed)
    orders = exchanged(first, 1 - viewer, random.Random(seed))
    shared = Again(answers)
    second = game(seed, [shared, shared], Watched)

    def exchange(battle: Battle) -> None:
        if battle.battle.phase == "preparing":
            for id, order in orders.items():
                battle.by_id[id].cards[:] = [battle.by_id[card] for card in order]  # type: ignore[attr-defined]

    second.on_phase = exchange
    second.run()
    assert view(second, viewer) == view(first, viewer)
    assert any(moved != [c.id for c in first.entity(id).cards] for id, moved in orders.items())


@settings(max_examples=40)
@given(seed=SEEDS, viewer=st.integers(0, 1))
def test_no_card_of_the_other_side_is_in_a_view_before_it_lay_open(seed: int, viewer: int) -> None:
    battle, _ = played(seed)
    others = {c.id for c in cards_of(battle, 1 - viewer)}
    for record in view_of(battle.log, battle.sides[viewer]):
        for id in mentioned(record, others):
            assert battle.lain_open[id] <= record["n"]


def mentioned(value: Any, ids: set[str]) -> Iterator[str]:
    if isinstance(value, str) and value in ids:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mentioned(inner, ids)


@settings(max_examples=20)
@given(seed=SEEDS)
def test_a_view_holds_no_seed_no_digest_and_no_choice_of_another(seed: int) -> None:
    battle, _ = played(seed)
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
    battle, _ = played(7)
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
    (first, _), (second, _) = played(seed), played(seed)
    assert first.log == second.log
    assert first.state_hash() == second.state_hash()


@settings(max_examples=25)
@given(seed=SEEDS)
def test_the_laws_of_cards_hold_after_every_phase(seed: int) -> None:
    battle = game(seed)
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
