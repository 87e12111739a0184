"""Names that ask for each other in a circle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
