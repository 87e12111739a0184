"""The type checker: what it refuses (with line and advice), what it lets pass, and what it knows of effects."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from lang.workbench import check, program
from warhost.errors import Problem
from warhost.vocabulary import Function, Parameter

HERE = Path(__file__).parent / "mistakes"
VOCABULARY = (HERE / "vocabulary.rules").read_text(encoding="utf-8")
ABOVE = VOCABULARY.count("\n")

TWO_UNITS = (Parameter("a", "unit"), Parameter("b", "unit"))
BOARD = (
    Function("distance", TWO_UNITS, "distance", lambda battle, a, b: 0, "how far apart they are"),
    Function("sees", TWO_UNITS, "yes_no", lambda battle, a, b: True, "whether one sees the other"),
    Function(
        "push", (Parameter("unit", "unit"),), "any", lambda battle, unit: None, "push it", frozenset({"moves"})
    ),
)


@dataclass(frozen=True)
class Mistake:
    """A text, and by line what the checker says and advises."""

    text: str
    found: tuple[tuple[int, str, str], ...]

    def __str__(self) -> str:
        return re.sub(r"\W+", " ", self.text)[:60]


def mistakes() -> list[Mistake]:
    parts = (HERE / "mistakes.txt").read_text(encoding="utf-8").split("\n---\n")[1:]
    return [_mistake(p.strip("\n")) for p in parts]


def _mistake(part: str) -> Mistake:
    lines: list[str] = []
    said: list[tuple[int, str]] = []
    advised: list[str] = []
    for line in part.split("\n"):
        mark, _, rest = line.strip().partition(" ")
        if mark == "#!":
            said.append((len(lines), rest))
        elif mark == "#>":
            advised.append(rest)
        else:
            lines.append(line)
    found = tuple((n, s, a) for (n, s), a in zip(said, advised, strict=True))
    return Mistake("\n".join(lines) + "\n", found)


def problems_of(rules: str) -> list[Problem]:
    """The problems of some rules under the vocabulary; lines count from the rules' own first line."""
    _, found = check(VOCABULARY + rules, BOARD)
    return found


def seen(rules: str) -> list[tuple[int, str, str | None]]:
    return [(p.line - ABOVE, p.message, p.hint) for p in problems_of(rules)]


# -- mistakes --------------------------------------------------------------------------------------


def test_the_vocabulary_itself_is_right() -> None:
    assert problems_of("") == []


def test_there_are_plenty_of_mistakes() -> None:
    assert len(mistakes()) >= 80
    assert all(m.found for m in mistakes())


@pytest.mark.parametrize("mistake", mistakes(), ids=str)
def test_a_mistake_is_found_with_line_and_advice(mistake: Mistake) -> None:
    assert seen(mistake.text) == list(mistake.found)


def test_all_mistakes_of_a_file_are_reported_at_once() -> None:
    chosen = [m for m in mistakes() if m.text.startswith("procedure p(")]
    text, expected = "", []
    for i, m in enumerate(chosen):
        above = text.count("\n")
        expected += [(above + n, message, advice) for n, message, advice in m.found]
        text += m.text.replace("procedure p(", f"procedure p{i}_(", 1)
    assert len(expected) > 40
    assert seen(text) == expected


# -- in every branch -------------------------------------------------------------------------------

