"""Whether counts of trials may come from known chances."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import sqrt
from typing import Any

#: Cells that are expected less often than this are put together.
FEWEST = 8.0
#: How far a count may be off, in standard deviations; trials are seeded, so what holds once holds always.
SIGMAS = 4.0


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
