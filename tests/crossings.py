"""How often one round of a fight goes from one part of the house into another.

    python -m tests.crossings [--ruleset small_fantasy --attacker "Orc warriors" --defender "Elf spearmen"]

A crossing is a call from a function of one part of a function of another; the parts are the rules (compiled), the
engine, the language, the plugins (with `warhost.things`, by which they look at things) and the tools. Ten against ten,
one round of the first question that the ruleset asks about odds, everything compiled beforehand. What Python itself
brings along belongs to whoever calls it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import PurePath
from types import FrameType
from typing import Any

import warhost
from warhost.engine.dice import SeededDice
from warhost_odds.questions import UnitSpec, questions, set_up

TOOLS = {"warhost_odds"}


def part_of(file: str) -> str | None:
    """The part of the house to which a file belongs; None for one that is not ours."""
    if file.endswith((".rules", "<rules>")):
        return "rules"
    parts = PurePath(file).parts
    if "warhost" in parts:
        package = parts[parts.index("warhost") + 1].removesuffix(".py")
        return "plugins" if package == "things" else package
    plugin = next((part for part in parts if part.startswith("warhost_")), None)
    return plugin and ("tools" if plugin in TOOLS else "plugins")


class Crossings:
    """Counts them while it is set as the profiler, by the part that calls, the part called and the function."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[str, str, str]] = Counter()

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        to = part_of(frame.f_code.co_filename) if event == "call" else None
        back = frame.f_back if to is not None else None
        while back is not None and (of := part_of(back.f_code.co_filename)) is None:
            back = back.f_back
        if to is not None and back is not None and of is not None and of != to:
            self.calls[of, to, frame.f_code.co_qualname] += 1


def crossings(ruleset: str, attacker: str, defender: str) -> Counter[tuple[str, str, str]]:
    """Those of one round, as (from, to, function)."""
    rules = warhost.load(ruleset)
    question = next(iter(questions(rules).values()))
    one, other = (UnitSpec.parse(f"{profile}:10", rules) for profile in (attacker, defender))
    for _ in range(2):  # the first time everything is compiled
        prepared = set_up(rules, question, one, other)
        prepared.battle.dice = SeededDice(1)
        found = Crossings()
        before = sys.getprofile()
        sys.setprofile(found)
        try:
            prepared.play_round()
        finally:
            sys.setprofile(before)
    return found.calls


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ruleset", default="small_fantasy")
    parser.add_argument("--attacker", default="Orc warriors")
    parser.add_argument("--defender", default="Elf spearmen")
    given = parser.parse_args()
    found = crossings(given.ruleset, given.attacker, given.defender)
    print(f"{found.total()} crossings")
    for (of, to, name), n in found.most_common():
        print(f"{n:5}  {of} -> {to}  {name}")


if __name__ == "__main__":
    main()
