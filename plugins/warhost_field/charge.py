"""Charges: one turn, straight on or aslant into contact, then in line with the enemy's edge ("closing the door").

The charger ends flush against the side of the target in whose quarter it started, at the place along that
edge which brings most bases into contact, corners included, then most of them along a stretch of edge; among equal
places at the one that costs least. Places beside blocks which are already there are tried too, so that a second
charger stands beside the first if there is room. Where the best places are out of reach the others are tried, base by
base; a block that may go aslant tries how far aside it can come so.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from warhost_field.blocks import Block, Formation, Pose, Side
from warhost_field.contact import Measured, SideMethod, distance, side_of, touches, touching_bases
from warhost_field.convex import direction_from, gap, overlap, rectangle, spin_intervals, turning
from warhost_field.legality import MoveRules, bill, faults, is_legal
from warhost_field.measure import (
    SLACK,
    TOUCH,
    Point,
    ahead,
    heading,
    length,
    quantise,
    quantise_angle,
    quantise_turn,
    turn_between,
)
from warhost_field.moves import Advance, Close, Fly, Go, Leg, MoveSweep, TurnCost, hinders, sweep
from warhost_field.orders import Manoeuvre, aim, turning_leg, turns
from warhost_field.records import record
from warhost_field.table import Tabletop

STIR = 0.5
"""Degrees of a swing that is worth the name."""

SHARPEST = 89.0
"""A charger meets the edge at less than this angle from square, degrees, before it closes the door."""


@record
class ChargeRules:
    """How charges go.

    `manoeuvres`: ways of turning tried, all of them. `side_method`, `measured`: see `side_of`.
    `farthest_turn`: degrees of the one turn. `as_it_stands`: it also goes straight to the nearest point of the place
    as it stands, in any direction, and draws up there. `close`: price of closing
    the door. `stops_short`: a ranked block that another enemy hinders in closing the door on a ranked block stands
    where it is stopped. `close_by_way`: closing the door costs the way of the block's middle besides.
    """

    move: MoveRules = field(default_factory=MoveRules)
    manoeuvres: tuple[Manoeuvre, ...] = ("wheel", "pivot")
    side_method: SideMethod = "corner_lines"
    measured: Measured = "models"
    farthest_turn: float = 90.0
    as_it_stands: bool = False
    close: TurnCost = field(default_factory=TurnCost)
    stops_short: bool = False
    close_by_way: bool = False


@record
class Charge:
    """What became of a charge.

    If it reaches (`possible`): its legs, cost in table units, final block and number of its bases in contact.
    If not: the reasons; `cost` is then what the cheapest way would need, if there is one, else 0. `in_line`: it ends
    flush with the edge, and was not stopped on the way.
    """

    target: str
    side: Side
    legs: tuple[Leg, ...]
    cost: float
    final: Block
    bases: int
    reasons: tuple[str, ...] = ()
    in_line: bool = True

    @property
    def possible(self) -> bool:
        return not self.reasons


@record
class Edge:
    """An edge of the target seen by the charger in its final facing.

    Places along it are measured from its middle, to the charger's right, from -half to half. `manned`: where along it
    bases stand; not before an incomplete last rank.
    """

    middle: Point
    half: float
    facing: float
    manned: tuple[tuple[float, float], ...] = ()

    def point(self, place: float) -> Point:
        fx, fy = ahead(self.facing)
        return self.middle[0] + fy * place, self.middle[1] - fx * place

    def place_of(self, point: Point) -> float:
        fx, fy = ahead(self.facing)
        return (point[0] - self.middle[0]) * fy - (point[1] - self.middle[1]) * fx

    def ahead_of(self, point: Point) -> float:
        """How far the edge's line is ahead of a point."""
        fx, fy = ahead(self.facing)
        return (self.middle[0] - point[0]) * fx + (self.middle[1] - point[1]) * fy

    def pose(self, place: float) -> Pose:
        x, y = self.point(place)
        return Pose(x, y, self.facing)


