"""What house rules say that they come after: themselves, or a misspelt name.

House rules that are not on offer may be meant, which nothing here knows: a name that is like no known one is let be.
"""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem, is_misspelt, nearest
from warhost.lang.place import Pos
from warhost.lang.tree import HouseRule
from warhost.packs.checks import LayerRead, RulesetToCheck
from warhost.packs.yaml_source import Map, Seq, maps, problem_at


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """Each `after` that settles nothing, at its line."""
    houses = [source for source in read.sources if source.layer.kind == "house"]
    if not any(source.layer.after for source in houses):
        return
    everywhere = {name for source in read.sources for name in _names(source)}
    if read.contents is not None:
        everywhere |= {name for source in read.contents.offered.values() for name in _names(source)}
        offers = [offers for one in read.contents.manifests if isinstance(offers := one.get("house_rules"), Map)]
        everywhere |= {str(offer.get("title")) for one in offers for offer in maps(list(one.values()))}
        everywhere |= {str(id_) for one in offers for id_ in one}
    for source in houses:
        own = _names(source)
        several = len(list(_headings(source))) > 1  # which name one another in one folder
        known = everywhere - own
        for name, pos in _said(source):
            if name in own:
                if several:
                    continue
                message = f'"{name}" is this house rule itself: it comes after no other by that'
                yield problem_at(pos, "never", message, "name the house rule that it comes after, or take it away")
            elif name not in known and is_misspelt(name, known):
                message = f'there is no house rule "{name}" to come after'
                yield problem_at(pos, "never", message, f'did you mean: after "{nearest(name, known)}"?')


def _names(source: LayerRead) -> set[str]:
    """What a layer may be called: its id and its titles."""
    return {source.layer.id, source.layer.title, *(heading.title for heading in _headings(source))}


def _headings(source: LayerRead) -> Iterator[HouseRule]:
    modules = (parsed.module for parsed in source.rules())
    return (block for one in modules if one is not None for block in one.blocks if isinstance(block, HouseRule))


def _said(source: LayerRead) -> Iterator[tuple[str, Pos]]:
    """The names that a house rule gives behind `after`, each with its place."""
    for heading in _headings(source):
        yield from ((name, heading.pos) for name in heading.after)
    for _, parsed in source.data("house"):
        given = parsed.data.get("after") if isinstance(parsed.data, Map) else None
        if isinstance(given, Seq):
            yield from ((str(name), given.pos(i)) for i, name in enumerate(given))
