"""The units of an army as it is written, and what the rows of army lists give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warhost.packs.data import bearing_of

if TYPE_CHECKING:
    from warhost.packs import Ruleset


@dataclass(frozen=True, slots=True)
class UnitEntry:
    """One unit of an army: a profile, how many figures, and what it takes besides.

    bears: further definitions by kind's plural, from its options (`traits: [Banner]`). points: what the row
    of its list and its options make it cost; None when the row is silent: the ruleset's own number `points` says.
    links: other units of the army, by the field of its state that begins with them. fields: what its list or its
    options put in the place of fields of its profile. free: it costs nothing in this list. instead: titles, by plural,
    that it bears with the values of its list in the place of its profile's.
    """

    id: str
    name: str
    profile: str
    size: int
    options: tuple[str, ...] = ()
    bears: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    points: Any = None
    state: Mapping[str, Any] = field(default_factory=dict)
    place: Mapping[str, Any] | None = None
    links: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    free: bool = False
    instead: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def numbered(names: Sequence[str]) -> list[str]:
    """Names that tell everybody apart: a name that several share is followed by a number, in the order given.

    If it ends in a number already (Spears 1 in both armies), all who bear it with whatever number are numbered anew.
    """
    shared = Counter(names)
    stems = [_stem(name) for name in names]
    doubled = {_stem(name) for name, count in shared.items() if count > 1}
    seen: Counter[str] = Counter()
    found = []
    for name, stem in zip(names, stems, strict=True):
        seen[stem] += 1
        found.append(f"{stem} {seen[stem]}" if stem in doubled else name)
    return found


def _stem(name: str) -> str:
    """A name without the number behind it."""
    words, _, last = name.rpartition(" ")
    return words if words and last.isdecimal() else name


def rows_of(rules: Ruleset, list_id: str) -> dict[str, Mapping[str, Any]]:
    """The rows of an army list by profile."""
    element = rules.lists.get(list_id)
    rows = element.data.get("units", ()) if element is not None else ()
    return {str(r["profile"]): r for r in rows}


def given_by_row(rules: Ruleset, row: Mapping[str, Any] | None) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """What every unit of a row of an army list bears besides its profile, by plural, and the fields that it sets."""
    if row is None:
        return {}, {}
    plurals = (kind.plural for kind in rules.vocabulary.kinds.values())
    bears = {plural: [str(one) for one in row[plural]] for plural in plurals if plural in row}
    return bears, to_plain(row.get("fields", {}))


def titles_with_values(given: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The titles of what a row gives with values, `Steady(2)`: a profile's own with that title has other values."""
    found = {plural: tuple(b.name for b in map(bearing_of, titles) if b and b.args) for plural, titles in given.items()}
    return {plural: titles for plural, titles in found.items() if titles}


def row_for(rules: Ruleset, list_id: str, profile: str) -> Mapping[str, Any] | None:
    """The row of an army list that offers a profile; None when it does not."""
    return rows_of(rules, list_id).get(profile)


def to_plain(value: Any) -> Any:
    """Plain dicts and lists, without positions."""
    if isinstance(value, Mapping):
        return {str(k): to_plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(v) for v in value]
    return value
