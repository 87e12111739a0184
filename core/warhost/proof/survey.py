"""`warhost mutate`: many mutants tried against the examples, and what was not noticed.

The verdict on each mutant is kept in the user's cache under the digest of the ruleset, so that a run that was
interrupted goes on where it stopped, and a larger sample tries only what is new.
"""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.errors import Problem, RulesInvalid, UsageError, did_you_mean
from warhost.packs import cache
from warhost.proof.mutants import Mutant, mutants_of
from warhost.proof.trials import Trials

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
    that the ruleset's authors say change nothing, with their reasons; they are in no sample.
    """

    verdicts: tuple[Verdict, ...]
    population: int
    equivalent: tuple[tuple[Mutant, str], ...] = ()

    @property
    def killed(self) -> int:
        """How many were noticed."""
        return sum(v.noticed_by is not None for v in self.verdicts)

    @property
    def survivors(self) -> list[Verdict]:
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
    kept = _Kept(rules)
    todo = [m for m in drawn if m.key not in kept.verdicts]
    if todo:
        trials = Trials(rules)
        trials.learn(lambda done, of: told("examples", done, of) if told else None)
        _refuse_failing(trials)
        for i, verdict in enumerate(_tried(todo, trials, workers)):
            kept.add(verdict)
            if told is not None:
                told("mutants", len(drawn) - len(todo) + i + 1, len(drawn))
    verdicts = tuple(kept.verdict(m) for m in drawn)
    return Survey(verdicts, len(mutants), tuple(equivalent))


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
    lines = _Lines()
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


_here: tuple[Sequence[Mutant], Trials] | None = None


def _tried(mutants: Sequence[Mutant], trials: Trials, workers: int) -> Iterator[Verdict]:
    """The verdicts, in any order. Several workers are forks of this process and share what it has learned."""
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield from (verdict_on(m, trials) for m in mutants)
        return
    global _here
    _here = (mutants, trials)
    try:
        with multiprocessing.get_context("fork").Pool(workers) as pool:
            for i, noticed_by, reached in pool.imap_unordered(_try_number, range(len(mutants))):
                yield Verdict(mutants[i], noticed_by, reached)
    finally:
        _here = None


def _try_number(i: int) -> tuple[int, str | None, int]:
    assert _here is not None
    verdict = verdict_on(_here[0][i], _here[1])
    return i, verdict.noticed_by, verdict.reached


def verdict_on(mutant: Mutant, trials: Trials) -> Verdict:
    """Make a mutant, run the examples that come to its place until one fails, and undo it."""
    candidates = trials.that_come_to(mutant.hosts, mutant.refs)
    undo = trials.applied(mutant)
    try:
        noticed = trials.first_to_notice(candidates)
    finally:
        undo()
    return Verdict(mutant, noticed.example.title if noticed else None, len(candidates))


# -- verdicts that are kept ------------------------------------------------------------------------------


class _Kept:
    """The verdicts on the mutants of a ruleset with its examples as they are: a line of JSON for each."""

    def __init__(self, rules: Ruleset) -> None:
        folder = cache.folder()
        key = cache.key_of("mutants", rules.digest, cache.code_stamp(), _engine_stamp())
        self.path = folder / f"mutants-{key[:40]}.jsonl" if folder is not None else None
        self.verdicts: dict[str, tuple[str | None, int]] = {}
        for line in self._lines():
            try:
                name, noticed_by, reached = json.loads(line)
            except ValueError:
                continue  # cut off in the middle
            self.verdicts[str(name)] = (noticed_by, int(reached))

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8").splitlines() if self.path is not None else []
        except OSError:
            return []

    def add(self, verdict: Verdict) -> None:
        self.verdicts[verdict.mutant.key] = (verdict.noticed_by, verdict.reached)
        if self.path is None:
            return
        line = json.dumps([verdict.mutant.key, verdict.noticed_by, verdict.reached])
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError:
            self.path = None

    def verdict(self, mutant: Mutant) -> Verdict:
        return Verdict(mutant, *self.verdicts[mutant.key])


def _engine_stamp() -> str:
    """The hash of the code that runs examples, so that verdicts of another engine do not count."""
    here = Path(__file__).resolve().parents[1]
    sources = sorted([*here.glob("engine/*.py"), *here.glob("proof/*.py"), *here.glob("armies/*.py")])
    return cache.key_of(*(path.read_bytes() for path in sources))


# -- lines of the rules --------------------------------------------------------------------------------


class _Lines:
    """The lines of files of rules, by the labels of the files."""

    def __init__(self) -> None:
        self.files: dict[str, list[str]] = {}

    def line(self, file: str, number: int) -> str:
        if file not in self.files:
            try:
                self.files[file] = Path(file).read_text(encoding="utf-8").splitlines()
            except (OSError, UnicodeDecodeError):
                self.files[file] = []
        lines = self.files[file]
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _equivalent_key(m: Mutant, lines: _Lines) -> tuple[str, str, str]:
    name = m.file.rsplit("/", 1)[-1]
    return name, lines.line(m.file, m.line), m.change


def texts_of(mutants: Iterable[Mutant]) -> list[str]:
    """The line of the rules in which each mutant stands, without the blanks around it."""
    lines = _Lines()
    return [lines.line(m.file, m.line) for m in mutants]


def usual_workers() -> int:
    """As many as there are processors to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
