"""What a battle holds: its entities, their state, its clock and its story."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from warhost.engine import audience
from warhost.engine.dice import DiceSource
from warhost.engine.entities import DefinitionValue, Entity, Record, Side
from warhost.errors import Refused, RuleFault
from warhost.lang.program import Program
from warhost.lang.python_backend import attribute
from warhost.lang.support import bounded
from warhost.lang.symbols import FieldInfo
from warhost.limits import how_to_raise, limit

if TYPE_CHECKING:
    from warhost.packs.ruleset import Ruleset

#: What costs more than a step: a die, a record of the story, a thing that is made, something put in force.
DIE, RECORD, THING, IN_FORCE = 10, 20, 500, 50


@dataclass(slots=True)
class Change:
    """What a `together` does to one field: a setting, if any was given, and additions on top of it."""

    entity: Any
    name: str
    given: bool = False
    value: Any = None
    added: Any = 0


class Situation:
    """Entities, declared state and the log. The other parts of the engine build on it."""

    #: The ruleset by which the battle is played.
    rules: Ruleset

    def __init__(self, program: Program, code: Any, dice: DiceSource) -> None:
        self.program = program
        self.code = code
        self.dice = dice
        #: Steps that rules may still take before they are taken to run away: calls, rounds of loops, dice and the like.
        self.steps = self._steps_given = self._phase_steps = limit("steps")
        self._battle_steps = limit("battle_steps")
        self.everyone: dict[str, list[Any]] = {noun: [] for noun in program.nouns}
        self.by_id: dict[str, Entity] = {}
        self.sides: list[Side] = []
        self.scenario = Record("scenario")
        self.scenario_data: dict[str, Any] = {}
        self.side_a: Side
        self.side_b: Side
        self.battle = Record(
            "battle", turn=0, phase="", active_side=None, sides=self.sides, units=self.everyone["unit"]
        )
        self.log: list[dict[str, Any]] = []
        self.keeps_log = True
        #: Things that not everybody knows, by id: the sides that do.
        self.hidden: dict[str, tuple[Side, ...]] = {}
        self.recording = False
        #: Grows whenever what pure functions can see may have changed; plugins keep answers while it stands still.
        self.version = 0
        #: What costly pure numbers gave while the version was kept_at; compiled numbers keep and clear it themselves.
        self.kept: dict[tuple[Any, ...], Any] = {}
        self.kept_at = -1
        self.over = False
        self.winner: Side | None = None
        self.reason = ""
        self._count = 0
        self.held_back: dict[tuple[int, str], Change] | None = None
        self._after_together: list[Callable[[], None]] = []
        self._definitions: dict[tuple[str, str], DefinitionValue] = {}
        self._trace: list[dict[str, Any]] = []
        self._callables: dict[str, Callable[..., Any]] = {}
        self._limits = _limits(program)

    def compiled(self) -> Any:
        """The compiled rules, whatever this battle goes by."""
        return self.code

    # -- faults and the budget -----------------------------------------------------------------

    def fault(self, message: str) -> NoReturn:
        raise RuleFault(message)

    def exhausted(self) -> NoReturn:
        """The budget of a phase is spent: some rule does not end."""
        where = f'phase "{self.battle.phase}", turn {self.battle.turn}'
        raise RuleFault(f"the rules do not come to an end ({where}): they take too many steps; {how_to_raise('steps')}")

    def size_budget(self) -> None:
        """The things that lie ready decide how many steps a phase may take; what rules make later does not."""
        self._phase_steps = limit("steps") * max(1, self._count // 100)
        self.reset_budget()

    def reset_budget(self, battles: int = 1) -> None:
        """What comes is judged by itself: the budgets of the phase and of so many battles are whole again."""
        self._battle_steps = battles * limit("battle_steps")
        self._steps_given = self.steps = self._phase_steps

    def next_phase_budget(self) -> None:
        """A new phase begins: it has a budget of its own, as far as that of the battle goes."""
        self._battle_steps -= self._steps_given - self.steps
        if self._battle_steps < 0:
            raise RuleFault(f"the battle takes too many steps; {how_to_raise('battle_steps')}")
        self._steps_given = self.steps = self._phase_steps

    def spend(self, steps: int) -> None:
        """Take steps off the budget of the phase."""
        self.steps -= steps
        if self.steps < 0:
            self.exhausted()

    def counted(self, items: Any) -> Any:
        """A list that rules go through: each of its items is a step."""
        self.spend(len(items))
        return items

    # -- entities ------------------------------------------------------------------------------

    def create(self, noun: str, id: str, name: str, **values: Any) -> Entity:
        """A new entity of a noun; values are read-only fields, state starts as declared."""
        if id in self.by_id:
            raise RuleFault(f'there are two things called "{id}"')
        self._count += 1
        if self._count > limit("things"):
            raise RuleFault(f"too many things are made in one battle; {how_to_raise('things')}")
        self.spend(THING + len(self.everyone.get(noun, ())))
        self.version += 1
        entity = Side(id, name, self._count) if noun == "side" else Entity(noun, id, name, self._count)
        self.by_id[id] = entity
        self.everyone.setdefault(noun, []).append(entity)
        for key, value in values.items():
            setattr(entity, attribute(key), value)
        self.start_state(entity, noun, values)
        return entity

    def start_state(self, entity: Any, noun: str, given: Any = ()) -> None:
        """Give every declared field that is not given its default."""
        self.version += 1
        later: list[FieldInfo] = []
        for info in self.program.nouns[noun].fields.values():
            if info.name in given:
                continue
            setattr(entity, attribute(info.name), _empty(info))
            if info.default is not None:
                later.append(info)
        for info in later:
            assert info.default is not None
            setattr(entity, attribute(info.name), self.code.function(info.default)(self, entity))

    def remove(self, entity: Entity) -> None:
        """Take an entity off the table: it keeps its state but is no longer among its noun."""
        if entity._gone or self.waits(lambda: self.remove(entity)):
            return
        entity._gone = True
        entity._unborn = entity._unborn and not entity._placed
        self.version += 1
        for part in entity._parts:
            self.remove(part)
        crowd = self.everyone[entity._noun]
        if entity in crowd:
            crowd.remove(entity)
        if isinstance(getattr(entity, "side", None), Side) and entity in entity.side.units:
            entity.side.units.remove(entity)

    def put_back(self, entity: Entity) -> None:
        """Return an entity that was taken off, at its old place in every order."""
        if not entity._gone or self.waits(lambda: self.put_back(entity)):
            return
        entity._gone = False
        self.version += 1
        for part in entity._parts:
            self.put_back(part)
        crowds = [self.everyone[entity._noun]]
        if entity._whole is None and isinstance(getattr(entity, "side", None), Side):
            crowds.append(entity.side.units)
        for crowd in crowds:
            crowd.append(entity)
            crowd.sort(key=lambda e: e._index)

    # -- state ---------------------------------------------------------------------------------

    def put(self, entity: Any, name: str, value: Any) -> None:
        """Give a field a value, within its declared limits."""
        if self.held_back is not None:
            self._buffer_set(entity, name, value)
            return
        self._store(entity, name, value)

    def _store(self, entity: Any, name: str, value: Any) -> None:
        bounded(value)
        if name in self._limits and value is not None:
            low, high = self.limits_of(entity, name)
            if low is not None and value < low:
                value = low
            if high is not None and value > high:
                value = high
        self.version += 1
        setattr(entity, name, value)

    def limits_of(self, entity: Any, name: str) -> tuple[Any, Any]:
        """The lowest and the highest value that an attribute of a thing may have; None where there is no limit."""
        return self._limits.get(name, {}).get(entity._noun, (None, None))

    def add(self, entity: Any, name: str, amount: Any) -> None:
        if self.held_back is not None:
            held = self.held_back.setdefault((id(entity), name), Change(entity, name))
            held.added += amount
            return
        self._store(entity, name, getattr(entity, name) + amount)

    def take_off(self, entity: Any, name: str, amount: Any) -> None:
        self.add(entity, name, -amount)

    def _buffer_set(self, entity: Any, name: str, value: Any) -> None:
        assert self.held_back is not None
        held = self.held_back.setdefault((id(entity), name), Change(entity, name))
        if held.given and held.value != value:
            raise RuleFault(f'"{name}" of {entity} is given two different values at the same moment')
        held.given, held.value = True, value

    @contextmanager
    def together(self) -> Iterator[None]:
        """Reads see the state at the start; writes, then what comes and goes, and events follow at the end.

        The order of the steps inside does not matter to state: a setting counts before all additions.
        """
        if self.held_back is not None:
            yield
            return
        self.held_back = {}
        try:
            yield
        finally:
            buffer, self.held_back = self.held_back, None
            for c in buffer.values():
                start = c.value if c.given else getattr(c.entity, c.name)
                self._store(c.entity, c.name, start + c.added if c.added else start)
            waiting, self._after_together = self._after_together, []
            for run in waiting:
                run()

    def waits(self, act: Callable[[], Any]) -> bool:
        """Whether something must wait for the end of a `together`; then it will be done there, in order."""
        if self.held_back is None:
            return False
        self._after_together.append(act)
        return True

    # -- the log -------------------------------------------------------------------------------

    def note(self, kind: str, *, told: Callable[[], str] | None = None, **values: Any) -> None:
        """Add a record to the log. told makes its text anew, for those who do not know everything in it."""
        self.spend(RECORD)
        if self.keeps_log:
            if len(self.log) >= limit("records"):
                raise RuleFault(f"the story of the battle grows too long; {how_to_raise('records')}")
            record = {"n": len(self.log), "turn": self.battle.turn, "phase": self.battle.phase, "kind": kind}
            record.update(values)
            if self.hidden and (views := audience.views(self, record, told)):
                record["views"] = views
            self.log.append(record)

    def say(self, told: Callable[[], str]) -> None:
        """A line of the story."""
        self.note("say", told=told, text=told())

    def refuse(self, text: str, file: str, line: int) -> NoReturn:
        """What was asked for cannot be: raises Refused with the sentence."""
        raise Refused(text, "", file, line)

    # -- who may know what -----------------------------------------------------------------------

    hide = audience.hide
    show = audience.show
    knows = audience.knows

    # -- definitions ---------------------------------------------------------------------------

    def definition(self, kind: str, title: str) -> DefinitionValue:
        """A definition as a value."""
        key = (kind, title)
        found = self._definitions.get(key)
        if found is None:
            d = self.program.definitions[key]
            declared = self.program.kinds[kind]
            flags = {f: f in d.flags for f in declared.flags}
            values = {f.name: d.values.get(f.name, f.default) for f in declared.fields}
            found = self._definitions[key] = DefinitionValue(d, flags, values)
        return found

    def definitions_of(self, kind: str) -> list[DefinitionValue]:
        return [self.definition(k, t) for (k, t), d in self.program.definitions.items() if k == kind and not d.variants]


def _empty(info: FieldInfo) -> Any:
    """The start of a field without a default."""
    if info.type.kind == "list":
        return []
    if info.type.optional:
        return None
    return {"number": 0, "fraction": 0, "distance": 0, "yes_no": False, "text": ""}.get(info.type.kind)


def _limits(program: Program) -> dict[str, dict[str, tuple[Any, Any]]]:
    """The lowest and highest value of the fields that have any, by attribute and noun."""
    found: dict[str, dict[str, tuple[Any, Any]]] = {}
    for noun in program.nouns.values():
        for info in noun.fields.values():
            if info.at_least is not None or info.at_most is not None:
                found.setdefault(attribute(info.name), {})[noun.name] = (info.at_least, info.at_most)
    return found
