"""The board of a battle: who and what lies where, zones, markers, the picture, the laws."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from hexes.situations import CALL, battle_of, board, fewer, hex_of, situations
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import RuleFault, mistakes
from warhost.packs import Ruleset, read
from warhost_battles.players import known_players, player
from warhost_hexes.board import board_of
from warhost_hexes.picture import rings
from warhost_hexes.plugin import warhost_board_problems
from warhost_proof.examples import run_examples

WOOD = {"id": "w", "type": "wood", "hexes": ["3-3", "4-3"]}


# -- who is where --------------------------------------------------------------------------------


@fewer
@given(situation=situations())
def test_whoever_stands_on_a_hex_is_found_there(game: Ruleset, situation: dict[str, Any]) -> None:
    battle = battle_of(game, **situation)
    made = board(battle)
    for unit in battle.everyone["unit"]:
        assert CALL["unit_in"](battle, unit.place) is unit
        assert CALL["hex_of"](battle, unit) is unit.place
        beside = {u for u in battle.everyone["unit"] if u is not unit and made.distance(u, unit) == 1}
        assert set(CALL["adjacent_units"](battle, unit)) == beside
        foes = {u for u in beside if u.side is not unit.side}
        assert set(CALL["adjacent_enemies"](battle, unit)) == foes
        assert set(CALL["enemies_beside"](battle, unit, unit.place)) == foes
        assert set(CALL["adjacent_friends"](battle, unit)) == beside - foes
        assert set(CALL["friends_beside"](battle, unit, unit.place)) == beside - foes
        enemies = [u for u in battle.everyone["unit"] if u.side is not unit.side]
        near = CALL["nearest_enemy"](battle, unit)
        assert made.distance(unit, near) == min(made.distance(unit, u) for u in enemies)
    for land in battle.everyone["terrain"]:
        for where in land.hexes:
            assert land in CALL["terrain_in"](battle, where)
    free = CALL["free_hexes"](battle, battle.everyone["hex"])
    assert len(free) == made.grid.size - len(battle.everyone["unit"])


def test_units_are_put_and_taken_off(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", ""), ("b", "foot", "2-2")])
    a, b = battle.by_id["a"], battle.by_id["b"]
    assert not a._placed
    CALL["put_at"](battle, a, hex_of(battle, "3-3"))
    assert a._placed
    assert a.place.name == "3-3"
    with pytest.raises(RuleFault, match="Foot 2 stands there"):
        CALL["put_at"](battle, a, b)
    CALL["take_off"](battle, b)
    with pytest.raises(RuleFault, match="Foot 1 cannot be put there: Foot 2 is nowhere"):
        CALL["put_at"](battle, a, b)
    size = f"1-1 to {board_of(battle).grid.columns}-{board_of(battle).grid.rows}"
    with pytest.raises(RuleFault, match=f"there is no such hex, the board's hexes are {size}"):
        CALL["put_at"](battle, a, CALL["hex_at"](battle, 99, 9))
    assert b.place is None
    assert battle.broken_laws() == []


def test_the_dead_hinder_nobody(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-3")], [("x", "foot", "2-3"), ("y", "foot", "3-3")])
    a, x = battle.by_id["a"], battle.by_id["x"]
    assert not CALL["sees"](battle, a, battle.by_id["y"])
    battle.remove(x)
    assert CALL["sees"](battle, a, battle.by_id["y"])
    assert CALL["unit_in"](battle, hex_of(battle, "2-3")) is None
    assert CALL["distance"](battle, a, x) == 13


def test_terrain_comes_and_goes(game: Ruleset) -> None:
    battle = battle_of(game, terrain=[WOOD])
    made = board(battle)
    land = CALL["lay_terrain"](battle, "wood", CALL["patch"](battle, hex_of(battle, "5-5"), 3), 1)
    assert (land.id, len(land.hexes), land.height) == ("wood_1", 3, 1)
    assert CALL["terrain_in"](battle, land) == []
    assert CALL["lay_terrain"](battle, "lake", hex_of(battle, "5-5")) in CALL["terrain_in"](battle, land)
    CALL["remove_terrain"](battle, land)
    assert made.lands_at(made.grid.read("5-5")) == [battle.by_id["lake_1"]]
    with pytest.raises(RuleFault, match="at least one hex"):
        CALL["lay_terrain"](battle, "wood", [])


def test_markers_lie_on_hexes(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "2-2")], markers=[{"id": "goal", "at": "2-2"}, "3-3"])
    goal, spot = battle.by_id["goal"], hex_of(battle, "2-2")
    assert CALL["markers_in"](battle, battle.by_id["a"]) == [goal]
    flag = CALL["put_marker"](battle, "The flag", spot)
    assert flag.id == "the_flag_1"
    assert CALL["markers_in"](battle, spot) == [goal, flag]
    CALL["move_marker"](battle, flag, hex_of(battle, "4-4"))
    assert CALL["distance"](battle, flag, goal) == CALL["distance"](battle, hex_of(battle, "4-4"), spot)
    CALL["remove_marker"](battle, goal)
    assert CALL["markers_in"](battle, spot) == []


def test_parts_of_the_board(game: Ruleset) -> None:
    battle = battle_of(game, size=(15, 13), zones={"near": {"rows": [1, 3]}})
    near = CALL["zone"](battle, "near")
    assert len(near) == 45
    assert CALL["in_zone"](battle, hex_of(battle, "4-3"), "near")
    assert not CALL["in_zone"](battle, hex_of(battle, "4-4"), "near")
    with pytest.raises(RuleFault, match='no zone "far"'):
        CALL["zone"](battle, "far")
    a, b = battle.sides
    assert [h.row for h in CALL["edge_hexes"](battle, b)] == [13] * 15
    assert CALL["rows_from_edge"](battle, hex_of(battle, "4-3"), a) == 3
    assert CALL["rows_from_edge"](battle, hex_of(battle, "4-3"), b) == 11
    halves = [CALL["half_of"](battle, h) for h in battle.everyone["hex"]]
    assert (halves.count(a), halves.count(None), halves.count(b)) == (90, 15, 90)
    quarters = [CALL["quarter_of"](battle, h) for h in battle.everyone["hex"]]
    assert [quarters.count(n) for n in range(5)] == [27, 42, 42, 42, 42]
    assert CALL["middle_hex"](battle).name == "8-7"
    assert len(CALL["flank_hexes"](battle)) == 26
    assert CALL["hex_at"](battle, 16, 1) is None
    assert (CALL["board_columns"](battle), CALL["board_rows"](battle)) == (15, 13)
    assert len(CALL["ring"](battle, CALL["middle_hex"](battle), 2)) == 12
    assert len(CALL["hexes_within"](battle, CALL["middle_hex"](battle), 2)) == 19


# -- what is wrong with a board ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"hexes": {"columns": 0, "rows": 4}}, "1 to 100"),
        ({"hexes": {"columns": "many"}}, "whole numbers, as in {columns: 15, rows: 13}"),
        ({"hexes": 7}, "columns: 15"),
        ({"zones": {"z": {"rows": [9, 99]}}}, 'zone "z"'),
        ({"terrain": [{"type": "wood"}]}, "an id, a type"),
        ({"terrain": [{"id": "w", "type": "wood", "hexes": ["99-1"]}]}, "w: there is no hex 99-1"),
        ({"markers": [{"id": "m", "at": "nowhere"}]}, "a marker"),
    ],
)
def test_a_wrong_board_is_told(wrong: Mapping[str, Any], says: str) -> None:
    ((_, said),) = warhost_board_problems(wrong, None)
    assert says in said


@pytest.mark.parametrize(
    ("wrong", "place", "says"),
    [
        ({"hexes": {"column": 9}}, ("hexes", "column"), 'did you mean "columns"?'),
        (
            {"terrain": [{"id": "w", "type": "wood", "hexes": ["1-1"], "nmae": "x"}]},
            ("terrain", 0, "nmae"),
            'did you mean "name"?',
        ),
        ({"markers": [{"id": "m", "ta": "1-1"}]}, ("markers", 0, "ta"), "a marker has no"),
    ],
)
def test_a_misspelt_word_of_a_board_is_told_at_its_place(
    wrong: Mapping[str, Any], place: tuple[str | int, ...], says: str
) -> None:
    ((where, said),) = warhost_board_problems(wrong, None)
    assert tuple(where) == place
    assert says in said


@pytest.mark.parametrize(
    ("right", "wrong", "line", "says"),
    [
        ('at: [8, 2]', 'at: [88, 2]', 8, "write hexes from 1-1 to 15-13"),
        ('at: "7-2"', 'at: "7-22"', 8, "there is no hex 7-22 on a board of 15 columns and 13 rows"),
        ('at: "7-2"', 'at: "seven"', 8, 'a hex is named [column, row] or "8-7"'),
        ("when: go(a, h8_4)", "when: go(a, h8_44)", 11, "there is no hex 8-44"),
        ("      - a adjacent h8_5", "      - a adjacent h18_5", 16, "write h1_1 to h15_13"),
        ("    a: {place: h8_4}", "    a: {place: h8_14}", 13, "there is no hex 8-14"),
    ],
)
def test_a_hex_beside_the_board_is_told_where_an_example_names_it(
    tmp_path: Path, right: str, wrong: str, line: int, says: str
) -> None:
    copy = tmp_path / "game"
    shutil.copytree(Path(__file__).with_name("game"), copy)
    assert mistakes(read(copy)[1]) == []
    file = copy / "examples" / "first.yaml"
    text = file.read_text(encoding="utf-8")
    assert right in text
    file.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    (problem,) = mistakes(read(copy)[1])
    assert (problem.file, problem.line) == (str(file), line)
    assert says in f"{problem.message}; {problem.hint}"


def test_a_unit_beside_the_board_is_nobody_elses_fault(game: Ruleset) -> None:
    with pytest.raises(RuleFault, match="a: there is no hex 99-1 on a board"):
        battle_of(game, [("a", "foot", "99-1")])


def test_a_right_board_is_not(game: Ruleset) -> None:
    for scenario in game.scenarios.values():
        assert list(warhost_board_problems(scenario.data["board"], game.program)) == []


# -- the picture ---------------------------------------------------------------------------------


def test_a_piece_is_outlined_as_a_whole(game: Ruleset) -> None:
    battle = battle_of(game, terrain=[WOOD])
    layout = board(battle).grid
    (ring,) = rings(layout, [layout.read("3-3"), layout.read("4-3")])
    assert len(ring) == 10
    assert len(rings(layout, [layout.read("1-1"), layout.read("5-5")])) == 2
    around = layout.near[layout.read("4-4")]
    assert len(rings(layout, around)) == 6  # with a hole in the middle it is drawn hex by hex


@fewer
@given(situation=situations())
def test_the_picture_has_everybody_inside_his_hex(game: Ruleset, situation: dict[str, Any]) -> None:
    battle = battle_of(game, **situation)
    (picture,) = battle.rules.plugins.call("warhost_picture", battle=battle)
    cells = {c["name"]: c["points"] for c in picture["cells"]}
    assert len(cells) == board(battle).grid.size
    for unit in picture["units"]:
        ring = cells[battle.by_id[unit["id"]].place.name]
        xs, ys = [p[0] for p in ring], [p[1] for p in ring]
        assert all(min(xs) < x < max(xs) and min(ys) < y < max(ys) for x, y in unit["outline"])
    for ring in [*cells.values(), *(t["points"] for t in picture["terrain"])]:
        assert all(0 <= x <= picture["width"] and 0 <= y <= picture["depth"] + 1e-3 for x, y in ring)


# -- whole battles -------------------------------------------------------------------------------


def played(game: Ruleset, scenario: str, names: tuple[str, str], seed: int) -> Any:
    known = known_players(game)
    players = [player(name, seed + i, known) for i, name in enumerate(names)]
    armies = [Army.ready(name, game) for name in ("ones_army", "twos_army")]
    return Battle(game, armies, seed, scenario=scenario, players=players)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("who", ["random", "usual", "tactician"])
def test_battles_break_no_law(game: Ruleset, seed: int, who: str) -> None:
    battle = played(game, "wild" if seed % 2 else "open", (who, who), seed)
    faults: list[str] = []
    battle.on_phase = lambda now: faults.extend(now.broken_laws())
    ended = battle.run()
    assert faults == []
    assert ended.turns == 4
    again = played(game, "wild" if seed % 2 else "open", (who, who), seed)
    assert again.run().state_hash == ended.state_hash


def test_two_on_a_hex_are_told(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-1"), ("b", "foot", "2-1")])
    battle.put(battle.by_id["a"], "place", hex_of(battle, "2-1"))
    assert battle.broken_laws() == ["a and b stand on 2-1"]
    battle.put(battle.by_id["a"], "place", None)
    assert "a has its place changed" in battle.broken_laws()[0]


@fewer
@given(situation=situations())
def test_a_moment_comes_back(game: Ruleset, situation: dict[str, Any]) -> None:
    battle = battle_of(game, **situation)
    unit, places = battle.everyone["unit"][0], [u.place for u in battle.everyone["unit"]]
    before, hashed = Checkpoint(battle), battle.state_hash()
    key = before.key()
    answers = [CALL["sees"](battle, unit, h) for h in battle.everyone["hex"]]
    CALL["take_off"](battle, unit)
    CALL["lay_terrain"](battle, "wood", battle.everyone["hex"][:9])
    CALL["put_marker"](battle, "flag", places[0])
    before.restore()
    assert [u.place for u in battle.everyone["unit"]] == places
    assert battle.state_hash() == hashed
    assert [CALL["sees"](battle, unit, h) for h in battle.everyone["hex"]] == answers
    assert Checkpoint(battle).key() == key


# -- the game's own examples ---------------------------------------------------------------------


def test_the_examples_of_the_game_pass(game: Ruleset) -> None:
    assert [(r.title, r.failures) for r in run_examples(game) if not r.passed] == []
