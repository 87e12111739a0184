"""Boards with units and terrain for the tests: by hand, and drawn by hypothesis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.packs import Ruleset
from warhost_hexes.board import Board, board_of
from warhost_hexes.functions import FUNCTIONS
from warhost_hexes.grid import grid

few = settings(max_examples=60)
fewer = settings(max_examples=25)

CALL = {f.name: f.call for f in FUNCTIONS}

#: A board small enough for searches by brute force.
SMALL = (7, 6)

Row = tuple[str, str, str]


def battle_of(
    game: Ruleset,
    ours: Sequence[Row] = (),
    theirs: Sequence[Row] = (),
    terrain: Sequence[Mapping[str, Any]] = (),
    size: tuple[int, int] = SMALL,
    **board: Any,
) -> Battle:
    """A battle that does not begin. Units are (id, profile, "column-row"), or "" for no place."""
    armies = []
    for i, rows in enumerate((ours, theirs)):
        units = [
            {"id": id, "profile": profile, "size": 1, **({"at": at} if at else {})} for id, profile, at in rows
        ]
        data = {"id": f"side_{i}", "name": f"Side {i}", "limit": 0, "units": units}
        armies.append(Army.from_data(data, game, "test"))
    columns, rows_ = size
    layout = {"hexes": {"columns": columns, "rows": rows_}, "terrain": list(terrain), **board}
    return Battle(game, armies, 1, scenario={"id": "test", "name": "Test", "board": layout})


def board(battle: Battle) -> Board:
    return board_of(battle)


def hex_of(battle: Battle, label: str) -> Any:
    made = board_of(battle)
    return made.hexes[made.grid.read(label)]


@st.composite
def situations(draw: st.DrawFn) -> dict[str, Any]:
    """What `battle_of` takes: up to four units a side and up to six pieces of terrain on a small board."""
    layout = grid(*SMALL)
    places = draw(st.permutations(range(layout.size)))
    ours, theirs = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    profiles = st.sampled_from(["foot", "horse", "birds", "giant"])
    rows = [(f"u{i}", draw(profiles), layout.label(places[i])) for i in range(ours + theirs)]
    pieces = []
    for i in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, layout.size - 1))
        count = draw(st.integers(1, 8))
        kind = draw(st.sampled_from(["wood", "copse", "hill", "knoll", "lake"]))
        cells = layout.patch(start, count, range(layout.size))
        piece = {"id": f"p{i}", "type": kind, "hexes": [layout.label(c) for c in cells]}
        pieces.append({**piece, "height": draw(st.integers(1, 2))})
    return {"ours": rows[:ours], "theirs": rows[ours:], "terrain": pieces}
