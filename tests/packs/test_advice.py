"""Advice to computer players, written apart from the rules and laid over them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.packs.test_layers import blocks, in_force, stacked
from warhost.packs.advising import choices, label_of

RULES = """
procedure act(unit)
    choose prey from units by unit
    if prey is none
        stop
    choose by unit
        shoot: continue
        wait
            choose by unit
                "sit down": continue
                shoot
    for each unit where it.size > 1 as other
        choose spot from 1 to 6 by unit
reaction "Duck down" to shot(unit) by units as one
    say "ducks"
choice goal(unit) by unit: units
"""


def figure(node: Any) -> Any:
    return None if node.rated is None else node.rated.value


def ratings(text: str, *layers: str) -> list[tuple[str, Any]]:
    """(label, figure) of each choice in force, in the order of the text."""
    merged = in_force(stacked(text, *layers))
    found = [node for block in merged.values() for node in choices(block)]
    return [(str(label_of(n)), figure(n)) for n in found]


def told(*texts: str) -> list[tuple[str, str, int]]:
    return [(p.code, p.message, p.line) for p in stacked(*texts).problems]


def test_advice_is_what_rated_beside_the_choice_would_be() -> None:
    advice = """
advise procedure act
    prey rated 1
    "sit down" rated 2
    spot rated 3
    wait rated 4
advise reaction "Duck down"
    "Duck down" rated 5
advise choice goal
    goal rated 6
"""
    expected = [
        ("prey", 1), ("shoot", None), ("wait", 4), ("sit down", 2), ("shoot", None), ("spot", 3),
        ("Duck down", 5), ("goal", 6),
    ]  # fmt: skip
    assert ratings(RULES + advice) == expected
    assert ratings(advice + RULES) == expected, "the order of the files does not matter"
    assert ratings(RULES, advice) == expected, "a house rule may give it as well"


@pytest.mark.parametrize(("lines", "figures"), [(["7"], [7, 7]), (["7", "8"], [7, 8])])
def test_a_label_that_stands_twice_is_rated_once_or_in_order(lines: list[str], figures: list[int]) -> None:
    advice = "advise procedure act\n" + "".join(f"    shoot rated {n}\n" for n in lines)
    assert [n for label, n in ratings(RULES + advice) if label == "shoot"] == figures


def test_a_higher_layer_rates_anew_and_a_new_block_begins_without() -> None:
    first, second = "advise procedure act\n    prey rated 1\n", "advise procedure act\n    prey rated 2\n"
    assert ratings(RULES + first, second)[0] == ("prey", 2)
    anew = "replace procedure act(unit)\n    choose prey from units by unit\n"
    assert ratings(RULES + first, anew)[0] == ("prey", None)
    assert ratings(RULES + first, anew + second)[0] == ("prey", 2)


@pytest.mark.parametrize(
    ("advice", "code", "message", "line"),
    [
        ("advise procedure a\n    prey rated 1\n", "unknown-name", "there is no procedure a that could be advised", 1),
        ("advise procedure act\n    pray rated 1\n", "unknown-name", 'in procedure act nobody chooses "pray"', 2),
        (
            "advise procedure act\n    shoot rated 1\n    shoot rated 2\n    shoot rated 3\n",
            "wrong-number", '"shoot" is rated 3 times, and stands 2 times in procedure act', 4,
        ),
        (
            "advise procedure act\n    prey rated 1\n\nadvise procedure act\n    prey rated 2\n",
            "defined-twice", '"prey" of procedure act is rated already', 5,
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_advice_is_told_at_its_line(advice: str, code: str, message: str, line: int) -> None:
    assert told(RULES, advice) == [(code, message, line)]


def test_a_block_without_choices_takes_no_advice() -> None:
    wanted = ("unknown-name", "in number reach nobody chooses anything", 2)
    assert told("number reach(unit) = 2\n", "advise number reach\n    prey rated 1\n") == [wanted]


def test_what_the_layer_rates_beside_the_choice_is_not_rated_again() -> None:
    rated = "procedure act(unit)\n    choose prey from units by unit rated 1\n"
    problems = stacked(rated + "advise procedure act\n    prey rated 2\n").problems
    assert [p.code for p in problems] == ["defined-twice"]
    assert ratings(rated, "advise procedure act\n    prey rated 2\n")[0] == ("prey", 2)


@given(st.permutations([0, 1, 2, 3, 4]), st.integers(0, 31))
def test_only_what_is_named_changes(order: list[int], chosen: int) -> None:
    labels = ["prey", "shoot", "wait", '"sit down"', "spot"]
    named = [labels[i] for i in order if chosen >> i & 1]
    advice = "advise procedure act\n" + "".join(f"    {label} rated {i + 1}\n" for i, label in enumerate(named))
    wanted = {label.strip('"'): i + 1 for i, label in enumerate(named)}
    before, after = blocks(RULES)[0], in_force(stacked(RULES, advice) if named else stacked(RULES))["procedure act"]
    assert [(label_of(n), figure(n)) for n in choices(after)] == [
        (label_of(n), wanted.get(str(label_of(n)))) for n in choices(before)
    ]
    if not named:
        assert after == before
