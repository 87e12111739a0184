"""The program itself: its commands, each loaded only when it is run, and what becomes of errors."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import click

from warhost import plugins, tools
from warhost.cli.arguments import common
from warhost.tools import Command
from warhost.version import __version__

COMMANDS = (Command("army", "warhost.cli.program:army", "List, check and print armies.", "Armies"),)
"""The core's own: a group that tools fill. They bring all other commands."""

SECTIONS = ("Battles", "Armies", "Rules")
"""The headings of the list of commands that come first, in this order."""


class WithTools(click.Group):
    """A group to which tools add commands: those of two words whose first is the group's name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *(c.name.split()[1] for c in self._added())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        added = (c for c in self._added() if c.name.split()[1] == cmd_name)
        return own or next((_loaded(found) for found in added), None)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands. Those of tools are not imported for it: one that cannot be leaves the list as it is."""
        rows = [(name, command.get_short_help_str()) for name, command in self.commands.items()]
        rows += [(command.name.split()[1], command.summary) for command in self._added()]
        with formatter.section("Commands"):
            formatter.write_dl(sorted(rows))

    def _added(self) -> list[Command]:
        return [c for c in tools.commands() if c.name.split()[:-1] == [self.name]]


class LazyGroup(click.Group):
    """A group whose commands are imported when they are asked for."""

    def known(self) -> dict[str, Command]:
        """The commands of one word, the core's own and those of tools."""
        added = (command for command in tools.commands() if " " not in command.name)
        known = {command.name: command for command in (*added, *COMMANDS)}
        return dict(sorted(known.items(), key=lambda named: named[1].place))

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.known())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = next((c for c in COMMANDS if c.name == cmd_name), None) or self.known().get(cmd_name)
        if found is None:
            return None
        return found.load() if found in COMMANDS else _loaded(found)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            from warhost.errors import did_you_mean

            hint = did_you_mean(args[0], self.known()) or "`warhost --help` lists all of them"
            ctx.fail("; ".join((f'there is no command "{args[0]}"', hint, *tools.broken())))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in SECTIONS}
        width = max(map(len, self.known()))
        for command in self.known().values():
            sections.setdefault(command.section, []).append((command.name.ljust(width), command.summary))
        for section, rows in sections.items():
            with formatter.section(section):
                formatter.write_dl(rows)
        for sentence in tools.broken():
            formatter.write_text(sentence)


def _loaded(command: Command) -> click.Command:
    """The command of a tool. Raises PluginError when it cannot be imported, or is none."""
    found = tools.imported(command.at)
    if not isinstance(found, click.Command):
        raise plugins.PluginError(command.at, f"{command.at} is no click command, as `warhost {command.name}` must be")
    return found


@click.group(cls=WithTools)
@common
def army() -> None:
    """List, check and print armies.

    An ARMY is an army file, or RULESET:NAME for one that comes with a ruleset.
    """


class OutermostGroup(LazyGroup):
    """The outermost group: whatever goes wrong inside becomes a message and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        from warhost.cli.failures import failing

        with failing(ctx):
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@click.group(cls=OutermostGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
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
    try:
        with _quiet_interrupt():
            program.main(prog_name="warhost")
    finally:
        gc.freeze()  # rules are large, and the interpreter would look through all of them once more before it ends
    raise SystemExit(0)


@contextlib.contextmanager
def _quiet_interrupt() -> Iterator[None]:
    """Ctrl-C outside any command, while modules are being imported say."""
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(130) from None
