"""What a plugin can add to the rules language, and a tool to the program.

Plain declarations, checked like everything else.

Types are written as in the language: `number`, `yes_no`, `distance`, `text`, `unit or none`, `list of unit`,
the name of a noun, a kind (its definitions) or an enumeration (`words`); `thing` is a thing of any noun. A parameter of
a function may take one of several, texts of its own among them: `"standard" or list of tactic`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

#: What a function may do besides giving a value.
EFFECTS = frozenset({"rolls", "chooses", "writes", "moves", "creates", "emits"})


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function. names: what a text given to it is the name or id of (`period`, `phase`, `profile`), so
    that `warhost check` knows a wrong one; "" for any text.
    """

    name: str
    type: str
    optional: bool = False
    names: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A named function that rules may call.

    call receives the battle first, then the arguments by position. A two-parameter yes/no function can be written
    between its arguments (`unit sees other`). effects: any of 'rolls', 'chooses', 'writes', 'moves', 'creates',
    'emits'; empty means pure, and only pure functions may be used in numbers and flags.
    statement True: it is a step, not a value.
    asks: the names of all numbers of the rules that a pure function asks and of all fields that it reads, so that what
    was computed with it can be kept as long as these stand (besides them who is there, who bears what and what the
    plugin keeps for itself, if it counts `battle.version` up when that changes); None: it may look at anything.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: str
    call: Callable[..., Any]
    doc: str
    effects: frozenset[str] = frozenset()
    asks: frozenset[str] | None = None

    @property
    def pure(self) -> bool:
        return not self.effects


def alternatives(type_: str) -> tuple[str, ...]:
    """The types of which a value may be one, without `none`.

    >>> alternatives('"standard" or list of tactic or none')
    ('"standard"', 'list of tactic')
    """
    return tuple(part for one in type_.split(" or ") if (part := one.strip()) != "none")


def function(
    name: str, params: str, result: str, call: Callable[..., Any], doc: str, *effects: str,
    asks: Collection[str] | None = None, names: Mapping[str, str] = MappingProxyType({}),
) -> Function:  # fmt: skip
    """A function with its parameters as the language writes them: `a: unit, b: side or none`; `b?: ..` is optional.

    names: by parameter, what a text given to it is the name of (see `Parameter`).
    """
    parameters = []
    for part in filter(None, (p.strip() for p in params.split(","))):
        word, _, type_ = part.partition(":")
        own = word.strip().rstrip("?")
        parameters.append(Parameter(own, type_.strip(), word.strip().endswith("?"), names.get(own, "")))
    looks_at = frozenset(asks) if asks is not None else None
    return Function(name, tuple(parameters), result, call, doc, frozenset(effects), looks_at)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a kind: what stands before the colon in its block, or in YAML.

    counts: so many things are made of a definition (the cards of a deck); of one with 0 there are none, unless rules or
    data give it.
    """

    name: str
    type: str
    doc: str
    required: bool = False
    default: Any = None
    counts: bool = False


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of block: `trait`, `mount`, `relic`. Instances have a title, parameters, fields and rules in force.

    roles are the names by which its rules know who has to do with an instance, besides `bearer`: giver, owner, and for
    what is done to somebody target and caster.

    bearer is the noun that carries an instance unless the block says `of NOUN`. flags are bare words allowed among
    the fields (`persistent`); flag_docs says what those mean whose name does not.
    """

    name: str
    plural: str
    doc: str
    bearer: str = "unit"
    fields: tuple[Field, ...] = ()
    flags: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("giver", "owner")
    flag_docs: Mapping[str, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """A number of the rules that a plugin asks, and what it can do with.

    name: the number's. at_least, at_most, more_than: the figures between which it lies; None: without end. whole: it
    counts something, and has no part. room: the key of a zone of the board (`depth`) that must be no less, for anybody
    to have room there.
    """

    name: str
    at_least: int | None = None
    at_most: int | None = None
    more_than: int | None = None
    whole: bool = False
    room: str = ""

    def misfit(self, value: Any) -> str | None:
        """What is wrong with a figure, as an end of a sentence; None when nothing is."""
        too_low = (self.at_least is not None and value < self.at_least) or (
            self.more_than is not None and value <= self.more_than
        )
        if too_low or (self.at_most is not None and value > self.at_most):
            return f"it must be {self.span}"
        return "it must be a whole number" if self.whole and value != int(value) else None

    @property
    def span(self) -> str:
        """Between which figures it lies, in words."""
        low = f"more than {self.more_than}" if self.more_than is not None else f"{self.at_least} or more"
        if self.at_most is None:
            return low
        if self.more_than is not None:
            return f"{low} and at most {self.at_most}"
        return f"{self.at_least} to {self.at_most}" if self.at_least is not None else f"{self.at_most} or less"


#: What rules know of every instance: no kind may have a field of its own of such a name.
OF_EVERY_INSTANCE = frozenset({"name", "id", "kind", "bearer", "giver", "side", "owner"})


@dataclass(frozen=True, slots=True)
class Kept:
    """What a plugin keeps of a battle besides the fields of its things, as it was at some moment.

    put_back brings it back. key is equal for equal states, whatever became of the battle since.
    """

    put_back: Callable[[], None]
    key: Hashable


@dataclass(frozen=True, slots=True)
class RulesLibrary:
    """A library of rules that a ruleset takes by its name (`libraries:` in ruleset.yaml): numbers, events and
    procedures that several books share, to be amended or replaced like those of any lower layer.

    path: its file. doc: what it is for. needs: what the ruleset must say for itself, as it would write it.
    """

    name: str
    path: Path
    doc: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Everything the active plugins declare, in the order of the ruleset's plugin list."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    asked: Mapping[str, Asked] = field(default_factory=dict)


# -- what tools offer --------------------------------------------------------------------------------


def imported(at: str) -> Any:
    """What `module:object` names."""
    return EntryPoint(at, at, "warhost.tools").load()


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program.

    name: one word, or two for a command of a group (`army show`). at: the click command, as `module:object`.
    summary: its line in the list of commands. section: the heading under which it stands there. place: where under that
    heading, lower ones first.
    """

    name: str
    at: str
    summary: str
    section: str = "More"
    place: int = 100

    def load(self) -> Any:
        """The click command."""
        return imported(self.at)


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who watches a battle that is played or replayed, and leaves a file.

    option: how he is asked for (`--report`), given to him with a path. metavar, help: of the option. what: what the
    file is called in messages. at: a class, as `module:object`, made of a battle before it is played and of the side
    that may read the file (None: everybody); it has `write(path, force)`, and `is_ours(head)` as a static method, which
    tells a file of his by its first bytes.
    """

    option: str
    metavar: str
    help: str
    what: str
    at: str

    @property
    def parameter(self) -> str:
        """The option's name as a parameter of Python."""
        return self.option.lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True)
