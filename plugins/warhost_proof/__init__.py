"""What is claimed held against what is played: examples, mutants that they should notice, and coverage by grade."""
