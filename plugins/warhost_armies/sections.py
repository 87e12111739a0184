"""The rules and fields that a manifest names (`price`, `roster`, `picture`), looked up in the program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from warhost.errors import Problem, did_you_mean
from warhost.lang import ir
from warhost.lang.program import Program
from warhost.lang.types import Type
from warhost.packs.yaml_source import Map, Seq, problem_at

#: What units are called.
UNIT = "unit"

#: What the fields of `price` must be.
_PRICE_FIELDS = {"printed": ("number", "fraction"), "note": ("text",), "skip": ("yes_no",)}


def read_price(manifests: Sequence[Map], program: Program | None) -> tuple[None, list[Problem]]:
    """`price`: the ruleset's formula, and the fields with which it is compared."""
    return None, _problems("price", _Checking.price, manifests, program)


def read_roster(manifests: Sequence[Map], program: Program | None) -> tuple[None, list[Problem]]:
    """`roster`: what stands on rosters, and what does not."""
    return None, _problems("roster", _Checking.roster, manifests, program)


def read_picture(manifests: Sequence[Map], program: Program | None) -> tuple[None, list[Problem]]:
    """`picture`: what marks units on pictures of the table."""
    return None, _problems("picture", _Checking.picture, manifests, program)


def _problems(
    key: str, check: Callable[[_Checking, Map], None], manifests: Sequence[Map], program: Program | None
) -> list[Problem]:
    given = manifests[-1].get(key)
    if program is None or not isinstance(given, Map):  # without a program nothing can be said of its names
        return []
    checking = _Checking(program)
    check(checking, given)
    return checking.problems


