"""The tavern, a third edition of it as a layer, and a runner of the command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.cli.game import write

Run = Callable[..., Result]

THIRD = {
    "ruleset.yaml": """\
id: tavern
title: Tavern brawl, third edition
edition: "3"
extends: tavern@2
superseded:
  examples: {Late at night they hit on one: nobody tires any more, Louts hit on two: a 1 always fails}
  armies: [reds]
  house_rules: [short_night]
""",
    "rules/changes.rules": """\
amend number punch
    replace "many hands": +2 when unit.standing > 6 because "many hands"
remove rule "Tired fists"
rename trait Thick to "Slow as Mud"
phase warming "Warming up" before brawl
    say "They stretch."
amend words temper
    grumpy
amend roll hits
    natural 1 fails
replace number points(unit) = unit.size * unit.grit + 1  ref T-6
    reads "A unit costs its grit for each of its members, and one."
""",
    "data/profiles.yaml": """\
profiles:
  body: {amend: true, reach: 1}
  smith: {amend: true, grit: 4, reach: 3}
  bouncer: {name: Bouncers, extends: body, grit: 5}
tables:
  ale: {amend: true, rows: {boss: 9, lout: 2, bouncer: 2}}
""",
    "armies/gang.yaml": """\
kind: list
id: gang
amend: true
units:
  - {profile: lout, size: {max: 5}}
  - {profile: bouncer, size: {min: 1, max: 3}}
""",
    "scenarios/taproom.yaml": "id: taproom\namend: true\nsettings: {turns: 5}\n",
    "examples/third.yaml": """\
- title: A one always fails
  given:
    sides: [{name: A, units: [{id: a, profile: lout, size: 3}]}, {name: B, units: [{id: b, profile: smith, size: 2}]}]
  when: strike(a)
  dice: [1, 2, 3]
  then: {b: {standing: 1}}
""",
}


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of both editions."""
    folder = tmp_path_factory.mktemp("games")
    write(folder / "tavern")
    lay_out(folder / "tavern3", THIRD)
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def place(shelf: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder for each test."""
    monkeypatch.setenv("WARHOST_PATH", str(shelf))
    monkeypatch.setenv("WARHOST_CACHE", str(cache))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def lay_out(folder: Path, files: Mapping[str, str]) -> Path:
    """Files in a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def run() -> Run:
    """Runs the command in this process; code: the exit code that is expected."""
    from warhost.cli import program

    def runner(*args: object, code: int = 0) -> Result:
        result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
        assert result.exit_code == code, result.output
        return result

    return runner
