"""The programs that play battles."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]

@pytest.fixture(scope="session", autouse=True)
def _cache(own_cache: None) -> None:
    """Battles of these tests read the rulesets anew."""


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
