"""One small game for all tests of the command, in a folder of its own, with a cache of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.cli.game import write

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which rulesets are looked for."""
    folder = tmp_path_factory.mktemp("games")
    write(folder / "tavern")
    return folder


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def place(games: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder for each test."""
    monkeypatch.setenv("WARHOST_PATH", str(games))
    monkeypatch.setenv("WARHOST_CACHE", str(cache))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def run() -> Run:
    """Runs the command in this process; code: the exit code that is expected."""
    from warhost.cli import program

    def runner(*args: object, code: int = 0, given: str | bytes | None = None, **more: Any) -> Result:
        result = CliRunner().invoke(program, [str(a) for a in args], input=given, prog_name="warhost", **more)
        assert result.exit_code == code, result.output
        return result

    return runner


def data(result: Result) -> Any:
    """Standard output as JSON; nothing else may be in it."""
    return json.loads(result.stdout)
