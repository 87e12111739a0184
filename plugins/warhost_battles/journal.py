"""The journal: the save file of a battle. Resuming is replaying; a line is written as each decision is made."""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.decisions import Answer, Decision, Policy, follow, looks_ahead
from warhost.errors import ContentError, JournalError
from warhost.output_safety import write_whole
from warhost.packs import schemas
from warhost.packs.entries import to_plain

if TYPE_CHECKING:
    from warhost.packs import Ruleset

FORMAT = 1

#: A journal is never longer (bytes).
LARGEST = 200_000_000


def header_of(battle: Battle, players: Sequence[str]) -> dict[str, Any]:
    """The first line: everything that the battle is a function of, besides the decisions."""
    from warhost.version import __version__

    rules = battle.rules
    return {
        "warhost": __version__,
        "journal": FORMAT,
        "ruleset": {
            "id": rules.id, "edition": rules.edition, "digest": rules.digest, "house_rules": list(rules.house),
        },
        "armies": [to_plain(a.data) for a in battle.armies],
        "names": [s.name for s in battle.sides],
        "scenario": battle.scenario_data,
        "seed": battle.seed,
        "players": list(players),
    }  # fmt: skip


class Recorder:
    """Writes the journal of a battle as it is played. Each line is flushed; use as a context manager or `close`.

    known: a journal of the same battle that is to be carried on. What it has is left as it stands (a cut-off last line
    is taken off) and is verified while it is played again; only what comes after is added. Where the battle comes out
    otherwise, JournalError says at which decision, and what was right is kept in a file beside it.
    """

    def __init__(
        self, battle: Battle, path: str | Path, players: Sequence[str] = (), known: Journal | None = None
    ) -> None:
        self._battle = battle
        self._path = Path(path)
        self._decisions = len(known.decisions) if known is not None else 0
        self._turns = dict(known.turns) if known is not None else {}
        self._ended = known.end if known is not None else None
        self._good, self._good_turn, self._last = 0, 0, 0
        self._sum = "" if known is None else known.sum
        if known is None:
            self._file: IO[str] = self._path.open("w", encoding="utf-8", newline="\n")
            self._line(header_of(battle, players))
        else:
            os.truncate(self._path, known.size)
            self._file = self._path.open("a", encoding="utf-8", newline="\n")
        battle.on_decision = self._decision
        battle.on_turn = self._turn
        battle.on_undo = self._undo

    def _line(self, value: Mapping[str, Any]) -> None:
        if self._sum is not None:
            self._sum = checksum(self._sum, value)
            value = {**value, "sum": self._sum}
        self._file.write(_json(value) + "\n")
        self._file.flush()

    def _decision(self, decision: Decision, answer: Answer) -> None:
        self._last = decision.number
        if decision.number <= self._decisions:
            return
        self._all_turns_seen()
        plain = dict(answer) if isinstance(answer, Mapping) else answer
        label = "" if isinstance(answer, Mapping) else decision.options[answer].label
        side = self._battle.sides.index(decision.side)
        self._line({"d": decision.number, "decision": decision.name, "side": side, "answer": plain, "label": label})

    def _undo(self, decisions: int) -> None:
        """The battle stands again where so many decisions had been made: the lines after them go."""
        lines = self._path.read_bytes().split(b"\n")[:-1]
        rows = [json.loads(line) for line in lines]
        kept = next((i for i, row in enumerate(rows) if row.get("d", 0) > decisions), len(rows))
        self._file.seek(sum(len(line) + 1 for line in lines[:kept]))
        self._file.truncate()
        self._sum = rows[kept - 1].get("sum") if self._sum is not None else None
        self._last = min(self._last, decisions)
        self._decisions = min(self._decisions, decisions)

    def _turn(self, battle: Battle) -> None:
        expected = self._turns.pop(battle.battle.turn, None)
        if expected is None:
            self._line({"turn": battle.battle.turn, "hash": battle.state_hash()})
        elif expected != battle.state_hash():
            raise self._differs(f"the state after turn {battle.battle.turn} is not the one that it remembers")
        else:
            self._good, self._good_turn = self._last, battle.battle.turn

    def _all_turns_seen(self) -> None:
        if self._turns:
            raise self._differs(f"it remembers the end of turn {min(self._turns)}, to which its decisions do not come")

    def _differs(self, how: str) -> JournalError:
        """What to say when the battle comes out otherwise than its journal says; the good part is kept."""
        lines = self._path.read_bytes().split(b"\n")[:-1]
        rows = [json.loads(line) for line in lines]
        number = next((i for i, row in enumerate(rows) if self._doubtful(row)), len(rows))
        good = _keep(self._path, lines[:number])
        where = f"between decision {self._good + 1} and decision {self._last}"
        return JournalError(f"{self._path}: {where} the battle comes out otherwise: {how}; what is right is in {good}")

    def _doubtful(self, row: Mapping[str, Any]) -> bool:
        """Whether a line comes after the last state that was verified."""
        return row.get("d", 0) > self._good or row.get("turn", 0) > self._good_turn or "end" in row

    def close(self) -> None:
        """Write the end if the battle is over, and close the file."""
        if self._file.closed:
            return
        try:
            if self._battle.over:
                self._end()
            self._file.flush()
            os.fsync(self._file.fileno())
        finally:
            self._file.close()

    def _end(self) -> None:
        if self._ended is None:
            self._line({"end": True, "hash": self._battle.state_hash()})
            return
        self._all_turns_seen()
        if self._ended != self._battle.state_hash():
            raise self._differs("the state at the end is not the one that it remembers")

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *error: object) -> None:
        if error[0] is None:
            self.close()
        else:
            self._file.close()


