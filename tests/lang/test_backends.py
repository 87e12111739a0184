"""Compiled, traced and interpreted rules are one and the same: on random rules, and on every construct by example."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lang.random_rules import VOCABULARY, condition, number, procedure
from lang.workbench import FORMS, Unit, battle, compute, program, rolled, run, said, unit
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision
from warhost.engine.dice import SeededDice
from warhost.engine.state_hash import plain_state
from warhost.errors import RuleFault
from warhost.lang.program import Program
from warhost_battles.players import RandomPlayer, UsualPlayer

#: The interpreter makes room for its deeper calls; hypothesis wants to know of it before a test begins.
sys.setrecursionlimit(5_000)

TWO = ["unit", "other"]

THOROUGH = settings(max_examples=250)


# -- both ways at once -----------------------------------------------------------------------------


def outcome(on: Battle, act: Callable[[Battle], Any]) -> dict[str, Any]:
    """Everything that a battle lets one see of an act: its value or fault, the state, the dice, the log.

    Not the steps: a number that compiled rules keep costs none when it is asked for again.
    """
    value, fault = None, None
    try:
        value = act(on)
    except RuleFault as error:
        fault = (str(error), error.rule, error.file, error.line)
    log = [{k: v for k, v in record.items() if k != "why"} for record in on.log]
    return {
        "value": getattr(value, "id", value), "fault": fault, "state": plain_state(on), "dice": on.dice.thrown,
        "log": log, "decisions": on.decisions_made,
    }  # fmt: skip


def agree(make: Callable[[str], Battle], act: Callable[[Battle], Any]) -> dict[str, Any]:
    """Act in every form; gives what they agree upon."""
    compiled, traced, interpreted = (outcome(make(form), act) for form in FORMS)
    assert compiled == traced
    assert compiled == interpreted
    return compiled


class Each:
    """A battle in every form. `run` and `compute` do the same in each, and insist on the same outcome."""

    def __init__(self, rules: str, *units: Unit, blue: Sequence[Unit] = (), **given: Any) -> None:
        made = program(rules)
        self.battles = [battle(made, units, blue, form=form, **given) for form in FORMS]

    def each(self, act: Callable[[Battle], Any]) -> Any:
        found = [outcome(b, act) for b in self.battles]
        assert found[0] == found[1]
        assert found[0] == found[2]
        if found[0]["fault"] is not None:
            raise RuleFault(*found[0]["fault"][:1])
        return found[0]["value"]

    def run(self, name: str, *args: Any) -> Any:
        return self.each(lambda b: run(b, name, *args))

    def compute(self, name: str, *args: Any) -> Any:
        return self.each(lambda b: compute(b, name, *args))

    def moment(self, edge: str, what: str) -> None:
        self.each(lambda b: b.in_force.moment(edge, what))

    def turn(self) -> None:
        """The end of a turn and the beginning of the next."""
        self.moment("end", "turn")
        for b in self.battles:
            b.battle.turn += 1
        self.moment("start", "turn")

    def get(self, id: str, field: str) -> Any:
        return self.each(lambda b: getattr(b.entity(id), field))

    @property
    def said(self) -> list[str]:
        return said(self.battles[0])

    @property
    def rolled(self) -> list[tuple[str, list[int], Any]]:
        return rolled(self.battles[0])


def fault_of(both: Each, name: str, *args: Any) -> str:
    with pytest.raises(RuleFault) as caught:
        both.run(name, *args)
    return str(caught.value)


# -- random rules ----------------------------------------------------------------------------------


@st.composite
def armies(draw: st.DrawFn) -> tuple[list[Unit], list[Unit]]:
    """Two or three units on each side, in any state."""
    sides: list[list[Unit]] = []
    for letter in "ab":
        units = []
        for i in range(draw(st.integers(1, 3))):
            bears: list[tuple[Any, ...]] = []
            for title in ("Hard", "Skilled", "Sly"):
                bears += [("trait", title)] if draw(st.integers(0, 3)) == 0 else []
            bears += [("trait", "Strong", draw(st.integers(-2, 3)))] if draw(st.booleans()) else []
            units.append(
                unit(
                    f"{letter}{i}", *bears, size=draw(st.integers(1, 6)), skill=draw(st.integers(0, 6)),
                    brave=draw(st.booleans()), hurt=draw(st.integers(0, 9)), broken=draw(st.booleans()),
                    mood=draw(st.sampled_from(["calm", "angry", "afraid"])),
                )
            )  # fmt: skip
        sides.append(units)
    return sides[0], sides[1]


def _battle_of(made: Program, sides: tuple[list[Unit], list[Unit]], seed: int) -> Callable[[bool], Battle]:
    def make(form: str) -> Battle:
        players = [RandomPlayer(seed), RandomPlayer(seed + 1)]
        return battle(made, *sides, dice=SeededDice(seed), players=players, form=form)

    return make


@THOROUGH
@given(number(TWO, [], False, 4), condition(TWO, [], False, 4), armies(), st.integers(0, 99))
def test_random_expressions(value: str, truth: str, sides: tuple[list[Unit], list[Unit]], seed: int) -> None:
    made = program(
        f"number x(unit, other: unit) = {value}\nflag y(unit, other: unit) = {truth}\n", above=VOCABULARY
    )
    make = _battle_of(made, sides, seed)
    found = agree(make, lambda b: [compute(b, name, "a0", "b0") for name in ("x", "y")])
    if found["fault"] is None:
        exact, true = found["value"]
        assert isinstance(exact, int | Fraction)
        assert isinstance(true, bool)


@THOROUGH
@given(procedure(), armies(), st.integers(0, 9999))
def test_random_procedures(text: str, sides: tuple[list[Unit], list[Unit]], seed: int) -> None:
    make = _battle_of(program(text, above=VOCABULARY), sides, seed)

    def act(b: Battle) -> Any:
        first = run(b, "p", "a0", "b0")
        b.in_force.moment("end", "turn")
        b.battle.turn += 1
        b.in_force.moment("start", "turn")
        return first, run(b, "p", "b0", "a0"), [compute(b, "need", "a0", "b0"), compute(b, "may_go", "b0")]

    agree(make, act)


# -- numbers ---------------------------------------------------------------------------------------

UNIT = """
profile of unit
    skill: number = 3
    brave: yes_no = no
state of unit
    hurt: number = 0
    mark: number = 0
    quarry: unit or none = none
