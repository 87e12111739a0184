"""Names that are texts: what rules call a zone must be one of some scenario, and what they draw from must be made.

A text is the name of a zone where a function of a plugin takes it as its parameter `zone`, and of a deck where one
takes it as `deck` and another is called `make_deck`. From there it is followed back: to the fields, parameters and
values that are given to such functions, and to what stands in those.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from warhost.errors import Problem, did_you_mean, is_a_slip
from warhost.lang import tree as t
from warhost.packs.checks import Contents
from warhost.packs.data import Element
from warhost.packs.layers import Placed
from warhost.packs.remembering import Remembered
from warhost.packs.yaml_source import Map, problem_at
from warhost.vocabulary import Function

#: So many other scenarios tell what every scenario has.
SEVERAL = 2

#: What leads to a function that takes a zone: a parameter of something ("param", its name, which one), the fields of
#: a name, what a value or procedure gives.
_Sink = tuple[str, str, int]


def problems_in(
    contents: Contents, rules: GivenInRules, functions: Mapping[str, Function]
) -> Iterator[Problem]:
    """Names that no scenario's zone has, and zones of scenarios that are nearly what rules name.

    Of two names that are a slip apart the scenario's is wrong when the others have it as the rules do; else the rules'.
    """
    scenarios = list(contents.data.scenarios.values())
    if not scenarios:
        return
    zones = {one.id: _zones_of(one.data) for one in scenarios}
    there = {str(name) for found in zones.values() for name in found}
    there |= {str(name) for one in contents.data.examples for name in _zones_of(one.data.get("given"))}
    said = rules.texts(_given_as("zone", functions.values()), functions)
    plain = {text.plain: text.pos for text in said if text.plain is not None}
    missing = plain.keys() - there - {""}
    misspelt: set[str] = set()
    for scenario in scenarios:
        own = zones[scenario.id]
        for name in map(str, own):
            near = next((one for one in sorted(plain) if is_a_slip(name, one) and one not in own), None)
            ours = near in there or sum(text.plain == near for text in said) > 1
            if near is not None and ours and name not in plain and _is_alone(name, zones):
                misspelt.add(near)
                pos = plain[near]
                message = f'the rules speak of "{near}" ({pos.file}:{pos.line}), and no zone is called so'
                yield problem_at(own.key_pos(name), "unknown-name", message, f'did you mean "{near}"?')
    named = {name: text.pos for text in said if text.plain is None for name in there if _may_be(text, name)} | plain
    yield from _left_out(scenarios, zones, named, misspelt)
    yield from rules.never_given("")
    for text in said:
        if text.plain in missing and text.plain not in misspelt:
            yield _unknown(text, str(text.plain), there)
        elif text.plain is None and not any(_pattern(text).fullmatch(one) for one in there):
            yield _unknown(text, "".join(p if isinstance(p, str) else ".." for p in text.parts), there)


def _given_as(name: str, functions: Iterable[Function]) -> list[_Sink]:
    """The parameters of that name that take a text, or a text or something else (`zone_or_places: any`)."""
    return [
        ("param", function.name, i)
        for function in functions
        for i, parameter in enumerate(function.parameters)
        if (parameter.type == "text" and parameter.name == name)
        or (parameter.type == "any" and parameter.name.startswith(f"{name}_or_"))
    ]


def unmade(rules: GivenInRules, functions: Mapping[str, Function]) -> Iterator[Problem]:
    """Names of what a plugin's `make_THING(.., name)` makes, that are given to another's parameter `THING` and that
    nothing makes: decks, say. Nothing is told where a name is put together.
    """
    for maker in functions.values():
        what = maker.name.removeprefix("make_")
        users = [one for one in functions.values() if one is not maker]
        if what == maker.name or not (asked := _given_as(what, users)):
            continue
        made = rules.texts(_given_as("name", (maker,)), functions)
        known = sorted({text.plain for text in made if text.plain is not None})
        if not known or any(text.plain is None for text in made):
            continue
        for text in rules.texts(asked, functions):
            if text.plain and text.plain not in known:
                hint = did_you_mean(text.plain, known) or f"those that are made: {', '.join(known)}"
                message = f'no {maker.name}(..) makes a {what} "{text.plain}"'
                yield problem_at(text.pos, "unknown-text", message, hint)


def _left_out(
    scenarios: Sequence[Element], zones: Mapping[str, Map], plain: Mapping[str, t.Pos], misspelt: Collection[str]
) -> Iterator[Problem]:
    """Zones that the rules name and every other scenario has: one that has only others stops where they are named."""
    for scenario in scenarios:
        others = [zones[one.id] for one in scenarios if one is not scenario]
        board = scenario.data.get("board")
        if len(others) < SEVERAL or not isinstance(board, Map):
            continue
        if any(is_a_slip(str(key), "zones") for key in board):  # which is told by itself
            continue
        asked = plain.keys() - set(map(str, zones[scenario.id])) - set(misspelt)
        missing = sorted(name for name in asked if all(name in one for one in others))
        if missing:
            listed, pos = " and ".join(f'"{name}"' for name in missing), plain[missing[0]]
            message = f"this scenario has no zone {listed}, of which the rules speak ({pos.file}:{pos.line})"
            where = "among these zones" if "zones" in board else "under `zones` of this board"
            hint = f"every other scenario has it: write {', '.join(missing)} {where}"
            here = board.key_pos("zones") if "zones" in board else scenario.data.key_pos("board")
            yield problem_at(here, "no-case", message, hint)


def _may_be(text: t.Text, name: str) -> bool:
    """Whether a text that is put together may come to a name: one that says nothing by itself may come to any."""
    return any(isinstance(part, str) and part for part in text.parts) and bool(_pattern(text).fullmatch(name))


def _unknown(text: t.Text, name: str, there: Collection[str]) -> Problem:
    known = f"the zones of its scenarios are: {', '.join(sorted(there))}"
    hint = did_you_mean(name, there) or (known if there else f"write {name} under `zones` of a scenario's board")
    return problem_at(text.pos, "unknown-name", f'no scenario has a zone "{name}"', hint)


def _zones_of(data: Any) -> Map:
    board = data.get("board") if isinstance(data, Map) else None
    zones = board.get("zones") if isinstance(board, Map) else None
    return zones if isinstance(zones, Map) else Map()


def _is_alone(name: str, zones: Mapping[str, Map]) -> bool:
    return sum(name in found for found in zones.values()) == 1


def _pattern(text: t.Text) -> re.Pattern[str]:
    return re.compile("".join(re.escape(p) if isinstance(p, str) else ".*" for p in text.parts))


def telling_nodes(block: t.AnyBlock) -> list[t.Node]:
    """The nodes of a block that tell what is given to whom."""
    return [node for node in t.walk(block) if isinstance(node, _TELLING) and _tells(node)]


_TELLING = (t.Call, t.Assign, t.Control, t.Modifier, t.Compare)


def _tells(node: t.Node) -> bool:
    """Whether one of these sorts of nodes gives something, or compares it with a text."""
    if isinstance(node, t.Control):
        return node.word == "result" and node.operand is not None
    if isinstance(node, t.Modifier):
        return node.op == "set" and node.target is not None
    return not isinstance(node, t.Compare) or isinstance(node.left, t.Text) or isinstance(node.right, t.Text)


def _names(node: t.Node, name: str) -> bool:
    """Whether a part of a block names something, as a step of a phase or wherever else."""
    return getattr(node, "name", None) == name and not isinstance(node, t.ProcedureBlock)


@dataclass(slots=True)
class GivenInRules:
    """Where rules give what to whom, by name. places: expressions, each with the block in which it stands."""

    placed: Sequence[Placed]
    remembered: Remembered
    blocks: dict[str, Any] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    calls: dict[str, list[tuple[t.Call, Any]]] = field(default_factory=dict)
    assigned: dict[str, list[tuple[t.Expr, Any]]] = field(default_factory=dict)
    given: dict[str, list[tuple[t.Expr, Any]]] = field(default_factory=dict)
    compared: list[tuple[t.Expr, t.Text]] = field(default_factory=list)
    led_to: set[_Sink] = field(default_factory=set)

    def texts(self, wanted: Iterable[_Sink], functions: Mapping[str, Function]) -> list[t.Text]:
        """Every text that comes to some places, as far as it stands in the rules."""
        sinks = list(wanted)
        done: set[_Sink] = set()
        found: dict[t.Pos, t.Text] = {}
        while sinks:
            sink = sinks.pop()
            if sink in done:
                continue
            done.add(sink)
            for expr, block in self._sources(sink, functions):
                if isinstance(expr, t.Text):
                    found[expr.pos] = expr
                else:
                    sinks += self._behind(expr, block)
        for asked, text in self.compared:
            if isinstance(asked, t.Attribute) and ("field", asked.name, 0) in done:
                found[text.pos] = text
        self.led_to = done
        return list(found.values())

    def never_given(self, start: str) -> Iterator[Problem]:
        """Of the fields from which the texts came: those that begin with one that is no name at all, and are set only
        in procedures to which no battle comes. What examples alone ask for is no battle.
        """
        for name in sorted(sink[1] for sink in self.led_to if sink[0] == "field"):
            given = self.assigned.get(name, [])
            begins = next(
                (v for v, block in given if isinstance(block, t.StateBlock) and isinstance(v, t.Text)), None
            )  # fmt: skip
            setting = [block for _, block in given if not isinstance(block, t.StateBlock | t.ProfileBlock)]
            if begins is None or begins.plain != start or not setting or any(map(self._is_played, setting)):
                continue
            by = " and ".join(sorted({block.name for block in setting}))
            message = f'{name} begins with "{start}", and no battle comes to where it is set: {by}'
            yield problem_at(begins.pos, "no-case", message, f"ask for {by} in a phase or a rule")

    def _is_played(self, block: Any) -> bool:
        """Whether a battle may come to a block: it is no procedure, or one of these asks for it, and so on. Where calls
        and phases lead there nothing else is gone through.
        """
        return self._is_reached(block, [one for one in self.placed if isinstance(one.block, t.TurnBlock)]) or (
            self._is_reached(block, self.placed)
        )

    def _is_reached(self, block: Any, wholly: Sequence[Placed]) -> bool:
        """The same by calls, and by whatever is said in some blocks that are gone through wholly."""
        waiting, seen = [block], {id(block)}
        while waiting:
            one = waiting.pop()
            if not isinstance(one, t.ProcedureBlock):
                return True
            asking = [other for _, other in self.calls.get(one.name, ())]
            asking += [p.block for p in wholly if any(_names(node, one.name) for node in t.walk(p.block))]
            for other in asking:
                if id(other) not in seen:
                    seen.add(id(other))
                    waiting.append(other)
        return False

    def __post_init__(self) -> None:
        for one in self.placed:
            block: Any = one.block
            if isinstance(block, t.NumberBlock | t.ValueBlock | t.ProcedureBlock | t.FlagBlock):
                self.blocks[block.name] = block
            if isinstance(block, t.ValueBlock):
                self._gives(block.name, [block.base, *(m.value for m in block.lines if m.op == "set")], block)
            elif isinstance(block, t.StateBlock | t.ProfileBlock):
                for declared in block.fields:
                    if declared.type.name == "text":
                        self.fields.add(declared.name)
                        if declared.default is not None:
                            self.assigned.setdefault(declared.name, []).append((declared.default, block))
            for node in self.remembered.of(block, telling_nodes):
                self._node(node, block)

    def _node(self, node: t.Node, block: Any) -> None:
        if isinstance(node, t.Call):
            self.calls.setdefault(node.name, []).append((node, block))
        elif isinstance(node, t.Assign):
            self.assigned.setdefault(node.target.name, []).append((node.value, block))
        elif isinstance(node, t.Control):
            self._gives(getattr(block, "name", ""), [node.operand], block)
        elif isinstance(node, t.Modifier):
            self._gives(node.target or "", [node.value], block)
        elif isinstance(node, t.Compare):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(other, t.Text):
                    self.compared.append((one, other))

    def _gives(self, name: str, values: Iterable[t.Expr | None], block: Any) -> None:
        self.given.setdefault(name, []).extend((value, block) for value in values if value is not None)

    def _sources(self, sink: _Sink, functions: Mapping[str, Function]) -> Iterator[tuple[t.Expr, Any]]:
        """What comes to a place."""
        what, name, at = sink
        if what == "param":
            known: Any = self.blocks.get(name) or functions.get(name)
            params = known.params if name in self.blocks else known.parameters
            for call, block in self.calls.get(name, ()):
                for i, argument in enumerate(call.args):
                    if (argument.name == params[at].name) if argument.name else i == at:
                        yield argument.value, block
        elif what == "field":
            yield from self.assigned.get(name, ())
        else:
            yield from self.given.get(name, ())

    def _behind(self, expr: t.Expr, block: Any) -> Iterator[_Sink]:
        """From where an expression that stands in a block has its value."""
        if isinstance(expr, t.Attribute) and expr.name in self.fields:
            yield "field", expr.name, 0
        elif isinstance(expr, t.Attribute | t.Call) and expr.name in self.blocks:
            yield "given", expr.name, 0
        elif isinstance(expr, t.Name):
            params = [p.name for p in getattr(block, "params", ())]
            if expr.name in params and getattr(block, "name", None) in self.blocks:
                yield "param", block.name, params.index(expr.name)