def _is_journal(head: bytes) -> bool:
    return b'"journal":' in head


def _keep(path: Path, lines: Sequence[bytes]) -> Path:
    """Write the good lines of a journal to a file beside it."""
    good = path.with_name(f"{path.stem}.good{path.suffix}")
    write_whole(good, b"".join(line + b"\n" for line in lines), "the good part", _is_journal)
    return good


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_decimal)


def _decimal(value: object) -> float:
    """How a number with decimal places, exact in YAML, stands in a journal; `_value` reads it as exactly."""
    if isinstance(value, Fraction):
        return float(value)
    raise TypeError(f"{type(value).__name__} has no place in a journal")


def checksum(before: str, value: Mapping[str, Any]) -> str:
    """The check sum of a line of a journal: eight hexadecimal digits that depend on all lines up to this one.

    before: the sum of the line before, "" for the header. value: the line without its own `sum`.
    """
    return hashlib.sha256((before + _json(value)).encode()).hexdigest()[:8]


class ChangedLineError(JournalError):
    """A line of a journal is not as it was written. good: how many lines before it are."""

    def __init__(self, where: str, good: int) -> None:
        super().__init__(f"{where}: this line is not as it was written")
        self.good = good


@dataclass(slots=True)
class Journal:
    """A journal as read: header, decisions, hashes by turn. warnings tell what was dropped; size is the length in
    bytes of what was not; sum is the check sum of its last line (None: older journals have none).
    """

    header: dict[str, Any]
    decisions: list[dict[str, Any]]
    turns: dict[int, str]
    end: str | None
    warnings: list[str] = field(default_factory=list)
    size: int = 0
    sum: str | None = None


def read_journal(path: str | Path) -> Journal:
    """Read a journal; a cut-off last line is dropped with a warning. JournalError names the line of anything else,
    and of any line that was changed after it was written.
    """
    raw = _bytes_of(Path(path))
    lines, warnings = _whole_lines(raw, path)
    rows: list[tuple[int, str, dict[str, Any]]] = []
    for number, text in lines:
        try:
            value = _value(text)
        except (ValueError, RecursionError):
            if number == lines[-1][0]:
                warnings.append(f"line {number} is cut off and was dropped")
                break
            raise JournalError(f"{path}:{number}: this line is no JSON") from None
        if not isinstance(value, dict):
            raise JournalError(f"{path}:{number}: a line of a journal is an object")
        rows.append((number, text, value))
    if rows and "view" in rows[0][2]:
        known = "what one side may know of a battle; it can be read, but only the whole journal can be played again"
        raise JournalError(f"{path}: this is {known}")
    if not rows or "journal" not in rows[0][2]:
        raise JournalError(f"{path}: this is no journal: its first line is not a header")
    known_sum = _verified(path, rows)
    journal = _sorted_rows(path, rows, warnings)
    journal.sum = known_sum
    dropped = lines[-1][0] if len(rows) < len(lines) else 0
    whole = raw.split(b"\n")[:-1] if not dropped else raw.split(b"\n")[: dropped - 1]
    journal.size = sum(len(part) + 1 for part in whole)
    return journal


def _bytes_of(path: Path) -> bytes:
    try:
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):
            raise JournalError(f"{path} is not an ordinary file")
        if about.st_size > LARGEST:
            raise JournalError(f"{path}: larger than any journal")
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise JournalError(f"{str(path)[:300]}: {getattr(error, 'strerror', None) or error}") from None


def _value(text: str) -> Any:
    """A line of JSON. Raises ValueError, also for numbers that are none and for halves of characters."""
    value = json.loads(text, parse_constant=_no_number, parse_float=_exact)
    json.dumps(value, ensure_ascii=False, default=_decimal).encode("utf-8")
    return value


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _exact(text: str) -> Fraction:
    value = float(text)
    return Fraction(repr(value)) if math.isfinite(value) else _no_number(text)


