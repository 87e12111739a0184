"""Rules at random, well typed by construction: expressions and procedures over a small vocabulary."""

from __future__ import annotations

from hypothesis import strategies as st

VOCABULARY = """
words mood: calm, angry, afraid
words fate: lost, hurt_badly, safe
noun attacker is a unit
noun target is a unit
noun hero, plural heroes is a unit where it.skill >= 4
profile of unit
    skill: number = 3
    brave: yes_no = no
state of unit
    hurt: number = 0 at least 0 at most 50
    mood: mood = calm
    quarry: unit or none = none
    broken: yes_no = no
    friends: list of unit
    struck: number = 0    resets at end of turn
state of battle
    rounds: number = 0
event hit(unit, n)
    may be cancelled
    says "{unit} is hit for {n}"
    asks all, until all pass
event done(unit)
number need(attacker, target) = attacker.skill
    +target.hurt up to 3
    -1 if target.size > 3
    x2 if attacker.brave
    x1/2 if target is attacker
    rounded up
    at least 0
    at most 9
number share(unit) = unit.skill * 3
    x1/2 if unit.brave
    x1/2 if unit.hurt > 2
    rounded up each time
number strength(unit) = unit.size
    +1 if unit.brave      stacking highest "luck"
    +2 if unit.skill > 3  stacking highest "luck"
    set to 7 if unit.mood is afraid
flag may_go(unit) = not unit.broken
    yes if unit.brave
    no if unit.hurt > 5
value chief(unit): unit = unit
    set to unit.quarry if unit.quarry is not none
table price by n
    0 or less: 1
    1 to 3: n * 2
    otherwise: 9
roll strike(attacker, target) by attacker against target: d6 <= need(attacker, target)
    natural 1 succeeds
    natural 6 fails
    when need == 0: d6 == 1 confirmed by d6 <= 3
roll luck(unit) by unit: d6 + unit.skill
roll volley(unit) by unit: pool unit.skill of d6 >= 4
    natural 6 counts 2
roll duel(unit, target) by unit: d6 + unit.skill against d6 + target.skill by target, ties to target
roll doom(unit) by unit: d10
    natural 1 is lost
    above 6: safe
    otherwise: hurt_badly
trait Strong(n)
    need +n when attacker is bearer because "strong"
    strength +n when unit is bearer stacking once per source "strong"
trait Hard
    keeps blows: number = 0
    before hit(unit, n) when unit is bearer
        this.blows += 1
        if n > 3: change n to 3
        if this.blows > 4: cancel hit
trait Skilled
    may reroll volley faces 1 to 2 when unit is bearer
trait Sly
    instead of hit(unit, n) when unit is bearer
        if (bearer rolls d6) >= 4: continue
    reaction Dodge to hit(unit, n) by bearer.side
        once per turn
        bearer.struck += 1
condition Tired
    need -1 when attacker is bearer or target is bearer
    forbid may_go(unit) when unit is bearer
    share at most 4 when unit is bearer
after hit(unit, n)
    battle.rounds += 1
phrase "hurt {unit} by {n}" means harm(unit, n)
procedure harm(unit, n)
    unit.hurt += n
procedure worst(unit): unit or none
    result whichever of units where it.side is unit.side has highest it.hurt
"""

SMALL = st.integers(-2, 9)


def _among(options: list[str]) -> st.SearchStrategy[str]:
    return st.sampled_from(options)


