"""Losses and contact: where smaller blocks stand, who steps up, and the law that watches over it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from field.situations import block
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.packs import load
from warhost_field import Formation, touches
from warhost_field.binding import field_of
from warhost_field.closing import FUNCTIONS, _best_place, _places, melees_kept
from warhost_field.contact import bases_in_contact, nearest_bases
from warhost_field.convex import overlap
from warhost_field.functions import FUNCTIONS as OTHERS
from warhost_field.measure import SLACK

ROOT = Path(__file__).resolve().parents[2]
CALL = {f.name: f.call for f in (*FUNCTIONS, *OTHERS)}


@given(st.integers(2, 30), st.integers(1, 8), st.integers(1, 29), st.integers(0, 359))
def test_a_smaller_block_stands_within_the_ground_it_had(models: int, files: int, lost: int, facing: int) -> None:
    old = block(30, 30, facing, Formation(files, models, 1.0, 1.0))
    new = old.with_models(max(models - lost, 1))
    for _, _, there in _places(old, new):
        for x, y in there.corners:
            right, forward = old.local((x, y))
            assert abs(right) <= old.width / 2.0 + SLACK
            assert abs(forward) <= old.depth / 2.0 + SLACK


@given(st.integers(2, 8), st.integers(1, 7), st.floats(-5.0, 5.0))
def test_of_one_enemy_at_the_front_it_never_loses_contact(files: int, lost: int, aside: float) -> None:
    old = block(30, 30, 0, Formation(files, files, 1.0, 1.0), id="old", side="blue")
    foe = block(30 + aside, 30, 180, Formation(4, 8, 1.0, 1.0), id="foe", side="red")
    if not touches(old, foe):
        return
    new = old.with_models(max(files - lost, 1))
    assert touches(_best_place(old, new, [foe], [False]), foe)


def test_contact_with_those_who_felled_nobody_is_kept_first() -> None:
    old = block(30, 30, 0, Formation(6, 6, 1.0, 1.0), id="old", side="blue")
    left = block(26, 30, 180, Formation(2, 2, 1.0, 1.0), id="left", side="red")
    right = block(34, 30, 180, Formation(2, 2, 1.0, 1.0), id="right", side="red")
    new = old.with_models(3)
    assert touches(_best_place(old, new, [left, right], [True, False]), right)
    assert touches(_best_place(old, new, [left, right], [False, True]), left)


def test_the_nearest_bases_stand_for_an_outline_that_touches_without_them() -> None:
    short = block(30, 30, 0, Formation(5, 11, 1.0, 1.0), id="short", side="blue")  # one model in the last rank
    foe = block(32.5, 24.5, 270, Formation(6, 6, 1.0, 1.0), id="foe", side="red")
    assert touches(short, foe)
    assert bases_in_contact(short, foe) == frozenset()
    assert nearest_bases(short, foe) == {9}
    assert len(nearest_bases(foe, short)) == 1
    assert not overlap(short.shape, foe.shape, SLACK)


def fight() -> tuple[Battle, Any, Any]:
    """A battle of arcana in which two units stand face to face, twelve inches wide and two deep."""
    rules = load(ROOT / "rulesets" / "arcana")
    armies = [Army.ready(name, rules) for name in ("graccans", "goblins")]
    board = {"id": "here", "name": "Here", "board": {"table": {"width": 60, "depth": 48}, "terrain": []}}
    battle = Battle(rules, armies, 1, scenario=board)
    one, two = (next(u for u in side.units if u.size >= 20) for side in battle.sides)
    for unit, facing in ((one, 0), (two, 180)):
        battle.put(unit, "files", 10)
        CALL["place_at"](battle, unit, 30, 24, facing)
    return battle, one, two


def lose(battle: Battle, unit: Any, count: int) -> None:
    battle.put(unit, "models", unit.models - count)
    battle.put(unit, "bases", unit.models)


def test_the_law_sees_melees_that_losses_end() -> None:
    battle, one, two = fight()
    CALL["place_at"](battle, two, 39.5, 24, 180)
    assert melees_kept(battle) == []
    lose(battle, one, one.models - 4)
    assert melees_kept(battle) == [f"losses have parted {min(one.id, two.id)} and {max(one.id, two.id)}"]


def test_and_nothing_wrong_with_those_who_move_apart_or_close_up() -> None:
    battle, one, two = fight()
    CALL["place_at"](battle, two, 39.5, 24, 180)
    assert melees_kept(battle) == []
    ground = CALL["ground_covered"](battle, one)
    lose(battle, one, one.models - 4)
    CALL["close_ranks"](battle, one, ground, [])
    assert melees_kept(battle) == []
    CALL["place_at"](battle, two, 39.5, 30, 180)
    assert melees_kept(battle) == []


def test_who_gives_up_his_wedge_has_drawn_up_otherwise() -> None:
    rules = load(ROOT / "rulesets" / "three_plains")
    armies = [Army.ready(name, rules) for name in ("elves_750", "kingdom_1500")]
    board = {"id": "here", "name": "Here", "board": {"table": {"width": 72, "depth": 48}, "terrain": []}}
    battle = Battle(rules, armies, 1, scenario=board)
    riders, spears = battle.by_id["riders"], battle.by_id["side_2.spears"]
    battle.put(riders, "points", 1)
    CALL["place_at"](battle, riders, 36, 24, 0)
    CALL["place_at"](battle, spears, 36, 24 - field_of(battle).block(riders).depth, 0)
    assert CALL["touches"](battle, riders, spears)
    assert melees_kept(battle) == []
    battle.put(riders, "points", 0)
    assert not CALL["touches"](battle, riders, spears)
    assert melees_kept(battle) == []


@pytest.mark.parametrize("steps", [True, False])
def test_who_loses_contact_steps_up_or_holds_on(steps: bool) -> None:
    battle, one, two = fight()
    third = next(u for u in two.side.units if u is not two and u.size >= 10)
    deep = field_of(battle).block(one).depth
    CALL["place_at"](battle, third, 30, 24 - deep, 0)
    if not steps:
        battle.put(third, "immobile", True)
    assert melees_kept(battle) == []
    ground = CALL["ground_covered"](battle, one)
    lose(battle, one, one.models - 10)
    CALL["close_ranks"](battle, one, ground, [])
    assert CALL["touches"](battle, one, third)
    assert CALL["models_touching"](battle, third, [one]) >= 1
    assert (third.holds_on == []) is steps
    assert melees_kept(battle) == []
