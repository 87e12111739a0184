"""`warhost army`: listing, checking and printing armies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from warhost.cli.arguments import (
    ArmyName,
    RulesetName,
    common,
    house_option,
    json_option,
    load,
    ruleset_argument,
)
from warhost.cli.help_examples import WithExamples
from warhost.packs.user_paths import at_home

if TYPE_CHECKING:
    from warhost.armies.legality import Violation
    from warhost.armies.roster import Army
    from warhost.packs import Ruleset
    from warhost.packs.data import Element


def army_argument(command: Any) -> Any:
    """ARMY and --ruleset, given to the command as `army` and `ruleset`."""
    command = click.option(
        "--ruleset", type=RulesetName(), metavar="RULESET",
        help="Which ruleset to use instead of the one that the army names.",
    )(command)  # fmt: skip
    return click.argument("army", type=ArmyName(), metavar="ARMY")(command)


def army_and_rules(given: str, ruleset: str | None, house: tuple[str, ...]) -> tuple[Army, Ruleset]:
    """The army that was named, and the ruleset that it is for. Raises UsageError and ContentError."""
    from warhost.armies.roster import Army
    from warhost.errors import UsageError
    from warhost.packs import load as load_ruleset
    from warhost_armies.home import home_of

    path = at_home(given)
    named, colon, id_ = given.rpartition(":")
    if path.exists() or not colon or not named:
        if not path.exists():
            raise UsageError(f"there is no army file {given}; ready armies are named RULESET:NAME")
        home = home_of(path)
        wanted = ruleset or home.ruleset
        if wanted is None:
            from warhost.armies.reading import read_army
            from warhost.errors import ContentError

            _, problems = read_army(path, None)
            if problems:
                raise ContentError(problems, given)
            raise UsageError(f"{given} does not say which ruleset it is for: add `ruleset: ID` to it, or --ruleset ID")
        rules = load_ruleset(wanted, [*home.house_rules, *house])
        return Army.from_file(path, rules), rules
    rules = load_ruleset(ruleset or named, list(house))
    return Army.ready(id_, rules), rules


def in_edition(given: str, edition: str) -> str:
    """The ruleset of an army in another edition: `my_game@2`. Raises UsageError when nothing says which it is."""
    from warhost.errors import UsageError
    from warhost.packs.find import find
    from warhost_armies.home import home_of

    path, (named, colon, _) = at_home(given), given.rpartition(":")
    meant = home_of(path).ruleset if path.exists() else named if colon else None
    if meant is None:
        raise UsageError(f"{given} does not say which ruleset it is for; name it with --ruleset ID@EDITION")
    return f"{find(meant).id}@{edition.removeprefix('@')}"


# -- list ---------------------------------------------------------------------------------------


@click.command("list", cls=WithExamples, examples=("warhost army list {ruleset}", "warhost army list {ruleset} {list}"))
@ruleset_argument
@click.argument("list_id", required=False, metavar="[LIST]")
@house_option
@json_option
@common
def list_(ruleset: str, list_id: str | None, house: tuple[str, ...], as_json: bool) -> None:
    """List the army lists of a ruleset and its ready armies.

    With LIST: who may be taken from that list, in which numbers, at what price, with which options; what the list
    asks of the army as a whole, and what it gives the army.
    """
    from warhost.cli import output

    rules = load(ruleset, house)
    if list_id is not None:
        _show_army_list(_list_named(list_id, rules), rules, as_json)
        return
    lists = [_about_list(element) for element in rules.lists.values()]
    armies = [_about_army(element, rules) for element in rules.armies.values()]
    if as_json:
        output.show_json({"lists": lists, "armies": armies})
        return
    made = output.table("list", "name", "units", right=("units",), typed=("list",))
    output.show_table(made, [[one["id"], one["name"], one["units"]] for one in lists])
    output.say()
    heads = ("ready army", "name", "list", "points", "limit", "legal")
    made = output.table(*heads, right=("points", "limit"), typed=("ready army", "list"))
    output.show_table(
        made,
        [
            [one["id"], one["name"], one["list"], one["points"], one["limit"] or "", "yes" if one["legal"] else "no"]
            for one in armies
        ],
    )
    if armies:
        output.say()
        output.say(f"One of them in full: warhost army show {rules.called}:{armies[0]['id']}", style="dim")


def _list_named(list_id: str, rules: Ruleset) -> Element:
    from warhost.errors import UsageError, did_you_mean

    element = rules.lists.get(list_id)
    if element is None:
        hint = did_you_mean(list_id, rules.lists) or f"there are: {', '.join(rules.lists)}"
        raise UsageError(f'{rules.id} has no army list "{list_id}"; {hint}')
    return element


def _about_list(element: Element) -> dict[str, Any]:
    return {
        "id": element.id, "name": element.name, "summary": str(element.data.get("summary") or ""),
        "units": len(element.data.get("units", ())),
    }  # fmt: skip


def _about_army(element: Element, rules: Ruleset) -> dict[str, Any]:
    from warhost.armies.legality import check_mustered, mustered
    from warhost.armies.roster import Army

    army = Army.ready(element.id, rules)
    laid_out = mustered(army, rules)
    return {
        "id": army.id, "name": army.name, "list": army.list, "points": laid_out.points, "limit": army.limit,
        "legal": not check_mustered(army, rules, laid_out),
    }  # fmt: skip


def _show_army_list(element: Element, rules: Ruleset, as_json: bool) -> None:
    from warhost.armies.prices import paid_for_options
    from warhost.armies.requirements import in_words
    from warhost.cli import output
    from warhost.lang.support import text
    from warhost.packs.entries import to_plain
    from warhost_armies.wording import words

    paid = {
        (str(row["profile"]), str(option["id"])): sum_ for row, option, sum_ in paid_for_options(element, rules)
        if isinstance(sum_, int)
    }  # fmt: skip
    rows = [_about_row(row, element, rules, paid) for row in element.data.get("units", ())]
    required = [in_words(one, rules) for one in element.data.get("require", ())]
    borne = _borne_by_side(element, rules)
    side = {str(name): text(value) for name, value in to_plain(element.data.get("side", {})).items()}
    if as_json:
        output.show_json(
            {**_about_list(element), "units": rows, "required": required, "side": side, "borne": borne}
        )  # fmt: skip
        return
    made = output.table(
        "profile", "name", "models", "how many", "points each", "options", title=element.name, right=("points each",),
        typed=("profile",),
    )  # fmt: skip
    output.show_table(
        made,
        [
            [r["profile"], r["name"], r["size"], r["limit"], _price_text(r), _row_text(r)]
            for r in rows
        ],
    )
    options = dict.fromkeys(f"{o['id']}: {_option_text(o)}" for r in rows for o in r["options"])
    for heading, sentences in (
        ("options by their ids, as army files name them", list(options)),
        ("required", required), ("the army", [f"{b['name']}: {b['reads']}" for b in borne]),
    ):  # fmt: skip
        if sentences:
            output.say()
            output.say(f"{heading.capitalize()}:", style="bold")
        for sentence in sentences:
            output.say(f"  - {sentence.removesuffix(': ')}")
    if side:
        output.say()
        output.say("Beginning with " + ", ".join(f"{words(name)} {words(value)}" for name, value in side.items()) + ".")


def _borne_by_side(element: Element, rules: Ruleset) -> list[dict[str, str]]:
    """What the list makes the whole side bear, each with its sentence, values in their places."""
    from warhost.packs.data import bearing_of
    from warhost_armies.wording import filled_in

    found = []
    for kind in rules.program.kinds.values():
        for given in element.data.get(kind.plural, ()) if kind.bearer == "side" else ():
            bearing = bearing_of(str(given))
            definition = rules.program.definitions.get((kind.name, bearing.name)) if bearing is not None else None
            reads = filled_in(definition, bearing.args, rules) if definition is not None and bearing is not None else ""
            found.append({"kind": kind.name, "name": bearing.name if bearing else str(given), "reads": reads})
    return found


def _price_text(row: Mapping[str, Any]) -> str:
    """The price of a model, and how many units are had for nothing."""
    return f"{row['points']} ({row['free']} free)" if row["free"] else str(row["points"])


def _row_text(row: Mapping[str, Any]) -> str:
    """What a row gives all its units, and what these may take besides."""
    gives = [*row["gives"], *(f"{name} {value}" for name, value in row["fields"].items())]
    parts = [*row["is"], *([f"has {', '.join(gives)}"] if gives else [])]
    if row["options"]:
        parts.append(", ".join(map(_option_text, row["options"])))
    return "; ".join(parts)


def _about_row(
    row: Mapping[str, Any], element: Element, rules: Ruleset, paid: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    from warhost.armies.legality import size_of_row
    from warhost.lang.support import text
    from warhost.packs.entries import given_by_row
    from warhost_armies.wording import words

    profile = rules.profiles[str(row["profile"])]
    low, high = size_of_row(row)
    limit = row.get("limit", {})
    bears, fields = given_by_row(rules, row)
    roster = rules.manifest.get("roster")
    told = roster.get("in_lists", ()) if isinstance(roster, Mapping) else ()
    return {
        "profile": profile.id, "name": str(row.get("name") or profile.name), "size": _span(low, high),
        "limit": _span(int(limit.get("min", 0)), limit.get("max")),
        "points": row["points"] if "points" in row else _price(profile.id, low, element, rules),
        "options": [_about_option(o, row, paid) for o in row.get("options", ())],
        "is": [words(name) for name in told if {**profile.fields, **fields}.get(name) in ("yes", True)],
        "gives": [title for titles in bears.values() for title in titles],
        "fields": {words(name): words(text(value)) for name, value in fields.items()}, "free": int(row.get("free", 0)),
    }  # fmt: skip


def _span(low: int, high: Any) -> str:
    if high is None:
        return f"{low} or more" if low else "any"
    return str(low) if low == high else f"{low}-{high}"


def _price(profile: str, size: int, element: Element, rules: Ruleset) -> str:
    """What one model costs by the ruleset's own number, in a unit of the least size."""
    from fractions import Fraction

    from warhost.armies.prices import price_of_unit
    from warhost.lang.support import text

    return text(Fraction(price_of_unit(rules, element.id, profile, size), max(size, 1)))


