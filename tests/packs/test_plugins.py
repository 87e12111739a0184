"""Plugins: found by entry point, loaded when named, asked in order, named when they fail."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import warhost
from warhost import plugins, tools, vocabulary
from warhost.cli.program import program
from warhost.packs import load, read
from warhost.plugins import PluginError, activate, available

from .conftest import HILL, Writer

Install = Callable[..., str]

HEAD = "from pathlib import Path\nfrom warhost.hookspecs import hookimpl\nfrom warhost.vocabulary import *\n"
KIND = """
@hookimpl
def warhost_kinds():
    return [Kind("{0}", "{0}s", "doc")]
"""
FUNCTION = """
@hookimpl
def warhost_functions():
    return [Function("{0}", (), "number", lambda battle: 1, "doc")]
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs plugins as pip would leave them: a module and the entry points of its distribution."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    names: list[str] = []

    def installer(name: str, code: str, head: str = HEAD, group: str = "warhost.plugins", **files: str) -> str:
        (site / f"{name}.py").write_text(head + code)
        for file, text in files.items():
            (site / f"{name}_{file}.rules").write_text(text)
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {name}\n")
        names.append(name)
        return name

    yield installer
    tools._manager.cache_clear()
    for name in names:
        sys.modules.pop(name, None)
        if plugins._plugins.has_plugin(name):
            plugins._plugins.unregister(name=name)


RULES = '\n@hookimpl\ndef warhost_rules():\n    return [Path(__file__).with_name("{}")]\n'


def test_only_named_plugins_are_imported(install: Install) -> None:
    install("one_plugin", KIND.format("tool"))
    install("other_plugin", KIND.format("craft"))
    assert {"one_plugin", "other_plugin"} <= set(available())
    assert "one_plugin" not in sys.modules
    active, errors = activate(["one_plugin"])
    assert not errors
    assert active.names == ("one_plugin",)
    assert "other_plugin" not in sys.modules
    vocabulary, clashes = active.vocabulary()
    assert list(vocabulary.kinds) == ["tool"]
    assert not clashes


def test_hooks_are_asked_in_the_order_given_whatever_was_loaded_first(install: Install) -> None:
    for name in ("p_a", "p_b", "p_c"):
        install(name, FUNCTION.format(f"f_{name}"))
    activate(["p_c", "p_a", "p_b"])
    for order in (["p_a", "p_b"], ["p_b", "p_a"], ["p_c", "p_b", "p_a"]):
        active, _ = activate(order)
        assert [name for name, _ in active.each("warhost_functions")] == order
        assert list(active.vocabulary()[0].functions) == [f"f_{name}" for name in order]


def test_a_plugin_that_is_loaded_later_is_not_asked_by_those_who_do_not_name_it(install: Install) -> None:
    install("p_early", FUNCTION.format("f_early"))
    install("p_late", FUNCTION.format("f_late"))
    active, _ = activate(["p_early"])
    assert list(active.vocabulary()[0].functions) == ["f_early"]
    later, _ = activate(["p_late"])
    assert list(later.vocabulary()[0].functions) == ["f_late"]
    assert list(active.vocabulary()[0].functions) == ["f_early"]


def test_an_unknown_plugin_gets_the_nearest_name(install: Install) -> None:
    install("warhost_boats", "")
    _, (error,) = activate(["warhost_boat"])
    assert error.plugin == "warhost_boat"
    assert error.message == 'there is no plugin "warhost_boat"'
    assert error.hint == 'did you mean "warhost_boats"?'


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nothing_of_the_kind\n", "cannot be loaded: ModuleNotFoundError"),
        ("raise SystemExit(3)\n", "cannot be loaded: SystemExit: 3"),
        ("def x(:\n", "cannot be loaded: SyntaxError"),
        ("@hookimpl\ndef warhost_functions(nonsense): pass\n", 'asks for "nonsense" in warhost_functions; it is given'),
        ("@hookimpl\ndef warhost_function(): pass\n", 'implements "warhost_function", which is no hook'),
    ],
)
def test_a_plugin_that_fails_is_named_and_the_others_work(install: Install, code: str, words: str) -> None:
    install("bad_plugin", code)
    install("good_plugin", KIND.format("tool"))
    for _ in range(2):  # the second attempt finds no half-registered plugin
        active, (error,) = activate(["bad_plugin", "good_plugin"])
        assert "bad_plugin" in error.message
        assert words in error.message
        assert active.names == ("good_plugin",)
        assert list(active.vocabulary()[0].kinds) == ["tool"]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("    raise ValueError('ouch')\n", "went wrong in warhost_kinds: ValueError: ouch"),
        (
            "    yield Kind('a', 'as', 'doc')\n    raise ValueError('late')\n",
            "went wrong in warhost_kinds: ValueError: late",
        ),
        ("    return ['tool']\n", "must give Kinds in warhost_kinds, not 'tool'"),
        (
            "    return [Kind('tool', 'tools', 'doc', fields=(Field('kind', 'text', 'doc'),))]\n",
            'gives the kind tool a field "kind", which every instance has',
        ),
    ],
)
def test_a_hook_that_goes_wrong_names_its_plugin(install: Install, body: str, words: str) -> None:
    install("bad_plugin", f"@hookimpl\ndef warhost_kinds():\n{body}")
    active, errors = activate(["bad_plugin"])
    assert not errors
    with pytest.raises(PluginError, match="bad_plugin") as caught:
        active.vocabulary()
    assert words in caught.value.message


