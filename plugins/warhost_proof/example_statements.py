"""Checking the statements and conditions of examples without running them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from warhost.errors import Problem, is_a_slip
from warhost.lang import tree
from warhost.lang.nodes import words_of
from warhost.lang.parser import parse
from warhost.lang.place import Pos
from warhost.lang.program import Program
from warhost.packs.yaml_source import Map, Seq
from warhost.vocabulary import ExamplesToRead
from warhost_proof.example_words import NUMBERED, OtherFiles
from warhost_proof.situation_code import problems_in as mistakes_in

#: Things that every battle has.
ALWAYS = ("battle", "scenario", "side_a", "side_b")


def problems_in(examples: Iterable[Any], read: ExamplesToRead) -> Iterator[Problem]:
    """What is wrong with `when` and with the conditions of `then` of some examples, each at its line.

    Names that rules beside examples declare count as known. A house rule of an example may change what anything is:
    then only names are certain that nothing has, and that it does not speak of; of one that is not on offer nothing is
    known, and running the example shows what is wrong.
    """
    declared = _declared(read.beside)
    others = OtherFiles(read)
    in_order: dict[tuple[Any, ...], set[str]] = {}
    for example in examples:
        given = example.data.get("given")
        given = given if isinstance(given, Map) else Map()
        house = [str(one) for one in given.get("house_rules") or ()]
        if all(one in read.house for one in house):
            of_house = "\n".join(text for one in house for text in read.house[one])
            nouns, unsure = _things(given, read.program), set[str]()
            for text, place, condition in _texts(example.data):
                said = text, condition, *((name, nouns[name]) for name in sorted(words_of(text) & nouns.keys()))
                if said in in_order:  # the same was said of the same sorts of things before
                    unsure |= in_order[said]
                    continue
                of_text = set[str]()
                found = mistakes_in(text, read.program, nouns, example.pos.file, condition, of_text)
                unsure |= of_text
                if not found:
                    in_order[said] = of_text
                if house:
                    found = [p for p in found if p.code.startswith("unknown-") and _missed(p) not in of_house]
                certain = [p for p in found if _certain(p, declared, nouns, others)]
                unsure.update(_missed(p) for p in found if p not in certain)
                if certain:
                    yield from _told(certain, text, place, read.texts.get(place.file, "").split("\n"))
            read.unsure.extend((example, name) for name in unsure)


def _texts(data: Map) -> Iterator[tuple[str, Pos, bool]]:
    """The texts of an example in the rules language: each with its place, and if it is a condition."""
    if data.get("when") is not None:
        yield str(data["when"]), data.pos("when"), False
    then = data.get("then")
    conditions = then.get("all") if isinstance(then, Map) else None
    if isinstance(conditions, Seq):
        for i, condition in enumerate(conditions):
            yield str(condition), conditions.pos(i), True
    elif isinstance(then, Map) and conditions is not None:
        yield str(conditions), then.pos("all"), True


def _told(found: Iterable[Problem], text: str, pos: Pos, lines: Sequence[str]) -> Iterator[Problem]:
    """Problems with their places in a text moved to their places in the file.

    pos: of the text, or of the mark (`|`) above it when it has several lines. lines: those of the file.
    """
    said = text.split("\n")
    for problem in found:
        line = pos.line + problem.line - (1 if len(said) == 1 else 0)
        source = lines[line - 1] if line <= len(lines) else ""
        begins = source.find(said[min(problem.line, len(said)) - 1], pos.column - 1 if len(said) == 1 else 0)
        column = begins + problem.column if begins >= 0 else pos.column  # written with marks of YAML's own
        yield replace(problem, line=line, column=column, source=None)


def _certain(problem: Problem, declared: frozenset[str], ids: Iterable[str], elsewhere: Container[str]) -> bool:
    """Whether a problem is certain.

    Boards, army lists and play bring things into a battle whose names are not known here: those that are spoken of
    elsewhere and those with a number (`wood_1`, `h3_4`) count as mistakes only if they are nearly known ones.
    """
    if problem.code not in ("unknown-name", "unknown-field"):
        return True
    name = _missed(problem)
    if name in declared:
        return False
    bare = "no name called" in problem.message or "no quality of" in problem.message
    suggested = (problem.hint or "").split('"')[1::2]
    if not bare or not (NUMBERED.search(name) or name in elsewhere):
        return True
    return any(is_a_slip(name, known) for known in (*ids, *suggested, *ALWAYS))


def _missed(problem: Problem) -> str:
    """The name of which a problem says that nothing has it."""
    return problem.message.rpartition(' "')[2].rstrip('"')


def _things(given: Map, program: Program) -> dict[str, str]:
    """The noun of each thing that an example gives an id; nothing where that cannot be told."""
    found: dict[str, str] = {}
    pending: list[tuple[Any, str]] = [(given, "thing")]
    while pending:
        data, key = pending.pop()
        if isinstance(data, Map):
            if "id" in data:
                found[str(data["id"])] = key if key in program.nouns else ""
            below = [(one, str(name).removesuffix("s")) for name, one in data.items() if isinstance(one, Map | list)]
        else:
            below = [(one, key) for one in data if isinstance(one, Map | list)]
        pending += reversed(below)  # in the order in which they are written: of two with one id the last one counts
    return found


def _declared(texts: Iterable[str]) -> frozenset[str]:
    """The names of the blocks of some rules, and of the fields and phases that they add."""
    blocks = [block for text in texts for block in parse(text, "")[0].blocks]
    blocks += [inner for block in blocks if isinstance(block, tree.HouseRule) for inner in block.blocks]
    fields = [field.name for block in blocks if isinstance(block, tree.StateBlock) for field in block.fields]
    fields += [block.phase.name for block in blocks if isinstance(block, tree.PhaseInsert)]
    return frozenset([*fields, *(str(getattr(block, "name", "")) for block in blocks)])
