"""Whether counts of trials may come from known chances, and two of them from the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import erfc, exp, lgamma, log, sqrt
from typing import Any

#: Cells that are expected less often than this are put together.
FEWEST = 8.0
#: How far a count may be off, in standard deviations; trials are seeded, so what holds once holds always.
#: Thousands of cells are looked at in a run: with 4 one in two runs would find a difference that is none.
SIGMAS = 5.0


def disagreements(counts: Mapping[Any, int], expected: Mapping[Any, float]) -> list[str]:
    """What the trials show that the chances do not allow, for the whole key and for each of its parts."""
    found = [f"{key} came, which cannot" for key in counts if expected.get(key, 0.0) <= 0.0]
    found += _off("all", counts, expected)
    length = len(next(iter(expected)))
    for i in range(length):
        found += _off(f"part {i}", _part(counts, i), _part(expected, i))
    return found


def _part(rows: Mapping[Any, Any], i: int) -> dict[Hashable, Any]:
    summed: dict[Hashable, Any] = {}
    for key, value in rows.items():
        summed[key[i]] = summed.get(key[i], 0) + value
    return summed


def _off(what: str, counts: Mapping[Any, int], expected: Mapping[Any, float]) -> list[str]:
    trials = sum(counts.values())
    rest_seen, rest_chance = 0, 0.0
    found = []
    for key, p in expected.items():
        if p * trials < FEWEST:
            rest_seen, rest_chance = rest_seen + counts.get(key, 0), rest_chance + p
        elif (sigmas := _sigmas(counts.get(key, 0), p, trials)) > SIGMAS:
            seen = counts.get(key, 0)
            found.append(f"{what}: {key} came {seen} times of {trials}, not {p * trials:.1f}: {sigmas:.1f}")
    if rest_chance * trials >= FEWEST and _sigmas(rest_seen, rest_chance, trials) > SIGMAS:
        found.append(f"{what}: the rare came {rest_seen} times of {trials}, not {rest_chance * trials:.1f}")
    return found


def _sigmas(seen: int, p: float, trials: int) -> float:
    spread = sqrt(max(trials * p * (1.0 - p), 1e-9))
    return max(abs(seen - trials * p) - 0.5, 0.0) / spread


# -- two counts ---------------------------------------------------------------------------------------

#: A cell of a chi-square test is to be expected so often at least in either sample.
FEWEST_OF_TWO = 5.0


def chi_square(one: Mapping[Any, int], two: Mapping[Any, int]) -> tuple[float, int]:
    """Pearson's statistic for two samples of the same chances, and its degrees of freedom.

    What is too rare for a cell of its own shares one with the other rare ones.
    """
    sizes = sum(one.values()), sum(two.values())
    least = FEWEST_OF_TWO * sum(sizes) / min(sizes)
    cells: list[tuple[int, int]] = []
    rare = (0, 0)
    for key in dict.fromkeys((*one, *two)):
        pair = one.get(key, 0), two.get(key, 0)
        if sum(pair) >= least:
            cells.append(pair)
        else:
            rare = rare[0] + pair[0], rare[1] + pair[1]
    if sum(rare) >= least or not cells:
        cells.append(rare)
    else:  # too few for a cell, and not to be left out: the smallest takes them in
        smallest = min(range(len(cells)), key=lambda i: sum(cells[i]))
        cells[smallest] = cells[smallest][0] + rare[0], cells[smallest][1] + rare[1]
    up, down = sqrt(sizes[1] / sizes[0]), sqrt(sizes[0] / sizes[1])
    return sum((a * up - b * down) ** 2 / (a + b) for a, b in cells), len(cells) - 1


def tail(statistic: float, freedom: int) -> float:
    """The probability that a chi-square of so many degrees of freedom is as large or larger: 1 with none."""
    if freedom == 0 or statistic <= 0:
        return 1.0
    half = statistic / 2
    found, step = (exp(-half), 1.0) if freedom % 2 == 0 else (erfc(sqrt(half)), 0.5)
    while step < freedom / 2:  # Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1)
        found += exp(step * log(half) - half - lgamma(step + 1))
        step += 1
    return min(found, 1.0)
