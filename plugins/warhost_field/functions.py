"""What rules can ask of the table, and the steps by which they change it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from warhost.errors import RuleFault
from warhost.things import PluginValue, is_placed, noun_of, set_placed
from warhost.vocabulary import Function
from warhost.vocabulary import function as _f
from warhost_field.arcs import in_arc
from warhost_field.binding import MOVING, PACE, SIGHT, TABLE, OpenTable, bring_guests, field_of, stand
from warhost_field.blocks import Block, Formation, Pose, Side
from warhost_field.contact import bases_in_contact, nearest_bases, side_of
from warhost_field.contact import distance as block_distance
from warhost_field.convex import Convex, closer, gap, near
from warhost_field.crowd import Crowd, at_the_rim, close_in, met
from warhost_field.measure import Point, quantise, rotated
from warhost_field.moves import hinders
from warhost_field.sight import between, run_inside, strip
from warhost_field.table import Tabletop
from warhost_field.terrain import Piece, piece
from warhost_field.travel import (
    backward_moves,
    charge_flights,
    charge_moves,
    charge_of,
    charge_ways,
    close,
    fits,
    flee_facing,
    flee_leans,
    flee_moves,
    flee_moves_along,
    flee_moves_from,
    flee_moves_to_edge,
    flights,
    follow_flights,
    follow_moves,
    meets_straight,
    moves,
    stands,
    touching,
    turns_to_face,
    way_gone,
    way_inside,
    withdrawals,
)

#: A unit is at a piece of terrain when it is this near, in the table's unit.
AT_HAND = 0.5

#: Whether a piece of terrain counts for the line from an eye, that of a block, to a body.
Between = Callable[[Piece, Block, Convex, Point], bool]


class Spot(PluginValue, noun="spot"):
    """A place to stand (or to lay a piece of terrain)."""

    def __init__(
        self, label: str, x: float, y: float, facing: float, block: Block | None = None, unit: Any = None
    ) -> None:
        self.unit = unit
        self.label = self.name = label
        self.x, self.y, self.facing = quantise(x), quantise(y), facing
        self.final = block
        self.id = f"spot:{self.x:g},{self.y:g},{facing:g}"

    def __str__(self) -> str:
        return self.label


# -- questions -----------------------------------------------------------------------------------


def body_of(battle: Any, thing: Any) -> Block | None:
    """The block of a unit, or the one with which a move or spot ends; None for who has no place."""
    noun = noun_of(thing)
    if noun == "unit":
        return field_of(battle).body(thing)
    return thing.final if noun in ("move", "spot") else None


def _distance(battle: Any, a: Any, b: Any) -> float:
    """Edge to edge; a very long way when one of them has no place."""
    made = field_of(battle)
    answers, key = made.answers(), ("distance", a, b)
    known: float | None = answers.get(key)
    if known is None:
        known = answers[key] = _distance_now(made, battle, a, b)
    return known


def _distance_now(made: OpenTable, battle: Any, a: Any, b: Any) -> float:
    one, two = body_of(battle, a), body_of(battle, b)
    if one is None or two is None:
        if noun_of(a) == "terrain" or noun_of(b) == "terrain":
            return _terrain_distance(made, battle, a, b)
        return made.width + made.depth
    found: float = made.of_pair("distance", one, two, block_distance)
    return found


def _slanting(battle: Any, along: Any, up: Any) -> float:
    """The straight line to what is so far off along the ground and so high above it."""
    return quantise(math.hypot(float(along), float(up)))


def _ground_below(battle: Any, line: Any, up: Any) -> float:
    """How far along the ground a straight line reaches that ends so high above it; 0 when it is too short for that."""
    return quantise(math.sqrt(max(float(line) ** 2 - float(up) ** 2, 0.0)))


def _terrain_distance(made: OpenTable, battle: Any, a: Any, b: Any) -> float:
    land, other = (a, b) if noun_of(a) == "terrain" else (b, a)
    if land.id not in made.placed:
        return made.width + made.depth
    parts = made.piece(land.id).parts
    if noun_of(other) == "terrain":
        mine = made.piece(other.id).parts if other.id in made.placed else ()
        return quantise(min((gap(p, q) for p in parts for q in mine), default=made.width + made.depth))
    block = body_of(battle, other)
    if block is None:
        return made.width + made.depth
    return quantise(min(gap(p, block.shape) for p in parts))


def _touches(battle: Any, a: Any, b: Any) -> bool:
    return b in touching(field_of(battle), a)


def _contacts(battle: Any, unit: Any) -> list[Any]:
    return list(touching(field_of(battle), unit))


def _sees(battle: Any, a: Any, b: Any) -> bool:
    one, two = body_of(battle, a), body_of(battle, b)
    if one is None or two is None:
        return False
    made = field_of(battle)
    return in_sight(made, one, two)


def _sees_past(battle: Any, a: Any, b: Any, others: list[Any]) -> bool:
    """Sight as if some units were not there."""
    one, two = body_of(battle, a), body_of(battle, b)
    if one is None or two is None:
        return False
    made = field_of(battle)
    if in_sight(made, one, two):
        return True
    gone = [o.id for o in others if o is not a and o is not b and stands(o) and between(made.block(o).shape, one, two)]
    if not gone:  # nobody of them stands near the line
        return False
    what = f"sees past {' '.join(gone)}"
    return bool(made.of_table(what, one, two, lambda table: table.without(*gone).sees(one, two, SIGHT)))


def _models_bearing(
    battle: Any, unit: Any, target: Any, first: Any, least: Any, most: Any, past: list[Any], screens: list[Any]
) -> int:
    """How many of the first so many models of a unit see any part of another, from `least` to `most` off, edge to edge.

    The unit's own models are in nobody's way, nor are the units `past`, nor, for each model, any one of the `screens`.
    """
    one, two = body_of(battle, unit), body_of(battle, target)
    if one is None or two is None:
        return 0
    made = field_of(battle)
    reach = made.of_pair("models' distances", one, two, _distances_of_models)
    out = {o.id for o in past if o is not target and stands(o)}
    thin = sorted({o.id for o in screens if o is not target and o is not unit and stands(o)} - out)
    far = range(min(int(first), len(reach)))
    near = [i for i in far if float(least) - 1e-6 <= reach[i] <= float(most) + 1e-6]
    what = f"models see past {' '.join(sorted(out))} / {' '.join(thin)}"
    seen: dict[int, bool] = made.of_table(what, one, two, lambda _: {})
    for i in near:
        if i not in seen:
            seen[i] = _model_sees(made.table(), one, two, i, out, thin)
    return sum(seen[i] for i in near)


def _distances_of_models(one: Block, two: Block) -> tuple[float, ...]:
    return tuple(quantise(gap(base, two.shape)) for base in one.bases())


def _model_sees(table: Tabletop, one: Block, two: Block, i: int, out: set[str], thin: list[str]) -> bool:
    """Whether a model of a block, by its place among the bases, has a free line to another block."""
    model, bare = _model(one, i), table.without(*out)
    if bare.sees(model, two, SIGHT):
        return True
    screens = (name for name in thin if between(bare.block(name).shape, model, two))
    return any(bare.without(name).sees(model, two, SIGHT) for name in screens)


def _model(block: Block, i: int) -> Block:
    """One model of a block, by its place among the bases, as a block of its own under the same name."""
    form = block.formation
    x, y = block.base_centres()[i]
    fx, fy = block.ahead
    half = form.base_depth / 2.0
    pose = Pose(x + fx * half, y + fy * half, block.pose.facing)
    alone = Formation(1, 1, form.base_width, form.base_depth, "single")
    return Block(pose, alone, block.id, block.side, block.height, block.airborne, block.screens)


def _models_touching(battle: Any, unit: Any, others: list[Any]) -> int:
    """How many bases of a unit touch a base of any of some others; a corner is enough."""
    return len(bases_touching(field_of(battle), body_of(battle, unit), [body_of(battle, other) for other in others]))


def bases_touching(made: OpenTable, one: Block | None, others: Iterable[Block | None]) -> set[int]:
    """Which bases of a block touch a base of any of some others, by index.

    Where outlines touch and no base does, or two hold on to each other, those nearest to each other count.
    """
    found: set[int] = set()
    for two in others:
        if one is None or two is None:
            continue
        if close(one, two):
            found |= made.of_pair("bases", one, two, _bases_meeting)
        elif _holding(made, one, two):
            found |= made.of_pair("bases held", one, two, nearest_bases)
    return found


def _bases_meeting(one: Block, two: Block) -> frozenset[int]:
    return bases_in_contact(one, two) or nearest_bases(one, two)


def _holding(made: OpenTable, one: Block, two: Block) -> bool:
    """Whether two blocks, as they stand now, hold on to each other."""
    a, b = made.unit(one.id), made.unit(two.id)
    return b in a.holds_on and made.block(a) == one and made.block(b) == two


def crowd_at(made: OpenTable, unit: Any, other: Any, reach: float) -> Crowd:
    """How the models of a loose unit close in on another, and on the other blocks that it fights.

    Nobody stands along the edge of an enemy with whom the unit is not in contact.
    """
    foes = [u for u in touching(made, unit) if u.side is not unit.side and made.block(u).formation.kind == "ranked"]
    about = foes if other in foes else [other]
    return _closing(made, made.block(unit), [made.block(u) for u in about], reach, made.impassable(unit), unit)


def _closing(
    made: OpenTable, crowd: Block, targets: list[Block], reach: float, closed: tuple[str, ...], unit: Any | None
) -> Crowd:
    """The same for any place of the crowd; without `unit` nobody is shunned."""
    shunned: tuple[str, ...] = ()
    if unit is not None:
        known = {u.id for u in touching(made, unit)} | {t.id for t in targets}
        shunned = tuple(u.id for u in made.on_table() if u.side is not unit.side and u.id not in known)
    names = " ".join((*(t.id for t in targets), "|", *closed, "|", *shunned))

    def computed(table: Tabletop) -> Crowd:
        return close_in(crowd, targets, reach, table, closed, shunned)

    found: Crowd = made.of_table(f"crowd {reach} {names}", crowd, targets[0], computed)
    return found


def _closed_in(battle: Any, unit: Any, other: Any, reach: Any) -> int:
    if not (stands(unit) and stands(other)):
        return 0
    made = field_of(battle)
    return at_the_rim(made.block(other).shape, crowd_at(made, unit, other, float(reach)).closed)


def _all_closed_in(battle: Any, unit: Any, others: list[Any], reach: Any) -> int:
    """How many models touch any of some enemies, each counted once."""
    made = field_of(battle)
    there = [other for other in others if stands(other)] if stands(unit) else []
    models = {m.points: m for other in there for m in crowd_at(made, unit, other, float(reach)).closed}
    shapes = [made.block(other).shape for other in there]
    return sum(1 for model in models.values() if any(at_the_rim(shape, (model,)) for shape in shapes))


def _met_by_crowd(battle: Any, unit: Any, other: Any, reach: Any) -> int:
    if not (stands(unit) and stands(other)):
        return 0
    made = field_of(battle)
    return met(made.block(unit), crowd_at(made, other, unit, float(reach)).closed)


def _wrapped_on(battle: Any, thing: Any, target: Any, reach: Any) -> list[Any]:
    """Enemies, besides those at its outline, whom models of a loose unit touch when they close in on a target."""
    crowd = body_of(battle, thing)
    if crowd is None or not stands(target) or crowd.formation.kind == "ranked":
        return []
    made, unit = field_of(battle), thing if noun_of(thing) == "unit" else thing.unit
    aim = made.block(target)
    if aim.formation.kind != "ranked" or not close(crowd, aim):
        return []
    models = _closing(made, crowd, [aim], float(reach), made.impassable(unit), None).closed
    foes = [u for u in made.on_table() if u.side is not unit.side and u is not target]
    reached = [u for u in foes if hinders(made.block(u), crowd) and not close(crowd, made.block(u))]
    return [u for u in reached if at_the_rim(made.block(u).shape, models)]


def hold_on(battle: Any, unit: Any, other: Any) -> None:
    """Two units are in contact from now on, until one of them goes farther from the other."""
    for one, two in ((unit, other), (other, unit)):
        if two not in one.holds_on:
            battle.put(one, "holds_on", [*one.holds_on, two])


def in_sight(made: OpenTable, one: Block, two: Block) -> bool:
    """Whether two bodies see each other, as the table stands; lines of sight are the same both ways."""
    if two.id < one.id:
        one, two = two, one
    ends = (one.id, two.id, one.inside, two.inside)
    comes_near: Callable[[Convex], bool] | None = None

    def matters(other: Block) -> bool:
        nonlocal comes_near
        if not other.screens or other.id in ends:
            return False
        if comes_near is None:
            comes_near = strip(one, two, made.bare_table().closed_gap)
        return comes_near(other.shape)

    def seen(table: Tabletop) -> bool:
        return close(one, two) or table.sees(one, two, SIGHT)

    return bool(made.of_surroundings("sees", one, two, matters, seen))


def _arc(battle: Any, unit: Any) -> float:
    return float(field_of(battle).number("front_arc", unit))


def _in_front(battle: Any, unit: Any, other: Any) -> bool:
    one, two = body_of(battle, unit), body_of(battle, other)
    return one is not None and two is not None and _before(battle, unit, one, two)


def _before(battle: Any, unit: Any, one: Block, two: Block) -> bool:
    width = _arc(battle, unit)
    return bool(field_of(battle).of_pair(f"front {width}", one, two, lambda a, b: in_arc(a, b, "front", width)))


def _side_attacked(battle: Any, attacker: Any, target: Any) -> str:
    one, two = body_of(battle, attacker), body_of(battle, target)
    if one is None or two is None:
        return "front"
    if noun_of(attacker) == "unit" and attacker.holds_on and target in attacker.holds_on:
        return str(field_of(battle).of_pair("side held", one, two, _nearest_side_word))
    return str(field_of(battle).of_pair("side", one, two, _side_word))


def _reach_past(battle: Any, unit: Any, other: Any, on_left: bool) -> float:
    """How far a unit reaches past the left or right flank of another, in table units; negative: short of it."""
    return _past(battle, unit, other, _past_left if on_left else _past_right)


def _reach_behind(battle: Any, unit: Any, other: Any) -> float:
    """How far a unit reaches past the rear of another, in table units; negative: short of it."""
    return _past(battle, unit, other, _past_rear)


def _past(battle: Any, unit: Any, other: Any, how_far: Callable[[Block, Block], float]) -> float:
    """What a measure gives of two bodies; farther than the table is large below 0 if one of them is not on it."""
    one, two = body_of(battle, unit), body_of(battle, other)
    if one is None or two is None:
        return -(field_of(battle).width + field_of(battle).depth)
    return float(field_of(battle).of_pair(how_far.__name__, one, two, how_far))


def _past_left(one: Block, two: Block) -> float:
    return quantise(-min(two.local(corner)[0] for corner in one.corners) - two.width / 2.0)


def _past_right(one: Block, two: Block) -> float:
    return quantise(max(two.local(corner)[0] for corner in one.corners) - two.width / 2.0)


def _past_rear(one: Block, two: Block) -> float:
    return quantise(-min(two.local(corner)[1] for corner in one.corners) - two.depth / 2.0)


def _side_word(attacker: Block, target: Block) -> str:
    if close(attacker, target):
        return _nearest_side_word(attacker, target)
    return _word(side_of(attacker, target, "corner_lines"))


def _nearest_side_word(attacker: Block, target: Block) -> str:
    return _word(side_of(attacker, target, "edge"))


def _word(side: Side) -> str:
    return "flank" if side in ("left", "right") else side


def _ranks(battle: Any, unit: Any) -> int:
    return field_of(battle).block(unit).formation.ranks


def _frontage(battle: Any, unit: Any) -> int:
    return field_of(battle).block(unit).formation.frontage


def _level(battle: Any, unit: Any) -> float:
    body = body_of(battle, unit)
    if body is None:
        return 0
    level = float(field_of(battle).of_ground("level", body, Tabletop.level_of))
    return int(level) if level == int(level) else level


def _terrain_under(battle: Any, thing: Any) -> list[Any]:
    body = body_of(battle, thing)
    if body is None:
        return []
    made = field_of(battle)
    return [made.entities[name] for name in made.of_ground("under", body, _names_under)]


def _names_under(table: Tabletop, body: Block) -> tuple[str, ...]:
    return tuple(p.id for p in table.pieces if p.covers_any_of(body.shape))


def _terrain_touching(battle: Any, thing: Any) -> list[Any]:
    body = body_of(battle, thing)
    if body is None:
        return []
    made = field_of(battle)
    return [made.entities[name] for name in made.of_ground("at", body, _names_at)]


def _names_at(table: Tabletop, body: Block) -> tuple[str, ...]:
    return tuple(p.id for p in table.pieces if _is_at(p, body.shape))


def _is_at(land: Piece, shape: Convex) -> bool:
    """Whether a body stands in or at a piece of terrain."""
    return any(near(part, shape, AT_HAND + 0.01) and gap(part, shape) <= AT_HAND for part in land.parts)


def _cover_between(battle: Any, shooter: Any, target: Any) -> list[Any]:
    """Terrain that the line between two bodies crosses, or in which the target stands; not that of the shooter.

    The line begins at the middle of the shooter's front; at that of its body when the two are in contact.
    """
    return _pieces_between(battle, shooter, target, "cover", _shelters)


def _pieces_between(battle: Any, shooter: Any, target: Any, what: str, counts: Between) -> list[Any]:
    """The pieces of terrain that count for the line between two bodies."""
    one, two = body_of(battle, shooter), body_of(battle, target)
    if one is None or two is None:
        return []

    def names(table: Tabletop) -> tuple[str, ...]:
        return tuple(p.id for p in table.pieces if counts(p, one, two.shape, _eye(one, two)))

    made = field_of(battle)
    return [made.entities[name] for name in made.of_table(what, one, two, names)]


def _eye(one: Block, two: Block) -> Point:
    return one.centre if close(one, two) else one.front_centre


def _shelters(land: Piece, one: Block, shape: Convex, start: Point) -> bool:
    """Whether a body stands in a piece, or the line to it crosses a piece that is not the observer's own."""
    return land.covers_any_of(shape) or _is_crossed(land, one, shape, start)


