"""Choices: what may be answered, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from warhost.errors import RuleFault, UsageError, did_you_mean
from warhost.lang.support import text

if TYPE_CHECKING:
    from warhost.engine.entities import Side

#: An answer: the number of an option, or plain data where a free answer is possible.
Answer = int | Mapping[str, Any]

#: A choice never has more options.
MOST_OPTIONS = 10_000

#: Options that a mistake names; of more it names the nearest and counts the rest.
MOST_NAMED = 12


class FreeAnswers(Protocol):
    """A list of options that also takes answers of the player's own making (a free move on an open table)."""

    def free(self, answer: Mapping[str, Any]) -> Any:
        """The option that the answer describes; raises RuleFault with the reasons when it is not legal."""


@dataclass(frozen=True, slots=True)
class Option:
    """value is what the rules get; label is what a player reads and an example or a script writes.

    blind: whoever chooses may not know the value, so that only the label names it.
    """

    label: str
    value: Any
    blind: bool = False


@dataclass(slots=True)
class Decision:
    """One question to one side, with every legal option.

    name: what the rules call the choice. secret: the other sides do not learn the answer. rate: gives the ruleset's own
    rating of an option's value, None without ratings; usual: gives the default answer, if the rules name one. free
    takes an answer of the player's own making. about: the things that the rule which asks is busy with, as far as the
    side may know them (the unit that is to move). number: counts the decisions of the battle. asked: makes the
    question as the rules have it in words (see `question`).

    >>> import warhost
    >>> rules = warhost.load("small_fantasy")
    >>> battle = warhost.Battle(rules, [warhost.Army.ready(name, rules) for name in ("elves", "orcs")], seed=7)
    >>> decision = battle.decide()
    >>> decision.name, decision.side.name, [option.label for option in decision.options]
    ('take_side', 'The Silver Host', ['near', 'far'])
    >>> decision.question()
    'On which side of the table will The Silver Host set up?'
    >>> decision.ratings()                # no side of the table is better here
    [0, 0]
    >>> battle.answer("near")             # or battle.answer(0), by its place among the options
    """

    name: str
    side: Side
    options: Sequence[Option]
    secret: bool = False
    rate: Callable[[Any], Any] | None = None
    usual: Callable[[], Any] | None = None
    free: Callable[[Mapping[str, Any]], Any] | None = None
    about: tuple[Any, ...] = ()
    number: int = 0
    asked: Callable[[], str] | None = field(default=None, repr=False)
    _ratings: list[Any] | None = field(default=None, repr=False)

    def question(self) -> str:
        """What the player is asked, as a sentence; "" when the rules have no words for it (or none for this side)."""
        return self.asked() if self.asked is not None else ""

    def ratings(self) -> list[Any] | None:
        """The rating of each option, by the ruleset's own numbers; none of them is worth nothing."""
        if self.rate is None:
            return None
        if self._ratings is None:
            self._ratings = [0 if o.value is None else self.rate(o.value) for o in self.options]
        return self._ratings

    def usual_index(self) -> int | None:
        """The option that the rules call the usual one."""
        if self.usual is None:
            return None
        value = self.usual()
        return next((i for i, o in enumerate(self.options) if o.value is value or o.value == value), None)

    def index_of(self, label: str) -> int:
        """The option with a label (or the id of the thing chosen); raises UsageError with the nearest one."""
        for i, o in enumerate(self.options):
            named = (o.label, getattr(o.value, "id", None), o.value if isinstance(o.value, str) else None)
            if label in (named[:1] if o.blind else named) or (o.value is None and label == "none"):
                return i
        labels = [o.label for o in self.options]
        hint = did_you_mean(label, labels) or f"the options are: {_some(label, labels)}"
        raise UsageError(f'"{label}" is no option of the decision "{self.name}"; {hint}')


def _some(wanted: str, labels: Sequence[str]) -> str:
    """The labels, or of many those that are most like the wanted one, and how many more there are."""
    if len(labels) <= MOST_NAMED:
        return ", ".join(labels)
    from difflib import get_close_matches

    shown = get_close_matches(wanted, labels, n=MOST_NAMED, cutoff=0.0)
    return f"{', '.join(shown)} .. and {len(labels) - len(shown)} more"


def label_of(value: Any) -> str:
    """How an option is called: a thing by its name, everything else as the story would write it."""
    label = getattr(value, "label", None)
    if isinstance(label, str):
        return label
    return text(value)


def make_options(values: Sequence[Any], or_none: bool, unknown: Sequence[Any] = ()) -> list[Option]:
    """Options with distinct labels: things of the same name are told apart by their ids.

    unknown: things that whoever chooses may not know; they are told apart by their places.
    """
    if len(values) > MOST_OPTIONS:
        raise RuleFault(f"a choice of {len(values)} options is more than anybody can make")
    labels = [label_of(v) for v in values]
    options = []
    for place, (value, label) in enumerate(zip(values, labels, strict=True), start=1):
        id_ = getattr(value, "id", None)
        blind = any(value is one for one in unknown)
        if blind:
            label = f"hidden {value._noun.replace('_', ' ')} {place}"
        elif isinstance(id_, str) and labels.count(label) > 1:
            label = f"{label} [{id_}]"
        options.append(Option(label, value, blind))
    if or_none:
        options.append(Option("none", None))
    return options


class Policy(Protocol):
    """A player: answers decisions. The battle (a `Battle`) is there to be looked at, not changed.

    Two more attributes are optional. `looks_ahead = True`: it may use `Battle.look_ahead`. `follow(decision, battle,
    answer)`: called instead of `decide` when its answer is repeated (undo, a journal), so that a slow player need not
    decide again.
    """

    def decide(self, decision: Decision, battle: Any) -> Answer:
        """The answer: the number of an option, or plain data where the decision takes a free answer."""


def follow(player: Policy, decision: Decision, battle: Any, answer: Answer) -> None:
    """Let a player remember an answer that is repeated, as if it had just given it."""
    told = getattr(player, "follow", None)
    if told is not None:
        told(decision, battle, answer)
    else:
        player.decide(decision, battle)


def looks_ahead(players: Sequence[Policy | None]) -> bool:
    """Whether any of these players uses `Battle.look_ahead`."""
    return any(getattr(p, "looks_ahead", False) for p in players)
