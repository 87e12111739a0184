"""Reading the single files of a layer: text in, trees and data out, remembered from one run to the next.

What was read from the files of one folder lies together in one entry of the cache, each file under the hash
of its text. A file that has changed is read anew; the others are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warhost import lang
from warhost.errors import Problem
from warhost.lang import tree
from warhost.limits import too_many
from warhost.packs import cache
from warhost.packs.find import read_bytes
from warhost.packs.yaml_source import Map, decode, problem_at, read_yaml

LANGUAGE_VERSION = str(getattr(lang, "LANGUAGE_VERSION", "1"))


@dataclass(frozen=True, slots=True)
class ParsedRules:
    """A file of rules. refs: every id of the rulebook in it with the place of the element that names it."""

    module: tree.Module
    problems: tuple[Problem, ...]
    refs: tuple[tuple[str, tree.Pos], ...]


@dataclass(frozen=True, slots=True)
class ParsedData:
    """A file of YAML, checked against a schema. readable: it is YAML, though perhaps not what the schema
    wants.
    """

    data: Any
    problems: tuple[Problem, ...]
    readable: bool


@dataclass(frozen=True, slots=True)
class File:
    """A file of a layer. relative: its path in the layer's folder, with slashes. label: its path in messages.

    kind: 'rules' or the name of a schema.
    """

    kind: str
    relative: str
    label: str
    path: Path


@dataclass(slots=True)
class Shelf:
    """The files of one folder as they were read: from the cache where their text is the same.

    texts gathers every text that was read, by label, so that messages can show the line.
    """

    name: str
    texts: dict[str, str]
    known: dict[str, ParsedRules | ParsedData] = field(default_factory=dict)
    used: dict[str, ParsedRules | ParsedData] = field(default_factory=dict)

    @classmethod
    def of(cls, folder: str, texts: dict[str, str]) -> Shelf:
        """The shelf of a folder by its label in messages (trees name their files by it)."""
        name = cache.key_of("shelf", folder, str(Path(folder).absolute()), cache.code_stamp())
        kept = cache.get(name)
        known = {k: v for k, v in kept.items() if isinstance(k, str)} if isinstance(kept, dict) else {}
        return cls(name, texts, known)

    def read(self, file: File) -> tuple[ParsedRules | ParsedData, str]:
        """What a file says, and its text with line ends as on Unix."""
        text, problems = _text_of(file)
        self.texts[file.label] = text
        if problems:
            return _unread(file, problems), text
        key = cache.key_of(file.kind, file.label, text, LANGUAGE_VERSION)
        found = self.used.get(key) or self.known.get(key)
        if found is None:
            found = parse_rules(text, file.label) if file.kind == "rules" else parse_data(text, file.label, file.kind)
        self.used[key] = found
        return found, text

    def save(self) -> None:
        """Keep what was used, unless the cache holds just that."""
        if self.used.keys() != self.known.keys():
            cache.put(self.name, self.used)


def _text_of(file: File) -> tuple[str, list[Problem]]:
    try:
        raw = read_bytes(file.path)
    except OSError as error:
        return "", [Problem(file.label, 0, 0, "unreadable", f"this file cannot be read ({error.strerror or error})")]
    return decode(raw, file.label)


def _unread(file: File, problems: list[Problem]) -> ParsedRules | ParsedData:
    if file.kind == "rules":
        return ParsedRules(tree.Module(()), tuple(problems), ())
    return ParsedData(None, tuple(problems), False)


def parse_rules(text: str, label: str) -> ParsedRules:
    """A file of rules, parsed."""
    from warhost.lang import parser

    module, problems = parser.parse(text, label)
    return ParsedRules(module, tuple(problems), tuple(refs_in(module)))


def parse_data(text: str, label: str, schema: str) -> ParsedData:
    """A file of YAML, read and checked."""
    from warhost.packs import schemas

    data, problems = read_yaml(text, label)
    broken = data is None and bool(problems)
    profiles = data.get("profiles") if isinstance(data, Map) and schema == "profiles" else None
    if isinstance(profiles, Map) and (message := too_many("this file", len(profiles), "profiles")):
        return ParsedData(None, (*problems, problem_at(data.pos("profiles"), "too-large", message)), False)
    if not broken:
        problems += schemas.check(schema, data, label)
    return ParsedData(data, tuple(problems), not broken)


def refs_in(node: tree.Node) -> Iterator[tuple[str, tree.Pos]]:
    """The ids of the rulebook that a tree names, each with the place of the element that names it."""
    for below in tree.walk(node):
        ref: tuple[str, ...] = getattr(below, "ref", ())
        for one in ref:
            yield one, below.pos


def digest_of(layers: list[list[tuple[str, str]]]) -> str:
    """The digest of a ruleset from the (kind, text) of each layer's files in the order in which they are
    merged.

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
