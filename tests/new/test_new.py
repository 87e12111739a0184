"""warhost new: each start is made, checked, tested and played; nothing is written over, or by halves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest
from click.testing import CliRunner

from tests.cli.game import write
from warhost.errors import UsageError
from warhost_new.names import name_of
from warhost_new.starts import plugin
from warhost_new.writing import write_all

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def place(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder for each test, beside a game of its own."""
    write(tmp_path / "games" / "tavern")
    monkeypatch.setenv("WARHOST_PATH", str(tmp_path / "games"))
    monkeypatch.setenv("WARHOST_CACHE", str(cache))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def run(*args: object, code: int = 0) -> str:
    from warhost.cli import program

    result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result.output


def following(output: str) -> list[str]:
    """The commands that `new` says to type next."""
    lines = output.partition("Next:\n")[2].splitlines()
    return [line.strip() for line in lines if line.startswith("    ")]


def typed(output: str) -> list[str]:
    """Type every command that it says; what each printed."""
    import shlex

    return [run(*shlex.split(line)[1:]) for line in following(output) if "--watch" not in line]


def all_files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*")}


# -- each of them -----------------------------------------------------------------------------------


def test_a_ruleset(place: Path) -> None:
    said = run("new", "ruleset", "Bridge Fight")
    assert "in order" in run("check", "bridge_fight")
    tested, played, asked = typed(said)
    assert "all 5 examples passed" in tested
    assert "Bridge Fight (bridge_fight@1)" in played
    assert "8 Raiders against 8 Guards" in asked
    assert "Exact" in asked
    assert not run("fmt", "--check", "bridge_fight").startswith("would change")
    for line in ("at most 5", "to_hit -n", "target.figures -= dead"):  # examples notice what is taken out
        change(place / "bridge_fight", line)


def change(folder: Path, line: str) -> None:
    """Without that line an example of the ruleset fails."""
    path = next(p for p in folder.rglob("*.rules") if line in p.read_text())
    whole = path.read_text()
    if line != "at most 5":
        path.write_text("".join(one for one in whole.splitlines(keepends=True) if line not in one))
        assert CliRunner().invoke(_program(), ["test", str(folder)]).exit_code == 1, line
    path.write_text(whole)


def _program() -> object:
    from warhost.cli import program

    return program


@pytest.mark.parametrize(("ruleset", "list_id"), [("small_fantasy", "orcs"), ("tavern", None)])
def test_an_army_list(place: Path, ruleset: str, list_id: str | None) -> None:
    chosen = ("--list", list_id) if list_id else ()
    said = run("new", "army-list", "Marsh Folk", "--for", ruleset, *chosen)
    checked, tested, listed, legal, played = typed(said)
    assert "in order" in checked
    assert "1 example passed" in tested
    assert "Marsh Folk" in listed
    assert "is legal" in legal
    assert "Marsh Folk" in played
    profiles = (place / "marsh_folk/data/marsh_folk.yaml").read_text()
    assert profiles.count("extends:") >= 1
    figure = next(line for line in profiles.splitlines() if line.strip().startswith(("# attacks", "# grit")))
    other = figure.replace("# ", "", 1).rsplit(" ", 1)[0] + " 7"
    (place / "marsh_folk/data/marsh_folk.yaml").write_text(profiles.replace(figure, other, 1))
    run("check", ruleset, "--house", "marsh_folk")
    run("test", ruleset, "--house", "marsh_folk", "-k", "marsh_folk.yaml", code=1)


@pytest.mark.parametrize(("ruleset", "edition"), [("small_fantasy", "1.6"), ("tavern", "3")])
def test_an_edition(place: Path, ruleset: str, edition: str) -> None:
    said = run("new", "edition", "Night Rules", "--for", ruleset)
    checked, differs, tested, played, listed = typed(said)
    assert f"{ruleset}@{edition} is in order" in checked
    assert "night rules changes" in differs
    assert "turns: " in differs
    assert "all 1 example passed" in tested
    assert f"{ruleset}@{edition}" in played
    assert ruleset in listed
    (changed,) = (place / "night_rules/scenarios").glob("*.yaml")
    changed.write_text(changed.read_text().partition("settings")[0] + "summary: Other.\n")
    run("test", "night_rules", "-k", "night_rules", code=1)
    assert "already; say another --edition" in run(
        "new", "edition", "x", "--for", ruleset, "--edition", {"3": "2"}.get(edition, "1.5"), code=2
    )


