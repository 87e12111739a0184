"""`warhost mutate`: are the examples worth something?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from warhost.packs import Ruleset
    from warhost_proof.survey import Survey


@click.command(
    cls=WithExamples,
    examples=(
        "warhost mutate {ruleset} --sample 20 --at-least 0",
        "warhost mutate {ruleset} --file rules --at-least 0",
    ),
)
@ruleset_argument
@click.option("--sample", type=click.IntRange(1), metavar="N", help="Try only so many, drawn by chance.")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="What the sample is drawn by.")
@click.option("--rule", metavar="ID", help="Only lines that carry this rule of the book.")
@click.option("--file", metavar="WORD", help="Only files with this word in their path.")
@click.option("--data", is_flag=True, help="The figures of profiles and tables instead of the rules.")
@click.option("--thorough", is_flag=True, help="Also parts of conditions, one at a time.")
@click.option(
    "--workers", type=click.IntRange(1, 256), default=None, metavar="N",
    help="Processes (default: one for each processor).",
)
@click.option(
    "--at-least", type=click.FloatRange(0, 100), default=95.0, show_default=True, metavar="PERCENT",
    help="Exit code 1 if fewer are noticed.",
)  # fmt: skip
@click.option(
    "--format", "form", type=click.Choice(["text", "md"]), default="text", show_default=True,
    help="Text, or a part of a page in Markdown.",
)  # fmt: skip
@house_option
@json_option
@common
def mutate(
    ruleset: str, sample: int | None, seed: int, rule: str | None, file: str | None, data: bool, thorough: bool,
    workers: int | None, at_least: float, form: str, house: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Find out what the examples do not notice.

    Changes one line of the rules at a time (takes it out, changes its sign, a figure, a comparison, the sense of a
    condition) and runs the examples that come to it until one fails. A change that no example notices is a rule that
    could be lost or wrong, and nobody would know: it is listed with its place and the rules of the book that the line
    carries. Texts and ratings of options are left alone. A run that is interrupted goes on where it stopped.
    """
    from warhost.cli.arguments import read_or_report
    from warhost_proof.survey import mutate as survey_of
    from warhost_proof.survey import usual_workers

    rules = read_or_report(ruleset, house, as_json, {})
    survey = survey_of(
        rules, sample=sample, seed=seed, rule=rule, file=file, data=data, thorough=thorough,
        workers=workers or usual_workers(), told=progress(as_json),
    )  # fmt: skip
    good = survey.share * 100 >= at_least
    if as_json:
        from warhost.cli import output

        output.show_json({"ok": good, **_as_json(rules, survey)})
    elif form == "md":
        click.echo(harmless("\n".join(_page(rules, survey, sample, seed))))
    else:
        _show(survey, good, at_least)
    raise SystemExit(0 if good else 1)


def progress(as_json: bool) -> Callable[[str, int, int], None] | None:
    """Tells on the error stream how far it is, where somebody looks at it."""
    import sys

    if as_json or not sys.stderr.isatty():
        return None

    def told(what: str, done: int, of: int) -> None:
        end = "\n" if done == of else ""
        sys.stderr.write(f"\r{what}: {done} of {of}{end}")
        sys.stderr.flush()

    return told


def _rows(survey: Survey) -> Iterator[dict[str, Any]]:
    from warhost_proof.survey import texts_of

    survivors = sorted(survey.survivors, key=lambda v: (v.mutant.file, v.mutant.line, v.mutant.column))
    for verdict, text in zip(survivors, texts_of(v.mutant for v in survivors), strict=True):
        m = verdict.mutant
        yield {
            "file": m.file, "line": m.line, "column": m.column, "text": text, "change": m.change, "refs": list(m.refs),
            "reached_by": verdict.reached, "called_by_examples_only": m.sort == "unreached",
        }  # fmt: skip


def _as_json(rules: Ruleset, survey: Survey) -> dict[str, Any]:
    low, high = survey.interval
    return {
        "ruleset": {
            "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
        },
        "mutants": len(survey.verdicts), "population": survey.population, "equivalent": len(survey.equivalent),
        "killed": survey.killed, "share": round(survey.share, 4), "interval": [round(low, 4), round(high, 4)],
        "survivors": list(_rows(survey)),
        "stale": [{"file": file, "text": text} for file, text in survey.stale],
    }  # fmt: skip


def _page(rules: Ruleset, survey: Survey, sample: int | None, seed: int) -> Iterator[str]:
    """How many changes were noticed, file by file, for the page of `coverage --format md`."""
    low, high = survey.interval
    drawn = f" --sample {sample} --seed {seed}" if sample is not None else ""
    total = f"{survey.killed} of {len(survey.verdicts)} changes are noticed by an example: {survey.share:.1%}"
    sure = f" (95 % interval {low:.1%} to {high:.1%}; there are {survey.population})" if low != high else ""
    made = f"Made by `warhost mutate {rules.id}{drawn} --format md`."
    yield from ("## Changes to the rules that the examples notice", "", made, "")
    yield f"{total}{sure}. Left out as changing nothing: {len(survey.equivalent)} (`equivalent.yaml`)."
    yield from ("", "| file | changes | noticed |", "|---|---:|---:|")
    by_file: dict[str, list[bool]] = {}
    for verdict in survey.verdicts:
        by_file.setdefault(_within(verdict.mutant.file, rules), []).append(verdict.noticed_by is not None)
    for file, noticed in sorted(by_file.items()):
        yield f"| {file} | {len(noticed)} | {sum(noticed)} |"


def _within(file: str, rules: Ruleset) -> str:
    """A file as it is called within its ruleset."""
    return file.rsplit(f"{rules.folder.name}/", 1)[-1]


def _show(survey: Survey, good: bool, at_least: float) -> None:
    from warhost.cli import output

    for row in _rows(survey):
        refs = f"  [{', '.join(row['refs'])}]" if row["refs"] else ""
        examples = output.counted(row["reached_by"], "example") if row["reached_by"] else "no example"
        output.say(f"{row['file']}:{row['line']}:{row['column']}: {row['change']} (reached by {examples}){refs}")
        output.say(f"    {row['text']}", style="dim")
    low, high = survey.interval
    sampled = f" (of {survey.population}; 95 % interval {low:.1%} to {high:.1%})" if low != high else ""
    output.say(
        f"{survey.killed} of {len(survey.verdicts)} changes noticed: {survey.share:.1%}{sampled}"
        + ("" if good else f"; at least {at_least:g} % are wanted"),
        style="green" if good else "red",
    )
    if survey.equivalent:
        output.say(f"left out as changing nothing, by equivalent.yaml: {len(survey.equivalent)}", style="dim")
    for file, text in survey.stale:
        output.say(f"equivalent.yaml speaks of a line that {file} does not have: {text}", style="yellow")
