"""A checked program: everything that the merged rules say, in the intermediate form, ready for the back ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from warhost.lang import ir
from warhost.lang.natives import FUNCTIONS, RULE
from warhost.lang.place import NOWHERE, Pos
from warhost.lang.types import Type
from warhost.vocabulary import Asked, Function, Kind, Vocabulary


class RuleData(Protocol):
    """What the checker reads of a ruleset's data: tables, profiles, lists and scenarios as the packs give them."""

    @property
    def tables(self) -> Mapping[str, Any]:
        """Tables by name."""
    @property
    def profiles(self) -> Mapping[str, Any]:
        """Profiles that units can have, by id."""

    @property
    def lists(self) -> Mapping[str, Any]:
        """Army lists that armies can be of, by id."""

    @property
    def abstract_lists(self) -> Mapping[str, Any]:
        """Those that only others build on, by id."""

    @property
    def scenarios(self) -> Mapping[str, Any]:
        """Scenarios by id."""


@dataclass(slots=True)
class FieldInfo:
    """A field of a noun. writable: declared by `state`; profile: given by the data.

    default, at_least and at_most are constant functions or functions of `it`, or None.
    """

    name: str
    type: Type
    writable: bool
    profile: bool
    default: ir.Routine | None = None
    at_least: int | None = None
    at_most: int | None = None
    resets: ir.When | None = None
    secret: bool = False
    pos: Pos = NOWHERE
    doc: str = ""
    required: bool = False


@dataclass(slots=True)
class Noun:
    """root is the noun at the top of the `is a` chain: its entities carry all the fields of the family."""

    name: str
    plural: str
    is_a: str | None = None
    where: ir.Routine | None = None
    fields: dict[str, FieldInfo] = field(default_factory=dict)
    doc: str = ""


@dataclass(slots=True)
class Definition:
    """One instance of a kind as written: `trait Evasion(n)`, with everything it brings into force.

    family: the plain title, if it is one of several variants (`Spear(mounted)`). variants: what stands for all of them
    under that title says by which words each is known and under which title it is found; it brings nothing into force.
    """

    kind: str
    title: str
    params: list[ir.Param]
    bearer: Type
    cost: Any = None
    values: dict[str, Any] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    keeps: dict[str, FieldInfo] = field(default_factory=dict)
    templates: list[ir.Template] = field(default_factory=list)
    handlers: list[ir.Handler] = field(default_factory=list)
    reactions: list[ir.Reaction] = field(default_factory=list)
    rights: list[ir.RerollRight] = field(default_factory=list)
    narrowings: list[ir.Narrowing] = field(default_factory=list)
    parts: list[ir.PartLine] = field(default_factory=list)
    procedures: dict[str, str] = field(default_factory=dict)
    targets: ir.Routine | None = None
    ends_at: ir.When | None = None
    includes: list[tuple[str, str]] = field(default_factory=list)
    ref: tuple[str, ...] = ()
    reads: str = ""
    pos: Pos = NOWHERE
    order: int = 0
    family: str = ""
    variants: dict[tuple[str, ...], str] = field(default_factory=dict)

    @property
    def titles(self) -> tuple[str, ...]:
        """By what names it is borne: its own, and that of all its variants."""
        return (self.title, self.family) if self.family else (self.title,)


@dataclass(slots=True)
class Table:
    """Values by keys. Ranges hold (low, high, value) for one number key; rows hold values by tuple of keys."""

    name: str
    params: list[ir.Param]
    type: Type
    rows: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    cases: list[tuple[ir.Routine | None, ir.Routine]] = field(default_factory=list)
    otherwise: Any = None
    has_otherwise: bool = False
    ref: tuple[str, ...] = ()


@dataclass(slots=True)
class Constraint:
    """A condition on an army: require and when take (army), message gives the sentence that a player reads."""

    name: str
    require: ir.Routine
    message: ir.Routine
    when: ir.Routine | None
    ref: tuple[str, ...]
    pos: Pos


@dataclass(slots=True)
class NamedChoice:
    """A `choice` block: options gives the list before any narrowing."""

    name: str
    params: list[ir.Param]
    options: ir.Routine
    narrowings: list[ir.Narrowing] = field(default_factory=list)


@dataclass(slots=True)
class Program:
    """Everything that the merged rules declare, by name.

    natives: the functions of the language and of plugins. definitions: by kind and title. templates: every line that
    changes a number, by key. handlers: those of moments (those of events are in their events). turn_order: how player
    turns follow each other, None for turns of all sides together. costs: the steps that a number takes off the budget
    (see costs.py). phases_gone: phases of the turn that a higher layer has removed. asked: what plugins can do with
    numbers that they ask, by name. checker: the checker that made the program, or None; make_checker makes one for a
    program that was restored from the cache.
    """

    nouns: dict[str, Noun]
    words: dict[str, tuple[str, ...]]
    kinds: dict[str, Kind]
    natives: dict[str, Function]
    numbers: dict[str, ir.Number]
    rolls: dict[str, ir.Roll]
    procedures: dict[str, ir.Routine]
    events: dict[str, ir.Event]
    tables: dict[str, Table]
    choices: dict[str, NamedChoice]
    definitions: dict[tuple[str, str], Definition]
    constraints: list[Constraint]
    templates: dict[str, ir.Template]
    handlers: list[ir.Handler]
    setup: list[ir.Phase]
    turn: list[ir.Phase]
    turn_order: ir.Phase | None
    reroll_rights: list[ir.RerollRight]
    checker: Any = None
    make_checker: Callable[[], Any] | None = None
    costs: dict[str, int] = field(default_factory=dict)
    phases_gone: frozenset[str] = frozenset()
    asked: Mapping[str, Asked] = field(default_factory=dict)

    def definition(self, title: str, kind: str = "") -> Definition | None:
        """The definition of this title (of this kind, when one is given)."""
        if kind:
            return self.definitions.get((kind, title))
        return next((d for (_, t), d in self.definitions.items() if t == title), None)

    def lines_by_number(self) -> dict[str, list[ir.Template]]:
        """The lines that change each number, wherever they stand."""
        found: dict[str, list[ir.Template]] = {}
        for t in self.templates.values():
            found.setdefault(t.number, []).append(t)
        return found


#: The rules that lie under every ruleset.
PRELUDE = Path(__file__).with_name("prelude.rules")


def restore(program: Program, vocabulary: Vocabulary, make_checker: Callable[[], Any] | None) -> None:
    """Give a bare program the functions and kinds of the language and the plugins, and a way to make a checker."""
    program.natives = {f.name: f for f in FUNCTIONS} | dict(vocabulary.functions)
    program.kinds = {"rule": RULE, **vocabulary.kinds}
    program.asked = vocabulary.asked
    program.make_checker = make_checker


def bare(program: Program) -> Program:
    """A copy without what cannot be pickled: the functions and kinds of plugins, and the checker."""
    return replace(program, natives={}, kinds={}, asked={}, checker=None, make_checker=None)
