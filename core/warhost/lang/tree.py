"""The syntax tree of the rules language: what the parser builds and the checker reads.

Every node is immutable and knows its place. Two trees compare equal when they say the same thing,
wherever it stands in a file (positions do not take part in comparisons).

Naming: a class is named after what an author would call the thing. Sequences are tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from fractions import Fraction
from typing import TypeAlias, get_args

from warhost.lang import nodes
from warhost.lang.nodes import FrozenNodeType
from warhost.lang.place import NOWHERE as NOWHERE
from warhost.lang.place import Pos as Pos


class Node(metaclass=FrozenNodeType):
    pos: Pos = field(default=NOWHERE, compare=False, repr=False, kw_only=True)


children: Callable[[Node], list[Node]] = nodes.children
walk: Callable[..., Iterator[Node]] = nodes.walk


# -- names and types ---------------------------------------------------------------------------


class Word(Node):
    """One word used as a name: `enemy`, `Skilled`; also a quoted title such as `"Long Reach"`."""

    text: str
    quoted: bool = False


class TypeRef(Node):
    """`number`, `unit or none`, `list of unit`, `secret card`."""

    name: str
    optional: bool = False
    is_list: bool = False
    secret: bool = False


class Param(Node):
    """A parameter; without an annotation its type follows from a noun or role of that name, else number."""

    name: str
    type: TypeRef | None = None


# -- expressions -------------------------------------------------------------------------------


class Num(Node):
    value: Fraction


class Percent(Node):
    """`40% of army.limit`: value is 40, of is the expression."""

    value: Fraction
    of: Expr


class YesNo(Node):
    value: bool


class Nothing(Node):
    """The word `none`."""


class Counted(Node):
    """`{lost|# man|# men}` in a text: words chosen by a count, for 1 and for more (or for 0, 1 and more).

    forms: two or three; `#` in them stands for the count.
    """

    of: Expr
    forms: tuple[str, ...]


class Text(Node):
    """A quoted text; expressions between braces are parts: `"harder to hit by {n}"`."""

    parts: tuple[str | Expr, ...]

    @property
    def plain(self) -> str | None:
        """The text when it has no expressions in it."""
        if all(isinstance(p, str) for p in self.parts):
            return "".join(p for p in self.parts if isinstance(p, str))
        return None


class Name(Node):
    name: str


class Attribute(Node):
    of: Expr
    name: str


class Argument(Node):
    value: Expr
    name: str | None = None


class Call(Node):
    """`fear(enemy)`, `legal_paths(unit, unit.move / 4)`; by name only, functions are not values."""

    name: str
    args: tuple[Argument, ...]


class Unary(Node):
    """op is '-' or 'not'."""

    op: str
    operand: Expr


class Binary(Node):
    """op is one of + - * /."""

    op: str
    left: Expr
    right: Expr


class Compare(Node):
    """op is one of == != <= >= < >."""

    op: str
    left: Expr
    right: Expr


class Logic(Node):
    """op is 'and' or 'or'; at least two operands."""

    op: str
    operands: tuple[Expr, ...]


class Is(Node):
    """`target is bearer`, `unit is rank_and_file`, `x is not none`, `target is a Beast` (article)."""

    subject: Expr
    object: Expr
    negated: bool = False
    article: bool = False


class Has(Node):
    """`unit has Critical`, `attacker has "Long Reach"`, `piece has a VerbPhrase model` (words after has)."""

    subject: Expr
    what: tuple[Word, ...]
    negated: bool = False


class Infix(Node):
    """A two-parameter flag between its arguments: `unit sees other`."""

    subject: Expr
    relation: str
    object: Expr
    negated: bool = False


class Among(Node):
    """`other among targets`."""

    item: Expr
    items: Expr
    negated: bool = False


class Dice(Node):
    """`d6`, `2d6`, `d(unit.starting_figures)`; count is None for one die."""

    sides: Expr
    count: Expr | None = None


class Rolls(Node):
    """`bearer rolls d6`, `unit.side rolls d6 + effect.level`: the total, thrown by roller."""

    roller: Expr
    formula: Expr


class RollNamed(Node):
    """`roll to_hit(attack, attacker, target)`: makes the named roll; its result by the roll's own type."""

    name: str
    args: tuple[Argument, ...]