def _is_crossed(land: Piece, one: Block, shape: Convex, start: Point) -> bool:
    crossed = run_inside(land.parts, start, (shape.x, shape.y)) > 0.01
    return crossed and (_is_at(land, shape) or not _is_at(land, one.shape))


def _crossed_between(battle: Any, shooter: Any, target: Any) -> list[Any]:
    """Terrain that the line between two bodies crosses: as for cover, but to stand in it is not enough."""
    return _pieces_between(battle, shooter, target, "crossed", _is_crossed)


def _models_inside(battle: Any, unit: Any, land: Any) -> int:
    """How many models of a unit stand in a piece of terrain, if only with a part of their bases."""
    body = body_of(battle, unit)
    made = field_of(battle)
    if body is None or land.id not in made.placed:
        return 0
    return int(made.of_ground(f"models in {land.id}", body, lambda _, it: _count_inside(made.piece(land.id), it)))


def _count_inside(land: Piece, body: Block) -> int:
    return sum(land.covers_any_of(base) for base in body.bases())


def _models_uncovered(battle: Any, shooter: Any, target: Any, pieces: list[Any]) -> int:
    """How many models of somebody a unit sees that none of some pieces of terrain shelters from all of its front.

    What hides models altogether (terrain only) leaves them out: nobody sees those.
    """
    one, two = body_of(battle, shooter), body_of(battle, target)
    if one is None or two is None:
        return 0
    made = field_of(battle)
    names = sorted(land.id for land in pieces if land.id in made.placed)
    what = f"uncovered by {' '.join(names)}"
    return int(made.of_table(what, one, two, lambda _: _count_uncovered(made, one, two, names)))


