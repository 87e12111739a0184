"""The page: everything put together into one file that needs no other."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from warhost_armies.wording import explained, marked, marks_of, sign_of
from warhost_battles.story import verdict
from warhost_report import ground
from warhost_report.figures import aims, colours, ghosts, losses, names, unit, ways
from warhost_report.frames import Album, Body, Frame
from warhost_report.log import section
from warhost_report.plot import Plot
from warhost_report.sheet import WIDTH, Sheet, path_of, text

if TYPE_CHECKING:
    from warhost.engine.battle import Battle
    from warhost.engine.entities import Side

#: The line by which a report is known.
GENERATOR = '<meta name="generator" content="Warhost">'

#: The layers of the drawing from below; each is filled anew for every frame.
LAYERS = ("ground", "ghosts", "units", "ways", "names", "losses")

#: The signs of the drawing that belong to no side and no type, for the legend.
SIGNS = (
    (
        '<path class="ghost s0" d="M3 4h12v12h-12z"/>'
        '<g class="mv s0"><path d="M12 10h16" marker-end="url(#tip0)"/></g>',
        "where it stood, the way it went",
    ),
    (
        '<g class="badge"><rect x="3" y="1" width="28" height="18" rx="9"/><text x="17" y="15">\u22123</text></g>',
        "lost in this phase",
    ),
    ('<path class="gone" d="M9 2l16 16m0-16l-16 16"/>', "gone"),
)

#: Signs that stand in the legend only if they are in the pictures.
IN_THE_AIR = (
    '<g class="u s0 air"><path class="sh" d="M13 9h16v10h-16z"/><path class="o" d="M7 3h16v10h-16z"/></g>', "in the air"
)
ON_ITS_WAY = ('<g class="aim s0"><path d="M3 10h24" marker-end="url(#tip0)"/></g>', "on its way there")
COUNTERS = (
    '<g class="u s0"><circle class="p" cx="10" cy="10" r="4"/><circle class="p" cx="22" cy="10" r="4"/></g>', "counters"
)
RISES = (
    '<g class="tr"><path fill="none" d="M4 2h26v16h-26z"/><path class="ct" d="M10 6h14v8h-14z"/></g>', "higher ground"
)


class Parts:
    """Pieces of markup kept once each and called by number."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._at: dict[str, int] = {}

    def number(self, part: str) -> int:
        if part not in self._at:
            self._at[part] = len(self.all)
            self.all.append(part)
        return self._at[part]

    def numbers(self, parts: Iterable[str]) -> list[int]:
        return [self.number(p) for p in parts]

    def joined(self, numbers: Iterable[int]) -> str:
        return "".join(self.all[n] for n in numbers)


def page(battle: Battle, album: Album, side: Side | None = None) -> str:
    """The whole report; side: for whom it is."""
    sheet = Sheet(album.width, album.depth, album.unit)
    styles = ground.looks(p for f in album.frames for p in f.pieces)
    plot = Plot(album, [s.name for s in battle.sides])
    parts = Parts()
    drawn = list(_drawn(album, sheet, styles, parts, battle, plot))
    style, script = _resource("page.css"), _resource("page.js")
    lock = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    title = " \u2013 ".join(s.name for s in battle.sides)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" '
        f"content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{lock}'\">\n"
        f"{GENERATOR}\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{text(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f"{_header(battle, side)}\n{_main(battle, album, (sheet, plot), styles, parts, drawn)}\n"
        f'<script type="application/json" id="data">{_json({"parts": parts.all, "frames": drawn})}</script>\n'
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _resource(name: str) -> str:
    return files("warhost_report").joinpath(name).read_text(encoding="utf-8")


def _json(data: object) -> str:
    """JSON that cannot end the element it stands in."""
    raw = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for c in "<>&\u2028\u2029":
        raw = raw.replace(c, f"\\u{ord(c):04x}")
    return raw


# -- the frames -----------------------------------------------------------------------------------------


