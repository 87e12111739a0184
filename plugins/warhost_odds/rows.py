"""Many worlds at once: a batch has a row for each world that is told apart from the others, with its weight.

What all rows share is kept as a plain value; what differs is a column, a NumPy array with an entry for each row:
int64 for whole numbers, bool for yes and no, int32 for everything else (codes of an `Interner`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Column: TypeAlias = npt.NDArray[Any]
Key: TypeAlias = tuple[Any, str]

#: Keys of merged rows are packed into one integer of so many values at most.
_ROOM = 2**62
#: Whole numbers beyond this are kept as codes.
_LARGEST = 2**40


class _Unset:
    """Stands for a local that has no value yet."""

    def __repr__(self) -> str:
        return "(no value)"


UNSET = _Unset()


class _Forgotten:
    """Stands for a field that is taken to be written before anybody reads it."""

    def __repr__(self) -> str:
        return "(forgotten)"


FORGOTTEN = _Forgotten()


class RememberedError(Exception):
    """Somebody reads a field that was forgotten; key says which."""

    def __init__(self, key: Key) -> None:
        super().__init__(key)
        self.key = key


class Interner:
    """Gives every value a number: equal values, and one and the same thing, have the same."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._codes: dict[Any, int] = {}

    def code(self, value: Any) -> int:
        key = identity(value)
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = len(self.values)
            self.values.append(value)
        return found

    def column(self, values: Sequence[Any]) -> Column:
        """A column of plain values, in the narrowest form that holds them all."""
        kinds = {type(v) for v in values}
        if kinds == {bool}:
            return np.array(values, dtype=bool)
        if kinds == {int} and all(-_LARGEST < v < _LARGEST for v in values):
            return np.array(values, dtype=np.int64)
        return np.array([self.code(v) for v in values], dtype=np.int32)

    def item(self, column: Any, row: int) -> Any:
        """The value of a column (or of a plain value) in a row."""
        if not isinstance(column, np.ndarray):
            return column
        if column.dtype == np.int32:
            return self.values[column[row]]
        return column[row].item()

    def items(self, column: Any, n: int) -> list[Any]:
        """The values of a column, or of a plain value so many times."""
        if not isinstance(column, np.ndarray):
            return [column] * n
        if column.dtype == np.int32:
            return [self.values[code] for code in column.tolist()]
        return column.tolist()  # type: ignore[no-any-return]

    def spread(self, value: Any, n: int) -> Column:
        """A column that has one plain value everywhere."""
        one = self.column([value])
        return np.broadcast_to(one, (n,)).copy() if n != 1 else one

    def full(self, value: Any, n: int) -> Column:
        """A column as it is, or one that has a plain value everywhere."""
        return value if type(value) is np.ndarray else self.spread(value, n)

    def truth(self, value: Any) -> Any:
        """Yes and no as a column of bool, in whatever form it is kept; a plain value as it is."""
        if not isinstance(value, np.ndarray) or value.dtype == bool:
            return value
        return np.array([bool(self.item(value, i)) for i in range(len(value))], dtype=bool)

    def coded(self, column: Column) -> Column:
        """A column of whole numbers or yes and no as codes."""
        if column.dtype == np.int32:
            return column
        distinct, back = np.unique(column, return_inverse=True)
        codes = np.array([self.code(v.item()) for v in distinct], dtype=np.int32)
        return codes.take(back)

    def alike(self, columns: Sequence[Column]) -> list[Column]:
        """Columns brought to one form."""
        if len({c.dtype for c in columns}) <= 1:
            return list(columns)
        return [self.coded(c) for c in columns]


_AS_THEY_ARE = frozenset((type(None), str, bool, float))


def identity(value: Any) -> Any:
    """What makes two values the same to the rules."""
    kind = type(value)
    if kind is int or kind is Fraction:
        return ("number", value)
    if kind in _AS_THEY_ARE:
        return (kind, value)
    if kind is list or kind is tuple:
        return ("list", tuple(map(identity, value)))
    if isinstance(value, int):
        return ("number", value)
    if isinstance(value, list | tuple):
        return ("list", tuple(map(identity, value)))
    if isinstance(value, str | float):
        return (kind, value)
    return ("thing", id(value))


