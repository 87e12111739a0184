"""rulesets, check, test, coverage, fmt."""

from __future__ import annotations

import functools
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run, data
from tests.cli.game import FILES, write
from warhost import load

BROKEN = {"rules/brawl.rules": FILES["rules/brawl.rules"].replace("unit.grit  ref T-3", "unit.gritt  ref T-3")}


@pytest.fixture
def broken(place: Path) -> Path:
    return write(place / "broken", BROKEN)


# -- rulesets ---------------------------------------------------------------------------------


def test_rulesets_tells_what_is_in_them(run: Run) -> None:
    text = run("rulesets").stdout
    assert "tavern" in text
    assert "Tavern brawl" in text
    assert "3 units, 2 traits" in text
    assert "short_night  The brawl ends after two turns." in text


def test_rulesets_json(run: Run) -> None:
    one = data(run("rulesets", "--json"))["rulesets"][0]
    assert (one["id"], one["edition"], one["title"]) == ("tavern", "2", "Tavern brawl")
    assert one["counts"] == {"units": 3, "traits": 2, "conditions": 0, "army_rules": 0}
    assert [rule["id"] for rule in one["house_rules"]] == ["short_night", "no_louts"]
    assert one["mistakes"] == 0


def test_rulesets_shows_a_broken_one_too(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = place / "more"
    (folder / "hopeless").mkdir(parents=True)
    (folder / "hopeless" / "ruleset.yaml").write_text("id: [")
    monkeypatch.setenv("WARHOST_PATH", str(folder))
    assert "1 mistake (see `warhost check hopeless`)" in run("rulesets").stdout


# -- check ------------------------------------------------------------------------------------


def test_check_a_good_ruleset(run: Run) -> None:
    assert run("check", "tavern").stdout == (
        "tavern@2 is in order: 29 blocks, 3 profiles, 1 table, 2 ready armies, 1 scenario, 2 examples.\n"
    )


def test_check_goes_on_watching(place: Path) -> None:
    folder = write(place / "watched")
    file = folder / "rules" / "brawl.rules"
    good = file.read_text(encoding="utf-8")
    command = [sys.executable, "-m", "warhost", "check", "watched", "--watch"]
    hear = functools.partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may be deaf to it
    with subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, text=True, preexec_fn=hear) as process:
        assert process.stdout is not None

        def until(word: str) -> str:
            return next(line for line in process.stdout if word in line)  # type: ignore[union-attr]

        try:
            assert until("in order").startswith("tavern@2 is in order")
            file.write_text(BROKEN["rules/brawl.rules"], encoding="utf-8")
            assert "watched/rules/brawl.rules" in until("gritt")
            assert until("mistake") == "watched: 1 mistake\n"
            file.write_text(good, encoding="utf-8")
            assert until("in order").startswith("tavern@2 is in order")
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()  # nobody is left to talk to a closed pipe
    assert process.returncode == 130


def test_watching_has_no_one_answer(run: Run) -> None:
    assert run("check", "tavern", "--watch", "--json", code=2).exit_code == 2


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [("house/short_night.rules", "turn >= 2", "turm >= 2"), ("armies/reds.yaml", "size: 6", "size: 9")],
)
def test_what_was_in_order_is_checked_again_when_a_file_changes(
    run: Run, place: Path, file: str, old: str, new: str
) -> None:
    folder = write(place / "changing", {})
    for _ in range(2):
        assert "is in order" in run("check", folder).stdout
    before = (folder / file).read_text()
    assert old in before
    (folder / file).write_text(before.replace(old, new))
    for _ in range(2):
        assert file in run("check", folder, code=1).stdout
    (folder / file).write_text(before)
    assert "is in order" in run("check", folder).stdout


