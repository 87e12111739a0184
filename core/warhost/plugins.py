"""Plugins: found by entry point, loaded only when a ruleset names them, registered with one pluggy manager.

The entry point's name is the plugin's name; it leads to a module or object with hooks (see hookspecs.py). In
a working copy that is not installed, the folders of plugins/ that hold a plugin.py are found as well.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, is_dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from importlib.metadata import Distribution, EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import GeneratorType, ModuleType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import pluggy

from warhost import hookspecs
from warhost.errors import RuleFault, WarhostError, nearest
from warhost.vocabulary import OF_EVERY_INSTANCE, Asked, Function, Kind, RulesLibrary, Vocabulary

GROUP = "warhost.plugins"
TOOLS = "warhost.tools"

#: The hooks that tools are asked; all others are asked of plugins.
TOOL_HOOKS = frozenset(
    f"warhost_{what}"
    for what in ("commands", "observers", "names", "sections", "checks", "example_readers", "example_players")
)

Declared = TypeVar("Declared", Function, Kind, Asked, RulesLibrary, Path)


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


def entry_points_of(group: str) -> EntryPoints:
    """The entry points of a group, of everything that is installed. To find them, the lists of every installed package
    are read: once, as long as nothing is installed or taken away.
    """
    found: EntryPoints = _all_entry_points(tuple((place, _changed(place)) for place in sys.path)).select(group=group)
    return found


@lru_cache(maxsize=1)
def _all_entry_points(state: tuple[tuple[str, int], ...]) -> Any:
    """Those that are found while the path, and what lies in its folders, is in a state."""
    return entry_points()


def _changed(folder: str) -> int:
    """When something was put into a folder or taken out of it, in nanoseconds; 0 if there is none."""
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


@cache
def _name_of(package: Distribution) -> str:
    return package.name


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
    found.update({point.name: point for point in sorted(entry_points_of(group))})
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
    return registered(known[name], _plugins)


def registered(point: EntryPoint, manager: pluggy.PluginManager) -> object:
    """What an entry point names, imported and registered under its name. Raises PluginError, and then nothing is."""
    name, what = point.name, _what(point.group)
    plugin: object = None
    try:
        plugin = imported(point)
        _refuse_wrong_hooks(plugin, point, manager)
        manager.register(plugin, name=name)
    except PluginError:
        raise
    except (Exception, SystemExit) as error:
        if manager.has_plugin(name):
            manager.unregister(name=name)
        where = place_of(error, home_of(point)) or f"entry point {point.value}"
        raise PluginError(name, f'the {what} "{name}" cannot be loaded: {sentence_of(error)} ({where})') from error
    return plugin


def imported(point: EntryPoint) -> object:
    """What an entry point names; a working copy's plugins/ is put onto the path for those of its own."""
    folder = _checkout_folder()
    if folder and (folder / point.name).is_dir() and str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
    if not is_bundled(point) and (home := home_of(point)) is not None:
        _strangers[home] = f'{_what(point.group)} "{point.name}"'
    return point.load()


def _what(group: str) -> str:
    return "tool" if group == TOOLS else "plugin"


def is_bundled(point: EntryPoint) -> bool:
    """Whether a plugin or a tool comes with Warhost itself."""
    return point.dist is None or _name_of(point.dist) == "warhost"


def strangers_last(points: Mapping[str, EntryPoint]) -> list[EntryPoint]:
    """Those that come with Warhost, then the others; each by name."""
    return sorted(points.values(), key=lambda point: (not is_bundled(point), point.name))


