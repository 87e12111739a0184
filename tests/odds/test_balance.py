"""Laws of tables: who plays, in what order and after how many interruptions does not matter."""

from __future__ import annotations

import json
import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import warhost
from warhost.cli import program
from warhost.errors import ContentError, RuleFault, UsageError
from warhost.packs import Ruleset
from warhost_odds.balance import AskedTable, Balance, Progress, _opened, plan, play_part, take_in
from warhost_odds.pairings import PairingResult, Task, attempt, play, received
from warhost_odds.plan import part_of
from warhost_odds.results_file import ResultsFile
from warhost_odds.sizes import named
from warhost_odds.workers import WorkerDied

ROOT = Path(__file__).resolve().parents[2]
UNITS = ("lout", "smith", "boss", "lout+banner")


class Enough(Exception):  # noqa: N818
    """An interruption."""


def stop_after(n: int) -> Callable[[Progress], None]:
    """Interrupts when n pairings have been played."""
    seen = 0

    def watch(now: Progress) -> None:
        nonlocal seen
        seen += now.last is not None
        if seen >= n:
            raise Enough

    return watch


def table(**more: Any) -> Balance:
    return warhost.balance("tavern", more.pop("units", UNITS), **{"trials": 20, **more})


@pytest.fixture(scope="module")
def whole(module_place: Path) -> dict[str, Any]:
    """The table that nobody interrupted."""
    return table(out=module_place / "whole.sqlite").as_dict()


