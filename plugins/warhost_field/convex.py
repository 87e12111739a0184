"""Convex shapes: the arithmetic under everything else in this package.

Blocks are rectangles and terrain is cut into convex parts, so overlap, contact, distance and the moment of
contact of a moving block have closed forms (separating axes). They are plain Python: no rounding of a
geometry library is involved, and for a handful of rectangles they are faster than building polygon objects.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import radians

from warhost_field.measure import FieldError, Point, ahead, length, sine_and_cosine
from warhost_field.records import record

Frame = tuple[float, float, float, float]
Interval = tuple[float, float]

STILL = 1e-12
SLIVER = 0.001
"""Depth of an overlap, and area, below which nothing is cut off a shape."""


@record
class Convex:
    """A convex polygon, counter-clockwise, with edge i running from point i to point i + 1.

    `normals` point outwards, `offsets` are normal . point of each edge; (x, y, radius) is a bounding circle.
    `frame` is (forward x, forward y, half width, half depth) of a rectangle, None for other shapes.
    """

    points: tuple[Point, ...]
    normals: tuple[Point, ...]
    offsets: tuple[float, ...]
    x: float
    y: float
    radius: float
    frame: Frame | None = None


def rectangle(x: float, y: float, facing: float, width: float, depth: float) -> Convex:
    """Rectangle about centre (x, y); its points are front-right, front-left, rear-left, rear-right."""
    fx, fy = ahead(facing)
    half_width, half_depth = width / 2.0, depth / 2.0
    wx, wy = fy * half_width, -fx * half_width
    dx, dy = fx * half_depth, fy * half_depth
    points = (
        (x + wx + dx, y + wy + dy),
        (x - wx + dx, y - wy + dy),
        (x - wx - dx, y - wy - dy),
        (x + wx - dx, y + wy - dy),
    )
    along, across = x * fx + y * fy, x * fy - y * fx
    return Convex(
        points,
        ((fx, fy), (-fy, fx), (-fx, -fy), (fy, -fx)),
        (along + half_depth, half_width - across, half_depth - along, across + half_width),
        x,
        y,
        math.sqrt(half_width * half_width + half_depth * half_depth),
        (fx, fy, half_width, half_depth),
    )


def convex(points: Sequence[Point]) -> Convex:
    """A convex shape from its corners in either direction. Raises FieldError if it has no area."""
    ring = tuple(points)
    if signed_area(ring) < 0.0:
        ring = ring[::-1]
    if len(ring) < 3 or signed_area(ring) < 1e-9:
        raise FieldError("a shape needs at least three corners and an area")
    normals = []
    for (ax, ay), (bx, by) in zip(ring, ring[1:] + ring[:1], strict=True):
        size = length(bx - ax, by - ay) or 1.0
        normals.append(((by - ay) / size, (ax - bx) / size))
    offsets = tuple(n[0] * p[0] + n[1] * p[1] for n, p in zip(normals, ring, strict=True))
    x = (min(p[0] for p in ring) + max(p[0] for p in ring)) / 2.0
    y = (min(p[1] for p in ring) + max(p[1] for p in ring)) / 2.0
    radius = max(length(p[0] - x, p[1] - y) for p in ring)
    return Convex(ring, tuple(normals), offsets, x, y, radius)


def signed_area(ring: Sequence[Point]) -> float:
    """Area of a ring, positive if it runs counter-clockwise."""
    total = 0.0
    for i, (x, y) in enumerate(ring):
        px, py = ring[i - 1]
        total += px * y - x * py
    return total / 2.0


def hull(points: Iterable[Point]) -> tuple[Point, ...]:
    """Convex hull, counter-clockwise from the lowest-left point."""
    ordered = sorted(dict.fromkeys(points))
    lower = _chain(ordered)
    upper = _chain(ordered[::-1])
    return tuple(lower[:-1] + upper[:-1])


def _chain(ordered: Sequence[Point]) -> list[Point]:
    chain: list[Point] = []
    for point in ordered:
        while len(chain) > 1 and _cross(chain[-2], chain[-1], point) <= STILL:
            chain.pop()
        chain.append(point)
    return chain


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def convex_parts(ring: Sequence[Point]) -> tuple[Convex, ...]:
    """Cut a simple polygon into convex parts: itself if it is convex, else triangles."""
    points = [p for i, p in enumerate(ring) if p != ring[i - 1]]
    if signed_area(points) < 0.0:
        points.reverse()
    if _is_convex(points):
        return (convex(points),)
    parts: list[Convex] = []
    while len(points) > 3:
        ear = _ear(points)
        corner = (points[ear - 1], points[ear], points[(ear + 1) % len(points)])
        if signed_area(corner) > 1e-9:
            parts.append(convex(corner))
        del points[ear]
    if signed_area(points) > 1e-9:
        parts.append(convex(points))
    return tuple(parts)


def _is_convex(points: Sequence[Point]) -> bool:
    count = len(points)
    return all(_cross(points[i - 1], points[i], points[(i + 1) % count]) >= -1e-9 for i in range(count))


def _ear(points: Sequence[Point]) -> int:
    count = len(points)
    for i in range(count):
        a, b, c = points[i - 1], points[i], points[(i + 1) % count]
        rest = (p for p in points if p not in (a, b, c))
        if _cross(a, b, c) > STILL and not any(_in_triangle(p, a, b, c) for p in rest):
            return i
    return 0


def _in_triangle(p: Point, a: Point, b: Point, c: Point) -> bool:
    return _cross(a, b, p) >= 0.0 and _cross(b, c, p) >= 0.0 and _cross(c, a, p) >= 0.0


def near(a: Convex, b: Convex, margin: float = 0.0) -> bool:
    """Whether the bounding circles come within `margin`: the cheap test before every exact one."""
    dx, dy, reach = a.x - b.x, a.y - b.y, a.radius + b.radius + margin
    return dx * dx + dy * dy <= reach * reach


def separation(a: Convex, b: Convex) -> float:
    """Gap along the best separating axis: negative = depth of overlap, positive = at most the distance."""
    if a.frame:
        if b.frame:
            return _frames_apart(b.x - a.x, b.y - a.y, a.frame, b.frame)
        return _box_separation(b, a.x, a.y, a.frame)
    if b.frame:
        return _box_separation(a, b.x, b.y, b.frame)
    return max(_beyond(a, b.points), _beyond(b, a.points))


def _box_separation(shape: Convex, x: float, y: float, frame: Frame, enough: float = math.inf) -> float:
    """Gap between a shape and a rectangle about (x, y); if it is `enough` or more, anything from `enough` up to it.

    Axes that cannot be the best are left out early.
    """
    fx, fy, half_width, half_depth = frame
    best, nearest = -math.inf, shape.points[0]
    for (nx, ny), o, corner in zip(shape.normals, shape.offsets, shape.points):  # noqa: B905 - all are made together
        value = nx * x + ny * y - o
        if value > best:
            value = value - half_width * abs(nx * fy - ny * fx) - half_depth * abs(nx * fx + ny * fy)
            if value > best:
                best, nearest = value, corner
                if best >= enough:
                    return best
    dx, dy = nearest[0] - x, nearest[1] - y  # along no axis is the gap wider than the way to a point of the shape
    if abs(dx * fy - dy * fx) - half_width > best - 1e-9:
        across = [(px - x) * fy - (py - y) * fx for px, py in shape.points]
        best = max(best, max(min(across), -max(across)) - half_width)
    if abs(dx * fx + dy * fy) - half_depth > best - 1e-9:
        along = [(px - x) * fx + (py - y) * fy for px, py in shape.points]
        best = max(best, max(min(along), -max(along)) - half_depth)
    return best


def _beyond(a: Convex, points: Sequence[Point]) -> float:
    best = -math.inf
    for (nx, ny), offset in zip(a.normals, a.offsets, strict=True):
        gap = min([nx * x + ny * y for x, y in points]) - offset
        best = gap if gap > best else best
    return best


def parted(a: Convex, b: Convex, distance: float) -> bool:
    """Whether `separation` is more than a distance; cheaper, for one axis that says so is enough."""
    if a.frame or b.frame:
        return separation(a, b) > distance
    for one, other in ((a, b), (b, a)):
        points = other.points
        for (nx, ny), offset in zip(one.normals, one.offsets, strict=True):
            if min([nx * x + ny * y for x, y in points]) - offset > distance:
                return True
    return False


def turning(box: Convex, facing: float, pivot: Point, angle: float, other: Convex) -> Callable[[float, float], float]:
    """The separation of a rectangle from a shape after a share of a turn about a pivot, by that share.

    The same figures as of the rectangles themselves, which are never made. The second parameter: how much is
    enough, if only that matters.
    """
    assert box.frame is not None
    half_width, half_depth = box.frame[2], box.frame[3]
    dx, dy = box.x - pivot[0], box.y - pivot[1]

    px, py = pivot
    ox, oy, frame = other.x, other.y, other.frame

    def apart(share: float, enough: float) -> float:  # nothing is asked more often
        turned = angle * share
        sine, cosine = sine_and_cosine(radians(turned % 360.0))
        x, y = px + dx * cosine + dy * sine, py - dx * sine + dy * cosine
        ahead_of_it = (*sine_and_cosine(radians((facing + turned) % 360.0)), half_width, half_depth)
        if frame is not None:
            return _frames_apart(ox - x, oy - y, ahead_of_it, frame)
        return _box_separation(other, x, y, ahead_of_it, enough)

    return apart


def _frames_apart(dx: float, dy: float, fa: Frame, fb: Frame) -> float:
    """Gap between two rectangles whose centres are (dx, dy) apart."""
    ax, ay, aw, ad = fa
    bx, by, bw, bd = fb
    same = abs(ax * bx + ay * by)
    turned = abs(ax * by - ay * bx)
    best = abs(dx * ax + dy * ay) - ad - bd * same - bw * turned
    value = abs(dx * ay - dy * ax) - aw - bw * same - bd * turned
    if value > best:
        best = value
    value = abs(dx * bx + dy * by) - bd - ad * same - aw * turned
    if value > best:
        best = value
    value = abs(dx * by - dy * bx) - bw - aw * same - ad * turned
    return value if value > best else best


def beyond_edge(a: Convex, point: Point) -> float:
    """How far a point lies beyond the edge that parts it best from the shape: at most its distance, negative inside."""
    x, y = point
    return max([nx * x + ny * y - o for (nx, ny), o in zip(a.normals, a.offsets)])  # noqa: B905


def overlap(a: Convex, b: Convex, slack: float) -> bool:
    """Whether the shapes share more than a rim `slack` deep."""
    dx, dy, reach = a.x - b.x, a.y - b.y, a.radius + b.radius
    return dx * dx + dy * dy <= reach * reach and separation(a, b) < -slack


def gap(a: Convex, b: Convex) -> float:
    """Distance between the nearest points, 0 if the shapes touch or overlap."""
    if separation(a, b) <= 0.0:
        return 0.0
    if a.frame and b.frame:
        return math.sqrt(_to_rectangle(b, b.frame, a.points, _to_rectangle(a, a.frame, b.points)))
    return math.sqrt(min(_nearest(a, b)[0], _nearest(b, a)[0]))


def within(a: Convex, b: Convex, reach: float) -> bool:
    """Whether the gap between two shapes is at most `reach`; cheaper than the gap itself where they are farther off."""
    return separation(a, b) <= reach + 1e-9 and gap(a, b) <= reach


def closer(a: Convex, b: Convex, reach: float) -> bool:
    """Whether the gap between two shapes is less than `reach`; cheaper than the gap itself."""
    return near(a, b, reach) and separation(a, b) < reach and gap(a, b) < reach


def nearest_of(a: Convex, others: Sequence[Convex]) -> tuple[float, int]:
    """The least gap from a shape to several others and the index of that one.

    Ties within 1e-4 go to the first. `others` must not be empty.
    """
    bounds = [length(a.x - o.x, a.y - o.y) - a.radius - o.radius for o in others]
    best, index = math.inf, 0
    for i in sorted(range(len(others)), key=lambda i: (bounds[i], i)):
        if bounds[i] > best + 1e-3:
            break
        apart = round(gap(a, others[i]), 4)
        if apart < best or (apart == best and i < index):
            best, index = apart, i
    return best, index


def _to_rectangle(a: Convex, frame: Frame, points: Sequence[Point], best: float = math.inf) -> float:
    """The least of squared distances from a rectangle to some points, and `best`."""
    fx, fy, half_width, half_depth = frame
    ax, ay = a.x, a.y
    for x, y in points:
        dx, dy = x - ax, y - ay
        across = abs(dx * fy - dy * fx) - half_width
        if across > 0.0:
            square = across * across
            if square >= best:
                continue
        else:
            square = 0.0
        along = abs(dx * fx + dy * fy) - half_depth
        if along > 0.0:
            square += along * along
        if square < best:
            best = square
    return best


def _nearest(a: Convex, b: Convex) -> tuple[float, Point, Point]:
    """Squared distance, point of a's rim and corner of b that come nearest."""
    best, place, nearest = math.inf, a.points[0], b.points[0]
    beyond = math.inf
    for i, (sx, sy) in enumerate(a.points):  # the sums of `_foot`, written out: this is where long battles spend time
        end = a.points[(i + 1) % len(a.points)]
        dx, dy = end[0] - sx, end[1] - sy
        size = dx * dx + dy * dy
        (nx, ny), offset = a.normals[i], a.offsets[i]
        for corner in b.points:
            x, y = corner
            off_line = nx * x + ny * y - offset
            if off_line * off_line > beyond:  # no nearer than that to any point of the edge
                continue
            t = ((x - sx) * dx + (y - sy) * dy) / size if size > STILL else 0.0
            t = 0.0 if t < 0.0 else 1.0 if t > 1.0 else t
            x, y = sx + t * dx - x, sy + t * dy - y
            square = x * x + y * y
            if square < best - STILL:
                best, place, nearest = square, (sx + t * dx, sy + t * dy), corner
                beyond = best * (1.0 + 1e-6) + 1e-6
    return best, place, nearest


