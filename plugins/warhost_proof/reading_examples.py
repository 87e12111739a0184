"""Mistakes in examples that are found without playing them."""

from __future__ import annotations

from warhost.errors import Problem
from warhost.vocabulary import ExamplesToRead
from warhost_proof import example_statements, example_words


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """What is misspelt, and if nothing is, what is wrong with statements and conditions."""
    found = list(example_words.problems_in(read.examples, read.program, bool(read.beside), read.house, read.lists))
    if read.sound and not found:
        found += example_statements.problems_in(read.topmost, read.program, read.beside)
    return found
