"""Definitions that nobody bears, of kinds that profiles, army lists and options give (`traits: [Shield]`), and those
of which none are made (`copies: 0`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from warhost.errors import Problem
from warhost.lang import tree as t
from warhost.packs.checks import RulesetToCheck
from warhost.packs.parsed import ParsedData, ParsedRules
from warhost.packs.yaml_source import Map, problem_at
from warhost_sense.blocks import constant

#: The files in which somebody may be said to bear it.
_BEARERS = ("ruleset", "profiles", "army", "scenario", "battle", "house", "odds")

#: So asked, somebody bears it if anybody does: that gives it to nobody.
_ASKED = re.compile(r'\b(?:has|is|not)(?: an?)? "?$')


def problems_in(read: RulesetToCheck) -> Iterator[Problem]:
    """What is defined in the ruleset or a house rule for somebody to bear, and nobody does. What any data name counts
    as borne (examples only for house rules, which may be for everybody's own armies), and so does what rules name
    otherwise than to ask who has it: they may give it.
    """
    if read.contents is None:
        return
    known = _kinds(read)
    kinds = {kind.name: plural for plural, kind in known.items()}
    counted = {kind.name: field.name for kind in known.values() for field in kind.fields if field.counts}
    defined = [
        (one.block, one.layer.kind == "house") for one in read.merged.placed
        if one.layer.kind != "plugin" and isinstance(one.block, t.KindBlock) and one.block.kind in kinds
    ]  # fmt: skip
    if not defined:
        return
    sources = [*read.sources, *read.contents.offered.values()]
    files = [(file, parsed, text) for source in sources for file, parsed, text in source.files]
    data, examples = (
        "\n".join(text for file, parsed, text in files if not isinstance(parsed, ParsedRules) and file.kind in some)
        for some in (_BEARERS, ("examples",))
    )
    given = frozenset[str]().union(
        *(
            read.remembered.of(parsed, _keys_of_lists_in)
            for source in sources
            for _, parsed in source.data("profiles", "army", "house")
        )
    )
    doubtful = [
        block for block, of_house in defined
        if (kinds[block.kind] in given or _none_made(block, counted) is not None)
        and not _named(block.title.text, data) and not (of_house and _named(block.title.text, examples))
    ]  # fmt: skip
    rules = "\n".join(text for _, parsed, text in files if isinstance(parsed, ParsedRules)) if doubtful else ""
    for block in doubtful:
        title = block.title.text
        if _may_be_given(block.kind, title, rules):
            continue
        if (none := _none_made(block, counted)) is not None:
            if not _named(title, examples):
                message = f'of {block.kind} "{title}" there are none: {none.name} is 0, and nothing gives it'
                yield problem_at(none.pos, "unasked", message, f"write {none.name}: 1 or more, or take it away")
        else:
            plural = kinds[block.kind]
            shown = title if re.fullmatch(r"[\w-]+(?: [\w-]+)*", title) else f'"{title}"'
            message = f'nobody bears {block.kind} "{title}": no profile, army list or rule gives it'
            hint = f"write {plural}: [{shown}] in a profile or in the row or option of a list, or take it away"
            yield problem_at(block.pos, "unasked", message, hint)


def _none_made(block: t.KindBlock, counted: Mapping[str, str]) -> t.KindField | None:
    """The field that says that none of a definition are made; counted: the field that says how many, by kind."""
    for item in block.items if block.kind in counted else ():
        if isinstance(item, t.KindField) and item.name == counted[block.kind]:
            figure = constant(item.value)
            return item if figure is not None and figure <= 0 else None
    return None


def _kinds(read: RulesetToCheck) -> dict[str, Any]:
    assert read.contents is not None
    return {kind.plural: kind for kind in read.contents.references.known.kinds.values()}


def _keys_of_lists_in(parsed: ParsedData) -> frozenset[str]:
    """The keys under which a file has lists, of whatever: the plurals of kinds that somebody bears are among them."""
    found: set[str] = set()
    _keys_of_lists(parsed.data, found)
    return frozenset(found)


def _keys_of_lists(data: Any, found: set[str]) -> None:
    if isinstance(data, Map):
        for key, value in data.items():
            if isinstance(value, list) and value and isinstance(value[0], str):
                found.add(str(key))
            elif isinstance(value, Map | list):
                _keys_of_lists(value, found)
    elif isinstance(data, list):
        for one in data:
            _keys_of_lists(one, found)


def _named(title: str, text: str) -> bool:
    """Whether the title stands in the text and is no part of a longer word. The texts are long: `find` is ten times as
    fast in them as an expression that looks back.
    """
    at = text.find(title)
    while at >= 0:
        if not any(_is_of_a_word(text[i : i + 1]) for i in (at - 1 if at else len(text), at + len(title))):
            return True
        at = text.find(title, at + 1)
    return False


def _is_of_a_word(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def _may_be_given(kind: str, title: str, rules: str) -> bool:
    """Whether rules name it otherwise than where it is defined, in a sentence, or to ask who has it."""
    heading = re.compile(rf'(?:^|(?<!\bas)\s){kind} "?$')  # `as trait` gives it
    quoted = re.compile(r'"[^"\n]*"')
    for found in re.finditer(rf"(?<!\w){re.escape(title)}(?!\w)", rules) if title in rules else ():
        start = rules.rfind("\n", 0, found.start()) + 1
        end = rules.find("\n", found.end())
        line, at = rules[start : end if end >= 0 else len(rules)], found.start() - start
        before = line[:at]
        within = next((one for one in quoted.finditer(line) if one.start() < at < one.end()), None)
        if within is not None and within[0].strip('"').partition("(")[0].strip() != title:
            continue  # a sentence
        if "#" in before and before.count('"') % 2 == 0:
            continue  # a comment
        if not heading.search(before) and not _ASKED.search(before):
            return True
    return False
