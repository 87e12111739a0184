"""The answer to a question of odds: who wins, how many models each side loses, and with what confidence.

An answer is computed from a joint distribution over how a clash ends: its outcome, the losses of both sides, and the
points lost. It is plain data: `as_dict()` is what `--json` prints, `rows()` is a table for pandas.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Literal

from warhost.errors import UsageError, did_you_mean
from warhost_odds.section import SIDES

Method = Literal["exact", "columns", "one_by_one"]
"""How it was computed: weighed, or simulated in columns or one fight after the other."""

METHODS = ("auto", "exact", "simulation")
UNTIL = ("round", "end")
"""The methods by which a question may be asked to be computed, and until when a clash is followed."""

Weight = int | float | Fraction
Seen = Mapping[str, Mapping[str, Mapping[Any, float]]]
"""What was observed: name, side, value, probability."""

Key = tuple[str, int, int, Weight, Weight]
"""Outcome, models that the attacker lost, models that the defender lost, points that either lost."""

Weights = Mapping[Key, Weight]
Span = tuple[float, float]

LEVELS = (5, 25, 50, 75, 95)
"""The percentiles of an answer."""

LEVEL = 0.95
"""The confidence level of a simulation's intervals."""

TOLERANCE = 1e-12
"""How far the sum of an exact answer's probabilities may be from 1."""

_LOSSES = {"attacker": 1, "defender": 2}
_WORTH = {"attacker": 3, "defender": 4}


def check_asked(until: str, method: str, trials: int) -> None:
    """Check the options of a question. Raises UsageError for an unknown word or less than one trial."""
    one_of(until, UNTIL, "a clash is computed until")
    one_of(method, METHODS, "the method is")
    if trials < 1:
        raise UsageError("a simulation needs at least one trial")


def one_of(given: str, known: Sequence[str], sentence: str) -> None:
    """Raises UsageError, with `sentence` and the nearest word, unless `given` is one of the known words."""
    if given not in known:
        hint = did_you_mean(given, known)
        raise UsageError(f'{sentence} {" or ".join(known)}, not "{given}"' + (f"; {hint}" if hint else ""))


@dataclass(frozen=True, slots=True)
class Contender:
    """One side of a clash. worth: its points before the clash."""

    name: str
    count: int
    worth: float

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "count": self.count, "points": self.worth}


@dataclass(frozen=True, slots=True)
class ThrowShown:
    """A throw as it was made in the first round: who threw how many dice, what they needed, and why so.

    names: of what was thrown for. dice: how many there were at first; None where dice decide that. needs: as a player
    says it (`4 or more on a D6`). because: how the figure came about, line by line.
    """

    side: str
    name: str
    dice: int | None
    needs: str
    because: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return {
            "side": self.side, "roll": self.name, "dice": self.dice, "needs": self.needs, "because": list(self.because)
        }


