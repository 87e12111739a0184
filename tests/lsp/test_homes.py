"""Which ruleset, with which house rules, a file belongs to; and what the command says without its library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from warhost_lsp.homes import RulesetHome, home_of

ROOT = Path(__file__).resolve().parents[2]


def home(path: Path) -> RulesetHome | None:
    return home_of(path, path.read_text(encoding="utf-8"))


def test_files_of_a_ruleset_belong_to_it(hill: Path) -> None:
    for name in ("ruleset.yaml", "rules/units.rules", "data/units.yaml", "armies/reds.yaml", "examples/marching.yaml"):
        assert home(hill / name) == RulesetHome(str(hill)), name


def test_house_rules_of_a_ruleset_are_read_above_it(hill: Path) -> None:
    assert home(hill / "house" / "rain.rules") == RulesetHome(str(hill), ("rain",))
    assert home(hill / "house" / "giants.yaml") == RulesetHome(str(hill), ("giants",))
    stray = hill / "house" / "stray.rules"
    stray.write_text("")
    assert home(stray) == RulesetHome(str(hill), (str(stray),))
    beside = hill / "examples" / "more.rules"
    beside.write_text("")
    assert home(beside) == RulesetHome(str(hill), (str(beside),))


def test_a_house_rule_of_its_own_says_what_it_is_for(tmp_path: Path) -> None:
    alone = tmp_path / "mine.rules"
    alone.write_text('house rule "Mine" for destiny\n    rule "X"\n        reads "Y."\n')
    assert home(alone) == RulesetHome("destiny", (str(alone),))


def test_a_folder_of_a_house_rule_is_one(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    (folder / "examples").mkdir(parents=True)
    rules, example = folder / "mine.rules", folder / "examples" / "mine.yaml"
    rules.write_text('house rule "Mine" for destiny\n    rule "X"\n        reads "Y."\n')
    example.write_text("[]\n")
    assert home(rules) == home(example) == RulesetHome("destiny", (str(folder),))


def test_what_belongs_to_no_ruleset_has_no_home(tmp_path: Path) -> None:
    for name in ("a.rules", "b.yaml", "c.txt"):
        (tmp_path / name).write_text("a: 1\n")
        assert home(tmp_path / name) is None


def test_without_pygls_the_command_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['pygls'] = None; sys.argv = ['warhost', 'lsp']; from warhost.cli import main; main()"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / folder) for folder in ("core", "plugins"))}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 2
    assert "pip install 'warhost[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr
