"""The points formula of a ruleset, term by term, and the command that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from tests.cli.conftest import Run, cache, data, games, place, run
from tests.cli.game import write
from warhost.armies.roster import Army
from warhost.errors import RuleFault, UsageError, mistakes
from warhost.packs import Ruleset, load, read
from warhost_armies.pricing import Formula
from warhost_report.roster import Roster

__all__ = ["cache", "games", "place", "run"]  # fixtures

MANIFEST = "demo: {scenario: taproom, armies: [blues, reds]}"
FORMULA = """\
profile of unit
    fee: number or none = none
    why: text = ""
    mixed: yes_no = no
    fists: list of fist

noun fist, plural fists
profile of fist
    hits: number

number worth(unit) = grit_worth(unit) + fists_worth(unit) + twice(loudness(unit))
    rounded up
    -1 when unit is loud because "a nuisance"

number grit_worth(unit) = unit.grit / 2
    +3 when unit has Boss because "the boss"
    +1 when unit has Sly because "sly"
number loudness(unit) = 0
number twice(n) = n * 2
number fists_worth(unit) = total fist_worth(it) over unit.fists
number fist_worth(fist) = fist_price(fist.hits)
flag brave(unit) = unit.grit > 3

table fist_price by hits
    1: 4
    2: 10

trait Sly
    reads "Worth one."
trait Slyest
    reads "Sly, and more of it."
    as trait Sly
"""
PROFILES = """\
profiles:
  bruiser:
    {name: Bruiser, grit: 3, fee: 16, why: Two off for manners., fists: [{name: Left, hits: 1}, {name: Right, hits: 2}]}
  shouter: {name: Shouter, grit: 4, fee: 1, loud: yes, traits: [Boss]}
  crowd: {name: Crowd, grit: 1, mixed: yes}
  fox: {name: Fox, grit: 2, traits: [Sly, Slyest]}
  freak: {name: Freak, grit: 1, fists: [{hits: 3}]}