class ExampleReader:
    """Somebody who says what is wrong with a ruleset's examples without playing them, for `warhost check`.

    at: a function, as `module:object`, of an `ExamplesToRead`; it gives Problems.
    """

    at: str


@dataclass(frozen=True, slots=True)
class ExamplePlayer:
    """Somebody who plays examples of a sort of his own: those that have a key.

    key: the key in the example that says so. at: a function, as `module:object`, of the ruleset and the example as
    plain data; it gives a sentence for everything that came out otherwise than `then` has it.
    """

    key: str
    at: str


@dataclass(frozen=True, slots=True)
class ExamplesToRead:
    """examples: those that have changed since they were last in order. topmost: those of them that the highest layer
    has; what it takes away from lower ones is not missing in theirs. program: the checked rules. beside: the texts of
    rules that hold in examples alone. house: the house rules on offer by id, each with the texts of its files. lists:
    the army lists by id. sound: nothing else is wrong with the ruleset. profiles: the ids of its profiles. texts: what
    the files say, by the names that places give them. sections: what sections of `ruleset.yaml` mean that tools read,
    by their keys; those in order alone. scenarios: the scenarios by id. unsure: readers put in
    it each example with a name that nothing has, and that is misspelt only if something is nearly called so.
    """

    examples: Sequence[Any]
    topmost: Sequence[Any]
    program: Any
    beside: Sequence[str]
    house: Mapping[str, Sequence[str]]
    lists: Mapping[str, Any]
    sound: bool
    profiles: Collection[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, Any] = field(default_factory=dict)
    scenarios: Mapping[str, Any] = field(default_factory=dict)
    unsure: list[tuple[Any, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Check:
    """Somebody who finds mistakes in a ruleset that could be played as it stands, or tells better what was found.

    of, at: what he looks at, and the function that does, as `module:object`. Checked `rules`: a `Look`
    (warhost.lang.building_program). A `ruleset` as it was read: of a `RulesetToCheck` (warhost.packs.checks), giving
    Problems. All its `problems`: of them and a `RulesetToCheck`, giving those that are told instead.
    """

    of: Literal["rules", "ruleset", "problems"]
    at: str


@dataclass(frozen=True, slots=True)
class Section:
    """A section of `ruleset.yaml` that belongs to a tool.

    key: its name. at: a function, as `module:object`, of the manifests in which it may stand (those that the ruleset
    extends first, as Maps that know their places) and of the checked rules (None where they could not be read). It
    gives what the section means and a list of Problems. What it means is `ruleset.section(key)`.
    """

    key: str
    at: str
