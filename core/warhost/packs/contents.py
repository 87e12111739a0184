"""What a ruleset's files say, layer laid over layer: its data, examples, battles, the index of its book."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warhost.lang.place import Pos
from warhost.packs.data import DataTable, Element, Profile
from warhost.packs.layers import Layer
from warhost.packs.yaml_source import Map


@dataclass(frozen=True, slots=True)
class Example:
    """A situation with given dice and what must come of it. data as written; `when` is text of the rules language."""

    title: str
    ref: tuple[str, ...]
    data: Map
    layer: Layer
    pos: Pos


@dataclass(frozen=True, slots=True)
class BookRule:
    """One line of the index of the printed book. ruled_out: why it is not implemented, or None. worked: an example
    with figures that the book prints. not_played, not_proved: why no battle comes to it, why no example can show it.
    """

    id: str
    title: str
    chapter: str
    ruled_out: str | None
    pos: Pos
    worked: bool = False
    not_played: str | None = None
    not_proved: str | None = None


@dataclass(frozen=True, slots=True)
class HouseRuleOffer:
    """A house rule that the ruleset offers. refs: the rules of the book that it implements."""

    id: str
    title: str
    reads: str
    path: Path
    refs: tuple[str, ...]
    pos: Pos


@dataclass(frozen=True, slots=True)
class BattleFile:
    """A bundled battle file by the name of its file."""

    id: str
    data: Map
    path: Path
    layer: Layer


@dataclass(frozen=True, slots=True)
class RulesData:
    """What the YAML files say, for the checker and the engine. profiles and lists have the abstract ones apart."""

    length_unit: str
    profiles: Mapping[str, Profile]
    abstract_profiles: Mapping[str, Profile]
    tables: Mapping[str, DataTable]
    lists: Mapping[str, Element]
    abstract_lists: Mapping[str, Element]
    armies: Mapping[str, Element]
    scenarios: Mapping[str, Element]
    examples: Sequence[Example]


def seats_said(sides: Any) -> tuple[int, int] | None:
    """For how many sides something is, least and most, as its key `sides` says; None where that makes no sense."""
    if isinstance(sides, int) and not isinstance(sides, bool):
        return sides, sides
    if isinstance(sides, list) and len(sides) == 2 and all(isinstance(n, int) for n in sides) and sides[0] <= sides[1]:
        return sides[0], sides[1]
    return None
