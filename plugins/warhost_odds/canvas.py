"""A sheet on which charts are drawn once and written as SVG (nothing else is needed) or as PNG (with matplotlib).

Colours are roles, those of the battle reports: `ink`, `soft`, `line`, `paper`, `s0` to `s3` for the sides (`s0b` a
lighter shade, `s0o` a pale one); a colour by its number (`#aabbcc`) stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from warhost.errors import UsageError
from warhost.output_safety import refuse_foreign, write_whole
from warhost_report.sheet import path_of, short, text

#: By what a drawing is known to be ours.
_BY = 'data-by="warhost"'

Points = Sequence[tuple[float, float]]
Anchor = Literal["start", "middle", "end"]

LIGHT = {
    "paper": "#fbfaf7", "ink": "#1d1f21", "soft": "#5f6468", "line": "#d5d2c8",
    "s0": "#12456e", "s0b": "#2b6ca3", "s0o": "#d6e6f3", "s1": "#a34a00", "s1b": "#e08a3c", "s1o": "#fff0de",
    "s2": "#00664b", "s2b": "#1f9e77", "s2o": "#d5f0e6", "s3": "#7a2a63", "s3b": "#c25fa5", "s3o": "#fbe8f4",
}  # fmt: skip
DARK = {
    "paper": "#16181a", "ink": "#e6e4dd", "soft": "#a2a6a8", "line": "#3a3e41",
    "s0": "#8cc5f5", "s0b": "#3f8fd0", "s0o": "#1b3347", "s1": "#ffb46b", "s1b": "#d9822b", "s1o": "#55351a",
    "s2": "#6fdcb5", "s2b": "#1f9e77", "s2o": "#163a2f", "s3": "#f09ad6", "s3b": "#c25fa5", "s3o": "#4c2742",
}  # fmt: skip

FONT = 'system-ui, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif'
PER_LETTER = 0.56
"""How wide a letter is on average, in sizes of the font."""

DOTS = 2.0
"""Dots of a PNG for each unit of the sheet."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle from its left upper corner. title: what a reader sees who points at it."""

    x: float
    y: float
    wide: float
    high: float
    colour: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Polyline:
    """A line through points; thick in units of the sheet."""

    points: tuple[tuple[float, float], ...]
    colour: str
    thick: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Area:
    """A polygon, filled. opacity: 0 cannot be seen, 1 hides what lies below."""

    points: tuple[tuple[float, float], ...]
    colour: str
    opacity: float


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text. slant: degrees by which it is turned against the clock, around its anchor."""

    x: float
    y: float
    words: str
    colour: str
    anchor: Anchor
    size: float
    bold: bool
    slant: float


@dataclass(slots=True)
class Canvas:
    """A sheet of wide x high units; y runs down."""

    wide: float
    high: float
    title: str
    marks: list[Rect | Polyline | Area | Words] = field(default_factory=list)

    def rect(self, x: float, y: float, wide: float, high: float, colour: str, title: str = "") -> None:
        self.marks.append(Rect(x, y, wide, high, colour, title))

    def line(self, points: Points, colour: str, thick: float = 1.0, dashed: bool = False) -> None:
        self.marks.append(Polyline(tuple(points), colour, thick, dashed))

    def area(self, points: Points, colour: str, opacity: float = 1.0) -> None:
        self.marks.append(Area(tuple(points), colour, opacity))

    def text(
        self, x: float, y: float, words: str, colour: str = "ink", anchor: Anchor = "start", size: float = 13.0,
        bold: bool = False, slant: float = 0.0,
    ) -> None:  # fmt: skip
        self.marks.append(Words(x, y, words, colour, anchor, size, bold, slant))

    # -- SVG ----------------------------------------------------------------------------------------

    def svg(self) -> str:
        """The sheet as SVG, dark where the reader's screen is."""
        size = f"{short(self.wide)} {short(self.high)}"
        return (
            f'<svg {_BY} xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{short(self.wide)}" '
            f'height="{short(self.high)}" role="img" aria-label="{text(self.title)}">'
            f"<title>{text(self.title)}</title><style>{_style()}</style>"
            f'<rect width="100%" height="100%" fill="var(--paper)"/>{"".join(map(_svg_of, self.marks))}</svg>\n'
        )

    # -- PNG ----------------------------------------------------------------------------------------

    def png(self) -> bytes:
        """The sheet as PNG. Raises UsageError when matplotlib is not installed."""
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError as error:
            needed = "PNG needs matplotlib, which is not installed: `pip install 'warhost[plots]'`, or write an .svg"
            raise UsageError(needed) from error
        import io

        inch = 72.0
        figure = Figure(figsize=(self.wide / inch, self.high / inch), dpi=inch * DOTS, facecolor=LIGHT["paper"])
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set_xlim(0, self.wide)
        axes.set_ylim(self.high, 0)
        axes.axis("off")
        for z, mark in enumerate(self.marks, start=1):
            _png_of(mark, axes, z)
        out = io.BytesIO()
        about = {"Software": "Warhost", "Title": self.title}
        figure.savefig(out, format="png", facecolor=LIGHT["paper"], metadata=about)
        return out.getvalue()


