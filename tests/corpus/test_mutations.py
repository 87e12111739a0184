"""A few random changes; `python -m tests.mutations` makes as many as one likes."""

from __future__ import annotations

import pytest

from tests.mutations import main


def test_a_changed_ruleset_is_refused_or_plays(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))
    assert main(["40", "--seed", "2", "--game", "ford"]) == 0
