"""Movement orders as players give them: JSON in, legs out, and the legs that bring a block to a place.

{"legs": [{"wheel": 30, "side": "left"}, {"advance": 5.5}]}
{"to": [40, 22.5], "facing": 90}
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

from warhost_field.blocks import Block
from warhost_field.measure import (
    FieldError,
    Point,
    ahead,
    heading,
    length,
    quantise,
    quantise_angle,
    quantise_turn,
    turn_between,
)
from warhost_field.moves import Advance, Face, Fly, Go, Leg, Pivot, Reform, Sidestep, Snake, Turn, Wheel

MOST_LEGS = 20
FARTHEST = 10_000.0
Manoeuvre = Literal["wheel", "turn", "pivot"]


def parse_orders(data: Any, block: Block, flying: bool = False) -> tuple[Leg, ...]:
    """Legs of a free answer. Raises FieldError in plain language for anything else."""
    if not isinstance(data, Mapping):
        raise FieldError('a move is {"legs": [...]} or {"to": [x, y], "facing": degrees}')
    if "legs" in data:
        _only(data, {"legs"})
        return _legs(data["legs"])
    if "to" in data:
        _only(data, {"to", "facing"})
        x, y = _place(data["to"])
        facing = quantise_angle(_number(data["facing"], "facing")) if "facing" in data else None
        return legs_to(block, (x, y), facing, flying)
    raise FieldError('a move needs "legs" or "to"')


def _legs(items: Any) -> tuple[Leg, ...]:
    if not isinstance(items, list | tuple):
        raise FieldError('"legs" is a list')
    if len(items) > MOST_LEGS:
        raise FieldError(f"a move has at most {MOST_LEGS} legs, not {len(items)}")
    return tuple(_leg(item) for item in items)


def _leg(item: Any) -> Leg:
    if not isinstance(item, Mapping) or not item:
        raise FieldError('a leg looks like {"advance": 5}')
    name = next((key for key in _READERS if key in item), None)
    if name is None:
        known = ", ".join(_READERS)
        raise FieldError(f"unknown leg {', '.join(str(key) for key in item)}; known: {known}")
    _only(item, {name, *_EXTRAS.get(name, ())})
    return _READERS[name](item)


def _only(item: Mapping[Any, Any], allowed: set[str]) -> None:
    extra = [str(key) for key in item if key not in allowed]
    if extra:
        raise FieldError(f"do not know what {', '.join(extra)} means here")


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise FieldError(f"{name} is a number, not {value!r}")
    if isinstance(value, float) and not math.isfinite(value):
        raise FieldError(f"{name} is a number, not {value!r}")
    if not -FARTHEST <= value <= FARTHEST:
        raise FieldError(f"{name} is out of all bounds")
    return float(value)


def _place(value: Any) -> Point:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise FieldError(f"a place is [x, y], not {value!r}")
    return quantise(_number(value[0], "x")), quantise(_number(value[1], "y"))


def _wheel(item: Mapping[str, Any]) -> Leg:
    side = item.get("side")
    if side not in ("left", "right"):
        raise FieldError('a wheel needs "side": "left" or "right"')
    return Wheel(quantise_turn(_number(item["wheel"], "wheel")), "left" if side == "left" else "right")


def _reform(item: Mapping[str, Any]) -> Leg:
    files = item["reform"]
    if isinstance(files, bool) or not isinstance(files, int) or files < 1:
        raise FieldError(f"reform is a number of files from 1, not {files!r}")
    return Reform(files)


def _face(item: Mapping[str, Any]) -> Leg:
    angle = _number(item["face"], "face")
    if angle not in (-90.0, 90.0, 180.0):
        raise FieldError(f"face is -90, 90 or 180, not {angle:g}")
    return Face(angle)


def _fly(item: Mapping[str, Any]) -> Leg:
    x, y = _place(item["fly"])
    return Fly(x, y, quantise_angle(_number(item.get("facing", 0), "facing")))


def _snake(item: Mapping[str, Any]) -> Leg:
    places = item["snake"]
    if not isinstance(places, list | tuple) or not 1 <= len(places) <= MOST_LEGS:
        raise FieldError(f"snake is a list of places, 1 to {MOST_LEGS} of them, not {places!r}")
    return Snake(tuple(_place(place) for place in places))


_READERS = {
    "advance": lambda item: Advance(quantise(_number(item["advance"], "advance"))),
    "wheel": _wheel,
    "turn": lambda item: Turn(quantise_turn(_number(item["turn"], "turn"))),
    "pivot": lambda item: Pivot(quantise_turn(_number(item["pivot"], "pivot"))),
    "face": _face,
    "sidestep": lambda item: Sidestep(quantise(_number(item["sidestep"], "sidestep"))),
    "reform": _reform,
    "go": lambda item: Go(*_place(item["go"])),
    "snake": _snake,
    "fly": _fly,
}
_EXTRAS: dict[str, tuple[str, ...]] = {"wheel": ("side",), "fly": ("facing",)}


def to_json(leg: Leg) -> dict[str, Any]:
    """A leg as plain data, in the form that `parse_orders` reads (close: only written, never read)."""
    if isinstance(leg, Wheel):
        return {"wheel": leg.angle, "side": leg.side}
    if isinstance(leg, Turn):
        return {"turn": leg.angle}
    if isinstance(leg, Pivot):
        return {"pivot": leg.angle}
    if isinstance(leg, Face):
        return {"face": leg.angle}
    if isinstance(leg, Advance):
        return {"advance": leg.distance}
    if isinstance(leg, Sidestep):
        return {"sidestep": leg.distance}
    if isinstance(leg, Reform):
        return {"reform": leg.files}
    if isinstance(leg, Go):
        return {"go": [leg.x, leg.y]}
    if isinstance(leg, Snake):
        return {"snake": [list(place) for place in leg.points]}
    name = "fly" if isinstance(leg, Fly) else "close"
    return {name: [leg.x, leg.y], "facing": leg.facing}


def legs_to(block: Block, place: Point, facing: float | None = None, flying: bool = False) -> tuple[Leg, ...]:
    """Legs that bring the front centre to a place.

    Flyers fly. Single figures and loose formations go there straight and turn afterwards. Ranked blocks turn
    about their centre towards the place, advance, and turn about their centre to `facing` (default: way of
    the march).
    """
    if flying:
        return (Fly(place[0], place[1], block.facing if facing is None else facing),)
    if not block.formation.is_a_body:
        return _free_legs(block, place, facing)
    if facing is None:
        goal = aim(block.centre, (0.0, block.depth / 2.0), block.facing, place)
        return _drop_idle((Turn(goal[0]), Advance(goal[1]))) if goal else ()
    end = block.at(block.pose).centred((0.0, 0.0), facing).pose
    cx, cy = place[0] - end.x - block.centre[0], place[1] - end.y - block.centre[1]
    way = heading(cx, cy) if length(cx, cy) > 1e-4 else block.facing
    first, last = turn_between(block.facing, way), turn_between(way, facing)
    return _drop_idle(
        (Turn(quantise_turn(first)), Advance(quantise(length(cx, cy))), Turn(quantise_turn(last)))
    )


def _free_legs(block: Block, place: Point, facing: float | None) -> tuple[Leg, ...]:
    """Go in a straight line, then turn about the centre, so that the front centre ends in place."""
    dx, dy = place[0] - block.pose.x, place[1] - block.pose.y
    end = facing if facing is not None else heading(dx, dy) if length(dx, dy) > 1e-4 else block.facing
    (ox, oy), (nx, ny), half = ahead(block.facing), ahead(end), block.depth / 2.0
    target = (quantise(place[0] + (ox - nx) * half), quantise(place[1] + (oy - ny) * half))
    turn = quantise_turn(turn_between(block.facing, end))
    legs: tuple[Leg, ...] = (Turn(turn),) if turn else ()
    return legs if target == block.front_centre else (Go(*target), *legs)


def _drop_idle(legs: tuple[Leg, ...]) -> tuple[Leg, ...]:
    return tuple(
        leg
        for leg in legs
        if not (isinstance(leg, Turn | Wheel | Pivot) and leg.angle == 0.0)
        and not (isinstance(leg, Advance) and leg.distance == 0.0)
    )


def aim(pivot: Point, held: Point, facing: float, place: Point) -> tuple[float, float] | None:
    """Turn about `pivot`, then distance straight ahead, that bring a point of the block to `place`.

    `held` is where that point lies as seen from the pivot (to the right, ahead). The turn is in (-180, 180],
    degrees, quantised; None if the place is too near the pivot to be reached.
    """
    dx, dy = place[0] - pivot[0], place[1] - pivot[1]
    far = length(dx, dy)
    if far < 1e-6 or abs(held[0]) > far:
        return None
    way = heading(dx, dy) - math.degrees(math.asin(held[0] / far))
    turn = quantise_turn(turn_between(facing, way))
    fx, fy = ahead(facing + turn)
    return turn, quantise(dx * fx + dy * fy - held[1])


def towards(block: Block, place: Point, manoeuvre: Manoeuvre) -> tuple[Leg, ...] | None:
    """A single turn and an advance that bring the front centre to a place; None if impossible."""
    if not block.formation.is_a_body:
        return _free_legs(block, place, None)
    for leg, pivot, held in turns(block, manoeuvre):
        goal = aim(pivot, held, block.facing, place)
        if goal is None or goal[1] < 0.0:
            continue
        made = turning_leg(leg, goal[0])
        if made is not None:
            return _drop_idle((made, Advance(goal[1])))
    return None


def turns(block: Block, manoeuvre: Manoeuvre) -> tuple[tuple[str, Point, Point], ...]:
    """Ways of turning once: name, pivot, front centre seen from the pivot (to the right, ahead)."""
    half = block.width / 2.0
    if manoeuvre == "turn":
        return (("turn", block.centre, (0.0, block.depth / 2.0)),)
    if manoeuvre == "pivot":
        return (("pivot", block.front_centre, (0.0, 0.0)),)
    return (("left", block.front_left, (half, 0.0)), ("right", block.front_right, (-half, 0.0)))


def turning_leg(name: str, turn: float) -> Leg | None:
    """The leg that turns by signed degrees in a manner of `turns`; None for a wheel to the wrong side."""
    if name == "turn":
        return Turn(turn)
    if name == "pivot":
        return Pivot(turn)
    if name == "left":
        return Wheel(quantise_turn(-turn), "left") if turn <= 0.0 else None
    return Wheel(turn, "right") if turn >= 0.0 else None
