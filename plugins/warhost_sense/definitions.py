"""Definitions of a kind that are not as a constraint asks: `constraint it_reaches(spell: spell)`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.vocabulary import Kind
from warhost_sense.blocks import constant

#: What an expression comes to; None: it depends on what cannot be seen.
Value = Fraction | int | bool | str | None


def look(checker: Checker) -> None:
    """Report each definition that does not meet what a constraint asks of its kind."""
    symbols = checker.symbols
    asked = [b for b in checker.blocks_of(t.ConstraintBlock) if len(b.params) == 1]
    for block in asked:
        param = symbols.param_type(block.params[0])
        kind = symbols.kinds.get(param.name) if param.kind == "kind" else None
        for definition in checker.blocks_of(t.KindBlock) if kind is not None else ():
            if definition.kind != param.name or kind is None:
                continue
            one = _Definition(definition, kind, block.params[0].name)
            if (block.when is None or one.value(block.when) is True) and one.value(block.require) is False:
                symbols.report(
                    one.place([block.require]), "not-as-asked",
                    f'{kind.name} "{definition.title.text}": {one.said(block.otherwise)}',
                    f"constraint {block.name} asks it of every {kind.name}: {block.pos.file}:{block.pos.line}",
                )  # fmt: skip


class _Definition:
    """A definition as it is written. name: by which a constraint speaks of it."""

    def __init__(self, block: t.KindBlock, kind: Kind, name: str) -> None:
        self.block, self.name = block, name
        self.items = {i.name: i for i in block.items if isinstance(i, t.KindField | t.KindFlag)}
        self.kind = kind

    def value(self, e: t.Expr) -> Value:
        """What an expression comes to."""
        match e:
            case t.Logic():
                found = [self.value(one) for one in e.operands]
                decides = e.op == "or"
                return decides if decides in found else None if None in found else not decides
            case t.Unary(op="not"):
                inner = self.value(e.operand)
                return None if inner is None else not inner
            case t.Compare():
                return _compared(e.op, self.value(e.left), self.value(e.right))
            case t.Is():
                same = _compared("==", self.value(e.subject), self.value(e.object))
                return None if same is None else same != e.negated
            case t.Attribute():
                return self._field(e.name)
            case t.YesNo():
                return e.value
            case t.Name():
                return e.name
            case t.Text():
                return e.plain
        return constant(e)

    def _field(self, name: str) -> Value:
        """What it says itself, or how such a field begins."""
        item = self.items.get(name)
        if name == "name":
            return self.block.title.text
        if item is not None:
            return True if isinstance(item, t.KindFlag) else _plain(item.value)
        if name in self.kind.flags:
            return False
        return next((one.default for one in self.kind.fields if one.name == name), None)

    def place(self, parts: Iterable[t.Expr]) -> t.Pos:
        """The last line of the definition of which some expressions speak; its first line where it has none."""
        spoken = {node.name for part in parts for node in t.walk(part) if isinstance(node, t.Attribute)}
        found = [item.pos for key, item in self.items.items() if key in spoken and item.pos.line]
        return max(found, key=lambda pos: (pos.line, pos.column), default=self.block.pos)

    def said(self, text: t.Expr) -> str:
        """The sentence of a constraint, with the definition by its title."""
        parts = text.parts if isinstance(text, t.Text) else ()
        return "".join(one if isinstance(one, str) else str(self._shown(one)) for one in parts)

    def _shown(self, e: t.Expr) -> Value:
        return self.block.title.text if isinstance(e, t.Name) and e.name == self.name else self.value(e)


def _plain(value: t.Expr) -> Value:
    if isinstance(value, t.Name):
        return value.name
    if isinstance(value, t.YesNo):
        return value.value
    return value.plain if isinstance(value, t.Text) else constant(value)


def _compared(op: str, left: Value, right: Value) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, str) or isinstance(right, str):
        return {"==": left == right, "!=": left != right}.get(op)
    return {
        "==": left == right, "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right,
        ">=": left >= right,
    }[op]  # fmt: skip
