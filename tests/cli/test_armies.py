"""army list, army check, army show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run, data
from tests.cli.game import FILES, write

ILLEGAL = """\
kind: army
id: mob
name: <The> Mob
ruleset: tavern
list: gang
limit: 10
units:
  - {id: m, name: Mob, profile: lout, size: 9, options: [banner]}
  - {id: n, name: Nell, profile: boss, size: 1}
  - {id: o, name: Ned, profile: boss, size: 1}
"""


@pytest.fixture
def mob(place: Path) -> Path:
    (place / "mob.yaml").write_text(ILLEGAL)
    return place / "mob.yaml"


def test_a_narrow_terminal_cuts_nothing_that_must_be_typed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    text = run("army", "list", "small_fantasy").stdout.partition("ready army")[2]
    armies = data(run("army", "list", "small_fantasy", "--json"))["armies"]
    for one in armies:
        (line,) = (row for row in text.splitlines() if row.startswith(f"{one['id']} "))
        assert f" {one['list']} " in line
        assert str(one["points"]) in line
    assert "\u2026" not in text
    profiles = [u["profile"] for u in data(run("army", "list", "small_fantasy", "elves", "--json"))["units"]]
    rows = run("army", "list", "small_fantasy", "elves").stdout.splitlines()
    assert all(any(row.startswith(f"{profile} ") for row in rows) for profile in profiles)


def test_list(run: Run) -> None:
    text = run("army", "list", "tavern").stdout
    assert "The gang" in text
    assert "The Reds" in text
    found = data(run("army", "list", "tavern", "--json"))
    assert found["lists"] == [{"id": "gang", "name": "The gang", "summary": "", "units": 3}]
    assert found["armies"][1] == {
        "id": "reds", "name": "The Reds", "list": "gang", "points": 16, "limit": 60, "legal": True,
    }  # fmt: skip


def test_one_list(run: Run) -> None:
    text = run("army", "list", "tavern", "gang").stdout
    assert "3-8" in text
    assert "Options by their ids, as army files name them:\n  - banner: Banner\n" in text
    louts = data(run("army", "list", "tavern", "gang", "--json"))["units"][0]
    assert (louts["profile"], louts["size"], louts["limit"], louts["points"]) == ("lout", "3-8", "1-2", "2")
    assert louts["options"] == [{"id": "banner", "name": "Banner", "points": None, "flat": False}]
    assert 'did you mean "gang"?' in run("army", "list", "tavern", "gong", code=2).stderr


def test_check_a_legal_army(run: Run) -> None:
    assert run("army", "check", "tavern:reds").stdout == "The Reds is legal: 16 of 60 points.\n"
    assert data(run("army", "check", "tavern:reds", "--json")) == {
        "legal": True, "points": 16, "limit": 60, "violations": [],
    }  # fmt: skip


def test_check_an_illegal_army(run: Run, mob: Path) -> None:
    text = run("army", "check", mob, code=1).stdout
    assert "<The> Mob is illegal: 3 reasons. 26 of 10 points." in text
    assert "- Mob (Louts) has 9 models; the list allows at most 8. [T-6]" in text
    assert "Take away 1 or make two units of them." in text
    assert "A gang has one boss; this one has 2. Demote the others. [T-6]" in text
    assert "The army costs 26 points; the limit is 10." in text


def test_check_json(run: Run, mob: Path) -> None:
    found = data(run("army", "check", mob, "--json", code=1))
    assert found["legal"] is False
    assert (found["points"], found["limit"]) == (26, 10)
    assert [v["constraint"] for v in found["violations"]] == ["size", "one_boss", "points"]
    assert {"constraint", "ref", "message"} <= set(found["violations"][0])


def test_house_rules_count(run: Run, mob: Path) -> None:
    assert "Louts stay at home." in run("army", "check", "tavern:reds", "--house", "no_louts", code=1).stdout
    mob.write_text(ILLEGAL + "house_rules: [no_louts]\n")
    assert "Louts stay at home." in run("army", "check", mob, code=1).stdout


def test_an_army_inside_a_ruleset_needs_no_name_of_it(run: Run, games: Path) -> None:
    run("army", "check", games / "tavern" / "armies" / "blues.yaml")


def test_the_ruleset_can_be_named(run: Run, mob: Path) -> None:
    mob.write_text(ILLEGAL.replace("ruleset: tavern\n", ""))
    assert "add `ruleset: ID`" in run("army", "check", mob, code=2).stderr
    run("army", "check", mob, "--ruleset", "tavern", code=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("profile: boss", "profile: bos"), 'mob.yaml:9:34: tavern has no profile "bos"'),
        (("options: [banner]", "options: [baner]"), 'mob.yaml:8:58: lout has no option "baner"'),
        (("list: gang", "list: gong"), 'mob.yaml:5:7: tavern has no army list "gong"'),
        (("kind: army", "kind: list"), "mob.yaml:1:7: this is an army list, not an army"),
        (("size: 9", "size: nine"), 'mob.yaml:8:45: "size" must be a whole number'),
        (("units:", "unit:"), '"unit" is not known here'),
        (("id: mob", "id: mob\nid: mob"), "mob.yaml:3:"),
    ],
)
def test_wrong_army_files(run: Run, mob: Path, change: tuple[str, str], said: str) -> None:
    mob.write_text(ILLEGAL.replace(*change))
    assert said in run("army", "check", "mob.yaml", code=1).stderr
    found = data(run("army", "check", "mob.yaml", "--json", code=1))
    assert found["legal"] is False
    assert found["errors"]


def test_an_army_of_another_ruleset(run: Run, mob: Path) -> None:
    mob.write_text(ILLEGAL.replace("ruleset: tavern", "ruleset: inn"))
    assert 'there is no ruleset "inn"' in run("army", "check", mob, code=2).stderr
    text = run("army", "check", mob, "--ruleset", "tavern", code=1).stderr
    assert 'this army is made for "inn", not for tavern@2' in text


# -- prices -------------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [(), ("--house", "gnomes")])
def test_profiles_in_a_house_folder_are_priced_with_its_own_words(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gnomes" / "data").mkdir(parents=True)
    (tmp_path / "gnomes" / "gnomes.rules").write_text(
        'house rule "Gnomes" for small_fantasy\n    trait Chilly\n        reads "Hard to hit."\n'
        '        blow_armour +1 when target is bearer because "chilly"\n'
    )
    (tmp_path / "gnomes" / "data" / "gnomes.yaml").write_text(
        "profiles:\n  gnome: {name: Gnome, extends: dwarf_axes, traits: [Chilly]}\n"
    )
    assert "Gnome (gnome)" in run("army", "price", "small_fantasy", "gnomes/data/gnomes.yaml", *named).stdout


# -- rosters ------------------------------------------------------------------------------------


def test_roster_as_text(run: Run) -> None:
    text = run("army", "show", "tavern:blues").stdout
    assert text.startswith("The Blues\nThe gang, 22 of 60 points\n")
    assert "Thick(2)" in text
    assert "Thick(n) (trait): Hits at n less." in text
    assert "Tavern brawl (tavern, edition 2, digest " in text
    assert "Nobody was hurt." in text
    assert "\x1b" not in text


def test_roster_marks_what_is_illegal(run: Run, mob: Path) -> None:
    text = run("army", "show", mob).stdout
    assert "26 of 10 points, ILLEGAL" in text
    assert "!1 Mob (Louts) has 9 models" in text
    assert "Mob !1" in text
    page = run("army", "show", mob, "--format", "html").stdout
    assert "&lt;The&gt; Mob" in page
    assert "<The>" not in page
    assert '<tr class="wrong"><td>Mob' in page
    assert "Illegal: Mob (Louts) has 9 models" in page
    marked = run("army", "show", mob, "--format", "md").stdout
    assert "# \\<The\\> Mob" in marked
    assert "**illegal: see 1**" in marked


def test_roster_explains_its_signs(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `roster.marked` names is at the row and at the foot, in every format; and only where somebody has it."""
    monkeypatch.setenv("WARHOST_PATH", str(place))
    write(place / "tavern")
    manifest = place / "tavern/ruleset.yaml"
    manifest.write_text(manifest.read_text() + "roster: {marked: {loud: heard in the street}}\n")
    (place / "mob.yaml").write_text(ILLEGAL)
    said = "\u2020 loud: heard in the street"
    for form in ("text", "md", "html"):
        roster = run("army", "show", place / "mob.yaml", "--format", form).stdout
        assert said in roster
        assert "Nell \u2020" in roster
        assert "Mob \u2020" not in roster
    found = data(run("army", "show", place / "mob.yaml", "--format", "json"))
    assert found["legend"] == {"loud": "heard in the street"}
    assert [unit["marks"] for unit in found["units"]] == [[], ["loud"], ["loud"]]
    manifest.write_text(manifest.read_text().replace("{loud:", "{lout:"))
    assert 'marks "lout", which is no field of profiles that says yes or no' in run("check", "tavern", code=1).stdout


