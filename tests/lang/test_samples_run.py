"""The design's samples, run with given dice to exact ends. The words that they lean on are in fixture.rules.

Each text is that of tests/lang/samples (brief.rules, hard_*.rules) but for what a comment says.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lang.outsider import FUNCTIONS, Way
from lang.workbench import Unit, battle, check, compute, parsed, program, rolled, run, said, unit
from warhost.engine.battle import Battle
from warhost.errors import RuleFault

HERE = Path(__file__).parent
WORDS = (HERE / "fixture.rules").read_text(encoding="utf-8")

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])


def play(rules: str, red: list[Unit], blue: list[Unit], *, trace: bool, **given: Any) -> Battle:
    return battle(program(rules, FUNCTIONS, above=WORDS), red, blue, trace=trace, **given)


def attack(on: Battle, id: str = "sword", **figures: Any) -> Any:
    return on.create("attack", id, id, **figures)


def left(on: Battle) -> list[int]:
    """Given dice that nobody has thrown."""
    return on.dice.left  # type: ignore[attr-defined, no-any-return]


# -- the brief as it stands ------------------------------------------------------------------------

BRIEF_WORDS = WORDS + (HERE / "brief_words.rules").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["brief", "language_md"])
def test_the_brief_checks_word_for_word(name: str) -> None:
    text = (HERE / "samples" / f"{name}.rules").read_text(encoding="utf-8")
    assert [p.render() for p in check(text, FUNCTIONS, above=BRIEF_WORDS)[1]] == []


def brief(red: list[Unit], blue: list[Unit], *, trace: bool, **given: Any) -> Battle:
    text = (HERE / "samples" / "language_md.rules").read_text(encoding="utf-8")
    return battle(program(text, FUNCTIONS, above=BRIEF_WORDS), red, blue, trace=trace, **given)


@BOTH
def test_overruns_in_the_middle_of_a_move(trace: bool) -> None:
    blue = [unit("v", models=1, x=3), unit("w", models=2, x=5), unit("big", models=5, x=8), unit("z", x=9)]
    on = brief([unit("u", models=6)], blue, trace=trace)
    path = Way(*on.sides[1].units)
    run(on, "move_with_overruns", "u", path, on.sides[1].units)
    assert [on.entity(u).wounds for u in ("u", "v", "w", "big", "z")] == [3, 6, 6, 0, 0]
    assert [on.entity(u).in_combat for u in ("u", "v", "big", "z")] == [True, False, True, False]
    assert on.entity("u").x == 5


@BOTH
def test_the_flail_of_famine(trace: bool) -> None:
    rules = """
procedure slay(model, attack)
    emit killed(model, attack)
"""
    text = (HERE / "samples" / "language_md.rules").read_text(encoding="utf-8")
    made = program(text + rules, FUNCTIONS, above=BRIEF_WORDS)
    red = [unit("u", ("item", "The Flail of Famine"))]
    on = battle(made, red, [unit("v"), unit("w")], trace=trace, dice=[5, 4])
    flail, sword = attack(on, weapon=on.entity("u").effects[0]), attack(on, "sword2", weapon=None)
    for victim, by in (("v", flail), ("w", flail), ("w", sword)):
        run(on, "slay", victim, by)
    assert [on.entity(u).exhaustion for u in "vw"] == [1, 0]
    assert "Flail" in on.entity("u")._titles
    assert left(on) == []


@BOTH
def test_sixty_forty(trace: bool) -> None:
    on = brief([unit("u", level=1), unit("v")], [], trace=trace)
    for u, cost in (("u", 410), ("v", 300)):
        on.entity(u).cost = cost
    (rule,) = on.program.constraints
    record = on.sides[0].army
    for limit, legal in ((1000, False), (1025, True)):
        record.limit = limit
        assert on.code.function(rule.require)(on, record) is legal
    record.limit = 1000
    assert on.code.function(rule.message)(on, record) == (
        "Special troops cost 410; at most 400 may be spent on them."
    )


# -- 1: Arcana's strike ----------------------------------------------------------------------------

STRIKE = """
number melee_skill(attack, attacker, target) = attack.skill
number armour_save(target, attack) = target.armour
    at least 0
roll to_hit(attack, attacker, target) by attacker: d6 <= melee_skill(attack, attacker, target)
roll save(target, attack) by target:               d6 <= armour_save(target, attack)
procedure strike(attacker, attack, target)                       ref AOA-MEL-004
    dice   = number_of_attacks(attacker, attack, target)
    hits   = how many of dice pass to_hit(attack, attacker, target)
    saved  = how many of hits pass save(target, attack)
    inflict hits - saved wounds on target from attack
trait Evasion(n)                                                 ref AOA-TRT-005
    melee_skill   -n when target is bearer   because "evasion" reads "harder to hit by {n}"
trait Strength(n) of attack
    armour_save -n when attack is bearer   because "strength"
trait Fixed of unit
    armour_save at least target.fixed_armour when target is bearer and not attack.magical
procedure bless(attack, n)
    give Strength(n) to attack