DECLARED = """
@hookimpl
def warhost_functions():
    return [Function("tired", [Parameter("unit", "{type}")], "{result}", lambda battle, unit: True, "doc", {effects})]
"""


@pytest.mark.parametrize("effects", ["('rolls',)", "['rolls']", "{'rolls'}"])
def test_the_effects_of_a_function_may_be_any_collection(install: Install, write: Writer, effects: str) -> None:
    install("pa", DECLARED.format(type="unit", result="yes_no", effects=f"effects={effects}"))
    function = load(with_plugins(write, "pa")).plugins.vocabulary()[0].functions["tired"]
    assert function.effects == frozenset({"rolls"})
    assert function.parameters == (vocabulary.Parameter("unit", "unit"),)


@pytest.mark.parametrize(
    ("given", "message", "hint"),
    [
        ("effects='writes'", "gives \"effects\" of the function 'tired' as 'writes'", "effects=('writes',)"),
        ("effects=3", "gives \"effects\" of the function 'tired' as 3", "effects=(..,)"),
        ("effects=(3,)", "gives \"effects\" of the function 'tired' as 3", "it must be a text"),
        ("asks='skill'", "gives \"asks\" of the function 'tired' as 'skill'", "asks=('skill',)"),
    ],
)
def test_a_field_of_another_type_is_told_at_the_plugin(
    install: Install, write: Writer, given: str, message: str, hint: str
) -> None:
    install("pa", DECLARED.format(type="unit", result="yes_no", effects=given))
    (problem,) = read(with_plugins(write, "pa"))[1]
    assert (problem.code, problem.line, problem.column) == ("plugin-failed", 9, 11)
    assert message in problem.message
    assert hint in (problem.hint or "")


def test_a_parameter_that_is_none_is_told_at_the_plugin(install: Install, write: Writer) -> None:
    install("pa", FUNCTION.format("tired").replace("()", "('unit',)", 2).replace("('unit',):", "():"))
    (problem,) = read(with_plugins(write, "pa"))[1]
    assert "gives \"parameters\" of the function 'tired' as 'unit'" in problem.message
    assert problem.hint == "it must be a Parameter"


def test_types_that_there_are_not_are_told_at_the_plugin(install: Install, write: Writer) -> None:
    install("pa", DECLARED.format(type="integer", result="bool", effects=""))
    install("pb", KIND.format("tool"))
    folder = with_plugins(write, "pa")
    said = 'the plugin "pa" gives {} of the function "tired" the type "{}", which there is not'
    assert [(p.code, p.line, p.column, p.message.partition(";")[0]) for p in read(folder)[1]] == [
        ("plugin-failed", 9, 11, said.format('"unit"', "integer")),
        ("plugin-failed", 9, 11, said.format("the result", "bool")),
    ]


def test_a_type_of_a_plugin_that_the_ruleset_does_not_use_is_one(install: Install, write: Writer) -> None:
    install("pa", DECLARED.format(type="list of tool", result="craft or none", effects=""))
    install("p_crafts", KIND.format("tool") + RULES.format("p_crafts_x.rules"), x="words craft: oar, net\n")
    assert read(with_plugins(write, "pa"))[1] == []


def with_plugins(write: Writer, *names: str, **files: str) -> Path:
    manifest = HILL["ruleset.yaml"] + f"plugins: [{', '.join(names)}]\n"
    return write("hill", HILL | {"ruleset.yaml": manifest} | {name.replace("__", "/"): t for name, t in files.items()})