BAD = "unit.hrut"
PLACES = {
    "if": f"if {BAD} > 1: stop",
    "then": f"if unit.brave: unit.hurt = {BAD}",
    "else if": f"if unit.brave: stop\nelse if {BAD} > 1: stop",
    "else": f"if unit.brave\n    stop\nelse\n    unit.hurt = {BAD}",
    "after stop": f"if unit.brave\n    stop\n    unit.hurt = {BAD}",
    "for each": f"for each wizard\n    it.hurt = {BAD}",
    "where": f"x = number of units where it.hurt > {BAD}",
    "order of a loop": f"for each wizard, in order of {BAD}\n    it.hurt = 1",
    "repeat": f"repeat {BAD} times: unit.hurt = 1",
    "until": f"repeat 3 times until {BAD} > 1\n    unit.hurt += 1",
    "case": f"according to unit.mood\n    calm: stop\n    angry: unit.hurt = {BAD}",
    "condition of a case": f"according to unit.mood\n    calm when {BAD} > 1: stop",
    "otherwise": f"according to unit.mood\n    calm: stop\n    otherwise: unit.hurt = {BAD}",
    "subject": f"according to {BAD}\n    1: stop",
    "option": f"choose by unit\n    go: unit.hurt = {BAD}\n    wait: stop",
    "condition of an option": f"choose by unit\n    go when {BAD} > 1: stop\n    wait: stop",
    "rating of an option": f"choose by unit\n    go rated {BAD}: stop\n    wait: stop",
    "rating": f"choose x from enemies by unit rated {BAD}",
    "usual answer": f"choose n from 1 to 4 by unit usually {BAD}",
    "end of a span": f"choose n from 1 to {BAD} by unit",
    "outcome": f"emit hit(unit, 1)\n    unit.hurt = {BAD}",
    "argument of an event": f"emit hit(unit, {BAD})",
    "together": f"together\n    unit.hurt += {BAD}",
    "later": f"at end of turn: unit.hurt = {BAD}",
    "result": f"result {BAD}",
    "text": f'say "so {{{BAD}}} it is"',
    "thrown": f"x = unit rolls d6 + {BAD}",
    "dice": f"x = unit rolls d({BAD})",
    "argument of a roll": f"x = roll strike(unit, {BAD})",
    "how many": f"x = how many of {BAD} pass strike(unit, unit)",
    "modifier": f"need(attacker: unit) +{BAD} until end of turn",
    "condition of a modifier": f"need +1 for 2 turns when {BAD} > 1",
    "duration": f"need +1 while {BAD} > 1",
    "argument of a gift": f'give Brave({BAD}) to unit',
    "list": f"x = joined(unit.friends, {BAD})",
    "phrase": f"smite unit with {BAD}",
    "share": f"x = floor(10% of {BAD})",
    "among": f"if unit among {BAD}: stop",
    "both": f"if unit.brave and {BAD} > 1: stop",
    "neither": f"if not (unit.brave or {BAD} > 1): stop",
}

