"""Whether examples speak of fields that there are, with values that fit: what is found without playing them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from warhost.errors import Problem, did_you_mean, is_a_slip
from warhost.hookspecs import misfit
from warhost.lang.program import Program
from warhost.lang.symbols import CORE_FIELDS
from warhost.packs.yaml_source import Map, Seq, problem_at

#: What `then` can ask for besides things.
WANTED = ("result", "log contains", "log lacks", "all", "illegal", "fails", "battle")


def problems_in(
    examples: Iterable[Any], program: Program, open_to_more: bool, house: Collection[str] = ()
) -> Iterator[Problem]:
    """What is misspelt in the states given and wanted of sides, units and the battle, and in names of house rules.

    house: the ids of the house rules that the ruleset offers; examples may name others by their paths.
    open_to_more: rules that hold in examples alone may add fields; then only what is nearly a known name is misspelt.
    """
    reading = _Reading(program)
    for example in examples:
        given = example.data.get("given")
        given = given if isinstance(given, Map) else Map()
        yield from _unknown_house_rules(given.get("house_rules"), house)
        yield from reading.problems(given, example.data.get("then"), open_to_more or bool(given.get("house_rules")))


def _unknown_house_rules(given: Any, known: Collection[str]) -> Iterator[Problem]:
    for i, name in enumerate(given if isinstance(given, Seq) else ()):
        if isinstance(name, str) and name not in known and not {"/", "."} & set(name):
            hint = did_you_mean(name, known) or (f"there are: {', '.join(known)}" if known else None)
            yield problem_at(given.pos(i), "unknown-name", f'there is no house rule "{name}"', hint)


class _Reading:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.asked = {
            name for name, number in program.numbers.items() if len(number.params) == 1
        } | {name for name, function in program.natives.items() if function.parameters}

    def problems(self, given: Map, then: Any, more: bool) -> Iterator[Problem]:
        nouns, ids = {"battle": "battle"}, list(_ids(given))
        for side in _maps(given.get("sides")):
            yield from self._given(side.get("state"), "side", more, ids)
            for unit in _maps(side.get("units")):
                nouns[str(unit.get("id"))] = "unit"
                yield from self._given(unit.get("state"), "unit", more, ids)
        states = given.get("state")
        for id_, state in states.items() if isinstance(states, Map) else ():
            if id_ in nouns:
                yield from self._given(state, nouns[id_], more, ids)
        known = {*nouns, *WANTED, *ids}
        for id_, wanted in then.items() if isinstance(then, Map) else ():
            if id_ in nouns:
                yield from self._wanted(wanted, nouns[id_], more)
            elif id_ not in known:
                yield from self._unknown_thing(then, str(id_), known)

    @staticmethod
    def _unknown_id(state: Map, name: str, value: str, ids: Collection[str]) -> Iterator[Problem]:
        """An id that is a slip away from one that there is."""
        meant = next((one for one in ids if is_a_slip(value, one)), None)
        if meant is not None and value not in ids:
            sentence = f'there is nothing called "{value}" here'
            yield problem_at(state.pos(name), "unknown-name", sentence, f'did you mean "{meant}"?')

    @staticmethod
    def _unknown_thing(then: Map, name: str, known: Iterable[str]) -> Iterator[Problem]:
        """A key of `then` that is a slip away from one that there is. Others may be things that come in play."""
        meant = next((one for one in known if is_a_slip(name, one)), None)
        if meant is not None:
            sentence = f'`then` speaks of "{name}", which is nothing here'
            yield problem_at(then.key_pos(name), "unknown-name", sentence, f'did you mean "{meant}"?')

    def _given(self, state: Any, noun: str, more: bool, ids: Collection[str]) -> Iterator[Problem]:
        """Fields that are set: declared ones, with values of their types."""
        fields = self.program.nouns[noun].fields
        for name, value in state.items() if isinstance(state, Map) else ():
            if name in fields:
                sentence = misfit(self.program, noun, name, value)
                if sentence is not None:
                    yield problem_at(state.pos(name), "wrong-type", sentence)
                elif fields[name].type.kind == "noun" and isinstance(value, str):
                    yield from self._unknown_id(state, name, value, ids)
            else:
                yield from self._unknown(state, name, noun, fields, more)

    def _wanted(self, wanted: Any, noun: str, more: bool) -> Iterator[Problem]:
        """What is asked for: fields, and numbers of one thing."""
        known = {*self.program.nouns[noun].fields, *CORE_FIELDS[""], *CORE_FIELDS.get(noun, ()), *self.asked}
        fields = self.program.nouns[noun].fields
        for name, value in wanted.items() if isinstance(wanted, Map) else ():
            if name not in known and name.isidentifier():
                yield from self._unknown(wanted, name, noun, known, more)
            elif name in fields and fields[name].type.kind == "word":
                sentence = misfit(self.program, noun, name, value)
                if sentence is not None and value != "none":
                    yield problem_at(wanted.pos(name), "wrong-type", sentence)

    @staticmethod
    def _unknown(at: Map, name: str, noun: str, known: Iterable[str], more: bool) -> Iterator[Problem]:
        hint = did_you_mean(name, known)
        if hint is not None or not more:
            yield problem_at(at.key_pos(name), "unknown-field", f'a {noun} has no "{name}"', hint)


def _ids(data: Any) -> Iterator[str]:
    """Every id in some data."""
    if isinstance(data, Map):
        if "id" in data:
            yield str(data["id"])
        for value in data.values():
            yield from _ids(value)
    elif isinstance(data, list):
        for item in data:
            yield from _ids(item)


def _maps(value: Any) -> Iterator[Map]:
    if isinstance(value, list):
        yield from (item for item in value if isinstance(item, Map))
