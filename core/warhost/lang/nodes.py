"""What the syntax tree and the intermediate form have in common: classes of nodes, and the way through them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, dataclass_transform

from warhost.lang.pickling import pickled_quickly

#: Annotations of fields in which no node can lie.
_PLAIN = frozenset(
    {
        "Any", "Pos", "Type", "bool", "int", "int | None", "str", "str | None", "list[str]", "tuple[str, ...]",
        "tuple[str, tuple[str, ...]] | None",
    }
)  # fmt: skip


class _NodeType(type):
    """Makes every class of nodes a dataclass with slots; frozen ones get a quick way through a pickle.

    spares: what `dataclass` need not make for each of them, since `Alike` does it for all. Making classes takes a part
    of the time of every command.
    """

    frozen = False
    spares: Mapping[str, bool] = {}

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: bool) -> Any:
        cls: Any = super().__new__(mcls, name, bases, namespace)
        if "__slots__" in namespace:  # made by `dataclass` below
            return cls
        cls.__doc__ = cls.__doc__ or name  # where there is none, `dataclass` works the signature out to make one
        made = dataclass(slots=True, frozen=mcls.frozen, **mcls.spares, **options)(cls)
        return pickled_quickly(made) if mcls.frozen else made


@dataclass_transform(field_specifiers=(field,))
class NodeType(_NodeType):
    """Of classes whose nodes may be changed; they stand on `Alike`. Keywords of a class go to `dataclass`."""

    spares: Mapping[str, bool] = {"repr": False, "eq": False}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class FrozenNodeType(_NodeType):
    """Of classes whose nodes never change."""

    frozen = True


class Alike:
    """What all dataclasses on it have in common: equal is what is of the same class and has equal fields."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, f.name) == getattr(other, f.name) for f in fields(self) if f.compare)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]  # what may be changed has none

    @recursive_repr("...")
    def __repr__(self) -> str:
        shown = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.repr]  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"


_WORD = re.compile(r"\w+")
_HOLDING: dict[type, tuple[str, ...]] = {}


def _holding(cls: Any) -> tuple[str, ...]:
    """The fields of a class of nodes in which others can lie."""
    if cls not in _HOLDING:
        _HOLDING[cls] = tuple(f.name for f in fields(cls) if str(f.type) not in _PLAIN)
    return _HOLDING[cls]


def children(node: Any) -> list[Any]:
    """The nodes directly below, in source order of the fields."""
    found: list[Any] = []
    for name in _HOLDING.get(node.__class__) or _holding(node.__class__):
        value = getattr(node, name)
        kind = value.__class__
        if kind is list or kind is tuple:
            _gather(value, found)
        elif kind.__class__ is not type and isinstance(kind, _NodeType):
            found.append(value)
    return found


def _gather(values: Iterable[object], found: list[Any]) -> None:
    for value in values:
        kind = value.__class__
        if kind is list or kind is tuple:
            _gather(value, found)  # type: ignore[arg-type]
        elif kind.__class__ is not type and isinstance(kind, _NodeType):
            found.append(value)


def walk(node: Any, without: Collection[type] = frozenset()) -> Iterator[Any]:
    """The node and everything below it, depth first, parents before children. without: classes of nodes that are left
    out, with all that is below them.
    """
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        below = children(one)
        below.reverse()
        waiting += [inner for inner in below if inner.__class__ not in without] if without else below


@cache
def _saying(cls: Any) -> Callable[[Any], Any]:
    """What gives all fields of a node but its place, as a tuple, and two empty ones."""
    return attrgetter(*(f.name for f in fields(cls) if f.name != "pos"), "__doc__", "__doc__")


def said_by(what: Any) -> Hashable:
    """What a node says, wherever it stands, or what stands in its fields: equal for those that say the same. Raises
    TypeError where values of no node stand in it that have no hash.
    """
    kind = what.__class__
    if kind is list or kind is tuple:
        return tuple(map(said_by, what))
    if kind.__class__ is not type and isinstance(kind, _NodeType):
        return kind, *map(said_by, _saying(kind)(what)[:-2])
    hash(what)
    return kind, what


def words_in(node: Any) -> frozenset[str]:
    """Every word of every text in a node and below it: names, titles, sentences."""
    found: list[str] = []
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.__class__ is str:
            found.append(one)
        elif one.__class__ is tuple:
            waiting += one
        elif isinstance(one.__class__, _NodeType):
            waiting += _saying(one.__class__)(one)[:-2]
    return words_of(" ".join(found))


def words_of(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(_WORD.findall(text))


def are_the_same(one: Any, other: Any) -> bool:
    """Whether two nodes, or what stands in their fields, say the same at the same places."""
    if one is other:
        return True
    if one.__class__ is not other.__class__:
        return False
    if one.__class__ is tuple:
        return len(one) == len(other) and all(map(are_the_same, one, other))
    if isinstance(one.__class__, _NodeType):
        saying = _saying(one.__class__)
        return bool(one.pos == other.pos) and are_the_same(saying(one)[:-2], saying(other)[:-2])
    return bool(one == other)


def rebuilt(node: Any, change: Callable[[Any], Any], goes_into: Callable[[str, Any], bool] | None = None) -> Any:
    """A frozen node with what `change` makes of each node directly below it; the very same one if that changes nothing.

    goes_into: whether the nodes in a field, by its name and value, are changed; without it all are.
    """
    changes: dict[str, Any] = {}
    for name in _holding(node.__class__):
        value = getattr(node, name)
        if goes_into is None or goes_into(name, value):
            new = _rebuilt(value, change)
            if new is not value:
                changes[name] = new
    return replace(node, **changes) if changes else node


def _rebuilt(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value.__class__, _NodeType):
        return change(value)
    if isinstance(value, tuple):
        new = tuple(_rebuilt(one, change) for one in value)
        return new if any(a is not b for a, b in zip(new, value, strict=True)) else value
    return value