def test_what_an_edition_names_in_comments_can_be_put_in_force(place: Path) -> None:
    run("new", "edition", "Night Rules", "--for", "small_fantasy")
    rules, data = (place / "night_rules" / name for name in ("rules/changes.rules", "data/changes.yaml"))
    text = rules.read_text().partition("\n#\n")[2]
    blocks = [line.removeprefix("# ") for line in text.splitlines() if line[2:3].islower() or line[2:6] == "    "]
    kept = [line for line in blocks if not line.startswith("remove ")]  # the rule is amended in the next line
    assert len(kept) >= 5
    rules.write_text("\n".join(kept) + "\n")
    data.write_text(data.read_text().replace(" {}\n", "\n").replace("\n#   ", "\n  "))
    assert "in order" in run("check", "night_rules")
    manifest = place / "night_rules" / "ruleset.yaml"
    manifest.write_text(manifest.read_text().replace("# adopts", "adopts").replace("# opt_in", "opt_in"))
    adopted = manifest.read_text().partition("\nadopts: [")[2].partition("]")[0]
    assert "opt_in: true\n" in manifest.read_text()
    assert "in order" in run("check", "night_rules")
    assert f'no house rule "{adopted}"' not in run("check", "night_rules", "--house", adopted)


def test_an_edition_of_a_ruleset_of_ones_own_comes_beside_it(place: Path) -> None:
    run("new", "ruleset", "bridge_fight", "--in", "games")
    said = run("new", "edition", "Second", "--for", "games/bridge_fight")
    assert "wrote games/second/ruleset.yaml" in said
    assert "in order" in typed(said)[0]


def test_an_army_list_in_a_ruleset_of_ones_own(place: Path) -> None:
    run("new", "ruleset", "bridge_fight")
    said = run("new", "army-list", "Ferrymen", "--for", "bridge_fight")
    assert "wrote bridge_fight/armies/list_ferrymen.yaml" in said
    assert "--house" not in said
    checked, tested, _, legal, played = typed(said)
    assert "3 ready armies" in checked
    assert "is legal" in legal
    assert "all 1 example passed" in tested
    assert "Ferrymen" in played


def test_more_is_added_to_a_house_rule(place: Path) -> None:
    run("new", "army-list", "Marsh Folk", "--for", "small_fantasy")
    added = run("new", "army-list", "Eel Kin", "--for", "small_fantasy", "--in", "marsh_folk", "--list", "marsh_folk")
    assert "wrote marsh_folk/armies/list_eel_kin.yaml" in added
    assert "all 1 example passed" in typed(added)[1]
    added = run("new", "house-rules", "Wet Feet", "--for", "small_fantasy", "--in", "marsh_folk", "--number", "pace")
    assert "wrote marsh_folk/wet_feet.rules" in added
    assert "all 2 examples passed" in typed(added)[2]
    run("new", "scenario", "Bog", "--for", "small_fantasy", "--in", "marsh_folk")
    assert "in order" in run("check", "small_fantasy", "--house", "marsh_folk")


def test_an_army_of_a_house_rule(place: Path) -> None:
    run("new", "army-list", "Marsh Folk", "--for", "small_fantasy")
    said = run("new", "army", "Jarl", "--for", "small_fantasy", "--house", "marsh_folk", "--list", "marsh_folk")
    assert "Jarl is legal" in typed(said)[0]
    assert "house_rules: [./marsh_folk]" in (place / "jarl.yaml").read_text()


