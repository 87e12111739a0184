"""What differs between two editions, versions or with a house rule, as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.game import write
from tests.diff.conftest import lay_out
from warhost.packs import load
from warhost_diff.comparing import compare
from warhost_diff.difference import ChangedThing, Difference
from warhost_diff.matchups import compare_odds


@pytest.fixture(scope="module")
def editions(shelf: Path, cache: Path) -> Difference:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_PATH", str(shelf))
        patch.setenv("WARHOST_CACHE", str(cache))
        return compare(load("tavern@2"), load("tavern@3"))


def the(found: Difference, kind: str, name: str) -> ChangedThing:
    (change,) = (one for one in found.changes if (one.kind, one.name) == (kind, name))
    return change


def lines(change: ChangedThing) -> list[tuple[str, str | None, str | None]]:
    return [(line.label, line.before, line.after) for line in change.lines]


def test_a_ruleset_does_not_differ_from_itself(shelf: Path) -> None:
    found = compare(load("tavern@2"), load(shelf / "tavern"))
    assert found.same
    assert (found.changes, found.armies) == ((), ())


def test_a_replaced_line_is_told_before_and_after_with_its_layer_and_place(editions: Difference) -> None:
    change = the(editions, "number", "punch")
    (line,) = change.lines
    assert line.before == '+1 when unit.standing > 5 because "many hands"'
    assert line.after == '+2 when unit.standing > 6 because "many hands"'
    assert line.layer == "tavern@3"
    assert line.place.endswith("tavern3/rules/changes.rules:2")
    assert [by.what for by in change.by] == ["amended"]
    assert change.book == ("Hitting",)


def test_what_a_number_is_without_any_change_and_its_sentence(editions: Difference) -> None:
    change = the(editions, "number", "points")
    assert lines(change) == [("without any change", "unit.size * unit.grit", "unit.size * unit.grit + 1")]
    assert (change.reads_before, change.reads) == ("", "A unit costs its grit for each of its members, and one.")


def test_what_is_removed_says_who_has_removed_it(editions: Difference) -> None:
    change = the(editions, "rule", "Tired fists")
    assert change.what == "removed"
    assert change.reads_before == "Late in the night everybody hits at one less."
    assert [(by.layer, by.what) for by in change.by] == [("tavern@3", "removed")]


def test_what_is_renamed_is_not_told_as_new_nor_at_those_who_bear_it(editions: Difference) -> None:
    change = the(editions, "trait", "Slow as Mud")
    assert (change.what, change.was, change.lines) == ("renamed", "Thick", ())
    assert "traits" not in {line.label for line in the(editions, "profile", "smith").lines}


def test_lists_whose_options_bear_it_are_not_told_either(place: Path) -> None:
    fat = place / "fat.yaml"
    fat.write_text(
        "lists:\n  gang:\n    amend: true\n    units:\n"
        '      - {profile: boss, options: [{id: fat, name: Fat, points: 1, traits: ["Thick(2)"]}]}\n', encoding="utf-8"
    )  # fmt: skip
    names = place / "names.rules"
    names.write_text('house rule "Names" for tavern\n    rename trait Thick to Mud\n', encoding="utf-8")
    found = compare(load("tavern@2", [fat]), load("tavern@2", [fat, names]))
    assert {(change.kind, change.name) for change in found.changes} == {("trait", "Mud")}


def test_words_and_naturals_that_an_edition_adds(editions: Difference) -> None:
    assert lines(the(editions, "words", "temper")) == [("", None, "grumpy")]
    assert lines(the(editions, "roll", "hits")) == [("", None, "  natural 1 fails")]


def test_the_turn_phase_by_phase(editions: Difference) -> None:
    assert lines(the(editions, "turn", "")) == [
        ("Warming up", None, "first, before The brawl"), ("", None, '  say "They stretch."'),
    ]  # fmt: skip


def test_figures_of_units_and_those_that_change_alike_together(editions: Difference) -> None:
    change = the(editions, "profile", "smith")
    assert lines(change) == [("grit", "3", "4"), ("reach", "2", "3")]
    alike = the(editions, "profile", "lout")
    assert (alike.title, alike.also) == ("Louts", ("The Boss",))
    assert lines(alike) == [("reach", None, "1")]
    assert the(editions, "profile", "bouncer").what == "added"


def test_cells_of_tables_rows_of_lists_and_settings_of_scenarios(editions: Difference) -> None:
    assert lines(the(editions, "table", "ale")) == [("lout", "3", "2"), ("boss", None, "9"), ("bouncer", None, "2")]
    assert lines(the(editions, "list", "gang")) == [
        ("Louts: size: max", "8", "5"), ("Bouncers", None, "size min 1, max 3"),
    ]  # fmt: skip
    assert lines(the(editions, "scenario", "taproom")) == [("settings: turns", "3", "5")]


def test_ready_armies_that_cost_something_else(editions: Difference) -> None:
    (army,) = editions.armies
    assert (army.id, army.before.points, army.after.points, army.after.legal) == ("blues", 22, 28, True)
    assert the(editions, "army", "reds").what == "removed"
    assert editions.examples == {"added": 1, "removed": 2, "changed": 0}


def test_ready_armies_that_become_illegal() -> None:
    found = compare(load("tavern@2"), load("tavern@2", ["no_louts"]))
    assert [(army.id, army.after.reasons) for army in found.armies] == [
        ("blues", ("Louts stay at home.",)), ("reds", ("Louts stay at home.",)),
    ]  # fmt: skip
    assert found.b.named == "tavern@2 with No louts"
    assert [(c.kind, c.name, c.what) for c in found.changes] == [("constraint", "no_louts", "added")]


def test_two_versions_of_a_folder_whatever_their_layout(place: Path) -> None:
    one = write(place / "one")
    other = write(place / "other", {"turn.rules": (
        "# Only the layout.\nturn  ref T-1\n    phase brawl \"The brawl\": brawl\n    # last\n"
        "    phase closing \"Last orders\": last_orders\n"
    )})  # fmt: skip
    assert compare(load(one), load(other)).same
    changed = write(place / "third", {"turn.rules": (
        "turn\n    phase closing \"Last orders\": last_orders\n    phase brawl \"The brawl\", each unit: strike\n"
    )})  # fmt: skip
    found = compare(load(one), load(changed))
    assert lines(the(found, "turn", "")) == [
        ("Last orders", "last, after The brawl", "first, before The brawl"),
        ("The brawl", "brawl", "each unit: strike"),
    ]  # fmt: skip


def test_a_procedure_statement_by_statement(place: Path) -> None:
    house = place / "early.rules"
    house.write_text(
        'house rule "Early" for tavern\n    replace procedure last_orders()\n'
        '        if battle.turn >= scenario.turns - 1\n            end_battle(none, "the watch came")\n'
    )
    change = the(compare(load("tavern@2"), load("tavern@2", [house])), "procedure", "last_orders")
    said = lines(change)
    assert ("", "  if battle.turn >= scenario.turns", "  if battle.turn >= scenario.turns - 1") in said
    assert ("", '    end_battle(side_b, "nobody else was left standing")', None) in said
    assert not any(before == '    end_battle(none, "the watch came")' for _, before, _ in said)


def test_advice_to_computer_players_is_no_rule(place: Path) -> None:
    house = place / "wise.rules"
    house.write_text(
        'house rule "Wise" for tavern\n    advise procedure strike\n        foe rated it.standing\n', encoding="utf-8"
    )
    found = compare(load("tavern@2"), load("tavern@2", [house]))
    (change,) = found.changes
    assert (change.section, change.name) == ("Computer players", "strike")
    assert lines(change) == [("", None, "  foe rated it.standing")]


def test_a_long_text_in_parts_is_told_whole(place: Path) -> None:
    house = place / "quiet.rules"
    house.write_text(
        'house rule "Quiet" for tavern\n    constraint quiet(army)\n'
        '        require not any units in army where it.loud\n'
        '        otherwise "Nobody may"\n                "shout."\n', encoding="utf-8"
    )  # fmt: skip
    change = the(compare(load("tavern@2"), load("tavern@2", [house])), "constraint", "quiet")
    assert change.lines[-1].after == '  otherwise "Nobody may shout."'


def test_which_fights_come_out_otherwise() -> None:
    before = load("tavern@2")
    odds, *_ = compare_odds(before, load("tavern@3"), most=3)
    assert (odds.question, odds.compared) == ("A brawl", 3)
    assert odds.moved
    for one in odds.moved:
        assert abs(one.before - one.after) > 0.05
    same, *others = compare_odds(before, before, most=2)
    assert not any(one.moved for one in others)
    assert (same.compared, same.moved) == (2, ())


def test_a_house_rule_that_is_a_folder(place: Path) -> None:
    folder = lay_out(place / "long_night", {
        "rules.rules": 'house rule "Long night" for tavern\n    rule "Late"\n        punch -1 when battle.turn >= 9\n',
        "scenarios/taproom.yaml": "id: taproom\namend: true\nsettings: {turns: 12}\n",
    })  # fmt: skip
    found = compare(load("tavern@2"), load("tavern@2", [folder]))
    assert lines(the(found, "scenario", "taproom")) == [("settings: turns", "3", "12")]
    assert the(found, "rule", "Late").by[0].layer == "long_night"
