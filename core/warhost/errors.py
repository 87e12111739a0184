"""Errors of Warhost: one base class, and problems that name the place and the remedy."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Codes of what can be played as it stands and is most likely not what its author means.
WARNINGS = frozenset({
    "never", "no-case", "no-result", "unread", "unknown-text", "for-everybody", "may-be-zero", "illegal-so-far",
    "unused", "unasked", "hidden", "twice", "no-words", "unpaid-option", "rated-twice", "unread-local", "all-of-them",
    "unpriced-row", "may-be-empty", "lost-roll",
})  # fmt: skip


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong in an author's file, or (`is_warning`) most likely not meant.

    line and column count from 1 (0: the whole file). code is a short stable word such as `unknown-name`.
    source is the offending line of the file, when it is known.
    """

    file: str
    line: int
    column: int
    code: str
    message: str
    hint: str | None = None
    source: str | None = None

    @property
    def is_warning(self) -> bool:
        """Whether the ruleset can be played all the same."""
        return self.code in WARNINGS

    def render(self) -> str:
        """`file:line:column: message`, then the line with a caret, then the hint."""
        warning = "warning: " if self.is_warning else ""
        lines = [f"{self.file}:{self.line}:{self.column}: {warning}{self.message}"]
        if self.source is not None and self.line:
            lead = f"{self.line:>5} | "
            shown, before = _about(self.source, max(self.column - 1, 0))
            lines.append(lead + shown)
            lines.append(" " * (len(lead) + before) + "^")
        if self.hint:
            lines.append(f"      hint: {self.hint}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, object]:
        """The object that `--json` prints."""
        return {
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "code": self.code,
            "message": self.message,
            "hint": self.hint,
        }


#: So much of a longer line is shown.
WIDEST = 120


def _about(source: str, at: int) -> tuple[str, int]:
    """A line of a file, or what stands about a place of a long one, and how far into that the place is."""
    start = max(0, min(at - WIDEST // 2, len(source) - WIDEST))
    left, right = ".. " if start else "", " .." if start + WIDEST < len(source) else ""
    return left + source[start : start + WIDEST] + right, at - start + len(left)


def mistakes(problems: Iterable[Problem]) -> list[Problem]:
    """Those that keep a ruleset from being played: all but the warnings."""
    return [p for p in problems if not p.is_warning]


def nearest(word: str, known: Iterable[str], likeness: float = 0.65) -> str | None:
    """The known name most like the word, or None when nothing is near. likeness: from 0 to 1, the least that counts;
    less will do where the known names are few.
    """
    return _nearest(word, tuple(known), likeness)


@functools.lru_cache(maxsize=256)
def _nearest(word: str, known: tuple[str, ...], likeness: float) -> str | None:
    found = difflib.get_close_matches(word, known, n=MOST_ALIKE, cutoff=likeness)
    return min(found, key=lambda one: _unlikeness(word, one), default=None)


#: Among so many of the most alike the nearest is looked for.
MOST_ALIKE = 8


def _unlikeness(word: str, known: str) -> tuple[object, ...]:
    """By what the nearest of several names comes first: the same but for capitals, the same letters in another order,
    the most alike; of equally alike ones the nearest number, a slip of the pen, the longest beginning, the nearest
    length, at last the alphabet.
    """
    ratio = difflib.SequenceMatcher(None, known, word).ratio()  # as `get_close_matches` compares
    begins = next((i for i, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), min(len(word), len(known)))
    same_letters = sorted(word) == sorted(known)
    numbers = [int("".join(one for one in name if one in "0123456789") or 0) for name in (word, known)]
    apart = abs(numbers[0] - numbers[1])
    capitals = word.casefold() != known.casefold()
    length = abs(len(word) - len(known))
    return (capitals, not same_letters, -ratio, apart, not is_a_slip(word, known), -begins, length, known)


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint for a misspelt name, or for one of which a part is left out (`moved` for `has_moved`) or written out
    (`maximum` for `max`).
    """
    names = sorted(known)  # so that of several that would do it is always the same
    begun = (one for one in names if len(one) > 2 and word.startswith(one))
    found = nearest(word, names) or max(begun, key=len, default=None)
    parts = (one for one in names if "_" in one and word in one.split("_")) if len(word) > 3 else ()
    whole = min(parts, key=len, default=None)
    meant = [f'"{one}"' for one in dict.fromkeys((found, whole)) if one]
    return f"did you mean {' or '.join(meant)}?" if meant else None


def is_a_slip(word: str, known: str) -> bool:
    """Whether one wrong letter, one too many or too few, or two that changed places are all between two longer words.

    Names that differ in their numbers (`guard_1`, `guard_2`) are two names.
    """
    too_short = min(len(word), len(known)) < SHORTEST_SLIP
    if too_short or abs(len(word) - len(known)) > 1 or _lettered(word) == _lettered(known):
        return False
    start = next((i for i, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), min(len(word), len(known)))
    rest, other = word[start:], known[start:]
    if rest[1:] == other or rest == other[1:] or rest[1:] == other[1:]:
        return True
    return rest[:2] == other[1::-1] and rest[2:] == other[2:]


def is_misspelt(word: str, known: Iterable[str]) -> bool:
    """Whether a word that is none of the known ones is all but certainly meant for one of them."""
    return any(
        is_a_slip(word, one) or (min(len(word), len(one)) < SHORTEST_SLIP and _alike(word, one)) for one in known
    )


def _alike(word: str, known: str) -> bool:
    """Whether a short word is a longer one without, or with, one of its letters."""
    short, long = sorted((word, known), key=len)
    missing = (long[:i] + long[i + 1 :] for i in range(len(long)))
    return len(long) == SHORTEST_SLIP and len(short) == SHORTEST_SLIP - 1 and short in missing


#: In shorter words a single letter makes too much of a difference.
SHORTEST_SLIP = 4


def _lettered(word: str) -> str:
    return "".join(one for one in word if not one.isdigit())


class WarhostError(Exception):
    """Base of every error that Warhost raises on purpose."""


class ContentError(WarhostError):
    """The content (a ruleset, an army, a battle file, a journal) is wrong: problems say where."""

    def __init__(self, problems: Sequence[Problem], what: str = "") -> None:
        self.problems = list(problems)
        self.what = what
        super().__init__(self.problems, what)  # what made it, so that it goes whole from one process to another

    def __str__(self) -> str:
        return "\n".join(p.render() for p in self.problems)


class RulesInvalid(ContentError):  # noqa: N818 (what authors see)
    """A ruleset cannot be loaded."""


class UsageError(WarhostError):
    """The caller asked for something that does not exist or makes no sense."""


class RuleFault(WarhostError):  # noqa: N818
    """A rule went wrong while a battle ran: which one, where it stands and why."""

    def __init__(self, message: str, rule: str = "", file: str = "", line: int = 0) -> None:
        self.rule, self.file, self.line = rule, file, line
        self.message = message
        super().__init__(message, rule, file, line)

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}: " if self.file else ""
        return f"{where}{f'in {self.rule}: ' if self.rule else ''}{self.message}"


class Refused(RuleFault):
    """The rules say that what was asked for cannot be (`refuse "..."`); message is their sentence."""


class JournalError(WarhostError):
    """A journal does not fit the battle that it is said to record."""
