"""Whose win an outcome is, in the words of the ruleset; and games in which one fights one."""

from __future__ import annotations

from pathlib import Path

import pytest

import warhost
from tests.cli.conftest import Run
from tests.odds.brawl import write_brawl
from warhost.errors import RulesInvalid, UsageError
from warhost_odds.questions import questions

DUEL = {"what": "duel", "until": "round", "method": "exact"}
PAIR = ("sergeant", "knight")
HEROES = ("sergeant", "sorcerer")

#: A game whose words say who fell.
FELL = """\
words fall: first_fell, second_fell, none_fell

roll lands(unit) by unit: d6 >= 4

procedure hits(attacker: unit, defender: unit)
    if roll lands(attacker)
        defender.wounds += 3
    if roll lands(defender)
        attacker.wounds += 3
    period_ends("turn")

value who_fell(attacker: unit, defender: unit): fall = none_fell
    set to first_fell when attacker.wounds >= attacker.toughness
    set to second_fell when defender.wounds >= defender.toughness

number points(unit) = unit.size * (unit.toughness - 1)
"""


def written(tmp_path: Path, more: str) -> Path:
    """The game, with further lines in its question."""
    folder = write_brawl(tmp_path, FELL, "hits", manifest="price: {number: points}\n")
    file = folder / "ruleset.yaml"
    changed = file.read_text().replace("outcome: how_it_ended", "outcome: who_fell")
    file.write_text(changed.replace("    worth_lost: wounds\n", f"    worth_lost: wounds\n{more}"))
    return folder


def test_every_ruleset_has_a_question_that_somebody_can_win() -> None:
    for book in ("small_fantasy", "arcana", "destiny", "legiones", "three_plains"):
        assert any(set(one.wins.values()) == {"attacker", "defender"} for one in questions(warhost.load(book)).values())


def test_words_of_the_ruleset_are_counted_as_it_says() -> None:
    """The table of a game whose words are not `attacker_wins` and `defender_wins`, against the answers behind it."""
    table = warhost.balance("destiny", HEROES, until="round", method="exact", prices=False)
    one, other = table.pairings[0].one, table.pairings[0].two
    first, second = warhost.odds("destiny", one, other, **DUEL), warhost.odds("destiny", other, one, **DUEL)
    wins = [first.outcome["defender_out"] + second.outcome["attacker_out"]]
    wins.append(first.outcome["attacker_out"] + second.outcome["defender_out"])
    found = table.pairing(one, other)
    assert found is not None
    assert (found.one_wins, found.two_wins) == pytest.approx(tuple(share / 2 for share in wins), abs=1e-12)
    nobodys = ("both_out", "both_stand", "defender_down")
    both = sum(answer.outcome.get("both_out", 0) for answer in (first, second))
    assert both > 0.01  # a hero who falls before striking strikes once more
    even = sum(answer.outcome.get(word, 0) for answer in (first, second) for word in nobodys) / 2
    assert found.even == pytest.approx(even, abs=1e-12)


def test_a_table_asks_the_first_question_that_can_be_won() -> None:
    assert warhost.balance("destiny", PAIR, trials=20, prices=False).what == "A duel"
    with pytest.raises(UsageError, match=r'nobody can win "blow": .*; ask for duel'):
        warhost.balance("destiny", PAIR, what="blow", trials=20)


@pytest.mark.parametrize(("book", "pair"), [("destiny", PAIR), ("legiones", ("sample_archers", "sample_loose"))])
def test_one_fights_one_whatever_they_cost(book: str, pair: tuple[str, str]) -> None:
    table = warhost.balance(book, pair, trials=20)
    assert table.one_each
    assert table.points is None
    assert {standing.count for standing in table.standings} == {1}
    assert {standing.fair for standing in table.standings} == {None}
    with pytest.raises(UsageError, match=r"more than 0\.5"):
        warhost.balance(book, pair, trials=20, points=0.5)
    with pytest.raises(UsageError, match=r"one against one: write .*:1, not 3"):
        warhost.odds(book, f"{pair[0]}:3", pair[1], any_size=True)


LIST = """\
kind: list
id: crowd
name: The crowd
units: [{profile: man}, {profile: ox}, {profile: goat}]
"""


def test_who_costs_nothing_is_left_out_of_a_whole_list_and_told(tmp_path: Path, run: Run) -> None:
    folder = written(tmp_path, "    wins: {attacker: [second_fell], defender: [first_fell]}\n")
    with (folder / "data" / "profiles.yaml").open("a") as file:
        file.write("  goat: {name: Goat, toughness: 1}\n")
    (folder / "armies").mkdir()
    (folder / "armies" / "crowd.yaml").write_text(LIST)
    asked = ("balance", str(folder), "--points", "16", "--trials", "20", "--workers", "1", "--units")
    for more in ((), ("--dry-run",)):
        assert "left out, for they cost nothing: Goat" in run(*asked, "all-of crowd", *more).output
    assert "Goat costs nothing" in run(*asked, "man,goat", code=2).output
    table = warhost.balance(folder, ["all-of crowd"], points=16, trials=20, prices=False)
    assert [(one.name, one.count) for one in table.standings] == [("Man", 8), ("Ox", 2)]
    assert table.free == ("Goat",)


def test_a_price_that_does_not_grow_is_told(tmp_path: Path) -> None:
    folder = written(tmp_path, "    wins: {attacker: [second_fell], defender: [first_fell]}\n")
    file = folder / "brawl.rules"
    file.write_text(file.read_text().replace("= unit.size * (unit.toughness - 1)", "= 4"))
    with pytest.raises(UsageError, match=r"two Man cost no more than one, .*one_each: yes"):
        warhost.balance(folder, ["man", "ox"], points=6, trials=20)


def test_a_table_says_that_one_fights_one(run: Run) -> None:
    shown = run("balance", "destiny", "--units", ",".join(PAIR), "--trials", "20", "--ordered", "--diagonal").output
    assert "destiny@1: A duel, one against one, 20 times each" in shown
    assert "fair price" not in shown


def test_wins_of_a_game_of_ones_own(tmp_path: Path) -> None:
    plain = questions(warhost.load(written(tmp_path, "")))["fight"]
    assert plain.wins == {}
    said = "    wins: {attacker: [second_fell], defender: [first_fell]}\n"
    folder = written(tmp_path, said)
    assert questions(warhost.load(folder))["fight"].wins == {"second_fell": "attacker", "first_fell": "defender"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("wins: {attacker: [second_fel], defender: [first_fell]}", '"second_fel" is no outcome'),
        ("wins: {attacker: [first_fell], defender: [first_fell]}", '"first_fell" is won by both'),
        ("wins: {attacker: [second_fell]}", "defender"),
        ("declines: hits", "must take (unit); it takes (attacker: unit, defender: unit)"),
        ("declines: nothing_such", 'there is no procedure "nothing_such"'),
    ],
)
def test_what_is_wrong_with_a_question_is_told(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(RulesInvalid) as told:
        questions(warhost.load(written(tmp_path, f"    {line}\n")))
    assert message in " ".join(str(one.message) for one in told.value.problems)
