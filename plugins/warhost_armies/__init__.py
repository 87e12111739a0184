"""Armies at the terminal: lists and their rows, legality, prices, and words for what units have."""