def _count_uncovered(made: OpenTable, one: Block, two: Block, names: list[str]) -> int:
    lands, bare = [made.piece(name) for name in names], made.bare_table()
    starts = (one.front_centre, *one.edge("front"))
    found = 0
    for i, base in enumerate(two.bases()):
        if all(any(_shelters(land, one, base, start) for land in lands) for start in starts):
            continue
        found += bare.sees(one, _model(two, i), SIGHT)
    return found


def _models_in_sight(battle: Any, shooter: Any, target: Any, past: list[Any]) -> int:
    """How many models of a unit another sees any part of, as if some units were not there.

    The target's own models hide nobody.
    """
    one, two = body_of(battle, shooter), body_of(battle, target)
    if one is None or two is None:
        return 0
    gone = sorted(o.id for o in past if o is not shooter and o is not target and stands(o))
    what = f"models in sight past {' '.join(gone)}"
    return int(field_of(battle).of_table(what, one, two, lambda table: _count_seen(table.without(*gone), one, two)))


def _count_seen(table: Tabletop, one: Block, two: Block) -> int:
    return sum(table.sees(one, _model(two, i), SIGHT) for i in range(len(two.base_centres())))


def _nearest_enemy(battle: Any, unit: Any) -> Any:
    body = body_of(battle, unit)
    if body is None:
        return None
    made = field_of(battle)
    found = made.of_table("nearest", body, None, lambda table: _nearest_foe(table, body, unit.side.id))
    return made.unit(found) if found is not None else None


