"""Points of the table, areas that are laid and shifted in play, and places for units that come to the table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from warhost.errors import RuleFault
from warhost.things import noun_of, set_placed
from warhost.vocabulary import Function
from warhost.vocabulary import function as _f
from warhost_field.binding import TABLE, OpenTable, bring_guests, field_of, lay, stand
from warhost_field.blocks import Block, Formation, Pose
from warhost_field.charge import free_places
from warhost_field.contact import distance as block_distance
from warhost_field.convex import Convex, gap, near, overlap, rectangle, within
from warhost_field.functions import Spot, bases_touching, body_of, in_sight, shape_at
from warhost_field.measure import ahead, length, quantise
from warhost_field.moves import bases_through
from warhost_field.sight import SightRules, free_line
from warhost_field.terrain import RIM
from warhost_field.travel import AROUND, fits, settle, stands, touching

#: How large a point is that somebody looks at.
DOT = 0.02
#: Places that are offered at most.
MOST = 24


class Places(list[Spot]):
    """Points that are offered; any other within reach and in sight can be given as `{"to": [x, y]}`."""

    def __init__(self, spots: Iterable[Spot], battle: Any, unit: Any, reach: float) -> None:
        super().__init__(spots)
        self._battle, self._unit, self._reach = battle, unit, reach

    def free(self, answer: Mapping[str, Any]) -> Spot:
        """The point that the answer names; refused when it is too far off or out of sight."""
        try:
            x, y = (float(n) for n in answer["to"])
        except (KeyError, TypeError, ValueError):
            raise RuleFault('a point is given as {"to": [x, y]}') from None
        spot = _point(self._battle, x, y)
        if not _may_be_seen(self._battle, self._unit, spot, self._reach):
            raise RuleFault(f"({x:g}, {y:g}) is out of {self._unit}'s reach or sight")
        if not self._battle.ask("may_aim_at", self._unit, spot, self._reach):
            raise RuleFault(f"({x:g}, {y:g}) may not be aimed at; take a point that is offered")
        return spot


# -- points --------------------------------------------------------------------------------------


def _point(battle: Any, x: Any, y: Any, label: str = "") -> Spot:
    px, py = quantise(float(x)), quantise(float(y))
    pose = Pose(px, py + DOT / 2.0, 0.0)
    return Spot(label or f"({px:g}, {py:g})", px, py, 0.0, Block(pose, Formation(1, 1, DOT, DOT, "single"), "point"))


def _middle(battle: Any, thing: Any) -> Spot:
    """The centre of a unit or a piece of terrain as a point; a fault for a piece that has not been laid."""
    made = field_of(battle)
    if noun_of(thing) == "terrain":
        if thing.id not in made.placed:
            raise RuleFault(f"{thing} does not lie on the table")
        x, y = made.piece(thing.id).centre
    elif noun_of(thing) == "unit":
        x, y = made.block(thing).centre
    else:
        return _point(battle, thing.x, thing.y, thing.label)
    return _point(battle, x, y, str(thing))


def _nearest_on_line(battle: Any, start: Any, end: Any, thing: Any) -> Spot:
    """The point of a straight line between two places that is nearest to where something stands."""
    (ax, ay), (bx, by), (x, y) = (_where(battle, one) for one in (start, end, thing))
    squared = (bx - ax) ** 2 + (by - ay) ** 2
    share = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / squared if squared else 0.0
    share = min(max(share, 0.0), 1.0)
    return _point(battle, ax + (bx - ax) * share, ay + (by - ay) * share)


def _where(battle: Any, thing: Any) -> tuple[float, float]:
    """Where something stands: the middle of its front edge, of a piece of terrain its centre."""
    at = _middle(battle, thing) if noun_of(thing) == "terrain" else thing
    return float(at.x), float(at.y)


def _in_zone(battle: Any, place: Any, zone: str) -> bool:
    """Whether a point, or the middle of a unit or piece, lies in a zone; nothing lies in an unknown one."""
    made = field_of(battle)
    area = made.zones.get(zone)
    if area is None or (noun_of(place) == "unit" and not stands(place)):
        return False
    if noun_of(place) == "terrain" and place.id not in made.placed:
        return False
    middle = place if noun_of(place) == "spot" else _middle(battle, place)
    x, y = middle.x, middle.y
    return bool(area.x <= x <= area.x + area.width and area.y <= y <= area.y + area.depth)


def _reaches_zone(battle: Any, place: Any, zone: str) -> bool:
    """Whether any part of a unit, of who would stand at a place, or a point, lies in a zone, more than its rim."""
    area, block = field_of(battle).zones.get(zone), body_of(battle, place)
    if area is None or block is None:
        return False
    middle = (area.x + area.width / 2.0, area.y + area.depth / 2.0)
    return overlap(block.shape, rectangle(*middle, 0.0, area.width, area.depth), RIM)


def _points_in(battle: Any, zone: str, apart: Any) -> list[Spot]:
    """Points of a zone in rows, so far apart (table units) and half as far from its rim."""
    area, step = field_of(battle).zones.get(zone), float(apart)
    if area is None:
        raise RuleFault(f'the scenario has no zone "{zone}"')
    if step <= 0.0:
        raise RuleFault("points of a zone must be apart")
    columns, rows = (max(1, int(size / step + 1e-6)) for size in (area.width, area.depth))
    wide, deep = area.width / columns, area.depth / rows
    centres = ((area.x + wide * (i + 0.5), area.y + deep * (j + 0.5)) for j in range(rows) for i in range(columns))
    return [_point(battle, x, y) for x, y in centres]


def _in_view(battle: Any, unit: Any, thing: Any) -> bool:
    """Whether a unit sees a unit, a point or a piece of terrain."""
    made = field_of(battle)
    if not stands(unit):
        return False
    if noun_of(thing) == "unit":
        other = body_of(battle, thing)
        return other is not None and in_sight(made, made.block(unit), other)
    if noun_of(thing) == "terrain":
        return thing.id in made.placed and _sees_point(made, unit, _middle(battle, thing), thing.id)
    return _sees_point(made, unit, thing, "")


def _ahead_of(battle: Any, unit: Any, thing: Any) -> bool:
    """Whether any part of something lies before the line along a unit's front edge."""
    made = field_of(battle)
    if not stands(unit):
        return False
    block = made.block(unit)
    (ax, ay), (bx, by) = block.edge("front")
    fx, fy = ahead(block.facing)
    parts = _outline(battle, thing)
    return any((x - (ax + bx) / 2.0) * fx + (y - (ay + by) / 2.0) * fy > -RIM for p in parts for x, y in p.points)


