"""How a question comes out: computed exactly, or by so many trials."""

from __future__ import annotations

import gc
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from warhost_odds.answer import Method, check_asked
from warhost_odds.chance import OutOfReachError
from warhost_odds.columns import Columns
from warhost_odds.questions import MOST_ROUNDS, Prepared, Tally
from warhost_odds.rows import Batch, Key, RememberedError
from warhost_odds.scalar import simulate

#: What still goes on with less than this probability is counted as it stands.
NEGLIGIBLE = 1e-12

#: Without being asked for it, an exact answer is given up after so much work: some ten seconds (see `Work`).
MOST_WORK = 10_000_000

#: About so much work is playing a trial by itself: when columns would take more than that for all trials they give up,
#: and before a single step takes a tenth of it.
TRIAL = 5_000


@dataclass(frozen=True, slots=True)
class Joint:
    """Everything that may come of a question, together.

    joint: tally to probability (exact) or number of trials (simulation), in order of meeting. why: a sentence that says
    how it was computed and why so. trials: 0 when exact.
    """

    method: Method
    why: str
    joint: Mapping[Tally, float | int]
    trials: int


def evaluate(
    prepared: Prepared, until: str = "round", method: str = "auto", trials: int = 10_000, seed: int = 0
) -> Joint:
    """Compute a question. The battle stands afterwards as it stood before.

    until: `round` or `end`. method: `exact` (raises OutOfReachError, a WarhostError, when that cannot be done),
    `simulation` (the same seed gives the same counts), or `auto`: exact if it can be done in some ten seconds. Raises
    UsageError for other words.
    """
    check_asked(until, method, trials)
    reason = "as was asked"
    if method != "simulation":
        try:
            work = math.inf if method == "exact" else MOST_WORK
            found, endless = _exact(prepared, until, work)
            why = ["Every way that the dice can fall was weighed.", *endless, *_nothing_comes_of_it(found)]
            return Joint("exact", " ".join(why), found, 0)
        except OutOfReachError as error:
            if method == "exact":
                raise
            reason = f"an exact answer is out of reach: {error}"
    try:
        counts, endless = _drawn(prepared, until, trials, seed)
    except OutOfReachError:
        left: list[int] = []
        counts = dict(simulate(prepared, until, trials, seed, undecided=left))
        endless = [_undecided(len(left) / trials, MOST_ROUNDS)] if left else []
    why = [f"{trials:,} trials; {reason}.", *endless, *_nothing_comes_of_it(counts)]
    return Joint("simulation", " ".join(why), counts, trials)


def _nothing_comes_of_it(found: Mapping[Tally, Any]) -> list[str]:
    """A sentence for a fight in which nobody can lose anything: out of range, say, or without a weapon."""
    losses = {tally[1:] for tally in found}
    return ["Nobody can lose anything as they stand."] if losses == {(0, 0, 0, 0)} else []


def drawn(prepared: Prepared, until: str, trials: int, seed: int) -> dict[Tally, int]:
    """How often each tally came of so many trials, all at once in columns; the same seed gives the same counts.

    Raises OutOfReachError when columns cannot play it; then there is `simulate` of `warhost_odds.scalar`.
    """
    return _drawn(prepared, until, trials, seed)[0]


def _drawn(prepared: Prepared, until: str, trials: int, seed: int) -> tuple[dict[Tally, int], list[str]]:
    check_asked(until, "simulation", trials)
    lots = np.random.Generator(np.random.PCG64(seed))
    work = trials * TRIAL
    with _without_collecting():
        return _followed(prepared, until, Columns(prepared.battle, lots, work, work / 10), trials)


