"""`warhost check` and `warhost test`: is the content right?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.showing_help import WithExamples

if TYPE_CHECKING:
    from warhost.errors import Problem
    from warhost.packs import Ruleset
    from warhost.records.examples import ExampleResult


def read_or_report(ruleset: str, house: tuple[str, ...], as_json: bool, more: dict[str, Any]) -> Ruleset:
    """The ruleset, if it is valid; else its problems are shown and the program ends with 1."""
    from warhost.cli import output
    from warhost.packs import read

    rules, problems = read(ruleset, list(house))
    if rules is None or problems:
        if as_json:
            output.show_json({"ok": False, "errors": [p.to_json() for p in problems], **more})
        else:
            output.show_problems(problems, err=True)
            output.say(f"{ruleset}: {output.counted(len(problems), 'mistake')}", style="red", err=True)
        raise SystemExit(1)
    return rules


# -- check --------------------------------------------------------------------------------------


@click.command(
    cls=WithExamples, examples=("warhost check {ruleset}", "warhost check {folder} --json")
)
@ruleset_argument
@house_option
@json_option
@common
def check(ruleset: str, house: tuple[str, ...], as_json: bool) -> None:
    """Check a ruleset and report every mistake at once.

    Reads every file, checks data against their schemas, rules against their types and every name against what
    it names, then each house rule on offer, and the ready armies against the army lists (with --house only these
    house rules are looked at, and ready armies, which they may forbid, are left alone).
    Each mistake is shown as file:line:column with the line and, where possible, a hint.
    Exit code 1 if there is any.
    """
    from warhost.cli import output
    from warhost.packs import read
    from warhost.packs.verdicts import is_in_order, keep_in_order

    rules, problems = read(ruleset, list(house))
    if rules is not None and not problems and not house and not is_in_order(rules):
        problems = illegal_armies(rules) + wrong_house_rules(rules, ruleset)
        if not problems:
            keep_in_order(rules)
    if as_json:
        output.show_json({"ok": not problems, "errors": [p.to_json() for p in problems], **_about(rules)})
    elif problems:
        output.show_problems(problems)
        output.say(f"{ruleset}: {output.counted(len(problems), 'mistake')}", style="red")
    elif rules is not None:
        output.say(_in_order(rules), style="green")
    raise SystemExit(1 if problems else 0)


def wrong_house_rules(rules: Ruleset, ruleset: str) -> list[Problem]:
    """What is wrong with each house rule that the ruleset offers, laid over it alone."""
    from warhost.packs import read

    found: list[Problem] = []
    for offer in rules.house_rules:
        found.extend(p for p in read(ruleset, [offer])[1] if p not in found)
    return found


def illegal_armies(rules: Ruleset) -> list[Problem]:
    """What is illegal about the ready armies, each at its place."""
    from warhost.armies.ready import ready_armies

    return ready_armies(rules)


def _about(rules: Ruleset | None) -> dict[str, Any]:
    if rules is None:
        return {}
    about = {
        "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
    }  # fmt: skip
    return {"ruleset": about, "counts": _counts(rules)}


def _counts(rules: Ruleset) -> dict[str, int]:
    return {
        "blocks": len(rules.placed), "profiles": len(rules.profiles), "tables": len(rules.tables),
        "lists": len(rules.lists), "armies": len(rules.armies), "scenarios": len(rules.scenarios),
        "examples": len(rules.examples), "house_rules": len(rules.house_rules),
    }  # fmt: skip


def _in_order(rules: Ruleset) -> str:
    from warhost.cli.output import counted

    c = _counts(rules)
    parts = [
        counted(c["blocks"], "block"), counted(c["profiles"], "profile"), counted(c["tables"], "table"),
        counted(c["armies"], "ready army", "ready armies"), counted(c["scenarios"], "scenario"),
        counted(c["examples"], "example"),
    ]  # fmt: skip
    played = f" with {', '.join(rules.house)}" if rules.house else ""
    return f"{rules.id}@{rules.edition}{played} is in order: {', '.join(parts)}."


# -- test ---------------------------------------------------------------------------------------


@click.command(
    cls=WithExamples, examples=("warhost test {ruleset}", "warhost test {ruleset} -k moving")
)
@ruleset_argument
@click.option("-k", "word", metavar="WORD", help="Only examples with this word in title, ref or file.")
@house_option
@json_option
@common
def test(ruleset: str, word: str | None, house: tuple[str, ...], as_json: bool) -> None:
    """Run a ruleset's own examples.

    An example is a situation with given dice and what must come of it. A failure shows what was expected, what
    came instead, and how every number on the way was computed. Exit code 1 if any fails.
    """
    from warhost.cli import output
    from warhost.records.examples import run_examples

    none: dict[str, Any] = {"examples": {"passed": 0, "failed": 0}}
    rules = read_or_report(ruleset, house, as_json, none)
    results = run_examples(rules, word)
    failed = [result for result in results if not result.passed]
    if as_json:
        output.show_json(_results_as_json(results, failed))
    else:
        for result in failed:
            _show_failure(result)
        _show_sum(results, failed, word)
    raise SystemExit(1 if failed else 0)


def _results_as_json(results: list[ExampleResult], failed: list[ExampleResult]) -> dict[str, Any]:
    errors = [
        {
            "file": result.file, "line": result.line, "column": 1, "code": "example-failed",
            "message": f"{result.title}: {failure}", "hint": None,
        }
        for result in failed
        for failure in result.failures
    ]  # fmt: skip
    return {
        "ok": not failed,
        "errors": errors,
        "examples": {"passed": len(results) - len(failed), "failed": len(failed)},
        "failures": [
            {"title": r.title, "file": r.file, "line": r.line, "failures": list(r.failures), "log": list(r.log)}
            for r in failed
        ],
    }


def _show_failure(result: ExampleResult) -> None:
    from warhost.cli import output
    from warhost.cli.telling import log_lines

    output.say(f"{result.file}:{result.line}: {result.title}", style="bold red")
    for failure in result.failures:
        output.say(_indented(failure, 4))
    lines = log_lines(result.log)
    if lines:
        output.say("    what happened:", style="dim")
        for line in lines:
            output.say(f"      {line}", style="dim")
    output.say()


def _indented(text: str, by: int) -> str:
    return "\n".join(" " * by + line for line in str(text).split("\n"))


def _show_sum(results: list[ExampleResult], failed: list[ExampleResult], word: str | None) -> None:
    from warhost.cli import output

    passed = len(results) - len(failed)
    if not results:
        output.say(f'no example has "{word}" in it' if word else "this ruleset has no examples")
    elif failed:
        output.say(f"{output.counted(len(failed), 'example')} failed, {passed} passed", style="red")
    else:
        output.say(f"all {output.counted(passed, 'example')} passed", style="green")
