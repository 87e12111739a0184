"""Rolls that are thrown on a line of their own, and nobody asks what they show."""

from __future__ import annotations

from collections.abc import Mapping

from warhost.lang import tree as t
from warhost_sense.blocks import Report
from warhost_sense.within import Within


def look(within: Within, rolls: Mapping[str, t.AnyBlock], report: Report) -> None:
    """Report each roll of a block whose result is lost. rolls: the blocks by their names; of one whose dice bring about
    something by themselves (`natural 1 .., emits ..`) that may be all that is wanted.
    """
    for node in within.of(t.CallStatement):
        if not isinstance(node.call, t.RollNamed):
            continue
        thrown = rolls.get(node.call.name)
        if isinstance(thrown, t.RollBlock) and not any(_emits(one) for one in t.walk(thrown)):
            name = node.call.name
            hint = f"ask for it, as in: if roll {name}(..), or keep it: shown = roll {name}(..)"
            report(node.pos, "lost-roll", f"{name} is thrown here, and what it shows is lost", hint)


def _emits(node: t.Node) -> bool:
    return isinstance(node, t.Natural) and node.emits is not None
