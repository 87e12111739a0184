"""A house rule to begin with: it changes a number of the ruleset in the first turn, and an example shows it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

from warhost.errors import Problem, UsageError, WarhostError, did_you_mean
from warhost.lang.tree import NOWHERE
from warhost.packs.contents import Example
from warhost_new.layered import Ground, problems_of
from warhost_new.names import GivenName, quoted
from warhost_new.starts import Start, typed

_TRIES = 4
"""Numbers that are tried when the ruleset's limits swallow the change of one."""


def house_rules(ground: Ground, name: GivenName, number: str | None) -> Start:
    """A house rule and its examples. number: what it changes; None: what the ruleset itself changes most often."""
    problems: list[Problem] = []
    for changed, values in islice(_changeable(ground, number), _TRIES):
        start = _start(ground, name, changed, values)
        problems = problems_of(ground, start, name)
        if not problems:
            return start
    if number is not None and not problems:
        raise UsageError(f'{number} cannot be asked of two units that have just been set up; choose another --number')
    said = "; ".join(p.message for p in problems[:3])
    raise UsageError(f"no house rule could be made for {ground.rules.id}: {said or 'it has no number of units'}")


def numbers(ground: Ground) -> list[str]:
    """The numbers that can be asked of one unit or two, the most often changed first, prices last."""
    program = ground.rules.program
    price = (ground.rules.manifest.get("price") or {}).get("number", "points")
    changes: dict[str, int] = {}
    for template in program.templates.values():
        changes[template.number] = changes.get(template.number, 0) + 1
    fitting = [
        n.name for n in program.numbers.values()
        if n.sort == "number" and n.type.kind in ("number", "distance") and 1 <= len(n.params) <= 2
        and all(p.type.kind == "noun" and _is_unit(program, p.type.name) for p in n.params)
    ]  # fmt: skip
    return sorted(fitting, key=lambda n: (n in ("points", price), -changes.get(n, 0)))


def _is_unit(program: Any, noun: str) -> bool:
    while noun != "unit" and noun in program.nouns:
        noun = program.nouns[noun].is_a or ""
    return noun == "unit"


def _changeable(ground: Ground, number: str | None) -> Iterator[tuple[Any, tuple[Any, Any]]]:
    """Numbers with their values in the first and in the second turn for two units that have just been set up."""
    known = numbers(ground)
    if number is not None and number not in known:
        hint = did_you_mean(number, known) or f"there are: {', '.join(known[:12])}"
        raise UsageError(f'{ground.rules.id} has no number "{number}" of one unit or two; {hint}')
    for one in [number] if number is not None else known:
        found = ground.rules.program.numbers[one]
        values = tuple(_value(ground, found, turn) for turn in (1, 2))
        if all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in values):
            yield found, (values[0], values[1])


def _value(ground: Ground, number: Any, turn: int) -> Any:
    from warhost_proof.examples import run_example
    from warhost_proof.situation_code import snippet

    rules = ground.rules
    data: Any = {"given": {"turn": turn, "sides": _sides(ground)}}
    example = Example("a look", (), data, rules.layers[-1], NOWHERE)
    try:
        _, battle = run_example(rules, example, {}, trace=False)
        if battle is None:
            return None
        call = f"{number.name}({', '.join(_ids(number))})"
        return snippet(call, battle.program, {**battle.by_id}, "a look")(battle)
    except (WarhostError, ArithmeticError):
        return None


def _ids(number: Any) -> tuple[str, ...]:
    return ("one", "other")[: len(number.params)]


def _sides(ground: Ground) -> list[dict[str, Any]]:
    """Two units of the armies that the ruleset shows itself with."""
    rules = ground.rules
    demo = [str(one) for one in (rules.manifest.get("demo") or {}).get("armies") or rules.armies][:2]
    units = [rules.armies[one].data["units"][0] for one in demo if one in rules.armies]
    if not units:
        units = [{"profile": id_, "size": 5} for id_ in list(rules.profiles)[:1]]
    pairs = zip(("one", "other"), (units[0], units[-1]), strict=True)
    return [
        {"name": id_.capitalize(), "units": [{"id": id_, "profile": str(u["profile"]), "size": int(u.get("size", 1))}]}
        for id_, u in pairs
    ]


def _start(ground: Ground, name: GivenName, number: Any, values: tuple[Any, Any]) -> Start:
    folder = ground.folder / "house" / name.id if ground.inside else ground.place(name)
    files = {f"{name.id}.rules": _rules_text(ground, name, number), f"examples/{name.id}.yaml": _example_text(
        ground, name, number, values
    )}  # fmt: skip
    house = "".join(f" --house {typed(one)}" for one in ground.house)
    on = f"{typed(ground.ruleset)}{house}" + ("" if ground.joins else f" --house {typed(folder)}")
    following = [
        (f"warhost explain {on} {number.name}", "what the number is made of, this rule among it"),
        (f"warhost check {on}", "after each change"),
        (f"warhost test {on} -k {name.id}.yaml", "its examples"),
        (f"warhost demo {on}", "a battle with it"),
    ]
    if ground.inside:
        following.append((f"warhost check {typed(ground.ruleset)} --house {name.id}",
                          "by its id: what lies in house/ is on offer"))  # fmt: skip
    return Start(folder, files, tuple(following))


def _rules_text(ground: Ground, name: GivenName, number: Any) -> str:
    rules = ground.rules
    params = [p.name for p in number.params]
    fields = [f for f, info in rules.program.nouns["unit"].fields.items() if info.type.kind in ("number", "yes_no")]
    asked = f"{number.name}({', '.join(params)})"
    return f"""\
# A house rule adds to a ruleset, amends, replaces or takes away; the ruleset's own files stay as they are.
# All of it: docs/house-rules.md. What {number.name} is made of: warhost explain {ground.ruleset} {number.name}
house rule {quoted(name.title)} for {rules.id}
    # A line changes {asked}: +1, -1, x2, `set to 3`, `at most 5`. Behind `when` may stand
    # {' and '.join(params)}, and of each a figure, a state, or what it has:
    #   {params[0]}.{f', {params[0]}.'.join(fields[:8])}
    rule {quoted(name.title)}
        reads "In the first turn one more."
        {number.name} +1 when battle.turn == 1 because {quoted(name.title.lower())}

    # Other things that can stand here (docs/house-rules.md has an example of each):
    #   remove rule "NAME"            a rule of the ruleset that is not to hold
    #   replace number NAME(..) = ..  another formula
    #   amend trait NAME              one more line in a trait
    #   trait, phase, on EVENT, ..    something new
"""


def _example_text(ground: Ground, name: GivenName, number: Any, values: tuple[Any, Any]) -> str:
    from warhost_new.layered import flow

    call = f"{number.name}({', '.join(_ids(number))})"
    first, second = values[0] + 1, values[1]
    lines = [
        "# What the house rule does, and what it leaves alone: these fail when its line is taken out, or goes too far.",
        f"- title: {quoted(f'{name.title}: one more in the first turn')}",
        "  given:",
        "    turn: 1",
        "    sides: &sides",
        *(f"      - {flow(side)}" for side in _sides(ground)),
        f"  when: {call}",
        f"  then: {{result: {flow(first)}}}",
        f"- title: {quoted(f'{name.title}: later as ever')}",
        "  given: {turn: 2, sides: *sides}",
        f"  when: {call}",
        f"  then: {{result: {flow(second)}}}",
    ]
    return "\n".join(lines) + "\n"
