"""What definitions bring into force for everybody, though nobody has written that it is meant so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warhost.lang import tree
from warhost.lang.checker import Checker
from warhost.lang.notes import BroughtIntoForce
from warhost.lang.program import Definition
from warhost.lang.symbols import EFFECT, Symbols
from warhost_sense.blocks import Report
from warhost_sense.within import Within


def for_everybody(brought: Iterable[BroughtIntoForce], symbols: Symbols, report: Report) -> None:
    """What a kind brings into force is for its bearer, or says that it is not (`while in force`): else it would hold
    for everybody as soon as somebody bears it.
    """
    for one in brought:
        if _speaks_of_its_bearer(one):
            continue
        title = one.definition.title
        if _in_one_of_several(one):
            report(
                one.item.pos, "for-everybody",
                f'it would also hold for who does not bear "{title}": only one side of `or` speaks of that',
                "`and` binds closer than `or`: write brackets, `when .. is bearer and (.. or ..)`",
            )  # fmt: skip
        else:
            report(
                one.item.pos, "for-everybody",
                f'nothing here speaks of who bears "{title}": it would hold for everybody as soon as somebody bears it',
                f"write `when {_name_for_bearer(one, symbols)} is bearer`; what is meant for everybody stands "
                "under `while in force`",
            )  # fmt: skip


def of_nobody(within: Within, symbols: Symbols, report: Report) -> None:
    """A line that holds for a time from when something happens to somebody is for somebody: else it would hold for
    everybody. What a moment brings (`at start of turn`) may be meant so: fog, say.
    """
    handlers = [node for node in within.of(tree.Handler) if node.params]
    for node in (one for handler in handlers for one in tree.walk(handler)):
        if not isinstance(node, tree.Modifier | tree.Permission) or node.duration is None or node.args or node.when:
            continue
        name = (node.target if isinstance(node, tree.Modifier) else node.flag) or ""
        asked: Any = symbols.blocks["number"].get(name) or symbols.blocks["flag"].get(name)
        if asked is not None and asked.params:
            report(
                node.pos, "for-everybody", f"this would hold for everybody whose {name} is asked for",
                f"say for whom: {name}({asked.params[0].name}: ..), or `when ..`",
            )  # fmt: skip


def whose(brought: Iterable[BroughtIntoForce], symbols: Symbols, report: Report) -> None:
    """A handler of an event that tells of one definition in force (`spell_works(effect)`) asks which."""
    for one in brought:
        handler = one.item
        if not isinstance(handler, tree.Handler) or handler.event not in symbols.blocks["event"]:
            continue
        params: Any = symbols.blocks["event"][handler.event].params  # type: ignore[union-attr]
        told = [
            name for name, param in zip(handler.params, params, strict=False)
            if symbols.param_type(param).certain == EFFECT
        ]  # fmt: skip
        nodes = (node for part in (handler, *one.conditions) for node in tree.walk(part))
        if told and not {*told, "this"} & {node.name for node in nodes if isinstance(node, tree.Name)}:
            report(
                handler.pos, "for-everybody",
                f'this happens whenever any {told[0]} does, not only "{one.definition.title}"',
                f"write `when {told[0]} is this`; what is meant for all asks something of {told[0]}",
            )  # fmt: skip


def given_to_others(given: Iterable[tuple[str, str, str, tree.Pos]], checker: Checker) -> None:
    """Report what steps give to a thing of which its definitions are not: a trait of units to a side.

    given: kind and title, the noun of the thing (at the top of its family), and where it stands.
    """
    symbols = checker.symbols
    blocks = {(b.kind, b.title.text): b for b in checker.blocks_of(tree.KindBlock)}
    for kind, title, noun, pos in dict.fromkeys(given):
        block = blocks.get((kind, title))
        bearer = (block.of if block is not None else None) or symbols.kinds[kind].bearer
        if bearer not in symbols.nouns or not noun or noun in symbols.parts:
            continue
        wanted = symbols.root(bearer)
        if noun != wanted and symbols.nouns[noun].is_a is None:
            message = f'{kind} "{title}" is borne by a {bearer}, and here it is given to a {noun}'
            hint = f"give it to a {bearer}, or write `{kind} {title} of {noun}` where it is defined"
            symbols.report(pos, "wrong-bearer", message, hint)


def _speaks_of_its_bearer(one: BroughtIntoForce) -> bool:
    item, when = one.item, getattr(one.item, "when", None)
    if when is None:
        return any(_speaks(part, one) for part in (item, *one.conditions))
    rest = (node for node in tree.children(item) if node is not when)
    return any(_speaks(part, one) for part in (*rest, when, *one.conditions))


def _speaks(part: tree.Node, one: BroughtIntoForce) -> bool:
    """Whether a part of an item, or a condition, speaks of the bearer; of several of which one will do, all must."""
    if isinstance(part, tree.Logic):
        return (all if part.op == "or" else any)(_speaks(operand, one) for operand in part.operands)
    definition = one.definition
    known = {"bearer", "this", *one.kind.roles, *definition.procedures}
    said = list(tree.walk(part))
    counters = {id(node.of) for node in said if isinstance(node, tree.Attribute) and _is_counter(node, definition)}
    spoken_of = (node for node in said if isinstance(node, tree.Name | tree.Call) and id(node) not in counters)
    return any(node.name in known for node in spoken_of)


def _in_one_of_several(one: BroughtIntoForce) -> bool:
    """Whether it does speak of its bearer, but only in one of several conditions of which one will do."""
    when = getattr(one.item, "when", None)
    return when is not None and any(
        _speaks(operand, one)
        for node in tree.walk(when) if isinstance(node, tree.Logic) and node.op == "or"
        for operand in node.operands
    )  # fmt: skip


def _is_counter(e: tree.Attribute, definition: Definition) -> bool:
    """`this.used`: what an instance keeps that is no thing says nothing of who bears it."""
    kept = definition.keeps.get(e.name)
    return isinstance(e.of, tree.Name) and e.of.name == "this" and kept is not None and kept.type.kind != "noun"


def _name_for_bearer(one: BroughtIntoForce, symbols: Symbols) -> str:
    """The parameter of what an item speaks of that can be the bearer."""
    item = one.item
    name = item.target if isinstance(item, tree.Modifier) else getattr(item, "flag", None)
    name = name or getattr(item, "event", None) or getattr(item, "roll", None)
    for sort in ("number", "flag", "value", "event", "roll"):
        block: Any = symbols.blocks[sort].get(name or "")
        for param in block.params if block is not None else ():
            if symbols.param_type(param).certain == one.definition.bearer:
                return str(param.name)
    return "it"