noun attacker is a unit
noun target is a unit
"""


def test_order_is_set_add_multiply_round_floor_cap() -> None:
    lines = ["at most 12", "at least 3", "x3/2", "+4", "set to 3", "rounded up"]
    for order in (lines, lines[::-1], lines[2:] + lines[:2]):
        both = Each(UNIT + "number n(unit) = unit.skill\n" + "".join(f"    {x}\n" for x in order), unit("u"))
        assert both.compute("n", "u") == 11  # (3 + 4) * 3/2 = 10.5


def test_the_last_set_wins_and_the_cap_beats_the_floor() -> None:
    rules = "number n(unit) = 1\n    set to 5\n    set to 9\n    set to 2 if unit.brave\n"
    both = Each(UNIT + rules + "    at least 8\n    at most 6\n", unit("u"), unit("v", brave=True))
    assert [both.compute("n", u) for u in ("u", "v")] == [6, 6]
    both = Each(UNIT + rules, unit("u"), unit("v", brave=True))
    assert [both.compute("n", u) for u in ("u", "v")] == [9, 2]


def test_rounding_each_time_and_once() -> None:
    for text, value in (("rounded up each time", 2), ("rounded up", 2), ("rounded down each time", 1)):
        both = Each(UNIT + f"number n(unit) = 7\n    x1/2\n    x1/2\n    {text}\n", unit("u"))
        assert both.compute("n", "u") == value


def test_rounding_matters_between_multiplications() -> None:
    both = Each(UNIT + "number n(unit) = 5\n    x1/2\n    x3\n    rounded up each time\n", unit("u"))
    assert both.compute("n", "u") == 9
    both = Each(UNIT + "number n(unit) = 5\n    x1/2\n    x3\n    rounded up\n", unit("u"))
    assert both.compute("n", "u") == 8


def test_the_last_rounding_that_applies_is_the_one() -> None:
    rules = "number n(unit) = 5\n    x1/2\n    rounded down\n    rounded up if unit.brave\n"
    both = Each(UNIT + rules, unit("u"), unit("v", brave=True))
    assert [both.compute("n", u) for u in ("u", "v")] == [2, 3]


def test_a_limit_of_a_term_is_not_one_of_the_number() -> None:
    both = Each(UNIT + "number n(unit) = 4\n    +unit.skill up to 2\n    +1 per unit.hurt\n", unit("u", hurt=3))
    assert both.compute("n", "u") == 9


def test_stacking_highest_by_key() -> None:
    rules = """
number n(unit) = 0
    +1 stacking highest "a"
    +3 stacking highest "a"
    +2 stacking highest "b"
    +10
trait Keen(x)
    n +x when unit is bearer stacking highest "a"
"""
    both = Each(UNIT + rules, unit("u"), unit("v", ("trait", "Keen", 5)), unit("w", ("trait", "Keen", 2)))
    assert [both.compute("n", u) for u in ("u", "v", "w")] == [15, 17, 15]


def test_once_per_source() -> None:
    rules = """
number fear(unit) = 0
trait Fearsome(x)
    fear +x when unit opposes bearer stacking once per source "fear"
condition Loud
    fear +1 when unit opposes bearer stacking once per source "fear"
procedure p(unit)
    give Loud to unit
"""
    both = Each(
        UNIT + rules, unit("u"), blue=[unit("v", ("trait", "Fearsome", 2), ("trait", "Fearsome", 3)), unit("w")]
    )
    assert both.compute("fear", "u") == 3
    both.run("p", "v")
    assert both.compute("fear", "u") == 3
    both.run("p", "w")
    assert both.compute("fear", "u") == 4
    assert both.compute("fear", "w") == 0


def test_total_counting_once_per_source() -> None:
    rules = """
number stress(unit) = 1
trait Dread
    stress +2 when unit opposes bearer stacking once per source "fear"
procedure p(unit)
    result total stress(it) over units where it.side is unit.side counting "fear" once per source
procedure q(unit)
    result total stress(it) over units where it.side is unit.side
"""
    both = Each(UNIT + rules, unit("u"), unit("v"), blue=[unit("w", ("trait", "Dread"))])
    assert both.run("p", "u") == 4
    assert both.run("q", "u") == 6


def test_pins_ask_only_whom_they_concern() -> None:
    rules = """
number n(attacker, target) = 10
trait Sharp(x)
    n +x when attacker is bearer
    n -1 when target is bearer
trait Sly
    n x1/2 when target.quarry is bearer
"""
    both = Each(UNIT + rules, unit("u", ("trait", "Sharp", 3)), unit("v", ("trait", "Sly")), unit("w"), unit("x"))
    assert both.compute("n", "u", "x") == 13
    assert both.compute("n", "x", "u") == 9
    assert both.compute("n", "u", "u") == 12
    assert both.compute("n", "x", "w") == 10
    for b in both.battles:
        b.put(b.entity("w"), "quarry", b.entity("v"))
    assert both.compute("n", "x", "w") == 5
    assert both.compute("n", "u", "w") == Fraction(13, 2)


def test_a_number_of_something_that_may_be_none() -> None:
    rules = """
number n(unit, other: unit or none) = 1
trait Nasty
    n +1 when other is bearer
procedure p(unit)
    result n(unit, unit.quarry)
"""
    both = Each(UNIT + rules, unit("u"), blue=[unit("v", ("trait", "Nasty"))])
    assert both.run("p", "u") == 1
    for b in both.battles:
        b.put(b.entity("u"), "quarry", b.entity("v"))
    assert both.run("p", "u") == 2


def test_order_of_contributions_decides_only_between_sets() -> None:
    rules = """
number n(unit) = 1
trait First
    n set to 5 when unit is bearer
trait Second
    n set to 7 when unit is bearer
rule always
    n set to 3
"""
    both = Each(UNIT + rules, unit("u", ("trait", "Second"), ("trait", "First")), unit("v"))
    assert both.compute("n", "u") == 7
    assert both.compute("n", "v") == 3


def test_values_and_flags() -> None:
    rules = """
flag may(unit) = unit.skill > 2
    no if unit.hurt > 0
    yes if unit.brave
value chief(unit): unit = unit
    set to unit.quarry if unit.quarry is not none
trait Free
    allow may(unit) when unit is bearer
trait Bound
    forbid may(unit) when unit is bearer because "bound"
condition Led
    chief set to bearer when unit is not bearer
procedure lead(unit)
    give Led to unit
