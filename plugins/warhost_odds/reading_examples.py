"""What is wrong with examples that say probabilities, found without asking for the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import prod
from typing import Any

from warhost.errors import Problem, did_you_mean, is_misspelt, nearest
from warhost.packs.yaml_source import Map, problem_at
from warhost.vocabulary import ExamplesToRead
from warhost_odds.section import SIDES


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """Units of profiles that there are not, outcomes that are no words, and chances above one."""
    words = {word for enumeration in read.program.words.values() for word in enumeration}
    found: list[Problem] = []
    for example in read.topmost:
        asked, then = example.data.get("odds"), example.data.get("then")
        if isinstance(asked, Map) and isinstance(then, Map) and "fails" not in then:
            found += _units(asked, read.profiles)
            found += _outcomes(then.get("outcome"), words)
            found += _chances(then)
            outcome = then.get("outcome")
            named = [*(outcome if isinstance(outcome, Map) else ()), *(_profile(asked, side) for side in SIDES)]
            read.unsure.extend((example, str(name)) for name in named if name not in words | set(read.profiles))
    return found


def _profile(asked: Map, side: str) -> str:
    return str(asked.get(side, "")).partition(":")[0]


def _units(asked: Map, profiles: Any) -> Iterator[Problem]:
    for side in SIDES:
        said = _profile(asked, side)
        if said and said not in profiles and nearest(said, profiles) is not None:
            yield problem_at(
                asked.pos(side), "unknown-profile", f'there is no profile "{said}"', did_you_mean(said, profiles)
            )


def _outcomes(outcome: Any, words: set[str]) -> Iterator[Problem]:
    for word in outcome if isinstance(outcome, Map) else ():
        near = nearest(str(word), words)
        if word not in words and near is not None and is_misspelt(str(word), (near,)):
            yield problem_at(
                outcome.key_pos(word), "unknown-name", f'nothing comes out as "{word}"', f'did you mean "{near}"?'
            )


def _chances(then: Map) -> Iterator[Problem]:
    """Values with chances that are more than certain together."""
    for key, wanted in then.items():
        if not isinstance(wanted, Mapping):
            continue
        try:
            total = sum((_figure(one) for one in wanted.values()), Fraction(0))
        except (ValueError, ZeroDivisionError, TypeError):  # told when the example is run
            continue
        if total > Fraction(1001, 1000):
            message = f'the chances of "{key}" are {float(total):.4g} together'
            yield problem_at(then.pos(key), "wrong-chances", message, "together they are 1 at most")


def _figure(text: Any) -> Fraction:
    return prod((Fraction(factor.strip()) for factor in str(text).split("*")), start=Fraction(1))