def _nearest_foe(table: Tabletop, body: Block, side: str) -> str | None:
    foes = [b for b in table.blocks if b.side != side]
    return min(foes, key=lambda b: quantise(gap(body.shape, b.shape))).id if foes else None


def _may_reach(battle: Any, unit: Any, target: Any, allowance: Any) -> bool:
    made = field_of(battle)
    if not (stands(unit) and stands(target)):
        return False
    return charge_of(made, unit, target, float(allowance), False).possible


def _end_in_front(battle: Any, move: Any, other: Any) -> bool:
    one, two = body_of(battle, move), body_of(battle, other)
    if one is None or two is None:
        return False
    return _before(battle, move.unit, one, two)


def _end_sees(battle: Any, move: Any, other: Any) -> bool:
    one, two = body_of(battle, move), body_of(battle, other)
    if one is None or two is None:
        return False
    return in_sight(field_of(battle), one, two)


def _end_side(battle: Any, move: Any, enemy: Any) -> str:
    """From which side the enemy would come after the move."""
    one, two = body_of(battle, move), body_of(battle, enemy)
    if one is None or two is None:
        return "front"
    return str(field_of(battle).of_pair("side", two, one, _side_word))


# -- steps ---------------------------------------------------------------------------------------


def may_stand(made: OpenTable, unit: Any, block: Block) -> bool:
    """Whether a unit may stand so: on the table, on nobody, and in no ground that it cannot enter and is not in yet."""
    table = made.table()
    if not table.is_inside(block) or table.overlaps(block):
        return False
    closed = made.impassable(unit)
    now = made.block(unit).shape
    return not any(
        p.id in closed and p.covers_any_of(block.shape) and not p.covers_any_of(now) for p in table.pieces
    )