def test_the_rules_of_plugins_lie_lowest_in_the_order_of_the_manifest(install: Install, write: Writer) -> None:
    install("pa", RULES.format("pa_x.rules"), x="number from_a() = 1\n")
    install("pb", RULES.format("pb_x.rules"), x="number from_b() = 1\n")
    ruleset = load(with_plugins(write, "pb", "pa"))
    assert [layer.id for layer in ruleset.layers] == ["pb", "pa", "hill_fight@1"]
    assert [p.name for p in ruleset.placed[:2]] == ["from_b", "from_a"]
    assert [p.layer.kind for p in ruleset.placed[:3]] == ["plugin", "plugin", "ruleset"]


def test_a_ruleset_says_replace_to_change_a_plugins_rule(install: Install, write: Writer) -> None:
    install("pa", RULES.format("pa_x.rules"), x="number shared() = 1\n")
    folder = with_plugins(write, "pa")
    (folder / "more.rules").write_text("number shared() = 2\n")
    _, problems = read(folder)
    assert [(p.code, p.line) for p in problems if p.file.endswith("more.rules")] == [("defined-twice", 1)]
    (folder / "more.rules").write_text("replace number shared() = 2\n")
    placed = load(folder).block("number", "shared")
    assert placed is not None
    assert [c.layer.id for c in placed.history] == ["pa", "hill_fight@1"]


def test_what_the_python_of_a_plugin_does_with_state_and_events_is_a_use(install: Install, write: Writer) -> None:
    code = '\n\ndef tire(battle, unit):\n    unit.tired = 1\n    battle.emit("fell", unit)\n'
    install("pa", FUNCTION.format("n") + code)
    said = "state of unit\n    tired: number = 0\nflag weary(unit) = unit.tired >= 3\nevent fell(unit)\n"
    said += "after hurt(unit)\n    if weary(unit)\n        lose(unit)\nprocedure lose(unit)\n    say \"tired\"\n"
    assert [p.code for p in read(with_plugins(write, **{"tired.rules": said}))[1]] == ["unused", "unused"]
    assert read(with_plugins(write, "pa"))[1] == []


def test_a_name_that_two_plugins_declare_is_a_problem_naming_both(install: Install, write: Writer) -> None:
    install("pa", KIND.format("tool"))
    install("pb", KIND.format("tool"))
    _, problems = read(with_plugins(write, "pa", "pb"))
    (problem,) = problems
    assert problem.message == 'the plugins "pa" and "pb" both declare the kind "tool"'
    assert (problem.line, problem.source) == (9, "plugins: [pa, pb]")
    assert problem.column == 15


def test_a_name_that_one_plugin_declares_twice_is_told_of_it_alone(install: Install, write: Writer) -> None:
    one = 'Function("tired", (), "number", lambda battle: 1, "doc")'
    code = f"@hookimpl\ndef warhost_functions():\n    return [{one},\n        {one}]\n"
    path = Path(install("pa", code))
    (problem,) = read(with_plugins(write, "pa"))[1]
    assert problem.message == 'the plugin "pa" declares the function "tired" twice'
    assert (problem.line, problem.column) == (9, 11)
    assert f"{path.name}.py:7" in (problem.hint or "")


@pytest.mark.parametrize("hook", ["warhost_functions", "warhost_rules", "warhost_libraries"])
def test_what_gives_no_list_is_told_once_where_the_plugin_is_named(
    install: Install, write: Writer, hook: str
) -> None:
    install("pa", f"@hookimpl\ndef {hook}():\n    return 5\n")
    folder = with_plugins(write, "pa")
    (problem,) = read(folder)[1]
    assert (problem.line, problem.column) == (9, 11)
    assert problem.message == f'the plugin "pa" went wrong in {hook}: TypeError: \'int\' object is not iterable'
    said = CliRunner().invoke(program, ["check", str(folder)], prog_name="warhost").output
    assert said.count("went wrong") == 1


def test_a_player_in_the_place_of_what_makes_one_is_told(install: Install) -> None:
    code = "class Bold:\n    def decide(self, decision, battle):\n        return 0\n\n"
    install("pa", code + "@hookimpl\ndef warhost_policies():\n    return {'bold': Bold()}\n")
    active, errors = activate(["pa"])
    assert not errors
    with pytest.raises(PluginError) as caught:
        active.policies()
    said = 'the plugin "pa" gives a Bold for the computer player "bold", and not what makes one of a seed'
    assert caught.value.message == said
    assert caught.value.hint == "write in warhost_policies: {'bold': Bold}"