"""


@BOTH
def test_a_plain_strike(trace: bool) -> None:
    on = play(STRIKE, [unit("u", attacks_made=5)], [unit("v", armour=2)], trace=trace, dice=[1, 2, 3, 4, 6, 2, 3, 1])
    run(on, "strike", "u", attack(on), "v")
    assert on.entity("v").wounds == 1  # three hit (1, 2, 3), two saved (2, 1)
    assert rolled(on) == [("to_hit", [1, 2, 3, 4, 6], 3), ("save", [2, 3, 1], 2)]


@BOTH
def test_evasion_and_strength(trace: bool) -> None:
    target = unit("v", ("trait", "Evasion", 1), armour=3)
    on = play(STRIKE, [unit("u", attacks_made=4)], [target], trace=trace, dice=[3, 2, 1, 2, 1, 2, 1])
    sword = attack(on)
    run(on, "bless", sword, 2)
    run(on, "strike", "u", sword, "v")
    assert on.entity("v").wounds == 1  # need 2: three hit; armour 3 - 2 = 1: two saved
    assert compute(on, "armour_save", "v", attack(on, "axe")) == 3
    assert left(on) == []


@BOTH
def test_a_fixed_armour_is_a_floor_against_what_is_not_magical(trace: bool) -> None:
    on = play(STRIKE, [unit("u")], [unit("v", ("trait", "Fixed"), armour=1, fixed_armour=4)], trace=trace)
    sword, wand = attack(on), attack(on, "wand", magical=True)
    for weapon in (sword, wand):
        run(on, "bless", weapon, 3)
    assert compute(on, "armour_save", "v", sword) == 4
    assert compute(on, "armour_save", "v", wand) == 0


@BOTH
def test_the_trace_shows_the_strength(trace: bool) -> None:
    on = play(STRIKE, [unit("u")], [unit("v")], trace=trace, dice=[1, 6])
    sword = attack(on)
    run(on, "bless", sword, 2)
    run(on, "strike", "u", sword, "v")
    why = [r.get("why") for r in on.log if r.get("roll") == "save"]
    if trace:
        assert why[0] is not None
        assert [(c["op"], c["value"], c["because"]) for c in why[0][0]["changes"]] == [
            ("floor", 0, ""), ("add", -2, "strength"),
        ]  # fmt: skip
    else:
        assert why == [None]


# -- 44: instead of --------------------------------------------------------------------------------

BREAKS = """
trait Berserk
    instead of breaks(unit, missed_by) when unit is bearer
        lose_wounds(unit, missed_by * ceiling(unit.models / 15))
trait Disciplined                                                                                     ref AOAL-TRT-040
    instead of breaks(unit, missed_by) when unit is bearer
        choose by unit.owner
            hold: lose_wounds(unit, missed_by * ceiling(unit.models / 15))
            run: continue
"""


@BOTH
@pytest.mark.parametrize(
    ("trait", "answer", "expected"),
    [("Berserk", "hold", (6, False)), ("Disciplined", "hold", (6, False)), ("Disciplined", "run", (0, True))],
)
def test_losing_figures_instead_of_breaking(trace: bool, trait: str, answer: str, expected: tuple[int, bool]) -> None:
    on = play(BREAKS, [unit("u", ("trait", trait), models=31), unit("v")], [], trace=trace, answers={"breaks": answer})
    run(on, "break_off", "u", 2)
    run(on, "break_off", "v", 2)
    assert (on.entity("u").wounds, on.entity("u").broken) == expected
    assert on.entity("v").broken


# -- 4, 47: counterspell ---------------------------------------------------------------------------

COUNTER = """
roll counter(wizard, spend, caster, power) by wizard: d6 + spend against d6 + power by caster, ties to caster
reaction Counterspell to casting(spell, caster, power) by an enemy wizard   ref AOA-MAG-009
    when wizard.power >= 1 and (wizard sees caster or wizard sees spell.target)
    choose spend from 1 to wizard.power by wizard usually wizard.power
    wizard.power -= spend
    if roll counter(wizard, spend, caster, power)
        cancel casting
procedure cast_it(spell, caster, power)
    emit casting(spell, caster, power)
        caster.wounds = 0 - power
"""


def curse(on: Battle) -> Any:
    return on.create("spell", "curse", "Curse", target=on.entity("w"))


def wizards(trace: bool, spend: int, dice: list[int], **more: Any) -> Battle:
    blue = [unit("v", level=2, power=3, x=5), unit("far", level=1, power=2, x=90), unit("w", x=1)]
    answers = {"reaction to casting": ["Counterspell", "none"], "spend": spend}
    return play(COUNTER, [unit("u", level=3)], blue, trace=trace, dice=dice, answers=answers, **more)


@BOTH
def test_a_counterspell_spends_power_and_cancels(trace: bool) -> None:
    on = wizards(trace, 2, [5, 3])
    spell = curse(on)
    run(on, "cast_it", spell, "u", 3)
    assert (on.entity("v").power, on.entity("u").wounds) == (1, 0)
    assert [r["kind"] for r in on.log] == ["decision", "reaction", "decision", "roll"]


@BOTH
def test_a_tie_goes_to_the_caster_and_the_window_stays_open(trace: bool) -> None:
    on = wizards(trace, 2, [4, 3])
    spell = curse(on)
    run(on, "cast_it", spell, "u", 3)
    assert (on.entity("v").power, on.entity("u").wounds) == (1, -3)
    assert [r.get("decision") for r in on.log if r["kind"] == "decision"] == [
        "reaction to casting", "spend", "reaction to casting",
    ]  # fmt: skip


@BOTH
def test_who_sees_nothing_is_not_asked(trace: bool) -> None:
    on = wizards(trace, 1, [1, 6])
    on.entity("v").power = 0
    run(on, "cast_it", curse(on), "u", 3)
    assert [r["kind"] for r in on.log] == ["event"]
    target = on.create("spell", "bolt", "Bolt", target=on.entity("far"))
    run(on, "cast_it", target, "u", 3)
    assert on.entity("far").power == 1


# -- 5, 50: Legiones' pools ------------------------------------------------------------------------

POOLS = """
number disadvantage(roller, opponent) = opponent.armour
number success_face(roller, opponent) = 4
    +disadvantage(roller, opponent)    up to 2
roll attack_dice(unit, target) by unit against target: pool unit.strength of d6 >= success_face(unit, target)
    natural 6 counts 2
    each die rerolled at most once
    windows unit, then target
trait Skilled(n)
    may reroll attack_dice faces 1 to n when unit is bearer
trait Unlucky
    may reroll attack_dice faces 4 to 6 when target is bearer
procedure attack_it(unit, target)
    result roll attack_dice(unit, target)
