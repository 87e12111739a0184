"""Wedges: how the ranks of points stand, and who meets whom when somebody lines up with them."""

from dataclasses import replace
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost_field.blocks import Block, Formation, Pose
from warhost_field.contact import bases_in_contact, side_of, touches
from warhost_field.convex import overlap
from warhost_field.measure import FieldError
from warhost_field.moves import Face, MoveCosts, sweep
from warhost_field.plugin import _as_wedges


def wedge(models: int, files: int, points: int, x: float = 0.0, y: float = 0.0, facing: float = 0.0) -> Block:
    return Block(Pose(x, y, facing), Formation(files, models, 1.0, 1.0, points=points), "wedge", "a")


def line(models: int, files: int, x: float = 0.0, y: float = 0.0, facing: float = 180.0) -> Block:
    return Block(Pose(x, y, facing), Formation(files, models, 1.0, 1.0), "line", "b")


def test_a_wedge_grows_by_one_until_it_is_four_wide_and_then_stands_in_ranks() -> None:
    form = Formation(4, 17, 1.0, 1.0, points=1)
    assert [len(rank) for rank in form.wedged()] == [1, 2, 3, 4, 4, 3]
    assert (form.ranks, form.last_rank, form.width, form.depth) == (6, 3, 4.0, 6.0)


def test_two_points_stand_side_by_side() -> None:
    form = Formation(8, 28, 1.0, 1.0, points=2)
    assert form.wedged()[:2] == [[-2.0, 2.0], [-2.5, -1.5, 1.5, 2.5]]
    assert [len(rank) for rank in form.wedged()] == [2, 4, 6, 8, 8]


def test_two_points_of_four_fight_with_fourteen_against_ten() -> None:
    elves, goblins = wedge(28, 8, 2), line(30, 12)
    assert len(bases_in_contact(elves, goblins)) == 14
    assert len(bases_in_contact(goblins, elves)) == 10


def test_who_stands_behind_a_wedge_meets_its_last_rank() -> None:
    assert bases_in_contact(wedge(6, 3, 1), line(3, 3, 0.0, -3.0, 0.0)) == {3, 4, 5}


def test_only_the_rim_that_somebody_faces_fights() -> None:
    assert bases_in_contact(wedge(10, 4, 1), line(1, 1)) == {0, 1, 2, 3, 5}  # not those at the ends of the fourth rank


def test_the_flank_of_a_wedge_is_that_of_its_rectangle() -> None:
    elves = wedge(20, 4, 1)
    beside = Block(Pose(2.0, -4.0, 270.0), Formation(2, 4, 1.0, 1.0), "beside", "b")
    assert side_of(beside, elves) == "right"
    assert touches(beside, elves)


def test_a_loose_formation_may_keep_its_sides() -> None:
    for sided, side in ((False, "front"), (True, "rear")):
        crowd = Block(Pose(0.0, 0.0, 0.0), Formation(3, 6, 1.0, 1.0, "loose", 0.0, sided), "crowd", "a")
        assert side_of(line(3, 3, 0.0, -2.0, 0.0), crowd) == side


def test_more_points_than_files_are_no_formation() -> None:
    with pytest.raises(FieldError, match="points"):
        Formation(3, 12, 1.0, 1.0, points=4)


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 4), st.floats(0.0, 359.0))
def test_the_models_of_a_wedge_stand_within_its_outline_and_on_nobody(
    models: int, files: int, points: int, facing: float
) -> None:
    block = wedge(models, files, min(points, files), facing=facing)
    bases = block.bases()
    assert len(bases) == models
    for base in bases:
        for corner in base.points:
            right, forward = block.local(corner)
            assert abs(right) <= block.width / 2.0 + 1e-3
            assert abs(forward) <= block.depth / 2.0 + 1e-3
    assert not any(overlap(a, b, 0.01) for i, a in enumerate(bases) for b in bases[i + 1 :])
    for _, struck in block.striking_bases()[models:]:
        assert isclose(block.local((struck.x, struck.y))[1], block.depth / 2.0 - 0.5, abs_tol=1e-3)


@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 4), st.sampled_from([-90.0, 90.0, 180.0]))
def test_a_turn_of_the_models_ends_where_the_unit_stands_then(
    models: int, files: int, points: int, angle: float
) -> None:
    """Of a formation only the files change with a move: points, models and bases are what the rules say of a unit."""
    start = wedge(models, files, min(points, files))
    final = sweep(start, (Face(angle),), MoveCosts(), 0.0).final.formation
    files_then = final.files
    assert final == replace(start.formation, files=files_then, points=min(start.formation.points, files_then))


def test_a_wedge_is_drawn_round_its_models_and_looks_out_of_its_point() -> None:
    front, outline = _as_wedges(wedge(14, 4, 1, 30.0, 20.0))
    assert front == ((29.5, 20.0), (30.5, 20.0))
    assert [29.5, 20.0] in outline
    assert [30.5, 20.0] in outline
    assert [28.0, 20.0] not in outline  # the corner of the rectangle about it
    assert min(y for _, y in outline) == pytest.approx(15.0)
    front, _ = _as_wedges(wedge(28, 8, 2, 30.0, 20.0, 180.0))
    assert sorted(x for x, _ in front) == pytest.approx([27.5, 32.5])
    assert [y for _, y in front] == pytest.approx([20.0, 20.0])
