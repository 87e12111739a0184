"""What the YAML files of the layers say together: profiles, tables, army lists, armies, scenarios.

Elements are known by kind and id. A higher layer adds elements, or changes them: `amend: true` changes single
fields, `replace: true` takes an element's place, `remove: true` takes it out. Every value keeps the place of
the file that it came from (Map.pos).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from warhost.errors import Problem
from warhost.lang.place import NOWHERE, Pos
from warhost.packs.layers import HouseConflicts, Layer, LayerChange
from warhost.packs.spelling import Guesses
from warhost.packs.yaml_source import Map, Seq, plain_value, problem_at

CHANGES = ("amend", "replace", "remove")
KINDS = ("profile", "table", "list", "army", "scenario")


@dataclass(frozen=True, slots=True)
class Element:
    """One element from YAML: data as written, without the words amend, replace and remove. order: over all layers."""

    kind: str
    id: str
    data: Map
    layer: Layer
    order: int
    history: tuple[LayerChange, ...]

    @property
    def pos(self) -> Pos:
        """Where it was last defined or replaced."""
        return next((c.pos for c in reversed(self.history) if c.what in ("defined", "replaced")), self.data.here)

    @property
    def name(self) -> str:
        """The name that players read; from the id when none is given."""
        given = self.data.get("name")
        return given if isinstance(given, str) else self.id.replace("_", " ").capitalize()

    @property
    def ref(self) -> tuple[str, ...]:
        """The ids of the rules of the book that it implements."""
        return refs_of(self.data)


def refs_of(data: Map) -> tuple[str, ...]:
    """The ids under `ref`, which may be one or a list."""
    given = data.get("ref")
    if isinstance(given, str):
        return (given,)
    return tuple(one for one in given if isinstance(one, str)) if isinstance(given, list) else ()


@dataclass(frozen=True, slots=True)
class Bearing:
    """One item of a profile's list of a kind: `Skilled(2)`. Arguments are int, Fraction or text."""

    name: str
    args: tuple[int | Fraction | str, ...]
    pos: Pos

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(str, self.args))})" if self.args else self.name


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile with everything that it takes over from those it extends.

    fields: values by name of the field (int, Fraction, text, bool, None, Seq, Map); `fields.pos(name)` says
    where the value stands. bears: the lists of kinds by the plural of the kind. lineage: ids of the profiles
    that it extends, nearest first. pos: where the profile itself stands.
    """

    id: str
    name: str
    abstract: bool
    ref: tuple[str, ...]
    fields: Map
    bears: Mapping[str, tuple[Bearing, ...]]
    lineage: tuple[str, ...]
    layer: Layer
    pos: Pos
    history: tuple[LayerChange, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: cells by a tuple of keys, one for each name in `by`.

    key_types: for each name 'number', 'word' (all keys are names in small letters) or 'text'. never_asked: keys for
    which it has no row, as no rule ever asks it for them.
    """

    id: str
    by: tuple[str, ...]
    key_types: tuple[str, ...]
    cells: Mapping[tuple[Any, ...], Any]
    has_otherwise: bool
    otherwise: Any
    ref: tuple[str, ...]
    rows: Map
    layer: Layer
    pos: Pos
    history: tuple[LayerChange, ...]
    by_pos: Pos = NOWHERE
    never_asked: Mapping[str, Pos] = field(default_factory=dict)

    def key_pos_of(self, keys: Sequence[Any]) -> Pos:
        """Where the last of some keys stands that lead into the table."""
        level: Map = self.rows
        for key in keys[:-1]:
            level = level[key]
        return level.key_pos(keys[-1])

    def pos_of(self, keys: Sequence[Any]) -> Pos:
        """Where the value of these keys stands, as near as there is one."""
        level: Any = self.rows
        found = self.pos
        for key in keys:
            if not isinstance(level, Map) or key not in level:
                break
            found = level.pos(key)
            level = level[key]
        return found


@dataclass(frozen=True, slots=True)
class RawElement:
    """An element as one file gives it. pos: of its id."""

    kind: str
    id: str
    data: Map
    pos: Pos


