"""The pictures of a battle put in order, each with its part of the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from warhost_battles.story import event_text, told_beside, words
from warhost_battles.views import seen_by

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side

Json = Mapping[str, Any]
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """A picture as it was taken; length is how many records the log had."""

    turn: int
    phase: str
    length: int
    picture: Json


@dataclass(frozen=True, slots=True)
class DrawnTerrain:
    """A piece of terrain. rises: the levels by which it lifts those who stand on it."""

    id: str
    name: str
    type: str
    points: Points
    height: Any
    marks: tuple[str, ...]
    look: str
    rises: float = 0.0


@dataclass(frozen=True, slots=True)
class Body:
    """A unit on the table. front is the edge it looks out of, empty when the picture does not say.

    passing: marks that are gone by the end of a turn or phase anyway; they are not drawn. airborne: it is above the
    table. aims: the unit to which it is on its way. pips: counters that lie on it.
    """

    id: str
    name: str
    side: int
    outline: Points
    bases: tuple[Points, ...]
    front: Points
    facing: float | None
    strength: int
    start: int
    marks: tuple[str, ...]
    passing: tuple[str, ...] = ()
    airborne: bool = False
    aims: str = ""
    pips: int = 0

    def looks_like(self, other: Body) -> bool:
        """Whether nothing of it changed that is drawn."""
        return self.drawn() == other.drawn()

    def drawn(self) -> tuple[object, ...]:
        """All of it that is drawn."""
        return self.outline, self.strength, self.marks, self.front, self.airborne, self.aims, self.pips


@dataclass(frozen=True, slots=True)
class Cell:
    """A field of a board that has fields; its name is written small."""

    name: str
    points: Points


@dataclass(frozen=True, slots=True)
class Marker:
    """A token that lies on the table. at is the point where its sign is drawn."""

    id: str
    name: str
    at: tuple[float, float]
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One phase: where everything stood at its end and what the log says about it. beside: what lay beside the table.
    state: what the ruleset says of the battle as a whole.

    lost: strength lost in the phase, by unit. gone: units that stood there before and no longer do.
    """

    turn: int
    phase: str
    title: str
    turn_title: str
    records: tuple[Json, ...]
    pieces: tuple[DrawnTerrain, ...]
    bodies: tuple[Body, ...]
    cells: tuple[Cell, ...]
    tokens: tuple[Marker, ...]
    lost: Mapping[str, int]
    gone: tuple[Body, ...]
    quiet: bool
    beside: tuple[str, ...] = ()
    state: str = ""


@dataclass(slots=True)
class Album:
    """All frames of a battle on one table; width and depth in the game's unit of length.

    later: units that were made in the course of the battle. bare: the game has no table; bodies have no outline then.
    """

    width: float
    depth: float
    unit: str
    bare: bool = False
    frames: list[Frame] = field(default_factory=list)
    later: frozenset[str] = frozenset()

    def roster(self) -> dict[str, Body]:
        """Every unit ever seen, in order of appearance, as it was at its strongest."""
        found: dict[str, Body] = {}
        for frame in self.frames:
            for body in frame.bodies:
                if body.id not in found or body.strength > found[body.id].strength:
                    found[body.id] = body
        return found


def frames_of(
    battle: Battle, taken: Sequence[Taken], side: Side | None = None, mustered: frozenset[str] = frozenset()
) -> Album:
    """Put the pictures and the log together, as a side may read it or whole. mustered: the units of the armies."""
    first: Json = next((t.picture for t in taken if t.picture.get("width")), {})
    album = Album(
        number(first.get("width"), 100.0), number(first.get("depth"), 100.0), str(first.get("unit", "")),
        bare=bool(taken) and all(t.picture.get("bare") for t in taken),
    )  # fmt: skip
    known = {s.id: i for i, s in enumerate(battle.sides)}, passing_marks(battle), album.bare
    previous: Frame | None = None
    turn_title = ""
    log: Sequence[Json] = battle.log
    if side is not None:
        log = [seen_by(r, side) or {"kind": "", "turn": r["turn"], "phase": r["phase"]} for r in battle.log]
    for shot, records in _with_records(log, taken):
        turn_title = _turn_title(shot, records, turn_title)
        previous = _frame(battle, shot, records, turn_title, known, previous)
        album.frames.append(previous)
    if mustered:
        set_up = {b.id for f in album.frames if f.turn <= 0 for b in f.bodies}
        album.later = frozenset(album.roster()) - mustered - set_up
    return album


def _with_records(log: Sequence[Json], taken: Sequence[Taken]) -> Iterator[tuple[Taken, tuple[Json, ...]]]:
    """Each picture with its records: up to the next turn or phase, the last one with all the rest.

    A phase that was broken off is shown with the last picture.
    """
    start = 0
    for shot in taken:
        stop = min(shot.length, len(log))
        while stop < len(log) and log[stop].get("kind") not in ("turn", "phase"):
            stop += 1
        yield shot, tuple(log[start:stop])
        start = max(stop, start)
    if start < len(log):
        last = log[-1]
        picture = taken[-1].picture if taken else {}
        yield Taken(int(last.get("turn", 0)), str(last.get("phase", "")), len(log), picture), tuple(log[start:])


def _turn_title(shot: Taken, records: Sequence[Json], before: str) -> str:
    for r in records:
        if r.get("kind") == "turn":
            return f"Turn {r.get('turn')}" + (f" ({r['side']})" if r.get("side") else "")
    return before if shot.turn else "Set-up"


