"""`warhost coverage`: what of the printed book is played, what is proved, what is only claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import common, house_option, json_option, ruleset_argument
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from warhost.packs import Ruleset
    from warhost_proof.grades import Coverage
    from warhost_proof.record import PlayRecord

#: The grades as people read them.
SHOWN = {
    "played": "played", "proved": "proved", "by_example_only": "by example only",
    "house_rule_only": "house rule only", "called_by_examples_only": "called by examples only",
    "provisional": "provisional", "ruled_out": "ruled out", "missing": "missing",
}  # fmt: skip


@click.command(cls=WithExamples, examples=("warhost coverage {ruleset}", "warhost coverage {ruleset} --format md"))
@ruleset_argument
@click.option("--record", is_flag=True, help="Play battles and try the examples anew, and keep what they came to.")
@click.option(
    "--battles",
    type=click.IntRange(1),
    metavar="N",
    help="With --record: how many (default: each army and scenario at least twice).",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="With --record: that of the first battle."
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    metavar="N",
    help="With --record: processes.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "md"]),
    default="text",
    show_default=True,
    help="Text, or a page in Markdown.",
)
@house_option
@json_option
@common
def coverage(
    ruleset: str, record: bool, battles: int | None, seed: int, workers: int, form: str, house: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Compare the printed book with what is played and proved.

    For every rule of the index (rulebook.yaml): played, if recorded battles between the ready armies came to what
    carries its id; proved, if an example that names it fails once all that is taken out; by example only, if no battle
    came to it; house rule only; called by examples only; provisional, if its figures are not the book's; ruled out,
    with the reason; or missing. The record stands beside the ruleset (played.json); --record makes it anew. Exit code 1
    if any rule is missing or called by examples only.
    """
    from warhost.cli import output
    from warhost.cli.arguments import read_or_report
    from warhost_proof.grades import coverage as coverage_of
    from warhost_proof.record import read_record

    rules = read_or_report(ruleset, house, as_json, {"rules": {"total": 0, **{grade: [] for grade in SHOWN}}})
    kept = _recorded(rules, battles, seed, workers, as_json) if record else read_record(rules)
    found = coverage_of(rules, kept)
    if as_json:
        output.show_json({"ok": found.ok, "errors": [], "rules": found.to_json(), **_more(found)})
    elif form == "md":
        click.echo(harmless("\n".join(_page(rules, found))))
    else:
        _show(rules, found)
    raise SystemExit(0 if found.ok else 1)


def _recorded(rules: Ruleset, battles: int | None, seed: int, workers: int, as_json: bool) -> PlayRecord:
    """Play, prove, and keep the record beside the ruleset."""
    from warhost.cli import output
    from warhost_proof.grades import proofs
    from warhost_proof.mutate_command import progress
    from warhost_proof.record import FILE, fixtures, record_of, write_record

    wanted = fixtures(rules, battles or max(len(rules.armies), 2 * len(rules.scenarios)), seed)
    told = progress(as_json)
    made = record_of(rules, wanted, workers, told)
    made.proved = proofs(rules, told)
    for fault in made.failed:
        output.say(f"a battle went wrong: {fault}", style="red", err=True)
    write_record(made, rules.folder / FILE)
    return made


def _more(found: Coverage) -> dict[str, object]:
    """What the object of a program's output has besides the contract."""
    return {
        "battles": found.battles, "record_is_current": found.current, "orphans": list(found.orphans),
        "profiles": {"of_the_book": found.rows[0], "provisional": found.rows[1]},
        "reasons": dict(_reasons(found)),
    }  # fmt: skip


def _reasons(found: Coverage) -> Iterator[tuple[str, str]]:
    """Why a rule is not played or not proved, as its ruleset says it."""
    for id_, one in found.rules.items():
        whys = [one.rule.ruled_out, one.rule.not_played if not one.played else None]
        whys.append(one.rule.not_proved if not one.proved_by else None)
        if not any(whys) and one.rule.worked and not one.carriers:
            whys.append("a worked example of the book, which an example repeats")
        if said := "; ".join(why for why in whys if why):
            yield id_, said


# -- tables ----------------------------------------------------------------------------------------


