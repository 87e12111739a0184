"""Names that mean two things: a local, and the parameter of an event in the block under `emit`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from warhost.lang import tree
from warhost.lang.symbols import Symbols
from warhost_sense.blocks import Report


def shadowed(block: tree.AnyBlock, symbols: Symbols, report: Report) -> None:
    """Under `emit struck(target, landed - saved)` with `event struck(target, landed)` what is called `landed` is the
    difference: whoever subtracts once more there does it twice.
    """
    nodes = list(tree.walk(block))
    emits = [node for node in nodes if isinstance(node, tree.Emit) and node.body]
    if not emits:
        return
    known = {param.name for param in getattr(block, "params", ())}
    set_here = (node.target for node in nodes if isinstance(node, tree.Assign))
    known |= {target.name for target in set_here if isinstance(target, tree.Name)}
    for emit in emits:
        for name, value in _given(emit, symbols, known):
            used = [node for part in emit.body for node in tree.walk(part) if isinstance(node, tree.Name)]
            place = next((node for node in used if node.name == name), None)
            if place is not None and any(isinstance(n, tree.Name) and n.name == name for n in tree.walk(value)):
                report(
                    place.pos if place.pos.line else emit.pos, "shadowed",
                    f'here "{name}" is what {emit.event} was given (line {emit.pos.line}), no more the "{name}" '
                    "from before",
                    f"call what is worked out before otherwise, and give that: `emit {emit.event}(..)`",
                )  # fmt: skip


def _given(emit: tree.Emit, symbols: Symbols, known: Collection[str]) -> Iterator[tuple[str, Any]]:
    """The parameters of an event that are called as something before it, and are given something else."""
    event: Any = symbols.blocks["event"].get(emit.event)
    params = [param.name for param in event.params] if event is not None else []
    for i, argument in enumerate(emit.args):
        name = argument.name or (params[i] if i < len(params) else "")
        same = isinstance(argument.value, tree.Name) and argument.value.name == name
        if name in known and not same:
            yield name, argument.value
