"""What is declared and of no use: state that nobody asks for or nobody sets, events that never happen, definitions that
can be aimed at nothing.

Whatever any layer says counts, and what lies on offer too: a rule that another replaces is no reason to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at
from warhost_sense.blocks import blocks_in


@dataclass(slots=True)
class _Uses:
    """The names that rules ask for, write, emit and answer, each with the first place that does."""

    asked: dict[str, t.Pos] = field(default_factory=dict)
    written: dict[str, t.Pos] = field(default_factory=dict)
    emitted: dict[str, t.Pos] = field(default_factory=dict)
    answered: dict[str, t.Pos] = field(default_factory=dict)

    def add(self, node: t.Node, targets: set[int]) -> None:
        """What one node does. targets: the ids of what is assigned to; that is written, not asked for."""
        if isinstance(node, t.Assign):
            self.written.setdefault(node.target.name, node.pos)
        elif isinstance(node, t.Emit):
            self.emitted.setdefault(node.event, node.pos)
        elif isinstance(node, t.Natural) and node.emits is not None:
            self.emitted.setdefault(node.emits.name, node.pos)
        elif isinstance(node, t.Handler | t.Reaction) and node.event is not None:
            self.answered.setdefault(node.event, node.pos)
        elif isinstance(node, t.Word):
            self.asked.setdefault(node.text, node.pos)
        elif isinstance(node, t.Attribute | t.Name | t.Call) and id(node) not in targets:
            self.asked.setdefault(node.name, node.pos)

    def take(self, other: _Uses) -> None:
        """What others do besides."""
        for mine, theirs in ((self.asked, other.asked), (self.written, other.written),
                             (self.emitted, other.emitted), (self.answered, other.answered)):  # fmt: skip
            for name, pos in theirs.items():
                mine.setdefault(name, pos)


#: The uses in each block, by its id, which is kept with them: blocks never change, and few are new at each key.
_KNOWN: dict[int, tuple[t.AnyBlock, _Uses]] = {}


def _in_block(block: t.AnyBlock) -> _Uses:
    known = _KNOWN.get(id(block))
    if known is None or known[0] is not block:
        nodes = list(t.walk(block))
        targets = {id(node.target) for node in nodes if isinstance(node, t.Assign)}
        uses = _Uses()
        for node in nodes:
            uses.add(node, targets)
        known = _KNOWN[id(block)] = (block, uses)
    return known[1]


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """What is declared in the ruleset or a house rule and of no use, as warnings."""
    if read.contents is None:
        return
    own = [block for source in read.sources if source.layer.kind != "plugin"
           for rules in source.rules() for block in blocks_in(rules.module)]  # fmt: skip
    beside = [*read.contents.offered.values(), *(one for one in read.sources if one.layer.kind == "plugin")]
    others = [block for source in beside for rules in source.rules() for block in blocks_in(rules.module)]
    uses = _Uses()
    for block in (*own, *others):
        uses.take(_in_block(block))
    for gone in _KNOWN.keys() - {id(block) for block in (*own, *others)}:
        del _KNOWN[gone]
    elsewhere = _Elsewhere(read)
    for block in own:
        if isinstance(block, t.StateBlock):
            for one in block.fields:
                yield from _of_state(one, block.noun, uses, elsewhere.says)
        elif isinstance(block, t.EventBlock):
            yield from _of_event(block, uses, elsewhere.says)
    yield from _aimed_at_nothing(read, own)


def _of_state(one: t.FieldDecl, noun: str, uses: _Uses, said: Callable[[str], bool]) -> Iterator[Problem]:
    name, there, is_set = one.name, one.name in uses.asked, one.name in uses.written
    if (there and is_set) or said(name):
        return
    if is_set:
        message = f"{name} is set ({_at(uses.written[name])}), and nothing ever asks for it"
        yield problem_at(one.pos, "unread", message, "ask for it in a condition or a number, or take it away")
    elif not there:
        yield problem_at(one.pos, "unread", f"nothing speaks of {name}", "use it, or take it away")
    elif one.default is None or isinstance(one.default, t.Num | t.YesNo | t.Nothing | t.Text):
        message = f"{name} is asked for ({_at(uses.asked[name])}), and nothing ever sets it"
        yield problem_at(one.pos, "unread", message, f"set it in a procedure or a handler: {noun}.{name} = ..")


def _of_event(block: t.EventBlock, uses: _Uses, said: Callable[[str], bool]) -> Iterator[Problem]:
    name = block.name
    if name in uses.emitted or said(name):
        return
    answer = f", so what answers it ({_at(uses.answered[name])}) never does" if name in uses.answered else ""
    params = ", ".join(p.name for p in block.params)
    hint = f"write `emit {name}({params})` where it happens, or take it away"
    yield problem_at(block.pos, "never", f"nothing emits {name}{answer}", hint)


def _at(pos: t.Pos) -> str:
    return f"{pos.file}:{pos.line}"


def _aimed_at_nothing(read: RulesetToCheck, own: Iterable[t.AnyBlock]) -> Iterator[Problem]:
    """Definitions without `targets`, of kinds of which others have them and rules ask what these are.

    One that other rules name, or that has a flag of its own, is dealt with by those.
    """
    kinds: dict[str, list[t.KindBlock]] = {}
    for placed in read.merged.placed:
        if isinstance(placed.block, t.KindBlock):
            kinds.setdefault(placed.block.kind, []).append(placed.block)
    if not any("targets_of" in _in_block(block).asked for block in own):
        return
    for kind, blocks in kinds.items():
        aimed = [block for block in blocks if any(isinstance(item, t.Targets) for item in block.items)]
        flags = {item.name for block in aimed for item in block.items if isinstance(item, t.KindFlag)}
        for block in blocks if aimed else ():
            mine = {item.name for item in block.items if isinstance(item, t.KindFlag)}
            complete = any(isinstance(item, t.Targets | t.AsKind) for item in block.items)
            if complete or mine - flags or _is_named(block, read):
                continue
            message = f"{kind} {block.title.text} has no `targets`: it can be aimed at nothing"
            yield problem_at(block.pos, "never", message, "write a line such as `targets enemy units`")


def _is_named(block: t.KindBlock, read: RulesetToCheck) -> bool:
    """Whether rules name a definition beside where it stands."""
    title = block.title.text
    return any(title in _in_block(one.block).asked for one in read.merged.placed if one.block is not block)


class _Elsewhere:
    """What data and plugins say, in which a name may stand without a rule that does anything with it."""

    def __init__(self, read: RulesetToCheck) -> None:
        self.texts = [text for file, text in read.texts.items() if not file.endswith(".rules")]
        for source in read.sources:
            self.texts += [one.read_text("utf-8") for one in sorted((source.layer.folder / "examples").glob("*.rules"))]
        self.plugins = read.contents.plugins.sources() if read.contents is not None else []

    def says(self, name: str) -> bool:
        """Whether a name stands in data, in rules beside examples, or in the code of a plugin."""
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        return any(name in text and word.search(text) for text in self.texts) or name in _words_of(tuple(self.plugins))


@lru_cache(maxsize=4)
def _words_of(files: tuple[Path, ...]) -> frozenset[str]:
    """The words in the texts and attributes of some files of Python."""
    found: set[str] = set()
    for file in files:
        found.update(re.findall(r"[\"'.](\w+)", file.read_text("utf-8")))
    return frozenset(found)