def shortest_way(a: Convex, b: Convex) -> tuple[Point, Point]:
    """A point on a's rim and one on b's, of two shapes apart, between which the way is shortest."""
    one, two = _nearest(a, b), _nearest(b, a)
    return (one[1], one[2]) if one[0] <= two[0] else (two[2], two[1])


def _foot(a: Point, b: Point, p: Point) -> Point:
    dx, dy = b[0] - a[0], b[1] - a[1]
    square = dx * dx + dy * dy
    t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / square if square > STILL else 0.0
    t = min(1.0, max(0.0, t))
    return a[0] + t * dx, a[1] + t * dy


def point_gap(a: Convex, point: Point) -> float:
    """Distance from a point to the shape, 0 inside."""
    if contains(a, point):
        return 0.0
    feet = (_foot(p, a.points[(i + 1) % len(a.points)], point) for i, p in enumerate(a.points))
    return math.sqrt(min((x - point[0]) ** 2 + (y - point[1]) ** 2 for x, y in feet))


def direction_from(a: Convex, b: Convex) -> Point:
    """Unit vector from the nearest point of `b` to `a`; in contact, the axis that parts them soonest."""
    if separation(a, b) > 1e-6:
        square, foot, corner = _nearest(a, b)
        other, far_foot, far_corner = _nearest(b, a)
        start, end = (corner, foot) if square <= other + 1e-9 else (far_foot, far_corner)
        size = length(end[0] - start[0], end[1] - start[1])
        return (end[0] - start[0]) / size, (end[1] - start[1]) / size
    return _parting_axis(a, b)