def _whole_lines(raw: bytes, path: str | Path) -> tuple[list[tuple[int, str]], list[str]]:
    """Lines that end in a line feed; what follows the last one is cut off."""
    warnings: list[str] = []
    parts = raw.split(b"\n")
    if parts and parts[-1]:
        warnings.append(f"line {len(parts)} is cut off and was dropped")
    lines = []
    for i, part in enumerate(parts[:-1], start=1):
        try:
            lines.append((i, part.decode("utf-8")))
        except UnicodeDecodeError:
            raise JournalError(f"{path}:{i}: this line is no text") from None
    return [(n, t) for n, t in lines if t.strip()], warnings


def _verified(path: str | Path, rows: Sequence[tuple[int, str, dict[str, Any]]]) -> str | None:
    """The check sum of the last line, when all are right; None for a journal without sums."""
    if "sum" not in rows[0][2]:
        return None
    known = ""
    for i, (number, _, value) in enumerate(rows):
        given = value.pop("sum", None)
        known = checksum(known, value)
        if given != known:
            raise ChangedLineError(f"{path}:{number}", i)
    return known


def _sorted_rows(path: str | Path, rows: list[tuple[int, str, dict[str, Any]]], warnings: list[str]) -> Journal:
    header = rows[0][2]
    if header.get("journal") != FORMAT:
        raise JournalError(f"{path}:1: journals of format {header.get('journal')!r} are not known here")
    for key, proper in _HEADER.items():
        if not proper(header.get(key)):
            raise JournalError(f'{path}:1: the header has no proper "{key}"')
    journal = Journal(header, [], {}, None, warnings)
    for number, _, value in rows[1:]:
        if "d" in value:
            if not isinstance(value.get("answer"), dict) and not _count(value.get("answer")):
                raise JournalError(f"{path}:{number}: a decision without an answer")
            if value["d"] != len(journal.decisions) + 1 or not isinstance(value.get("label"), str):
                raise JournalError(f"{path}:{number}: decision {len(journal.decisions) + 1} was to stand here")
            journal.decisions.append({**value, "line": number})
        elif "turn" in value:
            if not _count(value["turn"]) or not isinstance(value.get("hash"), str):
                raise JournalError(f"{path}:{number}: a turn has a number and the hash of its state")
            journal.turns[value["turn"]] = value["hash"]
        elif "end" in value:
            if not isinstance(value.get("hash"), str):
                raise JournalError(f"{path}:{number}: the end has the hash of its state")
            journal.end = value["hash"]
        else:
            raise JournalError(f"{path}:{number}: neither a decision nor a turn nor the end")
    return journal


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**18


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _ruleset(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str) and _texts(value.get("house_rules", []))


#: What the header of a journal must have, and what each of it must be.
_HEADER: dict[str, Callable[[Any], bool]] = {
    "ruleset": _ruleset,
    "armies": lambda value: isinstance(value, list) and all(isinstance(one, dict) for one in value),
    "seed": lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
    "names": _texts,
    "scenario": lambda value: value is None or isinstance(value, str | dict),
    "players": lambda value: value is None or _texts(value),
}


class Replayer:
    """A player that answers from a journal; what follows the journal is answered by another player, or stops."""

    def __init__(self, journal: Journal, to: int | None = None, otherwise: Sequence[Policy | None] = ()) -> None:
        """otherwise: one player a side. They are asked along while the journal answers, so that players with a memory
        or dice of their own go on as they would have.
        """
        self._rows = journal.decisions if to is None else journal.decisions[:to]
        self._next = 0
        self._otherwise = list(otherwise)
        self.looks_ahead = looks_ahead(self._otherwise)

    @property
    def used_up(self) -> bool:
        """Whether every recorded answer has been given."""
        return self._next >= len(self._rows)

    def decide(self, decision: Decision, battle: Battle) -> Answer:
        """The recorded answer; behind the last one that of another player. Raises EndOfJournal when there is none."""
        other = self._otherwise[battle.sides.index(decision.side)] if self._otherwise else None
        if self.used_up:
            if other is None:
                raise EndOfJournal()
            return other.decide(decision, battle)
        row = self._rows[self._next]
        self._next += 1
        where = f"line {row['line']} of the journal"
        if row.get("decision") != decision.name or row.get("side") != battle.sides.index(decision.side):
            raise JournalError(
                f'{where} answers "{row.get("decision")}", '
                f'but the battle asks {decision.side.name} for "{decision.name}"'
            )
        answer: Answer = row["answer"]
        if isinstance(answer, int):
            if not 0 <= answer < len(decision.options):
                raise JournalError(f"{where} takes option {answer} of {len(decision.options)}")
            if row["label"] != decision.options[answer].label:
                shown = decision.options[answer].label
                raise JournalError(f'{where} says "{row.get("label")}", but that option is "{shown}" here')
        if other is not None:
            follow(other, decision, battle, answer)
        return answer


