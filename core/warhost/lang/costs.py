"""What numbers cost: how many others one of them may ask for, and so what it takes off the budget of steps.

Most numbers are cheap and take nothing. Those that call themselves, or stand at the head of many others, count as
steps, so that no rule goes on without end unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from warhost.lang import ir
from warhost.lang.program import Program

#: From so many calls on a number counts as steps.
DEAR = 20


def find_costs(program: Program) -> None:
    """Fill program.costs: for each dear number the calls of others that it leads to, without those that count
    themselves.
    """
    lines: dict[str, list[ir.Template]] = {}
    for t in program.templates.values():
        lines.setdefault(t.number, []).append(t)
    asked = {name: list(_asked(n, lines.get(name, ()), program)) for name, n in program.numbers.items()}
    again = _called_again(asked)
    reckoned: dict[str, int] = {}
    for name in _callees_first(asked):
        cost = 1 + sum(1 if c in again or c in program.costs else reckoned.get(c, 1) for c in asked[name])
        reckoned[name] = cost
        if cost >= DEAR or name in again:
            program.costs[name] = cost


def _asked(n: ir.Number, lines: Iterable[ir.Template], program: Program) -> Iterator[str]:
    """The numbers that a number asks for, as often as it does."""
    functions = [n.base, *(f for t in lines for f in (t.value, t.when, t.source) if f is not None)]
    seen: set[str] = set()
    while functions:
        for node in ir.walk(functions.pop()):
            if isinstance(node, ir.Reckon):
                yield node.name
            elif isinstance(node, ir.LookUp) and node.name not in seen:
                seen.add(node.name)
                for case in program.tables[node.name].cases if node.name in program.tables else ():
                    functions += [f for f in case if f is not None]
            elif isinstance(node, ir.IsNoun) and node.noun in program.nouns and node.noun not in seen:
                seen.add(node.noun)
                where = program.nouns[node.noun].where
                functions += [where] if where is not None else []


def _walk(asked: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """A walk through all numbers, in depth: ("again", one that leads to itself), ("done", one whose callees are)."""
    state: dict[str, int] = {}
    for start in asked:
        stack: list[tuple[str, Iterator[str]]] = []
        if start not in state:
            state[start] = 1
            stack.append((start, iter(asked[start])))
        while stack:
            name, callees = stack[-1]
            for callee in callees:
                if state.get(callee) == 1:
                    yield "again", callee
                elif callee in asked and callee not in state:
                    state[callee] = 1
                    stack.append((callee, iter(asked[callee])))
                    break
            else:
                state[name] = 2
                stack.pop()
                yield "done", name


def _called_again(asked: dict[str, list[str]]) -> set[str]:
    return {name for what, name in _walk(asked) if what == "again"}


def _callees_first(asked: dict[str, list[str]]) -> list[str]:
    return [name for what, name in _walk(asked) if what == "done"]
