"""Trials that fall: for all rows of a kind together or for each by itself, the chances are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odds.agreement import tail
from warhost import load
from warhost_odds import columns
from warhost_odds.columns import Columns, _cast, _of_like_width
from warhost_odds.questions import UnitSpec, asked, set_up

chances_of = st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any)


@given(
    st.lists(chances_of, min_size=1, max_size=5), st.lists(st.integers(1, 400), min_size=1, max_size=9),
    st.sampled_from((0, 2, 10**9)), st.integers(0, 2**32), st.data(),
)  # fmt: skip
def test_every_trial_falls_where_it_may(
    tables: list[list[int]], weights: list[int], alone: int, seed: int, data: st.DataObject
) -> None:
    """alone: whether each row is drawn for by itself (0), all of a kind together (a large number), or as is usual."""
    kind = np.array(data.draw(st.lists(st.integers(0, len(tables) - 1), min_size=len(weights), max_size=len(weights))))
    widths = np.array([len(table) for table in tables])
    offsets = np.cumsum(widths) - widths
    chances = np.concatenate([np.array(table) / sum(table) for table in tables])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "EACH_ALONE", alone)
        lots = np.random.Generator(np.random.PCG64(seed))
        rows, which, drawn = _cast(lots, np.array(weights), kind, widths, chances)
    assert np.bincount(rows, weights=drawn, minlength=len(weights)).tolist() == weights
    assert (drawn > 0).all()
    assert (chances[which] > 0).all()
    assert ((which >= offsets[kind[rows]]) & (which < offsets[kind[rows]] + widths[kind[rows]])).all()


@pytest.mark.parametrize("alone", [0, 10**9])
def test_they_fall_as_the_chances_are(alone: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of three rows by itself, against its chances; and two rows of a kind do not hang together."""
    monkeypatch.setattr(columns, "EACH_ALONE", alone)
    lots = np.random.Generator(np.random.PCG64(5))
    tables = [np.array([0.1, 0.2, 0.3, 0.4]), np.array([0.7, 0.3])]
    widths, offsets, chances = np.array([4, 2]), np.array([0, 4]), np.concatenate(tables)
    kind, weights = np.array([0, 1, 0]), np.array([30, 50, 20])
    seen, both, times = np.zeros((3, 4)), 0.0, 4_000
    for _ in range(times):
        table = np.zeros((3, 4))
        rows, which, drawn = _cast(lots, weights, kind, widths, chances)
        table[rows, which - offsets[kind[rows]]] = drawn
        seen += table
        both += (table[0, 0] - 3) * (table[2, 0] - 2)
    for row, of in enumerate(kind.tolist()):
        expected = tables[of] * weights[row] * times
        statistic = float(((seen[row, : len(expected)] - expected) ** 2 / expected).sum())
        assert tail(statistic, len(expected) - 1) > 1e-6
    spread = (30 * 0.09 * 20 * 0.09 / times) ** 0.5
    assert abs(both / times) < 5 * spread


def test_tables_that_are_too_large_are_drawn_for_by_width() -> None:
    widths = np.array([1, 2, 3, 6_000])
    assert _of_like_width(widths, 10) is None
    parts = _of_like_width(widths, 1_000)
    assert parts is not None
    assert sum(part.astype(int) for part in parts).tolist() == [1, 1, 1, 1]
    assert len(parts) > 1


def test_what_is_drawn_by_width_falls_where_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kinds of several widths, some of which are drawn for apart: each row's trials fall to its own kind's ways."""
    monkeypatch.setattr(columns, "MOST_CELLS", 0)
    rules = load("small_fantasy")
    question, settings = asked("melee", rules)
    sides = [UnitSpec.parse(name, rules) for name in ("orc_archers:10", "elf_archers:10")]
    battle = set_up(rules, question, *sides, settings).battle
    spreading = Columns(battle, np.random.Generator(np.random.PCG64(7)))
    widths = np.array([5, 1, 2, 9, 4])
    offsets = np.array([0, 5, 6, 8, 17])
    chances = np.concatenate([np.full(width, 1 / width) for width in widths])
    kind, weights = np.array([4, 0, 3, 1, 2, 2, 0]), np.array([400, 500, 900, 3, 200, 1, 500])
    rows, which, drawn = spreading.spread(weights, kind, widths, offsets, chances)
    assert np.bincount(rows, weights=drawn).tolist() == weights.tolist()
    assert ((which >= offsets[kind[rows]]) & (which < (offsets + widths)[kind[rows]])).all()
    assert set(which.tolist()) == set(range(21))
