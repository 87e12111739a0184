"""`warhost demo`, `warhost battle` and `warhost replay`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import (
    ArmyName,
    RulesetName,
    ScenarioName,
    common,
    house_option,
    json_option,
)
from warhost.cli.help_examples import WithExamples
from warhost.tools import Observer, observers
from warhost_battles.watching import Watching

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side
    from warhost.packs import Ruleset
    from warhost_battles.files import Plan
    from warhost_battles.journal import Journal

DEMO_SEED = 7

Records = Iterator[dict[str, Any]]
Watched = Mapping[Observer, Path]  # who is asked to watch, and the file that he is to write


@dataclass(frozen=True, slots=True)
class Showing:
    """How a battle is shown. log: text, json or none. view: the side that may read it; None: all is shown."""

    log: str
    as_json: bool
    trace: bool = False
    force: bool = False
    view: Side | None = None


def seed_option(command: Any) -> Any:
    """--seed N."""
    return click.option(
        "--seed", type=click.IntRange(min=0), help="Seed of the dice: the same seed, the same battle."
    )(command)


def watching_options(command: Any) -> Any:
    """An option for everybody who can watch a battle (`--report FILE.html`), given to the command together as
    `watched`; and --force.
    """

    @wraps(command)
    def gathered(*args: Any, **kwargs: Any) -> Any:
        watched = {one: path for one in observers() if (path := kwargs.pop(one.parameter)) is not None}
        return command(*args, watched=watched, **kwargs)

    made: Any = click.option(
        "--force", is_flag=True, help="Replace a file of that name, even if it is something else."
    )(gathered)
    for one in reversed(observers()):
        made = click.option(
            one.option, one.parameter, type=click.Path(path_type=Path, dir_okay=False), metavar=one.metavar,
            help=one.help,
        )(made)  # fmt: skip
    return made


def journal_option(command: Any) -> Any:
    """--journal FILE."""
    return click.option(
        "--journal", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
        help="Record every decision, for `warhost replay`.",
    )(command)  # fmt: skip


def player_option(command: Any) -> Any:
    """--player SIDE=POLICY, given to the command as `players`."""
    return click.option(
        "--player", "players", multiple=True, metavar="SIDE=POLICY",
        help="Who decides for a side (its name or number): tactician, planner, usual, random, ..",
    )(command)  # fmt: skip


def showing_options(command: Any) -> Any:
    """--log and --trace."""
    command = click.option(
        "--trace", is_flag=True, help="Show every roll and how its numbers were computed."
    )(command)
    return click.option(
        "--log", type=click.Choice(["text", "json", "none"]), metavar="text|json|none",
        help="How the battle is told: as a story (default), as JSON Lines, or not at all (default with --json).",
    )(command)  # fmt: skip


# -- demo ---------------------------------------------------------------------------------------


@click.command(cls=WithExamples, examples=("warhost demo", "warhost demo {ruleset} --seed 3"))
@click.argument("ruleset", required=False, type=RulesetName(), metavar="[RULESET]")
@seed_option
@player_option
@house_option
@journal_option
@watching_options
@json_option
@common
def demo(
    ruleset: str | None, seed: int | None, players: tuple[str, ...], house: tuple[str, ...], journal: Path | None,
    watched: Watched, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Play one battle between two ready armies and tell it.

    Without RULESET the first one installed is played. Two computer players fight it out; another --seed gives
    other dice and another battle.
    """
    from warhost.cli import output

    plan = demo_plan(ruleset, house, DEMO_SEED if seed is None else seed)
    shown = Showing("none" if as_json else "text", as_json, force=force)
    _play(plan, players, journal, shown, watched)
    if not as_json:
        output.say()
        armies = " ".join(f"--army {army.id}" for army in plan.armies)
        laid = "".join(f" --house {shlex.quote(name)}" for name in house)
        decided = "".join(f" --player {shlex.quote(one)}" for one in players)
        told = f"warhost battle {plan.rules.called} {armies}{laid}{decided} --seed {plan.seed} --trace"
        output.say(f"Other dice: --seed {plan.seed + 1}. How every roll came about: {told}", style="dim")


