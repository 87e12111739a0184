"""Catalogues as profiles, traits and army lists; and what of them has no counterpart."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any
from xml.etree.ElementTree import Element

from warhost.errors import UsageError, did_you_mean
from warhost_battlescribe.links import CatalogueEntry, Catalogues, figure
from warhost_battlescribe.reading import Document

#: Entries in entries in entries: whoever nests deeper goes in a circle.
DEEPEST = 12

#: What a characteristic looks like that is a number of the rules: 4, 4.5, 4+, 4" and so on.
_NUMBER = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(\+|\"|'{1,2}|\u201d|cm|in)?", re.ASCII)
#: And one that says that there is none.
_NOTHING = ("", "-", "\u2013", "\u2014", "n/a", "*")


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What whoever imports asks for. unit_profile: the profile type of units; cost: the cost type of points; text: the
    sentences of rules are taken over. None: found out.
    """

    unit_profile: str | None = None
    cost: str | None = None
    text: bool = False


@dataclass(slots=True)
class Trait:
    """A rule, a weapon, an ability: what a unit has by name. text: its sentence, if it was asked for."""

    title: str
    about: str
    text: str = ""


@dataclass(slots=True)
class ImportReport:
    """What has no counterpart: sentences by heading, each with how often it was met."""

    omitted: dict[str, Counter[str]] = field(default_factory=dict)

    def omit(self, heading: str, sentence: str) -> None:
        """Note something that is not taken over, or not as it was."""
        self.omitted.setdefault(heading, Counter())[sentence] += 1


@dataclass(slots=True)
class Imported:
    """Everything that is made. profiles: by id, characteristics by their names; lists: army lists as data.

    numbers: which characteristics are numbers; signs: what stands behind those (`"` for inches, `cm`, `+`).
    """

    system: str
    profiles: dict[str, dict[str, Any]] = field(default_factory=dict)
    lists: dict[str, dict[str, Any]] = field(default_factory=dict)
    traits: dict[str, Trait] = field(default_factory=dict)
    characteristics: list[str] = field(default_factory=list)
    numbers: set[str] = field(default_factory=set)
    signs: dict[str, list[str]] = field(default_factory=dict)
    report: ImportReport = field(default_factory=ImportReport)


def convert(library: Catalogues, options: ImportOptions) -> Imported:
    """Every catalogue of a library. Raises UsageError for options that cannot be met, and when nothing is found."""
    if not library.catalogues:
        raise UsageError("there is a game system here, but no catalogue: give its .cat files, too")
    system = library.systems[0].root.get("name") if library.systems else None
    out = Imported(clean(system or library.catalogues[0].root.get("name") or "imported"))
    if not library.systems:
        out.report.omit("Files", "The game system (.gst) was not given: names of categories and costs may be missing.")
    conversion = _Conversion(library, options, out)
    for document in library.catalogues:
        conversion.catalogue(document)
    for id_, name in library.missing.items():
        out.report.omit("Links that lead nowhere", f'"{clean(name)}" ({clean(id_)}): its file was not given')
    if not out.profiles:
        raise UsageError("no unit was found in these catalogues")
    conversion.find_numbers()
    return out


def clean(text: str) -> str:
    """Text of the data in one line, without what steers terminals or means something in texts of the rules."""
    from warhost.output_safety import harmless

    plain = " ".join(harmless(unicodedata.normalize("NFC", text)).split())
    return plain.translate({ord('"'): "'", ord("{"): "(", ord("}"): ")", ord("\\"): "/"})[:400]


