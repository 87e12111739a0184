"""Distance, contact, sides and arcs."""

import pytest
from hypothesis import assume, given

from field.situations import COLUMN, LINE, MONSTER, SKIRMISH, block, blocks, few
from warhost_field import (
    SIDES,
    Block,
    FieldError,
    Formation,
    Tabletop,
    distance,
    fraction_in_arc,
    in_arc,
    models_in_arc,
    side_of,
    side_of_point,
    touches,
    touching_bases,
)
from warhost_field.arcs import before


def test_distance_is_edge_to_edge() -> None:
    assert distance(block(10, 10), block(10, 20, 180)) == 10.0
    assert distance(block(10, 10), block(19, 15)) == pytest.approx((3**2 + 3**2) ** 0.5)
    assert distance(block(10, 10), block(10, 11)) == 0.0


@given(blocks, blocks)
@few
def test_distance_agrees_with_shapely_and_is_symmetric(a: Block, b: Block) -> None:
    assert distance(a, b) == pytest.approx(a.outline.distance(b.outline), abs=1e-6)
    assert distance(a, b) == pytest.approx(distance(b, a), abs=1e-9)


def test_two_lines_flush_meet_base_by_base() -> None:
    mine, theirs = block(10, 10), block(10, 10, 180)
    pairs = touching_bases(mine, theirs)
    flush = [(p.first, p.second) for p in pairs if not p.corner]
    assert flush == [(i, 5 - i) for i in range(6)]
    assert sum(p.corner for p in pairs) == 10


def test_contact_at_the_corner_only() -> None:
    pairs = touching_bases(block(10, 10), block(16, 10, 180))
    assert [(p.first, p.second, p.corner) for p in pairs] == [(5, 5, True)]


def test_touch_has_a_tolerance() -> None:
    assert touches(block(10, 10), block(10, 10.005, 180))
    assert not touches(block(10, 10), block(10, 10.05, 180))
    assert touches(block(10, 10), block(10, 10.5, 180), 0.5)


@given(blocks, blocks)
@few
def test_the_side_is_that_of_most_models(attacker: Block, target: Block) -> None:
    assume(target.formation.has_flanks)
    sides = [side_of_point(point, target) for point in attacker.base_centres()]
    assert side_of(attacker, target) == max(SIDES, key=lambda side: (sides.count(side), -SIDES.index(side)))


@pytest.mark.parametrize(
    ("x", "y", "side"),
    [
        (10, 20, "front"),
        (10, 0, "rear"),
        (0, 9, "left"),
        (20, 9, "right"),
        (16, 13, "front"),  # on the corner line out of (13, 10)
        (16.1, 13, "right"),
        (4, 5, "rear"),  # on the line out of (7, 8)
    ],
)
def test_side_by_corner_lines(x: float, y: float, side: str) -> None:
    assert side_of_point((x, y), block(10, 10)) == side


def test_side_goes_by_most_models_and_ties_to_the_front() -> None:
    target = block(10, 10)
    half_across = block(17, 14, 270, Formation(2, 2, 1, 1))
    sides = [side_of_point(p, target) for p in half_across.base_centres()]
    assert sides == ["right", "front"]
    assert side_of(half_across, target) == "front"


def test_side_by_edge() -> None:
    assert side_of(block(20, 12, 270, COLUMN), block(10, 10), "edge") == "right"
    assert side_of(block(10, 30, 180), block(10, 10), "edge") == "front"


def test_skirmishers_have_no_flanks() -> None:
    assert side_of(block(40, 9), block(10, 10, form=SKIRMISH)) == "front"


@given(blocks, blocks)
@few
def test_every_position_has_exactly_one_side(attacker: Block, target: Block) -> None:
    for point in (*attacker.corners, attacker.centre):
        right, forward = target.local(point)
        side = side_of_point(point, target)
        holds = {
            "front": forward >= 0 and abs(right) - target.width / 2 <= abs(forward) - target.depth / 2 + 1e-6,
            "rear": forward < 0 and abs(right) - target.width / 2 <= abs(forward) - target.depth / 2 + 1e-6,
            "left": right <= 0 and abs(right) - target.width / 2 > abs(forward) - target.depth / 2 + 1e-6,
            "right": right > 0 and abs(right) - target.width / 2 > abs(forward) - target.depth / 2 + 1e-6,
        }
        assert [name for name, true in holds.items() if true] == [side]
    assert side_of(attacker, target) in SIDES
    assert side_of(attacker, target, "edge") in SIDES


def test_front_arc_of_ninety_degrees_from_the_corners() -> None:
    unit = block(10, 10)
    assert in_arc(unit, (15.9, 13.0))
    assert in_arc(unit, (16.0, 13.0))
    assert not in_arc(unit, (16.1, 13.0))
    assert not in_arc(unit, (10, 9.9))


def test_arc_from_the_centre_is_narrower() -> None:
    unit = block(10, 10)
    assert not in_arc(unit, (13.5, 12.0), origin="centre")
    assert in_arc(unit, (12.9, 12.0), origin="centre")


def test_fraction_any_and_whole() -> None:
    unit, other = block(10, 10), block(16, 13, 0, Formation(2, 4, 1, 1))
    assert fraction_in_arc(unit, other) == pytest.approx(0.125)
    assert in_arc(unit, other)
    assert not in_arc(unit, other, test="whole")
    assert not in_arc(unit, other, test="centre")
    assert models_in_arc(unit, other) == (0,)  # its centre lies on the bound
    assert in_arc(unit, block(10, 20, 180), test="whole")


def test_flank_arcs_and_wide_arcs() -> None:
    unit = block(10, 10)
    assert in_arc(unit, (0, 9), "flank")
    assert in_arc(unit, (0, 9), "left")
    assert not in_arc(unit, (0, 9), "right")
    assert in_arc(unit, (0, 9), width=270)
    assert not in_arc(unit, (10, 0), width=270)
    assert in_arc(unit, (10, 0), width=360)
    assert in_arc(unit, (60, 10), width=180)
    with pytest.raises(FieldError):
        fraction_in_arc(unit, block(30, 30), width=0)


@given(blocks, blocks)
@few
def test_four_quarters_share_out_a_block(unit: Block, other: Block) -> None:
    assume(distance(unit, other) > 0.1)
    parts = [fraction_in_arc(unit, other, side, 90.0) for side in SIDES]
    assert sum(parts) == pytest.approx(1.0, abs=1e-6)


def test_monster_is_a_block_with_sides() -> None:
    assert side_of(block(10, 0, form=MONSTER), block(10, 20, form=LINE)) == "rear"


@given(blocks, blocks)
@few
def test_before_is_the_front_arc(unit: Block, other: Block) -> None:
    points = (*other.corners, *other.base_centres())
    for width in (45.0, 90.0, 135.0, 180.0, 270.0):
        assert before(unit, points, width) == tuple(in_arc(unit, p, "front", width) for p in points)


def test_nearest_first_and_ties_in_table_order() -> None:
    me = block(30, 10, id="me", side="blue")
    near = block(30, 20, 180, id="near", side="red")
    far = [block(x, 30, 180, id=f"far{x}", side="red") for x in (36, 24)]
    friend = block(30, 13, id="friend", side="blue")
    table = Tabletop(60, 48, (), (*far, me, friend, near))
    assert [b.id for b in table.nearest(me, count=3)] == ["near", "far36", "far24"]
    assert [b.id for b in table.nearest(me, "all", 1)] == ["friend"]
    assert table.touching(me) == ()
