"""Places in examples and rules that the board does not have, as the board plugins of the ruleset say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from warhost.errors import Problem
from warhost.hookspecs import Unlikely
from warhost.lang import tree
from warhost.lang.place import Pos
from warhost.packs.checks import Contents, LayerRead
from warhost.packs.contents import Example
from warhost.packs.data import raw_elements
from warhost.packs.layers import Placed
from warhost.packs.remembering import Remembered
from warhost.packs.yaml_source import Map, Seq, maps, place_of, problem_at
from warhost.plugins import PluginError, naming
from warhost_sense.blocks import constant
from warhost_sense.boards import whole_board
from warhost_sense.zones import telling_nodes

HOOK = "warhost_place_problems"

#: What a unit is given that is for the board plugin.
KEYS = ("at", "facing", "files")

#: A name that may be that of a place: it has a figure.
_NAME = re.compile(r"(?<![\w.])[A-Za-z][A-Za-z_]*[0-9]\w*")

#: A call with nothing but whole numbers, and what stands between these.
_CALL = re.compile(r"(?<![\w.])([a-z]\w*)\( *(\d+(?: *, *\d+)*) *\)")
_COMMA = re.compile(r" *, *")

#: Keys of `then` that hold no names of things.
_TOLD = ("log contains", "log lacks", "fails", "illegal")


def problems_in(contents: Contents, texts: Mapping[str, str], remembered: Remembered) -> Iterator[Problem]:
    """Units of examples that stand where the board has no place, and names of such places in their text, each once.

    texts: what the files say. A house rule of an example that has scenarios may lay another board, one that is not on
    offer as well: then nothing is certain.
    """
    if not contents.plugins.has(HOOK):
        return
    lay_others = {id_ for id_, read in contents.offered.items() if _has_scenarios(read)}
    asking = _PlaceQuestions(contents, remembered)
    for example in contents.examples:
        given, then = example.data.get("given"), example.data.get("then")
        given = given if isinstance(given, Map) else Map()
        if isinstance(then, Map) and "fails" in then:  # it may be about just that
            continue
        house = [str(one) for one in given.get("house_rules") or ()]
        if all(one in contents.offered and one not in lay_others for one in house):
            try:
                yield from asking.of_example(example, given, texts)
            except PluginError as error:
                yield problem_at(example.pos, "plugin-failed", error.message)
                return


def in_rules(
    contents: Contents, placed: Sequence[Placed], functions: Collection[str], remembered: Remembered
) -> Iterator[Problem]:
    """Calls of plugins' functions, with figures, that mean a place which the board of no scenario has."""
    boards = [one.data.get("board") for one in contents.data.scenarios.values()]
    if not contents.plugins.has(HOOK) or not boards or not all(isinstance(board, Map) for board in boards):
        return
    asking = _PlaceQuestions(contents, remembered)
    asking.boards = {repr(board): board for board in boards if isinstance(board, Map)}
    for block in (one.block for one in placed):
        for node in remembered.of(block, telling_nodes):
            if not isinstance(node, tree.Call) or node.name not in functions or not node.args:
                continue
            figures = [constant(arg.value) for arg in node.args]
            if figures.count(None) == len(figures):
                continue
            call = f"{node.name}({', '.join('_' if one is None else str(one) for one in figures)})"
            try:
                told = [asking.asked(board, call) for board in asking.boards]
            except PluginError as error:
                yield problem_at(node.pos, "plugin-failed", error.message)
                return
            if all(told):
                sentence = told[0][0][1]
                yield problem_at(node.pos, "never" if isinstance(sentence, Unlikely) else "wrong-place", sentence)


def _has_scenarios(read: LayerRead) -> bool:
    """Whether a house rule has scenarios, or changes some."""
    return any(
        raw.kind == "scenario"
        for file, parsed in read.data()
        if isinstance(parsed.data, Map)
        for raw in raw_elements(file.kind, parsed.data)
    )


