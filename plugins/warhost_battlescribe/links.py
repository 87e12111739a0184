"""Links resolved: entries and information wherever they stand, in whatever file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from xml.etree.ElementTree import Element

from warhost.errors import UsageError
from warhost_battlescribe.reading import Document

#: So many entries may come of the links of one catalogue, each counted as often as it is linked.
MOST_ENTRIES = 100_000


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """An entry or a group as it is taken. links: those that lead to it, the outermost first; what they add counts."""

    body: Element
    links: tuple[Element, ...] = ()

    @property
    def name(self) -> str:
        """The name that players read: a link may give another."""
        named = [one.get("name") for one in (*self.links, self.body)]
        return next((name for name in named if name), "nameless")

    @property
    def type(self) -> str:
        """`unit`, `model`, `upgrade`, or `group`."""
        return "group" if self.body.tag == "selectionEntryGroup" else self.body.get("type", "upgrade")

    @property
    def hidden(self) -> bool:
        """Whether the entry, or a link to it, is marked as not to be shown."""
        return any(one.get("hidden") == "true" for one in (*self.links, self.body))

    def parts(self, container: str) -> Iterator[Element]:
        """What stands in a container (`constraints`, `costs`) of the entry and of the links to it."""
        for one in (self.body, *self.links):
            found = one.find(container)
            if found is not None:
                yield from found


@dataclass(slots=True)
class Catalogues:
    """All documents that were given. by_id: every element that has an id. missing: links that lead nowhere."""

    documents: list[Document]
    by_id: dict[str, Element] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    _taken: int = 0

    def __post_init__(self) -> None:
        for document in self.documents:
            for element in document.root.iter():
                if (id_ := element.get("id")) is not None and not element.get("targetId"):
                    self.by_id.setdefault(id_, element)
        for document in self.documents:
            for profile in document.root.iter("profile"):
                if not profile.get("typeName"):
                    kind = self.by_id.get(profile.get("typeId", ""))
                    profile.set("typeName", (kind.get("name") if kind is not None else None) or "profile")

    @property
    def systems(self) -> list[Document]:
        """The game systems among the documents."""
        return [one for one in self.documents if one.kind == "gameSystem"]

    @property
    def catalogues(self) -> list[Document]:
        """Those that armies are of: libraries, which are there to be linked, are left out unless there is no other."""
        found = [one for one in self.documents if one.kind == "catalogue"]
        return [one for one in found if one.root.get("library") != "true"] or found

    def roots(self, document: Document) -> Iterator[CatalogueEntry]:
        """What an army of a catalogue may take: its own root entries, the system's, those of linked catalogues."""
        self._taken = 0
        seen: set[str] = set()
        waiting = [document.root, *(one.root for one in self.systems)]
        while waiting:
            root = waiting.pop(0)
            if root.get("id", "") in seen:
                continue
            seen.add(root.get("id", ""))
            yield from self.inside(CatalogueEntry(root))
            for link in _all(root, "catalogueLinks"):
                target = self._target(link)
                if target is not None and link.get("importRootEntries") == "true":
                    waiting.append(target)

    def inside(self, entry: CatalogueEntry) -> Iterator[CatalogueEntry]:
        """The entries and groups directly below one, links followed."""
        for one in (entry.body, *entry.links):
            for container in ("selectionEntries", "selectionEntryGroups", "entryLinks"):
                for child in _all(one, container):
                    self._taken += 1
                    if self._taken > MOST_ENTRIES:
                        raise UsageError(f"the links of these catalogues lead to more than {MOST_ENTRIES:,} entries")
                    if (found := self._followed(child)) is not None:
                        yield found

    def _followed(self, element: Element) -> CatalogueEntry | None:
        links: list[Element] = []
        while (element_id := element.get("targetId")) is not None:
            links.append(element)
            target = self.by_id.get(element_id)
            if target is None or len(links) > 20:
                self._miss(element)
                return None
            element = target
        is_entry = element.tag in ("selectionEntry", "selectionEntryGroup")
        return CatalogueEntry(element, tuple(links)) if is_entry else None

    def information(self, entry: CatalogueEntry) -> Iterator[Element]:
        """The profiles and rules of an entry, those of its links and of groups of information among them."""
        for one in (entry.body, *entry.links):
            yield from self._information(one, 0)

    def _information(self, holder: Element, depth: int) -> Iterator[Element]:
        for container in ("profiles", "rules"):
            yield from _all(holder, container)
        for group in _all(holder, "infoGroups"):
            yield from self._information(group, depth)
        for link in _all(holder, "infoLinks"):
            target = self._target(link)
            if target is None:
                continue
            if target.tag == "infoGroup":
                if depth < 20:
                    yield from self._information(target, depth + 1)
            else:
                yield target

    def _target(self, link: Element) -> Element | None:
        target = self.by_id.get(link.get("targetId", ""))
        if target is None:
            self._miss(link)
        return target

    def _miss(self, link: Element) -> None:
        self.missing[link.get("targetId", "")] = link.get("name") or "nameless"

    def categories(self, entry: CatalogueEntry) -> list[str]:
        """The names of the categories of an entry, the primary one first."""
        links = sorted(entry.parts("categoryLinks"), key=lambda link: link.get("primary") != "true")
        return [self.category(link) for link in links]

    def category(self, link: Element) -> str:
        """The name of the category that a link leads to; its own where the category's file was not given."""
        target = self.by_id.get(link.get("targetId", ""))
        return (target.get("name") if target is not None else link.get("name")) or "nameless"


def _all(holder: Element, container: str) -> Iterable[Element]:
    found = holder.find(container)
    return found if found is not None else ()


def figure(text: str | None) -> Fraction:
    """A figure of the data, 0 for what is none."""
    found = _FIGURE.fullmatch((text or "").strip())
    return Fraction(found[0]) if found else Fraction(0)


#: Longer figures mean nothing here, and powers of ten could ask for any amount of memory.
_FIGURE = re.compile(r"-?\d{1,9}(\.\d{1,6})?", re.ASCII)