def _refuse_wrong_hooks(plugin: object, point: EntryPoint, manager: pluggy.PluginManager) -> None:
    """Hooks that nobody would ask, or that nobody could. Raises PluginError with the place in Python."""
    group, name = point.group, point.name
    specs = {hook: getattr(hookspecs, hook) for hook in dir(hookspecs) if hook.startswith("warhost_")}

    def refuse(method: object, said: str, hint: str | None = None) -> None:
        where = place_of_code(method)
        raise PluginError(name, f'the {_what(group)} "{name}" {said}' + (f" ({where})" if where else ""), hint)

    for attribute in dir(plugin):
        method = inspect.getattr_static(plugin, attribute)
        given = manager.parse_hookimpl_opts(plugin, attribute)
        if given is None:
            if attribute in specs and inspect.isfunction(method) and method.__module__ == _module_of(plugin):
                refuse(method, f"has {attribute} without @hookimpl before it, so nobody would ask it")
            continue
        hook = given.get("specname") or attribute
        if hook not in specs:
            guess = nearest(hook, specs)
            refuse(method, f'implements "{hook}", which is no hook', f'did you mean "{guess}"?' if guess else None)
        other = GROUP if group == TOOLS else TOOLS
        if (hook in TOOL_HOOKS) != (group == TOOLS) and not _is_named_in(other, point):
            hint = f'name it in the group "{other}" of the entry points'
            refuse(method, f'has {hook}, which only a {_what(other)} is asked', hint)
        known = list(inspect.signature(specs[hook]).parameters)
        for asked in inspect.signature(getattr(plugin, attribute)).parameters:
            if asked not in known:
                there = f"it is given {', '.join(known)}" if known else "it is given nothing"
                refuse(method, f'asks for "{asked}" in {hook}; {there}')


def _is_named_in(group: str, point: EntryPoint) -> bool:
    return any(other.value == point.value for other in entry_points_of(group))


def _module_of(plugin: object) -> str:
    return plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__module__


# -- whose code went wrong, and where ------------------------------------------------------------------

#: Plugins and tools that do not come with Warhost and have been imported: what to call them, by their folder or file.
_strangers: dict[Path, str] = {}


def home_of(point: EntryPoint) -> Path | None:
    """The folder of the package that an entry point leads into, or its file if it is one. Nothing is imported."""
    try:
        spec = importlib.util.find_spec(point.module.partition(".")[0])
    except (ImportError, ValueError):
        return None
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return Path(spec.origin) if spec.origin else None


