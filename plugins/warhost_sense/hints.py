"""Hints that take a look around: names of plugins that nobody names, keys that belong elsewhere, other lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from warhost.errors import Problem, is_a_slip
from warhost.lang import tree
from warhost.lang.place import Pos
from warhost.packs import schemas
from warhost.packs.checks import RulesetToCheck
from warhost.packs.data import raw_elements
from warhost.packs.find import editions_of
from warhost.packs.renaming import renamings_in
from warhost.packs.yaml_source import Map, maps, problem_at
from warhost.plugins import Active, PluginError, available, is_bundled

_LAST_QUOTED = re.compile(r'.*"([^"]+)"', re.DOTALL)
_MEANT = re.compile(r'^did you mean "([^"]+)"')

#: What a problem calls a thing that is not there, and under which of a plugin's names it may be.
_WANTED = {
    "number, procedure or function": "callable", "name": "callable", "relation between two things": "callable",
    "kind of thing": "thing", "type": "thing", "noun": "thing", "kind of block": "kind", "event": "event",
}  # fmt: skip
_NOT_THERE = re.compile(rf'^there is no ({"|".join(_WANTED)}) called "')
_NO_LIBRARY = re.compile(r'^no plugin of this ruleset has a library "')
#: In data: the plural of a kind.
_NO_LIST = re.compile(r'has a field "[^"]+" that no|^"[^"]+" is not known here$')

_DEFINED = re.compile(r"^(noun|words|number|flag|value|procedure|event) (\w+)(?:, plural (\w+))?", re.MULTILINE)


def with_plugins_named(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """The problems with those of which a plugin is the cause that the ruleset does not name: told once for each."""
    contents = read.contents
    if contents is None or not any(p.code.startswith("unknown-") for p in problems):
        return list(problems)
    needed: dict[tuple[str, ...], list[Problem]] = {}
    for p in problems:
        if plugins := _of_plugins(p, contents.plugins.names):
            needed.setdefault(plugins, []).append(p)
    left = list(problems)
    lost: set[str] = set()
    foundations: list[Problem] = []
    of_plugins = {one.block.pos.file for one in read.merged.placed if one.layer.kind == "plugin"}
    for plugins, group in needed.items():
        names = list(dict.fromkeys(_name_in(p) for p in group))
        named = " or ".join(plugins)
        first = group[0]
        hint = f"add {named} to {_plugins_of(first.file, read)}"
        lost |= {b.title.text for b in _kind_blocks(read) if b.kind in names}
        if len(group) == 1 and first.file not in of_plugins:
            left[left.index(first)] = replace(first, hint=f"{names[0]} is of the plugin {named}: {hint}")
            continue
        listed = " and ".join((", ".join(names[:-1]), names[-1]) if names[1:] else names)
        said = "1 place says" if len(group) == 1 else f"{len(group)} places say"
        message = f"{listed}: of the plugin {named}, which is not named here, and {said} so"
        place = contents.manifests[-1].key_pos("plugins")
        told = problem_at(place, "unknown-plugin", f"{message}: {first.file}:{first.line}", f"add {named}")
        left = [*(p for p in left if p not in group), told]
        if first.file in of_plugins:
            foundations.append(told)
    if foundations:  # a plugin without another on which it stands: nothing that is asked of it can be judged
        return foundations
    return [p for p in left if not (p.code.startswith("unknown-") and _name_in(p) in lost)]


def _plugins_of(file: str, read: RulesetToCheck) -> str:
    """Where plugins are named for a file: a house rule has no place of its own for them."""
    houses = (one for one in read.sources if one.layer.kind == "house")
    if read.contents is None or not any(file == label.label for one in houses for label, _, _ in one.files):
        return "`plugins` in ruleset.yaml"
    base = f"{read.contents.manifest.get('id')}@{read.contents.manifest.get('edition')}"
    return f"`plugins` of a ruleset with `extends: {base}`; a house rule cannot name plugins"


def _of_plugins(p: Problem, named: Collection[str]) -> tuple[str, ...]:
    """The plugins that have what is missed, of those that come with Warhost and are not named."""
    sort = "library" if _NO_LIBRARY.search(p.message) else "plural" if _NO_LIST.search(p.message) else ""
    if found := _NOT_THERE.search(p.message):
        sort = _WANTED[found[1]]
    if not sort or not p.code.startswith("unknown-"):
        return ()
    name = _name_in(p)
    meant = _MEANT.search(p.hint or "")
    if meant is not None and is_a_slip(name, meant[1]):
        return ()
    others = (one for one, point in available().items() if one not in named and is_bundled(point))
    return tuple(one for one in others if name in _declared(one)[sort])


@cache
def _declared(plugin: str) -> Mapping[str, Collection[str]]:
    """What a plugin brings, by sort of name. One that cannot be loaded brings nothing."""
    active = Active((plugin,))
    try:
        vocabulary, libraries = active.vocabulary()[0], active.libraries()
        texts = [path.read_text(encoding="utf-8") for _, path in active.rules()]
    except (PluginError, OSError):
        return dict.fromkeys(("callable", "thing", "kind", "event", "plural", "library", "type"), ())
    defined = [found for text in texts for found in _DEFINED.findall(text)]
    kinds, plurals = list(vocabulary.kinds), [kind.plural for kind in vocabulary.kinds.values()]
    nouns = [name for sort, *names in defined if sort == "noun" for name in names]
    return {
        "callable": {*vocabulary.functions, *(one[1] for one in defined if one[0] not in ("noun", "words", "event"))},
        "thing": {*kinds, *plurals, *nouns}, "kind": kinds, "plural": plurals,
        "event": {one[1] for one in defined if one[0] == "event"}, "library": {one.name for _, one in libraries},
        "type": {*kinds, *(one[1] for one in defined if one[0] in ("noun", "words"))},
    }  # fmt: skip


def types_of(plugin: str) -> Collection[str]:
    """The kinds, nouns and enumerations that a plugin brings."""
    return _declared(plugin)["type"]


def _name_in(p: Problem) -> str:
    """What a problem says is not there."""
    found = _LAST_QUOTED.search(p.message)
    return found[1] if found else ""


def _kind_blocks(read: RulesetToCheck) -> Iterator[tree.KindBlock]:
    return (one.block for one in read.merged.placed if isinstance(one.block, tree.KindBlock))


def with_amend_said(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """The problems with those of a file that lacks much, because it is to change what another has: told at its id."""
    lacking = {p.file for p in problems if p.code == "missing-property" and p.message.startswith("this file lacks")}
    places: dict[tuple[str, str], list[Pos]] = {}
    for source in read.sources if lacking else ():
        for file, data in source.data("army", "scenario"):
            for raw in raw_elements(file.kind, data.data) if isinstance(data.data, Map) else ():
                places.setdefault((raw.kind, raw.id), []).append(raw.pos)
    left = list(problems)
    for (kind, id_), found in places.items():
        other = next((pos for pos in found if pos.file not in lacking), None)
        for pos in found if other is not None else ():
            if pos.file in lacking and other is not None:
                left = [p for p in left if p.file != pos.file or p.code != "missing-property"]
                message = f'there is a {kind} "{id_}" already: {other.file}:{other.line}'
                hint = "write `amend: true` to change it, or give this one another id"
                left.append(problem_at(pos, "defined-twice", message, hint))
    return left


# -- hints for one problem at a time --------------------------------------------------------------------

#: Words of which a ruleset most likely has one only, for the same.
SAME = (
    ("figures", "models", "men", "troops", "soldiers", "stands"), ("pace", "move", "movement", "speed"),
    ("wounds", "hits", "lives"), ("range", "reach"), ("strength", "power"), ("class", "category", "type"),
    ("leadership", "discipline", "morale", "courage", "nerve"), ("points", "cost", "price", "worth"),
)  # fmt: skip

#: The lists of `warhost explain RULESET --list ..`, by what a problem calls what is not there.
LISTED = {"event": "events", "roll": "rolls", "number, procedure or function": "numbers", "trait": "traits"}


@dataclass(frozen=True)
class Around:
    """What a ruleset has, for those who look for a better hint. told: the messages of all problems."""

    read: RulesetToCheck
    told: Sequence[str] = ()

    @cached_property
    def profiles(self) -> Collection[str]:
        """The ids of profiles."""
        return self.read.contents.references.ids["profile"] if self.read.contents is not None else ()

    @cached_property
    def lists(self) -> Mapping[str, Collection[str]]:
        """The profiles in the rows of each army list that is no mere base of others."""
        lists = self.read.contents.data.lists if self.read.contents is not None else {}
        return {id_: [str(row.get("profile")) for row in maps(one.data.get("units"))] for id_, one in lists.items()}

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of which profiles bear definitions, by their plurals."""
        return self.read.contents.references.by_plural if self.read.contents is not None else {}

    @cached_property
    def ruleset(self) -> str:
        """Its id."""
        return str(self.read.contents.manifest.get("id")) if self.read.contents is not None else "RULESET"

    @cached_property
    def fields(self) -> Collection[str]:
        """What is declared of things, and the numbers and flags of one thing."""
        found: set[str] = set()
        for one in self.read.merged.placed:
            if isinstance(one.block, tree.StateBlock | tree.ProfileBlock):
                found |= {field.name for field in one.block.fields}
            elif isinstance(one.block, tree.NumberBlock | tree.FlagBlock | tree.ValueBlock):
                found |= {one.block.name} if len(one.block.params) == 1 else set()
        return found


    @cached_property
    def renamed(self) -> Mapping[tuple[str, str], str]:
        """What a layer calls otherwise, by its kind and its old name: who does, and how."""
        found: dict[tuple[str, str], str] = {}
        for source in self.read.sources:
            for parsed in source.rules():
                for one in renamings_in(parsed.module.blocks if parsed.module is not None else (), 0):
                    found[one.kind, one.old] = f'{source.layer.label} calls it "{one.new}": write that'
        return found

    @cached_property
    def yes_or_no(self) -> Mapping[str, Sequence[str]]:
        """The state that is yes or no, by noun."""
        found: dict[str, list[str]] = {}
        for one in self.read.merged.placed:
            if isinstance(one.block, tree.StateBlock):
                names = (field.name for field in one.block.fields if field.type.name == "yes_no")
                found.setdefault(one.block.noun, []).extend(names)
        return found