class Batch:
    """Rows of one structure. data: a field's (thing, attribute) or a local's (depth, name) to a value or column.

    weights: probabilities (float64), or numbers of trials (int64), of n rows. structure: whatever else tells these
    worlds from others (who has a place, what is in force), as one object. told: columns in which no two rows agree,
    None when that is not known; it holds as long as data has them all. Columns are never changed in place.
    """

    __slots__ = ("data", "n", "structure", "told", "weights")

    def __init__(
        self, data: dict[Key, Any], weights: Column, structure: Any, told: tuple[Column, ...] | None = None
    ) -> None:
        self.data, self.weights, self.structure, self.told = data, weights, structure, told
        self.n = len(weights)

    def columns(self) -> list[Key]:
        return [k for k, v in self.data.items() if type(v) is np.ndarray]

    def having(self, values: Mapping[Key, Any]) -> Batch:
        """The same rows with more fields or locals, or with other values for them."""
        return Batch({**self.data, **values}, self.weights, self.structure, self.told)

    def take(self, rows: Column, weights: Column | None = None) -> Batch:
        """The rows named (numbers or a mask), with their weights or others; told as they are if none is named twice."""
        if rows.dtype == bool:
            rows = rows.nonzero()[0]
        taken: dict[int, Column] = {}
        data = dict(self.data)
        for k, v in data.items():
            if type(v) is np.ndarray:
                made = taken.get(id(v))
                if made is None:
                    made = taken[id(v)] = v.take(rows)
                data[k] = made
        told = None
        if self.told is not None and all(id(c) in taken for c in self.told):
            told = tuple(taken[id(c)] for c in self.told)
        return Batch(data, self.weights.take(rows) if weights is None else weights, self.structure, told)

    def split(self, mask: Column) -> tuple[Batch | None, Batch | None]:
        """The rows where the mask is true, and the others; None where there is none."""
        there = np.count_nonzero(mask)
        if there == len(mask):
            return self, None
        if not there:
            return None, self
        return self.take(mask), self.take(~mask)

    def by_value(self, column: Column, interner: Interner) -> list[tuple[Any, Batch]]:
        """The rows by the value of a column, in order of appearance."""
        distinct, first, back = np.unique(column, return_index=True, return_inverse=True)
        order = first.argsort(kind="stable")
        return [(interner.item(distinct, int(i)), self.take(back == i)) for i in order]

    def drop(self, keys: Iterable[Key]) -> None:
        for key in keys:
            self.data.pop(key, None)


def _packed(columns: Sequence[Column], n: int) -> tuple[Column | None, int]:
    """One integer for each row, equal where all columns are equal, and how many values it may have; None: all equal."""
    key: Column | None = None
    room, tight, least = 1, True, 0
    for column in columns:
        if column.dtype == bool:
            low, width = 0, 2
        else:
            low = int(np.minimum.reduce(column))
            width = int(np.maximum.reduce(column)) - low + 1
        if width == 1:
            continue
        if key is None:
            key, room, least = column.astype(np.int64), width, low
            tight = False
            continue
        if not tight and _dense(n) < room * width and room <= _dense(n):
            key -= _wrapped(least)
            some, back = _by_table(key, room)
            key, room, tight, least = back.astype(np.int64), len(some), True, 0
        values: Column = column
        if room * width > _ROOM:
            _, key = np.unique(key, return_inverse=True)
            room, least = int(key.max()) + 1, 0
            if room * width > _ROOM:
                distinct, values = np.unique(column, return_inverse=True)
                low, width = 0, len(distinct)
        key *= width
        key += values
        room, least = room * width, least * width + low
        tight = False
    if key is not None and least:
        key -= _wrapped(least)
    return key, room


def _wrapped(number: int) -> int:
    """A whole number as 64 bits hold it, as the sums in columns are held."""
    return (number + 2**63) % 2**64 - 2**63