# -- merging -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _LayeredElement:
    raw: RawElement
    data: Map
    layer: Layer
    history: list[LayerChange]
    alive: bool = True


def merge_data(
    stack: Iterable[tuple[Layer, Sequence[RawElement]]],
) -> tuple[dict[str, dict[str, Element]], list[Problem]]:
    """The elements in force by kind and id, in the order in which they were first defined."""
    merging = _DataMerging()
    for layer, elements in stack:
        for raw in elements:
            merging.add(layer, raw)
    return merging.result(), merging.problems


class _DataMerging:
    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], _LayeredElement] = {}
        self.problems: list[Problem] = []
        self.conflicts = HouseConflicts(self.problems)
        self.guesses = Guesses()

    def add(self, layer: Layer, raw: RawElement) -> None:
        said = [word for word in CHANGES if raw.data.get(word) is True]
        if len(said) > 1:
            message = f"{raw.kind} {raw.id} says both {said[0]} and {said[1]}"
            self._problem(raw.data.key_pos(said[1]), "wrong-change", message)
            return
        key = (raw.kind, raw.id)
        entry = self.entries.get(key)
        known = entry is not None and (entry.alive or (bool(said) and entry.history[-1].layer.kind == "house"))
        if not said:
            self._define(layer, raw, entry)
        elif entry is None or not known:
            message = f"there is no {raw.kind} {raw.id} to {said[0]}"
            hint = self.guesses.hint(raw.id, lambda: self._ids(raw.kind))
            self._problem(raw.pos, "unknown-name", message, hint)
        elif entry.history[-1].layer.index == layer.index and entry.history[-1].what != "amended":
            self._twice(layer, raw, entry)
        else:
            self._change(layer, raw, entry, said[0])

    def result(self) -> dict[str, dict[str, Element]]:
        found: dict[str, dict[str, Element]] = {kind: {} for kind in KINDS}
        for order, ((kind, id_), entry) in enumerate(self.entries.items()):
            if entry.alive:
                history = tuple(entry.history)
                found[kind][id_] = Element(kind, id_, _bare(entry.data), entry.layer, order, history)
        return found

    def _ids(self, kind: str) -> list[str]:
        return [id_ for (one, id_), entry in self.entries.items() if one == kind and entry.alive]

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    def _define(self, layer: Layer, raw: RawElement, entry: _LayeredElement | None) -> None:
        if entry is not None and entry.alive:
            self._twice(layer, raw, entry)
            return
        self.entries[raw.kind, raw.id] = _LayeredElement(raw, raw.data, layer, [LayerChange(layer, "defined", raw.pos)])

    def _twice(self, layer: Layer, raw: RawElement, entry: _LayeredElement) -> None:
        last = entry.history[-1]
        place = f"{last.pos.file}:{last.pos.line}"
        if last.layer.index == layer.index:
            self._problem(
                raw.pos, "defined-twice", f"{raw.kind} {raw.id} stands here for the second time, after {place}",
                f"give one of the two another id than {raw.id}",
            )
            return
        message = f"{raw.kind} {raw.id} is already defined by {entry.layer.label} ({place})"
        hint = "write `amend: true` to change single fields, or `replace: true`"
        self._problem(raw.pos, "defined-twice", message, hint)

    def _change(self, layer: Layer, raw: RawElement, entry: _LayeredElement, what: str) -> None:
        done = {"amend": "amended", "replace": "replaced", "remove": "removed"}[what]
        change = LayerChange(layer, done, raw.pos)
        thing = f"{raw.kind} {raw.id}"
        if what == "amend":
            if not entry.alive:
                last = entry.history[-1]
                message = f"{thing} cannot be amended: {last.layer.label} has removed it"
                self._problem(raw.pos, "unknown-name", message)
                return
            for path, pos in changed_in(entry.data, raw.data, _rows_of(raw.kind)):
                named = " in ".join(f'"{key}"' for key in reversed(path))
                self.conflicts.touch((raw.kind, raw.id, *path), f"{named} of {thing}", change._replace(pos=pos))
            entry.data = self._amended(entry.data, raw)
        else:
            self.conflicts.touch((raw.kind, raw.id), thing, change)
            if what == "replace":
                entry.data, entry.layer = raw.data, layer
            entry.alive = what == "replace"
        entry.history.append(change)

    def _amended(self, data: Map, raw: RawElement) -> Map:
        """The data with the fields of the amendment: mappings join, the units of a list join by profile."""
        new = joined(data, raw.data, _rows_of(raw.kind), self._problem, leaving=CHANGES)
        if raw.kind == "table" and isinstance(new.get("rows"), Map):
            new["rows"] = _in_order(new["rows"])
        return new