def test_roster_as_html_needs_nothing_else(run: Run) -> None:
    page = run("army", "show", "tavern:reds", "--format", "html").stdout
    assert page.startswith("<!doctype html>")
    assert page.endswith("</html>\n")
    assert "http" not in page
    assert "<script" not in page
    assert "Somebody carries a rag." in page


def test_roster_as_json(run: Run) -> None:
    found = data(run("army", "show", "tavern:blues", "--format", "json", "--house", "short_night"))
    assert found == data(run("army", "show", "tavern:blues", "--json", "--house", "short_night"))
    assert found["army"] == {"id": "blues", "name": "The Blues", "list": "gang", "points": 22, "limit": 60}
    assert found["columns"] == ["grit", "reach"]
    assert found["units"][1]["figures"] == {"grit": "3", "reach": "2"}
    assert found["units"][1]["bears"] == {"traits": ["Thick(2)"]}
    assert found["ruleset"]["house_rules"] == [{"id": "short_night", "title": "A short night"}]


def test_json_and_another_format_do_not_go_together(run: Run) -> None:
    run("army", "show", "tavern:blues", "--format", "md", "--json", code=2)


def test_a_figure_of_which_no_profile_speaks_has_no_column(run: Run, place: Path) -> None:
    fields = "    loud: yes_no = no\n"
    brawl = FILES["rules/brawl.rules"].replace(fields, f"{fields}    fists: number = 2\n")
    folder = write(place / "fists", {"rules/brawl.rules": brawl})
    assert "fists" not in data(run("army", "show", f"{folder}:reds", "--format", "json"))["columns"]
    said = FILES["data/profiles.yaml"].replace("grit: 2,", "grit: 2, fists: 2,")
    folder = write(place / "said", {"rules/brawl.rules": brawl, "data/profiles.yaml": said})
    assert "fists" in data(run("army", "show", f"{folder}:reds", "--format", "json"))["columns"]
