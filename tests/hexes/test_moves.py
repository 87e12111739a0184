"""Ways over the board: as cheap as brute force finds them, and gone step by step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hexes.situations import CALL, battle_of, board, few, hex_of, situations
from warhost.engine.battle import Battle
from warhost.errors import RuleFault
from warhost.packs import Ruleset
from warhost_hexes.board import put
from warhost_hexes.moves import NO_WAY, Way


def cheapest(battle: Battle, unit: Any, through_all: bool = False) -> dict[int, Any]:
    """What it costs to come to each hex, by going over all pairs of neighbours again and again."""
    made = board(battle)
    ask = battle.code.number
    costs: dict[int, Any] = {made.cell_of(unit): 0}  # type: ignore[dict-item]
    changed = True
    while changed:
        changed = False
        for cell, spent in list(costs.items()):
            others = [u for u in made.units_at(cell) if u is not unit]
            if any(not ask("may_pass")(battle, unit, u) for u in others):
                continue
            for n in made.grid.near[cell]:
                if not ask("may_enter")(battle, unit, made.hexes[n]):
                    continue
                cost = spent + ask("step_cost")(battle, unit, made.hexes[cell], made.hexes[n])
                if n not in costs or cost < costs[n]:
                    costs[n] = cost
                    changed = True
    return costs


@few
@given(situation=situations(), allowance=st.integers(0, 9))
def test_walks_cost_what_brute_force_finds(game: Ruleset, situation: dict[str, Any], allowance: int) -> None:
    battle = battle_of(game, **situation)
    made = board(battle)
    for unit in battle.everyone["unit"]:
        start = made.cell_of(unit)
        costs = cheapest(battle, unit)
        wanted = {
            c: cost for c, cost in costs.items() if c != start and cost <= allowance and made.unit_at(c) is None
        }
        ways = CALL["walks"](battle, unit, allowance)
        assert {w.place.cell: w.cost for w in ways} == wanted
        assert len({w.label for w in ways}) == len(ways)
        for way in ways:
            check_way(battle, unit, way)
            assert [w.path for w in CALL["walks_to"](battle, unit, way.place, allowance)] == [way.path]
        for cell in range(0, made.grid.size, 5):
            assert CALL["path_cost"](battle, unit, made.hexes[cell]) == costs.get(cell, NO_WAY)


def check_way(battle: Battle, unit: Any, way: Way) -> None:
    """Its steps are neighbours that may be entered, and cost together what it says."""
    made, ask = board(battle), battle.code.number
    here, total = made.cell_of(unit), 0
    assert here is not None
    for cell in way.path:
        assert cell in made.grid.near[here]
        assert ask("may_enter")(battle, unit, made.hexes[cell])
        total += ask("step_cost")(battle, unit, made.hexes[here], made.hexes[cell])
        here = cell
    assert way.cost == total
    assert way.passed == [u for c in way.path[:-1] for u in made.units_at(c)]


@few
@given(situation=situations(), count=st.integers(1, 3), passing=st.booleans())
def test_steps_away_end_as_far_as_can_be(
    game: Ruleset, situation: dict[str, Any], count: int, passing: bool
) -> None:
    battle = battle_of(game, **situation)
    made = board(battle)
    unit, other = battle.everyone["unit"][0], battle.everyone["unit"][-1]
    before = made.distance(unit, other)
    away = CALL["steps_away"](battle, unit, other, count, passing)
    ends = {made.distance(w.place, other) for w in away}
    assert len(ends) <= 1
    assert all(e > before for e in ends)
    assert all(w.cost == 0 and made.unit_at(w.place.cell) is None for w in away)
    if not passing:
        assert all(len(w.path) <= count for w in away)
        reached = one_by_one(battle, unit, count)
        best = max((made.distance(made.hexes[c], other) for c in reached), default=0)
        assert ends == ({best} if best > before else set())
        near = CALL["steps_towards"](battle, unit, other, count)
        least = min((made.distance(made.hexes[c], other) for c in reached), default=99)
        assert {made.distance(w.place, other) for w in near} == ({least} if least < before else set())


def one_by_one(battle: Battle, unit: Any, count: int) -> set[int]:
    """The free hexes that so many steps lead to."""
    made, ask = board(battle), battle.code.number
    reached = {made.cell_of(unit)}
    for _ in range(count):
        for cell in list(reached):
            assert cell is not None
            if all(u is unit or ask("may_pass")(battle, unit, u) for u in made.units_at(cell)):
                reached |= {n for n in made.grid.near[cell] if ask("may_enter")(battle, unit, made.hexes[n])}
    return {c for c in reached if c is not None and made.unit_at(c) is None}


def test_of_equal_ways_the_one_past_nobody_is_taken(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "2-3"), ("b", "birds", "3-3")])
    (way,) = CALL["walks_to"](battle, battle.by_id["a"], hex_of(battle, "4-3"), 5)
    assert (way.cost, way.passed) == (2, [battle.by_id["b"]])
    (way,) = CALL["walks_to"](battle, battle.by_id["a"], hex_of(battle, "4-4"), 5)
    assert (way.cost, way.passed) == (3, [])


# -- going ---------------------------------------------------------------------------------------


@few
@given(situation=situations(), data=st.data())
def test_travel_goes_there(game: Ruleset, situation: dict[str, Any], data: st.DataObject) -> None:
    battle = battle_of(game, **situation)
    unit = battle.everyone["unit"][0]
    ways = CALL["walks"](battle, unit, 6)
    assume(ways)
    way = data.draw(st.sampled_from(ways))
    trodden: list[str] = []
    battle.travel(unit, way, [("enters", lambda who, where: trodden.append(where.id))])
    assert unit.place is way.place
    assert trodden == [h.id for h in way.steps]
    assert battle.broken_laws() == []
    assert battle.log[-1]["kind"] == "move"
    with pytest.raises(RuleFault, match="no longer stands"):
        battle.travel(unit, way, [])


@few
@given(situation=situations(), data=st.data())
def test_who_is_stopped_stands_on_nobody(game: Ruleset, situation: dict[str, Any], data: st.DataObject) -> None:
    battle = battle_of(game, **situation)
    unit = battle.everyone["unit"][0]
    ways = [w for w in CALL["walks"](battle, unit, 6) if len(w.path) > 1]
    assume(ways)
    way = data.draw(st.sampled_from(ways))
    at = data.draw(st.integers(0, len(way.path) - 1))
    by_state = data.draw(st.booleans())
    start = unit.place

    def stop(who: Any, where: Any) -> None:
        if where is way.steps[at]:
            if by_state:
                battle.put(who, "halted", True)
            else:
                battle.stop_travel()

    battle.travel(unit, way, [("enters", stop)])
    free = [start, *(h for h in way.steps[: at + 1] if board(battle).units_at(h.cell) in ([], (), [unit]))]
    assert unit.place is free[-1]
    assert battle.broken_laws() == []


def test_who_is_put_elsewhere_on_the_way_stays_there(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-1")])
    unit = battle.by_id["a"]
    (way,) = CALL["walks_to"](battle, unit, hex_of(battle, "5-1"), 5)
    away = hex_of(battle, "1-6")
    battle.travel(unit, way, [("enters", lambda who, where: CALL["put_at"](battle, who, away))])
    assert unit.place is away


def test_nobody_goes_the_way_of_another(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-1"), ("b", "foot", "2-1")])
    way = CALL["walks"](battle, battle.by_id["a"], 3)[0]
    with pytest.raises(RuleFault, match="cannot go the way"):
        battle.travel(battle.by_id["b"], way, [])


def test_nobody_travels_within_a_together(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-1")])
    way = CALL["walks"](battle, battle.by_id["a"], 3)[0]
    with pytest.raises(RuleFault, match="together"), battle.together():
        battle.travel(battle.by_id["a"], way, [])


def test_who_is_displaced_is_not_held_by_whoever_stands_on_it(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "3-3")], [("x", "foot", "3-4")])
    a, x = battle.by_id["a"], battle.by_id["x"]
    put(board(battle), a, board(battle).cell_of(x))
    assert len(CALL["steps_away"](battle, x, hex_of(battle, "3-3"), 1)) >= 2


def test_without_a_place_there_are_no_ways(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "")], [("x", "foot", "1-1")])
    a, x = battle.by_id["a"], battle.by_id["x"]
    assert CALL["walks"](battle, a, 5) == CALL["walks_to"](battle, a, hex_of(battle, "2-2"), 5) == []
    assert CALL["steps_away"](battle, a, x, 1) == CALL["steps_away"](battle, x, a, 1) == []
    assert CALL["path_cost"](battle, a, x) == NO_WAY
    assert CALL["distance"](battle, a, x) == 13
    assert not CALL["sees"](battle, a, x)
    assert CALL["nearest_enemy"](battle, x) is None
