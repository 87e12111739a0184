"""Blocks, terrain and whole tables for the tests: by hand, and drawn by hypothesis."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from warhost_field import Block, Formation, Piece, Pose, Tabletop, piece

few = settings(max_examples=60)
fewer = settings(max_examples=25)

LINE = Formation(6, 12, 1.0, 1.0)
COLUMN = Formation(2, 12, 1.0, 1.0)
HORSE = Formation(4, 8, 1.0, 2.0)
MONSTER = Formation(1, 1, 2.0, 3.0, "single")
SKIRMISH = Formation(6, 12, 1.0, 1.0, "loose", 1.0)


def block(x: float, y: float, facing: float = 0.0, form: Formation = LINE, **tags: Any) -> Block:
    """A block with its front centre at (x, y)."""
    return Block(Pose(x, y, facing), form, **tags)


def wood(name: str = "wood", **data: Any) -> Piece:
    """A wood: a circle at (30, 24) of radius 5 unless told otherwise, seen into for 4 and never through."""
    plain = {"id": name, "type": "wood", "shape": "circle", "x": 30, "y": 24, "radius": 5, "height": 1}
    return piece({**plain, "blocks_sight": True, "see_into": 4, **data})


coordinates = st.integers(0, 600).map(lambda n: n / 10)
facings = st.one_of(st.sampled_from([0.0, 90.0, 180.0, 270.0]), st.integers(0, 3599).map(lambda n: n / 10))
formations = st.sampled_from([LINE, COLUMN, HORSE, MONSTER, SKIRMISH])
poses = st.builds(Pose, coordinates, coordinates, facings)
blocks = st.builds(Block, poses, formations)


@st.composite
def pieces(draw: st.DrawFn, name: str) -> Piece:
    """A wood, hill, cliff or crooked wall somewhere on the table."""
    kind = draw(st.sampled_from(["wood", "hill", "cliff", "wall"]))
    x, y = draw(st.integers(5, 55)), draw(st.integers(5, 40))
    data: dict[str, Any] = {"id": name, "type": kind, "x": x, "y": y, "radius": draw(st.integers(2, 6))}
    if kind == "wood":
        data |= {"shape": "circle", "blocks_sight": True, "see_into": 4, "height": 1}
    elif kind == "hill":
        data |= {
            "shape": "ellipse",
            "width": 10,
            "depth": 6,
            "blocks_sight": True,
            "height": 1,
            "elevation": 1,
        }
    elif kind == "cliff":
        data |= {
            "shape": "polygon",
            "points": [(x, y), (x + 6, y), (x + 3, y + 2), (x, y + 6)],
            "impassable": True,
        }
    else:
        data |= {"shape": "line", "points": [(x, y), (x + 5, y + 1), (x + 6, y + 5)], "thickness": 0.4}
    return piece(data)


@st.composite
def tables(draw: st.DrawFn, most: int = 7) -> Tabletop:
    """A table of 60 x 48 with up to three pieces and blocks of two sides, none overlapping, all on the table.

    The first block, "b0", stands in the middle and never in impassable ground.
    """
    ground = tuple(draw(pieces(f"p{i}")) for i in range(draw(st.integers(0, 3))))
    table = Tabletop(60.0, 48.0, ground)
    for index in range(draw(st.integers(2, most))):
        pose = Pose(30.0, 24.0, draw(facings)) if index == 0 else draw(poses)
        new = Block(pose, draw(formations), f"b{index}", "red" if index % 2 else "blue")
        stands = not any(p.impassable and p.covers_any_of(new.shape) for p in ground)
        if table.is_inside(new) and not table.overlaps(new) and (stands or index == 0):
            table = table.with_block(new)
    return table
