"""The plugin: functions and rules of the open table, its layout, its picture and its laws."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

from warhost.errors import did_you_mean
from warhost.hookspecs import Misfit, Unlikely, hookimpl, misfit, plain, stated, unknown_keys
from warhost.vocabulary import Asked, Function, Kept, RulesLibrary
from warhost_field.binding import USUAL_TABLE, lay_out, shape_data
from warhost_field.blocks import Block, rounded
from warhost_field.closing import FUNCTIONS as CLOSING
from warhost_field.closing import melees_kept
from warhost_field.convex import hull, overlap
from warhost_field.duels import FUNCTIONS as DUELS
from warhost_field.duels import kept
from warhost_field.functions import FUNCTIONS, crowd_at
from warhost_field.measure import FieldError, Point
from warhost_field.places import FUNCTIONS as PLACES
from warhost_field.terrain import piece
from warhost_field.travel import touching

#: What a scenario may say of its board, its table, a zone, a piece of terrain, and each shape.
BOARD = ("table", "zones", "terrain", "to_lay")
TABLE = ("width", "depth")
ZONE = ("x", "y", "width", "depth")

#: What a unit may be given, each key with a sample.
PLACE = {"at": "[60, 40]", "facing": "90", "files": "5"}
PIECE = (
    "id", "name", "type", "shape", "height", "state", "elevation", "blocks_sight", "see_into", "see_through",
    "impassable", "properties",
)  # fmt: skip
SHAPES = {
    "rectangle": ("x", "y", "width", "depth", "angle"),
    "circle": ("x", "y", "radius"),
    "ellipse": ("x", "y", "width", "depth", "angle"),
    "polygon": ("points",),
    "line": ("points", "thickness"),
}


@hookimpl
def warhost_functions() -> Iterable[Function]:
    """Distances, sight, arcs, moves and the like."""
    return (*FUNCTIONS, *PLACES, *DUELS, *CLOSING)


@hookimpl
def warhost_rules() -> Iterable[Path]:
    """Where units stand, and the numbers by which a ruleset says how they move."""
    return (Path(__file__).with_name("field.rules"),)


#: Numbers that come to nothing sensible beyond these figures.
LIMITS = (
    Asked("base_width", more_than=0, room="width"),
    Asked("base_depth", more_than=0, room="depth"),
    Asked("models_shown", at_least=0, whole=True),
    Asked("files_at_start", at_least=1, whole=True),
    Asked("points_in_front", at_least=0, whole=True),
    Asked("front_arc", at_least=0, at_most=360),
    Asked("sharpest_charge", at_least=0, at_most=180),
    Asked("slant", at_least=0, at_most=90),
    *(Asked(name, at_least=0) for name in (
        "body_height", "open_order", "turning_share", "rotation_share", "facing_share", "whole_move",
        "backwards_factor", "keep_off", "closing_reach", "terrain_toll", "uphill_share", "downhill_share",
        "closed_gap",
    )),
)  # fmt: skip


@hookimpl
def warhost_asks() -> Iterable[Asked]:
    """The numbers of the table that have limits."""
    return LIMITS


@hookimpl
def warhost_libraries() -> Iterable[RulesLibrary]:
    """`libraries: [duels_on_table]`."""
    return (
        RulesLibrary(
            "duels_on_table",
            Path(__file__).with_name("duels_on_table.rules"),
            "Two units set up on an empty table for `warhost odds`: `sets_up: set_up_at_range`, and "
            "`set_up_in_contact` for a procedure of the ruleset that lets them charge.",
            needs=("procedure draw_up(unit, wide)",),
        ),
    )


@hookimpl
def warhost_board(battle: Any, board: Mapping[str, Any]) -> None:
    """Make the table."""
    lay_out(battle, board)


@hookimpl
def warhost_board_keys() -> Iterable[str]:
    """What a scenario may say of the table."""
    return BOARD


@hookimpl
def warhost_length_units() -> Iterable[str]:
    """Distances are measured with a tape."""
    return ("cm", "in")


@hookimpl
def warhost_board_problems(board: Mapping[str, Any], program: Any) -> Iterable[str | Misfit]:
    """What is wrong with a scenario's board."""
    found: list[str | Misfit] = []
    found.extend(unknown_keys(board.get("table"), TABLE, "the table", ("table",)))
    size = plain(board.get("table", {}))
    for key in ("width", "depth"):
        if not isinstance(size, dict) or not isinstance(size.get(key), int | float) or size[key] <= 0:
            found.append((("table",), f"the board's table needs a {key} greater than 0"))
    for name, zone in (plain(board.get("zones", {})) or {}).items():
        missing = [k for k in ZONE if not isinstance((zone or {}).get(k), int | float)]
        if missing:
            found.append((("zones", name), f'zone "{name}" needs {", ".join(missing)}'))
        for key in ("width", "depth"):
            if key not in missing and not zone[key] > 0:
                found.append((("zones", name, key), f'the {key} of zone "{name}" is {zone[key]}; write more than 0'))
        found.extend(unknown_keys(zone, ZONE, f'zone "{name}"', ("zones", name)))
        if not missing and getattr(board["zones"], "file", "") == getattr(board.get("table"), "file", None):
            found.extend(_beyond(zone, size, name))
    found.extend(_crossing(plain(board.get("zones", {})) or {}))
    for section in ("terrain", "to_lay"):
        ids: set[str] = set()
        for i, raw in enumerate(board.get(section, ()) or ()):
            found.extend(_piece_problems(raw, section, i, program, size))
            id_ = str(raw.get("id", i)) if isinstance(raw, Mapping) else ""
            if id_ in ids:
                sentence = f'another piece of terrain is called "{id_}", too; write another id than {id_}'
                found.append(((section, i, "id"), sentence))
            ids.add(id_)
    return found


