"""A ruleset that is being written: after any changes its problems are those of a fresh reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warhost.errors import Problem, UsageError, mistakes
from warhost.lang import incremental
from warhost.lang.ir import Const
from warhost.packs import load
from warhost.packs.project import Project

from .conftest import HILL, Writer

#: Beside the hill: blocks of every sort that speak of each other, of nouns, words and fields.
MORE = {
    **HILL,
    "ruleset.yaml": HILL["ruleset.yaml"] + "plugins: [warhost_psychology]\n",
    "data/units.yaml": HILL["data/units.yaml"].replace("skill: 4}", "skill: 4, traits: [Brave, Steady(2)]}"),
    "rules/more.rules": """\
noun leader, plural leaders is a unit where it is Brave

words mood: calm, angry, wild

state of unit
    mood: mood = calm
    foe: unit or none

number nerve(unit) = strength(unit) + bonus(unit)
    x1/2 when unit.mood is angry
    rounded down

number bonus(unit) = lowest_bonus(unit.mood)

number lowest_bonus(mood) = 1
    +1 when mood is wild

value worst(unit): mood = unit.mood

flag is_calm(unit) = unit.mood is calm and unit.foe is none

roll courage(unit) by unit: d6 >= nerve(unit)

choice victim(unit) by unit: units where it.lost == 0

procedure hold(unit)
    if roll courage(unit)
        result unit
    result none

procedure rally(unit)
    held = hold(unit)
    if held is not none and may_march(held)
        emit held_out(held)
    choose one from victim(unit) by unit or none says "Which of them?"
    unit.foe = one
    choose by unit says "What now?"
        stand: unit.lost = 0
        run: unit.lost += cost(dry, 1)

event held_out(unit)

after held_out(unit) when is_calm(unit)
    unit.mood = calm

after held_out(unit)
    called "anger"
    unit.mood = angry

trait Brave
    reads "never afraid"
    nerve +1 when unit is bearer

trait Steady(n)
    strength +n when unit is bearer and unit.mood is angry
    forbid may_march when unit is bearer and unit.mood is wild

constraint enough(army)
    require number of units in army >= 1
    otherwise "too few"

rule "Nobody alone"
    forbid may_march when nerve(unit) > 9
""",
    "examples/more.yaml": """\
- title: Nerve
  ref: R-1
  given: {sides: [{name: Red, units: [{id: p, profile: pike, state: {mood: angry}}]}]}
  when: nerve(p)
  then: {result: 3, all: ["is_calm(p) or p is Brave", "p.lost == 0"]}
- title: Rallying
  ref: R-2
  given: {sides: [{name: Red, units: [{id: p, profile: pike}]}]}
  when: |
    rally(p)
    strength(unit: p) +1 until end of marching
  dice: [4]
  choices: {rally: stand, victim: none}
  then: {p: {lost: 0, nerve: 3, mood: calm}, log lacks: done}
