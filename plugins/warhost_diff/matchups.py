"""Which fights come out otherwise under another ruleset: a small set of units, each against each of the other army."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from warhost.errors import WarhostError
from warhost_diff.difference import Matchup, Odds

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_odds.answer import Answer

THRESHOLD = 0.05
"""By how much the chance of an ending must move to be told: five points in a hundred."""

PROBED = 2
"""Fights of a further question after which it is left, if nothing has moved at all."""

PAIRS_PASSED_OVER = 3
"""So many times as many pairs are looked at for those to which a further question can be put."""

PAIRS_OF_DEMO = 6
"""Pairs of the demo's units that numbers are looked at for, before others."""

TRIALS = 2_000
"""Simulated fights, where chances cannot be had exactly: the error of a chance is about one point in a hundred."""


def compare_odds(a: Ruleset, b: Ruleset, most: int) -> tuple[Odds, ...]:
    """The questions of the ruleset (`odds:`) that both have, asked of so many pairs of units at most; none when it has
    none. Of every question but the first a few pairs are tried, and the others only where something moves at all.

    The units are those of the demo's two armies, as many as stand in one unit there, the first against the first
    and so on; only units that both rulesets know.
    """
    from warhost_odds.questions import questions

    known, others = questions(a), questions(b)
    shared = [id_ for id_ in known if id_ in others]
    return tuple(
        _compared(a, b, id_, known[id_].title, most, first=id_ == shared[0])
        for id_ in shared if id_ == shared[0] or all(one.default is not None for one in known[id_].settings)
    )  # fmt: skip


def _compared(a: Ruleset, b: Ruleset, question: str, title: str, most: int, first: bool) -> Odds:
    """One question. Pairs to which it cannot be put are told of the first, and passed over of the others."""
    moved: list[Matchup] = []
    failed: list[str] = []
    compared, stirred = 0, False
    for attacker, defender in _pairs(a, b, most if first else most * PAIRS_PASSED_OVER):
        if compared >= most or (not first and compared >= PROBED and not stirred):
            break
        try:
            before, after = (_asked(rules, attacker, defender, question) for rules in (a, b))
        except WarhostError as error:
            if first:
                failed.append(f"{attacker} against {defender} could not be compared: {error}")
            continue
        compared += 1
        stirred = stirred or before.outcome != after.outcome or before.means != after.means
        one = _moved(before, after)
        if one is not None:
            moved.append(one)
    return Odds(title, THRESHOLD, compared, tuple(moved), tuple(failed))


def _asked(rules: Ruleset, attacker: str, defender: str, question: str) -> Answer:
    from warhost_odds.asking import ask

    return ask(rules, attacker, defender, what=question, until="round", trials=TRIALS, any_size=True)


def _moved(before: Answer, after: Answer) -> Matchup | None:
    """The ending whose chance moves most, when that is enough to be told."""
    endings = dict.fromkeys([*before.outcome, *after.outcome])
    chances = {word: (before.outcome.get(word, 0.0), after.outcome.get(word, 0.0)) for word in endings}
    word = max(chances, key=lambda one: abs(chances[one][0] - chances[one][1]), default=None)
    if word is None or abs(chances[word][0] - chances[word][1]) <= THRESHOLD:
        return None
    exact = before.method == after.method == "exact"
    names = [f"{one.count} {one.name}" for one in (after.attacker, after.defender)]
    return Matchup(names[0], names[1], word, *chances[word], exact)


def _pairs(a: Ruleset, b: Ruleset, most: int) -> Iterator[tuple[str, str]]:
    """Pairs of `PROFILE:COUNT`: all of one army against all of the other, taking the nearest in order first."""
    ours, theirs = _armies(a, b)
    pairs = [(i + j, one, other) for i, one in enumerate(ours) for j, other in enumerate(theirs)]
    for _, one, other in sorted(pairs, key=lambda pair: pair[0])[:most]:
        yield one, other


def pairs_of(a: Ruleset, b: Ruleset) -> Iterator[tuple[str, str]]:
    """The same pairs, then every other unit of the ready armies that both know, each against the first of the demo and
    attacked by it.
    """
    seen = set[str]()
    for pair in _pairs(a, b, PAIRS_OF_DEMO):
        seen.update(one.partition(":")[0] for one in pair)
        yield pair
    ours, theirs = _armies(a, b)
    for army in a.armies if ours and theirs else ():
        for unit in _units(a, b, army):
            if unit.partition(":")[0] not in seen:
                seen.add(unit.partition(":")[0])
                yield unit, theirs[0]
                yield ours[0], unit


def _armies(a: Ruleset, b: Ruleset) -> tuple[list[str], list[str]]:
    demo: Any = b.manifest.get("demo") or a.manifest.get("demo") or {}
    named = [str(one) for one in demo.get("armies", ()) if str(one) in a.armies] or list(a.armies)[:2]
    units = [_units(a, b, name) for name in (named * 2)[:2]]
    return (units[0], units[1]) if units else ([], [])


def _units(a: Ruleset, b: Ruleset, army: str) -> list[str]:
    found: dict[str, str] = {}
    for unit in a.armies[army].data.get("units", ()):
        profile = str(unit.get("profile"))
        if profile in a.profiles and profile in b.profiles:
            found.setdefault(profile, f"{profile}:{unit.get('size', 1)}")
    return list(found.values())
