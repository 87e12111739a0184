"""From the text of a .rules file to its syntax tree, with every mistake found on the way.

The file is cut into blocks at the left margin and each block is parsed alone, so one mistake does not hide the next.
The parser runs the LALR tables of lark over our own tokens: no recursion, exact places, tables read from a cache.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from warhost.errors import Problem
from warhost.lang import blocks as _blocks  # noqa: F401 (both modules enter their forms)
from warhost.lang import forms as _forms  # noqa: F401
from warhost.lang import tree
from warhost.lang.building import FORMS, Builder, Form
from warhost.lang.lexer import MAX_BYTES, Mistake, Source, Token, lex, split_blocks, typed
from warhost.lang.lexer import pieces as pieces_of
from warhost.lang.mistakes import Stuck, explain
from warhost.lang.tables import Production, Tables, tables

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
            mistakes += _in_house_rule(block, file) or [mistake]
    problems = [_problem(mistake, file, lines) for mistake in sorted(mistakes, key=lambda m: (m.line, m.column))]
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
    return _of_lines(tuple(source.lines), file)


@lru_cache(maxsize=16384)
def _of_lines(lines: tuple[tuple[int, str], ...], file: str) -> Any:
    """A block, the very same as long as it says the same at the same place: an editor reads its file at each key."""
    return run(lex(Source(list(lines))).tokens, "block", builder(file))


def _in_house_rule(source: Source, file: str) -> list[Mistake]:
    """The mistakes of each block of a house rule; none if it is none, or what is wrong is its first line."""
    try:
        tokens = lex(source).tokens
    except Mistake:
        return []
    found: list[Mistake] = []
    depth, begins = 0, 0
    for i, token in enumerate(tokens if tokens[0].text == "house rule" else ()):
        depth += {"_INDENT": 1, "_DEDENT": -1}.get(token.type, 0)
        if token.type == "_INDENT" and depth == 1:
            begins = i + 1
        elif begins and depth == 1 and token.type in ("_NEWLINE", "_DEDENT") and tokens[i + 1].type != "_INDENT":
            block, begins = tokens[begins : i + 1], i + 1
            try:
                if block[0].text != "reads":
                    run(block, "block", builder(file))
            except Mistake as mistake:
                found.append(mistake)
    return found


def builder(file: str) -> Builder:
    """A builder whose texts may hold expressions."""
    return Builder(file, lambda text, line, column: _expression(text, file, line, column))


def _expression(text: str, file: str, line: int, column: int) -> Any:
    """The expression in the braces of a text, at its place in the file."""
    raw = pieces_of(text, line, column)
    if not raw:
        raise Mistake(line, column, "syntax", "nothing stands between the braces", "write {{ for a brace")
    return run(typed(raw, False), "expr", builder(file))


# -- the machine -----------------------------------------------------------------------------------


class _Action:
    """A production, ready to run: its form (None for a mere list), how many symbols, which of them matter."""

    __slots__ = ("alone", "form", "head", "keep", "plain", "size")

    def __init__(self, p: Production) -> None:
        self.head, self.size, self.keep, self.alone = p.head, p.size, p.keep, p.alone
        self.form: Form | None = FORMS.get(p.name) if p.name is not None else None
        self.plain = p.alone and p.size == 1 and p.keep == (0,)


@cache
def _actions() -> list[_Action]:
    return [_Action(p) for p in tables().productions]


def run(tokens: list[Token], start: str, builder: Builder) -> Any:
    """Drive the tables over the tokens. Raises Mistake at the first token that does not fit."""
    parts: Tables = tables()
    states, actions, finish = parts.states, _actions(), parts.finish[start]
    stack = [parts.begin[start]]
    values: list[Any] = []
    begins: list[Token] = []
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
                depths.append(0)
                break
            action = actions[-1 - step]
            if action.plain:
                stack[-1] = states[stack[-2]][action.head]
            else:
                _reduce(action, values, begins, depths, last, builder)
                if action.size > 1:
                    del stack[1 - action.size :]
                stack[-1] = states[stack[-2]][action.head]
            if kind == "$END" and stack[-1] == finish:
                return values[-1]
    raise AssertionError("the end token always ends the parse")


def _reduce(
    action: _Action, values: list[Any], begins: list[Token], depths: list[int], last: Token, builder: Builder
) -> None:
    """Replace the topmost symbols, of which `last` is the last token, by what they mean together."""
    size, form = action.size, action.form
    if size == 1:
        kids = [values[-1]] if action.keep == (0,) else _kept(action, values)
        depth = depths[-1]
    else:
        kids = _kept(action, values)
        depth = max(depths[-size:])
        del values[1 - size :], begins[1 - size :], depths[1 - size :]
    value: Any = kids
    if action.alone and len(kids) == 1:
        value = kids[0]
    elif form is not None:
        depth += 1
        first = begins[-1]
        if depth > MAX_DEPTH:
            raise Mistake(
                first.line, first.column, "too-deep", "too much is nested inside each other here",
                "give parts of it names of their own",
            )  # fmt: skip
        value = form(builder, tree.Pos(builder.file, first.line, first.column, last.line, last.end), kids)
    values[-1] = value
    depths[-1] = depth


def _kept(action: _Action, values: list[Any]) -> list[Any]:
    """Those of the topmost symbols that matter, lists spliced in."""
    cut = len(values) - action.size
    kids: list[Any] = []
    for place in action.keep:
        if place >= 0:
            kids.append(values[cut + place])
        else:
            kids += values[cut - 1 - place]
    return kids
