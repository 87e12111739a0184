"""What a player remembers: what it has aimed at in this phase, what it did the last time, where its units were."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warhost_tactics.things import Stand, stand_of

if TYPE_CHECKING:
    from warhost import Battle, Decision

#: How the engine calls the choice of who acts next.
ACTIVATION = "next in "


class Memory:
    """The past decisions of one player in one battle."""

    def __init__(self) -> None:
        self._phase: tuple[int, str] = (-1, "")
        self._aimed: dict[tuple[str, str], float] = {}
        self._said: dict[tuple[str, str], str] = {}
        self._answered: dict[tuple[str, str], int] = {}
        self._left: dict[str, list[tuple[int, Stand]]] = {}
        self._actor: Any = None
        self._waiting: list[Any] = []
        self._asked: set[str] = set()

    def look(self, decision: Decision, battle: Battle) -> None:
        """Notice a new phase: what was aimed at and who acts is of one phase only."""
        now = (battle.battle.turn, battle.battle.phase)
        if now != self._phase:
            self._phase = now
            self._aimed.clear()
            self._answered.clear()
            self._asked.clear()
            self._actor, self._waiting = None, []
        if decision.name.startswith(ACTIVATION):
            return
        if decision.name in self._asked and len(self._waiting) == 1:
            # The last one to act is not chosen: it is there when a question comes a second time.
            self._actor, self._waiting = self._waiting[0], []
            self._asked.clear()
        self._asked.add(decision.name)

    def keep(self, decision: Decision, choice: int, rating: float | None) -> None:
        """Remember an answer."""
        option = decision.options[choice]
        value = option.value
        self._answered[decision.name, option.label] = self._answered.get((decision.name, option.label), 0) + 1
        if decision.name.startswith(ACTIVATION):
            self._actor = value
            self._waiting = [o.value for o in decision.options if o.value is not None and o.value is not value]
            self._asked.clear()
            return
        target = getattr(value, "id", None)
        if isinstance(target, str) and rating is not None:
            self._aimed[decision.name, target] = self._aimed.get((decision.name, target), 0.0) + max(rating, 0.0)
        if self._actor is not None:
            self._said[self._actor.id, decision.name] = option.label
        walker: Any = getattr(value, "unit", None)
        stand = stand_of(walker)
        if walker is not None and stand is not None:
            places = self._left.setdefault(walker.id, [])
            places.append((self._phase[0], stand))
            del places[:-3]

    def aimed(self, name: str, target: Any) -> float | None:
        """The ratings for which a target was chosen in this phase by the same kind of decision; None: not at all."""
        return self._aimed.get((name, getattr(target, "id", "")))

    def times(self, name: str, label: str) -> int:
        """How often an answer was given in this phase."""
        return self._answered.get((name, label), 0)

    def last_word(self, name: str) -> str | None:
        """What the thing that acts now was told the last time that this was asked of it."""
        return self._said.get((self._actor.id, name)) if self._actor is not None else None

    def places_left(self, unit: Any) -> list[Stand]:
        """Where a unit stood before its last moves of earlier turns, the latest last."""
        return [s for turn, s in self._left.get(unit.id, ()) if turn < self._phase[0]]
