"""Plugins: found by entry point, loaded only when a ruleset names them, registered with one pluggy manager.

The entry point's name is the plugin's name; it leads to a module or object with hooks (see hookspecs.py). In
a working copy that is not installed, the folders of plugins/ that hold a plugin.py are found as well.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import pluggy

from warhost import hookspecs
from warhost.errors import WarhostError, nearest
from warhost.vocabulary import Function, Kind, RulesLibrary, Vocabulary

GROUP = "warhost.plugins"

Declared = TypeVar("Declared", Function, Kind, RulesLibrary)


class PluginError(WarhostError):
    """A plugin is missing, cannot be loaded, or went wrong in a hook. plugin is its name."""

    def __init__(self, plugin: str, message: str, hint: str | None = None) -> None:
        self.plugin, self.message, self.hint = plugin, message, hint
        super().__init__(plugin, message, hint)

    def __str__(self) -> str:
        return self.message + (f" ({self.hint})" if self.hint else "")


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager("warhost")
    manager.add_hookspecs(hookspecs)
    return manager


_plugins = _manager()


def _checkout_folder() -> Path | None:
    """plugins/ of the working copy that this package runs from, if there is one."""
    folder = Path(__file__).resolve().parents[2] / "plugins"
    return folder if folder.is_dir() and (folder.parent / "pyproject.toml").is_file() else None


def available(group: str = GROUP, file: str = "plugin") -> dict[str, EntryPoint]:
    """Every plugin that could be loaded, by name; none of them is imported.

    group: of entry points; file: the module that is it in a folder of plugins/ of a working copy.
    """
    found: dict[str, EntryPoint] = {}
    folder = _checkout_folder()
    if folder:
        for path in sorted(folder.glob(f"*/{file}.py")):
            name = path.parent.name
            found[name] = EntryPoint(name, f"{name}.{file}", group)
    found.update({point.name: point for point in sorted(entry_points(group=group))})
    return dict(sorted(found.items()))


def load(name: str) -> object:
    """The plugin of that name, imported and registered. Raises PluginError."""
    plugin: object = _plugins.get_plugin(name)
    if plugin is not None:
        return plugin
    known = available()
    if name not in known:
        guess = nearest(name, known)
        listed = f"installed: {', '.join(known)}" if known else "none is installed"
        raise PluginError(name, f'there is no plugin "{name}"', f'did you mean "{guess}"?' if guess else listed)
    try:
        plugin = imported(known[name])
        _plugins.register(plugin, name=name)
    except (Exception, SystemExit) as error:
        if _plugins.has_plugin(name):
            _plugins.unregister(name=name)
        raise PluginError(name, f'the plugin "{name}" cannot be loaded: {_sentence(error)}') from error
    strange = _unknown_hooks(plugin)
    if strange:
        _plugins.unregister(name=name)
        known_hooks = [hook for hook in dir(hookspecs) if hook.startswith("warhost_")]
        guess = nearest(strange, known_hooks)
        hint = f'did you mean "{guess}"?' if guess else None
        raise PluginError(name, f'the plugin "{name}" implements "{strange}", which is no hook', hint)
    return plugin


def imported(point: EntryPoint) -> object:
    """What an entry point names; a working copy's plugins/ is put onto the path for those of its own."""
    folder = _checkout_folder()
    if folder and (folder / point.name).is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    return point.load()


def _unknown_hooks(plugin: object) -> str | None:
    for caller in _plugins.get_hookcallers(plugin) or ():
        if not caller.has_spec():
            return caller.name
    return None


