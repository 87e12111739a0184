"""The arrows between the parts, and the words that the core may not know.

Levels of core/warhost, lowest first; a module may import its own level and those below:

    errors, vocabulary < lang < hookspecs, plugins < tools < packs < engine < armies < cli

Plugins (plugins/, and any outsider's) import only the modules of PUBLIC; docs/plugins.md lists the same. Tools, the
folders of plugins/ with a tool.py, stand on top of the whole library, and on each other as BUILT_ON says.
"""

from __future__ import annotations

import ast
import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core" / "warhost"
PLUGINS = ROOT / "plugins"

#: Parts of the core by level. A single module is a part, too.
LEVELS = (
    {"errors", "vocabulary", "things", "version"},
    {"output_safety", "limits"},
    {"lang"},
    {"hookspecs", "plugins"},
    {"tools"},
    {"packs"},
    {"engine"},
    {"armies"},
    {"cli"},
)
LEVEL = {part: i for i, parts in enumerate(LEVELS) for part in parts}

#: The package itself hands out names from every level when they are first asked for; __main__ is the command.
ABOVE_ALL = {"__init__", "__main__"}

#: What a plugin may import.
PUBLIC = {"warhost", "warhost.hookspecs", "warhost.vocabulary", "warhost.things", "warhost.errors"}

#: Programs on top of the library; the core names them only for type checkers, in the library's front.
TOOLS = {p.parent.name for p in PLUGINS.glob("*/tool.py")}

#: The tools that use others, with the reason: (tool, of which).
BUILT_ON = {
    ("warhost_battles", "warhost_armies"): "which edition an army was made with is told as there",
    ("warhost_diff", "warhost_armies"): "what units have is said in the same words",
    ("warhost_diff", "warhost_odds"): "chances are compared as they are asked",
    ("warhost_explain", "warhost_proof"): "an explanation tells the grade of a rule",
    ("warhost_explain", "warhost_diff"): "what a layer has changed is told as a difference",
    ("warhost_explain", "warhost_armies"): "what units have is said in the same words",
    ("warhost_lsp", "warhost_explain"): "a hover tells what an explanation tells",
    ("warhost_lsp", "warhost_format"): "an editor lays out as the command does",
    ("warhost_new", "warhost_proof"): "what is new passes its own examples before it is written",
    ("warhost_odds", "warhost_armies"): "profiles are found by what people call them",
    ("warhost_odds", "warhost_proof"): "what is given to a question is read like the text of an example",
    ("warhost_odds", "warhost_battles"): "the throws behind an answer are told like those of a battle",
    ("warhost_odds", "warhost_report"): "charts are drawn like reports",
    ("warhost_play", "warhost_explain"): "what a card or a unit is can be asked at the table",
    ("warhost_play", "warhost_battles"): "a battle played by hand is set up, told and recorded like any other",
    ("warhost_proof", "warhost_battles"): "a failed example is told like a battle",
    ("warhost_proof", "warhost_sense"): "texts in examples are held against names like those of rules",
    ("warhost_reference", "warhost_armies"): "what is on the sheet is said in the same words",
    ("warhost_reference", "warhost_explain"): "what is rolled is quoted from the files",
    ("warhost_report", "warhost_armies"): "rosters are of armies, found and worded as there",
    ("warhost_report", "warhost_battles"): "a report tells the battle's story",
}

#: Words of games. Whole words, in any case, anywhere in the core: code, comments, grammar, rules.
_WORDS = """
    charge charges charging armour armours armor spell spells melee melees missile missiles morale
    cavalry infantry wizard wizards weapon weapons wound wounds wounded goblin goblins elf elves elven
    dwarf dwarves dwarven orc orcs ogre ogres troll trolls dragon dragons giant giants knight knights
    archer archers spearman spearmen pikeman pikemen crossbow crossbows chariot chariots magic mage mages
    rout routs routed rally rallied volley ambush flank flanks shoot shooting sword swords bow bows
    small_fantasy arcana legiones destiny three_plains
"""
GAME_WORDS = _WORDS.split()

#: Lines that may have one, with the reason: (file below core/warhost, word).
EXCUSED: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Import:
    """file: below the repository; module: what is imported, whole; named_only: under TYPE_CHECKING."""

    file: str
    line: int
    module: str
    named_only: bool


