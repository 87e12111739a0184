"""Each of the 62 army variants of legiones: a legal army, and armies that are illegal, each with the reason told.

What is expected comes from data/legiones_variants.yaml, which was read from the book, not from the ruleset's lists.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from warhost.armies.legality import check, mustered
from warhost.armies.roster import Army
from warhost.packs import Ruleset, load
from warhost.packs.entries import row_for

ROOT = Path(__file__).resolve().parents[2]


class _Words(yaml.SafeLoader):
    """Everything that is no number or true/false is text."""


_Words.yaml_implicit_resolvers = {
    key: [(tag, regexp) for tag, regexp in found if tag == "tag:yaml.org,2002:int"]
    for key, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}

VARIANTS: list[dict[str, Any]] = yaml.load(
    (Path(__file__).parent / "data" / "legiones_variants.yaml").read_text("utf-8"), Loader=_Words
)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ruleset]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield load(ROOT / "rulesets" / "legiones")


@dataclass
class Built:
    """An army in the making: how many of each profile, which of them leads."""

    rules: Ruleset
    variant: Mapping[str, Any]
    units: Counter[str] = field(default_factory=Counter)
    leader: str = ""

    @property
    def list_id(self) -> str:
        return str(self.variant["list"])

    def profile(self, name: str) -> str:
        """The id of a profile that the data name without the army's prefix."""
        base = str(self.rules.lists[self.list_id].data["extends"])
        return name[1:] if name.startswith("/") else f"{base}_{name}"

    def row(self, profile: str) -> Mapping[str, Any]:
        return row_for(self.rules, self.list_id, profile) or {}

    def most(self, profile: str) -> int:
        most = self.row(profile).get("limit", {}).get("max")
        return 99 if most is None else int(most)

    def says_yes(self, profile: str, name: str) -> bool:
        given = {**self.rules.profiles[profile].fields, **self.row(profile).get("fields", {})}
        return given.get(name) in (True, "yes")

    def army(self, limit: int = 100) -> Army:
        units = [self._unit(profile, i) for profile, count in self.units.items() for i in range(count)]
        data = {"id": "built", "name": "Built", "list": self.list_id, "limit": limit, "units": units}
        return Army.from_data(data, self.rules)

    def _unit(self, profile: str, i: int) -> dict[str, Any]:
        offered = [str(option["id"]) for option in self.row(profile).get("options", ())]
        spells = [one for one in offered if one not in ("leads", "deep_strike")]
        level = next((int(b.args[0]) for b in self._borne(profile) if b.name == "Magician"), 0)
        leads = ["leads"] if profile == self.leader and i == 0 and "leads" in offered else []
        return {"id": f"{profile}.{i}".replace(".", "_"), "profile": profile, "options": [*leads, *spells[:level]]}

    def _borne(self, profile: str) -> list[Any]:
        from warhost.packs.data import bearing_of

        own = [bearing_of(str(one)) for one in self.row(profile).get("traits", ())]
        return [b for b in (*own, *self.rules.profiles[profile].bears.get("traits", ())) if b is not None]

    def points(self) -> int:
        """What the units cost, when nothing is free."""
        return sum(int(self.rules.profiles[p].fields["vp"]) * count for p, count in self.units.items())

    def reasons(self) -> list[str]:
        return [f"{v.message} {v.remedy}" for v in check(self.army(), self.rules)]


def build(variant: Mapping[str, Any], rules: Ruleset) -> Built:
    """A legal army of a variant, as large as it gets from its core."""
    made = Built(rules, variant)
    rows = [str(row["profile"]) for row in rules.lists[made.list_id].data["units"]]
    leads = [p for p in rows if made.says_yes(p, "general") or made.says_yes(p, "may_lead")]
    leaders = [made.profile(name) for name in variant.get("leaders", ())] or leads
    made.leader = leaders[0]
    made.units[made.leader] = 1
    for name, count in variant.get("with", {}).items():
        made.units[made.profile(name)] = count
    for count, names in variant.get("least", ()):
        _fill(made, [made.profile(name) for name in names], count)
    barred = _left_alone(made)
    for profile in rows:
        cost = int(rules.profiles[profile].fields["vp"])
        while (
            made.says_yes(profile, "core")
            and profile not in barred
            and made.units[profile] < made.most(profile)
            and made.points() + cost <= 100
        ):
            made.units[profile] += 1
    return made


