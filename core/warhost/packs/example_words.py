"""Whether examples speak of fields that there are, with values that fit: what is found without playing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.hookspecs import misfit
from warhost.lang.program import Program
from warhost.lang.symbols import CORE_FIELDS
from warhost.packs.yaml_source import Map, problem_at


def problems_in(examples: Iterable[Any], program: Program, open_to_more: bool) -> Iterator[Problem]:
    """What is misspelt in the states given and wanted of sides, units and the battle.

    open_to_more: rules that hold in examples alone may add fields; then only what is nearly a known name is misspelt.
    """
    reading = _Reading(program)
    for example in examples:
        given = example.data.get("given")
        given = given if isinstance(given, Map) else Map()
        yield from reading.problems(given, example.data.get("then"), open_to_more or bool(given.get("house_rules")))


class _Reading:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.asked = {
            name for name, number in program.numbers.items() if len(number.params) == 1
        } | {name for name, function in program.natives.items() if function.parameters}

    def problems(self, given: Map, then: Any, more: bool) -> Iterator[Problem]:
        nouns = {"battle": "battle"}
        for side in _maps(given.get("sides")):
            yield from self._given(side.get("state"), "side", more)
            for unit in _maps(side.get("units")):
                nouns[str(unit.get("id"))] = "unit"
                yield from self._given(unit.get("state"), "unit", more)
        states = given.get("state")
        for id_, state in states.items() if isinstance(states, Map) else ():
            if id_ in nouns:
                yield from self._given(state, nouns[id_], more)
        for id_, wanted in then.items() if isinstance(then, Map) else ():
            if id_ in nouns:
                yield from self._wanted(wanted, nouns[id_], more)

    def _given(self, state: Any, noun: str, more: bool) -> Iterator[Problem]:
        """Fields that are set: declared ones, with values of their types."""
        fields = self.program.nouns[noun].fields
        for name, value in state.items() if isinstance(state, Map) else ():
            if name in fields:
                sentence = misfit(self.program, noun, name, value)
                if sentence is not None:
                    yield problem_at(state.pos(name), "wrong-type", sentence)
            else:
                yield from self._unknown(state, name, noun, fields, more)

    def _wanted(self, wanted: Any, noun: str, more: bool) -> Iterator[Problem]:
        """What is asked for: fields, and numbers of one thing."""
        known = {*self.program.nouns[noun].fields, *CORE_FIELDS[""], *CORE_FIELDS.get(noun, ()), *self.asked}
        for name in wanted if isinstance(wanted, Map) else ():
            if name not in known and name.isidentifier():
                yield from self._unknown(wanted, name, noun, known, more)

    @staticmethod
    def _unknown(at: Map, name: str, noun: str, known: Iterable[str], more: bool) -> Iterator[Problem]:
        hint = did_you_mean(name, known)
        if hint is not None or not more:
            yield problem_at(at.key_pos(name), "unknown-field", f'a {noun} has no "{name}"', hint)


def _maps(value: Any) -> Iterator[Map]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Map))
