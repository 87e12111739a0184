"""The game at the terminal: what has happened is told, a decision is asked for, an answer or a command is read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from warhost.cli import output
from warhost.engine.decisions import Decision
from warhost.engine.entities import Entity
from warhost.errors import UsageError, WarhostError, nearest
from warhost.lang.python_backend import attribute
from warhost_battles import story
from warhost_battles.shown import marks_said, state_of
from warhost_battles.views import seen_picture, view_of
from warhost_play.asking import answer_in, are_numbers, labels_of, listed, place_in, question, rows_of
from warhost_play.seats import adviser
from warhost_play.text_map import WIDTH, ground, text_map

if TYPE_CHECKING:
    from warhost_play.seats import Seats

#: Options that `hint` speaks of.
MOST_HINTS = 5

#: Lines of the story that `log` tells again when it is not said how many.
LINES_OF_LOG = 20

#: Games that `odds` plays where it cannot weigh all dice.
GAMES = 2_000

Read = Callable[[str], str]


class Left(Exception):  # noqa: N818 (not an error)
    """The players have risen from the table."""


class Game:
    """A battle between persons, or a person and computer players. read gives a line for a prompt; EOFError ends it."""

    def __init__(self, seats: Seats, read: Read) -> None:
        self.seats, self.battle, self.read = seats, seats.battle, read
        self.adviser = adviser(seats)
        self.tally = story.Tally(self.battle)
        self.told = dict.fromkeys((side.id for side in self.battle.sides), 0)
        self.last: Any = None
        self.alone: Any = None  # the person who alone may see the screen, as it shows what others may not know
        self.ground: set[str] | None = None  # on the table when somebody read the story last
        self.commands: dict[str, tuple[Callable[[str, Decision], bool], str]] = {
            "help": (self._help, "what can be said here; `help WORD` for one command"),
            "hint": (self._hint, "what the rules themselves think of the options"),
            "why": (self._why, "the last rolls, and how their numbers came about"),
            "odds": (self._odds, "`odds A against B`: how a fight between two units would go"),
            "map": (self._map, "the table as text"),
            "units": (self._units, "both sides, with strength and state"),
            "hand": (self._hand, "what lies beside the table: hands, cards laid out, how many are left"),
            "explain": (self._explain, "`explain NAME`: what a card, a unit, a trait or a word of the rules means"),
            "log": (self._log, "the last lines of the story once more; `log 50` for more"),
            "all": (self._all, "every option, where there are many"),
            "auto": (self._auto, "let the computer answer; `auto 10`, `auto phase`, `auto turn`, `auto end`"),
            "undo": (self._undo, "take your last answer back; `undo 3` takes back three"),
            "save": (self._save, "where the battle is kept, and how to go on with it"),
            "quit": (self._quit, "leave; the battle can be gone on with"),
        }

    # -- the game ------------------------------------------------------------------------------

    def run(self) -> None:
        """Play to the end. Raises Left when somebody leaves the table before."""
        while (decision := self.battle.decide()) is not None:
            self._seat(decision)
            self._tell(decision.side)
            self._ask(decision)
        for side in self.seats.persons[:1]:
            self._tell(side)

    def _ask(self, decision: Decision) -> None:
        """One decision: commands until there is an answer."""
        output.say()
        self._put(decision)
        done = False
        while not done:
            try:
                line = self.read("> ")
            except (EOFError, KeyboardInterrupt):
                raise Left from None
            try:
                done = self.take(line, decision)
            except WarhostError as error:
                if self.battle.decide() is not decision:
                    raise
                output.say(str(error), style="yellow")

    def _put(self, decision: Decision) -> None:
        """The question and its options."""
        output.say(question(decision), style="bold")
        for row in listed(decision, names=self._names(decision.side), alike=self._alike):
            output.say(row)

    def take(self, line: str, decision: Decision) -> bool:
        """Do what a line says. Whether the decision is no longer the one to make. Raises UsageError for nonsense."""
        text = line.strip()
        if not text:
            self._put(decision)
            return False
        word, _, rest = text.removeprefix("/").partition(" ")
        names = self._names(decision.side)
        found = answer_in(text, decision, names, self._alike) if not text.startswith("/") else None
        if found is not None:
            self.battle.answer(found)
            return True
        command = self.commands.get(word.lower())
        if command is not None:
            return command[0](rest.strip(), decision)
        if decision.free is None and place_in(text) is not None:
            raise UsageError("no place is asked for here; give the number of an option")
        labels = [row.label for row in rows_of(decision, names, self._alike)]
        guess = nearest(text, [*labels, *self.commands])
        hint = f'did you mean "{guess}"?' if guess else "give the number of an option, or `help`"
        raise UsageError(f'"{text}" is neither an option nor a command; {hint}')

    def sayable(self) -> list[str]:
        """What could be typed now: the options' names, then the commands."""
        decision = self.battle.decide()
        rows = rows_of(decision, self._names(decision.side), self._alike) if decision is not None else []
        return [*(row.label for row in rows), *self.commands]

    # -- telling -------------------------------------------------------------------------------

    def _seat(self, decision: Decision) -> None:
        """Hand the screen over when it is to show what only one of several persons may know, or still shows such."""
        side = decision.side
        if self._is_hidden(decision) or not self._is_for_all(self._untold(side), side):
            self._leave_alone(side)
        elif self.alone is not None and self.alone is not side:
            self._hand_over(side)
            self.alone = None
        self.last = side

    def _leave_alone(self, side: Any) -> None:
        """What comes is for one person only."""
        if self._others(side) and self.alone is not side:
            if self.last is not None:  # else nobody else sits before the screen
                self._hand_over(side)
            self.alone = side

    def _hand_over(self, side: Any) -> None:
        output.say()
        try:
            self.read(f"{side.name} is next. Hand over, then press Enter. ")
        except (EOFError, KeyboardInterrupt):
            raise Left from None
        output.console().clear()

    def _others(self, side: Any) -> list[Any]:
        """The persons that a side does not show its hidden things."""
        return [one for one in self.seats.persons if one is not side]

    def _is_hidden(self, decision: Decision) -> bool:
        """Whether a decision shows what another person may not know."""
        things: list[Any] = [*decision.about]
        for option in decision.options:
            things.extend(option.value if isinstance(option.value, list) else [option.value])
        unknown = {id for id, knowing in self.battle.hidden.items() if set(self._others(decision.side)) - set(knowing)}
        return decision.secret or any(getattr(thing, "id", None) in unknown for thing in things)

    def _is_for_all(self, records: list[dict[str, Any]], side: Any) -> bool:
        """Whether what is told a side of some records every other person may read, too."""
        told = [record for record in records if record["kind"] != "decision"]
        seen = list(view_of(told, side))
        return all(list(view_of(told, one)) == seen for one in self._others(side))

    def _untold(self, side: Any) -> list[dict[str, Any]]:
        return self.battle.log[self.told[side.id] :]

    def _tell(self, side: Any) -> None:
        """What has happened since somebody read the story last, as far as this side may know it."""
        records, begins = self._untold(side), self.told[side.id]
        for known in self.told:
            if known == side.id or not self.battle.hidden or (self.alone is None and self.told[known] >= begins):
                self.told[known] = len(self.battle.log)
        self._say(records, side)
        self._tell_ground(records, side)

    def _tell_ground(self, records: list[dict[str, Any]], side: Any) -> None:
        """What has come to lie on the table since, and no rule has said a word of."""
        picture = self._picture(side)
        if picture is None:
            return
        here = ground(picture)
        if self.ground is not None:
            said = json.dumps([record.get("args") for record in records if record.get("text")], default=str)
            for id, name in here.items():
                if id not in self.ground and f'"{id}"' not in said:
                    output.say(f"  New on the table: {name}.")
        self.ground = set(here)

    def _say(self, records: list[dict[str, Any]], side: Any) -> None:
        story.print_story(
            output.console(), story.tell(view_of(records, side), self.battle, rolls=True, tally=self.tally)
        )

    # -- commands ------------------------------------------------------------------------------

    def _help(self, word: str, decision: Decision) -> bool:
        if word and word.lower() not in self.commands:
            raise UsageError(f'there is no command "{word}"; there are: {", ".join(self.commands)}')
        output.say("Answer with the number of an option, or with its name or the beginning of it.")
        width = max(map(len, self.commands)) + 2
        for name, (_, said) in self.commands.items():
            if not word or name == word.lower():
                output.say(f"  {name:<{width}}{said}")
        output.say("A command goes before an option of the same name with a stroke: /auto.")
        return False

    def _hint(self, word: str, decision: Decision) -> bool:
        with self.battle.numbers.untraced():
            ratings, usual = decision.ratings(), decision.usual_index()
            best = self._advice(decision)
        names = self._names(decision.side)
        if ratings and len(set(ratings)) == 1 and len(ratings) > 1:
            output.say("The rules rate all options alike.")
        elif ratings:
            rows = rows_of(decision, names, self._alike)
            for row in sorted(rows, key=lambda row: -ratings[row.index])[:MOST_HINTS]:
                output.say(f"{self._called(decision, names, row.index)}: worth {_worth(ratings[row.index])}")
        elif usual is not None:
            output.say(f"usual: {self._called(decision, names, usual)}")
        else:
            output.say("The rules do not say what is better.")
        if isinstance(best, int):
            output.say(f"The computer would take {self._called(decision, names, best).strip()}.")
        return False

    def _advice(self, decision: Decision) -> Any:
        """What the computer player would answer."""
        return self.adviser.decide(decision, self.battle)

    def _why(self, word: str, decision: Decision) -> bool:
        rolls = self._last_rolls(decision.side)
        if not rolls:
            output.say("Nothing has been rolled since.")
        for roll in rolls:
            output.say(story.roll_text([roll], self.battle))
            for depth, number in story.computations(roll.get("why", ())):
                output.say("  " * (depth + 1) + story.computation_text(number, self.battle), style="dim")
        return False

    def _last_rolls(self, side: Any) -> list[dict[str, Any]]:
        """The last throws in a row, those left out that would tell the side what it may not know."""
        unknown = [id for id, knowing in self.battle.hidden.items() if side not in knowing]
        found: list[dict[str, Any]] = []
        for record in reversed(self.battle.log):
            if record["kind"] == "roll" and record.get("dice"):
                text = json.dumps(record, default=str)
                if not any(f'"{id}"' in text for id in unknown):
                    found.append(record)
            elif found and record["kind"] in ("phase", "decision", "turn"):
                break
        return found[::-1]

    def _odds(self, said: str, decision: Decision) -> bool:
        import warhost

        if not self.battle.rules.section("odds"):
            raise UsageError(f"{self.battle.rules.id} asks no questions about odds")
        one, _, rest = said.partition(" against ")
        other, _, what = rest.partition(", ")
        if not one or not other:
            asked = ", ".join(self.battle.rules.section("odds"))
            raise UsageError(f"say `odds UNIT against UNIT`, or `.. against UNIT, QUESTION` (questions: {asked})")
        units = (self._unit(one), self._unit(other))
        if units[0] is units[1]:
            raise UsageError(f"{units[0].name} against whom? both are the same unit")
        specs = [f"{unit.profile}:{_strength(unit)}" for unit in units]
        now = self._state_that_counts(what.strip())
        sides = zip(("attacker", "defender"), units, strict=True)
        given = [f"{side}.{name} = {_as_rules(getattr(u, attribute(name)))}" for side, u in sides for name in now]
        answer = warhost.odds(self.battle.rules, *specs, what=what.strip() or None, given=given, trials=GAMES)
        counts = story.listed([story.words(name) for name in now])
        fixed = [f"{name} {_as_rules(value)}" for name, value in answer.told_settings.items()]
        asked = ", ".join([answer.what, "one round", *map(story.words, fixed)])
        output.say(f"{asked}, both as many as they are now{f', with their {counts}' if now else ''}:")
        output.say("(what else has happened to them does not count)", style="dim")
        both = ((units[0], "attacker", answer.attacker), (units[1], "defender", answer.defender))
        for unit, side, contender in both:
            kind = f" ({contender.name})" if contender.name != unit.name else ""
            output.say(f"  {unit.name}{kind} x{contender.count}: loses {answer.means[side]:.1f} on average")
        for word, share in sorted(answer.outcome.items(), key=lambda row: -row[1]):
            output.say(f"  {story.words(word)}: {100 * share:.0f} %")
        return False

    def _state_that_counts(self, what: str) -> Sequence[str]:
        """The state of units that a question, the first without one, takes from those on the table."""
        questions = self.battle.rules.section("odds")
        found = questions.get(what.partition(":")[0].strip().lower()) if what else next(iter(questions.values()))
        return found.now if found is not None else ()

    def _unit(self, name: str) -> Any:
        """A unit on the table by its name, or the beginning of it."""
        units = [u for side in self.battle.sides for u in side.units]
        low = name.strip().lower()
        exact = [u for u in units if low in (u.name.lower(), u.id.lower())]
        found = exact or [u for u in units if u.name.lower().startswith(low)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f'"{name.strip()}" may be {", ".join(u.name for u in found[:6])}')
        guess = nearest(name.strip(), [u.name for u in units])
        hint = f'did you mean "{guess}"?' if guess else "`units` lists them"
        raise UsageError(f'there is no unit "{name.strip()}"; {hint}')

    def _names(self, side: Any) -> dict[str, str]:
        """The units' names by their ids, of those that a side knows; none for names that several units bear."""
        units = [unit for one in self.battle.sides for unit in one.units]
        often = Counter(unit.name for unit in units)
        return {u.id: u.name for u in units if often[u.name] == 1 and self.battle.knows(side, u)}

    def _alike(self, one: Any, other: Any) -> bool:
        """Whether it is all the same which of two things is chosen: nothing is said of them that differs but their ids,
        neither bears anything, the same sides know them, and they have no place on the table.
        """
        if not (isinstance(one, Entity) and isinstance(other, Entity)) or one.effects or other.effects:
            return False
        hidden = self.battle.hidden
        if _said_of(one) != _said_of(other) or hidden.get(one.id) != hidden.get(other.id):
            return False
        drawn = {key: value for key, value in (story.picture_of(self.battle) or {}).items() if key != "beside"}
        places = json.dumps(drawn, default=str)
        return not any(f'"{thing.id}"' in places for thing in (one, other))

    def _called(self, decision: Decision, names: Mapping[str, str], i: int) -> str:
        """An option with its number, as the list of options has it."""
        if are_numbers(decision):
            return f"     {labels_of(decision, names)[i]}"
        rows = enumerate(rows_of(decision, names, self._alike), start=1)
        return next(f"{n:>3}  {row.label}" for n, row in rows if i in row.all)

    def _picture(self, side: Any) -> Mapping[str, Any] | None:
        picture = story.picture_of(self.battle)
        return seen_picture(self.battle, picture, side) if picture is not None else None

    def _shown_picture(self, side: Any) -> Mapping[str, Any] | None:
        """The table for one side to look at; alone, where others may see less of it."""
        picture = self._picture(side)
        drawn = [{k: v for k, v in (self._picture(one) or {}).items() if k != "beside"} for one in self.seats.persons]
        if any(one != drawn[0] for one in drawn):
            self._leave_alone(side)
        return picture

    def _map(self, word: str, decision: Decision) -> bool:
        picture = self._shown_picture(decision.side)
        if picture is None:
            raise UsageError("this battle has no table to draw")
        for line in text_map(picture, self.battle.sides, most=max(WIDTH, output.console().width - 2)):
            output.say(line)
        self._say_state()
        return False

    def _units(self, word: str, decision: Decision) -> bool:
        picture = self._shown_picture(decision.side)
        drawn = picture.get("units") if picture is not None else None
        marks = {u["id"]: u.get("marks", ()) for u in drawn or ()}
        made = output.table("side", "unit", "strength", "of", "state", right=("strength", "of"))
        rows = []
        for count in story.count(self.battle, picture):
            side = next((s.name for s in self.battle.sides if s.id == count.side), "")
            known = marks[count.id] if count.id in marks else self._off_the_table(count.id, drawn is not None)
            state = ", ".join(map(str, known))
            rows.append([side, count.name, count.strength, count.start, state])
        output.show_table(made, sorted(rows, key=lambda row: str(row[0])))
        self._say_state()
        return False

    def _off_the_table(self, id: str, is_drawn: bool) -> Sequence[str]:
        """The state of a unit that is not drawn: in a game without a table what the ruleset says of it."""
        return ("not on the table",) if is_drawn else marks_said(self.battle, self.battle.by_id[id]) or ()

    def _say_state(self) -> None:
        """What the ruleset has shown of the battle as a whole."""
        if state := state_of(self.battle):
            output.say(state)

    def _hand(self, word: str, decision: Decision) -> bool:
        if self.battle.hidden:
            self._leave_alone(decision.side)
        picture = self._picture(decision.side)
        rows = picture.get("beside", ()) if picture is not None else ()
        if not rows:
            raise UsageError("nothing lies beside the table in this battle")
        for row in rows:
            output.say(story.told_beside(row, self.battle))
        return False

    def _explain(self, word: str, decision: Decision) -> bool:
        from warhost_explain.explaining import in_short, matches, near, shown

        rules, word = self.battle.rules, word.strip("\"'")  # in rules a name of several words has quotes
        if not word:
            raise UsageError("say `explain NAME`: of a card, a unit, a trait, a weapon")
        found = matches(rules, word) or matches(rules, self._profile_of(word))
        if not found:
            guesses = ", ".join(one.name for one in near(rules, word, 4))
            raise UsageError(f'nothing is called "{word}"{f"; near it are {guesses}" if guesses else ""}')
        for match in found:
            said = in_short(rules, match)
            output.say(f"{said.name} ({said.kind}): {said.reads}")
            if said.kind == "profile":
                output.say("  " + ", ".join(f"{story.words(name)} {shown(of)}" for name, of in said.figures.items()))
                for line in said.parts.get("special rules", ()):
                    output.say(f"  {line}")
        return False

    def _profile_of(self, name: str) -> str:
        """What a unit on the table is, by its profile; "" where no unit is called so."""
        named = (u for side in self.battle.sides for u in side.units if u.name.lower() == name.lower())
        return next((str(unit.profile) for unit in named), "")

    def _log(self, word: str, decision: Decision) -> bool:
        if word and not word.isdecimal():
            raise UsageError("say `log`, or `log 50` for fifty lines")
        if not self._is_for_all(self.battle.log, decision.side):
            self._leave_alone(decision.side)
        wanted = int(word) if word else LINES_OF_LOG
        lines = list(story.tell(view_of(self.battle.log, decision.side), self.battle, rolls=True, tally=self.tally))
        if not lines:
            output.say("Nothing has happened yet.")
        story.print_story(output.console(), lines[-wanted:] if wanted else [])
        return False

    def _all(self, word: str, decision: Decision) -> bool:
        for row in listed(decision, everything=True, names=self._names(decision.side), alike=self._alike):
            output.say(row)
        return False

    def _auto(self, word: str, decision: Decision) -> bool:
        for _ in self._while(word, decision):
            asked = self.battle.decide()
            if asked is None:
                break
            with self.battle.numbers.untraced():
                answer = self._advice(asked)
            self.battle.answer(answer)
        return True

    def _while(self, word: str, decision: Decision) -> Iterator[None]:
        """For as long as the computer is to answer: some decisions, or to the end of the phase, turn or battle."""
        clock, side = self.battle.battle, decision.side
        begun = (clock.turn, clock.phase)
        going: dict[str, Callable[[], bool]] = {
            "phase": lambda: (clock.turn, clock.phase) == begun, "turn": lambda: clock.turn == begun[0],
            "end": lambda: True,
        }  # fmt: skip
        if word and word not in going and not word.isdecimal():
            raise UsageError("say `auto`, `auto 10`, `auto phase`, `auto turn` or `auto end`")
        left = int(word) if word.isdecimal() else 1 if not word else None
        while (waiting := self.battle.decide()) is not None:
            if (left is not None and left <= 0) or (word in going and not going[word]()):
                return
            if left is not None and waiting.side is side:
                left -= 1
            yield

    def _undo(self, word: str, decision: Decision) -> bool:
        if word and not word.isdecimal():
            raise UsageError("say `undo`, or `undo 3` for three answers")
        self.battle.undo(int(word or 1))
        self.tally.forget(len(self.battle.log))
        for side, known in self.told.items():
            self.told[side] = min(known, len(self.battle.log))
        output.say("Taken back.", style="dim")
        return True

    def _save(self, word: str, decision: Decision) -> bool:
        output.say(f"Every decision is kept in {self.seats.path} as it is made.")
        output.say(f"Go on with it: {self.seats.to_go_on()}")
        return False

    def _quit(self, word: str, decision: Decision) -> bool:
        raise Left


def _said_of(thing: Entity) -> dict[str, Any]:
    """Everything that is kept of a thing but its id, things in it by what they are."""
    return {
        key: id(value) if isinstance(value, Entity) else value
        for key, value in vars(thing).items()
        if key not in ("id", "_index")
    }


def _worth(rating: Any) -> str:
    """A rating to the hundredth, `3.88`: it is for the eye."""
    if isinstance(rating, Fraction | float) and rating != int(rating):
        return f"{float(rating):.2f}"
    return story.plain(rating)


def _as_rules(value: Any) -> str:
    """A figure, a word, yes or no as the rules write it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _strength(unit: Any) -> int:
    """How many figures a unit has now."""
    return max(1, int(getattr(unit, "figures", getattr(unit, "models", unit.size))))
