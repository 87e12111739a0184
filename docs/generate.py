"""Writes what can be read off the program into the manual and the plugins' pages: `python docs/generate.py [--check]`.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end -->`. --check changes nothing and exits with 1
if a part is out of date.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT / "core") not in sys.path:
    sys.path[:0] = [str(ROOT / "core"), str(ROOT / "plugins")]

from warhost import plugins  # noqa: E402
from warhost.lang import tree  # noqa: E402
from warhost.lang.expressions import BUILT_IN  # noqa: E402
from warhost.lang.lexer import vocabulary  # noqa: E402
from warhost.lang.natives import FUNCTIONS  # noqa: E402
from warhost.lang.parser import parse  # noqa: E402
from warhost.limits import LIMITS  # noqa: E402
from warhost.packs.merging import identity  # noqa: E402
from warhost.vocabulary import Function, Kind  # noqa: E402

PAGES = [
    *(ROOT / "docs" / page for page in ("language.md", "security.md", "design/house.md")),
    *sorted((ROOT / "plugins").glob("*/README.md")),
]
_PART = re.compile(r"(<!-- generated: (\w+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)

#: What each built-in function does; a new one must be added here, or generating stops.
SAYS = {
    "floor": "rounds down",
    "ceiling": "rounds up",
    "round": "rounds to the nearest whole number, halves up",
    "whole": "the same as round",
    "absolute": "without its sign",
    "lower_of": "the lower of two",
    "higher_of": "the higher of two",
    "lowest_of": "the same as lower_of",
    "highest_of": "the same as higher_of",
    "remainder": "what is left after a division",
    "count_of": "how often something is in a list",
    "size_of": "how many are in a list",
    "empty_list": "a list with nothing in it",
    "as_number": "a distance as a plain number, in the ruleset's unit",
    "as_distance": "a number as a distance in the ruleset's unit",
    "first": "the first of a list, or none",
    "last": "the last of a list, or none",
    "joined": "the list and one more (or another list)",
    "without": "the list without one (or without those of another list)",
}


def keywords() -> str:
    words = vocabulary()
    runs = {" ".join(run) for found in words.runs.values() for run, _ in found}
    rows = [
        ("Reserved everywhere, except after a dot, before `=` and before the colon of a field:", words.always),
        ("Reserved where a statement or line begins:", words.at_start),
        ("Reserved where a block begins:", words.at_block),
        ("Reserved before a text in quotes:", words.before_text),
        ("Words that belong together:", runs),
    ]
    return "\n\n".join(f"{what}\n{_listed(names)}." for what, names in rows) + "\n"


def functions() -> str:
    missing = set(BUILT_IN) ^ set(SAYS)
    if missing:
        raise SystemExit(f"docs/generate.py does not say what {', '.join(sorted(missing))} does")
    rows = [
        (f"`{name}({', '.join(takes)})`", gives, SAYS[name]) for name, (takes, gives) in BUILT_IN.items()
    ]
    engine = _functions(f for f in FUNCTIONS if f.name.isidentifier())
    return _table(("function", "gives", "is"), rows) + "\nFunctions of the engine:\n\n" + engine


def plugin_parts() -> str:
    parts = []
    for name in plugins.available():
        if not (ROOT / "plugins" / name / "plugin.py").is_file():
            continue
        part = _plugin(name)
        if part:
            parts.append(f"### {name}\n\n{part}")
    return "\n".join(parts)


def _active(name: str) -> plugins.Active:
    active, errors = plugins.activate([name])
    if errors:
        raise SystemExit(str(errors[0]))
    return active


def functions_of(plugin: str) -> str:
    """What a plugin's own page says of its functions."""
    found, _ = _active(plugin).vocabulary()
    return _functions(found.functions.values())


def _plugin(name: str) -> str:
    active = _active(name)
    found, _ = active.vocabulary()
    parts = []
    if found.kinds:
        parts.append(_table(("kind", "is", "fields", "flags"), [_kind(kind) for kind in found.kinds.values()]))
    if found.functions:
        parts.append(_functions(found.functions.values()))
    if policies := active.policies():
        parts.append(f"Computer players: {_listed(policies)}.\n")
    blocks = list(_blocks(path for _, path in active.rules()))
    if blocks:
        parts.append(_table(("block", "", "says"), blocks))
    for _, library in active.libraries():
        needs = f" The ruleset says {_listed(library.needs)}." if library.needs else ""
        parts.append(f"`libraries: [{library.name}]`. {library.doc}{needs}\n")
        parts.append(_table(("block", "", "says"), _blocks([library.path])))
    return "\n".join(parts)


