"""Where a piece of a rule stands: the names it sees and what it may do there."""

from __future__ import annotations

from dataclasses import dataclass, field

from warhost.lang import ir, tree
from warhost.lang.place import Pos
from warhost.lang.types import Type


@dataclass
class Scope:
    """what names the block for messages ("number reach"); pure forbids every effect.

    narrowed holds types that a condition has made certain, by the text of the path (`x`, `x.f`). anchor is whose
    friends and enemies a phrase means when nothing in it says so. half has the names that got a value in some branches
    only. gives is the type that a procedure says its result has. asked has what conditions so far have compared with
    something. untyped has the parameters that are numbers because nothing says otherwise; chosen, the names of what
    was chosen, if there was anything to choose. event is the one that a handler or reaction answers.
    renamed gives the local of the intermediate form that a name stands for, where the two differ (`it`).
    """

    what: str
    names: dict[str, Type] = field(default_factory=dict)
    pure: bool = True
    this_fields: dict[str, Type] = field(default_factory=dict)
    local_procedures: dict[str, str] = field(default_factory=dict)
    kind_params: frozenset[str] = frozenset()
    untyped: frozenset[str] = frozenset()
    chosen: frozenset[str] = frozenset()
    anchor: ir.Expr | None = None
    narrowed: dict[str, Type] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)
    event_params: tuple[str, ...] = ()
    hook: str = ""
    event: str = ""
    decision: str = ""
    results: list[tuple[Type, Pos]] = field(default_factory=list)
    dice_allowed: bool = False
    travelling: bool = False
    half: set[str] = field(default_factory=set)
    gives: Type | None = None
    asked: set[tree.Expr] = field(default_factory=set)

    def inner(self, **changes: object) -> Scope:
        """A scope that sees the same names but adds its own without touching these."""
        copy = Scope.__new__(Scope)
        copy.__dict__.update(self.__dict__)
        copy.__dict__.update(changes)
        if "names" not in changes:
            copy.names = dict(self.names)
        copy.narrowed = dict(self.narrowed)
        copy.renamed = dict(self.renamed)
        return copy

    def with_names(self, **names: Type) -> Scope:
        """A scope that sees these names besides."""
        scope = self.inner()
        for name, type_ in names.items():
            scope.bind(name, type_)
        return scope

    def bind(self, name: str, type_: Type, local: str | None = None) -> None:
        """Let a name stand for a new thing from here on."""
        self.names[name] = type_
        self.forget(name)
        self.kind_params = self.kind_params - {name}
        self.untyped = self.untyped - {name}
        self.chosen = self.chosen - {name}
        if local is not None:
            self.renamed[name] = local
        else:
            self.renamed.pop(name, None)

    def forget(self, name: str) -> None:
        """Drop what was known of a name that gets a new value."""
        for path in [p for p in self.narrowed if p == name or p.startswith(name + ".")]:
            del self.narrowed[path]

    def forget_fields(self, field_name: str) -> None:
        """Drop what was known of a field, of whomever: it may have been written."""
        for path in [p for p in self.narrowed if p.split(".")[-1] == field_name]:
            del self.narrowed[path]
