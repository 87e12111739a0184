"""Figures that a plugin can do nothing with: bases of no depth, an arc of 600 degrees, half a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from warhost.lang import tree as t
from warhost.lang.block_checker import gives_a_fraction, rounds_always
from warhost.lang.checker import Checker
from warhost.lang.program import RuleData
from warhost.packs.yaml_source import Map
from warhost.vocabulary import Asked
from warhost_sense.blocks import Number, Report, constant, shown_number
from warhost_sense.within import Within

#: Under this name the numbers of plugins that lines of a block change are kept in its notes.
CHANGED = "numbers of plugins changed"


def look(within: Within, asked: Mapping[str, Asked], report: Report) -> frozenset[str]:
    """Report lines of a block that give a number of a plugin a figure which that cannot do with.

    The numbers of plugins that its lines change.
    """
    block = within.block
    if not asked or not isinstance(block, t.NumberBlock | t.KindBlock):
        return frozenset()
    own = block.name if isinstance(block, t.NumberBlock) else None
    changed: set[str] = set()
    for line in within.of(t.Modifier):
        one = asked.get(line.target or own or "")
        if one is None:
            continue
        changed.add(one.name)
        value = constant(line.value)
        if line.value is None or line.per is not None:
            continue
        wrong = one.misfit(value) if value is not None and _decides(line, one, value) else None
        if wrong is None and one.whole and line.op == "set" and gives_a_fraction(line.value):
            wrong = None if isinstance(block, t.NumberBlock) and rounds_always(block) else "it must be a whole number"
        if wrong is not None:
            said = shown_number(line.value) or "a fraction"
            report(line.value.pos, "out-of-range", f"{one.name} cannot be {said}: {wrong}", _hint(one, wrong))
    return frozenset(changed)


def look_at_bases(checker: Checker, data: RuleData, changed: Collection[str]) -> None:
    """Report numbers of plugins that begin with such a figure and that nothing changes, and zones in which nobody has
    room with what nothing changes. changed: those that lines of any block change.
    """
    numbers = checker.symbols.blocks["number"]
    for name, one in checker.symbols.asked_by_plugins.items():
        block = numbers.get(name)
        if not isinstance(block, t.NumberBlock) or name in changed:
            continue
        value = constant(block.base)
        wrong = one.misfit(value) if value is not None else None
        if wrong is None and one.whole and gives_a_fraction(block.base) and not rounds_always(block):
            wrong = "it must be a whole number"
        if wrong is not None:
            said = shown_number(block.base) or "a fraction"
            message = f"{name} cannot be {said}: {wrong}"
            checker.symbols.report(block.base.pos, "out-of-range", message, _hint(one, wrong))
        elif one.room and value is not None:
            _zones(one, value, data, checker)


def _zones(one: Asked, least: Number, data: RuleData, checker: Checker) -> None:
    """Zones of scenarios that are narrower than everybody."""
    for scenario in data.scenarios.values():
        board = scenario.data.get("board")
        zones = board.get("zones") if isinstance(board, Map) else None
        for name, zone in zones.items() if isinstance(zones, Map) else ():
            room = zone.get(one.room) if isinstance(zone, Map) else None
            if isinstance(room, Number) and 0 < room < least:
                message = f'nobody has room in zone "{name}": its {one.room} is {room}, and {one.name} is {least}'
                checker.symbols.report(zone.pos(one.room), "never", message, f"write {one.room}: {least} or more")


def _decides(line: t.Modifier, one: Asked, value: object) -> bool:
    """Whether a line lets the number be the figure that it says: it sets it, or it is a limit beyond which it lies."""
    if line.op == "cap":
        least = one.at_least if one.at_least is not None else one.more_than
        return least is not None and value <= least and one.misfit(value) is not None  # type: ignore[operator]
    if line.op == "floor":
        return one.at_most is not None and value > one.at_most  # type: ignore[operator]
    return line.op == "set"


def _hint(one: Asked, wrong: str) -> str:
    if "whole" in wrong:
        return "write a whole number, or round it: floor(..), ceiling(..)"
    return f"write a figure that is {one.span}"