"""
    both = Each(
        UNIT + rules, unit("a"), unit("b", hurt=1), unit("c", hurt=1, brave=True),
        unit("d", ("trait", "Free"), skill=1), unit("e", ("trait", "Free"), ("trait", "Bound"), brave=True),
    )  # fmt: skip
    assert [both.compute("may", u) for u in "abcde"] == [True, False, True, True, False]
    assert both.compute("chief", "a") == "a"
    both.run("lead", "e")
    assert [both.compute("chief", u) for u in ("a", "e")] == ["e", "e"]


# -- durations -------------------------------------------------------------------------------------

DURATIONS = """
number n(unit) = 10
flag may(unit) = yes
procedure turn_(unit)
    n(unit: unit) +1 until end of turn
procedure next_(unit)
    n(unit: unit) +10 until end of next turn
procedure start_(unit)
    n(unit: unit) +100 until start of next turn
procedure two_(target)
    n +1000 for 2 turns when unit.brave
procedure own_(unit)
    n +1000 until end of turn when unit.brave
procedure while_(unit)
    limit = unit.hurt + 2
    n(unit: unit) x2 while unit.hurt < limit
    limit = 0
procedure rest_(unit)
    n(unit: unit) at most 5 for the rest of the game
procedure forbid_(unit)
    forbid may(unit) until end of turn
    allow may(unit) for 2 turns
"""


@pytest.mark.parametrize(
    ("name", "values"),
    [("turn_", [11, 10, 10]), ("next_", [20, 20, 10]), ("start_", [110, 10, 10]), ("rest_", [5, 5, 5])],
)
def test_modifiers_of_steps_last_as_long_as_they_say(name: str, values: list[int]) -> None:
    both = Each(UNIT + DURATIONS, unit("u"), unit("v"))
    both.run(name, "u")
    found = []
    for _ in values:
        assert both.compute("n", "v") == 10
        found.append(both.compute("n", "u"))
        both.turn()
    assert found == values


def test_a_modifier_for_two_turns_with_a_condition() -> None:
    both = Each(UNIT + DURATIONS, unit("u"), unit("v", brave=True))
    both.run("two_", "u")
    assert [both.compute("n", u) for u in "uv"] == [10, 1010]
    both.turn()
    assert both.compute("n", "v") == 1010
    both.turn()
    assert both.compute("n", "v") == 10


def test_a_modifier_speaks_of_what_the_procedure_knows() -> None:
    both = Each(UNIT + DURATIONS, unit("u"), unit("v", brave=True))
    both.run("own_", "u")
    assert [both.compute("n", u) for u in "uv"] == [10, 10]
    both.run("own_", "v")
    assert [both.compute("n", u) for u in "uv"] == [1010, 1010]


def test_a_modifier_while_remembers_what_it_saw() -> None:
    both = Each(UNIT + DURATIONS, unit("u", hurt=1))
    both.run("while_", "u")
    assert both.compute("n", "u") == 20
    for b in both.battles:
        b.put(b.entity("u"), "hurt", 3)
    assert both.compute("n", "u") == 10


def test_a_ban_beats_a_permission_until_it_is_over() -> None:
    both = Each(UNIT + DURATIONS, unit("u"), unit("v"))
    both.run("forbid_", "u")
    assert [both.compute("may", u) for u in "uv"] == [False, True]
    both.turn()
    assert both.compute("may", "u") is True


def test_effects_end_at_their_moment_and_say_so() -> None:
    rules = """
condition Shaken
    keeps turns: number = 0
    n -2 when unit is bearer
    at end of turn
        this.turns += 1
        if this.turns >= 2: end this
number n(unit) = 10
procedure shake(unit)
    give Shaken to unit
procedure shake_briefly(unit)
    give Shaken to unit until end of turn
after effect_ends(effect)
    say "{effect.name} of {effect.bearer} is over"
"""
    both = Each(UNIT + rules, unit("u"), unit("v"))
    both.run("shake", "u")
    both.run("shake_briefly", "v")
    assert [both.compute("n", u) for u in "uv"] == [8, 8]
    both.turn()
    assert [both.compute("n", u) for u in "uv"] == [8, 10]
    both.turn()
    assert both.compute("n", "u") == 10
    assert both.said == ["Shaken of v is over", "Shaken of u is over"]


def test_what_an_effect_keeps_is_reset_even_if_it_lasts_the_whole_battle() -> None:
    rules = """
condition Eager
    keeps used: number = 0 resets at end of turn
    n +1 when unit is bearer and this.used == 0
    after used_up(unit) when unit is bearer
        this.used += 1
event used_up(unit)
number n(unit) = 10
procedure eager(unit)
    give Eager to unit for the rest of the game
procedure use(unit)
    emit used_up(unit)
"""
    both = Each(UNIT + rules, unit("u"))
    both.run("eager", "u")
    both.run("use", "u")
    assert both.compute("n", "u") == 10
    both.turn()
    assert both.compute("n", "u") == 11


def test_state_resets() -> None:
    rules = """
state of unit
    shots: number = 2            resets at start of turn
    seen: yes_no                 resets at end of turn
    size_then: number = it.size  resets at end of turn
procedure p(unit)
    unit.shots -= 1
    unit.seen = yes
    unit.size_then = 99
"""
    both = Each(UNIT + rules, unit("u", size=5))
    both.run("p", "u")
    assert [both.get("u", f) for f in ("shots", "seen", "size_then")] == [1, True, 99]
    both.turn()
    assert [both.get("u", f) for f in ("shots", "seen", "size_then")] == [2, False, 5]


def test_steps_at_a_later_moment_see_what_was_known_then() -> None:
    rules = """
procedure p(unit)
    n = 3
    at end of turn:
        unit.hurt += n
        say "then {n}"
    at end of turn: unit.mark += 1
    n = 50
    x = 1
    if unit.brave: later = 2
    at end of next turn:
        later = 7
        unit.hurt += later
"""
    both = Each(UNIT + rules, unit("u"))
    both.run("p", "u")
    assert both.get("u", "hurt") == 0
    both.turn()
    assert (both.get("u", "hurt"), both.get("u", "mark"), both.said) == (3, 1, ["then 3"])
    both.turn()
    assert both.get("u", "hurt") == 10


# -- rolls -----------------------------------------------------------------------------------------


def test_natural_faces_of_a_test() -> None:
    rules = """
roll hit(unit) by unit: d6 <= unit.skill
    natural 1 succeeds
    natural 6 fails
