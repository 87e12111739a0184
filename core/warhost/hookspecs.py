"""Every extension point of Warhost, in one file.

A plugin is a module or object named by an entry point in the group `warhost.plugins`; it implements any of the hooks
below with `@warhost.hookimpl`. The bundled plugins under plugins/ are written the same way and use nothing else.
A ruleset names the plugins it needs (`plugins:` in ruleset.yaml); only those take part in its battles. A tool, which
stands on top of the library, is named in the group `warhost.tools` and implements the hooks at the end (tools.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pluggy

from warhost.errors import did_you_mean
from warhost.things import PluginBattle
from warhost.vocabulary import (
    Asked,
    Check,
    Command,
    ExamplePlayer,
    ExampleReader,
    Function,
    Kept,
    Kind,
    Observer,
    RulesLibrary,
    Section,
)

if TYPE_CHECKING:
    from warhost.lang.types import Type

hookspec = pluggy.HookspecMarker("warhost")
hookimpl = pluggy.HookimplMarker("warhost")


#: A place in the data, as keys and numbers that lead to it, and what is wrong there.
Misfit: TypeAlias = tuple[Sequence[str | int], str]


class Unlikely(str):
    """A sentence about what can be played as it stands and is most likely not meant: told as a warning."""

    __slots__ = ()


def plain(value: Any) -> Any:
    """What a hook is given of a YAML file (a scenario's board, a unit's place), with fractions as floats."""
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, Mapping):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value


def typed(value: Any, wanted: Type) -> Any:
    """A value of the data as its field has it: YAML's plain words yes and no become truth values."""
    if wanted.kind == "yes_no" and value in ("yes", "no"):
        return value == "yes"
    return value


def stated(program: Any, noun: str, given: Any) -> tuple[dict[str, Any], list[str]]:
    """What data say of the state of a thing, as the rules have it, and what is wrong with it, in sentences."""
    if not isinstance(given, Mapping):
        return {}, [] if given is None else [f"the state of a {noun} is a list of its fields with their values"]
    values: dict[str, Any] = {}
    wrong: list[str] = []
    for name, value in given.items():
        info = program.nouns[noun].fields.get(name)
        if info is None or not info.writable:
            known = [one for one, about in program.nouns[noun].fields.items() if about.writable]
            hint = did_you_mean(str(name), known) or f"there is {', '.join(known) or 'none'}"
            wrong.append(f'a {noun} has no state "{name}"; {hint}')
            continue
        sentence = misfit(program, noun, name, value)
        if sentence is None:
            values[name] = typed(value, info.type)
        else:
            wrong.append(sentence)
    return values, wrong


def misfit(program: Any, noun: str, name: str, value: Any) -> str | None:
    """What is wrong with a value of the data for a field that a noun has; None when nothing is."""
    info = program.nouns[noun].fields[name]
    type_ = info.type
    kind, words = type_.kind, program.words.get(type_.name, ())
    value = typed(value, type_)
    fits = {
        "yes_no": isinstance(value, bool),
        "text": isinstance(value, str),
        "word": value in words,
        **dict.fromkeys(("number", "fraction", "distance"), _is_number(value)),
    }
    # what has a lowest figure counts something; other numbers may be angles
    if kind == "number" and info.at_least is not None and _is_number(value) and value != int(value):
        return f"the {name} of a {noun} is a whole number, not {float(value)}; write {int(value)}"
    if (value is None and type_.optional) or fits.get(kind, True):
        return _beyond(noun, info, value) if _is_number(value) else None
    if kind != "word":
        return f'the {name} of a {noun} is {_SAID[kind]}, not "{value}"; write {_SAID[kind]}'
    hint = did_you_mean(str(value), words)
    said = f"{', '.join(words[:-1])} or {words[-1]}" if len(words) <= 12 or not hint else f"a {type_.name}"
    return f'the {name} of a {noun} is {said}, not "{value}"; {hint or f"write {said}"}'


def _beyond(noun: str, info: Any, value: Any) -> str | None:
    """What is wrong with a number for a field that has limits; None when nothing is."""
    for limit, way, wrong in (
        (info.at_least, "least", info.at_least is not None and value < info.at_least),
        (info.at_most, "most", info.at_most is not None and value > info.at_most),
    ):
        if wrong:
            return f"the {info.name} of a {noun} is at {way} {limit}, not {value} ({info.pos.file}:{info.pos.line})"
    return None


def unknown_keys(given: Any, known: Iterable[str], what: str, at: Sequence[str | int] = ()) -> list[Misfit]:
    """The keys of a mapping in the data that mean nothing there, each with its place below `at` and a sentence."""
    known = list(known)
    found: list[Misfit] = []
    for key in given if isinstance(given, Mapping) else ():
        if key not in known:
            hint = did_you_mean(str(key), known) or f"there is {', '.join(known)}"
            found.append(((*at, key), f'{what} has no "{key}"; {hint}'))
    return found


