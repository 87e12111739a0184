"""Which scenario a battle without one is fought on."""

import warhost
from warhost.engine.setup import scenario_data


def test_the_first_scenario_for_so_many_sides() -> None:
    rules = warhost.load("arcana")
    assert scenario_data(rules, None)["id"] == "meeting_engagement"
    assert scenario_data(rules, None, 3)["id"] == "three_armies"
    assert scenario_data(rules, None, 4)["id"] == "four_armies"
    assert scenario_data(rules, None, 7)["id"] == "meeting_engagement"  # none is made for seven: the first
