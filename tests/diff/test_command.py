"""`warhost diff` at the terminal."""

from __future__ import annotations

import json

from tests.diff.conftest import Run


def test_in_plain_text(run: Run) -> None:
    said = run("diff", "tavern@2", "tavern@3").output
    assert said.startswith("From tavern@2 to tavern@3\n")
    assert "Tired fists is gone  [tavern@3, " in said
    assert "    - +1 when unit.standing > 5 (many hands)\n    + +2 when unit.standing > 6 (many hands)\n" in said
    assert "  Slow as Mud is the new name of Thick" in said
    assert "  Louts and The Boss change" in said
    assert "    settings: turns: 3 -> 5" in said
    assert "  The Blues (blues): 22 points -> 28 points" in said
    assert said.index("The turn") < said.index("Rules") < said.index("Traits") < said.index("Units")


def test_with_one_ruleset_without_and_with_the_house_rule(run: Run) -> None:
    said = run("diff", "tavern@2", "--house", "no_louts").output
    assert "From tavern@2 to tavern@2 with No louts" in said
    assert "No louts: Louts stay at home." in said
    assert "The Reds (reds): 16 points, becomes illegal:\n    Louts stay at home." in said
    back = run("diff", "tavern@2", "tavern@2", "--house-a", "no_louts").output
    assert "no louts is gone" in back
    assert "The Reds (reds): 16 points, legal now" in back


def test_as_release_notes(run: Run) -> None:
    said = run("diff", "tavern@2", "tavern@3", "--format", "md").output
    assert said.startswith("# Tavern brawl, third edition: what changes\n")
    assert "\n## Units\n" in said
    assert "- **Smiths** changes. (tavern@3, `" in said
    assert "  - grit: 3 -> 4\n" in said
    assert "  ```diff\n  - +1 when unit.standing > 5 (many hands)\n" in said
    assert "- The Blues (blues): 22 points -> 28 points" in said


def test_as_json(run: Run) -> None:
    found = json.loads(run("diff", "tavern@2", "tavern@3", "--json", "--odds", "--fights", "2").stdout)
    assert (found["a"]["edition"], found["b"]["edition"], found["same"]) == ("2", "3", False)
    assert len(found["b"]["digest"]) == 64
    (punch,) = (one for one in found["changes"] if one["name"] == "punch")
    assert set(punch) == {
        "section", "kind", "name", "title", "what", "was", "also", "reads", "book", "lines", "by",
    }  # fmt: skip
    assert found["odds"][0]["compared"] == 2
    assert found["armies"][0]["after"] == {"points": 28, "legal": True, "reasons": []}


def test_exit_codes(run: Run) -> None:
    assert "Nothing differs in play." in run("diff", "tavern@2", "tavern@2").output
    assert "or a house rule" in run("diff", "tavern@2", code=2).output
    run("diff", "tavern@2", "taverne", code=2)
    run("diff", "tavern@2", "--house", "nowhere", code=2)
    with open("bad.rules", "w", encoding="utf-8") as file:
        file.write('house rule "Bad" for tavern\n    remove trait Nobody\n')
    assert "bad.rules:2:5" in run("diff", "tavern@2", "--house", "bad.rules", code=1).output


def test_chances_say_how_many_were_compared(run: Run) -> None:
    said = run("diff", "tavern@2", "tavern@3", "--odds", "--fights", "3").output
    assert "A brawl: 3 fights compared; " in said
    assert "by more than 5 points in a hundred." in said


def test_explain_tells_before_and_after(run: Run) -> None:
    said = run("explain", "tavern@3", "punch").stdout
    assert "before and after, in tavern@3" in said
    assert "    - +1 when unit.standing > 5 (many hands)\n    + +2 when unit.standing > 6 (many hands)\n" in said
    assert "    grit: 3 -> 4\n" in run("explain", "tavern@3", "smith").stdout
    assert "before and after" not in run("explain", "tavern@2", "punch").stdout
    with_house = run("explain", "tavern@2", "last_orders", "--house", "short_night").stdout
    assert "before and after, with short_night" in with_house
    assert "-   if battle.turn >= scenario.turns" in with_house
    assert "before and after" not in run("explain", "tavern@2", "brawl", "--house", "no_louts").stdout
