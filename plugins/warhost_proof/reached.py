"""Which lines of the rules a battle comes to: compiled code makes a mark at each, if it is asked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from warhost.lang import ir
from warhost.lang.program import Program
from warhost.lang.tree import Pos

Line = tuple[str, int]

#: The name of the marks in compiled code.
MARKS = "S"


class Reached:
    """The lines of a program that were come to, gathered over any number of battles.

    Not counted: conditions that are only asked, and whatever happens while a player makes up his mind (`thinking`).
    """

    def __init__(self, program: Program) -> None:
        self._numbers: dict[Line, int] = {}
        self._marks = bytearray()
        self._scratch = bytearray()
        self._now = self._marks
        self._spaces: list[dict[str, Any]] = []
        self._silent = {id(f) for f in conditions(program)}
        #: The names of the tables of data that were looked into.
        self.tables: set[str] = set()

    def counts(self, f: ir.Routine) -> bool:
        """Whether coming to a function means that its rule happened: a condition may be asked in vain."""
        return id(f) not in self._silent

    def mark(self, pos: Pos) -> str:
        """The statement that marks a line; nothing for code that stands in no file."""
        if not pos.line or not pos.file:
            return ""
        return f"{MARKS}[{self._number((pos.file, pos.line))}] = 1"

    def marker(self, pos: Pos) -> Callable[..., None] | None:
        """What marks a line that has no code of its own; None for one that stands in no file."""
        if not pos.line or not pos.file:
            return None
        number = self._number((pos.file, pos.line))

        def come_to(*_: Any) -> None:
            self._now[number] = 1

        return come_to

    def _number(self, line: Line) -> int:
        """The place of a line among the marks."""
        number = self._numbers.get(line)
        if number is None:
            number = self._numbers[line] = len(self._marks)
            self._marks.append(0)
            self._scratch.append(0)
        return number

    def listen(self, space: dict[str, Any]) -> None:
        """The globals of compiled code get the marks."""
        space[MARKS] = self._marks
        self._spaces.append(space)

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """What happens inside leaves no marks."""
        self._now = self._scratch
        for space in self._spaces:
            space[MARKS] = self._scratch
        try:
            yield
        finally:
            self._now = self._marks
            for space in self._spaces:
                space[MARKS] = self._marks

    @property
    def lines(self) -> set[Line]:
        """The lines (file, number) that were come to so far."""
        return {line for line, number in self._numbers.items() if self._marks[number]}


def conditions(program: Program) -> Iterator[ir.Routine]:
    """Functions that are asked whether or not anything comes of it."""
    lines: list[Any] = [*program.templates.values(), *program.reroll_rights, *program.handlers]
    for event in program.events.values():
        lines += [*event.handlers, *event.reactions]
    for definition in program.definitions.values():
        lines += [*definition.handlers, *definition.reactions, *definition.rights, *definition.narrowings]
    for choice in program.choices.values():
        lines += choice.narrowings
    for line in lines:
        yield from (f for f in (line.when, getattr(line, "members", None), getattr(line, "rated", None)) if f)
    for phase in (*program.setup, *program.turn):
        if phase.when is not None:
            yield phase.when
