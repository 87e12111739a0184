"""Loading a ruleset, checking it, and how long the command takes to say anything at all."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import warhost
from conftest import ROOT
from warhost.packs.project import Project

SMALL, LARGEST = ROOT / "rulesets" / "small_fantasy", ROOT / "rulesets" / "arcana"


def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / f"cache{len(list(tmp_path.iterdir()))}"
    folder.mkdir(mode=0o700)
    monkeypatch.setenv("WARHOST_CACHE", str(folder))


def of_children() -> float:
    """The time that the processor spent on processes that we started and that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def process_time() -> float:
    """The time that the processor spent on this process and on those that it started."""
    return time.process_time() + of_children()


def run(*arguments: str) -> None:
    """In a process of its own, with modules that were compiled before, as an installed package has them."""
    path = os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])
    subprocess.run(
        [sys.executable, *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": ""},
    )  # fmt: skip


@pytest.mark.parametrize("way", ["warm cache", "cold cache"])
@pytest.mark.benchmark(group="load", timer=time.process_time)
def test_load(benchmark: Any, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process that runs already."""
    warhost.load(SMALL)
    setup = (lambda: empty_cache(tmp_path, monkeypatch)) if way == "cold cache" else None
    benchmark.extra_info["is"] = way
    benchmark.pedantic(lambda: warhost.load(SMALL), setup=setup, rounds=5)


@pytest.mark.parametrize("way", ["warm cache", "cold cache"])
@pytest.mark.benchmark(group="check", timer=of_children)
def test_check(benchmark: Any, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command, from its start to its end."""
    run("-m", "warhost", "check", str(SMALL))
    setup = (lambda: empty_cache(tmp_path, monkeypatch)) if way == "cold cache" else None
    benchmark.extra_info["is"] = way
    benchmark.pedantic(lambda: run("-m", "warhost", "check", str(SMALL)), setup=setup, rounds=5)


@pytest.mark.parametrize(
    ("way", "arguments"), [("python -c pass", ("-c", "pass")), ("warhost --help", ("-m", "warhost", "--help"))]
)
@pytest.mark.benchmark(group="start", timer=of_children)
def test_start(benchmark: Any, way: str, arguments: tuple[str, ...]) -> None:
    benchmark.extra_info["is"] = way
    benchmark.pedantic(lambda: run(*arguments), rounds=15, warmup_rounds=1)


QUESTIONS = {
    "a round, 20 against 20, exact": ("--attacker", "orcs_orc_warrior:20", "--defender", "dwarves_axemen:20"),
    "three giants, 20 hobgoblins, to the end": (
        "--attacker", "the_giant_kings_adult_giant:3", "--defender", "goblins_hobgoblins:20", "--until", "end",
        "--method", "simulation", "--trials", "10000",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", QUESTIONS)
@pytest.mark.benchmark(group="a question", timer=of_children)
def test_a_question_from_the_command_line(benchmark: Any, what: str) -> None:
    """Of arcana, all told: starting, importing, loading, the answer and its workings."""
    benchmark.extra_info["is"] = what
    command = ("-m", "warhost", "odds", str(LARGEST), *QUESTIONS[what], "--any-size")
    benchmark.pedantic(lambda: run(*command), rounds=5, warmup_rounds=1)


@pytest.mark.parametrize("way", ["one file changed", "loading, warm cache"])
@pytest.mark.benchmark(group="largest", timer=process_time)
def test_the_largest_ruleset(benchmark: Any, way: str) -> None:
    """Arcana: one line of rules changed, checked again as an editor does it; and loaded by a fresh process."""
    benchmark.extra_info["is"] = way
    if way == "loading, warm cache":
        command = ("-c", f"import warhost; warhost.load({str(LARGEST)!r})")
        run(*command)
        benchmark.pedantic(lambda: run(*command), rounds=5)
        return
    project = Project(LARGEST)
    file = next((LARGEST / "rules").glob("*melee.rules"))
    texts = count()

    def change() -> None:
        project.change(file, file.read_text(encoding="utf-8").replace(">= 1", f">= {next(texts) + 2}", 1))

    for _ in range(2):
        change()
        assert project.problems() == []
    benchmark.pedantic(project.problems, setup=change, rounds=5)
