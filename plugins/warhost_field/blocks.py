"""Blocks: bodies of models on the table, from a regiment in ranks and files to a single dragon.

A block is an oriented rectangle. Its `Pose` is the CENTRE OF ITS FRONT EDGE and its facing, so that removing
rear ranks leaves the front where it stands. x runs along the near long edge from the lower-left corner of the
table, y away from it; facing 0 looks up the table, clockwise positive.
"""

from __future__ import annotations

from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Literal

from warhost_field.convex import Convex, Frame, rectangle
from warhost_field.measure import FieldError, Point, ahead, quantise, quantise_angle, rotated
from warhost_field.polygons import polygon
from warhost_field.records import record

if TYPE_CHECKING:
    from shapely.geometry import Polygon  # type: ignore[import-untyped]

Kind = Literal["ranked", "loose", "single"]
Side = Literal["front", "left", "right", "rear"]
SIDES: tuple[Side, ...] = ("front", "left", "right", "rear")

_set = object.__setattr__


@record
class Pose:
    """Where a block stands: centre of the front edge and facing, always quantised."""

    x: float
    y: float
    facing: float

    def __init__(self, x: float, y: float, facing: float) -> None:
        _set(self, "x", quantise(x))
        _set(self, "y", quantise(y))
        _set(self, "facing", quantise_angle(facing))


