"""A ruleset that was read, and makes no sense as a whole: its data, its scenarios, its house rules together."""

from __future__ import annotations

from collections.abc import Iterator

from warhost.errors import Problem
from warhost.packs.checks import RulesetToCheck
from warhost_sense import (
    afterwards,
    boards,
    borne_twice,
    data,
    declared,
    endings,
    idle,
    list_words,
    places,
    scenarios,
    unborne,
    unread_fields,
    uses,
    zones,
)
from warhost_sense.contradictions import contradictions, rated_twice, within_a_layer


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """Everything that is found beside the rules themselves."""
    layers = {file.label: source.layer for source in read.sources for file, _, _ in source.files}
    yield from within_a_layer(read.merged.placed, lambda pos: layers.get(pos.file))
    if sum(source.layer.kind == "house" for source in read.sources) > 1:
        yield from contradictions(read.merged.placed, read.merged.removed, lambda pos: layers.get(pos.file))
        yield from rated_twice(read.sources)
    yield from afterwards.problems_in(read)
    yield from data.problems_in(read)
    if read.contents is not None:
        if not read.contents.data_in_order:
            yield from idle.problems_in(read)
        yield from scenarios.problems_in(read.contents.data.scenarios.values())
        yield from boards.problems_in(read.contents)
        yield from places.problems_in(read.contents, read.texts, read.remembered)
        functions = read.contents.plugins.vocabulary()[0].functions
        given = zones.GivenInRules(read.merged.placed, read.remembered)
        if "rules" not in read.contents.references.known.blind:
            yield from zones.problems_in(read.contents, given, functions)
        if read.contents.program is not None:  # else what is missed may stand in what could not be read
            yield from zones.unmade(given, functions)
            yield from places.in_rules(read.contents, read.merged.placed, functions, read.remembered)
            yield from uses.problems_in(read)
            if read.contents.data.armies:  # before there are any a ruleset is only begun, and much is still to be used
                yield from uses.of_nobody(read)
                yield from unborne.problems_in(read)
                yield from unread_fields.problems_in(read)
            yield from endings.problems_in(read)
            yield from endings.too_late(read)
            lists = (*read.contents.data.lists.values(), *read.contents.data.abstract_lists.values())
            yield from list_words.problems_in(lists, read.contents.program)
            yield from declared.problems_in(read.contents, read.contents.program)
        if not read.contents.data_in_order:
            yield from borne_twice.problems_in(read.contents.data, list(read.contents.references.by_plural))
