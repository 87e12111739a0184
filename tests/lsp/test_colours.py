"""Colours: the Pygments lexer and the TextMate grammar know the words that the language knows, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Keyword

from warhost.lang.lexer import Comment, Token, lex, split_blocks
from warhost_lsp import textmate
from warhost_lsp.highlighting import RulesLexer

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    [*(ROOT / "tests" / "lang" / "samples").glob("*.rules"), *(ROOT / "rulesets" / "destiny").rglob("*.rules")]
)  # fmt: skip
_OTHER = frozenset({"NAME", "TEXT", "NUMBER", "DICE", "DICE_OF", "PERCENT", "TIMES", "REF"})


def tokens_of(text: str) -> Iterator[tuple[Token, list[Comment]]]:
    """The tokens of the language itself, those in one line."""
    for block in split_blocks(text.split("\n"))[0]:
        lexed = lex(block)
        yield from ((token, lexed.comments) for token in lexed.tokens if token.text)


def test_the_grammar_in_the_repository_is_made_of_the_words_of_today() -> None:
    assert textmate.GRAMMAR.read_text(encoding="utf-8") == textmate.written(), "python -m warhost_lsp.textmate"


def coloured(line: str) -> dict[int, tuple[int, str]]:
    """By the grammar: where each piece begins (from 0) and ends, and its scope."""
    found: dict[int, tuple[int, str]] = {}
    patterns = [(re.compile(p["match"]), p) for p in textmate.grammar()["patterns"] if "match" in p]
    at = 0
    while at < len(line):
        if line[at] == '"':  # the one pattern with a beginning and an end
            end = line.find('"', at + 1)
            at = len(line) if end < 0 else end + 1
            continue
        hits = [(m.start(), n, m, p) for n, (r, p) in enumerate(patterns) if (m := r.search(line, at)) and m.end() > at]
        quote = line.find('"', at)
        if not hits or (0 <= quote < min(hits, key=lambda h: h[:2])[0]):
            if quote < 0:
                break
            at = quote
            continue
        _, _, match, pattern = min(hits, key=lambda h: h[:2])
        if "name" in pattern:
            found[match.start()] = match.end(), pattern["name"]
        for number, scope in pattern.get("captures", {}).items():
            found[match.start(int(number))] = match.end(int(number)), scope["name"]
        at = match.end()
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_the_grammar_colours_every_reserved_word_and_hardly_a_name(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    lines = [coloured(line) for line in text.split("\n")]
    missed, wrong, names = [], [], 0
    for token, _ in tokens_of(text):
        scope = next((s for start, (end, s) in lines[token.line - 1].items() if start <= token.column - 1 < end), "")
        keyword = scope.startswith(("keyword.control", "keyword.other", "storage"))
        if token.type not in _OTHER and token.text[0].isalpha() and not keyword:
            missed.append(f"{file.name}:{token.line}: {token.text}")
        if token.type == "NAME":
            names += 1
            if keyword and token.column > 1:
                wrong.append(f"{file.name}:{token.line}: {token.text}")
    assert not missed, missed[:20]
    assert len(wrong) <= max(names / 200, 4), wrong[:20]  # a line alone cannot tell them all apart


@pytest.mark.parametrize("file", FILES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_pygments_colours_what_the_language_reserves(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    pieces = list(RulesLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in pieces) == text
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    sorts = {start: sort for start, sort, _ in pieces}
    for token, _ in tokens_of(text):
        sort = sorts[starts[token.line - 1] + token.column - 1]
        if token.type not in _OTHER and token.text[0].isalpha():
            assert sort in Keyword, token
        elif token.type == "NAME" and token.column > 1 and sort is not Keyword.Type:
            assert sort not in Keyword, token


def test_pygments_finds_the_lexer_by_its_name() -> None:
    assert isinstance(get_lexer_by_name("rules"), RulesLexer)


def test_a_piece_of_rules_with_something_left_out_is_coloured_as_far_as_it_goes() -> None:
    text = 'number speed(unit) = ..\n    ...\n    +1 when unit.size > 3 because "many"  # yes\n'
    pieces = list(RulesLexer().get_tokens_unprocessed(text))
    assert "".join(piece for _, _, piece in pieces) == text
    keywords = {piece for _, sort, piece in pieces if sort in Keyword}
    assert {"number", "when", "because"} <= keywords
