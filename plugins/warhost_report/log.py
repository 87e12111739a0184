"""The log of a phase as HTML: its story, its rolls with their dice, and how every number came about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from warhost_battles.story import (
    alike,
    change_text,
    changes_of,
    computations,
    event_text,
    name_in,
    need_of,
    outcome_of,
    passing,
    plain,
    steps_of,
    verdict,
    words,
)
from warhost_report.frames import Frame, Json
from warhost_report.sheet import text

if TYPE_CHECKING:
    from warhost.engine.battle import Battle

#: Dice of one line that are drawn; the rest are counted.
MOST_DICE = 60


def section(frame: Frame, index: int, battle: Battle) -> str:
    """The log of one phase as a section of the page; a new turn begins with a heading. index: the phase's, by which
    pictures and log find each other.
    """
    head = "".join(f"<h2>{text(frame.turn_title)}</h2>" for r in frame.records if r.get("kind") == "turn") or (
        "<h2>Set-up</h2>" if index == 0 and frame.turn == 0 else ""
    )
    body = "".join(_lines(frame.records, battle)) + _moves(frame.records, battle) + _decisions(frame.records)
    body += f'<p class="moves">{text(frame.state)}</p>' if frame.state else ""
    body += _beside(frame.beside)
    quiet = " quiet" if frame.quiet else ""
    body = body or '<p class="none">Nothing happened.</p>'
    return f'<section id="p{index}" class="ph{quiet}">{head}<h3>{text(frame.title)}</h3>{body}</section>'


def _lines(records: Iterable[Json], battle: Battle) -> Iterator[str]:
    waiting: list[Json] = []
    for record in records:
        kind = record.get("kind")
        if kind == "roll":
            if not record.get("dice"):
                continue
            if waiting and not alike(waiting[-1], record):
                yield _roll(waiting, battle)
                waiting = []
            waiting.append(record)
            continue
        line = _end(record) if kind == "end" else _said(record, battle)
        if line:
            if waiting:
                yield _roll(waiting, battle)
                waiting = []
            yield line
    if waiting:
        yield _roll(waiting, battle)


def _said(record: Json, battle: Battle) -> str:
    said = event_text(record, battle)
    if not said:
        return ""
    refs = ", ".join(str(r) for r in record.get("ref", ()))
    title = f' title="{text(refs)}"' if refs else ""
    return f"<p{title}>{text(said)}</p>"


def _end(record: Json) -> str:
    return f'<p class="end">{text(verdict(record.get("winner"), record.get("reason")))}</p>'


# -- rolls ------------------------------------------------------------------------------------------------


def _roll(rolls: Sequence[Json], battle: Battle) -> str:
    """Rolls of one sort: who, what, how many dice, the need, the faces and what came of it."""
    first = rolls[0]
    who = f"<b>{text(name_in(battle, first.get('by')))}</b>"
    if first.get("against") is not None:
        who += f" against {text(name_in(battle, first['against']))}"
    name = "" if first.get("roll") == "rolls" else words(str(first.get("roll", "")))
    parts = [text(p) for p in (name, need_of(first)) if p]
    said = f"{who}: {', '.join(parts)} " if parts else f"{who}: "
    line = f'{said}{_before(rolls)}<span class="dice">{_dice(rolls)}</span> {_outcome(rolls)}'
    why = "".join(_computation(depth, n, battle) for depth, n in computations(first.get("why", ())))
    if not why:
        return f'<div class="r">{line}</div>'
    return f'<details class="r"><summary>{line}</summary><div class="why">{why}</div></details>'


def _before(rolls: Sequence[Json]) -> str:
    """What the dice showed before each re-roll."""
    drawn = []
    for step in steps_of(rolls)[:-1]:
        faces = "".join(f"<i>{text(face)}</i>" for face in step[:MOST_DICE])
        drawn.append(f'<span class="dice was">{faces}</span> re-rolled ')
    return "".join(drawn)


def _dice(rolls: Sequence[Json]) -> str:
    drawn = []
    for roll in rolls:
        passed = passing(roll)
        for i, face in enumerate(roll.get("dice", ())):
            style = "" if passed is None else (' class="y"' if passed[i] else ' class="x"')
            drawn.append(f"<i{style}>{text(face)}</i>")
    more = len(drawn) - MOST_DICE
    return "".join(drawn[:MOST_DICE]) + (f" and {more} more" if more > 0 else "")


def _outcome(rolls: Sequence[Json]) -> str:
    outcome = outcome_of(rolls)
    dice = [d for r in rolls for d in r.get("dice", ())]
    if len(dice) == 1 and outcome == str(dice[0]):
        return ""
    return f'<span class="out">\u2192\u00a0{text(outcome)}</span>'


def _computation(depth: int, number: Json, battle: Battle) -> str:
    """One number: its base, each modifier with reason and source, the result, the rule of the book."""
    of = ", ".join(name_in(battle, a) for a in number.get("of", ()) if a is not None)
    name = f"<b>{text(words(str(number.get('number', ''))))}</b>" + (f" of {text(of)}" if of else "")
    refs = ", ".join(str(r) for r in number.get("ref", ()))
    ref = f" <small>{text(refs)}</small>" if refs else ""
    changes = changes_of(number)
    if not changes:
        return f'<div class="n d{depth}">{name} = <b>{text(plain(number.get("value")))}</b>{ref}</div>'
    rows = "".join(f"<li>{text(change_text(c, battle))}</li>" for c in changes)
    return (
        f'<div class="n d{depth}">{name}{ref}<ul><li>base {text(plain(number.get("base")))}</li>{rows}'
        f"<li>= <b>{text(plain(number.get('value')))}</b></li></ul></div>"
    )


# -- moves and decisions -------------------------------------------------------------------------------------


def _moves(records: Iterable[Json], battle: Battle) -> str:
    far: dict[str, float] = {}
    for r in records:
        if r.get("kind") == "move":
            name = name_in(battle, r.get("unit"))
            far[name] = far.get(name, 0.0) + _distance(r.get("distance"))
    if not far:
        return ""
    moved = ", ".join(f"{text(name)} {d:.1f}".removesuffix(".0") for name, d in far.items())
    return f'<p class="moves">Moved: {moved}.</p>'


def _distance(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _beside(rows: Sequence[str]) -> str:
    if not rows:
        return ""
    listed = "".join(f"<li>{text(row)}</li>" for row in rows)
    return f'<details class="dec"><summary>Beside the table</summary><ul>{listed}</ul></details>'


def _decisions(records: Iterable[Json]) -> str:
    rows = [r for r in records if r.get("kind") == "decision"]
    if not rows:
        return ""
    listed = "".join(
        f"<li>{text(r.get('side'))}, {text(words(str(r.get('decision', ''))))}: {text(plain(r.get('answer')))}"
        f" <small>of {text(r.get('options', ''))}</small></li>"
        for r in rows
    )
    noun = "decision" if len(rows) == 1 else "decisions"
    return f'<details class="dec"><summary>{len(rows)} {noun}</summary><ul>{listed}</ul></details>'
