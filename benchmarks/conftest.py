"""What the benchmarks share; and the ratios, printed after the tables."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(Path(__file__).parent))
if find_spec("warhost") is None:  # a checkout in which it is not installed
    sys.path[:0] = [str(ROOT / "core"), str(ROOT / "plugins")]

#: group -> the benchmark that the others of the group are compared with
MEASURE = {
    "duel": "by hand", "battle": "untraced", "load": "warm cache", "check": "warm cache", "start": "python -c pass",
    "largest": "", "1,500 points": "",
    "odds": "10,000 duels by hand", "odds exactly": "", "whole duels": "",
}  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def a_cache_of_its_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing of the user's cache takes part."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("WARHOST_CACHE", str(folder))
        patch.delenv("WARHOST_PATH", raising=False)
        yield folder


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: Any) -> None:
    session = getattr(config, "_benchmarksession", None)
    rows = [b for b in getattr(session, "benchmarks", ()) if b.group in MEASURE and b.stats.rounds]
    if not rows:
        return
    terminalreporter.section("ratios (of the shortest times)")
    for group, name in MEASURE.items():
        here = [b for b in rows if b.group == group]
        base = next((b for b in here if b.extra_info.get("is") == name), None)
        for b in here:
            what = b.extra_info.get("is", b.name)
            ratio = f"{took(b) / took(base):8.2f} times {name}" if base not in (None, b) else ""
            if base not in (None, b) and "duels" in b.extra_info:
                ratio += f" ({took(base) / 10_000 * b.extra_info['duels'] / took(b):.1f} times as fast a duel)"
            if "a second" in b.extra_info:
                ratio += f"  {b.extra_info['a second'] / took(b):,.0f} a second"
            if "megabytes" in b.extra_info:
                ratio += f"  at most {b.extra_info['megabytes']} MB"
            terminalreporter.line(f"{group:<14}{what:<38}{shown(took(b)):>12}{ratio}")


def took(b: Any) -> float:
    """The shortest time, of as many as its name says."""
    return float(b.stats.min * b.extra_info.get("times", 1))


def shown(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e6:.0f} us"
