"""Rules that were checked and make no sense: each block alone, and what takes all of them to tell."""

from __future__ import annotations

from collections.abc import Sequence

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.checker import Checker
from warhost.lang.program import RuleData
from warhost_sense import (
    aims,
    asked,
    blocks,
    definitions,
    endless,
    fallen,
    figures,
    hidden,
    limits,
    lost_rolls,
    open_windows,
    plugin_figures,
    sentences,
    tables,
    unread_locals,
)
from warhost_sense.bearers import for_everybody, given_to_others, of_nobody, whose
from warhost_sense.texts import (
    misspelt_arguments,
    misspelt_in_definitions,
    misspelt_titles,
    names_in,
    unknown_ids,
    unknown_in_conditions,
)
from warhost_sense.within import Within


def look(checker: Checker, data: RuleData, some: Sequence[tree.AnyBlock]) -> None:
    """Report to a checker what makes no sense in some blocks, each alone, and in all of them together."""
    symbols = checker.symbols
    for block in some:
        _look_at(block, checker)
    notes = checker.all_notes()
    tables.look(data, symbols)
    held = limits.look(checker, data)
    endless.look(checker, notes.asks)
    figures.look(checker, notes.held_against)
    fallen.look(checker)
    given_to_others(notes.given_to, checker)
    phases = {phase.name for turn in checker.blocks_of(tree.TurnBlock) for phase in turn.phases}
    misspelt_arguments(notes.texts_given, phases | names_in(data.profiles), symbols)
    ids = {"profile": data.profiles, "list": {**data.lists, **data.abstract_lists}}
    unknown_ids(notes.ids_asked, ids, symbols)
    for name, problem in (one for p in checker.placed for one in checker.notes_of(p.block).kept.get("unread", ())):
        if name not in notes.asked_of_effects:
            symbols.problems.append(problem)
    misspelt_in_definitions([one for one in notes.kind_texts if one[:2] not in held], symbols)
    misspelt_titles(symbols, {(b.kind, b.title.text): b.pos for b in checker.blocks_of(tree.KindBlock)})
    changed = frozenset[str]().union(
        *(checker.notes_of(p.block).kept.get(plugin_figures.CHANGED, ()) for p in checker.placed)
    )
    plugin_figures.look_at_bases(checker, data, changed)
    rolls = {*symbols.blocks["roll"], "rolls"}
    aims.look(checker)
    definitions.look(checker, data)
    unknown_in_conditions(notes.texts_asked, notes.kind_texts, phases, rolls, symbols)


def _look_at(block: tree.AnyBlock, checker: Checker) -> None:
    """One block alone. What nothing in it reads others may read: that is kept, and told when all has been looked at."""
    notes = checker.notes_of(block)
    unread: list[tuple[str, Problem]] = []

    def report(pos: tree.Pos, code: str, message: str, hint: str | None) -> None:
        problem = Problem(pos.file, pos.line, pos.column, code, message, hint)
        if code == "unread":
            unread.append((message.rpartition(' "')[2].rstrip('"'), problem))
        else:
            notes.problems.append(problem)

    for pos, by in notes.divisions:
        if by not in notes.compared:  # who has asked in another block has asked for another case, or of somebody else
            message, hint = fallen.no_division(by)
            report(pos, "may-be-zero", message, hint)
    for pos, named, low in notes.spans:
        message, hint = fallen.no_number(named, low)
        report(pos, "may-be-empty", message, hint)
    within = Within(block)
    blocks.look(within, checker.symbols.words, report, checker.symbols.families)
    for_everybody(notes.brought_into_force, checker.symbols, report)
    whose(notes.brought_into_force, checker.symbols, report)
    of_nobody(within, checker.symbols, report)
    hidden.look(within, checker.symbols.blocks["event"], report)
    asked.look(within, checker.symbols.blocks["choice"], report)
    unread_locals.look(within, checker.symbols, report)
    lost_rolls.look(within, checker.symbols.blocks["roll"], report)
    sentences.look(within, checker.symbols.plurals, report)
    open_windows.look(block, report)
    notes.kept["unread"] = unread
    if changed := plugin_figures.look(within, checker.symbols.asked_by_plugins, report):
        notes.kept[plugin_figures.CHANGED] = changed
    notes.kept[figures.CAPS] = figures.caps_in(within)
    notes.kept[fallen.LOWERED] = fallen.lowered_in(within)
    if isinstance(block, tree.ProcedureBlock):
        notes.kept["calls"] = endless.certain_calls(block.body)
