"""Texts that are names in truth: those of the fields of definitions, of phases and throws, and what steps are given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from warhost.errors import did_you_mean, is_misspelt, nearest
from warhost.lang import tree as t
from warhost.lang.notes import Said
from warhost.lang.symbols import Symbols


def misspelt_in_definitions(said: Sequence[Said], symbols: Symbols) -> None:
    """A text of a field that is nearly another definition's, or nearly a word, and that nobody else has."""
    counted: dict[tuple[str, str], Counter[str]] = {}
    for kind, field, text, _ in said:
        counted.setdefault((kind, field), Counter())[text] += 1
    told: set[tuple[str, str, str]] = set()
    words = {key: _words_beside(others, symbols) for key, others in counted.items()}
    for kind, field, text, pos in reversed(said):
        others = counted[kind, field]
        if others[text] > 1 or text in symbols.word_owners or (kind, field, text) in told:
            continue
        known = [one for one in (*others, *words[kind, field]) if one != text and (kind, field, one) not in told]
        if is_misspelt(text, known):
            told.add((kind, field, text))
            hint = did_you_mean(text, known)
            symbols.report(pos, "unknown-text", f'no other {kind} has the {field} "{text}"', hint)


def _words_beside(texts: Iterable[str], symbols: Symbols) -> list[str]:
    """The words of the enumerations of which some of these texts are."""
    owners = {owner for text in texts for owner in symbols.word_owners.get(text, ())}
    return [word for owner in sorted(owners) for word in symbols.words[owner]]


def misspelt_titles(symbols: Symbols, places: Mapping[tuple[str, str], t.Pos]) -> None:
    """A definition whose title is nearly a word, where those of its kind are called by the words of an enumeration."""
    by_kind: dict[str, list[str]] = {}
    for title, kinds in symbols.titles.items():
        for kind in kinds:
            by_kind.setdefault(kind, []).append(title)
    for kind, titles in by_kind.items():
        for words in symbols.words.values():
            common = set(titles) & set(words)
            if len(common) < 3 or len(common) * 2 < len(titles):
                continue
            free = [w for w in words if w not in common]
            for title in titles:
                if title not in words and is_misspelt(title, free) and (kind, title) in places:
                    message = f'no word is called "{title}", and so nothing is of this {kind}'
                    symbols.report(places[kind, title], "unknown-name", message, did_you_mean(title, free))


def unknown_in_conditions(
    asked: Iterable[Said], said: Iterable[Said], phases: Collection[str], rolls: Collection[str], symbols: Symbols
) -> None:
    """Texts that conditions compare with, and that nothing ever is."""
    there: dict[tuple[str, str], set[str]] = {}
    for kind, field, text, _ in said:
        there.setdefault((kind, field), set()).add(text)
    for owner, field, text, pos in asked:
        if (owner, field) == ("battle", "phase"):
            _nearly(text, phases, "phase", pos, symbols)
        elif (owner, field) == ("throw", "name"):
            _nearly(text, rolls, "roll", pos, symbols)
        elif known := there.get((owner, field)):
            near = nearest(text, known)
            if text and text not in known and near is not None:
                symbols.report(
                    pos, "unknown-text", f'no {owner} has the {field} "{text}"', f'did you mean "{near}"?'
                )


def unknown_ids(asked: Iterable[tuple[str, str, t.Pos]], ids: Mapping[str, Collection[str]], symbols: Symbols) -> None:
    """Profiles and lists that conditions name, and that there are not. ids: those that there are, by what they are."""
    for what, text, pos in asked:
        if text and ids[what] and text not in ids[what]:
            hint = did_you_mean(text, ids[what]) or "`warhost explain RULESET --search WORD` finds ids"
            symbols.report(pos, "unknown-name", f'there is no {what} "{text}"', hint)


def _nearly(text: str, known: Collection[str], what: str, pos: t.Pos, symbols: Symbols) -> None:
    """A name that is certainly meant for one of the known ones."""
    if text not in known and is_misspelt(text, known):
        symbols.report(pos, "unknown-text", f'there is no {what} "{text}"', did_you_mean(text, known))


def misspelt_arguments(given: Iterable[tuple[str, t.Pos]], names: Collection[str], symbols: Symbols) -> None:
    """Texts given to steps and functions that are nearly the name of a phase, a profile or a part of one."""
    by_length: dict[int, list[str]] = {}
    for name in names:
        by_length.setdefault(len(name), []).append(name)
    everything, verdicts = set(names), dict[str, str | None]()
    counted = Counter(text for text, _ in given)
    for text, pos in given:
        if text in everything or text in symbols.word_owners or counted[text] > 1 or not text:
            continue
        if text not in verdicts:
            near = [n for size in (-1, 0, 1) for n in by_length.get(len(text) + size, ())]
            verdicts[text] = did_you_mean(text, near) if is_misspelt(text, near) else None
        if verdicts[text] is not None:
            symbols.report(pos, "unknown-text", f'nothing is called "{text}"', verdicts[text])


def names_in(profiles: Mapping[str, object]) -> set[str]:
    """The ids of profiles, and the names of the records in them."""
    found = set(profiles)
    for profile in profiles.values():
        fields: Mapping[str, object] = getattr(profile, "fields", {})
        for value in fields.values():
            for record in value if isinstance(value, list) else ():
                if isinstance(record, Mapping) and isinstance(record.get("name"), str):
                    found.add(record["name"])
    return found
