"""Terrain: every type gets a tint and a pattern of its own, and a line in the legend.

The core does not know what types a game has. A picture may say how a piece looks (`look`: a colour such as
#88aa77, the name of a pattern, or both); otherwise tint and pattern follow from the type's word, the same in
every battle as far as the types of one battle do not clash. The last word of a type is its family: "high wall" and
"low wall" share a pattern and differ in shade.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from warhost_report.frames import Cell, DrawnTerrain, Marker
from warhost_report.labels import Box, hull, outside, shared
from warhost_report.sheet import WIDTH, Sheet, box_of, middle, short, text

#: Muted tints, far from the colours of the sides.
TINTS = (
    "#8fae7d", "#bfa878", "#7fa9c4", "#a896b4", "#b39a8e", "#7fb0a0", "#c9b763", "#ab9f86", "#a5b86a", "#8c93b8",
)  # fmt: skip

#: The marks of each pattern on a tile of 16 x 16.
PATTERNS: dict[str, str] = {
    "tufts": '<path d="M2 12l2-6 2 6M9 6l2-6 2 6"/>',
    "lines": '<path d="M0 4h16M0 12h16"/>',
    "dots": '<circle cx="4" cy="4" r="1.2"/><circle cx="12" cy="12" r="1.2"/>',
    "waves": '<path d="M0 5q4-4 8 0t8 0M0 13q4-4 8 0t8 0"/>',
    "bricks": '<path d="M0 1h16M0 9h16M4 1v8M12 9v8"/>',
    "slant": '<path d="M-2 18L18-2M-2 2L2-2M14 18l4-4"/>',
    "cross": '<path d="M0 8h16M8 0v16"/>',
    "rings": '<circle cx="8" cy="8" r="4"/>',
    "wedges": '<path d="M2 13l6-8 6 8"/>',
    "plain": "",
}

#: What is hashed with the word. Any would do; with these the words that maps mostly have fall on fitting looks.
TINT_SALT, PATTERN_SALT = "tint 974118", "pattern 4535497"

#: Contours of a piece that rises are drawn up to so many.
MOST_CONTOURS = 4

#: Shades of the members of one family.
SHADES = (1.0, 0.82, 1.16, 0.68)

#: Height of a name, and width of a letter, in units of the sheet.
LINE, LETTER = 17.0, 7.4

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")


@dataclass(frozen=True, slots=True)
class Look:
    """How one type is drawn; id names its pattern on the page."""

    id: str
    tint: str
    pattern: str


def looks(pieces: Iterable[DrawnTerrain]) -> dict[str, Look]:
    """A look for every type, by its word, in alphabetical order."""
    said: dict[str, str] = {}
    for piece in pieces:
        if piece.type not in said or piece.look:
            said[piece.type] = piece.look
    families: dict[str, list[str]] = {}
    for name in sorted(said):
        families.setdefault(family(name), []).append(name)
    tints = _shared_out(families, TINTS, TINT_SALT)
    patterns = _shared_out(families, tuple(p for p in PATTERNS if p != "plain"), PATTERN_SALT)
    found: dict[str, Look] = {}
    for word, members in families.items():
        for i, name in enumerate(members):
            tint = _colour_in(said[name]) or shaded(tints[word], SHADES[i % len(SHADES)])
            found[name] = Look(f"t{len(found)}", tint, _pattern_in(said[name]) or patterns[word])
    return dict(sorted(found.items()))


def family(type_: str) -> str:
    """The last word of a type."""
    return (type_.lower().split() or [""])[-1]


def shaded(colour: str, share: float) -> str:
    """A colour made darker (below 1) or lighter."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{min(255, round(p * share)):02x}" for p in parts)


def _colour_in(look: str) -> str | None:
    found = _COLOUR.search(look)
    return found.group(0).lower() if found else None


def _pattern_in(look: str) -> str | None:
    return next((word for word in re.split(r"[^a-z]+", look.lower()) if word in PATTERNS), None)


def _shared_out(names: Iterable[str], stock: tuple[str, ...], salt: str) -> dict[str, str]:
    """One of the stock for each name, by the hash of the name; the next one when it is taken."""
    given: dict[str, str] = {}
    for name in names:
        start = int.from_bytes(hashlib.sha256(f"{salt}:{name}".encode()).digest()[:4], "big")
        order = [stock[(start + i) % len(stock)] for i in range(len(stock))]
        given[name] = next((s for s in order if s not in given.values()), order[0])
    return given


def definitions(styles: Mapping[str, Look]) -> str:
    """The patterns of all types, for <defs>."""
    return "".join(
        f'<pattern id="{s.id}" width="16" height="16" patternUnits="userSpaceOnUse">'
        f'<rect width="16" height="16" fill="{s.tint}"/><g class="pt">{PATTERNS[s.pattern]}</g></pattern>'
        for s in styles.values()
    )


