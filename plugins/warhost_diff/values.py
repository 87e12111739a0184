"""What changed lines make of numbers: before and after, for pairs of units as the questions of odds set them up.

A line says `set to 2 when target.size >= 10`; here stands for whom that is so, and what the number was without it.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from warhost.errors import WarhostError
from warhost.lang.support import text
from warhost_armies.wording import words
from warhost_diff.blocks import ReadRules, changed_block
from warhost_diff.difference import By, NumberValues, ValueChange
from warhost_diff.matchups import pairs_of

if TYPE_CHECKING:
    from warhost.lang import ir
    from warhost.packs import Ruleset
    from warhost_odds.questions import Prepared
    from warhost_odds.section import Question

MOST_SET_UPS = 60
"""Pairs of units that are set up under each of the two rulesets at most."""

MOST_USUAL, MOST_VARIED = 24, 2
"""Of these so many have the settings as they are when nobody says; then so many pairs have others, one by one."""

MOST_WAYS = 8
"""Ways in which a number is asked for the same units, by what else it wants to know."""

ENOUGH = 4
"""A number that is otherwise for so many is looked at no further."""

_Settings: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Touched:
    """A number of which lines are otherwise. told: each of these lines, with who says it. found: by what it was and is,
    for which units, and in what situation first.
    """

    name: str
    told: list[By]
    found: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    tried: int = 0

    @property
    def enough(self) -> bool:
        """Whether there are cases enough to tell."""
        return sum(map(len, self.found.values())) >= ENOUGH


def changed_values(
    a: ReadRules, b: ReadRules, only: Collection[str] | None = None
) -> tuple[NumberValues, ...]:  # fmt: skip
    """The numbers, flags and values that lines of b treat otherwise than those of a, each with cases before and after.
    only: the names of those that are asked for.
    """
    touched = {one.name: one for one in _touched(a, b) if only is None or one.name in only}
    if touched:
        _look(a.rules, b.rules, touched)
    return tuple(
        NumberValues(
            one.name, tuple(one.told), one.tried,
            tuple(
                ValueChange(before, after, tuple(f"{who} ({said})" for who, said in cases.items()))
                for (before, after), cases in one.found.items()
            ),
        )
        for one in touched.values()
    )  # fmt: skip


# -- which numbers -----------------------------------------------------------------------------------


def _touched(a: ReadRules, b: ReadRules) -> Iterator[_Touched]:
    """Those with lines that only one of the two has, from anywhere, or with another base."""
    if a.rules.program is None or b.rules.program is None:
        return
    before, after = _lines(a), _lines(b)
    own = {
        placed.name for placed in b.blocks.values()
        if placed.kind in ("number", "flag", "value") and changed_block(a, b, placed.id) is not None
    }  # fmt: skip
    for name in b.rules.program.numbers:
        if name not in a.rules.program.numbers:
            continue
        was, now = before.get(name, {}), after.get(name, {})
        told = [by for said, lines in now.items() for by in lines[len(was.get(said, ())) :]]
        gone = [by for said, lines in was.items() for by in lines[len(now.get(said, ())) :]]
        told += [By(by.layer, f"no longer: {by.what}", by.place) for by in gone]
        if name in own and not told:
            told = [By(change.layer, f"{change.what} it", change.place) for change in _history(b, name)]
        if told:
            yield _Touched(name, told)


def _history(b: ReadRules, name: str) -> tuple[By, ...]:
    placed = next(one for one in b.blocks.values() if one.name == name and one.kind in ("number", "flag", "value"))
    return b.by(placed.history[-1:])


def _lines(side: ReadRules) -> Mapping[str, dict[str, list[By]]]:
    """By number: its lines as they are written, each with the places where it stands."""
    found: dict[str, dict[str, list[By]]] = {}
    for t in side.rules.program.templates.values():
        said = " ".join(side.sources.quote(t.pos).split()) or t.key
        layer, place = side.layer(t.pos), side.place(t.pos)
        found.setdefault(t.number, {}).setdefault(said, []).append(By(layer, said, place))
    return found


# -- what they come to -------------------------------------------------------------------------------


def _look(a: Ruleset, b: Ruleset, touched: Mapping[str, _Touched]) -> None:
    """Set units up under both rulesets, and compare the numbers for them, until there are cases enough."""
    for number, (said, before, after) in enumerate(_situations(a, b)):
        if number >= MOST_SET_UPS or all(one.enough for one in touched.values()):
            return
        for one in touched.values():
            if not one.enough:
                _compare(one, said, before, after)


def _compare(one: _Touched, said: str, before: Prepared, after: Prepared) -> None:
    was, now = _values(one.name, before), _values(one.name, after)
    for who in was:
        if who not in now:
            continue
        one.tried += 1
        if was[who] != now[who]:
            one.found.setdefault((was[who], now[who]), {}).setdefault(who, said)


def _values(name: str, prepared: Prepared) -> dict[str, str]:
    """What a number comes to for the two units, either of them first, by their names."""
    battle, found = prepared.battle, dict[str, str]()
    number: ir.Number = battle.program.numbers[name]
    for one, other in ((prepared.attacker, prepared.defender), (prepared.defender, prepared.attacker)):
        for args in _arguments(number, one, other, battle):
            with contextlib.suppress(WarhostError):
                value = battle.guarded(lambda args=args: battle.code.number(name)(battle, *args))  # type: ignore[misc]
                who = " against ".join([one.name, *([other.name] if other in args else [])])
                also = [
                    f"{words(p.name)} {words(_shown(arg))}"
                    for p, arg in zip(number.params, args, strict=True) if p.type.kind in ("yes_no", "word")
                ]  # fmt: skip
                found[", ".join([who, *also])] = _shown(value)
    return found


def _shown(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else "none" if value is None else text(value)


def _arguments(number: ir.Number, one: Any, other: Any, battle: Any) -> Iterator[tuple[Any, ...]]:
    """The units (and their sides) in the places of the parameters, with yes and no and every word in others; nothing
    where it takes something else.
    """
    units, sides, places = [one, other], [one.side, other.side], []
    for param in number.params:
        noun = param.type.name if param.type.kind == "noun" else ""
        while noun and noun in battle.program.nouns and battle.program.nouns[noun].is_a:
            noun = battle.program.nouns[noun].is_a
        left = units if noun == "unit" else sides if noun == "side" else []
        if left:
            places.append([left.pop(0)])
        elif param.type.kind == "yes_no":
            places.append([False, True])
        elif param.type.kind == "word":
            places.append(list(battle.program.words.get(param.type.name, ())))
        else:
            return
    yield from itertools.islice(itertools.product(*places), MOST_WAYS)


# -- for whom ----------------------------------------------------------------------------------------


def _situations(a: Ruleset, b: Ruleset) -> Iterator[tuple[str, Prepared, Prepared]]:
    """Pairs of units set up by both rulesets, by each question and its settings: those of the demo first, then
    others of the ready armies. The first value says by what question.
    """
    from warhost_odds.questions import questions

    try:
        asked = {id_: one for id_, one in questions(b).items() if id_ in questions(a)}
    except WarhostError:
        return
    pairs = list(pairs_of(a, b))
    usual = [(pair, id_, ()) for pair in pairs for id_ in asked]
    varied = [
        (pair, id_, settings)
        for pair in pairs[:MOST_VARIED] for id_, question in asked.items() for settings in _settings(question)
    ]  # fmt: skip
    for pair, id_, settings in [*usual[:MOST_USUAL], *varied, *usual[MOST_USUAL:]]:
        both = [_set_up(rules, id_, pair, settings) for rules in (a, b)]
        if both[0] is not None and both[1] is not None:
            also = "".join(f", {words(name)} {words(value)}" for name, value in settings)
            yield f"{asked[id_].title}{also}", both[0], both[1]


def _set_up(rules: Ruleset, id_: str, pair: tuple[str, str], settings: _Settings) -> Prepared | None:
    """Two units as a question has them; None where it cannot be put to them."""
    from warhost_odds.questions import UnitSpec, questions, set_up

    with contextlib.suppress(WarhostError):
        one, other = (UnitSpec.parse(spec, rules) for spec in pair)
        return set_up(rules, questions(rules)[id_], one, other, dict(settings))
    return None


def _settings(question: Question) -> Iterator[_Settings]:
    """Each word that a setting may be instead of what it is when nobody says."""
    for one in question.settings:
        choices: Sequence[str] = one.choices or (("yes", "no") if one.type.kind == "yes_no" else ())
        for value in choices:
            if value != _shown(one.default):
                yield ((one.name, value),)
