"""A battle: armies, a scenario, dice and players, run from the first decision to the last.

A battle is a pure function of (ruleset digest, armies, scenario, seed, decisions).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from threading import get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import GreenletExit, getcurrent, greenlet

from warhost.engine.budget import Budget
from warhost.engine.choices import Choices
from warhost.engine.code import code_of
from warhost.engine.collecting import collecting_seldom
from warhost.engine.decisions import Answer, Decision, Policy, follow, label_of, looks_ahead
from warhost.engine.dice import DiceSource, RepeatableDice, SeededDice
from warhost.engine.entities import Effect, Entity, Side
from warhost.engine.events import NO_EVENT, Events, Happening
from warhost.engine.history import History, Mark, Snapshot
from warhost.engine.in_force import InForce
from warhost.engine.lookahead import look_ahead
from warhost.engine.numbers import Numbers
from warhost.engine.reinforcements import Reinforcements
from warhost.engine.setup import check_sides, lay_out
from warhost.engine.standing import standing
from warhost.engine.state import State
from warhost.engine.state_hash import state_hash
from warhost.engine.story import Story
from warhost.engine.things import Things
from warhost.engine.throws import Throws
from warhost.engine.turn import PhaseStart, Turns
from warhost.engine.writes import Writes
from warhost.errors import RuleFault, UsageError, WarhostError
from warhost.lang.support import mishap
from warhost.plugins import owner_of, stranger_at_fault

if TYPE_CHECKING:
    from warhost.engine.forces import Force
    from warhost.lang.runtime import Runtime
    from warhost.packs import Ruleset
    from warhost.things import PluginBattle

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class SideResult:
    """How one side came out. Points as the ruleset computes them; 0 where it has none.

    points_lost goes by its `number points_left(unit)` if it has one, victory_points by its `number
    victory_points(side)`, else by the state of that name.
    """

    name: str
    points: int
    points_lost: int
    victory_points: int
    units_left: int


@dataclass(frozen=True, slots=True)
class Result:
    """How a battle ended. winner is the name of a side, or None for a draw."""

    turns: int
    winner: str | None
    reason: str
    sides: tuple[SideResult, ...]
    decisions: int
    rolls: int
    state_hash: str


class Battle(State):
    """One battle of a ruleset: its state, the parts that change it, and the way from decision to decision.

    armies: one for each side. seed: the same one, with the same answers, gives the same battle. scenario: its id, or
    its data; without it the ruleset's first. players: one policy for each side, or None for a side whose decisions are
    answered from outside, with `decide` and `answer`. dice: another source of them than the seed. trace: the log notes
    how every number came about; log=False keeps none. names: of the sides, in the place of their armies'. Raises
    UsageError for a number of armies or a scenario that the ruleset does not have.

    >>> import warhost
    >>> rules = warhost.load("small_fantasy")
    >>> armies = [warhost.Army.ready(name, rules) for name in ("elves", "orcs")]
    >>> battle = warhost.Battle(rules, armies, seed=7)
    >>> while decision := battle.decide():
    ...     battle.answer(0)              # always the first option
    >>> battle.over, battle.result().reason
    (True, 'night fell on a battle that nobody had won')
    """

    def __init__(
        self,
        rules: Ruleset,
        armies: Sequence[Force],
        seed: int = 0,
        *,
        scenario: str | Mapping[str, Any] | None = None,
        players: Sequence[Policy | None] = (),
        dice: DiceSource | None = None,
        trace: bool = False,
        log: bool = True,
        names: Sequence[str] = (),
    ) -> None:
        super().__init__(rules, code_of(rules, trace), dice or SeededDice(seed), log, trace)
        self.seed = seed
        self.scenario_data: dict[str, Any] = {}
        self.players: list[Policy | None] = list(players)
        #: Who watches: told of each answer, each turn and phase that ends, and how many decisions an undo has left.
        self.on_decision: Callable[[Decision, Answer], None] | None = None
        self.on_turn: Callable[[Battle], None] | None = None
        self.on_phase: Callable[[Battle], None] | None = None
        self.on_undo: Callable[[int], None] | None = None
        self.armies = list(armies)
        #: The rules run on a stack of their own, in the thread that began it, up to the decision that waits.
        self._runner: greenlet | None = None
        self._thread: int | None = None
        self._waiting: Decision | None = None
        #: Where a moment can be taken: how the phase began, whether none runs, and the way since, if it is kept.
        self._history: History | None = None
        self._phase_start: PhaseStart | None = None
        self._between_phases = True
        #: Answers that are given once more on the way back to a moment; None when nothing is replayed.
        self._replaying: deque[Answer] | None = None
        #: How many records of the log `play` has given.
        self.records_given = 0
        self._streaming = False
        self.put_together()
        lay_out(self, self.armies, scenario, names)
        self.budget.size()

    def put_together(self) -> None:
        """Make the parts, and let rules and plugins call them without a way round.

        What rules may call is in `warhost.lang.runtime.Runtime`, what plugins may in `warhost.things.PluginBattle`.
        """
        self.budget = budget = Budget(self)
        self.writes = writes = Writes(self, self._hand_over)
        self.things = things = Things(self, self, budget, writes)
        self.story = story = Story(self, budget)
        self.reinforcements = Reinforcements(self)
        self.in_force = in_force = InForce(self, self, budget, writes, things, self.reinforcements)
        self.numbers = numbers = Numbers(self, self)
        self.events = events = Events(self, self, story, in_force, self._ask)
        self.choices = choices = Choices(self, self, story, self._ask)
        self.throws = throws = Throws(self, self, budget, story, in_force, events)
        self.turns = Turns(self, self, budget, story, in_force, self._phase_begins, self._pause)

        self.fault, self.exhausted, self.spend, self.counted = (
            budget.fault, budget.exhausted, budget.spend, budget.counted
        )  # fmt: skip
        self.put, self.add, self.take_off, self.together = writes.put, writes.add, writes.take_off, writes.together
        self.create, self.remove = things.create, things.remove
        self.definition, self.definitions_of = things.definition, things.definitions_of
        self.note, self.say, self.reveal, self.refuse = story.note, story.say, story.reveal, story.refuse
        self.hide, self.show, self.knows = story.hide, story.show, story.knows
        self.give, self.give_definition, self.take = in_force.give, in_force.give_definition, in_force.take
        self.end_effect, self.add_modifier = in_force.end_effect, in_force.add_modifier
        self.bears_kind, self.later, self.use_number = in_force.bears_kind, in_force.later, in_force.use_number
        self.compute, self.more, self.total_counting = numbers.compute, numbers.more, numbers.total_counting
        self.ask, self.ask_all = numbers.ask, numbers.ask_all
        self.emit, self.proceed, self.is_heard = events.emit, events.proceed, events.is_heard
        self.choose, self.choose_several, self.choose_course = (
            choices.choose, choices.choose_several, choices.choose_course
        )  # fmt: skip
        self.options_of, self.ordered_by, self.span = choices.options_of, choices.ordered_by, choices.span
        self.die_total, self.thrown = throws.die_total, throws.thrown
        self.make_roll, self.how_many = throws.make_roll, throws.how_many

    def standing(self, names: tuple[str, ...]) -> int:
        """A number that is the same as long as everything stands that some numbers, flags and values of the rules and
        some fields come to depend on, by their names; once it has changed it never comes back.
        """
        return standing(self, names)

    def _hand_over(self, effect: Effect, to: Any) -> None:
        self.in_force.hand_over(effect, to)

    @property
    def event(self) -> Happening:
        """The event whose handler runs."""
        return self.happening[-1] if self.happening else NO_EVENT

    # -- running -------------------------------------------------------------------------------

    def run(self) -> Result:
        """Play to the end with the players given; every side must have one."""
        with collecting_seldom():
            while (decision := self.decide()) is not None:
                raise WarhostError(f'{decision.side.name} has no player to answer "{decision.name}"')
            return self.result()

    def play(self) -> Iterator[dict[str, Any]]:
        """The records of the log as the battle goes on; every side must have a player."""
        self._streaming = True
        while True:
            decision = self.decide()
            while self.records_given < len(self.log):
                yield self.log[self.records_given]
                self.records_given += 1
            if decision is not None:
                raise WarhostError(f'{decision.side.name} has no player to answer "{decision.name}"')
            if self.over and (self._runner is None or self._runner.dead):
                return

    def decide(self) -> Decision | None:
        """Go on to the next decision that has no player of its own; None when the battle is over (or pauses).

        Raises WarhostError in another thread than the one in which the battle began.
        """
        self._same_thread()
        if self._waiting is not None:
            return self._waiting
        if self._runner is None:
            check_sides(self.rules, self.scenario_data, len(self.sides))
            if self._may_go_back() and isinstance(self.dice, RepeatableDice):
                self._history = History()
                self._history.mark(self, self.players, None)
            self._runner, self._thread = greenlet(self._whole), get_ident()
        if self._runner.dead:
            return None
        self._waiting = self.guarded(self._runner.switch)
        return self._waiting

    def _may_go_back(self) -> bool:
        """Whether the way of the battle is kept: answers from outside can be undone, or a player looks ahead."""
        return not self.players or None in self.players or looks_ahead(self.players)

    def answer(self, answer: Answer | str) -> None:
        """Answer the decision that `decide` gave: an option's number or label, or plain data for a free answer.

        Raises WarhostError for what is no answer to it, and in another thread than the one in which the battle began.
        """
        self._same_thread()
        decision = self._waiting
        if decision is None or self._runner is None:
            raise WarhostError("there is no decision to answer")
        if isinstance(answer, str):
            answer = decision.index_of(answer)
        self._value_of(decision, answer)
        self._waiting = None
        self._waiting = self.guarded(lambda: self._runner.switch(answer))  # type: ignore[union-attr]

    def _same_thread(self) -> None:
        if self._thread not in (None, get_ident()):
            raise WarhostError("a battle goes on in the thread in which it began: decide and answer there")

    def guarded(self, run: Callable[[], Found]) -> Found:
        """Run on, and turn what goes wrong in rules into faults that name them."""
        try:
            with collecting_seldom():
                return run()
        except RecursionError as error:
            said = stranger_at_fault(error) or "the rules call each other without end"
            raise located(error, said) from None
        except WarhostError as error:
            if isinstance(error, RuleFault) and not error.file:
                raise located(error, str(error)) from error
            raise
        except (Exception, SystemExit) as error:
            if (sentence := stranger_at_fault(error)) is not None:
                raise located(error, sentence) from error
            if isinstance(error, _MISHAPS) and in_rules(error):
                raise located(error, mishap(error)) from error
            raise

    def _whole(self, start: PhaseStart | None = None) -> None:
        if start is None or not start.sides:
            self.turns.set_up(start)
            self.starting_points = [side_points(s) for s in self.sides]
            start = None
        while not self.over:
            self.turns.play_turn(start)
            start = None
            if self.on_turn is not None and self._replaying is None:
                self.on_turn(self)
        self.note("end", winner=self.winner.name if self.winner is not None else None, reason=self.reason)
        self.emit("battle_ends", [])
        self._between_phases, self._replaying = True, None

    def _phase_begins(self, start: PhaseStart) -> None:
        self._phase_start, self._between_phases = start, False
        self.trace = []  # what no roll of the phase before asked for explains nothing
        if self._history is not None:
            self._history.mark(self, self.players, start)

    def _pause(self) -> None:
        if self._replaying is not None:
            return
        self._between_phases = True
        if self.on_phase is not None:
            self.on_phase(self)
        current = getcurrent()
        if self._streaming and current is self._runner and current.parent is not None:
            current.parent.switch(None)
        self._between_phases = False

    # -- taking back ---------------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """The battle as it is now, for `restore`: before it begins, at a decision that waits for an answer from
        outside, between two phases (in `on_phase`, or while `play` gives records), or when it is over.

        Cheap: the state at the beginning of the phase, and the answers since. Raises WarhostError in the middle of a
        phase, as when a player is being asked.
        """
        if self._waiting is not None and self._history is not None:
            return self._history.waiting()
        if not self._between_phases:
            raise WarhostError("a snapshot is taken at a decision from outside or between two phases")
        h = self._history or History()
        mark = Mark(self, self.players, self._after_this(), len(h.answers))
        made = self.decisions_made
        return Snapshot((*h.marks, mark), tuple(h.answers), tuple(h.outside), made, waiting=False)

    def _after_this(self) -> PhaseStart | None:
        at = self._phase_start
        return None if at is None or self.over else PhaseStart(at.sides, at.side, at.phase + 1)

    def restore(self, moment: Snapshot) -> None:
        """Be as this battle was at a moment that `snapshot` gave: state, dice, story and what players remember.

        What has been done since is undone, but the snapshot and others stay good. `on_undo` is told how many decisions
        stand; the other observers hear nothing of what is done once more. Raises WarhostError when called while rules
        are running (by a player or an observer).
        """
        self._same_thread()
        current = getcurrent()
        if current is self._runner:
            raise WarhostError("a battle is restored from outside, not by its own players and observers")
        if not moment.marks or moment.marks[-1].checkpoint.battle is not self:
            raise WarhostError("this is a snapshot of another battle")
        mark = moment.marks[-1]
        if self._runner is not None and not self._runner.dead:
            self._runner.throw(GreenletExit)
        again = self._history.return_to(moment) if self._history is not None else []
        mark.put_back()
        self.trace = []
        self.records_given = min(self.records_given, len(self.log))
        self._waiting, self._phase_start, self._between_phases, self._runner = None, mark.start, True, None
        self._replaying = deque(again) if moment.waiting else None
        if self.on_undo is not None:
            self.on_undo(moment.decisions)
        if mark.over:
            self._runner = greenlet(_nothing)
            self._runner.switch()
        elif mark.start is not None or moment.waiting:
            self._runner = greenlet(lambda: self._whole(mark.start))
            if moment.waiting:
                self.decide()

    def undo(self, count: int = 1) -> Decision:
        """Take back the last answers from outside; the decision that waits again.

        Answers that players gave since are gone with them. Raises UsageError when there are not so many.
        """
        history = self._history
        given = 0 if history is None else len(history.outside)
        if history is None or not given:
            raise UsageError("there is nothing to take back")
        if not 0 < count <= given:
            some = "1 answer" if given == 1 else f"1 to {given} answers"
            raise UsageError(f"{some} can be taken back, not {count}")
        self.restore(history.before(history.outside[-count]))
        assert self._waiting is not None
        return self._waiting

    def look_ahead(
        self, answer: Answer, players: Sequence[Policy], seed: int, until: Callable[[Battle], Found | None]
    ) -> Found | None:
        """One rollout: what an answer to the decision that is being asked may lead to. For a player with `looks_ahead =
        True`, inside its `decide`. The battle is played on from the answer, and is as it was afterwards.

        answer: to the decision. players: one for each side, and none of those who play the battle, because they would
        remember the rollout. seed: of its dice, which are never the battle's own. until: called after each phase, and
        when the battle is over; its first result that is not None ends the rollout and is returned. Raises WarhostError
        for who is not being asked or has not said that it looks ahead, and RuleFault when a rule fails on the way.
        """
        if self._history is None or getcurrent() is not self._runner:
            raise WarhostError("only a player who is being asked, and has said `looks_ahead = True`, can look ahead")
        return look_ahead(self, answer, players, seed, until)

    def end(self, winner: Side | None, reason: str) -> None:
        """The battle is over; the first ending counts."""
        if not self.over:
            self.version += 1
            self.over, self.winner, self.reason = True, winner, reason
            self.battle.over, self.battle.winner, self.battle.reason = True, winner, reason

    # -- decisions -----------------------------------------------------------------------------

    def _ask(self, decision: Decision) -> Any:
        self.decisions_made += 1
        decision.number = self.decisions_made
        player = self.players[self.sides.index(decision.side)] if self.players else None
        if player is not None:
            with self.code.thinking(), self.numbers.untraced():
                if again := self._replaying:
                    answer = again.popleft()
                    follow(player, decision, self, answer)
                else:
                    answer = player.decide(decision, self)
            if not again:
                self._refuse_wrong_answer(player, decision, answer)
        else:
            answer = self._ask_outside(decision)
        if self._history is not None:
            if player is None:
                self._history.outside.append(len(self._history.answers))
            self._history.answers.append(answer)
        value = self._value_of(decision, answer)
        if self.on_decision is not None and self._replaying is None:
            self.on_decision(decision, answer)
        if self.keeps_log:
            label = decision.options[answer].label if isinstance(answer, int) else label_of(value)
            shown = "(secret)" if decision.secret else label
            self.note(
                "decision", decision=decision.name, side=decision.side.name, answer=shown, options=len(decision.options)
            )
            if decision.secret:
                self.log[-1].setdefault("views", {})[decision.side.id] = {"answer": label}
        return value

    def _refuse_wrong_answer(self, player: Policy, decision: Decision, answer: Answer) -> None:
        """Name the plugin whose player gives what is no answer. Raises RuleFault."""
        if type(answer) is int and 0 <= answer < len(decision.options):
            return
        whose = owner_of(player)
        if whose is not None and not isinstance(answer, Mapping):
            try:
                self._value_of(decision, answer)
            except WarhostError as error:
                raise RuleFault(f"{whose} gave a wrong answer: {error}") from error

    def _ask_outside(self, decision: Decision) -> Answer:
        if self._replaying:
            return self._replaying.popleft()
        self._replaying = None
        current = getcurrent()
        if current is not self._runner or current.parent is None:
            raise WarhostError(f'{decision.side.name} has no player to answer "{decision.name}"')
        answer: Answer = current.parent.switch(decision)
        return answer

    @staticmethod
    def _value_of(decision: Decision, answer: Answer) -> Any:
        """The value that an answer stands for; refuses what is not legal."""
        if isinstance(answer, Mapping):
            if decision.free is None:
                raise WarhostError(f'the decision "{decision.name}" takes one of its options, not a free answer')
            return decision.free(answer)
        if not isinstance(answer, int) or isinstance(answer, bool):
            raise WarhostError(f'the answer to "{decision.name}" is the number of an option, not {str(answer)[:60]!r}')
        if not 0 <= answer < len(decision.options):
            raise WarhostError(f'the decision "{decision.name}" has {len(decision.options)} options, not {answer}')
        return decision.options[answer].value

    # -- results -------------------------------------------------------------------------------

    def scores(self) -> tuple[SideResult, ...]:
        """How each side stands."""
        rows = []
        for i, side in enumerate(self.sides):
            start = self.starting_points[i] if i < len(self.starting_points) else side_points(side)
            left = sum(self._figure("points_left", u, getattr(u, "cost", 0)) for u in side.units)
            scored = self._figure("victory_points", side, getattr(side, "victory_points", 0))
            rows.append(SideResult(side.name, start, max(start - left, 0), scored, len(side.units)))
        return tuple(rows)

    def result(self) -> Result:
        """How it ended (or stands now)."""
        winner = self.winner.name if self.winner is not None else None
        return Result(
            self.battle.turn, winner, self.reason, self.scores(), self.decisions_made, self.dice.thrown,
            self.state_hash(),
        )  # fmt: skip

    def _figure(self, name: str, of: Entity, otherwise: int) -> int:
        """What the ruleset's number of that name makes of a thing; the other figure if it has none."""
        number = self.program.numbers.get(name)
        if number is not None and len(number.params) == 1:
            return int(self.code.number(name)(self, of))
        return int(otherwise)

    def state_hash(self) -> str:
        """A digest of everything that the rules can see; equal states have equal hashes."""
        return state_hash(self)

    def entity(self, id: str) -> Entity:
        """A thing by its id; KeyError when there is none."""
        return self.by_id[id]

    def broken_laws(self) -> list[str]:
        """What the plugins find wrong with the state; nothing when all is well."""
        found: list[str] = []
        for laws in self.rules.plugins.call("warhost_invariants", battle=self):
            found.extend(laws)
        return found

    # -- travelling ----------------------------------------------------------------------------

    def travel(self, who: Any, path: Any, handlers: list[tuple[str, Callable[..., Any]]]) -> None:
        """Make a move that a board plugin offered; the path knows how."""
        if path is None:
            return
        path.perform(self, who, dict(handlers))

    def stop_travel(self) -> None:
        """Called by a handler of a crossing: the mover goes no further."""
        self.travel_stopped = True