procedure p(unit, n)
    result how many of n pass hit(unit)
procedure q(unit)
    result roll hit(unit)
"""
    both = Each(UNIT + rules, unit("u", skill=6), unit("v", skill=0), dice=[1, 5, 6, 6, 1, 3, 6, 1])
    assert both.run("p", "u", 3) == 2
    assert both.run("p", "v", 3) == 1
    assert both.run("q", "u") is False
    assert both.run("q", "v") is True


def test_and_or_throw_no_more_dice_than_they_need() -> None:
    rules = """
roll hit(unit) by unit: d6 >= 4
procedure p(unit)
    if (roll hit(unit)) and (roll hit(unit)): result 1
    if (roll hit(unit)) or (roll hit(unit)): result 2
    if any units where (roll hit(it)): result 3
    result 4
"""
    both = Each(UNIT + rules, unit("u"), unit("v"), unit("w"), dice=[1, 4, 4, 4, 1, 1, 1, 1, 5, 3, 2, 1, 1, 2, 3])
    assert [both.run("p", "u") for _ in range(4)] == [2, 1, 3, 4]


def test_how_many_fail_and_none_at_all() -> None:
    rules = """
roll hit(unit) by unit: d6 >= 4
procedure p(unit, n)
    result how many of n fail hit(unit)
"""
    both = Each(UNIT + rules, unit("u"), dice=[1, 4, 3])
    assert both.run("p", "u", 3) == 2
    assert both.run("p", "u", 0) == 0
    assert both.run("p", "u", -2) == 0


def test_a_pool_with_criticals_and_skilled_rerolls() -> None:
    rules = """
roll attack(unit, target) by unit against target: pool unit.skill of d6 >= 4
    natural 6 counts 2
    natural 1 fails
    each die rerolled at most once
trait Skilled(n)
    may reroll attack faces 1 to n when unit is bearer
procedure p(unit, target)
    result roll attack(unit, target)
"""
    both = Each(UNIT + rules, unit("u", skill=5), unit("v"), dice=[6, 5, 4, 3, 1])
    assert both.run("p", "u", "v") == 4
    skilled = unit("u", ("trait", "Skilled", 2), skill=5)
    both = Each(UNIT + rules, skilled, unit("v"), dice=[6, 2, 1, 3, 1, 1, 6, 4], answers={"re-roll attack": 3})
    assert both.run("p", "u", "v") == 5
    assert both.rolled == [("attack", [6, 1, 6, 3, 4], 5)]
    both = Each(UNIT + rules, skilled, unit("v"), dice=[6, 2, 1, 3, 1, 2], answers={"re-roll attack": 1})
    assert both.run("p", "u", "v") == 2


def test_opposed_pools_and_ties() -> None:
    for ties, expected in (("unit", [True, True, False]), ("target", [True, False, False])):
        rules = f"""
roll contest(unit, target) by unit: pool unit.skill of d6 4+ against pool target.skill of d6 4+, ties to {ties}
procedure p(unit, target)
    result roll contest(unit, target)
"""
        both = Each(UNIT + rules, unit("u", skill=2), unit("v", skill=2), dice=[4, 5, 1, 2, 4, 1, 2, 6, 1, 1, 4, 4])
        assert [both.run("p", "u", "v") for _ in range(3)] == expected


def test_opposed_pools_give_the_difference_after_the_re_rolls_of_either_side() -> None:
    rules = """
trait Skilled(n)
    may reroll clash faces 1 to n when unit is bearer
trait Braced(n)
    may reroll clash faces 1 to n when target is bearer
roll clash(unit, target) by unit against target: pool unit.skill of d6 4+ against pool 1 of d6 5+, by how much
    natural 6 counts 2 by unit
procedure p(unit, target): number
    result roll clash(unit, target)
"""
    both = Each(UNIT + rules, unit("u", skill=2), blue=[unit("v")], dice=[6, 4, 6, 1, 1, 5])
    assert [both.run("p", "u", "v") for _ in range(2)] == [2, -1]
    skilled = unit("u", ("trait", "Skilled", 1), skill=2)
    both = Each(UNIT + rules, skilled, blue=[unit("v")], dice=[1, 3, 6, 5], answers={"re-roll clash": 1})
    assert both.run("p", "u", "v") == 0  # the 1 is thrown again once the other side's die lies there, too
    assert both.rolled == [("clash", [5, 3], 1), ("clash", [6], 1)]
    braced = unit("v", ("trait", "Braced", 4))
    both = Each(UNIT + rules, skilled, blue=[braced], dice=[4, 4, 1, 6], answers={"re-roll clash": 1})
    assert both.run("p", "u", "v") == 1  # a right is to one's own dice: nobody throws the other side's again


def test_a_tie_without_a_winner_is_thrown_again() -> None:
    rules = """
roll contest(unit, target) by unit: d6 + unit.skill against d6 + target.skill by target
procedure p(unit, target)
    result roll contest(unit, target)
"""
    both = Each(UNIT + rules, unit("u", skill=2), unit("v", skill=1), dice=[2, 3, 1, 2, 6, 3])
    assert both.run("p", "u", "v") is True
    assert both.rolled == [("contest", [2, 3, 1, 2, 6, 3], True)]


def test_ranked_pools() -> None:
    rules = """
roll cast(unit, target) by unit: pool 3 of d6 ranked against pool 2 of d6, ties to target
procedure p(unit, target)
    result roll cast(unit, target)
"""
    both = Each(
        UNIT + rules, unit("u"), unit("v"), dice=[2, 6, 3, 6, 3, 2, 6, 4, 6, 3, 5, 5, 5, 6, 1, 2, 2, 1, 2, 2]
    )
    assert [both.run("p", "u", "v") for _ in range(4)] == [True, True, False, True]


def test_needs_of_zero_and_less_with_confirmation() -> None:
    rules = """
number need(unit) = unit.skill
roll hit(unit) by unit: d6 <= need(unit)
    when need == 0: d6 == 1 confirmed by d6 <= 3
    when need == -1: d6 == 1 confirmed by d6 <= 2
    when need < -1: never
procedure p(unit, n)
    result how many of n pass hit(unit)
procedure q(unit)
    result roll hit(unit)
