"""Mistakes in examples that are found without running them: the reader of examples that `warhost check` calls."""

from __future__ import annotations

from warhost.errors import Problem
from warhost.tools import example_players
from warhost.vocabulary import ExamplesToRead
from warhost_proof import example_statements, example_words


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """Misspelt words of examples; if there are none (and the ruleset is sound), wrong statements and conditions."""
    others = example_players()
    ours, topmost = (
        [e for e in some if not any(key in e.data for key in others)] for some in (read.examples, read.topmost)
    )
    found = list(example_words.problems_in(ours, read))
    if read.sound and not found:
        found += example_statements.problems_in(topmost, read)
    return found
