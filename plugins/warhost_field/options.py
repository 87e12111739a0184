"""Candidate moves of a block: the short list that a computer player or a menu chooses from.

Every option is legal by `validate`. Wishes (a place to go, a turn to make) are executed as far as the
allowance and the table let them, so two wishes may come to the same end; the first keeps its label.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace

from warhost_field.arcs import before
from warhost_field.blocks import Block
from warhost_field.contact import side_of
from warhost_field.convex import gap, nearest_of
from warhost_field.legality import MoveRules, bill, first_stop, forbidden, is_legal, nearest_allowed, payable
from warhost_field.measure import Point, ahead, length, quantise, quantise_down
from warhost_field.moves import (
    Advance,
    Face,
    Fly,
    Go,
    Leg,
    MoveSweep,
    Pivot,
    Sidestep,
    Snake,
    Turn,
    Wheel,
    affordable,
    shortened,
    sweep,
)
from warhost_field.orders import Manoeuvre, legs_to, towards
from warhost_field.records import record
from warhost_field.table import Tabletop


@record
class Goal:
    """A place worth going to, with its name for the label."""

    name: str
    place: Point


@record
class OptionRules:
    """What options are made of.

    `manoeuvre`: how ranked blocks turn. `enemies`, `terrain`: how many of the nearest are gone towards.
    `cover`: terrain types worth going to. `keep_off`: distance from enemies, table units, that a move without
    a charge keeps. `arc`: width of front arcs in degrees, for the features. `most`: longest list.
    """

    move: MoveRules = field(default_factory=MoveRules)
    manoeuvre: Manoeuvre = "wheel"
    enemies: int = 3
    terrain: int = 2
    cover: tuple[str, ...] = ()
    keep_off: float = 0.5
    arc: float = 90.0
    most: int = 24


@record
class Features:
    """What an end position is like.

    `enemy` is the nearest, `enemy_distance` edge to edge (table units; the table's width + depth without
    enemies), `enemy_side` the side of that enemy on which the block stands. `faces`: enemies in the block's
    front arc; `faced_by`: enemies in whose front arc it is. `cover`: share 0..1 of the block in cover;
    `level`: of the ground; `goals`: distance from the front centre to each goal; `passed`: friends gone
    through.
    """

    enemy: str
    enemy_distance: float
    enemy_side: str
    faces: tuple[str, ...]
    faced_by: tuple[str, ...]
    cover: float
    level: float
    goals: tuple[float, ...]
    passed: tuple[str, ...]


@record
class MoveOption:
    """A legal move: label, legs, cost in table units, the block where it ends, and what that is like."""

    label: str
    legs: tuple[Leg, ...]
    cost: float
    final: Block
    features: Features


def advance_options(
    block: Block, allowance: float, table: Tabletop, rules: OptionRules | None = None, goals: Iterable[Goal] = ()
) -> list[MoveOption]:
    """Distinct legal moves of a block with `allowance` table units, "hold" first, at most `rules.most`."""
    rules, goals = rules or OptionRules(), tuple(goals)
    return [
        MoveOption(label, whole.legs, whole.cost, whole.final, describe(whole, table, rules, goals))
        for label, whole in advance_sweeps(block, allowance, table, rules, goals)
    ]


def advance_sweeps(
    block: Block, allowance: float, table: Tabletop, rules: OptionRules, goals: Iterable[Goal] = ()
) -> list[tuple[str, MoveSweep]]:
    """The same moves executed, by label, without a look at where they lead."""
    found: dict[tuple[float, float, float, int], tuple[str, MoveSweep]] = {}
    nearby = _within_reach(block, allowance, table, rules.move.quickest)
    for label, legs in _wishes(block, allowance, table, rules, tuple(goals)):
        whole = fitted(block, legs, allowance, nearby, rules)
        if whole is None:
            continue
        pose = whole.final.pose
        key = (round(pose.x, 1), round(pose.y, 1), round(pose.facing), whole.final.formation.files)
        found.setdefault(key, (label, whole))
        if len(found) >= rules.most:
            break
    return list(found.values())


def _within_reach(block: Block, allowance: float, table: Tabletop, quickest: float = 1.0) -> Tabletop:
    """The table with only what a wish can meet: it goes the allowance and swings a few times."""
    reach = allowance * quickest + 8.0 * block.shape.radius
    x, y = block.centre
    pieces = tuple(p for p in table.pieces if length(p.x - x, p.y - y) <= reach + p.radius)
    blocks = tuple(b for b in table.blocks if length(b.shape.x - x, b.shape.y - y) <= reach + b.shape.radius)
    return replace(table, pieces=pieces, blocks=blocks)


def fitted(
    block: Block, legs: tuple[Leg, ...], allowance: float, table: Tabletop, rules: OptionRules
) -> MoveSweep | None:
    """As much of a move as is legal; None if nothing of it is."""
    costs, move = rules.move.costs, rules.move
    if forbidden(legs, move):
        return None
    whole = sweep(block, legs, costs, allowance)
    if not legs:
        return whole
    plain = MoveRules(
        costs, pace=move.pace, pace_counts=move.pace_counts, flying=move.flying, tolls=move.tolls, slopes=move.slopes
    )
    for limits in (move, plain):
        stop = min(affordable(whole, allowance * move.quickest), first_stop(whole, table, limits, rules.keep_off))
        whole = _shortened(whole, stop, allowance, rules)
        whole = _paid(whole, allowance, table, rules)
        if not whole.legs:
            return None
        if is_legal(whole, allowance, table, move):
            return whole
    return None


def _shortened(whole: MoveSweep, position: float, allowance: float, rules: OptionRules) -> MoveSweep:
    if position >= len(whole.steps):
        return whole
    return shortened(whole, position, rules.move.costs, allowance)


def _paid(whole: MoveSweep, allowance: float, table: Tabletop, rules: OptionRules) -> MoveSweep:
    """Shortened if the terrain on the way makes it too dear: into it, or up to it if that is farther."""
    account = bill(whole, allowance, table, rules.move)
    if account.needs <= account.has:
        return whole
    rim = min(_first_slow(whole, table, rules), affordable(whole, quantise_down(allowance)))
    positions = [rim, payable(whole, allowance, table, rules.move)]
    for position in sorted(positions, reverse=True):
        shorter = _shortened(whole, position, allowance, rules)
        again = bill(shorter, allowance, table, rules.move)
        if again.needs <= again.has:
            return shorter
    return _shortened(whole, 0.0, allowance, rules)


def _first_slow(whole: MoveSweep, table: Tabletop, rules: OptionRules) -> float:
    """The position at which a move first comes to terrain that slows it and in which it did not begin."""
    slow = [piece for piece in table.pieces if rules.move.slows(piece) or piece.type in rules.move.tolls]
    spans = [whole.meetings(piece.parts, 0.0) for piece in slow]
    return min([span[0][0] for span in spans if span and span[0][0] > 1e-9], default=float(len(whole.steps)))


Wish = tuple[str, tuple[Leg, ...]]


def _wishes(
    block: Block, allowance: float, table: Tabletop, rules: OptionRules, goals: tuple[Goal, ...]
) -> Iterator[Wish]:
    """Everything the block might want, most useful first."""
    yield "hold", ()
    enemies = table.nearest(block, "enemies", rules.enemies)
    if rules.move.flying:
        yield from _flights(block, allowance, table, rules, goals)
        return
    yield "advance", (Advance(quantise(allowance * rules.move.quickest)),)
    yield "advance half", (Advance(quantise(allowance / 2.0)),)
    yield from _approaches(block, enemies, rules)
    yield from _named(block, goals, rules)
    yield from _named(block, _places_of_cover(block, table, rules), rules)
    if enemies:
        yield from _flanking(block, enemies[0], rules)
    yield from _withdrawals(block, allowance)
    yield from _manoeuvres(block, allowance, rules)
    if block.formation.is_a_body and 0.0 < rules.move.slant < 180.0:
        yield from _slants(block, allowance, rules.move.slant)
    if rules.move.legs is not None and "snake" in rules.move.legs:
        yield from _bends(block, allowance)


def _approaches(block: Block, enemies: tuple[Block, ...], rules: OptionRules) -> Iterator[Wish]:
    for enemy in enemies:
        legs = towards(block, enemy.centre, rules.manoeuvre)
        if legs:
            yield f"towards {enemy.id}", legs
            yield f"face {enemy.id}", tuple(leg for leg in legs if isinstance(leg, Wheel | Turn | Pivot))


def _named(block: Block, goals: Iterable[Goal], rules: OptionRules) -> Iterator[Wish]:
    for goal in goals:
        legs = towards(block, goal.place, rules.manoeuvre) or towards(block, goal.place, "turn")
        if legs:
            yield f"to {goal.name}", legs


def _places_of_cover(block: Block, table: Tabletop, rules: OptionRules) -> list[Goal]:
    pieces = [p for p in table.pieces if p.type in rules.cover and rules.move.pace_in(p) > 0.0]
    pieces.sort(key=lambda p: round(length(p.x - block.pose.x, p.y - block.pose.y), 4))
    return [Goal(piece.id, piece.centre) for piece in pieces[: rules.terrain]]


def _flanking(block: Block, enemy: Block, rules: OptionRules) -> Iterator[Wish]:
    """To a place beside the enemy, clear of its outline by the depth of the block."""
    away = enemy.width / 2.0 + block.depth + block.width / 2.0
    fx, fy = ahead(enemy.facing)
    x, y = enemy.centre
    for name, sign in (("left", -1.0), ("right", 1.0)):
        place = (x + sign * away * fy, y - sign * away * fx)
        legs = towards(block, place, rules.manoeuvre) or towards(block, place, "turn")
        if legs:
            yield f"round the {name} of {enemy.id}", legs


def _withdrawals(block: Block, allowance: float) -> Iterator[Wish]:
    yield "fall back", (Advance(-quantise(allowance)),)
    yield "turn about and go", (Face(180.0), Advance(quantise(allowance)))
    yield "turn about", (Face(180.0),)


def _manoeuvres(block: Block, allowance: float, rules: OptionRules) -> Iterator[Wish]:
    step = quantise(allowance)
    if rules.manoeuvre == "turn":
        yield "turn left", (Turn(-45.0), Advance(step))
        yield "turn right", (Turn(45.0), Advance(step))
    elif rules.manoeuvre == "pivot" and block.formation.is_a_body:
        yield "pivot left", (Pivot(-45.0), Advance(step))
        yield "pivot right", (Pivot(45.0), Advance(step))
    else:
        yield "wheel left", (Wheel(45.0, "left"), Advance(step))
        yield "wheel right", (Wheel(45.0, "right"), Advance(step))
    yield "sidestep left", (Sidestep(-step),)
    yield "sidestep right", (Sidestep(step),)
    yield "face left", (Face(-90.0),)
    yield "face right", (Face(90.0),)


def _slants(block: Block, allowance: float, slant: float) -> Iterator[Wish]:
    """Straight ahead aslant, facing as before."""
    for name, turn in (("left", -slant), ("right", slant)):
        fx, fy = ahead(block.facing + turn)
        x, y = block.pose.x + fx * allowance, block.pose.y + fy * allowance
        yield f"slant {name}", (Go(quantise(x), quantise(y)),)


def _bends(block: Block, allowance: float) -> Iterator[Wish]:
    """Half of the way ahead and the other half to the side, in single file round the corner."""
    half = allowance / 2.0
    fx, fy = block.ahead
    x, y = block.pose.x + fx * half, block.pose.y + fy * half
    for name, sign in (("left", -1.0), ("right", 1.0)):
        end = (quantise(x + sign * fy * half), quantise(y - sign * fx * half))
        yield f"snake {name}", (Snake(((quantise(x), quantise(y)), end)),)


def _flights(
    block: Block, allowance: float, table: Tabletop, rules: OptionRules, goals: tuple[Goal, ...]
) -> Iterator[Wish]:
    """Landing places: towards enemies, goals and cover, and behind the nearest enemies."""
    enemies = table.nearest(block, "enemies", rules.enemies)
    places = [Goal(f"towards {enemy.id}", enemy.centre) for enemy in enemies]
    places += [
        Goal(f"to {goal.name}", goal.place) for goal in (*goals, *_places_of_cover(block, table, rules))
    ]
    for enemy in enemies:
        fx, fy = ahead(enemy.facing)
        back = enemy.depth + block.depth + rules.keep_off + 1.0
        behind = (enemy.pose.x - fx * back, enemy.pose.y - fy * back)
        if length(behind[0] - block.pose.x, behind[1] - block.pose.y) <= allowance:
            yield f"behind {enemy.id}", (Fly(quantise(behind[0]), quantise(behind[1]), enemy.facing),)
    for goal in places:
        for name, share in (("", 1.0), (", half way", 0.5)):
            legs = _flight_towards(block, goal.place, allowance * share, table, rules)
            if legs:
                yield f"{goal.name}{name}", legs
    fx, fy = ahead(block.facing)
    back_to = (block.pose.x - fx * allowance, block.pose.y - fy * allowance)
    yield "fall back", _flight_towards(block, back_to, allowance, table, rules)


def _flight_towards(
    block: Block, place: Point, distance: float, table: Tabletop, rules: OptionRules
) -> tuple[Leg, ...]:
    """Fly towards a place, at most `distance`, to the last place on the line where the block may come down."""
    dx, dy = place[0] - block.pose.x, place[1] - block.pose.y
    far = length(dx, dy)

    def at(share: float) -> tuple[Leg, ...]:
        flown = min(distance, far) * share - 1e-4
        if flown < 0.1:
            return ()
        end = (quantise(block.pose.x + dx / far * flown), quantise(block.pose.y + dy / far * flown))
        legs = legs_to(block, end, None, flying=True)
        final = sweep(block, legs, MoveRules().costs, distance).final
        return legs if _may_land(block, final, table, rules) else ()

    for tenth in range(10, 2, -1):
        legs = at(tenth / 10.0)
        if legs:
            return legs if tenth == 10 else _farthest(at, tenth / 10.0, legs)
    return ()


def _farthest(at: Callable[[float], tuple[Leg, ...]], share: float, legs: tuple[Leg, ...]) -> tuple[Leg, ...]:
    """Up to a tenth farther than a good share of a way, as long as it stays good."""
    low, high = share, share + 0.1
    for _ in range(6):
        middle = (low + high) / 2.0
        found = at(middle)
        if found:
            low, legs = middle, found
        else:
            high = middle
    return legs


def _may_land(block: Block, final: Block, table: Tabletop, rules: OptionRules) -> bool:
    """Whether a flyer may end its move there: on nobody, on the table, not where nobody stands, no contact."""
    if table.overlaps(final) or not table.is_inside(final):
        return False
    for piece in table.pieces:
        barred = rules.move.pace_in(piece) <= 0.0 and not piece.covers_any_of(block.shape)
        if barred and piece.covers_any_of(final.shape):
            return False
    return all(
        gap(final.shape, other.shape) >= nearest_allowed(block, other, rules.keep_off)
        for other in table.others(block, "enemies")
    )


def describe(whole: MoveSweep, table: Tabletop, rules: OptionRules, goals: tuple[Goal, ...] = ()) -> Features:
    """Features of the end of a move."""
    block = whole.final
    enemies = table.others(block, "enemies")
    apart, index = nearest_of(block.shape, [enemy.shape for enemy in enemies]) if enemies else (0.0, 0)
    nearest = enemies[index] if enemies else None
    cover = sum(piece.share_of(block.shape) for piece in table.pieces if piece.type in rules.cover)
    faced = before(block, [enemy.centre for enemy in enemies], rules.arc)
    through = rules.move.through_friends or rules.move.flying
    return Features(
        nearest.id if nearest else "",
        apart if enemies else table.width + table.depth,
        side_of(block, nearest, measured="front") if nearest else "",
        tuple(enemy.id for enemy, seen in zip(enemies, faced, strict=True) if seen),
        tuple(enemy.id for enemy in enemies if before(enemy, (block.centre,), rules.arc)[0]),
        round(min(1.0, cover), 4),
        table.level_of(block),
        tuple(quantise(length(g.place[0] - block.pose.x, g.place[1] - block.pose.y)) for g in goals),
        tuple(friend.id for friend in table.passes_through(whole)) if through else (),
    )
