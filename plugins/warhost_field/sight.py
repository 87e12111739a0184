"""Lines of sight between blocks, across other blocks and terrain, with levels of elevation.

A block sees another if one straight line from a point of its outline to a point of the other's is free. The
points are the corners and equal divisions of the edges. A line is stopped by an obstacle whose top is above
both ends' level, if it runs inside it for longer than the obstacle allows; an obstacle with a roof also by
hiding from above whoever stands in it, below its top.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import sqrt

from warhost_field.arcs import ArcOrigin, in_arc
from warhost_field.blocks import SIDES, Block
from warhost_field.convex import (
    Convex,
    clip_segment,
    contains,
    convex,
    hull,
    near,
    parted,
    rectangle,
    shortest_way,
)
from warhost_field.measure import TOUCH, Point, heading, length
from warhost_field.records import record
from warhost_field.terrain import Piece

GRAZE = 0.05
"""A line may run this far inside an obstacle's rim, in table units, without being stopped."""

SEAM = 0.01
"""Obstacles are grown by this much, in table units, so that nobody looks through the seam of two blocks."""


SURELY = 1e-6
"""How much farther than it may a line must run inside an obstacle, in table units, to be stopped for sure."""

BAR = 4.0 * GRAZE
"""Thickness of the bar that closes a gap, in table units."""


@record
class SightRules:
    """How lines are drawn.

    `symmetric`: from any edge to any edge, so that sees(a, b) == sees(b, a); otherwise only from the
    observer's front edge, and if `arc` is given only to points in that front arc (degrees, from
    `arc_origin`). `friends_block`, `enemies_block`: whether blocks of the observer's side, and others, stop
    lines. `divisions`: stretches into which each edge is divided for its points.
    """

    symmetric: bool = True
    arc: float | None = None
    arc_origin: ArcOrigin = "corners"
    friends_block: bool = True
    enemies_block: bool = True
    divisions: int = 2


@record
class Obstacle:
    """Something that stops lines: convex parts, top in levels, depths one sees into and through it, and a roof.

    `crown`: level of the roof, below the top if the piece stops lines at every level.
    """

    name: str
    parts: tuple[Convex, ...]
    top: float
    see_into: float = 0.0
    see_through: float = 0.0
    roof: bool = False
    crown: float = 0.0


@record
class SightLine:
    """A line of sight: ends, level of the higher one, names of what stops it (empty: it is free)."""

    start: Point
    end: Point
    level: float
    stopped_by: tuple[str, ...] = ()


def block_obstacle(block: Block, ground: float) -> Obstacle:
    """A block standing on ground of a level, as an obstacle."""
    return Obstacle(block.id, (block.shape,), ground + block.height)


def piece_obstacle(piece: Piece) -> Obstacle | None:
    """A terrain piece as an obstacle; None if it never stops a line."""
    if not piece.blocks_sight:
        return None
    top = math.inf if piece.boundless else piece.height
    crown = max(piece.height, 1.0) if piece.boundless else piece.height
    return Obstacle(piece.id, piece.parts, top, piece.see_into, piece.see_through, piece.roof, crown)


def closed_gaps(screens: Sequence[Obstacle], widest: float) -> list[Obstacle]:
    """Obstacles that close the gaps between blocks no farther apart than so many table units.

    A line that passes between two blocks crosses the shortest way from one to the other, wherever that is.
    """
    found = []
    for one, two in combinations(screens, 2):
        a, b = one.parts[0], two.parts[0]
        if near(a, b, widest) and (bar := _bar(a, b, widest)) is not None:
            found.append(Obstacle(f"{one.name} and {two.name}", (bar,), min(one.top, two.top)))
    return found


#: What has been asked for of shapes, and is asked again and again as long as nobody moves, with the shapes: the bars
#: between two, the points of an outline. So many are kept at most.
_BARS: dict[tuple[int, int, float], tuple[Convex, Convex, Convex | None]] = {}
_POINTS: dict[tuple[int, int], tuple[Convex, tuple[Point, ...]]] = {}
MOST_KEPT = 10_000


