"""How a question comes out: computed exactly, or by so many trials."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from warhost.engine.collecting import without_collecting
from warhost.engine.dice import SeededDice
from warhost.things import noun_of
from warhost_odds.answer import Method, check_asked
from warhost_odds.chance import OutOfReachError, Work
from warhost_odds.columns import Columns
from warhost_odds.questions import ATTACKER, DEFENDER, MOST_ROUNDS, Observed, Prepared, Tally
from warhost_odds.rows import Batch, Key, RememberedError, kinds
from warhost_odds.scalar import simulate

#: What still goes on with less than this probability is counted as it stands.
NEGLIGIBLE = 1e-12

#: Without being asked for it, an exact answer is given up after so much work: some ten seconds (see `Work`).
MOST_WORK = 10_000_000

#: About so much work is playing a trial by itself: when columns would take more than that for all trials they give up,
#: and before a single step takes a tenth of it.
TRIAL = 5_000


#: Worlds in which the question is over are counted at the end, or as soon as there are more rows of them than so many.
MOST_UNCOUNTED = 100_000


#: So few trials are played one by one to their end: a round of columns takes as long for one as for a thousand.
FEW = 32


Watch = Callable[[int, float, int], None]
"""Told after each round: its number, which part of the whole goes on, and how many courses are told apart."""


@dataclass(frozen=True, slots=True)
class Joint:
    """Everything that may come of a question, together.

    joint: tally to probability (exact) or number of trials, in order of meeting. why: a sentence that says how it was
    computed and why so. trials: 0 when exact. observed: the same of what the question observes besides, each by itself.
    """

    method: Method
    why: str
    joint: Mapping[Tally, float | int]
    trials: int
    observed: Observed


@dataclass(slots=True)
class _Found:
    """What has come of it so far. endless: the weight of what did not end, and after how many rounds."""

    joint: dict[Tally, Any] = field(default_factory=dict)
    observed: dict[tuple[str, str], dict[Any, Any]] = field(default_factory=dict)
    endless: dict[int, float] = field(default_factory=dict)

    def add(self, other: _Found) -> None:
        """What has come of some of the worlds."""
        for tally, weight in other.joint.items():
            self.joint[tally] = self.joint.get(tally, 0) + weight
        for key, seen in other.observed.items():
            mine = self.observed.setdefault(key, {})
            for value, weight in seen.items():
                mine[value] = mine.get(value, 0) + weight
        for rounds, weight in other.endless.items():
            self.endless[rounds] = self.endless.get(rounds, 0) + weight


def evaluate(
    prepared: Prepared, until: str = "round", method: str = "auto", trials: int = 10_000, seed: int = 0,
    seconds: float | None = None, watch: Watch | None = None,
) -> Joint:  # fmt: skip
    """Compute a question. The battle stands afterwards as it stood before.

    until: `round` or `end`. method: `exact` (raises OutOfReachError, a WarhostError, when that cannot be done),
    `simulation` (the same seed gives the same counts), or `auto`: exact if it can be done in some ten seconds. seconds:
    how long an exact answer may take instead. watch is told of each round that was weighed. Raises UsageError for other
    words.
    """
    check_asked(until, method, trials)
    reason = "as was asked"
    if method != "simulation":
        try:
            work = Work(math.inf if method == "exact" or seconds is not None else MOST_WORK, seconds)
            most = math.inf if method == "exact" else MOST_WORK / 4
            return _weighed(prepared, until, work, most, watch)
        except OutOfReachError as error:
            if method == "exact":
                raise
            reason = f"an exact answer is out of reach: {error}"
    way: Method = "columns"
    try:
        found = _drawn(prepared, until, trials, seed)
    except OutOfReachError as error:
        way, found, left = "one_by_one", _Found(), list[int]()
        reason += f"; in columns: {error}"
        found.joint = simulate(prepared, until, trials, seed, undecided=left, observed=found.observed)
        if left:
            found.endless[MOST_ROUNDS] = len(left)
    why = [f"{trials:,} trials; {reason}.", *_told(found, trials, until)]
    return Joint(way, " ".join(why), found.joint, trials, found.observed)


def exactly(prepared: Prepared, until: str, work: float) -> Joint:
    """The exact answer for so much work at most; raises OutOfReachError where that is not enough."""
    return _weighed(prepared, until, Work(work), work / 4, None)


def _weighed(prepared: Prepared, until: str, work: Work, most: float, watch: Watch | None) -> Joint:
    found = _exact(prepared, until, work, most, watch)
    why = ["Every way that the dice can fall was weighed.", *_told(found, 1.0, until)]
    return Joint("exact", " ".join(why), found.joint, 0, found.observed)


def _told(found: _Found, whole: float, until: str) -> list[str]:
    """What has to be said of an answer besides: what never ends."""
    if until != "end":
        return []
    endless = {rounds: left / whole for rounds, left in found.endless.items()}
    return [_undecided(share, rounds) for rounds, share in endless.items() if share >= NEGLIGIBLE]


def drawn(prepared: Prepared, until: str, trials: int, seed: int) -> dict[Tally, int]:
    """How often each tally came of so many trials, all at once in columns; the same seed gives the same counts.

    Raises OutOfReachError when columns cannot play it; then there is `simulate` of `warhost_odds.scalar`.
    """
    return _drawn(prepared, until, trials, seed).joint


def _drawn(prepared: Prepared, until: str, trials: int, seed: int) -> _Found:
    check_asked(until, "simulation", trials)
    lots = np.random.Generator(np.random.PCG64(seed))
    found = _Found()
    with without_collecting():
        for number in prepared.shared_out(trials, lots):
            work = number * TRIAL
            found.add(_followed(prepared, until, Columns(prepared.battle, lots, work, work / 10), number))
    return found


def _exact(prepared: Prepared, until: str, work: Work, most: float, watch: Watch | None = None) -> _Found:
    found = _Found()
    with without_collecting():
        for chance in prepared.each_way():
            found.add(_followed(prepared, until, Columns(prepared.battle, work=work, most=most), chance, watch))
    return found


class _ForgottenError(Exception):
    """A field is read that an earlier round has forgotten: it begins anew, and keeps it."""


def _followed(
    prepared: Prepared, until: str, columns: Columns, weight: float | int, watch: Watch | None = None
) -> _Found:
    """Play rounds over all worlds until the question is over in each.

    Fields that no round reads are forgotten between rounds. When one is read after all, later than in the round that
    would have forgotten it next, all begins anew with the same lots.
    """
    lots = _state_of(columns)
    with columns.steps.at_work():
        live = _read_at_the_end(prepared, columns, weight)
        while True:
            try:
                return _through(prepared, until, columns, weight, live, watch)
            except _ForgottenError:
                if columns.lots is not None:
                    columns.lots.bit_generator.state = lots


def _read_at_the_end(prepared: Prepared, columns: Columns, weight: float | int) -> set[Key]:
    """The fields that the tally looks at, as far as it shows at the beginning. What is only observed is not kept for
    that: a round that writes it anew need not tell worlds apart by what it was before.
    """
    _tally(prepared, columns, columns.start(weight), _Found())
    return set(columns.steps.needed)


def _through(
    prepared: Prepared, until: str, columns: Columns, weight: float | int, live: set[Key], watch: Watch | None
) -> _Found:
    rounds = 1 if until == "round" else MOST_ROUNDS
    over: list[Batch] = []
    found = _Found()
    left, seen = float(weight), set[Any]()
    turn = 0
    batches = ready = [columns.start(weight)]
    for turn in range(rounds):
        ended, batches = _one_round(prepared, columns, batches, ready, live, turn)
        live |= columns.steps.needed
        over += ended
        if sum(b.n for b in over) > MOST_UNCOUNTED:
            _count_all(prepared, columns, over, live, found)
            over = []
        left = sum(float(b.weights.sum()) for b in batches)
        if watch is not None:
            watch(turn + 1, left / weight, sum(b.n for b in batches))
        if left == 0 or turn == rounds - 1 or (columns.lots is None and left < NEGLIGIBLE):
            break
        ready = columns.forgetting(batches, live)
        state = columns.state_of(ready), str(_state_of(columns))
        if state in seen:  # all as it was, and no chance left to fall otherwise: so it goes on for ever
            break
        seen.add(state)
        if columns.lots is not None and left <= FEW:
            left, batches = _played_out(prepared, columns, batches, rounds - turn - 1, live, found), []
            turn = rounds - 1
            break
    _count_all(prepared, columns, [*over, *(batches if left else [])], live, found)
    if left:
        found.endless[turn + 1] = left
    return found


def _played_out(
    prepared: Prepared, columns: Columns, batches: Sequence[Batch], rounds: int, live: set[Key], found: _Found
) -> int:  # fmt: skip
    """Play the few trials that are left one by one by the compiled rules, and add their tallies. How many of them so
    many more rounds did not end.
    """
    assert columns.lots is not None
    question = prepared.question
    dice = SeededDice(int(columns.lots.integers(2**62)))
    turns = [f for f in (question.next_turn, question.round) if f is not None]
    structural = any(columns.known.is_structural(f) for f in turns)

    def play() -> tuple[Tally, dict[tuple[str, str], Any], bool]:
        prepared.battle.budget.reset()
        over = False
        for _ in range(rounds):
            prepared.play_round(first=False)
            over = prepared.is_over()
            if over:
                break
        return prepared.tally(), prepared.observations(question.observe), over

    undecided = 0
    try:
        for b in batches:
            for row in [row for row, trials in enumerate(b.weights.tolist()) for _ in range(trials)]:
                tally, sights, over = columns.steps.played(b, row, dice, structural, play)
                found.add(_Found({tally: 1}, {key: {value: 1} for key, value in sights.items()}))
                undecided += not over
    except RememberedError as error:
        _keep(error.key, prepared, live)
        raise _ForgottenError from None
    return undecided


def _count_all(
    prepared: Prepared, columns: Columns, batches: Sequence[Batch], live: set[Key], found: _Found
) -> None:  # fmt: skip
    """Add the tallies of worlds of several rounds: one look at the numbers instead of one for each round."""
    try:
        for b in columns.without_turn(batches, live):
            _count(prepared, columns, b, found)
    except RememberedError as error:
        _keep(error.key, prepared, live)
        raise _ForgottenError from None


def _keep(key: Key, prepared: Prepared, live: set[Key]) -> None:
    """A field is read: it is kept from now on, of both, for who reads it of one asks the other next."""
    thing, name = key
    live.add(key)
    live |= {(one, name) for one in (prepared.attacker, prepared.defender) if noun_of(one) == noun_of(thing)}


def _state_of(columns: Columns) -> Any:
    """Changes whenever trials have been drawn; None where none ever are."""
    return None if columns.lots is None else columns.lots.bit_generator.state


def _undecided(share: float, rounds: int) -> str:
    shown = f"{100 * share:.1f} %" if share >= 0.0005 else "Less than 0.1 %"
    if rounds < MOST_ROUNDS:
        return f"{shown} never come to an end: after {rounds} rounds nothing changes any more."
    return f"{shown} had not come to an end after {rounds} rounds, and count as they stood."


def _one_round(
    prepared: Prepared, columns: Columns, batches: list[Batch], ready: list[Batch], live: set[Key], turn: int
) -> tuple[list[Batch], list[Batch]]:
    """One round after so many others: what is over after it, and what goes on. ready: the batches without what is not
    live.

    A round mostly begins by writing anew what the one before left behind. What no round has read so far is forgotten,
    so that worlds that differ in nothing else are one; when it is read after all, the round is played again with it.
    """
    lots = _state_of(columns)
    while True:
        try:
            return _played_through(prepared, columns, ready, turn)
        except RememberedError as error:
            _keep(error.key, prepared, live)
            if columns.is_forgotten(batches, error.key):
                raise _ForgottenError from None
            if columns.lots is not None:
                columns.lots.bit_generator.state = lots
            ready = columns.forgetting(batches, live)


def _played_through(
    prepared: Prepared, columns: Columns, ready: list[Batch], turn: int
) -> tuple[list[Batch], list[Batch]]:
    prepared.battle.budget.reset()
    pair = (prepared.attacker, prepared.defender)
    ended: list[Batch] = []
    going: list[Batch] = []
    columns.set_turn(ready, turn)
    if turn and prepared.question.next_turn is not None:
        ready = columns.call(prepared.question.next_turn, pair, ready)
    played = columns.call(prepared.question.round, pair, ready)
    columns.set_turn(played, turn + 1)
    for b in played:
        over = columns.ask(prepared.question.over, pair, b)
        if not isinstance(over, np.ndarray):
            over = np.full(b.n, bool(over))
        done, more = b.split(over)
        ended += [done] if done is not None else []
        going += [more] if more is not None else []
    return ended, going


def _count(prepared: Prepared, columns: Columns, batch: Batch, found: _Found) -> None:
    """Add the tallies of a batch, and what is observed in it."""
    _tally(prepared, columns, batch, found)
    for sight in prepared.question.observe:
        for side, unit in ((ATTACKER, prepared.attacker), (DEFENDER, prepared.defender)):
            seen = found.observed.setdefault((sight.name, side), {})
            for (value,), weight in _together(columns, [columns.look(sight.of, unit, batch)], batch):
                seen[value] = seen.get(value, 0) + weight


def _tally(prepared: Prepared, columns: Columns, batch: Batch, found: _Found) -> None:
    q, one, other = prepared.question, prepared.attacker, prepared.defender
    asked = [
        columns.ask(q.outcome, (one, other), batch),
        columns.ask(q.losses, (one,), batch), columns.ask(q.losses, (other,), batch),
        columns.ask(q.worth_lost, (one,), batch), columns.ask(q.worth_lost, (other,), batch),
    ]  # fmt: skip
    for now, weight in _together(columns, asked, batch):
        word, *lost = now
        tally = prepared.since_the_start((word, *lost))
        found.joint[tally] = found.joint.get(tally, 0) + weight


def _together(columns: Columns, asked: Sequence[Any], batch: Batch) -> list[tuple[tuple[Any, ...], Any]]:
    """The answers of all rows, each but once, with the weight of its rows."""
    n, interner = batch.n, columns.interner
    firsts, back = kinds([value for value in asked if isinstance(value, np.ndarray)], n)
    weights = np.bincount(back, weights=batch.weights).astype(batch.weights.dtype).tolist()
    parts = [value[firsts] if isinstance(value, np.ndarray) else value for value in asked]
    rows = zip(*(interner.items(part, len(firsts)) for part in parts), strict=True)
    return list(zip(rows, weights, strict=True))


__all__ = ["Joint", "OutOfReachError", "Watch", "drawn", "evaluate", "exactly"]
