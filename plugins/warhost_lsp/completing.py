"""What may be written at a place: reserved words, names in scope, fields, definitions; keys and ids in data."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from warhost.lang import tree
from warhost.lang.expressions import BUILT_IN
from warhost.lang.lexer import split_blocks
from warhost.lang.parser import parse
from warhost.lang.types import Type
from warhost_lsp.asking import Page
from warhost_lsp.following import may_follow
from warhost_lsp.meanings import Meanings, Seen, Thing
from warhost_lsp.occurrences import occurrences
from warhost_lsp.schema_keys import properties
from warhost_lsp.state import OpenRuleset

#: Stands for the word that is being written.
HERE = "here_"

_PARTIAL = re.compile(r"[A-Za-z_]\w*$")
_TITLE = re.compile(r'"([^"]*)$')
_REF = re.compile(r"\bref +(?:[A-Z][A-Z0-9-]*, *)*[A-Z0-9-]*$")
#: What must follow the word that is being written for its line to be read, as far as one can guess.
_TAILS = ("", " = 0", "\n{deeper}pass", "()", " 0", ": pass", " because \"\"", "\n{deeper}x: 0", " is a x", " +1")


class Suggestion(NamedTuple):
    """A word that may stand there. sort: what it is; detail: its type or the like; thing: to explain it."""

    label: str
    sort: str
    detail: str = ""
    thing: Thing | None = None


#: Suggestions that are shown at once; more take longer to send than to find.
MOST = 200


def complete(page: Page, line: int, column: int) -> tuple[list[Suggestion], bool]:
    """What may stand at a place and fits what is written of the word, the likeliest first; and whether that is all."""
    before = page.lines[line - 1][: column - 1] if 0 < line <= len(page.lines) else ""
    found = (_in_rules if page.path.suffix == ".rules" else _in_data)(page, line, before)
    begun = _partial(before).lower()
    fitting = {(one.label, one.sort): one for one in found if _fits(begun, one.label.lower())}
    return list(fitting.values())[:MOST], len(fitting) <= MOST


def _fits(begun: str, label: str) -> bool:
    """Whether the letters that are written stand in a word in this order, the first one at its beginning."""
    if not begun or label.startswith(begun):
        return True
    rest = iter(label)
    return label[:1] == begun[0] and all(letter in rest for letter in begun)


# -- rules ------------------------------------------------------------------------------------------


def _in_rules(page: Page, line: int, before: str) -> list[Suggestion]:
    meanings = page.state.meanings
    if meanings is None or _in_comment(before):
        return []
    if _REF.search(before):
        rules = page.state.rules
        return [Suggestion(one.id, "rule of the book", one.title) for one in rules.rulebook.values()] if rules else []
    block = _block_above(page, line)
    title = _TITLE.search(before) if before.count('"') % 2 else None
    cut = title.start() if title is not None else len(before) - len(_partial(before))
    head = before[:cut]
    written = [*block, (line, head)]
    role, seen = _role(page, written, meanings)
    if title is not None:
        return [*_titles(meanings, "")] if role in ("title", "quality", "name", "text", "") else []
    words: set[str] = set()
    names = head.endswith(".")
    if not names:
        margin = not head.strip() and not head
        words, names = may_follow([] if margin else written)
    keywords = [Suggestion(word, "keyword") for word in sorted(words)]
    if not head.strip() and len(head) <= 4:
        keywords += [Suggestion(kind, "kind", spec.doc) for kind, spec in meanings.symbols.kinds.items()]
    named = list(_named(page, role, seen, meanings)) if names else []
    wanted = seen.wanted.name if seen is not None and seen.wanted is not None else None
    nearest = [o for o in named if o.sort in ("local", "field") or (o.sort == "word" and o.detail == wanted)]
    return [*nearest, *keywords, *named]


def _in_comment(before: str) -> bool:
    return "#" in re.sub(r'"[^"]*"?', "", before)


def _partial(before: str) -> str:
    found = _PARTIAL.search(before)
    return found[0] if found else ""


def _block_above(page: Page, line: int) -> list[tuple[int, str]]:
    """The lines of the block in which a line stands, down to the one above it."""
    blocks, _ = split_blocks(page.lines[: line - 1])
    current = page.lines[line - 1] if 0 < line <= len(page.lines) else ""
    if not blocks or (current and current[0] not in " \t#"):
        return []
    return list(blocks[-1].lines)


def _role(page: Page, written: list[tuple[int, str]], meanings: Meanings) -> tuple[str, Seen | None]:
    """The part that a word would play there, and what the checker knows at its place."""
    number, last = written[-1]
    deeper = " " * (len(last) - len(last.lstrip()) + 4)
    open_ = ")" * max(last.count("(") - last.count(")"), 0)
    above = "\n" * (written[0][0] - 1) + "".join(f"{text}\n" for _, text in written[:-1])
    for tail in _TAILS:
        text = f"{above}{last}{HERE}{open_}{tail.format(deeper=deeper)}\n"
        module, problems = parse(text, page.label or "")
        if problems or not module.blocks:
            continue
        found = next((one for one in occurrences(module, text) if one.name == HERE and one.pos.line == number), None)
        block = module.blocks[-1]
        seen = _looked_at(block, meanings)
        at = next((s for (_, n, c), s in seen.items() if n == number and c == len(last) + 1), None)
        return (found.role if found is not None else "name"), at or _statement_at(seen, number)
    return "", _scope_above(page, written, meanings)


def _looked_at(block: tree.AnyBlock, meanings: Meanings) -> Mapping[tuple[str, int, int], Seen]:
    """What the checker makes of a block that is being written, of the one inside for a house rule."""
    if isinstance(block, tree.HouseRule) and block.blocks:
        block = block.blocks[-1]
    if isinstance(block, tree.Replace):
        block = block.block
    try:
        return meanings.inside(block)
    except Exception:  # half a block may be anything; what is offered is then less
        return {}


def _statement_at(seen: Mapping[tuple[str, int, int], Seen], number: int) -> Seen | None:
    """What is known in a line, of a statement in it."""
    return next((one for (_, n, _), one in sorted(seen.items()) if n == number), None)


def _scope_above(page: Page, written: list[tuple[int, str]], meanings: Meanings) -> Seen | None:
    """The names in scope, from the lines above alone: the current one is a step that does nothing."""
    number, last = written[-1]
    indent = " " * (len(last) - len(last.lstrip()))
    for more in ("pass", "x +1"):
        above = "\n" * (written[0][0] - 1) + "".join(f"{text}\n" for _, text in written[:-1])
        text = f"{above}{indent}{more}\n"
        module, problems = parse(text, page.label or "")
        if not problems and module.blocks:
            return _statement_at(_looked_at(module.blocks[-1], meanings), number)
    return None


def _named(page: Page, role: str, seen: Seen | None, meanings: Meanings) -> Iterator[Suggestion]:
    """The names that may stand in a role."""
    s = meanings.symbols
    if seen is not None and seen.of is not None:
        yield from _members(seen.of, meanings)
        return
    if seen is not None and seen.wanted is not None and seen.wanted.kind == "word":
        yield from _words(meanings, seen.wanted.name)
    match role:
        case "title":
            yield from _titles(meanings, "")
        case "type":
            yield from (Suggestion(name, "type") for name in _TYPES)
            yield from (Suggestion(name, "noun", thing=Thing("noun", name)) for name in s.nouns)
            yield from (Suggestion(name, "words", thing=Thing("words", name)) for name in s.words)
            yield from (Suggestion(name, "kind", thing=Thing("kind", name)) for name in s.kinds)
        case "noun":
            yield from _nouns(meanings)
        case "event" | "roll":
            yield from _blocks(meanings, role)
        case "phase":
            yield from (Suggestion(name, "phase") for name in ("turn", "phase", "game"))
            yield from _phases(page.state)
        case "block":
            yield from ()
        case "quality":
            yield from _blocks(meanings, "flag")
            yield from _nouns(meanings)
            yield from _titles(meanings, "")
            yield from (Suggestion(name, "word", owner[0]) for name, owner in s.word_owners.items())
        case "word":
            yield from (Suggestion(name, "word", owner[0]) for name, owner in s.word_owners.items())
        case _:
            yield from _anything(seen, meanings)


_TYPES = ("number", "fraction", "distance", "yes_no", "text", "list of")


def _anything(seen: Seen | None, meanings: Meanings) -> Iterator[Suggestion]:
    for name, type_ in (seen.names if seen is not None else {}).items():
        yield Suggestion(name, "local", str(type_))
    for sort in ("number", "flag", "value", "procedure", "table", "choice"):
        yield from _blocks(meanings, sort)
    for name in meanings.symbols.functions:
        yield Suggestion(name, "function", thing=Thing("function", name))
    yield from (Suggestion(name, "function") for name in BUILT_IN)
    yield from (Suggestion(name, "noun", "a thing of its own") for name in ("battle", "scenario", "side_a", "side_b"))
    yield from (Suggestion(name, "table", thing=Thing("table", name)) for name in meanings.symbols.data_tables)
    yield from _nouns(meanings)
    yield from (Suggestion(name, "word", owner[0]) for name, owner in meanings.symbols.word_owners.items())


def _blocks(meanings: Meanings, sort: str) -> Iterator[Suggestion]:
    for name, block in meanings.symbols.blocks[sort].items():
        params = getattr(block, "params", ()) or getattr(block, "by", ())
        detail = f"({', '.join(param.name for param in params)})"
        yield Suggestion(name, sort, detail, Thing(sort, name))


def _nouns(meanings: Meanings) -> Iterator[Suggestion]:
    for noun in meanings.symbols.nouns.values():
        yield Suggestion(noun.name, "noun", thing=Thing("noun", noun.name))
        yield Suggestion(noun.plural, "noun", thing=Thing("noun", noun.name))


def _words(meanings: Meanings, of: str) -> Iterator[Suggestion]:
    yield from (Suggestion(word, "word", of, Thing("word", word, of)) for word in meanings.symbols.words.get(of, ()))


def _titles(meanings: Meanings, kind: str) -> Iterator[Suggestion]:
    for title, kinds in meanings.symbols.titles.items():
        if not kind or kind in kinds:
            yield Suggestion(title, "definition", kinds[0], Thing("definition", title, kind or kinds[0]))


def _phases(state: OpenRuleset) -> Iterator[Suggestion]:
    for placed in state.rules.placed if state.rules is not None else ():
        if isinstance(placed.block, tree.TurnBlock):
            yield from (Suggestion(one.name, "phase", one.title or "") for one in placed.block.phases)


def _members(of: Type, meanings: Meanings) -> Iterator[Suggestion]:
    """What can be asked of something: its fields, and numbers, flags and values that take only it."""
    s = meanings.symbols
    if of.kind == "kind":
        kinds = [s.kinds[of.name]] if of.name in s.kinds else s.kinds.values()
        yield from (Suggestion(one.name, "field", one.type) for kind in kinds for one in kind.fields)
        yield from (Suggestion(name, "field", "yes_no") for kind in kinds for name in kind.flags)
        yield from (Suggestion(name, "field", "text") for name in ("name", "kind"))
        return
    if of.kind != "noun":
        return
    root = s.root(of.name)
    for name in dict.fromkeys(s.field_names(of.name)):
        yield Suggestion(name, "field", str(s.field_type(of.name, name)), Thing("field", name, root))
    for sort in ("number", "flag", "value"):
        for name, block in s.blocks[sort].items():
            params = list(getattr(block, "params", ()))
            if len(params) == 1 and s.assignable(of.certain, s.param_type(params[0])):
                yield Suggestion(name, sort, thing=Thing(sort, name))
    for function in s.functions.values():
        takes = list(function.parameters)
        alone = function.pure and takes and all(p.optional for p in takes[1:])
        if alone and s.assignable(of.certain, s.parse_type(takes[0].type)):
            yield Suggestion(function.name, "function", function.result, Thing("function", function.name))


# -- data -------------------------------------------------------------------------------------------

def _in_data(page: Page, line: int, before: str) -> list[Suggestion]:
    file = page.state.files.get(page.label or "")
    if file is None or page.state.meanings is None or "#" in before:
        return []
    path = _path_above(page.lines, line, before)
    key = re.match(r"\s*(?:- +)*([\w ]+): *\[?", before)
    if key is not None:
        return list(_values(page, file.kind, path, key[1], page.state.meanings))
    if re.fullmatch(r"\s*- +[\w ]*", before) and path:
        return [*_values(page, file.kind, path[:-1], path[-1], page.state.meanings), *_keys(page, file.kind, path)]
    return list(_keys(page, file.kind, path)) if re.fullmatch(r"[\s-]*[\w ]*", before) else []


def _path_above(lines: list[str], line: int, before: str) -> list[str]:
    """The keys under which a line stands, outermost first, by their indentation."""
    path: list[str] = []
    column, dash = _columns(before)
    if dash is not None:
        column = dash + 1  # the items of a list may be in line with its key
    for text in reversed(lines[: line - 1]):
        found = _OPENS.match(text)
        if found is None:
            continue
        here, dash = _columns(text)
        if here < column and not found["rest"]:
            path.insert(0, found["key"])
            column = here
        elif here != column or dash is None:
            continue
        if dash is not None:  # the first key of an item: what is above it has the list
            column = dash + 1
    return path


#: A line with a key; rest: what stands behind it.
_OPENS = re.compile(r"\s*(?:- +)*(?P<key>[\w ]+): *(?P<rest>[^#]*)")


def _columns(text: str) -> tuple[int, int | None]:
    """Where the key of a line begins, and the dash before it, if there is one."""
    bare = text.lstrip(" ")
    indent = len(text) - len(bare)
    if not bare.startswith("- ") and bare != "-":
        return indent, None
    return indent + len(bare) - len(bare[1:].lstrip(" ")), indent


def _keys(page: Page, kind: str, path: list[str]) -> Iterator[Suggestion]:
    """The keys that the schema knows there; in a profile and its parts, fields and lists of kinds as well."""
    for name, schema in properties(kind, path):
        yield Suggestion(name, "key", str(schema.get("description", "")))
    meanings = page.state.meanings
    if meanings is None:
        return
    if kind in ("profiles", "house") and len(path) == 2 and path[0] == "profiles":
        for name, info in meanings.symbols.fields_of("unit").items():
            if info.profile:
                yield Suggestion(name, "field", str(info.type), Thing("field", name, "unit"))
        yield from (Suggestion(one, "key", name) for one, name in meanings.symbols.kind_plurals.items())


def _values(page: Page, kind: str, path: list[str], key: str, meanings: Meanings) -> Iterator[Suggestion]:
    """What may stand after a key."""
    rules = page.state.rules
    if rules is None:
        return
    ids: dict[str, Iterable[str]] = {
        "profile": rules.profiles, "extends": [*rules.profiles, *rules.abstract_profiles], "list": rules.lists,
        "army": rules.armies, "armies": rules.armies, "scenario": rules.scenarios, "ref": rules.rulebook,
        "plugins": rules.plugins.names,
    }  # fmt: skip
    yield from (Suggestion(one, key) for one in ids.get(key, ()))
    if key in meanings.symbols.kind_plurals:
        yield from _titles(meanings, meanings.symbols.kind_plurals[key])
    info = meanings.symbols.fields_of("unit").get(key) if kind in ("profiles", "house") else None
    type_ = (info.type.item or info.type) if info is not None else None
    if type_ is not None and type_.kind == "word":
        yield from _words(meanings, type_.name)
    elif type_ is not None and type_.kind == "yes_no":
        yield from (Suggestion(word, "word") for word in ("yes", "no"))
    for name, schema in properties(kind, path):
        if name == key:
            yield from (Suggestion(str(one), "word") for one in _choices(schema))


def _choices(schema: Mapping[str, Any]) -> Iterator[Any]:
    if schema.get("type") == "boolean":
        yield from ("true", "false")
    yield from (one for one in schema.get("enum", ()) if one is not None)


