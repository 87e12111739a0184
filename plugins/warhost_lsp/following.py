"""What may come next in a piece of rules that is being written: for editors that complete words."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.lang.lexer import GOES_ON, UNFINISHED, Mistake, Source, Token, lex, pieces, vocabulary
from warhost.lang.tables import tables

#: What the lexer makes of several spellings, and what the grammar calls none of its own words.
_SPELT = {
    "EDGE": ("start of", "end of", "start of the", "end of the"), "BEFORE": ("before",), "AFTER": ("after",),
    "ON": ("on",), "INSTEAD_OF": ("instead of",),
}  # fmt: skip

#: Words that mostly begin something, and stand inside a line as well.
_INSIDE = frozenset({"roll", "pool", "natural", "result", "choice", "table"})

_NEXT = "next_word_"


def may_follow(lines: Iterable[tuple[int, str]]) -> tuple[set[str], bool]:
    """The reserved words that may come next, and whether a name may.

    lines: those of one block with their numbers, from the margin to the place in question. Nothing may follow what
    cannot be read.
    """
    every = list(lines)
    given = [(n, line) for n, line in every[:-1] if line.split("#")[0].strip()] + every[-1:]
    if given and given[-1][1].lstrip().startswith("#"):
        return set(), False
    try:
        words, name = _accepted_words(_tokens(given, _NEXT))
        if not words and not name:
            words, name = _accepted_words(_tokens(given, ""))
        if len(given) > 1 and not given[-1][1].strip():  # the line may also go on with the one above
            words |= GOES_ON & may_follow(given[:-1])[0]
    except Mistake:
        return set(), False
    return words, name


def _accepted_words(tokens: list[Token]) -> tuple[set[str], bool]:
    accepted = _accepted(tokens)
    literals: dict[str, list[str]] = {}
    for text, terminal in tables().literals.items():
        literals.setdefault(terminal, []).append(text)
    known = vocabulary()
    words = {text for terminal in accepted for text in (*literals.get(terminal, ()), *_SPELT.get(terminal, ()))}
    beginnings = {*known.at_start, *known.at_block}
    last = tokens[-1] if tokens else None
    begins = last is None or last.type in ("_NEWLINE", "_INDENT", "_DEDENT", "COLON") or last.text == "replace"
    found = {w for w in words if w[0].isalpha() and (begins or w not in beginnings or w in _INSIDE)}
    return found, "NAME" in accepted


def _tokens(lines: list[tuple[int, str]], more: str) -> list[Token]:
    """The tokens up to the place in question. more: a word behind it, before which some others are reserved. Raises
    Mistake.
    """
    if not any(line.split("#")[0].strip() for _, line in lines):
        return []
    number, last = lines[-1]
    raw = [token for n, line in lines for token in pieces(line, n, 1)]
    open_ = sum((t.type in ("(", "DICE_OF")) - (t.type == ")") for t in raw)
    if not last.strip() and not open_ and raw[-1].type not in UNFINISHED:
        tokens = lex(Source(lines)).tokens
        kept = list(tokens)
        while kept[-1].type in ("_DEDENT", "_NEWLINE"):
            kept.pop()
        return _on_a_new_line(kept, tokens, len(last))
    tokens = lex(Source([*lines[:-1], (number, f"{last} {more}{')' * open_}")])).tokens
    if more:
        places = [place for place, token in enumerate(tokens) if token.text == more]
        return tokens[: places[-1]] if places else []  # none: it stands in a comment
    while tokens[-1].type in ("_DEDENT", "_NEWLINE"):
        tokens.pop()
    return tokens[: len(tokens) - open_]


def _on_a_new_line(kept: list[Token], tokens: list[Token], width: int) -> list[Token]:
    """Before the first word of a line that is indented by so many spaces."""
    rest = tokens[len(kept) :]
    indents = [0, *(token.column - 1 for token in kept if token.type == "_INDENT")]
    open_ = [0]
    for token in kept:
        if token.type == "_INDENT":
            open_.append(token.column - 1)
        elif token.type == "_DEDENT" and len(open_) > 1:
            open_.pop()
    end = rest[0]
    found = [*kept, end]
    if width > open_[-1]:
        return [*found, Token("_INDENT", "", end.line + 1, width + 1, width + 1)]
    while width < open_[-1] and width in indents:
        open_.pop()
        found.append(Token("_DEDENT", "", end.line + 1, width + 1, width + 1))
    return found


def _accepted(tokens: list[Token]) -> set[str]:
    """The terminals that the parser can take after the tokens; none if it cannot take these."""
    parts = tables()
    stack = [parts.begin["block"]]
    for token in tokens:
        taken = _take(stack, token.type)
        if taken is None:
            return set()
        stack = taken
    names = [name for name in parts.states[stack[-1]] if name.upper() == name and name != "$END"]
    return {name for name in names if _take(stack, name) is not None}


def _take(stack: list[int], terminal: str) -> list[int] | None:
    """The stack of states after a terminal; None if it does not fit."""
    parts, stack = tables(), list(stack)
    while True:
        step = parts.states[stack[-1]].get(terminal)
        if step is None:
            return None
        if step >= 0:
            return [*stack, step]
        production = parts.productions[-1 - step]
        if production.size:
            del stack[-production.size :]
        goto = parts.states[stack[-1]].get(production.head)
        if goto is None:
            return None
        stack.append(goto)