"""


@BOTH
def test_pools_with_criticals_and_disadvantage(trace: bool) -> None:
    for armour, expected in ((0, 4), (1, 3), (2, 2), (3, 2)):
        on = play(POOLS, [unit("u", strength=5)], [unit("v", armour=armour)], trace=trace, dice=[6, 5, 4, 3, 1])
        assert run(on, "attack_it", "u", "v") == expected


@BOTH
def test_skilled_rerolls_each_die_once(trace: bool) -> None:
    skilled = unit("u", ("trait", "Skilled", 2), strength=5)
    on = play(
        POOLS, [skilled], [unit("v", armour=0)], trace=trace, dice=[6, 2, 1, 3, 1, 1, 6, 4],
        answers={"re-roll attack_dice": 3},
    )  # fmt: skip
    assert run(on, "attack_it", "u", "v") == 5
    assert rolled(on) == [("attack_dice", [6, 1, 6, 3, 4], 5)]


@BOTH
def test_windows_say_who_rerolls_first(trace: bool) -> None:
    rules = POOLS.replace("windows unit, then target", "windows target, then unit")
    skilled, unlucky = unit("u", ("trait", "Skilled", 6), strength=2), unit("v", ("trait", "Unlucky"), armour=0)
    for text, order in ((POOLS, ["Red", "Blue"]), (rules, ["Blue", "Red"])):
        on = play(text, [skilled], [unlucky], trace=trace, dice=[5, 1, 5, 6], answers={"re-roll attack_dice": 1})
        run(on, "attack_it", "u", "v")
        sides = [r["side"] for r in on.log if r["kind"] == "decision"]
        assert sides == order


# -- 7: Three Plains' break check ------------------------------------------------------------------

BREAK = """
number fear(unit) = unit.terror
number soldiering_dice(piece) = highest soldiering in pieces where it.side is piece.side
    +1 if piece.commands
    +1 if any friendly "Battle Standard" within 8 of piece
    x2 if piece.models >= 20 and not piece.in_combat
number stress_dice(piece) = floor(piece.life_points_lost_this_turn / 2)
    +highest of fear(enemy) over enemies within 6 of piece as enemy  stacking once per source "fear"
roll break_check(piece) by piece: pool steady(piece) of d6 4+ against pool stress_dice(piece) of d6 4+, ties to piece
number steady(piece) = soldiering_dice(piece)
trait "Battle Standard"
trait Dread
    stress_dice +1 when piece opposes bearer stacking once per source "fear"
procedure check_it(piece)
    result roll break_check(piece)
"""


@BOTH
def test_a_break_check(trace: bool) -> None:
    red = [unit("u", soldiering=3, commands=True), unit("flag", ("trait", "Battle Standard"), x=7)]
    blue = [unit("v", terror=2, x=6), unit("w", terror=3, x=7)]
    on = play(BREAK, red, blue, trace=trace, dice=[4, 1, 1, 2, 3, 6, 2, 4, 6])
    assert compute(on, "soldiering_dice", "u") == 5
    on.put(on.entity("u"), "life_points_lost_this_turn", 5)
    assert compute(on, "stress_dice", "u") == 4
    assert run(on, "check_it", "u") is False  # one success of five dice against three of four
    on = play(BREAK, red, blue, trace=trace, dice=[4, 5, 1, 2, 3, 6, 2])
    assert run(on, "check_it", "u") is True  # two against one of stress 2
    on = play(BREAK, red, blue, trace=trace, dice=[4, 3, 1, 2, 3, 6, 2])
    assert run(on, "check_it", "u") is True  # a tie is the piece's
    on = play(BREAK, red, blue, trace=trace, dice=[4, 3, 1, 2, 3, 6, 5])
    assert run(on, "check_it", "u") is False


@BOTH
def test_twenty_models_out_of_combat_throw_twice_as_many(trace: bool) -> None:
    on = play(BREAK, [unit("u", models=20), unit("x", models=20, in_combat=True)], [], trace=trace)
    assert [compute(on, "soldiering_dice", u) for u in "ux"] == [6, 3]


@BOTH
def test_fear_counts_once_for_each_source(trace: bool) -> None:
    rules = BREAK + """
procedure combat_total(side)
    result total stress_dice(it) over pieces where it.side is side counting "fear" "panic" once per source
procedure plain_total(side)
    result total stress_dice(it) over pieces where it.side is side
"""
    red = [unit("u", x=0), unit("x", x=50)]
    on = play(rules, red, [unit("v", ("trait", "Dread"), ("trait", "Dread"), x=20)], trace=trace)
    assert [compute(on, "stress_dice", u) for u in "ux"] == [1, 1]
    assert run(on, "combat_total", "side_1") == 1
    assert run(on, "plain_total", "side_1") == 2


# -- 60, 65: Destiny -------------------------------------------------------------------------------

DESTINY = """
roll survive(figure, attack) by figure: d10 + attack.destiny_mod                                      ref SKR-STAT-002
    natural 1 is out
    natural 10 is unharmed
    above figure.destiny: unharmed
    equal to figure.destiny: knocked_down
    otherwise: out
procedure hit(figure, attack)
    according to roll survive(figure, attack)
        unharmed: continue
        knocked_down: give "Knocked Down" to figure
        out: emit taken_out(figure, attack)
condition "Knocked Down"
    fight_bonus -2 when figure is bearer
number fight_bonus(figure) = figure.fv
on taken_out(figure, attack)
    destroy(figure)
roll fight(figure, attack, target) by figure: d10 + figure.fv + attack.bonus >= 8                     ref SKR-MEL-010
    natural 1 fails, confirmed by d10 == 1, emits fumbled(figure)
after fumbled(figure)
    figure.weapon_lost = yes
procedure fight_it(figure, attack, target)
    result roll fight(figure, attack, target)
roll disarm(attacker, attack, defender) by attacker: d10 + fv_with(attacker, attack) against d10 + defender.fv by defender, ties to defender
number fv_with(attacker, attack) = attacker.fv + attack.bonus
procedure disarm_it(attacker, attack, defender)
    if roll disarm(attacker, attack, defender): defender.weapon_lost = yes
