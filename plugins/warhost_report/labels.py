"""Placing the names of units in a picture: near their unit, clear of other units and of other names.

Coordinates and lengths are in units of the SVG sheet, y downwards; a `Box` is (left, top, right, bottom).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

Box = tuple[float, float, float, float]

#: Height of a line of text, and average width of a letter.
LINE = 19.0
LETTER = 9.4

#: A label this near (MARGIN) to another unit could be taken for that unit's name; the penalty for each such unit.
CLOSE, MARGIN = 25.0, 8.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A label to be placed. unit: the box of its unit. letters: the length of its longest line."""

    id: str
    unit: Box
    letters: int
    lines: int


@dataclass(frozen=True, slots=True)
class Label:
    """A placed label. seat: which of the places around the unit it took, as counted by `seats`."""

    id: str
    box: Box
    seat: int


def seats(want: Wanted) -> list[Box]:
    """Places around a unit, the best first: below, above, beside, at the corners, then the same farther off."""
    left, top, right, bottom = want.unit
    w, h = want.letters * LETTER, want.lines * LINE
    cx, cy = (left + right) / 2 - w / 2, (top + bottom) / 2 - h / 2
    found = []
    for gap in (5.0, 26.0, 48.0):
        above, below, before, behind = top - gap - h, bottom + gap, left - gap - w, right + gap
        for x, y in ((cx, below), (cx, above), (behind, cy), (before, cy), (behind, below), (before, below),
                     (behind, above), (before, above), (left, below), (right - w, below), (left, above),
                     (right - w, above)):  # fmt: skip
            found.append((x, y, x + w, y + h))
    return found


@lru_cache(maxsize=8)
def placed(
    wanted: tuple[Wanted, ...], busy: tuple[Box, ...], edge: Box, before: tuple[tuple[str, int], ...]
) -> Mapping[str, Label]:
    """The cheapest place for each label, chosen greedily from top to bottom.

    busy: boxes of what else should stay visible. edge: the box of the sheet. before: the seats of the previous picture
    by unit; a label keeps its seat where it can, so that names do not jump from picture to picture.
    """
    kept = dict(before)
    units = {w.id: w.unit for w in wanted}
    done: dict[str, Label] = {}
    for want in sorted(wanted, key=lambda w: (round(w.unit[1]), round(w.unit[0]), w.id)):
        around = seats(want)
        reach = hull(around)
        near = [b for b in (*(u for id, u in units.items() if id != want.id), *busy) if shared(b, reach)]
        others = [u for id, u in units.items() if id != want.id and shared(_grown(u), reach)]
        labels = [label.box for label in done.values() if shared(label.box, reach)]
        best: tuple[float, int, Box] | None = None
        for seat, box in enumerate(around):
            crowd = sum(1 for b in others if shared(box, _grown(b)))
            cost = seat * 6.0 + CLOSE * crowd - (40.0 if kept.get(want.id) == seat and not crowd else 0.0)
            cost += 4.0 * sum(shared(box, b) for b in near) + 12.0 * sum(shared(box, b) for b in labels)
            cost += 30.0 * outside(box, edge)
            if best is None or cost < best[0]:
                best = cost, seat, box
        assert best is not None
        done[want.id] = Label(want.id, best[2], best[1])
    return done


def _grown(box: Box) -> Box:
    """A box with a margin: a name in it would be taken for that unit's."""
    return box[0] - MARGIN, box[1] - MARGIN, box[2] + MARGIN, box[3] + MARGIN


def hull(boxes: list[Box]) -> Box:
    """The box around boxes."""
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


def shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def outside(box: Box, edge: Box) -> float:
    """The area of a box beyond the edge."""
    return (box[2] - box[0]) * (box[3] - box[1]) - shared(box, edge)
