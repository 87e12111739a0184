"""The intermediate form: small, typed, every name resolved. Every back end reads this and nothing else.

The checker lowers the merged rules to it. Expressions know their type; expressions and statements know their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from warhost.lang import nodes
from warhost.lang.nodes import NodeType
from warhost.lang.pickling import Foldable
from warhost.lang.place import NOWHERE, Pos
from warhost.lang.types import ANY, YES_NO, Type


class IrNode(nodes.Alike, metaclass=NodeType):
    pos: Pos = field(default=NOWHERE, repr=False, compare=False, kw_only=True)


sub_nodes: Callable[[IrNode], list[IrNode]] = nodes.children
walk: Callable[[IrNode], Iterator[IrNode]] = nodes.walk


class FoldableNode(IrNode, Foldable):
    """A node of which the cache keeps a part folded."""

    __slots__ = ("_rest",)


class Expr(IrNode, kw_only=True):
    type: Type = ANY


class Condition(Expr, kw_only=True):
    """An expression that is yes or no."""

    type: Type = YES_NO


# -- expressions -------------------------------------------------------------------------------


class Const(Expr):
    """An int, Fraction, bool, str or None."""

    value: Any


class DefinitionRef(Expr):
    """A named definition of a kind, as a value."""

    kind: str
    title: str


class Local(Expr):
    name: str


class Singleton(Expr):
    """`battle`, `scenario`, and the two sides of a battle as `side_a` and `side_b`."""

    name: str


class GetField(Expr):
    """Declared state, a profile's figure, or what an effect keeps; the object must not be none."""

    of: Expr
    field: str


class Evaluate(Expr):
    """A number, flag or value with its arguments. name is the block's.

    uses: a step takes it, and what lasts `until used` may be part of it.
    """

    name: str
    args: list[Expr]
    uses: bool = False


class LookUp(Expr):
    """A table, by its keys. adopts: a figure of the data, which has the unit of what it stands with."""

    name: str
    args: list[Expr]
    adopts: bool = False


class CallFunction(Expr):
    """A function of a plugin or of the core."""

    name: str
    args: list[Expr]


class CallProcedure(Expr):
    name: str
    args: list[Expr]


class Arith(Expr):
    """op: + - * /."""

    op: str
    left: Expr
    right: Expr


class Negate(Expr):
    operand: Expr


class Not(Condition):
    operand: Expr


class Compare(Condition):
    """op: == != <= >= < >, between numbers or texts."""

    op: str
    left: Expr
    right: Expr


class Both(Condition):
    """`and` (every True) or `or`; stops at the first that decides."""

    every: bool
    operands: list[Expr]


class Same(Condition):
    """The same entity, the same word, both none."""

    left: Expr
    right: Expr


class IsNoun(Condition):
    """Whether an entity is of a noun, with the noun's condition."""

    of: Expr
    noun: str


class Bears(Condition):
    """Whether an entity bears an instance of one of these definitions (title, kind or "" for any)."""

    of: Expr
    title: str
    kind: str


class Contains(Condition):
    item: Expr
    items: Expr


class CountedWords(Expr):
    """Words chosen by a count: forms for 1 and more, or for 0, 1 and more."""

    of: Expr
    forms: tuple[str, ...]


class TextJoin(Expr):
    parts: list[Expr]


class DiceTerm(Expr):
    """`2d6` inside a formula: the sum of count dice."""

    count: Expr
    sides: Expr


class Rolls(Expr):
    """`bearer rolls 2d6 + 1`."""

    roller: Expr
    formula: Expr


class MakeRoll(Expr):
    name: str
    args: list[Expr]


class HowMany(Expr):
    count: Expr
    passing: bool
    name: str
    args: list[Expr]


class AllOf(Expr):
    """Every entity of a noun on the table, in order of creation."""

    noun: str


class DefinitionsOf(Expr):
    kind: str


class Query(Expr):
    """kind: number, total, highest, lowest, nearest, farthest, any, all, which highest, which lowest.

    where and value see the item as the local var. once: contributions counted once per source (kinds of contribution).
    default is what an empty set gives (0 for numbers, none for entities).
    """

    kind: str
    source: Expr
    var: str
    where: list[Expr]
    value: Expr | None = None
    counting: tuple[str, ...] = ()


def all_of(conditions: Sequence[Expr]) -> Expr | None:
    """What holds when each of some conditions does; None when there are none."""
    if len(conditions) > 1:
        return Both(True, list(conditions))
    return conditions[0] if conditions else None


# -- time --------------------------------------------------------------------------------------


