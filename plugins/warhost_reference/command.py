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
@click.option("--format", "form", type=click.Choice(["md", "html", "pdf"]), metavar="md|html|pdf",
              help="How it is written (usual: as the name of the file ends, else md).")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write it into a file instead of showing it.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file of that name, even if it is something else.")
@common
def reference(ruleset: str, house: tuple[str, ...], form: str | None, output: Path | None, force: bool) -> None:
    """Make the quick reference sheet of the rules in force.

    The turn with its phases, the rules by chapters, weapons, traits, spells, terrain, tables: each with the sentence
    that the rules themselves have for it, house rules marked. The HTML page is one file and prints on A4;
    the PDF (`pip install 'warhost[pdf]'`) has pages of A4.
    """
    from warhost.cli import output as screen
    from warhost.errors import UsageError
    from warhost.output_safety import refuse_foreign, write_whole
    from warhost_reference.gathering import ReferenceSheet
    from warhost_reference.markdown import as_markdown
    from warhost_reference.page import as_page

    form = form or _form_of(output)
    if form == "pdf" and output is None:
        raise UsageError("a PDF goes into a file: --output sheet.pdf")
    if output is not None:
        refuse_foreign(output, "the sheet", _is_ours, force)
    sheet = ReferenceSheet.of(load(ruleset, house))
    made: str | bytes
    if form == "pdf":
        from warhost_reference.pdf import as_pdf

        made = as_pdf(sheet)
    else:
        made = as_page(sheet) if form == "html" else as_markdown(sheet)
    if output is None:
        click.echo(made, nl=False)
        return
    write_whole(output, made, "the sheet", _is_ours, force)
    screen.say(f"The reference sheet is in {output}")
    phases = [entry for section in sheet.sections if section.numbered for entry in section.entries]
    if silent := [phase.name for phase in phases if not phase.says]:
        screen.say(f"It says nothing of these phases, for none of their steps `reads` anything: {', '.join(silent)}")


def _form_of(output: Path | None) -> str:
    """How a file of this name is written. Raises UsageError for an ending that neither form has."""
    from warhost.errors import UsageError

    if output is None or output.suffix.lower() in ("", ".md", ".markdown", ".txt"):
        return "md"
    if output.suffix.lower() in (".html", ".htm"):
        return "html"
    if output.suffix.lower() == ".pdf":
        return "pdf"
    raise UsageError(
        f"{output}: no sheet is written as {output.suffix}; name a file that ends in .md, .html or .pdf, or say "
        "--format"
    )


def _is_ours(head: bytes) -> bool:
    from warhost_reference.page import MARK
    from warhost_reference.pdf import is_sheet

    return is_sheet(head) or MARK.encode() in head or (head.startswith(b"# ") and b": quick reference\n" in head[:300])