def _rows_of(kind: str) -> Mapping[str, str]:
    """The lists in an element of a kind whose items join, each by a key of theirs."""
    return {"units": "profile"} if kind == "list" else {}


#: The keys that lead to something in an element.
KeyPath = tuple[object, ...]


def changed_in(old: Map, change: Map, rows: Mapping[str, str], path: KeyPath = ()) -> Iterator[tuple[KeyPath, Pos]]:
    """What an amendment changes, by the keys that lead there, each with its place: two that change other things of one
    mapping, or other rows, know nothing of each other. rows: as for `joined`.
    """
    for name in change:
        if name in CHANGES:
            continue
        before, value, here, pos = old.get(name), change[name], (*path, name), change.key_pos(name)
        if isinstance(value, Map) and value and (before is None or isinstance(before, Map)):
            yield from changed_in(before or Map(), value, {}, here)
        elif isinstance(value, Seq) and isinstance(before, Seq) and name in rows:
            yield from _changed_rows(before, value, rows[name], here)
        else:
            yield here, pos
            yield from ((one, pos) for one in _leading_to_all(before, here))


def _changed_rows(before: Seq, changes: Seq, key: str, path: KeyPath) -> Iterator[tuple[KeyPath, Pos]]:
    known = {item.get(key): item for item in before if isinstance(item, Map)}
    for i, item in enumerate(changes):
        if not isinstance(item, Map):
            continue
        row = known.get(item.get(key))
        here = (*path, item.get(key))
        if row is None or item.get("remove") is True:
            yield here, changes.pos(i)
            yield from ((one, changes.pos(i)) for one in _leading_to_all(row, here))
        rest = item.copied([name for name in item if name != key])
        yield from changed_in(row or Map(), rest, {"options": "id"}, here)


def _leading_to_all(value: object, path: KeyPath) -> Iterator[KeyPath]:
    """The keys that lead to each part of a value."""
    for name in value if isinstance(value, Map) else ():
        yield (*path, name)
        yield from _leading_to_all(value[name], (*path, name))  # type: ignore[index]


def _in_order(rows: Map) -> Map:
    """The rows of a table, those with numbers for keys by them: where a row belongs that was added."""
    if not all(isinstance(key, int | Fraction) for key in rows):
        return rows
    return rows.copied(sorted(rows))


Report = Callable[[Pos, str, str], None]


def joined_rows(old: Seq, changes: Seq, key: str, report: Report) -> Seq:
    """Items that name the same profile (or option) are amended or, with `remove: true`, left out; others added.

    report is told what cannot be removed.
    """
    items: list[tuple[Any, Pos] | None] = list(old.placed())
    places: dict[Any, list[int]] = {}
    for i, item in enumerate(old):
        if isinstance(item, Map) and isinstance(item.get(key), str):
            places.setdefault(item[key], []).append(i)
    for i, change in enumerate(changes):
        if not isinstance(change, Map) or not isinstance(change.get(key), str):
            continue
        at = places.get(change[key], [])
        if not at and change.get("remove") is True:
            report(changes.pos(i), "unknown-name", f"there is no {key} {change[key]} to remove")
        elif not at:
            items.append((change, changes.pos(i)))
        for n in at:
            before = items[n]
            gone = before is None or change.get("remove") is True
            if gone or before is None:
                items[n] = None
            else:
                items[n] = (joined(before[0], change, {"options": "id"}, report), before[1])
    return old.with_items(pair for pair in items if pair is not None)


