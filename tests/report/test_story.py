"""The story of a battle: what is told, what is left out, and how it is set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from tests.report.staged import StagedBattle
from warhost_battles.story import (
    StoryLine,
    Tally,
    changes_of,
    faces_in_words,
    laid_out,
    print_story,
    roll_text,
    story_text,
    tell,
)  # fmt: skip


def told(rolls: bool = False, trace: bool = False) -> list[StoryLine]:
    staged = StagedBattle()
    tally = Tally(cast(Any, staged))
    staged.play()
    staged.show(*staged.picture["units"])
    return list(tell(staged.log, cast(Any, staged), rolls=rolls, trace=trace, tally=tally))


def test_phases_in_which_nothing_happened_are_left_out() -> None:
    assert [(x.style, x.text) for x in told()] == [
        ("turn", "Turn 1 | North: 1 unit, 10 strong | South: 1 unit, 10 strong"),
        ("phase", "Marching"),
        ("line", "Grey Coats marched."),
        ("phase", "Fighting"),
        ("line", "Grey Coats broke them."),
        ("turn", "Turn 2 | North: 1 unit, 8 strong | South: 0 units, 0 strong"),
        ("end", "North won: The other side has nobody left."),
        ("end", "North: 1 of 1 units left, 8 of 10 strong. Lost: Grey Coats 2 of 10."),
        ("end", "South: 0 of 1 units left, 0 of 10 strong. Lost: Red Caps 10 of 10."),
    ]


@pytest.mark.parametrize(
    ("rest", "lines"),
    [
        ("fled.", ["Grey Coats and Blue Coats fled."]),
        ("was holed.", ["Grey Coats was holed.", "Blue Coats was holed."]),
        ("struck its colours.", ["Grey Coats struck its colours.", "Blue Coats struck its colours."]),
    ],
)
def test_sentences_that_are_written_for_one_unit_are_not_joined(rest: str, lines: list[str]) -> None:
    staged = StagedBattle()
    staged.by_id["blue"] = SimpleNamespace(id="blue", name="Blue Coats", side=staged.sides[0], _noun="unit", size=10)
    for unit in ("grey", "blue"):
        staged.note("event", event="happened", args={"unit": unit}, text=f"{staged.by_id[unit].name} {rest}", ref=[])
    assert [x.text for x in tell(staged.log, cast(Any, staged))] == lines


def test_rolls_of_one_sort_share_a_line() -> None:
    rolls = [x.text for x in told(rolls=True) if x.style == "roll"]
    assert rolls == ["Grey Coats against Red Caps: blow at, 5 dice, 4 or less: 1 2 5 6 4 -> 3"]


@pytest.mark.parametrize(
    ("base", "changes", "value", "kept"),
    [
        (2, [("floor", 0)], 2, []),
        (0, [("floor", 0)], 0, []),
        (-1, [("floor", 0)], 0, ["floor"]),
        (3, [("add", -2), ("floor", 1)], 1, ["add"]),
        (3, [("add", -3), ("floor", 1)], 1, ["add", "floor"]),
        (3, [("set", 7), ("add", 0), ("cap", 6)], 6, ["set", "cap"]),
        (3, [("set", 6), ("cap", 6)], 6, ["set"]),
        (3, [("cap", 6), ("multiply", 2)], 6, ["multiply"]),  # limits come last, wherever they stand
        (3, [("multiply", 3), ("cap", 6)], 6, ["multiply", "cap"]),
        (3, [("multiply", 2), ("round", None), ("cap", 6)], 6, ["multiply", "round", "cap"]),  # it is not looked into
        (3, [("multiply", 2), ("cap", 9)], 6, ["multiply"]),
    ],
)
def test_limits_that_change_nothing_are_left_out(
    base: int, changes: list[tuple[str, int | None]], value: int, kept: list[str]
) -> None:
    rows = [{"op": op, "value": by, "because": ""} for op, by in changes]
    assert [row["op"] for row in changes_of({"base": base, "changes": rows, "value": value})] == kept


def staged_with(*records: dict[str, Any]) -> list[str]:
    staged = StagedBattle()
    for record in records:
        staged.note(**record)
    return [x.text for x in tell(staged.log, cast(Any, staged))]


def happening(who: str, text: str, event: str = "ran") -> dict[str, Any]:
    return {"kind": "event", "event": event, "args": {"unit": who}, "text": text}


def test_happenings_to_one_unit_twice_or_to_both_sides_are_not_put_together() -> None:
    lines = staged_with(
        happening("grey", "Grey Coats ran."), happening("grey", "Grey Coats ran."), happening("red", "Red Caps ran.")
    )  # fmt: skip
    assert lines == ["Grey Coats ran.", "Grey Coats ran.", "Red Caps ran."]


def test_an_answer_is_told_only_if_nothing_else_tells_of_it() -> None:
    answer = {"kind": "reaction", "by": "red", "reaction": "duck_down"}
    assert staged_with(answer, happening("red", "Red Caps ducked.")) == ["Red Caps ducked."]
    assert staged_with(answer, happening("grey", "Grey Coats ran.")) == ["Red Caps: duck down.", "Grey Coats ran."]


def test_a_trace_tells_how_the_need_came_about() -> None:
    traces = [x.text for x in told(trace=True) if x.style == "trace"]
    assert traces == ["skill of of Grey Coats, Red Caps: 3, +1 uphill (Hill Folk) = 4"]


def test_a_battle_told_while_it_is_played_counts_the_sides() -> None:
    staged = StagedBattle()

    def playing() -> Any:
        staged.play()
        yield from staged.log

    headings = [x.text for x in tell(playing(), cast(Any, staged)) if x.style == "turn"]
    assert headings[0] == "Turn 1 | North: 1 unit, 10 strong | South: 1 unit, 10 strong"


def test_told_afterwards_without_a_tally_the_headings_are_bare() -> None:
    staged = StagedBattle()
    staged.play()
    lines = list(tell(staged.log, cast(Any, staged)))
    assert [x.text for x in lines if x.style == "turn"] == ["Turn 1", "Turn 2"]


def test_rolls_in_words() -> None:
    battle = cast(Any, StagedBattle())
    one = {"roll": "rolls", "by": "side_1", "dice": [4], "result": 4}
    assert roll_text([one], battle) == "side 1 rolled 4"
    two = {"roll": "holds_out", "by": "grey", "dice": [3], "need": 5, "op": ">=", "result": False}
    assert roll_text([two], battle) == "Grey Coats: holds out, 1 die, 5 or more: 3 -> failed"
    three = {"roll": "duel", "by": "grey", "against": "red", "dice": [5, 2], "result": True}
    assert roll_text([three], battle) == "Grey Coats against Red Caps: duel, 2 dice: 5 2 -> won"
    assert faces_in_words([6] * 20 + [1] * 10) == "10 x 1, 20 x 6"


def test_dice_that_were_rerolled_are_told_as_they_fell_and_as_they_lie() -> None:
    battle = cast(Any, StagedBattle())
    one = {"roll": "blow", "by": "grey", "need": 4, "op": ">=", "dice": [4, 2], "result": 1}
    one["earlier"] = [[1, 2], [3, 2]]
    two = {**one, "dice": [5], "result": 1}
    del two["earlier"]
    assert roll_text([one], battle) == "Grey Coats: blow, 2 dice, 4 or more: 1 2, re-rolled 3 2, re-rolled 4 2 -> 1"
    assert roll_text([one, two], battle).endswith("3 dice, 4 or more: 1 2 5, re-rolled 3 2 5, re-rolled 4 2 5 -> 2")


def test_no_row_is_wider_than_the_page() -> None:
    lines = [StoryLine("turn", "Turn 1 | " + " | ".join(["A side with a long name: 12 units, 120 strong"] * 2))]
    lines += [StoryLine("line", "word " * 60), StoryLine("trace", "    " + "deep " * 40)]
    assert max(len(row) for _, row in laid_out(lines, 80)) <= 80


def test_plain_and_rich_print_the_same_words(capsys: Any) -> None:
    from rich.console import Console

    print_story(None, told(rolls=True))
    bare = capsys.readouterr().out
    console = Console(width=88, no_color=True, force_terminal=False)
    with console.capture() as captured:
        print_story(console, told(rolls=True))
    assert captured.get() == bare == story_text(told(rolls=True))
    assert "[" not in bare
