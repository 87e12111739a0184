"""Computer players: the plain ones, and by name those of every plugin that is installed."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from warhost import plugins
from warhost.errors import UsageError, WarhostError, did_you_mean
from warhost.lang.support import text

if TYPE_CHECKING:
    from warhost.engine.decisions import Answer, Decision, Policy
    from warhost.packs import Ruleset

PREFERRED = ("tactician", "usual")
"""Who plays when nobody is named: the first of these that there is."""

Factory = Callable[[int], "Policy"]
"""Makes a player of a seed."""


def known_players(rules: Ruleset) -> dict[str, Factory]:
    """Every player that can be named. Those of the ruleset's own plugins win over others of the same name."""
    found: dict[str, Factory] = {}
    for name in plugins.available():
        if name not in rules.plugins.names:
            players, _ = _players_of(name)
            found.update(players)
    return {**found, **PLAIN_POLICIES, **rules.plugins.policies()}


def _players_of(plugin: str) -> tuple[dict[str, Factory], list[str]]:
    """The players of a plugin that a ruleset need not name; when it fails none, and what is wrong with it."""
    active, errors = plugins.activate([plugin])
    try:
        return active.policies(), [str(error) for error in errors]
    except plugins.PluginError as error:
        return {}, [str(error)]


def default_player(known: Mapping[str, Factory]) -> str:
    """Who plays a side for which nobody is named."""
    return next(name for name in (*PREFERRED, *known) if name in known)


def player(name: str, seed: int, known: Mapping[str, Factory]) -> Policy:
    """A player of that name. Raises UsageError with the nearest one, WarhostError when its plugin goes wrong."""
    factory = known.get(name)
    if factory is None:
        hint = did_you_mean(name, known) or f"there are: {', '.join(sorted(known))}"
        failed = [said for plugin in plugins.available() for said in _players_of(plugin)[1]]
        raise UsageError("; ".join((f'there is no computer player "{name}"', hint, *failed)))
    try:
        made = factory(seed)
    except Exception as error:
        sentence = plugins.stranger_at_fault(error)
        if sentence is None and not _can_be_called(factory, 1):
            sentence = f"it must take one argument, the seed, in {plugins.written_in(factory)}"
        if sentence is None:
            raise
        raise WarhostError(f'the computer player "{name}" cannot be made: {sentence}') from error
    if not callable(getattr(made, "decide", None)):
        where = plugins.written_in(type(made))
        raise WarhostError(f'the computer player "{name}" has no method `decide(self, decision, battle)`, in {where}')
    if not _can_be_called(made.decide, 2):
        where = plugins.written_in(made.decide)
        said = f'`decide` of the computer player "{name}" must take the decision and the battle'
        raise WarhostError(f"{said}: `decide(self, decision, battle)`, in {where}")
    return made


def _can_be_called(what: Callable[..., Any], count: int) -> bool:
    """Whether something can be called with so many arguments, as far as its signature tells."""
    try:
        inspect.signature(what).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # one without a signature
        return True
    return True


def assigned(given: Iterable[str], names: Sequence[str]) -> dict[int, str]:
    """What `--player SIDE=POLICY` says, by the number of the side; raises UsageError.

    SIDE is a side's name or number (from 1); POLICY alone is for every side.
    """
    found: dict[int, str] = {}
    for one in given:
        side, equals, policy = one.rpartition("=")
        if not equals:
            found.update(dict.fromkeys(range(len(names)), policy))
            continue
        found[side_number(side, names)] = policy
    return found


def side_number(given: str, names: Sequence[str]) -> int:
    """Which side is meant, from 0: by its name, or by its number from 1. Raises UsageError."""
    if given.isdecimal() and 1 <= int(given) <= len(names):
        return int(given) - 1
    low = [name.lower() for name in names]
    if given.lower() in low:
        return low.index(given.lower())
    hint = did_you_mean(given, names) or f"there are: {', '.join(names)}"
    raise UsageError(f'there is no side "{given}"; {hint}')


# -- the plain ones ---------------------------------------------------------------------------------


class FirstOption:
    """Always the first option."""

    def decide(self, decision: Decision, battle: Any) -> Answer:
        """The first option."""
        return 0


class RandomPlayer:
    """Any option, each as likely; its own seed, so that it does not touch the battle's dice."""

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def decide(self, decision: Decision, battle: Any) -> Answer:
        """An option by chance."""
        return self._random.getrandbits(30) % len(decision.options)


class UsualPlayer:
    """What the rules call usual, else the best-rated option, else the first."""

    def decide(self, decision: Decision, battle: Any) -> Answer:
        """The usual option, the best-rated, or the first."""
        usual = decision.usual_index()
        if usual is not None:
            return usual
        ratings = decision.ratings()
        if ratings:
            return max(range(len(ratings)), key=lambda i: ratings[i])
        return 0


class ScriptedPlayer:
    """Answers by decision name: a label, or labels one after the other; another player answers the rest."""

    def __init__(self, answers: Mapping[str, Any], otherwise: Policy | None = None) -> None:
        self._answers = {k: list(v) if isinstance(v, list) else [v] for k, v in answers.items()}
        self._repeats = {k for k, v in answers.items() if not isinstance(v, list)}
        self._otherwise = otherwise or FirstOption()
        self.used: set[str] = set()

    @property
    def left(self) -> dict[str, list[Any]]:
        """Answers of lists for which nobody has asked yet, by decision."""
        return {name: left for name, left in self._answers.items() if left and name not in self._repeats}

    def decide(self, decision: Decision, battle: Any) -> Answer:
        """The next answer that is written down for this decision, else that of the player behind it."""
        waiting = self._answers.get(decision.name)
        if not waiting:
            return self._otherwise.decide(decision, battle)
        self.used.add(decision.name)
        answer = waiting[0] if decision.name in self._repeats else waiting.pop(0)
        if isinstance(answer, Mapping):
            return answer
        return decision.index_of(text(answer))


#: The players that need no plugin. Each is made with a seed.
PLAIN_POLICIES: dict[str, Callable[[int], Policy]] = {
    "random": RandomPlayer,
    "first": lambda seed: FirstOption(),
    "usual": lambda seed: UsualPlayer(),
}
