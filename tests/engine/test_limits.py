"""No rule goes on without end: whatever house rules ask for, there is an answer that names the place, and soon."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.skirmishes import army, skirmish
from warhost.errors import ContentError, RuleFault, UsageError
from warhost.limits import VARIABLE, limit, with_limits
from warhost.packs import Ruleset, load

#: Ten lists, each gone through for every item of the one around it.
NESTED = "any units where (it.size > 0 and " * 9 + "any units where (it.size > 100000)" + ")" * 9

#: House rules that never come to an end, by what they make much of, and what the answer says.
ENDLESS = {
    "a number that calls itself twice": ("too many steps", """\
number fib(n: number) = 0
    +(fib(n - 1) + fib(n - 2) + 1) when n > 1
phase bad "Bad" after opening
    say "{fib(60)}"
"""),
    "a flag that calls itself twice": ("too many steps", """\
flag odd(n: number, m: number) = no
    yes when n > 1 and (odd(n - 1, m + 1) or odd(n - 2, m + 2))
phase bad "Bad" after opening
    if odd(60, 1)
        say "x"
"""),
    "a number that calls itself": ("without end", """\
number deep(n: number) = 0
    +(deep(n - 1) + 1) when n > 1
phase bad "Bad" after opening
    say "{deep(100000)}"
"""),
    "fractions": ("beyond all bounds", """\
phase bad "Bad" after opening
    x = 3 / 7
    repeat 60 times
        x = x * x + 1 / 3
    say "done"
"""),
    "whole numbers": ("beyond all bounds", """\
phase bad "Bad" after opening
    x = 3
    repeat 60 times
        x = x * x
    say "done"
"""),
    "dice": ("too many steps", """\
phase bad "Bad" after opening
    repeat 1000 times
        repeat 1000 times
            x = side_a rolls 10000d6 + 1
    say "done"
"""),
    "texts": ("beyond all bounds", """\
state of battle
    tale: text = "x"
phase bad "Bad" after opening
    repeat 60 times
        battle.tale = "{battle.tale}{battle.tale}"
"""),
    "sentences": ("too many steps", """\
phase bad "Bad" after opening
    repeat 1000 times
        repeat 1000 times
            say "again and again and again {battle.turn}"
"""),
    "units": ("too many steps", """\
phase bad "Bad" after opening
    repeat 1000 times
        repeat 1000 times
            u = muster("elf_warriors", side_a, 5)
"""),
    "lists within lists": ("too many steps", """\
flag nest(n: number) = NESTED
phase bad "Bad" after opening
    if nest(0)
        say "x"
"""),
    "events": ("without end", """\
event boom(n: number)
on boom(n)
    emit boom(n + 1)
    emit boom(n + 2)
phase bad "Bad" after opening
    emit boom(1)
"""),
    "procedures that call themselves twice": ("too many steps", """\
procedure boom(n: number)
    if n > 0
        boom(n - 1)
        boom(n - 1)
phase bad "Bad" after opening
    boom(60)
"""),
    "procedures that call themselves": ("without end", """\
procedure boom(n: number)
    if n > 0
        boom(n + 1)
phase bad "Bad" after opening
    boom(1)
"""),
    "modifiers in force": ("in force at a time", """\
phase bad "Bad" after opening
    repeat 1000 times
        repeat 1000 times
            for each unit
                shooting_skill(shooter: unit) -1 until end of turn because "fog"
"""),
    "lists": ("beyond all bounds", """\
phase bad "Bad" after opening
    x = all units
    repeat 40 times
        x = joined(x, x)
"""),
}  # fmt: skip


def overlaid(body: str, place: Path) -> Ruleset:
    file = place / "endless.rules"
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    file.write_text('house rule "Endless" for small_fantasy\n' + indented)
    return load("small_fantasy", [file])


@pytest.mark.parametrize("what", sorted(ENDLESS))
def test_rules_without_end_are_told_with_their_place(what: str, tmp_path: Path) -> None:
    says, body = ENDLESS[what]
    rules = overlaid(body.replace("NESTED", NESTED), tmp_path)
    for trace in (False, True):
        with with_limits(steps=100_000, effects=500), pytest.raises(RuleFault, match=says) as caught:
            skirmish(rules, 1, trace=trace).run()
        assert "endless.rules:" in str(caught.value)


def test_a_chain_of_numbers_that_doubles_with_each_of_them_counts(tmp_path: Path) -> None:
    chain = "\n".join(f"number n{i}(side) = n{i + 1}(side) + n{i + 1}(side)" for i in range(60))
    body = f"{chain}\nnumber n60(side) = side.index\nphase bad \"Bad\" after opening\n    say \"{{n0(side_a)}}\""
    rules = overlaid(body.replace("side.index", "number of units"), tmp_path)
    with with_limits(steps=100_000), pytest.raises(RuleFault, match="too many steps"):
        skirmish(rules, 1).run()


def test_a_battle_has_a_budget_of_its_own(rules: Ruleset) -> None:
    with with_limits(battle_steps=1_000), pytest.raises(RuleFault, match="the battle takes too many steps"):
        skirmish(rules, 1).run()


@pytest.mark.parametrize(("limit", "says"), [("records", "story of the battle"), ("things", "too many things")])
def test_what_a_battle_keeps_has_limits(rules: Ruleset, limit: str, says: str) -> None:
    with with_limits(**{limit: 3}), pytest.raises(RuleFault, match=says):
        skirmish(rules, 1).run()


@pytest.mark.parametrize(("limit", "says"), [("units", "2 units; the limit is 1"), ("models", "20 models")])
def test_armies_have_limits(rules: Ruleset, limit: str, says: str) -> None:
    army(rules, "Reds", "elf")
    with with_limits(**{limit: 1}), pytest.raises(ContentError, match=says):
        army(rules, "Reds", "elf")


def test_an_organiser_raises_a_limit(monkeypatch: pytest.MonkeyPatch, rules: Ruleset) -> None:
    monkeypatch.setenv(VARIABLE, "units=5 models=7")
    assert (limit("units"), limit("models")) == (5, 7)
    assert limit("records") > 7
    with pytest.raises(ContentError, match="the limit is 7; WARHOST_LIMITS=models=N raises it"):
        army(rules, "Reds", "elf")


@pytest.mark.parametrize("given", ["unit=5", "units", "units=-3", "units=0", "units=1e9", "units=" + "9" * 5000])
def test_a_limit_that_is_not_understood_is_told(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(VARIABLE, given)
    with pytest.raises(UsageError, match=VARIABLE):
        limit("units")


def test_a_ruleset_of_too_many_profiles_is_not_looked_at() -> None:
    with with_limits(profiles=3), pytest.raises(ContentError, match="profiles; the limit is 3"):
        load("small_fantasy")
    assert load("small_fantasy").profiles  # raised again, the limit counts: what was refused is not what was kept


def test_a_ruleset_of_too_many_bytes_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text("id: large\ntitle: Large\n")
    with with_limits(rules=10), pytest.raises(ContentError, match="bytes; the limit is 10"):
        load(tmp_path)
