"""Laying advice over a block: what computer players think of its choices, written elsewhere.

`advise procedure react` with lines `LABEL rated NUMBER` says of each choice in the block what could stand beside it
there. A label is that of an option, the name that `choose NAME from` gives, or the title of a reaction or choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from warhost.errors import Problem, did_you_mean
from warhost.lang import tree
from warhost.lang.nodes import rebuilt
from warhost.packs.yaml_source import problem_at

Rated = tree.Choose | tree.ChoiceOption | tree.ChoiceBlock | tree.Reaction


def label_of(node: tree.Node) -> str | None:
    """As advice names what can be rated; None for whatever cannot."""
    match node:
        case tree.ChoiceOption():
            return node.label.text
        case tree.Choose():
            return node.var
        case tree.ChoiceBlock():
            return node.name
        case tree.Reaction():
            return node.title.text
    return None


def choices(block: tree.Node) -> Iterator[Rated]:
    """What can be rated in a block, in the order of its text."""
    for node in tree.walk(block, tree.EXPRESSIONS):
        if isinstance(node, Rated):
            yield node


class Advising:
    """The advice of one block of `advise`. same_layer: whether a file is the layer's own, which rates nothing twice."""

    def __init__(self, advice: tree.Advise, same_layer: Callable[[str], bool]) -> None:
        self.same_layer = same_layer
        self.by_label: dict[str, list[tree.Rating]] = {}
        for rating in advice.ratings:
            self.by_label.setdefault(rating.name.text, []).append(rating)

    def problems(self, blocks: Sequence[tree.Node], named: str) -> Iterator[Problem]:
        """What is wrong with the advice for these variants of a block."""
        found: dict[str, list[Rated]] = {}
        for block in blocks:
            for node in choices(block):
                found.setdefault(str(label_of(node)), []).append(node)
        for label, ratings in self.by_label.items():
            nodes = found.get(label, [])
            pos = ratings[-1].pos
            if not nodes:
                hint = did_you_mean(label, found) or (f"there are: {', '.join(found)}" if found else None)
                message = f'in {named} nobody chooses "{label}"' if found else f"in {named} nobody chooses anything"
                yield problem_at(ratings[0].pos, "unknown-name", message, hint)
            elif len(ratings) > 1 and len(ratings) * len(blocks) != len(nodes):
                message = f'"{label}" is rated {len(ratings)} times, and stands {len(nodes)} times in {named}'
                hint = "rate it once for all of them, or each of them in the order of the text"
                yield problem_at(pos, "wrong-number", message, hint)
            for node in nodes:
                if node.rated is not None and self.same_layer(node.rated.pos.file):
                    message = f'"{label}" of {named} is rated already'
                    hint = f"take one of the two ratings away; the other is in {node.rated.pos}"
                    yield problem_at(pos, "defined-twice", message, hint)
                    break

    def of(self, block: Any) -> Any:
        """The block with the ratings in it."""
        order = {label: iter(ratings) for label, ratings in self.by_label.items() if len(ratings) > 1}
        given: dict[int, tree.Expr] = {}
        for node in choices(block):
            label = str(label_of(node))
            if label in self.by_label:
                rating = next(order[label], None) if label in order else self.by_label[label][0]
                if rating is not None:
                    given[id(node)] = rating.rated
        return _with_ratings(block, given)


def _with_ratings(node: tree.Node, given: dict[int, tree.Expr]) -> Any:
    """The same tree with ratings in it; parts without any stay the very same objects."""
    new = rebuilt(node, lambda below: below if below.__class__ in tree.EXPRESSIONS else _with_ratings(below, given))
    return replace(new, rated=given[id(node)]) if id(node) in given else new
