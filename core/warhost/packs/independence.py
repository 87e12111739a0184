"""Whether what has changed in a ruleset is anything to a house rule, or to the ready armies, that were in order before.

The answer is no only where nothing of the one can meet anything of the other: no name that stands in both, no word of
which the one changes what it means and that the other says, no call that leads from the one to the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.errors import nearest
from warhost.lang import tree
from warhost.lang.nodes import words_in, words_of
from warhost.packs.contents import RulesData

if TYPE_CHECKING:
    from warhost.lang.incremental import Changed, Difference, IncrementalCheck

_DATA = ("profiles", "abstract_profiles", "tables", "lists", "abstract_lists", "scenarios", "armies")

#: Blocks that speak of every army that is mustered.
_OF_ARMIES = frozenset({"ConstraintBlock", "NounBlock", "StateBlock", "ProfileBlock", "PhraseBlock", "KindBlock"})


@dataclass(frozen=True, slots=True)
class Step:
    """From one ruleset in order to another: in what the rules differ, and every word of the data that differ."""

    rules: Difference
    data: frozenset[str]

    @property
    def changed(self) -> Changed:
        """The words that mean something else."""
        return self.rules.changed

    @property
    def said(self) -> frozenset[str]:
        """Every word of what differs."""
        return self.rules.said | self.data


def step(check: IncrementalCheck, now: RulesData) -> Step | None:
    """The step that the last look has made; None if nobody knows from where. now: the data since."""
    if check.difference is None or not isinstance(check.before, RulesData):
        return None
    return Step(check.difference, differing_words(check.before, now))


def differing_words(before: RulesData, now: RulesData) -> frozenset[str]:
    """Every word of the elements of data that are new, gone or say something else."""
    found: list[str] = []
    if before is not now:
        for what in _DATA:
            one, other = getattr(before, what), getattr(now, what)
            for id_ in {*one, *other} if one is not other else ():
                texts = _saying(one.get(id_)), _saying(other.get(id_))
                if texts[0] != texts[1]:
                    found += [id_, *map(repr, texts)]
    return words_of(" ".join(found))


def _saying(element: Any) -> Any:
    """What an element of data says, wherever it stands."""
    if element is None:
        return None
    if hasattr(element, "cells"):
        return element.by, dict(element.cells), element.otherwise, element.rows
    if hasattr(element, "fields"):
        bears = {plural: [str(one) for one in some] for plural, some in element.bears.items()}
        return element.name, element.abstract, element.fields, bears, element.lineage, element.ref
    return element.data


def are_apart(base: Step, above: Step, check: IncrementalCheck) -> bool:
    """Whether nothing that has changed in a ruleset meets anything of what a house rule changes over it.

    base: what has changed below since the house rule was in order; above: what the house rule changed then. check: of
    the ruleset as it is now.
    """
    if base.changed.words is None or above.changed.words is None:
        return False
    if (base.data and (above.data or above.changed.data_too)) or (above.data and base.changed.data_too):
        return False
    if base.changed.concerns(above.said, above.rules.unsure) or above.changed.concerns(base.said, base.rules.unsure):
        return False
    names = (*check.names(), *base.rules.names, *above.rules.names)
    if _both_say(base.said, above.said, names) or _are_near(base, above):
        return False
    if not (base.rules.texts.isdisjoint(above.said) and above.rules.texts.isdisjoint(base.said)):
        return False
    both = base.changed.words and above.changed.words
    if both and any(base.changed.concerns(w) and above.changed.concerns(w) for _, w in check.words_of_blocks()):
        return False
    return above.rules.names.isdisjoint(_reached(base.rules.names, check.asked_by()))


def armies_are_apart(base: Step, check: IncrementalCheck) -> bool:
    """Whether nothing that has changed is asked when an army is held against its list and the constraints."""
    if base.data or base.changed.words is None or not _OF_ARMIES.isdisjoint(base.rules.sorts):
        return False
    named: dict[str, frozenset[str]] = {}
    others: list[frozenset[str]] = []
    spoken = {"points"}
    for block, said in check.words_of_blocks():
        name = getattr(block, "name", None)
        if type(block).__name__ in _OF_ARMIES:
            spoken |= words_in(block.cost) if isinstance(block, tree.KindBlock) else said
        elif name is not None:
            named[name] = named.get(name, frozenset()) | said
        if isinstance(block, tree.KindBlock) or name is None:
            others.append(said)  # a line in it may change a number
    while True:
        spoken = _reached(spoken, named)
        asked = spoken & named.keys()
        more = [said for said in others if not asked.isdisjoint(said)]
        if not more:
            return base.rules.said.isdisjoint(asked) and not base.changed.concerns(frozenset(spoken))
        others = [said for said in others if asked.isdisjoint(said)]
        spoken |= frozenset().union(*more)


def _both_say(one: frozenset[str], other: frozenset[str], names: Iterable[str]) -> bool:
    """Whether both say the same name: a word, or a title of several."""
    both = one & other
    return any(name in both or (not name.isidentifier() and words_of(name) <= both) for name in names)


def _are_near(base: Step, above: Step) -> bool:
    """Whether a name that one of them brings would make a misspelt one of a word of the other."""
    pairs = (base.rules.names, above.rules.unsure), (above.rules.names, base.rules.unsure)
    return any(nearest(one, names) is not None for names, unsure in pairs if names for one in unsure)


def _reached(begin: Iterable[str], leads_to: Mapping[str, Iterable[str]]) -> set[str]:
    """Some names, and all to which they lead."""
    found: set[str] = set()
    waiting = list(begin)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += [next_ for next_ in leads_to.get(one, ()) if next_ not in found]
    return found