@pytest.fixture(scope="module")
def module_place(games: Path, cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_PATH", str(games))
        patch.setenv("WARHOST_CACHE", str(cache))
        yield tmp_path_factory.mktemp("tables")


# -- what a table says --------------------------------------------------------------------------------------


def test_what_one_wins_the_other_does_not(tavern: Ruleset) -> None:
    made = table(prices=False)
    rates = made.matrix()
    for i, one in enumerate(made.standings):
        assert rates[i][i] is None
        for j, other in enumerate(made.standings):
            if i != j:
                a, b = made.interval(one.id, other.id), made.interval(other.id, one.id)
                assert a is not None
                assert b is not None
                assert rates[i][j] + rates[j][i] == pytest.approx(1)
                assert a[0] + b[1] == pytest.approx(1)
                assert a[0] <= rates[i][j] <= a[1]
        assert one.win_rate == pytest.approx(sum(r for r in rates[i] if r is not None) / 3)
    assert len(made.rows()) == 6
    assert len({tuple(row) for row in made.rows()}) == 1


def test_both_roles_are_played_and_both_sizes_fit_the_points(tavern: Ruleset) -> None:
    made = table(points=13, prices=False)
    assert [(s.count, s.price, s.worth) for s in made.standings] == [
        (6, 2.0, 12.0), (4, 3.0, 12.0), (3, 4.0, 12.0), (6, 2.0, 12.0),
    ]  # fmt: skip
    assert made.points == 13
    assert made.standings[2].note == "the list allows 1"
    one = made.pairing("smith:4", "lout:6")
    assert one is not None
    assert one.trials == 20
    halves = [
        warhost.odds(
            tavern, *pair, until="end", method="simulation", trials=10, seed=task_of(tavern, one).seed_of(i)
        )
        for i, pair in enumerate([("lout:6", "smith:4"), ("smith:4", "lout:6")])
    ]
    assert one.one_wins == (halves[0].outcome.get("attacker_wins", 0) + halves[1].outcome.get("defender_wins", 0)) / 2


def task_of(rules: Ruleset, played: PairingResult) -> Task:
    return Task("units", "tavern", (), rules.digest, played.one, played.two, 20, 0)


def test_the_order_in_which_units_are_named_does_not_matter(tavern: Ruleset) -> None:
    one, other = table(prices=False), table(units=UNITS[::-1], prices=False)
    assert {s.id: s for s in one.standings} == {s.id: s for s in other.standings}
    assert set(one.pairings) == set(other.pairings)


def test_another_seed_is_another_table_and_house_rules_count(tavern: Ruleset) -> None:
    usual = table(prices=False, units=UNITS[:2], trials=1000)
    assert usual.pairings != table(prices=False, units=UNITS[:2], trials=1000, seed=1).pairings
    assert table(prices=False, units=UNITS[:2], house=["short_night"]).ruleset["house_rules"] == ["short_night"]


def test_units_by_list_and_by_what_their_profiles_say(tavern: Ruleset) -> None:
    made = table(units=["all-of gang"], where={"loud": "no"}, prices=False)
    assert [s.name for s in made.standings] == ["Louts", "Smiths"]


def test_the_fair_price_of_two_alike_is_the_price(tavern: Ruleset) -> None:
    made = table(units=["lout", "lout+banner"], trials=400, points=16)
    for one in made.standings:
        assert one.fair is not None
        low, high = one.fair.span
        assert low is not None
        assert low <= 2.0
        assert high is None or high >= 2.0


def test_who_is_too_good_has_no_fair_price_among_sizes(tavern: Ruleset) -> None:
    made = table(units=["lout", "boss"], points=8, given=["defender.standing = 1", "attacker.standing = 1"])
    assert all(s.fair is not None and (s.fair.price is None) == bool(s.fair.says) for s in made.standings)


def test_pairings_are_simulated_unless_something_else_is_asked_for(tavern: Ruleset) -> None:
    made = {
        method: table(units=UNITS[:2], points=12, trials=2000, prices=False, **({"method": method} if method else {}))
        for method in ("", "simulation", "auto", "exact")
    }
    assert made[""].pairings == made["simulation"].pairings
    assert made["auto"].pairings[0].method == "exact"
    (drawn,), (exact,) = made[""].pairings, made["exact"].pairings
    assert (drawn.method, drawn.trials, exact.trials) == ("columns", 2000, 0)
    span = made[""].interval(drawn.one, drawn.two)
    assert span is not None
    assert 2 * span[0] - span[1] <= exact.rate(drawn.one) <= 2 * span[1] - span[0], "within three times its interval"


# -- interruptions -------------------------------------------------------------------------------------------


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stops=st.lists(st.integers(1, 12), max_size=3))
def test_interrupted_and_taken_up_again_is_the_same(
    stops: list[int], whole: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    out = tmp_path_factory.mktemp("kept") / "table.sqlite"
    for n in stops:
        try:
            table(out=out, watch=stop_after(n))
        except Enough:
            with ResultsFile(out) as kept:
                assert len(kept) >= n
    assert table(out=out).as_dict() == whole


def test_what_is_kept_is_not_played_again(whole: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "table.sqlite"
    table(out=out)
    played = []
    assert table(out=out, watch=lambda now: played.append(now.last)).as_dict() == whole
    assert set(played) == {None}
    with sqlite3.connect(out) as file:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_row_that_nobody_can_read_is_played_again(whole: dict[str, Any], tmp_path: Path) -> None:
    out = tmp_path / "table.sqlite"
    table(out=out)
    with sqlite3.connect(out) as file:
        file.execute("UPDATE pairing SET result = '{\"one\": 1}'")
    file.close()
    assert table(out=out).as_dict() == whole


def test_a_file_of_something_else_is_left_alone(tavern: Ruleset, tmp_path: Path) -> None:
    other = tmp_path / "diary.sqlite"
    with sqlite3.connect(other) as file:
        file.execute("CREATE TABLE day (words TEXT)")
    file.close()
    with pytest.raises(UsageError, match="something else"):
        table(out=other)
    (tmp_path / "letter.txt").write_text("Dear all, " * 100)
    with pytest.raises(UsageError, match="cannot be kept"):
        table(out=tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "Dear all, " * 100


# -- workers --------------------------------------------------------------------------------------------------


def test_several_processes_make_the_same_table(whole: dict[str, Any], tmp_path: Path) -> None:
    assert table(workers=2, out=tmp_path / "table.sqlite").as_dict() == whole


def test_a_worker_that_is_killed_ends_the_call_and_loses_only_what_it_had_in_hand(
    whole: dict[str, Any], tmp_path: Path
) -> None:
    import multiprocessing

    out, killed = tmp_path / "table.sqlite", []

    def kill(now: Progress) -> None:
        if now.last is not None and now.done == 3 and not killed:
            for process in multiprocessing.active_children():
                killed.append(process.pid)
                os.kill(process.pid or 0, signal.SIGKILL)

    with pytest.raises(WorkerDied, match="the same command goes on"):
        table(workers=2, out=out, watch=kill, trials=20)
    with ResultsFile(out) as kept:
        assert len(kept) >= 3
    assert table(out=out).as_dict() == whole


@pytest.mark.parametrize(
    ("more", "kind", "said"),
    [
        ({"what": "nonsense"}, UsageError, "nonsense"),
        ({"given": ("attacker.bogus = 1",)}, ContentError, "bogus"),
        ({"given": ("attacker.standing = 1 / defender.state_of_nothing",)}, ContentError, "state_of_nothing"),
        ({"given": ("attacker.standing = floor(6 / (defender.standing - 4))",)}, RuleFault, "divi"),
        ({"kind": "armies", "one": "blues", "two": "reds", "players": "nobody"}, UsageError, "nobody"),
    ],
)
def test_errors_travel_between_processes(tavern: Ruleset, more: dict[str, Any], kind: type, said: str) -> None:
    task = replace(Task("units", "tavern", (), tavern.digest, "lout:6", "smith:4", 2, 0), **more)
    result = pickle.loads(pickle.dumps(attempt(task)))
    with pytest.raises(kind) as error:
        received(result)
    with pytest.raises(kind) as here:
        play(task)
    assert said in str(error.value)
    assert str(error.value) == str(here.value)


def test_a_task_for_other_rules_is_refused(tavern: Ruleset) -> None:
    task = Task("units", "tavern", (), "0" * 64, "lout:6", "smith:4", 2, 0)
    with pytest.raises(UsageError, match="not the same here"):
        play(task)
    with pytest.raises(UsageError, match="another program"):
        play(replace(task, digest=tavern.digest, code="0" * 64))
    old = Task("units", "tavern", (), tavern.digest, "lout:6", "smith:4", 2, 0, version="0.0.1")
    with pytest.raises(UsageError, match=r"0\.0\.1"):
        play(old)


def command(out: Path, *more: str) -> list[str]:
    units = ["--units", ",".join(UNITS), "--points", "400", "--trials", "100000", "--no-prices"]
    return [sys.executable, "-m", "warhost", "balance", "tavern", *units, "--json", "--out", str(out), *more]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])}


