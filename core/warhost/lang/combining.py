"""How lines make the value of a number: in which order they count, and what each does to it. The one definition.

The engine combines what is in force by `combined`; compiled rules write the same steps down one after the other
(`python_backend`), and odds take them over whole columns (warhost_odds). A number is set (the last line that says so
wins), added to, multiplied, rounded, and kept between a least and a most. A flag or value goes by its own lines in
their order, then by what allows, then by what forbids.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from warhost.lang import ir, support

L = TypeVar("L")

#: The kinds of line by the sort of number, in the order in which they count; those of a group as they are written.
_BY_LINES = (("yes", "no", "set"), ("allow",), ("forbid",))
ORDER: dict[str, tuple[tuple[str, ...], ...]] = {
    "number": (("set",), ("add",), ("multiply",), ("round",), ("floor",), ("cap",)),
    "flag": _BY_LINES,
    "value": _BY_LINES,
}


@dataclass(frozen=True, slots=True)
class Step:
    """What a line does to the value so far, called or written: `code` changes v by what stands for {}."""

    apply: Callable[[Any, Any], Any]
    code: str


STEPS = {
    "set": Step(lambda v, x: x, "v = {}"),
    "add": Step(operator.add, "v += {}"),
    "multiply": Step(support.multiply, "v = multiply(v, {})"),
    "floor": Step(lambda v, x: x if x > v else v, "v = n if (n := {}) > v else v"),
    "cap": Step(lambda v, x: x if x < v else v, "v = n if (n := {}) < v else v"),
    "yes": Step(lambda v, x: True, "v = True"),
    "no": Step(lambda v, x: False, "v = False"),
    "allow": Step(lambda v, x: True, "v = True"),
    "forbid": Step(lambda v, x: False, "v = False"),
}

_ROUND = {
    "up": Step(lambda v, x: support.ceiling(v), "v = v if type(v) is int else ceiling(v)"),
    "down": Step(lambda v, x: support.floor(v), "v = v if type(v) is int else floor(v)"),
    "nearest": Step(lambda v, x: support.nearest(v), "v = v if type(v) is int else nearest(v)"),
}


def step_of(t: ir.Template) -> Step:
    """What a line does."""
    return _ROUND[t.rounding or "nearest"] if t.op == "round" else STEPS[t.op]


def comes_after_additions(t: ir.Template) -> bool:
    """Whether a line of a number counts once everything has been added to it."""
    return t.op not in ("set", "add")


def ordered(sort: str, lines: Iterable[L], template: Callable[[L], ir.Template]) -> Iterator[tuple[Step, L]]:
    """The lines that hold for a number of this sort, in the order in which they count, with what each does.

    Of several that round, the last one counts; one that rounds `each time` does so after each multiplication, too.
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
    """The value of a number from its base and what the lines that hold give (None for those without a value)."""
    for step, (_, given) in ordered(sort, lines, operator.itemgetter(0)):
        value = step.apply(value, given)
    return value
