"""warhost import: an invented game by the published format becomes a part of a new ruleset, which stays in
order; strangers' files do no harm.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from warhost_battlescribe import links, reading

DATA = Path(__file__).with_name("data")
FILES = [str(DATA / name) for name in ("marsh.gst", "otters.cat", "library.cat")]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def game(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new ruleset in the working folder."""
    monkeypatch.setenv("WARHOST_CACHE", str(cache))
    monkeypatch.setenv("WARHOST_PATH", "")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    run("new", "ruleset", "Field Fight")
    return tmp_path / "field_fight"


def run(*args: object, code: int = 0) -> str:
    from warhost.cli import program

    result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result.output


def imported(*more: str, code: int = 0) -> str:
    return run("import", *FILES, "--in", "field_fight", *more, code=code)


def rows(game: Path) -> dict[str, dict[str, object]]:
    made = yaml.safe_load((game / "armies/list_otter_clans.yaml").read_text())
    return {row["profile"]: row for row in made["units"]}


def test_what_is_imported_is_in_order_and_can_be_played(game: Path) -> None:
    said = imported()
    assert "Otter Clans: 3 units, 7 traits." in said
    assert "6 profiles" in run("check", "field_fight")
    assert "all 5 examples passed" in run("test", "field_fight")
    units = "[{id: chief, profile: otter_chief, size: 1}, {id: pack, profile: river_otters, size: 9}]"
    (game / "armies/clan.yaml").write_text(
        f"kind: army\nid: clan\nname: The Clan\nlist: otter_clans\nlimit: 120\nunits: {units}\n"
    )
    assert json.loads(run("army", "check", "field_fight:clan", "--json"))["points"] == 45 + 9 * 6
    battle = ("battle", "field_fight", "--army", "clan", "--army", "blues", "--seed", "1", "--log", "none")
    assert "after" in run(*battle)


def test_figures_prices_sizes_and_limits_come_over(game: Path) -> None:
    imported()
    profiles = yaml.safe_load((game / "data/imported_fen_and_ferry.yaml").read_text())["profiles"]
    assert profiles["river_otters"] == {
        "name": "River otters", "move": 6, "skill": 3, "armour": 1, "nerve": 4, "kind": "Otter", "category": "Core",
        "traits": ["Swims - deep", "Shell knives"],  # what every unit has for nothing is no option
    }  # fmt: skip
    assert profiles["tame_heron"]["armour"] == 0
    assert rows(game) == {
        "otter_chief": {
            "profile": "otter_chief", "size": {"min": 1, "max": 1}, "points": 45, "limit": {"min": 1, "max": 2},
            "options": [
                {"id": "lantern", "name": "Lantern", "points": 10, "traits": ["Lantern"]},
                {"id": "bell", "name": "Bell", "points": 5, "traits": ["Bell"]},
                {"id": "fish_spear", "name": "Fish spear", "points": 2, "traits": ["Fish spear"]},
            ],
        },
        "river_otters": {
            "profile": "river_otters", "size": {"min": 5, "max": 15}, "points": 6, "limit": {"max": 4},
            "options": [
                {"id": "fish_spear", "name": "Fish spear", "points": 2, "traits": ["Fish spear"]},
                {"id": "raft", "name": "Raft", "points": 20, "flat": True, "traits": ["Raft"]},
            ],
        },
        "tame_heron": {"profile": "tame_heron", "size": {"min": 1, "max": 1}, "points": 25},
    }  # fmt: skip
    rules = (game / "rules/imported_fen_and_ferry.rules").read_text()
    assert "skill:" not in rules  # the ruleset has that field already
    assert '# Weapon: Range 6\', Blow +1\ntrait "Fish spear"' in rules
    assert 'trait "Stubborn of Fen and Ferry"' in rules  # the ruleset's own takes a value


def test_an_army_is_held_to_what_the_force_asks_for(game: Path) -> None:
    imported()
    (game / "armies/herons.yaml").write_text(
        "kind: army\nid: herons\nname: Herons\nlist: otter_clans\nlimit: 120\nunits: [{id: h, profile: tame_heron}]\n"
    )
    said = run("army", "check", "field_fight:herons", code=1)
    assert "unit of Core" in said
    assert "Otter chief" in said