class _PlaceQuestions:
    """The question to the board plugins, each asked once for a board and a place."""

    def __init__(self, contents: Contents, remembered: Remembered) -> None:
        self.contents, self.remembered = contents, remembered
        self.boards: dict[str, Map] = {}
        self.answers: dict[tuple[str, str, bool], list[tuple[tuple[str | int, ...], str]]] = {}
        self.told: set[Pos] = set()

    def of_example(self, example: Example, given: Map, texts: Mapping[str, str]) -> Iterator[Problem]:
        """What lies beside the board of one example. Raises PluginError."""
        own = given.get("board")
        own = own if isinstance(own, Map) else Map()
        said = repr((given.get("scenario"), own))
        if said not in self.boards:
            self.boards[said] = whole_board(given, own, self.contents.data)
        ids: set[str] = set()
        taken: set[str] = set()
        for side in maps(given.get("sides")):
            for unit in maps(side.get("units")):
                ids.add(str(unit.get("id")))
                place = {key: unit[key] for key in KEYS if key in unit}
                at = repr(place.get("at"))
                shared = "at" in place and at in taken
                taken.add(at)
                for path, sentence in self.asked(said, place, shared=shared) if place else ():
                    yield from self._once(place_of(unit, path) if path else unit.here, sentence)
        for name, meant, pos in self.remembered.of(example.data, _spoken_of, example.pos):
            for _, sentence in self.asked(said, meant) if name not in ids else ():
                yield from self._once(_where(name, pos, texts), sentence)

    def _once(self, pos: Pos, sentence: str) -> Iterator[Problem]:
        if pos not in self.told:  # examples may share what is given
            self.told.add(pos)
            yield problem_at(pos, "wrong-place", sentence)

    def asked(self, board: str, place: Any, *, shared: bool = False) -> list[tuple[tuple[str | int, ...], str]]:
        """What is wrong with a place, each sentence with its keys below the unit. shared: another unit stands there."""
        key = board, repr(place), shared
        if key not in self.answers:
            found = self.answers[key] = []
            for name, sentences in self.contents.plugins.each(
                HOOK, board=self.boards[board], place=place, shared=shared
            ):  # fmt: skip
                with naming(name, HOOK):
                    for said in sentences:
                        path, sentence = ((), said) if isinstance(said, str) else said
                        found.append((tuple(path), sentence))
        return self.answers[key]


def _spoken_of(example: Map, pos: Pos) -> list[tuple[str, str, Pos]]:
    """The names and calls in an example that may mean a place: as they are written, as board plugins are asked for
    them, and the place of the text.
    """
    found: list[tuple[str, str, Pos]] = []
    spoken = example.copied([key for key in ("when", "choices", "then") if key in example])
    for text, at in _texts(spoken, pos):
        found += [(name, name, at) for name in dict.fromkeys(_NAME.findall(text))]
        found += [(call[0], f"{call[1]}({_COMMA.sub(', ', call[2])})", at) for call in _CALL.finditer(text)]
    return found


def _texts(data: Any, pos: Pos) -> Iterator[tuple[str, Pos]]:
    """The texts in the rules language, and keys that name things, each with its place."""
    if isinstance(data, str):
        yield data, pos
    elif isinstance(data, Map):
        for key, value in data.items():
            if key not in _TOLD:
                yield str(key), data.key_pos(key)
                yield from _texts(value, data.pos(key))
    elif isinstance(data, Seq):
        for value, place in data.placed():
            yield from _texts(value, place)


def _where(name: str, pos: Pos, texts: Mapping[str, str]) -> Pos:
    """The first place of a name from a place on."""
    lines = texts.get(pos.file, "").split("\n")
    for number, line in enumerate(lines[pos.line - 1 :], pos.line):
        begins = line.find(name, pos.column - 1 if number == pos.line else 0)
        if begins >= 0:
            return Pos(pos.file, number, begins + 1, number, begins + len(name) + 1)
    return pos
