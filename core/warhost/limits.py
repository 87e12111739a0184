"""How much rules, armies and battles may ask of the machine.

An organiser may change a limit: WARHOST_LIMITS holds words such as `units=3000 steps=20000000`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache

from warhost.errors import UsageError, did_you_mean

VARIABLE = "WARHOST_LIMITS"

#: Every limit: how much there may be, and of what.
LIMITS: Mapping[str, tuple[int, str]] = {
    "steps": (5_000_000, "steps of the rules in one phase, dice and records among them, for each 100 things"),
    "battle_steps": (500_000_000, "steps of the rules in one battle"),
    "things": (20_000, "things made in one battle: units, their parts, cards, markers"),
    "records": (200_000, "records in the story of one battle"),
    "effects": (20_000, "effects and modifiers in force at a time"),
    "units": (1_000, "units of one army"),
    "models": (50_000, "models of one army, its units' sizes added up"),
    "profiles": (5_000, "profiles of one ruleset"),
    "rules": (8_000_000, "bytes of all the files of one ruleset"),
}


_for_a_while: dict[str, int] = {}


def limit(name: str) -> int:
    """One of the limits as it stands. Raises UsageError when WARHOST_LIMITS is not understood."""
    if name in _for_a_while:
        return _for_a_while[name]
    return _as_given(os.environ.get(VARIABLE, "")).get(name, LIMITS[name][0])


@contextmanager
def with_limits(**limits: int) -> Iterator[None]:
    """Other limits for a while, whatever an organiser says."""
    before = dict(_for_a_while)
    _for_a_while.update(limits)
    try:
        yield
    finally:
        _for_a_while.clear()
        _for_a_while.update(before)


def how_to_raise(name: str) -> str:
    """How to have more of it, for the end of a message."""
    return f"the limit is {limit(name):,}; {VARIABLE}={name}=N raises it"


def too_many(what: str, count: int, name: str) -> str:
    """What to say of something that has more of a thing than the limit allows; "" when it has not."""
    return f"{what} has {count:,} {name}; {how_to_raise(name)}" if count > limit(name) else ""


@cache
def _as_given(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in text.replace(",", " ").split():
        name, _, number = word.partition("=")
        if name not in LIMITS:
            hint = did_you_mean(name, LIMITS) or f"there are {', '.join(LIMITS)}"
            raise UsageError(f'{VARIABLE}: there is no limit "{name[:40]}"; {hint}')
        if not number.isascii() or not number.isdigit() or not 1 <= len(number) <= 15 or not int(number):
            raise UsageError(f"{VARIABLE}: {name} must be a whole number from 1 up, as in {name}={LIMITS[name][0]}")
        found[name] = int(number)
    return found
