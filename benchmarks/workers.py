"""How much faster several workers make a table of `warhost balance`: by the processor's time that each of them takes,
so that whatever else runs on the machine does not count. On a quiet machine with as many processors it is the clock's.

    python benchmarks/workers.py --ruleset small_fantasy --units "all-of elves" --trials 2000 --workers 2
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from warhost_odds.balance import AskedTable, Progress, made

TICKS = os.sysconf("SC_CLK_TCK")


def seconds_of(pid: int) -> float:
    """The processor's seconds that a process has taken so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def shares(asked: AskedTable, workers: int) -> tuple[float, list[float], int]:
    """Seconds of this process, of each worker, and how many pairings were played."""
    taken: dict[int, float] = {}
    played = 0

    def watch(now: Progress) -> None:
        nonlocal played
        played += now.last is not None
        taken.update({child.pid: seconds_of(child.pid) for child in multiprocessing.active_children() if child.pid})

    with tempfile.TemporaryDirectory() as folder:
        made(asked, prices=False, workers=workers, out=Path(folder) / "table.sqlite", watch=watch)
    return seconds_of(os.getpid()), sorted(taken.values()), played


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", default="small_fantasy")
    parser.add_argument("--units", action="append", help="as of `warhost balance`; may be repeated")
    parser.add_argument("--points", type=float)
    parser.add_argument("--trials", type=int, default=2_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--alone", action="store_true", help="only so many workers, and no comparison")
    given = parser.parse_args(arguments)
    units = tuple(given.units or ["all-of elves"])
    asked = AskedTable(given.ruleset, units, points=given.points, trials=given.trials)
    own, each, played = shares(asked, given.workers)
    longest = max([own, *each])
    told = ", ".join(f"{one:.1f} s" for one in each) or "none"
    print(f"{given.workers} workers, {played} pairings: this process {own:.1f} s, the workers {told}", flush=True)
    if given.alone:
        print(longest)
        return 0
    command = [sys.executable, __file__, "--ruleset", given.ruleset, "--trials", str(given.trials), "--workers", "1"]
    command += ["--points", str(given.points)] if given.points is not None else []
    command += [part for one in units for part in ("--units", one)]
    alone = subprocess.run([*command, "--alone"], capture_output=True, text=True, check=True).stdout.split("\n")
    print(alone[0])
    print(f"{float(alone[1]) / longest:.2f} times as fast, by the longest share")
    return 0


if __name__ == "__main__":
    if sys.platform != "linux":
        sys.exit("the shares of processes are read from /proc, which is there on Linux only")
    sys.exit(main(sys.argv[1:]))
