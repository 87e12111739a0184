"""What can be asked: two units, a question of the ruleset, its settings; and the battle in which it is put.

    rules = warhost.load("my_game")
    reds, blues = UnitSpec.parse("Red guards:20,banner", rules), UnitSpec.parse("blue_rabble:30", rules)
    prepared = set_up(rules, questions(rules)["fight"], reds, blues, {"distance": "8"})

The manifest's `odds:` names the rules that set up, play a round and say how it came out (docs/design/formats.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.checkpoint import Checkpoint
from warhost.engine.code import Code
from warhost.engine.decisions import Policy
from warhost.engine.dice import SeededDice
from warhost.engine.entities import Entity
from warhost.engine.setup import scenario_data
from warhost.errors import Refused, UsageError, did_you_mean, nearest
from warhost_armies.typed_names import profiles_named, simplified
from warhost_battles.players import UsualPlayer
from warhost_odds.chance import OutOfReachError, PathDice, explore
from warhost_odds.section import NotSeenError, Question, Setting, Sight, sight, value_of
from warhost_proof.given_dice import GivenDice
from warhost_proof.situation_code import snippet

if TYPE_CHECKING:
    import numpy as np

    from warhost.packs import Ruleset

#: The ids of the two units, and what the given conditions call them.
ATTACKER, DEFENDER = "attacker", "defender"

#: So many words of a setting are shown.
MOST_SHOWN = 4

#: Rounds of a fight `to the end` at most: who then still stands has held.
MOST_ROUNDS = 200

#: How many models a unit has at most.
MOST_MODELS = 10_000

_SPEC = re.compile(r"(?P<name>[^:\s].*?)(?::\s*(?P<count>-?\d+)\s*(?P<options>(?:,[^,]*)*))?", re.DOTALL)

#: What is seen of either side at the end: (name, side) to values to their probabilities, or numbers of trials.
Observed = Mapping[tuple[str, str], Mapping[Any, float]]

#: Dice thrown while two units are set up may fall in so many ways, and come to so many different beginnings.
MOST_SET_UPS, MOST_BEGINNINGS = 6_000, 400

#: How a question came out: the word, the models lost by attacker and defender, the points lost by both.
Tally = tuple[str, int, int, Any, Any]


def questions(rules: Ruleset) -> Mapping[str, Question]:
    """The questions that a ruleset answers, by id; raises UsageError when it has none."""
    known: Mapping[str, Question] = rules.section("odds")
    if not known:
        raise UsageError(f"{rules.id} does not say what may be asked: its ruleset.yaml has no `odds`")
    return known


def asked(text: str, rules: Ruleset) -> tuple[Question, dict[str, Any]]:
    """The question that `ID` or `ID:VALUE` means, and the setting that VALUE gives; raises UsageError with a hint."""
    known = questions(rules)
    id_, colon, value = text.partition(":")
    question = known.get(id_.strip().lower())
    if question is None:
        hint = did_you_mean(id_, known) or f"there is {', '.join(known)}"
        raise UsageError(f'{rules.id} has no question "{id_}"; {hint}')
    subject = question.subject
    if colon and subject is None:
        raise UsageError(f'"{question.id}" asks for nothing that could stand behind a colon')
    if not colon or subject is None:
        return question, {}
    return question, {subject.name: setting_value(question, subject, value, rules)}


def setting_value(question: Question, setting: Setting, text: Any, rules: Ruleset) -> Any:
    """A setting's value from text or plain data; raises UsageError when it does not fit."""
    try:
        value = value_of(text, setting.type, rules.program)
        setting.check(value)
        return value
    except ValueError as error:
        where = dict.fromkeys((question.id, setting.name))  # `spell` asks for a spell
        raise UsageError(f"{': '.join(where)}: {error}") from None


@dataclass(frozen=True, slots=True)
class UnitSpec:
    """A unit to ask about: a profile, how many models, and options of the army list that offers them.

    list is the id of that army list, "" when no list has the profile.
    """

    profile: str
    name: str
    count: int
    options: tuple[str, ...] = ()
    list: str = ""

    @classmethod
    def parse(cls, text: str, rules: Ruleset) -> UnitSpec:
        """`NAME:COUNT[,option...]`: NAME is a profile's id or printed name, options are ids or names of the army list.

        Raises UsageError with the nearest names.
        """
        found = _SPEC.fullmatch(text.strip())
        if found is None or not found["name"].strip():
            raise UsageError(f'"{text}" names no unit; write NAME:COUNT[,option...], as in "{_sample(rules)}:20"')
        profile = _profile(found["name"].strip(), rules)
        options = [o.strip() for o in (found["options"] or "").split(",") if o.strip()]
        list_id, ids = _listed(profile, options, rules)
        count = int(found["count"]) if found["count"] is not None else _usual_count(profile, list_id, rules)
        return cls(profile, rules.profiles[profile].name, _checked(count, text), ids, list_id)

    def with_count(self, count: int) -> UnitSpec:
        """The same with another number of models; raises UsageError for less than one."""
        return replace(self, count=_checked(count, str(self)))

    def __str__(self) -> str:
        """`NAME:COUNT,option`, as `parse` reads it."""
        return ",".join([f"{self.profile}:{self.count}", *self.options])


