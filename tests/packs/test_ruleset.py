"""Loading whole rulesets: what comes out, and what is told when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counting import calls
from warhost.errors import Problem, RulesInvalid, UsageError, mistakes
from warhost.lang.tree import ProcedureBlock
from warhost.packs import load, read
from warhost_proof.grades import coverage

from .conftest import HILL, Writer

FEW = settings(max_examples=40)


def problems_of(folder: Path | str, *house: str | Path) -> list[Problem]:
    return read(folder, house)[1]


def told(folder: Path | str, *house: str | Path) -> list[tuple[str, int, int, str]]:
    return [(Path(p.file).name, p.line, p.column, p.code) for p in problems_of(folder, *house)]


def test_what_a_ruleset_holds(hill: Path) -> None:
    ruleset = load("hill_fight")
    assert (ruleset.id, ruleset.edition, ruleset.title) == ("hill_fight", "1", "Hill fight")
    assert ruleset.length_unit == "cm"
    assert ruleset.folder == hill
    assert [layer.id for layer in ruleset.layers] == ["hill_fight@1"]
    assert list(ruleset.profiles) == ["pike"]
    assert list(ruleset.abstract_profiles) == ["man"]
    assert list(ruleset.lists) == ["red_list"]
    assert list(ruleset.armies) == ["blues", "reds"]
    assert list(ruleset.scenarios) == ["open_field"]
    assert list(ruleset.house_rules) == ["rain", "giants"]
    assert [example.title for example in ruleset.examples] == ["Marching tires"]
    assert ruleset.rulebook["R-4"].ruled_out == "nobody flies"
    assert ruleset.scenarios["open_field"].data["name"] == "Open field"


def test_files_are_merged_in_the_order_of_their_paths(hill: Path) -> None:
    assert [Path(p.block.pos.file).name for p in load(hill).placed][-1] == "turn.rules"
    (hill / "rules/zz.rules").write_text("number last() = 1\n")
    (hill / "aa.rules").write_text("number first() = 1\n")
    names = [p.name for p in load(hill).placed if p.kind == "number"]
    assert names == ["first", "strength", "last"]


def test_values_of_profiles_know_their_files(hill: Path) -> None:
    (hill / "data/more.yaml").write_text("profiles:\n  scout:\n    extends: pike\n    pace: 5\n")
    scout = load(hill).profiles["scout"]
    assert scout.fields == {"skill": 4, "pace": 5}
    assert scout.lineage == ("pike", "man")
    assert scout.name == "Scout"
    assert scout.ref == ()
    assert (scout.fields.pos("pace").line, scout.fields.pos("pace").column) == (4, 11)
    assert scout.fields.pos("pace").file.endswith("more.yaml")
    assert scout.fields.pos("skill").file.endswith("units.yaml")
    assert scout.fields.pos("skill").line == 3


def test_tables_by_tuples_of_keys(hill: Path) -> None:
    table = load(hill).tables["cost"]
    assert table.cells == {("dry", 1): 0, ("dry", 2): 1, ("wet", 1): 1, ("wet", 2): 2}
    assert table.by == ("weather", "step")
    assert table.key_types == ("word", "number")
    assert not table.has_otherwise
    assert (table.pos_of(("wet", 2)).line, table.pos_of(("wet", 2)).column) == (5, 72)


@pytest.mark.parametrize(
    ("rows", "column"),
    [
        ("{dry: 3}", 40),
        ("{dry: {1: {2: 3}}}", 44),
        ("{dry: {1: 0, x: 1}}", 47),
    ],
)
def test_a_table_with_wrong_rows(hill: Path, rows: str, column: int) -> None:
    (hill / "data/t.yaml").write_text(f"tables:\n  t: {{by: [weather, step], rows: {rows}}}\n")
    assert told(hill) == [("t.yaml", 2, column, "wrong-table")]


# -- house rules ---------------------------------------------------------------------------------


def test_a_chosen_house_rule_lies_on_top(hill: Path) -> None:
    ruleset = load(hill, house=["rain"])
    assert ruleset.house == ("rain",)
    assert [(layer.id, layer.title, layer.kind) for layer in ruleset.layers] == [
        ("hill_fight@1", "Hill fight", "ruleset"),
        ("rain", "Rain", "house"),
    ]
    march = ruleset.block("procedure", "march")
    assert march is not None
    assert isinstance(march.block, ProcedureBlock)
    assert march.block.ref == ("R-3",)
    layer = ruleset.layer_of(march.block.pos)
    assert layer is not None
    assert layer.id == "rain"
    base = load(hill)
    assert base.digest != ruleset.digest


def test_a_house_rule_of_data_changes_single_fields(hill: Path) -> None:
    ruleset = load(hill, house=["giants"])
    assert ruleset.profiles["pike"].fields == {"skill": 5}
    assert ruleset.profiles["pike"].fields.pos("skill").file.endswith("giants.yaml")
    assert [(c.layer.id, c.what) for c in ruleset.profiles["pike"].history] == [
        ("hill_fight@1", "defined"),
        ("giants", "amended"),
    ]
    assert ruleset.profiles["giant"].fields == {"skill": 9}
    assert ruleset.tables["cost"].cells[("dry", 2)] == 3
    assert ruleset.tables["cost"].cells[("wet", 2)] == 2
    units = ruleset.lists["red_list"].data["units"]
    assert [unit["profile"] for unit in units] == ["pike", "giant"]
    assert units.pos(0).file.endswith("red_list.yaml")
    assert units.pos(1).file.endswith("giants.yaml")


def test_lists_are_amended_unit_by_unit_and_option_by_option(hill: Path) -> None:
    (hill / "mine.yaml").write_text(
        "lists:\n  red_list:\n    amend: true\n    units:\n"
        "      - {profile: pike, size: {max: 9}, options: [{id: banner, remove: true}, {id: horn, points: 1}]}\n"
    )
    (hill / "armies/reds.yaml").write_text(HILL["armies/reds.yaml"].replace("banner", "horn"))
    mine = hill.parent / "mine.yaml"
    (hill / "mine.yaml").rename(mine)
    (unit,) = load(hill, house=[mine]).lists["red_list"].data["units"]
    assert unit["size"] == {"min": 4, "max": 9}
    assert [option["id"] for option in unit["options"]] == ["horn"]


def test_house_rules_by_path_file_and_folder(hill: Path, write: Writer) -> None:
    folder = write(
        "night",
        {
            "night.rules": 'house rule "Night" for hill_fight\n    number gloom() = 1\n',
            "owls.yaml": "profiles:\n  owl: {name: Owl, extends: man}\n",
            "scenarios/dusk.yaml": "id: dusk\nname: Dusk\n",
        },
    )
    ruleset = load(hill, house=[folder])
    assert ruleset.house == ("night",)
    assert ruleset.layers[-1].title == "Night"
    assert ruleset.block("number", "gloom") is not None
    assert "owl" in ruleset.profiles
    assert list(ruleset.scenarios) == ["open_field", "dusk"]
    assert load(hill, house=["night/night.rules"]).house == ("night",)


def test_the_order_of_house_rules_is_the_order_given(hill: Path, write: Writer) -> None:
    write("", {"one.rules": "number first_one() = 1\n", "two.rules": "number second_one() = 1\n"})
    one, two = load(hill, house=["one.rules", "two.rules"]), load(hill, house=["two.rules", "one.rules"])
    assert one.house == ("one", "two")
    assert two.house == ("two", "one")
    assert [p.name for p in two.placed[-2:]] == ["second_one", "first_one"]
    assert one.digest != two.digest


def test_two_house_rules_of_data_that_change_the_same_field(hill: Path, write: Writer) -> None:
    change = "profiles:\n  pike: {amend: true, skill: 7}\n"
    write(
        "",
        {
            "other.yaml": change,
            "knows.yaml": "after: [Giants]\n" + change,
            "far.yaml": change.replace("skill", "pace"),
        },
    )
    assert told(hill, "giants", "other.yaml") == [("other.yaml", 2, 23, "house-conflict")]
    assert load(hill, house=["giants", "knows.yaml"]).profiles["pike"].fields["skill"] == 7
    assert load(hill, house=["giants", "far.yaml"]).profiles["pike"].fields == {"skill": 5, "pace": 7}


def test_unknown_house_rules_are_wrong_usage(hill: Path, write: Writer) -> None:
    with pytest.raises(UsageError, match=r'no house rule "rian"; did you mean "rain"\? \(on offer: rain, giants\)'):
        load(hill, house=["rian"])
    write("", {"wall.rules": 'house rule "Wall"\n    number x() = 1\n'})
    with pytest.raises(UsageError, match=r'no house rule "wal.rules"; did you mean "wall.rules"\?'):
        load(hill, house=["wal.rules"])
    with pytest.raises(UsageError, match="given twice"):
        load(hill, house=["rain", "rain"])


def test_a_house_rule_for_another_ruleset(hill: Path, write: Writer) -> None:
    write("", {"x.rules": 'house rule "X" for hill_figt\n    number x() = 1\n', "y.yaml": "for: other\n"})
    assert told(hill, "x.rules", "y.yaml") == [
        ("x.rules", 1, 1, "wrong-ruleset"),
        ("y.yaml", 1, 6, "wrong-ruleset"),
    ]


def test_mistakes_in_house_rules_on_offer_come_out_without_choosing_them(hill: Path) -> None:
    (hill / "house/rain.rules").write_text('house rule "Rain" for hill_fight\n    number a( = 1\n')
    (hill / "house/giants.yaml").write_text("profils: {}\n")
    assert {(file, line) for file, line, _, _ in told(hill)} == {("rain.rules", 2), ("giants.yaml", 1)}


def test_refs_in_house_rules_on_offer_are_checked_without_choosing_them(hill: Path) -> None:
    (hill / "house/rain.rules").write_text(HILL["house/rain.rules"].replace("R-3", "R-33"))
    assert told(hill) == [("rain.rules", 5, 40, "unknown-ref")]


# -- data of layers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "code"),
    [
        ("profiles:\n  pike: {skill: 1}\n", (2, 3), "defined-twice"),
        ("profiles:\n  pyke: {amend: true, skill: 1}\n", (2, 3), "unknown-name"),
        ("profiles:\n  pyke: {remove: true}\n", (2, 3), "unknown-name"),
        ("profiles:\n  pike: {amend: true, remove: true}\n", (2, 23), "wrong-change"),
        ("scenarios:\n  open_field: {name: Twice}\n", (2, 3), "defined-twice"),
    ],
)
def test_wrong_changes_of_data(hill: Path, write: Writer, text: str, place: tuple[int, int], code: str) -> None:
    write("", {"x.yaml": text})
    assert told(hill, "x.yaml") == [("x.yaml", *place, code)]


def test_removing_what_others_name_is_told_where_it_is_removed(hill: Path, write: Writer) -> None:
    write("", {"x.yaml": "profiles:\n  pike: {remove: true}\n"})
    assert {(file, code) for file, _, _, code in told(hill, "x.yaml")} == {("x.yaml", "removed-but-used")}


def test_profiles_that_extend_each_other_in_a_circle(hill: Path) -> None:
    (hill / "data/c.yaml").write_text(
        "profiles:\n  a: {extends: b}\n  b: {extends: c}\n  c: {extends: b}\n  d: {extends: mann}\n"
    )
    problems = [p for p in problems_of(hill) if p.file.endswith("c.yaml")]
    assert [(p.line, p.code) for p in problems] == [(3, "circle"), (5, "unknown-profile")]
    assert problems[0].message == "profiles extend each other in a circle: b -> c -> b"
    assert problems[1].hint == 'did you mean "man"?'


@pytest.mark.parametrize("length", [50, 51])
def test_profiles_may_build_on_each_other_over_fifty_steps(hill: Path, length: int) -> None:
    lines = "".join(f"  p{i}: {{extends: p{i + 1}, pace: {i}}}\n" for i in range(length))
    (hill / "data/c.yaml").write_text(f"profiles:\n{lines}  p{length}: {{skill: 1}}\n")
    if length > 50:
        assert told(hill) == [("c.yaml", 2, 17, "too-large")]
        return
    p0 = load(hill).profiles["p0"]
    assert p0.fields == {"skill": 1, "pace": 0}
    assert len(p0.lineage) == 50


#: Texts of so many lines, all of them wrong.
HOSTILE: dict[str, Callable[[int], str]] = {
    "a chain": lambda n: "profiles:\n" + "".join(f"  p{i}: {{extends: p{i + 1}}}\n" for i in range(n)),
    "a broad ancestor": lambda n: (
        "profiles:\n  p: {" + ", ".join(f"f{i}: 1" for i in range(n // 4)) + "}\n"
        + "".join(f"  p{i}: {{extends: p}}\n" for i in range(n))
    ),
    "wrong names": lambda n: (
        "profiles:\n" + "".join(f"  soldier_{i}: {{extends: solder_{i}x}}\n" for i in range(n // 4))
    ),
    "wrong changes": lambda n: "profiles:\n" + "".join(f"  soldier_{i}: {{amend: true}}\n" for i in range(n // 4)),
    "wrong keys": lambda n: "profiles: {}\n" + "".join(f"soldier_{i}: 1\n" for i in range(n)),
    "wrong values": lambda n: "profiles:\n" + "".join(f"  Soldier {i}: 1\n" for i in range(n)),
}  # fmt: skip

HOSTILE_RULES: dict[str, Callable[[int], str]] = {
    "amendments": lambda n: "amend number strength\n    +1 when unit.lost > 1\n" * n,
    "removals": lambda n: "".join(f"remove number strenth_{i}\n" for i in range(n)),
    "phases": lambda n: "".join(f'phase p{i} after marching\n    say "x"\n' for i in range(n * 3 // 5)),
    "fields": lambda n: "".join(f"state of unit\n    f{i}: number = 0\n" for i in range(n)),
    "variants": lambda n: "".join(f"tool Pike(v{i})\n" for i in range(n)),
}


def work_of(hill: Path, file: Path, text: str) -> int:
    """What it takes to read a ruleset whose file holds a text that is wrong."""
    file.write_text(text)
    return calls(lambda: problems_of(hill) or pytest.fail("no problem was found"))


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_data_are_no_more_work_than_they_are_long(hill: Path, what: str) -> None:
    short, long = (work_of(hill, hill / "data/x.yaml", HOSTILE[what](n)) for n in (500, 2_000))
    assert long <= 5 * short


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_data_end_in_problems(hill: Path, what: str) -> None:
    (hill / "data/x.yaml").write_text(HOSTILE[what](20_000))
    assert problems_of(hill)


@pytest.mark.parametrize("what", HOSTILE_RULES)
def test_hostile_rules_are_no_more_work_than_they_are_long(hill: Path, what: str) -> None:
    short, long = (work_of(hill, hill / "x.rules", HOSTILE_RULES[what](n)) for n in (1_000, 4_000))
    assert long <= 5 * short


# -- references ----------------------------------------------------------------------------------

BROKEN = {
    "armies/red_list.yaml": (
        "kind: list\nid: red_list\nname: Reds\nunits:\n"
        "  - {profile: pkie, options: [{id: a}, {id: a}]}\n  - {profile: man}\n",
        [(5, 15, "unknown-profile"), (5, 45, "defined-twice"), (6, 15, "abstract-profile")],
    ),
    "armies/reds.yaml": (
        "kind: army\nid: reds\nname: R\nlist: redlist\nunits: [{profile: pike}]\n",
        [(4, 7, "unknown-list")],
    ),
    "armies/blues.yaml": (
        "kind: army\nid: blues\nname: B\nlist: red_list\n"
        "units: [{id: x, profile: pike, options: [baner]}, {id: x, profile: pike}]\n",
        [(5, 42, "unknown-option"), (5, 56, "defined-twice")],
    ),
    "examples/marching.yaml": (
        "- title: M\n  ref: [R-1, R-22]\n"
        "  given: {scenario: opn_field, sides: [{name: R, units: [{id: p, profile: pik}]}]}\n"
        "  when: march(p)\n  then: {result: 1}\n",
        [(2, 14, "unknown-ref"), (3, 21, "unknown-scenario"), (3, 75, "unknown-profile")],
    ),
    "rules/more.rules": ("number x() = 1   ref R-1, R-9\n", [(1, 27, "unknown-ref")]),
    "data/units.yaml": (
        HILL["data/units.yaml"].replace("[R-1]", "[R-1, Q-1]"),
        [(2, 46, "unknown-ref")],
    ),
    "ruleset.yaml": (
        HILL["ruleset.yaml"].replace("[reds, blues]", "[reds, greens]").replace("open_field", "closed"),
        [(8, 18, "unknown-scenario"), (8, 41, "unknown-army")],
    ),
    "battles/b.yaml": (
        "scenario: open_fiel\nsides:\n  - {army: reds}\n  - {army: ../armies/blues.yaml}\n"
        "  - {army: greens}\n  - {army: ../armies/green.yaml}\n",
        [(1, 11, "unknown-scenario"), (5, 12, "unknown-army"), (6, 12, "unknown-army")],
    ),
    "rulebook.yaml": (
        HILL["rulebook.yaml"] + "- {id: R-1, title: Again}\n",
        [(6, 8, "defined-twice")],
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_reference_is_told_where_it_stands(hill: Path, name: str) -> None:
    text, expected = BROKEN[name]
    (hill / name).parent.mkdir(exist_ok=True)
    (hill / name).write_text(text)
    problems = [p for p in problems_of(hill) if p.file.endswith(name)]
    assert [(p.line, p.column, p.code) for p in problems] == expected
    for problem in problems:
        assert problem.source == text.split("\n")[problem.line - 1]


def test_all_problems_come_at_once_sorted_by_file_and_line(hill: Path) -> None:
    for name in ("armies/reds.yaml", "examples/marching.yaml", "rules/more.rules", "battles/b.yaml"):
        (hill / name).parent.mkdir(exist_ok=True)
        (hill / name).write_text(BROKEN[name][0])
    with pytest.raises(RulesInvalid) as caught:
        load(hill)
    places = [(p.file, p.line, p.column) for p in caught.value.problems]
    assert places == sorted(places)
    assert len(places) == sum(
        len(BROKEN[n][1]) for n in BROKEN if (hill / n).exists() and HILL.get(n) != (hill / n).read_text()
    )


def test_a_file_with_other_mistakes_still_lends_its_names(hill: Path) -> None:
    (hill / "armies/red_list.yaml").write_text(HILL["armies/red_list.yaml"] + "colour: red\n")
    assert told(hill) == [("red_list.yaml", 6, 1, "unknown-property")]
    (hill / "armies/red_list.yaml").write_text("kind: [")
    assert [code for _, _, _, code in told(hill)] == ["yaml-syntax"]


def test_without_an_index_of_the_book_refs_are_not_checked(hill: Path) -> None:
    (hill / "rulebook.yaml").unlink()
    assert told(hill) == []


def test_a_table_in_rules_and_in_data(hill: Path) -> None:
    (hill / "t.rules").write_text("table cost by weather\n    dry: 1\n")
    assert told(hill) == [("t.rules", 1, 1, "defined-twice")]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("date/x.yaml", "stray-file"), ("x.yaml", "stray-file"), ("data/x.yml", "stray-file"),
        ("more.rule", "stray-file"), ("house/more.rule", "stray-file"),
    ],
)  # fmt: skip
def test_yaml_that_nobody_would_read_is_told(hill: Path, name: str, code: str) -> None:
    (hill / name).parent.mkdir(exist_ok=True)
    (hill / name).write_text("")
    assert [c for *_, c in told(hill)] == [code]


def test_a_text_that_is_rules_is_told_and_another_is_not(hill: Path) -> None:
    (hill / "notes.txt").write_text("The rules of the hill.\nrule after rule\n")
    assert told(hill) == []
    (hill / "house" / "slime.txt").write_text('house rule "Slime" for hill\n    trait Slimy\n')
    _, problems = read(hill)
    assert [(p.file.rpartition("/")[2], p.code, p.hint) for p in problems] == [
        ("slime.txt", "stray-file", "name it .rules")
    ]


@pytest.mark.parametrize(
    ("name", "hint"), [("more.rule", "name it .rules"), ("scenario/x.yaml", "did you mean scenarios/?"),
                       ("army/x.yaml", "did you mean armies/?"), ("example/x.yaml", "did you mean examples/?")],
)  # fmt: skip
def test_files_of_a_house_rule_that_nobody_would_read_are_told(hill: Path, name: str, hint: str) -> None:
    mine = hill.parent / "mine"
    (mine / name).parent.mkdir(parents=True)
    (mine / name).write_text("id: dusk\nname: Dusk\n")
    _, problems = read(hill, [mine])
    assert [(p.code, p.hint) for p in problems] == [("stray-file", hint)]


@pytest.mark.parametrize("file", ["../x.rules", "/etc/passwd", "house/../../x.rules"])
def test_house_rules_on_offer_stay_in_the_folder(hill: Path, file: str) -> None:
    (hill.parent / "x.rules").write_text("")
    (hill / "ruleset.yaml").write_text(HILL["ruleset.yaml"].replace("house/rain.rules", file))
    assert told(hill) == [("ruleset.yaml", 6, 29, "outside")]


def test_a_house_rule_whose_file_is_missing(hill: Path) -> None:
    (hill / "house/rain.rules").rename(hill / "house/rains.rules")
    (problem,) = problems_of(hill)
    assert (problem.code, problem.hint) == ("missing-file", 'did you mean "house/rains.rules"?')


# -- extends -------------------------------------------------------------------------------------

CHILD = {
    "ruleset.yaml": 'id: hill_fight\ntitle: Hill fight again\nedition: "2"\nextends: hill_fight@1\n',
    "new.rules": "replace procedure march(unit)   ref R-2\n    unit.lost += 3\nnumber extra() = 1\n",
    "data/new.yaml": "profiles:\n  pike: {amend: true, skill: 8}\n  scout: {extends: man}\n",
    "rulebook.yaml": "- {id: R-5, title: Swimming, ruled_out: no water}\n- {id: S-1, title: Scouts}\n",
    "examples/more.yaml": "- {title: Marching tires, when: march(p), then: {result: 1}}\n",
}


def test_an_edition_lies_on_top_of_the_one_that_it_extends(hill: Path, write: Writer) -> None:
    child = write("hill2", CHILD)
    ruleset = load(child)
    assert [layer.id for layer in ruleset.layers] == ["hill_fight@1", "hill_fight@2"]
    assert ruleset.length_unit == "cm"
    assert ruleset.profiles["pike"].fields["skill"] == 8
    march = ruleset.block("procedure", "march")
    assert march is not None
    assert [c.layer.id for c in march.history] == ["hill_fight@1", "hill_fight@2"]
    assert ruleset.rulebook["R-5"].ruled_out == "no water"
    assert list(ruleset.rulebook) == ["R-1", "R-2", "R-3", "R-4", "R-5", "S-1"]
    assert [e.layer.id for e in ruleset.examples] == ["hill_fight@2"]
    assert list(ruleset.house_rules) == ["rain", "giants"]
    assert load(child, house=["giants"]).profiles["giant"].fields["skill"] == 9
    assert find_edition("hill_fight") == "2"


def find_edition(name: str) -> str:
    return load(name).edition


def test_extends_finds_a_ruleset_beside_the_one_given(write: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    write("far/hill", HILL)
    child = write("far/hill2", CHILD)
    monkeypatch.delenv("WARHOST_PATH")
    assert len(load(child).layers) == 2


@pytest.mark.parametrize(
    ("extends", "code"),
    [
        ("hill_fight@2", "circle"),
        ("hill_fite", "unknown-ruleset"),
        ("../hill", "outside"),
        ("/tmp", "outside"),
    ],
)
def test_extends_that_leads_nowhere_is_the_only_problem(hill: Path, write: Writer, extends: str, code: str) -> None:
    child = write(
        "hill2",
        CHILD | {"ruleset.yaml": CHILD["ruleset.yaml"].replace("hill_fight@1", extends) + "length_unit: cm\n"},
    )
    found = told(child)
    assert ("ruleset.yaml", 4, 10, code) in found
    assert [entry for entry in found if entry[3] not in (code, "unknown-name", "unknown-profile")] == []


def test_rulesets_that_extend_each_other_in_a_circle(write: Writer) -> None:
    for one, other in (("a_game", "b_game"), ("b_game", "a_game")):
        write(one, {"ruleset.yaml": f"id: {one}\ntitle: T\nedition: '1'\nlength_unit: cm\nextends: {other}\n"})
    assert [(p.code, Path(p.file).parent.name) for p in problems_of("a_game")] == [("circle", "b_game")]


@pytest.mark.parametrize("text", ["", "[", "- a", "\x00", "a: &x [*x]"])
def test_a_manifest_of_no_use(write: Writer, text: str) -> None:
    folder = write("broken", {"ruleset.yaml": text})
    ruleset, problems = read(folder)
    assert ruleset is None
    assert problems


@FEW
@given(
    name=st.sampled_from(sorted(HILL)),
    cut=st.integers(0, 400),
    put=st.one_of(
        st.text(max_size=5),
        st.sampled_from(["[", "}", ": ", "\n  ", '"', "- ", "amend ", "\t", "&a ", "*a", "null"]),
    ),
    away=st.integers(0, 12),
)
def test_no_damage_to_a_file_makes_reading_crash(hill: Path, name: str, cut: int, put: str, away: int) -> None:
    text = HILL[name]
    damaged = text[:cut] + put + text[cut + away :]
    (hill / name).write_bytes(damaged.encode("utf-8", "surrogatepass"))
    try:
        ruleset, problems = read(hill, ["rain"] if name != "ruleset.yaml" else ())
        if ruleset is not None and ruleset.program is not None:
            coverage(ruleset)
        for problem in problems:
            problem.render()
    finally:
        (hill / name).write_text(text)


# -- digest --------------------------------------------------------------------------------------


def test_the_digest_knows_neither_place_nor_line_ends_nor_order_of_writing(hill: Path, write: Writer) -> None:
    digest = load(hill).digest
    other = write("elsewhere/deep/x", dict(reversed(HILL.items())))
    assert load(other).digest == digest
    for path in other.rglob("*.*"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().rstrip().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    assert load(other).digest == digest


@FEW
@given(
    order=st.permutations(sorted(HILL)),
    ends=st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=20, max_size=20),
)
def test_the_digest_is_the_same_however_the_files_came_to_be(
    hill: Path, tmp_path_factory: pytest.TempPathFactory, order: list[str], ends: list[str]
) -> None:
    other = tmp_path_factory.mktemp("copy")
    for name, end in zip(order, ends, strict=False):
        (other / name).parent.mkdir(parents=True, exist_ok=True)
        (other / name).write_bytes(HILL[name].replace("\n", end).encode())
    assert load(other).digest == load(hill).digest


@pytest.mark.parametrize("name", [name for name in HILL if not name.startswith("house/")])
def test_the_digest_knows_every_word(hill: Path, name: str) -> None:
    digest = load(hill).digest
    with (hill / name).open("a") as file:
        file.write("# a remark\n")
    assert load(hill).digest != digest


def test_the_digest_leaves_out_house_rules_that_are_not_chosen(hill: Path) -> None:
    digest, rainy = load(hill).digest, load(hill, house=["rain"]).digest
    with (hill / "house/rain.rules").open("a") as file:
        file.write("# a remark\n")
    assert load(hill).digest == digest
    assert load(hill, house=["rain"]).digest != rainy


def test_an_order_of_files_that_matters_changes_the_digest(hill: Path) -> None:
    (hill / "a.rules").write_text('after hurt(unit)\n    say "1"\n')
    (hill / "b.rules").write_text('after hurt(unit)\n    say "2"\n')
    digest = load(hill).digest
    (hill / "a.rules").rename(hill / "c.rules")
    assert load(hill).digest != digest


# -- coverage ------------------------------------------------------------------------------------


def test_coverage_of_the_book(hill: Path) -> None:
    found = coverage(load(hill))
    assert {k: v for k, v in found.to_json().items() if v} == {
        "total": 5, "by_example_only": ["R-1", "R-2"], "house_rule_only": ["R-3"],
        "ruled_out": ["R-4"], "missing": ["R-5"],
    }  # fmt: skip
    assert [c.title for c in found.rules["R-1"].carriers] == ["number strength", "profile man"]
    assert [c.title for c in found.rules["R-2"].carriers] == ["procedure march"]
    assert found.rules["R-2"].examples == ("Marching tires",)
    assert [c.title for c in found.rules["R-3"].carriers] == ["house rule rain"]
    assert found.contradictory == []
    assert not found.ok


def test_an_example_is_no_rule(hill: Path) -> None:
    (hill / "examples/marching.yaml").write_text(HILL["examples/marching.yaml"].replace("R-2", "[R-5, R-4]"))
    found = coverage(load(hill))
    assert found.of_grade("missing") == ["R-5"]
    assert found.of_grade("ruled_out") == ["R-4"]


def test_what_is_implemented_although_ruled_out_is_a_contradiction(hill: Path) -> None:
    (hill / "fly.rules").write_text("number flight() = 1   ref R-4\n")
    found = coverage(load(hill))
    assert found.contradictory == ["R-4"]
    assert found.of_grade("ruled_out") == []


def test_refs_deep_inside_elements_count(hill: Path) -> None:
    (hill / "r.rules").write_text('rule "Deep"\n    after hurt(unit)   ref R-5\n        say "x"\n')
    assert [c.title for c in coverage(load(hill)).rules["R-5"].carriers] == ["rule Deep"]


def test_settings_of_scenarios_are_fields_of_theirs(hill: Path) -> None:
    (hill / "turn.rules").write_text(f"profile of scenario\n    turns: number = 6\n{HILL['turn.rules']}")
    place = hill / "scenarios" / "long.yaml"
    place.write_text("id: long\nname: Long\nsettings: {truns: 4, turns: many}\n")
    _, problems = read(hill)
    assert [(p.line, p.column, p.code, p.hint) for p in problems] == [
        (3, 12, "unknown-field", 'did you mean "turns"?'),
        (3, 29, "wrong-type", "write a number, without quotes"),
    ]


def test_what_lies_in_the_folder_of_house_rules_is_on_offer_and_changes_no_digest(hill: Path) -> None:
    before = load(hill)
    house = hill / "house"
    (house / "fog.rules").write_text(
        'house rule "Thick fog" for hill_fight\n    rule "Fog"\n        reads "Nobody marches far."\n'
    )
    (house / "dusk.rules").write_text(
        'house rule "Dusk" for hill_fight\n    reads "It is dark."\n    rule "Dark"\n        reads "No."\n'
    )
    (house / "gentle_giants.yaml").write_text("title: Gentle giants\nscenarios: {}\n")
    (house / "snow" / "data").mkdir(parents=True)
    (house / "snow" / "data" / "a.yaml").write_text("scenarios: {}\n")
    (house / "snow" / "snow.rules").write_text('house rule "Deep snow" for hill_fight\n    number depth() = 3\n')
    (house / "Notes of mine.rules").write_text("# could be no id\n")
    after = load(hill)
    offers = {id_: (one.title, one.reads) for id_, one in after.house_rules.items()}
    assert list(offers) == [*before.house_rules, "dusk", "fog", "gentle_giants", "snow"]
    assert offers["fog"] == ("Thick fog", "Nobody marches far.")
    assert offers["snow"] == ("Deep snow", "")
    assert offers["dusk"] == ("Dusk", "It is dark.")
    assert offers["gentle_giants"] == ("Gentle giants", "")
    assert after.house_rules["fog"].pos.line == 1
    assert after.digest == before.digest
    assert load(hill, house=["fog"]).house == ("fog",)


def test_a_file_that_a_listed_house_rule_is_or_holds_is_offered_once(hill: Path) -> None:
    assert list(load(hill).house_rules) == ["rain", "giants"]


def test_a_mistake_in_a_house_rule_that_no_manifest_names_is_told(hill: Path) -> None:
    (hill / "house" / "fog.rules").write_text('house rule "Fog" for hill_fight\n    rule\n')
    assert any(p.file.endswith("house/fog.rules") for p in read(hill)[1])


@pytest.mark.parametrize("name", ["fog.yaml", "rain.yaml"])  # beside fog.rules, and beside what the manifest lists
def test_two_house_rules_of_one_name_are_told(hill: Path, name: str) -> None:
    (hill / "house" / "fog.rules").write_text('house rule "Fog" for hill_fight\n    rule "Fog"\n        reads "No."\n')
    assert read(hill)[1] == []
    (hill / "house" / name).write_text("title: Another\nscenarios: {}\n")
    (problem,) = read(hill)[1]
    assert problem.code == "defined-twice"
    assert problem.file.endswith(f"house/{name}")
    assert f"house/{Path(name).stem}.rules" in problem.message


@pytest.mark.parametrize(
    "wrong",
    [
        HILL["examples/marching.yaml"].replace("profile: pike", "profile: pkie"),
        HILL["examples/marching.yaml"] + "- title: {no, end\n",
    ],
)
def test_only_who_runs_examples_is_kept_by_a_wrong_one(hill: Path, wrong: str) -> None:
    (hill / "examples/marching.yaml").write_text(wrong)
    _, problems = read(hill)
    assert [p.file.rpartition("/")[2] for p in problems] == ["marching.yaml"]
    assert load(hill).profiles["pike"].name == "Pikemen"
    army = hill / "armies" / "red_list.yaml"
    army.write_text(army.read_text().replace("profile: pike", "profile: pkie"))
    with pytest.raises(RulesInvalid, match="pkie"):
        load(hill)


@pytest.mark.parametrize(
    ("edition", "extends", "told_at", "code"),
    [("1.5", "small_fantasy@1.5", 3, "same-edition"), ("9", "small_fantasy@1.6", 4, "unknown-ruleset")],
)
def test_an_edition_that_extends_nothing_is_told_once(
    tmp_path: Path, edition: str, extends: str, told_at: int, code: str
) -> None:
    (tmp_path / "ruleset.yaml").write_text(
        f'id: small_fantasy\ntitle: Mine\nedition: "{edition}"\nextends: {extends}\n'
        "superseded:\n  armies: [dwarves, elves]\n"
    )
    assert [(p.line, p.code) for p in read(tmp_path)[1]] == [(told_at, code)]


def test_fields_have_the_ground_that_their_summaries_promise() -> None:
    """Ground of a table of the ruleset's own making is described by its author, and by nobody else."""
    called = {"stream": "stream", "brook": "brook", "river": "river", "hill": "hill", "boulders": "boulders",
              "bridge": "bridge", "marsh": "marsh", "thicket": "thicket", "pools": "pool", "wood": "wood"}  # fmt: skip
    promised = 0
    for scenario in (*load("arcana").scenarios.values(), *load("three_plains").scenarios.values()):
        pieces = (scenario.data.get("board") or {}).get("terrain") or []
        there = " ".join(f"{piece['type']} {piece['name']}" for piece in pieces)
        for word, name in called.items():
            if pieces and re.search(rf"\b{word}\b", str(scenario.data["summary"])):
                promised += 1
                assert name in there, f"{scenario.id}: {word}"
    assert promised >= 8


@pytest.mark.parametrize(
    ("id_", "data", "hint"),
    [
        ("small_fantasy", "profiles: {orc_mob: {amend: true, skill: 5}}\n", "`extends: small_fantasy@"),
        ("nobodys_game", "profiles: {orc: {name: Orc}}\n", "write a `turn` block"),
    ],
)
def test_rules_without_a_turn_are_told_at_the_manifest(tmp_path: Path, id_: str, data: str, hint: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "ruleset.yaml").write_text(f'# Mine.\nid: {id_}\ntitle: Mine\nedition: "9"\nlength_unit: in\n')
    (tmp_path / "data" / "mine.yaml").write_text(data)
    (problem,) = mistakes(read(tmp_path)[1])
    assert (problem.code, Path(problem.file).name, problem.line) == ("no-turn", "ruleset.yaml", 2)
    assert hint in (problem.hint or "")
