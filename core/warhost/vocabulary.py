"""What a plugin can add to the rules language: plain declarations, checked like everything else.

Types are written as in the language: `number`, `yes_no`, `distance`, `text`, `unit or none`, `list of unit`,
the name of a noun, a kind (its definitions) or an enumeration (`words`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Function:
    """A named function that rules may call.

    call receives the battle first, then the arguments by position. A two-parameter yes/no function can be written
    between its arguments (`unit sees other`). effects: any of 'rolls', 'chooses', 'writes', 'moves', 'creates',
    'emits'; empty means pure, and only pure functions may be used in numbers and flags.
    statement True: it is a step, not a value.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: str
    call: Callable[..., Any]
    doc: str
    effects: frozenset[str] = frozenset()

    @property
    def pure(self) -> bool:
        return not self.effects


def function(
    name: str, params: str, result: str, call: Callable[..., Any], doc: str, *effects: str
) -> Function:
    """A function with its parameters as the language writes them: `a: unit, b: side or none`; `b?: ..` is optional."""
    parameters = []
    for part in filter(None, (p.strip() for p in params.split(","))):
        word, _, type_ = part.partition(":")
        parameters.append(Parameter(word.strip().rstrip("?"), type_.strip(), word.strip().endswith("?")))
    return Function(name, tuple(parameters), result, call, doc, frozenset(effects))


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a kind: what stands before the colon in its block, or in YAML."""

    name: str
    type: str
    doc: str
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of block: `trait`, `mount`, `relic`. Instances have a title, parameters, fields and rules in force.

    roles are the names by which its rules know who has to do with an instance, besides `bearer`: giver, owner, and for
    what is done to somebody target and caster.

    bearer is the noun that carries an instance unless the block says `of NOUN`. flags are bare words allowed among
    the fields (`persistent`).
    """

    name: str
    plural: str
    doc: str
    bearer: str = "unit"
    fields: tuple[Field, ...] = ()
    flags: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("giver", "owner")


@dataclass(frozen=True, slots=True)
class Kept:
    """What a plugin keeps of a battle besides the fields of its things, as it was at some moment.

    put_back brings it back. key is equal for equal states, whatever became of the battle since.
    """

    put_back: Callable[[], None]
    key: Hashable


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything the active plugins declare, in the order of the ruleset's plugin list."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
