"""The only door to shapely: polygons for drawing, and areas of shapes that are not convex."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from warhost_field.measure import Point

if TYPE_CHECKING:  # few moments of a battle need it, and it takes long to import
    from shapely.geometry import Polygon  # type: ignore[import-untyped]


@lru_cache(maxsize=8192)
def polygon(points: tuple[Point, ...]) -> Polygon:
    """A polygon from its corners, built once for each ring."""
    from shapely.geometry import Polygon

    return Polygon(points)


def united(rings: Iterable[tuple[Point, ...]]) -> Polygon:
    """The union of overlapping polygons; what lies apart from the rest makes a MultiPolygon."""
    from shapely import unary_union  # type: ignore[import-untyped]

    return unary_union([polygon(ring) for ring in rings])


def corners_of(shape: Polygon) -> tuple[Point, ...]:
    """Corners of the outer ring, without the repeated last one."""
    return tuple((float(x), float(y)) for x, y in list(shape.exterior.coords)[:-1])


def shared(a: Polygon, b: Polygon) -> float:
    """Area common to two polygons, square units."""
    return float(a.intersection(b).area)
