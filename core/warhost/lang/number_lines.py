"""Numbers, flags and values: their blocks, and the lines that change them, wherever these stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker, plain_text, rounds_always
from warhost.lang.scope import Scope
from warhost.lang.types import ANY, FRACTION, NUMBER, YES_NO, Type


class NumberLines:
    """Lowers numbers with their lines, and lines that stand in kinds and in steps."""

    def __init__(self, checker: BlockChecker) -> None:
        self.checker = checker
        self.symbols = checker.symbols

    def number_block(self, b: tree.NumberBlock) -> None:
        """A number with its lines."""
        with self.checker.asked_by(b.name, (p.name for p in b.params)):
            self._number_block(b)

    def _number_block(self, b: tree.NumberBlock) -> None:
        scope = self.checker.pure_scope(f"number {b.name}", b)
        type_ = self.checker.number_type(b.name)
        if b.type is None:
            self.checker.notes.types_found.add(b.name)
        base = self.checker.lower(b.base, scope, type_)
        wanted = FRACTION if type_.kind in ("number", "fraction") else type_
        if b.type is not None and type_.kind == "number" and not rounds_always(b):
            wanted = NUMBER
        self.checker.insist(base, wanted, b.base, f'the base of "{b.name}"')
        number = self._number(b, "number", type_, scope, base)
        for line in b.lines:
            number.templates.append(self._line(line, number, scope, f"number {b.name}", own=True))

    def _number(self, b: Any, sort: str, type_: Type, scope: Scope, base: ir.Expr) -> ir.Number:
        params = self.symbols.params(b.params)
        function = self.checker.function(b.name, [p.name for p in params], scope, base)
        number = ir.Number(b.name, sort, params, type_, function, ref=b.ref, reads=plain_text(b.reads), pos=b.pos)
        self.checker.out.numbers[b.name] = number
        return number

    def flag_block(self, b: tree.FlagBlock) -> None:
        """A flag with its lines."""
        with self.checker.asked_by(b.name, (p.name for p in b.params)):
            self._flag_block(b)

    def _flag_block(self, b: tree.FlagBlock) -> None:
        scope = self.checker.pure_scope(f"flag {b.name}", b)
        base = self.checker.lower_as(b.base, scope, YES_NO, f'the base of "{b.name}"')
        number = self._number(b, "flag", YES_NO, scope, base)
        for line in b.lines:
            inner = scope.inner()
            when = self.checker.condition(line.when, inner)
            template = self._template(number, "yes" if line.value else "no", scope, None, when, b.pos)
            template.because, template.called = line.because or "", line.called
            template.origin = f"flag {b.name}"
            number.templates.append(template)

    def value_block(self, b: tree.ValueBlock) -> None:
        """A value with its lines."""
        with self.checker.asked_by(b.name, (p.name for p in b.params)):
            self._value_block(b)

    def _value_block(self, b: tree.ValueBlock) -> None:
        scope = self.checker.pure_scope(f"value {b.name}", b)
        type_ = self.symbols.resolve_type(b.type)
        base = self.checker.lower_as(b.base, scope, type_, f'the base of "{b.name}"')
        number = self._number(b, "value", type_, scope, base)
        for line in b.lines:
            number.templates.append(self._line(line, number, scope, f"value {b.name}", own=True))

    # -- modifier lines ----------------------------------------------------------------------

    def _template(
        self, number: ir.Number, op: str, scope: Scope, value: ir.Expr | None, when: ir.Expr | None, pos: tree.Pos
    ) -> ir.Template:
        self.checker.lines_made += 1
        key = f"{number.name}#{self.checker.lines_made}"
        template = ir.Template(
            key, number.name, op,
            self._line_function(f"{key} value", number, scope, value) if value is not None else None,
            self._line_function(f"{key} when", number, scope, when) if when is not None else None,
            pos=pos, order=self.checker.lines_made,
        )
        self.checker.out.templates[key] = template
        return template

    @staticmethod
    def _line_function(key: str, number: ir.Number, scope: Scope, value: ir.Expr) -> ir.Routine:
        """A function of the effect, its bearer and the number's parameters."""
        shown = [ir.Param(n, scope.names.get(n, ANY)) for n in ("this", "bearer")]
        return ir.Routine(key, scope.what, [*shown, *number.params], value=value, pos=value.pos)

    def _line(
        self, line: tree.Modifier, number: ir.Number, scope: Scope, origin: str, own: bool = False,
        extra_when: Sequence[tree.Expr] = (),
    ) -> ir.Template:
        """One modifier line. scope sees the number's parameters (and bearer, this, a kind's parameters)."""
        inner = scope.inner(pure=True, what=f"a modifier of {number.name}")
        when = self.checker.all_conditions((*extra_when, line.when), inner)
        value = self._modifier_value(line, number, inner)
        template = self._template(number, line.op, inner, value, when, line.pos)
        template.stacking, template.stacking_key = line.stacking or "sum", line.stacking_key or ""
        template.because, template.origin = line.because or "", origin
        template.called, template.rounding, template.each_time = line.called, line.rounding or "", line.each_time
        if line.source is not None:
            source = self.checker.lower(line.source, inner)
            template.source = self._line_function(f"{template.key} source", number, inner, source)
        if not own:
            template.pin, template.pin_path = self.pin(when, number)
        return template

    def _modifier_value(self, line: tree.Modifier, number: ir.Number, scope: Scope) -> ir.Expr | None:
        if line.value is None:
            return None
        if number.sort == "flag":
            self.symbols.report(line.pos, "wrong-type", f'"{number.name}" is a flag', "use allow or forbid")
            return None
        wanted = self._fitting(number, line.op)
        if line.op == "set" or number.sort == "value":
            if line.op != "set":
                self.symbols.report(line.pos, "wrong-type", f'"{number.name}" is no number: it can only be set')
            return self.checker.lower_as(line.value, scope, wanted, f'what "{number.name}" is set to')
        value = self.checker.lower(line.value, scope, None if line.op == "multiply" else number.type)
        if line.per is not None:
            per = self.checker.lower(line.per, scope)
            if not per.type.numeric:
                self.checker.insist(per, NUMBER, line.per, "what stands after per")
            if isinstance(per, ir.Const) and per.value == 0:
                hint = "write what it counts: per 2 is twice as much, per unit.size as often as that"
                self.symbols.report(line.per.pos, "never", "per 0 makes this line add nothing", hint)
            value = ir.Arith("*", value, per, type=value.type, pos=line.pos)
        self.checker.insist(value, wanted, line.value, f'a modifier of "{number.name}"')
        if line.up_to is not None:
            limit = self.checker.lower(line.up_to, scope, value.type)
            value = ir.CallFunction("lower_of", [value, limit], type=value.type, pos=line.pos)
        return value

    def _fitting(self, number: ir.Number, op: str) -> Type:
        """What a line of a number may give: no fraction where the number is whole and does not round it off."""
        if number.type.kind not in ("number", "fraction"):
            return FRACTION if op == "multiply" else number.type
        block: Any = self.symbols.blocks["number"].get(number.name)
        bounds = op in ("floor", "cap")  # which come after rounding
        stays = number.type.kind == "number" and (bounds or block is None or not rounds_always(block))
        return NUMBER if stays else FRACTION

    def pin(self, when: ir.Expr | None, number: ir.Number) -> tuple[int | None, tuple[str, ...]]:
        """Find `P is bearer` (or `P.field is bearer`) among what must hold."""
        for part in _conjuncts(when):
            if not isinstance(part, ir.Same):
                continue
            for side, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(other, ir.Local) and other.name == "bearer":
                    path, root = _field_path(side)
                    for i, p in enumerate(number.params):
                        if root == p.name:
                            return i, path
        return None, ()

    def number_named(self, name: str, pos: tree.Pos) -> ir.Number | None:
        """The number, flag or value, lowered by now or not: parameters and type are what is needed."""
        if name in self.checker.out.numbers:
            return self.checker.out.numbers[name]
        for sort in ("number", "flag", "value"):
            block: Any = self.symbols.blocks[sort].get(name)
            if block is not None:
                self.checker.lower_block(block)
                return self.checker.out.numbers[name]
        known = [n for sort in ("number", "flag", "value") for n in self.symbols.blocks[sort]]
        reading = self._readers_of(name)
        if reading:
            hint = f"{name} is a figure of the data; numbers that start from it: {', '.join(reading[:4])}"
            message = f'there is no number, flag or value called "{name}"'
            self.symbols.report(pos, "unknown-name", message, hint)
        else:
            self.symbols.unknown(pos, "number, flag or value", name, known)
        return None

    def _readers_of(self, name: str) -> list[str]:
        """The numbers whose base is a field."""
        blocks: dict[str, Any] = self.symbols.blocks["number"]
        return [n for n, b in blocks.items() if isinstance(b.base, tree.Attribute) and b.base.name == name]

    def kind_line(
        self, line: tree.Modifier, scope: Scope, origin: str, conditions: Sequence[tree.Expr]
    ) -> ir.Template | None:
        """A line about a number in a kind block; conditions are those of the `while` around it."""
        number = self.number_named(line.target or "", line.pos)
        if number is None:
            return None
        with self.checker.asked_by(number.name, (p.name for p in number.params)):
            inner, pins = self._number_scope(line.args, number, scope)
            return self._line(line, number, inner, origin, extra_when=(*pins, *conditions))

    def _number_scope(
        self, args: Sequence[tree.Argument], number: ir.Number, scope: Scope
    ) -> tuple[Scope, list[tree.Expr]]:
        """The scope of a line about a number: its parameters by name.

        Positional names rename the parameters (`may_flee(piece)`), anything else pins them.
        """
        inner = scope.inner()
        pins: list[tree.Expr] = []
        for p in number.params:
            inner.bind(p.name, p.type)
        by_name = {p.name: p for p in number.params}
        for i, a in enumerate(args):
            if a.name is not None:
                if a.name not in by_name:
                    self.symbols.unknown(a.pos, f"parameter of {number.name}", a.name, by_name)
                    continue
                pins.append(tree.Is(tree.Name(a.name, pos=a.pos), a.value, pos=a.pos))
            elif i >= len(number.params):
                self.symbols.report(a.pos, "too-many-arguments", f'"{number.name}" has {len(by_name)} parameters')
            elif isinstance(a.value, tree.Name) and a.value.name not in ("bearer", "this"):
                inner.bind(a.value.name, number.params[i].type, number.params[i].name)
            else:
                pins.append(tree.Is(tree.Name(number.params[i].name, pos=a.pos), a.value, pos=a.pos))
        return inner, pins

    def kind_permission(
        self, line: tree.Permission, scope: Scope, origin: str, conditions: Sequence[tree.Expr]
    ) -> ir.Template | None:
        """`allow` or `forbid` in a kind block or a step."""
        number = self.number_named(line.flag, line.pos)
        if number is None:
            return None
        if number.sort != "flag":
            self.symbols.report(
                line.pos, "wrong-type", f'"{line.flag}" is no flag, so it cannot be allowed or forbidden',
                f"a {number.sort} takes a modifier, such as `{line.flag} set to ..`",
            )
            return None
        with self.checker.asked_by(number.name, (p.name for p in number.params)):
            inner, pins = self._number_scope(line.args, number, scope)
            pure = inner.inner(pure=True, what=f"a condition on {number.name}")
            when = self.checker.all_conditions((*pins, *conditions, line.when), pure)
        template = self._template(number, "allow" if line.allow else "forbid", pure, None, when, line.pos)
        template.because, template.origin, template.called = line.because or "", origin, line.called
        template.pin, template.pin_path = self.pin(when, number)
        return template

    def add_dynamic_template(self, line: tree.Modifier | tree.Permission, scope: Scope) -> ir.Statement:
        """A modifier put in force by a step. It remembers the locals of the procedure that it speaks of.

        Arguments that the procedure knows pin the number's parameters to their values of this moment; the other
        names among them are new names for the parameters (`may_shoot(u) when u is caster.unit`).
        """
        name = (line.target if isinstance(line, tree.Modifier) else line.flag) or ""
        number = self.number_named(name, line.pos)
        if number is None:
            return ir.Pass()
        inner = self._remembering(scope, number, line.when)
        pinned = self._pinned(line, number, scope, inner)
        if isinstance(line, tree.Modifier):
            template: ir.Template | None = self._line(line, number, inner, scope.what)
        else:
            bare = tree.Permission(line.allow, line.flag, (), line.when, None, line.because, pos=line.pos)
            template = self.kind_permission(bare, inner, scope.what, ())
        if template is None:
            return ir.Pass()
        template.static, template.pin, template.pin_path = False, None, ()
        captured = _captured(template)
        for f in (template.value, template.when, template.source):
            if f is not None:
                f.params = [ir.Param(c + _HERE, ANY) for c in captured] + f.params
        return ir.AddModifier(template.key, captured, pinned, self.checker.lasting(line.duration, scope))

    @staticmethod
    def _remembering(scope: Scope, number: ir.Number, when: tree.Expr | None) -> Scope:
        """A scope in which the procedure's names mean what they are now, and free names the number's parameters."""
        inner = scope.inner(pure=True)
        for local in scope.names:
            inner.renamed[local] = scope.renamed.get(local, local) + _HERE
        for p in number.params:
            if p.name not in scope.names or (when is not None and _compared(when, p.name)):
                inner.bind(p.name, p.type)
        return inner

    def _pinned(
        self, line: tree.Modifier | tree.Permission, number: ir.Number, scope: Scope, inner: Scope
    ) -> list[ir.Expr]:
        """Pairs of (parameter's index, value) one after the other."""
        names = [p.name for p in number.params]
        pinned: list[ir.Expr] = []
        for i, a in enumerate(line.args):
            index = names.index(a.name) if a.name in names else (i if a.name is None else -1)
            if a.name is None and i >= len(names):
                takes = f"takes {len(names)}, not {len(line.args)}" if names else "takes nothing"
                hint = f"it is {number.name}({', '.join(names)})"
                self.symbols.report(a.pos, "too-many-arguments", f'"{number.name}" {takes}', hint)
                break
            if not 0 <= index < len(names):
                self.symbols.unknown(a.pos, f"parameter of {number.name}", a.name or "", names)
            elif isinstance(a.value, tree.Name) and a.name is None and a.value.name not in scope.names:
                inner.bind(a.value.name, number.params[index].type, names[index])
            elif not (isinstance(a.value, tree.Name) and line.when is not None and _compared(line.when, a.value.name)):
                pinned.append(ir.Const(index, type=NUMBER))
                pinned.append(self.checker.lower(a.value, scope, number.params[index].type))
        return pinned


