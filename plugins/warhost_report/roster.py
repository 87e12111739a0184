"""Rosters: the sheet that a player brings to the table for an army, as text, Markdown, HTML or JSON.

    roster = Roster.of(army, rules)
    print(roster.html())

What is illegal about the army stands on the roster, with the reason.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING, Any

from warhost.armies.legality import Mustered, Violation, check_mustered, mustered
from warhost.armies.roster import Army
from warhost.engine.setup import part_noun
from warhost.lang import ir
from warhost.lang.support import text as in_words
from warhost.packs.entries import UnitEntry
from warhost.things import noun_of, parts_of, whole_of
from warhost_armies.wording import (
    always_told,
    explained,
    figures_of,
    filled_in,
    marked,
    marks_of,
    sentence,
    sign_of,
    untold,
    value_of,
    words,
)  # fmt: skip

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from warhost.engine.entities import Effect, Entity
    from warhost.lang.program import Definition, FieldInfo
    from warhost.packs import Ruleset

_FIGURES = ("number", "fraction", "distance")
#: The least and the greatest width of a roster on the screen, in characters.
_NARROWEST, _WIDEST = 60, 100


@dataclass(frozen=True, slots=True)
class OptionTaken:
    """An option that a unit took. points: as the army list gives them, None when it gives none. flat: they are for the
    whole unit, not for each model. gives: it only adds something that is listed among what the unit bears.
    """

    id: str
    name: str
    points: int | Fraction | None
    flat: bool
    reads: str
    gives: bool

    def told(self, size: int) -> str:
        """`Banner +20`, `Spears +2 each` for a unit of several models."""
        if self.points is None:
            return self.name
        each = " each" if not self.flat and size > 1 and self.points else ""
        return f"{self.name} {'' if self.points < 0 else '+'}{in_words(self.points)}{each}"


@dataclass(frozen=True, slots=True)
class RosterUnit:
    """One unit of the roster.

    kind: the name of its profile. figures: characteristics by column; words: what else the profile says
    (`tall`, `alone`), and to whom the unit is linked. listed: by heading what the profile has several of, each in
    words, and what the manifest's `roster` adds. marks: the fields of `roster.marked` that it has. bears: what it
    bears by the plural of the kind, as `Name(2)`. reasons: the numbers of the violations that concern it, from 1.
    """

    id: str
    name: str
    kind: str
    profile: str
    size: int
    points: int
    figures: Mapping[str, str]
    words: tuple[str, ...]
    listed: Mapping[str, tuple[str, ...]]
    bears: Mapping[str, tuple[str, ...]]
    options: tuple[OptionTaken, ...]
    reasons: tuple[int, ...]
    marks: tuple[str, ...] = ()

    def details(self) -> Iterator[tuple[str, str]]:
        """What does not fit into a column, in rows with headings; options with what the army list says they cost."""
        for heading, rows in self.listed.items():
            yield heading, "; ".join(rows)
        borne = dict.fromkeys(name for names in self.bears.values() for name in names)
        if borne:
            yield "bears", ", ".join(borne)
        if self.options:
            yield "options", ", ".join(option.told(self.size) for option in self.options)


@dataclass(frozen=True, slots=True)
class Special:
    """A special rule, explained once for the whole roster. figures: its fields that differ from their defaults."""

    name: str
    kind: str
    reads: str
    figures: Mapping[str, str]
    ref: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What there is to say about it."""
        figures = ", ".join(f"{words(name)} {value}".removesuffix(" yes") for name, value in self.figures.items())
        return " ".join(part for part in (self.reads, f"({figures})" if figures and self.reads else figures) if part)


