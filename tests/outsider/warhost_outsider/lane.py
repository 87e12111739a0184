"""The lane: a board whose places lie in a row, numbered from 1, with mire on some of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from warhost.errors import RuleFault
from warhost.hookspecs import Misfit, plain
from warhost.things import PluginBattle, given_place, is_gone, set_placed
from warhost.vocabulary import Function, function

#: What a scenario may say of its board, and how long a lane is that no scenario measures.
BOARD = ("places", "mire")
USUAL, SHORTEST, LONGEST = 9, 2, 60


def standing(battle: PluginBattle) -> Iterator[Any]:
    """The units on the lane."""
    return (unit for unit in battle.everyone["unit"] if not is_gone(unit) and unit.spot)


# -- functions of the rules ----------------------------------------------------------------------------


def gap(battle: PluginBattle, a: Any, b: Any) -> int:
    """How many places lie from one unit to another."""
    return abs(int(a.spot) - int(b.spot))


def in_mire(battle: PluginBattle, unit: Any) -> bool:
    return any(one.spot == unit.spot for one in battle.everyone["mire"])


def steps_on(battle: PluginBattle, unit: Any, goal: Any) -> list[int]:
    """The places that a unit may walk to towards another, the nearest first; it stops before whoever stands there."""
    ahead = 1 if goal.spot > unit.spot else -1
    taken = {other.spot for other in standing(battle) if other is not unit}
    found: list[int] = []
    for step in range(1, int(battle.ask("stride", unit)) + 1):
        spot = int(unit.spot) + ahead * step
        if spot in taken:
            break
        found.append(spot)
    return found


def walk(battle: PluginBattle, unit: Any, spot: int) -> None:
    """A unit goes to a place."""
    if any(other.spot == spot for other in standing(battle) if other is not unit):
        raise RuleFault(f"somebody stands on place {spot} already")
    battle.put(unit, "spot", int(spot))
    set_placed(unit, bool(spot))
    battle.emit("walked", [unit, int(spot)])


FUNCTIONS: tuple[Function, ...] = (
    function("gap", "a: unit, b: unit", "number", gap, "how many places lie from one unit to another"),
    function("in_mire", "unit: unit", "yes_no", in_mire, "whether a unit stands in mire"),
    function("steps_on", "unit: unit, goal: unit", "list of number", steps_on, "the places it may walk to"),
    function("walk", "unit: unit, spot: number", "any", walk, "go to a place", "writes", "emits"),
)


# -- the board -------------------------------------------------------------------------------------------


def lay_out(battle: PluginBattle, board: Mapping[str, Any]) -> None:
    """Mire where the scenario has it; each side's units at its end of the lane, or where they are given a place."""
    length = int(plain(board).get("places", USUAL))
    for spot in plain(board).get("mire") or ():
        battle.create("mire", f"mire_{spot}", f"mire on place {spot}", spot=spot)
    for n, side in enumerate(battle.sides):
        for i, unit in enumerate(side.units):
            given = plain(given_place(unit)) or {}
            spot = int(given.get("at", 1 + i if n == 0 else length - i))
            battle.put(unit, "spot", spot)
            set_placed(unit, True)


def problems(board: Mapping[str, Any]) -> Iterable[str | Misfit]:
    """What is wrong with the board of a scenario."""
    length, mire = board.get("places", USUAL), board.get("mire") or []
    if not isinstance(length, int) or not SHORTEST <= length <= LONGEST:
        yield ("places",), f"a lane has {SHORTEST} to {LONGEST} places"
        return
    if not isinstance(mire, list):
        yield ("mire",), "mire is a list of places"
        return
    for i, spot in enumerate(mire):
        if not isinstance(spot, int) or not 1 <= spot <= length:
            yield ("mire", i), f"the lane has places 1 to {length}"


def misplaced(board: Mapping[str, Any], place: Any) -> Iterable[str | Misfit]:
    """A place beside the lane."""
    length, spot = board.get("places", USUAL), str(place.get("at", 1)) if isinstance(place, Mapping) else "1"
    if not spot.isdecimal() or not 1 <= int(spot) <= length:
        yield ("at",), f"the lane has places 1 to {length}"


def picture(battle: PluginBattle) -> Mapping[str, Any]:
    """The lane as docs/design/log.md describes pictures: a cell for each place, units as counters."""
    length = max([USUAL, *(int(unit.spot) for unit in standing(battle))])
    return {
        "width": length, "depth": 1, "unit": battle.rules.length_unit,
        "cells": [{"name": str(n), "points": _square(n)} for n in range(1, length + 1)],
        "terrain": [
            {"id": one.id, "name": one.name, "type": "mire", "points": _square(one.spot), "height": 0, "marks": []}
            for one in battle.everyone["mire"]
        ],
        "units": [
            {
                "id": unit.id, "name": unit.name, "side": unit.side.id, "outline": _square(unit.spot), "bases": [],
                "front": [], "facing": None, "strength": unit.size, "start": unit.size, "marks": [],
            }
            for unit in standing(battle)
        ],
    }  # fmt: skip


def _square(spot: float) -> list[list[float]]:
    left, right = float(spot) - 1, float(spot)
    return [[left, 0], [right, 0], [right, 1], [left, 1]]


def broken_laws(battle: PluginBattle) -> Iterable[str]:
    """Two units never stand on one place."""
    seen: dict[Any, Any] = {}
    for unit in standing(battle):
        if unit.spot in seen:
            yield f"{seen[unit.spot].id} and {unit.id} stand on one place"
        seen[unit.spot] = unit
