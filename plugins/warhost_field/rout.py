"""Flight and pursuit.

A routing block runs straight away from the closest enemy, its outline sliding as it stands; at the end it
shows its back to what it fled from. Friends are run through, enemies and impassable ground are run round; who is in
the air has no ground to run round.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from warhost_field.blocks import Block
from warhost_field.charge import ChargeRules, charge_path
from warhost_field.convex import Convex, Interval, direction_from, gap, rectangle, shift_interval
from warhost_field.legality import MoveRules, first_stop, payable
from warhost_field.measure import (
    SLACK,
    Point,
    ahead,
    heading,
    length,
    quantise,
    quantise_angle,
    quantise_turn,
    turn_between,
)
from warhost_field.moves import (
    Face,
    Go,
    Leg,
    MoveCosts,
    Turn,
    TurnCost,
    cut,
    hinders,
    merged,
    sweep,
)
from warhost_field.orders import Manoeuvre, towards
from warhost_field.records import record
from warhost_field.table import Extent, Tabletop
from warhost_field.terrain import RIM

Away = Literal["nearest", "centres"]

FREE_TURNS = MoveCosts(
    wheel=TurnCost(),
    turn=TurnCost(),
    pivot=TurnCost(),
    face=TurnCost(),
    reform=TurnCost(),
    back=1.0,
    sideways=1.0,
)


@record
class FleeRules:
    """How blocks rout.

    `away`: from the nearest point of the enemy (from the edge in contact), or from centre to centre.
    `gone_when`: how much of the block must be over the table's edge for it to be gone. `on_friend`: where the
    move would end on a friend, run on `beyond` it or stop `short`, at the last free place on the way.
    `impassable`: terrain types, besides pieces that are impassable for all. `deviation`: step in degrees of the
    directions tried to get round obstacles, up to `farthest`, each first clockwise, then counter-clockwise.
    `through`: ids of enemies that are run through like friends. `round`: ids of friends that are run round like
    enemies.
    """

    away: Away = "nearest"
    gone_when: Extent = "any"
    on_friend: Literal["beyond", "short"] = "beyond"
    through_friends: bool = True
    impassable: tuple[str, ...] = ()
    deviation: float = 15.0
    farthest: float = 165.0
    through: tuple[str, ...] = ()
    round: tuple[str, ...] = ()


@record
class Flight:
    """A rout move executed.

    `direction` run in, degrees, and its `deviation` from the wish; `distance` really run; ids of friends
    `passed`; `left_table`: gone over the edge, `final` is where it crossed; `stopped`: ran less than it
    should have.
    """

    final: Block
    legs: tuple[Leg, ...]
    direction: float
    deviation: float
    distance: float
    passed: tuple[str, ...]
    left_table: bool
    stopped: bool


@record
class Pursuit:
    """A pursuit executed: whether it `caught` the target, final block, legs and distance run."""

    caught: bool
    final: Block
    legs: tuple[Leg, ...]
    cost: float


def flee_direction(
    block: Block, enemies: Sequence[Block], distance: float = 0.0, away: Away = "nearest"
) -> float:
    """The facing in which a block runs `distance` table units from its enemies.

    Straight away from the closest (ties: nearer centre, then order given). If that leads towards another,
    along the bisector of the directions away from both; if those are opposed, square to them on the side
    where the least distance to any enemy ends greater, if equal the next one, and so on; right of the first
    direction if all are. Without enemies: backwards.
    """
    if not enemies:
        return quantise_angle(block.facing + 180.0)
    first = min(enemies, key=lambda enemy: _closeness(block, enemy))
    wish = _away(block, first, away)
    other = _threat(block, first, wish, distance, enemies)
    if other is None:
        return quantise_angle(heading(*wish))
    return quantise_angle(_between(block, wish, _away(block, other, away), distance, enemies))


def _closeness(block: Block, enemy: Block) -> tuple[float, float]:
    (ax, ay), (bx, by) = block.centre, enemy.centre
    return round(gap(block.shape, enemy.shape), 4), round(length(ax - bx, ay - by), 4)


def _away(block: Block, enemy: Block, away: Away) -> Point:
    if away == "nearest":
        return direction_from(block.shape, enemy.shape)
    dx, dy = block.centre[0] - enemy.centre[0], block.centre[1] - enemy.centre[1]
    size = length(dx, dy)
    return (dx / size, dy / size) if size > 1e-6 else direction_from(block.shape, enemy.shape)


def leads_towards(block: Block, enemy: Block, way: Point, distance: float) -> bool:
    """Whether running `distance` along a unit vector leads towards an enemy.

    It does if the outline would run into it, or end nearer to it than before and within `distance` of it.
    """
    motion = (way[0] * distance, way[1] * distance)
    if not _comes_nearer(block, enemy, motion):
        return False
    return _collides(block, enemy, motion) or gap(_moved(block, motion).shape, enemy.shape) < distance


def _comes_nearer(block: Block, enemy: Block, motion: Point) -> bool:
    """Whether a motion leads into an enemy or ends nearer to it than it began."""
    after = gap(_moved(block, motion).shape, enemy.shape)
    return _collides(block, enemy, motion) or after < gap(block.shape, enemy.shape) - 1e-3


def _collides(block: Block, enemy: Block, motion: Point) -> bool:
    return bool(shift_interval(block.shape, motion, enemy.shape, -SLACK))


def _moved(block: Block, motion: Point) -> Block:
    return block.centred((block.centre[0] + motion[0], block.centre[1] + motion[1]), block.facing)


def _threat(
    block: Block, first: Block, way: Point, distance: float, enemies: Sequence[Block]
) -> Block | None:
    """The closest other enemy towards which a way leads."""
    ahead_of_it = [e for e in enemies if e.id != first.id and leads_towards(block, e, way, distance)]
    return min(ahead_of_it, key=lambda enemy: _closeness(block, enemy), default=None)


def _between(block: Block, a: Point, b: Point, distance: float, enemies: Sequence[Block]) -> float:
    x, y = a[0] + b[0], a[1] + b[1]
    if length(x, y) > 1e-3:
        return heading(x, y)
    sides = [(a[1], -a[0]), (-a[1], a[0])]

    def gaps(way: Point) -> list[float]:
        there = _moved(block, (way[0] * distance, way[1] * distance))
        return sorted(round(gap(there.shape, enemy.shape), 3) for enemy in enemies)

    return heading(*max(sides, key=gaps))


def flee_move(
    block: Block,
    distance: float,
    table: Tabletop,
    enemies: Sequence[Block] | None = None,
    rules: FleeRules | None = None,
    wish: float | None = None,
) -> Flight:
    """Run `distance` table units from `enemies` (default: all enemies on the table), or towards a facing wished for.

    Whoever runs towards a wish may come nearer to an enemy on the way.
    """
    rules = rules or FleeRules()
    enemies = table.others(block, "enemies") if enemies is None else enemies
    closest: Block | None = None
    if wish is None:
        wish = flee_direction(block, enemies, distance, rules.away)
        closest = min(enemies, key=lambda enemy: _closeness(block, enemy), default=None)
    best = _RunInDirection(block, wish, 0.0, distance, table, rules, closest)
    for deviation in _deviations(rules):
        run = replace(best, direction=quantise_angle(wish + deviation), deviation=deviation)
        if run.clear() >= min(distance, run.exit()) - 1e-9:
            flight = run.flight()
            if flight.distance or flight.left_table or rules.on_friend == "beyond":
                return flight
        best = run if run.clear() > best.clear() + 1e-6 else best
    return best.flight()


def edge_direction(block: Block, distance: float, table: Tabletop, enemies: Sequence[Block]) -> float | None:
    """The facing to the nearest edge towards which a run comes nearer to no enemy; None when every edge is barred."""
    far = _edges(block, table)
    for facing in sorted(far, key=lambda f: (quantise(far[f]), f)):
        if not _approaches(block, enemies, facing, min(distance, far[facing])):
            return facing
    return None


def _approaches(block: Block, enemies: Sequence[Block], facing: float, distance: float) -> bool:
    fx, fy = ahead(facing)
    return any(_comes_nearer(block, enemy, (fx * distance, fy * distance)) for enemy in enemies)


def _edges(block: Block, table: Tabletop) -> dict[float, float]:
    """How far the edges of the table are, by the facing that leads to them."""
    x, y = block.centre
    return {0.0: table.depth - y, 90.0: table.width - x, 180.0: y, 270.0: x}


def leans_well(
    block: Block, distance: float, table: Tabletop, enemies: Sequence[Block], rules: FleeRules, facing: float,
    lean: float,
) -> bool:
    """Whether a run may lean by so many degrees from the straight way to an edge.

    It still leads to that edge, clear of all that is gone round and towards no enemy, and off the table if the straight
    one does.
    """
    straight = _RunInDirection(block, facing, 0.0, distance, table, rules, None)
    run = replace(straight, direction=quantise_angle(facing + lean), deviation=lean)
    aside = _edges(block, table)[facing] * math.tan(math.radians(lean))
    if abs(aside) >= _edges(block, table)[quantise_angle(facing + math.copysign(90.0, aside))]:
        return False
    if straight.exit() <= min(distance, straight.clear()) and run.exit() > distance:
        return False
    far = min(distance, run.exit())
    return run.clear() >= far - 1e-9 and not _approaches(block, enemies, run.direction, far)


def _within(distance: float, span: Interval) -> bool:
    """Whether somebody at the end of a run overlaps what he overlaps over a stretch of it; one who has not run, too."""
    low, high = span
    return low < distance < high or (distance <= 0.0 and low <= 0.0 < high)


def _deviations(rules: FleeRules) -> Iterator[float]:
    yield 0.0
    steps = int(rules.farthest / rules.deviation) if rules.deviation > 0.0 else 0
    for i in range(1, steps + 1):
        yield i * rules.deviation
        yield -i * rules.deviation


@record
class _RunInDirection:
    """A run in one direction."""

    block: Block
    direction: float
    deviation: float
    distance: float
    table: Tabletop
    rules: FleeRules
    closest: Block | None

    def reach(self) -> float:
        """No run is longer: across the table and back."""
        return self.table.width + self.table.depth + self.distance

    def vector(self) -> Point:
        fx, fy = ahead(self.direction)
        return fx * self.reach(), fy * self.reach()

    def obstacles(self, friends: bool) -> list[Convex]:
        """What may not be entered: enemies, impassable ground, and friends if asked for."""
        blocks = [o for o in self.table.blocks if hinders(o, self.block)]
        found = [o.shape for o in blocks if friends or self._goes_round(o)]
        for piece in self.table.pieces:
            closed = piece.impassable or piece.type in self.rules.impassable
            if closed and not self.block.airborne and not piece.covers_any_of(self.block.shape):
                found += piece.parts
        return found

    def _goes_round(self, other: Block) -> bool:
        if other.side == self.block.side:
            return other.id in self.rules.round
        return other.id not in self.rules.through

    def spans(self, shape: Convex, obstacles: Sequence[Convex]) -> list[Interval]:
        """Stretches of the run, table units, in which a shape overlaps any of the obstacles."""
        reach = self.reach()
        met = [self._span(shape, o) for o in obstacles]
        return merged((low * reach, high * reach) for low, high in (span for span in met if span))

    def _span(self, shape: Convex, obstacle: Convex) -> Interval | None:
        """The stretch, as shares of the reach, in which a shape overlaps an obstacle by more than a hair."""
        hair = min(SLACK, RIM) / 2.0
        span = shift_interval(shape, self.vector(), obstacle, -hair)
        if not span or span[0] > 0.0:
            return span
        deeper = shift_interval(shape, self.vector(), obstacle, -3.0 * hair)
        leads_in = deeper is not None and deeper[0] * self.reach() <= 2.0 * SLACK
        return span if leads_in else deeper  # a run may begin where a move may end, as long as it leads no deeper

    def clear(self) -> float:
        """How far the outline can slide before it meets what it may not enter."""
        spans = self.spans(self.block.shape, self.obstacles(friends=not self.rules.through_friends))
        return min([low for low, _ in spans], default=self.reach())

    def exit(self) -> float:
        """How far to the point at which the block is gone over the table's edge."""
        points = (self.block.centre,) if self.rules.gone_when == "centre" else self.block.corners
        exits = [self._exit_of(point) for point in points]
        return max(exits) if self.rules.gone_when == "whole" else min(exits)

    def _exit_of(self, point: Point) -> float:
        ways = []
        for at, step, far in zip(
            point, ahead(self.direction), (self.table.width, self.table.depth), strict=True
        ):
            if step > 1e-9:
                ways.append(max(0.0, (far - at) / step))
            elif step < -1e-9:
                ways.append(max(0.0, at / -step))
        return min(ways)

    def flight(self) -> Flight:
        """Run as far as possible, leave the table if it comes to that, end on nobody."""
        clear, leaves = self.clear(), self.exit()
        if leaves <= min(self.distance, clear):
            return self._ended(leaves, (), True)
        for turning in self._turnings():
            shape = sweep(self.block, turning, FREE_TURNS, 0.0).final.shape
            end = self._end(shape, clear)
            if end is not None and not self._nearer(shape, end):
                flight = self._ended(min(end, leaves), turning if end < leaves else (), end >= leaves)
                if flight.left_table or not turning or self.table.is_inside(flight.final):
                    return flight
        return self._ended(0.0, (), False)

    def _turnings(self) -> tuple[tuple[Leg, ...], ...]:
        """How the block may show its back at the end: turned exactly, models faced about, not at all."""
        turn = quantise_turn(turn_between(self.block.facing, self.direction))
        quarter = round(turn / 90.0) * 90.0
        faced: tuple[Leg, ...] = (Face(quarter),) if quarter else ()
        return ((Turn(turn),) if turn else (), faced, ())

    def _nearer(self, shape: Convex, distance: float) -> bool:
        """Whether turning has swung the block nearer to the enemy it runs from than it was at the start."""
        if self.closest is None or self.deviation or self.rules.through:
            return False
        (fx, fy), frame = ahead(self.direction), shape.frame
        assert frame is not None
        facing = heading(frame[0], frame[1])
        centre = shape.x + fx * distance, shape.y + fy * distance
        there = rectangle(*centre, facing, 2.0 * frame[2], 2.0 * frame[3])
        return gap(there, self.closest.shape) < gap(self.block.shape, self.closest.shape) - 1e-3

    def _end(self, shape: Convex, clear: float) -> float | None:
        """How far to run so that the block, in the shape it ends in, overlaps nothing; None: nowhere."""
        taken = self.spans(shape, self.obstacles(friends=True))
        wanted = min(self.distance, clear)
        if any(_within(wanted, span) for span in self.spans(shape, self.obstacles(friends=False))):
            return None
        on = next((span for span in taken if _within(wanted, span)), None)
        if on is None:
            return wanted
        if self.rules.on_friend == "beyond" and on[1] <= clear:
            return on[1]
        return on[0] if on[0] > SLACK else None

    def _ended(self, distance: float, turning: tuple[Leg, ...], left: bool) -> Flight:
        (fx, fy), pose = ahead(self.direction), self.block.pose
        way = Go(quantise(pose.x + fx * distance), quantise(pose.y + fy * distance))
        legs: tuple[Leg, ...] = (way, *turning) if distance > 0.0 else turning
        whole = sweep(self.block, legs, FREE_TURNS, self.distance)
        slide = sweep(self.block, legs[:1] if distance > 0.0 else (), FREE_TURNS, self.distance)
        passed = tuple(friend.id for friend in self.table.passes_through(slide))
        stopped = not left and distance < self.distance - SLACK
        return Flight(
            whole.final, legs, self.direction, self.deviation, quantise(distance), passed, left, stopped
        )


