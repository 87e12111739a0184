"""The manifest's questions, units written in a line, settings, and conditions that are given."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from odds.rulebooks import put, rules_of
from warhost.errors import Problem, RulesInvalid, UsageError, mistakes
from warhost.packs import Ruleset, read
from warhost_battles.players import FirstOption
from warhost_odds import telling
from warhost_odds.asking import ask
from warhost_odds.questions import UnitSpec, asked, questions, set_up, settings_of

MANIFEST = """\
id: mine
title: Mine
edition: "1"
length_unit: cm
plugins: [warhost_weapons, warhost_psychology, warhost_magic, warhost_terrain, warhost_field]
extends: small_fantasy
odds:
  brawl:
    title: A brawl
    sets_up: {sets_up}
    round: {round}
    over: {over}
    outcome: {outcome}
    losses: {losses}
    worth_lost: points_fallen
    settings: {settings}
    untold: {untold}
"""
RULES = """\
procedure meet(attacker: unit, defender: unit, weather: text, half: fraction, calm: yes_no, facing: unit_side,
    arm: weapon)
    set_up_melee(attacker, defender, facing, 0, not calm)

procedure meet_nobody(side)
    side.on_the_move = 0

procedure exchange_blows(attacker: unit, defender: unit)
    combat_step()
    removal_step()

procedure strike_out(attacker: unit, blows)
    attacker.wounds_noted += blows

procedure meet_many(attacker: unit, defender: unit, others: list of unit)
    set_up_melee(attacker, defender, front, 0, no)
