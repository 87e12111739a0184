"""What may come next in a piece of rules that is being written."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.lang.lexer import lex, split_blocks
from warhost.lang.tables import tables
from warhost_lsp.following import may_follow

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.rules"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_every_reserved_word_that_stands_somewhere_was_among_those_that_might(sample: Path) -> None:
    blocks, _ = split_blocks(sample.read_text(encoding="utf-8").split("\n"))
    seen = 0
    for block in blocks:
        lines = dict(block.lines)
        for token in lex(block).tokens:
            if not token.text[:1].isalpha() or token.type in ("NAME", "REF", "TIMES", "DICE", "DICE_OF"):
                continue
            before = [(number, line) for number, line in block.lines if number < token.line]
            words, _ = may_follow([*before, (token.line, lines[token.line][: token.column - 1])])
            spellings = {text for text, terminal in tables().literals.items() if terminal == token.type}
            assert words & {token.text, *spellings}, (token, sorted(words))
            seen += 1
    assert seen > 10


def test_what_cannot_be_read_is_followed_by_nothing() -> None:
    assert may_follow([(1, "number = = ")]) == (set(), False)
    assert may_follow([(1, 'number x(unit) = "open ')]) == (set(), False)


def test_at_the_margin_blocks_begin() -> None:
    words, names = may_follow([])
    assert {"number", "procedure", "turn", "house rule"} <= words
    assert names  # `trait Fast`: the kinds that plugins bring
    assert "else" not in words