def _kind(kind: Kind) -> tuple[str, ...]:
    fields = ", ".join(f"`{f.name}` ({f.type})" for f in kind.fields)
    return f"`{kind.name}` of {kind.bearer}", kind.doc, fields, _listed(kind.flags) if kind.flags else ""


def _blocks(paths: Iterable[Path]) -> Iterable[tuple[str, ...]]:
    """Nouns, numbers, flags and events of a plugin's rules; those that a ruleset may replace among them."""
    for path in paths:
        module, _ = parse(path.read_text(encoding="utf-8"), path.name)
        for block in module.blocks:
            kind, name = identity(block)
            params = getattr(block, "params", None)
            shown = f"({', '.join(p.name for p in params)})" if params else ""
            says = getattr(block, "reads", None)
            if isinstance(block, tree.StateBlock | tree.ProfileBlock):
                says = ", ".join(f"`{f.name}`" for f in block.fields)
            yield f"`{kind} {'of ' if kind in ('state', 'profile') else ''}{name}{shown}`", "", str(says or "")


def _functions(found: Iterable[Function]) -> str:
    return _table(("function", "gives", "does", "effects"), [_function(f) for f in found])


def _function(f: Function) -> tuple[str, ...]:
    params = ", ".join(f"{p.name}{'?' if p.optional else ''}: {p.type}" for p in f.parameters)
    gives = "" if f.result == "any" and f.effects and "rolls" not in f.effects else f.result
    return f"`{f.name}({params})`", gives, f.doc, ", ".join(sorted(f.effects)) or "pure"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    rows = list(rows)
    kept = [i for i in range(len(head)) if head[i] and any(row[i] for row in rows)]
    lines = [[head[i] for i in kept], ["---"] * len(kept), *([row[i] for i in kept] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def limits_table() -> str:
    return _table(("limit", "how many", "of"), ((f"`{name}`", f"{most:,}", of) for name, (most, of) in LIMITS.items()))


def house() -> str:
    """Every package with what it is for and what it imports, lowest first."""
    found = dict(_parts_of_house())
    arrows = {
        part: sorted({to for file in files for to in _imports(file)} & found.keys() - {part})
        for part, files in found.items()
    }
    rows = []
    for part in TopologicalSorter(arrows).static_order():
        files = found[part]
        first = files[0] if len(files) == 1 else next(f for f in files if f.name == "__init__.py")
        says = (ast.get_docstring(ast.parse(first.read_text(encoding="utf-8"))) or "").partition("\n")[0]
        rows.append((f"`{part}`", says, _listed(arrows[part])))
    return _table(("package", "is", "imports"), rows)


def _parts_of_house() -> Iterable[tuple[str, list[Path]]]:
    core = ROOT / "core" / "warhost"
    for path in sorted([*core.iterdir(), *(ROOT / "plugins").iterdir()]):
        name = path.stem if path.parent != core else f"warhost.{path.stem}"
        files = sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.suffix == ".py" else []
        if files and not path.stem.startswith("__"):
            yield name, files


def _imports(file: Path) -> Iterable[str]:
    """The packages that a file imports when it runs."""
    tree_ = ast.parse(file.read_text(encoding="utf-8"))
    quiet = {
        id(inner) for node in ast.walk(tree_) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }  # fmt: skip
    for node in ast.walk(tree_):
        if isinstance(node, ast.ImportFrom) and id(node) not in quiet and node.module:
            for name in (alias.name for alias in node.names):
                words = [*node.module.split("."), name]
                yield ".".join(words[: 2 if words[0] == "warhost" else 1])


PARTS: dict[str, Callable[[], str]] = {
    "house": house,
    "keywords": keywords,
    "functions": functions,
    "plugins": plugin_parts,
    "limits": limits_table,
}


def renewed(text: str) -> str:
    """The text of a page with its generated parts as they should be."""

    def made(part: str) -> str:
        return PARTS[part]() if part in PARTS else functions_of(part)

    return _PART.sub(lambda found: f"{found[1]}\n{made(found[2])}\n{found[4]}", text)


def main() -> int:
    check = "--check" in sys.argv[1:]
    stale = 0
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        new = renewed(text)
        if new == text:
            continue
        stale += 1
        if check:
            print(f"{page.relative_to(ROOT)} is out of date: run python docs/generate.py")
        else:
            page.write_text(new, encoding="utf-8")
            print(f"{page.relative_to(ROOT)} renewed")
    return 1 if check and stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
