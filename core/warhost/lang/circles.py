"""Numbers that ask for themselves, and procedures that call each other whatever happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from warhost.lang import tree as t

#: What each name asks for, and where.
Asked = Mapping[str, Mapping[str, t.Pos]]


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


def certain_calls(blocks: Iterable[t.AnyBlock]) -> dict[str, dict[str, t.Pos]]:
    """What each procedure calls whatever happens."""
    procedures = [b for b in blocks if isinstance(b, t.ProcedureBlock)]
    names = {b.name for b in procedures}
    return {b.name: {name: pos for name, pos in _certain(b.body) if name in names} for b in procedures}


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
