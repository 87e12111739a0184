"""Whether examples speak of fields that there are, with values that fit: what is found without playing them."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from warhost.errors import Problem, did_you_mean, is_a_slip, is_misspelt, nearest
from warhost.hookspecs import misfit
from warhost.lang import ir
from warhost.lang.natives import FUNCTIONS
from warhost.lang.program import Program
from warhost.lang.symbols import CORE_FIELDS
from warhost.packs.yaml_source import Map, Seq, maps, problem_at
from warhost.tools import example_players
from warhost.vocabulary import ExamplesToRead
from warhost_proof.situation_code import checker_for

_ROLL = re.compile(r"roll (\w+)\(.*\)")
_CALL = re.compile(r"(roll )?(\w+)\([^()]*\)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_FIGURE = re.compile(r"[-+]?\d")

#: The functions of the language, whose dice are those of the rules.
OF_THE_LANGUAGE = frozenset(one.name for one in FUNCTIONS)

#: What `then` can ask for besides things.
WANTED = ("result", "log contains", "log lacks", "all", "illegal", "fails")

#: What may be asked though `when` only computes something: that it cannot, and what is so anyway.
_ASKING = frozenset({"all", "fails", "illegal"})

#: What every battle has, whatever an example gives.
_EVERYWHERE = frozenset({"battle", "side_1", "side_2"})

#: The end of a name that a thing gets which comes in play, or with a board.
NUMBERED = re.compile(r"_\d+$")


def problems_in(examples: Iterable[Any], read: ExamplesToRead) -> Iterator[tuple[Any, Problem]]:
    """Each example with a problem of it: what is misspelt in the states given and wanted of things, in options, links
    and answers, and in names of house rules.

    What rules that hold in examples alone and house rules on offer speak of may be a field of theirs. Examples may name
    house rules that are not on offer by their paths: then only what is nearly a known name is misspelt.
    """
    reading = _WordsReader(read.program, OtherFiles(read), beside=bool(read.beside))
    beside = words_in(read.beside)
    of_house = {id_: words_in(texts) for id_, texts in read.house.items()}
    for example in examples:
        reading.unsure = set()
        given = example.data.get("given")
        named = [of_house.get(str(one)) for one in (given.get("house_rules") if isinstance(given, Map) else ()) or ()]
        others = None if None in named else beside.union(*filter(None, named))
        yield from ((example, problem) for problem in _problems_of(example.data, reading, read, others))
        read.unsure.extend((example, name) for name in reading.unsure)


def _problems_of(
    example: Map, reading: _WordsReader, read: ExamplesToRead, others: frozenset[str] | None
) -> Iterator[Problem]:
    given = example.get("given")
    given = given if isinstance(given, Map) else Map()
    then = example.get("then")
    ids = _under(given, "id")
    yield from _unknown_house_rules(given.get("house_rules"), read.house)
    yield from reading.problems(given, others, ids)
    if not example_players().keys() & example.keys():
        said = words_in([str(example.get("when", ""))])
        yield from reading.wanted(given, then, others, ids, said)
    yield from reading.dice(example)
    yield from reading.result(example)
    yield from reading.asked_for(example)
    yield from reading.slips_in_answers(example.get("choices"), [*ids, *_under(given, "name")])
    if not (given.get("house_rules") or (isinstance(then, Map) and "fails" in then)):
        yield from _unknown_options(given, read.lists)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """Every word of some rules and data."""
    return frozenset(word for text in texts for word in _WORD.findall(text))


def _unknown_options(given: Map, lists: Mapping[str, Any]) -> Iterator[Problem]:
    """Options that the army list of a side does not give a unit."""
    for side in maps(given.get("sides")):
        found = lists.get(str(side.get("list")))
        offered = list(maps(found.data.get("units"))) if found is not None else []
        for unit in maps(side.get("units")):
            profile, given_options = str(unit.get("profile")), unit.get("options")
            options = given_options if isinstance(given_options, Seq) else Seq()
            rows = [row for row in offered if str(row.get("profile")) == profile]
            known = [str(one.get("id")) for row in rows for one in maps(row.get("options"))]
            if options and not {"list", "army"} & side.keys():
                message = f'{profile} has no option "{options[0]}": this side has no army list'
                hint = "options are those of an army list: write `list: ..` beside the units"
                yield problem_at(options.pos(0), "unknown-option", message, hint)
            for i, option in enumerate(options) if rows else ():
                if str(option) not in known:
                    hint = did_you_mean(str(option), known) or f"there are: {', '.join(known) or 'none'}"
                    yield problem_at(options.pos(i), "unknown-option", f'{profile} has no option "{option}"', hint)


def _unknown_house_rules(given: Any, known: Collection[str]) -> Iterator[Problem]:
    for i, name in enumerate(given if isinstance(given, Seq) else ()):
        if isinstance(name, str) and name not in known and not {"/", "."} & set(name):
            hint = did_you_mean(name, known) or (f"there are: {', '.join(known)}" if known else None)
            yield problem_at(given.pos(i), "unknown-name", f'there is no house rule "{name}"', hint)


class OtherFiles:
    """What files that are no examples speak of: boards and army lists bring things of such names into a battle."""

    def __init__(self, read: ExamplesToRead) -> None:
        self._read = read
        self._words: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        if self._words is None:
            of_examples = {example.pos.file for example in self._read.examples}
            self._words = words_in(text for file, text in self._read.texts.items() if file not in of_examples)
        return name in self._words


class _WordsReader:
    def __init__(self, program: Program, elsewhere: Container[str], *, beside: bool) -> None:
        self.program, self.elsewhere, self.beside = program, elsewhere, beside
        self.asked = {
            name for name, number in program.numbers.items() if len(number.params) == 1
        } | {name for name, function in program.natives.items() if function.parameters}

        notes = checker_for(program).all_notes()
        #: What may be answered to each decision; those that offer courses by name, with these.
        self.answers = {decision: set(courses) for decision, courses in notes.decisions.items()}
        #: The highest face that any die of the ruleset shows, if that is certain: plugins throw dice of their own, as
        #: large as a pile of cards, say.
        others = (one for name, one in program.natives.items() if name not in OF_THE_LANGUAGE)
        others_roll = any("rolls" in one.effects for one in others)
        certain = notes.sides and None not in notes.sides and not others_roll
        self.highest = max(notes.sides) if certain else None
        #: What procedures throw and ask, as far as that can be seen.
        self.comes = _WhatComes(program)
        #: Of one example: names that are not known, and misspelt only if something is nearly called so.
        self.unsure: set[str] = set()

    def dice(self, example: Map) -> Iterator[Problem]:
        """Faces that no die shows."""
        given = example.get("dice")
        named = _ROLL.fullmatch(str(example.get("when")).strip())
        roll = self.program.rolls.get(named[1]) if named else None
        own = _sides_of(roll) if roll is not None else [None]
        highest = self.highest if not own or None in own else max(own)
        under = example.get("given")
        if isinstance(under, Map) and under.get("house_rules"):  # it may bring other dice
            highest = None
        then = example.get("then")
        if isinstance(then, Map) and "fails" in then:  # it may be about just that
            return
        faces = given if isinstance(given, Seq) else Seq()
        asked = _CALL.fullmatch(str(example.get("when")).strip())
        if faces and asked is not None and not asked[1] and asked[2] in self.program.numbers:
            hint = "take `dice` away, or ask for a step that throws"
            yield problem_at(example.key_pos("dice"), "never", f"{asked[2]} throws no dice, it only computes", hint)
            return
        alone = self.alone(under)
        if faces and asked is not None and not asked[1] and alone and not self.comes.throws(asked[2]):
            hint = "take `dice` away, or let it throw"
            yield problem_at(example.key_pos("dice"), "never", f"{asked[2]} throws no dice, whatever happens", hint)
            return
        for i, face in enumerate(faces):
            if isinstance(face, int) and (face < 1 or (highest is not None and face > highest)):
                hint = f"its dice show 1 to {highest}" if highest is not None else "dice show 1 and more"
                yield problem_at(faces.pos(i), "never", f"no die shows {face}", hint)

    def alone(self, given: Any) -> bool:
        """Whether nothing but the ruleset's own rules holds in an example."""
        return not (self.beside or (isinstance(given, Map) and given.get("house_rules")))

    def asked_for(self, example: Map) -> Iterator[Problem]:
        """Answers to decisions that what is called never asks for."""
        choices, called = example.get("choices"), _CALL.fullmatch(str(example.get("when")).strip())
        if not isinstance(choices, Map) or called is None or called[1] or not self.alone(example.get("given")):
            return
        computes = called[2] in self.program.numbers
        there = frozenset[str]() if computes else self.comes.decisions(called[2])
        then = example.get("then")
        if there is None or (isinstance(then, Map) and "fails" in then):
            return
        for name in choices:
            if name not in there and _nearly(name, self.answers) is None:
                listed = ", ".join(sorted(there))
                hint = f"it asks for: {listed}" if there else "take `choices` away: it asks for nothing"
                said = f'{called[2]} asks nobody for "{name}", whatever happens'
                yield problem_at(choices.key_pos(name), "never", said, hint)

    def result(self, example: Map) -> Iterator[Problem]:
        """A result that what is asked can never give."""
        then = example.get("then")
        called = _CALL.fullmatch(str(example.get("when")).strip())
        if isinstance(then, Map) and "log contains" in then and "" in _listed(then["log contains"]):
            hint = "write words of the story that must be there, or take it away"
            yield problem_at(then.pos("log contains"), "never", "this holds of every story", hint)
        if not isinstance(then, Map) or called is None:
            return
        if "result" not in then:
            asked = {name for wanted in then.values() if isinstance(wanted, Map) for name in wanted}
            kept = {name for noun in self.program.nouns.values() for name in noun.fields}
            computes = not called[1] and called[2] in self.program.numbers
            if computes and asked <= kept and not then.keys() & _ASKING:  # else it asks for what is worked out, too
                said = f"{called[2]} only computes, and nothing here asks what it gives"
                yield problem_at(example.key_pos("then"), "never", said, "write then: {result: ..}")
            return
        found = self.program.rolls.get(called[2]) if called[1] else self.program.numbers.get(called[2])
        value = then["result"]
        type_ = getattr(found, "type", None)
        if type_ is None or isinstance(value, Map | Seq) or value is None:
            return
        words = self.program.words.get(type_.name, ()) if type_.kind == "word" else ()
        number = isinstance(value, int | Fraction) and not isinstance(value, bool)
        if type_.kind in ("number", "fraction", "distance") and isinstance(value, str) and not _FIGURE.match(value):
            said = f"{called[2]} gives a number, not {value}"
            yield problem_at(then.pos("result"), "wrong-type", said, "write a number")
        elif type_.kind == "yes_no" and not isinstance(value, bool) and value not in ("yes", "no"):
            said = f"{called[2]} gives yes or no, not {value}"
            yield problem_at(then.pos("result"), "wrong-type", said, "write yes or no")
        elif words and value not in words and (number or value != "none"):
            hint = did_you_mean(str(value), words) or f"the words of {type_.name} are: {', '.join(words)}"
            yield problem_at(then.pos("result"), "wrong-type", f'{called[2]} never gives "{value}"', hint)

    def slips_in_answers(self, choices: Any, things: Collection[str]) -> Iterator[Problem]:
        """Decisions and answers that are a slip away from known ones; others may come of plugins and of things."""
        for name, given in choices.items() if isinstance(choices, Map) else ():
            meant = _nearly(name, self.answers)
            if meant is not None:
                sentence = f'there is no decision "{name}"'
                yield problem_at(choices.key_pos(name), "unknown-name", sentence, f'did you mean "{meant}"?')
            self.unsure |= {name} - self.answers.keys()
            known = {*self.answers.get(name, ()), *things, "none"}
            places = [given.pos(i) for i in range(len(given))] if isinstance(given, Seq) else [choices.pos(name)]
            for answer, pos in zip(given if isinstance(given, Seq) else [given], places, strict=True):
                meant = _nearly(answer, known)
                if meant is not None and answer.replace(" ", "_") not in known:
                    sentence = f'"{answer}" is no answer to "{name}"'
                    yield problem_at(pos, "unknown-name", sentence, f'did you mean "{meant}"?')

    def problems(self, given: Map, more: frozenset[str] | None, ids: Collection[str]) -> Iterator[Problem]:
        """What is misspelt in `given`. more: words that may be fields, too; None: any may."""
        nouns = _nouns_in(given)
        settings = given.get("settings")
        yield from self._given(settings, "scenario", more, ids)
        for side in maps(given.get("sides")):
            yield from self._given(side.get("state"), "side", more, ids)
            for unit in maps(side.get("units")):
                yield from self._links(unit.get("links"), ids)
                yield from self._given(unit.get("state"), "unit", more, ids)
        states = given.get("state")
        for id_, state in states.items() if isinstance(states, Map) else ():
            if id_ in nouns:
                yield from self._given(state, nouns[id_], more, ids)

    def wanted(
        self, given: Map, then: Any, more: frozenset[str] | None, ids: Collection[str], said: Collection[str]
    ) -> Iterator[Problem]:
        """What is misspelt in `then`. more: as for what is given; said: the words of `when`."""
        nouns = _nouns_in(given)
        things = {*nouns, *ids}
        for id_, wanted in then.items() if isinstance(then, Map) else ():
            if id_ in WANTED:
                continue
            if id_ not in things:
                yield from self._unknown_wanted(then, str(id_), things, may_come=more is None or id_ in said)
            elif not isinstance(wanted, Map):
                hint = f"write {id_}: {{FIELD: ..}}"
                yield problem_at(then.pos(id_), "wrong-type", f"these must be fields of {id_} with their values", hint)
            elif id_ in nouns:
                yield from self._wanted(wanted, nouns[id_], more)

    def _unknown_wanted(self, then: Map, name: str, things: Collection[str], *, may_come: bool) -> Iterator[Problem]:
        """A key of `then` that is nothing. may_come: it may come in play, as whatever other files speak of, what has a
        number, and what is called after something that is there.
        """
        known = {*things, *WANTED}
        meant = nearest(name, known) if is_misspelt(name, known) else None
        is_thing = isinstance(then[name], Map) and name.isidentifier()
        after = any(f"_{one}_" in f"_{name}_" for one in things)
        if meant is None and is_thing and (may_come or after or NUMBERED.search(name) or name in self.elsewhere):
            return
        hint = f'did you mean "{meant}"?' if meant is not None else None
        if hint is None and is_thing:
            hint = f"there are: {', '.join(sorted(set(things) - _EVERYWHERE))}"
        hint = hint or f"it can ask for {', '.join(WANTED)}, or for fields of a thing, by its id"
        sentence = f'`then` speaks of "{name}", which is nothing here'
        yield problem_at(then.key_pos(name), "unknown-name", sentence, hint)

    def _links(self, links: Any, ids: Collection[str]) -> Iterator[Problem]:
        """Fields that hold a unit, each with the id of one."""
        fields = self.program.nouns["unit"].fields
        for name, value in links.items() if isinstance(links, Map) else ():
            if name not in fields:
                hint = did_you_mean(name, fields)
                yield problem_at(links.key_pos(name), "unknown-field", f'a unit has no "{name}"', hint)
            if isinstance(value, str) and value not in ids:  # what comes in play comes too late for it
                hint = did_you_mean(value, ids) or f"there are: {', '.join(sorted(ids))}"
                yield problem_at(links.pos(name), "unknown-name", f'there is nothing called "{value}" here', hint)

    @staticmethod
    def _unknown_id(state: Map, name: str, value: Any, ids: Collection[str]) -> Iterator[Problem]:
        """An id that is a slip away from one that there is."""
        meant = _nearly(value, ids)
        if meant is not None:
            sentence = f'there is nothing called "{value}" here'
            yield problem_at(state.pos(name), "unknown-name", sentence, f'did you mean "{meant}"?')

    def _given(
        self, state: Any, noun: str, more: frozenset[str] | None, ids: Collection[str]
    ) -> Iterator[Problem]:
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

    def _wanted(self, wanted: Any, noun: str, more: frozenset[str] | None) -> Iterator[Problem]:
        """What is asked for: fields, and numbers of one thing."""
        known = {*self.program.nouns[noun].fields, *CORE_FIELDS[""], *CORE_FIELDS.get(noun, ()), *self.asked}
        fields = self.program.nouns[noun].fields
        for name, value in wanted.items() if isinstance(wanted, Map) else ():
            if name not in known and name.isidentifier():
                yield from self._unknown(wanted, name, noun, known, more)
            elif name in fields and (
                fields[name].type.kind in ("word", "yes_no") or (isinstance(value, int) and not isinstance(value, bool))
            ):
                sentence = misfit(self.program, noun, name, value)
                if sentence is not None and value != "none":
                    yield problem_at(wanted.pos(name), "wrong-type", sentence)

    def _unknown(
        self, at: Map, name: str, noun: str, known: Iterable[str], more: frozenset[str] | None
    ) -> Iterator[Problem]:
        self.unsure.add(name)
        hint = did_you_mean(name, known)
        if hint is not None if more is None else name not in more:
            hint = hint or f"declare it under `state of {noun}`, or write what there is: warhost explain RULESET --list"
            yield problem_at(at.key_pos(name), "unknown-field", f'a {noun} has no "{name}"', hint)


