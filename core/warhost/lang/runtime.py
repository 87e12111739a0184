"""What rules that run may ask of the battle in which they run: the whole of it, and nothing else.

The compiler writes calls of these methods, the interpreter makes them, the engine's `Battle` has them. A thing of a
battle is an entity of the engine, to which the language is blind: here it is `Any`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NoReturn, Protocol

from warhost.lang import ir

#: How long something lasts: ("until", moment), ("for", turns), ("while", condition) and the like.
Lasting = tuple[Any, ...]

#: When something happens: start or end, of what, whose, and whether the next one is meant.
Moment = tuple[str, str, Any, bool]


class KeptResults(Protocol):
    """What a number gave, by its arguments, as long as it stands."""

    #: How many changes there had been when it was last looked whether it still stands.
    seen: int
    known: dict[Any, Any]

    def look(self, rt: Any, /) -> None:
        """Forget what no longer stands."""


class Runtime(Protocol):
    """A battle as running rules see it. Methods raise RuleFault for what cannot be done."""

    #: Steps that may still be taken in this phase; below nothing the rules are taken to run away.
    steps: int
    #: How often what numbers can see may have changed; and how often each field has been written.
    changes: int
    written: defaultdict[str, int]
    #: One bit for each number that something borne by nobody may change.
    loose_mask: int
    #: What a `together` holds back until its end; None outside.
    held_back: Any

    @property
    def everyone(self) -> Mapping[str, Sequence[Any]]:
        """The things of each noun, in the order in which they were made."""

    @property
    def kept(self) -> Mapping[str, KeptResults]:
        """What costly numbers gave, by their names."""

    @property
    def event(self) -> Any:
        """The event on its way."""

    # -- the budget and faults

    def exhausted(self) -> NoReturn:
        """The steps are spent."""

    def spend(self, steps: int, /) -> None:
        """Take more steps than one."""

    def counted(self, items: Any, /) -> Any:
        """A list that is gone through: each item is a step."""

    def fault(self, message: str, /) -> NoReturn:
        """Something that the rules do not allow for."""

    # -- numbers

    def compute(self, n: ir.Number, args: tuple[Any, ...], /) -> Any:
        """A number, flag or value with everything that changes it."""

    def more(self, n: ir.Number, args: tuple[Any, ...], /) -> Any:
        """What things in force add to a number besides its own lines; None if they do anything else to it."""

    def use_number(self, number: Callable[..., Any], args: tuple[Any, ...], /) -> Any:
        """A number that a step takes: what changed it and lasts `until used` is over."""

    def total_counting(self, n: ir.Number, keys: tuple[str, ...], rows: list[tuple[Any, ...]], /) -> Any:
        """The sum over rows of arguments; what is added under the keys counts once for each source."""

    # -- dice

    def die_total(self, count: Any, sides: Any, /) -> int:
        """Dice of a formula, added up."""

    def thrown(self, roller: Any, formula: Callable[[], Any], lays_out: bool = True, /) -> Any:
        """Somebody throws a formula; lays_out: it may be asked for its dice before they fall."""

    def make_roll(self, roll: ir.Roll, args: tuple[Any, ...], /) -> Any:
        """A roll of the rules: yes or no, a number, or a word."""

    def how_many(self, roll: ir.Roll, count: Any, passing: bool, args: tuple[Any, ...], /) -> int:
        """So many dice of a test: how many pass, or fail."""

    # -- fields

    def put(self, entity: Any, name: str, value: Any, /) -> None:
        """A field gets a value, within its limits."""

    def add(self, entity: Any, name: str, amount: Any, /) -> None:
        """A field grows."""

    def take_off(self, entity: Any, name: str, amount: Any, /) -> None:
        """A field shrinks."""

    def together(self) -> AbstractContextManager[Any]:
        """Inside, reads see the state of the start; what is done follows at the end."""

    # -- things in force

    def bears_kind(self, who: Any, kind: str, /) -> bool:
        """Whether somebody bears anything of a kind."""

    def definition(self, kind: str, title: str, /) -> Any:
        """A definition as a value."""

    def definitions_of(self, kind: str, /) -> Sequence[Any]:
        """All definitions of a kind."""

    def give(self, kind: str, title: str, args: tuple[Any, ...], to: Any, giver: Any, lasting: Lasting, /) -> Any:
        """Somebody bears an instance of a definition from now on."""

    def give_definition(self, what: Any, args: tuple[Any, ...], to: Any, giver: Any, lasting: Lasting, /) -> Any:
        """The same for a definition that is a value."""

    def take(self, title: str, of: Any, /) -> None:
        """Every instance of a title that somebody bears ends."""

    def end_effect(self, effect: Any, /) -> None:
        """One instance ends."""

    def add_modifier(
        self, template: str, captured: tuple[Any, ...], pins: tuple[tuple[int, Any], ...], lasting: Lasting, /
    ) -> None:
        """A line of a number is put in force. captured: the locals that it sees; pins: arguments that must fit."""

    def later(self, when: Moment, run: Callable[[], None], /) -> None:
        """Something to be done at a moment to come."""

    # -- events and choices

    def emit(self, name: str, args: list[Any], outcome: Callable[..., Any] | None = None, /) -> None:
        """An event happens; outcome is what comes of it, unless others replace it."""

    def proceed(self, h: Any, /) -> None:
        """What was replaced happens all the same."""

    def choose(
        self, name: str, chooser: Any, values: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, /, about: tuple[Any, ...] = (),
        says: Callable[[], str] | None = None,
    ) -> Any:  # fmt: skip
        """Somebody chooses one of some values. about: the things that the rule is busy with; says: what the player
        is asked, in words.
        """

    def choose_several(
        self, name: str, chooser: Any, values: Sequence[Any], most: Any, or_none: bool, secretly: bool,
        rated: Callable[[Any], Any] | None, usually: Callable[[], Any] | None, /, about: tuple[Any, ...] = (),
        says: Callable[[], str] | None = None,
    ) -> list[Any]:  # fmt: skip
        """Up to so many of them."""

    def choose_course(
        self, name: str, chooser: Any, rows: list[tuple[str, bool, Callable[[], Any] | None]], /,
        about: tuple[Any, ...] = (), says: Callable[[], str] | None = None,
    ) -> str | None:  # fmt: skip
        """One of some courses, each with its label, whether it is open, and its rating."""

    def options_of(self, name: str, args: tuple[Any, ...], /) -> Any:
        """The options of a `choice` block, with what narrows them."""

    def ordered_by(self, chooser: Any, name: str, items: list[Any], /) -> list[Any]:
        """Some items in an order that somebody chooses."""

    def span(self, low: Any, high: Any, /) -> range:
        """The whole numbers from low to high."""

    def say(self, told: Callable[[], str], /) -> None:
        """A line of the story; told makes it anew for those who may not know everything."""

    def refuse(self, text: str, file: str, line: int, /) -> None:
        """What was asked for cannot be: raises Refused."""

    def reveal(self, what: Any, /) -> None:
        """What was hidden is known to all."""

    # -- ways over the board

    def travel(self, who: Any, path: Any, handlers: list[tuple[str, Callable[..., Any]]], /) -> None:
        """A move that a board offered; handlers hear of what is met on the way."""

    def stop_travel(self) -> None:
        """The mover goes no further."""
