"""Conditions that never or always hold, whatever happens: by the limits of a field, or of a number of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.lang.notes import HeldAgainst
from warhost.lang.symbols import CORE_LEAST
from warhost_sense.blocks import IntRange, constant, limit_of_lines, never_or_always
from warhost_sense.within import Within

#: The count of turns.
TURN = ("battle", "turn")


def look(checker: Checker, compared: Iterable[HeldAgainst]) -> None:
    """Report what is compared with a number that it never is, or with one that makes no difference."""
    numbers = {b.name: b for b in checker.blocks_of(t.NumberBlock)}
    caps: dict[str | int, list[t.Modifier]] = {}
    for placed in checker.placed:
        for node in checker.notes_of(placed.block).kept.get(CAPS, ()):
            caps.setdefault(node.target if node.target is not None else id(placed.block), []).append(node)
    told: set[t.Pos] = set()
    for one in compared:
        span, where = _span(one, numbers, caps, checker)
        if span.low is not None and span.high is not None and span.low > span.high:
            continue  # which is told where they stand
        sentence = never_or_always(one.op, one.value, span)
        if sentence and one.pos not in told:
            told.add(one.pos)
            of = f"{one.name} of a {one.noun}" if one.noun else one.name
            checker.symbols.report(one.pos, "never", f"{sentence}: {of} is {span}", where)


def _span(
    one: HeldAgainst, numbers: Mapping[str, t.NumberBlock], caps: Mapping[str | int, Sequence[t.Modifier]],
    checker: Checker,
) -> tuple[IntRange, str]:  # fmt: skip
    """Within which limits a figure always is, and where they stand. caps: the lines that say `at most` of a number, by
    its name, or by the id of its block where they stand in that.
    """
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
    if floor is not None:  # a line that says `at most` of less than the least would decide
        most = (constant(node.value) for name in (block.name, id(block)) for node in caps.get(name, ()))
        floor = None if any(one is None or one < floor[0] for one in most) else floor
    place = (cap or floor or (0, block.pos))[1]
    span = IntRange(floor[0] if floor is not None else None, cap[0] if cap is not None else None)
    return span, f"its limits stand in {place.file}:{place.line}"


def _of_the_core(one: HeldAgainst, checker: Checker) -> tuple[IntRange, str]:
    """The least that a field of the core is, and why; without a set-up there is no turn 0."""
    least, why = CORE_LEAST.get((one.noun, one.name), (None, ""))
    if (one.noun, one.name) == TURN and not any(b.kind == "setup" for b in checker.blocks_of(t.TurnBlock)):
        return IntRange(1, None), "turns count from 1, and there is no set-up before them"
    return IntRange(least, None), why


#: Under this name the lines of a block that say `at most` are kept in its notes.
CAPS = "caps"


def caps_in(within: Within) -> list[t.Modifier]:
    """The lines of a block that say `at most` of a number, its own or another."""
    return [node for node in within.of(t.Modifier) if node.op == "cap"]
