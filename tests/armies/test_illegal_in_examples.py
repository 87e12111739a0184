"""`illegal` in the examples of a ruleset: the reasons against the armies of the sides."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.game import write
from warhost.packs import load
from warhost_proof.examples import run_examples

EXAMPLE = """\
- title: Who may come
  given:
    sides:
      - name: A
        list: gang
        limit: 20
        units: [{id: a, profile: lout, size: 9}, {id: b, profile: boss}, {id: c, profile: boss}]
  when: a.cost
  then: {result: 18, illegal: ILLEGAL}
"""
SIZE, BOSS, POINTS = "allows at most 8. Take away 1", "this one has 2", "costs 26 points"


@pytest.mark.parametrize(
    ("illegal", "failures"),
    [
        (f'["{SIZE}", "{BOSS}", "{POINTS}"]', []),
        (f'["{SIZE}", "{BOSS}"]', ["an army is illegal: The army costs 26 points"]),
        (f'["{SIZE}", "{BOSS}", "{POINTS}", "too loud"]', ['no army is illegal for "too loud"; the reasons are: ']),
    ],
)
def test_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, illegal: str, failures: list[str]) -> None:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    game = write(tmp_path / "tavern")
    (game / "examples" / "hitting.yaml").write_text(EXAMPLE.replace("ILLEGAL", illegal))
    (result,) = run_examples(load(game))
    assert len(result.failures) == len(failures)
    assert all(got.startswith(wanted) for got, wanted in zip(result.failures, failures, strict=True))
