"""What rules can ask of a board of hexes, and the steps by which they change it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from warhost.errors import RuleFault
from warhost.things import order_of
from warhost.vocabulary import Function
from warhost.vocabulary import function as _f
from warhost_hexes.board import Board, board_of, drop, lay, put
from warhost_hexes.moves import path_cost, steps_away, steps_towards, walks, walks_to
from warhost_hexes.sight import ground_level, line_between, sees, sees_as, terrain_between, units_between


def _things(made: Board, cells: Sequence[int]) -> list[Any]:
    return [made.hexes[c] for c in cells]


# -- questions -----------------------------------------------------------------------------------


def _distance(battle: Any, a: Any, b: Any) -> int:
    return board_of(battle).distance(a, b)


def _adjacent(battle: Any, a: Any, b: Any) -> bool:
    return board_of(battle).distance(a, b) == 1


def _rings(made: Board, place: Any, low: int, high: int) -> list[Any]:
    """The hexes from so many to so many steps away, in the order of the board."""
    cells = made.cells_of(place)
    if not cells or high < 0:
        return []
    if len(cells) == 1:
        inside = made.grid.within(cells[0], high)
        return [made.hexes[c] for c in inside if made.grid.distance(c, cells[0]) >= low]
    far = [min(made.grid.distance(c, own) for own in cells) for c in range(made.grid.size)]
    return [made.hexes[c] for c, d in enumerate(far) if low <= d <= high]


def _neighbours(battle: Any, place: Any) -> list[Any]:
    made = board_of(battle)
    cells = made.cells_of(place)
    if len(cells) == 1:
        return _things(made, made.grid.near[cells[0]])
    return _rings(made, place, 1, 1)


def _hexes_within(battle: Any, place: Any, n: Any) -> list[Any]:
    return _rings(board_of(battle), place, 0, int(n))


def _ring(battle: Any, place: Any, n: Any) -> list[Any]:
    return _rings(board_of(battle), place, int(n), int(n))


def _hex_of(battle: Any, thing: Any) -> Any:
    made = board_of(battle)
    return made.hex(made.cell_of(thing))


def _unit_in(battle: Any, place: Any) -> Any:
    made = board_of(battle)
    cell = made.cell_of(place)
    return None if cell is None else made.unit_at(cell)


def _terrain_in(battle: Any, place: Any) -> list[Any]:
    """The terrain on the hexes of something; of a piece of terrain, the others that lie there, too."""
    made = board_of(battle)
    found: dict[str, Any] = {}
    for cell in made.cells_of(place):
        for land in made.lands_at(cell):
            if land is not place:
                found[land.id] = land
    return list(found.values())


def _markers_in(battle: Any, place: Any) -> list[Any]:
    made = board_of(battle)
    return [m for c in made.cells_of(place) for m in made.markers_at(c) if m is not place]


def _beside(made: Board, place: Any) -> list[Any]:
    """The units on the hexes next to something, in order of creation."""
    found: list[Any] = made.said(("beside", place), lambda: _units_beside(made, place))
    return found


def _units_beside(made: Board, place: Any) -> list[Any]:
    cells = made.cells_of(place)
    rim = {n for c in cells for n in made.grid.near[c]} - set(cells)
    found = [u for c in rim for u in made.units_at(c) if u is not place]
    found.sort(key=order_of)
    return found


def _adjacent_units(battle: Any, place: Any) -> list[Any]:
    return list(_beside(board_of(battle), place))


def _adjacent_enemies(battle: Any, unit: Any) -> list[Any]:
    return [u for u in _beside(board_of(battle), unit) if u.side is not unit.side]


def _adjacent_friends(battle: Any, unit: Any) -> list[Any]:
    return [u for u in _beside(board_of(battle), unit) if u.side is unit.side]


def _enemies_beside(battle: Any, unit: Any, place: Any) -> list[Any]:
    return [u for u in _beside(board_of(battle), place) if u.side is not unit.side]


def _friends_beside(battle: Any, unit: Any, place: Any) -> list[Any]:
    return [u for u in _beside(board_of(battle), place) if u.side is unit.side and u is not unit]


def _nearest_enemy(battle: Any, unit: Any) -> Any:
    made = board_of(battle)
    if not made.cells_of(unit):
        return None
    foes = [u for u in battle.everyone["unit"] if u.side is not unit.side and u.place is not None]
    return min(foes, key=lambda u: made.distance(unit, u), default=None)


# -- parts of the board ----------------------------------------------------------------------------


def _columns(battle: Any) -> int:
    return board_of(battle).grid.columns


def _rows(battle: Any) -> int:
    return board_of(battle).grid.rows


def _zone(battle: Any, name: str) -> list[Any]:
    made = board_of(battle)
    return _things(made, made.zone(name))


def _in_zone(battle: Any, place: Any, name: str) -> bool:
    made = board_of(battle)
    inside = made.zone(name)
    return any(c in inside for c in made.cells_of(place))


def _base_row(battle: Any, side: Any) -> int:
    return 1 if side is battle.side_a else board_of(battle).grid.rows


def _edge_hexes(battle: Any, side: Any) -> list[Any]:
    made, row = board_of(battle), _base_row(battle, side)
    return [h for h in made.hexes if h.row == row]


def _rows_from_edge(battle: Any, place: Any, side: Any) -> int:
    """1 in the side's base row, 2 in the next; many for who has no place."""
    made, row = board_of(battle), _base_row(battle, side)
    return min((abs(made.grid.row(c) - row) + 1 for c in made.cells_of(place)), default=made.far())


