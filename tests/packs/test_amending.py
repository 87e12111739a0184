"""What `amend` takes beside lines of numbers, and `rename`."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from warhost.lang import tree
from warhost.packs import load, read
from warhost.packs.merging import _key_of

from .conftest import HILL, Writer
from .test_layers import in_force, stacked, told

TABLE = "table price by points\n    1: 1\n    2 to 5: 2\n    6 or more: 3\n    otherwise: 0\n"
ROLL = "roll hits(unit) by unit: d6 <= 3\n    natural 1 succeeds\n    natural 6 fails\n"


def rows(text: str) -> list[str | None]:
    block = in_force(stacked(TABLE, text))["table price"]
    return [_key_of(case) for case in block.cases]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("2 to 5: 9", ["1", "2 to 5", "6 or more", "otherwise"]),
        ("3: 9", ["1", "3", "2 to 5", "6 or more", "otherwise"]),  # rows count from above
        ("9 or more: 9", ["1", "2 to 5", "9 or more", "6 or more", "otherwise"]),
        ("0: 9", ["0", "1", "2 to 5", "6 or more", "otherwise"]),
        ("otherwise: 9", ["1", "2 to 5", "6 or more", "otherwise"]),
        ('remove "2 to 5"', ["1", "6 or more", "otherwise"]),
        ('replace "6 or more": 6 to 7: 3', ["1", "2 to 5", "6 to 7", "otherwise"]),
    ],
)
def test_a_row_goes_where_it_belongs(change: str, expected: Sequence[str]) -> None:
    assert rows(f"amend table price\n    {change}\n") == expected


def test_naturals_of_a_roll() -> None:
    block = in_force(stacked(ROLL, 'amend roll hits\n    natural 2 succeeds\n    remove "natural 6"\n'))["roll hits"]
    assert [str(n.face.value) for n in block.naturals] == ["1", "2"]
    replaced = in_force(stacked(ROLL, 'amend roll hits\n    replace "natural 1": natural 1 fails\n'))["roll hits"]
    assert [n.effect for n in replaced.naturals] == ["fails", "fails"]
    ((_, line, message, hint),) = told(stacked(ROLL, 'amend roll hits\n    remove "natural 3"\n'))
    assert (line, message) == (2, 'roll hits has no line called "natural 3"')
    assert hint is not None and "natural" in hint  # noqa: PT018
    ((_, _, message, _),) = told(stacked(ROLL, "amend roll hits\n    +1 when unit.fresh\n"))
    assert message == "this cannot be added to roll hits"


def test_a_line_is_found_by_its_reason_when_it_has_no_name() -> None:
    number = 'number a(unit) = 1\n    +1 because "fresh"\n    -1 because "tired" called "worn"\n'
    block = in_force(stacked(number, 'amend number a\n    remove "fresh"\n'))["number a"]
    assert [line.because for line in block.lines] == ["tired"]
    ((_, _, message, _),) = told(stacked(number, 'amend number a\n    remove "tired"\n'))
    assert message == 'number a has no line called "tired"'


def test_of_several_lines_with_one_name_nobody_can_say_which_is_replaced() -> None:
    lines = 'strength +1 because "wild"\n    while bearer is unit\n        forbid may_hold(unit) because "wild"'
    trait = f"trait Wild\n    {lines}\n"
    change = 'amend trait Wild\n    replace "wild": strength +2 because "wilder"\n'
    ((_, line, message, hint),) = told(stacked(trait, change))
    assert (line, message) == (2, 'trait Wild has 2 lines called "wild"')
    assert hint is not None
    assert '`remove "wild"`' in hint
    mended = stacked(trait, 'amend trait Wild\n    remove "wild"\n    strength +2 because "wilder"\n')
    assert not told(mended)


TRAITS = """\
trait Brave(n)
    strength +n when unit is bearer
trait Fickle
    forbid may_hold(unit) when unit is bearer and not unit has Brave
procedure cheer(unit)
    give Brave(1) to unit until end of turn
    choose by unit
        Brave: take Brave from unit
