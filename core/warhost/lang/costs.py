"""What numbers cost: how many others one of them may ask for, and so what it takes off the budget of steps.

Most numbers are cheap and take nothing. Those that call themselves, or stand at the head of many others, count as
steps, so that no rule goes on without end unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from warhost.lang import ir
from warhost.lang.program import Program

#: From so many calls on a number counts as steps.
DEAR = 20


def find_costs(program: Program) -> None:
    """Fill program.costs: for each dear number the calls of others that it leads to, without those that count
    themselves.
    """
    lines = program.lines_by_number()
    asked = {name: list(_asked(n, lines.get(name, ()), program)) for name, n in program.numbers.items()}
    order, again = _callees_first(asked)
    costs: dict[str, int] = {}
    for name in order:
        costs[name] = cost = 1 + sum(1 if c in again or c in program.costs else costs.get(c, 1) for c in asked[name])
        if cost >= DEAR or name in again:
            program.costs[name] = cost


def _asked(n: ir.Number, lines: Iterable[ir.Template], program: Program) -> Iterator[str]:
    """The numbers that a number asks for, as often as it does."""
    functions = [n.base, *(f for t in lines for f in (t.value, t.when, t.source) if f is not None)]
    seen: set[str] = set()
    while functions:
        for node in ir.walk(functions.pop()):
            if isinstance(node, ir.Evaluate):
                yield node.name
            elif isinstance(node, ir.LookUp) and node.name not in seen:
                seen.add(node.name)
                for case in program.tables[node.name].cases if node.name in program.tables else ():
                    functions += [f for f in case if f is not None]
            elif isinstance(node, ir.IsNoun) and node.noun in program.nouns and node.noun not in seen:
                seen.add(node.noun)
                where = program.nouns[node.noun].where
                functions += [where] if where is not None else []


def _callees_first(asked: Mapping[str, list[str]]) -> tuple[list[str], set[str]]:
    """The numbers in such an order that each stands after those that it asks for, and those that lead to themselves."""
    order: list[str] = []
    again: set[str] = set()
    begun: set[str] = set()
    ended: set[str] = set()
    for start in asked:
        stack: list[tuple[str, Iterator[str]]] = []
        if start not in begun:
            begun.add(start)
            stack.append((start, iter(asked[start])))
        while stack:
            name, callees = stack[-1]
            for callee in callees:
                if callee in begun and callee not in ended:
                    again.add(callee)
                elif callee in asked and callee not in begun:
                    begun.add(callee)
                    stack.append((callee, iter(asked[callee])))
                    break
            else:
                ended.add(name)
                order.append(name)
                stack.pop()
    return order, again
