"""The board as plain data for reports: cells, ground, markers, and units as counters."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from warhost.things import noun_of
from warhost_hexes.board import Board
from warhost_hexes.grid import Grid

#: The size of a counter, as a share of its hex.
COUNTER = 0.9

#: The offset (x, y) of a marker's sign from the centre of its hex: beside the counter of a unit that is there.
ASIDE = (0.3, 0.32)

Ring = list[list[float]]


def picture(made: Board) -> dict[str, Any]:
    """A picture of the board as docs/design/log.md describes it. Lengths are in steps from hex to hex."""
    battle, layout = made.battle, made.grid
    width, depth = layout.box
    terrain = [row for land in battle.everyone["terrain"] for row in _ground(made, land)]
    return {
        "width": width, "depth": depth, "unit": battle.rules.length_unit,
        "cells": list(_cells(layout)),
        "terrain": terrain,
        "markers": [_marker(made, m) for m in battle.everyone["marker"] if m.place is not None],
        "units": [_counter(made, u) for u in battle.everyone["unit"] if u.place is not None],
    }  # fmt: skip


@lru_cache(maxsize=8)
def _cells(layout: Grid) -> tuple[dict[str, Any], ...]:
    """The hexes of a board, computed once for all pictures of boards of its size."""
    return tuple({"name": layout.label(c), "points": layout.outline(c)} for c in range(layout.size))


def _ground(made: Board, land: Any) -> Iterable[dict[str, Any]]:
    fields = made.battle.program.nouns["terrain"].fields
    marks = [f.replace("_", " ") for f, i in fields.items() if i.type.kind == "yes_no" and getattr(land, f) is True]
    about = {"id": land.id, "name": land.name, "type": land.type, "height": land.height}
    for ring in rings(made.grid, [h.cell for h in land.hexes]):
        yield {**about, "points": ring, "marks": marks}


def _marker(made: Board, marker: Any) -> dict[str, Any]:
    x, y = made.grid.centre(marker.place.cell)
    at = [round(x + ASIDE[0], 3), round(y + ASIDE[1], 3)]
    return {"id": marker.id, "name": marker.name, "at": at, "marks": _flags(made, marker)}


def _counter(made: Board, unit: Any) -> dict[str, Any]:
    strength = getattr(unit, "figures", getattr(unit, "models", unit.size))
    return {
        "id": unit.id, "name": unit.name, "side": unit.side.id,
        "outline": made.grid.outline(unit.place.cell, COUNTER), "bases": [], "front": [], "facing": None,
        "strength": strength, "start": max(unit.size, 1), "marks": _flags(made, unit),
    }  # fmt: skip


def _flags(made: Board, thing: Any) -> list[str]:
    """The names of a thing's yes/no state fields that are yes now."""
    fields = made.battle.program.nouns[noun_of(thing)].fields
    flags = [n for n, i in fields.items() if i.writable and i.type.kind == "yes_no" and n != "halted"]
    return [n.replace("_", " ") for n in flags if getattr(thing, n, False) is True]


def rings(layout: Grid, cells: Iterable[int]) -> list[Ring]:
    """The outline of each connected part of a set of hexes; a part with holes is outlined hex by hex."""
    left = sorted(set(cells))
    found: list[Ring] = []
    while left:
        part = _part(layout, left)
        left = [c for c in left if c not in part]
        around = _around(layout, part)
        found += around if len(around) == 1 else [layout.outline(c) for c in sorted(part)]
    return found


def _part(layout: Grid, cells: list[int]) -> set[int]:
    """The hexes that are connected with the first one."""
    known, queue, part = set(cells), deque(cells[:1]), set(cells[:1])
    while queue:
        for n in layout.near[queue.popleft()]:
            if n in known and n not in part:
                part.add(n)
                queue.append(n)
    return part


def _around(layout: Grid, part: set[int]) -> list[Ring]:
    """The closed lines along the edges of a part: those that only one of its hexes has."""
    edges: dict[tuple[float, float], tuple[float, float]] = {}
    counted: dict[frozenset[tuple[float, float]], tuple[tuple[float, float], tuple[float, float]] | None] = {}
    for cell in sorted(part):
        corners = [(round(x, 3), round(y, 3)) for x, y in layout.outline(cell)]
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            key = frozenset((a, b))
            counted[key] = None if key in counted else (a, b)
    for edge in counted.values():
        if edge is not None:
            edges[edge[0]] = edge[1]
    found: list[Ring] = []
    while edges:
        start = next(iter(edges))
        ring, here = [start], edges.pop(start)
        while here != start:
            ring.append(here)
            here = edges.pop(here)
        found.append([list(p) for p in ring])
    return found


__all__ = ["picture", "rings"]