def test_everything_without_a_counterpart_is_reported(game: Path) -> None:
    answer = json.loads(imported("--json"))
    assert answer["no_counterpart"] == {
        "Modifiers": [
            "set hidden true under conditions: Otter chief",
            "increment the max of selections 1.0 under conditions: Leader of A crossing",
        ],
        "Texts of rules": [
            '"Stubborn" (--text takes texts over, if you may)',
            '"Swims - deep" (--text takes texts over, if you may)',
        ],
        "Other costs": ['1 boats of "Bell of Otter chief"'],
        "Choices of one of several": ['one at most of Lantern, Bell ("A token" of "Otter chief")'],
        "Figures of Weapon": ["Fish spear: Range 6', Blow +1 (they stand as a comment beside the trait)"],
        "Choices of a whole army": ['"A spare boat" of Otter Clans'],
        "Hidden entries": ['"Unfinished" of Otter Clans'],
        "Further categories": ['"Wet" of "River otters"'],
        "Further sorts of forces": ['"A raid"'],
        "Constraints": ['max 50.0% pts in roster for "Core"'],
        "Rules of a whole army": ['"River born" of Otter Clans'],
        "Links that lead nowhere": ['"Beavers" (se-nowhere): its file was not given'],
        "Figures that the ruleset does not have": [
            f"{name}: units of field_fight have no {name.lower()}; kept as {name.lower()}, which no rule reads yet"
            for name in ("Move", "Nerve", "Kind")
        ],
        "Missing figures": ["Armour is 0 where the data have none"],
        "Signs of figures": ['Move is a number, kept without the sign "', "Nerve is a number, kept without the sign +"],
    }
    report = (game / "IMPORTED_fen_and_ferry.md").read_text()
    assert all(said in report for sentences in answer["no_counterpart"].values() for said in sentences)


def test_what_would_come_of_it_is_told_without_a_file_being_written(game: Path) -> None:
    before = sorted(game.rglob("*"))
    for where in (("--in", "field_fight"), ()):
        said = run("import", *FILES, "--dry-run", *where)
        assert "Otter Clans: 3 units, 7 traits." in said
        assert '"A raid"' in said
        assert "wrote" not in said
    assert sorted(game.rglob("*")) == before
    assert "say --in FOLDER" in run("import", *FILES, code=2)


def test_texts_come_over_only_when_asked_for(game: Path) -> None:
    imported()
    assert "Goes through" not in "".join(p.read_text() for p in game.rglob("*") if p.is_file())
    imported("--text")
    rules = (game / "rules/imported_fen_and_ferry.rules").read_text()
    assert "    reads \"Goes through 'deep' water as if it were (open) ground.\"" in rules
    run("check", "field_fight")


def test_archives_are_read_and_what_is_imported_can_be_imported_again(game: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.bsr", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in FILES:
            archive.write(file, f"../../outside/{Path(file).name}")
        archive.writestr("index.xml", "<nothing/>")
    with zipfile.ZipFile(tmp_path / "otters.catz", "w") as archive:
        archive.write(FILES[1], "otters.cat")
    run("import", "all.bsr", "--in", "field_fight")
    first = {p.name: p.read_bytes() for p in game.rglob("*") if p.is_file()}
    assert not (tmp_path.parent / "outside").exists()
    run("import", FILES[0], "otters.catz", FILES[2], "--in", "field_fight")
    assert {p.name: p.read_bytes() for p in game.rglob("*") if p.is_file()} == first


def test_files_of_somebody_else_are_left_alone(game: Path) -> None:
    path = game / "armies/list_otter_clans.yaml"
    path.write_text("# mine\n")
    assert "something else" in imported(code=2)
    assert path.read_text() == "# mine\n"
    assert not (game / "IMPORTED_fen_and_ferry.md").exists()


def test_a_ruleset_that_is_not_in_order_or_has_no_traits_is_left_alone(game: Path) -> None:
    manifest = (game / "ruleset.yaml").read_text()
    (game / "ruleset.yaml").write_text(manifest.replace("plugins: [", "plugins: [warhost_nothing, "))
    assert "is not in order" in imported(code=2)
    assert "is no ruleset" in run("import", *FILES, "--in", "nowhere", code=2)
    assert not list(game.rglob("*mported_*"))


def test_wishes_that_cannot_be_met_name_what_there_is(game: Path) -> None:
    assert 'did you mean "Folk"?' in imported("--unit-profile", "Fork", code=2)
    assert "there are: pts, boats" in imported("--cost", "gold", code=2)
    assert imported("--cost", "boats")
    assert rows(game)["otter_chief"]["points"] == 0


# -- strangers' files --------------------------------------------------------------------------------

HEAD = '<catalogue id="c" name="C" xmlns="http://www.battlescribe.net/schema/catalogueSchema">'
UNIT = (
    '<selectionEntry id="{id}" name="{name}" type="unit">'
    '<profiles><profile id="p{id}" name="P" typeId="t" typeName="T"><characteristics>'
    '<characteristic name="{field}" typeId="x">{value}</characteristic></characteristics></profile>'
    "</profiles>{more}</selectionEntry>"
)
BOMB = (
    '<!DOCTYPE c [<!ENTITY a0 "aaaaaaaaaa">'
    + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(9))
    + "]><catalogue>&a9;</catalogue>"
)  # fmt: skip


