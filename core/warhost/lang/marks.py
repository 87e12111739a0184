"""What a tool has to offer that wants to know which lines of the rules a battle comes to (warhost_proof does)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Protocol

from warhost.lang import ir
from warhost.lang.place import Pos


class Marks(Protocol):
    """Compiled code makes a mark at each line that it comes to."""

    #: The names of the tables of data that were looked into.
    tables: set[str]

    def counts(self, f: ir.Function) -> bool:
        """Whether coming to a function means that its rule happened: a condition may be asked in vain."""

    def mark(self, pos: Pos) -> str:
        """The statement that marks a line; nothing for code that stands in no file."""

    def marker(self, pos: Pos) -> Callable[..., None] | None:
        """What marks a line that has no code of its own; None for one that stands in no file."""

    def listen(self, space: dict[str, Any]) -> None:
        """The globals of compiled code get the marks."""

    def thinking(self) -> AbstractContextManager[None]:
        """What happens inside leaves no marks."""


def place_of(t: ir.Template) -> Pos:
    """Where the mark of a line of a number is made."""
    return t.value.pos if t.value is not None and t.value.pos.line else t.pos
