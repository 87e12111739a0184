"""Loose formations close in: which of their models find room about blocks, and whom they touch there.

The outline of the loose block stays where it is. Its models leave it one by one for the rim of the block, each by the
shortest way round its corners: first to the edge on whose side the crowd stands, from its middle outwards, then to the
corners of that edge, then on to the next nearest edge. Of several blocks the nearest edges are all filled before the
next nearest.
"""

from collections.abc import Collection, Iterator, Sequence

from warhost_field.blocks import SIDES, Block, Side
from warhost_field.contact import contact_length
from warhost_field.convex import Convex, clip_segment, gap, overlap, rectangle
from warhost_field.measure import SLACK, TOUCH, Point, ahead, length
from warhost_field.moves import hinders
from warhost_field.records import record
from warhost_field.table import Tabletop

GRIP = 0.005
"""Models at a corner stand this far, in table units, before the line of the side: within touch."""


@record
class Crowd:
    """What became of a crowd: bases at the rim, in the order in which they came, and those that stayed behind."""

    closed: tuple[Convex, ...]
    behind: tuple[Convex, ...]


def close_in(
    crowd: Block,
    targets: Sequence[Block],
    reach: float,
    table: Tabletop,
    closed: Collection[str] = (),
    shunned: Collection[str] = (),
) -> Crowd:
    """Move the models of `crowd` to the rims of the targets, each at most `reach` table units.

    `closed`: terrain types where they cannot stand. `shunned`: ids of blocks along whose edges they do not stand. A
    model stands on nobody and over no edge of the table.
    """
    waiting = list(zip(crowd.base_centres(), crowd.bases(), strict=True))
    others = [b for b in table.blocks if b.id != crowd.id and hinders(b, crowd)]
    kept_off = [b.shape for b in others if b.id in shunned]
    barred = [piece for piece in table.pieces if piece.impassable or piece.type in closed]
    room = min(crowd.formation.base_width, crowd.formation.base_depth) / 2.0
    ways = [_WaysRound(target, room) for target in targets]
    taken: list[Convex] = []
    for index, place in _places(crowd, targets):
        if not waiting:
            break
        if not all(table.holds(point) for point in place.points):
            continue
        if any(o.id != targets[index].id and overlap(place, o.shape, SLACK) for o in others):
            continue
        if any(overlap(place, t, SLACK) for t in taken) or any(_alongside(place, shape) for shape in kept_off):
            continue
        if any(piece.covers_any_of(place) for piece in barred):
            continue
        lengths = [ways[index].length(centre, (place.x, place.y)) for centre, _ in waiting]
        nearest = min(range(len(waiting)), key=lambda i: (round(lengths[i], 6), i))
        if lengths[nearest] <= reach + TOUCH:
            taken.append(place)
            del waiting[nearest]
    return Crowd(tuple(taken), tuple(base for _, base in waiting))


def _alongside(model: Convex, shape: Convex) -> bool:
    """Whether a model stands at the edge of a shape, and not only at a corner of it."""
    return gap(model, shape) <= TOUCH and contact_length(model, shape) > 2.0 * TOUCH


def at_the_rim(shape: Convex, closed: Sequence[Convex]) -> int:
    """How many of some models touch a shape, at least at a corner."""
    return sum(1 for model in closed if gap(model, shape) <= TOUCH)


def met(target: Block, closed: Sequence[Convex]) -> int:
    """How many bases of a block are touched, at least at a corner, by any of some models about it."""
    return sum(1 for base in target.bases() if any(gap(base, model) <= TOUCH for model in closed))


def _places(crowd: Block, targets: Sequence[Block]) -> Iterator[tuple[int, Convex]]:
    """Where bases of the crowd could stand, in order of preference, with the number of the target; some overlap."""
    for nth in zip(*(_nearest_edges(crowd, target) for target in targets), strict=True):
        for index, side in enumerate(nth):
            for place in _along(crowd, targets[index], side):
                yield index, place