def _exact(prepared: Prepared, until: str, work: float) -> tuple[dict[Tally, Any], list[str]]:
    with _without_collecting():
        return _followed(prepared, until, Columns(prepared.battle, work=work), 1.0)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """No garbage is looked for: what is remembered stays until the end, and looking through it and the rules takes a
    sixth of the time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _followed(
    prepared: Prepared, until: str, columns: Columns, weight: float | int
) -> tuple[dict[Tally, Any], list[str]]:
    """Play rounds over all worlds until the question is over in each; and a sentence on those in which it never is."""
    rounds = 1 if until == "round" else MOST_ROUNDS
    found: dict[Tally, Any] = {}
    left, seen = float(weight), set[Any]()
    turn = 0
    with columns.steps.at_work():
        batches = [columns.start(weight)]
        live: set[Key] = set()
        for turn in range(rounds):
            ended, batches = _one_round(prepared, columns, batches, live, first=turn == 0, last=turn == rounds - 1)
            live |= columns.steps.needed
            for tally, part in ended.items():
                found[tally] = found.get(tally, 0) + part
            left = sum(float(b.weights.sum()) for b in batches)
            if left == 0 or (columns.lots is None and left < NEGLIGIBLE):
                break
            state = columns.state_of(columns.forgetting(batches, live)), _lots_of(columns)
            if state in seen:  # all as it was, and no chance left to fall otherwise: so it goes on for ever
                break
            seen.add(state)
        for b in batches if left else []:
            _count(prepared, columns, b, found)
    undecided = left / weight if until == "end" and left >= NEGLIGIBLE * weight else 0
    return found, [_undecided(undecided, turn + 1)] if undecided else []


def _lots_of(columns: Columns) -> str:
    """Changes whenever trials have been drawn."""
    return "" if columns.lots is None else str(columns.lots.bit_generator.state)


def _undecided(share: float, rounds: int) -> str:
    shown = f"{100 * share:.1f} %" if share >= 0.0005 else "Less than 0.1 %"
    if rounds < MOST_ROUNDS:
        return f"{shown} never come to an end: after {rounds} rounds nothing changes any more."
    return f"{shown} had not come to an end after {rounds} rounds, and count as they stood."


def _one_round(
    prepared: Prepared, columns: Columns, batches: list[Batch], live: set[Key], first: bool, last: bool
) -> tuple[dict[Tally, Any], list[Batch]]:
    """One round: the tallies of what is over after it, and what goes on.

    A round mostly begins by writing anew what the one before left behind. What no round has read so far is forgotten,
    so that worlds that differ in nothing else are one; when it is read after all, the round is played again with it.
    """
    lots: Any = columns.lots.bit_generator.state if columns.lots is not None else None
    pair = (prepared.attacker, prepared.defender)
    while True:
        prepared.battle.budget.reset()
        ended: dict[Tally, Any] = {}
        going: list[Batch] = []
        try:
            ready = columns.forgetting(batches, live)
            if not first and prepared.question.next_turn is not None:
                ready = columns.call(prepared.question.next_turn, pair, ready)
            for b in columns.call(prepared.question.round, pair, ready):
                over = columns.ask(prepared.question.over, pair, b)
                if not isinstance(over, np.ndarray):
                    over = np.full(b.n, bool(over))
                done, more = (b, None) if last else b.split(over)
                if done is not None:
                    _count(prepared, columns, done, ended)
                if more is not None:
                    going.append(more)
        except RememberedError as error:
            thing, name = error.key
            live.add(error.key)
            live |= {(one, name) for one in pair if one._noun == thing._noun}  # who reads it of one asks the other next
            if columns.lots is not None:
                columns.lots.bit_generator.state = lots
            continue
        return ended, going


def _count(prepared: Prepared, columns: Columns, batch: Batch, found: dict[Tally, Any]) -> None:
    """Add the tallies of a batch."""
    q, one, other = prepared.question, prepared.attacker, prepared.defender
    asked = [
        columns.ask(q.outcome, (one, other), batch),
        columns.ask(q.losses, (one,), batch), columns.ask(q.losses, (other,), batch),
        columns.ask(q.worth_lost, (one,), batch), columns.ask(q.worth_lost, (other,), batch),
    ]  # fmt: skip
    tallies = zip(*(columns.interner.items(column, batch.n) for column in asked), strict=True)
    for now, weight in zip(tallies, batch.weights.tolist(), strict=True):
        tally = prepared.since_the_start(now)
        found[tally] = found.get(tally, 0) + weight


__all__ = ["Joint", "OutOfReachError", "drawn", "evaluate"]
