"""Many problems with one cause, told once and where it is: what a layer removed, what is misspelt where declared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from warhost.errors import Problem, is_a_slip, mistakes
from warhost.lang import tree
from warhost.lang.block_checker import turned_into_fractions
from warhost.lang.place import Pos
from warhost.packs.checks import RulesetToCheck
from warhost.packs.data import raw_elements
from warhost.packs.parsed import ParsedRules
from warhost.packs.yaml_source import Map
from warhost.plugins import Active
from warhost_sense import asked
from warhost_sense.blocks import blocks_in
from warhost_sense.data import TOO_FEW_ROWS
from warhost_sense.hints import with_amend_said, with_better_hints, with_plugins_named

_KEY_UNKNOWN = re.compile(r'^"[^"]+" is not known here$|^the board has no "')
_QUOTED = re.compile(r'"([^"]+)"')
_MEANT = re.compile(r'did you mean "([^"]+)"\?$')
_IN_ONE_LINE = re.compile(r"^(.+?); ((?:did you mean|there is|there are|write) .+)$", re.DOTALL)

#: Codes of problems that say that something is not there.
_MISSING = frozenset({"missing-field", "missing-argument", "no-turn", "not-writable", "no-anchor"})
#: What is said of a change of something that is not there.
_IN_VAIN = re.compile(r"^there is no .* (?:to (?:amend|replace|remove|extend)|that could be \w+)$")

#: Codes of files of which nothing is read.
_UNREAD = frozenset({"stray-file", "wrong-folder", "missing-head"})

#: What a library leaves to the ruleset: a kind of block, and its name.
_LEFT = re.compile(r"leaves `\w+ (\w+)")

_ONE_OF = re.compile(r"`(\w+): \.\.`")
_NEEDS = re.compile(r" needs ([a-z_]+(?:, [a-z_]+)*)$")
_RENAMES = re.compile(r'\s*rename \w+ (?:"[^"]*"|\w+) to ("[^"]*"|\w+)')
_NOT_RENAMED = frozenset({"wrong-rename", "defined-twice"})
_TABLE = re.compile(r"table (\w+) has nothing")
_IS_NOT = re.compile(r"is '([^']+)', but")

#: What is said of a parameter that has no type.
_UNTYPED = re.compile(r"without a type `(\w+)` is a number: write `\w+: (\w+)`")

_ALREADY = re.compile(r'there is already an? \w+ called "(\w+)"')
#: Codes of problems of what is asked for where another of its name is meant.
_OF_ANOTHER = frozenset({
    "wrong-type", "wrong-unit", "too-many-arguments", "missing-argument", "may-be-none", "wrong-form", "pure",
})  # fmt: skip

_PARAMETERS = re.compile(r"write \w+\((.*)\)$")
_OTHER_VALUES = re.compile(r'the (\w+) "([^"]+)" (takes .+), not (\d+)$')
#: Where so many bear a definition with values that it does not take, the definition is what is wrong.
MANY = 3

#: A name that so many places say, and nothing is called, is more likely misspelt where it is declared.
SEVERAL = 2


@dataclass(frozen=True, slots=True)
class Removal:
    """Something that a layer took out: what it was, the names that are gone with it, and where it says so."""

    what: str
    names: frozenset[str]
    pos: Pos
    by_data: bool = False


def of_one_cause(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """The problems with those that follow from one cause told as one, at that."""
    foreign = [p for p in problems if p.code == "wrong-ruleset"]
    if foreign:  # a house rule for another game: nothing in it can fit
        return foreign
    if (boards := _two_boards(problems, read)) is not None:  # whatever is asked of them may mean either
        return [boards]
    problems = asked.told_once(with_plugins_named(with_amend_said(problems, read), read), read)
    broken = _broken_names(problems, read)
    unread = any(p.code in _UNREAD for p in problems)  # what is missed may be in it
    causes = [p for p in problems if not (_follows_from_broken(p, broken) or (unread and _is_missed(p)))]
    causes = _without_lost_ids(_without_crossed_limits(causes), read)
    left = [_with_hint_apart(p) for p in causes]
    modules = [parsed.module for source in read.sources for parsed in source.rules()]
    for word, pos in (one for module in modules for one in added_words(module)):
        left = _told_at_addition(left, word, pos)
    for removal in removals_in(read):
        left = _told_at_removal(left, removal)
    left = _told_at_fraction(left, reversed(modules), read.texts)
    left = _told_where_named_twice(left, read.texts)
    left = _without_rows_missed(left, read)
    left = _told_at_noun(_told_at_declaration(left, read.texts), read)
    left = _without_echoes(_told_at_replacement(left, read))
    left = _told_at_definition(_told_at_after(left), read)
    if mistakes(left):  # what would use it may be what is wrong
        left = [p for p in left if p.code not in ("unused", asked.CODE)]
    if any(p.code != "unasked" for p in left):  # whoever mends that may come to use it
        left = [p for p in left if p.code != "unasked"]
    return with_better_hints(_turn_told_in_the_manifest(left, read), read)


def _two_boards(problems: Sequence[Problem], read: RulesetToCheck) -> Problem | None:
    """Two plugins of one ruleset that are boards, and clash in what every board has."""
    clash = next((p for p in problems if p.code == "plugin-clash"), None)
    if clash is None or read.contents is None:
        return None
    boards = [name for name in read.contents.plugins.names if Active((name,)).has("warhost_board")]
    if len(boards) < 2 or not all(f'"{name}"' in clash.message for name in boards):
        return None
    first, second = boards[:2]
    message = f'the plugins "{first}" and "{second}" are both boards, and a ruleset has one'
    return replace(clash, message=message, hint=f"take one of them away: {first} or {second}")


def _turn_told_in_the_manifest(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """That there is no turn, which has no place in the rules, at the beginning of the manifest. What is to be changed
    and is not there either belongs to the ruleset that this one does not say it extends.
    """
    if read.contents is None or not any(p.code == "no-turn" for p in problems):
        return list(problems)
    place = read.contents.manifests[-1].here
    left = [p for p in problems if not _IN_VAIN.search(p.message)]
    return [
        replace(p, file=place.file, line=place.line, column=place.column) if p.code == "no-turn" and not p.file else p
        for p in left
    ]


def _told_at_after(problems: Sequence[Problem]) -> list[Problem]:
    """House rules that clash because an `after` is misspelt: told there, once."""
    misspelt = {p.hint: p for p in problems if p.code == "never" and (p.hint or "").startswith("did you mean: after ")}
    told: list[Problem] = []
    for p in problems:
        at = misspelt.get(p.hint) if p.code == "house-conflict" else None
        if at is not None:
            told.append(replace(at, code=p.code, message=f"{at.message}, and without it {p.message}"))
        elif not (p.code == "never" and any(q.code == "house-conflict" and q.hint == p.hint for q in problems)):
            told.append(p)
    return told


def _broken_names(problems: Sequence[Problem], read: RulesetToCheck) -> set[str]:
    """The names that blocks would define which could not be read, and those that libraries miss: told there."""
    found = {match[1] for p in problems if p.code == "library-needs" and (match := _LEFT.search(p.message))}
    for source in read.sources:
        for _, parsed, text in source.files:
            if isinstance(parsed, ParsedRules) and all(p.line for p in parsed.problems):
                found |= words_of_broken_blocks(text, parsed.problems)
        for file, data in source.data("profiles", "house", "army", "scenario"):
            if data.problems and isinstance(data.data, Map):
                found.update(raw.id for raw in raw_elements(file.kind, data.data))
                found.add(str(data.data.get("id")))  # of whatever kind it is, if that is what is wrong
    for p in problems:
        if p.code in _NOT_RENAMED and (renamed := _RENAMES.match(_line_of(p, read.texts))) is not None:
            found.add(renamed[1].strip('"'))  # nothing is called so, as it could not be
        if _KEY_UNKNOWN.search(p.message) and p.file in read.texts:
            found |= words_under(read.texts[p.file], p.line, p.column)
    return found


def words_under(text: str, line: int, column: int) -> set[str]:
    """Every word below a key that begins a line of YAML: under the name that was meant it would be known elsewhere."""
    lines = text.splitlines()
    if not 0 < line <= len(lines) or lines[line - 1][: column - 1].strip(" -"):
        return set()
    last = line
    while last < len(lines) and not lines[last][:column].strip():
        last += 1
    return set(re.findall(r"[A-Za-z_]\w*", "\n".join(lines[line - 1 : last])))


def words_of_broken_blocks(text: str, problems: Iterable[Problem]) -> set[str]:
    """Every word of the blocks in which something could not be read: what they define would be missed elsewhere."""
    lines = text.splitlines()
    found: set[str] = set()
    for p in problems:
        first = last = min(max(p.line, 1), len(lines)) if lines else 0
        while first > 1 and not lines[first - 1][:1].strip():
            first -= 1
        while last < len(lines) and not lines[last][:1].strip():
            last += 1
        block = "\n".join(lines[max(first - 1, 0) : last])
        found.update(re.findall(r"[A-Za-z_]\w*", block))
        found.update(_QUOTED.findall(block))
    return found


def _follows_from_broken(p: Problem, broken: set[str]) -> bool:
    """Whether something is only missed because the block that would have it could not be read."""
    if not broken or not (_is_missed(p) or p.code == "wrong-type"):
        return False
    if p.code == "wrong-type":
        return bool(_misses(p) & broken)
    if _KEY_UNKNOWN.search(p.message):
        return False
    named = set(_QUOTED.findall(p.message))
    return not named or bool(named & broken)


def _is_missed(p: Problem) -> bool:
    """Whether something is named that is not there."""
    return p.code in _MISSING or p.code.startswith("unknown-")


def _with_hint_apart(p: Problem) -> Problem:
    """A sentence that ends in what would mend it, as the two that they are."""
    found = _IN_ONE_LINE.match(p.message) if p.hint is None else None
    return replace(p, message=found[1], hint=found[2]) if found else p


def _misses(p: Problem) -> set[str]:
    """The names in a problem that says that something is not there."""
    if p.code == "wrong-type":
        return set(_IS_NOT.findall(p.message))
    if not p.code.startswith("unknown-") or "that could be" in p.message:
        return set()
    return set(_QUOTED.findall(p.message))


def _told_at_addition(problems: list[Problem], word: str, pos: Pos) -> list[Problem]:
    """What tables have nothing for, because a layer has added it."""
    following = [p for p in problems if p.code == "no-case" and p.message.endswith(f'has nothing for "{word}"')]
    if not following:
        return problems
    tables = sorted({found[1] for p in following if (found := _TABLE.search(p.message)) is not None})
    many = len(following) > 1
    lacking = f"{len(following)} rows or tables have" if many else "a row or table has"
    message = f'"{word}" is added here, and {lacking} nothing for it'
    hint = f"add rows in a file of data, with `amend: true`: {', '.join(tables)}"
    told = Problem(pos.file, pos.line, pos.column, "no-case", message, hint)
    return [*(p for p in problems if p not in following), told]


def _told_at_removal(problems: list[Problem], removal: Removal) -> list[Problem]:
    following = [p for p in problems if _misses(p) & removal.names]
    if not following:
        return problems
    first, count = following[0], len({(p.file, p.line, p.column) for p in following})
    places = f"{count} places" if count > 1 else "a place"
    message = f"{removal.what} is removed here, and used in {places}: {first.file}:{first.line}"
    if len(removal.names) > 1:
        message += f' ("{next(iter(sorted(_misses(first) & removal.names)))}")'
    mend = "take it out of the lists and armies that name it"
    hint = mend if removal.by_data else f"put something in its place (`replace {removal.what} ..`), or remove its uses"
    told = Problem(removal.pos.file, removal.pos.line, removal.pos.column, "removed-but-used", message, hint)
    return [*(p for p in problems if p not in following), told]


def _told_at_fraction(
    problems: list[Problem], modules: Iterable[tree.Module | None], texts: Mapping[str, str]
) -> list[Problem]:
    """A whole number of which one line makes a fraction, that others do not take: told at the line."""
    following = [p for p in problems if p.code == "wrong-type" and p.message.endswith("but it is a fraction")]
    if not following:
        return problems
    for line in (one for module in modules for one in lines_of_fractions(module)):
        taken = [p for p in following if line.target in _words_of_line(p, texts)]
        if taken:
            p = taken[0]
            message = f'this makes a fraction of "{line.target}", and a whole number is wanted: {p.file}:{p.line}'
            told = Problem(line.pos.file, line.pos.line, line.pos.column, "wrong-type", message, "give a whole number")
            return [*(p for p in problems if p not in taken), told]
    return problems


def _words_of_line(p: Problem, texts: Mapping[str, str]) -> list[str]:
    return re.findall(r"\w+", _line_of(p, texts))


def _line_of(p: Problem, texts: Mapping[str, str]) -> str:
    lines = texts.get(p.file, "").split("\n")
    return lines[p.line - 1] if 0 < p.line <= len(lines) else ""


def lines_of_fractions(module: tree.Module | None) -> Iterator[tree.Modifier]:
    """The lines in the definitions of a file that give a fraction to a number."""
    for block in blocks_in(module):
        if isinstance(block, tree.KindBlock):
            for node in tree.walk(block):
                if isinstance(node, tree.Modifier) and node.target and turned_into_fractions([node]):
                    yield node


def _without_lost_ids(problems: list[Problem], read: RulesetToCheck) -> list[Problem]:
    """Without the scenarios, armies and lists that are missed while the id of one of them is no id."""
    wrong = {(p.file, p.line) for p in problems if p.message.startswith('"id" must')}
    kinds = {
        raw.kind
        for source in read.sources
        for file, data in source.data("army", "scenario")
        if isinstance(data.data, Map) and any(place[0] == file.label for place in wrong)
        for raw in raw_elements(file.kind, data.data)
    }
    return [p for p in problems if p.code.removeprefix("unknown-") not in kinds]


#: A field whose limits cross, and what is then said of figures that lie between none of them.
_CROSSED = re.compile(r'^("\w+") cannot be at least')
_BEYOND = re.compile(r'^("\w+") of .* is .*, and may only be')


def _without_crossed_limits(problems: list[Problem]) -> list[Problem]:
    """Without figures that lie beyond limits between which nothing lies."""
    crossed = {found[1] for p in problems if p.code == "limits-cross" and (found := _CROSSED.match(p.message))}
    return [p for p in problems if (found := _BEYOND.match(p.message)) is None or found[1] not in crossed]


def _without_rows_missed(problems: list[Problem], read: RulesetToCheck) -> list[Problem]:
    """Without what is told of lists that say something of none, or too few, of their rows, while anything in the files
    of lists is wrong: that may be why, as lists extend each other.
    """
    missed = [p for p in problems if p.code == "nothing-meant" or p.message.endswith(TOO_FEW_ROWS)]
    if not missed:
        return problems
    files = {file.label for source in read.sources for file, _ in source.data("army")}
    why = any(p.file in files for p in mistakes(problems) if p not in missed)
    return [p for p in problems if p not in missed] if why else problems


def _told_at_declaration(problems: list[Problem], texts: Mapping[str, str]) -> list[Problem]:
    """What several places name and nothing is called, when something nearly so called is named nowhere."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for p in problems:
        meant = _MEANT.search(p.hint or "")
        if meant is not None and p.code.startswith("unknown-"):
            for name in _QUOTED.findall(p.message)[-1:]:
                groups.setdefault((name, meant[1]), []).append(p)
    for (name, declared), group in groups.items():
        if len(group) < SEVERAL:
            continue
        place = _only_place(declared, texts)
        if place is None:
            continue
        first = group[0]
        message = (
            f'nothing else says "{declared}", and {len(group)} places say "{name}", which nothing is called: '
            f"{first.file}:{first.line}"
        )
        told = Problem(*place, "unknown-name", message, f'did you mean "{name}"?')
        problems = [*(p for p in problems if p not in group and name not in _misses(p)), told]
    return problems