"""
    both = Each(UNIT + rules, unit("u", skill=0), unit("v", skill=-1), unit("w", skill=-2), dice=[1, 2, 1, 1, 3, 4, 2])
    assert both.run("p", "u", 4) == 2  # three ones; the dice after them confirm
    both = Each(UNIT + rules, unit("u", skill=0), unit("v", skill=-1), unit("w", skill=-2), dice=[1, 2, 1, 3, 2])
    assert both.run("q", "v") is True
    assert both.run("q", "v") is False
    assert both.run("q", "w") is False
    assert both.run("p", "w", 5) == 0
    assert both.run("q", "u") is False


def test_outcomes_as_words_and_a_chart() -> None:
    rules = """
words fate: unharmed, down, out
roll survive(unit) by unit: d10 + unit.hurt
    natural 1 is out
    natural 10 is unharmed
    above unit.skill: unharmed
    equal to unit.skill: down
    otherwise: out
procedure p(unit)
    according to roll survive(unit)
        unharmed: unit.mark += 1
        down: unit.mark += 10
        out: unit.mark += 100
procedure chart(unit)
    according to unit rolls d6
        1: result 1
        2 to 3 when unit.brave: result 23
        4: roll again
        5 or more: result 5
        otherwise: result 0
"""
    both = Each(UNIT + rules, unit("u", skill=6, hurt=1), dice=[1, 10, 6, 5, 2], answers={})
    marks = []
    for _ in range(5):
        before = both.get("u", "mark")
        both.run("p", "u")
        marks.append(both.get("u", "mark") - before)
    assert marks == [100, 1, 1, 10, 100]
    both = Each(UNIT + rules, unit("u"), unit("v", brave=True), dice=[4, 4, 6, 2, 3, 1])
    assert [both.run("chart", u) for u in "uuvv"] == [5, 0, 23, 1]
    both = Each(UNIT + rules, unit("u"), dice=[4] * 100)
    assert both.run("chart", "u") is None


def test_forced_rerolls_hit_each_die_once() -> None:
    rules = """
roll hit(unit) by unit: pool 3 of d6 >= 4
    each die rerolled at most once
condition Cursed
    reroll successes of any roll by bearer
trait Lucky
    may reroll failures of hit when unit is bearer
procedure p(unit)
    result roll hit(unit)
procedure curse(unit)
    give Cursed to unit
"""
    both = Each(
        UNIT + rules, unit("u", ("trait", "Lucky")), dice=[4, 5, 1, 6, 2, 3], answers={"re-roll hit": 1}
    )
    both.run("curse", "u")
    assert both.run("p", "u") == 1
    assert both.rolled == [("hit", [6, 2, 3], 1)]


def test_dice_of_any_size_and_order_of_dice() -> None:
    rules = """
roll big(unit) by unit: d(unit.size * 2) < unit.size
procedure p(unit)
    a = roll big(unit)
    b = (unit rolls 2d6 + 1) * 100 + (unit rolls d3)
    if a: result b
    result -b
"""
    both = Each(UNIT + rules, unit("u", size=10), dice=[9, 6, 5, 3, 20, 1, 1, 2])
    assert [both.run("p", "u"), both.run("p", "u")] == [1203, -302]
    assert [r[:2] for r in both.rolled[:3]] == [("big", [9]), ("rolls", [6, 5]), ("rolls", [3])]


def test_scores_of_a_pool() -> None:
    rules = """
roll horde(unit) by unit: pool 4 of d6 scores count_of(6, dice) * 10 + size_of(dice)
roll each_(unit) by unit: pool 3 of d6 each die scores floor(die / 2)
procedure p(unit)
    result (roll horde(unit)) * 100 + (roll each_(unit))
"""
    both = Each(UNIT + rules, unit("u"), dice=[6, 1, 6, 2, 5, 4, 1])
    assert both.run("p", "u") == 2404


def test_a_natural_face_brings_an_event() -> None:
    rules = """
event fumble(unit)
    says "{unit} fumbles"
roll hit(unit) by unit: d6 >= 3
    natural 1 fails, confirmed by d6 <= 2, emits fumble(unit)
procedure p(unit)
    result roll hit(unit)
after fumble(unit)
    unit.hurt += 1
"""
    both = Each(UNIT + rules, unit("u"), dice=[1, 3, 1, 2, 5])
    assert [both.run("p", "u") for _ in range(3)] == [False, False, True]
    assert both.get("u", "hurt") == 1


# -- texts -----------------------------------------------------------------------------------------


def test_words_of_a_text_go_with_a_count() -> None:
    rules = """
procedure p(unit, n)
    result "{unit.hurt + n|nobody|# man|# men}, {n|one|more than one}"
"""
    both = Each(UNIT + rules, unit("u"))
    assert [both.run("p", "u", n) for n in (0, 1, 2)] == ["nobody, more than one", "1 man, one", "2 men, more than one"]


# -- events ----------------------------------------------------------------------------------------

EVENTS = UNIT + """
event hurt_(unit, n)
    may be cancelled
    says "{unit} loses {n}"
procedure harm(unit, n)
    emit hurt_(unit, n)
        unit.hurt += n
        say "outcome {n}"
"""


def test_before_changes_and_cancels_in_order() -> None:
    rules = EVENTS + """
trait Thick
    before hurt_(unit, n) when unit is bearer
        change n to n - 1
        say "thick {n}"
trait Halved
    before hurt_(unit, n) when unit is bearer and n > 2
        change n to ceiling(n / 2)
        say "halved {n}"
before hurt_(unit, n) when n <= 0
    say "nothing"
    cancel hurt_
after hurt_(unit, n)
    say "after {n}"
"""
    both = Each(rules, unit("u", ("trait", "Halved"), ("trait", "Thick")), unit("v"))
    both.run("harm", "u", 6)
    assert both.said == ["thick 5", "halved 3", "outcome 3", "after 3"]
    assert both.get("u", "hurt") == 3
    both.run("harm", "u", 1)
    assert both.said[4:] == ["thick 0", "nothing"]
    both.run("harm", "v", 2)
    assert both.said[6:] == ["outcome 2", "after 2"]


def test_instead_of_and_continue() -> None:
    rules = EVENTS + """
trait Rubber
    instead of hurt_(unit, n) when unit is bearer
        say "rubber"
        if n > 2: continue
trait Ghost
    instead of hurt_(unit, n) when unit is bearer
        say "ghost"
        continue
        say "gone"
