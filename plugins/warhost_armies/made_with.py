"""With which edition an army was made, and what to say when it meets another."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from warhost.errors import UsageError, WarhostError

if TYPE_CHECKING:
    from warhost.armies.roster import Army
    from warhost.packs import Ruleset

DIGITS = 12
"""Hexadecimal digits of a digest that an army file is stamped with."""


def other_edition(army: Army, rules: Ruleset) -> str:
    """A sentence when an army says that it was made with other rules than these; "" when it was not, or does not say.

    What these rules make of it instead, price and reasons, is part of it where the others are installed.
    """
    named, digest = str(army.data.get("ruleset") or ""), str(army.data.get("digest") or "")
    id_, _, edition = named.partition("@")
    if id_ == rules.id and edition and edition != rules.edition:
        here = f"{rules.id}@{rules.edition}"
        told = f"{army.name} was made with {named}; these are the rules of {here}"
        return f"{told}{_instead(army, named, rules)} (what has changed: warhost diff {named} {here})."
    then = [Path(str(one)).stem for one in army.data.get("house_rules", ())]
    as_made = then == [Path(one).stem for one in rules.house]
    if digest and as_made and not rules.digest.startswith(digest):
        told = f"{army.name} was made with other files of {rules.id}@{rules.edition}"
        return f"{told}: digest {digest[:DIGITS]}, here {rules.digest[:DIGITS]}."
    return ""


def _instead(army: Army, named: str, rules: Ruleset) -> str:
    """What it cost there and costs here, where that is not the same."""
    from warhost.armies.legality import check, mustered
    from warhost.armies.roster import Army as ArmyThere
    from warhost.packs import load

    try:
        before = load(named, list(rules.house))
        as_made = ArmyThere.from_data(army.data, before, army.file)
        costs = [mustered(one, r).points for one, r in ((as_made, before), (army, rules))]
        legal = [not check(one, r) for one, r in ((as_made, before), (army, rules))]
    except WarhostError:
        return ""
    told = f", where it costs {costs[1]} points instead of {costs[0]}" if costs[0] != costs[1] else ""
    if legal[0] != legal[1]:
        told += f"{' and' if told else ', where it'} is {'legal' if legal[1] else 'illegal'}"
    return told


_TOP = re.compile(r"^(?P<key>\w+):.*$", re.MULTILINE)


def stamp(path: Path, rules: Ruleset) -> None:
    """Write into an army file with which edition and digest it was made. Raises UsageError when that cannot be."""
    from warhost.output_safety import write_whole

    text = path.read_text(encoding="utf-8")
    for key, value in (("digest", rules.digest[:DIGITS]), ("ruleset", f"{rules.id}@{rules.edition}")):
        line = f'{key}: "{value}"' if key == "digest" else f"{key}: {value}"
        places = {found["key"]: found for found in _TOP.finditer(text)}
        if key in places:
            text = text[: places[key].start()] + line + text[places[key].end() :]
        elif "id" in places:
            text = text[: places["id"].end()] + f"\n{line}" + text[places["id"].end() :]
        else:
            raise UsageError(f"{path} has no `id:` on a line of its own")
    write_whole(path, text.encode(), "the army", lambda head: True, True)