def imports_of(path: Path) -> Iterator[Import]:
    """Every import of a file, those inside functions too; `from a import b` counts as a.b if that is a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    label = path.relative_to(ROOT).as_posix()
    quiet = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(label, node.lineno, alias.name, id(node) in quiet)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{label}:{node.lineno}: imports are written out in full"
            module = node.module or ""
            for alias in node.names:
                inner = f"{module}.{alias.name}"
                yield Import(label, node.lineno, inner if is_module(inner) else module, id(node) in quiet)


def is_module(name: str) -> bool:
    paths = [base.joinpath(*name.split(".")) for base in (CORE.parent, PLUGINS)]
    return any(path.with_suffix(".py").is_file() or (path / "__init__.py").is_file() for path in paths)


def name_of(path: Path) -> str:
    """A file as the module that it is."""
    base = CORE.parent if CORE in path.parents else PLUGINS
    return ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")


def part_of(module: str) -> str:
    """The part of the core that a module belongs to; the package itself is `__init__`."""
    pieces = module.split(".")
    return pieces[1] if len(pieces) > 1 else "__init__"


def part_of_file(path: Path) -> str:
    first = path.relative_to(CORE).parts[0]
    return first.removesuffix(".py")


def sources(folder: Path, *suffixes: str) -> list[Path]:
    return sorted(p for p in folder.rglob("*") if p.suffix in suffixes and "__pycache__" not in p.parts)


def wrong_arrow(part: str, found: Import) -> str | None:
    """What is wrong about an import that a part of the core makes of another, or None."""
    aim = part_of(found.module)
    where = f"{found.file}:{found.line}"
    if aim == "__init__":  # `from warhost import __version__`: the package's own few facts
        return None
    if aim not in LEVEL:
        return f"{where}: {found.module} belongs to no level; give it one in tests/test_architecture.py"
    if part in ABOVE_ALL or LEVEL[aim] <= LEVEL[part]:
        return None
    return f"{where}: {part} may not import {found.module}"


def test_arrows_of_the_core_point_one_way() -> None:
    wrong = []
    for path in sources(CORE, ".py"):
        part = part_of_file(path)
        assert part in LEVEL or part in ABOVE_ALL, f"{path}: give {part} a level"
        ours = (i for i in imports_of(path) if i.module.split(".")[0] == "warhost")
        wrong += [found for i in ours if (found := wrong_arrow(part, i))]
    assert not wrong, "\n".join(wrong)


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Imports inside functions count, and those for type checkers only: a circle is a circle whenever it closes."""
    found = {name_of(p): p for base in (CORE.parent, PLUGINS) for p in sources(base, ".py")}
    arrows = {
        name: {i.module for i in imports_of(path) if i.module in found and i.module != name}
        for name, path in found.items()
    }
    try:
        tuple(TopologicalSorter(arrows).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(reversed(error.args[1])))


def test_the_core_imports_no_plugin() -> None:
    names = {p.name for p in PLUGINS.iterdir() if p.is_dir()}
    assert names
    found = [i for path in sources(CORE, ".py") for i in imports_of(path) if i.module.split(".")[0] in names]
    wrong = [i for i in found if not (i.named_only and i.file == "core/warhost/__init__.py")]
    assert not wrong, wrong


def test_plugins_import_only_what_is_public() -> None:
    wrong = [
        f"{i.file}:{i.line}: {i.module}"
        for path in sources(PLUGINS, ".py")
        if path.relative_to(PLUGINS).parts[0] not in TOOLS
        for i in imports_of(path)
        if i.module.split(".")[0] == "warhost" and i.module not in PUBLIC
    ]
    assert not wrong, "\n".join(wrong)