"""


def test_rename_is_followed_wherever_the_definition_is_named() -> None:
    merged = stacked(TRAITS, 'rename trait Brave to "Stout Hearted"\namend trait "Stout Hearted"\n    strength +1\n')
    found = in_force(merged)
    assert {"trait Stout Hearted", "trait Fickle"} <= set(found)
    named = {node.text for block in found.values() for node in tree.walk(block) if isinstance(node, tree.Word)}
    assert "Stout Hearted" in named
    (choice,) = (n for n in tree.walk(found["procedure cheer"]) if isinstance(n, tree.ChoiceOption))
    assert choice.label.text == "Brave"  # an option's label is a name of its own
    (placed,) = (p for p in merged.placed if p.name == "Stout Hearted")
    assert [change.what for change in placed.history] == ["defined", "renamed", "amended"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("rename trait Bold to Brave", "there is no trait Bold that could be renamed"),
        ("rename trait Brave to Fickle", "there is trait Fickle already, in base.rules:3"),
        ("rename procedure cheer to shout", "a procedure keeps its name: rules call it by that"),
        ("rename trait Brave to Stout\nremove trait Brave",
         'there is no trait Brave that could be removed: the house rule "A" calls it "Stout" (a.rules:1)'),
    ],
)  # fmt: skip
def test_what_cannot_be_renamed(change: str, message: str) -> None:
    assert [said for _, _, said, _ in told(stacked(TRAITS, f"{change}\n"))] == [message]


def test_a_name_that_two_kinds_share_is_not_renamed() -> None:
    merged = stacked(f"{TRAITS}spell Brave\n", "rename trait Brave to Stout\n")
    assert [said for _, _, said, _ in told(merged)] == [
        "Brave is also spell Brave: it is not certain which of the two rules mean by it"
    ]


def test_two_house_rules_that_rename_one_thing_are_named() -> None:
    ((_, _, message, _), *_) = told(stacked(TRAITS, "rename trait Brave to Stout\n", "rename trait Brave to Bold\n"))
    assert "the name of trait Brave" in message


def test_data_and_examples_follow_a_new_name(write: Writer) -> None:
    unit = "length_unit: cm"
    files = {
        **HILL,
        "ruleset.yaml": HILL["ruleset.yaml"].replace(unit, f"{unit}\nplugins: [warhost_psychology]"),
        "rules/traits.rules": "trait Brave(n)\n    strength +n when unit is bearer\n",
        "data/more.yaml": 'profiles:\n  guard: {name: Guards, extends: man, traits: ["Brave(2)"]}\n',
        "armies/red_list.yaml": HILL["armies/red_list.yaml"]
        + '  - {profile: guard, options: [{id: oath, traits: ["Brave(1)"]}]}\n',
        "examples/brave.yaml": "- title: Guards are brave\n"
        '  given: {sides: [{name: Red, units: [{id: g, profile: guard}, '
        '{id: p, profile: pike, traits: ["Brave(1)"]}]}]}\n'
        '  when: strength(g)\n  then: {result: 5, all: ["p has Brave", "strength(p) == 5"]}\n',
    }
    write("hill", files)
    renaming = 'house rule "Names" for hill_fight\n    rename trait Brave to "Stout Heart"\n'
    house = write("names", {"names.rules": renaming})
    rules = load("hill_fight", [house])
    assert str(rules.profiles["guard"].bears["traits"][0]) == "Stout Heart(2)"
    row = rules.lists["red_list"].data["units"][1]
    assert row["options"][0]["traits"] == ["Stout Heart(1)"]
    (example,) = (one for one in rules.examples if one.title == "Guards are brave")
    assert example.data["then"]["all"] == ['p has "Stout Heart"', "strength(p) == 5"]
    assert example.data["given"]["sides"][0]["units"][1]["traits"] == ["Stout Heart(1)"]
    from warhost_proof.examples import run_example

    assert run_example(rules, example, {rules.house: rules})[0].passed


def _with_an_edition_that_renames(write: Writer) -> None:
    """A house rule of the book speaks of a trait that an edition calls otherwise."""
    listed = "  bold: {title: Bold, file: house/bold.rules, reads: Bold men.}\n  giants:"
    files = {
        **HILL,
        "ruleset.yaml": HILL["ruleset.yaml"]
        .replace("length_unit: cm", "length_unit: cm\nplugins: [warhost_psychology]")
        .replace("  giants:", listed),
        "rules/traits.rules": "trait Brave(n)\n    strength +n when unit is bearer\n",
        "house/bold.rules": 'house rule "Bold" for hill_fight\n    amend trait Brave\n'
        "        strength +1 when unit is bearer\n",
    }
    write("hill", files)
    second = 'id: hill_fight\ntitle: Hill fight\nedition: "2"\nextends: hill_fight@1\nlength_unit: cm\n'
    write("second", {"ruleset.yaml": second, "rules/names.rules": "rename trait Brave to Stout\n"})


def test_the_house_rules_of_a_book_follow_the_names_of_an_edition(write: Writer) -> None:
    _with_an_edition_that_renames(write)
    rules = load("second", ["bold"])
    stout = rules.block("trait", "Stout")
    assert stout is not None
    assert [change.what for change in stout.history] == ["defined", "renamed", "amended"]


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("amend trait Brave\n        reads \"Bold.\"", "rename trait Brave to Stout"),
        ("remove trait Brave", "rename trait Fickle to Stout"),
        ("rename trait Brave to Stout", "rename trait Stout to Firm"),
    ],
)
def test_a_house_rule_may_lie_below_one_that_renames(write: Writer, lower: str, higher: str) -> None:
    _with_an_edition_that_renames(write)
    heads = [f'house rule "{n}" for hill_fight\n    {text}\n' for n, text in (("L", lower), ("H", higher))]
    more = "    trait Fickle\n        strength -1 when unit is bearer\n"
    files = {"l.rules": heads[0].replace("\n", f"\n{more}", 1), "h.rules": heads[1]}
    folder = write("own", files)
    _, problems = read("hill_fight@1", [folder / name for name in files])
    assert [p.message for p in problems if not p.is_warning] == []


def test_an_edition_and_a_house_rule_of_the_book_rename_one_trait(write: Writer) -> None:
    _with_an_edition_that_renames(write)
    guards = "profiles:\n  guard: {name: Guards, extends: man, traits: [\"Brave(1)\"]}\n"
    renaming = 'house rule "Bold"\n    rename trait Brave to Bold\n'
    write("hill", {"house/bold.rules": renaming, "data/more.yaml": guards})
    assert str(load("second", ["bold"]).profiles["guard"].bears["traits"][0]) == "Bold(1)"


def test_who_has_renamed_what_is_not_there_is_named(write: Writer) -> None:
    _with_an_edition_that_renames(write)
    guards = "profiles:\n  guard: {name: Guards, extends: man, traits: [\"Brave(1)\"]}\n"
    house = write("own", {"guards.yaml": f"title: Guards\n{guards}"})
    _, problems = read("second", [house / "guards.yaml"])
    (told,) = problems
    assert (told.message, told.hint) == ('there is no trait "Brave"', '"Hill fight" calls it "Stout": write that')


# -- several house rules -------------------------------------------------------------------------

HOUSES = {
    "strong.rules": 'house rule "Strong" for hill_fight\n    rule "S"\n        strength set to 5\n',
    "weak.rules": 'house rule "Weak" for hill_fight\n    rule "W"\n        strength set to 1 when unit.lost > 1\n',
    "sure.rules": 'house rule "Sure" for hill_fight, after "Strong"\n    rule "W"\n        strength set to 1\n',
    "brittle.rules": 'house rule "Brittle" for hill_fight\n    replace number strength(unit) = 2\n',
    "march.rules": 'house rule "March" for hill_fight\n    replace flag may_march(unit) = yes\n',
    "halt.rules": 'house rule "Halt" for hill_fight\n    rule "H"\n        forbid may_march(unit) when unit.lost > 1\n',
    "go.rules": 'house rule "Go" for hill_fight\n    rule "G"\n        allow may_march(unit)\n',
    "stop.rules": 'house rule "Stop" for hill_fight\n    rule "S"\n        forbid may_march(unit)\n',
    "bearer.rules": 'house rule "Bearer" for hill_fight\n    trait Swift\n'
    "        allow may_march(unit) when unit is bearer\n",
    "one.rules": 'house rule "One" for hill_fight\n    phase one after marching\n        say "one"\n',
    "two.rules": 'house rule "Two" for hill_fight\n    phase two after marching\n        say "two"\n',
    "other.rules": 'house rule "Other" for hill_fight\n    rule "O"\n        strength set to 9 when unit.lost > 7\n',
    "circle.rules": 'house rule "Circle" for hill_fight, after "Round"\n    rule "C"\n        strength +1\n',
    "round.rules": 'house rule "Round" for hill_fight, after "Circle"\n    rule "R"\n        strength +1\n',
}


def conflicts(write: Writer, *names: str) -> list[tuple[str, str]]:
    with_traits = HILL["ruleset.yaml"].replace("length_unit: cm", "length_unit: cm\nplugins: [warhost_psychology]")
    write("hill", {**HILL, "ruleset.yaml": with_traits})
    folder = write("houses", HOUSES)
    _, problems = read("hill_fight", [folder / f"{name}.rules" for name in names])
    assert {p.code for p in problems} <= {"house-conflict"}
    return [(p.message, p.hint or "") for p in problems]


def test_two_that_set_one_number_for_one_case_are_told_with_what_decides(write: Writer) -> None:
    ((message, hint),) = conflicts(write, "strong", "weak")
    assert 'the house rule "Weak" sets strength, and so does the house rule "Strong"' in message
    assert hint.startswith("the one that comes last decides")
    assert 'after "Strong"' in hint


def test_different_conditions_are_no_contradiction(write: Writer) -> None:
    assert conflicts(write, "weak", "other") == []


def test_after_settles_it_and_orders_them_by_itself(write: Writer) -> None:
    assert conflicts(write, "strong", "sure") == []
    assert conflicts(write, "sure", "strong") == []
    folder = write("houses", HOUSES)
    rules = load("hill_fight", [folder / "sure.rules", folder / "strong.rules"])
    assert rules.house == ("strong", "sure")
    assert [layer.id for layer in rules.layers if layer.kind == "house"] == ["strong", "sure"]
    assert [layer.index for layer in rules.layers] == list(range(len(rules.layers)))


def test_what_is_set_stays_so_when_another_replaces_the_number(write: Writer) -> None:
    ((message, hint),) = conflicts(write, "brittle", "strong")
    assert 'the house rule "Strong" sets strength, and the house rule "Brittle" replaces that number' in message
    assert message.endswith("what is set stays so, whatever the number says")
    assert 'after "Brittle"' in hint
    assert conflicts(write, "brittle", "other") == []


def test_forbid_against_replace_and_allow_against_forbid(write: Writer) -> None:
    ((message, _),) = conflicts(write, "march", "halt")
    assert 'the house rule "Halt" forbids may_march, and the house rule "March" replaces that flag' in message
    assert message.endswith("what is forbidden stays so, whatever the flag says")
    ((message, hint),) = conflicts(write, "go", "halt")
    assert 'says `forbid may_march`, and the house rule "Go" says `allow`' in message
    assert hint.startswith("`forbid` decides")


def test_what_a_trait_allows_against_what_is_forbidden_for_everybody(write: Writer) -> None:
    ((message, hint),) = conflicts(write, "bearer", "stop")
    assert 'the house rule "Stop" says `forbid may_march`, and the house rule "Bearer" says `allow`' in message
    assert hint.startswith("`forbid` decides")
    assert conflicts(write, "bearer", "halt") == []


def test_two_phases_put_at_one_place(write: Writer) -> None:
    ((message, hint),) = conflicts(write, "one", "two")
    assert "the place right after phase marching" in message
    assert hint.startswith("the later one would decide")


def test_those_that_come_after_each_other(write: Writer) -> None:
    ((message, _),) = conflicts(write, "circle", "round")
    assert '"Circle" and "Round" each say that they come after the other' in message


def test_a_sentence_alone_is_amended() -> None:
    below = 'trait Bold\n    reads "It dares."\n    keeps used: yes_no = no\n'
    block = in_force(stacked(below, 'amend trait Bold\n    reads "It dares all."\n'))["trait Bold"]
    assert block.reads.plain == "It dares all."
    assert len(block.items) == 1