@dataclass(frozen=True, slots=True)
class Roster:
    """Everything that stands on a roster. headings: of the characteristics shown, by name, in the ruleset's order.

    legend: what the marks of its lines mean, by mark.
    """

    name: str
    army: Army
    list_name: str
    points: int
    limit: int
    headings: Mapping[str, str]
    lines: tuple[RosterUnit, ...]
    specials: tuple[Special, ...]
    violations: tuple[Violation, ...]
    ruleset: Mapping[str, Any] = field(repr=False)
    legend: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, army: Army, rules: Ruleset) -> Roster:
        """The roster of an army under a ruleset. Raises RuleFault when one of its rules goes wrong."""
        laid_out = mustered(army, rules)
        violations = tuple(check_mustered(army, rules, laid_out))
        return _Composing(army, rules, laid_out, violations).roster()

    @property
    def legal(self) -> bool:
        """Whether nothing speaks against the army."""
        return not self.violations

    def footer(self) -> list[str]:
        """The lines at the foot: what the signs mean, and the ruleset by which points and legality were computed."""
        r = self.ruleset
        lines = explained(self.legend)
        lines.append(f"{r['title']} ({r['id']}, edition {r['edition']}, digest {str(r['digest'])[:12]})")
        if r["house_rules"]:
            lines.append("House rules: " + ", ".join(str(one["title"]) for one in r["house_rules"]))
        if r["note"]:
            lines.append(str(r["note"]))
        return lines

    def headline(self) -> str:
        """`Hill folk, 540 of 600 points, allied with River folk`."""
        of = f" of {self.limit}" if self.limit else ""
        allies = f", allied with {' and '.join(ally.name for ally in self.army.allies)}" if self.army.allies else ""
        named = f"{self.list_name}, " if self.list_name else ""
        return f"{named}{self.points}{of} points{allies}"

    def reasons(self) -> list[str]:
        """Each violation as a sentence, with its remedy if there is one."""
        return [" ".join(part for part in (v.message, v.remedy) if part) for v in self.violations]

    def json(self) -> dict[str, Any]:
        """Plain data."""
        return _json(self)

    def markdown(self) -> str:
        """A page of Markdown."""
        return _markdown(self)

    def html(self) -> str:
        """One HTML page that needs nothing else and prints well."""
        return _html(self)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _rich(self, min(max(options.max_width, _NARROWEST), _WIDEST))


