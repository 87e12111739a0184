"""The movement of a block: legs, what they cost, the ground they sweep and what they meet on the way.

Position along a move is a single number: the index of the leg plus the share of it done, so 1.25 is a quarter
of the second leg. `MoveSweep.cost_at` turns it into the distance paid so far, in table units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from warhost_field.blocks import Block, Formation, Pose
from warhost_field.convex import (
    Convex,
    Interval,
    beyond_edge,
    convex,
    hull,
    near,
    overlap,
    rectangle,
    separation,
    shift_interval,
    spin_edges,
    spin_intervals,
    spin_meets,
    turning,
)
from warhost_field.measure import (
    SLACK,
    TOUCH,
    FieldError,
    Point,
    heading,
    length,
    quantise,
    quantise_down,
    rotated,
)
from warhost_field.polygons import polygon
from warhost_field.records import record
from warhost_field.terrain import RIM, Piece

if TYPE_CHECKING:
    from shapely.geometry import Polygon  # type: ignore[import-untyped]

MOST_SPINS = 4096
"""Turns whose meetings are remembered: the same turn begins many moves, and is judged more than once."""


@dataclass(slots=True)
class Passing:
    """What is known of a turn of one shape past another, by margin: the meetings, or only that there are some, or where
    the first of them begins.
    """

    shape: Convex
    other: Convex
    meetings: dict[float, list[Interval]] = field(default_factory=dict)
    met: set[float] = field(default_factory=set)
    first: dict[float, float] = field(default_factory=dict)


_SPINS: dict[tuple[int, Point, float, int], Passing] = {}
"""By the identity of both shapes, which are held so that nothing else can have it."""

WITHIN = 0.999
"""The share of the ground swept that must lie in a piece of terrain for a move to stay in it: the rest is rounding."""

SPIN_STEP = 0.5
"""Degrees; what is met for less than this while turning may be missed. It is never deeper than a graze."""


@record
class Advance:
    """Straight ahead by `distance` table units; negative: backwards without turning."""

    distance: float


@record
class Wheel:
    """Turn by `angle` degrees to `side` about the front corner of that side; negative: swing backwards."""

    angle: float
    side: Literal["left", "right"]


@record
class Turn:
    """The whole block turns about its centre, degrees clockwise."""

    angle: float


@record
class Pivot:
    """The whole block turns about the centre of its front edge, degrees clockwise."""

    angle: float


@record
class Face:
    """Every model turns where it stands, by -90, 90 or 180 degrees: another edge becomes the front."""

    angle: float


@record
class Sidestep:
    """To the right by `distance` table units without turning; negative: to the left."""

    distance: float


@record
class Reform:
    """Change the number of files; the front centre stays."""

    files: int


@record
class Go:
    """Straight to a place of the front centre in any direction, without turning."""

    x: float
    y: float


@record
class Snake:
    """The head of the block goes from place to place, given for its front centre; the others follow in its track.

    Only the first rank needs room on the way. At the end the block is drawn up straight behind its head.
    """

    points: tuple[Point, ...]


@record
class Fly:
    """Straight to a place of the front centre over everything, landing with any facing."""

    x: float
    y: float
    facing: float


@record
class Close:
    """Swing from contact into line with the enemy's edge ("closing the door"), at a price of `cost`."""

    x: float
    y: float
    facing: float
    cost: float = 0.0


Leg = Advance | Wheel | Turn | Pivot | Face | Sidestep | Reform | Go | Snake | Fly | Close
LEG_NAMES: dict[type, str] = {
    Advance: "advance",
    Wheel: "wheel",
    Turn: "turn",
    Pivot: "pivot",
    Face: "face",
    Sidestep: "sidestep",
    Reform: "reform",
    Go: "go",
    Snake: "snake",
    Fly: "fly",
    Close: "close",
}


