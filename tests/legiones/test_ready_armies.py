"""The ready armies carry everything: each variant has one, every attribute, spell and army rule a bearer."""

from __future__ import annotations

from collections import defaultdict

import pytest

from warhost.armies.legality import mustered
from warhost.armies.roster import Army
from warhost.packs import Ruleset, load


@pytest.fixture(scope="module")
def rules() -> Ruleset:
    return load("legiones")


def test_every_variant_has_a_ready_army(rules: Ruleset) -> None:
    fielded = {Army.ready(id_, rules).list for id_ in rules.armies}
    assert sorted(rules.lists) == sorted(fielded)


def test_every_attribute_spell_and_army_rule_has_a_bearer(rules: Ruleset) -> None:
    borne: dict[str, set[str]] = defaultdict(set)
    for id_ in rules.armies:
        side = mustered(Army.ready(id_, rules), rules).battle.sides[0]
        for effect in (*side.effects, *(e for unit in side.units for e in unit.effects)):
            borne[effect.kind].add(effect.name)
    innate = {name.removeprefix("Innate ") for name in borne["trait"] if name.startswith("Innate ")}
    there = {kind: borne[kind] | (innate if kind == "spell" else set()) for kind in ("trait", "spell", "army_rule")}
    for kind, names in there.items():
        declared = {d.title for d in rules.program.definitions.values() if d.kind == kind}
        assert declared - names == set(), kind
