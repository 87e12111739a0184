"""Answers in words, for charts and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from warhost_odds.answer import Answer, mean, percentile
from warhost_odds.section import SIDES

if TYPE_CHECKING:
    from warhost_odds.section import Setting


class Bin(NamedTuple):
    """Losses from first to last, both included, and how likely they are."""

    first: int
    last: int
    share: float

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"


def label(word: str) -> str:
    """`both_hold` as a reader reads it."""
    return word.replace("_", " ")


def ending(word: str, answer: Answer) -> str:
    """An outcome in words, with the names of those who fought when these differ."""
    same = answer.attacker.name == answer.defender.name
    side = next((s for s in SIDES if word.startswith(f"{s}_")), None)
    if side is None or same:
        return label(word)
    return f"{label(word)} ({answer.contender(side).name})"


def percent(p: float) -> str:
    """A probability as a reader wants it: `12.3 %`, and never 0 or 100 when it is not."""
    if 0 < p < 0.0005:
        return "< 0.1 %"
    if 0.9995 < p < 1 - 1e-12:
        return "> 99.9 %"
    return f"{100 * p:.1f} %"


def shortened(words: str, letters: int) -> str:
    return words if len(words) <= letters else f"{words[: letters - 1].rstrip()}\u2026"


def who(answer: Answer, side: str) -> str:
    """`20 Red guards`."""
    one = answer.contender(side)
    return f"{one.count} {one.name}"


def title(answer: Answer) -> str:
    """Who fights whom."""
    return f"{who(answer, 'attacker')} against {who(answer, 'defender')}"


def question(answer: Answer) -> str:
    """What was asked, for how long and how."""
    settings = [_setting(name, value) for name, value in answer.told_settings.items()]
    return ", ".join([answer.what, "to the end" if answer.until == "end" else "one round", *settings])


def _setting(name: str, value: object) -> str:
    """`distance 8`, `facing rear`, `tired` or `not tired`."""
    if isinstance(value, bool):
        return label(name) if value else f"not {label(name)}"
    return f"{label(name)} {label(str(value))}"


def value(one: object) -> str:
    """A value as a reader reads it: `yes`, `rank and file`, `7.5`."""
    if isinstance(one, bool):
        return "yes" if one else "no"
    return f"{one:g}" if isinstance(one, float) else label(str(one))


#: So many choices, or values that were observed, are told one by one.
MOST_TOLD = 12


def may_be(setting: Setting) -> str:
    """What a setting may be: its words, or the limits of its figures."""
    if setting.choices:
        more = len(setting.choices) - MOST_TOLD
        return ", ".join(setting.choices[:MOST_TOLD]) + (f" and {more} others" if more > 0 else "")
    kind = {"yes_no": "yes or no", "number": "a whole number", "fraction": "a number"}.get(
        setting.type.kind, f"a {setting.type.kind}"
    )
    low = f" of {setting.low} or more" if setting.low is not None else ""
    high = f", at most {setting.high}" if setting.high is not None else ""
    return f"{kind}{low}{high}"


def spread(seen: Mapping[Any, float]) -> str:
    """What was observed, with how likely each value is; of many figures their mean and where they lie."""
    figures = {v: p for v, p in seen.items() if isinstance(v, int | Fraction) and not isinstance(v, bool)}
    if len(figures) > MOST_TOLD:
        return f"{mean(figures):.2f} on average, {min(figures)} to {max(figures)}"
    return ", ".join(f"{value(v)} {percent(p)}" for v, p in seen.items() if p > 0)


def points_between(points: Mapping[Any, float]) -> str:
    """Where the points that a side loses mostly lie; nothing where they are always the same."""
    if len(points) < 2:
        return ""
    at = {q: f"{round(float(percentile(points, q)), 1):g}" for q in (5, 25, 75, 95)}
    half, most = (at[low] if at[low] == at[high] else f"{at[low]} to {at[high]}" for low, high in ((25, 75), (5, 95)))
    return f", half of the time {half}, nine times in ten {most}"


def varied(name: str) -> str:
    """What a sweep varies: `models of the attacker`, `distance`."""
    side, dot, _ = name.partition(".")
    return f"models of the {side}" if dot else label(name)


def how(answer: Answer) -> str:
    """How it was computed, in two words."""
    if answer.is_exact:
        return "exact"
    way = "in columns" if answer.method == "columns" else "one by one"
    return f"simulated {answer.trials or 0:,} times, {way}"


def binned(lost: Mapping[int, float], most: int) -> list[Bin]:
    """Losses from none (or from the most that can be gained) up to the most that are possible, in so many bins at most,
    all of the same width.
    """
    least, highest = min(0, min(lost)), max(0, max(lost))
    wide = -(-(highest - least + 1) // most)
    return [
        Bin(first, first + wide - 1, math.fsum(lost.get(n, 0.0) for n in range(first, first + wide)))
        for first in range(least, highest + 1, wide)
    ]