def _sees_point(made: OpenTable, unit: Any, spot: Spot, over: str) -> bool:
    """Whether there is a free line to a point; units on it and the piece named do not stand in the way."""
    table, one, two = made.table(), made.block(unit), spot.final
    if two is None:
        return False
    if overlap(one.shape, two.shape, 0.0):
        return True
    rules = SightRules()
    standing = {b.id for b in table.blocks if overlap(b.shape, two.shape, 0.0)}
    obstacles = [o for o in table.obstacles(one, two, rules) if o.name not in standing and o.name != over]
    eyes = table.level_of(one) + one.height - 1.0
    return free_line(one, two, eyes, table.level_of(two), obstacles, rules) is not None


def _clear_between(battle: Any, a: Any, b: Any) -> bool:
    """Whether nothing stands in the way of a line from one point to another."""
    table, one, two = field_of(battle).table(), a.final, b.final
    if one is None or two is None:
        return False
    standing = {o.id for o in table.blocks if overlap(o.shape, one.shape, 0.0) or overlap(o.shape, two.shape, 0.0)}
    obstacles = [o for o in table.obstacles(one, two, SightRules()) if o.name not in standing]
    return free_line(one, two, table.level_of(one), table.level_of(two), obstacles, SightRules()) is not None


def _may_be_seen(battle: Any, unit: Any, spot: Spot, reach: float) -> bool:
    made = field_of(battle)
    if spot.final is None or not stands(unit) or not made.table().is_inside(spot.final, "centre"):
        return False
    return block_distance(made.block(unit), spot.final) <= reach + 1e-6 and _in_view(battle, unit, spot)


