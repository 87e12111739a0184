"""What rulesets get that say `plugins: [outsider]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.hookspecs import Misfit, hookimpl
from warhost.things import PluginBattle
from warhost.vocabulary import Field, Function, Kept, Kind
from warhost_outsider import lane
from warhost_outsider.player import Hasty

if TYPE_CHECKING:
    from warhost import Policy

STANCE = Kind(
    "stance", "stances", "how a unit carries itself",
    fields=(Field("weight", "number", "how hard it comes on", default=0),), flags=("steady",),
)  # fmt: skip


@hookimpl
def warhost_kinds() -> Iterable[Kind]:
    return (STANCE,)


@hookimpl
def warhost_functions() -> Iterable[Function]:
    return lane.FUNCTIONS


@hookimpl
def warhost_rules() -> Iterable[Path]:
    return (Path(__file__).with_name("lane.rules"),)


@hookimpl
def warhost_policies() -> Mapping[str, Callable[[int], Policy]]:
    return {"hasty": Hasty}


@hookimpl
def warhost_board(battle: PluginBattle, board: Mapping[str, Any]) -> None:
    lane.lay_out(battle, board)


@hookimpl
def warhost_board_problems(board: Mapping[str, Any]) -> Iterable[str | Misfit]:
    return lane.problems(board)


@hookimpl
def warhost_picture(battle: PluginBattle) -> Mapping[str, Any]:
    return lane.picture(battle)


@hookimpl
def warhost_invariants(battle: PluginBattle) -> Iterable[str]:
    return lane.broken_laws(battle)


@hookimpl
def warhost_kept(battle: PluginBattle) -> Kept:
    """Everything is in fields of things: there is nothing to put back."""
    return Kept(lambda: None, ())


@hookimpl
def warhost_board_keys() -> Iterable[str]:
    return lane.BOARD


@hookimpl
def warhost_place_problems(board: Mapping[str, Any], place: Any) -> Iterable[str | Misfit]:
    return lane.misplaced(board, place)