"""  # noqa: E501


@BOTH
@pytest.mark.parametrize(
    ("die", "modifier", "ending"),
    [(1, 9, "out"), (10, -9, "unharmed"), (7, 0, "unharmed"), (6, 0, "down"), (5, 0, "out"), (5, 1, "down"),
     (9, -4, "out")],
)  # fmt: skip
def test_three_ways_to_survive(trace: bool, die: int, modifier: int, ending: str) -> None:
    on = play(DESTINY, [unit("u")], [unit("v")], trace=trace, dice=[die])
    run(on, "hit", "v", attack(on, destiny_mod=modifier))
    v = on.entity("v")
    assert {"out": v._gone, "down": "Knocked Down" in v._titles, "unharmed": not v._gone and not v._titles}[ending]
    assert compute(on, "fight_bonus", v) == (1 if ending == "down" else 3)


@BOTH
def test_a_fumble_must_be_confirmed(trace: bool) -> None:
    on = play(DESTINY, [unit("u")], [unit("v")], trace=trace, dice=[1, 2, 1, 1, 5])
    sword = attack(on)
    assert [run(on, "fight_it", "u", sword, "v"), on.entity("u").weapon_lost] == [False, False]
    assert [run(on, "fight_it", "u", sword, "v"), on.entity("u").weapon_lost] == [False, True]
    assert run(on, "fight_it", "u", sword, "v") is True


@BOTH
def test_an_opposed_disarm(trace: bool) -> None:
    on = play(DESTINY, [unit("u", fv=4)], [unit("v", fv=5)], trace=trace, dice=[6, 6, 6, 5, 7, 5])
    knife = attack(on, bonus=0)
    taken = []
    for _ in range(3):
        run(on, "disarm_it", "u", knife, "v")
        taken.append(on.entity("v").weapon_lost)
    assert taken == [False, False, True]


# -- 63: hero points; any roll ---------------------------------------------------------------------

HERO = DESTINY + """
trait Hero                                                                                            ref SKR-STAT-008
    keeps hero_points: number = 1
    reaction "Hero Point" to rolled(throw) by bearer
        when throw.by is bearer and throw is failed and this.hero_points >= 1
        once per phase
        this.hero_points -= 1
        reroll throw
item "The Black Cat's Foot" 10 points                                                                 ref TPI-ITM-173
    reaction "The Black Cat's Foot" to rerolling(throw, rival) by bearer.side
        once per game
        when rival opposes bearer
        cancel rerolling
spell "Great Fortune"                                                                                 ref TPD-SPL-053
    keeps turns: number = 0
    reaction "Turn a die" to rolled(throw) by caster.side
        when this.turns > 0 and throw.side is caster.side
        choose die from throw.dice where not (it.turned) by caster
        choose face from (die_face(die) - 1) to (die_face(die) + 1) by caster
        this.turns -= 1
        if die is not none: turn_die(throw, die, face)
    on cast(effect) when effect is this
        this.turns = caster rolls d3
    ends at start of caster's next turn
number die_face(die: die or none) = 1
    set to die.face if die is not none
procedure great_fortune(unit)
    give "Great Fortune" to unit
    for each effect in unit.effects
        if effect.name == "Great Fortune": emit cast(effect)
"""


@BOTH
def test_a_hero_point_rerolls_a_failed_throw_once(trace: bool) -> None:
    hero = unit("u", ("trait", "Hero"))
    on = play(HERO, [hero], [unit("v")], trace=trace, dice=[2, 7, 3], answers={"reaction to rolled": "Hero Point"})
    sword = attack(on)
    assert run(on, "fight_it", "u", sword, "v") is True
    assert run(on, "fight_it", "u", sword, "v") is False
    assert rolled(on) == [("fight", [7], True), ("fight", [3], False)]


@BOTH
def test_a_reroll_may_be_prevented_once_in_a_game(trace: bool) -> None:
    hero = unit("u", ("trait", "Hero"))
    on = play(
        HERO, [hero], [unit("v", ("item", "The Black Cat's Foot"))], trace=trace, dice=[2, 3],
        answers={"reaction to rolled": "Hero Point"}, answers_b={"reaction to rerolling": "The Black Cat's Foot"},
    )  # fmt: skip
    assert run(on, "fight_it", "u", attack(on), "v") is False
    assert [r["reaction"] for r in on.log if r["kind"] == "reaction"] == ["Hero Point", "The Black Cat's Foot"]
    assert left(on) == [3]


@BOTH
def test_a_die_is_turned(trace: bool) -> None:
    answers = {"reaction to rolled": ["Turn a die", "none"], "face": 5}
    on = play(HERO, [unit("u", fv=3)], [unit("v")], trace=trace, dice=[2, 4, 4], answers=answers)
    run(on, "great_fortune", "u")
    assert on.entity("u").effects[0].turns == 2
    assert run(on, "fight_it", "u", attack(on), "v") is True
    assert rolled(on)[-1] == ("fight", [5], True)
    assert on.entity("u").effects[0].turns == 1
    shown = [(r["decision"], r["answer"]) for r in on.log if r["kind"] == "decision"]
    assert shown == [("reaction to rolled", "Turn a die"), ("face", "5"), ("reaction to rolled", "none")]
    assert [r["args"] for r in on.log if r["kind"] == "event"] == [
        {"effect": "effect-1"}, {"throw": "rolls"}, {"throw": "fight"},
    ]  # fmt: skip


# -- 66: small fantasy's morale --------------------------------------------------------------------

MORALE = """
roll morale(unit) by unit: d(unit.starting_figures) < unit.figures                                    ref SFB-MOR-002
procedure lose_figures(unit, n)
    unit.figures -= n
    unit.lost += n
    emit casualties_removed(unit)
event casualties_removed(unit)
trait Heroic
after casualties_removed(unit) when unit.lost * 2 >= unit.starting_figures and not unit is Heroic     ref SFB-MOR-001
    if not roll morale(unit): emit routs(unit)
on routs(unit)
    unit.broken = yes
