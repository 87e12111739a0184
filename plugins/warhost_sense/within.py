"""A block gone through once, for all who look for nodes of some class in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from warhost.lang import tree as t

N = TypeVar("N", bound=t.Node)


class Within:
    """A block with all that is in it. nodes: itself and everything below it, as `walk` gives them."""

    __slots__ = ("_by_class", "block", "nodes")

    def __init__(self, block: t.AnyBlock) -> None:
        self.block = block
        self.nodes: Sequence[t.Node] = list(t.walk(block))
        self._by_class: dict[type[t.Node], list[t.Node]] = {}
        for node in self.nodes:
            self._by_class.setdefault(node.__class__, []).append(node)

    def of(self, sort: type[N]) -> Sequence[N]:
        """Its nodes of a class, in the order of the text."""
        found: list[N] = self._by_class.get(sort, [])  # type: ignore[assignment]
        return found
