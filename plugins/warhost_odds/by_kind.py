"""Procedures that look at little of a world, followed once for each kind of what they look at.

Exact answers weigh many worlds at once, and most of a procedure's work is the same in many of them: how one side bears
its hits does not depend on how many the other has left. So a procedure is followed for the distinct values of what it
reads, what comes of that is remembered, and laid over all worlds. What it reads is watched in one world first; whatever
else there is is forgotten in the others, so that it raises RememberedError when it misses something after all, and is
followed again with that.
"""

from __future__ import annotations

from collections.abc import Container
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from weakref import ref

import numpy as np

from warhost.engine.entities import Entity
from warhost.lang import ir
from warhost_odds.known import ProgramFacts
from warhost_odds.rows import FORGOTTEN, UNSET, Batch, Column, Interner, Key, RememberedError, kinds, together
from warhost_odds.steps import Steps

#: For fewer rows it is not worth it.
FEWEST_ROWS = 1_000
#: So many rows for each kind at least.
ROWS_OF_A_KIND = 4
#: More rows are not laid out at once.
MOST_LAID_OUT = 2_000_000

#: Where a batch says of which kind a row is. No local of the rules has this depth.
_KIND: Key = (0, "_kind")


@dataclass(slots=True)
class _Remembered:
    """What is known of a procedure with certain things in one structure.

    read: the fields that it looks at, in the order of their finding. numbers: of the kinds met so far, by their values.
    came: what came of them, with the number of the kind in each row, and its chance as weight; after, chances and
    widths: the rows of all these by kind, and how many there are of each.
    """

    read: dict[Key, None]
    numbers: dict[bytes, int] = field(default_factory=dict)
    came: list[Batch] = field(default_factory=list)
    after: Column = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    chances: Column = field(default_factory=lambda: np.zeros(0))
    widths: Column = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def forget(self, read: set[Key]) -> None:
        """Begin anew, with more fields that are looked at."""
        self.read.update(dict.fromkeys(sorted(read - self.read.keys(), key=lambda key: key[1])))
        self.numbers.clear()
        self.came.clear()

    def sort(self) -> None:
        """Put what has come by kind."""
        of = np.concatenate([b.data[_KIND] for b in self.came])
        self.after = of.argsort(kind="stable")
        self.chances = np.concatenate([b.weights for b in self.came]).take(self.after)
        self.widths = np.bincount(of, minlength=len(self.numbers))


class Follower(Protocol):
    """Who follows procedures over columns (`Columns`)."""

    steps: Steps
    interner: Interner
    known: ProgramFacts

    def whole(self, f: ir.Routine, batch: Batch, depth: int) -> list[Batch]: ...

    def spread(
        self, weights: Column, back: Column, widths: Column, offsets: Column, chances: Column
    ) -> tuple[Column, Column, Column]: ...

    def watching(self) -> AbstractContextManager[set[Key]]: ...

    def is_lost(self, value: Any) -> bool: ...

    def where_known(self, value: Any, before: Any, n: int) -> Column: ...


