"""What is claimed held against what is played: a ruleset's examples, mutants that they should notice, coverage by grade."""
