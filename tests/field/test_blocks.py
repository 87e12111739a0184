"""Blocks, formations, poses: hand-computed outlines, and quantising."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from field.situations import COLUMN, LINE, SKIRMISH, block, blocks, few
from warhost_field import Block, FieldError, Formation, Pose, quantise, quantise_angle


def test_twelve_infantry_in_six_files_cover_six_by_two() -> None:
    unit = block(10, 10)
    assert (unit.width, unit.depth) == (6.0, 2.0)
    assert unit.outline.bounds == (7.0, 8.0, 13.0, 10.0)
    assert unit.outline.area == 12.0


def test_corners_and_edges_walk_round_clockwise() -> None:
    unit = block(10, 10)
    assert unit.corners == ((7, 10), (13, 10), (13, 8), (7, 8))
    assert unit.edge("front") == ((7, 10), (13, 10))
    assert unit.edge("right") == ((13, 10), (13, 8))
    assert unit.edge("rear") == ((13, 8), (7, 8))
    assert unit.edge("left") == ((7, 8), (7, 10))


def test_facing_is_clockwise_from_up_the_table() -> None:
    unit = block(10, 10, 90)
    assert unit.front_left == pytest.approx((10, 13))
    assert unit.centre == pytest.approx((9, 10))
    assert unit.outward("left") == 0.0


def test_incomplete_last_rank() -> None:
    form = Formation(6, 15, 1, 1)
    assert (form.ranks, form.last_rank, form.frontage) == (3, 3, 6)
    centres = block(10, 10, form=form).base_centres()
    assert centres[0] == (7.5, 9.5)
    assert centres[5] == (12.5, 9.5)
    assert centres[12:] == ((9.0, 7.5), (10.0, 7.5), (11.0, 7.5))


def test_fewer_models_than_files_narrow_the_front() -> None:
    assert Formation(6, 4, 1, 1).width == 4.0


def test_loose_formation_grows_by_its_gaps_and_has_no_flanks() -> None:
    assert (SKIRMISH.width, SKIRMISH.depth) == (11.0, 3.0)
    assert not SKIRMISH.has_flanks
    assert LINE.has_flanks


def test_losses_leave_the_front_where_it_is() -> None:
    assert block(10, 10).with_models(5).front_centre == (10, 10)
    assert block(10, 10).with_models(5).depth == 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        {"files": 0, "models": 3},
        {"files": 3, "models": 0},
        {"files": 3, "models": 3, "base_width": 0.0},
        {"files": 2, "models": 2, "kind": "single"},
    ],
)
def test_impossible_formations_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(FieldError):
        Formation(**{"base_width": 1.0, "base_depth": 1.0, **wrong})  # type: ignore[arg-type]


def test_json_holds_rounded_points() -> None:
    data = block(10, 10, 30, COLUMN, id="a", side="red").to_json()
    assert data["id"] == "a"
    assert data["outline"][0] == [9.134, 10.5]
    assert len(data["bases"]) == 12


@given(st.floats(-1e6, 1e6), st.floats(-1e4, 1e4))
@few
def test_quantising_twice_is_quantising_once(value: float, angle: float) -> None:
    assert quantise(quantise(value)) == quantise(value)
    once = quantise_angle(angle)
    assert quantise_angle(once) == once
    assert 0.0 <= once < 360.0
    assert Pose(value, value, angle) == Pose(
        *[getattr(Pose(value, value, angle), n) for n in ("x", "y", "facing")]
    )
    assert math.copysign(1.0, quantise(value) or 0.0) == 1.0 or quantise(value) < 0.0


@given(blocks)
@few
def test_bases_lie_in_the_outline(unit: Block) -> None:
    outline = unit.outline.buffer(1e-6)
    for x, y in unit.base_centres():
        local = unit.local((x, y))
        assert abs(local[0]) <= unit.width / 2
        assert abs(local[1]) <= unit.depth / 2
    assert all(outline.contains(type(outline)(base.points)) for base in unit.bases())