def _told_at_noun(problems: list[Problem], read: RulesetToCheck) -> list[Problem]:
    """A noun misspelt where it is declared: parameters of the name that was meant have no type then."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for p in problems:
        if (found := _UNTYPED.match(p.hint or "")) is not None:
            groups.setdefault((found[1], found[2]), []).append(p)
    nouns = [b for one in read.merged.placed if isinstance(b := one.block, tree.NounBlock)]
    for (name, type_), group in groups.items():
        meant = [b for b in nouns if b.is_a == type_ and is_a_slip(b.name, name)]
        place = _only_place(meant[0].name, read.texts) if len(meant) == 1 and len(group) >= SEVERAL else None
        if place is not None:
            first = f"{group[0].file}:{group[0].line}"
            message = f'nothing else says "{meant[0].name}", and "{name}" of {len(group)} places has no type: {first}'
            told = Problem(*place, "unknown-name", message, f'did you mean "{name}"?')
            problems = [*(p for p in problems if p not in group and not _speaks_of(p, name, read.texts)), told]
    return problems


def _speaks_of(p: Problem, name: str, texts: Mapping[str, str]) -> bool:
    """Whether a problem is about a name, or stands in a line that has it."""
    return p.message.startswith(f'{name} of "') or name in _words_of_line(p, texts)


def _told_at_replacement(problems: list[Problem], read: RulesetToCheck) -> list[Problem]:
    """What no longer fits those who ask for it, because a layer has put something else in its place. Who stands in that
    layer, or above it, could know.
    """
    odd = ("missing-argument", "too-many-arguments", "wrong-type", "wrong-parameters")
    layers = {file.label: source.layer.index for source in read.sources for file, _, _ in source.files}
    for one in read.merged.replaced:
        name, layer = one.message.split()[0], layers.get(one.file, 0)
        below = [p for p in problems if layers.get(p.file, layer) < layer]
        following = [p for p in below if p.code in odd and name in _QUOTED.findall(p.message)]
        if (called := _PARAMETERS.match(one.hint or "")) is not None:
            lost = {f'there is no name called "{param}"' for param in called[1].split(", ")}
            following += [p for p in below if p.message in lost and name in _words_of_line(p, read.texts)]
        if following:
            problems = [*(p for p in problems if p not in following), one]
    return problems


def _told_at_definition(problems: list[Problem], read: RulesetToCheck) -> list[Problem]:
    """A definition that takes other values than everybody gives it who bears it: told where it is defined."""
    groups: dict[tuple[str, str], list[Problem]] = {}
    for p in problems:
        if p.code == "wrong-values" and (found := _OTHER_VALUES.match(p.message)):
            groups.setdefault((found[1], found[2]), []).append(p)
    for (kind, title), group in groups.items():
        block = next((b for b in _kind_blocks(read) if (b.kind, b.title.text) == (kind, title)), None)
        if block is None or len(group) < MANY or _is_borne_rightly(title, len(block.params), read):
            continue
        first, takes = group[0], _OTHER_VALUES.match(group[0].message)
        assert takes is not None
        given = f"{len(group)} places give {takes[4]}: {first.file}:{first.line}"
        message = f'the {kind} "{title}" {takes[3]} here, and {given}'
        hint = "give it the parameters that it is borne with, or call the new one otherwise"
        told = Problem(block.pos.file, block.pos.line, block.pos.column, "wrong-values", message, hint)
        problems = [*(p for p in problems if p not in group), told]
    return problems


def _kind_blocks(read: RulesetToCheck) -> Iterator[tree.KindBlock]:
    return (one.block for one in read.merged.placed if isinstance(one.block, tree.KindBlock))


def _is_borne_rightly(title: str, values: int, read: RulesetToCheck) -> bool:
    """Whether some profile bears it with so many values as it takes."""
    profiles = read.contents.data.profiles.values() if read.contents is not None else ()
    return any(
        one.name == title and len(one.args) == values for p in profiles for some in p.bears.values() for one in some
    )


def _only_place(name: str, texts: Mapping[str, str]) -> tuple[str, int, int] | None:
    """Where the one line stands that has a name; None when several have it, or none."""
    word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    found: tuple[str, int, int] | None = None
    for file, text in texts.items():
        for match in word.finditer(text) if name in text else ():
            if found is not None:
                return None
            start = text.rfind("\n", 0, match.start()) + 1
            found = file, text.count("\n", 0, match.start()) + 1, match.start() - start + 1
    return found


def _told_where_named_twice(problems: list[Problem], texts: Mapping[str, str]) -> list[Problem]:
    """Two blocks of one name: whoever means the one that is not taken has neither types nor arguments wrong."""
    twice = {found[1] for p in problems if p.code == "duplicate-name" and (found := _ALREADY.match(p.message))}
    return [
        p for p in problems
        if p.code not in _OF_ANOTHER or twice.isdisjoint((*_QUOTED.findall(p.message), *_words_of_line(p, texts)))
    ]  # fmt: skip


def _without_echoes(problems: list[Problem]) -> list[Problem]:
    """What a misspelt key is said to be is not also told as missing."""
    meant: set[tuple[str, str]] = set()
    for p in problems:
        found = _MEANT.search(p.hint or "")
        if found is not None:
            meant.add((p.file, found[1]))
    certain = {(p.file, p.line, p.column) for p in problems if not p.is_warning}
    lacking = {(p.file, p.line, p.column) for p in problems if p.code == "missing-argument"}
    problems = [p for p in problems if p.code != "wrong-type" or (p.file, p.line, p.column) not in lacking]
    problems = [p for p in problems if p.code != "unknown-text" or (p.file, p.line, p.column) not in certain]
    clashing = {(p.file, p.line, p.column) for p in problems if p.code == "house-conflict"}
    problems = [p for p in problems if p.code != "unknown-name" or (p.file, p.line, p.column) not in clashing]
    types = {(p.file, p.line) for p in problems if " are what the rules define; " in (p.hint or "")}
    problems = [p for p in problems if p.code != "unknown-field" or (p.file, p.line) not in types]
    return [p for p in problems if not any((p.file, name) in meant for name in _missed(p))]


def _missed(p: Problem) -> list[str]:
    """The keys that a problem says are missing."""
    if p.code == "missing-property":
        return _QUOTED.findall(p.message) + _ONE_OF.findall(p.hint or "")
    found = _NEEDS.search(p.message) if p.code == "wrong-board" else None
    return found[1].split(", ") if found else []


# -- what layers add and take out ---------------------------------------------------------------------


def added_words(module: tree.Module | None) -> Iterator[tuple[str, Pos]]:
    """The words that the amendments of a file add to enumerations."""
    for block in blocks_in(module):
        if isinstance(block, tree.Amend) and block.kind == "words":
            yield from ((one.name, one.pos) for one in block.changes if isinstance(one, tree.KindFlag))


def removals_in(read: RulesetToCheck) -> Iterator[Removal]:
    """What the layers took out, by name, with the places that say so."""
    gone: dict[tuple[str, str], frozenset[str]] = {}
    for one in read.merged.removed:
        block = one.block
        names = block.words if isinstance(block, tree.WordsBlock) else ()
        titles = (block.title.text,) if isinstance(block, tree.KindBlock) else (one.name,)
        gone[one.kind, one.name] = frozenset((*names, *titles))
        pos = one.history[-1].pos
        yield Removal(f"{one.kind} {one.name}", gone[one.kind, one.name], pos)
    for source in read.sources:
        for parsed in source.rules():
            yield from removals_of_words(parsed.module)
        for file, data in source.data("profiles", "house"):
            for raw in raw_elements(file.kind, data.data) if isinstance(data.data, Map) else ():
                if raw.data.get("remove") is True:
                    yield Removal(f"{raw.kind} {raw.id}", frozenset((raw.id,)), raw.pos, by_data=True)


def removals_of_words(module: tree.Module | None) -> Iterator[Removal]:
    """What the amendments of a file take out of enumerations and of what is declared of nouns."""
    for block in blocks_in(module):
        if isinstance(block, tree.Amend) and block.kind in ("words", "state", "profile", "state of", "profile of"):
            for change in block.changes:
                if isinstance(change, tree.RemoveLine):
                    what = f'"{change.called}" of {block.kind} {block.name.text}'
                    yield Removal(what, frozenset((change.called,)), change.pos)
