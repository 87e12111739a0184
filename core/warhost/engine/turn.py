"""Running the pipeline that a ruleset declares: joint phases, player turns, alternating activations, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from warhost.engine.budget import Budget
from warhost.engine.entities import Side
from warhost.engine.in_force import InForce
from warhost.engine.state import State
from warhost.engine.story import Story
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.runtime import Runtime

#: A battle that has not ended by then never will.
MOST_TURNS = 500
#: Activations within one phase.
MOST_ACTIVATIONS = 5_000


@dataclass(frozen=True, slots=True)
class PhaseStart:
    """Where in the battle a phase begins.

    sides: whose player turns make up this turn, in order (None alone: a turn of all together); none in the set-up.
    side and phase: places in that order and among the phases, counted from 0.
    """

    sides: tuple[Side | None, ...]
    side: int
    phase: int


class Turns:
    """Runs the phases of a battle. `set_up` and `play_turn` can begin at any phase, where a battle goes on from there.

    begins: told before each phase, as long as nothing of it has happened. pauses: told after each,
    a good moment to look.
    """

    __slots__ = ("begins", "budget", "in_force", "pauses", "rt", "state", "story")

    def __init__(
        self, state: State, rt: Runtime, budget: Budget, story: Story, in_force: InForce,
        begins: Callable[[PhaseStart], None], pauses: Callable[[], None],
    ) -> None:  # fmt: skip
        self.state, self.rt, self.budget, self.story, self.in_force = state, rt, budget, story, in_force
        self.begins, self.pauses = begins, pauses

    def set_up(self, start: PhaseStart | None = None) -> None:
        """The phases before the first turn, from the beginning or from a phase on."""
        if start is None:
            self.rt.emit("battle_begins", [])
        self._phases(self.state.program.setup, start or PhaseStart((), 0, 0))

    def play_turn(self, start: PhaseStart | None = None) -> None:
        """One turn of the battle, or what is left of it: a common turn, or one player turn for each side."""
        if start is None:
            if self.state.battle.turn >= MOST_TURNS:
                raise RuleFault(f"the battle has not ended after {MOST_TURNS} turns")
            self.state.battle.turn += 1
            self.state.wrote("turn")
            order = self.state.program.turn_order
            common = order is None or order.order == "at once"
            sides = (None,) if order is None or common else tuple(self._sides_in_order(order))
            start = PhaseStart(sides, 0, 0)
            self.begin_turn(sides[0])
        for n in range(start.side, len(start.sides)):
            if n > start.side:
                if self.state.over:
                    return
                self.begin_turn(start.sides[n])
            self._player_turn(PhaseStart(start.sides, n, start.phase if n == start.side else 0))

    def begin_turn(self, side: Side | None) -> None:
        """What belongs to the beginning of a player turn, or (None) of a turn of all together."""
        self.state.battle.active_side = side
        self.state.battle.phase = ""
        self.state.wrote("active_side")
        self.state.wrote("phase")
        self.story.note("turn", side=side.name if side is not None else None)
        self.in_force.moment("start", "turn", side)
        self.rt.emit("turn_begins", [])

    def _player_turn(self, start: PhaseStart) -> None:
        """The phases of a player turn from some phase on, and its end."""
        self._phases(self.state.program.turn, start)
        if not self.state.over:
            self.end_turn(start.sides[start.side])

    def end_turn(self, side: Side | None) -> None:
        """What belongs to the end of a player turn, or (None) of a turn of all together."""
        self.state.battle.phase = ""
        self.state.wrote("phase")
        self.rt.emit("turn_ends", [])
        self.in_force.moment("end", "turn", side)
        self._acts(None)

    def _phases(self, phases: Sequence[ir.Phase], start: PhaseStart) -> None:
        for n in range(start.phase, len(phases)):
            if self.state.over:
                return
            self.begins(PhaseStart(start.sides, start.side, n))
            self._phase(phases[n])

    def perform_phase(self, name: str) -> None:
        """One phase by its name (of the turn or the set-up)."""
        self._phase(self._named(name))

    def _named(self, name: str) -> ir.Phase:
        for phase in (*self.state.program.turn, *self.state.program.setup):
            if phase.name == name:
                return phase
        raise RuleFault(f'there is no phase "{name}"')

    def _phase(self, phase: ir.Phase) -> None:
        if self.state.over or (phase.when is not None and not self.state.code.function(phase.when)(self.rt)):
            return
        self.budget.next_phase()
        self._begin_phase(phase)
        self._steps_of(phase)
        self.end_phase(phase.name)
        self.pauses()

    def begin_phase(self, name: str) -> None:
        """A phase begins whose steps somebody else executes (a question of odds)."""
        self._begin_phase(self._named(name))

    def _begin_phase(self, phase: ir.Phase) -> None:
        self.state.battle.phase = phase.name
        self.state.wrote("phase")
        self.story.note("phase", title=phase.title)
        self.in_force.moment("start", "phase")
        self.in_force.moment("start", phase.name)
        self.rt.emit("phase_begins", [phase.name])

    def end_phase(self, name: str) -> None:
        """What belongs to the end of a phase, unless the battle is over."""
        if not self.state.over:
            self.rt.emit("phase_ends", [name])
            self.in_force.moment("end", name)
            self.in_force.moment("end", "phase")

    def _steps_of(self, phase: ir.Phase) -> None:
        if phase.order in ("once", "at once"):
            self._run_steps(phase, ())
        elif phase.order == "each side":
            self._each_side(phase)
        elif phase.order == "each":
            self._each_thing(phase)
        elif phase.noun == "side":
            self._alternating_sides(phase)
        else:
            self._alternating_things(phase)

    def _run_steps(self, phase: ir.Phase, args: tuple[Any, ...]) -> Any:
        result: Any = None
        for key in phase.steps:
            if self.state.over:
                return result
            wanted = len(self.state.program.procedures[key].params)
            result = self.state.code.procedure(key)(self.rt, *args[:wanted])
        return result

    def _acts(self, side: Side | None) -> None:
        """It is a side's turn to act from now on; None: everybody's."""
        self.state.battle.active_side = side
        self.state.wrote("active_side")

    # -- orders --------------------------------------------------------------------------------------

    def _sides_in_order(self, phase: ir.Phase) -> Sequence[Side]:
        sides = list(self.state.sides)
        if phase.by is not None:
            by = self.state.code.function(phase.by)
            sides.sort(key=lambda s: by(self.rt, s), reverse=phase.highest_first)
        if phase.first is not None:
            first = self.state.code.function(phase.first)(self.rt)
            sides.sort(key=lambda s: s is not first)
        return sides

    def _each_side(self, phase: ir.Phase) -> None:
        outer = self.state.battle.active_side
        for side in self._sides_in_order(phase):
            self._acts(side)
            self._run_steps(phase, (side,))
        self._acts(outer)

    def _each_thing(self, phase: ir.Phase) -> None:
        """Every entity of a noun, those that vanish meanwhile left out."""
        things = list(self.state.everyone[self._root(phase.noun)])
        things = [t for t in things if self.state.code.noun(phase.noun)(self.rt, t)]
        if phase.by is not None:
            by = self.state.code.function(phase.by)
            things.sort(key=lambda t: by(self.rt, t), reverse=phase.highest_first)
        for thing in things:
            if not getattr(thing, "_gone", False):
                self._run_steps(phase, (thing,))

    def _root(self, noun: str) -> str:
        at = self.state.program.nouns[noun]
        while at.is_a is not None:
            at = self.state.program.nouns[at.is_a]
        return at.name

    def _alternating_sides(self, phase: ir.Phase) -> None:
        """Sides in turn; one whose step results in no has passed. It ends when all have passed one after the other."""
        order = list(self._sides_in_order(phase))
        passed: set[int] = set()
        outer = self.state.battle.active_side
        for i in range(MOST_ACTIVATIONS):
            side = order[i % len(order)]
            if phase.until_all_pass and side._index in passed:
                if len(passed) == len(order):
                    break
                continue
            self._acts(side)
            if self._run_steps(phase, (side,)) is False:
                passed.add(side._index)
            if self.state.over or len(passed) == len(order) or (not phase.until_all_pass and i + 1 >= len(order)):
                break
        else:
            raise RuleFault(f'the phase "{phase.name}" never ends')
        self._acts(outer)

    def _alternating_things(self, phase: ir.Phase) -> None:
        """Sides in turn choose one of their things that has not acted yet."""
        order = list(self._sides_in_order(phase))
        acted: set[int] = set()
        done: set[int] = set()
        outer = self.state.battle.active_side
        i = 0
        while len(done) < len(order) and not self.state.over:
            if i > MOST_ACTIVATIONS:
                raise RuleFault(f'the phase "{phase.name}" never ends')
            side = order[i % len(order)]
            i += 1
            if side._index in done:
                continue
            self._acts(side)
            thing = self._next_to_act(phase, side, acted)
            if thing is None:
                done.add(side._index)
                continue
            acted.add(thing._index)
            self._run_steps(phase, (thing,))
        self._acts(outer)

    def _next_to_act(self, phase: ir.Phase, side: Side, acted: set[int]) -> Any:
        state = self.state
        allowed = state.program.numbers.get("may_act")
        waiting = []
        for thing in state.everyone[self._root(phase.noun)]:
            if thing.side is not side or thing._index in acted or not state.code.noun(phase.noun)(self.rt, thing):
                continue
            if allowed is not None and len(allowed.params) == 1 and not state.code.number("may_act")(self.rt, thing):
                continue
            waiting.append(thing)
        if not waiting:
            return None
        noun = phase.noun.replace("_", " ")
        says = f"{phase.title}: which {noun} is next?" if phase.title else f"Which {noun} is next?"
        return self.rt.choose(
            f"next in {phase.name}", side, waiting, phase.until_all_pass, False, None, None, (), lambda: says
        )
