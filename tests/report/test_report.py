"""The battle report: one file, the same bytes for the same battle, nothing in it that a name can do."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, cast

import pytest

from tests.report.staged import HOSTILE, StagedBattle
from warhost.errors import WarhostError
from warhost_report.report import Report


def report_on(staged: StagedBattle) -> Report:
    report = Report(cast(Any, staged))
    staged.play()
    return report


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    return cast(dict[str, Any], json.loads(found.group(1)))


def layer(data: dict[str, Any], frame: int, name: str) -> str:
    return "".join(data["parts"][n] for n in data["frames"][frame][name])


class Elements(HTMLParser):
    """Counts elements and checks that they are closed in order."""

    VOID = {"meta", "input", "br"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_same_battle_gives_the_same_bytes(tmp_path: Path) -> None:
    pages = []
    for name in ("one.html", "two.html"):
        report_on(StagedBattle()).write(tmp_path / name)
        pages.append((tmp_path / name).read_bytes())
    assert pages[0] == pages[1]


def test_every_phase_has_its_picture_and_its_part_of_the_log() -> None:
    page = report_on(StagedBattle()).html()
    data = data_of(page)
    assert [f["title"] for f in data["frames"]] == [
        "Set-up · Deployment", "Turn 1 · Marching", "Turn 1 · Fighting", "Turn 2 · Marching",
    ]  # fmt: skip
    assert page.count('class="ph') == 4
    for i in range(4):
        assert "Grey Coats" in layer(data, i, "units")
    assert "Red Caps" in layer(data, 1, "units")
    assert "Red Caps" not in layer(data, 2, "units")


def test_a_move_leaves_an_outline_and_an_arrow_in_its_phase_only() -> None:
    data = data_of(report_on(StagedBattle()).html())
    assert "ghost" in layer(data, 1, "ghosts")
    assert "M400 600L480 440" in layer(data, 1, "ways")
    assert layer(data, 2, "ways") == layer(data, 2, "ghosts") == ""


def test_losses_have_a_badge_and_the_fallen_a_cross() -> None:
    data = data_of(report_on(StagedBattle()).html())
    assert "\u22122" in layer(data, 2, "losses")
    assert 'class="gone"' in layer(data, 2, "losses")
    rows = "".join(data["parts"][n] for n in data["frames"][3]["rosters"][1])
    assert "Turn 1, Fighting" in rows
    assert data["frames"][3]["quiet"] == 1


def test_the_last_picture_is_there_without_scripts() -> None:
    page = report_on(StagedBattle()).html()
    body = page.split("<script")[0]
    assert '<g id="units" class="units"><g class="u s0">' in body
    assert "broke them" in body


def test_rolls_show_their_dice_and_how_the_need_came_about() -> None:
    page = report_on(StagedBattle()).html()
    assert '<i class="y">1</i><i class="y">2</i><i class="x">5</i><i class="x">6</i><i class="y">4</i>' in page
    assert "+1 uphill (Hill Folk)" in page
    assert "4 or less" in page


def test_names_cannot_do_anything() -> None:
    staged = StagedBattle((HOSTILE, f"{HOSTILE} again"), HOSTILE)
    staged.reason = HOSTILE
    staged.rules.title = staged.rules.id = HOSTILE
    staged.picture["unit"] = HOSTILE
    page = report_on(staged).html()
    assert "<script>alert" not in page
    elements = Elements()
    elements.feed(page)
    elements.close()
    assert elements.open == []
    assert elements.count["script"] == 2
    data = data_of(page)
    assert not [p for p in data["parts"] if "<script" in p]


def test_hostile_pictures_are_left_out_or_escaped() -> None:
    staged = StagedBattle()
    staged.picture["width"] = '60" onload="x'
    staged.picture["terrain"] = [{"id": "a", "points": [["x", 1], [2, 3], [4, 5]]}]
    report = report_on(staged)
    staged.show({"id": "bad", "outline": [[float("nan"), 1], [2, 2], [3, 3]], "marks": ["<b>"]})
    staged.begin("more", "<i>More</i>")
    staged.finish()
    page = report.html()
    assert "onload" not in page
    assert "nan" not in page.split("<body>")[1].split("<script>")[0].lower()
    assert "<i>More" not in page


def test_looks_of_terrain_cannot_break_out() -> None:
    staged = StagedBattle()
    report = Report(cast(Any, staged))
    staged.play()
    staged.picture["terrain"] = [
        {"id": "t", "type": HOSTILE, "points": [[1, 1], [5, 1], [5, 5]], "look": '"/><script>alert(1)</script> #12345'}
    ]
    staged.finish()
    assert "<script>alert" not in report.html()


def test_nothing_comes_from_elsewhere() -> None:
    page = report_on(StagedBattle()).html()
    assert "://" not in page
    assert not re.search(r"""(src|href)=["'](?!#)""", page)
    assert "@import" not in page
    assert "url(" not in re.sub(r"url\(#\w+\)", "", page)
    assert "default-src 'none'" in page


