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
    the one that you have pinned. An edition that is opt-in is meant only when it is named or pinned.

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
        "plain_name": meant, "opt_in": one.opt_in,
        "adopts": list(rules.manifest.get("adopts") or ()) if rules else [],
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
        if one["opt_in"]:
            counts.append("opt-in")
        rows.append([_typed(one), one["edition"], one["title"], ", ".join(counts)])
    output.show_table(made, rows)
    told: dict[str, dict[str, Any]] = {}
    for one in found:
        below = told.setdefault(one["id"], one)
        known = below["house_rules"] if below is not one else []
        new = [offer for offer in one["house_rules"] if offer not in known]
        shared = f"those of {_typed(below)}" if len(new) < len(one["house_rules"]) else ""
        gone = [str(offer["id"]) for offer in known if offer not in one["house_rules"]]
        if shared and gone:
            shared += f" without {', '.join(f'{id_} (part of it)' if id_ in one['adopts'] else id_ for id_ in gone)}"
        if new or shared:
            output.say()
            head = f"House rules of {_typed(one)} (--house ID):"
            output.say(f"{head} {shared}{', and' if shared and new else ''}".rstrip(), style="bold")
        width = max((len(offer["id"]) for offer in new), default=0)
        for offer in new:
            output.say(f"  {offer['id']:<{width}}  {offer['reads'] or offer['title']}")


def _typed(one: dict[str, Any]) -> str:
    """What to type to mean it."""
    return str(one["id"]) if one["plain_name"] else f"{one['id']}@{one['edition']}"
