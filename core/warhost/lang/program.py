"""A checked program: everything that the merged rules say, in the intermediate form, ready for the back ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from warhost.lang import ir
from warhost.lang.natives import FUNCTIONS, RULE
from warhost.lang.place import Pos
from warhost.lang.symbols import Definition, Noun, Table
from warhost.vocabulary import Function, Kind, Vocabulary


class RuleData(Protocol):
    """What the checker reads of a ruleset's data: tables, profiles, lists and scenarios as the packs give them."""

    @property
    def tables(self) -> Mapping[str, Any]: ...
    @property
    def profiles(self) -> Mapping[str, Any]: ...

    @property
    def lists(self) -> Mapping[str, Any]: ...

    @property
    def abstract_lists(self) -> Mapping[str, Any]: ...

    @property
    def scenarios(self) -> Mapping[str, Any]: ...


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
    (see costs.py). phases_gone: phases of the turn that a higher layer has removed. checker: the checker that made the
    program, or None; make_checker makes one for a program that was restored from the cache.
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


def restore(program: Program, vocabulary: Vocabulary, make_checker: Callable[[], Any]) -> None:
    """Give a bare program the functions and kinds of the language and the plugins, and a way to make a checker."""
    program.natives = {f.name: f for f in FUNCTIONS} | dict(vocabulary.functions)
    program.kinds = {"rule": RULE, **vocabulary.kinds}
    program.make_checker = make_checker


def bare(program: Program) -> Program:
    """A copy without what cannot be pickled: the functions and kinds of plugins, and the checker."""
    return replace(program, natives={}, kinds={}, checker=None, make_checker=None)
