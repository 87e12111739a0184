"""What changed lines make of numbers: before and after for units, with who says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import warhost
from tests.diff.conftest import Run
from warhost_diff.comparing import compare

HIDES = """\
house rule "Hides" for small_fantasy
    rule "Thick hides"
        blow_armour set to 5 when target.size >= 14 because "thick hides"
    rule "Never seen"
        morale_need +9 when unit.size == 77 because "never"
"""


@pytest.fixture
def hides(tmp_path: Path) -> Path:
    path = tmp_path / "hides.rules"
    path.write_text(HIDES, encoding="utf-8")
    return path


def test_a_line_that_sets_shows_the_number_before_and_after(hides: Path) -> None:
    found = compare(warhost.load("small_fantasy"), warhost.load("small_fantasy", [hides]))
    armour, morale = found.values
    assert (armour.name, morale.name) == ("blow_armour", "morale_need")
    assert [(by.layer, by.place) for by in armour.told] == [("hides", "hides.rules:3")]
    (change,) = [one for one in armour.changes if one.before == "3"]
    assert change.after == "5"
    assert any(case.startswith("Orc warriors (") for case in change.cases)
    assert not any("Elf riders" in case for case in change.cases)  # there are eight of them
    assert not morale.changes
    assert morale.tried > 0


def test_it_is_told_as_text_markdown_json_and_in_explanations(run: Run, hides: Path) -> None:
    text = run("diff", "small_fantasy", "--house", hides).stdout
    line = "blow armour set to 5 when target.size >= 14 (thick hides)  [hides, hides.rules:3]"
    assert f"What it comes to\n  blow armour\n    {line}\n    3 -> 5: Orc warriors (A melee)" in text
    assert "as before for the units looked at" in text
    marked = run("diff", "small_fantasy", "--house", hides, "--format", "md").stdout
    assert f"## What it comes to\n\n- **blow armour**\n  - {line}\n  - 3 -> 5: " in marked
    values = json.loads(run("diff", "small_fantasy", "--house", hides, "--json").stdout)["values"]
    assert values[0]["lines"][0]["place"] == "hides.rules:3"
    assert values[0]["changes"][0]["before"] == "3"
    told = run("explain", "small_fantasy", "blow_armour", "--house", hides).stdout
    assert f"blow_armour before and after, with hides\n    {line}\n    3 -> 5: " in told
    rule = json.loads(run("explain", "small_fantasy", "rule", "Thick hides", "--house", hides, "--json").stdout)
    assert rule["values"][0]["name"] == "blow_armour"


def test_without_a_change_nothing_is_set_up(run: Run) -> None:
    assert not compare(warhost.load("small_fantasy"), warhost.load("small_fantasy")).values
    assert "before and after" not in run("explain", "small_fantasy", "blow_armour").stdout


def test_what_a_line_that_is_gone_made_of_a_number_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "open.rules"
    path.write_text('house rule "Open" for small_fantasy\n    remove rule "Fighting in column"\n', encoding="utf-8")
    (found,) = compare(warhost.load("small_fantasy"), warhost.load("small_fantasy", [path])).values
    assert found.name == "figures_in_combat"
    assert found.told[0].what.startswith("no longer: figures_in_combat at most 2 * frontage(unit)")
    assert any("formation column" in case for change in found.changes for case in change.cases)
