"""Computing a number with everything that is in force, and remembering how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from warhost.engine.code import code_of
from warhost.engine.entities import Effect
from warhost.engine.state import Dynamic, State
from warhost.engine.story import shown
from warhost.lang import ir
from warhost.lang.combining import combined
from warhost.lang.runtime import Runtime


@dataclass(slots=True)
class Contribution:
    """One modifier that applies: source is who or what it comes from, for counting once per source."""

    template: ir.Template
    value: Any
    source: Any


class Numbers:
    """`compute` is the general way; compiled numbers take a shorter one when nothing special is in force."""

    __slots__ = ("rt", "state")

    def __init__(self, state: State, rt: Runtime) -> None:
        self.state, self.rt = state, rt

    def ask(self, name: str, *args: Any) -> Any:
        """A number, flag or value of the rules by name; what is asked so is no part of what is being traced."""
        code = self.state.code
        if self.state.recording:
            with self.untraced():
                return self.ask(name, *args)
        return (code.asked.get(name) or code.asks(name))(self.rt, *args)

    def ask_all(self, names: Sequence[str], *args: Any) -> list[Any]:
        """Several of them for the same arguments."""
        code, key = self.state.code, tuple(names)
        if self.state.recording:
            with self.untraced():
                return self.ask_all(key, *args)
        found: list[Any] = (code.asked.get(key) or code.asks(key))(self.rt, *args)
        return found

    @contextmanager
    def untraced(self) -> Iterator[None]:
        """What is computed meanwhile explains nothing that happens: no trace is kept, and the compiled rules serve."""
        state = self.state
        code, recording, trace = state.code, state.recording, state.trace
        if recording:
            state.code, state.recording, state.trace = code_of(state.rules, False), False, []
        try:
            yield
        finally:
            state.code, state.recording, state.trace = code, recording, trace

    def compute(self, n: ir.Number, args: tuple[Any, ...]) -> Any:
        """A number for these arguments, with everything that is in force."""
        if self.state.recording:
            return self._compute_traced(n, args)
        base = self.state.code.function(n.base)(self.rt, *args)
        return _combined(n, base, self._contributions(n, args))

    def more(self, n: ir.Number, args: tuple[Any, ...]) -> Any:
        """What things in force add to a number besides its own lines; None if they do anything else to it."""
        if self.state.uses is not None or n.name in self.state.loose:
            return None
        lines = self.state.code.lines
        added: Any = 0
        found = 0
        for pin, path in self._pins(n):
            who = args[pin]
            for step in path:
                who = getattr(who, step, None)
            for t, effect in who._live.get(n.name, ()) if who is not None else ():
                if t.pin != pin or t.pin_path != path or effect.ended:
                    continue
                when, value, _ = lines.get(id(t)) or self.state.code.line(t)
                bearer = effect.bearer
                if (effect.until[0] == "while" and not effect.until[1]()) or (
                    when is not None and not when(self.rt, effect, bearer, *args)
                ):
                    continue
                found += 1
                if t.op != "add" or t.stacking != "sum" or (found > 1 and n.type.kind != "number"):
                    return None
                added += value(self.rt, effect, bearer, *args)
        return added

    # -- collecting ----------------------------------------------------------------------------

    def _contributions(self, n: ir.Number, args: tuple[Any, ...]) -> list[Contribution]:
        found: list[Contribution] = []
        for t in n.templates:
            self._try(t, None, None, args, found)
        rows = self._live_rows(n, args)
        if len(rows) > 1:
            rows.sort(key=lambda row: (row[0].order, row[1]._index))
        for t, effect in rows:
            if not effect.ended and (effect.until[0] != "while" or effect.until[1]()):
                self._try(t, effect, effect.bearer, args, found)
        for row in self.state.loose.get(n.name, ()):
            if isinstance(row, Dynamic):
                self._try_dynamic(row, args, found)
        return found

    def _live_rows(self, n: ir.Number, args: tuple[Any, ...]) -> list[tuple[ir.Template, Effect]]:
        rows: list[tuple[ir.Template, Effect]] = []
        for pin, path in self._pins(n):
            who = args[pin]
            for step in path:
                who = getattr(who, step, None)
            if who is None:
                continue
            for row in who._live.get(n.name, ()):
                t = row[0]
                if t.pin == pin and t.pin_path == path:
                    rows.append(row)
        rows.extend(row for row in self.state.loose.get(n.name, ()) if not isinstance(row, Dynamic))
        return rows

    def _pins(self, n: ir.Number) -> list[tuple[int, tuple[str, ...]]]:
        """The (parameter, path) pairs by which things in force can be pinned to this number."""
        cache: dict[str, list[tuple[int, tuple[str, ...]]]] = self.state.code.pins
        found = cache.get(n.name)
        if found is None:
            found = []
            for t in self.state.code.lines_of(n.name):
                if t.pin is not None and (t.pin, t.pin_path) not in found:
                    found.append((t.pin, t.pin_path))
            cache[n.name] = found
        return found

    def _try(self, t: ir.Template, effect: Any, bearer: Any, args: tuple[Any, ...], found: list[Contribution]) -> None:
        when, compute, from_ = self.state.code.lines.get(id(t)) or self.state.code.line(t)
        if when is not None and not when(self.rt, effect, bearer, *args):
            return
        value = compute(self.rt, effect, bearer, *args) if compute is not None else None
        source = from_(self.rt, effect, bearer, *args) if from_ is not None else bearer
        if self.state.uses is not None and effect is not None:
            self.state.uses.append(effect)
        found.append(Contribution(t, value, source))

    def _try_dynamic(self, row: Dynamic, args: tuple[Any, ...], found: list[Contribution]) -> None:
        if row.until[0] == "while" and not row.until[1]():
            return
        for index, value in row.pins:
            if args[index] is not value and args[index] != value:
                return
        t, code = row.template, self.state.code
        given = (*row.captured, None, None, *args)
        if t.when is not None and not code.function(t.when)(self.rt, *given):
            return
        value = code.function(t.value)(self.rt, *given) if t.value is not None else None
        if self.state.uses is not None:
            self.state.uses.append(row)
        found.append(Contribution(t, value, row))

    # -- totals and traces ---------------------------------------------------------------------

    def total_counting(self, n: ir.Number, keys: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Any:
        """The sum of a number over rows of arguments; contributions of the given keys count once for each source."""
        total: Any = 0
        seen: set[tuple[str, int]] = set()
        for args in rows:
            base = self.state.code.function(n.base)(self.rt, *args)
            kept = []
            for c in self._contributions(n, args):
                key = c.template.stacking_key
                if key in keys:
                    if (key, id(c.source)) in seen:
                        continue
                    seen.add((key, id(c.source)))
                kept.append(c)
            total += _combined(n, base, kept)
        return total

    def _compute_traced(self, n: ir.Number, args: tuple[Any, ...]) -> Any:
        """The same, leaving a record of base, changes and result in the trace."""
        inner: list[dict[str, Any]] = []
        outer, self.state.trace = self.state.trace, inner
        try:
            base = self.state.code.function(n.base)(self.rt, *args)
            contributions = self._contributions(n, args)
        finally:
            self.state.trace = outer
        counted = _counted(contributions)
        in_order = [c for c in contributions if any(c is k for k in counted)]
        value = _combined(n, base, contributions)
        self.state.trace.append(
            {
                "number": n.name, "of": [shown(a) for a in args], "base": shown(base),
                "changes": [_change(c) for c in in_order], "value": shown(value), "from": inner, "ref": list(n.ref),
            }
        )  # fmt: skip
        return value


def _combined(n: ir.Number, base: Any, contributions: list[Contribution]) -> Any:
    """The value of a number from its base and everything that applies."""
    if not contributions:
        return base
    return combined(n.sort, base, [(c.template, c.value) for c in _counted(contributions)])


def _counted(contributions: list[Contribution]) -> list[Contribution]:
    """What counts after stacking: of additions all, the highest of a key, or one for each source of a key."""
    if not contributions:
        return contributions
    counted: list[Contribution] = []
    best: dict[tuple[str, int], Contribution] = {}
    for c in contributions:
        t = c.template
        if t.op != "add" or t.stacking == "sum":
            counted.append(c)
            continue
        key = (t.stacking_key, 0 if t.stacking == "highest" else id(c.source))
        if key not in best or c.value > best[key].value:
            best[key] = c
    return counted + list(best.values())


def _change(c: Contribution) -> dict[str, Any]:
    t = c.template
    row: dict[str, Any] = {"op": t.op, "value": shown(c.value), "because": t.because, "rule": t.origin}
    if c.source is not None and not isinstance(c.source, Dynamic):
        row["from"] = shown(c.source)
    return row
