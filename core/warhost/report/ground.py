"""Terrain: every type gets a tint and a pattern of its own, and a line in the legend.

The core does not know what types a game has. A picture may say how a piece looks (`look`: a colour such as
#88aa77, the name of a pattern, or both); otherwise tint and pattern follow from the type's word, the same in
every battle as far as the types of one battle do not clash. The last word of a type is its family: "high wall" and
"low wall" share a pattern and differ in shade.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from warhost.report.frames import Piece
from warhost.report.sheet import Sheet, middle, text

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

#: Shades of the members of one family.
SHADES = (1.0, 0.82, 1.16, 0.68)

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")


@dataclass(frozen=True, slots=True)
class Look:
    """How one type is drawn; id names its pattern on the page."""

    id: str
    tint: str
    pattern: str


def looks(pieces: Iterable[Piece]) -> dict[str, Look]:
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


def drawn(piece: Piece, styles: Mapping[str, Look], sheet: Sheet) -> str:
    """A piece with its name."""
    words = ", ".join((f"{piece.type}, height {piece.height}", *piece.marks))
    x, y = sheet.place(middle(piece.points))
    label = f"{piece.name} ({', '.join(piece.marks)})" if piece.marks else piece.name
    return (
        f'<g class="tr{" marked" if piece.marks else ""}"><title>{text(piece.name)}: {text(words)}</title>'
        f'<path fill="url(#{styles[piece.type].id})" d="{sheet.path(piece.points)}"/>'
        f'<text x="{x:.0f}" y="{y:.0f}">{text(label)}</text></g>'
    )


def legend(styles: Mapping[str, Look], swatch: Callable[[str], str]) -> str:
    """One entry for each type; swatch wraps the drawing of a sample."""
    rows = []
    for name, style in styles.items():
        sample = f'<rect class="tr" width="34" height="20" fill="url(#{style.id})"/>'
        rows.append(f"<li>{swatch(sample)}{text(name)}</li>")
    return "".join(rows)
