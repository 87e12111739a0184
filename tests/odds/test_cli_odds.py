"""`warhost odds` and `warhost balance`: what a person types and what comes back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import warhost
from tests.cli.conftest import Run, data
from warhost_odds.odds_command import bar

PAIR = ("odds", "tavern", "--attacker", "lout:6", "--defender", "Smiths:5", "--trials", 100)
TABLE = ("balance", "tavern", "--units", "lout,smith,boss", "--trials", 20, "--workers", 1)

FILE = """\
ruleset: tavern
house_rules: [short_night]
what: ambush
attacker: {unit: Louts, count: 6, options: [banner]}
defender: smith:5
settings: {bottles: 2}
given: [attacker.standing = 3]
until: end
trials: 100
seed: 4
"""


# -- odds -----------------------------------------------------------------------------------------------


def test_an_answer_in_words(run: Run) -> None:
    text = run(*PAIR, "--until", "end").stdout
    one = warhost.odds("tavern", "lout:6", "smith:5", until="end")
    assert text.startswith("6 Louts against 5 Smiths\nA brawl, to the end, mood merry, tired 0\n")
    assert "attacker wins (Louts)" in text
    assert f"Losses of Louts: {one.means['attacker']:.2f} on average" in text
    assert f"Louts can expect to lose {one.points_lost['attacker']:.1f} of 12 points, half of the time " in text
    assert "Exact: Every way that the dice can fall was weighed." in text
    assert "\x1b" not in text
    assert "Simulated 100 times, in columns: 100 trials; as was asked. " in run(*PAIR, "--method", "simulation").stdout


def test_more_may_be_observed_than_the_question_does(run: Run) -> None:
    found = data(run(*PAIR, "--observe", "left=standing", "--observe", "may_hit", "--json"))
    for side, count in (("attacker", 6), ("defender", 5)):
        left = {str(count - int(lost)): share for lost, share in found["losses"][side].items()}
        assert found["observed"]["left"][side] == pytest.approx(left)
        alone = sum(share for lost, share in found["losses"][side].items() if int(lost) == count)
        assert found["observed"]["may_hit"][side].get("no", 0) == pytest.approx(alone)
    drawn = data(run(*PAIR, "--observe", "left=standing", "--method", "simulation", "--json"))
    assert sum(drawn["observed"]["left"]["attacker"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("sight", "said"),
    [("left=standng", "did you mean"), ("left=", "write NAME=FIELD"), ("it=hits", "no such number"),
     ("it=who_won", "does not take .unit.")],
)  # fmt: skip
def test_what_cannot_be_observed(run: Run, sight: str, said: str) -> None:
    found = run(*PAIR, "--observe", sight, code=2)
    assert re.search(said, found.stderr)


def test_workings_stand_before_the_outcome(run: Run) -> None:
    short, long = (run(*PAIR, *more).stdout for more in ((), ("--why",)))
    head = short.partition("how it ends")[0]
    assert "Thrown in the first round:\n  attacker: hits, 6 dice, 3 or less\n" in head
    assert "    punch of Louts: 2, +1 many hands (number punch) = 3\n" in head
    assert short == long  # nothing below these numbers has changed
    deep = [run("odds", "small_fantasy", "--attacker", "orc_mob:4", "--defender", "elf_spears:4", *more).stdout
            for more in ((), ("--why",))]  # fmt: skip
    assert "attack bonus of Orc warriors" not in deep[0]
    assert "attack bonus of Orc warriors: 0, +1 infantry" in deep[1]
    assert "Orc warriors (attacker): figures 4, frontage 2, in column no, figures striking 4\n" in deep[0]


def test_the_way_taken_and_how_fast(run: Run) -> None:
    found = data(run(*PAIR, "--method", "simulation", "--json"))
    assert (found["method"], found["trials"], found["trials_per_second"] > 0) == ("columns", 100, True)
    exact = data(run(*PAIR, "--json"))
    assert (exact["method"], exact["trials_per_second"]) == ("exact", None)
    told = run(*PAIR, "--method", "simulation").stdout.splitlines()
    assert " trials a second." in " ".join(told[-2:])


def test_the_questions_and_their_settings(run: Run) -> None:
    text = run("odds", "tavern", "--settings").stdout
    assert "A brawl" in text
    assert "mood" in text
    listed = data(run("odds", "tavern", "--settings", "--json"))["questions"]
    mood = next(s for s in listed[0]["settings"] if s["name"] == "mood")
    assert (mood["default"], "angry" in mood["choices"]) == ("merry", True)
    ambush = next(q for q in listed if q["id"] == "ambush")
    assert [(s["name"], s["default"]) for s in ambush["settings"]] == [("bottles", None)]


def test_an_exact_answer_may_take_so_long_and_no_longer(run: Run) -> None:
    ended = run(*PAIR, "--until", "end", "--method", "exact", "--time", "0.000001", code=1)
    assert "1e-06 s were not enough" in ended.stderr
    drawn = data(run(*PAIR, "--until", "end", "--time", "0.000001", "--json"))
    assert drawn["method"] == "columns"
    assert "s were not enough" in drawn["why"]
    assert data(run(*PAIR, "--until", "end", "--method", "exact", "--time", "600", "--json"))["method"] == "exact"


def test_json_is_the_answer_of_the_library(run: Run) -> None:
    settings = ("--set", "mood=angry", "--set", "tired=1", "--given", "defender.standing = 2", "--seed", 3)
    found = data(run(*PAIR, *settings, "--house", "short_night", "--json"))
    one = warhost.odds(
        "tavern", "lout:6", "smith:5", trials=100, settings={"mood": "angry", "tired": 1}, seed=3,
        given=["defender.standing = 2"], house=["short_night"], workings=True,
    )  # fmt: skip
    assert found == json.loads(json.dumps(one.as_dict()))


def test_a_question_with_a_name_behind_the_colon(run: Run) -> None:
    assert data(run(*PAIR, "--what", "ambush:3", "--json"))["settings"] == {"bottles": 3}


def test_a_file_asks_the_same(run: Run, place: Path) -> None:
    (place / "ask.yaml").write_text(FILE)
    found = data(run("odds", "--file", "ask.yaml", "--json"))
    one = warhost.odds(
        "tavern", "lout:6,banner", "smith:5", what="ambush", settings={"bottles": 2}, trials=100, seed=4, until="end",
        given=["attacker.standing = 3"], house=["short_night"], workings=True,
    )  # fmt: skip
    assert found == json.loads(json.dumps(one.as_dict()))
    assert [throw["dice"] for throw in found["workings"]][:1] == [3]
    other = data(run("odds", "--file", "ask.yaml", "--defender", "boss:1", "--set", "bottles=1", "--json"))
    assert (other["defender"]["name"], other["settings"]) == ("The Boss", {"bottles": 1})


def test_a_sweep_in_a_file_and_on_the_command_line(run: Run, place: Path) -> None:
    (place / "ask.yaml").write_text(f"{FILE}sweep: {{vary: bottles, values: 1..3}}\n")
    swept = data(run("odds", "--file", "ask.yaml", "--json"))
    assert (swept["sweep"], [one["value"] for one in swept["answers"]]) == ("bottles", [1, 2, 3])
    typed = data(run("odds", "--file", "ask.yaml", "--sweep", "defender.count=2..6/2", "--json"))
    assert [one["defender"]["count"] for one in typed["answers"]] == [2, 4, 6]
    text = run(*PAIR, "--sweep", "COUNT=3..5").stdout
    assert "models of the attacker" in text
    assert len([line for line in text.splitlines() if line.split()[:1] in (["3"], ["4"], ["5"])]) == 3
    words = data(run(*PAIR, "--sweep", "MOOD=merry,angry", "--json"))
    assert [one["settings"]["mood"] for one in words["answers"]] == ["merry", "angry"]


def test_plots(run: Run, place: Path) -> None:
    assert run(*PAIR, "--plot", "a.svg").stdout.endswith("plot: a.svg\n")
    data(run(*PAIR, "--sweep", "COUNT=3..5", "--plot", "b.svg", "--json"))
    run(*TABLE, "--no-prices", "--plot", "c.svg")
    for name in ("a.svg", "b.svg", "c.svg"):
        assert (place / name).read_text().startswith("<svg ")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--attacker", "luot:6"), 'did you mean "lout"?'),
        (("--attacker", "lout:6,baner"), 'did you mean "banner"?'),
        (("--what", "bralw"), 'did you mean "brawl"?'),
        (("--facing", "left"), 'has no setting "facing"'),
        (("--set", "mood"), "write NAME=VALUE"),
        (("--set", "mood=sad"), 'no temper "sad"'),
        (("--sweep", "COUNT"), "write NAME=A..B"),
        (("--sweep", "COUNT=9..3"), "must rise"),
        (("--sweep", "COUNT=a..b"), "is no range"),
        (("--sweep", "COUNT=1..100000"), "a larger step"),
        (("--sweep", "CONUT=1..3"), 'did you mean "count"?'),
        (("--plot", "a.gif"), "an .svg or a .png"),
        (("--until", "noon"), "'noon' is not one of"),
        (("--file", "none.yaml"), "none.yaml"),
    ],
)
def test_wrong_usage_of_odds(run: Run, more: tuple[str, ...], said: str) -> None:
    code = 1 if more[0] == "--file" else 2
    assert said in run(*PAIR, *more, code=code).stderr


def test_who_fights(run: Run) -> None:
    assert "say which RULESET" in run("odds", "--attacker", "a", "--defender", "b", code=2).stderr
    assert 'give --defender "NAME:COUNT"' in run("odds", "tavern", "--attacker", "lout:3", code=2).stderr


def test_mistakes_in_a_file_and_in_a_condition(run: Run, place: Path) -> None:
    (place / "ask.yaml").write_text(FILE.replace("bottles: 2", "bottles: [2]") + "untill: end\n")
    said = run("odds", "--file", "ask.yaml", code=1).stderr
    assert "ask.yaml:11:1:" in said
    assert 'did you mean "until"?' in said or "is not known here" in said
    assert "ask.yaml:6:" in said
    assert "bogus" in run(*PAIR, "--given", "attacker.bogus = 1", code=1).stderr
    errors = data(run(*PAIR, "--given", "attacker.bogus = 1", "--json", code=1))
    assert errors["ok"] is False


def test_a_ruleset_without_questions(run: Run, place: Path) -> None:
    from tests.cli.game import FILES, write

    manifest = FILES["ruleset.yaml"].partition("odds:")[0]
    write(place / "mute", {"ruleset.yaml": manifest})
    said = run("odds", place / "mute", "--attacker", "lout:3", "--defender", "lout:3", code=2).stderr
    assert "`odds`" in said


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.999, 1.0])
def test_bars(share: float) -> None:
    assert len(bar(share, 1.0, 20, blocks=True)) <= 20
    assert bar(share, 1.0, 20, blocks=False) == "#" * round(20 * share)


# -- balance ----------------------------------------------------------------------------------------------


def test_a_table_in_words(run: Run) -> None:
    text = run(*TABLE, "--points", 13).stdout
    assert text.startswith("tavern@2: A brawl, 13 points each, 20 times each, seed 0\n")
    for name in ("6 Louts", "4 Smiths", "3 The Boss"):
        assert text.count(name) == 2
    assert "fair price" in text
    assert "fair price" not in run(*TABLE, "--no-prices").stdout


def test_json_is_the_table_of_the_library(run: Run, place: Path) -> None:
    found = data(run(*TABLE, "--points", 13, "--seed", 2, "--out", "t.sqlite", "--house", "short_night", "--json"))
    made = warhost.balance(
        "tavern", ["lout", "smith", "boss"], trials=20, points=13, seed=2, house=["short_night"],
        out=place / "other.sqlite",
    )  # fmt: skip
    assert found == json.loads(json.dumps(made.as_dict()))
    assert (place / "t.sqlite").exists()


def test_all_of_a_list_in_both_ways_of_writing(run: Run) -> None:
    rest = ("--trials", 10, "--workers", 1, "--no-prices", "--json")
    loose = data(run("balance", "tavern", "--units", "all-of", "gang", *rest))
    quoted = data(run("balance", "tavern", "--units", "all-of gang", *rest))
    assert loose == quoted
    assert [one["name"] for one in loose["standings"]] == ["Louts", "Smiths", "The Boss"]


def test_armies(run: Run) -> None:
    more = ("--trials", 2, "--player", "usual", "--workers", 1)
    found = data(run("balance", "tavern", "--armies", "reds,blues", *more, "--json"))
    assert [one["name"] for one in found["standings"]] == ["The Reds", "The Blues"]
    assert "The Reds" in run("balance", "tavern", "--armies", "reds", "--armies", "blues", *more).stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--units", "lout,smiht"), 'did you mean "smith"?'),
        (("--units", "all-of"), "of which army list"),
        (("gang", "--units", "lout"), "what is gang?"),
        (("--units", "lout,smith", "--armies", "reds,blues"), "the one or the other"),
        (("--armies", "reds,blues", "--points", "20"), "--points is for units"),
        (("--units", "lout,smith", "--where", "trade"), "write NAME=VALUE"),
        (("--units", "lout,smith", "--points", "1"), "more than 1"),
        (("--units", "lout,smith", "--plot", "a.gif"), "an .svg or a .png"),
        ((), "the one or the other"),
    ],
)
def test_wrong_usage_of_balance(run: Run, words: tuple[Any, ...], said: str) -> None:
    assert said in run("balance", "tavern", *words, "--workers", 1, code=2).stderr