def test_a_plugin_that_is_missing_is_told_at_its_place_and_alone(install: Install, write: Writer) -> None:
    install("pa", KIND.format("tool"))
    folder = with_plugins(write, "pa", "pz")
    (folder / "t.rules").write_text("tool Rope\n")
    _, problems = read(folder)
    assert [(p.code, p.line, p.column) for p in problems] == [("plugin-failed", 9, 15)]


BOARD = """
@hookimpl
def warhost_board_problems(board):
    if board.get("size") != 3:
        yield f"the size is {board.get('size')}"
    if "shade" in board:
        yield ["shade"], "no board has a shade"
"""


KEYS = """
@hookimpl
def warhost_board(battle, board):
    pass

@hookimpl
def warhost_board_keys():
    return ("size", "shade")
"""


def test_the_keys_of_a_board_are_those_that_plugins_say_they_read(install: Install, write: Writer) -> None:
    install("pa", KEYS)
    install("pb", "@hookimpl\ndef warhost_board(battle, board):\n    board.get('wind')\n")
    folder = with_plugins(write, "pa")
    (folder / "scenarios/two.yaml").write_text("id: two\nname: Two\nboard:\n  size: 4\n  wind: 1\n  shaed: 2\n")
    _, problems = read(folder)
    assert [(p.line, p.code, p.message) for p in problems] == [
        (5, "unread", 'no plugin of this ruleset reads "wind" of a board'),
        (6, "wrong-board", 'the board has no "shaed"'),
    ]
    folder = with_plugins(write, "pa", "pb")  # which does not say what it reads, and may read anything
    (folder / "scenarios/two.yaml").write_text("id: two\nname: Two\nboard:\n  size: 4\n  wind: 1\n  shaed: 2\n")
    _, problems = read(folder)
    assert [(p.line, p.code) for p in problems] == [(6, "wrong-board")]


def test_the_board_plugin_checks_the_boards_of_scenarios(install: Install, write: Writer) -> None:
    install("pa", BOARD)
    folder = with_plugins(write, "pa")
    (folder / "scenarios/two.yaml").write_text("id: two\nname: Two\nboard: {size: 4}\n")
    (folder / "scenarios/three.yaml").write_text("id: three\nname: Three\nboard:\n  size: 3\n  shade: 1\n")
    for _ in range(3):  # at each look: what the first one leaves in the cache hides nothing
        _, problems = read(folder)
        assert [(Path(p.file).name, p.line, p.message) for p in problems] == [
            ("three.yaml", 5, "no board has a shade"),
            ("two.yaml", 3, "the size is 4"),
        ]


def test_lists_of_kinds_are_checked_against_the_blocks(install: Install, write: Writer) -> None:
    install(
        "pa",
        KIND.format("tool")
        + KIND.format("craft").replace("warhost_kinds", "warhost_kinds_more").replace("@hookimpl", ""),
    )
    folder = with_plugins(write, "pa")
    (folder / "t.rules").write_text('tool Rope\ntool Lamp\ntool "Long Ladder"(n)\n')
    (folder / "data/more.yaml").write_text(
        "profiles:\n"
        "  a: {extends: man, tools: [Rope, Long Ladder(2), {name: Lamp}]}\n"
        "  b: {extends: a}\n"
        "  c: {extends: man, tools: [Roppe]}\n"
        "  d: {extends: c}\n"
        "  e: {extends: man, tools: Rope}\n"
        "  f: {extends: man, tools: ['Rope(']}\n"
    )
    ruleset, problems = read(folder)
    assert [(p.line, p.column, p.code, p.hint) for p in problems] == [
        (4, 29, "unknown-tool", 'did you mean "Rope"?'),
        (6, 28, "wrong-type", "write tools: [Rope]"),
        (7, 29, "wrong-value", "write Name, Name(2) or {name: Name, args: [2]}"),
    ]
    assert ruleset is not None
    borne = ruleset.profiles["b"].bears["tools"]
    assert [str(one) for one in borne] == ["Rope", "Long Ladder(2)", "Lamp"]
    assert borne[1].args == (2,)
    assert str(borne[1].pos).endswith("more.yaml:2:35")
    assert "tools" not in ruleset.profiles["b"].fields


