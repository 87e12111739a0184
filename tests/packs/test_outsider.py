"""An outsider's distribution (tests/outsider): as good as the bundle when whole, named when broken."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "tests/outsider"
BATTLE = (
    "battle",
    "lane_duel",
    "--army",
    "rams",
    "--army",
    "goats",
    "--player",
    "hasty",
    "--seed",
    "3",
    "--log",
    "none",
)


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


class Installed:
    """The distribution as pip leaves it: the package, and its entry points."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.site, self.work = folder / "site", folder / "work"
        self.work.mkdir()
        shutil.copytree(PROJECT / "warhost_outsider", self.site / "warhost_outsider")
        about = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        info = self.site / "warhost_outsider-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
        groups: Mapping[str, Mapping[str, str]] = about["entry-points"]
        lines = [f"[{group}]\n" + "".join(f"{n} = {at}\n" for n, at in of.items()) for group, of in groups.items()]
        (info / "entry_points.txt").write_text("\n".join(lines))
        path = [str(self.site), str(ROOT / "core"), str(ROOT / "plugins")]
        self.environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(path), "WARHOST_CACHE": str(cache), "NO_COLOR": "1",
            "WARHOST_PATH": "", "XDG_DATA_HOME": str(folder / "data"), "COLUMNS": "300", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def change(self, file: str, pattern: str, by: str) -> Path:
        """A mistake in a file of the package."""
        path = self.site / "warhost_outsider" / file
        text, times = re.subn(pattern, by, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert times, f"{file} has no {pattern}"
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "warhost", *arguments], cwd=self.work, env=self.environment, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        assert "Traceback" not in done.stdout
        assert "defect in Warhost" not in done.stdout
        return done.stdout


@pytest.fixture
def outsider(tmp_path: Path, cache: Path) -> Installed:
    (tmp_path / "pip").mkdir()
    return Installed(tmp_path / "pip", cache)


def test_all_that_it_brings_is_there(outsider: Installed) -> None:
    assert "lane_duel" in outsider.run("rulesets")
    assert "A duel" not in outsider.run("demo", "--json")  # what one sees first does not change
    assert "is in order" in outsider.run("check", "lane_duel")
    assert "all 4 examples passed" in outsider.run("test", "lane_duel")
    said = outsider.run(*BATTLE, "--tally", "tally.csv", "--report", "report.html")
    assert "won after" in said
    assert (outsider.work / "tally.csv").read_text().startswith("turn,phase,side,units\n1,going,The Rams,2\n")
    assert "mire on place 4" in (outsider.work / "report.html").read_text()
    assert "The Rams        2        7" in outsider.run("census", "lane_duel")
    outsider.run("army", "csv", "lane_duel", "goats", "--output", "goats.csv")
    assert (outsider.work / "goats.csv").read_text().splitlines()[1] == "White goats,goats,6,"
    outsider.run("army", "csv", "lane_duel", "goats", "--output", "report.html", code=2)  # somebody else's file
    assert " csv " in outsider.run("army", "--help")


def test_a_board_of_a_stranger_is_checked_where_it_stands(outsider: Installed) -> None:
    outsider.change("rulesets/lane_duel/scenarios/bridge.yaml", r"mire: \[4\]", "mire: [40]")
    said = outsider.run("check", "lane_duel", code=1)
    assert "lane_duel/scenarios/bridge.yaml:4:27: the lane has places 1 to 7" in said.splitlines()


def test_a_place_off_a_board_of_a_stranger_is_told_where_an_example_has_it(outsider: Installed) -> None:
    outsider.change("rulesets/lane_duel/examples/butting.yaml", r'at: "6"', 'at: "8"')
    said = outsider.run("check", "lane_duel", code=1)
    assert "lane_duel/examples/butting.yaml:8:57: the lane has places 1 to 7" in said.splitlines()
    assert "1 mistake" in said


#: file, what is changed into what, the word of the command, what is said of it, the line of Python that is named.
LOADING = [
    ("plugin.py", "^from warhost_outsider import lane", "import nowhere", "ModuleNotFoundError: No module named", 12),
    ("plugin.py", r"^STANCE = Kind\(", "STANCE = = Kind(", "cannot be loaded: SyntaxError", 18),
    ("plugin.py", "def warhost_picture", "def warhost_pictures", 'implements "warhost_pictures", which is no hook', 54),
    (
        "plugin.py",
        r"^def warhost_picture\(battle",
        "def warhost_picture(fight",
        'asks for "fight" in warhost_picture; it',
        54,
    ),
    (
        "plugin.py",
        r"^@hookimpl\ndef warhost_picture",
        "def warhost_picture",
        "has warhost_picture without @hookimpl",
        54,
    ),
    (
        "plugin.py",
        "def warhost_picture",
        "def warhost_commands",
        "has warhost_commands, which only a tool is asked",
        54,
    ),
    (
        "plugin.py",
        r"    return \(STANCE,\)",
        '    raise KeyError("x")',
        "went wrong in warhost_kinds: KeyError: 'x'",
        26,
    ),
    ("plugin.py", r"    return \(STANCE,\)", "    return 3", "went wrong in warhost_kinds: TypeError", None),
    (
        "lane.py",
        "    length, mire = .*",
        '    raise ValueError("late")',
        "went wrong in warhost_board_problems",
        83,
    ),
    ("lane.py", '"list of number", steps_on', '"list of numbre", steps_on', 'did you mean "number"?', None),
    ("lane.py", r"def gap\(battle: PluginBattle, ", "def gap(", 'the function "gap" of the plugin', 26),
    ("lane.py", '"writes", "emits"', '"writs"', 'the function "walk" has the effect "writs"; there are: chooses', None),
    (
        "lane.py", r"    return abs\(int\(a.spot\) - int\(b.spot\)\)", "    a.spot = 4\n    return 1",
        'the function "gap" is pure, and it writes "spot"', 28,
    ),
    (
        "lane.py", r"    return any\(one.spot", '    battle.put(place, "spot", 4)\n    return any(one.spot',
        "is pure, and it calls battle.put(..)", None,
    ),
    ("plugin.py", 'Field."weight", "number"', 'Field("weight", "numbr"', 'kind "stance" the type "numbr"', None),
]