def catalogue(*units: str, more: str = "") -> str:
    return f"{HEAD}{more}<selectionEntries>{''.join(units)}</selectionEntries></catalogue>"


def unit(name: str = "U", id: str = "u", field: str = "F", value: str = "1", more: str = "") -> str:
    return UNIT.format(id=id, name=name, field=field, value=value, more=more)


def given(tmp_path: Path, text: str | bytes, name: str = "x.cat", code: int = 0) -> str:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    said = run("import", path, "--in", "field_fight", code=code)
    if code:
        assert not list((tmp_path / "field_fight").rglob("*mported_*"))
    return said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "declares entities or a document type"),
        ('<!DOCTYPE c [<!ENTITY x SYSTEM "file:///etc/passwd">]><catalogue>&x;</catalogue>', "declares entities"),
        ('<!DOCTYPE c SYSTEM "http://example.invalid/x.dtd"><catalogue/>', "declares entities"),
        ("<catalogue><a></catalogue>", "x.cat:1:17: this is no XML"),
        ("", "this is no XML"),
        ("<roster/>", 'holds "roster", not a catalogue'),
        ('<?xml version="1.0" encoding="nonsense"?><catalogue/>', "x.cat"),
        ("<catalogue>" + "<a>" * 200 + "</a>" * 200 + "</catalogue>", "nested more than 100 levels"),
        (b"PK\x03\x04 and no archive", "is no archive that can be read"),
        (catalogue(), "no unit of these catalogues has a profile"),
        (b"\xff\xfe\x00\x00", "x.cat"),
    ],
    ids=range(11),
)
def test_hostile_and_broken_files_are_refused_in_a_sentence(tmp_path: Path, text: str | bytes, words: str) -> None:
    said = given(tmp_path, text, code=2)
    assert words in said
    assert "Traceback" not in said


def test_an_archive_that_unfolds_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000_000)
    with zipfile.ZipFile(tmp_path / "bomb.catz", "w", zipfile.ZIP_DEFLATED) as archive:
        for n in range(3):
            archive.writestr(f"{n}.cat", catalogue(unit()) + " " * 600_000)
    assert (tmp_path / "bomb.catz").stat().st_size < 10_000
    said = run("import", "bomb.catz", "--in", "field_fight", code=2)
    assert "unfolds to more than 1,000,000 bytes" in said
    (tmp_path / "large.cat").write_text(catalogue(unit()) + " " * 1_000_000)
    said = run("import", "large.cat", "--in", "field_fight", code=2)
    assert "has more than 1,000,000 bytes" in said


