"""Mistakes in examples that are found without running them: the reader of examples that `warhost check` calls."""

from __future__ import annotations

from warhost.errors import Problem
from warhost.tools import example_players
from warhost.vocabulary import ExamplesToRead
from warhost_proof import example_statements, example_words
from warhost_proof.example_turns import TurnsOfExamples


def problems_in(read: ExamplesToRead) -> list[Problem]:
    """Misspelt words of examples; of those that have none, if the ruleset is sound, wrong statements and conditions,
    and turns that never come.
    """
    others = example_players()
    ours, topmost = (
        [e for e in some if not any(key in e.data for key in others)] for some in (read.examples, read.topmost)
    )
    found = list(example_words.problems_in(ours, read))
    problems = [problem for _, problem in found]
    if read.sound:
        misspelt = {id(example) for example, problem in found if not problem.is_warning}
        problems += example_statements.problems_in([e for e in topmost if id(e) not in misspelt], read)
        turns = TurnsOfExamples(read)
        problems += [problem for example in topmost for problem in turns.problems(example.data)]
    return problems
