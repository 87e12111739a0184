"""The functions of cards that rules may call."""

from __future__ import annotations

from typing import Any

from warhost.errors import RuleFault
from warhost.things import is_gone, noun_of
from warhost.vocabulary import Function
from warhost.vocabulary import function as _f
from warhost_cards import decks


def _each(cards: Any) -> list[Any]:
    """One card, or several, as a list."""
    found = cards if isinstance(cards, list) else [cards]
    for card in found:
        if noun_of(card) != "card":
            raise RuleFault(f"{'none' if card is None else card} is no card")
    return found


def _make_deck(battle: Any, side: Any, name: str, of: Any = "standard") -> None:
    decks.make(battle, side, name, of)


def _hand(battle: Any, side: Any, deck: str) -> list[Any]:
    return [c for c in decks.cards_in(decks.deck_of(battle, side, deck), "in_hand") if c.holder is side]


def _pile_size(battle: Any, side: Any, deck: str) -> int:
    return len(decks.cards_in(decks.deck_of(battle, side, deck), "in_pile"))


def _discards(battle: Any, side: Any, deck: str) -> list[Any]:
    return sorted(decks.cards_in(decks.deck_of(battle, side, deck), "in_discards"), key=lambda c: c.layer)


def _in_play(battle: Any, side: Any, deck: str) -> list[Any]:
    return sorted(decks.cards_in(decks.deck_of(battle, side, deck), "in_play"), key=lambda c: c.layer)


def _find_card(battle: Any, side: Any, deck: str, name: str) -> Any:
    cards = decks.deck_of(battle, side, deck).cards
    return next((c for c in cards if name in (c.name, c.id.rpartition(".")[2]) and not is_gone(c)), None)


def _draw(battle: Any, side: Any, deck: str, count: int) -> list[Any]:
    found = decks.deck_of(battle, side, deck)
    drawn: list[Any] = []
    while len(drawn) < count and (card := decks.next_card(battle, found)) is not None:
        decks.put(battle, card, "in_hand", side)
        battle.show(card, side)
        drawn.append(card)
    return drawn


def _turn_up(battle: Any, side: Any, deck: str, count: int) -> list[Any]:
    found = decks.deck_of(battle, side, deck)
    turned: list[Any] = []
    while len(turned) < count and (card := decks.next_card(battle, found)) is not None:
        decks.put(battle, card, "in_play", None, decks.topmost(found, "in_play") + 1)
        battle.show(card)
        turned.append(card)
    return turned


def _discard(battle: Any, card: Any, face_down: bool = False) -> None:
    for one in _each(card):
        found = decks.own_deck(battle, one)
        decks.put(battle, one, "in_discards", None, decks.topmost(found, "in_discards") + 1)
        if not face_down:
            battle.show(one)


def _play(battle: Any, card: Any, face_down: bool = False) -> None:
    for one in _each(card):
        found = decks.own_deck(battle, one)
        decks.put(battle, one, "in_play", one.holder, decks.topmost(found, "in_play") + 1)
        if not face_down:
            battle.show(one)


def _take_up(battle: Any, card: Any, side: Any) -> None:
    for one in _each(card):
        decks.put(battle, one, "in_hand", side)
        battle.show(one, side)


def _put_back(battle: Any, card: Any) -> None:
    for one in _each(card):
        decks.put(battle, one, "in_pile")
        decks.conceal(battle, one)


def _put_on_top(battle: Any, card: Any) -> None:
    for one in _each(card):
        decks.put(battle, one, "in_pile", None, max(decks.topmost(decks.own_deck(battle, one), "in_pile"), 0) + 1)


def _put_under(battle: Any, card: Any) -> None:
    for one in _each(card):
        decks.put(battle, one, "in_pile", None, min(decks.lowest(decks.own_deck(battle, one), "in_pile"), 0) - 1)


def _reshuffle(battle: Any, side: Any, deck: str) -> None:
    decks.shuffle_discards(battle, decks.deck_of(battle, side, deck))


_OF = "side: side or none, deck: text"
_CARDS_OF = '"standard" or list of tactic or list of text'
_CARDS = "card: card or list of card or none"  # none stops the battle: whoever finds a card may know that it is there

FUNCTIONS: tuple[Function, ...] = (
    _f(
        "make_deck", f"side: side or none, name: text, of?: {_CARDS_OF}", "any", _make_deck,
        'a new deck: the 52 playing cards ("standard"), or a card for each of a list of definitions or titles; '
        "without a side it is common to all", "creates",
    ),
    _f(
        "draw", "side: side, deck: text, count: number", "list of card", _draw,
        "from the pile into a side's hand; the discards are shuffled and become the pile when it is used up",
        "rolls", "writes",
    ),
    _f(
        "turn_up", f"{_OF}, count: number", "list of card", _turn_up,
        "so many cards from the pile, laid open on the table (discard them or put them back)", "rolls", "writes",
    ),
    _f("hand", "side: side, deck: text", "list of card", _hand, "the cards that a side holds, in the deck's order"),
    _f("pile_size", _OF, "number", _pile_size, "how many cards are left to draw before the discards come back"),
    _f("discards", _OF, "list of card", _discards, "the cards discarded, the latest last"),
    _f("in_play", _OF, "list of card", _in_play, "the cards that lie on the table, the latest last"),
    _f(
        "find_card", f"{_OF}, name: text", "card or none", _find_card,
        'a card of a deck by its name ("7 of Hearts", a title), wherever it is',
    ),
    _f(
        "discard", f"{_CARDS}, face_down?: yes_no", "any", _discard,
        "a card (or a list of them) to the discards of its deck, for all to see unless face down", "writes",
    ),
    _f(
        "play", f"{_CARDS}, face_down?: yes_no", "any", _play,
        "lay a card (or a list of them) on the table, for all to see unless face down", "writes",
    ),
    _f("take_up", f"{_CARDS}, side: side", "any", _take_up, "a card (or a list of them) into a side's hand", "writes"),
    _f("put_back", _CARDS, "any", _put_back, "shuffle a card (or a list of them) into the pile", "writes"),
    _f("put_on_top", _CARDS, "any", _put_on_top, "a card (or a list of them) on top of the pile", "writes"),
    _f("put_under", _CARDS, "any", _put_under, "a card (or a list of them) under the pile", "writes"),
    _f("reshuffle", _OF, "any", _reshuffle, "shuffle the discards into the pile", "writes"),
)  # fmt: skip
