"""Coverage by grade: for each rule of the book, whether it is played, proved, or only claimed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from warhost_proof.calls import Calls, calls_of
from warhost_proof.elements import Carrier, carriers, extended, is_provisional, taken_out
from warhost_proof.lines import executable_lines
from warhost_proof.record import PlayRecord, lines_that_count, recorded_files
from warhost_proof.trials import Trials

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.contents import BookRule

#: How many examples that do not name a rule are asked whether they notice that it is missing.
MOST_OTHERS = 60

#: The grades, in the order in which tables show them. A rule may be both played and proved.
GRADES = (
    "played", "proved", "by_example_only", "house_rule_only", "called_by_examples_only", "provisional", "ruled_out",
    "missing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Graded:
    """One rule of the book. carriers: what carries its id; examples: the titles of those that name it.

    played: recorded battles came to it. missed: the blocks that carry it and that none came to. proved_by: an example
    that names it and fails without it. grade: one of GRADES but the first two, or "".
    """

    rule: BookRule
    carriers: tuple[Carrier, ...]
    examples: tuple[str, ...]
    played: bool
    missed: tuple[Carrier, ...]
    proved_by: str | None
    grade: str

    @property
    def grades(self) -> tuple[str, ...]:
        """Every grade of the rule."""
        both = (("played",) if self.played else ()) + (("proved",) if self.proved_by else ())
        return (*both, self.grade) if self.grade else both


@dataclass(frozen=True, slots=True)
class Coverage:
    """Every rule of the index, in the order of the book.

    battles: how many were recorded; current: whether the record is of this very ruleset; battles_of: the ruleset below
    whose record it is, "" if it is its own. orphans: blocks that no rule
    calls though examples may. rows: how many profiles are of the book, and how many provisional.
    """

    rules: Mapping[str, Graded]
    battles: int
    current: bool
    orphans: tuple[str, ...]
    rows: tuple[int, int]
    battles_of: str = ""

    def of_grade(self, grade: str) -> list[str]:
        """The ids of the rules of a grade."""
        return [id_ for id_, one in self.rules.items() if grade in one.grades]

    @property
    def contradictory(self) -> list[str]:
        """Ruled out, and carried by something all the same."""
        return [id_ for id_, one in self.rules.items() if one.rule.ruled_out and one.carriers]

    @property
    def ok(self) -> bool:
        """Whether nothing is missing and nothing is called by examples alone."""
        return not self.of_grade("missing") and not self.of_grade("called_by_examples_only")

    def to_json(self) -> dict[str, object]:
        """The object under `rules` that `warhost coverage --json` prints."""
        return {"total": len(self.rules), **{grade: self.of_grade(grade) for grade in GRADES}}


def coverage(rules: Ruleset, record: PlayRecord | None = None) -> Coverage:
    """The index of the book against the rules in force, the house rules on offer, and the record of what was played."""
    calls = calls_of(rules)
    carrying = carriers(rules)
    examples: dict[str, list[str]] = {}
    for example in rules.examples:
        for ref in dict.fromkeys(example.ref):
            examples.setdefault(ref, []).append(example.title)
    play = _Play(rules, record or PlayRecord(), calls)
    titles = {example.title for example in rules.examples}
    proved = {} if record is None else {ref: title for ref, title in record.proved.items() if title in titles}
    graded = {}
    for id_, rule in rules.rulebook.items():
        carried, named = carrying.get(id_, []), examples.get(id_, [])
        played = play.reached(carried)
        grade = _grade(rule, carried, named, played, calls)
        shown = played and grade not in ("house_rule_only", "called_by_examples_only")
        graded[id_] = Graded(
            rule, tuple(carried), tuple(named), shown, tuple(play.missed(carried)), proved.get(id_), grade
        )
    ours = sum(is_provisional(p) for p in rules.profiles.values())
    of = f"{record.ruleset}@{record.edition}" if record and record.folder not in (None, rules.folder) else ""
    return Coverage(
        graded, record.battles if record else 0, record is not None and record.digest == rules.rules_digest,
        tuple(_orphans(rules, calls)), (len(rules.profiles) - ours, ours), of,
    )  # fmt: skip


def _grade(rule: BookRule, carried: list[Carrier], examples: list[str], played: bool, calls: Calls) -> str:
    if not carried and not (rule.worked and examples):
        return "ruled_out" if rule.ruled_out else "missing"
    if carried and all(c.kind == "house rule" for c in carried):
        return "house_rule_only"
    if carried and all(c.provisional for c in carried):
        return "provisional"
    names = [c.called_as() for c in carried]
    idle = bool(carried) and None not in names and all(calls.sort_of(name) == "examples" for name in names if name)
    if idle and rule.not_played is None:  # with a reason it is known and said, else it is a mistake
        return "called_by_examples_only"
    return "" if played else "by_example_only"


def _orphans(rules: Ruleset, calls: Calls) -> list[str]:
    found = []
    for placed in rules.placed:
        if placed.layer.kind == "plugin" or (placed.history and placed.history[0].layer.kind == "plugin"):
            continue
        name = Carrier(placed.kind, placed.name, placed.block.pos, placed.block).called_as()
        if name is not None and calls.sort_of(name) == "examples":
            found.append(f"{placed.kind} {placed.name}  ({placed.block.pos.file}:{placed.block.pos.line})")
    return found


class _Play:
    """What recorded battles came to, asked of the elements of a ruleset."""

    def __init__(self, rules: Ruleset, record: PlayRecord, calls: Calls) -> None:
        self.rules, self.record, self.calls = rules, record, calls
        self.lines = lines_that_count(record, rules)
        self.executable = executable_lines(rules.program)
        self.by_file: dict[str, set[int]] = {}
        own = recorded_files(rules)  # the lines of plugins are not recorded: what they carry is judged by the rest
        for file, line in self.executable:
            if file in own:
                self.by_file.setdefault(file, set()).add(line)
        self.hit: dict[str, set[int]] = {}
        for file, line in self.lines:
            self.hit.setdefault(file, set()).add(line)
        self.lineages = {p: set(rules.profiles[p].lineage) | {p} for p in record.profiles if p in rules.profiles}

    def reached(self, carried: list[Carrier]) -> bool:
        """Whether battles came to all blocks that carry a rule, or, if only data do, to any of these.

        Blocks that only a question about chances calls are no part of a battle.
        """
        blocks = [c for c in carried if not c.is_data and self._has_steps(c) and self._in_play(c)]
        if blocks:
            return not self.missed(carried)
        return any(self._data(c) if c.is_data else self.record.battles > 0 for c in carried)

    def missed(self, carried: Iterable[Carrier]) -> list[Carrier]:
        """The blocks among the carriers of a rule that no battle came to."""
        blocks = [c for c in carried if not c.is_data and self._has_steps(c) and self._in_play(c)]
        return [c for c in blocks if not self._block(c)]

    def _in_play(self, c: Carrier) -> bool:
        name = c.called_as()
        return name is None or name in self.calls.play or name not in self.calls.rules

    def _has_steps(self, c: Carrier) -> bool:
        return bool(self._of(c, self.by_file)) or (c.called_as() is not None and c.called_as()[0] == "definition")  # type: ignore[index]

    @staticmethod
    def _of(c: Carrier, lines: Mapping[str, set[int]]) -> set[int]:
        return {n for n in lines.get(c.pos.file, ()) if c.pos.line <= n <= c.pos.end_line}

    def _block(self, c: Carrier) -> bool:
        if self._of(c, self.by_file):
            return bool(self._of(c, self.hit))
        return self._borne(c.name)

    def _borne(self, title: str) -> bool:
        """Whether something bore a definition that has no steps of its own."""
        return title in self.record.titles or any(t.split("(")[0].strip() == title for t in self.record.titles)

    def _data(self, c: Carrier) -> bool:
        if c.kind == "profile":
            return any(c.name in lineage for lineage in self.lineages.values())
        known = {
            "table": self.record.tables, "list": self._lists(), "army": self.record.armies,
            "scenario": self.record.scenarios,
        }  # fmt: skip
        return c.name in known.get(c.kind, ())

    def _lists(self) -> set[str]:
        """The army lists that fought, and those that they build on."""
        return self.record.lists.union(*(extended(self.rules, name) for name in self.record.lists))


def proofs(rules: Ruleset, told: Callable[[str, int, int], None] | None = None) -> dict[str, str]:
    """For each rule of the book an example that fails once everything that carries the rule is taken out: one that
    names the rule, if there is such a one, else one that comes to its lines.

    A worked example of the book, which nothing else carries, is proved by the example that is it.
    """
    trials = Trials(rules)
    trials.learn(lambda done, of: told("examples", done, of) if told else None)
    carrying = {house: carriers(variant) for house, variant in trials.variants.items()}
    found: dict[str, str] = {}
    for i, (ref, rule) in enumerate(rules.rulebook.items()):
        title = _proof(ref, rule, trials, carrying, rules)
        if title is not None:
            found[ref] = title
        if told is not None:
            told("rules taken out", i + 1, len(rules.rulebook))
    return found


def _proof(
    ref: str, rule: BookRule, trials: Trials, carrying: Mapping[tuple[str, ...], Mapping[str, list[Carrier]]],
    rules: Ruleset,
) -> str | None:  # fmt: skip
    examples = [k for k in trials.known if k.passed and ref in k.example.ref]
    carried = carrying[rules.house].get(ref, [])
    if rule.worked and not carried and examples:
        return examples[0].example.title
    changes = [taken_out(variant, carrying[house].get(ref, ())) for house, variant in trials.variants.items()]
    undoing = [change() for change in changes if change is not None]
    if not undoing:
        return None
    try:
        noticed = trials.first_to_notice(sorted(examples, key=lambda k: k.seconds))
        if noticed is None:
            hosts = {host for k in trials.known for host in k.hosts if any(c.at(host) for c in carried)}
            others = [k for k in trials.that_come_to(hosts) if ref not in k.example.ref]
            noticed = trials.first_to_notice(others[:MOST_OTHERS])
    finally:
        for undo in reversed(undoing):
            undo()
    return noticed.example.title if noticed is not None else None
