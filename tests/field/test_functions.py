"""The plugin's functions on the table of a real battle, with units put where hypothesis likes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import RuleFault
from warhost.packs import load
from warhost_field.binding import OpenTable, field_of, stand
from warhost_field.closing import FUNCTIONS as CLOSING
from warhost_field.functions import FUNCTIONS, in_sight, may_stand
from warhost_field.legality import faults, is_legal
from warhost_field.moves import Advance, Sidestep, sweep
from warhost_field.orders import to_json
from warhost_field.travel import Move, WayOptions, too_near, touching

ROOT = Path(__file__).resolve().parents[2]
CALL = {f.name: f.call for f in (*FUNCTIONS, *CLOSING)}
few = settings(max_examples=20)
fewer = settings(max_examples=8, deadline=None)

SHAPES: dict[str, dict[str, Any]] = {
    "wood": {"ellipse": {"x": 20, "y": 20, "width": 12, "depth": 9}},
    "hill": {"ellipse": {"x": 44, "y": 30, "width": 14, "depth": 10}},
    "deep_water": {"rectangle": {"x": 30, "y": 40, "width": 9, "depth": 5}},
    "low_hedge": {"line": {"points": [[6, 30], [18, 33]], "thickness": 1}},
}
BOARD = {
    "table": {"width": 60, "depth": 48},
    "terrain": [
        {"id": f"the_{type_}", "type": type_, "shape": shape, "height": int(type_ in ("wood", "hill"))}
        for type_, shape in SHAPES.items()
    ],
}


@cache
def rules() -> Any:
    assert "WARHOST_CACHE" in os.environ
    return load(ROOT / "rulesets" / "small_fantasy")


@dataclass
class Place:
    """Where hypothesis puts a unit, if it fits there."""

    x: int
    y: int
    facing: float


@st.composite
def places(draw: st.DrawFn) -> Place:
    facing = draw(st.one_of(st.sampled_from([0.0, 90.0, 180.0, 270.0]), st.integers(0, 359).map(float)))
    return Place(draw(st.integers(2, 58)), draw(st.integers(2, 46)), facing)


@st.composite
def battles(draw: st.DrawFn) -> Battle:
    """A battle before its first phase, with two to eight units of both sides on the table and the others not yet."""
    names = draw(st.sampled_from([("elves", "orcs"), ("orcs", "dwarves"), ("free_company", "elves")]))
    data = {"id": "here", "name": "Here", "board": BOARD}
    battle = Battle(rules(), [Army.ready(n, rules()) for n in names], 1, scenario=data)
    units = battle.everyone["unit"]
    order = draw(st.permutations(range(len(units))))
    for index in order[: draw(st.integers(2, 8))]:
        put(battle, units[index], draw(places()))
    return battle


def put(battle: Battle, unit: Any, place: Place) -> None:
    """Put a unit down if there is room, else leave it beside the table."""
    CALL["place_at"](battle, unit, place.x, place.y, place.facing)
    made = field_of(battle)
    if not may_stand(made, unit, made.block(unit)):
        unit._placed = False
        made.changed()


def on_table(battle: Battle) -> list[Any]:
    found = list(field_of(battle).on_table())
    assume(len(found) >= 2)
    return found


allowances = st.sampled_from([3, 6, 9, 14, 20])


def ways(battle: Battle, unit: Any, allowance: int) -> WayOptions:
    found = CALL["moves"](battle, unit, allowance)
    assert isinstance(found, WayOptions)
    return found


@few
@given(battles(), allowances)
def test_no_way_costs_more_than_the_worst_ground_on_it_leaves(battle: Battle, allowance: int) -> None:
    made = field_of(battle)
    for unit in on_table(battle)[:3]:
        # whoever stands already where he may not go comes out again as over open ground
        stands_in = {p.id for p in made.table().pieces if p.covers_any_of(made.block(unit).shape)}
        for move in ways(battle, unit, allowance):
            shares = {land.id: float(made.number("terrain_share", unit, land)) for land in move.crossed}
            assert {id_ for id_, share in shares.items() if share == 0.0} <= stands_in
            most = allowance * min([1.0, *(share for share in shares.values() if share > 0.0)]) + 1e-3
            straight = sum(abs(leg.distance) for leg in move.whole.legs if isinstance(leg, Advance | Sidestep))
            assert move.cost <= most
            assert straight <= most


@fewer
@given(battles(), allowances, st.floats(-1.0, 1.0))
def test_a_short_way_finds_the_same(battle: Battle, allowance: int, share: float) -> None:
    """Legal is what has no faults; what was worked out for those near stands when others have come and gone."""
    made = field_of(battle)
    for unit in on_table(battle)[:2]:
        allowed = made.rules_for(unit)
        for move in ways(battle, unit, allowance):
            for legs in (move.whole.legs, (*move.whole.legs, Advance(8.0 * share))):
                whole = sweep(made.block(unit), legs, allowed.costs, allowance)
                legal = is_legal(whole, allowance, made.table(), allowed)
                assert legal == (faults(whole, allowance, made.table(), allowed) == [])
    for mover in on_table(battle)[:2]:
        stand(made, mover, mover.x + 3.0 * share, mover.y, mover.facing + 90.0 * share)
        fresh = OpenTable(battle, made.width, made.depth, made.zones, made.shapes, made.placed, made.entities)
        for a in on_table(battle):
            assert touching(made, a) == touching(fresh, a)
            for b in on_table(battle):
                assert in_sight(made, made.block(a), made.block(b)) == in_sight(fresh, fresh.block(a), fresh.block(b))


@few
@given(battles(), allowances)
def test_every_way_that_is_offered_is_legal(battle: Battle, allowance: int) -> None:
    made = field_of(battle)
    for unit in on_table(battle)[:3]:
        for flying in (False, True):
            allowed = made.rules_for(unit, flying)
            for move in CALL["flights" if flying else "moves"](battle, unit, allowance):
                assert faults(move.whole, allowance, made.table(), allowed) == []
                assert too_near(move.whole, made.table(), allowed, float(made.number("keep_off", unit))) == []
                assert not move.final.airborne


@few
@given(battles(), allowances, st.integers(0, 30))
def test_a_unit_that_has_travelled_stands_where_the_move_said(battle: Battle, allowance: int, pick: int) -> None:
    made = field_of(battle)
    for unit in on_table(battle)[:3]:
        found: list[Move] = [*ways(battle, unit, allowance), *CALL["flights"](battle, unit, allowance)]
        found += CALL["flee_moves"](battle, unit, allowance)
        if not found:
            continue
        move = found[pick % len(found)]
        move.perform(battle, unit, {})
        if move.leaves_table:
            continue
        assert made.block(unit) == move.final
        assert battle.broken_laws() == []


@few
@given(battles(), allowances)
def test_a_charge_ends_in_contact_and_on_nobody(battle: Battle, allowance: int) -> None:
    made = field_of(battle)
    units = on_table(battle)
    for unit in units[:4]:
        for target in [u for u in units if u.side is not unit.side][:2]:
            found = CALL["charge_moves"](battle, unit, target, allowance)
            if unit.single is False and found:
                assert CALL["may_reach"](battle, unit, target, allowance)
            for move in found:
                assert not made.table().overlaps(move.final)
                assert CALL["end_distance"](battle, move, target) <= 0.0101
                assert move.reaches is target


@few
@given(battles())
def test_units_out_of_the_way_hide_no_models_and_ground_goes_on_hiding_them(battle: Battle) -> None:
    units = on_table(battle)
    for one in units[:4]:
        for two in [u for u in units if u is not one][:4]:
            seen = CALL["models_in_sight"](battle, one, two, [])
            past = CALL["models_in_sight"](battle, one, two, [u for u in units if u is not one and u is not two])
            assert 0 <= seen <= past == CALL["models_uncovered"](battle, one, two, [])


@few
@given(battles())
def test_contact_and_sight_are_the_same_both_ways(battle: Battle) -> None:
    units = on_table(battle)
    for a in units:
        for b in units:
            assert (b in CALL["contacts"](battle, a)) == (a in CALL["contacts"](battle, b))
            assert CALL["touches"](battle, a, b) == CALL["touches"](battle, b, a)
            assert CALL["sees"](battle, a, b) == CALL["sees"](battle, b, a)
            assert CALL["distance"](battle, a, b) == pytest.approx(CALL["distance"](battle, b, a))


@few
@given(battles(), allowances)
def test_sides_are_named_by_their_words(battle: Battle, allowance: int) -> None:
    units = on_table(battle)
    for a in units:
        for b in units:
            assert CALL["side_attacked"](battle, a, b) in ("front", "flank", "rear")
    for move in ways(battle, units[0], allowance)[:5]:
        assert CALL["end_side"](battle, move, units[1]) in ("front", "flank", "rear")


@pytest.mark.parametrize(
    ("across", "along", "side"),
    [(4, 4, "front"), (4, 3.9, "flank"), (3.9, 4, "front"), (4, -4, "rear"), (4, -3.9, "flank"), (-3, 9, "front")],
)
def test_the_side_is_told_on_the_line_out_of_a_corner_too(across: float, along: float, side: str) -> None:
    """A lone figure stands off the front right (or rear right) corner of a regiment, by so much."""
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario={"id": "x", "name": "x"})
    target = next(u for u in battle.sides[0].units if not u.single and u.size >= 12)
    attacker = next(u for u in battle.sides[1].units if u.single)
    CALL["place_at"](battle, target, 30, 15, 0)
    block = field_of(battle).block(target)
    x, y = block.front_right if along > 0 else block.rear_right
    half = field_of(battle).block(attacker).depth / 2
    CALL["place_at"](battle, attacker, x + across, y + along + half, 0)
    assert CALL["side_attacked"](battle, attacker, target) == side


@few
@given(st.integers(-8, 8), st.sampled_from([0, 90, 180, 270]), st.integers(1, 9))
def test_what_reaches_past_one_flank_is_short_at_the_other(across: int, facing: int, along: int) -> None:
    """A block before another's front, in line with it or square to it, moved along that front."""
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario={"id": "x", "name": "x"})
    target = next(u for u in battle.sides[0].units if not u.single and u.size >= 12)
    attacker = next(u for u in battle.sides[1].units if not u.single and u.size >= 12)
    CALL["place_at"](battle, target, 30, 15, 0)
    CALL["place_at"](battle, attacker, 30 + across, 15 + along, facing)
    one, two = field_of(battle).block(attacker), field_of(battle).block(target)
    left, right = (CALL["reach_past"](battle, attacker, target, on_left) for on_left in (True, False))
    extent = one.depth if facing in (90, 270) else one.width
    assert left + right == pytest.approx(extent - two.width)
    assert right == pytest.approx(one.centre[0] - two.centre[0] + (extent - two.width) / 2)
    behind, length = CALL["reach_behind"](battle, attacker, target), one.width if facing in (90, 270) else one.depth
    assert behind == pytest.approx(two.centre[1] - one.centre[1] + (length - two.depth) / 2)


