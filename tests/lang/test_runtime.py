"""What running rules ask of a battle is what `Runtime` says, no more and no less."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from warhost.lang import python_backend
from warhost.lang.runtime import Runtime
from warhost_proof import interpreter

MEMBERS = {name for name in vars(Runtime) if not name.startswith("_")} | set(Runtime.__annotations__)


def asked_by(module: object) -> set[str]:
    """The names that follow `rt.` in generated code, or in the interpreter."""
    text = Path(inspect.getfile(module)).read_text(encoding="utf-8")  # type: ignore[arg-type]
    calls = re.findall(r'"\+=": "(\w+)"|"-=": "(\w+)"|"=": "(\w+)"', text)  # a field is written by one of three calls
    return set(re.findall(r"\brt\.([A-Za-z_]\w*)", text)) | {name for row in calls for name in row if name}


@pytest.mark.parametrize("module", [python_backend, interpreter], ids=["compiler", "interpreter"])
def test_running_rules_ask_for_nothing_else(module: object) -> None:
    singletons = {"battle", "scenario", "side_a", "side_b"}  # `getattr(rt, name)` of things that there is one of
    assert asked_by(module) - singletons <= MEMBERS | {"put", "add", "take_off"}


def test_nothing_stands_there_that_nobody_asks_for() -> None:
    assert asked_by(python_backend) | asked_by(interpreter) >= MEMBERS


def test_every_method_says_what_it_is() -> None:
    for name, member in vars(Runtime).items():
        if not name.startswith("_") and inspect.isfunction(member):
            assert inspect.getdoc(member), name
