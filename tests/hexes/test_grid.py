"""The board as numbers: distances, lines, zones."""

from __future__ import annotations

import math
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexes.situations import few
from warhost_hexes.grid import BESIDE, Grid, HexError, grid

BOARD = grid(15, 13)
sizes = st.tuples(st.integers(1, 9), st.integers(1, 9))
cells = st.integers(0, BOARD.size - 1)


def steps_from(layout: Grid, start: int) -> dict[int, int]:
    """How many steps away every hex is, by walking."""
    found, queue = {start: 0}, deque([start])
    while queue:
        here = queue.popleft()
        for n in layout.near[here]:
            if n not in found:
                found[n] = found[here] + 1
                queue.append(n)
    return found


@few
@given(sizes, st.data())
def test_distances_are_steps(size: tuple[int, int], data: st.DataObject) -> None:
    layout = grid(*size)
    start = data.draw(st.integers(0, layout.size - 1))
    assert steps_from(layout, start) == {c: layout.distance(start, c) for c in range(layout.size)}


@few
@given(cells, cells, cells)
def test_distance_is_a_metric(a: int, b: int, c: int) -> None:
    assert BOARD.distance(a, b) == BOARD.distance(b, a)
    assert (BOARD.distance(a, b) == 0) is (a == b)
    assert BOARD.distance(a, c) <= BOARD.distance(a, b) + BOARD.distance(b, c)


def test_neighbours_are_one_apart_in_the_picture_too() -> None:
    for c in range(BOARD.size):
        assert len(set(BOARD.near[c])) == len(BOARD.near[c]) <= 6
        for n in BOARD.near[c]:
            assert c in BOARD.near[n]
            assert math.dist(BOARD.centre(c), BOARD.centre(n)) == pytest.approx(1.0)


def test_even_rows_lie_half_a_hex_to_the_right() -> None:
    assert {BOARD.label(n) for n in BOARD.near[BOARD.read("8-7")]} == {"9-7", "8-8", "7-8", "7-7", "7-6", "8-6"}
    assert {BOARD.label(n) for n in BOARD.near[BOARD.read("8-8")]} == {"9-8", "9-9", "8-9", "7-8", "8-7", "9-7"}


@few
@given(cells, st.integers(0, 6))
def test_within_is_all_that_is_near_enough(start: int, n: int) -> None:
    assert BOARD.within(start, n) == [c for c in range(BOARD.size) if BOARD.distance(start, c) <= n]


# -- lines ---------------------------------------------------------------------------------------


@few
@given(cells, cells)
def test_lines_are_the_same_both_ways_and_leave_no_gap(a: int, b: int) -> None:
    there = BOARD.line(a, b)
    assert there == BOARD.line(b, a)[::-1]
    assert len(there) >= max(BOARD.distance(a, b) - 1, 0) - sum(len(x) == 2 for x in there)
    before = {a}
    for crossed in (*there, (b,)):
        here = {c for c in crossed if c != BESIDE}
        assert here & ({n for c in before for n in BOARD.near[c]} | before)
        before = here


@few
@given(cells, cells)
def test_lines_cross_what_their_points_lie_in(a: int, b: int) -> None:
    """Points of the line are nearest to the middle of a hex that it crosses, or of one at its ends."""
    (ax, ay), (bx, by) = BOARD.centre(a), BOARD.centre(b)
    crossed = {c for found in BOARD.line(a, b) for c in found} | {a, b}
    met: set[int] = set()
    for i in range(1, 200):
        x, y = ax + (bx - ax) * i / 200, ay + (by - ay) * i / 200
        far = sorted((math.dist((x, y), BOARD.centre(c)), c) for c in range(BOARD.size))
        if far[0][0] > 0.58 or far[1][0] - far[0][0] < 1e-6:  # off the board, or on an edge
            continue
        met.add(far[0][1])
    assert met <= crossed


def test_a_line_along_an_edge_has_both_hexes() -> None:
    found = BOARD.line(BOARD.read("3-1"), BOARD.read("3-3"))
    assert [[BOARD.label(c) for c in cells] for cells in found] == [["2-2", "3-2"]]


def test_a_line_along_the_rim_has_nothing_on_the_other_side() -> None:
    found = BOARD.line(BOARD.read("1-1"), BOARD.read("1-3"))
    assert found == ((BESIDE, BOARD.read("1-2")),)


# -- names, zones, patches -----------------------------------------------------------------------


@pytest.mark.parametrize("c", range(0, BOARD.size, 7))
def test_a_hex_is_read_by_its_name(c: int) -> None:
    assert BOARD.read(BOARD.label(c)) == c == BOARD.read([BOARD.column(c), BOARD.row(c)])


@pytest.mark.parametrize("wrong", ["16-1", "0-1", "a-b", "7", 7, None, [1], [1, 2, 3], [1, 99], "1-2-3"])
def test_what_names_no_hex_is_refused(wrong: object) -> None:
    with pytest.raises(HexError):
        BOARD.read(wrong)


def test_zones_cut_rows_and_columns_and_add_hexes() -> None:
    zone = BOARD.zone("corner", {"rows": [1, 2], "columns": [1, 3], "hexes": ["8-7", [9, 9]]})
    assert [BOARD.label(c) for c in zone] == ["1-1", "2-1", "3-1", "1-2", "2-2", "3-2", "8-7", "9-9"]
    assert len(BOARD.zone("row", {"rows": 4})) == 15


@pytest.mark.parametrize("wrong", [None, {}, {"rows": [0, 3]}, {"rows": [3, 1]}, {"columns": "all"}, {"hexes": ["x"]}])
def test_zones_that_cannot_be_are_refused(wrong: object) -> None:
    with pytest.raises(HexError):
        BOARD.zone("wrong", wrong)


def test_a_zone_of_one_row_in_brackets_is_told_with_what_is_meant() -> None:
    with pytest.raises(HexError, match=r"not \[1\]: \[1, 1\] is one alone"):
        BOARD.zone("near", {"rows": [1]})


@pytest.mark.parametrize(("columns", "rows"), [(0, 5), (5, 0), (101, 5), (-1, -1)])
def test_boards_that_cannot_be_are_refused(columns: int, rows: int) -> None:
    with pytest.raises(HexError):
        Grid(columns, rows)


@few
@given(cells, st.integers(1, 12), st.sets(cells, max_size=60))
def test_patches_hang_together_on_what_is_allowed(start: int, count: int, closed: set[int]) -> None:
    allowed = [c for c in range(BOARD.size) if c not in closed]
    found = BOARD.patch(start, count, allowed)
    assert BOARD.connected(found)
    assert set(found) <= set(allowed)
    assert (start in found) is (start not in closed)
    assert len(found) <= count


def test_a_patch_of_seven_is_a_hex_and_its_neighbours() -> None:
    start = BOARD.read("8-7")
    assert set(BOARD.patch(start, 7, range(BOARD.size))) == {start, *BOARD.near[start]}
