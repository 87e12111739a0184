"""What an army list requires of an army as a whole: so many of these, more of those than of others, no mixing.

    require:
      - {of: {traits: [Guard], called: guards}, min: 3}
      - {of: {fields: {leads: yes}, called: leader}, only: {profiles: [chief], called: a chief}}

A requirement looks at the units as they are laid out, with what their options bring.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from warhost.packs.entries import UnitEntry
from warhost.packs.selecting import Selector, selects

if TYPE_CHECKING:
    from warhost.engine.entities import Entity
    from warhost.packs import Ruleset

Requirement = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Member:
    """A unit of an army as a selector sees it."""

    entry: UnitEntry
    unit: Entity

    @property
    def profile(self) -> str:
        """The id of its profile."""
        return self.entry.profile

    @property
    def options(self) -> Collection[str]:
        """The ids of the options that it takes."""
        return self.entry.options

    def field(self, name: str) -> Any:
        """A figure or word of it as it is laid out; None when it has no such field."""
        from warhost.lang.python_backend import attribute

        return getattr(self.unit, attribute(name), None)

    def titles(self, plural: str) -> Collection[str]:
        """Everything that it bears, of whatever kind."""
        return self.unit._titles

    @property
    def cost(self) -> int:
        """What it costs, in points."""
        return int(self.unit.cost)


@dataclass(frozen=True, slots=True)
class Unmet:
    """A requirement that an army does not meet: why, what would mend it, and the id of the unit that is meant."""

    message: str
    remedy: str = ""
    unit: str | None = None


def unmet(requirement: Requirement, army: Sequence[Member], rules: Ruleset) -> Unmet | None:
    """What is wrong with an army under one requirement of its list; None when nothing is."""
    chosen = [one for one in army if selects(requirement["of"], one)]
    if "when" in requirement and not any(selects(requirement["when"], one) for one in army):
        return None
    if "unless" in requirement and any(selects(requirement["unless"], one) for one in army):
        return None
    found = _Asking(requirement, army, chosen, rules).asked()
    if found is None or "says" not in requirement:
        return found
    return Unmet(str(requirement["says"]), found.remedy, found.unit)


@dataclass(slots=True)
class _Asking:
    requirement: Requirement
    army: Sequence[Member]
    chosen: Sequence[Member]
    rules: Ruleset

    def asked(self) -> Unmet | None:
        said = self.requirement
        if "only" in said:
            found = self._only(said["only"])
        elif "more_than" in said:
            found = self._more_than(said["more_than"])
        elif "not_with" in said:
            found = self._not_with(said["not_with"])
        else:
            found = self._between(said.get("min"), said.get("max"))
        return found

    def _between(self, least: int | None, most: int | None) -> Unmet | None:
        count = self._count(self.chosen)
        if least is not None and count < least:
            message = f"The army needs at least {self._many(least)}{self._unless()}; it has {self._has(count)}."
            return Unmet(message, f"Add {self._amount(least - count)}.")
        if most is None or count <= most:
            return None
        last = self.chosen[-1].entry.id
        if most == 0:
            message = f"The army may have no {called(self.requirement['of'], self.rules, 2)}{self._unless()}"
            return Unmet(f"{message}; it has {self._names(self.chosen)}.", "Leave them out.", last)
        message = f"The army may have at most {self._many(most)}{self._unless()}; it has {self._has(count)}."
        return Unmet(message, f"Leave out {self._amount(count - most)}.", last)

    def _only(self, allowed: Selector) -> Unmet | None:
        wrong = next((one for one in self.chosen if not selects(allowed, one)), None)
        if wrong is None:
            return None
        what = called(self.requirement["of"], self.rules, 1)
        message = f"The {what} must be {called(allowed, self.rules, 1)}{self._unless()}; {self._name(wrong)} is not."
        return Unmet(message, "", wrong.entry.id)

    def _more_than(self, others: Selector) -> Unmet | None:
        against = [one for one in self.army if selects(others, one)]
        mine, theirs = self._count(self.chosen), self._count(against)
        if mine > theirs:
            return None
        what, other = called(self.requirement["of"], self.rules, 2), called(others, self.rules, 2)
        message = f"The army needs more {what} than {other}{self._unless()}; it has {mine} and {theirs}."
        add = self._amount(theirs - mine + 1)
        return Unmet(message, f"Add {add} of the ones, or leave out {add} of the others.")

    def _not_with(self, others: Selector) -> Unmet | None:
        against = [one for one in self.army if selects(others, one)]
        if not self.chosen or not against:
            return None
        what, other = called(self.requirement["of"], self.rules, 2), called(others, self.rules, 2)
        message = f"The army may not have both {what} and {other}{self._unless()}"
        message += f"; it has {self._names(self.chosen)} and {self._names(against)}."
        return Unmet(message, "Leave out the ones or the others.", against[-1].entry.id)

    # -- in words

    def _count(self, members: Sequence[Member]) -> int:
        match self.requirement.get("count", "units"):
            case "points":
                return sum(one.cost for one in members)
            case "profiles":
                return len({one.profile for one in members})
        return len(members)

    def _many(self, n: int) -> str:
        """`6 guards`, `10 points of guards`, `3 kinds of guards`."""
        what = called(self.requirement["of"], self.rules, n)
        match self.requirement.get("count", "units"):
            case "points":
                return f"{n} points of {called(self.requirement['of'], self.rules, 2)}"
            case "profiles":
                return f"{n} {'kind' if n == 1 else 'kinds'} of {called(self.requirement['of'], self.rules, 2)}"
        return f"{n} {what}"

    def _has(self, count: int) -> str:
        if self.requirement.get("count") != "profiles" or not count:
            return str(count)
        kinds = dict.fromkeys(self.rules.profiles[one.profile].name for one in self.chosen)
        return f"{count} ({', '.join(kinds)})"

    def _amount(self, n: int) -> str:
        match self.requirement.get("count", "units"):
            case "points":
                return "1 point" if n == 1 else f"{n} points"
            case "profiles":
                return "1 kind" if n == 1 else f"{n} kinds"
        return str(n)

    def _unless(self) -> str:
        if "unless" in self.requirement:
            return f" without {called(self.requirement['unless'], self.rules, 1)}"
        if "when" in self.requirement:
            return f" with {called(self.requirement['when'], self.rules, 1)}"
        return ""

    def _names(self, members: Sequence[Member]) -> str:
        return ", ".join(dict.fromkeys(self._name(one) for one in members))

    def _name(self, member: Member) -> str:
        kind = self.rules.profiles[member.profile].name
        return member.entry.name if member.entry.name == kind else f"{member.entry.name} ({kind})"


def called(selector: Selector, rules: Ruleset, n: int) -> str:
    """What is meant, in words, for one or more: as the list calls it, else by the names of the profiles."""
    given = selector.get("called")
    if isinstance(given, list):
        return str(given[0 if n == 1 else -1])
    if given is not None:
        return str(given)
    if "profiles" in selector:
        names = [rules.profiles[one].name for one in selector["profiles"] if one in rules.profiles]
        return " or ".join(names)
    titles = [str(one) for key, value in selector.items() if isinstance(value, list) and key != "any" for one in value]
    units = "unit" if n == 1 else "units"
    return f"{' or '.join(titles)} {units}" if titles else units


def in_words(requirement: Requirement, rules: Ruleset) -> str:
    """A requirement as a sentence for those who read the list: `At least 3 guards.`"""
    asking = _Asking(requirement, (), (), rules)
    what, unless = called(requirement["of"], rules, 2), asking._unless()
    if "says" in requirement:
        return str(requirement["says"])
    if "only" in requirement:
        one = called(requirement["of"], rules, 1)
        return f"The {one} must be {called(requirement['only'], rules, 1)}{unless}."
    if "more_than" in requirement:
        return f"More {what} than {called(requirement['more_than'], rules, 2)}{unless}."
    if "not_with" in requirement:
        return f"Not both {what} and {called(requirement['not_with'], rules, 2)}{unless}."
    least, most = requirement.get("min"), requirement.get("max")
    if most == 0:
        return f"No {what}{unless}."
    if least is not None and least == most:
        return f"Exactly {asking._many(least)}{unless}."
    ends = [f"at least {asking._many(least)}" if least else "", f"at most {asking._many(most)}" if most else ""]
    said = " and ".join(end for end in ends if end)
    return f"{said[:1].upper()}{said[1:]}{unless}."
