"""What of a ruleset carries each rule of the book, and how all of it is taken out at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from warhost.lang import ir, tree
from warhost.lang.tree import Pos
from warhost.lang.types import YES_NO, Type
from warhost.packs.parsed import refs_in, refs_with_places
from warhost_proof.calls import Name, definition_name, is_number
from warhost_proof.mutants import Change, Host, all_of, item_to, set_to, silenced
from warhost_proof.reached import Line

if TYPE_CHECKING:
    from warhost.lang.program import Definition, Program
    from warhost.packs import Ruleset
    from warhost.packs.data import Profile

#: Kinds of block that only declare what others use.
_DECLARATIONS = ("words", "noun", "state", "profile", "event", "turn", "phrase")


@dataclass(frozen=True, slots=True)
class Carrier:
    """One element that names a rule of the book.

    kind: that of the block, or 'profile', 'table', 'list', 'army', 'scenario', 'house rule'. pos: from its first line
    to its last. provisional: its figures are not the book's.
    """

    kind: str
    name: str
    pos: Pos
    block: Any = None
    provisional: bool = False
    id: str = ""

    @property
    def title(self) -> str:
        """How people are told of it."""
        return self.id or f"{self.kind} {self.name}"

    @property
    def declares(self) -> bool:
        """Whether it has no steps of its own: words, fields, events."""
        return self.kind in _DECLARATIONS

    @property
    def is_data(self) -> bool:
        """Whether it stands in YAML."""
        return self.block is None

    def called_as(self) -> Name | None:
        """Its name among the calls of rules; None for what is in force by itself."""
        if self.kind in ("number", "flag", "value"):
            return ("number", self.name)
        if self.kind in ("procedure", "roll", "table", "choice"):
            return (self.kind, self.name)
        if isinstance(self.block, tree.KindBlock) and self.kind != "rule":
            return definition_name(self.kind, self.name)
        return None

    def holds(self, line: Line) -> bool:
        """Whether a line of rules is one of its own."""
        return line[0] == self.pos.file and self.pos.line <= line[1] <= self.pos.end_line

    def at(self, host: Host) -> bool:
        """Whether a place that an example comes to is one of its own."""
        if len(host) == 2:
            return host[1] == self.name
        return self.holds((str(host[0]), int(host[1])))


def is_provisional(profile: Profile) -> bool:
    """Whether a profile says itself (`provisional: yes`) that its figures are not the book's."""
    return profile.fields.get("provisional") in (True, "yes")


def carriers(rules: Ruleset) -> dict[str, list[Carrier]]:
    """Every element that names a rule of the book, by the rule's id, in the order of the ruleset."""
    found: dict[str, list[Carrier]] = {}
    for ref, carrier in _all(rules):
        if carrier not in found.setdefault(ref, []):
            found[ref].append(carrier)
    return found


def _all(rules: Ruleset) -> Iterator[tuple[str, Carrier]]:
    for placed in rules.placed:
        for ref in dict.fromkeys(ref for ref, _ in refs_in(placed.block)):
            yield ref, Carrier(placed.kind, placed.name, placed.block.pos, placed.block, id=placed.id)
    for profile in (*rules.profiles.values(), *rules.abstract_profiles.values()):
        ours = is_provisional(profile)
        yield from ((ref, Carrier("profile", profile.id, profile.pos, provisional=ours)) for ref in profile.ref)
    for table in rules.tables.values():
        yield from ((ref, Carrier("table", table.id, table.pos)) for ref in table.ref)
    for elements in (rules.abstract_lists, rules.lists, rules.armies, rules.scenarios):
        for element in elements.values():
            for ref in dict.fromkeys(ref for ref, _ in refs_with_places(element.data)):
                yield ref, Carrier(element.kind, element.id, element.pos)
    for offer in rules.house_rules.values():
        yield from ((ref, Carrier("house rule", offer.id, offer.pos)) for ref in offer.refs)


# -- taking out ------------------------------------------------------------------------------------


def taken_out(rules: Ruleset, carrying: Iterable[Carrier]) -> Change | None:
    """What takes the lines of some elements out of a ruleset; None when there is nothing to take."""
    changes: list[Change] = []
    for carrier in carrying:
        changes += _data_out(rules, carrier) if carrier.is_data else _block_out(rules.program, carrier)
    return all_of(changes) if changes else None


def _data_out(rules: Ruleset, carrier: Carrier) -> Iterator[Change]:
    if carrier.kind == "profile":
        yield from _figures_out(rules, carrier.name)
    elif carrier.kind == "table" and carrier.name in rules.program.tables:
        rows = rules.program.tables[carrier.name].rows
        for key, value in rows.items():
            yield item_to(rows, key, _other_value(value))
    elif carrier.kind in ("list", "scenario"):
        kept: Any = rules.lists if carrier.kind == "list" else rules.scenarios
        for name in [n for n in kept if carrier.name in (n, *extended(rules, n))]:
            yield item_to(kept, name, replace(kept[name], data=_emptied(kept[name].data)))


