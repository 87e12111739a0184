"""Rulesets, house rules, scenarios and battle files that were changed at random.

A change takes tokens, lines, or places in the tree of their data.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.changes import TIMES, broken
from tests.fuzz.games import GAME
from tests.fuzz.places import answered, game_folder

TOKEN = re.compile(r"\w+|[^\S\n]+|\n[ ]*|[^\w\s]")

#: Tokens of the game's own files, and some that have broken readers of other languages.
TOKENS = sorted({t for text in GAME.files.values() for t in TOKEN.findall(text)})
ODD_TOKENS = [
    "\x00", "\x1b[2J", "\u202e", "\ufeff", "\t", "\r", "{", "}", "{{", '"', "'", "&a", "*a", "<<", "!!python/object",
    "---", "9" * 400, "1e999", "0/0", "1/0", "d0", "10000d6", "it", "of", "none", "(" * 60, "\U0001f409", "é", "#",
    "..", "%", "|",
]  # fmt: skip

RULES = [name for name in GAME.named(r".*\.rules") if not name.startswith("house/")]
HOUSE = GAME.named(r"house/.*\.rules")
DATA = GAME.named(r".*\.yaml")


def parts_changed(parts: list[str], drawing: st.DataObject, ways: Mapping[str, Callable[[str], str]]) -> list[str]:
    """A list of parts with one to three of them left out, doubled, exchanged, or changed in one of the ways."""
    for _ in range(drawing.draw(st.integers(1, 3), label="parts")):
        i = drawing.draw(st.integers(0, len(parts) - 1), label="at")
        how = drawing.draw(st.sampled_from(["left out", "twice", "swap", *ways]))
        if how == "left out" and len(parts) > 1:
            del parts[i]
        elif how == "twice":
            parts.insert(i, parts[i])
        elif how == "swap":
            j = drawing.draw(st.integers(0, len(parts) - 1))
            parts[i], parts[j] = parts[j], parts[i]
        elif how in ways:
            parts[i] = ways[how](parts[i])
    return parts


def tokens_changed(text: str, drawing: st.DataObject) -> str:
    """The text with some tokens taken out, doubled, exchanged or put in the place of others."""

    def other(_: str) -> str:
        return drawing.draw(st.sampled_from(TOKENS))

    def odd(_: str) -> str:
        return drawing.draw(st.sampled_from(ODD_TOKENS))

    return "".join(parts_changed(TOKEN.findall(text), drawing, {"other": other, "odd": odd}))


def lines_changed(text: str, drawing: st.DataObject) -> str:
    """The text with some lines taken out, doubled, exchanged, or further in or out."""
    moves = {"in": lambda line: "    " + line, "out": lambda line: line.removeprefix("    ")}
    return "\n".join(parts_changed(text.split("\n"), drawing, moves))


def changed_file(name: str, drawing: st.DataObject) -> str:
    text = GAME.files[name]
    ways = ["tokens", "lines", "tree"] if name.endswith(".yaml") else ["tokens", "lines"]
    how = drawing.draw(st.sampled_from(ways), label="how")
    if how == "tree":
        return str(yaml.safe_dump(broken(yaml.safe_load(text), drawing), allow_unicode=True))
    return tokens_changed(text, drawing) if how == "tokens" else lines_changed(text, drawing)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with game_folder(tmp_path_factory.mktemp("packs")) as folder:
        yield folder


#: What is asked of a ruleset that is in order all the same.
ONE, TWO = GAME.units
WHOLE = [
    ["test", GAME.id], ["demo", GAME.id, "--seed", "3"], ["coverage", GAME.id], GAME.battle(),
    ["army", "show", GAME.armies[0], "--ruleset", GAME.id], ["explain", GAME.id, GAME.words[0]],
    ["army", "list", GAME.id], ["odds", GAME.id, "--attacker", ONE, "--defender", TWO, "--trials", "50"],
    ["fmt", "--check", GAME.id],
]  # fmt: skip


@settings(max_examples=60 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawing=st.data())
def test_a_ruleset_with_a_file_changed_at_random(place: Path, drawing: st.DataObject) -> None:
    name = drawing.draw(st.sampled_from(RULES + DATA), label="file")
    text = changed_file(name, drawing)
    folder = place / "games" / GAME.id
    (folder / name).write_text(text, encoding="utf-8", newline="")
    try:
        if answered(place, ["check", GAME.id]) == 0:
            for command in drawing.draw(st.lists(st.sampled_from(WHOLE), max_size=2), label="then"):
                answered(place, command)
    finally:
        GAME.write(folder, name)


@pytest.mark.skipif(not HOUSE, reason="the game offers no house rules")
@settings(max_examples=40 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawing=st.data())
def test_house_rules_changed_at_random(place: Path, drawing: st.DataObject) -> None:
    text = changed_file(drawing.draw(st.sampled_from(HOUSE)), drawing)
    file = place / "mine.rules"
    file.write_text(text, encoding="utf-8", newline="")
    if answered(place, ["check", GAME.id, "--house", str(file)]) == 0:
        answered(place, [*GAME.battle(), "--house", str(file)])


@settings(max_examples=40 * TIMES, deadline=None, suppress_health_check=list(HealthCheck))
@given(drawing=st.data())
def test_battle_files_and_scenarios_changed_at_random(place: Path, drawing: st.DataObject) -> None:
    name = drawing.draw(st.sampled_from(GAME.named("(battles|scenarios|armies)/.*")))
    folder = place / "games" / GAME.id
    (folder / name).write_text(changed_file(name, drawing), encoding="utf-8", newline="")
    kind, _, file = name.partition("/")
    try:
        if kind == "battles":
            answered(place, ["battle", str(folder / name), "--log", "none"])
        elif kind == "armies":
            answered(place, ["army", "show", str(folder / name)])
        else:
            answered(place, [*GAME.battle(), "--scenario", file.removesuffix(".yaml")])
    finally:
        GAME.write(folder, name)
