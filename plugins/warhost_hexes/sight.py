"""Lines of sight from centre to centre: what stands in between on the same level, and what hides from those above."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from warhost_hexes.board import Board, board_of


def level(made: Board, cell: int) -> Any:
    """How high a hex lies: the highest of the pieces that lift it, 0 without."""
    return made.said(("level", cell), lambda: max((made.number("elevation_of", t) for t in made.lands_at(cell)), default=0))


def at_rim(made: Board, cell: int) -> bool:
    """Whether a neighbour lies lower."""
    here = level(made, cell)
    return any(level(made, n) < here for n in made.grid.near[cell])


def _hidden_inside(made: Board, cell: int) -> bool:
    """Whether a hex lies inside a plateau: nobody looks up to it or down from it."""
    here = level(made, cell)
    flat = any(
        made.number("elevation_of", t) == here and made.number("plateau", t) for t in made.lands_at(cell)
    )
    return flat and not at_rim(made, cell)


def sees(battle: Any, a: Any, b: Any) -> bool:
    """Whether some hex of one place sees some hex of another; the same both ways. Nobody sees or is seen without a place."""
    made = board_of(battle)
    one, two = made.cells_of(a), made.cells_of(b)
    if not one or not two:
        return False
    return bool(made.said(("sees", a, b), lambda: any(clear(made, a, i, b, j) for i in one for j in two)))


def clear(made: Board, a: Any, i: int, b: Any, j: int) -> bool:
    """Whether the line from the centre of a hex to that of another is free for whoever looks along it."""
    if i == j:
        return True
    low, high = level(made, i), level(made, j)
    if low > high:
        a, b, i, j, low, high = b, a, j, i, high, low
    if low < high and _hidden_inside(made, j):
        return False
    tall = max(_height(made, a), _height(made, b))
    deep: list[Any] = []
    either = bool(made.number("either_edge_blocks"))
    for cells in made.grid.line(i, j):
        verdicts = [_verdict(made, cell, (a, b), (low, high), tall, i) for cell in cells]
        open_side = len(cells) == 1 and False
        stops = [v is True for v in verdicts]
        if any(stops) if either else (all(stops) and not open_side):
            return False
        depths = [v for v in verdicts if v is not None and v is not True]
        if depths and (either or len(depths) + sum(stops) == len(verdicts)):
            deep.append(min(depths) if either else max(depths))
    return all(sum(1 for d in deep if d <= depth) <= depth for depth in set(deep))


def _height(made: Board, thing: Any) -> Any:
    """How tall somebody is for those who look: a place without a unit is as tall as an ordinary one."""
    unit = getattr(thing, "unit", thing)
    return made.number("sight_height", unit) if unit._noun == "unit" else 1


def _verdict(made: Board, cell: int, ends: tuple[Any, Any], levels: tuple[Any, Any], tall: Any, lower: int) -> Any:
    """What a hex between two others does to the line: True it blocks, None nothing, else how many such hexes it lets one see through.

    levels: of the lower and the higher end; lower: the cell of the lower end.
    """
    low, high = levels
    here = level(made, cell)
    if here > high or (here == high and low < high):
        return True
    if here < low:
        return None
    others = [u for u in made.units_at(cell) if u is not ends[0] and u is not ends[1]]
    if low < high:  # seen over, but for what it hides behind it
        behind = made.grid.distance(cell, lower)
        hides = [made.number("blind_behind", t) for t in made.lands_at(cell)]
        hides += [made.number("blind_behind_unit", u) for u in others]
        return True if any(h >= behind for h in hides) else None
    if any(made.number("screen_height", u) >= tall for u in others):
        return True
    depths = [made.number("sight_depth", t) for t in made.lands_at(cell) if made.number("blocks_sight", t)]
    if not depths:
        return None
    return True if min(depths) <= 0 else min(depths)


# -- what lies between ---------------------------------------------------------------------------


def _crossed(made: Board, a: Any, b: Any) -> Iterator[int]:
    i, j = made.cell_of(a), made.cell_of(b)
    if i is not None and j is not None:
        for cells in made.grid.line(i, j):
            yield from cells


def line_between(battle: Any, a: Any, b: Any) -> list[Any]:
    """The hexes between two places in order from the first; of an edge along which the line runs, both."""
    made = board_of(battle)
    return [made.hexes[c] for c in _crossed(made, a, b)]


def terrain_between(battle: Any, a: Any, b: Any) -> list[Any]:
    """The terrain on these hexes, each piece once, in order from the first place."""
    made = board_of(battle)
    return list(dict.fromkeys(t for c in _crossed(made, a, b) for t in made.lands_at(c)))


def units_between(battle: Any, a: Any, b: Any) -> Sequence[Any]:
    """The units on these hexes, in order from the first place."""
    made = board_of(battle)
    return [u for c in _crossed(made, a, b) for u in made.units_at(c) if u is not a and u is not b]


__all__ = ["at_rim", "clear", "level", "line_between", "sees", "terrain_between", "units_between"]
