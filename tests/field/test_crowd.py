"""Loose formations closing in on blocks: the book-like cases by hand, and what holds of all."""

from hypothesis import given
from hypothesis import strategies as st

from field.situations import block, fewer, tables
from warhost_field import Formation, Tabletop, piece
from warhost_field.convex import gap, overlap
from warhost_field.crowd import at_the_rim, close_in, met
from warhost_field.measure import SLACK, TOUCH

BLOCK = block(24, 24, 0, Formation(7, 21, 1.0, 1.0), id="block", side="red")
CROWD = block(24, 24, 180, Formation(9, 27, 1.0, 1.0, "loose"), id="crowd", side="blue")


def closed(reach: float, *others: object, pieces: tuple[object, ...] = ()) -> tuple[int, int]:
    table = Tabletop(48, 48, pieces, (BLOCK, CROWD, *others))  # type: ignore[arg-type]
    crowd = close_in(CROWD, (BLOCK,), reach, table)
    assert len(crowd.closed) + len(crowd.behind) == CROWD.formation.models
    return len(crowd.closed), met(BLOCK, crowd.closed)


def test_the_front_is_filled_first_with_one_more_at_each_corner() -> None:
    assert closed(0.6) == (9, 7)


def test_then_the_sides_as_far_as_the_models_reach() -> None:
    assert closed(3.0) == (13, 11)


def test_in_the_end_they_stand_all_round_it() -> None:
    assert closed(12.0) == (24, 16)


def test_a_neighbour_leaves_no_room_on_his_side() -> None:
    beside = block(28.5, 24, 0, Formation(2, 6, 1.0, 1.0), id="beside", side="red")
    assert closed(12.0, beside) == (21, 15)


RIGHT = block(31.5, 24, 0, Formation(6, 12, 1.0, 1.0), id="right", side="red")
"""A second block, one base beside the first."""


def test_nobody_stands_along_the_edge_of_a_block_that_is_shunned() -> None:
    table = Tabletop(48, 48, (), (BLOCK, CROWD, RIGHT))
    free = close_in(CROWD, (BLOCK,), 12.0, table)
    kept_off = close_in(CROWD, (BLOCK,), 12.0, table, shunned=("right",))
    assert (at_the_rim(RIGHT.shape, free.closed), at_the_rim(RIGHT.shape, kept_off.closed)) == (4, 2)
    assert len(kept_off.closed) < len(free.closed)


def test_of_two_blocks_the_nearest_edges_are_filled_first() -> None:
    table = Tabletop(48, 48, (), (BLOCK, CROWD, RIGHT))
    found = close_in(CROWD, (BLOCK, RIGHT), 4.0, table)
    assert at_the_rim(BLOCK.shape, found.closed) >= 7
    assert at_the_rim(RIGHT.shape, found.closed) >= 2
    assert len(found.closed) > len(close_in(CROWD, (BLOCK,), 4.0, table).closed)


def test_nobody_stands_in_what_cannot_be_entered() -> None:
    rock = piece(
        {"id": "rock", "type": "rock", "shape": "rectangle", "x": 28.5, "y": 22, "width": 1.8, "depth": 6, "angle": 0}
        | {"impassable": True}
    )
    assert closed(12.0, pieces=(rock,))[0] < 24


@given(tables(), st.sampled_from([0.5, 3.0, 9.0]))
@fewer
def test_models_touch_the_block_and_overlap_nobody(table: Tabletop, reach: float) -> None:
    if len(table.blocks) < 2:
        return
    crowd, target, *others = table.blocks
    found = close_in(crowd, (target,), reach, table)
    assert len(found.closed) + len(found.behind) == crowd.formation.models
    for i, model in enumerate(found.closed):
        assert gap(model, target.shape) <= TOUCH
        assert not overlap(model, target.shape, SLACK)
        assert not any(overlap(model, o.shape, SLACK) for o in others)
        assert not any(overlap(model, other, SLACK) for other in found.closed[:i])
        assert all(table.holds(point) for point in model.points)


@given(tables())
@fewer
def test_who_may_go_farther_is_not_fewer(table: Tabletop) -> None:
    if len(table.blocks) < 2:
        return
    crowd, target = table.blocks[:2]
    near, far = (len(close_in(crowd, (target,), reach, table).closed) for reach in (1.0, 40.0))
    assert near <= far
