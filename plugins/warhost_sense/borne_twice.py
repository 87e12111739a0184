"""What somebody bears twice though it counts once, which is seldom meant.

With values it counts each time: of `Thick(1)` twice both are to count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from warhost.errors import Problem
from warhost.packs.contents import RulesData
from warhost.packs.data import Bearing, read_bearings
from warhost.packs.yaml_source import Map, Seq, maps, problem_at

_Borne = tuple[str, str]


def problems_in(data: RulesData, plurals: Collection[str]) -> Iterator[Problem]:
    """What stands twice in a profile, and what rows and options of army lists give to whom has it by his profile.

    plurals: the keys under which things bear something (`traits`).
    """
    seen: set[int] = set()
    for profile in (*data.profiles.values(), *data.abstract_profiles.values()):
        for plural, bearings in profile.bears.items():
            if id(bearings) not in seen:  # what an heir takes over is told once
                seen.add(id(bearings))
                yield from _twice(plural, bearings, set(), "stands here twice", "take one of the two away")
    for element in (*data.lists.values(), *data.abstract_lists.values()):
        for row in maps(element.data.get("units")):
            has = data.profiles.get(str(row.get("profile")))
            borne = {(plural, one.name) for plural, some in has.bears.items() for one in some} if has else set()
            for given in (row, *maps(row.get("options"))) if borne and id(row) not in seen else ():
                yield from _given(given, plurals, borne)
            seen.add(id(row))


def _given(given: Map, plurals: Collection[str], borne: set[_Borne]) -> Iterator[Problem]:
    for plural in plurals:
        items = given.get(plural)
        if isinstance(items, Seq):
            hint = "leave it out here, or in the profile"
            yield from _twice(plural, read_bearings(items)[0], set(borne), "is in the profile already", hint)


def _twice(
    plural: str, bearings: Iterable[Bearing], before: set[_Borne], what: str, hint: str
) -> Iterator[Problem]:
    for one in bearings:
        if not one.args and (plural, one.name) in before:
            message = f'"{one}" {what}, and counts once all the same'
            yield problem_at(one.pos, "twice", message, hint)
        before.add((plural, one.name))
