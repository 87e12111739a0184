"""Units on the table, the ways they went, what they lost, and their names."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from shapely import MultiPoint, box  # type: ignore[import-untyped]
from shapely.ops import nearest_points  # type: ignore[import-untyped]

from warhost_report import ground
from warhost_report.frames import Body, Frame, Json, Points, points
from warhost_report.labels import Box, Label, Wanted, placed
from warhost_report.sheet import WIDTH, Sheet, box_of, middle, path_of, short, text

#: A name longer than this is cut short on the table; the roster has it whole.
LONGEST_NAME = 22
#: Marks that are longer than this together stand on several lines.
LONGEST_MARKS = 28
#: A name so far from its unit, or not so much nearer to it than to another, has a line that leads there, if need be to
#: so near its middle.
FAR, NEARER, INTO = 18.0, 4.0, 3.0
#: The shadow of what is in the air lies so far to the right and down; counters are so large, and so many at most.
SHADOW, PIP, MOST_PIPS = (9.0, 12.0), 3.6, 8
#: A counter at least so wide, in units of the sheet, bears its name.
ROOM_FOR_NAME = 44.0

Point = tuple[float, float]


def colours(side: int) -> int:
    """The number of a side's colours; there are four."""
    return side % 4


def unit(body: Body, sheet: Sheet) -> str:
    """A unit: its outline, every base, its front edge and an arrow where it looks; its shadow if it is in the air, and
    the counters that lie on it.
    """
    classes = f"u s{colours(body.side)}" + (" marked" if body.marks else "") + (" air" if body.airborne else "")
    if _looks_nowhere(body):
        return _counter(body, sheet, classes)
    front = front_of(body, sheet)
    return (
        f'<g class="{classes}"><title>{text(described(body))}</title>{_shadow(body, sheet)}'
        f'<path class="o" d="{sheet.path(body.outline)}"/>'
        f'<path class="b" d="{sheet.path(*body.bases)}"/>'
        f'<path class="f" d="{path_of([front], closed=False)}"/>'
        f'<path class="a" d="{path_of([arrow(front, sheet.placed(body.outline))])}"/>{_pips(body, front, sheet)}</g>'
    )


def _shadow(body: Body, sheet: Sheet) -> str:
    """The shadow of a unit that is in the air."""
    if not body.airborne:
        return ""
    ring = tuple((x + SHADOW[0], y + SHADOW[1]) for x, y in sheet.placed(body.outline))
    return f'<path class="sh" d="{path_of([ring])}"/>'


def _pips(body: Body, front: Points, sheet: Sheet) -> str:
    """Counters in a row along the rear of a unit."""
    if not body.pips:
        return ""
    (ax, ay), (bx, by) = front
    far = math.hypot(bx - ax, by - ay) or 1.0
    along = (bx - ax) / far, (by - ay) / far
    cx, cy = middle(sheet.placed(body.outline))
    x, y = 2.0 * cx - (ax + bx) / 2, 2.0 * cy - (ay + by) / 2
    count = min(body.pips, MOST_PIPS)
    steps = [(i - (count - 1) / 2) * 2.4 * PIP for i in range(count)]
    places = [(short(x + along[0] * at), short(y + along[1] * at)) for at in steps]
    return "".join(f'<circle class="p" cx="{px}" cy="{py}" r="{PIP:g}"/>' for px, py in places)


def _looks_nowhere(body: Body) -> bool:
    """Whether a unit has no front: it is drawn as a counter."""
    return body.facing is None and not body.front


def names_itself(body: Body, sheet: Sheet) -> bool:
    """Whether a unit is a counter with room for its name."""
    left, _, right, _ = box_of(sheet.placed(body.outline))
    return _looks_nowhere(body) and right - left >= ROOM_FOR_NAME