def test_tools_import_nothing_private() -> None:
    """What an outsider could not rely upon: names with an underscore, of the library and of other tools."""
    wrong = []
    for path in sources(PLUGINS, ".py"):
        own = path.relative_to(PLUGINS).parts[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(own) and node.level == 0:
                names = (alias.name for alias in node.names if alias.name != "__version__")
                wrong += [f"{path}:{node.lineno}: {name}" for name in names if name.startswith("_")]
    assert not wrong, "\n".join(wrong)


def _private(text: str) -> list[tuple[int, str]]:
    """The names with an underscore that a module reads or writes on anything but itself, or takes from another module;
    those in quotes, too.
    """
    found: list[tuple[int, str]] = []
    tree = ast.parse(text)
    classes_here = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            names = [one.name for one in node.names]
            found += [(node.lineno, name) for name in names if name.startswith("_") and not name.endswith("__")]
            continue
        if isinstance(node, ast.Attribute):
            name, of = node.attr, node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr", "setattr"):
            name, of = getattr(node.args[1], "value", ""), node.args[0]
        else:
            continue
        by = getattr(of, "id", "") or getattr(getattr(of, "func", None), "id", "")
        its_own = by in ("self", "cls", "super", *classes_here)
        if str(name).startswith("_") and not str(name).endswith("__") and not its_own:
            found.append((node.lineno, name))
    return found


def _touched(path: Path, text: str) -> list[tuple[int, str]]:
    """The attributes of the battle that a module takes; those left out that its package gives it itself."""
    package = [ast.parse(p.read_text(encoding="utf-8")) for p in sources(path.parent, ".py")]
    nodes = [node for tree in package for node in ast.walk(tree)]
    own = {n.attr for n in nodes if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
    own |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    own |= {t.id for n in nodes if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}
    own |= {n.target.id for n in nodes if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Attribute):
            holder = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if holder.strip("_") == "battle" and node.attr not in own:
                found.append((node.lineno, node.attr))
    return found


def _own_private(tree: ast.Module) -> dict[str, tuple[set[str], set[str]]]:
    """The classes of a module: the names of their bases, and the names with an underscore that they have themselves."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            inside = list(ast.walk(node))
            given = [t for n in node.body if isinstance(n, ast.Assign) for t in n.targets]
            names = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            names |= {t.id for t in given if isinstance(t, ast.Name)}
            names |= {n.attr for n in inside if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)}
            bases = {getattr(b, "id", "") or getattr(b, "attr", "") for b in node.bases}
            found[node.name] = bases, {n for n in names if n.startswith("_") and not n.endswith("__")}
    return found


def _taken_from_above(text: str, core: dict[str, tuple[set[str], set[str]]]) -> list[tuple[str, str]]:
    """The names with an underscore that the classes of a module have or use as heirs of the library's classes."""
    tree, found = ast.parse(text), []
    for name, (bases, own) in _own_private(tree).items():
        private, above = set[str](), list(bases)
        while above:
            more, inherited = core.get(above.pop(), (set(), set()))
            private |= inherited
            above += more
        node = next(n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name == name)
        used = {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}
        found += [(name, one) for one in sorted(private & (own | used))]
    return found


def test_heirs_of_the_librarys_classes_take_nothing_private_over() -> None:
    """An outsider could not rely upon a method that a subclass overrides, or calls, when it has an underscore."""
    core = {name: about for path in sources(CORE, ".py")
            for name, about in _own_private(ast.parse(path.read_text(encoding="utf-8"))).items()}  # fmt: skip
    wrong = [
        f"{path}: {name}.{private}"
        for path in sources(PLUGINS, ".py")
        for name, private in _taken_from_above(path.read_text(encoding="utf-8"), core)
    ]
    assert not wrong, "\n".join(wrong)
    text = "class Heir(Checker):\n    def _program(self):\n        return self._mine, self._no_dice\n"
    known = {"Checker": ({"Below"}, {"_program"}), "Below": (set[str](), {"_no_dice"})}
    assert _taken_from_above(text, known) == [("Heir", "_no_dice"), ("Heir", "_program")]


#: Of Python, which documents them, and of pytest-benchmark, which offers no other way.
OF_OTHERS = {"_exit", "_replace", "_benchmarksession"}


def test_plugins_and_benchmarks_read_nothing_private() -> None:
    """Neither of the library nor of each other: what they need is public."""
    wrong = [
        f"{path}:{line}: {name}"
        for path in [*sources(PLUGINS, ".py"), *sources(ROOT / "benchmarks", ".py")]
        for line, name in _private(path.read_text(encoding="utf-8"))
        if name not in OF_OTHERS
    ]
    assert not wrong, "\n".join(wrong)


def test_plugins_use_what_the_guide_says_of_the_battle() -> None:
    guide = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    section = guide.partition("## What a plugin may import")[2].partition("\n## ")[0]
    said = set(re.findall(r"`battle\.(\w+)", section))
    said |= {"turn", "phase", "active_side", "over", "winner"}  # of battle.battle
    wrong = []
    for path in sources(PLUGINS, ".py"):
        if path.relative_to(PLUGINS).parts[0] not in TOOLS:
            touched = _touched(path, path.read_text(encoding="utf-8"))
            wrong += [f"{path}:{line}: battle.{name}" for line, name in touched if name not in said]
    assert not wrong, "\n".join(wrong)


def test_the_guide_and_the_type_of_a_battle_for_plugins_say_the_same() -> None:
    guide = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    section = guide.partition("## What a plugin may import")[2].partition("\n## ")[0]
    said = set(re.findall(r"`battle\.(\w+)", section))
    tree = ast.parse((CORE / "things.py").read_text(encoding="utf-8"))
    battle = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "PluginBattle")
    fields = {n.target.id for n in battle.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)}
    assert said == fields | {n.name for n in battle.body if isinstance(n, ast.FunctionDef)}


