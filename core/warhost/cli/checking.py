"""`warhost check`, `warhost test` and `warhost coverage`: is the content right?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.showing_help import WithExamples

if TYPE_CHECKING:
    from warhost.engine.examples import ExampleResult
    from warhost.errors import Problem
    from warhost.packs import Coverage, Ruleset


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

    rules, problems = read(ruleset, list(house))
    if rules is not None and not problems and not house:
        problems = illegal_armies(rules) + wrong_house_rules(rules, ruleset)
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
    from warhost.armies.legality import ready_armies

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
    came instead, and how every number on the way was reckoned. Exit code 1 if any fails.
    """
    from warhost.cli import output
    from warhost.engine.examples import run_examples

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


# -- coverage -----------------------------------------------------------------------------------


@click.command(cls=WithExamples, examples=("warhost coverage {ruleset}",))
@ruleset_argument
@house_option
@json_option
@common
def coverage(ruleset: str, house: tuple[str, ...], as_json: bool) -> None:
    """Compare the rules with the index of the printed book.

    For each chapter: how many of its rules are carried out, how many an example exercises, how many are ruled
    out with a reason, and which are missing. Exit code 1 if any is missing.
    """
    from warhost.cli import output
    from warhost.packs import coverage as coverage_of

    none = {"total": 0, "implemented": 0, "exercised": 0, "ruled_out": 0, "missing": []}
    rules = read_or_report(ruleset, house, as_json, {"rules": none})
    found = coverage_of(rules)
    missing = found.of_state("missing")
    if as_json:
        unexercised = _unexercised(found)
        output.show_json(
            {"ok": not missing, "errors": [], "rules": {**found.to_json(), "unexercised": unexercised}}
        )
    else:
        _show_coverage(rules, found)
    raise SystemExit(1 if missing else 0)


def _unexercised(found: Coverage) -> list[str]:
    """The ids that are carried out but that no example names."""
    return [id_ for id_, one in found.rules.items() if one.state == "implemented" and not one.examples]


def _show_coverage(rules: Ruleset, found: Coverage) -> None:
    from warhost.cli import output

    if not found.rules:
        output.say(f"{rules.id} has no index of its book (rulebook.yaml), so there is nothing to compare with")
        return
    figures = ("rules", "implemented", "exercised", "ruled out", "missing")
    made = output.table("chapter", *figures, right=figures)
    output.show_table(made, [*_chapters(found), _row("all", list(found.rules), found)])
    output.say()
    _show_list("missing", found.of_state("missing"), found, "red")
    _show_list("carried out, but no example shows it", _unexercised(found), found, "yellow")
    _show_list("ruled out, and carried out all the same", found.contradictory, found, "yellow")
    _show_ruled_out(found)


def _chapters(found: Coverage) -> list[list[object]]:
    by_chapter: dict[str, list[str]] = {}
    for id_, one in found.rules.items():
        by_chapter.setdefault(one.rule.chapter, []).append(id_)
    return [_row(chapter or "-", ids, found) for chapter, ids in by_chapter.items()]


def _row(name: str, ids: list[str], found: Coverage) -> list[object]:
    some = [found.rules[id_] for id_ in ids]
    states = [one.state for one in some]
    exercised = sum(bool(one.examples) for one in some)
    counts = [len(some), states.count("implemented"), exercised, states.count("ruled out"), states.count("missing")]
    return [name, *(n or "" for n in counts)]


def _show_list(what: str, ids: list[str], found: Coverage, style: str) -> None:
    from warhost.cli import output

    if not ids:
        return
    output.say(f"{what} ({len(ids)}):", style=style)
    for id_ in ids:
        output.say(f"  {id_}  {found.rules[id_].rule.title}")


def _show_ruled_out(found: Coverage) -> None:
    from warhost.cli import output

    ids = found.of_state("ruled out")
    if ids:
        output.say(f"ruled out ({len(ids)}):", style="dim")
    for id_ in ids:
        rule = found.rules[id_].rule
        output.say(f"  {id_}  {rule.title}: {rule.ruled_out}", style="dim")
