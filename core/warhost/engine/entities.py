"""The things of a battle. Fields of the rules are plain attributes; what begins with _ belongs to the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from warhost.lang.python_backend import attribute

if TYPE_CHECKING:
    from warhost.lang.program import Definition


class Entity:
    """A thing of some noun. index is the order of creation and decides every order that nothing else decides.

    _mask has the bit of each number that something borne may change; _live lists those things by number;
    _titles counts what is borne by title. _gone: off the table for good; _placed: it has a
    place (a board plugin says so); _unborn: made in the middle of a battle, and removed before it had one.
    """

    def __init__(self, noun: str, id: str, name: str, index: int) -> None:
        self.id = id
        self.name = name
        self._noun = noun
        self._index = index
        self._mask = 0
        self._live: dict[str, list[Any]] = {}
        self._titles: dict[str, int] = {}
        self._borne: list[Effect] = []
        self._gone = False
        self._placed = True
        self._unborn = False
        self._whole: Entity | None = None
        self._parts: list[Entity] = []
        self._place: Any = None

    if TYPE_CHECKING:  # fields are declared by rules, not here

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __getattr__(self, name: str) -> Any:
        whole = self.__dict__.get("_whole")
        if whole is not None and not name.startswith("_"):
            if name == "lost_first":
                return False
            return whole if name == "whole" else getattr(whole, name)
        raise AttributeError(f'{self._noun} "{self.__dict__.get("name")}" has no "{name}"')

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self._noun} {self.id}>"

    @property
    def effects(self) -> list[Effect]:
        """What it bears, in the order in which it came into force."""
        return list(self._borne)


class Side(Entity):
    """One player's side. enemy is the other one of two; index its place in the order of the sides, from 1."""

    def __init__(self, id: str, name: str, index: int) -> None:
        super().__init__("side", id, name, index)
        self.side = self
        self.enemy: Side = self
        self.index = 0
        self.army: Any = None
        self.units: list[Entity] = []


class Effect(Entity):
    """An instance of a definition in force: borne by someone, with parameters and what it keeps.

    other is its partner, when the definition is one of a pair and both are borne on one side.
    """

    def __init__(self, definition: Definition, id: str, index: int, bearer: Any, giver: Any) -> None:
        super().__init__("effect", id, definition.title, index)
        self.kind = definition.kind
        self.bearer = bearer
        self.giver = giver
        self.definition = definition
        self.until: Any = ("battle", "")
        self.ended = False
        self.key = ""
        self.other: Effect | None = None
        self._made: list[Entity] = []
        self._owner: Side | None = None

    @property
    def side(self) -> Any:
        """The side of whoever gave it, else of its bearer; None when neither has one."""
        who = self.giver if self.giver is not None else self.bearer
        return getattr(who, "side", None)

    @property
    def owner(self) -> Any:
        """The giver's side, unless rules have given it to another."""
        return self._owner if self._owner is not None else self.side

    @owner.setter
    def owner(self, side: Side) -> None:
        self._owner = side

    def names_target(self) -> bool:
        """Whether the definition itself says what its target is."""
        d = self.definition
        return "target" in d.keeps or any(p.name == "target" for p in d.params)


class DefinitionValue:
    """A definition as a value of the rules: a field of its kind's type, the items of a list."""

    def __init__(self, definition: Definition, flags: Mapping[str, bool], values: Mapping[str, Any]) -> None:
        self.name = definition.title
        self.kind = definition.kind
        self.cost = self.points = definition.cost or 0
        self.definition = definition
        self._titles: dict[str, int] = dict.fromkeys(definition.titles, 1)
        for key, value in {**flags, **values}.items():
            setattr(self, attribute(key), value)

    def __str__(self) -> str:
        return self.name


class Record:
    """The one thing of its noun (the battle, the scenario) or a passing one (a throw, a die, an army)."""

    def __init__(self, noun: str, **values: Any) -> None:
        self._noun = noun
        self._titles: dict[str, int] = {}
        self._mask = 0
        for key, value in values.items():
            setattr(self, key, value)

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __str__(self) -> str:
        return str(self.__dict__.get("name") or self._noun)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'{self._noun} has no "{name}"')