def _checked(count: int, text: str) -> int:
    if not 1 <= count <= MOST_MODELS:
        raise UsageError(f'"{text}": a unit has from 1 to {MOST_MODELS:,} models, not {count}')
    return count


def _sample(rules: Ruleset) -> str:
    return next(iter(rules.profiles), "some_profile")


def _profile(name: str, rules: Ruleset) -> str:
    """The id of a profile by its id or its printed name, in any case, one or many."""
    fitting = profiles_named(rules, name)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f'{rules.id} has several units called "{name}"; write one of {", ".join(fitting)}')
    before, colon, size = name.rpartition(":")
    if colon and profiles_named(rules, before.strip()):
        said = f'not "{size.strip()}"' if size.strip() else "and nothing stands there"
        raise UsageError(f"what follows the colon is how many there are, a whole number, {said}: {before.strip()}:20")
    names = {p.name.lower(): p.name for p in rules.profiles.values()} | {p.lower(): p for p in rules.profiles}
    near = nearest(simplified(name), names)
    hint = f'did you mean "{names[near]}"?' if near is not None else "`warhost army list` shows who may be taken"
    raise UsageError(f'{rules.id} has no unit "{name}"; {hint}')


def _rows(profile: str, rules: Ruleset) -> list[tuple[str, Mapping[str, Any]]]:
    """The rows of army lists that offer a profile, with the list's id."""
    return [
        (element.id, row)
        for element in rules.lists.values()
        for row in element.data.get("units", ())
        if str(row.get("profile")) == profile
    ]


def _listed(profile: str, options: Sequence[str], rules: Ruleset) -> tuple[str, tuple[str, ...]]:
    """The first army list that offers a profile with all these options, and their ids."""
    rows = _rows(profile, rules)
    if not rows:
        if options:
            raise UsageError(f'no army list offers "{profile}", so it has no options ("{options[0]}")')
        return "", ()
    for list_id, row in rows:
        known = _options(row)
        ids = [known.get(o.lower()) for o in options]
        if None not in ids:
            return list_id, tuple(str(o) for o in ids)
    known = _options(rows[0][1])
    wrong = next(o for o in options if o.lower() not in known)
    ids_only = list(dict.fromkeys(known.values()))
    hint = did_you_mean(wrong.lower(), known) or (f"it may take {', '.join(ids_only)}" if ids_only else "it has none")
    raise UsageError(f'{profile} has no option "{wrong}"; {hint}')


def _options(row: Mapping[str, Any]) -> dict[str, str]:
    """The ids of a row's options, by id and by name in small letters."""
    given = row.get("options", ())
    by_name = {str(o.get("name", o["id"])).lower(): str(o["id"]) for o in given}
    return {**by_name, **{str(o["id"]).lower(): str(o["id"]) for o in given}}


def _usual_count(profile: str, list_id: str, rules: Ruleset) -> int:
    """How many models the army list begins with."""
    for id_, row in _rows(profile, rules):
        if id_ == list_id:
            size = row.get("size", 1)
            return int(size.get("default", size.get("min", 1))) if isinstance(size, Mapping) else int(size)
    return 1


@dataclass(frozen=True, slots=True)
class Beginning:
    """One way in which two units may come to stand, where dice decide: how likely, when, and what was lost by then."""

    chance: float
    moment: Checkpoint
    before: tuple[Any, Any, Any, Any]


