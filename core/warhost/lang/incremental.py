"""Checking a program once more after a change: only the blocks that changed, as long as nothing else can tell.

What a block says of itself to others is its head (its name, its parameters, the type that it declares) and, for numbers
and procedures, the type that is found in its body. A change that leaves both as they were makes no other block wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from warhost.errors import Problem, mistakes
from warhost.lang import tree
from warhost.lang.block_checker import turned_into_fractions
from warhost.lang.building_program import Look, checked, checked_in_part
from warhost.lang.circles import Asked
from warhost.lang.program import Program, RuleData
from warhost.lang.symbols import PlacedBlock
from warhost.lang.types import Type
from warhost.vocabulary import Vocabulary

#: Lines of a kind's block that nobody else asks about.
_INNER = (tree.Modifier, tree.Permission, tree.Handler, tree.Reaction, tree.RerollRight)


@dataclass(slots=True)
class _Known:
    """Blocks and data in which nothing was wrong, and a program of them. types: those that were found in bodies. whole:
    the program is of these very blocks; else only its heads are, and bodies are those of blocks before a change.
    """

    blocks: list[tuple[tree.AnyBlock, int]]
    vocabulary: Vocabulary
    data: RuleData
    tables: dict[str, Any]
    program: Program
    types: dict[str, Type]
    asks: Asked = field(default_factory=dict)
    whole: bool = True
    in_order: set[Any] = field(default_factory=set)


class IncrementalCheck:
    """Checks a program and remembers the last that was in order. One for each ruleset that is being written."""

    def __init__(self) -> None:
        self._known: _Known | None = None
        self._names_are_known = False

    @property
    def in_order(self) -> set[Any]:
        """Whatever else was found to be in order with the names of the program that was looked at last: a mark of each
        such thing.
        """
        return self._known.in_order if self._known is not None and self._names_are_known else set()

    def look(
        self, placed: Sequence[PlacedBlock], vocabulary: Vocabulary, data: RuleData, looks: Sequence[Look]
    ) -> tuple[Program | None, list[Problem], bool]:
        """What is wrong now; and, if nothing is, a program to look names up in, and whether it is the whole one: else
        the bodies in it may be older. looks: who looks for mistakes besides the checker.
        """
        blocks = [(p.block, p.order) for p in placed]
        changed = self._changed(blocks, vocabulary, data)
        if changed is not None and self._known is not None:
            found = self._look_in_part(placed, changed, data, looks)
            if found is not None and (not found or mistakes(found)):
                if found:
                    return None, found, False
                self._known.blocks, self._known.data = blocks, data
                self._names_are_known = True
                self._known.whole = self._known.whole and not changed
                return self._known.program, [], self._known.whole
        program, checker = checked(placed, vocabulary, data, looks)
        problems = checker.problems()
        self._names_are_known = not problems
        if problems:  # warnings are told each time: what has them is not remembered
            return (None if mistakes(problems) else program), problems, True
        types = dict(checker.found_types())
        self._known = _Known(blocks, vocabulary, data, dict(data.tables), program, types, checker.asks)
        return program, [], True

    def _look_in_part(
        self, placed: Sequence[PlacedBlock], changed: list[tree.AnyBlock], data: RuleData, looks: Sequence[Look]
    ) -> list[Problem] | None:
        """The problems of what has changed; None when a type has, which others may have counted on."""
        assert self._known is not None
        names = {getattr(block, "name", "") for block in changed}
        before = {name: type_ for name, type_ in self._known.types.items() if name not in names}
        same = data is self._known.data  # whether they are in order depends on heads alone
        checker, is_all = checked_in_part(placed, self._known.vocabulary, data, changed, before, looks, not same)
        found = checker.found_types()
        if any(found.get(name) != self._known.types.get(name) for name in names):
            return None
        if not is_all or checker.makes_a_circle_with(self._known.asks):
            return None  # what others say decides
        return checker.problems()

    def _changed(
        self, blocks: list[tuple[tree.AnyBlock, int]], vocabulary: Vocabulary, data: RuleData
    ) -> list[tree.AnyBlock] | None:
        """The blocks that are not what they were; None when the difference shows elsewhere."""
        known = self._known
        if known is None or len(blocks) != len(known.blocks):
            return None
        if known.vocabulary != vocabulary or known.tables != dict(data.tables):
            return None
        changed = []
        for (old, old_order), (new, order) in zip(known.blocks, blocks, strict=True):
            if old_order != order:
                return None
            if old is not new and old != new:
                if not _same_head(old, new):
                    return None
                changed.append(new)
        return changed


def _same_head(old: tree.AnyBlock, new: tree.AnyBlock) -> bool:
    """Whether two blocks say the same of themselves to all others."""
    if type(old) is not type(new):
        return False
    if isinstance(new, tree.HandlerBlock | tree.ReactionBlock):
        return True
    if isinstance(new, tree.NumberBlock | tree.FlagBlock | tree.ValueBlock | tree.ProcedureBlock):
        heads = [(b.name, b.params, getattr(b, "type", None)) for b in (old, new)]  # type: ignore[union-attr]
        return bool(heads[0] == heads[1])
    if isinstance(new, tree.KindBlock) and isinstance(old, tree.KindBlock):
        said = [
            (b.kind, b.title, b.params, b.of, b.cost, [i for i in b.items if not isinstance(i, _INNER)],
             turned_into_fractions(b.items))
            for b in (old, new)
        ]
        return said[0] == said[1]
    return False
