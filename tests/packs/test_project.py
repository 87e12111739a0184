"""A ruleset that is being written: after any changes its problems are those of a fresh reading."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warhost.errors import UsageError
from warhost.lang.ir import Const
from warhost.packs import load, read
from warhost.packs.project import Project

from .conftest import HILL

WORDS = sorted({word for text in HILL.values() for word in text.split() if word.isalpha()})


@st.composite
def changed_texts(draw: st.DrawFn) -> tuple[str, str | None]:
    """A file and what somebody made of it: a word put for another, a line gone, or nothing at all (None: as saved)."""
    name = draw(st.sampled_from(sorted(HILL)))
    if draw(st.booleans()):
        return name, None
    lines = HILL[name].splitlines()
    at = draw(st.integers(0, max(len(lines) - 1, 0)))
    words = lines[at].split(" ") if lines else [""]
    words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
    new = [" ".join(words)] if draw(st.booleans()) else []
    return name, "\n".join([*lines[:at], *new, *lines[at + 1 :]]) + "\n"


@settings(max_examples=40, deadline=None)
@given(changes=st.lists(changed_texts(), min_size=1, max_size=4))
def test_after_any_changes_the_problems_are_those_of_a_fresh_reading(
    hill: Path, changes: list[tuple[str, str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    project = Project(hill)
    assert project.problems() == []
    for name, text in changes:
        if text is None:
            project.close(hill / name)
        else:
            project.change(hill / name, text)
        here = {(Path(p.file).name, p.line, p.code, p.message) for p in project.problems()}
    now = {**HILL, **{name: HILL[name] if text is None else text for name, text in changes}}
    saved = tmp_path_factory.mktemp("saved") / "hill"
    shutil.copytree(hill, saved)
    for name, text in now.items():
        (saved / name).write_text(text, encoding="utf-8")
    assert here == {(Path(p.file).name, p.line, p.code, p.message) for p in read(saved)[1]}


def test_what_is_saved_made_and_removed_counts_at_the_next_look(hill: Path) -> None:
    project = Project(hill)
    assert project.problems() == []
    (hill / "rules").mkdir(exist_ok=True)
    new = hill / "rules" / "new.rules"
    new.write_text("number odd(unit) = bravry(unit)\n", encoding="utf-8")
    wrong = project.problems()
    assert {Path(p.file).name for p in wrong} == {"new.rules"}
    new.write_text("number odd(unit) = 3\n", encoding="utf-8")
    assert project.problems() == []
    assert project.ruleset is not None
    assert project.ruleset.block("number", "odd") is not None
    new.unlink()
    assert project.problems() == []
    assert project.ruleset.block("number", "odd") is None


def test_what_did_not_change_is_not_read_again(hill: Path) -> None:
    project = Project(hill)
    project.problems()
    before = {p.id: p.block for p in project.ruleset.placed} if project.ruleset else {}
    project.change(hill / "turn.rules", HILL["turn.rules"] + "\n# one more line\n")
    project.problems()
    after = {p.id: p.block for p in project.ruleset.placed} if project.ruleset else {}
    assert before.keys() == after.keys()
    changed = {id_ for id_ in before if before[id_] is not after[id_]}
    assert {before[id_].pos.file for id_ in changed} == {before["turn"].pos.file}


def test_data_are_put_together_again_only_when_a_file_of_data_has_changed(hill: Path) -> None:
    project = Project(hill)
    project.problems()
    assert project.ruleset is not None
    before = project.ruleset.profiles
    project.change(hill / "turn.rules", HILL["turn.rules"] + "\n# one more line\n")
    assert project.problems() == []
    assert project.ruleset.profiles is before
    project.change(hill / "data/units.yaml", HILL["data/units.yaml"].replace("skill: 4", "skill: 5"))
    assert project.problems() == []
    assert project.ruleset.profiles["pike"].fields["skill"] == 5
    project.change(hill / "data/units.yaml", HILL["data/units.yaml"].replace("skill: 4", "skill: high"))
    assert [p.code for p in project.problems()] == ["wrong-type"]
    project.change(hill / "turn.rules", HILL["turn.rules"])
    assert [p.code for p in project.problems()] == ["wrong-type"]


def test_what_an_example_takes_from_a_house_rule_is_looked_for_again_when_that_changes(hill: Path) -> None:
    (hill / "examples/giant.yaml").write_text(
        """\
- title: A giant marches
  ref: R-2
  given: {house_rules: [giants], sides: [{name: Red, units: [{id: g, profile: giant}]}]}
  when: march(g)
  then: {g: {lost: 1}}
""",
        encoding="utf-8",
    )
    project = Project(hill)
    for comment in ("one", "two", "three"):
        project.change(hill / "turn.rules", HILL["turn.rules"] + f"\n# {comment}\n")
        assert project.problems() == []
    without = HILL["house/giants.yaml"].replace("giant: {", "ogre: {").replace("profile: giant", "profile: ogre")
    project.change(hill / "house/giants.yaml", without)
    assert [(Path(p.file).name, p.code) for p in project.problems()] == [("giant.yaml", "unknown-profile")]


def test_a_project_leaves_the_disk_alone(hill: Path) -> None:
    before = load(hill)
    project = Project(hill)
    project.change(hill / "turn.rules", "number broken\n")
    assert project.problems()
    assert load(hill).digest == before.digest
    with pytest.raises(UsageError):
        Project(hill / "nowhere").problems()


def test_a_body_that_gives_another_type_is_noticed_by_the_others(hill: Path) -> None:
    new = hill / "rules" / "new.rules"
    new.parent.mkdir(exist_ok=True)
    text = "procedure share(unit)\n    result {}\n\nprocedure both(unit)\n    two = share(unit) + 1\n"
    new.write_text(text.format("3"), encoding="utf-8")
    project = Project(hill)
    assert project.problems() == []
    project.change(new, text.format("4"))
    assert project.problems() == []
    project.change(new, text.format("unit"))
    assert [(p.line, p.code) for p in project.problems()] == [(5, "wrong-type")]
    project.change(new, text.format("unit.sise"))
    assert [(p.line, p.code) for p in project.problems()] == [(2, "unknown-field")]
    project.change(new, text.format("5"))
    assert project.problems() == []


def test_the_program_of_a_changed_ruleset_has_the_new_bodies(hill: Path) -> None:
    new = hill / "rules" / "new.rules"
    new.parent.mkdir(exist_ok=True)
    new.write_text("number share(unit) = 3\n", encoding="utf-8")
    project = Project(hill)
    project.problems()
    project.change(new, "number share(unit) = 4\n")
    project.problems()
    assert project.ruleset is not None
    base = project.ruleset.program.numbers["share"].base
    assert isinstance(base.value, Const)
    assert base.value.value == 4


def test_a_body_that_is_as_saved_again_plays_as_saved_at_every_look(hill: Path) -> None:
    (hill / "rules").mkdir(exist_ok=True)
    new = hill / "rules" / "new.rules"
    new.write_text("number share(unit) = 3\n")
    project = Project(hill)
    project.change(new, "number share(unit) = 4\n")
    assert project.problems() == []
    project.close(new)
    for _ in range(3):
        assert project.problems() == []
        assert project.ruleset is not None
        base = project.ruleset.program.numbers["share"].base
        assert isinstance(base.value, Const)
        assert base.value.value == 3
