"""Examples: what they say of fields, and of units, is judged without playing them; and told at each look."""

from __future__ import annotations

from pathlib import Path

import pytest

from warhost.packs import read

EXAMPLE = """\
- title: Whoever has marched far is worn
  given:
    sides:
      - {name: Reds, units: [{id: pikes, profile: pike, size: 5, state: {lost: 3}}]}
      - {name: Blues, units: [{id: others, profile: pike, size: 5}]}
  when: march(pikes)
  then: {pikes: {lost: 4, strength: 3, may_march: no}}
"""


@pytest.fixture
def with_example(hill: Path) -> Path:
    (hill / "examples").mkdir(exist_ok=True)
    (hill / "examples" / "marching.yaml").write_text(EXAMPLE, encoding="utf-8")
    assert read(hill)[1] == []
    return hill


@pytest.mark.parametrize(
    ("right", "wrong", "line", "code", "hint"),
    [
        ("id: pikes, profile: pike, size", "id: pikes, profile: pike, siez", 4, "unknown-property", "size"),
        ("state: {lost", "state: {lots", 4, "unknown-field", "lost"),
        ("{lost: 3}", "{lost: many}", 4, "wrong-type", None),
        ("{lost: 4", "{losst: 4", 7, "unknown-field", "lost"),
        ("strength: 3", "strenght: 3", 7, "unknown-field", "strength"),
        ("may_march: no", "marches: no", 7, "unknown-field", None),
    ],
)
def test_a_misspelt_word_is_told_at_its_place(
    with_example: Path, right: str, wrong: str, line: int, code: str, hint: str | None
) -> None:
    assert right in EXAMPLE
    (with_example / "examples" / "marching.yaml").write_text(EXAMPLE.replace(right, wrong, 1), encoding="utf-8")
    for _ in range(3):  # the first look may leave something in the cache
        problems = read(with_example)[1]
        assert [(p.line, p.code) for p in problems] == [(line, code)]
        if hint is not None:
            assert problems[0].hint == f'did you mean "{hint}"?'


def test_fields_that_house_rules_may_add_are_left_alone(with_example: Path) -> None:
    text = EXAMPLE.replace("  given:\n", "  given:\n    house_rules: [rain]\n").replace("may_march: no", "soaked: yes")
    (with_example / "examples" / "marching.yaml").write_text(text, encoding="utf-8")
    assert read(with_example)[1] == []


@pytest.mark.parametrize(
    ("right", "wrong", "line", "said"),
    [
        ("then: {pikes:", "then: {piks:", 7, '"pikes"'),
        ("may_march: no}}", "may_march: no}, reslut: 3}", 7, '"result"'),
        ("  given:\n", "  given:\n    house_rules: [rian]\n", 3, '"rain"'),
        ("  given:\n", "  given:\n    house_rules: [storms]\n", 3, "rain"),
    ],
)
def test_things_and_house_rules_are_those_that_there_are(
    with_example: Path, right: str, wrong: str, line: int, said: str
) -> None:
    assert right in EXAMPLE
    (with_example / "examples" / "marching.yaml").write_text(EXAMPLE.replace(right, wrong, 1), encoding="utf-8")
    for _ in range(3):
        problems = read(with_example)[1]
        assert [(p.line, p.code) for p in problems] == [(line, "unknown-name")]
        assert said in str(problems[0].hint)


@pytest.mark.parametrize("name", ["unit_0_1", "rest_of_pikes"])
def test_what_may_come_in_play_is_left_alone(with_example: Path, name: str) -> None:
    text = EXAMPLE.replace("then: {pikes: {lost: 4", f"then: {{{name}: {{lost: 1}}, pikes: {{lost: 4")
    (with_example / "examples" / "marching.yaml").write_text(text, encoding="utf-8")
    assert read(with_example)[1] == []


ANSWERS = """\
- title: Whoever marches may sing
  given:
    settings: {storm: yes}
    sides:
      - name: Reds
        list: red_list
        units:
          - {id: pikes, profile: pike, size: 5, options: [banner], links: {leader: others}}
          - {id: others, profile: pike, size: 5}
      - {name: Blues, units: [{id: foes, profile: pike, size: 5}]}
  when: song(pikes)
  choices: {song: [loud_song, none], listener: others}
  then: {result: 1}
"""

SONGS = """\
state of unit
    leader: unit or none = none

profile of scenario
    storm: yes_no = no

procedure song(unit)   ref R-1
    choose by unit says "What will {unit} sing?"
        loud_song: say "aloud"
        hum: say "hm"
    choose listener from units by unit says "Who is to listen to {unit}?"
    say "{listener} listens"
    result 1
"""


@pytest.mark.parametrize(
    ("right", "wrong", "line"),
    [
        ("storm: yes", "sotrm: yes", 3),
        ("storm: yes", "storm: loud", 3),
        ("options: [banner]", "options: [baner]", 8),
        ("leader: others", "laeder: others", 8),
        ("leader: others", "leader: ohters", 8),
        ("song: [", "snog: [", 12),
        ("loud_song", "lodu_song", 12),
        ("none]", "nnoe]", 12),
        ("listener: others", "listener: otehrs", 12),
    ],
)
def test_settings_options_links_and_answers_are_judged(hill: Path, right: str, wrong: str, line: int) -> None:
    (hill / "rules" / "songs.rules").write_text(SONGS, encoding="utf-8")
    file = hill / "examples" / "singing.yaml"
    file.write_text(ANSWERS, encoding="utf-8")
    assert read(hill)[1] == []
    assert right in ANSWERS
    file.write_text(ANSWERS.replace(right, wrong, 1), encoding="utf-8")
    for _ in range(3):
        assert [(p.file.rpartition("/")[2], p.line) for p in read(hill)[1]] == [("singing.yaml", line)]


LUCK = "roll luck(unit) by unit: d6 <= 3\nafter hurt(unit)\n    if roll luck(unit)\n        say \"lucky\"\n"


def test_dice_that_a_house_rule_may_bring_are_left_alone(with_example: Path) -> None:
    path = with_example / "examples" / "marching.yaml"
    (with_example / "luck.rules").write_text(LUCK, encoding="utf-8")
    text = EXAMPLE.replace("  then:", "  dice: [12]\n  then:")
    path.write_text(text, encoding="utf-8")
    told = [p.code for p in read(with_example)[1]]
    path.write_text(text.replace("  given:\n", "  given:\n    house_rules: [rain]\n"), encoding="utf-8")
    assert (told, read(with_example)[1]) == (["never"], [])
