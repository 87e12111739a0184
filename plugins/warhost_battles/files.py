"""What is to be played: from a battle file, a bundled battle, or the quick form with two armies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import ContentError, Problem, UsageError, did_you_mean
from warhost.packs.user_paths import at_home

if TYPE_CHECKING:
    from warhost.armies.roster import Army
    from warhost.packs import Ruleset
    from warhost.packs.yaml_source import Map

DEFAULT_SEED = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything for a battle except the players. names and players: "" where the file is silent."""

    rules: Ruleset
    armies: tuple[Army, ...]
    scenario: str | Mapping[str, Any] | None
    seed: int
    names: tuple[str, ...]
    players: tuple[str, ...]

    @property
    def side_names(self) -> list[str]:
        """The names of the sides as the battle will have them."""
        found: list[str] = []
        for i, army in enumerate(self.armies):
            name = self.names[i] or army.name
            found.append(f"{name} ({i + 1})" if name in found else name)
        return found


def plan(
    what: str, armies: Sequence[str], scenario: str | None, house: Sequence[str], seed: int | None
) -> Plan:
    """The battle that the command line means. Raises UsageError and ContentError."""
    if armies:
        return quick(what, armies, scenario, house, seed)
    path = at_home(what)
    if path.is_file():
        return from_file(path, None, scenario, house, seed)
    ruleset, colon, name = what.rpartition(":")
    if colon and ruleset:
        return _bundled(ruleset, name, scenario, house, seed)
    if path.exists() and not (path / "ruleset.yaml").is_file():
        raise UsageError(f"{what} is no battle file")
    raise UsageError(_no_battle(what))


def _no_battle(what: str) -> str:
    from warhost.cli import installed_names
    from warhost.packs.find import installed

    if installed_names.folder_of(what) is None:
        hint = did_you_mean(what, sorted({one.id for one in installed()}))
        return f"there is no battle file {what}, and no ruleset of that name" + (f"; {hint}" if hint else "")
    known = installed_names.ids_in(what, "armies", "army")
    named = f" --army {known[0]} --army {known[-1]}" if known else " --army A --army B"
    return f"{what} is a ruleset: say who fights, {what}{named}"


# -- quick form -------------------------------------------------------------------------------------


def quick(
    ruleset: str, armies: Sequence[str], scenario: str | None, house: Sequence[str], seed: int | None
) -> Plan:
    """Armies of a ruleset, each a ready one or a file."""
    from warhost.engine.setup import check_sides, scenario_data
    from warhost.packs import load

    rules = load(ruleset, list(house))
    if len(armies) < 2:
        raise UsageError("a battle needs two armies: --army A --army B")
    found = tuple(army_named(one, rules) for one in armies)
    check_sides(rules, scenario_data(rules, scenario, len(found)), len(found))
    silent = ("",) * len(found)
    return Plan(rules, found, scenario, DEFAULT_SEED if seed is None else seed, silent, silent)


def army_named(given: str, rules: Ruleset, folders: Sequence[Path] = (Path(),)) -> Army:
    """A ready army by its id (or RULESET:ID), or an army file, looked for in the folders."""
    from warhost.armies.roster import Army

    name = given.removeprefix(f"{rules.id}@{rules.edition}:").removeprefix(f"{rules.id}:")
    if name in rules.armies:
        return Army.ready(name, rules)
    paths = [folder / at_home(given) for folder in folders]
    path = next((p for p in paths if p.exists()), paths[0])
    if path.is_dir():
        house = f"if it is a house rule, lay it over the ruleset, and name one of its armies: --house {given} --army ID"
        raise UsageError(f"{given} is a folder and no army; {house}")
    if path.exists() or given.endswith((".yaml", ".yml")) or "/" in given:
        return Army.from_file(path, rules)
    return Army.ready(name, rules)


# -- battle files -----------------------------------------------------------------------------------


def _bundled(
    ruleset: str, name: str, scenario: str | None, house: Sequence[str], seed: int | None
) -> Plan:
    from warhost.packs import load

    rules = load(ruleset, list(house))
    battle = rules.battles.get(name)
    if battle is None:
        known = f"there are: {', '.join(rules.battles)}" if rules.battles else "none comes with this ruleset"
        raise UsageError(f'{rules.id} has no battle "{name}"; {did_you_mean(name, rules.battles) or known}')
    return from_file(battle.path, ruleset, scenario, house, seed)


def from_file(
    path: Path, ruleset: str | None, scenario: str | None, house: Sequence[str], seed: int | None
) -> Plan:
    """A battle file. ruleset: which it is for when the file does not say so itself."""
    from warhost.armies.reading import read_checked
    from warhost.engine.setup import check_sides, scenario_data
    from warhost.packs import load
    from warhost_armies.home import home_of

    data, problems = read_checked(path, "battle")
    if data is None or problems:
        raise ContentError(problems, str(path))
    home = home_of(path)
    named = ruleset or home.ruleset
    if named is None:
        raise UsageError(f"{path} does not say which ruleset it is for: add `ruleset: ID` to it")
    rules = load(named, [*home.house_rules, *house])
    sides = data["sides"]
    armies = tuple(_army_of(side, rules, path) for side in sides)
    fought = _scenario(data, rules, scenario, path)
    check_sides(rules, scenario_data(rules, fought, len(armies)), len(armies))
    return Plan(
        rules, armies, fought, int(data.get("seed", DEFAULT_SEED)) if seed is None else seed,
        tuple(str(side.get("name") or "") for side in sides), tuple(str(side.get("player") or "") for side in sides),
    )  # fmt: skip


def _army_of(side: Map, rules: Ruleset, path: Path) -> Army:
    """The army of one side; what is wrong with its name is told at its place."""
    try:
        return army_named(str(side["army"]), rules, (path.parent, rules.folder))
    except UsageError as error:
        pos = side.pos("army")
        problem = Problem(str(path), pos.line, pos.column, "unknown-army", str(error))
        raise ContentError([problem], str(path)) from error


def _scenario(data: Map, rules: Ruleset, given: str | None, path: Path) -> str | Mapping[str, Any] | None:
    """The scenario with what the file changes of it."""
    from warhost.engine.setup import scenario_data
    from warhost.packs.entries import to_plain

    named = given or data.get("scenario")
    if not any(key in data for key in ("settings", "board", "terrain")):
        return named
    fought = scenario_data(rules, named, len(data.get("sides") or ()) or 2)
    fought["settings"] = {**fought.get("settings", {}), **to_plain(data.get("settings", {}))}
    board = {**fought.get("board", {}), **to_plain(data.get("board", {}))}
    if "terrain" in data:
        board["terrain"] = to_plain(data["terrain"])
        board.pop("to_lay", None)
    fought["board"] = board
    _check_board(rules, board, data, path)
    return fought


def _check_board(rules: Ruleset, board: Mapping[str, Any], data: Map, path: Path) -> None:
    """What the board plugins say of the board, at the place in the battle file."""
    key = "terrain" if "terrain" in data else "board"
    pos = data.key_pos(key)
    told = rules.plugins.call("warhost_board_problems", board=board, program=rules.program)
    keys, _ = rules.plugins.board_keys()
    own = [str(one) for one in data.get("board") or () if one not in keys]
    sentences = [f'the board has no "{one}"; {near}' for one in own if (near := did_you_mean(one, keys)) is not None]
    sentences += [str(s) for found in told for s in found]
    if sentences:
        raise ContentError(
            [Problem(str(path), pos.line, pos.column, "wrong-board", s) for s in sentences], str(path)
        )
