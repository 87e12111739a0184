"""What goes by a figure that may have fallen to its lowest: choices from a number to less, and divisions by 0."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.lang import tree as t
from warhost.lang.checker import Checker

#: Flags, numbers and values may ask for a block.
_ASKED = ("flag", "number", "value")
#: What is done in a block is done by these.
_DONE = ("procedure", "event")


def look(checker: Checker) -> None:
    """Report choices up to a field that begins higher, and that its limit lets fall below the lowest number, and
    divisions by what its limit lets be 0, unless something around them asks for it, or whoever has so little of it is
    destroyed.
    """
    gone: dict[str, bool] = {}
    always_gone: dict[str, bool] = {}
    for block in (placed.block for placed in checker.placed):
        for pos, named, low in checker.notes_of(block).falling_spans:
            if _asks(named, block, checker):
                continue
            if named not in gone:
                gone[named] = _is_destroyed_without(named, checker)
            if not gone[named]:
                checker.symbols.report(pos, "may-be-empty", *no_number(named, low))
        for pos, named, is_state in checker.notes_of(block).falling_divisions:
            if _asks(named, block, checker):
                continue
            if is_state and named not in always_gone:
                always_gone[named] = _is_destroyed_by_who_lowers(named, checker)
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


def _is_destroyed_without(field: str, checker: Checker) -> bool:
    """Whether what asks for a field somewhere destroys somebody: who has none of it is on the table no more."""
    blocks = [placed.block for placed in checker.placed]
    plainly = [block for block in blocks if field in checker.notes_of(block).compared]
    return any(_destroys(block, checker) for block in plainly) or any(
        _destroys(block, checker) and _asks(field, block, checker) for block in blocks
    )


def _is_destroyed_by_who_lowers(field: str, checker: Checker) -> bool:
    """Whether every block that takes something of a field off, or one that has it done, asks for it and destroys who
    has none left.
    """
    blocks = [placed.block for placed in checker.placed]
    lowering = [block for block in blocks if any(_lowers(node, field) for node in t.walk(block))]
    if not lowering:
        return _is_destroyed_without(field, checker)

    def sees_to_it(block: t.AnyBlock) -> bool:
        return _destroys(block, checker) and _asks(field, block, checker)

    for block in lowering:
        name = getattr(block, "name", None)
        if not (sees_to_it(block) or any(name in _names(b) and sees_to_it(b) for b in blocks if name is not None)):
            return False
    return True


def _lowers(node: t.Node, field: str) -> bool:
    return isinstance(node, t.Assign) and node.op == "-=" and node.target.name == field


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
