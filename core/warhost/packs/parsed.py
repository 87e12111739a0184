"""Reading the single files of a layer: text in, trees and data out, remembered from one run to the next.

What was read from the files of one folder lies together in one entry of the cache, each file under the hash of its
text. A file that has changed is read anew; the others are not. In a program that goes on (an editor's server, `check
--watch`) the shelves stay in memory from one reading to the next, with texts that are not saved yet.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from warhost import lang
from warhost.errors import Problem
from warhost.lang.place import Pos
from warhost.limits import limit, too_many
from warhost.packs import cache
from warhost.packs.find import read_bytes
from warhost.packs.remembering import Remembered
from warhost.packs.yaml_source import Map, Seq, decode, problem_at

if TYPE_CHECKING:
    from warhost.lang import tree
    from warhost.lang.incremental import IncrementalCheck
    from warhost.packs.merging import LaidLayers

LANGUAGE_VERSION = str(getattr(lang, "LANGUAGE_VERSION", "1"))


class Parsed:
    """What a file says, and what is wrong with it. What comes from the cache is unfolded when it is first looked at."""

    def __init__(self, said: Any, problems: Iterable[Problem] = ()) -> None:
        self.said, self.problems = said, tuple(problems)

    def __getattr__(self, name: str) -> Any:
        if name != "said" or "folded" not in self.__dict__:
            raise AttributeError(name)
        self.said = cache.unfolded(self.__dict__["folded"])
        return self.said

    def is_known_to_say(self, said: Any, refs: tuple[tuple[str, Pos], ...]) -> None:
        """What it says, and its ids of the rulebook, where it came from the cache and nobody has unfolded it."""
        if "said" not in self.__dict__:
            self.__dict__.update(said=said, found=refs)

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in self.__dict__.items() if key not in ("said", "found")}
        return kept if "folded" in kept else {**kept, "folded": cache.folded(self.said)}


class ParsedRules(Parsed):
    """A file of rules. refs: every id of the rulebook in it with the place of the element that names it."""

    def __init__(
        self, module: tree.Module | None, problems: Iterable[Problem], refs: Iterable[tuple[str, Pos]]
    ) -> None:
        super().__init__(module, problems)
        self.refs = tuple(refs)

    @property
    def module(self) -> tree.Module | None:
        """Its tree; None when the file could not be read."""
        module: tree.Module | None = self.said
        return module


class ParsedData(Parsed):
    """A file of YAML, checked against a schema. readable: it is YAML, though perhaps not what the schema wants."""

    def __init__(self, data: Any, problems: Iterable[Problem], readable: bool) -> None:
        super().__init__(data, problems)
        self.readable = readable

    @property
    def data(self) -> Any:
        """The values with their places (Map, Seq)."""
        return self.said

    @property
    def refs(self) -> tuple[tuple[str, Pos], ...]:
        """Every id of the rulebook under a `ref`, with its place."""
        return self.found

    @cached_property
    def found(self) -> tuple[tuple[str, Pos], ...]:
        """The same, looked for once."""
        return tuple(refs_with_places(self.said))


@dataclass(frozen=True, slots=True)
class File:
    """A file of a layer. relative: its path in the layer's folder, with slashes. label: its path in messages.

    kind: 'rules' or the name of a schema.
    """

    kind: str
    relative: str
    label: str
    path: Path


#: The text of a file as it is to be read, with line ends as on Unix, and what is wrong with it.
Text: TypeAlias = tuple[str, list[Problem]]


def text_on_disk(file: File) -> Text:
    """What lies on the disk."""
    try:
        raw = read_bytes(file.path)
    except OSError as error:
        return "", [Problem(file.label, 0, 0, "unreadable", f"this file cannot be read ({error.strerror or error})")]
    return decode(raw, file.label)


@dataclass(slots=True)
class Shelf:
    """The files of one folder as they were read: from the cache where their text is the same."""

    name: str
    known: dict[str, ParsedRules | ParsedData] = field(default_factory=dict)
    used: dict[str, ParsedRules | ParsedData] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: str) -> Shelf:
        """The shelf of a folder by its label in messages (trees name their files by it)."""
        name = cache.key_of("shelf", folder, str(Path(folder).absolute()), cache.code_stamp())
        kept = cache.get(name)
        known = {k: v for k, v in kept.items() if isinstance(k, str)} if isinstance(kept, dict) else {}
        return cls(name, known)

    def parsed(self, file: File, text: str) -> ParsedRules | ParsedData:
        """What a file with this text says."""
        allowed = str(limit("profiles")) if file.kind == "profiles" else ""  # what is too large is read no further
        key = cache.key_of(file.kind, file.label, text, LANGUAGE_VERSION, allowed)
        found = self.used.get(key) or self.known.get(key)
        if found is None:
            found = parse_rules(text, file.label) if file.kind == "rules" else parse_data(text, file.label, file.kind)
        self.used[key] = found
        return found

    def save(self) -> None:
        """Keep what was used, unless the cache holds just that."""
        if self.used.keys() != self.known.keys():
            cache.put(self.name, self.used)

    def begin_again(self) -> None:
        """Before the files are read once more: what was used last is what is known."""
        self.known, self.used = self.used, {}


@dataclass(slots=True)
class Library:
    """The shelves of the folders that a ruleset is read from, and the files that were read with their texts, by label.

    text_of: where the text of a file comes from; an editor has some that are not saved. keeps: what was read, and
    found in order, is kept on the disk for the next run. trusting: what was kept so is not looked at again.
    incremental: for a ruleset that is read again, what it was when it was last in order. gathered: what its data said
    then (gathering.py). check_name: under which name that is kept on the disk (kept_checks.py), once it is known;
    beside: what lay beside it there. remembered: what was worked out of what was read. alike: another library, where
    nothing has changed on the disk since that one read its files. laid: the rules of all layers (merging.py).
    folded: the program of these, as it is kept on the disk, where it is. from_below: where nothing is kept of a ruleset
    with house rules, what is kept of it without them serves; begun_below: it has.
    """

    text_of: Callable[[File], Text] = text_on_disk
    keeps: bool = True
    trusting: bool = True
    incremental: IncrementalCheck | None = None
    gathered: Any = None
    check_name: str = ""
    beside: Any = None
    remembered: Remembered = field(default_factory=Remembered)
    alike: Library | None = None
    laid: LaidLayers | None = None
    folded: bytes | None = None
    from_below: bool = False
    begun_below: bool = False
    shelves: dict[str, Shelf] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    files: dict[str, tuple[File, ParsedRules | ParsedData]] = field(default_factory=dict)

    def read(self, file: File, folder: str) -> tuple[ParsedRules | ParsedData, str]:
        """What a file of a folder (by its label) says, and its text."""
        if self.alike is not None and (known := self.alike.files.get(file.label)) is not None and known[0] == file:
            self.texts[file.label], self.files[file.label] = self.alike.texts[file.label], known
            return known[1], self.alike.texts[file.label]
        text, problems = self.text_of(file)
        if not problems and folder not in self.shelves:
            self.shelves[folder] = Shelf.of(folder)
        parsed = _unread(file, problems) if problems else self.shelves[folder].parsed(file, text)
        self.texts[file.label], self.files[file.label] = text, (file, parsed)
        return parsed, text

    def save(self) -> None:
        """Keep on the disk what was read."""
        for shelf in self.shelves.values() if self.keeps else ():
            shelf.save()

    def begin_again(self) -> None:
        """Before everything is read once more."""
        self.texts.clear()
        self.files.clear()
        self.remembered.begin_again()
        for shelf in self.shelves.values():
            shelf.begin_again()


def _unread(file: File, problems: list[Problem]) -> ParsedRules | ParsedData:
    if file.kind == "rules":
        return ParsedRules(None, problems, ())
    return ParsedData(None, problems, False)


def parse_rules(text: str, label: str) -> ParsedRules:
    """A file of rules, parsed."""
    from warhost.lang import parser

    module, problems = parser.parse(text, label)
    return ParsedRules(module, problems, refs_in(module))


def parse_data(text: str, label: str, schema: str) -> ParsedData:
    """A file of YAML, read and checked."""
    from warhost.packs import schemas
    from warhost.packs.yaml_events import read_yaml

    data, problems = read_yaml(text, label)
    broken = data is None and bool(problems)
    profiles = data.get("profiles") if isinstance(data, Map) and schema == "profiles" else None
    if isinstance(profiles, Map) and (message := too_many("this file", len(profiles), "profiles")):
        return ParsedData(None, (*problems, problem_at(data.pos("profiles"), "too-large", message)), False)
    if not broken:
        problems += schemas.check(schema, data, label)
    return ParsedData(data, problems, not broken)


def refs_in(node: tree.Node) -> Iterator[tuple[str, Pos]]:
    """The ids of the rulebook that a tree names, each with the place of the element that names it."""
    from warhost.lang.tree import walk

    for below in walk(node):
        ref: tuple[str, ...] = getattr(below, "ref", ())
        for one in ref:
            yield one, below.pos


def refs_with_places(data: Any) -> Iterator[tuple[str, Pos]]:
    """The ids under every `ref` in the data, with their places."""
    pending: list[Any] = [data]
    while pending:
        value = pending.pop()
        if isinstance(value, Map):
            given = value.get("ref")
            if isinstance(given, Seq):
                yield from ((one, given.pos(i)) for i, one in enumerate(given) if isinstance(one, str))
            elif isinstance(given, str):
                yield given, value.pos("ref")
            pending.extend(item for key, item in value.items() if key != "ref")
        elif isinstance(value, Seq):
            pending.extend(value)


def digest_of(layers: list[list[tuple[str, str]]]) -> str:
    """The digest of a ruleset from the (kind, text) of each layer's files in the order in which they are merged.

    Names and folders of files do not matter, except for the order that names give; nor do line ends, byte
    order marks and blank space at the end of a file.
    """
    sha = hashlib.sha256()
    sha.update(f"warhost rules, language {LANGUAGE_VERSION}\n".encode())
    for files in layers:
        sha.update(b"layer\n")
        for kind, text in files:
            body = hashlib.sha256(text.rstrip().encode("utf-8", "surrogatepass")).hexdigest()
            sha.update(f"{kind} {body}\n".encode())
    return sha.hexdigest()