def _bar(a: Convex, b: Convex, widest: float) -> Convex | None:
    """What closes the gap between two shapes; None where they touch or are too far apart."""
    key = (id(a), id(b), widest)
    known = _BARS.get(key)
    if known is None:
        if len(_BARS) >= MOST_KEPT:
            _BARS.clear()
        (ax, ay), (bx, by) = shortest_way(a, b)
        apart, bar = length(bx - ax, by - ay), None
        if 2.0 * SEAM < apart <= widest + TOUCH:
            bar = rectangle((ax + bx) / 2.0, (ay + by) / 2.0, heading(bx - ax, by - ay), BAR, apart + BAR)
        known = _BARS[key] = (a, b, bar)
    return known[2]


def clear_line(
    a: Block,
    b: Block,
    level_a: float,
    level_b: float,
    obstacles: Sequence[Obstacle],
    rules: SightRules | None = None,
) -> SightLine:
    """The first free line from `a` to `b`, or else the one between their centres with all that stops it.

    `level_a`, `level_b`: level of the eyes, that is of the ground + height - 1. Obstacles must leave out a
    and b.
    """
    level = max(level_a, level_b)
    standing = _standing(a, b, level_a, level_b, obstacles)
    free = free_line(a, b, level_a, level_b, standing, rules)
    if free is not None:
        return SightLine(*free, level)
    if not any(_walls_off(o, a.shape, b.shape, level) for o in standing):
        bounds = convex(hull(a.shape.points + b.shape.points))  # no line leaves it
        standing = [o for o in standing if any(not parted(bounds, part, 2.0 * SEAM) for part in o.parts)]
    names = tuple(o.name for o in standing if _in_its_way(o, (a.centre, level_a), (b.centre, level_b)))
    return SightLine(a.centre, b.centre, level, names or tuple(o.name for o in standing) or ("arc",))


def free_line(
    a: Block,
    b: Block,
    level_a: float,
    level_b: float,
    obstacles: Sequence[Obstacle],
    rules: SightRules | None = None,
) -> tuple[Point, Point] | None:
    """The ends of the first free line, as `clear_line` has it; None if there is none."""
    standing = _standing(a, b, level_a, level_b, obstacles)
    eyes, level = (level_a, level_b), max(level_a, level_b)
    starts, targets = _ends(a, b, rules or SightRules())
    if not targets:
        return None
    if _is_free(standing, starts[0], targets[0], eyes):  # it mostly is
        return starts[0], targets[0]
    if any(_walls_off(o, a.shape, b.shape, level) for o in standing):
        return None
    for start, end in Screens(standing, starts, targets, level).left():
        if _is_free(standing, start, end, eyes):
            return start, end
    return None


def _standing(a: Block, b: Block, level_a: float, level_b: float, obstacles: Iterable[Obstacle]) -> list[Obstacle]:
    """The obstacles that are high enough to stop a line, and near enough."""
    level = max(level_a, level_b)
    lower = min(level_a, level_b)
    comes_near = strip(a, b)
    return [o for o in obstacles if o.top > (lower if o.roof else level) + 1e-9 and any(map(comes_near, o.parts))]


def _is_free(obstacles: Iterable[Obstacle], start: Point, end: Point, eyes: tuple[float, float]) -> bool:
    """Whether nothing stops a line; eyes: their levels at both ends."""
    return all(not _in_its_way(obstacle, (start, eyes[0]), (end, eyes[1])) for obstacle in obstacles)


Clips = tuple[tuple[float, ...], tuple[float, ...]]
"""How far the starts and the ends of lines lie beyond one edge of a shape, table units."""


