"""Points, areas made in play and places for units that come to the table."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import RuleFault
from warhost.packs import load
from warhost_battles.story import picture_of
from warhost_field.binding import field_of
from warhost_field.functions import FUNCTIONS as OLD
from warhost_field.places import FUNCTIONS

ROOT = Path(__file__).resolve().parents[2]
CALL = {f.name: f.call for f in (*OLD, *FUNCTIONS)}
BOARD = {
    "table": {"width": 60, "depth": 48},
    "terrain": [{"id": "copse", "type": "wood", "shape": {"circle": {"x": 30, "y": 30, "radius": 4}}, "height": 1}],
}


@cache
def rules() -> Any:
    return load(ROOT / "rulesets" / "small_fantasy")


def battle() -> Battle:
    names = ("elves", "orcs")
    scenario = {"id": "here", "name": "Here", "board": BOARD}
    made = Battle(rules(), [Army.ready(n, rules()) for n in names], 1, scenario=scenario)
    one, two = made.sides[0].units[0], made.sides[1].units[0]
    CALL["place_at"](made, one, 30, 16, 0)
    CALL["place_at"](made, two, 30, 40, 180)
    return made


def test_points_are_in_sight_and_in_reach() -> None:
    on = battle()
    unit, enemy = on.sides[0].units[0], on.sides[1].units[0]
    far = CALL["points_seen"](on, unit, 40)
    assert far
    assert all(CALL["distance"](on, unit, p) <= 40 and CALL["in_view"](on, unit, p) for p in far)
    hidden = CALL["middle_of"](on, enemy)
    assert not CALL["in_view"](on, unit, hidden)  # the copse stands between
    assert CALL["in_view"](on, unit, on.entity("copse"))
    assert far.free({"to": [36, 20]}).x == 36
    with pytest.raises(RuleFault, match="out of"):
        far.free({"to": [hidden.x, hidden.y]})
    assert not CALL["clear_between"](on, CALL["middle_of"](on, unit), hidden)
    assert CALL["clear_between"](on, CALL["middle_of"](on, unit), CALL["point_at"](on, 36, 20))
    assert CALL["ahead_of"](on, unit, enemy)
    assert not CALL["ahead_of"](on, unit, CALL["point_at"](on, 30, 2))


def test_of_those_who_fight_a_fighting_model_is_offered() -> None:
    on = battle()
    viewer, enemy = on.sides[0].units[0], on.sides[1].units[0]
    other = on.sides[0].units[1]
    CALL["place_at"](on, other, 45, 18, 180)
    CALL["place_at"](on, enemy, 45, 18, 0)
    CALL["place_at"](on, viewer, 20, 18, 90)
    offered = [p for p in CALL["points_seen"](on, viewer, 40) if p.label.endswith("where they fight")]
    assert [p.label.split(",")[0] for p in offered] == [other.name, enemy.name]
    for unit, point in zip((other, enemy), offered, strict=True):
        assert not CALL["misses_the_fight"](on, viewer, unit, point, 40)
        assert CALL["distance"](on, unit, point) == 0
        behind = field_of(on).block(unit).bases()[-1]
        rear = CALL["point_at"](on, behind.x, behind.y)
        assert CALL["misses_the_fight"](on, viewer, unit, rear, 40)
        assert not CALL["misses_the_fight"](on, viewer, unit, rear, 1)  # nobody who fights is within reach


def test_areas_are_made_and_shifted() -> None:
    on = battle()
    land = CALL["lay_circle"](on, "wood", CALL["point_at"](on, 10, 10), 6)
    assert (land.id, land.type) == ("wood_1", "wood")
    CALL["shift"](on, land, 90, 5)
    assert field_of(on).piece(land.id).centre == pytest.approx((15, 10))
    CALL["shift_towards"](on, land, CALL["point_at"](on, 15, 12), 6)
    assert field_of(on).piece(land.id).centre == pytest.approx((15, 12))
    strip = CALL["lay_strip"](on, "wood", CALL["point_at"](on, 40, 10), 6, 1)
    unit = on.sides[0].units[0]
    CALL["place_at"](on, unit, 40, 10.5, 0)
    assert CALL["bases_on"](on, unit, strip) >= 1
    assert CALL["bases_near"](on, unit, strip, 0) >= CALL["bases_on"](on, unit, strip)
    assert CALL["step_out"](on, unit, strip)
    assert strip not in CALL["terrain_under"](on, unit)


def test_a_new_unit_finds_places_that_fit() -> None:
    on = battle()
    unit, enemy = on.sides[0].units[0], on.sides[1].units[0]
    fresh = on.reinforcements.muster_unit(unit.profile, on.sides[0], 3)
    assert not CALL["distance"](on, unit, fresh) < 60
    spots = CALL["places_near"](on, fresh, enemy, 4)
    assert any(s.label.startswith("against") for s in spots)
    for spot in spots:
        CALL["deploy"](on, fresh, spot)
        assert on.broken_laws() == []
        assert CALL["distance"](on, fresh, enemy) <= 4.001
        CALL["withdraw"](on, fresh)
    CALL["place_at"](on, fresh, unit.x, unit.y, 0)
    assert on.broken_laws()
    assert CALL["settle"](on, fresh)
    assert on.broken_laws() == []


def test_no_unit_of_an_unknown_profile_comes() -> None:
    on = battle()
    with pytest.raises(RuleFault, match="no profile"):
        on.reinforcements.muster_unit("nobody", on.sides[0], 1)


def test_a_piece_gives_way_to_another_of_its_shape() -> None:
    on = battle()
    for shape in ({"line": {"points": [[6, 30], [18, 33], [20, 40]], "thickness": 1}}, {"circle": {"radius": 3}}):
        made = field_of(on)
        land = CALL["lay_circle"](on, "wood", CALL["point_at"](on, 12, 31), 6)
        name, figures = next(iter(shape.items()))
        made.shapes[land.id] = {"id": land.id, "type": "wood", "x": 12, "y": 31, "height": 2, "shape": name, **figures}
        made.forget_shape(land.id)
        before = made.piece(land.id)
        other = CALL["lay_instead"](on, land, "hill", 1)
        after = made.piece(other.id)
        assert (other.type, other.height) == ("hill", 1)
        assert [part.points for part in after.parts] == [part.points for part in before.parts]
        assert land.id not in made.placed
        assert other.id in made.placed


def test_a_piece_that_has_not_been_laid_is_nowhere() -> None:
    board = {**BOARD, "to_lay": [{"id": "hut", "type": "wood", "shape": {"circle": {"radius": 4}}, "height": 1}]}
    board["zones"] = {"all": {"x": 0, "y": 0, "width": 60, "depth": 48}}
    scenario = {"id": "here", "name": "Here", "board": board}
    on = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario=scenario)
    unit, hut = on.sides[0].units[0], on.entity("hut")
    CALL["place_at"](on, unit, 30, 16, 0)
    assert CALL["bases_near"](on, unit, hut, 100) == 0
    assert CALL["bases_on"](on, unit, hut) == 0
    assert CALL["places_near"](on, unit, hut, 10) == []
    for question in ("in_view", "ahead_of"):
        assert not CALL[question](on, unit, hut)
    assert not CALL["in_zone"](on, hut, "all")
    assert CALL["distance"](on, unit, hut) > 100
    with pytest.raises(RuleFault, match="does not lie on the table"):
        CALL["middle_of"](on, hut)


def test_a_picture_tells_to_whom_a_unit_is_on_its_way_and_what_lies_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    on = battle()
    unit, enemy = on.sides[0].units[0], on.sides[1].units[0]

    def drawn(**picture: str) -> dict[str, Any]:
        monkeypatch.setitem(on.rules.manifest, "picture", picture)
        found = picture_of(on)
        assert found is not None
        return next(dict(u) for u in found["units"] if u["id"] == unit.id)

    assert "pips" not in drawn(marks="nothing")
    assert drawn(pips="files")["pips"] == unit.files
    assert drawn(pips="models_shown")["pips"] == on.ask("models_shown", unit)
    assert "aims" not in drawn(aims="charge_target")
    on.put(unit, "charge_target", enemy)
    assert drawn(aims="charge_target")["aims"] == enemy.id
    assert "aims" not in drawn(aims="no_such_state")
    assert drawn()["airborne"] is False
    strong = drawn(strength="files", start="models_shown")
    assert (strong["strength"], strong["start"]) == (unit.files, int(on.ask("models_shown", unit)))


COORDINATES = st.integers(0, 40).map(float)


@given(*[COORDINATES] * 6)
def test_no_point_of_a_line_is_nearer_than_the_nearest(
    ax: float, ay: float, bx: float, by: float, x: float, y: float
) -> None:
    made = battle()
    start, end, thing = (CALL["point_at"](made, *at) for at in ((ax, ay), (bx, by), (x, y)))
    found = CALL["nearest_on_line"](made, start, end, thing)
    least = math.hypot(found.x - x, found.y - y)
    for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        assert math.hypot(ax + (bx - ax) * share - x, ay + (by - ay) * share - y) >= least - 1e-3
    assert abs((bx - ax) * (found.y - ay) - (by - ay) * (found.x - ax)) <= 0.1  # it lies on the line
