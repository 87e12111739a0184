"""Random questions, answered in every way that there is; run as a program it asks many of them:

    python -m odds.at_random 300 --seed 7      (in tests/)
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from odds.agreement import chi_square, tail
from odds.rulebooks import rules_of
from odds.whole import TURNS, Turn, turns_played
from warhost.errors import WarhostError
from warhost.packs import Ruleset
from warhost_odds import evaluate as evaluation
from warhost_odds.chance import OutOfReachError
from warhost_odds.evaluate import evaluate
from warhost_odds.questions import Prepared, Question, Tally, UnitSpec, questions, set_up
from warhost_odds.scalar import simulate
from warhost_odds.section import Setting

BOOKS = ("small_fantasy", "arcana", "legiones", "destiny", "three_plains")

#: Trials in columns, and one by one (of those as many as so many rounds of work allow).
AT_ONCE, ONE_BY_ONE = 20_000, 150

#: Turns played as a battle, in the same situation.
TURNS_PLAYED = 200

#: Seconds after which no further trials are played one by one.
LONGEST = 12.0

#: Seconds that an exact answer may take; those that take longer are left to the two kinds of trials.
SECONDS = 4.0

#: Of the questions of which nothing seems to come so many are not asked.
DULL_LEFT_OUT = 0.95

#: So unlikely a difference is none of chance, even among thousands of comparisons.
LEAST = 1e-6


@dataclass(frozen=True)
class Asked:
    """A question with everything that it needs. said: the same in words."""

    rules: Ruleset
    question: Question
    one: UnitSpec
    other: UnitSpec
    settings: Mapping[str, Any]
    until: str
    said: str

    def put(self, settings: Mapping[str, Any] | None = None, given: Sequence[str] = ()) -> Prepared:
        """Set up, with some settings of others and with what is given besides."""
        chosen = {**self.settings, **(settings or {})}
        return set_up(self.rules, self.question, self.one, self.other, chosen, given)


@dataclass(frozen=True)
class Random:
    """A question that a seed gives: whoever has the seed has the question."""

    ruleset: str
    seed: int

    def asked(self) -> Asked:
        """What is asked. Seeds whose two units cannot be set up so give other questions."""
        rules = rules_of(self.ruleset)
        dice = random.Random(f"{self.ruleset} {self.seed}")
        while True:
            name = dice.choice(list(questions(rules)))
            question = questions(rules)[name]
            one, other = _unit(rules, dice), _unit(rules, dice)
            settings = {s.name: _value(s, dice) for s in question.settings}
            until = dice.choice(("round", "end")) if one.count + other.count < 25 else "round"
            said = f"{self.ruleset}, seed {self.seed}: {name}, {one} against {other}, {settings}, until {until}"
            asked = Asked(rules, question, one, other, settings, until, said)
            try:
                prepared = asked.put()
            except WarhostError:
                continue
            if not _is_dull(prepared) or dice.random() >= DULL_LEFT_OUT:
                return asked


def _is_dull(prepared: Prepared) -> bool:
    """Whether the same comes of the first few trials: out of range, say, or without a weapon."""
    return len(simulate(prepared, "round", 5, 1)) == 1


def _unit(rules: Ruleset, dice: random.Random) -> UnitSpec:
    rows = [
        (list_.id, row) for list_ in rules.lists.values() for row in list_.data.get("units", ())
        if str(row.get("profile")) in rules.profiles
    ]  # fmt: skip
    _, row = dice.choice(rows)
    size = row.get("size", 1)
    most = size.get("max") or 20 if isinstance(size, dict) else size
    least = size.get("min", 1) if isinstance(size, dict) else size
    count = dice.randint(int(least), max(int(least), min(int(most), 16)))
    offered = [str(one["id"]) for one in row.get("options", ())]
    options = sorted(dice.sample(offered, dice.randint(0, min(2, len(offered)))))
    return UnitSpec.parse(",".join([f"{row['profile']}:{count}", *options]), rules)


def _value(setting: Setting, dice: random.Random) -> Any:
    if setting.choices:
        return dice.choice(setting.choices)
    usual = int(setting.default)
    if setting.name == "distance":
        return dice.choice((usual, 2 * usual, max(usual // 3, 2)))
    low = int(setting.low) if setting.low is not None else usual - 2
    return max(low, min(usual + dice.choice((0, 0, 1, 3, 6)), int(setting.high if setting.high is not None else 99)))


@dataclass(frozen=True)
class Comparison:
    """What two ways of answering both said. p: how likely so large a difference is by chance, 0 of what cannot be."""

    ways: str
    what: str
    p: float


def differences(
    asked: Random, one_by_one: int = ONE_BY_ONE, turns: int = TURNS_PLAYED, seconds: float = SECONDS
) -> Iterator[str]:
    """How the ways of answering differ by more than chance explains: nothing, if all is well."""
    this = asked.asked()
    for one in comparisons(this, asked, one_by_one, turns, seconds):
        if one.p < LEAST:
            yield f"{this.said}: {one.what}, {one.ways}, p = {one.p:.2g}"


def comparisons(
    this: Asked, asked: Random, one_by_one: int = ONE_BY_ONE, turns: int = TURNS_PLAYED, seconds: float = SECONDS
) -> Iterator[Comparison]:
    """All that the ways of answering a question can be held against each other in."""
    yield from _ways_of_answering(this, asked.seed, one_by_one, seconds)
    turn = TURNS.get((asked.ruleset, this.question.id))
    if turn is not None:
        yield from _whole_turns(this, turn, asked.seed, turns, seconds)


def _ways_of_answering(asked: Asked, seed: int, one_by_one: int, seconds: float) -> Iterator[Comparison]:
    """Trials in columns against those one by one, and against the exact answer."""
    prepared = asked.put()
    single, one_seen = _one_by_one(prepared, asked.until, one_by_one, seed + 1)
    try:
        found = evaluation._drawn(prepared, asked.until, AT_ONCE, seed)
    except OutOfReachError:
        return  # then they are played one by one in any case
    columns, seen = found.joint, found.observed
    for what, some, others in _paired(columns, seen, single, one_seen):
        yield Comparison("columns against one by one", what, tail(*chi_square(some, others)))
    try:
        exact = evaluate(prepared, asked.until, "exact", seconds=seconds)
    except OutOfReachError:
        return
    for what, some, chances in _paired(columns, seen, exact.joint, exact.observed):
        yield Comparison("trials against the exact answer", what, _against(some, chances))
        yield from _impossible("trials against the exact answer", what, some, chances)


def _impossible(ways: str, what: str, some: Any, chances: Any) -> Iterator[Comparison]:
    if came := some.keys() - chances.keys():
        yield Comparison(ways, f"{what}: {came} came, which cannot", 0.0)


def _whole_turns(asked: Asked, turn: Turn, seed: int, turns: int, seconds: float) -> Iterator[Comparison]:
    """The first round against the same turn played as a battle."""
    ways = "odds against turns played as a battle"
    prepared = asked.put(turn.settings, turn.given)
    played = turns_played(prepared, turn, turns, seed + 2)
    if not played:
        return
    answer = evaluate(prepared, "round", "auto", 4 * turns, seed + 3, seconds=seconds)
    what = "outcome and losses"
    if answer.trials:
        yield Comparison(ways, what, tail(*chi_square(played, answer.joint)))
    else:
        yield Comparison(ways, what, _against(played, answer.joint))
        yield from _impossible(ways, what, played, answer.joint)


def _one_by_one(prepared: Prepared, until: str, trials: int, seed: int) -> tuple[Counter[Tally], Seen]:
    """Trials one by one, and what was observed in them; long fights are cut short to fewer trials."""
    found, seen = Counter[Tally](), Seen()
    begun = time.process_time()
    for part in range(0, trials, 10):
        found.update(simulate(prepared, until, 10, seed + part, observed=seen))
        if time.process_time() - begun > LONGEST:
            break
    return found, seen


Seen = dict[tuple[str, str], dict[Any, Any]]


def _paired(one: Any, one_seen: Any, other: Any, other_seen: Any) -> Iterator[tuple[str, Any, Any]]:
    """How it came out, and each thing that is observed, of two answers."""
    yield "outcome and losses", one, other
    for key in one_seen:
        yield " of ".join(key), one_seen[key], other_seen[key]


def _against(counts: Any, chances: Any) -> float:
    """Pearson's test of counts against chances; what is rare is put together."""
    trials = sum(counts.values())
    statistic, cells, seen, expected = 0.0, 0, 0.0, 0.0
    for key, chance in sorted(chances.items(), key=lambda item: -item[1]):
        seen, expected = seen + counts.get(key, 0), expected + chance * trials
        if expected >= 5:
            statistic, cells = statistic + (seen - expected) ** 2 / expected, cells + 1
            seen = expected = 0.0
    if expected > 0.5 or seen > 5:
        statistic, cells = statistic + (seen - expected) ** 2 / max(expected, 0.5), cells + 1
    return tail(statistic, cells - 1)