""",
}

#: Draws one value of a strategy.
Draw = Callable[[st.SearchStrategy[Any]], Any]

WORDS = sorted({word for text in MORE.values() for word in re.findall(r"[A-Za-z_]+", text)})
NEW = [
    "number fresh(unit) = 3\n", "flag fresh(unit) = no\n", "procedure fresh(unit)\n    result wild\n",
    "event fresh(unit)\n", "words fresh: calm, fresh_one\n", "noun fresh, plural freshes is a unit\n",
    "profile of unit\n    fresh: number\n", "state of unit\n    fresh: number = 0\n",
    "trait Fresh\n    reads \"new\"\n", "table fresh by n\n    1: 2\n    otherwise: 3\n", "number brave(unit) = 1\n",
    "value moods(unit): mood = wild\n",
    "trait Brave(n)\n    nerve +n when unit is bearer\n", "phrase \"rally {unit} to {n}\" means rally(unit)\n",
]  # fmt: skip


def parts_of(text: str) -> list[str]:
    """A text, cut where a line begins at the margin: its blocks."""
    return re.split(r"(?m)^(?=\S)", text)


def with_change(now: Mapping[str, str], draw: Draw) -> dict[str, str]:
    """What somebody made of some texts: of a word, a line, a block, or everywhere of a name."""
    name = draw(st.sampled_from(sorted(now)))
    parts = parts_of(now[name])
    at = draw(st.integers(0, len(parts) - 1))
    words = list(re.finditer(r"[A-Za-z_]+", parts[at]))
    match draw(st.sampled_from(["mend", "word", "line", "remove", "add", "copy", "rename", "rename all", "move"])):
        case "mend":
            return {name: MORE[name]}
        case "word" if words:
            word = draw(st.sampled_from(words))
            parts[at] = parts[at][: word.start()] + draw(st.sampled_from(WORDS)) + parts[at][word.end() :]
        case "line":
            lines = parts[at].split("\n")
            del lines[draw(st.integers(0, len(lines) - 1))]
            parts[at] = "\n".join(lines)
        case "remove":
            del parts[at]
        case "add":
            name = draw(st.sampled_from(["rules/units.rules", "rules/more.rules"]))
            parts = [*parts_of(now[name]), draw(st.sampled_from(NEW))]
        case "copy" if len(words) > 1:
            parts.insert(at, parts[at].replace(words[1][0], words[1][0] + draw(st.sampled_from(["s", "_too"])), 1))
        case "rename" if len(words) > 1:
            parts[at] = parts[at].replace(words[1][0], draw(st.sampled_from([words[1][0][:-1] or "x", "other"])), 1)
        case "rename all" if len(words) > 1:
            return {n: re.sub(rf"\b{words[1][0]}\b", f"{words[1][0]}_new", text) for n, text in now.items()}
        case "move":
            parts.insert(draw(st.integers(0, len(parts) - 1)), parts.pop(at))
    return {name: "".join(parts)}


def told(problems: Iterable[Problem]) -> set[tuple[str, int, int, str, str]]:
    return {(Path(p.file).name, p.line, p.column, p.code, p.message) for p in problems}


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_after_any_changes_the_problems_are_those_of_a_fresh_reading(
    write: Writer, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write("more", MORE)
    project = Project(folder)
    assert told(mistakes(project.problems())) == set()
    now = dict(MORE)
    for _ in range(data.draw(st.integers(1, 4))):
        for name, text in with_change(now, data.draw).items():
            now[name] = text
            project.change(folder / name, text)
        here = told(project.problems())
        fresh = Project(folder)
        for name, text in now.items():
            fresh.change(folder / name, text)
        assert here == told(fresh.problems())


def test_what_is_saved_made_and_removed_counts_at_the_next_look(hill: Path) -> None:
    project = Project(hill)
    assert project.problems() == []
    (hill / "rules").mkdir(exist_ok=True)
    new = hill / "rules" / "new.rules"
    new.write_text("number odd(unit) = bravry(unit)\n", encoding="utf-8")
    wrong = project.problems()
    assert {Path(p.file).name for p in wrong} == {"new.rules"}
    new.write_text("number odd(unit) = 3\n", encoding="utf-8")
    assert mistakes(project.problems()) == []
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


def test_a_project_that_is_prepared_looks_only_at_what_changes(hill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(hill)  # now it is known to be in order
    project = Project(hill)
    assert project.problems() == []
    project.prepare()
    monkeypatch.setattr(incremental, "checked", lambda *_: pytest.fail("everything was looked at again"))
    project.prepare()
    project.change(hill / "turn.rules", HILL["turn.rules"] + "\n# one more line\n")
    assert project.problems() == []


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
    assert mistakes(project.problems()) == []
    project.change(new, text.format("4"))
    assert mistakes(project.problems()) == []
    project.change(new, text.format("unit"))
    assert [(p.line, p.code) for p in project.problems()] == [(5, "wrong-type")]
    project.change(new, text.format("unit.sise"))
    assert [(p.line, p.code) for p in project.problems()] == [(2, "unknown-field")]
    project.change(new, text.format("5"))
    assert mistakes(project.problems()) == []


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
    assert mistakes(project.problems()) == []
    project.close(new)
    for _ in range(3):
        assert mistakes(project.problems()) == []
        assert project.ruleset is not None
        base = project.ruleset.program.numbers["share"].base
        assert isinstance(base.value, Const)
        assert base.value.value == 3


def test_a_mistake_in_a_procedure_that_is_first_called_in_a_loop_is_told(hill: Path) -> None:
    new = hill / "rules" / "new.rules"
    text = """\
procedure find(unit)
    found = unit
    for each unit where it.lost > 0
        found = other(unit)
    say "{found}"

procedure other(unit)
    unit.lots += 1
    if unit.lost == 0
        result none
    result unit
"""
    new.parent.mkdir(parents=True, exist_ok=True)
    new.write_text(text, encoding="utf-8")
    assert [(p.line, p.code) for p in Project(hill).problems()] == [(8, "unknown-name")]