@pytest.fixture(scope="module")
def long_whole(module_place: Path) -> dict[str, Any]:
    """The table of that command, computed in this process. It takes long enough to be interrupted."""
    return table(out=module_place / "long.sqlite", points=400, trials=100_000, prices=False).as_dict()


def heeding_interrupts() -> None:
    """Whoever runs the tests in the background has them ignore Ctrl-C, and what they start with them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(
    ("sent", "workers", "code"),
    [(signal.SIGINT, "1", 130), (signal.SIGINT, "2", 130), (signal.SIGKILL, "2", -signal.SIGKILL)],
)
def test_the_command_goes_on_after_a_signal(
    long_whole: dict[str, Any], tmp_path: Path, sent: signal.Signals, workers: str, code: int
) -> None:
    out = tmp_path / "table.sqlite"
    begun = subprocess.Popen(
        command(out, "--workers", workers), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True, preexec_fn=heeding_interrupts,
    )  # fmt: skip
    while begun.poll() is None and not rows(out):
        time.sleep(0.01)
    begun.send_signal(sent)
    _, said = begun.communicate()
    assert begun.returncode == code, said
    assert (b"the same command goes on" in said) == (sent == signal.SIGINT)
    assert b"Traceback" not in said
    assert 1 <= rows(out) < 6
    again = subprocess.run(command(out, "--workers", "1"), env=environment(), capture_output=True, check=True).stdout
    assert json.loads(again) == long_whole
    assert no_children_of(begun.pid)


def rows(out: Path) -> int:
    """How many results a file has, 0 while there is none."""
    if not out.exists():
        return 0
    file = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
    try:
        return int(file.execute("SELECT count(*) FROM pairing").fetchone()[0])
    except sqlite3.Error:
        return 0
    finally:
        file.close()


def no_children_of(session: int) -> bool:
    """Whether every process of a session has come to an end; those that go get the time they need."""
    while True:
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)


# -- armies ----------------------------------------------------------------------------------------------------


def test_armies_fight_battles_and_change_sides(tavern: Ruleset, tmp_path: Path) -> None:
    made = warhost.balance("tavern", armies=["reds", "blues"], trials=7, player="usual", out=tmp_path / "a.sqlite")
    assert (made.kind, made.trials, made.points) == ("armies", 8, None)
    assert [s.name for s in made.standings] == ["The Reds", "The Blues"]
    assert made.standings[0].fair is None
    (one,) = made.pairings
    assert one.one_wins + one.two_wins + one.even == pytest.approx(1)
    again = warhost.balance("tavern", armies=["blues", "reds"], trials=7, player="usual", workers=2)
    assert again.pairings == made.pairings
    assert json.loads(json.dumps(made.as_dict()))["standings"][0]["fair_price"] is None


# -- mistakes --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"units": ["lout"]}, "two units or more"),
        ({"units": ["lout", "smiht"]}, 'did you mean "smith"?'),
        ({"units": ["lout:4", "smith"]}, "write lout"),
        ({"units": ["all-of gnag"]}, 'did you mean "gang"?'),
        ({"units": ["all-of gang"], "where": {"grti": "2"}}, 'did you mean "grit"?'),
        ({"points": 3}, "more than 3"),
        ({"what": "ambush", "settings": {"bottles": 1}, "units": ["lout", "smoth"]}, 'did you mean "smith"?'),
        ({"units": [], "armies": []}, "of units or of armies"),
        ({"armies": ["reds", "blues"]}, "of units or of armies"),
        ({"units": [], "armies": ["reds", "blus"]}, 'did you mean "blues"?'),
        ({"units": [], "armies": ["reds", "reds"]}, "two armies or more"),
        ({"units": [], "armies": ["reds", "blues"], "player": "usul"}, 'did you mean "usual"?'),
        ({"units": [], "armies": ["reds", "blues"], "scenario": "taprom"}, 'did you mean "taproom"?'),
        ({"trials": 0}, "at least one trial"),
        ({"workers": 0}, "at least one worker"),
        ({"out": "nowhere/table.sqlite"}, "no folder"),
    ],
)
def test_mistakes_in_a_table(tavern: Ruleset, more: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as error:
        table(**more)
    assert said in str(error.value)


def test_a_changed_army_file_is_another_army(tavern: Ruleset, tmp_path: Path) -> None:
    from tests.cli.game import FILES

    mine, out = tmp_path / "mine.yaml", tmp_path / "a.sqlite"

    def fight() -> Balance:
        return warhost.balance("tavern", armies=["reds", str(mine)], trials=4, player="usual", out=out)

    mine.write_text(FILES["armies/blues.yaml"].replace("id: blues\n", "id: mine\n"))
    first = fight()
    assert fight() == first
    mine.write_text(mine.read_text().replace("size: 5", "size: 3"))
    assert fight().standings[1].worth < first.standings[1].worth


def test_a_loaded_ruleset_is_no_name(tavern: Ruleset) -> None:
    with pytest.raises(UsageError, match="name the ruleset"):
        warhost.balance(tavern, UNITS)  # type: ignore[arg-type]


def test_a_damaged_table_of_results_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "table.sqlite"
    with ResultsFile(path) as kept:
        assert len(kept) == 0
    raw = bytearray(path.read_bytes())
    raw[100:] = b"\x55" * (len(raw) - 100)
    path.write_bytes(bytes(raw))
    with pytest.raises(UsageError, match="cannot be"):
        ResultsFile(path)


# -- what it would take, and parts of it ------------------------------------------------------------------


def asked(**more: Any) -> AskedTable:
    return AskedTable("tavern", UNITS, trials=20, **more)


def test_a_plan_counts_the_pairings_and_keeps_those_that_it_tried(tavern: Ruleset, tmp_path: Path) -> None:
    out = tmp_path / "plan.sqlite"
    stages = set[str]()
    found = plan(asked(), out, lambda now: stages.add(now.stage))
    assert stages == {"tried"}
    assert (found.players, found.pairings) == (4, 6)
    with ResultsFile(out) as kept:
        assert len(kept) == found.kept == found.tried + 1
    assert found.seconds == (found.pairings - found.kept) * (found.each or 0)
    again = plan(asked(), out)
    assert (again.kept, again.tried, again.seconds) == (6, 0, 0)


def test_parts_of_a_table_make_the_table(whole: dict[str, Any], tmp_path: Path) -> None:
    files = [tmp_path / f"part{i}.sqlite" for i in (1, 2)]
    played = [play_part(asked(), i, 2, file) for i, file in enumerate(files, start=1)]
    assert [p.pairings for p in played] == [3, 3]
    assert [p.kept for p in played] == [0, 0]
    assert play_part(asked(), 2, 2, files[1]).kept == 3
    out = tmp_path / "together.sqlite"
    assert take_in(out, files) == 6
    assert take_in(out, files) == 0
    seen: list[Progress] = []
    made = table(out=out, prices=False, watch=seen.append)
    assert [now.last for now in seen] == [None]  # nothing was played
    assert made.as_dict()["matrix"] == whole["matrix"]


def test_parts_are_disjoint_and_none_is_left_out(tavern: Ruleset, tmp_path: Path) -> None:
    for of in (1, 3, 7):
        with _opened(asked(diagonal=True), tmp_path / "none.sqlite", 1, None, None) as making:
            tasks = making.tasks()
        parts = [part_of(tasks[::-1], i + 1, of) for i in range(of)]
        assert sorted(t.key for part in parts for t in part) == sorted(t.key for t in tasks)
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_every_list_is_meant_by_all(tavern: Ruleset) -> None:
    assert named(["all-of all"], tavern) == [spec for one in tavern.lists for spec in named([f"all-of {one}"], tavern)]


def test_results_that_are_none_are_not_taken_over(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_text("no database")
    for file, said in ((tmp_path / "nowhere.sqlite", "there is no file"), (other, "cannot be kept|something else")):
        with pytest.raises(UsageError, match=said):
            take_in(tmp_path / "own.sqlite", [file])
    assert other.read_text() == "no database"


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--dry-run"], r"4 players, 6 pairings"), (["--part", "2/3"], r"part 2 of 3: 2 pairings, 2 of them played now")],
)
def test_the_command_says_what_it_did(tavern: Ruleset, tmp_path: Path, more: list[str], said: str) -> None:
    command = ["balance", "tavern", "--units", ",".join(UNITS), "--trials", "20", "--out", str(tmp_path / "o.sqlite")]
    found = CliRunner().invoke(program, [*command, *more], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    assert re.search(said, found.output)
    plain = CliRunner().invoke(program, [*command, *more, "--json"], catch_exceptions=False)
    assert json.loads(plain.stdout)["pairings"] == (6 if "--dry-run" in more else 2)


@pytest.mark.parametrize("part", ["3/2", "0/2", "1", "a/b", "1/0"])
def test_a_part_that_is_none(tavern: Ruleset, part: str) -> None:
    found = CliRunner().invoke(program, ["balance", "tavern", "--units", "lout,smith", "--part", part])
    assert found.exit_code == 2
    assert "write K/N" in found.output