#: So many names are listed in a hint.
MOST_LISTED = 8

Better = Callable[[re.Match[str], Problem, Around], str | None]


def _profile_in_army(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`number of orc_mobs in army`."""
    meant = next((one for one in (found[1], found[1].removesuffix("s")) if one in around.profiles), None)
    return f'write: units in army where it.profile is "{meant}"' if meant else None


def _the_same(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A word that another ruleset has for it."""
    return same_word(found[1], around.fields)


def same_word(name: str, known: Collection[str]) -> str | None:
    """The hint for a name that has the sense of a known one."""
    there = [one for words in SAME if name in words for one in words if one in known]
    return f'did you mean "{there[0]}"?' if there else None


def _what_happened(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`unit.has_moved`, `unit.moved`: what is kept of what a thing has done, those first that are called alike."""
    begins, name = found[3] or "", found[2]
    kept = [one for one in around.yes_or_no.get(found[1], ()) if one != name]
    kept.sort(key=lambda one: not one.startswith(begins) if begins else not one.endswith("ed"))
    more = ", .." if kept[MOST_LISTED:] else ""
    return f"yes or no of {_a(found[1])} are: {', '.join(kept[:MOST_LISTED])}{more}" if kept else None


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def _key_of_a_profile(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A field of a profile that is a key of it, misspelt, or one of a row of a list."""
    for key in schemas.keys_of("profiles", "profile"):
        if is_a_slip(found[1], key):
            return f'did you mean "{key}"?'
    if found[1] in schemas.keys_of("army", "entry"):
        return f"{found[1]} belongs to the row of an army list: {{profile: .., {found[1]}: ..}}"
    return _the_same(found, p, around)


def _no_definition(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """Nothing of this title, and nothing like it."""
    if (called := around.renamed.get((found[1], found[2]))) is not None:
        return called
    if p.hint or found[1] not in around.kinds.values():
        return None
    title = found[2] if found[2].isidentifier() else f'"{found[2]}"'
    return f"define it in a file of rules, with a block `{found[1]} {title}`"


def _in_another_list(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A profile of another army list, or of none."""
    lists = [id_ for id_, rows in around.lists.items() if found[2] in rows]
    row = f"add a row to {found[1]}: {{profile: {found[2]}, size: ..}}"
    return f"it is of the army list {' and '.join(lists[:3])}; {row}" if lists else row


def _indented_too_little(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """What belongs to a profile and stands beside it."""
    name, text = found[1], around.read.texts.get(p.file, "")
    if "profiles:" not in text or not (name in around.kinds or name in around.fields):
        return None
    return f"indent it, if it belongs to the profile above: {name} stands under the profile's id"


def _an_edition(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """No turn: an edition of a ruleset that does not say what it extends."""
    manifest = around.read.contents.manifest if around.read.contents is not None else Map()
    own = str(manifest.get("edition"))
    others = [str(one) for one in editions_of(around.ruleset) if str(one) != f"{around.ruleset}@{own}"]
    return f"{p.hint}; if it is an edition, `extends: {others[-1]}` stands in its ruleset.yaml" if others else None


def _of_a_stranger(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A function that a plugin of somebody else may have; none of them is loaded to see."""
    contents = around.read.contents
    if contents is None:
        return None
    if (library := _of_a_library(found, p, around)) is not None:
        return library
    strangers = [n for n, point in available().items() if n not in contents.plugins.names and not is_bundled(point)]
    meant = _MEANT.search(p.hint or "")
    if (meant and is_a_slip(_name_in(p), meant[1])) or (p.hint or "").startswith(f"{_name_in(p)} is an event"):
        return p.hint
    if not strangers:
        return _all_of_them(found, p, around)
    names = " or ".join(strangers[:MOST_LISTED])
    added = f"if the plugin {names} has it, add that to {_plugins_of(p.file, around.read)}"
    return f"{p.hint} Or, {added}" if meant else added


def _all_of_them(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A list of names that was cut."""
    listed = LISTED.get(found[1])
    if listed is None or not (p.hint or "").endswith(", .."):
        return None
    return f"{p.hint}; all: warhost explain {around.ruleset} --list {listed}"


def _said_often(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """What is called in several places was hardly misspelt in all: its block is missing, or is called otherwise."""
    often = around.told.count(p.message)
    if often < 2 or not (p.hint or "").startswith("did you mean"):
        return None
    lines = around.read.texts.get(p.file, "").splitlines()[p.line - 1 : p.line]
    sort = "procedure" if lines and lines[0].strip().startswith(f"{found[1]}(") else "number"
    return f"{often} places say so: write its block, `{sort} {found[1]}(..)`, if there is none; or {p.hint}"


def _of_a_library(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """What a library has that the ruleset does not ask for."""
    contents, name = around.read.contents, _name_in(p)
    if contents is None:
        return None
    asked = {str(one) for manifest in contents.manifests for one in manifest.get("libraries") or ()}
    for plugin, point in available().items():
        for library, defined in _libraries_of(plugin) if plugin in contents.plugins.names or is_bundled(point) else ():
            if name in defined and library not in asked:
                also = "" if plugin in contents.plugins.names else f", and {plugin} under `plugins`"
                return f"{name} is of the library {library}: write `libraries: [{library}]` in ruleset.yaml{also}"
    return None


@cache
def _libraries_of(plugin: str) -> Sequence[tuple[str, Collection[str]]]:
    """The libraries of a plugin, each with the names of its blocks. One that cannot be loaded has none."""
    try:
        texts = [(one.name, one.path.read_text(encoding="utf-8")) for _, one in Active((plugin,)).libraries()]
    except (PluginError, OSError):
        return ()
    return [(name, {defined[1] for defined in _DEFINED.findall(text)}) for name, text in texts]


def _hex_of_an_example(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`h4_4` in rules: the name of a hex, which only examples know."""
    contents = around.read.contents
    there = contents is not None and "hex_at" in contents.plugins.vocabulary()[0].functions
    return f"in rules it is hex_at({found[1]}, {found[2]})" if there else None


def _one_of_the_sides(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`side_1`, or a third side."""
    meant = {"1": "a", "2": "b", "one": "a", "two": "b"}.get(found[1])
    return f'did you mean "side_{meant}"?' if meant else "the two sides are side_a and side_b; all of them: each side"


def _default_of_a_parameter(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`procedure face(.., in_ford: yes_no = no)`."""
    lines = around.read.texts.get(p.file, "").splitlines()[p.line - 1 : p.line]
    said = _PARAMETER.match(lines[0][: p.column]) if lines else None
    if said is None:
        return None
    of_odds = f"for `warhost odds` its question in ruleset.yaml says what is usual: settings: {{{said[1]}: ..}}"
    return f"a parameter has no value of its own, it is given where this is called; {of_odds}"


def _to_be_given(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`give "Wrath"`, of which nothing like it is there: others are no help, and it is to be written."""
    if not (p.hint or "").startswith("there are: "):
        return None
    kinds = [kind for kind in ("condition", "trait") if kind in around.kinds.values()]
    return f"define it in a file of rules: {' or '.join(f'`{kind} {found[1]!r}`' for kind in kinds)}".replace("'", '"')


def _reason(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`+1 when .. then "burning"`."""
    return 'a reason stands behind because, as in: because ".."'


def _examples_elsewhere(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A list of examples in a folder of another name."""
    if re.search(r"^ +(?:then|given):", around.read.texts.get(p.file, ""), re.MULTILINE) is None:
        return None
    return "if these are examples, they belong in the folder examples/"


def _number_in_two_words(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`blow armour +1` for `blow_armour`."""
    lines = around.read.texts.get(p.file, "").splitlines()[p.line - 1 : p.line]
    said = re.match(r" *((?:[a-z]+ ){2,})(?:[-+x=]|set|at |rounded)", lines[0]) if lines else None
    return _block_called("_".join(said[1].split()), around) if said is not None else None


def _call_in_two_words(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """`may fight(unit)` for `may_fight(unit)`."""
    lines = around.read.texts.get(p.file, "").splitlines()[p.line - 1 : p.line]
    said = re.search(rf"(\w+) {found[1]}\(", lines[0]) if lines else None
    return _block_called(f"{said[1]}_{found[1]}", around) if said is not None else None


def _block_called(name: str, around: Around) -> str | None:
    numbers = tree.NumberBlock | tree.FlagBlock | tree.ValueBlock
    there = any(isinstance(one.block, numbers) and one.block.name == name for one in around.read.merged.placed)
    return f'did you mean "{name}"?' if there else None


def _of_the_block_above(found: re.Match[str], p: Problem, around: Around) -> str | None:
    """A line that stands in line with the definition to which it belongs."""
    lines = around.read.texts.get(p.file, "").splitlines()[: p.line - 1]
    above = next((line.split() for line in reversed(lines) if line[: p.column].strip()), [])
    if not above or above[0] not in around.kinds.values() or not (p.hint or "").startswith("put it under"):
        return None
    return f"indent it, if it belongs to the {above[0]} above; else {p.hint}"


#: A block up to the sign behind one of its parameters.
_PARAMETER = re.compile(r" *(?:replace )?(?:procedure|number|flag|value) .*?(\w+)(?: *: *[\w ]+?)? *=$")

#: What a message says, and who knows better.
BETTER: Sequence[tuple[re.Pattern[str], Better]] = [
    (re.compile(pattern), better)
    for pattern, better in (
        (r'^an army has no "([^"]+)"$', _profile_in_army),
        (r'^profile "[^"]+" has a field "([^"]+)" that no', _key_of_a_profile),
        (r'^an? \w+ has no "([^"]+)"$', _the_same),
        (r'^an? (\w+) has no "((?:(has_|is_|was_|did_)\w+)|\w+ed)"$', _what_happened),
        (r'^there is no (\w+) "([^"]+)"$', _no_definition),
        (r'^the army list "([^"]+)" has no "([^"]+)"$', _in_another_list),
        (r"^this file must be a mapping .*, not a list$", _examples_elsewhere),
        (r'^"([^"]+)" must be a mapping .*, not a list$', _indented_too_little),
        (r'^"([^"]+)" is not known here$', _indented_too_little),
        (r'^there is no trait, condition or other definition called "([^"]+)"$', _to_be_given),
        (r'^there is no relation between two things called "(?:then|since|as|why|reason)"$', _reason),
        (r'^there is no relation between two things called "(\w+)"$', _call_in_two_words),
        (
            r'^a line .* begins a block, and "|is a reserved word and cannot be a name here$|^expected .*, not "[-+x]',
            _number_in_two_words,
        ),
        (r'^a line .* begins a block, and "', _of_the_block_above),
        (r"^the rules declare no turn$", _an_edition),
        (r'^there is no (number, procedure or function) called "', _of_a_stranger),
        (r'^there is no name called "h(\d+)_(\d+)"', _hex_of_an_example),
        (r'^there is no (?:name|quality of a side(?: or none)?) called "side_(\d|[a-z]|one|two)"$', _one_of_the_sides),
        (r'^there is no number, procedure or function called "(\w+)"$', _said_often),
        (r'^there is no (.+) called "', _all_of_them),
        (r'^expected "\)" or "," after .*, not "="', _default_of_a_parameter),
        (r'^odds "[^"]+": there is no \w+ "', _of_a_library),
    )
]


#: Who misspells this lacks much else, of which nothing need be said.
_EXTENDS = 'did you mean "extends"?'


def with_better_hints(problems: Sequence[Problem], read: RulesetToCheck) -> list[Problem]:
    """The problems, each with the hint of whoever knows better than who found it; a slip of the pen stays one."""
    around = Around(read, [p.message for p in problems])
    left: list[Problem] = []
    extending: set[str] = set()
    for p in problems:
        hint = next(filter(None, (_better(p, pattern, knows, around) for pattern, knows in BETTER)), p.hint)
        if hint == _EXTENDS:
            extending.add(p.message.partition(" has ")[0])
        left.append(p if hint == p.hint else replace(p, hint=hint))
    return [p for p in left if p.code != "missing-field" or p.message.partition(" has ")[0] not in extending]


def _better(p: Problem, pattern: re.Pattern[str], knows: Better, around: Around) -> str | None:
    found = pattern.search(p.message)
    if found is None:
        return None
    meant = _MEANT.search(p.hint or "")
    name = _name_in(p)
    is_slip = meant is not None and is_a_slip(name, meant[1]) and meant[1] != f"{name.removesuffix('d')}s"
    return None if is_slip else knows(found, p, around)
