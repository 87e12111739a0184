"""Events, handlers and windows of reactions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from warhost.engine.audience import told_to
from warhost.engine.decisions import Decision, Option
from warhost.engine.entities import Effect, Side
from warhost.engine.in_force import InForce
from warhost.engine.state import State
from warhost.engine.story import Story, shown
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.runtime import Runtime

#: How deep events may bring about events.
DEEPEST = 60
#: What happens to dice happens while they lie there, also within a `together`.
AT_ONCE = frozenset({"rolling", "rolled", "rerolling"})
#: How often a window is offered again before the rules are taken to run away.
MOST_ROUNDS = 200


class Happening:
    """An event on its way: its arguments may be changed and it may be cancelled until it has happened."""

    __slots__ = ("args", "cancelled", "chain", "event", "outcome", "outcome_ran")

    def __init__(self, event: ir.Event, args: list[Any], outcome: Callable[..., Any] | None) -> None:
        self.event, self.args, self.outcome = event, args, outcome
        self.cancelled = False
        self.outcome_ran = False
        self.chain: list[tuple[ir.Handler, Effect | None]] = []


class Events:
    """`emit` and windows of reactions."""

    __slots__ = ("ask", "in_force", "rt", "state", "story")

    def __init__(
        self, state: State, rt: Runtime, story: Story, in_force: InForce, ask: Callable[[Decision], Any]
    ) -> None:
        self.state, self.rt, self.story, self.in_force, self.ask = state, rt, story, in_force, ask

    # -- emitting ------------------------------------------------------------------------------

    def emit(self, name: str, args: list[Any], outcome: Callable[..., Any] | None = None) -> None:
        """before-handlers, the window, the sentence of the story, what happens (or replaces it), after-handlers."""
        event = self.state.program.events.get(name)
        if event is None:
            if outcome is not None:
                outcome(*args)
            return
        if self.state.held_back is not None and name not in AT_ONCE:
            self.state.after_together.append(lambda: self.emit(name, args, outcome))
            return
        rows = self._handlers(event)
        if not rows and event.says is None and not self._has_reactions(event):
            if outcome is not None:
                outcome(*args)
            return
        if len(self.state.happening) >= DEEPEST:
            raise RuleFault(f'events bring about events without end (the last one: "{name}")')
        self._happen(Happening(event, args, outcome), rows)

    def _happen(self, h: Happening, rows: list[tuple[ir.Handler, Effect | None]]) -> None:
        self.state.happening.append(h)
        buffer, self.state.held_back = self.state.held_back, None
        uses, self.state.uses = self.state.uses, None
        try:
            self._run(h, rows, "before")
            if not h.cancelled:
                self._window(h)
            if h.cancelled:
                return
            self._tell(h)
            h.chain = [row for row in rows if row[0].hook == "instead" and self._applies(row, h)]
            self.proceed(h)
            if buffer is None:
                self._run(h, self._handlers(h.event), "after")
            else:
                self.state.after_together.append(lambda: self._afterwards(h))
        finally:
            self.state.held_back, self.state.uses = buffer, uses
            if uses is not None:
                self.state.kept.clear()
            self.state.happening.pop()

    def _afterwards(self, h: Happening) -> None:
        """The after-handlers of what happened to dice within a `together`."""
        self.state.happening.append(h)
        try:
            self._run(h, self._handlers(h.event), "after")
        finally:
            self.state.happening.pop()

    def would_answer(self, event: ir.Event, args: list[Any]) -> bool:
        """Whether any handler would run, or any reaction be offered, if an event were on its way now."""
        h = Happening(event, args, None)
        if any(self._applies(row, h) for row in self._handlers(event)):
            return True
        return self._has_reactions(event) and any(self._open_reactions(h, side) for side in self._asked(h))

    def proceed(self, h: Happening) -> None:
        """`continue` inside `instead of`: the next replacement, else the default outcome."""
        if h.chain:
            self.in_force.run_handler(*h.chain.pop(0), h.args)
        elif h.outcome is not None and not h.outcome_ran:
            h.outcome_ran = True
            h.outcome(*h.args)

    def _tell(self, h: Happening) -> None:
        if not self.state.keeps_log:
            return
        row: dict[str, Any] = {
            "event": h.event.name,
            "args": {p.name: shown(a) for p, a in zip(h.event.params, h.args, strict=True)},
        }
        told = None
        if h.event.says is not None:
            told = partial(self.state.code.function(h.event.says), self.rt, *h.args)
            row["text"] = told()
        if h.event.ref:
            row["ref"] = list(h.event.ref)
        self.story.note("event", told=told, **row)

    # -- handlers ------------------------------------------------------------------------------

    def is_heard(self, event: str) -> bool:
        """Whether anything in force waits for an event: a rule, or something that somebody bears."""
        declared = self.state.program.events[event]
        return bool(
            declared.handlers
            or declared.reactions
            or self.state.live_handlers.get(event)
            or self.state.live_reactions.get(event)
        )

    def _handlers(self, event: ir.Event) -> list[tuple[ir.Handler, Effect | None]]:
        rows: list[tuple[ir.Handler, Effect | None]] = [(h, None) for h in event.handlers]
        live = self.state.live_handlers.get(event.name)
        if live:
            rows += live
            rows.sort(key=lambda r: (r[0].order, r[1].bearer._index if r[1] is not None else 0))
        return rows

    def _applies(self, row: tuple[ir.Handler, Effect | None], h: Happening) -> bool:
        handler, effect = row
        if effect is not None and effect.ended:
            return False
        bearer = effect.bearer if effect is not None else None
        return handler.when is None or bool(self.state.code.function(handler.when)(self.rt, effect, bearer, *h.args))

    def _run(self, h: Happening, rows: list[tuple[ir.Handler, Effect | None]], hook: str) -> None:
        for row in rows:
            if row[0].hook == hook and not h.cancelled and self._applies(row, h):
                self.in_force.run_handler(*row, h.args)

    # -- windows of reactions ----------------------------------------------------------------------

    def _has_reactions(self, event: ir.Event) -> bool:
        return bool(event.reactions) or bool(self.state.live_reactions.get(event.name))

    def _window(self, h: Happening) -> None:
        """Offer every reaction that is open until everybody passes."""
        if not self._has_reactions(h.event):
            return
        for side in self._asked(h):
            for _ in range(MOST_ROUNDS):
                open_ = self._open_reactions(h, side)
                if not open_ or h.cancelled:
                    break
                chosen = self._offer(h, side, open_)
                if chosen is None:
                    break
                self._react(h, *chosen)
            else:
                raise RuleFault(f'the window of "{h.event.name}" never closes')

    def _asked(self, h: Happening) -> list[Side]:
        event = h.event
        if event.asks_who == "given" and event.asks is not None:
            return [self.state.code.function(event.asks)(self.rt, *h.args)]
        if event.asks_who == "enemies":
            actor = next((getattr(a, "side", None) for a in h.args if isinstance(getattr(a, "side", None), Side)), None)
            return [s for s in self.state.sides if s is not actor]
        return list(self.state.sides)

    def _open_reactions(self, h: Happening, side: Side) -> list[tuple[ir.Reaction, Effect | None, Any]]:
        rows: list[tuple[ir.Reaction, Effect | None]] = [(r, None) for r in h.event.reactions]
        rows += self.state.live_reactions.get(h.event.name, [])
        rows.sort(key=lambda r: (r[0].order, r[1].bearer._index if r[1] is not None else 0))
        found = []
        for reaction, effect in rows:
            bearer = effect.bearer if effect is not None else None
            for member in self.state.code.function(reaction.members)(self.rt, effect, bearer, *h.args):
                if getattr(member, "side", None) is side and self._may_react(h, reaction, effect, member):
                    found.append((reaction, effect, member))
        return found

    def _may_react(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> bool:
        if r.once is not None and self.state.used.get(self._reaction_slot(h, r, effect, member)):
            return False
        bearer = effect.bearer if effect is not None else None
        return r.when is None or bool(self.state.code.function(r.when)(self.rt, effect, bearer, *h.args, member))

    def _reaction_slot(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> tuple[Any, ...]:
        assert r.once is not None
        return self.in_force.once_slot(r.key, r.once, effect, [*h.args, member], r.run.params[2:])

    def _offer(
        self, h: Happening, side: Side, open_: list[tuple[ir.Reaction, Effect | None, Any]]
    ) -> tuple[ir.Reaction, Effect | None, Any] | None:
        options = []
        titles = [row[0].title for row in open_]
        for row in open_:
            alone = titles.count(row[0].title) == 1 or isinstance(row[2], Side)
            label = row[0].title if alone else f"{row[0].title}: {row[2]}"
            options.append(Option(label, row))
        options.append(Option("none", None))
        rated = any(row[0].rated is not None for row in open_)
        asked = partial(self._question, h, side)
        rate = self._worth_of(h) if rated else None
        decision = Decision(f"reaction to {h.event.name}", side, options, rate=rate, asked=asked)
        answer: tuple[ir.Reaction, Effect | None, Any] | None = self.ask(decision)
        return answer

    def _question(self, h: Happening, side: Side) -> str:
        """What somebody is asked who may react: what is happening, as far as there are words for it."""
        about: Any = next(iter(h.args), None)
        said = ""
        if h.event.says is not None:
            said = told_to(self.state, side, partial(self.state.code.function(h.event.says), self.rt, *h.args))
        elif getattr(about, "_noun", "") == "throw":
            faces = " ".join(str(die.face) for die in about.dice if die.face)
            by = f" of {about.by}" if about.by is not None and self.story.knows(side, about.by) else ""
            said = f"{about.name.replace('_', ' ').capitalize()}{by}{f': {faces}' if faces else ''}."
        return f"{said or h.event.name.replace('_', ' ').capitalize() + '.'} Do you answer it?"

    def _worth_of(self, h: Happening) -> Callable[[Any], Any]:
        """How a reaction on offer is rated; one without a rating is worth nothing, like passing."""

        def rate(row: tuple[ir.Reaction, Effect | None, Any]) -> Any:
            reaction, effect, member = row
            if reaction.rated is None:
                return 0
            bearer = effect.bearer if effect is not None else None
            return self.state.code.function(reaction.rated)(self.rt, effect, bearer, *h.args, member)

        return rate

    def _react(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> None:
        if r.once is not None:
            self.state.used[self._reaction_slot(h, r, effect, member)] = 1
        bearer = effect.bearer if effect is not None else None
        self.story.note("reaction", reaction=r.title, by=shown(member), to=h.event.name)
        outer, self.state.reacting = self.state.reacting, getattr(member, "side", None)
        try:
            self.state.code.procedure(r.key)(self.rt, effect, bearer, *h.args, member)
        finally:
            self.state.reacting = outer
        if effect is not None:
            self.in_force.used_up(effect)


class _NoEvent(Happening):
    """Stands for the event where none is on its way; cancelling it does nothing."""

    def __init__(self) -> None:
        self.args, self.cancelled, self.chain, self.outcome, self.outcome_ran = [], False, [], None, True


NO_EVENT: Happening = _NoEvent()
