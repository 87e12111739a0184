"""The command `warhost`: parses what was typed, calls the library, shows what comes back."""

from warhost.cli.program import main, program

__all__ = ["main", "program"]
