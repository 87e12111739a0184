"""New starts: rulesets, house rules, army lists, armies, scenarios and plugins that are whole and pass at once."""
