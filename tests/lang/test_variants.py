"""Blocks of one title, told apart by words in parentheses: `weapon Spear(infantry)` and `weapon Spear(mounted)`."""

from __future__ import annotations

import pytest

from lang.workbench import Battle, battle, check, compute, program, run, unit
from warhost.errors import RuleFault

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
profile of unit
    skill: number = 3
    wields: weapon or none = none
number fighting(unit) = unit.skill
number spears(unit) = 0
    +1 when unit has Spear
    +10 when unit has "Spear(mounted)"
weapon Spear(infantry)
    hands: 1
    keeps used: number = 0
    fighting +1 when unit is bearer because "spear"
    procedure use()
        this.used += 1
    after thrust(unit) when unit is bearer
        use()
weapon Spear(mounted)
    hands: 1, two_handed
    keeps used: number = 0
    fighting +2 when unit is bearer because "lance"
    procedure use()
        this.used += 2
    after thrust(unit) when unit is bearer
        use()
weapon Club
    hands: 2
event thrust(unit)
procedure thrust_it(unit)
    emit thrust(unit)
procedure mount(unit)
    take Spear from unit
    give Spear(mounted) to unit until end of turn
procedure weapons(): text
    result "{number of weapons}: {number of weapons where it is Spear}, {number of weapons where (it.hands == 1)}"
"""


def play(*bears: tuple[object, ...], trace: bool = False) -> Battle:
    return battle(program(RULES), [unit("u", *bears)], [unit("v")], trace=trace)


@BOTH
def test_the_data_says_which(trace: bool) -> None:
    on = play(("weapon", "Spear", "infantry"), trace=trace)
    assert [compute(on, n, "u") for n in ("fighting", "spears")] == [4, 1]
    run(on, "thrust_it", "u")
    spear = on.entity("u").effects[0]
    assert (spear.name, spear.used) == ("Spear(infantry)", 1)


@BOTH
def test_rules_give_one_and_take_any(trace: bool) -> None:
    on = play(("weapon", "Spear", "infantry"), trace=trace)
    run(on, "mount", "u")
    assert [compute(on, n, "u") for n in ("fighting", "spears")] == [5, 11]
    run(on, "thrust_it", "u")
    assert [e.used for e in on.entity("u").effects] == [2]
    on.in_force.moment("end", "turn")
    assert [compute(on, n, "u") for n in ("fighting", "spears")] == [3, 0]


@BOTH
def test_each_is_a_definition_of_its_own(trace: bool) -> None:
    assert run(play(trace=trace), "weapons") == "3: 2, 2"


def test_one_must_say_which() -> None:
    for args in ((), ("flying",)):
        with pytest.raises(RuleFault, match=r"say which Spear: Spear\(infantry\) or Spear\(mounted\)"):
            play(("weapon", "Spear", *args))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("procedure x(unit)\n    give Spear to unit\n", "say which Spear"),
        ("procedure x(unit)\n    give Spear(flying) to unit\n", "say which Spear"),
        ("item Bag\n    as weapon Spear\n", "say which Spear"),
        ("weapon Spear(mounted)\n", 'already a weapon called "Spear(mounted)"'),
        ("weapon Spear\n", 'already a weapon called "Spear"'),
        ("trait A(n)\n    fighting +n when unit is bearer\ntrait A(m)\n    fighting -m when unit is bearer\n",
         'already a trait called "A"'),
    ],
)  # fmt: skip
def test_mistakes(text: str, message: str) -> None:
    _, problems = check(RULES + text)
    assert message in " ".join(p.message for p in problems)
