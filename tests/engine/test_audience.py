"""Things that only some know, in any rules: what records tell to whom, and what is chosen blindly."""

from __future__ import annotations

from typing import Any

import pytest

from lang.workbench import battle, compute, run, said, unit
from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.errors import RuleFault, UsageError
from warhost_battles.views import seen_by, seen_picture, view_of

BOTH = pytest.mark.parametrize("trace", [False, True], ids=["compiled", "traced"])

RULES = """
profile of unit
    depth: number = 3
state of unit
    seen: number = 0
event sighted(unit, others: list of unit)
    says "Something stirs: {unit}, with {others}, {unit.depth} deep."
event heard(unit)
    says "{unit} was heard, {loudness(unit)|# time|# times}; {unit.name}."
number loudness(unit) = 2
flag knows_it(unit, side) = known_to(unit, side)
procedure sight(unit, others: list of unit)
    emit sighted(unit, others)
procedure hear(unit)
    emit heard(unit)
procedure dive(unit, side)
    keep_secret(unit, side)
procedure vanish(unit)
    keep_secret(unit)
procedure tell(unit, side)
    show_to(unit, side)
procedure rise(unit)
    reveal unit
procedure whisper(unit)
    say "{unit} waits."
procedure shout(unit)
    say "{unit} rolled {unit rolls d6}."
procedure stab(side)
    choose prey from units by side
    if prey is not none
        prey.seen += 1
procedure bet(side)
    choose bid from 1 to 9 by side secretly
"""


def deep(trace: bool = False, **more: Any) -> Battle:
    return battle(RULES, [unit("u"), unit("w")], [unit("v")], trace=trace, **more)


def texts(on: Battle, side: int) -> list[Any]:
    return [r.get("text") for r in view_of(on.log, on.sides[side])]


@BOTH
def test_a_hidden_thing_is_named_only_to_those_who_know_it(trace: bool) -> None:
    on = deep(trace)
    red, blue = on.sides
    run(on, "dive", "u", red)
    run(on, "dive", "w", red)
    run(on, "whisper", "u")
    run(on, "hear", "u")
    assert texts(on, 0)[0] == "u waits."
    assert texts(on, 1)[0] == "a hidden unit waits."
    assert texts(on, 1)[1] == "a hidden unit was heard, 2 times; a hidden unit."
    assert [r["text"] for r in on.log] == texts(on, 0)
    assert [compute(on, "knows_it", "u", side) for side in (red, blue)] == [True, False]


@BOTH
def test_a_sentence_that_reads_a_hidden_thing_is_told_without_it(trace: bool) -> None:
    on = deep(trace)
    run(on, "dive", "u", on.sides[0])
    run(on, "sight", "u", [on.entity("v"), on.entity("w")])
    (record,) = view_of(on.log, on.sides[1])
    assert "text" not in record
    assert record["args"] == {"unit": "(hidden)", "others": ["v", "w"]}
    assert on.log[0]["text"] == "Something stirs: u, with v, w, 3 deep."
    run(on, "sight", "v", [on.entity("u"), on.entity("v")])
    assert texts(on, 1)[1] == "Something stirs: v, with a hidden unit, v, 3 deep."
    run(on, "vanish", "w")
    run(on, "sight", "v", [on.entity("u"), on.entity("w"), on.entity("v")])
    assert texts(on, 1)[2] == "Something stirs: v, with 2 hidden units, v, 3 deep."


def test_a_thing_hidden_from_all_is_told_to_nobody_and_shown_to_one_then_to_all() -> None:
    on = deep()
    red, blue = on.sides
    run(on, "vanish", "u")
    assert [on.knows(s, on.entity("u")) for s in on.sides] == [False, False]
    run(on, "tell", "u", blue)
    assert [on.knows(s, on.entity("u")) for s in on.sides] == [False, True]
    run(on, "rise", "u")
    assert on.hidden == {}
    assert [r["what"] for s in (red, blue) for r in view_of(on.log, s)] == ["u", "u"]


@BOTH
def test_what_takes_steps_inside_a_sentence_takes_them_once(trace: bool) -> None:
    on = deep(trace, dice=[4])
    run(on, "dive", "u", on.sides[0])
    run(on, "shout", "u")
    assert said(on) == ["u rolled 4."]
    assert texts(on, 1)[-1] == "a hidden unit rolled 4."
    assert on.dice.thrown == 1


def test_who_chooses_among_things_that_he_does_not_know_chooses_blindly() -> None:
    on = deep(answers={"prey": "hidden unit 2"})
    run(on, "dive", "u", on.sides[1])
    run(on, "dive", "w", on.sides[1])
    run(on, "stab", on.sides[0])
    assert [on.entity(x).seen for x in "uwv"] == [0, 1, 0]
    assert on.log[-1]["answer"] == "hidden unit 2"
    guess = deep(answers={"prey": "w"})
    run(guess, "dive", "w", guess.sides[1])
    with pytest.raises(UsageError, match="hidden unit 2"):
        run(guess, "stab", guess.sides[0])


def test_a_secret_answer_is_read_by_whoever_gave_it() -> None:
    on = deep(answers={"bid": 4})
    run(on, "bet", on.sides[0])
    (record,) = on.log
    mine = seen_by(record, on.sides[0])
    assert mine is not None
    assert (record["answer"], mine["answer"], seen_by(record, on.sides[1])) == ("(secret)", "4", None)


def test_what_is_known_is_part_of_the_state() -> None:
    on = deep()
    before = on.state_hash()
    moment = Checkpoint(on)
    run(on, "dive", "u", on.sides[0])
    hidden = on.state_hash()
    assert hidden != before
    run(on, "rise", "u")
    assert on.state_hash() == before
    run(on, "dive", "u", on.sides[0])
    later = Checkpoint(on)
    moment.restore()
    assert (on.hidden, on.state_hash()) == ({}, before)
    later.restore()
    assert on.state_hash() == hidden
    assert later.key() == Checkpoint(on).key() != moment.key()


def test_hidden_things_are_left_out_of_pictures() -> None:
    on = deep()
    run(on, "dive", "u", on.sides[0])
    drawn = {"width": 4, "units": [{"id": "u"}, {"id": "v", "with": [{"id": "u"}, {"id": "w"}]}]}
    assert seen_picture(on, drawn, on.sides[0]) == drawn
    assert seen_picture(on, drawn, on.sides[1]) == {"width": 4, "units": [{"id": "v", "with": [{"id": "w"}]}]}


def test_a_side_cannot_be_hidden() -> None:
    on = deep()
    with pytest.raises(RuleFault, match="cannot be hidden"):
        on.hide(on.sides[0])


def test_where_nothing_is_hidden_nothing_is_added_to_the_log() -> None:
    on = deep()
    run(on, "whisper", "u")
    assert on.log == [{"n": 0, "turn": 0, "phase": "", "kind": "say", "text": "u waits."}]
