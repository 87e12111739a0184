"""Proof that a change of the house left every battle as it was: what battles, odds and examples said before it."""
