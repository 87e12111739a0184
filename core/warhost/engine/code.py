"""The callables of a program, as a back end makes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import CodeType
from typing import TYPE_CHECKING, Any

from warhost.engine.code_cache import cached_codes
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.marks import Marks, place_of
from warhost.lang.program import Program
from warhost.lang.python_backend import PythonBackend
from warhost.lang.support import text
from warhost.lang.types import ANY, list_of
from warhost.vocabulary import Asked

if TYPE_CHECKING:
    from warhost.packs import Ruleset


class Code:
    """What the engine calls: numbers, procedures, tables, nouns and single functions.

    One Code serves any number of battles of its program, one after the other. traced: how numbers come about is noted.
    backend: another maker of callables than the compiler.
    """

    def __init__(
        self, program: Program, traced: bool = False, codes: dict[bytes, CodeType] | None = None, backend: Any = None
    ) -> None:
        self.program = program
        self.traced = traced
        #: Whether somebody else makes the callables and wants to be asked for everything: no short ways are taken.
        self.watched = backend is not None
        if backend is None:
            backend = PythonBackend(program, codes, traced=traced)
        self.backend = backend
        self.reached: Marks | None = getattr(backend, "reached", None)
        self.number: Callable[[str], Callable[..., Any]] = backend.number
        self.procedure: Callable[[str], Callable[..., Any]] = backend.procedure
        self.table: Callable[[str], Callable[..., Any]] = backend.table
        self.noun: Callable[[str], Callable[..., Any]] = backend.noun
        self.function: Callable[[ir.Routine], Callable[..., Any]] = backend.function
        self.bit: Callable[[str], int] = backend.bit
        self.lines: dict[int, tuple[Callable[..., Any] | None, ...]] = {}
        self.pins: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
        self._by_number: tuple[int, dict[str, list[ir.Template]]] = (-1, {})
        self.whose: dict[int, ir.Routine] = {}
        self.plain_tests: dict[str, Any] = {}
        #: What plugins ask: a number by its name, several for the same arguments by theirs (see `asks`).
        self.asked: dict[str | tuple[str, ...], Callable[..., Any]] = {}
        #: What others have found out about the program once and for all, by a name of theirs.
        self.worked_out: dict[str, Any] = {}
        self.watchers: dict[str, frozenset[str] | None] = {}
        self.watched_names: dict[int, frozenset[str] | None] = {}

    def thinking(self) -> AbstractContextManager[None]:
        """While a player makes up his mind: what he asks of the rules does not happen."""
        return self.reached.thinking() if self.reached is not None else nullcontext()

    def asks(self, names: str | tuple[str, ...]) -> Callable[..., Any]:
        """The callable of a number that is asked from outside; of several, in one go, a list of what they come to."""
        numbers = [self.program.numbers[n] for n in ([names] if isinstance(names, str) else names)]
        params = numbers[0].params
        given: list[ir.Expr] = [ir.Local(p.name, type=p.type) for p in params]
        values: list[ir.Expr] = [ir.Evaluate(n.name, given, type=n.type) for n in numbers]
        value = values[0] if isinstance(names, str) else ir.CallFunction("list of", values, type=list_of(ANY))
        found = self.function(ir.Routine(f"asked: {names}", "a question", params, value))
        limited = [(i, asked) for i, n in enumerate(numbers) if (asked := self.program.asked.get(n.name)) is not None]
        found = self.asked[names] = self._held(found, numbers, limited, isinstance(names, str)) if limited else found
        return found

    @staticmethod
    def _held(
        ask: Callable[..., Any], numbers: Sequence[ir.Number], limited: Sequence[tuple[int, Asked]], alone: bool
    ) -> Callable[..., Any]:
        """The same, and a fault when a number comes to what the plugin that asks it can do nothing with."""

        def asking(rt: Any, *args: Any) -> Any:
            answer = ask(rt, *args)
            values = (answer,) if alone else answer
            for i, asked in limited:
                wrong = asked.misfit(values[i])
                if wrong is not None:
                    pos, of = numbers[i].pos, f" of {args[0]}" if args else ""
                    raise RuleFault(f"{asked.name}{of} is {text(values[i])} ({pos.file}:{pos.line}): {wrong}")
            return answer

        return asking

    def lines_of(self, number: str) -> list[ir.Template]:
        """The lines that change a number, wherever they stand."""
        count = len(self.program.templates)
        if self._by_number[0] != count:
            self._by_number = (count, self.program.lines_by_number())
        return self._by_number[1].get(number, [])

    def line(self, t: ir.Template) -> tuple[Callable[..., Any] | None, ...]:
        """The callables of a line of a number: its condition, its value, its source; None for what it has not."""
        when, value, source = (self.function(f) if f is not None else None for f in (t.when, t.value, t.source))
        if value is None and self.reached is not None:
            value = self.reached.marker(place_of(t))  # "allow" and "forbid" have no value that could leave the mark
        found = self.lines[id(t)] = (when, value, source)
        return found


def code_of(rules: Ruleset, trace: bool) -> Code:
    """The compiled program of a ruleset, kept with it."""
    if _MAKERS:
        return _MAKERS[-1](rules)
    key = (id(rules.program), trace)
    if key not in _CODES:
        if len(_CODES) > 16:
            _CODES.clear()
        codes = cached_codes(rules.rules_digest) if rules.rules_digest else None
        _CODES[key] = (Code(rules.program, trace, codes), rules.program)
    return _CODES[key][0]


_CODES: dict[tuple[int, bool], tuple[Code, Any]] = {}
_MAKERS: list[Callable[[Ruleset], Code]] = []


@contextmanager
def code_made_by(make: Callable[[Ruleset], Code]) -> Iterator[None]:
    """Inside, every battle that begins, traced or not, runs on the code that make gives for its ruleset."""
    _MAKERS.append(make)
    try:
        yield
    finally:
        _MAKERS.pop()