@few
@given(st.integers(-9, 9))
def test_who_slides_along_its_front_brings_more_models_to_the_enemy_and_loses_nobody(across: int) -> None:
    """A block whose front touches that of another, so far aside."""
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario={"id": "x", "name": "x"})
    target = next(u for u in battle.sides[0].units if not u.single and u.size >= 12)
    attacker = next(u for u in battle.sides[1].units if not u.single and u.size >= 12)
    CALL["place_at"](battle, target, 30, 15, 0)
    CALL["place_at"](battle, attacker, 30 + across, 15, 180)
    before = CALL["models_touching"](battle, attacker, [target])
    offered = CALL["slides"](battle, attacker)
    narrower = min(field_of(battle).block(u).formation.frontage for u in (attacker, target))
    if CALL["touches"](battle, attacker, target) and before < narrower:
        assert offered
    if offered:
        CALL["close_at"](battle, attacker, offered[0])
        assert CALL["models_touching"](battle, attacker, [target]) > before
        assert CALL["touches"](battle, attacker, target)
        assert (attacker.y, attacker.facing) == (15, 180)
        assert not CALL["slides"](battle, attacker)


@few
@given(battles(), allowances)
def test_an_offered_way_may_also_be_given_as_legs(battle: Battle, allowance: int) -> None:
    for unit in on_table(battle)[:3]:
        found = ways(battle, unit, allowance)
        for move in found:
            again = found.free({"legs": [to_json(leg) for leg in move.whole.legs]})
            assert again.final == move.final
            assert again.cost == move.cost


