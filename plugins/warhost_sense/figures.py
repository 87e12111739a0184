"""Conditions that never or always hold, whatever happens: by the limits of a field, or of a number of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.lang.notes import HeldAgainst
from warhost.lang.symbols import CORE_LEAST
from warhost_sense.blocks import IntRange, Number, constant, limit_of_lines, never_or_always

#: The count of turns.
TURN = ("battle", "turn")


def look(checker: Checker, compared: Iterable[HeldAgainst]) -> None:
    """Report what is compared with a number that it never is, or with one that makes no difference."""
    numbers = {b.name: b for b in checker.blocks_of(t.NumberBlock)}
    told: set[t.Pos] = set()
    for one in compared:
        span, where = _span(one, numbers, checker)
        if span.low is not None and span.high is not None and span.low > span.high:
            continue  # which is told where they stand
        sentence = never_or_always(one.op, one.value, span)
        if sentence and one.pos not in told:
            told.add(one.pos)
            of = f"{one.name} of a {one.noun}" if one.noun else one.name
            checker.symbols.report(one.pos, "never", f"{sentence}: {of} is {span}", where)


def _span(one: HeldAgainst, numbers: Mapping[str, t.NumberBlock], checker: Checker) -> tuple[IntRange, str]:
    """Within which limits a figure always is, and where they stand."""
    if one.noun:
        info = checker.symbols.fields_of(one.noun).get(one.name)
        if info is None:
            return _of_the_core(one, checker)
        return IntRange(info.at_least, info.at_most), f"its limits stand in {info.pos.file}:{info.pos.line}"
    block = numbers.get(one.name)
    if block is None:
        counts = one.name not in checker.symbols.blocks["number"]
        return IntRange(0 if counts else None, None), "compare a count with 1 or more"
    cap, floor = limit_of_lines(block.lines, "cap"), limit_of_lines(block.lines, "floor")
    if floor is not None and _may_be_capped_below(floor[0], block, checker):
        floor = None
    place = (cap or floor or (0, block.pos))[1]
    span = IntRange(floor[0] if floor is not None else None, cap[0] if cap is not None else None)
    return span, f"its limits stand in {place.file}:{place.line}"


def _of_the_core(one: HeldAgainst, checker: Checker) -> tuple[IntRange, str]:
    """The least that a field of the core is, and why; without a set-up there is no turn 0."""
    least, why = CORE_LEAST.get((one.noun, one.name), (None, ""))
    if (one.noun, one.name) == TURN and not any(b.kind == "setup" for b in checker.blocks_of(t.TurnBlock)):
        return IntRange(1, None), "turns count from 1, and there is no set-up before them"
    return IntRange(least, None), why


def _may_be_capped_below(least: Number, block: t.NumberBlock, checker: Checker) -> bool:
    """Whether any line says `at most` of a number that may be below what is the least: it would decide."""
    for placed in checker.placed:
        for node in checker.notes_of(placed.block).kept.get(CAPS, ()):
            most = constant(node.value)
            of_it = node.target == block.name or (node.target is None and placed.block is block)
            if of_it and (most is None or most < least):
                return True
    return False


#: Under this name the lines of a block that say `at most` are kept in its notes.
CAPS = "caps"


def caps_in(block: t.AnyBlock) -> list[t.Modifier]:
    """The lines of a block that say `at most` of a number, its own or another."""
    return [node for node in t.walk(block) if isinstance(node, t.Modifier) and node.op == "cap"]