# -- composing ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Composing:
    army: Army
    rules: Ruleset
    laid_out: Mustered
    violations: Sequence[Violation]

    def roster(self) -> Roster:
        units = list(self.laid_out.battle.sides[0].units)
        headings = self._headings(units)
        rows = self._rows_of_list()
        lines = tuple(
            self._line(entry, unit, cost, headings, rows.get(entry.profile, []))
            for entry, unit, cost in zip(self.laid_out.army.units, units, self.laid_out.costs, strict=True)
        )
        element = self.rules.lists.get(self.army.list)
        meant = marked(self.rules)
        legend = {mark: meant[mark] for mark in meant if any(mark in line.marks for line in lines)}
        return Roster(
            self.army.name, self.army, element.name if element else self.army.list, self.laid_out.points,
            self.army.limit, headings, lines, self._specials(units, lines), tuple(self.violations),
            _about(self.rules), legend,
        )  # fmt: skip

    def _fields(self) -> list[FieldInfo]:
        fields = self.rules.program.nouns["unit"].fields.values()
        return [info for info in fields if info.profile and info.name not in untold(self.rules)]

    def _headings(self, units: Iterable[Entity]) -> dict[str, str]:
        """The figures that some unit has, with their headings (and the unit of length)."""
        present = [(unit, entry.profile) for unit, entry in zip(units, self.laid_out.army.units, strict=True)]
        found: dict[str, str] = {}
        for info in self._fields():
            if info.type.kind in _FIGURES and any(self._is_said(info, *one) for one in present):
                unit = self.rules.length_unit
                apart = f" ({unit})" if info.type.kind == "distance" and unit in ("cm", "in") else ""
                found[info.name] = words(info.name) + apart
        return found

    def _is_said(self, info: FieldInfo, unit: Entity, profile: str) -> bool:
        """Whether a unit has a figure, and not only because every unit of which nothing is said has the same."""
        value = value_of(unit, info.name)
        if info.name in always_told(self.rules):
            return value is not None and value is not False
        if not value or info.name in self.rules.profiles[profile].fields or info.default is None:
            return bool(value)
        usual = info.default.value
        return not isinstance(usual, ir.Const) or value != usual.value

    def _rows_of_list(self) -> dict[str, list[Mapping[str, Any]]]:
        element = self.rules.lists.get(self.army.list)
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for row in element.data.get("units", ()) if element else ():
            rows.setdefault(str(row["profile"]), []).append(row)
        return rows

    def _line(
        self, entry: UnitEntry, unit: Entity, cost: int, columns: Iterable[str], rows: Sequence[Mapping[str, Any]]
    ) -> RosterUnit:
        known = {str(o["id"]): o for row in rows for o in row.get("options", ())}
        reasons = tuple(n for n, v in enumerate(self.violations, start=1) if v.unit == entry.id)
        plurals = [kind.plural for kind in self.rules.program.kinds.values()]
        return RosterUnit(
            entry.id, unit.name, self.rules.profiles[entry.profile].name, entry.profile, entry.size, cost,
            {name: self._figure(unit, name) for name in columns}, (*self._words(unit), *self._links(entry)),
            self._listed(unit), self._borne(unit),
            tuple(_option(id_, known.get(id_, {}), plurals) for id_ in entry.options), reasons,
            marks_of(unit, self.rules),
        )  # fmt: skip

    def _figure(self, unit: Entity, name: str) -> str:
        """A figure in its column; a distance of 0 is a dash."""
        value = value_of(unit, name)
        if value == 0 and self.rules.program.nouns["unit"].fields[name].type.kind == "distance":
            return "-"
        return "" if value is None else in_words(value)

    def _words(self, unit: Entity) -> Iterator[str]:
        """The words that a profile gives, and the names of what it answers with yes."""
        seen: set[str] = set()
        given = self.rules.profiles[str(value_of(unit, "profile"))].fields
        price = self.rules.manifest.get("price")
        about_prices = [price.get(key) for key in ("note", "skip")] if isinstance(price, Mapping) else []
        for info in self._fields():
            is_told = info.name in given or info.name in always_told(self.rules)
            if not is_told or info.name in about_prices:
                continue
            value = value_of(unit, info.name)
            if info.type.kind == "yes_no":
                value = words(info.name) if value is True else None
            elif info.type.kind not in ("word", "text"):
                continue
            shown = words(str(value or ""))
            if shown and shown not in seen:
                seen.add(shown)
                yield shown

    def _links(self, entry: UnitEntry) -> Iterator[str]:
        """Which other units it is linked to: `rides Old Pincer`."""
        laid_out = zip(self.laid_out.army.units, self.laid_out.battle.sides[0].units, strict=True)
        names = {other.id: unit.name for other, unit in laid_out}
        for name, target in entry.links.items():
            yield f"{words(name)} {names.get(target, target)}"

    def _listed(self, unit: Entity) -> dict[str, tuple[str, ...]]:
        """The parts of a unit in words, and the definitions that the manifest wants told, by heading."""
        found: dict[str, tuple[str, ...]] = {}
        for info in self._fields():
            if part_noun(info.type, self.rules.program.nouns) is not None:
                parts = self._parts_in_words(value_of(unit, info.name) or [])
                found[words(info.name)] = tuple(
                    part if times == 1 else f"{times} x {part}" for part, times in Counter(parts).items()
                )
        for heading in self._wanted("lists"):
            found[words(heading)] = tuple(d.name for d in self._definitions(unit, heading))
        return {heading: rows for heading, rows in found.items() if rows}

    def _parts_in_words(self, parts: Iterable[Entity]) -> Iterator[str]:
        for part in parts:
            value = self._wanted("parts").get(noun_of(part))
            said = str(self._asked(value, part)) if value else ", ".join(self._figures_of_part(part))
            if said:
                own = "" if part.name.startswith(f"{whole_of(part)}, ") else f"{part.name}: "
                yield own + ", ".join([said, *(_with_args(effect) for effect in part.effects)])

    def _figures_of_part(self, part: Entity) -> Iterator[str]:
        """The figures of a part that are not nothing."""
        for info in self.rules.program.nouns[noun_of(part)].fields.values():
            value = value_of(part, info.name) if info.profile else None
            if value is True:
                yield words(info.name)
            elif value and info.type.kind in (*_FIGURES, "word", "text"):
                unit = self.rules.length_unit
                apart = f" {unit}" if info.type.kind == "distance" and unit in ("cm", "in") else ""
                yield f"{words(info.name)} {in_words(value)}{apart}"

    def _definitions(self, unit: Entity, heading: str) -> list[Any]:
        return list(self._asked(self._wanted("lists")[heading], unit) or [])

    def _wanted(self, key: str) -> dict[str, str]:
        """What the manifest's `roster` says under a key."""
        given = self.rules.manifest.get("roster")
        wanted = given.get(key) if isinstance(given, Mapping) else None
        return {str(k): str(v) for k, v in wanted.items()} if isinstance(wanted, Mapping) else {}

    def _asked(self, value: str, of: Entity) -> Any:
        return self.laid_out.battle.code.number(value)(self.laid_out.battle, of)

    def _borne(self, unit: Entity) -> dict[str, tuple[str, ...]]:
        kinds = self.rules.program.kinds
        found: dict[str, list[str]] = {}
        for effect in unit.effects:
            plural = kinds[effect.kind].plural if effect.kind in kinds else effect.kind
            found.setdefault(plural, []).append(_with_args(effect))
        return {plural: tuple(dict.fromkeys(names)) for plural, names in found.items()}

    def _specials(self, units: Iterable[Entity], lines: Iterable[RosterUnit]) -> tuple[Special, ...]:
        """Everything borne that has something to say, each once; then the options' own sentences."""
        definitions: dict[tuple[str, str], Definition] = {}
        for unit in units:
            for effect in (*unit.effects, *(e for part in parts_of(unit) for e in part.effects)):
                definitions.setdefault((effect.kind, effect.name), effect.definition)
            for heading in self._wanted("lists"):
                for one in self._definitions(unit, heading):
                    definitions.setdefault((one.kind, one.name), one.definition)
        order = list(self.rules.program.kinds)
        found = [self._of_side(effect) for effect in self.laid_out.battle.sides[0].effects]
        found += [
            self._special(d)
            for (kind, _), d in sorted(definitions.items(), key=lambda row: (order.index(row[0][0]), row[0][1]))
        ]
        told = {(o.name, o.reads) for line in lines for o in line.options if o.reads}
        found += [Special(name, "option", reads, {}, ()) for name, reads in sorted(told)]
        return tuple(special for special in found if special.sentence)

    def _of_side(self, effect: Effect) -> Special:
        """What the whole side bears, with its own values."""
        from warhost.lang.python_backend import attribute

        d = effect.definition
        args = [getattr(effect, attribute(p.name), "") for p in d.params]
        return Special(d.title, d.kind.replace("_", " "), filled_in(d, args, self.rules), {}, tuple(d.ref))

    def _special(self, definition: Definition) -> Special:
        placed = self.rules.block(definition.kind, definition.title)
        reads = sentence(placed.block) if placed is not None else definition.reads
        params = ", ".join(p.name for p in definition.params)
        name = f"{definition.title}({params})" if params else definition.title
        return Special(name, definition.kind, reads, figures_of(definition, self.rules), tuple(definition.ref))


