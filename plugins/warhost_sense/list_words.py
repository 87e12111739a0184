"""Whether army lists speak of fields and options that there are, in what they require and change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.hookspecs import misfit
from warhost.lang.program import Program
from warhost.packs.selecting import PLACES, selectors_in
from warhost.packs.yaml_source import Map, Seq, maps, problem_at


def problems_in(lists: Iterable[Any], program: Program) -> Iterator[Problem]:
    """What is misspelt in the selectors of lists: fields of units with their values, and ids of options."""
    seen: set[int] = set()
    for element in lists:
        options = {str(one.get("id")) for row in maps(element.data.get("units")) for one in maps(row.get("options"))}
        for key in ("require", "changes"):
            for said in maps(element.data.get(key)):
                if id(said) not in seen:  # what a list takes over is told once
                    seen.add(id(said))
                    for place in PLACES:
                        for selector in selectors_in(said.get(place)):
                            assert isinstance(selector, Map)
                            yield from _selector(selector, program, options)


def _selector(selector: Map, program: Program, options: set[str]) -> Iterator[Problem]:
    given, known = selector.get("fields"), program.nouns["unit"].fields
    fields = given if isinstance(given, Map) else Map()
    for name, value in fields.items():
        if name not in known:
            hint = did_you_mean(name, known)
            yield problem_at(fields.key_pos(name), "unknown-field", f'a unit has no "{name}"', hint)
            continue
        for one in value if isinstance(value, Seq) else [value]:
            sentence = None if isinstance(one, Map) else misfit(program, "unit", name, one)
            if sentence is not None:
                yield problem_at(fields.pos(name), "wrong-type", sentence)
    given = selector.get("options")
    wanted = given if isinstance(given, Seq) else Seq()
    for i, option in enumerate(wanted):
        if options and str(option) not in options:
            hint = did_you_mean(str(option), options)
            yield problem_at(wanted.pos(i), "unknown-option", f'nothing in the list has an option "{option}"', hint)
