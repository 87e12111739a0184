"""The TextMate grammar of rules for VS Code and other editors, made from the language's own tables.

    python -m warhost_lsp.textmate            writes vscode/syntaxes/rules.tmLanguage.json
    python -m warhost_lsp.textmate --check    says whether it is what would be written
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warhost.lang.lexer import spellings, vocabulary
from warhost.output_safety import put_whole

GRAMMAR = Path(__file__).with_name("vscode") / "syntaxes" / "rules.tmLanguage.json"

#: The id of a rule of the book; and what makes of a word a name: a dot before it, what is put into it behind it.
_REF = "[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+"
_NOT_AFTER = r"(?<![.\w])"
_NOT_BEFORE = r"(?!\s*(?:=(?!=)|\+=|-=)|\.\w)"


def grammar() -> dict[str, Any]:
    """The grammar as JSON has it. Patterns are tried in their order; none is of more than one line."""
    words = vocabulary()
    always, at_start, at_block = (_any(some) for some in (words.always, words.at_start, words.at_block))
    runs, bare, before_text = _any(spellings()), _any(_BARE), _any(words.before_text)
    control = "keyword.control.rules"
    patterns = [
        _match("comment.line.number-sign.rules", r"#.*$"),
        _text(),
        _match("entity.name.tag.reference.rules", rf"\bref +{_REF}(?: *, *{_REF})*"),
        _match(control, rf"{_NOT_AFTER}{runs}(?!\w){_NOT_BEFORE}"),
        _parts(
            rf'^\s*(?:(replace)\s+)?{at_block}(?!\w)(?=\s+[\w"]|\s*,|\s*$)', "storage.type.rules", "storage.type.rules"
        ),
        _match(control, rf"{_NOT_AFTER}roll(?=\s+\w+\s*\()"),
        _parts(rf"^\s*{at_start}(?!\w)(?!\s*[=.:,(]|\s*[+-]=)", control),
        _parts(rf"(?:(?<=:)|(?<=replace)|(?<=against))\s+{at_start}(?!\w)(?!\s*[=.,(]|\s*[+-]=)", control),
        _parts(rf"(?:^|(?<=:)|(?<=against))\s*{bare}(?=\s*[:(]|\s+\()", control),
        _match("keyword.other.rules", rf'{_NOT_AFTER}{before_text}(?=\s+"|\s*$)'),
        _match(control, rf"{_NOT_AFTER}{always}(?!\w){_NOT_BEFORE}"),
        _parts(r'^([a-z_]+)\s+("[^"]*"|[A-Z]\w*)', "storage.type.rules", "entity.name.type.rules"),
        _match("constant.numeric.dice.rules", r"\b\d*d(?:\d+\b|(?=\())"),
        _match("constant.numeric.rules", r"\bx\d+(?:\.\d+)?(?:/\d+)?\b|\b\d+(?:\.\d+)?%?"),
        _match("variable.language.rules", rf"{_NOT_AFTER}(?:bearer|this|it|battle|scenario)(?!\w)"),
        _match("entity.name.function.rules", r"[A-Za-z_]\w*(?=\()"),
        _match("entity.name.type.rules", rf"{_NOT_AFTER}[A-Z]\w*"),
        _match("keyword.operator.rules", r"==|!=|<=|>=|\+=|-=|[-+*/<>=]"),
    ]  # fmt: skip
    inside = [p for p in patterns[3:] if "^" not in str(p.get("match", ""))]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Warhost rules", "scopeName": "source.warhost-rules", "fileTypes": ["rules"], "patterns": patterns,
        "repository": {"expression": {"patterns": inside}},
    }  # fmt: skip


#: Reserved where a line begins also before a colon or a bracket.
_BARE = ("together", "otherwise", "result", "require", "repeat", "pool", "natural")


def _any(words: Iterable[str]) -> str:
    """A group for one of some words, the longest first; any blank space between the parts of one."""
    shown = [re.escape(word).replace(r"\ ", r"\s+") for word in sorted(words, key=lambda w: (-len(w), w))]
    return f"({'|'.join(shown)})"


def _match(scope: str, pattern: str) -> dict[str, Any]:
    return {"match": pattern, "name": scope}


def _parts(pattern: str, *scopes: str | None) -> dict[str, Any]:
    """A pattern of which each group has a scope of its own, or none."""
    captures = {str(n): {"name": scope} for n, scope in enumerate(scopes, 1) if scope is not None}
    return {"match": pattern, "captures": captures}


def _text() -> dict[str, Any]:
    braces = {
        "begin": r"\{(?!\{)", "end": r"\}", "name": "meta.embedded.line.rules",
        "patterns": [{"include": "#expression"}],
    }  # fmt: skip
    doubled = _match("constant.character.escape.rules", r"\{\{|\}\}")
    return {"begin": '"', "end": '"|$', "name": "string.quoted.double.rules", "patterns": [doubled, braces]}


def written() -> str:
    """The file's text."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the grammar, or see whether it is up to date."""
    current = GRAMMAR.read_text(encoding="utf-8") if GRAMMAR.is_file() else ""
    if sys.argv[1:] == ["--check"]:
        if current != written():
            raise SystemExit(f"{GRAMMAR} is out of date: python -m warhost_lsp.textmate")
        return
    GRAMMAR.parent.mkdir(parents=True, exist_ok=True)
    put_whole(GRAMMAR, written().encode(), 0o644)


if __name__ == "__main__":
    main()
