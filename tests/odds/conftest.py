"""The small game of the command's tests, loaded, with places of its own for what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import cache, games, place, run
from warhost.packs import Ruleset, load

__all__ = ["cache", "games", "place", "run"]


@pytest.fixture
def tavern(place: Path) -> Ruleset:
    return load("tavern")
