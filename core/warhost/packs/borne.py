"""Whether what profiles, army lists and examples let somebody bear has its values, and the right bearer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.lang import ir
from warhost.lang.building_program import fits
from warhost.lang.program import Program
from warhost.lang.types import Type
from warhost.packs.data import Bearing, Profile, read_bearings
from warhost.packs.yaml_source import Map, Seq, maps, problem_at

#: Kinds of type whose values are written as they are.
_PLAIN = {"number", "fraction", "distance", "yes_no", "word"}
#: How the words of a type are called in hints, by its kind.
_SHOWN = {"number": "a number", "fraction": "a number", "distance": "a number", "yes_no": "yes or no", "text": "a text"}


def problems_in(
    profiles: Iterable[Profile], lists: Iterable[Map], examples: Iterable[Map], program: Program
) -> list[Problem]:
    """What is wrong with what is borne: each place once, where it is written. lists, examples: their data."""
    looking = _Looking(program)
    for profile in profiles:
        looking.profile(profile)
    for of_list in lists:
        looking.given(of_list, "side")
        for key in ("units", "changes"):
            for row in maps(of_list.get(key)):
                looking.given(row, "unit")
                for option in maps(row.get("options")):
                    looking.given(option, "unit")
    for example in examples:
        said = example.get("given")
        for side in maps(said.get("sides") if isinstance(said, Map) else None):
            for unit in maps(side.get("units")):
                looking.given(unit, "unit")
    return looking.problems


class _Looking:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.problems: list[Problem] = []
        self.seen: set[int] = set()
        self.by_plural = {kind.plural: kind.name for kind in program.kinds.values()}
        self.parts = _lists_of_parts(program)

    def profile(self, profile: Profile) -> None:
        for plural, bearings in profile.bears.items():
            if id(bearings) not in self.seen:
                self.seen.add(id(bearings))
                self._all(plural, bearings, "unit")
        for name, noun in self.parts.items():
            records = profile.fields.get(name)
            if id(records) not in self.seen:
                self.seen.add(id(records))
                for record in maps(records):
                    self.given(record, noun)

    def given(self, data: Map, bearer: str) -> None:
        """The lists of kinds among other keys."""
        for plural, items in data.items():
            kind = self.program.kinds.get(self.by_plural.get(plural, ""))
            if kind is None or (bearer == "side" and kind.bearer != "side"):  # that is told of the list as a whole
                continue
            if isinstance(items, Seq) and id(items) not in self.seen:
                self.seen.add(id(items))
                self._all(plural, read_bearings(items)[0], bearer)

    def _all(self, plural: str, bearings: Iterable[Bearing], bearer: str) -> None:
        kind = self.by_plural.get(plural)
        for bearing in bearings:
            definition = self.program.definitions.get((kind or "", bearing.name))
            # one of several variants, or a title with brackets
            whole = bool(bearing.args) and (kind, str(bearing)) in self.program.definitions
            if definition is not None and kind is not None and not whole and not definition.variants:
                self._one(kind, bearing, definition.params)
                self._bearer(kind, bearing, definition.bearer, bearer)

    def _one(self, kind: str, bearing: Bearing, params: Sequence[ir.Param]) -> None:
        shown = bearing.name + (f"({', '.join(p.name for p in params)})" if params else "")
        if len(bearing.args) != len(params):
            wants = f"takes {len(params)} value{'s' if len(params) != 1 else ''}" if params else "takes no values"
            message = f'the {kind} "{bearing.name}" {wants}, not {len(bearing.args)}'
            hint = f"write {shown}" + (f", with {self._wanted(params)}" if params else "")
            self.problems.append(problem_at(bearing.pos, "wrong-values", message, hint))
            return
        for value, param in zip(bearing.args, params, strict=True):
            if not _fits(value, param.type, self.program):
                words = self.program.words.get(param.type.name, ())
                message = f'{param.name} of the {kind} "{bearing.name}" cannot be {value}'
                near = did_you_mean(str(value), words) if words else None
                hint = near or f"it is {shown}, with {self._wanted(params)}"
                self.problems.append(problem_at(bearing.pos, "wrong-values", message, hint))
                return

    def _wanted(self, params: Sequence[ir.Param]) -> str:
        return " and ".join(f"{p.name} {self._shown(p.type)}" for p in params)

    def _shown(self, type_: Type) -> str:
        if type_.kind == "word":
            words = self.program.words[type_.name]
            return f"one of {', '.join(words[:6])}{', ..' if words[6:] else ''}"
        return _SHOWN.get(type_.kind, f"a {type_}")

    def _bearer(self, kind: str, bearing: Bearing, wanted: Type, bearer: str) -> None:
        if wanted.kind == "noun" and wanted.name != bearer:
            message = f'a {bearer} cannot bear the {kind} "{bearing.name}": it is for a {wanted.name}'
            where = {"side": "it stands at the margin of an army list", "unit": "profiles, rows and options bear it"}
            hint = where.get(wanted.name, "")
            self.problems.append(problem_at(bearing.pos, "wrong-bearer", message, f"only a {wanted.name} can: {hint}"))


def _lists_of_parts(program: Program) -> Mapping[str, str]:
    """The fields of a unit's profile that list parts of it, each with the noun of the parts."""
    return {
        name: info.type.item.name
        for name, info in program.nouns["unit"].fields.items()
        if info.profile and info.type.item is not None and info.type.item.kind == "noun"
    }


def _fits(value: Any, wanted: Type, program: Program) -> bool:
    """Whether a value in brackets behind a title is of a type."""
    if wanted.kind == "kind":
        return any(title == value and wanted.name in ("", of) for of, title in program.definitions)
    return wanted.kind not in _PLAIN or fits(value, wanted, program.words)