NONSENSE: list[Any] = [
    {}, {"legs": []}, {"legs": "ahead"}, {"legs": [{"hop": 3}]}, {"legs": [{"advance": "far"}]},
    {"legs": [{"advance": 500}]}, {"legs": [{"advance": 10**400}]}, {"legs": [{"advance": float("nan")}]},
    {"legs": [{"fly": [20, 20]}]}, {"to": [-10, -10]}, {"to": [1]}, {"to": [30, 30], "speed": 9},
    {"legs": [{"wheel": 90, "side": "up"}]}, {"legs": [{"close": [3, 3]}]}, {"legs": [{"reform": 3}]},
]  # fmt: skip


@few
@given(battles(), st.sampled_from(NONSENSE))
def test_an_illegal_answer_is_refused_with_reasons_and_changes_nothing(battle: Battle, answer: Any) -> None:
    unit = on_table(battle)[0]
    before = battle.state_hash()
    with pytest.raises(RuleFault, match=r"no legal move: \W?\w+"):
        ways(battle, unit, 6).free(answer)
    assert battle.state_hash() == before


@few
@given(battles())
def test_nobody_walks_into_an_enemy_of_his_own_making(battle: Battle) -> None:
    """A free answer ends in contact with nobody whom the unit did not touch before: that takes a charge."""
    units = on_table(battle)
    for unit in units[:3]:
        found = ways(battle, unit, 40)
        for foe in [u for u in units if u.side is not unit.side and u not in CALL["contacts"](battle, unit)]:
            for charge in CALL["charge_moves"](battle, unit, foe, 40):
                legs = [to_json(leg) for leg in charge.whole.legs if "close" not in to_json(leg)]
                with pytest.raises(RuleFault, match="too near"):
                    found.free({"legs": legs})