"""


def priced(folder: Path, price: str = "price: {number: worth, printed: fee, note: why, skip: mixed}") -> Path:
    """The tavern with a points formula of its own."""
    game = write(folder)
    manifest = game / "ruleset.yaml"
    manifest.write_text(manifest.read_text().replace(MANIFEST, f"{MANIFEST}\n{price}"))
    (game / "rules" / "worth.rules").write_text(FORMULA)
    (game / "data" / "bruisers.yaml").write_text(PROFILES)
    return game


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield priced(tmp_path_factory.mktemp("games") / "tavern")


@pytest.fixture(scope="module")
def rules(game: Path) -> Ruleset:
    return load(game)


def test_terms(rules: Ruleset) -> None:
    price = Formula.of(rules).price("bruiser")
    assert (price.name, price.computed, price.printed, price.difference) == ("Bruiser", 16, 16, 0)
    assert [(t.name, t.value) for t in price.terms] == [
        ("grit_worth", Fraction(3, 2)), ("fists_worth", 14), ("loudness", 0), ("twice", 0),
    ]  # fmt: skip
    assert [(t.name, t.of, t.value) for t in price.terms[1].terms] == [
        ("fist_worth", "Left", 4), ("fist_worth", "Right", 10),
    ]  # fmt: skip


def test_changes_and_difference(rules: Ruleset) -> None:
    price = Formula.of(rules).price("shouter")
    assert [str(c) for c in price.changes] == ["rounded", "-1 (a nuisance)"]
    assert [str(c) for c in price.terms[0].changes] == ["+3 (the boss)"]
    assert (price.printed, price.computed, price.difference) == (1, 4, -3)


def test_what_makes_no_difference_is_not_priced(rules: Ruleset, run: Run, game: Path) -> None:
    formula = Formula.of(rules)
    assert formula.unpriced("smith") == ["Thick(2)"]
    assert formula.unpriced("fox") == ["Slyest"]  # Sly is paid once, whoever brings it
    assert formula.unpriced("shouter") == []  # Boss makes his grit worth more
    said = "not priced: Thick(2)\nThe price is that of a unit of one model."
    assert said in run("army", "price", game, "smith").stdout
    assert data(run("army", "price", game, "smith", "--json"))["unpriced"] == ["Thick(2)"]
    assert "not priced" not in run("army", "price", game, "shouter").stdout


def test_army_is_the_list_or_the_file(rules: Ruleset) -> None:
    formula = Formula.of(rules)
    assert (formula.price("lout").army, formula.price("shouter").army) == ("gang", "bruisers")
    assert formula.price("lout").printed is None
    assert formula.price("lout").difference == 0


def test_what_is_skipped(rules: Ruleset) -> None:
    formula = Formula.of(rules)
    assert "crowd" not in formula.profiles()
    assert formula.price("crowd").computed == 1


def test_no_price(rules: Ruleset) -> None:
    formula = Formula.of(rules)
    with pytest.raises(RuleFault, match=r"freak: the formula has no price for it: .*no case of the table fist_price"):
        formula.price("freak")
    with pytest.raises(UsageError, match='no profile "bruser"; did you mean "bruiser"'):
        formula.price("bruser")


def test_without_a_manifest_key(tmp_path: Path) -> None:
    formula = Formula.of(load(write(tmp_path / "tavern")))
    assert formula.price("lout").computed == 2
    game = write(tmp_path / "poor")
    brawl = game / "rules" / "brawl.rules"
    brawl.write_text(brawl.read_text().replace("number points(unit) = unit.size * unit.grit  ref T-6", ""))
    with pytest.raises(UsageError, match=r"tavern has no points formula: `price` in its ruleset.yaml would name it"):
        Formula.of(load(game))


# -- the command --------------------------------------------------------------------------------


def test_one_profile(run: Run, game: Path) -> None:
    text = run("army", "price", game, "shouter").stdout
    assert "Shouter (shouter)" in text
    assert "grit worth" in text
    assert "+3 (the boss)" in text
    assert "printed: 1, -3 against the formula" in text
    found = data(run("army", "price", game, "bruiser", "--json"))
    assert (found["profile"], found["printed"], found["computed"], found["note"]) == (
        "bruiser", 16, 16, "Two off for manners.",
    )  # fmt: skip
    assert found["terms"][0] == {"name": "grit_worth", "value": 1.5}
    assert found["terms"][1]["terms"][0] == {"name": "fist_worth", "value": 4, "of": "Left"}


def test_every_profile(run: Run, game: Path) -> None:
    (game / "data" / "bruisers.yaml").write_text(PROFILES.replace("  freak: {name", "  freak: {mixed: yes, name"))
    try:
        text = run("army", "price", game, "--all").stdout
        assert "1 of 2 printed prices are the formula's" in text
        found = data(run("army", "price", game, "--all", "--json"))
    finally:
        (game / "data" / "bruisers.yaml").write_text(PROFILES)
    assert [one["profile"] for one in found][:2] == ["bruiser", "shouter"]
    assert set(found[0]) == {"profile", "name", "army", "printed", "computed", "difference", "terms", "note"}


def test_one_that_a_player_makes_up(run: Run, game: Path, place: Path) -> None:
    made = place / "mine.yaml"
    made.write_text("profiles:\n  aunt: {name: Aunt, grit: 9, fee: 5}\n  uncle: {name: Uncle, grit: 1}\n")
    text = run("army", "price", game, "mine.yaml").stdout
    assert "Aunt (aunt)" in text
    assert re.search(r"by the formula +5\b", text)
    assert "Uncle (uncle)" in text
    assert [one["computed"] for one in data(run("army", "price", game, made, "--json"))] == [5, 1]
    made.write_text("profiles:\n  aunt: {name: Aunt, grit: tall}\n")
    assert "mine.yaml:2:" in run("army", "price", game, made, code=1).stderr
    made.write_text("tables: {}\n")
    assert "has no profile" in run("army", "price", game, made, code=2).stderr


def test_wrong_usage(run: Run, game: Path) -> None:
    assert "leave PROFILE out" in run("army", "price", game, "bruiser", "--all", code=2).stderr
    assert "there is no file nowhere.yaml" in run("army", "price", game, "nowhere.yaml", code=2).stderr
    assert 'did you mean "bruiser"' in run("army", "price", game, "bruser", code=2).stderr


def test_the_note_is_not_on_the_roster(rules: Ruleset) -> None:
    army = {"id": "a", "name": "A", "units": [{"profile": "bruiser", "size": 1}, {"profile": "shouter", "size": 1}]}
    bruiser, shouter = Roster.of(Army.from_data(army, rules), rules).lines
    assert (bruiser.words, shouter.words) == ((), ("loud",))
    assert bruiser.figures["fee"] == "16"


LINES = """\
value fist_line(fist): text = "{fist.hits|# hit|# hits}"
    set to "" when fist.hits >= 3
