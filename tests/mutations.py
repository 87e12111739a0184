"""Shipped rulesets changed at random: no traceback, no hang, and what `check` passes plays without a Python error.

    python -m tests.mutations 300 --seed 1 [--game ford]

A change swaps two tokens of a line, takes a line out or doubles it, misspells a word, or moves a line in or out. Faults
that a rule itself brings about in play (RuleFault) are told and counted, and do not decide.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import warhost
from tests.corpus.mistakes import GAMES, Table
from warhost.errors import WarhostError

TOKEN = re.compile(r"\w+|[^\S\n]+|[^\w\s]")

#: The rulesets that are changed when nobody names one: those that are read and played quickly.
USUAL = ("ford", "small_fantasy", "destiny")
TURNS, ANSWERS, SECONDS = 20, 1500, 120


def swapped(line: str, chance: random.Random) -> str:
    """Two tokens of the line in each other's place."""
    parts = TOKEN.findall(line)
    words = [i for i, part in enumerate(parts) if part.strip()]
    if len(words) < 2:
        return line
    a, b = chance.sample(words, 2)
    parts[a], parts[b] = parts[b], parts[a]
    return "".join(parts)


def misspelt(line: str, chance: random.Random) -> str:
    """One word with two letters swapped, one left out or one doubled."""
    found = list(re.finditer(r"[A-Za-z_]{3,}", line))
    if not found:
        return line
    m = chance.choice(found)
    word, i = m.group(), chance.randrange(len(m.group()) - 1)
    moved = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    new = chance.choice((moved, word[:i] + word[i + 1 :], word[: i + 1] + word[i:]))
    return line[: m.start()] + new + line[m.end() :]


WAYS: dict[str, Callable[[str, random.Random], list[str]]] = {
    "tokens swapped": lambda line, chance: [swapped(line, chance)],
    "line removed": lambda line, chance: [],
    "line doubled": lambda line, chance: [line, line],
    "word misspelt": lambda line, chance: [misspelt(line, chance)],
    "further in": lambda line, chance: ["    " + line],
    "further out": lambda line, chance: [line[4:] if line.startswith("    ") else line.lstrip()],
}


def changed(text: str, chance: random.Random) -> tuple[str, str, int]:
    """The text with one change: what it was, and in which line."""
    lines = text.split("\n")
    at = chance.choice([i for i, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")])
    way = chance.choice(sorted(WAYS))
    return "\n".join([*lines[:at], *WAYS[way](lines[at], chance), *lines[at + 1 :]]), way, at + 1


def play(rules: Any, chance: random.Random) -> None:
    """Twenty turns, or so many answers, by chance."""
    demo = rules.manifest.get("demo")
    if demo is None:  # the change took it away: nobody says who should fight
        return
    armies = [warhost.Army.ready(str(one), rules) for one in demo["armies"]]
    battle = warhost.Battle(rules, armies, scenario=str(demo["scenario"]), seed=chance.randrange(10**6))
    for _ in range(ANSWERS):
        decision = battle.decide()
        if decision is None or battle.battle.turn > TURNS:
            return
        battle.answer(chance.randrange(len(decision.options)))


def _hangs(*_: object) -> None:
    raise TimeoutError(f"no answer in {SECONDS} seconds of CPU")


def main(given: list[str]) -> int:
    """0 when nothing broke."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=GAMES, action="append")
    asked = parser.parse_args(given)
    broken, counted = 0, Counter[str]()
    signal.signal(signal.SIGPROF, _hangs)
    with tempfile.TemporaryDirectory() as place:
        tables = {}
        for game in asked.game or USUAL:
            (Path(place) / f"of_{game}").mkdir()
            tables[game] = Table(game, Path(place) / f"of_{game}")
        for number in range(asked.count):
            chance = random.Random(f"{asked.seed} {number}")
            game = chance.choice(sorted(tables))
            table, project = tables[game], tables[game].project(())
            files = sorted(p for s in ("rules", "yaml") for p in table.folder.rglob(f"*.{s}"))
            path = chance.choice([p for p in files if "house" not in p.parts and "examples" not in p.parts])
            text, way, line = changed(path.read_text(encoding="utf-8"), chance)
            where = f"{game}/{path.relative_to(table.folder)}:{line}: {way}"
            project.change(path, text)
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            try:
                problems = project.problems()
                verdict = "refused" if problems else "played"
                if not problems and project.ruleset is not None:
                    play(project.ruleset, chance)
            except WarhostError as error:
                verdict = "fault"
                print(f"{number}: {where}: {type(error).__name__}: {error}"[:400])
            except Exception:  # whatever it is, it is what we are looking for
                verdict, broken = "BROKEN", broken + 1
                print(f"{number}: {where}\n{traceback.format_exc()}")
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                project.close(path)
            counted[verdict] += 1
    print(f"{asked.count} changes, seed {asked.seed}: " + ", ".join(f"{n} {v}" for v, n in sorted(counted.items())))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
