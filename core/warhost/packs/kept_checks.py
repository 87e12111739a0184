"""What was found of a ruleset when nothing was wrong with it, kept on the disk: the next run begins from there, and
looks only at what has changed since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from warhost.packs import cache
from warhost.packs.gathering import Gathered
from warhost.packs.parsed import Parsed

if TYPE_CHECKING:
    from warhost.packs.parsed import Library, ParsedData, ParsedRules
    from warhost.vocabulary import Vocabulary

#: Stands for a file that says something else by now.
_GONE = Parsed(None)


def keep(library: Library, key: str, beside: Any = None) -> bool:
    """Keep what a library remembers of a ruleset that is in order, and what was found beside it. False where that is
    nothing, or was not possible.
    """
    check = library.incremental
    kept = check.kept() if check is not None else None
    if check is None or kept is None:
        return False
    parsed = _in_use(library)
    names = {id(one): name for name, one in parsed.items()}
    known: Gathered | None = library.gathered
    gathered, marks = None, []
    if known is not None and all(id(one) in names for one in known.files):
        files, others = ([names[id(one)] for one in some] for some in (known.files, known.others))
        gathered = known.layers, files, others, known.data, known.elements
        ours = {id(known.data.profiles), *(id(example.data) for example in known.data.examples)}
        marks = [mark for mark in check.in_order if id(mark.data) in ours]
    said = {name: (one.said, one.refs) for name, one in parsed.items()}
    program = library.folded or cache.folded(kept.program)  # only some of it will be looked at
    kept.program = None
    return cache.put(key, (said, gathered, kept, program, marks, beside), folding=False)


def recall(library: Library, key: str, vocabulary: Vocabulary) -> bool:
    """Let a library begin from what was kept: its files that say the same now are known. False if nothing was kept.

    vocabulary: the same as then.
    """
    check, found = library.incremental, cache.get(key)
    if check is None or not isinstance(found, tuple):
        return False
    said, gathered, kept, program, marks, library.beside = found
    kept.program = cache.unfolded(program)
    library.folded = program if library.keeps else None
    parsed = _in_use(library)
    for name, one in parsed.items():
        if name in said:
            one.is_known_to_say(*said[name])
    if gathered is not None:
        layers, files, others, data, elements = gathered
        of_files, of_others = ([parsed.get(name, _GONE) for name in some] for some in (files, others))
        library.gathered = Gathered(layers, of_files, of_others, data, elements)
    check.begin_from(kept, vocabulary)
    check.in_order = set(marks)
    return True


def _in_use(library: Library) -> dict[str, ParsedRules | ParsedData]:
    """The files that were read, by the names under which they stand on the shelves."""
    found: dict[str, ParsedRules | ParsedData] = {}
    for shelf in library.shelves.values():
        found.update(shelf.used)
    return found