def demo_plan(ruleset: str | None, house: Sequence[str], seed: int) -> Plan:
    """The battle that a ruleset shows itself with. Raises UsageError."""
    from warhost.cli.installed_names import first_with_demo
    from warhost.errors import UsageError
    from warhost.packs import load
    from warhost_battles.files import quick

    name = ruleset or first_with_demo()
    if name is None:
        raise UsageError("no ruleset is installed")
    rules = load(name, list(house))
    demo = rules.manifest.get("demo") or {}
    armies = [str(one) for one in demo.get("armies", ())] or list(rules.armies)[:2]
    if not armies:
        raise UsageError(f"{rules.id} has no ready armies to play with")
    plan = quick(name, armies * 2 if len(armies) == 1 else armies, None, house, seed)
    return replace(plan, scenario=demo.get("scenario"))


# -- battle -------------------------------------------------------------------------------------


@click.command(
    cls=WithExamples,
    examples=(
        "warhost battle {ruleset} --army {army} --army {other_army} --seed 4",
        "warhost battle {ruleset} --army {army} --army {other_army} --player 1=random --json",
    ),
)
@click.argument("battle", metavar="BATTLE", type=RulesetName())
@click.option("--army", "armies", multiple=True, type=ArmyName(), metavar="ARMY",
              help="Quick form: an army of the ruleset BATTLE, by id or file; give it once for each side.")  # fmt: skip
