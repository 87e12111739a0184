"""How commands tell what an edition leaves out of the ruleset that it extends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warhost.cli.output import counted

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.superseding import LeftOut

_MANY = {"ready army": "ready armies"}


def in_short(rules: Ruleset, what: str = "") -> str:
    """How much is left out: `37 examples superseded (examples/night.yaml: 20, TAV-*: 17), 1 ready army superseded`;
    "" for nothing. Lines that name one thing are not listed. what: only this sort of things (`example`).
    """
    kinds: dict[str, list[LeftOut]] = {}
    for one in rules.left_out():
        if one.names and what in ("", one.what):
            kinds.setdefault(one.what, []).append(one)
    return ", ".join(_told(kind, lines) for kind, lines in kinds.items())


def _told(what: str, lines: list[LeftOut]) -> str:
    several = [f"{one.line}: {len(one.names)}" for one in lines if one.several]
    by = f" ({', '.join(several)})" if several else ""
    return f"{counted(sum(len(one.names) for one in lines), what, _MANY.get(what, ''))} superseded{by}"


def line_by_line(left_out: tuple[LeftOut, ...]) -> list[str]:
    """Each line with what it leaves out and why: `example_refs TAV-*: 17 examples (the chapter is gone)`."""
    return [f"{_line(one)}{f' ({one.why})' if one.why else ''}" for one in left_out if one.names]


def _line(one: LeftOut) -> str:
    amount = counted(len(one.names), one.what, _MANY.get(one.what, ""))
    if one.several:
        return f"{one.section} {one.line}: {amount}"
    return f'{one.what} "{one.line}"' if one.line else amount
