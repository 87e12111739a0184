"""Units that stand within others, and the heights of flyers."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.field.test_functions import CALL as MOST
from tests.field.test_functions import rules
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import RuleFault
from warhost_field.binding import field_of
from warhost_field.places import FUNCTIONS as PLACES

CALL = MOST | {f.name: f.call for f in PLACES}

few = settings(max_examples=25)
poses = st.tuples(st.integers(14, 46), st.integers(14, 34), st.sampled_from([0.0, 90.0, 180.0, 270.0, 33.0, 211.0]))


def lined_up() -> tuple[Battle, Any, Any, Any]:
    """A battle, a block of one side, a lone model or small unit of the same side, a block of the other side."""
    battle = Battle(rules(), [Army.ready(n, rules()) for n in ("elves", "orcs")], 1, scenario={"id": "x", "name": "x"})
    host = next(u for u in battle.sides[0].units if not u.single and u.size >= 12)
    guest = next(u for u in battle.sides[0].units if u.single)
    enemy = next(u for u in battle.sides[1].units if not u.single and u.size >= 12)
    return battle, host, guest, enemy


@few
@given(poses, poses, st.integers(0, 5))
def test_a_guest_goes_where_its_host_goes_and_stands_on_one_of_its_bases(
    first: tuple[int, int, float], then: tuple[int, int, float], seat: int
) -> None:
    battle, host, guest, _ = lined_up()
    CALL["place_at"](battle, host, *first)
    CALL["stand_within"](battle, guest, host)
    battle.put(guest, "seat", seat)
    CALL["place_at"](battle, host, *then)
    made = field_of(battle)
    centres = made.block(host).base_centres()
    x, y = made.block(guest).centre
    on = [math.isclose(x, cx, abs_tol=1e-3) and math.isclose(y, cy, abs_tol=1e-3) for cx, cy in centres]
    assert on.count(True) == 1
    if seat:
        assert on.index(True) == seat - 1
    else:
        files = made.formation(host).frontage
        assert on.index(True) in {(files - 1) // 2, files // 2}
    assert not [law for law in battle.broken_laws() if "overlap" in law]
    assert host not in CALL["contacts"](battle, guest)


@few
@given(st.integers(-5, 5), st.integers(1, 6), st.sampled_from([0, 90, 180, 270]))
def test_a_guest_touches_whoever_touches_its_base(across: int, seat: int, facing: int) -> None:
    battle, host, guest, enemy = lined_up()
    CALL["place_at"](battle, host, 30, 20, 0)
    CALL["place_at"](battle, enemy, 30 + across, 20, 180)
    CALL["stand_within"](battle, guest, host)
    battle.put(guest, "seat", seat)
    touched = CALL["base_touches"](battle, host, seat, [enemy])
    assert CALL["touches"](battle, guest, enemy) == touched
    assert CALL["touches"](battle, enemy, guest) == touched
    models = field_of(battle).formation(host).models
    each = [CALL["base_touches"](battle, host, i + 1, [enemy]) for i in range(models)]
    assert sum(each) == CALL["models_touching"](battle, host, [enemy])


@few
@given(poses)
def test_who_stands_alone_again_stays_where_it_stood_and_counts_like_others(pose: tuple[int, int, float]) -> None:
    battle, host, guest, _ = lined_up()
    CALL["place_at"](battle, host, *pose)
    CALL["stand_within"](battle, guest, host)
    made = field_of(battle)
    assert guest.id not in {b.id for b in made.table().blocks}
    there = made.block(guest).front_centre
    CALL["withdraw"](battle, host)
    assert not CALL["touches"](battle, guest, host)
    CALL["place_at"](battle, host, *pose)
    CALL["stand_alone"](battle, guest)
    assert guest.stands_in is None
    assert guest.seat == 0
    assert (guest.x, guest.y) == pytest.approx(there)
    assert guest.id in {b.id for b in made.table().blocks}
    assert [law for law in battle.broken_laws() if "overlap" in law]


def test_who_is_taken_away_takes_its_guests_along_and_brings_them_back() -> None:
    battle, host, guest, enemy = lined_up()
    CALL["place_at"](battle, host, 30, 20, 0)
    CALL["place_at"](battle, enemy, 30, 20, 180)
    CALL["stand_within"](battle, guest, host)
    CALL["withdraw"](battle, host)
    assert guest not in field_of(battle).on_table()
    CALL["place_at"](battle, host, 30, 20, 0)
    assert guest in field_of(battle).on_table()
    assert CALL["sees"](battle, guest, enemy)
    assert CALL["sees"](battle, enemy, guest)


def test_nobody_stands_within_himself_or_within_a_guest() -> None:
    battle, host, guest, _ = lined_up()
    CALL["place_at"](battle, host, 30, 20, 0)
    CALL["stand_within"](battle, guest, host)
    other = next(u for u in battle.sides[0].units if u is not host and u is not guest)
    for wrong in (guest, other):
        with pytest.raises(RuleFault, match="cannot stand within"):
            CALL["stand_within"](battle, other, wrong)


@few
@given(st.integers(0, 400), st.integers(0, 120))
def test_a_straight_line_over_ground_and_height_and_back(along: int, up: int) -> None:
    battle, *_ = lined_up()
    line = CALL["slanting"](battle, along / 10, up / 10)
    assert line == pytest.approx(math.hypot(along / 10, up / 10), abs=1e-3)
    assert CALL["ground_below"](battle, line, up / 10) == pytest.approx(along / 10, abs=0.05)
    assert CALL["ground_below"](battle, up / 20, up / 10) == 0
