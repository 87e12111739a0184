"""`warhost new`: a small, complete, commented start that passes at once."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import RulesetName, common, house_option
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost_new.layered import Ground
    from warhost_new.names import GivenName
    from warhost_new.starts import Start

KINDS = ("ruleset", "edition", "house-rules", "army-list", "army", "scenario", "plugin")
ALONE = ("ruleset", "plugin")
"""Those that stand on no ruleset."""


@click.command(
    cls=WithExamples,
    examples=(
        'warhost new army-list "Marsh Folk" --for {ruleset} --list {list}',
        "warhost new army my_army --for {ruleset}",
        "warhost new ruleset bridge_fight",
        'warhost new edition "Sixth Printing" --for {ruleset}',
    ),
)  # fmt: skip
@click.argument("kind", required=False, type=click.Choice(KINDS), metavar=f"{'|'.join(KINDS)}")
@click.argument("name", required=False, metavar="NAME")
@click.option("--for", "ruleset", type=RulesetName(), metavar="RULESET", help="The ruleset that it is for.")
@click.option("--in", "folder", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER",
              help="Where it is put: the folder of a ruleset or house rule, or any other (usual: here).")  # fmt: skip
@click.option("--list", "list_id", metavar="LIST",
              help="army-list: the list whose troops it starts from; army: the list that it is of.")  # fmt: skip
@click.option("--scenario", metavar="ID", help="scenario: the one whose table it starts from.")
@click.option("--number", metavar="NAME", help="house-rules: the number that it changes.")
@click.option("--edition", metavar="NUMBER", help="edition: how it is told from the others, as 1.6 (usual: the next).")
@click.option("--limit", type=click.IntRange(1, 1_000_000), metavar="POINTS", help="army: what may be spent.")
@house_option
@common
def new(
    kind: str | None, name: str | None, ruleset: str | None, folder: Path | None, list_id: str | None,
    scenario: str | None, number: str | None, edition: str | None, limit: int | None, house: tuple[str, ...],
) -> None:  # fmt: skip
    """Start a ruleset, edition, house rules, army, scenario or plugin.

    What is written is small, complete and commented; it passes `warhost check` and `warhost test` at once, and is
    there to be changed. NAME is what people call it ("Marsh Folk"); its id comes of it (marsh_folk). What is needed
    and not given is asked for at a terminal. Nothing is ever written over; all files are written, or none.

    House rules, army lists, armies and scenarios become a part of the ruleset, or of the house rule, whose folder --in
    names, or of the ruleset that --for names by its folder; else they have a folder of their own, which --house puts
    in force.
    """
    from warhost.cli import output
    from warhost_new.names import name_of
    from warhost_new.writing import write_all

    kind = kind or _ask("What?", KINDS, "house-rules", "KIND")
    name = name or _ask(f"What is the {kind} called?", (), None, "NAME")
    called = name_of(name)
    place = folder if folder is not None else _usual_folder(kind, ruleset)
    if kind in ALONE:
        from warhost_new import starts

        start = starts.ruleset(called, place) if kind == "ruleset" else starts.plugin(called, place)
    elif kind == "edition":
        from warhost_new import editions

        ground = _ground(ruleset, house, folder if folder is not None else Path(), False)
        if edition is None and _asks():
            usual = editions.next_number(ground.rules.edition)
            edition = _ask(f"Which edition is it (below it is {ground.rules.edition})?", (), usual, "--edition")
        start = editions.edition(ground, called, edition)
    else:
        ground = _ground(ruleset, house, place, folder is not None and kind != "army")
        start = _layered(kind, ground, called, list_id, scenario, number, limit)
    write_all(start.folder, start.files)
    _tell(start)
    output.say()
    output.say("Next:", style="bold")
    for command, what in start.following:
        output.say(f"  {what}:", style="dim")
        output.say(f"    {command}")


def _layered(
    kind: str, ground: Ground, called: GivenName, list_id: str | None, scenario: str | None, number: str | None,
    limit: int | None,
) -> Start:  # fmt: skip
    from warhost_new import house_rules, layered

    rules = ground.rules
    if kind == "house-rules":
        if number is None and _asks():
            known = house_rules.numbers(ground)
            number = _ask("Which number does it change?", known[:10], known[0] if known else None, "--number")
        return house_rules.house_rules(ground, called, number)
    if kind == "scenario":
        if scenario is None and _asks() and len(rules.scenarios) > 1:
            scenario = _ask("Which scenario does it start from?", list(rules.scenarios), None, "--scenario")
        return layered.scenario(ground, called, scenario)
    if list_id is None and _asks() and len(rules.lists) > 1:
        list_id = _ask("Which army list?", list(rules.lists), next(iter(rules.lists)), "--list")
    if kind == "army":
        return layered.army(ground, called, list_id, limit)
    return layered.army_list(ground, called, list_id)


def _usual_folder(kind: str, ruleset: str | None) -> Path:
    """A ruleset that was given as a folder takes the new files up; else they come into the working folder."""
    from warhost.packs.find import MANIFEST

    return Path(ruleset) if ruleset and kind not in ALONE and (Path(ruleset) / MANIFEST).is_file() else Path()


def _ground(ruleset: str | None, house: tuple[str, ...], folder: Path, may_join: bool) -> Ground:
    """may_join: the folder was named, and may be that of a house rule to which more is added."""
    from warhost.packs import installed, load
    from warhost.packs.find import MANIFEST
    from warhost_new.layered import Ground

    if ruleset is None and (folder / MANIFEST).is_file():
        ruleset = str(folder)
    if ruleset is None:
        known = list(dict.fromkeys(one.id for one in installed()))
        ruleset = _ask("For which ruleset?", known, None, "--for RULESET")
    joins = may_join and _is_house_rule(folder)
    if joins and not any(Path(one).resolve() == folder.resolve() for one in house):
        house = (*house, str(folder))
    return Ground(load(ruleset, list(house)), ruleset, house, folder, joins)


def _is_house_rule(folder: Path) -> bool:
    """Whether a folder is that of a house rule: it has rules, or folders of the data of one, and is no ruleset."""
    from warhost.packs.find import MANIFEST

    if not folder.is_dir() or (folder / MANIFEST).exists():
        return False
    return any(folder.glob("*.rules")) or any((folder / name).is_dir() for name in ("data", "armies", "scenarios"))


# -- asking -----------------------------------------------------------------------------------------


def _asks() -> bool:
    """Whether somebody is there to answer."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask(question: str, choices: tuple[str, ...] | list[str], usual: str | None, missing: str) -> str:
    """The answer of whoever sits at the terminal. Raises click.UsageError when nobody does."""
    if not _asks():
        listed = f" (one of {', '.join(choices)})" if choices else ""
        raise click.UsageError(f"say {missing}{listed}: there is no terminal to ask at")
    given = click.Choice(list(choices)) if choices else click.STRING
    return str(click.prompt(question, type=given, default=usual))


def _tell(start: Start) -> None:
    from warhost.cli import output
    from warhost.packs.user_paths import shown

    for name in start.files:
        output.say(f"wrote {shown(start.folder / name)}")