@click.option("--scenario", type=ScenarioName(), metavar="ID", help="Another scenario than the first or the file's.")
@seed_option
@player_option
@house_option
@journal_option
@showing_options
@watching_options
@json_option
@common
def battle(
    battle: str, armies: tuple[str, ...], scenario: str | None, seed: int | None, players: tuple[str, ...],
    house: tuple[str, ...], journal: Path | None, log: str | None, trace: bool, watched: Watched, force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Play a battle to its end.

    BATTLE is a battle file, RULESET:NAME for a bundled one, or a ruleset together with --army A --army B. The
    same ruleset, armies, scenario, seed and players give the same battle, always.
    """
    from warhost_battles.files import plan

    shown = Showing(_log(log, as_json), as_json, trace, force)
    _play(plan(battle, armies, scenario, house, seed), players, journal, shown, watched)


def _log(log: str | None, as_json: bool) -> str:
    if log == "text" and as_json:
        raise click.UsageError("--log text cannot go with --json; use --log json or --log none")
    return log or ("none" if as_json else "text")


def _play(
    plan: Plan, players: Sequence[str], journal: Path | None, shown: Showing, watched: Watched
) -> None:
    """Play a plan, tell it, and give the result."""
    from warhost.engine.battle import Battle
    from warhost_battles.players import assigned, default_player, known_players, player

    known = known_players(plan.rules)
    chosen = assigned(players, plan.side_names)
    names = [chosen.get(i) or given or default_player(known) for i, given in enumerate(plan.players)]
    deciding = [player(name, plan.seed + i, known) for i, name in enumerate(names)]
    if not shown.as_json and shown.log != "json":
        warn_of_illegal(plan)
    made = Battle(
        plan.rules, plan.armies, plan.seed, scenario=plan.scenario, players=deciding, trace=shown.trace,
        names=plan.names, log=shown.log != "none" or bool(watched),
    )  # fmt: skip
    recording, carried_on = _recording(made, journal, names, deciding, shown)
    made = carried_on or made
    watching = Watching(made, watched, shown.view, shown.force)
    with recording:
        if shown.log == "text":
            introduce(plan, made, names)
        _show(made, made.play, shown)
    _finish(made, watching, shown)


def warn_of_illegal(plan: Plan) -> None:
    """Illegal armies may fight, but not unnoticed."""
    from warhost.cli import output
    from warhost_armies.made_with import other_edition

    for army in plan.armies:
        if note := other_edition(army, plan.rules):
            output.say(note, style="yellow", err=True)
        violations = army.check(plan.rules)
        for violation in violations:
            output.say(f"{army.name} is illegal: {violation.message}", style="yellow", err=True)


def introduce(plan: Plan, made: Battle, names: Sequence[str]) -> None:
    """Who fights whom, where, with which dice."""
    from warhost.cli import output

    rules = plan.rules
    house = f", house rules: {', '.join(rules.house)}" if rules.house else ""
    output.say(f"{rules.title} ({rules.id}@{rules.edition}{house})", style="bold")
    sides = [
        f"{side.name} ({sum(int(u.cost or 0) for u in side.units)} points, {name})"
        for side, name in zip(made.sides, names, strict=True)
    ]
    output.say(" against ".join(sides))
    output.say(f"{made.scenario.name or made.scenario.id}, seed {plan.seed}")
    output.say()


def _show(made: Battle, play: Callable[[], Records], shown: Showing) -> None:
    """Play on and tell it as it was asked for."""
    from warhost.cli import output
    from warhost_battles import telling
    from warhost_battles.views import view_lines, view_of

    records = play() if shown.view is None else view_of(play(), shown.view)
    if shown.log == "text":
        telling.print_story(records, made, rolls=shown.trace, trace=shown.trace)
    elif shown.log == "json":
        for record in records if shown.view is None else view_lines(made, shown.view, play()):
            output.json_line(record)
    else:
        telling.follow(records)


def _finish(made: Battle, watching: Watching, shown: Showing) -> None:
    """The files of those who watched, the result."""
    from warhost.cli import output
    from warhost_battles.views import seen_result

    written = watching.write()
    if shown.as_json:
        result = result_of(made) if shown.view is None else seen_result(shown.view, result_of(made))
        (output.json_line if shown.log == "json" else output.show_json)(result)
    elif shown.log == "none":
        show_result(made)
    if not shown.as_json and shown.log != "json":
        for name, path in written.items():
            output.say(f"{name}: {path}")
    for sentence in watching.failed:
        output.say(sentence, style="red", err=True)
    if watching.failed:
        raise SystemExit(1)


def result_of(made: Battle) -> dict[str, Any]:
    """The object that `warhost battle --json` ends with."""
    result, rules = made.result(), made.rules
    return {
        "ruleset": {
            "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
        },
        "seed": made.seed, "turns": result.turns, "winner": result.winner, "reason": result.reason,
        "sides": [asdict(side) for side in result.sides], "decisions": result.decisions, "rolls": result.rolls,
        "state_hash": result.state_hash,
    }  # fmt: skip


def show_result(made: Battle) -> None:
    """How it ended, as a table."""
    from warhost.cli import output

    result = made.result()
    won = f"{result.winner} won" if result.winner else "Nobody won"
    output.say(f"{won} after {output.counted(result.turns, 'turn')}: {result.reason}", style="bold")
    made_table = output.table(
        "side", "points", "points lost", "victory points", "units left",
        right=("points", "points lost", "victory points", "units left"),
    )  # fmt: skip
    output.show_table(
        made_table, [[s.name, s.points, s.points_lost, s.victory_points, s.units_left] for s in result.sides]
    )


# -- files that a battle leaves behind --------------------------------------------------------------


def _recording(
    made: Battle, path: Path | None, names: Sequence[str], players: Sequence[Any], shown: Showing
) -> tuple[AbstractContextManager[Any], Battle | None]:
    """The journal; a file that holds something else than this very battle is left alone.

    An unfinished journal of this battle is carried on: then the second value is the battle that does so.
    """
    if path is None:
        return nullcontext(), None
    from warhost.cli import output
    from warhost.errors import UsageError
    from warhost.output_safety import refuse_foreign
    from warhost_battles.journal import Recorder, header_of, resume

    refuse_foreign(path, "the journal")
    try:
        if shown.force or not path.exists() or not path.stat().st_size:
            return Recorder(made, path, names), None
        if not _is_journal_of(path, header_of(made, names)):
            hint = "give another name, or say --force to replace it"
            raise UsageError(f"{path} exists already and is not the journal of this battle; {hint}")
        battle, recorder, found = resume(path, made.rules, players, trace=shown.trace)
    except OSError as error:
        raise UsageError(f"the journal cannot be written to {path} ({error.strerror or error})") from error
    if not shown.as_json and shown.log != "json":
        for warning in found.warnings:
            output.say(f"{path}: {warning}", style="yellow", err=True)
        n = output.counted(len(found.decisions), "decision")
        output.say(f"{path} is carried on: {n} made before are made again.", style="yellow", err=True)
    return recorder, battle


def _is_journal_of(path: Path, header: Mapping[str, Any]) -> bool:
    """Whether a file begins like the journal of this battle."""
    with path.open("rb") as file:
        first = file.readline()
    try:
        found = json.loads(first)
        if isinstance(found, dict):
            found.pop("sum", None)
        return bool(found == json.loads(json.dumps(header)))
    except (ValueError, RecursionError):
        return False


# -- replay -------------------------------------------------------------------------------------


@click.command(
    cls=WithExamples,
    examples=(
        "warhost battle {ruleset} --army {army} --army {other_army} --log none --journal battle.jsonl",
        "warhost replay battle.jsonl --to 20 --trace",
        "warhost replay battle.jsonl --view 1 --write known.jsonl",
    ),
)
@click.argument("journal", type=click.Path(path_type=Path), metavar="JOURNAL")
@click.option("--to", type=click.IntRange(min=0), metavar="N", help="Stop after decision N.")
@click.option("--view", metavar="SIDE",
              help="Tell only what that side (its name or number) may know.")  # fmt: skip
@click.option("--write", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="With --view: write what that side may know as JSON Lines, without seed and digests.")  # fmt: skip
@click.option("--ruleset", type=RulesetName(), metavar="RULESET",
              help="Where the ruleset is now, if it is not installed under its name.")  # fmt: skip
@house_option
@showing_options
@watching_options
@json_option
@common
def replay(
    journal: Path, to: int | None, view: str | None, write: Path | None, ruleset: str | None,
    house: tuple[str, ...], log: str | None, trace: bool, watched: Watched, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Play a recorded battle again, whole or up to a decision.

    The battle is computed anew from the journal; after every turn and at the end its state is compared with what
    the journal remembers. Exit code 1 if it comes out differently, or if the ruleset has changed since.

    With --view the story, the log, the result and the report are those of one side: cards in other hands and secret
    choices are left out, and so is everything from which they could be computed.
    """
    from warhost.cli import output
    from warhost_battles.journal import read_journal, rebuild
    from warhost_battles.journal import replay as replayed
    from warhost_battles.players import side_number

    if trace and view is not None:
        raise click.UsageError("--trace cannot go with --view: how numbers are computed may tell what is hidden")
    if write is not None and view is None:
        raise click.UsageError("--write needs --view SIDE; a whole journal is there already")
    shown = Showing(_log(log, as_json), as_json, trace, force)
    read = read_journal(journal)
    for warning in read.warnings:
        output.say(f"{journal}: {warning}", style="yellow", err=True)
    again = f"warhost replay {shlex.quote(str(journal))} --ruleset FOLDER"
    made = rebuild(read, rules_of(read, ruleset, house, again), to=to, trace=trace)
    if view is not None:
        side = made.sides[side_number(view, [s.name for s in made.sides])]
        shown = replace(shown, view=side)
    watching = Watching(made, watched, shown.view, shown.force)
    _show(made, lambda: replayed(read, made), shown)
    _finish(made, watching, shown)
    if write is not None:
        _write_view(made, shown, write)
    if view is None and not as_json and shown.log != "json":
        _tell_how_far(made, read, to)


def _write_view(made: Battle, shown: Showing, path: Path) -> None:
    """What a side may know, into a file. Never over something else than such a file."""
    from warhost.cli import output
    from warhost.output_safety import write_whole
    from warhost_battles.views import GUESSED, view_lines

    assert shown.view is not None
    lines = "".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        for line in view_lines(made, shown.view, made.log)
    )
    write_whole(path, lines, "the view", lambda head: head.startswith(b'{"view":'), shown.force)
    if made.seed < GUESSED:
        warning = "whoever reads the view can try small ones until the dice fit; in earnest take a larger one"
        output.say(f"seed {made.seed} is easy to guess: {warning}.", style="yellow", err=True)


