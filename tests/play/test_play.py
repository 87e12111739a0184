"""`warhost play`: questions and answers, the map, undo, leaving and coming back, whole battles at a real terminal."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

import pexpect
import pytest
from click.testing import CliRunner

import warhost
from warhost.cli import program
from warhost.engine.decisions import Decision, Option
from warhost.errors import JournalError, UsageError
from warhost_battles.files import quick
from warhost_battles.journal import read_journal, rebuild, replay
from warhost_battles.story import picture_of
from warhost_play.asking import answer_in, are_numbers, labels_of, listed, question, rows_of
from warhost_play.game import GAMES, Game, Left
from warhost_play.seats import carried_on, taken
from warhost_play.text_map import text_map
from warhost_report.report import Report

RULESETS = ("small_fantasy", "destiny", "three_plains", "legiones", "arcana")


def armies_of(ruleset: str) -> list[str]:
    return list(warhost.load(ruleset).armies)[:2]


def game_of(ruleset: str, journal: Path, lines: Iterable[str], sides: Iterable[str] = ("1",), seed: int = 4) -> Game:
    """A battle of the first two ready armies; the persons say these lines, then leave."""
    plan = quick(ruleset, armies_of(ruleset), None, (), seed)
    seats = taken(plan, list(sides), (), journal)
    return Game(seats, reading(lines))


def reading(lines: Iterable[str]) -> Callable[[str], str]:
    left = iter(lines)

    def read(prompt: str) -> str:
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    return read


def played(game: Game) -> bool:
    """Play until the battle is over or the persons leave; whether it is over."""
    with game.seats.recorder:
        try:
            game.run()
        except Left:
            return False
    return True


# -- asking ----------------------------------------------------------------------------------------


def test_an_answer_is_a_number_a_name_or_its_beginning(tmp_path: Path) -> None:
    side = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle.sides[0]
    decision = Decision("stance", side, [Option(label, label) for label in ("stand_fast", "far", "farther")])
    said = ("1", "3", "stand fast", "S", "FAR", "farth")
    assert [answer_in(text, decision) for text in said] == [0, 2, 0, 0, 1, 2]
    assert answer_in("map", decision) is None
    assert answer_in("to 3 4", decision) is None
    with pytest.raises(UsageError, match="options 1 to 3"):
        answer_in("4", decision)
    with pytest.raises(UsageError, match='"fa" may be far, farther'):
        answer_in("fa", decision)


def test_options_that_are_numbers_stand_for_themselves(tmp_path: Path) -> None:
    side = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle.sides[0]
    numbers = [Option(str(n), n) for n in (0, -15, 15)]
    decision = Decision("lean", side, [*numbers, Option("none", None)])
    assert listed(decision) == ["     one of 0, -15, 15, none"]
    assert [answer_in(text, decision) for text in ("0", "15", "-15", "none")] == [0, 2, 1, 3]
    with pytest.raises(UsageError, match="one of 0, -15, 15, none"):
        answer_in("1", decision)


def test_places_of_ones_own_are_taken_where_they_are_possible(tmp_path: Path) -> None:
    side = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle.sides[0]
    decision = Decision("way", side, [Option("hold", None)], free=lambda answer: answer)
    assert answer_in("to 3 4.5", decision) == {"to": [3.0, 4.5]}
    assert answer_in("TO 3 4.5 90", decision) == {"to": [3.0, 4.5], "facing": 90.0}
    assert answer_in('{"legs": [{"advance": 5}]}', decision) == {"legs": [{"advance": 5}]}
    assert answer_in("to the hill", decision) is None
    with pytest.raises(UsageError, match="an order looks like"):
        answer_in("{legs", decision)


def test_the_question_names_who_is_to_act(tmp_path: Path) -> None:
    game = game_of("small_fantasy", tmp_path / "j.jsonl", ())
    asked = set()
    while (decision := game.battle.decide()) is not None and game.battle.battle.turn < 2:
        asked.add(question(decision))
        labels = [option.label for option in decision.options]
        game.battle.answer("advance" if "advance" in labels else 0)
    side = game.battle.sides[0]
    assert any(f"{side}: What will {unit} do this turn?" in asked for unit in side.units)
    assert any(f"{side}: Where will {unit} move?" in asked for unit in side.units)


@pytest.mark.parametrize("ruleset", ["small_fantasy", "destiny", "three_plains", "legiones", "arcana"])
def test_every_decision_has_words(ruleset: str, tmp_path: Path) -> None:
    """A question mark at the end, and no name of a variable; options are no names of things in the rules either."""
    game = game_of(ruleset, tmp_path / "j.jsonl", ())
    plain = random.Random(3)
    for _ in range(150):
        decision = game.battle.decide()
        if decision is None:
            break
        asked = question(decision)
        assert asked.startswith(f"{decision.side}: ")
        assert asked.removesuffix(" (secretly)").endswith("?"), asked
        assert not any("_" in text for text in (asked, *labels_of(decision))), asked
        game.battle.answer(plain.randrange(len(decision.options)))


def test_options_that_are_words_are_never_taken_for_units(tmp_path: Path) -> None:
    side = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle.sides[0]
    decision = Decision("drop", side, [Option("keep pikes", "keep_pikes"), Option("drop pikes", "drop_pikes")])
    assert labels_of(decision, {"pikes": "The Bridge Pikes"}) == ["keep pikes", "drop pikes"]


def test_the_readme_shows_the_first_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("$ warhost play small_fantasy\n...\n")[2].partition("\n>\n")[0]
    told = CliRunner().invoke(program, ["play", "small_fantasy"], input="quit\n").stdout
    assert shown
    assert told.split("\n\n")[2].startswith(f"{shown}\n>")


def test_long_lists_are_cut_and_all_lists_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = game_of("legiones", tmp_path / "j.jsonl", ())
    while (decision := game.battle.decide()) is not None and len(decision.options) <= 30:
        game.battle.answer(0)
    assert decision is not None
    assert f"and {len(decision.options) - 30} more: `all` lists them" in listed(decision)[-1]
    assert not game.take("all", decision)
    assert f"{len(decision.options)}  " in capsys.readouterr().out


def test_nonsense_is_answered_with_what_was_meant(tmp_path: Path) -> None:
    game = game_of("small_fantasy", tmp_path / "j.jsonl", ())
    decision = game.battle.decide()
    assert decision is not None
    with pytest.raises(UsageError, match='did you mean "units"'):
        game.take("unitz", decision)
    with pytest.raises(UsageError, match="no place is asked for here"):
        game.take("to 40 15", decision)
    with pytest.raises(UsageError, match="auto 10"):
        game.take("auto never", decision)
    with pytest.raises(UsageError, match="nothing to take back"):
        game.take("undo", decision)


# -- commands --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_command_can_be_said_at_any_decision(
    ruleset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = game_of(ruleset, tmp_path / "j.jsonl", ())
    draw = random.Random(3)
    for _ in range(8):
        decision = game.battle.decide()
        if decision is None:
            break
        state = game.battle.state_hash()
        for command in ("help", "help undo", "hint", "why", "map", "units", "log 5", "all", "save"):
            assert not game.take(command, decision)
        assert game.battle.decide() is decision
        assert game.battle.state_hash() == state
        chosen = draw.randrange(len(decision.options))
        game.take(decision.options[chosen].label if are_numbers(decision) else str(chosen + 1), decision)
        if (after := game.battle.decide()) is not None:
            game.take("undo", after)
            assert game.battle.state_hash() == state
            waiting = game.battle.decide()
            assert waiting is not None
            game.take("auto", waiting)
    assert capsys.readouterr().out


def test_hands_are_shown_to_whose_they_are_and_names_explained(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    game = game_of("legiones", tmp_path / "j.jsonl", (), ("1", "2"))
    decision = game.battle.decide()
    held: list[object] = []
    while decision is not None:
        held = [card for card in game.battle.everyone.get("card", ()) if card.holder is not None]
        if len({card.holder for card in held}) == 2:
            break
        game.take("auto", decision)
        decision = game.battle.decide()
    assert decision is not None
    capsys.readouterr()
    game.take("hand", decision)
    told = capsys.readouterr().out
    for card in held:
        if card.holder is decision.side:
            assert card.name in told
    assert "hidden" in told  # the other hand
    unit = decision.side.units[0]
    game.take(f"explain {unit.name}", decision)
    assert game.battle.rules.profiles[unit.profile].name in capsys.readouterr().out
    with pytest.raises(UsageError, match='nothing is called "zzyzx"'):
        game.take("explain zzyzx", decision)
    three = game_of("three_plains", tmp_path / "k.jsonl", ())
    asked = three.battle.decide()
    assert asked is not None
    with pytest.raises(UsageError, match="nothing lies beside the table"):
        three.take("hand", asked)


def beginning(journal: Path) -> tuple[Game, Decision, Any, Any]:
    """A game of small_fantasy at its first decision, with the first unit of either side."""
    game = game_of("small_fantasy", journal, ())
    decision = game.battle.decide()
    assert decision is not None
    mine, theirs = (side.units[0] for side in game.battle.sides)
    return game, decision, mine, theirs


def test_odds_are_asked_of_the_units_on_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, decision, mine, theirs = beginning(tmp_path / "j.jsonl")
    game.take(f"odds {mine.name} against {theirs.name}", decision)
    told = capsys.readouterr().out
    for unit in (mine, theirs):
        kind = game.battle.rules.profiles[unit.profile].name
        assert f"  {unit.name} ({kind}) x{unit.figures}: loses" in told
    assert "%" in told
    with pytest.raises(UsageError, match="there is no unit"):
        game.take(f"odds {mine.name} against nobody", decision)
    with pytest.raises(UsageError, match="both are the same unit"):
        game.take(f"odds {mine.name} against {mine.name}", decision)


def test_odds_are_of_units_with_what_they_have_suffered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, decision, mine, theirs = beginning(tmp_path / "j.jsonl")
    game.take(f"odds {mine.name} against {theirs.name}", decision)
    fresh = capsys.readouterr().out
    assert "with their wounds taken and disorder" in fresh
    game.battle.put(theirs, "disorder", 2)
    game.take(f"odds {mine.name} against {theirs.name}", decision)
    disordered = capsys.readouterr().out
    assert disordered != fresh
    given = ["defender.disorder = 2", "defender.wounds_taken = 0"]
    specs = (f"{unit.profile}:{unit.figures}" for unit in (mine, theirs))
    answer = warhost.odds(game.battle.rules, *specs, given=given, trials=GAMES)
    assert f"  {mine.name} ({answer.attacker.name}) x{mine.figures}: loses {answer.means['attacker']:.1f}" in disordered


# -- the map ---------------------------------------------------------------------------------------


def test_the_map_shows_units_where_they_are_drawn() -> None:
    class Side:
        def __init__(self, id: str) -> None:
            self.id, self.name = id, id.title()

    square = [[10, 0], [20, 0], [20, 10], [10, 10]]
    unit = {"id": "u", "name": "Guard", "side": "one", "outline": square, "strength": 3, "start": 5, "facing": 90.0}
    other = {"id": "v", "name": "Foe", "side": "two", "outline": [[39.9, 39.9]] * 4, "marks": ["broken"]}
    wood = {"id": "w", "type": "wood", "points": [[0, 30], [10, 30], [10, 40], [0, 40]]}
    picture = {"width": 40, "depth": 40, "unit": "in", "units": [unit, other], "terrain": [wood]}
    lines = text_map(picture, [Side("one"), Side("two")], width=8)
    assert lines[0] == "+--------+"
    assert lines[1] == "|::     a|"
    assert lines[2:4] == ["|        |", "|        |"]
    assert lines[4] == "|  AA    |"
    assert lines[5] == "+--------+ 40 x 40 in"
    assert lines[6] == "ground: : wood"
    assert lines[8] == "  A  Guard, 3 of 5, faces right"
    assert lines[10] == "  a  Foe, 1 of 1 (broken)"


def test_the_map_of_hexes_has_their_names(tmp_path: Path) -> None:
    battle = game_of("legiones", tmp_path / "j.jsonl", ()).battle
    battle.decide()
    picture = picture_of(battle)
    assert picture is not None
    text = "\n".join(text_map(picture, battle.sides))
    assert all(str(cell["name"]) in text for cell in picture["cells"])


# -- leaving and coming back -----------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_battle_that_was_left_goes_on_as_if_nobody_had_left(ruleset: str, tmp_path: Path) -> None:
    whole = game_of(ruleset, tmp_path / "whole.jsonl", ["1"] * 30)
    assert not played(whole)
    left = game_of(ruleset, tmp_path / "left.jsonl", [*["1"] * 9, "undo 2"])
    assert not played(left)
    with (tmp_path / "left.jsonl").open("ab") as file:
        file.write(b'{"d":99,"deci')  # killed in the middle of a line
    journal = read_journal(tmp_path / "left.jsonl")
    again = Game(carried_on(tmp_path / "left.jsonl", journal, whole.battle.rules), reading(["1"] * 23))
    assert not played(again)
    assert again.battle.state_hash() == whole.battle.state_hash()
    assert (tmp_path / "left.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_battle_that_is_over_is_not_gone_on_with(tmp_path: Path) -> None:
    game = game_of("small_fantasy", tmp_path / "j.jsonl", ["auto end"])
    assert played(game)
    journal = read_journal(tmp_path / "j.jsonl")
    assert list(replay(journal, rebuild(journal, game.battle.rules)))[-1] == game.battle.log[-1]
    with pytest.raises(JournalError, match="is over"):
        carried_on(tmp_path / "j.jsonl", journal, game.battle.rules)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"players":["person","tactician"]', '"players":["person"]', "1 players for 2 armies"),
        ('"players":["person","tactician"]', '"players":["random","random"]', "no person plays"),
        ('"side":0', '"side":7', "there is no side 7"),
        ('"side":0', '"side":"first"', "there is no side 'first'"),
        ('"answer":0', '"answer":99', "is not the option 99"),
        ('"decision":"', '"decision":"un', "does not come to the decision"),
    ],
)
def test_a_journal_that_was_changed_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    game = game_of("small_fantasy", path, ["1", "1", "1"])
    assert not played(game)
    lines = [re.sub(r',"sum":"\w+"', "", line) for line in path.read_text(encoding="utf-8").splitlines()]
    text = "\n".join(lines) + "\n"
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(JournalError, match=re.escape(said)):
        carried_on(path, read_journal(path), game.battle.rules)


def test_two_persons_hand_over_what_is_hidden(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        if sum("Hand over" in one for one in prompts) > 3 or len(prompts) > 400:
            raise EOFError
        return "" if "Hand over" in prompt else "auto"

    plan = quick("legiones", armies_of("legiones"), None, (), 4)
    game = Game(taken(plan, ["1", "2"], (), tmp_path / "j.jsonl"), read)
    assert not played(game)
    one, other = (side.name for side in game.battle.sides)
    assert any(p.startswith(f"{one} is next") for p in prompts)
    assert any(p.startswith(f"{other} is next") for p in prompts)
    assert not any("(secret)" in line for line in capsys.readouterr().out.splitlines())


PARLEY = str(Path(__file__).parents[1] / "cards" / "parley")


def test_equal_cards_of_a_hand_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed in range(20):
        plan = quick(PARLEY, ("reds", "blacks"), None, (), seed)
        game = Game(taken(plan, ["1"], (), tmp_path / f"{seed}.jsonl"), reading(()))
        while (decision := game.battle.decide()) is not None and decision.name != "plot":
            game.take("auto", decision)
        assert decision is not None
        names = [option.value.name for option in decision.options if option.value is not None]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            break
    game._put(decision)
    shown = capsys.readouterr().out
    assert f"{twice} ({names.count(twice)} of them)" in shown
    assert "[side" not in shown
    rows = rows_of(decision, alike=game._alike)
    assert len(rows) == len({*names, "none"})
    number = next(n for n, row in enumerate(rows, start=1) if row.label.startswith(str(twice)))
    assert answer_in(str(number), decision, alike=game._alike) == names.index(twice)
    assert answer_in(str(twice), decision, alike=game._alike) == names.index(twice)
    assert game.sayable()[number - 1] == rows[number - 1].label
    game.take("hint", decision)
    assert "[side" not in capsys.readouterr().out
    game.take(str(number), decision)
    assert game.battle.decide() is not decision


def test_the_screen_is_handed_over_only_for_what_is_hidden(tmp_path: Path) -> None:
    prompts: list[str] = []

    def read(prompt: str) -> str:
        prompts.append(prompt)
        return "" if "Hand over" in prompt else "auto"

    game = Game(taken(quick(PARLEY, ("reds", "blacks"), None, (), 3), ["1", "2"], (), tmp_path / "hidden.jsonl"), read)
    assert played(game)
    handed = sum("Hand over" in prompt for prompt in prompts)
    assert 0 < handed < sum("Hand over" not in prompt for prompt in prompts)
    prompts.clear()
    plan = quick("small_fantasy", armies_of("small_fantasy"), None, (), 4)
    public = Game(taken(plan, ["1", "2"], (), tmp_path / "open.jsonl"), read)
    assert played(public)
    assert not any("Hand over" in prompt for prompt in prompts)


# -- a real terminal -------------------------------------------------------------------------------


def terminal(*arguments: str, folder: Path) -> pexpect.spawn:
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "dumb", "COLUMNS": "100"}
    return pexpect.spawn(
        sys.executable, ["-m", "warhost", "play", *arguments], cwd=str(folder), env=environment, encoding="utf-8",
        timeout=120, dimensions=(40, 100), echo=False,
    )  # fmt: skip


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_whole_battle_at_a_terminal(ruleset: str, tmp_path: Path) -> None:
    child = terminal(ruleset, "--seed", "4", folder=tmp_path)
    for said in ("help", "map", "units", "hint", "1", "undo", "nonsense", "auto turn"):
        child.expect("> ")
        child.sendline(said)
    child.expect("> ")
    child.kill(signal.SIGKILL)
    child.wait()
    (journal,) = tmp_path.glob("play-*.jsonl")
    again = terminal("--resume", journal.name, folder=tmp_path)
    again.expect("> ")
    again.sendline("auto end")
    again.expect("victory points")
    again.expect(pexpect.EOF)
    again.close()
    assert again.exitstatus == 0
    assert read_journal(journal).end is not None


def test_leaving_says_how_to_go_on(tmp_path: Path) -> None:
    child = terminal("small_fantasy", "--journal", "mine.jsonl", folder=tmp_path)
    child.expect("> ")
    child.sendeof()
    child.expect("warhost play --resume mine.jsonl")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    child = terminal("small_fantasy", "--journal", "mine.jsonl", folder=tmp_path)
    child.expect("exists already")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 2


def test_going_on_with_a_ruleset_in_a_folder(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parents[1] / "corpus" / "ford", tmp_path / "ford")
    for words in (("ford", "--journal", "mine.jsonl"), ("ford", "--resume", "mine.jsonl")):
        child = terminal(*words, folder=tmp_path)
        child.expect("> ")
        child.sendline("save")
        child.expect("Go on with it: warhost play ford --resume mine.jsonl")
        child.sendeof()
        child.expect("warhost play ford --resume mine.jsonl")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
    for words, said in (
        (("play", "--resume", "mine.jsonl"), "warhost play FOLDER --resume mine.jsonl"),
        (("replay", "mine.jsonl"), "warhost replay mine.jsonl --ruleset FOLDER"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "warhost", *words], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert f"ford@1 is not installed; say in which folder it lies: {said}" in done.stderr


def test_what_a_ruleset_has_shown_stands_in_lists_and_headings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    folder = tmp_path / "ford"
    shutil.copytree(Path(__file__).parents[1] / "corpus" / "ford", folder)
    manifest = folder / "ruleset.yaml"
    shown = "picture: {strength: power, start: strongest, marks: state_of, battle: weather}\n"
    manifest.write_text(manifest.read_text() + shown)
    (folder / "rules" / "shown.rules").write_text(
        'number strongest(unit) = unit.power + 2\n\nvalue state_of(unit): text = "{unit.feels}, {unit.power} left,"\n\n'
        'value weather(): text = "rain in turn {battle.turn}"\n'
    )
    game = game_of(str(folder), tmp_path / "b.jsonl", ["units", "auto turn"])
    with pytest.raises(Left):
        game.run()
    told = capsys.readouterr().out
    unit = game.battle.sides[0].units[0]
    (row,) = (line for line in told.splitlines() if unit.name in line and "left" in line)
    assert row.split()[-5:] == [str(unit.power), str(unit.power + 2), f"{unit.feels},", str(unit.power), "left"]
    heading = told.partition("\nTurn 2")[2].partition("---")[0]  # on one line, or on several where it is too long
    assert "rain in turn 1" in heading  # as it was when both sides were counted
    assert "\nrain in turn 1" in told
    report = Report(cast(Any, game.battle))
    report.take(cast(Any, game.battle))
    assert "rain in turn 2</p>" in report.html()
    assert f"{unit.feels}, {unit.power} left" in report.html()


# -- what a reader sees ----------------------------------------------------------------------------


def test_a_wrong_label_is_answered_with_the_nearest_options_and_the_count_of_the_rest(tmp_path: Path) -> None:
    side = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle.sides[0]
    labels = [*(f"place {n}" for n in range(38)), "towards the old mill", "towards the new mill"]
    decision = Decision("go", side, [Option(label, label) for label in labels])
    with pytest.raises(UsageError, match=r"the options are: towards the \w+ mill, .* \.\. and 28 more$"):
        decision.index_of("mill towers of the deep")


def test_moves_name_units_by_their_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = game_of("small_fantasy", tmp_path / "j.jsonl", ())
    enemy = game.battle.sides[1].units[0]
    labels = (f"towards {enemy.id}", "hold", f"round the left of {enemy.id}")
    decision = Decision("go", game.battle.sides[0], [Option(label, label) for label in labels])
    names = game._names(decision.side)
    shown = "\n".join(listed(decision, names=names))
    assert f"towards {enemy.name}" in shown
    assert enemy.id.replace("_", " ") not in shown
    assert answer_in(f"round the left of {enemy.name}", decision, names) == 2
    assert answer_in(labels[0].replace("_", " "), decision, names) == 0


def test_undo_says_how_many_answers_can_be_taken_back(tmp_path: Path) -> None:
    battle = game_of("small_fantasy", tmp_path / "j.jsonl", ()).battle
    battle.on_undo = None
    battle.decide()
    battle.answer(0)
    battle.decide()
    with pytest.raises(UsageError, match=r"^1 answer can be taken back, not 100$"):
        battle.undo(100)
    battle.undo()
    with pytest.raises(UsageError, match="there is nothing to take back"):
        battle.undo()


def test_ground_that_no_rule_speaks_of_is_told_when_it_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not played(game_of("three_plains", tmp_path / "j.jsonl", ["near", "want", "win hill", "1", "undo", "2"]))
    told = capsys.readouterr().out
    assert told.count("  New on the table: hill 1 at (17, 5).\n") == 1
    assert told.count("  New on the table: hill 1 at (19, 5).\n") == 1
    plan = quick("small_fantasy", armies_of("small_fantasy"), "chosen_ground", (), 4)
    assert not played(Game(taken(plan, ["1"], (), tmp_path / "k.jsonl"), reading(["auto phase"])))
    told = capsys.readouterr().out
    assert " laid a farmhouse." in told
    assert "New on the table" not in told



def test_the_map_of_hexes_keeps_names_whole_and_shows_markers(tmp_path: Path) -> None:
    game = game_of("legiones", tmp_path / "j.jsonl", ())
    while game.battle.decide() is not None and game.battle.battle.turn < 1:
        game.battle.answer(0)
    picture = picture_of(game.battle)
    assert picture is not None
    assert picture["units"]
    for most in (78, 120):
        lines = text_map(picture, game.battle.sides, most=most)
        drawn = lines[: lines.index(next(line for line in lines if line.startswith("ground:")))]
        assert all(len(line) <= most + 2 for line in drawn)
        words = " ".join(drawn)
        assert all(str(cell["name"]) in words for cell in picture["cells"])
        if most == 120:  # with room between them: whole names, each once
            found = re.findall(r"\d+-\d+", words)
            assert sorted(found) == sorted(str(cell["name"]) for cell in picture["cells"])
    names = {str(marker["name"]) for marker in picture["markers"]}
    assert names
    (told,) = (line for line in lines if line.startswith("markers: "))
    for sign, name in re.findall(r"([^\w\s,()]) ([^(,]+) \(", told.removeprefix("markers: ")):
        assert name in names
        assert sign in words
    assert len(re.findall(r" \(", told)) == len(names)
    letters = re.findall(r"^  (\w)  ", "\n".join(lines), re.MULTILINE)
    assert len(letters) == len(picture["units"])
    assert all(letter * 3 in words for letter in letters)


def test_the_map_shows_markers_on_the_open_table() -> None:
    marker = {"id": "m", "name": "lamp", "at": [35, 35], "marks": []}
    picture = {"width": 40, "depth": 40, "unit": "in", "units": [], "terrain": [], "markers": [marker]}
    lines = text_map(picture, [], width=8)
    assert lines[1] == "|       !|"
    assert lines[-1] == "markers: ! lamp"
