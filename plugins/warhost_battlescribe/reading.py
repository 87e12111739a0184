"""Files of BattleScribe as trees: XML (.cat, .gst) and archives of it (.catz, .gstz, .bsr, .zip).

They come from strangers. Documents with a DTD are refused, so there are no entities, inner or outer; size, depth and
the number of elements are bounded, and so is what an archive unfolds to. Names inside an archive are shown, never used
as paths.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from warhost.errors import UsageError

#: How much a file may hold: bytes of XML (of all files of an archive together), files, elements, levels of nesting.
MOST_BYTES = 64_000_000
MOST_FILES = 400
MOST_ELEMENTS = 2_000_000
MOST_LEVELS = 100

#: The elements at the top of what can be read, without their namespace.
ROOTS = ("gameSystem", "catalogue")


@dataclass(frozen=True, slots=True)
class Document:
    """One catalogue or game system. name: its file, for messages. Tags of the tree have no namespaces."""

    name: str
    root: Element

    @property
    def kind(self) -> str:
        """`gameSystem` or `catalogue`."""
        return self.root.tag


def read_all(paths: Iterable[Path]) -> list[Document]:
    """Every document in some files. Raises UsageError, which names the file."""
    found = [document for path in paths for document in _read(path)]
    if not found:
        raise UsageError("there is no catalogue and no game system in these files")
    return found


def _read(path: Path) -> Iterator[Document]:
    from warhost.output_safety import harmless

    try:
        if not path.exists():
            raise UsageError(f"there is no file {path}")
        if not path.is_file():
            raise UsageError(f"{path} is not an ordinary file")
        with path.open("rb") as file:
            raw = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error})") from error
    if len(raw) > MOST_BYTES:
        raise UsageError(f"{path} has more than {MOST_BYTES:,} bytes")
    if raw[:4] not in (b"PK\x03\x04", b"PK\x05\x06"):
        yield Document(path.name, _parsed(raw, str(path)))
        return
    for inner, text in _unpacked(raw, path):
        label = f"{path}: {harmless(inner)}"
        yield Document(f"{path.name}: {harmless(inner)}", _parsed(text, label))


def _unpacked(raw: bytes, path: Path) -> Iterator[tuple[str, bytes]]:
    """The catalogues and game systems of an archive."""
    left = MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = [one for one in archive.infolist() if one.filename.lower().endswith((".cat", ".gst"))]
            if len(members) > MOST_FILES:
                raise UsageError(f"{path} has more than {MOST_FILES} files")
            if not members:
                raise UsageError(f"{path} is an archive without a .cat or .gst file")
            for member in members:
                if member.flag_bits & 1:
                    raise UsageError(f"{path}: its files are encrypted")
                with archive.open(member) as file:
                    text = file.read(left + 1)  # never by the size that the archive claims
                left -= len(text)
                if left < 0:
                    raise UsageError(f"{path} unfolds to more than {MOST_BYTES:,} bytes")
                yield member.filename, text
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{path} is no archive that can be read ({error})") from error
    except zipfile.zlib.error as error:  # type: ignore[attr-defined]
        raise UsageError(f"{path} is a damaged archive ({error})") from error


def _parsed(raw: bytes, label: str) -> Element:
    count = depth = 0
    root: Element | None = None
    try:
        events: Any = iterparse(io.BytesIO(raw), events=("start", "end"), forbid_dtd=True)
        for event, element in events:
            if event == "end":
                depth -= 1
                continue
            element.tag = element.tag.rpartition("}")[2]
            root = element if root is None else root
            count, depth = count + 1, depth + 1
            if count > MOST_ELEMENTS:
                raise UsageError(f"{label} has more than {MOST_ELEMENTS:,} elements")
            if depth > MOST_LEVELS:
                raise UsageError(f"{label} is nested more than {MOST_LEVELS} levels deep")
    except DefusedXmlException as error:
        raise UsageError(f"{label} declares entities or a document type, which catalogues do not need") from error
    except ParseError as error:
        line, column = error.position
        raise UsageError(f"{label}:{line}:{column + 1}: this is no XML ({str(error).partition(':')[0]})") from error
    except (ValueError, LookupError) as error:  # an encoding that there is not
        raise UsageError(f"{label} cannot be read ({error})") from error
    if root is None or root.tag not in ROOTS:
        what = "nothing" if root is None else f'"{root.tag[:60]}"'
        raise UsageError(f"{label} holds {what}, not a catalogue or a game system of BattleScribe")
    return root
