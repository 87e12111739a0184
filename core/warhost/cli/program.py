"""The program itself: its commands, each loaded only when it is run, and what becomes of errors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import click

from warhost import __version__
from warhost.cli.arguments import common


class Entry(NamedTuple):
    """Where a command is, and its line in the list of commands (so that the list needs no import)."""

    module: str
    name: str
    summary: str


COMMANDS = {
    "demo": Entry("battles", "demo", "Play one battle between two ready armies and tell it."),
    "rulesets": Entry("rulesets", "rulesets", "List the rulesets that are installed."),
    "check": Entry("checking", "check", "Check a ruleset and report every mistake at once."),
    "test": Entry("checking", "test", "Run a ruleset's own examples."),
    "coverage": Entry("grading", "coverage", "Compare the printed book with what is played and proved."),
    "mutate": Entry("proving", "mutate", "Find out what the examples do not notice."),
    "explain": Entry("explaining", "explain", "Explain one rule, number, unit or term."),
    "fmt": Entry("formatting", "fmt", "Bring rules files into their canonical layout."),
    "army": Entry("armies", "army", "List, check and print armies."),
    "battle": Entry("battles", "battle", "Play a battle to its end."),
    "replay": Entry("battles", "replay", "Play a recorded battle again, whole or up to a decision."),
    "odds": Entry("odds", "odds", "Tell what happens when one unit takes on another."),
    "balance": Entry("balancing", "balance", "Compare units at equal points, or armies in battle."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = getattr(import_module(f"warhost.cli.{entry.module}"), entry.name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from warhost.errors import did_you_mean

            hint = did_you_mean(args[0], COMMANDS) or "`warhost --help` lists all of them"
            ctx.fail(f'there is no command "{args[0]}"; {hint}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


class Program(LazyGroup):
    """The outermost group: whatever goes wrong inside becomes a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        from warhost.cli.failures import failing

        with failing(ctx):
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="warhost")
@common
def program() -> None:
    """A host for wargames: plays, checks and explains the rules of tabletop battles.

    New here? Type `warhost demo`, and when you have seen enough, `warhost COMMAND --help`.
    """


def main() -> NoReturn:
    """The entry point of the command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed it: what is said goes nowhere
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    with _quiet_interrupt():
        program.main(prog_name="warhost")
    raise SystemExit(0)


@contextlib.contextmanager
def _quiet_interrupt() -> Iterator[None]:
    """Ctrl-C outside any command, while modules are being imported say."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(130) from None
