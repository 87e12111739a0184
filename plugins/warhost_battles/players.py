"""Computer players by name: the plain ones, and those of every plugin that is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from warhost import plugins
from warhost.errors import UsageError, WarhostError, did_you_mean

if TYPE_CHECKING:
    from warhost.engine.decisions import Policy
    from warhost.packs import Ruleset

PREFERRED = ("tactician", "usual")
"""Who plays when nobody is named: the first of these that there is."""

Factory = Callable[[int], "Policy"]


def known_players(rules: Ruleset) -> dict[str, Factory]:
    """Every player that can be named. Those of the ruleset's own plugins win over others of the same name."""
    from warhost.engine.decisions import PLAIN_POLICIES

    found: dict[str, Factory] = {}
    for name in plugins.available():
        if name not in rules.plugins.names:
            players, _ = _players_of(name)
            found.update(players)
    return {**found, **PLAIN_POLICIES, **rules.plugins.policies()}


def _players_of(plugin: str) -> tuple[dict[str, Factory], list[str]]:
    """The players of a plugin that a ruleset need not name; when it fails none, and what is wrong with it."""
    active, errors = plugins.activate([plugin])
    try:
        return active.policies(), [str(error) for error in errors]
    except plugins.PluginError as error:
        return {}, [str(error)]


def default_player(known: Mapping[str, Factory]) -> str:
    """Who plays a side for which nobody is named."""
    return next(name for name in (*PREFERRED, *known) if name in known)


def player(name: str, seed: int, known: Mapping[str, Factory]) -> Policy:
    """A player of that name. Raises UsageError with the nearest one, WarhostError when its plugin goes wrong."""
    factory = known.get(name)
    if factory is None:
        hint = did_you_mean(name, known) or f"there are: {', '.join(sorted(known))}"
        failed = [said for plugin in plugins.available() for said in _players_of(plugin)[1]]
        raise UsageError("; ".join((f'there is no computer player "{name}"', hint, *failed)))
    try:
        return factory(seed)
    except Exception as error:
        if (sentence := plugins.stranger_at_fault(error)) is None:
            raise
        raise WarhostError(f'the computer player "{name}" cannot be made: {sentence}') from error


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
