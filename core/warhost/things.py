"""What a plugin may ask of a battle and of its things.

Fields that rules declare are plain attributes; what else can be asked of a thing is asked by the functions below.

    from warhost.things import is_gone, noun_of

    if noun_of(thing) == "unit" and not is_gone(thing):
        ...
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Protocol


class PluginBattle(Protocol):
    """A battle as hooks and functions of plugins are given it: what is here is public, and nothing else (see
    docs/plugins.md). Methods raise RuleFault for what cannot be done.
    """

    #: The first side and the last.
    side_a: Any
    side_b: Any
    #: The singletons of the rules: the clock is battle.turn, battle.phase.
    battle: Any
    scenario: Any
    #: The ruleset that is played, and its checked rules.
    rules: Any
    program: Any
    #: The only source of chance: pool(count, sides), pick(count).
    dice: Any
    #: Grows with every write: what was worked out for one version holds while it stays the same. A plugin that changes
    #: something of its own on which answers depend adds 1.
    version: int
    #: Whether a rule has stopped the move that is under way.
    travel_stopped: bool

    @property
    def sides(self) -> Sequence[Any]:
        """The sides, in the order in which they sit."""

    @property
    def by_id(self) -> Mapping[str, Any]:
        """Every thing that has been in the battle."""

    @property
    def everyone(self) -> Mapping[str, Sequence[Any]]:
        """The things of each noun, in the order in which they were made."""

    def ask(self, name: str, /, *args: Any) -> Any:
        """A number, flag or value of the rules, with everything in force."""

    def ask_all(self, names: Sequence[str], /, *args: Any) -> list[Any]:
        """Several of them for the same arguments."""

    def standing(self, names: tuple[str, ...], /) -> int:
        """Something worked out from numbers, flags, values of the rules and fields, all by their names, holds as long
        as this gives the same number. It never comes back once it has changed.
        """

    def put(self, entity: Any, name: str, value: Any, /) -> None:
        """Writes a field, within its limits and within `together`."""

    def create(self, noun: str, id: str, name: str, **values: Any) -> Any:
        """A new thing; values are fields that nobody changes."""

    def remove(self, entity: Any, /) -> None:
        """A thing leaves the battle."""

    def give(self, kind: str, title: str, args: tuple[Any, ...], to: Any, /) -> Any:
        """Something of a kind comes into force on a thing."""

    def emit(self, name: str, args: list[Any], /) -> None:
        """An event, with all its handlers."""

    def is_heard(self, event: str, /) -> bool:
        """Whether anything in force waits for an event."""

    def note(self, kind: str, *, told: Callable[[], str] | None = None, **values: Any) -> None:
        """A record of the log."""

    def hide(self, thing: Any, /, *knowing: Any, open: Any = ()) -> None:
        """Only these sides know a thing from now on; open are fields that everybody may read."""

    def show(self, thing: Any, side: Any = None, /) -> None:
        """A side knows it again; None: everybody."""

    def knows(self, side: Any, thing: Any, /) -> bool:
        """Whether a side may know a thing."""

    def scores(self) -> Sequence[Any]:
        """The `SideResult` of each side now: points, points_lost and victory_points, in points, and units_left."""

    def look_ahead(self, answer: Any, players: Sequence[Any], seed: int, until: Callable[[Any], Any], /) -> Any:
        """For a player who is being asked: one rollout after an answer (see `Battle.look_ahead`)."""


class PluginValue:
    """A value of a plugin's own that rules handle as they do things: a way to go, a place to stand. It bears nothing.

        class Spot(PluginValue, noun="spot"):
            ...

    noun: what the rules call it (`profile of spot` declares its fields).
    """

    _noun: ClassVar[str] = ""
    _mask: ClassVar[int] = 0
    _titles: ClassVar[Mapping[str, int]] = MappingProxyType({})
    _gone: ClassVar[bool] = False
    _placed: ClassVar[bool] = True

    def __init_subclass__(cls, noun: str = "", **more: Any) -> None:
        super().__init_subclass__(**more)
        if noun:
            cls._noun = noun


def noun_of(thing: Any) -> str:
    """The noun of a thing: `unit`, `terrain`, `side`, or that of a plugin's own values; "" for what is no thing."""
    noun: str = getattr(thing, "_noun", "")
    return noun


def is_gone(thing: Any) -> bool:
    """Whether a thing has left the battle for good."""
    gone: bool = getattr(thing, "_gone", False)
    return gone


def was_never_placed(thing: Any) -> bool:
    """Whether a thing was made in the middle of the battle and left it before it ever had a place on the board."""
    unborn: bool = getattr(thing, "_unborn", False)
    return unborn


def is_placed(thing: Any) -> bool:
    """Whether a thing has a place on the board. Board plugins say so, with `set_placed`."""
    placed: bool = getattr(thing, "_placed", True)
    return placed


def titles_of(thing: Any) -> Collection[str]:
    """The titles of everything that a thing bears, or that a definition is known by."""
    titles: Collection[str] = thing._titles
    return titles


def parts_of(thing: Any) -> Sequence[Any]:
    """The things of which a thing consists (the models of a unit, if the rules have such), in their order."""
    parts: Sequence[Any] = thing._parts
    return parts


def whole_of(part: Any) -> Any:
    """The thing of which another is a part; None for one that stands alone."""
    return part._whole


def mask_of(thing: Any) -> int:
    """The numbers that something borne by a thing may change, as bits (`battle.code.bit(number)`); 0: none."""
    mask: int = getattr(thing, "_mask", 0)
    return mask


def set_placed(thing: Any, placed: bool) -> None:
    """Say whether a thing has a place. It is for the plugin that owns the board."""
    thing._placed = placed


def given_place(unit: Any) -> Any:
    """The place that an army, a battle or an example gives a unit, as it is written there; None if it gives none."""
    return unit._place


def order_of(thing: Any) -> int:
    """When a thing was made: the first of a battle is 1. It decides every order that nothing else decides."""
    order: int = thing._index
    return order