def named(said: str, path: Path, line: int | None) -> bool:
    return 'the plugin "outsider"' in said and (line is None or f"({path}:{line})" in said)


@pytest.mark.parametrize(("file", "pattern", "by", "words", "line"), LOADING, ids=range(len(LOADING)))
def test_a_plugin_that_cannot_be_used_is_named_where_a_ruleset_asks_for_it(
    outsider: Installed, file: str, pattern: str, by: str, words: str, line: int | None
) -> None:
    path = outsider.change(file, pattern, by)
    said = outsider.run("check", "lane_duel", code=1)
    place = ":4:1: " if "board_problems" in words else "lane_duel/ruleset.yaml:6:11: "
    assert place in said
    assert words in said
    assert named(said, path, line), said
    assert "1 mistake" in said


def test_a_broken_plugin_takes_no_other_ruleset_down(outsider: Installed) -> None:
    path = outsider.change("plugin.py", '    return {"hasty": Hasty}', '    raise KeyError("x")')
    outsider.change("tool.py", "^from warhost.tools", "from warhost.nowhere")
    fight = ("battle", "small_fantasy", "--army", "elves", "--army", "orcs", "--seed", "1", "--log", "none")
    assert "won after" in outsider.run(*fight)
    said = outsider.run(*fight, "--player", "hasty", code=2)
    assert 'there is no computer player "hasty"' in said
    assert named(said, path, 41), said
    assert 'the tool "outsider" cannot be loaded: ModuleNotFoundError' in outsider.run("--help")


FUNCTION = r"    return abs\(int\(a.spot\) - int\(b.spot\)\)"
PLAYING = [
    ("lane.py", FUNCTION, '    raise RuntimeError("ouch")', "in act: the plugin", "RuntimeError: ouch", 28),
    ("lane.py", FUNCTION, "    return a.spot.nothing", "in act: the plugin", "AttributeError: ", 28),
    ("lane.py", FUNCTION, "    return gap(battle, a, b)", "in act: the plugin", "RecursionError: ", 28),
    ("lane.py", FUNCTION, "    raise SystemExit(0)", "in act: the plugin", "SystemExit: 0", 28),
    ("lane.py", FUNCTION, '    return "far"', "in act: the plugin", "gives a number, and it gave 'far'", 26),
    ("lane.py", FUNCTION, "    return 0.5", "in act: the plugin", "gives a number, and it gave 0.5, a float", 26),
    ("lane.py", FUNCTION, "    return None", "in act: the plugin", "gives a number, and it gave None", 26),
    (
        "lane.py",
        r"    length = int\(plain\(board\).*",
        "    length = board.nothing",
        "warhost_board",
        "AttributeError",
        70,
    ),
    ("player.py", "        ratings = decision.*", '        raise ValueError("no idea")', "", "ValueError: no idea", 19),
    ("player.py", "        return max.*", '        return "best"', "gave a wrong answer", "not 'best'", 17),
    ("player.py", "        return max.*", "        return 99", "gave a wrong answer", "not 99", 17),
    (
        "player.py", r"    def __init__\(self, seed.*", "    def __init__(self) -> None:",
        "must take one argument, the seed", "cannot be made", 11,
    ),
    ("player.py", "    def decide", "    def decides", "has no method `decide(self, decision, battle)`", "hasty", 11),
    (
        "player.py", r"decide\(self, decision: Decision, battle: \w+\)", "decide(self, decision: Decision)",
        "must take the decision and the battle", "`decide(self, decision, battle)`", 17,
    ),
    ("player.py", "        self.seed = .*", '        raise ValueError("seed")', '"hasty" cannot be made', "seed", 15),
]


