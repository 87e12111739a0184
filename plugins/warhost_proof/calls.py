"""What of a program the rules of the game reach by themselves, what only advice to players does, what nobody calls.

A name is a pair: ("number", "skill"), ("procedure", "strike"), ("table", ..), ("roll", ..), ("choice", ..),
("event", ..), ("definition", "trait Fear"), ("noun", ..), ("field", "range").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warhost.lang import ir
from warhost.lang.program import Definition
from warhost.lang.types import Type

if TYPE_CHECKING:
    from warhost.lang.program import Program
    from warhost.packs import Ruleset

Name = tuple[str, str]

#: How far calls are followed: what decides what happens; ratings of options as well; texts for people as well.
RULES, ADVICE, TEXTS = 0, 1, 2

#: Numbers and flags that the engine asks a ruleset for by name, if it has them.
_ASKED_BY_THE_ENGINE = ("may_act", "points", "points_left")

#: Parts of the manifest that only say what is shown to people.
_SHOWN = ("roster", "picture")


@dataclass(slots=True)
class Calls:
    """rules: names that play itself reaches, and those that questions of the manifest do (chances, prices); play: the
    first of them alone; advice: what only the ratings of options reach; shown: what only texts, rosters and pictures
    do. The rest is called by nobody but examples.
    """

    play: set[Name] = field(default_factory=set)
    rules: set[Name] = field(default_factory=set)
    advice: set[Name] = field(default_factory=set)
    shown: set[Name] = field(default_factory=set)

    def sort_of(self, name: Name) -> str:
        """'rules', 'advice', 'shown' or 'examples' (nothing but an example calls it)."""
        for sort in ("rules", "advice", "shown"):
            if name in getattr(self, sort):
                return sort
        return "examples"


def definition_name(kind: str, title: str) -> Name:
    """The name under which a definition of a kind stands among the calls."""
    return ("definition", f"{kind} {title}")


def calls_of(rules: Ruleset) -> Calls:
    """Follow every call of a ruleset from where play begins."""
    graph = _Graph(rules)
    found = Calls()
    found.play = graph.closed(graph.roots(), RULES)
    found.rules = graph.closed(found.play | graph.asked(), RULES)
    found.advice = graph.closed(found.rules, ADVICE) - found.rules
    found.shown = graph.closed(found.rules | found.advice | graph.shown(), TEXTS) - found.rules - found.advice
    return found


class _Graph:
    """The names of a program and whom each calls."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.program: Program = rules.program
        self.lines: dict[str, list[ir.Template]] = {}
        for t in self.program.templates.values():
            self.lines.setdefault(t.number, []).append(t)
        self.own_lines: dict[tuple[str, str], set[str]] = {
            key: {t.key for t in d.templates} for key, d in self.program.definitions.items()
        }
        self.by_title: dict[str, list[Definition]] = {}
        for (_, title), d in self.program.definitions.items():
            self.by_title.setdefault(title, []).append(d)
            if d.family:
                self.by_title.setdefault(d.family, []).append(d)

    # -- where play begins ---------------------------------------------------------------------------

    def roots(self) -> set[Name]:
        program = self.program
        found: set[Name] = set()
        for phase in (*program.setup, *program.turn, *([program.turn_order] if program.turn_order else [])):
            found |= {("procedure", step) for step in phase.steps}
            found |= self._called((phase.first, phase.by, phase.when))
        found |= {("event", name) for name in program.events}
        for constraint in program.constraints:
            found |= self._called((constraint.require, constraint.when))
        found |= self._called(t.source for t in program.templates.values())
        for right in program.reroll_rights:
            found |= self._called((right.low, right.high, right.when))
        own = {f"{p.kind} {p.name}" for p in self.rules.placed if p.history and p.history[0].layer.kind == "plugin"}
        found |= {("number", n) for n in program.numbers if any(f"{k} {n}" in own for k in ("number", "flag", "value"))}
        found |= {("choice", c) for c in program.choices if f"choice {c}" in own}
        found |= {("number", n) for n in _ASKED_BY_THE_ENGINE if n in program.numbers}
        found |= self._borne()
        return self._known(found)

    def asked(self) -> set[Name]:
        """What the manifest names: prices, and the steps of questions about chances."""
        values = [value for key, value in self.rules.manifest.items() if key not in _SHOWN]
        values += [one["odds"] for one in self.rules.manifests if "odds" in one]  # also those of editions below
        return self._named_in(values) & self.everything()

    def shown(self) -> set[Name]:
        found = self._named_in(self.rules.manifest.get(key) for key in _SHOWN)
        for constraint in self.program.constraints:
            found |= self._called([constraint.message], TEXTS)
        return self._known(found)

    def _known(self, names: set[Name]) -> set[Name]:
        """Those that the program has; fields of any name."""
        everything = self.everything()
        return {name for name in names if name[0] == "field" or name in everything}

    def everything(self) -> set[Name]:
        p = self.program
        return {
            *(("number", n) for n in p.numbers), *(("procedure", n) for n in p.procedures),
            *(("table", n) for n in p.tables), *(("roll", n) for n in p.rolls), *(("choice", n) for n in p.choices),
            *(("event", n) for n in p.events), *(("noun", n) for n in p.nouns),
            *(definition_name(k, t) for k, t in p.definitions),
        }  # fmt: skip

    def _named_in(self, values: Iterable[Any]) -> set[Name]:
        """What the words of a manifest name."""
        words = _texts(list(values))
        return {(sort, word) for word in words for sort in ("number", "procedure", "table", "roll")}

    def _borne(self) -> set[Name]:
        """The definitions that profiles, lists and armies name."""
        titles: set[str] = set()
        for profile in (*self.rules.profiles.values(), *self.rules.abstract_profiles.values()):
            titles |= {b.name for many in profile.bears.values() for b in many}
            titles |= _texts(profile.fields)
        for group in (self.rules.lists, self.rules.abstract_lists, self.rules.armies, self.rules.scenarios):
            for element in group.values():
                titles |= _texts(element.data)
        found = {
            definition_name(d.kind, d.title) for (_, title), d in self.program.definitions.items() if title in titles
        }
        plain = {title.split("(")[0].strip() for title in titles}
        return found | {definition_name(d.kind, d.title) for t in plain for d in self.by_title.get(t, ())}

    # -- whom each calls -----------------------------------------------------------------------------

    def closed(self, start: set[Name], how_far: int) -> set[Name]:
        """start and all that it calls, by RULES, ADVICE or TEXTS."""
        found = set(start)
        todo = list(start)
        while todo:
            for name in self._callees(todo.pop(), how_far):
                if name not in found:
                    found.add(name)
                    todo.append(name)
        return found

    def _callees(self, name: Name, how_far: int) -> set[Name]:
        sort, key = name
        return self._called(self._parts(sort, key, how_far), how_far)

    def _parts(self, sort: str, key: str, how_far: int) -> Iterator[Any]:
        p = self.program
        if sort == "number":
            yield p.numbers[key].base
            for t in self.lines.get(key, ()):
                yield from (t.value, t.when, t.source)
        elif sort == "procedure":
            yield p.procedures[key]
        elif sort == "roll":
            yield p.rolls[key]
        elif sort == "table":
            for when, value in p.tables[key].cases:
                yield from (when, value)
            yield from (ir.Const(value) for value in p.tables[key].rows.values() if isinstance(value, str))
        elif sort == "choice":
            yield p.choices[key].options
            yield from p.choices[key].narrowings
        elif sort == "noun":
            noun = p.nouns.get(key)
            if noun is not None:
                yield noun.where
                yield from (f.default for f in noun.fields.values())
        elif sort == "field":
            return
        elif sort == "event":
            event = p.events[key]
            yield event.asks
            yield from event.handlers
            yield from self._reactions(event.reactions, how_far)
            if how_far >= TEXTS:
                yield event.says
        else:
            yield from self._definition_parts(key, how_far)

    def _definition_parts(self, key: str, how_far: int) -> Iterator[Any]:
        kind, _, title = key.partition(" ")
        d = self.program.definitions[(kind, title)]
        yield from d.templates
        yield from d.handlers
        yield from self._reactions(d.reactions, how_far)
        yield from (*d.rights, *d.narrowings, *d.parts)
        yield from (self.program.procedures[k] for k in d.procedures.values() if k in self.program.procedures)
        yield d.targets
        for other in d.includes:
            yield ir.DefinitionRef(other[0], other[1])
        for value in d.values.values():
            if isinstance(value, ir.IrNode):
                yield value
            elif isinstance(value, str):  # a field may name another definition, too
                yield ir.Const(value)

    @staticmethod
    def _reactions(reactions: Iterable[ir.Reaction], how_far: int) -> Iterator[Any]:
        for r in reactions:
            yield from (r.members, r.when, r.run)
            if how_far >= ADVICE:
                yield r.rated

    def _called(self, nodes: Iterable[Any], how_far: int = RULES) -> set[Name]:
        found: set[Name] = set()
        for node in nodes:
            if isinstance(node, ir.IrNode):
                for below in rule_nodes(node, how_far):
                    found |= set(self._names(below))
        return found

    def _names(self, node: ir.IrNode) -> Iterator[Name]:
        match node:
            case ir.Evaluate():
                yield ("number", node.name)
            case ir.GetField():
                yield ("field", node.field)
            case ir.CallProcedure():
                yield ("procedure", node.name)
            case ir.LookUp():
                yield ("table", node.name)
            case ir.MakeRoll() | ir.HowMany():
                yield ("roll", node.name)
            case ir.CallFunction():
                if node.name.startswith("choice "):
                    yield ("choice", node.name.removeprefix("choice "))
            case ir.Const(value=str(title)):  # a definition may be named by a text or a word, as in a chart
                yield from (definition_name(d.kind, d.title) for d in self.by_title.get(title, ()))
            case ir.IsNoun():
                yield ("noun", node.noun)
            case ir.Give():
                yield from (definition_name(d.kind, d.title) for d in self.by_title.get(node.title, ()))
            case ir.DefinitionRef():
                yield from (definition_name(d.kind, d.title) for d in self.by_title.get(node.title, ()))
            case ir.DefinitionsOf():
                yield from (definition_name(k, t) for k, t in self.program.definitions if k == node.kind)
            case ir.AddModifier():
                t = self.program.templates.get(node.template)
                if t is not None:
                    yield from self._called((t.value, t.when, t.source))
            case ir.Choose():
                if node.narrowed is not None:
                    yield ("choice", node.narrowed)


