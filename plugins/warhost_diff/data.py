"""Data compared figure by figure: profiles, tables, army lists, scenarios, ready armies, the manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from warhost.lang.place import NOWHERE, Pos
from warhost.lang.support import text
from warhost.packs.entries import to_plain
from warhost_armies.wording import words
from warhost_diff.blocks import ReadRules
from warhost_diff.difference import By, ChangedLine, ChangedThing

if TYPE_CHECKING:
    from warhost.packs.data import DataTable, Element, Profile

Fact: TypeAlias = tuple[str, Pos]
"""A figure as people read it, and where it stands."""

_UNTOLD = frozenset({"ref", "summary", "kind", "id", "amend", "replace"})


def shown(value: Any) -> str:
    """A value of the data for people: `1, 2`; `Ball: attacks 1, skill 2` for a record with a name."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return ("; " if any(isinstance(one, Mapping) for one in value) else ", ").join(map(shown, value)) or "none"
    if isinstance(value, Mapping):
        name = f"{value['name']}: " if "name" in value else ""
        return name + ", ".join(f"{words(str(k))} {shown(v)}" for k, v in value.items() if k != "name")
    return text(value)


def _flat(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The figures of nested data by their paths; the items of a list by their id or name, else by number."""
    if isinstance(value, Mapping) and value:
        for key, below in value.items():
            if not path and key in _UNTOLD:
                continue
            yield from _flat(below, (*path, words(str(key))))
    elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
        for n, one in enumerate(value, start=1):
            named = (one.get("id") or one.get("profile") or one.get("name")) if isinstance(one, Mapping) else None
            yield from _flat(one, (*path, str(named or n)))
    else:
        yield path, shown(value)


def _figures(before: Any, after: Any, place: tuple[str, str]) -> tuple[ChangedLine, ...]:
    """The figures of two pieces of nested data that are not the same."""
    old, new = dict(_flat(to_plain(before))), dict(_flat(to_plain(after)))
    return tuple(
        ChangedLine(": ".join(path), old.get(path), new.get(path), *place)
        for path in dict.fromkeys([*old, *new])
        if old.get(path) != new.get(path)
    )


def _where(side: ReadRules, history: Sequence[Any], pos: Pos = NOWHERE) -> tuple[str, str]:
    """The layer and place of a figure; of its element's last change when it has none of its own."""
    if pos.file:
        return side.layer(pos), side.place(pos)
    return history[-1].layer.id, side.place(history[-1].pos)


# -- units ------------------------------------------------------------------------------------------

UNITS = "Units"


def changed_profiles(a: ReadRules, b: ReadRules, only: str = "") -> Iterator[ChangedThing]:
    """Unit by unit; those that change in just the same way are told together. only: the id of the one that is asked
    for, "" for all.
    """
    was, now = ({k: v for k, v in side.rules.profiles.items() if only in ("", k)} for side in (a, b))
    titles = _new_titles(a, b)
    groups: dict[tuple[ChangedLine, ...], list[Profile]] = {}
    for id_, profile in now.items():
        if id_ not in was:
            yield _whole_profile(b, profile, "added")
        elif lines := _profile_lines(b, _facts(was[id_], titles), profile):
            groups.setdefault(lines, []).append(profile)
    for id_, profile in was.items():
        if id_ not in now:
            yield _whole_profile(a, profile, "removed")
    for lines, profiles in groups.items():
        first = profiles[0]
        by = tuple(dict.fromkeys(By(line.layer, "changed", line.place) for line in lines))
        also = tuple(profile.name for profile in profiles[1:])
        yield ChangedThing(UNITS, "profile", first.id, first.name, "changed", lines, book=(), by=by, also=also)


def _new_titles(a: ReadRules, b: ReadRules) -> dict[tuple[str, str], str]:
    """What definitions of a are called in b, by the plural of their kind and their title, where that is otherwise."""
    renamed = [one for one in b.rules.placed if any(change.what == "renamed" for change in one.history)]
    titles = {}
    for one in renamed:
        kind = b.rules.vocabulary.kinds.get(one.kind)
        old = next((old for old in a.rules.placed if old.kind == one.kind and old.block.pos == one.block.pos), None)
        if kind is not None and old is not None:
            titles[kind.plural, old.name] = one.name
    return titles


def _only_renamed(line: ChangedLine, titles: Mapping[tuple[str, str], str]) -> bool:
    """Whether a figure of a list differs only by the new titles of what it names."""
    if line.before is None or line.after is None or not titles:
        return False
    plural = line.label.rpartition(": ")[2]
    named = (one.partition("(") for one in line.before.split(", "))
    return ", ".join(titles.get((plural, name), name) + paren + rest for name, paren, rest in named) == line.after


def _facts(profile: Profile, titles: Mapping[tuple[str, str], str] = MappingProxyType({})) -> dict[str, Fact]:
    """Figures with their places. titles: new titles of what it bears."""
    facts = {name: (shown(to_plain(value)), profile.fields.pos(name)) for name, value in profile.fields.items()}
    facts["name"] = (profile.name, profile.pos)
    for plural, bearings in profile.bears.items():
        if bearings:
            named = (replace(one, name=titles.get((plural, one.name), one.name)) for one in bearings)
            facts[plural] = (", ".join(map(str, named)), bearings[0].pos)
    return {name: fact for name, fact in facts.items() if name != "ref"}


def _profile_lines(b: ReadRules, old: Mapping[str, Fact], after: Profile) -> tuple[ChangedLine, ...]:
    new = _facts(after)
    lines = []
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name, (None, NOWHERE)), new.get(name, (None, NOWHERE))
        if was[0] != now[0]:
            lines.append(ChangedLine(words(name), was[0], now[0], *_where(b, after.history, now[1])))
    return tuple(lines)