def charge_path(
    block: Block,
    target: Block,
    allowance: float,
    table: Tabletop,
    rules: ChargeRules | None = None,
    side: Side | None = None,
    explained: bool = True,
) -> Charge:
    """The way of `block` into contact with `target`, or the reasons why there is none.

    `side`: the edge to reach; by default the one on whose side the block stands. `allowance` in table units.
    `explained`: otherwise one reason does, and the cost of what is not possible is 0, which is found sooner.
    """
    rules = rules or ChargeRules()
    side = side or _side(block, target, rules)
    if touches(block, target):
        return Charge(target.id, side, (), 0.0, block, 0, (f"already in contact with {target.id}",))
    apart = quantise(distance(block, target) - block.width - block.depth)
    if apart > allowance * rules.move.quickest:
        reason = f"too far: needs more than {apart:g}, has {quantise(allowance):g}"
        return Charge(target.id, side, (), apart, block, 0, (reason,))
    edge = _edge(target, side)
    ways = _WaysToEdge(block, target, side, edge, allowance, table, rules)
    places = [p for p in ways.places() if ways.room(p)]
    found = _best(places, ways, explained) if places else _no_room(ways)
    return found if found.possible else _stopped_short(ways) or found


def charge_paths(
    block: Block,
    target: Block,
    allowance: float,
    table: Tabletop,
    rules: ChargeRules | None = None,
    first: Charge | None = None,
) -> tuple[Charge, ...]:
    """The ways into contact with `target` among which a charger chooses; none if there is no way.

    The way of `charge_path` first, then those that bring as much into contact farther along the edge to either
    hand, then the same for each other choice of whom else to meet. `first`: what `charge_path` gives, if it is known.
    """
    rules = rules or ChargeRules()
    first = first or charge_path(block, target, allowance, table, rules)
    if not first.possible or not first.in_line:
        return (first,) if first.possible else ()
    edge = _edge(target, first.side)
    ways = _WaysToEdge(block, target, first.side, edge, allowance, table, rules)
    sorts: dict[tuple[str, ...], list[float]] = {_met(first.final, target, table): []}
    for place in (p for p in ways.places() if ways.room(p)):
        sorts.setdefault(_met(block.at(edge.pose(place)), target, table), []).append(place)
    return tuple(charge for places in sorts.values() for charge in _choices(places, ways))


def _choices(places: list[float], ways: "_WaysToEdge") -> list[Charge]:
    """Of the fullest places that can be reached the cheapest, and those farthest to the left and right of it."""
    reached, _ = _reached(places, ways)
    if not reached:
        return []
    cheapest = min(reached, key=lambda way: way[1].cost)
    found, base = [cheapest], ways.block.width / ways.block.formation.frontage
    for end in (min(reached, key=lambda way: way[0]), max(reached, key=lambda way: way[0])):
        if abs(end[0] - cheapest[0]) >= base / 2.0:
            found.append(min((way for way in reached if way[0] == end[0]), key=lambda way: way[1].cost))
    return [ways.outcome(whole, ()) for _, whole in found]


def _met(there: Block, target: Block, table: Tabletop) -> tuple[str, ...]:
    """Enemies other than the target with whom a block is in contact at a place."""
    foes = table.others(there, "enemies")
    return tuple(o.id for o in foes if o.id != target.id and hinders(o, there) and touches(o, there))


def _no_room(ways: "_WaysToEdge") -> Charge:
    reason = f"no room at the {ways.side} of {ways.target.id}"
    return Charge(ways.target.id, ways.side, (), 0.0, ways.block, 0, (reason,))


def _stopped_short(ways: "_WaysToEdge") -> Charge | None:
    """The cheapest way into contact on which another ranked enemy stops the swing into line, if the rules know it."""
    block, target = ways.block, ways.target
    ranked = block.formation.kind == target.formation.kind == "ranked"
    if not ways.rules.stops_short or not ranked or ways.rules.move.flying:
        return None
    near = [
        o
        for o in ways.table.others(block, "enemies")
        if o.id != target.id
        and o.formation.kind == "ranked"
        and hinders(o, block)
        and distance(o, target) < block.width
    ]
    if not near:
        return None
    best: MoveSweep | None = None
    for place in ways.places():
        for whole in ways.stopped_at(place, near):
            if (best is None or whole.cost < best.cost) and ways.is_good(whole):
                best = whole
    return None if best is None else replace(ways.outcome(best, ()), in_line=False)


