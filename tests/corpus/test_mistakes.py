"""What authors get wrong is told at its place, with what would mend it, and once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from .mistakes import GAMES, Mistake, Table, mistakes

ALL = [one for game in GAMES for one in mistakes(game)]
NOT_YET = pytest.mark.xfail(strict=True, reason="not told yet")
CASES = [
    pytest.param(one, marks=[NOT_YET] if one.said.get("missing") else [], id=f"{one.game}: {one.title}") for one in ALL
]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Table]]:
    """The rulesets, each read when it is first asked for."""
    tables: dict[str, Table] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WARHOST_CACHE", str(tmp_path_factory.mktemp("cache")))

        def known(game: str) -> Table:
            if game not in tables:
                tables[game] = Table(game, tmp_path_factory.mktemp(game))
            return tables[game]

        yield known


@pytest.mark.parametrize("mistake", CASES)
def test_a_mistake_is_told(mistake: Mistake, table: Callable[[str], Table]) -> None:
    problems, place = table(mistake.game).tell(mistake)
    told = "\n".join(p.render() for p in problems)
    assert any(mistake.is_told_by(p, place) for p in problems), f"not told at {place}, with {mistake.hints!r}:\n{told}"
    assert mistake.said.get("also") or len(problems) == 1, f"told with others:\n{told}"


@pytest.mark.parametrize("game", GAMES)
def test_without_a_mistake_nothing_is_told(game: str, table: Callable[[str], Table]) -> None:
    assert table(game).project(()).problems() == []


def test_there_are_enough() -> None:
    assert len(ALL) >= 500
    assert len({(one.game, one.title) for one in ALL}) == len(ALL)
