"""Tools: programs that stand on top of the library and bring commands, reports of battles and names of their own.

A tool is a module or object named by an entry point in the group `warhost.tools`; it implements `warhost_commands`,
`warhost_observers`, `warhost_sections` or `warhost_names` (hookspecs.py). Rulesets do not name tools: whatever is
installed is there. In a working copy that is not installed, the folders of plugins/ that hold a tool.py are found as
well.

A tool is asked each time that somebody lists the commands, so it imports nothing heavy: what it offers is named as
`module:object` and imported when it is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from itertools import chain
from typing import Any

import pluggy

from warhost import hookspecs, plugins

GROUP = "warhost.tools"


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the program.

    name: one word, or two for a command of a group (`army show`). at: the click command, as `module:object`.
    summary: its line in the list of commands. section: the heading under which it stands there. place: where under that
    heading, lower ones first.
    """

    name: str
    at: str
    summary: str
    section: str = "More"
    place: int = 100

    def load(self) -> Any:
        """The click command."""
        return imported(self.at)


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who watches a battle that is played or replayed, and leaves a file.

    option: how he is asked for (`--report`), given to him with a path. metavar, help: of the option. what: what the
    file is called in messages. at: a class, as `module:object`, made of a battle before it is played and of the side
    that may read the file (None: everybody); it has `write(path, force)`, and `is_ours(head)` as a static method, which
    tells a file of his by its first bytes.
    """

    option: str
    metavar: str
    help: str
    what: str
    at: str

    @property
    def parameter(self) -> str:
        """The option's name as a parameter of Python."""
        return self.option.lstrip("-").replace("-", "_")


@dataclass(frozen=True, slots=True)
class Section:
    """A section of `ruleset.yaml` that belongs to a tool.

    key: its name. at: a function, as `module:object`, of the manifests in which it may stand (those that the ruleset
    extends first, as Maps that know their places) and of the checked rules (None where they could not be read). It
    gives what the section means and a list of Problems. What it means is `ruleset.section(key)`.
    """

    key: str
    at: str


def imported(at: str) -> Any:
    """What `module:object` names."""
    return EntryPoint(at, at, GROUP).load()


@cache
def _manager() -> tuple[pluggy.PluginManager, tuple[str, ...]]:
    """Every tool that is installed, and a sentence for each that cannot be loaded."""
    manager, broken = pluggy.PluginManager("warhost"), []
    manager.add_hookspecs(hookspecs)
    for name, point in reversed(plugins.available(GROUP, "tool").items()):  # pluggy asks the last one first
        try:
            manager.register(plugins.imported(point), name=name)
        except (Exception, SystemExit) as error:
            broken.append(f'the tool "{name}" cannot be loaded: {type(error).__name__}: {error}')
    return manager, tuple(broken)


def broken() -> tuple[str, ...]:
    """A sentence for each tool that is installed and cannot be loaded."""
    return _manager()[1]


def commands() -> list[Command]:
    """What the tools offer as commands, in the order of the tools' names."""
    return list(chain.from_iterable(_manager()[0].hook.warhost_commands()))


def observers() -> list[Observer]:
    """Those who can watch a battle."""
    return list(chain.from_iterable(_manager()[0].hook.warhost_observers()))


def sections() -> list[Section]:
    """The sections of manifests that tools read."""
    return list(chain.from_iterable(_manager()[0].hook.warhost_sections()))


def names() -> dict[str, str]:
    """The names that tools add to the library's front (`warhost.NAME`), each with its module."""
    found: dict[str, str] = {}
    for some in _manager()[0].hook.warhost_names():
        found.update(some)
    return found
