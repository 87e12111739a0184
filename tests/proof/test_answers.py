"""Answers of examples for which nobody asks."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import warhost
from warhost_proof.examples import run_examples

FORD = Path(__file__).parents[1] / "corpus" / "ford"
EXAMPLE = """
- title: Strikes
  given:
    sides:
      - {{name: Reds, units: [{{id: guards, profile: guards, size: 3}}]}}
      - {{name: Blues, units: [{{id: mob, profile: militia, size: 5}}, {{id: rest, profile: militia, size: 5}}]}}
  when: fight(guards)
  choices: {{target: {answers}}}
  dice: [5, 6, 1, 4, 6, 5, 9]
  then: {{mob: {{figures: 3}}}}
"""


@pytest.mark.parametrize(
    ("answers", "left"), [("mob", None), ("[mob]", None), ("[mob, rest]", "rest"), ("[mob, rest, mob]", "rest, mob")]
)
def test_answers_left_over_are_a_failure(tmp_path: Path, answers: str, left: str | None) -> None:
    shutil.copytree(FORD, tmp_path / "ford")
    (tmp_path / "ford" / "examples" / "strikes.yaml").write_text(EXAMPLE.format(answers=answers), encoding="utf-8")
    (result,) = run_examples(warhost.load(tmp_path / "ford"), "Strikes")
    wanted = () if left is None else (f"answers in `choices` that nobody asked for are left: target: {left}",)
    assert result.failures == wanted
