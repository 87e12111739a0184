"""The tool: what `warhost check` tells of rules, army lists and house rules that could be played as they stand."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.tools import Check


@hookimpl
def warhost_checks() -> Iterable[Check]:
    """The rules, the data beside them, and at last all problems together: those of one cause are told once."""
    return (
        Check("rules", "warhost_sense.rules:look"),
        Check("ruleset", "warhost_sense.ruleset:problems_in"),
        Check("problems", "warhost_sense.causes:of_one_cause"),
    )
