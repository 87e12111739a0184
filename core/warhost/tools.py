"""Tools: programs that stand on top of the library and bring commands, reports of battles and names of their own.

A tool is a module or object named by an entry point in the group `warhost.tools`; it implements `warhost_commands`,
`warhost_observers`, `warhost_sections`, `warhost_example_readers`, `warhost_example_players` or `warhost_names`
(hookspecs.py). Rulesets do not name tools: whatever is installed is there. In a working copy that is not installed, the
folders of plugins/ that hold a tool.py are found as well.

A tool is asked each time that somebody lists the commands, so it imports nothing heavy: what it offers is named as
`module:object` and imported when it is used.
"""

from __future__ import annotations

from functools import cache
from itertools import chain

import pluggy

from warhost import hookspecs, plugins
from warhost.vocabulary import Command, ExamplePlayer, ExampleReader, Observer, Section, imported

GROUP = "warhost.tools"

__all__ = [
    "Command", "ExamplePlayer", "ExampleReader", "Observer", "Section", "broken", "commands", "example_players",
    "example_readers", "imported", "names", "observers", "sections",
]  # fmt: skip


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


def example_readers() -> list[ExampleReader]:
    """Those who find mistakes in examples without playing them."""
    return list(chain.from_iterable(_manager()[0].hook.warhost_example_readers()))


def example_players() -> dict[str, ExamplePlayer]:
    """Those who play examples of a sort of their own, by the key that such an example has."""
    return {one.key: one for one in chain.from_iterable(_manager()[0].hook.warhost_example_players())}


def names() -> dict[str, str]:
    """The names that tools add to the library's front (`warhost.NAME`), each with its module."""
    found: dict[str, str] = {}
    for some in _manager()[0].hook.warhost_names():
        found.update(some)
    return found
