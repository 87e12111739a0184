"""The plugin: the nouns `card` and `deck`, the kind `tactic`, the functions, and the laws of cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Function, Kind
from warhost_cards.decks import cards_in
from warhost_cards.functions import FUNCTIONS

TACTIC = Kind(
    "tactic",
    "tactics",
    "a card of the ruleset's own: what is printed on it, and the rules that hold while it is in force",
    bearer="unit",
    fields=(
        Field("value", "number", "its number, for whoever counts", default=0),
        Field("copies", "number", "how often it is in a deck", default=1, counts=True),
        Field("class", "text", "the sort of cards that it belongs to", default=""),
        Field("worth", "number", "what a sensible player thinks of it, for choosing", default=1),
    ),
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`tactic "False Retreat"`."""
    return (TACTIC,)


@hookimpl
def warhost_functions() -> Iterable[Function]:
    """Decks, hands and what is done with them."""
    return FUNCTIONS


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """What a card is."""
    return (Path(__file__).with_name("cards.rules"),)


@hookimpl
def warhost_picture(battle: Any) -> Mapping[str, Any] | None:
    """What lies beside the table: hands, cards laid out, and how large pile and discards are."""
    decks = battle.everyone.get("deck", ())
    return {"beside": [row for deck in decks for row in _rows(battle, deck)]} if decks else None


def _rows(battle: Any, deck: Any) -> Iterator[dict[str, Any]]:
    pile, discards = len(cards_in(deck, "in_pile")), len(cards_in(deck, "in_discards"))
    held, laid = cards_in(deck, "in_hand"), cards_in(deck, "in_play")
    note: str | None = f"{pile} in the pile, {discards} discarded"
    for side in battle.sides:
        hand = [c for c in held if c.holder is side]
        if side is deck.side or hand:
            yield _row(side.id, deck.title, hand, note if side is deck.side else None)
    if deck.side is None or laid:
        yield _row(None, f"{deck.title} on the table", laid, note if deck.side is None else None)


def _row(side: str | None, title: str, cards: list[Any], note: str | None) -> dict[str, Any]:
    items = [{"id": c.id, "name": c.name} for c in cards]
    return {"side": side, "title": title, "items": items, "count": len(items), "note": note}


@hookimpl
def warhost_invariants(battle: Any) -> Iterable[str]:
    """A card is in a hand exactly when somebody holds it there, and no two lie in one layer."""
    found: list[str] = []
    for deck in battle.everyone.get("deck", ()):
        layers: dict[tuple[str, int], Any] = {}
        for card in deck.cards:
            if (card.place == "in_hand") is not (card.holder is not None) and card.place != "in_play":
                found.append(f"{card.id} is {card.place.replace('_', ' ')}, and {card.holder} holds it")
            if card.layer and layers.setdefault((card.place, card.layer), card) is not card:
                found.append(f"{card.id} and {layers[card.place, card.layer].id} lie in the same layer")
    return found
