"""What is known of a ruleset at one moment, and the desk where it is looked at again after each change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from warhost.errors import Problem
from warhost.lang.place import Pos
from warhost.packs.parsed import ParsedRules
from warhost.packs.project import Project, ReadFile
from warhost.packs.ruleset import Ruleset
from warhost_explain.explaining import Explanation, Match, in_short, index
from warhost_lsp.data_names import data_uses
from warhost_lsp.homes import RulesetHome
from warhost_lsp.meanings import Meanings, Thing, Use, understand
from warhost_lsp.occurrences import Occurrence, occurrences


class Found(NamedTuple):
    """A place in a file."""

    path: Path
    pos: Pos


@dataclass(slots=True)
class Moved:
    """How the lines of a file have moved since it was looked at: those above and below what was changed."""

    before: int
    old: int
    new: int
    behind: int

    @classmethod
    def between(cls, old: str, new: str) -> Moved:
        """From one text to another."""
        a, b = old.split("\n"), new.split("\n")
        shorter = min(len(a), len(b))
        before = next((i for i in range(shorter) if a[i] != b[i]), shorter)
        most = shorter - before
        behind = next((i for i in range(most) if a[-1 - i] != b[-1 - i]), most)
        return cls(before, len(a), len(b), behind)

    def to_old(self, line: int) -> int | None:
        """The number that a line of the new text had; None for one that was changed."""
        return self._moved(line, self.new, self.old)

    def to_new(self, line: int) -> int | None:
        """The line of the new text at which a line of the old one stands; None when it is gone."""
        return self._moved(line, self.old, self.new)

    def _moved(self, line: int, here: int, there: int) -> int | None:
        if line <= self.before:
            return line
        return line - here + there if line > here - self.behind else None


class OpenRuleset:
    """A ruleset as it was when it was last looked at. problems: what is wrong with it; home: what was asked for."""

    def __init__(
        self, home: RulesetHome, rules: Ruleset | None, problems: list[Problem], files: Mapping[str, ReadFile],
        before: OpenRuleset | None = None,
    ) -> None:  # fmt: skip
        self.home, self.problems, self.files = home, problems, files
        self.meanings: Meanings | None = None
        self.uses: dict[str, list[Use]] = {}
        self.by_thing: dict[Thing, list[Use]] = {}
        self.occurrences: dict[str, list[Occurrence]] = {}
        self.names: frozenset[str] = frozenset()
        self.rules = rules
        self._labels = {file.path.resolve(): label for label, file in files.items()}
        if rules is not None:
            self.meanings = understand(rules.placed, rules.vocabulary, rules)
            program = self.meanings.program
            self.rules = replace(rules, make_program=lambda: program)
            self._read(self.meanings, before)
            self.matches  # noqa: B018 (found now, not when somebody waits)

    def _read(self, meanings: Meanings, before: OpenRuleset | None) -> None:
        """The names of every file; a file that is as it was is not gone through again."""
        self.names = meanings.names()
        same_names = before is not None and before.names == self.names
        for label, file in self.files.items():
            same = before is not None and label in before.uses and before.files[label].parsed is file.parsed
            if isinstance(file.parsed, ParsedRules):
                module = file.parsed.module
                if module is None:
                    continue
                found = before.occurrences[label] if same and before else [*occurrences(module, file.text)]
                self.occurrences[label] = found
                self.uses[label] = meanings.meant(found)
            elif same and same_names and before is not None:
                self.uses[label] = before.uses[label]
            else:
                self.uses[label] = data_uses(file, meanings)
            for use in self.uses[label]:
                if use.thing is not None:
                    self.by_thing.setdefault(use.thing, []).append(use)

    def label(self, path: Path) -> str | None:
        """What messages call a file."""
        return self._labels.get(path) or self._labels.get(path.resolve())

    def path(self, label: str) -> Path:
        """The path of a file by the name that messages give it."""
        file = self.files.get(label)
        return file.path if file is not None else Path(label)

    def text(self, label: str) -> str:
        """The text of a file by the name that messages give it; "" for one that was not read."""
        file = self.files.get(label)
        return file.text if file is not None else ""

    @cached_property
    def texts(self) -> dict[str, str]:
        """What all files say, by what messages call them."""
        return {label: file.text for label, file in self.files.items()}

    # -- things --------------------------------------------------------------------------------------

    @cached_property
    def matches(self) -> tuple[dict[str, Match], dict[tuple[str, int], Match]]:
        """What can be explained: by its id, and fields by their place."""
        found = index(self.rules) if self.rules is not None else []
        by_id: dict[str, Match] = {}
        for match in found:
            by_id.setdefault(match.id, match)
        fields = {(m.pos.file, m.pos.line): m for m in found if m.kind in ("characteristic", "state")}
        return by_id, fields

    def match(self, thing: Thing) -> Match | None:
        """What `warhost explain` calls a thing; None for what it does not know, such as locals."""
        by_id, fields = self.matches
        match thing.kind:
            case "definition":
                return by_id.get(f"{thing.of} {thing.name}")
            case "word":
                return by_id.get(f"word {thing.name} of {thing.of}")
            case "rule of the book":
                return by_id.get(thing.name)
            case "field":
                info = self.meanings.symbols.fields_of(thing.of).get(thing.name) if self.meanings and thing.of else None
                return fields.get((info.pos.file, info.pos.line)) if info is not None else None
        return by_id.get(f"{thing.kind} {thing.name}")

    def explained(self, thing: Thing) -> Explanation | None:
        """What can be said at once of a thing."""
        match = self.match(thing)
        return in_short(self.rules, match, self.texts) if match is not None and self.rules is not None else None

    def declarations(self, thing: Thing) -> list[Pos]:
        """Where a thing is defined, the layer whose text counts first, then those below it and those that change it."""
        found = [use.pos for use in self.by_thing.get(thing, ()) if use.declares]
        explained = self.explained(thing) if thing.kind != "local" else None
        if explained is None:
            return found
        first = [explained.pos] if explained.pos.line else []
        layers = [pos for _, _, pos in reversed(explained.history)]
        names = {(pos.file, pos.line): pos for pos in found}
        places = [names.get((pos.file, pos.line), pos) for pos in (*first, *layers)]
        return list(dict.fromkeys([*places, *found]))

    def changing(self, thing: Thing) -> Iterator[Pos]:
        """The lines that change a number, flag or value."""
        explained = self.explained(thing)
        yield from (one.pos for one in explained.modified_by) if explained is not None else ()


@dataclass(slots=True)
class Desk:
    """One ruleset that is being written. Not for two threads at once."""

    home: RulesetHome
    project: Project = field(init=False)
    state: OpenRuleset | None = None
    held: set[Path] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.project = Project(self.home.ruleset, self.home.house)

    def hold(self, texts: Mapping[Path, str]) -> None:
        """What files say that are open in an editor; all others say what lies on the disk."""
        for path in self.held - texts.keys():
            self.project.close(path)
        for path, text in texts.items():
            self.project.change(path, text)
        self.held = set(texts)

    def problems(self) -> list[Problem]:
        """What is wrong with it now."""
        return self.project.problems()

    def look(self, problems: list[Problem]) -> OpenRuleset:
        """What is known of it now, after `problems`."""
        self.state = OpenRuleset(self.home, self.project.ruleset, problems, self.project.files(), self.state)
        return self.state
