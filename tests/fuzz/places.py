"""A folder with the game that is tried, for one fuzzer, and what counts as an answer there."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.fuzz.changes import FOREIGN
from tests.fuzz.games import GAME
from warhost.cli import program

#: How long one command may take at most (seconds of CPU): asked only in long runs, on a machine that is left alone.
LONGEST = float(os.environ.get("WARHOST_FUZZ_SECONDS", "inf"))


@contextmanager
def game_folder(folder: Path) -> Iterator[Path]:
    """The game under games/, found by its name, with a cache of its own; the working folder is `folder`."""
    GAME.write(folder / "games" / GAME.id)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_PATH", str(folder / "games"))
        patch.setenv("WARHOST_CACHE", str(folder / "cache"))
        patch.setenv("WARHOST_LIMITS", GAME.limits)
        patch.chdir(folder)
        yield folder


def answered(place: Path, command: Sequence[str], touches: Sequence[Path] = ()) -> int:
    """Run a command; what comes must be an answer: exit code 0, 1 or 2, no foreign character, no file touched but those
    that were named. Gives the exit code.
    """
    kept = {p: p.read_bytes() for p in sorted((place / "games").rglob("*")) if p.is_file() and p not in touches}
    began = time.process_time()
    result = CliRunner().invoke(program, list(command), input="")
    spent = time.process_time() - began
    assert result.exit_code in (0, 1, 2), (command, result.output[-2000:], result.exception)
    assert not FOREIGN.search(result.output), command
    assert spent <= LONGEST, (command, spent)
    assert all(p.is_file() and p.read_bytes() == raw for p, raw in kept.items()), command
    return result.exit_code