# -- tools --------------------------------------------------------------------------------------------

TOOL = """
from pathlib import Path
import click
from warhost.hookspecs import hookimpl
from warhost.output_safety import write_whole
from warhost.tools import Command, Observer

ANSWER = 42

@click.command()
@click.argument("ruleset")
def census(ruleset):
    click.echo(f"counted {ruleset}")

class Counting:
    def __init__(self, battle, side=None):
        self.phases = 0
        battle.on_phase = self.phase
    def phase(self, battle):
        self.phases += 1
    def write(self, path, force=False):
        write_whole(Path(path), f"PHASES {self.phases}", "the count", self.is_ours, force)
    @staticmethod
    def is_ours(head):
        return head.startswith(b"PHASES")

@hookimpl
def warhost_commands():
    at = f"{__name__}:census"
    return [Command("census", at, "Count.", "Armies"), Command("army census", at, "Count.")]

@hookimpl
def warhost_observers():
    return [Observer("--phase-count", "FILE", "Count the phases.", "the count", f"{__name__}:Counting")]

@hookimpl
def warhost_names():
    return {"ANSWER": __name__}
"""


def test_a_tool_of_a_stranger_adds_commands_observers_and_names(install: Install, tmp_path: Path) -> None:
    install("my_tool", TOOL, head="", group="warhost.tools")
    tools._manager.cache_clear()
    run = CliRunner().invoke
    assert "  census " in run(program, ["--help"]).output
    assert run(program, ["census", "steppe"]).output == "counted steppe\n"
    assert run(program, ["army", "census", "steppe"]).output == "counted steppe\n"
    assert "census" in run(program, ["army", "--help"]).output
    assert warhost.ANSWER == 42
    assert [one.option for one in tools.observers()] == ["--report", "--phase-count"]
    del vars(warhost)["ANSWER"]


def test_a_tool_that_cannot_be_loaded_is_told_and_the_others_go_on(install: Install) -> None:
    install("bad_tool", "import nowhere_to_be_found", head="", group="warhost.tools")
    tools._manager.cache_clear()
    run = CliRunner().invoke
    assert 'the tool "bad_tool" cannot be loaded' in run(program, ["--help"]).output
    assert "nowhere_to_be_found" in run(program, ["cencus"]).output
    assert run(program, ["odds", "--help"]).exit_code == 0


CHECKS = """
from warhost.errors import Problem
from warhost.hookspecs import hookimpl
from warhost.tools import Check

def rules(checker, data, some):
    for name, block in sorted(checker.symbols.blocks["number"].items()):
        if name == "songs":
            checker.symbols.report(block.pos, "sung", "nobody sings here")
    return True

def ruleset(read):
    yield Problem("data/profiles.yaml", 1, 1, "many", f"{len(read.contents.data.profiles)} profiles")

def problems(found, read):
    assert all(layer.layer.folder for layer in read.sources)
    return [one for one in found if one.code != "many"] if len(found) > 1 else found

def broken(read):
    raise ValueError("out of ink")

@hookimpl
def warhost_checks():
    return [Check(of, f"{__name__}:{at}") for of, at in PAIRS]
"""


def checking(install: Install, name: str, *pairs: tuple[str, str]) -> None:
    install(name, f"PAIRS = {pairs}\n{CHECKS}", head="", group="warhost.tools")
    tools._manager.cache_clear()


def test_a_tool_of_a_stranger_checks_rules_data_and_what_was_found(install: Install, write: Writer) -> None:
    folder = with_plugins(write, "")
    assert read(folder)[1] == []  # and that is remembered
    checking(install, "first_check", ("ruleset", "ruleset"))
    assert [p.code for p in read(folder)[1]] == ["many"]
    (folder / "songs.rules").write_text("number songs() = 1\n", encoding="utf-8")
    checking(install, "second_check", ("rules", "rules"))
    assert {p.code for p in read(folder)[1]} == {"many", "sung"}
    checking(install, "third_check", ("problems", "problems"))
    assert [p.code for p in read(folder)[1]] == ["sung"]


def test_a_check_that_goes_wrong_is_told_and_the_others_go_on(install: Install, write: Writer) -> None:
    checking(install, "bad_check", ("ruleset", "broken"), ("ruleset", "ruleset"))
    assert [p.code for p in read(with_plugins(write, ""))[1]] == ["many"]
    assert any('the tool "bad_check" went wrong' in said and "out of ink" in said for said in tools.broken())