def _beyond(zone: Mapping[str, Any], size: Any, name: object) -> list[Misfit]:
    """A zone of which a good part lies beside the table that is laid with it."""
    if not isinstance(size, dict) or not all(isinstance(size.get(k), int | float) for k in ("width", "depth")):
        return []
    ends = zone["x"] + zone["width"], zone["y"] + zone["depth"]
    if min(zone["x"], zone["y"]) >= 0 and ends[0] <= size["width"] * 1.1 and ends[1] <= size["depth"] * 1.1:
        return []
    within = f"write figures within the table, {size['width']} by {size['depth']}"
    return [(("zones", str(name)), f'zone "{name}" reaches over the edge of the table; {within}')]


def _crossing(zones: Mapping[str, Any]) -> Iterator[Misfit]:
    """Two zones of one size that lie over each other in part: each is meant for somebody else."""
    whole = [(n, z) for n, z in zones.items() if z and all(isinstance(z.get(k), int | float) for k in ZONE)]
    for (name, one), (other, two) in combinations(whole, 2):
        apart = abs(one["x"] - two["x"]), abs(one["y"] - two["y"])
        alike = all(one[k] == two[k] for k in ("width", "depth"))
        if alike and any(apart) and apart[0] < one["width"] and apart[1] < one["depth"]:
            yield ("zones", other), f'zone "{other}" lies over zone "{name}" in part; write other figures'


#: The figures without which a shape is none; where it lies need not be said of what is yet to be laid.
_NEEDED = {
    "rectangle": ("x", "y", "width", "depth"), "ellipse": ("x", "y", "width", "depth"), "circle": ("x", "y", "radius"),
    "polygon": ("points",), "line": ("points", "thickness"),
}  # fmt: skip


#: The figures of shapes that say how large they are.
_LENGTHS = ("width", "depth", "radius", "thickness")


def _shape_problems(raw: Mapping[str, Any], section: str, at: tuple[str | int, ...], name: object) -> list[Misfit]:
    """What is missing or of another type in the figures of a piece."""
    found: list[Misfit] = []
    for key in ("height", "elevation"):
        value = plain(raw.get(key, 0))
        if isinstance(value, bool) or not isinstance(value, int | float):
            sentence = f'the {key} of terrain piece {name} is a number, not "{value}"; write a number'
            found.append(((*at, key), sentence))
    shape = raw.get("shape")
    for word, given in shape.items() if isinstance(shape, Mapping) else ():
        below = (*at, "shape", str(word))
        if word not in SHAPES:
            hint = did_you_mean(str(word), SHAPES) or f"there are {', '.join(SHAPES)}"
            found.append((below, f'terrain piece {name} has an unknown shape "{word}"; {hint}'))
            continue
        figures = plain(given) if isinstance(given, Mapping) else {}
        needed = [k for k in _NEEDED[word] if section == "terrain" or k not in ("x", "y")]
        missing = [k for k in needed if k not in figures]
        if missing:
            sample = ", ".join(f"{k}: .." for k in needed)
            sentence = f"the {word} of terrain piece {name} needs {', '.join(missing)}; write {word}: {{{sample}}}"
            found.append((below, sentence))
        for key, value in figures.items():
            if key == "points" and not _are_points(value):
                found.append(((*below, key), "points are pairs of numbers; write points: [[0, 10], [20, 12]]"))
            elif key in SHAPES[word] and key != "points" and not isinstance(value, int | float):
                found.append(((*below, key), f'the {key} of a {word} is a number, not "{value}"; write a number'))
            elif key in _LENGTHS and not value > 0:
                found.append(((*below, key), f"the {key} of terrain piece {name} is {value}; write more than 0"))
    return found


