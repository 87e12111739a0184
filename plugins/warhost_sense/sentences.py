"""Sentences that name all things of a sort where the one that the block speaks of is meant."""

from __future__ import annotations

from collections.abc import Mapping

from warhost.lang import tree as t
from warhost_sense.blocks import Report
from warhost_sense.within import Within


def look(within: Within, plurals: Mapping[str, str], report: Report) -> None:
    """Report `{units}` in a sentence of a block that has a `unit` as a parameter. plurals: nouns by their plurals."""
    block = within.block
    own = {p.name for p in getattr(block, "params", ()) or () if isinstance(p, t.Param)}
    if not own:
        return
    for text in within.of(t.Text):
        for part in text.parts:
            one = plurals.get(part.name) if isinstance(part, t.Name) and part.name not in own else None
            if one in own and isinstance(part, t.Name):
                pos = part.pos if part.pos.line else text.pos if text.pos.line else block.pos
                message = f'"{{{part.name}}}" names every {one} of the battle'
                report(pos, "all-of-them", message, f"write {{{one}}} for the one of this block")
