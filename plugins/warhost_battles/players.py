"""Computer players by name: the plain ones, and those of every plugin that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from warhost.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from warhost.engine.decisions import Policy
    from warhost.packs import Ruleset

PREFERRED = ("tactician", "usual")
"""Who plays when nobody is named: the first of these that there is."""

Factory = Callable[[int], "Policy"]


def known_players(rules: Ruleset) -> dict[str, Factory]:
    """Every player that can be named. Those of the ruleset's own plugins win over others of the same name."""
    from warhost import plugins
    from warhost.engine.decisions import PLAIN_POLICIES

    others, _ = plugins.activate(n for n in plugins.available() if n not in rules.plugins.names)
    return {**others.policies(), **PLAIN_POLICIES, **rules.plugins.policies()}


def default_player(known: Mapping[str, Factory]) -> str:
    """Who plays a side for which nobody is named."""
    return next(name for name in (*PREFERRED, *known) if name in known)


def player(name: str, seed: int, known: Mapping[str, Factory]) -> Policy:
    """A player of that name; raises UsageError with the nearest one."""
    factory = known.get(name)
    if factory is None:
        hint = did_you_mean(name, known) or f"there are: {', '.join(sorted(known))}"
        raise UsageError(f'there is no computer player "{name}"; {hint}')
    return factory(seed)


def assigned(given: Iterable[str], names: Sequence[str]) -> dict[int, str]:
    """What `--player SIDE=POLICY` says, by the number of the side; raises UsageError.

    SIDE is a side's name or number (from 1); POLICY alone is for every side.
    """
    found: dict[int, str] = {}
    for one in given:
        side, equals, policy = one.rpartition("=")
        if not equals:
            found.update(dict.fromkeys(range(len(names)), policy))
            continue
        found[side_number(side, names)] = policy
    return found


def side_number(given: str, names: Sequence[str]) -> int:
    """Which side is meant, from 0: by its name, or by its number from 1. Raises UsageError."""
    if given.isdecimal() and 1 <= int(given) <= len(names):
        return int(given) - 1
    low = [name.lower() for name in names]
    if given.lower() in low:
        return low.index(given.lower())
    hint = did_you_mean(given, names) or f"there are: {', '.join(names)}"
    raise UsageError(f'there is no side "{given}"; {hint}')
