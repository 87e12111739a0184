"""Where rulesets live, and what they are called.

Looked for in the folders of WARHOST_PATH, then the user's own folder, then those that come with Warhost, then those
that other installed packages bring (entry points of the group `warhost.rulesets`). The first that has the id wins; of
several editions in one of these places, the highest, unless the user has pinned one. An edition that is opt-in is meant
by its plain id only where there is no other.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from warhost import plugins
from warhost.errors import Problem, UsageError, nearest
from warhost.limits import how_to_raise, limit
from warhost.packs import cache as kept
from warhost.packs.user_paths import at_home, shown
from warhost.packs.yaml_source import MAX_BYTES, Map, decode

MANIFEST = "ruleset.yaml"
GROUP = "warhost.rulesets"
MAX_FILES = 5_000
#: When so many manifests are kept in the cache it begins anew.
MAX_KEPT = 200

#: What the name of a house rule on offer can be, and how files of rules and data end.
_HOUSE_RULE = re.compile(r"[a-z][a-z0-9_]*")
RULE_FILES = (".rules", ".yaml")
#: The folders of a house rule in which its files lie, if not beside them.
_FOLDERS = ("rules", "data", "armies", "scenarios", "examples")
#: Which ruleset a house rule says that it is for.
_FOR = re.compile(r'^(?:house rule "[^"]*" for|for:) (?P<id>[A-Za-z]\w*)', re.MULTILINE)

_ID = re.compile(r"(?P<id>[A-Za-z][A-Za-z0-9_]*)(?:@(?P<edition>[^\s/\\@]+))?")


@dataclass(frozen=True, slots=True)
class Installed:
    """A ruleset that a name can mean. place: 'WARHOST_PATH', 'user', 'bundled' or 'package'
    ('path' when a path was given). opt_in: only who names or pins the edition gets it."""

    id: str
    edition: str
    title: str
    folder: Path
    place: str
    opt_in: bool = False

    def __str__(self) -> str:
        return f"{self.id}@{self.edition}" if self.edition else self.id


def checkout() -> Path | None:
    """The root of the working copy that this package runs from, if it does."""
    for folder in Path(__file__).resolve().parents:
        if (folder / "pyproject.toml").is_file() and (folder / "schemas").is_dir():
            return folder
    return None


def _bundled(name: str) -> Path:
    inside = Path(__file__).resolve().parents[1] / "_data" / name
    if inside.is_dir():
        return inside
    root = checkout()
    return root / name if root else inside


@cache
def schema_folder() -> Path:
    """Where the JSON Schemas are."""
    return _bundled("schemas")


def user_folder() -> Path:
    """The user's own rulesets."""
    import platformdirs

    return Path(platformdirs.user_data_dir("warhost", appauthor=False)) / "rulesets"


def places() -> list[tuple[str, Path]]:
    """Where rulesets are looked for, in order."""
    given = os.environ.get("WARHOST_PATH", "")
    found = [("WARHOST_PATH", at_home(part)) for part in given.split(os.pathsep) if part.strip()]
    return [*found, ("user", user_folder()), ("bundled", _bundled("rulesets")), *_of_packages()]


def _of_packages() -> Iterator[tuple[str, Path]]:
    """The folders that installed packages name in their entry points: `outsider.rulesets` is the folder rulesets/ of
    the package outsider, a ruleset or full of them. Nothing is imported.
    """
    for point in sorted(plugins.entry_points_of(GROUP), key=lambda one: one.name):
        home = plugins.home_of(point)
        if home is not None and home.is_dir():
            yield "package", home.joinpath(*point.module.split(".")[1:])


def _manifests(folder: Path, place: str) -> Iterator[Installed]:
    """The rulesets directly in a folder (or the folder itself, if it is one)."""
    if (folder / MANIFEST).is_file():
        yield _installed(folder, place)
        return
    try:
        below = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError:
        return
    for entry in below:
        if (entry / MANIFEST).is_file():
            yield _installed(entry, place)


