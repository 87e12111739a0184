"""Terrain from plain data, shares and distances."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from field.situations import block, blocks, few, pieces, wood
from warhost_field import Block, FieldError, Piece, Tabletop, piece
from warhost_field.convex import convex, gap, parted, separation
from warhost_field.polygons import polygon
from warhost_field.terrain import spanned

BOX = {"id": "b", "type": "field", "shape": "rectangle", "x": 10, "y": 10, "width": 4, "depth": 2}


def test_rectangle() -> None:
    box = piece(BOX)
    assert box.contains((12, 11))
    assert not box.contains((12.1, 11))
    assert box.to_json()["outline"] == [[12.0, 11.0], [8.0, 11.0], [8.0, 9.0], [12.0, 9.0]]
    assert piece({**BOX, "angle": 90}).contains((11, 12))


def test_circle_and_ellipse_are_nearly_round() -> None:
    assert wood().polygon.area == pytest.approx(3.14159 * 25, rel=0.01)
    lake = piece({"id": "l", "type": "lake", "shape": "ellipse", "x": 0, "y": 0, "width": 8, "depth": 2})
    assert lake.contains((3.9, 0))
    assert not lake.contains((0, 1.1))


def test_hollow_polygon_is_cut_into_convex_parts() -> None:
    ring = [(0, 0), (10, 0), (10, 10), (8, 10), (8, 2), (2, 2), (2, 10), (0, 10)]
    yard = piece({"id": "u", "type": "ruin", "shape": "polygon", "points": ring})
    assert yard.polygon.area == 52.0
    assert sum(type(yard.polygon)(part.points).area for part in yard.parts) == pytest.approx(52.0)
    assert not yard.contains((5, 5))
    assert yard.contains((1, 5))
    assert yard.share_of(block(5, 2).shape) == pytest.approx(1.0)


def test_wall_is_a_line_with_thickness() -> None:
    wall = piece(
        {"id": "w", "type": "wall", "shape": "line", "points": [(0, 0), (10, 0), (10, 10)], "thickness": 1}
    )
    assert wall.contains((5, 0.5))
    assert wall.contains((10.4, 5))
    assert not wall.contains((5, 0.6))
    assert wall.polygon.area == pytest.approx(20.0, abs=0.6)
    assert wall.distance_to((5, 3)) == pytest.approx(2.5)


def test_share_inside_and_under() -> None:
    half = piece({**BOX, "width": 6, "depth": 2, "y": 11})
    unit = block(10, 11)
    assert half.share_of(unit.shape) == pytest.approx(0.5)
    assert Tabletop(60, 48, (half,), ()).pieces_under(unit) == ((half, 0.5),)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"shape": "blob"}, "unknown shape"),
        ({"shape": "circle"}, "missing radius"),
        ({"width": -1}, "above 0"),
        ({"shape": "polygon", "points": [(0, 0), (2, 2), (2, 0), (0, 2)]}, "crosses itself"),
        ({"shape": "line", "points": [(0, 0)], "thickness": 1}, "two points"),
        ({"x": "left"}, "could not convert"),
    ],
)
def test_wrong_data_is_named(change: dict[str, Any], words: str) -> None:
    with pytest.raises(FieldError, match=words):
        piece({**BOX, **change})


@given(blocks, pieces("p"))
@few
def test_the_fast_overlap_test_agrees_with_the_general_one(unit: Block, ground: Piece) -> None:
    plain = convex(unit.shape.points)
    assert plain.frame is None
    for part in ground.parts:
        assert separation(unit.shape, part) == pytest.approx(separation(plain, part), abs=1e-9)
        assert separation(part, unit.shape) == pytest.approx(separation(part, plain), abs=1e-9)
        assert gap(unit.shape, part) == pytest.approx(unit.outline.distance(polygon(part.points)), abs=1e-6)
    assert ground.share_of(unit.shape) == pytest.approx(
        ground.polygon.intersection(unit.outline).area / unit.outline.area, abs=1e-6
    )


@given(blocks, pieces("p"), st.floats(-1.0, 20.0))
@few
def test_parted_is_what_separation_says(unit: Block, ground: Piece, distance: float) -> None:
    for shape in (unit.shape, convex(unit.shape.points)):
        for part in ground.parts:
            assert parted(shape, part, distance) == (separation(shape, part) > distance)


def test_what_lies_under_a_bridge_is_cut_out_of_a_piece() -> None:
    river = piece({"id": "r", "type": "river", "shape": "rectangle", "x": 24, "y": 22, "width": 48, "depth": 3})
    bridge = piece({"id": "b", "type": "bridge", "shape": "rectangle", "x": 24, "y": 22, "width": 4, "depth": 4})
    rest = spanned(river, bridge.parts)
    assert round(sum(polygon(part.points).area for part in rest.parts), 6) == 48 * 3 - 4 * 3
    assert not rest.contains((24, 22))
    assert rest.contains((21.9, 22))
    assert rest.contains((26.1, 22))
    assert not rest.covered


def test_a_piece_that_is_bridged_altogether_is_covered_and_keeps_its_shape() -> None:
    ditch = piece({"id": "d", "type": "ditch", "shape": "circle", "x": 24, "y": 22, "radius": 1})
    bridge = piece({"id": "b", "type": "bridge", "shape": "rectangle", "x": 24, "y": 22, "width": 4, "depth": 4})
    assert spanned(ditch, bridge.parts).covered
    assert spanned(ditch, bridge.parts).parts == ditch.parts
    assert spanned(bridge, ()) is bridge
