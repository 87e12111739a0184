"""Laying the layers of a ruleset over each other, block by block.

Lowest lie the plugins' own rules, then the rulesets that this one extends, then the ruleset, then the chosen
house rules. A block is known by its kind and name. A higher layer adds blocks, or says `amend`, `replace` or
`remove`; whatever it does is remembered with its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from operator import is_
from typing import Any, TypeAlias

from warhost.errors import Problem, did_you_mean
from warhost.lang import tree
from warhost.lang.place import Pos
from warhost.lang.tree import AnyBlock, variant_of
from warhost.packs.advising import Advising
from warhost.packs.layers import HouseConflicts, Layer, LayerChange, Merged, Placed, Removed
from warhost.packs.renaming import Renaming, in_block
from warhost.packs.spelling import Guesses
from warhost.packs.yaml_source import problem_at

_JOINING = ("state", "profile")
MAX_CHANGES = 500
MAX_VARIANTS = 50
MAX_PHASES = 200


def identity(block: AnyBlock) -> tuple[str, str]:
    """Kind and name of a block. Handlers and reactions have names too, but may share them."""
    kind = tree.SORTS.get(type(block))
    if kind is not None:
        return kind, block.name  # type: ignore[union-attr, return-value]
    match block:
        case tree.KindBlock():
            return block.kind, block.title.text
        case tree.StateBlock():
            return "state", block.noun
        case tree.ProfileBlock():
            return "profile", block.noun
        case tree.TurnBlock():
            return block.kind, ""
        case tree.PhraseBlock():
            return "phrase", block.pattern
        case tree.ReactionBlock():
            return "reaction", block.reaction.title.text
        case tree.HandlerBlock():
            handler = block.handler
            moment = handler.moment
            what = handler.event or (f"{moment.edge} of {moment.what}" if moment else "")
            return "handler", handler.called or f"{handler.hook} {what}"
    raise TypeError(f"{type(block).__name__} has no name")


def _named(kind: str, name: str) -> str:
    """As messages name a block."""
    if not name:
        return f"the block `{kind}`"
    if kind in _JOINING:
        return f"{kind} of {name}"
    return f'{kind} "{name}"' if " " in name else f"{kind} {name}"


def unwrap(
    layer: Layer, modules: Iterable[tree.Module], rulesets: Iterable[str]
) -> tuple[Layer, list[AnyBlock], list[Problem]]:
    """The blocks of a layer's files in order, without the `house rule` lines around them.

    A house rule's title and `after` become the layer's. rulesets: the ids that a house rule may be `for`.
    """
    blocks: list[AnyBlock] = []
    problems: list[Problem] = []
    titles: list[str] = []
    after: list[str] = list(layer.after)
    for block in (block for module in modules for block in module.blocks):
        if not isinstance(block, tree.HouseRule):
            blocks.append(block)
            continue
        if not layer.of_house:
            hint = "put it into the folder house/ and offer it in ruleset.yaml"
            problems.append(problem_at(block.pos, "house-rule", "a house rule cannot stand among the rules", hint))
        elif block.for_ is not None and block.for_ not in set(rulesets):
            message = f'the house rule "{block.title}" is for {block.for_}, not for this ruleset'
            problems.append(problem_at(block.pos, "wrong-ruleset", message, did_you_mean(block.for_, rulesets)))
        titles.append(block.title)
        after.extend(block.after)
        for inner in block.blocks:
            if isinstance(inner, tree.HouseRule):
                problems.append(problem_at(inner.pos, "house-rule", "a house rule cannot hold another"))
            else:
                blocks.append(inner)
    title = titles[0] if layer.kind == "house" and titles else layer.title
    return replace(layer, title=title, after=tuple(after)), blocks, problems


#: A layer with its blocks.
_LaidLayer: TypeAlias = tuple[Layer, Sequence[AnyBlock]]


@dataclass(frozen=True, slots=True)
class LaidLayers:
    """Some layers that have been laid over each other, and can be lower layers of others. merged: what they come to."""

    stack: Sequence[_LaidLayer]
    merging: _Merging
    merged: Merged

    def are_below(self, stack: Sequence[_LaidLayer]) -> bool:
        """Whether they are the lowest layers of a stack: the same, with the very same blocks."""
        return len(self.stack) <= len(stack) and all(
            mine[0] == other[0] and len(mine[1]) == len(other[1]) and all(map(is_, mine[1], other[1]))
            for mine, other in zip(self.stack, stack, strict=False)
        )


def lay(stack: Sequence[_LaidLayer], below: LaidLayers | None = None) -> LaidLayers:
    """Lay layers over each other, lowest first.

    below: others that may be the lowest of these, or all of them; they stay as they are.
    """
    known, merging = list[_LaidLayer](), _Merging()
    if below is not None and below.are_below(stack):
        if len(below.stack) == len(stack):
            return below
        known, merging = [*below.stack], below.merging.copied()
    for layer, blocks in stack[len(known) :]:
        merging.add_layer(layer, blocks)
    return LaidLayers([*known, *stack[len(known) :]], merging, merging.result())


def merge(stack: Sequence[_LaidLayer]) -> Merged:
    """Lay the layers over each other, lowest first."""
    return lay(stack).merged


# -- merging -----------------------------------------------------------------------------------


@dataclass(slots=True)
class _LayeredBlock:
    """A block on its way through the layers. It stays in the list when it is removed: `replace` may bring it back."""

    block: AnyBlock
    layer: Layer
    history: list[LayerChange]
    alive: bool = True
    advice: list[LayerChange] = field(default_factory=list)


#: What is replaced or not at all.
_WHOLE = frozenset({"procedure", "event", "noun", "choice", "constraint", "turn", "setup", "phrase"})


class _Merging:
    def __init__(self) -> None:
        self.entries: list[_LayeredBlock] = []
        self.groups: dict[tuple[str, str], list[_LayeredBlock]] = {}
        self.problems: list[Problem] = []
        self.replaced: list[Problem] = []
        self.of_plugins: dict[int, AnyBlock] = {}
        self.conflicts = HouseConflicts(self.problems)
        self.guesses = Guesses()
        self.renamed: dict[tuple[str, str], tuple[str, LayerChange]] = {}
        self.phases_gone: dict[str, LayerChange] = {}

    def copied(self) -> _Merging:
        """The same once more, to lay further layers over it."""
        other = _Merging()
        copies = {
            id(e): _LayeredBlock(e.block, e.layer, [*e.history], e.alive, [*e.advice]) for e in self.entries
        }  # fmt: skip
        other.entries = list(copies.values())
        other.groups = {key: [copies[id(e)] for e in some] for key, some in self.groups.items()}
        other.problems += self.problems
        other.replaced += self.replaced
        other.conflicts.touched.update(self.conflicts.touched)
        other.guesses.left = self.guesses.left
        other.renamed.update(self.renamed)
        other.phases_gone.update(self.phases_gone)
        return other

    def add_layer(self, layer: Layer, blocks: Sequence[AnyBlock]) -> None:
        """First what the layer calls otherwise, then what it defines, then what it changes: the order of its files does
        not matter for that.
        """
        for block in blocks:
            if isinstance(block, tree.Rename):
                self._rename(layer, block)
        changes: list[AnyBlock] = []
        advice: list[tree.Advise] = []
        files = {block.pos.file for block in blocks}
        phases: list[tree.PhaseInsert | tree.Remove] = []
        for block in blocks:
            if isinstance(block, tree.PhaseInsert):
                phases.append(block)
            elif isinstance(block, tree.Replace) and isinstance(block.block, tree.PhaseInsert):
                phases.append(replace(block.block, ref=_joined(block.ref, block.block.ref), pos=block.pos))
            elif isinstance(block, tree.Remove) and block.kind == "phase":
                phases.append(block)
            elif isinstance(block, tree.Amend | tree.Replace | tree.Remove):
                changes.append(block)
            elif isinstance(block, tree.Advise):
                advice.append(block)
            elif not isinstance(block, tree.HouseRule | tree.Rename):
                self._define(layer, block)
        for block in changes:
            match block:
                case tree.Replace():
                    self._replace(layer, block)
                case tree.Remove():
                    self._remove(layer, block)
                case tree.Amend():
                    self._amend(layer, block)
        for phase in phases:
            self._phase(layer, phase)
        for block in advice:
            self._advise(layer, block, files)

    def result(self) -> Merged:
        placed: list[Placed] = []
        removed: list[Removed] = []
        used: dict[str, int] = {}
        for entry in self.entries:
            kind, name = identity(entry.block)
            if not entry.alive:
                removed.append(Removed(entry.block, kind, name, tuple(entry.history)))
                continue
            shown = " ".join(part for part in (kind, name) if part)
            if kind in ("handler", "reaction") and _refs(entry.block):
                shown += f" [{', '.join(_refs(entry.block))}]"
            used[shown] = used.get(shown, 0) + 1
            unique = shown if used[shown] == 1 else f"{shown} ({used[shown]})"
            history, advice = tuple(entry.history), tuple(entry.advice)
            placed.append(Placed(entry.block, entry.layer, len(placed), history, kind, name, unique, advice))
        alive = {id(entry): entry.block for entry in self.entries if entry.alive}
        of_plugins = tuple((old, alive[key]) for key, old in self.of_plugins.items() if key in alive)
        return Merged(tuple(placed), tuple(removed), tuple(self.problems), tuple(self.replaced), of_plugins)

    # -- what a layer does

    def _define(self, layer: Layer, block: AnyBlock) -> None:
        kind, name = identity(block)
        change = LayerChange(layer, "defined", block.pos)
        shares_names = kind in ("handler", "reaction")
        known = [] if shares_names else [entry for entry in self.groups.get((kind, name), []) if entry.alive]
        if kind in _JOINING and known:
            if self._has_room(known[0], change):
                self._join(known[0], block, change)
            return
        if len(known) > MAX_VARIANTS:
            self._problem(block.pos, "too-large", f"{_named(kind, name)} has more than {MAX_VARIANTS} variants")
            return
        for entry in known:
            if not _are_variants(entry.block, block):
                self._twice(entry, kind, name, change)
                return
        self._append(_LayeredBlock(block, layer, [change]), kind, name)

    def _has_room(self, entry: _LayeredBlock, change: LayerChange) -> bool:
        """Whether a block may be changed once more; the time for merging has its limits."""
        if len(entry.history) < MAX_CHANGES:
            return True
        if len(entry.history) == MAX_CHANGES:
            name = _named(*identity(entry.block))
            self._problem(change.pos, "too-large", f"{name} is changed more than {MAX_CHANGES} times")
            entry.history.append(change)
        return False

    def _append(self, entry: _LayeredBlock, kind: str, name: str) -> None:
        self.entries.append(entry)
        self.groups.setdefault((kind, name), []).append(entry)

    def _twice(self, entry: _LayeredBlock, kind: str, name: str, change: LayerChange) -> None:
        first = entry.history[0]
        last = entry.history[-1]
        place = f"{last.pos.file}:{last.pos.line}"
        if entry.layer.index == change.layer.index:
            message = f"{_named(kind, name)} is defined twice; the first is in {place}"
            hint = f"keep one of the two, or call one of them otherwise than {name}"
            if kind in ("turn", "setup"):
                hint = f"put its phases into the first `{kind}`"
        else:
            message = f"{_named(kind, name)} is already defined by {first.layer.label} ({place})"
            hint = f"write `replace {_named(kind, name)} ..`, or give it another name"
            if kind not in _WHOLE:
                hint = f"write `amend {_named(kind, name)}` to add to it, `replace ..` to put this in its place"
            if kind in ("turn", "setup"):
                hint = f"write `replace {kind} ..`, `phase NAME before|after PHASE`, or `replace phase PHASE ..`"
        self._problem(change.pos, "defined-twice", message, hint)

    def _join(self, entry: _LayeredBlock, block: AnyBlock, change: LayerChange) -> None:
        """`state of X` and `profile of X` from several places become one."""
        assert isinstance(block, tree.StateBlock | tree.ProfileBlock)
        known = entry.block
        assert isinstance(known, tree.StateBlock | tree.ProfileBlock)
        fields = self._with_fields(known, block.fields)
        entry.block = replace(known, fields=fields, ref=_joined(known.ref, block.ref), reads=known.reads or block.reads)
        entry.history.append(change._replace(what="amended"))

    def _with_fields(
        self, block: tree.StateBlock | tree.ProfileBlock, more: Iterable[tree.FieldDecl]
    ) -> tuple[tree.FieldDecl, ...]:
        fields = {one.name: one for one in block.fields}
        for one in more:
            if one.name in fields:
                before = fields[one.name].pos
                place = f"{before.file}:{before.line}"
                message = f'"{one.name}" of {block.noun} is declared twice; the first is in {place}'
                self.problems.append(problem_at(one.pos, "defined-twice", message, "keep one of the two"))
            else:
                fields[one.name] = one
        return tuple(fields.values())

    def _replace(self, layer: Layer, block: tree.Replace) -> None:
        new = block.block
        if isinstance(new, tree.Amend | tree.Advise | tree.Replace | tree.Remove | tree.HouseRule | tree.PhaseInsert):
            message = "only a block with a name can be replaced"
            self.problems.append(problem_at(block.pos, "wrong-replace", message))
            return
        if block.ref and not new.ref:
            new = replace(new, ref=block.ref)
        kind, name = identity(new)
        change = LayerChange(layer, "replaced", block.pos)
        entries = self._variants_meant(self._revivable(layer, kind, name), new)
        if not entries:
            hint = self._hint(kind, name) or "leave out `replace` to define something new"
            self._unknown(block.pos, kind, name, "replaced", hint)
            return
        if any(entry.layer is layer and entry.history[-1].what == "replaced" for entry in entries):
            self._twice(entries[0], kind, name, change)
            return
        self.conflicts.touch((kind, name, variant_of(new)), _named(kind, name), change)
        for entry in entries[1:]:
            entry.alive = False
            entry.history.append(change._replace(what="removed"))
        entry = entries[0]
        if entry.layer.kind == "plugin":
            self.of_plugins[id(entry)] = entry.block
        if (odd := _otherwise_asked(entry.block, new)) is not None:
            self.replaced.append(problem_at(block.pos, "wrong-replace", *odd))
        entry.block, entry.layer, entry.alive, entry.advice = new, layer, True, []
        entry.history.append(change)

    def _remove(self, layer: Layer, block: tree.Remove) -> None:
        kind, name = block.kind, block.name.text
        entries = self._alive(kind, name)
        change = LayerChange(layer, "removed", block.pos)
        if not entries:
            gone = [entry for entry in self.groups.get((kind, name), []) if not entry.alive]
            if gone and gone[0].history[-1].layer is not layer:
                self.conflicts.touch((kind, name, ()), _named(kind, name), change)
                if layer.kind == "house" and gone[0].history[-1].layer.kind == "house":
                    return  # removed already: the conflict has been named, or the later one knows of it
            self._unknown(block.pos, kind, name, "removed", self._hint(kind, name, "remove: true"))
            return
        self.conflicts.touch((kind, name, ()), _named(kind, name), change)
        for entry in entries:
            if variant_of(entry.block):
                self.conflicts.touch((kind, name, variant_of(entry.block)), _named(kind, name), change)
            entry.alive = False
            entry.history.append(change)

    def _rename(self, layer: Layer, block: tree.Rename) -> None:
        kind, old, new = block.kind, block.name.text, block.to.text
        entries = self._alive(kind, old)
        change = LayerChange(layer, "renamed", block.pos)
        if kind in tree.SORTS.values() or kind in (*_JOINING, "turn", "setup", "phase", "phrase", "handler"):
            message = f"a {kind} keeps its name: rules call it by that"
            self._problem(block.pos, "wrong-rename", message, "what has a title can be renamed: rules, and definitions")
        elif not entries:
            self.conflicts.touch((kind, old, "name"), f"the name of {_named(kind, old)}", change)
            self._unknown(block.pos, kind, old, "renamed", self._hint(kind, old))
        elif self._alive(kind, new):
            place = self._alive(kind, new)[0].history[0].pos
            message = f"there is {_named(kind, new)} already, in {place.file}:{place.line}"
            self._problem(block.to.pos, "defined-twice", message, "choose another name")
        elif kind != "rule" and (other := self._other_of_that_name(kind, old)):
            message = f"{old} is also {_named(other, old)}: it is not certain which of the two rules mean by it"
            self._problem(block.pos, "wrong-rename", message, "replace the block by one of another name instead")
        else:
            self.conflicts.touch((kind, old, "name"), f"the name of {_named(kind, old)}", change)
            self._rename_entries(Renaming(layer.index, kind, old, new), change)

    def _other_of_that_name(self, kind: str, name: str) -> str:
        others = (k for (k, n), found in self.groups.items() if n == name and k not in (kind, "rule"))
        return next((k for k in others if k not in tree.SORTS.values() and self._alive(k, name)), "")

    def _rename_entries(self, renaming: Renaming, change: LayerChange) -> None:
        kind, old, new = renaming.kind, renaming.old, renaming.new
        entries = self.groups.pop((kind, old))
        self.groups.setdefault((kind, new), []).extend(entries)
        self.renamed[kind, old] = (new, change)
        for entry in entries:
            entry.history.append(change)
        for entry in self.entries if kind != "rule" else entries:
            entry.block = in_block(entry.block, renaming)

    def _amend(self, layer: Layer, block: tree.Amend) -> None:
        kind, name = block.kind, block.name.text
        if kind in ("turn", "setup") and not self._alive(kind, name):
            name = ""
        entries = self._alive(kind, name)
        if not entries:
            hint = self._hint(kind, name, "amend: true, rows: {..}")
            self._unknown(block.pos, kind, block.name.text, "amended", hint)
            return
        change = LayerChange(layer, "amended", block.pos)
        amending = _Amending(block, self.problems, self._with_fields)
        for called in amending.lines():
            line = f'the line "{called}" of {_named(kind, name)}'
            self.conflicts.touch((kind, name, "line", called), line, change._replace(what="removed or replaced"))
        if len(block.changes) > MAX_CHANGES:
            message = f"{_named(kind, name)} is changed more than {MAX_CHANGES} times"
            self._problem(block.pos, "too-large", message)
            return
        for entry in entries:
            if self._has_room(entry, change):
                entry.block = amending.of(entry.block)
                entry.history.append(change)
        amending.report_unknown_lines(_named(kind, name))

    def _advise(self, layer: Layer, block: tree.Advise, files: set[str]) -> None:
        kind, name = block.kind, block.name.text
        entries = self._alive(kind, name)
        if not entries:
            self._unknown(block.pos, kind, name, "advised", self._hint(kind, name))
            return
        advising = Advising(block, files.__contains__)
        self.problems += advising.problems([entry.block for entry in entries], _named(kind, name))
        for entry in entries:
            entry.block = advising.of(entry.block)
            entry.advice.append(LayerChange(layer, "advised", block.pos))

    def _phase(self, layer: Layer, block: tree.PhaseInsert | tree.Remove) -> None:
        """A phase put before, after or in the place of another, or taken out."""
        turns = [*self._alive("turn", ""), *self._alive("setup", "")]
        names = {phase.name: phase.pos for entry in turns for phase in _phases(entry.block)}
        said = block.name if isinstance(block, tree.Remove) else block.anchor
        anchor = said.text
        if anchor not in names and self._phase_is_gone(layer, block, anchor):
            return
        if anchor not in names:
            listed = f"there is {', '.join(names)}" if names else None
            hint, message = self.guesses.hint(anchor, lambda: names) or listed, f'there is no phase "{anchor}"'
            if (out := self.phases_gone.get(anchor)) is not None:
                message += f": {out.layer.label} has taken it out ({out.pos.file}:{out.pos.line})"
                hint = f"name another: {', '.join(names)}; or leave one of the two away"
            self._problem(said.pos, "unknown-name", message, hint)
            return
        if len(names) >= MAX_PHASES:
            self._problem(block.pos, "too-large", f"a turn has more than {MAX_PHASES} phases")
            return
        what, where = "removed", "replace"
        new: tuple[tree.Phase, ...] = ()
        if isinstance(block, tree.PhaseInsert):
            what, where, new = "replaced", block.where, (block.phase,)
            name = block.phase.name
            if name in names and name != anchor and where != "replace" and _is_bare(block.phase):
                self._move_phase(layer, block, turns)
                return
            if name not in names and where != "replace" and _is_bare(block.phase):
                hint = did_you_mean(name, names) or "a new phase says what it does: `phase NAME before PHASE: STEP, ..`"
                self._problem(block.phase.pos, "unknown-name", f'there is no phase "{name}" to be moved', hint)
                return
            if name == anchor and where != "replace" and _is_bare(block.phase):
                others = ", ".join(one for one in names if one != name)
                hint = f"name another: {others}"
                self._problem(said.pos, "defined-twice", f"phase {name} cannot stand {where} itself", hint)
                return
            if name in names and not (where == "replace" and name == anchor):
                place = f"{names[name].file}:{names[name].line}"
                message = f'there is a phase "{name}" already, in {place}'
                by = ".." if name == anchor else anchor
                hint = f"give the new one another name; to move the old one, write only `phase {name} {where} {by}`"
                self._problem(block.pos, "defined-twice", message, hint if where != "replace" else None)
                return
        if where != "replace":
            beside = ("beside phase", where, anchor)
            change = LayerChange(layer, "taken", block.pos)
            self.conflicts.touch(beside, f"the place right {where} phase {anchor}", change)
        if where == "replace":
            self.conflicts.touch(("phase", anchor), f"phase {anchor}", LayerChange(layer, what, block.pos))
        entry = next(entry for entry in turns if any(p.name == anchor for p in _phases(entry.block)))
        turn = entry.block
        assert isinstance(turn, tree.TurnBlock)
        at = next(i for i, phase in enumerate(turn.phases) if phase.name == anchor)
        old = turn.phases[at : at + 1]
        middle = {"before": new + old, "after": old + new, "replace": new}[where]
        phases = turn.phases[:at] + middle + turn.phases[at + 1 :]
        gone = turn.gone
        if not any(phase.name == anchor for phase in phases):
            gone = (*gone, anchor)
            self.phases_gone[anchor] = LayerChange(layer, what, block.pos)
        entry.block = replace(turn, phases=phases, gone=gone, ref=_joined(turn.ref, block.ref))
        entry.history.append(LayerChange(layer, "amended", block.pos))

    def _move_phase(self, layer: Layer, block: tree.PhaseInsert, turns: Sequence[_LayeredBlock]) -> None:
        """A phase put before or after another of the same turn, as it is."""
        name, anchor = block.phase.name, block.anchor.text
        entry = next(entry for entry in turns if any(p.name == name for p in _phases(entry.block)))
        turn = entry.block
        assert isinstance(turn, tree.TurnBlock)
        moved = next(p for p in turn.phases if p.name == name)
        rest = [p for p in turn.phases if p.name != name]
        at = next((i for i, p in enumerate(rest) if p.name == anchor), None)
        if at is None:
            message = f'"{name}" and "{anchor}" are not phases of one turn: one of them belongs to the set-up'
            self._problem(block.pos, "unknown-name", message)
            return
        rest.insert(at + (block.where == "after"), moved)
        if tuple(rest) == turn.phases:
            message = f"phase {name} stands {block.where} {anchor} already"
            self._problem(block.pos, "unused", message, "take this line away, or name another phase")
        move = LayerChange(layer, "moved", block.pos)
        self.conflicts.touch(("place of phase", name), f"the place of phase {name}", move)
        entry.block = replace(turn, phases=tuple(rest), ref=_joined(turn.ref, block.ref))
        entry.history.append(LayerChange(layer, "amended", block.pos))

    def _phase_is_gone(self, layer: Layer, block: tree.PhaseInsert | tree.Remove, anchor: str) -> bool:
        """Whether an earlier house rule took the phase out; replacing or removing it again is a conflict."""
        gone = self.conflicts.touched.get(("phase", anchor))
        again = isinstance(block, tree.Remove) or block.where == "replace"
        if gone is None or layer.kind != "house" or not again:
            return False
        self.conflicts.touch(("phase", anchor), f"phase {anchor}", LayerChange(layer, "removed", block.pos))
        return isinstance(block, tree.Remove) or not layer.follows(gone.layer)

    def _problem(self, pos: Pos, code: str, message: str, hint: str | None = None) -> None:
        self.problems.append(problem_at(pos, code, message, hint))

    # -- finding

    def _alive(self, kind: str, name: str) -> list[_LayeredBlock]:
        return [entry for entry in self.groups.get((kind, name), []) if entry.alive]

    def _revivable(self, layer: Layer, kind: str, name: str) -> list[_LayeredBlock]:
        """What can be replaced: what is in force, or what an earlier house rule removed."""
        alive = self._alive(kind, name)
        if alive or layer.kind != "house":
            return alive
        return [e for e in self.groups.get((kind, name), []) if e.history[-1].layer.kind == "house"]

    @staticmethod
    def _variants_meant(entries: list[_LayeredBlock], new: AnyBlock) -> list[_LayeredBlock]:
        """Of several variants (`Title(one)`, `Title(two)`) the one that the new block names; else all."""
        same = [entry for entry in entries if variant_of(entry.block) == variant_of(new)]
        return same or entries

    def _hint(self, kind: str, name: str, in_data: str = "") -> str | None:
        """What may be meant by a name that is not there. in_data: what does the same to a table of data."""
        if kind == "table" and in_data:
            return f"if it is a table of data, write it in a file of data: tables: {{{name}: {{{in_data}}}}}"
        if kind == "phase" and in_data:
            instead = f'`replace phase {name} "..": STEP` puts another in its place'
            return f"a phase takes no new lines: `replace procedure ..` changes what its steps do, {instead}"
        near = self.guesses.hint(name, lambda: self._names(kind))
        if near or self.guesses.left <= 0:
            return near
        others = sorted(k for (k, n), found in self.groups.items() if n == name and k != kind and _any_alive(found))
        return f"{name} is a {others[0]}" if others else None

    def _names(self, kind: str) -> list[str]:
        return [n for (k, n), found in self.groups.items() if k == kind and _any_alive(found)]

    def _unknown(self, pos: Pos, kind: str, name: str, what: str, hint: str | None) -> None:
        message = f"there is no {_named(kind, name).removeprefix('the ')} that could be {what}"
        gone = [entry for entry in self.groups.get((kind, name), []) if not entry.alive]
        if (kind, name) in self.renamed:
            new, change = self.renamed[kind, name]
            message += f': {change.layer.label} calls it "{new}" ({change.pos.file}:{change.pos.line})'
            hint = f'write "{new}"'  # not what is spelt alike
        elif gone:
            last = gone[-1].history[-1]
            message += f": {last.layer.label} has removed it ({last.pos.file}:{last.pos.line})"
            hint = hint or f"leave one of the two away: this, or what {last.layer.label} removes"
        self.problems.append(problem_at(pos, "unknown-name", message, hint))


def _otherwise_asked(old: AnyBlock, new: AnyBlock) -> tuple[str, str] | None:
    """What others could not ask of a block any more as they do, and how it was."""
    before, after = getattr(old, "params", None), getattr(new, "params", None)
    name = getattr(new, "name", "")
    if type(old) is not type(new) or not isinstance(new, _ASKED) or before is None or after is None:
        return None
    if len(before) != len(after):
        shown = f"{name}({', '.join(p.name for p in before)})"
        return f"{name} is asked with {len(before)} values elsewhere, and here it takes {len(after)}", f"it is {shown}"
    if [p.name for p in before] != [p.name for p in after]:
        was, now = (f"{name}({', '.join(p.name for p in params)})" for params in (before, after))
        return f"{name} is {now} here, and lines elsewhere that change it speak of {was}", f"write {was}"
    if isinstance(old, tree.RollBlock) and isinstance(new, tree.RollBlock):
        was, now = _form_of(old), _form_of(new)
        if was != now:
            return f"{name} was {was}, and here it is {now}", f"write {was}: others count on what it gives"
    return None


#: Blocks that others ask with values.
_ASKED = (tree.NumberBlock, tree.FlagBlock, tree.ValueBlock, tree.ProcedureBlock, tree.RollBlock, tree.EventBlock)


def _form_of(b: tree.RollBlock) -> str:
    """What a roll gives."""
    if b.outcomes or any(n.effect == "is" for n in b.naturals):
        return "a roll with words for its outcomes"
    if isinstance(b.spec, tree.Test) or (isinstance(b.spec, tree.Opposed) and not b.spec.margin):
        return "a test that succeeds or fails"
    return "a throw that gives a number"


def _phases(block: AnyBlock) -> tuple[tree.Phase, ...]:
    return block.phases if isinstance(block, tree.TurnBlock) else ()


def _any_alive(entries: Iterable[_LayeredBlock]) -> bool:
    return any(entry.alive for entry in entries)


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _refs(block: AnyBlock) -> tuple[str, ...]:
    match block:
        case tree.HandlerBlock():
            return _joined(block.ref, block.handler.ref)
        case tree.ReactionBlock():
            return _joined(block.ref, block.reaction.ref)
    return block.ref


def _are_variants(one: AnyBlock, other: AnyBlock) -> bool:
    first, second = variant_of(one), variant_of(other)
    return bool(first) and bool(second) and first != second


# -- amending ----------------------------------------------------------------------------------


class _Amending:
    """Applies one `amend` block to its target, or to each variant of it."""

    def __init__(
        self, amend: tree.Amend, problems: list[Problem], with_fields: Callable[..., tuple[tree.FieldDecl, ...]]
    ) -> None:
        self.amend, self.problems, self.with_fields = amend, problems, with_fields
        self.known: list[str] = []
        self.found: set[str] = set()

    def lines(self) -> Iterator[str]:
        """The lines that it removes or replaces."""
        for change in self.amend.changes:
            if isinstance(change, tree.RemoveLine | tree.ReplaceLine):
                yield change.called

    def report_unknown_lines(self, target: str) -> None:
        for change in self.amend.changes:
            if isinstance(change, tree.RemoveLine | tree.ReplaceLine) and change.called not in self.found:
                self.found.add(change.called)
                message = f'{target} has no line called "{change.called}"'
                listed = f"lines with names: {', '.join(dict.fromkeys(self.known))}" if self.known else None
                hint = did_you_mean(change.called, self.known) or listed or "no line of it has a name (`called ..`)"
                self.problems.append(problem_at(change.pos, "unknown-line", message, hint))

    def of(self, block: AnyBlock) -> AnyBlock:
        """The block with the changes made."""
        new: Any = block
        for change in self.amend.changes:
            new = self._one(new, change)
        reads = self.amend.reads or new.reads
        changed: AnyBlock = replace(new, ref=_joined(new.ref, self.amend.ref), reads=reads)
        return changed

    def _one(self, block: Any, change: tree.Node) -> Any:
        where = _LINES.get(type(block), "")
        items: tuple[Any, ...] = getattr(block, where, ())
        match change:
            case tree.RemoveLine() if where:
                return replace(block, **{where: self._without(items, change.called, ())})
            case tree.FieldDecl() if where == "fields":
                return replace(block, fields=self.with_fields(block, (change,)))
        item = _as_line(block, change.item if isinstance(change, tree.ReplaceLine) else change)
        if item is None:
            self._refuse(change, block)
            return block
        if isinstance(change, tree.ReplaceLine):
            return self._with_line(block, where, change, item)
        if isinstance(item, str) and item in items:
            kind, name = identity(block)
            message = f'{_named(kind, name)} has the word "{item}" already'
            self.problems.append(problem_at(change.pos, "duplicate-name", message, f'take "{item}" away here'))
        return replace(block, **{where: _added(items, item)})

    def _with_line(self, block: Any, where: str, change: tree.ReplaceLine, item: Any) -> Any:
        """One line in the place of another. Of several with one name nobody can say which is meant."""
        items = getattr(block, where)
        alike = _lines_called(change.called, items)
        if alike > 1:
            self.found.add(change.called)
            message = f'{_named(*identity(block))} has {alike} lines called "{change.called}"'
            hint = f'`remove "{change.called}"` takes all of them out; add below it what shall stand in their place'
            self.problems.append(problem_at(change.pos, "ambiguous-line", message, hint))
            return block
        return replace(block, **{where: self._without(items, change.called, (item,))})

    def _refuse(self, change: tree.Node, block: AnyBlock) -> None:
        kind, name = identity(block)
        message = f"this cannot be added to {_named(kind, name)}"
        hint = f"write `replace {_named(kind, name)} ..` with the whole block"
        if kind in ("turn", "setup"):
            hint = "write `phase NAME before|after|replace PHASE`"
        self.problems.append(problem_at(change.pos, "wrong-amendment", message, hint))

    def _without(self, items: tuple[Any, ...], called: str, instead: tuple[Any, ...]) -> tuple[Any, ...]:
        kept: list[Any] = []
        for item in items:
            name = _called(item)
            if name is not None:
                self.known.append(name)
            if name == called:
                self.found.add(called)
                kept.extend(instead)
            elif isinstance(item, tree.While):
                kept.append(replace(item, items=self._without(item.items, called, instead)))
            else:
                kept.append(item)
        return tuple(kept)


def _lines_called(name: str, items: Iterable[Any]) -> int:
    """How many lines an amendment speaks of by a name, those within a `while` as well."""
    within = sum(_lines_called(name, item.items) for item in items if isinstance(item, tree.While))
    return within + sum(_called(item) == name for item in items)


def _called(item: Any) -> str | None:
    """The name by which an amendment speaks of a line."""
    match item:
        case str():
            return item
        case tree.FieldDecl() | tree.KindField() | tree.KindFlag() | tree.LocalProcedure() | tree.Part():
            return item.name
        case tree.Keeps():
            return item.field.name
        case tree.Case():
            return _key_of(item)
        case tree.Natural():
            return f"natural {_figure(item.face)}"
        case tree.Reaction():
            return item.title.text
    called: str | None = getattr(item, "called", None) or getattr(item, "because", None)
    return called


def _key_of(case: tree.Case) -> str | None:
    """The key of a row of a table as an amendment names it: `4 to 6`, `8 or more`, `otherwise`, a word."""
    if case.otherwise:
        return "otherwise"
    if case.word is not None:
        return case.word.text
    low, high = _figure(case.low), _figure(case.high)
    if case.low is not None and case.high is not None:
        return low if low == high else f"{low} to {high}"
    return f"{low} or more" if case.low is not None else f"{high} or less"


def _figure(bound: tree.Expr | None) -> str:
    match bound:
        case tree.Num():
            return str(bound.value)
        case tree.Unary(op="-", operand=tree.Num() as below):
            return f"-{below.value}"
    return ".."


def _added(items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    """Items with one more; a field or a case of the same name gives way."""
    if isinstance(item, tree.Case):
        return _with_row(items, item)
    if isinstance(item, tree.KindField | tree.KindFlag | str):
        same = [i for i, old in enumerate(items) if type(old) is type(item) and _called(old) == _called(item)]
        if same and _called(item) is not None:
            return (*items[: same[0]], item, *items[same[0] + 1 :])
    return (*items, item)


def _with_row(rows: tuple[tree.Case, ...], row: tree.Case) -> tuple[tree.Case, ...]:
    """The rows of a table with one more, where it belongs: in the place of the row with its key; else before the first
    that it would never be reached behind.
    """
    same = [i for i, old in enumerate(rows) if _key_of(old) == _key_of(row) and old.when == row.when]
    if same:
        return (*rows[: same[0]], row, *rows[same[0] + 1 :])
    at = next((i for i, old in enumerate(rows) if _comes_before(row, old)), len(rows))
    return (*rows[:at], row, *rows[at:])


def _comes_before(row: tree.Case, old: tree.Case) -> bool:
    """Whether a row must stand before another of its table: rows count from above, `otherwise` is the last."""
    if old.otherwise or row.otherwise:
        return old.otherwise and not row.otherwise
    if row.word is not None or old.word is not None:
        return row.word is not None and old.word is not None and row.word == old.word and row.when is not None
    end, least = _bound(old.high, math.inf), _bound(row.low, -math.inf)
    return least <= end


def _bound(bound: tree.Expr | None, open_end: float) -> float:
    """A bound of a row as a figure; what only play decides counts as open."""
    match bound:
        case tree.Num():
            return float(bound.value)
        case tree.Unary(op="-", operand=tree.Num() as below):
            return -float(below.value)
    return open_end


#: The field that holds the lines of a block which can be amended.
_LINES: dict[type, str] = {
    tree.NumberBlock: "lines", tree.ValueBlock: "lines", tree.FlagBlock: "lines", tree.KindBlock: "items",
    tree.StateBlock: "fields", tree.ProfileBlock: "fields", tree.WordsBlock: "words", tree.TableBlock: "cases",
    tree.RollBlock: "naturals",
}  # fmt: skip


def _as_line(block: AnyBlock, change: tree.Node) -> Any:
    """An amendment as a line of a block; None if it can be none."""
    match block, change:
        case (tree.NumberBlock() | tree.ValueBlock(), tree.Modifier(target=target)) if target in (None, block.name):
            return change if change.args else replace(change, target=None)
        case (tree.FlagBlock(), tree.FlagLine()):
            return change
        case (tree.FlagBlock(name=name), tree.Permission(flag=flag, args=())) if flag == name:
            when = change.when or tree.YesNo(True, pos=change.pos)
            return tree.FlagLine(change.allow, when, change.because, change.called, pos=change.pos)
        case (tree.KindBlock(), _):
            return None if isinstance(change, tree.FlagLine | tree.FieldDecl | tree.Natural | tree.Case) else change
        case (tree.StateBlock() | tree.ProfileBlock(), tree.Keeps(field=kept)):
            return kept
        case (tree.WordsBlock(), tree.KindFlag(name=word)):
            return word
        case (tree.TableBlock(), tree.KindField(name=word, value=value)):
            return tree.Case(word=tree.Word(word, pos=change.pos), value=value, pos=change.pos)
        case (tree.TableBlock(), tree.Case()) | (tree.RollBlock(), tree.Natural()):
            return change
    return None


def _is_bare(phase: tree.Phase) -> bool:
    """Whether nothing is said of a phase but its name."""
    return not (phase.title or phase.order or phase.steps or phase.body or phase.when)
