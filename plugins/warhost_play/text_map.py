"""The table as text: ground, units as letters, and who they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from shapely import contains_xy  # type: ignore[import-untyped]
from shapely.geometry import Polygon  # type: ignore[import-untyped]

#: Characters across the table. A character is taken to be twice as high as it is wide.
WIDTH = 78

#: How ground is drawn, by its type, in the order in which types come up.
GROUND = ":~^%#=\"'+;"

#: How markers are drawn, by their names, in the order in which these come up.
MARKERS = "!?$&@*<>"

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


def text_map(picture: Json, sides: Sequence[Any], width: int = WIDTH, most: int = WIDTH) -> list[str]:
    """Lines of text: the table, what its ground is, every unit with its letter, and the markers.

    picture: as plugins draw it (docs/design/log.md). sides: the first one's units are capital letters. most: how wide
    it may become where the names of fields need more than `width`. A field has its name in the middle, who is there
    above it, and a marker to the right of them.
    """
    fields = _fields(picture)
    grid = _grid(picture, width)
    while fields and grid.columns < most and _crowded(fields, grid, apart=1):
        grid = _grid(picture, grid.columns + 1)
    drawn = [[" "] * grid.columns for _ in range(grid.rows)]
    signs = _ground(picture.get("terrain", ()))
    for piece in sorted(picture.get("terrain", ()), key=lambda p: -_size(p["points"])):
        for column, row in grid.inside(piece["points"]):
            drawn[row][column] = signs[str(piece["type"])]
    letters, tokens = _letters(picture.get("units", ()), sides), _tokens(picture.get("markers", ()))
    if fields and not _crowded(fields, grid):
        for field in fields:
            _write(drawn, field.name, *grid.cell(field.x, field.y))
        _fill(drawn, picture, fields, grid, letters, tokens)
    else:
        for unit in picture.get("units", ()):
            for column, row in grid.inside(unit["outline"]):
                drawn[row][column] = letters[unit["id"]]
        for marker in picture.get("markers", ()):
            column, row = grid.cell(*marker["at"])
            drawn[row][column] = tokens[_named(marker)]
    rim = f"+{'-' * grid.columns}+"
    measure = f" {picture['width']:g} x {picture['depth']:g} {picture.get('unit', '')}".rstrip()
    lines = [rim, *(f"|{''.join(row)}|" for row in drawn), rim + ("" if fields else measure)]
    if signs:
        lines.append("ground: " + ", ".join(f"{sign} {name.replace('_', ' ')}" for name, sign in signs.items()))
    if tokens:
        lines.append("markers: " + ", ".join(_where(name, sign, picture, fields) for name, sign in tokens.items()))
    return [*lines, *_legend(picture, sides, letters, fields)]


@dataclass(frozen=True, slots=True)
class _Field:
    """A field of the board: its name and its middle."""

    name: str
    x: float
    y: float


def _grid(picture: Json, width: int) -> _Grid:
    across, deep = float(picture["width"]), float(picture["depth"])
    return _Grid(across, deep, width, max(1, round(width * deep / across / 2)))


def _crowded(fields: Iterable[_Field], grid: _Grid, apart: int = 0) -> bool:
    """Whether names of fields would stand on each other, or less than some characters apart."""
    taken: dict[int, list[tuple[int, int]]] = {}
    for field in fields:
        column, row = grid.cell(field.x, field.y)
        first = column - len(field.name) // 2
        taken.setdefault(row, []).append((first, first + len(field.name)))
    return any(
        right > left - apart
        for row in taken.values()
        for (_, right), (left, _) in pairwise(sorted(row))
    )  # fmt: skip


def ground(picture: Json) -> dict[str, str]:
    """Each piece of ground by its id: its name and where it lies, `hill 1 at (33, 22)`."""
    fields = _fields(picture)
    pieces = {str(piece["id"]): piece for piece in reversed(picture.get("terrain", ()))}
    return {id: f"{piece['name']} at {_spot(fields, *_middle(piece['points']))}" for id, piece in pieces.items()}


def _fields(picture: Json) -> list[_Field]:
    return [_Field(str(cell["name"]), *_middle(cell["points"])) for cell in picture.get("cells", ())]


def _spot(fields: Sequence[_Field], x: float, y: float) -> str:
    return _nearest(fields, x, y).name if fields else f"({x:.0f}, {y:.0f})"


def _fill(
    drawn: list[list[str]], picture: Json, fields: Sequence[_Field], grid: _Grid, letters: Mapping[str, str],
    tokens: Mapping[str, str],
) -> None:  # fmt: skip
    """Who and what is on each field, above its name, or below it at the upper edge."""
    here: dict[_Field, str] = {}
    lying: dict[_Field, str] = {}
    for unit in picture.get("units", ()):
        field = _nearest(fields, *_middle(unit["outline"]))
        here[field] = here.get(field, "") + letters[unit["id"]]
    for marker in picture.get("markers", ()):
        field = _nearest(fields, *marker["at"])
        lying[field] = lying.get(field, "") or tokens[_named(marker)]
    for field in fields:
        column, row = grid.cell(field.x, field.y)
        row += -1 if row else 1
        if row < len(drawn):
            who = here.get(field, "")
            _write(drawn, who * 3 if len(who) == 1 else who[:3], column - 1, row)
            _write(drawn, lying.get(field, ""), column + 1, row)


def _nearest(fields: Iterable[_Field], x: float, y: float) -> _Field:
    return min(fields, key=lambda field: (field.x - x) ** 2 + (field.y - y) ** 2)


def _named(marker: Json) -> str:
    return str(marker.get("name") or marker.get("id", ""))


def _tokens(markers: Iterable[Json]) -> dict[str, str]:
    """A sign for each name that markers have."""
    names = list(dict.fromkeys(_named(marker) for marker in markers))
    return {name: MARKERS[i % len(MARKERS)] for i, name in enumerate(names)}


def _where(name: str, sign: str, picture: Json, fields: Sequence[_Field]) -> str:
    """`! barrier (4-7, 5-7)`."""
    found = [marker for marker in picture.get("markers", ()) if _named(marker) == name]
    if not fields:
        return f"{sign} {name}"
    return f"{sign} {name} ({', '.join(_nearest(fields, *marker['at']).name for marker in found)})"


def _write(drawn: list[list[str]], text: str, column: int, row: int) -> None:
    """A word, its middle in some place of the drawing."""
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


def _legend(
    picture: Json, sides: Sequence[Any], letters: Mapping[str, str], fields: Sequence[_Field]
) -> list[str]:  # fmt: skip
    """Every unit with its letter, strength and state, side by side."""
    lines = []
    for side in sides:
        own = [u for u in picture.get("units", ()) if u.get("side") == side.id]
        if own:
            lines.append(f"{side.name}:")
            lines += [f"  {letters[u['id']]}  {_described(u, fields)}" for u in own]
    return lines


def _described(unit: Json, fields: Sequence[_Field]) -> str:
    text = f"{unit['name']}, {unit.get('strength', 1)} of {unit.get('start', unit.get('strength', 1))}"
    if fields:
        text += f", at {_nearest(fields, *_middle(unit['outline'])).name}"
    if unit.get("facing") is not None:
        text += f", faces {ARROWS[round(float(unit['facing']) / 45.0) % 8]}"
    marks = [str(mark) for mark in unit.get("marks", ())]
    return f"{text} ({', '.join(marks)})" if marks else text


def _middle(points: Sequence[Sequence[float]]) -> tuple[float, float]:
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)


def _size(points: Sequence[Sequence[float]]) -> float:
    return float(Polygon(points).area) if len(points) > 2 else 0.0
