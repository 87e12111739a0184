"""Two units put opposite each other, and terrain that comes back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import RuleFault
from warhost.packs import load
from warhost_field.binding import field_of
from warhost_field.duels import FUNCTIONS
from warhost_field.functions import FUNCTIONS as OLD
from warhost_field.places import FUNCTIONS as PLACES

ROOT = Path(__file__).resolve().parents[2]
CALL = {f.name: f.call for f in (*OLD, *PLACES, *FUNCTIONS)}
BOARD = {
    "table": {"width": 60, "depth": 48},
    "terrain": [{"id": "copse", "type": "wood", "shape": {"circle": {"x": 10, "y": 10, "radius": 4}}, "height": 1}],
}


@cache
def rules() -> Any:
    return load(ROOT / "rulesets" / "small_fantasy")


def battle(*units: tuple[str, int]) -> Battle:
    armies = [
        Army.from_data(
            {"id": f"side_{i}", "name": f"Side {i}", "units": [{"id": f"unit_{i}", "profile": p, "size": n}]}, rules()
        )
        for i, (p, n) in enumerate(units)
    ]
    return Battle(rules(), armies, scenario={"id": "here", "name": "Here", "board": BOARD}, log=False)


@pytest.mark.parametrize("facing", [180, 0, 37])
@pytest.mark.parametrize(("side", "meets"), [("front", "front"), ("flank", "flank"), ("rear", "rear")])
def test_a_unit_stands_with_its_front_along_a_side_of_the_other(side: str, meets: str, facing: int) -> None:
    on = battle(("elf_warriors", 10), ("orc_mob", 12))
    one, other = on.by_id["unit_0"], on.by_id["unit_1"]
    CALL["place_at"](on, other, 30, 24, facing)
    CALL["stand_against"](on, one, other, side)
    assert CALL["touches"](on, one, other)
    assert CALL["side_attacked"](on, one, other) == meets
    assert CALL["side_attacked"](on, other, one) == "front"
    assert CALL["models_touching"](on, one, [other]) >= 1
    assert on.broken_laws() == []


def test_a_unit_stands_off_face_to_face() -> None:
    on = battle(("elf_archers", 10), ("ogre", 1))
    one, other = on.by_id["unit_0"], on.by_id["unit_1"]
    CALL["place_at"](on, other, 30, 40, 180)
    CALL["stand_off"](on, one, other, 17)
    assert CALL["distance"](on, one, other) == 17
    assert CALL["in_front"](on, one, other)
    assert CALL["in_front"](on, other, one)
    with pytest.raises(RuleFault, match="no room"):
        CALL["stand_off"](on, one, other, 45)
    with pytest.raises(RuleFault, match="apart"):
        CALL["stand_off"](on, one, other, -1)


def test_who_has_no_place_cannot_be_stood_against() -> None:
    on = battle(("elf_warriors", 10), ("orc_mob", 12))
    with pytest.raises(RuleFault, match="no place"):
        CALL["stand_against"](on, on.by_id["unit_0"], on.by_id["unit_1"], "front")


def test_terrain_lies_where_it_lay() -> None:
    on = battle(("elf_warriors", 10), ("orc_mob", 12))
    made, copse = field_of(on), on.by_id["copse"]
    before = Checkpoint(on)
    centre, key = made.piece("copse").centre, before.key()
    CALL["shift"](on, copse, 90, 5)
    circle = CALL["lay_circle"](on, "wood", CALL["point_at"](on, 40, 30), 3)
    assert made.piece("copse").centre != centre
    assert circle.id in made.placed
    assert Checkpoint(on).key() != key
    before.restore()
    assert made.piece("copse").centre == centre
    assert made.placed == ["copse"]
    assert circle.id not in on.by_id
    CALL["remove_terrain"](on, copse)
    assert made.placed == []
    before.restore()
    assert made.placed == ["copse"]
    assert Checkpoint(on).key() == key
