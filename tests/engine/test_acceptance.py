"""What the tool promises its authors: small house rules that do a lot, and every mistake in one go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from engine.skirmishes import skirmish
from warhost.packs import load, read
from warhost_battles.players import UsualPlayer

WINTER = """\
house rule "Winter war" for small_fantasy
    amend weapon Spear
        close_combat_skill +1 when attacker is bearer and target is monstrous because "kept at a distance"
    trait Frostborn
        reads "They walk on frozen marshes."
        terrain_share set to 1 when mover is bearer and terrain.type is marsh because "the marsh is frozen"
    phase snow "Snow falls" after opening
        if (dice rolls d6) >= 2
            say "Snow drives into every face."
            shooting_skill -1 until end of turn because "snow"
"""

ICE_ELVES = """\
profiles:
  ice_elf_spears: {name: Ice elf spearmen, extends: elf_spears, close_combat: 4, traits: [Frostborn]}
"""


def winter(folder: Path) -> Path:
    folder.mkdir()
    (folder / "winter.rules").write_text(WINTER)
    (folder / "winter.yaml").write_text(ICE_ELVES)
    return folder


def test_a_few_lines_change_a_weapon_and_add_a_trait_a_race_and_a_phase(tmp_path: Path) -> None:
    rules = load("small_fantasy", [winter(tmp_path / "winter")])
    assert rules.profiles["ice_elf_spears"].fields["close_combat"] == 4
    records: list[dict[str, Any]] = []
    for seed in range(4):
        battle = skirmish(rules, seed, [UsualPlayer(), UsualPlayer()], trace=True)
        battle.run()
        records += battle.log
    assert "Snow falls" in [r.get("title") for r in records]
    assert any(r.get("text") == "Snow drives into every face." for r in records)
    because = {c["because"] for r in records for why in r.get("why", ()) for c in why["changes"]}
    assert "snow" in because


def test_explain_names_the_house_rule(tmp_path: Path) -> None:
    folder = winter(tmp_path / "winter")
    command = [sys.executable, "-m", "warhost", "explain", "small_fantasy", "Spear", "--house", str(folder)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "kept at a distance" in told
    assert "winter.rules:3" in told
    assert "amended by winter" in told


BROKEN_RULES = """\
words race_name: elf, dwarf
profile of unit
    race: race_nme
    skill: number
    armour: number = yes
state of unit
    lost: number = 0
number skill_of(attacker: unit) = attacker.skil
    +1 if attacker.lost
    -n - 1
number twice(unit) = skil_of(unit) * 2
number thrown(unit) = unit rolls d6
flag ready(unit) = unit.lost
roll to_hit(unit) by unit: d6 <= unit.skill + "2"
procedure strike(unit, target: unit)
    unit.skill = 3
    target.loss += 1
    hits = how many of 3 pass to_hitt(unit)
    result hits + missing
    emit struck(unit)
prcedure march(unit)
    stop
trait Brave
    skill_of +1 when attacker is bearr
    colour: red
turn
    phase fight: strike_all
"""

BROKEN_DATA = """\
profiles:
  guard: {name: Guard, race: elv, skill: many, armur: 3}
  guard: {name: Guard again, race: elf, skill: 3}
  lost: {name: Lost, extends: nobody, race: elf, skill: 3}
  bold: {name: Bold, race: elf, skill: 3, traits: [Braev]}
"""

MANIFEST = """\
id: broken
title: A ruleset with many mistakes
edition: "1"
length_unit: cm
plugins: [warhost_psychology]
demo: {scenario: nowhere, armies: [a, b]}
"""


def test_twenty_mistakes_are_reported_in_one_run_each_at_its_line(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    (folder / "data").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(MANIFEST)
    (folder / "broken.rules").write_text(BROKEN_RULES)
    (folder / "data" / "profiles.yaml").write_text(BROKEN_DATA)
    _, problems = read(folder)
    assert all(p.line > 0 and p.source is not None for p in problems)
    places = {(Path(p.file).name, p.line) for p in problems}
    in_data = {line for name, line in places if name == "profiles.yaml"}
    assert in_data >= {3, 4, 5}
    assert ("ruleset.yaml", 6) in places
    in_rules = {line for name, line in places if name == "broken.rules"}
    assert in_rules >= {3, 5, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 25, 27}
    assert len(problems) >= 18


def test_twenty_mistakes_of_meaning_are_reported_in_one_run(tmp_path: Path) -> None:
    """The same rules without what does not even parse: now the checker sees them, and the data against them."""
    folder = tmp_path / "broken"
    (folder / "data").mkdir(parents=True)
    (folder / "ruleset.yaml").write_text(MANIFEST)
    rules = BROKEN_RULES.replace("    -n - 1\n", "    +lots\n").replace("prcedure", "procedure")
    (folder / "broken.rules").write_text(rules)
    data = BROKEN_DATA.replace("  guard: {name: Guard again", "  other: {name: Other")
    (folder / "data" / "profiles.yaml").write_text(data)
    _, problems = read(folder)
    in_rules = {p.line for p in problems if p.file.endswith("broken.rules")}
    assert in_rules >= {3, 5, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 24, 25, 27}
    in_data = {p.line for p in problems if p.file.endswith("profiles.yaml")}
    assert in_data >= {2, 4, 5}
    assert len(problems) >= 20
    hints = [p.hint or "" for p in problems]
    for near in ("race_name", "skill", "skill_of", "lost", "to_hit", "bearer", "strike", "armour", "Brave"):
        assert any(f'"{near}"' in hint for hint in hints), near
