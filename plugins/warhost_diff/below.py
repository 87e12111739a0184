"""What the uppermost layers of a ruleset have changed of one thing: the house rules, else the edition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from warhost_diff.blocks import ReadRules, changed_block
from warhost_diff.data import changed_profiles, changed_tables
from warhost_diff.quoting import Sources
from warhost_diff.telling import change_lines
from warhost_diff.values import changed_values

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_diff.difference import ChangedThing, NumberValues


def below(rules: Ruleset) -> Ruleset | None:
    """The ruleset without its house rules; without any, the one that it extends; None when it stands by itself."""
    from warhost.packs import load

    if rules.house:
        return load(rules.folder)
    extended = [layer for layer in rules.layers if layer.kind == "ruleset" and not layer.adopted][:-1]
    return load(extended[-1].folder) if extended else None


def changed_of(rules: Ruleset, id_: str) -> ChangedThing | None:
    """What is otherwise about a block, a profile or a table than below. id_: `number stride`, `profile spears`."""
    if not _is_touched(rules, id_):
        return None
    lower = below(rules)
    if lower is None:
        return None
    return next(_changes(ReadRules(lower, Sources()), ReadRules(rules, Sources()), id_), None)


def before_and_after(rules: Ruleset, id_: str) -> tuple[str, ...]:
    """The same in lines for people."""
    change = changed_of(rules, id_)
    return tuple(change_lines(change)) if change is not None else ()


def values_before_and_after(rules: Ruleset, names: Iterable[str]) -> tuple[NumberValues, ...]:
    """What numbers, flags and values of these names were without the uppermost layers, and are with them: those of
    which lines are otherwise.
    """
    wanted = set(names)
    if rules.program is None or not _may_differ(rules, wanted):
        return ()
    lower = below(rules)
    if lower is None:
        return ()
    a, b = ReadRules(lower, Sources()), ReadRules(rules, Sources())
    return changed_values(a, b, wanted)


def _may_differ(rules: Ruleset, names: set[str]) -> bool:
    """Whether a layer above the first ruleset says anything of the numbers, or of what changes them."""
    first = next((layer.index for layer in rules.layers if layer.kind == "ruleset"), 0)
    above = {layer.index for layer in rules.layers if layer.index > first}
    if not above:
        return False
    lines = any(t.number in names and t.layer in above for t in rules.program.templates.values())
    histories = [*(one.history for one in rules.placed), *(one.history for one in rules.removed)]
    return lines or any(change.layer.index in above for history in histories for change in history)


def _changes(a: ReadRules, b: ReadRules, id_: str) -> Iterator[ChangedThing]:
    kind, _, name = id_.partition(" ")
    if id_ in b.blocks:
        change = changed_block(a, b, id_)
        if change is not None:
            yield change
    elif kind == "profile":
        yield from changed_profiles(a, b, name)
    elif kind == "table":
        yield from changed_tables(a, b, name)


def _is_touched(rules: Ruleset, id_: str) -> bool:
    """Whether anything but the first ruleset has had a hand in it; profiles take over from others, so always look."""
    first = next((layer.index for layer in rules.layers if layer.kind == "ruleset"), 0)
    if all(layer.index <= first for layer in rules.layers):
        return False
    placed = next((one for one in rules.placed if one.id == id_), None)
    return placed is None or any(change.layer.index > first for change in placed.history)