def _with_args(effect: Effect) -> str:
    from warhost.lang.python_backend import attribute

    args = [words(in_words(getattr(effect, attribute(p.name), ""))) for p in effect.definition.params]
    return f"{effect.name}({', '.join(args)})" if args else effect.name


def _option(id_: str, row: Mapping[str, Any], plurals: Iterable[str]) -> OptionTaken:
    return OptionTaken(
        id_, str(row.get("name", words(id_).capitalize())), row.get("points"), bool(row.get("flat")),
        str(row.get("reads", "")), any(row.get(plural) for plural in plurals),
    )  # fmt: skip


def _about(rules: Ruleset) -> dict[str, Any]:
    layers = [layer for layer in rules.layers if layer.kind == "house"]
    book = rules.manifest.get("book") or {}
    return {
        "id": rules.id, "title": rules.title, "edition": rules.edition, "digest": rules.digest,
        "house_rules": [{"id": layer.id, "title": layer.title} for layer in layers],
        "note": str(book.get("note") or "").strip(),
    }  # fmt: skip


# -- JSON ---------------------------------------------------------------------------------------


def _json(roster: Roster) -> dict[str, Any]:
    return {
        "army": {
            "id": roster.army.id, "name": roster.name, "list": roster.army.list, "points": roster.points,
            "limit": roster.limit,
        },
        "legal": roster.legal,
        "violations": [v.to_json() for v in roster.violations],
        "columns": list(roster.headings),
        "units": [
            {
                "id": line.id, "name": line.name, "kind": line.kind, "profile": line.profile, "size": line.size,
                "points": line.points, "figures": dict(line.figures), "words": list(line.words),
                "marks": list(line.marks),
                "listed": {heading: list(rows) for heading, rows in line.listed.items()},
                "bears": {plural: list(names) for plural, names in line.bears.items()},
                "options": [{"id": o.id, "name": o.name, "points": o.points, "flat": o.flat} for o in line.options],
                "illegal": [roster.violations[n - 1].message for n in line.reasons],
            }
            for line in roster.lines
        ],
        "special_rules": [
            {"name": s.name, "kind": s.kind, "reads": s.reads, "figures": dict(s.figures), "ref": list(s.ref)}
            for s in roster.specials
        ],
        "legend": dict(roster.legend),
        "ruleset": dict(roster.ruleset),
    }  # fmt: skip


