"""Who sits at the table: persons and computer players, the battle between them, and its journal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.engine.battle import Battle
from warhost.errors import JournalError, UsageError
from warhost_battles.journal import Journal, Recorder, begun_as, read_journal
from warhost_battles.players import assigned, default_player, known_players, player, side_number

if TYPE_CHECKING:
    from warhost.engine.decisions import Policy
    from warhost.packs import Ruleset
    from warhost_battles.files import Plan

#: How a journal calls a side that a person played.
PERSON = "person"


@dataclass(frozen=True, slots=True)
class Seats:
    """A battle with at least one side that a person answers for. names: who plays each side."""

    battle: Battle
    recorder: Recorder
    names: tuple[str, ...]
    path: Path

    @property
    def persons(self) -> list[Any]:
        """The sides that persons play."""
        return [side for side, name in zip(self.battle.sides, self.names, strict=True) if name == PERSON]

    def to_go_on(self) -> str:
        """The command that goes on with the battle; it names the ruleset if that is not found by its id."""
        from warhost.cli.installed_names import folder_of
        from warhost.packs.user_paths import shown

        rules = self.battle.rules
        there = folder_of(f"{rules.id}@{rules.edition}")
        known = there is not None and there.resolve() == rules.folder.resolve()
        return shlex.join(["warhost", "play", *([] if known else [shown(rules.folder)]), "--resume", str(self.path)])


def taken(plan: Plan, sides: Sequence[str], against: Sequence[str], journal: Path) -> Seats:
    """A new battle. sides: those that persons play, by name or number; against: SIDE=POLICY for the others."""
    persons = {side_number(one, plan.side_names) for one in sides} or {0}
    known = known_players(plan.rules)
    chosen = assigned(against, plan.side_names)
    names = tuple(
        PERSON if i in persons else chosen.get(i) or given or default_player(known)
        for i, given in enumerate(plan.players)
    )
    deciding = _deciding(names, plan.seed, plan.rules)
    battle = Battle(
        plan.rules, plan.armies, plan.seed, scenario=plan.scenario, players=deciding, trace=True, names=plan.names
    )
    try:
        return Seats(battle, Recorder(battle, journal, names), names, journal)
    except OSError as error:
        raise UsageError(f"the journal cannot be written to {journal} ({error.strerror or error})") from error


def carried_on(path: Path, journal: Journal, rules: Ruleset) -> Seats:
    """The battle of a journal, where it was left. Raises JournalError when it comes out otherwise."""
    names = tuple(str(name) for name in journal.header.get("players") or ())
    sides = len(journal.header["armies"])
    if len(names) != sides:
        raise JournalError(f"{path}:1: the header names {len(names)} players for {sides} armies")
    if PERSON not in names:
        raise JournalError(f"{path}: no person plays in this battle; `warhost replay` tells it")
    if journal.end is not None:
        raise JournalError(f"{path}: this battle is over; `warhost replay` tells it")
    deciding = _deciding(names, journal.header["seed"], rules)
    battle = begun_as(journal, rules, deciding, trace=True)
    seats = Seats(battle, Recorder(battle, path, names, journal), names, path)
    for row in journal.decisions:
        side = row.get("side")
        if not isinstance(side, int) or isinstance(side, bool) or not 0 <= side < sides:
            raise JournalError(f"{path}:{row['line']}: there is no side {side!r} in this battle")
        if names[side] == PERSON:
            _again(seats, row)
    battle.decide()
    return seats


def _again(seats: Seats, row: dict[str, Any]) -> None:
    """Answer as the journal has it."""
    decision = seats.battle.decide()
    where = f"{seats.path}:{row['line']}"
    if decision is None or decision.number != row["d"] or decision.name != row.get("decision"):
        raise JournalError(f'{where}: the battle does not come to the decision "{row.get("decision")}" here')
    answer = row["answer"]
    if isinstance(answer, int) and (
        answer >= len(decision.options) or decision.options[answer].label != row["label"]
    ):
        raise JournalError(f'{where}: "{row["label"]}" is not the option {answer} of this decision')
    seats.battle.answer(answer)


def _deciding(names: Sequence[str], seed: int, rules: Ruleset) -> list[Policy | None]:
    """The computer players by name, None for persons."""
    known = known_players(rules)
    return [None if name == PERSON else player(name, seed + i, known) for i, name in enumerate(names)]


def adviser(seats: Seats) -> Policy:
    """The computer player that answers for a person who asks it to."""
    known = known_players(seats.battle.rules)
    return player(default_player(known), seats.battle.seed, known)


__all__ = ["PERSON", "Seats", "adviser", "carried_on", "read_journal", "taken"]