TOP = {
    "base": f"number x(unit) = {BAD}",
    "line": f"number x(unit) = 1\n    +{BAD}",
    "condition of a line": f"number x(unit) = 1\n    +1 if {BAD} > 1",
    "limit of a term": f"number x(unit) = 1\n    +unit.hurt up to {BAD}",
    "floor": f"number x(unit) = 1\n    at least {BAD}",
    "yes": f"flag x(unit) = no\n    yes if {BAD} > 1",
    "value": f"value x(unit): unit = unit\n    set to unit.quarry if {BAD} > 1",
    "need": f"roll x(unit) by unit: d6 >= {BAD}",
    "die": f"roll x(unit) by unit: d({BAD}) >= 3",
    "pool": f"roll x(unit) by unit: pool {BAD} of d6 >= 3",
    "score": f"roll x(unit) by unit: pool 2 of d6 each die scores {BAD}",
    "natural": f"roll x(unit) by unit: pool 2 of d6 >= 3\n    natural 6 counts {BAD}",
    "alternative": f"roll x(unit) by unit: d6 >= 3\n    when {BAD} > 1: never",
    "other alternative": f"roll x(unit) by unit: d6 >= 3\n    when need > 6: d6 >= {BAD}",
    "opponent": f"roll x(unit) by unit: d6 against d6 + {BAD}",
    "outcome": f"roll x(unit) by unit: d6\n    above {BAD}: calm\n    otherwise: angry",
    "table": "table x by n\n    1: 2\n    2 to 3: 3\n    otherwise: hurt",
    "constraint": "constraint x(army)\n    require army.pionts > 1\n    otherwise \"no\"",
    "message": "constraint x(army)\n    require army.points > 1\n    otherwise \"{army.pionts}\"",
    "handler": f"after hit(unit, n)\n    unit.hurt = {BAD}",
    "condition of a handler": f"after hit(unit, n) when {BAD} > 1\n    unit.hurt = 1",
    "reaction": f"reaction Duck to hit(unit, n) by unit\n    unit.hurt = {BAD}",
    "condition of a reaction": f"reaction Duck to hit(unit, n) by unit\n    when {BAD} > 1\n    unit.hurt = 1",
    "trait": "trait Quick\n    need +bearer.hrut when attacker is bearer",
    "while": "trait Quick\n    while bearer.hrut > 1\n        need +1 when attacker is bearer",
    "local procedure": "trait Quick\n    procedure rush(n)\n        bearer.hurt = bearer.hrut",
    "kept": "trait Quick\n    keeps n: number = bearer.hrut",
    "moment": "trait Quick\n    at end of turn\n        bearer.hurt = bearer.hrut",
    "re-roll": "trait Quick\n    may reroll strike faces 1 to bearer.hrut",
    "narrow": "trait Quick\n    narrow prey(unit) to units where it.hrut > 1",
    "phase": "turn\n    phase one, each unit\n        unit.hurt = unit.hrut",
    "order of a phase": "turn\n    phase one, each unit in order of it.hrut: rest\nprocedure rest(unit)\n    stop",
    "start of a field": "state of unit\n    z: number = it.hrut",
    "noun": "noun knight is a unit where it.hrut > 1",
    "choice": "choice x(unit) by unit: units where it.hrut > 1",
    "sentence of an event": f'event x(unit)\n    says "{{{BAD}}}"',
}


@pytest.mark.parametrize("place", PLACES)
def test_a_mistake_is_found_wherever_it_stands_in_a_procedure(place: str) -> None:
    body = "".join(f"    {line}\n" for line in PLACES[place].split("\n"))
    found = problems_of(f"procedure p(unit)\n{body}")
    line = next(i for i, text in enumerate(body.split("\n")) if "hrut" in text) + 2
    assert [(p.line - ABOVE, p.hint) for p in found if "hrut" in p.message] == [(line, 'did you mean "hurt"?')]


@pytest.mark.parametrize("place", TOP)
def test_a_mistake_is_found_in_every_block(place: str) -> None:
    found = [p for p in problems_of(TOP[place] + "\n") if p.code in ("unknown-field", "unknown-name")]
    bad = ("hrut", "pionts", ": hurt")
    line = next(i for i, text in enumerate(TOP[place].split("\n")) if any(b in text for b in bad))
    assert [p.line - ABOVE for p in found] == [line + 1]
    assert found[0].hint


# -- purity ----------------------------------------------------------------------------------------

