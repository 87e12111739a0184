"""`warhost odds`: what happens when one unit takes on another."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import RulesetName, common, house_option, json_option, load
from warhost.cli.help_examples import WithExamples
from warhost.output_safety import harmless
from warhost_odds.question_options import method_options, plot_option, question_options, settings_of, time_option

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost.packs.yaml_source import Map
    from warhost_odds.answer import Answer
    from warhost_odds.asking import Sweep
    from warhost_odds.evaluate import Watch

MAX_ROWS = 24
"""Lines for the losses of one side."""

BAR = 36
"""Characters of the longest bar."""

EIGHTHS = ("", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589")

MAX_SWEEP = 1_000
"""Values of a sweep."""

_RANGE = re.compile(r"(?P<low>\d+)\s*\.\.\s*(?P<high>\d+)(?:\s*/\s*(?P<step>\d+))?")


@dataclass(slots=True)
class AskedQuestion:
    """A question as a file or the command line puts it; what neither says is left to the library."""

    ruleset: str | Path | None = None
    house: list[str | Path] = field(default_factory=list)
    attacker: str | None = None
    defender: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    sweep: tuple[str, tuple[Any, ...]] | None = None
    more: dict[str, Any] = field(default_factory=dict)


@click.command(
    "odds", cls=WithExamples,
    examples=(
        'warhost odds {ruleset} --attacker "{unit}:6" --defender "{other_unit}:6" --until end',
        'warhost odds {ruleset} --attacker "{unit}:6" --defender "{other_unit}:6" --sweep COUNT=4..8/2',
    ),
)  # fmt: skip
@click.argument("ruleset", required=False, type=RulesetName(), metavar="[RULESET]")
@click.option("--attacker", metavar="NAME:COUNT[,option..]", help="Who begins it.")
@click.option("--defender", metavar="NAME:COUNT[,option..]", help="Who is taken on.")
@click.option("--file", "file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE.yaml",
              help="A file that says all this; what else is typed goes before it.")  # fmt: skip
@question_options
@click.option("--sweep", metavar="NAME=A..B[/STEP]",
              help="Vary one thing: COUNT, ATTACKER.COUNT, DEFENDER.COUNT or a setting (or NAME=one,two).")  # fmt: skip
@method_options(usually="auto")
@time_option
@click.option("--any-size", is_flag=True, help="Units may be larger than their army list allows.")
@click.option("--observe", multiple=True, metavar="[NAME=]FIELD",
              help="What else is seen of both afterwards: a field, number, flag or value of units.")  # fmt: skip
@click.option("--why", is_flag=True, help="Every number behind the throws of the first round, with what changed it.")
@click.option("--settings", "lists_settings", is_flag=True, help="List the ruleset's questions and their settings.")
@plot_option
@house_option
@json_option
@common
def odds(
    ruleset: str | None, attacker: str | None, defender: str | None, file: Path | None, what: str | None,
    until: str | None, others: tuple[str, ...], given: tuple[str, ...], sweep: str | None, method: str | None,
    trials: int | None, seed: int | None, seconds: float | None, any_size: bool, observe: tuple[str, ...], why: bool,
    lists_settings: bool, plot: Path | None, house: tuple[str, ...], as_json: bool, **short: str | None,
) -> None:  # fmt: skip
    """Tell what happens when one unit takes on another.

    Who wins, and how many either side loses, by the same rules that play the battle, house rules included: exactly
    where that is possible, else from a simulation with its intervals. NAME is a profile's id or its printed name.
    """
    asked = _from_file(file) if file is not None else AskedQuestion()
    asked.ruleset = ruleset or asked.ruleset
    asked.house += house
    asked.attacker, asked.defender = attacker or asked.attacker, defender or asked.defender
    asked.settings |= settings_of(short, others)
    asked.given += given
    if observe:
        asked.more["observe"] = dict(map(_named_sight, observe))
    asked.sweep = _swept(sweep) if sweep else asked.sweep
    typed = {"what": what, "until": until, "method": method, "trials": trials, "seed": seed, "seconds": seconds}
    asked.more |= {name: value for name, value in typed.items() if value is not None}
    asked.more["any_size"] = any_size
    if asked.ruleset is None:
        raise click.UsageError("say which RULESET, or give a --file that does")
    if lists_settings:
        show_settings(load(asked.ruleset, asked.house), as_json)
        return
    if asked.attacker is None or asked.defender is None:
        missing = "--attacker" if asked.attacker is None else "--defender"
        raise click.UsageError(f'who fights? give {missing} "NAME:COUNT"')
    if plot is not None:
        from warhost_odds import canvas

        canvas.check_path(plot)
    from warhost.engine.collecting import without_collecting
    from warhost_odds.allocator import keep_memory

    keep_memory()
    with without_collecting():
        _answer(asked, plot, as_json, why)
        gc.freeze()  # what was made joins what is old unseen: the command ends here
        gc.unfreeze()


def _named_sight(text: str) -> tuple[str, str]:
    """`tested=to_test`, or a name alone."""
    name, equals, of = (part.strip() for part in text.partition("="))
    if not name or (equals and not of):
        raise click.UsageError(f"--observe {text}: write NAME=FIELD, or the name of a field alone")
    return name, of or name


def _answer(asked: AskedQuestion, plot: Path | None, as_json: bool, why: bool) -> None:
    from warhost.cli import output
    from warhost_odds.asking import ask, sweep

    assert asked.ruleset is not None
    assert asked.attacker is not None
    assert asked.defender is not None
    rules = load(asked.ruleset, asked.house)
    more: dict[str, Any] = {"settings": asked.settings, "given": asked.given, **asked.more}
    if asked.sweep is not None:
        swept = sweep(rules, asked.attacker, asked.defender, *asked.sweep, **more)
        output.show_json(swept.as_dict()) if as_json else show_sweep(swept)
    else:
        with _progress(quiet=as_json) as watch:
            found = ask(rules, asked.attacker, asked.defender, workings=True, watch=watch, **more)
        output.show_json(found.as_dict()) if as_json else show_answer(found, why)
    if plot is not None:
        from warhost_odds import canvas, charts

        canvas.write(charts.of_sweep(swept) if asked.sweep is not None else charts.of_answer(found), plot)
        if not as_json:
            output.say(f"plot: {plot}")


#: Seconds between two lines that say how far an exact answer is, where nobody looks at a terminal.
EVERY = 30.0


@contextmanager
def _progress(quiet: bool) -> Iterator[Watch]:
    """How far an exact answer is: on a terminal at once, elsewhere a line in half a minute; on the error stream."""
    from warhost.cli import output

    err = output.console(err=True)
    told = time.monotonic()
    with err.status("") if err.is_terminal and not quiet else nullcontext() as status:

        def watch(rounds: int, going: float, courses: int) -> None:
            nonlocal told
            said = f"round {rounds} weighed: {100 * going:.3g} % goes on, in {courses:,} different courses"
            if status is not None:
                status.update(said)
            elif not quiet and time.monotonic() - told >= EVERY:
                told = time.monotonic()
                output.say(said, err=True)

        yield watch


def show_settings(rules: Ruleset, as_json: bool) -> None:
    """The questions of a ruleset with their settings, and what may be observed."""
    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.questions import questions

    asked = questions(rules)
    if as_json:
        output.show_json({"questions": [one.as_dict() for one in asked.values()]})
        return
    for i, one in enumerate(asked.values()):
        if i:
            output.say()
        output.say(f"{one.id}: {one.title}", style="bold")
        made = output.table("setting", "usually", "may be", typed=("setting",))
        rows = [[s.name, "(must be given)" if s.default is None else telling.value(s.default), telling.may_be(s)]
                for s in one.settings]  # fmt: skip
        output.show_table(made, rows)
        output.say(f"it ends as: {', '.join(telling.label(word) for word in one.outcomes)}", style="dim")
        for told, sights in (("told before the fight", one.shows), ("observed after it", one.observe)):
            if sights:
                output.say(f"{told}: {', '.join(telling.label(s.name) for s in sights)}", style="dim")


# -- what is asked ------------------------------------------------------------------------------------


def _swept(text: str) -> tuple[str, tuple[Any, ...]]:
    """`COUNT=5..40`, `DISTANCE=2..12/2` or `FACING=front,rear`. Raises click.UsageError."""
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise click.UsageError(f"--sweep {text}: write NAME=A..B or NAME=A..B/STEP, as in COUNT=5..40")
    return name.strip(), _values(values, text)


def _values(values: str, shown: str) -> tuple[Any, ...]:
    found = _RANGE.fullmatch(values.strip())
    if found is None:
        words = [word.strip() for word in values.split(",") if word.strip()]
        if not words or ".." in values:
            raise click.UsageError(f"--sweep {shown}: {values} is no range; write A..B, A..B/STEP or one,two,three")
        return tuple(int(word) if word.isdecimal() else word for word in words)
    low, high, step = int(found["low"]), int(found["high"]), int(found["step"] or 1)
    if not step or high < low:
        raise click.UsageError(f"--sweep {shown}: the range must rise, by steps of 1 or more")
    if (high - low) // step >= MAX_SWEEP:
        raise click.UsageError(f"--sweep {shown}: more than {MAX_SWEEP:,} values; take a larger step")
    return tuple(range(low, high + 1, step))


def _from_file(path: Path) -> AskedQuestion:
    """A question in a YAML file. Raises ContentError."""
    from warhost.armies.reading import read_checked
    from warhost.errors import ContentError
    from warhost.packs.entries import to_plain
    from warhost_armies.home import home_of

    data, problems = read_checked(path, "odds")
    if data is None or problems:
        raise ContentError(problems, str(path))
    home = home_of(path)
    plain = to_plain(data)
    more = {name: plain[name] for name in ("what", "until", "method", "trials", "seed") if name in plain}
    return AskedQuestion(
        home.ruleset, list(home.house_rules), _unit(data, "attacker"), _unit(data, "defender"),
        dict(plain.get("settings", {})), list(plain.get("given", [])), _sweep_of(plain.get("sweep")), more,
    )  # fmt: skip


def _unit(data: Map, side: str) -> str | None:
    """`NAME:COUNT,option` of a unit that is written as text or as a mapping."""
    given = data.get(side)
    if not isinstance(given, Mapping):
        return None if given is None else str(given)
    count = f":{given['count']}" if "count" in given else ""
    options = list(given.get("options", ()))
    if options and not count:
        count = ":1"
    return ",".join([f"{given['unit']}{count}", *map(str, options)])


def _sweep_of(given: Mapping[str, Any] | None) -> tuple[str, tuple[Any, ...]] | None:
    if given is None:
        return None
    if "values" in given:
        values = given["values"]
        return str(given["vary"]), tuple(values) if isinstance(values, list) else _values(str(values), str(values))
    return None


# -- what comes back ----------------------------------------------------------------------------------


def bar(share: float, most: float, length: int, blocks: bool) -> str:
    """A bar of text; blocks: eighths of a character, else whole signs."""
    eighths = round(8 * length * share / most) if most else 0
    if not blocks:
        return "#" * round(eighths / 8)
    return "\u2588" * (eighths // 8) + EIGHTHS[eighths % 8]


def _blocks() -> bool:
    """Whether the terminal can show parts of a block."""
    import sys

    try:
        "\u2588\u258f".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


COLOUR = {"attacker": "cyan", "defender": "yellow"}


def show_answer(found: Answer, why: bool = False) -> None:
    """An answer as a player reads it. why: with every number behind the throws."""
    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.section import SIDES

    output.say(telling.title(found), style="bold")
    output.say(telling.question(found))
    output.say()
    _show_workings(found, why)
    for note in found.notes:
        output.say(note)
    if found.notes:
        output.say()
    _show_outcome(found)
    for side in SIDES:
        output.say()
        _show_losses(found, side)
    output.say()
    for side in SIDES:
        one = found.contender(side)
        if one.worth and set(found.points[side]) != {0}:
            lost = found.points_lost[side]
            between = telling.points_between(found.points[side])
            output.say(f"{one.name} can expect to lose {lost:.1f} of {one.worth:g} points{between}.")
    _show_observed(found)
    sure = f" In brackets: where the truth lies with {found.confidence.level:.0%}." if found.confidence else ""
    speed = f" {found.trials_per_second:,.0f} trials a second." if found.trials_per_second else ""
    output.say(f"{telling.how(found).capitalize()}: {found.why.rstrip('.')}.{speed}{sure}", style="dim")


def _show_workings(found: Answer, why: bool) -> None:
    """How both stand, and what is thrown in the first round."""
    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.section import SIDES

    for side in SIDES:
        if found.setup.get(side):
            stands = ", ".join(f"{telling.label(name)} {telling.value(v)}" for name, v in found.setup[side].items())
            output.say(f"{found.contender(side).name} ({side}): {stands}")
    if found.workings:
        output.say("Thrown in the first round:", style="dim")
    for one in found.workings:
        dice = "some dice" if one.dice is None else "1 die" if one.dice == 1 else f"{one.dice} dice"
        output.say(f"  {one.side}: {one.name}, {dice}{f', {one.needs}' if one.needs else ''}")
        for line in one.because if why else one.because[:1]:
            output.say(f"    {line}", style="dim")
    if found.setup or found.workings:
        output.say()


def _show_observed(found: Answer) -> None:
    """What was observed of both sides, each in a line."""
    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.section import SIDES

    for name, seen in found.observed.items():
        for side in SIDES:
            told = telling.spread(seen[side])
            output.say(f"{found.contender(side).name} ({side}), {telling.label(name)}: {told}")

def _show_outcome(found: Answer) -> None:
    from rich.text import Text

    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.section import SIDES

    made = output.table("how it ends", "", "probability", *(["between"] if found.confidence else []))
    made.columns[2].justify = "right"
    blocks = _blocks()
    for word, p in sorted(found.outcome.items(), key=lambda item: -item[1]):
        side = next((s for s in SIDES if word.startswith(f"{s}_")), None)
        drawn = Text(bar(p, 1.0, BAR, blocks), style=COLOUR.get(side or "", "green"))
        row: list[Any] = [harmless(telling.ending(word, found)), drawn, telling.percent(p)]
        if found.confidence:
            row.append(_span(found.confidence.outcome[word]))
        made.add_row(*row)
    output.console().print(made)


def _show_losses(found: Answer, side: str) -> None:
    from rich.text import Text

    from warhost.cli import output
    from warhost_odds import telling

    name, at = found.contender(side).name, found.percentiles[side]
    if found.is_unharmed(side):
        output.say(f"Losses of {name}: none", style="bold")
        return
    output.say(f"Losses of {name}: {found.means[side]:.2f} on average", style="bold")
    output.say(f"half of the time {_range(at[25], at[75])}, nine times in ten {_range(at[5], at[95])}", style="dim")
    bins = telling.binned(found.losses[side], MAX_ROWS)
    likely = [i for i, one in enumerate(bins) if one.share >= 0.0005] or [0]
    shown = bins[likely[0] : likely[-1] + 1]
    at_least = found.at_least(side)
    sure = found.confidence.losses[side] if found.confidence and bins[0].first == bins[0].last else None
    heads = ["lost", "", "probability", *(["between"] if sure else []), "so many or more"]
    made = output.table(*heads, right=("lost", "probability", "so many or more"))
    peak, blocks = max(one.share for one in bins), _blocks()
    for one in shown:
        drawn = Text(bar(one.share, peak, BAR, blocks), style=COLOUR[side])
        row: list[Any] = [str(one), drawn, telling.percent(one.share)]
        if sure:
            row.append(_span(sure[one.first]) if one.first in sure else "")
        made.add_row(*row, telling.percent(at_least[one.first]))
    output.console().print(made)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _span(span: tuple[float, float]) -> str:
    return f"({100 * span[0]:.1f} to {100 * span[1]:.1f})"


def show_sweep(swept: Sweep) -> None:
    """One line for each value."""
    from rich.text import Text

    from warhost.cli import output
    from warhost_odds import telling
    from warhost_odds.section import SIDES

    first = swept.answers[0]
    output.say(f"{first.attacker.name} (attacker) against {first.defender.name} (defender)", style="bold")
    words = list(dict.fromkeys(word for one in swept.answers for word in one.outcome))
    drawn_word = next((w for w in words if w.startswith("attacker_")), words[0])
    figures = [telling.label(word) for word in words]
    losses = [f"{side} loses" for side in SIDES]
    name = telling.varied(swept.name)
    made = output.table(name, *figures, "", *losses, right=(name, *figures, *losses))
    blocks = _blocks()
    for value, one in zip(swept.values, swept.answers, strict=True):
        share = one.outcome.get(drawn_word, 0.0)
        drawn = Text(bar(share, 1.0, BAR // 2, blocks), style=COLOUR["attacker"])
        means = [f"{one.means[side]:.2f}" for side in SIDES]
        made.add_row(
            harmless(str(value)), *(telling.percent(one.outcome.get(word, 0.0)) for word in words), drawn, *means
        )
    output.console().print(made)
    methods = {telling.how(one): None for one in swept.answers}
    output.say(f"bars: {telling.label(drawn_word)}; {', '.join(methods)}", style="dim")
