"""Reactions that leave everything as it was: whoever takes one is offered it again, without end."""

from __future__ import annotations

from warhost.lang import tree as t
from warhost_sense.blocks import Report

#: Steps that change nothing, and end nothing but the reaction itself.
_IDLE = frozenset({"pass", "stop", "continue"})


def look(block: t.AnyBlock, report: Report) -> None:
    """Report a reaction that may be taken again and again: nothing in it changes on what it depends."""
    reaction = block.reaction if isinstance(block, t.ReactionBlock) else None
    if reaction is None or reaction.once is not None:  # one that is borne may be used up
        return
    if all(isinstance(s, t.Control) and s.word in _IDLE for s in reaction.body):
        again = f"taken once it is offered again, and {reaction.event} never goes on"
        said = f'"{reaction.title.text}" changes nothing: {again}'
        hint = "write under it `once per turn and unit`, or let it do something (passing is offered anyway)"
        report(block.pos, "circle", said, hint)
