"""Turns that examples name: one that no battle sees, and the one in which they stand, which nothing changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
        self._named: frozenset[str] | None = None

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
        fields = self._last_turns()
        scenarios = self._read.scenarios
        named = scenarios.get(str(given.get("scenario"))) if "scenario" in given else None
        if "scenario" in given and named is None:
            return
        own, said = given.get("settings"), [one.data.get("settings") for one in scenarios.values()]
        if named is not None:
            said = [named.data.get("settings")]
        last: dict[str, int] = {}
        for name in fields:
            values = [some[name] for some in (*said, own) if isinstance(some, Map) and name in some]
            if isinstance(own, Map) and name in own:
                values = [own[name]]
            elif not all(isinstance(some, Map) and name in some for some in said) or not said:
                default = self._read.program.nouns["scenario"].fields[name].default
                values.append(default.value.value if default is not None and isinstance(default.value, ir.Const) else 0)
            if not all(type(value) is int and value >= 1 for value in values):
                return
            last[name] = max(values)
        if last and turn > max(last.values()):
            name = max(last, key=lambda one: last[one])
            hint = f"name an earlier one, or let the battle last longer: settings: {{{name}: {turn}}}"
            said_so = f"no battle sees turn {turn}: it ends with turn {last[name]} at the latest (scenario.{name})"
            yield problem_at(given.pos("turn"), "never", said_so, hint)

    def _last_turns(self) -> frozenset[str]:
        """The fields of the scenario with which the turn is compared where procedures end the battle."""
        if self._named is None:
            texts = [text for file, text in self._read.texts.items() if file.endswith(".rules") and _ENDS in text]
            names = {name for text in texts for name in _PROCEDURE.findall(text)}
            self._named = frozenset(field for name in names for field in self._compared(name))
        return self._named

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
