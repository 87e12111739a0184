"""Laws of answers: they are distributions, they say what the joint distribution says, and they hide no fault."""

from __future__ import annotations

import json
import math
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import warhost
from warhost.errors import UsageError
from warhost.packs import Ruleset
from warhost_odds import canvas, charts, telling
from warhost_odds.answer import LEVELS, Answer, Contender, answer, mean, percentile, wilson
from warhost_odds.asking import Sweep
from warhost_odds.balance import search

REDS, BLUES = Contender("Reds", 20, 100.0), Contender("Blues", 30, 90.0)
WORDS = ("attacker_wins", "defender_wins", "both_hold", "the_roof_fell_in")

keys = st.tuples(
    st.sampled_from(WORDS), st.integers(0, 20), st.integers(0, 30), st.integers(0, 100),
    st.fractions(0, 90, max_denominator=6),
)  # fmt: skip
counts = st.dictionaries(keys, st.integers(1, 1000), min_size=1, max_size=60)


def exact(weights: Any) -> Answer:
    return answer(
        weights, method="exact", why="few dice", what="A fight", until="end", attacker=REDS, defender=BLUES,
        settings={"facing": "rear_side", "tired": False},
    )  # fmt: skip


def simulated(weights: Any, trials: int) -> Answer:
    return answer(
        weights, method="columns", why="many dice", what="A fight", until="round", attacker=REDS, defender=BLUES,
        trials=trials,
    )  # fmt: skip


# -- distributions --------------------------------------------------------------------------------------


@given(counts)
def test_every_part_of_an_answer_sums_to_one(found: dict[Any, int]) -> None:
    total = sum(found.values())
    for one in (
        exact({key: Fraction(n, total) for key, n in found.items()}),
        exact({key: n / total for key, n in found.items()}),
        simulated(found, total),
    ):
        for distribution in (one.outcome, one.losses["attacker"], one.losses["defender"]):
            assert abs(math.fsum(distribution.values()) - 1) <= 1e-12
            assert all(p > 0 for p in distribution.values())


@given(counts)
def test_points_are_a_distribution_with_the_mean_that_is_told(found: dict[Any, int]) -> None:
    total = sum(found.values())
    made = simulated(found, total)
    for side, at in (("attacker", 3), ("defender", 4)):
        points = made.points[side]
        assert list(points) == sorted({key[at] for key in found})
        assert math.isclose(mean(points), made.points_lost[side])
        for value, share in points.items():
            assert math.isclose(share, sum(n for key, n in found.items() if key[at] == value) / total)
        assert list(made.as_dict()["points_distribution"][side]) == [str(value) for value in points]
        assert (telling.points_between(points) == "") == (len(points) == 1)


@given(counts)
def test_figures_are_those_of_the_joint_distribution(found: dict[Any, int]) -> None:
    total = sum(found.values())
    one = exact({key: Fraction(n, total) for key, n in found.items()})
    for side, at in (("attacker", 1), ("defender", 2)):
        lost = sorted(key[at] for key, n in found.items() for _ in range(n))
        assert one.means[side] == pytest.approx(sum(lost) / total, abs=1e-9)
        worth = sum(Fraction(key[at + 2]) * n for key, n in found.items()) / total
        assert one.points_lost[side] == pytest.approx(float(worth), abs=1e-9)
        for level in LEVELS:
            assert one.percentiles[side][level] == lost[math.ceil(level * total / 100) - 1]
        at_least = one.at_least(side)
        assert list(at_least) == list(range(lost[-1] + 1))
        assert at_least[0] == pytest.approx(1)
        assert all(at_least[n] == pytest.approx(sum(m >= n for m in lost) / total) for n in at_least)


@pytest.mark.parametrize(
    "weights", [{}, {("x", 0, 0, 0, 0): 0.999999}, {("x", 0, 0, 0, 0): 1 + 1e-11}, {("x", 0, 0, 0, 0): float("nan")}]
)
def test_what_is_no_distribution_is_never_made_into_one(weights: Any) -> None:
    with pytest.raises(AssertionError):
        exact(weights)


def test_weights_below_nothing_are_a_fault() -> None:
    with pytest.raises(AssertionError, match="probability"):
        exact({("x", 0, 0, 0, 0): 2.0, ("x", 1, 0, 0, 0): -1.0})


def test_counts_that_are_not_the_trials_are_a_fault() -> None:
    with pytest.raises(AssertionError):
        simulated({("x", 0, 0, 0, 0): 9}, 10)


# -- intervals -----------------------------------------------------------------------------------------


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_an_interval_holds_what_was_seen_and_narrows(trials: int, share: float) -> None:
    low, high = wilson(share, trials)
    assert 0 <= low <= share <= high <= 1
    narrower = wilson(share, trials * 4)
    assert narrower[1] - narrower[0] < high - low