def _parting_axis(a: Convex, b: Convex) -> Point:
    best, axis = -math.inf, (0.0, 1.0)
    for shape, other, sign in ((b, a, 1.0), (a, b, -1.0)):
        for (nx, ny), offset in zip(shape.normals, shape.offsets, strict=True):
            apart = min(nx * x + ny * y for x, y in other.points) - offset
            if apart > best + 1e-6:
                best, axis = apart, (nx * sign, ny * sign)
    return axis


def contains(a: Convex, point: Point, margin: float = 0.0) -> bool:
    """Whether the point lies in the shape or on its rim, grown by `margin`."""
    x, y = point
    for (nx, ny), o in zip(a.normals, a.offsets):  # noqa: B905, SIM110 - a loop is faster, and they are made together
        if nx * x + ny * y > o + margin + 1e-9:
            return False
    return True


def clip_segment(a: Convex, start: Point, end: Point, margin: float = 0.0) -> Interval | None:
    """The part (t0, t1) of the segment, 0 at start and 1 at end, that runs inside the shape grown by
    `margin`.
    """
    low, high = 0.0, 1.0
    x, y = start
    dx, dy = end[0] - x, end[1] - y
    for (nx, ny), offset in zip(a.normals, a.offsets):  # noqa: B905 - both are made together
        value = nx * x + ny * y - offset - margin
        slope = nx * dx + ny * dy
        if slope >= STILL:
            if value >= 0.0:
                return None
            share = -value / slope
            high = share if share < high else high
        elif slope <= -STILL:
            share = -value / slope
            low = share if share > low else low
        elif value > 0.0:
            return None
        if low >= high:
            return None
    return low, high