def _counter(body: Body, sheet: Sheet, classes: str) -> str:
    """A unit that looks nowhere: its outline with its strength on it, and its name and marks if there is room."""
    left, top, right, bottom = box_of(sheet.placed(body.outline))
    x, y, wide = (left + right) / 2, (top + bottom) / 2, right - left
    if names_itself(body, sheet):
        small = min(wide / 6.6, 16.0)
        longest = int(wide / (small * 0.56))
        first, second = two_lines(body.name, longest)
        lines = [(first, -0.15, small, "w"), (second, 0.85, small, "w"), (str(body.strength), 2.35, small * 1.5, "c")]
        if body.marks:
            lines.append((short_name(", ".join(body.marks), longest - 2), -1.3, small * 0.85, "k"))
    else:
        small = min(0.46 * (bottom - top), 26.0)
        lines = [(str(body.strength), 0.36, small, "c")]
    said = "".join(
        f'<text class="{style}" x="{x:.0f}" y="{y + at * small:.1f}" font-size="{size:.1f}">{text(line)}</text>'
        for line, at, size, style in lines
        if line
    )
    return (
        f'<g class="{classes}"><title>{text(described(body))}</title>'
        f'<path class="o c" d="{sheet.path(body.outline)}"/><path class="b" d="{sheet.path(*body.bases)}"/>{said}</g>'
    )


def two_lines(name: str, longest: int) -> tuple[str, str]:
    """A name in two lines of nearly one length, each cut to so many letters; a number at its end stays whole."""
    parts = name.split()
    if len(name) <= longest - 2 or len(parts) < 2:
        return "", short_name(name, longest)
    at = min(range(1, len(parts)), key=lambda i: max(len(" ".join(parts[:i])), len(" ".join(parts[i:]))))
    first, second = " ".join(parts[:at]), " ".join(parts[at:])
    if len(second) > longest and second[-1].isdigit() and " " in second:
        head, _, number = second.rpartition(" ")
        return short_name(first, longest), f"{short_name(head, longest - len(number) - 1)} {number}"
    return short_name(first, longest), short_name(second, longest)


def described(body: Body) -> str:
    """A unit in words."""
    marks = f"; {', '.join((*body.marks, *body.passing))}" if body.marks or body.passing else ""
    above = ", in the air" if body.airborne else ""
    counters = f", {body.pips} {'counter' if body.pips == 1 else 'counters'}" if body.pips else ""
    return f"{body.name}: {body.strength} of {body.start}{above}{counters}{marks}"


def front_of(body: Body, sheet: Sheet) -> Points:
    """The two ends of the front edge on the sheet: as the picture says, else the edge that lies where it faces."""
    if len(body.front) == 2:
        return sheet.placed(body.front)
    corners = sheet.placed(body.outline)
    edges = [(corners[i - 1], corners[i]) for i in range(len(corners))]
    angle = math.radians(body.facing or 0.0)
    ahead = math.sin(angle), -math.cos(angle)

    def lies_ahead(edge: tuple[Point, Point]) -> float:
        (ax, ay), (bx, by) = edge
        far = math.hypot(bx - ax, by - ay) or 1.0
        normal = (by - ay) / far, (ax - bx) / far
        cx, cy = middle(corners)
        outward = 1.0 if ((ax + bx) / 2 - cx) * normal[0] + ((ay + by) / 2 - cy) * normal[1] >= 0 else -1.0
        return outward * (normal[0] * ahead[0] + normal[1] * ahead[1])

    return max(edges, key=lies_ahead)


def arrow(front: Points, outline: Points) -> Points:
    """A small triangle on the middle of the front edge, pointing outward."""
    (ax, ay), (bx, by) = front
    x, y = (ax + bx) / 2, (ay + by) / 2
    far = math.hypot(bx - ax, by - ay) or 1.0
    along = (bx - ax) / far, (by - ay) / far
    cx, cy = middle(outline)
    ahead = along[1], -along[0]
    if (x - cx) * ahead[0] + (y - cy) * ahead[1] < 0:
        ahead = -ahead[0], -ahead[1]
    half = min(6.0, far / 2)
    return (
        (x - along[0] * half, y - along[1] * half),
        (x + ahead[0] * 9.0, y + ahead[1] * 9.0),
        (x + along[0] * half, y + along[1] * half),
    )


