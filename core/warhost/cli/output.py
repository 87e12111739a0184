"""What goes to the screen: plain text, tables, problems and JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from warhost.errors import ContentError, Problem
from warhost.output_safety import harmless, harmless_json

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

WIDTH_OF_FILES = 120
"""Characters in a line of what does not go to a terminal."""

_BETWEEN_COLUMNS = 3


# -- text ---------------------------------------------------------------------------------------


def console(err: bool = False) -> Console:
    """A console for standard output (or error): colours only on a terminal and only if wanted. What it prints is
    `harmless`, whoever wrote it.
    """
    stream = sys.stderr if err else sys.stdout
    terminal = bool(getattr(stream, "isatty", lambda: False)())
    columns = os.environ.get("COLUMNS", "")
    width = None if terminal or columns.isdecimal() else WIDTH_OF_FILES
    return _quiet_console()(
        file=stream, color_system=None if plain() else "auto", width=width, markup=False, emoji=False,
        highlight=False,
    )  # fmt: skip


@cache
def _quiet_console() -> type[Console]:
    from rich.console import Console as RichConsole
    from rich.segment import Segment

    class QuietConsole(RichConsole):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for segment in super().render(renderable, options):
                yield segment if segment.control else Segment(harmless(segment.text), segment.style)

    return QuietConsole


def plain() -> bool:
    """Whether colours are unwanted."""
    ctx = click.get_current_context(silent=True)
    return bool(os.environ.get("NO_COLOR")) or (ctx is not None and bool(ctx.meta.get("warhost.no_color")))


def say(text: str | Text = "", style: str | None = None, err: bool = False) -> None:
    """One line or several, not broken: a terminal or a file does that itself."""
    shown = harmless(text) if isinstance(text, str) else text
    console(err).print(shown, style=style, soft_wrap=True)


def table(
    *columns: str, title: str | None = None, right: Iterable[str] = (), typed: Iterable[str] = ()
) -> Table:  # fmt: skip
    """An empty table in the house style. right: columns of figures. typed: columns of what people must type, shown
    whole however narrow the terminal is.
    """
    from rich import box
    from rich.table import Table as RichTable

    made = RichTable(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False,
        header_style="bold", show_edge=False,
    )  # fmt: skip
    figures, whole = set(right), set(typed)
    for name in columns:
        made.add_column(name, justify="right" if name in figures else "left", no_wrap=name in whole)
    return made


def show_table(made: Table, rows: Iterable[Sequence[object]]) -> None:
    """Fill a table and print it. Where the terminal is too narrow for it cells are broken between words; where even
    that does not help lines go on beyond its edge: nothing is left out.
    """
    from rich.cells import cell_len

    for row in rows:
        made.add_row(*(harmless("" if cell is None else str(cell)) for cell in row))
    for column in made.columns:
        texts = [str(cell) for cell in (column.header, *column.cells)]
        parts = texts if column.no_wrap else [word for text in texts for word in text.split()]
        column.min_width = max(map(cell_len, parts), default=0)
    on = console()
    on.width = max(on.width, sum((column.min_width or 0) + _BETWEEN_COLUMNS for column in made.columns))
    on.print(made, crop=False)


def counted(n: int, what: str, many: str = "") -> str:
    """`1 unit`, `2 units`."""
    return f"{n} {what if n == 1 else many or what + 's'}"


# -- problems -----------------------------------------------------------------------------------


def show_problems(problems: Sequence[Problem], err: bool = False) -> None:
    """Every problem with its line, a caret and a hint; where it stands short if that is installed."""
    from rich.text import Text

    if not problems:
        return
    from warhost.packs.find import places_shortened

    out, short = console(err), places_shortened()
    for problem in problems:
        text = Text(harmless(short(problem.render())))
        text.stylize("bold", 0, len(f"{short(problem.file)}:{problem.line}:{problem.column}:"))
        text.highlight_regex(r"(?m)^ +\^$", "red")
        text.highlight_regex(r"(?m)^ +hint:", "cyan")
        out.print(text, soft_wrap=True)


def problems_and_exit(ctx: click.Context, error: ContentError) -> NoReturn:
    """Show what is wrong with the content and exit with 1."""
    if ctx.meta.get("warhost.json"):
        show_json({"ok": False, "errors": [p.to_json() for p in error.problems]})
    else:
        show_problems(error.problems, err=True)
        what = f" in {error.what}" if error.what else ""
        say(f"{counted(len(error.problems), 'mistake')}{what}", style="red", err=True)
    raise SystemExit(1)


def refuse(ctx: click.Context, message: str) -> None:
    """Something in the content went wrong at a single place."""
    if ctx.meta.get("warhost.json"):
        problem = Problem("", 0, 0, "failed", message)
        show_json({"ok": False, "errors": [problem.to_json()]})
    else:
        from warhost.packs.find import places_shortened

        say(places_shortened()(message), style="red", err=True)


# -- JSON ---------------------------------------------------------------------------------------


def show_json(value: object) -> None:
    """One JSON object on standard output."""
    click.echo(harmless_json(json.dumps(value, ensure_ascii=False, indent=2, default=as_json)))


def json_line(value: object) -> None:
    """One JSON object on one line of standard output."""
    click.echo(harmless_json(json.dumps(value, ensure_ascii=False, default=as_json)))


def as_json(value: object) -> object:
    """What JSON has no word for."""
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else float(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")
