"""`warhost census` and `warhost army csv`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import click

from warhost.cli import output
from warhost.cli.arguments import common, house_option, json_option, load, ruleset_argument

HEAD = ("unit", "profile", "size", "options")


@click.command()
@ruleset_argument
@house_option
@json_option
@common
def census(ruleset: str, house: tuple[str, ...], as_json: bool) -> None:
    """Count the units and models of every ready army."""
    import warhost

    rules = load(ruleset, house)
    armies = [warhost.Army.ready(id_, rules) for id_ in rules.armies]
    rows = [(army.name, len(army.units), sum(unit.size for unit in army.units)) for army in armies]
    if as_json:
        output.show_json({"armies": [dict(zip(("army", "units", "models"), row, strict=True)) for row in rows]})
        return
    table = output.table("army", "units", "models", right=("units", "models"))
    output.show_table(table, [list(row) for row in rows])


@click.command()
@ruleset_argument
@click.argument("army")
@click.option("--output", "path", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE.csv")
@common
def csv_(ruleset: str, army: str, path: Path) -> None:
    """Write a ready army as a table for a spreadsheet."""
    import warhost
    from warhost.output_safety import write_whole

    found = warhost.Army.ready(army, load(ruleset))
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(HEAD)
    for unit in found.units:
        table.writerow([unit.name, unit.profile, unit.size, " ".join(unit.options)])
    write_whole(path, text.getvalue(), "the table", is_ours)
    output.say(f"wrote {path}")


def is_ours(head: bytes) -> bool:
    """Whether a file that begins so is such a table."""
    return head.startswith(",".join(HEAD).encode())
