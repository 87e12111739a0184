"""A bench to try rules on: a program from a piece of text, and a bare battle of two sides to run it in.

No ruleset folder, no board. Blocks, vocabulary, program, armies and battle are the real ones; only the small
objects that a ruleset would hand to them are made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from warhost.armies.roster import Army
from warhost.engine.battle import Battle
from warhost.engine.code import Code, code_made_by
from warhost.engine.decisions import Policy
from warhost.engine.dice import DiceSource
from warhost.errors import Problem
from warhost.lang import tree
from warhost.lang.building_program import build
from warhost.lang.parser import parse
from warhost.lang.program import Program
from warhost.packs.entries import UnitEntry
from warhost.plugins import Active
from warhost.vocabulary import Function, Kind, Vocabulary
from warhost_battles.players import ScriptedPlayer
from warhost_magic.plugin import ITEM, SPELL
from warhost_proof.given_dice import GivenDice
from warhost_proof.interpreter import Interpreter
from warhost_psychology.plugin import CONDITION, TRAIT
from warhost_terrain.plugin import TERRAIN
from warhost_weapons.plugin import ARMOUR, WEAPON

KINDS = (WEAPON, ARMOUR, SPELL, ITEM, TRAIT, CONDITION, TERRAIN)

#: Rules without a turn of their own get this one.
TURN = "turn\n    phase main\n"


@dataclass(frozen=True, slots=True)
class Placed:
    """A block with the layer that it came from, as a merged ruleset has it."""

    block: tree.AnyBlock
    order: int


@dataclass(slots=True)
class Data:
    """Tables and profiles, as the packs give them."""

    tables: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Any] = field(default_factory=dict)
    lists: Mapping[str, Any] = field(default_factory=dict)
    abstract_lists: Mapping[str, Any] = field(default_factory=dict)
    scenarios: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BenchTable:
    by: tuple[str, ...]
    cells: Mapping[tuple[Any, ...], Any]
    has_otherwise: bool = False
    otherwise: Any = None
    ref: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bearing:
    name: str
    args: tuple[Any, ...] = ()


@dataclass(slots=True)
class Profile:
    id: str
    fields: dict[str, Any]
    bears: dict[str, tuple[Bearing, ...]]

#: The ways in which rules can be run.
FORMS = ("compiled", "traced", "interpreted")



@dataclass(slots=True)
class Rules:
    """What a battle asks of a ruleset. Without a digest nothing of it is kept on the disk."""

    program: Program
    profiles: dict[str, Profile]
    id: str = "bench"
    digest: str = ""
    rules_digest: str = ""
    scenarios: dict[str, Any] = field(default_factory=dict)
    lists: dict[str, Any] = field(default_factory=dict)
    plugins: Active = field(default_factory=Active)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit to be mustered. bears: (kind, title, values). fields: of its profile, or state to begin with."""

    id: str
    size: int
    bears: tuple[tuple[Any, ...], ...]
    fields: Mapping[str, Any]


def unit(id: str, *bears: tuple[Any, ...], size: int = 1, **fields: Any) -> Unit:
    return Unit(id, size, bears, fields)


def vocabulary(functions: Iterable[Function] = (), kinds: Iterable[Kind] = KINDS) -> Vocabulary:
    return Vocabulary({f.name: f for f in functions}, {k.name: k for k in kinds})


@cache
def parsed(text: str, file: str) -> tuple[tuple[tree.AnyBlock, ...], list[Problem]]:
    module, problems = parse(text, file)
    return module.blocks, problems


