"""YAML as Warhost reads it: plain data that knows where it stands, and nothing that can hurt the reader.

The text is read as a stream of events, never as objects: there are no tags, no merge keys, no second document, and
size, nesting, aliases and the number of values are bounded. Whatever is wrong becomes a Problem.

Plain words are text, with three exceptions: `true` and `false` are yes and no, `null`, `~` and nothing at all
are none, and decimal figures are numbers (whole ones are int, others exact Fractions, so `0.1` is a tenth).
`yes`, `no`, `on`, dates, `1e3`, `0x10` and `007` stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from warhost.errors import Problem
from warhost.lang.place import Pos

MAX_BYTES = 2_000_000

Mark: TypeAlias = tuple[str, int, int, int, int]
"""file, line and column of the key, line and column of the value; all from 1."""


class Map(dict[Any, Any]):
    """A mapping that knows its place and the places of its keys and values. Read it, do not change it.

    Values of a merged mapping keep the places of the files that they came from.
    """

    __slots__ = ("column", "file", "line", "marks")

    def __init__(self, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__()
        self.file, self.line, self.column = file, line, column
        self.marks: dict[Any, Mark] = {}

    @property
    def here(self) -> Pos:
        """Where the mapping begins."""
        return _pos(self.file, self.line, self.column)

    def pos(self, key: object) -> Pos:
        """Where the value of the key stands; for a missing key, where the mapping begins."""
        mark = self.marks.get(key)
        return _pos(mark[0], mark[3], mark[4]) if mark else self.here

    def key_pos(self, key: object) -> Pos:
        """Where the key itself stands."""
        mark = self.marks.get(key)
        return _pos(mark[0], mark[1], mark[2]) if mark else self.here

    def take(self, other: Map, keys: Iterable[Any]) -> None:
        """Take over entries of another mapping with their places."""
        for key in keys:
            self[key] = other[key]
            if key in other.marks:
                self.marks[key] = other.marks[key]

    def copied(self, keys: Iterable[Any] | None = None) -> Map:
        """The same mapping once more (values are shared), or only some keys of it, in their order."""
        copy = Map(self.file, self.line, self.column)
        copy.take(self, self if keys is None else keys)
        return copy


class Seq(list[Any]):
    """A list that knows its place and those of its items."""

    __slots__ = ("column", "file", "line", "marks")

    def __init__(self, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__()
        self.file, self.line, self.column = file, line, column
        self.marks: list[Mark] = []

    @property
    def here(self) -> Pos:
        """Where the list begins."""
        return _pos(self.file, self.line, self.column)

    def pos(self, index: int) -> Pos:
        """Where an item stands."""
        if 0 <= index < len(self.marks):
            mark = self.marks[index]
            return _pos(mark[0], mark[3], mark[4])
        return self.here

    def add(self, item: Any, pos: Pos) -> None:
        """Append an item that stands elsewhere."""
        self.append(item)
        self.marks.append((pos.file, pos.line, pos.column, pos.line, pos.column))

    def placed(self) -> Iterator[tuple[Any, Pos]]:
        """The items, each with where it stands."""
        return ((item, self.pos(i)) for i, item in enumerate(self))

    def with_items(self, placed: Iterable[tuple[Any, Pos]]) -> Seq:
        """A list in the place of this one, with other items that stand where they are said to."""
        new = Seq(self.file, self.line, self.column)
        for item, pos in placed:
            new.add(item, pos)
        return new


def _pos(file: str, line: int, column: int) -> Pos:
    return Pos(file, line, column, line, column + 1)


def maps(value: Any) -> Iterator[Map]:
    """The mappings of a list; of what else stands there, or in its place, the schema has told."""
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Map))


def problem_at(pos: Pos, code: str, message: str, hint: str | None = None) -> Problem:
    """A problem at a place; its source line is filled in later by whoever has the file."""
    return Problem(pos.file, pos.line, pos.column, code, message, hint)


def place_of(data: Any, path: Iterable[Any], file: str = "", key: bool = False) -> Pos:
    """The place of what the path leads to (key True: of the last key); as near as the data allow."""
    found = data.here if isinstance(data, Map | Seq) else _pos(file, 1, 1)
    for step in path:
        if isinstance(data, Map) and step in data:
            found = data.key_pos(step) if key else data.pos(step)
        elif isinstance(data, Seq) and isinstance(step, int) and step < len(data):
            found = data.pos(step)
        else:
            break
        data = data[step]
    return found


def plain_data(value: Any) -> Any:
    """The same without places, for JSON and the like; Fractions stay."""
    if isinstance(value, dict):
        return {key: plain_data(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain_data(item) for item in value]
    return value


# -- scalars -----------------------------------------------------------------------------------

_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})(?P<decimals>\.[0-9]{1,12})?")


def plain_value(text: str) -> Any:
    """What an unquoted word of YAML means."""
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return Fraction(text) if number["decimals"] else int(text)


def plain_key(text: str) -> Any:
    """Keys are text or numbers: `true:` and `null:` are words like others."""
    return text if text in _WORDS else plain_value(text)


# -- reading -----------------------------------------------------------------------------------


def decode(raw: bytes, file: str) -> tuple[str, list[Problem]]:
    """The text of a file: UTF-8, with or without a byte order mark, line ends as on Unix."""
    if len(raw) > MAX_BYTES:
        text = f"this file is larger than {MAX_BYTES // 1_000_000} MB"
        return "", [Problem(file, 0, 0, "too-large", text, hint="divide it into several files")]
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        line, column = line_column(before, len(before))
        message = "this is not UTF-8 text"
        return "", [Problem(file, line, column, "not-text", message, hint="save the file as UTF-8")]
    return text.replace("\r\n", "\n").replace("\r", "\n"), []


def line_column(text: str, index: int) -> tuple[int, int]:
    """The line and the column of a place in a text, both from 1."""
    return text.count("\n", 0, index) + 1, index - (text.rfind("\n", 0, index) + 1) + 1
