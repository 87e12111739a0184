"""A ruleset that is being written: read and checked again after each change, and only what changed is read anew.

    project = Project("my_game")
    project.problems()                        # everything that is wrong, as `warhost check` tells it
    project.change("my_game/rules/combat.rules", text)  # as it stands in an editor, not saved
    project.problems()

Made for editors and for `warhost check --watch`. What lies on the disk is looked at each time: a file that somebody
saved, made or removed counts at the next look.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from warhost.errors import Problem
from warhost.lang.incremental import IncrementalCheck
from warhost.packs.find import files_of, find
from warhost.packs.loading import read_from
from warhost.packs.parsed import File, Library, ParsedData, ParsedRules, Text, text_on_disk
from warhost.packs.ruleset import Ruleset
from warhost.packs.user_paths import at_home


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as it was read last. kind: `rules` or the name of a schema; parsed: its tree, or its data."""

    path: Path
    kind: str
    text: str
    parsed: ParsedRules | ParsedData


class Project:
    """A ruleset by id or path with house rules (by id or path), as files on the disk and changes that are not saved."""

    def __init__(self, name_or_path: str | Path, house: Sequence[str | Path] = ()) -> None:
        self.name, self.house = name_or_path, tuple(house)
        self.ruleset: Ruleset | None = None
        self._unsaved: dict[Path, str] = {}
        self._read: dict[Path, tuple[tuple[int, int], Text]] = {}
        self._places: dict[Path, Path] = {}
        self._prepared = False
        self._incremental = IncrementalCheck()
        self._library = Library(self._text_of, keeps=False, incremental=self._incremental)

    def change(self, path: str | Path, text: str) -> None:
        """What a file says from now on, whatever lies on the disk. It counts while the disk has a file of this name."""
        self._unsaved[Path(path).resolve()] = text.replace("\r\n", "\n").replace("\r", "\n")

    def close(self, path: str | Path) -> None:
        """A file says again what lies on the disk."""
        self._unsaved.pop(Path(path).resolve(), None)

    def problems(self) -> list[Problem]:
        """Everything that is wrong with it now, by file and line; `ruleset` is what could be made of it.

        Raises UsageError when there is no such ruleset or house rule.
        """
        self._library.begin_again()
        self.ruleset, problems = read_from(self._library, self.name, self.house)
        return problems

    def prepare(self) -> None:
        """Look at everything once, unless that was done: what was known to be in order was not looked at, and the first
        change would have to wait for it. For when nobody waits.
        """
        if self._prepared or self._incremental.knows():
            return
        self._prepared = True  # with a mistake in it there is nothing to begin from: it is not tried again and again
        self._library.trusting = False
        try:
            self.problems()
        finally:
            self._library.trusting = True

    def files(self) -> dict[str, ReadFile]:
        """The files that were read when the problems were last looked for, by the names that messages give them."""
        texts = self._library.texts
        return {
            label: ReadFile(file.path, file.kind, texts[label], parsed)
            for label, (file, parsed) in self._library.files.items()
        }

    def on_disk(self) -> dict[Path, tuple[int, int]]:
        """The files that lie on the disk, with the time of their last change and their size: it differs when somebody
        saved, made or removed one.
        """
        layers = self.ruleset.layers if self.ruleset is not None else ()
        places = [find(self.name).folder, *(layer.folder for layer in layers if layer.kind == "ruleset")]
        places += [at_home(one) for one in self.house if at_home(one).exists()]
        paths: set[Path] = set()
        for place in places:
            paths.update(path for _, path in files_of(place, str(place))[0]) if place.is_dir() else paths.add(place)
        found: dict[Path, tuple[int, int]] = {}
        for path in paths:
            try:
                about = path.stat()
            except OSError:  # gone in the meantime
                continue
            found[path] = about.st_mtime_ns, about.st_size
        return found

    def _place(self, path: Path) -> Path:
        """A path without links, looked up once."""
        if path not in self._places:
            self._places[path] = path.resolve()
        return self._places[path]

    def _text_of(self, file: File) -> Text:
        path = file.path
        if self._unsaved and (where := self._place(path)) in self._unsaved:
            return self._unsaved[where], []
        try:
            about = path.stat()
        except OSError:
            return text_on_disk(file)
        state, text = self._read.get(path, ((0, 0), ("", [])))
        if state != (about.st_mtime_ns, about.st_size):
            text = text_on_disk(file)
            self._read[path] = (about.st_mtime_ns, about.st_size), text
        return text