def resume(
    path: str | Path, rules: Ruleset, players: Sequence[Policy | None], *, trace: bool = False
) -> tuple[Battle, Recorder, Journal]:
    """Carry a battle on where its journal ends: the battle, its recorder, and the journal as it was found.

    Run the battle: the journal's decisions are made again, then the players go on. Raises JournalError; the lines
    before one that was changed are kept in a file beside the journal.
    """
    try:
        journal = read_journal(path)
    except ChangedLineError as error:
        good = _keep(Path(path), [line for line in _bytes_of(Path(path)).split(b"\n") if line.strip()][: error.good])
        raise JournalError(f"{error}; what is right is in {good}") from None
    battle = rebuild(journal, rules, otherwise=players, trace=trace)
    return battle, Recorder(battle, path, known=journal), journal


def _fitting_scenario(data: Any) -> None:
    """That a scenario written into a journal is one. Raises ContentError."""
    wrong = [p for p in schemas.check("scenario", data, "") if p.code == "wrong-type"] if data else []
    if wrong:
        raise ContentError(wrong)


class EndOfJournal(Exception):  # noqa: N818 (not an error)
    """The journal is used up and nobody goes on."""


def rebuild(
    journal: Journal, rules: Ruleset, *, to: int | None = None, otherwise: Sequence[Policy | None] = (),
    trace: bool = False, check_digest: bool = True,
) -> Battle:
    """A battle that will answer its decisions from a journal. Raises JournalError when the ruleset is another one."""
    sides = len(journal.header["armies"])
    replayer = Replayer(journal, to, otherwise)
    return begun_as(journal, rules, [replayer] * sides, trace=trace, check_digest=check_digest)


def begun_as(
    journal: Journal, rules: Ruleset, players: Sequence[Policy | None], *, trace: bool = False,
    check_digest: bool = True,
) -> Battle:
    """The battle of a journal at its very beginning, with players of one's own. Raises JournalError when the ruleset is
    another one.
    """
    if check_digest and journal.header["ruleset"].get("digest") != rules.digest:
        raise JournalError(other_rules(journal.header["ruleset"], rules))
    try:
        armies = [Army.from_data(a, rules) for a in journal.header["armies"]]
        _fitting_scenario(journal.header.get("scenario"))
    except ContentError as error:
        raise JournalError(f"the journal's header makes no sense: {error.problems[0].message}") from None
    return Battle(
        rules, armies, journal.header["seed"], scenario=journal.header.get("scenario"), players=players,
        names=journal.header["names"], trace=trace,
    )  # fmt: skip


def other_rules(header: Mapping[str, Any], rules: Ruleset) -> str:
    """What to say of a journal that was written under other rules. header: what it says of them."""
    digest = str(header.get("digest"))[:12]
    named = f"{header.get('id')}@{header['edition']}" if header.get("edition") else str(header.get("id"))
    here = f"{rules.id}@{rules.edition}"
    then, now = (", ".join(map(str, house)) or "none" for house in (header.get("house_rules") or (), rules.house))
    said = f"the journal was written under {named} ({digest}), but the rules here are {here} ({rules.digest[:12]}): "
    if then != now:
        return f"{said}its house rules were {then}, here they are {now}"
    if named == here:
        return f"{said}they have changed since; with a copy of the old folder `warhost diff` tells how"
    return f"{said}what differs tells `warhost diff {named} {here}`"


def replay(journal: Journal, battle: Battle, verify: bool = True) -> Iterator[dict[str, Any]]:
    """Play a rebuilt battle and give its log; verifies the state hash after every turn and at the end.

    Ends early, without an error, when the journal is used up and nobody goes on.
    """
    wrong: list[str] = []

    def compare(b: Battle) -> None:
        expected = journal.turns.get(b.battle.turn)
        if verify and expected is not None and expected != b.state_hash():
            wrong.append(f"the state after turn {b.battle.turn} is not the one of the journal")
            raise JournalError(wrong[0])

    previous = battle.on_turn
    if previous is None:
        battle.on_turn = compare
    try:
        yield from battle.play()
    except EndOfJournal:
        yield from battle.log[battle.records_given :]
        return
    if verify and journal.end is not None and journal.end != battle.state_hash():
        raise JournalError("the state at the end is not the one of the journal")
