"""The story of a battle: its log as something to read.

    lines = tell(battle.play(), battle, rolls=True)
    print_story(None, lines)

Told while the battle is played, each turn is headed by what both sides have left; told afterwards only if a
`Tally` watched the battle.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from warhost.things import is_gone, noun_of, was_never_placed
from warhost_battles.shown import said_of, state_of, strength_of

if TYPE_CHECKING:
    from rich.console import Console

    from warhost.engine.battle import Battle

Style = Literal["turn", "phase", "line", "roll", "trace", "end"]
Json = Mapping[str, Any]

#: Dice in a row before they are counted instead of listed.
MOST_FACES = 24
#: How deep the computation of a number is followed into the numbers that it asked.
DEEPEST_TRACE = 4

_NEEDS = {
    "<=": "{} or less", ">=": "{} or more", "<": "less than {}", ">": "more than {}", "==": "exactly {}",
    "!=": "not {}",
}  # fmt: skip
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


#: Words of sentences that are written for one unit: of several "A was holed" and "B was holed" are two sentences.
_OF_ONE = re.compile(r"\b(?:was|is|has|does|its|itself)\b")


@dataclass(frozen=True, slots=True)
class StoryLine:
    """One line of the story; style says how important it is and what it belongs to."""

    style: Style
    text: str


# -- who stands where ------------------------------------------------------------------------------


def told_beside(row: Mapping[str, Any], battle: Battle) -> str:
    """What somebody has beside the table, a row of a picture, in a line; of what may not be known only how much."""
    whose = next((s.name for s in battle.sides if s.id == row.get("side")), "")
    items = [str(one.get("name", "")) for one in row.get("items") or ()]
    count = row.get("count")
    hidden = count - len(items) if isinstance(count, int) else 0
    if hidden > 0:
        items.append(f"{hidden} hidden")
    title = ", ".join(part for part in (whose, words(str(row.get("title", "")))) if part)
    note = f" ({row['note']})" if row.get("note") else ""
    return f"{title}: {', '.join(items) or 'nothing'}{note}"


def picture_of(battle: Battle) -> dict[str, Any] | None:
    """The table as plain data: what the plugins draw, laid over each other, and what the ruleset wants to be shown
    (`warhost_battles.shown`); None when none draws anything.
    """
    pictures = [p for p in battle.rules.plugins.call("warhost_picture", battle=battle) if p]
    if not pictures:
        return None
    whole: dict[str, Any] = {}
    for picture in pictures:
        for key, value in picture.items():
            if isinstance(value, list) and isinstance(whole.get(key), list):
                whole[key] = [*whole[key], *value]
            else:
                whole.setdefault(key, value)
    if isinstance(whole.get("units"), list):
        whole["units"] = [said_of(battle, row) for row in whole["units"]]
    if state := state_of(battle):
        whole["state"] = state
    return whole


@dataclass(frozen=True, slots=True)
class Count:
    """A unit at one moment. strength as the picture gives it; 0 when it has left the table."""

    id: str
    name: str
    side: str
    strength: int
    start: int


def count(battle: Battle, picture: Json | None) -> tuple[Count, ...]:
    """The units that are left: those in the picture, and those that are nowhere on it for now but not lost."""
    pictured = tuple(_counted(u) for u in picture.get("units", ())) if picture is not None else ()
    seen = {u.id for u in pictured}
    elsewhere = (u for side in battle.sides for u in side.units if u.id not in seen and not is_gone(u))
    return (*pictured, *(_mustered(battle, u) for u in elsewhere))


def _counted(unit: Json) -> Count:
    strength = _whole(unit.get("strength", 1))
    id = str(unit["id"])
    start = _whole(unit.get("start", strength))
    return Count(id, str(unit.get("name", id)), str(unit.get("side", "")), strength, start)


def _mustered(battle: Battle, unit: Any) -> Count:
    return Count(unit.id, unit.name, unit.side.id, *strength_of(battle, unit))


def _whole(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return 0


class Tally:
    """Counts both sides after every phase, for whoever tells the story. Attach before the battle begins."""

    def __init__(self, battle: Battle) -> None:
        self._counts: list[tuple[int, tuple[Count, ...], str]] = []
        #: The sides of which somebody was ever drawn; None while no plugin draws units.
        self.drawn: set[str] | None = None
        self._before = battle.on_phase
        battle.on_phase = self._phase

    def _phase(self, battle: Battle) -> None:
        picture = picture_of(battle)
        self._counts.append((len(battle.log), count(battle, picture), state_of(battle)))
        if picture is not None and "units" in picture:
            self.drawn = (self.drawn or set()) | {str(u.get("side", "")) for u in picture["units"]}
        if self._before is not None:
            self._before(battle)

    def forget(self, n: int) -> None:
        """The battle has been taken back: what was counted after record n never was."""
        self._counts = [row for row in self._counts if row[0] <= n]

    def at(self, n: int) -> tuple[tuple[Count, ...], str] | None:
        """The units that stood when record n of the log was written, and what the ruleset then said of the battle."""
        found = None
        for length, units, state in self._counts:
            if length > n:
                break
            found = units, state
        return found

    def largest(self) -> dict[str, Count]:
        """Every unit ever seen, at its strongest."""
        found: dict[str, Count] = {}
        for _, units, _ in self._counts:
            for u in units:
                if u.id not in found or u.strength > found[u.id].strength:
                    found[u.id] = u
        return found


# -- words -----------------------------------------------------------------------------------------


def words(name: str) -> str:
    """A name of the rules as a reader sees it."""
    return name.replace("_", " ").strip()


def name_in(battle: Battle, id: Any) -> str:
    """What a thing is called, by its id in the log."""
    entity = battle.by_id.get(id) if isinstance(id, str) else None
    if entity is not None:
        return str(entity.name)
    return words(plain(id))


def plain(value: Any) -> str:
    """A value of the log in words."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(plain(v) for v in value)
    return str(value)


