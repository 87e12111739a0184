"""Explanations: what a name means in a ruleset, with the rule, its figures, what changes it and who shows it.

    from warhost_explain.explaining import explain, matches

    [explain(rules, match) for match in matches(rules, "Fast")]
"""
