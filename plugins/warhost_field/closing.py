"""Losses and contact: a unit that has fewer models closes up within the ground that it covered.

Losses never part units that fight. Of the places within the old outline a unit takes the one where it keeps contact
with most of its enemies, then with most models of both sides. An enemy that it cannot keep so steps up to it where
there is room; else the two hold on to each other though their outlines are apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from warhost.things import is_gone
from warhost.vocabulary import Function
from warhost.vocabulary import function as _f
from warhost_field.binding import OpenTable, field_of, take_place
from warhost_field.blocks import Block, Pose
from warhost_field.contact import bases_in_contact
from warhost_field.functions import Spot, hold_on, may_stand
from warhost_field.measure import TOUCH, quantise
from warhost_field.moves import MoveCosts, Sidestep, sweep
from warhost_field.travel import close, fits, stands, touching

#: What rounding may add to the way of whoever steps up, in table units.
NOISE = 0.002


def _ground_covered(battle: Any, unit: Any) -> Spot:
    """Where and how a unit stands now."""
    block = field_of(battle).block(unit)
    pose = block.pose
    return Spot("where it stands", pose.x, pose.y, pose.facing, block, unit)


def _close_ranks(battle: Any, unit: Any, ground: Spot, first_lost: list[Any]) -> None:
    """Draw a unit that has lost models up within the ground that it covered, so that it loses no contact."""
    made = field_of(battle)
    old = ground.final
    if old is None or not stands(unit):
        return
    foes = _enemies_met(made, unit, old)
    new = made.block(unit)
    if not foes or not _shrunk(old, new):
        return
    blocks = [made.block(foe) for foe in foes]
    best = _best_place(old, new, blocks, [foe in first_lost for foe in foes])
    take_place(made, unit, best.pose)
    farthest = max(old.width - new.width, old.depth - new.depth) + NOISE
    for foe in foes:
        if not close(made.block(unit), made.block(foe)) and not _steps_up(made, foe, unit, farthest):
            hold_on(battle, unit, foe)


def _ground_left(battle: Any, unit: Any, ground: Spot) -> list[Any]:
    """Where a unit that has lost models may stand within the ground that it covered, first as it closes up."""
    made = field_of(battle)
    old = ground.final
    if old is None or not stands(unit):
        return []
    new = made.block(unit)
    wide, deep = (old.width - new.width) / 2.0, old.depth - new.depth
    if not _shrunk(old, new):
        return []
    fx, fy = new.ahead
    places = [("from the rear", 0.0, 0.0)]
    if deep > TOUCH:
        places.append(("from the front", 0.0, deep))
    if wide > TOUCH:
        places += [("from the right", -wide, 0.0), ("from the left", wide, 0.0)]
    if deep > TOUCH and wide > TOUCH:
        places += [("from the front and the right", -wide, deep), ("from the front and the left", wide, deep)]
    facing = float(unit.facing)
    there = ((label, old.pose.x + a * fy - b * fx, old.pose.y - a * fx - b * fy) for label, a, b in places)
    return [Spot(label, x, y, facing, new.at(Pose(x, y, facing)), unit) for label, x, y in there]


def _close_at(battle: Any, unit: Any, place: Spot) -> None:
    """A unit closes up at a place within the ground that it covered; that is no move."""
    take_place(field_of(battle), unit, Pose(place.x, place.y, float(place.facing)))


def _slides(battle: Any, unit: Any) -> list[Any]:
    """Where a unit in contact may slide to along its front so that more of its models touch enemies, the fullest first,
    then the nearest; it loses no contact and slides through nobody.
    """
    made = field_of(battle)
    if not stands(unit):
        return []
    here = made.block(unit)
    foes = [made.block(foe) for foe in _enemies_met(made, unit, here)]
    now, fx, fy = _meeting(here, foes), here.ahead[0], here.ahead[1]
    found: list[tuple[int, float, Block]] = []
    for by in _slides_in_line(here, foes):
        there = here.at(Pose(here.pose.x + by * fy, here.pose.y - by * fx, here.facing))
        full = _meeting(there, foes)
        if full <= now or not all(close(there, foe) for foe in foes) or not fits(made, unit, there):
            continue
        way = sweep(here, (Sidestep(by),), MoveCosts(), abs(by))
        if not made.table().without(unit.id).passes_through(way, "all"):
            found.append((-full, abs(by), there))
    places = [block for _, _, block in sorted(found, key=lambda one: one[:2])]
    return [Spot(f"slid {_how_far(here, b)}", b.pose.x, b.pose.y, b.pose.facing, b, unit) for b in places]


def _slides_in_line(here: Block, foes: Sequence[Block]) -> list[float]:
    """How far to the right (negative: left) a block slides to be in line with an edge or the middle of foes."""
    half, ways = here.width / 2.0, set()
    for foe in foes:
        across = [here.local(corner)[0] for corner in foe.corners]
        low, high = min(across), max(across)
        ways |= {quantise(low + half), quantise((low + high) / 2.0), quantise(high - half)}
    return sorted(by for by in ways if abs(by) > TOUCH)


def _meeting(block: Block, foes: Sequence[Block]) -> int:
    """How many bases of a block touch a base of any of some others."""
    return len(set().union(*(bases_in_contact(block, foe) for foe in foes)))


def _how_far(here: Block, there: Block) -> str:
    by = here.local(there.front_centre)[0]
    return f"{abs(by):.1f} to the {'right' if by > 0.0 else 'left'}"


def _enemies_met(made: OpenTable, unit: Any, old: Block) -> list[Any]:
    """The enemies with whom a unit is in contact where it stood, in order of creation."""
    others = [u for u in made.on_table() if u.side is not unit.side and not is_gone(u)]
    return [u for u in others if u in unit.holds_on or close(old, made.block(u))]


def _shrunk(old: Block, new: Block) -> bool:
    """Whether a block covers less ground than before, and nowhere more."""
    wider, deeper = new.width - old.width, new.depth - old.depth
    return wider < TOUCH and deeper < TOUCH and min(wider, deeper) < -TOUCH


def _best_place(old: Block, new: Block, foes: Sequence[Block], yields: Sequence[bool]) -> Block:
    """The place within the old outline that keeps most contact; among equals the front and the middle stay.

    yields: of each foe whether contact with it is given up first.
    """

    def worth(place: tuple[float, float, Block]) -> tuple[float, ...]:
        aside, back, block = place
        met = [_models(block, foe) for foe in foes]
        kept = sum(1 for count in met if count)
        dear = sum(count for count, first in zip(met, yields, strict=True) if not first)
        return kept, sum(met), dear, -round(back, 4), -round(abs(aside), 4), aside

    return max(_places(old, new), key=worth)[2]


def _models(block: Block, foe: Block) -> int:
    """How many models of both sides touch."""
    if not close(block, foe):
        return 0
    return 1 + len(bases_in_contact(block, foe)) + len(bases_in_contact(foe, block))


def _places(old: Block, new: Block) -> Iterator[tuple[float, float, Block]]:
    """Where a smaller block stands within the ground of a larger one: how far aside, how far back, and the block."""
    form, (fx, fy) = new.formation, new.ahead
    across, along = form.base_width + form.spacing, form.base_depth + form.spacing
    for aside in (0.0, *_steps(-(old.width - new.width) / 2.0, (old.width - new.width) / 2.0, across)):
        for back in _steps(0.0, old.depth - new.depth, along):
            x, y = old.pose.x + aside * fy - back * fx, old.pose.y - aside * fx - back * fy
            yield aside, back, new.at(Pose(x, y, old.pose.facing))


def _steps(low: float, high: float, step: float) -> list[float]:
    """From low to high in steps, both ends included."""
    count = int((high - low) / step + 1e-6)
    found = [low + i * step for i in range(count + 1)]
    return found if high - found[-1] < TOUCH else [*found, high]


def _steps_up(made: OpenTable, foe: Any, unit: Any, farthest: float) -> bool:
    """Bring an enemy straight up to a unit that has drawn away from it; no where it has no room or others hold it."""
    there, mover = made.block(unit), made.block(foe)
    if foe.holds_on or not made.number("steps_up", foe):
        return False
    others = [made.block(u) for u in touching(made, foe) if u.side is not foe.side]
    for (nx, ny), offset in zip(there.shape.normals, there.shape.offsets, strict=True):
        way = min(nx * x + ny * y for x, y in mover.corners) - offset
        if not 0.0 < way <= farthest:
            continue
        moved = mover.at(Pose(mover.pose.x - nx * way, mover.pose.y - ny * way, mover.facing))
        if close(moved, there) and all(close(moved, other) for other in others) and may_stand(made, foe, moved):
            take_place(made, foe, moved.pose)
            return True
    return False


# -- the law ---------------------------------------------------------------------------------------


def melees_kept(battle: Any) -> list[str]:
    """Losses alone never end a melee, and never empty one.

    Enemies who were in contact when this was last asked, and of whom neither has moved, been moved or been drawn up
    otherwise since, are in contact still; and of enemies in contact each has a model that meets the other.
    """
    made = field_of(battle)
    found: list[str] = []
    for (one, two), before in made.melees.items():
        a, b = made.unit(one), made.unit(two)
        if stands(a) and stands(b) and before == _manner(made, a) + _manner(made, b) and b not in touching(made, a):
            found.append(f"losses have parted {one} and {two}")
    made.melees.clear()
    for a in made.on_table():
        for b in touching(made, a) if not is_gone(a) else ():
            if a.side is b.side or is_gone(b) or a.stands_in is not None or b.stands_in is not None:
                continue
            if a.id < b.id:
                made.melees[a.id, b.id] = _manner(made, a) + _manner(made, b)
            if made.number("models_meeting", a, b) < 1:
                found.append(f"{a.id} and {b.id} are in contact, and no model of {a.id} meets anybody")
    return found


def _manner(made: OpenTable, unit: Any) -> tuple[Any, ...]:
    """All by which a unit may get out of contact, except by losses."""
    form = made.formation(unit)
    block = made.block(unit)
    drawn_up = (unit.files, form.base_width, form.base_depth, form.points)
    return (made.moved.get(unit.id, 0), unit.side.id, block.airborne, *drawn_up)


FUNCTIONS: tuple[Function, ...] = (
    _f("ground_covered", "unit: unit", "spot", _ground_covered, "where and how a unit stands now"),
    _f(
        "close_ranks", "unit: unit, ground: spot, first_lost: list of unit", "any", _close_ranks,
        "after losses: a unit closes up within the ground that it covered, so that it keeps contact with its enemies "
        "(less with those named than with others); who cannot be kept so steps up, or holds on",
        "moves",
    ),
    _f(
        "ground_left", "unit: unit, ground: spot", "list of spot", _ground_left,
        "after losses: the places within the ground that it covered where a unit may close up",
    ),
    _f(
        "slides", "unit: unit", "list of spot", _slides,
        "the places along its front to which a unit in contact may slide (`close_at`) so that more of its models touch "
        "enemies, the fullest first",
    ),
    _f("close_at", "unit: unit, place: spot", "any", _close_at, "a unit closes up at one of those places", "moves"),
)  # fmt: skip
