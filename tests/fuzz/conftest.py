"""What several fuzzers need."""

from __future__ import annotations

import pytest

from warhost.packs import Ruleset, load


@pytest.fixture(scope="package")
def rules() -> Ruleset:
    return load("small_fantasy")
