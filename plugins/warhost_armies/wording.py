"""Words for what lists, rosters, reports and explanations tell: names, figures, sentences and marks of the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warhost.lang import tree
from warhost.lang.support import text as in_words

if TYPE_CHECKING:
    from warhost.engine.entities import Entity
    from warhost.lang.program import Definition
    from warhost.packs import Ruleset

#: The signs of what the manifest's `roster.marked` says of a unit, in its order.
_SIGNS = ("\u2020", "\u2021", "\u00a7", "\u00b6")


def words(name: str) -> str:
    """A name of the rules as a reader sees it."""
    return name.replace("_", " ")


def value_of(unit: Entity, name: str) -> Any:
    """The value of a field of a unit by its name in the rules; None when it has none."""
    from warhost.lang.python_backend import attribute

    return getattr(unit, attribute(name), None)


def sentence(block: tree.AnyBlock) -> str:
    """What a block `reads`, with parameters by their names; "" when it is silent."""
    reads = block.reads
    if reads is None:
        return ""
    parts = (part if isinstance(part, str) else getattr(part, "name", "..") for part in reads.parts)
    return " ".join("".join(parts).split())


def filled_in(definition: Definition, args: Sequence[Any], rules: Ruleset) -> str:
    """What a definition `reads`, the values of one instance in the places of its parameters."""
    placed = rules.block(definition.kind, definition.title)
    reads = placed.block.reads if placed is not None else None
    if reads is None:
        return definition.reads
    values = {p.name: words(in_words(value)) for p, value in zip(definition.params, args, strict=False)}
    names = (part if isinstance(part, str) else getattr(part, "name", "..") for part in reads.parts)
    parts = (
        name if isinstance(part, str) else values.get(name, name)
        for part, name in zip(reads.parts, names, strict=True)
    )
    return " ".join("".join(parts).split())


def figures_of(definition: Definition, rules: Ruleset) -> dict[str, str]:
    """The fields of a definition that differ from what is usual for its kind, and its flags."""
    kind = rules.program.kinds.get(definition.kind)
    usual = {f.name: f.default for f in kind.fields} if kind else {}
    distances = {f.name for f in kind.fields if f.type == "distance"} if kind else set()
    found: dict[str, str] = {}
    if definition.cost is not None and not isinstance(definition.cost, tree.Node):
        found["points"] = in_words(definition.cost)
    for name, value in definition.values.items():
        if value is not None and value != usual.get(name) and value != "":
            unit = f" {rules.length_unit}" if name in distances and rules.length_unit != "hex" else ""
            found[name] = f"{in_words(value)}{unit}"
    found.update(dict.fromkeys(sorted(definition.flags), "yes"))
    return {name: value for name, value in found.items() if name not in untold(rules)}


def untold(rules: Ruleset) -> frozenset[str]:
    """Fields and flags that only the rules need, as the manifest says."""
    return _named("untold", rules)


def always_told(rules: Ruleset) -> frozenset[str]:
    """Fields of profiles that are told of every unit, also where its profile leaves them as they are without it."""
    return _named("always", rules)


def _named(key: str, rules: Ruleset) -> frozenset[str]:
    roster = rules.manifest.get("roster")
    return frozenset(map(str, roster.get(key, ()))) if isinstance(roster, Mapping) else frozenset()


def marked(rules: Ruleset) -> dict[str, str]:
    """The fields of profiles of which a sign on rosters and reports tells, with what they mean."""
    roster = rules.manifest.get("roster")
    given = roster.get("marked") if isinstance(roster, Mapping) else None
    return {str(name): str(said) for name, said in given.items()} if isinstance(given, Mapping) else {}


def marks_of(unit: Entity, rules: Ruleset) -> tuple[str, ...]:
    """Which of them a unit has."""
    return tuple(name for name in marked(rules) if value_of(unit, name) is True)


def sign_of(mark: str, legend: Iterable[str]) -> str:
    """The sign of a mark among all that are explained."""
    return _SIGNS[list(legend).index(mark) % len(_SIGNS)]


def explained(legend: Mapping[str, str]) -> list[str]:
    """What each sign means: "\u2020 provisional: figures of ours"."""
    return [f"{sign_of(mark, legend)} {words(mark)}: {said}" for mark, said in legend.items()]
