"""Command lines put together at random, questions about odds among them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.changes import TIMES
from tests.fuzz.games import GAME
from tests.fuzz.places import answered, game_folder
from warhost.cli import program

#: Commands that may rightly take long or go on until they are stopped, and those that write into what they are given.
LEFT_OUT = ("balance", "mutate", "fmt", "lsp")

#: Options that make other commands so.
NOT_TYPED = ("record", "workers", "battles", "watch")

#: What stands where a word is wanted.
WORDS = (
    GAME.id, *GAME.words, "nothing", "", "-1", "0", "1", "3", "99999999999999999999", "1e9", "NaN", "(((",
    "\x1b[2J", "\u202e", "../../etc/passwd", "/dev/null", "/dev/zero", "~nosuchuser/x", "a" * 5000, "games",
    f"games/{GAME.id}", "new.html", "new.jsonl", "random", "--", "-",
)  # fmt: skip

@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with game_folder(tmp_path_factory.mktemp("commands")) as folder:
        yield folder


def commands() -> dict[tuple[str, ...], click.Command]:
    """Every command by its words."""
    found: dict[tuple[str, ...], click.Command] = {}
    todo: list[tuple[tuple[str, ...], click.Command]] = [((), program)]
    while todo:
        words, command = todo.pop()
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                if below is not None and name not in LEFT_OUT:
                    todo.append(((*words, name), below))
        else:
            found[words] = command
    return found


def written(drawing: st.DataObject, command: click.Command) -> list[str]:
    """Options and words for a command; half of them of the right sort."""
    parts: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            first = GAME.id if parameter.name == "ruleset" else None
            words = st.sampled_from(WORDS)
            parts += [drawing.draw(st.just(first) | words if first else words)]
        elif drawing.draw(st.integers(0, 4)) == 0 and parameter.name not in NOT_TYPED:
            parts.append(parameter.opts[0])
            if not getattr(parameter, "is_flag", False):
                choices = getattr(parameter.type, "choices", None)
                known = st.sampled_from([str(c) for c in choices]) if choices else st.sampled_from(WORDS)
                parts.append(drawing.draw(known | st.sampled_from(WORDS)))
    return parts


@settings(max_examples=150 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawing=st.data())
def test_any_command_line(place: Path, drawing: st.DataObject) -> None:
    every = commands()
    words = drawing.draw(st.sampled_from(sorted(every)), label="command")
    answered(place, [*words, *written(drawing, every[words])])


@settings(max_examples=60 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawing=st.data())
def test_any_question_about_odds(place: Path, drawing: st.DataObject) -> None:
    word = st.sampled_from(WORDS)
    command = ["odds", GAME.id, "--trials", "50"]
    for option, proper in zip(("--attacker", "--defender"), GAME.units, strict=True):
        command += [option, drawing.draw(st.just(proper) | word, label=option)]
    for option, value in (
        ("--what", word), ("--given", word), ("--set", word), ("--sweep", word),
        ("--method", st.sampled_from(["auto", "exact", "simulation"])), ("--until", st.sampled_from(["round", "end"])),
    ):  # fmt: skip
        if drawing.draw(st.booleans()):
            command += [option, drawing.draw(value, label=option)]
    answered(place, command)
