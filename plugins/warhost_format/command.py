"""`warhost fmt`: the canonical layout of rules files."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import common, json_option
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost.errors import Problem


@dataclass(slots=True)
class Formatted:
    """What became of the files: their labels, mistakes, and notes on what has changed its meaning."""

    same: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


@click.command(cls=WithExamples, examples=("warhost fmt --check {folder}", "warhost fmt --upgrade {folder}"))
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if a file is not in canonical layout.")
@click.option("--upgrade", is_flag=True, help="First rewrite what older versions called otherwise, and tell the rest.")
@json_option
@common
def fmt(paths: tuple[str, ...], check: bool, upgrade: bool, as_json: bool) -> None:
    """Bring rules files into their canonical layout.

    A PATH is a .rules file, a folder (every .rules file in it is laid out), or - for standard input, which is
    written to standard output. Nothing that you wrote is lost, comments included. Files with mistakes are left
    as they are, and the mistakes are shown.

    With --upgrade a ruleset that was written for an older version is brought up to this one: names that have changed
    are rewritten, what must be changed by hand or means something else now is told with its place, and a PATH that is
    a ruleset's folder is checked.
    """
    if "-" in paths:
        if upgrade:
            raise click.UsageError("--upgrade needs the files of a ruleset, not standard input")
        _filter(paths)
        return
    outcome = Formatted()
    files = list(_files(paths))
    upgraded = _upgrading(files, outcome) if upgrade else None
    for path in files:
        _lay_out(path, check, outcome, upgraded)
    if upgrade:
        _look_at_folders(paths, check, outcome)
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


def _upgrading(files: Iterable[Path], outcome: Formatted) -> Callable[[str, str], str]:
    """What makes the text of a file (by its label) one of today."""
    from warhost_format.upgrade import fields_below, upgrade_rules

    own = fields_below(files)

    def upgraded(text: str, label: str) -> str:
        done = upgrade_rules(text, label, own)
        outcome.problems += done.wrong
        outcome.notes += done.notes
        return done.text

    return upgraded


def _look_at_folders(paths: Iterable[str], check: bool, outcome: Formatted) -> None:
    """Besides the rules of a ruleset: its data, and what is wrong with it now."""
    from warhost.packs import read
    from warhost.packs.find import MANIFEST
    from warhost_format.upgrade import notes_on_folder

    for folder in map(Path, paths):
        if (folder / MANIFEST).is_file():
            outcome.notes += notes_on_folder(folder)
            if not (check and outcome.changed):  # what is not rewritten yet is not also told as wrong
                outcome.problems += [p for p in read(folder)[1] if p not in outcome.problems]


def _lay_out(path: Path, check: bool, outcome: Formatted, upgraded: Callable[[str, str], str] | None = None) -> None:
    from warhost.errors import ContentError, Problem
    from warhost.output_safety import write_whole
    from warhost.packs.find import read_bytes
    from warhost.packs.user_paths import shown
    from warhost.packs.yaml_source import decode
    from warhost_format.layout import format_source

    label = shown(path)
    try:
        raw = read_bytes(path)
        text, problems = decode(raw, label)
        if problems:
            outcome.problems += problems
            return
        new = format_source(upgraded(text, label) if upgraded is not None else text, label).encode()
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


def _show(outcome: Formatted, check: bool, as_json: bool) -> None:
    from warhost.cli import output

    if as_json:
        ok = not outcome.problems and not (check and outcome.changed)
        errors, notes = ([p.to_json() for p in told] for told in (outcome.problems, outcome.notes))
        files = {"changed": outcome.changed, "unchanged": len(outcome.same)}
        output.show_json({"ok": ok, "errors": errors, **files, "notes": notes})
        return
    output.show_problems(outcome.problems, err=True)
    for note in sorted(outcome.notes):
        place = ":".join(str(part) for part in (note.file, note.line, note.column) if part)
        output.say(f"{place}: note: {note.message} ({note.hint})")
    for label in outcome.changed:
        output.say(f"{'would change' if check else 'changed'}  {label}")
    n = len(outcome.changed)
    what = f"{output.counted(n, 'file')} {'would change' if check else 'changed'}, {len(outcome.same)} unchanged"
    output.say(what + (f", {output.counted(len(outcome.problems), 'mistake')}" if outcome.problems else ""))