STEPS = {
    "throws": "(unit rolls d6)",
    "makes a roll": "(roll luck(unit))",
    "counts throws": "(how many of 2 pass strike(unit, unit))",
    "calls a procedure": "size_of(list_of_friends(unit))",
    "moves": "push(unit)",
    "destroys": "destroy(unit)",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize(
    "rule",
    [
        "number x(unit) = {}",
        "number x(unit) = 1\n    +{} if unit.brave",
        "number x(unit) = 1\n    +1 if {} > 1",
        "flag x(unit) = {} > 1",
        "flag x(unit) = no\n    yes if {} > 1",
        "value x(unit): number = {}",
        "choice x(unit) by unit: units where it.hurt > {}",
        "roll x(unit) by unit: d6 >= {}",
        "table x by unit\n    otherwise: {}",
        "noun knight is a unit where {} > 1",
        "trait Quick\n    need +{} when attacker is bearer",
        "after hit(unit, n) when {} > 1\n    stop",
        "state of unit\n    z: number = {}",
        "event x(unit)\n    says \"{{{}}}\"",
        "procedure p(unit)\n    choose x from enemies by unit rated {}",
        "procedure p(unit)\n    choose x from 1 to 3 by unit usually {}",
        "procedure p(unit)\n    need +1 while {} > 1",
    ],
)  # fmt: skip
def test_what_only_looks_cannot_act(rule: str, step: str) -> None:
    text = rule.replace("{}", STEPS[step]).replace("{{", "{").replace("}}", "}")
    if "it.hurt" in text or "noun knight" in text or "z: number" in text:
        text = text.replace("(unit rolls", "(it rolls").replace("luck(unit)", "luck(it)")
        text = text.replace("(unit, unit)", "(it, it)").replace("push(unit)", "push(it)")
        text = text.replace("destroy(unit)", "destroy(it)").replace("friends(unit)", "friends(it)")
    if text.startswith("trait"):
        text = text.replace("(unit rolls", "(bearer rolls").replace("unit)", "bearer)").replace("(unit,", "(bearer,")
    helper = "procedure list_of_friends(unit): list of unit\n    result unit.friends\n"
    found = problems_of(helper + text + "\n")
    assert "not-pure" in {p.code for p in found}
    assert {p.code for p in found} <= {"not-pure", "wrong-type"}


# -- what passes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        "if unit.quarry is none: stop\nunit.quarry.hurt += 1",
        "if unit.quarry is not none: unit.quarry.hurt += 1",
        "if unit.quarry is none\n    stop\nelse\n    unit.quarry.hurt += 1",
        "if unit.quarry is not none and unit.quarry.hurt > 1: stop",
        "if unit.quarry is none or unit.quarry.hurt > 1: stop",
        "if not (unit.quarry is none) and unit.quarry.brave: stop",
        "x = unit.quarry\nif x is none: stop\nx.hurt += 1",
        "unit.quarry = unit\nunit.quarry.hurt += 1",
        "stop unless unit.quarry is not none\nunit.quarry.hurt += 1",
        "x = first(unit.friends)\nif x is not none: x.hurt += 1",
        "choose x from enemies by unit\nif x is none: stop\nwound(x, 1)",
        "x = unit.quarry\nif x is none: x = unit\nx.hurt += 1",
        "x = unit\nif unit.brave\n    x = unit.quarry\n    if x is none: stop\nx.hurt += 1",
        "x = unit\nrepeat 2 times\n    x.hurt += 1\n    if x.quarry is not none: x = x.quarry",
        "if unit.quarry is angry_one: unit.quarry.hurt += 1",
    ],
)
def test_what_is_known_to_be_there_can_be_used(body: str) -> None:
    text = "flag angry_one(unit) = unit.mood is angry\nprocedure p(unit)\n"
    assert problems_of(text + "".join(f"    {line}\n" for line in body.split("\n"))) == []


@pytest.mark.parametrize(
    "body",
    [
        "if unit.quarry is none: unit.hurt = 1\nunit.quarry.hurt += 1",
        "if unit.quarry is not none: unit.hurt = 1\nelse: unit.quarry.hurt += 1",
        "if unit.quarry is not none or unit.quarry.hurt > 1: stop",
        "if unit.quarry is none: stop\nunit.quarry = none\nunit.quarry.hurt += 1",
        "if unit.quarry is none: stop\nunit.quarry = unit.quarry.quarry\nunit.quarry.hurt += 1",
        "x = unit.quarry\nif x is none: stop\nx = unit.quarry\nx.hurt += 1",
        "x = unit\nif unit.brave: x = unit.quarry\nx.hurt += 1",
        "x = unit\nrepeat 2 times\n    x.hurt += 1\n    x = unit.quarry",
        "x = unit\nrepeat 2 times: x = unit.quarry\nx.hurt += 1",
        "x = unit\nfor each wizard\n    x.hurt += 1\n    if wizard.brave: x = none",
        "x = unit\nemit hit(unit, 1)\n    x = unit.quarry\nx.hurt += 1",
        "if unit.quarry is none: stop\nrepeat 2 times\n    unit.quarry.hurt += 1\n    unit.quarry = none",
        "repeat 2 times\n    if unit.quarry is none: stop\n    unit.quarry = none\n    unit.quarry.hurt += 1",
    ],
)  # fmt: skip
def test_what_may_be_none_cannot_be_used(body: str) -> None:
    found = problems_of("procedure p(unit)\n" + "".join(f"    {line}\n" for line in body.split("\n")))
    assert [p.code for p in found] == ["may-be-none"]


