"""Parts that an instance of a kind gives its bearer: `part heads: 1 to 12 lost first`."""

from __future__ import annotations

import pytest

from lang.workbench import Battle, battle, check, program, run, unit
from warhost.errors import RuleFault

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
noun head, plural heads
noun trunk, plural trunks
profile of head
    bite: number = 2
profile of trunk
    bulk: number = 5
profile of unit
    skill: number = 3
    heads: list of head
    trunks: list of trunk
trait Hydra
    part trunks: 1
    part heads: 2 to 4 lost first
trait Many(n)
    part heads: n + 1
number bites(unit) = total bite of unit.heads
procedure lose(unit, n)
    repeat n times
        part = first(parts_to_lose(unit))
        if part is not none: drop_part(part)
procedure grow(unit)
    give "Many"(1) to unit until end of turn
procedure ask(unit): number
    worst = first(unit.heads)
    result 0 if worst is none
    result worst.skill + worst.bite
"""
RULES = RULES.replace("    result 0 if worst is none\n", "    if worst is none: result 0\n")


def play(size: int, *bears: tuple[object, ...], trace: bool) -> Battle:
    return battle(program(RULES), [unit("u", *bears, size=size)], [unit("v")], trace=trace)


@BOTH
@pytest.mark.parametrize(("size", "heads"), [(1, 2), (3, 3), (9, 4)])
def test_as_many_as_the_unit_has_models_within_the_limits(size: int, heads: int, trace: bool) -> None:
    u = play(size, ("trait", "Hydra"), trace=trace).entity("u")
    assert (len(u.heads), len(u.trunks)) == (heads, 1)
    assert [p.id for p in u.heads] == [f"u.heads.{i + 1}" for i in range(heads)]
    assert u.heads[0].bite == 2


@BOTH
def test_parts_that_are_lost_first(trace: bool) -> None:
    on = play(3, ("trait", "Hydra"), trace=trace)
    run(on, "lose", "u", 2)
    u = on.entity("u")
    assert ([p.id for p in u.heads], len(u.trunks), run(on, "ask", "u")) == (["u.heads.1"], 1, 5)
    run(on, "lose", "u", 2)
    assert (u.heads, u.trunks, run(on, "ask", "u")) == ([], [], 0)


@BOTH
def test_parts_go_with_what_gave_them(trace: bool) -> None:
    on = play(2, ("trait", "Hydra"), trace=trace)
    run(on, "grow", "u")
    assert len(on.entity("u").heads) == 4
    on.in_force.moment("end", "turn")
    assert [p.id for p in on.entity("u").heads] == ["u.heads.1", "u.heads.2"]


def test_too_many() -> None:
    with pytest.raises(RuleFault, match="more than 200 parts"):
        play(2, ("trait", "Many", 1000), trace=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("trait X\n    part haeds: 1\n", 'declares a list of parts called "haeds"'),
        ("trait X\n    part heads: yes\n", "how many parts"),
        ("trait X\n    while bearer.skill > 1\n        part heads: 1\n", "as long as it is borne"),
        ("rule X\n    part heads: 1\n", "as long as it is borne"),
        ("noun leg, plural legs\nprofile of leg\n    reach: number\nprofile of unit\n    legs: list of leg\n"
         "trait X\n    part legs: 4\n", "a leg needs reach"),
    ],
)  # fmt: skip
def test_mistakes(text: str, message: str) -> None:
    _, problems = check(RULES + text)
    assert message in " ".join(p.message for p in problems)
