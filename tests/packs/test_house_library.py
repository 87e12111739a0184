"""The house rules that the rulesets offer: every verb by which a layer changes another is used, and each is shown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from warhost.lang import tree
from warhost.lang.parser import parse

ROOT = Path(__file__).resolve().parents[2] / "rulesets"
RULESETS = ("arcana", "destiny", "legiones", "small_fantasy", "three_plains")


def offers(ruleset: str) -> dict[str, Path]:
    """The house rules of a ruleset by id, each with its file or folder: those that it lists, and what else there is."""
    manifest = yaml.safe_load((ROOT / ruleset / "ruleset.yaml").read_text())
    listed = {id_: ROOT / ruleset / offer["file"] for id_, offer in manifest.get("house_rules", {}).items()}
    others = set((ROOT / ruleset / "house").glob("*")) - set(listed.values())
    return {**listed, **{path.stem: path for path in others}}


def files_of(path: Path) -> Iterator[Path]:
    yield from sorted(path.rglob("*.*")) if path.is_dir() else [path]


def verbs_in_rules(path: Path) -> Iterator[str]:
    module, problems = parse(path.read_text(), path.name)
    assert not problems
    for house in module.blocks:
        assert isinstance(house, tree.HouseRule)
        if house.after:
            yield "after"
        for block in house.blocks:
            yield from _verbs(block)


def _verbs(block: tree.AnyBlock) -> Iterator[str]:
    match block:
        case tree.Amend():
            yield f"amend {block.kind}" if block.kind in ("roll", "table", "words") else "amend"
            if block.reads is not None:
                yield "amend reads"
            names = {tree.RemoveLine: "remove a line", tree.ReplaceLine: "replace a line"}
            yield from (names[type(change)] for change in block.changes if type(change) in names)
        case tree.Replace():
            inner = block.block
            kinds = {
                tree.NumberBlock: "number", tree.FlagBlock: "flag", tree.RollBlock: "roll",
                tree.ProcedureBlock: "procedure", tree.KindBlock: "definition", tree.PhaseInsert: "phase",
                tree.TurnBlock: "turn",
            }  # fmt: skip
            yield f"replace {kinds.get(type(inner), 'block')}"
        case tree.Remove():
            yield "remove"
        case tree.Advise():
            yield "advise"
        case tree.Rename():
            yield "rename"
        case tree.PhaseInsert():
            yield f"phase {block.where}"
        case tree.KindBlock():
            yield "rule" if block.kind == "rule" else "definition"
        case tree.ConstraintBlock():
            yield "constraint"
        case tree.HandlerBlock():
            yield "instead of" if block.handler.hook == "instead" else "handler"
        case tree.NumberBlock() | tree.FlagBlock() | tree.ProcedureBlock():
            yield "block"
    for node in tree.walk(block):
        if isinstance(node, tree.Permission):
            yield "allow" if node.allow else "forbid"
        elif isinstance(node, tree.Modifier):
            yield node.op


def verbs_in_data(path: Path) -> Iterator[str]:
    data = yaml.safe_load(path.read_text())
    for section in ("profiles", "tables", "lists", "scenarios"):
        for element in data.get(section, {}).values():
            yield from (f"{word} {section}" for word in ("amend", "replace", "remove") if element.get(word))


def test_every_verb_is_used() -> None:
    used: set[str] = set()
    for ruleset in RULESETS:
        for path in offers(ruleset).values():
            if path.is_dir():
                used.add("folder")
            for file in files_of(path):
                used |= set(verbs_in_rules(file) if file.suffix == ".rules" else verbs_in_data(file))
    wanted = {
        "rule", "definition", "constraint", "handler", "block", "amend", "amend reads", "amend roll", "amend table",
        "amend words", "instead of", "remove a line", "replace a line", "replace number", "replace flag",
        "replace roll", "replace procedure", "replace definition", "replace phase", "replace turn", "remove", "rename",
        "phase after", "phase before", "advise",
        "allow", "forbid", "set", "add", "multiply", "floor", "cap", "after",
        "amend profiles", "amend tables", "replace tables", "remove tables", "amend lists", "amend scenarios", "folder",
    }  # fmt: skip
    assert wanted <= used, sorted(wanted - used)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_each_has_at_least_six_and_an_example_for_each(ruleset: str) -> None:
    offered = set(offers(ruleset))
    shown: set[str] = set()
    for file in (ROOT / ruleset / "examples").glob("*.yaml"):
        for example in yaml.safe_load(file.read_text()) or ():
            shown |= set((example.get("given") or {}).get("house_rules", ()))
    assert len(offered) >= 6
    assert not offered - shown


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_examples_of_a_house_rule_fail_without_it(ruleset: str) -> None:
    """For each house rule one at least."""
    from warhost.packs import load
    from warhost.packs.yaml_source import Map
    from warhost_proof.examples import run_example

    rules = load(ruleset)
    noticed: set[str] = set()
    variants = {rules.house: rules}
    for example in rules.examples:
        given = example.data.get("given")
        named = list(given.get("house_rules", ())) if isinstance(given, Map) else []
        if not named or noticed >= set(named):
            continue
        without = given.copied()
        del without["house_rules"]
        data = example.data.copied()
        data["given"] = without
        result, _ = run_example(rules, replace(example, data=data), variants)
        if not result.passed:
            noticed |= set(named)
    assert not set(rules.house_rules) - noticed


@pytest.mark.parametrize(("figures", "called"), [(5, "yes"), (2, "no")])
def test_computer_players_heed_the_advice_of_a_house_rule(
    figures: int, called: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The general's word is given to those who have a chance, by what comes with the house rule alone."""
    from warhost.packs import load
    from warhost_battles.players import UsualPlayer
    from warhost_proof import examples

    rules = load("small_fantasy")
    example = next(one for one in rules.examples if one.title.startswith("(house) Who breaks within 20 cm"))
    monkeypatch.setattr(examples, "ScriptedPlayer", lambda *_: UsualPlayer())
    spears = example.data["given"]["sides"][0]["units"][0]
    monkeypatch.setitem(spears["state"], "figures", figures)
    monkeypatch.setitem(example.data, "dice", [9, 12][: 2 if called == "yes" else 1])
    monkeypatch.setitem(example.data, "then", {"general": {"word_given": called}, "spears": {"routing": "yes"}})
    result, _ = examples.run_example(rules, example, {rules.house: rules})
    assert result.passed, result
