"""What several fuzzers need."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.fuzz.games import GAME, SMALL
from warhost.packs import Ruleset, load

#: How much more address space a run may take than it had at its beginning (bytes): what a fuzzer makes is small.
ROOM = 1_500_000_000


@pytest.fixture(scope="package", autouse=True)
def bounded_memory() -> Iterator[None]:
    """What takes too much memory fails here (MemoryError, which no command may end with), not the machine (Linux)."""
    if sys.platform != "linux":
        yield
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.fixture(scope="package")
def rules() -> Ruleset:
    """A ruleset with a board and lists, which the small game has not."""
    return load("small_fantasy" if GAME is SMALL else GAME.id)
