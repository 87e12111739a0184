"""Laying layers over each other: what is in force, in which order, where it came from, and what may not be said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.lang import tree
from warhost.lang.parser import parse
from warhost.packs.layers import Layer, Merged
from warhost.packs.merging import merge, unwrap


def blocks(text: str, file: str = "f.rules") -> list[Any]:
    module, problems = parse(text, file)
    assert not problems, problems[0].render()
    return list(module.blocks)


def stacked(*texts: str, kinds: str = "") -> Merged:
    """The first text is the ruleset's, the others are house rules a, b, .. (kinds: p, r or h for each instead)."""
    names = {"p": "plugin", "r": "ruleset", "h": "house"}
    kinds = kinds or "r" + "h" * (len(texts) - 1)
    stack = []
    for index, (text, kind) in enumerate(zip(texts, kinds, strict=True)):
        id_ = "base" if index == 0 else "abcdefg"[index - 1]
        layer = Layer(id_, id_.upper(), names[kind], index)
        module, problems = parse(text, f"{id_}.rules")
        assert not problems, problems[0].render()
        layer, unwrapped, wrong = unwrap(layer, [module], ["game"])
        assert not wrong
        stack.append((layer, unwrapped))
    return merge(stack)


def in_force(merged: Merged) -> dict[str, Any]:
    assert merged.problems == (), merged.problems[0].render()
    return {placed.id: placed.block for placed in merged.placed}


def told(merged: Merged) -> list[tuple[str, int, str, str | None]]:
    return [(p.file, p.line, p.message, p.hint) for p in merged.problems]


NUMBER = 'number strength(unit) = 3\n    -1 when unit.lost > 2   called "tired"\n    +1 when unit.fresh\n'


def test_every_kind_of_block_has_a_kind_and_a_name() -> None:
    text = """\
number a(unit) = 1
flag b(unit) = yes
value c(unit): side = unit.owner
roll dd(unit) by unit: d6 <= 3
procedure e(unit)
    say "x"
event f(unit)
choice g(unit) by unit: enemy units
table h by points
    1: 2
constraint i(army)
    require army.limit > 1
    otherwise "no"
words j: k, l
noun m is a unit
state of unit
    lost: number = 0
profile of unit
    skill: number
phrase "hit {n}" means e(n)
trait Fear(n)
rule "Always"
    a +1 when unit.fresh
turn
    phase n: e
setup
    phase o: e
after f(unit)
    say "x"
at end of turn
    say "x"
"""
    ids = list(in_force(stacked(text)))
    assert ids == [
        "number a", "flag b", "value c", "roll dd", "procedure e", "event f", "choice g", "table h", "constraint i",
        "words j", "noun m", "state unit", "profile unit", "phrase hit {n}", "trait Fear", "rule Always", "turn",
        "setup", "handler after f", "handler at end of turn",
    ]  # fmt: skip


def test_handlers_are_never_merged_and_told_apart_by_ref_and_order() -> None:
    handler = 'after hurt(unit){ref}\n    say "{n}"\n'
    text = "".join(handler.format(ref=ref, n=n) for n, ref in enumerate(["", "   ref R-1", "", "   ref R-1"]))
    merged = stacked(text, text)
    assert list(in_force(merged)) == [
        "handler after hurt",
        "handler after hurt [R-1]",
        "handler after hurt (2)",
        "handler after hurt [R-1] (2)",
        "handler after hurt (3)",
        "handler after hurt [R-1] (3)",
        "handler after hurt (4)",
        "handler after hurt [R-1] (4)",
    ]


def test_the_same_name_twice_in_one_layer_names_both_places() -> None:
    merged = stacked("number a(unit) = 1\nflag a(unit) = yes\nnumber a(unit) = 2\n")
    message = "number a is defined twice; the first is in base.rules:1"
    hint = "keep one of the two, or call one of them otherwise than a"
    assert told(merged) == [("base.rules", 3, message, hint)]
    assert [placed.block.base for placed in merged.placed if placed.kind == "number"] == [tree.Num(1)]


