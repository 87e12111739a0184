"""Mutants: made and undone without a trace, drawn by seed, noticed by the examples that show the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.errors import RulesInvalid, UsageError
from warhost.packs import load
from warhost_proof.mutants import mutants_of
from warhost_proof.survey import mutate

RULES = """\
profile of unit
    skill: number

state of unit
    tired: yes_no = no

number fighting(attacker: unit, target: unit) = attacker.skill   ref D-1
    -1 when target.skill > attacker.skill because "a better fencer"
    +2 when attacker.tired because "this line has no example"

roll thrust(attacker: unit, target: unit) by attacker against target: d6 <= fighting(attacker, target)   ref D-2
    natural 6 fails

procedure fight(attacker: unit, target: unit)
    if roll thrust(attacker, target)
        target.tired = yes

number nobody_asks(unit) = 7

turn
    phase duel: fight_all

procedure fight_all()
    for each unit
        fight(it, it)
"""

FILES = {
    "ruleset.yaml": "{id: duel, title: A duel, edition: '1', length_unit: in}\n",
    "rules.rules": RULES,
    "rulebook.yaml": "- {id: D-1, chapter: Duels, title: Fencing}\n- {id: D-2, chapter: Duels, title: Thrusts}\n",
    "data/profiles.yaml": "profiles:\n  master: {name: Master, skill: 5}\n  pupil: {name: Pupil, skill: 3}\n",
    "examples/duel.yaml": """\
- title: A pupil thrusts at a master and needs a 2
  ref: [D-1, D-2]
  given:
    sides:
      - {name: One, units: [{id: pupil, profile: pupil}]}
      - {name: Other, units: [{id: master, profile: master}]}
  when: fight(pupil, master)
  dice: [2]
  then:
    master: {tired: yes}
    all: ["fighting(pupil, master) == 2"]
- title: A 3 is too much
  ref: D-2
  given:
    sides:
      - {name: One, units: [{id: pupil, profile: pupil}]}
      - {name: Other, units: [{id: master, profile: master}]}
  when: fight(pupil, master)
  dice: [3]
  then: {master: {tired: no}}
""",
}

MORE = """\
- title: A tired pupil fences better than a fresh one
  ref: D-1
  given:
    sides:
      - {name: One, units: [{id: pupil, profile: pupil, state: {tired: yes}}]}
      - {name: Other, units: [{id: master, profile: master}]}
  when: result fighting(pupil, master)
  then: {result: 4}
"""


@pytest.fixture
def duel(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "duel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "duel"


def line_of(text: str) -> int:
    return next(i for i, line in enumerate(RULES.splitlines(), 1) if text in line)


def test_what_examples_show_is_noticed_and_the_rest_is_not(duel: Path) -> None:
    survey = mutate(load(duel))
    unnoticed = {(v.mutant.line, v.mutant.change) for v in survey.survivors}
    better, tired = line_of("a better fencer"), line_of("no example")
    assert [change for line, change in unnoticed if line == better] == [">= for >"]
    assert {(tired, "sign changed"), (tired, "line left out"), (tired, "3 for 2")} <= unnoticed
    assert (line_of("natural 6"), "natural line left out") in unnoticed
    assert survey.killed + len(survey.survivors) == len(survey.verdicts) == survey.population


def test_a_block_that_nobody_calls_is_told_apart(duel: Path) -> None:
    found = {m.line: m.sort for m in mutants_of(load(duel))}
    assert found[line_of("nobody_asks")] == "unreached"
    assert found[line_of("a better fencer")] == "rules"


def test_samples_and_choices(duel: Path) -> None:
    rules = load(duel)
    one, again = (mutate(rules, sample=5, seed=3) for _ in range(2))
    assert one == again
    assert len(one.verdicts) == 5
    low, high = one.interval
    assert low <= one.share <= high
    assert {v.mutant.refs for v in mutate(rules, rule="D-1").verdicts} == {("D-1",)}
    assert all(v.mutant.sort == "data" for v in mutate(rules, data=True).verdicts)
    with pytest.raises(UsageError, match='did you mean "D-1"'):
        mutate(rules, rule="D-11")


def test_a_change_that_makes_no_difference_can_be_said_so(duel: Path) -> None:
    (duel / "equivalent.yaml").write_text(
        "- file: rules.rules\n  text: natural 6 fails\n  change: natural line left out\n  why: needs stay below 6\n"
    )
    survey = mutate(load(duel))
    assert [why for _, why in survey.equivalent] == ["needs stay below 6"]
    assert not survey.stale
    path = duel / "equivalent.yaml"
    path.write_text(path.read_text().replace("natural 6", "natural 5"))
    assert mutate(load(duel)).stale == (("rules.rules", "natural 5 fails"),)
    (duel / "equivalent.yaml").write_text("- file: rules.rules\n")
    with pytest.raises(RulesInvalid, match='lacks "text"'):
        load(duel)


def test_a_failing_example_is_refused(duel: Path) -> None:
    path = duel / "examples/duel.yaml"
    path.write_text(path.read_text().replace("dice: [2]", "dice: [4]"))
    with pytest.raises(RulesInvalid, match="fails by the rules as they are"):
        mutate(load(duel))


def test_a_new_example_is_tried_on_what_the_others_missed(duel: Path) -> None:
    first = mutate(load(duel))
    (duel / "examples/more.yaml").write_text(MORE)
    second = mutate(load(duel))
    assert {v.mutant.key for v in second.survivors} < {v.mutant.key for v in first.survivors}
    (duel / "examples/more.yaml").unlink()
    assert {v.mutant.key for v in mutate(load(duel)).survivors} == {v.mutant.key for v in first.survivors}
    (duel / "examples/more.yaml").write_text(MORE)
    (duel / "rules.rules").write_text(RULES + "\n# other rules: nothing is remembered\n")
    assert {v.mutant.key for v in mutate(load(duel)).survivors} == {v.mutant.key for v in second.survivors}


def test_workers_agree_with_one_process(duel: Path) -> None:
    rules = load(duel)
    alone = {v.mutant.key: v.noticed_by is None for v in mutate(rules).verdicts}
    (duel / "examples/duel.yaml").write_text(FILES["examples/duel.yaml"] + "\n# another digest\n")
    together = {v.mutant.key: v.noticed_by is None for v in mutate(load(duel), workers=2).verdicts}
    assert alone == together


@pytest.mark.parametrize("name", ["small_fantasy", "legiones"])
def test_every_mutant_can_be_undone(name: str) -> None:
    rules = load(name)

    def written() -> str:
        p = rules.program
        tables = [t.rows for t in p.tables.values()]
        return repr((p.numbers, p.procedures, p.rolls, p.events, p.definitions, p.constraints, p.turn, p.setup, tables))

    mutants = mutants_of(rules, thorough=True)
    before = written()
    assert len({m.key for m in mutants}) == len(mutants)
    changed = 0
    for m in mutants[:: max(len(mutants) // 40, 1)]:
        undo = m.apply()
        changed += written() != before
        undo()
        assert written() == before, m.key
    assert changed >= 20