def test_warnings_are_told_again_though_nothing_is_checked_again(
    run: Run, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(place / "warned", {})
    (folder / "rules" / "slow.rules").write_text('procedure slow_step()\n    stop\n    say "x"\n')
    first = run("check", folder).stdout
    assert "slow.rules:3" in first
    assert "1 warning" in first
    monkeypatch.setattr("warhost_rulesets.ready_armies.ready_armies", None)
    monkeypatch.setattr("warhost_sense.ruleset.problems_in", None)
    assert run("check", folder).stdout == first


def test_the_rules_that_examples_bring_along_are_checked(run: Run, place: Path) -> None:
    folder = write(place / "with_helpers", {})
    helpers = folder / "examples" / "helpers.rules"
    text = 'house rule "For examples" for tavern\n    number twice(unit) = 2 * unit.skil\n'
    helpers.write_text(text, encoding="utf-8")
    for _ in range(2):
        assert "helpers.rules:2" in run("check", folder, code=1).stdout
    helpers.write_text(text.replace("unit.skil", "3"), encoding="utf-8")
    assert "is in order" in run("check", folder).stdout


@pytest.mark.parametrize("wrong", ["2 * punhc(unit)", "2 * ("])
def test_a_mistake_beside_the_examples_is_told_and_not_what_they_miss(run: Run, place: Path, wrong: str) -> None:
    changes = {
        "examples/helpers.rules": f'house rule "Set up" for tavern\n    number twice(unit) = {wrong}\n',
        "examples/hitting.yaml": FILES["examples/hitting.yaml"].replace("when: punch(a)", "when: twice(a)"),
    }
    folder = write(place / "helped", changes)
    text = run("check", folder, code=1).stdout
    assert "helpers.rules:2" in text
    assert "1 mistake" in text


def test_a_wrong_example_is_no_matter_of_armies(run: Run, place: Path) -> None:
    wrong = {"examples/hitting.yaml": FILES["examples/hitting.yaml"].replace("profile: lout", "profile: lot")}
    folder = write(place / "wrong", wrong)
    assert "2 mistakes" in run("check", folder, code=1).stdout
    assert "The Reds" in run("army", "list", folder).stdout
    assert "2 mistakes" in run("test", folder, code=1).stderr


def test_check_holds_the_ready_armies_that_a_house_rule_brings_against_their_lists(run: Run, place: Path) -> None:
    folder = place / "big_gang"
    (folder / "armies").mkdir(parents=True)
    (folder / "big.rules").write_text('house rule "Big gang" for tavern\n    number big(unit) = 2\n', encoding="utf-8")
    army = "kind: army\nid: big\nname: Big\nlist: gang\nlimit: 60\nunits:\n  - {id: a, profile: lout, size: 7}\n"
    (folder / "armies" / "big.yaml").write_text(army, encoding="utf-8")
    assert "is in order" in run("check", "tavern", "--house", folder).stdout
    (folder / "armies" / "big.yaml").write_text(army.replace("size: 7", "size: 70"), encoding="utf-8")
    text = run("check", "tavern", "--house", folder).stdout
    assert "armies/big.yaml:7" in text
    assert 'warning: the ready army "big" is illegal' in text
    assert "superseded" not in text


def test_check_tells_once_which_ready_armies_house_rules_make_illegal(run: Run, place: Path) -> None:
    text = run("check", "tavern", "--house", "no_louts").stdout
    assert text.count("warning: ") == 1
    assert 'with these house rules the ready army "blues" is illegal: Louts stay at home.' in text
    assert "(2 are: blues, reds)" in text
    assert "1 warning" in text
    assert "warning" not in run("check", "tavern", "--house", "short_night").stdout


def test_a_house_rule_may_take_away_what_ready_armies_have(run: Run, place: Path) -> None:
    rows = "title: Sober\nfor: tavern\nlists: {gang: {amend: true, units: [{profile: lout, remove: true}]}}\n"
    (place / "sober.yaml").write_text(rows, encoding="utf-8")
    text = run("check", "tavern", "--house", "sober.yaml").stdout
    assert 'warning: with these house rules the ready army "blues" is illegal' in text
    assert "has no Lout" in text
    battle = run("battle", "tavern", "--army", "blues", "--army", "reds", "--house", "sober.yaml", "--seed", 1)
    assert "is illegal" in battle.stderr


def test_check_json(run: Run) -> None:
    found = data(run("check", "tavern@2", "--house", "short_night", "--json"))
    assert found["ok"] is True
    assert found["errors"] == []
    assert found["ruleset"]["house_rules"] == ["short_night"]
    assert len(found["ruleset"]["digest"]) == 64


def test_check_shows_place_line_caret_and_hint(run: Run, broken: Path) -> None:
    lines = run("check", broken, code=1).stdout.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("broken/rules/brawl.rules:16:22: "))
    assert lines[at + 1].startswith("   16 | number punch(unit) = unit.gritt")
    assert lines[at + 2].index("^") == lines[at + 1].index("unit.gritt")
    assert 'did you mean "grit"?' in lines[at + 3]
    assert lines[-1] == f"{broken}: 1 mistake"


