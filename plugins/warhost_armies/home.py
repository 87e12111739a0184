"""For which ruleset and house rules the file of an army or a battle is made."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from warhost.armies.reading import is_path
from warhost.packs.find import MANIFEST, read_bytes, yaml_in
from warhost.packs.yaml_source import Map


class Home(NamedTuple):
    """What an army (or battle) file is made for. ruleset: an id, or a folder when only its place tells."""

    ruleset: str | Path | None
    house_rules: tuple[str | Path, ...]


def home_of(path: Path) -> Home:
    """For which ruleset and house rules an army or battle file is made; Home(None, ()) when nothing tells."""
    try:
        data = yaml_in(read_bytes(path), str(path))
    except (OSError, ValueError):
        return Home(None, ())
    given = data if isinstance(data, Map) else {}
    named, listed = given.get("ruleset"), given.get("house_rules")
    house = tuple(_seen_from(path, h) for h in listed or () if isinstance(h, str)) if isinstance(listed, list) else ()
    if isinstance(named, str) and named:
        return Home(_seen_from(path, named), house)
    return Home(_folder_around(path), house)


def _seen_from(path: Path, named: str) -> str | Path:
    """An id as it is; a path as it is meant in the file at `path`."""
    if not is_path(named) and not (path.parent / named).is_file():
        return named
    return path.parent / Path(named).expanduser()


def _folder_around(path: Path) -> Path | None:
    """The folder of the ruleset in which a file lies."""
    for folder in path.resolve().parents:
        if (folder / MANIFEST).is_file():
            return folder
    return None
