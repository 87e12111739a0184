"""Lines of sight from the centre of one hex to the centre of another.

Between places on the same level, whatever blocks sight in between blocks the line. Between places on different levels,
the line passes over everything lower than the higher place; only something just in front of the lower place can hide
it. Whatever stands as high as the higher place blocks the line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from warhost.things import noun_of
from warhost_hexes.board import Board, board_of
from warhost_hexes.grid import BESIDE

#: What a hex, or an edge, between two others does to a line of sight. None: nothing. 0: it blocks the line. A number:
#: one can see through so many of its kind, not through more.
Hindrance = int | None


def level(made: Board, cell: int) -> Any:
    """How high a hex lies: the highest of the pieces that lift it, 0 without."""

    def ask() -> Any:
        return max((made.number("elevation_of", t) for t in made.lands_at(cell)), default=0)

    return made.said(("level", cell), ask)


def ground_level(battle: Any, place: Any) -> Any:
    """How high a place lies, the highest of its hexes; 0 without a place."""
    made = board_of(battle)
    return max((level(made, c) for c in made.cells_of(place)), default=0)


def at_rim(made: Board, cell: int) -> bool:
    """Whether a neighbour lies lower."""
    here = level(made, cell)
    return any(level(made, n) < here for n in made.grid.near[cell])


def _inside_plateau(made: Board, cell: int) -> bool:
    """Whether a hex lies inside a plateau: nobody looks up to it or down from it."""
    here = level(made, cell)
    flat = any(made.number("plateau", t) and made.number("elevation_of", t) == here for t in made.lands_at(cell))
    return flat and not at_rim(made, cell)


@dataclass(frozen=True, slots=True)
class _SightLine:
    """A line of sight. ends: the units (or places) at its ends. lower: the cell of the lower end. low, high: the levels
    of the ends. tall: the height of the taller of the two at its ends.
    """

    made: Board
    ends: tuple[Any, Any]
    lower: int
    low: Any
    high: Any
    tall: Any

    def hindrance(self, cell: int) -> Hindrance:
        """What a hex between the ends does."""
        if cell == BESIDE:
            return None
        made = self.made
        here = level(made, cell)
        if here > self.high or (here == self.high and self.low < self.high):
            return 0
        if here < self.low:
            return None
        if self.low < self.high:
            return 0 if self._hides(cell) else None
        if any(made.number("screen_height", u) >= self.tall for u in self._others(cell)):
            return 0
        blocking = [t for t in made.lands_at(cell) if made.number("blocks_sight", t)]
        return min((max(int(made.number("sight_depth", t)), 0) for t in blocking), default=None)

    def _hides(self, cell: int) -> bool:
        """Whether what is on a hex hides the lower end from the higher one that sees over it."""
        made = self.made
        behind = made.grid.distance(cell, self.lower)
        if any(made.number("blind_behind", t) >= behind for t in made.lands_at(cell)):
            return True
        return any(made.number("blind_behind_unit", u) >= behind for u in self._others(cell))

    def _others(self, cell: int) -> list[Any]:
        return [u for u in self.made.units_at(cell) if u is not self.ends[0] and u is not self.ends[1]]


def sees(battle: Any, a: Any, b: Any) -> bool:
    """Whether some hex of one place sees some hex of the other; it is mutual. False for a thing without a place."""
    made = board_of(battle)
    one, two = made.cells_of(a), made.cells_of(b)
    if not one or not two:
        return False
    return bool(made.said(("sees", a, b), lambda: any(clear(made, a, i, b, j) for i in one for j in two)))


def sees_as(battle: Any, a: Any, b: Any, tall: Any) -> bool:
    """Sight as `sees`, with the height of the taller of the two given as `tall`."""
    made = board_of(battle)
    one, two = made.cells_of(a), made.cells_of(b)
    return any(clear(made, a, i, b, j, tall) for i in one for j in two)


def clear(made: Board, a: Any, i: int, b: Any, j: int, tall: Any = None) -> bool:
    """Whether the line of sight from a (in hex i) to b (in hex j) is free.

    tall: the height of the taller of the two; None: as the ruleset's number `sight_height` gives it.
    """
    if i == j:
        return True
    low, high = level(made, i), level(made, j)
    if low > high:
        i, j, low, high = j, i, high, low
    if low < high and _inside_plateau(made, j):
        return False
    ends = (getattr(a, "unit", a), getattr(b, "unit", b))
    if tall is None:
        tall = max(_height(made, end) for end in ends)
    line = _SightLine(made, ends, i, low, high, tall)
    either = bool(made.number("either_edge_blocks"))
    depths: list[int] = []
    for cells in made.grid.line(i, j):
        found = [line.hindrance(cell) for cell in cells]
        known = [h for h in found if h is not None]
        if not known or (len(known) < len(found) and not either):
            continue
        depth = min(known) if either else max(known)
        if depth == 0:
            return False
        depths.append(depth)
    return all(sum(d <= depth for d in depths) <= depth for depth in depths)


def _height(made: Board, thing: Any) -> Any:
    """The height of a thing for lines of sight: 1 for a place without a unit."""
    return made.number("sight_height", thing) if noun_of(thing) == "unit" else 1


# -- what lies between ---------------------------------------------------------------------------


def _crossed(made: Board, a: Any, b: Any) -> Iterator[int]:
    i, j = made.cell_of(a), made.cell_of(b)
    if i is not None and j is not None:
        for cells in made.grid.line(i, j):
            yield from (c for c in cells if c != BESIDE)


def line_between(battle: Any, a: Any, b: Any) -> list[Any]:
    """The hexes between two places in order from the first; of an edge along which the line runs, both."""
    made = board_of(battle)
    return [made.hexes[c] for c in _crossed(made, a, b)]


def terrain_between(battle: Any, a: Any, b: Any) -> list[Any]:
    """The terrain on these hexes, each piece once, in order from the first place."""
    made = board_of(battle)
    return list(dict.fromkeys(t for c in _crossed(made, a, b) for t in made.lands_at(c)))


def units_between(battle: Any, a: Any, b: Any) -> list[Any]:
    """The units on these hexes, in order from the first place."""
    made = board_of(battle)
    return [u for c in _crossed(made, a, b) for u in made.units_at(c) if u is not a and u is not b]


__all__ = [
    "at_rim", "clear", "ground_level", "level", "line_between", "sees", "sees_as", "terrain_between", "units_between",
]  # fmt: skip
