"""The formatter: its laws over the samples and their mutations, and its choices one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from warhost.errors import RulesInvalid
from warhost.lang.lexer import lex, split_blocks
from warhost.lang.parser import parse
from warhost_format.layout import MOST, WIDTH, format_source

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.rules"))
LINES = "\n".join(sample.read_text(encoding="utf-8") for sample in SAMPLES).split("\n")
CHANGES = ["blank", "# note", "  # end", "wide", "comment in", "join"]


def formatted(text: str) -> str:
    return format_source(text, "t.rules")


def comments(text: str) -> list[str]:
    """Every comment, in order."""
    blocks, _ = split_blocks(text.split("\n"))
    first = blocks[0].lines[0][0] - 1 if blocks else text.count("\n") + 1
    above = [line.strip() for line in text.split("\n")[:first] if line.strip()]
    return above + [c.text for block in blocks for c in lex(block).comments]


def laws(text: str) -> None:
    once = formatted(text)
    assert formatted(once) == once
    assert parse(once, "t.rules") == (parse(text, "t.rules")[0], [])
    assert comments(once) == comments(text)
    assert not [line for line in once.split("\n") if line != line.rstrip()]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_laws_hold_for_the_samples(sample: Path) -> None:
    laws(sample.read_text(encoding="utf-8"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_blocks_further_down_are_laid_out_as_above(sample: Path) -> None:
    text = sample.read_text(encoding="utf-8")
    once = formatted(text)
    further_down = "number first() = 1\n\n\n\n" + text
    assert formatted(further_down).endswith("\n\n" + once)


@settings(max_examples=150)
@given(
    st.integers(0, len(LINES) - 1), st.integers(1, 40),
    st.lists(st.tuples(st.integers(0, 40), st.sampled_from(CHANGES)), max_size=6),
)  # fmt: skip
def test_laws_hold_for_stretches_of_the_samples(
    start: int, size: int, changes: list[tuple[int, str]]
) -> None:
    while start and LINES[start][:1] in ("", " "):
        start -= 1
    lines = LINES[start : start + size]
    for at, change in changes:
        at = min(at, len(lines) - 1)
        line = lines[at]
        new = {
            "blank": ["", line], "# note": ["# note", line], "  # end": [line + "  # end"],
            "wide": [line.replace(" = ", "   =   ")], "comment in": ["      # deep", line],
            "join": [line.replace(", ", ",\n              ") if "(" in line else line],
        }  # fmt: skip
        lines[at : at + 1] = new[change]
    text = "\n".join(lines)
    assume(not parse(text, "t.rules")[1])
    laws(text)


def test_bad_input_is_refused_with_its_problems() -> None:
    with pytest.raises(RulesInvalid) as caught:
        formatted("number x =\n")
    assert [p.line for p in caught.value.problems] == [1]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# only this", "# only this\n"),
        ("number  x( a,b )=a*( b+1 )-  -2", "number x(a, b) = a * (b + 1) - -2\n"),
        ("number x = 1     ref  ABC-MOV-1,ABC-MOV-2", "number x = 1  ref ABC-MOV-1, ABC-MOV-2\n"),
        ("number x = 1\n  + 1 if y\n  - n if z", "number x = 1\n    +1 if y\n    -n if z\n"),
        ("trait X\n  reach   -1   when y   # why", "trait X\n    reach -1 when y  # why\n"),
        (
            "roll r(u) by u : pool 3 of d6 4 + against pool 2 of d( u.n )",
            "roll r(u) by u: pool 3 of d6 4+ against pool 2 of d(u.n)\n",
        ),
        ("words a: b\nwords c: d\n\n\n\nwords e: f", "words a: b\nwords c: d\n\nwords e: f\n"),
        ("number a = 1\n    +1\nnumber b = 2", "number a = 1\n    +1\n\nnumber b = 2\n"),
        ("words a: b\n# of c\nnumber c = 1\n    +1", "words a: b\n\n# of c\nnumber c = 1\n    +1\n"),
        ("# top\n\n\n# of a\nwords a: b", "# top\n\n# of a\nwords a: b\n"),
        (
            "procedure p\n  if x :\n     stop\n\n\n  # then\n  else : pass\n  # last\n# next\nwords a: b",
            "procedure p\n    if x\n        stop\n\n    # then\n    else: pass\n    # last\n\n"
            "# next\nwords a: b\n",
        ),
        (
            "number x = max(1, # one\n 2,\n # two\n 3)",
            "number x = max(1,  # one\n        2,\n        # two\n        3)\n",
        ),
        ("trait X\n  on hit : stop  travel", "trait X\n    on hit: stop travel\n"),
        ("spell X\n  level :-3,fast", "spell X\n    level: -3, fast\n"),
        (
            "procedure p\n    at end of the unit 's next turn : stop",
            "procedure p\n    at end of the unit's next turn: stop\n",
        ),
    ],
)  # fmt: skip
def test_layout(written: str, canonical: str) -> None:
    assert formatted(written) == canonical


def test_a_one_line_body_that_is_too_long_gets_a_line_of_its_own() -> None:
    condition = " and ".join(f"unit.condition_{n}" for n in range(5))
    text = f"procedure p(unit)\n    if {condition}: reach(unit, 12345678)\n    else: stop\n"
    assert (
        formatted(text)
        == f"procedure p(unit)\n    if {condition}\n        reach(unit, 12345678)\n    else: stop\n"
    )
    assert len(text.split("\n")[1]) > WIDTH
    laws(text)


def test_no_line_is_longer_than_120_characters() -> None:
    many = [f"condition_{n}(unit)" for n in range(20)]
    names = ", ".join(f"a_name_{n}" for n in range(30))
    told = " ".join(f"word {{unit.n{n}}}" for n in range(20))
    text = (
        f"# {'much to say ' * 15}\n"
        f"flag x(unit) = {' and '.join(many)}  ref A-1, A-2  # {'and why ' * 5}\n"
        f"    yes if {' and '.join(many)} because \"{told}\"\n\n"
        f"words w: {names}\n\n"
        f'procedure p(unit)\n    say "{told}"\n'
        f"    harm(unit, lower_of({', '.join(many)}), higher_of({', '.join(many)}))\n"
    )
    laid = formatted(text)
    assert max(map(len, laid.split("\n"))) <= MOST
    assert parse(laid, "t.rules") == (parse(text, "t.rules")[0], [])
    assert formatted(laid) == laid
    assert " ".join(comments(laid)).replace("# ", "").split() == " ".join(comments(text)).replace("# ", "").split()


def test_a_line_is_broken_where_the_fewest_brackets_are_open() -> None:
    inner = ", ".join(f"argument_{n}" for n in range(6))
    laid = formatted(f"flag x(unit) = reaches({inner}) and misses({inner})  ref A-1\n")
    assert laid == f"flag x(unit) = reaches({inner})\n        and misses({inner})  ref A-1\n"
