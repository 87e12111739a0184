"""The one canonical layout of rules files: `format_source`.

It works on the tokens, so nothing that an author wrote is lost or reordered; the parser only says what a
sign or a bracket belongs to. Four spaces for each step, one space between words, two before a `ref` and
before a comment at the end of a line, one blank line between blocks (none between one-line blocks that
were written together), and lines of at most 120 characters: a longer one goes on in the next, eight spaces deeper.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from textwrap import wrap

from warhost.errors import RulesInvalid
from warhost.lang.building import Spacing
from warhost.lang.lexer import (
    GOES_ON,
    UNFINISHED,
    Comment,
    Lexed,
    Mistake,
    Source,
    Token,
    heads_labels,
    lex,
    split_blocks,
)
from warhost.lang.parser import builder, parse, run, source_lines

WIDTH = 110  # of a line that could as well be two
MOST = 120  # of any line
STEP = 4
_GOING_ON = 2  # further steps for what goes on with the line above

#: Blocks of which the layout is remembered: all of the longest ruleset.
BLOCKS_KEPT = 4096

# Where to break: each bracket around a place weighs as much as so many characters left empty.
_BRACKET = 60


@dataclass(slots=True)
class LaidOutLine:
    """One line of the result: code or a comment of its own, with the lines of the source it came from."""

    level: int
    text: str
    first: int
    last: int
    block: int
    head: bool = False
    comment: bool = False


@dataclass(slots=True)
class Logical:
    """The tokens between two line ends, at a level of indentation (width: as it was written)."""

    level: int
    width: int
    tokens: list[Token] = field(default_factory=list)


def format_source(text: str, file: str) -> str:
    """The text in canonical layout. Raises RulesInvalid, with the problems, when it cannot be parsed."""
    written, mistakes = source_lines(text)
    blocks, found = split_blocks(written)
    try:
        laid_out = [_laid_out(tuple(line for _, line in block.lines)) for block in blocks]
    except Mistake:
        laid_out = None
    if mistakes or found or laid_out is None:  # only now is it worth the time to look for all of them
        raise RulesInvalid(parse(text, file)[1], file)
    lines = _leading_comments(written, blocks)
    for number, (block, laid) in enumerate(zip(blocks, laid_out, strict=True)):
        above = block.lines[0][0] - 1
        lines += [replace(one, first=one.first + above, last=one.last + above, block=number) for one in laid]
    blank = {number for number, line in enumerate(written, start=1) if not line.strip(" \t\u00a0\u202f")}
    return _joined(lines, blank)


def _leading_comments(written: list[str], blocks: list[Source]) -> list[LaidOutLine]:
    """The comments above the first block."""
    end = blocks[0].lines[0][0] - 1 if blocks else len(written)
    found = ((number, line.strip(" \t\u00a0\u202f")) for number, line in enumerate(written[:end], start=1))
    return [line for number, text in found if text for line in _comment(0, text, number, -1)]


def _comment(level: int, text: str, number: int, block: int) -> list[LaidOutLine]:
    """A comment of its own, on as many lines as it needs."""
    blank = " " * (STEP * level)
    rows = [blank + text.rstrip()]
    if len(rows[0]) > MOST:
        rows = wrap(
            text.rstrip(), MOST, initial_indent=blank, subsequent_indent=f"{blank}# ", break_long_words=False,
            break_on_hyphens=False, replace_whitespace=False, expand_tabs=False,
        )  # fmt: skip
    return [LaidOutLine(level, row.lstrip(" "), number, number, block, comment=True) for row in rows]


# -- one block -------------------------------------------------------------------------------------


@lru_cache(BLOCKS_KEPT)
def _laid_out(written: tuple[str, ...]) -> tuple[LaidOutLine, ...]:
    """The lines of one block, numbered as if nothing stood above it. An editor asks for the same blocks again and
    again: only those that have changed are laid out anew.
    """
    return tuple(_BlockLayout(Source(list(enumerate(written, start=1)))).lines())


class _BlockLayout:
    def __init__(self, source: Source) -> None:
        self.number = 0
        self.lexed: Lexed = lex(source)
        build = builder("")
        run(self.lexed.tokens, "block", build)
        self.spacing: Spacing = build.spacing
        self.remarks = {c.line: c for c in self.lexed.comments if not c.alone}
        self.done: list[LaidOutLine] = []

    def lines(self) -> list[LaidOutLine]:
        alone = [c for c in self.lexed.comments if c.alone]
        widths = [0]
        for logical in _logical_lines(self.lexed.tokens):
            before = [c for c in alone if c.line < logical.tokens[0].line]
            alone = alone[len(before) :]
            self._own_comments(before, [*widths, logical.width])
            widths = [*[w for w in widths if w < logical.width], logical.width]
            inside = [c for c in alone if c.line < logical.tokens[-1].line]
            alone = alone[len(inside) :]
            self._code(logical, inside)
        self._own_comments(alone, widths)
        if self.done:
            next(line for line in self.done if not line.comment).head = True
        return self.done

    def _own_comments(self, comments: list[Comment], widths: list[int]) -> None:
        """Comments on lines of their own stand at the deepest open step that is not right of them."""
        steps = sorted(set(widths))
        for comment in comments:
            level = max(bisect_right(steps, comment.column - 1) - 1, 0)
            self.done += _comment(level, comment.text, comment.line, self.number)

    def _code(self, logical: Logical, inside: list[Comment]) -> None:
        rows = _rows(logical.tokens)
        if len(rows) == 1 and self._split_body(logical.level, rows[0]):
            return
        for place, row in enumerate(rows):
            level = logical.level + (_GOING_ON if place else 0)
            while inside and inside[0].line < row[0].line:
                comment = inside.pop(0)
                self.done += _comment(logical.level + _GOING_ON, comment.text, comment.line, self.number)
            self._row(level, row, first=not place)

    def _split_body(self, level: int, row: list[Token]) -> bool:
        """Put a one-line body that is too long on a line of its own; drop a colon before an indented one."""
        colon = next((n for n, token in enumerate(row) if self._begins_body(token)), None)
        if colon is None:
            return False
        if colon == len(row) - 1:
            self._row(level, row[:colon])
            return True
        if len(self._text(row)) + STEP * level <= WIDTH:
            return False
        self._row(level, row[:colon], remark=False)
        self._row(level + 1, row[colon + 1 :])
        return True

    def _begins_body(self, token: Token) -> bool:
        return token.text == ":" and (token.line, token.column) in self.spacing.bodies

    def _row(self, level: int, row: list[Token], remark: bool = True, first: bool = True) -> None:
        """A row of tokens, on as many lines as it needs. first: it does not go on with another one."""
        line = row[0].line
        texts = list(self._lines_of(level, row, first))
        if remark and line in self.remarks:
            text = self.remarks[line].text
            if len(texts) == 1 and STEP * level + len(texts[0]) + 2 + len(text) <= MOST:
                texts[0] += "  " + text
            else:
                self.done += _comment(level, text, line, self.number)
        for place, text in enumerate(texts):
            self.done.append(LaidOutLine(level + (_GOING_ON if place and first else 0), text, line, line, self.number))

    def _lines_of(self, level: int, row: list[Token], first: bool) -> Iterator[str]:
        room = MOST - STEP * level
        while len(self._text(row)) > room:
            cut = self._break_of(row, room) or self._break_in_text(row, room)
            if cut is None:
                break
            head, row = cut
            yield self._text(head)
            if first:
                first, room = False, room - STEP * _GOING_ON
        yield self._text(row)

    def _break_of(self, row: list[Token], room: int) -> tuple[list[Token], list[Token]] | None:
        """The row in two, at the place that leaves little of the room empty and splits no bracket that need not be."""
        found, least, depth = 0, 0, 0
        for place, token in enumerate(row):
            if place and (row[place - 1].text in UNFINISHED or token.type == "REF" or _goes_on(token)):
                empty = room - len(self._text(row[:place]))
                if empty < 0:
                    break
                weight = empty + _BRACKET * depth
                if not found or weight <= least:
                    found, least = place, weight
            depth += (token.text == "(" or token.type == "DICE_OF") - (token.text == ")")
        return (row[:found], row[found:]) if found else None

    def _break_in_text(self, row: list[Token], room: int) -> tuple[list[Token], list[Token]] | None:
        """The row in two, in the middle of the first text that goes over its end."""
        if heads_labels(row):
            return None
        for place, token in enumerate(row):
            if token.type != "TEXT" or len(self._text(row[: place + 1])) <= room:
                continue
            before = len(self._text([*row[:place], Token("TEXT", "", token.line, token.column, token.end)]))
            at = _gap(token.text, room - before - 1)
            if at:
                halves = token.text[:at] + '"', '"' + token.text[at + 1 :]
                first, second = (Token("TEXT", half, token.line, token.column, token.end) for half in halves)
                return [*row[:place], first], [second, *row[place + 1 :]]
        return None

    def _text(self, row: list[Token]) -> str:
        text = ""
        for place, token in enumerate(row):
            if place:
                text += self._between(row[place - 1], token)
            text += _canonical(token)
        return text

    def _between(self, left: Token, right: Token) -> str:
        if right.type == "REF":
            return "  "
        if left.type in ("LPAR", "DICE_OF", "DOT") or right.text in (")", ",", ":", ".", "'s"):
            return ""
        if (left.line, left.column) in self.spacing.signs and left.text in ("-", "+"):
            return ""
        place = (right.line, right.column)
        if right.text == "(" and place in self.spacing.calls and left.type != "TEXT":
            return ""
        return "" if right.text == "+" and place in self.spacing.rises else " "


def _goes_on(token: Token) -> bool:
    return token.text in GOES_ON and token.type != "NAME"


def _gap(text: str, most: int) -> int:
    """Where to break a text: the last single space up to a place that stands in no placeholder; 0 if there is none."""
    inside, found = 0, 0
    for place, sign in enumerate(text[: most + 1]):
        inside += (sign == "{") - (sign == "}")
        if sign == " " and not inside and text[place - 1] not in ' "' and text[place + 1] not in ' "':
            found = place
    return found


def _canonical(token: Token) -> str:
    if token.type == "REF":
        return "ref " + ", ".join(re.split(r" *, *", token.text[3:].strip()))
    return token.text


def _logical_lines(tokens: list[Token]) -> list[Logical]:
    found: list[Logical] = []
    level, now = 0, Logical(0, 0)
    for token in tokens:
        if token.type == "_INDENT":
            level += 1
        elif token.type == "_DEDENT":
            level -= 1
        elif token.type == "_NEWLINE":
            found.append(now)
            now = Logical(level, 0)
        else:
            if not now.tokens:
                now = Logical(level, token.column - 1)
            now.tokens.append(token)
    return found


def _rows(tokens: list[Token]) -> list[list[Token]]:
    """The tokens by the line on which they stand (several lines inside brackets)."""
    rows: list[list[Token]] = []
    for token in tokens:
        if not rows or rows[-1][0].line != token.line:
            rows.append([])
        rows[-1].append(token)
    return rows


# -- blank lines -----------------------------------------------------------------------------------


def _joined(lines: list[LaidOutLine], blank: set[int]) -> str:
    short = _one_line_blocks(lines)
    leading = _leading(lines)
    out: list[str] = []
    for place, line in enumerate(lines):
        if place and _parted(lines[place - 1], line, place in leading, short, blank):
            out.append("")
        out.append(" " * (STEP * line.level) + line.text)
    return "".join(text + "\n" for text in out)


def _one_line_blocks(lines: list[LaidOutLine]) -> set[int]:
    count: dict[int, int] = {}
    for line in lines:
        if not line.comment:
            count[line.block] = count.get(line.block, 0) + 1
    return {block for block, size in count.items() if size == 1}


def _leading(lines: list[LaidOutLine]) -> dict[int, int]:
    """Where a block begins, its leading comments included: place in lines -> the block's number."""
    found: dict[int, int] = {}
    for place, line in enumerate(lines):
        if line.head:
            first = place
            while first and lines[first - 1].comment and lines[first - 1].level == 0:
                first -= 1
            found[first] = line.block
    return found


def _parted(before: LaidOutLine, line: LaidOutLine, begins: bool, short: set[int], blank: set[int]) -> bool:
    """Does a blank line stand between the two?"""
    written = any(number in blank for number in range(before.last + 1, line.first))
    if begins and before.block >= 0:
        together = before.block in short and _next_block(before, line) in short
        return written or not together
    return written and (line.level <= before.level or before.comment)


def _next_block(before: LaidOutLine, line: LaidOutLine) -> int:
    return line.block if line.block != before.block else before.block + 1
