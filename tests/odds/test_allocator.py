"""Commands keep the memory that they free: large columns come and go without the system."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import resource, sys
import numpy as np
from warhost_odds.allocator import keep_memory

if sys.argv[1] == "kept":
    keep_memory()
for _ in range(3):
    many = [np.ones(50_000) for _ in range(40)]
    many.clear()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    many = [np.ones(50_000) for _ in range(40)]
    many.clear()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the GNU C library's")
def test_pages_are_fetched_once() -> None:
    def faults(how: str) -> int:
        done = subprocess.run([sys.executable, "-c", PROGRAM, how], capture_output=True, text=True, check=True)
        return int(done.stdout)

    assert faults("kept") < 1_000 < faults("as it is")
