"""demo, battle, replay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import warhost
from tests.cli.conftest import Run, data
from tests.cli.game import write

QUICK = ("battle", "tavern", "--army", "reds", "--army", "blues", "--player", "usual")


def test_demo_tells_a_battle(run: Run) -> None:
    text = run("demo").stdout
    assert text.startswith("Tavern brawl (tavern@2)\nThe Blues (22 points, ")
    assert "Turn 1" in text
    assert "Blue louts struck" in text
    assert "Other dice: --seed 8." in text


def test_demo_is_the_same_every_time_and_another_with_another_seed(run: Run) -> None:
    assert run("demo", "tavern").stdout == run("demo", "tavern", "--seed", "7").stdout
    assert run("demo", "tavern", "--json").stdout != run("demo", "tavern", "--json", "--seed", "8").stdout


def test_demo_is_played_by_whom_one_likes(run: Run) -> None:
    usual, first = (run("demo", "tavern", *more).stdout for more in ((), ("--player", "1=first")))
    assert "(22 points, first)" in first
    assert "--player 1=first --seed" in first
    assert "--player" not in usual
    assert 'no computer player "nobody"' in run("demo", "tavern", "--player", "1=nobody", code=2).stderr


def test_demo_with_a_journal_and_a_house_rule(run: Run, place: Path) -> None:
    found = data(run("demo", "--house", "short_night", "--json", "--journal", "d.jsonl"))
    assert found["reason"] == "the watch came early"
    assert found["turns"] == 2
    assert found["ruleset"]["house_rules"] == ["short_night"]
    assert "came out as recorded" in run("replay", "d.jsonl").stdout


def test_battle_json_is_one_object(run: Run) -> None:
    found = data(run(*QUICK, "--seed", "4", "--json"))
    assert list(found) == [
        "ruleset", "seed", "turns", "winner", "reason", "sides", "decisions", "rolls", "state_hash",
    ]  # fmt: skip
    assert list(found["ruleset"]) == ["id", "edition", "digest", "house_rules"]
    assert found["seed"] == 4
    assert found["winner"] is None
    assert found["reason"] == "the watch came"
    assert [s["name"] for s in found["sides"]] == ["The Reds", "The Blues"]
    assert list(found["sides"][0]) == ["name", "points", "points_lost", "victory_points", "units_left"]


def test_battle_log_as_json_lines(run: Run) -> None:
    records = [json.loads(line) for line in run(*QUICK, "--log", "json").stdout.splitlines()]
    assert [r["n"] for r in records] == list(range(len(records)))
    assert {"turn", "phase", "event", "roll", "decision", "end"} <= {r["kind"] for r in records}
    both = [json.loads(line) for line in run(*QUICK, "--log", "json", "--json").stdout.splitlines()]
    assert both[:-1] == records
    assert both[-1]["reason"] == "the watch came"


def test_battle_traces_numbers(run: Run) -> None:
    text = run(*QUICK, "--trace").stdout
    assert "punch of Red louts: 2, +1 many hands (number punch) = 3" in text
    records = [json.loads(line) for line in run(*QUICK, "--log", "json", "--trace").stdout.splitlines()]
    assert any(r.get("why") for r in records if r["kind"] == "roll")


def test_battle_without_a_log_gives_the_result(run: Run) -> None:
    text = run(*QUICK, "--log", "none").stdout
    assert text.startswith("Nobody won after 3 turns: the watch came\n")
    assert "Turn 1" not in text


def test_log_text_does_not_go_with_json(run: Run) -> None:
    assert "--log text cannot go with --json" in run(*QUICK, "--json", "--log", "text", code=2).stderr


def test_bundled_battle(run: Run) -> None:
    found = data(run("battle", "tavern:friday", "--json"))
    assert found["seed"] == 11
    assert found["turns"] == 2
    assert [s["name"] for s in found["sides"]] == ["Townsmen", "The Blues"]
    assert data(run("battle", "tavern:friday", "--json", "--seed", "3"))["seed"] == 3


def test_battle_file_with_armies_beside_it(run: Run, place: Path) -> None:
    army = "kind: army\nid: mob\nname: Mob\nlist: gang\nunits: [{id: m, profile: lout, size: 4}]\n"
    (place / "mob.yaml").write_text(army)
    (place / "b.yaml").write_text(
        "ruleset: tavern@2\nhouse_rules: [short_night]\nsides: [{army: mob.yaml, player: first}, {army: reds}]\n"
    )
    found = data(run("battle", "b.yaml", "--json"))
    assert [s["name"] for s in found["sides"]] == ["Mob", "The Reds"]
    assert found["ruleset"]["house_rules"] == ["short_night"]


def test_players_by_name_number_and_for_all(run: Run) -> None:
    text = run("battle", "tavern:friday", "--player", "townsmen=first", "--player", "2=random").stdout
    assert "points, first) against The Blues (22 points, random)" in text
    both = run("battle", "tavern:friday", "--player", "first").stdout
    assert "points, first) against The Blues (22 points, first)" in both


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("The Rods=first", 'there is no side "The Rods"; did you mean "The Reds"?'),
        ("1=usul", 'there is no computer player "usul"; did you mean "usual"?'),
        ("3=usual", 'there is no side "3"'),
    ],
)
def test_wrong_players(run: Run, given: str, said: str) -> None:
    assert said in run(*QUICK[:-2], "--player", given, code=2).stderr


def test_illegal_armies_fight_but_not_unnoticed(run: Run) -> None:
    result = run(*QUICK, "--house", "no_louts")
    assert "The Reds is illegal: Louts stay at home." in result.stderr
    assert run(*QUICK, "--house", "no_louts", "--json").stderr == ""


# -- journals and replay --------------------------------------------------------------------------


@pytest.fixture
def journal(run: Run, place: Path) -> Path:
    run(*QUICK, "--journal", "night.jsonl", "--json")
    return place / "night.jsonl"


def test_replay_is_the_same_battle(run: Run, journal: Path) -> None:
    assert data(run("replay", journal, "--json")) == data(run(*QUICK, "--json"))
    text = run("replay", journal, "--log", "none").stdout
    assert "The battle came out as recorded" in text
    assert "3 turns compared" in text


def test_replay_up_to_a_decision(run: Run, journal: Path) -> None:
    text = run("replay", journal, "--to", "2", "--trace").stdout
    assert "Stopped after decision 2 of" in text
    assert "punch of" in text


def test_replay_drops_a_line_that_is_cut_off(run: Run, journal: Path) -> None:
    journal.write_bytes(journal.read_bytes().rpartition(b'{"d":')[0] + b'{"d":')
    result = run("replay", journal)
    assert "is cut off and was dropped" in result.stderr
    assert "The journal ends here" in result.stdout


def test_replay_refuses_other_rules(run: Run, journal: Path) -> None:
    said = run("replay", journal, "--house", "short_night", code=1).stderr
    assert "its house rules were none, here they are short_night" in said


def test_replay_notices_a_forged_hash(run: Run, journal: Path) -> None:
    lines = journal.read_text().splitlines()
    row = next(i for i, line in enumerate(lines) if '"turn":2,' in line)
    forged = [json.loads(line) for line in lines]
    forged[row]["hash"] = "0"
    journal.write_text("\n".join(map(json.dumps, forged)) + "\n")
    assert f":{row + 1}: this line is not as it was written" in run("replay", journal, code=1).stderr
    journal.write_text("\n".join(json.dumps({k: v for k, v in line.items() if k != "sum"}) for line in forged) + "\n")
    assert "turn 2 is not the one of the journal" in run("replay", journal, code=1).stderr


def test_a_journal_is_written_again_but_never_over_something_else(run: Run, journal: Path, place: Path) -> None:
    before = journal.read_bytes()
    run(*QUICK, "--journal", journal, "--json")
    assert journal.read_bytes() == before
    assert "exists already" in run(*QUICK, "--seed", "5", "--journal", journal, code=2).stderr
    (place / "notes.txt").write_text("dear diary")
    run(*QUICK, "--journal", "notes.txt", code=2)
    assert (place / "notes.txt").read_text() == "dear diary"
    (place / "empty.jsonl").touch()
    run(*QUICK, "--journal", "empty.jsonl", "--json")


def test_report(run: Run, place: Path) -> None:
    text = run(*QUICK, "--report", "night.html").stdout
    assert "report: night.html" in text
    assert (place / "night.html").read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")
    data(run(*QUICK, "--report", "again.html", "--json"))
    assert "no folder" in run(*QUICK, "--report", "nowhere/night.html", code=2).stderr


# -- what cannot be played --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("tavern",), "tavern is a ruleset: say who fights, tavern --army blues --army reds"),
        (("tavern", "--army", "reds"), "a battle needs two armies"),
        (("tavern", "--army", "rods", "--army", "blues"), 'no army "rods"; did you mean "reds"?'),
        (("tavern:fryday",), 'no battle "fryday"; did you mean "friday"?'),
        (("tavrn:friday",), 'there is no ruleset "tavrn"; did you mean "tavern"?'),
        (("tavern", "--army", "reds", "--army", "blues", "--scenario", "tapruum"), 'no scenario "tapruum"'),
        (("nothing.yaml",), "there is no battle file nothing.yaml"),
        (("tavrn",), 'no ruleset of that name; did you mean "tavern"?'),
        (("tavern", "--army", "reds", "--army", "blues", "--house", "shrt_night"), 'did you mean "short_night"?'),
    ],
)
def test_wrong_usage(run: Run, args: tuple[str, ...], said: str) -> None:
    assert said in run("battle", *args, code=2).stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("sides: [{army: rods}, {army: blues}]", 'b.yaml:1:16: tavern@2 has no army "rods"; did you mean "reds"?'),
        ("sides: [{army: a/b.yaml}, {army: blues}]", "a/b.yaml:0:0: this file cannot be read"),
        ("sides: []", "b.yaml:"),
        ("- 1", "b.yaml:"),
        ("sides: [{army: reds", "b.yaml:1:"),
    ],
)
def test_wrong_battle_files(run: Run, place: Path, text: str, said: str) -> None:
    named = "\nruleset: tavern\n" if text.endswith("]") else ""
    (place / "b.yaml").write_text(text + named)
    assert said in run("battle", "b.yaml", code=1).stderr


def test_a_folder_as_an_army(run: Run, place: Path) -> None:
    """Whoever has a race in a house rule, and forgot to lay that."""
    (place / "gnomes").mkdir()
    told = run("battle", "tavern", "--army", "gnomes", "--army", "reds", code=2).stderr
    assert "gnomes is a folder and no army; if it is a house rule" in told
    assert "--house gnomes --army ID" in told


def test_an_army_file_that_is_text(run: Run, place: Path) -> None:
    (place / "reds.rules").write_text("number x() = 1\n")
    told = run("battle", "tavern", "--army", "reds.rules", "--army", "blues", code=1).stderr
    assert "reds.rules:1:1: this file must be a mapping" in told
    assert "hint: its keys are: kind, id" in told


def test_a_battle_file_without_a_ruleset(run: Run, place: Path) -> None:
    (place / "b.yaml").write_text("sides: [{army: reds}, {army: blues}]\n")
    assert "add `ruleset: ID`" in run("battle", "b.yaml", code=2).stderr


def test_a_scenario_says_for_how_many_sides_it_is(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_PATH", str(place))
    write(place / "tavern")
    three = ("battle", "tavern", "--army", "reds", "--army", "blues", "--army", "reds", "--player", "usual")
    scenario = place / "tavern/scenarios/taproom.yaml"
    text = scenario.read_text()
    scenario.write_text(text + "sides: 2\n")
    assert 'Error: the scenario "The taproom" is for 2 sides; 3 armies were given' in run(*three, code=2).stderr
    run(*QUICK)
    scenario.write_text(text + "sides: [2, 3]\n")
    run(*three)
    scenario.write_text(text)
    many = text.replace("id: taproom", "id: crowd")
    scenario.with_name("crowd.yaml").write_text(many + "sides: [4, 6]\n")
    assert "is for 4 to 6 sides; 3 armies were given" in run(*three, "--scenario", "crowd", code=2).stderr
    rules = warhost.load("tavern")
    red = warhost.Army.ready("reds", rules)
    with pytest.raises(warhost.UsageError, match="is for 4 to 6 sides; 1 army was given"):
        warhost.Battle(rules, [red], scenario="crowd").decide()


COMING_IN = """
words terrain_type: bench

