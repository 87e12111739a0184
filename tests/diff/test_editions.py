"""Editions side by side: what plain names mean, what an edition takes over and leaves out, armies and journals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.game import write
from tests.diff.conftest import THIRD, Run, lay_out


def test_the_plain_name_means_the_newest_and_says_so(run: Run) -> None:
    result = run("check", "tavern")
    assert "tavern means tavern@3, the first of 2 installed (there is tavern@2, too)" in result.stderr
    assert result.stdout.startswith("tavern@3 is in order")
    assert not run("check", "tavern@2").stderr


def test_or_what_the_user_pins(run: Run) -> None:
    assert "tavern means tavern@2 from now on" in run("rulesets", "--pin", "tavern@2").output
    result = run("check", "tavern")
    assert "tavern means tavern@2, as you pinned it (there is tavern@3, too)" in result.stderr
    assert result.stdout.startswith("tavern@2 is in order")
    assert run("check", "tavern@3").stdout.startswith("tavern@3 is in order")  # which extends the other all the same
    assert "the newest edition again" in run("rulesets", "--unpin", "tavern").output
    assert run("check", "tavern").stdout.startswith("tavern@3")
    assert "tavern was not pinned" in run("rulesets", "--unpin", "tavern").output
    assert "tavern@9 is not installed; there is tavern@3, tavern@2" in run(
        "rulesets", "--pin", "tavern@9", code=2
    ).stderr
    assert "NAME@EDITION, as in tavern@3" in run("rulesets", "--pin", "tavern", code=2).stderr
    assert 'no ruleset "tavren" (did you mean "tavern"?)' in run("rulesets", "--pin", "tavren", code=2).stderr


def test_a_pinned_edition_that_is_gone_is_told(run: Run, tmp_path: Path) -> None:
    run("rulesets", "--pin", "tavern@2")
    (pins,) = (tmp_path / "data").rglob("editions.yaml")
    pins.write_text(pins.read_text().replace('"2"', '"1"'))
    assert "tavern has no edition 1; there is 3, 2; that one is pinned in" in run("check", "tavern", code=2).stderr


def test_commands_never_point_into_another_edition(run: Run) -> None:
    assert "warhost army show tavern@2:blues" in run("army", "list", "tavern@2").stdout
    assert "warhost army show tavern@3:blues" in run("army", "list", "tavern").stdout
    assert "The Blues is legal: 28 of 60 points." in run("army", "check", "tavern@3:blues").stdout
    assert "tavern@2 " in run("rulesets").stdout
    assert "warhost battle tavern@3 --army" in run("demo", "tavern").stdout


def test_what_is_superseded_is_left_out_and_counted(run: Run) -> None:
    said = run("test", "tavern@3").output
    assert "all 1 example passed" in said
    assert "2 examples superseded" in said
    assert "reds" not in run("army", "list", "tavern@3").stdout
    assert "short_night" in run("check", "tavern@3", "--house", "short_night", code=2).stderr
    missing = run("army", "check", "tavern@3:reds", code=2).stderr
    assert 'tavern@3 has no army "reds"; this edition has superseded it: name one of another edition' in missing


HELPED = """\
- title: They struck WORD
  given:
    sides: [{name: A, units: [{id: a, profile: lout, size: 6}]}, {name: B, units: [{id: b, profile: smith, size: 2}]}]
  when: WORD(a)
  dice: [6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6]
  then: {b: {standing: 2}}
