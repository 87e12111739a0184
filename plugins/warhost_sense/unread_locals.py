"""Names that are kept in a rule and that nothing in it reads: most often a figure of something was meant to change."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warhost.lang import tree as t
from warhost_sense.blocks import Report


def look(block: t.AnyBlock, report: Report) -> None:
    """Report each local that is given a value and never asked for. Parameters are not locals: others may read them."""
    kept = [n for n in t.walk(block) if isinstance(n, t.Assign) and isinstance(n.target, t.Name)]
    if not kept:
        return
    targets = {id(node.target) for node in kept}
    read = {node.name for node in t.walk(block) if isinstance(node, t.Name) and id(node) not in targets}
    read.update(_parameters(block))
    own = {node.field.name for node in t.walk(block) if isinstance(node, t.Keeps)}
    told: set[str] = set()
    for node in kept:
        name = node.target.name if isinstance(node.target, t.Name) else ""
        if name in read or name in told or any(isinstance(one, _HAPPENS) for one in t.walk(node.value)):
            continue
        told.add(name)
        report(node.pos, "unread-local", f'"{name}" is kept here, and nothing reads it', _hint(node, name, own))


#: What has an effect of its own, whether anybody wants to know what came of it or not.
_HAPPENS = (t.RollNamed, t.Rolls, t.Dice, t.Call)


def _parameters(block: t.AnyBlock) -> Iterator[str]:
    for node in t.walk(block):
        for one in getattr(node, "params", None) or ():
            yield one if isinstance(one, str) else getattr(one, "name", "")


def _hint(node: t.Assign, name: str, own: Collection[str]) -> str:
    if name in own:
        return f"to change what this keeps, write: this.{name} {node.op} .."
    field = next((one for one in t.walk(node.value) if isinstance(one, t.Attribute) and one.name == name), None)
    if field is not None and isinstance(field.of, t.Name):
        return f"to change a figure, say whose it is: {field.of.name}.{name} = .., or {field.of.name}.{name} -= 1"
    return f"say whose it is to change something (unit.{name} = ..), or take the line away"