# -- on the screen ------------------------------------------------------------------------------


def _mark(line: RosterUnit) -> str:
    """`!1 !3`: the reasons why a unit is illegal."""
    return " ".join(f"!{n}" for n in line.reasons)


def _named(roster: Roster, line: RosterUnit) -> str:
    """The name of a unit with the signs of its marks."""
    return line.name + "".join(f" {sign_of(mark, roster.legend)}" for mark in line.marks)


def _subtitle(line: RosterUnit) -> str:
    """What the unit is, beyond its name (which may be numbered)."""
    plain_name = re.sub(r" \d+$", "", line.name)
    kind = [line.kind] if line.kind not in (line.name, plain_name) else []
    return ", ".join([*kind, *line.words])


def _rich(roster: Roster, width: int) -> Iterator[Any]:
    from rich.text import Text

    yield Text(roster.name, style="bold")
    yield Text(roster.headline() + ("" if roster.legal else ", ILLEGAL"), style="" if roster.legal else "red")
    for n, reason in enumerate(roster.reasons(), start=1):
        yield Text("\n".join(textwrap.wrap(f"  !{n} {reason}", width, subsequent_indent="     ")), style="red")
    yield Text()
    yield from _table(roster, width)
    if roster.specials:
        yield Text()
    for special in roster.specials:
        said = f"{special.name} ({special.kind}): {special.sentence}"
        text = Text("\n".join(textwrap.wrap(said, width, subsequent_indent="    ")))
        text.stylize("bold", 0, len(special.name))
        yield text
    yield Text()
    for footer in roster.footer():
        yield Text("\n".join(textwrap.wrap(footer, width)), style="dim")