def cells(fields: Sequence[Cell], sheet: Sheet) -> str:
    """The fields of a board, each with its name at its lower end."""
    grid = f'<path class="cells" d="{sheet.path(*(c.points for c in fields))}"/>'
    names = []
    for cell in fields:
        if cell.name:
            ring = sheet.placed(cell.points)
            _, top, _, bottom = box_of(ring)
            x, y = middle(ring)[0], bottom - (bottom - top) * 0.12
            names.append(f'<text x="{short(x)}" y="{short(y)}">{text(cell.name)}</text>')
    return f'{grid}<g class="cn">{"".join(names)}</g>'


def token(mark: Marker, sheet: Sheet) -> str:
    """A token on the table: a pennant with its foot at its place."""
    x, y = sheet.place(mark.at)
    said = ", ".join((mark.name, *mark.marks))
    flag = f"M{short(x)} {short(y)}v-26l20 7l-20 7"
    return f'<g class="tok{" marked" if mark.marks else ""}"><title>{text(said)}</title><path d="{flag}"/></g>'


def drawn(piece: DrawnTerrain, styles: Mapping[str, Look], sheet: Sheet) -> str:
    """A piece without its name."""
    words = ", ".join((f"{piece.type}, height {piece.height}", *piece.marks))
    return (
        f'<g class="tr{" marked" if piece.marks else ""}"><title>{text(piece.name)}: {text(words)}</title>'
        f'<path fill="url(#{styles[piece.type].id})" d="{sheet.path(piece.points)}"/>{_contours(piece, sheet)}</g>'
    )


def _contours(piece: DrawnTerrain, sheet: Sheet) -> str:
    """A line within the rim for each level by which a piece rises, as on a map."""
    count = min(int(piece.rises), MOST_CONTOURS)
    if count < 1:
        return ""
    cx, cy = middle(piece.points)
    rings = [
        tuple((cx + (x - cx) * share, cy + (y - cy) * share) for x, y in piece.points)
        for share in (1.0 - (i + 1) / (count + 1.6) for i in range(count))
    ]
    return f'<path class="ct" d="{sheet.path(*rings)}"/>'


def names(pieces: Iterable[DrawnTerrain], sheet: Sheet, units: Sequence[Box], labels: Sequence[Box]) -> Iterator[str]:
    """The names of all pieces where units and other names leave room, and what is seen of a piece below units.

    units, labels: boxes on the sheet.
    """
    taken = [*units, *labels]
    edge = (0.0, 0.0, WIDTH, sheet.height)
    for piece in pieces:
        box = box_of(sheet.placed(piece.points))
        above = [unit for unit in units if shared(box, unit)]
        if above:
            yield f'<path class="below" d="{sheet.path(piece.points)}"/>'
        label = f"{piece.name} ({', '.join(piece.marks)})" if piece.marks else piece.name
        spots = _spots(box, hull([box, *above]), sheet.place(middle(piece.points)), len(label) * LETTER)
        at = _best(spots, taken, edge)
        taken.append(at)
        yield f'<text class="tn" x="{(at[0] + at[2]) / 2:.0f}" y="{at[3] - 4.0:.0f}">{text(label)}</text>'


def _spots(box: Box, covered: Box, centre: tuple[float, float], wide: float) -> list[Box]:
    """Places for a name, the best first: the middle of a piece, elsewhere on it, beside it and what stands on it."""
    left, top, right, bottom = box
    across, down = (right - left) / 4, (bottom - top) / 4
    x, y = centre
    spots = [(x + i * across, y + j * down) for j in (0.0, 1.0, -1.0, 1.6, -1.6) for i in (0.0, -1.0, 1.0)]
    for left, top, right, bottom in (box, covered):
        spots += [
            (x, bottom + LINE / 2), (x, top - LINE / 2), (right + wide / 2 + 4.0, y), (left - wide / 2 - 4.0, y),
        ]  # fmt: skip
    return [(px - wide / 2, py - LINE / 2, px + wide / 2, py + LINE / 2) for px, py in spots]


def _best(spots: Sequence[Box], taken: Sequence[Box], edge: Box) -> Box:
    def cost(i: int) -> float:
        return i * 8.0 + 4.0 * sum(shared(spots[i], b) for b in taken) + 30.0 * outside(spots[i], edge)

    return spots[min(range(len(spots)), key=cost)]


def legend(styles: Mapping[str, Look], swatch: Callable[[str], str]) -> str:
    """One entry for each type; swatch wraps the drawing of a sample."""
    rows = []
    for name, style in styles.items():
        sample = f'<rect class="tr" width="34" height="20" fill="url(#{style.id})"/>'
        rows.append(f"<li>{swatch(sample)}{text(name)}</li>")
    return "".join(rows)