class HowMany(Node):
    """`how many of dice pass to_hit(..)` (or fail): makes the roll that often, counts."""

    count: Expr
    passing: bool
    name: str
    args: tuple[Argument, ...]


class Phrase(Node):
    """A noun phrase: what a quantifier, a loop or a choice ranges over.

    `enemy units within 6 of piece where not it is fleeing as other`: words (enemy, units), no source.
    `unit.engaged_with as friend`: no words, source is the expression. `cards in loser.hand`: words (cards), inside is
    the expression. A single bare word may turn out to be a local list: the checker decides.
    """

    words: tuple[Word, ...] = ()
    source: Expr | None = None
    inside: Expr | None = None
    within: Expr | None = None
    within_of: Expr | None = None
    where: tuple[Expr, ...] = ()
    alias: str | None = None


class Quantified(Node):
    """A quantity over a noun phrase. kind and its source form:

    - 'number'    `number of enemy units where ..`
    - 'total'     `total points of special units in army` (value is a bare Name: a field of each),
                  `total stress(p) over pieces as p counting "fear" once per source`
    - 'highest', 'lowest'  `highest soldiering in piece`, `highest of fear(it) over enemies within 6 of piece`
    - 'nearest', 'farthest'  `nearest enemy unit to bearer` (to is the anchor)
    - 'any'       `any friendly "Battle Standard" within 8 of piece` (yes or no)
    - 'all'       `all models in other where ..` (the list)
    - 'which highest', 'which lowest'  `whichever of enemy units has lowest distance(unit, it)` (one, or none)
    """

    kind: str
    over: Phrase
    value: Expr | None = None
    to: Expr | None = None
    counting: tuple[str, ...] = ()


Expr: TypeAlias = (
    Num | Percent | YesNo | Nothing | Counted | Text | Name | Attribute | Call | Unary | Binary | Compare | Logic
    | Is | Has | Infix | Among | Dice | Rolls | RollNamed | HowMany | Quantified
)  # fmt: skip


#: The classes of expressions. Whoever looks for statements leaves them out of a walk.
EXPRESSIONS: frozenset[type] = frozenset(get_args(Expr))


# -- time --------------------------------------------------------------------------------------


class Moment(Node):
    """`start of turn`, `end of the target's next activation`, `end of phase`, `start of magic_phase`.

    edge is 'start' or 'end'; whose is the expression before 's, if any; what is turn, phase, round, game or
    the name of a phase or period.
    """

    edge: str
    what: str
    whose: Expr | None = None
    next: bool = False


class Duration(Node):
    """How long something stays in force.

    kind: 'until' (moment), 'for' (count turns), 'while' (condition), 'during' (what: `during this checking`),
    'rest of game', 'until used'.
    """

    kind: str
    moment: Moment | None = None
    count: Expr | None = None
    condition: Expr | None = None
    what: str | None = None


class Once(Node):
    """`once per game`, `once per turn and unit`: scope is the period, per the further keys."""

    scope: str
    per: tuple[str, ...] = ()


# -- modifiers and the other things that can be in force ----------------------------------------


class Modifier(Node):
    """One change to a named number or value.

    op: 'add' (value may be negative: `-n` is add of Unary), 'multiply', 'set', 'floor' (at least), 'cap' (at most),
    'round' (value None; rounding 'up' | 'down' | 'nearest', each_time when after every multiplication). target is None
    inside the number's own block. args pin parameters by name (`strength(unit: other)`) or list them by position. per
    multiplies the value; up_to limits this term.
    """

    op: str
    value: Expr | None
    target: str | None = None
    args: tuple[Argument, ...] = ()
    per: Expr | None = None
    up_to: Expr | None = None
    when: Expr | None = None
    source: Expr | None = None
    stacking: str | None = None
    stacking_key: str | None = None
    duration: Duration | None = None
    because: str | None = None
    reads: Text | None = None
    called: str | None = None
    rounding: str | None = None
    each_time: bool = False


