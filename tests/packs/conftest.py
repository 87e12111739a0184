"""A place of its own for every test: no cache, rulesets or plugins of the machine take part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Writer = Callable[[str, Mapping[str, str]], Path]

HILL = {
    "ruleset.yaml": """\
id: hill_fight
title: Hill fight
edition: "1"
length_unit: cm
house_rules:
  rain: {title: Rain, file: house/rain.rules, reads: It rains.}
  giants: {title: Giants, file: house/giants.yaml, reads: Big men.}
demo: {scenario: open_field, armies: [reds, blues]}
""",
    "turn.rules": 'turn\n    phase marching "Marching", each unit: march\n    phase closing: count_up\n',
    "rules/units.rules": """\
profile of unit
    skill: number
    pace: number = 0

state of unit
    lost: number = 0

words weather: dry, wet

number strength(unit) = unit.skill   ref R-1
    -1 when unit.lost > 2   called "tired"

flag may_march(unit) = yes
    no if unit.lost > 3  called "worn"

procedure march(unit)   ref R-2
    unit.lost += 1
    emit hurt(unit)

procedure count_up()
    say "done"
    if battle.turn >= 20
        end_battle(none, "night fell")

event hurt(unit)

after hurt(unit)
    if not may_march(unit) and strength(unit) < 0
        say "{unit} lies down."
""",
    "data/units.yaml": """\
profiles:
  man: {abstract: true, skill: 3, ref: [R-1]}
  pike: {name: Pikemen, extends: man, skill: 4}
tables:
  cost: {by: [weather, step], rows: {dry: {1: 0, 2: 1}, wet: {1: 1, 2: 2}}}
""",
    "armies/red_list.yaml": """\
kind: list
id: red_list
name: Reds
units:
  - {profile: pike, size: {min: 4, max: 8}, options: [{id: banner, points: 5}]}
""",
    "armies/reds.yaml": """\
kind: army
id: reds
name: The red host
list: red_list
units: [{profile: pike, size: 5, options: [banner]}]
""",
    "armies/blues.yaml": """\
kind: army
id: blues
name: The blue host
list: red_list
units: [{profile: pike, size: 6}]
""",
    "scenarios/open_field.yaml": "id: open_field\nname: Open field\n",
    "rulebook.yaml": """\
- {id: R-1, title: Strength}
- {id: R-2, title: Marching}
- {id: R-3, title: Rain}
- {id: R-4, title: Flying, ruled_out: nobody flies}
- {id: R-5, title: Swimming}
""",
    "examples/marching.yaml": """\
- title: Marching tires
  ref: R-2
  given: {sides: [{name: Red, units: [{id: p, profile: pike}]}]}
  when: march(p)
  then: {p: {lost: 1}}
""",
    "house/rain.rules": """\
house rule "Rain" for hill_fight
    amend number strength
        remove "tired"
        -1 when unit.lost > 1  called "soaked"
    replace procedure march(unit)  ref R-3
        unit.lost += 2
""",
    "house/giants.yaml": """\
profiles:
  giant: {name: Giant, extends: man, skill: 9}
  pike: {amend: true, skill: 5}
tables:
  cost: {amend: true, rows: {dry: {2: 3}}}
lists:
  red_list:
    amend: true
    units: [{profile: giant, size: 1}]
""",
}


@pytest.fixture(autouse=True)
def own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache, user folder and working folder inside the test's own folder."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("WARHOST_PATH", str(work))
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def write(own_place: Path) -> Writer:
    """Writes files below the working folder, which is also where rulesets are looked for."""

    def writer(folder: str, files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = own_place / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return own_place / folder

    return writer


@pytest.fixture
def hill(write: Writer) -> Path:
    """A small ruleset without mistakes."""
    return write("hill", HILL)
