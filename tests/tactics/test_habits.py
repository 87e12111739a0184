"""Each habit on a small real situation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tactics.fights import ask, standing, unit
from warhost.engine.battle import Battle
from warhost.engine.decisions import Decision
from warhost.packs import Ruleset
from warhost_field.binding import field_of
from warhost_field.blocks import Pose
from warhost_field.functions import Spot
from warhost_field.travel import moves
from warhost_tactics import habits
from warhost_tactics.memory import Memory
from warhost_tactics.tactician import Tactician
from warhost_tactics.things import Stand, enemies_of, pace_kept, stand_of, units_with_place, worth_of


def best(habit: habits.Habit, decision: Decision, battle: Battle) -> Any:
    """The value that a habit likes best."""
    scores = habit(decision, battle, Memory())
    assert scores is not None
    assert len(scores) == len(decision.options)
    return decision.options[scores.index(max(scores))].value


@pytest.fixture
def face_to_face(rules: Ruleset) -> Battle:
    """Two foot units of one side before one of the other."""
    reds = [unit("near", (20, 20), 0, size=12), unit("far", (40, 8), 0, size=6)]
    return standing(rules, reds, [unit("foe", (20, 40), 180)])


def test_a_strong_unit_goes_to_the_enemy(face_to_face: Battle) -> None:
    near, foe = face_to_face.entity("near"), face_to_face.entity("foe")
    options = moves(face_to_face, near, 8)
    way = best(habits.ways, ask(face_to_face, "way", 0, options, or_none=True), face_to_face)
    assert way is not None
    assert way.y > near.y + 4
    assert Stand(way.x, way.y, way.facing).turned_from(Stand(foe.x, foe.y, 0)) < 60


def test_a_weak_unit_does_not(rules: Ruleset) -> None:
    foes = [unit("foe", (20, 36), 180, size=20), unit("second", (34, 36), 180, size=20)]
    battle = standing(rules, [unit("few", (20, 20), size=3)], foes)
    few = battle.entity("few")
    way = best(habits.ways, ask(battle, "way", 0, moves(battle, few, 8), or_none=True), battle)
    assert way is None or way.y <= few.y + 0.5


def test_nobody_turns_the_back_to_the_enemy(face_to_face: Battle) -> None:
    here = Stand(20, 20, 0)
    units = [(u, s) for u, s in units_with_place(face_to_face) if u.id != "near"]
    foes, friends = enemies_of(face_to_face.sides[0], units), [row for row in units if row[0].id == "far"]
    ends = [Stand(20, 28, 0), here, Stand(20, 20, 90), Stand(20, 12, 180)]
    worth = [habits.place_worth(here, end, foes, friends, 8, 1.0) for end in ends]
    assert worth == sorted(worth, reverse=True)
    assert len(set(worth)) == 4


def test_an_enemy_beside_is_an_open_side() -> None:
    end = Stand(10, 10, 0)
    foes = [("ahead", Stand(10, 20, 180)), ("left", Stand(2, 10, 90)), ("far off", Stand(90, 10, 0))]
    assert habits.open_sides(end, foes, 15) == 1


def test_no_way_off_the_table_is_taken(face_to_face: Battle) -> None:
    near = face_to_face.entity("near")
    options = list(moves(face_to_face, near, 8))
    good = best(habits.ways, ask(face_to_face, "way", 0, options), face_to_face)
    good.leaves_table = True
    assert best(habits.ways, ask(face_to_face, "way", 0, options), face_to_face) is not good


def test_the_foremost_acts_first(face_to_face: Battle) -> None:
    near, far = face_to_face.entity("near"), face_to_face.entity("far")
    for name in ("next in marching", "order of walker"):
        assert best(habits.order_of_acting, ask(face_to_face, name, 0, [far, near]), face_to_face) is near


def test_before_there_are_places_the_strongest_acts_first(rules: Ruleset) -> None:
    few, many = ({"id": i, "name": i, "profile": "orc_mob", "size": n} for i, n in (("few", 4), ("many", 14)))
    battle = standing(rules, [few, many], [])
    decision = ask(battle, "next in deployment", 0, battle.sides[0].units, or_none=True)
    assert best(habits.order_of_acting, decision, battle) is battle.entity("many")


def test_the_dearest_enemy_and_the_strongest_friend(rules: Ruleset) -> None:
    two = [unit("few", (10, 10), size=4), unit("many", (30, 10), size=14)]
    battle = standing(rules, two, [unit("foe", (20, 40), 180)])
    for side in (0, 1):
        assert best(habits.things, ask(battle, "whom", side, battle.sides[0].units), battle) is battle.entity("many")


def test_what_a_thing_has_lost_is_known_where_the_rules_tell_it(face_to_face: Battle) -> None:
    foe = face_to_face.entity("foe")
    assert worth_of(face_to_face, foe) > 0
    assert habits.damage(face_to_face, foe) == 0


def test_the_middle_number(face_to_face: Battle) -> None:
    assert best(habits.numbers, ask(face_to_face, "dice", 0, list(range(1, 8)), or_none=True), face_to_face) == 4
    assert best(habits.numbers, ask(face_to_face, "dice", 0, [0, 1]), face_to_face) == 1


def test_what_can_be_done_is_done(face_to_face: Battle) -> None:
    assert best(habits.truth, ask(face_to_face, "again", 0, [False, True]), face_to_face) is True
    assert habits.numbers(ask(face_to_face, "again", 0, [False, True]), face_to_face, Memory()) is None


def test_a_lone_unit_before_many_is_rash_and_a_line_is_not(rules: Ruleset) -> None:
    foes = [unit(f"foe{i}", (15.0 + 10 * i, 40), 180) for i in range(3)]
    ends = [Stand(25, 24, 0), Stand(25, 28, 0), Stand(25, 16, 0)]
    lone = standing(rules, [unit("lone", (25, 20))], foes)
    far = habits.rashness(lone, lone.entity("lone"), Stand(25, 20, 0), ends, Memory())
    assert far[1] > far[0] > far[2] == 0
    line = standing(rules, [unit("left", (15, 20)), unit("lone", (25, 20)), unit("right", (35, 20))], foes)
    assert habits.rashness(line, line.entity("lone"), Stand(25, 20, 0), ends, Memory()) == [0, 0, 0]


def test_ground_that_slows_is_known_where_a_way_ends(rules: Ruleset) -> None:
    battle = standing(rules, [unit("foot", (30, 18)), unit("riders", (50, 18), profile="orc_riders", size=6)], [])
    foot, riders = battle.entity("foot"), battle.entity("riders")
    inside = Spot("in the copse", 30, 26, 0, field_of(battle).block(foot).at(Pose(30, 26, 0)))
    assert pace_kept(battle, foot, foot) == pace_kept(battle, riders, riders) == 1
    assert pace_kept(battle, foot, inside) == 0.5
    assert pace_kept(battle, riders, inside) == 0.25


def test_a_reaction_is_taken_once_in_a_phase(face_to_face: Battle) -> None:
    player = Tactician(3)
    answers = []
    for _ in range(3):
        decision = ask(face_to_face, "reaction to passing_by", 0, ["Stand and look"], or_none=True)
        answers.append(decision.options[player.decide(decision, face_to_face)].label)
    assert answers == ["Stand and look", "none", "none"]
    face_to_face.battle.turn += 1
    decision = ask(face_to_face, "reaction to passing_by", 0, ["Stand and look"], or_none=True)
    assert player.decide(decision, face_to_face) == 0


def test_places_near_the_middle_of_the_own_units(rules: Ruleset) -> None:
    battle = standing(rules, [unit("here", (40, 10))], [])
    offered = [Spot("left", 10, 10, 0), Spot("right", 44, 10, 0)]
    assert best(habits.places, ask(battle, "place", 0, offered), battle) is offered[1]


def test_of_things_with_a_price_the_dearest(rules: Ruleset, face_to_face: Battle) -> None:
    offered = [v for kind in rules.program.kinds for v in face_to_face.definitions_of(kind)]
    prices = sorted({v.cost for v in offered})
    if len(prices) > 1:
        assert best(habits.dearest, ask(face_to_face, "gift", 0, offered), face_to_face).cost == prices[-1]
    assert habits.dearest(ask(face_to_face, "gift", 0, offered[:1]), face_to_face, Memory()) is None


def test_who_stands_on_a_field_is_where_that_is() -> None:
    field = SimpleNamespace(x=3.0, y=4.5, place=None)
    assert stand_of(SimpleNamespace(place=field)) == Stand(3.0, 4.5, None)
    assert stand_of(SimpleNamespace(place=None)) is None
    assert Stand(0, 0, None).turned_from(Stand(0, -5, 90)) == 0  # whoever has no facing looks everywhere
