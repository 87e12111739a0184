"""The same situation played as a battle: every phase of the turn by the battle itself, nothing left out or replaced.

A question of odds leaves out phases for which there is no room, and replaces steps that need a table (who breaks does
not run). Here the two units stand as the question has set them up, and their turn is played with everything in it; each
side does what the question is about and nothing else. What it comes to has the same chances.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from warhost.engine.checkpoint import Checkpoint
from warhost.engine.decisions import Answer, Decision
from warhost.engine.dice import SeededDice
from warhost.engine.turn import PhaseStart
from warhost_battles.players import UsualPlayer
from warhost_odds.questions import Prepared, Tally

#: What whoever wants to do nothing answers, where he is not asked for a thing of which there may be none.
DECLINED = ("hold", "none", "stay", "fight on")


class _Directed:
    """Does what it is told by decision, nothing in phases in which the question plays nothing, the usual elsewhere."""

    def __init__(self, told: Mapping[str, str], idle: frozenset[str], of: Prepared) -> None:
        self.told, self.idle, self.of, self.usual = told, idle, of, UsualPlayer()

    def decide(self, decision: Decision, battle: Any) -> Answer:
        wanted = self.told.get(decision.name, "").format(defender=self.of.defender, battle=battle.battle).split(" or ")
        for i, option in enumerate(decision.options):
            if option.label in wanted:
                return i
        if battle.battle.phase in self.idle:
            for i, option in enumerate(decision.options):
                if option.value is None or option.label in DECLINED:
                    return i
        return self.usual.decide(decision, battle)


@dataclass(frozen=True)
class Turn:
    """How the turn of a question is played as a battle.

    attacker and defender: what either answers by the name of a decision (one of several things, with `or` between
    them), {defender} and {battle.FIELD} filled in; whatever else is asked in the phases of idle is declined. settings:
    of the question, where only these can be held against a whole turn. given: what keeps either from doing what the
    question does not ask about; odds are asked with it, too. prepared: phases of the set-up without which the turn
    cannot be played. first: a field of sides; only turns count in which that of the attacker's is the higher, for odds
    have him act first. charged: the phase with which the turn goes on when the attacker has just charged.
    """

    attacker: dict[str, str]
    defender: dict[str, str]
    idle: frozenset[str] = frozenset()
    settings: dict[str, str] = field(default_factory=dict)
    given: tuple[str, ...] = ()
    prepared: tuple[str, ...] = ()
    first: str = ""
    charged: str = ""


_MARCHING = frozenset({"initiative", "movement", "closing_up", "power", "magic", "magic_ends"})

#: A question of odds knows no hand of cards that could mend the dice.
_NO_CARDS = {"reaction to rolled": "none", "spur": "none"}

#: Nor a hero's luck.
_NO_HERO = {"reaction to rolled": "none"}

TURNS = {
    ("arcana", "melee"): Turn({}, {}, _MARCHING | {"missile"}, charged="closing_up"),
    ("arcana", "shooting"): Turn({}, {"mark": "none"}, _MARCHING),
    ("arcana", "spell"): Turn(
        {"spell": "{battle.spell_asked}", "aim": "{defender}", "power": "{battle.power_asked}", "mark": "none"},
        {"caster": "none", "reaction to casting": "none", "mark": "none"},
        frozenset({"initiative", "movement", "closing_up", "missile"}),
        given=(
            "allow wizard(unit: attacker)", "attacker.power = 60",
            "allow knows(unit, spell) when unit is attacker and spell is battle.spell_asked",
            "strikers(foe: attacker) set to 0",  # whom the spell drives into contact: the question ends before that
            "strikers(unit: attacker) set to 0",
        ),
    ),
    ("small_fantasy", "melee"): Turn({}, {}, frozenset({"declaration", "charges", "movement", "shooting"})),
    ("small_fantasy", "shooting"): Turn(
        {"declare": "shoot or breathe fire"}, {}, frozenset({"declaration", "charges", "movement"})
    ),
    ("three_plains", "melee"): Turn({}, {}, frozenset({"declarations", "charges", "movement", "shooting"})),
    ("three_plains", "shooting"): Turn(
        {}, {}, frozenset({"declarations", "charges", "movement"}), settings={"moved": "0"}
    ),
    ("legiones", "melee"): Turn(
        {
            "give_order": "order", "choose_action": "close combat or nothing", "foe": "none", "follow_up": "hold",
            **_NO_CARDS,
        },
        {"give_order": "done", "take_stance": "defend", **_NO_CARDS},
        settings={"strikers": "only_attacker", "charging": "no", "stance": "defend"}, prepared=("shuffling",),
    ),
    ("legiones", "shooting"): Turn(
        {"give_order": "order", "choose_action": "shooting or nothing", **_NO_CARDS},
        {"give_order": "done", **_NO_CARDS},
        settings={"moved": "no"},  # an activation begins without having moved
        prepared=("shuffling",),
    ),
    ("destiny", "duel"): Turn(
        {"fight_figure": "strike", **_NO_HERO}, {"fight_figure": "strike", **_NO_HERO},
        frozenset({"movement", "shooting"}), first="thrown",
    ),
    ("destiny", "blow"): Turn(
        {"fight_figure": "strike", **_NO_HERO}, {"fight_figure": "hold", **_NO_HERO},
        frozenset({"movement", "shooting"}),
    ),
    ("destiny", "shot"): Turn(
        {"shoot_figure": "shoot", **_NO_HERO}, {"shoot_figure": "hold", **_NO_HERO},
        frozenset({"movement", "fighting"}),
        given=("allow spanned(shooter: attacker)",),  # whoever cannot span alone is taken to have a mate
    ),
}


def turns_played(prepared: Prepared, turn: Turn, trials: int, seed: int) -> dict[Tally, int]:
    """How often each tally came of so many turns played as a battle; it is restored afterwards."""
    battle = prepared.battle
    dice = SeededDice(seed)
    order = battle.program.turn_order
    common = order is None or order.order == "at once"
    one, other = prepared.attacker.side, prepared.defender.side
    sides = (None if common else one,)
    phases = [phase.name for phase in battle.program.turn]
    begins = phases.index(turn.charged) if turn.charged and prepared.settings["charging"] else 0
    players = [_Directed(answers, turn.idle, prepared) for answers in (turn.attacker, turn.defender)]
    counts: dict[Tally, int] = {}
    before, others = Checkpoint(battle), battle.players
    battle.players = players
    try:
        for _ in range(trials):
            battle.dice = dice
            battle.budget.reset()
            battle.guarded(lambda: _one_turn(battle, turn, PhaseStart(sides, 0, begins)))
            if not turn.first or getattr(one, turn.first) > getattr(other, turn.first):
                tally = prepared.tally()
                counts[tally] = counts.get(tally, 0) + 1
            before.restore()
    finally:
        battle.players = others
    return counts


def _one_turn(battle: Any, turn: Turn, start: PhaseStart) -> None:
    for phase in turn.prepared:
        battle.turns.perform_phase(phase)
    battle.battle.active_side = start.sides[0]
    battle.turns.play_turn(start)
