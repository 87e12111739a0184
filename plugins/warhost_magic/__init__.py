"""The kinds `spell` and `item`, and the window in which casting can be answered."""
