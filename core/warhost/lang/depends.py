"""What the answers to numbers depend on: the fields that somebody may write, as far as it can be told from the rules.

An answer that was kept is good as long as none of them has been written, and nothing else has changed that is no field
(who is there, who bears what, who stands where).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from warhost.lang import ir
from warhost.lang.program import Program
from warhost.lang.python_backend import attribute
from warhost.lang.support import BUILT_IN_CALLS

#: Expressions with effects, and those that run steps: nobody can tell what they look at.
_STEPS = (ir.Rolls, ir.MakeRoll, ir.HowMany, ir.DiceTerm, ir.CallProcedure)
#: All other nodes of functions: these only say something.
_SAYING = (ir.Expr, ir.Routine, ir.Param)


class Dependence:
    """Finds out what numbers of a program depend on; once for each."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = program.lines_by_number()
        self._foreseen = frozenset(program.templates)
        self._direct: dict[str, tuple[frozenset[str], frozenset[str]] | None] = {}

    def of(self, names: Iterable[str], unclear: Collection[str] = ()) -> frozenset[str] | None:
        """The attributes of all fields that some numbers, flags and values, or fields, come to depend on; None if it
        cannot be told: then they may depend on anything. unclear: numbers of which somebody knows that it cannot.
        """
        fields: set[str] = set()
        waiting = list(names)
        known = set(waiting)
        fields.update(map(attribute, waiting))  # of a number that is called as a field both count
        while waiting:
            name = waiting.pop()
            if name not in self.program.numbers:
                continue
            found = self._of_one(name)
            if found is None or name in unclear:
                return None
            fields |= found[0]
            more = found[1] - known
            known |= more
            waiting += more
        return frozenset(fields)

    def foresees(self, line: ir.Template) -> bool:
        """Whether a line was among those of the program when this was made."""
        return line.key in self._foreseen

    def _of_one(self, name: str) -> tuple[frozenset[str], frozenset[str]] | None:
        """What a number reads itself: fields, and the numbers that it asks; None if it cannot be told."""
        if name not in self._direct:
            number = self.program.numbers[name]
            lines = [f for t in (*number.templates, *self._lines.get(name, ())) for f in (t.value, t.when, t.source)]
            paths = {attribute(step) for t in self._lines.get(name, ()) for step in t.pin_path}
            self._direct[name] = self._read([number.base, *lines], paths)
        return self._direct[name]

    def _read(
        self, parts: Iterable[ir.IrNode | None], paths: set[str]
    ) -> tuple[frozenset[str], frozenset[str]] | None:
        fields, asked = set(paths), set()
        for node in self._nodes(parts):
            match node:
                case ir.GetField():
                    fields.add(attribute(node.field))
                case ir.Evaluate():
                    asked.add(node.name)
                case ir.CallFunction() if node.name not in BUILT_IN_CALLS or node.name in self.program.natives:
                    native = self.program.natives.get(node.name)
                    if native is None or native.asks is None:
                        return None
                    asked |= native.asks
                    fields.update(map(attribute, native.asks))
                case _ if isinstance(node, _STEPS) or not isinstance(node, _SAYING):
                    return None
        return frozenset(fields), frozenset(asked)

    def _nodes(self, parts: Iterable[ir.IrNode | None]) -> Iterator[ir.IrNode]:
        """Every node of some functions, and of the tables and nouns that they speak of."""
        waiting = [part for part in parts if part is not None]
        seen: set[tuple[str, str]] = set()
        while waiting:
            for node in ir.walk(waiting.pop()):
                yield node
                if isinstance(node, ir.LookUp) and ("table", node.name) not in seen:
                    seen.add(("table", node.name))
                    waiting += [f for case in self.program.tables[node.name].cases for f in case if f is not None]
                elif isinstance(node, ir.IsNoun) and ("noun", node.noun) not in seen:
                    seen.add(("noun", node.noun))
                    waiting += self._conditions(node.noun)

    def _conditions(self, noun: str) -> list[ir.IrNode]:
        found: list[ir.IrNode] = []
        at: str | None = noun
        while at is not None:
            declared = self.program.nouns[at]
            found += [declared.where] if declared.where is not None else []
            at = declared.is_a
        return found
