"""Charges: hand-computed ones, and what holds of all."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from field.situations import COLUMN, HORSE, LINE, MONSTER, SKIRMISH, block, fewer, tables, wood
from warhost_field import (
    Advance,
    ChargeRules,
    Formation,
    MoveCosts,
    MoveRules,
    Pose,
    Tabletop,
    TurnCost,
    charge_path,
    charge_paths,
    free_places,
    piece,
    side_of,
    touches,
    touching_bases,
)

FOE = block(30, 30, 180, id="foe", side="red")
SHARE = ChargeRules(MoveRules(MoveCosts(wheel=TurnCost("share", 0.5), pivot=TurnCost("share", 0.5))))


def test_straight_ahead() -> None:
    unit = block(30, 10, id="me", side="blue")
    charge = charge_path(unit, FOE, 20, Tabletop(60, 48, (), (unit, FOE)))
    assert charge.possible
    assert (charge.side, charge.legs, charge.cost, charge.bases) == ("front", (Advance(20.0),), 20.0, 6)
    assert charge.final.pose == Pose(30, 30, 0)


def test_too_far_says_by_how_much() -> None:
    unit = block(30, 10, id="me", side="blue")
    charge = charge_path(unit, FOE, 17, Tabletop(60, 48, (), (unit, FOE)))
    assert charge.reasons == ("too far: needs 20, has 17",)
    assert charge.cost == 20.0


def test_from_the_side_it_wheels_and_closes_the_door() -> None:
    unit = block(20, 15, id="me", side="blue")
    charge = charge_path(unit, FOE, 25, Tabletop(60, 48, (), (unit, FOE)))
    assert charge.possible
    assert (charge.side, charge.final.facing, charge.bases) == ("front", 0.0, 6)
    assert charge.cost < 20


def test_into_the_flank() -> None:
    unit = block(10, 31, 90, HORSE, id="me", side="blue")
    charge = charge_path(unit, FOE, 25, Tabletop(60, 48, (), (unit, FOE)))
    assert (charge.possible, charge.side) == (True, "right")
    assert charge.final.facing == 90.0
    assert charge.final.pose.x == 27.0
    assert len(touching_bases(charge.final, FOE)) >= 4


def test_turning_may_cost_a_share_of_the_allowance() -> None:
    unit = block(20, 15, 20, id="me", side="blue")
    charge = charge_path(unit, FOE, 25, Tabletop(60, 48, (), (unit, FOE)), SHARE)
    assert charge.possible
    assert charge.cost <= 25


ASLANT = ChargeRules(MoveRules(MoveCosts(wheel=TurnCost("arc")), slant=45.0), ("wheel",))


def test_a_block_slides_into_the_fullest_contact() -> None:
    unit = block(26, 26, id="me", side="blue")
    charge = charge_path(unit, FOE, 6, Tabletop(60, 48, (), (unit, FOE)), ASLANT)
    assert charge.possible
    assert (charge.final.pose, charge.bases) == (Pose(30, 30, 0), 6)
    assert charge.cost == 5.6569


def test_no_farther_aside_than_ahead() -> None:
    unit = block(25, 28, id="me", side="blue")
    charge = charge_path(unit, FOE, 6, Tabletop(60, 48, (), (unit, FOE)), ASLANT)
    assert charge.possible
    assert (charge.final.pose, charge.bases) == (Pose(27, 30, 0), 4)


def test_the_fullest_places_are_offered_and_no_others() -> None:
    foe = block(30, 30, 180, Formation(14, 28, 1, 1), id="foe", side="red")
    unit = block(30, 26, id="me", side="blue")
    ways = charge_paths(unit, foe, 8, Tabletop(60, 48, (), (unit, foe)), ASLANT)
    assert [way.final.pose.x for way in ways] == [30.0, 27.0, 33.0]
    assert len({way.bases for way in ways}) == 1


def test_an_incomplete_last_rank_is_no_flank() -> None:
    foe = block(30, 30, 180, Formation(6, 13, 1, 1), id="foe", side="red")  # its left looks to greater x, ranks to y
    unit = block(37, 31, 270, Formation(2, 4, 1, 1), id="me", side="blue")
    charge = charge_path(unit, foe, 8, Tabletop(60, 48, (), (unit, foe)), ASLANT)
    assert charge.possible
    assert (charge.bases, charge.final.pose) == (2, Pose(33, 31, 270))


def test_a_second_charger_finds_its_place_beside_the_first() -> None:
    foe = block(30, 30, 180, Formation(12, 12, 1, 1), id="foe", side="red")
    first = block(28, 30, 0, id="first", side="blue")
    second = block(34, 20, 0, id="second", side="blue")
    table = Tabletop(60, 48, (), (foe, first, second))
    charge = charge_path(second, foe, 14, table)
    assert charge.possible, charge.reasons
    assert charge.final.pose == Pose(34, 30, 0)
    assert charge.bases >= 5
    assert free_places(second, foe, "front", table)[0].x == 34.0


def test_no_room() -> None:
    foe = block(30, 30, 180, MONSTER, id="foe", side="red")
    first = block(30, 30, 0, Formation(20, 40, 1, 1), id="first", side="blue")
    second = block(30, 20, 0, id="second", side="blue")
    charge = charge_path(second, foe, 20, Tabletop(60, 48, (), (foe, first, second)))
    assert charge.reasons == ("no room at the front of foe",)


def test_the_way_may_be_blocked() -> None:
    unit = block(30, 10, id="me", side="blue")
    wall = block(30, 20, 0, Formation(58, 58, 1, 1), id="wall", side="blue")
    charge = charge_path(unit, FOE, 30, Tabletop(60, 48, (), (unit, FOE, wall)))
    assert not charge.possible
    assert "runs into wall" in " ".join(charge.reasons)
    cliff = piece(
        {
            "id": "c",
            "type": "cliff",
            "shape": "line",
            "points": [(0, 20), (60, 20)],
            "thickness": 1,
            "impassable": True,
        }
    )
    blocked = charge_path(unit, FOE, 30, Tabletop(60, 48, (cliff,), (unit, FOE)))
    assert blocked.reasons == ("crosses impassable cliff (c)",)


def test_woods_slow_a_charge() -> None:
    unit = block(30, 10, id="me", side="blue")
    table = Tabletop(60, 48, (wood(y=20),), (unit, FOE))
    rules = ChargeRules(MoveRules(pace={"wood": 0.5}), manoeuvres=("pivot",))
    assert charge_path(unit, FOE, 30, table, rules).reasons == ("too far: needs 20, has 15 in wood",)


def test_flyers_land_in_contact() -> None:
    unit = block(30, 10, 0, MONSTER, id="me", side="blue")
    wall = block(30, 20, 0, Formation(58, 58, 1, 1), id="wall", side="blue")
    charge = charge_path(
        unit, FOE, 21, Tabletop(60, 48, (), (unit, FOE, wall)), ChargeRules(MoveRules(flying=True))
    )
    assert charge.possible
    assert charge.bases == 1


def test_skirmishers_are_met_on_their_nearest_edge() -> None:
    unit = block(10, 29, 90, COLUMN, id="me", side="blue")
    loose = block(30, 30, 180, SKIRMISH, id="foe", side="red")
    charge = charge_path(unit, loose, 20, Tabletop(60, 48, (), (unit, loose)))
    assert charge.possible
    assert charge.final.pose.x == 24.5


@given(tables(most=6), st.integers(8, 40), st.sampled_from([ChargeRules(), SHARE]))
@fewer
def test_a_charge_ends_in_contact_and_overlaps_nobody(
    table: Tabletop, allowance: int, rules: ChargeRules
) -> None:
    unit = table.blocks[0]
    for foe in table.others(unit, "enemies"):
        charge = charge_path(unit, foe, allowance, table, rules)
        if not charge.possible:
            assert charge.final == unit
            continue
        assert touches(charge.final, foe)
        assert table.overlaps(charge.final) == ()
        assert table.is_inside(charge.final)
        assert charge.cost <= allowance
        assert charge.bases >= 1
        assert charge == charge_path(unit, foe, allowance, table, rules)
        if foe.formation.has_flanks:
            assert charge.side == side_of(unit, foe)


@given(st.integers(-12, 12), st.integers(-20, 20), st.integers(10, 25))
@fewer
def test_on_open_ground_a_charger_in_front_always_gets_in(aside: int, facing: int, away: int) -> None:
    unit = block(30 + aside / 2, 30 - away, facing, LINE, id="me", side="blue")
    charge = charge_path(unit, FOE, 60, Tabletop(60, 48, (), (unit, FOE)))
    assert charge.possible, charge.reasons
    assert charge.bases == 6


def test_beside_the_first_even_from_behind_its_line() -> None:
    foe = block(30, 30, 180, Formation(16, 16, 1, 1), id="foe", side="red")
    first = block(28, 30, 0, id="first", side="blue")
    second = block(33, 12, 0, id="second", side="blue")
    charge = charge_path(second, foe, 25, Tabletop(60, 48, (), (foe, first, second)))
    assert charge.possible, charge.reasons
    assert charge.final.pose == Pose(34, 30, 0)
    assert charge.bases >= 6


def test_beside_the_usual_way_there_are_those_that_touch_others_or_nobody() -> None:
    unit = block(30, 20, 0, LINE, id="me", side="blue")
    beside = block(36, 30, 180, id="beside", side="red")
    table = Tabletop(60, 48, (), (unit, FOE, beside))
    ways = charge_paths(unit, FOE, 15, table)
    assert ways[0] == charge_path(unit, FOE, 15, table)
    assert {touches(way.final, beside) for way in ways} == {True, False}
    assert all(way.possible and touches(way.final, FOE) for way in ways)


def test_who_is_stopped_in_lining_up_stands_there() -> None:
    unit = block(22.5, 20.866, 30, Formation(10, 20, 1.0, 1.0), id="me", side="blue")
    back = block(24, 28, 180, id="back", side="red")
    left, right = (block(x, 26, 180, id=f"at {x}", side="red") for x in (16, 31))
    table = Tabletop(48, 48, (), (unit, back, left, right))
    rules = ChargeRules(MoveRules(), ("wheel",))
    assert not charge_path(unit, back, 8, table, rules).possible
    found = charge_path(unit, back, 8, table, replace(rules, stops_short=True))
    assert found.possible
    assert not found.in_line
    assert touches(found.final, back)
    assert touches(found.final, right)
    assert not table.overlaps(found.final)


@given(tables())
@fewer
def test_no_way_of_any_sort_ends_on_somebody_or_off_the_table(table: Tabletop) -> None:
    block_, *others = table.blocks
    rules = ChargeRules(stops_short=True)
    for target in others[:2]:
        for way in charge_paths(block_, target, 25.0, table, rules):
            assert touches(way.final, target)
            assert table.is_inside(way.final)
            assert not table.without(target.id).overlaps(way.final)