def test_a_file_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = report_on(StagedBattle())
    place = tmp_path / "report.html"
    place.write_text("the old one")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(WarhostError, match="No space left"):
        report.write(place, force=True)
    with pytest.raises(WarhostError, match="something else"):
        report.write(place)
    assert place.read_text() == "the old one"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(WarhostError, match="nowhere"):
        report_on(StagedBattle()).write(tmp_path / "nowhere" / "report.html")


def test_a_battle_that_broke_off_can_be_written() -> None:
    staged = StagedBattle()
    report = Report(cast(Any, staged))
    staged._deploy()
    staged.battle.turn = 1
    staged.note("turn", side="North")
    staged.begin("marching", "Marching")
    staged.note("say", text="Then it rained.")
    page = report.html()
    assert "Then it rained." in page
    assert "The battle is not over." in page
    assert data_of(page)["frames"][-1]["title"] == "Turn 1 (North) · Marching"


def test_a_battle_without_pictures_still_has_its_story() -> None:
    staged = StagedBattle()
    staged.rules.plugins.call = lambda hook, battle: []
    assert "broke them" in report_on(staged).html()
    assert "No picture was taken." in Report(cast(Any, StagedBattle())).html()


def test_a_game_without_a_table_has_rosters_and_strength_and_draws_nothing() -> None:
    staged = StagedBattle()
    staged.rules.plugins.call = lambda hook, battle: []
    report = Report(cast(Any, staged))
    staged.battle.turn = 1
    staged.note("turn", side=None)
    staged.begin("fighting", "Fighting")
    staged.by_id["red"].figures = 4
    staged.finish()
    staged.begin("closing", "The turn ends")
    staged.by_id["red"]._gone = True
    staged.finish()
    page = report.html()
    data = data_of(page)
    rows = ["".join(data["parts"][n] for n in frame["rosters"][1]) for frame in data["frames"]]
    assert "<td>Red Caps</td><td class='num'>4</td><td class='num'>10</td>" in rows[0]
    assert "Turn 1, The turn ends" in rows[1]
    assert not any(data["frames"][i][name] for i in (0, 1) for name in ("units", "names", "losses"))
    assert 'id="table"' not in page
    assert "width:40%" in rows[0]
    ends = re.findall(r'<path class="ln s1" d="M\S+ (\S+)H\S+V(\S+)"/>', page)
    assert ends
    assert float(ends[0][1]) > float(ends[0][0])  # the strength of the second side falls


def test_whoever_watched_before_still_watches() -> None:
    staged = StagedBattle()
    seen: list[int] = []
    staged.on_phase = lambda battle: seen.append(len(battle.log))
    report_on(staged)
    assert len(seen) == 4


