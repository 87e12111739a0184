"""Choices from a number to a field that may have fallen below it: then there is nothing to choose."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.lang import tree as t
from warhost.lang.checker import Checker

#: Flags, numbers and values may ask for a block.
_ASKED = ("flag", "number", "value")
#: What is done in a block is done by these.
_DONE = ("procedure", "event")


def look(checker: Checker) -> None:
    """Report choices up to a field that begins higher, and that its limit lets fall below the lowest number, unless
    something around them asks for it, or whoever has so little of it is destroyed.
    """
    gone: dict[str, bool] = {}
    for block in (placed.block for placed in checker.placed):
        for pos, named, low in checker.notes_of(block).falling_spans:
            if _asks(named, block, checker):
                continue
            if named not in gone:
                gone[named] = _is_destroyed_without(named, checker)
            if not gone[named]:
                checker.symbols.report(pos, "may-be-empty", *no_number(named, low))


def no_number(named: str, low: int) -> tuple[str, str]:
    """What is said of a choice from a number to what may be below it, and what mends it."""
    hint = f"ask before, in the same block, whether {named} is {low} or more, or write `or none`"
    return f"{named} may be {low - 1}, and then there is no number to choose", hint


def _is_destroyed_without(field: str, checker: Checker) -> bool:
    """Whether what asks for a field somewhere destroys somebody: who has none of it is on the table no more."""
    blocks = [placed.block for placed in checker.placed]
    plainly = [block for block in blocks if field in checker.notes_of(block).compared]
    return any(_destroys(block, checker) for block in plainly) or any(
        _destroys(block, checker) and _asks(field, block, checker) for block in blocks
    )


def _destroys(block: t.AnyBlock, checker: Checker) -> bool:
    return any("destroy" in _names(one) for one in _and_those(block, checker, _DONE, 2))


def _asks(field: str, block: t.AnyBlock, checker: Checker) -> bool:
    """Whether a block compares a field with a number, by itself or by the flags and numbers that it asks for."""
    return any(field in checker.notes_of(one).compared for one in _and_those(block, checker, _ASKED, 9))


def _and_those(block: t.AnyBlock, checker: Checker, sorts: tuple[str, ...], steps: int) -> Iterator[t.AnyBlock]:
    """A block, and those of some sorts that it speaks of, those of which these speak, and so on."""
    waiting, seen = [(block, steps)], {id(block)}
    while waiting:
        one, left = waiting.pop()
        yield one
        names = _names(one) if left else set()
        for known in (checker.symbols.blocks[sort] for sort in sorts):
            for other in (known[name] for name in sorted(names & known.keys())):
                if id(other) not in seen:
                    seen.add(id(other))
                    waiting.append((other, left - 1))


def _names(block: t.AnyBlock) -> set[str]:
    """The names of which a block speaks, those of events among them."""
    found = {n.name for n in t.walk(block) if isinstance(n, t.Call | t.Name | t.Attribute)}
    return found | {n.event for n in t.walk(block) if isinstance(n, t.Emit)}
