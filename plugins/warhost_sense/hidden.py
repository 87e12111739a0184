"""Names that mean something else in the steps below an `emit` than around it."""

from __future__ import annotations

from collections.abc import Mapping

from warhost.lang import tree as t
from warhost_sense.blocks import Report
from warhost_sense.within import Within


def look(within: Within, events: Mapping[str, t.AnyBlock], report: Report) -> None:
    """Report names of locals below an `emit` whose event has a parameter so called with another value: there the
    event's is meant, which nobody sees who reads on.
    """
    around = {p.name for p in getattr(within.block, "params", ())}
    around |= {node.target.name for node in within.of(t.Assign) if isinstance(node.target, t.Name)}
    around |= {node.var for node in within.of(t.Choose)}
    for node in within.of(t.Emit) if around else ():
        event = events.get(node.event) if node.body else None
        if isinstance(event, t.EventBlock):
            for given, param in zip(node.args, event.params, strict=False):
                same = isinstance(given.value, t.Name) and given.value.name == param.name
                if param.name in around and not same:
                    _told(node, param.name, report)


def _told(node: t.Emit, name: str, report: Report) -> None:
    used = [one for step in node.body for one in t.walk(step) if isinstance(one, t.Name) and one.name == name]
    if used:
        report(
            used[0].pos if used[0].pos.line else node.pos, "hidden",
            f'below this `emit` "{name}" is that of the event {node.event}, not the one above',
            f"call the one above otherwise, or give the event just `{name}`",
        )  # fmt: skip
