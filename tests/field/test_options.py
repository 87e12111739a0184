"""Options: all legal, distinct, sensible and stable."""

import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from field.situations import LINE, MONSTER, block, fewer, tables, wood
from warhost_field import (
    Goal,
    MoveCosts,
    MoveRules,
    OptionRules,
    Tabletop,
    TurnCost,
    advance_options,
    to_json,
    validate,
)

RULES = [
    OptionRules(MoveRules(through_friends=True, pace={"wood": 0.5, "wall": 0.5}), cover=("wood",)),
    OptionRules(MoveRules(MoveCosts(wheel=TurnCost("share", 0.5))), manoeuvre="turn"),
    OptionRules(MoveRules(pace={"wood": 0.25}, pace_counts="part"), manoeuvre="pivot"),
    OptionRules(MoveRules(flying=True)),
]


@given(tables(), st.integers(2, 20), st.sampled_from(RULES))
@fewer
def test_all_options_are_legal(table: Tabletop, allowance: int, rules: OptionRules) -> None:
    unit = table.blocks[0]
    options = advance_options(unit, allowance, table, rules, (Goal("centre", (30, 24)),))
    assert options[0].label == "hold"
    assert len(options) <= rules.most
    for option in options:
        assert validate(option.legs, unit, allowance, table, rules.move) == [] or option.label == "hold"
        assert table.overlaps(option.final) == () or option.label == "hold"
    assert len({option.final.pose for option in options}) == len(options)


def scene() -> Tabletop:
    me = block(30, 10, id="me", side="blue")
    foe = block(30, 35, 180, id="foe", side="red")
    flank = block(50, 30, 180, MONSTER, id="beast", side="red")
    return Tabletop(60, 48, (wood(x=15, y=20),), (me, foe, flank))


def test_labels_and_features() -> None:
    table = scene()
    rules = OptionRules(MoveRules(pace={"wood": 0.5}), cover=("wood",))
    options = {
        o.label: o for o in advance_options(table.block("me"), 12, table, rules, (Goal("ford", (40, 20)),))
    }
    assert {"hold", "advance", "advance half", "to ford", "to wood", "fall back"} <= set(options)
    ahead = options["advance"]
    assert ahead.final.pose.y == 22.0
    assert ahead.features.enemy == "foe"
    assert ahead.features.enemy_distance == 13.0
    assert ahead.features.enemy_side == "front"
    assert "foe" in ahead.features.faced_by
    assert options["hold"].cost == 0.0
    assert options["fall back"].final.pose.y < 10
    assert options["to ford"].features.goals[0] < options["hold"].features.goals[0]


def test_moves_without_charge_keep_off_the_enemy() -> None:
    me = block(30, 30, id="me", side="blue", form=LINE)
    foe = block(30, 35, 180, id="foe", side="red")
    for option in advance_options(me, 12, Tabletop(60, 48, (), (me, foe))):
        assert option.features.enemy_distance >= 0.49


PROGRAM = """
import json
from field.test_options import RULES, digest
print(json.dumps([digest(rules) for rules in RULES]))
"""


def digest(rules: OptionRules) -> list[object]:
    """Everything about the options of a scene, as plain data."""
    table = scene()
    found = advance_options(table.block("me"), 9.5, table, rules)
    return [
        [o.label, [to_json(leg) for leg in o.legs], o.cost, o.final.to_json(), list(o.features.goals)]
        for o in found
    ]


def test_same_result_with_any_hash_seed() -> None:
    here = json.dumps([digest(rules) for rules in RULES])
    tests = Path(__file__).resolve().parents[1]
    for seed in ("1", "77"):
        paths = os.pathsep.join([str(tests), str(tests.parent / "plugins")])
        env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        out = subprocess.run(
            [sys.executable, "-c", PROGRAM], env=env, capture_output=True, text=True, check=True
        )
        assert out.stdout.strip() == here
