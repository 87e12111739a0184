"""Data that do nothing: changes that change nothing, options of army lists that give nothing, two rows of one name."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from warhost.errors import Problem
from warhost.packs.checks import RulesetToCheck
from warhost.packs.contents import RulesData
from warhost.packs.data import RawElement, raw_elements
from warhost.packs.selecting import PLACES, selectors_in
from warhost.packs.yaml_source import Map, Seq, maps, problem_at

_CALLED = {"amend", "id", "kind", "ref", "reads"}

#: Figures, texts, yes and no, by the key under which an element has them.
_Plain = dict[str, Any]


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """What is written, in every layer, and makes no difference."""
    below: dict[tuple[str, str], _Plain] = {}
    asked: set[str] = set()
    raws = [raw for source in read.sources for raw in _raws(source)]
    for raw in raws:
        asked |= set(_options_asked_for(raw.data)) if raw.kind == "list" else set()
    for raw in raws:
        if raw.data.get("amend") is True:
            yield from _amended_in_vain(raw, below.get((raw.kind, raw.id), {}))
        below.setdefault((raw.kind, raw.id), {}).update(_plain(raw.data))
        if raw.kind == "list":
            yield from _options(raw.data, asked)
            yield from _changes(raw.data)
    if read.contents is not None:
        yield from _same_names(read.contents.data)


def _raws(source: Any) -> Iterator[RawElement]:
    for file, parsed in source.data("profiles", "army", "scenario", "house"):
        yield from raw_elements(file.kind, parsed.data) if isinstance(parsed.data, Map) else ()


def _plain(data: Map) -> _Plain:
    return {str(key): data[key] for key in data if not isinstance(data[key], Map | Seq)}


def _amended_in_vain(raw: RawElement, before: _Plain) -> Iterator[Problem]:
    """`amend` without anything to change, and what is as it was in the layers below."""
    if not raw.data.keys() - _CALLED:
        message = f"this amends {raw.kind} {raw.id} and changes nothing of it"
        yield problem_at(raw.pos, "unused", message, "say what is otherwise, or take it out")
    for key, value in _plain(raw.data).items():
        if key not in _CALLED and key in before and before[key] == value:
            said = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
            message = f'"{key}" of {raw.kind} {raw.id} is {said} already'
            yield problem_at(raw.data.key_pos(key), "unused", message, "say what is otherwise, or take it out")


def _options(data: Map, asked: Collection[str]) -> Iterator[Problem]:
    """Options that give nothing: of those with a price one may be asked for, or say in words what it is for."""
    for row in maps(data.get("units")):
        for option in maps(row.get("options")):
            said = option.keys() - {"id", "name", "ref"}
            if "id" not in option or option.get("remove") is True:
                continue
            if not said - {"reads"}:
                message = f'the option "{option["id"]}" gives nothing, and costs nothing'
                hint = "say what it gives, as in: traits: [..], and points: .. if it has a price"
                yield problem_at(option.pos("id"), "unused", message, hint)
            elif "name" in option and not said - {"points", "flat", "limit"} and option["id"] not in asked:
                hint = "say what it gives, as in: traits: [..]; or what it is for in words, reads: .."
                yield problem_at(option.pos("id"), "unused", f'the option "{option["id"]}" gives nothing', hint)


def _options_asked_for(data: Map) -> Iterator[str]:
    """The ids of options that a list's requirements and changes speak of."""
    for key in ("require", "changes"):
        for said in maps(data.get(key)):
            for place in PLACES:
                for selector in selectors_in(said.get(place)):
                    given = selector.get("options")
                    yield from map(str, given if isinstance(given, Seq) else ())


def _changes(data: Map) -> Iterator[Problem]:
    for change in maps(data.get("changes")):
        if change.keys() <= {"of", "ref"} and "of" in change:
            hint = "say what becomes of its rows, as in: limit: {max: 2}, options: [..], remove: true"
            yield problem_at(change.key_pos("of"), "unused", "this changes nothing", hint)


def _same_names(data: RulesData) -> Iterator[Problem]:
    """Rows of two profiles that are called the same; a row may have a name of its own. Told of one list only."""
    told: set[str] = set()
    for element in (*data.lists.values(), *data.abstract_lists.values()):
        names: dict[str, str] = {}
        for row in maps(element.data.get("units")):
            profile = data.profiles.get(str(row.get("profile")))
            if profile is None or "name" in row:
                continue
            other = names.setdefault(profile.name, profile.id)
            if other != profile.id and profile.id not in told:
                told.add(profile.id)
                message = f'"{profile.id}" and "{other}" of one list are both called "{profile.name}"'
                hint = f"give one of the two profiles another name: {profile.id}: {{name: ..}}"
                yield problem_at(row.pos("profile"), "twice", message, hint)
