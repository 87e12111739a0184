"""A reference sheet in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warhost_reference.gathering import Entry, ReferenceSheet, SheetSection, SheetTable

_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def as_markdown(sheet: ReferenceSheet) -> str:
    """The whole sheet; what a house rule made or changed is followed by its name in brackets."""
    return "\n".join(_lines(sheet)).rstrip() + "\n"


def _lines(sheet: ReferenceSheet) -> Iterator[str]:
    yield f"# {_plain(sheet.title)}: quick reference"
    if sheet.summary:
        yield from ("", _plain(sheet.summary))
    for section in sheet.sections:
        yield from ("", f"## {_plain(section.title)}", "")
        yield from _entries(section, sheet)
        for grid in section.grids:
            yield from _grid(grid, sheet)
    yield from ("", "---", "", _plain(sheet.foot))


def _entries(section: SheetSection, sheet: ReferenceSheet) -> Iterator[str]:
    for i, entry in enumerate(section.entries, 1):
        yield f"{f'{i}.' if section.numbered else '-'} {_entry(entry, sheet)}"


def _entry(entry: Entry, sheet: ReferenceSheet) -> str:
    figures = f" ({_plain(entry.figures)})" if entry.figures else ""
    says = f" {_plain(entry.says)}" if entry.says else ""
    return f"**{_plain(entry.name)}**{figures}{':' if says else ''}{says}{_house(entry.house, sheet)}"


def _grid(grid: SheetTable, sheet: ReferenceSheet) -> Iterator[str]:
    if grid.title or grid.house:
        yield from (f"**{_plain(grid.title)}**{_house(grid.house, sheet)}", "")
    yield f"| {' | '.join(map(_plain, grid.heads))} |"
    yield "|" + " --- |" * len(grid.heads)
    for row in grid.rows:
        yield f"| {' | '.join(map(_plain, row))} |"
    yield ""


def _house(ids: tuple[str, ...], sheet: ReferenceSheet) -> str:
    return f" [house rule: {', '.join(_plain(sheet.house.get(id_, id_)) for id_ in ids)}]" if ids else ""


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