def need_of(record: Json) -> str:
    """What a roll needs ("3 or less"), or nothing."""
    if record.get("need") is None:
        return ""
    return _NEEDS.get(record.get("op", ""), "{}").format(plain(record["need"]))


def passing(record: Json) -> list[bool] | None:
    """Which dice of a roll pass; None when the log does not tell for certain."""
    dice, result = record.get("dice", []), record.get("result")
    test, need = _TESTS.get(record.get("op", "")), _number(record.get("need"))
    if test is None or need is None or not dice:
        return None
    passed = [test(face, need) for face in dice]
    if isinstance(result, bool):
        return passed if len(dice) == 1 and passed[0] is result else None
    if isinstance(result, int) and result in (sum(passed), len(dice) - sum(passed)):
        return passed
    return None


def _number(value: Any) -> int | Fraction | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        return None


def faces_in_words(dice: Sequence[int]) -> str:
    """The faces in order, or how often each came up when there are many."""
    if len(dice) <= MOST_FACES:
        return " ".join(str(d) for d in dice)
    return ", ".join(f"{n} x {face}" for face, n in sorted(Counter(dice).items()))


def steps_of(rolls: Sequence[Json]) -> list[list[int]]:
    """What the dice of rolls of one sort showed: as they fell, after each re-roll, and in the end."""
    each = [[*r.get("earlier", ()), r.get("dice", ())] for r in rolls]
    longest = max((len(steps) for steps in each), default=1)
    return [[d for steps in each for d in steps[min(i, len(steps) - 1)]] for i in range(longest)]


def dice_in_words(rolls: Sequence[Json]) -> str:
    """The faces of rolls of one sort, and what they showed before each re-roll: "1 2 6, re-rolled 4 2 6"."""
    return ", re-rolled ".join(faces_in_words(step) for step in steps_of(rolls))


def outcome_of(rolls: Sequence[Json]) -> str:
    """What came of rolls of one sort: a count, a sum, passed or failed, or the word of a chart."""
    results = [r.get("result") for r in rolls]
    if all(isinstance(r, bool) for r in results):
        if len(results) == 1:
            good, bad = ("won", "lost") if rolls[0].get("need") is None else ("passed", "failed")
            return good if results[0] else bad
        return f"{sum(bool(r) for r in results)} of {len(results)} passed"
    if all(isinstance(r, int) and not isinstance(r, bool) for r in results):
        return str(sum(r for r in results if isinstance(r, int)))
    return ", ".join(words(plain(r)) for r in results)