def sentence_of(error: BaseException) -> str:
    """An error of Python in one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def place_of(error: BaseException, home: Path | None) -> str | None:
    """`file:line` of the innermost code below a folder, or in a file, that an error came through."""
    if isinstance(error, SyntaxError) and error.filename and home is not None and _below(error.filename, home):
        return f"{error.filename}:{error.lineno}"
    found = None
    for file, line in _frames(error):
        if home is not None and _below(file, home):
            found = f"{file}:{line}"
    return found


def place_of_code(made: object) -> str | None:
    """`file:line` where a function or class is defined."""
    if inspect.isclass(made):
        try:
            return f"{inspect.getsourcefile(made)}:{inspect.getsourcelines(made)[1]}"
        except (OSError, TypeError):
            return None
    code = getattr(inspect.unwrap(made) if callable(made) else None, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code is not None else None


def stranger_at_fault(error: BaseException) -> str | None:
    """Which plugin or tool that does not come with Warhost an error comes from, and where, in a sentence.

    None when rules ran last, or only Warhost's own code.
    """
    found = None
    for file, line in _frames(error):
        if file.endswith(".rules"):
            found = None
        elif (owner := _owner(file)) is not None:
            found = f"the {owner} went wrong: {sentence_of(error)} ({file}:{line})"
    return found


def owner_of(thing: object) -> str | None:
    """The plugin or tool that does not come with Warhost and has the class of a thing, with its place; else None."""
    return _owner_with(place_of_code(getattr(type(thing), "decide", None)))


def written_in(made: object) -> str:
    """Where a class or function of a plugin is written, `the plugin "x" (file:line)`, as far as that is known."""
    place = place_of_code(made)
    return _owner_with(place) or place or str(getattr(made, "__module__", "a module without a name"))


def _owner_with(place: str | None) -> str | None:
    """Whose code stands at a place, `the plugin "x" (file:line)`; None where it comes with Warhost."""
    owner = _owner(place.rpartition(":")[0]) if place else None
    return f"the {owner} ({place})" if owner else None


def _owner(file: str) -> str | None:
    return next((name for home, name in _strangers.items() if _below(file, home)), None)


def _below(file: str, home: Path) -> bool:
    return file == str(home) or file.startswith(f"{home}{os.sep}")


def _frames(error: BaseException) -> Iterator[tuple[str, int]]:
    """File and line of the calls that an error came through, the outermost first."""
    tb, steps = error.__traceback__, 0
    while tb is not None and steps < 5000:
        yield tb.tb_frame.f_code.co_filename, tb.tb_lineno
        tb, steps = tb.tb_next, steps + 1


@dataclass(frozen=True, slots=True)
class Clash:
    """Two plugins declare the same name, or one does twice. what: 'function' or 'kind'. place: `file:line` of what the
    second function calls, as far as that is known.
    """

    what: str
    name: str
    first: str
    second: str
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Active:
    """The plugins that take part, in the ruleset's order; their hooks are asked in that order."""

    names: tuple[str, ...] = ()
    _hooks: dict[tuple[str, int], list[tuple[str, Callable[..., Any]]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def each(self, hook: str, **given: Any) -> Iterator[tuple[str, Any]]:
        """The answers to a hook, each with its plugin's name; plugins that answer None are left out.

        Raises PluginError when a plugin goes wrong.
        """
        for name, caller in self._answering(hook):
            with naming(name, hook):
                # a generator runs only when it is gone through: here, where its plugin is known
                answer = [list(one) if isinstance(one, GeneratorType) else one for one in caller(**given)]
            for value in answer:
                yield name, value

    def has(self, *hooks: str) -> bool:
        """Whether any of the plugins answers to one of some hooks."""
        return any(hasattr(load(name), hook) for name in self.names for hook in hooks)

    def board_keys(self) -> tuple[list[str], bool]:
        """The keys of a board that the plugins say they read, and whether these are all: one that has to do with boards
        and does not say which keys it reads may read any. Raises PluginError when a plugin goes wrong.
        """
        keys = [str(key) for _, found in self.each("warhost_board_keys") for key in found]
        plugins = [load(name) for name in self.names]
        of_boards = [one for one in plugins if hasattr(one, "warhost_board") or hasattr(one, "warhost_board_problems")]
        silent = not all(hasattr(one, "warhost_board_keys") for one in of_boards)
        return list(dict.fromkeys(keys)), not silent

    def call(self, hook: str, **given: Any) -> list[Any]:
        """The answers to a hook, without the names."""
        return [value for _, value in self.each(hook, **given)]

    def _answering(self, hook: str) -> list[tuple[str, Callable[..., Any]]]:
        """The plugins that answer to a hook, each with what asks it."""
        found = self._hooks.get((hook, len(_plugins.get_plugins())))
        if found is None:
            plugins = [(name, load(name)) for name in self.names]
            there = _plugins.get_plugins()
            # a caller would ask plugins, too, that were registered after it was made
            found = self._hooks[hook, len(there)] = []
            for name, plugin in plugins:
                made = _plugins.subset_hook_caller(hook, remove_plugins=[one for one in there if one is not plugin])
                if made.get_hookimpls():
                    found.append((name, made))
        return found

    def rules(self) -> list[tuple[str, Path]]:
        """The files of rules of each plugin, in order."""
        each = self.each("warhost_rules")
        return [(name, path) for name, paths in each for path in _listed(name, "warhost_rules", paths, Path)]

    def libraries(self) -> list[tuple[str, RulesLibrary]]:
        """The libraries of rules of each plugin, in order. Raises PluginError when two have one name."""
        found: dict[str, tuple[str, RulesLibrary]] = {}
        for plugin, declared in self.each("warhost_libraries"):
            for one in _listed(plugin, "warhost_libraries", declared, RulesLibrary):
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
        for name, policies in self.each("warhost_policies"):
            if not isinstance(policies, Mapping):
                raise PluginError(name, f'the plugin "{name}" must give players by name in warhost_policies')
            for called, factory in policies.items():
                if not callable(factory):
                    made = type(factory).__name__
                    said = f'gives a {made} for the computer player "{called}", and not what makes one of a seed'
                    hint = f"write in warhost_policies: {{{called!r}: {made}}}"
                    raise PluginError(name, f'the plugin "{name}" {said}', hint)
            found.update(policies)
        return found

    def vocabulary(self) -> tuple[Vocabulary, list[Clash]]:
        """Everything declared by the plugins; of a name that clashes, the first is kept."""
        clashes: list[Clash] = []
        points = available()
        functions = {}
        for name, (one, owner) in self.declared("warhost_functions", Function, clashes).items():
            functions[name] = one if is_bundled(points[owner]) else _held_to_what_it_says(one, owner)
        kinds = {}
        for name, (kind, owner) in self.declared("warhost_kinds", Kind, clashes).items():
            if taken := OF_EVERY_INSTANCE.intersection(f.name for f in kind.fields):
                message = f'the plugin "{owner}" gives the kind {name} a field "{min(taken)}", which every instance has'
                raise PluginError(owner, f"{message}: call it otherwise")
            kinds[name] = kind
        asked = {name: one for name, (one, _) in self.declared("warhost_asks", Asked).items()}
        return Vocabulary(functions=functions, kinds=kinds, asked=asked), clashes

    def declared(
        self, hook: str, wanted: type[Declared], clashes: list[Clash] | None = None
    ) -> Mapping[str, tuple[Declared, str]]:
        """What the plugins declare in answer to a hook, by name, each with its plugin; of a name that clashes, the
        first. wanted: the class of the declarations. clashes: takes those that there are. Raises PluginError.
        """
        found: dict[str, tuple[Declared, str]] = {}
        points = available()
        for plugin, declared in self.each(hook):
            trusted = plugin in points and is_bundled(points[plugin])
            for given in _listed(plugin, hook, declared, wanted):
                one = given if trusted else _as_its_class_says(given, plugin)
                if one.name not in found:
                    found[one.name] = (one, plugin)
                elif clashes is not None:
                    place = place_of_code(one.call) if isinstance(one, Function) else None
                    clashes.append(Clash(wanted.__name__.lower(), one.name, found[one.name][1], plugin, place))
        return found


def _as_its_class_says(one: Declared, plugin: str) -> Declared:
    """A declaration of somebody else's plugin whose fields are of the types that its class has for them: lists and
    tuples become what the class holds. Raises PluginError when a field is of another type.
    """
    try:
        fitted: Declared = _fitted(one)
        return fitted
    except _MisfitError as misfit:
        field_, value, wanted = misfit.args
        what = f"{type(one).__name__.lower()} {getattr(one, 'name', None)!r}"
        shown = " ".join(repr(value).split())[:60]
        raise PluginError(plugin, f'the plugin "{plugin}" gives "{field_}" of the {what} as {shown}', wanted) from None


class _MisfitError(Exception):
    """A field of a declaration is of another type: its name, its value, and a sentence of what it must be."""


def _fitted(one: Any) -> Any:
    found = {name: _as_type(getattr(one, name), hint, name) for name, hint in get_type_hints(type(one)).items()}
    return replace(one, **{name: value for name, value in found.items() if value is not getattr(one, name)})


def _as_type(value: Any, hint: Any, name: str) -> Any:
    """A value as a field's type has it, where nothing but the sort of collection differs. Raises _MisfitError."""
    origin, of = get_origin(hint), get_args(hint)
    if origin in (tuple, frozenset):
        if isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping):
            return origin(_as_type(item, of[0], name) for item in value)
        example = f"{name}=({value!r},)" if isinstance(value, of[0]) else f"{name}=(..,)"
        raise _MisfitError(name, value, f"give several, or one as in {example}")
    if type(None) in of:
        return value if value is None else _as_type(value, of[0], name)
    if hint is Any or isinstance(value, origin or hint):
        return _fitted(value) if is_dataclass(hint) else value
    called = {str: "a text", bool: "True or False"}.get(hint, f"a {getattr(origin or hint, '__name__', hint)}")
    raise _MisfitError(name, value, f"it must be {called}")


def _held_to_what_it_says(function: Function, plugin: str) -> Function:
    """A function of somebody else's plugin, held to its declaration. Raises PluginError when it cannot be called so."""
    declared = function.parameters
    least = sum(not one.optional for one in declared)
    for given in {least, len(declared)}:
        try:
            inspect.signature(function.call).bind(None, *[None] * given)
        except TypeError as error:
            wanted = ", ".join(["battle", *(f"{one.name}{'=None' if one.optional else ''}" for one in declared)])
            said = f'of the plugin "{plugin}" cannot be called as it is declared: {error}'
            message = f'the function "{function.name}" {said}'
            where = place_of_code(function.call)
            hint = f"the battle comes first: def {function.name}({wanted})"
            raise PluginError(plugin, f"{message} ({where})" if where else message, hint) from error
        except ValueError:  # a builtin that does not tell
            break
    return replace(function, call=_HeldToItsType(function, plugin))


@dataclass(frozen=True, slots=True)
class _HeldToItsType:
    """A function of somebody else's plugin: what it gives is held against what it says that it gives.

    Rules would stumble over anything else later, where nobody can tell whence it came.
    """

    function: Function
    plugin: str

    def __call__(self, *arguments: Any) -> Any:
        value = self.function.call(*arguments)
        if not _is_of(value, self.function.result):
            shown = " ".join(repr(value).split())[:60]
            if isinstance(value, float):
                shown += ", a float: the language has whole numbers and fractions, as in Fraction(7, 2) or round(..)"
            raise RuleFault(
                f'the plugin "{self.plugin}" says that the function "{self.function.name}" gives a '
                f"{self.function.result}, and it gave {shown} ({place_of_code(self.function.call)})"
            )
        return value


#: The classes of Python whose values are of a plain type of the language.
_CLASSES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("number", "fraction", "distance"), (int, Fraction)), "text": (str,), "yes_no": (bool,),
}  # fmt: skip


