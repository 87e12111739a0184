"""The story of a battle: the records of its log, and who may know what stands in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from warhost.engine import audience
from warhost.engine.budget import RECORD, Budget
from warhost.engine.entities import Effect, Entity, Side
from warhost.engine.state import State
from warhost.errors import Refused, RuleFault
from warhost.lang import support
from warhost.limits import how_to_raise, limit


class Story:
    """Writes the log, hides things and shows them."""

    __slots__ = ("budget", "state")

    def __init__(self, state: State, budget: Budget) -> None:
        self.state, self.budget = state, budget

    def note(self, kind: str, *, told: Callable[[], str] | None = None, **values: Any) -> None:
        """Add a record to the log. told makes its text anew, for those who do not know everything in it."""
        self.budget.spend(RECORD)
        state = self.state
        if state.keeps_log:
            if len(state.log) >= limit("records"):
                raise RuleFault(f"the story of the battle grows too long; {how_to_raise('records')}")
            record = {"n": len(state.log), "turn": state.battle.turn, "phase": state.battle.phase, "kind": kind}
            record.update(values)
            if state.hidden and (views := audience.views(state, record, told)):
                record["views"] = views
            state.log.append(record)

    def say(self, told: Callable[[], str]) -> None:
        """A line of the story."""
        self.note("say", told=told, text=told())

    @staticmethod
    def refuse(text: str, file: str, line: int) -> NoReturn:
        """What was asked for cannot be: raises Refused with the sentence."""
        raise Refused(text, "", file, line)

    def reveal(self, what: Any) -> None:
        """Lay a secret open: a hidden thing (or several) is known to all from now on."""
        for one in what if isinstance(what, list) else [what]:
            self.show(one)
        self.note("reveal", what=shown(what))

    # -- who may know what -----------------------------------------------------------------------

    def hide(self, thing: Any, *knowing: Side, open: Iterable[str] = ()) -> None:
        """Only the sides named know the thing from now on. open: fields of it that everybody may know all the same."""
        if not isinstance(thing, Entity) or isinstance(thing, Side | Effect):
            raise RuleFault(f"{thing} cannot be hidden")
        thing._open = ("side", *open)
        self.state.hidden[thing.id] = tuple(side for side in self.state.sides if side in knowing)
        self.state.version += 1

    def show(self, thing: Any, side: Side | None = None) -> None:
        """A side, or everybody, knows the thing from now on, besides those who did already."""
        hidden = self.state.hidden
        knowing = hidden.get(getattr(thing, "id", ""))
        if knowing is None:
            return
        now = tuple(s for s in self.state.sides if side is None or s is side or s in knowing)
        if len(now) == len(self.state.sides):
            del hidden[thing.id]
        else:
            hidden[thing.id] = now
        self.state.version += 1

    def knows(self, side: Any, thing: Any) -> bool:
        """Whether a side may know a thing. What was never hidden is known to all."""
        knowing = self.state.hidden.get(getattr(thing, "id", ""))
        return knowing is None or side in knowing


_PLAIN = frozenset((type(None), bool, int, str))


def shown(x: Any) -> Any:
    """A value as a record has it: plain data, things by their ids."""
    if type(x) in _PLAIN or isinstance(x, int | str):
        return x
    if isinstance(x, list):
        return [shown(i) for i in x]
    if isinstance(x, float):
        return round(x, 4)
    return getattr(x, "id", None) or support.text(x)
