"""`warhost rulesets`: what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, json_option
from warhost.cli.help_examples import WithExamples

if TYPE_CHECKING:
    from warhost.packs import Installed, Ruleset


@click.command(cls=WithExamples, examples=("warhost rulesets",))
@click.option("--pin", "pinning", metavar="ID@EDITION",
              help="Let the plain ID mean this edition from now on, instead of the newest.")  # fmt: skip
@click.option("--unpin", "unpinning", metavar="ID", help="Let the plain ID mean the newest edition again.")
@json_option
@common
def rulesets(pinning: str | None, unpinning: str | None, as_json: bool) -> None:
    """List the rulesets that are installed.

    Several editions of one ruleset may stand side by side: ID@EDITION means one of them, the plain ID the newest or
    the one that you have pinned.

    They are looked for in the folders of WARHOST_PATH, in your own folder, among those that come with Warhost and
    those of other packages. For each: id, edition, title, the house rules it offers, and how much there is in it.
    """
    from warhost.cli import output
    from warhost.packs import installed

    if pinning is not None or unpinning is not None:
        _choose(pinning, unpinning)
        return
    found = [_about(one) for one in installed()]
    if as_json:
        output.show_json({"rulesets": found})
    elif not found:
        output.say("No ruleset is installed. Put one into a folder and name that folder in WARHOST_PATH.")
    else:
        _show(found)


def _choose(pinning: str | None, unpinning: str | None) -> None:
    from warhost.cli import output
    from warhost_rulesets.pins import pin, unpin

    if unpinning is not None:
        there = unpin(unpinning)
        name = unpinning.partition("@")[0]
        output.say(f"{name} means the newest edition again." if there else f"{name} was not pinned.")
    if pinning is not None:
        found = pin(pinning)
        output.say(f"{found.id} means {found} from now on: {found.title}.")


def _about(one: Installed) -> dict[str, Any]:
    """What a ruleset holds; with mistakes, how many."""
    from warhost.errors import mistakes
    from warhost.packs import read
    from warhost.packs.find import editions_of

    rules, problems = read(one.folder)
    meant = editions_of(one.id)[0].folder == one.folder
    offered = [{"id": o.id, "title": o.title, "reads": o.reads} for o in rules.house_rules.values()] if rules else []
    return {
        "id": one.id, "edition": one.edition, "title": one.title, "folder": str(one.folder), "place": one.place,
        "house_rules": offered, "counts": _counts(rules) if rules else {}, "mistakes": len(mistakes(problems)),
        "plain_name": meant,
    }  # fmt: skip


def _counts(rules: Ruleset) -> dict[str, int]:
    """Units, then the definitions of each kind that the ruleset's plugins declare, by the kind's plural."""
    counts = {"units": len(rules.profiles)}
    for kind in rules.vocabulary.kinds.values():
        counts[kind.plural] = sum(placed.kind == kind.name for placed in rules.placed)
    return counts


def _show(found: list[dict[str, Any]]) -> None:
    from warhost.cli import output

    made = output.table("ruleset", "edition", "title", "what is in it", typed=("ruleset",))
    rows = []
    for one in found:
        counts = [f"{n} {what}" for what, n in one["counts"].items() if n]
        if one["mistakes"]:
            counts.append(f"{output.counted(one['mistakes'], 'mistake')} (see `warhost check {_typed(one)}`)")
        rows.append([_typed(one), one["edition"], one["title"], ", ".join(counts)])
    output.show_table(made, rows)
    for one in found:
        if one["house_rules"]:
            output.say()
            output.say(f"House rules of {_typed(one)} (--house ID):", style="bold")
            width = max(len(offer["id"]) for offer in one["house_rules"])
            for offer in one["house_rules"]:
                output.say(f"  {offer['id']:<{width}}  {offer['reads'] or offer['title']}")


def _typed(one: dict[str, Any]) -> str:
    """What to type to mean it."""
    return str(one["id"]) if one["plain_name"] else f"{one['id']}@{one['edition']}"
