"""How long `warhost check` takes: `python benchmarks/checking.py [RULESET ..]`, else all that lie in rulesets/.

Works on a copy of each ruleset, with a cache of its own. Measured are the whole command with an empty cache, with
nothing changed since the last time, and with one line more in one file: the longest file of rules, the longest file of
data, the longest file of examples; then what `check --watch` does when it has seen such a change. Each is done
`--rounds` times; printed are the shortest and the median by the clock, and the shortest processor time, which tells
more on a machine with other work to do.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from warhost.packs.project import Project

ROOT = Path(__file__).resolve().parents[1]
Clocks = tuple[float, float]


def changed_files(folder: Path) -> dict[str, Path]:
    """The files that are changed, by what they are."""
    longest = {
        "rules": max((folder / "rules").rglob("*.rules"), key=size),
        "data": max((folder / "data").rglob("*.yaml"), key=size),
        "an example": max((folder / "examples").rglob("*.yaml"), key=size),
    }
    return longest


def size(path: Path) -> int:
    return path.stat().st_size


def changed(path: Path, number: int) -> None:
    """The file says something that it has not said before, and all its lines have moved."""
    text = path.read_text(encoding="utf-8")
    path.write_text(f"# {number}\n{text}", encoding="utf-8")


def command(folder: Path, environment: dict[str, str]) -> Clocks:
    """`warhost check FOLDER`: seconds by the clock and of the processor."""
    before, began = of_children(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "warhost", "check", str(folder)],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=environment,
    )  # fmt: skip
    return time.perf_counter() - began, of_children() - before


def of_children() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def in_process(project: Project) -> Clocks:
    """What `check --watch` does when it has seen that a file was saved."""
    began, clock = time.process_time(), time.perf_counter()
    problems = project.problems()
    assert problems == [], problems[0].render()
    return time.perf_counter() - clock, time.process_time() - began


def show(what: str, measured: list[Clocks]) -> None:
    clock, processor = zip(*measured, strict=True)
    print(f"  {what:<34}{min(clock):>9.2f}{statistics.median(clock):>9.2f}{min(processor):>11.2f}", flush=True)


def repeated(rounds: int, before: Callable[[int], None], run: Callable[[], Clocks]) -> list[Clocks]:
    found = []
    for number in range(rounds):
        before(number)
        found.append(run())
    return found


def measure(ruleset: str, rounds: int, work: Path) -> None:
    """A table of the times of one ruleset."""
    folder, cache = work / ruleset, work / "cache"
    shutil.copytree(ROOT / "rulesets" / ruleset, folder)
    environment = {**os.environ, "WARHOST_CACHE": str(cache)}

    def emptied(_: int) -> None:
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(mode=0o700)

    print(f"{ruleset}   (load {os.getloadavg()[0]:.1f})")
    print(f"  {'s':<34}{'shortest':>9}{'median':>9}{'processor':>11}")
    show("the command, empty cache", repeated(rounds, emptied, lambda: command(folder, environment)))
    show("the command, nothing changed", repeated(rounds, lambda _: None, lambda: command(folder, environment)))
    for what, path in changed_files(folder).items():
        times = repeated(rounds, lambda n, path=path: changed(path, n), lambda: command(folder, environment))  # type: ignore[misc]
        show(f"the command, {what} changed", times)
    os.environ["WARHOST_CACHE"] = str(cache)
    project = Project(str(folder))
    project.problems()
    project.prepare()
    for what, path in changed_files(folder).items():
        times = repeated(rounds, lambda n, path=path: changed(path, 100 + n), lambda: in_process(project))  # type: ignore[misc]
        show(f"--watch, {what} changed", times)


def main() -> None:
    known = sorted(path.parent.name for path in (ROOT / "rulesets").glob("*/ruleset.yaml"))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rulesets", nargs="*", metavar="RULESET", help=f"of {', '.join(known)}; all without one")
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    for ruleset in asked.rulesets or known:
        with tempfile.TemporaryDirectory() as work, suppress(KeyboardInterrupt):
            measure(ruleset, asked.rounds, Path(work))


if __name__ == "__main__":
    main()
