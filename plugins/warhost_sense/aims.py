"""Definitions that can be aimed at nothing: a spell without `targets` is never cast."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.yaml_source import problem_at

#: The names that each block says, by its id, which is kept with them: blocks never change, and few are new at each key.
_SAID: dict[int, tuple[t.AnyBlock, frozenset[str]]] = {}


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """Definitions without `targets`, of kinds of which others have them, where rules ask what these are.

    One that other rules name, or that has a flag of its own, is dealt with by those.
    """
    blocks = [one.block for one in read.merged.placed]
    kinds: dict[str, list[t.KindBlock]] = {}
    for block in blocks:
        if isinstance(block, t.KindBlock):
            kinds.setdefault(block.kind, []).append(block)
    for kind, found in kinds.items():
        aimed = [block for block in found if any(isinstance(item, t.Targets) for item in block.items)]
        flags = {item.name for block in aimed for item in block.items if isinstance(item, t.KindFlag)}
        for block in found if aimed else ():
            mine = {item.name for item in block.items if isinstance(item, t.KindFlag)}
            if mine - flags or any(isinstance(item, t.Targets | t.AsKind) for item in block.items):
                continue
            others = [other for other in blocks if other is not block]
            if _is_said("targets_of", others) and not _is_said(block.title.text, others):
                message = f"{kind} {block.title.text} has no `targets`: it can be aimed at nothing"
                yield problem_at(block.pos, "never", message, "write a line such as `targets enemy units`")
    for gone in _SAID.keys() - set(map(id, blocks)):
        del _SAID[gone]


def _is_said(name: str, blocks: list[t.AnyBlock]) -> bool:
    """Whether one of some blocks names something."""
    return any(name in _names_in(block) for block in blocks)


def _names_in(block: t.AnyBlock) -> frozenset[str]:
    known = _SAID.get(id(block))
    if known is None or known[0] is not block:
        nodes = list(t.walk(block))
        names = {node.name for node in nodes if isinstance(node, t.Name | t.Call)}
        known = _SAID[id(block)] = (block, frozenset(names | {node.text for node in nodes if isinstance(node, t.Word)}))
    return known[1]