"""


@BOTH
def test_morale_is_a_die_of_the_units_own_size(trace: bool) -> None:
    def units() -> list[Unit]:
        heroic = unit("h", ("trait", "Heroic"), starting_figures=2, figures=2)
        return [unit("u", starting_figures=12, figures=12), heroic]

    on = play(MORALE, units(), [], trace=trace, dice=[6, 5, 3])
    run(on, "lose_figures", "u", 5)
    assert rolled(on) == []
    run(on, "lose_figures", "u", 1)
    assert (rolled(on), on.entity("u").broken) == ([("morale", [6], False)], True)
    run(on, "lose_figures", "h", 2)
    assert len(rolled(on)) == 1
    on = play(MORALE, units(), [], trace=trace, dice=[5])
    run(on, "lose_figures", "u", 6)
    assert not on.entity("u").broken


# -- 53: bodyguard ---------------------------------------------------------------------------------

BODYGUARD = """
trait Bodyguard                                                                                       ref LEG-TRT-009
    reaction Bodyguard to damage(unit, n, giver) by bearer.side
        when unit touches bearer and unit.single_figure and n >= 1
        once per turn
        taken = lower_of(ceiling(n / 2), bearer.hp)
        change n to n - taken
        emit damage(bearer, taken, giver)
            bearer.hp -= taken
"""


@BOTH
def test_a_bodyguard_takes_half(trace: bool) -> None:
    red = [unit("lord", single_figure=True), unit("guard", ("trait", "Bodyguard"), x=1, hp=2)]
    answers = {"reaction to damage": ["Bodyguard", "none"]}
    on = play(BODYGUARD, red, [unit("v")], trace=trace, answers=answers)
    run(on, "hurt", "lord", 3, "v")
    assert (on.entity("lord").hp, on.entity("guard").hp) == (9, 0)
    on = play(BODYGUARD, red, [unit("v")], trace=trace, answers=answers)
    on.put(on.entity("guard"), "x", 3)
    run(on, "hurt", "lord", 3, "v")
    assert (on.entity("lord").hp, on.entity("guard").hp) == (7, 2)


# -- 23: rings of fate -----------------------------------------------------------------------------

RINGS = """
item "The Two Rings of Twisted Fate" 50 points                                                        ref TPI-ITM-146
    pair
    instead of life_lost(model, n) when model is bearer and this.other.bearer is alive
        repeat n times
            if (bearer rolls d6) >= 4: drain(this.other.bearer, 1)
            else: model.hp -= 1
"""


@BOTH
def test_rings_share_fate_until_one_is_dead(trace: bool) -> None:
    title = "The Two Rings of Twisted Fate"
    red = [unit("u", ("item", title)), unit("w", ("item", title), hp=1), unit("x", ("item", title))]
    on = play(RINGS, red, [], trace=trace, dice=[3, 5, 2, 1, 6, 5])
    run(on, "drain", "u", 2)  # 3: itself; 5: the other, whose own ring throws a 2: it stays there
    assert [on.entity(u).hp for u in ("u", "w")] == [9, 0]
    run(on, "drain", "u", 2)  # the other is dead: nobody shares
    assert on.entity("u").hp == 7
    assert left(on) == [1, 6, 5]
    with pytest.raises(RuleFault, match="none"):
        run(on, "drain", "x", 1)


# -- 51: last gasp ---------------------------------------------------------------------------------

GASP = """
roll attack_dice(unit, target) by unit against target: pool unit.strength of d6 >= 4
roll defence_dice(unit, target) by unit against target: pool unit.armour of d6 >= 5
procedure close_combat(attacker, defender)                                                            ref LEG-MEL-011
    stance = open
    choose by defender
        block: stance = block
        last_gasp when defender.hp > 0: stance = last_gasp
    if stance is last_gasp
        together
            defender.hp -= roll attack_dice(attacker, defender)
            if defender.hp > 0: attacker.hp -= roll attack_dice(defender, attacker)
    else
        hits = roll attack_dice(attacker, defender)
        defender.hp -= higher_of(hits - (roll defence_dice(defender, attacker)), 0)
"""


@BOTH
def test_a_last_gasp_is_simultaneous(trace: bool) -> None:
    red, blue = [unit("u", strength=2, hp=5)], [unit("v", strength=3, armour=1, hp=2)]
    on = play(GASP, red, blue, trace=trace, dice=[4, 5, 6, 1, 4], answers={"close_combat": "last_gasp"})
    run(on, "close_combat", "u", "v")
    assert (on.entity("u").hp, on.entity("v").hp) == (3, 0)
    on = play(GASP, red, blue, trace=trace, dice=[4, 5, 6], answers={"close_combat": "block"})
    run(on, "close_combat", "u", "v")
    assert (on.entity("u").hp, on.entity("v").hp) == (5, 1)


# -- 42, 45: effects that change hands -------------------------------------------------------------

ENCHANTMENTS = """
number skill_now(unit) = unit.fv
number reach_of(attacker) = 6
spell Curse                                                                                           ref AOAL-SPL-023
    school: Death, level: 2, range: 12, persistent, save: unit
    while in force on target
        skill_now   -1 when unit is target
        reach_of    -2 when attacker is target
spell Boon
    level: 1, persistent
    skill_now +1 when unit is bearer
spell Flash
    level: 3, instant
roll steal(caster, extra, effect) by caster: d6 + extra against d6 + effect.level by effect.owner, ties to caster
spell "Steal Enchantment"                                                                             ref AOAL-SPL-037
    school: Chaos, level: 1, range: 18, instant
    targets effects where (it.owner opposes caster and it is persistent)
procedure steal_it(caster, effect)
    if roll steal(caster, 1, effect)
        choose receiver from friendly units within 6 of caster where caster sees it by caster
        if receiver is none: stop
        effect.target = receiver
        effect.owner = receiver.owner
procedure enchant(caster, target)
    give Boon to target
procedure curse(caster, target)
    give Curse to target
procedure flash(caster, target)
    give Flash to target
rule "two at most"                                                                                    ref AOA-MAG-010
    after effect_begins(effect) when effect is persistent and number of persistent effects in effect.bearer > 2
        bearer_ = effect.bearer
        for each persistent effects in bearer_ as e
            e.score = (e.owner rolls d6) + e.level
        worst = lowest of it.score over persistent effects in bearer_
        for each persistent effects in bearer_ as e
            if e.score == worst: end e
