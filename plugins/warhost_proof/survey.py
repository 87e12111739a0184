"""`warhost mutate`: many mutants tried against the examples, and what was not noticed.

What became of each mutant is remembered (`memory`): a run that was interrupted goes on where it stopped, a larger
sample tries only what is new, and new examples are tried only on what the others did not notice.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.errors import Problem, RulesInvalid, UsageError, did_you_mean
from warhost_proof.memory import Verdicts, example_key
from warhost_proof.mutants import Mutant, mutants_of
from warhost_proof.trials import Trials, TriedExample

if TYPE_CHECKING:
    from warhost.packs import Ruleset

#: How many standard deviations an interval of 95 % reaches to each side.
_Z = 1.959964

#: The file of a ruleset that says which mutants change nothing that can be seen, and why.
EQUIVALENT = "equivalent.yaml"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a mutant. noticed_by: the title of the first example that failed, or None. reached: how many
    examples come to the place.
    """

    mutant: Mutant
    noticed_by: str | None
    reached: int


@dataclass(frozen=True, slots=True)
class Survey:
    """The verdicts on a sample of mutants. population: how many mutants of these sorts there are. equivalent: those
    that the ruleset's authors say change nothing, with their reasons; they are in no sample. stale: what they say of
    lines that no file has any more, as (file, text).
    """

    verdicts: tuple[Verdict, ...]
    population: int
    equivalent: tuple[tuple[Mutant, str], ...] = ()
    stale: tuple[tuple[str, str], ...] = ()

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return sum(v.noticed_by is not None for v in self.verdicts)

    @property
    def survivors(self) -> list[Verdict]:
        """The mutants that nobody noticed."""
        return [v for v in self.verdicts if v.noticed_by is None]

    @property
    def share(self) -> float:
        """The share that was noticed, from 0 to 1; 1 when there was nothing to try."""
        return self.killed / len(self.verdicts) if self.verdicts else 1.0

    @property
    def interval(self) -> tuple[float, float]:
        """Where the share of all mutants lies with a confidence of 95 % (Wilson); one point if all were tried."""
        n = len(self.verdicts)
        if not n or n >= self.population:
            return self.share, self.share
        p, z2 = self.share, _Z * _Z
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        reach = _Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n)
        return max(middle - reach, 0.0), min(middle + reach, 1.0)


def mutate(
    rules: Ruleset, *, sample: int | None = None, seed: int = 0, rule: str | None = None, file: str | None = None,
    data: bool = False, thorough: bool = False, workers: int = 1,
    told: Callable[[str, int, int], None] | None = None,
) -> Survey:
    """Try mutants of a ruleset against its examples.

    sample: how many of them, drawn by seed (None: all). rule: only those of this rule of the book. file: only those in
    files whose path has the word. data: the figures of profiles and tables instead of the rules. thorough: also parts
    of conditions. told: is given what is being done, how much of it is done, and of how much. Raises UsageError when no
    mutant fits, RulesInvalid when an example fails by the rules as they are.
    """
    mutants, equivalent = _wanted(rules, mutants_of(rules, thorough=thorough), rule, file, data)
    drawn = mutants if sample is None or sample >= len(mutants) else random.Random(seed).sample(mutants, sample)
    known = Verdicts(rules)
    examples = {example_key(e) for e in rules.examples}
    verdicts = {m.key: v for m in drawn if (v := _remembered(m, known, examples)) is not None}
    todo = [m for m in drawn if m.key not in verdicts]
    if todo:
        trials = Trials(rules)
        trials.learn(lambda done, of: told("examples", done, of) if told else None)
        _refuse_failing(trials)
        keys = {id(k): example_key(k.example) for k in trials.known}
        tried = frozenset(keys.values())
        for i, (mutant, noticed, reached) in enumerate(_tried(todo, trials, known, keys, workers)):
            by = (keys[id(noticed)], noticed.example.title) if noticed else None
            known.add(mutant.key, by, tried, reached)
            verdicts[mutant.key] = Verdict(mutant, by[1] if by else None, reached)
            if told is not None:
                told("mutants", len(drawn) - len(todo) + i + 1, len(drawn))
    return Survey(tuple(verdicts[m.key] for m in drawn), len(mutants), tuple(equivalent), _stale(rules))


def _remembered(mutant: Mutant, known: Verdicts, examples: set[str]) -> Verdict | None:
    """The verdict of an earlier run, if it still holds: the example that noticed is there, or none is new."""
    noticed = known.noticed.get(mutant.key)
    if noticed is not None and noticed[0] in examples:
        return Verdict(mutant, noticed[1], noticed[2])
    missed = known.missed.get(mutant.key)
    return Verdict(mutant, None, missed[1]) if missed is not None and missed[0] >= examples else None