def _drawn(
    album: Album, sheet: Sheet, styles: dict[str, ground.Look], parts: Parts, battle: Battle, plot: Plot
) -> Iterator[dict[str, Any]]:
    """Every frame as numbers of parts, by layer."""
    roster = album.roster()
    signs = {id_: _signs(battle, id_) for id_ in roster}
    seats: dict[str, int] = {}
    fell: dict[str, str] = {}
    previous: Frame | None = None
    for i, frame in enumerate(album.frames):
        for body in frame.gone:
            fell[body.id] = f"{frame.turn_title}, {frame.title}"
        here = {b.id: b for b in frame.bodies}
        yield {
            "title": f"{frame.turn_title} \u00b7 {frame.title}",
            "turn": frame.turn_title,
            "quiet": int(frame.quiet),
            "x": plot.x_of(i),
            **(_nothing_drawn() if album.bare else _layers(frame, previous, sheet, styles, parts, seats)),
            "rosters": [
                parts.numbers(
                    _row(b, here.get(b.id), fell.get(b.id), frame, signs[b.id])
                    for b in roster.values()
                    if b.side == side
                )
                for side in range(len(battle.sides))
            ],
        }
        previous = frame


def _nothing_drawn() -> dict[str, list[int]]:
    """The layers of a frame in a game without a table."""
    return {name: [] for name in LAYERS}


def _layers(
    frame: Frame,
    previous: Frame | None,
    sheet: Sheet,
    styles: dict[str, ground.Look],
    parts: Parts,
    seats: dict[str, int],
) -> dict[str, list[int]]:
    """What is drawn of a frame on the table, as numbers of parts."""
    return {
        "ground": parts.numbers(ground.drawn(p, styles, sheet) for p in frame.pieces),
        "ghosts": parts.numbers(ghosts(frame, previous, sheet)),
        "units": parts.numbers(
            [*(unit(b, sheet) for b in frame.bodies), *(ground.token(m, sheet) for m in frame.tokens)]
        ),
        "ways": parts.numbers([*ways(frame, sheet), *aims(frame, sheet)]),
        "names": parts.numbers(names(frame, sheet, seats)),
        "losses": parts.numbers(losses(frame, sheet)),
    }


def _signs(battle: Battle, unit: str) -> str:
    """The signs of what the ruleset's `roster.marked` says of a unit."""
    marks = marks_of(battle.by_id[unit], battle.rules) if unit in battle.by_id else ()
    return "".join(f" {sign_of(mark, marked(battle.rules))}" for mark in marks)


def _key_of_signs(battle: Battle, album: Album) -> str:
    """What the signs in the rosters mean, if there are any."""
    present = {m for id_ in album.roster() if id_ in battle.by_id for m in marks_of(battle.by_id[id_], battle.rules)}
    legend = marked(battle.rules)
    said = [text(line) for mark, line in zip(legend, explained(legend), strict=True) if mark in present]
    return f'<p class="key signs">{"<br>".join(said)}</p>' if said else ""


def _row(body: Body, now: Body | None, fell: str | None, frame: Frame, signs: str = "") -> str:
    """A unit in the roster of its side. signs: of its marks that never change."""
    strength = now.strength if now is not None else 0
    share = round(100 * strength / body.start) if body.start else 0
    marks = ", ".join(now.marks) if now is not None else (fell or "not on the table")
    lost = frame.lost.get(body.id, 0)
    badge = f' <span class="minus">\u2212{lost}</span>' if lost and now is not None else ""
    gone = ' class="off"' if now is None else ""
    return (
        f"<tr{gone}><td>{text(body.name + signs)}</td><td class='num'>{strength}{badge}</td>"
        f"<td class='num'>{body.start}</td><td><i class='m'><i style='width:{share}%'></i></i></td>"
        f"<td>{text(marks)}</td></tr>"
    )


# -- header ------------------------------------------------------------------------------------------------


def _header(battle: Battle, side: Side | None) -> str:
    rules, result = battle.rules, battle.result()
    house = ", ".join(str(h) for h in rules.house) or "none"
    scenario = battle.scenario_data.get("name") or battle.scenario_data.get("id") or "none"
    turns = f"{result.turns} turn" + ("" if result.turns == 1 else "s")
    facts = {
        "Rules": f"{text(rules.title)} ({text(rules.id)}, edition {text(rules.edition)})",
        "House rules": text(house),
        "Digest": f'<code title="{text(rules.digest)}">{text(str(rules.digest)[:16])}</code>',
        "Scenario": text(scenario),
        **({"Seed": text(battle.seed)} if side is None else {"As known to": text(side.name)}),
    }
    listed = "".join(f"<div><dt>{k}</dt><dd>{v}</dd></div>" for k, v in facts.items())
    versus = ' <span class="vs">against</span> '.join(
        f'<span class="s{colours(i)}">{text(s.name)}</span>' for i, s in enumerate(battle.sides)
    )
    return (
        f"<header><h1>{versus}</h1>"
        f'<p class="verdict">{text(_verdict(battle))} <span>{turns}.</span> {_points(result)}</p>'
        f"<dl>{listed}</dl></header>"
    )


