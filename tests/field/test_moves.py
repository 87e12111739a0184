"""Legs, their prices, what they meet, and which moves are legal."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from field.situations import HORSE, LINE, MONSTER, block, few, formations, poses, tables, wood
from warhost_field import (
    Advance,
    Block,
    Face,
    FieldError,
    Fly,
    Formation,
    Go,
    Leg,
    MoveCosts,
    MoveRules,
    Pivot,
    Pose,
    Reform,
    Sidestep,
    Snake,
    Tabletop,
    Turn,
    TurnCost,
    Wheel,
    cut,
    distance,
    legs_to,
    parse_orders,
    piece,
    quantise,
    sweep,
    to_json,
    touches,
    validate,
)
from warhost_field.convex import HALVINGS, moment_between, turning
from warhost_field.legality import payable
from warhost_field.moves import shortened
from warhost_field.polygons import polygon

COSTS = MoveCosts()
UNIT = block(30, 10, id="me", side="blue")
SHARE = MoveRules(MoveCosts(wheel=TurnCost("share", 0.5)))


def end(unit: Block, *legs: Leg) -> Pose:
    return sweep(unit, legs, COSTS, 10).final.pose


@few
@given(st.floats(-180, 180).map(quantise), st.floats(0.5, 9).map(quantise))
def test_a_pivot_before_going_on_is_free_else_it_costs_the_way_of_the_farthest_corner(turn: float, far: float) -> None:
    point_to_point = MoveCosts(pivot=TurnCost("chord"), free_to_go=True)
    before = sweep(UNIT, (Pivot(turn), Advance(far)), point_to_point, 20)
    assert before.cost == pytest.approx(far)
    after = sweep(UNIT, (Advance(far), Pivot(turn)), point_to_point, 20)
    moved = [math.dist(a, b) for a, b in zip(after.steps[1].start.corners, after.steps[1].end.corners, strict=True)]
    assert after.cost == pytest.approx(far + max(moved), abs=1e-3)
    assert sweep(UNIT, (Pivot(turn), Advance(-far)), point_to_point, 20).cost >= max(moved) - 1e-3


def test_going_back_and_facing_about_are_sorts_of_their_own() -> None:
    table = Tabletop(60, 60)
    only = MoveRules(legs=("advance", "face about"))
    assert legal((Advance(-1),), table, only) == ["may not go back in this move"]
    assert legal((Face(90),), table, only) == ["may not face in this move"]
    assert legal((Face(180),), table, MoveRules(legs=("advance",))) == ["may not face about in this move"]
    assert legal((Face(180), Advance(1)), table, only) == []


def test_each_leg_ends_where_it_should() -> None:
    assert end(UNIT, Advance(5)) == Pose(30, 15, 0)
    assert end(UNIT, Advance(-2)) == Pose(30, 8, 0)
    assert end(UNIT, Sidestep(3)) == Pose(33, 10, 0)
    assert end(UNIT, Wheel(90, "left")) == Pose(27, 13, 270)
    assert end(UNIT, Wheel(90, "right")) == Pose(33, 13, 90)
    assert end(UNIT, Turn(90)) == Pose(31, 9, 90)
    assert end(UNIT, Pivot(90)) == Pose(30, 10, 90)
    assert end(UNIT, Go(40, 20)) == Pose(40, 20, 0)
    assert end(UNIT, Fly(40, 20, 45)) == Pose(40, 20, 45)


def test_models_facing_left_make_ranks_of_files() -> None:
    turned = sweep(UNIT, (Face(-90),), COSTS, 10).final
    assert (turned.formation.files, turned.formation.ranks) == (2, 6)
    assert turned.pose == Pose(27, 9, 270)
    assert turned.outline.equals(UNIT.outline)


def test_reform_keeps_the_front_centre() -> None:
    column = sweep(UNIT, (Reform(2),), COSTS, 10).final
    assert (column.pose, column.width, column.depth) == (UNIT.pose, 2, 6)


def test_prices() -> None:
    def price(leg: Leg, costs: MoveCosts = COSTS) -> float:
        return sweep(UNIT, (leg,), costs, 8).cost

    assert price(Wheel(30, "left")) == quantise(math.pi)  # 6 wide x 30 degrees: pi / 6 * 6
    assert price(Wheel(45, "left"), SHARE.costs) == 2.0  # half of 8 for every 90 degrees
    assert price(Turn(180)) == 8.0
    assert price(Face(90)) == 2.0
    assert price(Advance(-2)) == 4.0
    assert price(Sidestep(-2)) == 4.0
    assert price(Go(33, 14)) == 5.0


def test_crossings_in_order_with_their_distances() -> None:
    near, far = block(30, 15, id="near", side="blue"), block(30, 24, 180, id="far", side="red")
    grove = wood(shape="rectangle", x=30, y=18, width=20, depth=2)
    met = Tabletop(60, 48, (grove,), (UNIT, near, far)).crossings(sweep(UNIT, (Advance(14),), COSTS, 14))
    assert [(c.kind, c.other, round(c.at, 1)) for c in met] == [
        ("touch", "near", 3.0),
        ("enter", "near", 3.0),
        ("leave", "near", 7.0),
        ("enter", "wood", 7.0),
        ("leave", "wood", 11.0),
        ("touch", "far", 14.0),
    ]


def test_starting_inside_is_within() -> None:
    grove = wood(shape="rectangle", x=30, y=9, width=20, depth=4)
    met = Tabletop(60, 48, (grove,), (UNIT,)).crossings(sweep(UNIT, (Advance(6),), COSTS, 6))
    assert [(c.kind, round(c.at, 1)) for c in met] == [("within", 0.0), ("leave", 3.0)]


def test_a_wheel_meets_what_stands_in_its_arc() -> None:
    post = block(32, 12.8, form=Formation(1, 1, 0.4, 0.4, "single"), id="post")
    whole = sweep(UNIT, (Wheel(90, "left"),), COSTS, 20)
    met = Tabletop(60, 48, (), (UNIT, post)).crossings(whole)
    assert [c.kind for c in met] == ["touch", "enter", "leave"]
    assert 2.0 < met[0].at < 4.0
    assert touches(whole.block_at(met[0].position), post, 0.05)


def test_swept_ground_of_an_advance() -> None:
    areas = sweep(UNIT, (Advance(5),), COSTS, 5).areas()
    assert [area.area for area in areas] == [6.0 * 7.0]
    quarter = sweep(UNIT, (Wheel(90, "left"),), COSTS, 20).areas()
    assert len(quarter) == 9


def test_cutting_a_move_short() -> None:
    whole = sweep(UNIT, (Wheel(30, "left"), Advance(4)), COSTS, 10)
    assert cut(whole, 1.25) == (Wheel(30, "left"), Advance(1.0))
    assert cut(whole, 0.5) == (Wheel(15, "left"),)
    assert cut(whole, 2.0) == whole.legs


def test_json_answers() -> None:
    legs = parse_orders({"legs": [{"wheel": 30, "side": "left"}, {"advance": 5.5}]}, UNIT)
    assert legs == (Wheel(30, "left"), Advance(5.5))
    assert parse_orders({"legs": [to_json(leg) for leg in legs]}, UNIT) == legs
    assert parse_orders({"legs": []}, UNIT) == ()


def test_a_place_becomes_turn_advance_turn() -> None:
    legs = parse_orders({"to": [40, 20], "facing": 90}, UNIT)
    assert [type(leg) for leg in legs] == [Turn, Advance, Turn]
    there = end(UNIT, *legs)
    assert (there.x, there.y, there.facing) == pytest.approx((40, 20, 90), abs=2e-4)
    single = block(30, 10, form=MONSTER)
    assert end(single, *parse_orders({"to": [40, 20], "facing": 90}, single)) == Pose(40, 20, 90)
    assert parse_orders({"to": [40, 20]}, UNIT, flying=True) == (Fly(40, 20, 0),)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ([], "a move is"),
        ({"go": 1}, 'needs "legs" or "to"'),
        ({"legs": [{"hop": 2}]}, "unknown leg hop"),
        ({"legs": [{"advance": "far"}]}, "advance is a number"),
        ({"legs": [{"advance": math.inf}]}, "advance is a number"),
        ({"legs": [{"advance": True}]}, "advance is a number"),
        ({"legs": [{"wheel": 30}]}, 'needs "side"'),
        ({"legs": [{"advance": 3, "side": "left"}]}, "do not know what side"),
        ({"legs": [{"close": [1, 2]}]}, "unknown leg"),
        ({"legs": [{"advance": 1}] * 21}, "at most 20"),
        ({"legs": [{"face": 45}]}, "face is"),
        ({"legs": [{"reform": 0}]}, "from 1"),
        ({"to": [1]}, "a place is"),
        ({"to": [1, 2e9]}, "out of all bounds"),
    ],
)
def test_nonsense_is_refused_in_plain_words(answer: Any, words: str) -> None:
    with pytest.raises(FieldError, match=words):
        parse_orders(answer, UNIT)
    assert len(validate(answer, UNIT, 10, Tabletop(60, 48, (), (UNIT,)))) == 1


def legal(answer: Any, table: Tabletop, rules: MoveRules | None = None, allowance: float = 7.0) -> list[str]:
    return validate(answer, UNIT, allowance, table, rules)


def test_reasons() -> None:
    friend = block(30, 14, id="friend", side="blue")
    cliff = piece(
        {
            "id": "c",
            "type": "cliff",
            "shape": "rectangle",
            "x": 10,
            "y": 12,
            "width": 9,
            "depth": 1,
            "impassable": True,
        }
    )
    table = Tabletop(60, 48, (cliff,), (UNIT, friend))
    assert legal({"legs": [{"advance": 7.4}]}, Tabletop(60, 48)) == ["too far: needs 7.4, has 7"]
    assert legal((Advance(3),), table) == ["overlaps friend"]
    assert legal((Advance(2),), table) == []
    assert legal((Advance(7),), table) == ["runs into friend after 2.01"]
    assert legal((Advance(7),), table, MoveRules(through_friends=True)) == []
    assert legal((Advance(-8.5),), table, allowance=20) == ["leaves the table"]
    alone = Tabletop(60, 48, (cliff,), (UNIT,))
    assert legal((Go(10, 20),), alone, allowance=30) == []
    assert legal((Go(10, 12),), alone, allowance=30) == ["ends in impassable cliff (c)"]
    west = block(10, 10, id="me")
    assert validate((Advance(6),), west, 7, table) == ["crosses impassable cliff (c)"]
    assert validate((Fly(10, 20, 0),), west, 20, table, MoveRules(flying=True)) == []
    assert legal((Sidestep(1),), table, MoveRules(legs=("advance",))) == ["may not sidestep in this move"]


def test_terrain_takes_from_the_whole_move() -> None:
    grove = wood(shape="rectangle", x=30, y=15, width=20, depth=4)
    table = Tabletop(60, 48, (grove,), (UNIT,))
    rules = MoveRules(pace={"wood": 0.5})
    assert legal((Advance(3.0),), table, rules) == []
    assert legal((Advance(4.0),), table, rules) == ["too far: needs 4, has 3.5 in wood"]


def test_terrain_takes_only_inside() -> None:
    grove = wood(shape="rectangle", x=30, y=15, width=20, depth=4)
    table = Tabletop(60, 48, (grove,), (UNIT,))
    rules = MoveRules(pace={"wood": 0.5}, pace_counts="part")
    assert legal((Advance(5.0),), table, rules) == []  # 3 before it, 2 inside at double price
    assert legal((Advance(5.1),), table, rules) == ["too far: needs 7.2, has 7 in wood"]


def test_what_slows_at_its_rim_only_leaves_those_inside_their_whole_move() -> None:
    # UNIT is six wide and two deep, its front at (30, 10)
    house = replace(wood(shape="rectangle", x=30, y=11, width=20, depth=12), free_within=True)
    table = Tabletop(60, 48, (house,), (UNIT,))
    rules = MoveRules(SHARE.costs, pace={"wood": 0.5})
    assert legal((Advance(7.0),), table, rules) == []  # up to its rim
    assert legal((Turn(90), Turn(-90)), table, rules) == []
    assert legal((Advance(7.1),), table, rules) == ["too far: needs 7.1, has 3.5 in wood"]
    narrow = replace(wood(shape="rectangle", x=30, y=9, width=6, depth=12), free_within=True)
    table = Tabletop(60, 48, (narrow,), (UNIT,))
    assert legal((Advance(5.0),), table, rules) == []
    assert legal((Turn(90), Turn(-90)), table, rules) == ["too far: needs 7, has 3.5 in wood"]  # its corners come out


def test_a_turn_by_share_costs_no_more_in_terrain() -> None:
    grove = wood(shape="rectangle", x=30, y=10, width=30, depth=20)
    table = Tabletop(60, 48, (grove,), (UNIT,))
    rules = MoveRules(SHARE.costs, pace={"wood": 0.25}, pace_counts="part")
    assert legal((Wheel(45, "left"), Advance(1.3)), table, rules) == []  # 1.75 of 7 for the wheel, 1.3125 inside


def test_what_is_payable_ends_inside_the_terrain() -> None:
    grove = wood(shape="rectangle", x=30, y=15, width=20, depth=4)
    table = Tabletop(60, 48, (grove,), (UNIT,))
    rules = MoveRules(pace={"wood": 0.25}, pace_counts="part")
    whole = sweep(UNIT, (Advance(7.0),), rules.costs, 7.0)
    assert payable(whole, 7.0, table, rules) * 7.0 == pytest.approx(4.0)  # 3 before it, 1 inside for 4
    assert payable(whole, 7.0, table, MoveRules(pace={"wood": 0.5})) * 7.0 == pytest.approx(3.5)


def test_a_toll_is_paid_once_where_a_piece_is_entered() -> None:
    hedge = wood(shape="rectangle", x=30, y=14, width=20, depth=1)
    table = Tabletop(60, 48, (hedge,), (UNIT,))
    rules = MoveRules(tolls={"wood": 2.0})
    assert legal((Advance(3.5),), table, rules) == []  # up to it
    assert legal((Advance(5.0),), table, rules) == []
    assert legal((Advance(5.1),), table, rules) == ["too far: needs 7.1, has 7 in wood"]
    across = block(30, 14, form=LINE, id="me", side="blue")
    assert validate((Advance(7.0),), across, 7.0, Tabletop(60, 48, (hedge,), (across,)), rules) == []
    assert validate((Fly(30, 17, 0),), UNIT, 7, table, MoveRules(flying=True, tolls={"wood": 2.0})) == []


def test_what_is_payable_ends_before_a_toll_that_is_too_dear() -> None:
    hedge = wood(shape="rectangle", x=30, y=14, width=20, depth=1)
    table = Tabletop(60, 48, (hedge,), (UNIT,))
    whole = sweep(UNIT, (Advance(7.0),), MoveRules().costs, 7.0)
    assert payable(whole, 7.0, table, MoveRules(tolls={"wood": 2.0})) * 7.0 == pytest.approx(5.0)
    assert payable(whole, 5.0, table, MoveRules(tolls={"wood": 2.0})) * 7.0 == pytest.approx(3.5)
    halved = MoveRules(tolls={"wood": 2.0}, pace={"wood": 0.5})
    assert payable(whole, 14.0, table, halved) * 7.0 == pytest.approx(5.0)  # 7 in slow ground, 2 for the toll


def test_uphill_costs_more_and_downhill_less() -> None:
    hill = wood(shape="rectangle", x=30, y=19, width=20, depth=10)  # its foot at 14, its middle at 19
    rules = MoveRules(slopes={"wood": (0.5, 2.0)}, pace_counts="part")
    table = Tabletop(60, 48, (hill,), (UNIT,))
    assert legal((Advance(5.5),), table, rules) == []  # 4 before it, 1.5 uphill at double price
    assert legal((Advance(5.6),), table, rules) == ["too far: needs 7.2, has 7 in wood"]
    top = block(30, 20, form=LINE, id="top", side="blue")  # two deep: its centre is on the middle
    down = Tabletop(60, 48, (hill,), (top,))
    assert rules.quickest == 2.0
    whole = sweep(top, (Advance(14.0),), rules.costs, 7.0)
    # its rear leaves the hill when it has gone 6, which cost 3: four inches are left for the plain
    assert payable(whole, 7.0, down, rules) * 14.0 == pytest.approx(10.0)
    assert validate((Advance(10.0),), top, 7.0, down, rules) == []
    assert validate((Advance(10.1),), top, 7.0, down, rules) == ["too far: needs 7.1, has 7 in wood"]


def test_over_the_middle_of_a_hill_is_up_and_then_down() -> None:
    hill = wood(shape="rectangle", x=30, y=14, width=20, depth=40)
    rules = MoveRules(slopes={"wood": (0.5, 2.0)}, pace_counts="part")
    table = Tabletop(60, 48, (hill,), (UNIT,))  # its centre at (30, 9)
    assert legal((Advance(3.5),), table, rules) == []
    assert validate((Advance(10.0),), UNIT, 12.5, table, rules) == []  # 5 up for 10, 5 down for 2.5
    assert validate((Advance(10.1),), UNIT, 12.5, table, rules) != []
    muddy = MoveRules(slopes={"wood": (0.5, 2.0)}, pace={"wood": 0.25}, pace_counts="part")
    assert validate((Advance(1.0),), UNIT, 3.9, table, muddy) == ["too far: needs 4, has 3.9 in wood"]


def test_a_wheel_by_share_and_the_advance_that_is_left() -> None:
    table = Tabletop(60, 48, (), (UNIT,))
    assert legal((Wheel(45, "left"), Advance(5.25)), table, SHARE) == []
    assert legal((Wheel(45, "left"), Advance(5.3)), table, SHARE) == ["too far: needs 7.05, has 7"]


legs = st.one_of(
    st.integers(-80, 150).map(lambda n: Advance(n / 10)),
    st.builds(Wheel, st.integers(-300, 900).map(lambda n: n / 10), st.sampled_from(["left", "right"])),
    st.integers(-1800, 1800).map(lambda n: Turn(n / 10)),
    st.integers(-50, 50).map(lambda n: Sidestep(n / 10)),
    st.sampled_from([Face(90.0), Face(-90.0), Face(180.0), Reform(3), Reform(12)]),
    st.builds(Fly, st.integers(0, 60), st.integers(0, 48), st.integers(0, 359)),
)


@given(tables(), st.lists(legs, max_size=4), st.integers(1, 25), st.booleans())
@few
def test_legal_moves_end_free_within_the_allowance(
    table: Tabletop, order: list[Leg], allowance: int, through: bool
) -> None:
    unit = table.blocks[0]
    rules = MoveRules(through_friends=through, pace={"wood": 0.5})
    whole = sweep(unit, order, rules.costs, allowance)
    if validate(tuple(order), unit, allowance, table, rules):
        return
    assert table.with_block(whole.final).overlaps(whole.final) == ()
    for other in table.others(unit):
        assert whole.final.outline.intersection(other.outline).area < 0.3
    assert whole.cost <= allowance
    gone = math.dist(unit.centre, whole.final.centre)
    swing = sum(unit.width + unit.depth for leg in order if not isinstance(leg, Advance | Sidestep | Fly))
    assert gone <= allowance + swing + 1e-3


@given(tables(), st.floats(0.5, 20))
@few
def test_an_advance_goes_exactly_as_far_as_it_costs(table: Tabletop, far: float) -> None:
    unit = table.blocks[0]
    final = sweep(unit, (Advance(quantise(far)),), COSTS, far).final
    assert math.dist(unit.front_centre, final.front_centre) == pytest.approx(far, abs=2e-4)


@given(tables(), st.lists(legs, min_size=1, max_size=3))
@few
def test_crossings_are_where_the_outline_meets(table: Tabletop, order: list[Leg]) -> None:
    unit = table.blocks[0]
    whole = sweep(unit, order, COSTS, 10)
    inside: dict[str, bool] = {}
    for crossing in table.crossings(whole):
        if crossing.terrain or crossing.kind == "touch":
            continue
        assert inside.get(crossing.other, False) == (crossing.kind == "leave")
        inside[crossing.other] = crossing.kind != "leave"
    held = tuple(name for name, true in inside.items() if true)
    assert sorted(held) == sorted(other.id for other in table.overlaps(whole.final))


@given(poses, formations, st.integers(0, 60), st.integers(0, 48), st.integers(0, 359))
@few
def test_legs_to_a_place_arrive_there(pose: Pose, form: Formation, x: int, y: int, facing: int) -> None:
    final = sweep(Block(pose, form), legs_to(Block(pose, form), (x, y), facing), COSTS, 10).final.pose
    assert (final.x, final.y) == pytest.approx((x, y), abs=2e-3)
    assert math.cos(math.radians(final.facing - facing)) == pytest.approx(1.0)


def test_cavalry_of_two_deep_bases() -> None:
    assert distance(block(30, 10, form=HORSE), block(30, 20, form=LINE)) == 8.0


def test_the_worst_of_several_terrains_counts() -> None:
    grove = wood(shape="rectangle", x=30, y=12, width=20, depth=2)
    marsh = wood("marsh", type="marsh", shape="rectangle", x=30, y=14, width=20, depth=2)
    table = Tabletop(60, 48, (grove, marsh), (UNIT,))
    rules = MoveRules(pace={"wood": 0.5, "marsh": 0.25})
    assert legal((Advance(3.5),), table, rules) == ["too far: needs 3.5, has 1.75 in wood, marsh"]


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[Block, Block]:
    """Two blocks that are likely to be in each other's way when one of them turns."""
    at = Pose(30.0 + draw(st.floats(-7, 7)), 24.0 + draw(st.floats(-7, 7)), draw(st.floats(0, 360)))
    return block(30, 24, form=draw(formations), id="me"), Block(at, draw(formations), "other")