def _room_for(battle: Any, unit: Any, models: Any) -> bool:
    """Whether a unit would have room where it stands if it had so many models."""
    if not stands(unit):
        return True
    made = field_of(battle)
    block = made.block(unit)
    form, count = made.formation(unit), max(int(models), 1)
    if form.kind == "single" and count > 1:
        form = replace(form, kind="ranked")
    elif count == 1:
        form = replace(form, kind="single", gap=0.0)
    files = max(min(int(unit.files), count), 1)
    formed = replace(form, files=files, models=count, points=min(form.points, files))
    return may_stand(made, unit, block.drawn_up(formed))


def _reform(battle: Any, unit: Any, files: Any) -> bool:
    """Draw a unit up in so many files about the middle of its front, or about its centre; no when there is no room."""
    made = field_of(battle)
    wanted = max(int(files), 1)
    if not is_placed(unit):
        battle.put(unit, "files", wanted)
        return True
    old = made.block(unit)
    form = old.formation
    changed = old.drawn_up(replace(form, files=wanted, points=min(form.points, wanted)))
    for candidate in (changed, changed.centred(old.centre, old.facing)):
        if may_stand(made, unit, candidate):
            battle.put(unit, "files", wanted)
            pose = candidate.pose
            stand(made, unit, pose.x, pose.y, pose.facing)
            return True
    return False


def _turn_to_face(battle: Any, unit: Any, other: Any) -> bool:
    """Turn about the centre towards somebody; no when there is no room to."""
    made = field_of(battle)
    one, two = body_of(battle, unit), body_of(battle, other)
    if one is None or two is None:
        return False
    dx, dy = two.centre[0] - one.centre[0], two.centre[1] - one.centre[1]
    facing = math.degrees(math.atan2(dx, dy)) if dx or dy else one.facing
    turned = one.centred(one.centre, facing)
    if not may_stand(made, unit, turned):
        return False
    stand(made, unit, turned.pose.x, turned.pose.y, turned.pose.facing)
    return True


def _place_at(battle: Any, unit: Any, x: Any, y: Any, facing: Any) -> None:
    """Put a unit somewhere, whatever stands there (for scenarios)."""
    set_placed(unit, True)
    field_of(battle).changed()
    stand(field_of(battle), unit, float(x), float(y), float(facing))
    bring_guests(field_of(battle), unit)


def _spots(battle: Any, unit: Any, zone: str) -> list[Spot]:
    """A grid of places in a zone where the unit fits, nearest to the middle of the table first in each row."""
    made = field_of(battle)
    area = made.zones.get(zone)
    if area is None:
        raise RuleFault(f'the scenario has no zone "{zone}"; it has: {", ".join(made.zones) or "none"}')
    facing = 0.0 if area.y + area.depth / 2 < made.depth / 2 else 180.0
    sample = made.block(unit).at(Pose(0.0, 0.0, facing))
    found: list[Spot] = []
    rows = {"front": 1.0, "middle": 0.5, "back": 0.0}
    for row, share in rows.items():
        for number, x in enumerate(_columns(area.x, area.width, sample.width)):
            y = _row(area.y, area.depth, sample.depth, share, facing)
            block = sample.at(Pose(x, y, facing))
            if _within(area, block) and fits(made, unit, block):
                place = f"{round(x, 1):g}, {round(y, 1):g}"
                found.append(Spot(f"{row} {number + 1} ({place})", x, y, facing, block, unit))
    return found


def _within(area: Any, block: Block) -> bool:
    """Whether a block lies in a zone with all its corners."""
    return all(
        area.x - 1e-6 <= cx <= area.x + area.width + 1e-6 and area.y - 1e-6 <= cy <= area.y + area.depth + 1e-6
        for cx, cy in block.corners
    )


def _facings(battle: Any, unit: Any, spot: Spot, zone: str) -> list[Spot]:
    """A place as it is, and turned about its middle to the other seven directions, as far as the unit fits there."""
    made = field_of(battle)
    area = made.zones.get(zone)
    first = made.block(unit).at(Pose(float(spot.x), float(spot.y), float(spot.facing)))
    found = [spot]
    for turn in range(45, 360, 45):
        block = first.centred(first.centre, (first.pose.facing + turn) % 360.0)
        if (area is None or _within(area, block)) and fits(made, unit, block):
            pose = block.pose
            found.append(Spot(f"{spot.label}, turned by {turn}", pose.x, pose.y, pose.facing, block, unit))
    return found


def _columns(x: float, width: float, wide: float) -> list[float]:
    """Places for the front's centre along a zone, at most 13, from side to side."""
    usable = width - wide
    if usable < 0:
        return []
    count = max(1, min(13, int(usable / (wide + 1.0)) + 1))
    if count == 1:
        return [quantise(x + width / 2)]
    return [quantise(x + wide / 2 + usable * i / (count - 1)) for i in range(count)]


def _row(y: float, depth: float, deep: float, share: float, facing: float) -> float:
    """Where the front stands for a row: 1 the foremost, 0 the hindmost."""
    room = max(depth - deep, 0.0)
    return quantise(y + deep + room * share if facing == 0.0 else y + depth - deep - room * share)


