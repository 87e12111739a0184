"""The budget of steps: what rules may cost before they are taken to run away."""

from __future__ import annotations

from typing import Any, NoReturn

from warhost.engine.state import State
from warhost.errors import RuleFault
from warhost.limits import how_to_raise, limit

#: What costs more than a step: a die, a record of the story, a thing that is made, something put in force.
DIE, RECORD, THING, IN_FORCE = 10, 20, 500, 50


class Budget:
    """Counts steps; compiled rules count plain ones themselves, in `State.steps`."""

    __slots__ = ("state",)

    def __init__(self, state: State) -> None:
        self.state = state

    def fault(self, message: str) -> NoReturn:
        """Something that the rules do not allow for."""
        raise RuleFault(message)

    def exhausted(self) -> NoReturn:
        """The budget of a phase is spent: some rule does not end."""
        clock = self.state.battle
        where = f'phase "{clock.phase}", turn {clock.turn}'
        raise RuleFault(f"the rules do not come to an end ({where}): they take too many steps; {how_to_raise('steps')}")

    def spend(self, steps: int) -> None:
        """Take steps off the budget of the phase."""
        self.state.steps -= steps
        if self.state.steps < 0:
            self.exhausted()

    def counted(self, items: Any) -> Any:
        """A list that rules go through: each of its items is a step."""
        state = self.state
        state.steps -= len(items)
        if state.steps < 0:
            self.exhausted()
        return items

    def size(self) -> None:
        """The things that lie ready decide how many steps a phase may take; what rules make later does not."""
        self.state.steps_in_phase = limit("steps") * max(1, self.state.things_made // 100)
        self.reset()

    def reset(self, battles: int = 1) -> None:
        """What comes is judged by itself: the budgets of the phase and of so many battles are whole again."""
        state = self.state
        state.steps_in_battle = battles * limit("battle_steps")
        state.steps_given = state.steps = state.steps_in_phase

    def next_phase(self) -> None:
        """A new phase begins: it has a budget of its own, as far as that of the battle goes."""
        state = self.state
        state.steps_in_battle -= state.steps_given - state.steps
        if state.steps_in_battle < 0:
            raise RuleFault(f"the battle takes too many steps; {how_to_raise('battle_steps')}")
        state.steps_given = state.steps = state.steps_in_phase
