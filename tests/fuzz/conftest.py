"""What several fuzzers need."""

from __future__ import annotations

import pytest

from tests.fuzz.games import GAME, SMALL
from warhost.packs import Ruleset, load


@pytest.fixture(scope="package")
def rules() -> Ruleset:
    """A ruleset with a board and lists, which the small game has not."""
    return load("small_fantasy" if GAME is SMALL else GAME.id)