def clipped_area(points: Sequence[Point], planes: Iterable[tuple[float, float, float]]) -> float:
    """Area of the part of a convex ring where nx x + ny y <= offset for every plane (nx, ny, offset)."""
    ring = list(points)
    for nx, ny, offset in planes:
        ring = _cut(ring, nx, ny, offset)
        if len(ring) < 3:
            return 0.0
    return abs(signed_area(ring))


def _cut(ring: Sequence[Point], nx: float, ny: float, offset: float) -> list[Point]:
    kept: list[Point] = []
    for i, point in enumerate(ring):
        before = ring[i - 1]
        here = nx * point[0] + ny * point[1] - offset
        there = nx * before[0] + ny * before[1] - offset
        if (here > 0.0) != (there > 0.0):
            t = there / (there - here)
            kept.append((before[0] + t * (point[0] - before[0]), before[1] + t * (point[1] - before[1])))
        if here <= 0.0:
            kept.append(point)
    return kept


def without(a: Convex, b: Convex) -> tuple[Convex, ...]:
    """What of a shape lies outside another, in convex pieces; slivers are dropped."""
    if not overlap(a, b, SLIVER):
        return (a,)
    rest, found = list(a.points), []
    for (nx, ny), offset in zip(b.normals, b.offsets, strict=True):
        outer = _cut(rest, -nx, -ny, -offset)
        if len(outer) >= 3 and abs(signed_area(outer)) > SLIVER:
            found.append(convex(_distinct(outer)))
        rest = _cut(rest, nx, ny, offset)
        if len(rest) < 3:
            break
    return tuple(found)


