"""Reading YAML: values, places, limits, and no crash whatever comes."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from counting import calls
from warhost.packs.yaml_events import MAX_DEPTH, read_yaml
from warhost.packs.yaml_source import (
    MAX_BYTES,
    Map,
    Seq,
    decode,
    place_of,
    plain_data,
)


def codes(text: str) -> list[str]:
    return [problem.code for problem in read_yaml(text, "f.yaml")[1]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("True", "True"),
        ("12", 12),
        ("-3", -3),
        ("+3", 3),
        ("0.1", Fraction(1, 10)),
        ("2.50", Fraction(5, 2)),
        ("007", "007"),
        ("0x10", "0x10"),
        ("1e3", "1e3"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2024-01-02", "2024-01-02"),
        (".inf", ".inf"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("9" * 400, "9" * 400),
    ],
)
def test_words_are_text_except_true_false_none_and_figures(text: str, value: object) -> None:
    data, problems = read_yaml(f"a: {text}", "f.yaml")
    assert not problems
    assert data == {"a": value}
    assert type(data["a"]) is type(value)


def test_words_that_are_keys_stay_text_and_figures_are_numbers() -> None:
    data, problems = read_yaml("yes: 1\ntrue: 2\nnull: 3\n4: 5\n'6': 7\n", "f.yaml")
    assert not problems
    assert list(data) == ["yes", "true", "null", 4, "6"]


def test_places_of_keys_values_and_items() -> None:
    data, _ = read_yaml("a:\n  - x\n  - {b: 1,\n     c: [2]}\n", "f.yaml")
    assert str(data.key_pos("a")) == "f.yaml:1:1"
    assert str(data["a"].pos(0)) == "f.yaml:2:5"
    inner = data["a"][1]
    assert str(inner.key_pos("c")) == "f.yaml:4:6"
    assert str(inner.pos("c")) == "f.yaml:4:9"
    assert str(place_of(data, ["a", 1, "c", 0])) == "f.yaml:4:10"
    assert str(place_of(data, ["a", 1, "nothing"])) == "f.yaml:3:5"
    assert str(inner.pos("nothing")) == "f.yaml:3:5"


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("a: 1\nb: 2\na: 3\n", "duplicate-key", 3, 1),
        ("<<: {a: 1}", "merge-key", 1, 1),
        ("a: !!python/object/apply:os.system [ls]", "tag", 1, 4),
        ("a: !x 1", "tag", 1, 4),
        ("a: *nowhere", "unknown-alias", 1, 4),
        ("a: &x [*x]", "endless-alias", 1, 8),
        ("? [1]\n: 2", "strange-key", 1, 3),
        ("{a}: 2", "strange-key", 1, 1),
        ("a: 1\n---\nb: 2", "two-documents", 2, 1),
        ("%TAG ! x\n--- a", "directive", 1, 1),
        ("a: \x00", "strange-character", 1, 4),
        ("a:\n \u00a0b: 1", "strange-character", 2, 2),
        ("a: 'x", "yaml-syntax", 1, 4),
        ("a: b: c", "yaml-syntax", 1, 5),
        ("a:\n\tb: 1", "yaml-syntax", 2, 1),
        ("a:\n  - b\n c: d", "yaml-syntax", 3, 2),
        ("- [1, 2", "yaml-syntax", 1, 3),
        ("[" * (MAX_DEPTH + 1), "too-deep", 1, MAX_DEPTH + 1),
        ("x" * (MAX_BYTES + 1), "too-large", 0, 0),
    ],
)
def test_mistakes_have_a_place(text: str, code: str, line: int, column: int) -> None:
    _, problems = read_yaml(text, "f.yaml")
    assert [(p.code, p.line, p.column) for p in problems] == [(code, line, column)]
    if line:
        assert problems[0].source == text.split("\n")[line - 1]


def test_a_key_that_stands_twice_names_both_lines() -> None:
    _, problems = read_yaml("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert problems[0].line == 3
    assert "line 1" in problems[0].message


def test_a_hundred_laughs_are_refused_and_an_honest_alias_is_not() -> None:
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    laughs += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12))
    assert codes(laughs) == ["too-many-aliases"]
    assert calls(lambda: codes(laughs)) <= 1_000 * len(laughs)
    data, problems = read_yaml("a: &x {b: 1}\nc: *x\n", "f.yaml")
    assert not problems
    assert data == {"a": {"b": 1}, "c": {"b": 1}}
    assert str(data.pos("c")) == "f.yaml:2:4"


def test_aliases_cannot_nest_deeper_than_text_may() -> None:
    chain = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 60))
    assert codes(chain) == ["too-deep"]


def test_decoding_names_the_place_of_what_is_no_text() -> None:
    text, problems = decode(b"a: 1\nb: \xff\n", "f.yaml")
    assert text == ""
    assert [(p.code, p.line, p.column) for p in problems] == [("not-text", 2, 4)]
    assert decode(b"\xef\xbb\xbfa\r\nb\rc\n", "f.yaml") == ("a\nb\nc\n", [])


PIECES = [
    "a", "b: ", "- ", "\n", "  ", "[", "]", "{", "}", ", ", ": ", "&x ", "*x", "!t ", "|", ">-", "'", '"',
    "\\", "#", "? ", "---", "...", "%", "@", "\t", "<<: ", "1", "0.5", "true", "\r\n", "é", "\u2028", "\ufeff",
]  # fmt: skip
YAMLISH = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.one_of(YAMLISH, st.text(max_size=60)))
def test_no_text_makes_reading_crash(text: str) -> None:
    data, problems = read_yaml(text, "f.yaml")
    for problem in problems:
        assert problem.message
        problem.render().encode()
    if not problems:
        plain_data(data)


@given(st.binary(max_size=60))
def test_no_bytes_make_reading_crash(raw: bytes) -> None:
    text, problems = decode(raw, "f.yaml")
    assert problems or read_yaml(text, "f.yaml")[1] is not None


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn")), max_size=8).filter(
    lambda text: not set(text) & {"\u2028", "\u2029", "\ufeff", "\x85"} and "\ufffe" not in text
)
DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=15,
)


@given(st.dictionaries(WORDS, DATA, max_size=4))
def test_json_means_the_same_and_every_key_knows_its_place(data: dict[str, Any]) -> None:
    text = json.dumps(data, ensure_ascii=False, indent=1)
    read, problems = read_yaml(text, "f.yaml")
    assert not problems
    assert plain_data(read) == data
    check_places(read, text.split("\n"))


SPECIAL_SPACE = re.compile("[\u00a0\u2000-\u200b\u3000]")


def repr_of(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def check_places(value: Any, lines: list[str]) -> None:
    if isinstance(value, Map):
        for key, item in value.items():
            pos = value.key_pos(key)
            assert lines[pos.line - 1][pos.column - 1 :].startswith(json.dumps(key, ensure_ascii=False))
            check_places(item, lines)
    elif isinstance(value, Seq):
        assert len(value.marks) == len(value)
        for item in value:
            check_places(item, lines)


@given(st.dictionaries(WORDS, DATA, max_size=4).filter(lambda data: not SPECIAL_SPACE.search(repr_of(data))))
def test_block_style_means_the_same(data: dict[str, Any]) -> None:
    read, problems = read_yaml(yaml.safe_dump(data, allow_unicode=True, width=1000), "f.yaml")
    assert not problems
    assert plain_data(read) == data