def roll_text(rolls: Sequence[Json], battle: Battle) -> str:
    """Rolls of one sort in one line: "Hill Folk: shot, 3 dice, 3 or less: 1 2 5 -> 2"."""
    first = rolls[0]
    dice = [d for r in rolls for d in r.get("dice", ())]
    who = name_in(battle, first.get("by"))
    if first.get("against") is not None:
        who += f" against {name_in(battle, first['against'])}"
    outcome = outcome_of(rolls)
    if first.get("roll") == "rolls":
        total = "" if outcome == faces_in_words(dice) else f" = {outcome}"
        return f"{who} rolled {dice_in_words(rolls)}{total}"
    amount = "1 die" if len(dice) == 1 else f"{len(dice)} dice"
    need = need_of(first)
    line = f"{who}: {words(str(first.get('roll', '')))}, {amount}{', ' + need if need else ''}: {dice_in_words(rolls)}"
    return line if outcome == faces_in_words(dice) else f"{line} -> {outcome}"


def change_text(change: Json, battle: Battle) -> str:
    """One modifier with its reason: "-1 steep ground (hill)"."""
    op, value = change.get("op", ""), plain(change.get("value"))
    amount = {
        "add": value if value.startswith("-") else f"+{value}", "set": f"set to {value}",
        "multiply": f"x{value}", "round": "rounded", "floor": f"at least {value}", "cap": f"at most {value}",
    }.get(op, op)  # fmt: skip
    reason, source = str(change.get("because") or ""), source_of(change)
    if change.get("from") is not None and isinstance(change["from"], str) and change["from"] in battle.by_id:
        source = ", ".join(s for s in (source, name_in(battle, change["from"])) if s)
    if source and reason and source.lower() != reason.lower():
        return f"{amount} {reason} ({source})"
    return f"{amount} {reason or source}".strip()


def source_of(change: Json) -> str:
    """The rule that a modifier comes from, without the language's keywords."""
    rule = str(change.get("rule") or "")
    _, quote, rest = rule.partition('"')
    return rest.removesuffix('"') if quote else rule.removeprefix("rule ").strip()


def computation_text(number: Json, battle: Battle) -> str:
    """How a number came about: "reach of Guard 2: 3, -1 steep ground (hill) = 2"."""
    of = ", ".join(name_in(battle, a) for a in number.get("of", ()) if a is not None)
    name = words(str(number.get("number", ""))) + (f" of {of}" if of else "")
    changes = [change_text(c, battle) for c in changes_of(number)]
    if not changes:
        return f"{name} = {plain(number.get('value'))}"
    return f"{name}: {plain(number.get('base'))}, {', '.join(changes)} = {plain(number.get('value'))}"


def worth_showing(number: Json, depth: int) -> bool:
    """The number asked for, and on the way to it those that something changed."""
    return depth == 0 or bool(changes_of(number))


def changes_of(number: Json) -> list[Json]:
    """The modifiers of a number that make a difference."""
    return [c for c in number.get("changes", ()) if _tells(c, number)]


def _tells(change: Json, number: Json) -> bool:
    """Whether a modifier may have changed a number: nothing was added, or nothing was beyond a limit, if not."""
    op, by = change.get("op"), _number(change.get("value"))
    if op == "add":
        return by != 0
    value = _number(number.get("value"))
    if op not in ("floor", "cap") or by is None or value is None:
        return True
    return by == value and _before_limits(number) != value


def _before_limits(number: Json) -> Any:
    """What a number was before its limits; None where it was rounded, too, or is no figure."""
    from warhost.lang import ir
    from warhost.lang.combining import combined

    base = _number(number.get("base"))
    lines = [(str(c.get("op")), _number(c.get("value"))) for c in number.get("changes", ())]
    others = [(ir.Template("", "", op, None, None), by) for op, by in lines if op not in ("floor", "cap")]
    if base is None or any(t.op == "round" or by is None for t, by in others):
        return None
    return combined("number", base, others)


