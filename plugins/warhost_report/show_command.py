"""`warhost army show`: the roster of an army."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import common, house_option, json_option
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless
from warhost_armies.commands import army_argument

if TYPE_CHECKING:
    from warhost_report.roster import Roster

#: How a roster is written into a file, by the ending of its name.
_FORMS = {
    "": "text", ".txt": "text", ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".json": "json",
}  # fmt: skip


@click.command(
    cls=WithExamples,
    examples=("warhost army show {ruleset}:{army}", "warhost army show {ruleset}:{army} --output roster.html"),
)
@army_argument
@click.option("--format", "form", type=click.Choice(["text", "md", "html", "json"]), default=None,
              metavar="text|md|html|json", help="How it is written (as the file's name ends, else text).")  # fmt: skip
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Write it into a file instead of showing it.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file of that name, even if it is something else.")
@house_option
@json_option
@common
def show(
    army: str, ruleset: str | None, form: str | None, output: Path | None, force: bool, house: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Print the roster of an army, as one brings it to the table.

    Units with their characteristics, what they bear, and points; every special rule explained once. What is
    illegal is marked, with the reason. At the foot: ruleset, edition, digest and house rules.
    """
    from warhost.cli import output as screen
    from warhost.output_safety import refuse_foreign, write_whole
    from warhost_armies.commands import army_and_rules
    from warhost_report.roster import Roster

    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json cannot go with --format {form}")
    form = "json" if as_json else form or _form_of(output)
    if output is not None:
        refuse_foreign(output, "the roster", _is_ours, force)
    found, rules = army_and_rules(army, ruleset, house)
    roster = Roster.of(found, rules)
    if output is not None:
        write_whole(output, _written(roster, form), "the roster", _is_ours, force)
        screen.say(f"The roster is in {output}")
        return
    match form:
        case "json":
            screen.show_json(roster.json())
        case "text":
            screen.console().print(roster)
        case _:
            click.echo(_written(roster, form), nl=False)


def _form_of(output: Path | None) -> str:
    """How a file of this name is written; text without a file. Raises UsageError for an ending of something else."""
    from warhost.errors import UsageError

    ending = output.suffix.lower() if output is not None else ""
    if ending not in _FORMS:
        raise UsageError(
            f"{output}: no roster is written as {ending}; name a file that ends in .txt, .md, .html or .json"
        )
    return _FORMS[ending]


def _written(roster: Roster, form: str) -> str:
    """A roster as the text of a file."""
    import json
    from io import StringIO

    from warhost.cli.output import as_json
    from warhost.output_safety import harmless_json

    match form:
        case "json":
            return harmless_json(json.dumps(roster.json(), ensure_ascii=False, indent=2, default=as_json)) + "\n"
        case "md":
            return harmless(roster.markdown())
        case "html":
            return harmless(roster.html())
    from rich.console import Console

    page = StringIO()
    Console(file=page, width=100, color_system=None).print(roster)
    return harmless(page.getvalue())


def _is_ours(head: bytes) -> bool:
    """Whether a file begins as a roster does: the points stand in its second line, or first in its data."""
    near_top = b"\n".join(head.split(b"\n")[:3])
    return b" points" in near_top or b'<p class="headline">' in head or head.startswith(b'{\n  "army": {')
