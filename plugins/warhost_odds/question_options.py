"""What `warhost odds` and `warhost balance` are asked in the same words: options and their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

Command = TypeVar("Command", bound=Callable[..., Any])

SHORT = ("facing", "frontage", "distance")
"""Settings that have options of their own; a ruleset may have others, or not all of these."""


class QuestionName(click.ParamType[str]):
    """The id of a question that the ruleset answers."""

    name = "question"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from warhost.cli.installed_names import manifest_of, typed_ruleset

        offered = manifest_of(typed_ruleset(ctx)).get("odds") or {}
        return [
            CompletionItem(id_, help=str(row.get("title", "")))
            for id_, row in offered.items()
            if id_.startswith(incomplete)
        ]


def question_options(command: Command) -> Command:
    """--what, --until, --facing, --frontage, --distance, --set, --given."""
    options = (
        click.option("--what", type=QuestionName(), metavar="QUESTION[:NAME]",
                     help="What is asked: a question of the ruleset (its first, if nothing is said)."),
        click.option("--until", type=click.Choice(["round", "end"]), help="How far it is followed."),
        click.option("--facing", metavar="WHERE", help="Where the defender is struck."),
        click.option("--frontage", metavar="N", help="How many stand side by side."),
        click.option("--distance", metavar="N", help="How far apart they are."),
        click.option("--set", "others", multiple=True, metavar="NAME=VALUE", help="Another setting of the question."),
        click.option("--given", multiple=True, metavar="STATEMENT",
                     help="What holds at the beginning, in the rules language: 'attacker.tired = yes'."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def method_options(usually: str) -> Callable[[Command], Command]:
    """--trials, --seed and --method; usually: the method if nothing is said."""
    options = (
        click.option("--method", type=click.Choice(["auto", "exact", "simulation"]),
                     help=f"How it is computed: simulated, exact, or exact where that is possible (auto); {usually} if "
                     "nothing is said."),
        click.option("--trials", type=click.IntRange(min=1), help="How many times it is simulated."),
        click.option("--seed", type=click.IntRange(min=0), help="Seed of the simulation's dice (0)."),
    )  # fmt: skip

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def time_option(command: Command) -> Command:
    """--time SECONDS."""
    return click.option(
        "--time", "seconds", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
        help="How long an exact answer may take; auto simulates when that was not enough.",
    )(command)  # fmt: skip


def plot_option(command: Command) -> Command:
    """--plot FILE."""
    return click.option(
        "--plot", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.svg|png",
        help="Draw it, too.",
    )(command)  # fmt: skip


def settings_of(given: Mapping[str, Any], others: Iterable[str]) -> dict[str, str]:
    """The settings of a command line. Raises click.UsageError."""
    found = {name: str(given[name]) for name in SHORT if given.get(name) is not None}
    return {**found, **pairs(others, "--set")}


def pairs(given: Iterable[str], option: str) -> dict[str, str]:
    """`NAME=VALUE`, several times. Raises click.UsageError."""
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"{option} {one}: write NAME=VALUE")
        found[name.strip().lower()] = value.strip()
    return found