def _are_points(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(p, list) and len(p) == 2 and all(isinstance(n, int | float) for n in p) for p in value
    )


def _piece_problems(raw: Any, section: str, number: int, program: Any, size: Any) -> list[str | Misfit]:
    at = (section, number)
    if not isinstance(raw, Mapping) or "type" not in raw or (section == "terrain" and "id" not in raw):
        needed = ("id", "type", "shape") if section == "terrain" else ("type", "shape")
        lacking = [key for key in needed if not isinstance(raw, Mapping) or key not in raw]
        missing = f"this one has no {' and no '.join(lacking)}"
        return [(at, f"every piece under {section} needs an id, a type and a shape; {missing}")]
    found: list[str | Misfit] = []
    shape, name = raw.get("shape"), raw.get("id", number + 1)
    figures = SHAPES.get(shape, ()) if isinstance(shape, str) else ()
    found.extend(unknown_keys(raw, (*PIECE, *figures), f"terrain piece {name}", at))
    for word, given in shape.items() if isinstance(shape, Mapping) else ():
        if word in SHAPES:
            found.extend(unknown_keys(given, SHAPES[word], f"the {word} of terrain piece {name}", (*at, "shape", word)))
    figures_wrong = _shape_problems(raw, section, at, name)
    found.extend(figures_wrong)
    try:
        data = shape_data(raw)
        if section == "to_lay" and "x" not in data and "points" not in data:
            data = {**data, "x": 0.0, "y": 0.0}
        made = piece({"id": "?", **data}) if not figures_wrong else None
        if made is not None and section == "terrain" and isinstance(size, dict) and not _on(made, size):
            within = f"write figures within the table, {size.get('width')} by {size.get('depth')}"
            found.append(((*at, "shape"), f"terrain piece {name} lies beside the table; {within}"))
        elif made is not None and section == "terrain" and _is_astray(data.get("points"), size):
            within = f"write points on the table, {size.get('width')} by {size.get('depth')}"
            found.append(((*at, "shape"), f"terrain piece {name} goes on far beyond the table; {within}"))
    except FieldError as error:
        found.append((at, str(error)))
    if program is not None:
        found.extend(((*at, "state"), sentence) for sentence in stated(program, "terrain", raw.get("state"))[1])
        sentence = misfit(program, "terrain", "type", raw["type"])
        found.extend([((*at, "type"), sentence)] if sentence else [])
    return found


def _on(made: Any, size: Mapping[str, Any]) -> bool:
    """Whether a piece of terrain lies on the table, or hangs over its edge."""
    if not all(isinstance(size.get(k), int | float) for k in ("width", "depth")):
        return True
    x, y, far = made.x, made.y, made.radius
    return bool(-far < x < size["width"] + far and -far < y < size["depth"] + far)


def _is_astray(points: Any, size: Any) -> bool:
    """Whether a line or a polygon has a point so far off the table that its figures cannot be meant."""
    if not points or not isinstance(size, dict) or not all(isinstance(size.get(k), int | float) for k in ZONE[2:]):
        return False
    width, depth = float(size["width"]), float(size["depth"])
    return any(not (-width <= 10 * x <= 11 * width and -depth <= 10 * y <= 11 * depth) for x, y in points)


@hookimpl
def warhost_place_problems(board: Mapping[str, Any], place: Any) -> Iterable[str | Misfit]:
    """A unit whose middle is beside the table, what are no figures, and steps that put a unit there."""
    if isinstance(place, str):
        return _called_beside(place, _size_of(board))
    if not isinstance(place, Mapping):
        return []
    found: list[str | Misfit] = []
    for key in ("facing", "files"):
        if key in place and not _is_figure(plain(place[key])):
            found.append(((key,), f'the {key} of a unit is a number, not "{place[key]}"; write {key}: {PLACE[key]}'))
    if "at" not in place:
        return found
    at, size = plain(place["at"]), _size_of(board)
    if not isinstance(at, list) or len(at) != 2 or not all(map(_is_figure, at)):
        found.append((("at",), f"a unit stands at [x, y], two numbers; write at: {PLACE['at']}"))
    elif size is not None and not (0 <= at[0] <= size[0] and 0 <= at[1] <= size[1]):
        within = f"write figures within the table, {size[0]:g} by {size[1]:g}"
        found.append((("at",), f"the unit stands beside the table; {within}"))
    return found


def _called_beside(call: str, size: tuple[float, float] | None) -> list[str | Misfit]:
    """What is wrong with `place_at(_, 500, 10, 0)`: one figure that is no place on the table is enough."""
    found = _PLACE_AT.fullmatch(call)
    if found is None or size is None:
        return []
    for said, end in zip(found.groups(), size, strict=True):
        if said != "_" and not 0 <= Fraction(said) <= end:
            within = f"write figures within the table, {size[0]:g} by {size[1]:g}"
            return [Unlikely(f"the unit would stand beside the table; {within}")]
    return []


