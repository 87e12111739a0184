"""How a battle came out, by the words of its ruleset."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.packs import load

RULES = """
{of_side}
number points(unit) = 10 * unit.size

turn
    phase closing: close

procedure close()
{scoring}
    end_battle(none, "enough")
"""

DATA = "profiles:\n  one: {name: One}\n"


@pytest.mark.parametrize(
    ("of_side", "scoring", "expected"),
    [
        ("state of side\n    victory_points: number = 0\n", "    side_a.victory_points += 7", [7, 0]),
        ("number victory_points(side) = 3 + (number of units where (it.side is side))\n", "", [5, 4]),
        ("", "", [0, 0]),
    ],
)
def test_victory_points_are_state_or_a_number(
    tmp_path: Path, of_side: str, scoring: str, expected: list[int]
) -> None:
    folder = tmp_path / "scores"
    (folder / "data").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text('id: scores\ntitle: Scores\nedition: "1"\nlength_unit: in\n')
    (folder / "rules.rules").write_text(RULES.format(of_side=of_side, scoring=scoring))
    (folder / "data" / "profiles.yaml").write_text(DATA)
    rules = load(folder)
    armies = []
    for name, units in (("reds", 2), ("blues", 1)):
        rows = [{"id": f"{name}_{n}", "profile": "one"} for n in range(units)]
        armies.append(Army.from_data({"id": name, "name": name, "limit": 0, "units": rows}, rules))
    battle = Battle(rules, armies, 1)
    while battle.decide() is not None:
        battle.answer(0)
    assert [side.victory_points for side in battle.result().sides] == expected
