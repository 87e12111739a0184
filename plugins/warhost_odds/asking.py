"""Asking for chances from a program: what `warhost.odds(..)` does.

    answer = warhost.odds("my_game", "Red guards:20", "blue_rabble:30", until="end")
    answer.outcome, answer.means, pandas.DataFrame(answer.rows())
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError, did_you_mean
from warhost_odds.answer import Answer, Contender, answer, check_asked

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_odds.evaluate import Watch
    from warhost_odds.questions import UnitSpec

TRIALS = 10_000
"""How often a question is simulated when nobody says."""

COUNT = "count"
"""What a sweep calls the number of models."""


def odds(
    ruleset: Ruleset | str | Path, attacker: str | UnitSpec, defender: str | UnitSpec, *, what: str | None = None,
    until: str = "round", settings: Mapping[str, Any] | None = None, given: Sequence[str] = (),
    house: Sequence[str | Path] = (), method: str = "auto", trials: int = TRIALS, seed: int = 0,
    seconds: float | None = None, any_size: bool = False, workings: bool = False,
    observe: Mapping[str, str] | None = None,
) -> Answer:  # fmt: skip
    """What happens when one unit takes on another, by the rules in force.

    ruleset: a loaded one, or its name or path, with house rules. attacker, defender: `NAME:COUNT[,option..]`. what: a
    question of the ruleset (`ID` or `ID:VALUE`), without it the first; settings are its own. given: statements of the
    rules language that hold at the beginning. until: `round` or `end`. method: `exact`, `simulation` (so many trials
    with this seed) or `auto`, exact where it can be. seconds: how long an exact answer may take. any_size: of
    sizes that the army list does not allow, too. workings: with the throws of the first round. observe: what else is
    looked at of both units afterwards, by a name of one's own: a field, or a number, flag or value of (unit). Losses
    are counted in models, chances are from 0 to 1. Raises RulesInvalid, UsageError, RuleFault.

    >>> import warhost
    >>> answer = warhost.odds("small_fantasy", "Orc warriors:20", "Elf spearmen:20", settings={"facing": "rear"})
    >>> answer.method
    'exact'
    >>> answer.means["defender"] > answer.means["attacker"]       # models lost on average
    True
    >>> 0 < answer.at_least("defender")[5] < 1                    # the chance that five or more spearmen fall
    True
    """
    if isinstance(ruleset, str | Path):
        from warhost.packs import load

        rules = load(ruleset, list(house))
    elif house:
        raise UsageError("house rules go with the name of a ruleset; this one is loaded already")
    else:
        rules = ruleset
    return ask(
        rules, attacker, defender, what=what, until=until, settings=settings, given=given, method=method,
        trials=trials, seed=seed, seconds=seconds, any_size=any_size, workings=workings, observe=observe,
    )  # fmt: skip


def ask(
    rules: Ruleset, attacker: str | UnitSpec, defender: str | UnitSpec, *, what: str | None = None,
    until: str = "round", settings: Mapping[str, Any] | None = None, given: Sequence[str] = (), method: str = "auto",
    trials: int = TRIALS, seed: int = 0, seconds: float | None = None, any_size: bool = False, workings: bool = False,
    watch: Watch | None = None, observe: Mapping[str, str] | None = None,
) -> Answer:  # fmt: skip
    """The same of rules that are loaded. any_size: of sizes that the army list does not allow, too. workings: with the
    throws of the first round, and a note of what is given without making a difference. watch is told how far an exact
    answer is.
    """
    from warhost_odds import notes
    from warhost_odds.evaluate import evaluate
    from warhost_odds.questions import UnitSpec, asked, observing, questions, set_up
    from warhost_odds.workings import standing, throws_of

    check_asked(until, method, trials)
    if seconds is not None and seconds <= 0:
        raise UsageError("an exact answer needs some time: more than 0 seconds")
    question, found = asked(what or next(iter(questions(rules))), rules)
    question = observing(question, observe or {}, rules)
    one, other = (UnitSpec.parse(spec, rules) if isinstance(spec, str) else spec for spec in (attacker, defender))
    if not any_size:
        check_sizes((one, other), rules)
    chosen = {**found, **(settings or {})}
    prepared = set_up(rules, question, one, other, chosen, given)
    contenders = [
        Contender(shown(spec, rules), spec.count, float(unit.cost or 0))
        for spec, unit in ((one, prepared.attacker), (other, prepared.defender))
    ]
    stand = standing(prepared)
    begun = time.perf_counter()
    joint = evaluate(prepared, until, method, trials, seed, seconds, watch)
    took = time.perf_counter() - begun
    thrown = throws_of(set_up(rules, question, one, other, chosen, given, trace=True)) if workings else ()
    said = [*notes.of_harmlessness(prepared, joint), *notes.of_gains(prepared, joint)]
    if workings:
        said += notes.of_what_is_given(
            given, lambda rest: set_up(rules, question, one, other, chosen, rest), until, joint
        )
    return answer(
        joint.joint, method=joint.method, why=joint.why, what=question.title, until=until, attacker=contenders[0],
        defender=contenders[1], trials=joint.trials, settings=prepared.settings,
        untold=[s.name for s in question.settings if s.untold and prepared.settings[s.name] == s.default],
        observed=joint.observed, setup=stand, workings=thrown,
        trials_per_second=joint.trials / took if joint.trials and took > 0 else None,
        notes=tuple(said),
    )  # fmt: skip


def check_sizes(specs: Iterable[UnitSpec], rules: Ruleset) -> None:
    """Raises UsageError for a unit of more models than its army list allows."""
    for spec in specs:
        most = most_models(spec, rules)
        if most is not None and spec.count > most:
            models = "1 model" if most == 1 else f"{most:,} models"
            sentence = f"{spec.name}: the army list allows {models} at most, not {spec.count:,}"
            raise UsageError(f"{sentence}; --any-size asks nevertheless")


def most_models(spec: UnitSpec, rules: Ruleset) -> int | None:
    """How many models the army list allows at most; None where it does not say."""
    element = rules.lists.get(spec.list)
    rows = element.data.get("units", ()) if element is not None else ()
    size = next((row.get("size") for row in rows if row.get("profile") == spec.profile), None)
    most = size.get("max") if isinstance(size, Mapping) else size
    return int(most) if most is not None else None


def shown(spec: UnitSpec, rules: Ruleset) -> str:
    """The name of a unit with what it takes besides."""
    if not spec.options:
        return spec.name
    element = rules.lists.get(spec.list)
    rows = element.data.get("units", ()) if element is not None else ()
    known = {str(o["id"]): str(o.get("name", o["id"])) for row in rows if row.get("profile") == spec.profile
             for o in row.get("options", ())}  # fmt: skip
    return f"{spec.name} with {', '.join(known.get(o, o) for o in spec.options)}"


# -- one thing varied ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sweep:
    """Answers to the same question as one thing varies: `attacker.count`, `defender.count` or a setting."""

    name: str
    values: tuple[Any, ...]
    answers: tuple[Answer, ...]

    def as_dict(self) -> dict[str, Any]:
        return {
            "sweep": self.name,
            "answers": [{"value": v, **a.as_dict()} for v, a in zip(self.values, self.answers, strict=True)],
        }

    def rows(self) -> list[dict[str, Any]]:
        """One row for each value: a table for pandas."""
        return [
            {
                self.name: value, **{f"p_{word}": p for word, p in one.outcome.items()},
                **{f"{side}_losses": m for side, m in one.means.items()},
                **{f"{side}_points_lost": m for side, m in one.points_lost.items()},
            }
            for value, one in zip(self.values, self.answers, strict=True)
        ]  # fmt: skip


def sweep(
    rules: Ruleset, attacker: str | UnitSpec, defender: str | UnitSpec, name: str, values: Iterable[Any],
    settings: Mapping[str, Any] | None = None, what: str | None = None, **more: Any,
) -> Sweep:  # fmt: skip
    """The same question for each value. name: `count` (of the attacker), `attacker.count`, `defender.count`, or a
    setting of the question; more: as for `ask`. Raises what `ask` raises.
    """
    from warhost_odds.questions import UnitSpec, asked, questions

    specs = {
        side: UnitSpec.parse(one, rules) if isinstance(one, str) else one
        for side, one in (("attacker", attacker), ("defender", defender))
    }
    varied = name.strip().lower()
    varied = f"attacker.{COUNT}" if varied == COUNT else varied
    side, dot, rest = varied.partition(".")
    question, _ = asked(what or next(iter(questions(rules))), rules)
    known = [s.name for s in question.settings]
    if not (dot and side in specs and rest == COUNT) and varied not in known:
        may = [COUNT, *(f"{s}.{COUNT}" for s in specs), *known]
        hint = did_you_mean(varied, may) or f"there is {', '.join(may)}"
        raise UsageError(f'"{name}" cannot be varied; {hint}')
    kept, answers = tuple(dict.fromkeys(values)), []
    if not kept:
        raise UsageError(f'"{name}" is given no values')
    for value in kept:
        chosen = dict(settings or {})
        if dot:
            specs[side] = specs[side].with_count(int(value))
        else:
            chosen[varied] = str(value)
        answers.append(ask(rules, specs["attacker"], specs["defender"], what=what, settings=chosen, **more))
    return Sweep(varied, kept, tuple(answers))
