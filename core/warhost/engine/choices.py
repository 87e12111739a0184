"""Choices that the rules give somebody: options are made here, and the question is put to whoever answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from warhost.engine import audience
from warhost.engine.decisions import Decision, Option, make_options
from warhost.engine.entities import Effect
from warhost.engine.state import State
from warhost.engine.story import Story
from warhost.errors import RuleFault
from warhost.lang import ir
from warhost.lang.runtime import Runtime


class Choices:
    """`choose` and its relatives. ask: puts a decision to its side's player, and gives the value chosen."""

    __slots__ = ("ask", "rt", "state", "story")

    def __init__(self, state: State, rt: Runtime, story: Story, ask: Callable[[Decision], Any]) -> None:
        self.state, self.rt, self.story, self.ask = state, rt, story, ask

    def choose(
        self, name: str, chooser: Any, values: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, about: tuple[Any, ...] = (),
        says: Callable[[], str] | None = None,
    ) -> Any:  # fmt: skip
        """One of the values (or none). With a single option nobody is asked. about: things that it is asked for; says:
        the question in words. Raises RuleFault for a range without any number, if it may not be none.
        """
        if isinstance(values, range) and not values and not or_none:
            lowest, highest = values.start, values.stop - 1
            raise RuleFault(f'there is no number from {lowest} to {highest} to choose for "{name}"')
        free = getattr(values, "free", None)
        if free is None and not or_none and len(values) <= 1:
            return values[0] if values else None
        if not values and (free is None or not or_none):
            return None
        side = getattr(chooser, "side", chooser)
        options = make_options(values, or_none, self._unknown(values, side))
        return self.ask(
            Decision(
                name, side, options, secretly, rated, usually, free, self._known(about, side),
                asked=self._asked(says, side),
            )
        )  # fmt: skip

    def _asked(self, says: Callable[[], str] | None, side: Any) -> Callable[[], str] | None:
        """The question as the side may read it; made only for whoever wants to."""
        return partial(audience.told_to, self.state, side, says) if says is not None else None

    def _known(self, things: tuple[Any, ...], side: Any) -> tuple[Any, ...]:
        """Those of some things that are there and that a side may know."""
        return tuple(t for t in things if t is not None and self.story.knows(side, t))

    def _unknown(self, values: Sequence[Any], side: Any) -> list[Any]:
        """Those of some values that a side may not know."""
        return [v for v in values if not self.story.knows(side, v)] if self.state.hidden else []

    def choose_several(
        self, name: str, chooser: Any, values: Sequence[Any], most: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, about: tuple[Any, ...] = (),
        says: Callable[[], str] | None = None,
    ) -> list[Any]:  # fmt: skip
        """Up to so many of the values, one after the other."""
        chosen: list[Any] = []
        while len(chosen) < int(most):
            left = [v for v in values if v not in chosen]
            if not left:
                break
            one = self.choose(name, chooser, left, True, secretly, rated, usually, about, says)
            if one is None:
                break
            chosen.append(one)
        return chosen

    def choose_course(
        self, name: str, chooser: Any, rows: list[tuple[str, bool, Callable[[], Any] | None]],
        about: tuple[Any, ...] = (), says: Callable[[], str] | None = None,
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
        course: str = self.ask(
            Decision(
                name, side, options, False, rated, about=self._known(about, side), asked=self._asked(says, side)
            )
        )  # fmt: skip
        return course

    def span(self, low: Any, high: Any) -> range:
        """The whole numbers of a choice `from low to high`."""
        if int(high) - int(low) > 10_000:
            raise RuleFault(f"a choice from {low} to {high} has too many answers")
        return range(int(low), int(high) + 1)

    def ordered_by(self, chooser: Any, name: str, items: list[Any]) -> list[Any]:
        """The items in an order that somebody chooses, one after the other."""
        left: list[Any] = list(items)
        done: list[Any] = []
        while len(left) > 1:
            says = partial(_which, left[0], "comes next" if done else "comes first")
            one = self.choose(f"order of {name}", chooser, left, False, False, None, None, (), says)
            left = [i for i in left if i is not one]
            done.append(one)
        return done + left

    def options_of(self, name: str, args: tuple[Any, ...]) -> Any:
        """The options of a `choice` block, narrowed by what is in force."""
        choice = self.state.program.choices[name]
        options = self.state.code.function(choice.options)(self.rt, *args)
        rows: list[tuple[ir.Narrowing, Effect | None]] = [(n, None) for n in choice.narrowings]
        rows += self.state.live_narrowings.get(name, [])
        for narrowing, effect in rows:
            given = (effect, effect.bearer if effect is not None else None, *args)
            if narrowing.when is None or self.state.code.function(narrowing.when)(self.rt, *given):
                kept = self.state.code.function(narrowing.keep)(self.rt, *given)
                options = [o for o in options if o in kept]
        return options


def _which(item: Any, verb: str) -> str:
    """`Which unit comes first?`"""
    noun = getattr(item, "_noun", "")
    return f"Which {noun.replace('_', ' ')} {verb}?" if noun else f"Which {verb}?"
