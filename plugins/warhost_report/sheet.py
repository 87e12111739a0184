"""The sheet of paper on which a table is drawn: 1200 units wide whatever the game measures in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from warhost_report.frames import Points

WIDTH = 1200.0
MARGIN = 44.0


def text(value: object) -> str:
    """Text for HTML and for attributes."""
    return escape("".join(c if c >= " " else " " for c in str(value)), quote=True)


def short(value: float) -> str:
    """A coordinate with at most one decimal."""
    return f"{value + 0.0 if abs(value) >= 0.05 else 0.0:.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of width x depth; y of the table runs up, y of the sheet down."""

    width: float
    depth: float
    unit: str = ""

    @property
    def scale(self) -> float:
        """Units of the sheet for one unit of length of the table."""
        return WIDTH / self.width

    @property
    def height(self) -> float:
        """How high the sheet is, in its units."""
        return self.depth * self.scale

    def place(self, point: tuple[float, float]) -> tuple[float, float]:
        """A point of the table on the sheet."""
        return point[0] * self.scale, (self.depth - point[1]) * self.scale

    def placed(self, points: Points) -> Points:
        """Points of the table on the sheet."""
        return tuple(self.place(p) for p in points)

    def path(self, *rings: Points, closed: bool = True) -> str:
        """Rings of the table as the data of a path."""
        return path_of((self.placed(r) for r in rings), closed)

    def view_box(self) -> str:
        """The part of the plane that is drawn, as SVG has it."""
        return f"{-MARGIN:g} {-MARGIN:g} {short(WIDTH + 2 * MARGIN)} {short(self.height + 2 * MARGIN)}"


def path_of(rings: Iterable[Points], closed: bool = True) -> str:
    """Rings of the sheet as the data of a path."""
    done = []
    for ring in rings:
        done.append("M" + "L".join(f"{short(x)} {short(y)}" for x, y in ring) + ("z" if closed else ""))
    return "".join(done)


def box_of(points: Points) -> tuple[float, float, float, float]:
    """Left, top, right, bottom."""
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def middle(points: Points) -> tuple[float, float]:
    """The mean of the corners."""
    return sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
