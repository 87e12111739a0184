"""What is wrong with examples that say probabilities, found without asking for the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from warhost.errors import Problem, did_you_mean, is_misspelt, nearest
from warhost.lang.place import Pos
from warhost.lang.program import Program
from warhost.packs.yaml_source import Map, Seq, problem_at
from warhost.vocabulary import ExamplesToRead
from warhost_odds.section import SIDES, Question, Setting, Sight, value_of


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """Units, questions, settings, parts and words of answers that there are not, and chances that cannot be.

    Where nobody knows the questions, as in broken rules, and in examples under house rules, which may change them, only
    units, chances and words that are nearly known ones are told.
    """
    words = {word for enumeration in read.program.words.values() for word in enumeration}
    found: list[Problem] = []
    for example in read.topmost:
        asked, then, given = (example.data.get(key) for key in ("odds", "then", "given"))
        if not isinstance(asked, Map) or not isinstance(then, Map) or "fails" in then:
            continue
        found += _units(asked, read.profiles)
        known: Mapping[str, Question] = read.sections.get("odds") or {}
        if isinstance(given, Map) and given.get("house_rules"):
            known = {}
        question = known.get(_asked_for(asked)) if "what" in asked else next(iter(known.values()), None)
        if question is not None:
            found += _settings(asked, question, read.program)
            found += _answers(then, question, read.program)
        else:
            found += _no_question(asked, known)
            found += _outcomes(then.get("outcome"), words)
        found += _chances(then)
        outcome = then.get("outcome")
        named = [*(outcome if isinstance(outcome, Map) else ()), *(_profile(asked, side) for side in SIDES)]
        read.unsure.extend((example, str(name)) for name in named if name not in words | set(read.profiles))
    return found


def _asked_for(asked: Map) -> str:
    """The id of a question from `ID` or `ID:VALUE`."""
    return str(asked["what"]).partition(":")[0].strip().lower()


def _no_question(asked: Map, known: Mapping[str, Question]) -> Iterator[Problem]:
    if known:
        hint = did_you_mean(_asked_for(asked), known) or f"there is {', '.join(known)}"
        yield problem_at(asked.pos("what"), "unknown-name", f'there is no question "{asked["what"]}"', hint)


def _settings(asked: Map, question: Question, program: Program) -> Iterator[Problem]:
    """Settings that a question does not have, that do not fit, and that are left open."""
    said = asked.get("settings")
    given = said if isinstance(said, Map) else Map()
    known = {one.name: one for one in question.settings}
    subject, (_, colon, value) = question.subject, str(asked.get("what", "")).partition(":")
    if colon and subject is not None:
        yield from _misfit(subject, value, asked.pos("what"), program)
    elif colon:
        message = f'"{question.id}" asks for nothing that could stand behind a colon'
        yield problem_at(asked.pos("what"), "unknown-setting", message, f"write what: {question.id}")
    for name, value in given.items():
        if name in known:
            yield from _misfit(known[name], value, given.pos(name), program)
        else:
            hint = did_you_mean(str(name), known) or f"there is {', '.join(known) or 'none'}"
            message = f'the question "{question.id}" has no setting "{name}"'
            yield problem_at(given.key_pos(name), "unknown-setting", message, hint)
    for one in known.values():
        if one.default is None and one.name not in given and not (colon and one is subject):
            sample = one.choices[0] if one.choices else ".."
            message = f'the question "{question.id}" needs to know the {one.name.replace("_", " ")}'
            yield problem_at(asked.here, "missing-setting", message, f"write settings: {{{one.name}: {sample}}}")


def _misfit(setting: Setting, value: Any, pos: Pos, program: Program) -> Iterator[Problem]:
    try:
        setting.check(value_of(value, setting.type, program))
    except ValueError as error:
        message, _, hint = str(error).partition("; ")
        few = f"write {' or '.join(setting.choices)}" if 0 < len(setting.choices) <= 12 else None
        yield problem_at(pos, "wrong-setting", f"{setting.name}: {message}", hint or few)


def _answers(then: Map, question: Question, program: Program) -> Iterator[Problem]:
    """Parts that no answer has, and values that none of them can have."""
    parts: dict[str, tuple[str, Sequence[str]] | None] = {"outcome": (question.outcome, question.outcomes)}
    for side in SIDES:
        parts[f"{side} loses"] = None
        parts |= {f"{side} {one.name}": _values_of(one, program) for one in question.observe}
    averages = [f"{side} loses{what} on average" for side in SIDES for what in ("", " points")]
    for key, wanted in then.items():
        if key == "within":
            continue
        if key in averages:
            if isinstance(wanted, Map | Seq):
                yield problem_at(then.pos(key), "wrong-type", f'"{key}" is one number', "write a number, as in 0.25")
        elif key not in parts:
            every = [*parts, *averages]
            hint = did_you_mean(str(key), every) or f"there is {', '.join(every)}"
            yield problem_at(then.key_pos(key), "unknown-name", f'an answer has no "{key}"', hint)
        elif not isinstance(wanted, Map):
            message = f'"{key}" wants values with their probabilities'
            yield problem_at(then.pos(key), "wrong-type", message, f"write {key}: {{{_sample(parts[key])}: 1/2}}")
        else:
            yield from _values(wanted, str(key), parts[key])


def _values_of(one: Sight, program: Program) -> tuple[str, Sequence[str]] | None:
    """What is seen of a unit, where that is one of a few words."""
    seen = one.of.type
    if seen.kind not in ("yes_no", "word"):
        return None
    words = ("yes", "no") if seen.kind == "yes_no" else tuple(program.words[seen.name])
    return one.name, (*words, "none") if seen.optional else words


def _sample(words: tuple[str, Sequence[str]] | None) -> str:
    return words[1][0] if words else "0"


def _values(wanted: Map, key: str, words: tuple[str, Sequence[str]] | None) -> Iterator[Problem]:
    """Words that a part of an answer does not have, and losses that are no number of models."""
    for value in wanted:
        if words is not None and str(value) not in words[1]:
            hint = did_you_mean(str(value), words[1]) or f"there is {', '.join(words[1])}"
            message = f'nothing comes out as "{value}"' if key == "outcome" else f'"{key}" is never "{value}"'
            yield problem_at(wanted.key_pos(value), "unknown-name", message, hint)
        elif key.endswith(" loses") and not isinstance(value, int):
            message = f'"{key}" is a number of models, not "{value}"'
            yield problem_at(wanted.key_pos(value), "wrong-type", message, f"write {key}: {{0: 1/2, 1: 1/2}}")


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
    """Figures that are none, and values with chances that are more than certain together."""
    for key, wanted in then.items():
        figures = wanted if isinstance(wanted, Map) else then.copied([key])
        read: list[Fraction] = []
        for one in figures:
            value = figures[one]
            if isinstance(value, Map | Seq):  # told by what is wanted of the part
                continue
            try:
                read.append(_figure(value))
            except (ValueError, ZeroDivisionError, TypeError):
                message = f'"{value}" is no probability and no number'
                yield problem_at(figures.pos(one), "wrong-chances", message, "write 0.25, 1/4 or 1/2 * 1/2")
        total = sum(read, Fraction(0))
        if isinstance(wanted, Map) and total > Fraction(1001, 1000):
            message = f'the chances of "{key}" are {float(total):.4g} together'
            yield problem_at(then.pos(key), "wrong-chances", message, "together they are 1 at most")


def _figure(text: Any) -> Fraction:
    return prod((Fraction(factor.strip()) for factor in str(text).split("*")), start=Fraction(1))
