"""The plugin: the computer player `tactician`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from warhost.hookspecs import hookimpl
from warhost.engine.decisions import UsualPlayer

@hookimpl
def warhost_policies() -> Mapping[str, Callable[[int], Any]]:
    """`tactician`: plays by the ruleset's own numbers."""
    return {"tactician": lambda seed: UsualPlayer()}
