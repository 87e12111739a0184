"""Warhost: rules of tabletop wargames as data, and an engine that plays them.

    import warhost

    rules = warhost.load("my_game", house=["fast_start"])
    armies = [warhost.Army.ready("reds", rules), warhost.Army.from_file("blues.yaml", rules)]
    battle = warhost.Battle(rules, armies, seed=7)

Everything that is not private can be had from here or from the module that defines it; names are imported when
they are first used, so that `import warhost` costs next to nothing. Tools (`warhost.odds`, `warhost.balance`,
`warhost.Report`, ..) add names of their own: those of the bundled ones stand here for editors and type checkers.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from warhost.version import __version__

if TYPE_CHECKING:
    from warhost.armies.legality import Violation
    from warhost.armies.roster import Army
    from warhost.engine.battle import Battle, Result, SideResult
    from warhost.engine.decisions import Decision, Option, Policy
    from warhost.engine.history import Snapshot
    from warhost.errors import (
        ContentError,
        JournalError,
        Problem,
        RuleFault,
        RulesInvalid,
        UsageError,
        WarhostError,
    )
    from warhost.hookspecs import hookimpl
    from warhost.packs import Ruleset, installed, load, read
    from warhost.packs.entries import UnitEntry
    from warhost.vocabulary import Field, Function, Kind, Parameter, Vocabulary
    from warhost_odds.answer import Answer
    from warhost_odds.asking import Sweep, odds, sweep
    from warhost_odds.balance import Balance, balance
    from warhost_report.report import Report
    from warhost_report.roster import Roster

_HOMES = {
    "warhost.armies.legality": ("Violation",),
    "warhost.armies.roster": ("Army",),
    "warhost.engine.battle": ("Battle", "Result", "SideResult"),
    "warhost.engine.decisions": ("Decision", "Option", "Policy"),
    "warhost.engine.history": ("Snapshot",),
    "warhost.errors": (
        "ContentError", "JournalError", "Problem", "RuleFault", "RulesInvalid", "UsageError", "WarhostError",
    ),
    "warhost.hookspecs": ("hookimpl",),
    "warhost.packs.entries": ("UnitEntry",),
    "warhost.packs": ("Ruleset", "installed", "load", "read"),
    "warhost.vocabulary": ("Field", "Function", "Kind", "Parameter", "Vocabulary"),
}  # fmt: skip
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Army",
    "Balance",
    "Battle",
    "ContentError",
    "Decision",
    "Field",
    "Function",
    "JournalError",
    "Kind",
    "Option",
    "Parameter",
    "Policy",
    "Problem",
    "Report",
    "Result",
    "Roster",
    "RuleFault",
    "RulesInvalid",
    "Ruleset",
    "SideResult",
    "Snapshot",
    "Sweep",
    "UnitEntry",
    "UsageError",
    "Violation",
    "Vocabulary",
    "WarhostError",
    "__version__",
    "balance",
    "hookimpl",
    "installed",
    "load",
    "odds",
    "read",
    "sweep",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None and not name.startswith("_") and find_spec(f"{__name__}.{name}") is None:
        home = import_module("warhost.tools").names().get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