value tricks_of(unit): list of trait = all traits where unit.grit >= 3
value marks(unit): text = "loud"
"""


def test_parts_and_further_definitions_are_on_the_roster(rules: Ruleset, tmp_path: Path) -> None:
    army = {"id": "a", "name": "A", "units": [{"profile": "bruiser", "size": 1}, {"profile": "freak", "size": 1}]}
    plain = Roster.of(Army.from_data(army, rules), rules).lines
    assert [line.listed for line in plain] == [{"fists": ("Left: hits 1", "Right: hits 2")}, {"fists": ("hits 3",)}]
    game = priced(tmp_path / "tavern", "roster: {parts: {fist: fist_line}, lists: {tricks: tricks_of}, untold: [fee]}")
    (game / "rules" / "lines.rules").write_text(LINES)
    told = load(game)
    roster = Roster.of(Army.from_data(army, told), told)
    tricks = ("Sly", "Slyest", "Boss", "Thick")
    assert dict(roster.lines[0].listed) == {"fists": ("Left: 1 hit", "Right: 2 hits"), "tricks": tricks}
    assert (roster.lines[1].listed, "fee" in roster.headings) == ({}, False)
    assert {"Boss", "Thick(n)"} <= {special.name for special in roster.specials}


def test_an_item_of_a_class_is_on_the_roster(tmp_path: Path) -> None:
    house = tmp_path / "pearl"
    (house / "data").mkdir(parents=True)
    pearl = 'house rule "Pearl" for arcana\n    item Pearl\n        reads "Shines."\n        class: "jewel"\n'
    (house / "pearl.rules").write_text(pearl)
    (house / "data" / "noble.yaml").write_text("profiles:\n  goblins_goblin_noble: {amend: true, items: [Pearl]}\n")
    told = load("arcana", house=[house])
    units = [{"profile": "goblins_goblin_noble", "size": 1}]
    roster = Roster.of(Army.from_data({"id": "a", "name": "A", "units": units}, told), told)
    assert ("Pearl", "item") in [(special.name, special.kind) for special in roster.specials]


WRONG = [
    ("price: {number: wort}", 16, "unknown-number", "names \"wort\"", 'did you mean "worth"?'),
    ("price: {number: brave}", 16, "unknown-number", "no number of the rules", "brave is a flag"),
    ("price: {number: twice}", 16, "wrong-parameters", "twice of one unit; it takes (n: number)", None),
    ("price: {number: worth, printed: fees}", 32, "unknown-field", "which no profile has", 'did you mean "fee"?'),
    ("price: {number: worth, note: mixed}", 29, "wrong-field", "a yes_no; it must be a text", None),
    ("roster: {parts: {fist: fist_lin}}", 23, "unknown-value", '"fist_lin"', 'did you mean "fist_line"?'),
    ("roster: {parts: {fits: fist_line}}", 17, "unknown-noun", "which no noun is called", 'did you mean "fist"?'),
    ("roster: {parts: {fist: tricks_of}}", 23, "wrong-parameters", "it takes (unit: unit)", None),
    ("roster: {lists: {tricks: marks}}", 25, "wrong-type", "a list of definitions of marks, which gives text", None),
    ("roster: {lists: {tricks: trick_of}}", 25, "unknown-value", '"trick_of"', 'did you mean "tricks_of"?'),
    ("roster: {untold: [fee, gritt]}", 23, "unknown-field", "neither a field nor a flag", 'did you mean "grit"?'),
    ("picture: {marks: worth}", 17, "unknown-value", "no value of the rules", "worth is a number"),
    ("picture: {marks: mark}", 17, "unknown-value", '"mark"', 'did you mean "marks"?'),
    ("picture: {marks: tricks_of}", 17, "wrong-type", "wants a text of tricks_of", None),
]


@pytest.mark.parametrize(("line", "column", "code", "message", "hint"), WRONG)
def test_what_a_manifest_names_must_be_there(
    tmp_path: Path, line: str, column: int, code: str, message: str, hint: str | None
) -> None:
    game = priced(tmp_path / "tavern", line)
    (game / "rules" / "lines.rules").write_text(LINES)
    (problem,) = mistakes(read(game)[1])
    assert Path(problem.file).name == "ruleset.yaml"
    source = (game / "ruleset.yaml").read_text().split("\n")[problem.line - 1]
    assert (source, problem.column, problem.code, problem.hint) == (line, column + 1, code, hint)
    assert message in problem.message


def test_a_broken_rule_is_told_once(tmp_path: Path) -> None:
    game = priced(tmp_path / "tavern")
    worth = game / "rules" / "worth.rules"
    worth.write_text(worth.read_text().replace("number worth(unit) = ", "number worth(unit) = = "))
    assert {Path(p.file).name for p in read(game)[1]} == {"worth.rules"}
