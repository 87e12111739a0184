"""The names in YAML files: what they define, and what of the rules and of other files they name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from warhost.lang.place import Pos
from warhost.lang.program import FieldInfo
from warhost.packs.project import ReadFile
from warhost.packs.yaml_source import Map, Seq
from warhost_lsp.meanings import Meanings, Thing, Use

#: Keys whose value, or each of whose values, is the id of an element, with the sort of the element.
_IDS = {
    "profile": "profile", "profiles": "profile", "list": "army list", "army": "army", "armies": "army",
    "scenario": "scenario",
}  # fmt: skip
#: What an id defines, by the key under which files have elements by their ids.
_SECTIONS = {"profiles": "profile", "tables": "table", "lists": "army list", "armies": "army", "scenarios": "scenario"}
#: Keys of an example whose keys and values are text of the rules language.
_RULES = frozenset({"when", "then"})
#: Sections of a manifest that name parts of the rules.
_TOOLS = frozenset({"price", "roster", "odds", "picture"})
#: Keys whose text is for people.
_PROSE = frozenset({"title", "name", "summary", "reads", "note", "why", "message", "text", "log contains"})

_WORD = re.compile(r'"[^"\n]*"|[A-Za-z_]\w*')


def data_uses(file: ReadFile, meanings: Meanings) -> list[Use]:
    """Every name in a YAML file that means something, in the order of the text."""
    found = {(use.pos.line, use.pos.column): use for use in _DataReader(file, meanings).uses()}
    return [found[place] for place in sorted(found)]


class _DataReader:
    def __init__(self, file: ReadFile, meanings: Meanings) -> None:
        self.file, self.meanings = file, meanings
        self.lines = file.text.split("\n")
        self.plurals: Mapping[str, str] = meanings.symbols.kind_plurals

    def uses(self) -> Iterator[Use]:
        data = getattr(self.file.parsed, "data", None)
        kind = self.file.kind
        if kind == "rulebook":
            for row in data if isinstance(data, Seq) else ():
                if isinstance(row, Map):
                    yield from self._value(row, "id", "rule of the book", declares=True)
            return
        if isinstance(data, Seq):
            for one in data:
                yield from self._map(one) if isinstance(one, Map) else ()
        elif isinstance(data, Map):
            if kind in ("army", "scenario"):
                what = {"list": "army list", "army": "army"}.get(str(data.get("kind")), "scenario")
                yield from self._value(data, "id", what, declares=True)
            if kind in ("profiles", "house"):
                yield from self._sections(data)
            yield from self._map(data)

    # -- what files define ---------------------------------------------------------------------------

    def _sections(self, data: Map) -> Iterator[Use]:
        for section, what in _SECTIONS.items():
            group = data.get(section)
            if not isinstance(group, Map):
                continue
            for id_, element in group.items():
                changes = isinstance(element, Map) and any(element.get(k) for k in ("amend", "replace", "remove"))
                yield from self._at(str(id_), group.key_pos(id_), Thing(what, str(id_)), not changes)
                if what == "profile" and isinstance(element, Map):
                    yield from self._record(element, "unit")
                if what == "table" and isinstance(element, Map) and isinstance(element.get("rows"), Map):
                    yield from self._rows(element["rows"], str(id_), 0)
                if isinstance(element, Map):
                    yield from self._value(element, "extends", what)

    def _record(self, record: Map, noun: str) -> Iterator[Use]:
        """The fields of a thing, given in the data."""
        declared = self.meanings.symbols.fields_of(noun)
        for key, value in record.items():
            info = declared.get(str(key))
            if info is None:
                continue
            yield from self._at(str(key), record.key_pos(key), Thing("field", str(key), self._root(noun)))
            yield from self._given(value, record, key, info)

    def _given(self, value: Any, home: Map, key: Any, info: FieldInfo) -> Iterator[Use]:
        """The value of a field: a word, a definition, or records of parts."""
        type_ = info.type.item or info.type
        items = [(one, value.pos(i)) for i, one in enumerate(value)] if isinstance(value, Seq) else []
        for one, pos in items or [(value, home.pos(key))]:
            if isinstance(one, Map) and type_.kind == "noun":
                yield from self._record(one, type_.name)
            elif isinstance(one, str) and type_.kind == "word":
                yield from self._at(one, pos, Thing("word", one, type_.name))
            elif isinstance(one, str) and type_.kind == "kind":
                yield from self._title(one, pos, type_.name)

    def _rows(self, rows: Map, table: str, level: int) -> Iterator[Use]:
        """The words among the keys of a table, level by level, and among its values."""
        known = self.meanings.symbols.data_tables.get(table)
        if known is None or level >= len(known.params):
            return
        by = known.params[level].type
        for key, value in rows.items():
            if by.kind == "word" and isinstance(key, str):
                yield from self._at(key, rows.key_pos(key), Thing("word", key, by.name))
            if isinstance(value, Map):
                yield from self._rows(value, table, level + 1)
            elif known.type.kind == "word" and isinstance(value, str):
                yield from self._at(value, rows.pos(key), Thing("word", value, known.type.name))

    def _root(self, noun: str) -> str:
        return self.meanings.symbols.root(noun)

    # -- what they name ------------------------------------------------------------------------------

    def _map(self, data: Map) -> Iterator[Use]:
        for key, value in data.items():
            if key in _RULES:
                yield from self._rules(data, key, value)
            elif key in _TOOLS:
                yield from self._named_below(data, key, value)
                yield from self._who_fights(value) if isinstance(value, Map) else ()
            elif key == "ref":
                yield from self._value(data, key, "rule of the book")
            elif key == "extends" and self.file.kind == "army":
                yield from self._value(data, key, "army list")
            elif key in _IDS and not isinstance(value, Map):
                yield from self._value(data, key, _IDS[key])
            elif key in self.plurals:
                yield from self._bearings(data, key, self.plurals[key])
            elif key in ("fields", "state", "settings", "side") and isinstance(value, Map):
                yield from self._record(value, {"settings": "scenario", "side": "side"}.get(key, "unit"))
            if key not in _RULES and isinstance(value, Map | Seq):
                yield from self._below(value)

    def _below(self, value: Map | Seq) -> Iterator[Use]:
        for one in [value] if isinstance(value, Map) else value:
            if isinstance(one, Map):
                yield from self._map(one)
            elif isinstance(one, Seq):
                yield from self._below(one)

    def _value(self, home: Map, key: Any, what: str, declares: bool = False) -> Iterator[Use]:
        """An id, or several, under a key."""
        value = home.get(key)
        items = [(one, value.pos(i)) for i, one in enumerate(value)] if isinstance(value, Seq) else []
        for one, pos in items or [(value, home.pos(key))]:
            if isinstance(one, str):
                yield from self._at(one, pos, Thing(what, one), declares)

    def _bearings(self, home: Map, key: Any, kind: str) -> Iterator[Use]:
        """`[Brave(2), {name: Fast}]`: definitions that are borne."""
        value = home.get(key)
        if not isinstance(value, Seq):
            return
        for i, one in enumerate(value):
            if isinstance(one, str):
                yield from self._title(one, value.pos(i), kind)
            elif isinstance(one, Map) and isinstance(one.get("name"), str):
                yield from self._title(one["name"], one.pos("name"), kind)

    def _title(self, said: str, pos: Pos, kind: str) -> Iterator[Use]:
        title = said.partition("(")[0].strip()
        yield from self._at(title, pos, Thing("definition", title, kind))

    # -- rules in data -------------------------------------------------------------------------------

    def _rules(self, home: Map, key: Any, value: Any, role: str = "name") -> Iterator[Use]:
        """role: what a word alone means; below the id of a thing, something of it."""
        if isinstance(value, Map):
            for name, one in value.items():
                yield from self._text(str(name), value.key_pos(name), role)
                if name not in _PROSE:
                    yield from self._rules(value, name, one, "attribute" if isinstance(one, Map) else "name")
        elif isinstance(value, Seq):
            for i, one in enumerate(value):
                if isinstance(one, str):
                    yield from self._text(one, value.pos(i))
                elif isinstance(one, Map):
                    yield from self._rules(home, key, one)
        elif isinstance(value, str):
            yield from self._text(value, home.pos(key))

    def _named_below(self, home: Map, key: Any, value: Any) -> Iterator[Use]:
        """Names as the values of tools' sections have them: each alone."""
        pairs = [(one, value.pos(i)) for i, one in enumerate(value)] if isinstance(value, Seq) else []
        if isinstance(value, Map):
            for name, one in value.items():
                if name not in _PROSE:
                    yield from self._named_below(value, name, one)
        for one, pos in pairs or [(value, home.pos(key))]:
            if isinstance(one, str):
                yield from self._alone(one, pos)

    def _who_fights(self, question: Map) -> Iterator[Use]:
        """The units of an example's question of odds: `attacker: "bandit:1,shield"`."""
        for side in ("attacker", "defender"):
            said = question.get(side)
            if isinstance(said, str):
                name = said.partition(":")[0].partition(",")[0].strip()
                yield from self._at(name, question.pos(side), Thing("profile", name)) if name.isidentifier() else ()

    def _alone(self, name: str, pos: Pos) -> Iterator[Use]:
        if name.isidentifier():
            thing = self._called("attribute", name) or self._called("callable", name)
            yield from self._at(name, pos, thing)

    def _text(self, text: str, pos: Pos, role: str = "name") -> Iterator[Use]:
        """The names in a text of the rules language, which may take several lines."""
        words = list(_WORD.finditer(text))
        number, column = pos.line, pos.column - 1
        for word in words:
            said = word[0]
            place = self._find(said, number, column)
            if place is None:
                return
            number, column = place.line, place.end_column - 1
            before = self.lines[place.line - 1][place.column - 2 : place.column - 1]
            if said[0] == '"':
                thing = self._called("title", said[1:-1])
                inner = Pos(place.file, place.line, place.column + 1, place.end_line, place.end_column - 1)
                yield from [Use(inner, said[1:-1], thing, quoted=True)] if thing is not None else []
                continue
            thing = self._called("attribute" if before == "." else role, said)
            if thing is None and before != ".":
                thing = self._called("event", said) or self._called("roll", said)
            if thing is not None:
                yield Use(place, said, thing)

    def _called(self, role: str, name: str) -> Thing | None:
        """What a name means by itself; of the fields of this name those of units come first."""
        if role == "attribute" and name in self.meanings.symbols.fields_of("unit"):
            return Thing("field", name, "unit")
        return self.meanings.called(role, name)

    # -- places --------------------------------------------------------------------------------------

    def _at(self, name: str, pos: Pos, thing: Thing | None, declares: bool = False) -> Iterator[Use]:
        """A name that a value begins with, or is."""
        if thing is None or not name or not pos.line:
            return
        place = self._find(name, pos.line, pos.column - 1, near=True)
        if place is not None:
            yield Use(place, name, thing, declares)

    def _find(self, text: str, number: int, column: int, near: bool = False) -> Pos | None:
        """Where a text stands, at a place or, unless it must be near, somewhere behind it."""
        last = number if near else min(number + 40, len(self.lines))
        for n in range(number, last + 1):
            line = self.lines[n - 1] if 0 < n <= len(self.lines) else ""
            start = column if n == number else 0
            at = line.find(text, start)
            while at >= 0 and _inside_word(line, at, at + len(text)):
                at = line.find(text, at + 1)
            if at >= 0 and not (near and at > start + 1):  # one more for a quote
                return Pos(self.label, n, at + 1, n, at + len(text) + 1)
        return None

    @property
    def label(self) -> str:
        """As messages call the file."""
        data = getattr(self.file.parsed, "data", None)
        return data.file if isinstance(data, Map | Seq) else str(self.file.path)


def _inside_word(line: str, start: int, end: int) -> bool:
    """Whether what stands there is only a part of a longer word."""
    return _joins(line[start - 1 : start], line[start : start + 1]) or _joins(line[end - 1 : end], line[end : end + 1])


def _joins(left: str, right: str) -> bool:
    return bool(left and right) and (left.isalnum() or left == "_") and (right.isalnum() or right == "_")

