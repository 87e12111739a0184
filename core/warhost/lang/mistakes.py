"""What to tell an author when a word does not fit: what was expected, in words, and the likely remedy."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from warhost.errors import is_a_slip
from warhost.lang.building import REF_HINT
from warhost.lang.lexer import Mistake, Token, vocabulary
from warhost.lang.tables import Tables

_VALUE_SIGNS = frozenset(
    {"PLUS", "MINUS", "STAR", "SLASH", "DOT", "COMPARISON", "AND", "OR", "IS", "HAS", "AMONG", "NOT", "ROLLS"}
)
_SHOWN = {
    "_NEWLINE": "the end of the line", "_INDENT": "indented lines below", "TEXT": "a text in double quotes",
    "NAME": "a name", "NUMBER": "a number", "DICE": "dice such as d6",
    "COMPARISON": "a comparison such as >=",
    "EDGE": '"start of" or "end of"', "BEFORE": '"before"', "AFTER": '"after"', "ON": '"on"',
    "INSTEAD_OF": '"instead of"',
}  # fmt: skip
_HIDDEN = frozenset({"DICE_OF", "PERCENT", "REF", "TIMES", "_DEDENT", "$END", "LPAR", "MINUS"})
_TAILS = frozenset(
    "because by called during for from per reads stacking until up when while".split()  # noqa: SIM905
)
_ELSEWHERE = {
    "then": 'a colon, or a new line, takes the place of "then"', "elif": "write: else if",
    "elsif": "write: else if", "elseif": "write: else if", "return": "write: result", "equals": "write ==",
    "within": "a condition compares a distance, as in: distance(unit, other) <= 6",
    "where": "it stands behind what is chosen from, as in: all units where .., number of units where ..",
    "in": "a condition asks whether one thing is among others, as in: unit among units",
}  # fmt: skip
_MOST = 4

#: The spaces of a level, as `warhost fmt` has them.
INDENT = 4

#: A name with what is asked of it, as a line of words has it.
_SAID = r"\w+(?: \. \w+)*"

#: What is said otherwise here: the words of a line, with | before the one that did not fit; what to type; and a
#: terminal that would have fitted, where it is such a line only that is meant.
_SAID_OTHERWISE = [
    (re.compile(pattern), hint, terminal)
    for pattern, hint, terminal in (
        (r"\b(until|at|resets at|ends at) \| the (start|end) of", r'leave out "the": \1 \2 of ..', None),
        (r"\| till\b", "write until", None),
        (r'^(?:house )?rule ("[^"]*") \| for (\w+)', r"a house rule begins so: house rule \1 for \2", None),
        (r'^house ("[^"]*") \| for (\w+)', r"a house rule begins so: house rule \1 for \2", None),
        (r"^house rule \|", 'a house rule begins so: house rule "Title" for ..', None),
        (r"^\| for \w+ in (\d+)", r"write: repeat \1 times", None),
        (r"^\| for \w+ in range \( (\w+) \)", r"write: repeat \1 times", None),
        (r"^\| for (?!each\b)\w+ in ", "write: for each .. where .., or repeat .. times", None),
        (r"\broll \| (\d*d\d+)", r"say who throws it: unit rolls \1", None),
        (r'^(rule|trait) \| "', r"a \1 stands in no other block: move it to the left", None),
        (r"^rename (\w+) \| to (\S+)", r"say what is renamed: rename trait \1 to \2, rename number \1 to \2", None),
        (r"^(rename \w+ \S+) \| to (\S+)", r"it stands by itself, to the left of the block: \1 to \2", None),
        (r"^give \| to (\S+)", r'say what is given: give "Title" to \1', None),
        (r"\S not \| none\b", "write: .. is not none", None),
        (r"\b(and|or) \| (and|or)\b", r'take one of the two away, "\1" or "\2"', None),
        (r"^\| has (\w+) (\S+)", r"what it puts in force is written: as \1 \2", None),
        (r'\bcalled "[^"]*" \| [-+]', 'the change stands first: +1 when .. called ".."', None),
        (r'^\| called ("[^"]*")', r"it stands at the end of the line that is called so: .. called \1", None),
        (r"\b(?:when|if|where)\b.* \| unless\b", "write: and not ..", None),
        (r"\| unless\b", "write: when not ..", None),
        (r"^(?:constraint|require) .*\| when\b", "its condition stands on a line of its own above `require`", None),
        (r"^\S+(?: \. \S+)* \| == ", "one = sets a value: == compares", None),
        (r"^adds? \| (\S+) to (\w+)", r"write the sign: \2 +\1", None),
        (r"^subtracts? \| (\S+) from (\w+)", r"write the sign: \2 -\1", None),
        (r"\bset \| (\S+)", r"write: set to \1", None),
        (r"^\| set (?!to\b)(\S+)", r"write: set to \1", None),
        (r"^\| x (\d+) / (\d+)", r"write it in one piece: x\1/\2", None),
        (r"^\| x (\d+)", r"write it in one piece: x\1", None),
        (r"^\| (\d\S*) (?:when|if|because)\b", r"say how it changes: +\1, or set to \1", None),
        (r"^roll .*(\b\d*d\d+) \| (\w+) \(", r"say how they compare, as in: \1 <= \2(..)", None),
        (r"\bwhere (?!\().* \| (and|or)\b", r"put the whole condition in brackets: where (.. \1 ..)", None),
        (r"^(\w+) \| : \w+ = ", r"a local value needs no type: \1 = ..", None),
        (r"^(?:let|var|local|const|set) (\w+) \| = ", r"leave the first word out: \1 = ..", None),
        (rf"^({_SAID}) \| ([-+]) (\w+)$", r"write: \1 \2= \3", None),
        (rf"^({_SAID}) = \| ([-+]) (\w+)$", r"write: \1 \2= \3", None),
        (r"^(house) \| - rule (\"[^\"]*\") for (\w+)", r"a house rule begins so: house rule \2 for \3", None),
        (r"^\| not (\w+) (\w+) \(", r'did you mean "\1_\2"?', None),
        (r"^travel (\S+) (\w+) \|", r"say along what: travel \1 along \2", None),
        (rf"^({_SAID}) \| ([-+]) [-+]$", r"write: \1 \2= 1", None),
        (rf"^({_SAID}) \| rolls (\S+)", r"keep what it shows, or ask of it: shown = \1 rolls \2", None),
        (r"^target \w.* \| where\b", "write: targets .. where ..", None),
        (r'^(remove|amend) \| (".*?")', r"say what it is: \1 rule \2, \1 trait \2, ..", None),
        (r"([+-]) (\d+%) \|", r"say of what: \1\2 of .., as in +10% of unit.size", "OF"),
        (rf"(\d+%) \| (?!(?:when|if|because|while|per)\b)({_SAID})", r"say of what: \1 of \2", "OF"),
        (rf"(\S+) ([<>]=?) ({_SAID}) \| ([<>]=?) (\S+)", r"compare twice: \1 \2 \3 and \3 \4 \5", None),
        (r"[<>]=? (?:(?!\b(?:and|or|not)\b).)+ \| [<>]=? ", "compare twice, as in: 3 < x and x < 8", None),
        (r"^\| (?:if|when)\b", "a condition stands behind what it is for, as in: .. +1 when ..", None),
        (r"^(\w+) \| = - (\S+)", r"a line changes a number so: \1 set to -\2", "_NEWLINE"),
        (r"^(\w+) \| = (\S+)", r"a line changes a number so: \1 set to \2", "_NEWLINE"),
        (r"^(\w+) \| = (\S+)", r"say of what type it is, as in: \1: number = \2", "COLON"),
        (r"^(\w+) (?:plus|added|adds) \| (\d\S*)", r"write the sign: \1 +\2", None),
        (r"^(\w+) (?:minus|less) \| (\d\S*)", r"write the sign: \1 -\2", None),
        (r"^(\w+) times \| (\d\S*)", r"write the sign: \1 x\2", None),
        (r"^(\w+) \| (\d\S*) .*\b(?:when|because)\b", r"say how it changes: \1 +\2, or \1 set to \2", "_NEWLINE"),
        (r"\b(\w+) \| (\d\S*)", r'a ":" stands between a field and its value: \1: \2', "COLON"),
        (r"^phase \w.* \| :", "indent it under setup or turn; in a house rule say after PHASE or before PHASE", "NAME"),
        (r"\| :$|: \|$", 'leave the ":" out: what belongs to it stands indented in the lines below', None),
        (r"\bwhere (any|all|number of) .* \| where\b", r"put brackets inside: where (\1 .. where ..)", None),
        (r"\b(?:count|how many|number)(?: of| all)* (?!of\b)(\w+) \| where\b", r"number of \1 where (..)", None),
        (r"\b(?!all|any|of)\w+ (\w+) \| where\b", r"all \1 where .., any \1 where .., number of \1 where ..", None),
        (r"[-+*/<>=(,] \| (total|highest|lowest|number of|nearest|farthest) [\w(]", r"put brackets: (\1 ..)", None),
        (r"^amend words \w+ \| :", 'leave the ":" out: the words stand in the lines below, each on its own', None),
        (r"^(?:amend )?words \w+ : .*\b(\w+) \| (\w+)", r"a comma stands between words: \1, \2", None),
        (r"\d \| (in|inch|inches|cm|mm|m|ft|feet|hex|hexes)\b", r"leave out \1: it is the ruleset's unit", None),
    )
]


@dataclass(slots=True)
class Stuck:
    """Where the parser stood when a token did not fit."""

    tables: Tables
    stack: list[int]
    tokens: list[Token]
    token: Token
    start: str


def explain(stuck: Stuck) -> Mistake:
    """The mistake as its author should hear of it."""
    token, accepted = stuck.token, _accepted(stuck)
    before = _before(stuck)
    if token.text in ("else", "else if") and "NAME" in accepted:
        return Mistake(
            token.line, token.column, "syntax", f'no "if" stands above this "{token.text}"',
            'put it in line with its "if"',
        )  # fmt: skip
    if early := _block_within(stuck) or _bad_beginning(stuck, accepted) or _misspelt_block(stuck):
        return early
    if token.type == "_INDENT" and before is not None:
        return Mistake(
            token.line, token.column, "indentation",
            "this line is indented, but the line above takes no lines below it",
            _first_word(stuck, before) or _indented_alike(stuck, before),
        )  # fmt: skip
    if accepted == {"_INDENT"} and before is not None:
        return Mistake(
            before.line, before.end, "syntax", "expected indented lines below this one",
            _first_word(stuck, before) or "indent what belongs to it by four spaces",
        )  # fmt: skip
    if astray := _belongs_elsewhere(stuck, accepted):
        return astray
    place = before if token.type in ("_NEWLINE", "_DEDENT", "$END") and before is not None else token
    column = place.end if place is before else place.column
    return Mistake(place.line, column, "syntax", _message(stuck, accepted, before), _hint(stuck, accepted, before))


def _indented_alike(stuck: Stuck, above: Token) -> str:
    """What to do about a line that stands further to the right than the one above."""
    left = min(t.column for t in stuck.tokens if t.line == above.line and t.text) - 1
    here = stuck.token.column - 1
    if left % INDENT and here % INDENT == 0:
        return f"indent both lines alike: there are {left} spaces above, and {here} here"
    return "indent it like the line above: move it to the left"


#: What stands behind the name of a block.
_AFTER_BLOCK_NAME = frozenset({"(", "=", ":", "by"})


def _block_within(stuck: Stuck) -> Mistake | None:
    """A block that is indented, and so stands in the one above it."""
    line = [t for t in stuck.tokens if t.text and t.line == stuck.token.line]
    if len(line) < 3 or line[0] is stuck.tokens[0] or stuck.token not in line[:3]:
        return None
    word, name, sign = line[:3]
    if word.text not in vocabulary().at_block or name.type != "NAME" or sign.text not in _AFTER_BLOCK_NAME:
        return None
    return Mistake(
        word.line, word.column, "indentation", f'"{word.text} {name.text}" begins a block, and stands within another',
        "a block begins at the left margin: move it to the left",
    )  # fmt: skip


def _bad_beginning(stuck: Stuck, accepted: set[str]) -> Mistake | None:
    """The first word of a line is at fault: it begins nothing here, or what it needs is missing."""
    token, words = stuck.token, vocabulary()
    first = stuck.tokens[0]
    known = {**words.at_start, **words.at_block}
    if token.type == "NAME" and known.get(token.text) in accepted:
        return Mistake(token.line, token.end, "syntax", f'something is missing after "{token.text}"')
    if token is stuck.tokens[min(1, len(stuck.tokens) - 1)] and first.type == "NAME" and first.text in known:
        message = f'expected a name after "{first.text}", not {_quoted(token)}'
        hint = "such a word begins dice: give it a longer name" if token.type == "DICE_OF" else None
        hint = hint or _said_otherwise(stuck, accepted)
        return Mistake(token.line, token.column, "syntax", message, hint)
    if token is first or (token in stuck.tokens[1:2] and first.type == "NAME"):
        return Mistake(
            first.line, first.column, "syntax",
            f'a line {"at the margin" if first.column == 1 else "here"} begins a block, and "{first.text}" begins none',
            _first_word(stuck, first) or _of_a_house_rule(stuck, accepted) or _where_it_goes(stuck),
        )  # fmt: skip
    if token.text == "while" and _begins_line(stuck):
        hint = "write: repeat at most 20 times until .."
        return Mistake(token.line, token.column, "syntax", '"while" repeats nothing', hint)
    return None


def _of_a_house_rule(stuck: Stuck, accepted: set[str]) -> str | None:
    """The head of a house rule that is written in one word."""
    return _said_otherwise(stuck, accepted) if stuck.tokens[0].text == "house" else None


def _where_it_goes(stuck: Stuck) -> str:
    """Where a line belongs that begins no block."""
    first, *others = [token for token in stuck.tokens if token.line == stuck.tokens[0].line and token.text]
    signs = {*_OF_CHANGES, "TIMES", "+", "-"}
    if first.text in ("allow", "forbid") or any(token.type in signs or token.text in signs for token in others[:2]):
        return 'put it under a rule: write a line `rule "Title"` above it, and indent it under that'
    return "indent the line if it belongs to the block above"


#: Where the words belong that begin a line, by the terminals that they are.
_HOMES = {
    "a roll block": ("natural", "each die rerolled at most once", "never rerolled", "windows"),
    "a procedure, a handler or a phase (a number only computes)": (
        "emit", "choose", "give", "take", "say", "repeat", "travel", "refuse", "result", "stop", "together", "reveal",
        "change", "cancel", "for each", "according to", "continue",
    ),
    "an event block (a procedure writes `say`)": ("says", "asks", "may be cancelled"),
    "a number or a field of state (a procedure uses lower_of(..) and higher_of(..))": (
        "at least", "at most", "rounded up", "rounded down", "rounded to nearest", "set to",
    ),
    "a `turn` or `setup` block, or at the margin of a house rule": ("phase",),
    "a constraint block": ("require",),
    "a block, as its first line (a phase has only its title)": ("reads",),
    "the head of a handler or a reaction, as in: after fell(unit) once per turn": ("once per",),
    "a trait or another definition": ("keeps", "targets", "narrow", "while in force", "part", "may reroll", "ends at"),
}  # fmt: skip


#: What a line does with a number, after its name.
_OF_CHANGES = ("set to", "at least", "at most", "rounded up", "rounded down")

#: Runs of words that begin a line or a block.
_RUNS_AT_START = {text for words in _HOMES.values() for text in words if " " in text} | {
    "instead of", "state of", "profile of", "house rule", "amend state of", "amend profile of",
}


def _belongs_elsewhere(stuck: Stuck, accepted: set[str]) -> Mistake | None:
    """A keyword at the beginning of a line that is right, but not here."""
    token = stuck.token
    if not token.text or not _begins_line(stuck) or token is stuck.tokens[0]:
        return None
    home = next((home for home, words in _HOMES.items() if token.text in words), None)
    if home is None:
        return None
    block = [t.text for t in stuck.tokens[:3]]
    if block[:2] == ["amend", "procedure"]:
        message = f'"{token.text}" cannot be added to a procedure'
        hint = f"write `replace procedure {' '.join(block[2:])}(..)` with the whole of it"
        return Mistake(token.line, token.column, "syntax", message, hint)
    if token.text == "reads" and any(t.column == token.column and t.line < token.line for t in stuck.tokens):
        home, message = f"{home}: move it up", "this stands above the other lines of its block"
    else:
        message = f'"{token.text}" has no meaning here'
    return Mistake(token.line, token.column, "syntax", message, f"it belongs in {home}")


def _begins_line(stuck: Stuck) -> bool:
    return next((t for t in stuck.tokens if t.line == stuck.token.line and t.text), None) is stuck.token


def _message(stuck: Stuck, accepted: set[str], before: Token | None) -> str:
    token = stuck.token
    after = f" after {_quoted(before)}" if before is not None else ""
    if _is_reserved(token) and _wants_name(accepted) and _would_do_as_name(stuck, accepted):
        return f'"{token.text}" is a reserved word and cannot be a name here'
    expected = _expected(stuck, accepted)
    if not token.text:
        return f"something is missing: expected {expected}{after}"
    return f"expected {expected}{after}, not {_quoted(token)}"


def _said_otherwise(stuck: Stuck, accepted: set[str]) -> str | None:
    """What to type in the place of what this line says in other words."""
    token = stuck.token
    line = [t for t in stuck.tokens if t.text and t.line == token.line and t is not token]
    before = " ".join(t.text for t in line if t.column < token.column)
    words = " ".join((before, "|", token.text, *(t.text for t in line if t.column > token.column))).strip()
    for pattern, hint, terminal in _SAID_OTHERWISE:
        found = pattern.search(words) if terminal is None or terminal in accepted else None
        if found is not None:
            return found.expand(hint).replace(" . ", ".")
    return None


def _hint(stuck: Stuck, accepted: set[str], before: Token | None) -> str | None:
    token = stuck.token
    line, *others = [t for t in stuck.tokens if t.line == token.line and t.text] or [token]
    if line.text in vocabulary().before_text and others and others[0].text in ("+", "-"):
        return f'what follows "{line.text}" stands in double quotes: {line.text} ".."'
    if (said := _said_otherwise(stuck, accepted)) is not None:
        return said
    if line.text == "phase" and not token.text and "NAME" in accepted and line is not before:
        return "say where it comes in: after PHASE or before PHASE"
    if line.text in _ELSEWHERE and line is not token:
        return _ELSEWHERE[line.text]
    if token.text == "until" and line.text == "repeat":
        return "say how often at most: repeat at most 20 times until .."
    if line.type == "NAME" and line.text in vocabulary().before_text and line is not token:
        return f'what follows "{line.text}" stands in double quotes: {line.text} ".."'
    if before is not None and before.text == ":" and stuck.tokens[0].text in ("number", "value", "flag"):
        return f'"=" stands before what it is: {stuck.tokens[0].text} NAME(..) = ..'
    if stuck.tokens[0].text in ("turn", "setup") and line.text == "phase" and token.text in ("after", "before"):
        return f"here phases are in the order of their lines: leave out {token.text} .., and move the line"
    if (run := _run_meant(stuck)) is not None:
        return f'did you mean "{run}"?'
    near = _near(stuck, accepted)
    if near == token.text:  # a word of the language only before a text
        return f'what follows "{near}" stands in double quotes: {near} ".."'
    if near:
        return f'did you mean "{near}"?'
    if token.text in _ELSEWHERE:
        return _ELSEWHERE[token.text]
    if token.type == "NAME" and "WHEN" in accepted and "COLON" not in accepted and "NAME" not in accepted:
        return "a condition stands behind `when`"
    if token.type == "NAME" and {"COLON", "COMMA"} <= accepted and "NAME" not in accepted:
        return f'a comma stands between fields: ", {token.text}"; a ":" before what belongs to one'
    if token.type == "NAME" and "COLON" in accepted and "NAME" not in accepted:
        return 'a ":" stands before what belongs to it on the same line'
    if not token.text and "OTHERWISE" in accepted:
        return 'a line `otherwise ".."` belongs to it'
    if token.type == "NAME" and token is stuck.tokens[min(2, len(stuck.tokens) - 1)]:
        return f'a title of several words stands in quotes: "{stuck.tokens[1].text} {token.text}"'
    if token.type == "NAME" and "TEXT" in accepted and "NAME" not in accepted:
        return f'write it in double quotes: "{token.text} .."'
    if token.text == "of" and before is not None and before.text in vocabulary().at_block:
        return f'leave out "of": {before.text} NAME'
    if token.text == "=" and (sign := _comparison_meant(stuck, before)):
        return f"write {sign} in one piece"
    if token.text == "=" and "COMPARISON" in accepted:
        return "write == to compare two values"
    if token.text in ("+", "-") and {"PER", "UP_TO"} & _words(stuck.tables, accepted):
        return "put the whole sum in brackets, as in -(n + 1)"
    if token.text == "ref":
        return REF_HINT
    first = _first_word(stuck, token)
    if first:
        return first
    if _is_reserved(token) and _wants_name(accepted) and _would_do_as_name(stuck, accepted):
        return f'"{token.text}" is a word of the language: call it {token.text.replace(" ", "_")}_.., or otherwise'
    if title := _title_without_quotes(stuck):
        return f'a title of several words stands in quotes: "{title}"'
    if _follows_quantity(stuck, before):
        return "put brackets around the whole quantity to calculate or compare with it"
    return None


def _run_meant(stuck: Stuck) -> str | None:
    """`at lest`: two words of which one is all but one of a run of the language."""
    later = iter(stuck.tokens)
    following = next(later, None) if stuck.token in later else None
    written = f"{stuck.token.text} {following.text}" if following is not None else ""
    return next((run for run in sorted(_RUNS_AT_START) if written != run and is_a_slip(written, run)), None)


def _comparison_meant(stuck: Stuck, before: Token | None) -> str | None:
    """`>=` or `<=`, written the other way round, or with a blank in it, around the = that did not fit."""
    later = iter(stuck.tokens)
    at_hand = stuck.token in later  # what follows it is left
    for beside in (before, next(later, None) if at_hand else None):
        if beside is not None and beside.text in ("<", ">"):
            return f"{beside.text}="
    return None


def _follows_quantity(stuck: Stuck, before: Token | None) -> bool:
    """A sign of calculation after `number of ..` and its like."""
    if before is None or stuck.token.text not in ("+", "-", "*", "/", "==", "!=", "<", ">", "<=", ">="):
        return False
    starts = {"TOTAL", "HIGHEST", "LOWEST", "NEAREST", "FARTHEST", "ANY", "ALL"}
    line = [t for t in stuck.tokens if t.line == stuck.token.line and t.column < stuck.token.column]
    return any(t.type in starts or t.text == "number of" for t in line)


def _title_without_quotes(stuck: Stuck) -> str | None:
    """The names with capital letters that stand side by side just before the token, two at least."""
    words: list[str] = []
    for token in stuck.tokens:
        if token is stuck.token:
            break
        words = [*words, token.text] if token.type == "NAME" and token.text[:1].isupper() else []
    return " ".join(words) if len(words) > 1 else None


def _first_word(stuck: Stuck, token: Token) -> str | None:
    """A hint when the first word of the line, or of the block, looks like a misspelt beginning."""
    line = next((t for t in stuck.tokens if t.line == token.line and t.text), None)
    for word in (line, stuck.tokens[0]):
        if word is not None and (found := _meant_beginning(stuck, word)) is not None:
            return found
    return None


def _meant_beginning(stuck: Stuck, word: Token) -> str | None:
    """A hint for a word, or two, that all but begin a line or a block: `procedrue`, `insted of`."""
    known = vocabulary().beginnings | vocabulary().before_text.keys() | _RUNS_AT_START
    at = next(n for n, token in enumerate(stuck.tokens) if token is word)
    both = " ".join(token.text for token in stuck.tokens[at : at + 2])
    if word.text in known and word.text not in ("for", "at", "if", "else"):
        return None
    for written in (both, word.text) if word.type == "NAME" else (both,):
        alike = [one for one in known if one.count(" ") == written.count(" ")]
        found = difflib.get_close_matches(written, sorted(alike), n=1, cutoff=0.8) if written not in known else []
        found += [one for one in _RUNS_AT_START if one.replace(" ", "") == written]
        found += [one for one in alike if is_a_slip(written, one)]
        if found:
            return f'did you mean "{found[0]}" instead of "{written}"?'
    return None


def _misspelt_block(stuck: Stuck) -> Mistake | None:
    """What does not fit here may fit if the block around it began with the word that is meant."""
    left = stuck.token.column if _begins_line(stuck) else 0
    starts: list[Token] = []
    for token in stuck.tokens:
        if token is stuck.token:
            break
        if token.text and token.line != (starts[-1].line if starts else 0):
            starts = [*(t for t in starts if t.column < token.column), token]
    for start in reversed(starts):
        if start.line != stuck.token.line and (not left or start.column < left):
            hint = _meant_beginning(stuck, start)
            if hint is not None:
                return Mistake(start.line, start.column, "syntax", f'"{start.text}" begins nothing here', hint)
    return None


# -- what would have fitted ------------------------------------------------------------------------


def _accepted(stuck: Stuck) -> set[str]:
    """The terminals that the parser could have taken: also tried through the reductions they would cause."""
    rows = stuck.tables.states
    here = [name for name in rows[stuck.stack[-1]] if name.isupper() or name.startswith("_")]
    return {name for name in here if _is_terminal(name) and _would_take(stuck, name)}


def _is_terminal(name: str) -> bool:
    return name.upper() == name


def _would_take(stuck: Stuck, terminal: str) -> bool:
    return _after(stuck, stuck.stack, terminal) is not None


def _after(stuck: Stuck, stack: Sequence[int], terminal: str) -> list[int] | None:
    """The stack of the parser when it has taken a terminal; None when it cannot."""
    stack, tables = list(stack), stuck.tables
    while True:
        step = tables.states[stack[-1]].get(terminal)
        if step is None:
            return None
        if step >= 0:
            return [*stack, step]
        production = tables.productions[-1 - step]
        del stack[len(stack) - production.size :]
        goto = tables.states[stack[-1]].get(production.head)
        if goto is None:
            return None
        if goto == tables.finish[stuck.start]:
            return stack if terminal == "$END" else None
        stack.append(goto)


def _expected(stuck: Stuck, accepted: set[str]) -> str:
    """`a number or a name`, `":"`, `"to" or "by"` ..."""
    if {"NUMBER", "NAME", "TEXT"} <= accepted and "COMPARISON" not in accepted and "_NEWLINE" not in accepted:
        return "a number or a name"
    wanted = accepted - _HIDDEN
    if {"IF", "BECAUSE"} <= wanted:
        wanted = {name for name in wanted if _show(stuck.tables, name).strip('"').split()[0] not in _TAILS}
    if {"COMPARISON", "PLUS", "DOT", "STAR"} & wanted:
        wanted = (wanted - _VALUE_SIGNS - ({"NAME"} if "COMPARISON" in wanted else set())) or wanted
    shown = sorted({_show(stuck.tables, name) for name in wanted} - {'"by a"'}, key=_rank)
    if len(shown) > _MOST:
        shown = [*[s for s in shown if s[0] != '"' or len(s) == 3][:_MOST]] or [*shown[: _MOST - 1], "the like"]
    return " or ".join(shown) or ('"("' if "LPAR" in accepted else "no more lines in this block")


def _rank(shown: str) -> tuple[bool, bool, str]:
    """Plain descriptions last, signs before words."""
    return shown[0] != '"', len(shown) > 3, shown


def _show(tables: Tables, name: str) -> str:
    if name in _SHOWN:
        return _SHOWN[name]
    return next((f'"{text}"' for text, terminal in tables.literals.items() if terminal == name), name)


def _words(tables: Tables, accepted: Iterable[str]) -> set[str]:
    """The reserved words among them, with underlines for blanks."""
    names = set(accepted)
    return {text.upper().replace(" ", "_") for text, name in tables.literals.items() if name in names}


def _near(stuck: Stuck, accepted: set[str]) -> str | None:
    """The reserved word, or run of words, that the author may have meant."""
    if stuck.token.type != "NAME":
        return None
    at = next(n for n, token in enumerate(stuck.tokens) if token is stuck.token)
    literals = stuck.tables.literals
    known = sorted(text for text, name in literals.items() if name in accepted and text[0].isalpha())
    likeness = {text: _likeness(text, stuck.tokens[at:]) for text in known}
    best = max(known, key=lambda text: likeness[text], default=None)
    return best if best is not None and likeness[best] >= 0.7 else None


def _likeness(text: str, tokens: list[Token]) -> float:
    """How like the reserved words the next words are, from 0 to 1."""
    written = " ".join(token.text for token in tokens[: len(text.split())])
    return difflib.SequenceMatcher(None, written, text).ratio()


def _wants_name(accepted: set[str]) -> bool:
    return "NAME" in accepted and "COMPARISON" not in accepted and "_NEWLINE" not in accepted


def _would_do_as_name(stuck: Stuck, accepted: set[str]) -> bool:
    """Whether the line would go on if the word that did not fit were a name: else a word is missing or too much."""
    rest = iter(stuck.tokens)
    following = next(rest, None) if stuck.token in rest else None
    named = _after(stuck, stuck.stack, "NAME")
    if named is None or _said_otherwise(stuck, accepted) is not None:
        return False
    return following is None or _after(stuck, named, following.type) is not None


def _is_reserved(token: Token) -> bool:
    return bool(token.text) and token.text[0].isalpha() and token.type not in ("NAME", "DICE", "DICE_OF", "REF")


def _before(stuck: Stuck) -> Token | None:
    """The last token with a text before the one that did not fit."""
    found = None
    for token in stuck.tokens:
        if token is stuck.token:
            break
        if token.text:
            found = token
    return found


def _quoted(token: Token) -> str:
    """The token as a message shows it; a text brings its own quotes."""
    text = token.text if len(token.text) <= 40 else token.text[:37] + "..."
    return text if text.startswith('"') else f'"{text}"'
