"""Distance and contact between blocks, and the side of a block on which another stands.

Lengths are in the ruleset's unit of length; shapes that are at most TOUCH apart count as touching.
"""

from collections.abc import Iterable
from typing import Literal

from warhost_field.blocks import SIDES, Block, Side
from warhost_field.convex import Convex, gap, separation, within
from warhost_field.measure import TOUCH, Point
from warhost_field.records import record

SideMethod = Literal["corner_lines", "edge"]
Measured = Literal["models", "centre", "front"]


@record
class BaseContact:
    """Base `first` of one block touches base `second` of another; `corner`: at a single point only."""

    first: int
    second: int
    corner: bool


def distance(a: Block, b: Block) -> float:
    """The distance from edge to edge; 0 in contact or overlap."""
    return gap(a.shape, b.shape)


def touches(a: Block, b: Block, tolerance: float = TOUCH) -> bool:
    """Whether the outlines are at most `tolerance` apart (overlapping blocks touch)."""
    dx, dy = a.shape.x - b.shape.x, a.shape.y - b.shape.y
    reach = a.shape.radius + b.shape.radius + tolerance
    return dx * dx + dy * dy <= reach * reach and gap(a.shape, b.shape) <= tolerance


def side_of(
    attacker: Block, target: Block, method: SideMethod = "corner_lines", measured: Measured = "models"
) -> Side:
    """The side of `target` on which `attacker` stands.

    method `corner_lines`: lines at 45 degrees out of the target's corners divide the table into four sides; the result
    is the side that holds most of the attacker's models, its centre, or the centre of its front (`measured`). Points on
    a line, and ties, go to the earlier of front, left, right, rear. method `edge`: the edge beyond which the whole
    attacker stands, by the widest margin. A block without flanks only has a front.
    """
    if not target.formation.has_flanks:
        return "front"
    if method == "edge":
        return _edge_side(attacker, target)
    if measured == "models":
        corners = sides_of_points(attacker.shape.points, target)
        if corners.count(corners[0]) == len(corners):  # each side is a convex part of the table: all models are in it
            return corners[0]
        return _most(sides_of_points(attacker.base_centres(), target))
    return side_of_point(attacker.centre if measured == "centre" else attacker.front_centre, target)


def side_of_point(point: Point, target: Block) -> Side:
    """The side of `target` on which a point lies; points on a corner line are in front or behind."""
    return sides_of_points((point,), target)[0]


def sides_of_points(points: Iterable[Point], target: Block) -> list[Side]:
    """The same for many points."""
    fx, fy, half_width, half_depth = target.frame
    cx, cy = target.centre
    found: list[Side] = []
    for x, y in points:
        dx, dy = x - cx, y - cy
        right, forward = dx * fy - dy * fx, dx * fx + dy * fy
        if abs(forward) - half_depth >= abs(right) - half_width - 1e-6:
            found.append("front" if forward >= 0.0 else "rear")
        else:
            found.append("right" if right > 0.0 else "left")
    return found


def _most(sides: list[Side]) -> Side:
    return max(SIDES, key=lambda side: (sides.count(side), -SIDES.index(side)))


def _edge_side(attacker: Block, target: Block) -> Side:
    shape = target.shape
    by_normal: tuple[Side, ...] = ("front", "left", "rear", "right")
    margins = {
        side: min(nx * x + ny * y for x, y in attacker.shape.points) - offset
        for side, (nx, ny), offset in zip(by_normal, shape.normals, shape.offsets, strict=True)
    }
    best = max(margins.values())
    return next(side for side in SIDES if margins[side] >= best - 1e-6)


def touching_bases(a: Block, b: Block, tolerance: float = TOUCH) -> tuple[BaseContact, ...]:
    """Every pair of touching bases, by index into `bases()` of each block, in order of index."""
    firsts = [(i, base) for i, base in a.striking_bases() if within(base, b.shape, tolerance)]
    seconds = [(i, base) for i, base in b.striking_bases() if within(base, a.shape, tolerance)]
    return tuple(
        BaseContact(i, j, _at_a_point(first, second, tolerance))
        for i, first in firsts
        for j, second in seconds
        if within(first, second, tolerance)
    )


def bases_in_contact(a: Block, b: Block, tolerance: float = TOUCH) -> frozenset[int]:
    """Which bases of `a` touch a base of `b`, by index; a corner is enough."""
    firsts = [(i, base) for i, base in a.striking_bases() if within(base, b.shape, tolerance)]
    seconds = [base for _, base in b.striking_bases() if within(base, a.shape, tolerance)]
    return frozenset(i for i, base in firsts if any(within(base, other, tolerance) for other in seconds))


def nearest_bases(a: Block, b: Block, tolerance: float = TOUCH) -> frozenset[int]:
    """Which bases of `a` are nearest to a base of `b`, by index; of a loose block, or against one, only the first."""
    others = b.bases()
    apart = [min(gap(base, other) for other in others) for base in a.bases()]
    found = [i for i, far in enumerate(apart) if far <= min(apart) + tolerance]
    ranked = a.formation.kind != "loose" and b.formation.kind != "loose"
    return frozenset(found if ranked else found[:1])


def _at_a_point(a: Convex, b: Convex, tolerance: float) -> bool:
    """Whether two touching shapes meet at a corner instead of along a stretch of edge."""
    return contact_length(a, b, tolerance) <= 2.0 * tolerance


def contact_length(a: Convex, b: Convex, tolerance: float = TOUCH) -> float:
    """Length of edge along which two shapes meet, 0 at a corner or if they are apart or overlap deeply."""
    apart = separation(a, b)
    if not -2.0 * tolerance <= apart <= tolerance:
        return 0.0
    return max(_stretch_along(a, b, apart, tolerance), _stretch_along(b, a, apart, tolerance))


def _stretch_along(a: Convex, b: Convex, apart: float, tolerance: float) -> float:
    """The length of b's rim along the edge of a that separates the two shapes. apart: the distance between them."""
    best = 0.0
    for i, ((nx, ny), offset) in enumerate(zip(a.normals, a.offsets, strict=True)):
        near_edge = [p for p in b.points if abs(nx * p[0] + ny * p[1] - offset - apart) <= tolerance]
        if len(near_edge) < 2:
            continue
        ends = [_along(p, nx, ny) for p in (a.points[i], a.points[(i + 1) % len(a.points)])]
        stretch = [_along(p, nx, ny) for p in near_edge]
        if min(nx * p[0] + ny * p[1] - offset for p in b.points) >= apart - 1e-9:
            best = max(best, min(max(ends), max(stretch)) - max(min(ends), min(stretch)))
    return best


def _along(point: Point, nx: float, ny: float) -> float:
    return point[0] * -ny + point[1] * nx
