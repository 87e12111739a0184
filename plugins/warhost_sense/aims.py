"""Definitions that can be aimed at nothing, as a spell without `targets`, or at others than all of their sort."""

from __future__ import annotations

from collections.abc import Sequence

from warhost.lang import tree as t
from warhost.lang.checker import Checker

#: So many others tell at whom all with a flag are aimed.
MANY = 8

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
        _at_the_others(kind, found, checker)
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


def _at_the_others(kind: str, blocks: Sequence[t.KindBlock], checker: Checker) -> None:
    """Report the one that is aimed at friends though all others with a flag of its own are aimed at enemies, or the
    other way round.
    """
    said: dict[str, dict[str, list[tuple[t.KindBlock, t.Targets]]]] = {}
    for block in blocks:
        targets = next((item for item in block.items if isinstance(item, t.Targets)), None)
        words = {word.text for word in targets.phrase.words} & {"enemy", "friendly"} if targets is not None else set()
        if targets is None or len(words) != 1:
            continue
        (at_whom,) = words
        for flag in (item for item in block.items if isinstance(item, t.KindFlag)):
            said.setdefault(flag.name, {}).setdefault(at_whom, []).append((block, targets))
    for flag_name, at in said.items():
        for one, other in (("enemy", "friendly"), ("friendly", "enemy")):
            if len(at.get(one, ())) == 1 and len(at.get(other, ())) >= MANY:
                block, targets = at[one][0]
                own = {item.name for item in block.items if isinstance(item, t.KindFlag)}
                if any(len(said[name].get(one, ())) > 1 and other not in said[name] for name in own):
                    continue  # it says itself that it is for these
                checker.symbols.report(
                    targets.pos if targets.pos.line else block.pos, "never",
                    f"{kind} {block.title.text} is {flag_name} and aimed at {one} ones: all others that are "
                    f"{flag_name} are aimed at {other} ones",
                    f"write `targets {other} ..`, or take {flag_name} away",
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
