"""The program as a whole: help, exit codes, colours, what is imported, hostile input."""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest

import warhost
from tests.cli.conftest import Run, data
from warhost.cli.help_examples import WithExamples
from warhost.cli.program import LazyGroup, program

ROOT = Path(__file__).resolve().parents[2]


assert isinstance(program, LazyGroup)
COMMANDS = program.known()


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        command = program.get_command(click.Context(program), name)
        if isinstance(command, click.Group):
            found += [(name, below) for below in command.list_commands(click.Context(command))]
        else:
            found.append((name,))
    return found


def command_of(path: Sequence[str]) -> click.Command:
    command: click.Command = program
    for name in path:
        assert isinstance(command, click.Group)
        below = command.get_command(click.Context(command), name)
        assert below is not None
        command = below
    return command


def spawn(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")]), **environment}
    return subprocess.run(
        [sys.executable, "-m", "warhost", *args], capture_output=True, text=True, env=env, timeout=120, check=False
    )


# -- help -------------------------------------------------------------------------------------


def test_the_list_of_commands(run: Run) -> None:
    text = run("--help").stdout
    for name, entry in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(entry.summary)}$", text, re.MULTILINE), name


def test_summaries_are_those_of_the_commands() -> None:
    for name, entry in COMMANDS.items():
        assert (command_of((name,)).help or "").splitlines()[0] == entry.summary


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(run: Run, path: tuple[str, ...]) -> None:
    text = run(*path, "--help").stdout
    assert "Example" in text
    assert f"  warhost {' '.join(path)}" in text
    for option in ("--no-color", "--debug"):
        assert option in text
    assert run(*path, "-h").stdout == text


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_every_example_runs(run: Run, path: tuple[str, ...]) -> None:
    command = command_of(path)
    assert isinstance(command, WithExamples)
    assert command.examples
    for example in command.examples_here():
        words = shlex.split(example.partition(" > ")[0])
        assert words[0] == "warhost"
        run(*words[1:])


def test_commands_that_load_a_ruleset_take_house_rules() -> None:
    for path in commands():
        if path in (("rulesets",), ("fmt",), ("compare",), ("import",), ("lsp",)):
            continue
        assert any("--house" in p.opts for p in command_of(path).params), path


def test_version(run: Run) -> None:
    assert run("--version").stdout == f"warhost, version {warhost.__version__}\n"
    assert f'version = "{warhost.__version__}"' in (ROOT / "pyproject.toml").read_text()


def test_an_unknown_command(run: Run) -> None:
    assert 'there is no command "chek"; did you mean "check"?' in run("chek", code=2).stderr


# -- what is imported -----------------------------------------------------------------------------

HEAVY = ("warhost.engine", "lark", "shapely", "jsonschema", "numpy", "rich")


def imported_by(code: str, **environment: str) -> set[str]:
    """The heavy modules that are there after some code has run."""
    script = f"import sys\n{code}\nprint([m for m in sys.modules if m.startswith({HEAVY!r})], file=sys.stderr)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")]), **environment}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
    return set(ast.literal_eval(done.stderr.splitlines()[-1]))


PROGRAM = "from warhost.cli import program\ntry: program.main({!r}, prog_name='warhost')\nexcept SystemExit: pass"


def test_help_imports_nothing_heavy() -> None:
    every = [["--help"], *([*path, "--help"] for path in commands())]
    assert imported_by("\n".join(PROGRAM.format(args) for args in every)) == set()


def completing(words: str) -> dict[str, str]:
    """The environment in which a shell asks for completions."""
    place = str(len(words.split(" ")) - 1)
    return {"_WARHOST_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}


@pytest.mark.parametrize("words", ["", "check ", "check tavern --house ", "army show tavern:"])
def test_completion_imports_nothing_heavy(words: str) -> None:
    assert imported_by(PROGRAM.format(None), **completing(f"warhost {words}")) == set()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("warhost ch", ["check"]),
        ("warhost check ta", ["tavern"]),
        ("warhost check tavern --house s", ["short_night"]),
        ("warhost army check tavern:r", ["tavern:reds"]),
        ("warhost battle tavern --army b", ["blues"]),
        ("warhost battle tavern --scenario ", ["taproom"]),
        ("warhost battle x.yaml --log ", ["text", "json", "none"]),
    ],
)
def test_completion(words: str, offered: list[str]) -> None:
    done = spawn(**completing(words))
    assert [line.partition(",")[2] for line in done.stdout.splitlines()] == offered


def test_the_public_names_come_lazily() -> None:
    assert imported_by("import warhost") == set()
    for name in warhost.__all__:
        assert getattr(warhost, name) is not None, name
    assert set(warhost.__all__) <= set(dir(warhost))
    with pytest.raises(AttributeError):
        _ = warhost.nothing_of_the_kind


# -- exit codes -----------------------------------------------------------------------------------


def test_a_defect_is_one_sentence_and_how_to_report_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError("two\nlines")

    monkeypatch.setattr("warhost.packs.readings.read_from", broken)
    result = run("check", "tavern", code=3)
    assert "defect in Warhost itself, not in what you wrote: ValueError: two lines" in result.stderr
    assert "with what the same command says with --debug" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Traceback" in run("check", "tavern", "--debug", code=3).stderr
    assert "Traceback" in run("--debug", "check", "tavern", code=3).stderr