@dataclass(slots=True)
class Prepared:
    """A question put to two units, ready to be played.

    attacker and defender are the units of the battle; settings are those in force, by name. before: the losses and the
    worth lost of both before the fight. beginnings: where dice decide how they stand, every way in which they may fall;
    the battle stands as in the first.
    """

    battle: Battle
    attacker: Entity
    defender: Entity
    question: Question
    settings: Mapping[str, Any] = field(default_factory=dict)
    before: tuple[Any, Any, Any, Any] = (0, 0, 0, 0)
    beginnings: Sequence[Beginning] = ()

    def each_way(self) -> Iterator[float]:
        """The beginnings one after the other, each with its chance: meanwhile the battle stands so."""
        for _, begins in self._one_after_the_other():
            yield begins.chance if begins is not None else 1.0

    def shared_out(self, trials: int, lots: np.random.Generator) -> Iterator[int]:
        """The same with so many trials in all, drawn by lot among the beginnings; those without one are left out."""
        shares = lots.multinomial(trials, [b.chance for b in self.beginnings]) if self.beginnings else [trials]
        for i, _ in self._one_after_the_other():
            if shares[i]:
                yield int(shares[i])

    def _one_after_the_other(self) -> Iterator[tuple[int, Beginning | None]]:
        if not self.beginnings:
            yield 0, None
            return
        try:
            for i, begins in enumerate(self.beginnings):
                self.begin_with(begins)
                yield i, begins
        finally:
            self.begin_with(self.beginnings[0])

    def begin_with(self, begins: Beginning) -> None:
        """Put the battle where one of the beginnings left it."""
        begins.moment.restore()
        self.before = begins.before

    def observations(self, sights: Sequence[Sight]) -> dict[tuple[str, str], Any]:
        """What is to be seen of either side now, by name and side."""
        found = {}
        for one in sights:
            look = self.battle.code.function(one.function)
            for side, unit in ((ATTACKER, self.attacker), (DEFENDER, self.defender)):
                found[(one.name, side)] = self.battle.guarded(lambda: look(self.battle, unit))  # noqa: B023 (at once)
        return found

    def play_round(self, first: bool = True) -> None:
        """One round by the compiled rules, and on to the next turn; what goes wrong in them is a RuleFault."""
        self.battle.budget.next_phase()
        if not first and self.question.next_turn is not None:
            self._both(self.battle.code.function(self.question.next_turn))
        self._both(self.battle.code.function(self.question.round))
        self.battle.battle.turn += 1
        self.battle.version += 1

    def is_over(self) -> bool:
        """Whether there is no further round."""
        return bool(self._both(self.battle.code.number(self.question.over)))

    def tally(self) -> Tally:
        """How it stands: (outcome, models lost by attacker and defender, points lost by attacker and defender)."""
        q, code, battle = self.question, self.battle.code, self.battle
        lost, worth = code.number(q.losses), code.number(q.worth_lost)

        def asked_now() -> Tally:
            one, other = self.attacker, self.defender
            word = code.number(q.outcome)(battle, one, other)
            return word, lost(battle, one), lost(battle, other), worth(battle, one), worth(battle, other)

        found: Tally = battle.guarded(asked_now)
        return self.since_the_start(found)

    def since_the_start(self, now: Tally) -> Tally:
        """What was lost in the fight alone."""
        if self.before == (0, 0, 0, 0):
            return now
        word, *lost = now
        one, other, worth, others_worth = (late - early for late, early in zip(lost, self.before, strict=True))
        return word, one, other, worth, others_worth

    def _both(self, call: Callable[..., Any]) -> Any:
        return self.battle.guarded(lambda: call(self.battle, self.attacker, self.defender))


def observing(question: Question, observe: Mapping[str, str], rules: Ruleset) -> Question:
    """The question with more to be seen afterwards, by names of one's own. Raises UsageError."""
    sights = {one.name: one for one in question.observe}
    for name, of in observe.items():
        try:
            sights[name] = sight(rules.program, name, of)
        except NotSeenError as error:
            raise UsageError(f"{error.message}; {error.hint}" if error.hint else error.message) from None
    return replace(question, observe=tuple(sights.values()))


def settings_of(question: Question, given: Mapping[str, Any], rules: Ruleset) -> dict[str, Any]:
    """Every setting of a question, as given or as the ruleset has it; raises UsageError for unknown or missing ones."""
    for name in given:
        question.setting(name)
    found: dict[str, Any] = {}
    for one in question.settings:
        value = given.get(one.name)
        if value is None:
            value = one.default
        if value is None:
            missing = one.name.replace("_", " ")
            raise UsageError(f'the question "{question.id}" needs to know the {missing}: {_how_to_give(one, rules)}')
        found[one.name] = setting_value(question, one, value, rules)
    return found


def _how_to_give(one: Setting, rules: Ruleset) -> str:
    """What to type for a setting that must be given."""
    words = {"yes_no": ("yes", "no"), "word": rules.program.words.get(one.type.name, ())}.get(one.type.kind, ())
    values = "|".join(words[:MOST_SHOWN]) + ("|.." if words[MOST_SHOWN:] else "")
    return f"--set {one.name}={values or str(one.type).upper()}"


