"""Starts that stand on a ruleset: house rules, army lists, armies, scenarios, made from what the ruleset has.

Into a ruleset's own folder they come as files of it; beside a ruleset that is installed, as a house rule in a folder
of its own, which has the same folders inside.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from warhost.armies.roster import Army
from warhost.errors import ContentError, Problem, UsageError, did_you_mean, mistakes
from warhost.hookspecs import plain
from warhost.packs.find import MANIFEST
from warhost_new.names import GivenName, quoted
from warhost_new.starts import Start, typed
from warhost_new.writing import lay_down

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.data import Element, Profile

MOST_ROWS = 6
"""Rows of a new army list: those that a ready army has, at most so many."""


MOST_UNITS = 12
"""Units with which a legal army is tried where no ready one can be taken over."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a start stands on. ruleset: as it was typed; house: house rules below the start, as they were typed.

    joins: the folder is that of a house rule, one of these, of which the files become a part.
    """

    rules: Ruleset
    ruleset: str
    house: tuple[str, ...]
    folder: Path
    joins: bool = False

    @property
    def inside(self) -> bool:
        """Whether the folder is a ruleset's own, of which the files become a part."""
        return (self.folder / MANIFEST).is_file()

    def place(self, name: GivenName) -> Path:
        """The folder in which something of that name is begun."""
        return self.folder if self.inside or self.joins else self.folder / name.id

    def chosen(self, name: GivenName) -> str:
        """The ruleset with the start in force, as it is typed behind a command."""
        house = [f"--house {typed(one)}" for one in self.house]
        if not self.inside and not self.joins:
            house.append(f"--house {typed(self.place(name))}")
        return " ".join([typed(self.ruleset), *house])


# -- an army list -----------------------------------------------------------------------------------


def army_list(ground: Ground, name: GivenName, like: str | None) -> Start:
    """A race of one's own: profiles that build on those of another list, the list, a ready army and an example."""
    rules = ground.rules
    model = _named(rules.lists, like, "army list", rules, _usual_list(rules))
    ready = _ready_of(rules, model.id)
    problems: list[Problem] = []
    for wanted in _sets_of_rows(model, ready):
        start = _list_start(ground, name, model, wanted, ready)
        problems = problems_of(ground, start, name, army=name.id)
        if not problems:
            return start
    raise _not_here("army list", model.name, problems)


def _sets_of_rows(model: Element, ready: Element | None) -> Iterator[list[str]]:
    """Which rows to take over: those of the ready army, then all."""
    rows = [str(row["profile"]) for row in model.data.get("units", ())]
    used = [str(unit["profile"]) for unit in ready.data.get("units", ())] if ready is not None else []
    few = [row for row in rows if row in used]
    if 0 < len(few) <= MOST_ROWS:
        yield few
    yield rows


def _list_start(ground: Ground, name: GivenName, model: Element, wanted: list[str], ready: Element | None) -> Start:
    rules = ground.rules
    profiles = [rules.profiles[id_] for id_ in wanted if id_ in rules.profiles]
    renamed = _new_ids(name, profiles)
    files = {
        f"data/{name.id}.yaml": _profiles_text(name, profiles, renamed, rules),
        f"armies/list_{name.id}.yaml": _list_text(name, model, renamed),
        f"armies/{name.id}.yaml": _army_text(ground, name, model, renamed, ready),
        f"examples/{name.id}.yaml": _list_example(name, profiles[0], renamed),
    }
    other = str(next(iter((rules.manifest.get("demo") or {}).get("armies") or rules.armies), name.id))
    on = ground.chosen(name)
    ruleset = typed(ground.ruleset)
    army_of = typed(f"{ground.ruleset}:{name.id}") + on.removeprefix(ruleset)
    return Start(
        ground.place(name), files,
        (
            (f"warhost check {on}", "after each change"),
            (f"warhost test {on} -k {name.id}", "its examples"),
            (f"warhost army list {on} {name.id}", "the list as players see it"),
            (f"warhost army check {army_of}", "its ready army, is it legal?"),
            (f"warhost battle {on} --army {name.id} --army {other}", "a battle"),
        ),
    )  # fmt: skip


