"""Definitions that can be aimed at nothing: a spell without `targets` is never cast."""

from __future__ import annotations

from warhost.lang import tree as t
from warhost.lang.checker import Checker

#: Blocks that ask whom a definition may be aimed at.
_ASKING = (t.NumberBlock, t.FlagBlock, t.ValueBlock, t.ProcedureBlock)


def look(checker: Checker) -> None:
    """Report definitions without `targets`, of kinds of which others have them, where rules ask what these are.

    One that numbers, flags, values or procedures name, or that has a flag of its own, is dealt with by those. Handlers
    and other definitions say what comes of it, not whom it may be aimed at.
    """
    blocks = [one.block for one in checker.placed]
    kinds: dict[str, list[t.KindBlock]] = {}
    for block in blocks:
        if isinstance(block, t.KindBlock):
            kinds.setdefault(block.kind, []).append(block)
    for kind, found in kinds.items():
        aimed = [block for block in found if any(isinstance(item, t.Targets) for item in block.items)]
        flags = {item.name for block in aimed for item in block.items if isinstance(item, t.KindFlag)}
        for block in found if aimed else ():
            mine = {item.name for item in block.items if isinstance(item, t.KindFlag)}
            if mine - flags or any(isinstance(item, t.Targets) for item in block.items):
                continue
            said = [_names_in(other, checker) for other in blocks if isinstance(other, _ASKING)]
            if any("targets_of" in names for names in said) and not any(block.title.text in names for names in said):
                checker.symbols.report(
                    block.pos, "never", f"{kind} {block.title.text} has no `targets`: it can be aimed at nothing",
                    "write a line such as `targets enemy units`",
                )  # fmt: skip


def _names_in(block: t.AnyBlock, checker: Checker) -> frozenset[str]:
    """The names that a block says; kept with it, as few blocks are new when a file has changed."""
    kept = checker.notes_of(block).kept
    if "names" not in kept:
        nodes = list(t.walk(block))
        names = {node.name for node in nodes if isinstance(node, t.Name | t.Call)}
        kept["names"] = frozenset(names | {node.text for node in nodes if isinstance(node, t.Word)})
    found: frozenset[str] = kept["names"]
    return found
