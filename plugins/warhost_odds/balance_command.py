"""`warhost balance`: everybody against everybody at equal points."""

from __future__ import annotations

import io
import time
from collections.abc import Iterable, Sequence
from contextlib import contextmanager
from csv import DictWriter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import ScenarioName, common, house_option, json_option, ruleset_argument
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless, write_whole
from warhost_odds.question_options import method_options, pairs, plot_option, question_options, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from warhost_odds.balance import Balance, Fair, Progress, Watch
    from warhost_odds.plan import BalancePlan, PartPlayed

ALL_OF = "all-of"


class PartOfTable(click.ParamType[tuple[int, int]]):
    """Which part of how many: `2/8`."""

    name = "part"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        if isinstance(value, tuple):
            return value
        part, slash, of = str(value).partition("/")
        if not slash or not (part.isdecimal() and of.isdecimal()) or not 1 <= int(part) <= int(of):
            self.fail(f"{value!r} is no part: write K/N, as 2/8 for the second of eight", param, ctx)
        return int(part), int(of)


EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal."""

STAGES = {"pairings": "pairings", "tried": "pairings tried"}

CELL = 6
"""Characters for a column of the matrix."""


@click.command(
    "balance", cls=WithExamples,
    examples=(
        "warhost balance {ruleset} --units {unit},{other_unit} --trials 200",
        "warhost balance {ruleset} --units all-of {list} --trials 20 --no-prices --workers 1",
    ),
)  # fmt: skip
@ruleset_argument
@click.argument("lists", nargs=-1, metavar="")
@click.option("--units", multiple=True, metavar="A,B+option,..|all-of LIST",
              help="Who fights duels: units with what they take, or whole army lists. May be repeated.")  # fmt: skip
@click.option("--armies", multiple=True, metavar="A,B,..", help="Or which armies fight battles: ids or files.")
@click.option("--where", multiple=True, metavar="FIELD=VALUE", help="Only units whose profile says so.")
@click.option("--ordered", is_flag=True, help="The row attacks the column: rates of that alone, not of both ways.")
@click.option("--diagonal", is_flag=True, help="Each against itself, too: how often the one that attacks wins.")
@click.option("--csv", "csv", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.csv",
              help="Write the rates of the matrix, a line for each.")  # fmt: skip
@click.option("--points", type=click.FloatRange(min=0, min_open=True), metavar="P",
              help="What each unit may cost; it has as many models as that buys.")  # fmt: skip
@click.option("--prices/--no-prices", default=True, help="Look for the price at which each unit would break even.")
@question_options
@method_options(usually="simulation")
@click.option("--scenario", type=ScenarioName(), metavar="ID", help="Of the battles of armies.")
@click.option("--player", metavar="POLICY", help="Which computer player leads the armies.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Processes that play (all processors).")
@click.option("--cluster", metavar="ADDRESS", help="A Dask cluster plays: tcp://host:8786.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
              help="Where results are kept as they come (SQLite; without it in the cache).")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only say what it would take, by a few pairings, which are kept.")
@click.option("--part", type=PartOfTable(), metavar="K/N",
              help="Only play part K of N and keep it, on one of N machines.")  # fmt: skip
@click.option("--merge", multiple=True, type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="FILE",
              help="First take over the results of a part, from its --out file. May be repeated.")  # fmt: skip
@plot_option
@house_option
@json_option
@common
def balance(
    ruleset: str, lists: tuple[str, ...], units: tuple[str, ...], armies: tuple[str, ...], where: tuple[str, ...],
    points: float | None, prices: bool, what: str | None, until: str | None, others: tuple[str, ...],
    given: tuple[str, ...], method: str | None, trials: int | None, seed: int | None, scenario: str | None,
    player: str | None, workers: int | None, cluster: str | None, out: Path | None, plot: Path | None,
    house: tuple[str, ...], as_json: bool, ordered: bool, diagonal: bool, csv: Path | None, dry_run: bool,
    part: tuple[int, int] | None, merge: tuple[Path, ...], **short: str | None,
) -> None:  # fmt: skip
    """Compare units at equal points, or armies in battle.

    Who beats whom, what is worth its price, and what it ought to cost. Units fight duels, half of them with one
    attacking and half with the other; armies fight battles with computer players. Every result is kept as soon as it
    is there: the same command goes on where the last one stopped.
    """
    from warhost.cli import output
    from warhost_odds import canvas, charts
    from warhost_odds.allocator import keep_memory
    from warhost_odds.balance import AskedTable, made, plan, play_part, take_in

    keep_memory()
    if plot is not None:
        canvas.check_path(plot)
    for option, value in (("--points", points), ("--where", where), ("--what", what), ("--method", method)):
        if armies and value:
            raise click.UsageError(f"{option} is for units, not for armies")
    if part is not None and (plot is not None or csv is not None or dry_run):
        raise click.UsageError("a part of a table is only played; the table comes of all parts together, with --merge")
    asked = AskedTable(
        ruleset, tuple(_units(units, lists)), tuple(_split(armies)), house, points, trials, seed or 0, what,
        until or "end", settings_of(short, others), given, method or "simulation", pairs(where, "--where"), scenario,
        player, diagonal,
    )  # fmt: skip
    if merge:
        taken = take_in(out, merge)
        if not as_json:
            output.say(f"{taken:,} pairings taken over")
    with _progress(quiet=as_json) as watch:
        if dry_run:
            planned = plan(asked, out, watch)
        elif part is not None:
            played = play_part(asked, *part, out, workers, cluster, watch)
        else:
            table = made(asked, prices, workers, cluster, out, watch, ordered)
    if dry_run:
        output.show_json(planned.as_dict()) if as_json else show_plan(planned)
        return
    if part is not None:
        output.show_json(played.as_dict()) if as_json else show_part(played)
        return
    if as_json:
        output.show_json(table.as_dict())
    else:
        show(table)
    if csv is not None:
        write_whole(csv, cells_as_csv(table).encode(), "the table", is_cells)
        if not as_json:
            output.say(f"table: {csv}")
    if plot is not None:
        names = [_name(s.name, s.count) for s in table.standings]
        note = f"{about(table)}; in a hundred, row against column"
        canvas.write(charts.of_matrix(f"Who beats whom in {table.ruleset['id']}", note, names, table.matrix()), plot)
        if not as_json:
            output.say(f"plot: {plot}")


def show_plan(plan: BalancePlan) -> None:
    """What a table would take."""
    from warhost.cli import output

    points = _sizes(plan.points, plan.one_each)
    rules = plan.ruleset
    output.say(f"{rules['id']}@{rules['edition']}: {plan.what}{points}, {plan.trials:,} times each", style="bold")
    _say_left_out(plan.free)
    output.say(f"{plan.players:,} players, {plan.pairings:,} pairings, {plan.kept:,} of them kept by now")
    if plan.kept == plan.pairings or plan.each is None:
        output.say("nothing is left to be played" if plan.kept == plan.pairings else "too few are left to try any")
        return
    low, high = plan.between
    output.say(f"{plan.tried} of them took {plan.each:.2f} s of a processor each")
    output.say(f"expected for the rest: {_long(plan.seconds)} of one processor ({_long(low)} to {_long(high)})")
    output.say(f"on {MACHINES} processors: {_long(plan.seconds / MACHINES)}, each with a part (--part 1/{MACHINES} ..)")


MACHINES = 8
"""For so many processors a plan is reckoned, too."""


def _long(seconds: float) -> str:
    """A time in words."""
    for unit, size in (("days", 86400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s"


def show_part(played: PartPlayed) -> None:
    """What was played of a table."""
    from warhost.cli import output

    new = played.pairings - played.kept
    output.say(f"part {played.part} of {played.of}: {played.pairings:,} pairings, {new:,} of them played now")


CELLS = ("one", "two", "rate", "rate_low", "rate_high", "trials")
"""The columns of `--csv`."""


def cells_as_csv(table: Balance) -> str:
    """The matrix, a line for each rate, as `warhost compare` reads it."""
    text = io.StringIO()
    writer = DictWriter(text, CELLS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.cells())
    return text.getvalue()


def is_cells(head: bytes) -> bool:
    """Whether a file that begins so is such a table."""
    return head.startswith(",".join(CELLS).encode())


def _split(given: Iterable[str]) -> list[str]:
    return [one.strip() for some in given for one in some.split(",") if one.strip()]


def _units(given: Iterable[str], lists: Sequence[str]) -> list[str]:
    """What was named; the list of a bare `all-of` stands behind the ruleset. Raises click.UsageError."""
    rest = list(lists)
    found = []
    for one in _split(given):
        if one == ALL_OF:
            if not rest:
                raise click.UsageError("--units all-of: of which army list? write --units all-of LIST")
            one = f"{ALL_OF} {rest.pop(0)}"
        found.append(one)
    if rest:
        raise click.UsageError(f"what is {rest[0]}? units are named with --units, with commas and without blanks")
    return found


# -- how far it is ------------------------------------------------------------------------------------


@contextmanager
def _progress(quiet: bool) -> Iterator[Watch]:
    """A bar with the time left on a terminal; elsewhere a line in half a minute, on the error stream."""
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Shown

    from warhost.cli import output

    err = output.console(err=True)
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )  # fmt: skip
    with Shown(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as shown:
        step, bar, told, said = 0, None, "", time.monotonic()

        def watch(now: Progress) -> None:
            nonlocal step, bar, told, said
            if now.last is not None and not err.is_terminal and not quiet and time.monotonic() - said >= EVERY:
                said = time.monotonic()
                output.say(f"{told}: {now.done:,} of {now.total:,}", err=True)
            if now.last is None:
                step += 1
                told = STAGES.get(now.stage, f"fair prices, step {step - 1}")
                if bar is not None:
                    shown.remove_task(bar)
                bar = shown.add_task(told, total=now.total, completed=now.done, last="")
            elif bar is not None:
                shown.update(bar, completed=now.done, last=f"{now.last.one} against {now.last.two}")

        try:
            yield watch
        except KeyboardInterrupt:
            shown.stop()
            output.say("Stopped. What was played is kept: the same command goes on from there.", err=True)
            raise


# -- the table ----------------------------------------------------------------------------------------


def about(table: Balance) -> str:
    """What was played, in a line."""
    methods = {p.method for p in table.pairings}
    times = "exact" if methods == {"exact"} else f"{table.trials:,} times each"
    if "exact" in methods and len(methods) > 1:
        times = f"exact where possible, else {times}"
    points = _sizes(table.points, table.one_each)
    return f"{table.what}{points}, {times}, seed {table.seed}"


def _sizes(points: float | None, one_each: bool) -> str:
    """How large those who fight are."""
    if one_each:
        return ", one against one" + (f" of {points:g} points at most" if points is not None else "")
    return f", {points:g} points each" if points is not None else ""


def _say_left_out(free: Sequence[str]) -> None:
    from warhost.cli import output

    if free:
        output.say(f"left out, for they cost nothing: {', '.join(free)}", style="dim")


def _name(name: str, count: int | None) -> str:
    return name if count is None else f"{count} {name}"


def show(table: Balance) -> None:
    """The matrix, and how each did against all."""
    from rich.text import Text

    from warhost.cli import output

    rules = table.ruleset
    house = f", house rules: {', '.join(rules['house_rules'])}" if rules["house_rules"] else ""
    output.say(f"{rules['id']}@{rules['edition']}{house}: {about(table)}", style="bold")
    how = "How often the row beats the column" + (" when it attacks" if table.ordered else "")
    output.say(f"{how}, in a hundred; what nobody wins counts half.", style="dim")
    _say_left_out(table.free)
    out, matrix = output.console(), table.matrix()
    names = [f"{i:>2} {_name(s.name, s.count)}" for i, s in enumerate(table.standings, start=1)]
    longest = max(map(len, names))
    abreast = max((out.width - longest) // CELL - 1, 1)
    for first in range(0, len(names), abreast):
        columns = range(first, min(first + abreast, len(names)))
        made = output.table("", *(str(j + 1) for j in columns), right=[str(j + 1) for j in columns])
        for name, rates in zip(names, matrix, strict=True):
            made.add_row(Text(harmless(name), no_wrap=True), *(_cell(rates[j]) for j in columns))
        out.print(made)
        out.print()
    _show_standings(table)


def _cell(rate: float | None) -> Text:
    from rich.text import Text

    if rate is None:
        return Text("-", style="dim")
    style = "green" if rate >= 0.55 else "red" if rate <= 0.45 else ""
    return Text(f"{100 * rate:.0f}", style=style)


def _show_standings(table: Balance) -> None:
    from warhost.cli import output

    figures = ["points", "wins", "between", "takes/loses"]
    units = table.kind == "units"
    priced = any(s.fair for s in table.standings)
    if units:
        figures = ["price", *figures]
    if priced:
        figures += ["fair price", "  between"]
    made = output.table("", *figures, "note", right=[f for f in figures if "between" not in f])
    rows = []
    for s in sorted(table.standings, key=lambda s: -s.win_rate):
        row: list[Any] = [_name(s.name, s.count)]
        row += [f"{s.price:g}"] if units and s.price is not None else [""] if units else []
        low, high = s.interval
        row += [f"{s.worth:g}", f"{100 * s.win_rate:.1f} %", f"({100 * low:.1f} to {100 * high:.1f})"]
        row.append("" if s.efficiency is None else f"{s.efficiency:.2f}")
        if priced:
            row += _priced(s.fair)
        rows.append([*row, "; ".join(filter(None, (s.note, s.fair.says if s.fair else "")))])
    output.show_table(made, rows)


def _priced(fair: Fair | None) -> list[str]:
    if fair is None or fair.price is None:
        return ["", ""]
    low, high = fair.span
    if low is None and high is None:
        return [f"{fair.price:.1f}", ""]
    between = f"({'' if low is None else f'{low:.1f}'} to {'..' if high is None else f'{high:.1f}'})"
    return [f"{fair.price:.1f}", between]