#: Marks, in the functions of a modifier put in force by a step, the names remembered from the procedure.
_HERE = "_here"


def _conjuncts(e: ir.Expr | None) -> Iterable[ir.Expr]:
    if isinstance(e, ir.Both) and e.every:
        for operand in e.operands:
            yield from _conjuncts(operand)
    elif e is not None:
        yield e


def _field_path(e: ir.Expr) -> tuple[tuple[str, ...], str]:
    """(fields, local) of `local.field.field`; an empty local when it is anything else."""
    path: list[str] = []
    while isinstance(e, ir.GetField):
        path.append(e.field)
        e = e.of
    return tuple(reversed(path)), e.name if isinstance(e, ir.Local) else ""


def _compared(e: tree.Expr, name: str) -> bool:
    """Whether `NAME is ..` stands in a condition."""
    return any(
        isinstance(n, tree.Is) and isinstance(n.subject, tree.Name) and n.subject.name == name for n in tree.walk(e)
    )


def _captured(template: ir.Template) -> list[str]:
    names: list[str] = []
    for f in (template.value, template.when, template.source):
        for node in ir.walk(f) if f is not None else ():
            if isinstance(node, ir.Local) and node.name.endswith(_HERE):
                name = node.name.removesuffix(_HERE)
                if name not in names:
                    names.append(name)
    return names
