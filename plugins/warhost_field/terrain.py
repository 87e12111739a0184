"""Terrain pieces: shapes on the table with what geometry has to know about them.

What a wood or a wall does to troops is the ruleset's business and stays in `properties`. This package reads
only height and elevation (levels), whether a piece blocks sight and how deep one sees into or through it
(table units), and whether nothing on foot may enter it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from warhost_field.blocks import rounded
from warhost_field.convex import Convex, contains, convex, convex_parts, near, overlap, point_gap, rectangle, without
from warhost_field.convex import shared_area as convex_shared_area
from warhost_field.measure import FieldError, Point, ahead, length, quantise, rotated
from warhost_field.polygons import polygon, shared, united
from warhost_field.records import record

if TYPE_CHECKING:
    from shapely.geometry import Polygon  # type: ignore[import-untyped]

ROUND_CORNERS = 32
"""Corners of a circle or ellipse; the polygon lies within 0.5 % of the radius of the true curve."""

JOINT_CORNERS = 8
"""Corners of the disc over a joint of a line."""

RIM = 0.01
"""A block must reach this deep into a piece, in table units, to be in it."""


@record
class Piece:
    """One piece of terrain.

    `parts` are convex and cover the piece (those of a line may overlap each other). `height`: levels it
    rises, for lines of sight. `elevation`: levels by which it lifts those who stand on it. `see_into`,
    `see_through`: longest run of a line of sight inside it when one end lies in it, and when none does; they
    count if `blocks_sight`. `boundless`: then nobody looks over it, from whatever level. `covered`: something lies over
    all of it. `roof`: whoever stands in it is hidden from above too. `free_within`: it slows who comes in or goes out,
    and nobody who stays in it.
    """

    id: str
    type: str
    parts: tuple[Convex, ...]
    polygon: Polygon
    height: float = 0.0
    elevation: float = 0.0
    blocks_sight: bool = False
    see_into: float = 0.0
    see_through: float = 0.0
    impassable: bool = False
    covered: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)
    boundless: bool = False
    free_within: bool = False
    roof: bool = False
    x: float = field(init=False, compare=False, repr=False)
    y: float = field(init=False, compare=False, repr=False)
    radius: float = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        x = sum(p.x for p in self.parts) / len(self.parts)
        y = sum(p.y for p in self.parts) / len(self.parts)
        object.__setattr__(self, "x", x)
        object.__setattr__(self, "y", y)
        object.__setattr__(self, "radius", max(length(p.x - x, p.y - y) + p.radius for p in self.parts))

    @property
    def centre(self) -> Point:
        """Mean of the centres of its parts."""
        return self.x, self.y

    def contains(self, point: Point) -> bool:
        """Whether a point lies in the piece or on its rim."""
        if length(point[0] - self.x, point[1] - self.y) > self.radius + RIM:
            return False
        return any(contains(part, point) for part in self.parts)

    def covers_any_of(self, shape: Convex) -> bool:
        """Whether any part of a shape lies in the piece, deeper than the rim."""
        dx, dy, reach = shape.x - self.x, shape.y - self.y, shape.radius + self.radius
        if dx * dx + dy * dy > reach * reach:
            return False
        return any(overlap(part, shape, RIM) for part in self.parts)

    def share_of(self, shape: Convex) -> float:
        """Share 0..1 of a shape's area that lies in the piece."""
        area = polygon(shape.points).area
        if len(self.parts) == 1:
            return min(1.0, float(convex_shared_area(shape, self.parts[0]) / area))
        if not any(near(part, shape) for part in self.parts):
            return 0.0
        return min(1.0, shared(self.polygon, polygon(shape.points)) / float(area))

    def distance_to(self, point: Point) -> float:
        """Distance from a point to the piece, 0 inside."""
        return min(point_gap(part, point) for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """Plain data for drawing: the rings of the parts' union, points rounded to 3 decimals."""
        shapes = list(getattr(self.polygon, "geoms", [self.polygon]))
        return {
            "id": self.id,
            "type": self.type,
            "height": self.height,
            "elevation": self.elevation,
            "outline": rounded(tuple(shapes[0].exterior.coords)[:-1]),
            "holes": [rounded(tuple(ring.coords)[:-1]) for ring in shapes[0].interiors],
            "more": [rounded(tuple(shape.exterior.coords)[:-1]) for shape in shapes[1:]],
            "properties": dict(self.properties),
        }


def spanned(land: Piece, over: Sequence[Convex]) -> Piece:
    """A piece without what lies under some shapes; covered, but whole, if that is all of it."""
    parts: tuple[Convex, ...] = land.parts
    for shape in over:
        parts = tuple(rest for part in parts for rest in without(part, shape))
    if not parts:
        return replace(land, covered=True)
    return land if parts == land.parts else replace(land, parts=parts, polygon=united(p.points for p in parts))


def piece(data: Mapping[str, Any]) -> Piece:
    """A piece from plain data, as it stands in YAML.

    Keys: id, type, `shape` and the numbers of that shape, and optionally height, elevation, blocks_sight,
    see_into, see_through, impassable, properties. Shapes: rectangle (x, y centre, width, depth, angle),
    circle (x, y, radius), ellipse (x, y, width, depth, angle), polygon (points), line (points, thickness).
    Raises FieldError naming the piece and what is missing or wrong.
    """
    name = str(data.get("id", "?"))
    try:
        parts = _parts(data)
    except KeyError as missing:
        raise FieldError(f"terrain piece {name}: missing {missing.args[0]}") from None
    except (TypeError, ValueError) as wrong:
        raise FieldError(f"terrain piece {name}: {wrong}") from None
    return Piece(
        name,
        str(data.get("type", "")),
        parts,
        _outline(data, parts),
        float(data.get("height", 0.0)),
        float(data.get("elevation", 0.0)),
        bool(data.get("blocks_sight", False)),
        float(data.get("see_into", 0.0)),
        float(data.get("see_through", 0.0)),
        bool(data.get("impassable", False)),
        False,
        dict(data.get("properties", {})),
    )


def _parts(data: Mapping[str, Any]) -> tuple[Convex, ...]:
    shape = data["shape"]
    if shape == "rectangle":
        return (_rectangle(data),)
    if shape == "circle":
        return (_ellipse(data, float(data["radius"]) * 2.0, float(data["radius"]) * 2.0),)
    if shape == "ellipse":
        return (_ellipse(data, float(data["width"]), float(data["depth"])),)
    if shape == "polygon":
        return _polygon(data)
    if shape == "line":
        return _line(_points(data), float(data["thickness"]))
    raise FieldError(f"unknown shape {shape!r}; known: rectangle, circle, ellipse, polygon, line")


def _outline(data: Mapping[str, Any], parts: tuple[Convex, ...]) -> Polygon:
    if len(parts) == 1:
        return polygon(parts[0].points)
    if data["shape"] == "polygon":
        return polygon(_points(data))
    return united(part.points for part in parts)


def _rectangle(data: Mapping[str, Any]) -> Convex:
    width, depth = float(data["width"]), float(data["depth"])
    if not (width > 0.0 and depth > 0.0):
        raise FieldError("a rectangle needs a width and a depth above 0")
    return rectangle(float(data["x"]), float(data["y"]), float(data.get("angle", 0.0)), width, depth)


def _ellipse(data: Mapping[str, Any], width: float, depth: float, count: int = ROUND_CORNERS) -> Convex:
    return _ellipse_at((float(data["x"]), float(data["y"])), width, depth, float(data.get("angle", 0.0)), count)


@lru_cache(maxsize=4096)
def _ellipse_at(centre: Point, width: float, depth: float, angle: float, count: int) -> Convex:
    corners = []
    for i in range(count):
        sine, cosine = ahead(360.0 * i / count)
        corner = (centre[0] + width / 2.0 * sine, centre[1] + depth / 2.0 * cosine)
        turned = rotated(corner, centre, angle)
        corners.append((quantise(turned[0]), quantise(turned[1])))
    return convex(corners)


def _polygon(data: Mapping[str, Any]) -> tuple[Convex, ...]:
    points = _points(data)
    if not polygon(points).is_valid:
        raise FieldError("the outline crosses itself")
    return convex_parts(points)


def _points(data: Mapping[str, Any]) -> tuple[Point, ...]:
    return tuple((quantise(float(x)), quantise(float(y))) for x, y in data["points"])


def _line(points: Sequence[Point], thickness: float) -> tuple[Convex, ...]:
    """A rectangle for each stretch and a disc over each joint."""
    if len(points) < 2 or not thickness > 0.0:
        raise FieldError("a line needs two points and a thickness above 0")
    parts = [_stretch(a, b, thickness / 2.0) for a, b in pairwise(points)]
    for x, y in points[1:-1]:
        parts.append(_ellipse({"x": x, "y": y}, thickness, thickness, JOINT_CORNERS))
    return tuple(parts)


def _stretch(a: Point, b: Point, half: float) -> Convex:
    size = length(b[0] - a[0], b[1] - a[1])
    if size < 1e-6:
        raise FieldError("two points of a line coincide")
    nx, ny = (b[1] - a[1]) / size * half, (a[0] - b[0]) / size * half
    return convex(
        [(a[0] + nx, a[1] + ny), (b[0] + nx, b[1] + ny), (b[0] - nx, b[1] - ny), (a[0] - nx, a[1] - ny)]
    )