def _installed(folder: Path, place: str) -> Installed:
    """What a manifest says of itself; a manifest that cannot be read goes by its folder's name."""
    try:
        raw = read_bytes(folder / MANIFEST) if inside(folder, MANIFEST) else b""
    except OSError:
        raw = b""
    id_, edition, title, opt_in = _said_by(raw)
    return Installed(id_ or folder.name, edition, title, folder, place, opt_in)


@cache
def _manifests_kept(name: str, folder: Path | None) -> dict[str, tuple[str, str, str, bool]]:
    """What manifests that were read say of themselves, by the hash of their text: id, edition, title and whether they
    are opt-in. name: of the entry in the cache, which lies in that folder.
    """
    before = kept.get(name) if folder is not None else None
    return before if isinstance(before, dict) and len(before) < MAX_KEPT else {}


def yaml_in(raw: bytes, file: str) -> Any:
    """The data of a file of YAML, None where it cannot be read."""
    from warhost.packs.yaml_events import read_yaml

    text, problems = decode(raw, file)
    return None if problems else read_yaml(text, file)[0]


def _said_by(raw: bytes) -> tuple[str, str, str, bool]:
    """What a manifest says of itself, nothing where it cannot be read. It is kept in the cache, for every command that
    names a ruleset looks at all of them.
    """
    name = kept.key_of("manifests", kept.code_stamp())
    known = _manifests_kept(name, kept.folder())
    key = kept.key_of(raw)
    if key not in known:
        data = yaml_in(raw, MANIFEST)
        get = data.get if isinstance(data, Map) else {}.get
        id_, edition, title = (str(get(one) or "") for one in ("id", "edition", "title"))
        known[key] = id_, edition, title, get("opt_in") is True
        kept.put(name, known)
    return known[key]


def installed(beside: Iterable[Path] = ()) -> list[Installed]:
    """Every ruleset that a name can mean, those that win first. beside: further folders, looked into last."""
    found = [ruleset for place, folder in places() for ruleset in sorted(_manifests(folder, place), key=_highest_first)]
    for folder in beside:
        found.extend(sorted(_manifests(folder, "path"), key=_highest_first))
    return found


def _highest_first(ruleset: Installed) -> tuple[str, list[tuple[int, str]]]:
    parts = re.findall(r"\d+|[^\d.\s]+", ruleset.edition)
    return ruleset.id, [(-int(part), "") if part.isdecimal() else (1, part) for part in parts] or [(2, "")]


def pins_file() -> Path:
    """Where the user's choice of editions is kept."""
    return user_folder().parent / "editions.yaml"


def pinned() -> dict[str, str]:
    """The edition that each plain name means, where the user has chosen one."""
    try:
        raw = read_bytes(pins_file())
    except (OSError, ValueError):
        return {}
    if all(line.lstrip()[:1] in (b"", b"#") for line in raw.splitlines()):  # as most have it
        return {}
    data = yaml_in(raw, "editions.yaml")
    return {str(id_): str(edition) for id_, edition in data.items()} if isinstance(data, Map) else {}


def editions_of(id_: str) -> list[Installed]:
    """The installed editions of a ruleset, first the one that the plain name means."""
    known = [one for one in installed() if one.id == id_]
    chosen = pinned().get(id_)
    return sorted(known, key=lambda one: (chosen is not None and one.edition != chosen, one.opt_in))


def called(id_: str, edition: str, folder: Path) -> str:
    """What to type to mean just this ruleset: its id if there is one edition, id@edition, or its folder."""
    known = editions_of(id_)
    first = next((one for one in known if one.edition == edition), None)
    if first is None or first.folder.resolve() != folder.resolve():
        return shown(folder)
    return id_ if len({one.edition for one in known}) == 1 else str(first)