def computations(why: Iterable[Json], depth: int = 0) -> Iterator[tuple[int, Json]]:
    """The traced numbers worth reading, each with its depth; every one once."""
    yield from _computations(why, depth, set())


def _computations(why: Iterable[Json], depth: int, seen: set[str]) -> Iterator[tuple[int, Json]]:
    for number in why:
        key = f"{number.get('number')}({number.get('of')})"
        if key in seen:
            continue
        shown = worth_showing(number, depth)
        if shown:
            seen.add(key)
            yield depth, number
        if depth < DEEPEST_TRACE:
            yield from _computations(number.get("from", ()), depth + 1 if shown else max(depth, 1), seen)


def event_text(record: Json, battle: Battle) -> str:
    """What a record adds to the story; nothing for most."""
    kind = record.get("kind")
    if kind in ("say", "event"):
        return str(record.get("text") or "")
    if kind == "reaction":
        return f"{name_in(battle, record.get('by'))}: {words(plain(record.get('reaction')))}."
    if kind == "reveal":
        return f"Revealed: {name_in(battle, record.get('what'))}."
    return ""


def standing_text(units: Iterable[Count], battle: Battle) -> str:
    """Both sides in one line: units and strength."""
    rows = list(units)
    parts = []
    for side in battle.sides:
        own = [u for u in rows if u.side == side.id]
        noun = "unit" if len(own) == 1 else "units"
        parts.append(f"{side.name}: {len(own)} {noun}, {sum(u.strength for u in own)} strong")
    return " | ".join(parts)


# -- telling ---------------------------------------------------------------------------------------


def tell(
    records: Iterable[Json],
    battle: Battle,
    *,
    rolls: bool = False,
    trace: bool = False,
    tally: Tally | None = None,
) -> Iterator[StoryLine]:
    """The records of a log as lines of a story, one after the other as they come.

    rolls: with a line for every roll. trace: below it how the numbers came about (the battle must be
    traced). tally: who counted the sides while the battle was played; a battle that has not begun is counted
    on the way.
    """
    if tally is None and not battle.log:
        tally = Tally(battle)
    teller = _Teller(battle, rolls or trace, trace, tally)
    for record in records:
        yield from teller.take(record)
    yield from teller.rolled()


