"""Checking statements and lowering them to the intermediate form."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from warhost.errors import is_a_slip, is_misspelt, nearest
from warhost.lang import ir, tree
from warhost.lang.expressions import ExpressionChecker, article, path_of, plain_number, untyped_hint, why_none
from warhost.lang.scope import Scope
from warhost.lang.symbols import CORE_NOUNS, DEFINITION, EFFECT, SIDE, THING
from warhost.lang.types import ANY, FRACTION, NUMBER, TEXT, YES_NO, Type, list_of

Body = list[ir.Statement]

#: What a sign does to a list, as the function of the language that does the same.
_CHANGES = {"+=": "joined", "-=": "without"}


class StatementChecker(ExpressionChecker):
    """Lowers statements. Names assigned in a branch are known after it when every branch agrees on the type."""

    def add_dynamic_template(self, line: tree.Modifier | tree.Permission, scope: Scope) -> ir.Statement:
        raise NotImplementedError

    def event_params(self, name: str) -> list[tuple[str, Type]] | None:
        raise NotImplementedError

    def choice_of(self, call: tree.Call, scope: Scope) -> tuple[tree.ChoiceBlock, list[ir.Expr]] | None:
        raise NotImplementedError

    def all_conditions(self, conditions: Iterable[tree.Expr | None], scope: Scope) -> ir.Expr | None:
        """What must hold, None for nothing; each condition knows what those before it have made certain."""
        lowered = []
        for condition in conditions:
            if condition is not None:
                lowered.append(self.condition(condition, scope))
                self.learn(condition, scope, True)
        return ir.all_of(lowered)

    # -- bodies --------------------------------------------------------------------------------

    def body(self, statements: Sequence[tree.Statement], scope: Scope) -> Body:
        """Lower statements one after the other; what one gives a name is known to those behind it."""
        result: Body = []
        for s in statements:
            lowered = self.statement(s, scope)
            for one in lowered:
                one.pos = s.pos
            result.extend(lowered)
        return result

    def statement(self, s: tree.Statement, scope: Scope) -> Body:
        """Lower one statement, which may become several, or none."""
        if scope.pure:
            self.impure(s.pos, scope, "this is a step")
        method = getattr(self, "_do_" + type(s).__name__.lower())
        found = method(s, scope)
        return found if isinstance(found, list) else [found]

    def _join(self, scope: Scope, branches: list[tuple[Body, Scope]]) -> None:
        """After branches: names that every branch which goes on has, with one type, are known from here on."""
        going_on = [inner for body, inner in branches if not _ends(body)]
        scope.half.update(name for inner in going_on for name in inner.names if name not in scope.names)
        if not going_on:
            return
        for name in going_on[0].names:
            types = [inner.names.get(name) for inner in going_on]
            known = [t for t in types if t is not None]
            if len(known) == len(types):
                self._settle(scope, name, known, going_on)
        self._keep_paths(scope, going_on)

    def _settle(self, scope: Scope, name: str, types: list[Type], going_on: list[Scope]) -> None:
        """The type of a name after branches; certain when it is so in every one."""
        scope.names[name] = self._common(types[0], types)
        certain = [inner.narrowed.get(name, t) for inner, t in zip(going_on, types, strict=True)]
        scope.narrowed.pop(name, None)
        if scope.names[name].optional and all(t == certain[0] and not t.optional for t in certain):
            scope.narrowed[name] = certain[0]

    @staticmethod
    def _keep_paths(scope: Scope, going_on: list[Scope]) -> None:
        """What is known of fields (`unit.quarry`) after branches: what every one of them knows."""
        for path in [p for p in scope.narrowed if "." in p]:
            del scope.narrowed[path]
        for path, type_ in going_on[0].narrowed.items():
            if "." in path and all(inner.narrowed.get(path) == type_ for inner in going_on):
                scope.narrowed[path] = type_

    def _common(self, first: Type, types: list[Type]) -> Type:
        result = first
        for t in types:
            if self.symbols.assignable(t, result):
                continue
            wider = [x for x in (t, t.or_none, result.or_none) if self._takes(x, t, result)]
            result = wider[0] if wider else ANY
        return result

    def _takes(self, wide: Type, *types: Type) -> bool:
        return all(self.symbols.assignable(t, wide) for t in types)

    # -- assignment ------------------------------------------------------------------------------

    def _do_assign(self, s: tree.Assign, scope: Scope) -> ir.Statement:
        if isinstance(s.target, tree.Name):
            return self._assign_local(s, s.target, scope)
        return self._assign_field(s, s.target, scope)

    def _assign_local(self, s: tree.Assign, target: tree.Name, scope: Scope) -> ir.Statement:
        name = target.name
        known = scope.names.get(name)
        if name in ("this", "bearer", "it", "battle", "scenario", "turn") or name in scope.kind_params:
            self.symbols.report(target.pos, "not-writable", f'"{name}" cannot be given a new value')
        if s.op != "=":
            if known is None:
                self.symbols.unknown(target.pos, "name", name, scope.names)
                known = ANY
            if known.kind == "list":
                here = ir.Local(scope.renamed.get(name, name), type=known)
                changed = self.changed_list(here, _CHANGES[s.op], s.value, scope, f'"{name}"')
                scope.names[name] = changed.type
                return ir.SetLocal(scope.renamed.get(name, name), changed)
            right = self.lower_as(s.value, scope, known, f'what is added to "{name}"')
            here = ir.Local(scope.renamed.get(name, name), type=known)
            value: ir.Expr = ir.Arith(s.op[0], here, right, type=known)
            return ir.SetLocal(scope.renamed.get(name, name), value)
        value = self.lower(s.value, scope, known)
        if known is None:
            scope.bind(name, value.type if value.type.kind != "none" else ANY)
        elif self.symbols.assignable(value.type, known):
            scope.forget(name)
            if known.optional and not value.type.optional and value.type.kind != "none":
                scope.narrowed[name] = value.type
        elif value.type.kind == "none" or self.symbols.assignable(value.type, known.or_none):
            scope.bind(name, known.or_none)
            scope.narrowed.pop(name, None)
        elif {known.kind, value.type.kind} == {"number", "fraction"}:
            scope.names[name] = value.type if value.type.kind == "fraction" else known
        else:
            self.insist(value, known, s.value, f'"{name}"')
        return ir.SetLocal(scope.renamed.get(name, name), value)

    def _assign_field(self, s: tree.Assign, target: tree.Attribute, scope: Scope) -> ir.Statement:
        of = self.lower(target.of, scope)
        wanted = self.writable(of, target, scope)
        if s.op != "=" and wanted.kind == "list":
            here = ir.GetField(self.lower(target.of, scope), target.name, type=wanted)
            scope.forget_fields(target.name)
            changed = self.changed_list(here, _CHANGES[s.op], s.value, scope, f'"{target.name}"')
            return ir.PutField(of, target.name, "=", changed)
        value = self.lower_as(s.value, scope, wanted, f'"{target.name}"')
        if s.op == "=":
            self._within_limits(s, of, value)
        if s.op != "=" and wanted.certain.kind not in ("number", "distance", "any"):
            self.symbols.report(s.pos, "wrong-type", f'{s.op} needs a number, and "{target.name}" is none')
        scope.forget_fields(target.name)
        path = path_of(target)
        if s.op == "=" and path and wanted.optional and not value.type.optional and value.type.kind != "none":
            scope.narrowed[path] = value.type
        return ir.PutField(of, target.name, s.op, value)

    def _within_limits(self, s: tree.Assign, of: ir.Expr, value: ir.Expr) -> None:
        """Report a plain number beyond the limits of the field that is set to it: it would be the limit."""
        info = self.symbols.fields_of(of.type.name).get(s.target.name) if of.type.kind == "noun" else None
        said = plain_number(value)
        if info is None or said is None:
            return
        for limit, way in ((info.at_least, "least"), (info.at_most, "most")):
            if limit is not None and (said < limit if way == "least" else said > limit):
                message = f"{info.name} is at {way} {limit}, so it becomes {limit} here, not {said}"
                where = f"its limits stand in {info.pos.file}:{info.pos.line}" if info.pos.line else None
                self.symbols.report(s.value.pos, "never", message, where)

    def writable(self, of: ir.Expr, target: tree.Attribute, scope: Scope) -> Type:
        """The declared type of a field that may be written; reports when there is none."""
        s = self.symbols
        if of.type.optional:
            s.report(target.pos, "may-be-none", "this may be none", why_none(of, scope))
            return ANY
        if isinstance(of, ir.Local) and of.name == "this" and target.name in scope.this_fields:
            return scope.this_fields[target.name]
        if isinstance(of, ir.Local) and of.name == "this" and is_misspelt(target.name, scope.this_fields):
            s.unknown(target.pos, "field that this keeps", target.name, scope.this_fields)
            return ANY
        if of.type.kind == "any" or of.type.name == "effect":
            return ANY
        info = s.fields_of(of.type.name).get(target.name) if of.type.kind == "noun" else None
        if info is not None and info.writable:
            return info.type
        if info is not None or (of.type.kind == "noun" and s.field_type(of.type.name, target.name)):
            s.report(
                target.pos, "not-writable", f'"{target.name}" cannot be written: it is not declared as state',
                f"declare it in a `state of {of.type.name}` block, or put a modifier in force",
            )
            return ANY
        if hint := untyped_hint(of, scope, s.nouns_with(target.name)):
            s.report(target.pos, "unknown-field", f'a number has no "{target.name}"', hint)
            return ANY
        known = [n for n, f in s.fields_of(of.type.name).items() if f.writable] if of.type.kind == "noun" else []
        declare = f"declare it in a block `state of {of.type.name}`" if of.type.kind == "noun" and not known else None
        s.unknown(target.pos, "state field", target.name, known, declare)
        return ANY

    # -- branches and loops -----------------------------------------------------------------------

    def _do_if(self, s: tree.If, scope: Scope) -> ir.Statement:
        branches: list[tuple[Body, Scope]] = []
        conditions: list[ir.Expr] = []
        rest = scope.inner()
        for b in s.branches:
            conditions.append(self.condition(b.condition, rest))
            inside = rest.inner()
            self.learn(b.condition, inside, True)
            branches.append((self.body(b.body, inside), inside))
            self.learn(b.condition, rest, False)
        otherwise = self.body(s.otherwise, rest)
        branches.append((otherwise, rest))
        self._join(scope, branches)
        result = otherwise
        for condition, (body, _) in zip(reversed(conditions), reversed(branches[:-1]), strict=True):
            node = ir.IfElse(condition, body, result)
            node.pos = s.pos
            result = [node]
        return result[0]

    def loop_name(self, p: tree.Phrase) -> str:
        """The name of the item of a loop: the alias of its phrase, else the singular of its noun."""
        if p.alias:
            return p.alias
        if p.words:
            word = p.words[-1].text
            near = None if word in self.symbols.plurals else nearest(word, self.symbols.plurals)
            misspelt = near is not None and is_a_slip(word, near) and p.inside is None
            return self.symbols.plurals.get(near if misspelt and near else word, word)
        return "it"

    def _do_foreach(self, s: tree.ForEach, scope: Scope) -> ir.Statement:
        name = self.loop_name(s.over)
        items, _, _ = self.phrase(s.over, scope, name)
        item = items.type.item or ANY
        inner = scope.inner()
        inner.bind(name, item)
        inner.bind("it", item, name)
        node = ir.ForEach(name, items, [])
        if s.order is not None and s.order.by is not None:
            node.order_by = self.lower_as(s.order.by, inner, NUMBER, "what the order goes by")
            node.highest_first = s.order.highest_first
        if s.order is not None and s.order.chooser is not None:
            node.chooser = self.chooser(s.order.chooser, scope)
        node.body = self._loop_body(s.body, scope, inner)
        scope.half.update(n for n in inner.names if n not in scope.names and n not in (name, "it"))
        self._after_loop(scope, inner)
        return node

    def _loop_body(self, statements: Sequence[tree.Statement], scope: Scope, inner: Scope) -> Body:
        """A body that runs again: it cannot rely on what its own end undoes."""
        before = len(self.symbols.problems)
        start = inner.inner()
        for s in statements:
            _forget_written(s, inner)
        body = self.body(statements, inner)
        if not self._widened(scope, start, inner):
            return body
        del self.symbols.problems[before:]
        inner.names, inner.narrowed = start.names, start.narrowed
        for s in statements:
            _forget_written(s, inner)
        body = self.body(statements, inner)
        self._widened(scope, inner, inner)
        return body

    def _widened(self, scope: Scope, start: Scope, inner: Scope) -> bool:
        """Names that a round of a loop leaves with a wider type have it from the start."""
        found = False
        for name, type_ in scope.names.items():
            own = inner.renamed.get(name, name) != scope.renamed.get(name, name)
            if own or name not in inner.names or self.symbols.assignable(inner.names[name], type_):
                continue
            scope.bind(name, self._common(type_, [inner.names[name]]), scope.renamed.get(name))
            start.names[name] = scope.names[name]
            start.forget(name)
            found = True
        return found

    def _after_loop(self, scope: Scope, inner: Scope) -> None:
        for path in [p for p in scope.narrowed if p not in inner.narrowed]:
            del scope.narrowed[path]

    def _do_repeat(self, s: tree.Repeat, scope: Scope) -> ir.Statement:
        times = self.lower_as(s.times, scope, NUMBER, "how often")
        inner = scope.inner()
        body = self._loop_body(s.body, scope, inner)
        until = self.condition(s.until, inner) if s.until is not None else None
        scope.half.update(name for name in inner.names if name not in scope.names)
        if isinstance(times, ir.Const) and isinstance(times.value, int) and times.value >= 1:
            for name, type_ in inner.names.items():
                scope.names.setdefault(name, type_)
        self._after_loop(scope, inner)
        return ir.Repeat(times, body, until)

    def _do_according(self, s: tree.According, scope: Scope) -> ir.Statement:
        subject = self.lower(s.subject, scope)
        var = self.fresh("subject")
        local = ir.Local(var, type=subject.type)
        cases: list[ir.Case] = []
        branches: list[tuple[Body, Scope]] = []
        for c in s.cases:
            inner = scope.inner()
            test = self._case_test(c, local, inner)
            body = self.body(c.body, inner)
            branches.append((body, inner))
            cases.append(ir.Case(test, body, c.roll_again, pos=c.pos))
        if not any(c.test is None for c in cases):
            branches.append(([], scope.inner()))
        self._join(scope, branches)
        return ir.According(subject, var, cases)

    def _case_test(self, c: tree.Case, subject: ir.Expr, scope: Scope) -> ir.Expr | None:
        tests: list[ir.Expr] = []
        if c.word is not None:
            tests.append(self._word_case(c.word, subject))
        elif not c.otherwise:
            tests += self._number_case(c, subject, scope)
        if c.when is not None:
            tests.append(self.condition(c.when, scope))
            self.learn(c.when, scope, True)
        return ir.all_of(tests)

    def _word_case(self, word: tree.Word, subject: ir.Expr) -> ir.Expr:
        s = self.symbols
        if word.text in ("yes", "no"):
            return subject if word.text == "yes" else ir.Not(subject)
        if subject.type.kind == "word" and word.text not in s.words[subject.type.name]:
            s.unknown(word.pos, f"word of {subject.type.name}", word.text, s.words[subject.type.name])
        elif subject.type.kind not in ("word", "text", "any"):
            s.report(
                word.pos, "wrong-type", f'this is compared with the word "{word.text}", but it is no word',
                "numbers have cases such as `3`, `1 to 2` or `4 or more`; yes and no have `yes` and `no`",
            )
        return ir.Same(subject, ir.Const(word.text, type=subject.type))

    def _number_case(self, c: tree.Case, subject: ir.Expr, scope: Scope) -> list[ir.Expr]:
        self.insist_number(subject, c, "what has numbers for cases")
        tests: list[ir.Expr] = []
        if c.low is not None and c.low == c.high:
            return [ir.Compare("==", subject, self.lower(c.low, scope, subject.type))]
        if c.low is not None:
            tests.append(ir.Compare(">=", subject, self.lower(c.low, scope, subject.type)))
        if c.high is not None:
            tests.append(ir.Compare("<=", subject, self.lower(c.high, scope, subject.type)))
        return tests

    # -- choices -----------------------------------------------------------------------------------

    def chooser(self, e: tree.Expr, scope: Scope) -> ir.Expr:
        """Who chooses: a side, or anything that has one."""
        who = self.lower(e, scope)
        if who.type.kind == "any" or who.type == SIDE:
            return who
        if who.type.kind == "noun" and not who.type.optional:
            side = self.symbols.field_type(who.type.name, "side")
            if side is not None:
                return ir.GetField(who, "side", type=SIDE)
        self.insist(who, SIDE, e, "who chooses")
        return who

    def _do_choose(self, s: tree.Choose, scope: Scope) -> ir.Statement:
        chooser = self.chooser(s.by, scope)
        with_anchor = scope.inner(names=scope.names, anchor=chooser)
        node = ir.Choose(s.var, s.var, chooser, or_none=s.or_none, secretly=s.secretly)
        if isinstance(s.options, tree.Span):
            node.low = self.lower_as(s.options.low, scope, NUMBER, "the lowest answer")
            node.high = self.lower_as(s.options.high, scope, NUMBER, "the highest answer")
            self._may_be_empty(s, s.options, node, scope)
            item, inner = NUMBER, scope.inner()
            node.item_var = self.fresh("it")
            inner.bind("it", NUMBER, node.item_var)
        else:
            item, inner = self._options(s, s.options, node, with_anchor)
        self.notes.decisions.setdefault(node.decision, [])
        self.answers(s, node, inner, item)
        if s.says is not None:
            node.says = self.words_of_a_choice(s.says, scope)
        if s.up_to is not None:
            node.up_to = self.lower_as(s.up_to, scope, NUMBER, "how many at most")
            scope.bind(s.var, list_of(item))
        else:
            certain = item if isinstance(s.options, tree.Span) and not s.or_none else item.or_none
            scope.bind(s.var, certain)
            scope.chosen |= {s.var}
        return node

    def _may_be_empty(self, s: tree.Choose, span: tree.Span, node: ir.Choose, scope: Scope) -> None:
        """Remember a choice from 1 or more to what is 0 at times, if nothing has been asked about that before."""
        low, high = node.low, node.high
        if s.or_none or high is None or span.high in scope.asked:
            return
        if isinstance(low, ir.Const) and isinstance(low.value, int) and low.value >= 1:
            named = self.may_be_nothing(high)
            if named is not None:
                self.notes.spans.append((s.pos, named, low.value))
            elif isinstance(high, ir.GetField) and high.of.type.kind == "noun":
                info = self.symbols.fields_of(high.of.type.name).get(high.field)
                if info is not None and info.writable and info.at_least is not None and info.at_least < low.value:
                    self.notes.falling_spans.append((s.pos, info.name, low.value))

    def _options(self, s: tree.Choose, p: tree.Phrase, node: ir.Choose, scope: Scope) -> tuple[Type, Scope]:
        if isinstance(p.source, tree.Call):
            named = self.choice_of(p.source, scope)
            if named is not None:
                block, args = named
                return self._named_options(s, block, args, node, scope)
        node.items, node.item_var, inner = self.phrase(p, scope)
        return node.items.type.item or ANY, inner

    def _named_options(
        self, s: tree.Choose, block: tree.ChoiceBlock, args: list[ir.Expr], node: ir.Choose, scope: Scope
    ) -> tuple[Type, Scope]:
        """Options of a `choice` block: asked as a function so that `narrow` can filter them."""
        node.items = ir.CallFunction(f"choice {block.name}", args, type=self.number_type(f"choice {block.name}"))
        node.narrowed = block.name
        node.decision = block.name
        node.or_none = s.or_none or block.or_none
        item = node.items.type.item or ANY
        node.item_var = self.fresh("it")
        inner = scope.inner()
        inner.bind("it", item, node.item_var)
        named = self._names_of_a_choice(block, args, scope)
        if block.says is not None and named is not None:
            node.says = self.words_of_a_choice(block.says, named)
        if named is not None:
            named.bind("it", item, node.item_var)
            self.answers(block, node, named, item)
        elif block.rated is not None or block.usually is not None:
            message = f"{block.name} says what its options are worth, and is given something without a name"
            self.symbols.report(s.pos, "not-here", message, "keep it first, as in `found = ..`, and give it that")
        return item, inner

    def answers(self, s: tree.Choose | tree.ChoiceBlock, node: ir.Choose, inner: Scope, item: Type) -> None:
        """What each option is worth, and which is usual."""
        pure = inner.inner(pure=True, what="the rating of a choice")
        if s.rated is not None:
            node.rated = self.lower(s.rated, pure)
            self.insist_number(node.rated, s.rated, "a rating")
        if s.usually is not None:
            node.usually = self.lower_as(s.usually, pure, item.or_none, "the usual answer")

    def words_of_a_choice(self, said: tree.Text, scope: Scope) -> ir.Expr:
        """What the player is asked; nothing is thrown or changed for it."""
        return self.lower(said, scope.inner(pure=True, what="the words of a choice"))

    def _names_of_a_choice(self, block: tree.ChoiceBlock, args: list[ir.Expr], scope: Scope) -> Scope | None:
        """The names of a `choice` block: its parameters stand for what the procedure that chooses gives; None where
        something else than a name is given for one.
        """
        inner = scope.inner()
        for param, given in zip(self.symbols.params(block.params), args, strict=False):
            if not isinstance(given, ir.Local):
                return None
            inner.bind(param.name, given.type, given.name)
        return inner

    def _do_choosecase(self, s: tree.ChooseCase, scope: Scope) -> ir.Statement:
        chooser = self.chooser(s.by, scope)
        courses: list[ir.Course] = []
        branches: list[tuple[Body, Scope]] = []
        for o in s.options:
            inner = scope.inner()
            when = None
            if o.when is not None:
                when = self.condition(o.when, inner.inner(pure=True, what="the condition of an option"))
                self.learn(o.when, inner, True)
            rated = None
            if o.rated is not None:
                rated = self.lower(o.rated, inner.inner(pure=True, what="the rating of an option"))
                self.insist_number(rated, o.rated, "a rating")
            body = self.body(o.body, inner)
            branches.append((body, inner))
            courses.append(ir.Course(o.label.text, when, rated, body, pos=o.pos))
        self.notes.decisions.setdefault(scope.decision, []).extend(o.label.text for o in s.options)
        self._join(scope, branches)
        says = self.words_of_a_choice(s.says, scope) if s.says is not None else None
        return ir.ChooseCourse(scope.decision, chooser, courses, says)

    # -- events and things in force ------------------------------------------------------------------

    def _do_emit(self, s: tree.Emit, scope: Scope) -> ir.Statement:
        params = self.event_params(s.event)
        if params is None:
            self.symbols.unknown(s.pos, "event", s.event, self.symbols.blocks["event"])
            return ir.Pass()
        args = self.arguments(s.args, [(n, t, False) for n, t in params], s, scope)
        if not s.body:
            return ir.Emit(s.event, args, None)
        inner = scope.inner(event_params=tuple(n for n, _ in params), hook="body")
        for name, type_ in params:
            inner.bind(name, type_)
        body = self.body(s.body, inner)
        self._after_outcome(scope, inner, {n for n, _ in params}, s.body)
        return ir.Emit(s.event, args, body)

    def _after_outcome(
        self, scope: Scope, inner: Scope, own: Collection[str], body: Sequence[tree.Statement]
    ) -> None:
        """After a block that may or may not have run: its parameters are its own, the other names are shared."""
        shared = scope.inner()
        for name, type_ in inner.names.items():
            if name in scope.names and name not in own:
                shared.names[name] = type_
        for s in body:
            _forget_written(s, shared)
        self._join(scope, [([], shared), ([], scope.inner())])

    def _do_together(self, s: tree.Together, scope: Scope) -> ir.Statement:
        return ir.Together(self.body(s.body, scope))

    def _do_travel(self, s: tree.Travel, scope: Scope) -> ir.Statement:
        who = self.lower(s.who, scope)
        path = self.lower(s.path, scope)
        if who.type.optional or path.type.optional:
            hint = why_none(who if who.type.optional else path, scope)
            self.symbols.report(s.pos, "may-be-none", "who travels and the way must not be none", hint)
        elif not self.symbols.assignable(who.type, THING) or not self._may_be_a_way(path.type):
            one, other = path_of(s.who), path_of(s.path)
            exchanged = path.type.kind == "noun" and one and other and self._may_be_a_way(who.type)
            hint = f"write `travel {other} along {one}`" if exchanged else "a way is what functions of the board give"
            message = f"a thing travels along a way, not {article(who.type)} along {article(path.type)}"
            self.symbols.report(s.pos, "wrong-type", message, hint)
        handlers = [self._travel_handler(h, scope) for h in s.handlers]
        return ir.Travel(who, path, handlers)

    def _may_be_a_way(self, type_: Type) -> bool:
        """Whether something may be travelled along. What a way is, the board says: a noun of its own, or a number of
        steps; a thing of the core is none.
        """
        if type_.kind != "noun":
            return type_.kind != "yes_no"
        root = self.symbols.root(type_.name)
        return root not in CORE_NOUNS and root not in self.symbols.parts

    def _travel_handler(self, h: tree.Handler, scope: Scope) -> ir.TravelHandler:
        params = self.event_params(h.event or "")
        inner = scope.inner(travelling=True, hook="travel")
        if params is None:
            self.symbols.unknown(h.pos, "event", h.event or "", self.symbols.blocks["event"])
            params = [(p, ANY) for p in h.params]
        for name, (_, type_) in zip(h.params, params, strict=False):
            inner.bind(name, type_)
        when = self.condition(h.when, inner.inner(pure=True, what="a condition")) if h.when is not None else None
        body = self.body(h.body, inner)
        self._after_outcome(scope, inner, h.params, h.body)
        return ir.TravelHandler(h.event or "", list(h.params), when, body, pos=h.pos)

    def _do_give(self, s: tree.Give, scope: Scope) -> ir.Statement:
        to = self._bearer(s.to, scope, "give")
        known = None if s.what.quoted else scope.names.get(s.what.text)
        if known is not None and known.kind in ("kind", "any"):
            what = tree.Name(s.what.text, pos=s.what.pos)
            named = self.lower_as(what, scope, DEFINITION, "what is given")
            given = [self.lower(a.value, scope) for a in s.args]
            return ir.Give("", s.what.text, given, to, scope.anchor, self.lasting(s.duration, scope), named)
        # A rule is in force anyway: of a rule and a trait of one title the trait is meant.
        kinds = sorted(self.symbols.definitions_named(s.what.text), key=lambda kind: kind == "rule")
        if not kinds:
            self.symbols.unknown(s.what.pos, "trait, condition or other definition", s.what.text, self.symbols.titles)
            return ir.Pass()
        if to.type.kind == "noun" and len(kinds) == 1:
            self.notes.given_to.append((kinds[0], s.what.text, self.symbols.root(to.type.name), s.to.pos))
        if (kinds[0], s.what.text) in self.symbols.families:
            title = self.symbols.variant_title(kinds[0], s.what.text, s.args, s.what.pos)
            return ir.Give(kinds[0], title, [], to, scope.anchor, self.lasting(s.duration, scope))
        taken = self.symbols.values_of.get((kinds[0], s.what.text), ())
        call = tree.Call(s.what.text, s.args, pos=s.what.pos)
        params = [(p.name, self.symbols.param_type(p), False) for p in taken]
        args = self.arguments(s.args, params, call, scope)
        return ir.Give(kinds[0], s.what.text, args, to, scope.anchor, self.lasting(s.duration, scope))

    def _bearer(self, e: tree.Expr, scope: Scope, verb: str) -> ir.Expr:
        """What is given to or taken from: one thing."""
        to = self.lower(e, scope)
        if self.symbols.assignable(to.type.certain, THING) or to.type.kind == "none":
            return to
        message = f"only a thing bears what is {verb}n, not {article(to.type)}"
        hint = "name a unit or another thing"
        if to.type.kind == "list":
            hint = f"{verb} it {'to' if verb == 'give' else 'from'} each: `for each one in ..`"
        self.symbols.report(e.pos, "wrong-type", message, hint)
        return to

    def _do_take(self, s: tree.Take, scope: Scope) -> ir.Statement:
        if s.what.text not in self.symbols.titles:
            self.symbols.unknown(s.what.pos, "trait, condition or other definition", s.what.text, self.symbols.titles)
        return ir.Take(s.what.text, self._bearer(s.of, scope, "take"))

    def _do_modifier(self, s: tree.Modifier, scope: Scope) -> ir.Statement:
        return self.add_dynamic_template(s, scope)

    def _do_permission(self, s: tree.Permission, scope: Scope) -> ir.Statement:
        return self.add_dynamic_template(s, scope)

    def _do_narrow(self, s: tree.Narrow, scope: Scope) -> ir.Statement:
        self.symbols.report(s.pos, "not-here", "narrow belongs in a trait, condition or other definition")
        return ir.Pass()

    # -- time --------------------------------------------------------------------------------------

    def when(self, m: tree.Moment, scope: Scope) -> ir.When:
        """Lower a moment."""
        whose = None
        if m.whose is not None:
            whose = self.lower(m.whose, scope)
        return ir.When(m.edge, m.what, whose, m.next, pos=m.pos)

    def lasting(self, d: tree.Duration | None, scope: Scope) -> ir.Lasting:
        """Lower how long something lasts; without a word about it, for the rest of the battle."""
        if d is None or d.kind == "rest of game":
            return ir.Lasting("battle")
        if d.kind == "until used":
            return ir.Lasting("used", pos=d.pos)
        if d.kind == "until":
            assert d.moment is not None
            return ir.Lasting("until", self.when(d.moment, scope), pos=d.pos)
        if d.kind == "for":
            assert d.count is not None
            return ir.Lasting("for", count=self.lower_as(d.count, scope, NUMBER, "how many turns"), pos=d.pos)
        if d.kind == "while":
            assert d.condition is not None
            pure = scope.inner(names=scope.names, pure=True, what="a duration")
            return ir.Lasting("while", condition=self.condition(d.condition, pure), pos=d.pos)
        return ir.Lasting("during", what=d.what or "", pos=d.pos)

    def _do_later(self, s: tree.Later, scope: Scope) -> ir.Statement:
        when = self.when(s.moment, scope)
        return ir.Later(when, self.body(s.body, scope.inner()))

    # -- control -----------------------------------------------------------------------------------

    def _do_change(self, s: tree.Change, scope: Scope) -> ir.Statement:
        if scope.hook not in ("before", "reaction") or s.name not in scope.event_params:
            self.symbols.report(
                s.pos, "not-here", f'"change {s.name}" belongs in a before-handler of an event with that parameter',
                f"here the parameters are: {', '.join(scope.event_params)}"
                if scope.event_params and scope.hook in ("before", "reaction")
                else f"write `before EVENT(..)` with a line `change {s.name} to ..`",
            )
            return ir.Pass()
        value = self.lower_as(s.value, scope, scope.names[s.name], f'"{s.name}"')
        return ir.ChangeParam(scope.event_params.index(s.name), s.name, value)

    def _do_reveal(self, s: tree.Reveal, scope: Scope) -> ir.Statement:
        return ir.Reveal(self.lower(s.what, scope))

    def _do_refuse(self, s: tree.Refuse, scope: Scope) -> ir.Statement:
        return ir.Refuse(self.lower_as(s.text, scope, TEXT), pos=s.pos)

    def _do_say(self, s: tree.Say, scope: Scope) -> ir.Statement:
        return ir.Say(self.lower_as(s.text, scope, TEXT))

    def _do_control(self, s: tree.Control, scope: Scope) -> Body | ir.Statement:
        node = self._control(s, scope)
        if s.unless is None:
            return node
        node.pos = s.pos
        test = self.condition(s.unless, scope)
        self.learn(s.unless, scope, True)
        return ir.IfElse(ir.Not(test), [node], [])

    def _control(self, s: tree.Control, scope: Scope) -> ir.Statement:
        if s.word == "result" or (s.word == "pass" and s.operand is not None):
            wanted = scope.gives if s.word == "result" else None
            value = self.lower(s.operand, scope, wanted) if s.operand is not None else None
            if value is not None and wanted is not None and s.operand is not None:
                known = FRACTION if wanted == NUMBER else wanted
                self.insist(value, known, s.operand, "the result")
                if not self.symbols.assignable(value.type, known):
                    was = self.symbols.problems[-1]
                    hint = f"the procedure says that its result is {wanted}"
                    self.symbols.problems[-1] = replace(was, hint=hint)
            scope.results.append((value.type if value is not None else ANY, s.pos))
            return ir.Return(value)
        if s.word == "stop":
            if s.operand is not None and scope.travelling:
                return ir.StopTravel()
            return ir.Return(None)
        if s.word == "cancel":
            if scope.hook not in ("before", "reaction", "body"):
                self.symbols.report(
                    s.pos, "not-here", "cancel belongs in a before-handler or a reaction",
                    "`stop` ends a procedure; `before EVENT(..)` can cancel the event",
                )
            block: Any = self.symbols.blocks["event"].get(scope.event) if scope.hook in _CANCELLING else None
            if block is not None and not block.may_be_cancelled:
                self.symbols.report(
                    s.pos, "not-here", f'"{block.name}" cannot be cancelled: its block does not allow it',
                    f"write `may be cancelled` in `event {block.name}`",
                )
            return ir.CancelEvent()
        if s.word == "continue":
            return ir.Proceed() if scope.hook == "instead" else ir.Pass()
        if s.word == "end":
            return ir.EndEffect(self.lower_as(s.operand, scope, EFFECT, "what ends") if s.operand else _this())
        if s.word == "pass":
            scope.results.append((YES_NO, s.pos))
            return ir.Return(ir.Const(False, type=YES_NO))
        self.symbols.report(s.pos, "not-here", f'"{s.word}" has no meaning here')
        return ir.Pass()

    # -- commands ------------------------------------------------------------------------------------

    def _do_callstatement(self, s: tree.CallStatement, scope: Scope) -> ir.Statement:
        done = self.lower(s.call, scope)
        if isinstance(done, ir.Evaluate | ir.LookUp | ir.CallFunction):
            native = self.symbols.functions.get(done.name)
            if native.pure if native is not None else not isinstance(done, ir.CallFunction):
                message = f"{done.name} only computes, and what comes of it is lost here"
                hint = f"keep it: `found = {done.name}(..)`, ask for it in a condition, or write `result` before it"
                self.symbols.report(s.pos, "unread-local", message, hint)
        return ir.Do(done)

    def _do_verbphrase(self, s: tree.VerbPhrase, scope: Scope) -> ir.Statement:
        call = self._matched(s)
        if call is None:
            verb = s.parts[0].text if isinstance(s.parts[0], tree.Word) else "?"
            known = [str(pattern[0]) for pattern, _ in self.symbols.phrases]
            shown = [b.pattern for p, b in self.symbols.phrases if p[0] == verb]
            if verb in _VERBS_ELSEWHERE:
                self.symbols.report(s.pos, "unknown-name", f'there is no verb "{verb}"', _VERBS_ELSEWHERE[verb])
            elif verb == "say":
                self.symbols.report(s.pos, "wrong-type", "`say` takes a text", 'put it in quotes: say "{unit.name}"')
            elif shown:
                self.symbols.report(
                    s.pos, "unknown-phrase", f'"{verb}" is not used like this', "it is: " + "; ".join(shown)
                )
            else:
                called = verb in self.symbols.functions or verb in self.symbols.blocks["procedure"]
                hint = f"what is done to stands in brackets: {verb}(..)" if called else None
                self.symbols.unknown(s.pos, "verb", verb, known, hint)
            return ir.Pass()
        return ir.Do(self._call(call, scope, None))

    def _matched(self, s: tree.VerbPhrase) -> tree.Call | None:
        for pattern, block in self.symbols.phrases:
            bound = _match(pattern, s.parts)
            if bound is not None:
                return _bind(block.means, bound, s.pos)
        return None


#: Answers to an event that may cancel it before it happens.
_CANCELLING = ("before", "reaction")

#: Verbs of other languages, and what takes their place here.
_VERBS_ELSEWHERE = {
    "return": "write: result ..", "print": 'write: say ".."', "break": "write: stop", "raise": 'write: refuse ".."',
    "throw": "write: X rolls d6", "set": "write: x = ..", "let": "write: x = ..", "call": "write: NAME(..)",
}  # fmt: skip


def _this() -> ir.Expr:
    return ir.Local("this", type=EFFECT)


def _forget_written(s: tree.Statement, scope: Scope) -> None:
    """Drop what is known of names and fields that a statement, or any within it, gives a new value."""
    for node in tree.walk(s):
        if isinstance(node, tree.Assign) and isinstance(node.target, tree.Name):
            scope.forget(node.target.name)
        elif isinstance(node, tree.Assign):
            scope.forget_fields(node.target.name)
        elif isinstance(node, tree.Choose):
            scope.forget(node.var)


def _ends(body: Body) -> bool:
    """Whether a body never goes on to what follows it."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ir.Return):
        return True
    return isinstance(last, ir.IfElse) and _ends(last.body) and _ends(last.otherwise)


def _match(pattern: list[str | None], parts: Sequence[tree.Word | tree.Expr]) -> list[tree.Expr] | None:
    """Fixed words must stand where the pattern has them (None is a place for an expression)."""
    if len(pattern) != len(parts):
        return None
    bound: list[tree.Expr] = []
    for want, part in zip(pattern, parts, strict=True):
        if want is None:
            bound.append(tree.Name(part.text, pos=part.pos) if isinstance(part, tree.Word) else part)
        elif isinstance(part, tree.Word):
            if part.text != want:
                return None
        elif not (isinstance(part, tree.Name) and part.name == want):
            return None
    return bound


def _bind(means: tree.Call, bound: list[tree.Expr], pos: tree.Pos) -> tree.Call:
    """The call that a phrase stands for, its place names replaced by what was written. Places are numbered."""
    args = tuple(
        tree.Argument(bound[place] if (place := _place(a.value)) is not None else a.value, a.name, pos=pos)
        for a in means.args
    )
    return tree.Call(means.name, args, pos=pos)


def _place(e: tree.Expr) -> int | None:
    """The number of a place in a phrase's pattern."""
    return int(e.name[1:]) if isinstance(e, tree.Name) and e.name[:1] == "$" else None
