"""Arguments and options that several commands share, and what they complete to in a shell.

Nothing heavy may be imported here: it is loaded for `--help` and for every press of the Tab key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from pathlib import Path

    from warhost.packs import Ruleset

Command = TypeVar("Command", bound=Callable[..., Any])


# -- options ------------------------------------------------------------------------------------


def _noted(name: str) -> Callable[[click.Context, click.Parameter, bool], bool]:
    def note(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
        if value:
            ctx.meta[f"warhost.{name}"] = True
        return value

    return note


def common(command: Command) -> Command:
    """--no-color and --debug, which every command understands."""
    command = click.option(
        "--debug", is_flag=True, expose_value=False, is_eager=True, callback=_noted("debug"),
        help="Show the traceback when Warhost itself goes wrong.",
    )(command)  # fmt: skip
    return click.option(
        "--no-color", is_flag=True, expose_value=False, is_eager=True, callback=_noted("no_color"),
        help="No colours (as if NO_COLOR were set).",
    )(command)  # fmt: skip


def json_option(command: Command) -> Command:
    """--json, given to the command as `as_json`."""
    return click.option(
        "--json", "as_json", is_flag=True, is_eager=True, callback=_noted("json"),
        help="Print JSON and nothing else.",
    )(command)  # fmt: skip


def house_option(command: Command) -> Command:
    """--house, given to the command as `house`."""
    return click.option(
        "--house", multiple=True, type=HouseRuleParam(), metavar="ID-or-PATH",
        help="Play with a house rule; may be repeated, later ones lie above earlier ones.",
    )(command)  # fmt: skip


def ruleset_argument(command: Command) -> Command:
    """RULESET, given to the command as `ruleset`."""
    return click.argument("ruleset", type=RulesetName(), metavar="RULESET")(command)


def load(ruleset: str | Path, house: Iterable[str | Path] = ()) -> Ruleset:
    """The ruleset that the command was given. Raises RulesInvalid and UsageError."""
    from warhost.packs import load as load_ruleset

    return load_ruleset(ruleset, list(house))


def read_or_report(ruleset: str, house: tuple[str, ...], as_json: bool, more: dict[str, Any]) -> Ruleset:
    """The ruleset, if it is valid; else its problems are shown and the program ends with 1."""
    from warhost.cli import output
    from warhost.errors import mistakes
    from warhost.packs import read

    rules, problems = read(ruleset, list(house))
    wrong = mistakes(problems)
    if rules is None or wrong:
        if as_json:
            output.show_json({"ok": False, "errors": [p.to_json() for p in wrong], **more})
        else:
            output.show_problems(problems, err=True)
            output.say(f"{ruleset}: {output.counted(len(wrong), 'mistake')}", style="red", err=True)
        raise SystemExit(1)
    return rules


# -- names and their completion -----------------------------------------------------------------


def tell_edition(name: str) -> None:
    """Say which edition a plain name means, where several are installed."""
    from warhost.cli import output
    from warhost.packs.find import editions_of, pinned

    if not name.isidentifier():
        return
    known = editions_of(name)
    if len({one.edition for one in known}) < 2:
        return
    usual, opt_in = ([one for one in known[1:] if one.opt_in is told] for told in (False, True))
    why = f", the first of {len(known)} installed" if usual else ""
    if pinned().get(name) == known[0].edition:
        why = ", as you pinned it"
    others = [f"there is {', '.join(map(str, usual))}, too"] if usual else []
    others += [f"opt-in: {', '.join(map(str, opt_in))}"] if opt_in else []
    output.say(f"{name} means {known[0]}{why} ({'; '.join(others)})", style="dim", err=True)


class RulesetName(click.ParamType[str]):
    """An installed id, an id with edition, or a path. A plain id of which there are several editions is told."""

    name = "ruleset"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if ctx is not None and not ctx.resilient_parsing and isinstance(value, str):
            tell_edition(value)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from warhost.packs.find import installed

        found = {one.id: one.title for one in installed()}
        items = [CompletionItem(id_, help=title) for id_, title in found.items() if id_.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="dir")]


class HouseRuleParam(click.ParamType[str]):
    """The id of a house rule that the ruleset offers, or a path."""

    name = "house rule"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if ctx is not None:
            ctx.meta.setdefault("warhost.house", []).append(str(value))
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from warhost.cli.installed_names import house_rules_of, typed_ruleset

        offered = house_rules_of(typed_ruleset(ctx))
        items = [CompletionItem(id_, help=title) for id_, title in offered.items() if id_.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="file")]


class ArmyName(click.ParamType[str]):
    """The path of an army file, or RULESET:NAME for a ready one."""

    name = "army"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        ruleset, colon, _ = str(value).partition(":")
        if colon and ctx is not None and not ctx.resilient_parsing:
            tell_edition(ruleset)
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from warhost.cli.installed_names import ids_in, typed_ruleset

        ruleset, colon, _ = incomplete.partition(":")
        if colon:
            names = [f"{ruleset}:{id_}" for id_ in ids_in(ruleset, "armies", "army")]
        else:
            names = ids_in(typed_ruleset(ctx), "armies", "army")
        items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        return items or [CompletionItem(incomplete, type="file")]


class ScenarioName(click.ParamType[str]):
    """The id of a scenario of the ruleset."""

    name = "scenario"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from warhost.cli.installed_names import ids_in, typed_ruleset

        names = ids_in(typed_ruleset(ctx), "scenarios")
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]
