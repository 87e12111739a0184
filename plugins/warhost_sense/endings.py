"""Battles that never end: a turn is played again and again until `end_battle(..)`, and nothing that is played calls it.

What is played is guessed from the names that blocks say: phases with their steps, whatever is no procedure, and the
procedures that these call. Rules without armies are nobody's to play yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at
from warhost_sense.uses import words_of

ENDS = "end_battle"


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """That no battle can end, at the turn, as a warning."""
    contents = read.contents
    blocks = [one.block for one in read.merged.placed]
    turn = next((b for b in blocks if isinstance(b, t.TurnBlock) and b.kind == "turn"), None)
    if contents is None or turn is None or not contents.data.armies or not any(p.steps or p.body for p in turn.phases):
        return
    from_python = words_of(tuple(contents.plugins.sources()), r"[\"'](\w+)[\"']")
    calling: dict[str, t.Pos] = {ENDS: turn.pos}
    new = [ENDS]
    while new:
        wanted, new = new, []
        if not from_python.isdisjoint(wanted):
            return
        for block in blocks:
            text = read.texts.get(block.pos.file)
            if text is not None and not any(name in text for name in wanted):
                continue
            if _calls(block, wanted):
                if not isinstance(block, t.ProcedureBlock):
                    return
                if block.name not in calling:
                    calling[block.name] = block.pos
                    new.append(block.name)
    ending = [f"{name} ({pos.file}:{pos.line})" for name, pos in calling.items() if name != ENDS]
    hint = f'write `{ENDS}(none, "night fell")` in a step of the last phase, under the condition on which it ends'
    if ending:
        hint = f"{' and '.join(ending[-2:])} would, but nothing calls it: make it a step of a phase"
    yield problem_at(turn.pos, "never", f"no battle comes to an end: nothing that is played calls {ENDS}", hint)


def _calls(block: t.AnyBlock, names: list[str]) -> bool:
    """Whether a block calls something of these names, as a step of a phase or otherwise."""
    return any(isinstance(node, t.Call | t.Step) and node.name in names for node in t.walk(block))
