"""Colours for rules in documentation: a Pygments lexer, which reads them by the language's own lexer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, TypeAlias

from pygments.lexer import Lexer
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from warhost.lang.lexer import Mistake, Source, Token, lex, pieces, split_blocks, typed, vocabulary

#: What Pygments calls a token's type.
Sort: TypeAlias = Any

_SIGNS = frozenset("=+-*/<>") | {"==", "!=", "<=", ">=", "+=", "-="}
_TYPES = frozenset({"number", "fraction", "distance", "yes_no", "text"})
_PLAIN = re.compile(r"(?P<space>\s+)|(?P<word>[A-Za-z_]\w*)|(?P<comment>#.*)|(?P<text>\"[^\"]*\"?)|(?P<sign>.)")


_LOOSE = {"space": Whitespace, "comment": Comment.Single, "text": String, "word": Name, "sign": Punctuation}


class RulesLexer(Lexer):  # type: ignore[misc]
    """Rules of Warhost. Pieces that cannot be read by themselves, such as lines left out, are coloured word by word."""

    name = "Warhost rules"
    aliases = ["rules", "warhost"]
    filenames = ["*.rules"]
    mimetypes = ["text/x-warhost-rules"]
    url = "https://warhost.invalid/"

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Sort, str]]:
        """Every piece of the text with its place and its sort, nothing left out."""
        lines = text.split("\n")
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        done = 0
        for start, end, sort in sorted(_coloured(lines, starts)):
            if start < done:
                continue
            yield from _between(text, done, start)
            yield start, sort, text[start:end]
            done = end
        yield from _between(text, done, len(text))


def _between(text: str, start: int, end: int) -> Iterator[tuple[int, Sort, str]]:
    """What no token covers: blank space, and what cannot be read."""
    for piece in _PLAIN.finditer(text, start, end):
        yield piece.start(), _LOOSE[piece.lastgroup or "sign"], piece[0]


def _coloured(lines: list[str], starts: list[int]) -> Iterator[tuple[int, int, Sort]]:
    """Stretches of the text with their sorts."""
    blocks, _ = split_blocks(lines)
    above = blocks[0].lines[0][0] - 1 if blocks else len(lines)
    for block in [Source([(n, line) for n, line in enumerate(lines[:above], 1)]), *blocks]:
        try:
            lexed = lex(block)
            tokens, comments = lexed.tokens, lexed.comments
        except (Mistake, IndexError):  # nothing but comments, or lines that are no block
            tokens, comments = list(_line_by_line(block)), []
        for one in comments:
            start = starts[one.line - 1] + one.column - 1
            yield start, start + len(one.text), Comment.Single
        shown = [token for token in tokens if token.text]
        for at, token in enumerate(shown):
            start = starts[token.line - 1] + token.column - 1
            sort = _sort(token, shown, at)
            if token.type in ("TEXT", "REF") and token.more:  # on several lines
                yield from _long(token, lines, starts, sort)
            else:
                yield start, starts[token.line - 1] + token.end - 1, sort


def _line_by_line(block: Source) -> Iterator[Token]:
    """The tokens of those lines that can be read by themselves."""
    for number, line in block.lines:
        try:
            raw = pieces(line.partition("#")[0], number, 1)
            yield from typed(raw, line[:1] not in (" ", "")) if raw else ()
        except Mistake:
            continue


def _long(token: Token, lines: list[str], starts: list[int], sort: Sort) -> Iterator[tuple[int, int, Sort]]:
    """A text in several parts, each on a line of its own."""
    for number, column in [(token.line, token.column), *((line, column - 1) for _, line, column in token.more)]:
        line = lines[number - 1]
        end = line.find('"', column) + 1 if token.type == "TEXT" else len(line.rstrip())
        yield starts[number - 1] + column - 1, starts[number - 1] + (end or len(line)), sort


def _sort(token: Token, tokens: list[Token], at: int) -> Sort:
    """The sort of a token, by its neighbours where it is a name."""
    kind = token.type
    if kind == "TEXT":
        return Name.Class if _is_title(tokens, at) else String
    if kind in ("NUMBER", "DICE", "DICE_OF", "PERCENT", "TIMES"):
        return Number
    if kind == "REF":
        return Comment.Special
    if kind == "NAME":
        return _name(token, tokens, at)
    if token.text[0].isalpha():
        begins = token.column == 1 and token.text.split()[0] in {*vocabulary().at_block, "house", "state", "profile"}
        return Keyword.Declaration if begins else Keyword
    return Operator if token.text in _SIGNS else Punctuation


def _is_title(tokens: list[Token], at: int) -> bool:
    """Whether a word is the second one of a block: `trait Brave`, `rule "Long reach"`."""
    return at > 0 and tokens[at - 1].column == 1 and tokens[at].line == tokens[at - 1].line


def _name(token: Token, tokens: list[Token], at: int) -> Sort:
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    if token.column == 1:
        return Keyword.Declaration  # a kind that a plugin brings
    if _is_title(tokens, at):
        return Name.Class if token.text[0].isupper() else Name.Function
    if tokens[at - 1].text == ":" and token.text in _TYPES:
        return Keyword.Type
    if token.text in ("bearer", "this", "it"):
        return Name.Builtin.Pseudo
    if after is not None and after.text == "(" and after.column == token.end:
        return Name.Function
    if tokens[at - 1].text == ".":
        return Name.Attribute
    return Name.Class if token.text[0].isupper() else Name
