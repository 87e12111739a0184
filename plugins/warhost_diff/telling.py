"""A difference for people: as plain text, and in Markdown as release notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from warhost.cli.superseded import line_by_line
from warhost_armies.wording import words

if TYPE_CHECKING:
    from warhost_diff.difference import (
        About,
        ArmyChange,
        ChangedLine,
        ChangedThing,
        Difference,
        Judged,
        NumberValues,
        Odds,
    )

_QUOTED = re.compile(r'("[^"]*")')
_BECAUSE = re.compile(r' because "([^"]*)"')
_CALLED = re.compile(r' called "[^"]*"')

MOST_CASES = 3
"""Units that are told of those for whom a number changes in the same way."""

MOST_LINES = 40
"""Lines of one change that are told before the rest is counted."""

MOST_IN_NOTES = 4
"""The same for rules in release notes, where a sentence says more."""

LONGEST_NOTE = 120
"""Characters of steps that release notes tell in one line; longer ones are only counted."""

MOST_ARMIES = 12
"""Ready armies of release notes that are told with reasons; the others by their ids."""

_IN_SENTENCES = frozenset({"procedure", "constraint", "handler", "reaction", "choice", "event"})
"""Blocks of which release notes tell the sentence, if they have one, and not the steps."""


def heading(a: About, b: About) -> str:
    """Between what, in words: `From my_game@1 to my_game@2`."""
    return f"From {a.named} to {b.named}"


def as_text(found: Difference) -> str:
    """The difference as plain text."""
    lines = [heading(found.a, found.b), *(f"  {title}: {reads}" for _, title, reads in found.b.house if reads)]
    if found.same:
        lines += ["", "Nothing differs in play.", *_odds_text(found.odds)]
        return "\n".join(lines)
    for section, changes in found.sections().items():
        lines += ["", section]
        for change in changes:
            lines += _change_text(change)
    if values := list(_values(found.values)):
        lines += ["", "What it comes to", *(f"  {line}" for line in values)]
    if found.armies:
        lines += ["", "Ready armies under the other rules"]
        lines += [f"  {said}" for army in found.armies for said in _army(army)]
    lines += _odds_text(found.odds)
    if examples := _examples(found):
        lines += ["", examples]
    if superseded := line_by_line(found.superseded):
        lines += ["", "Superseded, as the edition says", *(f"  {line}" for line in superseded)]
    return "\n".join(lines)


def as_markdown(found: Difference) -> str:
    """The difference as release notes."""
    lines = [f"# {found.b.title}: what changes", "", f"{heading(found.a, found.b)}.", ""]
    lines += [f"- **{title}**: {reads}" for _, title, reads in found.b.house if reads]
    if found.same:
        lines += ["Nothing differs in play.", ""]
    for section, changes in found.sections().items():
        lines += ["", f"## {section}", ""]
        for change in changes:
            lines += _change_markdown(change)
    if values := [value for value in found.values if value.changes]:
        lines += ["", "## What it comes to", ""]
        for value in values:
            told = list(value_lines(value))
            lines += [f"- **{words(value.name)}**", *(f"  - {line}" for line in told)]
    if found.armies:
        lines += ["", "## Ready armies under the other rules", ""]
        for army in found.armies[:MOST_ARMIES]:
            told = list(_army(army))
            lines += [f"- {told[0]}", *(f"  - {reason.strip()}" for reason in told[1:])]
        if others := found.armies[MOST_ARMIES:]:
            lines.append(f"- and {len(others)} more: {', '.join(army.id for army in others)}")
    for n, one in enumerate(found.odds):
        if n == 0 or one.moved:
            told = list(_question(one))
            lines += ["", *(["## Chances", ""] if n == 0 else []), told[0], "", *(f"- {said}" for said in told[1:])]
    if examples := _examples(found):
        lines += ["", examples]
    if superseded := line_by_line(found.superseded):
        lines += ["", "## Superseded", "", *(f"- {line}" for line in superseded)]
    return "\n".join(_without_double_blanks(lines)).rstrip()


def _without_double_blanks(lines: Iterable[str]) -> Iterator[str]:
    before = "x"
    for line in lines:
        if line or before:
            yield line
        before = line


# -- one change -------------------------------------------------------------------------------------

_WHAT = {
    "added": "is new", "removed": "is gone", "renamed": "has a new name", "changed": "changes",
    "adopted": "is in force",
}  # fmt: skip


def _said(change: ChangedThing) -> str:
    """What happens to it: `Elf spearmen and 3 more change`."""
    others = len(change.also)
    if change.what == "renamed":
        return f"is the new name of {change.was}"
    return "change" if others and change.what == "changed" else _WHAT[change.what]


def _who(change: ChangedThing) -> str:
    """It and those that change in the same way, a few by name."""
    names = [change.title, *change.also]
    if len(names) > 6:
        return f"{', '.join(names[:4])} and {len(names) - 4} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _change_text(change: ChangedThing) -> Iterator[str]:
    yield f"  {_who(change)} {_said(change)}{_by(change)}"
    yield from (f"    {said}" for said in _sentences(change))
    yield from (f"    {said}" for said in _told_lines(change))


def change_lines(change: ChangedThing) -> Iterator[str]:
    """What is otherwise about one thing, without its name: who did it, its sentence before, its lines."""
    yield f"{_WHAT[change.what]}{_by(change)}"
    if change.reads_before and change.reads_before != change.reads:
        yield f"was: {change.reads_before}"
    if change.what != "added":
        yield from _told_lines(change)


def _told_lines(change: ChangedThing) -> Iterator[str]:
    for line in change.lines[:MOST_LINES]:
        yield from _line_text(line, change)
    if len(change.lines) > MOST_LINES:
        yield f"and {len(change.lines) - MOST_LINES} more"


def _sentences(change: ChangedThing) -> Iterator[str]:
    """The sentence of a rule before and after; else what of the book it implements."""
    if change.reads_before and change.reads and change.reads_before != change.reads:
        yield f"was: {change.reads_before}"
        yield f"now: {change.reads}"
    elif change.reads or change.reads_before:
        unsaid = change.what == "changed" and not change.reads  # who replaced it has no sentence for it
        yield f"was: {change.reads_before}" if unsaid else change.reads or change.reads_before
    elif change.book:
        yield f"(rule: {'; '.join(change.book[:3])}{'; ..' if len(change.book) > 3 else ''})"


def _by(change: ChangedThing) -> str:
    """The layer that did it last, and where."""
    if not change.by:
        return ""
    last = change.by[-1]
    return f"  [{last.layer}, {last.place}]"


def _line_text(line: ChangedLine, change: ChangedThing) -> Iterator[str]:
    """A figure in one line; rules as they were and as they are, one below the other."""
    where = f"  [{line.layer}, {line.place}]" if line.place and not _told_above(line, change) else ""
    if line.label:
        yield f"{line.label}: {_figure(line)}{where}"
        return
    if line.before is not None:
        yield f"- {plain(line.before)}" + (where if line.after is None else "")
    if line.after is not None:
        yield f"+ {plain(line.after)}{where}"


def plain(rule: str) -> str:
    """A line of rules for reading: names as words, and the reason of a modifier in brackets."""
    rule = _CALLED.sub("", rule)
    rule = _BECAUSE.sub(r' (\1)', rule)
    return "".join(part if part.startswith('"') else words(part) for part in _QUOTED.split(rule))


def _figure(line: ChangedLine) -> str:
    before, after = (None if one is None else plain(one) for one in (line.before, line.after))
    if before is None:
        return f"{after} (new)"
    return f"gone (was {before})" if after is None else f"{before} -> {after}"


def _told_above(line: ChangedLine, change: ChangedThing) -> bool:
    """Whether the place is the one that stands in the heading of the change, or a line of the same block."""
    if not change.by:
        return False
    last = change.by[-1]
    same = line.layer == last.layer and not line.label
    return same or line.place == last.place or change.what in ("added", "removed")


def _change_markdown(change: ChangedThing) -> Iterator[str]:
    said = " ".join(_sentences_markdown(change))
    yield f"- **{_who(change)}** {_said(change)}.{' ' + said if said else ''}{_by_markdown(change)}"
    figures = [line for line in change.lines if line.label]
    rules = [line for line in change.lines if not line.label]
    yield from (f"  - {line.label}: {_figure(line)}" for line in figures[:MOST_LINES])
    if len(figures) > MOST_LINES:
        yield f"  - and {len(figures) - MOST_LINES} more"
    yield from _rules_markdown(change, rules)


def _rules_markdown(change: ChangedThing, lines: Sequence[ChangedLine]) -> Iterator[str]:
    """The changed lines of rules, without those that only stand further in or out. Of what is new or gone as a whole
    they are told only where no sentence says it, and long ones are only counted.
    """
    alone = change.what in ("added", "removed")
    pairs = [tuple(None if one is None else plain(one.strip()) for one in (line.before, line.after)) for line in lines]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    if change.kind == "constraint" and change.reads != change.reads_before:  # that is its sentence
        pairs = [pair for pair in pairs if not any((said or "").startswith("otherwise ") for said in pair)]
    if alone:
        said = change.reads or change.reads_before
        if said and (change.kind in _IN_SENTENCES or change.what == "removed"):
            return
        texts = [(line.after if line.after is not None else line.before) or "" for line in lines]
        if texts[1:] and all(text.startswith(" ") for text in texts[1:]) and not texts[0].startswith(" "):
            pairs = pairs[1:]  # its head says no more than its name
        steps = "; ".join(before or after or "" for before, after in pairs)
        if change.kind in _IN_SENTENCES:
            yield f"  - `{steps}`" if len(steps) <= LONGEST_NOTE else f"  - {len(pairs)} lines of rules"
            return
    for before, after in pairs[:MOST_IN_NOTES]:
        if before is None or after is None:
            yield f"  - {'' if alone else 'new: ' if before is None else 'gone: '}`{before or after}`"
        else:
            yield f"  - `{before}` -> `{after}`"
    if len(pairs) > MOST_IN_NOTES:
        yield f"  - and {len(pairs) - MOST_IN_NOTES} more"


def _sentences_markdown(change: ChangedThing) -> Iterator[str]:
    if change.reads_before and change.reads and change.reads_before != change.reads:
        yield f"Now: *{change.reads}* Before: *{change.reads_before}*"
    elif change.reads or change.reads_before:
        unsaid = change.what == "changed" and not change.reads
        yield f"{'Before: ' if unsaid else ''}*{change.reads or change.reads_before}*"
    elif change.book:
        yield f"In the book: {'; '.join(change.book[:3])}."


def _by_markdown(change: ChangedThing) -> str:
    return f" ({change.by[-1].layer}, `{change.by[-1].place}`)" if change.by else ""


# -- what numbers come to ----------------------------------------------------------------------------


def _values(values: Iterable[NumberValues]) -> Iterator[str]:
    for one in (value for value in values if value.changes or value.tried):
        yield words(one.name)
        yield from (f"  {line}" for line in value_lines(one))


def value_lines(one: NumberValues) -> Iterator[str]:
    """Who changes a number, and what it was and is for some units: a line each."""
    for by in one.told:
        yield f"{plain(by.what)}  [{by.layer}, {by.place}]"
    for change in one.changes:
        more = len(change.cases) - MOST_CASES
        yield (
            f"{change.before} -> {change.after}: {'; '.join(change.cases[:MOST_CASES])}"
            f"{f'; and {more} more' if more > 0 else ''}"
        )
    if not one.changes and one.tried:
        yield f"as before for the units looked at ({one.tried} cases)"


# -- armies, chances, examples ----------------------------------------------------------------------


def _army(army: ArmyChange) -> Iterator[str]:
    yield f"{army.name} ({army.id}): {_price(army.before, army.after)}{_verdict(army.before, army.after)}"
    new = [reason for reason in army.after.reasons if reason not in army.before.reasons]
    yield from (f"  {reason}" for reason in new)


def _price(before: Judged, after: Judged) -> str:
    told = ["no price" if one.points is None else f"{one.points} points" for one in (before, after)]
    return told[0] if told[0] == told[1] else f"{told[0]} -> {told[1]}"


def _verdict(before: Judged, after: Judged) -> str:
    if before.legal == after.legal:
        return "" if after.legal else ", illegal as before"
    return ", legal now" if after.legal else ", becomes illegal:"


def _odds(odds: Sequence[Odds]) -> Iterator[str]:
    """The first question and each in which something moves, then in one line the others."""
    for one in odds:
        if one is odds[0] or one.moved:
            yield from _question(one)
    still = [one for one in odds[1:] if not one.moved and one.compared]
    if still:
        yield f"{', '.join(f'{one.question} ({one.compared})' for one in still)}: none of these fights moves so far."


def _question(odds: Odds) -> Iterator[str]:
    """First how much was compared, then each fight that moves."""
    fights = "1 fight" if odds.compared == 1 else f"{odds.compared} fights"
    moved = f"{len(odds.moved)} of them" if odds.moved else "none of them"
    verb = "moves" if len(odds.moved) < 2 else "move"
    points = f"{odds.threshold * 100:g} points in a hundred"
    yield f"{odds.question}: {fights} compared; {moved} {verb} by more than {points}."
    for one in odds.moved:
        about = "" if one.exact else " (simulated)"
        yield (
            f"{one.attacker} against {one.defender}: {words(one.ending)} "
            f"{one.before * 100:.0f} % -> {one.after * 100:.0f} %{about}"
        )
    yield from odds.failed


def _odds_text(odds: Sequence[Odds]) -> list[str]:
    told = list(_odds(odds))
    return ["", "Chances", *(f"  {said}" for said in told)] if told else []


def _examples(found: Difference) -> str:
    counts = [f"{n} {what}" for what, n in found.examples.items() if n]
    return f"Examples: {', '.join(counts)}." if counts else ""
