"""The interface by which compiled code reports the lines that are executed (warhost_proof implements it)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from warhost.lang import ir
from warhost.lang.place import Pos


class Marks(Protocol):
    """Marks for lines of the rules: compiled code sets the mark of each line that it executes."""

    #: The names of the tables of data that were looked into.
    tables: set[str]

    def counts(self, f: ir.Routine) -> bool:
        """Whether executing a function means that its rule was applied; not so for a condition, which may be false."""

    def mark(self, pos: Pos) -> str:
        """The Python statement that marks a line; empty for code that stands in no file."""

    def marker(self, pos: Pos) -> Callable[..., None] | None:
        """A function that marks a line which has no code of its own; None for one that stands in no file."""

    def listen(self, space: dict[str, Any]) -> None:
        """Put the marks among the globals of compiled code."""

    def thinking(self) -> AbstractContextManager[None]:
        """A context in which nothing is marked: what a computer player tries out is not played."""


def place_of(t: ir.Template) -> Pos:
    """The place that is marked for a line of a number."""
    return t.value.pos if t.value is not None and t.value.pos.line else t.pos
