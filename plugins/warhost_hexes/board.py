"""The board of a battle: the grid, its hexes as things of the rules, and who and what is on them now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warhost.errors import RuleFault
from warhost.hookspecs import plain, stated
from warhost.things import given_place, is_gone, noun_of, set_placed
from warhost_hexes.grid import Grid, HexError, grid

#: The size of a board that no scenario gives.
COLUMNS, ROWS = 15, 13


@dataclass(slots=True, eq=False)
class Board:
    """The hexes of one battle. Cells are indices of the grid; hexes the things by cell.

    What stands where is read from the fields of the rules; answers are kept while the battle's version stands still.
    """

    battle: Any
    grid: Grid
    hexes: tuple[Any, ...] = ()
    zones: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _version: int = -1
    _said: dict[Any, Any] = field(default_factory=dict)
    _units: dict[int, list[Any]] | None = None
    _lands: dict[int, list[Any]] | None = None
    _markers: dict[int, list[Any]] | None = None
    _listed: tuple[list[Any], list[int]] | None = None

    # -- asking the rules ------------------------------------------------------------------------

    def fresh(self) -> dict[Any, Any]:
        """Answers of this version of the state."""
        if self.battle.version != self._version:
            self._version = self.battle.version
            self._said.clear()
            self._units = self._lands = self._markers = self._listed = None
        return self._said

    def forget(self) -> None:
        """The state was put back: nothing that was computed holds."""
        self._version = -1

    def said(self, key: Any, ask: Callable[[], Any]) -> Any:
        """An answer that follows from the state, kept for this version of it."""
        known = self.fresh()
        found = known.get(key, self)
        if found is self:
            found = ask()
            if self.battle.version == self._version:
                known[key] = found
        return found

    def number(self, name: str, *args: Any) -> Any:
        """A number or flag of the rules; asked once for each version of the state."""
        known = self.fresh()
        key = (name, *args)
        found = known.get(key, self)
        if found is self:
            found = known[key] = self.battle.ask(name, *args)
        return found

    # -- places ----------------------------------------------------------------------------------

    def cells_of(self, thing: Any) -> Sequence[int]:
        """The cells of a hex, a unit, a marker, a piece of terrain or the end of a move; none without a place."""
        if thing is None:
            return ()
        noun = noun_of(thing)
        if noun == "hex":
            return (thing.cell,)
        if noun == "terrain":
            return () if is_gone(thing) else tuple(h.cell for h in thing.hexes)
        if noun == "side":
            raise RuleFault(f"{thing} is no place")
        place = getattr(thing, "place", None)
        return () if place is None or is_gone(thing) else (place.cell,)

    def cells_of_all(self, things: Sequence[Any]) -> list[int]:
        """The cells of several things, each once, in their order.

        The last answer is kept: rules ask of every hex in turn how a piece would lie about it in the same room.
        """
        self.fresh()
        asked = list(things)
        if self._listed is None or self._listed[0] != asked:
            self._listed = asked, list(dict.fromkeys(c for one in asked for c in self.cells_of(one)))
        return self._listed[1]

    def cell_of(self, thing: Any) -> int | None:
        """The cell of something that lies on one hex; the first of a piece of terrain; None without a place."""
        cells = self.cells_of(thing)
        return cells[0] if cells else None

    def hex(self, cell: int | None) -> Any:
        """The hex by its number; None for None."""
        return None if cell is None else self.hexes[cell]

    def far(self) -> int:
        """A distance that no two places of the board have."""
        return self.grid.columns + self.grid.rows

    def distance(self, a: Any, b: Any) -> int:
        """The fewest steps from one thing to another; very many when one has no place."""
        one, two = self.cells_of(a), self.cells_of(b)
        if len(one) == 1 and len(two) == 1:
            return self.grid.distance(one[0], two[0])
        return min((self.grid.distance(i, j) for i in one for j in two), default=self.far())

    # -- who and what is where ---------------------------------------------------------------------

    def units_at(self, cell: int) -> Sequence[Any]:
        """The units on a hex, in order of creation: one at most, but while one passes or displaces another."""
        self.fresh()
        if self._units is None:
            self._units = _by_cell(self.battle.everyone["unit"])
        return self._units.get(cell, ())

    def unit_at(self, cell: int) -> Any:
        """The unit that stands on a hex, the first of several; None when none does."""
        found = self.units_at(cell)
        return found[0] if found else None

    def lands_at(self, cell: int) -> Sequence[Any]:
        """The pieces of terrain that lie on a hex, in order of creation."""
        self.fresh()
        if self._lands is None:
            lands: dict[int, list[Any]] = {}
            for land in self.battle.everyone["terrain"]:
                for h in land.hexes:
                    lands.setdefault(h.cell, []).append(land)
            self._lands = lands
        return self._lands.get(cell, ())

    def markers_at(self, cell: int) -> Sequence[Any]:
        """The markers that lie on a hex, in order of creation."""
        self.fresh()
        if self._markers is None:
            self._markers = _by_cell(self.battle.everyone["marker"])
        return self._markers.get(cell, ())

    def zone(self, name: str) -> tuple[int, ...]:
        """The cells of a zone of the scenario; a fault when there is none of that name."""
        found = self.zones.get(name)
        if found is None:
            raise RuleFault(f'the scenario has no zone "{name}"; it has: {", ".join(self.zones) or "none"}')
        return found


def _by_cell(things: Sequence[Any]) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for thing in things:
        if thing.place is not None:
            found.setdefault(thing.place.cell, []).append(thing)
    return found


def board_of(battle: Any) -> Board:
    """The board of a battle; a fault when it has none."""
    try:
        return battle.hex_board  # type: ignore[no-any-return]
    except AttributeError:
        raise RuleFault("this battle has no board of hexes") from None


def size_of(board: Mapping[str, Any]) -> tuple[int, int]:
    """Columns and rows that a scenario's board gives. Raises HexError."""
    size = plain(board.get("hexes") or {})
    if not isinstance(size, Mapping):
        raise HexError("the board's hexes are given as {columns: 15, rows: 13}")
    found = [size.get(key, usual) for key, usual in (("columns", COLUMNS), ("rows", ROWS))]
    if not all(isinstance(n, int) and not isinstance(n, bool) for n in found):
        raise HexError("the board's hexes need whole numbers, as in {columns: 15, rows: 13}")
    return found[0], found[1]