"""
    both = Each(rules, unit("u", ("trait", "Ghost"), ("trait", "Rubber")))
    both.run("harm", "u", 3)
    assert both.said == ["rubber", "ghost", "outcome 3", "gone"]
    both.run("harm", "u", 2)
    assert both.said[4:] == ["rubber"]
    assert both.get("u", "hurt") == 3


def test_order_of_handlers_is_that_of_the_rules_then_of_the_bearers() -> None:
    rules = EVENTS + """
trait Second
    after hurt_(unit, n)
        say "trait of {bearer}"
after hurt_(unit, n)
    say "last"
"""
    both = Each(
        rules.replace("trait Second", "after hurt_(unit, n)\n    say \"first\"\ntrait Second"),
        unit("b", ("trait", "Second")), unit("a", ("trait", "Second")),
    )  # fmt: skip
    both.run("harm", "a", 1)
    assert both.said == ["outcome 1", "first", "trait of b", "trait of a", "last"]


def test_an_outcome_shares_the_locals_around_it() -> None:
    rules = EVENTS + """
procedure p(unit)
    total_ = 1
    for each unit as u
        emit hurt_(u, 2)
            total_ += n
            u.hurt += n
    result total_
"""
    both = Each(rules, unit("u"), unit("v"), unit("w"))
    assert both.run("p", "u") == 7
    assert [both.get(u, "hurt") for u in "uvw"] == [2, 2, 2]


def test_once_per_turn() -> None:
    rules = EVENTS + """
trait Spiteful
    after hurt_(unit, n) when unit is bearer once per turn
        bearer.mark += 1
"""
    both = Each(rules, unit("u", ("trait", "Spiteful")))
    both.run("harm", "u", 1)
    both.run("harm", "u", 1)
    assert both.get("u", "mark") == 1
    both.turn()
    both.run("harm", "u", 1)
    assert both.get("u", "mark") == 2


WINDOW = UNIT + """
event blow(unit, target, n)
    may be cancelled
    asks enemies, until all pass
reaction Parry to blow(unit, target, n) by target
    when target.skill > 0
    target.skill_used += 1
    if target.skill_used >= 3: cancel blow
reaction Curse to blow(unit, target, n) by target once per turn
    unit.mark += 1
state of unit
    skill_used: number = 0
procedure p(unit, target)
    emit blow(unit, target, 2)
        target.hurt += n
"""


def test_a_window_is_offered_until_everybody_passes() -> None:
    answers = {"reaction to blow": ["Parry", "Curse", "Parry", "none"]}
    both = Each(WINDOW, unit("u"), blue=[unit("v")], answers=answers)
    both.run("p", "u", "v")
    assert [both.get("v", f) for f in ("skill_used", "hurt")] == [2, 2]
    assert both.get("u", "mark") == 1
    kinds = [r["kind"] for r in both.battles[0].log]
    assert kinds == ["decision", "reaction"] * 3 + ["decision", "event"]


def test_a_reaction_may_cancel() -> None:
    both = Each(WINDOW, unit("u"), blue=[unit("v")], answers={"reaction to blow": ["Parry"] * 3})
    both.run("p", "u", "v")
    assert both.get("v", "hurt") == 0


def test_once_per_turn_closes_a_reaction() -> None:
    both = Each(WINDOW, unit("u"), blue=[unit("v", skill=0)], answers={"reaction to blow": ["Curse", "none"]})
    both.run("p", "u", "v")
    assert [r.get("options") for r in both.battles[0].log if r["kind"] == "decision"] == [2]
    both.run("p", "u", "v")
    assert both.get("u", "mark") == 1
    both.turn()
    for b in both.battles:
        b.players = [RandomPlayer(0), RandomPlayer(0)]
    both.run("p", "u", "v")
    assert both.get("v", "hurt") == 6


RATED = WINDOW.replace("when target.skill > 0", "rated n - target.skill_used * 2")


class Noting(UsualPlayer):
    """Notes the ratings that it is shown."""

    def __init__(self) -> None:
        self.seen: list[list[int]] = []

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        self.seen.append([int(r) for r in decision.ratings() or ()])
        return super().decide(decision, battle)


def test_a_rated_reaction_is_taken_while_it_is_worth_more_than_passing() -> None:
    both = Each(RATED, unit("u"), blue=[unit("v")])
    players = [Noting() for _ in both.battles]
    for b, player in zip(both.battles, players, strict=True):
        b.players = [player, player]
    both.run("p", "u", "v")
    assert [both.get("v", "skill_used"), both.get("u", "mark")] == [2, 1]
    for player in players:
        assert player.seen == [[2, 0, 0], [0, 0, 0], [-2, 0, 0], [-2, 0]]


# -- together --------------------------------------------------------------------------------------


def test_simultaneous_blows_cannot_silence_each_other() -> None:
    rules = UNIT + """
event fell(unit)
procedure strike(unit, target)
    if unit.hurt == 0
        target.hurt += unit.skill
        give Down to target
        emit fell(target)
            say "{unit} felled {target.hurt}"
            destroy(target)
condition Down
    may_act -1 when unit is bearer
number may_act(unit) = 1
procedure both_(unit, target)
    together
        strike(unit, target)
        strike(target, unit)
        say "within {number of units} {may_act(unit)} {unit.hurt}"
    say "after {number of units} {may_act(unit)}"
"""
    both = Each(rules, unit("u", skill=2), blue=[unit("v", skill=4)])
    both.run("both_", "u", "v")
    assert both.said == ["within 2 1 0", "v felled 2", "u felled 4", "after 0 0"]
    assert [both.get(u, "hurt") for u in "uv"] == [4, 2]


def test_additions_add_up_and_settings_must_agree() -> None:
    rules = UNIT + """
procedure adds(unit)
    together
        unit.hurt += 2
        unit.hurt -= 5
        unit.mark = 4
        unit.mark += 1
        unit.mark = 4
procedure clash(unit)
    together
        unit.hurt = 1
        unit.hurt = 2
"""
    both = Each(rules, unit("u", hurt=10))
    both.run("adds", "u")
    assert (both.get("u", "hurt"), both.get("u", "mark")) == (7, 5)
    assert '"hurt" of u is given two different values at the same moment' in fault_of(both, "clash", "u")


def test_together_in_a_loop_remembers_each_round() -> None:
    rules = EVENTS + """
procedure p(unit)
    together
        for each unit as u
            share = u.size * 10
            emit hurt_(u, 1)
                u.hurt += share + n
"""
    both = Each(rules, unit("u", size=1), unit("v", size=2))
    both.run("p", "u")
    assert [both.get(u, "hurt") for u in "uv"] == [11, 21]


# -- choices and loops -----------------------------------------------------------------------------


def test_choices() -> None:
    rules = UNIT + """