@record
class TurnCost:
    """Price of a change of direction.

    free: nothing. share: `amount` of the allowance for every 90 degrees, in proportion. flat: `amount` of the
    allowance for any angle. arc: the distance which the outermost front corner travels. chord: the straight way of
    the corner that goes farthest. `of`: the table units of which it is a share, if that is not the allowance of the
    move (of which a part may be gone).
    """

    kind: Literal["free", "share", "flat", "arc", "chord"] = "free"
    amount: float = 0.0
    of: float = 0.0

    def price(self, angle: float, arm: float, allowance: float, farthest: float = 0.0) -> float:
        """Cost in table units of turning by `angle` degrees with an outer front corner `arm` from the pivot, and no
        corner more than `farthest`.
        """
        if self.kind == "free" or angle == 0.0:
            return 0.0
        if self.kind == "chord":
            return 2.0 * farthest * math.sin(math.radians(min(abs(angle), 180.0)) / 2.0)
        if self.kind == "arc":
            return math.radians(abs(angle)) * arm
        return self.amount * (self.of or allowance) * (abs(angle) / 90.0 if self.kind == "share" else 1.0)


@record
class MoveCosts:
    """Prices of all legs; `back` and `sideways` multiply the distance gone that way.

    `by_middle`: a flight costs the way of the block's centre, else that of the middle of its front. `free_to_go`: a
    pivot costs nothing if the block goes on straight after it.
    """

    wheel: TurnCost = TurnCost("arc")
    turn: TurnCost = TurnCost("share", 0.5)
    pivot: TurnCost = TurnCost("share", 0.5)
    face: TurnCost = TurnCost("flat", 0.25)
    reform: TurnCost = TurnCost("flat", 0.5)
    back: float = 2.0
    sideways: float = 2.0
    by_middle: bool = False
    free_to_go: bool = False


