"""`warhost fmt`: the canonical layout of rules files."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import common, json_option
from warhost.cli.showing_help import WithExamples

if TYPE_CHECKING:
    from warhost.errors import Problem


@dataclass(slots=True)
class Outcome:
    """What became of the files."""

    same: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@click.command(cls=WithExamples, examples=("warhost fmt --check {folder}",))
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if a file is not in canonical layout.")
@json_option
@common
def fmt(paths: tuple[str, ...], check: bool, as_json: bool) -> None:
    """Bring rules files into their canonical layout.

    A PATH is a .rules file, a folder (every .rules file in it is laid out), or - for standard input, which is
    written to standard output. Nothing that you wrote is lost, comments included. Files with mistakes are left
    as they are, and the mistakes are shown.
    """
    if "-" in paths:
        _filter(paths)
        return
    outcome = Outcome()
    for path in _files(paths):
        _lay_out(path, check, outcome)
    _show(outcome, check, as_json)
    raise SystemExit(1 if outcome.problems or (check and outcome.changed) else 0)


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir():
            yield from (p for p in sorted(path.rglob("*.rules")) if p.is_file())
        elif path.exists():
            yield path
        else:
            raise click.UsageError(f"there is no file {given}")


def _filter(paths: tuple[str, ...]) -> None:
    """Standard input to standard output."""
    from warhost.packs.yaml_source import decode
    from warhost_format.layout import format_source

    if len(paths) > 1:
        raise click.UsageError("- stands alone")
    text, problems = decode(sys.stdin.buffer.read(), "standard input")
    if problems:
        from warhost.errors import RulesInvalid

        raise RulesInvalid(problems, "standard input")
    sys.stdout.write(format_source(text, "standard input"))


def _lay_out(path: Path, check: bool, outcome: Outcome) -> None:
    from warhost.errors import ContentError, Problem
    from warhost.output_safety import write_whole
    from warhost.packs.find import read_bytes, shown
    from warhost.packs.yaml_source import decode
    from warhost_format.layout import format_source

    label = shown(path)
    try:
        raw = read_bytes(path)
        text, problems = decode(raw, label)
        if problems:
            outcome.problems += problems
            return
        new = format_source(text, label).encode()
        if new == raw:
            outcome.same.append(label)
            return
        if not check:
            write_whole(path.resolve(), new)
        outcome.changed.append(label)
    except ContentError as error:
        outcome.problems += error.problems
    except OSError as error:
        reason = error.strerror or str(error)
        outcome.problems.append(Problem(label, 0, 0, "unreadable", f"this file cannot be changed ({reason})"))


def _show(outcome: Outcome, check: bool, as_json: bool) -> None:
    from warhost.cli import output

    if as_json:
        ok = not outcome.problems and not (check and outcome.changed)
        errors = [p.to_json() for p in outcome.problems]
        output.show_json({"ok": ok, "errors": errors, "changed": outcome.changed, "unchanged": len(outcome.same)})
        return
    output.show_problems(outcome.problems, err=True)
    for label in outcome.changed:
        output.say(f"{'would change' if check else 'changed'}  {label}")
    n = len(outcome.changed)
    what = f"{output.counted(n, 'file')} {'would change' if check else 'changed'}, {len(outcome.same)} unchanged"
    output.say(what + (f", {output.counted(len(outcome.problems), 'mistake')}" if outcome.problems else ""))