def joined(
    old: Map, change: Map, rows: Mapping[str, str], report: Report, leaving: Collection[str] = (),
    added: Collection[str] = (),
) -> Map:  # fmt: skip
    """A mapping with the values of another; mappings in it join in the same way.

    rows: the lists whose items join by a key of theirs; added: those that stand one behind the other; leaving: keys of
    the change that are not taken.
    """
    new = old.copied()
    for name in [name for name in change if name not in leaving]:
        before, value = old.get(name), change[name]
        new.take(change, [name])
        if isinstance(before, Seq) and isinstance(value, Seq) and name in rows:
            new[name] = joined_rows(before, value, rows[name], report)
        elif isinstance(before, Seq) and isinstance(value, Seq) and name in added:
            new[name] = before.with_items([*before.placed(), *value.placed()])
        elif isinstance(before, Map) and isinstance(value, Map):
            new[name] = joined(before, value, {}, report)
    return new


def _bare(data: Map) -> Map:
    changes = any(word in data for word in CHANGES)
    return data.copied([name for name in data if name not in CHANGES]) if changes else data


# -- profiles ----------------------------------------------------------------------------------

_OWN = ("name", "ref", "extends", "abstract")
MAX_LINEAGE = 50
MAX_TAKEN_OVER = 500_000


def resolve_profiles(
    elements: Mapping[str, Element], plurals: Iterable[str]
) -> tuple[dict[str, Profile], list[Problem], set[str]]:
    """Profiles with what they take over, and the ids of those that miss some of it. plurals: the names of the
    lists of kinds (`traits`, ..).
    """
    resolving = _ProfileResolver(elements, tuple(plurals))
    found = {id_: resolving.profile(id_) for id_ in elements}
    return found, resolving.problems, resolving.tainted


