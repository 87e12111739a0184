"""`warhost replay --view`: the story, the log, the file and the report of one side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cards.table import PARLEY


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the journal of a battle of the small game of cards."""
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    armies = ("--army", "reds", "--army", "blacks", "--player", "random", "--seed", "3")
    run("battle", PARLEY, *armies, "--log", "none", "--journal", "b.jsonl")
    return tmp_path


def run(*args: object, code: int = 0) -> Result:
    from warhost.cli import program

    result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result


def replay(*args: object, code: int = 0) -> Result:
    return run("replay", "b.jsonl", "--ruleset", PARLEY, *args, code=code)


def test_the_story_of_one_side(place: Path) -> None:
    mine, theirs, whole = (replay(*view).stdout for view in (("--view", "The Reds"), ("--view", 2), ()))
    assert "The Reds drew 3 cards: Forced March, Ruse, Ruse." in mine
    assert "The Blacks drew 3 cards: 3 hidden cards." in mine
    assert "The Reds drew 3 cards: 3 hidden cards." in theirs
    assert "hidden" not in whole
    assert "came out as recorded" in whole
    assert "decision" not in mine


def test_the_log_of_one_side_is_the_file_that_is_written(place: Path) -> None:
    result = replay("--view", 1, "--write", "known.jsonl", "--log", "json")
    assert "seed 3 is easy to guess" in result.stderr
    text = (place / "known.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    assert [json.loads(line) for line in result.stdout.splitlines()] == lines
    assert (lines[0]["view"], lines[0]["side"]) == (1, "The Reds")
    for word in ('"seed"', '"hash"', '"views"', '"journal"', '"players"'):
        assert word not in text
    replay("--view", 2, "--write", "known.jsonl")
    assert '"side":"The Blacks"' in (place / "known.jsonl").read_text(encoding="utf-8")


def test_the_result_of_one_side(place: Path) -> None:
    found = json.loads(replay("--view", 1, "--json").stdout)
    assert list(found) == ["view", "ruleset", "turns", "winner", "reason", "sides"]
    assert found["view"] == "The Reds"


def test_the_report_of_one_side(place: Path) -> None:
    replay("--view", 1, "--report", "mine.html", "--log", "none")
    replay("--report", "all.html", "--log", "none")
    mine, whole = ((place / name).read_text(encoding="utf-8") for name in ("mine.html", "all.html"))
    assert "The Blacks, orders: 5 hidden (47 in the pile, 0 discarded)" in mine
    assert "The Blacks, orders: King of Spades, 2 of Hearts" in whole
    assert "As known to" in mine
    assert "<dt>Seed</dt>" in whole
    assert "<dt>Seed</dt>" not in mine


def test_what_does_not_go_together(place: Path) -> None:
    assert "--trace cannot go with --view" in replay("--view", 1, "--trace", code=2).stderr
    assert "--write needs --view" in replay("--write", "x.jsonl", code=2).stderr
    assert "there is no side" in replay("--view", "Greens", code=2).stderr
    (place / "diary.txt").write_text("dear diary")
    assert "is something else" in replay("--view", 1, "--write", "diary.txt", code=2).stderr
    assert (place / "diary.txt").read_text() == "dear diary"


def test_a_view_cannot_be_played_again(place: Path) -> None:
    replay("--view", 1, "--write", "known.jsonl", "--log", "none")
    result = run("replay", "known.jsonl", "--ruleset", PARLEY, code=1)
    assert "only the whole journal can be played again" in result.stderr