def follow(
    block: Block,
    target: Block,
    allowance: float,
    table: Tabletop,
    rules: MoveRules | None = None,
    manoeuvres: tuple[Manoeuvre, ...] = ("pivot", "turn", "wheel"),
    close_by_way: bool = False,
) -> Pursuit:
    """Pursue a fleeing block: into contact with its rear, else its nearest side, else after it.

    `manoeuvres`: ways of turning that it has; all are tried for a way into contact. `close_by_way`: see ChargeRules.
    """
    rules = rules or MoveRules(costs=FREE_TURNS)
    charge_rules = ChargeRules(
        rules, manoeuvres, side_method="edge", farthest_turn=180.0, close_by_way=close_by_way
    )
    for side in ("rear", None):
        charge = charge_path(block, target, allowance, table, charge_rules, side, explained=False)
        if charge.possible:
            return Pursuit(True, charge.final, charge.legs, charge.cost)
    return _chase(block, target, allowance, table, rules, "turn" if "turn" in manoeuvres else manoeuvres[0])


def _chase(
    block: Block, target: Block, allowance: float, table: Tabletop, rules: MoveRules, manoeuvre: Manoeuvre
) -> Pursuit:
    """Straight after the target as far as the allowance and the way allow."""
    legs = towards(block, target.centre, manoeuvre) or ()
    whole = sweep(block, legs, rules.costs, allowance)
    stop = min(payable(whole, allowance, table, rules), first_stop(whole, table, rules))
    ended = sweep(block, cut(whole, stop), rules.costs, allowance)
    if rules.bars(table, ended.final):
        ended = sweep(block, (), rules.costs, allowance)
    return Pursuit(False, ended.final, ended.legs, ended.cost)