def _whole_profile(side: ReadRules, profile: Profile, what: str) -> ChangedThing:
    layer, place = _where(side, profile.history)
    added = what == "added"
    lines = tuple(
        ChangedLine(words(name), None if added else said, said if added else None, layer, place)
        for name, (said, _) in _facts(profile).items()
        if name != "name"
    )
    by = side.by(profile.history) if what == "added" else ()
    return ChangedThing(UNITS, "profile", profile.id, profile.name, what, lines, by=by)


# -- tables -----------------------------------------------------------------------------------------


def changed_tables(a: ReadRules, b: ReadRules, only: str = "") -> Iterator[ChangedThing]:
    """Cell by cell. only: the id of the one that is asked for, "" for all."""
    was, now = ({k: v for k, v in side.rules.tables.items() if only in ("", k)} for side in (a, b))
    for id_ in dict.fromkeys([*was, *now]):
        old, new = was.get(id_), now.get(id_)
        lines = tuple(_cells(b if new is not None else a, old, new))
        if not lines:
            continue
        what = "added" if old is None else "removed" if new is None else "changed"
        by = b.by(new.history[1:] or new.history) if new is not None else ()
        yield ChangedThing("Tables", "table", id_, words(id_).capitalize(), what, lines, by=by)


def _cells(side: ReadRules, old: DataTable | None, new: DataTable | None) -> Iterator[ChangedLine]:
    was, now = _table_facts(old), _table_facts(new)
    there = new or old
    assert there is not None
    for keys in dict.fromkeys([*was, *now]):
        if was.get(keys) != now.get(keys):
            pos = there.pos_of(keys) if keys in now else NOWHERE
            label = ", ".join(words(str(key)) for key in keys) or "everything else"
            yield ChangedLine(label, was.get(keys), now.get(keys), *_where(side, there.history, pos))


def _table_facts(table: DataTable | None) -> dict[tuple[Any, ...], str]:
    if table is None:
        return {}
    facts = {keys: shown(to_plain(value)) for keys, value in table.cells.items()}
    return {**facts, (): shown(to_plain(table.otherwise))} if table.has_otherwise else facts


# -- lists, scenarios, ready armies -----------------------------------------------------------------

LISTS = "Army lists"
SCENARIOS = "Scenarios"
ARMIES = "Ready armies"


def changed_elements(a: ReadRules, b: ReadRules) -> Iterator[ChangedThing]:
    """Army lists, scenarios and ready armies, figure by figure."""
    for section, kind in ((LISTS, "lists"), (SCENARIOS, "scenarios"), (ARMIES, "armies")):
        was, now = getattr(a.rules, kind), getattr(b.rules, kind)
        for id_ in dict.fromkeys([*was, *now]):
            change = _element(a, b, section, was.get(id_), now.get(id_))
            if change is not None:
                yield change


def _element(a: ReadRules, b: ReadRules, section: str, old: Element | None, new: Element | None) -> ChangedThing | None:
    there = new if new is not None else old
    assert there is not None
    side = b if new is not None else a
    what = "added" if old is None else "removed" if new is None else "changed"
    was, now = (str(one.data.get("summary") or "") if one is not None else "" for one in (old, new))
    by = side.by(there.history[1:] or there.history) if new is not None else ()
    lines: tuple[ChangedLine, ...] = ()
    if section == LISTS:
        lines = _list_lines(a, b, old, new)
    elif what == "changed":
        lines = _figures(old.data if old else {}, new.data if new else {}, _where(side, there.history))
    if what == "changed" and not lines and was == now:
        return None
    return ChangedThing(section, there.kind, there.id, there.name, what, lines, was, now, by=by)


