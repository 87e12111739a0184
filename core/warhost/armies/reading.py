"""Army files: YAML, checked against the schema, every value with its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import Problem, did_you_mean
from warhost.limits import too_many
from warhost.packs import schemas
from warhost.packs.find import read_bytes
from warhost.packs.yaml_source import Map, Seq, decode, problem_at

if TYPE_CHECKING:
    from warhost.packs import Ruleset


def read_checked(path: Path, schema: str) -> tuple[Map | None, list[Problem]]:
    """The data of a YAML file and what is wrong with them under a schema; None when they are no mapping.

    Problems carry the line of the file that they speak of.
    """
    label = str(path)
    try:
        raw = read_bytes(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        return None, [Problem(label, 0, 0, "unreadable", f"this file cannot be read ({reason})")]
    text, problems = decode(raw, label)
    if problems:
        return None, problems
    from warhost.packs.yaml_events import read_yaml

    data, problems = read_yaml(text, label)
    if schema == "army" and (large := size_problems(data, label)):
        return None, with_lines(large, text)
    if data is not None or not problems:
        problems = [*problems, *schemas.check(schema, data, label)]
    return data if isinstance(data, Map) else None, with_lines(problems, text)


def with_lines(problems: Iterable[Problem], text: str) -> list[Problem]:
    """The problems of one file with the lines that they speak of."""
    lines = text.split("\n")
    return [
        replace(p, source=lines[p.line - 1]) if p.source is None and 0 < p.line <= len(lines) else p
        for p in problems
    ]


def size_problems(data: Any, file: str) -> list[Problem]:
    """What is wrong with data of an army that have more units or models than any army has, before all else."""
    units = data.get("units") if isinstance(data, Mapping) else None
    if not isinstance(units, list | tuple):
        return []
    sizes = (raw.get("size") for raw in units if isinstance(raw, Mapping))
    models = sum(size for size in sizes if isinstance(size, int))
    counted = (("units", len(units)), ("models", models))
    return [
        Problem(file, 1, 1, "too-large", message)
        for name, count in counted
        if (message := too_many("this army", count, name))
    ]


def read_army(path: Path, rules: Ruleset | None) -> tuple[Map | None, list[Problem]]:
    """The data of an army file and everything that is wrong with it; None when it cannot be read at all.

    With rules, the file must be made for them: its `ruleset` and `list` are looked at, too.
    """
    data, problems = read_checked(path, "army")
    if data is None:
        return None, problems
    found = []
    if data.get("kind") == "list":
        hint = "an army begins with `kind: army` and names a list: `list: ID`"
        found.append(problem_at(data.pos("kind"), "wrong-kind", "this is an army list, not an army", hint))
    elif rules is not None:
        found = list(_unknown_to(rules, data))
    if found:
        problems = sorted([*problems, *with_lines(found, decode(read_bytes(path), "")[0])])
    return data, problems


def _unknown_to(rules: Ruleset, data: Map) -> Iterable[Problem]:
    """What a ruleset does not know of an army."""
    named = data.get("ruleset")
    if isinstance(named, str) and not is_path(named) and not _means(named, rules):
        message = f'this army is made for "{named}", not for {rules.id}@{rules.edition}'
        yield problem_at(data.pos("ruleset"), "wrong-ruleset", message)
    wanted = data.get("list")
    if isinstance(wanted, str) and wanted not in rules.lists:
        hint = did_you_mean(wanted, rules.lists) or f"there is {', '.join(rules.lists) or 'none'}"
        yield problem_at(data.pos("list"), "unknown-list", f'{rules.id} has no army list "{wanted}"', hint)
    units = data.get("units")
    for unit in units if isinstance(units, Seq) else ():
        if isinstance(unit, Map):
            yield from _unknown_in_unit(rules, wanted, unit)


def _unknown_in_unit(rules: Ruleset, list_id: Any, unit: Map) -> Iterable[Problem]:
    profile, options = unit.get("profile"), unit.get("options")
    if not isinstance(profile, str):
        return
    if profile not in rules.profiles:
        hint = did_you_mean(profile, rules.profiles)
        yield problem_at(unit.pos("profile"), "unknown-profile", f'{rules.id} has no profile "{profile}"', hint)
        return
    if isinstance(list_id, str) and list_id not in rules.lists:
        return  # which options there are depends on the list
    known = _options(rules, str(list_id), profile)
    for i, option in enumerate(options if isinstance(options, Seq) else ()):
        if isinstance(option, str) and option not in known and isinstance(options, Seq):
            hint = did_you_mean(option, known) or (f"it may take {', '.join(known)}" if known else "it has none")
            yield problem_at(options.pos(i), "unknown-option", f'{profile} has no option "{option}"', hint)


def _options(rules: Ruleset, list_id: str, profile: str) -> list[str]:
    """The ids of what a profile may take in a list."""
    element = rules.lists.get(list_id)
    rows = element.data.get("units", ()) if element is not None else ()
    return [str(o["id"]) for row in rows if row.get("profile") == profile for o in row.get("options", ())]


def _means(named: str, rules: Ruleset) -> bool:
    """Whether a name means the ruleset, an edition of it (`other_edition` tells), or one that it extends."""
    known: Sequence[str] = [layer.id for layer in rules.layers if layer.kind == "ruleset"]
    return named.partition("@")[0] in [one.partition("@")[0] for one in known]


def is_path(named: str) -> bool:
    """Whether a name of a ruleset or house rule is meant as a path."""
    return "/" in named or "\\" in named