def _fighters(made: OpenTable, unit: Any) -> list[Convex]:
    """The bases of a unit that touch an enemy; all of a loose unit that is in contact, which closes in."""
    block = made.block(unit)
    foes = [made.block(u) for u in touching(made, unit) if u.side is not unit.side]
    if not foes or block.formation.kind != "ranked":
        return list(block.bases()) if foes else []
    found = bases_touching(made, block, foes)
    return [base for i, base in enumerate(block.bases()) if i in found]


def _points_of(battle: Any, unit: Any) -> list[Spot]:
    """The middle of a unit, and of the model in the middle of those that touch an enemy."""
    fighters = _fighters(field_of(battle), unit)
    spots = [_middle(battle, unit)]
    if fighters:
        one = fighters[len(fighters) // 2]
        spots.append(_point(battle, one.x, one.y, f"{unit}, where they fight"))
    return spots


def _misses_the_fight(battle: Any, viewer: Any, unit: Any, spot: Spot, reach: Any) -> bool:
    """Whether a point is on a unit in contact, not on a model that fights, though one is within reach and in sight."""
    made = field_of(battle)
    if not stands(unit) or spot.final is None or not overlap(made.block(unit).shape, spot.final.shape, 0.0):
        return False
    fighters = _fighters(made, unit)
    if any(overlap(base, spot.final.shape, 0.0) for base in fighters):
        return False
    return any(_may_be_seen(battle, viewer, _point(battle, base.x, base.y), float(reach)) for base in fighters)


def _points_seen(battle: Any, unit: Any, reach: Any) -> list[Spot]:
    """The points of the units within reach and in sight, then points around at half and at full reach."""
    made = field_of(battle)
    if not stands(unit):
        return Places([], battle, unit, float(reach))
    here = made.block(unit).centre
    spots = [s for u in made.on_table() if u is not unit and stands(u) for s in _points_of(battle, u)]
    spots.sort(key=lambda s: length(s.x - here[0], s.y - here[1]))
    for share in (0.5, 1.0):
        for i in range(AROUND):
            sine, cosine = ahead(360.0 * i / AROUND)
            far = float(reach) * share
            spots.append(_point(battle, round(here[0] + sine * far, 1), round(here[1] + cosine * far, 1)))
    seen = [s for s in spots if _may_be_seen(battle, unit, s, float(reach))]
    offered = [s for s in seen if battle.ask("may_aim_at", unit, s, reach)]
    return Places(offered[:MOST], battle, unit, float(reach))


OF_ONE_PIECE = ("id", "name", "type", "height", "state")
"""What is said of a piece, and not of its shape."""

# -- areas ---------------------------------------------------------------------------------------


def _lay_new(battle: Any, type_: Any, at: Any, data: dict[str, Any]) -> Any:
    made = field_of(battle)
    count = 1
    while f"{type_}_{count}" in battle.by_id:
        count += 1
    name = f"{type_}_{count}"
    lay(made, {"id": name, "type": type_, "x": float(at.x), "y": float(at.y), **data}, True)
    made.changed()
    battle.note("lay", terrain=name, at=[at.x, at.y])
    return made.entities[name]


def _lay_circle(battle: Any, type_: Any, at: Any, across: Any, height: Any = 1) -> Any:
    return _lay_new(battle, type_, at, {"shape": "circle", "radius": float(across) / 2.0, "height": float(height)})


def _lay_strip(battle: Any, type_: Any, at: Any, width: Any, depth: Any, angle: Any = 0, height: Any = 1) -> Any:
    sides = {"width": float(width), "depth": float(depth), "angle": float(angle)}
    return _lay_new(battle, type_, at, {"shape": "rectangle", **sides, "height": float(height)})


def _lay_instead(battle: Any, land: Any, type_: Any, height: Any = 0) -> Any:
    """A piece of another type where a piece lies, which is taken away: a house becomes a heap of rubble."""
    made = field_of(battle)
    shape = {key: value for key, value in made.shapes[land.id].items() if key not in OF_ONE_PIECE}
    at = _middle(battle, land)
    if land.id in made.placed:
        made.placed.remove(land.id)
    battle.remove(land)
    return _lay_new(battle, type_, at, {**shape, "height": float(height)})


def _put_piece(battle: Any, land: Any, x: float, y: float) -> None:
    made = field_of(battle)
    x, y = min(max(x, 0.0), made.width), min(max(y, 0.0), made.depth)
    made.shapes[land.id] = {**made.shapes[land.id], **shape_at(made.shapes[land.id], quantise(x), quantise(y))}
    made.forget_shape(land.id)
    battle.note("lay", terrain=land.id, at=[quantise(x), quantise(y)])


def _shift(battle: Any, land: Any, angle: Any, by: Any) -> None:
    """Move a piece so far in a direction (degrees clockwise, 0 is up the table); its middle stays on the table."""
    sine, cosine = ahead(float(angle))
    x, y = field_of(battle).piece(land.id).centre
    _put_piece(battle, land, x + sine * float(by), y + cosine * float(by))


def _shift_towards(battle: Any, land: Any, goal: Any, by: Any) -> None:
    """Move a piece so far towards something, and no further than it."""
    end, (x, y) = _middle(battle, goal), field_of(battle).piece(land.id).centre
    far = length(end.x - x, end.y - y)
    share = min(float(by) / far, 1.0) if far > 0.0 else 0.0
    _put_piece(battle, land, x + (end.x - x) * share, y + (end.y - y) * share)


def _bases_on(battle: Any, unit: Any, land: Any) -> int:
    """How many bases of a unit stand in a piece of terrain; those of a loose unit as they are drawn up."""
    made = field_of(battle)
    if not stands(unit) or land.id not in made.placed:
        return 0
    parts = made.piece(land.id).parts
    return sum(1 for base in made.block(unit).bases() if any(overlap(part, base, RIM) for part in parts))


def _bases_crossing(battle: Any, unit: Any, land: Any) -> int:
    """How many bases of a unit stand in a piece of terrain, or come to it on the way that the unit is going."""
    made = field_of(battle)
    whole = made.under_way.get(unit.id)
    if whole is None or land.id not in made.placed:
        return _bases_on(battle, unit, land)
    return len(bases_through(whole, made.piece(land.id).parts, RIM))


def _bases_near(battle: Any, unit: Any, other: Any, reach: Any) -> int:
    """How many bases of a unit are within reach of something else."""
    made = field_of(battle)
    if not stands(unit):
        return 0
    block, far = made.block(unit), float(reach) + RIM
    parts = [part for part in _outline(battle, other) if near(part, block.shape, far + RIM)]
    return sum(1 for base in block.bases() if any(within(p, base, far) for p in parts)) if parts else 0


# -- places for units ----------------------------------------------------------------------------


def _spot_of(unit: Any, block: Block, label: str) -> Spot:
    pose = block.pose
    return Spot(f"{label} ({pose.x:.1f}, {pose.y:.1f})", pose.x, pose.y, pose.facing, block, unit)


def _distinct(spots: Iterable[Spot]) -> list[Spot]:
    found: dict[str, Spot] = {}
    for spot in spots:
        found.setdefault(spot.id, spot)
    return list(found.values())[:MOST]


def _outline(battle: Any, thing: Any) -> tuple[Any, ...]:
    """The convex parts of what somebody stands near to; nothing of a piece that has not been laid."""
    made = field_of(battle)
    if noun_of(thing) == "terrain":
        return made.piece(thing.id).parts if thing.id in made.placed else ()
    body = body_of(battle, thing)
    return () if body is None else (body.shape,)


def _places_near(battle: Any, unit: Any, anchor: Any, reach: Any) -> list[Spot]:
    """Where a unit fits within reach of something: around it from near to far, then in contact with enemies."""
    made, limit = field_of(battle), float(reach)
    parts = _outline(battle, anchor)
    if not parts:
        return []
    centre = _middle(battle, anchor)
    facing = float(getattr(anchor, "facing", 0.0) or 0.0)
    sample = made.own_block(unit)
    size = max(p.radius for p in parts) + math.hypot(sample.width, sample.depth) / 2.0
    found = []
    for far in (0.1, limit / 2.0, limit):
        for i in range(AROUND):
            sine, cosine = ahead(facing + 360.0 * i / AROUND)
            low, high = 0.0, size + far
            block = sample.centred((centre.x + sine * high, centre.y + cosine * high), facing)
            for _ in range(20):  # draw it in until it stands as far off as wished
                middle = (low + high) / 2.0
                block = sample.centred((centre.x + sine * middle, centre.y + cosine * middle), facing)
                if min(gap(p, block.shape) for p in parts) > far:
                    high = middle
                else:
                    low = middle
            if min(gap(p, block.shape) for p in parts) <= limit + 1e-6 and fits(made, unit, block):
                found.append(_spot_of(unit, block, "near"))
    return _distinct([*found, *_against_enemies(made, unit, parts, limit)])


def _against_enemies(made: OpenTable, unit: Any, parts: tuple[Any, ...], limit: float) -> Iterable[Spot]:
    sample, table = made.own_block(unit), made.table().without(unit.id)
    for other in table.blocks:
        if other.side == unit.side.id or min(gap(p, other.shape) for p in parts) > limit:
            continue
        for edge in ("front", "left", "right", "rear"):
            for pose in free_places(sample, other, edge, table)[:1]:
                block = sample.at(pose)
                if min(gap(p, block.shape) for p in parts) <= limit and fits(made, unit, block):
                    yield _spot_of(unit, block, f"against {made.unit(other.id)}")


def _places_over(battle: Any, unit: Any, zone: str, apart: Any) -> list[Spot]:
    """Where a unit fits with its middle on the points of a zone that are so far apart, facing across the table."""
    made, sample = field_of(battle), field_of(battle).block(unit)
    points = _points_in(battle, zone, apart)
    blocks = (sample.centred((p.x, p.y), 0.0 if p.y < made.depth / 2.0 else 180.0) for p in points)
    return [_spot_of(unit, block, "at") for block in blocks if fits(made, unit, block)]


def _places_in(battle: Any, unit: Any, land: Any) -> list[Spot]:
    """Where a unit fits in or at a piece of terrain, its middle first."""
    made = field_of(battle)
    if land.id not in made.placed:
        return []
    sample, shape = made.block(unit), made.piece(land.id)
    points = [shape.centre, *(p for part in shape.parts for p in part.points)]
    found = []
    for x, y in points:
        for facing in (0.0, 180.0):
            block = sample.centred((x, y), facing)
            if shape.covers_any_of(block.shape) and fits(made, unit, block):
                found.append(_spot_of(unit, block, f"in {land}"))
    return _distinct([*found, *_against_enemies(made, unit, shape.parts, 0.0)])


def _withdraw(battle: Any, unit: Any) -> None:
    """Take a unit from the table; it keeps everything but its place, until it is deployed again."""
    set_placed(unit, False)
    bring_guests(field_of(battle), unit)


def _step_out(battle: Any, unit: Any, land: Any) -> bool:
    """Move a unit, straight away from the middle of a piece, to where it stands beside it; no when there is no room."""
    made = field_of(battle)
    block, shape = made.block(unit), made.piece(land.id)
    (x, y), (cx, cy) = block.centre, shape.centre
    away = math.degrees(math.atan2(x - cx, y - cy)) if (x, y) != (cx, cy) else block.facing + 180.0
    for turn in (0.0, 45.0, -45.0, 90.0, -90.0, 135.0, -135.0, 180.0):
        sine, cosine = ahead(away + turn)
        for step in range(1, 60):
            moved = block.centred((x + sine * step * 0.25, y + cosine * step * 0.25), block.facing)
            if not shape.covers_any_of(moved.shape) and fits(made, unit, moved):
                stand(made, unit, moved.pose.x, moved.pose.y, moved.pose.facing)
                return True
    return False


def _settle(battle: Any, unit: Any, clear: Any = 0) -> bool:
    """Put a unit that stands on others, or where it cannot, on the nearest free place; no when there is none.

    `clear`: the distance that it keeps from enemies there, in the table's unit.
    """
    return settle(field_of(battle), unit, float(clear))


FUNCTIONS: tuple[Function, ...] = (
    _f("point_at", "x: distance, y: distance", "spot", _point, "a point of the table"),
    _f("middle_of", "thing: any", "spot", _middle, "the point in the middle of a unit or a piece of terrain"),
    _f(
        "nearest_on_line", "start: any, end: any, thing: any", "spot", _nearest_on_line,
        "the point of the straight line from one place to another that is nearest to a third; places are spots, units "
        "(the middle of their front) and pieces of terrain (their centre)", asks=TABLE,
    ),
    _f(
        "in_zone", "place: any, zone: text", "yes_no", _in_zone,
        "whether a point or the middle of something is in a zone",
    ),
    _f(
        "reaches_zone", "place: any, zone: text", "yes_no", _reaches_zone,
        "whether any part of a unit, or of who would stand at a place, is in a zone",
    ),
    _f(
        "points_in", "zone: text, apart: distance", "list of spot", _points_in,
        "points of a zone in rows, so far apart",
    ),
    _f(
        "in_view", "unit: unit, thing: any", "yes_no", _in_view,
        "whether a unit sees a unit, a point or a piece of terrain",
    ),
    _f(
        "ahead_of", "unit: unit, thing: any", "yes_no", _ahead_of,
        "whether any part of something lies before the line of a unit's front",
    ),
    _f("points_seen", "unit: unit, reach: distance", "list of spot", _points_seen, "points within reach and in sight"),
    _f(
        "misses_the_fight", "viewer: unit, unit: unit, spot: spot, reach: distance", "yes_no", _misses_the_fight,
        "whether a point is on a unit in contact but on no model of it that fights, though one is in reach and sight",
    ),
    _f("clear_between", "a: spot, b: spot", "yes_no", _clear_between, "whether two points see each other"),
    _f(
        "bases_on", "unit: unit, piece: terrain", "number", _bases_on,
        "how many bases of a unit stand in a piece of terrain",
    ),
    _f(
        "bases_crossing", "unit: unit, piece: terrain", "number", _bases_crossing,
        "how many bases of a unit stand in a piece of terrain or come to it on the way that it is going",
    ),
    _f(
        "bases_near", "unit: unit, other: any, reach: distance", "number", _bases_near,
        "how many bases of a unit are within reach of something",
    ),
    _f(
        "places_near", "unit: unit, anchor: any, reach: distance", "list of spot", _places_near,
        "places for a unit within reach of something",
    ),
    _f(
        "places_over", "unit: unit, zone: text, apart: distance", "list of spot", _places_over,
        "places for a unit all over a zone, their middles so far apart",
    ),
    _f(
        "places_in", "unit: unit, piece: terrain", "list of spot", _places_in,
        "places for a unit in a piece of terrain",
    ),
    _f(
        "lay_circle", "type: any, at: spot, across: distance, height?: number", "terrain", _lay_circle,
        "make a round piece of terrain about a point", "writes",
    ),
    _f(
        "lay_strip", "type: any, at: spot, width: distance, depth: distance, angle?: number, height?: number",
        "terrain", _lay_strip, "make a rectangular piece of terrain about a point", "writes",
    ),
    _f(
        "lay_instead", "piece: terrain, type: any, height?: number", "terrain", _lay_instead,
        "a piece of another type and of the same shape in the place of a piece", "writes",
    ),
    _f("shift", "piece: terrain, angle: number, by: distance", "any", _shift, "move a piece in a direction", "writes"),
    _f(
        "shift_towards", "piece: terrain, goal: any, by: distance", "any", _shift_towards,
        "move a piece towards something", "writes",
    ),
    _f("withdraw", "unit: unit", "any", _withdraw, "take a unit's place away until it is deployed again", "moves"),
    _f(
        "settle", "unit: unit, clear?: distance", "yes_no", _settle,
        "put a unit that stands on others on the nearest free place", "moves",
    ),
    _f("step_out", "unit: unit, piece: terrain", "yes_no", _step_out, "move a unit out of a piece of terrain", "moves"),
)  # fmt: skip
