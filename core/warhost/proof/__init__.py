"""What is claimed held against what is played: mutants that examples should notice, and coverage by grade."""

from __future__ import annotations

from warhost.proof.grades import Coverage, Graded, coverage, proofs
from warhost.proof.mutants import Mutant, mutants_of
from warhost.proof.record import Record, read_record, record_of
from warhost.proof.survey import Survey, Verdict, mutate

__all__ = [
    "Coverage", "Graded", "Mutant", "Record", "Survey", "Verdict", "coverage", "mutants_of", "mutate", "proofs",
    "read_record", "record_of",
]  # fmt: skip