def _table(roster: Roster, width: int) -> Iterator[Any]:
    """Units with their figures in columns; below each over the whole width what does not fit into columns."""
    from rich.text import Text

    models = sum(line.size for line in roster.lines)
    heads = [h.split() for h in ("models", *roster.headings.values(), "points")]
    rows = [[str(x.size), *(x.figures[c] for c in roster.headings), str(x.points)] for x in roster.lines]
    foot = [str(models), *("" for _ in roster.headings), str(roster.points)]
    wide = [max(map(len, (*head, *cells))) for head, *cells in zip(heads, *rows, foot, strict=True)]
    first = max(width - sum(wide) - 2 * len(wide), 12)
    first = min(first, max([18, *(len(_marked(roster, x)) for x in roster.lines)]))

    def row(name: str, cells: Sequence[str]) -> str:
        return name.ljust(first) + "".join(f"  {c.rjust(w)}" for c, w in zip(cells, wide, strict=True))

    tall = max(map(len, heads))
    for n in range(tall):
        shown = [head[n - tall + len(head)] if n >= tall - len(head) else "" for head in heads]
        yield Text(row("unit" if n == tall - 1 else "", shown), style="bold")
    rule = "\u2500" * (first + sum(wide) + 2 * len(wide))
    yield Text(rule)
    said_before: object = None
    for line, cells in zip(roster.lines, rows, strict=True):
        name, *more = textwrap.wrap(_marked(roster, line), first)
        yield Text(row(name, cells), style="red" if line.reasons else "")
        yield from (Text(f"  {part}") for part in more)
        same, said_before = said_before, (line.profile, line.words, tuple(line.details()))
        if said_before == same:  # the same words once more tell nobody anything
            continue
        if _subtitle(line):
            yield from _indented("", _subtitle(line), width)
        for heading, said in line.details():
            yield from _indented(f"{heading}: ", said, width)
    yield Text(rule)
    yield Text(row("total", foot), style="bold")


def _marked(roster: Roster, line: RosterUnit) -> str:
    return f"{_named(roster, line)} {_mark(line)}".rstrip()


def _indented(heading: str, said: str, width: int) -> Iterator[Any]:
    from rich.text import Text

    for text in textwrap.wrap(heading + said, width, initial_indent="    ", subsequent_indent="      "):
        yield Text(text, style="dim")


# -- Markdown -----------------------------------------------------------------------------------


def _md(value: object) -> str:
    """Text in a cell of a table."""
    text = str(value)
    for sign in "\\`*_<>[]|":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())


def _markdown(roster: Roster) -> str:
    lines = [f"# {_md(roster.name)}", "", f"{_md(roster.headline())}{'' if roster.legal else ', **ILLEGAL**'}", ""]
    for n, reason in enumerate(roster.reasons(), start=1):
        lines.append(f"{n}. **{_md(reason)}**")
    if roster.violations:
        lines.append("")
    heads = ["Unit", "Models", *(h.capitalize() for h in roster.headings.values()), "Further", "Points"]
    lines += [_md_row(heads), _md_row(["---", "--:", *("--:" for _ in roster.headings), "---", "--:"], plain=True)]
    for line in roster.lines:
        name = f"**{_md(_named(roster, line))}**" + (f" ({_md(_subtitle(line))})" if _subtitle(line) else "")
        if line.reasons:
            name += f" **illegal: see {', '.join(map(str, line.reasons))}**"
        figures = [line.figures[column] for column in roster.headings]
        borne = "<br>".join(f"{_md(heading)}: {_md(said)}" for heading, said in line.details())
        cells = [*(_md(c) for c in (line.size, *figures)), borne, _md(line.points)]
        lines.append(_md_row([name, *cells], plain=True))
    totals = ["**total**", sum(line.size for line in roster.lines), *("" for _ in roster.headings), "", roster.points]
    lines.append(_md_row(totals, plain=True))
    if roster.specials:
        lines += ["", "## Special rules", ""]
        lines += [f"- **{_md(s.name)}** ({_md(s.kind)}): {_md(s.sentence)}" for s in roster.specials]
    lines += ["", "---", "", *(f"*{_md(one)}*  " for one in roster.footer())]
    return "\n".join(lines) + "\n"


def _md_row(cells: Sequence[object], plain: bool = False) -> str:
    return "| " + " | ".join(str(c) if plain else _md(c) for c in cells) + " |"


