"""`warhost compare`, and tables that tell who attacks: what is far from a reference is told so, what is near is not."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

import warhost
from tests.cli.conftest import Run, data
from warhost_odds import balance_command
from warhost_odds.compare import compared, read_reference, read_results, tail

TABLE = ("balance", "tavern", "--units", "lout,smith,boss", "--no-prices", "--workers", 1, "--points", 12)
PAIR = ("odds", "tavern", "--attacker", "lout:6", "--defender", "lout:6", "--until", "end")


def reference(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def exact_table(run: Run) -> dict[str, Any]:
    return data(run(*TABLE, "--method", "exact", "--ordered", "--diagonal", "--json"))


def test_an_ordered_table_tells_who_attacks(run: Run) -> None:
    both = data(run(*TABLE, "--method", "exact", "--json"))
    ordered = exact_table(run)
    ids = [s["id"] for s in ordered["standings"]]
    for i, one in enumerate(ids):
        for j, two in enumerate(ids):
            answer = warhost.odds("tavern", one, two, until="end", method="exact", any_size=True)
            won = answer.outcome["attacker_wins"]
            lost = answer.outcome["defender_wins"]
            assert ordered["matrix"][i][j] == pytest.approx((1 + won - lost) / 2, abs=1e-12)
            if i != j:
                mean = (ordered["matrix"][i][j] + 1 - ordered["matrix"][j][i]) / 2
                assert both["matrix"][i][j] == pytest.approx(mean)
    assert both["matrix"][0][0] is None
    assert any(ordered["matrix"][i][i] != 0.5 for i in range(3))


def test_armies_have_no_order(run: Run) -> None:
    stopped = run("balance", "tavern", "--armies", "a,b", "--ordered", code=2)
    assert "only units" in stopped.stderr


def test_a_table_is_near_its_own_exact_rates_and_far_from_others(run: Run, place: Path) -> None:
    exact = exact_table(run)
    ids = [s["id"] for s in exact["standings"]]
    drawn = (*TABLE, "--trials", 2000, "--ordered", "--diagonal", "--seed", 4)
    (place / "drawn.json").write_text(run(*drawn, "--json").stdout)
    run(*drawn, "--csv", "drawn.csv")
    lines = list(csv.DictReader((place / "drawn.csv").open()))
    assert [(row["one"], row["two"]) for row in lines] == [(one, two) for one in ids for two in ids]
    names = [one.partition(":")[0] for one in ids]
    right, wrong = (
        reference(place / name, "\n".join(
            [f"who,{','.join(names)}"]
            + [",".join([one, *(f"{100 * rate(p):.6f}" for p in row)])
               for one, row in zip(names, exact["matrix"], strict=True)]
        ))
        for name, rate in (("right.csv", lambda p: p), ("wrong.csv", lambda p: 0.9 * p + 0.05))
    )  # fmt: skip
    for results in ("drawn.json", "drawn.csv"):
        near = data(run("compare", results, "--reference", right, "--json"))
        assert (near["cells"], near["missing"]) == (9, [])
        assert near["rms"] < 0.03
        assert near["chi_square"]["probability"] > 1e-3
        assert data(run("compare", results, "--reference", wrong, "--json"))["chi_square"]["probability"] < 1e-3
    (place / "exact.json").write_text(json.dumps(exact))
    same = data(run("compare", "exact.json", "--reference", right, "--json"))
    assert (same["chi_square"], same["rms"] < 1e-8) == (None, True)
    text = run("compare", "exact.json", "--reference", wrong).stdout
    assert "9 probabilities compared" in text
    assert "largest difference" in text


def test_an_answer_is_compared_value_by_value(run: Run, place: Path) -> None:
    exact = data(run(*PAIR, "--json"))
    (place / "drawn.json").write_text(run(*PAIR, "--method", "simulation", "--trials", 5000, "--json").stdout)
    lines = ["of,value,probability"]
    lines += [f"outcome,{word},{p!r}" for word, p in exact["outcome"].items()]
    lines += [f"defender,{n},{p!r}" for n, p in exact["losses"]["defender"].items()]
    near = data(run("compare", "drawn.json", "--reference", reference(place / "all.csv", "\n".join(lines)), "--json"))
    assert near["chi_square"]["probability"] > 1e-3
    assert near["chi_square"]["freedom"] > 3
    moved = [line.replace("outcome,attacker_wins", "outcome,defender_hides") for line in lines]
    far = data(run("compare", "drawn.json", "--reference", reference(place / "far.csv", "\n".join(moved)), "--json"))
    assert far["chi_square"]["probability"] < 1e-6
    assert far["largest"]["difference"] == pytest.approx(exact["outcome"]["attacker_wins"], abs=0.05)


def test_statistics_by_hand(tmp_path: Path) -> None:
    results = tmp_path / "r.csv"
    results.write_text("one,two,rate,rate_low,rate_high,trials\na,b,0.6,0,1,100\nb,a,0.4,0,1,100\n")
    found = compared(read_results(results), read_reference(reference(tmp_path / "t.csv", "x,b\na,0.5\nc,0.5\n")))
    assert found.chi_square is not None
    assert found.chi_square[:2] == (pytest.approx(4.0), 1)  # (0.6 - 0.5)^2 * 100 / 0.25
    assert found.chi_square[2] == pytest.approx(math.erfc(math.sqrt(2)))
    assert (found.rms, found.largest, found.missing) == (pytest.approx(0.1), pytest.approx(0.1), (("c", "b"),))
    assert tail(63.691, 40) == pytest.approx(0.01, abs=2e-5)


@pytest.mark.parametrize(
    ("results", "table", "message"),
    [
        ("{", "x,b\na,0.5\n", "is no JSON"),
        ('{"a": 1}', "x,b\na,0.5\n", "is neither"),
        ("one,two,rate\na,b,0.5\n", "x,b\na,half\n", '"half" is no number'),
        ("one,two,rate\na,b,0.5\n", "x,b\na,0.5,0.7\n", "has 2 figures, not 1"),
        ("one,two,rate\na,b,0.5\n", "x,b\na,120\n", "is no probability"),
        ("one,two,rate\na,b,0.5\n", "", "has no figures"),
        ("one,two,rate\nlout,b,0.5\n", "x,y\nluot,0.5\n", 'did you mean "lout"?'),
        ("one,two,rate\nlout,b\n", "x,y\nluot,0.5\n", "r.csv:2: this line has not as many columns"),
        ("one,two,rate\na,b,nan\n", "x,b\na,0.5\n", "is no number"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    run: Run, place: Path, results: str, table: str, message: str
) -> None:
    (place / "r.csv").write_text(results)
    told = run("compare", "r.csv", "--reference", reference(place / "t.csv", table), code=2)
    assert message in told.stderr
    assert "Traceback" not in told.output


def test_progress_is_told_where_there_is_no_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance_command, "EVERY", 0.0)
    told = run(*TABLE, "--trials", 6, "--seed", 99)
    assert "pairings: 1 of 3\npairings: 2 of 3\npairings: 3 of 3\n" in told.stderr
    assert "pairings: 1" not in told.stdout
    assert run(*TABLE, "--trials", 6, "--seed", 98, "--json").stderr == ""
