"""What is given stays within the limits of fields: beyond them it is refused, in every ruleset, and says why."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

import warhost
from tests.odds.rulebooks import rules_of
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import Refused, UsageError, WarhostError
from warhost.lang.python_backend import attribute
from warhost_odds.questions import Prepared, UnitSpec, _read, questions, set_up

PAIRS = {
    "small_fantasy": ("orc_mob:10", "elf_spears:10"),
    "arcana": ("orcs_orc_warrior:10", "dwarves_axemen:10"),
    "destiny": ("sergeant:1", "bruiser:1"),
    "legiones": ("sample_archers:1", "sample_loose:1"),
    "three_plains": ("kingdom_spears:12", "kingdom_halberds:12"),
}

#: Figures that may be anything: places and directions, turns of which the first lies before the battle, sums that may
#: be less than nothing, and what computer players think.
FREE = {
    "x", "y", "facing", "heading", "post_x", "post_y", "from_x", "from_y", "fell_x", "fell_y", "leans", "danger",
    "fire", "temper", "fell_in", "fell_back_in", "died_in", "mirage_in", "tested_at", "wild", "detached", "stealth",
    "fear_faced", "soldiering_now", "stress_now", "lucky_dice", "summons_left", "raised_left", "models_lost",
    "wounds_lost", "wounds_of_dead", "lost_to_fear", "lost_to_ground", "behind_busy", "crew_in_step",
    "crew_lost_before", "battered_before", "heads_before", "elsewhere", "over_the_corner", "missed_by",
    "wounds_of_commanders", "moves_among", "struck_strength", "more_wounds", "strong_before", "extra_move",
    "over_formula",
}  # fmt: skip


def asked(book: str, *given: str) -> Prepared:
    rules = rules_of(book)
    one, other = (UnitSpec.parse(spec, rules) for spec in PAIRS[book])
    return set_up(rules, next(iter(questions(rules).values())), one, other, given=given)


@cache
def standing(book: str) -> Prepared:
    """A pair as it stands when nothing is given."""
    return asked(book)


def told(book: str, step: str) -> str:
    """Why a step is refused to a pair that stands, without another set-up: what it may write is undone."""
    prepared = standing(book)
    before = Checkpoint(prepared.battle)
    (given,) = _read(prepared.battle, [step], {"attacker": prepared.attacker, "defender": prepared.defender})
    try:
        prepared.battle.guarded(lambda: given(prepared.battle))
    except Refused as error:
        return error.message
    finally:
        before.restore()
    return ""


def figures(book: str) -> list[tuple[str, Any, Any, Any]]:
    """Every figure that the rules write of a unit: its name, its limits, and what it begins with here."""
    unit = standing(book).defender
    fields = rules_of(book).program.nouns["unit"].fields.values()
    return [
        (f.name, f.at_least, f.at_most, getattr(unit, attribute(f.name))) for f in fields
        if f.writable and not f.profile and f.type.kind in ("number", "fraction", "distance") and not f.type.optional
    ]  # fmt: skip


@pytest.mark.parametrize("book", PAIRS)
def test_no_figure_lies_beyond_its_limits(book: str) -> None:
    found = figures(book)
    assert len(found) > 10
    for name, low, high, _ in found:
        if low is None:
            assert name in FREE, f"{name} may be less than nothing"
        else:
            refused = told(book, f"defender.{name} = {low} - 3")
            assert f"defender.{name} would be {low - 3}: it is {low} at least" in refused
        if high is not None:
            assert f"it is {high} at most" in told(book, f"defender.{name} = {high} + 1")


@pytest.mark.parametrize(
    ("book", "field"),
    [
        ("small_fantasy", "figures"), ("arcana", "models"), ("arcana", "started"), ("three_plains", "models"),
        ("destiny", "hero_points"),
    ],
)  # fmt: skip
def test_nobody_is_more_than_he_began_as(book: str, field: str) -> None:
    start = next(now for name, _, _, now in figures(book) if name == field)
    for step in ("= 99", "+= 1", f"= {start} + 1"):
        assert f": it begins with {start}, and no more can be given" in told(book, f"defender.{field} {step}")
    for step in (f"= {start}", "= 0"):
        assert not told(book, f"defender.{field} {step}")


@pytest.mark.parametrize(
    ("book", "given", "says"),
    [
        ("small_fantasy", "defender.wounds_taken = 99", "still stands with 99 wounds"),
        ("arcana", "defender.wounds_on = 99", "still stands with 99 wounds"),
        ("legiones", "defender.damage = 99", "has 4 hit points and cannot have lost 99"),
        ("destiny", "defender.damage = 99", "it is 3 at most"),
        ("destiny", "defender.damage = -3", "it is 0 at least"),
    ],
)
def test_hit_points_have_limits(book: str, given: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        asked(book, given)


@pytest.mark.parametrize(
    "given",
    [
        "defender.figures -= 11", "if 1 == 1: defender.figures = 99", "for each unit: it.figures = 0 - 1",
        "defender.figures = attacker rolls 20d6", "attacker.figures = defender.figures + 1",
        "together: defender.figures += 4", "repeat 2 times: defender.figures -= 6",
    ],
)  # fmt: skip
def test_every_way_of_writing_is_looked_at(given: str) -> None:
    assert "figures would be" in told("small_fantasy", given.replace(": ", "\n    ", 1))


def test_a_larger_unit_is_asked_by_its_size() -> None:
    answer = warhost.odds("small_fantasy", "orc_mob:10", "elf_spears:12", given=["defender.figures = 12"])
    assert answer.setup["defender"]["figures"] == 12
    with pytest.raises(WarhostError):
        warhost.odds("small_fantasy", "orc_mob:10", "elf_spears:12", given=["defender.figures = 13"])