@dataclass(frozen=True, slots=True)
class Confidence:
    """Confidence intervals (low, high) of a simulation's figures. level: the confidence level, from 0 to 1."""

    level: float
    outcome: Mapping[str, Span]
    losses: Mapping[str, Mapping[int, Span]]
    means: Mapping[str, Span]
    points_lost: Mapping[str, Span]

    def as_dict(self) -> dict[str, Any]:
        return {
            "level": self.level, "outcome": {word: list(s) for word, s in self.outcome.items()},
            "losses": {side: {str(n): list(s) for n, s in of.items()} for side, of in self.losses.items()},
            "means": {side: list(s) for side, s in self.means.items()},
            "points_lost": {side: list(s) for side, s in self.points_lost.items()},
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    why: a sentence, why it is exact or why it was simulated. what, until and settings: what was asked. losses: for
    each side (`attacker`, `defender`) the probability of losing n models, by n; outcome: the probability of each
    outcome; means and percentiles: of the models lost; points_lost: the mean, points: each side's
    distribution of them. trials and confidence: None when it is
    exact. untold: settings that a heading need not mention. observed: what the question observes besides. setup: how
    both sides stand before the fight, by side and name. workings: the throws of the first round. trials_per_second: how
    fast trials were made. notes: sentences for answers whose figures say little: nobody loses anything, or what was
    given makes no difference.
    """

    method: Method
    why: str
    what: str
    until: str
    settings: Mapping[str, Any]
    attacker: Contender
    defender: Contender
    losses: Mapping[str, Mapping[int, float]]
    outcome: Mapping[str, float]
    means: Mapping[str, float]
    percentiles: Mapping[str, Mapping[int, int]]
    points_lost: Mapping[str, float]
    trials: int | None
    confidence: Confidence | None
    untold: frozenset[str] = frozenset()
    observed: Seen = field(default_factory=dict)
    setup: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    workings: tuple[ThrowShown, ...] = ()
    trials_per_second: float | None = field(default=None, compare=False)
    points: Mapping[str, Mapping[Any, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def told_settings(self) -> Mapping[str, Any]:
        """The settings that a heading mentions."""
        return {name: value for name, value in self.settings.items() if name not in self.untold}

    @property
    def is_exact(self) -> bool:
        """Whether it was weighed, not simulated."""
        return self.method == "exact"

    def is_unharmed(self, side: str) -> bool:
        """Whether a side loses and gains nothing, however the dice fall."""
        return all(n == 0 for n, p in self.losses[side].items() if p > 0)

    def contender(self, side: str) -> Contender:
        """The side of that name, `attacker` or `defender`."""
        return self.attacker if side == "attacker" else self.defender

    def at_least(self, side: str) -> dict[int, float]:
        """The probability that a side loses n models or more, for every n up to the most it can lose; from below
        nothing on where it can gain some.
        """
        lost = self.losses[side]
        steps = range(min(0, min(lost)), max(0, max(lost)) + 1)
        return {n: math.fsum(p for m, p in lost.items() if m >= n) for n in steps}

    def as_dict(self) -> dict[str, Any]:
        """The object that `warhost odds --json` prints."""
        return {
            "method": self.method, "why": self.why, "what": self.what, "until": self.until,
            "settings": dict(self.settings),
            "attacker": self.attacker.as_dict(), "defender": self.defender.as_dict(),
            "losses": {side: {str(n): p for n, p in of.items()} for side, of in self.losses.items()},
            "outcome": dict(self.outcome), "means": dict(self.means),
            "percentiles": {side: {str(q): n for q, n in of.items()} for side, of in self.percentiles.items()},
            "points_lost": dict(self.points_lost),
            "points_distribution": {side: {plain(v): p for v, p in of.items()} for side, of in self.points.items()},
            "trials": self.trials,
            "confidence": self.confidence.as_dict() if self.confidence else None,
            "observed": {
                name: {side: {plain(v): p for v, p in of.items()} for side, of in sides.items()}
                for name, sides in self.observed.items()
            },
            "setup": {side: dict(of) for side, of in self.setup.items()},
            "workings": [one.as_dict() for one in self.workings],
            "trials_per_second": self.trials_per_second, "notes": list(self.notes),
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        """One row for each number of models that each side may lose: a table for pandas."""
        rows = []
        for side, lost in self.losses.items():
            at_least = self.at_least(side)
            name = self.contender(side).name
            rows += [
                {"side": side, "name": name, "losses": n, "probability": p, "at_least": at_least[n]}
                for n, p in lost.items()
            ]
        return rows


def plain(value: Any) -> str:
    """A value that was seen, as text."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def answer(
    weights: Weights, *, method: Method, why: str, what: str, until: str, attacker: Contender, defender: Contender,
    trials: int | None = None, settings: Mapping[str, Any] | None = None, untold: Iterable[str] = (),
    observed: Mapping[tuple[str, str], Mapping[Any, Weight]] | None = None, **more: Any,
) -> Answer:  # fmt: skip
    """The answer that a joint distribution gives.

    weights: probabilities, or in a simulation how often each ending was seen; observed: the same of what was observed
    besides. Raises AssertionError when they are no
    distribution, which is a fault of whatever made them: they are never scaled until they fit.
    """
    drawn = method != "exact"
    shares = _shares(weights, trials if drawn else None)
    losses = {side: _sorted(_marginal(shares, _LOSSES[side])) for side in SIDES}
    worth = {side: _marginal(shares, _WORTH[side]) for side in SIDES}
    outcome = _marginal(shares, 0)
    sure = _confidence(outcome, losses, worth, trials) if drawn and trials else None
    return Answer(
        method, why, what, until, dict(settings or {}), attacker, defender, losses, outcome,
        {side: mean(lost) for side, lost in losses.items()},
        {side: {q: percentile(lost, q) for q in LEVELS} for side, lost in losses.items()},
        {side: mean(lost) for side, lost in worth.items()}, trials if drawn else None, sure,
        frozenset(untold), _seen(observed or {}, (trials if drawn else None) or 1),
        points={side: {v: lost[v] for v in sorted(lost)} for side, lost in worth.items()}, **more,
    )  # fmt: skip


