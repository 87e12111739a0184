"""The manual as a test: every block of code of a page is run, in the order of the page, in an empty folder.

What a block is says its language and the comment above it (which readers of the page do not see):

    <!-- file: causeway/turn.rules -->    the block becomes that file
    <!-- add to: causeway/turn.rules -->  the block is put at the end of that file
    <!-- exit: 1 -->                      the commands of the block end with 1 instead of 0
    <!-- typed: 1 / quit -->              what a person types, line by line; only the first of it is shown
    <!-- smaller: 2 for 10000; .. -->     run with these words in the place of those, so that it takes no minutes
    <!-- not run: why -->                 nothing is done with the block

A `console` block holds commands with what they print (`$ warhost ..`, also with `time` before it; `$ python
benchmarks/..`; `$ pip install FOLDER` for a plugin of the page); a `pycon` block is a session of Python, one for each
page; `rules`, `yaml` and `python` blocks without a comment must at least be read without a mistake.
In what is printed `...` stands for anything, and blanks do not count.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(
    r"(?:^<!-- (?P<what>file|add to|exit|typed|smaller|not run): (?P<value>.*?) -->\n)?"
    r"^```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A block of code. what and value: the comment above it; line: where its text begins."""

    page: str
    line: int
    language: str
    what: str
    value: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text(encoding="utf-8")
    label = page.relative_to(ROOT).as_posix()
    for found in _FENCE.finditer(text):
        line = text.count("\n", 0, found.start("text")) + 1
        yield Block(label, line, found["language"], found["what"] or "", found["value"] or "", found["text"])


class Reader:
    """Does what a page says, in a folder."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {}
        self.commands = 0
        path = os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])
        self.environment = {
            **os.environ, "PYTHONPATH": path, "WARHOST_CACHE": str(cache), "NO_COLOR": "1", "COLUMNS": "100",
            "WARHOST_PATH": "", "XDG_DATA_HOME": str(folder / ".data"), "PYTHONIOENCODING": "utf-8",
        }  # fmt: skip

    def read(self, block: Block) -> None:
        """Do what a block says. Raises AssertionError when something else comes of it."""
        if block.what == "not run":
            return
        if block.what in ("file", "add to"):
            self._write(block)
        elif block.language == "console":
            self._commands(block)
        elif block.language == "pycon":
            self._session(block)
        elif block.language == "python":
            compile(block.text, block.where, "exec")
        elif block.language == "rules":
            _parse(block)
        elif block.language == "yaml":
            _load(block)
        elif block.language == "toml":
            tomllib.loads(block.text)
        else:
            raise AssertionError(f"{block.where}: what is to be done with a `{block.language}` block?")

    def _write(self, block: Block) -> None:
        path = self.folder / block.value
        path.parent.mkdir(parents=True, exist_ok=True)
        if block.what == "add to":
            assert path.is_file(), f"{block.where}: there is no {block.value} yet"
            path.write_text(path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" + block.text, encoding="utf-8")
        else:
            path.write_text(block.text, encoding="utf-8")

    # -- commands ----------------------------------------------------------------------------------

    def _commands(self, block: Block) -> None:
        wanted_exit = int(block.value) if block.what == "exit" else 0
        typed = "".join(f"{line}\n" for line in block.value.split(" / ")) if block.what == "typed" else None
        for shown, wanted in commands_of(block):
            command = _smaller(shown, block) if block.what == "smaller" else shown
            arguments = shlex.split(command.removeprefix("time "))
            if arguments[:2] == ["pip", "install"]:
                self._install(self.folder / arguments[-1])
                continue
            done = subprocess.run(
                [sys.executable, *_of_python(arguments, block)], cwd=self.folder, env=self.environment, text=True,
                input=typed or "", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False,
                encoding="utf-8",
            )  # fmt: skip
            self.commands += 1
            told = f"{block.where}: $ {command}\n{done.stdout}"
            assert done.returncode == wanted_exit, f"{told}\nexit code {done.returncode}"
            expected = wanted + "...\n" if typed is not None else wanted
            if wanted.strip() and not same(expected, done.stdout):
                raise AssertionError(f"{told}\nthe page says:\n{wanted}")

    def _install(self, project: Path) -> None:
        """What pip would leave of a small project: its modules on the path, and its entry points."""
        about = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        site = self.folder / ".site"
        info = site / f"{about['name']}-{about['version']}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
        lines: list[str] = []
        for group, aims in about["entry-points"].items():
            lines += [f"[{group}]", *(f"{name} = {aim}" for name, aim in aims.items())]
        (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
        path = [str(site), str(project), self.environment["PYTHONPATH"]]
        self.environment["PYTHONPATH"] = os.pathsep.join(path)

    # -- Python --------------------------------------------------------------------------------------

    def _session(self, block: Block) -> None:
        test = doctest.DocTestParser().get_doctest(block.text, self.names, block.page, block.page, block.line - 1)
        runner = doctest.DocTestRunner(verbose=False, optionflags=_OPTIONS)
        said: list[str] = []
        home = Path.cwd()
        os.chdir(self.folder)
        try:
            runner.run(test, out=said.append, clear_globs=False)
        finally:
            os.chdir(home)
        self.names = test.globs
        assert not runner.failures, "".join(said)


def _of_python(arguments: list[str], block: Block) -> list[str]:
    """What Python is to run for a command."""
    if arguments[0] == "warhost":
        return ["-m", *arguments]
    assert arguments[0] == "python", f"{block.where}: only warhost and python may be run, not {arguments[0]}"
    assert arguments[1].startswith("benchmarks/"), f"{block.where}: only what lies in benchmarks/ may be run"
    return [str(ROOT / arguments[1]), *arguments[2:]]


def _smaller(command: str, block: Block) -> str:
    """A command with smaller figures."""
    for change in block.value.split("; "):
        new, old = change.split(" for ")
        if old in command:
            command = command.replace(old, new)
    return command


def same(wanted: str, got: str) -> bool:
    return doctest.OutputChecker().check_output(wanted.strip() + "\n", got.strip() + "\n", _OPTIONS)


def commands_of(block: Block) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    command, printed = "", ""
    for line in block.text.splitlines(keepends=True):
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line[2:].strip(), ""
        else:
            assert command, f"{block.where}: a console block begins with a command"
            printed += line
    if command:
        yield command, printed


def _parse(block: Block) -> None:
    from warhost.lang.parser import parse

    _, problems = parse(block.text, block.where)
    assert not problems, "\n".join(p.render() for p in problems)


def _load(block: Block) -> None:
    from warhost.packs.yaml_events import read_yaml

    _, problems = read_yaml(block.text, block.where)
    assert not problems, "\n".join(p.render() for p in problems)
