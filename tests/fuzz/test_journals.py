"""Journals with anything in the place of anything: `replay`, and battles that carry them on, say what is wrong.

What counts as an answer: exit code 0, 1 or 2, no foreign character, and no file touched but the one that was named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.skirmishes import summed
from tests.fuzz.changes import FOREIGN, TIMES, broken
from tests.fuzz.games import GAME
from tests.fuzz.places import game_folder
from warhost.cli import program

#: The commands that read a journal.
READERS = ("replay", "battle", "play")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with game_folder(tmp_path_factory.mktemp("journals")) as folder:
        played = CliRunner().invoke(program, [*GAME.battle(), "--journal", "whole.jsonl"])
        assert played.exit_code == 0
        yield folder


@settings(max_examples=100 * TIMES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawing=st.data())
def test_anything_in_a_journal(place: Path, drawing: st.DataObject) -> None:
    rows = [json.loads(line) for line in (place / "whole.jsonl").read_text().splitlines()]
    reader = drawing.draw(st.sampled_from(READERS), label="read by")
    if reader == "play":  # as if a person had played the first side, and left before the end
        rows[0]["players"][0] = "person"
        rows.pop()
    for _ in range(drawing.draw(st.integers(1, 2), label="changes")):
        number = drawing.draw(st.integers(0, len(rows) - 1), label="line")
        rows[number] = broken(rows[number], drawing, most=1)
    lines = [json.dumps(row) for row in rows]
    whole = all(isinstance(row, dict) for row in rows) and drawing.draw(st.booleans(), label="sums made anew")
    text = summed(lines) if whole else "".join(line + "\n" for line in lines)
    ends(place, text, reader)


@pytest.mark.parametrize(
    "line", ['{"turn":"abc"}', "null", "[]", "NaN", '{"turn":1e400}', '{"d":1,"answer":"\\ud800"}']
)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_lines_that_were_found_to_break_it(place: Path, line: str, at: int) -> None:
    lines = (place / "whole.jsonl").read_text().splitlines()
    for reader in READERS:
        ends(place, "\n".join([*lines[:at], line, *lines[at:]]) + "\n", reader)


@pytest.mark.parametrize(("key", "value"), [("settings", 5), ("house_rules", 5), ("units", 5)])
def test_headers_that_were_found_to_break_it(place: Path, key: str, value: object) -> None:
    lines = (place / "whole.jsonl").read_text().splitlines()
    header = json.loads(lines[0])
    for part in (header, header["ruleset"], header["armies"][0], header["scenario"]):
        before = part.get(key, part)
        part[key] = value
        ends(place, "\n".join([json.dumps(header), *lines[1:]]) + "\n", "replay")
        if before is part:
            del part[key]
        else:
            part[key] = before


def ends(place: Path, text: str, reader: str) -> None:
    """Give a journal to a command that reads it: it ends as it should, and touches no other file."""
    path = place / "broken.jsonl"
    path.write_text(text)
    (place / "broken.good.jsonl").unlink(missing_ok=True)
    others = {p: p.read_bytes() for p in place.glob("*.jsonl") if p != path}
    commands = {
        "replay": ["replay", str(path), "--log", "none"],
        "battle": [*GAME.battle(), "--journal", str(path)],
        "play": ["play", "--resume", str(path)],
    }
    result = CliRunner().invoke(program, commands[reader], input="auto end\n")
    assert result.exit_code in (0, 1, 2), (result.output, result.exception)
    assert not FOREIGN.search(result.output)
    assert all(p.read_bytes() == raw for p, raw in others.items())