class Permission(Node):
    """`allow strikes_first(unit, enemy) when ..`, `forbid may_shoot(unit) when ..`."""

    allow: bool
    flag: str
    args: tuple[Argument, ...]
    when: Expr | None = None
    duration: Duration | None = None
    because: str | None = None
    called: str | None = None


class Handler(Node):
    """`before NAME(params) when ..`, `after ..`, `instead of ..`, `on ..`, or `at start of turn`.

    hook: 'before' | 'after' | 'instead' | 'on' | 'at'. For 'at' moment is set and event is None.
    """

    hook: str
    event: str | None
    params: tuple[str, ...]
    body: tuple[Statement, ...]
    when: Expr | None = None
    moment: Moment | None = None
    once: Once | None = None
    ref: tuple[str, ...] = ()
    called: str | None = None


class Reaction(Node):
    """An answer a player may give while an event's window is open.

    `reaction Answer to asking(question, asker) by an enemy unit as unit`. by is the phrase after
    `by` (an expression such as bearer.side stands as the phrase's source); its members are offered the
    reaction. rated: what it is worth to react, against 0 for passing.
    """

    title: Word
    event: str
    params: tuple[str, ...]
    by: Phrase
    body: tuple[Statement, ...]
    when: Expr | None = None
    once: Once | None = None
    rated: Expr | None = None
    ref: tuple[str, ...] = ()
    reads: Text | None = None


class RerollRight(Node):
    """`may reroll attack_dice faces 1 to n when ..` (forced False), `reroll successes of any roll by bearer` (True).

    roll is None for `any roll`. which: 'faces' (low..high), 'failures', 'successes', 'all'.
    """

    forced: bool
    roll: str | None
    which: str
    low: Expr | None = None
    high: Expr | None = None
    by: Expr | None = None
    when: Expr | None = None
    because: str | None = None


class Narrow(Node):
    """`narrow goal(unit) to enemy units where .. when unit is bearer`: filters a choice's options."""

    choice: str
    params: tuple[str, ...]
    to: Phrase
    when: Expr | None = None
    because: str | None = None


# -- statements --------------------------------------------------------------------------------


class Assign(Node):
    """op is '=', '+=' or '-='; target is a Name (local) or an Attribute (declared state)."""

    target: Name | Attribute
    op: str
    value: Expr


class Branch(Node):
    condition: Expr
    body: tuple[Statement, ...]


class If(Node):
    branches: tuple[Branch, ...]
    otherwise: tuple[Statement, ...] = ()


class Order(Node):
    """`in order of EXPR [, highest first]` (by) or `in an order chosen by EXPR` (chooser)."""

    by: Expr | None = None
    highest_first: bool = False
    chooser: Expr | None = None


class ForEach(Node):
    """The loop variable is the phrase's alias, else the singular of its noun."""

    over: Phrase
    body: tuple[Statement, ...]
    order: Order | None = None


class Repeat(Node):
    """`repeat n times`, `repeat at most 20 times until not tied`."""

    times: Expr
    body: tuple[Statement, ...]
    until: Expr | None = None
    at_most: bool = False


class Case(Node):
    """One case of `according to` or of a table: numbers low..high (either may be open), a word, or otherwise.

    roll_again stands for the body `roll again`.
    """

    low: Expr | None = None
    high: Expr | None = None
    word: Word | None = None
    otherwise: bool = False
    when: Expr | None = None
    body: tuple[Statement, ...] = ()
    roll_again: bool = False
    value: Expr | None = None


class According(Node):
    subject: Expr
    cases: tuple[Case, ...]


class Span(Node):
    """`1 to unit.strength`: whole numbers, both ends included."""

    low: Expr
    high: Expr


