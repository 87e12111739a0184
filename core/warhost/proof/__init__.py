"""What is claimed held against what is played: mutants that examples should notice, and coverage by grade."""

from __future__ import annotations

from warhost.proof.mutants import Mutant, mutants_of
from warhost.proof.survey import Survey, Verdict, mutate

__all__ = ["Mutant", "Survey", "Verdict", "mutants_of", "mutate"]
