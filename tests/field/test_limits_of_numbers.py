"""What the open table can do nothing with: a number that comes to it in play stops the battle by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

import warhost
from warhost_proof.examples import run_examples

EXAMPLE = """
- title: "Somewhere"
  given:
    board: {terrain: []}
    sides:
      - {name: A, units: [{id: mob, profile: orc_mob, size: 6, at: [20, 30], facing: 90}]}
      - {name: B, units: [{id: other, profile: orc_mob, size: 6, at: [20, 60], facing: 90}]}
  when: distance(mob, other) > 1
  then: {result: yes}
"""


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("base_depth set to as_distance(unit.figures - 6)", "base_depth of Orc warriors 1 is 0"),
        ("points_in_front set to 0 - unit.figures", "points_in_front of Orc warriors 1 is -6"),
        ("base_depth set to as_distance(unit.figures)", None),
    ],
)
def test_a_number_beyond_its_limits_is_named(tmp_path: Path, line: str, says: str | None) -> None:
    rule = f'house rule "Odd" for small_fantasy\n    rule "Odd bodies"\n        {line}\n'
    (tmp_path / "odd.rules").write_text(rule, encoding="utf-8")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "somewhere.yaml").write_text(EXAMPLE, encoding="utf-8")
    (result,) = run_examples(warhost.load("small_fantasy", house=[str(tmp_path)]), "somewhere")
    assert result.passed is (says is None)
    assert says is None or any(says in failure and "must be" in failure for failure in result.failures)