def test_links_in_a_circle_and_without_end_come_to_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    again = '<entryLinks><entryLink id="l" name="again" targetId="s" type="selectionEntry"/></entryLinks>'
    inner = f'<selectionEntry id="s" name="S" type="upgrade">{again}</selectionEntry>'
    circle = f"<sharedSelectionEntries>{inner}</sharedSelectionEntries>"
    assert "Circles" in given(tmp_path, catalogue(unit(more=again), more=circle))
    inner = '<infoLinks><infoLink id="i" targetId="g" type="infoGroup"/></infoLinks>'
    rules = f'<infoGroups><infoGroup id="g" name="G">{inner}</infoGroup></infoGroups>'
    given(tmp_path, catalogue(unit(name="V", more=rules)))
    run("check", "field_fight")
    monkeypatch.setattr(links, "MOST_ENTRIES", 1_000)
    twice = "".join(f'<entryLink id="l{n}" name="n" targetId="s" type="selectionEntry"/>' for n in range(2))
    more = circle.replace(again, f"<entryLinks>{twice}</entryLinks>")
    (tmp_path / "y.cat").write_text(catalogue(unit(more=again), more=more))
    said = run("import", "y.cat", "--in", "field_fight", code=2)
    assert "lead to more than 1,000 entries" in said


NAMES = [
    "turn", "size", "name", "if", "Größe", "日本", "../../x", "a" * 500, "7", "traits", "units",
    "&quot;{n}\\ (2), [x]: y",
]  # fmt: skip