def _shares(weights: Weights, trials: int | None) -> dict[Key, float]:
    """The probabilities, checked."""
    for key, weight in weights.items():
        if not (weight >= 0 and math.isfinite(weight)):
            raise AssertionError(f"{key} has the probability {weight}")
    total = math.fsum(map(float, weights.values()))
    if trials is not None and total == trials:
        return {key: float(weight) / trials for key, weight in weights.items() if weight}
    if not abs(total - 1.0) <= TOLERANCE:
        raise AssertionError(f"the probabilities sum to {total!r}, not to 1")
    return {key: float(weight) for key, weight in weights.items() if weight}


def _seen(observed: Mapping[tuple[str, str], Mapping[Any, Weight]], whole: int) -> Seen:
    """What was observed, as probabilities: figures in their order, others as they came."""
    found: dict[str, dict[str, dict[Any, float]]] = {}
    for (name, side), weights in observed.items():
        figures = all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in weights)
        values = sorted(weights) if figures else list(weights)
        found.setdefault(name, {})[side] = {v: float(weights[v]) / whole for v in values}
    return found


def _marginal(shares: Mapping[Key, float], at: int) -> dict[Any, float]:
    """The distribution of one part of the keys, in the order in which its values were first seen."""
    parts: dict[Any, list[float]] = {}
    for key, share in shares.items():
        parts.setdefault(key[at], []).append(share)
    return {value: math.fsum(of) for value, of in parts.items()}


def _sorted(found: Mapping[Any, float]) -> dict[int, float]:
    return {int(n): found[n] for n in sorted(found)}


# -- figures of a distribution ------------------------------------------------------------------------


def mean(distribution: Mapping[Any, float]) -> float:
    """The mean of numbers with their probabilities."""
    return math.fsum(float(value) * p for value, p in distribution.items())


def deviation(distribution: Mapping[Any, float]) -> float:
    """The standard deviation of numbers with their probabilities."""
    middle = mean(distribution)
    return math.sqrt(math.fsum((float(value) - middle) ** 2 * p for value, p in distribution.items()))


def percentile(distribution: Mapping[int, float], percent: float) -> int:
    """The least number that is not exceeded with a probability of at least `percent` per cent."""
    so_far: list[float] = []
    for value in sorted(distribution):
        so_far.append(distribution[value])
        if math.fsum(so_far) >= percent / 100 - TOLERANCE:
            return value
    return max(distribution)


def wilson(share: float, trials: int, level: float = LEVEL) -> Span:
    """Wilson's confidence interval for a probability. share: the observed share of successes in so many trials.

    (0, 1) without trials.
    """
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + level / 2)
    scale = 1 + z * z / trials
    middle = (share + z * z / (2 * trials)) / scale
    half = z * math.sqrt(max(share * (1 - share), 0.0) / trials + z * z / (4 * trials * trials)) / scale
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def _around(distribution: Mapping[Any, float], trials: int, level: float) -> Span:
    """The interval of a mean."""
    half = NormalDist().inv_cdf(0.5 + level / 2) * deviation(distribution) / math.sqrt(trials)
    return mean(distribution) - half, mean(distribution) + half


def _confidence(
    outcome: Mapping[str, float], losses: Mapping[str, Mapping[int, float]], worth: Mapping[str, Mapping[Any, float]],
    trials: int,
) -> Confidence:  # fmt: skip
    def spans(distribution: Mapping[Any, float]) -> dict[Any, Span]:
        return {value: wilson(p, trials) for value, p in distribution.items()}

    return Confidence(
        LEVEL, spans(outcome), {side: spans(of) for side, of in losses.items()},
        {side: _around(of, trials, LEVEL) for side, of in losses.items()},
        {side: _around(of, trials, LEVEL) for side, of in worth.items()},
    )  # fmt: skip

