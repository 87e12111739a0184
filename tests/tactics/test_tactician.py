"""The player in small situations and whole battles: ratings, foresight, chance among equals, the same every time."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from tactics.fights import FOREST, ask, fight, fought_elsewhere, standing, unit
from test_architecture import GAME_WORDS
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision, Policy
from warhost.packs import Ruleset
from warhost.plugins import activate
from warhost_battles.players import RandomPlayer, UsualPlayer
from warhost_field.binding import field_of
from warhost_field.blocks import Pose
from warhost_field.functions import Spot
from warhost_field.travel import moves
from warhost_tactics import Tactician
from warhost_tactics.memory import Memory
from warhost_tactics.things import enemies_of, units_with_place, view_from

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def field(rules: Ruleset) -> Battle:
    """Two units of one side before two equal ones of the other."""
    reds = [unit("left", (15, 15)), unit("right", (35, 15))]
    return standing(rules, reds, [unit("foe", (15, 40), 180), unit("other", (35, 40), 180)])


# -- ratings, usual answers, chance -----------------------------------------------------------------


def test_the_best_rated_option_is_taken(field: Battle) -> None:
    decision = ask(field, "what", 0, ["a", "b", "c"], rate=lambda v: {"a": 1, "b": 7, "c": 3}[v])
    assert Tactician(1).decide(decision, field) == 1


def test_doing_something_comes_before_doing_nothing_of_equal_worth(field: Battle) -> None:
    decision = ask(field, "what", 0, ["a"], or_none=True, rate=lambda v: 0)
    assert Tactician(1).decide(decision, field) == 0


def test_what_is_worth_less_than_nothing_is_not_done(field: Battle) -> None:
    decision = ask(field, "what", 0, ["a", "b"], or_none=True, rate=lambda v: -1)
    assert decision.options[Tactician(1).decide(decision, field)].value is None


def test_the_usual_answer_where_nothing_is_rated(field: Battle) -> None:
    decision = ask(field, "how many", 0, [1, 2, 3, 4, 5], usual=lambda: 5)
    assert Tactician(1).decide(decision, field) == 4


def test_among_equals_chance_decides_and_the_seed_decides_chance(field: Battle) -> None:
    def answers(seed: int) -> list[int]:
        player = Tactician(seed)
        return [player.decide(ask(field, f"what {n}", 0, list("abcd"), rate=lambda v: 1), field) for n in range(40)]

    assert answers(1) == answers(1)
    assert answers(1) != answers(2)
    assert set(answers(1)) == {0, 1, 2, 3}


# -- foresight ---------------------------------------------------------------------------------------


def choose_target(player: Tactician, battle: Battle, ratings: dict[str, float]) -> str:
    values = [battle.entity(i) for i in ratings]
    decision = ask(battle, "aim", 0, values, rate=lambda v: ratings[v.id])
    return str(decision.options[player.decide(decision, battle)].value.id)


def test_others_go_for_the_same_enemy(field: Battle) -> None:
    player = Tactician(1)
    assert choose_target(player, field, {"foe": 5.0, "other": 4.0}) == "foe"
    assert choose_target(player, field, {"foe": 5.0, "other": 5.2}) == "foe"


def test_until_it_is_enough(field: Battle) -> None:
    player, worth = Tactician(1), float(field.entity("foe").cost)
    assert choose_target(player, field, {"foe": worth, "other": worth / 2}) == "foe"
    assert choose_target(player, field, {"foe": 5.0, "other": 4.0}) == "other"


def test_the_aim_is_forgotten_with_the_phase(field: Battle) -> None:
    player, worth = Tactician(1), float(field.entity("foe").cost)
    assert choose_target(player, field, {"foe": worth, "other": worth / 2}) == "foe"
    field.battle.turn += 1
    assert choose_target(player, field, {"foe": 5.0, "other": 4.0}) == "foe"


def test_a_unit_does_not_go_back_where_it_came_from(field: Battle) -> None:
    player, mover = Tactician(1), field.entity("left")
    field.battle.turn = 1
    ways = moves(field, mover, 8)
    ahead = next(w for w in ways if w.label == "advance")
    decision = ask(field, "way", 0, ways, rate=lambda w: 10 if w is ahead else 0)
    assert decision.options[player.decide(decision, field)].value is ahead
    field.travel(mover, ahead, [])
    field.battle.turn = 2
    rating = {"fall back": 10.0, "sidestep left": 9.5}
    decision = ask(field, "way", 0, moves(field, mover, 16), rate=lambda w: rating.get(w.label, 0.0))
    back = next(o.value for o in decision.options if o.label == "fall back")
    assert abs(back.y - 15) < 2
    assert decision.options[player.decide(decision, field)].label == "sidestep left"


def test_a_way_that_ends_on_good_ground_is_preferred(rules: Ruleset) -> None:
    battle = standing(rules, [unit("foot", (30, 18))], [unit("foe", (30, 45), 180)])
    ways = [w for w in moves(battle, battle.entity("foot"), 16) if w.label in ("advance", "fall back", "sidestep left")]
    rating = {"advance": 8.0, "sidestep left": 7.0, "fall back": -8.0}
    decision = ask(battle, "way", 0, ways, rate=lambda w: rating[w.label])
    assert decision.options[Tactician(1).decide(decision, battle)].label == "sidestep left"


def test_a_place_with_a_free_view_is_preferred(rules: Ruleset) -> None:
    late = {"id": "late", "name": "Late", "profile": "orc_mob", "size": 6}
    battle = standing(rules, [late], [unit("foe", (48, 45), 180, size=4)], FOREST)
    behind, beside = Spot("behind", 15, 16, 0, unit=None), Spot("beside", 55, 16, 0, unit=None)
    for spot in (behind, beside):
        spot.final = field_of(battle).block(battle.entity("late")).at(Pose(spot.x, spot.y, 0))
    foes = enemies_of(battle.sides[0], units_with_place(battle))
    assert (view_from(battle, behind, foes), view_from(battle, beside, foes)) == (0, 1)
    decision = ask(battle, "place", 0, [behind, beside], rate=lambda s: 1 if s is behind else 0.8)
    assert decision.options[Tactician(1).decide(decision, battle)].value is behind  # the ratings differ too little
    decision = ask(
        battle,
        "place",
        0,
        [behind, beside, Spot("far", 1, 1, 0)],
        rate=lambda s: {"behind": 1, "beside": 0.8}.get(s.label, 0),
    )
    assert decision.options[Tactician(1).decide(decision, battle)].value is beside


def test_who_acts_keeps_to_what_it_did(field: Battle) -> None:
    player = Tactician(5)
    mine = field.sides[0].units
    courses = ["hold", "spread", "close_up"]

    def turn(number: int, ratings: dict[str, float]) -> list[str]:
        field.battle.turn, field.battle.phase = number, "orders"
        player.decide(ask(field, "next in orders", 0, mine), field)
        told = []
        for _ in mine:  # the last one to act is not chosen, it follows by itself
            decision = ask(field, "order", 0, courses, rate=lambda v: ratings[v])
            told.append(decision.options[player.decide(decision, field)].label)
        return told

    assert turn(1, {"hold": 0, "spread": 5, "close_up": 1}) == ["spread", "spread"]
    for number in range(2, 8):
        assert turn(number, {"hold": 0, "spread": 5, "close_up": 5}) == ["spread", "spread"]
    assert turn(8, {"hold": 0, "spread": 5, "close_up": 6}) == ["close_up", "close_up"]


def test_a_new_phase_is_a_new_memory(field: Battle) -> None:
    memory = Memory()
    decision = ask(field, "aim", 0, [field.entity("foe"), field.entity("other")])
    memory.look(decision, field)
    memory.keep(decision, 0, 3.0)
    assert memory.aimed("aim", field.entity("foe")) == 3.0
    assert memory.aimed("aim", field.entity("other")) is None
    assert memory.times("aim", "Foe") == 1
    field.battle.phase = "later"
    memory.look(decision, field)
    assert memory.aimed("aim", field.entity("foe")) is None
    assert memory.times("aim", "Foe") == 0


# -- whole battles -----------------------------------------------------------------------------------


class Witness:
    """Notes what a player answers."""

    def __init__(self, player: Policy) -> None:
        self.player = player
        self.seen: list[tuple[str, Any, int]] = []

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        answer = self.player.decide(decision, battle)
        self.seen.append((decision.name, answer, len(decision.options)))
        return answer


@pytest.mark.parametrize("silent", [False, True])
def test_every_answer_is_one_of_the_options(rules: Ruleset, silent_rules: Ruleset, silent: bool) -> None:
    witness = Witness(Tactician(2))
    result = fight(silent_rules if silent else rules, 3, [witness, RandomPlayer(4)]).run()
    assert result.turns >= 1
    assert len({name for name, _, _ in witness.seen}) > 3
    assert all(isinstance(a, int) and 0 <= a < n for _, a, n in witness.seen)


def test_two_of_them_can_play(rules: Ruleset) -> None:
    assert fight(rules, 5, [Tactician(1), Tactician(1)]).run().turns >= 1


def test_the_same_battle_gets_the_same_answers_whatever_hashes_are(rules: Ruleset) -> None:
    here = fight(rules, 7, [Tactician(1), Tactician(2)]).run()
    for hashes in ("0", "4711"):
        assert fought_elsewhere("warhost_tactics:Tactician", hashes) == (here.decisions, here.state_hash)


def wins(rules: Ruleset, opponent: type[RandomPlayer] | type[UsualPlayer], battles: int) -> int:
    """How many small battles the tactician wins, every other one with the second side."""
    won = 0
    for n in range(battles):
        seat = n % 2
        players: list[Policy | None] = [opponent(), opponent()] if opponent is UsualPlayer else []
        players = players or [RandomPlayer(100 + n), RandomPlayer(100 + n)]
        players[seat] = Tactician(n)
        battle = fight(rules, 20 + n // 2, players, log=False)
        battle.run()
        won += battle.winner is battle.sides[seat]
    return won


def test_it_beats_chance(rules: Ruleset) -> None:
    assert wins(rules, RandomPlayer, 12) >= 9


def test_it_beats_chance_even_without_ratings(silent_rules: Ruleset) -> None:
    assert wins(silent_rules, RandomPlayer, 6) >= 3


# -- the plugin --------------------------------------------------------------------------------------


def test_the_plugin_gives_the_player() -> None:
    active, errors = activate(["warhost_tactics"])
    assert not errors
    assert isinstance(active.policies()["tactician"](3), Tactician)


def test_it_knows_no_game() -> None:
    import warhost_tactics

    words = set()
    for file in sorted(Path(str(warhost_tactics.__file__)).parent.glob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            for part in (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "value", "")):
                if isinstance(part, str):
                    words |= set(part.lower().replace("_", " ").split())
    assert not words & set(GAME_WORDS)