def test_a_name_of_a_lower_layer_needs_amend_or_replace() -> None:
    merged = stacked("number a(unit) = 1\n", "number a(unit) = 2\n")
    ((file, line, message, hint),) = told(merged)
    assert (file, line) == ("a.rules", 1)
    assert message == 'number a is already defined by "BASE" (base.rules:1)'
    assert hint == "write `amend number a` to add to it, `replace ..` to put this in its place"


def test_replace_keeps_the_place_in_the_order_and_remembers_both() -> None:
    merged = stacked(
        "number a(unit) = 1\nnumber b(unit) = 2\nnumber c(unit) = 3\n",
        "number e(unit) = 4\nreplace number b(unit) = 5\n",
    )
    assert list(in_force(merged)) == ["number a", "number b", "number c", "number e"]
    b = merged.placed[1]
    assert b.block.base == tree.Num(5)  # type: ignore[union-attr]
    assert b.layer.id == "a"
    assert [(c.layer.id, c.what, str(c.pos)) for c in b.history] == [
        ("base", "defined", "base.rules:2:1"),
        ("a", "replaced", "a.rules:2:1"),
    ]
    assert [placed.order for placed in merged.placed] == [0, 1, 2, 3]


def test_remove_takes_a_block_out_and_remembers_it() -> None:
    merged = stacked("trait Fear\ntrait Hate\n", "remove trait Fear\n")
    assert list(in_force(merged)) == ["trait Hate"]
    (gone,) = merged.removed
    assert (gone.kind, gone.name) == ("trait", "Fear")
    assert [(c.layer.id, c.what) for c in gone.history] == [("base", "defined"), ("a", "removed")]


@pytest.mark.parametrize(
    "change", ["remove number {}\n", "amend number {}\n    +1 when unit.x\n", "replace number {} = 1\n"]
)
def test_an_unknown_target_gets_the_nearest_name(change: str) -> None:
    merged = stacked(NUMBER, change.format("strenght"))
    ((file, line, _, hint),) = told(merged)
    assert (file, line, hint) == ("a.rules", 1, 'did you mean "strength"?')


def test_the_wrong_kind_is_pointed_out() -> None:
    ((_, _, message, hint),) = told(stacked("flag tough(unit) = yes\n", "remove number tough\n"))
    assert message == "there is no number tough that could be removed"
    assert hint == "tough is a flag"


# -- amending ----------------------------------------------------------------------------------


def test_amending_a_number_adds_removes_and_replaces_lines() -> None:
    merged = stacked(
        NUMBER,
        'amend number strength   ref R-9\n    remove "tired"\n    +2 when unit.big   called "big"\n',
        'amend number strength\n    replace "big": +3 when unit.big\n',
    )
    (placed,) = merged.placed
    assert (
        in_force(merged)["number strength"]
        == blocks("number strength(unit) = 3   ref R-9\n    +1 when unit.fresh\n    +3 when unit.big\n")[0]
    )
    assert placed.layer.id == "base"
    assert [(c.layer.id, c.what) for c in placed.history] == [
        ("base", "defined"),
        ("a", "amended"),
        ("b", "amended"),
    ]
    assert placed.block.lines[1].pos.file == "b.rules"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("base", "change", "result"),
    [
        (
            'flag f(unit) = yes\n    no if unit.x > 1  called "x"\n',
            'amend flag f\n    remove "x"\n    no if unit.y > 1\n',
            "flag f(unit) = yes\n    no if unit.y > 1\n",
        ),
        (
            "value v(unit): side = unit.owner\n",
            "amend value v\n    set to unit.side when unit.x > 1\n",
            "value v(unit): side = unit.owner\n    set to unit.side when unit.x > 1\n",
        ),
        ("words w: dry, wet\n", 'amend words w\n    foggy\n    remove "dry"\n', "words w: wet, foggy\n"),
        (
            "state of unit\n    a: number = 0\n    b: number = 0\n",
            'amend state of unit\n    remove "a"\n    c: number = 1\n',
            "state of unit\n    b: number = 0\n    c: number = 1\n",
        ),
        (
            "profile of unit\n    a: number\n",
            "amend profile of unit\n    c: number\n",
            "profile of unit\n    a: number\n    c: number\n",
        ),
        (
            'trait Fear(n)\n    range: 6\n    strength -1 when unit is bearer   called "weak"\n',
            'amend trait Fear\n    remove "weak"\n    range: 12\n    persistent\n',
            "trait Fear(n)\n    range: 12\n    persistent\n",
        ),
        (
            "trait Fear\n    while bearer.x > 1\n"
            '        strength -1 when unit is bearer   called "weak"\n        persistent\n',
            'amend trait Fear\n    remove "weak"\n',
            "trait Fear\n    while bearer.x > 1\n        persistent\n",
        ),
    ],
)
def test_amending(base: str, change: str, result: str) -> None:
    (block,) = in_force(stacked(base, change)).values()
    assert block == blocks(result)[0]