def _wanted(
    rules: Ruleset, mutants: Sequence[Mutant], rule: str | None, file: str | None, data: bool
) -> tuple[list[Mutant], list[tuple[Mutant, str]]]:
    """Those that are asked for, and apart from them those that are said to change nothing."""
    found = [m for m in mutants if (m.sort == "data") == data]
    if rule is not None:
        found = [m for m in found if rule in m.refs]
    if file is not None:
        found = [m for m in found if file in m.file]
    if not found:
        known = {ref for m in mutants for ref in m.refs}
        hint = did_you_mean(rule, known) if rule is not None else None
        what = f"no line is of {rule}" if rule else "no line fits"
        raise UsageError(f"nothing to change: {what}" + (f"; {hint}" if hint else ""))
    reasons = rules.equivalent
    lines = _FileLines()
    same = [(m, reasons[key]) for m in found if (key := _equivalent_key(m, lines)) in reasons]
    taken = {m.key for m, _ in same}
    return [m for m in found if m.key not in taken], same


def _refuse_failing(trials: Trials) -> None:
    failing = [k.example for k in trials.known if not k.passed]
    words = "this example fails by the rules as they are"
    if failing:
        raise RulesInvalid(
            [
                Problem(e.pos.file, e.pos.line, 1, "example-failed", f"{e.title}: {words}", "mend it first")
                for e in failing
            ]
        )


# -- trying ------------------------------------------------------------------------------------------


#: A mutant with the examples to try it with, and how many come to its place.
_Trial = tuple[Mutant, list[TriedExample], int]
_here: tuple[Sequence[_Trial], Trials] | None = None


def _tried(
    mutants: Sequence[Mutant], trials: Trials, known: Verdicts, keys: dict[int, str], workers: int
) -> Iterator[tuple[Mutant, TriedExample | None, int]]:
    """What became of mutants, in any order: the first example that notices, and how many come to the place. Several
    workers are forks of this process and share what it has learned.
    """
    todo: list[_Trial] = []
    for mutant in mutants:
        candidates = trials.that_come_to(mutant.hosts, mutant.refs)
        before = known.missed.get(mutant.key, (frozenset(), 0))[0]
        todo.append((mutant, [k for k in candidates if keys[id(k)] not in before], len(candidates)))
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from ((m, verdict_on(m, candidates, trials), reached) for m, candidates, reached in todo)
        return
    global _here
    _here = (todo, trials)
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            for i, noticed in pool.imap_unordered(_try_number, range(len(todo))):
                yield todo[i][0], None if noticed is None else trials.known[noticed], todo[i][2]
    finally:
        _here = None


def _try_number(i: int) -> tuple[int, int | None]:
    assert _here is not None
    todo, trials = _here
    noticed = verdict_on(todo[i][0], todo[i][1], trials)
    return i, None if noticed is None else next(n for n, k in enumerate(trials.known) if k is noticed)


def verdict_on(mutant: Mutant, candidates: Sequence[TriedExample], trials: Trials) -> TriedExample | None:
    """Make a mutant, run examples until one fails, and undo it. Gives the one that failed."""
    undo = trials.applied(mutant)
    try:
        return trials.first_to_notice(candidates)
    finally:
        undo()


# -- lines of the rules --------------------------------------------------------------------------------


class _FileLines:
    """The lines of files of rules, by the labels of the files."""

    def __init__(self) -> None:
        self.files: dict[str, list[str]] = {}

    def of(self, file: str) -> list[str]:
        """All of them, without the blanks around them; none of a file that cannot be read."""
        if file not in self.files:
            try:
                text = Path(file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                text = ""
            self.files[file] = [line.strip() for line in text.splitlines()]
        return self.files[file]

    def line(self, file: str, number: int) -> str:
        lines = self.of(file)
        return lines[number - 1] if 0 < number <= len(lines) else ""


def _equivalent_key(m: Mutant, lines: _FileLines) -> tuple[str, str, str]:
    name = m.file.rsplit("/", 1)[-1]
    return name, lines.line(m.file, m.line), m.change


def _stale(rules: Ruleset) -> tuple[tuple[str, str], ...]:
    """What equivalent.yaml says of lines that no file of that name has."""
    lines = _FileLines()
    there = {(file.rsplit("/", 1)[-1], text) for file in rules.files for text in lines.of(file)}
    said = dict.fromkeys((file, text) for file, text, _ in rules.equivalent)
    return tuple(one for one in said if one not in there)


def texts_of(mutants: Iterable[Mutant]) -> list[str]:
    """The line of the rules in which each mutant stands, without the blanks around it."""
    lines = _FileLines()
    return [lines.line(m.file, m.line) for m in mutants]


def usual_workers() -> int:
    """As many as there are processors to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