def id_of(name: str, taken: Iterable[str] = (), usual: str = "x") -> str:
    """A name as an id that is not taken yet."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")[:60] or usual
    word = word if word[0].isalpha() else f"{usual}_{word}"
    taken = set(taken)
    return next(one for n in range(1, len(taken) + 2) if (one := word if n == 1 else f"{word}_{n}") not in taken)


@dataclass(slots=True)
class _Size:
    least: int = 0
    most: int | None = 0
    cost: Fraction = Fraction(0)
    found: bool = False


@dataclass(slots=True)
class _Unit:
    """What is gathered of one unit while its entries are gone through."""

    name: str
    options: list[dict[str, Any]] = field(default_factory=list)
    traits: list[str] = field(default_factory=list)
    sheet: Element | None = None
    size: _Size = field(default_factory=_Size)


class _Conversion:
    """The catalogues of one library on their way to profiles and lists."""

    def __init__(self, library: Catalogues, options: ImportOptions, out: Imported) -> None:
        self.library, self.options, self.out = library, options, out
        self.report = out.report
        self.sheets: dict[tuple[str, ...], str] = {}
        self.sheet_type = self._sheet_type()
        self.cost_type = self._cost_type()

    # -- what is what ------------------------------------------------------------------------------

    def _sheet_type(self) -> str:
        """The name of the profile type that units have."""
        seen: Counter[str] = Counter()
        for document in self.library.documents:
            for entry in document.root.iter("selectionEntry"):
                if entry.get("type") in ("unit", "model"):
                    kinds = {_type_of(p) for p in self.library.information(CatalogueEntry(entry)) if p.tag == "profile"}
                    seen.update(kinds)
        wished = self.options.unit_profile
        if wished is not None and wished not in seen:
            hint = did_you_mean(wished, seen) or f"there are: {', '.join(sorted(seen)) or 'none'}"
            raise UsageError(f'no unit has a profile of the type "{wished}"; {hint}')
        if not seen:
            raise UsageError("no unit of these catalogues has a profile")
        return wished or max(seen, key=lambda name: (seen[name], "unit" in name.lower() or "model" in name.lower()))

    def _cost_type(self) -> str:
        """The id of the cost type that stands for points."""
        known = {
            element.get("id", ""): element.get("name", "").strip()
            for document in self.library.documents
            for element in document.root.iter("costType")
        }
        if not known:
            for document in self.library.documents:
                for cost in document.root.iter("cost"):
                    known.setdefault(cost.get("typeId", ""), cost.get("name", "").strip())
        if self.options.cost is not None:
            found = next((id_ for id_, name in known.items() if name.lower() == self.options.cost.lower()), None)
            if found is None:
                there = ", ".join(known.values()) or "none"
                raise UsageError(f'there is no cost "{self.options.cost}"; there are: {there}')
            return found
        usual = ("pts", "points", "point", "pts.")
        return next((id_ for id_, name in known.items() if name.lower() in usual), next(iter(known), ""))

    # -- a catalogue ---------------------------------------------------------------------------------

    def catalogue(self, document: Document) -> None:
        """The army list of a catalogue, with the profiles and traits of its units."""
        name = clean(document.root.get("name") or document.name)
        rows: list[dict[str, Any]] = []
        for entry in self.library.roots(document):
            row = self._row(entry, name)
            if row is None:
                continue
            if any(row["profile"] == other["profile"] for other in rows):
                self.report.omit("Units offered twice", f'"{clean(entry.name)}" of {name}: the first is kept')
            else:
                rows.append(row)
        if not rows:
            self.report.omit("Catalogues", f'"{name}" has no unit, so there is no list of it')
            return
        id_ = id_of(name, self.out.lists, "list")
        made: dict[str, Any] = {"kind": "list", "id": id_, "name": name, "units": rows}
        there = {self.out.profiles[row["profile"]]["category"] for row in rows}
        if require := self._requirements(document, there):
            made["require"] = require
        self.out.lists[id_] = made
        for rule in (*_in(document.root, "rules"), *_in(document.root, "infoLinks")):
            self.report.omit("Rules of a whole army", f'"{clean(rule.get("name") or "nameless")}" of {name}')

    def _row(self, entry: CatalogueEntry, catalogue: str) -> dict[str, Any] | None:
        name = clean(entry.name)
        if entry.hidden:
            self.report.omit("Hidden entries", f'"{name}" of {catalogue}')
            return None
        unit = _Unit(name)
        self._gather(entry, unit, 0, in_model=entry.type == "model", given=True)
        if unit.sheet is None:
            if entry.type in ("unit", "model"):
                said = f'"{name}" of {catalogue} has none of the type "{self.sheet_type}"'
                self.report.omit("Units without a profile", said)
            else:
                self.report.omit("Choices of a whole army", f'"{name}" of {catalogue}')
            return None
        size = unit.size if unit.size.found else _Size(1, 1)
        row: dict[str, Any] = {"profile": self._profile(unit, entry)}
        if name != self.out.profiles[row["profile"]]["name"]:
            row["name"] = name
        row["size"] = self._size(size, name)
        row["points"] = self._points(entry, size, name)
        if limit := self._limit(entry, name):
            row["limit"] = limit
        if unit.options:
            row["options"] = unit.options
        return row

    def _size(self, size: _Size, name: str) -> dict[str, int]:
        least = max(size.least, 1)
        if size.most is not None and size.most < least:
            self.report.omit("Sizes", f'"{name}" may have at most {size.most} and needs {least}: it has {least}')
            size.most = least
        return {"min": least} if size.most is None else {"min": least, "max": size.most}

    def _points(self, entry: CatalogueEntry, size: _Size, name: str) -> int | float:
        """Points for each model. A price of the whole unit is shared by the models of the smallest one."""
        whole = self._cost(entry, name)
        each, least = size.cost, max(size.least, 1)
        if whole:
            if size.most != least:
                self.report.omit(
                    "Prices", f'"{name}" costs {_shown(whole)} for the unit besides {_shown(each)} for each model: its '
                    f"points are those of a unit of {least}",
                )  # fmt: skip
            each += whole / least
        found = _plain(each)
        if Fraction(str(found)) != each:
            self.report.omit("Prices", f'"{name}": {_shown(each)} for each model is rounded to {found}')
        return found

    def _cost(self, entry: CatalogueEntry, name: str) -> Fraction:
        found = Fraction(0)
        for cost in entry.parts("costs"):
            value = figure(cost.get("value"))
            if cost.get("typeId") == self.cost_type:
                found += value
            elif value:
                self.report.omit("Other costs", f'{_shown(value)} {clean(cost.get("name") or "?").strip()} of "{name}"')
        if found < 0:
            self.report.omit("Prices", f'"{name}" costs {_shown(found)}: it costs 0')
        return max(found, Fraction(0))

    def _limit(self, entry: CatalogueEntry, name: str) -> dict[str, int]:
        """How many such units an army may have."""
        found: dict[str, int] = {}
        for constraint in entry.parts("constraints"):
            kind, value = constraint.get("type", ""), figure(constraint.get("value"))
            counted = constraint.get("field") == "selections" and constraint.get("percentValue") != "true"
            if not counted or kind not in ("min", "max") or value.denominator != 1:
                self._omit_constraint(constraint, name)
            elif kind == "max" and value >= 0:
                found["max"] = min(found.get("max", int(value)), int(value))
            elif kind == "min" and value > 0:
                found["min"] = max(found.get("min", 0), int(value))
        return found

    def _omit_constraint(self, constraint: Element, name: str) -> None:
        kind, share = constraint.get("type", "?"), "%" if constraint.get("percentValue") == "true" else ""
        value, of = constraint.get("value", "?"), self._called(constraint.get("field", "?"))
        where = self._called(constraint.get("scope", "?"))
        self.report.omit("Constraints", f'{clean(kind)} {clean(value)}{share} {of} in {where} for "{name}"')

    def _called(self, id_: str) -> str:
        """The name of what an id means, or the word itself."""
        element = self.library.by_id.get(id_.removeprefix("limit::"))
        name = element.get("name") if element is not None else None
        if element is not None and element.tag == "constraint":
            name = f"the {element.get('type')} of {element.get('field')}"
        return clean(f"{'the limit of ' if id_.startswith('limit::') else ''}{name or id_}")

    # -- what a unit is made of ------------------------------------------------------------------------

    def _gather(self, entry: CatalogueEntry, unit: _Unit, depth: int, in_model: bool, given: bool) -> None:
        """The profile, traits, options and models of a unit. given: all of its models have what is here."""
        self._omit_modifiers(entry, unit.name)
        for found in self.library.information(entry):
            if found.tag == "profile" and _type_of(found) == self.sheet_type:
                if unit.sheet is None:
                    unit.sheet = found
                elif found is not unit.sheet and found.get("name") != unit.sheet.get("name"):
                    self.report.omit(
                        "Second profiles of a unit", f'"{clean(found.get("name") or "?")}" in "{unit.name}"'
                    )  # fmt: skip
            elif given and (title := self._trait(found)) not in unit.traits:
                unit.traits.append(title)
        if depth == 0 and entry.type == "model":
            unit.size = _Size(1, 1, Fraction(0), True)
        for child in self.library.inside(entry):
            if depth >= DEEPEST:
                self.report.omit("Circles", f'what is in "{unit.name}" is nested too deep, or in a circle')
                return
            self._child(child, unit, depth, in_model)

    def _child(self, child: CatalogueEntry, unit: _Unit, depth: int, in_model: bool) -> None:
        if child.hidden:
            self.report.omit("Hidden entries", f'"{clean(child.name)}" in "{unit.name}"')
        elif child.type == "group":
            self._group(child, unit, depth, in_model)
        elif child.type in ("model", "unit"):
            self._models(child, unit)
            self._gather(child, unit, depth + 1, True, given=True)
        else:
            self._upgrade(child, unit, depth, in_model)

    def _models(self, child: CatalogueEntry, unit: _Unit) -> None:
        least, most = self._between(child, unit.name)
        size = unit.size if unit.size.found else _Size(0, 0, Fraction(0), True)
        cost = self._cost(child, unit.name)
        if unit.size.found and cost != size.cost:
            both = f"{_shown(size.cost)} and {_shown(cost)}"
            self.report.omit("Prices", f'the models of "{unit.name}" cost differently: {both}; each costs the more')
        size.cost = max(size.cost, cost)
        size.least += least
        size.most = None if most is None or size.most is None else size.most + most
        unit.size = size

    def _between(self, entry: CatalogueEntry, name: str) -> tuple[int, int | None]:
        """How many of an entry there are where it stands."""
        least, most = 0, None
        for constraint in entry.parts("constraints"):
            value, kind = figure(constraint.get("value")), constraint.get("type")
            here = constraint.get("scope") in ("parent", "self") and constraint.get("field") == "selections"
            if not here or kind not in ("min", "max") or constraint.get("percentValue") == "true" or value % 1:
                self._omit_constraint(constraint, f"{clean(entry.name)} in {name}")
            elif kind == "min":
                least = max(least, int(value))
            elif value >= 0:
                most = int(value) if most is None else min(most, int(value))
        return least, most

    def _group(self, group: CatalogueEntry, unit: _Unit, depth: int, in_model: bool) -> None:
        children = [one for one in self.library.inside(group) if not one.hidden]
        least, most = self._between(group, unit.name)
        before, models = unit.size, any(one.type in ("model", "unit") for one in children)
        self._gather(group, unit, depth + 1, in_model, given=False)
        if models and unit.size.found:  # the group says how many models there are together
            already = before.least if before.found else 0
            unit.size.least = max(unit.size.least, already + least)
            if most is not None:
                unit.size.most = most if unit.size.most is None else min(unit.size.most, already + most)
        elif most == 1 and len(children) > 1 and not models:
            names = ", ".join(clean(one.name) for one in children)
            must = "one" if least else "one at most"
            self.report.omit("Choices of one of several", f'{must} of {names} ("{clean(group.name)}" of "{unit.name}")')

    def _upgrade(self, entry: CatalogueEntry, unit: _Unit, depth: int, in_model: bool) -> None:
        """An upgrade is an option; what every unit has for nothing belongs to the unit itself."""
        least, most = self._between(entry, unit.name)
        name, cost = clean(entry.name), self._cost(entry, f"{clean(entry.name)} of {unit.name}")
        titles = [self._trait(found) for found in self.library.information(entry) if not self._is_sheet(found)]
        if not titles:
            titles = [self._named(name, "an upgrade")]
        if least >= 1 and not cost:
            self._omit_modifiers(entry, unit.name)
            unit.traits += [title for title in titles if title not in unit.traits]
        else:
            option: dict[str, Any] = {
                "id": id_of(name, (one["id"] for one in unit.options), "option"), "name": name, "points": _plain(cost),
            }  # fmt: skip
            if not in_model:
                option["flat"] = True
            option["traits"] = list(dict.fromkeys(titles))
            unit.options.append(option)
            self._omit_modifiers(entry, unit.name)
            if most is not None and most > 1:
                self.report.omit("Options taken several times", f'"{name}" of "{unit.name}": up to {most} times')
            if least >= 1:
                self.report.omit("Options that must be taken", f'"{name}" of "{unit.name}" for {_shown(cost)}')
        for child in self.library.inside(entry):
            if depth + 1 >= DEEPEST:
                self.report.omit("Circles", f'what is in "{unit.name}" is nested too deep, or in a circle')
                return
            self._child(child, unit, depth + 1, in_model)
            if not child.hidden:
                said = f'"{clean(child.name)}" of "{name}" can be had without it in "{unit.name}"'
                self.report.omit("Options of options", said)

    def _is_sheet(self, found: Element) -> bool:
        return found.tag == "profile" and _type_of(found) == self.sheet_type

    def _trait(self, found: Element) -> str:
        """The trait that a rule, or a profile that is not the unit's, becomes."""
        name = clean(found.get("name") or "nameless")
        if found.tag == "rule":
            text = found.findtext("description") or ""
            self._omit_modifiers(CatalogueEntry(found), name)
            return self._named(name, "a rule", text)
        values = {c.get("name", ""): (c.text or "").strip() for c in _in(found, "characteristics")}
        figures = {clean(key): clean(value) for key, value in values.items() if _is_figure(value)}
        words = " ".join(value for value in values.values() if not _is_figure(value))
        about = ", ".join(f"{key} {value}" for key, value in figures.items())
        kind = clean(_type_of(found))
        if figures:
            self.report.omit(f"Figures of {kind}", f"{name}: {about} (they stand as a comment beside the trait)")
        self._omit_modifiers(CatalogueEntry(found), name)
        return self._named(name, f"{kind}{': ' + about if about else ''}", words)

    def _named(self, name: str, about: str, text: str = "") -> str:
        """A trait by its title, which has no brackets: behind those stand figures in lists."""
        title = re.sub(r"\s*[(\[<]\s*", " - ", name)
        title = re.sub(r"[)\]>,;]", "", title).strip(" -") or "Nameless"
        trait = self.out.traits.setdefault(title, Trait(title, about))
        if self.options.text and not trait.text:
            trait.text = clean(text)
        elif text.strip() and not self.options.text:
            self.report.omit("Texts of rules", f'"{title}" (--text takes texts over, if you may)')
        return title

    def _omit_modifiers(self, entry: CatalogueEntry, name: str) -> None:
        for one in (entry.body, *entry.links):
            for container in ("modifiers", "modifierGroups"):
                for top in _in(one, container):
                    for modifier in top.iter("modifier"):
                        when = " under conditions" if next(top.iter("condition"), None) is not None else ""
                        what = f"{modifier.get('type', '?')} {self._called(modifier.get('field', '?'))}"
                        value = clean(modifier.get("value") or "")[:60]
                        whose = clean(entry.name) if clean(entry.name) == name else f"{clean(entry.name)} of {name}"
                        self.report.omit("Modifiers", f"{what} {value}{when}: {whose}")

    # -- profiles --------------------------------------------------------------------------------------

    def _profile(self, unit: _Unit, entry: CatalogueEntry) -> str:
        assert unit.sheet is not None
        values = {clean(c.get("name") or "?"): clean(c.text or "") for c in _in(unit.sheet, "characteristics")}
        for name in values:
            if name not in self.out.characteristics:
                self.out.characteristics.append(name)
        categories = [clean(one) for one in self.library.categories(entry)]
        for other in categories[1:]:
            self.report.omit("Further categories", f'"{other}" of "{unit.name}"')
        category = categories[0] if categories else ""
        key = (unit.name, category, *unit.traits, *(f"{k}={v}" for k, v in values.items()))
        if key not in self.sheets:
            id_ = id_of(unit.name, self.out.profiles, "unit")
            made = {"name": unit.name, "values": values, "category": category, "traits": unit.traits}
            self.out.profiles[id_] = made
            self.sheets[key] = id_
        return self.sheets[key]

    def find_numbers(self) -> None:
        """Which characteristics are numbers: those that are one wherever they are given."""
        for name in self.out.characteristics:
            given = [p["values"].get(name, "") for p in self.out.profiles.values()]
            there = [value for value in given if value.lower() not in _NOTHING]
            if there and all(_NUMBER.fullmatch(value) for value in there):
                self.out.numbers.add(name)
                signs = sorted({_sign(value) for value in there} - {""})
                if signs:
                    self.out.signs[name] = signs
                    said = f"{name} is a number, kept without the sign {' or '.join(signs)}"
                    self.report.omit("Signs of figures", said)
                if len(there) < len(given):
                    self.report.omit("Missing figures", f"{name} is 0 where the data have none")

    def _requirements(self, document: Document, there: set[str]) -> list[dict[str, Any]]:
        """How many of each category a force has, by the first sort of force. there: categories that units have."""
        forces = [f for one in (*self.library.systems, document) for f in _in(one.root, "forceEntries")]
        for other in forces[1:]:
            self.report.omit("Further sorts of forces", f'"{clean(other.get("name") or "?")}"')
        found: list[dict[str, Any]] = []
        for link in _in(forces[0], "categoryLinks") if forces else ():
            category = clean(self.library.category(link))
            self._omit_modifiers(CatalogueEntry(link), clean(forces[0].get("name") or "?"))
            asked: dict[str, Any] = {}
            for constraint in _in(link, "constraints"):
                kind, value = constraint.get("type", ""), figure(constraint.get("value"))
                share = constraint.get("percentValue") == "true"
                counts = {"selections": "units", self.cost_type: "points"}.get(constraint.get("field", ""))
                if counts is None or share or kind not in ("min", "max") or value % 1:
                    self._omit_constraint(constraint, category)
                elif value > 0 or (kind == "max" and value == 0):
                    asked.setdefault(counts, {})[kind] = int(value)
            if asked and category not in there:
                self.report.omit("Constraints", f'of "{category}", which no unit is')
                continue
            for counts, bounds in asked.items():
                count = {} if counts == "units" else {"count": counts}
                of = {"fields": {"category": category}, "called": [f"unit of {category}", f"units of {category}"]}
                found.append({"of": of, **count, **bounds})
        return found


def _in(holder: Element, container: str) -> Iterator[Element]:
    found = holder.find(container)
    return iter(found if found is not None else ())


def _type_of(profile: Element) -> str:
    return (profile.get("typeName") or profile.get("typeId") or "profile").strip()


def _sign(value: str) -> str:
    """What stands behind a number; inches as `"`, however `clean` or the data wrote them."""
    sign = re.sub(r"[\d.\s]", "", value)
    return '"' if sign in ("'", "''", "\u201d", "in") else sign


def _is_figure(text: str) -> bool:
    """Whether a characteristic is a figure or a few words, not a sentence."""
    return 0 < len(text) <= 24 and text.lower() not in _NOTHING


def number_in(text: str) -> int | float:
    """The number in a characteristic; 0 where there is none."""
    found = _NUMBER.fullmatch(text)
    return _plain(Fraction(found[1])) if found else 0


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else round(float(value), 3)


def _shown(value: Fraction) -> str:
    return str(_plain(value))


def units_of(lists: Mapping[str, Mapping[str, Any]]) -> int:
    """How many rows there are in some lists."""
    return sum(len(made["units"]) for made in lists.values())
