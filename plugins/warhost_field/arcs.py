"""Arcs of sight and of fire.

An arc looks out of one edge of a block. Measured from the corners, its bounds leave the two ends of that
edge; measured from the centre, both leave the block's centre. Arcs wider than 180 degrees are what the arc of
the remaining width on the opposite side leaves over.
"""

import math
from collections.abc import Iterable
from typing import Literal

from warhost_field.blocks import Block, Side
from warhost_field.convex import clipped_area, signed_area
from warhost_field.measure import FieldError, Point, ahead

ArcKind = Literal["front", "flank", "left", "right", "rear"]
ArcOrigin = Literal["corners", "centre"]
ArcTest = Literal["any", "whole", "half", "centre"]
Plane = tuple[float, float, float]

OPPOSITE: dict[Side, Side] = {"front": "rear", "rear": "front", "left": "right", "right": "left"}


def in_arc(
    block: Block,
    target: Block | Point,
    kind: ArcKind = "front",
    width: float = 90.0,
    origin: ArcOrigin = "corners",
    test: ArcTest = "any",
) -> bool:
    """Whether a point or block lies in an arc `width` degrees wide; a bound belongs to the arc.

    For blocks: `any` part, the `whole` outline, at least `half` its area, or its `centre`. `flank` is either
    flank.
    """
    if kind == "flank":
        return any(in_arc(block, target, side, width, origin, test) for side in _sides(kind))
    side = _sides(kind)[0]
    if not isinstance(target, Block):
        return _holds(block, side, width, origin, target)
    if test == "centre":
        return _holds(block, side, width, origin, target.centre)
    if test == "whole":
        return fraction_in_arc(block, target, kind, width, origin) >= 1.0 - 1e-6
    if test == "half":
        return fraction_in_arc(block, target, kind, width, origin) >= 0.5 - 1e-6
    return any(_holds(block, side, width, origin, p) for p in target.corners) or (
        fraction_in_arc(block, target, kind, width, origin) > 1e-6
    )


def fraction_in_arc(
    block: Block,
    target: Block,
    kind: ArcKind = "front",
    width: float = 90.0,
    origin: ArcOrigin = "corners",
) -> float:
    """Share 0..1 of the target's area in the arc (of a flank arc: in both flanks together)."""
    return min(1.0, sum(_side_fraction(block, target, side, width, origin) for side in _sides(kind)))


def before(block: Block, points: Iterable[Point], width: float = 90.0) -> tuple[bool, ...]:
    """For each point whether it lies in the front arc from the corners: `in_arc`, faster for many points."""
    if width >= 180.0:
        return tuple(in_arc(block, point, "front", width) for point in points)
    fx, fy, half_width, half_depth = block.frame
    x, y = block.centre
    slope = math.tan(math.radians(width / 2.0))
    found = []
    for px, py in points:
        dx, dy = px - x, py - y
        beyond = dx * fx + dy * fy - half_depth
        found.append(beyond >= -1e-6 and abs(dx * fy - dy * fx) - half_width <= beyond * slope + 1e-6)
    return tuple(found)


def models_in_arc(
    block: Block,
    target: Block,
    kind: ArcKind = "front",
    width: float = 90.0,
    origin: ArcOrigin = "corners",
) -> tuple[int, ...]:
    """Indices of the target's models whose base centres lie in the arc."""
    centres = enumerate(target.base_centres())
    return tuple(i for i, point in centres if in_arc(block, point, kind, width, origin))


def _sides(kind: ArcKind) -> tuple[Side, ...]:
    return ("left", "right") if kind == "flank" else (kind,)


def _holds(block: Block, side: Side, width: float, origin: ArcOrigin, point: Point) -> bool:
    if width >= 360.0:
        return True
    if width > 180.0:
        return not _within(block, OPPOSITE[side], 360.0 - width, origin, point, -1e-6)
    return _within(block, side, width, origin, point, 1e-6)


def _within(block: Block, side: Side, width: float, origin: ArcOrigin, point: Point, margin: float) -> bool:
    """The test of a point against an arc of at most 180 degrees, in the frame of its edge."""
    right, forward = block.local(point)
    across, outward = (right, forward) if side in ("front", "rear") else (forward, right)
    outward = -outward if side in ("rear", "left") else outward
    half_width, half_depth = 0.0, 0.0
    if origin == "corners":
        half_width, half_depth = block.width / 2.0, block.depth / 2.0
        if side in ("left", "right"):
            half_width, half_depth = half_depth, half_width
    beyond = outward - half_depth
    if beyond < -margin:
        return False
    return width >= 180.0 or abs(across) - half_width <= beyond * math.tan(math.radians(width / 2.0)) + margin


def _side_fraction(block: Block, target: Block, side: Side, width: float, origin: ArcOrigin) -> float:
    if width >= 360.0:
        return 1.0
    ring = target.shape.points
    area = abs(signed_area(ring))
    if width > 180.0:
        return 1.0 - clipped_area(ring, arc_planes(block, OPPOSITE[side], 360.0 - width, origin)) / area
    return clipped_area(ring, arc_planes(block, side, width, origin)) / area


def arc_planes(block: Block, side: Side, width: float, origin: ArcOrigin) -> tuple[Plane, ...]:
    """Half-planes (nx, ny, offset), nx x + ny y <= offset, whose common part is an arc of at most 180
    degrees.

    Raises FieldError for a width outside 0..180.
    """
    if not 0.0 < width <= 180.0:
        raise FieldError(f"an arc of {width} degrees does not exist")
    left, right = block.edge(side) if origin == "corners" else (block.centre, block.centre)
    facing = block.outward(side)
    leftmost, rightmost = ahead(facing - width / 2.0), ahead(facing + width / 2.0)
    bounds = [_plane((-leftmost[1], leftmost[0]), left), _plane((rightmost[1], -rightmost[0]), right)]
    if origin == "corners":
        fx, fy = ahead(facing)
        bounds.append(_plane((-fx, -fy), left))
    return tuple(bounds)


def _plane(normal: Point, through: Point) -> Plane:
    return normal[0], normal[1], normal[0] * through[0] + normal[1] * through[1]