class Choose(Node):
    """`choose spend from 1 to n by unit usually n`, `choose up to 3 units where .. as member by lead`.

    rated: a number for each option (`it` is the option), the best-rated is what a computer player prefers.
    usually: what the default player answers.
    """

    var: str
    options: Span | Phrase
    by: Expr
    up_to: Expr | None = None
    or_none: bool = False
    secretly: bool = False
    usually: Expr | None = None
    rated: Expr | None = None
    says: Text | None = None


class ChoiceOption(Node):
    """One line of `choose by X`: a label, a condition, what happens."""

    label: Word
    body: tuple[Statement, ...]
    when: Expr | None = None
    rated: Expr | None = None


class ChooseCase(Node):
    by: Expr
    options: tuple[ChoiceOption, ...]
    says: Text | None = None


class Emit(Node):
    """`emit caught(unit, pursuer)` with an optional block: the default outcome."""

    event: str
    args: tuple[Argument, ...]
    body: tuple[Statement, ...] = ()


class Together(Node):
    body: tuple[Statement, ...]


class Travel(Node):
    """`travel unit along path` (or `to place`), with handlers for what happens on the way."""

    who: Expr
    path: Expr
    to: bool = False
    handlers: tuple[Handler, ...] = ()


class Give(Node):
    """`give Guard(owner.place) to unit for the rest of the game`: attaches a kind's instance."""

    what: Word
    args: tuple[Argument, ...]
    to: Expr
    duration: Duration | None = None


class Take(Node):
    """`take Stunned from target`."""

    what: Word
    of: Expr


class Change(Node):
    """`change n to n - taken` inside a before handler."""

    name: str
    value: Expr


class Reveal(Node):
    what: Expr


class Say(Node):
    """`say "{unit} holds its fire"`: one line of the story."""

    text: Text


class Refuse(Node):
    """`refuse "{unit} has no place left"`: what was asked for cannot be."""

    text: Text


class Control(Node):
    """word: 'cancel' | 'continue' | 'stop' | 'end' | 'result' | 'roll again' | 'pass'.

    `cancel asking`, `stop travel`, `stop unless X` (unless), `end this`, `result winner`.
    """

    word: str
    operand: Expr | None = None
    unless: Expr | None = None


class Later(Node):
    """`at start of next turn: ..`: a one-shot, remembered until then."""

    moment: Moment
    body: tuple[Statement, ...]


class VerbPhrase(Node):
    """A verb with its arguments, matched against the `phrase` declarations: `push unit 3 steps from other`.

    parts are Words and expressions in their order; the verb is the first Word. Reserved words (`from`, `on`, ..) are
    Words; a bare name is a Name, whether the pattern has a fixed word or a parameter there (`steps`).
    """

    parts: tuple[Word | Expr, ...]


class CallStatement(Node):
    call: Call | RollNamed


Statement: TypeAlias = (
    Assign | If | ForEach | Repeat | According | Choose | ChooseCase | Emit | Together | Travel | Give | Take
    | Change | Reveal | Say | Refuse | Control | Later | VerbPhrase | CallStatement | Modifier | Permission | Narrow
)  # fmt: skip


# -- blocks ------------------------------------------------------------------------------------


class BaseBlock(Node, kw_only=True):
    """What stands at the left margin. ref: ids of the rules of the book that it implements.

    reads: the sentence for the printed reference sheet.
    """

    ref: tuple[str, ...] = ()
    reads: Text | None = None


class NumberBlock(BaseBlock):
    """`number NAME(params)[: distance] = base` and modifier lines. stacking: kinds of contributions declared."""

    name: str
    params: tuple[Param, ...]
    base: Expr
    type: TypeRef | None = None
    lines: tuple[Modifier, ...] = ()


class FlagLine(Node):
    """`yes if ..` / `no if ..`, later lines win."""

    value: bool
    when: Expr
    because: str | None = None
    called: str | None = None


class FlagBlock(BaseBlock):
    name: str
    params: tuple[Param, ...]
    base: Expr
    lines: tuple[FlagLine, ...] = ()