@dataclass(slots=True)
class _Teller:
    battle: Battle
    rolls: bool
    trace: bool
    tally: Tally | None
    phase: str = ""
    waiting: list[Json] = field(default_factory=list)
    same: tuple[str, str, str] = ("", "", "")
    subjects: list[str] = field(default_factory=list)
    answer: tuple[str, str] | None = None

    def take(self, record: Json) -> Iterator[StoryLine]:
        kind = record.get("kind")
        if kind == "turn":
            yield from self.rolled()
            self.phase = ""
            yield self.heading(record)
        elif kind == "phase":
            yield from self.rolled()
            self.phase = str(record.get("title") or words(str(record.get("phase", ""))))
        elif kind == "end":
            yield from self.rolled()
            yield from self.ending(record)
        elif kind == "roll":
            if self.rolls and record.get("dice"):
                if self.subjects or (self.waiting and not alike(self.waiting[-1], record)):
                    yield from self.rolled()
                self.waiting.append(record)
        elif kind == "reaction":
            yield from self.rolled()
            self.answer = (name_in(self.battle, record.get("by")), event_text(record, self.battle))
        elif text := event_text(record, self.battle):
            yield from self._line(record, text)

    def _line(self, record: Json, text: str) -> Iterator[StoryLine]:
        """A line; the same happening to several of a side, one after the other, becomes one with all of them."""
        if self.answer is not None and text.startswith(self.answer[0] + " "):
            self.answer = None  # what came of it says enough
        subject, rest, side = self._subject(record, text)
        same = (str(record.get("event")), rest, side)
        if subject and self.subjects and same == self.same and subject not in self.subjects:
            self.subjects.append(subject)
            return
        yield from self.rolled()
        if subject:
            self.same, self.subjects = same, [subject]
        else:
            yield from self.in_phase(StoryLine("line", text))

    def _subject(self, record: Json, text: str) -> tuple[str, str, str]:
        """Whom an event's sentence begins with, the rest, and the side; nobody when it begins otherwise, or is written
        for one alone.
        """
        id = next(iter((record.get("args") or {}).values()), None)
        first = name_in(self.battle, id) if id is not None else ""
        if first and text.startswith(first + " ") and not _OF_ONE.search(text, len(first)):
            entity = self.battle.by_id.get(id) if isinstance(id, str) else None
            return first, text[len(first) :], self._side_of(entity)
        return "", text, ""

    def _side_of(self, entity: Any) -> str:
        side = entity if any(entity is s for s in self.battle.sides) else getattr(entity, "side", None)
        return str(getattr(side, "id", ""))

    def gathered(self) -> Iterator[StoryLine]:
        """The happenings that have been put together, and an answer of which nothing more was told."""
        if self.subjects:
            subjects, self.subjects = self.subjects, []
            yield from self.in_phase(StoryLine("line", listed(subjects) + self.same[1]))
        if self.answer is not None:
            answer, self.answer = self.answer[1], None
            yield from self.in_phase(StoryLine("line", answer))

    def in_phase(self, line: StoryLine) -> Iterator[StoryLine]:
        """The line, after the title of its phase if it is the first."""
        if self.phase:
            yield StoryLine("phase", self.phase)
            self.phase = ""
        yield line

    def rolled(self) -> Iterator[StoryLine]:
        """What has been gathered: happenings, then rolls."""
        yield from self.gathered()
        if not self.waiting:
            return
        rolls, self.waiting = self.waiting, []
        yield from self.in_phase(StoryLine("roll", roll_text(rolls, self.battle)))
        if self.trace:
            for depth, number in computations(rolls[0].get("why", ())):
                yield StoryLine("trace", "  " * depth + computation_text(number, self.battle))

    def heading(self, record: Json) -> StoryLine:
        title = f"Turn {record.get('turn', '')}" + (f", {record['side']}" if record.get("side") else "")
        found = self.tally.at(int(record.get("n", 0))) if self.tally is not None else None
        units, state = found if found is not None else ((), "")
        parts = (title, state, standing_text(units, self.battle) if units else "")
        return StoryLine("turn", " | ".join(part for part in parts if part))

    def ending(self, record: Json) -> Iterator[StoryLine]:
        yield StoryLine("end", verdict(record.get("winner"), record.get("reason")))
        left = count(self.battle, picture_of(self.battle))
        began = beginning(self.battle, self.tally)
        for side in self.battle.sides:
            yield StoryLine("end", tally_text(side.id, side.name, began, left))
        drawn = self.tally.drawn if self.tally is not None else None
        if drawn is not None and (text := never_placed_text(self.battle, drawn)):
            yield StoryLine("end", text)


def listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def alike(a: Json, b: Json) -> bool:
    """Whether two rolls one after the other are told in one line."""
    keys = ("roll", "by", "against", "need", "op")
    if a.get("need") is None or isinstance(a.get("result"), str):
        return False
    return all(a.get(k) == b.get(k) for k in keys) and isinstance(a.get("result"), bool) == isinstance(
        b.get("result"), bool
    )


def verdict(winner: Any, reason: Any) -> str:
    """Who won and why."""
    text = f"{winner} won" if winner else "Nobody won"
    return f"{text}: {str(reason).rstrip('.')}." if reason else f"{text}."


def beginning(battle: Battle, tally: Tally | None) -> dict[str, Count]:
    """Every unit as strong as it ever was."""
    found = tally.largest() if tally is not None else {}
    for entity in battle.by_id.values():
        side = getattr(entity, "side", None)
        if entity.id in found or noun_of(entity) != "unit" or side is None:
            continue
        if is_gone(entity) and was_never_placed(entity):
            continue
        found[entity.id] = _mustered(battle, entity)
    return found


