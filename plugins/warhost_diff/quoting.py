"""The text of rules files by the places that the syntax tree remembers, without layout, comments and ids."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.lang.lexer import Lexed, Mistake, Source, Token, lex
from warhost.lang.place import Pos
from warhost.lang.program import PRELUDE

if TYPE_CHECKING:
    from warhost.packs import Ruleset

_CLOSE_LEFT = frozenset({"(", "."})
_CLOSE_RIGHT = frozenset({")", ",", ".", ":", "'s"})


@dataclass(frozen=True, slots=True)
class LogicalLine:
    """A logical line of rules as one line of text. level: how far it is indented in its block; pos: where it stands."""

    text: str
    pos: Pos
    level: int = 0

    @property
    def indented(self) -> str:
        """The line with two blanks for each step of indentation."""
        return "  " * self.level + self.text


@dataclass(slots=True)
class Sources:
    """The files of rulesets, read when they are quoted, each once."""

    _lines: dict[str, list[str]] = field(default_factory=dict)

    def lines(self, file: str) -> list[str]:
        """The lines of a file of rules; none when it cannot be read."""
        if file not in self._lines:
            path = PRELUDE if file == PRELUDE.name else Path(file)
            try:
                self._lines[file] = path.read_text(encoding="utf-8-sig").splitlines()
            except (OSError, UnicodeDecodeError):
                self._lines[file] = []
        return self._lines[file]

    def quote(self, pos: Pos) -> str:
        """The stretch of text at a place, in one line."""
        return " ".join(said.text for said in self.said(pos))

    def said(self, pos: Pos) -> list[LogicalLine]:
        """The logical lines of a stretch of text."""
        written = self._stretch(pos)
        if not any(text.strip() for _, text in written):
            return []
        try:
            found = _logical(lex(Source(written)), pos.file)
        except Mistake:  # a part of a line that makes no sense by itself
            texts = ((n, " ".join(text.split())) for n, text in written)
            found = [LogicalLine(text, Pos(pos.file, n, 1, n, 1)) for n, text in texts if text]
        return found

    def _stretch(self, pos: Pos) -> list[tuple[int, str]]:
        """The lines of a place by number, the first at the margin."""
        everything = self.lines(pos.file)
        lines = everything[max(pos.line - 1, 0) : pos.end_line]
        if not pos.line or not lines:
            return []
        margin = len(lines[0]) - len(lines[0].lstrip())
        if pos.end_column > 1:
            lines[-1] = lines[-1][: pos.end_column - 1]
        elif len(lines) > 1:
            lines.pop()
        lines += _rest_of_text(lines[-1], everything[pos.end_line :])
        first = lines[0][pos.column - 1 :]
        rest = [line[min(margin, len(line) - len(line.lstrip())) :] for line in lines[1:]]
        return list(enumerate([first, *rest], start=pos.line))


def _rest_of_text(last: str, below: list[str]) -> list[str]:
    """The further parts of a text that ends a stretch: a place goes to the end of its first part."""
    more: list[str] = []
    while last.rstrip().endswith('"') and below and below[0].lstrip().startswith('"'):
        last = below.pop(0)
        more.append(last)
    return more


def _logical(lexed: Lexed, file: str) -> list[LogicalLine]:
    found: list[LogicalLine] = []
    level, row = 0, list[Token]()
    for token in lexed.tokens:
        if token.type == "_INDENT":
            level += 1
        elif token.type == "_DEDENT":
            level -= 1
        elif token.type == "_NEWLINE":
            if row:
                pos = Pos(file, row[0].line, row[0].column, token.line, token.end)
                found.append(LogicalLine(_text(row), pos, level))
            row = []
        elif token.type != "REF":
            row.append(token)
    return found


def _text(row: list[Token]) -> str:
    text = ""
    for place, token in enumerate(row):
        if place and _apart(row[place - 1], token):
            text += " "
        text += token.text
    return text


def _apart(left: Token, right: Token) -> bool:
    """Whether a blank stands between two tokens: as written on one line, by the usual habit between two."""
    if left.line == right.line:
        return right.column > left.end
    return left.text not in _CLOSE_LEFT and right.text not in _CLOSE_RIGHT


def place_of(rules: Ruleset, pos: Pos) -> str:
    """A place as people read it: below the ruleset's or house rule's folder, not of the installation."""
    if not pos.file:
        return ""
    path = Path(pos.file)
    if not path.is_absolute():
        return f"{pos.file}:{pos.line}"
    layer = rules.layer_of(pos)
    homes = [one.folder.absolute().parent for one in rules.layers if one.kind == "ruleset"]
    if layer is not None:
        homes.append(layer.folder.absolute())
    shown = next((path.relative_to(home) for home in homes if path.is_relative_to(home)), path)
    return f"{shown.as_posix()}:{pos.line}"