class Screens:
    """Tells of many lines between the same points which ones obstacles stop for sure; of the others it says nothing.

    How far each point lies beyond each edge is found once, and obstacles are looked at as they are needed: what stopped
    one line is likely to stop the next.
    """

    def __init__(
        self, obstacles: Sequence[Obstacle], starts: Sequence[Point], ends: Sequence[Point], level: float
    ) -> None:
        self._waiting = [o for o in reversed(obstacles) if len(o.parts) == 1 and o.top > level + 1e-9]
        self._starts, self._ends = starts, ends
        self._edges: list[tuple[list[Clips], float]] = []

    def left(self) -> Iterator[tuple[Point, Point]]:
        """The lines, in order, that none of the obstacles stops for sure."""
        looked_at = self._edges
        for i, start in enumerate(self._starts):
            ax, ay = start
            for j, end in enumerate(self._ends):
                dx, dy = end[0] - ax, end[1] - ay
                size = sqrt(dx * dx + dy * dy)
                for number, (edges, depth) in enumerate(looked_at):
                    if _run(edges, i, j) * size > depth:
                        if number:
                            looked_at.insert(0, looked_at.pop(number))
                        break
                else:
                    if not self._others_stop(i, j, size):
                        yield start, end

    def _others_stop(self, i: int, j: int, size: float) -> bool:
        """Whether one that nobody has looked at yet stops a line of some length, by the numbers of its ends."""
        while self._waiting:
            obstacle = self._waiting.pop()
            found = self._beyond(obstacle.parts[0])
            if found is None:
                continue
            depth = max(obstacle.see_into, obstacle.see_through) + GRAZE + SURELY
            if _run(found, i, j) * size > depth:
                self._edges.insert(0, (found, depth))
                return True
            self._edges.append((found, depth))
        return False

    def _beyond(self, shape: Convex) -> list[Clips] | None:
        """The edges beyond which any of the points lies; None if all of them lie beyond one: no line comes in."""
        found: list[Clips] = []
        for (nx, ny), offset in zip(shape.normals, shape.offsets, strict=True):
            rim = offset + SEAM
            before = tuple([nx * x + ny * y - rim for x, y in self._starts])
            behind = tuple([nx * x + ny * y - rim for x, y in self._ends])
            if max(before) > 0.0 or max(behind) > 0.0:
                if min(before) >= 0.0 and min(behind) >= 0.0:
                    return None
                found.append((before, behind))
        return found


def _run(edges: Iterable[Clips], i: int, j: int) -> float:
    """The share of a line that runs inside a shape, by how far its ends lie beyond the edges."""
    low, high = 0.0, 1.0
    for before, behind in edges:
        here, there = before[i], behind[j]
        if here > 0.0:
            if there >= 0.0:
                return 0.0
            share = here / (here - there)
            low = share if share > low else low
        elif there > 0.0:
            share = here / (here - there)
            high = share if share < high else high
    return high - low


def _plain_part(obstacle: Obstacle, level: float) -> Convex | None:
    """The one part of an obstacle that stops whatever runs inside it, eyes at a level; None if it is not so simple."""
    if len(obstacle.parts) > 1 or obstacle.roof or obstacle.see_into > 0.0 or obstacle.see_through > 0.0:
        return None
    return obstacle.parts[0] if obstacle.top > level + 1e-9 else None


def _walls_off(obstacle: Obstacle, a: Convex, b: Convex, level: float) -> bool:
    """Whether a rectangle stands so between two shapes that every line from one to the other crosses its middle line
    from side to side, well inside, and so is stopped (a test that never wrongly says yes).
    """
    shape = _plain_part(obstacle, level)
    if shape is None or shape.frame is None:
        return False
    cx, cy, (fx, fy, wide, deep) = shape.x, shape.y, shape.frame
    for nx, ny, across, along in ((fx, fy, wide, deep), (fy, -fx, deep, wide)):
        if (a.x - cx) * nx + (a.y - cy) * ny < 0.0:
            nx, ny = -nx, -ny
        if along <= GRAZE or (b.x - cx) * nx + (b.y - cy) * ny > -GRAZE:
            continue
        before, behind = (
            [((x - cx) * ny - (y - cy) * nx, (x - cx) * nx + (y - cy) * ny) for x, y in end.points] for end in (a, b)
        )
        if min([v for _, v in before]) <= GRAZE or max([w for _, w in behind]) >= -GRAZE:
            continue
        if all(abs(t * v - u * w) <= (across - GRAZE) * (v - w) for u, v in before for t, w in behind):
            return True
    return False


def clear_to_point(start: Point, end: Point, level: float, obstacles: Iterable[Obstacle]) -> SightLine:
    """The line between two points and what stops it."""
    return SightLine(
        start, end, level, tuple(o.name for o in obstacles if o.top > level and _stops(o, start, end))
    )


