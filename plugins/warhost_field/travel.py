"""Moves that the rules can choose from and make: the bridge from geometry to the story."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from warhost.errors import RuleFault
from warhost.things import PluginValue, is_gone, is_placed
from warhost_field.binding import MOVING, OpenTable, RuledMoves, field_of, stand
from warhost_field.blocks import Block, Pose, Side
from warhost_field.charge import Charge, ChargeRules, charge_path, charge_paths
from warhost_field.contact import side_of
from warhost_field.convex import convex, gap, hull, overlap
from warhost_field.legality import bill, faults, first_stop, nearest_allowed, payable
from warhost_field.measure import (
    SLACK,
    TOUCH,
    FieldError,
    ahead,
    heading,
    length,
    quantise,
    quantise_angle,
    quantise_down,
    turn_between,
)
from warhost_field.moves import (
    Advance,
    Close,
    Crossing,
    Face,
    Go,
    Leg,
    MoveCosts,
    MoveSweep,
    Pivot,
    Sidestep,
    Turn,
    Wheel,
    cut,
    hinders,
    sweep,
)
from warhost_field.options import Goal, OptionRules, advance_sweeps
from warhost_field.orders import Manoeuvre, parse_orders
from warhost_field.rout import (
    FREE_TURNS,
    FleeRules,
    Flight,
    edge_direction,
    flee_direction,
    flee_move,
    follow,
    leans_well,
)
from warhost_field.table import Relation, Tabletop
from warhost_field.terrain import Piece

#: Blocks whose circles are farther apart than this do not touch, whatever rounding does.
NEAR = 0.05

#: Candidates for one unit's move: how many of the nearest enemies and pieces are thought of.
NEAREST = 3
#: A mover that is stopped among friends goes back past so many of them at most.
MOST_STEPS_BACK = 20
#: The turn of the models that makes an edge of their block its front, degrees clockwise.
FACINGS: dict[Side, float] = {"front": 0.0, "left": -90.0, "right": 90.0, "rear": 180.0}
#: What rounding may take off a distance that has to be kept.
NOISE = 0.002
#: A run that is no longer has led nowhere, in table units.
NO_WAY = 0.05
#: Degrees by which a run may lean from the straight way to an edge.
LEANS = (-15, 15, -30, 30, -45, 45)
#: Directions in which points around somebody are offered.
AROUND = 8


class Move(PluginValue, noun="move"):
    """A legal way to go. Fields are those of `profile of move`; final is the block where it ends."""

    def __init__(
        self, made: OpenTable, unit: Any, label: str, whole: MoveSweep, reaches: Any = None,
        rules: RuledMoves | None = None,
    ) -> None:
        self.unit = unit
        self.label = label
        self.whole = self.way = whole
        self.final: Block = whole.final
        self.open_cost = whole.cost
        self.reaches = reaches
        self.x, self.y, self.facing = self.final.pose.x, self.final.pose.y, self.final.pose.facing
        self.leaves_table = False
        self.runs_through = False
        self.in_line = True
        self.bases = 0
        self._made, self._rules = made, rules
        self._cost: float | None = None
        self._over: list[Any] | None = None
        self._meets: list[Any] | None = None
        self._crossed: list[Any] | None = None
        self._passed: list[Any] | None = None
        self.distance = quantise(_far(whole))
        self.turned = any(_turns(leg) for leg in whole.legs)
        self.name = label
        self.id = f"{unit.id}:{label}"

    @property
    def side(self) -> Any:
        return self.unit.side

    def __str__(self) -> str:
        return self.label

    @property
    def cost(self) -> float:
        """What the way takes of the allowance, table units: dearer in slow ground where only the way inside counts."""
        if self._cost is None:
            self._cost, rules = self.open_cost, self._rules
            if rules is not None and rules.pace_counts == "part":
                self._cost = bill(self.whole, self.open_cost, self._made.table(), rules).needs
        return self._cost

    @property
    def crossed(self) -> list[Any]:
        """Terrain that the way crosses."""
        if self._crossed is None:
            made = self._made
            self._crossed = [made.entities[p.id] for p in made.table().pieces_crossed(self.whole)]
        return self._crossed

    @property
    def passed(self) -> list[Any]:
        """Friends that the way goes through, enemies whom the rules let it pass through, and enemies in a rout that
        had no other way.
        """
        if self._passed is None:
            made, side = self._made, self.whole.start.side
            foes = made.rules_for(self.unit).passable
            every = self.runs_through or any(b.side != side and b.id in foes for b in made.table().blocks)
            relation: Relation = "all" if every else "friends"
            through = [] if self.final.airborne else made.table().passes_through(self.way, relation)
            told = [b for b in through if b.side == side or self.runs_through or b.id in foes]
            self._passed = [made.unit(b.id) for b in told]
        return self._passed

    @property
    def over(self) -> list[Any]:
        """Units above or below which the way leads, friends and foes, in the air and on the ground."""
        if self._over is None:
            made = self._made
            legs = [s for s in self.whole.steps if not isinstance(s.leg, Close)]
            track = [convex(hull(s.start.shape.points + s.end.shape.points)) for s in legs]
            others = made.table().others(self.final)
            self._over = [made.unit(o.id) for o in others if any(overlap(t, o.shape, SLACK) for t in track)]
        return self._over

    @property
    def meets(self) -> list[Any]:
        """Enemies, besides the one whom it reaches, with whom the way newly brings into contact."""
        if self._meets is None:
            made, start = self._made, self.whole.start
            foes = made.table().others(start, "enemies")
            aim = self.reaches.id if self.reaches is not None else ""
            found = [o for o in foes if o.id != aim and close(self.final, o) and not close(start, o)]
            self._meets = [made.unit(o.id) for o in found]
        return self._meets

    def perform(self, battle: Any, who: Any, handlers: Mapping[str, Callable[..., Any]]) -> None:
        """Go the way: what is met is told in order, and a handler may stop the move there."""
        made = field_of(battle)
        if who is not self.unit:
            raise RuleFault(f"{who} cannot go the way of {self.unit}")
        if not stands(who) or made.block(who) != self.whole.start:
            raise RuleFault(f"{who} no longer stands where this move begins")
        start, passed = self.whole.start.pose, list(self.passed)
        made.under_way[who.id] = self.whole
        try:
            whole = self._on_the_way(battle, made, who, handlers)
        finally:
            del made.under_way[who.id]
        if whole is None:
            return
        if whole is not self.whole:
            passed = Move(made, who, self.label, whole).passed
        pose, rules = whole.final.pose, made.rules_for(who)
        pushed = [made.unit(o.id) for o in made.table().overlaps(whole.final) if rules.makes_room(o)]
        stand(made, who, pose.x, pose.y, pose.facing)
        if whole.final.formation.files != whole.start.formation.files:  # its models have turned where they stood
            battle.put(who, "files", whole.final.formation.files)
        battle.note(
            "move", unit=who.id, path=_path(whole), distance=quantise(_far(whole)),
            **{"from": _pose(start), "to": _pose(pose)},
        )  # fmt: skip
        for other in pushed:
            settle(made, other, float(made.number("keep_off", other)))
            battle.emit("pushed_aside", [who, other])
        battle.emit("moved", [who])
        for other in passed:
            if not is_gone(who) and not is_gone(other):
                battle.emit("passed_through", [who, other])
        if self.leaves_table and whole is self.whole and not is_gone(who):
            battle.emit("left_table", [who])

    def _on_the_way(
        self, battle: Any, made: OpenTable, who: Any, handlers: Mapping[str, Callable[..., Any]]
    ) -> MoveSweep | None:
        """Tell the handlers what is met; gives the part of the way that is gone, None if one took the mover away."""
        met = {"touch": "touches_on_the_way", "enter": "enters_terrain", "near": "comes_within"}
        wanted = {k for k, event in met.items() if event in handlers or battle.is_heard(event)}
        if not wanted:
            return self.whole
        table = made.table()
        crossings = [c for c in table.crossings(self.whole) if c.kind in wanted and c.terrain == (c.kind == "enter")]
        if "near" in wanted:
            crossings = sorted([*crossings, *self._watched(made, table)], key=lambda c: c.position)
        for c in crossings:
            other = made.entities[c.other] if c.terrain else made.unit(c.other)
            here = self.whole.block_at(c.position).pose
            stand(made, who, here.x, here.y, here.facing)
            told_at = (who.x, who.y, who.facing)
            battle.travel_stopped = False
            battle.emit(met[c.kind], [who, other])
            if met[c.kind] in handlers:
                handlers[met[c.kind]](who, other)
            stopped, battle.travel_stopped = battle.travel_stopped, False
            if is_gone(who) or (who.x, who.y, who.facing) != told_at:
                return None
            if stopped:
                return self._up_to(c.position, table)
        return self.whole

    def _watched(self, made: OpenTable, table: Tabletop) -> list[Crossing]:
        """Where the way first leads within the distance that enemies watch."""
        found = []
        for other in table.others(self.whole.start, "enemies"):
            reach = float(made.number("watch", made.unit(other.id), self.unit))
            if reach > 0.0 and self.whole.may_meet(other.shape, reach):
                for low, _ in self.whole.meetings((other.shape,), reach)[:1]:
                    if low > 1e-9:
                        found.append(Crossing("near", other.id, self.whole.cost_at(low), low))
        return found

    def _up_to(self, position: float, table: Tabletop) -> MoveSweep:
        """The way up to a position, or to the last one before it at which the mover stands on nobody."""
        for _ in range(MOST_STEPS_BACK):
            part = sweep(self.whole.start, cut(self.whole, position), MoveCosts(), 0.0)
            taken = [o.shape for o in self._made.rules_for(self.unit).bars(table, part.final)]
            spans = [s for s in self.whole.meetings(taken, -SLACK) if s[0] <= position] if taken else []
            if not spans:
                return part
            position = max(0.0, spans[-1][0] - 1e-6)
        return sweep(self.whole.start, (), MoveCosts(), 0.0)


def _far(whole: MoveSweep) -> float:
    """How far the centre of the front goes, leg by leg."""
    total = 0.0
    for step in whole.steps:
        a, b = step.start.centre, step.end.centre
        total += ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
    return total


def _turns(leg: Leg) -> bool:
    """Whether a leg changes the facing otherwise than by a wheel forwards."""
    return isinstance(leg, Face | Pivot | Turn) or (isinstance(leg, Wheel) and leg.angle < 0.0)


def _path(whole: MoveSweep) -> list[list[float]]:
    points = [whole.start.centre, *(step.end.centre for step in whole.steps)]
    return [[round(x, 2), round(y, 2)] for x, y in points]


def _pose(pose: Pose) -> dict[str, float]:
    return {"x": round(pose.x, 3), "y": round(pose.y, 3), "facing": round(pose.facing, 2)}


class WayOptions(list[Move]):
    """The moves that are offered; any other legal one can be given as legs or as a place to go to."""

    def __init__(
        self, moves: Sequence[Move], made: OpenTable, unit: Any, allowance: float, rules: RuledMoves, keep: float
    ) -> None:
        super().__init__(moves)
        self._made, self._unit, self._allowance, self._rules, self._keep = made, unit, allowance, rules, keep

    def free(self, answer: Mapping[str, Any]) -> Move:
        """The move that `{"legs": [...]}` or `{"to": [x, y], "facing": f}` describes; refused with every reason."""
        block = self._made.block(self._unit)
        if not stands(self._unit):
            raise RuleFault(f"this is no legal move: {self._unit} is not on the table")
        try:
            legs = parse_orders(answer, block, self._rules.flying)
            whole = sweep(block, legs, self._rules.costs, self._allowance)
        except FieldError as error:
            raise RuleFault(f"this is no legal move: {error}") from None
        table = self._made.table()
        reasons = faults(whole, self._allowance, table, self._rules)
        if not whole.legs:
            reasons.append("it goes nowhere")
        reasons += too_near(whole, table, self._rules, self._keep)
        if reasons:
            raise RuleFault("this is no legal move: " + "; ".join(reasons))
        return Move(self._made, self._unit, "a way of its own", whole, None, self._rules)


def too_near(whole: MoveSweep, table: Tabletop, rules: RuledMoves, keep: float) -> list[str]:
    """Enemies that a move comes nearer to than it may: nobody comes to blows without a charge."""
    found = []
    for other in table.blocks:
        if other.side == whole.start.side or not hinders(other, whole.start) or other.id in rules.passable:
            continue
        limit = nearest_allowed(whole.start, other, keep) - NOISE
        if limit <= 0.0:
            continue
        if rules.flying:
            near = gap(whole.final.shape, other.shape) < limit
        else:
            near = whole.may_meet(other.shape, limit) and bool(whole.meetings((other.shape,), limit))
        if near:
            found.append(f"comes too near to {other.id}")
    return found


# -- the lists of moves ------------------------------------------------------------------------


def moves(battle: Any, unit: Any, allowance: Any, towards: Any = None, flying: bool = False) -> WayOptions:
    """Ways to go with an allowance; standing still is not among them.

    towards: somebody whom one of them makes for, though others are nearer.
    """
    made, reach = field_of(battle), float(allowance)
    found: WayOptions = made.holding(
        MOVING, ("moves", unit, reach, towards, flying), lambda: _ways_to_go(made, unit, reach, towards, flying)
    )
    return found


def _ways_to_go(made: OpenTable, unit: Any, reach: float, towards: Any, flying: bool) -> WayOptions:
    rules, block = made.rules_for(unit, flying), made.block(unit)
    keep = float(made.number("keep_off", unit))
    found: list[Move] = []
    if reach > 0 and stands(unit):
        manoeuvre: Manoeuvre = "wheel" if block.formation.is_a_body else "pivot"
        if made.number("turns_on_its_middle", unit):
            manoeuvre = "turn"
        elif made.number("turns_on_its_front", unit):
            manoeuvre = "pivot"
        options = OptionRules(
            rules, manoeuvre, NEAREST, NEAREST, tuple(made.placed), keep, float(made.number("front_arc", unit)), 24
        )
        goals = _goals_towards(made, block, towards) if towards is not None and stands(towards) else ()
        for label, whole in advance_sweeps(block, reach, made.table(), options, goals):
            if whole.legs and not (flying and too_near(whole, made.table(), rules, keep)):
                found.append(Move(made, unit, label, whole, None, rules))
    return WayOptions(found, made, unit, reach, rules, keep)


def _goals_towards(made: OpenTable, block: Block, other: Any) -> tuple[Goal, ...]:
    """The middle of somebody, and places as far off for which a block turns less and so has more left to go."""
    place, name = made.block(other).centre, str(other.id)
    (x, y), (px, py) = block.centre, place
    far = length(px - x, py - y)
    if far <= 0.0:
        return ()
    found = [Goal(name, place)]
    turn = turn_between(block.facing, heading(px - x, py - y))
    for share, degree in ((0.75, "a little less"), (0.5, "less"), (0.25, "a little")):
        fx, fy = ahead(block.facing + share * turn)
        found.append(Goal(f"{name}, turning {degree}", (x + fx * far, y + fy * far)))
    return tuple(found)


def flights(battle: Any, unit: Any, allowance: Any, towards: Any = None) -> WayOptions:
    """Ways to fly: nothing in between matters."""
    return moves(battle, unit, allowance, towards, True)


def charge_moves(battle: Any, unit: Any, target: Any, allowance: Any, flying: bool = False) -> list[Move]:
    """The way into contact with a target, if there is one."""
    made = field_of(battle)
    if not (stands(unit) and stands(target)):
        return []
    rules = made.rules_for(unit, flying)
    found = charge_of(made, unit, target, float(allowance), flying)
    return [_into_contact(made, unit, target, float(allowance), rules, found)] if found.possible else []


def charge_ways(battle: Any, unit: Any, target: Any, allowance: Any) -> list[Move]:
    """The ways into contact with a target among which a charger chooses, the usual one first."""
    made = field_of(battle)
    if not (stands(unit) and stands(target)):
        return []
    reach = float(allowance)
    found: list[Move] = made.holding(
        MOVING, ("charge ways", unit, target, reach), lambda: _ways_in(made, unit, target, reach)
    )
    return list(found)


def _ways_in(made: OpenTable, unit: Any, target: Any, reach: float) -> list[Move]:
    rules, first = made.rules_for(unit), charge_of(made, unit, target, reach, False)
    ruled = _charge_rules(made, unit, False)
    ways = charge_paths(made.block(unit), made.block(target), reach, made.table(), ruled, first)
    moves = [_into_contact(made, unit, target, reach, rules, found) for found in ways]
    usual = {tuple(m.meets): m for m in reversed(moves)}
    for move in moves[1:]:
        if move.meets != moves[0].meets:
            beside = " and ".join(str(u) for u in move.meets)
            move.label = f"{move.label}, touching {beside}" if beside else f"{move.label} alone"
        fullest = usual[tuple(move.meets)]
        if move is not fullest:
            move.label += f", farther {_hand(fullest.final, move.final)}"
        move.name = move.label
    return moves


def _hand(usual: Block, other: Block) -> str:
    """On which hand of a block another place of it lies."""
    return "right" if usual.local(other.centre)[0] > 0.0 else "left"


def _into_contact(made: OpenTable, unit: Any, target: Any, allowance: float, rules: RuledMoves, found: Charge) -> Move:
    whole = sweep(made.block(unit), found.legs, rules.costs, allowance)
    move = Move(made, unit, f"{found.side} of {target.name}", whole, target, rules)
    move.in_line, move.bases = found.in_line, found.bases
    return move


def _charge_rules(made: OpenTable, unit: Any, flying: bool) -> ChargeRules:
    manoeuvres: tuple[Manoeuvre, ...] = ("pivot",)
    ranked = made.block(unit).formation.kind == "ranked"
    if ranked:
        manoeuvres = ("wheel", "pivot") if made.number("may_pivot_to_charge", unit) else ("wheel",)
        if made.number("turns_on_its_front", unit):
            manoeuvres = ("pivot",)
    freely = not ranked and bool(made.number("may_charge_behind", unit))
    by_way = bool(made.number("turns_on_its_middle", unit))
    stops = bool(made.number("stops_short", unit))
    ways: tuple[Manoeuvre, ...] = ("turn",) if by_way else manoeuvres
    about = freely or bool(made.number("turns_about_to_charge", unit))
    farthest = 180.0 if about else float(made.number("sharpest_charge", unit))
    move = made.rules_for(unit, flying)
    return ChargeRules(
        move, ways, farthest_turn=farthest, as_it_stands=freely, stops_short=stops, close_by_way=by_way
    )


def charge_of(made: OpenTable, unit: Any, target: Any, allowance: float, flying: bool) -> Charge:
    """The charge of one unit on another as things stand: asked often, computed once."""

    def computed() -> Charge:
        ways = _charge_rules(made, unit, flying)
        return charge_path(made.block(unit), made.block(target), allowance, made.table(), ways, explained=False)

    found: Charge = made.holding(MOVING, ("charge", unit, target, allowance, flying), computed)
    return found


def meets_straight(battle: Any, unit: Any, target: Any, allowance: Any) -> bool:
    """Whether a unit meets a target, and nobody who bars its way before, by going straight ahead."""
    made = field_of(battle)
    if not (stands(unit) and stands(target)):
        return False
    rules, table, reach = made.rules_for(unit), made.table(), quantise(float(allowance))
    whole = sweep(made.block(unit), (Advance(reach),), rules.costs, reach)
    spans = whole.meetings((made.block(target).shape,), TOUCH)
    if not spans:
        return False
    others = [b for b in table.blocks if b.id not in (unit.id, target.id) and not rules.may_pass(whole.start, b)]
    return not any(s[0] < spans[0][0] for b in others for s in whole.meetings((b.shape,), -SLACK))


def charge_flights(battle: Any, unit: Any, target: Any, allowance: Any) -> list[Move]:
    return charge_moves(battle, unit, target, allowance, True)


def flee_moves(battle: Any, unit: Any, distance: Any) -> list[Move]:
    """The one way in which a unit runs from its enemies."""
    made = field_of(battle)
    return [_flight(made, unit, float(distance), None)] if stands(unit) else []


def flee_moves_to_edge(battle: Any, unit: Any, distance: Any, feared: Any, lean: Any) -> list[Move]:
    """The one way in which a unit runs for the nearest edge; from those whom it fears when they bar every edge."""
    made = field_of(battle)
    if not stands(unit):
        return []
    block, table = made.block(unit), made.table()
    foes = [made.block(foe) for foe in feared if stands(foe)]
    far = float(distance)
    wish, nearest = edge_direction(block, far, table, foes), edge_direction(block, far, table, ())
    if lean and lean in flee_leans(battle, unit, distance, feared):
        wish = quantise_angle(float(wish or 0.0) + float(lean))
    return [_flight(made, unit, far, foes, wish, nearest)]


def flee_leans(battle: Any, unit: Any, distance: Any, feared: Any) -> list[int]:
    """By how many degrees a run may lean off the straight way to the nearest edge: 0 first, left is less than 0."""
    made = field_of(battle)
    if not stands(unit):
        return []
    block, table, far = made.block(unit), made.table(), float(distance)
    foes = [made.block(foe) for foe in feared if stands(foe)]
    wish = edge_direction(block, far, table, foes)
    if wish is None:
        return [0]
    rules = FleeRules(impassable=made.impassable(unit))
    return [0, *(lean for lean in LEANS if leans_well(block, far, table, foes, rules, wish, float(lean)))]


def flee_moves_from(battle: Any, unit: Any, enemy: Any, distance: Any) -> list[Move]:
    """The one way in which a unit runs from one enemy."""
    made = field_of(battle)
    return [_flight(made, unit, float(distance), [made.block(enemy)])] if stands(unit) and stands(enemy) else []


def flee_moves_along(battle: Any, unit: Any, distance: Any, facing: Any) -> list[Move]:
    """The one way in which a unit runs in a direction, round what it may not enter."""
    made = field_of(battle)
    return [_flight(made, unit, float(distance), None, quantise_angle(float(facing)))] if stands(unit) else []


def flee_facing(battle: Any, unit: Any, distance: Any) -> float:
    """The direction in which a unit would run from its enemies."""
    made = field_of(battle)
    if not stands(unit):
        return 0.0
    block = made.block(unit)
    return flee_direction(block, made.table().others(block, "enemies"), float(distance), FleeRules().away)


def _flight(
    made: OpenTable, unit: Any, distance: float, enemies: Sequence[Block] | None, wish: float | None = None,
    shut_in: float | None = None, round_: tuple[str, ...] = (),
) -> Move:  # fmt: skip
    """A run away; terrain that is crossed takes its share of the whole distance.

    Whoever has no way at all runs through the enemies whom it `runs_through`. shut_in: in which direction then.
    round_: friends round whom it runs, besides those whom it `runs_round`.
    """
    block, table = made.block(unit), made.table()
    friends = table.others(block, "friends")
    round_ += tuple(o.id for o in friends if made.number("runs_round", unit, made.unit(o.id)))
    on_friend: Literal["beyond", "short"] = "short" if made.number("runs_no_farther", unit) else "beyond"
    rules = FleeRules(impassable=made.impassable(unit), on_friend=on_friend, round=round_)
    if made.number("runs_straight", unit):
        rules = replace(rules, farthest=0.0)
    if distance > NO_WAY and _leads_nowhere(flee_move(block, distance, table, enemies, rules, wish)):
        foes = table.others(block, "enemies")
        through = tuple(o.id for o in foes if made.number("runs_through", unit, made.unit(o.id)))
        opened = replace(rules, through=through)
        if through and not _leads_nowhere(flee_move(block, distance, table, enemies, opened, shut_in)):
            rules, wish = opened, shut_in

    def run(far: float) -> tuple[Flight, MoveSweep]:
        flight = flee_move(block, far, table, enemies, rules, wish)
        return flight, sweep(block, flight.legs, FREE_TURNS, far)

    flight, whole = run(distance * made.rules_for(unit).quickest)
    for less in _runs_over(made, unit, whole, distance, flight.left_table):
        flight, whole = run(less)
        shares = [made.rules_for(unit).pace[p.id] for p in _slow_ground(made, unit, whole)]
        if flight.distance <= distance * min(shares, default=1.0) + SLACK:
            break
    move = Move(made, unit, "run", whole)
    move.leaves_table = flight.left_table
    move.runs_through = bool(rules.through)
    move.way = _slide(whole)
    return move


def _leads_nowhere(flight: Flight) -> bool:
    return flight.distance <= NO_WAY and not flight.left_table


def _runs_over(made: OpenTable, unit: Any, whole: MoveSweep, distance: float, leaves: bool) -> list[float]:
    """How far a run of so many table units may lead over the ground on its way, if that shortens it, farthest first."""
    table, ruled = made.table(), made.rules_for(unit)
    if ruled.pace_counts == "part":
        rules = _freely(ruled, FREE_TURNS)
        far = max(distance, whole.cost) if ruled.quickest <= 1.0 else distance
        over = bill(whole, far, table, rules)
        return [] if over.needs <= over.has else [whole.cost_at(payable(whole, distance, table, rules))]
    slow = _slow_ground(made, unit, whole)
    worst = min((ruled.pace[p.id] for p in slow), default=1.0)
    if (whole.cost if leaves else distance) <= distance * worst:
        return []
    rims = [whole.cost_at(spans[0][0]) for p in slow if (spans := whole.meetings(p.parts, 0.0))]
    ends = {*(quantise_down(rim) for rim in rims), *(distance * ruled.pace[p.id] for p in slow)}
    return sorted((end for end in ends if distance * worst <= end < distance), reverse=True)


def _slide(whole: MoveSweep) -> MoveSweep:
    """The way of a run without the turn at its end: nobody wheels round in a rout."""
    return sweep(whole.start, (leg for leg in whole.legs if isinstance(leg, Go)), FREE_TURNS, 0.0)


def _slow_ground(made: OpenTable, unit: Any, whole: MoveSweep) -> list[Piece]:
    """The pieces that slow a run: those on its way and those in which it ends."""
    table, ruled = made.table(), made.rules_for(unit)
    if ruled.pace_counts == "part":
        return []
    met = {p.id for p in table.pieces_crossed(_slide(whole))}
    slow = [p for p in table.pieces if 0.0 < ruled.pace.get(p.id, 1.0) < 1.0]
    slow = [p for p in slow if p.id in met or p.covers_any_of(whole.final.shape)]
    return [p for p in slow if not (p.free_within and whole.stays_in(p))]


def _freely(ruled: RuledMoves, costs: MoveCosts) -> RuledMoves:
    """How a unit goes when every leg is allowed at other prices; the ground is the same."""
    return replace(ruled, costs=replace(costs, by_middle=ruled.costs.by_middle), legs=None, slant=180.0)


def withdrawals(battle: Any, unit: Any, allowance: Any, through: bool = True) -> list[Move]:
    """The way straight out of contact with the enemies that touch it, if it leads out of contact.

    through: also through friends whom it could not pass in an ordinary move.
    """
    made = field_of(battle)
    block = made.block(unit)
    against = [made.block(u) for u in touching(made, unit) if u.side is not unit.side]
    if not against:
        return []
    table, rules = made.table(), made.rules_for(unit)
    closed = () if through else tuple(o.id for o in table.others(block, "friends") if not rules.may_pass(block, o))
    move = _flight(made, unit, float(allowance), against, round_=closed)
    if move.leaves_table or any(gap(move.final.shape, e.shape) < 0.01 for e in against) or not move.whole.legs:
        return []
    if block.pose == move.final.pose or table.overlaps(move.final):
        return []
    move.label = "break off"
    return [move]


def backward_moves(battle: Any, unit: Any, distance: Any) -> list[Move]:
    """The way straight back with the face to the front, as far as nothing stops it; only if it leads out of contact."""
    made = field_of(battle)
    if not stands(unit):
        return []
    block, table, reach = made.block(unit), made.table(), quantise(float(distance))
    rules = _freely(made.rules_for(unit), MoveCosts(back=1.0))
    whole = sweep(block, (Advance(-reach),), rules.costs, reach)
    stop = min(payable(whole, reach, table, rules), first_stop(whole, table, rules))
    whole = sweep(block, cut(whole, stop), rules.costs, reach)
    against = [made.block(u) for u in touching(made, unit) if u.side is not unit.side]
    if not whole.legs or rules.bars(table, whole.final) or any(close(whole.final, e) for e in against):
        return []
    return [Move(made, unit, "give ground", whole)]


def turns_to_face(battle: Any, unit: Any, other: Any) -> list[Move]:
    """The turn of every model where it stands that brings somebody who touches a block before its front.

    The front comes to lie where the edge was at which they are; a block on oblong bases slides along it, if it must, to
    keep those who touch its other edges.
    """
    made = field_of(battle)
    if not (stands(unit) and stands(other)) or other not in touching(made, unit):
        return []
    block = made.block(unit)
    angle = FACINGS[side_of(made.block(other), block, "edge")]
    if angle == 0.0:
        return []
    turned = sweep(block, (Face(angle),), FREE_TURNS, 0.0).final
    across, wide = (block.depth, block.width) if angle != 180.0 else (block.width, block.depth)
    onward, aside = (wide - turned.depth) / 2.0, (across - turned.width) / 2.0
    keeps = [made.block(u) for u in touching(made, unit) if u.side is not unit.side and close(block, made.block(u))]
    for slide in (0.0, aside, -aside):
        whole = sweep(block, _faced_about(angle, onward, slide), FREE_TURNS, 0.0)
        end, table = whole.final, made.table()
        if table.is_inside(end) and not table.overlaps(end) and all(close(end, foe) for foe in keeps):
            return [Move(made, unit, f"face {other.name}", whole, other)]
    return []


def _faced_about(angle: float, onward: float, slide: float) -> tuple[Leg, ...]:
    legs: list[Leg] = [Face(angle)]
    if abs(onward) > SLACK:
        legs.append(Advance(quantise(onward)))
    if abs(slide) > SLACK:
        legs.append(Sidestep(quantise(slide)))
    return tuple(legs)


def follow_flights(battle: Any, unit: Any, target: Any, allowance: Any) -> list[Move]:
    """The flight after a running target, over everything in between."""
    return follow_moves(battle, unit, target, allowance, True)


def follow_moves(battle: Any, unit: Any, target: Any, allowance: Any, flying: bool = False) -> list[Move]:
    """The way after a running target: into its back if it can be caught, else after it."""
    made = field_of(battle)
    if not (stands(unit) and stands(target)):
        return []
    ruled = made.rules_for(unit, flying)
    block = made.block(unit)
    after: Any = (("turn",), True) if made.number("turns_on_its_middle", unit) else ()
    if flying or not block.formation.is_a_body or made.number("turns_freely_after", unit):
        rules = _freely(ruled, FREE_TURNS)
        found = follow(block, made.block(target), float(allowance), made.table(), rules, *after)
    else:
        rules = ruled
        found = follow(block, made.block(target), float(allowance), made.table(), rules, *after or (("wheel",),))
    if not found.legs:
        return []
    whole = sweep(block, found.legs, rules.costs, float(allowance))
    return [Move(made, unit, f"after {target.name}", whole, target if found.caught else None, rules)]


def way_inside(battle: Any, move: Any, pieces: Sequence[Any]) -> float:
    """How much of a way, table units, leads through pieces of terrain, whatever it costs there: a wheel counts by its
    outer corner, a turn on the spot for nothing.
    """
    made = field_of(battle)
    parts = [part for land in pieces if land.id in made.placed for part in made.piece(land.id).parts]
    whole: MoveSweep = move.whole
    return quantise(sum(whole.gone_at(high) - whole.gone_at(low) for low, high in whole.meetings(parts, 0.0)))


def way_gone(battle: Any, move: Any) -> float:
    """How far a move goes, table units, counted in the same way."""
    whole: MoveSweep = move.whole
    return whole.gone_at(float(len(whole.steps)))


def touching(made: OpenTable, unit: Any) -> list[Any]:
    """Units in contact with a unit, friends and foes. The list is kept: copy it before changing it."""
    answers = made.answers()
    found: list[Any] | None = answers.get(("touching", unit))
    if found is None:
        found = answers["touching", unit] = _touching(made, unit)
    return found


def _touching(made: OpenTable, unit: Any) -> list[Any]:
    if not stands(unit):
        return []
    mine = made.block(unit)
    names = made.of_surroundings(
        "touching", mine, None, lambda other: _close(made, mine, other),
        lambda table: _names_touching(made, table, mine),
    )  # fmt: skip
    held = {u.id for u in unit.holds_on if made.block(u).airborne == mine.airborne} if unit.holds_on else set()
    if made.guests():
        held |= {u.id for u in made.guests() if _meets_guest(made, mine, u)}
        names = tuple([name for name in names if name != mine.inside])
    if held:
        return [u for u in made.on_table() if u is not unit and (u.id in held or u.id in names)]
    return [made.unit(name) for name in names]


def _meets_guest(made: OpenTable, mine: Block, guest: Any) -> bool:
    """Whether a block touches a unit that stands within another; those within one and the same do not count."""
    block = made.block(guest)
    return block.inside not in (mine.id, mine.inside) and stands(guest) and close(mine, block)


def _names_touching(made: OpenTable, table: Tabletop, mine: Block) -> tuple[str, ...]:
    return tuple(b.id for b in table.blocks if b.id != mine.id and _close(made, mine, b))


def _close(made: OpenTable, a: Block, b: Block) -> bool:
    """The same as `close`, worked out once for blocks that stand near each other again and again."""
    dx, dy = a.shape.x - b.shape.x, a.shape.y - b.shape.y
    reach = a.shape.radius + b.shape.radius + NEAR
    return dx * dx + dy * dy <= reach * reach and bool(made.of_pair("close", a, b, close))


def stands(unit: Any) -> bool:
    """Whether a unit has a place and has not been taken off."""
    return is_placed(unit) and not is_gone(unit)


def fits(made: OpenTable, unit: Any, block: Block) -> bool:
    """Whether a unit can stand so: on the table, on nobody else and on no ground that is closed to it."""
    table = made.table().without(unit.id)
    closed = made.impassable(unit)
    return (
        table.is_inside(block)
        and not table.overlaps(block)
        and not any(p.id in closed and p.covers_any_of(block.shape) for p in table.pieces)
    )


def settle(made: OpenTable, unit: Any, clear: float) -> bool:
    """Put a unit that stands on others, or where it cannot, on the nearest free place; no when there is none.

    `clear`: the distance that it keeps from enemies there, in the table's unit.
    """
    if not stands(unit):
        return False
    block = made.block(unit)
    foes = [b.shape for b in made.table().others(block, "enemies")] if clear else []

    def may_stand(there: Block) -> bool:
        return fits(made, unit, there) and not any(gap(there.shape, foe) < clear for foe in foes)

    if may_stand(block):
        return True
    x, y = block.centre
    for step in range(1, 4 * int(max(made.width, made.depth))):
        for i in range(2 * AROUND):
            sine, cosine = ahead(block.facing + 180.0 * i / AROUND)
            moved = block.centred((x + sine * step * 0.25, y + cosine * step * 0.25), block.facing)
            if may_stand(moved):
                stand(made, unit, moved.pose.x, moved.pose.y, moved.pose.facing)
                return True
    return False


def close(a: Block, b: Block) -> bool:
    """Whether two blocks touch; told by circles first."""
    dx, dy = a.shape.x - b.shape.x, a.shape.y - b.shape.y
    reach = a.shape.radius + b.shape.radius + NEAR
    if dx * dx + dy * dy > reach * reach or a.airborne != b.airborne:
        return False
    return gap(a.shape, b.shape) <= 0.01 + 1e-9


__all__ = [
    "AROUND", "Leg", "Move", "WayOptions", "backward_moves", "charge_flights", "charge_moves", "charge_ways", "fits",
    "flee_facing", "flee_leans", "flee_moves", "flee_moves_along", "flee_moves_from", "flee_moves_to_edge", "flights",
    "follow_flights", "follow_moves", "meets_straight", "moves", "settle", "touching", "turns_to_face", "way_gone",
    "way_inside", "withdrawals",
]  # fmt: skip
