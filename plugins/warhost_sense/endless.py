"""Numbers that ask for themselves, and procedures that call each other whatever happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.lang.symbols import Symbols

#: What each name asks for, and where.
Asked = Mapping[str, Mapping[str, t.Pos]]


def look(checker: Checker, asks: Asked) -> None:
    """Report numbers that ask for themselves in the end (asks: what each asks for), if only through a function of a
    plugin that asks for numbers, and procedures without an end.
    """
    procedures = checker.blocks_of(t.ProcedureBlock)
    names = {b.name for b in procedures}
    certain = {b.name: checker.notes_of(b).kept.get("calls", {}) for b in procedures}
    calls = {name: {n: pos for n, pos in found.items() if n in names} for name, found in certain.items()}
    for of, said, hint in (
        (_with_functions(asks, checker.symbols), "is made of itself", "one of them must do without the others"),
        (calls, "never comes to an end: it calls itself whatever happens", "call it under a condition"),
    ):
        for circle in circles(of):
            pos = of[circle[-1]][circle[0]]
            checker.symbols.report(pos, "circle", f'"{circle[0]}" {said}: {around(circle)}',
                                   f'{hint}: {", ".join(circle[:6])}')  # fmt: skip


def _with_functions(asks: Asked, symbols: Symbols) -> Asked:
    """The same, and what the functions among what is asked for ask themselves, each where it is first called. (Of a
    name that fields have, too, they may mean these.)
    """
    called: dict[str, t.Pos] = {}
    for asked in asks.values():
        for name, pos in asked.items():
            if name in symbols.functions:
                called.setdefault(name, pos)
    fields = {name for noun in symbols.nouns for name in symbols.fields_of(noun)} if called else set()
    of = {name: sorted((symbols.functions[name].asks or frozenset()) - fields) for name in called}
    return {**asks, **{name: dict.fromkeys(of[name], at) for name, at in called.items()}}


def circles(asks: Asked) -> Iterator[list[str]]:
    """The circles in which names ask for each other, each once, as names in their order."""
    done: set[str] = set()
    for start in asks:
        path: list[str] = []
        on_path: set[str] = set()
        pending: list[tuple[str, Iterator[str]]] = [(start, iter(asks.get(start, ())))] if start not in done else []
        if pending:
            path, on_path = [start], {start}
        while pending:
            name, others = pending[-1]
            other = next(others, None)
            if other is None:
                pending.pop()
                path.pop()
                on_path.discard(name)
                done.add(name)
            elif other in on_path:
                yield path[path.index(other) :]
            elif other not in done and other in asks:
                path.append(other)
                on_path.add(other)
                pending.append((other, iter(asks[other])))


def around(circle: list[str]) -> str:
    """`a -> b -> a`."""
    return " -> ".join([*circle[:6], *([".."] if circle[6:] else []), circle[0]])


def certain_calls(body: Iterable[t.Statement]) -> dict[str, t.Pos]:
    """What is called in a body whatever happens, and where."""
    return dict(_certain(body))


def _certain(body: Iterable[t.Statement]) -> Iterator[tuple[str, t.Pos]]:
    """The calls in the steps that are always reached."""
    for s in body:
        if isinstance(s, t.CallStatement) and isinstance(s.call, t.Call):
            yield s.call.name, s.pos
        elif isinstance(s, t.Assign | t.Say) or (isinstance(s, t.Control) and s.unless is None):
            yield from ((n.name, s.pos) for n in t.walk(s) if isinstance(n, t.Call))
        elif isinstance(s, t.Together):
            yield from _certain(s.body)
        if any(isinstance(n, t.Control | t.Refuse) for n in t.walk(s)):
            return
