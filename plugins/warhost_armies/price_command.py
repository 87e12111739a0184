"""`warhost army price`: points by the ruleset's own formula."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import common, house_option, json_option, load, ruleset_argument
from warhost.cli.help_examples import WithExamples
from warhost.packs.user_paths import at_home

if TYPE_CHECKING:
    from warhost.packs import Ruleset
    from warhost_armies.pricing import Formula, Price, Term


@click.command("price", cls=WithExamples, examples=("warhost army price {ruleset} --all",))
@ruleset_argument
@click.argument("profile", required=False, metavar="[PROFILE]")
@click.option("--all", "everything", is_flag=True, help="Price every profile.")
@house_option
@json_option
@common
def price(ruleset: str, profile: str | None, everything: bool, house: tuple[str, ...], as_json: bool) -> None:
    """Points by the ruleset's own formula, term by term, against the printed points.

    PROFILE is the id of a profile, or a YAML file with profiles that you have made up, written like those of the
    ruleset (`profiles:`, then an id with its figures). Without it, or with --all, every profile is priced.
    """
    from warhost.cli import output
    from warhost_armies.pricing import Formula

    if profile is not None and everything:
        raise click.UsageError("--all prices every profile: leave PROFILE out, or leave out --all")
    path = _file(profile)
    formula = Formula.of(load(ruleset, house) if path is None else _laid(ruleset, house, path))
    if profile is None:
        found = list(formula.all())
        if as_json:
            output.show_json([one.to_json() for one in found])
        else:
            _show_all(found)
        return
    chosen = _made_up(formula, path) if path is not None else [profile]
    prices = [formula.price(id_) for id_ in chosen]
    if as_json:
        answers = [{**one.to_json(), "unpriced": formula.unpriced(one.profile)} for one in prices]
        output.show_json(answers[0] if path is None else answers)
        return
    for i, one in enumerate(prices):
        if i:
            output.say()
        _show(one, formula.unpriced(one.profile))


def _file(profile: str | None) -> Path | None:
    """The file that was meant, or None for the id of a profile."""
    if profile is None:
        return None
    path = at_home(profile)
    if path.suffix not in (".yaml", ".yml"):
        return None
    if not path.is_file():
        raise click.UsageError(f"there is no file {profile}")
    return path


def _laid(ruleset: str, house: tuple[str, ...], path: Path) -> Ruleset:
    """The ruleset with the profiles of a file, which is laid over it unless the ruleset or a house rule has it.

    A file in the `data` folder of a house rule says words that only the house rule knows: the whole is laid.
    """
    from warhost_armies.pricing import Formula

    home = path.resolve().parent
    beside = home.parent if home.name == "data" else home
    if house or (beside / "ruleset.yaml").is_file():
        rules = load(ruleset, house)
        if Formula.of(rules).made_up(path):
            return rules
    whole = home.name == "data" and any(beside.glob("*.rules"))
    return load(ruleset, (*house, str(beside if whole else path)))


def _made_up(formula: Formula, path: Path) -> list[str]:
    from warhost.errors import UsageError

    chosen = formula.made_up(path)
    if not chosen:
        raise UsageError(f"{path} has no profile; write `profiles:` and below it an id with its figures")
    return chosen


def _figure(value: Any) -> str:
    """A number as it is, exact: `16 1/2`."""
    if isinstance(value, Fraction) and value.denominator != 1:
        whole, rest = divmod(abs(value), 1)
        sign = "-" if value < 0 else ""
        return f"{sign}{whole} {rest}" if whole else f"{sign}{rest}"
    return str(value)


def _show(one: Price, unpriced: Sequence[str]) -> None:
    from warhost.cli import output

    output.say(f"{one.name} ({one.profile})", style="bold")
    made = output.table("term", "points", "because", right=("points",))
    because = ", ".join(str(c) for c in one.changes if c.because)
    output.show_table(made, [*_lines(one.terms, 0, set()), ("by the formula", _figure(one.computed), because)])
    if one.printed is not None:
        agreed = "as the formula says" if not one.difference else f"{_signed(one.difference)} against the formula"
        output.say(f"printed: {one.printed}, {agreed}", style=None if one.difference else "green")
    if unpriced:
        output.say(f"not priced: {', '.join(unpriced)}", style="yellow")
    output.say("The price is that of a unit of one model.", style="dim")
    if one.note:
        output.say(one.note, style="dim")


def _lines(terms: Sequence[Term], depth: int, told: set[tuple[str, str]]) -> Iterator[tuple[str, str, str]]:
    """Each term once, with what it is made of; what comes to nothing only at the top."""
    for term in terms:
        key = (term.name, term.of)
        if key in told or (depth and not term.value):
            continue
        told.add(key)
        of = f" of {term.of}" if term.of else ""
        because = ", ".join(str(c) for c in term.changes if c.because)
        yield f"{'  ' * depth}{term.name.replace('_', ' ')}{of}", _figure(term.value), because
        yield from _lines(term.terms, depth + 1, told)


def _signed(value: int | Fraction) -> str:
    return f"+{_figure(value)}" if value > 0 else _figure(value)


def _show_all(found: Sequence[Price]) -> None:
    from warhost.cli import output

    figures = ("printed", "formula", "differs")
    made = output.table("profile", "army", *figures, "note", right=figures, typed=("profile", "army"))
    output.show_table(made, map(_row, found))
    printed = [one for one in found if one.printed is not None]
    same = sum(not one.difference for one in printed)
    agreed = f"; {same} of {len(printed)} printed prices are the formula's" if printed else ""
    output.say(output.counted(len(found), "profile") + agreed)


def _row(one: Price) -> list[object]:
    row = [one.profile, one.army, one.printed, _figure(one.computed)]
    return [*row, _signed(one.difference), one.note] if one.difference else [*row, "", ""]
