"""Writing: a field gets a value within its limits; within a `together` everything waits for the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from warhost.engine.entities import Effect
from warhost.engine.state import PendingWrite, State
from warhost.errors import RuleFault
from warhost.lang.program import Program
from warhost.lang.python_backend import attribute
from warhost.lang.support import bounded


class Writes:
    """Writes the fields of things. Compiled rules write plain ones themselves, and count the version.

    hand_over: lets somebody else bear an effect.
    """

    __slots__ = ("_limits", "hand_over", "state")

    def __init__(self, state: State, hand_over: Callable[[Effect, Any], None]) -> None:
        self.state, self.hand_over = state, hand_over
        self._limits = _limits(state.program)

    def put(self, entity: Any, name: str, value: Any) -> None:
        """Give a field a value, within its declared limits."""
        if self.state.held_back is None:
            self._store(entity, name, value)
            return
        held = self.state.held_back.setdefault((id(entity), name), PendingWrite(entity, name))
        if held.given and held.value != value:
            raise RuleFault(f'"{name}" of {entity} is given two different values at the same moment')
        held.given, held.value = True, value

    def add(self, entity: Any, name: str, amount: Any) -> None:
        """Let a field grow."""
        if self.state.held_back is not None:
            held = self.state.held_back.setdefault((id(entity), name), PendingWrite(entity, name))
            held.added += amount
            return
        self._store(entity, name, getattr(entity, name) + amount)

    def take_off(self, entity: Any, name: str, amount: Any) -> None:
        """Let a field shrink."""
        self.add(entity, name, -amount)

    def _store(self, entity: Any, name: str, value: Any) -> None:
        if name in ("bearer", "target") and isinstance(entity, Effect) and (
            name == "bearer" or not entity.names_target()
        ):  # fmt: skip
            self.state.version += 1
            self.hand_over(entity, value)
            return
        bounded(value)
        if name in self._limits and value is not None:
            low, high = self.limits_of(entity, name)
            if low is not None and value < low:
                value = low
            if high is not None and value > high:
                value = high
        self.state.wrote(name)
        setattr(entity, name, value)

    def limits_of(self, entity: Any, name: str) -> tuple[Any, Any]:
        """The lowest and the highest value that an attribute of a thing may have; None where there is no limit."""
        return self._limits.get(name, {}).get(entity._noun, (None, None))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Reads see the state at the start; writes, then what comes and goes, and events follow at the end.

        The order of the steps inside does not matter to state: a setting counts before all additions.
        """
        state = self.state
        if state.held_back is not None:
            yield
            return
        state.held_back = {}
        try:
            yield
        finally:
            buffer, state.held_back = state.held_back, None
            for c in buffer.values():
                start = c.value if c.given else getattr(c.entity, c.name)
                self._store(c.entity, c.name, start + c.added if c.added else start)
            waiting, state.after_together = state.after_together, []
            for run in waiting:
                run()

    def waits(self, act: Callable[[], Any]) -> bool:
        """Whether something must wait for the end of a `together`; then it will be done there, in order."""
        if self.state.held_back is None:
            return False
        self.state.after_together.append(act)
        return True


def _limits(program: Program) -> dict[str, dict[str, tuple[Any, Any]]]:
    """The lowest and highest value of the fields that have any, by attribute and noun."""
    found: dict[str, dict[str, tuple[Any, Any]]] = {}
    for noun in program.nouns.values():
        for info in noun.fields.values():
            if info.at_least is not None or info.at_most is not None:
                found.setdefault(attribute(info.name), {})[noun.name] = (info.at_least, info.at_most)
    return found
