"""What army lists require and change is judged by the rules: fields, their values and options."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.packs import read

LIST = """\
kind: list
id: grey_list
name: Greys
units:
  - {profile: pike, size: {min: 4, max: 8}, options: [{id: banner, points: 5}]}
require:
  - {of: {options: [banner], called: [banner, banners]}, max: 1}
  - {of: {fields: {skill: 4}, called: [veteran, veterans]}, max: 3}
  - {of: {fields: {mood: [dry, wet]}, called: [one, some]}, max: 3}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line", "said"),
    [
        ("{options: [banner]", "{options: [baner]", 7, 'option "baner"'),
        ("{skill: 4}", "{skil: 4}", 8, 'no "skil"'),
        ("{skill: 4}", "{skill: high}", 8, "the skill of a unit is a number"),
        ("[dry, wet]", "[dry, wte]", 9, "dry or wet"),
    ],
)
def test_selectors_speak_of_what_there_is(hill: Path, right: str, wrong: str, line: int, said: str) -> None:
    (hill / "rules" / "moods.rules").write_text("state of unit\n    mood: weather = dry\n", encoding="utf-8")
    file = hill / "armies" / "grey_list.yaml"
    file.write_text(LIST, encoding="utf-8")
    assert read(hill)[1] == []
    assert right in LIST
    file.write_text(LIST.replace(right, wrong, 1), encoding="utf-8")
    for _ in range(3):
        problems = read(hill)[1]
        assert [(p.file.rpartition("/")[2], p.line) for p in problems] == [("grey_list.yaml", line)]
        assert said in problems[0].message


@pytest.mark.parametrize("broken", ["options: [null]", "options: 3", "options: [[]]", "fields: 4", "fields: [null]"])
def test_what_is_no_mapping_in_a_row_is_told(hill: Path, broken: str) -> None:
    file = hill / "armies" / "grey_list.yaml"
    file.write_text(LIST.replace("options: [{id: banner, points: 5}]", broken), encoding="utf-8")
    problems = read(hill)[1]
    assert ("grey_list.yaml", 5) in {(p.file.rpartition("/")[2], p.line) for p in problems}
