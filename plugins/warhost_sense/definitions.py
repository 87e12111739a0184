"""Definitions of a kind and profiles that are not as a constraint asks: `constraint it_reaches(spell: spell)`."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from warhost.lang import ir
from warhost.lang import tree as t
from warhost.lang.checker import Checker
from warhost.lang.program import RuleData
from warhost.lang.symbols import UNIT, Symbols
from warhost.packs.yaml_source import Map, Seq, maps
from warhost.vocabulary import Kind
from warhost_sense.blocks import constant

#: What an expression comes to; None: it depends on what cannot be seen.
Value = Fraction | int | bool | str | None


def look(checker: Checker, data: RuleData) -> None:
    """Report each definition and profile that does not meet what a constraint asks of its kind, or of a unit."""
    symbols = checker.symbols
    asked = [b for b in checker.blocks_of(t.ConstraintBlock) if len(b.params) == 1]
    for block in asked:
        param = symbols.param_type(block.params[0])
        kind = symbols.kinds.get(param.name) if param.kind == "kind" else None
        if param == UNIT:
            _of_profiles(block, checker, data)
        for definition in checker.blocks_of(t.KindBlock) if kind is not None else ():
            if definition.kind == param.name and kind is not None:
                one = _Definition(definition, kind, block.params[0].name)
                if not one.meets(block):
                    symbols.report(
                        one.place([block.require]), "not-as-asked",
                        f'{kind.name} "{definition.title.text}": {one.said(block.otherwise)}',
                        f"constraint {block.name} asks it of every {kind.name}: {block.pos.file}:{block.pos.line}",
                    )  # fmt: skip


def _of_profiles(block: t.ConstraintBlock, checker: Checker, data: RuleData) -> None:
    """Each profile, and each row and option of a list that sets fields of one. What heirs take over is told once."""
    told: set[t.Pos] = set()
    param, known = block.params[0].name, _Declared(checker.symbols)
    for what, name, fields, pos in _as_written(data):
        one = _Profile(fields, name, param, pos, known)
        if one.meets(block) or (place := one.place([block.require])) in told:
            continue
        told.add(place)
        checker.symbols.report(
            place, "not-as-asked", f"{what}: {one.said(block.otherwise)}",
            f"constraint {block.name} asks it of every profile: {block.pos.file}:{block.pos.line}",
        )  # fmt: skip


def _as_written(data: RuleData) -> Iterable[tuple[str, str, Map, t.Pos]]:
    """The fields of each profile, and those that lists set over them: each with what it is called in messages, the name
    of the profile, and the place.
    """
    for id_, profile in data.profiles.items():
        yield f'profile "{id_}"', profile.name, profile.fields, profile.pos
    for element in (*data.lists.values(), *data.abstract_lists.values()):
        for row in maps(element.data.get("units")):
            profile = data.profiles.get(str(row.get("profile")))
            for said in (row, *maps(row.get("options"))):
                fields = said.get("fields")
                if profile is not None and isinstance(fields, Map):
                    whole = Map(fields.file, fields.line, fields.column)
                    whole.take(profile.fields, profile.fields)
                    whole.take(fields, fields)
                    yield f'"{profile.id}" of army list "{element.id}"', profile.name, whole, fields.here


class _AsWritten:
    """Something that is judged as it is written. name: by which a constraint speaks of it."""

    def __init__(self, name: str, title: str) -> None:
        self.name, self.title = name, title

    def meets(self, block: t.ConstraintBlock) -> bool:
        """Whether it is as a constraint asks, as far as that can be seen."""
        return (block.when is not None and self.value(block.when) is not True) or (
            self.value(block.require) is not False
        )

    def value(self, e: t.Expr) -> Value:
        """What an expression comes to."""
        match e:
            case t.Logic():
                found = [self.value(one) for one in e.operands]
                decides = e.op == "or"
                return decides if decides in found else None if None in found else not decides
            case t.Unary(op="not"):
                inner = self.value(e.operand)
                return None if inner is None else not inner
            case t.Compare():
                return _compared(e.op, self.value(e.left), self.value(e.right))
            case t.Is():
                same = _compared("==", self.value(e.subject), self.value(e.object))
                return None if same is None else same != e.negated
            case t.Attribute():
                return self._field(e)
            case t.Quantified():
                return self._counted(e)
            case t.YesNo():
                return e.value
            case t.Name():
                return e.name
            case t.Text():
                return e.plain
        return constant(e)

    def _field(self, e: t.Attribute) -> Value:
        """What it says itself, or how such a field begins."""
        raise NotImplementedError

    def _counted(self, e: t.Quantified) -> Value:
        """How many, or whether any, of what is listed: seen of a profile alone."""
        return None

    def said(self, text: t.Expr) -> str:
        """The sentence of a constraint, with the definition by its title."""
        parts = text.parts if isinstance(text, t.Text) else ()
        return "".join(one if isinstance(one, str) else str(self._shown(one)) for one in parts)

    def _shown(self, e: t.Expr) -> Value:
        return self.title if isinstance(e, t.Name) and e.name == self.name else self.value(e)


class _Definition(_AsWritten):
    """A definition of a kind."""

    def __init__(self, block: t.KindBlock, kind: Kind, name: str) -> None:
        super().__init__(name, block.title.text)
        self.block = block
        self.items = {i.name: i for i in block.items if isinstance(i, t.KindField | t.KindFlag)}
        self.kind = kind

    def _field(self, e: t.Attribute) -> Value:
        item = self.items.get(e.name)
        if e.name == "name":
            return self.title
        if item is not None:
            return True if isinstance(item, t.KindFlag) else _plain(item.value)
        if e.name in self.kind.flags:
            return False
        return next((one.default for one in self.kind.fields if one.name == e.name), None)

    def place(self, parts: Iterable[t.Expr]) -> t.Pos:
        """The last line of the definition of which some expressions speak; its first line where it has none."""
        spoken = {node.name for part in parts for node in t.walk(part) if isinstance(node, t.Attribute)}
        found = [item.pos for key, item in self.items.items() if key in spoken and item.pos.line]
        return max(found, key=lambda pos: (pos.line, pos.column), default=self.block.pos)


class _Profile(_AsWritten):
    """A profile with what it takes over, or what a row of a list makes of it."""

    def __init__(self, written: Map, title: str, name: str, pos: t.Pos, known: _Declared) -> None:
        super().__init__(name, title)
        self.written, self.pos, self.known = written, pos, known
        #: The records of which `any` and `number of` have spoken, and the one that is spoken of just now, by its name.
        self.counted: list[t.Pos] = []
        self.records: dict[str, tuple[Map, str]] = {}

    def _field(self, e: t.Attribute) -> Value:
        of = e.of.name if isinstance(e.of, t.Name) else ""
        record, noun = self.records.get(of, (self.written, "unit"))
        if e.name == "name":
            return self.title if record is self.written else str(record.get("name", ""))
        said: Any = record.get(e.name, self.known.start(noun, e.name))
        if isinstance(said, Fraction | int) or (isinstance(said, str) and said not in ("yes", "no")):
            return said
        return said == "yes" if isinstance(said, str) else None

    def _counted(self, e: t.Quantified) -> Value:
        listed = e.over.inside if e.over.inside is not None else e.over.source
        noun = self.known.records.get(listed.name) if isinstance(listed, t.Attribute) else None
        if noun is None or e.over.within is not None or not isinstance(listed, t.Attribute):
            return None
        count = 0
        given = self.written.get(listed.name)
        for record, pos in given.placed() if isinstance(given, Seq) else ():
            if not isinstance(record, Map):
                return None
            self.records |= dict.fromkeys(("it", e.over.alias or "it"), (record, noun))
            found = [self.value(condition) for condition in e.over.where]
            if None in found and False not in found:
                return None
            if False not in found:
                count += 1
                self.counted.append(pos)
        self.records = {}
        return count > 0 if e.kind == "any" else count

    def place(self, parts: Iterable[t.Expr]) -> t.Pos:
        """The first record that was counted, else a field of which some expressions speak, else the profile."""
        if self.counted:
            return self.counted[0]
        spoken = {node.name for part in parts for node in t.walk(part) if isinstance(node, t.Attribute)}
        return next((self.written.pos(key) for key in self.written if key in spoken), self.pos)


class _Declared:
    """What rules say of the fields of profiles. records: the nouns of the records that fields of a unit list."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.starts: dict[tuple[str, str], Any] = {}
        fields = symbols.fields_of("unit").values()
        self.records = {one.name: one.type.item.name for one in fields if one.profile and one.type.item is not None}

    def start(self, noun: str, name: str) -> Any:
        """With what a field begins that a profile or record does not give; None where that cannot be seen."""
        if (noun, name) not in self.starts:
            info = self.symbols.fields_of(noun).get(name)
            value: Any = info.default.value if info is not None and info.profile and info.default is not None else None
            self.starts[noun, name] = value.value if isinstance(value, ir.Const) else None
        return self.starts[noun, name]


def _plain(value: t.Expr) -> Value:
    if isinstance(value, t.Name):
        return value.name
    if isinstance(value, t.YesNo):
        return value.value
    return value.plain if isinstance(value, t.Text) else constant(value)


def _compared(op: str, left: Value, right: Value) -> bool | None:
    if left is None or right is None:
        return None
    if isinstance(left, str) or isinstance(right, str):
        return {"==": left == right, "!=": left != right}.get(op)
    return {
        "==": left == right, "!=": left != right, "<": left < right, "<=": left <= right, ">": left > right,
        ">=": left >= right,
    }[op]  # fmt: skip