def _half_of(battle: Any, place: Any) -> Any:
    """The side in whose half a place lies; none in the middle row of an odd number of rows, and without a place."""
    made = board_of(battle)
    cell = made.cell_of(place)
    if cell is None:
        return None
    twice = 2 * made.grid.row(cell) - (made.grid.rows + 1)
    return None if twice == 0 else battle.side_a if twice < 0 else battle.side_b


def _quarter_of(battle: Any, place: Any) -> int:
    """1 near left, 2 near right, 3 far left, 4 far right; 0 for the middle row and column, and for who has no place."""
    made = board_of(battle)
    cell = made.cell_of(place)
    if cell is None:
        return 0
    across = 2 * made.grid.column(cell) - (made.grid.columns + 1)
    up = 2 * made.grid.row(cell) - (made.grid.rows + 1)
    if across == 0 or up == 0:
        return 0
    return (1 if across < 0 else 2) + (0 if up < 0 else 2)


def _flank_hexes(battle: Any) -> list[Any]:
    made = board_of(battle)
    return [h for h in made.hexes if h.column in (1, made.grid.columns)]


def _middle_hex(battle: Any) -> Any:
    made = board_of(battle)
    return made.hex(made.grid.at((made.grid.columns + 1) // 2, (made.grid.rows + 1) // 2))


def _hex_at(battle: Any, column: Any, row: Any) -> Any:
    made = board_of(battle)
    return made.hex(made.grid.at(int(column), int(row)))


def _free_hexes(battle: Any, where: Any, unit: Any = None) -> list[Any]:
    made = board_of(battle)
    cells = _cells(made, where)
    free = [c for c in cells if not made.units_at(c)]
    if unit is not None:
        free = [c for c in free if made.number("may_enter", unit, made.hexes[c])]
    return _things(made, free)


def _cells(made: Board, where: Any) -> list[int]:
    """The cells of a zone's name, of a place, or of a list of places."""
    if isinstance(where, str):
        return list(made.zone(where))
    if isinstance(where, list | tuple):
        return list(made.cells_of_all(where))
    return list(made.cells_of(where))


def _patch(battle: Any, place: Any, count: Any, within: Any = None) -> list[Any]:
    made = board_of(battle)
    cell = made.cell_of(place)
    if cell is None:
        return []
    allowed = range(made.grid.size) if within is None else _cells(made, within)
    return _things(made, made.grid.patch(cell, int(count), allowed))


# -- steps ---------------------------------------------------------------------------------------


def _put_at(battle: Any, unit: Any, place: Any) -> None:
    """Put a unit on a hex, whatever the way there."""
    made = board_of(battle)
    cell = made.cell_of(place)
    if cell is None:
        size = f"the board's hexes are 1-1 to {made.grid.columns}-{made.grid.rows}"
        reason = f"there is no such hex, {size}" if place is None else f"{place} is nowhere"
        raise RuleFault(f"{unit} cannot be put there: {reason}")
    other = next((u for u in made.units_at(cell) if u is not unit), None)
    if other is not None:
        raise RuleFault(f"{unit} cannot be put on {made.hexes[cell]}: {other} stands there")
    put(made, unit, cell)
    battle.note("place", unit=unit.id, at=made.grid.label(cell))


def _take_off(battle: Any, unit: Any) -> None:
    put(board_of(battle), unit, None)


def _put_marker(battle: Any, name: str, place: Any) -> Any:
    made = board_of(battle)
    return drop(made, name, made.cell_of(place))


def _move_marker(battle: Any, marker: Any, place: Any) -> None:
    made = board_of(battle)
    battle.put(marker, "place", made.hex(made.cell_of(place)))


def _remove_marker(battle: Any, marker: Any) -> None:
    battle.remove(marker)


def _lay_terrain(battle: Any, type_: Any, where: Any, height: Any = 0) -> Any:
    made = board_of(battle)
    cells = _cells(made, where)
    if not cells:
        raise RuleFault(f"{type_} needs at least one hex to lie on")
    land = lay(made, type_, cells, "", {"height": int(height)})
    battle.note("lay", terrain=land.id, at=[made.grid.label(c) for c in cells])
    return land


def _remove_terrain(battle: Any, land: Any) -> None:
    battle.remove(land)


FUNCTIONS: tuple[Function, ...] = (
    _f("distance", "a: any, b: any", "distance", _distance, "the fewest steps between two places"),
    _f("adjacent", "a: any, b: any", "yes_no", _adjacent, "whether two places are next to each other"),
    _f("neighbours", "place: any", "list of hex", _neighbours, "the hexes next to a place"),
    _f(
        "hexes_within", "place: any, n: number", "list of hex", _hexes_within,
        "the hexes at most n steps away, itself included",
    ),
    _f("ring", "place: any, n: number", "list of hex", _ring, "the hexes exactly n steps away"),
    _f("hex_of", "thing: any", "hex or none", _hex_of, "the hex of a unit, a marker, a piece, or where a move ends"),
    _f("unit_in", "place: any", "unit or none", _unit_in, "the unit on a hex"),
    _f("terrain_in", "place: any", "list of terrain", _terrain_in, "the terrain on a hex or under a unit"),
    _f("markers_in", "place: any", "list of marker", _markers_in, "the markers on a hex"),
    _f("adjacent_units", "place: any", "list of unit", _adjacent_units, "the units next to a place"),
    _f("adjacent_enemies", "unit: unit", "list of unit", _adjacent_enemies, "the enemies next to a unit"),
    _f("adjacent_friends", "unit: unit", "list of unit", _adjacent_friends, "the friends next to a unit"),
    _f(
        "enemies_beside", "unit: unit, place: any", "list of unit", _enemies_beside,
        "the enemies of a unit that are next to a place",
    ),
    _f(
        "friends_beside", "unit: unit, place: any", "list of unit", _friends_beside,
        "the friends of a unit, without itself, that are next to a place",
    ),
    _f("nearest_enemy", "unit: unit", "unit or none", _nearest_enemy, "the enemy nearest to a unit"),
    _f("board_columns", "", "number", _columns, "how many columns the board has"),
    _f("board_rows", "", "number", _rows, "how many rows the board has"),
    _f("hex_at", "column: number, row: number", "hex or none", _hex_at, "the hex of a column and a row"),
    _f("middle_hex", "", "hex", _middle_hex, "the hex in the middle of the board"),
    _f("zone", "zone: text", "list of hex", _zone, "the hexes of a zone of the scenario"),
    _f("in_zone", "place: any, zone: text", "yes_no", _in_zone, "whether a place is in a zone"),
    _f("edge_hexes", "side: side", "list of hex", _edge_hexes, "the base row of a side"),
    _f("flank_hexes", "", "list of hex", _flank_hexes, "the hexes of the two edges that are nobody's base"),
    _f(
        "rows_from_edge", "place: any, side: side", "number", _rows_from_edge,
        "in which row a place lies, counted from a side's base row, which is 1",
    ),
    _f(
        "half_of", "place: any", "side or none", _half_of,
        "the side in whose half a place lies; none in the middle row",
    ),
    _f(
        "quarter_of", "place: any", "number", _quarter_of,
        "1 near left, 2 near right, 3 far left, 4 far right, 0 in the middle row or column",
    ),
    _f(
        "free_hexes", "zone_or_places: any, unit?: unit", "list of hex", _free_hexes,
        "the hexes of a list, a zone (by its name) or a place on which no unit stands (and that a unit may enter)",
    ),
    _f(
        "patch", "place: any, count: number, zone_or_places?: any", "list of hex", _patch,
        "so many hexes that hang together about a place (within a list or a zone), as compact as can be",
    ),
    _f("sees", "a: any, b: any", "yes_no", sees, "whether there is a free line of sight between two places"),
    _f("level", "place: any", "number", ground_level, "how high a place lies, by what lifts it"),
    _f(
        "sees_as", "a: any, b: any, tall: number", "yes_no", sees_as,
        "sight as if the taller of two were so tall, to look over those who are not as tall",
    ),
    _f(
        "line_between", "a: any, b: any", "list of hex", line_between,
        "the hexes that the line from centre to centre crosses, without those at its ends",
    ),
    _f(
        "terrain_between", "a: any, b: any", "list of terrain", terrain_between,
        "the terrain on the hexes of that line",
    ),
    _f("units_between", "a: any, b: any", "list of unit", units_between, "the units on the hexes of that line"),
    _f(
        "walks", "unit: unit, allowance: number", "list of move", walks,
        "the cheapest way to every hex that a unit may end in, and the way off the board if it may leave",
    ),
    _f(
        "walks_to", "unit: unit, place: any, allowance: number", "list of move", walks_to,
        "the cheapest way to one hex, if there is one",
    ),
    _f(
        "path_cost", "unit: unit, place: any", "number", path_cost,
        "what the cheapest way to a place costs, whoever stands there; 1000 when there is none",
    ),
    _f(
        "steps_away", "unit: unit, other: any, count: number, passing?: yes_no", "list of move", steps_away,
        "ways of so many steps, that end as far from something as can be (passing: units passed are no steps)",
    ),
    _f(
        "steps_towards", "unit: unit, goal: any, count: number, passing?: yes_no", "list of move", steps_towards,
        "ways of so many steps, free of cost, that end as near to something as can be",
    ),
    _f("put_at", "unit: unit, place: any", "any", _put_at, "put a unit on a free hex", "moves"),
    _f("take_off", "unit: unit", "any", _take_off, "take a unit's place away until it is put somewhere again", "moves"),
    _f("put_marker", "name: text, place: any", "marker", _put_marker, "make a marker on a hex", "writes"),
    _f("move_marker", "marker: marker, place: any", "any", _move_marker, "put a marker elsewhere", "writes"),
    _f("remove_marker", "marker: marker", "any", _remove_marker, "take a marker away for good", "writes"),
    _f(
        "lay_terrain", "type: any, where: any, height?: number", "terrain", _lay_terrain,
        "make a piece of terrain on a hex or a list of hexes", "writes",
    ),
    _f("remove_terrain", "piece: terrain", "any", _remove_terrain, "take a piece of terrain away", "writes"),
)  # fmt: skip
