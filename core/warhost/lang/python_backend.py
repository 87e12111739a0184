"""The compiler: from the intermediate form to Python functions that carry the file and line of their rules.

Each function of a program becomes one Python function taking the battle first. Names of generated code never come
from a ruleset: locals get the prefix `v_`, functions and constants are numbered. So nothing that an author writes can
name anything of Python.
"""

from __future__ import annotations

import ast
import hashlib
import keyword
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from string import Formatter
from types import CodeType
from typing import Any

from warhost.lang import ir, support
from warhost.lang.combining import comes_after_additions, ordered
from warhost.lang.effects import lays_out, takes_steps
from warhost.lang.marks import Marks, place_of
from warhost.lang.place import Pos
from warhost.lang.program import FieldInfo, Program, Table
from warhost.lang.types import Type

Compiled = Callable[..., Any]

#: Numbers that stand where they are asked have no more nodes.
MOST_NODES = 9
_EITHER = {"lower_of": "<=", "lowest_of": "<=", "higher_of": ">=", "highest_of": ">="}
#: Nouns whose things always have a side.
_OF_A_SIDE = {"unit", "side"}


#: Nodes whose code is a pattern: `{of}` is the code of the expression in a field, `{kind!r}` a plain field as it is.
_PATTERNS: dict[type, str] = {
    ir.DefinitionRef: "rt.definition({kind!r}, {title!r})",
    ir.Singleton: "rt.{name}",
    ir.Negate: "(-{operand})",
    ir.Not: "(not {operand})",
    ir.Compare: "({left} {op} {right})",
    ir.Contains: "({item} in {items})",
    ir.CountedWords: "counted({of}, {forms!r})",
    ir.DiceTerm: "rt.die_total({count}, {sides})",
    ir.AllOf: "rt.everyone[{noun!r}]",
    ir.DefinitionsOf: "rt.definitions_of({kind!r})",
    ir.Do: "{value}",
    ir.Pass: "pass",
    ir.Proceed: "rt.proceed(event)",
    ir.StopTravel: "rt.stop_travel()",
    ir.EndEffect: "rt.end_effect({effect})",
    ir.Reveal: "rt.reveal({what})",
    ir.Take: "rt.take({title!r}, {of})",
}
_FIELDS = {cls: [name for _, name, _, _ in Formatter().parse(text) if name] for cls, text in _PATTERNS.items()}


@cache
def attribute(name: str) -> str:
    """The Python attribute that holds a field."""
    return f"{name}_" if keyword.iskeyword(name) else name


