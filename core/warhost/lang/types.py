"""The static types of the rules language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from warhost.lang.pickling import pickled_quickly


@pickled_quickly
@dataclass(frozen=True, slots=True)
class Type:
    """kind: number, fraction, distance, yes_no, text, word, noun, kind, list, none, any.

    name tells which enumeration, noun or kind (none: any of them); item is a list's element. optional admits `none`.
    """

    kind: str
    name: str = ""
    item: Type | None = None
    optional: bool = False

    def __str__(self) -> str:
        text = {"word": self.name, "noun": self.name or "thing", "kind": self.name}.get(self.kind, self.kind)
        if self.kind == "list":
            text = f"list of {self.item}"
        return f"{text} or none" if self.optional else text

    @property
    def or_none(self) -> Type:
        """The same type, or `none`."""
        return self if self.optional or self.kind in ("none", "any") else _with(self, True)

    @property
    def certain(self) -> Type:
        """The same type without `none`."""
        return _with(self, False) if self.optional else self

    @property
    def numeric(self) -> bool:
        """Whether one can compute with it."""
        return self.kind in ("number", "fraction", "distance", "any")


# Equal types are one as far as these go: a program says them thousands of times, and is kept in the cache.


@cache
def _with(type_: Type, optional: bool) -> Type:
    return replace(type_, optional=optional)


NUMBER = Type("number")
FRACTION = Type("fraction")
DISTANCE = Type("distance")
YES_NO = Type("yes_no")
TEXT = Type("text")
NONE = Type("none")
ANY = Type("any")


@cache
def list_of(item: Type) -> Type:
    """The type of a list of such items."""
    return Type("list", item=item)


@cache
def noun_type(name: str) -> Type:
    """The type of things of a noun."""
    return Type("noun", name)
