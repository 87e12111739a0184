"""Differences: what changes between editions, versions and house rules, told to people."""