def tally_text(side: str, name: str, began: Mapping[str, Count], left: Iterable[Count]) -> str:
    """What a side has left and what each of its units lost."""
    now = {u.id: u for u in left if u.side == side}
    own = [u for u in began.values() if u.side == side]
    strength, start = sum(u.strength for u in now.values()), sum(max(u.strength, u.start) for u in own)
    text = f"{name}: {len(now)} of {len(own)} units left, {strength} of {start} strong."
    losses = []
    for u in own:
        whole = max(u.strength, u.start)
        lost = whole - (now[u.id].strength if u.id in now else 0)
        if lost > 0:
            losses.append(f"{u.name} {lost} of {whole}" if whole > 1 else u.name)
    return f"{text} Lost: {', '.join(losses)}." if losses else f"{text} No losses."


def never_placed_text(battle: Battle, drawn: Collection[str]) -> str:
    """Which sides have units and never had one on the table, with what may be the cause; nothing if all had."""
    things = battle.by_id.values()
    with_units = {one.side.id for one in things if noun_of(one) == "unit" and getattr(one, "side", None) is not None}
    never = [side for side in battle.sides if side.id in with_units and side.id not in drawn]
    if not never:
        return ""
    text = f"No unit of {' or '.join(str(side.name) for side in never)} was ever on the table"
    offered = any(record["kind"] == "decision" and record["turn"] == 0 for record in battle.log)
    if "may_act" in battle.rules.program.numbers and not offered:
        text += ": in set-up nobody was offered anything. The flag may_act, which says who may act, is asked there too"
    return f"{text}."


# -- on paper and on the screen ----------------------------------------------------------------------

_INDENTS: dict[Style, tuple[str, str]] = {
    "turn": ("", "  "), "phase": ("", "  "), "line": ("  ", "    "), "roll": ("      ", "        "),
    "trace": ("        ", "          "), "end": ("", "  "),
}  # fmt: skip
_COLOURS: dict[Style, str] = {
    "turn": "bold", "phase": "cyan", "line": "", "roll": "dim", "trace": "dim italic", "end": "bold",
}  # fmt: skip


def laid_out(lines: Iterable[StoryLine], width: int = 88) -> Iterator[tuple[Style, str]]:
    """The story in rows of at most `width` characters, blank rows where they help."""
    before: Style | None = None
    for line in lines:
        if line.style == "turn" or (line.style == "end" and before != "end"):
            if before is not None:
                yield "line", ""
        elif line.style == "phase" and before is not None:
            yield "line", ""
        for row in _wrapped(line, width):
            yield line.style, row
        if line.style == "turn":
            yield "turn", "-" * min(width, max(len(r) for r in _wrapped(line, width)))
        before = line.style


def _wrapped(line: StoryLine, width: int) -> list[str]:
    first, rest = _INDENTS[line.style]
    text = " ".join(line.text.split())
    if line.style == "trace":
        deeper = " " * (len(line.text) - len(line.text.lstrip(" ")))
        first, rest = first + deeper, rest + deeper
    elif line.style == "turn" and len(text) > width and " | " in text:
        head, _, sides = text.partition(" | ")
        return [head, *(row for s in sides.split(" | ") for row in _filled(s, "  ", "    ", width))]
    return _filled(text, first, rest, width)


def _filled(text: str, first: str, rest: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, 30), initial_indent=first, subsequent_indent=rest) or [""]


def story_text(lines: Iterable[StoryLine], width: int = 88) -> str:
    """The story as plain text."""
    return "".join(row.rstrip() + "\n" for _, row in laid_out(lines, width))


def print_story(console: Console | None, lines: Iterable[StoryLine]) -> None:
    """Print the story as it is told: in colour on a rich console, else as plain text to standard output."""
    if console is None:
        from warhost.output_safety import harmless

        for _, row in laid_out(lines):
            print(harmless(row.rstrip()))
        return
    from rich.text import Text

    for style, row in laid_out(lines, min(max(console.width, 40), 100)):
        console.print(Text(row.rstrip(), style=_COLOURS[style]), soft_wrap=True, highlight=False)