def test_an_army(place: Path) -> None:
    said = run("new", "army", "My Host", "--for", "small_fantasy", "--list", "dwarves")
    checked, shown, played = typed(said)
    assert "My Host is legal: 598 of 600 points." in checked
    assert "Dwarf axemen" in shown
    assert "My Host" in played


def test_an_army_within_a_limit() -> None:
    run("new", "army", "small", "--for", "small_fantasy", "--list", "elves", "--limit", 300)
    assert "is legal: 150 of 300 points" in run("army", "check", "small.yaml")


def test_an_army_that_cannot_be_made_leaves_nothing(place: Path) -> None:
    said = run("new", "army", "small", "--for", "small_fantasy", "--list", "elves", "--limit", 10, code=2)
    assert "Nothing was written" in said
    assert not all_files(place)


def test_a_scenario(place: Path) -> None:
    checked, tested, played = typed(run("new", "scenario", "Two Hills", "--for", "small_fantasy"))
    assert "5 scenarios" in checked
    assert "1 example passed" in tested
    assert "Two Hills, seed" in played
    path = place / "two_hills/scenarios/two_hills.yaml"
    path.write_text(path.read_text().replace("turns: 12", "turns: 11"))
    run("test", "small_fantasy", "--house", "two_hills", "-k", "two_hills", code=1)
    example = (place / "two_hills/examples/two_hills.yaml").read_text()
    assert "#   when: check_victory()\n" in example
    assert "battle.winner is side_a" in example


@pytest.mark.parametrize("ruleset", ["small_fantasy", "tavern"])
def test_house_rules(place: Path, ruleset: str) -> None:
    explained, checked, tested, _ = typed(run("new", "house-rules", "Fresh Legs", "--for", ruleset))
    assert "rule Fresh Legs: +1 when battle.turn == 1 (fresh legs)" in explained
    assert "in order" in checked
    assert "all 2 examples passed" in tested
    path = place / "fresh_legs/fresh_legs.rules"
    for old, new in (("+1", "+2"), ("when battle.turn == 1 ", "")):
        whole = path.read_text()
        path.write_text(whole.replace(old, new, 2) if old == "+1" else whole.replace(old, new))
        run("test", ruleset, "--house", "fresh_legs", "-k", "fresh_legs.yaml", code=1)
        path.write_text(whole)


def test_house_rules_for_a_number() -> None:
    run("new", "house-rules", "Thick Hides", "--for", "small_fantasy", "--number", "blow_armour")
    assert "rule Thick Hides" in run("explain", "small_fantasy", "blow_armour", "--house", "thick_hides")
    said = run("new", "house-rules", "Other", "--for", "small_fantasy", "--number", "blow_armor", code=2)
    assert 'did you mean "blow_armour"?' in said


def test_house_rules_above_others() -> None:
    run("new", "house-rules", "First", "--for", "tavern")
    said = run("new", "house-rules", "Second", "--for", "tavern", "--house", "first")
    assert "--house first --house second" in said
    assert "all 2 examples passed" in typed(said)[2]


@pytest.mark.parametrize(
    ("id_", "one", "many"),
    [("mounts", "mount", "mounts"), ("cautious", "cautious", "cautiouses"), ("glass", "glass", "glasses"),
     ("oasis", "oasis", "oasises"), ("stance", "stance", "stances")],
)  # fmt: skip
def test_the_kind_of_a_plugin_is_named_in_the_singular(id_: str, one: str, many: str, place: Path) -> None:
    text = plugin(name_of(id_), place).files[f"warhost_{id_}/__init__.py"]
    assert re.search(rf'Kind\(\n    "{one}",\n    "{many}",', text)


def test_a_plugin(place: Path, tmp_path: Path) -> None:
    """It is built by pip, loaded by its entry point, and its own test passes."""
    run("new", "plugin", "mounts")
    site = tmp_path / "site"
    quiet = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", str(site)]
    subprocess.run([*quiet, "./warhost_mounts"], check=True, capture_output=True)
    assert (site / "warhost_mounts/mounts.rules").is_file()
    paths = os.pathsep.join(map(str, (site, ROOT / "core", ROOT / "plugins")))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "warhost_mounts"], text=True, check=False,
        env={**os.environ, "PYTHONPATH": paths}, capture_output=True,
    )  # fmt: skip
    assert "2 passed" in done.stdout, done.stdout + done.stderr


