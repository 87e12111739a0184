"""Events, handlers and windows of reactions; and the point at which every choice is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from warhost.engine.decisions import Decision, Option, make_options
from warhost.engine.entities import Effect, Side
from warhost.engine.in_force import InForce
from warhost.engine.numbers import Numbers, _shown
from warhost.errors import RuleFault
from warhost.lang import ir

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


class Events(Numbers):
    """`emit`, windows, `choose` and its relatives."""

    def start_events(self) -> None:
        self.happening: list[Happening] = []
        self.used: dict[tuple[Any, ...], int] = {}
        self.decisions_made = 0
        self.reacting: Any = None

    @property
    def event(self) -> Happening:
        """The event whose handler runs."""
        return self.happening[-1] if self.happening else _NO_EVENT

    # -- emitting ------------------------------------------------------------------------------

    def emit(self, name: str, args: list[Any], outcome: Callable[..., Any] | None = None) -> None:
        """before-handlers, the window, the sentence of the story, what happens (or replaces it), after-handlers."""
        event = self.program.events.get(name)
        if event is None:
            if outcome is not None:
                outcome(*args)
            return
        if self.held_back is not None and name not in AT_ONCE:
            self._after_together.append(lambda: self.emit(name, args, outcome))
            return
        rows = self._handlers(event)
        if not rows and event.says is None and not self._has_reactions(event):
            if outcome is not None:
                outcome(*args)
            return
        if len(self.happening) >= DEEPEST:
            raise RuleFault(f'events bring about events without end (the last one: "{name}")')
        self._happen(Happening(event, args, outcome), rows)

    def _happen(self, h: Happening, rows: list[tuple[ir.Handler, Effect | None]]) -> None:
        self.happening.append(h)
        buffer, self.held_back = self.held_back, None
        uses, self.uses = self.uses, None
        try:
            self._run(h, rows, "before")
            if not h.cancelled:
                self._window(h)
            if h.cancelled:
                return
            self._tell(h)
            h.chain = [row for row in rows if row[0].hook == "instead" and self._applies(row, h)]
            self._proceed(h)
            if buffer is None:
                self._run(h, self._handlers(h.event), "after")
            else:
                self._after_together.append(lambda: self._afterwards(h))
        finally:
            self.held_back, self.uses = buffer, uses
            if uses is not None:
                self.kept_at = -1
            self.happening.pop()

    def _afterwards(self, h: Happening) -> None:
        """The after-handlers of what happened to dice within a `together`."""
        self.happening.append(h)
        try:
            self._run(h, self._handlers(h.event), "after")
        finally:
            self.happening.pop()

    def would_answer(self, event: ir.Event, args: list[Any]) -> bool:
        """Whether any handler would run, or any reaction be offered, if an event were on its way now."""
        h = Happening(event, args, None)
        if any(self._applies(row, h) for row in self._handlers(event)):
            return True
        return self._has_reactions(event) and any(self._open_reactions(h, side) for side in self._asked(h))

    def proceed(self, h: Happening) -> None:
        """`continue` inside `instead of`: the next replacement, else the default outcome."""
        self._proceed(h)

    def _proceed(self, h: Happening) -> None:
        if h.chain:
            handler, effect = h.chain.pop(0)
            self.run_handler(handler, effect, effect.bearer if effect is not None else None, h.args)
        elif h.outcome is not None and not h.outcome_ran:
            h.outcome_ran = True
            h.outcome(*h.args)

    def _tell(self, h: Happening) -> None:
        if not self.keeps_log:
            return
        row: dict[str, Any] = {
            "event": h.event.name,
            "args": {p.name: _shown(a) for p, a in zip(h.event.params, h.args, strict=True)},
        }
        told = None
        if h.event.says is not None:
            told = partial(self.code.function(h.event.says), self, *h.args)
            row["text"] = told()
        if h.event.ref:
            row["ref"] = list(h.event.ref)
        self.note("event", told=told, **row)

    # -- handlers ------------------------------------------------------------------------------

    def is_heard(self, event: str) -> bool:
        """Whether anything in force waits for an event: a rule, or something that somebody bears."""
        declared = self.program.events[event]
        return bool(
            declared.handlers or declared.reactions or self.live_handlers.get(event) or self.live_reactions.get(event)
        )

    def _handlers(self, event: ir.Event) -> list[tuple[ir.Handler, Effect | None]]:
        rows: list[tuple[ir.Handler, Effect | None]] = [(h, None) for h in event.handlers]
        live = self.live_handlers.get(event.name)
        if live:
            rows += live
            rows.sort(key=lambda r: (r[0].order, r[1].bearer._index if r[1] is not None else 0))
        return rows

    def _applies(self, row: tuple[ir.Handler, Effect | None], h: Happening) -> bool:
        handler, effect = row
        if effect is not None and effect.ended:
            return False
        bearer = effect.bearer if effect is not None else None
        return handler.when is None or bool(self.code.function(handler.when)(self, effect, bearer, *h.args))

    def _run(self, h: Happening, rows: list[tuple[ir.Handler, Effect | None]], hook: str) -> None:
        for row in rows:
            if row[0].hook != hook or h.cancelled or not self._applies(row, h):
                continue
            handler, effect = row
            self.run_handler(handler, effect, effect.bearer if effect is not None else None, h.args)

    def run_handler(self, h: ir.Handler, effect: Effect | None, bearer: Any, args: list[Any]) -> None:
        if h.once is not None and not self._once(h.key, h.once, effect, args, h.run.params[2:]):
            return
        self.code.procedure(h.key)(self, effect, bearer, *args)
        if effect is not None and h.event not in ("effect_begins", "effect_ends"):
            self.used_up(effect)

    def _once(
        self, key: str, once: tuple[str, tuple[str, ...]], effect: Effect | None, args: Sequence[Any],
        params: Sequence[ir.Param],
    ) -> bool:
        """Note one use; False when the period's use is spent."""
        slot = self._once_slot(key, once, effect, args, params)
        if self.used.get(slot):
            return False
        self.used[slot] = 1
        return True

    def _once_slot(
        self, key: str, once: tuple[str, tuple[str, ...]], effect: Effect | None, args: Sequence[Any],
        params: Sequence[ir.Param],
    ) -> tuple[Any, ...]:
        scope, per = once
        period = {"game": 0, "turn": self.battle.turn, "phase": (self.battle.turn, self.battle.phase)}.get(scope, 0)
        by_name = {p.name: a for p, a in zip(params, args, strict=False)}
        keys = tuple(getattr(by_name.get(k), "id", str(by_name.get(k))) for k in per)
        return (key, effect.id if effect is not None else "", scope, period, keys)

    # -- windows of reactions ----------------------------------------------------------------------

    def _has_reactions(self, event: ir.Event) -> bool:
        return bool(event.reactions) or bool(self.live_reactions.get(event.name))

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
            return [self.code.function(event.asks)(self, *h.args)]
        if event.asks_who == "enemies":
            actor = next((getattr(a, "side", None) for a in h.args if isinstance(getattr(a, "side", None), Side)), None)
            return [s for s in self.sides if s is not actor]
        return list(self.sides)

    def _open_reactions(self, h: Happening, side: Side) -> list[tuple[ir.Reaction, Effect | None, Any]]:
        rows: list[tuple[ir.Reaction, Effect | None]] = [(r, None) for r in h.event.reactions]
        rows += self.live_reactions.get(h.event.name, [])
        rows.sort(key=lambda r: (r[0].order, r[1].bearer._index if r[1] is not None else 0))
        found = []
        for reaction, effect in rows:
            bearer = effect.bearer if effect is not None else None
            for member in self.code.function(reaction.members)(self, effect, bearer, *h.args):
                if getattr(member, "side", None) is side and self._may_react(h, reaction, effect, member):
                    found.append((reaction, effect, member))
        return found

    def _may_react(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> bool:
        if r.once is not None and self.used.get(self._reaction_slot(h, r, effect, member)):
            return False
        bearer = effect.bearer if effect is not None else None
        return r.when is None or bool(self.code.function(r.when)(self, effect, bearer, *h.args, member))

    def _reaction_slot(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> tuple[Any, ...]:
        assert r.once is not None
        return self._once_slot(r.key, r.once, effect, [*h.args, member], r.run.params[2:])

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
        decision = Decision(f"reaction to {h.event.name}", side, options, rate=self._worth_of(h) if rated else None)
        answer: tuple[ir.Reaction, Effect | None, Any] | None = self._ask(decision)
        return answer

    def _worth_of(self, h: Happening) -> Callable[[Any], Any]:
        """How a reaction on offer is rated; one without a rating is worth nothing, like passing."""

        def rate(row: tuple[ir.Reaction, Effect | None, Any]) -> Any:
            reaction, effect, member = row
            if reaction.rated is None:
                return 0
            bearer = effect.bearer if effect is not None else None
            return self.code.function(reaction.rated)(self, effect, bearer, *h.args, member)

        return rate

    def _react(self, h: Happening, r: ir.Reaction, effect: Effect | None, member: Any) -> None:
        if r.once is not None:
            self.used[self._reaction_slot(h, r, effect, member)] = 1
        bearer = effect.bearer if effect is not None else None
        self.note("reaction", reaction=r.title, by=_shown(member), to=h.event.name)
        outer, self.reacting = self.reacting, getattr(member, "side", None)
        try:
            self.code.procedure(r.key)(self, effect, bearer, *h.args, member)
        finally:
            self.reacting = outer
        if effect is not None:
            self.used_up(effect)

    # -- choosing ------------------------------------------------------------------------------------

    def _ask(self, decision: Decision) -> Any:
        """Put a decision to its side's player; gives the value chosen."""
        raise NotImplementedError

    def choose(
        self, name: str, chooser: Any, values: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, about: tuple[Any, ...] = (),
    ) -> Any:  # fmt: skip
        """One of the values (or none). With a single option nobody is asked. about: things that it is asked for."""
        free = getattr(values, "free", None)
        if free is None and not or_none and len(values) <= 1:
            return values[0] if values else None
        if not values and (free is None or not or_none):
            return None
        side = getattr(chooser, "side", chooser)
        options = make_options(values, or_none, self._unknown(values, side))
        return self._ask(Decision(name, side, options, secretly, rated, usually, free, self._known(about, side)))

    def _known(self, things: tuple[Any, ...], side: Any) -> tuple[Any, ...]:
        """Those of some things that are there and that a side may know."""
        return tuple(t for t in things if t is not None and self.knows(side, t))

    def _unknown(self, values: Sequence[Any], side: Any) -> list[Any]:
        """Those of some values that a side may not know."""
        return [v for v in values if not self.knows(side, v)] if self.hidden else []

    def choose_several(
        self, name: str, chooser: Any, values: Sequence[Any], most: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, about: tuple[Any, ...] = (),
    ) -> list[Any]:  # fmt: skip
        """Up to so many of the values, one after the other."""
        chosen: list[Any] = []
        while len(chosen) < int(most):
            left = [v for v in values if v not in chosen]
            if not left:
                break
            one = self.choose(name, chooser, left, True, secretly, rated, usually, about)
            if one is None:
                break
            chosen.append(one)
        return chosen

    def choose_course(
        self, name: str, chooser: Any, rows: list[tuple[str, bool, Callable[[], Any] | None]],
        about: tuple[Any, ...] = (),
    ) -> str | None:  # fmt: skip
        """One of the named courses that are open."""
        open_ = [(label, rate) for label, when, rate in rows if when]
        if len(open_) <= 1:
            return open_[0][0] if open_ else None
        rates = dict(open_)
        rated = None
        if any(rate is not None for rate in rates.values()):
            rated = lambda label: rates[label]() if rates[label] is not None else 0  # type: ignore[misc]  # noqa: E731
        side = getattr(chooser, "side", chooser)
        options = [Option(label.replace("_", " "), label) for label, _ in open_]
        course: str = self._ask(Decision(name, side, options, False, rated, about=self._known(about, side)))
        return course

    def span(self, low: Any, high: Any) -> list[int]:
        """The whole numbers of a choice `from low to high`."""
        if int(high) - int(low) > 10_000:
            raise RuleFault(f"a choice from {low} to {high} has too many answers")
        return list(range(int(low), int(high) + 1))

    def ordered_by(self, chooser: Any, name: str, items: list[Any]) -> list[Any]:
        """The items in an order that somebody chooses, one after the other."""
        left, done = list(items), []
        while len(left) > 1:
            one = self.choose(f"order of {name}", chooser, left, False, False, None, None)
            left = [i for i in left if i is not one]
            done.append(one)
        return done + left

    def options_of(self, name: str, args: tuple[Any, ...]) -> Any:
        """The options of a `choice` block, narrowed by what is in force."""
        choice = self.program.choices[name]
        options = self.code.function(choice.options)(self, *args)
        rows: list[tuple[ir.Narrowing, Effect | None]] = [(n, None) for n in choice.narrowings]
        rows += self.live_narrowings.get(name, [])
        for narrowing, effect in rows:
            given = (effect, effect.bearer if effect is not None else None, *args)
            if narrowing.when is None or self.code.function(narrowing.when)(self, *given):
                kept = self.code.function(narrowing.keep)(self, *given)
                options = [o for o in options if o in kept]
        return options

    def reveal(self, what: Any) -> None:
        """Lay a secret open: a hidden thing (or several) is known to all from now on."""
        for one in what if isinstance(what, list) else [what]:
            self.show(one)
        self.note("reveal", what=_shown(what))


class _NoEvent(Happening):
    """Stands for the event where none is on its way; cancelling it does nothing."""

    def __init__(self) -> None:
        self.args, self.cancelled, self.chain, self.outcome, self.outcome_ran = [], False, [], None, True


_NO_EVENT: Happening = _NoEvent()

__all__ = ["Events", "Happening", "InForce", "Mapping"]
