"""A small game for the tests of the command: dice, no board, two armies that fight it out in a moment."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "ruleset.yaml": """\
id: tavern
title: Tavern brawl
edition: "2"
summary: Two gangs, one table.
book: {title: Tavern brawl, note: Nobody was hurt.}
length_unit: in
plugins: [warhost_psychology]
house_rules:
  short_night: {title: A short night, file: house/short_night.rules, reads: The brawl ends after two turns.}
  no_louts: {title: No louts, file: house/no_louts.rules, reads: Louts stay at home.}
demo: {scenario: taproom, armies: [blues, reds]}
odds:
  brawl:
    title: A brawl
    sets_up: face_off
    round: trade_blows
    over: is_over
    outcome: who_won
    losses: down
    worth_lost: worth_down
    settings: {mood: merry, tired: 0}
  ambush:
    title: A bottle from behind
    sets_up: wait_in_the_dark
    round: first_blow
    over: always_over
    outcome: who_won
    losses: down
    worth_lost: worth_down
""",
    "turn.rules": 'turn  ref T-1\n    phase brawl "The brawl": brawl\n    phase closing "Last orders": last_orders\n',
    "rules/brawl.rules": """\
# The brawl.
profile of unit  ref T-2
    trade: text = ""
    grit: number
    reach: distance = 0
    loud: yes_no = no

profile of scenario
    turns: number = 4

state of unit
    standing: number = it.size at least 0

noun foe is a unit

number punch(unit) = unit.grit  ref T-3
    +1 when unit.standing > 5 because "many hands"

rule "Tired fists"  ref T-4
    reads "Late in the night everybody hits at one less."
    punch -1 when battle.turn >= 3 because "tired"

flag may_hit(unit) = unit.standing >= 1  ref T-3
roll hits(unit, foe) by unit against foe: d6 <= punch(unit)  ref T-3

event struck(unit, foe, n)
    says "{unit} struck {foe}: {n} went down."

procedure brawl()  ref T-3
    for each unit where may_hit(it)
        strike(unit)

procedure strike(unit)  ref T-3
    choose foe from units where (it.side is not unit.side and may_hit(it))
            by unit rated 0 - it.standing says "Whom will {unit} punch?"
    if foe is none
        stop
    landed = how many of unit.standing pass hits(unit, foe)
    foe.standing -= landed
    emit struck(unit, foe, landed)

procedure last_orders()  ref T-5
    if not any units where (it.side is side_a and may_hit(it))
        end_battle(side_b, "nobody else was left standing")
        stop
    if battle.turn >= scenario.turns
        end_battle(none, "the watch came")

number points(unit) = unit.size * unit.grit  ref T-6

words ending: attacker_wins, defender_wins, both_hold
words temper: merry, angry

procedure face_off(attacker: unit, defender: unit, mood: temper, tired: number)
    if mood is angry
        attacker.standing = attacker.size
    attacker.standing -= tired

procedure wait_in_the_dark(attacker: unit, defender: unit, bottles: number)
    defender.standing -= bottles

procedure blow(unit, foe)
    landed = how many of unit.standing pass hits(unit, foe)
    foe.standing -= landed
    emit struck(unit, foe, landed)

procedure trade_blows(attacker: unit, defender: unit)
    blow(attacker, defender)
    blow(defender, attacker)

procedure first_blow(attacker: unit, defender: unit)
    blow(attacker, defender)

flag is_over(attacker: unit, defender: unit) = attacker.standing == 0 or defender.standing == 0
flag always_over(attacker: unit, defender: unit) = yes

value who_won(attacker: unit, defender: unit): ending = both_hold
    set to defender_wins when attacker.standing == 0
    set to attacker_wins when defender.standing == 0

number down(unit) = unit.size - unit.standing
number worth_down(unit) = down(unit) * unit.grit

constraint one_boss(army)  ref T-6
    require (number of Boss units in army) <= 1
    otherwise "A gang has one boss; this one has {number of Boss units in army}. Demote the others."