@given(neighbours(), st.sampled_from([Turn, Pivot]), st.integers(-180, 180).filter(bool), st.floats(-0.2, 1.0))
def test_to_meet_is_to_have_meetings(two: tuple[Block, Block], kind: Any, angle: int, margin: float) -> None:
    unit, other = two
    asked, told = (sweep(replace(unit), (kind(float(angle)),), COSTS, 9.0) for _ in range(2))
    meets = asked.meets((other.shape,), margin)
    assert meets == bool(told.meetings((other.shape,), margin))
    assert asked.meetings((other.shape,), margin) == told.meetings((other.shape,), margin)


@given(neighbours(), st.lists(legs, min_size=1, max_size=3), st.floats(-0.2, 1.0), st.floats(0.0, 2.5))
def test_what_is_entered_first_is_the_first_meeting_after_the_beginning(
    two: tuple[Block, Block], order: list[Leg], margin: float, before: float
) -> None:
    unit, other = two
    asked, told = (sweep(replace(unit), order, COSTS, 9.0) for _ in range(2))
    entered = [low for low, _ in told.meetings((other.shape,), margin) if low > 1e-9]
    assert asked.first_entry(other.shape, margin, before) == min([before, *entered])
    assert asked.first_entry(other.shape, margin, math.inf) == min(entered, default=math.inf)