# -- what happened in the phase -----------------------------------------------------------------------


def ghosts(frame: Frame, previous: Frame | None, sheet: Sheet) -> Iterator[str]:
    """Where units stood that stand elsewhere now or look another way."""
    before = {b.id: b for b in previous.bodies} if previous is not None else {}
    for body in frame.bodies:
        if body.id in before and _stands_elsewhere(before[body.id], body, sheet):
            yield ghost(before[body.id], sheet)


def ways(frame: Frame, sheet: Sheet) -> Iterator[str]:
    """The ways that units went."""
    sides = {b.id: b.side for b in (*frame.bodies, *frame.gone)}
    for record in frame.records:
        way = way_of(record) if record.get("kind") == "move" else ()
        if len(way) >= 2 and _length(sheet.placed(way)) > 5.0:
            side = colours(sides.get(str(record.get("unit", "")), 0))
            d = sheet.path(way, closed=False)
            line = f'<path d="{d}" marker-end="url(#tip{side})"/>'
            yield f'<g class="mv s{side}"><path class="h" d="{d}"/>{line}</g>'


def aims(frame: Frame, sheet: Sheet) -> Iterator[str]:
    """A broken line from each unit to the one to which it is on its way."""
    here = {b.id: b for b in frame.bodies}
    for body in frame.bodies:
        goal = here.get(body.aims)
        if goal is None or not body.outline or not goal.outline:
            continue
        start = middle(front_of(body, sheet)) if not _looks_nowhere(body) else middle(sheet.placed(body.outline))
        end, _ = nearest_points(MultiPoint(sheet.placed(goal.outline)).convex_hull, MultiPoint([start]))
        side = colours(body.side)
        said = f"{body.name} is on its way to {goal.name}"
        d = f"M{short(start[0])} {short(start[1])}L{short(end.x)} {short(end.y)}"
        yield f'<g class="aim s{side}"><title>{text(said)}</title><path d="{d}" marker-end="url(#tip{side})"/></g>'


def way_of(record: Json) -> Points:
    """The points that a move went through."""
    way = points(record.get("path"))
    if len(way) >= 2:
        return way
    ends = [record.get("from"), record.get("to")]
    return points([(e.get("x"), e.get("y")) for e in ends if isinstance(e, Mapping)])


def _stands_elsewhere(before: Body, now: Body, sheet: Sheet) -> bool:
    """Whether the middle of the front edge or the facing changed; losses alone do not count."""
    if before.outline == now.outline:
        return False
    if _looks_nowhere(now):
        return True
    then, here = front_of(before, sheet), front_of(now, sheet)
    turned = abs((before.facing or 0.0) - (now.facing or 0.0)) > 0.5
    return turned or math.dist(middle(then), middle(here)) > 1.0


def _length(way: Points) -> float:
    return sum(math.dist(a, b) for a, b in pairwise(way))


def ghost(body: Body, sheet: Sheet) -> str:
    """Where a unit stood."""
    return f'<path class="ghost s{colours(body.side)}" d="{sheet.path(body.outline)}"/>'


def losses(frame: Frame, sheet: Sheet) -> Iterator[str]:
    """A badge for each unit that lost something, and a cross for those that are gone."""
    for body in frame.gone:
        x, y = middle(sheet.placed(body.outline))
        cross = f"M{short(x - 9)} {short(y - 9)}l18 18m0-18l-18 18"
        yield ghost(body, sheet) + f'<path class="gone" d="{cross}"><title>{text(body.name)}</title></path>'
    for body in frame.bodies:
        n = frame.lost.get(body.id, 0)
        if n:
            left, top, right, bottom = badge_box(body, sheet, n)
            x, y = (left + right) / 2, (top + bottom) / 2
            yield (
                f'<g class="badge"><title>{text(body.name)} lost {n}</title>'
                f'<rect x="{left:.0f}" y="{top:.0f}" width="{right - left:.0f}" height="20" rx="10"/>'
                f'<text x="{x:.0f}" y="{y + 5.5:.0f}">\u2212{n}</text></g>'
            )


