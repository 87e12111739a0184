"""The site has every page of the manual, under one reader or another; what is written for it is complete."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from .pages import ROOT

pytest.importorskip("mkdocs")
sys.path.append(str(ROOT / "docs"))

import site_pages


def nav() -> list[Any]:
    class Config:
        nav = yaml.safe_load((ROOT / "docs/mkdocs.yml").read_text(encoding="utf-8"))["nav"]

    found = site_pages.on_config(Config()).nav  # type: ignore[arg-type]
    assert isinstance(found, list)
    return found


def test_every_page_stands_once_in_the_navigation() -> None:
    pages = site_pages.leaves(nav())
    assert sorted(pages) == sorted({*site_pages.pages_of_repository(), *site_pages.written_pages()})
    assert {p.name for p in (ROOT / "docs").glob("*.md")} <= {Path(page).name for page in pages}
    assert [next(iter(part)) for part in nav()] == [
        "Start", "Players", "Organisers", "Authors", "Programmers", "Reference", "Rulesets",
    ]  # fmt: skip


def test_the_reference_has_every_command_option_hook_and_key() -> None:
    import click

    from warhost import hookspecs
    from warhost.cli.program import program

    commands = site_pages.commands()
    for name in program.known():  # type: ignore[attr-defined]
        command = program.get_command(click.Context(program), name)
        assert f"## warhost {name}" in commands
        for option in () if isinstance(command, click.Group) else command.params:  # type: ignore[union-attr]
            assert max(option.opts, key=len) in commands or isinstance(option, click.Argument)
    hooks = site_pages.hooks()
    assert all(f"### {name}\n" in hooks for name in vars(hookspecs) if name.startswith("warhost_"))
    schemas = site_pages.schemas()
    for path in (ROOT / "schemas").glob("*.json"):
        assert all(f"| `{key}` |" in schemas for key in json.loads(path.read_text()).get("properties", {}))


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("See [language](language.md#dice).", "See [language](language.md#dice)."),
        ("In [a file](../core/warhost/hookspecs.py).", "In a file."),
        ("The [design](design/).", "The [design](design/index.md)."),
        ("![p](images/report.png)", "![p](images/report.png)"),
        ("`[a](b.md)` and [out](https://example.invalid)", "`[a](b.md)` and [out](https://example.invalid)"),
        ("<!-- file: a/b.rules -->\n```rules\n[a](b.md)\n```", '```rules title="a/b.rules"\n[a](b.md)\n```'),
        ("<!-- add to: a.py -->\n```python\nx\n```", '```python title="at the end of a.py"\nx\n```'),
    ],
)
def test_links_lead_to_pages_only_and_files_are_named(text: str, becomes: str) -> None:
    pages = {*site_pages.pages_of_repository(), *site_pages.written_pages()}
    assert site_pages.linked(text, "docs/plugins.md", pages) == becomes
