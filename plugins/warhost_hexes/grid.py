"""The board as numbers: hexes in rows, neighbours, distances, and the hexes that a straight line crosses.

Hexes stand on a point; rows are counted from 1 at the near edge, columns from 1 at the left; even rows lie half a hex
to the right. A hex is told by its index: row by row, from the first column on. Nothing here knows a battle.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

#: Columns and rows that a board may have at most.
LARGEST = 100

#: How far one row lies above the next, when neighbours in a row are 1 apart.
ROW = math.sqrt(3.0) / 2.0

_LABEL = re.compile(r"^(\d{1,3})\s*[-,]\s*(\d{1,3})$")
_NAME = re.compile(r"^h(\d{1,3})_(\d{1,3})$")
_CALL = re.compile(r"^hex_at\((\d{1,3}), ?(\d{1,3})\)$")

#: Stands for what is off the board, next to a line along its rim.
BESIDE = -1

#: Hexes crossed by a line, in order: one crossed through its inside, or two along whose common edge the line runs.
Crossed = tuple[tuple[int, ...], ...]


class HexError(ValueError):
    """A board or a place that cannot be."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of so many columns and rows. Places are indices of hexes."""

    columns: int
    rows: int
    near: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    axial: tuple[tuple[int, int], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not (1 <= self.columns <= LARGEST and 1 <= self.rows <= LARGEST):
            raise HexError(f"a board has 1 to {LARGEST} columns and rows, not {self.columns} and {self.rows}")
        size = self.columns * self.rows
        axial = tuple((c - (r - 1) // 2, r) for r in range(1, self.rows + 1) for c in range(1, self.columns + 1))
        object.__setattr__(self, "axial", axial)
        object.__setattr__(self, "near", tuple(self._beside(i) for i in range(size)))

    @property
    def size(self) -> int:
        """How many hexes there are."""
        return self.columns * self.rows

    def at(self, column: int, row: int) -> int | None:
        """The hex of a column and a row; None beside the board."""
        if 1 <= column <= self.columns and 1 <= row <= self.rows:
            return (row - 1) * self.columns + column - 1
        return None

    def column(self, i: int) -> int:
        """The column of a hex, from 1."""
        return i % self.columns + 1

    def row(self, i: int) -> int:
        """The row of a hex, from 1."""
        return i // self.columns + 1

    def _beside(self, i: int) -> tuple[int, ...]:
        """The neighbours of a hex in order: right, upper right, upper left, left, lower left, lower right."""
        c, r = self.column(i), self.row(i)
        low = c if r % 2 == 0 else c - 1  # the left one of the two in the rows above and below
        around = ((c + 1, r), (low + 1, r + 1), (low, r + 1), (c - 1, r), (low, r - 1), (low + 1, r - 1))
        return tuple(n for p in around if (n := self.at(*p)) is not None)

    def distance(self, a: int, b: int) -> int:
        """The fewest steps from one hex to another."""
        (q1, r1), (q2, r2) = self.axial[a], self.axial[b]
        dq, dr = q1 - q2, r1 - r2
        return max(abs(dq), abs(dr), abs(dq + dr))

    def within(self, i: int, n: int) -> list[int]:
        """The hexes at most n steps away, itself included, in the order of the board."""
        r = self.row(i)
        low, high = max(r - n, 1) - 1, min(r + n, self.rows)
        return [j for j in range(low * self.columns, high * self.columns) if self.distance(i, j) <= n]

    def centre(self, i: int) -> tuple[float, float]:
        """The middle of a hex, when neighbours are 1 apart and (0, 0) is the corner of the board's box."""
        c, r = self.column(i), self.row(i)
        return (c - 0.5 if r % 2 else float(c)), (r - 1) * ROW + 1.0 / math.sqrt(3.0)

    def outline(self, i: int, share: float = 1.0) -> list[list[float]]:
        """The corners of a hex, or of a smaller one inside it; counter-clockwise from the top."""
        x, y = self.centre(i)
        radius = share / math.sqrt(3.0)
        turns = (math.radians(60.0 * k + 90.0) for k in range(6))
        return [[round(x + radius * math.cos(t), 4), round(y + radius * math.sin(t), 4)] for t in turns]

    @property
    def box(self) -> tuple[float, float]:
        """Width and depth of the board, when neighbours are 1 apart."""
        width = self.columns + (0.5 if self.rows > 1 else 0.0)
        return width, round((self.rows - 1) * ROW + 2.0 / math.sqrt(3.0), 4)

    def line(self, a: int, b: int) -> Crossed:
        """What a straight line from centre to centre crosses, without the hexes at its ends.

        A line may run along the edge between two hexes: then both stand together, BESIDE for one that is off the board.
        """
        (x1, y1), (x2, y2) = self._lattice(a), self._lattice(b)
        found = []
        for offsets in _crossed(x2 - x1, y2 - y1):
            cells = (self._cell(x1 + dx, y1 + dy) for dx, dy in offsets)
            found.append(tuple(BESIDE if c is None else c for c in cells))
        return tuple(found)

    def _lattice(self, i: int) -> tuple[int, int]:
        """The middle in whole numbers: half hexes to the right, rows up."""
        c, r = self.column(i), self.row(i)
        return 2 * c + (1 if r % 2 == 0 else 0), r

    def _cell(self, x: int, y: int) -> int | None:
        return self.at((x - (1 if y % 2 == 0 else 0)) // 2, y)

    def read(self, place: Any) -> int:
        """The hex that data name: [column, row] or "8-7". Raises HexError."""
        pair = place
        if isinstance(place, str):
            found = _LABEL.match(place.strip())
            pair = found.groups() if found else None
        try:
            column, row = (int(n) for n in pair)
        except (TypeError, ValueError):
            raise HexError(f'a hex is named [column, row] or "8-7", not {place!r}') from None
        i = self.at(column, row)
        if i is None:
            raise HexError(f"{self._beside_it(column, row)}; write hexes from 1-1 to {self.columns}-{self.rows}")
        return i

    def misnamed(self, name: str) -> str | None:
        """What is wrong with the name of a hex (`h8_7`, `hex_at(8, 7)`); None where there is one, or it names none."""
        found = _NAME.match(name) or _CALL.match(name)
        if found is None or self.at(int(found[1]), int(found[2])) is not None:
            return None
        last = f"hex_at({self.columns}, {self.rows})" if found.re is _CALL else f"h{self.columns}_{self.rows}"
        first = "hex_at(1, 1)" if found.re is _CALL else "h1_1"
        return f"{self._beside_it(int(found[1]), int(found[2]))}; write {first} to {last}"

    def _beside_it(self, column: int, row: int) -> str:
        return f"there is no hex {column}-{row} on a board of {self.columns} columns and {self.rows} rows"

    def label(self, i: int) -> str:
        """A hex as people write it: `8-7`, column and row."""
        return f"{self.column(i)}-{self.row(i)}"

    def zone(self, name: str, raw: Any) -> tuple[int, ...]:
        """The hexes of `{rows: [1, 3], columns: [2, 5], hexes: ["8-7"]}`: where rows and columns cross; those named.

        Raises HexError.
        """
        if not isinstance(raw, Mapping) or not raw.keys() & {"rows", "columns", "hexes"}:
            raise HexError(f'zone "{name}" needs rows, columns or hexes')
        found = {self.read(place) for place in raw.get("hexes") or ()}
        if "rows" in raw or "columns" in raw:
            rows = _span(name, raw.get("rows", (1, self.rows)), self.rows)
            columns = _span(name, raw.get("columns", (1, self.columns)), self.columns)
            found |= {i for i in range(self.size) if self.row(i) in rows and self.column(i) in columns}
        return tuple(sorted(found))

    def patch(self, start: int, count: int, allowed: Iterable[int]) -> list[int]:
        """So many hexes that hang together, from a hex on: always the one that has most neighbours among them, then the
        one nearest to the first, then in the order of the board. Fewer where there is no room.
        """
        free = set(allowed)
        if start not in free or count < 1:
            return []
        found = {start}
        rim: dict[int, int] = {}  # the free hexes beside those found, each with how many of them it touches
        last = start
        while len(found) < count:
            for n in self.near[last]:
                if n in free and n not in found:
                    rim[n] = rim.get(n, 0) + 1
            if not rim:
                break
            last = min(rim, key=lambda n: (-rim[n], self.distance(n, start), n))
            del rim[last]
            found.add(last)
        return sorted(found)

    def connected(self, cells: Iterable[int]) -> bool:
        """Whether hexes hang together."""
        left = set(cells)
        if not left:
            return True
        queue = deque([min(left)])
        left.discard(queue[0])
        while queue:
            for n in self.near[queue.popleft()]:
                if n in left:
                    left.discard(n)
                    queue.append(n)
        return not left


def _span(name: str, raw: Any, most: int) -> range:
    """The rows or columns from one number to another, or one alone."""
    try:
        low, high = (int(raw), int(raw)) if isinstance(raw, int) else (int(n) for n in raw)
    except (TypeError, ValueError):
        one = f": [{raw[0]}, {raw[0]}] is one alone" if isinstance(raw, list) and len(raw) == 1 else ""
        raise HexError(f'zone "{name}" gives rows and columns as [from, to], not {raw!r}{one}') from None
    if not 1 <= low <= high <= most:
        raise HexError(f'zone "{name}" goes from {low} to {high}, but there are only 1 to {most}; write up to {most}')
    return range(low, high + 1)


@cache
def grid(columns: int, rows: int) -> Grid:
    """The board of this size; the same object every time."""
    return Grid(columns, rows)


@lru_cache(maxsize=20_000)
def _crossed(dx: int, dy: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """What a line from (0, 0) to (dx, dy) crosses between its ends, as offsets on the lattice of middles.

    In these units (half hexes across, rows up) the inside of a hex is where |x| < 1 and |x| + 3|y| < 2 from its middle:
    everything is computed in whole numbers and fractions, and is the same in both directions.
    """
    inside: list[tuple[Fraction, Fraction, tuple[int, int]]] = []
    along: dict[tuple[Fraction, Fraction], list[tuple[int, int]]] = {}
    for y in range(min(0, dy) - 1, max(0, dy) + 2):
        for x in _columns_near(dx, dy, y):
            if (x + y) % 2 or (x, y) in ((0, 0), (dx, dy)):
                continue
            span = _span_in(dx, dy, x, y)
            if span is not None:
                low, high, open_ = span
                if open_:
                    inside.append((low, high, (x, y)))
                else:
                    along.setdefault((low, high), []).append((x, y))
    rows: list[tuple[Fraction, Fraction, tuple[tuple[int, int], ...]]]
    rows = [(low, high, (cell,)) for low, high, cell in inside]
    rows += [(low, high, tuple(sorted(cells))) for (low, high), cells in along.items()]
    rows.sort()
    return tuple(cells for _, _, cells in rows)


def _columns_near(dx: int, dy: int, y: int) -> range:
    """The part of a row in which a line can meet hexes."""
    if dy == 0:
        return range(min(0, dx) - 1, max(0, dx) + 2)
    ends = [Fraction(dx * t, dy) for t in (3 * y - 2, 3 * y + 2)]
    low, high = min(ends) / 3, max(ends) / 3
    low, high = max(low, Fraction(min(0, dx))), min(high, Fraction(max(0, dx)))
    return range(math.floor(low) - 2, math.ceil(high) + 3)


def _span_in(dx: int, dy: int, x: int, y: int) -> tuple[Fraction, Fraction, bool] | None:
    """From where to where (0 to 1) a line runs in a hex, and whether through its inside; None: a corner at most."""
    low, high, open_ = Fraction(0), Fraction(1), True
    for at, by, limit in ((-x, dx, 1), (-x - 3 * y, dx + 3 * dy, 2), (-x + 3 * y, dx - 3 * dy, 2)):
        if by == 0:
            if abs(at) > limit:
                return None
            open_ = open_ and abs(at) < limit
            continue
        one, two = Fraction(-limit - at, by), Fraction(limit - at, by)
        low, high = max(low, min(one, two)), min(high, max(one, two))
        if low >= high:
            return None
    return low, high, open_


__all__ = ["BESIDE", "LARGEST", "ROW", "Crossed", "Grid", "HexError", "grid"]