@given(neighbours(), st.lists(legs, min_size=1, max_size=3), st.floats(0.0, 2.5), st.booleans())
def test_a_shortened_move_is_that_of_its_legs(
    two: tuple[Block, Block], order: list[Leg], position: float, free: bool
) -> None:
    costs = replace(COSTS, free_to_go=free)
    whole = sweep(two[0], order, costs, 9.0)
    assert shortened(whole, position, costs, 9.0) == sweep(two[0], cut(whole, position), costs, 9.0)


def halved(apart: Callable[[float], float], low: float, high: float) -> float:
    inside = apart(low) < 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if (apart(middle) < 0.0) == inside else (low, middle)
    return high if inside else low


@given(neighbours(), st.integers(-180, 180).filter(bool))
def test_the_moment_of_meeting_is_where_halving_the_time_leads(two: tuple[Block, Block], angle: int) -> None:
    unit, other = two
    step = sweep(unit, (Turn(float(angle)),), COSTS, 9.0).steps[0]
    past = turning(unit.shape, unit.facing, step.pivot, step.angle, other.shape)

    def apart(moment: float) -> float:
        return past(moment, math.inf)

    for low, high in pairwise(i / 180 for i in range(181)):
        before, after = apart(low), apart(high)
        if (before < 0.0) == (after < 0.0):
            continue
        assert moment_between(apart, low, before, high, after) == halved(apart, low, high)


