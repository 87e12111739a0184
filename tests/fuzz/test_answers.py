"""Answers with anything in the place of anything: a battle takes what is legal and refuses the rest in a sentence."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.changes import ODD, TIMES
from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.errors import WarhostError
from warhost.packs import Ruleset

#: Free answers, such as places on the table, with anything among the values.
FREE = st.dictionaries(st.sampled_from(["x", "y", "facing", "files", "at", "unit"]), ODD, max_size=4)


def unplayed(rules: Ruleset, seed: int) -> Battle:
    """A battle that nobody plays."""
    armies = [Army.ready(name, rules) for name in (min(rules.armies), max(rules.armies))]
    return Battle(rules, armies, seed, players=[None, None])


@settings(max_examples=40 * TIMES, deadline=None)
@given(drawing=st.data())
def test_anything_as_an_answer(rules: Ruleset, drawing: st.DataObject) -> None:
    battle = unplayed(rules, drawing.draw(st.integers(0, 50)))
    for _ in range(40):
        decision = battle.decide()
        if decision is None:
            return
        answer: Any = drawing.draw(st.one_of(ODD, FREE, st.text(max_size=4)), label=decision.name)
        before = battle.decisions_made
        with suppress(WarhostError):
            battle.answer(answer)
            continue
        assert battle.decide() is decision, "a refused answer leaves the decision open"
        assert battle.decisions_made == before
        if decision.options:
            battle.answer(drawing.draw(st.integers(0, len(decision.options) - 1)))
        else:
            return


def test_another_thread_is_told_so(rules: Ruleset) -> None:
    battle = unplayed(rules, 1)
    battle.decide()
    said: list[str] = []

    def elsewhere() -> None:
        for act in (battle.decide, lambda: battle.answer(0)):
            try:
                act()
            except WarhostError as error:
                said.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(said) == 2
    assert all("the thread in which it began" in one for one in said)
    battle.answer(0)
    assert battle.decide() is not None
