"""The table of a battle: units as blocks, terrain as pieces, kept in step with the state of the rules."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, Literal

from warhost.errors import RuleFault
from warhost.hookspecs import plain, stated
from warhost.things import given_place, is_gone, is_placed, set_placed
from warhost_field.blocks import Block, Formation, Kind, Pose
from warhost_field.convex import gap
from warhost_field.legality import MoveRules
from warhost_field.measure import TOUCH, FieldError
from warhost_field.moves import MoveCosts, MoveSweep, TurnCost
from warhost_field.records import record
from warhost_field.sight import SightRules
from warhost_field.table import Tabletop
from warhost_field.terrain import Piece, piece, spanned

SIGHT = SightRules()

#: The table of a scenario that measures none.
USUAL_TABLE = {"width": 120, "depth": 90}

#: What a formed unit may do on the ground; loose ones and lone models also go straight in any direction.
ON_FOOT: tuple[str, ...] = ("advance", "go back", "wheel", "pivot", "turn", "sidestep", "face", "face about")

#: What the rules say of the body of a unit.
BODY = (
    "models_shown", "base_width", "base_depth", "loose", "open_order", "keeps_sides", "points_in_front",
    "body_height", "flying", "stops_sight",
)  # fmt: skip

#: How many of these make its formation.
FORM = 7

#: What the rules say of a piece of terrain.
GROUND = (
    "blocks_sight", "hides_at_every_level", "sight_depth", "elevation_of", "slows_at_its_rim_only", "hides_from_above",
    "carries_over",
)  # fmt: skip

#: All that the table is made of, besides who and what has a place: numbers of the rules, and state of units.
TABLE = (*BODY, *GROUND, "closed_gap", "x", "y", "facing", "files", "holds_on", "stands_in", "seat")

#: The pace of a unit over each piece.
PACE = (*TABLE, "terrain_share")

#: What the rules say of ground for those who go over it.
OVER_GROUND = ("terrain_share", "terrain_toll", "uphill_share", "downhill_share", "slowed_only_inside")

#: What the rules say of how units may go.
RULES = (
    *BODY, *OVER_GROUND, "turning_share", "whole_move", "backwards_factor", "wheel_by_arc", "rotation_share",
    "facing_share", "turns_on_its_middle", "turns_on_its_front", "pivots_freely", "may_pass_through",
    "may_push_aside", "slant", "may_face", "may_face_about", "may_sidestep", "may_go_back", "may_snake",
    "keep_off", "front_arc", "may_pivot_to_charge", "may_charge_behind", "turns_about_to_charge",
    "sharpest_charge", "stops_short",
)  # fmt: skip

#: All that it depends on how units may go from where they stand.
MOVING = (*TABLE, *RULES)

#: The numbers of the pace up and down a slope, and the slowest that counts.
UP_AND_DOWN = ("uphill_share", "downhill_share")
STEEPEST = 0.05

#: Answers of one sort that are kept at most, before all are forgotten.
MOST_KEPT = 20_000

#: Legs that a flag of the rules allows.
_BY_LEAVE = (
    ("face", "may_face"), ("face about", "may_face_about"), ("sidestep", "may_sidestep"), ("go back", "may_go_back"),
)  # fmt: skip


class ByLeave:
    """The units for which a flag of the rules allows a unit something; the rules are asked for each when it matters.

    among: the ids of those who come into question.
    """

    __slots__ = ("_among", "_flag", "_known", "_made", "_unit")

    def __init__(self, made: OpenTable, flag: str, unit: Any, among: Container[str]) -> None:
        self._made, self._flag, self._unit, self._among = made, flag, unit, among
        self._known: dict[str, bool] = {}

    def __contains__(self, id: object) -> bool:
        found = self._known.get(id)  # type: ignore[call-overload]
        if found is None:
            name = str(id)
            other = self._made.unit(name) if name in self._among else None
            found = other is not None and bool(self._made.number(self._flag, self._unit, other))
            self._known[name] = found
        return bool(found)


@record
class RuledMoves(MoveRules):
    """Movement as the rules of a battle allow it: which blocks may be passed, and pushed aside at the end, by id."""

    passable: Container[str] = frozenset()
    pushable: Container[str] = frozenset()

    def may_pass(self, mover: Block, other: Block) -> bool:
        """Whether the mover may go through a block."""
        return self.flying or other.id in self.passable or mover.airborne != other.airborne

    def makes_room(self, other: Block) -> bool:
        """Whether a block goes out of the way of a mover that ends its move on it."""
        return not self.flying and other.id in self.pushable


@dataclass(slots=True)
class Zone:
    """A rectangle to set up in; x and y are its lower-left corner."""

    x: float
    y: float
    width: float
    depth: float


@dataclass(slots=True)
class OpenTable:
    """The open table of one battle. pieces are those with a place; entities holds the terrain of the rules by id.

    Everything is computed when asked for and kept as long as it holds: what the rules say while nothing changes on
    which it depends, what follows from shapes while the shapes are the same objects. A block, a piece, the table are
    the same objects again when a change of state left them as they were.

    moved: how often each unit has been put somewhere, by id. under_way: the moves that are being made, by unit.
    melees: the pairs of enemies that the laws saw in contact when they were last asked, and how each of the two stood.
    """

    battle: Any
    width: float
    depth: float
    zones: dict[str, Zone] = field(default_factory=dict)
    shapes: dict[str, dict[str, Any]] = field(default_factory=dict)
    placed: list[str] = field(default_factory=list)
    entities: dict[str, Any] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    under_way: dict[str, MoveSweep] = field(default_factory=dict)
    melees: dict[tuple[str, str], tuple[Any, ...]] = field(default_factory=dict)
    _blocks: dict[tuple[Any, ...], Block] = field(default_factory=dict)
    _last: dict[str, tuple[list[Any], tuple[Any, ...], Block]] = field(default_factory=dict)
    _pieces: dict[str, tuple[Any, Piece]] = field(default_factory=dict)
    _table: Tabletop | None = None
    _bare: Tabletop | None = None
    _closed: float | None = None
    _version: int = -1
    _said: dict[Any, Any] = field(default_factory=dict)
    _held: dict[tuple[str, ...], tuple[int, dict[Any, Any]]] = field(default_factory=dict)
    _stamp: int = -1
    _ground_stamp: int = -1
    _answers: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    _stands: dict[str, Block] = field(default_factory=dict)
    _bodies: dict[Any, Block | None] = field(default_factory=dict)
    _lies: dict[str, Piece] = field(default_factory=dict)
    _units: list[Any] | None = None
    _tabled: bool = False
    _bared: bool = False
    _of_pairs: dict[tuple[str, int, int], tuple[Block, Block, Any]] = field(default_factory=dict)
    _of_ground: dict[tuple[Any, ...], tuple[Any, Any]] = field(default_factory=dict)
    _of_table: dict[tuple[Any, ...], tuple[Any, Any]] = field(default_factory=dict)
    _of_surroundings: dict[tuple[Any, ...], list[Any]] = field(default_factory=dict)
    _changes: list[list[Block]] = field(default_factory=list)

    # -- asking the rules ------------------------------------------------------------------------

    def number(self, name: str, *args: Any) -> Any:
        """A number or flag of the rules; asked once for each version of the state."""
        if self.battle.version != self._version:
            self._begin()
        key = (name, *args)
        found = self._said.get(key, self)
        if found is self:
            found = self._said[key] = self.battle.ask(name, *args)
        return found

    def _begin(self) -> None:
        """The state has changed: what the rules said is out of date."""
        self._version = self.battle.version
        self._said.clear()
        stamp = self.battle.standing(TABLE)
        if stamp != self._stamp:
            self._stamp = stamp
            self._stands.clear()
            self._bodies.clear()
            self._answers.clear()
            self._units = None
            self._tabled = False
            ground = self.battle.standing(GROUND)
            if ground != self._ground_stamp:
                self._ground_stamp = ground
                self._lies.clear()
                self._bared = False

    def changed(self) -> None:
        """Something has changed that the state of the rules does not show (who has a place, where terrain lies)."""
        self.battle.version += 1

    def answers(self) -> dict[tuple[Any, ...], Any]:
        """What was asked before of who and what is where, by question and things; empty when any of it has changed."""
        if self.battle.version != self._version:
            self._begin()
        if len(self._answers) > MOST_KEPT:
            self._answers.clear()
        return self._answers

    def holding(self, names: tuple[str, ...], key: Any, ask: Callable[[], Any]) -> Any:
        """An answer that depends on some numbers and fields alone, kept as long as they stand."""
        stamp = self.battle.standing(names)
        kept_at, answers = self._held.get(names, (-1, {}))
        if kept_at != stamp or len(answers) > MOST_KEPT:
            answers = {}
            self._held[names] = stamp, answers
        found = answers.get(key, self)
        if found is self:
            found = ask()
            if self.battle.standing(names) == stamp:
                answers[key] = found
        return found

    # -- what follows from shapes alone ------------------------------------------------------------

    def of_pair(self, what: str, a: Block, b: Block, ask: Callable[[Block, Block], Any]) -> Any:
        """An answer that depends on two blocks and nothing else, kept as long as they exist."""
        key = (what, id(a), id(b))
        known = self._of_pairs.get(key)
        if known is not None:
            return known[2]
        if len(self._of_pairs) > MOST_KEPT:
            self._of_pairs.clear()
        value = ask(a, b)
        self._of_pairs[key] = (a, b, value)
        return value

    def of_ground(self, what: str, a: Block, ask: Callable[[Tabletop, Block], Any]) -> Any:
        """An answer that depends on a block and the terrain."""
        table = self.bare_table()
        key = (what, id(a))
        known = self._of_ground.get(key)
        if known is not None:
            return known[1]
        if len(self._of_ground) > MOST_KEPT:
            self._of_ground.clear()
        value = ask(table, a)
        self._of_ground[key] = (a, value)
        return value

    def of_table(self, what: str, a: Block, b: Block | None, ask: Callable[[Tabletop], Any]) -> Any:
        """An answer that depends on one or two blocks and the whole situation."""
        table = self.table()
        key = (what, id(a), id(b))
        known = self._of_table.get(key)
        if known is not None:
            return known[1]
        if len(self._of_table) > MOST_KEPT:
            self._of_table.clear()
        value = ask(table)
        self._of_table[key] = ((a, b), value)
        return value

    def of_surroundings(
        self, what: str, a: Block, b: Block | None, matters: Callable[[Block], bool], ask: Callable[[Tabletop], Any]
    ) -> Any:
        """An answer that depends on one or two blocks, the terrain, and those other blocks that matter; kept until one
        of these comes or goes.
        """
        table, changes = self.table(), self._changes
        key = (what, id(a), id(b))
        known = self._of_surroundings.get(key)
        if known is not None:
            for moved in changes[known[3] :]:
                if any(map(matters, moved)):
                    break
            else:
                known[3] = len(changes)
                return known[2]
        if len(self._of_surroundings) > MOST_KEPT:
            self._of_surroundings.clear()
        value = ask(table)
        self._of_surroundings[key] = [a, b, value, len(changes)]
        return value

    # -- units as blocks -------------------------------------------------------------------------

    def block(self, unit: Any) -> Block:
        """The block of a unit as it stands now."""
        if self.battle.version != self._version:
            self._begin()
        found = self._stands.get(unit.id)
        if found is None:
            host = unit.stands_in
            found = self._stands[unit.id] = self._made(unit) if host is None else self._within(unit, host)
        return found

    def body(self, unit: Any) -> Block | None:
        """The block of a unit; None if it has no place, or has been taken off."""
        if self.battle.version != self._version:
            self._begin()
        found: Any = self._bodies.get(unit, self)
        if found is self:
            found = self._bodies[unit] = self.block(unit) if is_placed(unit) and not is_gone(unit) else None
        return found  # type: ignore[no-any-return]

    def own_block(self, unit: Any) -> Block:
        """The block of a unit, as big as it is by itself though it stands within another."""
        return self.block(unit) if unit.stands_in is None else self._made(unit).at(self.block(unit).pose)

    def guests(self) -> list[Any]:
        """Units with a place that stand within others, in order of creation."""
        answers = self.answers()
        found: list[Any] | None = answers.get(("guests",))
        if found is None:
            found = answers["guests",] = [u for u in self.on_table() if u.stands_in is not None]
        return found

    def _within(self, unit: Any, host: Any) -> Block:
        """The block of a unit that stands within another: one of that one's bases, wherever it goes."""
        body = self.block(host)
        form = body.formation
        x, y = body.base_centres()[self._seat(unit, host, form)]
        fx, fy = body.ahead
        half = form.base_depth / 2.0
        pose = Pose(x + fx * half, y + fy * half, body.facing)
        key = (unit.id, unit.side.id, pose, form.base_width, form.base_depth, body.height, body.airborne, host.id)
        made = self._blocks.get(key)
        if made is None:
            alone = Formation(1, 1, form.base_width, form.base_depth, "single")
            made = Block(pose, alone, unit.id, unit.side.id, body.height, body.airborne, False, host.id)
            self._blocks[key] = made
        return made

    def _seat(self, unit: Any, host: Any, form: Formation) -> int:
        """On which base of its host a unit stands, from 0; those who have none of their own sit nearest the middle."""
        if unit.seat:
            return int(min(unit.seat, form.models)) - 1
        others = [u for u in self.guests() if u.stands_in is host]
        taken = {int(min(u.seat, form.models)) - 1 for u in others if u.seat}
        middle = (form.frontage - 1) / 2.0
        free = [i for i in range(form.models) if i not in taken] or [0]
        free.sort(key=lambda i: (i // form.files, abs(i % form.files - middle), i))
        waiting = [u for u in others if not u.seat]
        return free[min(waiting.index(unit), len(free) - 1)] if unit in waiting else free[0]

    def _made(self, unit: Any) -> Block:
        """The block of a unit: the same one whenever it stands in the same way."""
        body = self._body(unit)
        stands = (unit.x, unit.y, unit.facing, unit.files, unit.side)
        last = self._last.get(unit.id)
        if last is not None and last[0] is body and last[1] == stands:
            return last[2]
        *form_of, height, airborne, screens = body
        form = _drawn_up(unit, *form_of)
        height, airborne, screens = float(height), bool(airborne), bool(screens)
        key = (unit.id, unit.side.id, unit.x, unit.y, unit.facing, form, height, airborne, screens)
        made = self._blocks.get(key)
        if made is None:
            if len(self._blocks) > MOST_KEPT:
                self._blocks.clear()
            pose = Pose(float(unit.x), float(unit.y), float(unit.facing))
            made = self._blocks[key] = Block(pose, form, unit.id, unit.side.id, height, airborne, screens)
        self._last[unit.id] = body, stands, made
        return made

    def formation(self, unit: Any) -> Formation:
        """How a unit is drawn up."""
        return _drawn_up(unit, *self._body(unit)[:FORM])

    def _body(self, unit: Any) -> list[Any]:
        """The numbers of BODY for a unit, asked all together; the same list as long as they stand."""
        found: list[Any] = self.holding(BODY, unit, lambda: self.battle.ask_all(BODY, unit))
        return found

    def on_table(self) -> list[Any]:
        """Units with a place, in order of creation."""
        if self.battle.version != self._version:
            self._begin()
        if self._units is None:
            self._units = [u for u in self.battle.everyone["unit"] if is_placed(u)]
        return self._units

    def unit(self, id: str) -> Any:
        return self.battle.by_id[id]

    # -- terrain ---------------------------------------------------------------------------------

    def piece(self, id: str) -> Piece:
        """The piece of a terrain entity; its type is its id, so that rules can speak of every piece by itself."""
        if self.battle.version != self._version:
            self._begin()
        found = self._lies.get(id)
        if found is None:
            found = self._lies[id] = self._laid(id)
        return found

    def _laid(self, id: str) -> Piece:
        entity = self.entities[id]
        blocks, boundless = bool(self.number("blocks_sight", entity)), bool(self.number("hides_at_every_level", entity))
        into, lift = float(self.number("sight_depth", entity)), float(self.number("elevation_of", entity))
        over = self._carriers() if id not in self._carriers() else ()
        free, roof = bool(self.number("slows_at_its_rim_only", entity)), bool(self.number("hides_from_above", entity))
        key = (blocks, boundless, into, lift, free, roof, tuple([(name, self.shapes[name]) for name in over]))
        known = self._pieces.get(id)
        if known is not None and known[0] == key:
            return known[1]
        made = piece(self.shapes[id])
        made = replace(made, type=id, blocks_sight=blocks, boundless=boundless, see_into=into, elevation=lift)
        made = replace(made, free_within=free, roof=roof)
        made = spanned(made, [part for name in over for part in piece(self.shapes[name]).parts])
        self._pieces[id] = (key, made)
        return made

    def _carriers(self) -> tuple[str, ...]:
        """The pieces that carry those who go over them: nobody there is in what lies beneath."""
        found: tuple[str, ...] = self.holding(
            GROUND, "carriers", lambda: tuple([p for p in self.placed if self.number("carries_over", self.entities[p])])
        )
        return found

    def forget_shape(self, id: str) -> None:
        """A piece lies elsewhere, or no longer."""
        self.forget_piece(id)
        self.changed()

    def forget_piece(self, id: str) -> None:
        """Make a piece anew when it is asked for again: its shape is another."""
        self._pieces.pop(id, None)

    def table(self) -> Tabletop:
        """The whole situation; the same object as long as nothing on it has changed."""
        bare, known = self.bare_table(), self._table
        if self._tabled and known is not None:
            return known
        blocks = tuple([self.block(u) for u in self.on_table() if u.stands_in is None])
        if known is None or known.pieces is not bare.pieces or not _same(known.blocks, blocks):
            self._note_change(known, bare, blocks)
            known = self._table = replace(bare, blocks=blocks)
            self._of_table.clear()
        self._tabled = True
        return known

    def _note_change(self, known: Tabletop | None, bare: Tabletop, blocks: Sequence[Block]) -> None:
        """Remember who has come or gone, for answers that depend on what is near."""
        if known is None or known.pieces is not bare.pieces or len(self._changes) > MOST_KEPT:
            self._of_surroundings.clear()
            self._changes.clear()
            return
        before, now = {id(b) for b in known.blocks}, {id(b) for b in blocks}
        gone = [b for b in known.blocks if id(b) not in now]
        self._changes.append([*gone, *(b for b in blocks if id(b) not in before)])

    def bare_table(self) -> Tabletop:
        """The terrain without units."""
        if self.battle.version != self._version:
            self._begin()
        known = self._bare
        if self._bared and known is not None:
            return known
        pieces = tuple([made for made in map(self.piece, self.placed) if not made.covered])
        if self._closed is None:  # once a battle: it is a measure of the game, not of a moment
            self._closed = float(self.number("closed_gap"))
        closed = self._closed
        if known is None or known.closed_gap != closed or not _same(known.pieces, pieces):
            known = self._bare = Tabletop(self.width, self.depth, pieces, (), closed)
            self._of_ground.clear()
        self._bared = True
        return known

    # -- what the rules say of moving ------------------------------------------------------------

    def rules_for(self, unit: Any, flying: bool = False) -> RuledMoves:
        """How a unit may move."""
        made: RuledMoves = self.holding(RULES, ("rules", unit, flying), lambda: self._rules_for(unit, flying))
        return made

    def _rules_for(self, unit: Any, flying: bool) -> RuledMoves:
        share, whole = float(self.number("turning_share", unit)), float(self.number("whole_move", unit))
        turn = TurnCost("share", share, whole) if share else TurnCost()
        back = float(self.number("backwards_factor", unit))
        wheel = TurnCost("arc") if self.number("wheel_by_arc", unit) else turn
        flat = float(self.number("rotation_share", unit))
        spin = TurnCost("flat", flat, whole) if flat > 0 else turn
        facing = TurnCost("flat", float(self.number("facing_share", unit)), whole)
        by_middle = bool(self.number("turns_on_its_middle", unit))
        by_front = bool(self.number("turns_on_its_front", unit))
        pivot = TurnCost("chord") if by_front and not self.number("pivots_freely", unit) else spin
        costs = MoveCosts(wheel, spin, pivot, facing, TurnCost("flat", 1.0), back, back, by_middle, by_front)
        there = frozenset(u.id for u in self.on_table() if u is not unit)
        passable = ByLeave(self, "may_pass_through", unit, there)
        pushable = ByLeave(self, "may_push_aside", unit, passable)
        legs = ("fly",) if flying else ON_FOOT
        aslant = float(self.number("slant", unit))
        if not flying and (self.formation(unit).kind != "ranked" or aslant > 0.0):
            legs = (*ON_FOOT, "go")
        for leg, allowed in _BY_LEAVE:
            if not (self.number(allowed, unit) or (leg == "face about" and self.number("may_face", unit))):
                legs = tuple(other for other in legs if other != leg)
        if not flying and self.number("may_snake", unit):
            legs = (*legs, "snake")
        if by_middle:
            legs = tuple(leg for leg in legs if leg not in ("wheel", "pivot"))
        elif by_front:
            legs = tuple(leg for leg in legs if leg not in ("wheel", "turn"))
        tolls, slopes = self.holding(
            OVER_GROUND, ("tolls and slopes", unit), lambda: (self._tolls(unit), self._slopes(unit))
        )
        return RuledMoves(
            costs, legs, flying=flying, pace=self.pace(unit), pace_counts=self.pace_counts(unit), slant=aslant,
            passable=passable, pushable=pushable, tolls=tolls, slopes=slopes,
        )  # fmt: skip

    def pace(self, unit: Any) -> dict[str, float]:
        """The share of its allowance that a unit keeps in each piece."""
        found: dict[str, float] = self.holding(("terrain_share",), ("pace", unit), lambda: self._paces(unit))
        return found

    def _paces(self, unit: Any) -> dict[str, float]:
        shares = {p: float(self.number("terrain_share", unit, self.entities[p])) for p in self.placed}
        return {p: min(max(s, 0.0), 1.0) for p, s in shares.items() if s < 1.0}

    def _tolls(self, unit: Any) -> dict[str, float]:
        """What it costs a unit besides to come into each piece, table units."""
        tolls = {p: float(self.number("terrain_toll", unit, self.entities[p])) for p in self.placed}
        return {p: toll for p, toll in tolls.items() if toll > 0.0}

    def _slopes(self, unit: Any) -> dict[str, tuple[float, float]]:
        """The paces up and down of the pieces where they are another than on the level, if ground slows by the way."""
        if self.pace_counts(unit) == "whole":
            return {}
        both = {
            p: tuple(max(float(self.number(name, unit, self.entities[p])), STEEPEST) for name in UP_AND_DOWN)
            for p in self.placed
        }
        return {p: (up, down) for p, (up, down) in both.items() if (up, down) != (1.0, 1.0)}

    def pace_counts(self, unit: Any) -> Literal["whole", "part"]:
        """Whether slow ground takes its share off the whole move, or makes only the way inside it dearer."""
        return "part" if self.number("slowed_only_inside", unit) else "whole"

    def impassable(self, unit: Any) -> tuple[str, ...]:
        return tuple(p for p, share in self.pace(unit).items() if share <= 0.0)


def _drawn_up(
    unit: Any, models: Any, wide: Any, deep: Any, loose: Any, gap: Any, sided: Any, points: Any
) -> Formation:
    count, width, depth = max(int(models), 1), float(wide), float(deep)
    if count == 1:
        return Formation(1, 1, width, depth, "single")
    kind: Kind = "loose" if loose else "ranked"
    files = min(int(unit.files), count)
    if loose:
        return Formation(files, count, width, depth, kind, float(gap), bool(sided))
    return Formation(files, count, width, depth, kind, 0.0, False, max(min(int(points), files), 0))


def _same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    """Whether two rows hold the very same things."""
    return len(before) == len(now) and all(map(is_, before, now))


def field_of(battle: Any) -> OpenTable:
    """The table of a battle; a fault when it has none."""
    try:
        return battle.field  # type: ignore[no-any-return]
    except AttributeError:
        raise RuleFault("this battle has no table") from None


def shape_data(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A piece as the geometry wants it, from `{id, type, shape: {ellipse: {...}}, height}`."""
    data = plain(raw)
    shape = data.get("shape")
    if isinstance(shape, dict) and len(shape) == 1:
        name, figures = next(iter(shape.items()))
        if not isinstance(figures, dict):
            raise FieldError(f"terrain piece {data.get('id', '?')}: the shape {name} needs its figures")
        data = {**data, "shape": name, **figures}
    return dict(data)


def lay_out(battle: Any, board: Mapping[str, Any]) -> None:
    """Make the table of a battle from the scenario's board."""
    size = plain(board.get("table", USUAL_TABLE))
    made = OpenTable(battle, float(size["width"]), float(size["depth"]))
    battle.field = made
    for name, z in plain(board.get("zones", {})).items():
        made.zones[name] = Zone(float(z["x"]), float(z["y"]), float(z["width"]), float(z["depth"]))
    for raw in board.get("terrain", ()) or ():
        lay(made, shape_data(raw), True)
    for i, raw in enumerate(board.get("to_lay", ()) or ()):
        lay(made, {"id": f"piece_{i + 1}", **shape_data(raw)}, False)
    for unit in battle.everyone["unit"]:
        _unit(made, unit)


def lay(made: OpenTable, data: dict[str, Any], placed: bool) -> None:
    battle = made.battle
    name = str(data.get("name") or data["id"].replace("_", " "))
    given, wrong = stated(battle.program, "terrain", data.get("state"))
    if wrong:
        raise RuleFault(f"terrain piece {data['id']}: {wrong[0]}")
    entity = battle.create("terrain", data["id"], name, type=data["type"], height=int(data.get("height", 0)))
    for key, value in given.items():
        battle.put(entity, key, value)
    for kind, title in battle.program.definitions:
        if kind == "terrain" and title == data["type"]:
            battle.give(kind, title, (), entity)
    made.entities[entity.id] = entity
    made.shapes[entity.id] = data
    if placed:
        piece(data)
        made.placed.append(entity.id)


def _unit(made: OpenTable, unit: Any) -> None:
    battle = made.battle
    battle.put(unit, "files", max(int(made.number("files_at_start", unit)), 1))
    place = plain(given_place(unit)) if given_place(unit) else None
    if place is None or "at" not in place:
        set_placed(unit, False)
        return
    x, y = _two_numbers(place["at"], unit)
    facing = _a_number(place.get("facing", 0), f"{unit.id} faces", "degrees, 0 is up the table")
    set_placed(unit, True)
    stand(made, unit, x, y, facing)
    if "files" in place:
        battle.put(unit, "files", int(_a_number(place["files"], f"{unit.id} has files", "models abreast")))


def _two_numbers(at: Any, unit: Any) -> tuple[float, float]:
    """Where an army's or example's unit stands. Raises RuleFault for what is no place."""
    if not isinstance(at, list | tuple) or len(at) != 2:
        raise RuleFault(f"{unit.id} stands at [x, y], two numbers, not at {at!r}")
    x, y = (_a_number(one, f"{unit.id} stands at [x, y]", "two numbers") for one in at)
    return x, y


def _a_number(value: Any, what: str, meant: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise RuleFault(f"{what}: {meant}, not {value!r}")
    return float(value)


def bring_guests(made: OpenTable, unit: Any) -> None:
    """Those who stand within a unit have a place, or none, as it has."""
    for guest in made.battle.everyone["unit"]:
        if guest.stands_in is unit:
            set_placed(guest, is_placed(unit))
    made.changed()


def stand(made: OpenTable, unit: Any, x: float, y: float, facing: float) -> None:
    """Put a unit at a place: x and y are the centre of its front edge. It loses hold of those from whom it goes."""
    pose = Pose(x, y, facing)
    _let_go(made, unit, pose)
    if unit.stands_in is not None:
        made.battle.put(unit, "stands_in", None)
        made.battle.put(unit, "seat", 0)
    made.moved[unit.id] = made.moved.get(unit.id, 0) + 1
    take_place(made, unit, pose)


def take_place(made: OpenTable, unit: Any, pose: Pose) -> None:
    """The same without counting as a move: it keeps hold of everybody."""
    made.battle.put(unit, "x", pose.x)
    made.battle.put(unit, "y", pose.y)
    made.battle.put(unit, "facing", pose.facing)


def _let_go(made: OpenTable, unit: Any, pose: Pose) -> None:
    """Contacts that the outlines do not show end with those from whom a unit goes farther than it was."""
    if not unit.holds_on:
        return
    now = made.block(unit)
    for other in list(unit.holds_on):
        shape = made.block(other).shape
        if gap(now.at(pose).shape, shape) > gap(now.shape, shape) + TOUCH:
            for one, two in ((unit, other), (other, unit)):
                made.battle.put(one, "holds_on", [u for u in one.holds_on if u is not two])


__all__ = [
    "SIGHT", "USUAL_TABLE", "OpenTable", "RuledMoves", "Zone", "field_of", "lay_out", "plain", "shape_data", "stand",
    "take_place",
]  # fmt: skip
