"""Units of an army that are linked to others of it."""

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

RULES = """
state of unit
    mate: unit or none = none
    debts: number = 0

constraint no_self_love(army)
    require not any units in army where it.mate is it
    otherwise "{first(all units in army where it.mate is it)} keeps himself company."
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ruleset:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    folder = write(tmp_path / "tavern")
    (folder / "rules" / "mates.rules").write_text(RULES)
    return load(folder)


def gang(rules: Ruleset, **links: str) -> Army:
    units: list[dict[str, Any]] = [
        {"id": "louts", "name": "Louts", "profile": "lout", "size": 4, "links": links},
        {"id": "boss", "name": "Big Boss", "profile": "boss", "size": 1},
        {"id": "smiths", "profile": "smith", "size": 2},
    ]
    return Army.from_data({"id": "gang", "name": "The Gang", "list": "gang", "units": units}, rules)


def test_a_field_of_state_begins_with_the_other_unit(rules: Ruleset) -> None:
    army = gang(rules, mate="boss")
    assert check(army, rules) == []
    battle = Battle(rules, [army, army], log=False)
    for side in battle.sides:
        louts, boss, _ = side.units
        assert louts.mate is boss
        assert boss.mate is None


def test_it_stands_on_the_roster(rules: Ruleset) -> None:
    assert "mate Big Boss" in Roster.of(gang(rules, mate="boss"), rules).lines[0].words


def test_constraints_see_it(rules: Ruleset) -> None:
    assert [v.message for v in check(gang(rules, mate="louts"), rules)] == ["Louts keeps himself company."]


@pytest.mark.parametrize(
    ("links", "code", "hint"),
    [
        ({"mate": "bos"}, "unknown-unit", 'did you mean "boss"?'),
        ({"mat": "boss"}, "unknown-link", 'did you mean "mate"?'),
        ({"debts": "boss"}, "unknown-link", "declare it in `state of unit`"),
    ],
)
def test_what_cannot_be_linked(rules: Ruleset, links: dict[str, str], code: str, hint: str) -> None:
    with pytest.raises(ContentError) as caught:
        gang(rules, **links)
    assert [(p.code, p.hint) for p in caught.value.problems] == [(code, hint)]
