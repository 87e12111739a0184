"""Mistakes in examples that are found without running them: the reader of examples that `warhost check` calls."""

from __future__ import annotations

from warhost.errors import Problem
from warhost.vocabulary import ExamplesToRead
from warhost_proof import example_statements, example_words


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """Misspelt words of examples; if there are none (and the ruleset is sound), wrong statements and conditions."""
    found = list(example_words.problems_in(read.examples, read.program, bool(read.beside), read.house, read.lists))
    if read.sound and not found:
        found += example_statements.problems_in(read.topmost, read.program, read.beside)
    return found