def _side(block: Block, target: Block, rules: ChargeRules) -> Side:
    if not target.formation.has_flanks:
        return side_of(block, target.drawn_up(_with_flanks(target)), "edge")
    return side_of(block, target, rules.side_method, rules.measured)


def _with_flanks(target: Block) -> Formation:
    return replace(
        target.formation, kind="ranked", base_width=target.width, base_depth=target.depth, files=1, models=1
    )


def _edge(target: Block, side: Side) -> Edge:
    (ax, ay), (bx, by) = target.edge(side)
    half = length(bx - ax, by - ay) / 2.0
    edge = Edge(((ax + bx) / 2.0, (ay + by) / 2.0), half, quantise_angle(target.outward(side) + 180.0))
    return replace(edge, manned=_manned(target, side, edge))


def _manned(target: Block, side: Side, edge: Edge) -> tuple[tuple[float, float], ...]:
    """The stretches of an edge on which bases of the block stand."""
    form = target.formation
    size = form.base_width if side in ("front", "rear") else form.base_depth
    deep = (form.base_depth if side in ("front", "rear") else form.base_width) / 2.0
    at_it = [c for c in target.base_centres() if abs(edge.ahead_of(c) + deep) < TOUCH]
    middles = sorted(edge.place_of(centre) for centre in at_it)
    return tuple((middle - size / 2.0, middle + size / 2.0) for middle in middles)


