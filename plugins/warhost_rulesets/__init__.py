"""Rulesets at the terminal: what is installed, which edition a plain name means, and whether one is in order."""