def _texts(value: Any) -> set[str]:
    """Every text anywhere in some data."""
    found: set[str] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        if isinstance(one, Mapping):
            todo.extend(one.keys())
            todo.extend(one.values())
        elif isinstance(one, list | tuple):
            todo.extend(one)
        elif isinstance(one, str):
            found.add(one)
    return found


def rule_nodes(node: ir.IrNode, how_far: int = RULES) -> Iterator[ir.IrNode]:
    """The node and everything below it that decides what happens (RULES), is preferred (ADVICE) or told (TEXTS)."""
    yield node
    for child in _children(node, how_far):
        yield from rule_nodes(child, how_far)


def _children(node: ir.IrNode, how_far: int) -> Iterator[ir.IrNode]:
    left_out: set[int] = set()
    if how_far < TEXTS:
        if isinstance(node, ir.Say | ir.TextJoin | ir.CountedWords):
            return
        if isinstance(node, ir.Choose | ir.ChooseCourse):
            left_out.add(id(node.says))
    if how_far < ADVICE:
        if isinstance(node, ir.Choose):
            left_out |= {id(node.rated), id(node.usually)}
        elif isinstance(node, ir.Course | ir.Reaction):
            left_out.add(id(node.rated))
    for child in ir.sub_nodes(node):
        if id(child) not in left_out:
            yield child


def is_number(type_: Type) -> bool:
    """Whether values of a type can be counted with."""
    return type_.kind in ("number", "fraction", "distance")