@record
class _WaysToEdge:
    """One charger, one edge: the ways to each place along it."""

    block: Block
    target: Block
    side: Side
    edge: Edge
    allowance: float
    table: Tabletop
    rules: ChargeRules

    def places(self) -> list[float]:
        """Places along the edge worth trying, nearest to the charger's own line first."""
        return _places(self.block, self.edge, self.table, self.target, self._farthest_aside())

    def room(self, place: float) -> bool:
        """Whether the charger can stand there: on the table, overlapping nobody."""
        there = self.block.at(self.edge.pose(place))
        rules = self.rules.move
        return (rules.may_leave or self.table.is_inside(there)) and not rules.bars(self.table, there)

    def to(self, place: float) -> Iterator[MoveSweep]:
        """Every direct way to a place, legal or not."""
        if self.rules.as_it_stands:
            yield self._as_it_stands(place)
        if self.rules.move.flying:
            pose = self.edge.pose(place)
            yield self._sweep((Fly(pose.x, pose.y, pose.facing),))
        else:
            yield from self._arriving(place, place)

    def _as_it_stands(self, place: float) -> MoveSweep:
        """The straight way of the charger, as it stands, to the stretch of edge before a place, and the drawing up."""
        low, high = self._feet(place)
        (x, y), (fx, fy) = self.edge.point(place + (low + high) / 2.0), ahead(self.edge.facing)
        thin = TOUCH / 2.0
        stretch = rectangle(x + fx * thin, y + fy * thin, self.edge.facing, max(high - low, thin), 2.0 * thin)
        apart, (wx, wy) = gap(self.block.shape, stretch), direction_from(self.block.shape, stretch)
        (bx, by), pose = self.block.front_centre, self.edge.pose(place)
        end = quantise(bx - wx * apart), quantise(by - wy * apart)
        way = Fly(*end, self.block.facing) if self.rules.move.flying else Go(*end)
        return self._sweep((*((way,) if apart > TOUCH else ()), Close(pose.x, pose.y, pose.facing)))

    def sliding_to(self, place: float) -> Iterator[MoveSweep]:
        """Ways that make contact up to one base aside of a place and slide along the edge into it."""
        base = self.block.width / self.block.formation.frontage
        for share in () if self.rules.move.flying else (0.25, -0.25, 1.0, -1.0):
            arrival = place + share * base
            if abs(arrival) < self.edge.half + self.block.width / 2.0:
                yield from self._arriving(arrival, place)

    def _arriving(self, arrival: float, place: float) -> Iterator[MoveSweep]:
        """Ways that make contact at one place and end in line at another."""
        for legs, swing, foot in self._contacts(arrival):
            yield self._sweep((*legs, self._close(legs, swing, foot, arrival, place)))

    def _contacts(self, arrival: float) -> Iterator[tuple[tuple[Leg, ...], float, float]]:
        """Turns and advances that make contact at a place, the angle off square then, and where the front touches."""
        for manoeuvre in self.rules.manoeuvres:
            for name, pivot, held in turns(self.block, manoeuvre):
                for left, foot in zip((True, False), self._feet(arrival), strict=True):
                    approach = self._approach(name, pivot, (held[0] + foot, held[1]), arrival + foot, left)
                    if approach is not None:
                        legs, swing = approach
                        yield legs, swing, foot

        if self._goes_aslant:
            for legs, there in self._before_slants():
                for left, foot in zip((True, False), self._feet(arrival), strict=True):
                    aslant = self._slant(there, arrival, foot, left)
                    if aslant is not None:
                        yield (*legs, aslant[0]), aslant[1], foot

    @property
    def _goes_aslant(self) -> bool:
        move = self.rules.move
        ranked = self.block.formation.kind == "ranked"
        return ranked and not move.flying and 0.0 < move.slant < 180.0 and (move.legs is None or "go" in move.legs)

    def _before_slants(self) -> Iterator[tuple[tuple[Leg, ...], Block]]:
        """What a block does before it goes aslant, and how it stands then: nothing, or the wheel that squares it."""
        yield (), self.block
        turn = quantise_turn(turn_between(self.block.facing, self.edge.facing))
        if STIR <= abs(turn) <= self.rules.farthest_turn:
            leg = turning_leg("left" if turn < 0.0 else "right", turn)
            if leg is not None and "wheel" in self.rules.manoeuvres:
                yield (leg,), sweep(self.block, (leg,), self.rules.move.costs, self.allowance).final

    def _slant(self, there: Block, arrival: float, foot: float, left: bool) -> tuple[Leg, float] | None:
        """The leg straight ahead or aslant that brings a point of the front into contact, and the angle off square.

        None if it goes too far aside or too far, or if that point would not be the first to touch.
        """
        (sx, sy), (gx, gy) = _along_front(there, foot), self.edge.point(arrival + foot)
        far = length(gx - sx, gy - sy)
        if far < TOUCH or far > self.allowance * self.rules.move.quickest + TOUCH:
            return None
        off_square = turn_between(self.edge.facing, there.facing)
        leads = (off_square if left else -off_square) >= -0.002
        off_facing = abs(turn_between(there.facing, heading(gx - sx, gy - sy)))
        if not leads or abs(off_square) > SHARPEST or off_facing > self.rules.move.slant + 0.05:
            return None
        return Go(quantise(there.pose.x + gx - sx), quantise(there.pose.y + gy - sy)), off_square

    def _farthest_aside(self) -> list[float]:
        """The places at which the charger ends when it goes aslant as far as it may, to the left and to the right."""
        found: list[float] = []
        if not self._goes_aslant:
            return found
        for _, there in self._before_slants():
            off_square = turn_between(self.edge.facing, there.facing)
            if abs(off_square) > SHARPEST:
                continue
            half = self.block.width / 2.0
            feet = [-half] if off_square > STIR else [half] if off_square < -STIR else [-half, half]
            for foot in feet:
                corner = _along_front(there, foot)
                ahead_of, own = self.edge.ahead_of(corner), self.edge.place_of(corner)
                for aslant in (-self.rules.move.slant, self.rules.move.slant):
                    angle = off_square + aslant
                    if abs(angle) < SHARPEST and ahead_of > 0.0:
                        found.append(own + ahead_of * math.tan(math.radians(angle)) - foot)
        return found

    def stopped_at(self, arrival: float, others: Sequence[Block]) -> Iterator[MoveSweep]:
        """Ways that make contact at a place and swing towards the edge until they touch one of some others."""
        for legs, swing, foot in self._contacts(arrival):
            there = sweep(self.block, legs, self.rules.move.costs, self.allowance).final
            pivot, turn = self.edge.point(arrival + foot), -swing
            if abs(turn) < STIR or any(overlap(there.shape, o.shape, SLACK) for o in others):
                continue
            share = _first_meeting(there, pivot, turn, others)
            if share is None:
                continue
            pose = there.turned(turn * share, pivot).pose
            arm = max(abs(foot + self.block.width / 2.0), abs(foot - self.block.width / 2.0))
            price = self.rules.close.price(turn * share, arm, self.allowance) + self._way_of_middle(there, pose)
            yield self._sweep((*legs, Close(pose.x, pose.y, pose.facing, quantise(price))))

    def _feet(self, arrival: float) -> tuple[float, float]:
        """The points of the front edge, from its centre to the right, that may touch first: left, right."""
        half = self.block.width / 2.0
        return max(-half, -self.edge.half - arrival), min(half, self.edge.half - arrival)

    def _approach(
        self, name: str, pivot: Point, held: Point, contact: float, left: bool
    ) -> tuple[tuple[Leg, ...], float] | None:
        """Turn and advance that bring a point of the front edge into contact, and the angle off square.

        None if that point would not be the first to touch.
        """
        goal = aim(pivot, held, self.block.facing, self.edge.point(contact))
        if goal is None or goal[1] < -TOUCH or abs(goal[0]) > self.rules.farthest_turn:
            return None
        turning = turning_leg(name, goal[0])
        off_square = turn_between(self.edge.facing, self.block.facing + goal[0])
        leads = (off_square if left else -off_square) >= -0.002
        if turning is None or abs(off_square) > SHARPEST or not leads:
            return None
        legs: tuple[Leg, ...] = (turning,) if goal[0] else ()
        return (*legs, Advance(goal[1])) if goal[1] > 0.0 else legs, off_square

    def _close(self, legs: tuple[Leg, ...], swing: float, foot: float, arrival: float, place: float) -> Close:
        """The swing into line about the point of contact, and the slide, which is paid by its length."""
        pose = self.edge.pose(place)
        arm = max(abs(foot + self.block.width / 2.0), abs(foot - self.block.width / 2.0))
        price = self.rules.close.price(swing, arm, self.allowance)
        if self.rules.close_by_way:
            price += self._way_of_middle(sweep(self.block, legs, self.rules.move.costs, self.allowance).final, pose)
        else:
            price += abs(arrival - place)
        return Close(pose.x, pose.y, pose.facing, quantise(price))

    def _way_of_middle(self, there: Block, pose: Pose) -> float:
        """How far the middle of a block goes from one stand to another, where that is paid; else 0."""
        if not self.rules.close_by_way:
            return 0.0
        (ax, ay), (bx, by) = there.centre, there.at(pose).centre
        return length(bx - ax, by - ay)

    def _sweep(self, legs: tuple[Leg, ...]) -> MoveSweep:
        whole = sweep(self.block, legs, self.rules.move.costs, self.allowance)
        last = whole.steps[-1]
        if isinstance(last.leg, Close) and last.start.pose == last.end.pose:
            return sweep(self.block, legs[:-1], self.rules.move.costs, self.allowance)
        return whole

    def fighting(self, place: float) -> tuple[int, int]:
        """How many bases of both sides meet when the charger stands there: corners included, and along the edge."""
        form = self.block.formation
        own = _spans(place, self.block.width / 2.0, form.frontage)
        theirs = self.edge.manned
        front = (place - self.block.width / 2.0, place + self.block.width / 2.0)
        return _meeting(own, theirs, front, -TOUCH), _meeting(own, theirs, front, 2.0 * TOUCH)

    def reasons(self, whole: MoveSweep) -> list[str]:
        """Everything that speaks against a way."""
        return faults(whole, self.allowance, self.table, self.rules.move)

    def first_reasons(self, whole: MoveSweep) -> list[str]:
        """The same, but nothing else is looked at if the way is too long anyway."""
        limit = quantise(self.allowance * self.rules.move.quickest)
        return (
            [f"too far: needs {whole.cost:g}, has {limit:g}"] if whole.cost > limit else self.reasons(whole)
        )

    def is_good(self, whole: MoveSweep) -> bool:
        """Whether nothing speaks against a way."""
        limit = quantise(self.allowance * self.rules.move.quickest)
        return whole.cost <= limit and is_legal(whole, self.allowance, self.table, self.rules.move)

    def outcome(self, whole: MoveSweep, reasons: Iterable[str]) -> Charge:
        cost = bill(whole, self.allowance, self.table, self.rules.move).needs
        bases = {pair.first for pair in touching_bases(whole.final, self.target)}
        return Charge(self.target.id, self.side, whole.legs, cost, whole.final, len(bases), tuple(reasons))


