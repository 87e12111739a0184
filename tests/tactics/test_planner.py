"""The player who thinks ahead: what it thinks about, and that its battles come out the same wherever they are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tactics.fights import ask, fight, standing, unit
from warhost.engine.battle import Battle
from warhost.packs import Ruleset
from warhost.plugins import activate
from warhost_battles.journal import Recorder, resume
from warhost_battles.players import RandomPlayer
from warhost_tactics.planner import MOST_OPTIONS, Planner, contested_of, in_the_dark, surely_better
from warhost_tactics.planner import standing as how_it_stands

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def field(rules: Ruleset) -> Battle:
    """One unit before four of the other side."""
    foes = [unit(f"foe_{n}", (10 + 12 * n, 40), 180) for n in range(4)]
    return standing(rules, [unit("left", (15, 15)), unit("right", (35, 15))], foes)


def contested(field: Battle, ratings: list[float], side: int = 0, or_none: bool = False) -> list[int]:
    foes = [u for u in field.everyone["unit"] if u.side is not field.sides[side]]
    decision = ask(field, "whom", side, foes[: len(ratings) - or_none], or_none=or_none, rate=None)
    decision.rate = lambda value: ratings[foes.index(value)]
    scores = ratings if not or_none else [*ratings[:-1], 0.0]
    return contested_of(decision, field, scores, max(range(len(scores)), key=lambda i: scores[i]))


def test_a_thought_goes_to_the_best_options_that_are_near_each_other(field: Battle) -> None:
    worth = field.everyone["unit"][-1].cost
    assert contested(field, [0.2 * worth, 0.5 * worth, 0.4 * worth, 0.3 * worth]) == [1, 2, 3][:MOST_OPTIONS]
    assert contested(field, [0.5 * worth, -2 * worth, 0.4 * worth, -3 * worth]) == [0, 2]


def test_where_hardly_anything_may_be_won_or_lost_nobody_thinks(field: Battle) -> None:
    worth = field.everyone["unit"][-1].cost
    assert contested(field, [0.05 * worth, 0.04 * worth]) == []


def test_friends_and_what_nobody_has_rated_are_no_matter_for_thought(field: Battle) -> None:
    friends = list(field.sides[0].units)
    assert contested_of(ask(field, "whom", 0, friends, rate=lambda v: 50), field, [50.0, 50.0], 0) == []
    foes = list(field.sides[1].units)
    assert contested_of(ask(field, "whom", 0, foes), field, [50.0] * len(foes), 0) == []


def test_nobody_thinks_while_something_is_hidden_from_him(field: Battle) -> None:
    one, other = field.sides
    assert not in_the_dark(field, one)
    field.hide(other.units[0], other)
    assert in_the_dark(field, one)
    assert not in_the_dark(field, other)


def test_the_likeliest_is_given_up_for_what_is_more_than_chance() -> None:
    assert surely_better([10, 12, 11], [1, 2, 3])
    assert not surely_better([10, -30, 25], [1, 2, 3])
    assert not surely_better([1, 2, 3], [1, 2, 3])


def test_how_a_side_stands_is_what_the_others_have_lost(field: Battle) -> None:
    one, other = field.sides
    field.starting_points = [sum(u.cost for u in side.units) for side in field.sides]
    assert how_it_stands(field, one) == 0
    worth = other.units[0].cost
    field.remove(other.units[0])
    assert (how_it_stands(field, one), how_it_stands(field, other)) == (worth, -worth)
    field.end(one, "it is over")
    assert how_it_stands(field, one) == worth + field.starting_points[0]


def test_the_same_battle_gets_the_same_answers_whatever_hashes_are(rules: Ruleset) -> None:
    code = (
        f"import sys; sys.path[:0] = {[str(ROOT / p) for p in ('core', 'plugins', 'tests')]!r}\n"
        "from tactics.fights import fight\n"
        "from warhost.packs import load\n"
        "from warhost_tactics.planner import Planner\n"
        f"result = fight(load({str(ROOT / 'rulesets' / 'small_fantasy')!r}), 7, [Planner(1), Planner(2)]).run()\n"
        "print(result.decisions, result.state_hash)\n"
    )
    here = fight(rules, 7, [Planner(1), Planner(2)]).run()
    for hashes in ("0", "4711"):
        env = {**os.environ, "PYTHONHASHSEED": hashes}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout.split() == [str(here.decisions), here.state_hash]


def test_a_battle_that_was_left_goes_on_as_it_would_have(rules: Ruleset, tmp_path: Path) -> None:
    path = tmp_path / "battle.jsonl"
    battle = fight(rules, 7, [Planner(1), Planner(2)])
    with Recorder(battle, path, ["planner", "planner"]):
        battle.run()
    whole = path.read_bytes()
    for share in (0.3, 0.7):
        path.write_bytes(whole[: int(share * len(whole))])
        carried, recorder, _ = resume(path, rules, [Planner(1), Planner(2)])
        with recorder:
            carried.run()
        assert path.read_bytes() == whole


def test_it_beats_chance(rules: Ruleset) -> None:
    won = 0
    for n in range(6):
        players = [RandomPlayer(100 + n), Planner(n)] if n % 2 else [Planner(n), RandomPlayer(100 + n)]
        battle = fight(rules, 20 + n // 2, players, log=False)
        battle.run()
        won += battle.winner is battle.sides[n % 2]
    assert won >= 5


def test_the_plugin_gives_the_player() -> None:
    active, errors = activate(["warhost_tactics"])
    assert not errors
    assert isinstance(active.policies()["planner"](3), Planner)
