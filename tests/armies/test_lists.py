"""Army lists that build on others, change rows by what they are, and ask something of the army as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.cli.game import FILES, write
from warhost.armies.legality import check, mustered
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import RulesInvalid
from warhost.packs import Ruleset, load

BASE = """\
kind: list
id: quarter
abstract: true
name: The quarter
ref: T-6
side: {purse: 3, ground: yard}
army_rules: [Loud]
units:
  - {profile: lout, limit: {max: 4}}
  - {profile: smith, limit: {max: 2}, options: [{id: hat, name: Hat, traits: [Boss]}]}
  - {profile: boss, limit: {max: 1}}
changes:
  - {of: {traits: [Thick]}, options: [{id: drink, name: Drink, points: 1, traits: ["Thick(1)"]}]}
"""
OWN = """\
kind: list
id: guild
extends: quarter
name: The guild
ref: T-5
side: {purse: 5}
army_rules: ["Rich(2)"]
units:
  - {profile: lout, limit: {max: 6}}
  - {profile: boss, remove: true}
  - {profile: brawler, limit: {max: 3}}
changes:
  - {of: {fields: {trade: iron}}, raise: 1, traits: ["Thick(4)"], fields: {grit: 7}, free: 1}
require:
  - {of: {profiles: [smith], called: [smith, smiths]}, min: 1}
"""
RULES = """
words ground_word: street, yard

state of side
    purse: number = 0
    ground: ground_word = street

army_rule Loud  ref T-6
    reads "Everybody hears them coming."
    class: "noise"
    punch +1 when unit.side is bearer because "loud"

army_rule Rich(n)  ref T-6
    reads "Has {n} coins."
    class: "purse"
