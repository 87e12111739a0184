"""The parser: what the samples mean (golden trees), what authors hear, and that nothing can break it.

Golden trees are written anew with `WARHOST_GOLDEN=1 pytest tests/lang/test_parser.py`: read the
difference before you believe it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counting import calls
from warhost.errors import Problem
from warhost.lang import lexer, tree
from warhost.lang.building import FORMS
from warhost.lang.parser import parse, parse_expression
from warhost.lang.tables import GRAMMAR, build, tables

HERE = Path(__file__).parent
SAMPLES = sorted((HERE / "samples").glob("*.rules"))
GOLDEN = HERE / "golden"


# -- a compact dump of trees -----------------------------------------------------------------------


def dump(value: object, indent: int = 0) -> str:
    """One line for what is short, else a line for each field; expressions in full brackets."""
    short = brief(value)
    if len(short) + indent <= 110 or not isinstance(value, tree.Node | tuple):
        return short
    inner = " " * (indent + 2)
    if isinstance(value, tuple):
        return "".join(f"\n{inner}{dump(v, indent + 2)}" for v in value)
    lines = [type(value).__name__]
    lines += [f"{inner}{name}: {dump(v, indent + 2)}" for name, v in told(value)]
    return "\n".join(lines)


def told(node: tree.Node) -> list[tuple[str, object]]:
    """The fields that differ from their default."""
    return [
        (f.name, getattr(node, f.name))
        for f in fields(node)
        if f.name != "pos" and (f.default is MISSING or getattr(node, f.name) != f.default)
    ]


def brief(value: object) -> str:
    match value:
        case tree.Name(name):
            return name
        case tree.Num(number):
            return str(number)
        case tree.YesNo(truth):
            return "yes" if truth else "no"
        case tree.Nothing():
            return "none"
        case tree.Attribute(of, name):
            return f"{brief(of)}.{name}"
        case tree.Binary(op, left, right) | tree.Compare(op, left, right):
            return f"({brief(left)} {op} {brief(right)})"
        case tree.Unary(op, operand):
            return f"({op} {brief(operand)})"
        case tree.Logic(op, operands):
            return "(" + f" {op} ".join(brief(o) for o in operands) + ")"
        case tree.Call(name, args):
            return f"{name}({', '.join(brief(a) for a in args)})"
        case tree.Argument(argument, name):
            return f"{name}: {brief(argument)}" if name else brief(argument)
        case tree.Dice(sides, count):
            return f"{brief(count) if count else ''}d[{brief(sides)}]"
        case tree.Word(text, quoted):
            return f"'{text}'" if quoted else f"`{text}"
        case tree.Node():
            inside = ", ".join(f"{name}={brief(v)}" for name, v in told(value))
            return f"{type(value).__name__}({inside})"
        case tuple():
            return "[" + ", ".join(brief(v) for v in value) + "]"
        case Fraction():
            return str(value)
    return repr(value)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_samples_mean_what_their_golden_trees_say(sample: Path) -> None:
    module, problems = parse(sample.read_text(encoding="utf-8"), sample.name)
    assert [p.render() for p in problems] == []
    text = "".join(f"{block.pos.line}: {dump(block)}\n" for block in module.blocks)
    golden = GOLDEN / f"{sample.stem}.tree"
    if os.environ.get("WARHOST_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


# -- the grammar -----------------------------------------------------------------------------------


def test_the_grammar_has_no_conflict_and_no_colliding_terminals() -> None:
    built = build(GRAMMAR.read_text(encoding="utf-8"), strict=True)
    assert len(built["states"]) > 1000
    assert all(size for _, size, *_ in built["productions"]), (
        "the parser counts on forms that are never empty"
    )


def test_every_form_of_the_grammar_is_declared() -> None:
    needed = {p.name for p in tables().productions if p.name and not p.alone}
    assert sorted(needed - FORMS.keys()) == []


def test_the_lexer_knows_every_reserved_word() -> None:
    words = lexer.vocabulary()
    known = {*words.always, *words.at_start, *words.at_block, *words.before_text}
    single = {text for text in tables().literals if text[0].isalpha() and " " not in text}
    assert single == known


def test_damaged_tables_are_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import platformdirs

    from warhost.lang import tables as module

    monkeypatch.setattr(platformdirs, "user_cache_dir", lambda *_: str(tmp_path))
    module.tables.cache_clear()
    first = module.tables()
    (kept,) = tmp_path.glob("grammar-*.json")
    whole = kept.read_bytes()
    for damage in (b"", whole[: len(whole) // 2], whole[:-2] + b"x}", b"\xff\xfe", b"0\n{}"):
        kept.write_bytes(damage)
        module.tables.cache_clear()
        assert module.tables().states == first.states
        assert kept.read_bytes() == whole
    module.tables.cache_clear()


# -- mistakes --------------------------------------------------------------------------------------

MISTAKES = {
    "misspelt block": "prcedure move(unit)\n    dice = 4\n",
    "unknown thing at the margin": "number x = 1\nx = 3\n",
    "nothing after plus": "number x(unit) = unit.size +\n",
    "no equals sign": "number x(unit) unit.size\n",
    "misspelt when": "number x(unit) = 3\n    +1 wen unit.big\n",
    "sum in a modifier": "trait Big\n    reach -n - 1 when unit is bearer\n",
    "one equals sign too few": "procedure p(unit)\n    if unit.size = 3\n        stop\n",
    "body not indented": "procedure p(unit)\nx = 3\n",
    "reserved word as a parameter": "procedure p(by)\n    x = 1\n",
    "reserved word as a value": "trait X\n    reach +1 if if\n",
    "no if on a yes line": "flag f(x) = x > 3\n    yes x < 2\n",
    "no colon after the roller": "roll r(x) by x d6 >= 4\n",
    "nothing to compare with": "roll r(x) by x: d6 >=\n",
    "nobody chooses": "procedure p(x)\n    choose y from units\n",
    "nothing to choose from": "procedure p(x)\n    choose y units by x\n",
    "bracket left open": "number x = (1 + 2\n",
    "bracket too many": "number x = 1 + 2)\n",
    "curly quotes": "number x = “a”\n",
    "number with a unit": "number x = 3cm\n",
    "tab": "number x = 1\n\t+1 if y\n",
    "crooked indentation": "number x = 1\n        +1 if y\n    +2 if z\n",
    "indented too much": "number x = 1\n    +1 if y\n        +1 if z\n",
    "open text": 'procedure p(x)\n    say "hello\n',
    "starts indented": "    number x = 3\n",
    "misspelt run of words": "event e(x)\n    may be canceled\n",
    "misspelt order": "turn\n    phase x, alternatin units\n",
    "misspelt plural": "noun unit, plurl units\n",
    "else without if": "procedure p(x)\n    else\n        stop\n",
    "no colon after a field": "state of unit\n    lost number = 0\n",
    "calculating with a quantity": "number x = number of units + 1\n",
    "id in small letters": "number x = 1 ref sfb-1\n",
    "semicolon": "procedure p(x)\n    x = 1;\n",
    "then": "procedure p(x)\n    if x > 3 then stop\n",
    "constraint without a message": "constraint c(x)\n    require x > 3\n",
    "mistake inside a text": 'procedure p(x)\n    say "a {x +} b"\n',
    "open brace": 'procedure p(x)\n    say "a {x b"\n',
    "one form of a count": 'procedure p(x)\n    say "{x|wound}"\n',
    "empty braces": 'procedure p(x)\n    say "a {} b"\n',
    "a lone bracket in braces": 'procedure p(x)\n    say "{(}"\n',
    "not points": 'item "X" 140 pts\n',
    "change without a number": "trait X\n    +1 if x\n",
    "give without a thing": "procedure p(x)\n    give to x\n",
    "a handler with a rating": "on y(z)\n    rated 1\n    stop\n",
    "nobody reacts": "reaction X to y(z)\n    stop\n",
    "said twice": 'number x = 1\n    +1 because "x" because "y"\n',
    "house rule without quotes": "house rule Spears for a_game\n    remove trait X\n",
    "phase without actors": "turn\n    phase x, mover first\n",
    "roll without dice": "roll r(x) by x:\n    natural 1 fails\n",
    "assigning to a call": "procedure p(x)\n    f(x) = 3\n",
    "statement at the margin": "stop\n",
    "number instead of a name": "number 3 = 4\n",
    "title without quotes": "trait Long Name\n",
    "asks nobody": "event e(x)\n    asks\n",
    "distance in a condition": "procedure p(x)\n    if unit within 6 of other: stop\n",
    "in a condition": "procedure p(x)\n    if unit is not in combat\n        stop\n",
    "while as a loop": "procedure p(x)\n    while x > 3\n        stop\n",
    "misspelt else": "procedure p(x)\n    if x\n        stop\n    els\n        stop\n",
    "misspelt until": "procedure p(x)\n    give Fear to unit untill end of turn\n",
    "no argument list": 'phrase "go {unit}" means go\n',
    "line after the last": 'constraint c(x)\n    require x\n    otherwise "No."\n    stop\n',
    "a reason without quotes": "number x = 3\n    +1 because hop\n",
    "a title of two words without quotes": "procedure p(unit)\n    cast(unit, Lead Feet, unit)\n",
    "a sentence where steps are": "procedure p(unit)\n    stop\n    reads \"It stops.\"\n",
    "words that belong together": "procedure p(unit)\n    foreach unit\n        stop\n",
    "the second of two words": "procedure p(unit)\n    for eahc unit\n        stop\n",
    "the first of two words": "rule X\n    insted of moved(unit)\n        stop\n",
    "a misspelt block with right lines": "procedrue p(a: unit)\n    period_begins(\"turn\")\n",
    "two blocks of a house rule": 'house rule "X" for y\n    numebr x(unit) = 3\n    flag y = = no\n    flag z = no\n',
    "a block of a house rule that is none": 'house rule "X" for y\n    profil of unit\n        x: number = 3\n',
    "steps missing in a house rule": 'house rule "X" for y\n    procedure b(unit)\n        if x\n    number c = 2\n',
    "two mistakes, two blocks": "number x =\nnumber y = 3\nnumber z = = 3\n",
}


def test_mistakes_are_explained_in_plain_words() -> None:
    told = []
    for title, text in MISTAKES.items():
        problems = parse(text, "t.rules")[1]
        assert problems, title
        told.append(f"== {title}\n" + "\n".join(p.render() for p in problems) + "\n")
    golden = GOLDEN / "mistakes.txt"
    if os.environ.get("WARHOST_GOLDEN"):
        golden.write_text("\n".join(told), encoding="utf-8")
    assert "\n".join(told) == golden.read_text(encoding="utf-8")


def test_messages_do_not_speak_of_terminals() -> None:
    text = (GOLDEN / "mistakes.txt").read_text(encoding="utf-8")
    messages = [line for line in text.splitlines() if ": " in line and "|" not in line]
    assert not [m for m in messages if re.search(r"\b[A-Z]{3,}(?![-A-Z]*-)", m)]


def test_all_mistakes_of_a_file_are_reported_with_their_lines() -> None:
    text = "# first\nnumber a = \n\nnumber b = 2\n\nflag c() = yes\n    maybe if x\n\nnumber d = )\n"
    module, problems = parse(text, "t.rules")
    assert [p.line for p in problems] == [2, 7, 9]
    assert [b.name for b in module.blocks if isinstance(b, tree.NumberBlock)] == ["b"]


# -- what files may look like ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffnumber x = 1\n    +1 if y\n",
        "number x = 1\r\n    +1 if y\r\n",
        "number x = 1\r    +1 if y",
        "number x = 1   \n    +1 if y   \n   \n",
        "number\u00a0x = 1\n\u00a0\u00a0\u00a0\u00a0+1 if y",
        "number x = 1 # why\n# between\n    +1 if y\n# after",
        "number x = (\n1\n    )\n    +1 if y\n".replace("\n1", "\n  1"),
    ],
)
def test_line_ends_blanks_and_comments_change_nothing(text: str) -> None:
    module, problems = parse(text, "t.rules")
    assert not problems
    assert module == parse("number x = 1\n    +1 if y\n", "t.rules")[0]


def test_a_word_that_can_only_be_a_name_is_a_name() -> None:
    module, problems = parse(
        "spell X\n    turn: 1, range: 2, if: 3, by: none\n    on cast\n"
        "        x = this.turn + this.by + this.of\n"
        "        turn = value + number + flag + phase\n        value -1\n",
        "t.rules",
    )
    assert not problems
    block = module.blocks[0]
    assert isinstance(block, tree.KindBlock)
    assert [i.name for i in block.items if isinstance(i, tree.KindField)] == ["turn", "range", "if", "by"]


def test_words_joined_by_letters_stay_whole() -> None:
    expression, problems = parse_expression("once_per + orc + d6x + notable + x2")
    assert not problems
    assert {n.name for n in tree.walk(expression or tree.Nothing()) if isinstance(n, tree.Name)} == {
        "once_per", "orc", "d6x", "notable", "x2",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("a or b and not c == d + e * -f.g", "(a or (b and (not (c == (d + (e * (- f.g)))))))"),
        ("1 - 2 - 3", "((1 - 2) - 3)"),
        ("a / b * c", "((a / b) * c)"),
        ("1/2", "(1 / 2)"),
        ("not x sees y", "(not Infix(subject=x, relation='sees', object=y))"),
        ("bearer rolls d6 + 1 >= 5", "(Rolls(roller=bearer, formula=(d[6] + 1)) >= 5)"),
        ("40% of x + 1", "(Percent(value=40, of=x) + 1)"),
        ("3d(x + 1)", "3d[(x + 1)]"),
        ("2.5", "5/2"),
        (
            "any unit where it.a == 1 and b",
            "(Quantified(kind='any', over=Phrase(words=[`unit], where=[(it.a == 1)])) and b)",
        ),
    ],
)  # fmt: skip
def test_precedence(text: str, meaning: str) -> None:
    expression, problems = parse_expression(text)
    assert not problems
    assert brief(expression) == meaning


def test_places_are_exact() -> None:
    module, _ = parse("# head\nnumber x(unit) = unit.size\n    +abc when y.z > 3\n", "t.rules")
    places = {brief(n): n.pos for n in tree.walk(module)}
    assert str(places["unit"]) == "t.rules:2:18"
    assert (places["(y.z > 3)"].line, places["(y.z > 3)"].column, places["(y.z > 3)"].end_column) == (
        3,
        15,
        22,
    )


def test_places_inside_texts_are_exact() -> None:
    problems = parse('procedure p(x)\n    say "abc {x + }"\n', "t.rules")[1]
    assert [(p.line, p.column) for p in problems] == [(2, 18)]


GOING_ON = [
    ("number x(unit) = a\n    and b\n    or c\n", "number x(unit) = a and b or c\n"),
    ('number x = 1\n        ref A-1\n        ref A-2\n    +1 when y\n        and z  because "w"\n            "v"\n',
     'number x = 1  ref A-1, A-2\n    +1 when y and z because "w v"\n'),
    (
        "flag x(unit) =\n        any units\n        where (it.a)\n    yes if b\n",
        "flag x(unit) = any units where (it.a)\n    yes if b\n",
    ),
    ("words w: a,\n    b,  # the last\n    # of all\n    c\n", "words w: a, b, c\n"),
    (
        'procedure p(x)\n    say "one {x}"\n        "two"\n        " three"\n',
        'procedure p(x)\n    say "one {x} two  three"\n',
    ),
    (
        "roll r(u) by u\n    against v: pool 3 of d6 4+\n    natural 1 fails\n",
        "roll r(u) by u against v: pool 3 of d6 4+\n    natural 1 fails\n",
    ),
    (
        'procedure p(x)\n    choose y from units by x\n        usually none\n        says "Whom?"\n',
        'procedure p(x)\n    choose y from units by x usually none says "Whom?"\n',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("broken", "whole"), GOING_ON)
def test_a_line_goes_on_in_the_next(broken: str, whole: str) -> None:
    assert parse(broken, "t.rules") == parse(whole, "t.rules")
    assert not parse(whole, "t.rules")[1]


def test_a_line_goes_on_only_where_it_stands_deeper() -> None:
    for text in ("number x = a\nand b\n", "procedure p(x)\n    stop\n    and x\n", 'on e(x)\n    say "a"\n    "b"\n'):
        assert [p.code for p in parse(text, "t.rules")[1]] == ["syntax"], text


def test_places_are_exact_in_every_part_of_a_text() -> None:
    problems = parse('procedure p(x)\n    say "abc"\n        "d {x + }"\n', "t.rules")[1]
    assert [(p.line, p.column) for p in problems] == [(3, 16)]


# -- limits ----------------------------------------------------------------------------------------


CHAINS: list[Callable[[int], str]] = [
    lambda n: "not\n " * n + "x",
    lambda n: "1" + " +\n 1" * n,
    lambda n: "-\n " * n + "1",
    lambda n: "x" + ".\n y" * n,
    lambda n: "(" * n + "1" + ")" * n,
    lambda n: "f(" * n + "1" + ")" * n,
    lambda n: "x" + " or\n x" * n,
    lambda n: "f(" + "1,\n " * n + "1)",
    lambda n: '"a' + '"\n "b' * n + '"',
]


@pytest.mark.parametrize("chain", CHAINS)
def test_long_chains_are_refused_or_parsed_but_never_break_anything(chain: Callable[[int], str]) -> None:
    module, problems = parse(f"number x = ({chain(9000)})\n", "t.rules")
    assert problems or list(tree.walk(module))


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain_four_times_as_long_is_four_times_the_work(chain: Callable[[int], str]) -> None:
    short, long = (calls(lambda n=n: parse(f"number x = ({chain(n)})\n", "t.rules")) for n in (600, 2400))
    assert long <= 4.5 * short


def test_limits_are_problems() -> None:
    def codes(text: str) -> list[str]:
        return [p.code for p in parse(text, "t.rules")[1]]

    assert codes("number x = " + "1" * 2001 + "\n") == ["too-large"]
    assert codes("#" * 2_000_001) == ["too-large"]
    assert codes("words x: a\n" + "# c\n" * 10) == []
    assert codes("procedure p(x)\n" + "    f(1, 2, 3, 4, 5, 6, 7)\n" * 2000) == ["too-large"]
    assert codes("procedure p\n" + "".join(" " * n + "if x\n" for n in range(1, 40))) == ["too-deep"]
    assert codes("number x = " + "(" * 65 + "1" + ")" * 65) == ["too-deep"]
    assert codes("number x = " + "(" * 64 + "1" + ")" * 64) == []


# -- nothing can break it --------------------------------------------------------------------------

WORDS = sorted(
    {*" ".join(tables().literals).split(), "x", "unit", "it", "3", "d6", "2d6", '"t"', '"{x}"', "4+", "x2"}
)
SIGNS = [
    "(",
    ")",
    ".",
    ",",
    ":",
    "=",
    "+",
    "-",
    "*",
    "\n",
    "\n    ",
    "\n        ",
    "ref ABC-MOV-1",
    "# c",
    "\t",
    "ä",
    '"',
    "{",
]
ALL_TEXT = "\n".join(sample.read_text(encoding="utf-8") for sample in SAMPLES)
LINES = ALL_TEXT.split("\n")


def check(text: str) -> list[Problem]:
    module, problems = parse(text, "t.rules")
    assert isinstance(module, tree.Module)
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert 0 <= problem.line <= len(lines)
        assert problem.message
        assert problem.render()
    return problems


fuzz = settings(max_examples=150)


@fuzz
@given(
    st.lists(st.sampled_from([*WORDS, *SIGNS, *SIGNS]), max_size=60),
    st.sampled_from(sorted(lexer.vocabulary().at_block)),
)
def test_soups_of_words_never_raise(words: list[str], first: str) -> None:
    check(f"{first} " + " ".join(words))


@fuzz
@given(st.text(max_size=200))
def test_any_text_never_raises(text: str) -> None:
    check(text)


@st.composite
def mutations(draw: st.DrawFn) -> str:
    """A stretch of the samples with a few words dropped, doubled or exchanged."""
    at = draw(st.integers(0, len(LINES) - 1))
    pieces = re.findall(r"\s+|\w+|.", "\n".join(LINES[at : at + draw(st.integers(1, 30))]))
    for _ in range(draw(st.integers(1, 4))):
        if pieces:
            place = draw(st.integers(0, len(pieces) - 1))
            change = draw(st.sampled_from(["drop", "double", "swap", "word"]))
            new = {"drop": "", "double": pieces[place] * 2, "swap": draw(st.sampled_from(pieces))}
            pieces[place] = new[change] if change in new else draw(st.sampled_from([*WORDS, *SIGNS]))
    return "".join(pieces)


@fuzz
@given(mutations())
def test_mutations_of_the_samples_never_raise(text: str) -> None:
    check(text)


def test_a_file_three_times_as_long_is_three_times_the_work() -> None:
    once, thrice = (calls(lambda n=n: parse("\n".join([ALL_TEXT] * n), "t.rules")) for n in (1, 3))
    assert thrice <= 3.1 * once
    assert once <= 20 * len(ALL_TEXT)


def test_a_definition_may_have_a_sentence_and_nothing_else() -> None:
    module, problems = parse('trait Proud\n    reads "Never kneels."\n\ntrait Meek\n', "t.rules")
    assert not problems
    assert [len(block.items) for block in module.blocks] == [0, 0]
