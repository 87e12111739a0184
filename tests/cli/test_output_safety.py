"""Nothing foreign reaches the terminal, and no file is lost that the command did not write itself."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from warhost.errors import UsageError
from warhost.output_safety import harmless, harmless_json, write_whole

HOSTILE = "\x1b[2J\x9b31m\u202eevil\u2066\r\x07\x00name"
FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

ARMY = {"kind": "army", "id": "gang", "name": f"Gang {HOSTILE}", "list": "gang", "limit": 30, "units": [
    {"id": "louts", "profile": "lout", "size": 5, "name": f"Louts {HOSTILE}"},
]}  # fmt: skip


@pytest.fixture
def army(place: Path) -> Path:
    path = place / "gang.yaml"
    path.write_text(json.dumps(ARMY))
    return path


@pytest.mark.parametrize("command", [
    ("army", "show", "gang.yaml"),
    ("army", "show", "gang.yaml", "--format", "md"),
    ("army", "show", "gang.yaml", "--format", "html"),
    ("army", "check", "gang.yaml"),
    ("army", "show", "gang.yaml", "--json"),
    ("battle", "tavern", "--army", "gang.yaml", "--army", "blues"),
    ("battle", "tavern", "--army", "gang.yaml", "--army", "blues", "--trace"),
    ("battle", "tavern", "--army", "gang.yaml", "--army", "blues", "--log", "json"),
    ("battle", "tavern", "--army", "gang.yaml", "--army", "blues", "--json"),
    ("battle", f"tavern{HOSTILE.replace(chr(0), '')}"),
    ("explain", "tavern", f"lout{HOSTILE.replace(chr(0), '')}"),
])  # fmt: skip
def test_foreign_characters_stay_inside(run: Run, army: Path, command: tuple[str, ...]) -> None:
    from click.testing import CliRunner

    from warhost.cli import program

    result = CliRunner().invoke(program, list(command), prog_name="warhost")
    assert result.exit_code in (0, 1, 2), result.output
    assert not FOREIGN.search(result.output)
    assert result.output


def test_a_replay_says_nothing_foreign(run: Run, army: Path) -> None:
    run("battle", "tavern", "--army", army, "--army", "blues", "--log", "none", "--journal", "j.jsonl")
    for more in ((), ("--view", "1"), ("--log", "json"), ("--trace",)):
        assert not FOREIGN.search(run("replay", "j.jsonl", *more).output)


def test_harmless_json_says_the_same() -> None:
    assert json.loads(harmless_json(json.dumps([HOSTILE], ensure_ascii=False))) == [HOSTILE]
    assert not FOREIGN.search(harmless(HOSTILE))
    assert harmless("Zürich\n\tfine") == "Zürich\n\tfine"


QUICK = ("battle", "tavern", "--army", "reds", "--army", "blues", "--log", "none", "--report")


def test_a_report_replaces_a_report_and_nothing_else(run: Run, army: Path) -> None:
    before = army.read_bytes()
    assert "is something else" in run(*QUICK, army, code=2).stderr
    assert army.read_bytes() == before
    run(*QUICK, "r.html")
    run(*QUICK, "r.html")
    run(*QUICK, army, "--force")
    assert army.read_bytes().startswith(b"<!DOCTYPE html>")


def test_only_regular_files_are_written(run: Run, place: Path, army: Path) -> None:
    os.mkfifo(place / "pipe")
    (place / "link").symlink_to(army)
    (place / "folder").mkdir()
    before = army.read_bytes()
    for name, kind in (("pipe", "a pipe"), ("link", "a link"), ("/dev/null", "a device")):
        assert f"is {kind}, not a file" in run(*QUICK, name, code=2).stderr
        assert f"is {kind}, not a file" in run(*QUICK, "r.html", "--journal", name, "--force", code=2).stderr
    with pytest.raises(UsageError, match="is a folder"):
        write_whole(place / "folder", "x")
    assert army.read_bytes() == before
    assert "cannot be written" in run(*QUICK, "x" * 5000, code=2).stderr


def test_a_file_is_there_whole_or_not_at_all(place: Path) -> None:
    path = place / "one.txt"
    write_whole(path, "first", ours=lambda head: head == b"first")
    path.chmod(0o640)
    write_whole(path, "second", ours=lambda head: head == b"first")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("second", 0o640)
    with pytest.raises(UsageError, match="something else"):
        write_whole(path, "third", ours=lambda head: head == b"first")
    assert [p.name for p in place.iterdir()] == ["one.txt"]


def test_a_linked_manifest_is_not_followed(run: Run, place: Path) -> None:
    (place / "secret.txt").write_text("id: hunter2\ntitle: [\n")
    (place / "pack").mkdir()
    (place / "pack" / "ruleset.yaml").symlink_to(place / "secret.txt")
    result = run("check", "pack", code=1)
    assert "this link leads to a file outside the folder" in result.output
    assert "hunter2" not in result.output


@pytest.mark.parametrize("where", ["~nosuchuser/game", "x" * 5000, "a\nb"])
def test_odd_paths_are_answered(run: Run, where: str) -> None:
    for command in (("check", where), ("army", "show", where), ("battle", where), ("replay", where)):
        run(*command, code=1 if command[0] == "replay" else 2)
