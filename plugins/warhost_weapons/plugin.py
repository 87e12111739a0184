"""What a figure fights with and what protects it: the kinds `weapon` and `armour`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind

WEAPON = Kind(
    "weapon",
    "weapons",
    "something to fight with, near or far",
    bearer="unit",
    fields=(
        Field("hands", "number", "how many hands it takes", default=1),
        Field("range", "distance", "how far it reaches; 0 for close fighting", default=0),
        Field("strength", "number", "how hard it hits, where the rules ask", default=0),
        Field("damage", "number", "how much one hit takes, where the rules ask", default=1),
        Field("class", "text", "the class of weapons it belongs to", default=""),
    ),
    flags=("two_handed", "foot_only", "mounted_only", "magical", "artillery"),
)

ARMOUR = Kind(
    "armour",
    "armours",
    "something that protects its wearer",
    bearer="unit",
    fields=(
        Field("value", "number", "what it adds or gives", default=0),
        Field("weight", "text", "its class of encumbrance", default=""),
    ),
    flags=("shield", "magical", "fixed"),
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`weapon Spear`, `armour Shield`: a unit bears any number of them."""
    return (WEAPON, ARMOUR)
