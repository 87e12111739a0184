"""What a profile is worth by the ruleset's own formula, term by term.

    formula = Formula.of(rules)
    price = formula.price("miller")
    print(price.computed, [(t.name, t.value) for t in price.terms])

The manifest names the formula (`price`): a number of the rules with one parameter, a unit; without that it is the
number `points`. It is computed for a unit of one model that stands by itself, without a board. The terms are the
numbers that it asks on the way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.armies.roster import Army
from warhost.errors import RuleFault, UsageError, WarhostError, did_you_mean
from warhost_armies.typed_names import profiles_named

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.packs import Ruleset
    from warhost.packs.data import Bearing, Profile

Points = int | Fraction

#: What a formula raises that has no answer.
_NO_PRICE = (WarhostError, ArithmeticError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class TermChange:
    """What changed a term: `+5 (long reach)`. op is add, multiply, set, floor, cap or round."""

    op: str
    value: Any
    because: str

    def __str__(self) -> str:
        signs = {"multiply": "x", "set": "set to ", "floor": "at least ", "cap": "at most "}
        value = "" if self.value is None else str(self.value)
        sign = signs.get(self.op, "")
        if self.op == "add":
            sign = "" if value.startswith("-") else "+"
        what = "rounded" if self.op == "round" else f"{sign}{value}"
        return f"{what} ({self.because})" if self.because else what


@dataclass(frozen=True, slots=True)
class Term:
    """One number that the formula asked. of: what it was asked of, when that is a part of the unit."""

    name: str
    value: Any
    of: str
    changes: tuple[TermChange, ...]
    terms: tuple[Term, ...]
    ref: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        row: dict[str, object] = {"name": self.name, "value": self.value}
        if self.of:
            row["of"] = self.of
        if self.changes:
            row["changes"] = [{"op": c.op, "value": c.value, "because": c.because} for c in self.changes]
        if self.terms:
            row["terms"] = [t.to_json() for t in self.terms]
        return row


@dataclass(frozen=True, slots=True)
class Price:
    """The points of a profile. army: the id of its army list, else the file in which it stands.

    printed: what the book says, None when the ruleset names no field for it or the profile is silent. changes: what
    was changed in the sum itself.
    """

    profile: str
    name: str
    army: str
    printed: Points | None
    computed: Points
    terms: tuple[Term, ...]
    changes: tuple[TermChange, ...]
    note: str

    @property
    def difference(self) -> Points:
        """Printed less computed; 0 when nothing is printed."""
        return 0 if self.printed is None else self.printed - self.computed

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "profile": self.profile, "name": self.name, "army": self.army, "printed": self.printed,
            "computed": self.computed, "difference": self.difference, "terms": [t.to_json() for t in self.terms],
            "note": self.note,
        }  # fmt: skip


class Formula:
    """The points formula of a ruleset."""

    def __init__(self, rules: Ruleset, number: str, printed: str, note: str, skip: str) -> None:
        self.rules, self.number, self.printed, self.note, self.skip = rules, number, printed, note, skip
        self._lists = _list_of_each(rules)

    @classmethod
    def of(cls, rules: Ruleset) -> Formula:
        """Raises UsageError when the ruleset has no formula. What its manifest names was checked when it was loaded."""
        given = rules.manifest.get("price")
        if not isinstance(given, Mapping):
            if "points" not in rules.program.numbers:
                raise UsageError(f"{rules.id} has no points formula: `price` in its ruleset.yaml would name it")
            given = {"number": "points"}
        names = {key: str(given.get(key) or "") for key in ("printed", "note", "skip")}
        return cls(rules, str(given["number"]), **names)

    def profiles(self) -> list[str]:
        """The profiles that the formula prices, in the order of the files."""
        chosen = self.rules.profiles.values()
        return [p.id for p in chosen if not (self.skip and p.fields.get(self.skip) in (True, "yes"))]

    def made_up(self, path: Path) -> list[str]:
        """The profiles that come from a file."""
        return [p.id for p in self.rules.profiles.values() if Path(p.pos.file).resolve() == path.resolve()]

    def all(self) -> Iterator[Price]:
        """The prices of all profiles that have one."""
        for id_ in self.profiles():
            yield self.price(id_)

    def price(self, id_: str) -> Price:
        """Raises UsageError for an unknown profile, RuleFault when the formula has no answer."""
        fitting = profiles_named(self.rules, id_)
        if len(fitting) > 1:
            raise UsageError(f'{self.rules.id} has several profiles called "{id_}"; write one of {", ".join(fitting)}')
        profile = self.rules.profiles[fitting[0]] if fitting else None
        id_ = profile.id if profile is not None else id_
        if profile is None:
            hint = did_you_mean(id_, self.rules.profiles) or "`warhost army list` shows who may be taken"
            raise UsageError(f'{self.rules.id} has no profile "{id_}"; {hint}')
        try:
            computed, terms, changes = self._computed(id_)
        except _NO_PRICE as error:
            from warhost.lang.support import mishap

            raise RuleFault(f"{id_}: the formula has no price for it: {mishap(error)}") from error
        printed = profile.fields.get(self.printed) if self.printed else None
        note = str(profile.fields.get(self.note) or "") if self.note else ""
        return Price(id_, profile.name, self._army(profile), printed, computed, terms, changes, note)

    def unpriced(self, id_: str) -> list[str]:
        """What a profile bears that makes no difference to its price, as the profile says it. What the price names is
        priced, also where it makes none because something else that is borne brings it along.
        """
        profile = self.rules.profiles[id_]
        whole = self._computed(id_)
        named = {reason.lower() for reason in _reasons(whole[1], whole[2])}
        found = []
        for plural, borne in profile.bears.items():
            for i, one in enumerate(borne):
                if named & {one.name.lower(), str(one).lower()}:
                    continue
                without = {**profile.bears, plural: (*borne[:i], *borne[i + 1 :])}
                try:
                    makes_no_difference = self._computed(id_, without) == whole
                except _NO_PRICE:  # the formula cannot do without it
                    continue
                found += [str(one)] if makes_no_difference else []
        return found

    def _army(self, profile: Profile) -> str:
        lists = self._lists.get(profile.id, ())
        return lists[0] if len(lists) == 1 else Path(profile.pos.file).stem

    def _computed(
        self, id_: str, bears: Mapping[str, tuple[Bearing, ...]] | None = None
    ) -> tuple[Points, tuple[Term, ...], tuple[TermChange, ...]]:
        """The points of a profile, as it is or if it bore something else."""
        rules = self.rules
        if bears is not None:
            rules = replace(rules, profiles={**rules.profiles, id_: replace(rules.profiles[id_], bears=bears)})
        battle = _alone(rules, id_)
        unit = battle.sides[0].units[0]
        battle.trace = []
        value = battle.code.number(self.number)(battle, unit)
        asked: Mapping[str, Any] = next((row for row in battle.trace if row["number"] == self.number), {})
        return value, _terms(asked.get("from", ()), unit, battle), _changes(asked)


def _alone(rules: Ruleset, profile: str) -> Battle:
    """A battle without a board that has one unit of one model, and keeps how its numbers came about."""
    from warhost.engine.battle import Battle
    from warhost.plugins import Active

    data = {"id": "priced", "name": "Priced", "units": [{"id": "one", "profile": profile, "size": 1}]}
    army = Army.from_data(data, rules)
    scenario = {"id": "pricing", "name": "Pricing"}
    return Battle(replace(rules, plugins=Active()), [army], scenario=scenario, trace=True, log=False)


def _terms(rows: Sequence[Mapping[str, Any]], unit: Any, battle: Battle) -> tuple[Term, ...]:
    """Each number that was asked of something, once for the same question; not what was only yes or no."""
    found: dict[tuple[str, tuple[Any, ...]], Term] = {}
    for row in rows:
        if isinstance(row["value"], bool) or not row["of"]:
            continue
        key = (str(row["number"]), tuple(map(str, row["of"])))
        if key not in found:
            found[key] = _term(row, unit, battle)
    return tuple(found.values())


def _term(row: Mapping[str, Any], unit: Any, battle: Battle) -> Term:
    things = [battle.by_id.get(one) if isinstance(one, str) else None for one in row["of"]]
    parts = [str(one.name) for one in things if one is not None and one is not unit]
    return Term(
        str(row["number"]), _exact(row, things, battle), ", ".join(parts), _changes(row),
        _terms(row["from"], unit, battle), tuple(row["ref"]),
    )  # fmt: skip


def _changes(row: Mapping[str, Any]) -> tuple[TermChange, ...]:
    return tuple(TermChange(str(c["op"]), c["value"], str(c.get("because") or "")) for c in row.get("changes", ()))


def _reasons(terms: Sequence[Term], changes: Sequence[TermChange]) -> Iterator[str]:
    """Why a sum and its terms were changed, where that made a difference."""
    yield from (one.because for one in changes if one.op != "add" or one.value != 0)
    for term in terms:
        yield from _reasons(term.terms, term.changes)


def _exact(row: Mapping[str, Any], things: Sequence[Any], battle: Battle) -> Any:
    """The value itself: the trace has fractions as text for readers."""
    shown = row["value"]
    if isinstance(shown, str) and None not in things:
        return battle.code.number(str(row["number"]))(battle, *things)
    try:
        return Fraction(shown) if isinstance(shown, str) else shown
    except ValueError:
        return shown


def _list_of_each(rules: Ruleset) -> dict[str, list[str]]:
    """The army lists that offer a profile."""
    offered: dict[str, list[str]] = {}
    for element in rules.lists.values():
        for row in element.data.get("units", ()):
            lists = offered.setdefault(str(row["profile"]), [])
            if element.id not in lists:
                lists.append(element.id)
    return offered