def _style() -> str:
    def variables(colours: dict[str, str]) -> str:
        return ";".join(f"--{name}:{colour}" for name, colour in colours.items())

    dark = f"@media (prefers-color-scheme:dark){{:root{{{variables(DARK)}}}}}"
    return f":root{{{variables(LIGHT)}}}{dark}text{{font-family:{FONT.replace(chr(34), chr(39))}}}"


def _var(colour: str) -> str:
    return colour if colour.startswith("#") else f"var(--{colour})"


def _svg_of(mark: Rect | Polyline | Area | Words) -> str:
    if isinstance(mark, Rect):
        place = f'x="{short(mark.x)}" y="{short(mark.y)}" width="{short(mark.wide)}" height="{short(mark.high)}"'
        title = f"<title>{text(mark.title)}</title>" if mark.title else ""
        return f'<rect {place} fill="{_var(mark.colour)}">{title}</rect>'
    if isinstance(mark, Polyline):
        dashes = ' stroke-dasharray="5 4"' if mark.dashed else ""
        d = path_of([mark.points], closed=False)
        return f'<path d="{d}" fill="none" stroke="{_var(mark.colour)}" stroke-width="{mark.thick:g}"{dashes}/>'
    if isinstance(mark, Area):
        d = path_of([mark.points])
        return f'<path d="{d}" fill="{_var(mark.colour)}" fill-opacity="{mark.opacity:g}"/>'
    bold = ' font-weight="600"' if mark.bold else ""
    turned = f' transform="rotate({-mark.slant:g} {short(mark.x)} {short(mark.y)})"' if mark.slant else ""
    return (
        f'<text x="{short(mark.x)}" y="{short(mark.y)}" fill="{_var(mark.colour)}" font-size="{mark.size:g}" '
        f'text-anchor="{mark.anchor}"{bold}{turned}>{text(mark.words)}</text>'
    )


def _png_of(mark: Rect | Polyline | Area | Words, axes: Any, z: int) -> None:
    from matplotlib.patches import Polygon, Rectangle

    colour = LIGHT.get(mark.colour, mark.colour)
    if isinstance(mark, Rect):
        axes.add_patch(Rectangle((mark.x, mark.y), mark.wide, mark.high, facecolor=colour, linewidth=0, zorder=z))
    elif isinstance(mark, Polyline):
        xs, ys = zip(*mark.points, strict=True)
        axes.plot(xs, ys, color=colour, linewidth=mark.thick, linestyle="--" if mark.dashed else "-", zorder=z)
    elif isinstance(mark, Area):
        axes.add_patch(
            Polygon(mark.points, closed=True, facecolor=colour, alpha=mark.opacity, linewidth=0, zorder=z)
        )
    else:
        align = {"start": "left", "middle": "center", "end": "right"}[mark.anchor]
        axes.text(
            mark.x, mark.y, mark.words.replace("$", r"\$"), color=colour, fontsize=mark.size, ha=align, va="baseline",
            fontweight="bold" if mark.bold else "normal", rotation=mark.slant, rotation_mode="anchor", zorder=z,
        )  # fmt: skip


def check_path(path: Path) -> None:
    """Raises UsageError at once for a plot that could not be written in the end."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise UsageError(f"{path}: a plot is an .svg or a .png file")
    refuse_foreign(path, "the plot", is_plot)
    if path.suffix.lower() == ".png":
        Canvas(1.0, 1.0, "").png()


def write(canvas: Canvas, path: Path) -> None:
    """Write a chart, by the ending of the name as SVG or PNG. Raises UsageError."""
    check_path(path)
    data = canvas.png() if path.suffix.lower() == ".png" else canvas.svg().encode("utf-8")
    write_whole(path, data, "the plot", is_plot)


def is_plot(head: bytes) -> bool:
    """Whether a file that begins so is a plot of ours."""
    return (head.startswith(b"<svg ") and _BY.encode() in head) or (head.startswith(b"\x89PNG") and b"Warhost" in head)