class _Checking:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.problems: list[Problem] = []

    def price(self, given: Map) -> None:
        self._rule(given, "number", "price", "number", UNIT, "a number", lambda t: t.numeric and not t.optional)
        fields = {f.name: f.type for f in self.program.nouns[UNIT].fields.values() if f.profile}
        for key, kinds in _PRICE_FIELDS.items():
            name = given.get(key)
            if not isinstance(name, str):
                continue
            if name not in fields:
                hint = did_you_mean(name, fields) or f"declare it in `profile of {UNIT}`"
                self._wrong(given, key, "unknown-field", f"`price` has {key}: {name}, which no profile has", hint)
            elif fields[name].kind not in kinds:
                message = f"`price` has {key}: {name}, a {fields[name]}; it must be a {' or a '.join(kinds)}"
                self._wrong(given, key, "wrong-field", message)

    def roster(self, given: Map) -> None:
        parts = given.get("parts")
        for noun in parts if isinstance(parts, Map) else ():
            assert isinstance(parts, Map)
            if noun in self.program.nouns:
                self._rule(parts, str(noun), "roster", "value", str(noun), "a text", _is_text)
            else:
                hint = did_you_mean(str(noun), self.program.nouns)
                message = f'`roster` tells of parts "{noun}", which no noun is called'
                self.problems.append(problem_at(parts.key_pos(noun), "unknown-noun", message, hint))
        lists = given.get("lists")
        for heading in lists if isinstance(lists, Map) else ():
            assert isinstance(lists, Map)
            self._rule(lists, str(heading), "roster", "value", UNIT, "a list of definitions", _is_definitions)
        fields = [f for f in self.program.nouns[UNIT].fields.values() if f.profile]
        yes_no = [f.name for f in fields if f.type.kind == "yes_no"]
        of_yes_no = "is no field of profiles that says yes or no"
        declare = f"declare it in `profile of {UNIT}`"
        self._named(given, "untold", sorted(set(self._told())), 'leaves "{}" untold', "is neither a field nor a flag")
        self._named(given, "always", [f.name for f in fields], 'always tells "{}"', "is no field of profiles", declare)
        self._named(given, "marked", yes_no, 'marks "{}"', of_yes_no, declare)
        self._named(given, "in_lists", yes_no, 'tells "{}" in lists', of_yes_no, declare)

    def _named(
        self, given: Map, key: str, known: Sequence[str], does: str, odd: str, hint: str = "take it away"
    ) -> None:
        """That each name which `roster` lists under a key, or has for keys there, is known. does: what it does with a
        name; odd: what one that is not known is; hint: where none is like it.
        """
        listed = given.get(key)
        names = listed.placed() if isinstance(listed, Seq) else ()
        for name, pos in names if not isinstance(listed, Map) else [(one, listed.key_pos(one)) for one in listed]:
            if name not in known:
                message = f"`roster` {does.format(name)}, which {odd}"
                found = did_you_mean(str(name), known) or hint
                self.problems.append(problem_at(pos, "unknown-field", message, found))

    def picture(self, given: Map) -> None:
        self._rule(given, "marks", "picture", "value", UNIT, "a text", _is_text)
        self._rule(given, "battle", "picture", "value", None, "a text", _is_text)
        fields = self.program.nouns[UNIT].fields
        figures = [name for name, field in fields.items() if field.type.numeric and not field.type.optional]
        for key in ("strength", "start", "pips"):
            if given.get(key) not in figures:
                self._rule(given, key, "picture", "number", UNIT, "a number", lambda t: t.numeric, figures)
        aims, units = given.get("aims"), [name for name, field in fields.items() if self._is_unit(field.type)]
        if isinstance(aims, str) and aims not in units:
            hint = did_you_mean(aims, units) or f"declare it in `state of {UNIT}`: `{aims}: unit or none = none`"
            message = f'`picture` names "{aims}", which is no unit in the state of units'
            self._wrong(given, "aims", "unknown-field", message, hint)

    def _is_unit(self, of: Type) -> bool:
        return of.kind == "noun" and self._is_a(of.name, UNIT)

    def _told(self) -> Iterable[str]:
        """Everything that a roster could tell of: fields of units and their parts, fields and flags of definitions."""
        for noun in self.program.nouns.values():
            yield from noun.fields
        for kind in self.program.kinds.values():
            yield from (f.name for f in kind.fields)
            yield from kind.flags
        for definition in self.program.definitions.values():
            yield from definition.flags

    def _rule(
        self, given: Map, key: str, of: str, sort: str, takes: str | None, gives: str, fits: Callable[[Type], bool],
        or_fields: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """That a number or value of the rules is there, takes one such thing (or nothing) and gives what is wanted.
        or_fields: fields that would do, too.
        """
        name = given.get(key)
        if not isinstance(name, str):  # missing, or the schema has said so
            return
        found = self.program.numbers.get(name)
        if found is None or found.sort != sort:
            fitting = [n.name for n in self.program.numbers.values() if n.sort == sort and self._takes(n, takes)]
            hint = f"{name} is a {found.sort}" if found is not None else did_you_mean(name, [*or_fields, *fitting])
            none = f"no {sort} of the rules" + (f" and no such field of a {takes}" if or_fields else "")
            self._wrong(given, key, f"unknown-{sort}", f'`{of}` names "{name}", which is {none}', hint)
        elif not self._takes(found, takes):
            has = ", ".join(f"{p.name}: {p.type}" for p in found.params)
            wanted = f"of one {takes}" if takes is not None else "without parameters"
            self._wrong(given, key, "wrong-parameters", f"`{of}` asks {name} {wanted}; it takes ({has})")
        elif not fits(found.type):
            self._wrong(given, key, "wrong-type", f"`{of}` wants {gives} of {name}, which gives {found.type}")

    def _takes(self, rule: ir.Number, noun: str | None) -> bool:
        """Whether it takes one thing, and that may be one of a noun; nothing at all without a noun."""
        if noun is None or len(rule.params) != 1 or rule.params[0].type.kind != "noun":
            return noun is None and not rule.params
        return self._is_a(rule.params[0].type.name, noun)

    def _is_a(self, name: str, noun: str) -> bool:
        at: str | None = name
        while at is not None and at != noun:
            at = self.program.nouns[at].is_a
        return at == noun

    def _wrong(self, given: Map, key: str, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(given.pos(key), code, message, hint))


def _is_text(of: Type) -> bool:
    return of.kind in ("text", "word") and not of.optional


def _is_definitions(of: Type) -> bool:
    return of.kind == "list" and of.item is not None and of.item.kind == "kind"
