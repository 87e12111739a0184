"""A reference sheet as a PDF on A4, by fpdf2 (`pip install 'warhost[pdf]'`)."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from warhost_reference.gathering import Entry, ReferenceSheet, SheetTable

#: Four bytes above 127 must follow the head of a PDF; ours are these, by which a sheet is known again.
_MARK = b"%\xd7\xc1\xd2\xc8\n"

#: Points: the text, and the headings of sections; margins in millimetres.
_TEXT, _HEADING, _TITLE, _SMALL, _MARGIN = 9, 12, 20, 7.5, 15
_RED = (140, 25, 25)
_GREY = (90, 90, 90)

_PLAIN = str.maketrans({
    "\u2013": "-", "\u2014": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2026": "...",
    "\u2264": "<=", "\u2265": ">=", "\u2212": "-", "\u2192": "->",
})  # fmt: skip


def is_sheet(head: bytes) -> bool:
    """Whether a file that begins so is a PDF of this module."""
    return head.startswith(b"%PDF-") and _MARK in head[:40]


def as_pdf(sheet: ReferenceSheet) -> bytes:
    """The whole sheet, its sections as bookmarks. Raises UsageError when fpdf2 is not installed.

    Its fonts are those that every reader has, which know the letters of western Europe: others become `?`.
    """
    page = _blank(_plain(sheet.foot))
    page.set_title(f"{_plain(sheet.title)}: quick reference")
    page.add_page()
    page.set_font("Helvetica", "B", _TITLE)
    _paragraph(page, sheet.title, 9)
    if sheet.summary:
        page.set_font("Helvetica", "I", _TEXT + 1)
        _paragraph(page, sheet.summary, 5)
    for section in sheet.sections:
        _heading(page, section.title)
        for n, entry in enumerate(section.entries, start=1):
            _entry(page, entry, f"{n}." if section.numbered else "\u00b7", sheet)
        for grid in section.grids:
            _grid(page, grid, sheet)
    head, _, rest = bytes(page.output()).partition(b"\n")
    _, _, body = rest.partition(b"\n")
    return b"\n".join((head, _MARK[:-1], body)) if len(rest) - len(body) == len(_MARK) else head + b"\n" + rest


def _blank(foot: str) -> Any:
    try:
        from fpdf import FPDF
    except ImportError:
        raise UsageError(
            "a PDF needs fpdf2: pip install 'warhost[pdf]'; or write a .html file, which a browser prints into a PDF"
        ) from None

    class SheetPages(FPDF):  # type: ignore[misc]
        """Pages with the foot of the sheet and their numbers."""

        def footer(self) -> None:
            self.set_y(-12)
            self.set_font("Helvetica", "", _SMALL)
            self.set_text_color(*_GREY)
            self.cell(self.epw - 20, 5, foot)
            self.cell(20, 5, f"{self.page_no()} / {{nb}}", align="R")
            self.set_text_color(0)

    page = SheetPages(format="A4")
    page.set_margin(_MARGIN)
    page.set_auto_page_break(True, margin=18)
    page.set_creator("warhost reference")
    return page


def _plain(text: str) -> str:
    """The text in the letters that the fonts have."""
    known = unicodedata.normalize("NFC", text.translate(_PLAIN))
    return known.encode("latin-1", "replace").decode("latin-1")


def _paragraph(page: Any, text: str, height: float) -> None:
    page.multi_cell(0, height, _plain(text), align="L", new_x="LMARGIN", new_y="NEXT")


def _heading(page: Any, title: str) -> None:
    """A heading that does not stand alone at the foot of a page."""
    if page.will_page_break(24):
        page.add_page()
    page.ln(3)
    page.start_section(_plain(title))
    page.set_font("Helvetica", "B", _HEADING)
    _paragraph(page, title, 6)
    page.set_draw_color(120)
    page.line(page.l_margin, page.get_y(), page.w - page.r_margin, page.get_y())
    page.ln(1.5)


def _entry(page: Any, entry: Entry, sign: str, sheet: ReferenceSheet) -> None:
    page.set_font("Helvetica", "", _TEXT)
    if page.will_page_break(4.2 * 2):
        page.add_page()
    left = page.l_margin
    page.cell(6, 4.2, sign)
    page.set_left_margin(left + 6)
    page.set_font("Helvetica", "B", _TEXT)
    page.write(4.2, _plain(entry.name))
    page.set_font("Helvetica", "", _TEXT)
    if entry.figures:
        page.set_text_color(*_GREY)
        page.write(4.2, _plain(f" ({entry.figures})"))
        page.set_text_color(0)
    page.write(4.2, _plain(f": {entry.says}" if entry.says else ""))
    if entry.house:
        page.set_text_color(*_RED)
        page.write(4.2, _plain(_house(entry.house, sheet)))
        page.set_text_color(0)
    page.set_left_margin(left)
    page.ln(4.9)


def _grid(page: Any, grid: SheetTable, sheet: ReferenceSheet) -> None:
    from fpdf.fonts import FontFace

    title = grid.title + (_house(grid.house, sheet) if grid.house else "")
    if page.will_page_break(5 * min(len(grid.rows) + 2, 6)):
        page.add_page()
    page.ln(1)
    if title:
        page.set_font("Helvetica", "B", _TEXT)
        page.set_text_color(*(_RED if grid.house else (0, 0, 0)))
        _paragraph(page, title, 5)
        page.set_text_color(0)
    page.set_font("Helvetica", "", _TEXT - 1)
    widths = _widths(page, (grid.heads, *grid.rows))
    page.set_draw_color(170)
    with page.table(
        width=sum(widths), col_widths=tuple(widths), align="L", line_height=4.2, text_align="L",
        borders_layout="HORIZONTAL_LINES", headings_style=FontFace(emphasis="BOLD"), padding=0.4,
    ) as table:  # fmt: skip
        for cells in (grid.heads, *grid.rows):
            row = table.row()
            for cell in cells:
                row.cell(_plain(cell))
    page.ln(2)


def _widths(page: Any, rows: Iterable[tuple[str, ...]]) -> list[float]:
    """The columns as wide as their longest cell, the widest ones less where the page is too narrow."""
    columns = zip(*rows, strict=True)
    wide = [max(page.get_string_width(_plain(cell)) * 1.08 + 5 for cell in column) for column in columns]
    while sum(wide) > page.epw:
        widest = wide.index(max(wide))
        others = sum(wide) - wide[widest]
        wide[widest] = max(page.epw - others, wide[widest] * 0.8)
    return wide


def _house(ids: tuple[str, ...], sheet: ReferenceSheet) -> str:
    return f" [house rule: {', '.join(sheet.house.get(id_, id_) for id_ in ids)}]"