class _Writer:
    """Lines of generated code, each with the line of the rules that it comes from."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.origins: list[int] = []
        self.depth = 0
        self.line = 1

    def put(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)
        self.origins.append(self.line)

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1


class PythonBackend:
    """Compiles on demand; `number`, `procedure` and `function` give callables.

    codes keeps code objects by a digest of what they were made of, so that another run need not make them again.
    reached: where the code marks the lines that it comes to, if it should. traced: every number is computed by the
    battle's `compute`, which notes how it came about, and never in a shorter way.
    """

    def __init__(
        self,
        program: Program,
        codes: dict[bytes, CodeType] | None = None,
        reached: Marks | None = None,
        traced: bool = False,
    ) -> None:
        self.program = program
        self.traced = traced
        self.reached = reached
        self.codes = codes if codes is not None else {}
        self._globals: dict[str, Any] = {
            "__builtins__": {},
            "len": len, "sum": sum, "max": max, "min": min, "any": any, "list": list, "range": range, "sorted": sorted,
            "multiply": support.multiply, "divide": support.divide, "text": support.text, "least": support.least,
            "greatest": support.greatest, "how_often": support.how_often, "bounded": support.bounded,
            "counted": support.counted, "narrowed": support.narrowed,
            "settled": support.settled, "floor_of": support.floor_of, "ceiling_of": support.ceiling_of, "int": int,
            "type": type, "floor": support.floor, "ceiling": support.ceiling, "nearest": support.nearest,
        }  # fmt: skip
        self._names: dict[tuple[str, str], str] = {}
        self._places: dict[str, str] = {}
        self._in_query = 0
        self._changes: dict[str, list[ir.Template]] | None = None
        self._short: dict[str, ir.Expr | None] = {}
        self._kept: list[Any] = []
        self._functions: dict[int, Compiled] = {}
        self._numbered = {
            "number": _numbered(program.numbers), "procedure": _numbered(program.procedures),
            "table": _numbered(program.tables), "noun": _numbered(program.nouns), "roll": _numbered(program.rolls),
            "native": _numbered(program.natives),
        }  # fmt: skip
        for name, call in support.BUILT_IN_CALLS.items():
            self._globals["b_" + name.replace(" ", "_")] = call
        if reached is not None:
            reached.listen(self._globals)

    # -- what the engine asks for ------------------------------------------------------------------

    def number(self, name: str) -> Compiled:
        """The callable of a number, flag or value."""
        return self._named("number", name)

    def procedure(self, key: str) -> Compiled:
        """The callable of a procedure by its key."""
        return self._named("procedure", key)

    def table(self, name: str) -> Compiled:
        """The callable of a table: a value by its keys."""
        return self._named("table", name)

    def noun(self, name: str) -> Compiled:
        """Whether an entity (of the right root) fulfils the conditions of a noun."""
        return self._named("noun", name)

    def function(self, f: ir.Routine) -> Compiled:
        """The callable of any other function: a condition, a value, a rating."""
        found = self._functions.get(id(f))
        if found is None:
            found = self._compile(f)
            self._functions[id(f)] = found
            self._kept.append(f)
        return found

    def _named(self, sort: str, name: str) -> Compiled:
        python_name = self._reference(sort, name)
        found = self._globals[python_name]
        return found  # type: ignore[no-any-return]

    def _reference(self, sort: str, name: str) -> str:
        """The global that holds a named function; a stand-in compiles the real one when it is first called."""
        key = (sort, name)
        if key not in self._names:
            python_name = f"{sort[:2]}{self._numbered[sort][name]}"
            self._names[key] = python_name
            self._globals[python_name] = self._stand_in(sort, name, python_name)
        return self._names[key]

    def _stand_in(self, sort: str, name: str, python_name: str) -> Compiled:
        def compile_and_call(*args: Any) -> Any:
            real = self._globals[python_name]
            if real is compile_and_call:
                real = self._globals[python_name] = self._build(sort, name)
            return real(*args)

        return compile_and_call

    def _build(self, sort: str, name: str) -> Compiled:
        if sort == "number":
            return self._compile_number(self.program.numbers[name])
        if sort == "procedure":
            return self._compile(self.program.procedures[name])
        if sort == "noun":
            return self._compile_noun(name)
        return self._compile_table(self.program.tables[name])

    # -- making Python -----------------------------------------------------------------------------

    def _finish(self, w: _Writer, pos: Pos, title: str) -> Compiled:
        source = "\n".join(w.lines)
        key = hashlib.sha256(repr((source, w.origins, pos.file, title)).encode()).digest()
        code = self.codes.get(key)
        if code is None:
            code = self.codes[key] = _code(source, w.origins, pos.file or "<rules>", title)
        space: dict[str, Any] = {}
        exec(code, self._globals, space)
        made: Compiled = space["rule"]
        return made

    def _compile(self, f: ir.Routine) -> Compiled:
        w = _Writer()
        w.line = max(f.pos.line, 1)
        params = "".join(f", {local(p.name)}" for p in f.params)
        w.put(f"def rule(rt{params}):")
        with w.indented():
            if self.reached is None or self.reached.counts(f):
                self.mark(w, f.pos)
            if f.value is not None:
                w.put(f"return {self.expr(f.value)}")
            else:
                _Bodies(self, w, f).whole(f.body or [])
        return self._finish(w, f.pos, f.title or f.key)

    def mark(self, w: _Writer, pos: Pos) -> None:
        """Let the code mark a line, if anybody wants to know."""
        if self.reached is not None and (mark := self.reached.mark(pos)):
            w.put(mark)

    def _compile_noun(self, name: str) -> Compiled:
        chain = [self.function(where) for where in self._conditions(name)]
        if not chain:
            return lambda rt, it: it is not None
        return lambda rt, it: it is not None and all(f(rt, it) for f in chain)

    def _conditions(self, noun: str) -> list[ir.Routine]:
        """What must hold of an entity of the right root, from the root to the noun."""
        found: list[ir.Routine] = []
        at: str | None = noun
        while at is not None:
            declared = self.program.nouns[at]
            if declared.where is not None:
                found.insert(0, declared.where)
            at = declared.is_a
        return found

    def _compile_table(self, table: Table) -> Compiled:
        if table.cases:
            return self._compile_cases(table)
        rows, missing, has = table.rows, table.otherwise, table.has_otherwise
        if self.reached is not None:
            self.reached.tables.add(table.name)  # compiled when it is first asked

        def look_up(rt: Any, *keys: Any) -> Any:
            found = rows.get(keys, missing)
            if found is None and not has and keys not in rows:
                rt.fault(f"the table {table.name} has no entry for {', '.join(support.text(k) for k in keys)}")
            return found

        return look_up

    def _compile_cases(self, table: Table) -> Compiled:
        w = _Writer()
        params = "".join(f", {local(p.name)}" for p in table.params)
        w.put(f"def rule(rt{params}):")
        with w.indented():
            for when, value in table.cases:
                w.line = max(value.pos.line, 1)
                assert value.value is not None
                if when is None or when.value is None:
                    self.mark(w, value.pos)
                    w.put(f"return {self.expr(value.value)}")
                    break
                w.put(f"if {self.expr(when.value)}:")
                with w.indented():
                    self.mark(w, value.pos)
                    w.put(f"return {self.expr(value.value)}")
            else:
                w.put(f"rt.fault({'no case of the table ' + table.name + ' fits'!r})")
        first = table.cases[0][1].pos
        return self._finish(w, first, f"table {table.name}")

    # -- numbers -----------------------------------------------------------------------------------

    def _compile_number(self, n: ir.Number) -> Compiled:
        """Lines that are always in force stand in the function; what may be in force besides is asked for by masks."""
        w = _Writer()
        w.line = max(n.pos.line, 1)
        params = [local(p.name) for p in n.params]
        keeps = not self.traced and self._is_costly(n)
        w.put(f"def {'computed' if keeps else 'rule'}({', '.join(['rt', *params])}):")
        with w.indented():
            self.mark(w, n.base.pos)
            if n.name in self.program.costs:
                w.put(f"rt.spend({self.program.costs[n.name]})")
            spec = self._number_spec(n)
            args = "".join(f"{p}, " for p in params)
            guards = [] if self.traced else self._guards(n, params)
            if self.traced or not is_plain(n):
                w.put(f"return rt.compute({spec}, ({args}))")
            else:
                adds = bool(guards) and n.sort == "number"
                if adds:
                    w.put(f"if {' or '.join(guards)}:")
                    with w.indented():
                        w.put(f"m = rt.more({spec}, ({args}))")
                        w.put(f"if m is None: return rt.compute({spec}, ({args}))")
                    w.put("else: m = 0")
                elif guards:
                    w.put(f"if {' or '.join(guards)}: return rt.compute({spec}, ({args}))")
                self._inline(w, n, adds)
        if keeps:
            self._keeping(w, n, params)
        return self._finish(w, n.pos, f"{n.sort} {n.name}")

    def _is_costly(self, n: ir.Number) -> bool:
        """Whether a number goes through lists, and what it is asked about is enough to know the answer again by."""
        if not all(p.type.kind in ("word", "kind", "yes_no") or _is_thing(p.type) for p in n.params):
            return False
        functions = [n.base, *(f for t in n.templates for f in (t.value, t.when) if f is not None)]
        return any(isinstance(node, ir.Query) for f in functions for node in ir.walk(f))

    def _keeping(self, w: _Writer, n: ir.Number, params: Sequence[str]) -> None:
        """The number itself: what was computed is kept for as long as nothing changes."""
        arguments = "".join(f", {p}" for p in params)
        w.line = max(n.pos.line, 1)
        w.put(f"def rule(rt{arguments}, *, computed=computed):")
        with w.indented():
            w.put(f"kept = rt.kept[{n.name!r}]")
            w.put("if kept.seen != rt.changes: kept.look(rt)")
            key = params[0] if len(params) == 1 else f"({', '.join(params)})"
            w.put(f"v = kept.known.get({key}, rt)")
            w.put("if v is not rt: return v")
            w.put(f"v = kept.known[{key}] = computed(rt{arguments})")
            w.put("return v")

    def _guards(self, n: ir.Number, params: Sequence[str]) -> list[str]:
        """Conditions under which something that is not always in force may matter to a number."""
        bit = self.bit(n.name)
        guards: list[str] = []
        loose = False
        for t in self._lines().get(n.name, ()):
            if t.static or t in n.templates:
                continue
            if t.pin is None:
                loose = True
                continue
            guard = _guard(params[t.pin], n.params[t.pin].type, t.pin_path, bit)
            if guard not in guards:
                guards.append(guard)
        if loose:
            guards.insert(0, f"rt.loose_mask & {bit}")
        return guards

    def _lines(self) -> dict[str, list[ir.Template]]:
        """The lines that change each number, wherever they stand."""
        if self._changes is None:
            self._changes = self.program.lines_by_number()
        return self._changes

    def field(self, noun: str, name: str) -> FieldInfo | None:
        """A field that rules may write, of a noun or the one that it is."""
        at = self.program.nouns.get(noun)
        while at is not None and at.is_a is not None:
            at = self.program.nouns.get(at.is_a)
        info = at.fields.get(name) if at is not None else None
        return info if info is not None and info.writable else None

    def bit(self, number: str) -> int:
        """The bit that stands for a number in the masks of entities."""
        if not hasattr(self, "_bits"):
            self._bits = {name: 1 << i for i, name in enumerate(self.program.numbers)}
        return self._bits[number]

    def _inline(self, w: _Writer, n: ir.Number, adds: bool) -> None:
        """The number's own lines in order. adds: what things in force add to it is in m."""
        assert n.base.value is not None
        if not n.templates:
            w.put(f"return {self.expr(n.base.value)}{' + m' if adds else ''}")
            return
        lines = list(ordered(n.sort, n.templates, lambda t: t))
        sets = 0 if self.reached is not None else sum(1 for _ in takewhile(lambda line: line[1].op == "set", lines))
        self._inline_base(w, n.base.value, [t for _, t in lines[:sets]])
        for step, t in lines[sets:]:
            if adds and comes_after_additions(t):
                w.put("v += m")
                adds = False
            self._inline_line(w, t, step.code, n.sort == "flag")
        if adds:
            w.put("v += m")
        w.put("return v")

    def _inline_base(self, w: _Writer, base: ir.Expr, sets: Sequence[ir.Template]) -> None:
        """What a number begins with: what the last line sets that holds, else its base; the others are not asked."""
        word, begun = "if", w.line
        for t in reversed(sets):
            assert t.value is not None
            assert t.value.value is not None
            w.line = max(t.pos.line, 1)
            if t.when is None or t.when.value is None:
                base = t.value.value
                break
            w.put(f"{word} {self.expr(t.when.value)}: v = {self.expr(t.value.value)}")
            word = "elif"
        else:
            w.line = begun
        w.put(f"v = {self.expr(base)}" if word == "if" else f"else: v = {self.expr(base)}")

    def _inline_line(self, w: _Writer, t: ir.Template, change: str, of_flag: bool = False) -> None:
        """One line. What would leave a flag as it is need not be asked."""
        w.line = max(t.pos.line, 1)
        value = self.expr(t.value.value) if t.value is not None and t.value.value is not None else ""
        step = change.format(value) if "{}" in change else change
        if t.when is None or t.when.value is None:
            self.mark(w, place_of(t))
            w.put(step)
        elif self.reached is None:
            unless = "" if not of_flag else "v and " if t.op in ("no", "forbid") else "not v and "
            w.put(f"if {unless}{self.expr(t.when.value)}: {step}")
        else:
            w.put(f"if {self.expr(t.when.value)}:")
            with w.indented():
                self.mark(w, place_of(t))
                w.put(step)

    # -- constants ---------------------------------------------------------------------------------

    def constant(self, name: str, value: Any) -> str:
        """A global that holds an object of the program."""
        self._globals[name] = value
        return name

    def _number_spec(self, n: ir.Number) -> str:
        return self.constant(f"spec{self._numbered['number'][n.name]}", n)

    def _roll_spec(self, name: str) -> str:
        return self.constant(f"roll{self._numbered['roll'][name]}", self.program.rolls[name])

    # -- expressions -------------------------------------------------------------------------------

    def expr(self, e: ir.Expr) -> str:
        """Python for an expression; always safe inside a larger one."""
        if type(e) in _PATTERNS:
            return self.pattern(e)
        method = getattr(self, "_" + type(e).__name__.lower())
        result: str = method(e)
        return result

    def pattern(self, node: ir.IrNode) -> str:
        """Python for a node whose code is a pattern."""
        values = {name: getattr(node, name) for name in _FIELDS[type(node)]}
        codes = {name: self.expr(v) if isinstance(v, ir.Expr) else v for name, v in values.items()}
        return _PATTERNS[type(node)].format(**codes)

    def exprs(self, items: Sequence[ir.Expr]) -> str:
        """Python for several expressions, with commas between them."""
        return ", ".join(self.expr(i) for i in items)

    def _tuple(self, items: Sequence[ir.Expr]) -> str:
        return f"({''.join(self.expr(i) + ', ' for i in items)})"

    def _const(self, e: ir.Const) -> str:
        v = e.value
        if v is None or isinstance(v, bool | int | str):
            return f"({v!r})" if isinstance(v, int) and not isinstance(v, bool) and v < 0 else repr(v)
        return self.constant(f"exact{v.numerator}_{v.denominator}".replace("-", "m"), v)

    def _local(self, e: ir.Local) -> str:
        return self._places.get(e.name) or local(e.name)

    def _getfield(self, e: ir.GetField) -> str:
        return f"{self.expr(e.of)}.{attribute(e.field)}"

    def _evaluate(self, e: ir.Evaluate) -> str:
        if e.uses:
            return f"rt.use_number({self._reference('number', e.name)}, {self._tuple(e.args)})"
        value = self._short_value(e.name) if self.reached is None and not self.traced else None
        if value is not None and all(_is_simple(a) for a in e.args):
            outer = self._places
            params = self.program.numbers[e.name].params
            self._places = {p.name: self.expr(a) for p, a in zip(params, e.args, strict=True)}
            found = self.expr(value)
            self._places = outer
            return found
        return f"{self._reference('number', e.name)}(rt, {self.exprs(e.args)})"

    def _short_value(self, name: str) -> ir.Expr | None:
        """What a number is that nothing ever changes, if it is short and safe enough to stand where it is asked."""
        if name not in self._short:
            n = self.program.numbers[name]
            self._short[name] = None
            things = all(_is_thing(p.type) and not p.type.optional for p in n.params)
            value = n.base.value
            if value is not None and things and not n.templates and not self._guards(n, ["x"] * len(n.params)):
                nodes = list(ir.walk(value))
                if len(nodes) <= MOST_NODES and all(self._is_safe(node) for node in nodes):
                    self._short[name] = value
        return self._short[name]

    def _is_safe(self, e: ir.IrNode) -> bool:
        """Whether an expression cannot fail, so that nobody need know in which rule it stands."""
        match e:
            case ir.Const() | ir.Local() | ir.Compare() | ir.Both() | ir.Not() | ir.Negate() | ir.Same():
                return True
            case ir.GetField():
                return isinstance(e.of, ir.Local)
            case ir.Bears():
                return bool(e.title) and isinstance(e.of, ir.Local)
            case ir.Arith():
                return e.op in "+-"
        return False

    def _lookup(self, e: ir.LookUp) -> str:
        return f"{self._reference('table', e.name)}(rt, {self.exprs(e.args)})"

    def _callfunction(self, e: ir.CallFunction) -> str:
        if e.name in ("is_friendly", "is_enemy"):
            sign = "is" if e.name == "is_friendly" else "is not"
            return f"({self.expr(e.args[0])}.side {sign} {self.expr(e.args[1])}.side)"
        if e.name == "opposes" and all(_is_simple(a) and a.type.name in _OF_A_SIDE for a in e.args):
            return f"({self.expr(e.args[0])}.side is not {self.expr(e.args[1])}.side)"
        if e.name.startswith("choice "):
            return f"rt.options_of({e.name.removeprefix('choice ')!r}, {self._tuple(e.args)})"
        if e.name == "on_table" and _is_simple(e.args[0]):
            unit = self.expr(e.args[0])
            return f"(not {unit}._gone and {unit}._placed)"
        if e.name in support.BUILT_IN_CALLS and e.name not in self.program.natives:
            short = self._short_call(e)
            if short is not None:
                return short
            return f"b_{e.name.replace(' ', '_')}({self.exprs(e.args)})"
        native = self.constant(f"native{self._numbered['native'][e.name]}", self.program.natives[e.name].call)
        return f"{native}(rt, {self.exprs(e.args)})"

    def _short_call(self, e: ir.CallFunction) -> str | None:
        """Some functions of the language without a call, or with one in the place of two."""
        if e.name == "list of":
            return f"[{self.exprs(e.args)}]"
        if not e.args:
            return None
        first = e.args[0]
        if e.name in ("floor", "ceiling") and isinstance(first, ir.Arith) and first.op == "/":
            a, b = self.expr(first.left), self.expr(first.right)
            return f"{e.name}_of({a}, {b})"
        if e.name in _EITHER and all(isinstance(a, ir.Const | ir.Local) for a in e.args):
            a, b = self.exprs(e.args[:1]), self.exprs(e.args[1:])
            return f"({a} if {a} {_EITHER[e.name]} {b} else {b})"
        return None

    def _callprocedure(self, e: ir.CallProcedure) -> str:
        return f"{self._reference('procedure', e.name)}(rt, {self.exprs(e.args)})"

    def _arith(self, e: ir.Arith) -> str:
        left, right = self.expr(e.left), self.expr(e.right)
        if e.op == "*":
            if self._in_query:
                return f"multiply({left}, {right})"
            bound = support.LARGEST
            return f"(p if type(p := {left} * {right}) is int and -{bound} <= p <= {bound} else settled(p))"
        if e.op == "/":
            return f"divide({left}, {right})"
        return f"({left} {e.op} {right})"

    def _both(self, e: ir.Both) -> str:
        word = " and " if e.every else " or "
        return f"({word.join(self.expr(o) for o in e.operands)})"

    def _same(self, e: ir.Same) -> str:
        sign = "is" if support.by_identity(e.left.type.kind, e.right.type.kind) else "=="
        return f"({self.expr(e.left)} {sign} {self.expr(e.right)})"

    def _isnoun(self, e: ir.IsNoun) -> str:
        if _is_simple(e.of) and self.reached is None:
            conditions = [where.value for where in self._conditions(e.noun) if where.value is not None]
            if all(len(list(ir.walk(c))) <= MOST_NODES and all(map(self._is_safe, ir.walk(c))) for c in conditions):
                outer, self._places = self._places, {"it": self.expr(e.of)}
                found = " and ".join([self.expr(c) for c in conditions])
                self._places = outer
                return f"({found})" if conditions else "True"
        return f"{self._reference('noun', e.noun)}(rt, {self.expr(e.of)})"

    def _bears(self, e: ir.Bears) -> str:
        if e.title:
            return f"({e.title!r} in {self.expr(e.of)}._titles)"
        return f"rt.bears_kind({self.expr(e.of)}, {e.kind!r})"

    def _textjoin(self, e: ir.TextJoin) -> str:
        parts = [
            repr(p.value) if isinstance(p, ir.Const) and isinstance(p.value, str) else f"text({self.expr(p)})"
            for p in e.parts
        ]
        return f"bounded(''.join(({', '.join(parts)},)))"

    def _rolls(self, e: ir.Rolls) -> str:
        laid_out = "" if lays_out(e.formula, self.program) else ", False"
        return f"rt.thrown({self.expr(e.roller)}, lambda: {self.expr(e.formula)}{laid_out})"

    def _makeroll(self, e: ir.MakeRoll) -> str:
        return f"rt.make_roll({self._roll_spec(e.name)}, {self._tuple(e.args)})"

    def _howmany(self, e: ir.HowMany) -> str:
        roll = self._roll_spec(e.name)
        return f"rt.how_many({roll}, {self.expr(e.count)}, {e.passing}, {self._tuple(e.args)})"

    def _query(self, e: ir.Query) -> str:
        self._in_query += 1
        try:
            return self._made_query(e)
        finally:
            self._in_query -= 1

    def _made_query(self, e: ir.Query) -> str:
        var, source = local(e.var), self.expr(e.source)
        if e.where or e.kind != "number":
            source = f"rt.counted({source})"
        where = "".join(f" if {self.expr(w)}" for w in e.where)
        loop = f"for {var} in {source}{where}"
        items = f"[{var} {loop}]" if where else source
        if e.kind == "number":
            return f"sum([1 {loop}])" if where else f"len({source})"
        if e.kind == "any":
            return f"any(True {loop})"
        if e.kind == "all":
            return items if where else f"list({source})"
        assert e.value is not None
        value = self.expr(e.value)
        if e.kind == "total" and e.counting:
            return self._counting(e, items, var)
        if e.kind == "total":
            return f"sum([{value} {loop}])"
        if e.kind in ("highest", "lowest"):
            return f"{'max' if e.kind == 'highest' else 'min'}([{value} {loop}], default=0)"
        pick = "least" if e.kind in ("nearest", "which lowest") else "greatest"
        return f"{pick}({items}, lambda {var}: {value})"

    def offered(self, items: ir.Expr) -> str:
        """What is to choose from. What a plugin offers may take answers that it does not list: so may a part of it."""
        if not isinstance(items, ir.Query) or not items.where or not isinstance(items.source, ir.CallFunction):
            return self.expr(items)
        source = self.expr(items.source)
        self._in_query += 1
        try:
            passes = " and ".join(f"({self.expr(w)})" for w in items.where)
        finally:
            self._in_query -= 1
        return f"narrowed(rt.counted({source}), lambda {local(items.var)}: {passes})"

    def _counting(self, e: ir.Query, items: str, var: str) -> str:
        if not isinstance(e.value, ir.Evaluate):
            return f"sum([{self.expr(e.value)} for {var} in {items}])" if e.value is not None else "0"
        spec = self._number_spec(self.program.numbers[e.value.name])
        return f"rt.total_counting({spec}, {e.counting!r}, [{self._tuple(e.value.args)} for {var} in {items}])"


