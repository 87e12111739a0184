"""The front of the library: each name that most programs use is explained with an example that runs."""

from __future__ import annotations

import doctest
import inspect

import pytest

import warhost

NAMES = ("load", "Army", "Battle", "Decision", "odds", "balance")
_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", NAMES)
def test_the_example_holds(name: str, own_cache: None) -> None:
    said = inspect.getdoc(getattr(warhost, name)) or ""
    test = doctest.DocTestParser().get_doctest(said, {}, f"warhost.{name}", None, None)
    assert test.examples, f"warhost.{name} has no example"
    found: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=_OPTIONS).run(test, out=found.append)
    assert not found, "".join(found)


@pytest.mark.parametrize("name", [name for name in warhost.__all__ if name != "__version__"])
def test_every_name_says_what_it_is(name: str) -> None:
    assert inspect.getdoc(getattr(warhost, name)), name