def badge_box(body: Body, sheet: Sheet, n: int) -> Box:
    """Where the badge of a unit is: on the corner of its box, kept on the table."""
    _, top, right, _ = box_of(sheet.placed(body.outline))
    wide = 20.0 + 9.0 * len(str(n))
    x = min(max(right, wide / 2), WIDTH - wide / 2)
    return x - wide / 2, top - 12.0, x + wide / 2, top + 8.0


# -- names ----------------------------------------------------------------------------------------------


def short_name(name: str, longest: int = LONGEST_NAME) -> str:
    name = " ".join(name.split())
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}\u2026"


def names(frame: Frame, sheet: Sheet, seats: dict[str, int]) -> Iterator[str]:
    """The name, strength and marks of every unit that does not bear them, and the names of the ground.

    seats remembers where the units' names were, so that they stay there.
    """
    boxes = {b.id: box_of(sheet.placed(b.outline)) for b in frame.bodies}
    nameless = [b for b in frame.bodies if not names_itself(b, sheet)]
    wanted = tuple(_wanted(b, boxes[b.id]) for b in nameless)
    busy = tuple(badge_box(b, sheet, frame.lost[b.id]) for b in frame.bodies if frame.lost.get(b.id))
    busy += tuple(box_of(sheet.placed(b.outline)) for b in frame.gone)
    edge = (-30.0, -30.0, WIDTH + 30.0, sheet.height + 30.0)
    labels = placed(wanted, busy, edge, tuple(sorted(seats.items())))
    yield from ground.names(frame.pieces, sheet, list(boxes.values()), [*busy, *(one.box for one in labels.values())])
    hulls = {b.id: MultiPoint(sheet.placed(b.outline)).convex_hull for b in frame.bodies}
    for body in nameless:
        label = labels[body.id]
        seats[body.id] = label.seat
        yield _name(body, label, _leader(label.box, hulls[body.id], [h for id, h in hulls.items() if id != body.id]))


def _wanted(body: Body, box: Box) -> Wanted:
    lines = _lines(body)
    return Wanted(body.id, box, max(len(line) for line in lines), len(lines))


def _lines(body: Body) -> Sequence[str]:
    """The name with the strength, in brackets lest it be taken for a part of the name, and the marks, each whole."""
    lines = [f"{short_name(body.name)} ({body.strength})" if body.start > 1 else short_name(body.name)]
    for mark in body.marks:
        if len(lines) > 1 and len(lines[-1]) + 2 + len(mark) <= LONGEST_MARKS:
            lines[-1] += f", {mark}"
        else:
            lines[-1] += "," if len(lines) > 1 else ""
            lines.append(mark)
    return lines


def _name(body: Body, label: Label, leader: str) -> str:
    left, top, right, _ = label.box
    x = (left + right) / 2
    number = f' <tspan class="n">({body.strength})</tspan>' if body.start > 1 else ""
    marks = "".join(f'<tspan class="k" x="{x:.0f}" dy="17">{text(line)}</tspan>' for line in _lines(body)[1:])
    return (
        f'{leader}<text class="s{colours(body.side)}" x="{x:.0f}" y="{top + 15:.0f}">'
        f"{text(short_name(body.name))}{number}{marks}</text>"
    )


def _leader(label: Box, own: Any, others: Sequence[Any]) -> str:
    """A thin line from a name to its unit when they are apart, or when the name is as near to another unit.

    own and others are outlines; the box of a unit says little of one aslant.
    """
    place = box(*label)
    here, there = nearest_points(place, own)
    apart = here.distance(there)
    if apart >= FAR or any(place.distance(other) < apart + NEARER for other in others):
        inside = nearest_points(own.centroid.buffer(INTO), there)[0] if apart < FAR else there
        return f'<path class="leader" d="M{here.x:.0f} {here.y:.0f}L{inside.x:.0f} {inside.y:.0f}"/>'
    return ""
