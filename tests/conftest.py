"""What holds for all tests: hypothesis draws the same examples every time, and no clock decides.

    pytest --hypothesis-profile=seek

draws others instead, to look for what nobody has thought of, and prints what draws the one that failed again. The
core and the plugins are importable from a checkout in which they are not installed.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

for _folder in ("core", "plugins"):
    _path = str(Path(__file__).resolve().parents[1] / _folder)
    if _path not in sys.path:
        sys.path.insert(0, _path)

settings.register_profile(
    "same", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.register_profile("seek", settings.get_profile("same"), derandomize=False, print_blob=True)
settings.load_profile("same")


@pytest.fixture(scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is read of a ruleset is kept in a folder of this test run's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