def test_these_tests_know_what_is_private() -> None:
    text = "def f(self, battle, thing):\n    return thing._noun, getattr(thing, '_gone'), self._own\n"
    text += "    return battle.secret, battle.sides\n"
    assert _private(text) == [(2, "_noun"), (2, "_gone")]
    assert [name for _, name in _touched(PLUGINS / "warhost_cards" / "decks.py", text)] == ["secret", "sides"]


def test_plugins_do_not_import_each_other() -> None:
    names = {p.name for p in PLUGINS.iterdir() if p.is_dir()}
    wrong = [
        f"{i.file}:{i.line}: {i.module}"
        for path in sources(PLUGINS, ".py")
        for i in imports_of(path)
        if i.module.split(".")[0] in names - {own := path.relative_to(PLUGINS).parts[0]}
        and (own, i.module.split(".")[0]) not in BUILT_ON
    ]
    assert not wrong, "\n".join(wrong)


def test_the_guide_for_plugins_lists_what_is_public() -> None:
    guide = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    section = guide.partition("## What a plugin may import")[2].partition("\n## ")[0]
    assert set(re.findall(r"^- `(warhost[\w.]*)`", section, re.MULTILINE)) == PUBLIC


def lines_of_examples(text: str) -> set[int]:
    """The numbers of the lines that show in docstrings how something is used, and what comes back: with some game."""
    parser = doctest.DocTestParser()
    examples = parser.get_examples(text) if text.lstrip().startswith('"""') else []
    return {
        e.lineno + 1 + i for e in examples for i in range(e.source.count("\n") + e.want.count("\n"))
    }  # fmt: skip


def test_the_core_knows_no_game() -> None:
    words = re.compile(rf"(?<![A-Za-z0-9_])({'|'.join(GAME_WORDS)})(?![A-Za-z0-9_])", re.IGNORECASE)
    wrong = []
    for path in sources(CORE, ".py", ".lark", ".rules"):
        below = path.relative_to(CORE).as_posix()
        text = path.read_text(encoding="utf-8")
        shown = lines_of_examples(text)
        for n, line in enumerate(text.splitlines(), start=1):
            for word in words.findall(line):
                if (below, word.lower()) not in EXCUSED and n not in shown:
                    wrong.append(f"core/warhost/{below}:{n}: {word}: {line.strip()[:100]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("part", "aim", "named_only", "right"),
    [
        ("lang", "warhost.packs.find", False, False),
        ("lang", "warhost.errors", False, True),
        ("packs", "warhost.lang.parser", False, True),
        ("engine", "warhost.armies.roster", True, False),
        ("armies", "warhost.engine.battle", False, True),
        ("engine", "warhost.armies.legality", False, False),
        ("engine", "warhost.cli.output", False, False),
        ("packs", "warhost.engine.turn", False, False),
        ("cli", "warhost.engine.battle", False, True),
        ("hookspecs", "warhost.engine.battle", True, False),
        ("hookspecs", "warhost.engine.battle", False, False),
    ],
)
def test_this_test_knows_a_wrong_arrow(part: str, aim: str, named_only: bool, right: bool) -> None:
    assert (wrong_arrow(part, Import("x.py", 1, aim, named_only)) is None) is right


def classes(*files: Path) -> dict[str, list[str]]:
    """The classes that files define, by name, each with the files that have one so called."""
    found: dict[str, list[str]] = {}
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(path.relative_to(ROOT).as_posix())
    return found


#: A construct of the language is called the same as it is written (a node of the tree) and as it is checked.
STAGES = {"core/warhost/lang/tree.py", "core/warhost/lang/ir.py"}


def test_a_class_name_has_one_meaning_in_the_house() -> None:
    found = classes(*sources(CORE, ".py"), *sources(PLUGINS, ".py"))
    doubled = {name: files for name, files in found.items() if len(files) > 1 and set(files) != STAGES}
    assert not doubled, doubled
