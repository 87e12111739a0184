"""The table: its edges, the terrain and blocks on it, and the questions a game asks about a situation."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from warhost_field.blocks import Block
from warhost_field.contact import touches
from warhost_field.convex import gap, overlap
from warhost_field.measure import SLACK, FieldError, Point
from warhost_field.moves import Crossing, MoveSweep, crossings, hinders
from warhost_field.records import record
from warhost_field.sight import (
    Obstacle,
    SightLine,
    SightRules,
    block_obstacle,
    clear_line,
    closed_gaps,
    free_line,
    piece_obstacle,
    strip,
)
from warhost_field.terrain import Piece

Extent = Literal["any", "centre", "whole"]
Relation = Literal["enemies", "friends", "all"]


#: Blocks as obstacles, by block and ground (both are kept, so that they stay the same objects); so many at most.
_OBSTACLES: dict[tuple[int, int], tuple[Block, tuple[Piece, ...], Obstacle]] = {}
MOST_KEPT = 1_000

#: The same of the terrain, by its pieces.
_GROUND: dict[int, tuple[tuple[Piece, ...], list[Obstacle]]] = {}


@record
class Tabletop:
    """A situation. `width` along x, `depth` along y, table units; later changes make a new table.

    `closed_gap`: nobody looks through the gap between two blocks that are no farther apart, table units.

    Raises FieldError if two blocks share an id.
    """

    width: float
    depth: float
    pieces: tuple[Piece, ...] = ()
    blocks: tuple[Block, ...] = ()
    closed_gap: float = 0.0

    def __post_init__(self) -> None:
        if len({block.id for block in self.blocks}) != len(self.blocks):
            raise FieldError("two blocks on the table have the same id")

    def block(self, name: str) -> Block:
        """The block of that id; FieldError if there is none."""
        for block in self.blocks:
            if block.id == name:
                return block
        raise FieldError(f"no block {name} on the table")

    def with_block(self, block: Block) -> "Tabletop":
        """The table after a block has moved, or come to it."""
        if all(other.id != block.id for other in self.blocks):
            return replace(self, blocks=(*self.blocks, block))
        blocks = tuple(block if other.id == block.id else other for other in self.blocks)
        return replace(self, blocks=blocks)

    def without(self, *names: str) -> "Tabletop":
        """The table after some blocks have gone."""
        if not names:
            return self
        return replace(self, blocks=tuple(b for b in self.blocks if b.id not in names))

    def others(self, block: Block, relation: Relation = "all") -> tuple[Block, ...]:
        """Every other block, or those of another side, or of the same, in the order of the table."""
        others = tuple(other for other in self.blocks if other.id != block.id)
        if relation == "all":
            return others
        return tuple(o for o in others if (o.side == block.side) == (relation == "friends"))

    def is_inside(self, block: Block, extent: Extent = "whole") -> bool:
        """Whether the `whole` outline, its `centre` or `any` part of it lies on the table."""
        shape = block.shape
        far = shape.radius
        if far <= shape.x <= self.width - far and far <= shape.y <= self.depth - far:
            return True
        if extent == "centre":
            return self.holds(block.centre)
        inside = [self.holds(corner) for corner in block.corners]
        return all(inside) if extent == "whole" else any(inside) or self.holds(block.centre)

    def holds(self, point: Point) -> bool:
        """Whether a point is on the table, up to the slack of an overlap."""
        return -SLACK <= point[0] <= self.width + SLACK and -SLACK <= point[1] <= self.depth + SLACK

    def overlaps(self, block: Block) -> tuple[Block, ...]:
        """Blocks that the given one overlaps (contact is no overlap)."""
        return tuple(o for o in self.blocks if hinders(o, block) and overlap(block.shape, o.shape, SLACK))

    def touching(self, block: Block, relation: Relation = "all") -> tuple[Block, ...]:
        """Blocks in contact with the given one."""
        return tuple(o for o in self.others(block, relation) if touches(block, o))

    def nearest(self, block: Block, relation: Relation = "enemies", count: int = 1) -> tuple[Block, ...]:
        """The nearest other blocks, edge to edge, nearest first, ties in table order."""
        ranked = sorted(
            self.others(block, relation), key=lambda other: round(gap(block.shape, other.shape), 6)
        )
        return tuple(ranked[:count])

    def pieces_at(self, point: Point) -> tuple[Piece, ...]:
        """Terrain under a point."""
        return tuple(piece for piece in self.pieces if piece.contains(point))

    def pieces_under(self, block: Block) -> tuple[tuple[Piece, float], ...]:
        """Terrain under a block, with the share 0..1 of the block that stands in it."""
        under = (piece for piece in self.pieces if piece.covers_any_of(block.shape))
        return tuple((piece, round(piece.share_of(block.shape), 6)) for piece in under)

    def elevation_at(self, point: Point) -> float:
        """Level of the ground: that of the highest piece there, 0 on the bare table."""
        levels = (p.elevation for p in self.pieces if p.elevation and p.contains(point))
        return max(levels, default=0.0)

    def level_of(self, block: Block) -> float:
        """Level of the ground under a block's centre."""
        return self.elevation_at(block.centre)

    def crossings(self, sweep: MoveSweep) -> tuple[Crossing, ...]:
        """Everything that a move meets, in order."""
        return crossings(sweep, self.blocks, self.pieces)

    def pieces_crossed(self, sweep: MoveSweep) -> tuple[Piece, ...]:
        """Terrain in which the block is at any moment of a move, start included, in order of meeting."""
        met = crossings(sweep, (), self.pieces)
        names = dict.fromkeys(c.other for c in met if c.kind in ("within", "enter"))
        return tuple(next(piece for piece in self.pieces if piece.id == name) for name in names)

    def passes_through(self, sweep: MoveSweep, relation: Relation = "friends") -> tuple[Block, ...]:
        """Blocks that a move overlaps on its way or at its start, in order of meeting."""
        others = [o for o in self.others(sweep.start, relation) if hinders(o, sweep.start)]
        met = [(spans[0][0], o) for o in others if (spans := sweep.meetings((o.shape,), -SLACK))]
        return tuple(other for _, other in sorted(met, key=lambda meeting: meeting[0]))

    def obstacles(self, a: Block, b: Block, rules: SightRules) -> list[Obstacle]:
        """What may stop lines of sight from `a` to `b`.

        Where friends and enemies differ, a symmetric line is stopped by what stops it for either end.
        """
        observers = (a, b) if rules.symmetric else (a,)
        screens = [self._as_obstacle(o) for o in self._screens(a, b, observers, rules)]
        found = [*screens, *closed_gaps(screens, self.closed_gap)] if self.closed_gap > 0.0 else screens
        return found + self._ground_obstacles()

    def _ground_obstacles(self) -> list[Obstacle]:
        """What of the terrain may stop lines: the same as long as the ground does not change."""
        known = _GROUND.get(id(self.pieces))
        if known is None:
            if len(_GROUND) >= MOST_KEPT:
                _GROUND.clear()
            found = [obstacle for piece in self.pieces if (obstacle := piece_obstacle(piece)) is not None]
            known = _GROUND[id(self.pieces)] = (self.pieces, found)
        return known[1]

    def _screens(self, a: Block, b: Block, observers: Iterable[Block], rules: SightRules) -> list[Block]:
        def stops(other: Block) -> bool:
            return any(
                rules.friends_block if other.side == o.side else rules.enemies_block for o in observers
            )

        ends = (a.id, b.id, a.inside, b.inside)
        both = rules.friends_block and rules.enemies_block
        comes_near = strip(a, b, self.closed_gap)
        screens = (o for o in self.blocks if o.screens and o.id not in ends and (both or stops(o)))
        return [screen for screen in screens if comes_near(screen.shape)]

    def _as_obstacle(self, screen: Block) -> Obstacle:
        """What a block is in the way of lines of sight: the same as long as neither it nor the ground changes."""
        key = (id(screen), id(self.pieces))
        known = _OBSTACLES.get(key)
        if known is None:
            if len(_OBSTACLES) >= MOST_KEPT:
                _OBSTACLES.clear()
            known = _OBSTACLES[key] = (screen, self.pieces, block_obstacle(screen, self.level_of(screen)))
        return known[2]

    def line_of_sight(self, a: Block, b: Block, rules: SightRules | None = None) -> SightLine:
        """A free line from one block to another, or a stopped one with the names of what stops it."""
        rules = rules or SightRules()
        return clear_line(a, b, self._eyes(a), self._eyes(b), self.obstacles(a, b, rules), rules)

    def sees(self, a: Block, b: Block, rules: SightRules | None = None) -> bool:
        """Whether `a` sees `b`; with symmetric rules sees(a, b) == sees(b, a)."""
        rules = rules or SightRules()
        return free_line(a, b, self._eyes(a), self._eyes(b), self.obstacles(a, b, rules), rules) is not None

    def _eyes(self, block: Block) -> float:
        """The level of a block's eyes."""
        return self.level_of(block) + block.height - 1.0
