"""Saying which units are meant: `{traits: [Guard], fields: {tall: yes}, but: {profiles: [boss]}}`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

#: What an army list says of units: the keys of a selector are all to hold.
Selector = Mapping[str, Any]

#: Where a requirement or change has a selector.
PLACES = ("of", "more_than", "only", "not_with", "when", "unless")


class Chosen(Protocol):
    """A row of a list or a unit of an army, as a selector looks at it."""

    @property
    def profile(self) -> str:
        """The id of its profile."""

    @property
    def options(self) -> Collection[str]:
        """The ids of the options that it takes."""

    def field(self, name: str) -> Any:
        """A figure or word of it; None when nothing is said."""

    def titles(self, plural: str) -> Collection[str]:
        """What it bears of a kind."""


def selects(selector: Selector, what: Chosen) -> bool:
    """Whether a row or unit is meant. What is written in a wrong way, and told elsewhere, means nobody."""
    for key, wanted in selector.items():
        match key:
            case "profiles":
                holds = what.profile in _listed(wanted)
            case "options":
                holds = any(one in what.options for one in _listed(wanted))
            case "fields":
                given = wanted.items() if isinstance(wanted, Mapping) else ()
                holds = all(_fits(what.field(str(name)), value) for name, value in given)
            case "any":
                holds = any(selects(one, what) for one in _listed(wanted) if isinstance(one, Mapping))
            case "but":
                holds = not (isinstance(wanted, Mapping) and selects(wanted, what))
            case "called":
                continue
            case _:
                borne = what.titles(key)
                holds = any(title in borne for title in _listed(wanted))
        if not holds:
            return False
    return True


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _fits(value: Any, wanted: Any) -> bool:
    """wanted: a value, a list of which one will do, or the least and the greatest; what is not said counts as no."""
    if isinstance(wanted, Mapping):
        if value is None or isinstance(value, str | bool):
            return False
        least, most = wanted.get("min"), wanted.get("max")
        if isinstance(least, str | list) or isinstance(most, str | list):
            return False
        return (least is None or value >= least) and (most is None or value <= most)
    if isinstance(wanted, list):
        return any(_fits(value, one) for one in wanted)
    return bool(_plain(value) == _plain(wanted))


def _plain(value: Any) -> Any:
    if value in ("no", None) or value is False:
        return False
    return True if value == "yes" or value is True else value


def selectors_in(selector: Any) -> Iterator[Mapping[str, Any]]:
    """A selector and those inside it."""
    if not isinstance(selector, Mapping):
        return
    yield selector
    yield from selectors_in(selector.get("but"))
    for one in _listed(selector.get("any")):
        yield from selectors_in(one)
