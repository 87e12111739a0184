"""What each name in the rules means where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.lang.parser import parse
from warhost.packs import load, read
from warhost.packs.project import Project
from warhost_lsp.meanings import Meanings, Thing, Use, understand

REPOSITORY = Path(__file__).resolve().parents[2]


def meanings_of(folder: Path, more: str = "") -> tuple[Meanings, list[tuple[str, Use]]]:
    """The uses in the files of a ruleset, each with the line that it stands in."""
    if more:
        (folder / "rules").mkdir(exist_ok=True)
        (folder / "rules" / "more.rules").write_text(more, encoding="utf-8")
    project = Project(folder)
    project.problems()
    rules = project.ruleset
    assert rules is not None
    found = understand(rules.placed, rules.vocabulary, rules)
    uses = []
    for file in project.files().values():
        if file.kind == "rules" and file.parsed.module is not None:
            lines = file.text.split("\n")
            uses += [(lines[use.pos.line - 1], use) for use in found.uses(file.parsed.module, file.text)]
    return found, uses


def meant(uses: list[tuple[str, Use]], line: str) -> dict[str, Thing | None]:
    """What the names mean in a line that has this text in it; a name that means two things there has the last."""
    found = {use.name: use.thing for text, use in uses if line in text}
    assert found, line
    return found


RULES = """\
words mood: calm, wild
state of unit
    temper: mood = calm
    grudge: unit or none = none
number boldness(unit) = unit.size + 1
flag angry(unit) = unit.temper is wild
value rival(unit): unit or none = unit.grudge
rule "Wild ones"
    boldness +2 when unit is angry and unit.temper is wild
procedure stir(unit, other: unit)
    loud = boldness(unit)
    if loud > 2 and unit.grudge is not none and unit.grudge.temper is calm
        unit.temper = wild
    for each enemy unit where boldness(it) > loud as foe
        foe.grudge = other
    emit stirred(unit)
event stirred(unit)
after stirred(who) when angry(who)
    stir(who, who)
"""


def test_names_mean_what_the_checker_makes_of_them(hill: Path) -> None:
    _, uses = meanings_of(hill, RULES)
    assert meant(uses, "boldness +2")["boldness"] == Thing("number", "boldness")
    assert meant(uses, "boldness +2")["angry"] == Thing("flag", "angry")
    assert meant(uses, "boldness +2")["wild"] == Thing("word", "wild", "mood")
    assert meant(uses, "boldness +2")["temper"] == Thing("field", "temper", "unit")
    assert meant(uses, "temper: mood")["mood"] == Thing("words", "mood")
    stirring = meant(uses, "if loud")
    assert (stirring["loud"] or ())[0] == "local"
    assert stirring["grudge"] == Thing("field", "grudge", "unit")
    assert stirring["calm"] == Thing("word", "calm", "mood")
    assert meant(uses, "foe.grudge = other")["foe"] == meant(uses, "as foe")["foe"]
    assert meant(uses, "emit stirred")["stirred"] == Thing("event", "stirred")
    assert meant(uses, "stir(who, who)")["stir"] == Thing("procedure", "stir")
    assert meant(uses, "stir(who, who)")["who"] == meant(uses, "after stirred(who)")["who"]


def test_each_thing_is_declared_where_it_is_defined(hill: Path) -> None:
    _, uses = meanings_of(hill, RULES)
    declared = {use.thing: line for line, use in uses if use.declares and use.thing is not None}
    assert declared[Thing("number", "boldness")].startswith("number boldness")
    assert declared[Thing("field", "temper", "unit")].strip() == "temper: mood = calm"
    assert declared[Thing("word", "wild", "mood")].startswith("words mood")
    assert declared[Thing("definition", "Wild ones", "rule")].startswith("rule")


def test_types_are_those_of_the_checker(hill: Path) -> None:
    _, uses = meanings_of(hill, RULES)
    types = {use.name: str(use.type) for line, use in uses if "if loud" in line}
    assert types["loud"] == "number"
    assert types["temper"] == "mood"
    # `grudge is not none` was asked before
    assert types["grudge"] == "unit"


def test_rules_with_mistakes_in_them_are_understood_as_far_as_they_go(hill: Path) -> None:
    _, uses = meanings_of(hill, RULES + "number wrong(unit) = boldness(unit) + nonsense(unit)\n")
    assert meant(uses, "number wrong")["boldness"] == Thing("number", "boldness")
    assert meant(uses, "number wrong")["nonsense"] is None


def test_a_block_that_is_being_written_is_understood_by_itself(hill: Path) -> None:
    found, _ = meanings_of(hill, RULES)
    written, problems = parse("procedure stir(unit, other: unit)\n    loud = here_ + other.here_\n", "x.rules")
    assert not problems
    seen = found.inside(written.blocks[0])
    assert {"unit", "other"} <= set(seen["x.rules", 2, 12].names)
    assert str(seen["x.rules", 2, 26].of) == "unit"


@pytest.mark.parametrize("ruleset", ["destiny", "small_fantasy"])
def test_every_name_of_a_ruleset_stands_where_it_is_said_to_stand(ruleset: str) -> None:
    rules, _ = read(ruleset)
    assert rules is not None
    meanings = understand(rules.placed, rules.vocabulary, rules)
    counted = 0
    for path in sorted((REPOSITORY / "rulesets" / ruleset).rglob("*.rules")):
        text = path.read_text(encoding="utf-8")
        module, _ = parse(text, str(path))
        lines = text.split("\n")
        for use in meanings.uses(module, text):
            pos = use.pos
            assert lines[pos.line - 1][pos.column - 1 : pos.end_column - 1] == use.name, use
            counted += 1
    assert counted > 1000


def test_the_program_behind_it_is_that_of_the_rules() -> None:
    rules = load("destiny")
    again = understand(rules.placed, rules.vocabulary, rules).program
    assert set(again.templates) == set(rules.program.templates)
    assert set(again.procedures) == set(rules.program.procedures)