""",
    "traits.rules": """\
trait Boss  ref T-6
    reads "Hits at one more."
    punch +1 when unit is bearer because "the boss"

trait Thick(n)  ref T-6
    reads "Hits at {n} less."
    punch -n when unit is bearer because "slow"
""",
    "data/profiles.yaml": """\
profiles:
  body: {abstract: true, grit: 2, ref: T-2}
  lout: {name: Louts, extends: body, trade: idle}
  smith: {name: Smiths, extends: body, grit: 3, trade: iron, reach: 2, traits: [Thick(2)]}
  boss: {name: The Boss, extends: body, grit: 4, loud: true, traits: [Boss]}
tables:
  ale: {ref: T-1, by: [guest], rows: {lout: 3, smith: 1}}
""",
    "armies/gang.yaml": """\
kind: list
id: gang
name: The gang
ref: T-6
units:
  - profile: lout
    size: {min: 3, max: 8}
    limit: {min: 1, max: 2}
    options: [{id: banner, name: Banner, limit: {max: 1}, reads: Somebody carries a rag.}]
  - {profile: smith, size: {min: 2, max: 6}}
  - {profile: boss, size: {min: 1, max: 1}}
""",
    "armies/reds.yaml": """\
kind: army
id: reds
name: The Reds
list: gang
limit: 60
units:
  - {id: red_louts, name: Red louts, profile: lout, size: 6, options: [banner]}
  - {id: red_boss, name: Big Nell, profile: boss, size: 1}
""",
    "armies/blues.yaml": """\
kind: army
id: blues
name: The Blues
list: gang
limit: 60
units:
  - {id: blue_louts, name: Blue louts, profile: lout, size: 5}
  - {id: blue_smiths, name: Blue smiths, profile: smith, size: 4}
""",
    "scenarios/taproom.yaml": "id: taproom\nname: The taproom\nref: T-1\nsettings: {turns: 3}\n",
    "battles/friday.yaml": """\
scenario: taproom
seed: 11
sides:
  - {name: Townsmen, army: armies/reds.yaml, player: random}
  - {army: blues, player: usual}
settings: {turns: 2}
""",
    "rulebook.yaml": """\
- {id: T-1, chapter: The night, title: How a night goes}
- {id: T-2, chapter: The guests, title: What guests are like}
- {id: T-3, chapter: The night, title: Hitting}
- {id: T-4, chapter: The night, title: Tired fists}
- {id: T-5, chapter: The night, title: The end}
- {id: T-6, chapter: The guests, title: Gangs}
- {id: T-7, chapter: The night, title: Chairs, ruled_out: the book names them and gives no rule}
""",
    "examples/hitting.yaml": """\
- title: Louts hit on two
  ref: T-3
  given:
    sides:
      - {name: A, units: [{id: a, profile: lout, size: 3}]}
      - {name: B, units: [{id: b, profile: smith, size: 2}]}
  when: strike(a)
  dice: [1, 2, 3]
  then: {b: {standing: 0}, log contains: 2 went down}
- title: Late at night they hit on one
  ref: [T-4]
  given:
    turn: 3
    sides: [{name: A, units: [{id: a, profile: lout, size: 3}]}]
  when: punch(a)
  then: {result: 1}
""",
    "house/short_night.rules": """\
house rule "A short night" for tavern
    replace procedure last_orders()  ref T-5
        if battle.turn >= 2
            end_battle(none, "the watch came early")
    amend rule "Tired fists"
        punch -1 when battle.turn <= 9 because "a long day"
""",
    "house/no_louts.rules": """\
house rule "No louts" for tavern
    constraint no_louts(army)
        require (number of units in army where it.trade == "idle") == 0
        otherwise "Louts stay at home."
""",
}


def write(folder: Path, changes: dict[str, str] | None = None) -> Path:
    """The game in a folder; changes: other contents by path."""
    for name, text in {**FILES, **(changes or {})}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return folder
