"""Rules that were checked and make no sense: each block alone, and what takes all of them to tell."""

from __future__ import annotations

from collections.abc import Sequence

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.checker import Checker
from warhost.lang.program import RuleData
from warhost_sense import blocks, endless, limits, tables
from warhost_sense.bearers import for_everybody, whose
from warhost_sense.texts import (
    misspelt_arguments,
    misspelt_in_definitions,
    misspelt_titles,
    names_in,
    unknown_ids,
    unknown_in_conditions,
)


def look(checker: Checker, data: RuleData, some: Sequence[tree.AnyBlock] | None = None) -> bool:
    """Report to a checker what makes no sense in what it has lowered, or in some blocks of it.

    Of some blocks: whether that is all; False when what other blocks say decides.
    """
    symbols = checker.symbols
    unread: list[tuple[str, Problem]] = []

    def report(pos: tree.Pos, code: str, message: str, hint: str | None) -> None:
        """What nothing in its own block reads others may read: that is told when all has been looked at."""
        if code == "unread":
            name = message.rpartition(' "')[2].rstrip('"')
            unread.append((name, Problem(pos.file, pos.line, pos.column, code, message, hint)))
        else:
            symbols.report(pos, code, message, hint)

    for block in (p.block for p in checker.placed) if some is None else some:
        blocks.look(block, symbols.words, report, symbols.families)
    for_everybody(checker)
    whose(checker)
    tables.look(data.tables, symbols)
    held = limits.look(checker, data)
    endless.look(checker, checker.asks if some is None else {})
    phases = {phase.name for turn in checker.blocks_of(tree.TurnBlock) for phase in turn.phases}
    misspelt_arguments(checker.texts_given, phases | names_in(data.profiles), symbols)
    unknown_ids(checker.ids_asked, {"profile": data.profiles, "list": {**data.lists, **data.abstract_lists}}, symbols)
    if some is not None:
        return not (checker.divisions or checker.texts_asked or unread)
    _divisions(checker)
    symbols.problems += [p for name, p in unread if name not in checker.asked_of_effects]
    misspelt_in_definitions([one for one in checker.kind_texts if one[:2] not in held], symbols)
    misspelt_titles(symbols, {(b.kind, b.title.text): b.pos for b in checker.blocks_of(tree.KindBlock)})
    rolls = {*symbols.blocks["roll"], "rolls"}
    unknown_in_conditions(checker.texts_asked, checker.kind_texts, phases, rolls, symbols)
    return True


def _divisions(checker: Checker) -> None:
    """Divisions by what may be 0, unless somebody asks somewhere whether it is."""
    for pos, by in checker.divisions:
        if by not in checker.compared:
            checker.symbols.report(
                pos, "may-be-zero", f"{by} may be 0, and nothing can be divided by 0",
                "write `/ higher_of(.., 1)`, or ask before whether it is 0",
            )  # fmt: skip