# -- what cannot be ---------------------------------------------------------------------------------


def test_nothing_is_written_over(place: Path) -> None:
    run("new", "ruleset", "bridge_fight")
    (place / "bridge_fight/ruleset.yaml").write_text("mine")
    before = all_files(place)
    assert "exists already; nothing was written" in run("new", "ruleset", "bridge_fight", code=2)
    assert (place / "bridge_fight/ruleset.yaml").read_text() == "mine"
    assert all_files(place) == before


def test_all_or_nothing_in_a_folder_that_is_there(place: Path) -> None:
    (place / "b").mkdir()
    (place / "b/two.txt").symlink_to("nowhere")
    with pytest.raises(UsageError, match=r"b/two\.txt exists already"):
        write_all(place / "b", {"new/one.txt": "1", "two.txt": "2"})
    assert all_files(place) == {"b", "b/two.txt"}
    write_all(place / "b", {"new/one.txt": "1", "three.txt": "3"})
    assert (place / "b/new/one.txt").read_text() == "1"
    assert all_files(place / "b") == {"two.txt", "three.txt", "new", "new/one.txt"}


def test_a_place_that_cannot_be_written(place: Path) -> None:
    (place / "file").write_text("")
    assert "cannot be written" in run("new", "ruleset", "mine", "--in", "file/below", code=2)
    with pytest.raises(UsageError, match="nothing was written"):
        write_all(place, {"one.txt": "1", "file/two.txt": "2"})
    assert all_files(place) == {"file"}


@pytest.mark.parametrize("name", ["", "...", "7 dwarves", 'a"b', "{turn}", "a\nb#c", "../up", "x" * 61, "class"])
def test_names_that_are_none(place: Path, name: str) -> None:
    said = run("new", "plugin", name, code=2)
    assert "name" in said or "NAME" in said
    assert not all_files(place)


def test_names() -> None:
    assert (name_of("Marsh Folk").id, name_of("Marsh Folk").title) == ("marsh_folk", "Marsh Folk")
    assert (name_of("marsh_folk").id, name_of("marsh_folk").title) == ("marsh_folk", "Marsh folk")
    assert name_of("Öde Höhe").id == "ode_hohe"
    assert name_of("O'Brien's Men").id == "obriens_men"


def test_without_a_terminal_it_says_what_is_missing() -> None:
    assert "say --for RULESET" in run("new", "army", "mine", code=2)
    assert "say NAME" in run("new", "ruleset", code=2)
    assert "say KIND (one of ruleset, edition, house-rules" in run("new", code=2)
    assert 'did you mean "orcs"?' in run("new", "army", "mine", "--for", "small_fantasy", "--list", "orc", code=2)
    assert "word of the rules language" in run("new", "plugin", "number", code=2)
    assert "installed already" in run("new", "plugin", "weapons", code=2)
    assert 'has a kind of block "trait"' in run("new", "plugin", "trait", code=2)
    assert 'a ruleset "small_fantasy" is installed' in run("new", "ruleset", "Small Fantasy", code=2)


def test_at_a_terminal_it_asks(place: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "core"), str(ROOT / "plugins")])}
    child = pexpect.spawn(
        sys.executable, ["-m", "warhost", "new"], cwd=str(place), env=environment, encoding="utf-8", timeout=60
    )  # fmt: skip
    for question, answer in (
        ("What\\?", "army-list"), ("called\\?", "Cellar Rats"), ("For which ruleset\\?", "tavern"),
    ):  # fmt: skip
        child.expect(question)
        child.sendline(answer)
    child.expect("Next:")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert (place / "cellar_rats/armies/list_cellar_rats.yaml").is_file()