def _about_option(
    option: Mapping[str, Any], row: Mapping[str, Any], paid: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    """An option with what it costs. paid: where the row has no price, what the ruleset's own prices make of it."""
    from warhost.armies.legality import size_of_row

    points, flat = option.get("points"), bool(option.get("flat"))
    total = paid.get((str(row["profile"]), str(option["id"])))
    if total is not None:
        models = 1 if flat else max(size_of_row(row)[0], 1)
        points, flat = (total, True) if total % models else (total // models, flat)
    return {"id": option["id"], "name": option.get("name", option["id"]), "points": points, "flat": flat}


def _option_text(option: Mapping[str, Any]) -> str:
    if not option["points"]:
        return str(option["name"])
    each = "" if option["flat"] else " each"
    return f"{option['name']} +{option['points']}{each}"


# -- check --------------------------------------------------------------------------------------


@click.command(cls=WithExamples, examples=("warhost army check {ruleset}:{army}",))
@army_argument
@click.option("--edition", metavar="EDITION",
              help="Check it against this edition of its ruleset instead, as 5-errata.")  # fmt: skip
@click.option("--stamp", "stamping", is_flag=True,
              help="Write edition and digest into the army's file: other editions tell what differs.")  # fmt: skip
@house_option
@json_option
@common
def check(
    army: str, ruleset: str | None, edition: str | None, stamping: bool, house: tuple[str, ...], as_json: bool
) -> None:
    """Is an army legal? If not: why, and what would mend it.

    Checks the limits of the army list and every constraint of the ruleset. Exit code 1 if the army is illegal.
    """
    from warhost.armies.legality import check_mustered, mustered
    from warhost.cli import output
    from warhost.errors import ContentError
    from warhost_armies.made_with import other_edition, stamp

    if edition is not None:
        if ruleset is not None:
            raise click.UsageError("name the edition in --ruleset: ID@EDITION")
        ruleset = in_edition(army, edition)
    try:
        found, rules = army_and_rules(army, ruleset, house)
    except ContentError as error:
        if not as_json:
            raise
        errors = [p.to_json() for p in error.problems]
        output.show_json({"legal": False, "points": None, "limit": None, "violations": [], "errors": errors})
        raise SystemExit(1) from error
    laid_out = mustered(found, rules)
    violations = check_mustered(found, rules, laid_out)
    if note := other_edition(found, rules):
        output.say(note, style="yellow", err=True)
    if stamping:
        path = at_home(army)
        if not path.is_file():
            raise click.UsageError("only the file of an army can be stamped")
        stamp(path, rules)
    if as_json:
        output.show_json(
            {
                "legal": not violations, "points": laid_out.points, "limit": found.limit or None,
                "violations": [v.to_json() for v in violations],
            }
        )  # fmt: skip
    else:
        _show_violations(found, laid_out.points, violations)
    raise SystemExit(1 if violations else 0)


def _show_violations(found: Army, points: int, violations: list[Violation]) -> None:
    from warhost.cli import output

    spent = f"{points} of {found.limit} points" if found.limit else f"{points} points"
    if not violations:
        output.say(f"{found.name} is legal: {spent}.", style="green")
        return
    output.say(f"{found.name} is illegal: {output.counted(len(violations), 'reason')}. {spent}.", style="red")
    for violation in violations:
        refs = f" [{', '.join(violation.ref)}]" if violation.ref else ""
        output.say(f"  - {violation.message}{refs}")
        if violation.remedy:
            output.say(f"    {violation.remedy}", style="cyan")
