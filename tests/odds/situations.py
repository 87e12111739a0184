"""The situations of which the odds are known by another way; every comparison goes through the same table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from odds.rulebooks import put, rules_of
from warhost_odds.evaluate import drawn
from warhost_odds.questions import Prepared, Tally
from warhost_odds.scalar import simulate


@dataclass(frozen=True)
class Situation:
    """What is asked. Units are written `PROFILE:COUNT[,option...]`; given are statements of the rules language."""

    name: str
    ruleset: str
    what: str
    attacker: str
    defender: str
    until: str = "round"
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    given: tuple[str, ...] = ()

    def put(self, *house: str) -> Prepared:
        """The question put to the ruleset, with house rules if any."""
        rules = rules_of(self.ruleset, *house)
        return put(rules, self.what, self.attacker, self.defender, self.settings, self.given)

    def __str__(self) -> str:
        return f"{self.ruleset}: {self.name}"


def _small(name: str, what: str, attacker: str, defender: str, **more: Any) -> Situation:
    return Situation(name, "small_fantasy", what, attacker, defender, **more)


SMALL_FANTASY = (
    _small("a charge in front", "melee", "elf_warriors:20", "orc_mob:20"),
    _small("a charge in front, to the end", "melee", "elf_warriors:10", "orc_mob:10", until="end"),
    _small("standing face to face", "melee", "elf_warriors:12", "orc_mob:15", settings={"charging": "no"}),
    _small("riders with spears against riders", "melee", "elf_riders:12,spears", "orc_riders:10"),
    _small("into the flank", "melee", "dwarf_axes:20", "orc_mob:21", settings={"facing": "flank"}),
    _small("into the back of archers", "melee", "orc_mob:16", "elf_archers:12", settings={"facing": "rear"}),
    _small(
        "into the flank, to the end", "melee", "orc_riders:8", "dwarf_spears:12", until="end",
        settings={"facing": "flank"},
    ),
    _small("column against column", "melee", "dwarf_axes:18", "goblin_mob:20", settings={"frontage": 2}),
    _small("an ogre among goblins, to the end", "melee", "ogre:1", "goblin_mob:14", until="end"),
    _small("hero against hero, to the end", "melee", "elf_hero:1", "orc_hero:1", until="end"),
    _small("chariots against spears", "melee", "elf_chariot:3", "human_spears:15"),
    _small("a hurt giant against spears", "melee", "giant:1", "dwarf_spears:10",
           given=("attacker.wounds_taken = 2",)),
    _small("two fifths gone already", "melee", "goblin_mob:12", "human_swords:20",
           given=("defender.figures = 12",)),
    _small("in disorder nobody strikes", "melee", "orc_mob:10", "elf_spears:10", given=("defender.disorder = 2",)),
    _small("arrows", "shooting", "elf_archers:12", "orc_mob:20", settings={"distance": 20}),
    _small("bolts until they run", "shooting", "dwarf_crossbows:9", "goblin_mob:10", until="end",
           settings={"distance": 23}),
    _small("out of range", "shooting", "orc_archers:10", "dwarf_axes:10", settings={"distance": 25}),
    _small("a gun", "shooting", "dwarf_cannon:3", "orc_mob:8", settings={"distance": 40}),
    _small("dragon fire", "shooting", "dragon:1", "dwarf_axes:6", settings={"distance": 10}),
)  # fmt: skip


def _arcana(name: str, what: str, attacker: str, defender: str, **more: Any) -> Situation:
    return Situation(name, "arcana", what, attacker, defender, **more)


#: Machines at their targets: the name, both sides, how far apart, and what else is said.
_MACHINES: tuple[tuple[str, str, str, int, dict[str, Any]], ...] = (
    ("a ballista", "ballista:1", "dwarves_axemen:20", 20, {}),
    ("a ballista, to the end", "ballista:1", "dwarves_axemen:10", 20, {"until": "end"}),
    ("a ballista at large orcs", "ballista:1", "orcs_greater_orc:6", 20, {}),
    ("a ballista at large orcs, one of them hurt", "ballista:1", "orcs_greater_orc:6", 20,
     {"given": ("defender.wounds_on = 1",)}),
    ("a ballista at large orcs, to the end", "ballista:1", "orcs_greater_orc:6", 20, {"until": "end"}),
    ("a ballista at short range", "ballista:1", "orcs_greater_orc:6", 10, {}),
    ("a ballista at long range", "ballista:1", "orcs_greater_orc:6", 33, {}),
    ("two ballistas", "ballista:2", "orcs_orc_warrior:20", 20, {}),
    ("a catapult", "catapult:1", "dwarves_axemen:20", 20, {}),
    ("a catapult at large orcs", "catapult:1", "orcs_greater_orc:6", 20, {}),
    ("a light catapult at long range", "light_catapult:1", "dwarves_axemen:20", 20, {}),
    ("a light cannon", "light_cannon:1", "dwarves_axemen:12", 20, {}),
    ("a cannon", "cannon:1", "orcs_greater_orc:9", 30, {}),
)  # fmt: skip

ARCANA = (
    _arcana("axes against orcs", "melee", "dwarves_axemen:20", "orcs_orc_warrior:20"),
    _arcana("axes against orcs, to the end", "melee", "dwarves_axemen:12", "orcs_orc_warrior:12", until="end"),
    _arcana("pikes strike first", "melee", "dwarves_pikemen:21", "orcs_orc_warrior:21"),
    _arcana("pikes in the second turn", "melee", "dwarves_pikemen:18", "orcs_orc_warrior:20",
            settings={"charging": "no"}),
    _arcana("into the flank", "melee", "dwarves_double_axemen:21", "orcs_orc_warrior:21", settings={"facing": "flank"}),
    _arcana("into the rear", "melee", "orcs_orc_with_scimitar:21", "dwarves_axemen:12", settings={"facing": "rear"}),
    _arcana("heavy blades strike last", "melee", "orcs_orc_with_2_handed_weapon:20", "dwarves_axemen:20"),
    _arcana("two wounds each", "melee", "orcs_greater_orc:12", "dwarves_axemen:18", given=("attacker.wounds_on = 1",)),
    _arcana("halberds and greater orcs, to the end", "melee", "dwarves_halberds:8", "orcs_greater_orc:6", until="end"),
    _arcana("ten abreast", "melee", "dwarves_axemen:30", "orcs_orc_warrior:36", settings={"frontage": 10}),
    _arcana("berserkers stand and die", "melee", "dwarves_axemen:20", "orcs_orc_berserker:10"),
    _arcana("a handful against a block", "melee", "orcs_orc_berserker:5",
            "dwarves_dwarves_with_heavy_weapons:12"),
    _arcana("bolts at short range", "shooting", "dwarves_crossbowmen:10", "orcs_orc_warrior:20",
            settings={"distance": 4}),
    _arcana("bolts", "shooting", "dwarves_crossbowmen:16", "orcs_orc_warrior:20", settings={"distance": 12}),
    _arcana("bolts at long range, to the end", "shooting", "dwarves_crossbowmen:9", "orcs_orc_with_scimitar:10",
            settings={"distance": 22}, until="end"),
    _arcana("arrows into a large block", "shooting", "orcs_orc_with_bow:14", "dwarves_mithril_warriors:32",
            settings={"distance": 20}),
    _arcana("handguns reload, to the end", "shooting", "dwarves_handgunner:6", "orcs_greater_orc:5",
            settings={"distance": 15}, until="end"),
    *(
        _arcana(name, "shooting", attacker, defender, settings={"distance": distance}, **more)
        for name, attacker, defender, distance, more in _MACHINES
    ),
    _arcana("pikes against large orcs", "melee", "dwarves_pikemen:18", "orcs_greater_orc:10"),
    _arcana("large orcs against pikes", "melee", "orcs_greater_orc:10", "dwarves_pikemen:15"),
    _arcana("halberds against heavy blades, to the end", "melee", "dwarves_halberds:8",
            "orcs_orc_with_2_handed_weapon:8", until="end"),
    _arcana("heavy blades against halberds", "melee", "orcs_orc_with_2_handed_weapon:15", "dwarves_halberds:12"),
    _arcana("two wounds on either side", "melee", "orcs_greater_orc:8", "orcs_greater_orc:8"),
    _arcana("double axes against large orcs, to the end", "melee", "dwarves_double_axemen:7", "orcs_greater_orc:6",
            until="end"),
    _arcana("a spray of fire", "spell:Fire Spray", "orcs_orc_shaman:1", "dwarves_axemen:12", settings={"distance": 5}),
    _arcana("a flamestrike", "spell:Flamestrike", "orcs_orc_shaman:1", "dwarves_double_axemen:15"),
    _arcana("a geyser", "spell:Geyser (Earth)", "dwarves_dwarf_wizard:1", "orcs_greater_orc:9",
            settings={"distance": 10}),
)  # fmt: skip

def _legiones(name: str, what: str, attacker: str, defender: str, **more: Any) -> Situation:
    return Situation(name, "legiones", what, f"{attacker}:1", f"{defender}:1", **more)


def _given(*titles: str, to: str = "attacker") -> tuple[str, ...]:
    return tuple(f"give {title} to {to}" for title in titles)


LEGIONES = (
    _legiones("foot against foot", "melee", "sample_loose", "sample_loose"),
    _legiones("foot against foot, to the end", "melee", "sample_loose", "sample_loose", until="end"),
    _legiones("samurai against foot", "melee", "samurai", "sample_loose"),
    _legiones("samurai against foot, to the end", "melee", "samurai", "sample_loose", until="end"),
    _legiones("a general against a troll, to the end", "melee", "samurai_general_foot", "sample_troll", until="end"),
    _legiones("winged women against foot, to the end", "melee", "shikome", "sample_loose", until="end"),
    _legiones("blinded", "melee", "sample_loose", "sample_loose", given=_given('"Blinded"')),
    _legiones("blinded and terrorised, to the end", "melee", "sample_loose", "sample_loose", until="end",
              given=_given('"Blinded"', '"Terrorised"')),
    _legiones("three causes are as bad as two", "melee", "sample_loose", "sample_troll",
              given=_given('"Blinded"', '"Terrorised"', '"Blinded"')),
    _legiones("confused", "melee", "sample_loose", "sample_troll", given=_given('"Confused"(2)', to="defender")),
    _legiones("a wounded unit", "melee", "sample_loose", "sample_loose",
              given=("attacker.damage = 1", "defender.damage = 2")),
    _legiones("fives against troops, to the end", "melee", "sample_loose", "sample_loose", until="end",
              given=_given('"Critical Hit"(troops)')),
    _legiones("a charge", "melee", "sample_loose", "sample_loose", given=_given('"Charge"')),
    _legiones("standing still is no charge", "melee", "sample_loose", "sample_loose", given=_given('"Charge"'),
              settings={"charging": "no"}),
    _legiones("on fire, to the end", "melee", "sample_loose", "sample_troll", until="end",
              given=_given('"On Fire"(2)', to="defender")),
    _legiones("terror", "melee", "sample_loose", "sample_troll", given=_given('"Terror"(1)', to="defender")),
    _legiones("arrows", "shooting", "sample_archers", "sample_loose", settings={"distance": 3}),
    _legiones("arrows, to the end", "shooting", "warrior_monks_bow", "sample_loose", until="end"),
    _legiones("arrows after a move", "shooting", "sample_archers", "sample_loose",
              given=("attacker.has_moved = yes",)),
    _legiones("an unreliable piece, to the end", "shooting", "sample_archers", "sample_loose", until="end",
              given=("give Unreliable to attacker", "cover_dice(target: defender) set to 0")),
    _legiones("who is whole again before it strikes, to the end", "melee", "sample_loose", "sample_loose", until="end",
              given=_given("Regenerate", to="defender")),
    _legiones("out of range", "shooting", "sample_archers", "sample_loose", settings={"distance": 5}),
)  # fmt: skip

SITUATIONS = (*SMALL_FANTASY, *ARCANA, *LEGIONES)

#: More of them, of which nobody has computed the odds by hand: played in both ways they have to agree.
MORE = (
    _small("a dragon among spears, to the end", "melee", "dragon:1", "human_spears:20", until="end"),
    _small("chariots that stand, to the end", "melee", "elf_chariot:4", "orc_mob:16", settings={"charging": "no"},
           until="end"),
    _small("giants against ogres, to the end", "melee", "giant:2", "ogre:4", until="end"),
    _small("arrows until they run", "shooting", "elf_archers:16", "dwarf_axes:12", settings={"distance": 10},
           until="end"),
    _small("riders against spears, to the end", "melee", "orc_riders:12", "elf_spears:20", until="end"),
    _arcana("a giant among spears, to the end", "melee", "the_giant_kings_adult_giant:1", "goblins_goblin_spearmen:20",
            until="end"),
    _arcana("vampires drink", "melee", "undead_vampire:3", "barbarian_berserker:8"),
    _arcana("riders into the rear", "melee", "goblins_wolfriders:8", "lizardmen_ophidian_warrior:10",
            settings={"facing": "rear"}),
    _arcana("longbows, to the end", "shooting", "high_elves_longbowmen:12", "goblins_goblin_regulars:20",
            settings={"distance": 20}, until="end"),
    _arcana("hounds among slaves, to the end", "melee", "daemon_hell_hounds:3", "ratmen_slaves:10", until="end"),
    _arcana("lances against shields", "melee", "high_elves_cavalry_with_lance:6", "empire_of_marr_legionnaire:18"),
    _arcana("the dead against spears, to the end", "melee", "undead_zombies:8", "ratmen_warrior_spearmen:8",
            until="end"),
)  # fmt: skip


# -- what came of them, played once in a run of the tests --------------------------------------------

#: Trials all at once: more than the scalar way could play in a test.
AT_ONCE = 20_000


@cache
def at_once(situation: Situation) -> Mapping[Tally, int]:
    """Counts of trials drawn in columns, always the same."""
    return drawn(situation.put(), situation.until, AT_ONCE, seed=5)


@cache
def one_by_one(situation: Situation) -> Mapping[Tally, int]:
    """Counts of trials by the compiled rules, always the same."""
    trials = 150 if situation.ruleset == "arcana" and situation.until == "end" else 400
    return simulate(situation.put(), situation.until, trials, 3)