LIBRARY = """
@hookimpl
def warhost_libraries():
    return [RulesLibrary("{1}", Path(__file__).with_name("{0}_x.rules"), "doc", needs={2})]
"""


def asking(write: Writer, plugins_: str, libraries: str, more: str = "") -> Path:
    manifest = HILL["ruleset.yaml"] + f"plugins: [{plugins_}]\nlibraries: [{libraries}]\n"
    return write("hill", HILL | {"ruleset.yaml": manifest, "more.rules": more})


def test_a_library_takes_part_only_where_it_is_asked_for(install: Install, write: Writer) -> None:
    install("pa", LIBRARY.format("pa", "songs", ()), x="number songs() = 1\n")
    assert load(with_plugins(write, "pa")).block("number", "songs") is None
    placed = load(asking(write, "pa", "songs", "amend number songs\n    +1\n")).block("number", "songs")
    assert placed is not None
    assert [c.layer.id for c in placed.history] == ["pa", "hill_fight@1"]


def test_a_library_that_nobody_has_is_told_with_the_nearest_name(install: Install, write: Writer) -> None:
    install("pa", LIBRARY.format("pa", "songs", ()), x="number songs() = 1\n")
    _, problems = read(asking(write, "pa", "sogns"))
    assert [(p.code, p.line, p.column, p.hint) for p in problems] == [
        ("unknown-library", 10, 13, 'did you mean "songs"?')
    ]
    _, problems = read(asking(write, "pa", "dances"))
    assert [p.hint for p in problems] == ["there is songs; if another plugin has it, name that under `plugins`"]
    _, problems = read(asking(write, "pa", "duels"))
    assert [p.hint for p in problems] == [
        "duels is of the plugin warhost_common: add warhost_common to `plugins` in ruleset.yaml"
    ]


def test_a_house_rule_that_needs_a_plugin_is_told_who_can_name_it(install: Install, write: Writer) -> None:
    install("pa", "raise RuntimeError('nobody has named it')\n")  # so nobody loads it
    write("hill", HILL)
    lines = "\n        strength +1 when from_edge(unit) < 6 because \"fog\""
    house = write("own", {"fog.rules": f'house rule "Fog" for hill_fight\n    rule "Fog"{lines}\n'})
    _, problems = read("hill_fight", [house / "fog.rules"])
    assert [(p.line, p.hint) for p in problems] == [
        (3, "if the plugin pa has it, add that to `plugins` of a ruleset with `extends: hill_fight@1`; "
         "a house rule cannot name plugins")
    ]  # fmt: skip


def test_a_slip_is_not_blamed_on_a_plugin_that_nobody_names(install: Install, write: Writer) -> None:
    install("pa", "raise RuntimeError('nobody has named it')\n")
    write("hill", HILL)
    rules = (
        'house rule "Fog" for hill_fight\n'
        "    number bearers_of_fogs(unit) = 1\n"
        "    number mist(unit) = bearers_of_fog(unit) + duel_outcome(unit)\n"
    )
    house = write("own", {"fog.rules": rules})
    _, problems = read("hill_fight", [house / "fog.rules"])
    hints = [p.hint or "" for p in problems if p.code == "unknown-name"]
    assert hints[0] == 'did you mean "bearers_of_fogs"?'
    assert "write `libraries: [duels]` in ruleset.yaml" in hints[1]


def test_what_a_library_leaves_to_the_ruleset_is_told_once_where_it_is_asked_for(
    install: Install, write: Writer
) -> None:
    rules = "number songs() = voices() + voices()\n"
    install("pa", LIBRARY.format("pa", "songs", ("number voices()",)), x=rules)
    _, problems = read(asking(write, "pa", "songs"))
    assert [(p.code, p.line, p.message) for p in problems] == [
        ("library-needs", 10, 'the library "songs" leaves `number voices()` to the ruleset')
    ]
    assert load(asking(write, "pa", "songs", "number voices() = 3\n")).block("number", "voices") is not None


def test_two_libraries_of_one_name_are_a_problem_naming_both_plugins(install: Install, write: Writer) -> None:
    for name in ("pa", "pb"):
        install(name, LIBRARY.format(name, "songs", ()), x="number songs() = 1\n")
    _, problems = read(asking(write, "pa, pb", "songs"))
    assert any(p.message == 'the plugins "pa" and "pb" both have a library "songs"' for p in problems)
