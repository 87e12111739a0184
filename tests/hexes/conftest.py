"""The game of the tests."""

from pathlib import Path

import pytest

from warhost.packs import Ruleset, load


@pytest.fixture(scope="session", autouse=True)
def _cache(own_cache: None) -> None:
    """Battles of these tests read the rulesets anew."""


@pytest.fixture(scope="session")
def game(own_cache: None) -> Ruleset:
    """A small game on hexes."""
    return load(Path(__file__).with_name("game"))