@few
@given(battles(), allowances)
def test_who_is_stopped_on_the_way_stands_on_nobody(battle: Battle, allowance: int) -> None:
    made = field_of(battle)
    for unit in on_table(battle)[:3]:
        for move in CALL["flee_moves"](battle, unit, allowance):
            stop = {n: lambda who, other: battle.stop_travel() for n in ("touches_on_the_way", "enters_terrain")}
            move.perform(battle, unit, stop)
            if not move.leaves_table:
                assert made.table().overlaps(made.block(unit)) == ()


@few
@given(battles(), allowances)
def test_withdrawals_and_pursuits_end_on_nobody_and_on_the_table(battle: Battle, allowance: int) -> None:
    made = field_of(battle)
    units = on_table(battle)
    for unit in units[:4]:
        others = [u for u in units if u.side is not unit.side][:2]
        found = list(CALL["withdrawals"](battle, unit, allowance))
        for other in others:
            found += CALL["follow_moves"](battle, unit, other, allowance)
        for move in found:
            assert made.table().is_inside(move.final)
            assert not made.table().overlaps(move.final)


@few
@given(battles(), st.integers(1, 14))
def test_a_unit_reforms_and_turns_only_where_there_is_room(battle: Battle, files: int) -> None:
    units = on_table(battle)
    for unit in units[:4]:
        before = (unit.x, unit.y, unit.facing, unit.files)
        if not CALL["reform"](battle, unit, files):
            assert (unit.x, unit.y, unit.facing, unit.files) == before
        CALL["turn_to_face"](battle, unit, units[-1])
        assert battle.broken_laws() == []