class When(IrNode):
    """A moment: edge of a period, of someone (whose, may be None), the next one or this one."""

    edge: str
    what: str
    whose: Expr | None = None
    next: bool = False


class Lasting(IrNode):
    """kind: battle, until (when), for (count, turns), while (condition), during (what), used."""

    kind: str
    when: When | None = None
    count: Expr | None = None
    condition: Expr | None = None
    what: str = ""


# -- statements --------------------------------------------------------------------------------


class Stmt(IrNode):
    pass


class SetLocal(Stmt):
    name: str
    value: Expr


class PutField(Stmt):
    """op: = += -=."""

    of: Expr
    field: str
    op: str
    value: Expr


class IfElse(Stmt):
    condition: Expr
    body: list[Statement]
    otherwise: list[Statement]


class ForEach(Stmt):
    """items is a list; order_by sees the item as var; chooser decides the order when given."""

    var: str
    items: Expr
    body: list[Statement]
    order_by: Expr | None = None
    highest_first: bool = False
    chooser: Expr | None = None


class Repeat(Stmt):
    times: Expr
    body: list[Statement]
    until: Expr | None = None


class Case(IrNode):
    """test sees the subject as the local named by the According."""

    test: Expr | None
    body: list[Statement]
    roll_again: bool = False


class According(Stmt):
    subject: Expr
    var: str
    cases: list[Case]


class Choose(Stmt):
    """Puts the answer into the local var. span: low..high instead of items. up_to: a list of at most so many."""

    var: str
    decision: str
    chooser: Expr
    items: Expr | None = None
    low: Expr | None = None
    high: Expr | None = None
    item_var: str = "it"
    up_to: Expr | None = None
    or_none: bool = False
    secretly: bool = False
    usually: Expr | None = None
    rated: Expr | None = None
    says: Expr | None = None
    narrowed: str | None = None


class Course(IrNode):
    label: str
    when: Expr | None
    rated: Expr | None
    body: list[Statement]


class ChooseCourse(Stmt):
    decision: str
    chooser: Expr
    courses: list[Course]
    says: Expr | None = None


class Emit(Stmt):
    """body is None when there is no default outcome; it sees the event's parameters by their names."""

    event: str
    args: list[Expr]
    body: list[Statement] | None


class Together(Stmt):
    body: list[Statement]


class TravelHandler(IrNode):
    event: str
    params: list[str]
    when: Expr | None
    body: list[Statement]


class Travel(Stmt):
    who: Expr
    path: Expr
    handlers: list[TravelHandler]


class Give(Stmt):
    kind: str
    title: str
    args: list[Expr]
    to: Expr
    giver: Expr | None
    lasting: Lasting
    definition: Expr | None = None


class Take(Stmt):
    title: str
    of: Expr


class AddModifier(Stmt):
    """A modifier put in force by a procedure: template is the key in Program.templates; captured locals go along."""

    template: str
    captured: list[str]
    pins: list[Expr]
    lasting: Lasting


class Return(Stmt):
    value: Expr | None


class CancelEvent(Stmt):
    pass


class Proceed(Stmt):
    """`continue` inside `instead of`: runs the rest of the chain."""


class Pass(Stmt):
    """`continue` elsewhere: nothing happens."""


class StopTravel(Stmt):
    pass


class ChangeParam(Stmt):
    index: int
    name: str
    value: Expr


class EndEffect(Stmt):
    effect: Expr


class Later(Stmt):
    when: When
    body: list[Statement]


class Reveal(Stmt):
    what: Expr


class Say(Stmt):
    text: Expr


class Refuse(Stmt):
    text: Expr


class Do(Stmt):
    """An expression for its effects."""

    value: Expr


Statement: TypeAlias = (
    SetLocal | PutField | IfElse | ForEach | Repeat | According | Choose | ChooseCourse | Emit | Together | Travel
    | Give | Take | AddModifier | Return | CancelEvent | Proceed | Pass | StopTravel | ChangeParam | EndEffect
    | Later | Reveal | Say | Refuse | Do
)  # fmt: skip


# -- functions, modifiers, rolls, kinds ------------------------------------------------------------


class Param(IrNode):
    name: str
    type: Type


class Routine(FoldableNode):
    """Anything with parameters and a body that a back end turns into one callable.

    A pure function has value and no body; a procedure has a body. key is unique in the program.
    """

    open_fields = frozenset(("key",))

    key: str
    title: str
    params: list[Param]
    value: Expr | None = None
    body: list[Statement] | None = None
    ref: tuple[str, ...] = ()


