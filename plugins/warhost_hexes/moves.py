"""Ways over the board: the cheapest paths, steps away from somebody or towards him, and going them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from warhost.errors import RuleFault
from warhost.things import PluginValue, is_gone
from warhost_hexes.board import Board, board_of, put


class Way(PluginValue, noun="move"):
    """A way that may be gone. Fields are those of `profile of move`."""

    def __init__(
        self, made: Board, unit: Any, start: int, path: Sequence[int], cost: Any, passed: Sequence[Any] = (),
        leaves: bool = False,
    ) -> None:
        self.unit = unit
        self.cost = cost
        self.start = start
        self.path = tuple(path)
        self.steps = [made.hexes[c] for c in path]
        self.leaves_table = leaves
        self.place = None if leaves else made.hexes[path[-1] if path else start]
        self.passed = list(passed)
        end = "off the board" if leaves else f"to {self.place}"
        self.label = self.name = end
        self.id = f"{unit.id}:{end}"
        last = made.hexes[path[-1] if path else start]
        self.x, self.y = last.x, last.y

    @property
    def side(self) -> Any:
        """The side of the unit that goes."""
        return self.unit.side

    def __str__(self) -> str:
        return self.label

    def perform(self, battle: Any, who: Any, handlers: Mapping[str, Callable[..., Any]]) -> None:
        """Go the way step by step; a handler may stop it, take the mover off or put it elsewhere."""
        made = board_of(battle)
        if who is not self.unit:
            raise RuleFault(f"{who} cannot go the way of {self.unit}")
        if made.cell_of(who) != self.start:
            raise RuleFault(f"{who} no longer stands where this move begins")
        gone = _Journey(made, who, self.start, handlers).along(self.path)
        if gone is None:
            return
        track = [self.start, *gone]
        whole = len(gone) == len(self.path)
        leaves = self.leaves_table and whole
        passed = [u for c in gone[:-1] for u in made.units_at(c) if u is not who]
        if leaves and gone:
            passed += [u for u in made.units_at(gone[-1]) if u is not who]
        battle.note(
            "move", unit=who.id, path=[_point(made, c) for c in track], distance=len(gone),
            **{"from": _spot(made, track[0]), "to": _spot(made, track[-1])},
        )  # fmt: skip
        if leaves:
            put(made, who, None)
        battle.emit("moved", [who])
        for other in passed:
            if not is_gone(who) and not is_gone(other):
                battle.emit("passed_through", [who, other])
        if leaves and not is_gone(who):
            battle.emit("left_table", [who])


class _Journey:
    """One unit on its way, step by step."""

    def __init__(self, made: Board, who: Any, start: int, handlers: Mapping[str, Callable[..., Any]]) -> None:
        self.made, self.who, self.handlers = made, who, handlers
        self.track = [start]

    def along(self, path: Sequence[int]) -> list[int] | None:
        """The steps that were made; None if a handler took the mover away, or elsewhere."""
        battle, who = self.made.battle, self.who
        if who.halted:
            battle.put(who, "halted", False)
        for cell in path:
            if not self._told("leaves"):
                return None
            if self._stopped():
                break
            put(self.made, who, cell)
            if who.place is not self.made.hexes[cell]:
                raise RuleFault(f"{who} cannot go anywhere within a `together`")
            self.track.append(cell)
            if not self._told("enters"):
                return None
            if self._stopped():
                break
        if len(self.track) <= len(path):
            self._back_to_room()
        return self.track[1:]

    def _told(self, event: str) -> bool:
        """Tell of the hex where the mover is; no when it is no longer there afterwards."""
        battle, where = self.made.battle, self.made.hexes[self.track[-1]]
        battle.travel_stopped = False
        battle.emit(event, [self.who, where])
        if event in self.handlers:
            self.handlers[event](self.who, where)
        return not is_gone(self.who) and self.who.place is where

    def _stopped(self) -> bool:
        battle = self.made.battle
        stopped, battle.travel_stopped = battle.travel_stopped, False
        return bool(stopped or self.who.halted)

    def _back_to_room(self) -> None:
        """Who is stopped on somebody goes back to the last hex of the way where it may stand."""
        while len(self.track) > 1 and not may_end(self.made, self.who, self.track[-1]):
            self.track.pop()
            put(self.made, self.who, self.track[-1])


def may_end(made: Board, unit: Any, cell: int) -> bool:
    """Whether a unit may stand on a hex for all who are there."""
    return all(u is unit or made.number("may_end_on", unit, u) for u in made.units_at(cell))


def _point(made: Board, cell: int) -> list[float]:
    x, y = made.grid.centre(cell)
    return [round(x, 3), round(y, 3)]


def _spot(made: Board, cell: int) -> dict[str, Any]:
    x, y = _point(made, cell)
    return {"x": x, "y": y, "hex": made.grid.label(cell)}


# -- searching ---------------------------------------------------------------------------------------


class SearchResult:
    """What a search from a hex has found: the cheapest key of each cell, and the cell before it on that way.

    A key is (cost, units passed, steps): of equally cheap ways the one past fewest, then the shortest, then the first
    in the order of the board.
    """

    __slots__ = ("before", "keys")

    def __init__(self) -> None:
        self.keys: dict[int, tuple[Any, int, int]] = {}
        self.before: dict[int, int] = {}

    def path(self, cell: int) -> list[int]:
        """The steps from the start (which is none of them) to a cell."""
        steps = []
        while cell in self.before:
            steps.append(cell)
            cell = self.before[cell]
        return steps[::-1]


Cost = Callable[[int, int], Any]


def search(made: Board, unit: Any, start: int, limit: Any, cost: Cost, goal: int | None = None) -> SearchResult:
    """The cheapest ways from a cell over everything that may be entered and passed, up to a limit (None: any).

    goal: stop there; who stands on it does not matter.
    """
    found, done = SearchResult(), set()
    found.keys[start] = (0, 0, 0)
    heap: list[tuple[Any, int, int, int]] = [(0, 0, 0, start)]
    near, hexes, number, keys = made.grid.near, made.hexes, made.number, found.keys
    open_to: dict[int, bool] = {}
    while heap:
        spent, passed, steps, cell = heappop(heap)
        if cell in done:
            continue
        done.add(cell)
        if cell == goal:
            break
        # somebody else on the hex where a unit starts (it is being displaced) does not hold it there
        others = [u for u in made.units_at(cell) if u is not unit] if cell != start else []
        if others:
            if not all(number("may_pass", unit, u) for u in others):
                continue
            passed += 1
        least = (spent, passed, steps + 1)
        for n in near[cell]:
            known = keys.get(n)
            if n in done or (known is not None and known < least):  # no step can make it better
                continue
            enters = open_to.get(n)
            if enters is None:
                enters = open_to[n] = bool(number("may_enter", unit, hexes[n]))
            if not enters:
                continue
            here = spent + cost(cell, n)
            if limit is not None and here > limit:
                continue
            key = (here, passed, steps + 1)
            if known is None or (key, cell) < (known, found.before.get(n, -1)):
                keys[n] = key
                found.before[n] = cell
                heappush(heap, (*key, n))
    return found


def _walked(made: Board, unit: Any, start: int, limit: Any, goal: int | None = None) -> SearchResult:
    """A search at what steps cost by the rules; kept while nothing changes."""
    hexes, ask = made.hexes, made.battle.ask

    def cost(origin: int, to: int) -> Any:
        spent = ask("step_cost", unit, hexes[origin], hexes[to])
        return spent if spent > 0 else 0

    found: SearchResult = made.said(
        ("search", unit, start, limit, goal), lambda: search(made, unit, start, limit, cost, goal)
    )
    return found


def _way(made: Board, unit: Any, start: int, found: SearchResult, cell: int, cost: Any, leaves: bool = False) -> Way:
    path = found.path(cell)
    through = path if leaves else path[:-1]
    passed = [u for c in through for u in made.units_at(c) if u is not unit]
    return Way(made, unit, start, path, cost, passed, leaves)


# -- the lists of moves ------------------------------------------------------------------------------


def walks(battle: Any, unit: Any, allowance: Any) -> list[Way]:
    """The cheapest way to every hex that a unit may end in with an allowance; and the way off, if there is one."""
    made = board_of(battle)
    start = made.cell_of(unit)
    if start is None:
        return []
    found = _walked(made, unit, start, allowance)
    ends = [(key, c) for c, key in found.keys.items() if c != start and may_end(made, unit, c)]
    ends.sort()
    ways = [_way(made, unit, start, found, c, key[0]) for key, c in ends]
    return ways + _way_off(made, unit, start, found, allowance)


def _way_off(made: Board, unit: Any, start: int, found: SearchResult, allowance: Any) -> list[Way]:
    """The cheapest way off the board, if the rules allow one: the last step costs 1."""
    rim = [
        (key, c) for c, key in found.keys.items()
        if len(made.grid.near[c]) < 6 and key[0] + 1 <= allowance and made.number("may_leave", unit, made.hexes[c])
        and (may_end(made, unit, c) or all(made.number("may_pass", unit, u) for u in made.units_at(c) if u is not unit))
    ]  # fmt: skip
    if not rim:
        return []
    key, cell = min(rim)
    return [_way(made, unit, start, found, cell, key[0] + 1, True)]


def walks_to(battle: Any, unit: Any, hex: Any, allowance: Any) -> list[Way]:
    """The cheapest way to a hex, if a unit may end there and the allowance is enough."""
    made = board_of(battle)
    start, goal = made.cell_of(unit), made.cell_of(hex)
    if start is None or goal is None or goal == start or not may_end(made, unit, goal):
        return []
    found = _walked(made, unit, start, allowance)
    key = found.keys.get(goal)
    return [] if key is None else [_way(made, unit, start, found, goal, key[0])]


#: The cost of a way that there is not.
NO_WAY = 1000


def path_cost(battle: Any, unit: Any, place: Any) -> Any:
    """What the cheapest way to a place costs, whoever stands there; 1000 when there is none."""
    made = board_of(battle)
    start = made.cell_of(unit)
    if start is None:
        return NO_WAY
    costs = []
    for goal in made.cells_of(place):
        key = _walked(made, unit, start, None, goal).keys.get(goal)
        costs.append(NO_WAY if key is None else key[0])
    return min(costs, default=NO_WAY)


def _steps(battle: Any, unit: Any, other: Any, count: Any, passing: bool, sign: int) -> list[Way]:
    made = board_of(battle)
    start, cells = made.cell_of(unit), made.cells_of(other)
    if start is None or not cells:
        return []

    def far(cell: int) -> int:
        return sign * min(made.grid.distance(cell, c) for c in cells)

    def cost(origin: int, to: int) -> int:
        return 0 if passing and any(u is not unit for u in made.units_at(origin)) else 1

    found = search(made, unit, start, int(count), cost)
    ends = [(-far(c), found.keys[c], c) for c in found.keys if far(c) > far(start) and may_end(made, unit, c)]
    ends.sort()
    return [_way(made, unit, start, found, c, 0) for away, _, c in ends if away == ends[0][0]]


def steps_away(battle: Any, unit: Any, other: Any, count: Any, passing: Any = False) -> list[Way]:
    """Ways of so many steps, whatever they would cost, that end as far from something as can be, and farther than now.

    passing: a hex on which somebody stands who may be passed is no step.
    """
    return _steps(battle, unit, other, count, bool(passing), 1)


def steps_towards(battle: Any, unit: Any, other: Any, count: Any, passing: Any = False) -> list[Way]:
    """Ways of so many steps that end as near to something as can be, and nearer than now."""
    return _steps(battle, unit, other, count, bool(passing), -1)


__all__ = [
    "NO_WAY", "SearchResult", "Way", "may_end", "path_cost", "search", "steps_away", "steps_towards", "walks",
    "walks_to",
]  # fmt: skip
