"""What goes by a figure that may have fallen to its lowest: choices from a number to less, and divisions by 0."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost_sense.within import Within

#: Flags, numbers and values may ask for a block.
_ASKED = ("flag", "number", "value")
#: What is done in a block is done by these.
_DONE = ("procedure", "event")


#: Under this name the notes of a block keep which fields it takes something off.
LOWERED = "lowered"


def lowered_in(within: Within) -> frozenset[str]:
    """The fields that a block takes something off."""
    return frozenset(n.target.name for n in within.of(t.Assign) if n.op == "-=")


def look(checker: Checker) -> None:
    """Report choices up to a field that begins higher, and that its limit lets fall below the lowest number, and
    divisions by what its limit lets be 0, unless something around them asks for it, or whoever has so little of it is
    destroyed.
    """
    asking = _FallenFigures(checker)
    gone: dict[str, bool] = {}
    always_gone: dict[str, bool] = {}
    for block in (placed.block for placed in checker.placed):
        for pos, named, low in checker.notes_of(block).falling_spans:
            if asking.asks(named, block):
                continue
            if named not in gone:
                gone[named] = asking.is_destroyed_without(named)
            if not gone[named]:
                checker.symbols.report(pos, "may-be-empty", *no_number(named, low))
        for pos, named, is_state in checker.notes_of(block).falling_divisions:
            if asking.asks(named, block):
                continue
            if is_state and named not in always_gone:
                always_gone[named] = asking.is_destroyed_by_who_lowers(named)
            if not (is_state and always_gone[named]):
                checker.symbols.report(pos, "may-be-zero", *no_division(named))


def no_number(named: str, low: int) -> tuple[str, str]:
    """What is said of a choice from a number to what may be below it, and what mends it."""
    hint = f"ask before, in the same block, whether {named} is {low} or more, or write `or none`"
    return f"{named} may be {low - 1}, and then there is no number to choose", hint


def no_division(by: str) -> tuple[str, str]:
    """What is said of a division by what may be 0, and what mends it."""
    hint = "write `/ higher_of(.., 1)`, or ask before, in the same block, whether it is 0"
    return f"{by} may be 0, and nothing can be divided by 0", hint


class _FallenFigures:
    """Which blocks ask for a field, and which destroy somebody. Each is gone through once, when it matters."""

    __slots__ = ("_destroying", "_names", "blocks", "checker")

    def __init__(self, checker: Checker) -> None:
        self.checker = checker
        self.blocks = [placed.block for placed in checker.placed]
        self._names: dict[int, set[str]] = {}
        self._destroying: dict[int, bool] = {}

    def is_destroyed_without(self, field: str) -> bool:
        """Whether what asks for a field somewhere destroys somebody: who has none of it is on the table no more."""
        plainly = [block for block in self.blocks if field in self.checker.notes_of(block).compared]
        return any(map(self.destroys, plainly)) or any(
            self.destroys(block) and self.asks(field, block) for block in self.blocks
        )

    def is_destroyed_by_who_lowers(self, field: str) -> bool:
        """Whether every block that takes something of a field off, or one that has it done, asks for it and destroys
        who has none left.
        """
        lowering = [b for b in self.blocks if field in self.checker.notes_of(b).kept.get(LOWERED, ())]
        if not lowering:
            return self.is_destroyed_without(field)
        seeing = [block for block in self.blocks if self.destroys(block) and self.asks(field, block)]
        named = set[str]().union(*map(self.names, seeing))
        seen_to = {id(block) for block in seeing}
        return all(id(block) in seen_to or getattr(block, "name", None) in named for block in lowering)

    def destroys(self, block: t.AnyBlock) -> bool:
        """Whether a block destroys somebody, by itself or by what it has done."""
        known = self._destroying.get(id(block))
        if known is None:
            known = any("destroy" in self.names(one) for one in self.and_those(block, _DONE, 2))
            self._destroying[id(block)] = known
        return known

    def asks(self, field: str, block: t.AnyBlock) -> bool:
        """Whether a block compares a field with a number, by itself or by the flags and numbers that it asks for."""
        return any(field in self.checker.notes_of(one).compared for one in self.and_those(block, _ASKED, 9))

    def and_those(self, block: t.AnyBlock, sorts: tuple[str, ...], steps: int) -> Iterator[t.AnyBlock]:
        """A block, and those of some sorts that it speaks of, those of which these speak, and so on."""
        waiting, seen = [(block, steps)], {id(block)}
        while waiting:
            one, left = waiting.pop()
            yield one
            names = self.names(one) if left else set()
            for known in (self.checker.symbols.blocks[sort] for sort in sorts):
                for other in (known[name] for name in sorted(names & known.keys())):
                    if id(other) not in seen:
                        seen.add(id(other))
                        waiting.append((other, left - 1))

    def names(self, block: t.AnyBlock) -> set[str]:
        """The names of which a block speaks, those of events among them."""
        found = self._names.get(id(block))
        if found is None:
            found = self._names[id(block)] = set()
            for node in t.walk(block):
                if isinstance(node, t.Call | t.Name | t.Attribute):
                    found.add(node.name)
                elif isinstance(node, t.Emit):
                    found.add(node.event)
        return found
