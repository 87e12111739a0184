"""Running a ruleset's examples against changed rules: which of them notice, and to which places each comes."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import process_time
from typing import TYPE_CHECKING, Any

from warhost.engine.code import Code, code_made_by
from warhost.errors import WarhostError
from warhost.lang import ir
from warhost.lang.program import Table
from warhost.limits import with_limits
from warhost.things import titles_of
from warhost_proof.examples import run_example, under
from warhost_proof.interpreter import Interpreter
from warhost_proof.memory import PlacesReached
from warhost_proof.mutants import NEVER, Host, Mutant, host_of, mutants_of

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.contents import Example

#: Steps that a phase may take while a mutant is tried; rules that run away are noticed.
MOST_STEPS = 300_000

#: How long one example may take, in seconds: so many times what it takes by itself, and so many more.
LONGER, MORE = 10, 2.0


@dataclass(frozen=True, slots=True)
class TriedExample:
    """What is known of an example: what it came to, how long it took (seconds of CPU), whether it passes."""

    example: Example
    hosts: frozenset[Host]
    seconds: float
    passed: bool


class Following(Interpreter):
    """The interpreter that notes every place of the rules that it comes to."""

    def __init__(self, program: Any, hosts: set[Host] | None) -> None:
        super().__init__(program)
        self.hosts = hosts

    def function(self, f: ir.Routine) -> Callable[..., Any]:
        return _no if f is NEVER else super().function(f)

    def _callable(self, f: ir.Routine) -> Callable[..., Any]:
        return self._noting(super()._callable(f), host_of(f.pos))

    def _body(self, body: Any, at: Any) -> Any:
        if self.hosts is not None:
            for s in body:  # what comes after a `stop` is noted too early, which costs time and no verdict
                self.hosts.add(host_of(s.pos))
        return super()._body(body, at)

    def _make_table(self, table: Table) -> Callable[..., Any]:
        return self._noting(super()._make_table(table), ("table", table.name))

    def _noting(self, run: Callable[..., Any], here: Host) -> Callable[..., Any]:
        """A callable that notes its place each time, if places are noted."""
        hosts = self.hosts
        if hosts is None:
            return run

        def noted(*args: Any) -> Any:
            hosts.add(here)
            return run(*args)

        return noted


def _no(*_: Any) -> bool:
    return False


class _TooLongError(Exception):
    """An example goes on far longer than it does by the rules as they are."""


@dataclass(slots=True)
class Trials:
    """The examples of a ruleset, each run once by the rules as they are (`learn`), to be run again by changed ones."""

    rules: Ruleset
    variants: dict[tuple[str, ...], Ruleset] = field(default_factory=dict)
    known: list[TriedExample] = field(default_factory=list)
    under: dict[tuple[str, ...], dict[str, Mutant]] = field(default_factory=dict, repr=False)

    def learn(self, told: Callable[[int, int], None] | None = None) -> None:
        """Run every example that was not run before once. told: is given how many are done, and how many there are."""
        self.variants.setdefault(self.rules.house, self.rules)
        places = PlacesReached(self.rules)
        new = False
        for i, example in enumerate(self.rules.examples):
            under(self.rules, example, self.variants)  # changes must be made in every layering, before it is asked for
            found = places.of(example)
            if found is None:
                found, new = self._run(example), True
                places.note(example, *found)
            self.known.append(TriedExample(example, *found))
            if told is not None:
                told(i + 1, len(self.rules.examples))
        if new:
            places.keep()
        self.under = {
            house: {m.key: m for m in mutants_of(rules, thorough=True)}
            for house, rules in self.variants.items()
            if rules is not self.rules
        }

    def _run(self, example: Example) -> tuple[frozenset[Host], float, bool]:
        """The places that an example comes to, the seconds of CPU that it took, and whether it passes."""
        hosts: set[Host] = set()
        with self._followed(hosts):
            began = process_time()
            result, battle = run_example(self.rules, example, self.variants, trace=False)
            spent = process_time() - began
        if battle is not None:
            hosts |= _fielded(battle)
        return frozenset(hosts), spent, result.passed

    def that_come_to(self, hosts: Iterable[Host], refs: Iterable[str] = ()) -> list[TriedExample]:
        """The examples that come to one of some places, those that name one of the refs first, then the quickest."""
        wanted, named = frozenset(hosts), frozenset(refs)
        found = [k for k in self.known if k.passed and not wanted.isdisjoint(k.hosts)]
        return sorted(found, key=lambda k: (named.isdisjoint(k.example.ref), k.seconds))

    def applied(self, mutant: Mutant) -> Callable[[], None]:
        """Make a mutant in the ruleset and wherever its house rules lie over the same line; gives what undoes it."""
        undoing = [mutant.apply()]
        undoing += [under[mutant.key].apply() for under in self.under.values() if mutant.key in under]

        def undo() -> None:
            for one in reversed(undoing):
                one()

        return undo

    def first_to_notice(self, candidates: Iterable[TriedExample]) -> TriedExample | None:
        """The first example that fails by the rules as they are now; None when all pass."""
        return next(self.all_who_notice(candidates), None)

    def all_who_notice(self, candidates: Iterable[TriedExample]) -> Iterator[TriedExample]:
        with self._followed(None):
            for known in candidates:
                if self._fails(known):
                    yield known

    def _fails(self, known: TriedExample) -> bool:
        try:
            with _limited(known.seconds * LONGER + MORE):
                result, _ = run_example(self.rules, known.example, self.variants, trace=False)
        except (_TooLongError, WarhostError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            return True
        except RecursionError:
            return True
        return not result.passed

    @contextmanager
    def _followed(self, hosts: set[Host] | None) -> Iterator[None]:
        """Every battle of the ruleset and its variants goes by a fresh interpreter."""
        made: dict[int, Code] = {}

        def make(rules: Ruleset) -> Code:
            key = id(rules.program)
            if key not in made:
                made[key] = Code(rules.program, backend=Following(rules.program, hosts))
            return made[key]

        with with_limits(steps=MOST_STEPS), code_made_by(make):
            yield


def _fielded(battle: Any) -> set[Host]:
    """The profiles that were in a battle and what its things bore."""
    found: set[Host] = set()
    for things in battle.everyone.values():
        for thing in things:
            profile = getattr(thing, "profile", None)
            if isinstance(profile, str):
                found.add(("profile", profile))
            found |= {("title", title) for title in titles_of(thing)}
    return found


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Ends what takes longer than so many seconds of CPU."""

    def end(*_: Any) -> None:
        raise _TooLongError

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
