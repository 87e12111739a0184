"""Routs and pursuits."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from field.situations import COLUMN, MONSTER, block, fewer, tables
from warhost_field import (
    FleeRules,
    Formation,
    MoveCosts,
    MoveRules,
    Pose,
    Tabletop,
    TurnCost,
    distance,
    flee_direction,
    flee_move,
    follow,
    piece,
    touches,
)

ME = block(30, 24, id="me", side="blue")
FOE = block(30, 24, 180, id="foe", side="red")


def test_out_of_contact_straight_back() -> None:
    flight = flee_move(ME, 8, Tabletop(60, 48, (), (ME, FOE)))
    assert (flight.direction, flight.distance, flight.stopped, flight.left_table) == (
        180.0,
        8.0,
        False,
        False,
    )
    assert distance(flight.final, FOE) == pytest.approx(8.0)
    assert flight.final.pose == Pose(30, 14, 180)


def test_without_enemies_backwards() -> None:
    assert flee_direction(ME, []) == 180.0


def test_between_two_enemies_along_the_bisector() -> None:
    unit = block(30, 24, form=MONSTER, id="me", side="blue")
    north = block(30, 26, 180, MONSTER, id="north", side="red")
    assert flee_direction(unit, [north], 9) == 180.0
    south = block(30, 14, 0, MONSTER, id="south", side="red")
    assert flee_direction(unit, [north, south], 9) in (90.0, 270.0)
    south_west = block(26, 18, 45, MONSTER, id="sw", side="red")
    assert 90.0 < flee_direction(unit, [north, south_west], 9) < 180.0


def test_centres_may_be_what_counts() -> None:
    enemy = block(34, 26, 180, MONSTER, id="foe", side="red")
    unit = block(30, 24, form=MONSTER, id="me", side="blue")
    assert flee_direction(unit, [enemy], 5, "centres") == pytest.approx(218.66, abs=0.1)


def test_friends_are_passed_and_not_ended_on() -> None:
    friend = block(30, 14, id="friend", side="blue")
    table = Tabletop(60, 48, (), (ME, FOE, friend))
    assert flee_move(ME, 8, table).passed == ()
    flight = flee_move(ME, 9, table)
    assert flight.passed == ("friend",)
    assert flight.distance == pytest.approx(12.0, abs=0.02)  # on beyond the friend's rear at y 12
    short = flee_move(ME, 9, table, rules=FleeRules(on_friend="short"))
    assert short.distance == pytest.approx(8.0, abs=0.02)
    assert short.passed == ()
    assert touches(short.final, friend, 0.02)


def test_round_a_cliff() -> None:
    cliff = piece(
        {
            "id": "c",
            "type": "cliff",
            "shape": "rectangle",
            "x": 30,
            "y": 16,
            "width": 8,
            "depth": 2,
            "impassable": True,
        }
    )
    flight = flee_move(ME, 10, Tabletop(60, 48, (cliff,), (ME, FOE)))
    assert flight.deviation != 0.0
    assert not flight.stopped
    assert not cliff.covers_any_of(flight.final.shape)


def test_in_the_air_over_a_cliff() -> None:
    cliff = piece(
        {"id": "c", "type": "cliff", "shape": "rectangle", "x": 30, "y": 16, "width": 8, "depth": 2, "impassable": True}
    )
    flyer = replace(ME, airborne=True)
    flight = flee_move(flyer, 10, Tabletop(60, 48, (cliff,), (flyer, FOE)))
    assert (flight.deviation, flight.distance, flight.stopped) == (0.0, 10.0, False)


def test_round_friends_who_are_in_the_way() -> None:
    friend = block(30, 14, id="friend", side="blue")
    table = Tabletop(60, 48, (), (ME, FOE, friend))
    flight = flee_move(ME, 12, table, rules=FleeRules(round=("friend",)))
    assert flight.deviation != 0.0
    assert flight.passed == ()
    assert distance(flight.final, FOE) > 2.0


def test_over_the_edge_and_gone() -> None:
    unit = block(30, 6, id="me", side="blue")
    enemy = block(30, 6, 180, id="foe", side="red")
    table = Tabletop(60, 48, (), (unit, enemy))
    any_part = flee_move(unit, 9, table)
    assert any_part.left_table
    assert any_part.distance == pytest.approx(4.0)
    assert flee_move(unit, 9, table, rules=FleeRules(gone_when="centre")).distance == pytest.approx(5.0)
    assert flee_move(unit, 9, table, rules=FleeRules(gone_when="whole")).distance == pytest.approx(6.0)
    assert not flee_move(unit, 5.9, table, rules=FleeRules(gone_when="whole")).left_table


def test_attacked_in_the_flank_a_column_slides_off_sideways() -> None:
    column = block(30, 24, form=COLUMN, id="me", side="blue")
    enemy = block(29, 21, 90, id="foe", side="red")
    flight = flee_move(column, 1.5, Tabletop(60, 48, (), (column, enemy)))
    assert flight.direction == 90.0
    assert distance(flight.final, enemy) >= 1.49
    assert flight.final.facing == 90.0


def test_surrounded_it_stays() -> None:
    unit = block(30, 24, form=MONSTER, id="me", side="blue")
    ring = (
        block(30, 24, 180, Formation(9, 9, 1, 1), id="n", side="red"),
        block(30, 21, 0, Formation(9, 9, 1, 1), id="s", side="red"),
        block(29, 22.5, 90, Formation(3, 3, 1, 1), id="w", side="red"),
        block(31, 22.5, 270, Formation(3, 3, 1, 1), id="e", side="red"),
    )
    flight = flee_move(unit, 9, Tabletop(60, 48, (), (unit, *ring)))
    assert flight.stopped
    assert flight.distance < 0.1


def test_pursuers_catch_the_rear_or_run_after() -> None:
    fled = flee_move(ME, 8, Tabletop(60, 48, (), (ME, FOE))).final
    table = Tabletop(60, 48, (), (fled, FOE))
    caught = follow(FOE, fled, 12, table)
    assert caught.caught
    assert touches(caught.final, fled)
    assert caught.cost == pytest.approx(8.0)
    missed = follow(FOE, fled, 5, table)
    assert not missed.caught
    assert missed.cost == pytest.approx(5.0)


@given(tables(most=2), st.integers(10, 150))
@fewer
def test_unobstructed_flight_leads_away_from_the_closest_enemy(table: Tabletop, tenths: int) -> None:
    unit = table.blocks[0]
    table = Tabletop(200, 200, (), table.blocks)
    for enemy in table.others(unit, "enemies"):
        flight = flee_move(unit, tenths / 10, table)
        assert flight.left_table or distance(flight.final, enemy) >= distance(unit, enemy) - 1e-3


@given(tables(), st.integers(10, 200), st.sampled_from([FleeRules(), FleeRules(on_friend="short")]))
@fewer
def test_a_flight_ends_on_nobody(table: Tabletop, tenths: int, rules: FleeRules) -> None:
    unit = table.blocks[0]
    flight = flee_move(unit, tenths / 10, table, rules=rules)
    if not flight.left_table:
        assert table.overlaps(flight.final) == ()
    assert flight == flee_move(unit, tenths / 10, table, rules=rules)


@given(tables(), st.integers(10, 200))
@fewer
def test_a_pursuit_is_legal(table: Tabletop, tenths: int) -> None:
    unit = table.blocks[0]
    for enemy in table.others(unit, "enemies"):
        chase = follow(unit, enemy, tenths / 10, table)
        assert table.overlaps(chase.final) == ()
        assert chase.cost <= tenths / 10
        assert not chase.caught or touches(chase.final, enemy)


@given(tables(), st.integers(10, 200))
@fewer
def test_a_pursuit_on_wheels_is_legal_and_catches_nobody_whom_a_free_one_would_not(
    table: Tabletop, tenths: int
) -> None:
    unit = table.blocks[0]
    rules = MoveRules(costs=MoveCosts(wheel=TurnCost("arc")))
    for enemy in table.others(unit, "enemies"):
        chase = follow(unit, enemy, tenths / 10, table, rules, ("wheel",))
        assert table.overlaps(chase.final) == ()
        assert chase.cost <= tenths / 10
        assert not chase.caught or follow(unit, enemy, tenths / 10, table).caught
        if unit.formation.kind == "ranked":
            assert {type(leg).__name__ for leg in chase.legs} <= {"Wheel", "Advance", "Close"}


def test_a_wheel_in_pursuit_takes_of_the_way() -> None:
    fled = block(20, 24, 270, id="foe", side="red")
    table = Tabletop(60, 48, (), (ME, fled))
    wheeled = follow(ME, fled, 12, table, MoveRules(costs=MoveCosts(wheel=TurnCost("arc"))), ("wheel",))
    free = follow(ME, fled, 12, table)
    assert distance(wheeled.final, fled) > distance(free.final, fled)


def test_turning_its_back_never_swings_a_column_nearer() -> None:
    column = block(30, 24, form=COLUMN, id="me", side="blue")
    enemy = block(27.5, 21, 90, id="foe", side="red")
    flight = flee_move(column, 1, Tabletop(60, 48, (), (column, enemy)))
    assert distance(flight.final, enemy) == pytest.approx(2.5, abs=1e-3)


def test_away_from_a_corner_that_pokes_into_ones_own_edge() -> None:
    unit = block(30, 24, 45, id="me", side="blue")
    corner = block(33, 26, 0, Formation(6, 12, 1, 1), id="foe", side="red")
    assert touches(unit, corner)
    assert flee_direction(unit, [corner], 5) == 225.0


def test_a_chase_never_costs_more_than_the_allowance_by_rounding() -> None:
    unit = block(30, 24, 180, MONSTER, id="me", side="blue")
    fled = block(48.8, 23.5, 270, COLUMN, id="foe", side="red")
    chase = follow(unit, fled, 7.1, Tabletop(60, 48, (), (unit, fled)))
    assert 7.09 < chase.cost <= 7.1
