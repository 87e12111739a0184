"""Lines of sight and elevation."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from field.situations import MONSTER, block, few, tables, wood
from warhost_field import Block, Formation, Pose, SightRules, Tabletop, piece
from warhost_field.sight import block_obstacle, clear_line, clear_to_point, sight_points

ME = block(30, 10, id="me", side="blue")
FOE = block(30, 40, 180, id="foe", side="red")
SCREEN = block(30, 25, form=Formation(30, 30, 1, 1), id="screen", side="red")
HILL = piece(
    {
        "id": "hill",
        "type": "hill",
        "shape": "rectangle",
        "x": 30,
        "y": 40,
        "width": 40,
        "depth": 10,
        "height": 1,
        "elevation": 1,
        "blocks_sight": True,
    }
)


def test_nothing_between() -> None:
    assert Tabletop(60, 48, (), (ME, FOE)).sees(ME, FOE)


def test_a_wide_unit_screens_and_is_named() -> None:
    line = Tabletop(60, 48, (), (ME, FOE, SCREEN)).line_of_sight(ME, FOE)
    assert line.stopped_by == ("screen",)


def test_a_narrow_one_is_seen_past() -> None:
    narrow = block(30, 25, form=MONSTER, id="narrow", side="red")
    assert Tabletop(60, 48, (), (ME, FOE, narrow)).sees(ME, FOE)


@given(
    st.tuples(st.floats(10, 50), st.floats(14, 34), st.floats(0, 180)),
    st.floats(0.1, 30),
    st.floats(0.1, 4),
    st.floats(20, 40),
)
@few
def test_a_wall_is_what_stops_every_single_line(
    at: tuple[float, float, float], wide: float, deep: float, x: float
) -> None:
    foe = ME.at(Pose(x, 40, 200))
    wall = Block(Pose(*at), Formation(1, 1, wide, deep, "single"), "wall", "red")
    obstacle, rules = block_obstacle(wall, 0.0), SightRules()
    level = ME.height - 1.0
    lines = [(a, b) for a in sight_points(ME, rules) for b in sight_points(foe, rules)]
    free = [line for line in lines if not clear_to_point(*line, level, [obstacle]).stopped_by]
    found = clear_line(ME, foe, level, level, [obstacle], rules)
    assert found.stopped_by == (() if free else ("wall",))
    assert not free or (found.start, found.end) == free[0]


@given(tables())
@few
def test_the_first_line_that_nothing_stops_is_found(table: Tabletop) -> None:
    a, b, rules = table.blocks[0], table.blocks[-1], SightRules()
    level = max(table.level_of(end) + end.height - 1.0 for end in (a, b))
    obstacles = [o for o in table.obstacles(a, b, rules) if o.top > level]
    lines = [(x, y) for x in sight_points(a, rules) for y in sight_points(b, rules)]
    free = [line for line in lines if not clear_to_point(*line, level, obstacles).stopped_by]
    found = clear_line(a, b, level, level, obstacles, rules)
    assert bool(found.stopped_by) == (not free)
    assert not free or (found.start, found.end) == free[0]


@given(tables())
@few
def test_who_is_seen_has_a_free_line(table: Tabletop) -> None:
    a, b = table.blocks[0], table.blocks[-1]
    assert table.sees(a, b) == (not table.line_of_sight(a, b).stopped_by)


def test_a_hill_lifts_who_stands_in_the_way() -> None:
    tall = [replace(end, height=2) for end in (ME, FOE)]
    low = {"id": "rise", "type": "hill", "shape": "rectangle", "x": 30, "y": 25, "width": 40, "depth": 6}
    for rise in (None, piece({**low, "height": 0, "elevation": 1}), None):
        ground = () if rise is None else (rise,)
        assert Tabletop(60, 48, ground, (*tall, SCREEN)).sees(*tall) == (rise is None)


def test_nobody_sees_through_the_seam_of_two_blocks() -> None:
    left = block(20, 25, form=Formation(20, 20, 1, 1), id="left")
    right = block(40, 25, form=Formation(20, 20, 1, 1), id="right")
    assert not Tabletop(60, 48, (), (ME, FOE, left, right)).sees(ME, FOE)


def test_a_gap_that_counts_as_closed_is_not_seen_through() -> None:
    left = block(19.5, 25, form=Formation(20, 20, 1, 1), id="left")
    right = block(40.5, 25, form=Formation(20, 20, 1, 1), id="right")  # an inch lies between them
    units = (ME, FOE, left, right)
    assert Tabletop(60, 48, (), units).sees(ME, FOE)
    assert not Tabletop(60, 48, (), units, closed_gap=1.0).sees(ME, FOE)
    assert Tabletop(60, 48, (), units, closed_gap=0.9).sees(ME, FOE)
    line = Tabletop(60, 48, (), units, closed_gap=1.0).line_of_sight(ME, FOE)
    assert "left and right" in line.stopped_by
    assert Tabletop(60, 48, (HILL,), units, closed_gap=1.0).sees(ME, FOE)  # from above


@given(tables())
def test_a_closed_gap_only_ever_hides(table: Tabletop) -> None:
    for a in table.blocks:
        for b in table.blocks:
            if a.id != b.id and replace(table, closed_gap=1.0).sees(a, b):
                assert table.sees(a, b)


def test_friends_may_be_shot_over_if_the_rules_say_so() -> None:
    table = Tabletop(60, 48, (), (ME, FOE, SCREEN))
    assert table.sees(ME, FOE, SightRules(enemies_block=False, friends_block=False))


def test_from_a_hill_one_sees_over_the_screen_both_ways() -> None:
    table = Tabletop(60, 48, (HILL,), (ME, FOE, SCREEN))
    assert table.elevation_at((30, 40)) == 1
    assert table.sees(ME, FOE)
    assert table.sees(FOE, ME)


def test_a_hill_between_stops_the_line() -> None:
    beyond = block(30, 47, 180, id="beyond", side="red")
    assert Tabletop(60, 48, (HILL,), (ME, beyond)).line_of_sight(ME, beyond).stopped_by == ("hill",)


def test_a_giant_sees_over_and_is_seen_over_the_screen() -> None:
    giant = block(30, 10, id="me", side="blue", height=2)
    table = Tabletop(60, 48, (), (giant, FOE, SCREEN))
    assert table.sees(giant, FOE)
    assert table.sees(FOE, giant)


def test_four_into_a_wood_and_none_through() -> None:
    big = wood(shape="rectangle", x=30, y=30, width=50, depth=10)
    edge = block(30, 30, 180, Formation(6, 6, 1, 1), id="foe", side="red")  # rim at y 25, unit from 30 to 31
    inner = block(30, 29, 180, Formation(6, 6, 1, 1), id="foe", side="red")
    beyond = block(30, 40, 180, id="foe", side="red")
    assert not Tabletop(60, 48, (big,), (ME, edge)).sees(ME, edge)
    assert Tabletop(60, 48, (big,), (ME, inner)).sees(ME, inner)
    assert not Tabletop(60, 48, (big,), (ME, beyond)).sees(ME, beyond)


def test_arc_limits_a_one_sided_line() -> None:
    behind = block(30, 2, id="behind", side="red")
    table = Tabletop(60, 48, (), (ME, behind))
    assert table.sees(ME, behind)
    assert not table.sees(ME, behind, SightRules(symmetric=False, arc=90.0))


@given(tables())
@few
def test_symmetric_sight_is_symmetric(table: Tabletop) -> None:
    for a in table.blocks:
        for b in table.blocks:
            if a.id < b.id:
                assert table.sees(a, b) == table.sees(b, a)
                uneven = SightRules(friends_block=False)
                assert table.sees(a, b, uneven) == table.sees(b, a, uneven)