"""


@BOTH
def test_an_enchantment_is_stolen(trace: bool) -> None:
    red, blue = [unit("u"), unit("friend", x=5), unit("off", x=9)], [unit("v", x=3)]
    on = play(ENCHANTMENTS, red, blue, trace=trace, dice=[3, 3, 1, 4], answers={"receiver": "friend"})
    run(on, "enchant", "v", "v")
    (boon,) = on.entity("v").effects
    assert (compute(on, "skill_now", "v"), boon.owner.name) == (4, "Blue")
    run(on, "steal_it", "u", boon)  # 3 + 1 against 3 + 1: a tie is the caster's
    assert [compute(on, "skill_now", u) for u in ("v", "friend", "u")] == [3, 4, 3]
    assert (boon.owner.name, boon.bearer.name, on.entity("v").effects) == ("Red", "friend", [])
    run(on, "steal_it", "v", boon)  # 1 + 1 against 4 + 1
    assert boon.bearer.name == "friend"


@BOTH
def test_a_curse_lies_on_its_target(trace: bool) -> None:
    on = play(ENCHANTMENTS, [unit("u")], [unit("v"), unit("w")], trace=trace)
    run(on, "curse", "u", "v")
    assert [compute(on, "skill_now", u) for u in "vw"] == [2, 3]
    assert [compute(on, "reach_of", u) for u in "vw"] == [4, 6]


@BOTH
def test_the_third_persistent_spell_pushes_out_the_weakest(trace: bool) -> None:
    on = play(ENCHANTMENTS, [unit("u")], [unit("v")], trace=trace, dice=[2, 6, 4])
    for name in ("enchant", "flash", "curse", "enchant"):
        run(on, name, "u", "v")
    # Boon 2 + 1, Curse 6 + 2, Boon 4 + 1; the instant one is not counted
    assert [e.name for e in on.entity("v").effects] == ["Flash", "Curse", "Boon"]
    assert [e.score for e in on.entity("v").effects] == [0, 8, 5]
    assert left(on) == []


# -- 37, 38: halvings, needs below one -------------------------------------------------------------

SHOTS = """
number area_share(hits, target, missed_by, spill: yes_no) = hits                                      ref AOA-SHT-020
    x1/2 if target.skirmished or target.models == 1        because "skirmish"
    x1/2 if missed_by == 1 and target.unengaged            because "near miss"
    x1/2 if spill                                          because "spill into melee"
    rounded up each time
number missile_skill(attack, attacker, target) = attacker.missile
roll to_hit(attack, attacker, target) by attacker: d6 <= missile_skill(attack, attacker, target)      ref AOA-SHT-012
    when need == 0: d6 == 1 confirmed by d6 <= 3
    when need == -1: d6 == 1 confirmed by d6 <= 2
    when need == -2: d6 == 1 confirmed by d6 <= 1
    when need < -2: never
procedure volley(attacker, attack, target, n)
    result how many of n pass to_hit(attack, attacker, target)
"""


@BOTH
@pytest.mark.parametrize(
    ("hits", "missed_by", "spill", "expected"), [(7, 0, False, 4), (7, 1, False, 2), (7, 1, True, 1), (9, 1, True, 2)]
)
def test_halvings_are_rounded_up_each_time(trace: bool, hits: int, missed_by: int, spill: bool, expected: int) -> None:
    on = play(SHOTS, [unit("u")], [unit("v", skirmished=True, models=5)], trace=trace)
    assert compute(on, "area_share", hits, "v", missed_by, spill) == expected


@BOTH
@pytest.mark.parametrize(
    ("missile", "dice", "expected", "unthrown"),
    [(2, [1, 2, 3], 2, 0), (0, [1, 1, 4, 3, 4], 1, 0), (-1, [1, 1, 1, 2, 3, 1], 2, 0), (-2, [1, 2, 3, 1], 1, 0),
     (-3, [1, 1, 1], 0, 3)],
)  # fmt: skip
def test_needs_of_zero_and_less(trace: bool, missile: int, dice: list[int], expected: int, unthrown: int) -> None:
    on = play(SHOTS, [unit("u", missile=missile)], [unit("v")], trace=trace, dice=dice)
    assert run(on, "volley", "u", attack(on), "v", 3) == expected
    assert len(left(on)) == unthrown


# -- 58: initiative --------------------------------------------------------------------------------

INITIATIVE = """
procedure initiative()                                                                                ref LEG-SEQ-001
    tied = no
    repeat at most 20 times until not tied
        first_die = side_a rolls d6
        second_die = side_b rolls d6
        tied = (first_die == second_die)
    winner = side_a
    if second_die > first_die: winner = side_b
    result winner
"""


@BOTH
def test_initiative_with_ties_rerolled(trace: bool) -> None:
    on = play(INITIATIVE, [unit("u")], [unit("v")], trace=trace, dice=[3, 3, 1, 1, 2, 5])
    assert run(on, "initiative").name == "Blue"
    on = play(INITIATIVE, [unit("u")], [unit("v")], trace=trace, dice=[5, 2])
    assert run(on, "initiative").name == "Red"
    on = play(INITIATIVE, [unit("u")], [unit("v")], trace=trace, dice=[4] * 40)
    assert run(on, "initiative").name == "Red"


# -- 8: engulfing ----------------------------------------------------------------------------------

ENGULF = BREAK + """
flag ring_closed(unit, target) = unit.x == target.x
flag may_engulf(unit, target) = target.models * 3 <= unit.models
    no if any pieces where (it.broken and it.side is target.side)
trait Unbreakable
number melee_need(target) = 4
condition Engulfed(unit)                                                                             ref TPB-UNIT-012
    melee_need -1 when target is bearer because "engulfed"
procedure engulf(unit, target)                                                                       ref TPB-UNIT-010
    stop unless may_engulf(unit, target)
    give Engulfed(unit) to target while ring_closed(unit, target)
    if target is Unbreakable: stop
    if roll break_check(target)
        give Unbreakable to target while ring_closed(unit, target)
    else
        destroy(target)