@st.composite
def number(draw: st.DrawFn, units: list[str], numbers: list[str], dice: bool, depth: int = 3) -> str:
    """A number, as text in brackets where it needs them."""

    def one() -> str:
        return draw(number(units, numbers, dice, depth - 1))

    def who() -> str:
        return draw(_among(units))

    def truth(of: list[str]) -> str:
        return draw(condition(of, numbers, False, depth - 1))

    plain = [str(draw(SMALL)), f"{who()}.skill", f"{who()}.hurt", f"{who()}.size", "battle.rounds", *numbers]
    if depth <= 0:
        return draw(_among(plain))
    kind = draw(st.integers(0, 22 if dice else 17))
    match kind:
        case 0 | 1 | 2:
            return draw(_among(plain))
        case 3 | 4 | 5:
            return f"({one()} {draw(_among(['+', '-', '*']))} {one()})"
        case 6:
            return f"{draw(_among(['floor', 'ceiling', 'round']))}({one()} / {draw(st.integers(2, 5))})"
        case 7:
            return f"{draw(_among(['lower_of', 'higher_of']))}({one()}, {one()})"
        case 8:
            return f"need({who()}, {who()})"
        case 9:
            return f"{draw(_among(['share', 'strength']))}({who()})"
        case 10:
            return f"(number of units where ({truth([*units, 'it'])}))"
        case 11:
            return f"(total it.hurt over units where ({truth([*units, 'it'])}))"
        case 12:
            which, over = draw(_among(["highest", "lowest"])), draw(_among(["units", "heroes"]))
            return f"({which} of need(it, {who()}) over {over})"
        case 13:
            return f"absolute({one()})"
        case 14:
            return f"price({one()})"
        case 15:
            return f"(-{one()})"
        case 16:
            return f"remainder({one()}, 7)"
        case 17:
            return "(total strength(it) over units counting \"strong\" once per source)"
        case 18:
            return f"({who()} rolls {draw(_among(['d6', '2d6', 'd10 + 1', 'd(6 + 2)']))})"
        case 19:
            return f"(roll {draw(_among(['luck', 'volley']))}({who()}))"
        case 20 | 21:
            return f"(how many of {draw(st.integers(0, 4))} {draw(_among(['pass', 'fail']))} strike({who()}, {who()}))"
        case _:
            return f"(number of units where (roll duel(it, {who()})))"


@st.composite
def condition(draw: st.DrawFn, units: list[str], numbers: list[str], dice: bool, depth: int = 3) -> str:
    """A yes or no."""

    def some() -> str:
        return draw(number(units, numbers, dice, depth - 1))

    def one() -> str:
        return draw(condition(units, numbers, dice, depth - 1))

    def who() -> str:
        return draw(_among(units))

    kind = draw(st.integers(0, 19 if dice else 13)) if depth > 0 else draw(st.integers(4, 10))
    match kind:
        case 0 | 1:
            return f"{some()} {draw(_among(['<', '<=', '==', '!=', '>', '>=']))} {some()}"
        case 2:
            return f"({one()} {draw(_among(['and', 'or']))} {one()})"
        case 3:
            return f"not ({one()})"
        case 4:
            return f"{who()} is {who()}"
        case 5:
            return f"may_go({who()})"
        case 6:
            return f"{who()}.mood is {draw(_among(['calm', 'angry', 'afraid']))}"
        case 7:
            return f"{who()}.quarry is {draw(_among(['none', 'not none']))}"
        case 8:
            return f"{who()} has {draw(_among(['Strong', 'Tired', 'Hard']))}"
        case 9:
            return f"{who()} is {draw(_among(['broken', 'brave', 'a hero']))}"
        case 10:
            return f"{who()} among {who()}.friends"
        case 11:
            inner = draw(condition([*units, "it"], numbers, False, depth - 1))
            return f"(any units where ({inner}))"
        case 12:
            return f"chief({who()}) is {who()}"
        case 13:
            return f"{who()} opposes {who()}"
        case 14 | 15:
            return f"({one()} {draw(_among(['and', 'or']))} (roll strike({who()}, {who()})))"
        case 16 | 17:
            return f"(roll strike({who()}, {who()}))"
        case _:
            return f"(roll duel({who()}, {who()}))"


@st.composite
def steps(draw: st.DrawFn, units: list[str], numbers: list[str], depth: int, most: int = 4) -> list[str]:
    """Lines of a body. What it names is known in the lines after it only."""
    lines: list[str] = []
    units, numbers = list(units), list(numbers)
    for _ in range(draw(st.integers(1, most))):
        lines += draw(_step(units, numbers, depth))
    return lines


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


