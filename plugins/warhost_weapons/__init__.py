"""The kinds `weapon` and `armour`."""