def _chapters(found: Coverage) -> Iterator[list[object]]:
    by_chapter: dict[str, list[str]] = {}
    for id_, one in found.rules.items():
        by_chapter.setdefault(one.rule.chapter, []).append(id_)
    for chapter, ids in by_chapter.items():
        yield _row(chapter or "-", ids, found)
    yield _row("all", list(found.rules), found)


def _row(name: str, ids: Iterable[str], found: Coverage) -> list[object]:
    some = [found.rules[id_] for id_ in ids]
    counts = [len(some), *(sum(grade in one.grades for one in some) for grade in SHOWN)]
    return [name, *(n or "" for n in counts)]


def _show(rules: Ruleset, found: Coverage) -> None:
    from warhost.cli import output

    if not found.rules:
        output.say(f"{rules.id} has no index of its book (rulebook.yaml), so there is nothing to compare with")
        return
    figures = ("rules", *SHOWN.values())
    output.show_table(output.table("chapter", *figures, right=figures), list(_chapters(found)))
    output.say()
    output.say(_about_record(rules, found), style="dim" if found.current else "yellow")
    output.say(_about_rows(found), style="dim")
    for title, lines in _lists(found):
        output.say(f"{title} ({len(lines)}):", style="yellow")
        for line in lines:
            output.say(f"  {line}")


def _about_record(rules: Ruleset, found: Coverage) -> str:
    again = f"`warhost coverage {rules.called} --record` plays them"
    if not found.battles:
        return f"no battles are recorded; {again}"
    if found.current:
        return f"played: in {found.battles} recorded battles of this very ruleset"
    if found.battles_of:
        files = "files that changed since, and what this edition adds, do not count"
        return f"played: in {found.battles} recorded battles of {found.battles_of}, which this one extends; {files}"
    return (
        f"the {found.battles} recorded battles are of another version; files that changed do not count; {again} again"
    )


def _about_rows(found: Coverage) -> str:
    ours = f", {found.rows[1]} provisional (figures of ours)" if found.rows[1] else ""
    return f"profiles: {found.rows[0]} of the book{ours}"


def _lists(found: Coverage) -> Iterator[tuple[str, list[str]]]:
    reasons = dict(_reasons(found))

    def lines(ids: Iterable[str]) -> list[str]:
        return [_line(id_, found, reasons) for id_ in ids]

    groups = {
        "missing": found.of_grade("missing"),
        "called by examples only": found.of_grade("called_by_examples_only"),
        "not played": found.of_grade("by_example_only"),
        "not proved": [
            id_ for id_, one in found.rules.items()
            if not one.proved_by and one.grade not in ("missing", "ruled_out")
        ],
        "under a house rule only": found.of_grade("house_rule_only"),
        "provisional": found.of_grade("provisional"),
        "ruled out": found.of_grade("ruled_out"),
        "ruled out, and implemented all the same": found.contradictory,
    }  # fmt: skip
    for title, ids in groups.items():
        if ids:
            yield title, lines(ids)
    if found.orphans:
        yield "blocks that no rule calls", list(found.orphans)


def _line(id_: str, found: Coverage, reasons: dict[str, str]) -> str:
    one = found.rules[id_]
    why = reasons.get(id_)
    if why is None and one.missed and not one.played:
        why = f"no battle came to {', '.join(c.title for c in one.missed[:3])}"
    return f"{id_}  {one.rule.title}" + (f": {why}" if why else "")


def _page(rules: Ruleset, found: Coverage) -> Iterator[str]:
    """The same as Markdown."""
    figures = ("rules", *SHOWN.values())
    yield f"# What of the book is played and proved: {rules.title}"
    yield ""
    name = f"{rules.id}@{rules.edition}" if found.battles_of else rules.id
    yield f"Made by `warhost coverage {name} --format md`. {_about_record(rules, found)}; {_about_rows(found)}."
    yield ""
    yield f"| chapter | {' | '.join(figures)} |"
    yield f"| --- |{' ---: |' * len(figures)}"
    for row in _chapters(found):
        yield f"| {' | '.join(str(cell) for cell in row)} |"
    for title, lines in _lists(found):
        yield ""
        yield f"## {title.capitalize()} ({len(lines)})"
        yield ""
        for line in lines:
            yield f"- {line}"