def check(
    text: str, functions: Iterable[Function] = (), kinds: Iterable[Kind] = KINDS, data: Data | None = None,
    above: str = "",
) -> tuple[Program | None, list[Problem]]:  # fmt: skip
    """Parse and check; problems of the parser come first. above: rules of a file of their own, read only once."""
    blocks, problems = parsed(above, "above.rules") if above else ((), [])
    own, found = parsed(text, "bench.rules")
    blocks, problems = (*blocks, *own), [*problems, *found]
    if not any(isinstance(b, tree.TurnBlock) and b.kind == "turn" for b in blocks):
        blocks = (*blocks, *parsed(TURN, "turn.rules")[0])
    placed = [Placed(b, i) for i, b in enumerate(blocks)]
    program, found = build(placed, vocabulary(functions, kinds), data or Data())
    return (None if problems else program), [*problems, *found]


def program(
    text: str, functions: Iterable[Function] = (), data: Data | None = None, above: str = ""
) -> Program:
    """A program that must be right."""
    made, problems = check(text, functions, data=data, above=above)
    assert made is not None, "\n".join(p.render() for p in problems)
    return made


def army(name: str, units: Sequence[Unit], rules: Rules) -> Army:
    """An army on paper; the profile of each unit is put among those of the rules."""
    declared = rules.program.nouns["unit"].fields
    kinds = {k.name: k.plural for k in rules.program.kinds.values()}
    entries = []
    for u in units:
        profile = Profile(f"{name}.{u.id}", {}, {})
        state: dict[str, Any] = {}
        for key, value in u.fields.items():
            assert key in declared, f"a unit has no field {key}"
            (profile.fields if declared[key].profile else state)[key] = value
        for kind, title, *values in u.bears:
            borne = profile.bears.get(kinds[kind], ())
            profile.bears[kinds[kind]] = (*borne, Bearing(title, tuple(values)))
        rules.profiles[profile.id] = profile
        entries.append(UnitEntry(u.id, u.id, profile.id, u.size, state=state))
    return Army(name, name, "", 0, tuple(entries), {})


def battle(
    rules: Program | str,
    a: Sequence[Unit] = (),
    b: Sequence[Unit] = (),
    *,
    dice: Sequence[int] | DiceSource = (),
    answers: Mapping[str, Any] | None = None,
    answers_b: Mapping[str, Any] | None = None,
    players: Sequence[Policy] = (),
    trace: bool = False,
    form: str = "",
) -> Battle:
    """Two sides, Red and Blue, on no table at all. answers: what Red says (and Blue, unless it has its own).

    form: one of FORMS, where it matters how the rules are run.
    """
    bench = Rules(program(rules) if isinstance(rules, str) else rules, {})
    armies = [army("Red", a, bench), army("Blue", b, bench)]
    red = ScriptedPlayer(answers or {})
    blue = ScriptedPlayer(answers_b) if answers_b is not None else red
    given: DiceSource = GivenDice(dice) if isinstance(dice, Sequence) else dice
    policies = list(players) or [red, blue]
    if form == "interpreted":
        with code_made_by(lambda rules: Code(rules.program, backend=Interpreter(rules.program))):
            return Battle(bench, armies, dice=given, players=policies)  # type: ignore[arg-type]
    traced = trace or form == "traced"
    return Battle(bench, armies, dice=given, players=policies, trace=traced)  # type: ignore[arg-type]


def run(on: Battle, procedure: str, *args: Any) -> Any:
    """Run one procedure; ids stand for things. Faults come as the battle reports them."""
    return on.guarded(lambda: on.code.procedure(procedure)(on, *things(on, args)))


def compute(on: Battle, number: str, *args: Any) -> Any:
    """A number, flag or value as the battle has it now."""
    return on.guarded(lambda: on.code.number(number)(on, *things(on, args)))


def things(on: Battle, args: Sequence[Any]) -> list[Any]:
    return [on.by_id.get(x, x) if isinstance(x, str) else x for x in args]


def said(on: Battle) -> list[str]:
    """The lines of the story."""
    return [r["text"] for r in on.log if r["kind"] == "say"]


def rolled(on: Battle) -> list[tuple[str, list[int], Any]]:
    """The throws so far: name, faces, result."""
    return [(r["roll"], r["dice"], r["result"]) for r in on.log if r["kind"] == "roll"]