def test_intervals_are_wilsons() -> None:
    # Wilson (1927), worked by hand: 8 of 10, z = 1.959964
    assert wilson(0.8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)
    assert wilson(0.5, 0) == (0.0, 1.0)


@given(counts)
def test_a_simulation_says_how_sure_it_is_and_an_exact_answer_does_not(found: dict[Any, int]) -> None:
    total = sum(found.values())
    one = simulated(found, total)
    assert one.trials == total
    assert one.confidence is not None
    for side in ("attacker", "defender"):
        low, high = one.confidence.means[side]
        assert low <= one.means[side] <= high
        assert set(one.confidence.losses[side]) == set(one.losses[side])
    never = exact({key: Fraction(n, total) for key, n in found.items()})
    assert (never.trials, never.confidence) == (None, None)


# -- plain data ----------------------------------------------------------------------------------------


@given(counts)
def test_the_json_has_the_fields_that_were_promised(found: dict[Any, int]) -> None:
    data = json.loads(json.dumps(simulated(found, sum(found.values())).as_dict()))
    assert data["method"] == "columns"
    assert set(data["losses"]) == {"attacker", "defender"}
    assert all(n.isdecimal() and 0 < p <= 1 for of in data["losses"].values() for n, p in of.items())
    assert {"outcome", "trials", "confidence", "why", "means", "percentiles", "points_lost"} <= set(data)


def test_rows_are_a_table() -> None:
    one = exact({("attacker_wins", 0, 2, 0, 6): 0.25, ("both_hold", 1, 0, 5, 0): 0.75})
    assert one.rows()[0] == {"side": "attacker", "name": "Reds", "losses": 0, "probability": 0.25, "at_least": 1.0}
    assert len({tuple(row) for row in one.rows()}) == 1


def test_small_helpers() -> None:
    assert mean({1: 0.5, 3: 0.5}) == 2
    assert percentile({0: 0.1, 1: 0.8, 5: 0.1}, 50) == 1
    assert [telling.percent(p) for p in (0.0, 1e-9, 0.123, 1 - 1e-9, 1.0)] == [
        "0.0 %", "< 0.1 %", "12.3 %", "> 99.9 %", "100.0 %",
    ]  # fmt: skip


@given(st.dictionaries(st.integers(0, 200), st.integers(1, 9), min_size=1), st.integers(1, 30))
def test_bins_hold_everything_once(lost: dict[int, int], most: int) -> None:
    total = sum(lost.values())
    bins = telling.binned({n: c / total for n, c in lost.items()}, most)
    assert len(bins) <= most
    assert math.fsum(b.share for b in bins) == pytest.approx(1)
    assert [b.first for b in bins[1:]] == [b.last + 1 for b in bins[:-1]]


# -- charts ----------------------------------------------------------------------------------------------


def svg(drawn: canvas.Canvas) -> ET.Element:
    """The chart as a reader's program sees it; everything lies on the sheet."""
    root = ET.fromstring(drawn.svg())
    assert root.tag.endswith("svg")
    return root


@given(counts)
def test_a_chart_shows_every_outcome_and_is_a_picture(found: dict[Any, int]) -> None:
    one = simulated(found, sum(found.values()))
    root = svg(charts.of_answer(one))
    words = [e.text for e in root.iter() if e.tag.endswith("text")]
    for word in one.outcome:
        assert telling.shortened(telling.ending(word, one), 24) in words
    assert charts.of_answer(one).svg() == charts.of_answer(one).svg()


def test_names_in_charts_are_no_markup() -> None:
    one = answer(
        {("both_hold", 0, 0, 0, 0): 1.0}, method="exact", why="", what="<b>&", until="end",
        attacker=Contender("<script>", 1, 1.0), defender=Contender('"&', 1, 1.0),
    )  # fmt: skip
    assert "<script>" not in charts.of_answer(one).svg()
    svg(charts.of_answer(one))


@pytest.mark.parametrize("values", [(5,), (5, 10, 20), ("front", "rear")])
def test_curves(values: tuple[Any, ...]) -> None:
    one = exact({("attacker_wins", 0, 2, 0, 6): 0.25, ("both_hold", 1, 0, 5, 0): 0.75})
    root = svg(charts.of_sweep(Sweep("distance", values, (one,) * len(values))))
    words = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert all(str(value) in words for value in values)


def test_a_map_of_colours() -> None:
    root = svg(charts.of_matrix("Who beats whom", "note", ["A", "B"], [[None, 0.75], [0.25, None]]))
    words = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert {"75", "25"} <= set(words)
    assert [charts.heat(r) for r in (0.0, 0.5, 1.0)] == ["#a34a00", "#f7f5f0", "#12456e"]


def test_a_plot_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"an \.svg or a \.png"):
        canvas.write(canvas.Canvas(1, 1, ""), tmp_path / "plot.gif")
    with pytest.raises(UsageError, match="no folder"):
        canvas.write(canvas.Canvas(1, 1, ""), tmp_path / "none" / "plot.svg")