@record
class LegMotion:
    """One leg executed, from `start` to `end`.

    `motion`: shift = along a straight line, spin = about `pivot` by `angle`, jump = nothing in between
    counts, snake = `heads` (where the first rank begins each stretch, and how it goes on) sweep the ground. `cost` of
    this leg and `paid` before it, table units.
    """

    leg: Leg
    start: Block
    end: Block
    motion: Literal["shift", "spin", "jump", "snake"]
    cost: float
    paid: float
    pivot: Point = (0.0, 0.0)
    angle: float = 0.0
    arm: float = 0.0
    vector: Point = (0.0, 0.0)
    heads: tuple[tuple[Block, Point], ...] = ()

    @property
    def length(self) -> float:
        """How far the leg goes, table units: a wheel by its outer front corner, a turn on the spot nothing."""
        if isinstance(self.leg, Wheel):
            return math.radians(abs(self.angle)) * self.start.formation.width
        if isinstance(self.leg, Turn | Pivot | Face | Reform):
            return 0.0
        if self.motion == "snake":
            return sum(length(*vector) for _, vector in self.heads)
        (ax, ay), (bx, by) = self.start.centre, self.end.centre
        return length(bx - ax, by - ay)

    def shape_at(self, share: float) -> Convex:
        """Outline after a share 0..1 of the leg."""
        if self.motion in ("jump", "snake"):
            return self.end.shape if share >= 1.0 else self.start.shape
        (ax, ay), form = self.start.centre, self.start.formation
        if self.motion == "shift":
            bx, by = self.end.centre
            return rectangle(
                ax + (bx - ax) * share, ay + (by - ay) * share, self.start.facing, form.width, form.depth
            )
        x, y = rotated((ax, ay), self.pivot, self.angle * share)
        return rectangle(x, y, self.start.facing + self.angle * share, form.width, form.depth)

    def stays_in(self, piece: Piece) -> bool:
        """Whether the outline is wholly in a piece all through the leg; not looked for where ranks go in a track."""
        if self.motion == "snake":
            return False
        parts = max(1, math.ceil(abs(self.angle) / 5.0)) if self.motion == "spin" else 1
        corners = [point for i in range(parts + 1) for point in self.shape_at(i / parts).points]
        return piece.share_of(convex(hull(corners))) >= WITHIN

    def meetings(self, other: Convex, margin: float) -> list[Interval]:
        """Shares of the leg during which the outline is nearer than `margin` to a shape."""
        if self.motion == "shift":
            span = shift_interval(self.start.shape, self.vector, other, margin)
            return [span] if span else []
        if self.motion == "spin":
            return self._spin_meetings(other, margin)
        found = self._snake_meetings(other, margin) if self.motion == "snake" else []
        ends = [(0.0, self.start.shape), (1.0, self.end.shape)]
        return merged([*found, *((t, t) for t, shape in ends if overlap(shape, other, -margin))])

    def meets(self, other: Convex, margin: float) -> bool:
        """Whether there are any meetings with a shape."""
        if self.motion != "spin":
            return bool(self.meetings(other, margin))
        for shape in (self.start.shape, self.end.shape):  # who is in it at an end need not be watched on the way
            if near(shape, other, margin) and separation(shape, other) < margin - 1e-9:
                return True
        known = self._passing(other, margin)
        if known is None:
            return False
        if margin not in known.meetings and margin not in known.met and margin not in known.first:
            if spin_meets(*self._past(other), margin, self._shortest):
                known.met.add(margin)
            else:
                known.meetings[margin] = []
        return bool(known.meetings.get(margin, True))

    def first_meeting(self, other: Convex, margin: float, until: float) -> float | None:
        """The share of the leg at which the first meeting with a shape begins; None if none begins before `until`."""
        if self.motion != "spin":
            spans = self.meetings(other, margin)
            return spans[0][0] if spans else None
        known = self._passing(other, margin)
        if known is None:
            return None
        found = known.meetings.get(margin)
        if found is not None:
            return found[0][0] if found else None
        first = known.first.get(margin)
        if first is None:
            first = next(spin_edges(*self._past(other), margin, self._shortest, until), None)
            if first is not None:
                known.first[margin] = first
            elif until >= 1.0:
                known.meetings[margin] = []
        return first

    def _snake_meetings(self, other: Convex, margin: float) -> list[Interval]:
        found: list[Interval] = []
        gone = 0.0
        for head, vector in self.heads:
            part = length(*vector) / self.cost
            span = shift_interval(head.shape, vector, other, margin)
            if span:
                found.append((gone + span[0] * part, gone + span[1] * part))
            gone += part
        return found

    def _spin_meetings(self, other: Convex, margin: float) -> list[Interval]:
        known = self._passing(other, margin)
        if known is None:
            return []
        found = known.meetings.get(margin)
        if found is None:
            found = known.meetings[margin] = spin_intervals(*self._past(other), margin, self._shortest)
        return found

    def _passing(self, other: Convex, margin: float) -> Passing | None:
        """What is known of a turn past a shape; None if there are no meetings."""
        x, y = self.pivot
        dx, dy, reach = other.x - x, other.y - y, self.arm + other.radius + margin
        if dx * dx + dy * dy > reach * reach:
            return None
        if beyond_edge(other, self.pivot) > self.arm + margin:
            return None
        if separation(self.start.shape, other) - margin > self._travel:
            return None
        key = (id(self.start.shape), self.pivot, self.angle, id(other))
        known = _SPINS.get(key)
        if known is None:
            if len(_SPINS) >= MOST_SPINS:
                _SPINS.clear()
            known = _SPINS[key] = Passing(self.start.shape, other)
        if known.meetings and margin not in known.meetings:
            far = margin + self._shortest * self._travel
            # who never came so near, watched as it was, did not come nearer unseen
            if any(not spans and at >= far for at, spans in known.meetings.items()):
                return None
        return known

    @property
    def _travel(self) -> float:
        """No point of the outline goes farther in a turn, table units."""
        return math.radians(abs(self.angle)) * self.arm

    @property
    def _shortest(self) -> float:
        """The share of a turn for which something may be met unseen."""
        return min(1.0, SPIN_STEP / max(abs(self.angle), SPIN_STEP))

    def _past(self, other: Convex) -> tuple[Callable[[float, float], float], float]:
        """How far a turn is from a shape, by its share, and how far it goes."""
        return turning(self.start.shape, self.start.facing, self.pivot, self.angle, other), self._travel

    def areas(self) -> list[Polygon]:
        """Swept ground in convex pieces; a turn is cut into slices of at most 10 degrees."""
        if self.motion == "snake":
            ends = [(head.shape, head.at(_moved(head.pose, vector)).shape) for head, vector in self.heads]
            return [self.start.outline, *(polygon(hull(a.points + b.points)) for a, b in ends), self.end.outline]
        slices = 1 if self.motion != "spin" else max(1, math.ceil(abs(self.angle) / 10.0))
        if isinstance(self.leg, Fly | Face | Reform | Close):
            return [self.end.outline]
        shapes = [self.shape_at(i / slices) for i in range(slices + 1)]
        return [polygon(hull(a.points + b.points)) for a, b in pairwise(shapes)]


    def base_tracks(self) -> list[list[Convex]]:
        """The ground that each base sweeps, in convex pieces; in a snake all follow its head."""
        if self.motion == "jump":
            return [[base] for base in self.end.bases()]
        if self.motion == "snake":
            shapes = [(head.shape, head.at(_moved(head.pose, vector)).shape) for head, vector in self.heads]
            return [[convex(hull(a.points + b.points)) for a, b in shapes]] * len(self.end.bases())
        blocks = [self.start, self.end]
        if self.motion == "spin":
            slices = max(1, math.ceil(abs(self.angle) / 10.0))
            blocks = [self.start.turned(self.angle * i / slices, self.pivot) for i in range(slices + 1)]
        rows = zip(*(block.bases() for block in blocks), strict=True)
        return [[convex(hull(a.points + b.points)) for a, b in pairwise(row)] for row in rows]