def _list_lines(a: ReadRules, b: ReadRules, old: Element | None, new: Element | None) -> tuple[ChangedLine, ...]:
    """Row by row, each by the name of its unit; what the list requires in its own sentences."""
    if old is None or new is None:
        return ()
    place, titles = _where(b, new.history), _new_titles(a, b)
    lines: list[ChangedLine] = []
    was, now = _rows(old), _rows(new)
    for key in dict.fromkeys([*was, *now]):
        name = _name_of(b if key in now else a, key[0]) + (f" ({key[1]})" if key[1] else "")
        if key not in now:
            lines.append(ChangedLine(name, "may be taken", "no more", *place))
        elif key not in was:
            lines.append(ChangedLine(name, None, shown(_told_row(now[key])) or "may be taken", *place))
        else:
            lines += [
                ChangedLine(f"{name}: {line.label}", line.before, line.after, line.layer, line.place)
                for line in _figures(was[key], now[key], place) if not _only_renamed(line, titles)
            ]
    required = [_required(side, one) for side, one in ((a, old), (b, new))]
    lines += [ChangedLine("", said, None, *place) for said in required[0] if said not in required[1]]
    lines += [ChangedLine("", None, said, *place) for said in required[1] if said not in required[0]]
    was_else, now_else = (_beside_rows(one) for one in (old, new))
    return (*lines, *_figures(was_else, now_else, place))


def _beside_rows(element: Element) -> dict[str, Any]:
    return {k: v for k, v in element.data.items() if k not in ("units", "require", "changes")}


def _rows(element: Element) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The rows by profile; a second row of the same profile has a number."""
    found: dict[tuple[str, int], Mapping[str, Any]] = {}
    for row in element.data.get("units", ()):
        profile, n = str(row.get("profile")), 0
        while (profile, n) in found:
            n = n + 2 if n == 0 else n + 1
        found[profile, n] = {k: v for k, v in row.items() if k not in ("profile", "ref")}
    return found


def _told_row(row: Mapping[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = to_plain(row)
    if "options" in told:
        told["options"] = [option.get("name", option["id"]) for option in told["options"]]
    return told


def _name_of(side: ReadRules, profile: str) -> str:
    known = side.rules.profiles.get(profile)
    return known.name if known is not None else words(profile)


def _required(side: ReadRules, element: Element) -> list[str]:
    from warhost.armies.requirements import in_words

    return [in_words(one, side.rules) for one in element.data.get("require", ())]


# -- the ruleset itself -----------------------------------------------------------------------------

ADOPTED = "House rules that are part of this edition"

_MANIFEST = ("title", "edition", "length_unit", "plugins", "libraries", "sides", "price", "odds", "book", "demo")


def changed_manifest(a: ReadRules, b: ReadRules) -> Iterator[ChangedThing]:
    """What the ruleset says of itself, and the house rules that it offers."""
    old, new = ({key: side.rules.manifest.get(key) for key in _MANIFEST} for side in (a, b))
    inherits = b.rules.manifest.get("extends") is not None or a.rules.manifest.get("extends") is not None
    told = [{k: v for k, v in one.items() if v is not None} for one in (old, new)]
    if inherits:  # what an edition does not say again is the other's
        told = [{k: v for k, v in one.items() if k in told[0] and k in told[1]} for one in told]
    lines = _figures(told[0], told[1], ("", ""))
    if lines:
        yield ChangedThing("The ruleset", "ruleset", b.rules.id, b.rules.title, "changed", lines)
    yield from _offers(a, b)
    yield from _book(a, b)


def _offers(a: ReadRules, b: ReadRules) -> Iterator[ChangedThing]:
    was, now = a.rules.house_rules, b.rules.house_rules
    adopted = {str(id_) for manifest in b.rules.manifests for id_ in manifest.get("adopts") or ()}
    for id_ in dict.fromkeys([*was, *now]):
        if (id_ in was) == (id_ in now):
            continue
        offer, what = (now[id_], "added") if id_ in now else (was[id_], "removed")
        if id_ in adopted:
            yield ChangedThing(ADOPTED, "house rule", id_, offer.title, "adopted", (), "", offer.reads)
            continue
        yield ChangedThing(
            "House rules on offer", "house rule", id_, offer.title, what, (),
            offer.reads if what == "removed" else "", offer.reads if what == "added" else "",
        )  # fmt: skip


def _book(a: ReadRules, b: ReadRules) -> Iterator[ChangedThing]:
    """The index of the book: rules that are new, gone, called otherwise, or no more left out."""
    was, now = a.rules.rulebook, b.rules.rulebook
    for id_ in dict.fromkeys([*was, *now]):
        old, new = was.get(id_), now.get(id_)
        there = new or old
        assert there is not None
        facts = [{"title": r.title, "left out": r.ruled_out or "no"} if r is not None else {} for r in (old, new)]
        if facts[0] == facts[1]:
            continue
        what = "added" if old is None else "removed" if new is None else "changed"
        place = (b.layer(there.pos), b.place(there.pos))
        lines = _figures(facts[0], facts[1], place) if what == "changed" else ()
        yield ChangedThing("The index of the book", "rule of the book", id_, there.title, what, lines)