class ValueBlock(BaseBlock):
    """`value controller(unit): side = unit.owner`: a named quantity that is no number."""

    name: str
    params: tuple[Param, ...]
    type: TypeRef
    base: Expr
    lines: tuple[Modifier, ...] = ()


class Test(Node):
    """`d6 + 2 <= need`: op is a comparison; confirmed is a second throw that must also succeed."""

    dice: Expr
    op: str
    need: Expr
    confirmed: Expr | None = None


class Total(Node):
    """`2d6 + 3`: the result is the number."""

    dice: Expr


class Pool(Node):
    """`pool n of d6 >= need` (`4+` is op '>=' need 4); or `scores EXPR(dice)`, `each die scores EXPR(die)`."""

    count: Expr
    die: Dice
    op: str | None = None
    need: Expr | None = None
    scores: Expr | None = None
    each_scores: Expr | None = None


class Opposed(Node):
    """`A against B by X, ties to Y`. ranked: compared highest against highest instead of by totals.

    margin: `A against B by X, by how much`, the difference instead of a winner.
    """

    left: Total | Pool
    right: Total | Pool
    ranked: bool = False
    ties: Expr | None = None
    margin: bool = False


class Never(Node):
    """A roll that cannot succeed: `when need < -2: never`."""


RollSpec: TypeAlias = Test | Total | Pool | Opposed | Never


class Natural(Node):
    """`natural 6 counts 2`, `natural 1 fails, confirmed by d10 == 1, emits fumbled(figure)`, `natural 1 is out`.

    effect: 'fails' | 'succeeds' | 'counts' (value) | 'is' (word). by: only dice that this one throws (opposed rolls).
    """

    face: Expr
    effect: str
    value: Expr | None = None
    word: Word | None = None
    confirmed: Expr | None = None
    emits: Call | None = None
    when: Expr | None = None
    by: Expr | None = None


class Outcome(Node):
    """`above figure.luck: unharmed`, `equal to ..`, `below ..`, `otherwise: out`; relation 'otherwise' has no value."""

    relation: str
    word: Word
    value: Expr | None = None


class Alternative(Node):
    """`when need == 0: d6 == 1 confirmed by d6 <= 3` / `otherwise: pool ..`. In a condition `need` is
    the roll's need.
    """

    when: Expr | None
    spec: RollSpec