_SAID = {
    "yes_no": "yes or no",
    "text": "a text",
    "number": "a number",
    "fraction": "a number",
    "distance": "a number",
}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


@hookspec
def warhost_functions() -> Iterable[Function]:  # type: ignore[empty-body]
    """Functions that rules may call: pure questions and steps with declared effects."""


@hookspec
def warhost_kinds() -> Iterable[Kind]:  # type: ignore[empty-body]
    """Kinds of block that the language gains."""


@hookspec
def warhost_rules() -> Iterable[Path]:  # type: ignore[empty-body]
    """Files of rules that lie under every ruleset using the plugin: nouns, state, events, phrases, numbers."""


@hookspec
def warhost_libraries() -> Iterable[RulesLibrary]:  # type: ignore[empty-body]
    """Libraries of rules: of each, a ruleset that uses the plugin may ask by its name."""


@hookspec
def warhost_asks() -> Iterable[Asked]:  # type: ignore[empty-body]
    """Numbers of the rules that the plugin asks, each with the figures that it can do with: `warhost check` tells those
    written outside, and one that is outside in play is told by the number's name.
    """


@hookspec
def warhost_policies() -> Mapping[str, Callable[[int], Any]]:  # type: ignore[empty-body]
    """Computer players by name. Each factory is given a seed and returns a player (`warhost.Policy`)."""


@hookspec
def warhost_board(battle: PluginBattle, board: Mapping[str, Any]) -> None:
    """Lay out the board of a new battle from the scenario's `board` section, before the set-up phases."""


@hookspec
def warhost_board_keys() -> Iterable[str]:  # type: ignore[empty-body]
    """The keys of a scenario's `board` section that the plugin reads: `warhost check` tells those that nobody reads."""


@hookspec
def warhost_length_units() -> Iterable[str]:  # type: ignore[empty-body]
    """The units of length (`length_unit` of a ruleset) in which distances on the plugin's board can be: cm, in, hex."""


@hookspec
def warhost_board_problems(board: Mapping[str, Any], program: Any) -> Iterable[str | Misfit]:  # type: ignore[empty-body]
    """What is wrong with a scenario's `board` section, in plain sentences; nothing when it is right. A sentence may
    come with its place: the keys and numbers that lead there from the board.

    program: the compiled rules, None where they could not be read; `stated` judges by them what a board says of state.
    """


@hookspec
def warhost_place_problems(board: Mapping[str, Any], place: Any, shared: bool) -> Iterable[str | Misfit]:  # type: ignore[empty-body]
    """What is wrong with a place on a board that is in order, in plain sentences; nothing when it lies on the board, or
    when it is no place to the plugin. A sentence may come with its place, as keys below that of the unit; one that is
    `Unlikely` is a warning.

    board: the scenario's `board` section. place: what a unit is given (its keys `at`, `facing` and `files`); or as a
    text a name in an example that may be that of a place (`h4_44`), or a call of a plugin's function with nothing but
    whole numbers, in rules or an example (`hex_at(4, 44)`); in rules also with figures and `_` for what is none
    (`place_at(_, 500, 10, 0)`). shared: another unit of the example stands just there.
    """


@hookspec
def warhost_picture(battle: PluginBattle) -> Mapping[str, Any] | None:
    """The table as plain data for the battle report (see docs/design/log.md), or None."""


@hookspec
def warhost_invariants(battle: PluginBattle) -> Iterable[str]:  # type: ignore[empty-body]
    """Laws that are broken at this moment (two units overlap, say), one sentence each; nothing when all is well."""


@hookspec
def warhost_kept(battle: PluginBattle) -> Kept | None:
    """What the plugin keeps of the battle besides the fields of its things, so that a moment of it can come back."""


# -- hooks of tools -----------------------------------------------------------------------------


@hookspec
def warhost_commands() -> Iterable[Command]:  # type: ignore[empty-body]
    """Commands that the program `warhost` gains."""


@hookspec
def warhost_observers() -> Iterable[Observer]:  # type: ignore[empty-body]
    """Those who can watch a battle and leave a file: options of `warhost battle`, `demo` and `replay`."""


@hookspec
def warhost_names() -> Mapping[str, str]:  # type: ignore[empty-body]
    """Names that the library's front gains (`warhost.NAME`), each with the module that defines it."""


@hookspec
def warhost_sections() -> Iterable[Section]:  # type: ignore[empty-body]
    """Sections of `ruleset.yaml` that a tool reads and checks."""


@hookspec
def warhost_checks() -> Iterable[Check]:  # type: ignore[empty-body]
    """Those who find mistakes in rulesets that could be played as they stand."""


@hookspec
def warhost_example_readers() -> Iterable[ExampleReader]:  # type: ignore[empty-body]
    """Those who find mistakes in examples without playing them."""


@hookspec
def warhost_example_players() -> Iterable[ExamplePlayer]:  # type: ignore[empty-body]
    """Those who play examples of a sort of their own."""
