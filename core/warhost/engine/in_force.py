"""Effects in force, modifiers put in force by steps, and the moments at which they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from warhost.engine.budget import IN_FORCE, Budget
from warhost.engine.entities import Effect, Side
from warhost.engine.reinforcements import Reinforcements
from warhost.engine.standing import is_foreseen, make_unclear
from warhost.engine.state import Dynamic, Lasting, OneShot, State
from warhost.engine.things import Things
from warhost.engine.writes import Writes
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.program import Definition
from warhost.lang.python_backend import attribute
from warhost.lang.runtime import Runtime
from warhost.lang.types import ANY
from warhost.limits import how_to_raise, limit

#: Effects that one thing can bear at most.
MOST_EFFECTS = 500


class InForce:
    """What is in force besides the rules that always are."""

    __slots__ = ("_resetting", "budget", "reinforcements", "rt", "state", "things", "writes")

    def __init__(
        self, state: State, rt: Runtime, budget: Budget, writes: Writes, things: Things, reinforcements: Reinforcements
    ) -> None:
        self.state, self.rt, self.budget, self.writes, self.things = state, rt, budget, writes, things
        self.reinforcements = reinforcements
        self._resetting = [
            (noun.name, info)
            for noun in state.program.nouns.values()
            for info in noun.fields.values()
            if info.resets is not None
        ]

    # -- giving and taking ---------------------------------------------------------------------

    def give(
        self, kind: str, title: str, args: tuple[Any, ...], to: Any, giver: Any = None,
        lasting: Lasting = ("battle", ""),
    ) -> Effect | None:  # fmt: skip
        """Put an instance of a definition in force on somebody; within a `together`, at its end."""
        if self.writes.waits(lambda: self.give(kind, title, args, to, giver, lasting)):
            return None
        d = self.state.program.definitions[(kind, title)]
        if d.variants:
            d, args = self._variant(d, args), ()
        if len(args) != len(d.params):
            raise RuleFault(f'{kind} "{title}" takes {len(d.params)} values, not {len(args)}')
        if len(to._borne) >= MOST_EFFECTS:
            raise RuleFault(f"{to} bears more than {MOST_EFFECTS} effects")
        self._one_more()
        self.state.effects_made += 1
        effect = Effect(d, f"effect-{self.state.effects_made}", self.state.effects_made, to, giver)
        self._fill(effect, d, args)
        effect.until = self._deadline(lasting)
        if lasting[0] == "while":
            make_unclear(self.state, [t.number for one in self._definitions_with(d) for t in one.templates])
        if lasting[0] != "battle":
            self.state.timed.append(effect)
            self.state.on_use += lasting[0] == "used"
        elif d.ends_at is not None:
            owner = self._whose(d.ends_at, effect, to)
            effect.until = self._deadline(("until", (d.ends_at.edge, d.ends_at.what, owner, d.ends_at.next)))
            self.state.timed.append(effect)
        if any(info.resets is not None for info in d.keeps.values()):
            self.state.resetting.append(effect)
        self._attach(effect)
        if "pair" in d.flags:
            self._find_partner(effect)
        self.rt.emit("effect_begins", [effect])
        return effect

    def _one_more(self) -> None:
        """Something is put in force."""
        self.budget.spend(IN_FORCE)
        if len(self.state.dynamics) + len(self.state.timed) >= limit("effects"):
            raise RuleFault(f"too much is in force at a time; {how_to_raise('effects')}")

    def give_definition(self, what: Any, args: tuple[Any, ...], to: Any, giver: Any, lasting: Lasting) -> Effect | None:
        """The same for a definition that is a value of the rules."""
        return self.give(what.kind, what.name, args, to, giver, lasting)

    def _variant(self, d: Definition, words: tuple[Any, ...]) -> Definition:
        title = d.variants.get(words)
        if title is None:
            raise RuleFault(f"say which {d.title}: {' or '.join(d.variants.values())}")
        return self.state.program.definitions[(d.kind, title)]

    def _find_partner(self, effect: Effect) -> None:
        """Join the two instances of a pair that a side bears."""
        side = getattr(effect.bearer, "side", None)
        for unit in getattr(side, "units", ()):
            for one in unit._borne:
                if one is not effect and one.definition is effect.definition and one.other is None:
                    one.other, effect.other = effect, one
                    return

    def hand_over(self, effect: Effect, to: Any) -> None:
        """Let somebody else bear an effect from now on."""
        self._leave(effect)
        effect.bearer = to
        if not effect.names_target():
            effect.target = to
        if not effect.ended:
            self._attach(effect)

    def _fill(self, effect: Effect, d: Definition, args: tuple[Any, ...]) -> None:
        if self.state.program.nouns["effect"].fields:
            self.things.start_state(effect, "effect")
        for kind in self.state.program.kinds.values():
            for flag in kind.flags:
                setattr(effect, attribute(flag), flag in d.flags)
        for key, value in d.values.items():
            setattr(effect, attribute(key), value)
        for param, value in zip(d.params, args, strict=True):
            if param.type.kind == "kind" and isinstance(value, str):  # the data name a definition by its title
                value = self._named(param.type.name, value, d)
            setattr(effect, attribute(param.name), value)
        for info in d.keeps.values():
            self.things.start_field(effect, info, effect, effect.bearer)
        own = {p.name for p in d.params} | d.keeps.keys()
        for name, who in (("target", effect.bearer), ("caster", effect.giver)):
            if name not in own:
                setattr(effect, name, who)

    def _named(self, kind: str, title: str, d: Definition) -> Any:
        if (kind, title) not in self.state.program.definitions:
            raise RuleFault(f'{d.kind} "{d.title}" speaks of the {kind} "{title}", which there is not')
        return self.things.definition(kind, title)

    def _definitions_with(self, d: Definition) -> list[Definition]:
        """The definition and those it takes in with `as`."""
        found = [d]
        for key in d.includes:
            found.extend(self._definitions_with(self.state.program.definitions[key]))
        return found

    def _attach(self, effect: Effect) -> None:
        bearer = effect.bearer
        self.state.version += 1
        self.state.plain.clear()
        bearer._borne.append(effect)
        for d in self._definitions_with(effect.definition):
            for title in d.titles:
                bearer._titles[title] = bearer._titles.get(title, 0) + 1
            for t in d.templates:
                self._attach_template(t, bearer, effect)
            for h in d.handlers:
                if h.hook == "at":
                    self.state.live_moments.append((h, effect))
                else:
                    self.state.live_handlers.setdefault(h.event, []).append((h, effect))
            for r in d.reactions:
                self.state.live_reactions.setdefault(r.event, []).append((r, effect))
            for line in d.parts:
                self.reinforcements.make_parts(effect, line)
            self.state.live_rights.extend((right, effect) for right in d.rights)
            for n in d.narrowings:
                self.state.live_narrowings.setdefault(n.choice, []).append((n, effect))

    def _attach_template(self, t: ir.Template, bearer: Any, effect: Effect) -> None:
        bit = self.state.code.bit(t.number)
        if t.pin is None:
            self.state.loose.setdefault(t.number, []).append((t, effect))
            self.state.loose_mask |= bit
        else:
            rows = bearer._live.setdefault(t.number, [])
            if not any(row[0] is t and row[1] is effect for row in rows):
                rows.append((t, effect))
            bearer._mask |= bit

    def end_effect(self, effect: Effect) -> None:
        """Take an effect out of force."""
        if effect.ended or self.writes.waits(lambda: self.end_effect(effect)):
            return
        effect.ended = True
        self.state.version += 1
        self._leave(effect)
        if effect in self.state.timed:
            self.state.timed.remove(effect)
            self.state.on_use -= effect.until[0] == "used"
        if effect in self.state.resetting:
            self.state.resetting.remove(effect)
        self.rt.emit("effect_ends", [effect])

    def _leave(self, effect: Effect) -> None:
        """Its bearer no longer bears it."""
        bearer = effect.bearer
        if effect in bearer._borne:
            bearer._borne.remove(effect)
        for d in self._definitions_with(effect.definition):
            for title in d.titles:
                left = bearer._titles.get(title, 0) - 1
                if left > 0:
                    bearer._titles[title] = left
                else:
                    bearer._titles.pop(title, None)
        self._detach(effect, bearer)
        for part in effect._made:
            if part._whole is bearer and not part._gone:
                self.reinforcements.drop_part(part)
        effect._made.clear()

    def _detach(self, effect: Effect, bearer: Any) -> None:
        self.state.plain.clear()
        for number, rows in list(bearer._live.items()):
            rows[:] = [row for row in rows if row[1] is not effect]
            if not rows:
                del bearer._live[number]
                bearer._mask &= ~self.state.code.bit(number)
        for number, rows in list(self.state.loose.items()):
            rows[:] = [row for row in rows if isinstance(row, Dynamic) or row[1] is not effect]
            self._tidy_loose(number)
        tables: tuple[dict[str, list[Any]], ...] = (
            self.state.live_handlers,
            self.state.live_reactions,
            self.state.live_narrowings,
        )
        lists: list[list[Any]] = [self.state.live_moments, self.state.live_rights]
        for table in tables:
            lists.extend(table.values())
        for live in lists:
            live[:] = [row for row in live if row[1] is not effect]

    def _tidy_loose(self, number: str) -> None:
        if not self.state.loose.get(number):
            self.state.loose.pop(number, None)
            self.state.loose_mask &= ~self.state.code.bit(number)

    def take(self, title: str, of: Any) -> None:
        """End every instance of a title that somebody bears."""
        if self.writes.waits(lambda: self.take(title, of)):
            return
        for effect in [e for e in of._borne if title in e.definition.titles]:
            self.end_effect(effect)

    def bear_alike(self, who: Any, other: Any) -> None:
        """Let something bear what another bears for the whole battle, with the same values, and nothing else so long.

        What ends at some time stays with whoever has it; what a definition keeps begins anew.
        """
        if self.writes.waits(lambda: self.bear_alike(who, other)):
            return
        for effect in [e for e in who._borne if e.until[0] == "battle"]:
            self.end_effect(effect)
        for effect in [e for e in other._borne if e.until[0] == "battle"]:
            d = effect.definition
            args = tuple(getattr(effect, attribute(param.name)) for param in d.params)
            self.give(d.kind, d.title, args, who, effect.giver)

    def bears_kind(self, who: Any, kind: str) -> bool:
        """Whether something bears a definition of a kind; what can bear nothing does not."""
        return any(e.definition.kind == kind for e in getattr(who, "_borne", ()))

    # -- modifiers put in force by steps -------------------------------------------------------------

    def add_modifier(
        self, template: str, captured: tuple[Any, ...], pins: tuple[tuple[int, Any], ...], lasting: Lasting
    ) -> None:
        """Put a line of a number in force by itself. captured: the values of the names around it; pins: the things that
        it is limited to, each with the place of the parameter.
        """
        if self.writes.waits(lambda: self.add_modifier(template, captured, pins, lasting)):
            return
        self._one_more()
        t = self.state.program.templates[template]
        if lasting[0] == "while" or not is_foreseen(self.state, t):
            make_unclear(self.state, [t.number])
        dynamic = Dynamic(t, captured, pins, self._deadline(lasting))
        self.state.version += 1
        self.state.dynamics.append(dynamic)
        self.state.on_use += dynamic.until[0] == "used"
        self.state.loose.setdefault(t.number, []).append(dynamic)
        self.state.loose_mask |= self.state.code.bit(t.number)

    def end_dynamic(self, dynamic: Dynamic) -> None:
        """A line that `add_modifier` put in force holds no longer. Nothing happens when it has ended already."""
        if dynamic.ended or self.writes.waits(lambda: self.end_dynamic(dynamic)):
            return
        dynamic.ended = True
        self.state.version += 1
        self.state.on_use -= dynamic.until[0] == "used"
        self.state.dynamics.remove(dynamic)
        rows = self.state.loose.get(dynamic.template.number, [])
        rows[:] = [row for row in rows if row is not dynamic]
        self._tidy_loose(dynamic.template.number)

    # -- what lasts until it is used -----------------------------------------------------------------

    def use_number(self, number: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """A number that a step takes: what changed it and lasts `until used` is over."""
        if not self.state.on_use:
            return number(self.rt, *args)
        return self.using(lambda: number(self.rt, *args))

    def using(self, act: Callable[[], Any]) -> Any:
        """Do something that takes numbers, and end what was used for it."""
        outer, self.state.uses = self.state.uses, []
        self.state.kept.clear()
        try:
            value = act()
        finally:
            used, self.state.uses = self.state.uses, outer
        for one in used:
            self.used_up(one)
        return value

    def used_up(self, one: Effect | Dynamic) -> None:
        """Something in force has done its work: it ends if it lasts until then."""
        if one.until[0] != "used":
            return
        if isinstance(one, Dynamic):
            self.end_dynamic(one)
        else:
            self.end_effect(one)

    # -- time ----------------------------------------------------------------------------------

    def _deadline(self, lasting: Lasting) -> Lasting:
        """A duration with what it takes to know when it is over: ('until', edge, what, whose, how many to let pass)."""
        if lasting[0] == "until":
            edge, what, whose, next_ = lasting[1]
            return ("until", edge, what, whose, [self._to_pass(edge, what, whose, next_)])
        if lasting[0] == "for":
            return ("until", "end", "turn", None, [max(int(lasting[1]) - 1, 0)])
        if lasting[0] == "during":
            return ("until", "end", lasting[1], None, [0])
        return lasting

    def _to_pass(self, edge: str, what: str, whose: Any, next_: bool) -> int:
        """`end of next turn` lets the end of the present one pass; `start of next turn` does not need to."""
        if not next_ or edge == "start":
            return 0
        side = getattr(whose, "side", whose)
        return (
            1 if side is None or side is self.state.battle.active_side or self.state.battle.active_side is None else 0
        )

    @staticmethod
    def _meets(moment: tuple[str, str, Any], edge: str, what: str, whose: Any) -> bool:
        if edge != moment[0] or what not in (moment[1], f"{moment[1]}_phase"):
            return False
        owner = moment[2]
        if whose is None or owner is None or whose is owner:
            return True
        if isinstance(owner, Side):
            return getattr(whose, "side", None) is owner
        return getattr(owner, "side", None) is whose  # the period of a thing is its side's, but none of another thing's

    def moment(self, edge: str, what: str, whose: Any = None) -> None:
        """Something begins or ends: end what lasted until now, reset fields, run what waits for it."""
        now = (edge, what, whose)
        self._run_one_shots(now)
        self._run_moment_handlers(now)
        for effect in list(self.state.timed):
            if not effect.ended and self._is_over(effect.until, now):
                self.end_effect(effect)
        for dynamic in list(self.state.dynamics):
            if self._is_over(dynamic.until, now):
                self.end_dynamic(dynamic)
        self._reset_fields(now)

    def _is_over(self, until: Lasting, now: tuple[str, str, Any]) -> bool:
        if until[0] == "while":
            return not until[1]()
        if until[0] != "until" or not self._meets(now, until[1], until[2], until[3]):
            return False
        if until[4][0] > 0:
            until[4][0] -= 1
            return False
        return True

    def later(self, when: tuple[str, str, Any, bool], run: Callable[[], None]) -> None:
        """Remember steps for a moment: its edge, what begins or ends, whose that is, whether the next one is meant."""
        self.state.one_shots.append(OneShot(when, run, self._to_pass(*when)))

    def _run_one_shots(self, now: tuple[str, str, Any]) -> None:
        for shot in list(self.state.one_shots):
            if not self._meets(now, shot.when[0], shot.when[1], shot.when[2]):
                continue
            if shot.skip > 0:
                shot.skip -= 1
                continue
            self.state.one_shots.remove(shot)
            shot.run()

    def _run_moment_handlers(self, now: tuple[str, str, Any]) -> None:
        waiting: list[tuple[ir.Handler, Any]] = [(h, None) for h in self.state.program.handlers]
        waiting += self.state.live_moments
        waiting.sort(key=lambda row: (row[0].order, row[1]._index if row[1] is not None else 0))
        for handler, effect in waiting:
            if effect is not None and effect.ended:
                continue
            self._run_moment_handler(handler, effect, now)

    def _run_moment_handler(self, h: ir.Handler, effect: Effect | None, now: tuple[str, str, Any]) -> None:
        assert h.moment is not None
        bearer = effect.bearer if effect is not None else None
        if (h.moment.edge, h.moment.what) != now[:2] and h.moment.what != f"{now[1]}_phase":
            return
        if not self._meets(now, h.moment.edge, h.moment.what, self._whose(h.moment, effect, bearer)):
            return
        if h.when is None or self.state.code.function(h.when)(self.rt, effect, bearer):
            self.run_handler(h, effect, [])

    def _whose(self, when: ir.When, effect: Effect | None, bearer: Any) -> Any:
        """Whose turn or phase a moment speaks of, as seen from an effect."""
        if when.whose is None:
            return None
        functions: dict[int, ir.Routine] = self.state.code.whose
        if id(when) not in functions:
            params = [ir.Param("this", ANY), ir.Param("bearer", ANY)]
            functions[id(when)] = ir.Routine("whose", when.what, params, value=when.whose, pos=when.pos)
        return self.state.code.function(functions[id(when)])(self.rt, effect, bearer)

    def run_handler(self, h: ir.Handler, effect: Effect | None, args: list[Any]) -> None:
        """Run a handler, of an effect or (None) of the rules themselves, unless its use of the period is spent."""
        if h.once is not None and not self._once(h.key, h.once, effect, args, h.run.params[2:]):
            return
        self.state.code.procedure(h.key)(self.rt, effect, effect.bearer if effect is not None else None, *args)
        if effect is not None and h.event not in ("effect_begins", "effect_ends"):
            self.used_up(effect)

    def _once(
        self, key: str, once: tuple[str, tuple[str, ...]], effect: Effect | None, args: Sequence[Any],
        params: Sequence[ir.Param],
    ) -> bool:  # fmt: skip
        """Note one use; False when the period's use is spent."""
        slot = self.once_slot(key, once, effect, args, params)
        if self.state.used.get(slot):
            return False
        self.state.used[slot] = 1
        return True

    def once_slot(
        self, key: str, once: tuple[str, tuple[str, ...]], effect: Effect | None, args: Sequence[Any],
        params: Sequence[ir.Param],
    ) -> tuple[Any, ...]:  # fmt: skip
        """The key under which the use of something is noted that may happen once in a period (and for each of some
        keys).
        """
        scope, per = once
        period = {
            "game": 0,
            "turn": self.state.battle.turn,
            "phase": (self.state.battle.turn, self.state.battle.phase),
        }.get(scope, 0)
        by_name = {p.name: a for p, a in zip(params, args, strict=False)}
        keys = tuple(getattr(by_name.get(k), "id", str(by_name.get(k))) for k in per)
        return (key, effect.id if effect is not None else "", scope, period, keys)

    def _reset_fields(self, now: tuple[str, str, Any]) -> None:
        for noun, info in self._resetting:
            assert info.resets is not None
            if not self._meets(now, info.resets.edge, info.resets.what, None):
                continue
            for entity in self._all_of_noun(noun):
                self.state.version += 1
                self.things.start_field(entity, info, entity)
        for effect in self.state.resetting:
            self._reset_kept(effect, now)

    def _all_of_noun(self, noun: str) -> list[Any]:
        if noun in ("battle", "scenario"):
            return [getattr(self.state, noun)]
        return [e for e in self.state.by_id.values() if e._noun == noun]

    def _reset_kept(self, effect: Effect, now: tuple[str, str, Any]) -> None:
        for info in effect.definition.keeps.values():
            if info.resets is not None and self._meets(now, info.resets.edge, info.resets.what, None):
                self.state.version += 1
                self.things.start_field(effect, info, effect, effect.bearer)