@record
class MoveSweep:
    """A whole move executed: its steps, the block where it ends, and the price in table units.

    `reach`: no part of the block comes farther than this from the centre of the start, table units.
    """

    start: Block
    steps: tuple[LegMotion, ...]
    final: Block
    cost: float
    reach: float

    def may_meet(self, part: Convex | Piece, margin: float) -> bool:
        """Whether a shape can be met at all: it lies in the circle that the outline never leaves."""
        dx, dy = part.x - self.start.shape.x, part.y - self.start.shape.y
        far = self.reach + part.radius + margin
        return dx * dx + dy * dy <= far * far

    @property
    def legs(self) -> tuple[Leg, ...]:
        return tuple(step.leg for step in self.steps)

    def areas(self) -> tuple[Polygon, ...]:
        """Swept ground as convex polygons in order."""
        return tuple(area for step in self.steps for area in step.areas())

    def cost_at(self, position: float) -> float:
        """Distance paid at a position along the move, table units, quantised."""
        if not self.steps:
            return 0.0
        index = min(int(position), len(self.steps) - 1)
        step = self.steps[index]
        return quantise(step.paid + (position - index) * step.cost)

    def gone_at(self, position: float) -> float:
        """How far the move has gone at a position along it, table units, quantised; whatever that costs."""
        if not self.steps:
            return 0.0
        index = min(int(position), len(self.steps) - 1)
        before = sum(step.length for step in self.steps[:index])
        return quantise(before + (position - index) * self.steps[index].length)

    def meetings(self, parts: Sequence[Convex], margin: float, for_free: bool = True) -> list[Interval]:
        """Spans of position in which the block is nearer than `margin` to any of the parts. for_free: whether turns
        that cost nothing are looked at.
        """
        spans: list[Interval] = []
        within = [part for part in parts if self.may_meet(part, margin)]
        for index, step in enumerate(self.steps):
            if not for_free and step.cost == 0.0 and step.motion == "spin":
                continue
            for part in within:
                spans += [(index + low, index + high) for low, high in step.meetings(part, margin)]
        return merged(spans)

    def meets(self, parts: Sequence[Convex], margin: float) -> bool:
        """Whether the block is nearer than `margin` to any of the parts at any moment."""
        within = [part for part in parts if self.may_meet(part, margin)]
        return any(step.meets(part, margin) for part in within for step in self.steps)

    def first_entry(self, shape: Convex, margin: float, before: float) -> float:
        """The position at which the block first comes nearer than `margin` to a shape, other than by beginning so near
        to it; `before` if it does not do so earlier.
        """
        near_until = 0.0
        for index, step in enumerate(self.steps):
            if index >= before:
                break
            first = step.first_meeting(shape, margin, before - index)
            if first is None:
                continue
            if index + first > near_until + 1e-9:
                return min(before, index + first)
            for low, high in step.meetings(shape, margin):
                if index + low > near_until + 1e-9:
                    return min(before, index + low)
                near_until = max(near_until, index + high)
        return before

    def stays_in(self, piece: Piece) -> bool:
        """Whether the block is wholly in a piece from the beginning of the move to its end."""
        return all(step.stays_in(piece) for step in self.steps)

    def block_at(self, position: float) -> Block:
        """The block as it stands at a position along the move."""
        return sweep(self.start, cut(self, position), MoveCosts(), 0.0).final


