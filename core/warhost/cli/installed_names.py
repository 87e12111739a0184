"""What can be known of a ruleset at a glance, from its YAML files alone: for completion and for help."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import click

from warhost.errors import UsageError

#: Files and folders of the working folder that are looked into for a house rule.
MOST_LOOKED_INTO = 100


def folder_of(ruleset: object) -> Path | None:
    """The folder of a ruleset by what was typed, or None."""
    from warhost.packs.find import find

    if not isinstance(ruleset, str) or not ruleset:
        return None
    try:
        return find(ruleset).folder
    except (UsageError, OSError):
        return None


def typed_ruleset(ctx: click.Context) -> str | None:
    """The ruleset in the command line that is being completed, which may not have been parsed to its end."""
    words = os.environ.get("COMP_WORDS", "").split()[2:]
    given = [ctx.params.get("ruleset"), ctx.params.get("battle"), *words]
    return next((word for word in given if isinstance(word, str) and folder_of(word)), None)


def manifests_of(ruleset: object) -> list[tuple[Path, Mapping[str, Any]]]:
    """The manifest of a ruleset and those of the rulesets that it extends, the lowest first, each with its folder; one
    that cannot be read is empty.
    """
    from warhost.packs.find import find

    found: list[tuple[Path, Mapping[str, Any]]] = []
    folder = folder_of(ruleset)
    while folder is not None and all(folder != known for known, _ in found):
        data = yaml_of(folder / "ruleset.yaml")
        manifest = data if isinstance(data, dict) else {}
        found.insert(0, (folder, manifest))
        below = manifest.get("extends")
        try:
            folder = find(below, [folder.parent], by_pin=False).folder if isinstance(below, str) else None
        except (UsageError, OSError):
            break
    return found


def manifest_of(ruleset: object) -> Mapping[str, Any]:
    """The manifest of a ruleset with what it takes over from those that it extends; empty when it cannot be read."""
    whole: dict[str, Any] = {}
    for _, manifest in manifests_of(ruleset):
        asked = [one["odds"] for one in (whole, manifest) if isinstance(one.get("odds"), dict)]
        whole |= manifest
        if asked:
            whole["odds"] = {id_: question for questions in asked for id_, question in questions.items()}
    return whole


def house_rules_of(ruleset: object) -> dict[str, str]:
    """The house rules that a ruleset offers, by id with the title that its manifest gives: those that it lists, and
    those that lie in its folder `house/`; also those of the rulesets that it extends, as far as it does not adopt them.
    """
    from warhost.packs.find import house_rules_in

    found: dict[str, str] = {}
    for folder, manifest in manifests_of(ruleset):
        adopted = manifest.get("adopts")
        for id_ in adopted if isinstance(adopted, list) else ():
            found.pop(str(id_), None)
        listed = manifest.get("house_rules")
        offers = listed if isinstance(listed, dict) else {}
        found |= {str(id_): str(one.get("title", "")) for id_, one in offers.items() if isinstance(one, dict)}
        named = [folder / str(one.get("file", "")) for one in offers.values() if isinstance(one, dict)]
        for path in house_rules_in(folder, named):
            found.setdefault(path.stem, "")
    return found


#: Where a file of rules, or of data, defines something: NAME stands for what it is called.
_BRINGS = r"""^[ ]*(?:replace[ ])?(?!house\b)\w+[ ]+"?NAME"?(?![\w"])
    | ^[ ]*NAME:[ ]*(?:(?:whole|number|fraction|distance|yes_no|text|list[ ]of)\b|[{&#]|$)
    | \bto[ ]"?NAME"?[ ]*$
    | \b(?:id|name|title|list):[ ]*["']?NAME["']?[ ]*(?:[,}#]|$)"""


def house_rule_with(name: str, given: Collection[str] = (), anywhere: bool = False) -> str | None:
    """What in the working folder could be the house rule that brings a name, to be told to who has not given it. None
    when nothing there defines it. given: what --house names; anywhere: it need only be said there.
    """
    from warhost.packs.find import MANIFEST, files_of_house_rule, read_bytes

    known = {Path(one).name for one in given}
    said = rf"(?<!\w){re.escape(name)}(?!\w)" if anywhere else _BRINGS.replace("NAME", re.escape(name))
    word = re.compile(said.encode(), re.MULTILINE | (0 if anywhere else re.VERBOSE))
    for path in itertools.islice(sorted(Path().iterdir()), MOST_LOOKED_INTO):
        if path.name.startswith(".") or path.name in known or (path / MANIFEST).is_file():
            continue
        with contextlib.suppress(OSError):
            if any(word.search(read_bytes(file)) for file in files_of_house_rule(path)):
                return f'"{name}" stands in {path}: if that is a house rule, add --house {path}'
    return None


def ids_in(ruleset: object, part: str, kind: str = "") -> list[str]:
    """The ids of the elements in a folder of a ruleset (`armies`, `scenarios`) and of those that it extends."""
    found: dict[str, None] = {}
    for folder, _ in manifests_of(ruleset):
        for path in sorted((folder / part).glob("**/*.yaml")):
            data = yaml_of(path)
            if isinstance(data, dict) and isinstance(data.get("id"), str) and data.get("kind", "") == kind:
                found[data["id"]] = None
    return list(found)


def units_in(ruleset: object) -> list[str]:
    """The profiles that the ruleset's first two army lists begin with; of a single list its first two."""
    folder = folder_of(ruleset)
    found: list[list[str]] = []
    for path in sorted((folder / "armies").glob("**/*.yaml")) if folder else ():
        data = yaml_of(path)
        if isinstance(data, dict) and data.get("kind") == "list" and isinstance(data.get("units"), list):
            found.append([str(row.get("profile")) for row in data["units"] if isinstance(row, dict)])
    firsts = [units[0] for units in found[:2] if units]
    return firsts if len(firsts) == 2 else [unit for units in found[:1] for unit in units[:2]]


def yaml_of(path: Path) -> Any:
    """The data of a YAML file, None when it cannot be read."""
    from warhost.packs.find import read_bytes, yaml_in

    try:
        return yaml_in(read_bytes(path), str(path))
    except OSError:
        return None


def first_with_demo() -> str | None:
    """The id of the ruleset installed whose demonstration battle is shown; without any of the first one.

    The shortest book goes first, as it is told soonest; those not wholly implemented yet come last, and after them
    those that other packages have brought.
    """
    from warhost.packs.find import installed

    places = {one.id: one.place for one in reversed(installed())}
    known = list(reversed(places))
    known.sort(
        key=lambda id_: (
            places[id_] == "package", manifest_of(id_).get("status") == "in progress", _length_of_book(id_)
        )
    )  # fmt: skip
    return next((id_ for id_ in known if manifest_of(id_).get("demo")), known[0] if known else None)


def _length_of_book(ruleset: str) -> int:
    """How many bytes the index of its book and its rules take."""
    folder = folder_of(ruleset)
    if folder is None:
        return 0
    try:
        return sum(path.stat().st_size for path in (*folder.glob("rulebook.yaml"), *folder.glob("rules/**/*.rules")))
    except OSError:
        return 0