"""


def files(base: str = BASE, own: str = OWN) -> dict[str, str]:
    profiles = FILES["data/profiles.yaml"].replace(
        "tables:", '  brawler: {name: Brawlers, grit: 3, traits: ["Thick(1)"]}\ntables:'
    )
    lists = {"armies/quarter.yaml": base, "armies/guild.yaml": own}
    return {"rules/sides.rules": RULES, "data/profiles.yaml": profiles, **lists}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def rules(tmp_path: Path) -> Ruleset:
    return load(write(tmp_path / "tavern", files()))


def army(rules: Ruleset, *units: Mapping[str, Any], list_: str = "guild") -> Army:
    return Army.from_data({"id": "a", "name": "A", "list": list_, "units": list(units)}, rules)


def rows(rules: Ruleset, list_: str = "guild") -> dict[str, Any]:
    return {str(row["profile"]): row for row in rules.lists[list_].data["units"]}


def test_a_list_has_the_rows_of_the_one_that_it_extends(rules: Ruleset) -> None:
    assert list(rows(rules)) == ["lout", "smith", "brawler"]
    assert rows(rules)["lout"]["limit"] == {"max": 6}
    assert rows(rules)["smith"]["limit"] == {"max": 3}
    assert "quarter" not in rules.lists
    assert "quarter" in rules.abstract_lists


def test_changes_hold_for_rows_that_come_later(rules: Ruleset) -> None:
    assert [option["id"] for option in rows(rules)["smith"]["options"]] == ["hat", "drink"]
    assert [option["id"] for option in rows(rules)["brawler"]["options"]] == ["drink"]


def test_what_a_row_gives(rules: Ruleset) -> None:
    units = [{"id": f"s{i}", "profile": "smith", "size": 1} for i in range(2)]
    laid_out = mustered(army(rules, *units), rules)
    assert laid_out.costs == (0, 7)
    smith = laid_out.battle.sides[0].units[0]
    assert smith.grit == 7
    assert [(e.name, e.n) for e in smith.effects] == [("Thick", 4)]  # in the place of the profile's own


def test_what_a_list_gives_its_side(rules: Ruleset) -> None:
    side = mustered(army(rules, {"profile": "smith", "size": 1}), rules).battle.sides[0]
    assert (side.purse, side.ground) == (5, "yard")
    assert [str(e) for e in side.effects] == ["Loud", "Rich"]
    battle = side.units[0].side and mustered(army(rules, {"profile": "lout", "size": 1}), rules).battle
    assert battle.code.number("punch")(battle, battle.sides[0].units[0]) == 3  # 2, and loud


def test_a_unit_of_the_list_that_comes_later_has_what_its_row_gives(rules: Ruleset) -> None:
    battle = Battle(rules, [army(rules, {"profile": "lout", "size": 1})], scenario={"id": "s", "name": "S"}, log=False)
    unit = battle.reinforcements.muster_unit("smith", battle.sides[0], 1)
    assert unit.grit == 7
    assert [(e.name, e.n) for e in unit.effects] == [("Thick", 4)]
    assert battle.reinforcements.most_offered(battle.sides[0], "smith") == 3
    assert battle.reinforcements.most_offered(battle.sides[0], "boss") == 0
    assert battle.reinforcements.offered(battle.sides[0], "loud") == []


@pytest.mark.parametrize(
    ("require", "sizes", "message"),
    [
        ("{of: {profiles: [smith]}, min: 2}", {"smith": 1}, "The army needs at least 2 Smiths; it has 1. Add 1."),
        (
            "{of: {traits: [Thick], called: [slow one, slow ones]}, max: 1}", {"smith": 1, "brawler": 2},
            "The army may have at most 1 slow one; it has 3. Leave out 2.",
        ),
        (
            "{of: {fields: {trade: idle}, called: idlers}, max: 0}", {"lout": 1},
            "The army may have no idlers; it has Louts. Leave them out.",
        ),
        (
            "{of: {fields: {trade: idle}, called: idlers}, max: 0, unless: {profiles: [boss]}}", {"lout": 1},
            "The army may have no idlers without The Boss; it has Louts. Leave them out.",
        ),
        ("{of: {profiles: [lout]}, max: 0, when: {profiles: [smith]}}", {"lout": 1}, None),
        (
            "{of: {profiles: [lout]}, max: 0, when: {profiles: [smith]}}", {"lout": 1, "smith": 1},
            "The army may have no Louts with Smiths; it has Louts. Leave them out.",
        ),
        (
            "{of: {any: [{traits: [Thick]}, {fields: {grit: {max: 2}}}], called: some}, count: profiles, max: 1}",
            {"lout": 2, "brawler": 1},
            "The army may have at most 1 kind of some; it has 2 (Louts, Brawlers). Leave out 1 kind.",
        ),
        (
            "{of: {profiles: [lout]}, count: points, min: 10}", {"lout": 2},
            "The army needs at least 10 points of Louts; it has 4. Add 6 points.",
        ),
        (
            "{of: {profiles: [lout]}, more_than: {but: {profiles: [lout]}, called: others}}", {"lout": 1, "brawler": 2},
            "The army needs more Louts than others; it has 1 and 2. Add 2 of the ones, or leave out 2 of the others.",
        ),
        (
            "{of: {profiles: [lout]}, not_with: {profiles: [brawler]}}", {"lout": 1, "brawler": 2},
            "The army may not have both Louts and Brawlers; it has Louts and Brawlers. "
            "Leave out the ones or the others.",
        ),
        (
            "{of: {fields: {trade: [idle, iron]}, called: worker}, only: {profiles: [smith], called: a smith}}",
            {"lout": 1}, "The worker must be a smith; Louts is not.",
        ),
        ("{of: {profiles: [lout]}, max: 0, says: No louts tonight.}", {"lout": 1}, "No louts tonight. Leave them out."),
        ("{of: {options: [drink], called: drinkers}, max: 0}", {"smith": 1}, None),
    ],
)  # fmt: skip
def test_requirements(tmp_path: Path, require: str, sizes: Mapping[str, int], message: str | None) -> None:
    own = OWN[: OWN.index("require:")] + f"require:\n  - {require}\n"
    rules = load(write(tmp_path / "tavern", files(own=own)))
    units = [{"id": f"{p}{i}", "profile": p, "size": 1} for p, n in sizes.items() for i in range(n)]
    found = [v for v in check(army(rules, *units), rules) if v.constraint == "requirement"]
    assert [f"{v.message} {v.remedy}".strip() for v in found] == ([message] if message else [])
    assert all(v.ref == ("T-5",) for v in found)


def test_options_are_asked_for_by_their_ids(tmp_path: Path) -> None:
    own = OWN[: OWN.index("require:")] + "require:\n  - {of: {options: [drink], called: drinkers}, max: 0}\n"
    rules = load(write(tmp_path / "tavern", files(own=own)))
    found = check(army(rules, {"profile": "brawler", "size": 1, "options": ["drink"]}), rules)
    assert [v.message for v in found] == ["The army may have no drinkers; it has Brawlers."]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("extends: quarter", "extends: quartr", 'there is no army list "quartr" to extend'),
        ("extends: quarter", "extends: guild", "army lists extend each other in a circle: guild -> guild"),
        ("{trade: iron}", "{trade: gold}", "no row of this list is meant"),
        ("{trade: iron}", "{trade: iron}, hats: 2", '"hats" is not known here'),
        ("of: {profiles: [smith]", "of: {profiles: [smyth]", 'there is no profile "smyth"'),
        ("of: {profiles: [smith]", "of: {traits: [Thik]", 'there is no trait "Thik"'),
        ("fields: {grit: 7}", "fields: {gritt: 7}", 'sets a field "gritt" that no `profile of unit` declares'),
        ("fields: {grit: 7}", "fields: {grit: much}", "must be a number"),
        ("{purse: 5}", "{purce: 5}", 'sets a field "purce" that no `state of side` declares'),
        ('army_rules: ["Rich(2)"]', "army_rules: [Poor]", 'there is no army_rule "Poor"'),
        ('army_rules: ["Rich(2)"]', "traits: [Boss]", "a side bears no traits: they are for units"),
        ("raise: 1", "rise: 1", '"rise" is not known here'),
        ("min: 1}", "min: 1, mean: 2}", '"mean" is not known here'),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    assert old in OWN
    with pytest.raises(RulesInvalid) as caught:
        load(write(tmp_path / "tavern", files(own=OWN.replace(old, new))))
    assert any(told in p.message for p in caught.value.problems), [p.message for p in caught.value.problems]


def test_no_army_is_of_an_abstract_list(tmp_path: Path) -> None:
    ready = "kind: army\nid: b\nname: B\nlist: quarter\nunits: [{profile: lout, size: 3}]\n"
    with pytest.raises(RulesInvalid) as caught:
        load(write(tmp_path / "tavern", {**files(), "armies/b.yaml": ready}))
    assert [p.code for p in caught.value.problems] == ["abstract-list"]


def test_a_definition_named_in_the_data(tmp_path: Path) -> None:
    """A value that is a definition is written by its title."""
    more = RULES + '\ntrait Wears(what: army_rule)  ref T-6\n    reads "Wears it."\n    class: "hat"\n'
    more += '\nnumber worn(unit) = number of effects in unit where (it.name == "Wears")\n'
    changes = {**files(), "rules/sides.rules": more}
    changes["data/profiles.yaml"] = changes["data/profiles.yaml"].replace('"Thick(1)"', '"Thick(1)", "Wears(Loud)"')
    rules = load(write(tmp_path / "tavern", changes))
    (unit,) = mustered(army(rules, {"profile": "brawler", "size": 1}), rules).battle.sides[0].units
    worn = next(effect for effect in unit.effects if effect.name == "Wears")
    assert worn.what.kind == "army_rule"
    assert str(worn.what) == "Loud"