def _distinct(ring: Sequence[Point]) -> list[Point]:
    """Corners without those that coincide with the one before."""
    return [p for i, p in enumerate(ring) if abs(p[0] - ring[i - 1][0]) + abs(p[1] - ring[i - 1][1]) > 1e-9]


def shared_area(a: Convex, b: Convex) -> float:
    """Area common to two convex shapes, square units."""
    if not near(a, b):
        return 0.0
    return clipped_area(a.points, [(nx, ny, o) for (nx, ny), o in zip(b.normals, b.offsets, strict=True)])


def shift_interval(a: Convex, motion: Point, b: Convex, margin: float) -> Interval | None:
    """When `a`, moving by `motion`, is nearer than `margin` to `b` (negative: overlaps deeper): (t0, t1) in
    [0, 1].

    Exact: the shapes overlap at a moment if they overlap along every axis at that moment.
    """
    mx, my = motion
    dx, dy = b.x - a.x - mx / 2.0, b.y - a.y - my / 2.0
    reach = a.radius + b.radius + margin + length(mx, my) / 2.0
    if dx * dx + dy * dy > reach * reach:
        return None
    if a.frame and b.frame:
        return _frames_meet(a, b, a.frame, b.frame, motion, margin)
    low, high = 0.0, 1.0
    for value, slope in _conditions(a, b, motion):
        value -= margin
        if slope >= STILL:
            share = -value / slope
            high = share if share < high else high
        elif slope <= -STILL:
            share = -value / slope
            low = share if share > low else low
        elif value >= 0.0:
            return None
        if low >= high:
            return None
    return low, high


def _conditions(a: Convex, b: Convex, motion: Point) -> Iterable[tuple[float, float]]:
    """Pairs (gap now, change of the gap) for each axis; the shapes overlap while every gap is negative."""
    mx, my = motion
    for (nx, ny), offset in zip(b.normals, b.offsets, strict=True):
        yield min([nx * x + ny * y for x, y in a.points]) - offset, nx * mx + ny * my
    for (nx, ny), offset in zip(a.normals, a.offsets, strict=True):
        yield min([nx * x + ny * y for x, y in b.points]) - offset, -nx * mx - ny * my


def _frames_meet(a: Convex, b: Convex, fa: Frame, fb: Frame, motion: Point, margin: float) -> Interval | None:
    """`shift_interval` of two rectangles: along each axis one gap closes as the other opens."""
    ax, ay, aw, ad = fa
    bx, by, bw, bd = fb
    dx, dy = a.x - b.x, a.y - b.y
    mx, my = motion
    same, turned = abs(ax * bx + ay * by), abs(ax * by - ay * bx)
    low, high = 0.0, 1.0
    for nx, ny, extent in (
        (ax, ay, ad + bd * same + bw * turned),
        (ay, -ax, aw + bw * same + bd * turned),
        (bx, by, bd + ad * same + aw * turned),
        (by, -bx, bw + aw * same + ad * turned),
    ):
        at, slope = dx * nx + dy * ny, mx * nx + my * ny
        before, behind = at - extent - margin, -at - extent - margin
        if slope >= STILL:
            begin, end = behind / slope, -before / slope
        elif slope <= -STILL:
            begin, end = -before / slope, behind / slope
        elif before >= 0.0 or behind >= 0.0:
            return None
        else:
            continue
        low = begin if begin > low else low
        high = end if end < high else high
        if low >= high:
            return None
    return low, high