class RollBlock(BaseBlock):
    """by: who throws; against: the opponent (for opposed rolls, who throws the second dice).

    spec is None when the header ends in a colon and only alternatives follow.
    rerolls: 'each die once' | 'never' | None. windows: who is asked for re-rolls, in order.
    """

    name: str
    params: tuple[Param, ...]
    by: Expr
    spec: RollSpec | None
    against: Expr | None = None
    naturals: tuple[Natural, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    alternatives: tuple[Alternative, ...] = ()
    rerolls: str | None = None
    windows: tuple[Expr, ...] = ()


class ProcedureBlock(BaseBlock):
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    type: TypeRef | None = None


class EventBlock(BaseBlock):
    """asks: whose players are offered reactions (`asks enemies, until all pass`, `asks owner of target`).

    says: the line of the story that it writes when it happens.
    """

    name: str
    params: tuple[Param, ...]
    may_be_cancelled: bool = False
    asks: Expr | None = None
    asks_enemies: bool = False
    asks_all: bool = False
    until_all_pass: bool = False
    says: Text | None = None


class HandlerBlock(BaseBlock):
    """A handler at the left margin: always in force."""

    handler: Handler


class ReactionBlock(BaseBlock):
    """A reaction at the left margin: open to whoever fits its `by`."""

    reaction: Reaction


class ChoiceBlock(BaseBlock):
    """`choice goal(unit) by unit: enemy units where may_reach(unit, it)`: named, so that it can be narrowed."""

    name: str
    params: tuple[Param, ...]
    by: Expr
    options: Phrase
    or_none: bool = False
    usually: Expr | None = None
    rated: Expr | None = None
    says: Text | None = None


class Step(Node):
    """One step of a phase: a procedure with arguments; then: it waits until the steps before are wholly done."""

    name: str
    args: tuple[Argument, ...] = ()
    then: bool = False


class PhaseOrder(Node):
    """How a phase is run.

    kind: 'at once' (both sides at once), 'each side', 'alternating' (noun; until all pass), 'each' (noun).
    first: who begins (`mover first`: a name that yields a side). order: for 'each' and 'each side'.
    """

    kind: str
    noun: str | None = None
    until_all_pass: bool = False
    first: str | None = None
    order: Order | None = None


class Phase(Node):
    """`phase combat "Combat", each engagement: first_strike, then last_strike`; or an indented body of statements."""

    name: str
    title: str | None = None
    order: PhaseOrder | None = None
    steps: tuple[Step, ...] = ()
    body: tuple[Statement, ...] = ()
    when: Expr | None = None


class TurnBlock(BaseBlock):
    """kind: 'setup' (run once before the first turn) or 'turn'. order: None for a common turn, else
    player turns. gone: the names of phases that a higher layer has taken out.
    """

    kind: str
    phases: tuple[Phase, ...]
    order: PhaseOrder | None = None
    gone: tuple[str, ...] = ()


class PhaseInsert(BaseBlock):
    """`phase weather after fleeing` in a house rule; where: 'before' | 'after' | 'replace'."""

    phase: Phase
    where: str
    anchor: Word


class TableBlock(BaseBlock):
    """`table oblivion_doubles by points`; cases carry values."""

    name: str
    by: tuple[Param, ...]
    cases: tuple[Case, ...]
    type: TypeRef | None = None


class ConstraintBlock(BaseBlock):
    name: str
    params: tuple[Param, ...]
    require: Expr
    otherwise: Text
    when: Expr | None = None


class WordsBlock(BaseBlock):
    """`words fate: unharmed, knocked_down, out`: an enumeration."""

    name: str
    words: tuple[str, ...]


class FieldDecl(Node):
    """`lost: number = 0  at least 0  resets at end of turn`."""

    name: str
    type: TypeRef
    default: Expr | None = None
    at_least: Expr | None = None
    at_most: Expr | None = None
    resets: Moment | None = None
    reads: Text | None = None


class StateBlock(BaseBlock):
    """`state of unit`: what rules may write."""

    noun: str
    fields: tuple[FieldDecl, ...]


class ProfileBlock(BaseBlock):
    """`profile of unit`: what the data files give and nobody may write."""

    noun: str
    fields: tuple[FieldDecl, ...]


class NounBlock(BaseBlock):
    """`noun leader, plural leaders is a unit where it.level >= 1`, `noun target is a unit` (a role)."""

    name: str
    plural: str | None
    is_a: str | None
    where: Expr | None = None


class PhraseBlock(BaseBlock):
    """`phrase "move {unit} to {place}" means move(unit, place)`."""

    pattern: str
    means: Call


# -- kinds that plugins add ----------------------------------------------------------------------


class KindField(Node):
    """`school: Death`, `range: 12`; phrase when the value is a noun phrase (`targets` uses its own node)."""

    name: str
    value: Expr


class KindFlag(Node):
    """A bare word among the fields: `persistent`, `pair`, `foot_only`."""

    name: str


class Keeps(Node):
    """`keeps used: yes_no`: state of each instance in force."""

    field: FieldDecl


class While(Node):
    """`while bearer is rank_and_file` / `while in force on target` (condition None, on_target) around other items."""

    condition: Expr | None
    items: tuple[KindItem, ...]
    on_target: Expr | None = None


class Targets(Node):
    """`targets unit where not it is fleeing`."""

    phrase: Phrase


class AsKind(Node):
    """`as tool Hammer`: everything that the named one has, too."""

    kind: str
    name: Word


class EndsAt(Node):
    """`ends at start of owner's next turn`."""

    moment: Moment


class LocalProcedure(Node):
    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]


class Part(Node):
    """`part heads: 1 to 12 lost first` in a profile kind."""

    name: str
    low: Expr
    high: Expr | None = None
    lost_first: bool = False


