"""`warhost check`: is the content right?"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost.errors import Problem
    from warhost.packs import Ruleset
    from warhost.packs.readings import Readings


#: Seconds between two looks at the files.
LOOKS_EVERY = 0.3


@click.command(
    cls=WithExamples, examples=("warhost check {ruleset}", "warhost check {folder} --json")
)
@ruleset_argument
@house_option
@click.option("--watch", is_flag=True, help="Look again whenever a file is saved, until Ctrl-C.")
@json_option
@common
def check(ruleset: str, house: tuple[str, ...], watch: bool, as_json: bool) -> None:
    """Check a ruleset and report every mistake at once.

    Reads every file, checks data against their schemas, rules against their types and every name against what
    it names, then each house rule on offer, and the ready armies against the army lists (with --house only these
    house rules are looked at, and ready armies, which they may forbid, are left alone).
    Each mistake is shown as file:line:column with the line and, where possible, a hint; so is, as a warning, what can
    be played and is most likely not meant. Exit code 1 if there is any mistake; warnings do not count.

    With --watch only the files themselves are looked at again, not house rules that are not chosen, nor ready armies.
    """
    from warhost.engine.collecting import without_collecting

    if watch:
        if as_json:
            raise click.UsageError("--watch goes on until it is stopped: --json has one answer")
        _watch(ruleset, house)
    with without_collecting():
        sound = _checked_once(ruleset, house, as_json)
        gc.freeze()  # the program ends: nobody need look at what it holds
    raise SystemExit(0 if sound else 1)


def _checked_once(ruleset: str, house: tuple[str, ...], as_json: bool) -> bool:
    """Check, tell what is wrong, and keep what was found; whether nothing was wrong."""
    from warhost import tools
    from warhost.cli import output
    from warhost.errors import mistakes
    from warhost.packs.readings import Readings

    readings = Readings(ruleset, house)
    rules, problems, counts = _everything(readings)
    wrong = mistakes(problems)
    if as_json:
        warnings = [p.to_json() for p in problems if p.is_warning]
        errors = [p.to_json() for p in wrong]
        output.show_json({"ok": not wrong, "errors": errors, "warnings": warnings, **_about(rules, counts)})
    else:
        _show(ruleset, rules, problems, counts)
    told = {p.message for p in problems}  # a plugin in whose place a tool stopped is told where it is named
    for sentence in (one for one in tools.broken() if one not in told):
        output.say(sentence, style="yellow", err=True)
    if not wrong:
        sys.stdout.flush()
        readings.keep()
    return not wrong


def _everything(readings: Readings) -> tuple[Ruleset | None, list[Problem], dict[str, int] | None]:
    """The ruleset, all that is wrong with it and beside it, and how much there is of it, if somebody has counted."""
    from warhost.errors import mistakes
    from warhost_rulesets.checked_before import CheckVerdict, keep_verdict, verdict_before, verdict_key

    house = readings.house
    rules, problems = readings.read()
    sound = rules is not None and all(p.file in rules.example_files for p in mistakes(problems))
    key = verdict_key(rules) if rules is not None and sound and not house else None
    verdict = verdict_before(key) if key is not None else None
    if verdict is not None:
        problems += verdict.warnings
    elif rules is not None and sound:
        beside = [p for p in wrong_beside(rules, readings) if p not in problems]
        own = [p for p in mistakes(beside) if p.file.endswith(".rules") and Path(p.file).parent.name == "examples"]
        if own:  # what these would declare is missed in the examples
            problems = [p for p in problems if not p.code.startswith("unknown-")]
            beside = [p for p in beside if p.file not in rules.example_files]
        beside = [*_of_lists_and_armies(rules, readings), *beside]
        problems += beside
        if not mistakes(problems) and not house:
            verdict = CheckVerdict(beside, _counts(rules))
            if key is not None:
                keep_verdict(key, verdict)
    if rules is not None and not mistakes(problems) and house:
        from warhost_rulesets.ready_armies import ready_armies_under_house_rules

        problems += ready_armies_under_house_rules(rules)
    return rules, problems, verdict.counts if verdict is not None else None


def _of_lists_and_armies(rules: Ruleset, readings: Readings) -> list[Problem]:
    """What is wrong with prices that army lists say, and with ready armies; the latter are left alone where house rules
    are chosen.
    """
    from warhost_rulesets.listed_prices import listed_prices
    from warhost_rulesets.ready_armies import ready_armies

    if readings.house:
        return listed_prices(rules, [one for one in rules.lists.values() if one.layer.kind == "house"])
    if readings.armies_in_order:
        return []
    found = [*ready_armies(rules), *listed_prices(rules, rules.lists.values())]
    if not found:
        readings.armies_are_in_order()
    return found


def _show(
    ruleset: str, rules: Ruleset | None, problems: list[Problem], counts: dict[str, int] | None = None
) -> None:
    """What is wrong and how much, or what is in order."""
    from warhost.cli import output
    from warhost.cli.superseded import in_short
    from warhost.errors import mistakes

    output.show_problems(problems)
    wrong = len(mistakes(problems))
    warned = f", {output.counted(len(problems) - wrong, 'warning')}" if len(problems) > wrong else ""
    if wrong:
        output.say(f"{ruleset}: {output.counted(wrong, 'mistake')}{warned}", style="red")
    elif rules is not None:
        said = _in_order(rules, counts or _counts(rules))
        output.say(said.removesuffix(".") + f"{warned}.", style="yellow" if warned else "green")
        if left_out := in_short(rules):
            output.say(left_out, style="dim")
        for sentence in _in_several_folders(rules):
            output.say(sentence, style="yellow")


def _in_several_folders(rules: Ruleset) -> Iterator[str]:
    """Which of several folders of one id and edition, side by side, is meant by `extends`."""
    from warhost.packs.find import installed

    for layer in (one for one in rules.layers[:-1] if one.kind == "ruleset" and one.folder != rules.folder):
        place = layer.folder.resolve().parent
        alike = [one.folder.name for one in installed([place]) if str(one) == layer.id and one.folder.parent == place]
        others = [name for name in dict.fromkeys(alike) if name != layer.folder.name]
        if others and layer.folder.name in alike:
            meant = f"{layer.folder.name} is meant, not {', '.join(others)}"
            yield f"{layer.id} is in several folders of {place.name}: {meant}."


def _watch(ruleset: str, house: tuple[str, ...]) -> NoReturn:
    """Check whenever a file has changed; ends with the program."""
    from warhost.cli import output
    from warhost.packs.project import Project

    project = Project(ruleset, house)
    seen: object = None
    while True:
        now = project.on_disk()
        if now == seen:
            time.sleep(LOOKS_EVERY)
            continue
        problems = project.problems()
        seen = project.on_disk() if seen is None else now  # where its files lie is known once they were read
        _show(ruleset, project.ruleset, problems)
        output.say()
        sys.stdout.flush()
        project.prepare()


def wrong_beside(rules: Ruleset, readings: Readings) -> list[Problem]:
    """What is wrong with rules for the examples, each file by itself with the house rules that are laid over the
    ruleset; without any also with each house rule that it offers.
    """
    found: list[Problem] = []
    for one in (*(() if readings.house else rules.house_rules), *map(str, rules.example_rules)):
        if readings.in_order_above(one):
            continue
        new = [p for p in readings.read([one])[1] if p not in found]
        offer = rules.house_rules.get(one)
        if new and offer is not None and not offer.path.is_relative_to(rules.folder):
            way_out = f"superseded: {{house_rules: [{one}]}}"
            last = new[-1]
            hint = f"leave it out of this edition, in ruleset.yaml: {way_out}"
            new[-1] = replace(last, hint=f"{last.hint}; or {hint}" if last.hint else hint)
        found += new
    return found


def _about(rules: Ruleset | None, counts: dict[str, int] | None) -> dict[str, Any]:
    if rules is None:
        return {}
    about = {
        "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
    }  # fmt: skip
    return {"ruleset": about, "counts": counts or _counts(rules)}


def _counts(rules: Ruleset) -> dict[str, int]:
    return {
        "blocks": len(rules.placed), "profiles": len(rules.profiles), "tables": len(rules.tables),
        "lists": len(rules.lists), "armies": len(rules.armies), "scenarios": len(rules.scenarios),
        "examples": len(rules.examples), "house_rules": len(rules.house_rules),
    }  # fmt: skip


def _in_order(rules: Ruleset, c: dict[str, int]) -> str:
    from warhost.cli.output import counted

    parts = [
        counted(c["blocks"], "block"), counted(c["profiles"], "profile"), counted(c["tables"], "table"),
        counted(c["armies"], "ready army", "ready armies"), counted(c["scenarios"], "scenario"),
        counted(c["examples"], "example"),
    ]  # fmt: skip
    played = f" with {', '.join(rules.house)}" if rules.house else ""
    return f"{rules.id}@{rules.edition}{played} is in order: {', '.join(parts)}."
