"""Errors go whole from one process to another: a worker's mistake is told like any other."""

from __future__ import annotations

import pickle

import pytest

from warhost.errors import ContentError, JournalError, Problem, RuleFault, RulesInvalid, UsageError, WarhostError
from warhost.plugins import PluginError
from warhost_odds.chance import OutOfReachError
from warhost_odds.workers import WorkerDied

PROBLEM = Problem("a.rules", 3, 5, "unknown-name", 'there is no "x"', 'did you mean "y"?', "    x = 1")

ERRORS = [
    ContentError([PROBLEM], "the army"),
    RulesInvalid([PROBLEM, PROBLEM], "the rules"),
    RuleFault("this goes nowhere", "Moving", "a.rules", 7),
    RuleFault("nowhere"),
    UsageError("no such thing"),
    JournalError("cut short"),
    OutOfReachError("too many dice"),
    WorkerDied("gone"),
    PluginError("warhost_x", "none such", "did you mean y?"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_errors_cross_processes(error: WarhostError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error) != ""
    assert vars(copy) == vars(error)