def test_png(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    drawn = charts.of_answer(exact({("both_hold", 0, 0, 0, 0): 1.0}))
    canvas.write(drawn, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_png_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(UsageError, match=r"pip install 'warhost\[plots\]'"):
        canvas.check_path(tmp_path / "a.png")


# -- fair prices ------------------------------------------------------------------------------------------


@given(st.floats(0.3, 200), st.integers(1, 60))
def test_the_search_finds_where_the_win_rate_is_one_half(middle: float, size: int) -> None:
    """A win rate that rises with the size from 0 to 1 and is one half at `middle`."""
    most = max(8 * size, 60)
    searching, tried = search(size, most), []
    wanted = next(searching)
    try:
        while True:
            tried.append(wanted)
            wanted = searching.send(min(max(0.5 + (wanted - middle) / 50, 0.0), 1.0))
    except StopIteration as stop:
        found, _, says = stop.value
    assert len(tried) == len(set(tried)), "no size twice"
    assert all(1 <= n <= most for n in tried)
    if 1 <= middle <= most:
        assert found == pytest.approx(middle)
    elif middle < 1:
        assert (found, says) == (None, "a single one wins more than half")
    else:
        assert found is None


# -- calls ------------------------------------------------------------------------------------------------


def test_the_call_and_the_package_have_the_same_name(tavern: Ruleset) -> None:

    drawn: dict[str, Any] = {"method": "simulation", "trials": 50}
    one = warhost.odds(tavern, "lout:6", "smith:5", **drawn)
    from warhost_odds.asking import odds

    assert one == odds(tavern, "lout:6", "smith:5", **drawn)
    assert one == warhost.odds("tavern", "Louts:6", "smith:5", **drawn)
    assert one != odds(tavern, "lout:6", "smith:5", seed=1, **drawn)
    assert one.attacker == Contender("Louts", 6, 12.0)


def test_a_house_rule_changes_the_odds(place: Path) -> None:
    usual = warhost.odds("tavern", "lout:6", "smith:5")
    tired = warhost.odds("tavern", "lout:6", "smith:5", house=["short_night"])
    assert (usual.method, tired.method) == ("exact", "exact")
    assert tired.means["defender"] < usual.means["defender"], "who is tired hits less"


def test_settings_and_conditions(tavern: Ruleset) -> None:
    rested = warhost.odds(tavern, "lout:6", "smith:5", trials=200)
    tired = warhost.odds(tavern, "lout:6", "smith:5", trials=200, settings={"tired": "5"})
    alone = warhost.odds(tavern, "lout:6", "smith:5", trials=200, given=["attacker.standing = 1"])
    assert tired.settings == {"mood": "merry", "tired": 5}
    assert tired.losses["defender"] == alone.losses["defender"]
    assert max(rested.losses["defender"]) > max(tired.losses["defender"]) == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"what": "bralw"}, 'did you mean "brawl"?'),
        ({"what": "ambush"}, "needs to know the bottles: --set bottles=NUMBER"),
        ({"until": "ending"}, 'until round or end, not "ending"'),
        ({"method": "exacct"}, 'did you mean "exact"?'),
        ({"settings": {"mod": "merry"}}, 'did you mean "mood"?'),
        ({"settings": {"mood": "sad"}}, 'no temper "sad"'),
        ({"trials": 0}, "at least one trial"),
        ({"attacker": "luot:6"}, 'did you mean "lout"?'),
        ({"attacker": "lout:0"}, "from 1 to"),
        ({"attacker": "lout:6,banana"}, 'did you mean "banner"?'),
        ({"house": ["no_louts"]}, "loaded already"),
    ],
)
def test_mistakes_in_a_question(tavern: Ruleset, more: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        warhost.odds(tavern, **{"attacker": "lout:6", "defender": "smith:5", "trials": 5, **more})
    assert said in str(error.value)


def test_a_sweep_is_the_same_question_again(tavern: Ruleset) -> None:
    swept = warhost.sweep(tavern, "lout:6", "smith:5", "COUNT", range(3, 6), trials=50)
    assert swept.name == "attacker.count"
    assert swept.answers == tuple(warhost.odds(tavern, f"lout:{n}", "smith:5", trials=50) for n in (3, 4, 5))
    moods = warhost.sweep(tavern, "lout:6", "smith:5", "mood", ["merry", "angry"], trials=50)
    assert [one.settings["mood"] for one in moods.answers] == ["merry", "angry"]
    assert json.loads(json.dumps(moods.as_dict()))["answers"][1]["value"] == "angry"
    assert [row["mood"] for row in moods.rows()] == ["merry", "angry"]
    with pytest.raises(UsageError, match='did you mean "mood"'):
        warhost.sweep(tavern, "lout:6", "smith:5", "modo", ["merry"])
