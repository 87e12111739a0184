"""What troops are like and what comes over them: the kinds `trait` and `condition`."""

from __future__ import annotations

from collections.abc import Iterable

from warhost.hookspecs import hookimpl
from warhost.vocabulary import Field, Kind

TRAIT = Kind(
    "trait",
    "traits",
    "a lasting quality of a figure or unit",
    bearer="unit",
    fields=(Field("class", "text", "the group of traits it belongs to", default=""),),
)

CONDITION = Kind(
    "condition",
    "conditions",
    "something that comes over a figure or unit and passes",
    bearer="unit",
    fields=(Field("class", "text", "the group of conditions it belongs to", default=""),),
)


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    """`trait Brave`, `condition Shaken`: traits come with the profile, conditions with `give` and `take`."""
    return (TRAIT, CONDITION)
