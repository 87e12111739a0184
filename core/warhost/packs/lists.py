"""Army lists with everything that they take over from those they extend.

A list that `extends` another has its rows, requirements and what it says of the side, and its own besides: rows of the
same profile join, `changes` change many rows at once by what their profiles are. An abstract list is only extended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from warhost.errors import Problem
from warhost.lang.place import Pos
from warhost.packs.data import Element, Profile, bearing_of, joined
from warhost.packs.selecting import Selector, selects
from warhost.packs.spelling import Guesses
from warhost.packs.yaml_source import Map, Seq, problem_at

#: Keys of a list that are its own: they are not taken over from the one that it extends.
OWN = ("id", "kind", "name", "ref", "summary", "extends", "abstract")

#: So many rows are named in a hint.
MOST_ROWS = 8

#: How many lists may extend each other in a chain.
MAX_LINEAGE = 20


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a ruleset: those that an army may name, and those that others build on."""

    usable: Mapping[str, Element]
    abstract: Mapping[str, Element]


def resolve_lists(
    elements: Mapping[str, Element], profiles: Mapping[str, Profile], plurals: Iterable[str]
) -> tuple[Lists, list[Problem]]:
    """The lists with what they take over, and what is wrong with them. plurals: of the kinds (`traits`, ..)."""
    resolving = _ListResolver(elements, profiles, tuple(plurals))
    found = {id_: resolving.element(id_) for id_ in elements}
    usable = {id_: e for id_, e in found.items() if elements[id_].data.get("abstract") is not True}
    abstract = {id_: e for id_, e in found.items() if id_ not in usable}
    return Lists(usable, abstract), list(dict.fromkeys(resolving.problems))


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a list as a selector sees it: its profile, with what the line itself gives."""

    row: Map
    known: Profile | None

    @property
    def profile(self) -> str:
        return str(self.row.get("profile"))

    def field(self, name: str) -> Any:
        given = self.row.get("fields")
        if isinstance(given, Map) and name in given:
            return given[name]
        return self.known.fields.get(name) if self.known is not None else None

    def titles(self, plural: str) -> Collection[str]:
        own = self.row.get(plural)
        bearings = [bearing_of(str(one)) for one in own] if isinstance(own, Seq) else []
        borne = self.known.bears.get(plural, ()) if self.known is not None else ()
        return [one.name for one in (*borne, *bearings) if one is not None]

    @property
    def options(self) -> Collection[str]:
        return ()


@dataclass(slots=True)
class _ListResolver:
    elements: Mapping[str, Element]
    profiles: Mapping[str, Profile]
    plurals: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)
    done: dict[str, Map] = field(default_factory=dict)
    met: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    guesses: Guesses = field(default_factory=Guesses)

    def element(self, id_: str) -> Element:
        own = self.elements[id_]
        if not own.data.keys() & {"extends", "changes"}:
            return own
        return Element(own.kind, id_, self.resolved(id_), own.layer, own.order, own.history)

    def resolved(self, id_: str, below: tuple[str, ...] = ()) -> Map:
        """All of a list's data. below: the lists whose resolving has led here."""
        if id_ not in self.done:
            data = self.elements[id_].data
            parent = self._parent(data, (*below, id_))
            inherited = self.resolved(parent, (*below, id_)) if parent is not None else None
            self.done[id_] = self._built(data, inherited, parent or "")
        return self.done[id_]

    def _parent(self, data: Map, chain: tuple[str, ...]) -> str | None:
        wanted = data.get("extends")
        if not isinstance(wanted, str):
            return None
        pos = data.pos("extends")
        if wanted not in self.elements:
            hint = self.guesses.hint(wanted, lambda: [one for one in self.elements if one not in chain])
            self.problems.append(problem_at(pos, "unknown-list", f'there is no army list "{wanted}" to extend', hint))
            return None
        if wanted in chain:
            around = " -> ".join([*chain[chain.index(wanted) :], wanted])
            self.problems.append(problem_at(pos, "circle", f"army lists extend each other in a circle: {around}"))
            return None
        if len(chain) >= MAX_LINEAGE:
            message = f"army lists extend each other over more than {MAX_LINEAGE} steps"
            self.problems.append(problem_at(pos, "too-large", message))
            return None
        return wanted

    def _built(self, data: Map, parent: Map | None, parent_id: str) -> Map:
        new = Map(data.file, data.line, data.column)
        if parent is not None:
            new.take(parent, [name for name in parent if name not in OWN])
        new.take(data, [name for name in data if name in OWN])
        new = joined(new, data, {"units": "profile"}, self._problem, leaving=OWN, added=data)
        if isinstance(data.get("require"), Seq):
            self._mark_requirements(new, data)
        rows = new.get("units")
        if isinstance(new.get("changes"), Seq) and isinstance(rows, Seq):
            new["units"] = self._changed(rows, new["changes"], data, parent_id)
        return new

    def _problem(self, pos: Pos, code: str, message: str) -> None:
        self.problems.append(problem_at(pos, code, message))

    @staticmethod
    def _mark_requirements(new: Map, data: Map) -> None:
        """A requirement that names no rule of the book implements those of its list."""
        if "ref" not in data:
            return
        own = [id(one) for one in data["require"]]

        def marked(one: Any) -> Any:
            if id(one) in own and isinstance(one, Map) and "ref" not in one:
                one = one.copied()
                one.take(data, ["ref"])
            return one

        new["require"] = new["require"].with_items((marked(one), pos) for one, pos in new["require"].placed())

    # -- changes of many rows

    def _changed(self, rows: Seq, changes: Seq, data: Map, parent: str) -> Seq:
        """The rows after all changes: first the list's own, then those of the lists that it extends, for rows that
        they did not meet there.
        """
        own = [id(one) for one in data.get("changes") or ()]
        order = sorted(range(len(changes)), key=lambda i: id(changes[i]) not in own)
        for i in order:
            change = changes[i]
            if not isinstance(change, Map) or not isinstance(change.get("of"), Map):
                continue
            met = self.met.get((parent, id(change)), frozenset())
            chosen = {n for n in self._chosen(rows, change["of"]) if str(rows[n].get("profile")) not in met}
            if not chosen and rows and id(change) in own:
                known = list(dict.fromkeys(str(row.get("profile")) for row in rows))
                hint = f"its rows are: {', '.join(known[:MOST_ROWS])}{', ..' if known[MOST_ROWS:] else ''}"
                self.problems.append(problem_at(changes.pos(i), "nothing-meant", "no row of this list is meant", hint))
            new = frozenset(str(rows[n].get("profile")) for n in chosen)
            self.met[str(data.get("id")), id(change)] = met | new
            gone = chosen if change.get("remove") is True else set()
            rows = rows.with_items(
                (self._changed_row(row, change) if n in chosen else row, pos)
                for n, (row, pos) in enumerate(rows.placed()) if n not in gone
            )  # fmt: skip
        return rows

    def _chosen(self, rows: Seq, selector: Selector) -> set[int]:
        seen = [(n, _Row(row, self.profiles.get(str(row.get("profile"))))) for n, row in enumerate(rows)]
        return {n for n, row in seen if selects(selector, row)}

    def _changed_row(self, row: Map, change: Map) -> Map:
        leaving = ("of", "remove", "raise")
        new = joined(row, change, {"options": "id"}, self._problem, leaving, added=self.plurals)
        by = change.get("raise")
        limit = new.get("limit")
        if by is not None and isinstance(limit, Map) and limit.get("max") is not None:
            limit = limit.copied()
            limit["max"] = limit["max"] + by
            new["limit"] = limit
        return new