def test_ctrl_c_is_quiet(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("warhost.packs.readings.read_from", interrupted)
    assert run("check", "tavern", code=130).output == ""


def test_nobody_reads_on() -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])}
    command = f"{shlex.quote(sys.executable)} -m warhost army show tavern:reds --format html"
    script = f"{command} | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=False)
    assert done.stderr == ""
    assert done.returncode in (0, 1, 141)


@pytest.mark.parametrize(
    ("how", "codes"),
    [(">&-", {0}), (">&- 2>&-", {0}), ("> /dev/full", {2}), ("| true; exit ${PIPESTATUS[0]}", {0, 1, 141})],
)
def test_a_battle_whose_story_cannot_be_told(how: str, codes: set[int]) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])}
    command = f"{shlex.quote(sys.executable)} -m warhost demo tavern {how}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=env, check=False)
    assert done.returncode in codes, done.stderr
    assert "defect" not in done.stderr


def test_a_full_disk_in_the_middle_of_a_journal(place: Path) -> None:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])}
    demo = f"{shlex.quote(sys.executable)} -m warhost demo tavern --journal long.jsonl"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; {demo}"], capture_output=True, text=True, env=env, check=False, cwd=place
    )
    assert (done.returncode, "defect" in done.stderr) == (2, False), done.stderr


def test_the_entry_point() -> None:
    done = spawn("check", "tavern")
    assert done.returncode == 0
    assert done.stdout.startswith("tavern@2 is in order")
    assert done.stderr == ""
    assert spawn("check", "nothing").returncode == 2
    assert spawn().returncode in (0, 2)
    assert "Usage: warhost" in spawn("--help").stdout


# -- colours --------------------------------------------------------------------------------------


def test_plain_when_not_a_terminal(run: Run) -> None:
    for args in (("demo",), ("check", "tavern"), ("coverage", "tavern"), ("army", "show", "tavern:reds")):
        assert "\x1b" not in run(*args).output


def on_a_terminal(*args: str, **environment: str) -> str:
    """What the command writes to a terminal."""
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")]), "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "warhost", *args], stdout=follower, stderr=follower, env={**env, **environment}
    ) as process:
        os.close(follower)
        seen = b""
        try:
            while part := os.read(leader, 4096):
                seen += part
        except OSError:  # the other end was closed
            pass
        process.wait()
    os.close(leader)
    return seen.decode()


def test_colours_on_a_terminal_only_if_wanted() -> None:
    assert "\x1b[" in on_a_terminal("check", "tavern")
    assert "\x1b[" not in on_a_terminal("check", "tavern", "--no-color")
    assert "\x1b[" not in on_a_terminal("check", "tavern", NO_COLOR="1")


# -- hostile input ----------------------------------------------------------------------------------

FILES_THAT_ARE_NONE = {
    "binary": bytes(range(256)) * 4,
    "empty": b"",
    "tag": b"!!python/object/apply:os.system [echo]\n",
    "bomb": b"a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\n"
    b"d: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d]\n",
    "deep": b"[" * 5000,
    "escape": b"id: \x1b[31mred\n",
    "words": b"just words\n",
    "number": b"7\n",
    "null": b"null\n",
}


@pytest.fixture(params=sorted(FILES_THAT_ARE_NONE))
def strange(request: pytest.FixtureRequest, place: Path) -> Path:
    path = place / f"{request.param}.yaml"
    path.write_bytes(FILES_THAT_ARE_NONE[request.param])
    return path


@pytest.mark.parametrize("args", [("battle",), ("army", "check"), ("army", "show"), ("replay",)], ids=" ".join)
def test_files_that_are_no_such_thing(run: Run, strange: Path, args: tuple[str, ...]) -> None:
    more = ("--ruleset", "tavern") if args[0] == "army" else ()
    result = run(*args, strange.name, *more, code=1)
    assert result.stderr
    assert "\x1b" not in result.output
    assert "Traceback" not in result.output
    found = data(run(*args, strange.name, *more, "--json", code=1))
    assert found.get("ok", found.get("legal")) is False
    assert found["errors"]


def test_a_ruleset_of_rubbish(run: Run, strange: Path, place: Path) -> None:
    folder = place / "rubbish"
    folder.mkdir()
    (folder / "ruleset.yaml").write_bytes(strange.read_bytes())
    found = data(run("check", folder, "--json", code=1))
    assert found["ok"] is False
    assert found["errors"]


READING_PATHS = [("battle",), ("army", "check"), ("army", "show"), ("check",), ("replay",), ("fmt",)]


@pytest.mark.parametrize("args", READING_PATHS, ids=" ".join)
def test_what_is_not_there_and_folders(run: Run, place: Path, args: tuple[str, ...]) -> None:
    missing = run(*args, "nothing/here.yaml", code=1 if args == ("replay",) else 2)
    assert "nothing/here.yaml" in missing.stderr
    (place / "folder").mkdir()
    if args != ("fmt",):
        more = ("--ruleset", "tavern") if args[0] == "army" else ()
        found = run(*args, "folder", *more, code=1 if args[0] in ("replay", "army") else 2)
        assert "folder" in found.stderr
        assert "Traceback" not in found.output


def test_a_file_that_may_not_be_read(run: Run, place: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path = place / "secret.yaml"
    path.write_text("kind: army\n")
    path.chmod(0)
    run("army", "check", path, "--ruleset", "tavern", code=1)


def test_rulesets_with_no_ruleset_at_all(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["warhost.packs.find"], "places", lambda: [])
    assert "No ruleset is installed" in run("rulesets").stdout
    assert "no ruleset is installed" in run("demo", code=2).stderr
    assert "warhost check RULESET" in run("check", "--help").stdout
