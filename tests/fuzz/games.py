"""The game that the fuzzers try: the small one of the command's tests, or a bundled ruleset (WARHOST_FUZZ_RULESET)."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.cli.game import FILES
from warhost.packs import load
from warhost.packs.find import find

#: Folders and files of a bundled ruleset that no command needs to be put to the test, and that take long to read.
LEFT_OUT = re.compile(r"examples/|played\.json|equivalent\.yaml|.*\.md")


@dataclass(frozen=True, slots=True)
class Game:
    """A ruleset to be tried. files: text by path. armies: two ready ones. units: as `odds` wants them, two of them.

    words: names that mean something in it. limits: what WARHOST_LIMITS says while it is tried.
    """

    id: str
    files: Mapping[str, str]
    armies: tuple[str, str]
    player: str
    units: tuple[str, str]
    words: tuple[str, ...]
    limits: str

    def battle(self) -> list[str]:
        """The command of a battle."""
        one, two = self.armies
        return ["battle", self.id, "--army", one, "--army", two, "--player", self.player, "--log", "none"]

    def named(self, pattern: str) -> list[str]:
        """The files whose path matches, in order."""
        return sorted(name for name in self.files if re.fullmatch(pattern, name))

    def write(self, folder: Path, name: str | None = None) -> None:
        """The files, or one of them, as they should be."""
        for each in self.files if name is None else [name]:
            path = folder / each
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.files[each].encode())


SMALL = Game(
    "tavern", FILES, ("reds", "blues"), "usual", ("lout:3", "smith:2"),
    ("reds", "blues", "lout", "smith:2", "boss:1", "lout:3,banner", "punch", "T-3", "Boss", "taproom", "COUNT=1..3",
     "mood=angry", "tired=-2", "attacker.tired = yes", "attacker.standing = 2", "give Boss to attacker",
     "games/tavern/armies/reds.yaml", "games/tavern/battles/friday.yaml", "usual", "red_louts=usual", "brawl"),
    "steps=20000 battle_steps=200000",
)  # fmt: skip


def bundled(name: str) -> Game:
    """A ruleset that comes with Warhost."""
    folder = find(name).folder
    paths = (p for p in sorted(folder.rglob("*")) if p.suffix in (".yaml", ".rules"))
    texts = {p.relative_to(folder).as_posix(): p.read_text(encoding="utf-8") for p in paths}
    files = {path: text for path, text in texts.items() if not LEFT_OUT.match(path)}
    rules = load(folder)
    armies = sorted(rules.armies)
    profiles = sorted(rules.profiles)
    units = (f"{profiles[0]}:5", f"{profiles[-1]}:3")
    words = (
        *armies[:3], *profiles[:5], *units, *list(rules.program.numbers)[:10], *list(rules.scenarios),
        *rules.section("odds"),
        *(path for path in files if path.startswith("armies/"))
    )  # fmt: skip
    return Game(name, files, (armies[0], armies[-1]), "random", units, words, "battle_steps=20000000")


GAME = bundled(os.environ["WARHOST_FUZZ_RULESET"]) if os.environ.get("WARHOST_FUZZ_RULESET") else SMALL