def _numbered(names: Iterable[str]) -> dict[str, int]:
    return {name: i for i, name in enumerate(names)}


def _code(source: str, origins: Sequence[int], file: str, title: str) -> CodeType:
    """Compile lines of Python so that each carries the line of the rules that it comes from."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            line = origins[node.lineno - 1]
            node.lineno = node.end_lineno = line  # type: ignore[attr-defined]
    return _titled(compile(tree, file, "exec", dont_inherit=True), title)


def _is_thing(t: Type) -> bool:
    """Whether values of a type are things whose state is counted in versions; throws and dice come and go."""
    return t.kind == "noun" and t.name not in ("throw", "die", "effect", "army")


def _is_simple(e: ir.Expr) -> bool:
    """Whether an expression is a local that holds a thing: it may be named more than once."""
    return isinstance(e, ir.Local) and e.type.kind == "noun" and not e.type.optional


def is_plain(n: ir.Number) -> bool:
    """Whether the lines of a number can stand in its function one after the other."""
    rounding = [t for t in n.templates if t.op == "round"]
    if len(rounding) > 1 or any(t.each_time and t.when is not None for t in rounding):
        return False
    return all(t.stacking == "sum" and t.source is None for t in n.templates)


def _guard(param: str, type_: Type, path: Sequence[str], bit: int) -> str:
    """The condition that something borne may change a number; what may be none bears nothing."""
    conditions = [f"{param} is not None"] if type_.optional or type_.kind == "any" else []
    who = param
    for step in path:
        conditions.append(f"(g := {who}.{attribute(step)}) is not None")
        who = "g"
    conditions.append(f"{who}._mask & {bit}")
    return conditions[0] if len(conditions) == 1 else f"({' and '.join(conditions)})"


def _titled(code: CodeType, title: str) -> CodeType:
    """Code that calls itself, and all within it, by the title of its rule: that is what faults name."""
    inner = tuple(_titled(c, title) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_qualname=title, co_consts=inner)


def local(name: str) -> str:
    """The Python name of a local of the rules."""
    return f"v_{name}"


#: What binds nothing in the body in which it stands (a tuple: a union would be made anew for each node).
_APART = (ir.Expr, ir.Emit, ir.Travel, ir.Later)
#: Statements that bind a local, and the field that names it.
_BINDS: dict[type, str] = {
    ir.SetLocal: "name", ir.ChangeParam: "name", ir.Choose: "var", ir.ForEach: "var", ir.According: "var",
}  # fmt: skip


def bound_names(body: Sequence[ir.IrNode]) -> set[str]:
    """Locals that a body binds itself, those of blocks that become functions of their own left out."""
    names: set[str] = set()
    for node in body:
        if type(node) in _BINDS:
            names.add(getattr(node, _BINDS[type(node)]))
        if not isinstance(node, _APART):
            names |= bound_names(ir.sub_nodes(node))
    return names


def given_values(body: Sequence[ir.Statement]) -> set[str]:
    """Locals that a body, or any block in it, gives a value to."""
    return {name for s in body for n in ir.walk(s) if isinstance(n, ir.Stmt) for name in bound_names([n])}


def free_names(nodes: Sequence[ir.IrNode], program: Program) -> set[str]:
    """Locals that some nodes read, those left out that the nodes name themselves (an item, an event's parameter)."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ir.Local):
            found.add(node.name)
        elif isinstance(node, ir.Emit):
            own = {p.name for p in program.events[node.event].params}
            found |= free_names(node.args, program) | (free_names(node.body or (), program) - own)
        elif isinstance(node, ir.TravelHandler):
            found |= free_names(list(ir.sub_nodes(node)), program) - set(node.params)
        elif isinstance(node, ir.Query):
            inside = [*node.where, *([node.value] if node.value is not None else [])]
            found |= free_names([node.source], program) | (free_names(inside, program) - {node.var})
        else:
            found |= free_names(list(ir.sub_nodes(node)), program)
    return found


def busy_with(f: ir.Routine) -> dict[int, tuple[str, ...]]:
    """The things that a function is busy with at each of its choices, by the id of the statement: its parameters that
    are things, and the items of the loops around.
    """
    found: dict[int, tuple[str, ...]] = {}

    def visit(body: Sequence[ir.IrNode], names: tuple[str, ...]) -> None:
        for node in body:
            if isinstance(node, ir.Choose | ir.ChooseCourse):
                found[id(node)] = names
            inner = names
            if isinstance(node, ir.ForEach) and (item := node.items.type.item) is not None and _is_thing(item):
                inner = (*(n for n in names if n != node.var), node.var)
            visit([below for below in ir.sub_nodes(node) if not isinstance(below, ir.Expr)], inner)

    visit(f.body or [], tuple(p.name for p in f.params if _is_thing(p.type)))
    return found


#: Expressions that ask nobody else.
_CALL_NOTHING = (
    ir.Const, ir.Local, ir.GetField, ir.Arith, ir.Negate, ir.Not, ir.Compare, ir.Both, ir.Same, ir.Singleton,
)  # fmt: skip


class _Bodies:
    """Statements of one function, and of the small functions inside it (outcomes of events, one-shots)."""

    def __init__(self, backend: PythonBackend, w: _Writer, f: ir.Routine) -> None:
        self.backend, self.w = backend, w
        self.known = [{p.name for p in f.params}]
        self.count = 0
        self.loops = 0
        self.has_event = bool(f.params) and f.params[0].name == "this"
        self.busy_with = busy_with(f)

    def _about(self, s: ir.Choose | ir.ChooseCourse) -> str:
        """The things that a choice is about, and its words, as arguments of the call that asks; "" for neither."""
        names = self.busy_with.get(id(s), ())
        about = f", about=({', '.join(map(local, names))},)" if names else ""
        return f"{about}, says=lambda: {self.expr(s.says)}" if s.says is not None else about

    def whole(self, body: Sequence[ir.Statement]) -> None:
        self._prepare(body, self.known[0])
        self.known.append(bound_names(body))
        self._step()
        if self.has_event:
            self.w.put("event = rt.event")
        self.body(body)

    def _prepare(self, body: Sequence[ir.Statement], known: set[str]) -> None:
        """A name that a later step may give a value to first is remembered with none at all."""
        later = [n for s in body for n in ir.walk(s) if isinstance(n, ir.Later)]
        early = bound_names(body) & set().union(*(bound_names(n.body) for n in later))
        for name in sorted(early - known):
            self.w.put(f"{local(name)} = None")

    def _step(self) -> None:
        self.w.put("rt.steps = s = rt.steps - 1")
        self.w.put("if s < 0: rt.exhausted()")

    def body(self, body: Sequence[ir.Statement]) -> None:
        done = 0
        while done < len(body):
            s = body[done]
            if s.pos.line:
                self.w.line = s.pos.line
            writes = self._writes(body[done:])
            for place in [step.pos for step, _ in writes] or [s.pos]:
                self.backend.mark(self.w, place)
            if writes:
                self._stores(writes)
            elif type(s) in _PATTERNS:
                self.w.put(self.backend.pattern(s))
            else:
                getattr(self, "_" + type(s).__name__.lower())(s)
            done += len(writes) or 1

    def _writes(self, body: Sequence[ir.Statement]) -> list[tuple[ir.PutField, FieldInfo]]:
        """The first steps, as far as they write fields in place, all but the first values that call nothing."""
        found: list[tuple[ir.PutField, FieldInfo]] = []
        for s in body:
            info = self._plain_field(s) if isinstance(s, ir.PutField) else None
            if not isinstance(s, ir.PutField) or info is None:
                break
            if found and not all(isinstance(n, _CALL_NOTHING) for n in ir.walk(s.value)):
                break
            found.append((s, info))
        return found

    def _stores(self, writes: Sequence[tuple[ir.PutField, FieldInfo]]) -> None:
        """Fields written one after the other."""
        self.w.put("if rt.held_back is None:")
        with self.w.indented():
            for s, info in writes:
                self.w.line = s.pos.line or self.w.line
                self._store(s, info)
        self.w.put("else:")
        with self.w.indented():
            for s, _ in writes:
                self.w.line = s.pos.line or self.w.line
                self._putfield(s)

    def expr(self, e: ir.Expr) -> str:
        return self.backend.expr(e)

    def _fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def _nested(self, stem: str, params: Sequence[str], body: Sequence[ir.Statement], keeps: bool = False) -> str:
        """A function inside the function; it may give new values to the locals around it.

        keeps: what it only reads it remembers as it is now, for it may have to wait until the end of a `together`.
        """
        name = self._fresh(stem)
        inside = bound_names(body)
        outer: set[str] = set().union(*self.known)
        shared = sorted((inside & outer) - set(params))
        kept = [n for n in self._read(*body) if n not in params and n not in given_values(body)] if keeps else []
        heads = [*(local(p) for p in params), *(f"{local(n)}={local(n)}" for n in kept)]
        self.w.put(f"def {name}({', '.join(heads)}):")
        with self.w.indented():
            if shared:
                self.w.put(f"nonlocal {', '.join(local(n) for n in shared)}")
            self._prepare(body, outer | set(params))
            self.known.append(set(params) | inside)
            self.body(body)
            self.known.pop()
        return name

    # -- simple statements ---------------------------------------------------------------------------

    def _setlocal(self, s: ir.SetLocal) -> None:
        value = self.expr(s.value)
        if self.loops and s.value.type.kind == "number":
            bound = support.LARGEST
            value = f"n if type(n := {value}) is int and -{bound} <= n <= {bound} else bounded(n)"
        elif self.loops:
            value = f"bounded({value})"
        self.w.put(f"{local(s.name)} = {value}")

    def _plain_field(self, s: ir.PutField) -> FieldInfo | None:
        """The field, if it can be written without the engine: of a thing at hand, a number, a word, or yes and no."""
        if not isinstance(s.of, ir.Local) or s.of.type.kind != "noun" or s.of.type.name == "effect":
            return None
        info = self.backend.field(s.of.type.name, s.field)
        if info is None or info.type.optional or info.type.kind not in ("number", "distance", "yes_no", "word"):
            return None
        return info

    def _store(self, s: ir.PutField, info: FieldInfo) -> None:
        """What `rt.put` does, in place; numbers beyond all bounds still go through it and are refused there."""
        place = f"{local(s.of.name)}.{attribute(s.field)}"  # type: ignore[attr-defined]
        value = self.expr(s.value)
        if s.op != "=":
            value = f"{place} {s.op[0]} {value}"
        low = support.LARGEST * -1 if info.at_least is None else info.at_least
        high = support.LARGEST if info.at_most is None else info.at_most
        given = s.value.value if isinstance(s.value, ir.Const) and s.op == "=" else None
        if info.type.kind in ("yes_no", "word") or (type(given) is int and low <= given <= high):
            self.w.put(f"{place} = {value}")
            self._wrote(s)
            return
        new = self._fresh("new")
        self.w.put(f"{new} = {value}")
        self._wrote(s)
        self.w.put(f"if {low} <= {new} <= {high}:")
        with self.w.indented():
            self.w.put(f"{place} = {new}")
        self.w.put("else:")
        with self.w.indented():
            self.w.put(f"rt.put({local(s.of.name)}, {attribute(s.field)!r}, {new})")  # type: ignore[attr-defined]

    def _wrote(self, s: ir.PutField) -> None:
        """The field is counted as written."""
        self.w.put("rt.changes += 1")
        self.w.put(f"rt.written[{attribute(s.field)!r}] += 1")

    def _putfield(self, s: ir.PutField) -> None:
        call = {"=": "put", "+=": "add", "-=": "take_off"}[s.op]
        self.w.put(f"rt.{call}({self.expr(s.of)}, {attribute(s.field)!r}, {self.expr(s.value)})")

    def _refuse(self, s: ir.Refuse) -> None:
        self.w.put(f"rt.refuse({self.expr(s.text)}, {s.pos.file!r}, {s.pos.line})")

    def _say(self, s: ir.Say) -> None:
        if not takes_steps(s.text, self.backend.program):
            self.w.put(f"rt.say(lambda: {self.expr(s.text)})")
            return
        # steps are taken once; the sentence is made of what they gave, for whoever reads it
        said = self._fresh("said")
        parts = s.text.parts if isinstance(s.text, ir.TextJoin) else [s.text]
        self.w.put(f"{said} = [{', '.join(self.expr(p) for p in parts)}]")
        self.w.put(f"rt.say(lambda: bounded(''.join([text(p) for p in {said}])))")

    def _return(self, s: ir.Return) -> None:
        self.w.put(f"return {self.expr(s.value) if s.value is not None else 'None'}")

    def _cancelevent(self, s: ir.CancelEvent) -> None:
        self.w.put("event.cancelled = True" if self.has_event else "rt.event.cancelled = True")

    def _changeparam(self, s: ir.ChangeParam) -> None:
        self.w.put(f"{local(s.name)} = event.args[{s.index}] = {self.expr(s.value)}")

    # -- blocks ------------------------------------------------------------------------------------

    def _block(self, head: str, body: Sequence[ir.Statement], loop: bool = False) -> None:
        self.w.put(head)
        with self.w.indented():
            if loop:
                self._step()
            self.loops += loop
            self.body(body)
            self.loops -= loop

    def _ifelse(self, s: ir.IfElse) -> None:
        self._block(f"if {self.expr(s.condition)}:", s.body)
        if s.otherwise:
            self._block("else:", s.otherwise)

    def _foreach(self, s: ir.ForEach) -> None:
        items = f"list({self.expr(s.items)})"
        if s.order_by is not None:
            reverse = ", reverse=True" if s.highest_first else ""
            items = f"sorted({items}, key=lambda {local(s.var)}: {self.expr(s.order_by)}{reverse})"
        if s.chooser is not None:
            items = f"rt.ordered_by({self.expr(s.chooser)}, {s.var!r}, {items})"
        self._block(f"for {local(s.var)} in {items}:", s.body, loop=True)

    def _repeat(self, s: ir.Repeat) -> None:
        times = s.times.value if isinstance(s.times, ir.Const) else None
        plain = type(times) is int and 0 <= times <= support.LONGEST
        self.w.put(f"for _ in range({times if plain else f'how_often({self.expr(s.times)})'}):")
        with self.w.indented():
            self._step()
            self.loops += 1
            self.body(s.body)
            self.loops -= 1
            if s.until is not None:
                self.w.put(f"if {self.expr(s.until)}: break")

    def _according(self, s: ir.According) -> None:
        again = any(c.roll_again for c in s.cases)
        if not again:
            self.w.put(f"{local(s.var)} = {self.expr(s.subject)}")
            self._cases(s)
            return
        self.w.put("for _ in range(100):")
        with self.w.indented():
            self.w.put(f"{local(s.var)} = {self.expr(s.subject)}")
            self._cases(s)
            self.w.put("break")

    def _cases(self, s: ir.According) -> None:
        word = "if"
        for c in s.cases:
            head = ("else:" if word == "elif" else "if True:") if c.test is None else f"{word} {self.expr(c.test)}:"
            self.w.put(head)
            with self.w.indented():
                if c.roll_again:
                    self.w.put("continue")
                self.body(c.body)
            word = "elif"
            if c.test is None:
                break

    def _together(self, s: ir.Together) -> None:
        self._block("with rt.together():", s.body)

    # -- choices, events, things in force --------------------------------------------------------------

    def _lambda(self, var: str, e: ir.Expr | None) -> str:
        return f"lambda {local(var)}: {self.expr(e)}" if e is not None else "None"

    def _choose(self, s: ir.Choose) -> None:
        if s.items is not None:
            options = self.backend.offered(s.items)
        else:
            assert s.low is not None
            assert s.high is not None
            options = f"rt.span({self.expr(s.low)}, {self.expr(s.high)})"
        usually = f"lambda: {self.expr(s.usually)}" if s.usually is not None else "None"
        rated = self._lambda(s.item_var, s.rated)
        extra = f", {s.or_none}, {s.secretly}, {rated}, {usually}{self._about(s)}"
        if s.up_to is not None:
            call = f"rt.choose_several({s.decision!r}, {self.expr(s.chooser)}, {options}, {self.expr(s.up_to)}{extra})"
        else:
            call = f"rt.choose({s.decision!r}, {self.expr(s.chooser)}, {options}{extra})"
        self.w.put(f"{local(s.var)} = {call}")

    def _choosecourse(self, s: ir.ChooseCourse) -> None:
        name = self._fresh("course")
        rows = []
        for c in s.courses:
            when = self.expr(c.when) if c.when is not None else "True"
            rated = f"lambda: {self.expr(c.rated)}" if c.rated is not None else "None"
            rows.append(f"({c.label!r}, {when}, {rated})")
        open_ = f"[{', '.join(rows)}]{self._about(s)}"
        self.w.put(f"{name} = rt.choose_course({s.decision!r}, {self.expr(s.chooser)}, {open_})")
        word = "if"
        for c in s.courses:
            self._block(f"{word} {name} == {c.label!r}:", c.body)
            word = "elif"

    def _emit(self, s: ir.Emit) -> None:
        event = self.backend.program.events[s.event]
        outcome = "None"
        if s.body is not None:
            outcome = self._nested("outcome", [p.name for p in event.params], s.body, keeps=True)
        self.w.put(f"rt.emit({s.event!r}, [{self.backend.exprs(s.args)}], {outcome})")

    def _travel(self, s: ir.Travel) -> None:
        rows = []
        for h in s.handlers:
            body: list[ir.Statement] = list(h.body)
            if h.when is not None:
                body = [ir.IfElse(h.when, list(h.body), [], pos=h.pos)]
            rows.append(f"({h.event!r}, {self._nested('met', h.params, body)})")
        self.w.put(f"rt.travel({self.expr(s.who)}, {self.expr(s.path)}, [{', '.join(rows)}])")

    def when(self, m: ir.When | None) -> str:
        if m is None:
            return "None"
        whose = self.expr(m.whose) if m.whose is not None else "None"
        return f"({m.edge!r}, {m.what!r}, {whose}, {m.next})"

    def lasting(self, d: ir.Lasting) -> str:
        if d.kind == "until":
            return f"('until', {self.when(d.when)})"
        if d.kind == "for":
            assert d.count is not None
            return f"('for', {self.expr(d.count)})"
        if d.kind == "while":
            assert d.condition is not None
            kept = ", ".join(f"{local(n)}={local(n)}" for n in self._read(d.condition))
            return f"('while', lambda {kept}: {self.expr(d.condition)})"
        return f"({d.kind!r}, {d.what!r})"

    def _give(self, s: ir.Give) -> None:
        giver = self.expr(s.giver) if s.giver is not None else "None"
        args = f"({''.join(self.expr(a) + ', ' for a in s.args)})"
        given = f"{args}, {self.expr(s.to)}, {giver}, {self.lasting(s.lasting)}"
        if s.definition is not None:
            self.w.put(f"rt.give_definition({self.expr(s.definition)}, {given})")
        else:
            self.w.put(f"rt.give({s.kind!r}, {s.title!r}, {given})")

    def _addmodifier(self, s: ir.AddModifier) -> None:
        captured = "".join(f"{local(n)}, " for n in s.captured)
        pins = "".join(f"({self.expr(s.pins[i])}, {self.expr(s.pins[i + 1])}), " for i in range(0, len(s.pins), 2))
        self.w.put(f"rt.add_modifier({s.template!r}, ({captured}), ({pins}), {self.lasting(s.lasting)})")

    def _later(self, s: ir.Later) -> None:
        name = self._fresh("later")
        kept = ", ".join(f"{local(n)}={local(n)}" for n in self._read(*s.body))
        self.w.put(f"def {name}({kept}):")
        with self.w.indented():
            self.known.append(bound_names(s.body))
            self.body(s.body)
            self.known.pop()
        self.w.put(f"rt.later({self.when(s.when)}, {name})")

    def _read(self, *nodes: ir.IrNode) -> list[str]:
        """The locals around that some nodes speak of: what is done later must see them as they are now."""
        outer: set[str] = set().union(*self.known)
        return sorted(free_names(nodes, self.backend.program) & outer)