def _first_meeting(there: Block, pivot: Point, turn: float, others: Sequence[Block]) -> float | None:
    """The share of a swing about a point after which a block first touches one of some others."""
    arm = max(length(x - pivot[0], y - pivot[1]) for x, y in there.corners)
    travel, shortest = math.radians(abs(turn)) * arm, min(1.0, 0.5 / abs(turn))
    found: list[float] = []
    for other in others:
        apart = turning(there.shape, there.facing, pivot, turn, other.shape)
        found += [low for low, _ in spin_intervals(apart, travel, 0.0, shortest)]
    return min(found, default=None)


def _spans(middle: float, half: float, count: int) -> list[tuple[float, float]]:
    size = 2.0 * half / count
    return [(middle - half + i * size, middle - half + (i + 1) * size) for i in range(count)]


def _meet(a: tuple[float, float], b: tuple[float, float], least: float) -> bool:
    """Whether two stretches have more than `least` in common."""
    return min(a[1], b[1]) - max(a[0], b[0]) > least


def _meeting(
    own: list[tuple[float, float]], theirs: Sequence[tuple[float, float]], front: tuple[float, float], least: float
) -> int:
    """How many stretches of each side have more than `least` in common with the other."""
    met = [span for span in theirs if _meet(span, front, least)]
    return len(met) + sum(any(_meet(span, other, least) for other in met) for span in own)


