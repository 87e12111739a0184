"""What is written of battles and played again from it: journals, views of one side, a ruleset's examples."""