KindItem: TypeAlias = (
    KindField | KindFlag | Keeps | Modifier | Permission | Handler | Reaction | RerollRight | Narrow | While
    | Targets | AsKind | EndsAt | LocalProcedure | Part
)  # fmt: skip


class KindBlock(BaseBlock):
    """`trait Evasion(n)`, `tool Rope(long)`, `item "The Bell of Dawn" 140 points`, `trait Strength(n) of attack`.

    kind is the word that a plugin declared; `rule "Title"` is the core's own kind: always in force, no bearer. cost is
    the number before `points`. A variant written in parentheses that is a bare word and no parameter (`Rope(long)`) is
    kept in params and told apart by the checker.
    """

    kind: str
    title: Word
    params: tuple[Param, ...] = ()
    of: str | None = None
    cost: Expr | None = None
    items: tuple[KindItem, ...] = ()


def variant_of(block: AnyBlock) -> tuple[str, ...]:
    """The words in parentheses after a kind block's title when they are no parameters in use."""
    if not isinstance(block, KindBlock) or any(param.type for param in block.params):
        return ()
    names = tuple(param.name for param in block.params)
    used = {node.name for item in block.items for node in walk(item) if isinstance(node, Name)}
    return () if used & set(names) else names


def with_variant(title: str, variant: Sequence[str]) -> str:
    """`Spear(mounted)`."""
    return f"{title}({', '.join(variant)})"


# -- layers ------------------------------------------------------------------------------------


class RemoveLine(Node):
    """Inside amend: `remove "first round only"`: the line called so."""

    called: str


class ReplaceLine(Node):
    """Inside amend: `replace "first round only"` with an indented item."""

    called: str
    item: KindItem | FlagLine | Natural | Case


class Amend(BaseBlock):
    """`amend trait "Long Reach"`: adds items, removes or replaces lines of the named block."""

    kind: str
    name: Word
    changes: tuple[RemoveLine | ReplaceLine | KindItem | FlagLine | FieldDecl | Natural | Case, ...]


class Rating(Node):
    """Inside advise: `flee rated 2`: an option's label, or the name that a choice gives to what is chosen."""

    name: Word
    rated: Expr


class Advise(BaseBlock):
    """`advise procedure answer_the_charge`: what computer players think of the choices in the named block."""

    kind: str
    name: Word
    ratings: tuple[Rating, ...]


class Replace(BaseBlock):
    """`replace roll save(..)...`: the block takes the place of the one of its kind and name."""

    block: AnyBlock


class Remove(BaseBlock):
    """`remove item Lantern`."""

    kind: str
    name: Word


class Rename(BaseBlock):
    """`rename trait Brave to Stout`: a definition that lower layers have is called otherwise from here on."""

    kind: str
    name: Word
    to: Word


class HouseRule(BaseBlock):
    """`house rule "Long nights" for my_game`; after: titles or ids of layers that this one knowingly comes after."""

    title: str
    for_: str | None
    blocks: tuple[AnyBlock, ...]
    after: tuple[str, ...] = ()


AnyBlock: TypeAlias = (
    NumberBlock | FlagBlock | ValueBlock | RollBlock | ProcedureBlock | EventBlock | HandlerBlock | ReactionBlock
    | ChoiceBlock | TurnBlock | PhaseInsert | TableBlock | ConstraintBlock | WordsBlock | StateBlock | ProfileBlock
    | NounBlock | PhraseBlock | KindBlock | Amend | Advise | Replace | Remove | Rename | HouseRule
)  # fmt: skip


#: The sorts of blocks that have a name, by their classes.
SORTS: dict[type, str] = {
    NumberBlock: "number", FlagBlock: "flag", ValueBlock: "value", RollBlock: "roll", ProcedureBlock: "procedure",
    EventBlock: "event", ChoiceBlock: "choice", TableBlock: "table", ConstraintBlock: "constraint",
    WordsBlock: "words", NounBlock: "noun",
}  # fmt: skip


class Module(Node):
    """One file of rules."""

    blocks: tuple[AnyBlock, ...]
