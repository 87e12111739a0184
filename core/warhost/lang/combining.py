"""The order in which the lines of a number are applied, and what each does to its value: the one definition of both.

The engine applies lines with `combined`, compiled rules contain the same steps as code (`python_backend`), and odds
apply them to whole columns (warhost_odds). A number is first set (the last line that sets it wins), then added to,
multiplied, rounded, and kept between its bounds. For a flag or value its own lines are applied in the order of the
text, then those that allow, then those that forbid.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from warhost.lang import ir, support

L = TypeVar("L")

#: The operations of lines by the sort of number, in the order of application; those in one group as they are written.
_BY_LINES = (("yes", "no", "set"), ("allow",), ("forbid",))
ORDER: dict[str, tuple[tuple[str, ...], ...]] = {
    "number": (("set",), ("add",), ("multiply",), ("round",), ("floor",), ("cap",)),
    "flag": _BY_LINES,
    "value": _BY_LINES,
}


@dataclass(frozen=True, slots=True)
class LineEffect:
    """What a line does to the value so far: `apply(value, operand)` gives the new value, and `code` is the same as
    Python code on a variable v, with {} for the operand.
    """

    apply: Callable[[Any, Any], Any]
    code: str


STEPS = {
    "set": LineEffect(lambda v, x: x, "v = {}"),
    "add": LineEffect(operator.add, "v += {}"),
    "multiply": LineEffect(support.multiply, "v = multiply(v, {})"),
    "floor": LineEffect(lambda v, x: x if x > v else v, "v = n if (n := {}) > v else v"),
    "cap": LineEffect(lambda v, x: x if x < v else v, "v = n if (n := {}) < v else v"),
    "yes": LineEffect(lambda v, x: True, "v = True"),
    "no": LineEffect(lambda v, x: False, "v = False"),
    "allow": LineEffect(lambda v, x: True, "v = True"),
    "forbid": LineEffect(lambda v, x: False, "v = False"),
}

_ROUND = {
    "up": LineEffect(lambda v, x: support.ceiling(v), "v = v if type(v) is int else ceiling(v)"),
    "down": LineEffect(lambda v, x: support.floor(v), "v = v if type(v) is int else floor(v)"),
    "nearest": LineEffect(lambda v, x: support.nearest(v), "v = v if type(v) is int else nearest(v)"),
}


def step_of(t: ir.Template) -> LineEffect:
    """The effect of a line."""
    return _ROUND[t.rounding or "nearest"] if t.op == "round" else STEPS[t.op]


def comes_after_additions(t: ir.Template) -> bool:
    """Whether a line of a number counts once everything has been added to it."""
    return t.op not in ("set", "add")


def ordered(sort: str, lines: Iterable[L], template: Callable[[L], ir.Template]) -> Iterator[tuple[LineEffect, L]]:
    """Lines of a number in the order in which they are applied, each with its effect.

    sort: number, flag or value. lines: those whose conditions hold, in any form; template gives the template of one.
    Of several lines that round only the last is applied; one that rounds `each time` is applied after each
    multiplication as well.
    """
    by_op: dict[str, list[L]] = {}
    groups = {op: i for i, ops in enumerate(ORDER[sort]) for op in ops}
    passes: list[list[L]] = [[] for _ in ORDER[sort]]
    for line in lines:
        op = template(line).op
        by_op.setdefault(op, []).append(line)
        passes[groups[op]].append(line)
    rounding = by_op.get("round", [])[-1:]
    each_time = bool(rounding) and template(rounding[0]).each_time
    for some in passes:
        for line in some:
            t = template(line)
            if t.op == "round" and line is not rounding[0]:
                continue
            yield step_of(t), line
            if t.op == "multiply" and each_time:
                yield step_of(template(rounding[0])), rounding[0]


def combined(sort: str, value: Any, lines: Iterable[tuple[ir.Template, Any]]) -> Any:
    """The value of a number. value: its base. lines: those whose conditions hold, each with its operand (or None)."""
    for step, (_, given) in ordered(sort, lines, operator.itemgetter(0)):
        value = step.apply(value, given)
    return value