def test_names_of_any_kind_become_a_ruleset_in_order(tmp_path: Path) -> None:
    def rules(n: int, name: str) -> str:
        return f'<rules><rule id="r{n}" name="{name}"><description>{name}</description></rule></rules>'

    units = [unit(name, f"u{n}", name, "x" if n % 2 else "3", rules(n, name)) for n, name in enumerate(NAMES)]
    given(tmp_path, catalogue(*units).replace('name="C"', 'name="../../&#x202e;etc: - {x}"'))
    run("import", tmp_path / "x.cat", "--in", "field_fight", "--text")
    run("check", "field_fight")
    files = [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*etc*")]
    assert sorted(files) == [
        "field_fight/IMPORTED_etc_x.md", "field_fight/armies/list_etc_x.yaml", "field_fight/data/imported_etc_x.yaml",
        "field_fight/rules/imported_etc_x.rules",
    ]  # fmt: skip


@pytest.mark.parametrize("value", ["1e999999999", "NaN", "-5", "99999999999999999999", "0.3333333", "", "x"])
def test_figures_of_any_kind_do_no_harm(tmp_path: Path, value: str) -> None:
    cost = f'<costs><cost name="pts" typeId="p" value="{value}"/></costs>'
    limit = f'<constraint id="k" type="max" field="selections" scope="roster" value="{value}"/>'
    given(tmp_path, catalogue(unit(value=value, more=f"<constraints>{limit}</constraints>{cost}")))
    run("check", "field_fight")


def test_a_file_that_is_not_there_and_a_folder_that_is_no_ruleset_are_told_as_such(tmp_path: Path) -> None:
    assert "there is no file Mars.cat" in run("import", "Mars.cat", "--in", "field_fight", code=2)
    (tmp_path / "salt_kin").mkdir()
    said = run("import", *FILES, "--in", "salt_kin", code=2)
    assert "salt_kin is no ruleset" in said
    assert "say --for RULESET" in " ".join(said.split())
    assert "warhost new edition NAME --for RULESET" in " ".join(said.split())


# -- into a ruleset that is there, as a house rule ----------------------------------------------------


def sheet(*figures: tuple[str, str], cost: str = "9", category: str = "") -> str:
    """A catalogue of one unit with those characteristics."""
    rows = "".join(f'<characteristic name="{name}" typeId="{name}">{value}</characteristic>' for name, value in figures)
    link = f'<categoryLinks><categoryLink id="l" name="{category}" targetId="k" primary="true"/></categoryLinks>'
    return catalogue(
        '<selectionEntry id="u" name="Otter" type="model"><profiles><profile id="p" name="P" typeId="t" typeName="T">'
        f"<characteristics>{rows}</characteristics></profile></profiles>{link if category else ''}"
        f'<costs><cost name="pts" typeId="pts" value="{cost}"/></costs></selectionEntry>'
    )


def as_house_rule(*more: str, code: int = 0) -> str:
    """What is said when x.cat joins a house rule for arcana, in one line."""
    return " ".join(run("import", "x.cat", "--in", "otters", "--for", "arcana", *more, code=code).split())


def otter() -> dict[str, object]:
    profiles: dict[str, dict[str, object]] = yaml.safe_load(Path("otters/data/imported_c.yaml").read_text())["profiles"]
    return profiles["otter"]


def test_a_house_rule_is_begun_and_the_figures_of_the_ruleset_are_used(tmp_path: Path) -> None:
    (tmp_path / "x.cat").write_text(sheet(("Move", "6&quot;"), ("Armour", "2"), ("Morale", "8")))
    said = as_house_rule()
    assert {name: otter()[name] for name in ("move", "armour", "morale", "vp")} == {
        "move": 6, "armour": 2, "morale": 8, "vp": 9,
    }  # fmt: skip
    assert "every unit has category: troop, since the ruleset asks for it" in said
    assert "nearly every unit of arcana has resistance, and the data have none" in said
    assert "Figures that the ruleset does not have" not in said
    (tmp_path / "otters/armies/some.yaml").write_text(
        "kind: army\nid: some\nname: Some\nlist: c\nlimit: 100\nunits: [{id: o, profile: otter, size: 1}]\n"
    )
    checked = json.loads(run("army", "check", "arcana@5:some", "--house", "otters", "--json"))
    assert (checked["points"], checked["legal"]) == (9, True)
    as_house_rule()  # again, over what it wrote itself
    assert "leave --for arcana out" in run("import", "x.cat", "--in", "field_fight", "--for", "arcana", code=2)


def test_a_house_rule_that_says_what_it_is_for_needs_no_for(tmp_path: Path) -> None:
    (tmp_path / "x.cat").write_text(sheet(("Move", "6"), ("Cunning", "3")))
    (tmp_path / "kin").mkdir()
    (tmp_path / "kin/kin.rules").write_text('house rule "Kin" for arcana\n\n    trait Salty\n        reads "Salt."\n')
    said = " ".join(run("import", "x.cat", "--in", "kin").split())
    assert "Cunning: units of arcana have no cunning; kept as cunning, which no rule reads yet" in said
    assert 'house rule "C" for arcana' in (tmp_path / "kin/rules/imported_c.rules").read_text()
    assert "is in order" in run("check", "arcana", "--house", "kin")


@pytest.mark.parametrize(
    ("name", "value", "cost", "told"),
    [
        ("Move", "6cm", "9", "Move: arcana's move is in inches, and the data are in cm; kept as move_value"),
        ("Armour", "9", "9", "Armour: arcana's armour is at most 6, and the data have 9; kept as armour_value"),
        ("Move", "fast", "9", "Move: arcana's move is a distance, and the data have words; kept as move_value"),
        ("Wounds", "1.5", "9", "Wounds: arcana's wounds is a whole number; kept as wounds_value"),
        ("Category", "3", "9", "Category: arcana's category is a word, and the data have numbers"),
        ("Move", "6", "0", "Otter: no price, so it costs nothing"),
    ],
)
def test_a_figure_that_does_not_fit_is_named_with_the_reason(
    tmp_path: Path, name: str, value: str, cost: str, told: str
) -> None:
    (tmp_path / "x.cat").write_text(sheet((name, value), cost=cost))
    assert told in as_house_rule()


def test_categories_that_the_ruleset_does_not_know_are_kept_beside_its_own(tmp_path: Path) -> None:
    (tmp_path / "x.cat").write_text(sheet(("Move", "6"), category="Core"))
    assert "that of the data is kept as category_value" in as_house_rule()
    assert (otter()["category"], otter()["category_value"]) == ("troop", "Core")


def test_a_characteristic_goes_where_it_is_wanted(tmp_path: Path) -> None:
    (tmp_path / "x.cat").write_text(sheet(("Speed", "6&quot;"), ("Skin", "2")))
    as_house_rule("--field", "Speed=move", "--field", "Skin = armour")
    assert (otter()["move"], otter()["armour"]) == (6, 2)
    for wish, told in (
        ("Sped=move", 'did you mean "Speed"?'), ("Speed=mvoe", 'did you mean "move"?'), ("Speed", "write NAME=FIELD"),
        ("Speed=category", "arcana's category is a word"),
    ):  # fmt: skip
        assert told in as_house_rule("--field", wish, code=2)
