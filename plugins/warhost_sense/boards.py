"""What the board plugins of a ruleset say of the boards of its scenarios, and of those that examples lay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from warhost.errors import Problem, did_you_mean
from warhost.lang.place import Pos
from warhost.packs.checks import Contents
from warhost.packs.contents import RulesData
from warhost.packs.entries import to_plain
from warhost.packs.yaml_source import Map, place_of, problem_at
from warhost.plugins import PluginError, naming

#: Keys of a scenario, as `board` is one itself.
BESIDE = ("name", "ref", "settings", "sides", "summary")


def problems_in(contents: Contents) -> Iterator[Problem]:
    """A board that nobody reads, and all that is wrong with the others; a board that several examples lay once."""
    data = contents.data
    wanted = {name for name in contents.manifest.get("plugins") or () if isinstance(name, str)}
    missing = wanted - set(contents.plugins.names)  # one of these may read it
    read = bool(missing) or contents.plugins.has("warhost_board", "warhost_board_keys", "warhost_board_problems")
    for scenario in data.scenarios.values() if not contents.data_in_order else ():
        board = scenario.data.get("board")
        if not isinstance(board, Map):
            continue
        pos = scenario.data.key_pos("board")
        if read:
            yield from _of_board(contents, board, board, pos, blind=bool(missing))
            yield from _same_zones(board)
        else:
            hint = "name one under `plugins` in ruleset.yaml, as warhost_field or warhost_hexes, or take it away"
            yield problem_at(pos, "unread", "no plugin of this ruleset reads a board", hint)
    yield from _length_unit(contents)
    told: set[str] = set()
    for example in contents.examples:
        given = example.data.get("given")
        board = given.get("board") if isinstance(given, Map) else None
        if isinstance(given, Map) and isinstance(board, Map):
            said = repr((given.get("scenario"), board))
            if said not in told:
                told.add(said)
                whole = whole_board(given, board, data)
                yield from _of_board(contents, whole, board, given.key_pos("board"), blind=bool(missing) or not read)


def _length_unit(contents: Contents) -> Iterator[Problem]:
    """A unit of length in which nothing on the board is measured."""
    manifest = next((m for m in reversed(contents.manifests) if "length_unit" in m), contents.manifests[-1])
    try:
        answers = [(name, list(units)) for name, units in contents.plugins.each("warhost_length_units")]
    except PluginError as error:
        yield problem_at(manifest.here, "plugin-failed", error.message)
        return
    for name, units in answers if "length_unit" in manifest else ():
        said = manifest["length_unit"]
        if said not in units:
            message = f'"{said}" is no length on the board of {name}'
            hint = f"write length_unit: {' or '.join(units)}, or name another board under `plugins`"
            yield problem_at(manifest.pos("length_unit"), "wrong-board", message, hint)


def _same_zones(board: Map) -> Iterator[Problem]:
    """Two zones that are the very same place."""
    given = board.get("zones")
    zones, seen = given if isinstance(given, Map) else Map(), dict[str, str]()
    for name in zones:
        other = seen.setdefault(repr(to_plain(zones[name])), str(name))
        if other != name:
            message = f'the zones "{other}" and "{name}" are one and the same place'
            yield problem_at(zones.key_pos(name), "twice", message, "move one of the two, or use one of them for both")


def _of_board(contents: Contents, board: Map, own: Map, pos: Pos, *, blind: bool) -> Iterator[Problem]:
    """What is wrong with one board. own: what it lays itself; pos: where; blind: somebody else may read its keys."""
    told = list(_wrong(contents, board, pos))
    yield from told
    if not blind:
        yield from _unread(contents, own, told)


def _wrong(contents: Contents, board: Map, pos: Pos) -> Iterator[Problem]:
    """What the plugins say of one board. pos: where it stands."""
    hook = "warhost_board_problems"
    try:
        for name, sentences in contents.plugins.each(hook, board=board, program=contents.program):
            with naming(name, hook):
                for said in sentences:
                    place, sentence = (None, said) if isinstance(said, str) else said
                    yield problem_at(place_of(board, place, key=True) if place else pos, "wrong-board", sentence)
    except PluginError as error:
        yield problem_at(pos, "plugin-failed", error.message)


def _unread(contents: Contents, board: Map, told: Sequence[Problem]) -> Iterator[Problem]:
    """The keys of a board that no plugin says it reads; told: what the plugins say of the board."""
    try:
        keys, are_all = contents.plugins.board_keys()
    except PluginError as error:
        yield problem_at(board.here, "plugin-failed", error.message)
        return
    places = {(p.file, p.line, p.column) for p in told}
    settings = set(contents.program.nouns["scenario"].fields) if contents.program is not None else set()
    for key in board:
        pos = board.key_pos(key)
        if key in keys or (pos.file, pos.line, pos.column) in places:
            continue
        if key in settings or key in BESIDE:
            said = f": `settings: {{{key}: {board[key]}}}`" if key in settings else ""
            hint = f"{key} belongs beside the board, not in it{said}"
        elif (near := did_you_mean(str(key), keys)) is not None:
            yield problem_at(pos, "wrong-board", f'the board has no "{key}"', near)
            continue
        elif not are_all:
            continue
        else:
            hint = f"take it away: of a board {', '.join(keys)} are read here"
            hint += "; or name under `plugins` in ruleset.yaml the plugin that reads it"
        yield problem_at(pos, "unread", f'no plugin of this ruleset reads "{key}" of a board', hint)


def whole_board(given: Map, board: Map, data: RulesData) -> Map:
    """The board of an example: what it lays, on the table of the scenario that it names, or of the first."""
    named = data.scenarios.get(str(given.get("scenario"))) if "scenario" in given else None
    scenario = named or next(iter(data.scenarios.values()), None)
    under = scenario.data.get("board") if scenario is not None else None
    if not isinstance(under, Map):
        return board
    whole = Map(board.file, board.line, board.column)
    whole.take(under, [key for key in under if named is not None or key not in ("terrain", "to_lay")])
    whole.take(board, board)
    return whole
