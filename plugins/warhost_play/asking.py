"""A decision in words: who is asked what, the options by number, and the answer that a line of text means."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from warhost.engine.decisions import label_of
from warhost.errors import UsageError
from warhost_battles.story import words

if TYPE_CHECKING:
    from warhost.engine.decisions import Answer, Decision, Option

#: Options that are listed; of more, the rest is only counted until somebody wants to see all.
MOST_SHOWN = 30

#: Options this short stand side by side.
SHORT = 22

#: How the option to choose nothing is called.
NONE = "none of these"

#: Ids stay in labels as they are.
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def question(decision: Decision) -> str:
    """`The Red Tusk: Whom do Oath Axes charge?`; with the name of the decision where the rules have no words."""
    secret = " (secretly)" if decision.secret else ""
    if asked := decision.question():
        return f"{decision.side}: {asked}{secret}"
    things = [str(thing) for thing in decision.about if thing is not decision.side]
    return f"{', '.join(things) or decision.side}: {words(decision.name)}{secret}"


@dataclass(frozen=True, slots=True)
class OptionLine:
    """Options that are all the same to whoever chooses, as one line: their places, and what a reader sees."""

    all: Sequence[int]
    label: str

    @property
    def index(self) -> int:
        """The option that is taken for the line."""
        return self.all[0]


#: Of two things whether it is all the same which one is chosen.
Alike = Callable[[Any, Any], bool]


def never(one: Any, other: Any) -> bool:
    """No two things are alike."""
    return False


def rows_of(decision: Decision, names: Mapping[str, str] = NO_NAMES, alike: Alike = never) -> list[OptionLine]:
    """The options as a reader sees them, things of one name that are alike as one, with how many there are."""
    labels, options = labels_of(decision, names), decision.options
    by_name: dict[str, list[int]] = {}
    for i, option in enumerate(options):
        if option.label.endswith("]") and not option.blind:
            by_name.setdefault(label_of(option.value), []).append(i)
    same: dict[int, list[int]] = {i: [i] for i in range(len(options))}
    for name, found in by_name.items():
        groups: list[list[int]] = []
        for i in found:
            known = next((one for one in groups if alike(options[one[0]].value, options[i].value)), None)
            if known is None:
                groups.append([i])
            else:
                known.append(i)
        for group in groups:
            if len(group) > 1:
                label = words(name) if len(groups) == 1 else labels[group[0]]
                labels[group[0]] = f"{label} ({len(group)} of them)"
                same |= {i: [] for i in group[1:]} | {group[0]: group}
    return [OptionLine(all_, labels[i]) for i, all_ in same.items() if all_]


def labels_of(decision: Decision, names: Mapping[str, str] = NO_NAMES) -> list[str]:
    """What each option is called. names: what to say for the ids that stand in labels."""

    def read(label: str) -> str:
        return words(" ".join(names.get(word, word) for word in label.split(" ")))

    return [
        NONE if option.value is None
        else words(option.label) if option.blind or _is_word(option)
        else read(option.label)
        for option in decision.options
    ]


def _is_word(option: Option) -> bool:
    """Whether an option is one that the rules name (`keep_pikes`): none of its words is the id of anything."""
    return isinstance(option.value, str) and option.label == option.value.replace("_", " ")


def listed(
    decision: Decision, everything: bool = False, width: int = 88, names: Mapping[str, str] = NO_NAMES,
    alike: Alike = never,
) -> list[str]:  # fmt: skip
    """The options with their numbers, in columns where they are short; options that are numbers need no other."""
    labels = [row.label for row in rows_of(decision, names, alike)]
    if are_numbers(decision):
        return [f"     one of {', '.join(option.label for option in decision.options)}"]
    shown = labels if everything else labels[:MOST_SHOWN]
    rows = [f"{n:>3}  {label}" for n, label in enumerate(shown, start=1)]
    if len(rows) > 6 and all(len(label) <= SHORT for label in shown):
        rows = _columns(rows, max(1, width // (SHORT + 7)))
    if len(shown) < len(labels):
        rows.append(f"     and {len(labels) - len(shown)} more: `all` lists them")
    if decision.free is not None:
        rows.append("     or a place of your own: `to X Y`, `to X Y FACING` (degrees, 0 is up the table)")
    return rows


def are_numbers(decision: Decision) -> bool:
    """Whether the options are whole numbers (and perhaps none): then a number means itself."""
    labels = [option.label for option in decision.options if option.value is not None]
    return bool(labels) and all(label.removeprefix("-").isdecimal() for label in labels)


def _columns(rows: Sequence[str], columns: int) -> list[str]:
    height = -(-len(rows) // columns)
    wide = max(map(len, rows)) + 2
    return ["".join(row.ljust(wide) for row in rows[i::height]).rstrip() for i in range(height)]


def answer_in(
    line: str, decision: Decision, names: Mapping[str, str] = NO_NAMES, alike: Alike = never
) -> Answer | None:
    """The answer that a line means: a number, a label or its beginning, a place; None if it is none of these.

    Raises UsageError for a number that no option has, and for a beginning that several have.
    """
    text = line.strip()
    if are_numbers(decision) and text.removeprefix("-").isdecimal():
        named = [i for i, option in enumerate(decision.options) if option.label == str(int(text))]
        if not named:
            raise UsageError(f"say one of {', '.join(option.label for option in decision.options)}")
        return named[0]
    rows = rows_of(decision, names, alike)
    if text.isdecimal():
        number = int(text)
        if not 1 <= number <= len(rows):
            raise UsageError(f"there are options 1 to {len(rows)}")
        return rows[number - 1].index
    free = place_in(text) if decision.free is not None else None
    if free is not None:
        return free
    low = text.lower()
    labels = [row.label.lower() for row in rows]
    if low in labels:
        return rows[labels.index(low)].index
    begin = [row for row, label in zip(rows, labels, strict=True) if label.startswith(low)] if low else []
    if len(begin) > 1:
        raise UsageError(f'"{text}" may be {", ".join(row.label for row in begin[:6])}')
    if begin:
        return begin[0].index
    plain = [words(option.label).lower() for option in decision.options]
    return plain.index(low) if low in plain else None


def place_in(text: str) -> Mapping[str, Any] | None:
    """`to X Y`, `to X Y FACING`, or an order as JSON."""
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise UsageError('an order looks like {"to": [40, 22.5], "facing": 90}') from None
        return found if isinstance(found, dict) else None
    parts = text.split()
    if len(parts) not in (3, 4) or parts[0].lower() != "to":
        return None
    try:
        numbers = [float(part) for part in parts[1:]]
    except ValueError:
        return None
    place: dict[str, Any] = {"to": numbers[:2]}
    if len(numbers) == 3:
        place["facing"] = numbers[2]
    return place
