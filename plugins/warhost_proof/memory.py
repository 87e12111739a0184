"""What earlier runs of `warhost mutate` found out, kept in the user's cache.

Two things are kept under the hash of the rules without their examples: which places each example comes to, and what
became of each mutant. A new or changed example is then run once, and tried only on the mutants that the others did not
notice; a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import warhost
from warhost.packs import cache
from warhost.packs.entries import to_plain

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.contents import Example
    from warhost_proof.mutants import Host

#: Of how many states of rules the verdicts are kept.
KEEP = 20


def example_key(example: Example) -> str:
    """Names an example by its content: it changes with every word of it."""
    data = json.dumps(to_plain(example.data), sort_keys=True, default=str)
    return cache.key_of(example.title, " ".join(example.ref), data)[:20]


def _rules_key(rules: Ruleset) -> str:
    """The hash of all that decides what an example comes to, besides the example."""
    core, here = Path(warhost.__file__).resolve().parent, Path(__file__).resolve().parent
    sources = sorted(path for place in (core / "engine", core / "armies", here) for path in place.glob("*.py"))
    parts = [rules.rules_digest, cache.code_stamp(), *sorted(f for f in rules.files if "/examples/" not in f)]
    texts = [path.read_bytes() for path in (*rules.example_rules, *_house_files(rules))]
    return cache.key_of(*parts, *texts, *(path.read_bytes() for path in (*sources, *rules.plugins.sources())))[:40]


def _house_files(rules: Ruleset) -> list[Path]:
    """The files of the house rules on offer, which examples may lay over the ruleset."""
    found: list[Path] = []
    for offer in rules.house_rules.values():
        found += sorted(p for p in offer.path.rglob("*") if p.is_file()) if offer.path.is_dir() else [offer.path]
    return [path for path in found if path.is_file()]


def _forget_oldest(folder: Path) -> None:
    """Keep the verdicts of the last so many states of rules."""
    try:
        found = sorted(folder.glob("mutants-*.jsonl"), key=lambda path: path.stat().st_mtime)
        for path in found[:-KEEP]:
            path.unlink(missing_ok=True)
    except OSError:
        return


class PlacesReached:
    """To which places of the rules each example comes, how long it took (seconds of CPU) and whether it passed."""

    def __init__(self, rules: Ruleset) -> None:
        self.key = f"places-{_rules_key(rules)}"
        kept = cache.get(self.key)
        self.hosts: list[Host] = []
        self.examples: dict[str, tuple[float, bool, list[int]]] = {}
        if isinstance(kept, tuple) and len(kept) == 2:
            self.hosts, self.examples = list(kept[0]), dict(kept[1])
        self.numbers = {host: i for i, host in enumerate(self.hosts)}

    def of(self, example: Example) -> tuple[frozenset[Host], float, bool] | None:
        """(places, seconds, passed) of an example that was run before; None of another."""
        found = self.examples.get(example_key(example))
        return None if found is None else (frozenset(self.hosts[i] for i in found[2]), found[0], found[1])

    def note(self, example: Example, hosts: Iterable[Host], seconds: float, passed: bool) -> None:
        """Note what an example came to."""
        places: list[int] = []
        for host in hosts:
            if host not in self.numbers:
                self.numbers[host] = len(self.hosts)
                self.hosts.append(host)
            places.append(self.numbers[host])
        self.examples[example_key(example)] = (seconds, passed, places)

    def keep(self) -> None:
        """Write all of it."""
        cache.put(self.key, (self.hosts, self.examples))


class Verdicts:
    """What became of mutants: a line of JSON for each, after the line that names the examples they were tried with.

    noticed: by the mutant's key, the key and the title of the example that noticed it. missed: the keys of the examples
    that were there and did not, and how many came to its place.
    """

    def __init__(self, rules: Ruleset) -> None:
        folder = cache.folder()
        self.path = folder / f"mutants-{_rules_key(rules)}.jsonl" if folder is not None else None
        if folder is not None:
            _forget_oldest(folder)
        self.noticed: dict[str, tuple[str, str, int]] = {}
        self.missed: dict[str, tuple[frozenset[str], int]] = {}
        self._groups: dict[str, frozenset[str]] = {}
        for line in self._lines():
            try:
                self._read(json.loads(line))
            except (ValueError, TypeError, KeyError):
                continue  # cut off in the middle

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8").splitlines() if self.path is not None else []
        except OSError:
            return []

    def _read(self, entry: Any) -> None:
        if "examples" in entry:
            self._groups[entry["id"]] = frozenset(entry["examples"])
        elif entry.get("by"):
            self.noticed[entry["mutant"]] = (entry["by"], entry["title"], int(entry["reached"]))
        else:
            self.missed[entry["mutant"]] = (self._groups[entry["tried"]], int(entry["reached"]))

    def add(self, mutant: str, by: tuple[str, str] | None, tried: frozenset[str], reached: int) -> None:
        """Note what became of a mutant. by: key and title of the example that noticed it. tried: the keys of all
        examples that there are. reached: how many come to its place.
        """
        entry: dict[str, Any] = {"mutant": mutant, "reached": reached}
        if by is not None:
            self.noticed[mutant] = (*by, reached)
            entry |= {"by": by[0], "title": by[1]}
        else:
            self.missed[mutant] = (tried, reached)
            entry["tried"] = self._group(tried)
        self._write(entry)

    def _group(self, examples: frozenset[str]) -> str:
        name = cache.key_of(*sorted(examples))[:16]
        if name not in self._groups:
            self._groups[name] = examples
            self._write({"id": name, "examples": sorted(examples)})
        return name

    def _write(self, entry: dict[str, Any]) -> None:
        if self.path is None:
            return
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry) + "\n")
        except OSError:
            self.path = None
