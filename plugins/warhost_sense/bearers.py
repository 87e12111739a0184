"""What definitions bring into force for everybody, though nobody has written that it is meant so."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warhost.lang import tree
from warhost.lang.notes import BroughtIntoForce
from warhost.lang.program import Definition
from warhost.lang.symbols import EFFECT, Symbols
from warhost_sense.blocks import Report


def for_everybody(brought: Iterable[BroughtIntoForce], symbols: Symbols, report: Report) -> None:
    """What a kind brings into force is for its bearer, or says that it is not (`while in force`): else it would hold
    for everybody as soon as somebody bears it.
    """
    for one in brought:
        if not _speaks_of_its_bearer(one):
            title = one.definition.title
            report(
                one.item.pos, "for-everybody",
                f'nothing here speaks of who bears "{title}": it would hold for everybody as soon as somebody bears it',
                f"write `when {_name_for_bearer(one, symbols)} is bearer`; what is meant for everybody stands "
                "under `while in force`",
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


def _speaks_of_its_bearer(one: BroughtIntoForce) -> bool:
    definition = one.definition
    known = {"bearer", "this", *one.kind.roles, *definition.procedures}
    said = [node for part in (one.item, *one.conditions) for node in tree.walk(part)]
    counters = {id(node.of) for node in said if isinstance(node, tree.Attribute) and _is_counter(node, definition)}
    spoken_of = (node for node in said if isinstance(node, tree.Name | tree.Call) and id(node) not in counters)
    return any(node.name in known for node in spoken_of)


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