def _deploy(battle: Any, unit: Any, spot: Spot) -> None:
    made = field_of(battle)
    place = made.own_block(unit).at(Pose(float(spot.x), float(spot.y), float(spot.facing)))
    if not made.table().is_inside(place) or made.table().overlaps(place):
        raise RuleFault(f"{unit} has no room at {spot}")
    set_placed(unit, True)
    made.changed()
    stand(made, unit, spot.x, spot.y, spot.facing)
    bring_guests(made, unit)


def _stand_within(battle: Any, unit: Any, host: Any) -> None:
    made = field_of(battle)
    if host is unit or host.stands_in is not None:
        raise RuleFault(f"{unit} cannot stand within {host}, who stands within another")
    set_placed(unit, is_placed(host))
    battle.put(unit, "stands_in", host)
    battle.put(unit, "seat", 0)
    made.changed()


def _stand_alone(battle: Any, unit: Any) -> None:
    made = field_of(battle)
    pose = made.block(unit).pose
    stand(made, unit, pose.x, pose.y, pose.facing)
    made.changed()


def _base_touches(battle: Any, unit: Any, base: Any, others: list[Any]) -> bool:
    """Whether one base of a unit, counted from 1 at the front left, touches a base of any of some others."""
    one = body_of(battle, unit)
    return int(base) - 1 in bases_touching(field_of(battle), one, [body_of(battle, other) for other in others])


def _terrain_to_lay(battle: Any) -> list[Any]:
    made = field_of(battle)
    return [e for name, e in made.entities.items() if name not in made.placed]


class GroundOptions(list[Spot]):
    """The places that are offered for a piece of terrain; any other at which it fits can be given."""

    def __init__(self, spots: Iterable[Spot], made: OpenTable, land: Any) -> None:
        super().__init__(spots)
        self._made, self._land = made, land

    def free(self, answer: Mapping[str, Any]) -> Spot:
        """The spot that `{"to": [x, y], "facing": degrees}` describes."""
        extra = [str(key) for key in answer if key not in ("to", "facing")]
        try:
            x, y = (float(number) for number in answer["to"])
            facing = float(answer.get("facing", 0)) % 360.0
        except (KeyError, TypeError, ValueError):
            extra = ["the answer"]
        if extra:
            wanted = '{"to": [x, y], "facing": degrees}'
            raise RuleFault(f"this is no place: do not know what {extra[0]} means here; a place is {wanted}")
        if not _fits_at(self._made, self._land, x, y, facing):
            raise RuleFault(f"{self._land} has no room there: it lies on the table, 2 from its rim and 1 from all else")
        return Spot(f"({x:g}, {y:g})" + (f", turned {facing:g}" if facing else ""), x, y, facing)


def _terrain_spots(battle: Any, land: Any) -> GroundOptions:
    """Places of a grid where a piece lies on the table and on no other piece, as it is and turned by a quarter."""
    made = field_of(battle)
    found = []
    for j in range(1, 12):
        for i in range(1, 16):
            x, y = made.width * i / 16, made.depth * j / 12
            for turned in (0.0,) if made.shapes[land.id]["shape"] == "circle" else (0.0, 90.0):
                if _fits_at(made, land, x, y, turned):
                    label = f"({x:g}, {y:g})" + (f", turned {turned:g}" if turned else "")
                    found.append(Spot(label, x, y, turned))
    return GroundOptions(found, made, land)


def _fits_at(made: OpenTable, land: Any, x: float, y: float, turned: float) -> bool:
    """Whether a piece lies clear of the rim and of everything else on the table."""
    data = made.shapes[land.id]
    shape = piece({**data, **shape_at(data, x, y, turned)})
    points = [point for p in shape.parts for point in p.points]
    if not all(2.0 <= px <= made.width - 2.0 and 2.0 <= py <= made.depth - 2.0 for px, py in points):
        return False
    lying = [p for name in made.placed for p in made.piece(name).parts] + [b.shape for b in made.table().blocks]
    return not any(closer(p, q, 1.0) for p in shape.parts for q in lying)


def shape_at(data: dict[str, Any], x: float, y: float, turned: float = 0.0) -> dict[str, Any]:
    """The figures of a shape with its middle at a place, turned clockwise."""
    points = data.get("points")
    if points is None:
        return {"x": x, "y": y, **({"angle": float(data.get("angle", 0)) + turned} if turned else {})}
    mx, my = sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
    there = [(p[0] - mx + x, p[1] - my + y) for p in points]
    return {"points": [list(rotated(p, (x, y), turned)) if turned else list(p) for p in there]}


def _lay(battle: Any, land: Any, spot: Spot) -> None:
    made = field_of(battle)
    shape = made.shapes[land.id]
    made.shapes[land.id] = {**shape, **shape_at(shape, spot.x, spot.y, float(spot.facing))}
    made.forget_shape(land.id)
    if land.id not in made.placed:
        made.placed.append(land.id)
    made.changed()
    battle.note("lay", terrain=land.id, at=[spot.x, spot.y])


def _remove_terrain(battle: Any, land: Any) -> None:
    made = field_of(battle)
    if land.id in made.placed:
        made.placed.remove(land.id)
        made.changed()
    battle.remove(land)


def _width(battle: Any) -> float:
    return field_of(battle).width


def _depth(battle: Any) -> float:
    return field_of(battle).depth


