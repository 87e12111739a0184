"""What is declared and of no use: state that nobody asks for or nobody sets, events and moments that never come.

Whatever any layer says counts, and what lies on offer too: a rule that another replaces is no reason to tell. An event
that nobody answers is none either: house rules may.

Nearly all that is declared is plainly used. So the texts of the rules are glanced at first; trees, data and the code of
plugins are looked through only for the few names of which the texts leave a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import warhost
from warhost import plugins, tools
from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.layers import Placed
from warhost.packs.parsed import ParsedData, ParsedRules
from warhost.packs.yaml_source import problem_at
from warhost_sense.blocks import blocks_in, shown_number

_COMMENTED = re.compile(r"^(?:[^\"#\n]|\"[^\"\n]*\")*(#.*)$", re.MULTILINE)
_SET = re.compile(r"\.(\w+) *([+-]=|=(?!=))(.*)")
_ASKED = re.compile(r"\.(\w+)")
_EMITTED = re.compile(r"\bemits? +(\w+)")
_MOMENT = re.compile(r"\b(?:at|until) (?:start|end) of (?:[^\"\n]*'s )?(?:next )?(\w+)")
#: A period of the ruleset's own begins or ends; its name, if it is written there.
_PERIOD = re.compile(r"\bperiod_(?:begins|ends)\( *(?:\"(\w+)\")?")


_TEXT = re.compile(r'"[^"\n]*"')
_BRACED = re.compile(r"\{([^}\n]*)\}")
_WORD = re.compile(r"[A-Za-z_]\w*")
#: What is for people in examples: titles, and what the story of a battle must say.
_SENTENCES = re.compile(r"^ *-? *title:.*$|\blog (?:contains|lacks): *(?:\"[^\"\n]*\"|\[[^\]]*\]|[^,}\n]*)", re.M)
#: Where a name is defined or changed, which is no use of it.
_CHANGED = re.compile(
    r"^[ \t]*(?:(?:amend|replace|remove|advise) )?(?:number|flag|value|procedure|roll|choice|table|constraint) \w+"
    r"|^[ \t]+(?:allow|forbid) \w+|^[ \t]+\w+(?=(?:\([^()\n]*\))? (?:set to|[-+]\S|x\d|at least|at most))",
    re.MULTILINE,
)


class _Glance(NamedTuple):
    """The names that the text of a file certainly asks for, sets and emits; the periods whose start or end it may speak
    of, and those that it begins or ends ("" is one whose name is not written there). spoken: all its words, but for
    sentences and where it defines or changes something. set_to: the names that it sets, each with the sign and value.
    """

    asked: frozenset[str]
    written: frozenset[str]
    emitted: frozenset[str]
    awaited: frozenset[str]
    periods: frozenset[str]
    spoken: frozenset[str]
    set_to: frozenset[tuple[str, str]]


@lru_cache(maxsize=256)  # of a ruleset that is being written only the file that changed is new
def _glance(text: str) -> _Glance:
    if "#" in text:
        text = _COMMENTED.sub(lambda line: line[0][: line.start(1) - line.start()], text)
    written, asked, set_to = set[str](), set[str](), set[tuple[str, str]]()

    def without(line: re.Match[str]) -> str:
        written.add(line[1])
        set_to.add((line[1], f"{line[2]} {line[3].strip()}"))
        asked.update(name for name in _ASKED.findall(line[3]) if name != line[1])
        return ""

    asked.update(_ASKED.findall(_SET.sub(without, text)))
    bare = _TEXT.sub(lambda said: " ".join(_BRACED.findall(said[0])), text) if '"' in text else text
    spoken = _WORD.findall(_CHANGED.sub("", bare))
    emitted, awaited, periods = (frozenset(one.findall(text)) for one in (_EMITTED, _MOMENT, _PERIOD))
    return _Glance(
        frozenset(asked), frozenset(written), emitted, awaited, periods, frozenset(spoken), frozenset(set_to)
    )


@dataclass(slots=True)
class _Uses:
    """The first place that asks for one name, sets it, emits it, answers it."""

    name: str
    asked: t.Pos | None = None
    written: t.Pos | None = None
    emitted: t.Pos | None = None
    answered: t.Pos | None = None
    _targets: set[int] = field(default_factory=set)

    def look_through(self, block: t.AnyBlock) -> None:
        """What one block does."""
        for node in t.walk(block):
            self._node(node)

    def _node(self, node: t.Node) -> None:
        name = self.name
        if isinstance(node, t.Assign):
            if node.target.name == name:
                self.written = self.written or node.pos
                own = (one for one in t.walk(node) if isinstance(one, t.Attribute) and one.name == name)
                self._targets.update(map(id, own))  # `x.n = x.n + 1` asks for it to set it
        elif isinstance(node, t.Emit):
            self.emitted = self.emitted or (node.pos if node.event == name else None)
        elif isinstance(node, t.Natural):
            self.emitted = self.emitted or (node.pos if node.emits is not None and node.emits.name == name else None)
        elif isinstance(node, t.Handler | t.Reaction):
            self.answered = self.answered or (node.pos if node.event == name else None)
        elif isinstance(node, t.Word):
            self.asked = self.asked or (node.pos if node.text == name else None)
        elif isinstance(node, t.Attribute | t.Name | t.Call) and node.name == name and id(node) not in self._targets:
            self.asked = self.asked or node.pos


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """What is declared in the ruleset or a house rule and of no use, as warnings."""
    if read.contents is None:
        return
    rules = _rules_of(read)
    glances = [_glance(text) for _, text in rules]
    asked, written, emitted, awaited, periods, _ = (
        frozenset[str]().union(*names) for names in zip(*(one[:6] for one in glances), strict=True)
    )
    used = asked & written
    declared = [one.block for one in read.merged.placed if one.layer.kind != "plugin"]
    of_all = list(_fields_in(read))
    fields = [(noun, one) for noun, one in of_all if one.name not in used]
    set_to: dict[str, set[str]] = {}
    for name, said in frozenset[tuple[str, str]]().union(*(one.set_to for one in glances)):
        set_to.setdefault(name, set()).add(said)
    starting = [
        one for _, one in of_all
        if one.name in used and _start(one) and set_to.get(one.name) == {f"= {_start(one)}"}
    ]  # fmt: skip
    events = [block for block in declared if isinstance(block, t.EventBlock) and block.name not in emitted]
    never = awaited - periods - _of_itself(declared) if "" not in periods else set[str]()
    if never:
        yield from _of_moments(declared, never)
    if not (fields or events or starting):
        return
    elsewhere = _Elsewhere(read)
    for one in starting:
        if not elsewhere.says(one.name):
            message = f"{one.name} is only ever set to {_start(one)}, with which it begins"
            hint = f"set it to something else somewhere, or take {one.name} away"
            yield problem_at(one.pos, "unused", message, hint)
    for noun, one in fields:
        if not elsewhere.says(one.name):
            yield from _of_state(one, noun, _uses_of(one.name, rules))
    for event in events:
        if not elsewhere.says(event.name):
            yield from _of_event(event, _uses_of(event.name, rules))


def _rules_of(read: RulesetToCheck) -> list[tuple[ParsedRules, str]]:
    """The files of rules, those of house rules on offer among them."""
    assert read.contents is not None
    return [
        (parsed, text)
        for source in (*read.sources, *read.contents.offered.values())
        for _, parsed, text in source.files if isinstance(parsed, ParsedRules)
    ]  # fmt: skip


def of_nobody(read: RulesetToCheck) -> Iterator[Problem]:
    """Numbers, procedures and the like, and tables, for which nothing asks, as warnings. What examples ask for
    is meant: some prove a rule of the book that no battle comes to; so is a table of the book, which players look at.
    """
    assert read.contents is not None
    rules = _rules_of(read)
    spoken = frozenset[str]().union(*(_glance(text).spoken for _, text in rules))
    unspoken = [
        (one.name, one.block.pos, False) for one in read.merged.placed
        if one.layer.kind != "plugin" and isinstance(one.block, _ASKED_BY_NAME)
        and one.block.name not in spoken and not _is_beside_examples(one)
    ]  # fmt: skip
    tables = read.contents.data.tables
    unspoken += [(id_, one.pos, True) for id_, one in tables.items() if id_ not in spoken and not one.ref]
    if not unspoken:
        return
    elsewhere, played = _Elsewhere(read), _Elsewhere(read, examples=False)
    steps = (one for one in read.merged.placed if isinstance(one.block, t.ProcedureBlock) and not one.block.ref)
    procedures = {one.name for one in steps}  # a rule of the book may be one that no battle comes to
    for name, pos, in_data in unspoken:
        by_examples = elsewhere.says(name, in_data)
        if name in _named_by_warhost() or (by_examples and (name not in procedures or played.says(name, in_data))):
            continue
        if _uses_of(name, rules).asked is None:  # a call may look like a change: `draw_up(unit, rank(unit) - 1)`
            hint = f"ask for {name} in a rule, or take it away"
            message = f"nothing asks for {name}: no rule does, and no example"
            if by_examples:
                hint = f"make {name} a step of a phase"
                message = f"only examples ask for {name}: no phase does, and no rule"
            yield problem_at(pos, "unasked", message, hint)


#: Blocks that do nothing unless something asks for them by their names.
_ASKED_BY_NAME = (
    t.NumberBlock, t.FlagBlock, t.ValueBlock, t.ProcedureBlock, t.RollBlock, t.ChoiceBlock, t.TableBlock,
)  # fmt: skip


def _is_beside_examples(one: Placed) -> bool:
    """Whether a block is of the rules that hold in examples alone, which `warhost check` reads as house rules."""
    return one.layer.kind == "house" and one.layer.folder.name == "examples"


def _of_itself(declared: Iterable[t.AnyBlock]) -> set[str]:
    """The periods that begin and end by themselves: turns, phases, the game."""
    phases = [phase.name for block in declared if isinstance(block, t.TurnBlock) for phase in block.phases]
    return {"turn", "phase", "game", *phases, *(f"{name}_phase" for name in phases)}


def _of_moments(declared: Iterable[t.AnyBlock], never: Collection[str]) -> Iterator[Problem]:
    """Starts and ends of periods that no rule begins or ends."""
    for block in declared:
        for node in t.walk(block):
            if isinstance(node, t.Moment) and node.what in never:
                verb = f"{node.edge}s".replace("starts", "begins")
                message = f'no rule says that a {node.what} {verb}, so this moment never comes'
                hint = f'write `period_{verb}("{node.what}")` where it does, or `{node.edge} of turn`'
                yield problem_at(node.pos if node.pos.line else block.pos, "unused", message, hint)


def _fields_of(block: t.AnyBlock) -> Iterator[tuple[str, t.FieldDecl]]:
    """What rules may write, with what it is written of. Settings of scenarios are for those who play to set."""
    if isinstance(block, t.StateBlock) and block.noun != "scenario":
        for one in block.fields:
            yield block.noun, one
    elif isinstance(block, t.KindBlock):
        for item in block.items:
            if isinstance(item, t.Keeps):
                yield "this", item.field


def _fields_in(read: RulesetToCheck) -> Iterator[tuple[str, t.FieldDecl]]:
    """The fields that the ruleset and house rules declare, also where a plugin has begun the block."""
    of_plugins = {file.label for source in read.sources if source.layer.kind == "plugin" for file, _, _ in source.files}
    for placed in read.merged.placed:
        for noun, one in _fields_of(placed.block):
            if one.pos.file not in of_plugins:
                yield noun, one


def _start(one: t.FieldDecl) -> str:
    """With what a field begins, as rules write it; nothing where that is not plain."""
    match one.default:
        case t.YesNo():
            return "yes" if one.default.value else "no"
        case t.Nothing():
            return "none"
        case t.Name():
            return one.default.name
    return shown_number(one.default)


def _uses_of(name: str, rules: Iterable[tuple[ParsedRules, str]]) -> _Uses:
    uses = _Uses(name)
    for parsed, text in rules:
        for block in blocks_in(parsed.module) if name in text else ():
            uses.look_through(block)
    return uses


def _of_state(one: t.FieldDecl, noun: str, uses: _Uses) -> Iterator[Problem]:
    name = one.name
    if uses.asked is not None and uses.written is not None:
        return
    if uses.written is not None:
        message = f"{name} is set ({_at(uses.written)}), and nothing ever asks for it"
        hint = "ask for it in a condition, a number or a sentence, or take it away"
        yield problem_at(one.pos, "unused", message, hint)
    elif uses.asked is None:
        yield problem_at(one.pos, "unused", f"nothing asks for {name} or sets it", "use it, or take it away")
    elif one.default is None or isinstance(one.default, t.Num | t.YesNo | t.Nothing | t.Text):
        message = f"{name} is asked for ({_at(uses.asked)}), and nothing ever sets it"
        hint = f"set it in a procedure or under an event: `{noun}.{name} = ..`"
        if isinstance(one.default, t.Num):
            hint += f"; what stays as it is can be a number: `number {name} = ..`"
        yield problem_at(one.pos, "unused", message, hint)


def _of_event(block: t.EventBlock, uses: _Uses) -> Iterator[Problem]:
    if uses.emitted is not None:
        return
    answer = f", so what answers it ({_at(uses.answered)}) never does" if uses.answered is not None else ""
    params = ", ".join(p.name for p in block.params)
    hint = f"write `emit {block.name}({params})` where it happens, or take it away"
    yield problem_at(block.pos, "unused", f"nothing emits {block.name}{answer}", hint)


def _at(pos: t.Pos) -> str:
    return f"{pos.file}:{pos.line}"


class _Elsewhere:
    """What data and Python say, in which a name may stand without a rule that does anything with it."""

    def __init__(self, read: RulesetToCheck, *, examples: bool = True) -> None:
        assert read.contents is not None
        beside = {file.label: parsed for source in read.sources for file, parsed in source.data("examples")}
        self.texts = [
            read.remembered.of(beside[file], _without_sentences, text) if file in beside else text
            for file, text in read.texts.items()
            if not file.endswith(".rules") and (examples or file not in beside)
        ]
        for source in read.sources if examples else ():
            self.texts += [file.read_text("utf-8", "replace") for file in source.example_rules()]
        self.plugins = tuple(read.contents.plugins.sources())

    def says(self, name: str, defined: bool = False) -> bool:
        """Whether a name stands in data, in rules beside examples, or in Python that may ask for it. defined: data have
        it as a key where they define it.
        """
        word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w{'|:' if defined else ''})")
        if any(name in text and word.search(text) for text in self.texts):
            return True
        return name in words_of(self.plugins, r"[\"'.](\w+)") or name in _asked_by_warhost()


def _without_sentences(_: ParsedData, text: str) -> str:
    """What a file of examples says, but for what is for people."""
    return _SENTENCES.sub("", text)


@lru_cache(maxsize=1)
def _asked_by_warhost() -> frozenset[str]:
    """The names that the engine and the tools ask things for, if these have them."""
    homes = [plugins.home_of(point) for point in plugins.available(tools.GROUP, "tool").values()]
    homes.append(Path(warhost.__file__).parent / "engine")
    files = [file for home in homes if home for file in (sorted(home.rglob("*.py")) if home.is_dir() else [home])]
    return words_of(tuple(files), r"getattr\([^,]+, [\"'](\w+)")


@lru_cache(maxsize=1)
def _named_by_warhost() -> frozenset[str]:
    """Every name that stands, as a text, in what may ask rules for one: the engine, armies, and what they share."""
    root = Path(warhost.__file__).parent
    files = (*(root / "engine").rglob("*.py"), *(root / "armies").rglob("*.py"), *root.glob("*.py"))
    return words_of(tuple(sorted(file for file in files if file.name != "errors.py")), r"[\"'](\w+)[\"']")


@lru_cache(maxsize=8)
def words_of(files: Sequence[Path], pattern: str) -> frozenset[str]:
    """What a pattern finds in some files of Python."""
    return frozenset(word for file in files for word in re.findall(pattern, file.read_text("utf-8", "replace")))
