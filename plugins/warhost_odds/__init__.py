"""Chances: what the rules of a ruleset say of a fight between two units, exactly or by simulation.

    answer = warhost.odds("my_game", "Red guards:20", "blue_rabble:30")

The rules that answer are those that play the battle; the manifest's `odds:` names them (docs/design/formats.md).
"""