def _new_ids(name: GivenName, profiles: Iterable[Profile]) -> dict[str, str]:
    """The new profiles' ids by the old: without the word with which most of the old begin."""
    listed = list(profiles)
    shared, count = Counter(p.id.split("_")[0] for p in listed).most_common(1)[0]
    strip = len(listed) > 1 and count * 2 > len(listed)
    ids: dict[str, str] = {}
    for profile in listed:
        rest = profile.id.removeprefix(f"{shared}_") if strip else profile.id
        ids[profile.id] = f"{name.id}_{rest}"
    return ids


#: Words with which no name ends.
_LEADING_ON = frozenset({"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "the", "to", "with"})


def _new_names(name: GivenName, profiles: Iterable[Profile]) -> dict[str, str]:
    """Names for people by the old ids: the word that most of the old share gives way to the new name."""
    listed = list(profiles)
    counted = Counter(word for p in listed for word in {w.lower() for w in p.name.split()})
    common = {word for word, n in counted.items() if len(listed) > 1 and n * 2 > len(listed)}
    found = {}
    for profile in listed:
        rest = [w for w in profile.name.split() if w.lower() not in common] or profile.name.split()
        while len(rest) > 1 and rest[-1].lower() in _LEADING_ON:  # "marshal of the" kingdom
            rest.pop()
        found[profile.id] = f"{name.title} {' '.join(rest).lower()}"
    return found


def _profiles_text(name: GivenName, profiles: list[Profile], renamed: Mapping[str, str], rules: Ruleset) -> str:
    lines = [
        f"# The troops of {name.title}. Each takes over what the profile behind `extends` says; what it says itself is",
        "# put in the place of that. The lines behind # are what it has now: take the # away and change them.",
        "profiles:",
    ]
    called = _new_names(name, profiles)
    plurals = [kind.plural for kind in rules.vocabulary.kinds.values() if kind.bearer == "unit"]
    for profile in profiles:
        lines += [
            f"  {renamed[profile.id]}:", f"    name: {quoted(called[profile.id])}", f"    extends: {profile.id}"
        ]  # fmt: skip
        for field, value in profile.fields.items():
            lines += [f"    # {field}: {flow(value)}"]
        for plural in plurals:
            borne = [str(one) for one in profile.bears.get(plural, ())]
            lines += [f"    # {plural}: {flow(borne)}"] if borne else []
    return "\n".join(lines) + "\n"


def _list_text(name: GivenName, model: Element, renamed: Mapping[str, str]) -> str:
    lines = [
        "# Who may be taken: how many in a unit (size), how many such units (limit), what one costs (points), and what",
        f"# it may have besides (options). To begin with it is like {model.name}.",
        "kind: list",
        f"id: {name.id}",
        f"name: {quoted(name.title)}",
        "units:",
    ]
    for row in model.data.get("units", ()):
        if str(row["profile"]) in renamed:
            given = {key: value for key, value in row.items() if key != "ref"}
            lines.append(f"  - {flow({**given, 'profile': renamed[str(row['profile'])]})}")
    for key in ("side", *(k for k in model.data if k.endswith("_rules"))):
        if key in model.data:
            lines.append(f"{key}: {flow(model.data[key])}")
    lines += [
        "# What the army as a whole must be:",
        "# require:",
        f"#   - {{of: {{profiles: [{next(iter(renamed.values()))}]}}, min: 1}}",
    ]
    return "\n".join(lines) + "\n"


def _army_text(
    ground: Ground, name: GivenName, model: Element, renamed: Mapping[str, str], ready: Element | None
) -> str:
    given: Mapping[str, Any] = ready.data if ready is not None else {"units": muster(ground.rules, model, 0)}
    lines = [
        "# A ready army of the list.", "kind: army", f"id: {name.id}", f"name: {quoted(name.title)}",
        f"list: {name.id}", f"limit: {flow(given.get('limit', 0))}", "units:",
    ]  # fmt: skip
    ids = {str(unit["id"]): f"{name.id}_{i}" for i, unit in enumerate(given["units"], 1) if "id" in unit}
    for unit in given["units"]:
        profile = str(unit["profile"])
        if profile in renamed:
            body = {k: v for k, v in unit.items() if k not in ("name", "ref")}
            body["profile"] = renamed[profile]
            lines.append(f"  - {flow(_with_ids(body, ids))}")
    return "\n".join(lines) + "\n"


def _with_ids(unit: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    """A unit whose id, and those of the units that it names, are the new ones."""
    links = {key: ids.get(str(one), one) for key, one in (unit.get("links") or {}).items()}
    new = {**unit, **({"id": ids[str(unit["id"])]} if "id" in unit else {})}
    return {**new, **({"links": links} if links else {})}


def _list_example(name: GivenName, first: Profile, renamed: Mapping[str, str]) -> str:
    field, value = next(((f, v) for f, v in first.fields.items() if _is_figure(v)), ("size", 1))
    return "\n".join([
        "# Tests of the new troops: a situation, and what must be so. Add what makes them different.",
        f"- title: {quoted(f'{name.title} have the figures that they should have')}",
        "  given:",
        "    sides:",
        f"      - {{name: {quoted(name.title)}, units: [{{id: unit, profile: {renamed[first.id]}, size: 1}}]}}",
        "      - {name: Nobody, units: []}",
        f"  when: unit.{field}",
        f"  then: {{result: {value}}}",
        "",
    ])  # fmt: skip


def _is_figure(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# -- an army ----------------------------------------------------------------------------------------


def army(ground: Ground, name: GivenName, list_id: str | None, limit: int | None) -> Start:
    """A legal army of a list: that of a ready one, or with a limit of its own whatever is legal."""
    rules = ground.rules
    chosen = _named(rules.lists, list_id, "army list", rules, _usual_list(rules))
    ready = _ready_of(rules, chosen.id)
    if ready is not None and limit is None:
        units, limit = [dict(unit) for unit in ready.data["units"]], int(ready.data.get("limit", 0))
    else:
        units, limit = muster(rules, chosen, limit or 0), limit or 0
    house = "".join(f" --house {typed(one)}" for one in ground.house)
    lines = [
        f"# An army of {chosen.name}. Who else may be taken, and at what price:",
        f"#   warhost army list {typed(ground.ruleset)} {chosen.id}{house}",
        *(f"#   {row}" for row in _offered(chosen, rules)),
        "kind: army", f"id: {name.id}", f"name: {quoted(name.title)}",
    ]  # fmt: skip
    if not ground.inside:
        lines.append(f"ruleset: {quoted(_seen_from(ground.ruleset, ground.folder))}")
        if ground.house:
            lines.append(f"house_rules: {flow([_seen_from(one, ground.folder) for one in ground.house])}")
    lines += [f"list: {chosen.id}", f"limit: {limit}", "units:"]
    lines += [f"  - {flow({k: v for k, v in unit.items() if k != 'ref'})}" for unit in units]
    file = f"armies/{name.id}.yaml" if ground.inside else f"{name.id}.yaml"
    path = ground.folder / file
    other = str(next(iter(rules.armies), typed(path)))
    start = Start(
        ground.folder, {file: "\n".join(lines) + "\n"},
        (
            (f"warhost army check {typed(path)}", "is it legal?"),
            (f"warhost army show {typed(path)}", "the roster"),
            (f"warhost battle {typed(ground.ruleset)}{house} --army {typed(path)} --army {other}", "a battle"),
        ),
    )  # fmt: skip
    problems = list(_illegal(Army.from_data(yaml.safe_load(start.files[file]), rules, file), rules))
    if problems:
        raise _not_here("army", chosen.name, problems)
    return start


def _offered(chosen: Element, rules: Ruleset) -> Iterator[str]:
    for row in chosen.data.get("units", ()):
        profile = rules.profiles.get(str(row["profile"]))
        said = {k: plain(row[k]) for k in ("size", "limit", "points") if k in row}
        if row.get("options"):
            said["options"] = [str(one["id"]) for one in row["options"]]
        yield f"{row['profile']} ({profile.name if profile else '?'}): {flow(said)[1:-1]}"


def _seen_from(given: str, folder: Path) -> str:
    """A ruleset or house rule as a file in that folder names it: ids as they are, paths from there or whole."""
    path = Path(given)
    if not path.exists():
        return given
    way = Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    return way if way.startswith(".") else f"./{way}"


def muster(rules: Ruleset, chosen: Element, limit: int) -> list[dict[str, Any]]:
    """Units of a list that make a legal army: step by step what leaves the fewest objections, smallest units first."""
    rows = [
        {"profile": str(row["profile"]), "size": _least(row)}
        for row in chosen.data.get("units", ())
        if str(row["profile"]) in rules.profiles
    ]
    units: list[dict[str, Any]] = []
    objections = _objections(rules, chosen.id, units, limit)
    while rows and (objections or not units) and len(units) < MOST_UNITS:
        objections, _, at = min(
            (_objections(rules, chosen.id, [*units, row], limit), units.count(row), i) for i, row in enumerate(rows)
        )
        units = [*units, rows[at]]
    return [{"id": f"unit_{i}", **unit} for i, unit in enumerate(units, 1)]


def _least(row: Mapping[str, Any]) -> int:
    size = row.get("size", 1)
    return int(size.get("min", 1)) if isinstance(size, Mapping) else int(size)


def _objections(rules: Ruleset, list_id: str, units: list[dict[str, Any]], limit: int) -> int:
    data = {"id": "new", "name": "New", "list": list_id, "limit": limit}
    numbered = [{"id": f"unit_{i}", **unit} for i, unit in enumerate(units)]
    return len(Army.from_data({**data, "units": numbered}, rules).check(rules))


def _illegal(made: Army, rules: Ruleset) -> Iterator[Problem]:
    for violation in made.check(rules):
        yield Problem(made.file, 0, 0, "illegal", violation.message, violation.remedy or None)


# -- a scenario -------------------------------------------------------------------------------------


def scenario(ground: Ground, name: GivenName, like: str | None) -> Start:
    """A scenario with the settings and the board of another one, to be changed."""
    rules = ground.rules
    demo = (rules.manifest.get("demo") or {}).get("scenario")
    model = _named(rules.scenarios, like, "scenario", rules, str(demo or next(iter(rules.scenarios), "")))
    summary = model.data.get("summary")
    lines = [
        f"# To begin with it is {model.name} again. What a setting means: warhost explain {ground.ruleset} NAME.",
        f"id: {name.id}", f"name: {quoted(name.title)}", f"summary: {quoted(str(summary or name.title))}",
    ]  # fmt: skip
    for key, value in model.data.items():
        if key not in ("id", "name", "summary", "ref"):
            lines += list(_opened(key, value))
    files = {f"scenarios/{name.id}.yaml": "\n".join(lines) + "\n"}
    settings = {k: v for k, v in (model.data.get("settings") or {}).items() if _is_figure(v)}
    if settings:
        files[f"examples/{name.id}.yaml"] = _scenario_example(name, settings, rules)
    armies = [str(one) for one in (rules.manifest.get("demo") or {}).get("armies") or list(rules.armies)[:2]]
    on = ground.chosen(name)
    taken = " ".join(f"--army {one}" for one in armies)
    following = [(f"warhost check {on}", "after each change")]
    if settings:
        following.append((f"warhost test {on} -k {name.id}", "its examples"))
    following.append((f"warhost battle {on} {taken} --scenario {name.id}", "a battle"))
    start = Start(ground.place(name), files, tuple(following))
    problems = problems_of(ground, start, name)
    if problems:
        raise _not_here("scenario", model.name, problems)
    return start


def _opened(key: str, value: Any, indent: str = "") -> Iterator[str]:
    """A key with its value; maps and lists of maps a line for each of their own."""
    said = {"board": "  # the table, where the sides begin, and what lies on it", "settings": ""}.get(key, "")
    if isinstance(value, Mapping) and value and not indent and key != "settings":
        yield f"{indent}{key}:{said}"
        for inner, one in value.items():
            yield from _opened(str(inner), one, indent + "  ")
    elif isinstance(value, Mapping) and len(flow(value)) > 90:
        yield f"{indent}{key}:"
        for inner, one in value.items():
            yield f"{indent}  {inner}: {flow(one)}"
    elif isinstance(value, list) and any(isinstance(v, Mapping) for v in value):
        yield f"{indent}{key}:"
        yield from (f"{indent}  - {flow(one)}" for one in value)
    else:
        yield f"{indent}{key}: {flow(value)}"


def _scenario_example(name: GivenName, settings: Mapping[str, Any], rules: Ruleset) -> str:
    key, value = next(iter(settings.items()))
    procedures, steps = rules.program.procedures, [one for phase in rules.program.turn for one in phase.steps]
    ends = next((one for one in reversed(steps) if one.isidentifier() and not procedures[one].params), "PROCEDURE")
    return "\n".join([
        f"- title: {quoted(f'The settings of {name.title}')}",
        f"  given: {{scenario: {name.id}, sides: [{{name: First, units: []}}, {{name: Second, units: []}}]}}",
        f"  when: scenario.{key}",
        f"  then: {{result: {value}}}",
        "# How it is won, too: units where they would have won, what ends the turn, and who has won then.",
        "# - title: Who has done what the scenario asks for has won",
        f"#   given: {{scenario: {name.id}, turn: 6,",
        "#           sides: [{name: First, units: [..]}, {name: Second, units: [..]}]}",
        f"#   when: {ends}()",
        '#   then: {all: ["battle.over", "battle.winner is side_a"]}',
        "",
    ])  # fmt: skip


# -- is it right? -----------------------------------------------------------------------------------


def problems_of(ground: Ground, start: Start, name: GivenName, army: str | None = None) -> list[Problem]:
    """What would be wrong with a start in its ruleset: read, its own examples played, its army looked at.

    It lies in a folder that is gone afterwards, laid over the ruleset like a house rule.
    """
    from warhost.packs import read
    from warhost_proof.examples import run_examples

    with tempfile.TemporaryDirectory(prefix="warhost-new-") as made:
        stage = Path(made) / name.id
        lay_down(stage, start.files)
        rules, problems = read(ground.rules.folder, [*ground.house, stage])
        if rules is None or mistakes(problems):
            return problems
        failed = [one for one in run_examples(rules, f"{name.id}.yaml") if not one.passed]
        found = [Problem(one.file, one.line, 1, "example-failed", "; ".join(one.failures)) for one in failed]
        try:
            found += _illegal(Army.ready(army, rules), rules) if army is not None else ()
        except ContentError as error:
            found += error.problems
        return found


def _not_here(what: str, like: str, problems: Iterable[Problem]) -> UsageError:
    said = "; ".join(p.message.rstrip(".") for p in list(problems)[:3])
    return UsageError(f"no {what} could be made from {like}: {said}. Nothing was written; start from another one")


# -- shared -----------------------------------------------------------------------------------------


def _named(known: Mapping[str, Element], given: str | None, what: str, rules: Ruleset, usual: str) -> Element:
    if not known:
        raise UsageError(f"{rules.id} has no {what} to start from")
    wanted = given or usual
    if wanted not in known:
        hint = did_you_mean(wanted, known) or f"there are: {', '.join(known)}"
        raise UsageError(f'{rules.id} has no {what} "{wanted}"; {hint}')
    return known[wanted]


def _usual_list(rules: Ruleset) -> str:
    """The list of the ready army that the ruleset shows itself with."""
    demo = (rules.manifest.get("demo") or {}).get("armies") or ()
    listed = (str(rules.armies[str(one)].data.get("list")) for one in demo if str(one) in rules.armies)
    return next((one for one in listed if one in rules.lists), next(iter(rules.lists), ""))


def _ready_of(rules: Ruleset, list_id: str) -> Element | None:
    """The ready army of a list with the fewest units; one without allies."""
    of = [a for a in rules.armies.values() if a.data.get("list") == list_id and not a.data.get("allies")]
    return min(of, key=lambda a: len(a.data.get("units", ())), default=None)


class _Dumper(yaml.SafeDumper):
    """YAML as these files are written: yes and no are words without quotes."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    if value in ("yes", "no"):
        return dumper.represent_scalar("tag:yaml.org,2002:bool", value)
    return dumper.represent_str(value)


_Dumper.add_representer(str, _text)
_FLOATS = re.compile(r"(?<=[ \[{])(-?\d+)\.0(?=[,\]}\n])")


def flow(value: Any) -> str:
    """A value in one line of YAML."""
    text = yaml.dump(
        plain(value), Dumper=_Dumper, default_flow_style=True, sort_keys=False, width=10**6, allow_unicode=True
    )
    return _FLOATS.sub(r"\1", text.removesuffix("\n").removesuffix("\n...").strip())