@few
@given(battles(), st.integers(1, 40))
def test_room_for_more_models_means_that_nobody_is_in_the_way(battle: Battle, models: int) -> None:
    for unit in on_table(battle)[:4]:
        if unit.single or unit.figure == "artillery" or not CALL["room_for"](battle, unit, models):
            continue
        old = unit.bases
        battle.put(unit, "bases", models)
        assert battle.broken_laws() == []
        battle.put(unit, "bases", old)


def test_every_question_has_an_answer_for_units_without_a_place() -> None:
    data = {"id": "here", "name": "Here", "board": BOARD}
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario=data)
    one, other = battle.sides[0].units[0], battle.sides[1].units[0]
    here = battle.sides[1].units[1]
    CALL["place_at"](battle, here, 30, 20, 0)
    for a, b in ((one, other), (one, here), (here, one)):
        assert CALL["distance"](battle, a, b) > 60
        assert not CALL["touches"](battle, a, b)
        assert not CALL["sees"](battle, a, b)
        assert not CALL["in_front"](battle, a, b)
        assert CALL["side_attacked"](battle, a, b) == "front"
        assert CALL["reach_past"](battle, a, b, True) < -60
        assert CALL["reach_behind"](battle, a, b) < -60
        assert CALL["cover_between"](battle, a, b) == []
        assert CALL["crossed_between"](battle, a, b) == []
        assert not CALL["may_reach"](battle, a, b, 100)
        assert CALL["charge_moves"](battle, a, b, 100) == []
        assert CALL["charge_flights"](battle, a, b, 100) == []
        assert CALL["follow_moves"](battle, a, b, 100) == []
        assert not CALL["turn_to_face"](battle, a, b)
    for name in ("contacts", "terrain_under", "terrain_touching"):
        assert CALL[name](battle, one) == []
    assert CALL["level"](battle, one) == 0
    land = field_of(battle).entities["the_wood"]
    assert CALL["models_inside"](battle, one, land) == 0
    assert CALL["ranks"](battle, one) >= 1
    assert CALL["frontage"](battle, one) == min(one.files, field_of(battle).formation(one).models)
    assert CALL["nearest_enemy"](battle, one) is None
    assert CALL["room_for"](battle, one, 12)
    for name in ("moves", "flights", "flee_moves", "withdrawals"):
        assert list(CALL[name](battle, one, 10)) == []
    with pytest.raises(RuleFault, match="not on the table"):
        CALL["moves"](battle, one, 10).free({"legs": [{"advance": 3}]})
    assert not one._placed


def test_a_move_is_made_only_by_its_own_unit_and_from_where_it_begins() -> None:
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario={"id": "x", "name": "x"})
    one, other = battle.sides[0].units[:2]
    CALL["place_at"](battle, one, 30, 20, 0)
    CALL["place_at"](battle, other, 60, 20, 0)
    move = CALL["moves"](battle, one, 6)[0]
    with pytest.raises(RuleFault, match="cannot go the way"):
        move.perform(battle, other, {})
    CALL["place_at"](battle, one, 30, 30, 0)
    with pytest.raises(RuleFault, match="no longer stands"):
        move.perform(battle, one, {})


def test_nobody_is_set_up_where_somebody_stands() -> None:
    scenario = next(iter(rules().scenarios))
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario=scenario)
    one, other = battle.sides[0].units[:2]
    spot = CALL["spots"](battle, one, "first")[0]
    CALL["deploy"](battle, one, spot)
    assert all(s.label != spot.label or s.final is None for s in CALL["spots"](battle, other, "first")[:1])
    with pytest.raises(RuleFault, match="no room"):
        CALL["deploy"](battle, other, spot)
    assert battle.broken_laws() == []
