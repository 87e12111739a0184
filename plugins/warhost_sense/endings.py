"""Battles that never end: a turn is played again and again until `end_battle(..)`, and nothing that is played calls it.

What is played is guessed from the names that blocks say: phases with their steps, whatever is no procedure, and the
procedures that these call. Rules without armies are nobody's to play yet.

And phases for a turn that never comes, or in which the battle is over before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.lang.expressions import path_of
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at
from warhost_sense.blocks import constant
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
    files = {block.pos.file for block in blocks}
    calling: dict[str, t.Pos] = {ENDS: turn.pos}
    new = [ENDS]
    while new:
        wanted, new = new, []
        if not from_python.isdisjoint(wanted):
            return
        texts = {file: text for file in files if (text := read.texts.get(file)) is not None}
        without = {file for file, text in texts.items() if not any(name in text for name in wanted)}
        for block in blocks:
            if block.pos.file in without:
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


class _Turn(NamedTuple):
    """A turn as rules name it: so many after what an expression gives, `scenario.turns + 1`."""

    of: t.Expr | None
    more: Fraction | int


def too_late(read: RulesetToCheck) -> Iterator[Problem]:
    """Phases that wait for a turn which the battle does not see, as warnings. Seen are those that say
    `when battle.turn == ..`, and phases that are always played and of which a step says `if battle.turn >= ..` and
    ends the battle there.
    """
    blocks = [one.block for one in read.merged.placed]
    turn = next((b for b in blocks if isinstance(b, t.TurnBlock) and b.kind == "turn" and b.order is None), None)
    waiting = [(i, p) for i, p in enumerate(turn.phases) if p.when is not None] if turn is not None else []
    if turn is None or not waiting:
        return
    procedures = {b.name: b for b in blocks if isinstance(b, t.ProcedureBlock)}
    for i, ending in enumerate(turn.phases):
        steps = [procedures[s.name].body for s in ending.steps if s.name in procedures] if ending.when is None else []
        for body in (*steps, ending.body):
            for end, place in _last_turns(body):
                for j, phase in waiting:
                    first = _first_turn(phase.when)
                    least = end.more if j > i else end.more + 1  # before it the last turn is played
                    if first is not None and first.of == end.of and first.more >= least:
                        message = f"the phase {phase.name} never comes: the battle is over before it"
                        hint = f"the phase {ending.name} ends it ({place.file}:{place.line}): put this one before that"
                        hint = hint if j > i and first.more == end.more else f"{hint}, and say an earlier turn"
                        yield problem_at(phase.when.pos if phase.when else phase.pos, "never", message, hint)


def _last_turns(body: Sequence[t.Statement]) -> Iterator[tuple[_Turn, t.Pos]]:
    """The turns at which some steps end the battle whatever else is so: under `if battle.turn >= ..`, or behind
    `if battle.turn < ..` with `stop`.
    """
    for i, step in enumerate(body):
        if isinstance(step, t.If):
            first = step.branches[0]
            turns = [found for one in _any_of(first.condition) if (found := _first_turn(one)) is not None]
            if _ends(first.body):
                yield from ((found, step.pos) for found in turns)
            elif not step.otherwise and len(step.branches) == 1 and _ends(body[i + 1 :]):
                until = [_first_turn(_turned(one)) for one in _any_of(first.condition) if path_of(one) != "battle.over"]
                yield from ((found, body[-1].pos) for found in until[:1] if found is not None and len(until) == 1)
        if any(isinstance(node, t.Control | t.Refuse) for node in t.walk(step)):
            return


def _ends(body: Sequence[t.Statement]) -> bool:
    """Whether some steps end the battle on every way through them."""
    last = body[-1] if body else None
    if isinstance(last, t.If):
        return all(_ends(b.body) for b in last.branches) and _ends(last.otherwise)
    return any(isinstance(step, t.CallStatement) and _calls(step, [ENDS]) for step in body)


def _any_of(e: t.Expr) -> Sequence[t.Expr]:
    return e.operands if isinstance(e, t.Logic) and e.op == "or" else (e,)


def _turned(e: t.Expr) -> t.Expr | None:
    """What holds where a comparison does not: `a >= b` of `a < b`."""
    if not isinstance(e, t.Compare) or e.op not in ("<", "<="):
        return None
    return t.Compare(">=" if e.op == "<" else ">", e.left, e.right, pos=e.pos)


def _first_turn(e: t.Expr | None) -> _Turn | None:
    """The first turn in which a condition may hold; None when it says nothing plain of the turn."""
    if isinstance(e, t.Logic) and e.op == "and":
        return next((found for one in e.operands if (found := _first_turn(one)) is not None), None)
    if not isinstance(e, t.Compare) or e.op not in ("==", ">=", ">") or path_of(e.left) != "battle.turn":
        return None
    of, more, right = e.right, constant(e.right), e.right
    if isinstance(right, t.Binary) and right.op in ("+", "-") and (added := constant(right.right)) is not None:
        of, more = right.left, added if right.op == "+" else -added
    if constant(of) is None and not (path_of(of) or "").startswith("scenario."):
        return None
    return _Turn(None if constant(of) is not None else of, (more or 0) + (1 if e.op == ">" else 0))


def _calls(block: t.Node, names: list[str]) -> bool:
    """Whether a block, or a step, calls something of these names, as a step of a phase or otherwise."""
    return any(isinstance(node, t.Call | t.Step) and node.name in names for node in t.walk(block))