@dataclass(slots=True)
class _ProfileResolver:
    elements: Mapping[str, Element]
    plurals: tuple[str, ...]
    problems: list[Problem] = field(default_factory=list)
    done: dict[str, tuple[Map, tuple[str, ...]]] = field(default_factory=dict)
    bearings: dict[int, tuple[Seq, tuple[Bearing, ...]]] = field(default_factory=dict)
    complained: set[Pos] = field(default_factory=set)
    tainted: set[str] = field(default_factory=set)
    guesses: Guesses = field(default_factory=Guesses)
    taken_over: int = 0
    too_much: bool = False

    def profile(self, id_: str) -> Profile:
        element = self.elements[id_]
        everything, lineage = self.resolved(id_)
        bears = {plural: self._bearings(everything, plural) for plural in self.plurals if plural in everything}
        fields = Map(element.data.file, element.data.line, element.data.column)
        fields.take(everything, [name for name in everything if name not in bears])
        abstract = element.data.get("abstract") is True
        return Profile(
            id_,
            element.name,
            abstract,
            element.ref,
            fields,
            bears,
            lineage,
            element.layer,
            element.pos,
            element.history,
        )

    def resolved(self, id_: str) -> tuple[Map, tuple[str, ...]]:
        """All fields and the lineage. A loop instead of recursion, since chains may be long."""
        chain: dict[str, None] = {}
        at: str | None = id_
        while at is not None and at not in self.done:
            if at in chain:
                names = list(chain)
                self._cycle(names[names.index(at) :])
                self.tainted.add(at)
                break
            chain[at] = None
            at = self._parent(at)
        for one in reversed(chain):
            parent = self._parent(one, quiet=True)
            below, lineage = self.done.get(parent, (None, ())) if parent else (None, ())
            own = self.elements[one].data
            fields = Map(own.file, own.line, own.column)
            if below is not None and self._affordable(one, below, lineage):
                fields.take(below, below)
            fields.take(own, [name for name in own if name not in _OWN])
            if parent in self.tainted:
                self.tainted.add(one)
            whole = parent is not None and below is not None and one not in self.tainted
            self.done[one] = (fields, (parent, *lineage) if whole and parent else ())
        return self.done[id_]

    def _affordable(self, id_: str, below: Map, lineage: tuple[str, ...]) -> bool:
        """Whether a profile may take over what lies below it: chains and the whole have their limits."""
        self.taken_over += len(below) + len(lineage)
        if len(lineage) < MAX_LINEAGE and self.taken_over <= MAX_TAKEN_OVER:
            return True
        if not self.too_much:
            data = self.elements[id_].data
            message = f"profiles extend each other over more than {MAX_LINEAGE} steps"
            if len(lineage) < MAX_LINEAGE:
                message = f"profiles take over more than {MAX_TAKEN_OVER} fields in all"
            self.problems.append(problem_at(data.pos("extends"), "too-large", message))
        self.too_much = True
        self.tainted.add(id_)
        return False

    def _parent(self, id_: str, quiet: bool = False) -> str | None:
        data = self.elements[id_].data
        parent = data.get("extends")
        if not isinstance(parent, str):
            return None
        if parent in self.elements:
            return parent
        if not quiet:
            others = [name for name in self.elements if name != id_]
            hint = self.guesses.hint(parent, lambda: others) or f"there is {', '.join(others[:12])}"
            self.tainted.add(id_)
            message = f'there is no profile "{parent}" to extend'
            self.problems.append(problem_at(data.pos("extends"), "unknown-profile", message, hint))
        return None

    def _cycle(self, chain: list[str]) -> None:
        data = self.elements[chain[0]].data
        around = [*chain[:8], ".."] if len(chain) > 8 else chain
        message = f"profiles extend each other in a circle: {' -> '.join([*around, chain[0]])}"
        hint = f"one of them must extend none of the others: {', '.join(around)}"
        self.problems.append(problem_at(data.pos("extends"), "circle", message, hint))

    def _bearings(self, data: Map, plural: str) -> tuple[Bearing, ...]:
        given = data[plural]
        if not isinstance(given, Seq):
            pos = data.pos(plural)
            if pos not in self.complained:
                self.complained.add(pos)
                self.problems.append(no_list(data, plural))
            return ()
        if id(given) not in self.bearings:
            found, problems = read_bearings(given)
            self.problems.extend(problems)
            self.bearings[id(given)] = (given, found)
        return self.bearings[id(given)][1]


def no_list(data: Map, plural: str) -> Problem:
    """What is told of a list of a kind that is none: `traits: Brave`."""
    given = data[plural]
    hint = f"write {plural}: [] for none"
    if isinstance(given, str):
        hint = f"write {plural}: [{given if not set(given) & set('[]{}') else '..'}]"
    return problem_at(data.pos(plural), "wrong-type", f'"{plural}" must be a list', hint)


_BEARING = re.compile(r"(?P<name>[^()]+?)\s*(?:\((?P<args>[^()]*)\))?")


def read_bearings(items: Seq) -> tuple[tuple[Bearing, ...], list[Problem]]:
    """The items of a list of a kind: `Name`, `Name(2)` or `{name: Skilled, args: [2]}`."""
    found: list[Bearing] = []
    problems: list[Problem] = []
    for i, item in enumerate(items):
        pos = items.pos(i)
        bearing = _bearing(item, pos)
        if bearing is None:
            hint = "write Name, Name(2) or {name: Name, args: [2]}"
            problems.append(problem_at(pos, "wrong-value", "this names nothing that could be borne", hint))
        else:
            found.append(bearing)
    return tuple(found), problems


def bearing_of(text: str) -> Bearing | None:
    """`Skilled(2)` as a bearing, from text without a place; None when it names nothing."""
    return _bearing(text, NOWHERE)


