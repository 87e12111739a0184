"""Files that commands read besides rulesets, armies and journals: results of odds, tables, catalogues, archives."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.changes import TIMES, broken
from tests.fuzz.games import GAME
from tests.fuzz.places import answered, game_folder
from warhost.cli import program

CATALOGUES = Path(__file__).parents[1] / "battlescribe" / "data"
TABLE = "of,value,probability\noutcome,undecided,0.5\nattacker,0,0.25\ndefender,1,50\n"

#: What a piece of a text file is replaced by.
PIECES = ("", "<", ">", '"', "&x;", "\x00", "\x1b[2J", "\u202e", "nan", "1e999", "-1", "9" * 400, ",,", "\n", "é")

ANYTHING = settings(max_examples=40 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The game, and beside it an answer about odds, and a table of balance as JSON and as a file of results."""
    with game_folder(tmp_path_factory.mktemp("files")) as folder:
        one, two = GAME.units
        for name, command in (
            ("odds", ["odds", GAME.id, "--attacker", one, "--defender", two]),
            ("balance", ["balance", GAME.id, "--units", f"{one},{two}", "--out", "balance.results"]),
        ):
            told = CliRunner().invoke(program, [*command, "--trials", "10", "--seed", "1", "--json"])
            (folder / f"{name}.json").write_text(told.stdout)
        (folder / "table.csv").write_text(TABLE)
        yield folder


def torn(raw: bytes, drawing: st.DataObject) -> bytes:
    """A few places replaced, and perhaps the end missing; where is drawn from a seed, to be made small quickly."""
    chance = random.Random(drawing.draw(st.integers(0, 10**6), label="places"))
    for piece in drawing.draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4), label="pieces"):
        at = chance.randrange(len(raw))
        raw = raw[:at] + piece.encode() + raw[at + chance.randrange(12) :]
    return raw[: chance.randrange(len(raw))] if drawing.draw(st.booleans(), label="cut") else raw


@ANYTHING
@given(drawing=st.data())
def test_any_results_compared(place: Path, drawing: st.DataObject) -> None:
    data = json.loads((place / drawing.draw(st.sampled_from(["odds.json", "balance.json"]))).read_text() or "{}")
    (place / "r.json").write_text(json.dumps(broken(data, drawing)))
    answered(place, ["compare", "r.json", "--reference", "table.csv"])


@ANYTHING
@given(drawing=st.data())
def test_any_table_compared(place: Path, drawing: st.DataObject) -> None:
    (place / "t.csv").write_bytes(torn(TABLE.encode(), drawing))
    answered(place, ["compare", "odds.json", "--reference", "t.csv"])
    answered(place, ["compare", "t.csv", "--reference", "t.csv"])


@ANYTHING
@given(drawing=st.data())
def test_any_catalogue_imported(place: Path, drawing: st.DataObject) -> None:
    sources = sorted(CATALOGUES.iterdir())
    for source in sources:
        whole = source.read_bytes()
        (place / source.name).write_bytes(torn(whole, drawing) if drawing.draw(st.booleans()) else whole)
    answered(place, ["import", *(source.name for source in sources), "--dry-run"])


@ANYTHING
@given(drawing=st.data())
def test_any_file_of_results_merged(place: Path, drawing: st.DataObject) -> None:
    whole = place / "balance.results"
    (place / "part.results").write_bytes(torn(whole.read_bytes() if whole.exists() else b"x", drawing))
    one, two = GAME.units
    (place / "all.results").unlink(missing_ok=True)
    answered(
        place, ["balance", GAME.id, "--units", f"{one},{two}", "--out", "all.results", "--merge", "part.results",
                "--trials", "10", "--seed", "1"],
    )  # fmt: skip


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"matrix": 5, "standings": 5}', "9" * 5000])
def test_results_that_were_found_to_break_it(place: Path, text: str) -> None:
    (place / "r.json").write_text(text)
    answered(place, ["compare", "r.json", "--reference", "table.csv"])


def test_endless_devices_are_no_files(place: Path) -> None:
    for command in (
        ["compare", "/dev/zero", "--reference", "table.csv"], ["compare", "table.csv", "--reference", "/dev/zero"],
        ["import", "/dev/zero", "--dry-run"], ["replay", "/dev/zero"], ["army", "check", "/dev/zero"],
        ["odds", GAME.id, "--file", "/dev/zero"], [*GAME.battle(), "--journal", "/dev/zero"],
    ):  # fmt: skip
        assert answered(place, command) in (1, 2), command
