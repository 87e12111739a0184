"""Sense: what can be read in a ruleset and played, and is a mistake all the same."""
