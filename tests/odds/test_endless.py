"""Questions about rules without end: every way of answering stops with the reason, and with the rule's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost import odds
from warhost.errors import WarhostError
from warhost.limits import with_limits

#: What stands above a round that never ends, and in it.
ENDLESS = {
    "numbers that double": (
        ["number fib(n: number) = 0", "    +(fib(n - 1) + fib(n - 2) + 1) when n > 1"],
        ["if fib(60) > 3", "    attacker.stray_shots = 1"],
    ),
    "numbers that go deep": (
        ["number deep(n: number) = 0", "    +(deep(n - 1) + 1) when n > 1"],
        ["if deep(100000) > 3", "    attacker.stray_shots = 1"],
    ),
    "a procedure that calls itself": (
        ["procedure again(who: unit)", "    again(who)", "    again(who)"],
        ["again(attacker)"],
    ),
    "loops in loops": (
        [],
        ["repeat 100000 times", "    repeat 100000 times", "        attacker.orders = attacker.orders"],
    ),
    "dice in loops": ([], ["repeat 1000 times", "    repeat 1000 times", "        x = attacker rolls 10000d6 + 1"]),
}


@pytest.mark.parametrize("method", ["auto", "exact", "simulation"])
@pytest.mark.parametrize("what", sorted(ENDLESS))
def test_a_round_without_end_is_given_up(what: str, method: str, tmp_path: Path) -> None:
    above, inside = ENDLESS[what]
    lines = [*above, "replace procedure hold_or_break(attacker: unit, defender: unit)", *(f"    {x}" for x in inside)]
    file = tmp_path / "endless.rules"
    file.write_text('house rule "Endless" for small_fantasy\n' + "".join(f"    {line}\n" for line in lines))
    with with_limits(steps=200_000), pytest.raises(WarhostError) as caught:
        odds("small_fantasy", "orc_mob:10", "elf_warriors:10", house=[file], method=method, trials=100)
    out_of_reach = "more than" in str(caught.value)
    assert out_of_reach if "endless.rules:" not in str(caught.value) else "end" in str(caught.value)


def test_an_exact_answer_with_too_many_courses_is_given_up_before_memory_is(tmp_path: Path) -> None:
    file = tmp_path / "many.rules"
    file.write_text(
        'house rule "Many" for small_fantasy\n'
        "    replace procedure hold_or_break(attacker: unit, defender: unit)\n"
        "        repeat 40 times\n"
        "            x = attacker rolls d6 + 1\n"
        "            y = attacker rolls d20\n"
        "            defender.stray_shots = defender.stray_shots * 2 + x * y\n"
    )
    with pytest.raises(WarhostError, match="different courses"):
        odds("small_fantasy", "orc_mob:10", "elf_warriors:10", house=[file], method="exact")
