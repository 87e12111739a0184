"""Alternating phases in an order of the sides: whoever has most begins, whatever of his it is that acts."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.packs import load

RULES = """
profile of unit
    lead: number = 0

state of side
    rank: number = 0

event acted(unit)
    says "{{unit}} acted."

turn
    phase ranking: rank_sides
    phase deeds, in order of it.rank, {order}alternating units: act
    phase closing: close

procedure rank_sides()
    for each unit
        unit.side.rank += unit.lead

procedure act(unit)
    emit acted(unit)

procedure close()
    end_battle(none, "enough")
"""

DATA = "profiles:\n  one: {name: One, lead: 1}\n  two: {name: Two, lead: 2}\n  three: {name: Three, lead: 3}\n"


@pytest.mark.parametrize(
    ("order", "expected"),
    [("highest first, ", ["three", "two", "one", "three", "two", "one"]), ("", ["one", "two", "three"] * 2)],
)
def test_alternating_units_go_by_a_field_of_their_sides(tmp_path: Path, order: str, expected: list[str]) -> None:
    folder = tmp_path / "order"
    (folder / "data").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text('id: order\ntitle: Order\nedition: "1"\nlength_unit: in\nsides: [2, 4]\n')
    (folder / "rules.rules").write_text(RULES.format(order=order))
    (folder / "data" / "profiles.yaml").write_text(DATA)
    rules = load(folder)
    armies = [
        Army.from_data(
            {"id": name, "name": name, "limit": 0, "units": [{"id": f"{name}_{n}", "profile": name} for n in (1, 2)]},
            rules,
        )
        for name in ("two", "one", "three")
    ]
    battle = Battle(rules, armies, 1, names=["two", "one", "three"])
    while battle.decide() is not None:
        battle.answer(0)
    acted = [row["args"]["unit"] for row in battle.log if row["kind"] == "event"]
    assert [unit.rsplit("_")[0] for unit in acted] == expected