def sight_points(block: Block, rules: SightRules) -> tuple[Point, ...]:
    """Points of the outline at which lines begin and end, nearest the middle of each edge first."""
    key = (id(block.shape), rules.divisions)
    known = _POINTS.get(key)
    if known is None:
        if len(_POINTS) >= MOST_KEPT:
            _POINTS.clear()
        points = (point for side in SIDES for point in _edge_points(block.edge(side), rules))
        known = _POINTS[key] = (block.shape, tuple(dict.fromkeys(points)))
    return known[1]


def _edge_points(ends: tuple[Point, Point], rules: SightRules) -> list[Point]:
    (ax, ay), (bx, by) = ends
    count = rules.divisions
    shares = sorted((i / count for i in range(count + 1)), key=lambda t: (abs(t - 0.5), t))
    return [(ax + (bx - ax) * t, ay + (by - ay) * t) for t in shares]


def _ends(a: Block, b: Block, rules: SightRules) -> tuple[Sequence[Point], Sequence[Point]]:
    """Where lines begin and where they end; each goes from every start to every end."""
    targets = sight_points(b, rules)
    if rules.symmetric:
        return sight_points(a, rules), targets
    if rules.arc is not None:
        targets = tuple(p for p in targets if in_arc(a, p, "front", rules.arc, rules.arc_origin))
    return _edge_points(a.edge("front"), rules), targets


def between(part: Convex, a: Block, b: Block, margin: float = 0.0) -> bool:
    """Whether a shape comes near the strip between two blocks, up to a margin in table units (a cheap test that never
    wrongly says no).
    """
    return strip(a, b, margin)(part)


def strip(a: Block, b: Block, margin: float = 0.0) -> Callable[[Convex], bool]:
    """The same for many shapes."""
    (ax, ay), (bx, by) = a.centre, b.centre
    dx, dy = bx - ax, by - ay
    square = dx * dx + dy * dy
    half = max(a.shape.radius, b.shape.radius) + SEAM + margin + 1e-9

    def comes_near(part: Convex) -> bool:
        px, py = part.x - ax, part.y - ay
        t = (px * dx + py * dy) / square if square > 0.0 else 0.0
        if t >= 1.0:
            px, py = px - dx, py - dy
        elif t > 0.0:
            px, py = px - t * dx, py - t * dy
        reach = half + part.radius
        return px * px + py * py <= reach * reach

    return comes_near


def _in_its_way(obstacle: Obstacle, start: tuple[Point, float], end: tuple[Point, float]) -> bool:
    """Whether a line from one point and level to another is stopped."""
    (low, lower), (high, higher) = (start, end) if start[1] <= end[1] else (end, start)
    through_the_roof = obstacle.roof and lower < obstacle.crown - 1e-9 and obstacle.crown <= higher + 1e-9
    if through_the_roof and _holds(obstacle, low) and _holds(obstacle, high):
        return True
    if obstacle.top > higher + 1e-9:
        return _stops(obstacle, low, high)
    return _holds(obstacle, low) and _stops(obstacle, low, high)


def _holds(obstacle: Obstacle, point: Point) -> bool:
    return any(contains(part, point) for part in obstacle.parts)


def _stops(obstacle: Obstacle, start: Point, end: Point) -> bool:
    """Whether the line runs too far inside; ends are put in order so that both ways give one answer."""
    first, last = (start, end) if start <= end else (end, start)
    if len(obstacle.parts) == 1:
        span = clip_segment(obstacle.parts[0], first, last, SEAM)
        if span is None:
            return False
        inside = (span[1] - span[0]) * length(last[0] - first[0], last[1] - first[1])
    else:
        inside = run_inside(obstacle.parts, first, last)
    into, through = obstacle.see_into, obstacle.see_through
    if inside <= (into if into < through else through) + GRAZE:
        return False
    if inside > (through if into < through else into) + GRAZE:
        return True
    ends_in_it = _holds(obstacle, first) or _holds(obstacle, last)
    return inside > (into if ends_in_it else through) + GRAZE


def run_inside(parts: Sequence[Convex], start: Point, end: Point) -> float:
    """Length of a line inside the union of convex parts, table units."""
    size = length(end[0] - start[0], end[1] - start[1])
    spans = sorted(span for part in parts if (span := clip_segment(part, start, end, SEAM)) is not None)
    total, reached = 0.0, 0.0
    for low, high in spans:
        total += max(0.0, high - max(low, reached))
        reached = max(reached, high)
    return total * size