def test_amending_a_table_changes_and_adds_words() -> None:
    base = "table t by weather\n    dry: 1\n    wet: 2\n"
    (block,) = in_force(stacked(base, "amend table t\n    wet: 3\n    foggy: 4\n")).values()
    assert [(case.word.text, case.value) for case in block.cases] == [
        ("dry", tree.Num(1)),
        ("wet", tree.Num(3)),
        ("foggy", tree.Num(4)),
    ]


def test_changes_within_a_layer_are_made_in_the_order_in_which_they_stand() -> None:
    change = 'amend number strength\n    +2 when unit.big   called "big"\n'
    change += 'amend number strength\n    replace "big": +3 when unit.big\n'
    lines = in_force(stacked(NUMBER, change))["number strength"].lines
    assert [line.value for line in lines[2:]] == [tree.Num(3)]


def test_an_unknown_line_gets_the_nearest_name() -> None:
    ((file, line, message, hint),) = told(stacked(NUMBER, 'amend number strength\n    remove "tried"\n'))
    assert (file, line) == ("a.rules", 2)
    assert message == 'number strength has no line called "tried"'
    assert hint == 'did you mean "tired"?'


def test_what_does_not_fit_a_block_is_refused() -> None:
    ((file, line, message, hint),) = told(stacked("roll r(unit) by unit: d6 <= 3\n", "amend roll r\n    persistent\n"))
    assert (file, line, message) == ("a.rules", 2, "this cannot be added to roll r")
    assert hint == "write `replace roll r ..` with the whole block"
    merged = stacked(NUMBER, "amend number strength\n    other_number +1 when unit.x\n")
    assert [p.code for p in merged.problems] == ["wrong-amendment"]


# -- state, profiles, variants, phases ---------------------------------------------------------------


def test_state_of_the_same_noun_joins_over_files_and_layers() -> None:
    merged = stacked(
        "state of unit   ref R-1\n    a: number = 0\nstate of unit   ref R-2\n    b: number = 0\n",
        "state of unit\n    c: number = 0\n",
    )
    (placed,) = merged.placed
    assert [field.name for field in placed.block.fields] == ["a", "b", "c"]  # type: ignore[union-attr]
    assert placed.block.ref == ("R-1", "R-2")
    assert merged.problems == ()


def test_a_field_declared_twice_names_both_places() -> None:
    merged = stacked("profile of unit\n    a: number\n", "profile of unit\n    b: number\n    a: number\n")
    ((file, line, message, _),) = told(merged)
    assert (file, line) == ("a.rules", 3)
    assert message == '"a" of unit is declared twice; the first is in base.rules:2'


