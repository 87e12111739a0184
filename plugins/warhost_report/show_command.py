"""`warhost army show`: the roster of an army."""

from __future__ import annotations

import click

from warhost.cli.arguments import common, house_option, json_option
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless
from warhost_armies.commands import army_argument


@click.command(
    cls=WithExamples,
    examples=("warhost army show {ruleset}:{army}", "warhost army show {ruleset}:{army} --format html > roster.html"),
)
@army_argument
@click.option("--format", "form", type=click.Choice(["text", "md", "html", "json"]), default=None,
              metavar="text|md|html|json", help="How it is written (text).")  # fmt: skip
@house_option
@json_option
@common
def show(army: str, ruleset: str | None, form: str | None, house: tuple[str, ...], as_json: bool) -> None:
    """Print the roster of an army, as one brings it to the table.

    Units with their characteristics, what they bear, and points; every special rule explained once. What is
    illegal is marked, with the reason. At the foot: ruleset, edition, digest and house rules.
    """
    from warhost.cli import output
    from warhost_armies.commands import army_and_rules
    from warhost_report.roster import Roster

    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json cannot go with --format {form}")
    found, rules = army_and_rules(army, ruleset, house)
    roster = Roster.of(found, rules)
    match "json" if as_json else form:
        case "json":
            output.show_json(roster.json())
        case "md":
            click.echo(harmless(roster.markdown()), nl=False)
        case "html":
            click.echo(harmless(roster.html()), nl=False)
        case _:
            output.console().print(roster)