"""


def test_rules_beside_the_examples_come_with_them(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below, own = (
        {f"examples/{name}.yaml": HELPED.replace("WORD", name), "examples/words.rules":
            f'house rule "Words" for tavern\n    procedure {name}(unit)\n        strike(unit)\n        strike(unit)\n'}
        for name in ("twice", "again")
    )  # fmt: skip
    write(place / "tavern")
    lay_out(place / "tavern", below)
    lay_out(place / "tavern3", {**THIRD, **own})
    monkeypatch.setenv("WARHOST_PATH", str(place))
    assert "all 3 examples passed" in run("test", "tavern@3").output
    assert "tavern@3 is in order" in run("check", "tavern@3").output


def test_what_an_edition_calls_otherwise_is_to_be_called_so(run: Run, place: Path) -> None:
    lay_out(place, {"thin.rules": 'house rule "Thin" for tavern\n    remove trait Thick\n'})
    said = run("check", "tavern@3", "--house", "thin.rules", code=1).output
    assert 'calls it "Slow as Mud"' in said
    assert 'hint: write "Slow as Mud"' in said


def test_what_an_edition_breaks_is_listed_with_the_line_that_leaves_it_out(run: Run, place: Path) -> None:
    manifest = THIRD["ruleset.yaml"].partition("superseded")[0].replace('"3"', '"4"')
    lay_out(place / "fourth", {**THIRD, "ruleset.yaml": manifest})
    said = run("check", "fourth", code=1).output
    assert 'the ready army "reds" is illegal' in said
    assert "superseded: {armies: [reds]}" in said
    assert "hint: Or " not in said
    assert "hint: or " not in said
    tested = run("test", "fourth", code=1).output
    assert 'superseded:\n  examples:\n    - "Louts hit on two"\n    - "Late at night they hit on one"\n' in tested
    assert "superseded: {house_rules: [short_night]}" in said


def test_superseding_what_is_not_there_is_a_mistake(run: Run, place: Path) -> None:
    manifest = THIRD["ruleset.yaml"].replace("armies: [reds]", "armies: [redz]")
    lay_out(place / "fourth", {**THIRD, "ruleset.yaml": manifest})
    said = run("check", "fourth", code=1).output
    assert 'the ruleset that this one extends has no ready army "redz" to supersede' in said
    assert 'did you mean "reds"?' in said


def _fourth(place: Path, superseded: str) -> None:
    manifest = THIRD["ruleset.yaml"].partition("superseded")[0].replace('"3"', '"4"')
    lay_out(place / "fourth", {**THIRD, "ruleset.yaml": manifest + superseded})


@pytest.mark.parametrize(("line", "told"), [
    ('examples: {"L* they hit on one": so it is, "Louts*": so it is}', '(L* they hit on one: 1, Louts*: 1)'),
    ("example_files: [examples/*]", "(examples/*: "),
    ("example_files: {hitting.yaml: another game}", "(hitting.yaml: 2)"),
    ("example_refs: [T-*]", "(T-*: 2)"),
])  # fmt: skip
def test_many_examples_are_superseded_in_one_line(run: Run, place: Path, line: str, told: str) -> None:
    _fourth(place, f"superseded:\n  {line}\n  armies: [red*]\n  house_rules: [short_night]\n")
    checked = run("check", "fourth")
    assert told in checked.stdout
    assert "1 ready army superseded (red*: 1), 1 house rule superseded" in checked.stdout
    tested = run("test", "fourth").stdout
    assert told in tested
    assert "all 1 example passed" in tested
    assert "reds" not in run("army", "list", "fourth").stdout
    assert "this edition has superseded it" in run("army", "check", "fourth:reds", code=2).stderr


def test_a_line_that_means_nothing_is_a_mistake_whatever_it_means_by(run: Run, place: Path) -> None:
    _fourth(place, "superseded:\n  examples: [X*]\n  example_refs: [T-99]\n  example_files: [hiting.yaml]\n")
    said = run("check", "fourth", code=1).output
    assert 'has no example "X*" to supersede' in said
    assert 'has no example with the ref "T-99" to supersede' in said
    assert 'has no file of examples "hiting.yaml" to supersede' in said


def test_the_difference_tells_what_is_superseded_and_why(run: Run, place: Path) -> None:
    several = 'example_refs: {"T-*": another game}'
    _fourth(place, f"superseded:\n  {several}\n  armies: [reds]\n  house_rules: [short_night]\n")
    text = run("diff", "tavern@2", "fourth").stdout
    assert "Superseded, as the edition says\n  example_refs T-*: " in text
    assert " (another game)\n  ready army \"reds\"\n  house rule \"short_night\"" in text
    assert "## Superseded\n\n- example_refs T-*: " in run("diff", "tavern@2", "fourth", "--format", "md").stdout
    found = json.loads(run("diff", "tavern@2", "fourth", "--json").stdout)["superseded"]
    assert (found[0]["section"], found[0]["line"], found[0]["why"]) == ("example_refs", "T-*", "another game")
    assert "Louts hit on two" in found[0]["names"]


def test_an_edition_that_extends_its_own_plain_name_is_told_which_to_name(run: Run, place: Path, shelf: Path) -> None:
    lay_out(place / "third", {**THIRD, "ruleset.yaml": THIRD["ruleset.yaml"].replace("tavern@2", "tavern@3")})
    assert "extended" not in run("check", shelf / "tavern3").output
    lay_out(place / "loop", {"ruleset.yaml": 'id: loop\ntitle: Loop\nedition: "1"\nextends: loop\n'})
    said = run("check", "loop", code=1).output
    assert "in a circle" in said
    assert "length_unit" not in said  # the ruleset below says it, and could not be found


def my_army(place: Path) -> Path:
    """A file with an army for the second edition, 21 of 60 points."""
    army = place / "mine.yaml"
    army.write_text(
        "kind: army\nid: mine\nname: Mine\nruleset: tavern@2\nlist: gang\nlimit: 60\n"
        "units:\n  - {profile: lout, size: 6}\n  - {profile: smith, size: 3}\n", encoding="utf-8"
    )  # fmt: skip
    return army


def test_an_army_says_with_what_it_was_made_when_it_meets_another_edition(run: Run, place: Path) -> None:
    army = my_army(place)
    assert not run("army", "check", army, "--stamp").stderr
    assert 'digest: "' in army.read_text()
    assert not run("army", "check", army).stderr
    told = run("army", "check", army, "--ruleset", "tavern@3", code=1).stderr
    assert "Mine was made with tavern@2; these are the rules of tavern@3" in told
    assert "where it costs 26 points instead of 21 and is illegal" in told
    assert "warhost diff tavern@2 tavern@3" in told
    army.write_text(army.read_text().replace('digest: "', 'digest: "0'))
    assert "made with other files of tavern@2" in run("army", "check", army).stderr


def test_a_journal_says_what_it_was_written_under(run: Run, place: Path) -> None:
    run("battle", "tavern@2", "--army", "blues", "--army", "reds", "--journal", "j.jsonl", "--log", "none")
    run("replay", "j.jsonl", "--log", "none")
    told = run("replay", "j.jsonl", "--log", "none", "--ruleset", "tavern@3", code=1).stderr
    assert "written under tavern@2 (" in told
    assert "what differs tells `warhost diff tavern@2 tavern@3`" in told
    house = run("replay", "j.jsonl", "--log", "none", "--house", "no_louts", code=1).stderr
    assert "its house rules were none, here they are no_louts" in house


def _adopting(place: Path, more: str = "", adopts: str = "[short_night]", **files: str) -> None:
    manifest = f'id: tavern\ntitle: Club nights\nedition: "2-club"\nextends: tavern@2\nadopts: {adopts}\n{more}'
    lay_out(place / "club", {"ruleset.yaml": manifest, **files})


TIRED = """\
- title: Everybody is tired at once
  given:
    house_rules: [short_night, no_louts]
    sides: [{name: A, units: [{id: a, profile: lout, size: 6}]}, {name: B, units: [{id: b, profile: smith, size: 2}]}]
  when: punch(a)
  then: {result: 2, illegal: [Louts stay at home]}
