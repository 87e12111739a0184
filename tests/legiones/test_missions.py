"""Every mission of Legiones in every deployment is played to its end, and nothing on the board breaks a law."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.packs import Ruleset, load
from warhost_battles.players import known_players, player

LEGIONES = Path(__file__).parents[2] / "rulesets" / "legiones"
MISSIONS = (
    "relics", "domination", "line_breaker", "rescue", "invasion", "slaughter", "scorched_earth", "breakthrough",
    "loot_the_camp",
)  # fmt: skip
DEPLOYMENTS = ("standard", "vertical", "diagonal")


@cache
def legiones(*house: str) -> Ruleset:
    return load(LEGIONES, house=house)


def played(rules: Ruleset, scenario: str, seed: int, policy: str) -> Battle:
    """A battle of the two ready armies, looked at after every phase."""
    armies = [Army.ready(name, rules) for name in ("samurai_100", "imperial_rome_100")]
    known = known_players(rules)
    players = [player(policy, seed, known), player(policy, seed + 1, known)]
    battle = Battle(rules, armies, seed, scenario=scenario, players=players, log=False)
    broken: list[str] = []
    battle.on_phase = lambda now: broken.extend(now.broken_laws())
    battle.run()
    assert broken == []
    return battle


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
@pytest.mark.parametrize("mission", MISSIONS)
def test_every_mission_in_every_deployment(mission: str, deployment: str) -> None:
    battle = played(legiones(), f"{mission}_{deployment}", 3, "random")
    assert (battle.battle.mission, battle.battle.deployment) == (mission, deployment)
    assert battle.over


@pytest.mark.parametrize("seed", range(4))
def test_by_the_book_with_local_cards(seed: int) -> None:
    battle = played(legiones("local_cards"), "by_the_book", seed, "random")
    assert battle.battle.mission in MISSIONS
    assert battle.battle.deployment in DEPLOYMENTS
    assert battle.battle.pieces_laid == 12


def test_sensible_players_by_the_book() -> None:
    battle = played(legiones(), "by_the_book", 5, "usual")
    assert battle.side_a.victory_points + battle.side_b.victory_points > 0


def test_the_list_of_missions_is_that_of_the_scenarios() -> None:
    fixed = {f"{m}_{d}" for m in MISSIONS for d in DEPLOYMENTS}
    assert fixed <= set(legiones().scenarios)
