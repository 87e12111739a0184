"""`warhost explain`: what a name means in a ruleset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from warhost.cli.arguments import common, house_option, json_option, load, ruleset_argument
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_explain.explaining import Explanation, Influence, Match

MOST = 12
"""Lines of a list that are shown before the rest is counted."""


@click.command(
    cls=WithExamples,
    examples=(
        "warhost explain {ruleset} {rule}", "warhost explain {ruleset} {army}",
        "warhost explain {ruleset} --list rolls", "warhost explain {ruleset} --search the",
    ),
)  # fmt: skip
@ruleset_argument
@click.argument("name", nargs=-1, metavar="[NAME]")
@click.option("--search", "word", metavar="WORD", help="Everything with this word in its name or its sentence.")
@click.option("--list", "what", metavar="KIND",
              help="All of a kind (numbers, rolls, events, phases, traits, ..), and how to change one.")  # fmt: skip
@click.option("--all", "whole", is_flag=True, help="Every line of long lists (who uses it, examples, ..).")
@house_option
@json_option
@common
def explain(
    ruleset: str, name: tuple[str, ...], word: str | None, what: str | None, whole: bool, house: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Explain one rule, number, unit or term.

    NAME is anything in the rules that has a name: a rule of the book by its id, a number, flag, roll, step or
    event, a definition or profile, a table, a characteristic, a word. Shown are its sentence, its figures, what
    changes it and what it changes, where it stands, which layer has changed it, and the examples that show it.
    If a name has several meanings they are listed; put the kind before the name to choose one.

    --search finds names by a word, --list has them by kind.
    """
    from warhost.cli import output
    from warhost.errors import UsageError
    from warhost_diff.below import before_and_after, values_before_and_after
    from warhost_diff.telling import value_lines
    from warhost_explain.explaining import exact, matches, near
    from warhost_explain.explaining import explain as explained

    if sum(map(bool, (name, word, what))) != 1:
        raise click.UsageError("say a NAME, --search WORD or --list KIND")
    rules = load(ruleset, house)
    if word is not None or what is not None:
        _show_found(rules, word, what, as_json)
        return
    wanted = " ".join(name)
    found = matches(rules, wanted)
    if not found:
        raise UsageError(_unknown(wanted, near(rules, wanted), rules))
    chosen = found[0] if len(found) == 1 else exact(found, wanted)
    if chosen is None:
        _show_matches(found, wanted, rules, as_json)
        return
    explanation = explained(rules, chosen)
    upper = f"with {', '.join(rules.house)}" if rules.house else f"in {rules.id}@{rules.edition}"
    if changed := before_and_after(rules, chosen.id):
        explanation = replace(explanation, parts={**explanation.parts, f"before and after, {upper}": changed})
    values = values_before_and_after(rules, _numbers(explanation))
    for one in values:
        heading = f"{one.name} before and after, {upper}"
        explanation = replace(explanation, parts={**explanation.parts, heading: tuple(value_lines(one))})
    others = [m for m in found if m.id != chosen.id]
    if as_json:
        about = {"id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house)}
        more = {"also": [m.to_json() for m in others], "values": [one.to_json() for one in values], "ruleset": about}
        output.show_json({**explanation.to_json(), **more})
        return
    _show(explanation, rules, whole)
    if others:
        output.say()
        output.say(f"Also called so: {', '.join(m.id for m in others)}", style="dim")


def _numbers(explanation: Explanation) -> list[str]:
    """The number that is explained, or those that it changes."""
    if explanation.kind in ("number", "flag", "value"):
        return [explanation.name]
    return list(dict.fromkeys(one.number for one in explanation.modifies))


def _unknown(wanted: str, like: Sequence[Match], rules: Ruleset) -> str:
    if not like:
        return f'nothing in {rules.id} is called "{wanted}"'
    return f'nothing in {rules.id} is called "{wanted}"; near it are: {", ".join(m.id for m in like)}'


def _show_matches(found: Sequence[Match], wanted: str, rules: Ruleset, as_json: bool) -> None:
    from warhost.cli import output

    if as_json:
        output.show_json({"matches": [m.to_json() for m in found]})
        return
    output.say(f'"{wanted}" has {len(found)} meanings in {rules.id}:')
    for match in found:
        output.say(f"  {match.id}: {match.reads}" if match.reads else f"  {match.id}")
    output.say(f"One of them: warhost explain {rules.called} {found[0].id}", style="dim")


def _show_found(rules: Ruleset, word: str | None, what: str | None, as_json: bool) -> None:
    """What a word is found in, or all of a kind with what house rules may do with them."""
    from warhost.cli import output
    from warhost_explain.explaining import at
    from warhost_explain.listing import listed, nearest_words, search

    found = search(rules, word) if word is not None else listed(rules, what or "")
    if as_json:
        rows = [{**one.match.to_json(), "signature": one.signature, "changes": one.changes} for one in found.rows]
        output.show_json({"matches": rows, "amend": found.amend})
        return
    if not found.rows:
        output.say(f'nothing in {rules.id} has "{word}" in its name or its sentence')
        if near := nearest_words(rules, word or ""):
            output.say(f"there are: {', '.join(near)}")
        return
    kind = part = ""
    for one in found.rows:
        if one.part != part:
            part = one.part
            output.say(part, style="bold")
        if one.match.kind != kind and word is not None:
            kind = one.match.kind
            output.say(kind, style="bold")
        changed = f" ({output.counted(one.changes, 'change')})" if one.changes else ""
        said = f": {one.match.reads}" if one.match.reads else ""
        where = f"  [{at(one.match.pos, rules)}]" if one.match.pos.line else ""
        output.say(f"  {one.signature}{said}{changed}{where}")
    if found.amend:
        output.say()
        output.say(found.amend, style="dim")


# -- showing one --------------------------------------------------------------------------------


def _show(e: Explanation, rules: Ruleset, whole: bool) -> None:
    from warhost.cli import output
    from warhost_explain.explaining import at

    def list_out(heading: str, lines: Sequence[str], most: int = MOST) -> None:
        _show_list(heading, lines, len(lines) if whole else most)

    output.say(f"{e.name} ({e.kind})", style="bold")
    if e.signature and e.signature != e.name:
        output.say(f"  {e.signature}", style="cyan")
    output.say(f"  {e.reads}")
    list_out("rules of the book", [_rule(*one) for one in e.rules])
    _figures(e)
    list_out("changed by", [_change(one, one.origin, rules) for one in e.modified_by], most=60)
    list_out("changes", [_change(one, one.number, rules) for one in e.modifies], most=60)
    for heading, lines in e.parts.items():
        list_out(heading, lines, most=40)
    list_out("used by", e.used_by)
    list_out("examples", [f"{title} ({at(pos, rules)})" for title, pos in e.examples], most=6)
    _where(e, rules)
    if e.source:
        output.say()
        output.say("\n".join(f"    {line}" for line in e.source.split("\n")), style="dim")


def _rule(id_: str, chapter: str, title: str) -> str:
    where = f", {chapter}" if chapter else ""
    return f"{id_}{where}: {title}" if title else id_


def _change(one: Influence, of: str, rules: Ruleset) -> str:
    from warhost_explain.explaining import at

    parts = [f"{of}: {one.change()}" if one.op != "yes" and one.op != "no" else f"{of}: {one.op}"]
    if one.when:
        parts.append(f"when {one.when}")
    if one.because:
        parts.append(f"({one.because})")
    return f"{' '.join(parts)}  [{one.layer}, {at(one.pos, rules)}]"


def _figures(e: Explanation) -> None:
    from warhost.cli import output
    from warhost_explain.explaining import shown

    if not e.figures:
        return
    output.say()
    width = max(len(name) for name in e.figures)
    for name, value in e.figures.items():
        output.say(f"  {name:<{width}}  {shown(value)}")


def _show_list(heading: str, lines: Sequence[str], most: int) -> None:
    from warhost.cli import output

    if not lines:
        return
    output.say()
    output.say(f"  {heading}", style="bold")
    for line in lines[:most]:
        output.say(f"    {line}")
    if len(lines) > most:
        output.say(f"    and {len(lines) - most} more (--all shows them)")


def _where(e: Explanation, rules: Ruleset) -> None:
    """Where it is defined, and what higher layers have done to it."""
    from warhost.cli import output
    from warhost_explain.explaining import at

    if not e.pos.line:
        return
    output.say()
    layer = f" ({e.layer})" if e.layer else ""
    output.say(f"  defined in {at(e.pos, rules)}{layer}")
    if len(e.history) > 1:
        for layer_id, what, pos in e.history:
            output.say(f"    {what} by {layer_id}, {at(pos, rules)}")