procedure one(unit)
    choose x from enemies by unit
    if x is none: result 0
    result x.size
procedure maybe(unit)
    choose x from enemies where it.size > 1 by unit or none
    if x is none: result 0
    result x.size
procedure several(unit)
    choose picked from up to 2 enemies by unit
    result total it.size over picked
procedure spend(unit)
    choose n from 1 to unit.skill by unit usually unit.skill - 1
    result n
procedure course(unit)
    choose by unit
        stand: result 1
        run_away when unit.brave: result 2
        hide: result 3
"""
    blue = [unit("v", size=1), unit("w", size=2), unit("x", size=4)]
    both = Each(rules, unit("u"), blue=blue, answers={"x": ["w", "none"], "picked": ["x", "v"], "course": "hide"})
    assert [both.run(p, "u") for p in ("one", "maybe", "several", "spend", "course")] == [2, 0, 5, 1, 3]
    shown = [(r["decision"], r["answer"], r["options"]) for r in both.battles[0].log]
    assert shown == [
        ("x", "w", 3), ("x", "none", 3), ("picked", "x", 4), ("picked", "v", 3), ("n", "1", 3), ("course", "hide", 2),
    ]  # fmt: skip
    alone = Each(rules, unit("u", skill=1))
    assert [alone.run(p, "u") for p in ("one", "several", "spend")] == [0, 0, 1]


def test_usual_answers_and_ratings() -> None:
    from warhost_battles.players import UsualPlayer

    rules = UNIT + """
procedure spend(unit)
    choose n from 1 to unit.skill by unit usually unit.skill - 1
    result n
procedure prey(unit)
    bonus = 1
    choose x from enemies by unit rated it.hurt * bonus
    if x is none: result 0
    result x.size
procedure course(unit)
    choose by unit
        stand rated 1: result 1
        hide rated unit.skill: result 3
choice worst(unit) by unit: enemies rated it.hurt
procedure named(unit)
    choose x from worst(unit) by unit
    if x is none: result 0
    result x.size
"""
    blue = [unit("v", size=1), unit("w", size=2, hurt=3), unit("x", size=4, hurt=1)]
    both = Each(rules, unit("u"), blue=blue, players=[UsualPlayer(), UsualPlayer()])
    assert [both.run(p, "u") for p in ("spend", "prey", "course", "named")] == [2, 2, 3, 2]


def test_loops_in_order() -> None:
    rules = UNIT + """
procedure by_size(unit)
    for each unit as u, in order of u.size
        say "{u}"
procedure downwards(unit)
    for each unit as u, in order of u.size, highest first
        say "{u}"
procedure chosen(unit)
    for each enemy as e, in an order chosen by unit
        say "{e}"
        if e.size > 2: stop
procedure until_(unit)
    n = 0
    repeat 10 times until n >= 4
        n += 2
    result n
"""
    blue = [unit("v", size=3), unit("w", size=1), unit("x", size=2)]
    both = Each(rules, unit("u", size=2), blue=blue, answers={"order of e": ["w", "v"]})
    both.run("by_size", "u")
    both.run("downwards", "u")
    both.run("chosen", "u")
    assert [both.said[:4], both.said[4:8], both.said[8:]] == [["w", "u", "x", "v"], ["v", "u", "x", "w"], ["w", "v"]]
    assert both.run("until_", "u") == 4


def test_a_named_choice_is_narrowed() -> None:
    rules = UNIT + """
choice prey(unit) by unit: enemies
trait Hateful
    narrow prey(unit) to enemies where it.size > 1 when unit is bearer
procedure p(unit)
    choose x from prey(unit) by unit
    if x is none: result 0
    result x.size
"""
    blue = [unit("v", size=1), unit("w", size=2)]
    both = Each(rules, unit("u"), unit("h", ("trait", "Hateful")), blue=blue, answers={"prey": "v"})
    assert [both.run("p", u) for u in "uh"] == [1, 2]


# -- faults ----------------------------------------------------------------------------------------

RUNAWAYS = UNIT + """
state of unit
    crowd: list of unit
    tale: text
flag heavy(unit) = any units where heavy(it)
number deep(unit) = deep(unit) + 1
event ping(unit)
on ping(unit)
    emit ping(unit)
procedure again(unit)
    again(unit)
procedure round_(unit)
    repeat 100000 times
        repeat 100000 times: unit.mark = 1
procedure grow(unit)
    x = 2
    repeat 1000 times: x = x * x
procedure swell(unit)
    unit.hurt = 2
    repeat 1000 times: unit.hurt += unit.hurt
procedure longer(unit)
    x = all units
    repeat 1000 times: x = joined(x, x)
procedure crowding(unit)
    repeat 1000 times: unit.crowd = joined(unit.crowd, joined(unit.crowd, unit))
procedure talk(unit)
    x = "word"
    repeat 1000 times: x = "{x}{x}"
procedure pinging(unit)
    emit ping(unit)
procedure weigh(unit)
    if heavy(unit): unit.hurt = 1
procedure dive(unit)
    if deep(unit) > 3: unit.hurt = 1
procedure hail(unit)
    x = unit rolls d6
    repeat 9 times: x = x * 10
    x = how many of x pass fall(unit)
roll fall(unit) by unit: d6 >= 2
procedure odd(unit)
    x = unit rolls d(unit.hurt)
procedure many(unit)
    repeat 1000 * 1000 times: unit.hurt += 1
procedure split(unit)
    x = unit.size / unit.hurt