@pytest.mark.parametrize(("file", "pattern", "by", "words", "error", "line"), PLAYING, ids=range(len(PLAYING)))
def test_what_goes_wrong_in_play_is_named_with_rule_and_line_of_python(
    outsider: Installed, file: str, pattern: str, by: str, words: str, error: str, line: int
) -> None:
    path = outsider.change(file, pattern, by)
    said = outsider.run(*BATTLE, code=1)
    assert 'the plugin "outsider"' in said
    assert f"({path}:{line})" in said
    assert words in said
    assert error in said
    if words.startswith("in act"):
        assert "rules/butting.rules:" in said  # the rule that called it


def test_what_goes_wrong_in_an_example_is_told_of_it_and_the_others_are_run(outsider: Installed) -> None:
    path = outsider.change("lane.py", r"    return any\(one.spot.*", '    raise RuntimeError("ouch")')
    said = outsider.run("test", "lane_duel", code=1)
    assert f'the plugin "outsider" went wrong: RuntimeError: ouch ({path}:' in said
    assert re.search(r"examples/\S+\.yaml:\d+: ", said)
    assert re.search(r"\.rules:\d+: in ", said)
    assert re.search(r"\d examples? failed, \d passed", said)


def test_what_rules_do_wrong_is_no_fault_of_the_plugin_that_asked_them(outsider: Installed) -> None:
    outsider.change(
        "rulesets/lane_duel/rules/butting.rules",
        "    stride -1 when",
        "    stride -(1 / (unit.horns - unit.horns)) when",
    )
    said = outsider.run(*BATTLE, code=1)
    assert "division" in said
    assert "the plugin" not in said


WATCHING = [
    ("        clock = battle.battle", "ValueError: oh", 23),
    ("        self.lines = .HEAD.", "ValueError: oh", 17),
    ("        write_whole.*", "ValueError: oh", 30),
    ("^from pathlib import Path", "ModuleNotFoundError", 5),
]


@pytest.mark.parametrize(("pattern", "error", "line"), WATCHING)
def test_an_observer_who_goes_wrong_leaves_the_battle_and_the_others_alone(
    outsider: Installed, pattern: str, error: str, line: int
) -> None:
    by = "import nowhere" if "import" in pattern else '        raise ValueError("oh")'
    path = outsider.change("tally.py", pattern, by)
    said = outsider.run(*BATTLE, "--tally", "tally.csv", "--report", "report.html", code=1)
    assert "won after" in said
    assert "report: report.html" in said
    assert f'the tool "outsider" went wrong in warhost_outsider.tally:Tally: {error}' in said
    assert f"({path}:{line}); the tally is not written" in said
    assert not (outsider.work / "tally.csv").exists()
    frames = re.findall(r"<section|<figure", (outsider.work / "report.html").read_text())
    assert len(frames) > 4  # a picture after every phase, as if nobody else had watched


TOOLS = [
    ("commands.py", "^import csv", "import nowhere", ("census", "lane_duel"), 1, "commands:census: ModuleNotFound", 5),
    ("commands.py", r"(    rules = load\(ruleset, house\))", r"\1.nothing", ("census", "lane_duel"), 1, "nothing", 26),
    ("tool.py", ':census"', ':HEAD"', ("census", "lane_duel"), 1, "HEAD is no click command", None),
    (
        "tool.py",
        '    at = "warhost.*',
        '    raise ValueError("x")',
        ("--help",),
        0,
        "in warhost_commands: ValueError",
        13,
    ),
    ("tool.py", "warhost_commands", "warhost_comands", ("--help",), 0, 'did you mean "warhost_commands"?', 11),
    (
        "tool.py",
        '"census", f',
        '"battle", f',
        ("--help",),
        0,
        'offers battle in warhost_commands, as "warhost_battles"',
        None,
    ),
    (
        "tool.py",
        '"--tally", ',
        '"--report", ',
        ("--help",),
        0,
        'offers --report in warhost_observers, as "warhost_rep',
        None,
    ),
    (
        "tool.py",
        "return .Observer.*",
        "return 3,",
        ("--help",),
        0,
        "must give Observers in warhost_observers, not 3",
        None,
    ),
]


@pytest.mark.parametrize(("file", "pattern", "by", "command", "code", "words", "line"), TOOLS, ids=range(len(TOOLS)))
def test_a_tool_that_goes_wrong_is_named_and_the_other_commands_go_on(
    outsider: Installed, file: str, pattern: str, by: str, command: tuple[str, ...], code: int, words: str,
    line: int | None,
) -> None:  # fmt: skip
    path = outsider.change(file, pattern, by)
    said = outsider.run(*command, code=code)
    assert words in " ".join(said.split())
    assert line is None or f"({path}:{line})" in "".join(said.split())  # the help is broken into lines
    if "nowhere" in by:
        assert "is in order" in outsider.run("check", "lane_duel")
        assert " show " in outsider.run("army", "--help")


def test_a_ruleset_of_a_package_does_not_take_the_name_of_a_bundled_one(outsider: Installed) -> None:
    outsider.change("rulesets/lane_duel/ruleset.yaml", "^id: lane_duel", "id: small_fantasy")
    said = outsider.run("army", "list", "small_fantasy")
    assert "small_fantasy means small_fantasy@1.5" in said
    assert "orcs" in said