# -- HTML ---------------------------------------------------------------------------------------

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 Georgia, "Times New Roman", serif; color: #222; background: #fff; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { margin: 0; font-size: 1.9rem; } h2 { font-size: 1.15rem; margin: 1.6rem 0 .4rem; }
.headline { margin: .1rem 0 1rem; color: #555; }
.illegal { border: 2px solid #a11; background: #fdf1f0; padding: .5rem .8rem; margin: 1rem 0; }
.illegal strong { color: #a11; } .illegal ol { margin: .3rem 0 0; padding-left: 1.4rem; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th { text-align: left; vertical-align: bottom; border-bottom: 2px solid #333; padding: .2rem .45rem; font-weight: 600; }
td { vertical-align: top; border-bottom: 1px solid #ddd; padding: .3rem .45rem; }
.n { text-align: right; font-variant-numeric: tabular-nums; }
tr.more td { padding-top: 0; padding-left: 1.4rem; font-size: .88rem; } tr.more b { color: #666; font-weight: 400; }
tr:has(+ tr.more) td { border-bottom: 0; padding-bottom: .1rem; }
td small { display: block; color: #666; } tfoot td { border-bottom: 0; border-top: 2px solid #333; font-weight: 600; }
tr.wrong td { background: #fdf1f0; } tr.wrong small.why { color: #a11; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { font-weight: 600; } dt small { font-weight: 400; color: #666; } dd { margin: 0; }
footer { margin-top: 2rem; border-top: 1px solid #ccc; padding-top: .5rem; color: #666; font-size: .82rem; }
@media (max-width: 34rem) { dl { display: block; } }
@media print { body { margin: 0; max-width: none; font-size: 11px; } tr, dl > * { break-inside: avoid; } }
"""


def _html(roster: Roster) -> str:
    parts = [
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(roster.name)}</title>", f"<style>{_STYLE}</style>", "</head>", "<body>",
        f"<h1>{escape(roster.name)}</h1>", f'<p class="headline">{escape(roster.headline())}</p>',
        *_html_reasons(roster), *_html_table(roster), *_html_specials(roster),
        "<footer>" + "<br>".join(escape(one) for one in roster.footer()) + "</footer>", "</body>", "</html>",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _html_reasons(roster: Roster) -> Iterator[str]:
    if roster.legal:
        return
    items = "".join(f"<li>{escape(reason)}</li>" for reason in roster.reasons())
    yield f'<div class="illegal"><strong>This army is illegal.</strong><ol>{items}</ol></div>'


def _html_table(roster: Roster) -> Iterator[str]:
    heads = "".join(f'<th class="n">{escape(h)}</th>' for h in roster.headings.values())
    yield "<table>"
    heads = f'<th>unit</th><th class="n">models</th>{heads}<th class="n">points</th>'
    yield f"<thead><tr>{heads}</tr></thead>"
    yield "<tbody>"
    for line in roster.lines:
        yield _html_line(roster, line)
    yield "</tbody>"
    models = sum(line.size for line in roster.lines)
    empty = "<td></td>" * len(roster.headings)
    yield f'<tfoot><tr><td>total</td><td class="n">{models}</td>{empty}<td class="n">{roster.points}</td></tr></tfoot>'
    yield "</table>"


def _html_line(roster: Roster, line: RosterUnit) -> str:
    under = f"<small>{escape(_subtitle(line))}</small>" if _subtitle(line) else ""
    all_reasons = roster.reasons()
    why = "".join(f'<small class="why">Illegal: {escape(all_reasons[n - 1])}</small>' for n in line.reasons)
    figures = "".join(f'<td class="n">{escape(line.figures[c])}</td>' for c in roster.headings)
    wrong = ' class="wrong"' if line.reasons else ""
    details = "".join(f"<div><b>{escape(h)}</b> {escape(said)}</div>" for h, said in line.details())
    more = f'<tr class="more"><td colspan="{len(roster.headings) + 3}">{details}</td></tr>' if details else ""
    return (
        f'<tr{wrong}><td>{escape(_named(roster, line))}{under}{why}</td><td class="n">{line.size}</td>{figures}'
        f'<td class="n">{line.points}</td></tr>{more}'
    )


def _html_specials(roster: Roster) -> Iterator[str]:
    if not roster.specials:
        return
    yield "<h2>Special rules</h2>"
    yield "<dl>"
    for s in roster.specials:
        yield f"<dt>{escape(s.name)} <small>{escape(s.kind)}</small></dt><dd>{escape(s.sentence)}</dd>"
    yield "</dl>"
