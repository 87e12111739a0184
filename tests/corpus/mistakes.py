"""Typical mistakes of authors, one at a time: a change of a shipped file or a house rule, and what must be told.

A mistake is written in `mistakes/RULESET.yaml`:

    title      what the author did
    in, old, new    a file, a text that stands in it once, and what the author put in its place; `end`: added behind it
    add        or new files, by path
    house, house2   or a house rule in rules (and one laid over it), called first.rules and second.rules
    data       or a house rule in YAML, called mine.yaml
    with       or files of house rules on offer: their ids
    at         a text on the line that must be told: the first such line from the change on, else the last one before it
               (a list: one of several lines); without it the first line of `new`
    file       where it must be told if not where the change is
    says, hint      texts of the message and of the hint; code: of the problem
    also       yes: other problems may be told besides (usually there is this one only)
    missing    yes: it is not told yet
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from warhost.errors import Problem
from warhost.packs.project import Project
from warhost_rulesets.ready_armies import ready_armies

HERE = Path(__file__).parent
RULESETS = HERE.parents[1] / "rulesets"

#: The rulesets that have mistakes, each with its folder.
RULESETS_CHECKED = ("small_fantasy", "destiny", "legiones", "arcana", "three_plains")
_TESTED = {"ford": HERE / "ford", "parley": HERE.parent / "cards" / "parley"}
GAMES = {**_TESTED, **{name: RULESETS / name for name in RULESETS_CHECKED}}


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake: what is changed, and what must be told of it."""

    game: str
    title: str
    said: Mapping[str, Any]

    @property
    def hints(self) -> str:
        """What the hint must contain."""
        return str(self.said["hint"])

    def houses(self) -> tuple[str, ...]:
        """The files of the house rules that it needs."""
        if "with" in self.said:
            return tuple(f"@{id_}" for id_ in self.said["with"])
        if "data" in self.said:
            return ("mine.yaml",)
        return tuple(n for k, n in (("house", "first.rules"), ("house2", "second.rules")) if k in self.said)

    def texts(self, folder: Path, house: Path) -> dict[Path, str]:
        """What its files say, by path."""
        names = {"house": "first.rules", "house2": "second.rules", "data": "mine.yaml"}
        texts = {house / name: self.said[key] for key, name in names.items() if key in self.said}
        texts.update({folder / name: text for name, text in self.said.get("add", {}).items()})
        if "in" in self.said:
            path = folder / self.said["in"]
            whole = path.read_text(encoding="utf-8")
            if "end" in self.said:
                texts[path] = whole + self.said["end"]
            else:
                assert whole.count(self.said["old"]) == 1, f"{self.title}: the text to change is not there once"
                texts[path] = whole.replace(self.said["old"], self.said["new"])
        return texts

    def places(self, texts: Mapping[Path, str], folder: Path) -> tuple[str, set[int]]:
        """The file that must be named, as the end of its path, and the lines of which one must be told."""
        name = str(self.said.get("file") or self.said.get("in") or self.houses()[0])
        text = next(t for path, t in texts.items() if path.as_posix().endswith("/" + name))
        start = 0
        if "old" in self.said:
            whole = (folder / self.said["in"]).read_text(encoding="utf-8")
            start = whole[: whole.index(self.said["old"])].count("\n")
        wanted = self.said.get("at", str(self.said.get("new", "")).split("\n")[0])
        found = set()
        for one in wanted if isinstance(wanted, list) else [wanted]:
            lines = [n for n, line in enumerate(text.split("\n"), 1) if one in line]
            assert lines, f"{self.title}: no line has {one!r}"
            found.add(next((n for n in lines if n > start), lines[-1]))
        return name, found

    def is_told_by(self, problem: Problem, place: tuple[str, set[int]]) -> bool:
        """Whether a problem is this mistake, at its place, with message and hint."""
        name, lines = place
        return (
            problem.file.endswith(name)
            and problem.line in lines
            and self.said.get("code", problem.code) == problem.code
            and self.said.get("says", "") in problem.message
            and self.hints in (problem.hint or "")
        )


def mistakes(game: str) -> list[Mistake]:
    """The mistakes of one ruleset, in order."""
    text = (HERE / "mistakes" / f"{game}.yaml").read_text(encoding="utf-8")
    return [Mistake(game, said["title"], said) for said in yaml.safe_load(text)]


class Table:
    """One ruleset on which mistakes are made one after the other; it is read once, and then only what has changed."""

    def __init__(self, game: str, place: Path) -> None:
        self.folder = place / GAMES[game].name
        self.house = place / "house"
        shutil.copytree(GAMES[game], self.folder, ignore=shutil.ignore_patterns("played.json", "*.md"))
        self.house.mkdir()
        self.projects: dict[tuple[str, ...], Project] = {}

    def project(self, houses: Sequence[str]) -> Project:
        """The ruleset with some house rules, read before."""
        for name in houses:
            if not name.startswith("@"):  # else it is on offer
                (self.house / name).touch()
        known = self.projects.get(tuple(houses))
        if known is None:
            laid = [name[1:] if name.startswith("@") else self.house / name for name in houses]
            known = self.projects[tuple(houses)] = Project(self.folder, laid)
        return known

    def tell(self, mistake: Mistake) -> tuple[list[Problem], tuple[str, set[int]]]:
        """What is told of a mistake, and where it should be told. Afterwards the ruleset is as it was."""
        texts = mistake.texts(self.folder, self.house)
        place = mistake.places(texts, self.folder)
        project = self.project(mistake.houses())
        new = [path for path in texts if not path.exists()]
        try:
            for path, text in texts.items():
                if path in new:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text, encoding="utf-8")
                else:
                    project.change(path, text)
            problems = project.problems()
            if not problems and project.ruleset is not None and place[0].startswith("armies/"):
                problems = ready_armies(project.ruleset)  # as `warhost check` does
            return problems, place
        finally:
            for path in texts:
                if path in new:
                    path.unlink()
                else:
                    project.close(path)
