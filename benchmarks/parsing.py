"""Our own loop over lark's tables against lark's own parser with a custom lexer, both over the same tokens.

    python benchmarks/parsing.py [--ruleset arcana]

Prints seconds of CPU for all rules files of a ruleset: reading tokens (shared), our loop with the building of the tree,
lark's LALR parser into its own tree (from which ours would still have to be built), and what the first parse costs
before: our tables from the cache, lark from its cache. The reason for lang/parser.py's loop (docs/design/0007).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lark import Lark
from lark import Token as LarkToken
from lark.lexer import Lexer

from warhost.lang.lexer import lex, split_blocks
from warhost.lang.parser import builder, run, source_lines
from warhost.lang.tables import GRAMMAR, STARTS, tables

RULESETS = Path(__file__).resolve().parents[1] / "rulesets"


class Given(Lexer):
    """Hands on tokens that were made before."""

    def __init__(self, conf: Any) -> None:
        pass

    def lex(self, tokens: Any) -> Iterator[LarkToken]:  # type: ignore[override]
        for t in tokens:
            yield LarkToken(t.type, t.text, None, t.line, t.column)


def seconds(of: Any, times: int = 3) -> float:
    """The least CPU time of a few runs."""
    found = []
    for _ in range(times):
        began = time.process_time()
        of()
        found.append(time.process_time() - began)
    return min(found)


def fresh(code: str) -> float:
    """CPU time of a line in a process of its own."""
    timed = f"import time; t = time.process_time(); {code}; print(time.process_time() - t)"
    return float(subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--ruleset", default="arcana")
    given = parser.parse_args()
    texts = [path.read_text(encoding="utf-8") for path in sorted((RULESETS / given.ruleset).rglob("*.rules"))]

    def tokens() -> list[Any]:
        return [lex(block).tokens for text in texts for block in split_blocks(source_lines(text)[0])[0]]

    blocks = tokens()
    tables()
    grammar = GRAMMAR.read_text(encoding="utf-8")
    options: dict[str, Any] = {"parser": "lalr", "start": list(STARTS), "maybe_placeholders": False}
    lark = Lark(grammar, lexer=Given, propagate_positions=True, **options)
    print(f"{len(blocks)} blocks, {sum(map(len, blocks)):,} tokens")
    print(f"tokens                    {seconds(tokens):6.2f} s")
    print(f"our loop, with our tree   {seconds(lambda: [run(b, 'block', builder('f')) for b in blocks]):6.2f} s")
    print(f"lark, with its own tree   {seconds(lambda: [lark.parse(b, start='block') for b in blocks]):6.2f} s")
    ours = fresh("from warhost.lang.tables import tables; tables()")
    cached = (
        "from lark import Lark; from warhost.lang.tables import GRAMMAR, STARTS; "
        "Lark(GRAMMAR.read_text(), parser='lalr', lexer='basic', start=list(STARTS), cache=True)"
    )
    fresh(cached)
    print(f"before the first parse: our tables {ours:.2f} s, lark from its cache {fresh(cached):.2f} s")


if __name__ == "__main__":
    main()
