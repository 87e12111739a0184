"""Long runs of the fuzzers: each in turn, with fresh seeds, until the time is up.

    python -m tests.fuzz --minutes 60 [--ruleset ID] [--only WORD] [--seed N]

Prints what each tried and ends with 1 at the first thing that is no answer: hypothesis has made it small by then, and
the last lines name the seed that gives it again. On a machine that is left alone `--seconds 5` also bounds the CPU time
of each command.
"""

from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent

#: How many times the examples of CI one round of a fuzzer tries: of the small game, and of a bundled ruleset.
ROUND, ROUND_OF_BUNDLED = 5, 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Long runs of the fuzzers.")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long, in all (60)")
    parser.add_argument("--ruleset", default="", metavar="ID", help="a bundled ruleset instead of a small game")
    parser.add_argument("--only", default="", metavar="WORD", help="only fuzzers with the word in their file's name")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="seed of the first round (the time)")
    parser.add_argument("--seconds", type=float, default=None, help="most CPU time of one command")
    given = parser.parse_args()
    files = sorted(path for path in HERE.glob("test_*.py") if given.only in path.stem)
    if not files:
        parser.error(f"no fuzzer has {given.only!r} in its name")
    until = time.monotonic() + given.minutes * 60
    tried: dict[str, int] = {path.stem: 0 for path in files}
    env = {**os.environ, "WARHOST_FUZZ_TIMES": str(ROUND_OF_BUNDLED if given.ruleset else ROUND)}
    if given.ruleset:
        env["WARHOST_FUZZ_RULESET"] = given.ruleset
    if given.seconds is not None:
        env["WARHOST_FUZZ_SECONDS"] = str(given.seconds)
    for seed in itertools.count(given.seed):
        for path in files:
            if time.monotonic() >= until:
                return 0
            found = _round(path, seed, env)
            if found.returncode:
                print(found.stdout[-6000:], f"\nagain with: python -m tests.fuzz --only {path.stem} --seed {seed}")
                return 1
            tried[path.stem] += sum(int(n) for n in re.findall(r"(\d+) passing", found.stdout))
            shown = ", ".join(f"{name.removeprefix('test_')} {count:,}" for name, count in tried.items())
            print(f"seed {seed}: {shown}", flush=True)
    return 0


def _round(path: Path, seed: int, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable, "-m", "pytest", "-q", str(path), f"--hypothesis-seed={seed}", "--hypothesis-show-statistics",
        "-p", "no:cacheprovider", "-p", "no:xdist",
    ]  # fmt: skip
    return subprocess.run(command, cwd=HERE.parents[1], env=env, capture_output=True, text=True, check=False)


if __name__ == "__main__":
    sys.exit(main())