def spin_edges(
    separation_at: Callable[[float, float], float], travel: float, margin: float, shortest: float, until: float = 1.0
) -> Iterator[float]:
    """The times in [0, 1] at which a turning shape comes nearer than `margin` to another and goes out again, in turn;
    0 first if it begins so near. Nothing is looked for from the time `until` on.

    `separation_at(t, enough)` is how far they are apart at time t; no point of it moves farther than `travel` in all.
    Steps are as long as the gap (or the depth of overlap) allows, so nothing is skipped that lasts longer than
    `shortest`, a time.
    """

    def apart(t: float) -> float:
        return separation_at(t, math.inf) - margin

    t, value = 0.0, apart(0.0)
    if value < 0.0:
        yield 0.0
    until, farthest = min(until, 1.0), max(travel, STILL)
    while t < until:
        step = abs(value) / farthest
        after = t + (step if step > shortest else shortest)
        after = after if after < 1.0 else 1.0
        later = separation_at(after, math.inf) - margin
        if (later < 0.0) != (value < 0.0):
            yield moment_between(apart, t, value, after, later)
        t, value = after, later


def spin_intervals(
    separation_at: Callable[[float, float], float], travel: float, margin: float, shortest: float
) -> list[Interval]:
    """The times in [0, 1] in which a turning shape is nearer than `margin` to another: see `spin_edges`."""
    edges = list(spin_edges(separation_at, travel, margin, shortest))
    if len(edges) % 2:
        edges.append(1.0)
    return list(zip(edges[::2], edges[1::2], strict=True))


def spin_meets(
    separation_at: Callable[[float, float], float], travel: float, margin: float, shortest: float
) -> bool:
    """Whether there are any `spin_intervals`: the same steps, without a search for the moments."""
    t = 0.0
    while True:
        value = separation_at(t, math.inf) - margin
        if value < 0.0 or t >= 1.0:
            return value < 0.0
        t = min(1.0, t + max(value / max(travel, STILL), shortest))


#: How often the time between two steps is halved to find the moment between them, and how often that moment is guessed.
HALVINGS, GUESSES = 24, 3

NOISE = 1e-11
"""What rounding may make of a gap of nothing, table units."""


def moment_between(apart: Callable[[float], float], low: float, at_low: float, high: float, at_high: float) -> float:
    """The moment between two at which a shape comes in or goes out, on the side on which it is in: where halving the
    time leads. Halves are looked at only where secants have not told before on which side of the moment they are.
    """
    inside_low = at_low < 0.0
    before, after = _narrowed(apart, low, at_low, high, at_high)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        if middle <= before or (middle < after and (apart(middle) < 0.0) == inside_low):
            low = middle
        else:
            high = middle
    return low if not inside_low else high


def _narrowed(
    apart: Callable[[float], float], low: float, at_low: float, high: float, at_high: float
) -> tuple[float, float]:
    """Two moments next to each other between which it is; the same two where shapes hardly more than touch, for there
    it is rounding that decides, anew at each moment.
    """
    if min(abs(at_low), abs(at_high)) < NOISE:
        return low, high
    inside_low, close_by = at_low < 0.0, (high - low) * 0.5**HALVINGS
    before, after, guess = low, high, low
    a, at_a, b, at_b = low, at_low, high, at_high
    for _ in range(GUESSES):
        guess = b - at_b * (b - a) / (at_b - at_a) if at_b != at_a else low
        value = apart(guess) if before < guess < after else 0.0
        if abs(value) < NOISE:
            break
        before, after = (guess, after) if (value < 0.0) == inside_low else (before, guess)
        a, at_a, b, at_b = b, at_b, guess, value
    for moment in (guess - close_by, guess + close_by):
        if before < moment < after:
            value = apart(moment)
            if abs(value) < NOISE:
                return low, high
            before, after = (moment, after) if (value < 0.0) == inside_low else (before, moment)
    return before, after