@record
class Crossing:
    """Something met on the way.

    touch: a block is reached. enter, leave: the outline begins or ceases to overlap it. within: it overlaps
    when the move begins. near: it comes within the distance that an enemy watches. `other` is the id; `at` the
    distance paid by then, `position` the place along the move.
    """

    kind: Literal["within", "touch", "enter", "leave", "near"]
    other: str
    at: float
    position: float
    terrain: bool = False


def merged(spans: Iterable[Interval]) -> list[Interval]:
    """Spans in order, joined where they overlap or meet."""
    joined: list[Interval] = []
    in_order = sorted(spans)
    if len(in_order) < 2:
        return in_order
    for low, high in in_order:
        if joined and low <= joined[-1][1] + 1e-9:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined


def sweep(
    block: Block, legs: Iterable[Leg], costs: MoveCosts, allowance: float, begun: Sequence[LegMotion] = ()
) -> MoveSweep:
    """Carry out legs one after the other, whatever is in the way.

    `allowance` is what shares of it are computed from. `begun`: the first legs as they have been carried out before by
    the same block at the same price. Raises FieldError for a leg that makes no sense.
    """
    steps, legs = list(begun), tuple(legs)
    here, paid = block, 0.0
    if steps:
        here, paid = steps[-1].end, steps[-1].paid + steps[-1].cost
    for number in range(len(steps), len(legs)):
        step = _step(here, legs[number], costs, allowance, paid, _is_free(legs, number, costs))
        steps.append(step)
        here, paid = step.end, paid + step.cost
    return MoveSweep(block, tuple(steps), here, quantise(paid), _reach(block, steps))


def shortened(whole: MoveSweep, position: float, costs: MoveCosts, allowance: float) -> MoveSweep:
    """A move up to a position along it, at the price at which it was carried out."""
    legs, before = cut(whole, position), whole.legs
    same = 0
    while same < min(len(legs), len(before)) and legs[same] is before[same]:
        if _is_free(legs, same, costs) != _is_free(before, same, costs):
            break
        same += 1
    return sweep(whole.start, legs, costs, allowance, whole.steps[:same])


def _is_free(legs: tuple[Leg, ...], number: int, costs: MoveCosts) -> bool:
    """Whether one of the legs costs nothing because of the next one."""
    return costs.free_to_go and isinstance(legs[number], Pivot) and _goes_on(legs[number + 1 :])


def _goes_on(legs: tuple[Leg, ...]) -> bool:
    """Whether the first of some legs leads forwards."""
    return bool(legs) and isinstance(legs[0], Advance) and legs[0].distance > 0.0


def _reach(block: Block, steps: Iterable[LegMotion]) -> float:
    """Farthest distance of any part of the outline from the centre of the start."""
    x, y = block.centre
    reach = block.shape.radius
    for step in steps:
        shape = step.end.shape
        reach = max(reach, length(shape.x - x, shape.y - y) + shape.radius)
        for head, vector in step.heads:
            there = head.at(_moved(head.pose, vector)).shape
            for place in (head.shape, there):
                reach = max(reach, length(place.x - x, place.y - y) + place.radius)
        if step.motion == "spin":
            reach = max(reach, length(step.pivot[0] - x, step.pivot[1] - y) + step.arm)
    return reach


def _step(block: Block, leg: Leg, costs: MoveCosts, allowance: float, paid: float, free: bool) -> LegMotion:
    if isinstance(leg, Wheel | Turn | Pivot):
        pivot, angle = _spin(block, leg)
        px, py = pivot
        arms = [length(x - px, y - py) for x, y in block.shape.points]
        farthest, cost = max(arms), 0.0
        if not free:
            price = costs.wheel if isinstance(leg, Wheel) else costs.turn if isinstance(leg, Turn) else costs.pivot
            cost = price.price(leg.angle, max(arms[0], arms[1]), allowance, farthest)
        return LegMotion(leg, block, block.turned(angle, pivot), "spin", cost, paid, pivot, angle, farthest)
    if isinstance(leg, Advance | Sidestep | Go):
        end, cost = _shift(block, leg, costs)
        vector = end.shape.x - block.shape.x, end.shape.y - block.shape.y
        return LegMotion(leg, block, end, "shift", cost, paid, vector=vector)
    if isinstance(leg, Snake):
        heads = _heads(block, leg)
        last, vector = heads[-1]
        end = block.at(_moved(last.pose, vector))
        return LegMotion(leg, block, end, "snake", sum(length(*way) for _, way in heads), paid, heads=heads)
    end, cost = _jump(block, leg, costs, allowance)
    return LegMotion(leg, block, end, "jump", cost, paid)


