"""The only door to shapely: polygons for drawing, and areas of shapes that are not convex."""

from collections.abc import Iterable
from functools import lru_cache

from shapely import unary_union  # type: ignore[import-untyped]
from shapely.geometry import Polygon  # type: ignore[import-untyped]

from warhost_field.measure import Point

__all__ = ["Polygon", "corners_of", "polygon", "shared", "united"]


@lru_cache(maxsize=8192)
def polygon(points: tuple[Point, ...]) -> Polygon:
    """A polygon from its corners, built once for each ring."""
    return Polygon(points)


def united(rings: Iterable[tuple[Point, ...]]) -> Polygon:
    """The union of overlapping polygons; what lies apart from the rest makes a MultiPolygon."""
    return unary_union([polygon(ring) for ring in rings])


def corners_of(shape: Polygon) -> tuple[Point, ...]:
    """Corners of the outer ring, without the repeated last one."""
    return tuple((float(x), float(y)) for x, y in list(shape.exterior.coords)[:-1])


def shared(a: Polygon, b: Polygon) -> float:
    """Area common to two polygons, square units."""
    return float(a.intersection(b).area)
