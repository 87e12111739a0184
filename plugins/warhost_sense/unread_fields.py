"""What definitions say that no rule of the ruleset reads: a weapon's range where nothing asks how far it reaches."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at

#: The types of fields that say how much: a text may be there for people, and says what a thing is.
_FIGURES = ("number", "distance", "fraction", "any")
#: A word that so many definitions of a kind say of themselves is a label for people, though no rule asks for it.
_A_LABEL = 3
#: How Python reads a field.
_READ = re.compile(r"(?:\.get\(|\[|getattr\([^,()]+,) *[\"'](\w+)[\"']|[\"'](\w+)[\"'] in\b|\.(\w+)\b(?!\()")


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """Fields and words that a plugin declares for a kind of definition, that may be left out, and that nothing reads
    which is in force here: neither a rule nor the Python of a plugin.
    """
    program = read.contents.program if read.contents is not None else None
    checker = program.checker if program is not None else None
    if checker is None or read.contents is None:
        return
    asked = {name for notes in checker.each_notes() for name in notes.asked_of_effects}
    doubtful: list[tuple[t.KindBlock, t.KindField | t.KindFlag]] = []
    borne = Counter[tuple[str, str]]()
    figures = {
        kind.name: {one.name for one in kind.fields if one.type in _FIGURES and not one.required}
        for kind in read.contents.references.known.kinds.values()
    }
    for one in read.merged.placed:
        block = one.block
        if one.layer.kind == "plugin" or not isinstance(block, t.KindBlock):
            continue
        flags = [i for i in block.items if isinstance(i, t.KindFlag)]
        borne.update((block.kind, item.name) for item in flags)
        given: list[t.KindField | t.KindFlag] = [
            i for i in block.items if isinstance(i, t.KindField) and i.name in figures.get(block.kind, ())
        ]
        given += flags
        if any(item.name not in asked for item in given):
            asked |= {node.name for node in t.walk(block) if isinstance(node, t.Name)}
            doubtful += [(block, item) for item in given]
    doubtful = [
        (block, item) for block, item in doubtful
        if item.name not in asked and borne[block.kind, item.name] < _A_LABEL
    ]  # fmt: skip
    if not doubtful:
        return
    sources = (path.read_text("utf-8", "replace") for path in read.contents.plugins.sources())
    of_python = {word for text in sources for words in _READ.findall(text) for word in words}
    for block, item in doubtful:
        if item.name in of_python:
            continue
        message = f'no rule of this ruleset reads "{item.name}" of a {block.kind}: it changes nothing here'
        hint = f"say in a line what it does, or ask for `{block.kind}.{item.name}` in a rule; else take it away"
        yield problem_at(item.pos, "unread", message, hint)
