"""Magic: the kinds `spell` and `item`, and the event of casting with its window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind

#: What each flag of a spell is for; what it does is said by the rules of a game that ask for it.
SPELL_FLAGS = {
    "persistent": "it stays in force once it is cast",
    "instant": "it does what it does at once, and nothing of it stays",
    "summoning": "it calls somebody or something that was not there",
    "self": "it is cast on the caster",
    "touch": "it reaches whoever the caster is in contact with",
    "anywhere": "it reaches the whole table",
    "on_model": "it is aimed at one model, not at a unit",
    "on_point": "it is aimed at a place",
    "on_spell": "it is aimed at another spell in force",
    "on_terrain": "it is aimed at a piece of terrain",
    "harmful": "it is for enemies",
    "helpful": "it is for friends",
    "grows": "more power makes more of it",
    "general": "it belongs to no one school",
    "optional": "only games that agree on it have it",
}

SPELL = Kind(
    "spell",
    "spells",
    "something that can be cast",
    bearer="unit",
    fields=(
        Field("school", "text", "the school of magic it belongs to", default=""),
        Field("level", "number", "how hard it is to cast", default=0),
        Field("range", "any", "how far it reaches", default=0),
        Field("save", "text", "who may save against it: unit, individual or nobody", default=""),
        Field("target", "text", "what it may be cast on, in words", default=""),
        Field("area", "text", "the type of terrain that it makes, if it makes any", default=""),
        Field("across", "number", "how wide an area it takes in", default=0),
        Field("worth", "number", "what a sensible player thinks of it, for choosing", default=1),
    ),
    flags=tuple(SPELL_FLAGS),
    roles=("target", "caster", "giver", "owner"),
    flag_docs=SPELL_FLAGS,
)

ITEM = Kind(
    "item",
    "items",
    "a thing of power that somebody carries",
    bearer="unit",
    fields=(
        Field("class", "text", "the class of items it belongs to", default=""),
        Field("start", "text", "where it begins", default=""),
    ),
    flags=("pair", "consumed", "bound"),
    flag_docs={"pair": "two that are used together", "consumed": "it is gone once used", "bound": "it holds a spell"},
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`spell Curse`, `item "Ring of Storms" 40 points`."""
    return (SPELL, ITEM)


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """The event of casting."""
    return (Path(__file__).with_name("magic.rules"),)