def _spin(block: Block, leg: Wheel | Turn | Pivot) -> tuple[Point, float]:
    """Centre and clockwise angle of a turn."""
    if isinstance(leg, Wheel):
        return (block.front_left, -leg.angle) if leg.side == "left" else (block.front_right, leg.angle)
    return (block.centre if isinstance(leg, Turn) else block.front_centre), leg.angle


def _heads(block: Block, leg: Snake) -> tuple[tuple[Block, Point], ...]:
    """Where the first rank of a block begins each stretch of its way, facing along it, and the stretch."""
    form = block.formation
    kind = "single" if form.frontage == 1 else form.kind
    rank = Formation(form.frontage, form.frontage, form.base_width, form.base_depth, kind, form.gap)
    here, heads = block.front_centre, []
    for x, y in leg.points:
        way = (x - here[0], y - here[1])
        if length(*way) < SLACK:
            raise FieldError("a column snakes from place to place, each apart from the last")
        heads.append((block.drawn_up(rank).at(Pose(here[0], here[1], heading(*way))), way))
        here = (x, y)
    if not heads:
        raise FieldError("a column snakes to one place at least")
    return tuple(heads)


def _moved(pose: Pose, vector: Point) -> Pose:
    return Pose(pose.x + vector[0], pose.y + vector[1], pose.facing)


def _shift(block: Block, leg: Advance | Sidestep | Go, costs: MoveCosts) -> tuple[Block, float]:
    pose = block.pose
    fx, fy = block.shape.normals[0]
    if isinstance(leg, Advance):
        end = Pose(pose.x + fx * leg.distance, pose.y + fy * leg.distance, pose.facing)
        return block.at(end), leg.distance if leg.distance >= 0.0 else -leg.distance * costs.back
    if isinstance(leg, Sidestep):
        end = Pose(pose.x + fy * leg.distance, pose.y - fx * leg.distance, pose.facing)
        return block.at(end), abs(leg.distance) * costs.sideways
    return block.at(Pose(leg.x, leg.y, pose.facing)), length(leg.x - pose.x, leg.y - pose.y)


def _jump(
    block: Block, leg: Face | Reform | Fly | Close, costs: MoveCosts, allowance: float
) -> tuple[Block, float]:
    if isinstance(leg, Face):
        return _faced(block, leg.angle), costs.face.price(leg.angle, 0.0, allowance)
    if isinstance(leg, Reform):
        form = replace(block.formation, files=leg.files, points=min(block.formation.points, leg.files))
        changed = float(leg.files - block.formation.files)
        return block.drawn_up(form), costs.reform.price(changed, 0.0, allowance)
    there = block.at(Pose(leg.x, leg.y, leg.facing))
    if isinstance(leg, Close):
        return there, leg.cost
    if costs.by_middle:
        return there, length(there.centre[0] - block.centre[0], there.centre[1] - block.centre[1])
    return there, length(leg.x - block.pose.x, leg.y - block.pose.y)


def _faced(block: Block, angle: float) -> Block:
    """The block after every model has turned in place; the centre stays. Wedges keep their points: it is the rules
    that say how many a unit has, and a turn does not change that.
    """
    turn = round(angle) % 360
    if turn not in (0, 90, 180, 270):
        raise FieldError(f"models face left, right or about (90 or 180 degrees), not {angle:g}")
    form = block.formation
    if turn in (90, 270):
        form = replace(form, files=form.ranks, points=min(form.points, form.ranks))
    return block.drawn_up(form).centred(block.centre, block.facing + turn)


def cut(whole: MoveSweep, position: float) -> tuple[Leg, ...]:
    """The legs of a move up to a position along it, rounded down so that nothing gets longer."""
    index = int(position)
    legs = whole.legs[:index]
    if index >= len(whole.steps) or position - index <= 0.0:
        return legs
    part = _part_of(whole.steps[index], position - index)
    return (*legs, part) if part is not None else legs