@pytest.mark.parametrize("depth", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_where_shapes_only_touch_the_moment_is_where_halving_leads_all_the_same(depth: float, seed: int) -> None:
    def apart(moment: float) -> float:  # nearer, on for a while in contact, and deeper
        noise = math.sin(1e7 * moment + seed) * 3e-12
        return depth * (max(0.0, 0.4 - moment) - max(0.0, moment - 0.6)) + noise

    low, high = next((a / 40, 1.0 - a / 50) for a in range(20) if (apart(a / 40) < 0.0) != (apart(1.0 - a / 50) < 0.0))
    assert moment_between(apart, low, apart(low), high, apart(high)) == halved(apart, low, high)


@given(tables(most=5), st.sampled_from(["wheel", "turn", "pivot"]), st.integers(-180, 180))
@few
def test_a_turn_meets_all_that_its_outline_ever_overlaps(table: Tabletop, kind: str, angle: int) -> None:
    unit = table.blocks[0]
    turns: dict[str, Leg] = {"wheel": Wheel(abs(angle), "left"), "turn": Turn(angle), "pivot": Pivot(angle)}
    whole = sweep(unit, (turns[kind],), COSTS, 10)
    met = {c.other for c in table.crossings(whole) if c.kind == "enter"}
    outlines = [polygon(whole.steps[0].shape_at(i / 100).points) for i in range(101)]
    for other in table.others(unit):
        common = max(outline.intersection(other.outline).area for outline in outlines)
        assert other.id in met or common < 0.05
        assert other.id not in met or common > 0.0


@pytest.mark.parametrize("degrees", range(8, 90, 6))
def test_a_wheel_misses_no_post_on_its_way(degrees: int) -> None:
    x = 27 + 4.5 * math.cos(math.radians(degrees))
    y = 10 + 4.5 * math.sin(math.radians(degrees))
    post = block(x, y, form=Formation(1, 1, 0.2, 0.2, "single"), id="post")
    met = Tabletop(60, 48, (), (UNIT, post)).crossings(sweep(UNIT, (Wheel(90, "left"),), COSTS, 20))
    assert [c.kind for c in met][:2] == ["touch", "enter"]
    assert met[0].position == pytest.approx(degrees / 90, abs=0.05)


ALLEY = Tabletop(
    48,
    48,
    tuple(
        piece({"id": name, "type": "house", "shape": "rectangle", "x": x, "y": 14, "width": 8, "depth": 16, "angle": 0})
        for name, x in (("west", 18.9), ("east", 29.1))
    ),
    (),
)
"""Two houses, 2.2 apart; beyond them, from 22 on, it is open."""

COLUMN = block(24, 21, 0, Formation(2, 12, 1.0, 1.0, "loose"), id="column", side="blue")


def in_the_alley(*legs: Leg, allowance: float = 6.0) -> list[str]:
    rules = MoveRules(pace={"house": 0.0}, legs=("advance", "pivot", "snake"))
    return validate(legs, COLUMN, allowance, ALLEY, rules)


def test_a_column_snakes_round_a_corner_that_it_could_not_turn() -> None:
    assert in_the_alley(Snake(((24, 23), (28, 23)))) == []
    assert any("crosses" in reason for reason in in_the_alley(Advance(2), Pivot(90), Advance(4)))
    whole = sweep(COLUMN, (Snake(((24, 23), (28, 23))),), COSTS, 6)
    assert whole.final.pose == Pose(28, 23, 90)
    assert whole.cost == 6.0


def test_a_snake_pays_its_whole_way_and_needs_room_at_the_end() -> None:
    assert in_the_alley(Snake(((24, 23), (28, 23))), allowance=5.0) == ["too far: needs 6, has 5"]
    assert in_the_alley(Snake(((24, 20), (29, 20))), allowance=9.0) == ["ends in impassable house (east)"]
    with pytest.raises(FieldError, match="each apart"):
        sweep(COLUMN, (Snake(((24, 21),)),), COSTS, 6)


def test_a_snake_is_cut_where_its_way_ends() -> None:
    whole = sweep(COLUMN, (Snake(((24, 23), (28, 23))),), COSTS, 6)
    assert cut(whole, 0.5) == (Snake(((24, 23), (25, 23))),)
    assert cut(whole, 0.25) == (Snake(((24, 22.5),)),)
    assert whole.block_at(0.5).pose == Pose(25, 23, 90)


def test_a_snake_as_players_give_it() -> None:
    legs = parse_orders({"legs": [{"snake": [[24, 23], [28, 23]]}]}, COLUMN)
    assert legs == (Snake(((24, 23), (28, 23))),)
    assert parse_orders({"legs": [to_json(leg) for leg in legs]}, COLUMN) == legs
    with pytest.raises(FieldError, match="snake is a list of places"):
        parse_orders({"legs": [{"snake": []}]}, COLUMN)
