"""The player that looks ahead: which options it compares, and that its battles are the same wherever they run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import warhost
from tactics.fights import ask, fight, fought_elsewhere, standing, unit
from warhost.engine.battle import Battle
from warhost.packs import Ruleset
from warhost.plugins import activate
from warhost_battles.journal import Recorder, resume
from warhost_battles.players import RandomPlayer
from warhost_tactics import Tactician
from warhost_tactics.planner import HORIZON, Horizon, Planner, close_attacks, is_better, knows_too_little, lead_of


@pytest.fixture
def field(rules: Ruleset) -> Battle:
    """One unit before four of the other side."""
    foes = [unit(f"foe_{n}", (10 + 12 * n, 40), 180) for n in range(4)]
    return standing(rules, [unit("left", (15, 15)), unit("right", (35, 15))], foes)


def compared(field: Battle, ratings: list[float]) -> list[int]:
    """The options that are compared where the first side chooses between as many enemies as there are ratings."""
    foes = list(field.sides[1].units)[: len(ratings)]
    decision = ask(field, "whom", 0, foes, rate=lambda foe: ratings[foes.index(foe)])
    return close_attacks(decision, field, ratings, max(range(len(ratings)), key=lambda i: ratings[i]))


def test_the_best_three_options_with_close_ratings_are_compared(field: Battle) -> None:
    cost = field.sides[1].units[0].cost
    assert compared(field, [0.2 * cost, 0.5 * cost, 0.4 * cost, 0.3 * cost]) == [1, 2, 3]
    assert compared(field, [0.5 * cost, -2 * cost, 0.4 * cost, -3 * cost]) == [0, 2]


def test_options_with_little_to_win_or_lose_are_not_compared(field: Battle) -> None:
    cost = field.sides[1].units[0].cost
    assert compared(field, [0.05 * cost, 0.04 * cost]) == []


def test_friends_and_options_without_ratings_are_not_compared(field: Battle) -> None:
    friends = list(field.sides[0].units)
    assert close_attacks(ask(field, "whom", 0, friends, rate=lambda v: 50), field, [50.0, 50.0], 0) == []
    foes = list(field.sides[1].units)
    assert close_attacks(ask(field, "whom", 0, foes), field, [50.0] * len(foes), 0) == []


def test_nothing_is_compared_while_something_is_hidden(field: Battle) -> None:
    other = field.sides[1]
    decisions = [ask(field, "whom", i, ["a", "b"]) for i in range(2)]
    assert not knows_too_little(field, decisions[0])
    field.hide(other.units[0], other)
    assert [knows_too_little(field, decision) for decision in decisions] == [True, False]


def test_another_option_must_be_better_by_more_than_chance() -> None:
    assert is_better([10, 12, 11], [1, 2, 3])
    assert not is_better([10, -30, 25], [1, 2, 3])
    assert not is_better([1, 2, 3], [1, 2, 3])


def test_the_lead_of_a_side_is_what_the_others_have_lost(field: Battle) -> None:
    one, other = field.sides
    field.starting_points = [sum(u.cost for u in side.units) for side in field.sides]
    assert lead_of(field, one) == 0
    cost = other.units[0].cost
    field.remove(other.units[0])
    assert (lead_of(field, one), lead_of(field, other)) == (cost, -cost)
    field.end(one, "it is over")
    assert lead_of(field, one) == cost + field.starting_points[0]


@pytest.mark.parametrize("ruleset", ["small_fantasy", "three_plains"])
def test_a_rollout_covers_the_rest_of_this_player_turn_and_the_next(ruleset: str) -> None:
    """Wherever in the turn it begins, whichever side has the turn, and where turns belong to all sides."""
    rules = warhost.load(ruleset)
    armies = [warhost.Army.ready(name, rules) for name in [*rules.armies][:2]]
    battle = Battle(rules, armies, 3, players=[RandomPlayer(1), RandomPlayer(2)], log=False)
    turns: list[tuple[int, Any]] = []
    begun: list[tuple[int, Horizon]] = []

    def watch(now: Battle) -> None:
        turn = (now.battle.turn, now.battle.active_side)
        if turn[0] < 1:
            return
        if turns[-1:] != [turn]:
            turns.append(turn)
        for at, horizon in [*begun]:
            if horizon(now) is not None:
                begun.remove((at, horizon))
                assert now.battle.over or len(turns) - at == HORIZON
        begun.append((len(turns), Horizon(now, now.sides[0])))

    battle.on_phase = watch
    battle.run()
    assert len(turns) > 6


def test_rollouts_are_played_by_the_players_it_was_given(rules: Ruleset) -> None:
    made: list[int] = []

    def foe(seed: int) -> Tactician:
        made.append(seed)
        return Tactician(seed)

    fight(rules, 7, [Planner(1, foe), Tactician(2)]).run()
    assert len(made) > 20


def test_the_same_battle_gets_the_same_answers_whatever_hashes_are(rules: Ruleset) -> None:
    here = fight(rules, 7, [Planner(1), Planner(2)]).run()
    for hashes in ("0", "4711"):
        assert fought_elsewhere("warhost_tactics.planner:Planner", hashes) == (here.decisions, here.state_hash)


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