def _fill(made: Built, profiles: list[str], count: int) -> None:
    for profile in profiles:
        while sum(made.units[p] for p in profiles) < count and made.units[profile] < made.most(profile):
            made.units[profile] += 1


def _left_alone(made: Built) -> set[str]:
    """Core units that some condition of the variant speaks of: no more of them than asked for."""
    named = {"outnumbered": 0, "points": 2, "not_both": 0}
    found: set[str] = set()
    for key in named:
        names = made.variant.get(key, ())
        found |= {made.profile(n) for n in (names[2] if key == "points" and names else names)}
    if "outnumbered" in made.variant:
        found |= {str(row["profile"]) for row in made.rules.lists[made.list_id].data["units"]}
    for _, names in made.variant.get("most", ()):
        found |= {made.profile(n) for n in names}
    if "kinds" in made.variant:
        most, names = made.variant["kinds"]
        found |= {made.profile(n) for n in names[most:]}
    return found


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: str(v["list"]))
def test_every_variant_fields_a_legal_army(variant: Mapping[str, Any], rules: Ruleset) -> None:
    made = build(variant, rules)
    assert made.reasons() == []
    assert made.points() >= 50


def test_the_variants_are_those_of_the_book(rules: Ruleset) -> None:
    assert sorted(rules.lists) == sorted(v["list"] for v in VARIANTS)
    refs = {element.id: element.ref for element in rules.lists.values()}
    assert {v["list"]: (f"LEG-LIST-{v['ref']:03d}",) for v in VARIANTS} == refs


# -- armies that are illegal: what is changed, and words of the reason ------------------------------

Case = tuple[str, Callable[[Built], None], str]


def _cases(made: Built) -> Iterator[Case]:
    variant, name = made.variant, lambda n: made.rules.profiles[made.profile(n)].name
    yield "no general", _without_leader, "this one has none"
    yield "two generals", _second_general, "this one has 2 generals"
    yield "too dear", _too_dear, "105 at the very most"
    if "no_core" not in variant:
        yield "little core", _little_core, "Core units make up"
    for one in variant.get("others", ()):
        yield f"led by {one}", lambda b, o=one: _led_by(b, o), "The general must be"  # type: ignore[misc]
    for one in variant.get("barred", ()):
        yield f"barred {one}", lambda b, o=one: _add(b, o, 1), f"has no {name(one)}"  # type: ignore[misc]
    for one in variant.get("barred_by_rule", ()):
        yield f"barred {one}", lambda b, o=one: _add(b, o, 1), "Leave them out"  # type: ignore[misc]
    for count, names in variant.get("least", ()):
        if [made.profile(n) for n in names] != [made.leader]:
            yield f"few {names[0]}", lambda b, n=names, c=count: _keep(b, n, c - 1), f"at least {count} "  # type: ignore[misc]
    for count, names in variant.get("most", ()):
        yield f"many {names[0]}", lambda b, n=names, c=count: _exactly(b, n, c + 1), f"at most {count} "  # type: ignore[misc]
    if "kinds" in variant:
        most, names = variant["kinds"]
        yield "many kinds", lambda b: _each_once(b, names), f"at most {most} kinds"
    if "points" in variant:
        least, most, names = variant["points"]
        yield "few points", lambda b: _keep(b, names, 1), f"at least {least} points"
        yield "many points", lambda b: _each_twice(b, names), f"at most {most} points"
    if "not_both" in variant:
        yield "both", lambda b: _each_once(b, variant["not_both"]), "may not have both"
    if "outnumbered" in variant:
        mine, theirs = variant["outnumbered"]
        yield "outnumbered", lambda b: _outnumber(b, mine, theirs), "The army needs more "


def _add(b: Built, name: str, count: int) -> None:
    b.units[b.profile(name)] += count


def _exactly(b: Built, names: list[str], count: int) -> None:
    """So many of some, of the first as many as there may be of it, of the others the rest."""
    for name in names[1:]:
        b.units[b.profile(name)] = 0
    b.units[b.profile(names[0])] = count


