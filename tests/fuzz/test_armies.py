"""Armies with anything in the place of anything: the library raises its own errors only."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.changes import TIMES, broken
from warhost.armies.legality import check
from warhost.armies.roster import Army
from warhost.errors import WarhostError
from warhost.packs import Ruleset
from warhost.packs.entries import to_plain


@settings(max_examples=300 * TIMES, deadline=None)
@given(drawing=st.data())
def test_anything_in_an_army(rules: Ruleset, drawing: st.DataObject) -> None:
    name = drawing.draw(st.sampled_from(sorted(rules.armies)), label="army")
    data: Any = broken(to_plain(rules.armies[name].data), drawing)
    with suppress(WarhostError):
        check(Army.from_data(data, rules), rules)
