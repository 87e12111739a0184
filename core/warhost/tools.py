"""Tools: programs that stand on top of the library and bring commands, reports of battles and names of their own.

A tool is a module or object named by an entry point in the group `warhost.tools`; it implements `warhost_commands`,
`warhost_observers`, `warhost_sections`, `warhost_checks`, `warhost_example_readers`, `warhost_example_players` or
`warhost_names` @@

A tool is asked each time that somebody lists the commands, so it imports nothing heavy: what it offers is named as
`module:object` and imported when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint
from pathlib import Path
from types import GeneratorType
from typing import Any, TypeVar

import pluggy

from warhost import hookspecs, plugins, vocabulary
from warhost.plugins import PluginError
from warhost.vocabulary import Check, Command, ExamplePlayer, ExampleReader, Observer, Section

GROUP = plugins.TOOLS

__all__ = [
    "Check", "Command", "ExamplePlayer", "ExampleReader", "Observer", "Section", "broken", "checks", "commands",
    "example_players", "example_readers", "imported", "names", "naming", "observers", "sections", "use", "went_wrong",
]  # fmt: skip

Offered = TypeVar("Offered", Check, Command, ExamplePlayer, ExampleReader, Observer, Section)


@dataclass
class _Installed:
    """The tools that are installed: names, in the order in which they are asked. offered: what each hook gave.
    owners: the tool of each `module:object`. strangers: those that do not come with Warhost. broken: a sentence for
    everything that is wrong with them.
    """

    manager: pluggy.PluginManager
    names: list[str] = field(default_factory=list)
    offered: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    strangers: set[str] = field(default_factory=set)
    broken: dict[str, None] = field(default_factory=dict)

    def asked(self, hook: str) -> list[tuple[str, Any]]:
        """What the tools gave for a hook, each with the tool's name; a tool that goes wrong gave nothing."""
        if hook not in self.offered:
            self.offered[hook] = []
            for name in self.names:
                others = [other for other in self.manager.get_plugins() if self.manager.get_name(other) != name]
                try:
                    with plugins.naming(name, hook, "tool"):
                        answers = self.manager.subset_hook_caller(hook, remove_plugins=others)()
                        given = [a if isinstance(a, Mapping) else list(a) for a in answers]
                except PluginError as error:
                    self.broken[str(error)] = None
                    continue
                self.offered[hook] += [(name, one) for one in given]
        return self.offered[hook]

    def all(self, hook: str, wanted: type[Offered], key: Callable[[Offered], Hashable]) -> list[Offered]:
        """What the tools offer of a sort. Of two with one key the first is kept: those that come with Warhost."""
        found: dict[Hashable, Offered] = {}
        for name, given in self.asked(hook):
            for one in given:
                if not isinstance(one, wanted):
                    said = f'the tool "{name}" must give {wanted.__name__}s in {hook}, not {one!r}'
                    self.broken[said] = None
                elif key(one) in found and self.owners[found[key(one)].at] != name:
                    owner = self.owners[found[key(one)].at]
                    self.broken[f'the tool "{name}" offers {key(one)} in {hook}, as "{owner}" does already'] = None
                else:
                    found[key(one)] = one
                    self.owners.setdefault(one.at, name)
        return list(found.values())


@cache
def _manager() -> _Installed:
    """Every tool that is installed."""
    manager = pluggy.PluginManager("warhost")
    manager.add_hookspecs(hookspecs)
    found = _Installed(manager)
    for point in plugins.strangers_last(plugins.available(GROUP, "tool")):
        try:
            plugins.registered(point, manager)
        except PluginError as error:
            found.broken[str(error)] = None
        else:
            found.names.append(point.name)
            if not plugins.is_bundled(point):
                found.strangers.add(point.name)
    return found


def broken() -> tuple[str, ...]:
    """A sentence for each tool that cannot be loaded, or went wrong when it was asked what it offers."""
    for ask in (commands, observers, sections, checks, example_readers, example_players, names):
        ask()
    return tuple(_manager().broken)


def went_wrong(error: PluginError) -> None:
    """A tool went wrong, and what it was asked for goes on without it: it is told with those that are broken."""
    _manager().broken[str(error)] = None


def commands() -> list[Command]:
    """What the tools offer as commands, in the order of the tools' names."""
    return _manager().all("warhost_commands", Command, lambda one: one.name)


def observers() -> list[Observer]:
    """Those who can watch a battle."""
    return _manager().all("warhost_observers", Observer, lambda one: one.option)


def sections() -> list[Section]:
    """The sections of manifests that tools read."""
    return _manager().all("warhost_sections", Section, lambda one: one.key)


def checks() -> list[Check]:
    """Those who find mistakes in rulesets that could be played as they stand."""
    return _manager().all("warhost_checks", Check, lambda one: one.at)


def sources_of_checks() -> list[Path]:
    """The files of Python of those who check: what others have found in order is to be looked at again."""
    homes = {plugins.home_of(EntryPoint(check.at, check.at, GROUP)) for check in checks()} - {None}
    return [file for home in homes if home for file in (sorted(home.rglob("*.py")) if home.is_dir() else [home])]


def example_readers() -> list[ExampleReader]:
    """Those who find mistakes in examples without playing them."""
    return _manager().all("warhost_example_readers", ExampleReader, lambda one: one.at)


def example_players() -> dict[str, ExamplePlayer]:
    """Those who play examples of a sort of their own, by the key that such an example has."""
    found = _manager().all("warhost_example_players", ExamplePlayer, lambda one: one.key)
    return {one.key: one for one in found}


def names() -> dict[str, str]:
    """The names that tools add to the library's front (`warhost.NAME`), each with its module."""
    found: dict[str, str] = {}
    for name, some in _manager().asked("warhost_names"):
        if isinstance(some, Mapping):
            found = {**some, **found}
        else:
            _manager().broken[f'the tool "{name}" must give names with their modules in warhost_names'] = None
    return found


def imported(at: str) -> Any:
    """What `module:object` names. Raises PluginError, which names the tool and the place in Python."""
    with naming(at):
        return vocabulary.imported(at)


def use(at: str, *given: Any) -> Any:
    """What the function `module:object` gives. Raises PluginError, which names the tool and the place in Python."""
    function = imported(at)
    with naming(at):
        answer = function(*given)
        return list(answer) if isinstance(answer, GeneratorType) else answer


def naming(at: str) -> AbstractContextManager[None]:
    """What goes wrong inside, in what a tool named as `module:object`, is told as the tool's: PluginError with its name
    and the place in Python. What comes with Warhost is Warhost's own.
    """
    owner = _manager().owners.get(at)
    return plugins.naming(owner, at, "tool") if owner in _manager().strangers else nullcontext()
