"""`warhost fmt --upgrade`: a ruleset that was written for 0.1.0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from warhost.cli import program
from warhost.lang.parser import parse
from warhost_format.upgrade import declared_fields, notes_on_data, upgrade_rules

SPELL = """\
spell "Cold Hand"
    college: Chaos, level: 1, range: 12
    targets enemy units within 12 of caster
    before hurt(unit, n) when this.definition.college is "Chaos"
        say "{this.definition.discipline} at work"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('spell "A"\n    college: Chaos', 'spell "A"\n    school: Chaos'),
        ('spell "A"\n    level: 1, discipline: Base', 'spell "A"\n    level: 1, school: Base'),
        ('spell A\n    while in force\n        college: Chaos', 'spell A\n    while in force\n        school: Chaos'),
        ('amend spell "A"\n    college: Chaos', 'amend spell "A"\n    school: Chaos'),
        ('replace spell "A"\n    college: Chaos', 'replace spell "A"\n    school: Chaos'),
        ('house rule "H"\n    spell A\n        college: Chaos', 'house rule "H"\n    spell A\n        school: Chaos'),
        ('trait T\n    college: Chaos', 'trait T\n    college: Chaos'),
        ('item "I" 5 points\n    kind: weapon', 'item "I" 5 points\n    class: weapon'),
        ("flag f(i: item) = i.kind is i.bearer.kind", "flag f(i: item) = i.kind is i.bearer.kind"),
        ("flag f(s: spell) = s.college is s.discipline", "flag f(s: spell) = s.school is s.school"),
        ('procedure p(s: spell)\n    say "of {s.college}"', 'procedure p(s: spell)\n    say "of {s.school}"'),
        ('procedure p(s: spell)\n    say "the college"', 'procedure p(s: spell)\n    say "the college"'),
    ],
)  # fmt: skip
def test_names_of_today(old: str, new: str) -> None:
    done = upgrade_rules(old + "\n", "t.rules")
    assert done.text == new + "\n"
    assert (done.wrong, done.notes) == ((), ())
    assert upgrade_rules(done.text, "t.rules") == done


def test_everything_else_stays_as_it_was() -> None:
    done = upgrade_rules(SPELL, "t.rules")
    assert parse(done.text, "t.rules")[1] == []
    assert done.text == SPELL.replace("college", "school").replace("discipline", "school")


def test_a_field_of_the_ruleset_keeps_its_name() -> None:
    own = "state of unit\n    college: text = \"none\"\nflag learned(unit) = unit.college is not \"none\"\n"
    assert declared_fields(own) == {"college"}
    assert upgrade_rules(own, "t.rules", frozenset({"college"})).text == own


def test_two_fields_that_are_one_now_are_told() -> None:
    done = upgrade_rules('spell "A"\n    college: Chaos\n    discipline: Base\n', "t.rules")
    assert [(p.line, p.column, p.message) for p in done.wrong] == [
        (3, 5, '"college" and "discipline" are one field now: school')
    ]
    assert "school: .." in str(done.wrong[0].hint)
    assert "college: Chaos" in done.text


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('trait T\n    after hurt(unit, n)\n        fighting(unit) +1 until used\n', 3, "until used"),
        ("roll hit(unit) by unit: d6 >= 4\n    windows unit\n", 2, "windows"),
        ("before rolling(throw)\n    stop\n", 1, "rolling"),
        ("after rerolling(throw)\n    stop\n", 1, "rerolling"),
    ],
)
def test_what_did_nothing_is_told(text: str, line: int, said: str) -> None:
    done = upgrade_rules(text, "t.rules")
    assert done.text == text
    assert [(p.line, said in p.message, "0.1.0" in p.message, bool(p.hint)) for p in done.notes] == [
        (line, True, True, True)
    ]


def test_no_among_values_is_told() -> None:
    data = 'profiles:\n  a:\n    traits: [Horde, "Endless Horde(5, no)", "Strong(2)"]\n    all: ["not worthy(a, no)"]\n'
    (note,) = notes_on_data(data, "d.yaml")
    assert (note.file, note.line) == ("d.yaml", 3)
    assert "Endless Horde(5, no)" in note.message


def test_an_option_may_be_a_text_under_a_head_that_ends_with_one() -> None:
    """As in 0.1.0; everywhere else a text that stands deeper goes on with the one above."""
    text = """\
procedure p(unit)
    choose by unit says "What now?"
        "Stand & shoot" when unit.size > 2
            stop
"""
    module, problems = parse(text, "t.rules")
    assert problems == []
    assert module.blocks[0].body[0].options[0].label.text == "Stand & shoot"  # type: ignore[union-attr]


# -- the command -----------------------------------------------------------------------------------

MANIFEST = "id: old_game\nedition: '1'\ntitle: Old\nlength_unit: cm\nplugins: [warhost_magic, warhost_psychology]\n"
RULES = """\
turn
    phase fight
        pass
spell "Cold Hand"
    college: Chaos
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "old_game"
    (made / "rules").mkdir(parents=True)
    (made / "ruleset.yaml").write_text(MANIFEST)
    (made / "rules" / "all.rules").write_text(RULES)
    return made


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(program, ["fmt", "--upgrade", *arguments])
    return done.exit_code, done.output


def test_a_ruleset_is_rewritten_and_then_in_order(folder: Path) -> None:
    code, said = run(str(folder))
    assert (code, "school: Chaos" in (folder / "rules" / "all.rules").read_text()) == (0, True), said
    assert run(str(folder))[0] == 0


def test_check_changes_nothing(folder: Path) -> None:
    code, said = run("--check", str(folder))
    assert code == 1
    assert "would change" in said
    assert (folder / "rules" / "all.rules").read_text() == RULES


def test_what_is_left_is_told_line_by_line(folder: Path) -> None:
    (folder / "rules" / "more.rules").write_text('trait Calm\n    nerve +1\n\ncondition Dazed\n    colour: red\n')
    (folder / "examples").mkdir()
    (folder / "examples" / "own.rules").write_text("trait Odd\n")
    code, said = run("--json", str(folder))
    told = json.loads(said)
    assert code == 1
    assert sorted((Path(e["file"]).name, e["line"]) for e in told["errors"]) == [("more.rules", 2), ("more.rules", 5)]
    assert [Path(n["file"]).name for n in told["notes"]] == ["own.rules"]


def test_standard_input_is_no_ruleset() -> None:
    assert run("-")[0] == 2
