"""Decisions without words: whoever plays at the terminal would read the name of a variable instead of a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost_sense.blocks import Report
from warhost_sense.within import Within

CODE = "no-words"

#: So many decisions are named in one warning.
MOST_NAMED = 6


def look(within: Within, choices: Mapping[str, t.AnyBlock], report: Report) -> None:
    """Report each choice of a block that says nothing to the player. choices: the `choice` blocks by their names."""
    for node in within.of(t.Choose):
        if node.says is None and not _named_with_words(node, choices):
            hint = f'choose {node.var} from .. by .. says "Whom does {{unit}} charge?"'
            report(node.pos, CODE, node.var, hint)
    for case in within.of(t.ChooseCase):
        if case.says is None:
            name = str(getattr(within.block, "name", "") or getattr(within.block, "kind", ""))
            report(case.pos, CODE, name, 'choose by .. says "What does {unit} do?"')


def _named_with_words(node: t.Choose, choices: Mapping[str, t.AnyBlock]) -> bool:
    """Whether the options are those of a `choice` block that has words, given plain names."""
    source = node.options.source if isinstance(node.options, t.Phrase) else None
    named = choices.get(source.name) if isinstance(source, t.Call) else None
    return (
        isinstance(source, t.Call) and isinstance(named, t.ChoiceBlock) and named.says is not None
        and all(isinstance(given.value, t.Name) for given in source.args)
    )  # fmt: skip


def told_once(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """All problems, those of decisions without words told once for each layer. Nobody is asked yet in a ruleset that
    has no armies, and those that examples are set up with are answered by the examples.
    """
    rest = [p for p in problems if p.code != CODE]
    if read.contents is None or not read.contents.data.armies:
        return rest
    for source in read.sources:
        files = {file.label for file, _, _ in source.files if "examples" not in Path(file.label).parts}
        own = sorted(p for p in problems if p.code == CODE and p.file in files)
        if own and source.layer.kind != "plugin":
            rest.append(_of_all(own))
    return rest


def _of_all(own: Sequence[Problem]) -> Problem:
    first, names = own[0], list(dict.fromkeys(p.message for p in own))
    named = ", ".join(names[:MOST_NAMED]) + (", .." if len(names) > MOST_NAMED else "")
    what = "a decision has" if len(own) == 1 else f"{len(own)} decisions have"
    return replace(
        first,
        message=f"{what} no words: whoever plays by hand reads {named}",
        hint=f"say what the player is asked, as in: {first.hint}",
    )
