"""Functions of plugins that are declared pure and change the state of the battle, as their Python says.

A pure function may be asked at any time and as often as anybody likes, also by what only looks ahead: what it changes
is changed then. Seen are a field of the rules that gets a value, and what a battle is told to do; what is called is
followed within the plugin's own package.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from warhost.vocabulary import Function

#: What a battle is told to do, and the effect of it.
_DOES = {
    "put": "writes", "create": "creates", "remove": "writes", "give": "writes", "emit": "emits",
    "hide": "writes", "show": "writes",
}  # fmt: skip


class Write(NamedTuple):
    """A place in a plugin's Python that changes something. what: in words; effect: what the function is to declare."""

    what: str
    effect: str
    file: str
    line: int


def first_write(function: Function, fields: frozenset[str]) -> Write | None:
    """Where a function that is declared pure changes the state of the battle. fields: attributes that rules write."""
    plain = _plain(function.call) if function.pure else None
    return _first_write(plain, fields) if plain is not None else None


@lru_cache(maxsize=4096)
def _first_write(function: FunctionType, fields: frozenset[str]) -> Write | None:
    done: set[FunctionType] = set()
    new = [function]
    while new:
        one = new.pop()
        if one in done:
            continue
        done.add(one)
        seen = _seen_in(one.__code__)
        if not seen.stored.isdisjoint(fields) or not seen.told.isdisjoint(_DOES) or "setattr" in seen.names:
            found = next(_writes(one, fields), None)
            if found is not None:
                return found
        home = one.__module__.partition(".")[0]
        for name in seen.names:
            called = one.__globals__.get(name)
            if isinstance(called, FunctionType) and called.__module__.partition(".")[0] == home:
                new.append(called)
    return None


def _plain(call: Callable[..., Any]) -> FunctionType | None:
    """The Python function behind what is called."""
    while isinstance(call, partial):
        call = call.func
    plain = inspect.unwrap(getattr(call, "__func__", call))
    return plain if isinstance(plain, FunctionType) else None


class _Seen(NamedTuple):
    """What compiled Python tells at a glance, that of functions within it too: the names of globals and attributes,
    those of attributes that get a value, and those that may be asked of a battle.
    """

    names: frozenset[str]
    stored: frozenset[str]
    told: frozenset[str]


@lru_cache(maxsize=4096)
def _seen_in(code: CodeType) -> _Seen:
    names = frozenset(code.co_names)
    stored = frozenset[str]()
    if _STORES in code.co_code[::2]:
        stored = frozenset(one.argval for one in dis.get_instructions(code) if one.opcode == _STORES)
    has_battle = "battle" in (*code.co_varnames, *code.co_freevars, *code.co_cellvars)
    inner = [_seen_in(one) for one in code.co_consts if isinstance(one, CodeType)]
    told = names if has_battle else frozenset[str]()
    of_all = zip((names, stored, told), *inner, strict=True)
    return _Seen(*(frozenset[str]().union(*several) for several in of_all))


_STORES = dis.opmap["STORE_ATTR"]


def _writes(function: FunctionType, fields: Collection[str]) -> Iterator[Write]:
    """What a function does itself to what it is given, or to what it goes through."""
    try:
        lines, first = inspect.getsourcelines(function)
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):  # no source, or a lambda in the middle of a call
        return
    nodes = list(ast.walk(module))
    given = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self", "cls"}
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            given |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    for node in nodes:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AugAssign | ast.AnnAssign):
            targets = [node.target]
        for one in (part for target in targets for part in ast.walk(target)):
            stores = isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and one.attr in fields
            if isinstance(one, ast.Attribute) and stores and _root(one) in given:
                yield Write(f'writes "{one.attr}"', "writes", file, first + one.lineno - 1)
        if isinstance(node, ast.Call):
            called, line = node.func, first + node.lineno - 1
            if isinstance(called, ast.Attribute) and called.attr in _DOES and _is_battle(called.value):
                yield Write(f"calls battle.{called.attr}(..)", _DOES[called.attr], file, line)
            elif isinstance(called, ast.Name) and called.id == "setattr" and node.args and _root(node.args[0]) in given:
                name = node.args[1] if len(node.args) > 1 else None
                if isinstance(name, ast.Constant) and isinstance(name.value, str) and name.value in fields:
                    yield Write(f'writes "{name.value}"', "writes", file, line)


def _root(e: ast.expr) -> str:
    """The name with which `unit.side.score` begins."""
    while isinstance(e, ast.Attribute | ast.Subscript):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def _is_battle(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) and e.id == "battle"
