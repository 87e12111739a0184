"""Units put opposite each other, or closer, without a move; and the table as it was at some moment."""

from __future__ import annotations

from typing import Any

from warhost.errors import RuleFault
from warhost.things import is_placed, set_placed
from warhost.vocabulary import Function, Kept, Parameter
from warhost_field.binding import OpenTable, field_of, stand
from warhost_field.blocks import Block, Pose, Side
from warhost_field.measure import ahead

#: The edge of the other that a unit is set against; a flank is the right one.
_EDGES: dict[str, Side] = {"front": "front", "flank": "right", "rear": "rear"}


def _opposite(block: Block, other: Block, edge: Side, apart: float) -> Block:
    """The block with its front parallel to an edge of the other, so far away, middle before middle."""
    outward = other.outward(edge)
    (ax, ay), (bx, by) = other.edge(edge)
    dx, dy = ahead(outward)
    return block.at(Pose((ax + bx) / 2.0 + dx * apart, (ay + by) / 2.0 + dy * apart, outward + 180.0))


def _room_against(battle: Any, unit: Any, other: Any, side: str) -> bool:
    """Whether a unit put against that side of another would stand on the table; who stands there is not asked."""
    made = field_of(battle)
    return made.table().is_inside(_opposite(made.block(unit), made.block(other), _EDGES[side], 0.0))


def _put(battle: Any, unit: Any, other: Any, edge: Side, apart: float) -> None:
    made = field_of(battle)
    if not is_placed(other):
        raise RuleFault(f"{other} has no place yet, so nobody can be put opposite it")
    block = _opposite(made.block(unit), made.block(other), edge, apart)
    if not made.table().is_inside(block):
        raise RuleFault(f"the table has no room for {unit} opposite {other}")
    set_placed(unit, True)
    made.changed()
    stand(made, unit, block.pose.x, block.pose.y, block.pose.facing)


def _stand_against(battle: Any, unit: Any, other: Any, side: str) -> None:
    """Put a unit in contact with another: its front along that side of the other, middle to middle."""
    _put(battle, unit, other, _EDGES[side], 0.0)


def _stand_off(battle: Any, unit: Any, other: Any, distance: Any) -> None:
    """Put a unit before another's front, face to face, so far apart."""
    if float(distance) < 0.0:
        raise RuleFault(f"nobody stands {distance} apart")
    _put(battle, unit, other, "front", float(distance))


def _draw_back(battle: Any, unit: Any, by: Any) -> None:
    """Move a unit straight back as it stands: a block that closes up on those behind it."""
    made = field_of(battle)
    block = made.block(unit)
    dx, dy = ahead(block.pose.facing)
    away = float(by)
    moved = block.at(Pose(block.pose.x - dx * away, block.pose.y - dy * away, block.pose.facing))
    if made.table().is_inside(moved):
        made.changed()
        stand(made, unit, moved.pose.x, moved.pose.y, moved.pose.facing)


def kept(made: OpenTable) -> Kept:
    """Where terrain lies now, and who is on the way. Units stand where their fields say; the rest are answers that come
    again when asked.
    """
    under_way = dict(made.under_way)
    placed, shapes, entities, moved = list(made.placed), dict(made.shapes), dict(made.entities), dict(made.moved)

    def put_back() -> None:
        for name in [n for n, shape in made.shapes.items() if shapes.get(n) is not shape]:
            made.forget_piece(name)
        made.placed[:] = placed
        made.moved = dict(moved)
        made.under_way = dict(under_way)
        for table, before in ((made.shapes, shapes), (made.entities, entities)):
            if table != before:
                table.clear()
            table.update(before)

    return Kept(put_back, (tuple(placed), tuple((name, repr(shapes[name])) for name in placed)))


def _f(name: str, types: tuple[str, ...], names: tuple[str, ...], call: Any, doc: str) -> Function:
    parameters = tuple(Parameter(n, t) for n, t in zip(names, types, strict=True))
    return Function(name, parameters, "any", call, doc, frozenset({"moves"}))


FUNCTIONS: tuple[Function, ...] = (
    Function(
        "room_against", (Parameter("unit", "unit"), Parameter("other", "unit"), Parameter("side", "unit_side")),
        "yes_no", _room_against, "whether a unit put against that side of another would stand on the table",
    ),
    _f(
        "stand_against", ("unit", "unit", "unit_side"), ("unit", "other", "side"), _stand_against,
        "put a unit in contact with another: its front along that side of the other, middle to middle",
    ),
    _f(
        "stand_off", ("unit", "unit", "distance"), ("unit", "other", "distance"), _stand_off,
        "put a unit before another's front, face to face, so far apart",
    ),
    _f(
        "draw_back", ("unit", "distance"), ("unit", "by"), _draw_back,
        "move a unit straight back, its face forward: a block closes up on those behind it",
    ),
)  # fmt: skip
