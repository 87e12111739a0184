"""What a table would take, before it is played: how many pairings, and how long by the few that are tried.

Those that are tried are pairings of the table like all others, drawn by its seed; what comes of them is kept.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError
from warhost_odds.answer import Span
from warhost_odds.pairings import play

if TYPE_CHECKING:
    from collections.abc import Callable

    from warhost_odds.pairings import PairingResult, Task
    from warhost_odds.results_file import ResultsFile

TRIED = 12
"""So many pairings are played to see how long one takes."""

LONG_ENOUGH = 60.0
"""Fewer, when those have taken so many seconds of a processor."""

DEVIATIONS = 2.0
"""The interval of the expected time: so many standard errors to either side."""


@dataclass(frozen=True, slots=True)
class BalancePlan:
    """What a table would take. points: what each unit may cost, None for armies.

    pairings: how many there are, kept: how many of them a file has by now. tried: how many were played for this, the
    first one left out, which warms up; each: seconds of one processor for a pairing, None when nothing was tried;
    seconds and between: for all that are missing, and within what that lies by the spread of those tried. one_each: one
    against one, whatever they cost; free: who costs nothing and was left out.
    """

    ruleset: Mapping[str, Any]
    what: str
    points: float | None
    trials: int
    seed: int
    players: int
    pairings: int
    kept: int
    tried: int
    each: float | None
    seconds: float
    between: Span
    one_each: bool = False
    free: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """The object that `warhost balance --dry-run --json` prints."""
        return {
            "ruleset": dict(self.ruleset), "what": self.what, "points": self.points, "trials": self.trials,
            "seed": self.seed, "players": self.players, "pairings": self.pairings, "kept": self.kept,
            "tried": self.tried, "seconds_each": self.each, "seconds": self.seconds,
            "seconds_between": list(self.between), "one_each": self.one_each, "left_out": list(self.free),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class PartPlayed:
    """One of several parts of a table. pairings: how many belong to it, kept: how many of those were there before."""

    ruleset: Mapping[str, Any]
    part: int
    of: int
    pairings: int
    kept: int

    def as_dict(self) -> dict[str, Any]:
        """The object that `warhost balance --part --json` prints."""
        return {
            "ruleset": dict(self.ruleset), "part": f"{self.part}/{self.of}", "pairings": self.pairings,
            "kept": self.kept,
        }  # fmt: skip


def time_tried(
    missing: Sequence[Task], seed: int, kept: ResultsFile, told: Callable[[int, int, PairingResult | None], None]
) -> list[float]:
    """Play some of the pairings, drawn by the seed, and keep what comes of them: the processor's seconds of each.

    The first is left out of the times: rules are loaded and compiled in it. told: how many of how many are played. A
    mean of at least two is had however long they take.
    """
    chosen = random.Random(seed).sample(list(missing), min(TRIED + 1, len(missing)))
    times: list[float] = []
    told(0, len(chosen), None)
    for i, task in enumerate(chosen, start=1):
        begun = time.process_time()
        played = play(task)
        times.append(time.process_time() - begun)
        kept.put(task, played)
        told(i, len(chosen), played)
        if len(times) > 2 and math.fsum(times) > LONG_ENOUGH:
            break
    return times[1:]


def expected(times: Sequence[float], missing: int) -> tuple[float | None, float, Span]:
    """Seconds for one pairing, for all that are missing, and between which the latter lies."""
    if not times or not missing:
        return (math.fsum(times) / len(times) if times else None), 0.0, (0.0, 0.0)
    mean = math.fsum(times) / len(times)
    spread = math.fsum((t - mean) ** 2 for t in times) / max(len(times) - 1, 1)
    error = DEVIATIONS * math.sqrt(spread / len(times))
    return mean, mean * missing, (max(mean - error, min(times)) * missing, (mean + error) * missing)


def part_of(tasks: Sequence[Task], part: int, of: int) -> list[Task]:
    """The pairings of one of so many parts, the first of which is 1: mixed, so that dear ones are in every part.

    Every pairing is in exactly one part, and which one does not depend on who asks. Raises UsageError.
    """
    if not 1 <= part <= of:
        raise UsageError(f"part {part} of {of}: parts are numbered from 1 to their number")
    return sorted(tasks, key=lambda task: task.key)[part - 1 :: of]
