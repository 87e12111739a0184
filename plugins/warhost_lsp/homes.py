"""The ruleset that a file belongs to: by the folder that it lies in, or, for a house rule of its own, as it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from warhost.packs.find import MANIFEST, read_bytes
from warhost.packs.stacking import FOLDERS_OF_HOUSE_RULES
from warhost.packs.yaml_events import read_yaml
from warhost.packs.yaml_source import Map, decode

_HEAD = re.compile(r'^house rule\s+"[^"]*"\s+for\s+(\w+)', re.MULTILINE)
_FOR = re.compile(r"^for:\s*[\"']?([\w@.-]+)", re.MULTILINE)


class RulesetHome(NamedTuple):
    """What `Project` is made of: a ruleset by its id or folder, and house rules by id or path."""

    ruleset: str
    house: tuple[str, ...] = ()


def home_of(path: Path, text: str) -> RulesetHome | None:
    """The home of a file that says `text`; None for what belongs to no ruleset."""
    if path.suffix not in (".rules", ".yaml", ".yml"):
        return None
    folder = next((above for above in path.parents if (above / MANIFEST).is_file()), None)
    if folder is not None:
        return RulesetHome(str(folder), _above_the_ruleset(path, folder))
    wanted = _said(path, text)
    if wanted is not None:
        return RulesetHome(wanted, (str(_whole(path)),))
    above = path.parent.parent if path.parent.name in FOLDERS_OF_HOUSE_RULES else path.parent
    for one in _beside(above, path):  # a file of a house rule's folder need not say itself for which ruleset it is
        if (wanted := _said(one, _text(one))) is not None and _whole(one) == above:
            return RulesetHome(wanted, (str(above),))
    return None


def _above_the_ruleset(path: Path, folder: Path) -> tuple[str, ...]:
    """The house rule that a file of a ruleset's folder is, or is part of; rules beside examples are read like one."""
    relative = path.relative_to(folder)
    if len(relative.parts) > 1 and relative.parts[0] == "examples" and path.suffix == ".rules":
        return (str(path),)
    if len(relative.parts) < 2 or relative.parts[0] != "house":
        return ()
    for id_, file in _offers(folder):
        if path == file or file in path.parents:
            return (id_,)
    return (str(folder / "house" / relative.parts[1]),)


def _offers(folder: Path) -> Iterator[tuple[str, Path]]:
    """The house rules of a ruleset's manifest, by their ids."""
    data, _ = read_yaml(_text(folder / MANIFEST), MANIFEST)
    offers = data.get("house_rules") if isinstance(data, Map) else None
    for id_, given in offers.items() if isinstance(offers, Map) else ():
        file = given.get("file") if isinstance(given, Map) else None
        if isinstance(file, str):
            yield str(id_), folder / file


def _said(path: Path, text: str) -> str | None:
    """The ruleset that a house rule says it is for."""
    found = (_HEAD if path.suffix == ".rules" else _FOR).search(text)
    return found[1] if found else None


def _whole(path: Path) -> Path:
    """A house rule is a file, or a folder with YAML, armies, scenarios or examples in it."""
    folder = path.parent
    has_more = any((folder / name).is_dir() for name in FOLDERS_OF_HOUSE_RULES)
    data = [one for one in folder.glob("*.yaml") if one != path and _said(one, _text(one)) is not None]
    return folder if has_more or data else path


def _beside(folder: Path, path: Path) -> Iterator[Path]:
    yield from (one for one in sorted(folder.glob("*")) if one.suffix in (".rules", ".yaml") and one != path)


def _text(path: Path) -> str:
    try:
        return decode(read_bytes(path), str(path))[0]
    except OSError:
        return ""
