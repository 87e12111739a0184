"""From the text of a .rules file to its syntax tree, with every mistake found on the way.

The file is cut into blocks at the left margin and each block is parsed alone, so one mistake does not
hide the next. The parser runs the LALR tables of lark over our own tokens: no recursion, exact places,
tables read from a cache.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.blocks import BlockBuilder
from warhost.lang.lexer import MAX_BYTES, Mistake, Source, Token, lex, split_blocks, typed
from warhost.lang.lexer import pieces as pieces_of
from warhost.lang.mistakes import Stuck, explain
from warhost.lang.tables import Tables, tables

MAX_DEPTH = 120


def parse(text: str, file: str) -> tuple[tree.Module, list[Problem]]:
    """The tree of all blocks that could be read, and what is wrong. Never raises for bad input."""
    lines, mistakes = source_lines(text)
    blocks, found = split_blocks(lines)
    mistakes += found
    parsed = []
    for block in blocks:
        try:
            parsed.append(_block(block, file))
        except Mistake as mistake:
            mistakes.append(mistake)
    problems = [
        _problem(mistake, file, lines) for mistake in sorted(mistakes, key=lambda m: (m.line, m.column))
    ]
    place = tree.Pos(file, 1, 1, max(len(lines), 1), 1)
    return tree.Module(tuple(parsed), pos=place), problems


def parse_expression(text: str, file: str = "") -> tuple[tree.Expr | None, list[Problem]]:
    """One expression alone, as an example or a data file may hold it."""
    try:
        return _expression(text, file, 1, 1), []
    except Mistake as mistake:
        return None, [_problem(mistake, file, text.split("\n"))]


def source_lines(text: str) -> tuple[list[str], list[Mistake]]:
    """The lines of a file, whatever ends them; none if it is too large."""
    if len(text) > MAX_BYTES:
        message = f"this file is larger than {MAX_BYTES // 1_000_000} MB"
        return [], [Mistake(0, 0, "too-large", message, "divide it into several files")]
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), []


def _problem(mistake: Mistake, file: str, lines: list[str]) -> Problem:
    source = lines[mistake.line - 1] if 0 < mistake.line <= len(lines) else None
    if source is not None and len(source) > 200:
        source = None
    return Problem(file, mistake.line, mistake.column, mistake.code, mistake.message, mistake.hint, source)


def _block(source: Source, file: str) -> Any:
    return run(lex(source).tokens, "block", builder(file))


def builder(file: str) -> BlockBuilder:
    """A builder whose texts may hold expressions."""
    return BlockBuilder(file, lambda text, line, column: _expression(text, file, line, column))


def _expression(text: str, file: str, line: int, column: int) -> Any:
    """The expression in the braces of a text, at its place in the file."""
    raw = pieces_of(text, line, column)
    if not raw:
        raise Mistake(line, column, "syntax", "nothing stands between the braces", "write {{ for a brace")
    return run(typed(raw, False), "expr", builder(file))


# -- the machine -----------------------------------------------------------------------------------


class _Action:
    """A production, ready to run: the builder's method by name, how many symbols, which of them matter."""

    __slots__ = ("alone", "head", "keep", "method", "plain", "size")

    def __init__(self, head: str, size: int, name: str | None, keep: tuple[int, ...], alone: bool) -> None:
        self.head, self.size, self.method, self.keep, self.alone = head, size, name, keep, alone
        self.plain = alone and size == 1 and keep == (0,)


@cache
def _actions() -> list[_Action]:
    return [_Action(p.head, p.size, p.name, p.keep, p.alone) for p in tables().productions]


def run(tokens: list[Token], start: str, builder: BlockBuilder) -> Any:
    """Drive the tables over the tokens. Raises Mistake at the first token that does not fit."""
    parts: Tables = tables()
    states, actions, finish = parts.states, _actions(), parts.finish[start]
    stack = [parts.begin[start]]
    values: list[Any] = []
    begins: list[Token] = []
    ends: list[Token] = []
    depths: list[int] = []
    last = tokens[0]
    end = Token("$END", "", tokens[-1].line, tokens[-1].end, tokens[-1].end)
    for token in (*tokens, end):
        kind = token.type
        while True:
            step = states[stack[-1]].get(kind)
            if step is None:
                raise explain(Stuck(parts, stack, tokens, token, start))
            if step >= 0:
                if token.text:
                    last = token
                stack.append(step)
                values.append(token)
                begins.append(token)
                ends.append(last)
                depths.append(0)
                break
            action = actions[-1 - step]
            if action.plain:
                stack[-1] = states[stack[-2]][action.head]
            else:
                _reduce(action, states, stack, values, begins, ends, depths, builder)
            if kind == "$END" and stack[-1] == finish:
                return values[-1]
    raise AssertionError("the end token always ends the parse")


def _reduce(
    action: _Action,
    states: list[dict[str, int]],
    stack: list[int],
    values: list[Any],
    begins: list[Token],
    ends: list[Token],
    depths: list[int],
    builder: BlockBuilder,
) -> None:
    """Replace the topmost symbols by what they mean together."""
    cut = len(values) - action.size
    kids: list[Any] = []
    for place in action.keep:
        if place >= 0:
            kids.append(values[cut + place])
        else:
            kids += values[cut - 1 - place]
    first, last, depth = begins[cut], ends[-1], max(depths[cut:])
    if action.method is None:
        value: Any = kids
    elif action.alone and len(kids) == 1:
        value = kids[0]
    else:
        depth += 1
        if depth > MAX_DEPTH:
            raise Mistake(
                first.line, first.column, "too-deep", "too much is nested inside each other here",
                "give parts of it names of their own",
            )  # fmt: skip
        place_of = tree.Pos(builder.file, first.line, first.column, last.line, last.end)
        value = getattr(builder, action.method)(place_of, kids)
    del stack[cut + 1 :], values[cut:], begins[cut:], ends[cut:], depths[cut:]
    stack.append(states[stack[-1]][action.head])
    values.append(value)
    begins.append(first)
    ends.append(last)
    depths.append(depth)
