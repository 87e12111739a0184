"""`warhost diff`: what changes from one ruleset to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import HouseRuleParam, RulesetName, common, json_option, load
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost.packs import Ruleset

MOST_FIGHTS = 12
"""Fights that `--odds` compares when nobody says how many."""


@click.command(
    cls=WithExamples,
    examples=("warhost diff {ruleset} --house {house}", "warhost diff {ruleset} {folder} --format md"),
)
@click.argument("a", type=RulesetName(), metavar="RULESET")
@click.argument("b", required=False, type=RulesetName(), metavar="[OTHER]")
@click.option("--house", "house", multiple=True, type=HouseRuleParam(), metavar="ID-or-PATH",
              help="A house rule of OTHER; without OTHER: compare RULESET without and with it.")  # fmt: skip
@click.option("--house-a", "house_a", multiple=True, type=HouseRuleParam(), metavar="ID-or-PATH",
              help="A house rule of RULESET, before the change; may be repeated.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "md"]), default="text", show_default=True,
              help="Plain text, or Markdown that reads like release notes.")  # fmt: skip
@click.option("--odds", "with_odds", is_flag=True,
              help="Tell, too, which fights come out otherwise by more than 5 points in a hundred.")  # fmt: skip
@click.option("--fights", type=click.IntRange(1, 400), default=MOST_FIGHTS, show_default=True, metavar="N",
              help="How many fights of a question --odds compares at most.")  # fmt: skip
@json_option
@common
def diff(
    a: str, b: str | None, house: tuple[str, ...], house_a: tuple[str, ...], form: str, with_odds: bool, fights: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Tell what changes between editions, or with a house rule.

    RULESET and OTHER are installed ids, ids with an edition (my_game@2), or folders, such as two versions of one.
    What is compared is what is played, all layers merged, not the text of the files: the turn phase by phase, rules
    line by line, units, tables, lists and scenarios figure by figure, each with what it was, what it is, and the layer
    and place that say so; then the ready armies that become illegal or change price.

    Exit code 0 whether anything differs or not, 1 if one of the two is invalid.
    """
    from warhost.cli import output
    from warhost_diff.comparing import compare
    from warhost_diff.matchups import compare_odds
    from warhost_diff.telling import as_markdown, as_text

    before, after = _both(a, b, house_a, house)
    found = compare(before, after, compare_odds(before, after, fights) if with_odds else ())
    if as_json:
        output.show_json(found.to_json())
    else:
        output.say(as_markdown(found) if form == "md" else as_text(found))


def _both(a: str, b: str | None, house_a: tuple[str, ...], house: tuple[str, ...]) -> tuple[Ruleset, Ruleset]:
    """The two rulesets that were named. Raises click.UsageError, UsageError and RulesInvalid."""
    if b is None and house == house_a:
        raise click.UsageError(
            "say with what to compare it: another RULESET or folder, or a house rule (--house ID-or-PATH)"
        )
    return load(a, house_a), load(b if b is not None else a, house)