def test_a_long_battle_stays_small() -> None:
    """Twelve turns of ten phases, sixteen units of twenty, all moving and losing: under 3 MB."""
    from tests.report.staged import drawn

    staged = StagedBattle()
    report = Report(cast(Any, staged))
    for turn in range(1, 13):
        staged.battle.turn = turn
        staged.note("turn", side=None)
        for phase in range(10):
            staged.begin(f"phase_{phase}", f"Phase {phase}")
            place = turn * 3.1 + (phase // 3) * 0.37
            staged.show(
                *(drawn(f"u{i}", f"Company {i}", f"side_{i % 2 + 1}", 3 + i * 3.3, place + i, 20 - turn // 2, 20)
                  for i in range(16))
            )  # fmt: skip
            for _ in range(4):
                dice = [1, 2, 3, 4, 5, 6] * 3
                staged.note("roll", roll="blow_at", by="grey", dice=dice, need=3, op="<=", of=18, result=9)
            staged.finish()
    assert len(report.html().encode()) < 3_000_000


def test_marks_that_the_rules_reset_every_turn_are_not_drawn() -> None:
    from types import SimpleNamespace

    staged = StagedBattle()
    fields = {"shaken": SimpleNamespace(resets=object()), "lost_heart": SimpleNamespace(resets=None)}
    staged.program = SimpleNamespace(nouns={"unit": SimpleNamespace(fields=fields)})
    data = data_of(report_on(staged).html())
    assert "Red Caps: 10 of 10; shaken</title>" in layer(data, 1, "units")
    assert "shaken" not in layer(data, 1, "names")
    assert "marked" not in layer(data, 1, "units")


def test_types_of_one_family_look_alike_but_not_the_same() -> None:
    from warhost_report.frames import DrawnTerrain
    from warhost_report.ground import Look, looks

    def seen(*types: str) -> dict[str, Look]:
        return looks(DrawnTerrain("x", "x", t, ((0, 0), (1, 0), (1, 1)), 0, (), "") for t in types)

    found = seen("high wall", "low wall", "fen")
    assert found["high wall"].pattern == found["low wall"].pattern != found["fen"].pattern
    assert len({look.tint for look in found.values()}) == 3
    assert found == seen("fen", "low wall", "high wall")


def test_a_unit_without_a_front_edge_looks_where_it_faces() -> None:
    from warhost_report.figures import front_of
    from warhost_report.frames import Body
    from warhost_report.sheet import Sheet

    box = ((10.0, 10.0), (14.0, 10.0), (14.0, 12.0), (10.0, 12.0))
    body = Body("a", "A", 0, box, (), (), 90.0, 1, 1, ())
    assert {p[0] for p in front_of(body, Sheet(60, 40))} == {280.0}


def test_a_board_of_fields_has_their_names_and_no_scale() -> None:
    staged = StagedBattle()
    ring = [[0, 0], [4, 0], [4, 4], [0, 4]]
    nameless, broken = [[4, 0], [8, 0], [8, 4]], {"name": "none", "points": 7}
    staged.picture["cells"] = [{"name": "1-<1>", "points": ring}, nameless, broken]
    page = report_on(staged).html()
    assert page.count('<g class="cn">') == 1
    assert ">1-&lt;1&gt;</text>" in page
    assert ">none</text>" not in page
    assert 'class="scale"' not in page
    assert 'class="scale"' in report_on(StagedBattle()).html()


def test_tokens_and_counters_are_drawn() -> None:
    staged = StagedBattle()
    report = Report(cast(Any, staged))
    staged.play()
    counter = {"id": "red", "name": "Red Caps", "side": "side_2", "outline": [[1, 1], [3, 1], [2, 3]], "strength": 7}
    staged.picture["units"] = [counter]
    staged.picture["markers"] = [{"id": "old_stone", "at": [5, 5], "marks": ["taken"]}, {"id": "lost", "at": "x"}]
    staged.finish()
    data = data_of(report.html())
    drawn = layer(data, len(data["frames"]) - 1, "units")
    assert "<title>old stone, taken</title>" in drawn
    assert ">7</text>" in drawn
    assert 'class="a"' not in drawn
    assert "lost" not in drawn


def test_labels_keep_clear_of_units_and_of_each_other() -> None:
    from warhost_report.labels import Wanted, placed, shared

    wanted = tuple(Wanted(f"u{i}", (300.0 + 30 * i, 300.0, 325.0 + 30 * i, 320.0), 12, 1) for i in range(6))
    boxes = [label.box for label in placed(wanted, (), (0.0, 0.0, 1200.0, 900.0), ()).values()]
    assert sum(shared(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :]) < 200
    assert sum(shared(box, w.unit) for box in boxes for w in wanted) == 0


def test_names_of_the_ground_keep_off_units_and_other_names() -> None:
    from warhost_report.frames import DrawnTerrain
    from warhost_report.ground import names
    from warhost_report.labels import shared
    from warhost_report.sheet import WIDTH, Sheet

    sheet = Sheet(60.0, 40.0, "cm")
    scale = WIDTH / 60.0
    ring = ((10.0, 10.0), (22.0, 10.0), (22.0, 22.0), (10.0, 22.0))
    wood = DrawnTerrain("wood", "The Wood", "forest", ring, 0, (), "")
    free = list(names([wood], sheet, [], []))
    assert free == [f'<text class="tn" x="{16 * scale:.0f}" y="{24 * scale + 4.5:.0f}">The Wood</text>']
    middle, over = (14 * scale, 22 * scale, 18 * scale, 26 * scale), (0.0, 17 * scale, 24 * scale, 30.5 * scale)
    for units, labels in (([middle], []), ([], [middle]), ([over], [middle])):
        *outline, name = names([wood], sheet, units, labels)
        assert len(outline) == len(units)
        found = re.search(r'x="(\d+)" y="(\d+)"', name)
        assert found
        x, y = int(found[1]), int(found[2])
        box = (x - 29.0, y - 12.0, x + 29.0, y + 4.0)
        assert not any(shared(box, other) > 60.0 for other in (*units, *labels))


def test_whoever_is_made_in_the_course_of_a_battle_was_no_part_of_the_strength_at_its_start() -> None:
    from types import SimpleNamespace

    from tests.report.staged import drawn
    from warhost_report.frames import frames_of
    from warhost_report.plot import Plot

    staged = StagedBattle()
    staged.by_id["late"] = SimpleNamespace(id="late", name="Latecomers", side=staged.sides[0], _noun="unit", size=10)
    report = Report(cast(Any, staged))
    staged.play()
    staged.begin("late", "Late")
    staged.show(
        drawn("grey", "Grey Coats", "side_1", 24, 18, 4, 10),
        drawn("late", "Latecomers", "side_1", 40, 18, 10, 10),
        drawn("called", "Called", "side_1", 10, 18, 3, 5),
    )
    staged.finish()
    album = frames_of(cast(Any, staged), report._taken, None, report._mustered)
    assert album.later == {"called"}
    plot = Plot(album, ["North", "South"])
    assert plot.whole == [20, 10]
    assert plot.share(album.frames[-1], 0) == pytest.approx(17 / 20)


def body_named(name: str, x: float, marks: tuple[str, ...] = (), start: int = 10) -> Any:
    from warhost_report.frames import Body

    outline = ((x, 300.0), (x + 20, 300.0), (x + 20, 310.0), (x, 310.0))
    return Body(name, name, 0, outline, (), outline[:2], 0.0, 9, start, marks)


def test_marks_are_told_whole_on_lines_of_their_own_and_the_strength_in_brackets() -> None:
    from warhost_report.figures import _lines

    marks = ("in the open", "slow", "with a captain of a very long name indeed", "old")
    assert _lines(body_named("Red Caps 2", 0.0, marks)) == [
        "Red Caps 2 (9)", "in the open, slow,", "with a captain of a very long name indeed,", "old",
    ]  # fmt: skip
    assert _lines(body_named("Red Cap", 0.0, start=1)) == ["Red Cap"]


def test_a_name_that_is_as_near_to_another_unit_has_a_line_to_its_own() -> None:
    from shapely import box  # type: ignore[import-untyped]

    from warhost_report.figures import _leader

    own, other = box(0, 30, 20, 40), box(40, 30, 60, 40)
    assert _leader((0, 10, 20, 25), own, [other]) == ""
    assert 'class="leader"' in _leader((15, 10, 50, 25), own, [other])
    assert 'class="leader"' in _leader((0, 0, 20, 10), own, [])


def test_what_is_in_the_air_on_its_way_and_counted_is_drawn_and_explained() -> None:
    staged = StagedBattle()
    plain = report_on(StagedBattle()).html()
    assert all(word not in plain for word in ("in the air", "on its way there", "higher ground"))
    assert 'class="p"' not in plain
    show = staged.show

    def shown(*units: dict[str, Any]) -> None:
        grey = {"airborne": True, "aims": "red", "pips": 3}
        show(*({**u, **grey} if u["id"] == "grey" else u for u in units))

    staged.show = shown  # type: ignore[method-assign]
    report = Report(cast(Any, staged))
    staged.play()
    page = report.html()
    data = data_of(page)
    units = layer(data, 1, "units")
    assert "Grey Coats: 10 of 10, in the air, 3 counters" in units
    assert units.count('class="sh"') == 1
    assert units.index("Red Caps") < units.index("Grey Coats")  # what is in the air lies over the rest
    assert units.count('class="p"') == 3
    assert "Grey Coats is on its way to Red Caps" in layer(data, 1, "ways")
    assert "is on its way" not in layer(data, 2, "ways")  # Red Caps are gone
    assert all(word in page for word in ("in the air", "on its way there", "counters"))


def test_what_rises_has_contours() -> None:
    staged = StagedBattle()
    report = Report(cast(Any, staged))
    staged.play()
    assert "ct" not in re.findall(r'class="(\w+)"', layer(data_of(report.html()), 0, "ground"))
    staged = StagedBattle()
    begin = staged.begin

    def begun(phase: str, title: str) -> None:
        for land in staged.picture["terrain"]:
            land["rises"] = 2 if land["id"] == "wood" else 0
        begin(phase, title)

    staged.begin = begun  # type: ignore[method-assign]
    report = Report(cast(Any, staged))
    staged.play()
    page = report.html()
    assert layer(data_of(page), 0, "ground").count('class="ct"') == 1
    assert "higher ground" in page


OPTIONS_HOUSE = {
    "data/kin.yaml": "profiles:\n  kin: {name: Kin, extends: dwarves_axemen, vp: 20}\n",
    "armies/list_kin.yaml": (
        "kind: list\nid: kin\nname: Kin\nunits:\n"
        "  - {profile: kin, size: {min: 1}, points: 40, options: [\n"
        "      {id: banner, name: Salt banner, points: 20, flat: true}, {id: pike, name: Salt pike, points: 2}]}\n"
    ),
    "armies/kin.yaml": (
        "kind: army\nid: kin\nname: The Kin\nlist: kin\nlimit: 900\n"
        "units: [{id: k, profile: kin, size: 5, options: [banner, pike]}]\n"
    ),
}


@pytest.fixture
def kin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in OPTIONS_HOUSE.items():
        (tmp_path / "kin" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kin" / name).write_text(text)


def shown(*more: str, code: int = 0) -> str:
    from click.testing import CliRunner

    from warhost.cli import program

    result = CliRunner().invoke(program, ["army", "show", "arcana@5:kin", "--house", "kin", *more], prog_name="warhost")
    assert result.exit_code == code, result.output
    return result.output


@pytest.mark.usefixtures("kin")
@pytest.mark.parametrize("form", ["text", "md", "html"])
def test_a_roster_names_the_options_taken_with_their_prices(form: str) -> None:
    assert "Salt banner +20, Salt pike +2 each" in shown("--format", form)


@pytest.mark.usefixtures("kin")
@pytest.mark.parametrize("name", ["r.txt", "r.md", "r.html", "r.json"])
def test_a_roster_goes_into_a_file_as_its_name_ends(name: str, tmp_path: Path) -> None:
    form = {"txt": "text"}.get(name[2:], name[2:])
    assert name in shown("--output", name)
    said = shown("--format", form)
    if form != "text":
        assert (tmp_path / name).read_text() == said
    shown("--output", name)  # once more over its own
    (tmp_path / name).write_text("mine\n")
    assert "something else" in shown("--output", name, code=2)
    assert (tmp_path / name).read_text() == "mine\n"
    shown("--output", name, "--force")
    assert "The Kin" in (tmp_path / name).read_text()


@pytest.mark.usefixtures("kin")
def test_a_roster_is_not_written_as_what_it_is_not(tmp_path: Path) -> None:
    assert "no roster is written as .pdf" in shown("--output", "r.pdf", code=2)
    assert not (tmp_path / "r.pdf").exists()
