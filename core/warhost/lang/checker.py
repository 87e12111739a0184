"""Checking a merged ruleset as a whole: declarations first, then every block, then what each may do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from warhost.errors import Problem
from warhost.lang import ir, tree
from warhost.lang.block_checker import BlockChecker
from warhost.lang.declarations import Declarations
from warhost.lang.handlers import Handlers
from warhost.lang.kind_blocks import KindBlocks
from warhost.lang.number_lines import NumberLines
from warhost.lang.phases import Phases
from warhost.lang.program import Constraint, NamedChoice, Program, Table
from warhost.lang.roll_blocks import RollBlocks
from warhost.lang.scope import Scope
from warhost.lang.symbols import ARMY, UNIT, PlacedBlock, Symbols
from warhost.lang.types import ANY, TEXT, Type, noun_type
from warhost.vocabulary import Vocabulary

#: What can be judged of a definition as it is written.
_OF_A_DEFINITION = (
    tree.Logic, tree.Unary, tree.Compare, tree.Is, tree.Attribute, tree.Name, tree.Num, tree.YesNo, tree.Text,
)  # fmt: skip

#: And of a profile, which may list records: `any unit.parts where (it.size == 0)`.
_OF_A_PROFILE = (*_OF_A_DEFINITION, tree.Quantified, tree.Phrase, tree.Word)


def records_named(parts: Iterable[tree.Node]) -> set[str]:
    """The names by which conditions speak of the records of a list."""
    phrases = [node for part in parts for node in tree.walk(part) if isinstance(node, tree.Phrase)]
    return {"it", *(one.alias for one in phrases if one.alias is not None)}


class Checker(BlockChecker):
    """Lowers the merged blocks, each sort by a part of its own.

    data_in_order: what profiles, lists and scenarios say has been held against these very declarations before.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__(vocabulary)
        self.data_in_order = False
        self._declarations = Declarations(self)
        self._lines = NumberLines(self)
        self._phases = Phases(self)
        handlers = Handlers(self, self._lines)
        self._lowers: dict[type, Callable[[Any], None]] = {
            tree.NounBlock: self._noun_block,
            tree.NumberBlock: self._lines.number_block,
            tree.FlagBlock: self._lines.flag_block,
            tree.ValueBlock: self._lines.value_block,
            tree.RollBlock: RollBlocks(self).roll_block,
            tree.EventBlock: self.event_block,
            tree.TableBlock: self._table_block,
            tree.ChoiceBlock: self._choice_block,
            tree.ConstraintBlock: self._constraint_block,
            tree.HandlerBlock: handlers.handler_block,
            tree.ReactionBlock: handlers.reaction_block,
            tree.KindBlock: KindBlocks(self, self._lines, handlers).kind_block,
        }

    # -- the whole -----------------------------------------------------------------------------------

    def check(
        self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]]
    ) -> Program:
        """Everything: the program, as far as it could be made; what is wrong is among the problems."""
        self._begin(placed, tables)
        self._lower_all([p.block for p in self.placed])
        return self.program()

    def check_some(
        self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]],
        some: Sequence[tree.AnyBlock], types: Mapping[str, Type],
    ) -> None:  # fmt: skip
        """Some of the blocks, with all of them declared. types: those of other numbers and procedures."""
        self._begin(placed, tables)
        self.types.update(types)
        self._lower_all(some)
        for key in list(self.pending):
            self.procedure(key)

    def problems(self) -> list[Problem]:
        """What is wrong, each thing once, by file and line."""
        found = dict.fromkeys(problem for notes in self.each_notes() for problem in notes.problems)
        return sorted(found, key=lambda p: (p.file, p.line, p.column))

    def found_types(self) -> Mapping[str, Type]:
        """The types of numbers, procedures and choices that were found in their bodies."""
        return self.types

    def _begin(self, placed: Sequence[PlacedBlock], tables: Callable[[Symbols], Mapping[str, Table]]) -> None:
        self.placed = list(placed)
        self.blocks_by_class.clear()
        for p in self.placed:
            self.order_of[id(p.block)] = p.order
        self._declarations.declare()
        self.symbols.data_tables = dict(tables(self.symbols))
        self._declarations.fields()
        for table in self.symbols.data_tables.values():
            self.out.tables[table.name] = table

    # -- blocks --------------------------------------------------------------------------------------

    def lower_block(self, b: tree.AnyBlock) -> None:
        """Check one block and lower it into the program that is being made; a block that says nothing by itself is
        skipped.
        """
        if isinstance(b, tree.ProcedureBlock):
            self.procedure(b.name)
            return
        with self.noting(b):
            lowers = self._lowers.get(type(b))
            if lowers is not None:
                lowers(b)

    def _lower_all(self, blocks: Iterable[tree.AnyBlock]) -> None:
        """Lower blocks; before them all nouns, of which each says what is one."""
        for block in (*self.blocks_of(tree.NounBlock), *(b for b in blocks if not isinstance(b, tree.NounBlock))):
            self._lower_once(block)

    def _lower_once(self, b: tree.AnyBlock) -> None:
        """Lower a block, unless a line that changes it came first and had it lowered: no line is there twice."""
        if not (isinstance(b, tree.NumberBlock | tree.FlagBlock | tree.ValueBlock) and b.name in self.out.numbers):
            self.lower_block(b)

    def add_dynamic_template(self, line: tree.Modifier | tree.Permission, scope: Scope) -> ir.Statement:
        return self._lines.add_dynamic_template(line, scope)

    def _noun_block(self, b: tree.NounBlock) -> None:
        if b.where is not None and b.name in self.symbols.nouns:
            scope = Scope(f"noun {b.name}", {"it": noun_type(self.symbols.root(b.name))})
            scope.anchor = ir.Local("it", type=scope.names["it"])
            value = self.condition(b.where, scope)
            self.symbols.nouns[b.name].where = self.function(f"noun {b.name}", ["it"], scope, value)

    def _table_block(self, b: tree.TableBlock) -> None:
        scope = self.pure_scope(f"table {b.name}", b)
        names = [p.name for p in b.by]
        type_ = self.number_type(b.name)
        if b.type is None:
            self.notes.types_found.add(b.name)
        table = Table(b.name, self.symbols.params(b.by), type_, ref=b.ref)
        subject = ir.Local(names[0], type=scope.names[names[0]])
        for c in b.cases:
            test = self._case_test(c, subject, scope.inner())
            when = self.function(f"{b.name} case", names, scope, test) if test is not None else None
            if c.value is None:
                self.symbols.report(c.pos, "no-value", "a case of a table gives a value")
                continue
            wanted = type_ if type_.kind != "none" else ANY
            value = self.lower(c.value, scope, wanted)
            table.cases.append((when, self.function(f"{b.name} value", names, scope, value)))
        self.out.tables[b.name] = table

    def _choice_block(self, b: tree.ChoiceBlock) -> None:
        scope = self.pure_scope(f"choice {b.name}", b)
        items, _, inner = self.phrase(b.options, scope)
        self.answers(b, ir.Choose(b.name, b.name, ir.Const(None)), inner, items.type.item or ANY)
        self.notes.types_found.add(f"choice {b.name}")
        params = self.symbols.params(b.params)
        function = self.function(f"choice {b.name}", [p.name for p in params], scope, items)
        known = self.out.choices.get(b.name)
        self.out.choices[b.name] = NamedChoice(b.name, params, function, known.narrowings if known else [])

    def _constraint_block(self, b: tree.ConstraintBlock) -> None:
        params = self.symbols.params(b.params)
        of_kind = len(params) == 1 and params[0].type.kind == "kind" and params[0].type.name in self.symbols.kinds
        of_profile = len(params) == 1 and params[0].type == UNIT
        if not (of_kind or of_profile) and (len(params) != 1 or params[0].type != ARMY):
            self.symbols.report(
                b.pos, "wrong-type", "a constraint takes one parameter: an army, a unit or a kind of definition",
                f"write `constraint {b.name}(army)`, `(unit)` or `({next(iter(self.symbols.kinds))})`"
            )  # fmt: skip
            return
        scope = self.scope_of(f"constraint {b.name}", params, pure=True)
        names = [params[0].name]
        when = self.function(f"{b.name} when", names, scope, self.condition(b.when, scope)) if b.when else None
        require = self.function(f"{b.name} require", names, scope, self.condition(b.require, scope))
        message = self.function(f"{b.name} message", names, scope, self.lower_as(b.otherwise, scope, TEXT))
        if of_kind or of_profile:
            self._held_without_a_battle(b, names[0], f"profile of a {names[0]}" if of_profile else names[0])
            return
        self.out.constraints.append(Constraint(b.name, require, message, when, b.ref, b.pos))

    def _held_without_a_battle(self, b: tree.ConstraintBlock, name: str, what: str) -> None:
        """What is asked of definitions and profiles is judged as they are written: it speaks of their fields and words
        alone, and of those of a profile's records. what: of which it is asked.
        """
        parts = list(filter(None, (b.when, b.require)))
        of_profile = what != name
        known = {name} | (records_named(parts) if of_profile else set())
        judged = _OF_A_PROFILE if of_profile else _OF_A_DEFINITION
        for node in (node for part in parts for node in tree.walk(part)):
            if not (isinstance(node, judged) and self._is_written(node, name if of_profile else "", known)):
                message = f"what is asked of every {what} is seen without a battle"
                hint = f"speak of what stands in its block: `{name}.FIELD`, compared with numbers and words"
                if of_profile:
                    hint = f"speak of what the profile says: `{name}.FIELD`, or `any {name}.LIST where (it.FIELD == 0)`"
                self.symbols.report(node.pos if node.pos.line else b.pos, "not-here", message, hint)
                return

    def _is_written(self, node: tree.Node, profile: str, known: set[str]) -> bool:
        """Whether a part of a condition stands as it is in what is judged. profile: the name of a profile, if it is
        one; known: the names of which fields are asked for.
        """
        if isinstance(node, tree.Quantified):
            return node.kind in ("any", "number")
        if not isinstance(node, tree.Attribute):
            return True
        of = node.of.name if isinstance(node.of, tree.Name) else ""
        info = self.symbols.fields_of("unit").get(node.name) if of and of == profile else None
        return of in known and (of != profile or node.name == "name" or (info is not None and info.profile))

    # -- putting it together -------------------------------------------------------------------------

    def program(self) -> Program:
        """What has been lowered, with the set-up and the turn, as a program."""
        setup, _ = self._phases.turn("setup")
        turn, turn_order = self._phases.turn("turn")
        out = self.out
        for key in list(self.pending):
            self.procedure(key)
        for d in out.definitions.values():
            if d.kind == "rule":
                for t in d.templates:
                    out.numbers[t.number].templates.append(t)
        for h in out.handlers:
            if h.hook != "at":
                out.events[h.event].handlers.append(h)
        s = self.symbols
        return Program(
            s.nouns, s.words, s.kinds, dict(s.functions), out.numbers, out.rolls, out.procedures, out.events,
            out.tables, out.choices, out.definitions, self.out.constraints, out.templates,
            [h for h in out.handlers if h.hook == "at"], setup, turn, turn_order, out.rights,
            phases_gone=frozenset(name for b in self.blocks_of(tree.TurnBlock) for name in b.gone),
            asked=s.asked_by_plugins,
        )
