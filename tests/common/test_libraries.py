"""The libraries of warhost_common in a game that has little else: sides that throw for the lead until one is left."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.armies.roster import Army
from warhost.engine.battle import Battle, Result
from warhost.packs import Ruleset, load

GAME = {
    "ruleset.yaml": """\
id: dice_brawl
title: A brawl with dice
edition: "1"
length_unit: cm
plugins: [warhost_common]
libraries: [roll_offs, last_side_standing, ahead]
""",
    "turn.rules": 'turn\n    phase brawl "The brawl": brawl\n    phase the_end "The end": see_who_is_left\n',
    "brawl.rules": """\
profile of unit
    toughness: number

state of unit
    blows: number = 0

state of side
    leads_won: number = 0

flag can_fight_on(side) = any units where (it.side is side and it.blows < it.toughness)
number standing(side) = side.leads_won

event leads_now(side)
    says "{side} led."

procedure brawl()
    winner = higher_roller()
    emit leads_now(winner)
    winner.leads_won += 1
    for each unit where it.side is not winner
        unit.blows += 1

procedure see_who_is_left()
    last_side_standing()
    if not battle.over and battle.turn >= 3
        end_battle(ahead(), "enough")
""",
    "data/profiles.yaml": "profiles: {thug: {name: Thug, toughness: 2}, giant: {name: Giant, toughness: 9}}\n",
}


# A die of six sides; totals of two figures, which must not run into what was thrown before them; and a coin, which
# falls alike so often that of the first throws no more than their order is kept.
@pytest.fixture(
    scope="module", ids=["d6", "d20", "d2"],
    params=["", *(f"replace roll for_the_lead(side) by side: d{n}\n" for n in (20, 2))],
)  # fmt: skip
def rules(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Ruleset:
    folder = tmp_path_factory.mktemp("game") / "dice_brawl"
    folder.mkdir()
    (folder / "lead.rules").write_text(request.param)
    for name, text in GAME.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return load(folder)


def brawl(rules: Ruleset, profiles: list[str], seed: int) -> tuple[Battle, Result]:
    armies = [
        Army.from_data({"id": f"a{i}", "name": f"A{i}", "limit": 0, "units": [{"id": f"u{i}", "profile": name}]}, rules)
        for i, name in enumerate(profiles)
    ]
    battle = Battle(rules, armies, seed, names=[f"A{i}" for i in range(len(armies))])
    return battle, battle.run()


def leads(battle: Battle) -> list[tuple[str, list[tuple[str, int]]]]:
    """Who led in each turn, and what was thrown for it: sides with their dice."""
    found: list[tuple[str, list[tuple[str, int]]]] = []
    thrown: list[tuple[str, int]] = []
    for row in battle.log:
        if row["kind"] == "roll":
            thrown += [(row["by"], face) for face in row["dice"]]
        elif row["kind"] == "event":
            found.append((row["args"]["side"], thrown))
            thrown = []
    return found


@given(st.lists(st.sampled_from(["thug", "giant"]), min_size=2, max_size=5), st.integers(0, 10_000))
def test_the_lead_goes_to_the_highest_and_ties_throw_again_alone(
    rules: Ruleset, profiles: list[str], seed: int
) -> None:
    battle, result = brawl(rules, profiles, seed)
    seen = leads(battle)
    assert len(seen) == result.turns
    for winner, thrown in seen:
        dice = {side.id: [face for by, face in thrown if by == side.id] for side in battle.sides}
        assert winner == max(dice, key=lambda side: dice[side])
        for one, other in itertools.combinations(dice.values(), 2):
            shared = min(len(one), len(other))
            assert one[:shared] != other[:shared], "equal dice are thrown again"
        for faces in dice.values():
            for n in range(1, len(faces)):
                alike = [other for other in dice.values() if other[:n] == faces[:n]]
                assert len(alike) > 1, "nobody throws again alone"


@given(st.lists(st.sampled_from(["thug", "giant"]), min_size=2, max_size=5), st.integers(0, 10_000))
def test_a_battle_ends_with_the_last_side_standing_or_with_whoever_is_ahead(
    rules: Ruleset, profiles: list[str], seed: int
) -> None:
    battle, result = brawl(rules, profiles, seed)
    standing = [s for s in battle.sides if any(u.blows < u.toughness for u in s.units)]
    if result.reason == "enough":
        assert len(standing) >= 2
        most = max(s.leads_won for s in battle.sides)
        ahead = [s.name for s in battle.sides if s.leads_won == most]
        assert result.winner == (ahead[0] if len(ahead) == 1 else None)
    elif not standing:
        assert (result.winner, result.reason) == (None, "nobody was left to fight on")
    else:
        (last,) = standing
        assert result.winner == last.name
        two = f"{last.enemy.name} had no unit left in order"
        assert result.reason == (two if len(battle.sides) == 2 else "nobody else had a unit left in order")
