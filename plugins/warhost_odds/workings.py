"""How an answer comes about, for players to check: how both sides stand, and the throws of the first round.

The throws are those of the rules that play: some first rounds are played with every number traced, and what was thrown
is told as a battle's log has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from warhost.engine.dice import SeededDice
from warhost_battles.story import alike, computation_text, computations, need_of, plain, words
from warhost_odds.answer import ThrowShown
from warhost_odds.questions import Prepared

#: So many first rounds are looked at: what is thrown in none of them is rare.
SAMPLES = 4

Json = Mapping[str, Any]


def standing(prepared: Prepared) -> dict[str, dict[str, Any]]:
    """How both sides stand before the fight: side to name to value. Where dice decide it is a text, `4 to 9`."""
    sights = prepared.question.shows
    ways = [prepared.observations(sights) for _ in prepared.each_way()]
    found: dict[str, dict[str, Any]] = {}
    for name, side in ways[0] if ways else ():
        found.setdefault(side, {})[name] = _value([way[(name, side)] for way in ways])
    return found


def _value(values: Sequence[Any]) -> Any:
    distinct = list(dict.fromkeys(values))
    if len(distinct) == 1:
        return float(distinct[0]) if isinstance(distinct[0], Fraction) else distinct[0]
    if all(isinstance(v, int | Fraction) and not isinstance(v, bool) for v in distinct):
        return f"{min(distinct)} to {max(distinct)}"
    return " or ".join(plain(v) for v in distinct)


def throws_of(prepared: Prepared) -> tuple[ThrowShown, ...]:
    """The throws of the first round, in their order, each sort once. The battle must be traced, and is played with."""
    found: dict[Any, tuple[Json, list[int], dict[str, Json]]] = {}
    for seed, records in enumerate(first_rounds(prepared)):
        rolls = (record for record in records if record.get("kind") == "roll" and record.get("dice"))
        for first, dice in _sorts(rolls):
            key = tuple(str(first.get(name)) for name in ("roll", "by", "against", "op"))
            _, counts, needs = found.setdefault(key, (first, [], {}))
            needs.setdefault(str(first.get("need")), first)
            if len(counts) == seed:  # of several in a round, with other needs, the first
                counts.append(dice)
    return tuple(_throw(*one, prepared) for one in found.values() if not _is_free(one[0]))


def first_rounds(prepared: Prepared) -> Iterator[Sequence[Json]]:
    """What the log has of some first rounds, each played from the moment before the fight; it stands so afterwards."""
    from warhost.engine.checkpoint import Checkpoint

    battle = prepared.battle
    before, kept, battle.keeps_log = Checkpoint(battle), battle.keeps_log, True
    try:
        for number in range(SAMPLES):
            start = len(battle.log)
            battle.dice = SeededDice(number)
            prepared.play_round()
            yield battle.log[start:]
            before.restore()
    finally:
        battle.keeps_log = kept


def _is_free(record: Json) -> bool:
    """Whether it is a plain roll of which nothing is asked."""
    return record.get("need") is None and record.get("roll") == "rolls"


def _sorts(records: Iterable[Json]) -> Iterator[tuple[Json, int]]:
    """Rolls of one sort, one after the other: the first of each sort of a round, with all its dice."""
    told: set[Any] = set()
    first: Json | None = None
    dice = 0
    for record in (*records, None):
        if first is not None and record is not None and alike(first, record):
            dice += len(record.get("dice", ()))
            continue
        if first is not None:
            key = tuple(str(first.get(name)) for name in ("roll", "by", "against", "need", "op"))
            if key not in told:
                told.add(key)
                yield first, dice
        first, dice = record, len(record.get("dice", ())) if record is not None else 0


def _throw(first: Json, dice: Sequence[int], needs: Mapping[str, Json], prepared: Prepared) -> ThrowShown:
    """dice: how many there were in each round that was looked at; needs: a roll of each need that was met."""
    battle = prepared.battle
    side = "attacker" if first.get("by") in (prepared.attacker.id, prepared.attacker.side.id) else "defender"
    same = len(dice) == SAMPLES and len(set(dice)) == 1
    lines = ["  " * depth + computation_text(number, battle) for depth, number in computations(first.get("why", ()))]
    number = dice[0] if same else None
    return ThrowShown(side, words(str(first.get("roll", ""))), number, _needs(needs.values()), tuple(lines))


def _needs(rolls: Iterable[Json]) -> str:
    """`4 or less`; `7, 8 or 9 or less` where it is not always the same."""
    told = sorted(rolls, key=lambda roll: (len(str(roll.get("need"))), str(roll.get("need"))))
    if len(told) == 1:
        return need_of(told[0])
    *some, last = [str(plain(roll.get("need"))) for roll in told]
    return need_of({**told[0], "need": f"{', '.join(some)} or {last}"})


__all__ = ["SAMPLES", "first_rounds", "standing", "throws_of"]