def test_what_is_installed_is_told_by_a_short_place(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = place.parent / "shelf of mine"
    write(shelf / "inn", BROKEN)
    monkeypatch.setenv("WARHOST_PATH", str(shelf))
    file = shelf / "inn" / "rules" / "brawl.rules"
    assert run("check", "tavern", code=1).stdout.startswith("inn/rules/brawl.rules:")
    battle = run("battle", "tavern", "--army", "blues", "--army", "reds", code=1)
    assert battle.stderr.startswith("inn/rules/brawl.rules:")
    assert data(run("check", "tavern", "--json", code=1))["errors"][0]["file"] == str(file)
    monkeypatch.setenv("WARHOST_PATH", "")  # now it is a folder like any other
    assert run("check", shelf / "inn", code=1).stdout.startswith(f"{file}:")


def test_check_reports_all_mistakes_at_once(run: Run, place: Path) -> None:
    changes = {**BROKEN, "armies/reds.yaml": FILES["armies/reds.yaml"].replace("profile: lout", "profile: loud")}
    found = data(run("check", write(place / "broken", changes), "--json", code=1))
    assert found["ok"] is False
    assert {e["file"] for e in found["errors"]} == {"broken/rules/brawl.rules", "broken/armies/reds.yaml"}
    assert set(found["errors"][0]) == {"file", "line", "column", "code", "message", "hint"}


def test_what_is_most_likely_not_meant_is_a_warning_and_can_be_played(run: Run, place: Path) -> None:
    folder = write(place / "idle", {"rules/more.rules": "number idle(unit) = 1\n    set to 2\n    set to 3\n"})
    said = run("check", folder).stdout
    assert "idle/rules/more.rules:2:5: warning: this never counts" in said
    assert said.splitlines()[-1].endswith(", 1 warning.")
    found = data(run("check", folder, "--json"))
    assert (found["ok"], found["errors"], [one["code"] for one in found["warnings"]]) == (True, [], ["never"])
    assert "idle" in load(folder).program.numbers


def test_check_finds_illegal_ready_armies(run: Run, place: Path) -> None:
    changes = {"armies/reds.yaml": FILES["armies/reds.yaml"].replace("size: 6", "size: 9")}
    folder = write(place / "illegal", changes)
    text = run("check", folder, code=1).stdout
    assert 'illegal/armies/reds.yaml:7:5: the ready army "reds" is illegal: Red louts (Louts) has 9 models' in text
    assert "hint: Take away 1 or make two units of them." in text
    run("check", folder, "--house", "no_louts")


def test_check_runs_with_a_house_rule_by_path(run: Run, games: Path) -> None:
    run("check", "tavern", "--house", games / "tavern" / "house" / "no_louts.rules")


# -- test -------------------------------------------------------------------------------------


def test_examples_pass(run: Run) -> None:
    assert run("test", "tavern").stdout == "all 2 examples passed\n"
    assert run("test", "tavern", "-k", "late").stdout == "all 1 example passed\n"
    assert run("test", "tavern", "-k", "nothing").stdout == 'no example has "nothing" in it\n'


def test_examples_json(run: Run) -> None:
    found = data(run("test", "tavern", "--json"))
    assert found["ok"] is True
    assert found["examples"] == {"passed": 2, "failed": 0}
    assert found["errors"] == []


def test_rules_beside_the_examples_hold_in_them_only(run: Run, place: Path) -> None:
    changes = {
        "examples/helpers.rules": 'house rule "Set up" for tavern\n    number twice(unit) = 2 * punch(unit)\n',
        "examples/hitting.yaml": FILES["examples/hitting.yaml"]
        .replace("when: punch(a)", "when: twice(a)")
        .replace("then: {result: 1}", "then: {result: 2}"),
    }
    folder = write(place / "helped", changes)
    assert run("test", folder).stdout == "all 2 examples passed\n"
    assert "is in order" in run("check", folder).stdout
    assert "twice" not in run("explain", folder, "punch").stdout


def test_a_house_rule_may_bring_rules_for_its_examples_alone(run: Run, place: Path) -> None:
    house = place / "glovers"
    (house / "examples").mkdir(parents=True)
    (house / "gloves.rules").write_text('house rule "Gloves" for tavern\n    rule "Gloves"\n        punch +0\n')
    helpers = house / "examples" / "helpers.rules"
    helpers.write_text('house rule "Set up" for tavern\n    number twice(unit) = 2 * punch(unit)\n')
    example = FILES["examples/hitting.yaml"].replace("when: punch(a)", "when: twice(a)")
    example = example.replace("then: {result: 1}", "then: {result: 2}").replace("title: ", "title: gloved ")
    (house / "examples" / "hitting.yaml").write_text(example)
    assert run("test", "tavern", "--house", house, "-k", "gloved").stdout == "all 2 examples passed\n"
    assert "is in order" in run("check", "tavern", "--house", house).stdout
    assert 'nothing in tavern is called "twice"' in run("explain", "tavern", "twice", "--house", house, code=2).stderr
    helpers.write_text(helpers.read_text().replace("punch", "punsh"))
    assert "helpers.rules:2" in run("check", "tavern", "--house", house, code=1).stdout
    assert run("test", "tavern", "--house", house, code=1).stderr.count("helpers.rules:2") == 1


def test_an_example_of_armies_needs_nothing_to_happen(run: Run, place: Path) -> None:
    bosses = """
- title: Two bosses
  given:
    sides:
      - name: A
        limit: 90
        units: [{id: a, profile: smith, traits: [Boss]}, {id: b, profile: smith, traits: [Boss]}]
  then: {illegal: [has one boss]}
"""
    folder = write(place / "bosses", {"examples/bosses.yaml": bosses})
    assert run("test", folder, "-k", "bosses").stdout == "all 1 example passed\n"
    (folder / "examples" / "bosses.yaml").write_text(bosses.replace("{illegal: [has one boss]}", "{result: 2}"))
    assert "lacks when and odds" in run("check", folder, code=1).stdout


def test_a_mistake_beside_the_examples_is_told_once(run: Run, place: Path) -> None:
    changes = {"examples/helpers.rules": 'house rule "Set up" for tavern\n    number twice(unit) = 2 * punsh(unit)\n'}
    folder = write(place / "helped", changes)
    assert run("test", folder, code=1).stderr.count("helpers.rules:2") == 1
    found = data(run("test", folder, "--json", code=1))
    assert [e["line"] for e in found["errors"]] == [2]
    assert found["examples"] == {"passed": 0, "failed": 0}


def test_a_failing_example_shows_expected_got_and_the_trace(run: Run, place: Path) -> None:
    changes = {"examples/hitting.yaml": FILES["examples/hitting.yaml"].replace("standing: 0", "standing: 1")}
    folder = write(place / "failing", changes)
    text = run("test", folder, code=1).stdout
    assert "failing/examples/hitting.yaml:1: Louts hit on two" in text
    assert "b.standing: expected 1, got 0" in text
    assert "punch of a = 2" in text
    assert "1 example failed, 1 passed" in text
    found = data(run("test", folder, "--json", code=1))
    assert found["ok"] is False
    assert found["examples"] == {"passed": 1, "failed": 1}
    assert found["errors"][0]["message"] == "Louts hit on two: b.standing: expected 1, got 0"


def test_examples_of_a_broken_ruleset(run: Run, broken: Path) -> None:
    found = data(run("test", broken, "--json", code=1))
    assert found["ok"] is False
    assert len(found["errors"]) == 1
    assert found["examples"] == {"passed": 0, "failed": 0}


# -- coverage -----------------------------------------------------------------------------------


def test_coverage(run: Run) -> None:
    text = run("coverage", "tavern").stdout
    assert [line.split() for line in text.splitlines() if line.startswith("all")] == [["all", "7", "6", "1"]]
    assert "no battles are recorded" in text
    assert "T-7  Chairs: the book names them and gives no rule" in text


def test_coverage_json(run: Run) -> None:
    rules = data(run("coverage", "tavern", "--json"))["rules"]
    assert rules["total"] == 7
    assert len(rules["by_example_only"]) == 6
    assert rules["ruled_out"] == ["T-7"]
    assert rules["played"] == rules["proved"] == rules["missing"] == rules["called_by_examples_only"] == []


def test_coverage_records_what_is_played_and_proved(run: Run, place: Path) -> None:
    folder = write(place / "recorded", {})
    text = run("coverage", folder, "--record", "--battles", "2").stdout
    assert "in 2 recorded battles of this very ruleset" in text
    rules = data(run("coverage", folder, "--json"))["rules"]
    assert rules["played"]
    assert rules["proved"]
    assert run("coverage", folder, "--record", "--battles", "2").stdout == text


def test_coverage_fails_when_a_rule_is_missing(run: Run, place: Path) -> None:
    changes = {"rulebook.yaml": FILES["rulebook.yaml"] + "- {id: T-8, chapter: The night, title: Dogs}\n"}
    folder = write(place / "poor", changes)
    assert "missing (1):\n  T-8  Dogs" in run("coverage", folder, code=1).stdout
    found = data(run("coverage", folder, "--json", code=1))
    assert found["ok"] is False
    assert found["rules"]["missing"] == ["T-8"]


def test_coverage_of_a_broken_ruleset_counts_nothing(run: Run, broken: Path) -> None:
    found = data(run("coverage", broken, "--json", code=1))
    assert found["ok"] is False
    assert found["errors"]
    assert found["rules"]["missing"] == []


# -- fmt ----------------------------------------------------------------------------------------

UNTIDY = "number  reach( unit )=3\n  +1 when unit.size>4  # many\n"
TIDY = "number reach(unit) = 3\n    +1 when unit.size > 4  # many\n"


def test_fmt_changes_files_in_place_and_once(run: Run, place: Path) -> None:
    file = place / "a.rules"
    file.write_text(UNTIDY)
    assert "changed  a.rules" in run("fmt", "a.rules").stdout
    assert file.read_text() == TIDY
    assert "0 files changed, 1 unchanged" in run("fmt", place).stdout


def test_fmt_check_changes_nothing(run: Run, place: Path) -> None:
    file = place / "a.rules"
    file.write_text(UNTIDY)
    assert "would change  a.rules" in run("fmt", "--check", file, code=1).stdout
    assert file.read_text() == UNTIDY
    assert data(run("fmt", "--check", "--json", file, code=1))["changed"] == ["a.rules"]


def test_fmt_filters_standard_input(run: Run) -> None:
    assert run("fmt", "-", given=UNTIDY).stdout == TIDY
    assert "standard input:1:" in run("fmt", "-", given="number (\n", code=1).stderr
    run("fmt", "-", given=b"\xff\xfe\x00", code=1)


def test_fmt_leaves_files_with_mistakes_alone(run: Run, place: Path) -> None:
    (place / "bad.rules").write_text("number (\n")
    (place / "binary.rules").write_bytes(b"\x00\xff\x00")
    result = run("fmt", place, code=1)
    assert "bad.rules:1:" in result.stderr
    assert "binary.rules" in result.stderr
    assert (place / "bad.rules").read_text() == "number (\n"


def test_fmt_keeps_links_and_modes(run: Run, place: Path) -> None:
    (place / "a.rules").write_text(UNTIDY)
    (place / "a.rules").chmod(0o640)
    (place / "b.rules").symlink_to("a.rules")
    run("fmt", "b.rules")
    assert (place / "b.rules").is_symlink()
    assert (place / "a.rules").read_text() == TIDY
    assert (place / "a.rules").stat().st_mode & 0o777 == 0o640


def test_mutate_tells_what_no_example_notices(run: Run) -> None:
    listed = run("mutate", "tavern", "--workers", "1", code=1).stdout
    assert "rules/brawl.rules:" in listed
    assert "at least 95 % are wanted" in listed
    found = data(run("mutate", "tavern", "--workers", "1", "--at-least", "0", "--json"))
    assert found["ok"]
    assert found["mutants"] == found["population"] == found["killed"] + len(found["survivors"])
    page = run("mutate", "tavern", "--workers", "1", "--at-least", "0", "--format", "md").stdout
    assert f"{found['killed']} of {found['mutants']} changes are noticed" in page
    assert "| rules/brawl.rules |" in page


# -- a house rule that was left out -----------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("bruisers", ("explain", "tavern", "bruisers")),
        ("bruisers", ("odds", "tavern", "--attacker", "bruisers:3", "--defender", "lout:3")),
        ("dockers", ("army", "list", "tavern", "dockers")),
        ("late_shift", ("battle", "tavern", "--army", "late_shift", "--army", "reds")),
        ("late_shift", ("army", "check", "tavern:late_shift")),
    ],
)
def test_what_a_house_rule_beside_has_is_told_with_its_option(
    run: Run, place: Path, name: str, command: tuple[str, ...]
) -> None:
    assert "--house" not in run(*command, code=2).stderr
    said = {"data": "bruisers: {extends: lout}", "armies": "id: late_shift\nlist: dockers"}
    for folder, text in said.items():
        (place / "docks" / folder).mkdir(parents=True)
        (place / "docks" / folder / "a.yaml").write_text(text + "\n", encoding="utf-8")
    assert f'"{name}" stands in docks: if that is a house rule, add --house docks' in run(*command, code=2).stderr


def test_examples_of_a_house_rule_that_was_left_out(run: Run, place: Path) -> None:
    house = 'house rule "Docks" for tavern\n    trait Strong\n        punch +1 when unit is bearer\n'
    (place / "docks.rules").write_text(house, encoding="utf-8")
    assert run("test", "tavern", "-k", "Strong").stdout.endswith("add --house docks.rules\n")
    assert "--house" not in run("test", "tavern", "-k", "Strong", "--house", "docks.rules").stdout
