"""`warhost reference`: the quick reference sheet of the rules in force."""

from __future__ import annotations

from pathlib import Path

import click

from warhost.cli.arguments import common, house_option, load, ruleset_argument
from warhost.cli.help_examples import WithExamples


@click.command(
    cls=WithExamples,
    examples=("warhost reference {ruleset}", "warhost reference {ruleset} --output sheet.html"),
)  # fmt: skip
@ruleset_argument
@house_option
@click.option("--format", "form", type=click.Choice(["md", "html"]), metavar="md|html",
              help="How it is written (usual: as the name of the file ends, else md).")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write it into a file instead of showing it.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file of that name, even if it is something else.")
@common
def reference(ruleset: str, house: tuple[str, ...], form: str | None, output: Path | None, force: bool) -> None:
    """Make the quick reference sheet of the rules in force.

    The turn with its phases, the rules by chapters, weapons, traits, spells, terrain, tables: each with the sentence
    that the rules themselves have for it, house rules marked. The HTML page is one file and prints on A4.
    """
    from warhost.cli import output as screen
    from warhost.output_safety import refuse_foreign, write_whole
    from warhost_reference.gathering import ReferenceSheet
    from warhost_reference.markdown import as_markdown
    from warhost_reference.page import as_page

    form = form or _form_of(output)
    if output is not None:
        refuse_foreign(output, "the sheet", _is_ours, force)
    sheet = ReferenceSheet.of(load(ruleset, house))
    text = as_page(sheet) if form == "html" else as_markdown(sheet)
    if output is None:
        click.echo(text, nl=False)
        return
    write_whole(output, text, "the sheet", _is_ours, force)
    screen.say(f"The reference sheet is in {output}")


def _form_of(output: Path | None) -> str:
    """How a file of this name is written. Raises UsageError for an ending that neither form has."""
    from warhost.errors import UsageError

    if output is None or output.suffix.lower() in ("", ".md", ".markdown", ".txt"):
        return "md"
    if output.suffix.lower() in (".html", ".htm"):
        return "html"
    raise UsageError(
        f"{output}: no sheet is written as {output.suffix}; name a file that ends in .md or .html (a browser prints "
        "the .html page, also into a PDF), or say --format"
    )


def _is_ours(head: bytes) -> bool:
    from warhost_reference.page import MARK

    return MARK.encode() in head or (head.startswith(b"# ") and b": quick reference\n" in head[:300])