def main(arguments: list[str]) -> int:
    """Ask so many questions of each ruleset in turn, and tell those whose answers differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int, help="how many questions")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each question has the next")
    parser.add_argument("--ruleset", choices=BOOKS)
    parser.add_argument("--one-by-one", type=int, default=ONE_BY_ONE, help="trials of each question played one by one")
    parser.add_argument("--turns", type=int, default=TURNS_PLAYED, help="turns of each question played as a battle")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="that an exact answer may take")
    asked = parser.parse_args(arguments)
    books = (asked.ruleset,) if asked.ruleset else BOOKS
    compared = Counter[tuple[str, str]]()
    found: list[tuple[float, str]] = []
    for i in range(asked.number):
        book, seed, begun = books[i % len(books)], asked.seed + i, time.process_time()
        this = Random(book, seed).asked()
        ways: dict[str, int] = {}
        try:
            for one in comparisons(this, Random(book, seed), asked.one_by_one, asked.turns, asked.seconds):
                ways[one.ways] = ways.get(one.ways, 0) + 1
                found.append((one.p, f"{this.said}: {one.what}, {one.ways}, p = {one.p:.2g}"))
        except Exception as error:  # a question that ends in an error is found as much as one that is answered wrongly
            found.append((0.0, f"{this.said}: {error!r}"))
        compared.update((book, way) for way in ("asked", *ways))
        print(f"{time.process_time() - begun:.1f} s, {this.said}: {ways}", flush=True)
    found.sort()
    few = 1e-3 / max(len(found), 1)
    wrong = [said for p, said in found if p < few]
    for (book, way), times in sorted(compared.items()):
        print(f"{book}: {way}: {times}")
    print(f"{asked.number} questions, {len(found)} comparisons, {len(wrong)} differences (p below {few:.1g})")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print("the least likely:", *(said for _, said in found[:5]), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
