"""Lines of sight: reciprocal, and blocked by what the rules say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexes.situations import CALL, battle_of, board, few, hex_of, situations
from warhost.packs import Ruleset


@few
@given(situation=situations())
def test_sight_is_the_same_both_ways(game: Ruleset, situation: dict[str, Any]) -> None:
    battle = battle_of(game, **situation)
    things = [*battle.everyone["unit"], *battle.everyone["hex"][::3]]
    for a in things:
        assert CALL["sees"](battle, a, a)
        for b in things:
            assert CALL["sees"](battle, a, b) == CALL["sees"](battle, b, a)


@few
@given(situation=situations())
def test_neighbours_see_each_other(game: Ruleset, situation: dict[str, Any]) -> None:
    battle = battle_of(game, **situation)
    for a in battle.everyone["hex"]:
        assert all(CALL["sees"](battle, a, b) for b in CALL["neighbours"](battle, a))


@few
@given(situation=situations(), data=st.data())
def test_on_the_level_more_things_never_open_a_line(
    game: Ruleset, situation: dict[str, Any], data: st.DataObject
) -> None:
    flat = [p for p in situation["terrain"] if p["type"] not in ("hill", "knoll")]
    battle = battle_of(game, **{**situation, "terrain": flat})
    hexes = battle.everyone["hex"]
    pairs = [(a, b) for a in hexes[::4] for b in hexes[::5]]
    before = {(a.id, b.id): CALL["sees"](battle, a, b) for a, b in pairs}
    CALL["lay_terrain"](battle, "wood", data.draw(st.sampled_from(hexes)))
    for a, b in pairs:
        assert before[a.id, b.id] or not CALL["sees"](battle, a, b)


@few
@given(situation=situations())
def test_on_an_empty_plain_everybody_sees_everything(game: Ruleset, situation: dict[str, Any]) -> None:
    lakes = [{**p, "type": "lake"} for p in situation["terrain"]]
    battle = battle_of(game, terrain=lakes)
    hexes = battle.everyone["hex"]
    assert all(CALL["sees"](battle, a, b) for a in hexes[::3] for b in hexes)


ROW = (9, 5)


def seen(game: Ruleset, start: str, terrain: list[dict[str, Any]], **more: Any) -> str:
    """Which hexes of row 3 are seen from a hex: x seen, . not, as a text from column 1 on."""
    battle = battle_of(game, terrain=terrain, size=ROW, **more)
    here = hex_of(battle, start)
    return "".join("x" if CALL["sees"](battle, here, hex_of(battle, f"{c}-3")) else "." for c in range(1, ROW[0] + 1))


def row(type_: str, *columns: int, height: int = 0, id: str = "") -> dict[str, Any]:
    name = id or f"{type_}{'_'.join(map(str, columns))}"
    return {"id": name, "type": type_, "height": height, "hexes": [f"{c}-3" for c in columns]}


def test_one_sees_into_a_wood_and_not_through_it(game: Ruleset) -> None:
    assert seen(game, "1-3", [row("wood", 4, 5)]) == "xxxx....."
    assert seen(game, "4-3", [row("wood", 4, 5)]) == "xxxxx...."


def test_one_sees_through_one_hex_of_a_copse(game: Ruleset) -> None:
    assert seen(game, "1-3", [row("copse", 3, 5, 7)]) == "xxxxx...."
    assert seen(game, "1-3", [row("copse", 3)]) == "xxxxxxxxx"
    assert seen(game, "1-3", [row("copse", 3), row("wood", 6)]) == "xxxxxx..."


def test_from_above_only_the_hex_behind_a_wood_is_hidden(game: Ruleset) -> None:
    knoll = row("knoll", 1, height=1)
    assert seen(game, "1-3", [knoll, row("wood", 4)]) == "xxxx.xxxx"
    assert seen(game, "1-3", [knoll, row("copse", 4)]) == "xxxxxxxxx"
    assert seen(game, "1-3", [knoll, row("wood", 4), row("knoll", 6, height=1)]) == "xxxx.x..."
    assert seen(game, "1-3", [knoll, row("wood", 4), row("knoll", 5, height=1)]) == "xxxxx...."


def test_a_wood_on_a_hill_blocks_there(game: Ruleset) -> None:
    ridge = {"id": "ridge", "type": "knoll", "height": 1, "hexes": [f"{c}-{r}" for c in range(1, 9) for r in (2, 3, 4)]}
    assert seen(game, "1-3", [ridge, row("wood", 4)]) == "xxxx....."
    assert seen(game, "1-3", [ridge]) == "xxxxxxxx."


def test_the_inside_of_a_plateau_is_hidden_from_below(game: Ruleset) -> None:
    cells = [f"{c}-{r}" for c in range(4, 8) for r in range(1, 6)]
    plateau = {"id": "hill", "type": "hill", "height": 1, "hexes": cells}
    assert seen(game, "1-3", [plateau]) == "xxxx....."
    assert seen(game, "4-3", [plateau]) == "xxxxxxx.."
    assert seen(game, "5-3", [plateau]) == "...xxxx.."
    top = row("hill", 6, height=2)
    assert seen(game, "1-3", [plateau, top]) == "xxxx.x..."
    assert seen(game, "6-3", [plateau, top]) == "xxxxxxxxx"


def units(battle: Any) -> tuple[Any, ...]:
    return tuple(battle.by_id[i] for i in "abc")


@pytest.mark.parametrize(
    ("first", "between", "last", "wanted"),
    [
        ("foot", "foot", "foot", False),
        ("giant", "foot", "foot", True),
        ("foot", "foot", "giant", True),
        ("giant", "giant", "foot", False),
        ("foot", "giant", "foot", False),
        ("foot", "birds", "foot", True),
    ],
)
def test_units_hide_who_is_no_taller(game: Ruleset, first: str, between: str, last: str, wanted: bool) -> None:
    battle = battle_of(game, [("a", first, "1-3"), ("b", between, "3-3"), ("c", last, "6-3")])
    a, b, c = units(battle)
    assert CALL["sees"](battle, a, c) is wanted
    assert CALL["sees"](battle, a, b)
    assert CALL["sees_as"](battle, a, c, 3)
    assert CALL["units_between"](battle, a, c) == [b]


def test_a_giant_hides_the_hex_behind_from_above(game: Ruleset) -> None:
    knoll = row("knoll", 1, height=1)
    battle = battle_of(game, [("g", "giant", "4-3"), ("f", "foot", "7-3")], terrain=[knoll], size=ROW)
    here = hex_of(battle, "1-3")
    hidden = [c for c in range(1, 10) if not CALL["sees"](battle, here, hex_of(battle, f"{c}-3"))]
    assert hidden == [5]


def test_a_line_along_an_edge_is_blocked_by_both_hexes(game: Ruleset) -> None:
    one = {"id": "one", "type": "wood", "hexes": ["3-2"]}
    both = {"id": "both", "type": "wood", "hexes": ["3-2", "2-2"]}
    for terrain, wanted in (([], True), ([one], True), ([both], False)):
        battle = battle_of(game, terrain=terrain)
        assert CALL["sees"](battle, hex_of(battle, "3-1"), hex_of(battle, "3-3")) is wanted


def test_what_lies_between(game: Ruleset) -> None:
    battle = battle_of(game, terrain=[{"id": "w", "type": "wood", "hexes": ["3-3", "4-3"]}], size=ROW)
    a, b = hex_of(battle, "2-3"), hex_of(battle, "6-3")
    assert [h.name for h in CALL["line_between"](battle, a, b)] == ["3-3", "4-3", "5-3"]
    assert [h.name for h in CALL["line_between"](battle, b, a)] == ["5-3", "4-3", "3-3"]
    assert CALL["terrain_between"](battle, a, b) == [battle.by_id["w"]]
    assert board(battle).grid.columns == 9


def test_a_piece_of_terrain_is_seen_when_one_of_its_hexes_is(game: Ruleset) -> None:
    battle = battle_of(game, [("a", "foot", "1-3")], terrain=[row("wood", 4, 5, 6)], size=ROW)
    a, wood = battle.by_id["a"], battle.by_id["wood4_5_6"]
    assert CALL["sees"](battle, a, wood)
    assert CALL["distance"](battle, a, wood) == 3
