"""The charts of answers: bars for one, curves for a sweep, a map of colours for a table of win rates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warhost_odds import telling
from warhost_odds.answer import Answer
from warhost_odds.canvas import PER_LETTER, Canvas
from warhost_odds.section import SIDES
from warhost_odds.telling import binned, ending, label, percent, shortened

if TYPE_CHECKING:
    from warhost_odds.asking import Sweep

WIDE = 760.0
LEFT, RIGHT = 170.0, 24.0
SIDE_COLOUR = {"attacker": "s0b", "defender": "s1b"}
SIDE_INK = {"attacker": "s0", "defender": "s1"}
LINES = ("s0b", "s1b", "s2b", "s3b", "s0", "s1", "s2", "s3")
MAX_BARS = 40


def colour_of(word: str, at: int = 0) -> str:
    """The colour of an outcome: that of the side which it names."""
    side = next((s for s in SIDES if word.startswith(f"{s}_wins")), None)
    return SIDE_COLOUR[side] if side else ("s2b", "s3b", "soft", "s2", "s3")[at % 5]


# -- one answer ---------------------------------------------------------------------------------------


def of_answer(answer: Answer) -> Canvas:
    """Who wins, and how many either side loses."""
    outcomes = sorted(answer.outcome.items(), key=lambda item: -item[1])
    panel = 190.0
    high = 96.0 + 24.0 * len(outcomes) + len(SIDES) * (panel + 46.0)
    title = telling.title(answer)
    canvas = Canvas(WIDE, high, title)
    canvas.text(20, 30, shortened(title, 80), size=18, bold=True)
    canvas.text(20, 50, shortened(f"{telling.question(answer)}; {telling.how(answer)}", 110), "soft")
    y = 76.0
    for i, (word, p) in enumerate(outcomes):
        canvas.text(LEFT - 10, y + 12, shortened(ending(word, answer), 24), anchor="end")
        wide = (WIDE - LEFT - RIGHT - 60) * p
        canvas.rect(LEFT, y, max(wide, 0.5), 16, colour_of(word, i), f"{ending(word, answer)}: {percent(p)}")
        canvas.text(LEFT + wide + 8, y + 12, percent(p), "soft")
        y += 24
    for side in SIDES:
        y += 34
        lost, middle = answer.losses[side], answer.means[side]
        canvas.text(20, y, f"Losses of {answer.contender(side).name}", SIDE_INK[side], bold=True)
        canvas.text(WIDE - RIGHT, y, f"mean {middle:.2f}", "soft", anchor="end")
        _histogram(canvas, lost, middle, SIDE_COLOUR[side], 52.0, y + 14, WIDE - 52.0 - RIGHT, panel - 44)
        y += panel + 12
    return canvas


def _histogram(
    canvas: Canvas, lost: Mapping[int, float], middle: float, colour: str, left: float, top: float, wide: float,
    high: float,
) -> None:  # fmt: skip
    bars = binned(lost, MAX_BARS)
    each = bars[0].last + 1
    peak = max(bar.share for bar in bars)
    for share in _ticks(peak):
        y = top + high * (1 - share / peak)
        canvas.line([(left, y), (left + wide, y)], "line")
        canvas.text(left - 6, y + 4, f"{100 * share:.3g}%", "soft", "end", 11)
    step = wide / len(bars)
    every = 1 + len(bars) // 20
    for i, bar in enumerate(bars):
        tall = high * bar.share / peak
        canvas.rect(
            left + (i + 0.08) * step, top + high - tall, step * 0.84, tall, colour, f"{bar}: {percent(bar.share)}"
        )
        if i % every == 0:
            canvas.text(left + (i + 0.5) * step, top + high + 15, str(bar.first), "soft", "middle", 11)
    x = left + (middle / each + 0.5) * step
    canvas.line([(x, top), (x, top + high)], "ink", 1.5, dashed=True)


def _ticks(most: float) -> list[float]:
    """Round numbers from 0 up to `most`, four or five of them."""
    if most <= 0:
        return [0.0]
    rough = most / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * f for f in (1, 2, 2.5, 5, 10) if power * f >= rough * 0.999)
    return [step * i for i in range(int(most / step + 1e-9) + 1)]


# -- a sweep ------------------------------------------------------------------------------------------


def of_sweep(sweep: Sweep) -> Canvas:
    """Outcomes and losses as one thing varies."""
    name, answers, first = sweep.name, sweep.answers, sweep.answers[0]
    values = _along(sweep.values)
    title = f"{first.attacker.name} against {first.defender.name}, by {telling.varied(name)}"
    canvas = Canvas(WIDE, 640.0, title)
    canvas.text(20, 30, shortened(title, 80), size=18, bold=True)
    fixed = telling.question(replace(first, settings={n: v for n, v in first.settings.items() if n != name}))
    canvas.text(20, 50, shortened(fixed, 110), "soft")
    words = list(dict.fromkeys(word for one in answers for word in one.outcome))
    outcomes = [
        (ending(word, first), colour_of(word, i), [one.outcome.get(word, 0.0) for one in answers])
        for i, word in enumerate(words)
    ]
    canvas.text(20, 78, "How it ends", bold=True)
    _curves(canvas, 90.0, 220.0, values, outcomes, 1.0, percents=True)
    bands = {
        side: (SIDE_COLOUR[side], [(one.percentiles[side][5], one.percentiles[side][95]) for one in answers])
        for side in SIDES
    }
    most = max(float(high) for _, band in bands.values() for _, high in band)
    means = [
        (first.contender(side).name, SIDE_COLOUR[side], [one.means[side] for one in answers]) for side in SIDES
    ]
    canvas.text(20, 370, "Losses: mean, and from the 5th to the 95th in a hundred", bold=True)
    _curves(canvas, 382.0, 200.0, values, means, max(most, 1.0), bands=list(bands.values()))
    canvas.text((60.0 + WIDE - 190) / 2, 628, telling.varied(name), "soft", "middle")
    return canvas


def _curves(
    canvas: Canvas, top: float, high: float, values: Mapping[float, str],
    curves: Sequence[tuple[str, str, Sequence[float]]], most: float, percents: bool = False,
    bands: Sequence[tuple[str, Sequence[tuple[float, float]]]] = (),
) -> None:  # fmt: skip
    left, right = 60.0, WIDE - 190.0
    low, wide = min(values), max(max(values) - min(values), 1e-9)
    last = list(values)[-1]

    def at(value: float, share: float) -> tuple[float, float]:
        x = (left + right) / 2 if len(values) == 1 else left + (right - left) * (value - low) / wide
        return x, top + high * (1 - share / most)

    for tick in _ticks(most):
        y = at(low, tick)[1]
        canvas.line([(left, y), (right, y)], "line")
        canvas.text(left - 6, y + 4, f"{100 * tick:.0f}%" if percents else f"{tick:g}", "soft", "end", 11)
    for value, named in list(values.items())[:: 1 + len(values) // 15]:
        canvas.text(at(value, 0)[0], top + high + 15, shortened(named, 14), "soft", "middle", 11)
    for colour, band in bands:
        upper = [at(v, hi) for v, (_, hi) in zip(values, band, strict=True)]
        lower = [at(v, lo) for v, (lo, _) in zip(values, band, strict=True)]
        canvas.area([*upper, *reversed(lower)], colour, 0.2)
    for _, colour, curve in curves:
        points = [at(v, share) for v, share in zip(values, curve, strict=True)]
        if len(points) == 1:
            points = [(points[0][0] - 3, points[0][1]), (points[0][0] + 3, points[0][1])]
        canvas.line(points, colour, 2.5)
    ends = sorted((at(last, curve[-1])[1], name, colour) for name, colour, curve in curves)
    for y, name, colour in _apart(ends, top + high):
        canvas.text(right + 10, y + 4, shortened(name, 26), colour, size=12)


def _along(values: Sequence[Any]) -> dict[float, str]:
    """Where values lie on the axis, in their order, and what is written there: words lie side by side."""
    try:
        return {float(v): f"{float(v):g}" for v in values}
    except ValueError:
        return {float(i): label(str(v)) for i, v in enumerate(values)}


def _apart(ends: list[tuple[float, str, str]], bottom: float) -> Iterator[tuple[float, str, str]]:
    """The names at the ends of curves, moved until none covers another."""
    room = -1e9
    placed = []
    for y, name, colour in ends:
        room = max(y, room + 15)
        placed.append((room, name, colour))
    over = max(placed[-1][0] - bottom, 0.0) if placed else 0.0
    yield from ((y - over, name, colour) for y, name, colour in placed)


# -- a table of win rates -----------------------------------------------------------------------------


def of_matrix(title: str, note: str, names: Sequence[str], rates: Sequence[Sequence[float | None]]) -> Canvas:
    """A map of colours: how often each row beats each column, 0 to 1; None where nobody fought."""
    cell = 46.0 if len(names) <= 16 else 34.0
    widest = max(len(shortened(name, 30)) for name in names) * 13 * PER_LETTER
    left, top = 30.0 + widest, 84.0 + widest * 0.8
    least = 40 + len(note) * 13 * PER_LETTER
    canvas = Canvas(max(left + cell * len(names) + widest * 0.62 + 20, least), top + cell * len(names) + 60, title)
    canvas.text(20, 30, title, size=18, bold=True)
    canvas.text(20, 50, note, "soft")
    for i, name in enumerate(names):
        canvas.text(left - 8, top + (i + 0.5) * cell + 5, shortened(name, 30), anchor="end")
        canvas.text(left + (i + 0.6) * cell, top - 8, shortened(name, 30), slant=52)
        for j, rate in enumerate(rates[i]):
            x, y = left + j * cell, top + i * cell
            if rate is None:
                canvas.rect(x + 1, y + 1, cell - 2, cell - 2, "line")
                continue
            told = f"{name} against {names[j]}: {percent(rate)}"
            canvas.rect(x + 1, y + 1, cell - 2, cell - 2, heat(rate), told)
            ink = "#ffffff" if abs(rate - 0.5) > 0.3 else "#1d1f21"
            canvas.text(x + cell / 2, y + cell / 2 + 4, f"{100 * rate:.0f}", ink, "middle", 12)
    y = top + cell * len(names) + 22
    for i in range(11):
        canvas.rect(left + i * 18, y, 18, 12, heat(i / 10))
    canvas.text(left, y + 26, "always loses", "soft", size=11)
    canvas.text(left + 11 * 18, y + 26, "always wins", "soft", "end", 11)
    return canvas


def heat(rate: float) -> str:
    """The colour of a win rate: orange when it is low, white at one half, blue when it is high."""
    white, low, high = (0xF7, 0xF5, 0xF0), (0xA3, 0x4A, 0x00), (0x12, 0x45, 0x6E)
    far = min(abs(rate - 0.5) * 2, 1.0)
    aim = low if rate < 0.5 else high
    return "#" + "".join(f"{round(a + (b - a) * far):02x}" for a, b in zip(white, aim, strict=True))
