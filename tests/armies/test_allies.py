"""Several armies on one side: who stands there, what is illegal about them, and what a journal keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.game import write
from warhost.armies.legality import check
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import ContentError
from warhost.packs import Ruleset, load
from warhost_report.roster import Roster


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    return load(write(tmp_path / "tavern"))


def gang(rules: Ruleset, louts: int = 4, **more: Any) -> dict[str, Any]:
    units = [{"id": "louts", "profile": "lout", "size": louts}, {"id": "boss", "profile": "boss", "size": 1}]
    return {"id": "gang", "name": "The Gang", "list": "gang", "units": units, **more}


def test_allies_stand_on_the_same_side_with_ids_of_their_own(rules: Ruleset) -> None:
    army = Army.from_data(gang(rules, allies=[gang(rules), gang(rules)]), rules)
    battle = Battle(rules, [army, army], log=False)
    assert [len(side.units) for side in battle.sides] == [6, 6]
    assert [unit.id for unit in battle.sides[0].units][:5] == [
        "louts", "boss", "side_1.louts", "side_1.boss", "side_1.louts.2",
    ]  # fmt: skip
    assert len({unit.id for side in battle.sides for unit in side.units}) == 12


def test_each_is_checked_by_itself_and_named(rules: Ruleset) -> None:
    legal = Army.from_data(gang(rules, allies=[gang(rules)]), rules)
    assert check(legal, rules) == []
    ally = gang(rules, louts=1000) | {"name": "The Horde"}
    army = Army.from_data(gang(rules, allies=[ally]), rules)
    found = check(army, rules)
    assert found
    assert all(violation.message.startswith("The Horde: ") and violation.unit is None for violation in found)
    assert Roster.of(army, rules).headline().endswith("allied with The Horde")


def test_constraints_and_rules_see_how_many_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    place = write(tmp_path / "tavern")
    house = tmp_path / "alone.rules"
    house.write_text(
        'house rule "Alone" for tavern\n    constraint no_friends(army)\n        require army.allies == 0\n'
        '        otherwise "{army.allies} armies too many."\n'
    )
    rules = load(place, house=[house])
    alone = Army.from_data(gang(rules), rules)
    assert check(alone, rules) == []
    army = Army.from_data(gang(rules, allies=[gang(rules), gang(rules)]), rules)
    assert [v.message for v in check(army, rules)] == ["2 armies too many."]
    assert [side.army.allies for side in Battle(rules, [army, alone], log=False).sides] == [2, 0]


def test_plain_data_hold_the_allies_written_out(rules: Ruleset) -> None:
    army = Army.from_data(gang(rules, allies=[gang(rules)]), rules)
    again = Army.from_data(army.data, rules)
    assert again.allies[0].units == army.allies[0].units
    assert again.data == army.data


def test_files_beside_the_army_and_unknown_names(rules: Ruleset, tmp_path: Path) -> None:
    (tmp_path / "cousins.yaml").write_text(
        "{kind: army, id: cousins, name: Cousins, list: gang, units: [{profile: lout, size: 4}]}"
    )
    found = Army.from_data(gang(rules, allies=["cousins.yaml"]), rules, str(tmp_path / "army.yaml"))
    assert [ally.name for ally in found.allies] == ["Cousins"]
    with pytest.raises(ContentError, match='no army "nobody"'):
        Army.from_data(gang(rules, allies=["nobody"]), rules)


def test_allies_of_allies_are_refused(rules: Ruleset) -> None:
    inner = gang(rules, allies=[gang(rules)])
    with pytest.raises(ContentError, match="allies of its own"):
        Army.from_data(gang(rules, allies=[inner]), rules)