def _along_front(block: Block, aside: float) -> Point:
    """The point of the front edge that lies so far to the right of its middle."""
    fx, fy = block.ahead
    return block.pose.x + fy * aside, block.pose.y - fx * aside


def _best(places: list[float], ways: _WaysToEdge, explained: bool = True) -> Charge:
    """The cheapest legal way to the places where most bases fight, or the reasons for the best that fails."""
    reached, failed = _reached(places, ways)
    if reached:
        return ways.outcome(min((w for _, w in reached), key=lambda w: w.cost), ())
    if not explained:
        return Charge(ways.target.id, ways.side, (), 0.0, ways.block, 0, (f"no legal way to {ways.target.id}",))
    return _failure([(whole, ways.first_reasons(whole)) for whole in failed], ways)


def _reached(places: list[float], ways: _WaysToEdge) -> tuple[list[tuple[float, MoveSweep]], list[MoveSweep]]:
    """Every legal way to those places where most bases fight, or none and the ways that fail."""
    failed: list[MoveSweep] = []
    strengths = {place: ways.fighting(place) for place in places}
    beside = _beside(ways.block, ways.edge, ways.table, ways.target)
    for strength in sorted(set(strengths.values()), reverse=True):
        reached: list[tuple[float, MoveSweep]] = []
        for place in (p for p in places if strengths[p] == strength):
            good, bad = _sorted_out(ways.to(place), ways)
            if not good and place in beside and any(not _is_far(ways.first_reasons(whole)) for whole in bad):
                good, _ = _sorted_out(ways.sliding_to(place), ways)
            reached += [(place, whole) for whole in good]
            failed += bad
        if reached:
            return reached, failed
    return [], failed


def _sorted_out(all_ways: Iterable[MoveSweep], ways: _WaysToEdge) -> tuple[list[MoveSweep], list[MoveSweep]]:
    """Legal ways, and the others."""
    good: list[MoveSweep] = []
    bad: list[MoveSweep] = []
    for whole in all_ways:
        (good if ways.is_good(whole) else bad).append(whole)
    return good, bad


def _failure(failed: list[tuple[MoveSweep, list[str]]], ways: _WaysToEdge) -> Charge:
    if not failed:
        reason = f"cannot come at the {ways.side} of {ways.target.id} by one turn and a straight advance"
        return Charge(ways.target.id, ways.side, (), 0.0, ways.block, 0, (reason,))
    whole, reasons = min(failed, key=lambda way: (len(way[1]), _is_far(way[1]) is False, way[0].cost))
    cost = bill(whole, ways.allowance, ways.table, ways.rules.move).needs
    return Charge(ways.target.id, ways.side, (), cost, ways.block, 0, tuple(ways.reasons(whole) or reasons))


def _is_far(reasons: list[str]) -> bool:
    return len(reasons) == 1 and reasons[0].startswith("too far")


