"""Chances: what the rules of a ruleset say of a fight between two units, exactly or by simulation.

    from warhost.odds.questions import UnitSpec, questions, set_up

    answer = warhost.odds("my_game", "Red guards:20", "blue_rabble:30")

The rules that answer are those that play the battle; the manifest's `odds:` names them (docs/design/formats.md). The
package can be called like the function `warhost.odds.asking.odds`, because both have the name `warhost.odds`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from warhost.odds.asking import odds

        return odds(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
