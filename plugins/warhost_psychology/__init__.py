"""The kinds `trait` and `condition`."""