@pytest.mark.parametrize(
    "body",
    [
        "unit.walked += 3",
        "unit.walked = unit.reach * 2 + 1",
        "unit.walked = unit.reach / 2",
        "unit.hurt = floor(unit.walked / unit.reach)",
        "unit.walked = floor(unit.reach / 2)",
        "if unit.walked > 6 and distance(unit, unit) <= 3: stop",
        "unit.walked = lower_of(unit.reach, 4)",
        "unit.walked = 0 - unit.reach",
        "x = nearest enemy to unit\nif x is not none: unit.walked = distance(unit, x)",
    ],
)
def test_distances_with_literals_and_shares(body: str) -> None:
    assert problems_of("procedure p(unit)\n" + "".join(f"    {line}\n" for line in body.split("\n"))) == []


@pytest.mark.parametrize(
    "body",
    ["unit.hurt = floor(unit.skill / 2)", "unit.hurt = ceiling(10% of unit.skill)", "unit.hurt = round(7 / 2)",
     "if unit.skill / 2 >= 3: stop", "x = unit.skill / 2\nunit.hurt = ceiling(x * 3)"],
)  # fmt: skip
def test_fractions_are_computed_with_and_rounded(body: str) -> None:
    assert problems_of("procedure p(unit)\n" + "".join(f"    {line}\n" for line in body.split("\n"))) == []


@pytest.mark.parametrize(
    "lines",
    [["= unit.skill / 2", "rounded down"], ["= unit.skill", "set to unit.skill / 2 when unit.brave", "rounded up"],
     ["= unit.skill", "x1/2", "rounded to nearest", "at least 1"],
     ["= unit.skill / 2", "x1/3", "rounded up each time"]],
)  # fmt: skip
@pytest.mark.parametrize("elsewhere", ["half +1", "half set to unit.skill / 3"])
def test_a_number_that_rounds_is_whole(lines: list[str], elsewhere: str) -> None:
    number = "\n    ".join([f"number half(unit) {lines[0]}", *lines[1:]])
    trait = f"trait Half\n    {elsewhere} when unit is bearer\n"
    assert problems_of(f"{number}\n{trait}procedure p(unit)\n    unit.hurt = half(unit)\n") == []


def test_a_number_that_is_a_distance_gives_distances() -> None:
    stride = "number stride(unit) = unit.reach\n    +1 if unit.brave\n"
    assert problems_of(stride + "flag far(unit) = stride(unit) > 6\n") == []
    found = problems_of("number stride(unit) = unit.reach\nprocedure p(unit)\n    unit.hurt = stride(unit)\n")
    assert [(p.line - ABOVE, p.code) for p in found] == [(3, "wrong-type")]


# -- effects ---------------------------------------------------------------------------------------


def test_the_lines_of_a_number_that_is_changed_before_it_is_declared_are_there_once() -> None:
    rules = """
rule "Rain"
    reach_of -1 when unit.size >= 2 because "rain"

number reach_of(unit) = 8
    +2 when unit.size >= 4
    at least 1
"""
    lines = [t.pos.line for t in program(rules).templates.values() if t.number == "reach_of"]
    assert sorted(lines) == [3, 6, 7]