class Template(FoldableNode):
    """One modifier or permission line: what it does to which number, and when.

    op: add, multiply, set, floor, cap, round, allow, forbid. value and when are functions of (this, bearer, the
    number's parameters); for lines without a bearer both are None at run time. pin: index of the number's parameter
    (and a path of fields from it) that must be the bearer, so that only its bearers are asked; None: everyone is.
    """

    open_fields = frozenset(("key", "number"))

    key: str
    number: str
    op: str
    value: Routine | None
    when: Routine | None
    pin: int | None = None
    pin_path: tuple[str, ...] = ()
    static: bool = True
    stacking: str = "sum"
    stacking_key: str = ""
    source: Routine | None = None
    because: str = ""
    origin: str = ""
    rounding: str = ""
    each_time: bool = False
    layer: int = 0
    order: int = 0
    called: str | None = None


class Number(IrNode):
    """A number, flag or value: sort tells which."""

    name: str
    sort: str
    params: list[Param]
    type: Type
    base: Routine
    templates: list[Template] = field(default_factory=list)
    ref: tuple[str, ...] = ()
    reads: str = ""


class Spec(IrNode):
    """A roll's way of throwing. form: test, total, pool, opposed, never.

    ties: who wins one (left, right, again: nobody), or margin: the difference counts.
    Functions take the roll's parameters (and dice, die or need where the language says so).
    """

    form: str
    dice: Routine | None = None
    die_sides: Routine | None = None
    op: str = ""
    need: Routine | None = None
    confirmed: Spec | None = None
    count: Routine | None = None
    scores: Routine | None = None
    each_scores: Routine | None = None
    left: Spec | None = None
    right: Spec | None = None
    ranked: bool = False
    ties: str = ""


class PartLine(IrNode):
    """Parts that an instance of a kind gives its bearer. low and high are functions of (this, bearer).

    into: the field of the whole that lists them, noun: what they are. high None: exactly low of them; else as many as
    the whole's size, within the two.
    """

    into: str
    noun: str
    low: Routine
    high: Routine | None
    lost_first: bool


class Natural(IrNode):
    face: Routine
    effect: str
    value: Routine | None
    word: str
    confirmed: Spec | None
    emits: str
    emit_args: Routine | None
    when: Routine | None
    by: Routine | None = None


class Outcome(IrNode):
    relation: str
    value: Routine | None
    word: str


class RerollRight(IrNode):
    """which: faces, failures, successes, all. Functions take (this, bearer, the roll's parameters)."""

    roll: str | None
    forced: bool
    which: str
    low: Routine | None
    high: Routine | None
    when: Routine | None
    origin: str
    because: str = ""


class Roll(IrNode):
    name: str
    params: list[Param]
    type: Type
    by: Routine
    against: Routine | None
    spec: Spec | None
    naturals: list[Natural]
    outcomes: list[Outcome]
    alternatives: list[tuple[Routine | None, Spec]]
    rerolls: str
    windows: list[Routine]
    rights: list[RerollRight] = field(default_factory=list)
    ref: tuple[str, ...] = ()


class Handler(IrNode):
    """hook: before, instead, after, at. Functions take (this, bearer, the event's parameters)."""

    key: str
    hook: str
    event: str
    when: Routine | None
    run: Routine
    once: tuple[str, tuple[str, ...]] | None
    pin: int | None
    pin_path: tuple[str, ...]
    static: bool
    layer: int
    order: int
    moment: When | None = None
    origin: str = ""


class Reaction(IrNode):
    """members gives those who may react: a function of (this, bearer, the event's parameters) to a list.

    rated: what it is worth to react, a function of the same and of who reacts.
    """

    key: str
    title: str
    event: str
    members: Routine
    when: Routine | None
    run: Routine
    once: tuple[str, tuple[str, ...]] | None
    static: bool
    layer: int
    order: int
    origin: str = ""
    rated: Routine | None = None


class Event(IrNode):
    name: str
    params: list[Param]
    may_be_cancelled: bool
    asks: Routine | None
    asks_who: str
    until_all_pass: bool
    says: Routine | None
    handlers: list[Handler] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    ref: tuple[str, ...] = ()


class Narrowing(IrNode):
    choice: str
    keep: Routine
    when: Routine | None
    static: bool
    origin: str


class Phase(IrNode):
    name: str
    title: str
    order: str
    noun: str
    until_all_pass: bool
    first: Routine | None
    by: Routine | None
    highest_first: bool
    steps: list[str]
    when: Routine | None
    ref: tuple[str, ...] = ()
