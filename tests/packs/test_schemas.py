"""The schemas describe everything, and their errors are sentences with a place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from warhost.packs import schemas
from warhost.packs.parsed import parse_data
from warhost.packs.yaml_events import read_yaml


def check(name: str, text: str) -> list[tuple[int, int, str, str | None]]:
    data, problems = read_yaml(text, "f.yaml")
    assert not problems
    return [(p.line, p.column, p.message, p.hint) for p in schemas.check(name, data, "f.yaml")]


@pytest.mark.parametrize("name", schemas.NAMES)
def test_each_schema_is_well_formed_and_says_what_everything_means(name: str) -> None:
    schema = json.loads(schemas.schema_path(name).read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"https://warhost.invalid/schemas/{name}.schema.json"
    assert schema["title"]
    assert schema["description"]
    properties = list(all_properties(schema))
    assert properties or name == "rulebook"
    assert [name for name, said in properties if "$ref" not in said and not said.get("description")] == []


def all_properties(schema: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        conditions = ("if", "anyOf")
        yield from schema.get("properties", {}).items()
        for key, below in schema.items():
            if key not in conditions:
                yield from all_properties(below)
    elif isinstance(schema, list):
        for below in schema:
            yield from all_properties(below)


MANIFEST = "id: x\ntitle: X\nedition: '1'\nlength_unit: cm\n"


def test_a_good_manifest_has_no_problems() -> None:
    assert check("ruleset", MANIFEST) == []


@pytest.mark.parametrize(
    ("extra", "line", "column", "message", "hint"),
    [
        ("plugin: []", 5, 1, '"plugin" is not known here', 'did you mean "plugins"?'),
        ("plugins: x", 5, 10, '"plugins" must be a list, not "x"', "write [x]"),
        ("plugins: [a, a]", 5, 10, '"plugins" names something twice', None),
        ("extends: 3", 5, 10, '"extends" must be text or nothing, not 3', "put it in quotes"),
        ("demo: {scenario: a}", 5, 7, '"demo" lacks "armies"', "add `armies: ..`; needed here: scenario, armies"),
        (
            "odds: {blow: {title: A blow, round: b, over: c, losses: d}}", 5, 14,
            '"blow" lacks "sets_up", "outcome" and "worth_lost"',
            "needed here: title, sets_up, round, over, outcome, losses, worth_lost",
        ),
        ("demo: {scenario: a, armies: []}", 5, 29, '"armies" must have at least 1 item', None),
        ("summary: ''", 5, 10, '"summary" must not be empty', None),
        ("3: x", 5, 1, "the number 3 cannot be a name here", "put it in quotes if it is meant as text"),
    ],
)
def test_a_mistake_in_a_manifest_is_told_in_a_sentence(
    extra: str, line: int, column: int, message: str, hint: str | None
) -> None:
    assert check("ruleset", MANIFEST + extra) == [(line, column, message, hint)]


def test_a_needed_key_that_is_misspelt_is_told_by_the_word_that_stands_there() -> None:
    units = "[{id: mob, profil: mob, size: 1}]"
    text = f"- title: A\n  given: {{sides: [{{name: B, units: {units}}}]}}\n  when: x\n  then: {{}}\n"
    assert ('item 1 of "units" lacks "profile"', 'did you mean "profile" instead of "profil"?') in [
        (message, hint) for _, _, message, hint in check("examples", text)
    ]


def test_all_mistakes_are_told_at_once() -> None:
    found = check("ruleset", "id: Big Game\ntitle: 1\nedition: 1.5\nlength_unit: inch\n")
    assert [(line, message) for line, _, message, _ in found] == [
        (1, '"id" must be of small letters, digits and underscores, beginning with a letter, not "Big Game"'),
        (2, '"title" must be text, not 1'),
        (3, '"edition" must be text, not 3/2'),
        (4, '"length_unit" must be cm or in or hex, not "inch"'),
    ]
    assert found[0][3] == "write big_game"


def test_words_that_look_like_yes_are_explained() -> None:
    found = check("profiles", "profiles:\n  a: {abstract: on}\n")
    assert found == [(2, 17, '"abstract" must be true or false, not "on"', "write true")]


@pytest.mark.parametrize("word", ["amend", "replace", "remove", "abstract"])
def test_yes_is_true_where_a_change_is_said(word: str) -> None:
    assert check("profiles", f"profiles:\n  a: {{{word}: yes}}\n") == []
    parsed = parse_data(f"profiles:\n  a: {{{word}: yes}}\n  b: {{{word}: no}}\n", "x.yaml", "profiles")
    assert isinstance(parsed.data, dict)
    assert [parsed.data["profiles"][id][word] for id in ("a", "b")] == [True, False]


def test_yes_is_true_for_every_key_that_the_schema_knows_as_true_or_false() -> None:
    rule = "- {id: X-1, chapter: Words, title: A rule, worked: yes}\n"
    assert check("rulebook", rule) == []
    assert check("rulebook", rule.replace("worked: yes", "worked: maybe")) != []


def test_the_name_of_a_profile_is_checked_where_it_stands() -> None:
    ((line, column, message, hint),) = check("profiles", "profiles:\n  a: {}\n  Big Man: {}\n")
    assert (line, column) == (3, 3)
    assert "Big Man" in message
    assert hint == "write big_man"


def test_a_name_in_two_words_is_mended_with_a_line_between_them() -> None:
    ((line, column, _, hint),) = check("profiles", "profiles:\n  orc: {close combat: 3}\n")
    assert (line, column, hint) == (2, 9, "write close_combat")


def test_numbers_may_be_keys_in_the_rows_of_a_table_only() -> None:
    assert check("profiles", "tables:\n  t: {by: [a], rows: {1: 2, 2: 3}}\n") == []
    assert [c[:2] for c in check("profiles", "tables:\n  4: {by: [a], rows: {x: 3}}\n")] == [(2, 3)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: lisst\nid: a\nname: A\nunits: []\n", '"kind" must be list or army, not "lisst"'),
        ("kind: list\nid: a\nname: A\n", 'this file lacks "units"'),
        ("kind: army\nid: a\nname: A\nlist: l\nunits: []\n", '"units" must have at least 1 item'),
        (
            "kind: army\nid: a\nname: A\nlist: l\nunits: [{profile: p, size: 0}]\n",
            '"size" must be at least 1, not 0',
        ),
    ],
)
def test_lists_and_armies_are_told_apart_by_kind(text: str, message: str) -> None:
    assert message in [found[2] for found in check("army", text)]


def test_a_change_need_not_be_complete() -> None:
    assert check("army", "kind: list\nid: a\namend: true\nname: B\n") == []
    assert check("house", "tables:\n  t: {remove: true}\nlists:\n  l: {amend: true, name: B}\n") == []
    assert [c[2] for c in check("profiles", "tables:\n  t: {}\n")] == ['"t" lacks "by"', '"t" lacks "rows"']


@pytest.mark.parametrize("name", schemas.NAMES)
@pytest.mark.parametrize("text", ["", "3", "[]", "{}", "x", "[1, {}]", "a: b", "- a: {b: [c]}"])
def test_no_shape_of_data_makes_checking_crash(name: str, text: str) -> None:
    for _, _, message, _ in check(name, text):
        assert message
