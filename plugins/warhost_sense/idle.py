"""Data that do nothing: changes that change nothing, and options of army lists that give nothing."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem
from warhost.packs.checks import RulesetToCheck
from warhost.packs.data import raw_elements
from warhost.packs.yaml_source import Map, maps, problem_at

_CALLED = {"amend", "id", "kind", "ref", "reads"}


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """`amend` without anything to change, and options that have a name and neither a price nor anything else."""
    for source in read.sources:
        for file, parsed in source.data("profiles", "army", "scenario", "house"):
            for raw in raw_elements(file.kind, parsed.data) if isinstance(parsed.data, Map) else ():
                if raw.data.get("amend") is True and not raw.data.keys() - _CALLED:
                    message = f"this amends {raw.kind} {raw.id} and changes nothing of it"
                    yield problem_at(raw.pos, "unused", message, "say what is otherwise, or take it out")
                if raw.kind == "list":
                    yield from _options(raw.data)


def _options(data: Map) -> Iterator[Problem]:
    for row in maps(data.get("units")):
        for option in maps(row.get("options")):
            if "id" in option and not option.keys() - {"id", "name", "ref", "reads"}:
                message = f'the option "{option["id"]}" gives nothing, and costs nothing'
                hint = "say what it gives, as in: traits: [..], and points: .. if it has a price"
                yield problem_at(option.pos("id"), "unused", message, hint)
