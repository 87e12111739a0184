"""A round of a fight does not run to and fro between the parts of the house."""

from __future__ import annotations

from tests.crossings import crossings, part_of

#: Before plugins asked for all figures of a body in one go, it was 304.
MOST = 150


def test_a_round_of_ten_against_ten_crosses_seldom() -> None:
    found = crossings("small_fantasy", "Orc warriors", "Elf spearmen")
    assert 20 < found.total() <= MOST, found.most_common()


def test_the_parts_are_known_by_their_files() -> None:
    files = {
        "/a/rulesets/x/melee.rules": "rules", "<rules>": "rules", "/a/core/warhost/engine/throws.py": "engine",
        "/a/core/warhost/things.py": "plugins", "/a/plugins/warhost_field/sight.py": "plugins",
        "/a/plugins/warhost_odds/steps.py": "tools", "/usr/lib/python3.11/contextlib.py": None,
    }  # fmt: skip
    assert {file: part_of(file) for file in files} == files
