"""What a start is made of: files below a folder, and what to type next."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files as resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from warhost.errors import UsageError
from warhost_new.names import GivenName

_SUFFIX = ".template"


@dataclass(frozen=True, slots=True)
class Start:
    """folder: where it goes; files: texts by their paths from there; following: commands, each with what it does."""

    folder: Path
    files: Mapping[str, str]
    following: tuple[tuple[str, str], ...]


def ruleset(name: GivenName, folder: Path) -> Start:
    """A small game of its own in a new folder."""
    from warhost.packs import installed

    if any(one.id == name.id for one in installed()):
        raise UsageError(f'a ruleset "{name.id}" is installed, and its name would mean that one; choose another name')
    place = folder / name.id
    return Start(
        place, _filled("ruleset", {"id": name.id, "title": name.title}),
        (
            (f"warhost check {typed(place)} --watch", "leave it running while you write"),
            (f"warhost test {typed(place)}", "its examples"),
            (f"warhost demo {typed(place)}", "a battle"),
            (f"warhost odds {typed(place)} --attacker raiders:8 --defender guards:8", "what are the odds?"),
        ),
    )  # fmt: skip


def plugin(name: GivenName, folder: Path) -> Start:
    """A project for pip in a new folder, with a game that uses it."""
    id_ = name.id.removeprefix("warhost_")
    module = f"warhost_{id_}"
    _refuse_taken(id_, module)
    kind, plural = _one_and_many(id_)
    _refuse_kind(kind)
    words = {
        "id": id_, "kind": kind, "title": name.title, "module": module, "plural": plural,
        "project": module.replace("_", "-"),
    }  # fmt: skip
    filled = _filled("plugin", words)
    filled[f"{module}/__init__.py"] = filled.pop("module.py")
    filled[f"{module}/{id_}.rules"] = filled.pop("rules.rules")
    place = folder / module
    game = typed(place / "tests" / "game")
    return Start(
        place, filled,
        (
            (f"pip install -e {typed(place)}", "beside warhost"),
            (f"warhost test {game}", "the examples of its game"),
            (f"python -m pytest {typed(place)}", "its own test (pip install pytest)"),
        ),
    )  # fmt: skip


def _one_and_many(id_: str) -> tuple[str, str]:
    """`stance`, `stances` of either; what ends in an s and is one (`cautious`, `glass`) stays as it is."""
    if id_.endswith(("ss", "us", "is")):
        return id_, f"{id_}es"
    one = id_.removesuffix("s")
    return one, f"{one}s"


def _refuse_taken(id_: str, module: str) -> None:
    """A plugin that is called as another one, or as a word of the rules language."""
    from warhost.lang.lexer import vocabulary
    from warhost.plugins import available

    words = vocabulary()
    if id_ in words.always or id_ in words.at_start or id_ in words.at_block or id_ in sys.builtin_module_names:
        raise UsageError(f'"{id_}" is a word of the rules language; choose another name for the plugin')
    if id_ in available() or module in available():
        raise UsageError(f'a plugin "{id_}" is installed already; choose another name')


def _refuse_kind(kind: str) -> None:
    """A kind of block that a plugin which is installed has already: a ruleset could not use both."""
    from warhost.plugins import PluginError, activate, available

    for name in available():
        try:
            kinds = activate([name])[0].vocabulary()[0].kinds.values()
        except PluginError:
            continue
        if any(kind in (one.name, one.plural) for one in kinds):
            raise UsageError(f'the plugin {name} has a kind of block "{kind}" already; choose another name')


def _filled(folder: str, words: Mapping[str, str]) -> dict[str, str]:
    """The templates of a folder with their words filled in, by the paths of the files that they become."""
    found: dict[str, str] = {}
    _gather(resources("warhost_new") / "templates" / folder, "", words, found)
    return found


def _gather(folder: Traversable, path: str, words: Mapping[str, str], found: dict[str, str]) -> None:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            _gather(entry, f"{path}{entry.name}/", words, found)
        elif entry.name.endswith(_SUFFIX):
            text = Template(entry.read_text(encoding="utf-8")).substitute(words)
            found[path + entry.name.removesuffix(_SUFFIX)] = text


def typed(path: Path | str) -> str:
    """A path as it is typed at the prompt, from the working folder if it is below it."""
    import shlex

    from warhost.packs.user_paths import shown

    return shlex.quote(shown(path) if isinstance(path, Path) else path)
