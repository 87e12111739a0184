"""Chances: what the rules of a ruleset say of a fight between two units, exactly or by simulation.

    from warhost.odds.questions import UnitSpec, questions, set_up

The rules that answer are those that play the battle; the manifest's `odds:` names them (docs/design/formats.md).
"""
