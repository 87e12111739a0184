"""One pairing of a table: what is to be played, as plain data that another process can take, and what came of it.

A pairing is a function of its task alone: whoever plays it, wherever and in whatever order, gets the same.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost import errors
from warhost.errors import ContentError, Problem, RuleFault, UsageError, WarhostError
from warhost.version import __version__
from warhost_odds.section import SIDES

if TYPE_CHECKING:
    from warhost.packs import Ruleset

_CODE = (".py", ".lark", ".rules")

@dataclass(frozen=True, slots=True)
class Task:
    """A pairing to be played.

    kind: units or armies. ruleset and house: names or paths where it is played; digest: of the rules in force there.
    one and two: units as `NAME:COUNT[,option..]`, or armies. trials: clashes, half of them with one attacking; of
    no account when the method is exact. players: who plays for both armies. content: a digest of what the names of
    armies mean. code: a digest of the program, because another program may throw its dice in another order.
    """

    kind: str
    ruleset: str
    house: tuple[str, ...]
    digest: str
    one: str
    two: str
    trials: int
    seed: int
    method: str = "simulation"
    what: str = ""
    until: str = "end"
    settings: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()
    scenario: str = ""
    players: str = ""
    content: str = ""
    code: str = ""
    version: str = field(default=__version__)

    @property
    def key(self) -> str:
        """What a result is kept under: everything on which it depends. Where the ruleset lies is no part of it."""
        facts = {name: value for name, value in asdict(self).items() if name not in ("ruleset", "house")}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def seed_of(self, part: int) -> int:
        """The seed of a part of the pairing: of its names and of the seed of the table, of nothing else."""
        text = json.dumps([self.seed, self.one, self.two, part])
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


@dataclass(frozen=True, slots=True)
class PairingResult:
    """What came of a pairing.

    method: exact, columns or one_by_one, why: in a sentence; trials: how many were played, 0 when it is exact.
    one_wins, two_wins and even: shares of 1. one_attacking and one_defending: how often the first wins when it attacks,
    and when the other does, what nobody wins counted half; None for armies. worth: the points of either; lost: the mean
    of the points that either lost.
    """

    one: str
    two: str
    method: str
    why: str
    trials: int
    one_wins: float
    two_wins: float
    even: float
    one_worth: float
    two_worth: float
    one_lost: float
    two_lost: float
    one_attacking: float | None = None
    one_defending: float | None = None

    def rate(self, who: str) -> float:
        """How often one of the two wins, what nobody wins counted half."""
        return (self.one_wins if who == self.one else self.two_wins) + self.even / 2

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> PairingResult:
        return cls(**data)


def code_of(rules: Ruleset) -> str:
    """A digest of the program that plays: of Warhost's own code and of the plugins that take part."""
    from warhost.plugins import load

    core = Path(errors.__file__).resolve().parent
    files = {p for p in core.rglob("*") if p.suffix in _CODE and "_data" not in p.relative_to(core).parts}
    files |= {p for p in Path(__file__).resolve().parent.rglob("*") if p.suffix in _CODE}
    for name in rules.plugins.names:
        module: Any = load(name)
        home = Path(module.__file__).resolve()
        in_package = "." in module.__name__
        files |= {p for p in home.parent.rglob("*") if p.suffix in _CODE} if in_package else {home}
    sha = hashlib.sha256()
    for path in sorted(files, key=lambda p: (p.parent.name, p.name, str(p))):
        text = path.read_bytes()
        sha.update(f"{path.parent.name}/{path.name} {len(text)}\n".encode() + text)
    return sha.hexdigest()


@lru_cache(maxsize=4)
def _rules(ruleset: str, house: tuple[str, ...], digest: str, code: str) -> Ruleset:
    """The rules, loaded once in a process. Raises UsageError when they or the program are not those of the task."""
    from warhost.packs import load

    rules = load(ruleset, list(house))
    if rules.digest != digest:
        where = f"{rules.id} is not the same here as where the table was begun"
        raise UsageError(f"{where}: install the same ruleset and house rules on every worker")
    if code and code_of(rules) != code:
        raise UsageError("this worker has another program, or other plugins, than the table was begun with")
    return rules


def play(task: Task) -> PairingResult:
    """Play a pairing to its end. Raises WarhostError."""
    if task.version != __version__:
        raise UsageError(f"this worker has Warhost {__version__}, the table is made with {task.version}")
    rules = _rules(task.ruleset, task.house, task.digest, task.code)
    return _play_armies(task, rules) if task.kind == "armies" else _play_units(task, rules)


