"""Turns that examples name: one that no battle sees, and the one in which they stand, which nothing changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from warhost.errors import Problem
from warhost.lang import ir
from warhost.packs.yaml_source import Map, problem_at
from warhost.vocabulary import ExamplesToRead

_ENDS = "end_battle"
_PROCEDURE = re.compile(r"^[ \t]*procedure (\w+)", re.MULTILINE)


class TurnsOfExamples:
    """What can be said of the turns of a ruleset's battles."""

    def __init__(self, read: ExamplesToRead) -> None:
        self._read = read
        self._compares: frozenset[str] | None = None

    def problems(self, example: Map) -> Iterator[Problem]:
        """Of one example, as warnings: that it stands in a turn beyond the last, and that it asks for its own turn."""
        given, then = example.get("given"), example.get("then")
        given = given if isinstance(given, Map) else Map()
        turn = given.get("turn", 1)
        if not isinstance(turn, int) or isinstance(turn, bool):
            return
        if turn > 1 and not given.get("house_rules"):  # they may make it longer
            yield from self._beyond(given, turn)
        wanted = then.get("battle") if isinstance(then, Map) else None
        if isinstance(wanted, Map) and wanted.get("turn") == turn:
            said = f"this holds whatever happens: an example ends in the turn in which it stands, {turn}"
            yield problem_at(wanted.pos("turn"), "never", said, "ask for what the step changes, or take it away")

    def _beyond(self, given: Map, turn: int) -> Iterator[Problem]:
        scenarios = self._read.scenarios
        played = list(scenarios.values())
        if "scenario" in given:
            played = [scenario for id_, scenario in scenarios.items() if id_ == str(given.get("scenario"))]
        if not played:
            return
        of_all = (given.get("settings"), *(one.data.get("settings") for one in played))
        said = [some if isinstance(some, Map) else Map() for some in of_all]
        last = {name: self._most(name, *said) for name in self._fields()}
        name = max(last, key=lambda one: last[one] or 0, default="")
        at_last = last.get(name)
        if at_last is not None and None not in last.values() and turn > at_last:
            hint = f"name an earlier one, or let the battle last longer: settings: {{{name}: {turn}}}"
            message = f"no battle sees turn {turn}: it ends with turn {at_last} at the latest (scenario.{name})"
            yield problem_at(given.pos("turn"), "never", message, hint)

    def _most(self, name: str, own: Map, *settings: Map) -> int | None:
        """The most that a field of the scenario is: as the example sets it, else as any scenario does, or by default;
        None where a turn cannot be compared with it.
        """
        default = self._read.program.nouns["scenario"].fields[name].default
        usual = default.value.value if default is not None and isinstance(default.value, ir.Const) else None
        values: list[Any] = [own[name]] if name in own else [some.get(name, usual) for some in settings]
        return max(values) if all(type(value) is int and value >= 1 for value in values) else None

    def _fields(self) -> frozenset[str]:
        """The fields of the scenario with which the turn is compared where procedures end the battle."""
        if self._compares is None:
            texts = [text for file, text in self._read.texts.items() if file.endswith(".rules") and _ENDS in text]
            names = {name for text in texts for name in _PROCEDURE.findall(text)}
            self._compares = frozenset(field for name in names for field in self._compared(name))
        return self._compares

    def _compared(self, procedure: str) -> Iterator[str]:
        """Such fields of one procedure, and of what it asks that takes nothing (`last_turn_over()`)."""
        program = self._read.program
        routine = program.procedures.get(procedure)
        nodes = list(ir.walk(routine)) if routine is not None else []
        if not any(isinstance(node, ir.CallFunction) and node.name == _ENDS for node in nodes):
            return
        asked = {node.name for node in nodes if isinstance(node, ir.Evaluate) and not node.args}
        nodes += [node for name in sorted(asked) if name in program.numbers for node in ir.walk(program.numbers[name])]
        for node in nodes:
            if isinstance(node, ir.Compare) and node.op in (">=", ">", "<", "<=", "=="):
                of, field = _asked_of(node.left), _asked_of(node.right)
                if of == ("battle", "turn") and field is not None and field[0] == "scenario":
                    yield field[1]


def _asked_of(e: ir.Expr) -> tuple[str, str] | None:
    """The singleton and the field of it that is asked for."""
    if isinstance(e, ir.GetField) and isinstance(e.of, ir.Singleton):
        return e.of.name, e.field
    return None
