"""Is this move legal, and if not, why not: reasons in plain language, all of them at once."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal

from warhost_field.blocks import Block
from warhost_field.convex import Interval, gap, near, overlap
from warhost_field.measure import (
    SLACK,
    TOUCH,
    FieldError,
    Point,
    heading,
    length,
    quantise,
    quantise_down,
    turn_between,
)
from warhost_field.moves import (
    LEG_NAMES,
    Advance,
    Close,
    Face,
    Go,
    Leg,
    LegMotion,
    MoveCosts,
    MoveSweep,
    Pivot,
    Reform,
    Turn,
    Wheel,
    affordable,
    hinders,
    sweep,
)
from warhost_field.orders import parse_orders
from warhost_field.records import record
from warhost_field.table import Tabletop
from warhost_field.terrain import RIM, Piece

SQUINT = 0.1
"""Degrees that the rounding of coordinates may take a short slant off its direction."""

#: How moves are slowed, by move and rules (both are kept, so that they stay the same objects): it is found, billed and
#: told for one and the same move. So many are kept at most.
_SLOW: dict[tuple[int, int], "Slowed"] = {}
MOST_KEPT = 1_000


@record
class MoveRules:
    """What a kind of movement may do.

    `legs`: the sorts of legs allowed (their names, "go back", "face about"), None for all. `through_friends`,
    `through_enemies`: may pass through
    them (never end there). `flying`: nothing in between matters. `pace`: for each terrain type the share of
    the allowance that is left there, 0 for impassable; types not named do not hinder. `pace_counts`: `whole`
    = the worst pace met on the move holds for all of it, `part` = only the distance inside costs more.
    `may_leave`: may end partly off the table. `slant`: degrees off its facing at which a ranked block goes straight to
    a place. `tolls`: for each terrain type what it costs besides to come into it, table units, once. `slopes`: for each
    terrain type the pace up, towards its middle, and down; they count where the pace counts by `part`.
    """

    costs: MoveCosts = field(default_factory=MoveCosts)
    legs: tuple[str, ...] | None = None
    through_friends: bool = False
    through_enemies: bool = False
    flying: bool = False
    pace: Mapping[str, float] = field(default_factory=dict)
    pace_counts: Literal["whole", "part"] = "whole"
    may_leave: bool = False
    slant: float = 180.0
    tolls: Mapping[str, float] = field(default_factory=dict)
    slopes: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def quickest(self) -> float:
        """The best pace anywhere, 1 or more: how much farther than its allowance a block may come."""
        return max((pace for both in self.slopes.values() for pace in both), default=1.0)

    def slows(self, piece: Piece) -> bool:
        """Whether the pace in a piece is another than on open ground; nobody goes into what is impassable."""
        return 0.0 < self.pace_in(piece) < 1.0 or piece.type in self.slopes

    def pace_in(self, piece: Piece) -> float:
        """Share of the allowance left in a piece, 0 if it is impassable."""
        return 0.0 if piece.impassable else self.pace.get(piece.type, 1.0)

    def may_pass(self, mover: Block, other: Block) -> bool:
        """Whether the mover may go through a block."""
        if self.flying or not hinders(other, mover):
            return True
        return self.through_friends if other.side == mover.side else self.through_enemies

    def makes_room(self, other: Block) -> bool:
        """Whether a block goes out of the way of a mover that ends its move on it."""
        return False

    def bars(self, table: Tabletop, there: Block) -> tuple[Block, ...]:
        """Blocks because of which nobody can end a move at a place: it overlaps them, and they make no room."""
        return tuple(other for other in table.overlaps(there) if not self.makes_room(other))


@record
class Bill:
    """What a move costs and what it may cost, table units, with the terrain that made the difference."""

    needs: float
    has: float
    because: tuple[str, ...] = ()


@dataclass(slots=True)
class Slowed:
    """The slow pieces that a move enters, among those `near` it, and when the outline is in them; where the move costs
    nothing nobody asks.

    `extra`: what the way inside costs besides, table units, once somebody has asked.
    """

    whole: MoveSweep
    rules: MoveRules
    near: list[Piece]
    stretches: list[tuple[Piece, list[Interval]]]
    extra: float | None = None

    def surcharge(self) -> float:
        """Extra distance, table units, for the way inside slow terrain; where pieces overlap the worst pace counts."""
        if self.extra is None:
            cut_up = _stretches(self.whole, self.stretches, self.rules)
            self.extra = sum(price * (1.0 / pace - 1.0) for _, _, price, pace in cut_up)
        return self.extra


def validate(
    answer: Any, block: Block, allowance: float, table: Tabletop, rules: MoveRules | None = None
) -> list[str]:
    """Reasons why a move is not legal; an empty list if it is.

    `answer`: a tuple of legs, or a free JSON answer.
    """
    rules = rules or MoveRules()
    try:
        legs = answer if isinstance(answer, tuple) else parse_orders(answer, block, rules.flying)
        whole = sweep(block, legs, rules.costs, allowance)
    except FieldError as wrong:
        return [str(wrong)]
    return faults(whole, allowance, table, rules)


def faults(whole: MoveSweep, allowance: float, table: Tabletop, rules: MoveRules) -> list[str]:
    """Reasons why a move that has been swept is not legal."""
    return [
        *forbidden(whole.legs, rules),
        *_aslant(whole, rules),
        *_too_far(bill(whole, allowance, table, rules)),
        *(_collision(whole, *found) for found in _in_the_way(whole, table, rules)),
        *_barred(whole, table, rules),
        *_edge(whole, table, rules),
    ]


def is_legal(whole: MoveSweep, allowance: float, table: Tabletop, rules: MoveRules) -> bool:
    """Whether nothing is wrong with a move that has been swept: the same as no `faults`, but the first one does."""
    if forbidden(whole.legs, rules) or _aslant(whole, rules) or _edge(whole, table, rules):
        return False
    if next(_in_the_way(whole, table, rules), None) is not None:
        return False
    account = bill(whole, allowance, table, rules)
    return account.needs <= account.has and next(_barred(whole, table, rules), None) is None


def forbidden(legs: Sequence[Leg], rules: MoveRules) -> list[str]:
    """Legs of a sort that the mover may not make."""
    if rules.legs is None:
        return []
    names = dict.fromkeys(_sort_of(leg) for leg in legs if not isinstance(leg, Close))
    return [f"may not {name} in this move" for name in names if name not in rules.legs]


def _sort_of(leg: Leg) -> str:
    """What a leg is for the rules: its name, but to go back and to face about are sorts of their own."""
    if isinstance(leg, Advance) and leg.distance < 0.0:
        return "go back"
    if isinstance(leg, Face) and abs(leg.angle) == 180.0:
        return "face about"
    return LEG_NAMES[type(leg)]


def _aslant(whole: MoveSweep, rules: MoveRules) -> list[str]:
    """Blocks go aslant no farther off their facing than they may."""
    for step in whole.steps:
        if isinstance(step.leg, Go) and step.start.formation.kind == "ranked" and step.cost > SLACK:
            off = abs(turn_between(step.start.facing, heading(*step.vector)))
            if off > rules.slant + SQUINT:
                return [f"goes {off:.0f} degrees aslant, may go {rules.slant:g}"]
    return []


def _too_far(account: Bill) -> list[str]:
    if account.needs <= account.has:
        return []
    because = f" in {', '.join(account.because)}" if account.because else ""
    return [f"too far: needs {account.needs:g}, has {account.has:g}{because}"]


def bill(whole: MoveSweep, allowance: float, table: Tabletop, rules: MoveRules) -> Bill:
    """The price of a move over the terrain it crosses, against the allowance."""
    slowed = None if rules.flying else _slowed(whole, table, rules)
    slow = slowed.stretches if slowed is not None else []
    tolls = _tolls(whole, table, rules)
    if not slow and not tolls:
        return Bill(whole.cost, quantise(allowance))
    names = tuple(dict.fromkeys([piece.id for piece, _ in slow] + [name for _, _, name in tolls]))
    cost = whole.cost + sum(toll for _, toll, _ in tolls)
    if slowed is None or not slow:
        return Bill(quantise(cost), quantise(allowance), names)
    if rules.pace_counts == "whole":
        worst = min(rules.pace_in(piece) for piece, _ in slow)
        return Bill(quantise(cost), quantise_down(allowance * worst), names)
    return Bill(quantise(cost + slowed.surcharge()), quantise(allowance), names)


def _slowed(whole: MoveSweep, table: Tabletop, rules: MoveRules) -> Slowed | None:
    """How a move is slowed: by pieces that it enters (grazing a rim is not entering); None if none is near.

    A piece that is free within slows no move that begins, goes and ends in it.
    """
    pace, slopes = rules.pace, rules.slopes
    ruled = [p for p in table.pieces if p.type in pace or p.type in slopes]
    near = [piece for piece in ruled if whole.may_meet(piece, 0.0) and rules.slows(piece)]
    if not near:
        return None
    key = (id(whole), id(rules))
    known = _SLOW.get(key)
    if known is None or known.near != near:
        if len(_SLOW) >= MOST_KEPT:
            _SLOW.clear()
        entered = [piece for piece in near if whole.meets(piece.parts, -RIM)]
        slow = [piece for piece in entered if not (piece.free_within and whole.stays_in(piece))]
        stretches = [(piece, whole.meetings(piece.parts, 0.0, for_free=False)) for piece in slow]
        known = _SLOW[key] = Slowed(whole, rules, near, stretches)
    return known


def _tolls(whole: MoveSweep, table: Tabletop, rules: MoveRules) -> list[tuple[float, float, str]]:
    """Where a move comes into pieces that take a toll (positions, in order), what each takes, and its name."""
    if rules.flying or not rules.tolls:
        return []
    dear = [piece for piece in table.pieces if rules.tolls.get(piece.type, 0.0) > 0.0]
    ahead_of_it = [piece for piece in dear if not piece.covers_any_of(whole.start.shape)]
    entered = [piece for piece in ahead_of_it if whole.meets(piece.parts, -RIM)]
    return sorted((whole.meetings(piece.parts, 0.0)[0][0], rules.tolls[piece.type], piece.id) for piece in entered)


def _stretches(
    whole: MoveSweep, slow: Sequence[tuple[Piece, list[Interval]]], rules: MoveRules, also: Sequence[float] = ()
) -> Iterator[tuple[float, float, float, float]]:
    """The move cut where its pace changes: from, to (positions), price on open ground (table units), pace 0..1, more
    downhill. `also`: positions at which it is cut besides.

    Turns that cost a share of the allowance cost that share anywhere: only distance grows dearer.
    """
    ends = {position for _, spans in slow for span in spans for position in span}
    turning = {position for piece, _ in slow if piece.type in rules.slopes for position in _passes(whole, piece)}
    marks = sorted({*ends, *turning, *also, *(float(i) for i in range(len(whole.steps) + 1))})
    for low, high in pairwise(marks):
        middle = (low + high) / 2.0
        step = whole.steps[min(int(middle), len(whole.steps) - 1)]
        met = [piece for piece, spans in slow if any(a <= middle <= b for a, b in spans)]
        paces = [_pace(step, low - int(middle), high - int(middle), piece, rules) for piece in met]
        pace = 1.0 if _by_share(step.leg, rules.costs) else min(paces, default=1.0)
        yield low, high, (high - low) * step.cost, pace


def _passes(whole: MoveSweep, piece: Piece) -> Iterator[float]:
    """Where a move, on its straight legs, comes nearest to the middle of a piece."""
    for index, step in enumerate(whole.steps):
        square = step.vector[0] ** 2 + step.vector[1] ** 2
        if step.motion == "shift" and square > 0.0:
            x, y = step.start.centre
            share = ((piece.x - x) * step.vector[0] + (piece.y - y) * step.vector[1]) / square
            if 0.0 < share < 1.0:
                yield index + share


def _pace(step: LegMotion, low: float, high: float, piece: Piece, rules: MoveRules) -> float:
    """The pace in a piece from one share of a leg to another."""
    if piece.type not in rules.slopes:
        return rules.pace_in(piece)
    before, after = (step.shape_at(share) for share in (low, high))
    nearer = length(after.x - piece.x, after.y - piece.y) < length(before.x - piece.x, before.y - piece.y)
    up, down = rules.slopes[piece.type]
    return min(rules.pace_in(piece), up) if nearer else down if rules.pace_in(piece) >= 1.0 else rules.pace_in(piece)


def _by_share(leg: Leg, costs: MoveCosts) -> bool:
    """Whether the price of a leg is a share of the allowance, and no distance."""
    prices = {Wheel: costs.wheel, Turn: costs.turn, Pivot: costs.pivot, Face: costs.face, Reform: costs.reform}
    price = prices.get(type(leg))
    return price is not None and price.kind != "arc"


def payable(whole: MoveSweep, allowance: float, table: Tabletop, rules: MoveRules) -> float:
    """The farthest position along a move for which an allowance (table units) pays, over the terrain it crosses."""
    has = quantise_down(allowance)
    slowed = None if rules.flying else _slowed(whole, table, rules)
    slow = slowed.stretches if slowed is not None else []
    tolls = _tolls(whole, table, rules)
    if not slow and not tolls:
        return affordable(whole, has)
    if rules.pace_counts == "whole" and slow:
        has, slow = has * min(rules.pace_in(piece) for piece, _ in slow), []
    paid = 0.0
    for low, high, price, pace in _stretches(whole, slow, rules, [position for position, _, _ in tolls]):
        while tolls and tolls[0][0] <= low:
            paid += tolls.pop(0)[1]
        if paid + price / pace > has + 1e-9:
            return low + (high - low) * max(0.0, has - paid) * pace / price if price > 0.0 else low
        paid += price / pace
    return float(len(whole.steps))


def _in_the_way(whole: MoveSweep, table: Tabletop, rules: MoveRules) -> Iterator[tuple[Block, bool]]:
    """Blocks on which a move cannot end, and those that it cannot run into (False)."""
    for other in table.blocks:
        if not whole.may_meet(other.shape, 0.0) or not hinders(other, whole.start):
            continue
        if overlap(whole.final.shape, other.shape, SLACK) and not rules.makes_room(other):
            yield other, True
        elif not rules.may_pass(whole.start, other) and whole.first_entry(other.shape, -SLACK, math.inf) < math.inf:
            yield other, False


def _collision(whole: MoveSweep, other: Block, at_the_end: bool) -> str:
    if at_the_end:
        return f"overlaps {other.id}"
    return f"runs into {other.id} after {whole.cost_at(whole.meetings((other.shape,), -SLACK)[-1][0]):g}"


def _barred(whole: MoveSweep, table: Tabletop, rules: MoveRules) -> Iterator[str]:
    for piece in table.pieces:
        if rules.pace_in(piece) > 0.0 or piece.covers_any_of(whole.start.shape):
            continue
        if piece.covers_any_of(whole.final.shape):
            yield f"ends in impassable {piece.type} ({piece.id})"
        elif not rules.flying and whole.meets(piece.parts, -RIM):
            yield f"crosses impassable {piece.type} ({piece.id})"


def _edge(whole: MoveSweep, table: Tabletop, rules: MoveRules) -> list[str]:
    heads = [head for step in whole.steps for head, _ in step.heads]
    if rules.may_leave or all(table.is_inside(body) for body in (*heads, *(step.end for step in whole.steps))):
        return []
    return ["leaves the table"]


def first_stop(whole: MoveSweep, table: Tabletop, rules: MoveRules, keep_off: float = 0.0) -> float:
    """The position along a move at which something first stops it; its whole length if nothing does.

    That is a block it may not pass, impassable terrain or the table's edge, or coming within `keep_off` table
    units of an enemy that was farther off at the start.
    """
    whole_length = float(len(whole.steps))
    if rules.flying:
        return whole_length
    stop = min(_edge_stop(whole, table), whole_length)
    for other in table.blocks:
        if not whole.may_meet(other.shape, max(keep_off, 0.0)) or rules.may_pass(whole.start, other):
            continue
        margin = nearest_allowed(whole.start, other, keep_off) if other.side != whole.start.side else 0.0
        if whole.may_meet(other.shape, margin):
            stop = whole.first_entry(other.shape, margin, stop)
    for piece in table.pieces:
        barred = piece.impassable or (piece.type in rules.pace and rules.pace_in(piece) <= 0.0)
        if barred and not piece.covers_any_of(whole.start.shape):
            stop = min([stop, *(low for low, _ in whole.meetings(piece.parts, -RIM / 2.0))])
    return stop


def nearest_allowed(block: Block, enemy: Block, keep_off: float) -> float:
    """How near a block may come to an enemy without a charge.

    That is `keep_off`, or what keeps it out of contact if it is nearer already; 0 for enemies in contact and for
    moves that keep no distance.
    """
    if keep_off <= 0.0:
        return 0.0
    if not near(block.shape, enemy.shape, keep_off + 1e-9):
        return keep_off
    apart = gap(block.shape, enemy.shape)
    if apart > keep_off:
        return keep_off
    return min(keep_off, 2.0 * TOUCH) if apart > 2.0 * TOUCH else 0.0


def _edge_stop(whole: MoveSweep, table: Tabletop) -> float:
    """The position at which the block would leave the table; turns that do are not begun."""
    for index, step in enumerate(whole.steps):
        if table.is_inside(step.end):
            continue
        if step.motion != "shift":
            return float(index)
        ends = zip(step.start.corners, step.end.corners, strict=True)
        return index + min(edge_share(a, b, table) for a, b in ends)
    return float(len(whole.steps))


def edge_share(start: Point, end: Point, table: Tabletop) -> float:
    """The share of the way from start to end at which a point leaves the table, 1 if it stays on it."""
    share = 1.0
    for here, there, far in ((start[0], end[0], table.width), (start[1], end[1], table.depth)):
        if there < 0.0:
            share = min(share, max(0.0, here) / (here - there)) if here > there else 0.0
        elif there > far:
            share = min(share, max(0.0, far - here) / (there - here)) if there > here else 0.0
    return share
