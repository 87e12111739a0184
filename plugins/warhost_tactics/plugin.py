"""The plugin: the computer player `tactician`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from warhost.hookspecs import hookimpl
from warhost_tactics.planner import Planner
from warhost_tactics.tactician import Tactician

if TYPE_CHECKING:
    from warhost import Policy


@hookimpl
def warhost_policies() -> Mapping[str, Callable[[int], Policy]]:
    """`tactician`: plays by the ruleset's own numbers, and sensibly where it has none. `planner`: a tactician that
    compares its best attacks by rollouts.
    """
    return {"tactician": Tactician, "planner": Planner}
