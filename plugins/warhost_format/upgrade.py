"""What to change in a ruleset that was written for an older Warhost: `warhost fmt --upgrade`.

What went since 0.1.0, and what means something else now, stands here and in docs/upgrading.md. What can be rewritten is
rewritten; the rest is told with its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.parser import parse
from warhost.packs.find import read_bytes
from warhost.packs.user_paths import shown
from warhost.packs.yaml_events import read_yaml
from warhost.packs.yaml_source import Map, Seq, decode
from warhost.vocabulary import OF_EVERY_INSTANCE

#: Fields of a kind of definition that have another name now, by the kind.
RENAMED_FIELDS = {"spell": {"college": "school", "discipline": "school"}, "item": {"kind": "class"}}

#: Events of which nothing was heard before, though a handler could wait for them.
SILENT_EVENTS = ("rolling", "rerolling")

#: The title of a definition with values, one of which is `no`.
_NO_AMONG_VALUES = re.compile(r"[A-Z][^()]*\((?:[^()]*,)?\s*no\s*(?:,[^()]*)?\)")


@dataclass(frozen=True, slots=True)
class Upgraded:
    """A text as it has to be now. wrong: what somebody has to change by hand; notes: what means something else now."""

    text: str
    wrong: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()


def upgrade_rules(text: str, file: str, own_fields: frozenset[str] = frozenset()) -> Upgraded:
    """A file of rules with the names of today. own_fields: names that the ruleset declares as fields of its own.

    A text with mistakes stays as it is: they are told when the file is laid out.
    """
    module, problems = parse(text, file)
    if problems:
        return Upgraded(text)
    edits = dict(_renamed_fields(module))
    edits.update(_renamed_reads(module, own_fields))
    wrong = tuple(_said_twice(module))
    new = text if wrong else _replaced(text, edits)
    return Upgraded(new, wrong, tuple(_new_meanings(module)))


def declared_fields(text: str) -> set[str]:
    """The names of fields that a file of rules declares for nouns or keeps in definitions."""
    return {node.name for node in tree.walk(parse(text, "")[0]) if isinstance(node, tree.FieldDecl)}


def notes_on_data(text: str, file: str) -> list[Problem]:
    """What means something else now in a file of YAML."""
    data, problems = read_yaml(text, file)
    return [] if problems else list(_truth_values(data))


# -- names -----------------------------------------------------------------------------------------

Place = tuple[int, int]


def _of_kinds(module: tree.Module) -> Iterator[tuple[str, tree.Node]]:
    """The definitions of kinds with renamed fields, and what amends or replaces them."""
    for node in tree.walk(module):
        if isinstance(node, tree.KindBlock | tree.Amend) and node.kind in RENAMED_FIELDS:
            yield node.kind, node


def _renamed_fields(module: tree.Module) -> Iterator[tuple[Place, tuple[str, str]]]:
    """`college: Chaos` in a spell."""
    for kind, block in _of_kinds(module):
        for item in tree.walk(block):
            if isinstance(item, tree.KindField) and item.name in RENAMED_FIELDS[kind]:
                yield (item.pos.line, item.pos.column), (item.name, RENAMED_FIELDS[kind][item.name])


def _renamed_reads(module: tree.Module, own_fields: frozenset[str]) -> Iterator[tuple[Place, tuple[str, str]]]:
    """`spell.college` in an expression, unless something else has a field of that name."""
    others = own_fields | OF_EVERY_INSTANCE
    names = {old: new for renamed in RENAMED_FIELDS.values() for old, new in renamed.items() if old not in others}
    for node in tree.walk(module):
        if isinstance(node, tree.Attribute) and node.name in names:
            yield (node.pos.end_line, node.pos.end_column - len(node.name)), (node.name, names[node.name])


def _said_twice(module: tree.Module) -> Iterator[Problem]:
    """Fields that are one now, and stand in one definition."""
    for kind, block in _of_kinds(module):
        said: dict[str, tree.KindField] = {}
        for item in tree.walk(block):
            if isinstance(item, tree.KindField):
                name = RENAMED_FIELDS[kind].get(item.name, item.name)
                if name in said and said[name].name != item.name:
                    message = f'"{said[name].name}" and "{item.name}" are one field now: {name}'
                    yield _problem(item.pos, message, f"keep one of the two, as `{name}: ..`")
                said.setdefault(name, item)


def _replaced(text: str, edits: dict[Place, tuple[str, str]]) -> str:
    """The text with other words at some places (line and column, from 1)."""
    lines = text.split("\n")
    for (line, column), (old, new) in sorted(edits.items(), reverse=True):
        row = lines[line - 1]
        if row[column - 1 : column - 1 + len(old)] == old:
            lines[line - 1] = row[: column - 1] + new + row[column - 1 + len(old) :]
    return "\n".join(lines)


# -- meanings --------------------------------------------------------------------------------------


def _new_meanings(module: tree.Module) -> Iterator[Problem]:
    """Forms that were read in 0.1.0 and did nothing."""
    for node in tree.walk(module):
        match node:
            case tree.Duration(kind="until used"):
                yield _problem(
                    node.pos, "`until used` did nothing in 0.1.0; now the change ends with the step that takes it",
                    "write `for the rest of the game` to keep what it did",
                )  # fmt: skip
            case tree.RollBlock(windows=(first, *_)):
                yield _problem(
                    first.pos, "`windows ..` did nothing in 0.1.0; now these are asked for re-rolls, in this order",
                    "take the line away to keep what it did",
                )  # fmt: skip
            case tree.Handler(event=event) if event in SILENT_EVENTS:
                yield _problem(
                    node.pos, f"`{event}` never happened in 0.1.0; now it does, with every throw",
                    "take the handler away to keep what it did",
                )  # fmt: skip


def _truth_values(data: Any) -> Iterator[Problem]:
    """`Endless Horde(5, no)` among what somebody bears."""
    waiting = [data]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Map):
            waiting += one.values()
        elif isinstance(one, Seq):
            waiting += one
            for i, item in enumerate(one):
                if isinstance(item, str) and _NO_AMONG_VALUES.fullmatch(item):
                    message = f'`no` in "{item}" was taken for yes in 0.1.0; now it is no'
                    yield _problem(one.pos(i), message, "write yes if that is meant")


def _problem(pos: tree.Pos, message: str, hint: str) -> Problem:
    return Problem(pos.file, pos.line, pos.column, "upgrade", message, hint)


# -- folders ---------------------------------------------------------------------------------------


def fields_below(paths: Iterable[Path]) -> frozenset[str]:
    """The fields that some files of rules declare."""
    found: set[str] = set()
    for path in paths:
        text, problems = decode(read_bytes(path), shown(path))
        if not problems:
            found |= declared_fields(text)
    return frozenset(found)


def notes_on_folder(folder: Path) -> Iterator[Problem]:
    """What means something else now in a ruleset's folder besides its rules."""
    for path in sorted((folder / "examples").glob("*.rules")):
        message = "rules in examples/ were part of the ruleset in 0.1.0; now they hold in its examples alone"
        yield Problem(shown(path), 0, 0, "upgrade", message, "move the file to rules/ if battles need it")
    for path in sorted(folder.rglob("*.yaml")):
        text, problems = decode(read_bytes(path), shown(path))
        if not problems:
            yield from notes_on_data(text, shown(path))
