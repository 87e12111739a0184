"""Battles: played, told, recorded, looked at from one side, and played again."""
