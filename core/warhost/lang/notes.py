"""What the checker notes of each block, besides what the block becomes: for those who look at all of them together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.program import Definition
from warhost.vocabulary import Kind

#: kind (or noun), field, text, place
Said = tuple[str, str, str, tree.Pos]


@dataclass(frozen=True, slots=True)
class BroughtIntoForce:
    """An item of a definition that comes into force with it, under the conditions of the groups that it stands in."""

    item: tree.KindItem
    kind: Kind
    definition: Definition
    conditions: tuple[tree.Expr, ...]


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """A comparison with a plain number: `unit.figures < 0`. noun: whose field it is; "" for a number of the rules, and
    for what is counted, of which the name is `number of ..`.
    """

    noun: str
    name: str
    op: str
    value: int | Fraction
    pos: tree.Pos


@dataclass(slots=True)
class Notes:
    """problems: what is wrong with the block. asks: what each number, flag and value asks of others with nothing but
    its own parameters, and where. types_asked: whose types it asks for. types_found: the names of which it is the body
    that says their type. unsure: names that are none, and mistakes only if they are nearly one.

    divisions: by what may be 0. compared: fields that conditions compare with a plain number. held_against: the same of
    fields, numbers of the rules and what is counted, with the place, the comparison and the number. spans: choices from
    1 or more to what may be 0; falling_spans: to a field that begins higher and may fall below it by its limit.
    given_to: what steps give to things of which noun, by kind and title. asked_of_effects: fields that somebody asks of
    an effect, or of a definition. kind_texts: texts of the fields of definitions; texts_asked: texts that are compared
    with such fields; texts_given: as arguments. ids_asked: texts compared with the profile of a unit or the list of an
    army, each behind what it is. brought_into_force: what definitions bring for their bearers, as far as nothing is
    wrong with it. decisions: what can be answered to whatever is chosen. sides: of dice, None for those that only play
    decides. kept: what others who look keep of the block, each under a name of its own.
    """

    problems: list[Problem] = field(default_factory=list)
    asks: dict[str, dict[str, tree.Pos]] = field(default_factory=dict)
    types_asked: set[str] = field(default_factory=set)
    types_found: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    divisions: list[tuple[tree.Pos, str]] = field(default_factory=list)
    compared: set[str] = field(default_factory=set)
    held_against: list[HeldAgainst] = field(default_factory=list)
    given_to: list[tuple[str, str, str, tree.Pos]] = field(default_factory=list)
    spans: list[tuple[tree.Pos, str, int]] = field(default_factory=list)
    falling_spans: list[tuple[tree.Pos, str, int]] = field(default_factory=list)
    asked_of_effects: set[str] = field(default_factory=set)
    kind_texts: list[Said] = field(default_factory=list)
    texts_asked: list[Said] = field(default_factory=list)
    ids_asked: list[tuple[str, str, tree.Pos]] = field(default_factory=list)
    texts_given: list[tuple[str, tree.Pos]] = field(default_factory=list)
    brought_into_force: list[BroughtIntoForce] = field(default_factory=list)
    decisions: dict[str, list[str]] = field(default_factory=dict)
    sides: set[Any] = field(default_factory=set)
    kept: dict[str, Any] = field(default_factory=dict)


#: What is joined of the notes of many blocks.
_LISTS = (
    "problems", "divisions", "held_against", "given_to", "kind_texts", "texts_asked", "ids_asked", "texts_given",
)  # fmt: skip
_SETS = ("compared", "asked_of_effects", "sides")


def joined(of_blocks: Iterable[Notes]) -> Notes:
    """What is noted of many blocks and counts for all of them; the rest stays with each."""
    whole = Notes()
    for one in of_blocks:
        for name in _LISTS:
            if some := getattr(one, name):
                getattr(whole, name).extend(some)
        for name in _SETS:
            if some := getattr(one, name):
                getattr(whole, name).update(some)
        for owner, asked in one.asks.items():
            whole.asks[owner] = {**asked, **whole.asks.get(owner, {})}
        for decision, answers in one.decisions.items():
            whole.decisions.setdefault(decision, []).extend(answers)
    return whole