class ByKind:
    """Follows procedures by kinds of rows."""

    def __init__(self, columns: Follower) -> None:
        self._columns = ref(columns)  # a circle would keep all that was weighed until somebody looks for garbage
        self._remembered: dict[tuple[int, ...], _Remembered] = {}
        self._in_vain: set[tuple[int, ...]] = set()
        self._within = False

    @property
    def columns(self) -> Follower:
        columns = self._columns()
        assert columns is not None
        return columns

    def followed(self, f: ir.Routine, batch: Batch, depth: int) -> list[Batch] | None:
        """What comes of a procedure whose arguments are the locals one frame further in; its result is left as that of
        `depth`. None where that is no quicker than to follow it for all rows.
        """
        if self._within or batch.n < FEWEST_ROWS or not self.columns.known.loops(f):
            return None
        about = [batch.data[(depth + 1, p.name)] for p in f.params]
        which = (id(f), depth, id(batch.structure), *(id(one) for one in about if isinstance(one, Entity)))
        if which in self._in_vain:
            return None
        self._within = True
        try:
            known = self._remembered.get(which)
            if known is None:
                known = self._remembered[which] = _Remembered({})
                known.forget(self._read_in(f, self._first_row(batch), depth, ())[0])
            return self._by_kind(f, batch, depth, known, which)
        finally:
            self._within = False

    def _by_kind(
        self, f: ir.Routine, batch: Batch, depth: int, known: _Remembered, which: tuple[int, ...]
    ) -> list[Batch] | None:
        arguments = [(depth + 1, p.name) for p in f.params]
        while True:
            looked_at = {k: batch.data.get(k, UNSET) for k in (*arguments, *known.read)}
            first, kind = kinds([v for v in looked_at.values() if isinstance(v, np.ndarray)], batch.n)
            if len(first) * ROWS_OF_A_KIND > batch.n:
                self._in_vain.add(which)
                return None
            names = self._names(looked_at, first)
            new = [i for i, name in enumerate(names) if name not in known.numbers]
            if new:
                small, left_out = self._of_kinds(batch, looked_at, first[new], len(known.numbers))
                read, came = self._read_in(f, small, depth, left_out)
                if not read <= known.read.keys():
                    known.forget(read)
                    continue
                known.came += came
                known.numbers.update({names[i]: n for n, i in enumerate(new, start=len(known.numbers))})
                known.sort()
            numbers = np.array([known.numbers[name] for name in names]).take(kind)
            if int(known.widths.take(numbers).sum()) > MOST_LAID_OUT:
                return None
            return self._laid_over(batch, numbers, known, depth)

    def _first_row(self, batch: Batch) -> Batch:
        data = {k: self.columns.interner.item(v, 0) for k, v in batch.data.items()}
        return Batch(data, np.ones(1), batch.structure)

    def _of_kinds(
        self, batch: Batch, looked_at: dict[Key, Any], rows: Column, number: int
    ) -> tuple[Batch, set[Key]]:
        """A row for each kind, from the rows named, with nothing but what is looked at, and which fields it leaves out.
        The first kind has that number.
        """
        data = {k: v for k, v in looked_at.items() if v is not UNSET}
        left_out = {k for k in batch.data if k not in data and not isinstance(k[0], int)}
        small = Batch({**data, **dict.fromkeys(left_out, FORGOTTEN)}, batch.weights, batch.structure)
        small = small.take(rows, np.ones(len(rows)))
        small.data[_KIND] = np.arange(number, number + len(rows))
        return small, left_out

    def _names(self, looked_at: dict[Key, Any], rows: Column) -> list[bytes]:
        """What tells kinds from each other, for the rows named."""
        interner = self.columns.interner
        table = np.empty((len(rows), len(looked_at)), dtype=np.int32)
        for i, value in enumerate(looked_at.values()):
            table[:, i] = interner.coded(value.take(rows)) if isinstance(value, np.ndarray) else interner.code(value)
        return [row.tobytes() for row in table]

    def _read_in(
        self, f: ir.Routine, batch: Batch, depth: int, left_out: Container[Key]
    ) -> tuple[set[Key], list[Batch]]:
        """The fields that a procedure looks at in some rows, and what comes of it there: nothing, when it misses one of
        those left out.
        """
        came: list[Batch] = []
        with self.columns.watching() as read:
            try:
                came = self.columns.whole(f, batch, depth + 1)
            except RememberedError as error:
                if error.key not in left_out:
                    raise
                read.add(error.key)
        for b in came:
            b.data[_KIND] = np.broadcast_to(np.asarray(b.data.get(_KIND, 0)), (b.n,))
        return read, came

    def _laid_over(self, batch: Batch, numbers: Column, known: _Remembered, depth: int) -> list[Batch]:
        """All rows with what came of their kinds."""
        starts = known.widths.cumsum() - known.widths
        rows, which, weights = self.columns.spread(batch.weights, numbers, known.widths, starts, known.chances)
        which = known.after.take(which)
        found, begin = [], 0
        for b in known.came:
            mine = ((which >= begin) & (which < begin + b.n)).nonzero()[0]
            if mine.size:
                mine_of = (rows.take(mine), which.take(mine) - begin, weights.take(mine))
                found.append(self._of_one(batch, b, *mine_of, depth))
            begin += b.n
        return together(found, self.columns.steps.base, self.columns.interner)

    def _of_one(
        self, batch: Batch, came: Batch, rows: Column, which: Column, weights: Column, depth: int
    ) -> Batch:  # fmt: skip
        """The rows for which one of the batches came of it: what it says of them, and for the rest what they were.

        Rows that agree in both become one before they are laid out.
        """
        said = {k: v for k, v in came.data.items() if k != _KIND and v is not FORGOTTEN}
        partly = {k for k, v in said.items() if self.columns.is_lost(v)}
        rest = {
            k: v for k, v in batch.data.items()
            if (k not in said or k in partly) and not (isinstance(k[0], int) and k[0] > depth)
        }  # fmt: skip
        of_rest = kinds([v for v in rest.values() if isinstance(v, np.ndarray)], batch.n)[1]
        of_said = kinds([v for v in said.values() if isinstance(v, np.ndarray)], came.n)[1]
        first, back = kinds((of_rest.take(rows), of_said.take(which)), len(rows))
        which = which.take(first)
        weights = np.bincount(back, weights=weights, minlength=len(first))
        made = Batch(rest, batch.weights, came.structure).take(rows.take(first), weights)
        for k, v in said.items():
            value = v.take(which) if isinstance(v, np.ndarray) else v
            made.data[k] = self.columns.where_known(value, made.data.get(k), made.n) if k in partly else value
        return made


__all__ = ["ByKind"]
