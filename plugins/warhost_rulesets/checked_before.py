"""That nothing was wrong with a ruleset, and what was warned of, remembered as long as nothing has changed that could
alter it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import warhost
from warhost import tools
from warhost.packs import cache
from warhost.packs.find import files_of, read_bytes
from warhost.packs.user_paths import shown

if TYPE_CHECKING:
    from warhost.errors import Problem
    from warhost.packs.ruleset import Ruleset

#: The code that decides it, besides the library's.
_OWN = sorted(Path(__file__).resolve().parent.glob("*.py"))


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """That nothing is wrong. warnings: what is warned of beside the ruleset itself; counts: how much there is of it."""

    warnings: list[Problem]
    counts: dict[str, int]


def verdict_before(key: str) -> CheckVerdict | None:
    """What was found when the ruleset was looked at with all that lies in its folders and the code that read it, and
    nothing was wrong; None when that is not known. key: of all that (`verdict_key`).
    """
    found = cache.get(key)
    return CheckVerdict(*found) if isinstance(found, tuple) else None


def keep_verdict(key: str, verdict: CheckVerdict) -> None:
    """Remember that nothing is wrong, and what is warned of: in its files, each house rule that it offers, its ready
    armies.
    """
    cache.put(key, (verdict.warnings, verdict.counts))


def verdict_key(rules: Ruleset) -> str | None:
    """What the verdict depends on; None when something cannot be read."""
    code = [*_OWN, *sorted(Path(warhost.__file__).resolve().parent.rglob("*.py")), *rules.plugins.sources()]
    code += tools.sources_of_checks()
    folders = {layer.folder for layer in rules.layers if layer.kind != "plugin"} | {rules.folder}
    parts: list[str | bytes] = [cache.code_stamp()]
    try:
        for folder in sorted(folders):
            found, problems = files_of(folder, str(folder))
            if problems:
                return None
            code += [path for _, path in found]
            parts.append(shown(folder))  # warnings name files by it
        for path in code:
            parts += [str(path), read_bytes(path)]
    except OSError:
        return None
    return cache.key_of("in order", *parts)