def _verdict(battle: Battle) -> str:
    if not battle.over:
        return "The battle is not over."
    return verdict(battle.winner.name if battle.winner is not None else None, battle.reason)


def _points(result: Any) -> str:
    rows = [
        f"{text(s.name)}: {s.points} points, {s.points_lost} lost"
        + (f", {s.victory_points} victory points" if s.victory_points else "")
        for s in result.sides
        if s.points
    ]
    return f'<span class="points">{"; ".join(rows)}.</span>' if rows else ""


# -- the table, its controls and the log ------------------------------------------------------------------


def _main(
    battle: Battle,
    album: Album,
    on: tuple[Sheet, Plot],
    styles: dict[str, ground.Look],
    parts: Parts,
    drawn: Sequence[dict[str, Any]],
) -> str:
    sheet, plot = on
    last = drawn[-1] if drawn else None
    caption = text(last["title"]) if last else "No picture was taken."
    log = "".join(section(f, i, battle) for i, f in enumerate(album.frames))
    return (
        '<main><div class="stage"><figure>'
        f"{_controls(len(drawn), caption)}{'' if album.bare else _table(album, sheet, styles, parts, last)}</figure>"
        f"{_turns(album)}{'' if album.bare else _legend(battle, album, styles)}</div>"
        f'<aside class="log"><div class="bar"><h2>The story</h2>'
        '<label hidden><input type="checkbox" id="whole"> whole story</label></div>'
        f'<div id="log">{log}</div></aside>'
        f'<div class="rosters">{"".join(_roster(battle, i, parts, last) for i in range(len(battle.sides)))}'
        f"{_key_of_signs(battle, album)}</div>"
        f"{_strength(plot) if drawn else ''}</main>"
    )


def _strength(plot: Plot) -> str:
    return (
        f'<section class="strength"><h2>Strength</h2>{plot.svg()}'
        '<p class="key">Share of the starting strength. \u00d7 a unit is gone, \u25cb a unit comes under a mark.</p>'
        "</section>"
    )


def _controls(count: int, caption: str) -> str:
    buttons = "".join(
        f'<button type="button" data-go="{go}" title="{title}">{label}</button>'
        for go, label, title in (
            ("first", "\u21e4", "First"), ("turn-back", "\u00ab", "A turn back (shift and left arrow)"),
            ("back", "\u2039", "Back (left arrow)"), ("on", "\u203a", "On (right arrow)"),
            ("turn-on", "\u00bb", "A turn on (shift and right arrow)"), ("last", "\u21e5", "Last"),
        )
    )  # fmt: skip
    return (
        f'<figcaption><strong id="caption" aria-live="polite">{caption}</strong>'
        f'<span class="controls" hidden>{buttons}'
        f'<input type="range" id="slider" min="0" max="{max(count - 1, 0)}" value="{max(count - 1, 0)}" '
        'aria-label="Phase"></span></figcaption>'
    )


def _table(
    album: Album, sheet: Sheet, styles: dict[str, ground.Look], parts: Parts, last: dict[str, Any] | None
) -> str:
    tips = "".join(
        f'<marker id="tip{i}" class="tip s{i}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="11" '
        f'markerHeight="11" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L10 5L0 10z"/></marker>'
        for i in range(4)
    )
    cells = sorted({c for f in album.frames for c in f.cells}, key=lambda c: (c.points, c.name))
    layers = "".join(f'<g id="{n}" class="{n}">{parts.joined(last[n]) if last else ""}</g>' for n in LAYERS)
    return (
        f'<svg id="table" viewBox="{sheet.view_box()}" role="img" aria-label="The table">'
        f'<defs>{ground.definitions(styles)}{tips}<clipPath id="edge"><rect width="{WIDTH:g}" '
        f'height="{sheet.height:g}"/></clipPath></defs>'
        f"{_open_ground(sheet, layers) if not cells else ground.cells(cells, sheet) + layers}</svg>"
    )


def _open_ground(sheet: Sheet, layers: str) -> str:
    """A table without fields: its cloth, what is on it, its rim and a scale."""
    return (
        f'<rect class="cloth" width="{WIDTH:g}" height="{sheet.height:g}"/>{"".join(_ticks(sheet))}{layers}'
        f'<rect class="rim" width="{WIDTH:g}" height="{sheet.height:g}"/>{_scale_bar(sheet)}'
    )


