"""`warhost play`."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import ArmyName, RulesetName, ScenarioName, common, house_option
from warhost.cli.help_examples import WithExamples
from warhost_battles.commands import rules_of, seed_option

if TYPE_CHECKING:
    from warhost_battles.files import Plan
    from warhost_play.seats import Seats

#: Seeds that are drawn when none is given lie below this.
SEEDS = 10**9


@click.command(
    "play",
    cls=WithExamples,
    examples=(
        "warhost play {ruleset}",
        "warhost play {ruleset} --army {army} --army {other_army} --as 2 --seed 5 --journal battle.jsonl",
        "warhost play --resume battle.jsonl",
    ),
)
@click.argument("battle", metavar="[BATTLE]", type=RulesetName(), required=False)
@click.option("--army", "armies", multiple=True, type=ArmyName(), metavar="ARMY",
              help="An army of the ruleset BATTLE, by id or file; give it once for each side.")  # fmt: skip
@click.option("--scenario", type=ScenarioName(), metavar="ID", help="Another scenario than the first or the file's.")
@click.option("--as", "sides", multiple=True, metavar="SIDE",
              help="The side that you play, by name or number (1 if not given). Twice: two persons, one screen.")
@click.option("--against", "against", multiple=True, metavar="POLICY",
              help="Who plays the other sides: tactician, planner, random, .. (SIDE=POLICY for one of several).")
@seed_option
@house_option
@click.option("--journal", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Where the battle is kept (a new file in this folder if not given).")  # fmt: skip
@click.option("--resume", type=click.Path(path_type=Path, dir_okay=False), metavar="JOURNAL",
              help="Go on with a battle that was left.")  # fmt: skip
@common
def play(
    battle: str | None, armies: tuple[str, ...], scenario: str | None, sides: tuple[str, ...],
    against: tuple[str, ...], seed: int | None, house: tuple[str, ...], journal: Path | None, resume: Path | None,
) -> None:  # fmt: skip
    """Play a battle yourself, against the computer or another person.

    BATTLE is a ruleset (its own show battle, or with --army A --army B), a battle file, or RULESET:NAME for a bundled
    one; with --resume the ruleset, if it is not installed under its name. Each decision comes with all its legal
    options by number; `help` says what else can be typed: hint, why, odds, map, units, undo and more. Every decision
    is kept in a journal as it is made: a battle that was left, however it was left, goes on with --resume.
    """
    from warhost.cli import output
    from warhost_battles.commands import introduce, show_result
    from warhost_battles.journal import read_journal
    from warhost_play.game import Game, Left
    from warhost_play.seats import carried_on

    if resume is not None:
        if armies or scenario or sides or against or journal or seed is not None:
            raise click.UsageError(
                "--resume goes on with a battle as it was begun: all that can be said of it is where the ruleset is "
                "now, and its house rules"
            )
        found = read_journal(resume)
        for warning in found.warnings:
            output.say(f"{resume}: {warning}", style="yellow", err=True)
        again = f"warhost play FOLDER --resume {shlex.quote(str(resume))}"
        seats = carried_on(resume, found, rules_of(found, battle, house, again))
        plan = None
    else:
        plan, seats = _begun(battle, armies, scenario, sides, against, seed, house, journal)
    game = Game(seats, reader(lambda: game.sayable()))
    with seats.recorder:
        if plan is not None:
            introduce(plan, seats.battle, seats.names)
        output.say("`help` says what can be typed. The battle is kept in " + str(seats.path), style="dim")
        try:
            game.run()
        except Left:
            output.say()
            output.say(f"Go on with it: {seats.to_go_on()}")
            return
    show_result(seats.battle)


def _begun(
    battle: str | None, armies: Sequence[str], scenario: str | None, sides: Sequence[str], against: Sequence[str],
    seed: int | None, house: Sequence[str], journal: Path | None,
) -> tuple[Plan, Seats]:  # fmt: skip
    """A new battle as the command line has it; without armies and files the one with which the ruleset shows itself."""
    from warhost.cli.installed_names import folder_of
    from warhost.packs.user_paths import at_home
    from warhost_battles.commands import demo_plan, warn_of_illegal
    from warhost_battles.files import plan
    from warhost_play.seats import taken

    seed = secrets.randbelow(SEEDS) if seed is None else seed
    if armies or (battle is not None and (at_home(battle).is_file() or folder_of(battle) is None)):
        if battle is None:
            raise click.UsageError("--army needs the ruleset: warhost play RULESET --army A --army B")
        wanted = plan(battle, armies, scenario, house, seed)
    else:
        wanted = demo_plan(battle, house, seed)
        wanted = replace(wanted, scenario=scenario) if scenario else wanted
    warn_of_illegal(wanted)
    return wanted, taken(wanted, sides, against, _journal(journal, wanted.rules.id))


def _journal(given: Path | None, ruleset: str) -> Path:
    """Where the battle is to be kept: a new file."""
    from warhost.errors import UsageError
    from warhost.output_safety import refuse_foreign

    if given is None:
        names = (Path(f"play-{ruleset}-{n}.jsonl") for n in count(1))
        given = next(path for path in names if not path.exists())
    refuse_foreign(given, "the journal")
    if given.exists() and given.stat().st_size:
        raise UsageError(f"{given} exists already; --resume {given} goes on with the battle in it")
    return given


def reader(words: Callable[[], Sequence[str]]) -> Callable[[str], str]:
    """How a line is read: on a terminal with history and with completion of what can be said."""
    from warhost.output_safety import harmless

    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline

            def complete(text: str, state: int) -> str | None:
                fitting = [word for word in words() if word.lower().startswith(text.lower())]
                return fitting[state] if state < len(fitting) else None

            readline.set_completer_delims("")
            readline.set_completer(complete)
            readline.parse_and_bind("tab: complete")
    return lambda prompt: input(harmless(prompt))
