"""Magic: the kinds `spell` and `item`, and the event of casting with its window."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind

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
    flags=(
        "persistent", "instant", "summoning", "self", "touch", "anywhere",  # how it lasts, how it reaches
        "on_model", "on_point", "on_spell", "on_terrain",  # what it is aimed at, when that is no unit
        "harmful", "helpful", "grows", "general", "optional",
    ),
    roles=("target", "caster", "giver", "owner"),
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
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`spell Curse`, `item "Ring of Storms" 40 points`."""
    return (SPELL, ITEM)


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """The event of casting."""
    return (Path(__file__).with_name("magic.rules"),)
