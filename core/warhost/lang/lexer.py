"""From text to tokens: blocks, logical lines, indentation, comments, reserved words.

The grammar reserves words; this module decides, word by word and looking at its neighbours only, whether a word is
reserved where it stands or a name like any other. So `turn` begins a block at the margin and is free in `x.turn`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from warhost.lang.tables import tables

MAX_BYTES = 2_000_000
MAX_LINE = 2000
MAX_TOKENS = 20_000
MAX_BRACKETS = 64
MAX_INDENTS = 32


class Token:
    """A piece of the text. type is a terminal of the grammar; columns count from 1, end is exclusive.

    more: where the parts of a text go on that takes several lines, as (place in text, line, column).
    """

    __slots__ = ("column", "end", "line", "more", "text", "type")

    def __init__(self, type: str, text: str, line: int, column: int, end: int) -> None:
        self.type, self.text, self.line, self.column, self.end = type, text, line, column, end
        self.more: tuple[tuple[int, int, int], ...] = ()

    def at(self, place: int) -> tuple[int, int]:
        """The line and column of the sign at a place in text, from 0."""
        for start, line, column in reversed(self.more):
            if place >= start:
                return line, column + place - start
        return self.line, self.column + place

    def __repr__(self) -> str:
        return f"{self.type}({self.text!r})@{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Comment:
    """`# ...` with the place where it stands; alone: nothing else is on its line."""

    text: str
    line: int
    column: int
    alone: bool


class Mistake(Exception):  # noqa: N818 (it is the author's, not ours)
    """Something in the text is wrong, at a place. Caught by the parser, which makes a Problem of it."""

    def __init__(self, line: int, column: int, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.line, self.column, self.code, self.message, self.hint = line, column, code, message, hint


@dataclass(slots=True)
class Source:
    """A block as its author wrote it: numbered lines, the first at the margin."""

    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass(slots=True)
class Lexed:
    """The tokens of one block, with its comments aside."""

    tokens: list[Token]
    comments: list[Comment]


# -- which words are reserved ----------------------------------------------------------------------

# Words that are reserved at the beginning of a statement or line only, by what must follow there:
# w a word, t a text, n a number or dice, ( a bracket, - a minus, . nothing more on the line
_AT_START = {
    "allow": "w", "forbid": "w", "narrow": "w", "keeps": "w", "targets": "wt", "part": "w", "emit": "w",
    "give": "wt", "take": "wt", "change": "w", "choose": "w", "travel": "w", "reveal": "w(", "end": "wt",
    "procedure": "w", "reaction": "wt", "phase": "w", "before": "w", "after": "w", "say": "t",
    "refuse": "t",
    "result": "wtn(-", "repeat": "wn(", "require": "wtn(-", "natural": "wn(", "asks": "w", "windows": "w",
    "stop": "w.", "cancel": "w.", "continue": ".", "pass": ".", "together": ".:", "never": ".",
    "otherwise": "t.:w", "pool": "wn(",
}  # fmt: skip

# Words that are reserved only where a block begins
_AT_BLOCK = {
    "number": "w", "flag": "w", "value": "w", "roll": "w", "event": "w", "choice": "w", "constraint": "w",
    "table": "w", "words": "w", "noun": "w", "phrase": "t", "turn": ".,", "setup": ".,", "amend": "w",
    "advise": "w", "replace": "w", "remove": "w", "rename": "w",
}  # fmt: skip

_BEFORE_TEXT = frozenset({"because", "reads", "called", "says", "counting"})
_BEFORE_COLON = frozenset({"else", "otherwise", "together"})

# other ways to say the same; what stands on the right is in the grammar
_SYNONYMS = {
    "is an": "is a", "is not an": "is not a", "has a": "has", "has an": "has", "with a": "with",
    "with an": "with", "by an": "by a", "until it is used": "until used", "has no": "has no",
}  # fmt: skip
_EDGES = ("start of", "end of", "start of the", "end of the")
_COMPARISONS = ("==", "!=", "<=", ">=", "<", ">")
_WANT_WORD = frozenset(
    {"is a", "is an", "is not a", "is not an", "has a", "has an", "has no", "with a", "with an", "by a", "by an"}
)
_ONLY_AT_START = frozenset({"state of", "profile of", "equal to", "house rule", "never rerolled"})


@dataclass(frozen=True, slots=True)
class ReservedWords:
    """The reserved words of the grammar, sorted for the lexer."""

    signs: dict[str, str]
    always: dict[str, str]
    at_start: dict[str, str]
    at_block: dict[str, str]
    before_text: dict[str, str]
    runs: dict[str, list[tuple[tuple[str, ...], str]]]

    @property
    def beginnings(self) -> set[str]:
        """The words that can begin a line."""
        return set(self.at_start) | set(self.at_block) | {"if", "else", "while", "at", "on", "for", "when"}


@cache
def vocabulary() -> ReservedWords:
    """The reserved words of the grammar, by where they are reserved."""
    literals = tables().literals
    words = {text: name for text, name in literals.items() if text[0].isalpha() and " " not in text}
    special = {*_AT_START, *_AT_BLOCK, *_BEFORE_TEXT}
    runs: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for text, name in _word_runs(literals):
        first, *_ = split = tuple(text.split())
        runs.setdefault(first, []).append((split, name))
    for found in runs.values():
        found.sort(key=lambda run: -len(run[0]))
    signs = {text: name for text, name in literals.items() if not text[0].isalpha()}
    signs.update(dict.fromkeys(_COMPARISONS, "COMPARISON"))
    return ReservedWords(
        signs=signs,
        always={text: name for text, name in words.items() if text not in special},
        at_start={text: words[text] for text in _AT_START},
        at_block={text: words[text] for text in _AT_BLOCK},
        before_text={text: words[text] for text in _BEFORE_TEXT},
        runs=runs,
    )


def _word_runs(literals: dict[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((text, name) for text, name in literals.items() if " " in text)
    yield from ((text, literals[meant]) for text, meant in _SYNONYMS.items())
    yield from ((text, "EDGE") for text in _EDGES)


def spellings() -> list[str]:
    """The words that belong together, in every way in which they can be written."""
    return [text for text, _ in _word_runs(tables().literals)]


# -- blocks ----------------------------------------------------------------------------------------


def split_blocks(lines: list[str]) -> tuple[list[Source], list[Mistake]]:
    """Cut the file where a line begins at the margin. Lines before the first such line are mistakes."""
    blocks: list[Source] = []
    mistakes: list[Mistake] = []
    for number, line in enumerate(lines, start=1):
        bare = line.strip(" \t\u00a0\u202f")
        if len(line) > MAX_LINE:
            mistakes.append(_too_long(number))
        elif not bare or bare[0] == "#":
            if blocks:
                blocks[-1].lines.append((number, line))
        elif line[0] not in " \t\u00a0\u202f":
            blocks.append(Source([(number, line)]))
        elif blocks:
            blocks[-1].lines.append((number, line))
        elif not mistakes:
            mistakes.append(
                Mistake(number, 1, "indentation", "nothing stands above this line that it could belong to",
                        'move the line to the left margin; a house rule begins so: house rule "Title" for ..')
            )  # fmt: skip
    return blocks, mistakes


def _too_long(number: int) -> Mistake:
    return Mistake(
        number, MAX_LINE + 1, "too-large", f"this line has more than {MAX_LINE} characters",
        "break it before `and`, `or`, `because` or inside brackets, or give parts of it names of their own",
    )  # fmt: skip


# -- tokens of one line ----------------------------------------------------------------------------

_PIECES = re.compile(
    r"""(?P<SPACE>[ \t\u00a0\u202f]+)
    | (?P<COMMENT>\#.*)
    | (?P<REF>ref\ +[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+(?:\ *,\ *[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+)*)
    | (?P<TEXT>"[^"\n]*")
    | (?P<TIMES>x[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?(?![A-Za-z0-9_]))
    | (?P<DICE_OF>[0-9]*d\()
    | (?P<DICE>[0-9]*d[0-9]+(?![A-Za-z0-9_]))
    | (?P<PERCENT>[0-9]+(?:\.[0-9]+)?%)
    | (?P<NUMBER>[0-9]+(?:\.[0-9]+)?(?![A-Za-z_]))
    | (?P<OWNER>'s(?![A-Za-z0-9_]))
    | (?P<NAME>[A-Za-z_][A-Za-z0-9_]*)
    | (?P<SIGN>==|!=|<=|>=|\+=|-=|[-+*/()<>=.,:])
    """,
    re.VERBOSE,
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

#: A line that stands deeper than the one above and begins with one of these goes on with it; no line of its own does.
GOES_ON = frozenset({"against", "and", "because", "by", "or", "over", "where"})
#: So does one with these under a choice, of which they are parts.
OF_A_CHOICE = frozenset({"rated", "says", "secretly", "usually"})
#: And one above which ends with one of these signs goes on.
UNFINISHED = frozenset({",", "=", "*"})
#: What may be written in parts: the signs that begin and end it, left out between parts, and what is put there instead.
_JOINS = {"TEXT": ((1, 1), " "), "REF": ((3, 0), ",")}
_AFTER_NAMES = frozenset({":", ".", "=", "+=", "-="})
_ENDS_OPERAND = frozenset({"NAME", ")"})

_INSTEAD = {
    "“": 'write texts in straight quotes: "..."', "”": 'write texts in straight quotes: "..."',
    "„": 'write texts in straight quotes: "..."', "'": 'write texts in double quotes: "..."',
    "–": "write a plain minus: -", "—": "write a plain minus: -", "−": "write a plain minus: -",  # noqa: RUF001
    "×": "write x2 or * for a product", "÷": "write / for a division", "≤": "write <=", "≥": "write >=",  # noqa: RUF001
    "≠": "write !=", ";": "put each statement on a line of its own",
    "{": "indentation makes blocks, not braces",
    "}": "indentation makes blocks, not braces", "[": "only round brackets are used: ( )",
    "]": "only round brackets are used: ( )", "&": "write and", "|": "write or",
    "!": "write not, or != for differs",
}  # fmt: skip


def _pieces(line: str, number: int, comments: list[Comment], inside: bool) -> list[Token]:
    """The raw tokens of one line: words are all NAMEs still, signs have their own text as type."""
    found: list[Token] = []
    at, size = 0, len(line)
    match = _PIECES.match
    while at < size:
        piece = match(line, at)
        if piece is None:
            raise _bad_character(line, at, number)
        kind, end = piece.lastgroup or "", piece.end()
        if kind == "TIMES" and not _multiplies(found, line, end, inside):
            word = _NAME.match(line, at)
            kind, end = "NAME", word.end() if word else end
        if kind == "COMMENT":
            comments.append(Comment(line[at:end].rstrip(), number, at + 1, not found))
        elif kind != "SPACE":
            text = line[at:end]
            if text == "/" and line[end : end + 1] in ("/", "*"):
                message = f'"{line[at : end + 1]}" begins no comment'
                raise Mistake(number, at + 1, "bad-character", message, "a comment begins with #")
            found.append(Token(text if kind in ("SIGN", "OWNER") else kind, text, number, at + 1, end + 1))
        at = end
    return found


def heads_labels(line: list[Token]) -> bool:
    """Whether the lines below one begin with labels, which may be texts: of `advise` and of `choose by`."""
    return line[0].text == "advise" or (line[0].text == "choose" and len(line) > 1 and line[1].text[:2] == "by")


def _is_choice(line: list[Token]) -> bool:
    """Whether a line is a choice that takes no lines below it."""
    return line[0].text in ("choose", "choice") and not heads_labels(line)


def _join(first: Token, more: Token) -> None:
    """A long text, or list of rule ids, in parts, one on each line. Between the parts of a text there is a space."""
    start, between = _JOINS[more.type]
    first.text = first.text[: len(first.text) - start[1]] + between
    first.more += ((len(first.text), more.line, more.column + start[0]),)
    first.text += more.text[start[0] :]
    if len(first.text) > MAX_LINE:
        raise _too_long(more.line)


def pieces(text: str, line: int, column: int) -> list[Token]:
    """The raw tokens of a stretch of text that begins at that place. Raises Mistake."""
    found = _pieces(text, line, [], True)
    for token in found:
        token.column += column - 1
        token.end += column - 1
    return found


def _multiplies(before: list[Token], line: str, end: int, inside: bool) -> bool:
    """Is `x2` here a multiplication (`x2 if ..`, `price x2`), not a name?"""
    if before:
        return before[-1].type in _ENDS_OPERAND
    return not inside and line[end:].lstrip()[:1] not in ("=", ".", "(", ",", ":")


#: Dice as rulebooks write them.
DICE_OF_BOOKS = re.compile(r"[0-9]*D[0-9]+(?![A-Za-z0-9_])")


def dice_of(written: str) -> str:
    """`1D6` as it is written here."""
    return written.lower().removeprefix("1") if written[:2] in ("1D", "1d") else written.lower()


def _bad_character(line: str, at: int, number: int) -> Mistake:
    sign = line[at]
    if sign == '"':
        return Mistake(number, at + 1, "open-text", "this text has no closing quote", 'end it with " on the same line')
    if sign.isdigit() and (dice := DICE_OF_BOOKS.match(line, at)):
        return Mistake(number, at + 1, "bad-number", "dice have a small d", f"write {dice_of(dice[0])}")
    if sign.isdigit():
        return Mistake(number, at + 1, "bad-number", "a number runs into a word here", "leave a space between them")
    if sign == "[" and line.split(":")[0].strip() == "plugins":
        hint = "a file of rules names no plugins: those that ruleset.yaml names hold in it"
        return Mistake(number, at + 1, "bad-character", '"[" is no sign of the rules language', hint)
    shown = sign if sign.isprintable() else f"U+{ord(sign):04X}"
    return Mistake(number, at + 1, "bad-character", f'"{shown}" is no sign of the rules language', _INSTEAD.get(sign))


# -- tokens of one block ---------------------------------------------------------------------------


def lex(source: Source) -> Lexed:
    """The tokens of a block, ended by a NEWLINE and its DEDENTs. Raises Mistake."""
    return _BlockLexer(source).run()


class _BlockLexer:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.tokens: list[Token] = []
        self.comments: list[Comment] = []
        self.indents = [0]
        self.open: list[Token] = []
        self.house = False

    def run(self) -> Lexed:
        logical: list[Token] = []
        for number, line in self.source.lines:
            pieces = _pieces(line, number, self.comments, bool(self.open))
            if not pieces:
                continue
            if logical and not self.open and not self._goes_on(logical, pieces):
                self._finish(logical)
                logical = []
            if not logical:
                self._indent(line, pieces[0])
            elif pieces[0].type == logical[-1].type and pieces[0].type in _JOINS:
                _join(logical[-1], pieces.pop(0))
            self._count_brackets(pieces)
            logical += pieces
        if self.open:
            opened = self.open[-1]
            raise Mistake(opened.line, opened.column, "open-bracket", "this bracket is never closed", "add )")
        self._finish(logical)
        self._indent_to(0, self.tokens[-1])
        return Lexed(self.tokens, self.comments)

    def _goes_on(self, logical: list[Token], pieces: list[Token]) -> bool:
        """Does a line that begins so go on with the one above? A text that can be a label begins a line of its own."""
        before, first = logical[-1], pieces[0]
        if first.column - 1 <= self.indents[-1]:
            return False
        if before.type in UNFINISHED:
            return True
        if first.type == "NAME":
            goes_on = first.text in GOES_ON or (first.text in OF_A_CHOICE and _is_choice(logical))
            return goes_on and (len(pieces) == 1 or pieces[1].type not in _AFTER_NAMES)
        return first.type == "REF" or (first.type == before.type == "TEXT" and not heads_labels(logical))

    def _finish(self, logical: list[Token]) -> None:
        if not self.tokens:
            self.house = [t.text for t in logical[:2]] == ["house", "rule"]
        level = len(self.indents) - 1
        self.tokens += typed(logical, level == 0 or (self.house and level == 1))
        last = logical[-1]
        self.tokens.append(Token("_NEWLINE", "", last.line, last.end, last.end))
        if len(self.tokens) > MAX_TOKENS:
            raise Mistake(
                last.line, 1, "too-large", f"this block has more than {MAX_TOKENS} words and signs",
                "divide it into several blocks",
            )  # fmt: skip

    def _count_brackets(self, pieces: list[Token]) -> None:
        for piece in pieces:
            if piece.type == "(" or piece.type == "DICE_OF":
                self.open.append(piece)
                if len(self.open) > MAX_BRACKETS:
                    raise Mistake(
                        piece.line, piece.column, "too-deep",
                        f"more than {MAX_BRACKETS} brackets inside each other",
                        "give the inner parts names of their own",
                    )  # fmt: skip
            elif piece.type == ")":
                if not self.open:
                    raise Mistake(
                        piece.line, piece.column, "open-bracket", "this closing bracket has no opening one",
                        "take it away, or add ( before it",
                    )  # fmt: skip
                self.open.pop()

    def _indent(self, line: str, first: Token) -> None:
        blank = line[: first.column - 1]
        if "\t" in blank:
            raise Mistake(
                first.line, blank.index("\t") + 1, "tab", "this line is indented with a tab",
                "indent with spaces, four for each step",
            )  # fmt: skip
        self._indent_to(len(blank), first)

    def _indent_to(self, width: int, token: Token) -> None:
        if width > self.indents[-1]:
            self.indents.append(width)
            self._structure("_INDENT", token)
            if len(self.indents) > MAX_INDENTS + 1:
                raise Mistake(
                    token.line, 1, "too-deep", f"more than {MAX_INDENTS} steps of indentation",
                    "move the inner part into a procedure",
                )  # fmt: skip
        deeper = 0
        while width < self.indents[-1]:
            deeper = self.indents.pop()
            self._structure("_DEDENT", token)
        if width != self.indents[-1]:
            nearer, other = self.indents[-1], deeper
            if other - width <= width - nearer:  # where it is as near to both, rather like the lines just above
                nearer, other = other, nearer
            raise Mistake(
                token.line, token.column, "indentation", "this line is not in line with any line above it",
                f"indent it by {nearer} or by {other} spaces",
            )  # fmt: skip

    def _structure(self, type: str, token: Token) -> None:
        self.tokens.append(Token(type, "", token.line, token.column, token.column))


# -- reserved or free ------------------------------------------------------------------------------


def typed(raw: list[Token], at_block: bool) -> list[Token]:
    """The tokens of a logical line with reserved words marked and runs of words joined."""
    return _Marker(raw, at_block).run()


class _Marker:
    def __init__(self, raw: list[Token], at_block: bool) -> None:
        self.raw = raw
        self.at_block = at_block
        self.words = vocabulary()
        self.only_names = at_block and raw[0].text == "words"

    def run(self) -> list[Token]:
        found: list[Token] = []
        at, raw, signs = 0, self.raw, self.words.signs
        while at < len(raw):
            token = raw[at]
            if token.type == "NAME":
                at = self._word(at, found)
                continue
            token.type = signs.get(token.type, token.type)
            found.append(token)
            at += 1
        return found

    def _word(self, at: int, found: list[Token]) -> int:
        token = self.raw[at]
        if not self._free(at):
            run = self._run(at)
            if run is not None:
                size, name = run
                last = self.raw[at + size - 1]
                text = " ".join(t.text for t in self.raw[at : at + size])
                found.append(Token(name, text, token.line, token.column, last.end))
                return at + size
            token.type = self._reserved(at) or "NAME"
        found.append(token)
        return at + 1

    def _free(self, at: int) -> bool:
        """Places where any word is a name: after a dot, before `=`, before the colon of a field."""
        before, after = self._text(at - 1), self._text(at + 1)
        if before == "." or after in ("=", "+=", "-=", ".") or (self.only_names and at):
            return True
        if after == ":" and (not at or before in (",", "(")):
            return self.raw[at].text not in _BEFORE_COLON
        return False

    def _run(self, at: int) -> tuple[int, str] | None:
        for split, name in self.words.runs.get(self.raw[at].text, ()):
            size = len(split)
            if all(self._text(at + n) == split[n] for n in range(1, size)) and self._run_fits(at, split):
                return size, name
        return None

    def _run_fits(self, at: int, split: tuple[str, ...]) -> bool:
        text, after = " ".join(split), at + len(split)
        if text in _WANT_WORD:
            follows = self._follows(after)
            return follows == "t" or (follows == "w" and self._text(after) not in self.words.always)
        if text in ("or more", "or less"):
            return self._text(after) in ("", ":", "when")
        if text in _ONLY_AT_START:
            return self._starts(at) or self._text(at - 1) == "amend"
        return True

    def _reserved(self, at: int) -> str | None:
        text, words = self.raw[at].text, self.words
        if text in words.always:
            return words.always[text]
        if text in words.before_text:
            return words.before_text[text] if self._follows(at + 1) == "t" else None
        if text in words.at_start and self._starts(at):
            return words.at_start[text] if self._follows(at + 1) in _AT_START[text] else None
        if text in words.at_block:
            return words.at_block[text] if self._begins_block(at, text) else None
        return None

    def _begins_block(self, at: int, text: str) -> bool:
        follows = self._follows(at + 1)
        if text in ("replace", "remove") and at == 0 and follows == "t":
            return True
        if text == "roll" and follows == "w" and self._text(at + 2) == "(":
            return True
        at_block = self.at_block and (at == 0 or (at == 1 and self.raw[0].text == "replace"))
        return at_block and follows in _AT_BLOCK[text]

    def _starts(self, at: int) -> bool:
        if at == 0:
            return True
        before = self.raw[at - 1]
        if before.text == ":":
            return True
        return before.text == ("against" if self.raw[at].text == "pool" else "replace")

    def _text(self, at: int) -> str:
        return self.raw[at].text if 0 <= at < len(self.raw) else ""

    def _follows(self, at: int) -> str:
        """What stands there, as in _AT_START."""
        if at >= len(self.raw):
            return "."
        kind = self.raw[at].type
        if kind in ("NUMBER", "DICE", "DICE_OF", "PERCENT"):
            return "n"
        return {"NAME": "w", "TEXT": "t", "REF": "."}.get(kind, self.raw[at].text)
