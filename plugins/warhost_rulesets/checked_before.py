"""That a ruleset was found in order once, remembered as long as nothing has changed that could alter it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import warhost
from warhost import tools
from warhost.packs import cache
from warhost.packs.find import files_of, read_bytes

if TYPE_CHECKING:
    from warhost.packs.ruleset import Ruleset

#: The code that decides it, besides the library's.
_OWN = sorted(Path(__file__).resolve().parent.glob("*.py"))


def is_in_order(rules: Ruleset) -> bool:
    """Whether this ruleset, with all that lies in its folders and the code that read it, was in order before."""
    key = _key(rules)
    return key is not None and cache.get(key) == "in order"


def keep_in_order(rules: Ruleset) -> None:
    """Remember that it is: its files, each house rule that it offers, its ready armies."""
    key = _key(rules)
    if key is not None:
        cache.put(key, "in order")


def _key(rules: Ruleset) -> str | None:
    """What the verdict depends on; None when something cannot be read."""
    code = [*_OWN, *sorted(Path(warhost.__file__).resolve().parent.rglob("*.py")), *rules.plugins.sources()]
    code += tools.sources_of_checks()
    folders = {layer.folder for layer in rules.layers if layer.kind != "plugin"} | {rules.folder}
    parts: list[bytes] = [cache.code_stamp().encode()]
    try:
        for folder in sorted(folders):
            found, problems = files_of(folder, str(folder))
            if problems:
                return None
            code += [path for _, path in found]
        for path in code:
            parts += [str(path).encode("utf-8", "surrogatepass"), read_bytes(path)]
    except OSError:
        return None
    return cache.key_of("in order", *parts)