@dataclass(frozen=True, slots=True)
class Failed:
    """Why a pairing could not be played, as plain data: errors themselves do not travel between processes.

    kind: content (with its problems), usage, rule or other.
    """

    kind: str
    message: str
    problems: tuple[Problem, ...] = ()

    def error(self) -> WarhostError:
        """The error that it was."""
        if self.kind == "content":
            return ContentError(self.problems, self.message)
        kinds: dict[str, type[WarhostError]] = {"usage": UsageError, "rule": RuleFault}
        return kinds.get(self.kind, WarhostError)(self.message)


def attempt(task: Task) -> PairingResult | Failed:
    """Play a pairing somewhere else."""
    try:
        return play(task)
    except ContentError as error:
        return Failed("content", error.what, tuple(error.problems))
    except WarhostError as error:
        kinds = {UsageError: "usage", RuleFault: "rule"}
        return Failed(next((kind for of, kind in kinds.items() if isinstance(error, of)), "other"), str(error))


def received(result: PairingResult | Failed) -> PairingResult:
    """What came of a pairing that was played somewhere else. Raises WarhostError."""
    if isinstance(result, Failed):
        raise result.error()
    return result


def _play_units(task: Task, rules: Ruleset) -> PairingResult:
    """Both ways round: half of the clashes begin with one attacking, half with the other."""
    from warhost_odds.asking import ask
    from warhost_odds.questions import asked

    question, _ = asked(task.what or next(iter(rules.section("odds"))), rules)
    won = {word: SIDES.index(side) for word, side in question.wins.items()}
    wins, worth, lost, even = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0], 0.0
    methods, why, trials, roles = [], "", 0, list[float]()
    for role, pair in enumerate(((task.one, task.two), (task.two, task.one))):
        found = ask(
            rules, *pair, what=task.what or None, until=task.until, settings=dict(task.settings), given=task.given,
            method=task.method, trials=task.trials // 2, seed=task.seed_of(role), any_size=True,
        )  # fmt: skip
        methods.append(found.method)
        if not found.is_exact or not why:
            why = found.why
        trials += found.trials or 0
        roles.append(math.fsum(share * _for_the_attacker(won.get(word)) for word, share in found.outcome.items()))
        for word, share in found.outcome.items():
            if word in won:
                wins[won[word] ^ role] += share / 2
            else:
                even += share / 2
        for i, side in enumerate(("attacker", "defender")):
            worth[i ^ role] = found.contender(side).worth
            lost[i ^ role] += found.points_lost[side] / 2
    method = next((one for one in ("one_by_one", "columns") if one in methods), "exact")
    return PairingResult(
        task.one, task.two, method, why, trials, wins[0], wins[1], even, worth[0], worth[1], lost[0], lost[1], roles[0],
        1.0 - roles[1],
    )  # fmt: skip


def _for_the_attacker(winner: int | None) -> float:
    """What the win of a side counts for the one who attacks: nobody's win is half a win."""
    return 0.5 if winner is None else 1.0 - winner


def _play_armies(task: Task, rules: Ruleset) -> PairingResult:
    """Whole battles, two with each seed: the armies change sides."""
    from warhost.engine.battle import Battle
    from warhost_battles.players import known_players, player
    from warhost_odds.sizes import army_of

    known = known_players(rules)
    armies = army_of(task.one, rules), army_of(task.two, rules)
    wins, worth, even = [0, 0], [0.0, 0.0], 0
    lost: tuple[list[float], list[float]] = ([], [])
    for n in range(task.trials):
        swapped, seed = n % 2, task.seed_of(n // 2)
        seated = armies[::-1] if swapped else armies
        deciding = [player(task.players, seed + i, known) for i in range(2)]
        battle = Battle(rules, list(seated), seed, scenario=task.scenario or None, players=deciding, log=False)
        battle.run()
        for i, side in enumerate(battle.result().sides):
            worth[i ^ swapped] = float(side.points)
            lost[i ^ swapped].append(float(side.points_lost))
        if battle.winner is None:
            even += 1
        else:
            wins[battle.sides.index(battle.winner) ^ swapped] += 1
    n = task.trials
    return PairingResult(
        task.one, task.two, "one_by_one", "battles of computer players are played, not computed", n, wins[0] / n,
        wins[1] / n, even / n, worth[0], worth[1], math.fsum(lost[0]) / n, math.fsum(lost[1]) / n,
    )  # fmt: skip
