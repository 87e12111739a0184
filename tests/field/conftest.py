"""Make the plugin and the core importable from a checkout in which they are not installed."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "core", ROOT / "plugins"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is read of a ruleset is kept in a folder of this test run's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def soak(own_cache: None) -> ModuleType:
    """benchmarks/soak.py, which plays battles and looks for faults."""
    spec = importlib.util.spec_from_file_location("soak", ROOT / "benchmarks" / "soak.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["soak"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def battles(soak: ModuleType) -> ModuleType:
    """benchmarks/battles.py, which sets battles up for all programs there."""
    return sys.modules["battles"]
