"""The strength of both sides over the battle, as a plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warhost_report.figures import colours, described
from warhost_report.frames import Album, Frame
from warhost_report.sheet import short, text

WIDE, HIGH = 760.0, 230.0
LEFT, RIGHT, TOP, BOTTOM = 44.0, 150.0, 14.0, 34.0


def times(album: Album) -> list[float]:
    """When each frame is, in turns: 0 the set-up, 1 the end of the first turn."""
    turns = [(f.turn, f.turn_title) for f in album.frames]
    order = list(dict.fromkeys(t for t in turns if t[0] > 0))
    found, seen = [], dict.fromkeys(order, 0)
    for turn in turns:
        if turn[0] <= 0:
            found.append(0.0)
            continue
        seen[turn] += 1
        found.append(order.index(turn) + seen[turn] / turns.count(turn))
    return found


class Plot:
    """Draws the plot; `x_of` says where each frame is on it, for the line of the present."""

    def __init__(self, album: Album, sides: Sequence[str]) -> None:
        self.album, self.sides = album, sides
        self.times = times(album)
        self.last = max((*self.times, 1.0))
        roster = [b for b in album.roster().values() if b.id not in album.later]
        self.whole = [sum(b.start for b in roster if b.side == i) for i in range(len(sides))]

    def x(self, time: float) -> float:
        """How far to the right a time lies, in units of the drawing."""
        return LEFT + (WIDE - LEFT - RIGHT) * time / self.last

    def y(self, share: float) -> float:
        """How far down a share (0 to 1) lies, in units of the drawing."""
        return TOP + (HIGH - TOP - BOTTOM) * (1.0 - share)

    def x_of(self, frame: int) -> str:
        """The same for a frame, as text."""
        return short(self.x(self.times[frame]))

    def share(self, frame: Frame, side: int) -> float:
        """The share of its strength at the beginning that a side has in a frame, from 0 to 1."""
        left = sum(b.strength for b in frame.bodies if b.side == side)
        return min(left / self.whole[side], 1.0) if self.whole[side] else 0.0

    def start(self) -> int:
        """The first frame of the plot: the last of the set-up."""
        return max((i for i, t in enumerate(self.times) if t == 0.0), default=0)

    def svg(self) -> str:
        """The whole plot."""
        return (
            f'<svg id="plot" viewBox="0 0 {WIDE:g} {HIGH:g}" role="img" '
            f'aria-label="Strength of both sides over the turns">'
            f"{''.join(self._axes())}{''.join(self._lines())}{''.join(self._marks())}{''.join(self._ends())}"
            f'<path id="present" d="M0 {TOP:g}V{HIGH - BOTTOM:g}" '
            f'transform="translate({self.x_of(len(self.times) - 1)} 0)"/></svg>'
        )

    def _axes(self) -> Iterator[str]:
        bottom = HIGH - BOTTOM
        for percent in (0, 25, 50, 75, 100):
            y = short(self.y(percent / 100))
            yield f'<path class="grid" d="M{LEFT:g} {y}H{WIDE - RIGHT:g}"/>'
            yield f'<text class="tick" x="{LEFT - 6:g}" y="{float(y) + 4:g}" text-anchor="end">{percent}%</text>'
        turns = list(dict.fromkeys((f.turn, f.turn_title) for f in self.album.frames if f.turn > 0))
        every = 1 + len(turns) // 25
        for i, (turn, _) in enumerate(turns):
            yield f'<path class="grid" d="M{short(self.x(i + 1))} {TOP:g}V{bottom:g}"/>'
            again = i > 0 and turns[i - 1][0] == turn
            if i % every == 0 and not again:
                wide = sum(1 for t in turns if t[0] == turn)
                x = short(self.x(i + wide / 2))
                yield f'<text class="tick" x="{x}" y="{bottom + 15:g}" text-anchor="middle">{turn}</text>'
        yield f'<text class="tick" x="{short(self.x(self.last / 2))}" y="{HIGH - 4:g}" text-anchor="middle">turn</text>'

    def _lines(self) -> Iterator[str]:
        for side in range(len(self.sides)):
            d = ""
            for i in range(self.start(), len(self.album.frames)):
                x, y = self.x_of(i), short(self.y(self.share(self.album.frames[i], side)))
                d += f"H{x}V{y}" if d else f"M{x} {y}"
            yield f'<path class="ln s{colours(side)}" d="{d}"/>'

    def _ends(self) -> Iterator[str]:
        """The name of each side at the end of its line, apart from each other."""
        if not self.album.frames:
            return
        last = self.album.frames[-1]
        rows = sorted((self.y(self.share(last, i)), i) for i in range(len(self.sides)))
        room = TOP
        for y, side in rows:
            y = max(y + 4, room + 6)
            y = min(y, HIGH - BOTTOM + 4 - 30 * (len(rows) - 1 - [i for _, i in rows].index(side)))
            room = y + 24
            name = self.sides[side]
            name = name if len(name) <= 18 else f"{name[:17]}\u2026"
            x = self.x(self.last) + 8
            yield (
                f'<text class="end s{colours(side)}" x="{short(x)}" y="{short(y)}">{text(name)}'
                f'<tspan x="{short(x)}" dy="14">{self.share(last, side):.0%}</tspan></text>'
            )

    def _marks(self) -> Iterator[str]:
        """A cross where a unit was lost, a ring where one came under a mark."""
        seen: dict[str, tuple[str, ...]] = {}
        for i, frame in enumerate(self.album.frames):
            stacked = [0] * len(self.sides)
            if self.times[i] > 0:
                for body in frame.gone:
                    yield self._mark(i, body.side, stacked, "gone", f"{body.name} gone")
                for body in frame.bodies:
                    if set(body.marks) - set(seen.get(body.id, ())):
                        yield self._mark(i, body.side, stacked, "struck", described(body))
            seen.update({b.id: b.marks for b in frame.bodies})

    def _mark(self, i: int, side: int, stacked: list[int], shape: str, words: str) -> str:
        frame = self.album.frames[i]
        x = self.x(self.times[i])
        y = self.y(self.share(frame, side)) - 8.0 - 10.0 * stacked[side]
        y = y if y > TOP else y + 2 * (8.0 + 10.0 * stacked[side])
        stacked[side] += 1
        d = "m-4-4l8 8m0-8l-8 8" if shape == "gone" else "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0"
        title = f"{words} ({frame.turn_title}, {frame.title})"
        return (
            f'<path class="ev {shape} s{colours(side)}" d="M{short(x)} {short(y)}{d}">'
            f"<title>{text(title)}</title></path>"
        )
