"""Calling a definition otherwise, wherever lower layers name it: in rules, in data, in examples."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from warhost.lang import tree
from warhost.lang.nodes import rebuilt
from warhost.packs.yaml_source import Map, Seq

_PLAIN = re.compile(r"[A-Za-z_]\w*")


class Renaming(NamedTuple):
    """One `rename`. layer: the index of the layer that says so; those below it are changed. keys: of the data, under
    which such definitions are named (`traits`, and fields of profiles that hold one).
    """

    layer: int
    kind: str
    old: str
    new: str
    keys: frozenset[str] = frozenset()


def renamings_in(blocks: Iterable[tree.Node], layer: int) -> list[Renaming]:
    """Those of a layer's blocks."""
    found: list[Renaming] = []
    for block in blocks:
        if isinstance(block, tree.Rename):
            found.append(Renaming(layer, block.kind, block.name.text, block.to.text))
        elif isinstance(block, tree.HouseRule):
            found += renamings_in(block.blocks, layer)
    return found


# -- rules ------------------------------------------------------------------------------------------


def in_block(node: Any, renaming: Renaming) -> Any:
    """A block, or a part of one, with the new name in it; the very same one where nothing names the old."""
    old, new = renaming.old, renaming.new
    match node:
        case tree.Word(text=text) if text == old:
            return replace(node, text=new, quoted=node.quoted or not _PLAIN.fullmatch(new))
        case tree.Name(name=name) if name == old:
            return replace(node, name=new) if _PLAIN.fullmatch(new) else tree.Text((new,), pos=node.pos)
        case tree.Text() if node.plain == old:
            return tree.Text((new,), pos=node.pos)

    def may_name_it(field: str, value: Any) -> bool:
        """Whether words there are not those of something else that happens to be called the same."""
        if isinstance(node, tree.KindBlock) and field == "title":
            return bool(node.kind == renaming.kind)
        own = isinstance(node, tree.ChoiceOption | tree.Reaction | tree.Rating) and isinstance(value, tree.Word)
        return not own and field not in ("reads", "says")

    return rebuilt(node, lambda below: in_block(below, renaming), may_name_it)


# -- data -------------------------------------------------------------------------------------------


def in_data(data: Map, renamings: Sequence[Renaming]) -> Map:
    """Data in which the definitions are called by their new names where they are borne or held."""
    for renaming in renamings:
        data = _in_value(data, renaming, False)
    return data


def _in_value(value: Any, renaming: Renaming, named: bool) -> Any:
    """named: the value stands under a key that names such definitions."""
    if isinstance(value, Map):
        changed = {
            key: _in_value(one, renaming, key in renaming.keys or (named and key == "name"))
            for key, one in value.items()
        }
        return _with_values(value, changed)
    if isinstance(value, Seq):
        items = [(_in_value(one, renaming, named), pos) for one, pos in value.placed()]
        return value if all(new is old for (new, _), old in zip(items, value, strict=True)) else value.with_items(items)
    return _in_title(value, renaming) if named and isinstance(value, str) else value


def _in_title(text: str, renaming: Renaming) -> str:
    """`Brave(2)` with the new name."""
    head, bracket, rest = text.partition("(")
    return f"{renaming.new}{bracket}{rest}" if head.strip() == renaming.old else text


def _with_values(data: Map, changed: dict[Any, Any]) -> Map:
    if all(changed[key] is data[key] for key in data):
        return data
    copy = data.copied()
    copy.update(changed)
    return copy


def in_example(data: Map, renamings: Sequence[Renaming]) -> Map:
    """An example with the new names in what it is given, what it does and what it expects."""
    data = in_data(data, renamings)
    changed = {key: _in_rules(value, renamings) if key in ("when", "then") else value for key, value in data.items()}
    return _with_values(data, changed)


def _in_rules(value: Any, renamings: Sequence[Renaming]) -> Any:
    """Pieces of the rules language with the new names."""
    if isinstance(value, Map):
        return _with_values(value, {key: _in_rules(one, renamings) for key, one in value.items()})
    if isinstance(value, Seq):
        return value.with_items((_in_rules(one, renamings), pos) for one, pos in value.placed())
    for renaming in renamings if isinstance(value, str) else ():
        new = renaming.new if _PLAIN.fullmatch(renaming.new) else f'"{renaming.new}"'
        value = value.replace(f'"{renaming.old}"', f'"{renaming.new}"')
        if _PLAIN.fullmatch(renaming.old):
            value = re.sub(rf'(?<!["\w])(?<!" ){renaming.old}(?!["\w])', lambda _, new=new: new, value)  # type: ignore[misc]
    return value
