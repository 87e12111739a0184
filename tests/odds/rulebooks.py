"""The two rulesets, loaded once, and questions put in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from warhost.packs import Ruleset, load
from warhost_odds.questions import Prepared, UnitSpec, asked, set_up

ROOT = Path(__file__).resolve().parents[2]


@cache
def rules_of(ruleset: str, *house: str) -> Ruleset:
    """A ruleset with house rules, by ids or paths."""
    return load(ROOT / "rulesets" / ruleset, house=house)


def put(
    rules: Ruleset, what: str, attacker: str, defender: str, settings: Mapping[str, Any] | None = None,
    given: Sequence[str] = (),
) -> Prepared:  # fmt: skip
    """A question put to two units written as `NAME:COUNT[,option...]`."""
    question, subject = asked(what, rules)
    units = UnitSpec.parse(attacker, rules), UnitSpec.parse(defender, rules)
    return set_up(rules, question, *units, {**subject, **(settings or {})}, given)
