"""`warhost diff` at the terminal."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.game import write
from tests.diff.conftest import Run, lay_out


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
    assert "  - `+1 when unit.standing > 5 (many hands)` -> `+2 when unit.standing > 6 (many hands)`\n" in said
    assert "- **Tired fists** is gone. *Late in the night everybody hits at one less.* (tavern@3, `" in said
    assert "```" not in said
    assert "- The Blues (blues): 22 points -> 28 points" in said


LONG = """\
house rule "Long" for tavern
    procedure toast(unit)
        for each unit
            say "{unit} drinks."
        for each unit
            say "{unit} drinks once more, and to the health of the house this time."
    procedure greet(unit)
        say "Good evening."
    procedure leave(unit)
        reads "Whoever has had enough goes home."
        for each unit
            say "{unit} leaves."
    constraint sober(army)
        require (number of units in army) <= 9
        otherwise "Nine are enough."
    rule "Many toasts"
        punch +1 when unit.standing > 5 because "one"
        punch +1 when unit.standing > 6 because "two"
        punch +1 when unit.standing > 7 because "three"
        punch +1 when unit.standing > 8 because "four"
        punch +1 when unit.standing > 9 because "five"
    replace procedure last_orders()
        say "Last orders."
        if battle.turn >= scenario.turns
            say "One."
            say "Two."
            say "Three."
            end_battle(none, "the watch came")
"""


def test_release_notes_tell_long_rules_in_short(run: Run) -> None:
    with open("long.rules", "w", encoding="utf-8") as file:
        file.write(LONG)
    said = run("diff", "tavern@2", "--house", "long.rules", "--format", "md").output
    lines = said.split("\n")
    after = {line: lines[i + 1] for i, line in enumerate(lines[:-1])}

    def below(name: str) -> str:
        return next(beneath for line, beneath in after.items() if line.startswith(f"- **{name}**"))

    assert below("toast") == "  - 4 lines of rules"
    assert below("greet") == '  - `say "Good evening."`'
    assert not below("leave").startswith("  ")
    assert "- **leave** is new. *Whoever has had enough goes home.*" in said
    assert not below("sober").startswith("  ")
    assert below("Many toasts") == "  - `punch +1 when unit.standing > 5 (one)`"
    assert "  - `punch +1 when unit.standing > 8 (four)`\n  - and 1 more\n" in said
    assert '  - new: `say "Last orders."`\n  - and 3 more\n' in said
    assert max(map(len, lines)) < 200
    text = run("diff", "tavern@2", "--house", "long.rules").output
    assert '    +     say "{unit} leaves."' in text  # the whole of it is in the plain text


def test_many_ready_armies_are_told_in_short(run: Run, place: Path) -> None:
    army = "kind: army\nid: {0}\nname: Gang {0}\nlist: gang\nlimit: 60\nunits:\n  - {{profile: lout, size: 6}}\n"
    files = {f"armies/g{n}.yaml": army.format(f"g{n}") for n in range(14)}
    lay_out(write(place / "many"), files)
    said = run("diff", "many", "--house", "no_louts", "--format", "md").output
    assert said.count("becomes illegal:") == 12
    assert "- and 4 more: " in said


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
