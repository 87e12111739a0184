"""The layers of a ruleset, and what each did to a block."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from warhost.errors import Problem, is_misspelt
from warhost.lang.place import Pos
from warhost.packs.yaml_source import problem_at

if TYPE_CHECKING:
    from warhost.lang.tree import AnyBlock


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of the stack. kind: 'plugin', 'ruleset' or 'house'; index counts from the lowest.

    id is the plugin's name, `id@edition` of a ruleset, or the id of a house rule. after: titles or ids of
    house rules that this one knowingly comes after. adopted: it is a house rule that a ruleset has made its own, under
    the id and title of that ruleset, right below it. reads: the sentence of a house rule's head.
    """

    id: str
    title: str
    kind: str
    index: int
    folder: Path = field(default=Path(), compare=False)
    after: tuple[str, ...] = ()
    adopted: bool = False
    reads: str = field(default="", compare=False)

    @property
    def of_house(self) -> bool:
        """Whether its files are those of a house rule, chosen or adopted."""
        return self.kind == "house" or self.adopted

    def follows(self, other: Layer) -> bool:
        """Whether this layer says that it comes after the other."""
        return other.id in self.after or other.title in self.after

    def meant_after(self, other: Layer) -> str | None:
        """A hint when one of the two says that it comes after the other, misspelt."""
        for one, below in ((self, other), (other, self)):
            if any(is_misspelt(said, (below.title, below.id)) for said in one.after):
                return f'did you mean: after "{below.title}"?'
        return None

    def knows_by(self, other: Layer, decides: str) -> str:
        """What settles a conflict with an earlier house rule. decides: what counts as long as it is not settled."""
        if other.title == self.title:
            return f'two house rules are called "{self.title}": give one of them another title'
        settled = f'{decides}choose one of them, or let one say that it knows: after "{other.title}"'
        return self.meant_after(other) or settled

    @property
    def label(self) -> str:
        """As messages name it."""
        return {"plugin": "the plugin ", "ruleset": "", "house": "the house rule "}[self.kind] + f'"{self.title}"'


class LayerChange(NamedTuple):
    """What a layer did to an element. what: 'defined', 'amended', 'replaced', 'renamed', 'removed' or 'advised'."""

    layer: Layer
    what: str
    pos: Pos


@dataclass(frozen=True, slots=True)
class Placed:
    """A block in force: layer is the one whose text it now is, history begins where it was first defined.

    order counts through the whole merged ruleset; a replaced block keeps its order. kind and name are what
    `amend` and the like say; id is unique, also for handlers and reactions, which share names. advice: who says what
    computer players think of the choices in it.
    """

    block: AnyBlock
    layer: Layer
    order: int
    history: tuple[LayerChange, ...]
    kind: str
    name: str
    id: str
    advice: tuple[LayerChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    """A block that a layer took out: the last entry of its history says which."""

    block: AnyBlock
    kind: str
    name: str
    history: tuple[LayerChange, ...]


@dataclass(frozen=True, slots=True)
class Merged:
    """replaced: blocks that took the place of others which are asked otherwise, told if somebody still asks so.
    of_plugins: blocks of plugins, whose Python may ask for them, each with what took its place.
    """

    placed: Sequence[Placed]
    removed: Sequence[Removed]
    problems: tuple[Problem, ...]
    replaced: tuple[Problem, ...] = ()
    of_plugins: tuple[tuple[AnyBlock, AnyBlock], ...] = ()


@dataclass(slots=True)
class HouseConflicts:
    """Two house rules may not replace or remove the same thing unless the later one says so."""

    problems: list[Problem]
    touched: dict[object, LayerChange] = field(default_factory=dict)

    def touch(self, thing: object, name: str, change: LayerChange) -> None:
        """A layer changes a thing (name: as messages call it); told if another house rule has changed it, too."""
        if change.layer.kind != "house":
            return
        before = self.touched.get(thing)
        self.touched[thing] = change
        if before is None or before.layer is change.layer or change.layer.follows(before.layer):
            return
        message = (
            f"{change.layer.label} has {name} {change.what}, and so has {before.layer.label} "
            f"({before.pos.file}:{before.pos.line})"
        )
        hint = change.layer.knows_by(before.layer, "the later one would decide; ")
        self.problems.append(problem_at(change.pos, "house-conflict", message, hint))


def in_order(layers: Iterable[Layer]) -> tuple[list[Layer], list[Layer]]:
    """House rules in the order in which they are laid: as given, but each behind those that it says it comes after.

    The second list holds those that come after each other in a circle; they stay as given.
    """
    waiting = list(layers)
    found: list[Layer] = []
    while waiting:
        ready = next((one for one in waiting if not any(one.follows(o) for o in waiting if o is not one)), None)
        if ready is None:
            return [*found, *waiting], waiting
        waiting.remove(ready)
        found.append(ready)
    return found, []