def _bearing(item: Any, pos: Pos) -> Bearing | None:
    if isinstance(item, Map):
        name, args = item.get("name"), item.get("args", [])
        simple = isinstance(args, list) and all(isinstance(a, int | Fraction | str) for a in args)
        if isinstance(name, str) and simple and set(item) <= {"name", "args"}:
            return Bearing(name, tuple(args), pos)
        return None
    if not isinstance(item, str):
        return None
    text = item.strip()
    match = _BEARING.fullmatch(text)
    if match is None:
        return None
    args = match["args"]
    given = [plain_value(part.strip()) for part in args.split(",")] if args and args.strip() else []
    if any(not isinstance(a, int | Fraction | str) or a == "" for a in given):
        return None
    return Bearing(match["name"].strip(), tuple(given), pos)


# -- tables ------------------------------------------------------------------------------------

_A_WORD = re.compile(r"[a-z][a-z0-9_]*")


def read_table(element: Element) -> tuple[DataTable, list[Problem]]:
    """A table with its cells; rows that are too deep or too shallow are problems."""
    data = element.data
    by = tuple(str(name) for name in data.get("by") or ())
    rows = data.get("rows")
    rows = rows if isinstance(rows, Map) else Map(data.file, data.line, data.column)
    cells: dict[tuple[Any, ...], Any] = {}
    problems: list[Problem] = []
    keys: list[dict[Any, Pos]] = [{} for _ in by]
    _collect(rows, (), by, cells, keys, problems)
    types = tuple(_key_type(element.id, name, found, problems) for name, found in zip(by, keys, strict=True))
    never = data.get("never_asked")
    table = DataTable(
        element.id, by, types, cells, "otherwise" in data, data.get("otherwise"), element.ref, rows,
        element.layer, element.pos, element.history, data.pos("by") if "by" in data else element.pos,
        {str(key): pos for key, pos in never.placed()} if isinstance(never, Seq) else {},
    )  # fmt: skip
    return table, problems


def _collect(
    level: Map,
    path: tuple[Any, ...],
    by: tuple[str, ...],
    cells: dict[tuple[Any, ...], Any],
    keys: list[dict[Any, Pos]],
    problems: list[Problem],
) -> None:
    depth = len(path)
    for key, value in level.items():
        keys[depth].setdefault(key, level.key_pos(key))
        last = depth + 1 == len(by)
        if last and isinstance(value, dict | list):
            what = "a mapping" if isinstance(value, dict) else "a list"
            message = f"a value was expected for {by[depth]} {key}, not {what}"
            problems.append(problem_at(level.pos(key), "wrong-table", message, f"the table is by {', '.join(by)}"))
        elif last:
            cells[(*path, key)] = value
        elif isinstance(value, Map):
            _collect(value, (*path, key), by, cells, keys, problems)
        else:
            message = f"{by[depth]} {key} must hold a row for each {by[depth + 1]}"
            problems.append(problem_at(level.pos(key), "wrong-table", message))


def _key_type(table: str, name: str, keys: Mapping[Any, Pos], problems: list[Problem]) -> str:
    numbers = [key for key in keys if not isinstance(key, str)]
    if numbers and len(numbers) == len(keys):
        return "number"
    if numbers:
        other = next(key for key in keys if isinstance(key, str))
        message = f'"{name}" of table {table} has numbers and words as keys ({numbers[0]} and {other})'
        problems.append(problem_at(keys[other], "wrong-table", message, "use one kind of key"))
    return "word" if all(_A_WORD.fullmatch(str(key)) for key in keys) else "text"


_SECTIONS = {"profiles": "profile", "tables": "table", "lists": "list", "armies": "army", "scenarios": "scenario"}


def raw_elements(kind: str, data: Map) -> list[RawElement]:
    """The elements of one YAML file."""
    if kind in ("army", "scenario"):
        what = str(data.get("kind")) if kind == "army" else "scenario"
        id_ = data.get("id")
        known = what in ("list", "army", "scenario")
        return [RawElement(what, id_, data, data.pos("id"))] if known and isinstance(id_, str) else []
    found: list[RawElement] = []
    for section, what in _SECTIONS.items():
        group = data.get(section)
        if isinstance(group, Map):
            for id_, element in group.items():
                if isinstance(element, Map):
                    found.append(RawElement(what, str(id_), element, group.key_pos(id_)))
    return found
