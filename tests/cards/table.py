"""Battles with cards, and what can be asked of them: who saw which card when, which other hands there could be."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision, Policy
from warhost.packs import Ruleset, load
from warhost_battles.players import RandomPlayer
from warhost_battles.views import view_lines

PARLEY = Path(__file__).parent / "parley"


@cache
def parley() -> Ruleset:
    return load(PARLEY)


class Watched(Battle):
    """A battle that remembers which cards ever lay open, and since when: by id, the length of the log then."""

    def __init__(self, *given: Any, **more: Any) -> None:
        self.lain_open: dict[str, int] = {}
        super().__init__(*given, **more)

    def put_together(self) -> None:
        super().put_together()
        show, reveal = self.show, self.reveal

        def showing(thing: Any, side: Any = None) -> None:
            if side is None:
                self.lain_open.setdefault(thing.id, len(self.log))
            show(thing, side)

        def revealing(what: Any) -> None:
            for thing in what if isinstance(what, list) else [what]:
                self.lain_open.setdefault(thing.id, len(self.log))
            reveal(what)

        self.show, self.reveal = showing, revealing


Made = Callable[[int, Sequence[Policy]], Watched]


def game(seed: int, players: Sequence[Policy]) -> Watched:
    """A battle of the small game of cards."""
    rules = parley()
    armies = [Army.from_data(rules.armies[name].data, rules) for name in ("reds", "blacks")]
    return Watched(rules, armies, seed, players=players)


class Noting:
    """Plays as another does, and remembers the answers."""

    def __init__(self, player: Policy, answers: list[Answer]) -> None:
        self._player, self._answers = player, answers

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        self._answers.append(self._player.decide(decision, battle))
        return self._answers[-1]


class Again:
    """Gives the answers of an earlier battle, one after the other, whatever the options are called."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self._answers = iter(answers)

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        return next(self._answers)


def played(made: Made, seed: int) -> tuple[Watched, list[Answer]]:
    """A battle of players who do anything, and their answers."""
    answers: list[Answer] = []
    battle = made(seed, [Noting(RandomPlayer(seed + i), answers) for i in (1, 2)])
    battle.run()
    return battle, answers


def view(battle: Battle, side: int) -> list[str]:
    """A side's view, line by line as it is written to a file."""
    return [json.dumps(line) for line in view_lines(battle, battle.sides[side], battle.log)]


def decks_of(battle: Battle, side: int) -> list[Any]:
    return [deck for deck in battle.everyone["deck"] if deck.side is battle.sides[side]]


def exchanged(battle: Watched, side: int, alike: Callable[[Any], Any], chance: random.Random) -> dict[str, list[str]]:
    """The decks of a side by id, in another order: only cards that never lay open change places, each with one that is
    alike where the rules do something with it that everybody sees.
    """
    orders = {}
    for deck in decks_of(battle, side):
        order = [c.id for c in deck.cards]
        groups: dict[Any, list[int]] = {}
        for i, card in enumerate(deck.cards):
            if card.id not in battle.lain_open:
                groups.setdefault(alike(card), []).append(i)
        for places in groups.values():
            for a, b in zip(places, chance.sample(places, len(places)), strict=True):
                order[a] = deck.cards[b].id
        orders[deck.id] = order
    return orders


def played_with(made: Made, seed: int, answers: list[Answer], orders: dict[str, list[str]], after: str) -> Watched:
    """The same battle with the same answers, but with decks in other orders from the end of a phase on."""
    again = Again(answers)
    battle = made(seed, [again, again])

    def exchange(_: Battle) -> None:
        if battle.battle.phase == after and battle.battle.turn == 0:
            for id, order in orders.items():
                deck: Any = battle.by_id[id]
                deck.cards[:] = [battle.by_id[card] for card in order]

    battle.on_phase = exchange
    battle.run()
    return battle


def mentioned(value: Any, ids: set[str]) -> Iterator[str]:
    """The ids of a set that a record has anywhere."""
    if isinstance(value, str) and value in ids:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from mentioned(inner, ids)
