"""The state of a battle: plain data, which the parts of the engine change and a checkpoint keeps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from warhost.engine.dice import DiceSource
from warhost.engine.entities import Effect, Entity, Record, Side
from warhost.engine.standing import KeptAnswers, WorkedOut
from warhost.lang import ir
from warhost.lang.program import Program
from warhost.limits import limit

if TYPE_CHECKING:
    from warhost.packs.ruleset import Ruleset

#: How long something lasts: ("until", edge, what, whose, [how many to let pass]), ("while", condition) and the like.
Lasting = tuple[Any, ...]


@dataclass(slots=True)
class PendingWrite:
    """What a `together` does to one field: a setting, if any was given, and additions on top of it."""

    entity: Any
    name: str
    given: bool = False
    value: Any = None
    added: Any = 0


@dataclass(slots=True)
class Dynamic:
    """A modifier that a step put in force. pins are (parameter's index, value) that must be met."""

    template: ir.Template
    captured: tuple[Any, ...]
    pins: tuple[tuple[int, Any], ...]
    until: Lasting
    ended: bool = False
    skip: int = 0


@dataclass(slots=True)
class OneShot:
    """What `at end of turn` remembered."""

    when: tuple[str, str, Any, bool]
    run: Callable[[], None]
    skip: int


@dataclass(slots=True, eq=False)
class State:
    """Everything that rules can change in a battle, and what it is played by. It does nothing by itself."""

    # -- what the battle is played by and told in: no part of what a checkpoint keeps (see NOT_KEPT)
    rules: Ruleset
    code: Any
    dice: DiceSource
    keeps_log: bool = True
    #: Whether it is noted how every number comes about, and what has been noted since the last roll.
    recording: bool = False
    trace: list[dict[str, Any]] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)
    program: Program = field(init=False)
    #: How often what pure functions can see may have changed, and of these changes those that are no write to a field
    #: (see `version`); how often each field has been written, by its attribute, whatever thing has it.
    changes: int = 0
    unsaid: int = 0
    written: defaultdict[str, int] = field(init=False)
    #: What costly pure numbers gave, as long as it stands.
    kept: KeptAnswers = field(init=False)
    #: What plugins ask after, and the numbers of which nobody knows what they depend on (see `standing.py`).
    watched: dict[tuple[str, ...], WorkedOut] = field(default_factory=dict)
    unclear: set[str] = field(default_factory=set)

    # -- steps: those that rules may still take in this phase before they are taken to run away, and what they had
    steps: int = 0
    steps_given: int = 0
    steps_in_phase: int = 0
    steps_in_battle: int = 0

    # -- things
    everyone: dict[str, list[Any]] = field(init=False)
    by_id: dict[str, Entity] = field(default_factory=dict)
    things_made: int = 0
    sides: list[Side] = field(default_factory=list)
    side_a: Any = None
    side_b: Any = None
    scenario: Record = field(init=False)
    battle: Record = field(init=False)
    #: Things that not everybody knows, by id: the sides that do.
    hidden: dict[str, tuple[Side, ...]] = field(default_factory=dict)
    starting_points: list[int] = field(default_factory=list)
    over: bool = False
    winner: Side | None = None
    reason: str = ""
    travel_stopped: bool = False
    #: What a `together` holds back until its end (None outside), and what is done after it.
    held_back: dict[tuple[int, str], PendingWrite] | None = None
    after_together: list[Callable[[], Any]] = field(default_factory=list)

    # -- what is in force besides the rules that always are
    loose_mask: int = 0
    loose: dict[str, list[Any]] = field(default_factory=dict)
    dynamics: list[Dynamic] = field(default_factory=list)
    timed: list[Effect] = field(default_factory=list)
    resetting: list[Effect] = field(default_factory=list)
    one_shots: list[OneShot] = field(default_factory=list)
    effects_made: int = 0
    #: How many things in force last until they are used, and those that have just been (None: nobody takes any).
    on_use: int = 0
    uses: list[Effect | Dynamic] | None = None
    live_handlers: dict[str, list[tuple[ir.Handler, Effect]]] = field(default_factory=dict)
    live_reactions: dict[str, list[tuple[ir.Reaction, Effect]]] = field(default_factory=dict)
    live_rights: list[tuple[ir.RerollRight, Effect]] = field(default_factory=list)
    live_narrowings: dict[str, list[tuple[ir.Narrowing, Effect]]] = field(default_factory=dict)
    live_moments: list[tuple[ir.Handler, Effect]] = field(default_factory=list)
    #: The rolls that nobody interferes with now, as plain tests; emptied when anything comes into force or ends.
    plain: dict[str, Any] = field(default_factory=dict)

    # -- events and choices: those on their way, what is used up in a period, whose reaction it is
    happening: list[Any] = field(default_factory=list)
    used: dict[tuple[Any, ...], int] = field(default_factory=dict)
    decisions_made: int = 0
    reacting: Any = None

    # -- dice: where those of the formula that is being thrown are put, and those that are laid out before they fall
    faces: list[Any] | None = None
    laid: Any = None
    #: Only the total of the formula counts, whatever its dice show.
    summed: bool = False

    def __post_init__(self) -> None:
        self.program = self.rules.program
        self.written = defaultdict(int)
        self.kept = KeptAnswers(self)
        self.everyone = {noun: [] for noun in self.program.nouns}
        self.scenario = Record("scenario")
        self.battle = Record(
            "battle", turn=0, phase="", active_side=None, sides=self.sides, units=self.everyone["unit"]
        )
        self.steps = self.steps_given = self.steps_in_phase = limit("steps")
        self.steps_in_battle = limit("battle_steps")

    @property
    def version(self) -> int:
        """Grows whenever what pure functions can see may have changed; plugins keep answers while it stands still.

        Whoever sets it says that anything may have changed. Writes to fields count by themselves, with `wrote`.
        """
        return self.changes

    @version.setter
    def version(self, number: int) -> None:
        self.changes = max(number, self.changes + 1)
        self.unsaid += 1

    def wrote(self, name: str) -> None:
        """A field, named by its attribute, has another value; nothing else has changed."""
        self.changes += 1
        self.written[name] += 1


#: What a checkpoint leaves alone, or (version, dice, log) puts back in another way.
NOT_KEPT = frozenset(
    {
        "rules", "code", "dice", "keeps_log", "recording", "trace", "log", "program",
        "changes", "unsaid", "written", "kept", "watched", "unclear",
    }
)  # fmt: skip

#: What a checkpoint keeps.
KEPT = tuple(f.name for f in fields(State) if f.name not in NOT_KEPT)
