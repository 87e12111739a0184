"""`warhost compare`: results against a table that somebody else has made."""

from __future__ import annotations

from pathlib import Path

import click

from warhost.cli.arguments import common, json_option
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless


@click.command(
    "compare", cls=WithExamples,
    examples=(
        "warhost balance {ruleset} --units {unit},{other_unit} --trials 200 --csv results.csv",
        "warhost compare results.csv --reference results.csv",
    ),
)  # fmt: skip
@click.argument("results", type=click.Path(path_type=Path, dir_okay=False), metavar="RESULTS")
@click.option("--reference", required=True, type=click.Path(path_type=Path, dir_okay=False), metavar="TABLE.csv",
              help="Probabilities by one,two,rate or of,value,probability, or a matrix of names.")  # fmt: skip
@json_option
@common
def compare(results: Path, reference: Path, as_json: bool) -> None:
    """Compare results with a table of probabilities.

    RESULTS is what `warhost balance` or `warhost odds` printed with --json, or what balance wrote with --csv.
    """
    from warhost.cli import output
    from warhost_odds.compare import compared, read_reference, read_results

    found = compared(read_results(results), read_reference(reference))
    if as_json:
        output.show_json(found.as_dict())
        return
    what = "probability" if found.cells == 1 else "probabilities"
    output.say(f"{found.cells:,} {what} compared", style="bold")
    output.say(f"RMS difference      {100 * found.rms:.3g} %")
    at = harmless(" / ".join(found.where))
    output.say(f"largest difference  {100 * found.largest:.3g} %  ({at}: {found.ours:.4g}, not {found.theirs:.4g})")
    if found.chi_square is None:
        output.say("the results are exact: there is nothing that chance could explain")
    else:
        statistic, freedom, chance = found.chi_square
        output.say(f"chi-square          {statistic:.1f} with {freedom} degrees of freedom: p = {chance:.3g}")
    if found.missing:
        few = "; ".join(" / ".join(name) for name in found.missing[:5])
        output.say(f"not in the results: {len(found.missing)} ({harmless(few)}, ..)", style="dim")