def _sentence(error: BaseException) -> str:
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@dataclass(frozen=True, slots=True)
class Clash:
    """Two plugins declare the same name. what: 'function' or 'kind'."""

    what: str
    name: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Active:
    """The plugins that take part, in the ruleset's order; their hooks are asked in that order."""

    names: tuple[str, ...] = ()
    _hooks: dict[tuple[str, str, int], Callable[..., Any]] = field(default_factory=dict, repr=False, compare=False)

    def each(self, hook: str, **given: Any) -> Iterator[tuple[str, Any]]:
        """The answers to a hook, each with its plugin's name; plugins that answer None are left out.

        Raises PluginError when a plugin goes wrong.
        """
        for name in self.names:
            try:
                answer = self._caller(name, hook)(**given)
            except WarhostError:
                raise
            except Exception as error:
                message = f'the plugin "{name}" went wrong in {hook}: {_sentence(error)}'
                raise PluginError(name, message) from error
            for value in answer:
                yield name, value

    def has(self, *hooks: str) -> bool:
        """Whether any of the plugins answers to one of some hooks."""
        return any(hasattr(load(name), hook) for name in self.names for hook in hooks)

    def call(self, hook: str, **given: Any) -> list[Any]:
        """The answers to a hook, without the names."""
        return [value for _, value in self.each(hook, **given)]

    def _caller(self, name: str, hook: str) -> Callable[..., Any]:
        plugin, registered = load(name), len(_plugins.get_plugins())
        key = name, hook, registered  # a caller would ask plugins, too, that were registered after it was made
        if key not in self._hooks:
            others = [other for other in _plugins.get_plugins() if other is not plugin]
            self._hooks[key] = _plugins.subset_hook_caller(hook, remove_plugins=others)
        return self._hooks[key]

    def rules(self) -> list[tuple[str, Path]]:
        """The files of rules of each plugin, in order."""
        return [(name, Path(path)) for name, paths in self.each("warhost_rules") for path in paths]

    def libraries(self) -> list[tuple[str, RulesLibrary]]:
        """The libraries of rules of each plugin, in order. Raises PluginError when two have one name."""
        found: dict[str, tuple[str, RulesLibrary]] = {}
        for plugin, declared in self.each("warhost_libraries"):
            for one in self._listed(plugin, "warhost_libraries", declared, RulesLibrary):
                if one.name in found:
                    both = f'"{found[one.name][0]}" and "{plugin}"'
                    raise PluginError(plugin, f'the plugins {both} both have a library "{one.name}"')
                found[one.name] = plugin, one
        return list(found.values())

    def sources(self) -> list[Path]:
        """The files of Python of each plugin: those of its package, or the one file that it is."""
        found: list[Path] = []
        for plugin in map(load, self.names):
            module = plugin if isinstance(plugin, ModuleType) else sys.modules.get(type(plugin).__module__)
            if module is not None and module.__file__ is not None:
                file = Path(module.__file__)
                found += sorted(file.parent.rglob("*.py")) if module.__package__ else [file]
        return found

    def policies(self) -> dict[str, Callable[[int], Any]]:
        """Computer players by name; of two with one name, the later plugin's."""
        found: dict[str, Callable[[int], Any]] = {}
        for _, policies in self.each("warhost_policies"):
            found.update(policies)
        return found

    def vocabulary(self) -> tuple[Vocabulary, list[Clash]]:
        """Everything declared by the plugins; of a name that clashes, the first is kept."""
        clashes: list[Clash] = []
        functions = self._declared("warhost_functions", "function", clashes, Function)
        kinds = self._declared("warhost_kinds", "kind", clashes, Kind)
        return Vocabulary(functions=functions, kinds=kinds), clashes

    def _declared(self, hook: str, what: str, clashes: list[Clash], wanted: type[Declared]) -> Mapping[str, Declared]:
        found: dict[str, Declared] = {}
        owner: dict[str, str] = {}
        for plugin, declared in self.each(hook):
            for one in self._listed(plugin, hook, declared, wanted):
                if one.name in found:
                    clashes.append(Clash(what, one.name, owner[one.name], plugin))
                    continue
                found[one.name] = one
                owner[one.name] = plugin
        return found

    @staticmethod
    def _listed(plugin: str, hook: str, declared: Any, wanted: type[Declared]) -> list[Declared]:
        try:  # a generator runs only now
            listed = list(declared)
        except Exception as error:
            raise PluginError(plugin, f'the plugin "{plugin}" went wrong in {hook}: {_sentence(error)}') from error
        for one in listed:
            if not isinstance(one, wanted):
                message = f'the plugin "{plugin}" must give {wanted.__name__}s in {hook}, not {one!r}'
                raise PluginError(plugin, message)
        return listed


def activate(names: Iterable[str]) -> tuple[Active, list[PluginError]]:
    """The named plugins, loaded; those that fail are left out, each with its error."""
    good: list[str] = []
    errors: list[PluginError] = []
    for name in dict.fromkeys(names):
        try:
            load(name)
        except PluginError as error:
            errors.append(error)
        else:
            good.append(name)
    return Active(tuple(good)), errors