def _nearest_edges(crowd: Block, target: Block) -> list[Side]:
    return sorted(SIDES, key=lambda s: (round(_off(crowd, target, s), 4), SIDES.index(s)))


def _off(crowd: Block, target: Block, side: Side) -> float:
    """How far the middle of the crowd is from an edge; nearer for the edge beyond which it stands."""
    (ax, ay), (bx, by) = target.edge(side)
    nx, ny = ahead(target.outward(side))
    beyond = (crowd.centre[0] - ax) * nx + (crowd.centre[1] - ay) * ny
    if beyond > 0.0 and gap(crowd.shape, target.shape) <= TOUCH and _abreast(crowd, (ax, ay), (bx, by)):
        return -1.0
    return length(crowd.centre[0] - (ax + bx) / 2.0, crowd.centre[1] - (ay + by) / 2.0)


def _abreast(crowd: Block, a: Point, b: Point) -> bool:
    """Whether the middle of a crowd stands before the stretch between the ends of an edge."""
    size = length(b[0] - a[0], b[1] - a[1])
    along = ((crowd.centre[0] - a[0]) * (b[0] - a[0]) + (crowd.centre[1] - a[1]) * (b[1] - a[1])) / size
    return -TOUCH <= along <= size + TOUCH


def _along(crowd: Block, target: Block, side: Side) -> Iterator[Convex]:
    """Places along an edge, the middle first, and at last one at each of its corners."""
    (ax, ay), (bx, by) = target.edge(side)
    size = length(bx - ax, by - ay)
    tx, ty = (bx - ax) / size, (by - ay) / size
    facing = target.outward(side)
    nx, ny = ahead(facing)
    wide, deep = crowd.formation.base_width, crowd.formation.base_depth
    count = max(1, int(size / wide + 1e-6))
    half = size / 2.0
    spread = [(i - (count - 1) / 2.0) * wide for i in range(count)]
    for off in (*sorted(spread, key=lambda d: (round(abs(d), 6), d)), -half - wide / 2.0, half + wide / 2.0):
        out = deep / 2.0 + (0.0 if abs(off) < half else GRIP)
        x, y = ax + tx * (half + off) + nx * out, ay + ty * (half + off) + ny * out
        yield rectangle(x, y, facing + 180.0, wide, deep)


class _WaysRound:
    """Lengths of shortest ways of small bodies past a block."""

    def __init__(self, target: Block, room: float) -> None:
        self._shape = target.shape
        (cx, cy), (wx, wy) = target.centre, target.ahead
        across, along = target.width / 2.0 + room, target.depth / 2.0 + room
        self._corners = [
            (cx + wy * right * across + wx * front * along, cy - wx * right * across + wy * front * along)
            for right, front in ((-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0))
        ]
        self._sides = (2.0 * across, 2.0 * along)
        self._known: dict[Point, list[tuple[int, float]]] = {}

    def length(self, start: Point, end: Point) -> float:
        """The shortest way from one point to another."""
        if self._free(start, end):
            return length(end[0] - start[0], end[1] - start[1])
        ways = [a + self._round(i, j) + b for i, a in self._to_corners(start) for j, b in self._to_corners(end)]
        return min(ways, default=float("inf"))

    def _free(self, start: Point, end: Point) -> bool:
        return clip_segment(self._shape, start, end, -TOUCH) is None

    def _to_corners(self, point: Point) -> list[tuple[int, float]]:
        """The corners that can be reached straight, and how far they are."""
        known = self._known.get(point)
        if known is None:
            known = self._known[point] = [
                (i, length(x - point[0], y - point[1]))
                for i, (x, y) in enumerate(self._corners)
                if self._free(point, (x, y))
            ]
        return known

    def _round(self, i: int, j: int) -> float:
        """From one corner to another along the sides, the shorter way round."""
        steps = (j - i) % 4
        wide, deep = self._sides
        if steps == 0:
            return 0.0
        if steps == 2:
            return wide + deep
        first = i if steps == 1 else j
        return wide if first % 2 == 0 else deep
