"""What a plugin may ask of the things of a battle besides the fields that rules declare (those are plain attributes).

    from warhost.things import is_gone, noun_of

    if noun_of(thing) == "unit" and not is_gone(thing):
        ...
"""

from __future__ import annotations

from typing import Any


def noun_of(thing: Any) -> str:
    """The noun of a thing: `unit`, `terrain`, `side`, or what a plugin's own values call themselves."""
    noun: str = thing._noun
    return noun


def is_gone(thing: Any) -> bool:
    """Whether a thing has left the battle for good."""
    gone: bool = thing._gone
    return gone


def is_placed(thing: Any) -> bool:
    """Whether a thing has a place on the board. Board plugins say so, with `set_placed`."""
    placed: bool = thing._placed
    return placed


def set_placed(thing: Any, placed: bool) -> None:
    """Say whether a thing has a place. It is for the plugin that owns the board."""
    thing._placed = placed


def given_place(unit: Any) -> Any:
    """The place that an army, a battle or an example gives a unit, as it is written there; None if it gives none."""
    return unit._place


def order_of(thing: Any) -> int:
    """When a thing was made: the first of a battle is 1. It decides every order that nothing else decides."""
    order: int = thing._index
    return order