def find(name_or_path: str | Path, beside: Iterable[Path] = (), by_pin: bool = True) -> Installed:
    """The ruleset meant by an id, an id with edition, or a path. Raises UsageError when there is none.

    by_pin: a plain id means the edition that the user has pinned, if any.
    """
    text = str(name_or_path)
    path = at_home(name_or_path)
    as_id = None if isinstance(name_or_path, Path) else _ID.fullmatch(text)
    if as_id:
        known = installed(beside)
        chosen = pinned().get(as_id["id"]) if by_pin and as_id["edition"] is None else None
        found = _by_id(known, as_id["id"], as_id["edition"] or chosen)
        if found is None and chosen is not None and _by_id(known, as_id["id"], None):
            raise UsageError(_unknown(known, as_id["id"], chosen) + f"; that one is pinned in {pins_file()}")
        if found:
            return found
    folder = path.parent if path.name == MANIFEST else path
    if (folder / MANIFEST).is_file():
        return _installed(folder, "path")
    if as_id:
        raise UsageError(_house_rule(text) or _unknown(known, as_id["id"], as_id["edition"]))
    if folder.is_dir():
        raise UsageError(_house_rule(text) or f"{text} is no ruleset: it has no {MANIFEST}")
    guess = near_on_disk(path)
    hint = f'; did you mean "{guess}"?' if guess else ""
    raise UsageError(_house_rule(text) or f"there is no folder {text}{hint}")


def _house_rule(text: str) -> str | None:
    """What to type if a path that should be a ruleset is a house rule, which lies over one; None if it is none."""
    path = at_home(text)
    files = files_of_house_rule(path)
    if not files:
        return None
    ruleset = ruleset_named_in(path) or "RULESET"
    lacking = f": it has no {MANIFEST}" if path.is_dir() else ""
    over = f"name the ruleset over which it lies: {ruleset} --house {text}"
    return f"{text} is no ruleset{lacking}; if it is a house rule, {over}"


def ruleset_named_in(path: Path) -> str:
    """The ruleset that the files of a house rule say they are for; "" where none says it."""
    said = (_FOR.search(read_bytes(file).decode("utf-8", "replace")) for file in files_of_house_rule(path))
    return next((match["id"] for match in said if match), "")


def files_of_house_rule(path: Path) -> list[Path]:
    """The files of rules and data of what may be a house rule: a file, or a folder with its own folders."""
    folders = [path, *(path / name for name in _FOLDERS)]
    found = [file for folder in folders for file in folder.glob("*.*")] if path.is_dir() else [path]
    return [file for file in sorted(found)[:MAX_FILES] if file.suffix in RULE_FILES and file.is_file()]


def near_on_disk(path: Path) -> str | None:
    """What lies beside a path that does not exist and could be meant: a folder, or a file of rules or data."""
    try:
        beside = [one for one in path.parent.iterdir() if one.suffix in RULE_FILES or one.is_dir()][:MAX_FILES]
    except OSError:
        return None
    guess = nearest(path.name, [one.name for one in beside])
    return None if guess is None else str(path.with_name(guess))


def _by_id(known: list[Installed], wanted: str, edition: str | None) -> Installed | None:
    meant = [ruleset for ruleset in known if ruleset.id == wanted and edition in (None, ruleset.edition)]
    return min(meant, key=lambda one: one.opt_in, default=None)


def _unknown(known: list[Installed], wanted: str, edition: str | None) -> str:
    editions = list(dict.fromkeys(ruleset.edition for ruleset in known if ruleset.id == wanted))
    if editions:
        return f"{wanted} has no edition {edition}; there is {', '.join(editions)}"
    ids = sorted({ruleset.id for ruleset in known})
    guess = nearest(wanted, ids)
    listed = f"installed: {', '.join(ids)}; any other by the path of its folder" if ids else "none is installed"
    return f'there is no ruleset "{wanted}"' + (f'; did you mean "{guess}"?' if guess else "") + f" ({listed})"


# -- files of a folder ---------------------------------------------------------------------------


def inside(folder: Path, relative: str) -> Path | None:
    """The path of something inside a folder, or None when the text would lead out of it."""
    if not relative or "\0" in relative or "\\" in relative or ":" in relative:
        return None
    path = Path(relative)
    if path.is_absolute() or ".." in path.parts:
        return None
    target = folder / path
    try:
        target.resolve().relative_to(folder.resolve())
    except (ValueError, OSError, RuntimeError):
        return None
    return target