def rules_of(journal: Journal, ruleset: str | None, house: Sequence[str], again: str) -> Ruleset:
    """The ruleset that a journal names, or another one with which it is to be replayed.

    again: the command that says where it lies, for somebody who has none of that name installed.
    """
    from warhost.cli.installed_names import folder_of
    from warhost.errors import UsageError
    from warhost.packs import load

    header = journal.header["ruleset"]
    named = f"{header.get('id')}@{header['edition']}" if header.get("edition") else str(header.get("id"))
    if ruleset is None and folder_of(named) is None:
        raise UsageError(f"the ruleset {named} is not installed; say in which folder it lies: {again}")
    return load(ruleset or named, list(house) or [str(one) for one in header.get("house_rules") or ()])


def _tell_how_far(made: Battle, journal: Journal, to: int | None) -> None:
    from warhost.cli import output

    n = output.counted(made.decisions_made, "decision")
    if made.over:
        turns = output.counted(len(journal.turns), "turn")
        output.say(f"The battle came out as recorded: {n}, {turns} compared.", style="green")
    elif to is not None and to < len(journal.decisions):
        output.say(f"Stopped after decision {to} of {len(journal.decisions)}, in turn {made.battle.turn}.")
    else:
        output.say(f"The journal ends here, after {len(journal.decisions)} decisions; the battle was not over.")
