"""Limits of army lists and constraints of rulesets, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.game import FILES, write
from warhost.armies.legality import Violation, check, mustered
from warhost.armies.roster import Army
from warhost.packs import Ruleset, load
from warhost.packs.entries import UnitEntry
from warhost_report.roster import Roster


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruleset]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield load(write(tmp_path_factory.mktemp("games") / "tavern"))


def unit(profile: str, size: int, **more: Any) -> dict[str, Any]:
    return {"profile": profile, "size": size, **more}


def reasons(rules: Ruleset, *units: dict[str, Any], limit: int = 0, list_: str = "gang") -> list[Violation]:
    data = {"id": "a", "name": "A", "list": list_, "limit": limit, "units": list(units)}
    return check(Army.from_data(data, rules), rules)


def test_a_legal_army(rules: Ruleset) -> None:
    assert reasons(rules, unit("lout", 4), unit("smith", 2), unit("boss", 1)) == []
    assert Army.ready("reds", rules).check(rules) == []


@pytest.mark.parametrize(
    ("size", "message", "remedy"),
    [
        (1, "Louts has 1 model; the list wants at least 3.", "Add 2."),
        (9, "Louts has 9 models; the list allows at most 8.", "Take away 1 or make two units of them."),
    ],
)
def test_sizes(rules: Ruleset, size: int, message: str, remedy: str) -> None:
    found = reasons(rules, unit("lout", size, id="l"))
    assert found == [Violation("size", ("T-6",), message, remedy, "l")]


def test_how_many(rules: Ruleset) -> None:
    none = reasons(rules, unit("smith", 2))
    assert [(v.constraint, v.message, v.remedy) for v in none] == [
        ("limit", "The army needs at least 1 unit of Louts; it has 0.", "Add 1.")
    ]
    many = reasons(rules, *(unit("lout", 3, id=f"l{i}") for i in range(4)))
    assert [(v.constraint, v.message, v.remedy, v.unit) for v in many] == [
        ("limit", "The army may have at most 2 units of Louts; it has 4.", "Leave out 2.", "l3")
    ]


def test_options(rules: Ruleset) -> None:
    two = reasons(rules, unit("lout", 3, options=["banner"]), unit("lout", 3, options=["banner"]))
    assert [v.message for v in two] == ["Banner may be taken by at most 1 unit of Louts; 2 take it."]
    twice = reasons(rules, unit("lout", 3, options=["banner", "banner"]))
    assert [v.message for v in twice] == ["Louts takes Banner 2 times."]


def test_an_option_that_is_not_on_offer(rules: Ruleset) -> None:
    army = Army("a", "A", "gang", 0, (UnitEntry("l", "Lads", "lout", 3, ("baner",)),), {})
    found = check(army, rules)
    assert [(v.message, v.remedy) for v in found] == [('Lads (Louts) may not take "baner".', 'did you mean "banner"?')]


def test_what_is_not_in_the_list(tmp_path: Path) -> None:
    profiles = FILES["data/profiles.yaml"].replace("tables:", "  cat: {name: Cats, grit: 1}\ntables:")
    changes = {"data/profiles.yaml": profiles}
    more = load(write(tmp_path / "more", changes))
    found = reasons(more, unit("lout", 3), unit("cat", 3, name="Mouser"))
    assert [(v.constraint, v.message) for v in found] == [
        ("not-in-list", "Mouser (Cats): the army list The gang has no Cats.")
    ]


def test_an_unknown_list(rules: Ruleset) -> None:
    found = reasons(rules, unit("lout", 3), list_="gong")
    assert [(v.constraint, v.remedy) for v in found] == [("unknown-list", 'did you mean "gang"?')]


def test_two_units_of_one_id(rules: Ruleset) -> None:
    called = {"id": "l"}
    units = [unit("lout", 3, name="Ann", **called), unit("lout", 3, name="Bob", **called)]
    found = reasons(rules, *units, unit("smith", 2, name="Cy", **called))
    assert [v.message for v in found] == ['3 units have the id "l": Ann, Bob, Cy.']


def test_constraints_speak_with_figures(rules: Ruleset) -> None:
    found = reasons(rules, unit("lout", 3), *(unit("boss", 1, id=f"b{i}") for i in range(3)))
    assert found == [Violation("one_boss", ("T-6",), "A gang has one boss; this one has 3. Demote the others.")]


def test_points(rules: Ruleset) -> None:
    assert reasons(rules, unit("lout", 5), limit=10) == []
    found = reasons(rules, unit("lout", 6), limit=10)
    assert [(v.constraint, v.message, v.remedy) for v in found] == [
        ("points", "The army costs 12 points; the limit is 10.", "Leave out 2 points' worth.")
    ]


def test_a_ruleset_that_speaks_of_points_itself_is_not_interrupted(tmp_path: Path) -> None:
    constraint = '\nconstraint dear(army)\n    require army.points <= army.limit\n    otherwise "Too dear."\n'
    own = load(write(tmp_path / "own", {"rules/brawl.rules": FILES["rules/brawl.rules"] + constraint}))
    assert [v.message for v in reasons(own, unit("lout", 6), limit=10)] == ["Too dear."]


def test_points_of_the_list_when_the_rules_have_none(tmp_path: Path) -> None:
    gang = FILES["armies/gang.yaml"].replace("profile: lout\n", "profile: lout\n    points: 7\n")
    changes = {
        "rules/brawl.rules": FILES["rules/brawl.rules"].replace("number points(unit)", "number worth(unit)"),
        "armies/gang.yaml": gang.replace("name: Banner,", "name: Banner, points: 5, flat: true,"),
    }
    priced = load(write(tmp_path / "priced", changes))
    army = Army.from_data({"list": "gang", "units": [unit("lout", 4, options=["banner"])]}, priced)
    assert mustered(army, priced).points == 33


def test_an_army_is_mustered_without_a_board(rules: Ruleset) -> None:
    laid_out = mustered(Army.ready("blues", rules), rules)
    assert laid_out.costs == (10, 12)
    assert laid_out.battle.rules.plugins.names == ()


def test_reasons_are_marked_on_the_right_unit_even_if_two_have_one_id(rules: Ruleset) -> None:
    data = {"list": "gang", "units": [unit("lout", 9, id="l"), unit("smith", 2, id="l")]}
    roster = Roster.of(Army.from_data(data, rules), rules)
    assert [line.reasons for line in roster.lines] == [(1, 2), ()]
