"""Names that are kept or chosen in a rule and that nothing in it reads: most often a figure of something was meant to
change, or what follows from the choice was forgotten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warhost.lang import tree as t
from warhost.lang.expressions import BUILT_IN
from warhost.lang.symbols import Symbols
from warhost_sense.blocks import Report
from warhost_sense.within import Within


def look(within: Within, symbols: Symbols, report: Report) -> None:
    """Report each local that is given a value and never asked for, and each choice of which nothing is made. Parameters
    are not locals: others may read them.
    """
    kept = [n for n in within.of(t.Assign) if isinstance(n.target, t.Name)]
    chosen = within.of(t.Choose)
    if not (kept or chosen):
        return
    targets = {id(node.target) for node in kept}
    read = {node.name for node in within.of(t.Name) if id(node) not in targets}
    read.update(_parameters(within))
    read.update(node.text for node in within.of(t.Word))  # `other heroes`, of a list
    own = {node.field.name for node in within.of(t.Keeps)}
    told: set[str] = set()
    for node in kept:
        name = node.target.name if isinstance(node.target, t.Name) else ""
        if name in read or name in told or any(_happens(one, symbols) for one in t.walk(node.value)):
            continue
        told.add(name)
        report(node.pos, "unread-local", f'"{name}" is kept here, and nothing reads it', _hint(node, name, own))
    for one in chosen:
        if one.var not in read and one.var not in told:
            told.add(one.var)
            hint = f"say what comes of {one.var}, or take the choice away"
            report(one.pos, "unread-local", f'"{one.var}" is chosen here, and nothing is made of it', hint)


def _happens(node: t.Node, symbols: Symbols) -> bool:
    """Whether a part of an expression has an effect of its own, whether anybody reads what comes of it or not."""
    if not isinstance(node, t.Call):
        return isinstance(node, _HAPPENS)
    function = symbols.functions.get(node.name)
    computes = node.name in BUILT_IN or node.name in symbols.data_tables or (function is not None and function.pure)
    return not (computes or any(node.name in symbols.blocks[sort] for sort in _COMPUTING))


#: What has an effect of its own, besides calls.
_HAPPENS = (t.RollNamed, t.Rolls, t.Dice)
#: Blocks that look and compute, and no more.
_COMPUTING = ("number", "flag", "value", "table")


def _parameters(within: Within) -> Iterator[str]:
    for node in within.nodes:
        for one in getattr(node, "params", None) or ():
            yield one if isinstance(one, str) else getattr(one, "name", "")


def _hint(node: t.Assign, name: str, own: Collection[str]) -> str:
    if name in own:
        return f"to change what this keeps, write: this.{name} {node.op} .."
    field = next((one for one in t.walk(node.value) if isinstance(one, t.Attribute) and one.name == name), None)
    if field is not None and isinstance(field.of, t.Name):
        return f"to change a figure, say whose it is: {field.of.name}.{name} = .., or {field.of.name}.{name} -= 1"
    return f"say whose it is to change something (unit.{name} = ..), or take the line away"