setup
    phase coming "Coming in", alternating units: come_in

procedure come_in(unit)
    choose spot from spots(unit, "bar") by unit
    if spot is not none and coming(unit)
        deploy(unit, spot)
"""


def test_a_battle_tells_who_was_never_on_the_table(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_PATH", str(place))
    write(place / "tavern")
    turn, scenario, ruleset = (place / "tavern" / f for f in ("turn.rules", "scenarios/taproom.yaml", "ruleset.yaml"))
    ruleset.write_text(ruleset.read_text().replace("plugins: [", "plugins: [warhost_terrain, warhost_field, "))
    table = "{table: {width: 36, depth: 24}, zones: {bar: {x: 0, y: 0, width: 36, depth: 24}}}"
    scenario.write_text(f"{scenario.read_text()}board: {table}\n")
    rules = turn.read_text() + COMING_IN

    def told(more: str) -> str:
        turn.write_text(f"{rules}\n{more}\n")
        return " ".join(run(*QUICK).stdout.split())

    assert "on the table" not in told("flag coming(unit) = yes")
    blues = told("flag coming(unit) = unit.side is side_a")
    assert "No unit of The Blues was ever on the table." in blues
    assert "may_act" not in blues
    destroyed = "at end of turn\n    for each unit where it.side is side_b\n        destroy(unit)"
    lost = told(f"flag coming(unit) = no\n\n{destroyed}")
    assert "No unit of The Reds or The Blues was ever on the table" in lost
    nobody = told("flag coming(unit) = yes\n\nflag may_act(unit) = any contacts(unit)")
    assert "No unit of The Reds or The Blues was ever on the table: in set-up nobody was offered anything." in nobody
    assert "The flag may_act" in nobody
