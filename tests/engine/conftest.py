"""A ruleset, loaded once."""

from __future__ import annotations

import pytest

from warhost.packs import Ruleset, load


@pytest.fixture(scope="session")
def rules() -> Ruleset:
    return load("small_fantasy")