def _places(
    block: Block, edge: Edge, table: Tabletop, target: Block, aslant: Iterable[float] = ()
) -> list[float]:
    """Places along the edge worth trying, nearest to the charger's own line first.

    `aslant`: where it comes by going aside as far as it may.
    """
    half = block.width / 2.0
    full, touch = abs(edge.half - half), edge.half + half
    own = edge.place_of(block.front_centre)
    base = block.width / block.formation.frontage
    tried = [max(-full, min(full, own)), 0.0, -full, full, *_straight(block, edge)]
    tried += [base - full, full - base] if full >= base else []
    tried += _before_the_manned(edge, base)
    tried += _beside(block, edge, table, target)
    tried += _base_by_base(full, touch, base, own)
    tried += [-touch + base, touch - base, -touch, touch]
    tried += [place for far in aslant for place in (far, math.copysign(_next_step(abs(far), full, base), far))]
    within = dict.fromkeys(round(place, 6) for place in tried if abs(place) <= touch + 1e-9)
    return sorted(within, key=lambda place: abs(place - own))


def _before_the_manned(edge: Edge, base: float) -> list[float]:
    """Places before the middle of those who stand at an edge of which a part is empty."""
    low, high = min((a for a, _ in edge.manned), default=0.0), max((b for _, b in edge.manned), default=0.0)
    if high - low > 2.0 * edge.half - TOUCH:
        return []
    middle = (low + high) / 2.0
    return [middle, middle - base / 2.0, middle + base / 2.0]


def _base_by_base(full: float, touch: float, base: float, own: float) -> list[float]:
    """Places on the charger's side of the best ones at which its bases stand even with those at the end of the edge."""
    steps = range(1, int(min(touch - full, abs(own) - full) / base) + 1)
    return [math.copysign(full + step * base, own) for step in steps]


def _next_step(place: float, full: float, base: float) -> float:
    """The next place outwards at which bases stand even."""
    return full + math.ceil((place - full) / base - 1e-6) * base if place > full else place


def _beside(block: Block, edge: Edge, table: Tabletop, target: Block) -> list[float]:
    """Places next to the blocks that already stand before the edge."""
    half = block.width / 2.0
    spans = occupied(block, edge, table, target)
    return [round(place, 6) for low, high in spans for place in (low - half, high + half)]


def _straight(block: Block, edge: Edge) -> list[float]:
    """Where the charger comes to stand if it does not turn at all."""
    off_square = turn_between(edge.facing, block.facing)
    if abs(off_square) > SHARPEST:
        return []
    half = block.width / 2.0
    foot = -half if off_square >= 0.0 else half
    corner = block.front_left if off_square >= 0.0 else block.front_right
    hit = edge.place_of(corner) + edge.ahead_of(corner) * math.tan(math.radians(off_square))
    if abs(hit) <= edge.half:
        return [hit - foot]
    along = (math.copysign(edge.half, hit) - hit) * math.cos(math.radians(off_square))
    return [math.copysign(edge.half, hit) - (foot + along)]


def occupied(block: Block, edge: Edge, table: Tabletop, target: Block) -> list[tuple[float, float]]:
    """Stretches along an edge before which other blocks stand, as deep as `block` would."""
    found = []
    for other in table.blocks:
        if other.id in (target.id, block.id) or not hinders(other, block):
            continue
        depths = [edge.ahead_of(corner) for corner in other.corners]
        if max(depths) > SLACK and min(depths) < block.depth - SLACK:
            along = [edge.place_of(corner) for corner in other.corners]
            found.append((min(along), max(along)))
    return found


def free_places(block: Block, target: Block, side: Side, table: Tabletop) -> tuple[Pose, ...]:
    """Where another block finds space against an edge, most bases in contact first, then nearest to it."""
    edge = _edge(target, side)
    fit = [p for p in _places(block, edge, table, target) if _fits(block.at(edge.pose(p)), table)]
    ways = _WaysToEdge(block, target, side, edge, 0.0, table, ChargeRules())
    return tuple(edge.pose(place) for place in sorted(fit, key=ways.fighting, reverse=True))


def _fits(block: Block, table: Tabletop) -> bool:
    return table.is_inside(block) and not table.overlaps(block)