"""


@BOTH
def test_engulfing_lasts_while_the_ring_is_closed(trace: bool) -> None:
    blue = [unit("v", soldiering=2, models=3), unit("w", soldiering=1, models=4)]
    on = play(ENGULF, [unit("u", models=9, terror=1)], blue, trace=trace, dice=[4, 1, 5])
    run(on, "engulf", "u", "w")
    assert rolled(on) == []
    run(on, "engulf", "u", "v")
    assert rolled(on) == [("break_check", [4, 1, 5], True)]
    assert [compute(on, "melee_need", "v"), "Unbreakable" in on.entity("v")._titles] == [3, True]
    on.put(on.entity("u"), "x", 4)
    assert compute(on, "melee_need", "v") == 4
    on.in_force.moment("end", "turn")
    assert on.entity("v").effects == []


# -- 35: step-up; 36: fire into combat -------------------------------------------------------------

FIGHTS = """
number fv_now(attacker) = attacker.fv
flag fights_in(model, step) = step == 1
condition "Stepping Up"
    fv_now -1 when attacker is bearer because "stepping up"
    allow fights_in(model, step) when model is bearer and step == 2
procedure step_up(unit)
    give "Stepping Up" to unit until end of phase
roll to_hit(attack, attacker, target) by attacker: d6 <= attacker.missile
procedure volley(attacker, target, attack, shots)                                                     ref AOA-SHT-019
    left = shots
    hits = how many of left pass to_hit(attack, attacker, target)
    target.wounds += hits
    left -= hits
    for each friendly unit within 4 of attacker as friend, in an order chosen by target.owner
        if left > 0 and friend is not attacker
            more = how many of left pass to_hit(attack, attacker, friend)
            friend.wounds += more
            left -= more
    result left
"""


@BOTH
def test_stepping_up_until_the_end_of_the_phase(trace: bool) -> None:
    on = play(FIGHTS, [unit("u"), unit("w")], [], trace=trace)
    run(on, "step_up", "u")
    assert [compute(on, "fights_in", u, 2) for u in "uw"] == [True, False]
    assert [compute(on, "fv_now", u) for u in "uw"] == [2, 3]
    on.in_force.moment("end", "phase")
    assert [compute(on, "fights_in", "u", 2), compute(on, "fv_now", "u")] == [False, 3]


@BOTH
def test_shots_into_combat_go_on_to_friends_in_an_order_that_the_enemy_chooses(trace: bool) -> None:
    red = [unit("u", missile=2), unit("a", x=1), unit("b", x=2), unit("far", x=9)]
    on = play(
        FIGHTS, red, [unit("v", x=5)], trace=trace, dice=[1, 6, 3, 4, 2, 5, 3, 6, 1],
        answers_b={"order of friend": ["b", "u"]}, answers={},
    )  # fmt: skip
    assert run(on, "volley", "u", "v", attack(on), 4) == 1
    assert [on.entity(u).wounds for u in ("v", "b", "a", "far")] == [1, 1, 1, 0]
    assert [r["side"] for r in on.log if r["kind"] == "decision"] == ["Blue", "Blue"]


# -- 4: a chart with conditions; 17: an explosion --------------------------------------------------

BEASTS = """
condition Rampage                                                                                    ref TPC-UNIT-031
    strength_now +1 per 2 when model is bearer
number strength_now(model) = model.strength
condition "Old Scores"
condition Guard(place)
condition Loyal
procedure beast_reaction(model, master: unit)                                                        ref TPC-UNIT-030
    according to (master.side rolls d6) + model.level
        1 or less
            give Rampage to model for the rest of the game
        3 when model.models >= 2
            give "Old Scores" to model
        3: roll again
        5: give Guard(master.x) to model for the rest of the game
        6 or more: give Loyal to model
item "The Sword of Fools" 50 points                                                                  ref TPI-ITM-053
    class: weapon
    keeps used: yes_no
    procedure explode(place)
        this.used = yes
        together
            for each model where (absolute(it.x - place) <= 1)
                emit life_lost(model, 3)
                    model.hp -= n
    after wounded(target, n, attack) when attack.user is bearer and not this.used
        explode(bearer.x)
"""


@BOTH
@pytest.mark.parametrize(
    ("dice", "level", "models", "titles"),
    [([1], 0, 1, ["Rampage"]), ([3], 0, 2, ["Old Scores"]), ([3, 3, 5], 0, 1, ["Guard"]), ([6], 0, 1, ["Loyal"]),
     ([4], 0, 1, []), ([3], 3, 1, ["Loyal"])],
)  # fmt: skip
def test_a_chart_with_conditions_and_roll_again(
    trace: bool, dice: list[int], level: int, models: int, titles: list[str]
) -> None:
    on = play(BEASTS, [unit("u", level=level, models=models), unit("m", x=7)], [], trace=trace, dice=dice)
    run(on, "beast_reaction", "u", "m")
    beast = on.entity("u")
    assert [e.name for e in beast.effects] == titles
    assert left(on) == []
    if titles == ["Guard"]:
        assert beast.effects[0].place == 7
    assert compute(on, "strength_now", "u") == (5 if titles == ["Rampage"] else 3)


@BOTH
def test_a_sword_explodes_once(trace: bool) -> None:
    red, blue = [unit("u", ("item", "The Sword of Fools"))], [unit("v", x=1), unit("w", x=2)]
    on = play(BEASTS, red, blue, trace=trace)
    sword = attack(on, user=on.entity("u"))
    for _ in range(2):
        run(on, "wound", "v", 1, sword)
    assert [on.entity(u).hp for u in "uvw"] == [7, 7, 10]
    assert on.entity("v").wounds == 2


# -- 12: a secret number; 21: redirection; 26: a modifier of a secret guess ------------------------

SECRETS = """
spell "Null Life"                                                                                    ref TPD-SPL-022
    school: Black, level: 3
    keeps ordinal: secret number
    on cast(effect) when effect is this
        choose ordinal from 1 to 30 by caster secretly
        this.ordinal = ordinal
    before casting(spell, wizard, power) when wizard opposes caster and wizard.side.spells_attempted == this.ordinal
        reveal this.ordinal
        cancel casting
        end this
    ends at start of caster's next turn
procedure null_life(caster)
    give "Null Life" to caster
    for each effect in caster.effects: emit cast(effect)
