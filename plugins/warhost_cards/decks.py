"""Decks as the battle holds them: every card is a thing of the battle and knows where it is.

A pile is never shuffled: which card comes is a die with as many sides as the pile has cards, thrown when one is drawn.
That is the same chance, and an example can say which cards come. Only what was laid on top or below has a place in it
(`layer`: above 0 on top, below 0 at the bottom; the rest are in no order).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warhost.errors import RuleFault
from warhost.things import is_gone, noun_of

#: No deck is larger.
MOST_CARDS = 500

#: What everybody may know of a card that is hidden from him.
OPEN = ("deck", "owner", "place", "holder", "layer")

#: Suits in their order, each with its letter, its colour and its rank among cards of one value.
SUITS = (
    ("spades", "S", "black", 4), ("hearts", "H", "red", 3), ("diamonds", "D", "red", 2), ("clubs", "C", "black", 1),
)  # fmt: skip
_NAMES = {1: ("A", "Ace"), 11: ("J", "Jack"), 12: ("Q", "Queen"), 13: ("K", "King")}


def deck_id(side: Any, name: str) -> str:
    """The id of a deck: of a side, or of all (None)."""
    return name if side is None else f"{side.id}.{name}"


def deck_of(battle: Any, side: Any, name: str) -> Any:
    """A side's deck of that name, else the common one; RuleFault when there is neither."""
    for whose in (side, None):
        found = battle.by_id.get(deck_id(whose, name))
        if found is not None and noun_of(found) == "deck":
            return found
    raise RuleFault(f'there is no deck "{name}"' + (f" for {side}" if side is not None else ""))


def own_deck(battle: Any, card: Any) -> Any:
    """The deck to which a card belongs. Raises KeyError when there is no such deck."""
    return battle.by_id[deck_id(card.owner, card.deck)]


def make(battle: Any, side: Any, name: str, of: Any) -> Any:
    """A new deck with all its cards in the pile."""
    rows = list(_standard() if of == "standard" else _own(of))
    if len(rows) > MOST_CARDS:
        raise RuleFault(f'the deck "{name}" would have {len(rows)} cards, and {MOST_CARDS} are the most')
    cards: list[Any] = []
    id_ = deck_id(side, name)
    deck = battle.create("deck", id_, name, title=name, side=side, cards=cards)
    for mark, title, fields in rows:
        about = {**fields, "deck": name, "owner": side, "side": side}
        cards.append(battle.create("card", f"{id_}.{mark}", title, **about))
        conceal(battle, cards[-1])
    return deck


def _standard() -> Iterable[tuple[str, str, dict[str, Any]]]:
    for suit, letter, colour, rank in SUITS:
        for value in range(1, 14):
            face, word = _NAMES.get(value, (str(value), str(value)))
            fields = {
                "face": face, "value": value, "suit": suit, "suit_rank": rank, "colour": colour, "royal": value > 10,
            }  # fmt: skip
            yield f"{face}{letter}", f"{word} of {suit.capitalize()}", fields


def _own(of: Any) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """Cards with a text of their own, each as often as its `copies` say."""
    if not isinstance(of, list):
        raise RuleFault(f'a deck is "standard" or a list of definitions or titles, not "{of}"')
    number = 0
    for one in of:
        title = str(one)
        known = getattr(one, "kind", None) == "tactic"
        fields = {"face": title, "value": one.value if known else 0, "tactic": one if known else None}
        for _ in range(int(one.copies) if known else 1):
            number += 1
            yield str(number), title, fields


# -- where cards are ---------------------------------------------------------------------------------


def cards_in(deck: Any, place: str) -> list[Any]:
    """The cards of a deck that are in a place, in the deck's order."""
    return [c for c in deck.cards if c.place == place and not is_gone(c)]


def conceal(battle: Any, card: Any, *knowing: Any) -> None:
    """Only these sides know which card it is; where it lies everybody sees."""
    battle.hide(card, *knowing, open=OPEN)


def put(battle: Any, card: Any, place: str, holder: Any = None, layer: int = 0) -> None:
    """Put a card into a place, at once: also within a `together`, where dice fall at once, too."""
    card.place, card.holder, card.layer = place, holder, layer
    card.side = holder if holder is not None else card.owner
    battle.version += 1


def next_card(battle: Any, deck: Any) -> Any:
    """The card that comes next; the discards become the pile when it is used up. None when there is none left."""
    pile = cards_in(deck, "in_pile")
    if not pile:
        shuffle_discards(battle, deck)
        pile = cards_in(deck, "in_pile")
    if not pile:
        return None
    above = [c for c in pile if c.layer > 0]
    if above:
        return max(above, key=lambda c: c.layer)
    loose = [c for c in pile if c.layer == 0]
    if loose:
        return loose[battle.dice.pick(len(loose))] if len(loose) > 1 else loose[0]
    return max(pile, key=lambda c: c.layer)


def shuffle_discards(battle: Any, deck: Any) -> None:
    """The discards go into the pile, face down."""
    for card in cards_in(deck, "in_discards"):
        put(battle, card, "in_pile")
        conceal(battle, card)


def topmost(deck: Any, place: str) -> int:
    """The layer of the card that lies on top in a place; 0 when none lies there."""
    return max((c.layer for c in cards_in(deck, place)), default=0)


def lowest(deck: Any, place: str) -> int:
    """The layer of the card that lies at the bottom of a place; 0 when none lies there."""
    return min((c.layer for c in cards_in(deck, place)), default=0)
