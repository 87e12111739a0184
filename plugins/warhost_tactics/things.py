"""What options are, told by what they have: things of a side, ways to go, places to stand.

Nothing here knows a game. Places are x, y and a facing in degrees (0 up the table, clockwise), as board plugins give
them to units, ways and spots; a thing without them has no place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.things import is_gone, is_placed, noun_of

if TYPE_CHECKING:
    from warhost import Battle


@dataclass(frozen=True, slots=True)
class Stand:
    """A place on the table and the way one looks there; facing None: to all sides."""

    x: float
    y: float
    facing: float | None

    def distance(self, other: Stand) -> float:
        """How far another place is, in the table's unit of length."""
        return math.hypot(self.x - other.x, self.y - other.y)

    def turned_from(self, other: Stand) -> float:
        """How far to the side another place lies: 0 straight ahead, 180 straight behind."""
        if self.facing is None or (self.x == other.x and self.y == other.y):
            return 0.0
        bearing = math.degrees(math.atan2(other.x - self.x, other.y - self.y))
        return abs((bearing - self.facing + 180.0) % 360.0 - 180.0)


def stand_of(thing: Any) -> Stand | None:
    """Where something stands, or ends; None when it has no place.

    A thing without x and y of its own that has a `place` is where that is: on boards of fields.
    """
    if is_gone(thing) or not is_placed(thing):
        return None
    if not hasattr(thing, "x") and getattr(thing, "place", None) is not None:
        thing = thing.place
    x, y = getattr(thing, "x", None), getattr(thing, "y", None)
    if x is None or y is None:
        return None
    facing = getattr(thing, "facing", None)
    return Stand(float(x), float(y), None if facing is None else float(facing))


def walker_of(value: Any) -> Any:
    """Who goes a way: whoever it is for, if that one stands somewhere already."""
    walker = getattr(value, "unit", None)
    return walker if walker is not None and stand_of(walker) is not None else None


def is_way(value: Any) -> bool:
    """Something that somebody on the table goes: it says who, and where it ends."""
    return walker_of(value) is not None and stand_of(value) is not None


def is_spot(value: Any) -> bool:
    """A place to stand, for somebody who does not stand yet or for nobody in particular; not a thing of the battle."""
    return stand_of(value) is not None and not is_way(value) and noun_of(value) != "unit"


def side_of(value: Any) -> Any:
    """Whose a thing is; None for what belongs to nobody."""
    return getattr(value, "side", None)


def worth_of(battle: Battle, thing: Any) -> float:
    """What a thing is worth: by the ruleset's number `points_left`, by which results go; else what it cost."""
    number = battle.program.numbers.get("points_left")
    # nothing is left of who is yet to come
    counts = noun_of(thing) == "unit" and is_placed(thing)
    if number is not None and len(number.params) == 1 and counts:
        return float(battle.ask("points_left", thing))
    cost = getattr(thing, "cost", 0)
    return float(cost) if isinstance(cost, int | float) or hasattr(cost, "numerator") else 0.0


def pace_kept(battle: Battle, walker: Any, at: Any) -> float:
    """The share of its pace that a unit keeps on the ground where it stands, or where a way ends; 1 if nobody knows.

    Asks what board plugins offer in general: the function `end_terrain_under`, the number `terrain_share`.
    """
    under = battle.rules.vocabulary.functions.get("end_terrain_under")
    share = battle.program.numbers.get("terrain_share")
    if under is None or share is None or len(share.params) != 2:
        return 1.0
    shares = [float(battle.ask("terrain_share", walker, ground)) for ground in under.call(battle, at)]
    return max(0.0, min([1.0, *shares]))


def view_from(battle: Battle, spot: Any, others: Sequence[tuple[Any, Stand]]) -> float:
    """The share of some units that would be seen from a place; 0 if nobody knows (board plugins offer `end_sees`)."""
    sees = battle.rules.vocabulary.functions.get("end_sees")
    if sees is None or not others:
        return 0.0
    return sum(1 for other, _ in others if sees.call(battle, spot, other)) / len(others)


def units_with_place(battle: Battle) -> list[tuple[Any, Stand]]:
    """All units on the table with their places, in order of creation."""
    found = []
    for unit in battle.everyone["unit"]:
        stand = stand_of(unit)
        if stand is not None:
            found.append((unit, stand))
    return found


def enemies_of(side: Any, units: Sequence[tuple[Any, Stand]]) -> list[tuple[Any, Stand]]:
    """Those of some units that are not of a side."""
    return [(u, s) for u, s in units if u.side is not side]


def nearest(stand: Stand, others: Sequence[tuple[Any, Stand]]) -> tuple[Any, Stand] | None:
    """The nearest of some units; of two equally near the first."""
    return min(others, key=lambda o: round(stand.distance(o[1]), 6), default=None)
