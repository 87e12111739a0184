"""What an army list says that models and options cost is what is paid, or the check says that it is not."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

LIST = """kind: list
id: hired
name: Hired orcs
units:
  - {profile: orc_mob, size: {min: 5, max: 20}, ROW options: [{id: banner, name: Banner, points: 20, flat: true}]}
"""
ARMY = """kind: army
id: hirelings
name: Hirelings
list: hired
limit: 600
units:
  - {id: a, profile: orc_mob, size: 10, options: [banner]}
  - {id: b, profile: orc_mob, size: 10}
  - {id: c, profile: orc_mob, size: 10}
"""


def run(*args: object, code: int = 0) -> str:
    from warhost.cli import program

    result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "cache"))
    (tmp_path / "hired/armies").mkdir(parents=True)
    (tmp_path / "hired/armies/hirelings.yaml").write_text(ARMY)
    return tmp_path / "hired"


def in_list(house: Path, row: str) -> dict[str, object]:
    (house / "armies/list_hired.yaml").write_text(LIST.replace("ROW", row))
    (told,) = json.loads(run("army", "list", "small_fantasy", "hired", "--house", house, "--json"))["units"]
    return {"each": told["points"], "options": [one["points"] for one in told["options"]]}


def paid(house: Path) -> int:
    said = json.loads(run("army", "check", "small_fantasy:hirelings", "--house", house, "--json"))
    return int(said["points"])


def test_the_price_of_a_row_and_of_its_option_is_paid_though_the_ruleset_has_prices(house: Path) -> None:
    assert in_list(house, "points: 13,") == {"each": 13, "options": [20]}
    assert paid(house) == 30 * 13 + 20
    assert "points for" not in run("check", "small_fantasy", "--house", house)


def test_without_it_an_option_costs_what_the_ruleset_makes_of_it_and_the_check_says_so(house: Path) -> None:
    listed = in_list(house, "")
    assert listed["options"] == [0]
    assert paid(house) == 30 * int(str(listed["each"]))
    said = run("check", "small_fantasy", "--house", house)
    assert "list_hired.yaml:5:" in said
    assert "warning: Banner is listed at 20 points for " in said
    assert " of 5 models, but 0 are paid" in said


NEWTS = """kind: list
id: newts
name: Newts
units:
  - profile: dwarves_axemen
    size: {min: 5, max: 30}
    options:
      - {id: shortbow, name: Shortbow, points: 8, traits: [Shortbow]}
      - {id: iron, name: Iron, points: 3, traits: [Disciplined]}
"""


def test_an_option_that_the_ruleset_cannot_price_is_told_and_hides_no_other(house: Path) -> None:
    (house / "armies/hirelings.yaml").unlink()
    (house / "armies/list_newts.yaml").write_text(NEWTS)
    said = run("check", "arcana", "--house", house, code=1)
    assert "list_newts.yaml:8:" in said
    assert "Shortbow has no price for Axemen, so nobody can take it: the table " in said
    assert "warning: Iron is listed at 15 points for Axemen of 5 models" in said
    assert "Iron" in run("army", "list", "arcana", "newts", "--house", house)


def test_a_row_without_a_price_in_a_ruleset_without_prices_is_told(tmp_path: Path) -> None:
    game = tmp_path / "ford"
    shutil.copytree(Path(__file__).parents[1] / "corpus" / "ford", game)
    rows = game / "armies/townsfolk.yaml"
    rows.write_text(rows.read_text().replace("max: 20}, points: 2}", "max: 20}}"))
    said = run("check", game)
    assert "townsfolk.yaml:7:" in said
    assert "warning: Militia costs nothing: its row has no price, and other rows of the list have one" in said