def _step(sheet: Sheet) -> float:
    """The distance of ticks: a round figure, so that the long edge has six to fifteen."""
    longest = max(sheet.width, sheet.depth)
    step = 0.1
    for factor in (2.0, 2.5, 2.0) * 8:
        if longest / step <= 13:
            break
        step *= factor
    return step


def _ticks(sheet: Sheet) -> Iterator[str]:
    """Ticks with figures along the near and the left edge."""
    step, h = _step(sheet), sheet.height
    marks = []
    for i in range(int(sheet.width / step) + 1):
        x = i * step * sheet.scale
        marks.append(((x, h), (x, h + 8)))
        yield f'<text class="tick" x="{x:.0f}" y="{h + 24:.0f}" text-anchor="middle">{i * step:g}</text>'
    for i in range(int(sheet.depth / step) + 1):
        y = h - i * step * sheet.scale
        marks.append(((0.0, y), (-8.0, y)))
        yield f'<text class="tick" x="-12" y="{y + 5:.0f}" text-anchor="end">{i * step:g}</text>'
    yield f'<path class="tick" d="{path_of(marks, closed=False)}"/>'


def _scale_bar(sheet: Sheet) -> str:
    length = _step(sheet)
    wide = length * sheet.scale
    x, y = WIDTH - wide, -12.0
    return (
        f'<g class="scale"><path d="M{x:.0f} {y - 4:.0f}v8M{x:.0f} {y:.0f}h{wide:.0f}m0-4v8"/>'
        f'<text x="{x - 8:.0f}" y="{y + 5:.0f}" text-anchor="end">'
        f"{length:g} {text(sheet.unit)}</text></g>"
    )


def _turns(album: Album) -> str:
    """The list of turns, each with its phases; without scripts the links lead to the log."""
    turns: dict[str, list[tuple[int, Frame]]] = {}
    for i, frame in enumerate(album.frames):
        turns.setdefault(frame.turn_title, []).append((i, frame))
    rows = "".join(
        f"<li><b>{text(title)}</b> "
        + "".join(
            f'<a href="#p{i}" class="{"q" if f.quiet else ""}" title="{text(f.title)}">{k}</a>'
            for k, (i, f) in enumerate(shots, 1)
        )
        + "</li>"
        for title, shots in turns.items()
    )
    return f'<nav><ol class="turns">{rows}</ol></nav>'


def _legend(battle: Battle, album: Album, styles: dict[str, ground.Look]) -> str:
    def swatch(drawing: str) -> str:
        return f'<svg class="swatch" viewBox="0 0 34 20" aria-hidden="true">{drawing}</svg>'

    sides = "".join(
        "<li>"
        + swatch(
            f'<g class="u s{colours(i)}"><path class="o" d="M5 8h24v10h-24z"/>'
            '<path class="b" d="M6 9h6v8h-6zM14 9h6v8h-6zM22 9h6v8h-6z"/>'
            '<path class="f" d="M5 8h24"/><path class="a" d="M12 8l5-7l5 7z"/></g>'
        )
        + f"{text(s.name)}</li>"
        for i, s in enumerate(battle.sides)
    )
    bodies = [b for f in album.frames for b in f.bodies]
    seen = (
        (IN_THE_AIR, any(b.airborne for b in bodies)), (ON_ITS_WAY, any(b.aims for b in bodies)),
        (COUNTERS, any(b.pips for b in bodies)), (RISES, any(p.rises >= 1 for f in album.frames for p in f.pieces)),
    )  # fmt: skip
    signs = (*SIGNS, *(sign for sign, there in seen if there))
    extra = "".join(f"<li>{swatch(drawing)}{said}</li>" for drawing, said in signs)
    return f'<ul class="legend">{sides}{ground.legend(styles, swatch)}{extra}</ul>'


def _roster(battle: Battle, side: int, parts: Parts, last: dict[str, Any] | None) -> str:
    rows = parts.joined(last["rosters"][side]) if last else ""
    return (
        f'<table class="roster s{colours(side)}"><caption>{text(battle.sides[side].name)}</caption>'
        "<thead><tr><th>Unit</th><th>Now</th><th>Start</th><th></th><th>Marks</th></tr></thead>"
        f'<tbody id="roster{side}">{rows}</tbody></table>'
    )
