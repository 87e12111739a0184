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
        self._paces: dict[str, float] = {}
        self._actor: Any = None
        self._waiting: list[Any] = []
        self._asked: set[str] = set()
        self._course: dict[str, tuple[str, str]] = {}
        self._tried: dict[tuple[str, str], int] = {}
        self._led_on: dict[tuple[str, str], int] = {}
        self._offered: dict[tuple[str, str, str], int] = {}

    def copied(self) -> Memory:
        """The same memory for somebody else, who forgets and remembers by himself."""
        made = Memory()
        for name, known in vars(self).items():
            if isinstance(known, dict):
                known = {key: list(of) if isinstance(of, list) else of for key, of in known.items()}
            elif isinstance(known, list | set):
                known = type(known)(known)
            setattr(made, name, known)
        return made

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
        self._look_for_the_last(decision)
        self._credit(decision)
        if self._actor is not None:
            for label in ("", *(o.label for o in decision.options)):
                key = (self._actor.id, decision.name, label)
                self._offered[key] = self._offered.get(key, 0) + 1

    def _look_for_the_last(self, decision: Decision) -> None:
        """The last one to act is not chosen: it acts when a question comes a second time."""
        if decision.name in self._asked and len(self._waiting) == 1:
            self._actor, self._waiting = self._waiting[0], []
            self._asked.clear()
        self._asked.add(decision.name)

    def _credit(self, decision: Decision) -> None:
        """A choice of ways for somebody, or a further question to who acts, is what its course has led to."""
        walker: Any = next((w for o in decision.options if (w := getattr(o.value, "unit", None)) is not None), None)
        who = walker if walker is not None else self._actor
        course = self._course.get(who.id) if who is not None else None
        if course is not None and course[0] != decision.name:
            self._led_on[course] = self._led_on.get(course, 0) + 1

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
            if isinstance(value, str):
                course = self._course[self._actor.id] = (decision.name, option.label)
                self._tried[course] = self._tried.get(course, 0) + 1
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

    def leads_on(self, name: str, label: str) -> float:
        """How often further choices came of a course; 1 for what was never tried, so that it is."""
        tried, led = self._tried.get((name, label), 0), self._led_on.get((name, label), 0)
        return (min(led, tried) + 1) / (tried + 1)

    def seldom(self, name: str, label: str) -> float:
        """How seldom a course is open to the thing that acts, from 0 (always) to 1."""
        if self._actor is None:
            return 0.0
        asked = self._offered.get((self._actor.id, name, ""), 0)
        return 1.0 - self._offered.get((self._actor.id, name, label), 0) / asked if asked else 0.0

    def last_word(self, name: str) -> str | None:
        """What the thing that acts now was told the last time that this was asked of it."""
        return self._said.get((self._actor.id, name)) if self._actor is not None else None

    def pace(self, unit: Any, step: float) -> float:
        """How far ordinary units of this side go at once: the middle of the longest ways that were offered to each."""
        self._paces[unit.id] = step
        return sorted(self._paces.values())[len(self._paces) // 2]

    def places_left(self, unit: Any) -> list[Stand]:
        """Where a unit stood before its last moves of earlier turns, the latest last."""
        return [s for turn, s in self._left.get(unit.id, ()) if turn < self._phase[0]]
