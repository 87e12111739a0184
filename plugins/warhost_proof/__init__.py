"""What is claimed held against what is played: mutants that examples should notice, and coverage by grade."""