procedure cast_spell(caster, spell)
    caster.side.spells_attempted += 1
    emit casting(spell, caster, 1)
        caster.wounds += 1
event spell_hits(spell, piece, caster)
item "The 2nd Spell Shield of Montice" 55 points                                                     ref TPI-ITM-107
    before spell_hits(spell, piece, caster) when piece is bearer and caster opposes bearer
        if (bearer rolls d6) >= 4: change piece to caster
procedure strike_with(spell, piece, caster)
    emit spell_hits(spell, piece, caster)
        piece.hp -= 4
"""


@BOTH
def test_a_secret_number_cancels_the_right_spell(trace: bool) -> None:
    on = play(SECRETS, [unit("u")], [unit("v"), unit("w")], trace=trace, answers={"ordinal": 2})
    run(on, "null_life", "u")
    spell = curse(on)
    for _ in range(3):
        run(on, "cast_spell", "v", spell)
    assert on.entity("v").wounds == 2
    assert [r.get("answer") for r in on.log if r["kind"] == "decision"] == ["(secret)"]
    assert [r["what"] for r in on.log if r["kind"] == "reveal"] == [2]
    assert on.entity("u").effects == []


@BOTH
def test_it_is_over_at_the_start_of_its_casters_next_turn(trace: bool) -> None:
    on = play(SECRETS, [unit("u")], [unit("v"), unit("w")], trace=trace, answers={"ordinal": 1})
    on.battle.active_side = on.sides[0]
    run(on, "null_life", "u")
    on.in_force.moment("end", "turn", on.sides[0])
    on.in_force.moment("start", "turn", on.sides[1])
    assert len(on.entity("u").effects) == 1
    on.in_force.moment("end", "turn", on.sides[1])
    on.in_force.moment("start", "turn", on.sides[0])
    assert on.entity("u").effects == []


@BOTH
def test_a_spell_shield_sends_the_spell_back(trace: bool) -> None:
    shielded = unit("v", ("item", "The 2nd Spell Shield of Montice"))
    on = play(SECRETS, [unit("u")], [shielded, unit("w")], trace=trace, dice=[3, 4])
    spell = curse(on)
    for _ in range(2):
        run(on, "strike_with", spell, "v", "u")
    assert [on.entity(u).hp for u in "uv"] == [6, 6]


# -- 46: numbers; 56: something later --------------------------------------------------------------

NUMBERS = """
state of unit
    numbers_given_to: unit or none = none
number numbers(unit) = floor(unit.models / 5)                                                        ref AOA-MOR-010
number morale_now(unit) = unit.morale_need
    +numbers(unit)
    -total numbers(it) over units where it.numbers_given_to is unit
before phase_begins(phase) when phase == "morale"
    for each unit where it.in_combat where (numbers(it) > 0)
        choose enemy from enemies within 3 of unit by unit or none
        unit.numbers_given_to = enemy
event slain(unit, killer)
trait Endless                                                                                        ref LEG-ARMY-028
    after slain(unit, killer) when unit is bearer and killer opposes unit
        at start of next turn: bring_back(unit)
procedure slay(unit, killer)
    destroy(unit)
    emit slain(unit, killer)
turn
    phase morale
"""


@BOTH
def test_numbers_are_given_to_an_enemy(trace: bool) -> None:
    red = [unit("u", models=12, in_combat=True), unit("x", models=12)]
    blue = [unit("v", x=1), unit("w", x=2, models=7), unit("far", x=9)]
    on = play(NUMBERS, red, blue, trace=trace, answers={"enemy": "w"})
    assert [compute(on, "morale_now", u) for u in ("u", "x", "v", "w")] == [6, 6, 4, 5]
    on.turns.perform_phase("morale")
    assert [compute(on, "morale_now", u) for u in ("u", "x", "v", "w")] == [6, 6, 4, 3]


@BOTH
def test_the_endless_come_back_in_the_next_turn(trace: bool) -> None:
    on = play(NUMBERS, [unit("u", ("trait", "Endless")), unit("x")], [unit("v")], trace=trace)
    run(on, "slay", "u", "v")
    run(on, "slay", "x", "v")
    assert [u.id for u in on.sides[0].units] == []
    on.in_force.moment("end", "turn")
    on.in_force.moment("start", "turn")
    assert [u.id for u in on.sides[0].units] == ["u"]


# -- what the checker takes of the hard rules as they stand ------------------------------------------

#: Blocks of the samples that need no words beyond fixture.rules and brief_words.rules.
CLEAN = {
    "hard_arcana": {"answer", "charge_declared", "to_hit", "steal", "casting", "counter", "Counterspell"},
    "hard_legiones_destiny_small_fantasy": {"Skilled", "Bodyguard", "fate", "survive", "morale", "loss_order"},
    "hard_three_plains": {
        "check_kind", "first_six", "casting", "Null Life", "Mayhem Curse", "The Flow of Cohesion",
        "The Black Cat's Foot", "BadLuck",
    },
}  # fmt: skip


def _name(block: Any) -> str:
    block = getattr(block, "reaction", block)
    return str(getattr(block, "name", None) or getattr(getattr(block, "title", None), "text", ""))


@pytest.mark.parametrize("name", CLEAN)
def test_hard_rules_check_as_they_stand(name: str) -> None:
    text = (HERE / "samples" / f"{name}.rules").read_text(encoding="utf-8")
    lines = {p.line for p in check(text, FUNCTIONS, above=BRIEF_WORDS)[1] if p.file == "bench.rules"}
    blocks, _ = parsed(text, "bench.rules")
    clean = {_name(b) for b in blocks if not lines & set(range(b.pos.line, b.pos.end_line + 1))}
    assert clean >= CLEAN[name]


def test_the_words_of_the_story() -> None:
    on = play(COUNTER, [unit("u", level=1)], [unit("v")], trace=False)
    run(on, "cast_it", on.create("spell", "bolt", "Bolt", target=on.entity("v")), "u", 2)
    assert [r["text"] for r in on.log if r["kind"] == "event"] == ["u casts with 2."]
    assert said(on) == []
