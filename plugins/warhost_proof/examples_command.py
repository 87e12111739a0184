"""`warhost test`: a ruleset's own examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.help_examples import WithExamples
from warhost.packs.gathering import path_below

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_proof.examples import ExampleResult

#: From so many examples on, all of them failing, a file is named instead of each of them.
WHOLE_FILE = 3
#: From so many titles on it is told how to name many at once.
MANY = 8


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
    from warhost.cli.arguments import read_or_report
    from warhost.cli.superseded import in_short
    from warhost_proof.examples import houses_of, run_examples

    none: dict[str, Any] = {"examples": {"passed": 0, "failed": 0}}
    rules = read_or_report(ruleset, house, as_json, none)
    variants = {}
    if helpers := rules.example_rules:  # a mistake in them is told once, not by each example
        laid_over = (*houses_of(rules), *map(str, helpers))
        variants[laid_over] = read_or_report(str(rules.folder), laid_over, as_json, none)
    results = run_examples(rules, word, variants)
    failed = [result for result in results if not result.passed]
    if as_json:
        output.show_json(_results_as_json(results, failed))
    else:
        for result in failed:
            _show_failure(result)
        _show_inherited(rules, failed)
        _show_sum(results, failed, word, house)
        if superseded := in_short(rules, "example"):
            output.say(superseded, style="dim")
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
    from warhost_battles.telling import log_lines

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


def _show_inherited(rules: Ruleset, failed: list[ExampleResult]) -> None:
    """How to mark examples of the ruleset below as superseded, where they fail."""
    from warhost.cli import output

    inherited = [
        one for one in rules.examples if one.layer.kind == "ruleset" and one.layer.folder != rules.folder
    ]
    titles = {result.title for result in failed} & {one.title for one in inherited}
    if not titles or rules.house:
        return
    files: dict[str, list[str]] = {}
    for one in inherited:
        files.setdefault(path_below(Path(one.pos.file), one.layer.folder), []).append(one.title)
    whole = [name for name, held in files.items() if len(held) >= WHOLE_FILE and titles.issuperset(held)]
    titles -= {title for name in whole for title in files[name]}
    output.say("What this edition changes on purpose can be said in ruleset.yaml:", style="cyan")
    output.say("superseded:")
    if whole:
        output.say(f"  example_files: [{', '.join(whole)}]")
    if titles:
        output.say("  examples:")
        for result in failed:
            if result.title in titles:
                output.say(f"    - {json.dumps(result.title, ensure_ascii=False)}")
    if len(titles) >= MANY:
        output.say("Many at once: a * in a title stands for any text, example_refs: [ID] means all with a ref,")
        output.say("example_files: [NAME] all of a file.")
    output.say()


def _show_sum(
    results: list[ExampleResult], failed: list[ExampleResult], word: str | None, house: tuple[str, ...]
) -> None:
    from warhost.cli import output
    from warhost.cli.installed_names import house_rule_with

    passed = len(results) - len(failed)
    if not results:
        output.say(f'no example has "{word}" in it' if word else "this ruleset has no examples")
        if word and (hint := house_rule_with(word, house, anywhere=True)):
            output.say(hint, style="cyan")
    elif failed:
        output.say(f"{output.counted(len(failed), 'example')} failed, {passed} passed", style="red")
    else:
        output.say(f"all {output.counted(passed, 'example')} passed", style="green")