#: Errors of Python that mistakes in rules can lead to.
_MISHAPS = (AttributeError, TypeError, ZeroDivisionError, ValueError, KeyError, IndexError, OverflowError)


def _nothing() -> None:
    """The way of a battle that has none before it."""


def side_points(side: Side) -> int:
    """What the units of a side cost together, in points."""
    return int(sum(getattr(u, "cost", 0) or 0 for u in side.units))


def in_rules(error: BaseException) -> bool:
    """Whether an error came up in compiled rules."""
    return _place(error)[1] > 0


def _place(error: BaseException) -> tuple[str, int, str]:
    """File, line and rule of the innermost frame of the rules."""
    found = ("", 0, "")
    tb = error.__traceback__
    steps = 0
    while tb is not None and steps < 5000:
        code = tb.tb_frame.f_code
        if code.co_filename.endswith(".rules"):
            found = (code.co_filename, tb.tb_lineno, code.co_qualname)
        tb = tb.tb_next
        steps += 1
    return found


def located(error: BaseException, message: str) -> RuleFault:
    """A fault with a message, at the innermost place in the rules that an error came from."""
    file, line, rule = _place(error)
    return RuleFault(message, rule, file, line)


if TYPE_CHECKING:

    def _serves(battle: Battle) -> tuple[Runtime, PluginBattle]:
        """A battle has everything that rules and plugins may ask of it."""
        return battle, battle