def _frame(
    battle: Battle,
    shot: Taken,
    records: tuple[Json, ...],
    turn_title: str,
    known: tuple[Mapping[str, int], frozenset[str], bool],
    previous: Frame | None,
) -> Frame:
    titles = [str(r["title"]) for r in records if r.get("kind") == "phase" and r.get("title")]
    bodies = tuple(b for u in shot.picture.get("units", ()) if (b := _body(u, *known)) is not None)
    before = {b.id: b for b in previous.bodies} if previous is not None else {}
    here = {b.id for b in bodies}
    lost = {b.id: before[b.id].strength - b.strength for b in bodies if b.id in before}
    pieces = tuple(p for t in shot.picture.get("terrain", ()) if (p := _piece(t)) is not None)
    tokens = tuple(m for raw in shot.picture.get("markers", ()) if (m := _mark(raw)) is not None)
    told = any(r.get("kind") in ("roll", "move") or event_text(r, battle) for r in records)
    return Frame(
        turn=shot.turn,
        phase=shot.phase,
        title=titles[-1] if titles else words(shot.phase),
        turn_title=turn_title,
        records=records,
        pieces=pieces,
        bodies=bodies,
        cells=tuple(c for raw in shot.picture.get("cells", ()) if (c := _cell(raw)) is not None),
        tokens=tokens,
        lost={id: n for id, n in lost.items() if n > 0},
        gone=tuple(b for b in before.values() if b.id not in here),
        quiet=not told and _unchanged(previous, bodies, pieces) and (previous is None or previous.tokens == tokens),
        beside=tuple(told_beside(row, battle) for row in shot.picture.get("beside", ())),
        state=str(shot.picture.get("state", "")),
    )


def _unchanged(previous: Frame | None, bodies: Sequence[Body], pieces: Sequence[DrawnTerrain]) -> bool:
    if previous is None:
        return not bodies
    before = {b.id: b for b in previous.bodies}
    return (
        previous.pieces == pieces
        and before.keys() == {b.id for b in bodies}
        and all(b.looks_like(before[b.id]) for b in bodies)
    )


def _body(unit: Json, sides: Mapping[str, int], passing: frozenset[str], bare: bool) -> Body | None:
    outline = points(unit.get("outline"))
    if len(outline) < 3 and not bare:
        return None
    strength = int(number(unit.get("strength"), 1))
    facing = unit.get("facing")
    marks = [words(str(m)) for m in unit.get("marks") or ()]
    return Body(
        id=str(unit.get("id", "")),
        name=str(unit.get("name", unit.get("id", ""))),
        side=sides.get(str(unit.get("side", "")), 0),
        outline=outline,
        bases=tuple(b for b in map(points, unit.get("bases") or ()) if len(b) >= 3),
        front=points(unit.get("front"))[:2],
        facing=number(facing, 0.0) if facing is not None else None,
        strength=strength,
        start=max(strength, int(number(unit.get("start"), strength))),
        marks=tuple(m for m in marks if m not in passing),
        passing=tuple(m for m in marks if m in passing),
        airborne=unit.get("airborne") is True,
        aims=str(unit.get("aims") or ""),
        pips=max(0, int(number(unit.get("pips"), 0))),
    )


def passing_marks(battle: Battle) -> frozenset[str]:
    """The state of units that the rules reset every turn or phase, in words."""
    nouns = getattr(getattr(battle, "program", None), "nouns", {})
    if "unit" not in nouns:
        return frozenset()
    return frozenset(words(name) for name, field in nouns["unit"].fields.items() if field.resets is not None)


def _piece(terrain: Json) -> DrawnTerrain | None:
    outline = points(terrain.get("points"))
    if len(outline) < 3:
        return None
    type_ = str(terrain.get("type") or "terrain")
    look = terrain.get("look") or ""
    if isinstance(look, Mapping):
        look = " ".join(str(v) for v in look.values())
    return DrawnTerrain(
        id=str(terrain.get("id", "")),
        name=str(terrain.get("name") or words(str(terrain.get("id", "")))),
        type=words(type_),
        points=outline,
        height=terrain.get("height", 0),
        marks=tuple(words(str(m)) for m in terrain.get("marks") or ()),
        look=str(look),
        rises=number(terrain.get("rises"), 0.0),
    )


def _cell(raw: Any) -> Cell | None:
    """A field: its points alone, or `{"name", "points"}`."""
    name, ring = (str(raw.get("name", "")), raw.get("points")) if isinstance(raw, Mapping) else ("", raw)
    outline = points(ring)
    return Cell(name, outline) if len(outline) >= 3 else None


def _mark(raw: Json) -> Marker | None:
    at = points([raw.get("at")])
    if not at:
        return None
    id = str(raw.get("id", ""))
    return Marker(id, str(raw.get("name") or words(id)), at[0], tuple(words(str(m)) for m in raw.get("marks") or ()))


def points(raw: Any) -> Points:
    """Points of a picture; none when they are not what they should be."""
    try:
        found = tuple((float(x), float(y)) for x, y in raw or ())
    except (TypeError, ValueError):
        return ()
    return found if all(abs(x) < 1e6 and abs(y) < 1e6 for x, y in found) else ()


def number(raw: Any, otherwise: float) -> float:
    """A finite number of a picture, or another one."""
    try:
        value = float(raw)
    except (TypeError, ValueError):
        return otherwise
    return value if abs(value) < 1e9 else otherwise