"""


def test_an_edition_adopts_house_rules_of_the_book(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_PATH", str(place))
    write(place / "tavern", {"examples/tired.yaml": TIRED})
    _adopting(place, 'superseded: {examples: {"L* on *": too early}}\n')
    assert "tavern@2-club is in order" in run("check", "club").stdout
    assert "all 1 example passed" in run("test", "club").output  # that of the house rule shows the edition now
    said = run("explain", "club", "last_orders").stdout
    assert "before and after, in tavern@2-club" in said
    found = run("diff", "tavern@2", "club").stdout
    assert "House rules that are part of this edition\n  A short night is in force\n" in found
    assert "  last orders changes  [tavern@2-club, " in found
    assert "short_night.rules:" in found
    how = ("--army", "blues", "--army", "reds", "--seed", "1", "--log", "none", "--json")
    told = json.loads(run("battle", "club", *how).stdout)
    assert (told["ruleset"]["edition"], told["ruleset"]["house_rules"]) == ("2-club", [])
    with_house = json.loads(run("battle", "tavern@2", *how, "--house", "short_night").stdout)
    assert with_house["state_hash"] == told["state_hash"]


def test_what_is_adopted_is_in_force_and_not_on_offer(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _adopting(place)
    monkeypatch.setenv("WARHOST_PATH", str(place))
    write(place / "tavern")
    listed = json.loads(run("rulesets", "--json").stdout)["rulesets"]
    club, book = (next(o for o in listed if (o["id"], o["edition"]) == ("tavern", e)) for e in ("2-club", "2"))
    assert club["adopts"] == ["short_night"]
    assert {one["id"] for one in book["house_rules"]} - {one["id"] for one in club["house_rules"]} == {"short_night"}
    assert "those of tavern without short_night (part of it)" in run("rulesets").stdout.replace("\n", " ")
    assert "tavern@2-club is in order" in run("check", "tavern@2-club", "--house", "short_night").stdout
    assert "with no_louts" in run("check", "tavern@2-club", "--house", "no_louts").stdout


def test_what_cannot_be_adopted_is_told(run: Run, place: Path) -> None:
    _adopting(place, adopts="[short_nigth]")
    said = run("check", "club", code=1).output
    assert 'the ruleset that this one extends offers no house rule "short_nigth" to adopt' in said
    assert 'did you mean "short_night"?' in said
    _adopting(place, "superseded: {house_rules: [short_night]}\n")
    assert 'no house rule "short_night" to adopt' in run("check", "club", code=1).output


def test_the_own_files_of_an_edition_lie_above_what_it_adopts(run: Run, place: Path) -> None:
    _adopting(place, **{
        "rules/later.rules": 'replace procedure last_orders()\n    end_battle(none, "nobody came")\n'
    })  # fmt: skip
    assert 'end battle(none, "nobody came")' in run("explain", "club", "last_orders").stdout


def test_a_name_of_a_later_edition_reaches_what_a_still_later_one_adopts(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARHOST_PATH", str(place))
    rules = {"rules/names.rules": "rename trait Thick to Solid\n"}
    lay_out(place / "next", {"ruleset.yaml": 'id: tavern\ntitle: Next\nedition: "4"\nextends: tavern@2\n', **rules})
    write(place / "tavern", {
        "house/thick.rules": 'house rule "More" for tavern\n    amend trait Thick\n        punch +1 because "more"\n'
    })  # fmt: skip
    lay_out(place / "last", {
        "ruleset.yaml": 'id: tavern\ntitle: Last\nedition: "5"\nextends: tavern@4\nadopts: [thick]\n'
    })  # fmt: skip
    assert "tavern@5 is in order" in run("check", "last").output


def test_an_edition_that_is_opt_in_is_meant_only_by_its_name(
    run: Run, place: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _adopting(place / "own", "opt_in: true\n")
    monkeypatch.setenv("WARHOST_PATH", f"{place / 'own'}:{shelf}")
    told = run("check", "tavern")
    assert told.stdout.startswith("tavern@3 is in order")
    both = "tavern means tavern@3, the first of 3 installed (there is tavern@2, too; opt-in: tavern@2-club)"
    assert both in told.stderr
    assert run("check", "tavern@2-club").stdout.startswith("tavern@2-club is in order")
    run("rulesets", "--pin", "tavern@2-club")
    told = run("check", "tavern")
    assert "tavern means tavern@2-club, as you pinned it (there is tavern@3, tavern@2, too)" in told.stderr
    assert told.stdout.startswith("tavern@2-club is in order")


def test_an_army_is_checked_against_another_edition_by_its_name_alone(run: Run, place: Path) -> None:
    army = my_army(place)
    assert "Mine is legal: 21 of 60 points." in run("army", "check", army).stdout
    told = run("army", "check", army, "--edition", "3", code=1)
    assert "these are the rules of tavern@3" in told.stderr
    assert "tavern has no edition 9" in run("army", "check", army, "--edition", "9", code=2).stderr
    assert "The Reds is legal" in run("army", "check", "tavern@3:reds", "--edition", "2").stdout
    assert "ID@EDITION" in run("army", "check", army, "--edition", "3", "--ruleset", "tavern", code=2).stderr


def test_places_name_the_folder_of_the_edition(run: Run) -> None:
    assert "tavern3/rules/changes.rules:2" in run("explain", "tavern@3", "punch").stdout
    assert "tavern/rules/" in run("explain", "tavern@3", "Slow as Mud").stdout


def test_check_says_which_of_several_folders_an_edition_extends(run: Run, tmp_path: Path) -> None:
    side_by_side = tmp_path / "side_by_side"
    for name in ("copy", "first"):
        shutil.copytree(Path(__file__).parents[1] / "corpus" / "ford", side_by_side / name)
    new = side_by_side / "new"
    new.mkdir()
    (new / "ruleset.yaml").write_text('id: ford\ntitle: The ford\nedition: "9"\nextends: ford@1\n')
    said = "ford@1 is in several folders of side_by_side: copy is meant, not first."
    assert said in run("check", new).stdout
    shutil.rmtree(side_by_side / "first")
    assert "several folders" not in run("check", new).stdout


def test_a_list_in_the_data_of_an_edition_is_sent_to_its_folder(run: Run, tmp_path: Path) -> None:
    edition = write(tmp_path / "inn", {"data/lists.yaml": "lists:\n  gang: {amend: true}\n"})
    said = " ".join(run("check", edition, code=1).output.split())
    assert '"lists" do not stand in data/' in said
    assert "armies/ID.yaml (`amend: true`" in said


def test_the_sentence_of_a_house_rules_head_is_told(run: Run, tmp_path: Path) -> None:
    rule = tmp_path / "mist.rules"
    rule.write_text('house rule "Mist" for tavern\n    reads "Nobody sees far."\n    number mist() = 1\n')
    assert "Mist: Nobody sees far." in run("diff", "tavern@2", "--house", rule).stdout
