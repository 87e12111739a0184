"""Terrain: the pieces on the table, and the kind `terrain` whose rules a piece bears."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind

TERRAIN = Kind(
    "terrain",
    "terrains",
    "a type of terrain: what it does to those who cross it, stand in it or look through it",
    bearer="terrain",
    fields=(
        Field("movement", "text", "its class of going, in the ruleset's words", default=""),
        Field("cover", "text", "the cover it gives, in the ruleset's words", default=""),
        Field("class", "text", "the group of terrain it belongs to", default=""),
    ),
    flags=("impassable", "blocks_sight", "open"),
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`terrain Wood`: a piece whose type has a definition of that title bears it."""
    return (TERRAIN,)


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """The noun `terrain` with its type and height, and the numbers that rulesets replace."""
    return (Path(__file__).with_name("terrain.rules"),)