def _is_of(value: Any, declared: str) -> bool:
    """Whether a value is of a type as plugins write it. Things are told from plain values only."""
    if declared in ("any", "anything"):
        return True
    if value is None or declared.endswith(" or none"):
        return declared.endswith(" or none") and (value is None or _is_of(value, declared.removesuffix(" or none")))
    if declared.startswith("list of "):
        of = declared.removeprefix("list of ")
        return isinstance(value, list | tuple) and all(_is_of(one, of) for one in value)
    classes = _CLASSES.get(declared)
    if classes is None:
        return not isinstance(value, float | bytes | dict | list | tuple)
    return isinstance(value, classes) and (bool in classes or not isinstance(value, bool))


@contextmanager
def naming(name: str, hook: str, what: str = "plugin") -> Iterator[None]:
    """What goes wrong inside is told with the plugin's name, the hook and the place in Python, as a PluginError."""
    try:
        yield
    except WarhostError:
        raise
    except (Exception, SystemExit) as error:
        point = available(TOOLS, "tool").get(name) if what == "tool" else available().get(name)
        where = place_of(error, home_of(point)) if point is not None else None
        message = f'the {what} "{name}" went wrong in {hook}: {sentence_of(error)}' + (f" ({where})" if where else "")
        raise PluginError(name, message) from error


def _listed(plugin: str, hook: str, declared: Any, wanted: type[Declared]) -> list[Declared]:
    """What a hook gave, if it is a list of what is wanted. Raises PluginError."""
    with naming(plugin, hook):
        listed = list(declared)
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
