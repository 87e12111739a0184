"""Units of one name: they are numbered on rosters and through a battle, also those that come later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.game import write
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.state_hash import state_hash
from warhost.packs import Ruleset, load
from warhost.packs.entries import numbered
from warhost_battles.story import beginning
from warhost_report.roster import Roster


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    return load(write(tmp_path / "tavern"))


def gang(rules: Ruleset, *names: str) -> Army:
    units: list[dict[str, Any]] = [
        {"id": f"u{i}", "profile": "lout", "size": 4, "name": name} for i, name in enumerate(names)
    ]
    return Army.from_data({"id": "gang", "name": "The Gang", "list": "gang", "units": units}, rules)


def test_only_names_that_several_share_are_numbered() -> None:
    assert numbered(["Louts", "Boss", "Louts"]) == ["Louts 1", "Boss", "Louts 2"]
    assert numbered([]) == []


def test_names_with_numbers_that_both_armies_have_are_numbered_anew() -> None:
    given = ["Spears 1", "Spears 2", "Legion 7", "Spears 1", "Spears"]
    assert numbered(given) == ["Spears 1", "Spears 2", "Legion 7", "Spears 3", "Spears 4"]
    assert numbered(["Spears 1", "Spears 2", "Spears"]) == ["Spears 1", "Spears 2", "Spears"]


def test_both_sides_of_a_battle_are_told_apart(rules: Ruleset) -> None:
    battle = Battle(rules, [gang(rules, "Louts", "Louts", "Boss"), gang(rules, "Louts")], log=False)
    names = [unit.name for side in battle.sides for unit in side.units]
    assert names == ["Louts 1", "Louts 2", "Boss", "Louts 3"]


def test_who_comes_later_has_the_next_number(rules: Ruleset) -> None:
    title = rules.profiles["lout"].name
    battle = Battle(rules, [gang(rules, title, title), gang(rules, "Boss")], log=False)
    assert battle.reinforcements.muster_unit("lout", battle.sides[1], 4).name == f"{title} 3"
    alone = Battle(rules, [gang(rules, "Boss"), gang(rules, "Chief")], log=False)
    came = [alone.reinforcements.muster_unit("lout", alone.sides[0], 4).name for _ in range(3)]
    assert came == [title, f"{title} 2", f"{title} 3"]


def test_who_was_made_and_never_had_a_place_is_no_loss_and_leaves_its_name(rules: Ruleset) -> None:
    battle = Battle(rules, [gang(rules, "Boss"), gang(rules, "Chief")], log=False)
    there, never = (battle.reinforcements.muster_unit("lout", battle.sides[0], 4) for _ in range(2))
    there._placed = True
    for unit in (there, never):
        battle.remove(unit)
    lost = set(beginning(battle, None)) - {u.id for side in battle.sides for u in side.units}
    assert lost == {there.id}
    assert battle.reinforcements.muster_unit("lout", battle.sides[0], 4).name == never.name


def test_names_are_no_part_of_the_state(rules: Ruleset) -> None:
    named = [Battle(rules, [gang(rules, *names), gang(rules, "Boss")], log=False) for names in (("A", "B"), ("A", "A"))]
    assert state_hash(named[0]) == state_hash(named[1])


def test_a_roster_numbers_them_and_does_not_repeat_what_they_are(rules: Ruleset) -> None:
    title = rules.profiles["lout"].name
    roster = Roster.of(gang(rules, title, title), rules)
    assert [line.name for line in roster.lines] == [f"{title} 1", f"{title} 2"]
    assert f"({title}" not in roster.markdown()