FUNCTIONS: tuple[Function, ...] = (
    _f(
        "distance", "a: any, b: any", "distance", _distance,
        "from edge to edge of two units or pieces of terrain", asks=TABLE,
    ),
    _f("touches", "a: unit, b: unit", "yes_no", _touches, "whether two units are in contact", asks=TABLE),
    _f(
        "contacts", "unit: unit", "list of unit", _contacts,
        "the units in contact with a unit, friends and foes", asks=TABLE,
    ),
    _f(
        "sees", "a: unit, b: unit", "yes_no", _sees,
        "whether there is a free line of sight between two units", asks=TABLE,
    ),
    _f(
        "sees_past", "a: unit, b: unit, others: list of unit", "yes_no", _sees_past,
        "sight as if some units were not there", asks=TABLE,
    ),
    _f(
        "models_bearing",
        "unit: unit, target: unit, first: number, least: distance, most: distance, past: list of unit, "
        "screens: list of unit",
        "number", _models_bearing,
        "how many of a unit's first models see another between two distances, past some units and any one of others",
        asks=TABLE,
    ),
    _f(
        "models_touching", "unit: unit, others: list of unit", "number", _models_touching,
        "how many bases of a unit touch a base of any of some others", asks=TABLE,
    ),
    _f(
        "slanting", "along: distance, up: distance", "distance", _slanting,
        "the straight line to what is so far off along the ground and so high above it", asks=(),
    ),
    _f(
        "ground_below", "line: distance, up: distance", "distance", _ground_below,
        "how far along the ground a straight line reaches that ends so high above it; 0 when it is too short", asks=(),
    ),
    _f(
        "base_touches", "unit: unit, base: number, others: list of unit", "yes_no", _base_touches,
        "whether one base of a unit, counted from 1 at the front left, touches a base of any of some others",
        asks=TABLE,
    ),
    _f(
        "stand_within", "unit: unit, host: unit", "any", _stand_within,
        "a unit stands on one of another's bases, wherever that one goes, until it is put somewhere itself (state "
        "`stands_in`, `seat`): it is in nobody's way, and in contact with whoever touches that base",
        "moves",
    ),
    _f(
        "stand_alone", "unit: unit", "any", _stand_alone,
        "who stands within another stands by itself from now on, where it is", "moves",
    ),
    _f(
        "closed_in", "unit: unit, other: unit, reach: distance", "number", _closed_in,
        "how many models of a unit find room about another, each going so far at most", asks=PACE,
    ),
    _f(
        "all_closed_in", "unit: unit, others: list of unit, reach: distance", "number", _all_closed_in,
        "how many models of a unit find room about any of some others, each counted once", asks=PACE,
    ),
    _f(
        "met_by_crowd", "unit: unit, other: unit, reach: distance", "number", _met_by_crowd,
        "how many models of a unit another's touch when they close in", asks=PACE,
    ),
    _f(
        "wrapped_on", "place: any, target: unit, reach: distance", "list of unit", _wrapped_on,
        "whom else a loose unit's models touch that close in on somebody, from where it stands or a move ends",
        asks=PACE,
    ),
    _f(
        "hold_on", "unit: unit, other: unit", "any", hold_on,
        "two units are in contact though their outlines are apart, until one goes farther from the other", "writes",
    ),
    _f(
        "in_front", "unit: unit, other: unit", "yes_no", _in_front,
        "whether any part of somebody is in the front arc", asks=(*TABLE, "front_arc"),
    ),
    _f(
        "reach_past", "unit: unit, other: unit, on_left: yes_no", "distance", _reach_past,
        "how far a unit reaches past another's left or right flank, along that one's front; less than 0: short of it",
        asks=TABLE,
    ),
    _f(
        "reach_behind", "unit: unit, other: unit", "distance", _reach_behind,
        "how far a unit reaches past another's rear, along that one's flank; less than 0: short of it", asks=TABLE,
    ),
    _f(
        "side_attacked", "attacker: unit, target: unit", "unit_side", _side_attacked,
        "the side on which one stands of another", asks=TABLE,
    ),
    _f("ranks", "unit: unit", "number", _ranks, "how many ranks a unit is drawn up in", asks=TABLE),
    _f(
        "frontage", "unit: unit", "number", _frontage,
        "how many files a unit stands in: no more than it has models, and all that its wedges spread over",
        asks=TABLE,
    ),
    _f("level", "unit: unit", "number", _level, "the level of the ground under a unit", asks=TABLE),
    _f(
        "terrain_under", "unit: unit", "list of terrain", _terrain_under,
        "the terrain that a unit stands in", asks=TABLE,
    ),
    _f(
        "terrain_touching", "unit: unit", "list of terrain", _terrain_touching,
        "the terrain that a unit stands in or at", asks=TABLE,
    ),
    _f(
        "cover_between", "shooter: unit, target: unit", "list of terrain", _cover_between,
        "the terrain between two units", asks=TABLE,
    ),
    _f(
        "crossed_between", "shooter: unit, target: unit", "list of terrain", _crossed_between,
        "the terrain that the line between two units crosses", asks=TABLE,
    ),
    _f(
        "models_inside", "unit: unit, piece: terrain", "number", _models_inside,
        "how many models of a unit stand in a piece of terrain", asks=TABLE,
    ),
    _f(
        "models_in_sight", "shooter: unit, target: unit, past: list of unit", "number", _models_in_sight,
        "how many models of a unit another sees any part of, as if some units were not there", asks=TABLE,
    ),
    _f(
        "models_uncovered", "shooter: unit, target: unit, pieces: list of terrain", "number", _models_uncovered,
        "how many models of a unit another sees that stand neither in nor behind any of some pieces of terrain",
        asks=TABLE,
    ),
    _f("nearest_enemy", "unit: unit", "unit or none", _nearest_enemy, "the enemy nearest to a unit", asks=TABLE),
    _f(
        "may_reach", "unit: unit, target: unit, allowance: distance", "yes_no", _may_reach,
        "whether a unit could reach contact", asks=MOVING,
    ),
    _f(
        "moves", "unit: unit, allowance: distance, towards?: unit", "list of move", moves,
        "ways to go with an allowance (towards: one of them makes for that unit, though others are nearer)",
        asks=MOVING,
    ),
    _f(
        "flights", "unit: unit, allowance: distance, towards?: unit", "list of move", flights,
        "ways to fly with an allowance (towards: one of them makes for that unit)", asks=MOVING,
    ),
    _f(
        "charge_moves", "unit: unit, target: unit, allowance: distance", "list of move", charge_moves,
        "the way into contact", asks=MOVING,
    ),
    _f(
        "charge_flights", "unit: unit, target: unit, allowance: distance", "list of move", charge_flights,
        "the flight into contact", asks=MOVING,
    ),
    _f(
        "charge_ways", "unit: unit, target: unit, allowance: distance", "list of move", charge_ways,
        "the ways into contact to choose among: the fullest, and those that meet others besides or nobody else",
        asks=MOVING,
    ),
    _f(
        "meets_straight", "unit: unit, target: unit, allowance: distance", "yes_no", meets_straight,
        "whether a unit meets somebody by going straight ahead",
    ),
    _f(
        "flee_moves_to_edge", "unit: unit, distance: distance, feared: list of unit, lean: number", "list of move",
        flee_moves_to_edge,
        "the way to the nearest edge, leaning so many degrees, that leads nearer to nobody feared; else away from them",
    ),
    _f(
        "flee_leans", "unit: unit, distance: distance, feared: list of unit", "list of number", flee_leans,
        "by how many degrees that way may lean to the right (less than 0: to the left), 0 first",
    ),
    _f("flee_moves", "unit: unit, distance: distance", "list of move", flee_moves, "the way away from the enemies"),
    _f(
        "flee_moves_from", "unit: unit, enemy: unit, distance: distance", "list of move", flee_moves_from,
        "the way straight away from one enemy, whatever others there are",
    ),
    _f(
        "flee_moves_along", "unit: unit, distance: distance, facing: number", "list of move", flee_moves_along,
        "the way in a direction, round what may not be entered",
    ),
    _f(
        "flee_facing", "unit: unit, distance: distance", "number", flee_facing,
        "the direction in which a unit would run from its enemies",
    ),
    _f(
        "follow_moves", "unit: unit, target: unit, allowance: distance", "list of move", follow_moves,
        "the way after somebody",
    ),
    _f(
        "follow_flights", "unit: unit, target: unit, allowance: distance", "list of move", follow_flights,
        "the flight after somebody",
    ),
    _f(
        "backward_moves", "unit: unit, distance: distance", "list of move", backward_moves,
        "the way straight back, face forward, if it leads out of contact",
    ),
    _f(
        "withdrawals",
        "unit: unit, allowance: distance, through?: yes_no",
        "list of move",
        withdrawals,
        "the way out of contact (through: no: round friends whom it may not pass)",
    ),
    _f(
        "turns_to_face", "unit: unit, other: unit", "list of move", turns_to_face,
        "the turn of every model where it stands that brings somebody in contact before the front, if there is one",
    ),
    _f(
        "end_distance", "move: any, other: unit", "distance", _distance,
        "the distance to somebody after a move", asks=TABLE,
    ),
    _f(
        "end_in_front", "move: any, other: unit", "yes_no", _end_in_front,
        "whether somebody is in front after a move", asks=(*TABLE, "front_arc"),
    ),
    _f(
        "end_sees", "move: any, other: unit", "yes_no", _end_sees,
        "whether somebody is in sight after a move", asks=TABLE,
    ),
    _f(
        "end_side", "move: any, enemy: unit", "unit_side", _end_side,
        "from which side an enemy would come after a move", asks=TABLE,
    ),
    _f(
        "end_strikes", "move: any, target: unit", "unit_side", _side_attacked,
        "on which side of somebody a move ends", asks=TABLE,
    ),
    _f(
        "end_terrain", "move: any", "list of terrain", _terrain_touching,
        "the terrain in or at which a move ends", asks=TABLE,
    ),
    _f(
        "end_terrain_under", "move: any", "list of terrain", _terrain_under,
        "the terrain in which a move ends", asks=TABLE,
    ),
    _f(
        "way_inside", "move: any, pieces: list of terrain", "distance", way_inside,
        "how much of a way leads through any of some pieces of terrain, whatever it costs there", asks=TABLE,
    ),
    _f(
        "way_gone", "move: any", "distance", way_gone,
        "how far a move goes: wheels by their corner, turns for nothing", asks=(),
    ),
    _f("spots", "unit: unit, zone: text", "list of spot", _spots, "places in a zone where a unit fits"),
    _f(
        "facings", "unit: unit, spot: spot, zone: text", "list of spot", _facings,
        "a place as it is, and facing other ways, in a zone",
    ),
    _f("terrain_to_lay", "", "list of terrain", _terrain_to_lay, "pieces that wait beside the table"),
    _f("terrain_spots", "piece: terrain", "list of spot", _terrain_spots, "places where a piece can be laid"),
    _f("table_width", "", "distance", _width, "the width of the table", asks=()),
    _f("table_depth", "", "distance", _depth, "the depth of the table", asks=()),
    _f("deploy", "unit: unit, spot: spot", "any", _deploy, "set a unit up at a spot", "moves"),
    _f("lay", "piece: terrain, spot: spot", "any", _lay, "lay a piece of terrain at a spot", "writes"),
    _f("remove_terrain", "piece: terrain", "any", _remove_terrain, "take a piece of terrain away", "writes"),
    _f("reform", "unit: unit, files: number", "yes_no", _reform, "draw a unit up in so many files", "moves"),
    _f("turn_to_face", "unit: unit, other: unit", "yes_no", _turn_to_face, "turn a unit towards another", "moves"),
    _f(
        "room_for", "unit: unit, models: number", "yes_no", _room_for,
        "whether a unit would have room with so many models", asks=PACE,
    ),
    _f(
        "place_at", "unit: unit, x: distance, y: distance, facing: number", "any", _place_at,
        "put a unit at a place", "moves"
    ),
)  # fmt: skip