def _size_of(board: Mapping[str, Any]) -> tuple[float, float] | None:
    """Width and depth of a table; None where it says no such figures."""
    size = plain(board.get("table", USUAL_TABLE))
    if not isinstance(size, dict) or not all(_is_figure(size.get(key)) for key in TABLE):
        return None
    return float(size["width"]), float(size["depth"])


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


#: A step that puts a unit at a place: across and up the table.
_PLACE_AT = re.compile(r"place_at\([^,]+, ([^,]+), ([^,]+), [^,]+\)")


@hookimpl
def warhost_picture(battle: Any) -> Mapping[str, Any] | None:
    """The table as plain data, see docs/design/log.md."""
    made = getattr(battle, "field", None)
    if made is None:
        return None
    terrain = []
    for name in made.placed:
        land, shape = made.entities[name], made.piece(name).to_json()
        fields = battle.program.nouns["terrain"].fields
        marks = [f for f, i in fields.items() if i.type.kind == "yes_no" and getattr(land, f)]
        for ring in (shape["outline"], *shape["more"]):
            about = {"id": name, "name": land.name, "type": land.type, "height": land.height}
            terrain.append({**about, "rises": shape["elevation"], "points": ring, "marks": marks})
    return {
        "width": made.width, "depth": made.depth, "unit": battle.rules.length_unit, "terrain": terrain,
        "units": [_unit_picture(battle, made, u) for u in made.on_table()],
    }  # fmt: skip


def _unit_picture(battle: Any, made: Any, unit: Any) -> dict[str, Any]:
    block = made.block(unit)
    drawn = block.to_json()
    fields = battle.program.nouns["unit"].fields
    flags = [n for n, i in fields.items() if i.writable and i.type.kind == "yes_no"]
    marks = [n.replace("_", " ") for n in flags if getattr(unit, n, False) is True]
    edge, outline = block.edge("front"), drawn["outline"]
    if block.formation.points:
        edge, outline = _as_wedges(block)
    strength = getattr(unit, "figures", getattr(unit, "models", unit.size))
    return {
        "id": unit.id, "name": unit.name, "side": unit.side.id, "outline": outline,
        "bases": _closed_in(made, unit) or drawn.get("bases", []),
        "front": [[round(c, 3) for c in p] for p in edge], "facing": round(block.facing, 2),
        "strength": strength, "start": unit.size, "marks": marks, "airborne": block.airborne,
    }  # fmt: skip


def _as_wedges(block: Block) -> tuple[tuple[Point, Point], list[list[float]]]:
    """The front and the outline of wedges: the edge of the models at their points, and a line round all models."""
    bases = block.bases()
    heads = [base.points for base in bases[: block.formation.points]]
    fx, fy = block.shape.normals[0]
    fronts = [sorted(ring, key=lambda p: (-round(p[0] * fx + p[1] * fy, 3), p))[:2] for ring in heads]
    ends = sorted((p for pair in fronts for p in pair), key=lambda p: p[0] * fy - p[1] * fx)
    return (ends[0], ends[-1]), rounded(tuple(hull(p for base in bases for p in base.points)))


def _closed_in(made: Any, unit: Any) -> list[Any]:
    """The bases of a loose unit that has closed in on the blocks that it is in contact with; empty: it has not."""
    reach = float(made.number("closing_reach", unit))
    if reach <= 0.0 or made.block(unit).formation.has_flanks:
        return []
    foes = [u for u in touching(made, unit) if u.side is not unit.side and made.block(u).formation.kind == "ranked"]
    if not foes:  # with other crowds about it, it stands as it is drawn up
        return []
    crowd = crowd_at(made, unit, foes[0], reach)
    return [rounded((b.points[1], b.points[0], b.points[3], b.points[2])) for b in (*crowd.closed, *crowd.behind)]


@hookimpl
def warhost_invariants(battle: Any) -> Iterable[str]:
    """No two bodies overlap, nobody stands over the edge, and losses alone never end or empty a melee."""
    made = getattr(battle, "field", None)
    if made is None:
        return ()
    found: list[str] = []
    table = made.table()
    for i, a in enumerate(table.blocks):
        if not table.is_inside(a):
            found.append(f"{a.id} stands outside the table")
        for b in table.blocks[i + 1 :]:
            if a.airborne == b.airborne and overlap(a.shape, b.shape, 0.02):
                found.append(f"{a.id} and {b.id} overlap")
    return found + melees_kept(battle)


@hookimpl
def warhost_kept(battle: Any) -> Kept | None:
    """Where terrain lies."""
    made = getattr(battle, "field", None)
    return kept(made) if made is not None else None
