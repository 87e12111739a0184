"""A reference sheet as one self-contained HTML file, which prints on A4 in two columns."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.resources import files

from warhost_reference.gathering import Entry, ReferenceSheet, SheetSection, SheetTable

MARK = '<meta name="generator" content="warhost reference">'
"""By which a file is known as a sheet of ours."""


def as_page(sheet: ReferenceSheet) -> str:
    """The whole sheet."""
    style = (files("warhost_reference") / "page.css").read_text(encoding="utf-8")
    title = escape(sheet.title)
    summary = f'<p class="summary">{escape(sheet.summary)}</p>' if sheet.summary else ""
    body = "\n".join(part for section in sheet.sections for part in _section(section, sheet))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
{MARK}
<title>{title}: quick reference</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1>{summary}</header>
<main>
{body}
</main>
<footer>{escape(sheet.foot)}</footer>
</body>
</html>
"""


def _section(section: SheetSection, sheet: ReferenceSheet) -> Iterator[str]:
    yield f"<section><h2>{escape(section.title)}</h2>"
    if section.entries:
        tag = "ol" if section.numbered else "ul"
        yield f"<{tag}>"
        for entry in section.entries:
            yield _entry(entry, sheet)
        yield f"</{tag}>"
    for grid in section.grids:
        yield _grid(grid, sheet)
    yield "</section>"


def _entry(entry: Entry, sheet: ReferenceSheet) -> str:
    figures = f' <span class="figures">{escape(entry.figures)}</span>' if entry.figures else ""
    says = f": {escape(entry.says)}" if entry.says else ""
    changed = ' class="house"' if entry.house else ""
    return f"<li{changed}><b>{escape(entry.name)}</b>{figures}{says}{_house(entry.house, sheet)}</li>"


def _grid(grid: SheetTable, sheet: ReferenceSheet) -> str:
    title = f"<caption>{escape(grid.title)}{_house(grid.house, sheet)}</caption>" if grid.title or grid.house else ""
    heads = "".join(f"<th>{escape(head)}</th>" for head in grid.heads)
    rows = "".join(
        f"<tr><th>{escape(row[0])}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in row[1:])}</tr>"
        for row in grid.rows
    )
    changed = ' class="house"' if grid.house else ""
    return f"<table{changed}>{title}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def _house(ids: tuple[str, ...], sheet: ReferenceSheet) -> str:
    if not ids:
        return ""
    return f' <span class="by">{escape(", ".join(sheet.house.get(id_, id_) for id_ in ids))}</span>'