"""


@pytest.mark.parametrize(
    ("name", "rule", "line", "message"),
    [
        ("again", "again", "again(unit)", "call each other without end"),
        ("round_", "round_", "repeat 100000 times: unit", "do not come to an end"),
        ("grow", "grow", "x = x * x", "number grew beyond all bounds"),
        ("swell", "swell", "unit.hurt += unit.hurt", "number grew beyond all bounds"),
        ("longer", "longer", "joined(x, x)", "list grew beyond all bounds"),
        ("crowding", "crowding", "joined(unit.crowd", "list grew beyond all bounds"),
        ("talk", "talk", '"{x}{x}"', "text grew beyond all bounds"),
        ("pinging", "handler", "    emit ping(unit)", "events bring about events without end"),
        ("weigh", "flag heavy", "flag heavy", "call each other without end"),
        ("dive", "number deep", "number deep", "call each other without end"),
        ("hail", "hail", "pass fall(unit)", "more than any game throws"),
        ("odd", "odd", "d(unit.hurt)", "no die with 0 sides"),
        ("many", "many", "repeat 1000 * 1000", "more than any game needs"),
        ("split", "split", "unit.size / unit.hurt", "division by zero"),
    ],
)
def test_rules_that_run_away_are_stopped_and_named(name: str, rule: str, line: str, message: str) -> None:
    made = program(RUNAWAYS)
    lines = enumerate(RUNAWAYS.split("\n"), 1)
    number_of_line = next(i for i, text in lines if line in text and "procedure" not in text)
    for form in FORMS:
        on = battle(made, [unit("u")], dice=[3], form=form)
        with pytest.raises(RuleFault, match=message) as caught:
            run(on, name, "u")
        assert caught.value.file == "bench.rules"
        assert caught.value.line == number_of_line
        assert rule in caught.value.rule


def test_something_missing_is_a_fault_of_the_rule() -> None:
    rules = UNIT + """
procedure p(unit)
    if unit.quarry is none: stop
    forget(unit)
    unit.mark = unit.quarry.size
procedure forget(unit)
    unit.quarry = none
"""
    made = program(rules)
    for form in FORMS:
        on = battle(made, [unit("u")], form=form)
        on.put(on.entity("u"), "quarry", on.entity("u"))
        with pytest.raises(RuleFault, match="none is used as if it were there") as caught:
            run(on, "p", "u")
        assert (caught.value.file, caught.value.line, caught.value.rule) == ("bench.rules", 15, "p")


def test_a_fault_in_a_condition_of_something_in_force_is_found_in_its_line() -> None:
    rules = UNIT + """
number n(unit) = 1
table price by x
    1: 2
trait Dear
    n +price(unit.hurt) when unit is bearer
procedure p(unit)
    result n(unit)
"""
    made = program(rules)
    faults = []
    for form in FORMS:
        on = battle(made, [unit("u", ("trait", "Dear"), hurt=5)], form=form)
        with pytest.raises(RuleFault, match="no case of the table price fits") as caught:
            run(on, "p", "u")
        faults.append((str(caught.value), caught.value.line))
    assert faults[0] == faults[1]


# -- the trace -------------------------------------------------------------------------------------


def test_the_trace_tells_how_a_number_came_about() -> None:
    rules = UNIT + """
number need(attacker, target) = attacker.skill
    +bonus(attacker) because "bonus"
    at least 1
number bonus(unit) = 1
trait Evasion(n)
    need -n when target is bearer because "evasion"
roll hit(attacker, target) by attacker: d6 <= need(attacker, target)
procedure p(attacker, target)
    result roll hit(attacker, target)
"""
    on = battle(program(rules), [unit("u")], [unit("v", ("trait", "Evasion", 2))], dice=[2], trace=True)
    assert run(on, "p", "u", "v") is True
    (why,) = on.log[0]["why"]
    assert (why["number"], why["of"], why["base"], why["value"]) == ("need", ["u", "v"], 3, 2)
    assert [(c["op"], c["value"], c["because"]) for c in why["changes"]] == [
        ("add", 1, "bonus"), ("floor", 1, ""), ("add", -2, "evasion"),
    ]  # fmt: skip
    assert [inner["number"] for inner in why["from"]] == ["bonus"]


def test_the_untraced_battle_has_no_trace() -> None:
    on = battle(program(WINDOW), [unit("u")], [unit("v")])
    run(on, "p", "u", "v")
    assert not any("why" in record for record in on.log)




# -- what the compiled form keeps and what it writes in place --------------------------------------


def test_numbers_that_go_through_lists_follow_the_state() -> None:
    """They are kept while nothing changes, and anything may: a field, a thing that goes, a modifier, the turn."""
    rules = UNIT + """
number worst(unit) = highest of (it.hurt + extra(it)) over units where it is not unit
number extra(unit) = battle.turn
    +1 when unit.brave
procedure change(unit, other: unit)
    say "{worst(unit)}"
    other.hurt += 3
    say "{worst(unit)}"
    extra(unit: other) +10 until end of turn
    say "{worst(unit)}"
    together
        other.hurt += 2
        say "{worst(unit)}"
    say "{worst(unit)}"
    destroy(other)
    say "{worst(unit)}"
"""
    both = Each(rules, unit("u"), unit("v", brave=True), unit("w"))
    both.run("change", "u", "v")
    assert both.said == ["1", "4", "14", "14", "16", "0"]
    both.turn()
    assert both.compute("worst", "u") == 1


def test_several_fields_written_one_after_the_other() -> None:
    """Each sees what the one before has written, keeps its limits, and counts for whoever asks next."""
    rules = UNIT + """
state of unit
    left: number = 9  at least 2 at most 12
number most(unit) = highest hurt in units where it is not unit
procedure p(unit, other: unit)
    other.hurt = most(other) + 5
    unit.left = other.hurt - 9
    unit.mark = unit.left * 2
    other.mark = most(unit)
    unit.left += unit.mark * 3
    unit.hurt -= 1
    unit.mark = most(other)
"""
    both = Each(rules, unit("u", hurt=2), unit("v"))
    both.run("p", "u", "v")
    assert [both.get("v", "hurt"), both.get("v", "mark")] == [7, 7]
    assert [both.get("u", "left"), both.get("u", "hurt"), both.get("u", "mark")] == [12, 1, 1]


def test_short_numbers_stand_where_they_are_asked() -> None:
    """Also one that is asked about something else than its caller calls so, and within a list."""
    rules = UNIT + """
number sore(unit) = unit.hurt + 1
flag angry(unit) = unit.hurt >= 3 and unit.brave
noun brute, plural brutes is a unit where it.hurt >= 2
flag worse(unit, other: unit) = sore(other) > sore(unit) and other is a brute
number fury(unit) = number of units where (worse(unit, it) and it is angry)
procedure p(unit, other: unit): number
    if worse(other, unit) or other is angry: result fury(other)
    result 10 + fury(other) + sore(unit)
"""
    both = Each(rules, unit("u", hurt=1), unit("v", hurt=4, brave=True), unit("w", hurt=6, brave=True))
    assert [both.compute("fury", x) for x in "uvw"] == [2, 1, 0]
    assert [both.run("p", "u", "v"), both.run("p", "v", "u")] == [1, 2]
