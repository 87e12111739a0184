"""The noun `terrain` and the kind of the same name."""