@record
class Formation:
    """How a block is drawn up.

    `files` models stand side by side (fewer if there are fewer models); `base_width` and `base_depth` are the
    size of one base, `gap` the space between neighbouring bases of a loose formation, all in table units. A
    loose formation covers the rectangle that its spread-out models fill and has no flanks unless it is `sided`.

    `points`: how many wedges make up its front, side by side: each begins with one model, and each rank has one more
    until the wedge is as wide as its share of the files. Raises FieldError for less than one model or file, bases
    without size, a single of several models, or more points than files.

    `width`: length of the front edge. `depth`: length of a side edge, incomplete last rank included.
    """

    files: int
    models: int
    base_width: float
    base_depth: float
    kind: Kind = "ranked"
    gap: float = 0.0
    sided: bool = False
    points: int = 0
    width: float = field(init=False, repr=False, compare=False)
    depth: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.models < 1 or self.files < 1:
            raise FieldError(f"no formation has {self.models} models in {self.files} files")
        if not (self.base_width > 0.0 and self.base_depth > 0.0 and self.gap >= 0.0):
            said = f"base_width {self.base_width:g} and base_depth {self.base_depth:g}, with gaps of {self.gap:g}"
            raise FieldError(f"{said}, make no base: it is more than 0 wide and deep, and gaps are 0 or more")
        if self.kind == "single" and self.models != 1:
            raise FieldError(f"a single figure is one model, not {self.models}")
        if not 0 <= self.points <= self.files:
            raise FieldError(f"no {self.files} files have {self.points} points")
        spacing = self.spacing
        _set(self, "width", self.frontage * (self.base_width + spacing) - spacing)
        _set(self, "depth", self.ranks * (self.base_depth + spacing) - spacing)

    @property
    def frontage(self) -> int:
        """Files that models stand in: those of the first rank, or as far as wedges spread."""
        if self.points:
            return max(round(2.0 * abs(across)) + 1 for rank in self.wedged() for across in rank)
        return min(self.files, self.models)

    @property
    def ranks(self) -> int:
        """Number of ranks, the last of which may be incomplete."""
        if self.points:
            return len(self.wedged())
        return -(-self.models // self.files)

    @property
    def last_rank(self) -> int:
        """Models in the last rank, 1..frontage."""
        if self.points:
            return len(self.wedged()[-1])
        return self.models - (self.ranks - 1) * self.files

    @property
    def wedge(self) -> int:
        """How wide each of its wedges becomes, in files; those left over stay behind the points."""
        return self.files // self.points

    def wedged(self) -> list[list[float]]:
        """The ranks behind the points from the front: where each model stands, in files right of the middle."""
        heads = [(i - (self.points - 1) / 2.0) * self.wedge for i in range(self.points)]
        ranks: list[list[float]] = []
        left = self.models
        while left > 0:
            wide = len(ranks) + 1
            if wide < self.wedge:
                rank = [head + i - (wide - 1) / 2.0 for head in heads for i in range(wide)]
            else:
                rank = [i - (self.files - 1) / 2.0 for i in range(self.files)]
            if left < len(rank):
                rank = [i - (left - 1) / 2.0 for i in range(left)]
            ranks.append(rank)
            left -= len(rank)
        return ranks

    def outermost(self) -> frozenset[int]:
        """The models at the rim of the wedges, by number from the front: the ends of each rank of each wedge."""
        found, number = set(), 0
        for at, rank in enumerate(self.wedged()):
            if at < self.wedge:
                size = at + 1 if len(rank) == self.points * (at + 1) else len(rank)
                found |= {number + place for place in range(len(rank)) if place % size in (0, size - 1)}
            number += len(rank)
        return frozenset(found)

    @property
    def spacing(self) -> float:
        """Space between neighbouring bases: 0 unless the formation is loose."""
        return self.gap if self.kind == "loose" else 0.0

    @property
    def has_flanks(self) -> bool:
        """Whether it matters from which side the block is attacked."""
        return self.kind != "loose" or self.sided

    @property
    def is_a_body(self) -> bool:
        """Whether it keeps its front when it moves: it turns as a whole, and pays for that."""
        return self.kind == "ranked" or self.sided


@record
class Block:
    """A pose, a formation and a name tag.

    `side` is the player or alliance: blocks of equal side are friends. `height` is in levels of elevation (1
    = an ordinary model; a giant of 2 sees and is seen over ordinary models). Blocks of which only one is
    `airborne` never hinder each other. Only a block that `screens` stops lines of sight. `inside`: the id of the block
    within which this one stands, or nothing; a copy at another place stands by itself.
    """

    pose: Pose
    formation: Formation
    id: str = ""
    side: str = ""
    height: float = 1.0
    airborne: bool = False
    screens: bool = True
    inside: str = ""
    shape: Convex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pose, form = self.pose, self.formation
        fx, fy = ahead(pose.facing)
        depth = form.depth
        x, y = pose.x - fx * depth / 2.0, pose.y - fy * depth / 2.0
        _set(self, "shape", rectangle(x, y, pose.facing, form.width, depth))

    @property
    def width(self) -> float:
        """Length of the front edge."""
        return self.frame[2] * 2.0

    @property
    def depth(self) -> float:
        """Length of a side edge."""
        return self.frame[3] * 2.0

    @property
    def frame(self) -> Frame:
        """Forward vector (x, y), half width and half depth."""
        frame = self.shape.frame
        assert frame is not None
        return frame

    @property
    def facing(self) -> float:
        return self.pose.facing

    @property
    def centre(self) -> Point:
        """Centre of the outline."""
        return self.shape.x, self.shape.y

    @property
    def ahead(self) -> Point:
        """Unit vector of the facing."""
        return self.shape.normals[0]

    @property
    def front_centre(self) -> Point:
        return self.pose.x, self.pose.y

    @property
    def outline(self) -> Polygon:
        """The outline as a shapely polygon (cached)."""
        return polygon(self.shape.points)

    @property
    def front_left(self) -> Point:
        return self.shape.points[1]

    @property
    def front_right(self) -> Point:
        return self.shape.points[0]

    @property
    def rear_left(self) -> Point:
        return self.shape.points[2]

    @property
    def rear_right(self) -> Point:
        return self.shape.points[3]

    @property
    def corners(self) -> tuple[Point, Point, Point, Point]:
        """Front-left, front-right, rear-right, rear-left: clockwise."""
        return self.front_left, self.front_right, self.rear_right, self.rear_left

    def edge(self, side: Side) -> tuple[Point, Point]:
        """The two ends of an edge; the four edges together walk round the block clockwise from front-left."""
        front_left, front_right, rear_right, rear_left = self.corners
        ends = {
            "front": (front_left, front_right),
            "right": (front_right, rear_right),
            "rear": (rear_right, rear_left),
            "left": (rear_left, front_left),
        }
        return ends[side]

    def outward(self, side: Side) -> float:
        """The facing in which an edge looks, degrees."""
        turn = {"front": 0.0, "right": 90.0, "rear": 180.0, "left": 270.0}[side]
        return quantise_angle(self.pose.facing + turn)

    def at(self, pose: Pose) -> Block:
        """The same block at another place."""
        return Block(pose, self.formation, self.id, self.side, self.height, self.airborne, self.screens)

    def drawn_up(self, formation: Formation) -> Block:
        """The same block in another formation, front centre unmoved."""
        return Block(self.pose, formation, self.id, self.side, self.height, self.airborne, self.screens)

    def centred(self, centre: Point, facing: float) -> Block:
        """The same block with its outline's centre at `centre`."""
        fx, fy = ahead(quantise_angle(facing))
        half = self.formation.depth / 2.0
        return self.at(Pose(centre[0] + fx * half, centre[1] + fy * half, facing))

    def turned(self, degrees: float, pivot: Point) -> Block:
        """The block turned clockwise about a point."""
        x, y = rotated(self.front_centre, pivot, degrees)
        return self.at(Pose(x, y, self.pose.facing + degrees))

    def with_models(self, models: int) -> Block:
        """The block after gains or losses, which show in the last rank."""
        return self.drawn_up(replace(self.formation, models=models))

    def local(self, point: Point) -> Point:
        """A point seen from the block's centre: (to the right, ahead)."""
        fx, fy = self.ahead
        dx, dy = point[0] - self.shape.x, point[1] - self.shape.y
        return dx * fy - dy * fx, dx * fx + dy * fy

    def base_centres(self) -> tuple[Point, ...]:
        """Centre of every base, rank by rank from the left; an incomplete last rank stands centred."""
        form = self.formation
        fx, fy = self.ahead
        across, along = form.base_width + form.spacing, form.base_depth + form.spacing
        centres = []
        if form.points:
            for rank, places in enumerate(form.wedged()):
                back = form.base_depth / 2.0 + rank * along
                for place in places:
                    right = place * across
                    centres.append((self.pose.x + right * fy - back * fx, self.pose.y - right * fx - back * fy))
            return tuple(centres)
        x, y, half, last = self.pose.x, self.pose.y, form.base_depth / 2.0, form.ranks - 1
        for rank in range(last + 1):
            count = form.last_rank if rank == last else form.frontage
            back = half + rank * along
            for file in range(count):
                right = (file - (count - 1) / 2.0) * across
                centres.append((x + right * fy - back * fx, y - right * fx - back * fy))
        return tuple(centres)

    def bases(self) -> tuple[Convex, ...]:
        """Rectangle of every base, in the order of `base_centres`."""
        form = self.formation
        return tuple(
            rectangle(x, y, self.pose.facing, form.base_width, form.base_depth)
            for x, y in self.base_centres()
        )

    def striking_bases(self) -> tuple[tuple[int, Convex], ...]:
        """Every base with its index, as it counts in contact: those at the rim of wedges also as if they stood on the
        line of the points, so that whoever lines up with it meets them across the gaps.
        """
        form, found = self.formation, list(enumerate(self.bases()))
        if form.points:
            fx, fy = self.ahead
            line = (self.depth - form.base_depth) / 2.0
            for index in sorted(form.outermost()):
                base = found[index][1]
                short = line - self.local((base.x, base.y))[1]
                x, y = base.x + fx * short, base.y + fy * short
                found.append((index, rectangle(x, y, self.pose.facing, form.base_width, form.base_depth)))
        return tuple(found)

    def to_json(self) -> dict[str, Any]:
        """Plain data for drawing, points rounded to 3 decimals, corners from front-left clockwise."""
        return {
            "id": self.id,
            "side": self.side,
            "x": self.pose.x,
            "y": self.pose.y,
            "facing": self.pose.facing,
            "files": self.formation.files,
            "models": self.formation.models,
            "kind": self.formation.kind,
            "outline": rounded(self.corners),
            "bases": [rounded((b.points[1], b.points[0], b.points[3], b.points[2])) for b in self.bases()],
        }


def rounded(points: tuple[Point, ...]) -> list[list[float]]:
    """Points as lists rounded to 3 decimals, without -0.0."""
    return [[round(x, 3) + 0.0, round(y, 3) + 0.0] for x, y in points]