def house_rules_in(folder: Path, named: Collection[Path]) -> list[Path]:
    """What is on offer because it lies in the folder `house/` of a ruleset, by name: files of rules or data, and
    folders, unless they are what its manifest names (paths) or lie around it. A name that can be no id is not on offer.
    """
    known = [path.resolve() for path in named]
    found = []
    for path in sorted((folder / "house").glob("*")):
        inner = inside(folder, path.relative_to(folder).as_posix())
        if inner is None or _HOUSE_RULE.fullmatch(path.stem) is None:
            continue
        if not (path.is_dir() or path.suffix in RULE_FILES):
            continue
        if not any(one.is_relative_to(inner.resolve()) for one in known):
            found.append(path)
    return found


MISNAMED = {".yml": ".yaml", ".rule": ".rules", ".txt": ".rules"}
"""Ends of names that files of rules and data have by mistake, and what they should be; texts only if they are rules."""

#: A block of rules: its first line, and one below it.
_RULES_IN_TEXT = re.compile(
    r"^(?:house rule \".*\" for \w+|(?:trait|rule|number|flag|value|procedure|roll|event|profile of|state of) \S.*)\n"
    r"    \S", re.MULTILINE,
)  # fmt: skip


def _is_read(path: Path) -> bool:
    """Whether a file is one of rules or data, or would be under another name."""
    if path.suffix != ".txt":
        return path.suffix in (".rules", ".yaml", *MISNAMED)
    try:
        return path.stat().st_size < limit("rules") and bool(_RULES_IN_TEXT.search(path.read_text("utf-8", "replace")))
    except OSError:
        return False


def files_of(folder: Path, label: str) -> tuple[list[tuple[str, Path]], list[Problem]]:
    """Every .rules and .yaml file of a folder, and those MISNAMED, by its relative path with slashes, sorted; hidden
    ones are left out.

    Links that lead out of the folder, and folders with too many files, are problems.
    """
    found: list[tuple[str, Path]] = []
    problems: list[Problem] = []
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__")))
        for name in list(folders):
            if (Path(top) / name).is_symlink():
                problems.append(_linked(Path(top) / name, folder, label))
                folders.remove(name)
        for name in names:
            path = Path(top) / name
            if name.startswith(".") or not _is_read(path):
                continue
            if path.is_symlink() and inside(folder, path.relative_to(folder).as_posix()) is None:
                problems.append(_linked(path, folder, label))
                continue
            found.append((path.relative_to(folder).as_posix(), path))
        if len(found) > MAX_FILES:
            problems.append(Problem(label, 0, 0, "too-large", f"this folder has more than {MAX_FILES} files"))
            return [], problems
    size = sum(path.stat().st_size for _, path in found if path.is_file())
    if size > limit("rules"):
        message = f"the files of this folder have {size:,} bytes; {how_to_raise('rules')}"
        problems.append(Problem(label, 0, 0, "too-large", message))
        return [], problems
    return sorted(found), problems


def _linked(path: Path, folder: Path, label: str) -> Problem:
    file = f"{label}/{path.relative_to(folder).as_posix()}"
    return Problem(file, 0, 0, "outside", "this link leads to a file outside the folder, or is a linked folder")


def read_bytes(path: Path) -> bytes:
    """The content of an ordinary file, at most one byte more than allowed. Raises OSError otherwise."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(f"{path} is not an ordinary file")
    with path.open("rb") as file:
        return file.read(MAX_BYTES + 1)


def places_shortened() -> Callable[[str], str]:
    """What makes texts short that name files of what is installed: `RULESET/rules/turn.rules:41` for a ruleset,
    `PLUGIN/board.rules:12` for a plugin. Paths of other files stay as they are.
    """
    folders = [folder.parent if (folder / MANIFEST).is_file() else folder for _, folder in places()]
    folders += [home.parent for point in plugins.available().values() if (home := plugins.home_of(point)) is not None]
    either = "|".join(re.escape(str(one.absolute())) for one in sorted(set(folders), key=_depth, reverse=True))
    installed = re.compile(rf"(?<![\w./-])(?:{either})/(?=[^\s:]*\.(?:rules|yaml)\b)")
    return lambda text: installed.sub("", text)


def _depth(folder: Path) -> int:
    return len(folder.parts)