@st.composite
def _step(draw: st.DrawFn, units: list[str], numbers: list[str], depth: int) -> list[str]:
    def some() -> str:
        return draw(number(units, numbers, True, 2))

    def truth() -> str:
        return draw(condition(units, numbers, True, 2))

    def who() -> str:
        return draw(_among(units))

    def inner(more: list[str], counts: list[str] | None = None) -> list[str]:
        return _indented(draw(steps([*units, *more], [*numbers, *(counts or [])], depth - 1, 3)))

    def name(stem: str, known: list[str]) -> str:
        return f"{stem}{len(known)}"

    kind = draw(st.integers(0, 21 if depth > 0 else 11))
    match kind:
        case 0 | 1:
            new = draw(_among([*numbers, name("n", numbers)]))
            line = [f"{new} = {some()}"]
            if new not in numbers:
                numbers.append(new)
            return line
        case 2 | 3:
            return [f"{who()}.{draw(_among(['hurt', 'struck']))} {draw(_among(['=', '+=', '-=']))} {some()}"]
        case 4:
            return [f"{who()}.mood = {draw(_among(['calm', 'angry', 'afraid']))}"]
        case 5:
            return [f"{who()}.quarry = {draw(_among([*units, 'none']))}"]
        case 6:
            return [f"{who()}.broken = ({truth()})"]
        case 7:
            return [f'say "{{{who()}}} has {{{draw(_among([*numbers, who() + ".hurt"]))}}}"']
        case 8:
            gift = draw(_among([f"Strong({draw(st.integers(1, 3))})", "Tired", "Hard", "Skilled", "Sly"]))
            until = ["", " until end of turn", " for 2 turns", " until used", f" while {who()}.hurt < 4"]
            lasting = draw(_among(until))
            return [f"give {gift} to {who()}{lasting}"]
        case 9:
            return [f"take {draw(_among(['Strong', 'Tired', 'Hard', 'Sly']))} from {who()}"]
        case 10:
            change = draw(_among(["+1", "-2", "x2", "set to 4", "at least 2", "at most 5", f"+{who()}.skill"]))
            until = ["until end of turn", "until end of next turn", "for 2 turns", "until used"]
            lasting = draw(_among([*until, f"while {who()}.hurt < 4"]))
            return [f"need(attacker: {who()}) {change} {lasting}"]
        case 11:
            if draw(st.booleans()):
                return [f"hurt {who()} by {some()}"]
            grown = [f"= joined({who()}.friends, {who()})", f"+= {who()}", f"-= {who()}", "= empty_list()"]
            return [f"{who()}.friends {draw(_among(grown))}"]
        case 12 | 13:
            lines = [f"if {truth()}", *inner([])]
            if draw(st.booleans()):
                lines += ["else", *inner([])]
            return lines
        case 14:
            order = draw(_among(["", ", in order of it.hurt", f", in an order chosen by {who()}"]))
            var = name("u", units)
            return [f"for each unit where (it.size > 0) as {var}{order}", *inner([var])]
        case 15:
            return [f"repeat {draw(st.integers(0, 3))} times", *inner([])]
        case 16:
            return [f"emit hit({who()}, {some()})", *inner([], ["n"])]
        case 17:
            return ["together", *inner([])]
        case 18:
            var = name("c", units)
            options = draw(_among(["units", "heroes", "units where it.hurt < 9"]))
            tail = draw(_among(["", f" usually {who()}", " rated it.hurt"]))
            lines = [f"choose {var} from {options} by {who()}{tail}", f"if {var} is not none"]
            return lines + inner([var])
        case 19:
            head = draw(_among([f"according to {who()} rolls d6", f"according to {some()}"]))
            again = ["    3: roll again"] if "rolls" in head else []
            return [head, "    1 to 2", *_indented(inner([])), *again, "    otherwise", *_indented(inner([]))]
        case 20:
            return [f"choose by {who()}", f"    go when {who()}.hurt < 9", *_indented(inner([])), "    wait: continue"]
        case _:
            return [f"at {draw(_among(['end', 'start']))} of {draw(_among(['turn', 'next turn']))}:", *inner([])]


@st.composite
def procedure(draw: st.DrawFn) -> str:
    """A procedure `p(unit, other: unit)` that ends with some result."""
    lines = draw(steps(["unit", "other"], [], 2, 5))
    result = draw(number(["unit", "other"], [], True, 2))
    return "procedure p(unit, other: unit)\n" + "\n".join(_indented([*lines, f"result {result}"])) + "\n"
