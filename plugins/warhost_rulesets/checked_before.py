"""That nothing was wrong with a ruleset, and what was warned of, remembered as long as nothing has changed that could
alter it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import warhost
from warhost import tools
from warhost.lang.incremental import Changed
from warhost.packs import cache
from warhost.packs.find import files_of, read_bytes, shown

if TYPE_CHECKING:
    from warhost.errors import Problem
    from warhost.packs.readings import Readings
    from warhost.packs.ruleset import Ruleset

#: The code that decides it, besides the library's.
_OWN = sorted(Path(__file__).resolve().parent.glob("*.py"))


@dataclass(frozen=True, slots=True)
class Verdict:
    """That nothing is wrong. warnings: what is warned of beside the ruleset itself; counts: how much there is of it."""

    warnings: list[Problem]
    counts: dict[str, int] | None


class Before:
    """What is known of a ruleset as it was read just now, from other runs."""

    def __init__(self, rules: Ruleset, readings: Readings) -> None:
        self.rules, self.readings = rules, readings
        self._all, self._without_examples = _keys(rules)

    def verdict(self) -> Verdict | None:
        """What was found when it was looked at with all that lies in its folders and the code that read it, and nothing
        was wrong, or with other examples that make no difference to what lies beside the ruleset; None when that is not
        known.
        """
        found = cache.get(self._all) if self._all else None
        if isinstance(found, tuple):
            return Verdict(*found)
        found = cache.get(self._without_examples) if self._without_examples else None
        if isinstance(found, tuple):
            warnings, words, data_too = found
            if self.readings.examples_untouched_by(Changed(words, data_too)):
                return Verdict(warnings, None)
        return None

    def keep(self, warnings: list[Problem], counts: dict[str, int], looked: bool) -> None:
        """Remember that nothing is wrong, and what is warned of: in its files, each house rule that it offers, its
        ready armies. looked: somebody has looked at these just now.
        """
        if self._all is None or self._without_examples is None:
            return
        cache.put(self._all, (warnings, counts))
        changed = self.readings.changed_above()
        of_examples = any(one.file in self.rules.example_files for one in warnings)
        if looked and changed.words is not None and not of_examples:
            cache.put(self._without_examples, (warnings, changed.words, changed.data_too))


def _keys(rules: Ruleset) -> tuple[str | None, str | None]:
    """What the verdict depends on: with the examples and without them; None when something cannot be read."""
    code = [*_OWN, *sorted(Path(warhost.__file__).resolve().parent.rglob("*.py")), *rules.plugins.sources()]
    code += tools.sources_of_checks()
    folders = {layer.folder for layer in rules.layers if layer.kind != "plugin"} | {rules.folder}
    parts: list[bytes] = [cache.code_stamp().encode()]
    examples: list[bytes] = []
    try:
        for path in code:
            parts += _named(path, read_bytes(path))
        for folder in sorted(folders):
            found, problems = files_of(folder, str(folder))
            if problems:
                return None, None
            label = shown(folder)  # warnings name files by it
            parts.append(label.encode("utf-8", "surrogatepass"))
            for name, path in found:
                of = examples if f"{label}/{name}" in rules.example_files else parts
                of += _named(path, read_bytes(path))
    except OSError:
        return None, None
    return cache.key_of("in order", *parts, *examples), cache.key_of("in order beside its examples", *parts)


def _named(path: Path, said: bytes) -> tuple[bytes, bytes]:
    return str(path).encode("utf-8", "surrogatepass"), said
