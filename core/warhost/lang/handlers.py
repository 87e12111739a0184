"""Handlers of events and moments, and reactions: at the margin, and in what somebody bears."""

from __future__ import annotations

from collections.abc import Sequence

from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker
from warhost.lang.number_lines import NumberLines
from warhost.lang.program import Definition
from warhost.lang.scope import Scope
from warhost.lang.symbols import EFFECT
from warhost.lang.types import ANY, NUMBER, list_of

#: Of what `once per ..` can be.
PERIODS = ("game", "turn", "phase")


class Handlers:
    """Lowers handlers and reactions. definition is what somebody bears that brings them, None at the margin."""

    def __init__(self, checker: BlockChecker, lines: NumberLines) -> None:
        self.checker = checker
        self.symbols = checker.symbols
        self.lines = lines

    def handler_block(self, b: tree.HandlerBlock) -> None:
        """A handler at the margin: always in force."""
        scope = Scope("a handler", pure=False, decision=b.handler.event or "")
        made = self.handler(b.handler, scope, None, f"handler at {b.pos.file}:{b.pos.line}", ())
        if made is not None:
            self.checker.out.handlers.append(made)

    def reaction_block(self, b: tree.ReactionBlock) -> None:
        """A reaction at the margin: open to whoever fits its `by`."""
        scope = Scope("a reaction", pure=False)
        self.reaction(b.reaction, scope, None, ())

    def _bind_event(self, names: Sequence[str], event: ir.Event, scope: Scope, pos: tree.Pos) -> Scope:
        inner = scope.inner(pure=False, event_params=tuple(names), event=event.name)
        if names and len(names) != len(event.params):
            shown = ", ".join(p.name for p in event.params)
            self.symbols.report(
                pos, "wrong-parameters", f'"{event.name}" has {len(event.params)} parameters: ({shown})',
                f"name all of them in this order: {event.name}({shown})",
            )
        for name, p in zip(names, event.params, strict=False):
            inner.bind(name, p.type, p.name)
        inner.event_params = tuple(names)
        if inner.anchor is None:
            inner.anchor = self.checker.first_with_side(event.params)
        return inner

    def handler(
        self, h: tree.Handler, scope: Scope, definition: Definition | None, origin: str,
        conditions: Sequence[tree.Expr],
    ) -> ir.Handler | None:
        """A handler of an event or a moment; None when there is no such event. conditions: of the `while` around it."""
        if h.hook == "at":
            return self._moment_handler(h, scope, definition, origin, conditions)
        event = self.checker.event(h.event or "")
        if event is None:
            self.symbols.unknown(h.pos, "event", h.event or "", self.symbols.blocks["event"])
            return None
        hook = "after" if h.hook == "on" else h.hook
        inner = self._bind_event(h.params, event, scope, h.pos)
        inner.hook, inner.decision = hook, event.name
        when = self._handler_condition(h, event, inner, conditions)
        for c in (*conditions, *((h.when,) if h.when is not None else ())):
            self.checker.learn(c, inner, True)
        body = self.checker.body(h.body, inner)
        return self._made_handler(h, hook, event, when, body, definition, origin)

    def _handler_condition(
        self, h: tree.Handler | tree.Reaction, event: ir.Event, scope: Scope, conditions: Sequence[tree.Expr],
        extra: Sequence[str] = (),
    ) -> ir.Routine | None:
        pure = scope.inner(pure=True, what=f"the condition of a handler of {event.name}")
        value = self.checker.all_conditions((*conditions, h.when), pure)
        if value is None:
            return None
        params = ["this", "bearer", *(p.name for p in event.params), *extra]
        types = {**{p.name: p.type for p in event.params}, **pure.names}
        shown = [ir.Param(p, types.get(p, ANY)) for p in params]
        return ir.Routine(f"{event.name} when", scope.what, shown, value=value, pos=value.pos)

    def _made_handler(
        self, h: tree.Handler, hook: str, event: ir.Event, when: ir.Routine | None, body: list[ir.Statement],
        definition: Definition | None, origin: str,
    ) -> ir.Handler:
        self.checker.lines_made += 1
        key = f"{hook} {event.name}#{self.checker.lines_made}"
        params = [ir.Param("this", EFFECT), ir.Param("bearer", ANY), *event.params]
        run = ir.Routine(key, origin, params, body=body, ref=h.ref, pos=h.pos)
        self.checker.out.procedures[key] = run
        once = self._once(h.once, params[2:])
        pin, path = self._event_pin(when, event)
        return ir.Handler(
            key, hook, event.name, when, run, once, pin, path, definition is None, 0, self.checker.lines_made,
            origin=origin, pos=h.pos,
        )

    def _once(self, once: tree.Once | None, params: Sequence[ir.Param]) -> tuple[str, tuple[str, ...]] | None:
        """How often it may happen: a period that the engine counts, and for which of the parameters each."""
        if once is None:
            return None
        if once.scope not in PERIODS:
            self.symbols.unknown(once.pos, "period", once.scope, PERIODS)
        names = [p.name for p in params]
        for name in once.per:
            if name not in names:
                self.symbols.unknown(once.pos, "parameter", name, names)
        return once.scope, once.per

    def _event_pin(self, when: ir.Routine | None, event: ir.Event) -> tuple[int | None, tuple[str, ...]]:
        if when is None:
            return None, ()
        fake = ir.Number(event.name, "number", event.params, NUMBER, when)
        return self.lines.pin(when.value, fake)

    def _moment_handler(
        self, h: tree.Handler, scope: Scope, definition: Definition | None, origin: str,
        conditions: Sequence[tree.Expr],
    ) -> ir.Handler | None:
        assert h.moment is not None
        event = ir.Event(f"{h.moment.edge} of {h.moment.what}", [], False, None, "", False, None)
        inner = scope.inner(pure=False, hook="at", decision=event.name)
        when = self._handler_condition(h, event, inner, conditions)
        handler = self._made_handler(h, "at", event, when, self.checker.body(h.body, inner), definition, origin)
        pure = scope.inner(pure=True, what="a moment")
        handler.moment = self.checker.when(h.moment, pure)
        return handler

    def reaction(
        self, r: tree.Reaction, scope: Scope, definition: Definition | None, conditions: Sequence[tree.Expr]
    ) -> ir.Reaction | None:
        """A reaction to an event; None when there is no such event. conditions: of the `while` around it."""
        event = self.checker.event(r.event)
        if event is None:
            self.symbols.unknown(r.pos, "event", r.event, self.symbols.blocks["event"])
            return None
        inner = self._bind_event(r.params, event, scope, r.pos)
        inner.hook, inner.decision = "reaction", r.title.text
        asked = self.symbols.blocks["event"].get(event.name)
        friendly = bool(r.by.words) and r.by.words[0].text == "friendly"
        if definition is None and friendly and isinstance(asked, tree.EventBlock) and asked.asks_enemies:
            self.symbols.report(
                r.by.pos, "never", f"nobody is ever asked: {event.name} asks enemies, and these are friends",
                f"write `by enemy ..`, or let the event ask others: `asks all` in event {event.name}",
            )  # fmt: skip
        names = ["this", "bearer", *(p.name for p in event.params)]
        members, member = self._members(r, inner, names)
        pure_when = self._handler_condition(r, event, inner, conditions, (member,))
        if r.when is not None:
            self.checker.learn(r.when, inner, True)
        inner.anchor = ir.Local(member, type=inner.names.get(member, ANY))
        body = self.checker.body(r.body, inner)
        self.checker.lines_made += 1
        key = f"reaction {r.title.text}#{self.checker.lines_made}"
        params = [ir.Param(n, ANY) for n in names] + [ir.Param(member, ANY)]
        run = ir.Routine(key, r.title.text, params, body=body, ref=r.ref, pos=r.pos)
        self.checker.out.procedures[key] = run
        once = self._once(r.once, params[2:])
        reaction = ir.Reaction(
            key, r.title.text, event.name, members, pure_when, run, once, definition is None, 0,
            self.checker.lines_made, origin=scope.what, rated=self._rating_of(r, event, inner, member), pos=r.pos,
        )
        if definition is None:
            event.reactions.append(reaction)
        else:
            definition.reactions.append(reaction)
        return reaction

    def _rating_of(self, r: tree.Reaction, event: ir.Event, scope: Scope, member: str) -> ir.Routine | None:
        """What it is worth to react."""
        if r.rated is None:
            return None
        pure = scope.inner(pure=True, what="the rating of a reaction")
        value = self.checker.lower(r.rated, pure)
        self.checker.insist_number(value, r.rated, "a rating")
        types = {**{p.name: p.type for p in event.params}, **pure.names}
        params = [ir.Param(p, types.get(p, ANY)) for p in ("this", "bearer", *(p.name for p in event.params), member)]
        return ir.Routine(f"{r.title.text} rated", r.title.text, params, value=value, pos=r.pos)

    def _members(self, r: tree.Reaction, inner: Scope, names: Sequence[str]) -> tuple[ir.Routine, str]:
        """Who may react: the members of the phrase, or the one thing that the expression names."""
        pure = inner.inner(pure=True, what=f"who may react to {r.event}")
        if r.by.source is not None and not r.by.where:
            who = self.checker.lower(r.by.source, pure)
            if who.type.kind != "list":
                name = r.by.alias or "reactor"
                inner.bind(name, who.type)
                value: ir.Expr = ir.CallFunction("list of", [who], type=list_of(who.type))
                return self._members_function(r, names, value), name
        name = self.checker.loop_name(r.by)
        if len(r.by.words) == 1 and r.by.words[0].text in inner.names:
            who = self.checker.lower(tree.Name(r.by.words[0].text, pos=r.by.pos), pure)
            if who.type.kind != "list":
                value = ir.CallFunction("list of", [who], type=list_of(who.type))
                name = r.by.alias or "reactor"
                inner.bind(name, who.type)
                return self._members_function(r, names, value), name
        items, _, _ = self.checker.phrase(r.by, pure, name)
        inner.bind(name, items.type.item or ANY)
        return self._members_function(r, names, items), name

    def _members_function(self, r: tree.Reaction, names: Sequence[str], value: ir.Expr) -> ir.Routine:
        params = [ir.Param(n, ANY) for n in names]
        return ir.Routine(f"{r.title.text} members", r.title.text, params, value=value, pos=r.pos)
