"""warhost reference: what players need is on the sheet, what they do not need is not, house rules are marked."""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from pypdf import PdfReader

import warhost
from tests.cli.game import write
from warhost_reference.gathering import Entry, ReferenceSheet, SheetSection, SheetTable
from warhost_reference.markdown import as_markdown
from warhost_reference.page import as_page
from warhost_reference.pdf import as_pdf

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "games" / "tavern")
    monkeypatch.setenv("WARHOST_PATH", str(tmp_path / "games"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: object, code: int = 0) -> str:
    from warhost.cli import program

    result = CliRunner().invoke(program, [str(a) for a in args], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result.output


def sheet_of(ruleset: str, *house: str) -> ReferenceSheet:
    return ReferenceSheet.of(warhost.load(ruleset, house=list(house)))


def section(sheet: ReferenceSheet, title: str) -> SheetSection:
    return next(one for one in sheet.sections if one.title == title)


def test_the_turn_in_its_order() -> None:
    turn = section(sheet_of("small_fantasy"), "The turn")
    assert turn.numbered
    names = [entry.name for entry in turn.entries]
    assert names[:3] == ["The turn begins", "Declarations", "Movement: charges"]
    assert names[-1] == "The turn ends"
    orders = next(e for e in section(sheet_of("legiones"), "The turn").entries if e.name == "Initiative")
    assert orders.says


def test_what_two_steps_of_a_phase_say_alike_stands_there_once() -> None:
    first = section(sheet_of("arcana"), "Before the first turn").entries[0]
    assert first.says == "Choosing the battlefield; Setting up: points and terrain."


def test_everything_with_a_sentence_that_players_need() -> None:
    rules = warhost.load("small_fantasy")
    sheet = ReferenceSheet.of(rules)
    traits = {entry.name: entry.says for entry in section(sheet, "Traits").entries}
    assert traits["Unshaken"] == "Takes no morale tests."
    assert "low hedge" in {entry.name for entry in section(sheet, "Terrains").entries}
    rolled = {entry.name: entry.says for entry in section(sheet, "What is rolled").entries}
    assert rolled["Saves from blow"] == "d6 \u2264 blow armour"
    armies = {entry.name: entry.says for entry in section(sheet, "Armies").entries}
    assert armies["One general"] == "An army has one general at most."
    assert "Within limit" not in armies
    order = list(dict.fromkeys(rule.chapter for rule in rules.rulebook.values()))
    chapters = [one.title for one in sheet.sections if one.title in order and not one.numbered]
    assert chapters == [chapter for chapter in order if chapter in chapters]


def test_what_players_do_not_need() -> None:
    text = as_markdown(sheet_of("small_fantasy"))
    for inner in ("worth", "rated", "Shooting worth", "set up melee", "group melees"):
        assert inner not in text
    assert "warhost_" not in text


def test_tables_of_the_same_rows_stand_side_by_side() -> None:
    first, second = section(sheet_of("small_fantasy"), "Tables").grids
    assert first.heads == ("figure type", "Pace in line", "Pace in column", "Pace of charge")
    assert ("cavalry", "12", "15", "17") in first.rows
    assert second.heads == ("terrain type", "cavalry", "infantry", "monster", "wheeled")
    assert ("wood", "75", "50", "50", "100") in second.rows


def test_house_rules_are_marked() -> None:
    plain, changed = sheet_of("small_fantasy"), sheet_of("small_fantasy", "soft_woods")
    assert not any(entry.house for one in plain.sections for entry in one.entries)
    marked = [entry for one in changed.sections for entry in one.entries if entry.house]
    assert [(entry.name, entry.house) for entry in marked] == [("Covering", ("soft_woods",))]
    assert section(changed, "House rules in force").entries[0].says == "Only houses and walls give cover."
    assert "[house rule: Woods and hedges are soft]" in as_markdown(changed)
    page = as_page(changed)
    assert '<li class="house"><b>Covering</b>' in page
    assert '<span class="by">Woods and hedges are soft</span>' in page
    assert "small_fantasy@1.5, with soft_woods" in page


def test_a_house_rule_that_removes_and_changes_a_table(place: Path) -> None:
    (place / "bare.rules").write_text(
        'house rule "Bare" for small_fantasy\n    remove rule "Cover in the first round"\n'
        '    rule "Slow hills"\n        reads "Hills are high."\n        blow_armour +1 because "high"\n'
    )
    (place / "fast.yaml").write_text("tables:\n  pace_of_charge: {amend: true, rows: {ogre: 12}}\n")
    sheet = sheet_of("small_fantasy", str(place / "bare.rules"), str(place / "fast.yaml"))
    bare = section(sheet, "House rules in force").entries[0]
    assert bare.says == "Out of force: rule Cover in the first round."
    assert "Cover in the first round" not in {entry.name for entry in section(sheet, "Close combat").entries}
    assert [e.says for e in section(sheet, "House rules").entries] == ["Hills are high."]
    assert section(sheet, "Tables").grids[0].house == ("fast",)


def test_a_game_without_a_book() -> None:
    run("new", "ruleset", "bridge_fight")
    sheet = sheet_of("bridge_fight")
    assert [one.title for one in sheet.sections] == ["The turn", "Fighting", "Traits", "What is rolled"]
    assert section(sheet, "Traits").entries[0].name == "Stubborn(n)"


class Reader(HTMLParser):
    """Which tags are open, and what the page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("meta", "br"):
            self.open.append(tag)
        self.loads += [str(value) for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_by_itself(place: Path) -> None:
    (place / "bad.rules").write_text(
        'house rule "<b>&bold" for tavern\n    rule "<script>x"\n        reads "a < b & c"\n'
        '        punch +1 because "x"\n'
    )
    page = as_page(sheet_of("tavern", str(place / "bad.rules")))
    reader = Reader()
    reader.feed(page)
    assert not reader.open
    assert not reader.loads
    assert "url(" not in page
    assert "@import" not in page
    assert "<script" not in page
    assert "a &lt; b &amp; c" in page
    assert re.search(r"@page \{ size: A4;", page)
    assert "\\<script\\>" in as_markdown(sheet_of("tavern", str(place / "bad.rules")))


def test_the_command(place: Path) -> None:
    assert run("reference", "tavern").startswith("# Tavern brawl: quick reference\n")
    assert run("reference", "tavern", "--format", "html").startswith("<!DOCTYPE html>")
    run("reference", "tavern", "--output", "sheet.html")
    assert (place / "sheet.html").read_text().startswith("<!DOCTYPE html>")
    run("reference", "tavern", "--output", "sheet.html", "--house", "short_night")
    assert "A short night" in (place / "sheet.html").read_text()
    run("reference", "tavern", "--output", "sheet.md")
    run("reference", "tavern", "--output", "sheet.md")
    (place / "mine.md").write_text("mine")
    assert "is something else" in run("reference", "tavern", "--output", "mine.md", code=2)
    assert (place / "mine.md").read_text() == "mine"
    run("reference", "tavern", "--output", "mine.md", "--force")


def test_every_step_of_the_short_set_has_its_sentence() -> None:
    rules = warhost.load(ROOT / "rulesets" / "small_fantasy")
    own = {p.name: p.block for p in rules.placed if p.kind == "procedure" and p.layer.kind == "ruleset"}
    turns = [p.block for p in rules.placed if p.kind in ("turn", "setup")]
    steps = [step.name for turn in turns for phase in turn.phases for step in phase.steps]
    assert len(steps) >= 15
    assert [step for step in steps if step in own and own[step].reads is None] == []


def test_an_ending_that_no_sheet_has_is_refused(tmp_path: Path) -> None:
    said = run("reference", "small_fantasy", "--output", tmp_path / "sheet.docx", code=2)
    assert ".md, .html or .pdf" in " ".join(said.split())
    assert not (tmp_path / "sheet.docx").exists()
    assert "--output sheet.pdf" in run("reference", "small_fantasy", "--format", "pdf", code=2)


def test_the_pdf_has_everything_on_pages_of_a4(tmp_path: Path) -> None:
    run("reference", "small_fantasy", "--output", "sheet.pdf")
    reader = PdfReader("sheet.pdf")
    assert {(round(float(p.mediabox.width)), round(float(p.mediabox.height))) for p in reader.pages} == {(595, 842)}
    sheet = sheet_of("small_fantasy")
    assert [one.title for one in reader.outline] == [one.title for one in sheet.sections]  # type: ignore[union-attr]
    pages = [page.extract_text() for page in reader.pages]
    text = " ".join("".join(page.split()) for page in pages)
    for one in sheet.sections:
        names = [part for entry in one.entries for part in (entry.name, entry.figures)]
        for said in [*names, *(head for grid in one.grids for head in grid.heads)]:
            assert "".join(said.split()) in text, said
    assert f"1/{len(pages)}" in "".join(pages[0].split())
    assert sheet.foot in pages[-1]


def test_long_tables_and_foreign_letters_stay_on_the_page() -> None:
    rows = tuple((str(n), "word " * 60, "\u65e5\u672c \u2013 \u00fc") for n in range(40))
    grid = SheetTable("Wide", ("n", "says", "name"), rows, ("mine",))
    section = SheetSection("All", (Entry("A" * 200, "b" * 400, "c", ("mine",)),), (grid,))
    sheet = ReferenceSheet("T", "1", "", (section,), "foot", {"mine": "My rule"})
    pages = [page.extract_text() for page in PdfReader(BytesIO(as_pdf(sheet))).pages]
    assert len(pages) == 3
    assert all("says" in page for page in pages[1:])  # the head of the table stands on each
    assert "?? - \u00fc" in pages[1]
    assert "[house rule: My rule]" in " ".join(pages[0].split())


def test_a_pdf_is_replaced_only_where_it_is_a_sheet(tmp_path: Path) -> None:
    run("reference", "small_fantasy", "--output", "sheet.pdf")
    run("reference", "small_fantasy", "--output", "sheet.pdf")
    (tmp_path / "sheet.pdf").write_bytes(b"%PDF-1.4\nsomething else\n")
    assert "something else" in run("reference", "small_fantasy", "--output", "sheet.pdf", code=2)


def test_without_fpdf2_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    said = run("reference", "small_fantasy", "--output", "sheet.pdf", code=2)
    assert "pip install 'warhost[pdf]'" in " ".join(said.split())
    assert not (tmp_path / "sheet.pdf").exists()


def test_the_plain_changes_of_a_number_stand_with_it(place: Path) -> None:
    number = (
        'number reach(unit) = 3  ref T-1\n    reads "Three, as a rule."\n'
        '    +1 when unit.grit >= 2 because "bold" called "the bold"\n'
        '    -2 because "tired"\n    set to unit.grit when unit.grit == 0 because "worn out"\n    at least 1\n'
    )
    write(place / "reaching", {"rules/reach.rules": number})
    sheet = sheet_of(str(place / "reaching"))
    (reach,) = (entry for one in sheet.sections for entry in one.entries if entry.name == "Reach")
    assert (reach.figures, reach.says) == ("+1 bold, -2 tired", "Three, as a rule.")
    assert "**Reach** (+1 bold, -2 tired): Three, as a rule." in as_markdown(sheet)


def test_phases_of_which_the_sheet_says_nothing_are_told(place: Path) -> None:
    ford = ROOT / "tests" / "corpus" / "ford"
    said = " ".join(run("reference", ford, "--output", "sheet.md").split())
    silent = "Into the water, Magic, Fighting, The turn ends, Arrows"
    assert f"It says nothing of these phases, for none of their steps `reads` anything: {silent}" in said
    assert "says nothing" not in run("reference", "tavern", "--output", "tavern.md")