def _dense(n: int) -> int:
    """So many values may a key have for which a table is better than sorting n of them."""
    return 12 * n + 1024


def _by_table(key: Column, room: int) -> tuple[Column, Column]:
    """A row of each value of the key, in the order of the values, and the number of each row's value in that order."""
    there = np.zeros(room, dtype=bool)
    there[key] = True
    distinct = there.nonzero()[0]
    table = np.empty(room, dtype=np.int32)
    table[distinct] = np.arange(len(distinct), dtype=np.int32)
    back = table.take(key)
    one = np.empty(len(distinct), dtype=np.int64)
    one[back] = np.arange(len(key))
    return one, back


def kinds(columns: Sequence[Column], n: int) -> tuple[Column, Column]:
    """A row of each kind, and the kind of each row; rows are of one kind where all columns are equal.

    The order of the kinds is that of their values.
    """
    key, room = _packed(columns, n)
    if key is None:
        return np.zeros(1, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if room <= _dense(n):
        return _by_table(key, room)
    _, firsts, back = np.unique(key, return_index=True, return_inverse=True)
    return firsts, back


def merged(batch: Batch, interner: Interner) -> Batch:
    """Rows that are equal in everything become one; columns that are equal everywhere become plain values."""
    data = batch.data
    columns: dict[int, Column] = {}
    same: set[int] = set()
    for k, column in data.items():
        if type(column) is not np.ndarray:
            continue
        first = column[0]
        if batch.n == 1 or (column[-1] == first and (column == first).all()):
            data[k] = interner.item(column, 0)
            same.add(id(column))
        else:
            columns[id(column)] = column
    if batch.n == 1:
        return batch
    if batch.told is not None and all(id(c) in columns or id(c) in same for c in batch.told):
        batch.told = tuple(c for c in batch.told if id(c) in columns)
        return batch
    told = tuple(columns.values())
    firsts, back = kinds(told, batch.n)
    batch.told = told
    if len(firsts) < batch.n:
        weights = np.bincount(back, weights=batch.weights, minlength=len(firsts)).astype(batch.weights.dtype)
        batch = batch.take(firsts, weights)
        if batch.n == 1:
            return merged(batch, interner)
    return batch


def joined(batches: Sequence[Batch], base: Mapping[Key, Any], interner: Interner) -> list[Batch]:
    """The rows of several batches together: one batch for each structure, equal rows merged.

    base: what a field was before anything was written to it.
    """
    return [merged(b, interner) for b in together(batches, base, interner)]


def together(batches: Sequence[Batch], base: Mapping[Key, Any], interner: Interner) -> list[Batch]:
    """The rows of several batches, one batch for each structure, as they are."""
    groups: dict[int, list[Batch]] = {}
    for b in batches:
        if b.n:
            groups.setdefault(id(b.structure), []).append(b)
    return [_together(group, base, interner) for group in groups.values()]


def _together(group: Sequence[Batch], base: Mapping[Key, Any], interner: Interner) -> Batch:
    if len(group) == 1:
        return group[0]
    rows = [b.data for b in group]
    keys: dict[Key, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(row))
    sizes = [len(b.weights) for b in group]
    data: dict[Key, Any] = {}
    for k in keys:
        before = base.get(k, UNSET)
        data[k] = _one([row.get(k, before) for row in rows], sizes, interner)
    return Batch(data, np.concatenate([b.weights for b in group]), group[0].structure)


def _one(parts: Sequence[Any], sizes: Sequence[int], interner: Interner) -> Any:
    """The column of several batches' parts; a plain value when it is the same in all."""
    first = parts[0]
    kind = type(first)
    if kind is not np.ndarray:
        for p in parts:  # mostly it is one and the same
            if p is not first and (type(p) is not kind or identity(p) != identity(first)):
                break
        else:
            return first
    columns = [interner.full(p, n) for p, n in zip(parts, sizes, strict=True)]
    return np.concatenate(interner.alike(columns))


__all__ = [
    "FORGOTTEN", "UNSET", "Batch", "Column", "Interner", "Key", "RememberedError", "joined", "kinds", "together",
]  # fmt: skip
