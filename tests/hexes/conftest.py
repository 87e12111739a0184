"""Make the plugin and the core importable from a checkout in which they are not installed; the game of the tests."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "core", ROOT / "plugins"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from warhost.packs import Ruleset, load  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is read of a ruleset is kept in a folder of this test run's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def game(own_cache: None) -> Ruleset:
    """A small game on hexes."""
    return load(Path(__file__).with_name("game"))
