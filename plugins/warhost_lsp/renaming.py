"""Renaming a thing wherever it is named: in rules, in data, in examples, in all layers of the ruleset's folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from warhost.errors import UsageError
from warhost.lang import tree
from warhost.lang.place import Pos
from warhost.packs.parsed import ParsedRules
from warhost.packs.yaml_source import Map, Seq
from warhost_lsp.asking import Page, is_reserved
from warhost_lsp.meanings import Thing, Use
from warhost_lsp.state import OpenRuleset

_NAME = re.compile(r"[A-Za-z_]\w*")
_ID = re.compile(r"[a-z][a-z0-9_]*")
_TITLE = re.compile(r"[^\"{}\n]+")

#: Sorts of things that can be called otherwise by changing every place that names them.
_BLOCKS = frozenset({"number", "flag", "value", "roll", "procedure", "event", "choice", "table", "constraint"})
_IDS = frozenset({"profile", "army list", "army", "scenario"})


class Edit(NamedTuple):
    """A stretch of a file with what is to stand there."""

    path: Path
    pos: Pos
    text: str


def renamed_at(page: Page, line: int, column: int) -> Use:
    """The name at a place, if it can be changed. Raises UsageError with the reason if not."""
    use = page.use_at(line, column)
    if use is None or use.thing is None:
        raise UsageError("nothing that has a name stands here")
    _may_be_renamed(page.state, use, use.thing)
    return use


def rename(page: Page, line: int, column: int, new: str) -> list[Edit]:
    """What to change so that the thing at a place is called otherwise. Raises UsageError."""
    use = renamed_at(page, line, column)
    thing = use.thing
    assert thing is not None
    new = new.strip().strip('"')
    if new == thing.name:
        return []
    _is_a_name(page.state, thing, new)
    state = page.state
    return [Edit(state.path(one.pos.file), one.pos, _written(one, new, thing)) for one in _places(state, thing)]


def _places(state: OpenRuleset, thing: Thing) -> list[Use]:
    return state.by_thing.get(thing, [])


def _may_be_renamed(state: OpenRuleset, use: Use, thing: Thing) -> None:
    if state.rules is None or any(p.file.endswith(".rules") and p.code == "syntax" for p in state.problems):
        raise UsageError("some rules cannot be read: what they name would be left out. Mend them first")
    if thing.kind not in {"definition", "field", "word", "local", *_BLOCKS, *_IDS}:
        raise UsageError(f"a {thing.kind} is not renamed from here: other files or plugins count on its name")
    places = _places(state, thing)
    inside = [folder for layer in state.rules.layers if layer.kind != "plugin" for folder in [layer.folder.resolve()]]
    declared = [one for one in places if one.declares]
    if not declared:
        raise UsageError(f'"{use.name}" is not defined in the files of this ruleset, so it cannot be renamed here')
    for file in dict.fromkeys(one.pos.file for one in places):
        path = state.path(file).resolve()
        if not any(path.is_relative_to(folder) for folder in inside):
            raise UsageError(f'"{use.name}" belongs to a plugin ({path.name}), which other rulesets use as well')
    if thing.kind == "local":
        _local_may_be_renamed(state, use, thing, declared)
    elif thing.kind not in _IDS:
        _certain(state, thing)


def _local_may_be_renamed(state: OpenRuleset, use: Use, thing: Thing, declared: list[Use]) -> None:
    """A parameter of something that others call, or change, is known to them by its name."""
    for one in declared:
        if one.implied:
            raise UsageError(f'the name "{use.name}" says what it is: write `other_name: {use.name}` here first')
    first = declared[0].pos
    file = state.files.get(first.file)
    module = file.parsed.module if file is not None and isinstance(file.parsed, ParsedRules) else None
    for param in tree.walk(module) if module is not None else ():
        if isinstance(param, tree.Param) and (param.pos.line, param.pos.column) == (first.line, first.column):
            raise UsageError(f'"{use.name}" is a parameter, by whose name other lines may speak of it')


def _certain(state: OpenRuleset, thing: Thing) -> None:
    """Names of which nobody knows whose they are might be this one: in rules, and alone in data."""
    for uses in state.uses.values():
        for one in uses:
            if one.name == thing.name and one.thing is None and one.pos.file.endswith(".rules"):
                place = f"{one.pos.file}:{one.pos.line}"
                raise UsageError(f'whether "{one.name}" in {place} is this one cannot be told from the rules')


    for label, file in state.files.items():
        if file.kind in ("rules", "rulebook") or thing.name not in file.text:
            continue
        known = {(use.pos.line, use.pos.column) for use in state.uses.get(label, ())}
        for pos in _places_of(thing.name, getattr(file.parsed, "data", None)):
            here = {(pos.line, pos.column), (pos.line, pos.column + 1)}  # with a quote or without
            if not known & here:
                message = f'whether "{thing.name}" in {label}:{pos.line} is this one cannot be told from the data'
                raise UsageError(message)


def _places_of(text: str, data: Any) -> Iterator[Pos]:
    """Where some data have a text, alone: as a key or as a value."""
    waiting: list[Any] = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Map):
            if text in one:
                yield one.key_pos(text)
            for key, value in one.items():
                if value == text:
                    yield one.pos(key)
                elif isinstance(value, Map | Seq):
                    waiting.append(value)
        elif isinstance(one, Seq):
            for i, value in enumerate(one):
                if value == text:
                    yield one.pos(i)
                elif isinstance(value, Map | Seq):
                    waiting.append(value)


def _is_a_name(state: OpenRuleset, thing: Thing, new: str) -> None:
    form = _TITLE if thing.kind == "definition" else _ID if thing.kind in _IDS else _NAME
    if not form.fullmatch(new) or new.startswith("_"):
        raise UsageError(f'"{new}" is no name for a {thing.kind}')
    if thing.kind not in (*_IDS, "definition") and is_reserved(new):
        raise UsageError(f'"{new}" is a word of the rules language and cannot be a name')
    if _taken(state, thing, new):
        raise UsageError(f'there is already something called "{new}"')


def _taken(state: OpenRuleset, thing: Thing, new: str) -> bool:
    """Whether a name would mean two things: no other may stand anywhere where this one could be meant."""
    others = [t for t in state.by_thing if t.name == new]
    if thing.kind == "local":
        file = thing.of.rpartition(":")[0].rpartition(":")[0]
        return any(t.kind != "local" or t.of.startswith(f"{file}:") for t in others)
    if thing.kind in _IDS:
        return any(t.kind == thing.kind for t in others)
    meanings = state.meanings
    known = meanings is not None and any(
        meanings.called(role, new) for role in ("name", "attribute", "event", "roll", "type", "title")
    )
    return known or any(t.kind not in _IDS for t in others)


def _written(use: Use, new: str, thing: Thing) -> str:
    """A name as it is to stand at a place: a title of several words in quotes."""
    if thing.kind == "definition" and use.pos.file.endswith(".rules") and not use.quoted and not _NAME.fullmatch(new):
        return f'"{new}"'
    return new