def _figures_out(rules: Ruleset, name: str) -> Iterator[Change]:
    """Other figures for a profile, or for all that are built on an abstract one and have its figures."""
    base = rules.profiles.get(name) or rules.abstract_profiles.get(name)
    for profile in rules.profiles.values():
        if base is not None and name in (profile.id, *profile.lineage):
            yield from _figures_within(profile.fields, base.fields)


def _figures_within(fields: Any, base: Any) -> Iterator[Change]:
    """Other figures wherever a mapping or list has those of another, also in what it holds (the parts of a model)."""
    for key, value in fields.items() if isinstance(fields, dict) else enumerate(fields):
        same = base.get(key) if isinstance(base, dict) else base[key] if key < len(base) else None
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            if same == value:
                yield item_to(fields, key, value + 1)
        elif isinstance(value, dict | list) and type(same) is type(value):
            yield from _figures_within(value, same)


def extended(rules: Ruleset, name: str) -> set[str]:
    """The army lists that one builds on, by any number of steps."""
    elements = {**rules.abstract_lists, **rules.lists}
    found: set[str] = set()
    todo = [name]
    while todo:
        element = elements.get(todo.pop())
        above = element.data.get("extends") if element is not None else None
        new = {one for one in (above if isinstance(above, list) else [above]) if isinstance(one, str)} - found
        found |= new
        todo += new
    return found


def _emptied(data: Any) -> Any:
    """A list without its units, a scenario without its settings."""
    bare = data.copied()
    for key in ("units", "settings", "board", "army_rules", "require", "changes"):
        if key in bare:
            del bare[key]
    return bare


def _other_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int | Fraction) else None


def _block_out(program: Program, carrier: Carrier) -> Iterator[Change]:
    name, block = carrier.name, carrier.block
    for t in program.templates.values():
        if carrier.holds((t.pos.file, t.pos.line)):
            yield silenced(t)
    for event in program.events.values():
        for line in (*event.handlers, *event.reactions):
            if carrier.holds((line.pos.file, line.pos.line)):
                yield silenced(line)
    if carrier.kind in ("number", "flag", "value") and name in program.numbers:
        yield set_to(program.numbers[name].base, "value", nothing(program.numbers[name].type))
    elif carrier.kind == "procedure" and name in program.procedures:
        yield set_to(program.procedures[name], "body", [])
    elif carrier.kind == "roll" and name in program.rolls:
        yield from _roll_out(program.rolls[name])
    elif carrier.kind == "table" and name in program.tables:
        for _, value in program.tables[name].cases:
            yield set_to(value, "value", nothing(program.tables[name].type))
    elif carrier.kind == "constraint":
        kept = program.constraints
        yield set_to(program, "constraints", [c for c in kept if c.name != name])
    elif carrier.kind == "turn":
        for phase in (*program.setup, *program.turn):
            if carrier.holds((phase.pos.file, phase.pos.line)):
                yield set_to(phase, "steps", [])
    elif carrier.kind == "noun" and program.nouns[name].where is not None:
        yield set_to(program.nouns[name].where, "value", ir.Const(False, type=YES_NO))
    elif isinstance(block, tree.KindBlock):
        for (kind, _), d in program.definitions.items():
            if kind == carrier.kind and name in d.titles:
                yield from _definition_out(program, d)


def _definition_out(program: Program, d: Definition) -> Iterator[Change]:
    for name, bare in (("title", ""), ("family", ""), ("includes", [])):  # who bears it is not known by it any more
        if getattr(d, name):
            yield set_to(d, name, bare)
    for line in (*d.templates, *d.handlers, *d.reactions, *d.rights, *d.narrowings):
        yield silenced(line)
    for key in d.procedures.values():
        if key in program.procedures:
            yield set_to(program.procedures[key], "body", [])
    yield set_to(d, "flags", frozenset())
    yield set_to(d, "parts", [])
    for field, value in d.values.items():
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            yield item_to(d.values, field, value + 1)
        elif isinstance(value, str):
            yield item_to(d.values, field, "")


def _roll_out(roll: ir.Roll) -> Iterator[Change]:
    turned = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "==": "!=", "!=": "=="}
    yield set_to(roll, "naturals", [])
    yield set_to(roll, "outcomes", roll.outcomes[-1:])
    for node in ir.walk(roll):
        if isinstance(node, ir.Spec) and node.op in turned:
            yield set_to(node, "op", turned[node.op])
        elif isinstance(node, ir.Spec) and node.form == "total" and node.dice is not None:
            for term in ir.walk(node.dice):
                if isinstance(term, ir.DiceTerm):  # a score that nothing is held against: a die of one face has none
                    yield set_to(term, "sides", ir.Const(1, type=term.type))


def nothing(type_: Type) -> ir.Const:
    """The value that says least: 0, no, none."""
    if is_number(type_):
        return ir.Const(0, type=type_)
    return ir.Const(False, type=YES_NO) if type_.kind == "yes_no" else ir.Const(None, type=type_)