"""
RIGHT = {
    "sets_up": "meet", "round": "exchange_blows", "over": "duel_over", "outcome": "duel_outcome", "losses": "lost",
    "settings": "{weather: fair, half: 1/2, calm: no, facing: flank}", "untold": "[half]",
}  # fmt: skip


def mine(folder: Path, **wrong: str) -> tuple[Ruleset, list[Problem]]:
    """A ruleset over small_fantasy with one question of its own."""
    place = folder / "mine"
    (place / "rules").mkdir(parents=True)
    (place / "ruleset.yaml").write_text(MANIFEST.format(**{**RIGHT, **wrong}))
    (place / "rules" / "brawl.rules").write_text(RULES)
    found, problems = read(place)
    assert found is not None
    return found, problems


def test_a_question_has_its_settings_with_their_types(tmp_path: Path) -> None:
    rules, problems = mine(tmp_path)
    assert mistakes(problems) == []
    assert list(questions(rules)) == ["melee", "shooting", "brawl"]
    brawl = rules.section("odds")["brawl"]
    assert [(s.name, str(s.type), s.default) for s in brawl.settings] == [
        ("weather", "text", "fair"), ("half", "fraction", Fraction(1, 2)), ("calm", "yes_no", False),
        ("facing", "unit_side", "flank"), ("arm", "weapon", None),
    ]  # fmt: skip
    assert brawl.subject is brawl.settings[-1]
    assert brawl.outcomes == ("attacker_wins", "defender_wins", "both_hold", "both_lose")
    question, settings = asked("brawl: bow", rules)
    assert (question, settings) == (brawl, {"arm": "Bow"})
    prepared = put(rules, "brawl:Spear", "elf_warriors:4", "orc_mob:4", {"calm": "yes", "half": "0.25"})
    assert prepared.settings == {
        "weather": "fair", "half": Fraction(1, 4), "calm": True, "facing": "flank", "arm": "Spear"
    }  # fmt: skip
    assert not prepared.attacker.charged


@pytest.mark.parametrize(
    ("wrong", "line", "code", "message", "hint"),
    [
        ({"sets_up": "mete"}, 10, "unknown-procedure", 'there is no procedure "mete"', "meet"),
        ({"sets_up": "meet_nobody"}, 10, "wrong-question", "must take (attacker: unit, defender: unit)", "settings"),
        ({"sets_up": "meet_many"}, 10, "wrong-question", "others: list of unit cannot be a setting", "a word"),
        ({"round": "test_morale"}, 11, "wrong-question", "it takes (unit: unit)", "settings"),
        ({"round": "{without: [opneing]}"}, 11, "unknown-phase", 'the turn has no phase "opneing"', "opening"),
        ({"round": "{instead: {combat: nobody_knows}}"}, 11, "unknown-procedure", "there is no procedure", None),
        ({"round": "{instead: {combat: strike_out}}"}, 11, "wrong-question", "or less, not (attacker", None),
        ({"round": "{without: [combat], instead: {combat: combat_step}}"}, 11, "wrong-question", "is left out", "one"),
        ({"over": "duel_outcome"}, 12, "unknown-flag", 'there is no flag "duel_outcome"', "duel"),
        ({"outcome": "aim"}, 13, "wrong-question", "must take (attacker: unit, defender: unit)", "settings"),
        ({"outcome": "duel_over"}, 13, "unknown-value", 'there is no value "duel_over"', "duel"),
        ({"losses": "blow_armour_of"}, 14, "unknown-number", "there is no number", "blow_armour"),
        ({"settings": "{wether: fair}"}, 16, "unknown-setting", 'no parameter "wether"', "weather"),
        ({"settings": "{facing: sideways}"}, 16, "wrong-setting", 'there is no unit side "sideways"', None),
        ({"settings": "{calm: perhaps}"}, 16, "wrong-setting", '"perhaps" is neither yes nor no', None),
        ({"settings": "{half: much}"}, 16, "wrong-setting", '"much" is no number', None),
        ({"untold": "[harf]"}, 17, "unknown-setting", '"harf" has no default', "half"),
        ({"untold": "[arm]"}, 17, "unknown-setting", '"arm" has no default', None),
    ],
)
def test_what_is_wrong_is_told_where_it_stands(
    tmp_path: Path, wrong: dict[str, str], line: int, code: str, message: str, hint: str | None
) -> None:
    rules, problems = mine(tmp_path, **wrong)
    told = [p for p in problems if message in p.message]
    assert [(p.line, p.code) for p in told] == [(line, code)], problems
    assert told[0].file.endswith("mine/ruleset.yaml")
    assert hint is None or hint in (told[0].hint or "")
    with pytest.raises(RulesInvalid):
        rules.section("odds")


def test_the_schema_wants_every_rule_of_a_question(tmp_path: Path) -> None:
    place = tmp_path / "mine"
    place.mkdir()
    (place / "ruleset.yaml").write_text(MANIFEST.format(**RIGHT).replace("    round: exchange_blows\n", ""))
    _, problems = read(place)
    assert any('"round"' in p.message for p in problems)


# -- units ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown", "list_id"),
    [
        ("elf_riders:12", "elf_riders:12", "elves"),
        ("Elf riders:12,spears", "elf_riders:12,spears", "elves"),
        (" elf  RIDERS : 3 , Spears ", "elf_riders:3,spears", "elves"),
        ("elf_warriors", "elf_warriors:6", "elves"),
    ],
)
def test_a_unit_in_one_line(text: str, shown: str, list_id: str) -> None:
    rules = rules_of("small_fantasy")
    spec = UnitSpec.parse(text, rules)
    assert (str(spec), spec.list) == (shown, list_id)
    assert UnitSpec.parse(str(spec), rules) == spec
    assert spec.with_count(7).count == 7


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("elf ridders:4", 'no unit "elf ridders"; did you mean "Elf riders"?'),
        ("", "names no unit"),
        (":4", "names no unit"),
        ("elf_riders:four", 'a whole number, not "four": elf_riders:20'),
        ("elf_riders:", "and nothing stands there: elf_riders:20"),
        ("elf_riders:0", "a unit has from 1"),
        ("elf_riders:-3", "a unit has from 1"),
        ("elf_riders:99999", "a unit has from 1 to 10,000"),
        ("elf_riders:4,speers", 'no option "speers"; did you mean "spears"?'),
        ("elf_warriors:4,spears", "it has none"),
        ("elf_foot:4", 'no unit "elf_foot"'),
    ],
)
def test_a_unit_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError) as told:
        UnitSpec.parse(text, rules_of("small_fantasy"))
    assert words in str(told.value)


def test_units_of_one_name_are_told_apart_by_their_ids() -> None:
    rules = rules_of("arcana")
    names: dict[str, list[str]] = {}
    for profile in rules.profiles.values():
        names.setdefault(profile.name, []).append(profile.id)
    name, ids = next((n, i) for n, i in names.items() if len(i) > 1)
    with pytest.raises(UsageError) as told:
        UnitSpec.parse(f"{name}:5", rules)
    assert all(one in str(told.value) for one in ids)


def test_options_count_as_the_army_list_has_them() -> None:
    rules = rules_of("arcana")
    spec = UnitSpec.parse("dwarves_dwarf_lord:1,crossbow", rules)
    prepared = set_up(rules, rules.section("odds")["shooting"], spec, UnitSpec.parse("orcs_orc_warrior:10", rules))
    assert "Crossbow" in prepared.attacker._titles
    assert prepared.attacker.cost == 232


# -- questions -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mele", 'no question "mele"; did you mean "melee"?'),
        ("dance", "there is melee, shooting, spell"),
        ("melee:now", "asks for nothing"),
        ("spell:Fire Spry", 'no spell "Fire Spry"; did you mean "Fire Spray"?'),
    ],
)
def test_a_question_that_is_none_is_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError) as told:
        asked(text, rules_of("arcana"))
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("what", "settings", "words"),
    [
        ("spell", {}, "needs to know the spell: --set spell=SPELL"),
        ("melee", {"facings": "rear"}, 'no setting "facings"; did you mean "facing"?'),
        ("melee", {"facing": "top"}, "there is front, flank, rear"),
        ("melee", {"frontage": "2.5"}, "no whole number"),
        ("shooting", {"distance": "far"}, '"far" is no number'),
    ],
)
def test_settings_are_checked(what: str, settings: dict[str, Any], words: str) -> None:
    rules = rules_of("arcana")
    with pytest.raises(UsageError) as told:
        settings_of(rules.section("odds")[what], settings, rules)
    assert words in str(told.value)


def test_a_ruleset_without_questions_says_so(tmp_path: Path) -> None:
    (tmp_path / "ruleset.yaml").write_text('id: bare\ntitle: Bare\nedition: "1"\nlength_unit: cm\n')
    (tmp_path / "all.rules").write_text("turn\n    phase one: act\n\nprocedure act()\n    stop\n")
    rules, _ = read(tmp_path)
    assert rules is not None
    with pytest.raises(UsageError, match="does not say what may be asked"):
        questions(rules)


def test_what_is_given_is_run_after_the_set_up() -> None:
    rules = rules_of("small_fantasy")
    given = ("attacker.charged = no", "defender.figures = defender.size - attacker.figures\ndefender.disorder = 1")
    prepared = put(rules, "melee", "elf_warriors:4", "orc_mob:10", given=given)
    assert (prepared.attacker.charged, prepared.defender.figures, prepared.defender.disorder) == (False, 6, 1)
    assert prepared.battle.dice.thrown == 0
    assert prepared.tally() == ("both_hold", 0, 0, 0, 0)  # four had gone before the fight
    assert prepared.before == (0, 4, 0, 32)
    assert not prepared.is_over()
    with pytest.raises(RulesInvalid, match="given 1"):
        put(rules, "melee", "elf_warriors:4", "orc_mob:10", given=("attacker.charmed = yes",))
    thrown = put(rules, "melee", "elf_warriors:6", "orc_mob:10", given=("attacker.figures = attacker rolls d6",))
    assert [one.chance for one in thrown.beginnings] == pytest.approx([1 / 6] * 6)


def test_the_two_stand_as_the_question_says() -> None:
    rules = rules_of("arcana")
    near = put(rules, "shooting", "dwarves_crossbowmen:8", "orcs_orc_warrior:12", {"distance": "7"})
    distance = rules.program.natives["distance"].call
    assert distance(near.battle, near.attacker, near.defender) == 7
    wide = put(rules, "melee", "dwarves_axemen:20", "orcs_orc_warrior:12", {"frontage": "10", "facing": "rear"})
    assert (wide.attacker.files, wide.defender.files) == (10, 10)
    assert wide.defender.came_from_behind == [wide.attacker]
    assert wide.battle.broken_laws() == []


def test_another_player_may_answer_the_choices() -> None:
    rules = rules_of("arcana")
    units = UnitSpec.parse("dwarves_crossbowmen:12", rules), UnitSpec.parse("orcs_orc_warrior:12", rules)
    usual = set_up(rules, rules.section("odds")["melee"], *units)
    first = set_up(rules, rules.section("odds")["melee"], *units, player=FirstOption())
    assert (usual.attacker.formation, first.attacker.formation) == ("skirmish", "rank_and_file")


def test_what_goes_without_saying_is_told_when_it_is_otherwise() -> None:
    rules = rules_of("small_fantasy")
    one, other = (
        ask(rules, "orc_mob:1", "elf_spears:1", settings=settings) for settings in ({}, {"frontage": "3"})
    )
    assert telling.question(one) == "A melee, one round, facing front, charging"
    assert telling.question(other) == "A melee, one round, facing front, frontage 3, charging"
    assert one.as_dict()["settings"]["frontage"] == 0
