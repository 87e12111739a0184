"""The ready armies of a ruleset, each held against its list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from warhost.armies.legality import Violation, check, with_distinct_ids
from warhost.armies.roster import Army
from warhost.errors import ContentError, Problem, WarhostError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warhost.packs import Ruleset
    from warhost.packs.data import Element


def ready_armies(rules: Ruleset, armies: Iterable[Element] | None = None) -> list[Problem]:
    """What is illegal about the ready armies of a ruleset, or some of them, each at the place in its file."""
    problems: list[Problem] = []
    for element in rules.armies.values() if armies is None else armies:
        try:
            army = Army.ready(element.id, rules)
            violations = check(army, rules)
        except ContentError as error:
            problems.extend(error.problems)
            continue
        except WarhostError as error:
            pos = element.data.pos("id")
            problems.append(Problem(pos.file, pos.line, pos.column, "army-failed", f"{element.id}: {error}"))
            continue
        problems.extend(_as_problem(v, army, element.data) for v in violations)
    return _with_way_out(problems, rules)


def ready_armies_under_house_rules(rules: Ruleset) -> list[Problem]:
    """What is illegal about the ready armies, as warnings: the rules can be played, an army may wait or stay at home.

    Of those that the house rules do not bring, but make illegal, the first is told, with the others by their ids.
    """
    below = {one.data.here.file: one.id for one in rules.armies.values() if one.layer.kind != "house"}
    found = [
        replace(p, code="illegal-so-far") if p.code == "illegal-army" or p.file in below else p
        for p in ready_armies(rules)
    ]
    first = next((p for p in found if p.file in below and p.code == "illegal-so-far"), None)
    if first is None:
        return found
    ids = list(dict.fromkeys(below[p.file] for p in found if p.file in below and p.code == "illegal-so-far"))
    listed = f"{', '.join(ids[:MOST_NAMED])}{f' and {len(ids) - MOST_NAMED} more' if ids[MOST_NAMED:] else ''}"
    beside = f" ({len(ids)} are: {listed})" if ids[1:] else ""
    told = replace(first, message=f"with these house rules {first.message}{beside}")
    return [told, *(p for p in found if p.file not in below or p.code != "illegal-so-far")]


#: So many armies are named that house rules make illegal.
MOST_NAMED = 8


def _with_way_out(problems: list[Problem], rules: Ruleset) -> list[Problem]:
    """With the line that leaves out what an edition has taken over and made illegal, all of it at once."""
    inherited = {
        element.data.here.file: element.id
        for element in rules.armies.values()
        if element.layer.folder != rules.folder and element.layer.kind != "house"
    }
    wrong = list(dict.fromkeys(inherited[p.file] for p in problems if p.file in inherited))
    line = f"superseded: {{armies: [{', '.join(wrong)}]}}"
    way_out = f"leave out what this edition makes illegal, in ruleset.yaml: {line}"
    last = max((i for i, p in enumerate(problems) if p.file in inherited), default=None)
    return [
        replace(p, hint=f"{p.hint} Or {way_out}" if p.hint else way_out) if i == last else p
        for i, p in enumerate(problems)
    ]


def _as_problem(violation: Violation, army: Army, data: Any) -> Problem:
    index = next((i for i, u in enumerate(with_distinct_ids(army).units) if u.id == violation.unit), None)
    pos = data["units"].pos(index) if index is not None else data.pos("id")
    message = f'the ready army "{army.id}" is illegal: {violation.message}'
    return Problem(pos.file, pos.line, pos.column, "illegal-army", message, violation.remedy or None)