def set_up(
    rules: Ruleset, question: Question, attacker: UnitSpec, defender: UnitSpec,
    settings: Mapping[str, Any] | None = None, given: Sequence[str] = (), player: Policy | None = None,
    trace: bool = False,
) -> Prepared:  # fmt: skip
    """The two units on an empty board, put in place by the question's rules, with what is given besides.

    settings: by the names of the question; text is read as the setting's type. given: statements of the rules
    language in which `attacker` and `defender` are the two units (`attacker.tired = yes`). player answers every
    choice, without one: what the rules call usual, else what they rate best. Dice that are thrown meanwhile fall in
    every way; afterwards they are seeded with 0 until somebody gives the battle others. trace: the log tells how every
    number came about. Raises UsageError, RulesInvalid or RuleFault.
    """
    chosen = settings_of(question, settings or {}, rules)
    for spec in (attacker, defender):
        if question.one_each and spec.count != 1:
            raise UsageError(f'"{question.id}" is of one against one: write {spec.profile}:1, not {spec.count}')
    policy = player if player is not None else UsualPlayer()
    battle = Battle(
        rules, [_army(attacker, ATTACKER, rules), _army(defender, DEFENDER, rules)],
        scenario=_empty_board(rules), players=[policy, policy], dice=GivenDice([]), log=False, trace=trace,
    )  # fmt: skip
    battle.battle.turn = 1
    battle.version += 1
    one, other = battle.by_id[ATTACKER], battle.by_id[DEFENDER]
    values = [_in_play(battle, s, chosen[s.name]) for s in question.settings]
    steps = _read(battle, given, {ATTACKER: one, DEFENDER: other})
    prepared = Prepared(battle, one, other, question, chosen)

    def stand() -> None:
        battle.guarded(lambda: battle.code.procedure(question.sets_up)(battle, one, other, *values))
        for step in steps:
            battle.guarded(lambda: step(battle))  # noqa: B023 (at once)
        if steps and question.declines:
            declines = battle.code.procedure(question.declines)
            for unit in (one, other):
                battle.guarded(lambda: declines(battle, unit))  # noqa: B023 (at once)

    _begin(prepared, stand)
    battle.dice = SeededDice(0)
    return prepared


def _begin(prepared: Prepared, stand: Callable[[], None]) -> None:
    """Let them stand as the question says: once, or where dice are thrown in every way in which they may fall."""
    battle = prepared.battle
    nobody_stands = Checkpoint(battle)
    found: dict[Any, Beginning] = {}

    def once(dice: PathDice) -> None:
        if found:
            nobody_stands.restore()
        battle.dice = dice
        battle.budget.reset()
        stand()
        chosen = dice.taken, dice.weight
        prepared.before = (0, 0, 0, 0)
        prepared.before = prepared.tally()[1:]
        if not chosen[0]:
            return
        moment = Checkpoint(battle)
        key = moment.key()
        if key in found:
            found[key] = replace(found[key], chance=found[key].chance + dice.weight)
        else:
            found[key] = Beginning(dice.weight, moment, prepared.before)
        if len(found) > MOST_BEGINNINGS:
            raise UsageError(f"the dice thrown to set them up come to more than {MOST_BEGINNINGS} different beginnings")

    try:
        explore(once, MOST_SET_UPS)
    except Refused as error:
        raise UsageError(error.message) from None
    except OutOfReachError as error:
        raise UsageError(f"the dice thrown to set them up cannot be followed: {error}") from None
    prepared.beginnings = tuple(found.values())
    if found:
        prepared.begin_with(prepared.beginnings[0])


def _read(battle: Battle, given: Sequence[str], pair: Mapping[str, Entity]) -> list[Callable[[Battle], Any]]:
    """What is given, as steps. All of it is read before any number is compiled that it may change."""
    if not given:
        return []
    from warhost_odds.given import starts_of, within_limits

    before = len(battle.program.templates)
    rewrite = within_limits(battle.program, starts_of(battle.program, pair))
    steps = [snippet(text, battle.program, pair, f"given {i}", True, rewrite) for i, text in enumerate(given, 1)]
    if len(battle.program.templates) > before:
        battle.code = Code(battle.program, battle.code.traced)
    return steps


def _army(spec: UnitSpec, id_: str, rules: Ruleset) -> Army:
    unit: dict[str, Any] = {"id": id_, "profile": spec.profile, "size": spec.count}
    if spec.options:
        unit["options"] = list(spec.options)
    return Army.from_data({"kind": "army", "id": id_, "name": id_.title(), "list": spec.list, "units": [unit]}, rules)


def _empty_board(rules: Ruleset) -> dict[str, Any]:
    """The ruleset's first scenario without terrain."""
    data = scenario_data(rules, None)
    board = dict(data.get("board", {}))
    board.pop("terrain", None)
    board.pop("to_lay", None)
    data["board"] = board
    return data


def _in_play(battle: Battle, setting: Setting, value: Any) -> Any:
    """A setting as a procedure takes it: the definition that a title means."""
    if setting.type.kind == "kind":
        return battle.definition(setting.type.name, str(value))
    return value


__all__ = [
    "ATTACKER", "DEFENDER", "MOST_ROUNDS", "Prepared", "Question", "Setting", "Tally", "UnitSpec", "asked",
    "observing", "questions", "set_up", "setting_value", "settings_of",
]  # fmt: skip