def _part_of(step: LegMotion, share: float) -> Leg | None:
    leg = step.leg
    if isinstance(leg, Advance | Sidestep):
        return replace(leg, distance=math.copysign(quantise_down(abs(leg.distance) * share), leg.distance))
    if isinstance(leg, Wheel | Turn | Pivot):
        return replace(
            leg, angle=math.copysign(math.floor(abs(leg.angle) * share * 1000.0) / 1000.0, leg.angle)
        )
    if isinstance(leg, Snake):
        return _part_of_snake(step, share)
    if isinstance(leg, Go):
        pose, far = step.start.pose, length(*step.vector)
        share = max(0.0, share - 1e-4 / far) if far > 0.0 else 0.0
        return Go(quantise(pose.x + (leg.x - pose.x) * share), quantise(pose.y + (leg.y - pose.y) * share))
    return None


def _part_of_snake(step: LegMotion, share: float) -> Leg | None:
    left, points = quantise_down(step.cost * share), []
    for head, vector in step.heads:
        far = length(*vector)
        part = min(1.0, left / far)
        if left < 2.0 * SLACK:
            break
        end = _moved(head.pose, (vector[0] * part, vector[1] * part))
        points.append((end.x, end.y))
        left -= far
    return Snake(tuple(points)) if points else None


def bases_through(whole: MoveSweep, parts: Sequence[Convex], depth: float) -> set[int]:
    """Which bases of a moving block come so deep into any of some shapes: at the start, on the way or at the end."""
    tracks = [[[base] for base in whole.start.bases()], *(step.base_tracks() for step in whole.steps)]
    return {
        i
        for track in tracks
        for i, areas in enumerate(track)
        if any(overlap(area, part, depth) for area in areas for part in parts)
    }


def affordable(whole: MoveSweep, limit: float) -> float:
    """The farthest position along a move that costs at most `limit` table units."""
    for index, step in enumerate(whole.steps):
        if step.paid + step.cost > limit + 1e-9:
            return index + max(0.0, (limit - step.paid) / step.cost)
    return float(len(whole.steps))


def crossings(whole: MoveSweep, blocks: Iterable[Block], pieces: Iterable[Piece] = ()) -> tuple[Crossing, ...]:
    """Everything met on the way in order of position, ties in the order given, blocks before terrain.

    The moving block itself (same id), and blocks when only one of the two is airborne, are left out.
    """
    found: list[Crossing] = []
    for block in blocks:
        if whole.may_meet(block.shape, TOUCH) and hinders(block, whole.start):
            found += _block_crossings(whole, block)
    for piece in pieces:
        found += _overlaps(
            whole, piece.id, whole.meetings(piece.parts, -RIM), _in_piece(whole.start, piece), True
        )
    return tuple(sorted(found, key=lambda crossing: crossing.position))


def hinders(other: Block, mover: Block) -> bool:
    """Whether two blocks can be in each other's way: different ids, both on the ground or in the air."""
    return other.id != mover.id and other.airborne == mover.airborne


def _in_piece(block: Block, piece: Piece) -> bool:
    return piece.covers_any_of(block.shape)


def _block_crossings(whole: MoveSweep, block: Block) -> list[Crossing]:
    contacts = whole.meetings((block.shape,), TOUCH)
    if not contacts:
        return []
    found = [Crossing("touch", block.id, whole.cost_at(low), low) for low, _ in contacts if low > 1e-9]
    inside = overlap(whole.start.shape, block.shape, SLACK)
    return found + _overlaps(whole, block.id, whole.meetings((block.shape,), -SLACK), inside, False)


def _overlaps(
    whole: MoveSweep, name: str, spans: Sequence[Interval], inside: bool, terrain: bool
) -> list[Crossing]:
    end = float(len(whole.steps))
    found: list[Crossing] = []
    for low, high in spans:
        begins: Literal["within", "enter"] = "within" if inside and low <= 1e-9 else "enter"
        found.append(Crossing(begins, name, whole.cost_at(low), low, terrain))
        if high < end - 1e-9:
            found.append(Crossing("leave", name, whole.cost_at(high), high, terrain))
    return found