def test_variants_share_a_title_but_parameters_do_not_make_variants() -> None:
    merged = stacked(
        "tool Pike(foot)\n    range: 1\ntool Pike(mounted)\n    range: 2\n",
        "replace tool Pike(mounted)\n    range: 3\n",
    )
    found = in_force(merged)
    assert [block.items[0].value for block in found.values()] == [tree.Num(1), tree.Num(3)]
    merged = stacked(
        "trait Fear(n)\n    strength -n when unit is bearer\ntrait Fear(m)\n    strength -m when unit is bearer\n"
    )
    assert [p.code for p in merged.problems] == ["defined-twice"]


TURN = "turn\n    phase a: x\n    phase b: y\n"


@pytest.mark.parametrize(
    ("change", "names"),
    [
        ('phase new after a\n    say "x"\n', ["a", "new", "b"]),
        ('phase new before a\n    say "x"\n', ["new", "a", "b"]),
        ('replace phase b\n    say "x"\n', ["a", "b"]),
        ("remove phase a\n", ["b"]),
        ("phase b before a\n", ["b", "a"]),
        ("phase a after b\n", ["b", "a"]),
    ],
)
def test_phases_are_put_in_replaced_and_removed(change: str, names: list[str]) -> None:
    merged = stacked(TURN, change)
    turn = in_force(merged)["turn"]
    assert [phase.name for phase in turn.phases] == names
    assert merged.placed[0].history[-1].layer.id == "a"
    if change.startswith("replace"):
        assert turn.phases[1].body


def test_a_phase_needs_an_anchor_and_a_name_of_its_own() -> None:
    merged = stacked("turn\n    phase moving: x\n", 'phase new after movin\n    say "x"\n')
    assert told(merged)[0][2:] == ('there is no phase "movin"', 'did you mean "moving"?')
    assert [p.column for p in merged.problems] == [17]  # of the word itself
    merged = stacked(TURN, 'phase b after a\n    say "x"\n')
    assert [p.code for p in merged.problems] == ["defined-twice"]
    merged = stacked(TURN, "phase b after b\n")
    assert [p.code for p in merged.problems] == ["defined-twice"]


def test_a_phase_moves_within_its_turn_as_it_is() -> None:
    merged = stacked("setup\n    phase c: z\n" + TURN, "phase b before a\n")
    before = in_force(stacked(TURN))["turn"].phases
    assert set(in_force(merged)["turn"].phases) == set(before)
    merged = stacked("setup\n    phase c: z\n" + TURN, "phase b before c\n")
    assert [p.message for p in merged.problems] == [
        '"b" and "c" are not phases of one turn: one of them belongs to the set-up'
    ]


def test_a_phase_to_be_moved_is_there() -> None:
    (problem,) = stacked(TURN, "phase bb before a\n").problems
    assert (problem.code, problem.message) == ("unknown-name", 'there is no phase "bb" to be moved')
    assert problem.hint == 'did you mean "b"?'
    (problem,) = stacked(TURN, "phase feast before a\n").problems
    assert (problem.hint or "").startswith("a new phase says what it does")


# -- house rules against each other ---------------------------------------------------------------

SAME = [
    ("replace number strength(unit) = 4\n", "number strength"),
    ("remove number strength\n", "number strength"),
    ('amend number strength\n    remove "tired"\n', 'the line "tired" of number strength'),
    ("remove phase a\n", "phase a"),
    ('replace phase a\n    say "x"\n', "phase a"),
]


@pytest.mark.parametrize(("change", "thing"), SAME)
def test_two_house_rules_that_replace_or_remove_the_same_are_named(change: str, thing: str) -> None:
    merged = stacked(NUMBER + TURN, change, change)
    conflicts = [p for p in merged.problems if p.code == "house-conflict"]
    (problem,) = conflicts
    assert problem.file == "b.rules"
    assert thing in problem.message
    assert '"A"' in problem.message
    assert '"B"' in problem.message
    assert "a.rules:1" in problem.message
    settled = 'choose one of them, or let one say that it knows: after "A"'
    assert problem.hint == f"the later one would decide; {settled}"