class _WhatComes:
    """What procedures throw and ask, where that can be seen. What comes of an event, of a step of a plugin, of a thing
    that comes or goes, others say: any of these may throw and ask anything.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[str, tuple[bool, frozenset[str] | None]] = {}

    def throws(self, name: str) -> bool:
        """Whether a procedure of that name may throw dice; yes of what is none."""
        return self._of(name)[0]

    def decisions(self, name: str) -> frozenset[str] | None:
        """The decisions that a procedure may ask for; None where others may be asked for as well."""
        return self._of(name)[1]

    def _of(self, name: str) -> tuple[bool, frozenset[str] | None]:
        if name not in self._known:
            self._known[name] = self._look(name)
        return self._known[name]

    def _look(self, name: str) -> tuple[bool, frozenset[str] | None]:
        procedures = self.program.procedures
        new = {name}
        if not new <= procedures.keys():
            return True, None
        done: set[str] = set()
        throws, asked = False, set[str]()
        while new:
            done |= new
            called: set[str] = set()
            for node in (n for one in new for n in ir.walk(procedures[one])):
                if isinstance(node, _OTHERS_SAY) or self._has_effects(node):
                    return True, None
                if isinstance(node, ir.ForEach) and node.chooser is not None:
                    return True, None
                if isinstance(node, ir.Rolls | ir.DiceTerm):
                    throws = True
                elif isinstance(node, ir.Choose | ir.ChooseCourse):
                    asked.add(node.decision)
                elif isinstance(node, ir.CallProcedure):
                    called.add(node.name)
            new = called - done
            if not new <= procedures.keys():
                return True, None
        return throws, None if throws else frozenset(asked)

    def _has_effects(self, node: ir.IrNode) -> bool:
        if not isinstance(node, ir.CallFunction):
            return False
        native = self.program.natives.get(node.name)
        return native is not None and not native.pure


#: Nodes of which others say what comes of them: with a throw somebody may have the right to throw again.
_OTHERS_SAY = (
    ir.MakeRoll, ir.HowMany, ir.Emit, ir.Travel, ir.Give, ir.Take, ir.EndEffect, ir.Later,
)  # fmt: skip


def _nouns_in(given: Map) -> dict[str, str]:
    """What `given` and `then` of an example call things by: the noun of each."""
    sides = list(maps(given.get("sides")))
    ids = ("side_a", "side_b", *(f"side_{i + 1}" for i in range(max(len(sides), 2))))
    units = {str(unit.get("id")): "unit" for side in sides for unit in maps(side.get("units"))}
    return {"battle": "battle", **dict.fromkeys(ids, "side"), **units}


def _sides_of(roll: ir.Roll) -> list[Any]:
    """The sides of each of the dice of a roll; None for those that only play decides."""
    specs = [s for s in (roll.spec, *(spec for _, spec in roll.alternatives)) if s is not None]
    specs += [n.confirmed for n in roll.naturals if n.confirmed is not None]
    terms = [n for spec in specs for n in ir.walk(spec) if isinstance(n, ir.DiceTerm)]
    pools = [n.die_sides.value for spec in specs for n in ir.walk(spec) if isinstance(n, ir.Spec) and n.die_sides]
    return [e.value if isinstance(e, ir.Const) else None for e in (*(n.sides for n in terms), *pools)]


def _listed(value: Any) -> Seq | list[Any]:
    return value if isinstance(value, list) else [value]


def _nearly(word: Any, known: Collection[str]) -> str | None:
    """The known word from which one is a slip away; None when it is known itself, or like none."""
    if not isinstance(word, str) or word in known:
        return None
    return next((one for one in sorted(known) if is_a_slip(word, one)), None)


def _under(data: Any, key: str) -> list[str]:
    """Everything under a key, however deep."""
    found: list[str] = []
    pending: list[Any] = [data]
    while pending:
        one = pending.pop()
        if isinstance(one, Map):
            if key in one:
                found.append(str(one[key]))
            pending += [value for value in reversed(one.values()) if isinstance(value, Map | list)]
        elif isinstance(one, list):
            pending += [item for item in reversed(one) if isinstance(item, Map | list)]
    return found
