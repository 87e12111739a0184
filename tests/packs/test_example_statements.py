"""Examples: their statements and conditions are judged without playing them; and told at each look."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.packs import read
from warhost.packs.project import Project

EXAMPLE = """\
- title: Whoever has marched far is worn
  given:
    sides:
      - {name: Reds, units: [{id: pikes, profile: pike, size: 5, state: {lost: 3}}]}
      - {name: Blues, units: [{id: others, profile: pike, size: 5}]}
  when: |
    march(pikes)
    pikes.lost += 1
    result strength(pikes)
  then:
    pikes: {lost: 4}
    all:
      - may_march(others)
      - pikes.lost == 4
"""


@pytest.fixture
def with_example(hill: Path) -> Path:
    (hill / "examples").mkdir(exist_ok=True)
    _write(hill, EXAMPLE)
    assert read(hill)[1] == []
    return hill


def _write(ruleset: Path, text: str) -> None:
    (ruleset / "examples" / "marching.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("right", "wrong", "line", "hint"),
    [
        ("    march(pikes)", "    mrach(pikes)", 7, 'did you mean "march"?'),
        ("march(pikes)", "march(pikse)", 7, 'did you mean "pikes"?'),
        ("pikes.lost += 1", "pikes.lots += 1", 8, 'did you mean "lost"?'),
        ("pikes.lost += 1", "pikes.lost += yes", 8, None),
        ("result strength(pikes)", "result strenght(pikes)", 9, 'did you mean "strength"?'),
        ("result strength(pikes)", "result strength(pikes, 3)", 9, None),
        ("may_march(others)", "may_mrach(others)", 13, 'did you mean "may_march"?'),
        ("pikes.lost == 4", "pikes.lost = 4", 14, None),
    ],
)
def test_a_mistake_is_told_at_its_line(with_example: Path, right: str, wrong: str, line: int, hint: str | None) -> None:
    assert right in EXAMPLE
    _write(with_example, EXAMPLE.replace(right, wrong, 1))
    for _ in range(3):  # the first look may leave something in the cache
        problems = read(with_example)[1]
        assert [(p.line, p.file.rpartition("/")[2]) for p in problems] == [(line, "marching.yaml")]
        if hint is not None:
            assert problems[0].hint == hint


def test_rules_beside_the_examples_are_known_and_missed(with_example: Path) -> None:
    _write(with_example, EXAMPLE.replace("march(pikes)", "march_twice(pikes)"))
    assert len(read(with_example)[1]) == 1
    helpers = with_example / "examples" / "helpers.rules"
    helpers.write_text("procedure march_twice(unit)\n    march(unit)\n    march(unit)\n", encoding="utf-8")
    assert read(with_example)[1] == []
    helpers.unlink()
    assert len(read(with_example)[1]) == 1


def test_what_is_being_written_is_judged_at_every_change(with_example: Path) -> None:
    project = Project(with_example)
    assert project.problems() == []
    file = next((with_example / "rules").glob("*.rules"))
    text = file.read_text(encoding="utf-8")
    project.change(file, text + "\n# a remark\n")
    assert project.problems() == []
    project.change(file, text.replace("number strength(", "number power("))
    assert any("strength" in p.message for p in project.problems())


def test_a_text_that_is_only_read_adds_nothing_to_the_rules(with_example: Path) -> None:
    before = read(with_example)[0]
    _write(with_example, EXAMPLE.replace("    pikes.lost += 1\n", "    strength(unit: pikes) +1 until end of turn\n"))
    after, problems = read(with_example)
    assert problems == []
    assert list(after.program.templates) == list(before.program.templates)