def test_a_later_house_rule_may_say_that_it_knows() -> None:
    later = 'house rule "Later" for game, after "A"\n    replace number strength(unit) = 5\n'
    merged = stacked(NUMBER, "replace number strength(unit) = 4\n", later)
    assert in_force(merged)["number strength"].base == tree.Num(5)
    merged = stacked(NUMBER, "remove number strength\n", later)
    assert in_force(merged)["number strength"].base == tree.Num(5)
    assert [c.what for c in merged.placed[0].history] == ["defined", "removed", "replaced"]


def test_rulesets_may_replace_what_an_ancestor_replaced() -> None:
    change = "replace number strength(unit) = 4\n"
    assert stacked(NUMBER, change, change, kinds="prr").problems == ()


def test_a_house_rule_is_for_its_ruleset_and_not_among_the_rules() -> None:
    module, _ = parse('house rule "X" for gane\n    remove trait Y\n', "x.rules")
    _, found, problems = unwrap(Layer("x", "x", "house", 1), [module], ["game"])
    assert [p.hint for p in problems] == ['did you mean "game"?']
    assert len(found) == 1
    _, _, problems = unwrap(Layer("base", "base", "ruleset", 0), [module], ["gane"])
    assert [p.code for p in problems] == ["house-rule"]


# -- laws -----------------------------------------------------------------------------------------

NAMES = [f"n{i}" for i in range(6)]
ACTIONS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["define", "replace", "remove", "amend"])),
    max_size=6,
    unique_by=lambda action: action[0],
)


@given(
    st.lists(st.permutations(NAMES).map(lambda names: names[:4]), min_size=1, max_size=1),
    st.lists(ACTIONS, max_size=4),
)
def test_merging_agrees_with_a_simple_model(first: list[list[str]], layers: list[list[tuple[str, str]]]) -> None:
    """The model: a list of names in order of definition, and for each its text's layer and what was done to it."""
    order: list[str] = list(first[0])
    value = dict.fromkeys(order, "r0")
    history = {name: [("r0", "defined")] for name in order}
    wrong = 0
    stack = [(Layer("r0", "r0", "ruleset", 0), blocks("".join(f"number {n}(unit) = 0\n" for n in order)))]
    for index, actions in enumerate(layers, start=1):
        id_ = f"r{index}"
        text = ""
        for name, action in actions:
            text += {
                "define": f"number {name}(unit) = {index}\n",
                "replace": f"replace number {name}(unit) = {index}\n",
                "remove": f"remove number {name}\n",
                "amend": f"amend number {name}\n    +1 when unit.x > 1\n",
            }[action]
            if (action == "define") == (name in value):
                wrong += 1
            elif action == "remove":
                order.remove(name)
                del value[name], history[name]
            else:
                if action == "define":
                    order.append(name)
                    history[name] = []
                if action != "amend":
                    value[name] = id_
                history[name].append((id_, {"define": "defined", "replace": "replaced", "amend": "amended"}[action]))
        stack.append((Layer(id_, id_, "ruleset", index), blocks(text, f"{id_}.rules")))
    merged = merge(stack)
    assert len(merged.problems) == wrong
    assert [p.name for p in merged.placed] == order
    assert {p.name: p.layer.id for p in merged.placed} == value
    assert {p.name: [(c.layer.id, c.what) for c in p.history] for p in merged.placed} == history
    for placed in merged.placed:
        assert f"r{placed.block.base.value}" == value[placed.name]  # type: ignore[union-attr]


@given(st.permutations(range(5)))
def test_within_a_layer_changes_may_stand_before_what_they_change(order: list[int]) -> None:
    parts = [
        "number a(unit) = 1\n",
        "number b(unit) = 2\n",
        "amend number a\n    +1 when unit.x > 1\n",
        "remove number b\n",
        'phase c after p\n    say "x"\n',
    ]
    merged = stacked("turn\n    phase p: x\n", "".join(parts[i] for i in order))
    found = in_force(merged)
    assert list(found) == ["turn", "number a"]
    assert len(found["number a"].lines) == 1
    assert [phase.name for phase in found["turn"].phases] == ["p", "c"]
