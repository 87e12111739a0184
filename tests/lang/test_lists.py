"""Lists that grow, shrink and begin empty; words one after the other; distances as numbers and back."""

from __future__ import annotations

import pytest

from lang.workbench import battle, check, program, run, said, unit
from warhost.errors import RuleFault
from warhost.lang.support import narrowed

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
words mood: calm, shaken, broken
profile of unit
    pace: distance = 6
state of unit
    foes: list of unit
    marched: distance = 0
procedure meet(unit, other: unit)
    unit.foes += other
    unit.foes += unit.foes
procedure part(unit, other: unit)
    unit.foes -= other
procedure part_from(unit, others: list of unit)
    unit.foes -= others
procedure forget(unit)
    unit.foes = empty_list()
procedure gather(unit): number
    found = empty_list()
    found += unit
    found += unit
    for each one in found
        one.marched += as_distance(as_number(one.pace) + 1)
    found -= unit
    result size_of(found)
procedure moods()
    for each mood
        say "{mood}"
    for each mood where it is not calm
        say "not {it}"
"""


@BOTH
def test_lists_grow_and_shrink(trace: bool) -> None:
    on = battle(program(RULES), [unit("u")], [unit("v"), unit("w")], trace=trace)
    u, v, w = (on.entity(one) for one in "uvw")
    run(on, "meet", "u", "v")
    assert u.foes == [v, v]
    run(on, "meet", "u", "w")
    assert u.foes == [v, v, w, v, v, w]
    run(on, "part", "u", "v")
    assert u.foes == [w, w]
    run(on, "part_from", "u", [w])
    assert u.foes == []
    run(on, "meet", "u", "w")
    run(on, "forget", "u")
    assert u.foes == []


@BOTH
def test_a_list_begins_empty_and_a_distance_is_a_number_and_back(trace: bool) -> None:
    on = battle(program(RULES), [unit("u")], [unit("v")], trace=trace)
    assert run(on, "gather", "u") == 0
    assert on.entity("u").marched == 14


@BOTH
def test_words_come_in_the_order_of_their_declaration(trace: bool) -> None:
    on = battle(program(RULES), [unit("u")], [unit("v")], trace=trace)
    run(on, "moods")
    assert said(on) == ["calm", "shaken", "broken", "not shaken", "not broken"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("unit.foes += 3", "what is put into"),
        ("unit.foes -= 3", "what is taken out of"),
        ("unit.marched = as_number(unit.pace)", '"marched" must be a distance'),
        ("unit.marched = as_distance(unit.pace)", "what"),
        ("x = as_number(unit.size)", "what"),
    ],
)
def test_what_does_not_fit_is_said(line: str, message: str) -> None:
    _, problems = check(RULES + f"procedure wrong(unit)\n    {line}\n")
    assert problems
    assert any(message in p.message for p in problems), problems


class Offered(list[int]):
    """Three numbers, and any other for whoever names it."""

    def free(self, answer: dict[str, int]) -> int:
        return answer["number"]


def test_an_answer_of_ones_own_passes_the_condition_of_the_choice() -> None:
    even = narrowed(Offered([1, 2, 3]), lambda n: n % 2 == 0)
    assert even == [2]
    assert even.free({"number": 8}) == 8  # type: ignore[attr-defined]
    with pytest.raises(RuleFault, match="7 is not among what may be chosen here"):
        even.free({"number": 7})  # type: ignore[attr-defined]
    assert not hasattr(narrowed([1, 2, 3], lambda n: n > 1), "free")
    assert not hasattr(narrowed(Offered([1, 3]), lambda n: n % 2 == 0), "free")