def lay_out(battle: Any, board: Mapping[str, Any]) -> None:
    """Make the board of a battle from the scenario's: hexes, zones, terrain, markers, units that have a place."""
    made = Board(battle, grid(*size_of(board)))
    battle.hex_board = made
    made.hexes = tuple(_hex(made, i) for i in range(made.grid.size))
    for name, raw in (plain(board.get("zones")) or {}).items():
        made.zones[str(name)] = made.grid.zone(str(name), raw)
    for raw in plain(board.get("terrain")) or ():
        cells = [made.grid.read(place) for place in raw.get("hexes") or ()]
        lay(made, raw["type"], cells, str(raw["id"]), raw)
    for raw in plain(board.get("markers")) or ():
        _marker(made, raw)
    for unit in battle.everyone["unit"]:
        _stand(made, unit)


def _hex(made: Board, cell: int) -> Any:
    column, row = made.grid.column(cell), made.grid.row(cell)
    thing = made.battle.create("hex", f"h{column}_{row}", f"{column}-{row}", column=column, row=row)
    thing.cell = cell
    thing.x, thing.y = made.grid.centre(cell)  # for players who think in distances
    return thing


def lay(made: Board, type_: Any, cells: Sequence[int], id: str = "", data: Mapping[str, Any] | None = None) -> Any:
    """Make a piece of terrain on some hexes; its type's definition, if there is one, is in force for it."""
    battle, data = made.battle, data or {}
    word = str(type_)
    if not id:
        count = 1
        while f"{word}_{count}" in battle.by_id:
            count += 1
        id = f"{word}_{count}"
    name = str(data.get("name") or id.replace("_", " "))
    land = battle.create("terrain", id, name, type=type_, height=int(data.get("height", 0)))
    battle.put(land, "hexes", [made.hexes[c] for c in sorted(set(cells))])
    _put_state(battle, land, "terrain", data)
    if ("terrain", word) in battle.program.definitions:
        battle.give("terrain", word, (), land)
    return land


def _marker(made: Board, raw: Any) -> None:
    data = raw if isinstance(raw, Mapping) else {"at": raw}
    count = len(made.battle.everyone["marker"]) + 1
    name = str(data.get("name") or data.get("id", f"marker {count}").replace("_", " "))
    place = made.grid.read(data["at"]) if data.get("at") is not None else None
    marker = drop(made, name, place, str(data.get("id", "")))
    _put_state(made.battle, marker, "marker", data)


def _put_state(battle: Any, thing: Any, noun: str, data: Mapping[str, Any]) -> None:
    """What the board says of the state of a thing."""
    values, wrong = stated(battle.program, noun, data.get("state"))
    if wrong:
        raise RuleFault(f"{thing}: {wrong[0]}")
    for key, value in values.items():
        battle.put(thing, key, value)


def drop(made: Board, name: str, cell: int | None, id: str = "") -> Any:
    """Make a marker, on a hex or on none."""
    if not id:
        word = "".join(ch if ch.isalnum() else "_" for ch in name.lower()).strip("_") or "marker"
        count = 1
        while f"{word}_{count}" in made.battle.by_id:
            count += 1
        id = f"{word}_{count}"
    marker = made.battle.create("marker", id, name)
    made.battle.put(marker, "place", made.hex(cell))
    return marker


def _stand(made: Board, unit: Any) -> None:
    place = plain(given_place(unit)) if given_place(unit) else None
    set_placed(unit, False)
    if place is not None and place.get("at") is not None:
        try:
            cell = made.grid.read(place["at"])
        except HexError as error:
            raise RuleFault(f"{unit.id}: {error}") from None
        put(made, unit, cell)


def put(made: Board, unit: Any, cell: int | None) -> None:
    """Give a unit its place, or none."""
    set_placed(unit, cell is not None)
    made.battle.version += 1
    made.battle.put(unit, "place", made.hex(cell))


__all__ = ["Board", "board_of", "drop", "lay", "lay_out", "plain", "put", "size_of"]
