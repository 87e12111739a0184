"""The pages of the site: those of the repository where they are, and the reference, written from the program itself.

A hook of mkdocs (docs/mkdocs.yml). A page's address is its path in the repository, so its links lead to the same pages
here and there; links to files that are no pages (sources, folders) become plain words.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT / "core") not in sys.path:
    sys.path[:0] = [str(ROOT / "core"), str(ROOT / "plugins")]

#: The pages that are in the repository, by patterns.
PAGES = (
    "README.md", "CHANGELOG.md", "docs/*.md", "docs/design/*.md", "benchmarks/README.md", "plugins/*/README.md",
    "tests/outsider/README.md", "rulesets/*/*.md",
)  # fmt: skip
PICTURES = ("docs/images/*.png",)

_LINK = re.compile(r"(?<!`)(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)]*)?\)")
_NAMED_FENCE = re.compile(r"^<!-- (file|add to): (\S+) -->\n```(\w+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


# -- what there is -----------------------------------------------------------------------------------


def pages_of_repository() -> list[str]:
    """The paths of the pages that are files, from the root."""
    found = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern))]
    return [path.relative_to(ROOT).as_posix() for path in found]


def rulesets() -> list[str]:
    """The folders of the bundled rulesets, in the order of their names; each edition has one of its own."""
    return [path.parent.name for path in sorted(ROOT.glob("rulesets/*/ruleset.yaml"))]


def written_pages() -> dict[str, Callable[[], str]]:
    """The pages that are written from the program, by their paths."""
    made: dict[str, Callable[[], str]] = {
        "reference/index.md": reference_index,
        "reference/commands.md": commands,
        "reference/hooks.md": hooks,
        "reference/schemas.md": schemas,
        "docs/design/index.md": records,
    }
    for id_ in rulesets():
        made[f"rulesets/{id_}/index.md"] = lambda id_=id_: ruleset_page(id_)  # type: ignore[misc]
        made[f"rulesets/{id_}/sheet.md"] = lambda id_=id_: sheet(id_)  # type: ignore[misc]
        if _extended(id_):
            made[f"rulesets/{id_}/changes.md"] = lambda id_=id_: changes(id_)  # type: ignore[misc]
    return made


# -- hooks of mkdocs ---------------------------------------------------------------------------------


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The parts of the navigation that follow from what there is."""
    plugins = [p for p in pages_of_repository() if p.startswith("plugins/")]
    records_ = [p for p in pages_of_repository() if p.startswith("docs/design/")]
    games = []
    for id_ in rulesets():
        below = [f"rulesets/{id_}/{name}" for name in _pages_of(id_)]
        named: list[Any] = [f"rulesets/{id_}/index.md", {"Reference sheet": f"rulesets/{id_}/sheet.md"}]
        if _extended(id_):
            named.insert(1, {"What changes": f"rulesets/{id_}/changes.md"})
        games.append({title_of(id_): [*named, *({_called(p): p} for p in below)]})
    assert config.nav is not None
    named_already = {page for part in config.nav for page in leaves(part)}
    for part in config.nav:
        if "Authors" in part:  # most pages are for them; one that stands nowhere yet does, too
            part["Authors"] += [
                p for p in pages_of_repository()
                if re.fullmatch(r"docs/[^/]+", p) and p not in {*named_already, "docs/language.md"}
            ]  # fmt: skip
        if "Programmers" in part:
            part["Programmers"] += [{"The bundled plugins": plugins}, {"Design": ["docs/design/index.md", *records_]}]
    reference = ["reference/index.md", {"The rules language": "docs/language.md"}]
    for name in ("commands", "schemas", "hooks"):
        reference.append({name.capitalize(): f"reference/{name}.md"})
    config.nav += [{"Reference": reference}, {"Rulesets": games}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Every page and picture."""
    written = written_pages()
    pages = {*pages_of_repository(), *written}
    for path in pages_of_repository():
        text = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, path, content=linked(text, path, pages)))
    for path, write in written.items():
        files.append(File.generated(config, path, content=linked(write(), path, pages)))
    for pattern in PICTURES:
        for picture in sorted(ROOT.glob(pattern)):
            path = picture.relative_to(ROOT).as_posix()
            files.append(File.generated(config, path, content=picture.read_bytes()))
    return files


def leaves(nav: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(nav, str):
        return [nav]
    return [page for part in (nav.values() if isinstance(nav, dict) else nav) for page in leaves(part)]


def linked(text: str, path: str, pages: Iterable[str]) -> str:
    """The text of a page as the site has it: with links to pages only (what else it links to stays as words), and with
    the names of files, which the manual keeps in comments, above the blocks of code.
    """
    pages = set(pages)

    def one(found: re.Match[str]) -> str:
        picture, words, target, anchor = found.groups()
        aim = os.path.normpath(os.path.join(os.path.dirname(path), target)).replace(os.sep, "/")
        if aim in pages or (picture and (ROOT / aim).is_file()):
            return found[0]
        if f"{aim}/index.md" in pages:
            up = os.path.relpath(f"{aim}/index.md", os.path.dirname(path) or ".").replace(os.sep, "/")
            return f"[{words}]({up}{anchor or ''})"
        return str(words)

    text = _NAMED_FENCE.sub(_titled, text)
    parts, at = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(one, text[at : fence.start()]), fence[0]]
        at = fence.end()
    return "".join([*parts, _LINK.sub(one, text[at:])])


def _titled(found: re.Match[str]) -> str:
    what, file, language = found.groups()
    return f'```{language} title="{file if what == "file" else f"at the end of {file}"}"'


def _pages_of(ruleset: str) -> list[str]:
    """The pages in a ruleset's folder: the rulings first, the licence last."""
    names = [path.name for path in (ROOT / "rulesets" / ruleset).glob("*.md")]
    order = ("RULINGS", "COVERAGE", "LICENCE")
    return sorted(names, key=lambda name: (order.index(Path(name).stem.partition("-")[0]), Path(name).stem))


def _called(path: str) -> str:
    """How a page of a ruleset is called beside it."""
    stem = Path(path).stem
    usual = {"RULINGS": "Rulings", "COVERAGE": "Coverage", "LICENCE": "Licence"}
    return usual.get(stem) or stem.replace("RULINGS-", "Rulings: ").replace("-", " ")


# -- rulesets ------------------------------------------------------------------------------------------


def title_of(id_: str) -> str:
    """The title in a ruleset's manifest."""
    found = re.search(r"^title: *(.+)$", (ROOT / "rulesets" / id_ / "ruleset.yaml").read_text(), re.MULTILINE)
    return found[1].strip().strip("\"'") if found else id_


def ruleset_page(id_: str) -> str:
    """A ruleset: what is in it, and its pages."""
    from warhost.packs import load

    rules = load(ROOT / "rulesets" / id_)
    rows = [
        ("edition", rules.edition), ("plugins", ", ".join(rules.plugins.names)),
        ("profiles", str(len(rules.profiles))), ("examples", str(len(rules.examples))),
    ]  # fmt: skip
    name = f"{rules.id}@{rules.edition}" if _extended(id_) else rules.id
    lines = [f"# {rules.title}", "", str(rules.manifest.get("summary") or ""), "", f"| `{name}` | |", "|---|---|"]
    if below := _extended(id_):
        kept = "; the plain name means another edition" if rules.manifest.get("opt_in") else ""
        lines.append(f"| a layer over | `{below}`{kept} |")
    lines += [f"| {what} | {_cell(said)} |" for what, said in rows if said]
    folded = {
        "Army lists": [one.name for one in rules.lists.values()],
        "Ready armies": [f"`{one}`" for one in rules.armies], "Scenarios": [f"`{one}`" for one in rules.scenarios],
    }  # fmt: skip
    for heading, names in folded.items():
        if names:
            lines += ["", f'??? info "{heading} ({len(names)})"', "", f"    {_escaped(', '.join(names))}"]
    if rules.house_rules:
        lines += ["", "## House rules on offer", "", "| `--house` | |", "|---|---|"]
        lines += [f"| `{one.id}` | {_cell(one.reads or one.title)} |" for one in rules.house_rules.values()]
    notes = [f"- [What changes from {below}](changes.md)"] if below else []
    lines += ["", "## Pages", "", *notes, "- [Reference sheet](sheet.md)"]
    lines += [f"- [{_called(page)}]({page})" for page in _pages_of(id_)]
    return "\n".join(lines) + f"\n\nTry it: `warhost demo {name}`, `warhost explain {name} --search WORD`.\n"


def _extended(id_: str) -> str:
    """The ruleset that the one in a folder extends, as its manifest names it; "" for none."""
    text = (ROOT / "rulesets" / id_ / "ruleset.yaml").read_text(encoding="utf-8")
    found = re.search(r"^extends: *(?!null)(\S+)", text, re.MULTILINE)
    return found[1] if found else ""


def changes(id_: str) -> str:
    """What an edition changes, as `warhost diff --format md` tells it."""
    from warhost.packs import load
    from warhost_diff.comparing import compare
    from warhost_diff.telling import as_markdown

    return as_markdown(compare(load(_extended(id_)), load(ROOT / "rulesets" / id_))) + "\n"


def sheet(id_: str) -> str:
    """The reference sheet, as `warhost reference` makes it."""
    from warhost.packs import load
    from warhost_reference.gathering import ReferenceSheet
    from warhost_reference.markdown import as_markdown

    return as_markdown(ReferenceSheet.of(load(ROOT / "rulesets" / id_)))


def records() -> str:
    """The records of decisions, by their titles."""
    lines = ["# Design", "", "How the house is built, the formats, and decisions with their reasons.", ""]
    for path in sorted((ROOT / "docs/design").glob("*.md")):
        title = next(line[2:] for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# "))
        lines.append(f"- [{title}]({path.name})")
    return "\n".join(lines) + "\n"


# -- the program -----------------------------------------------------------------------------------------


def reference_index() -> str:
    """What the reference has."""
    return (
        "# Reference\n\nWritten from the program itself when the site is built.\n\n"
        "- [The rules language](../docs/language.md): every form, keyword, function, and what each plugin adds\n"
        "- [Commands](commands.md): every option\n"
        "- [Schemas](schemas.md): every key of every YAML file\n"
        "- [Hooks](hooks.md): what plugins and tools can implement, and what they hand over\n"
    )


def commands() -> str:
    """Every command with its help."""
    import click

    from warhost.cli.program import LazyGroup, program

    lines = ["# Commands", "", "What `--help` says. Every command also has `--help`, `--no-color` and `--debug`.", ""]
    assert isinstance(program, LazyGroup)
    for name in sorted(program.known()):
        command = program.get_command(click.Context(program), name)
        if isinstance(command, click.Group):
            for below in sorted(command.list_commands(click.Context(command))):
                inner = command.get_command(click.Context(command), below)
                if inner is not None:
                    lines += _command(f"{name} {below}", inner)
        elif command is not None:
            lines += _command(name, command)
    return "\n".join(lines) + "\n"


def _command(name: str, command: Any) -> Iterator[str]:
    import click

    ctx = click.Context(command, info_name=f"warhost {name}")
    arguments = " ".join(p.make_metavar(ctx) for p in command.params if isinstance(p, click.Argument))
    yield from (f"## warhost {name}", "", f"`warhost {name} [OPTIONS] {arguments}".rstrip() + "`", "")
    yield from (_escaped(inspect.cleandoc(command.help or "")), "")
    rows = []
    for option in command.params:
        record = option.get_help_record(ctx) if isinstance(option, click.Option) and not option.hidden else None
        if record and not {"--help", "--no-color", "--debug"} & set(option.opts):
            rows.append(f"| `{record[0].replace('|', chr(92) + '|')}` | {_cell(record[1])} |")
    if rows:
        yield from ("| option | |", "|---|---|", *rows, "")


def schemas() -> str:
    """Every key of every file, from the schemas."""
    lines = ["# Schemas", "", "The keys of every YAML file, as `warhost check` and editors have them.", ""]
    for path in sorted((ROOT / "schemas").glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        title, says = schema.get("title", path.stem), _cell(schema.get("description", ""))
        lines += [f"## {title}", "", f"`schemas/{path.name}`. {says}", "", *_keys(schema, "")]
        for name, part in schema.get("$defs", {}).items():
            if any(True for _ in _properties(part)):
                lines += [f"### {title}: {name}", "", _cell(part.get("description", "")), "", *_keys(part, "")]
    return "\n".join(lines) + "\n"


def _properties(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from schema.get("properties", {}).items()


def _keys(schema: Mapping[str, Any], before: str, depth: int = 0) -> list[str]:
    rows = []
    needed = set(schema.get("required", ()))
    for key, about in _properties(schema):
        must = " (needed)" if key in needed else ""
        rows.append(f"| `{before}{key}` | {_cell(_sort(about))} | {_cell(str(about.get('description', '')))}{must} |")
        if depth < 3:
            rows += _keys(about, f"{before}{key}.", depth + 1)
            items = about.get("items")
            if isinstance(items, Mapping):
                rows += _keys(items, f"{before}{key}[].", depth + 1)
    return ["| key | is | |", "|---|---|---|", *rows, ""] if rows and depth == 0 else rows


def _sort(about: Mapping[str, Any]) -> str:
    if "enum" in about:
        return " \\| ".join(f"`{one}`" for one in about["enum"])
    if "$ref" in about:
        return str(about["$ref"]).rpartition("/")[2]
    found = about.get("type", "")
    kind = " or ".join(found) if isinstance(found, list) else str(found)
    items = about.get("items")
    if kind == "array" and isinstance(items, Mapping):
        return f"list of {_sort(items) or 'anything'}"
    return {"object": "mapping", "boolean": "true or false", "array": "list"}.get(kind, kind)


def hooks() -> str:
    """Every hook, and the classes that hooks hand over."""
    from warhost import hookspecs, vocabulary
    from warhost.plugins import TOOL_HOOKS

    lines = ["# Hooks", "", "How they are used: [Writing a plugin](../docs/plugins.md).", ""]
    named = {name: getattr(hookspecs, name) for name in vars(hookspecs) if name.startswith("warhost_")}
    for heading, wanted in (("Hooks of plugins", False), ("Hooks of tools", True)):
        lines += [f"## {heading}", ""]
        for name, hook in named.items():
            if (name in TOOL_HOOKS) is wanted:
                lines += _described(name, hook)
    lines += ["## What they hand over", ""]
    for name, kind in vars(vocabulary).items():
        if inspect.isclass(kind) and kind.__module__ == vocabulary.__name__:
            lines += _described(name, kind)
    return "\n".join(lines) + "\n"


def _described(name: str, thing: Any) -> list[str]:
    said = f"```python\n{name}{_signature(thing)}\n```"
    return [f"### {name}", "", said, "", _escaped(inspect.getdoc(thing) or ""), ""]


def _signature(thing: Any) -> str:
    said = str(inspect.signature(thing)).replace("'", "")
    if len(said) < 90:
        return said
    return said.replace("(", "(\n    ", 1).replace(", ", ",\n    ").replace(") ->", "\n) ->")


# -- text --------------------------------------------------------------------------------------------------


def _cell(text: str) -> str:
    """Text that stands in one cell of a table."""
    return _escaped(" ".join(text.split())).replace("|", "\\|").replace("\\\\|", "\\|")


def _escaped(text: str) -> str:
    """Text that Markdown takes as it is, but for code in backquotes."""
    parts = text.split("`")
    parts[::2] = [re.sub(r"([<>*_])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)
