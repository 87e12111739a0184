"""explain."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, data


def explained(run: Run, *name: str) -> Any:
    return data(run("explain", "tavern", *name, "--json"))


def test_a_number_tells_what_changes_it(run: Run) -> None:
    found = explained(run, "punch")
    assert (found["kind"], found["name"], found["signature"]) == ("number", "punch", "punch(unit)")
    assert found["reads"] == "A number for unit: unit.grit, unless something changes it."
    by = {(c["origin"], c["op"], c["value"], c["when"], c["because"]) for c in found["modified_by"]}
    assert ("rule Tired fists", "add", "-1", "battle.turn >= 3", "tired") in by
    assert ("number punch", "add", "1", "unit.standing > 5", "many hands") in by
    assert ("trait Boss", "add", "1", "unit is bearer", "the boss") in by
    assert found["rules"] == [{"id": "T-3", "chapter": "The night", "title": "Hitting"}]
    assert found["file"].endswith("rules/brawl.rules")
    assert found["line"] == 16
    assert "roll hits" in found["used_by"]
    assert [e["title"] for e in found["examples"]] == ["Late at night they hit on one", "Louts hit on two"]


def test_the_layers_are_told(run: Run) -> None:
    found = data(run("explain", "tavern", "last_orders", "--house", "short_night", "--json"))
    assert [(h["layer"], h["what"]) for h in found["history"]] == [("tavern@2", "defined"), ("short_night", "replaced")]
    assert found["layer"] == "short_night"
    changes = data(run("explain", "tavern", "punch", "--house", "short_night", "--json"))["modified_by"]
    assert {c["layer"] for c in changes} == {"tavern@2", "short_night"}
    text = run("explain", "tavern", "procedure last orders", "--house", "short_night").stdout
    assert "replaced by short_night" in text


def test_a_profile_lists_the_fields_that_others_have_added(run: Run, place: Path) -> None:
    rules = 'house rule "Rain" for tavern\n    profile of scenario\n        wet: yes_no = no\n'
    (place / "rain.rules").write_text(rules, encoding="utf-8")
    said = run("explain", "tavern", "profile scenario", "--house", "rain.rules").output
    assert "  fields\n    turns: number = 4\n    wet: yes_no = no\n" in said


def test_a_definition(run: Run) -> None:
    found = explained(run, "boss")
    assert found["kind"] in ("trait", "profile") or found["matches"]
    found = explained(run, "trait", "Boss")
    assert found["reads"] == "Hits at one more."
    assert found["parts"]["borne by"] == ["The Boss"]
    assert [c["number"] for c in found["modifies"]] == ["punch"]
    assert "constraint one_boss" in found["used_by"]


def test_a_profile(run: Run) -> None:
    found = explained(run, "smiths")
    assert found["kind"] == "profile"
    assert found["figures"] == {"trade": "iron", "grit": 3, "reach": 2, "traits": "Thick(2)"}
    assert found["parts"]["builds on"] == ["body"]
    assert found["parts"]["army lists"] == ["The gang"]


def test_a_rule_of_the_book(run: Run) -> None:
    found = explained(run, "T-4")
    assert found["kind"] == "rule of the book"
    assert found["reads"] == "Tired fists (The night)."
    assert found["parts"]["implemented by"][0].startswith("rule Tired fists: Late in the night")
    assert "Ruled out: the book names them" in run("explain", "tavern", "t-7").stdout


def test_a_title_that_book_and_rules_share_means_the_rules(run: Run) -> None:
    assert explained(run, "tired", "fists")["kind"] == "rule"


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("may_hit", "flag", "Yes or no for unit: unit.standing >= 1"),
        ("hits", "roll", "made by unit against foe: d6 <= punch(unit)"),
        ("strike", "procedure", "A step of the game, done with unit."),
        ("struck", "event", "something that happens"),
        ("one_boss", "constraint", "A gang has one boss"),
        ("foe", "noun", "A kind of unit."),
        ("ale", "table", "A table by guest."),
        ("grit", "characteristic", "A characteristic of every unit (number)"),
        ("standing", "state", "A state of every unit (number, it.size unless given)"),
        ("The brawl", "phase", "Phase 1 of 2 of every turn."),
        ("taproom", "scenario", "The taproom, a scenario."),
        ("gang", "army list", "The gang"),
        ("reds", "army", "The Reds"),
        ("no_louts", "house rule", "Louts stay at home."),
        ("traits", "kind", "a lasting quality"),
        ("turn", "turn", "in every turn"),
    ],
)
def test_everything_with_a_name_can_be_explained(run: Run, name: str, kind: str, said: str) -> None:
    found = explained(run, name)
    assert found["kind"] == kind
    assert said.lower() in found["reads"].lower()
    assert run("explain", "tavern", name).stdout


def test_every_name_of_the_index_can_be_explained(games: Any) -> None:
    from warhost.packs import load
    from warhost_explain.explaining import explain, index

    rules = load("tavern", ["short_night"])
    for match in index(rules):
        found = explain(rules, match)
        assert found.to_json()["kind"] == match.kind
        assert found.reads or found.kind in ("kind", "function"), match.id


def test_several_meanings_are_listed(run: Run) -> None:
    text = run("explain", "tavern", "lout").stdout
    assert "Lout" in text
    found = explained(run, "the", "boss")
    assert found["kind"] == "profile"
    listed = data(run("explain", "tavern", "BOSS", "--json"))
    assert {m["id"] for m in listed["matches"]} == {"trait Boss", "profile boss"}
    assert "has 2 meanings" in run("explain", "tavern", "BOSS").stdout


def test_unknown_names_are_answered_with_near_ones(run: Run) -> None:
    assert "near it are: number punch" in run("explain", "tavern", "punsh", code=2).stderr
    assert 'nothing in tavern is called "xyzzyq"' in run("explain", "tavern", "xyzzyq", code=2).stderr


# -- lists, words, numbers of units, places -------------------------------------------------------------


def test_a_word_is_searched_in_names_and_sentences(run: Run) -> None:
    found = data(run("explain", "tavern", "--search", "tired", "--json"))["matches"]
    assert {m["id"] for m in found} >= {"rule Tired fists", "T-4"}
    found = data(run("explain", "tavern", "--search", "hits", "--json"))["matches"]
    assert {"roll hits", "trait Boss"} <= {m["id"] for m in found}  # Boss: "Hits at one more."
    assert len({m["id"] for m in found}) == len(found)
    text = run("explain", "tavern", "--search", "TIRED").stdout
    assert "Tired fists: Late in the night everybody hits at one less." in text
    assert 'nothing in tavern has "xyzzy"' in run("explain", "tavern", "--search", "xyzzy").stdout


@pytest.mark.parametrize(
    ("what", "names", "amend"),
    [
        ("numbers", {"punch"}, "NAME +1 when"),
        ("number", {"punch"}, "NAME +1 when"),
        ("rolls", {"hits"}, "replace roll"),
        ("events", {"struck"}, "on NAME"),
        ("phases", {"brawl", "closing"}, "after OTHER"),
        ("traits", {"Boss", "Thick"}, "amend trait NAME"),
        ("army lists", {"gang"}, "amend: true"),
        ("house rules", {"short_night", "no_louts"}, "house rule"),
    ],
)
def test_lists_by_kind(run: Run, what: str, names: set[str], amend: str) -> None:
    found = data(run("explain", "tavern", "--list", what, "--json"))
    assert names <= {m["name"] for m in found["matches"]}
    assert len({m["kind"] for m in found["matches"]}) == 1
    assert amend in found["amend"]
    assert found["amend"] in run("explain", "tavern", "--list", what).stdout


def test_a_list_tells_how_often_a_number_is_changed(run: Run) -> None:
    found = data(run("explain", "tavern", "--list", "numbers", "--json"))["matches"]
    (punch,) = (m for m in found if m["name"] == "punch")
    assert punch["changes"] == len(explained(run, "punch")["modified_by"])


def test_what_cannot_be_listed(run: Run) -> None:
    said = run("explain", "tavern", "--list", "spels", code=2).stderr
    assert 'no list of "spels"' in said
    assert "number" in said
    assert "say a NAME, --search WORD or --list KIND" in run("explain", "tavern", code=2).stderr
    assert "say a NAME" in run("explain", "tavern", "punch", "--list", "rolls", code=2).stderr


@pytest.mark.parametrize("name", ["Smith", "SMITHS", "smith s"])
def test_one_or_many_are_the_same_unit(run: Run, name: str) -> None:
    if name == "smith s":
        run("explain", "tavern", name, code=2)
        return
    assert explained(run, name)["name"] == explained(run, "smiths")["name"]


@pytest.mark.parametrize("name", ["Orc Warriors", "orc warrior", "ORC_WARRIORS", "orc_mob", "orc-mobs"])
def test_units_are_understood_wherever_they_are_named(run: Run, name: str) -> None:
    assert data(run("explain", "small_fantasy", name, "--json"))["name"] == "Orc warriors"
    asked = ("--attacker", f"{name}:10", "--defender", "Elf Spearman:10", "--json")
    assert "Orc warriors" in run("odds", "small_fantasy", *asked).stdout
    assert "Orc warriors" in run("army", "price", "small_fantasy", name).stdout


def test_places_are_not_those_of_the_installation(run: Run) -> None:
    text = run("explain", "small_fantasy", "blow_armour").stdout
    assert re.search(r"\[small_fantasy@1\.5, small_fantasy/rules/\d\d_\w+\.rules:\d+\]", text)
    assert re.search(r"defined in small_fantasy/rules/\w+\.rules:\d+", text)
    assert "/rulesets/" not in text
    assert "warhost_field/" in run("explain", "small_fantasy", "number base_width").stdout


def test_places_below_the_working_folder_are_paths(run: Run, place: Path) -> None:
    (place / "mine.rules").write_text('house rule "Mine" for tavern\n    rule "Mine"\n        punch +1\n')
    assert "[mine, mine.rules:3]" in run("explain", "tavern", "punch", "--house", "mine.rules").stdout


# -- what newcomers looked for ----------------------------------------------------------------------------


def test_a_kind_shows_its_flags_and_what_they_mean(run: Run) -> None:
    flags = data(run("explain", "small_fantasy", "kind", "spell", "--json"))["parts"]
    assert "persistent: it stays in force once it is cast" in flags["flags (bare words among its fields)"]
    assert "    on_point: it is aimed at a place\n" in run("explain", "small_fantasy", "kind", "spell").stdout


def test_lists_show_parameters_and_what_is_told(run: Run) -> None:
    assert "  Thick(n): Hits at n less." in run("explain", "tavern", "--list", "traits").stdout
    assert 'struck(unit, foe, n): "{unit} struck {foe}: {n} went down."' in run(
        "explain", "tavern", "--list", "events"
    ).stdout  # fmt: skip
    told = "one_boss(army): A gang has one boss; this one has {number of Boss units in army}."
    assert told in run("explain", "tavern", "--list", "constraints").stdout
    listed = data(run("explain", "tavern", "--list", "traits", "--json"))["matches"]
    assert {m["signature"] for m in listed} == {"Boss", "Thick(n)"}


def test_a_word_is_searched_in_what_events_and_constraints_tell(run: Run) -> None:
    found = data(run("explain", "tavern", "--search", "went down", "--json"))["matches"]
    assert "event struck" in {m["id"] for m in found}


def test_lists_begin_with_what_is_the_rulesets_own(run: Run) -> None:
    found = data(run("explain", "small_fantasy", "--list", "numbers", "--json"))["matches"]
    whose = ["plugin" if "/warhost_" in m["file"] else "advice" if "/advice/" in m["file"] else "book" for m in found]
    assert whose == sorted(whose, key=["book", "advice", "plugin"].index)
    assert set(whose) == {"book", "advice", "plugin"}


def test_long_lists_are_shown_whole_when_asked(run: Run) -> None:
    short = run("explain", "small_fantasy", "state", "unit").stdout
    assert re.search(r"and \d+ more \(--all shows them\)", short)
    whole = run("explain", "small_fantasy", "state", "unit", "--all").stdout
    users = data(run("explain", "small_fantasy", "state", "unit", "--json"))["used_by"]
    assert "--all shows them" not in whole
    assert all(f"    {user}\n" in whole for user in users)


def test_words_are_shown_as_they_are_typed(run: Run) -> None:
    said = explained(run, "temper")
    assert said["reads"] == "One of: merry, angry."
    rules = 'house rule "Moods" for tavern\n    words mood_word: very_merry, half_angry\n'
    Path("moods.rules").write_text(rules, encoding="utf-8")
    asked = ("--house", "moods.rules", "--json")
    assert data(run("explain", "tavern", "mood_word", *asked))["reads"] == "One of: very_merry, half_angry."
    word = data(run("explain", "tavern", "very_merry", *asked))["reads"]
    assert word == "One of the words for mood_word; the others are half_angry."


def test_a_setting_tells_what_it_means(run: Run) -> None:
    said = data(run("explain", "arcana", "by_turns", "--json"))["reads"]
    assert said.startswith("They set up unit by unit, though there is an attacker.")
    assert "no unless given" in said
    fields = run("explain", "arcana", "profile", "scenario").stdout
    assert "    by_turns: yes_no = no  (They set up unit by unit, though there is an attacker.)\n" in fields


def test_a_field_without_a_sentence_has_its_authors_comment(run: Run) -> None:
    rules = (
        'house rule "Rain" for tavern\n'
        "    # wet: it rains in.\n"
        "    profile of scenario\n"
        "        wet: yes_no = no\n"
        "        dry: yes_no = no  # never, so far\n"
    )
    Path("rain.rules").write_text(rules, encoding="utf-8")
    for name, note in (("wet", "wet: it rains in."), ("dry", "never, so far")):
        parts = data(run("explain", "tavern", name, "--house", "rain.rules", "--json"))["parts"]
        assert parts["its author's note"] == [note]
    assert "its author's note" not in explained(run, "grit")["parts"]


def test_numbers_of_the_advice_stand_last_under_a_heading(run: Run) -> None:
    lines = run("explain", "small_fantasy", "--list", "numbers").stdout.splitlines()
    advice, plugins = lines.index("of the advice to computer players"), lines.index("of plugins")
    assert any(line.startswith("  close_combat_skill(") for line in lines[:advice])
    assert all("small_fantasy/advice/" in line for line in lines[advice + 1 : plugins])
    assert not any("/advice/" in line for line in (*lines[:advice], *lines[plugins:]))
