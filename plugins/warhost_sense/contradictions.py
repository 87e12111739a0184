"""Lines of several house rules that decide one case in different ways: each is named with what would decide."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.place import Pos
from warhost.packs.checks import LayerRead
from warhost.packs.layers import Layer, Placed, Removed
from warhost.packs.yaml_source import problem_at
from warhost_sense.blocks import blocks_in, constant

_LIMITS = {"floor": "at least", "cap": "at most"}

#: Sorts of lines that can speak against each other.
_SORTS = ({"set"}, {"floor", "cap"}, {"allow", "forbid"}, {"yes", "no"}, {"yes", "forbid"}, {"no", "allow"})

LayerOf = Callable[[Pos], Layer | None]


class _HouseLine(NamedTuple):
    """A line of a house rule that is always in force. what: set, floor, cap, allow, forbid, yes or no; said: what it
    says of the number; limit: that as a plain number; borne: it holds for who bears a definition (a trait, a spell).
    """

    what: str
    name: str
    args: tuple[tree.Argument, ...]
    when: tree.Expr | None
    said: object
    layer: Layer
    pos: Pos
    limit: int | Fraction | None = None
    borne: bool = False


def contradictions(placed: Iterable[Placed], removed: Iterable[Removed], layer_of: LayerOf) -> Iterator[Problem]:
    """What two house rules say against each other, unless one of them says that it comes after the other."""
    blocks = list(placed)
    for gone in removed:
        yield from _amended_in_vain(gone)
    lines = [line for one in blocks for line in _lines(one, layer_of)]
    for i, later in enumerate(lines):
        for earlier in lines[:i]:
            if _apart(later.layer, earlier.layer) and earlier.name == later.name and _one_case(earlier, later):
                yield from _told(earlier, later)
    for one in blocks:
        last = one.history[-1]
        if last.what == "replaced" and last.layer.kind == "house":
            for line in lines:
                if line.name == one.name and _decides_always(line, one.kind) and _apart(line.layer, last.layer):
                    yield _decided(line, one.kind, last.layer, last.pos)


def rated_twice(sources: Iterable[LayerRead]) -> Iterator[Problem]:
    """What two house rules advise of one choice, unless one of them says that it comes after the other."""
    rated: dict[tuple[str, str, str], list[tuple[tree.Rating, Layer]]] = {}
    for source in sources:
        for advice in (block for rules in source.rules() for block in blocks_in(rules.module)):
            if source.layer.kind == "house" and isinstance(advice, tree.Advise):
                for rating in advice.ratings:
                    key = advice.kind, advice.name.text, rating.name.text
                    rated.setdefault(key, []).append((rating, source.layer))
    for (kind, name, label), several in rated.items():
        for i, (later, upper) in enumerate(several):
            for earlier, lower in several[:i]:
                if _apart(upper, lower) and later.rated != earlier.rated:
                    message = (
                        f'{upper.label} rates "{label}" of {kind} {name}, and so does {lower.label} '
                        f"({earlier.pos.file}:{earlier.pos.line})"
                    )
                    hint = f'the rating that comes last counts; if it is meant to, say so: after "{lower.title}"'
                    yield problem_at(later.pos, "rated-twice", message, upper.meant_after(lower) or hint)


# -- lines of one layer ------------------------------------------------------------------------------


class _Line(NamedTuple):
    """A line that sets or limits a number. block: what it stands in; conditions: under which it does, its own last."""

    op: str
    name: str
    args: tuple[tree.Argument, ...]
    conditions: tuple[tree.Expr, ...]
    value: tree.Expr | None
    block: tree.AnyBlock
    pos: Pos


def within_a_layer(placed: Iterable[Placed], layer_of: LayerOf) -> Iterator[Problem]:
    """Lines of one layer of which the later one always decides, and limits that leave nothing between them.

    Rules and the numbers themselves hold at once; lines of other definitions only with those of the same one.
    """
    groups: dict[tuple[object, ...], list[_Line]] = {}
    for one in placed:
        block = one.block
        if isinstance(block, tree.KindBlock):
            home = None if block.kind == "rule" else id(block)
            lines = _conditioned(block.items, (), block)
        elif isinstance(block, tree.NumberBlock | tree.ValueBlock):
            home, lines = None, _conditioned(block.lines, (), block)
        else:
            continue
        for line in lines:
            layer = layer_of(line.pos)
            if layer is not None and layer.kind != "plugin":
                groups.setdefault((layer.index, home, line.name), []).append(line)
    for group in groups.values():
        for i, later in enumerate(group) if len(group) > 1 else ():
            for earlier in group[:i]:
                if earlier.block is not later.block or isinstance(later.block, tree.KindBlock):
                    yield from _one_decides(earlier, later)


def _conditioned(
    items: Iterable[tree.Node], conditions: tuple[tree.Expr, ...], block: tree.AnyBlock
) -> Iterator[_Line]:
    for item in items:
        if isinstance(item, tree.While) and item.condition is not None:
            yield from _conditioned(item.items, (*conditions, item.condition), block)
        elif isinstance(item, tree.Modifier) and item.op in ("set", "floor", "cap") and item.value is not None:
            under = conditions if item.when is None else (*conditions, item.when)
            name = item.target or str(getattr(block, "name", ""))
            yield _Line(item.op, name, item.args, under, item.value, block, item.pos)


def _one_decides(earlier: _Line, later: _Line) -> Iterator[Problem]:
    if earlier.args != later.args or earlier.value == later.value:
        return
    place = f"{later.pos.file}:{later.pos.line}"
    if earlier.op == later.op == "set":
        if later.conditions in ((), earlier.conditions):
            shown = constant(later.value)
            said = f"`set to {'..' if shown is None else shown}`"
            message = f"this never counts: {said} comes after it for the same case ({place})"
            hint = "of several the last one decides: take one away, or say `when ..` for the later one"
            yield problem_at(earlier.pos, "never", message, hint)
    elif {earlier.op, later.op} == {"floor", "cap"} and later.conditions == earlier.conditions:
        floor, cap = (earlier, later) if earlier.op == "floor" else (later, earlier)
        least, most = constant(floor.value), constant(cap.value)
        if least is not None and most is not None and least > most:
            message = f"{later.name} cannot be at least {least} and at most {most} ({cap.pos.file}:{cap.pos.line})"
            hint = f"at most {most} decides: change one of the two limits"
            yield problem_at(floor.pos, "limits-cross", message, hint)


def _amended_in_vain(gone: Removed) -> Iterator[Problem]:
    """What one house rule changes, and another then takes out."""
    last = gone.history[-1]
    for change in gone.history[:-1]:
        of_houses = {change.layer.kind, last.layer.kind} == {"house"}
        if of_houses and change.what == "amended" and _apart(change.layer, last.layer):
            message = (
                f'{last.layer.label} removes {gone.kind} "{gone.name}", which {change.layer.label} amends '
                f"({change.pos.file}:{change.pos.line})"
            )
            yield _problem(last.pos, message, "what was amended is gone", change.layer, last.layer)
            return


def _lines(placed: Placed, layer_of: LayerOf) -> Iterator[_HouseLine]:
    block = placed.block
    borne = isinstance(block, tree.KindBlock) and block.kind != "rule"
    if isinstance(block, tree.KindBlock):
        items: Iterable[tree.Node] = (
            [item for item in block.items if isinstance(item, tree.Permission) and item.allow] if borne else block.items
        )
    else:
        items = block.lines if isinstance(block, tree.NumberBlock | tree.ValueBlock | tree.FlagBlock) else ()
    for item in items:
        layer = layer_of(item.pos)
        if layer is None or layer.kind != "house":
            continue
        match item:
            case tree.Modifier(op="set" | "floor" | "cap"):
                name, limit = item.target or placed.name, constant(item.value)
                yield _HouseLine(item.op, name, item.args, item.when, item.value, layer, item.pos, limit)
            case tree.Permission():
                what = "allow" if item.allow else "forbid"
                yield _HouseLine(what, item.flag, item.args, item.when, what, layer, item.pos, borne=borne)
            case tree.FlagLine():
                what = "yes" if item.value else "no"
                yield _HouseLine(what, placed.name, (), item.when, what, layer, item.pos)


def _apart(one: Layer, other: Layer) -> bool:
    """Whether two layers know nothing of each other."""
    return one.index != other.index and not one.follows(other) and not other.follows(one)


def _one_case(one: _HouseLine, other: _HouseLine) -> bool:
    """Whether two lines decide the same, as far as that can be seen: in the same condition, or one of them always."""
    kinds = {one.what, other.what}
    if one.said == other.said or kinds not in _SORTS:
        return False
    if "cap" in kinds and not _cross(one, other):
        return False
    if one.borne or other.borne:
        # What somebody bears is never allowed only where it is forbidden for everybody.
        forbidding = other if one.borne else one
        return forbidding.what == "forbid" and forbidding.when is None
    same_things = not one.args or not other.args or len(one.args) == len(other.args)
    return same_things and (one.when is None or other.when is None or one.when == other.when)


def _cross(one: _HouseLine, other: _HouseLine) -> bool:
    """Whether the least of one limit is above the most of the other."""
    floor, cap = (one.limit, other.limit) if one.what == "floor" else (other.limit, one.limit)
    return floor is not None and cap is not None and floor > cap


def _told(earlier: _HouseLine, later: _HouseLine) -> Iterator[Problem]:
    first, second = sorted((earlier, later), key=lambda line: line.layer.index)
    place = f"{first.pos.file}:{first.pos.line}"
    if first.what == "set":
        who = f"{second.layer.label} sets {second.name}"
        message = f"{who}, and so does {first.layer.label} ({place}) for the same case"
        yield _problem(second.pos, message, "the one that comes last decides", first.layer, second.layer)
    elif first.what in _LIMITS:
        said = [f"`{_LIMITS[one.what]} {one.limit}`" for one in (second, first)]
        message = (
            f"{second.layer.label} says {said[0]} of {second.name}, and {first.layer.label} says {said[1]} "
            f"for the same case ({place})"
        )
        yield _problem(second.pos, message, "`at most` decides, in whatever order", first.layer, second.layer)
    elif {first.what, second.what} == {"yes", "no"}:
        message = (
            f"{second.layer.label} says `{second.what}` of {second.name}, and {first.layer.label} says "
            f"`{first.what}` for the same case ({place})"
        )
        yield _problem(second.pos, message, "the line that comes last decides", first.layer, second.layer)
    else:
        message = (
            f"{second.layer.label} says `{second.what} {second.name}`, and {first.layer.label} says "
            f"`{first.what}` for the same case ({place})"
        )
        decides = "forbid" if "forbid" in (first.what, second.what) else "allow"
        yield _problem(second.pos, message, f"`{decides}` decides, in whatever order", first.layer, second.layer)


def _decides_always(line: _HouseLine, kind: str) -> bool:
    """Whether what replaces a block of this kind changes nothing beside the line."""
    if kind == "flag":
        return line.what == "forbid"
    return kind in ("number", "value") and line.what == "set" and line.when is None and not line.args


def _decided(line: _HouseLine, kind: str, layer: Layer, pos: Pos) -> Problem:
    does, stays = ("forbids", "forbidden") if kind == "flag" else ("sets", "set")
    message = (
        f"{line.layer.label} {does} {line.name}, and {layer.label} replaces that {kind} ({pos.file}:{pos.line}): "
        f"what is {stays} stays so, whatever the {kind} says"
    )
    return problem_at(line.pos, "house-conflict", message, line.layer.knows_by(layer, ""))


def _problem(pos: Pos, message: str, decides: str, first: Layer, second: Layer) -> Problem:
    return problem_at(pos, "house-conflict", message, second.knows_by(first, f"{decides}; "))