def _keep(b: Built, names: list[str], count: int) -> None:
    """At most so many of some. A leader among them goes last."""
    profiles = [b.profile(n) for n in names]
    left = count
    for profile in sorted(profiles, key=lambda p: p != b.leader):
        b.units[profile] = min(b.units[profile], left)
        left -= b.units[profile]


def _outnumber(b: Built, mine: str, theirs: str) -> None:
    b.units = Counter({b.leader: 1, b.profile(mine): 1, b.profile(theirs): 8})


def _each_once(b: Built, names: list[str]) -> None:
    for name in names:
        b.units[b.profile(name)] = 1


def _each_twice(b: Built, names: list[str]) -> None:
    for name in names:
        b.units[b.profile(name)] = 2


def _without_leader(b: Built) -> None:
    b.units[b.leader] = 0


def _second_general(b: Built) -> None:
    rows = [str(row["profile"]) for row in b.rules.lists[b.list_id].data["units"]]
    also = next((p for p in rows if p != b.leader and b.says_yes(p, "general")), b.leader)
    leads = [str(option["id"]) for option in b.row(b.leader).get("options", ())]
    if also == b.leader and "leads" in leads:  # nobody else can: let the same one lead twice
        b.units[also] += 1
        b._unit = lambda profile, i, old=b._unit: old(profile, 0 if profile == b.leader else i)  # type: ignore[method-assign, misc]
    else:
        b.units[also] += 1


def _too_dear(b: Built) -> None:
    core = next(p for p in b.units if b.says_yes(p, "core"))
    b.units[core] += 40


def _little_core(b: Built) -> None:
    for profile in list(b.units):
        if b.says_yes(profile, "core"):
            b.units[profile] = 0


def _led_by(b: Built, name: str) -> None:
    b.units.pop(b.leader)
    b.leader = b.profile(name)
    b.units[b.leader] = 1


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: str(v["list"]))
def test_every_variant_tells_what_is_illegal(variant: Mapping[str, Any], rules: Ruleset) -> None:
    legal = build(variant, rules)
    cases = list(_cases(legal))
    assert len(cases) >= 3
    for label, change, wanted in cases:
        made = Built(rules, variant, Counter(legal.units), legal.leader)
        change(made)
        assert any(wanted in reason for reason in made.reasons()), (label, wanted, made.reasons())


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: str(v["list"]))
def test_maxima_are_no_lower_than_the_book_says(variant: Mapping[str, Any], rules: Ruleset) -> None:
    for count, names in variant.get("most", ()):
        made = Built(rules, variant)
        made.units[made.profile(names[0])] = count
        assert not any(f"at most {count} " in reason for reason in made.reasons()), names
    for name in variant.get("unlimited", ()):
        made = Built(rules, variant)
        made.units[made.profile(name)] = 15
        assert not any("at most" in reason and "very most" not in reason for reason in made.reasons()), name


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: str(v["list"]))
def test_what_a_variant_gives(variant: Mapping[str, Any], rules: Ruleset) -> None:
    made = Built(rules, variant)
    for name, titles in variant.get("gains", {}).items():
        made.units = Counter({made.profile(name): 1})
        (unit,) = mustered(made.army(), rules).battle.sides[0].units
        borne = [_titled(effect) for effect in unit.effects]
        assert set(titles) <= set(borne), (name, borne)
        assert len([one for one in borne if one.startswith("Summons")]) <= 1
    for name, activation in variant.get("acts_on", {}).items():
        made.units = Counter({made.profile(name): 1})
        (unit,) = mustered(made.army(), rules).battle.sides[0].units
        assert unit.activation == activation
    for name in variant.get("free", ()):
        made.units = Counter({made.profile(name): 2})
        assert [cost > 0 for cost in mustered(made.army(), rules).costs] == [False, True]
    side = mustered(build(variant, rules).army(), rules).battle.sides[0]
    assert [effect for effect in side.effects if effect.kind == "army_rule"]
    if "expansion" in variant:
        assert side.expansion == variant["expansion"]


def _titled(effect: Any) -> str:
    args = [str(getattr(effect, p.name)) for p in effect.definition.params]
    return f"{effect.name}({', '.join(args)})" if args else str(effect.name)
