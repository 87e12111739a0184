"""Keeps the table of functions in README.md true: `python -m warhost_hexes.readme` writes it anew."""

from __future__ import annotations

from pathlib import Path

from warhost.vocabulary import Function
from warhost_hexes.functions import FUNCTIONS

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- functions -->", "<!-- end of functions -->"


def row(f: Function) -> str:
    params = ", ".join(f"{p.name}{'?' if p.optional else ''}: {p.type}" for p in f.parameters)
    sort = "" if f.pure else "step: "
    return f"| `{f.name}({params})` | {f.result if f.result != 'any' else ''} | {sort}{f.doc} |"


def table() -> str:
    """The functions as a table of Markdown."""
    return "\n".join(["| function | gives | what |", "|---|---|---|", *map(row, FUNCTIONS)])


def with_table(text: str) -> str:
    """The page with the table as it has to be."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
