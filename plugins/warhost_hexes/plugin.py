"""The plugin: functions and rules of boards of hexes, their layout, their picture and their laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from warhost.hookspecs import Misfit, hookimpl, misfit, plain, stated, unknown_keys
from warhost.things import is_placed
from warhost.vocabulary import Function, Kept
from warhost_hexes.board import lay_out, size_of
from warhost_hexes.functions import FUNCTIONS
from warhost_hexes.grid import Grid, HexError, grid
from warhost_hexes.picture import picture

#: What a scenario may say of its board, its size, a piece of terrain, and a marker.
BOARD = ("hexes", "zones", "terrain", "markers")
HEXES = ("columns", "rows")
PIECE = ("id", "name", "type", "height", "hexes", "state")
MARKER = ("id", "name", "at", "state")


@hookimpl
def warhost_functions() -> Iterable[Function]:
    """Distances, neighbours, zones, sight, ways and the like."""
    return FUNCTIONS


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """Where units stand, and the numbers by which a ruleset says how they move and see."""
    return (Path(__file__).with_name("hexes.rules"),)


@hookimpl
def warhost_board(battle: Any, board: Mapping[str, Any]) -> None:
    """Make the board."""
    lay_out(battle, board)


@hookimpl
def warhost_board_keys() -> Iterable[str]:
    """What a scenario may say of the board."""
    return BOARD


@hookimpl
def warhost_length_units() -> Iterable[str]:
    """Distances are steps from hex to hex."""
    return ("hex",)


@hookimpl
def warhost_board_problems(board: Mapping[str, Any], program: Any) -> Iterable[str | Misfit]:
    """What is wrong with a scenario's board."""
    found: list[str | Misfit] = []
    found.extend(unknown_keys(board.get("hexes"), HEXES, "the board's hexes", ("hexes",)))
    try:
        made = grid(*size_of(board))
    except HexError as error:
        return [*found, (("hexes",), str(error))]
    zones: dict[str, set[int]] = {}
    for name, raw in (plain(board.get("zones")) or {}).items():
        try:
            zones[str(name)] = set(made.zone(str(name), raw))
        except HexError as error:
            found.append((("zones", name), str(error)))
    for (name, one), (other, two) in combinations(zones.items(), 2):
        if len(one) == len(two) and one != two and one & two:  # each is meant for somebody else
            sentence = f'zone "{other}" lies over zone "{name}" in part; write other figures'
            found.append((("zones", other), sentence))
    for i, raw in enumerate(plain(board.get("terrain")) or ()):
        found.extend(_piece_problems(made, raw, ("terrain", i), program))
    for i, raw in enumerate(plain(board.get("markers")) or ()):
        at = raw.get("at") if isinstance(raw, Mapping) else raw
        found.extend(unknown_keys(raw, MARKER, "a marker", ("markers", i)))
        wrong = _place_problems(made, at, "a marker") if at is not None else []
        found.extend((("markers", i), said) for said in wrong)
        found.extend((("markers", i), said) for said in _state_problems(program, "marker", raw))
    return found


@hookimpl
def warhost_place_problems(board: Mapping[str, Any], place: Any, shared: bool) -> Iterable[str | Misfit]:
    """A hex that the board does not have, and one on which two units stand."""
    try:
        made = grid(*size_of(board))
    except HexError:  # told of the board
        return []
    if isinstance(place, str):
        said = made.misnamed(place)
        return [said] if said else []
    at = place.get("at")
    if at is None:
        return []
    found: list[str | Misfit] = [(("at",), said) for said in _place_problems(made, plain(at), "the unit")]
    if shared and not found:
        said = f"another unit stands on {at}, and a hex is for one; write another hex for one of the two"
        found.append((("at",), said))
    return found


def _state_problems(program: Any, noun: str, raw: Any) -> list[str]:
    if program is None or not isinstance(raw, Mapping):
        return []
    return stated(program, noun, raw.get("state"))[1]


def _piece_problems(made: Grid, raw: Any, at: tuple[str, int], program: Any) -> list[Misfit]:
    if not isinstance(raw, Mapping) or "type" not in raw or "id" not in raw or not isinstance(raw.get("hexes"), list):
        return [(at, "every piece under terrain needs an id, a type and a list of hexes")]
    found = unknown_keys(raw, PIECE, f"terrain piece {raw['id']}", at)
    found += [(at, said) for place in raw["hexes"] for said in _place_problems(made, place, str(raw["id"]))]
    found += [((*at, "state"), said) for said in _state_problems(program, "terrain", raw)]
    sentence = misfit(program, "terrain", "type", raw["type"]) if program is not None else None
    return [*found, ((*at, "type"), sentence)] if sentence else found


def _place_problems(made: Grid, place: Any, what: str) -> list[str]:
    try:
        made.read(place)
    except HexError as error:
        return [f"{what}: {error}"]
    return []


@hookimpl
def warhost_picture(battle: Any) -> Mapping[str, Any] | None:
    """The board as plain data, see docs/design/log.md."""
    made = getattr(battle, "hex_board", None)
    return picture(made) if made is not None else None


@hookimpl
def warhost_invariants(battle: Any) -> Iterable[str]:
    """No two units stand on one hex, and whoever has a place knows it."""
    made = getattr(battle, "hex_board", None)
    if made is None:
        return ()
    found: list[str] = []
    for cell in range(made.grid.size):
        crowd = made.units_at(cell)
        if len(crowd) > 1:
            found.append(f"{' and '.join(u.id for u in crowd)} stand on {made.grid.label(cell)}")
    for unit in battle.everyone["unit"]:
        if is_placed(unit) != (unit.place is not None):
            found.append(f"{unit.id} has its place changed otherwise than by a move, put_at or take_off")
    return found


@hookimpl
def warhost_kept(battle: Any) -> Kept | None:
    """Everything is in fields of things; what the board has computed from them is forgotten."""
    made = getattr(battle, "hex_board", None)
    return None if made is None else Kept(made.forget, ())
