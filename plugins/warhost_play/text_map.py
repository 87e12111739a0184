"""The table as text: ground, units as letters, and who they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from shapely import contains_xy  # type: ignore[import-untyped]
from shapely.geometry import Polygon  # type: ignore[import-untyped]

#: Characters across the table. A character is taken to be twice as high as it is wide.
WIDTH = 78

#: How ground is drawn, by its type, in the order in which types come up.
GROUND = ":~^%#=\"'+;"

#: Where a unit faces, by eighths of a turn clockwise from straight up.
ARROWS = ("up", "up right", "right", "down right", "down", "down left", "left", "up left")

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Grid:
    """Rows of characters over a table; y of the table runs up. Lengths are those of the table."""

    width: float
    depth: float
    columns: int
    rows: int

    def centre(self, column: int, row: int) -> tuple[float, float]:
        return (column + 0.5) * self.width / self.columns, self.depth - (row + 0.5) * self.depth / self.rows

    def cell(self, x: float, y: float) -> tuple[int, int]:
        column = int(x / self.width * self.columns)
        row = int((self.depth - y) / self.depth * self.rows)
        return min(max(column, 0), self.columns - 1), min(max(row, 0), self.rows - 1)

    def inside(self, outline: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
        """The characters whose middles lie in an outline; the one at its middle if it is smaller than any."""
        if len(outline) < 3:
            return [self.cell(*outline[0])] if outline else []
        shape = Polygon(outline).buffer(0)
        if shape.is_empty:
            return [self.cell(*outline[0])]
        left, low, right, high = shape.bounds
        first, last = self.cell(left, high), self.cell(right, low)
        cells = [(c, r) for r in range(first[1], last[1] + 1) for c in range(first[0], last[0] + 1)]
        middles = [self.centre(c, r) for c, r in cells]
        found = contains_xy(shape, [x for x, _ in middles], [y for _, y in middles])
        covered = [cell for cell, lies in zip(cells, found, strict=True) if lies]
        return covered or [self.cell(shape.centroid.x, shape.centroid.y)]


def text_map(picture: Json, sides: Sequence[Any], width: int = WIDTH) -> list[str]:
    """Lines of text: the table, what its ground is, and every unit with its letter.

    picture: as plugins draw it (docs/design/log.md). sides: the first one's units are capital letters.
    """
    across, deep = float(picture["width"]), float(picture["depth"])
    grid = _Grid(across, deep, width, max(1, round(width * deep / across / 2)))
    drawn = [[" "] * grid.columns for _ in range(grid.rows)]
    signs = _ground(picture.get("terrain", ()))
    for piece in sorted(picture.get("terrain", ()), key=lambda p: -_size(p["points"])):
        for column, row in grid.inside(piece["points"]):
            drawn[row][column] = signs[str(piece["type"])]
    for cell in picture.get("cells", ()):
        _write(drawn, str(cell["name"]), grid.cell(*_middle(cell["points"])))
    letters = _letters(picture.get("units", ()), sides)
    for unit in picture.get("units", ()):
        for column, row in grid.inside(unit["outline"]):
            drawn[row][column] = letters[unit["id"]]
    rim = f"+{'-' * grid.columns}+"
    measure = f" {across:g} x {deep:g} {picture.get('unit', '')}".rstrip()
    lines = [rim, *(f"|{''.join(row)}|" for row in drawn), rim + ("" if picture.get("cells") else measure)]
    if signs:
        lines.append("ground: " + ", ".join(f"{sign} {name.replace('_', ' ')}" for name, sign in signs.items()))
    return [*lines, *_legend(picture, sides, letters)]


def _write(drawn: list[list[str]], text: str, middle: tuple[int, int]) -> None:
    """A word, its middle in some place of the drawing."""
    column, row = middle
    for i, character in enumerate(text, start=column - len(text) // 2):
        if 0 <= i < len(drawn[row]):
            drawn[row][i] = character


def _ground(terrain: Iterable[Json]) -> dict[str, str]:
    types = list(dict.fromkeys(str(piece["type"]) for piece in terrain))
    return {name: GROUND[i % len(GROUND)] for i, name in enumerate(types)}


def _letters(units: Iterable[Json], sides: Sequence[Any]) -> dict[str, str]:
    """A letter for each unit: capitals for the first side, small ones for the others; digits when they run out."""
    found: dict[str, str] = {}
    first = sides[0].id if sides else ""
    counts = {True: 0, False: 0}
    for unit in units:
        ours = unit.get("side") == first
        row = (ascii_uppercase if ours else ascii_lowercase) + "0123456789"
        found[str(unit["id"])] = row[counts[ours] % len(row)]
        counts[ours] += 1
    return found


def _legend(picture: Json, sides: Sequence[Any], letters: Mapping[str, str]) -> list[str]:
    """Every unit with its letter, strength and state, side by side."""
    cells = [(str(cell["name"]), _middle(cell["points"])) for cell in picture.get("cells", ())]
    lines = []
    for side in sides:
        own = [u for u in picture.get("units", ()) if u.get("side") == side.id]
        if own:
            lines.append(f"{side.name}:")
            lines += [f"  {letters[u['id']]}  {_described(u, cells)}" for u in own]
    return lines


def _described(unit: Json, cells: Sequence[tuple[str, tuple[float, float]]]) -> str:
    text = f"{unit['name']}, {unit.get('strength', 1)} of {unit.get('start', unit.get('strength', 1))}"
    if cells:
        x, y = _middle(unit["outline"])
        text += f", at {min(cells, key=lambda cell: (cell[1][0] - x) ** 2 + (cell[1][1] - y) ** 2)[0]}"
    if unit.get("facing") is not None:
        text += f", faces {ARROWS[round(float(unit['facing']) / 45.0) % 8]}"
    marks = [str(mark) for mark in unit.get("marks", ())]
    return f"{text} ({', '.join(marks)})" if marks else text


def _middle(points: Sequence[Sequence[float]]) -> tuple[float, float]:
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def _size(points: Sequence[Sequence[float]]) -> float:
    return float(Polygon(points).area) if len(points) > 2 else 0.0
