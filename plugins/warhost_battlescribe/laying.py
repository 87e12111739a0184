"""What was imported as files of a ruleset: checked in a copy of it first, then written whole or not at all."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import yaml

from warhost.errors import UsageError, WarhostError, did_you_mean, mistakes
from warhost_battlescribe.converting import Imported, Trait, id_of, number_in

if TYPE_CHECKING:
    from warhost.lang.program import FieldInfo

#: The first line of every file that is written: by it such files are known again.
MARK = "# Imported from BattleScribe data by `warhost import`"
REPORT_MARK = "# Imported from BattleScribe data\n"

#: Fields that every unit has, whatever the ruleset says.
_OF_ALL = {"id", "name", "ref", "extends", "abstract", "amend", "replace", "remove", "traits", "category"}


#: Types of fields that take a number, and how a sentence calls those that others have.
_NUMBERS = ("number", "fraction", "distance")
_CALLED = {"distance": "a distance", "yes_no": "yes or no", "list": "a list"}
_SIGNS_OF_LENGTH = {'"': "in", "cm": "cm"}
_LENGTHS = {"in": "inches", "cm": "cm"}

#: Headings of the report with what somebody must see to before the army can be played.
UNKNOWN_FIGURES, NO_PRICE, MISSING = "Figures that the ruleset does not have", "Missing prices", "Figures to fill in"
TO_FILL_IN = (UNKNOWN_FIGURES, NO_PRICE, MISSING)

#: A figure that so many of the ruleset's own profiles give is missed where the data have none.
_NEARLY_ALL = 0.9


@dataclass(slots=True)
class TargetRuleset:
    """What the ruleset has already that is imported into. house: what a house rule says that it is for, "" for a
    ruleset's own folder. fields: those of units that data may give; required: those without a default, each with
    something to put there; common: those that nearly all of its profiles give; price: the one that is the printed
    price, "" if none; traits: its titles, whether they take no values.
    """

    id: str = ""
    house: str = ""
    length_unit: str = ""
    fields: dict[str, FieldInfo] = field(default_factory=dict)
    required: dict[str, Any] = field(default_factory=dict)
    common: list[str] = field(default_factory=list)
    price: str = ""
    traits: dict[str, bool] = field(default_factory=dict)
    reserved: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    has_traits: bool = True


def names_of(found: Imported) -> list[str]:
    """The files that there will be."""
    name = id_of(found.system, usual="import")
    lists = [f"armies/list_{id_}.yaml" for id_ in found.lists]
    return [f"rules/imported_{name}.rules", f"data/imported_{name}.yaml", *lists, f"IMPORTED_{name}.md"]


def ground_of(folder: Path, own: Sequence[str], ruleset: str = "") -> TargetRuleset:
    """What a ruleset says without what was imported into it before. Raises UsageError when it is not in order.

    own: the files that will be replaced, which do not count. ruleset: the one that a house rule in the folder is for.
    """
    from warhost.lang.lexer import vocabulary
    from warhost.lang.symbols import CORE_FIELDS

    words = vocabulary()
    reserved = {*words.always, *words.at_start, *words.at_block, *CORE_FIELDS["unit"], *CORE_FIELDS[""]}
    ground = TargetRuleset(reserved=reserved)
    with tempfile.TemporaryDirectory(prefix="warhost-import-") as made:
        rules, problems = _read(_copied(folder, Path(made), own), ruleset)
        # Once imported, armies and amendments may name what is not in the copy: then `check` judges the whole.
        again = any((folder / name).exists() for name in own)
        wrong = [] if again and rules is not None else mistakes(problems)
        if rules is None or wrong:
            first = f": {wrong[0].message}" if wrong else ""
            seen = f"{ruleset} --house {folder}" if ruleset else folder
            raise UsageError(f"the ruleset in {folder} is not in order (warhost check {seen}){first}")
        program = rules.program
        ground.id, ground.house, ground.length_unit = rules.id, rules.id if ruleset else "", rules.length_unit
        for name, info in program.nouns["unit"].fields.items():
            if info.profile:
                ground.fields[name] = info
                if info.required and info.default is None:
                    ground.required[name] = _something(info.type, program)
        for (kind, title), definition in program.definitions.items():
            if kind == "trait":
                ground.traits[title] = not definition.params
        given = Counter(name for profile in rules.profiles.values() for name in profile.fields)
        ground.common = [name for name in ground.fields if given[name] > _NEARLY_ALL * len(rules.profiles)]
        priced = rules.manifest.get("price")
        ground.price = str(priced.get("printed") or "") if isinstance(priced, Mapping) else ""
        ground.has_traits = "trait" in program.kinds
        ground.names = {*program.numbers, *program.nouns, *program.words, *program.kinds, *program.natives}
    return ground


def _read(copy: Path, ruleset: str) -> tuple[Any, list[Any]]:
    from warhost.packs import read

    if not ruleset:
        return read(copy)
    return read(ruleset, [copy] if any(copy.rglob("*")) else [])


def _something(type_: Any, program: Any) -> Any:
    if type_.kind == "word":
        return next(iter(program.words[type_.name]), "")
    return {"yes_no": "no", "text": "-"}.get(type_.kind, 0)


def files_of(
    found: Imported, ground: TargetRuleset, chosen: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Texts by their paths in the ruleset's folder. Adds to the report what the ruleset made necessary.

    chosen: the ruleset's fields by the characteristics that whoever imports wants there. Raises UsageError for one
    that cannot be.
    """
    if not ground.has_traits:
        raise UsageError("the ruleset has no traits: add warhost_psychology to `plugins:` in its ruleset.yaml")
    fields = _fields(found, ground, chosen)
    category = _category_field(found, ground)
    titles = {title: _title(title, found, ground) for title in found.traits}
    prices = _prices(found, ground)
    profiles: dict[str, dict[str, Any]] = {}
    for id_, made in found.profiles.items():
        row: dict[str, Any] = {"name": made["name"]}
        for characteristic, field_name in fields.items():
            given = made["values"].get(characteristic, "")
            row[field_name] = number_in(given) if characteristic in found.numbers else given or "-"
        if id_ in prices and ground.price not in row:
            row[ground.price] = prices[id_]
        for required, value in ground.required.items():
            if required not in row:
                row[required] = value
                said = f"every unit has {required}: {value}, since the ruleset asks for it and the data have none"
                found.report.omit(MISSING, said)
        if made["category"]:
            row[category] = made["category"]
        if made["traits"]:
            row["traits"] = [titles[title] for title in made["traits"]]
        profiles[id_] = row
    _tell_missing(found, ground, profiles)
    texts = [_rules(found, fields, category, titles, ground), _yaml({"profiles": profiles})]
    for made in found.lists.values():
        rows = [_with_titles(row, titles) for row in made["units"]]
        texts.append(_yaml(_with_category({**made, "units": rows}, category)))
    return dict(zip(names_of(found), [*texts, report_of(found)], strict=True))


def _fields(found: Imported, ground: TargetRuleset, chosen: Mapping[str, str]) -> dict[str, str]:
    """The field of a unit that each characteristic becomes: one that the ruleset has, or a new one."""
    for name, word in chosen.items():
        if name not in found.characteristics:
            hint = did_you_mean(name, found.characteristics) or f"there are: {', '.join(found.characteristics)}"
            raise UsageError(f'--field {name}={word}: the data have no characteristic "{name}"; {hint}')
        if word not in ground.fields:
            hint = did_you_mean(word, ground.fields) or f"`warhost explain {ground.id} unit` shows them"
            raise UsageError(f'--field {name}={word}: units of {ground.id} have no field "{word}"; {hint}')
    fields: dict[str, str] = {}
    for name in sorted(found.characteristics, key=lambda one: one not in chosen):
        word = chosen.get(name) or id_of(name, usual="figure")
        info = ground.fields.get(word)
        misfit = _misfit(name, info, found, ground) if info is not None else ""
        if info is not None and not misfit and word not in fields.values():
            fields[name] = word
            continue
        if name in chosen:
            raise UsageError(f"--field {name}={word}: {misfit or f'two characteristics cannot both be {word}'}")
        taken = info is not None or word in ground.reserved or word in _OF_ALL or word in ground.names
        fields[name] = id_of(f"{word}_value" if taken else word, {*fields.values(), *ground.fields})
        why = misfit or f"units of {ground.id} have no {word}"
        said = f"{name}: {why}; kept as {fields[name]}, which no rule reads yet"
        found.report.omit(UNKNOWN_FIGURES, said)
    return {name: fields[name] for name in found.characteristics}


def _misfit(name: str, info: FieldInfo, found: Imported, ground: TargetRuleset) -> str:
    """Why a characteristic cannot be the field of the ruleset that has its name; "" if it can."""
    kind, owned = info.type.kind, f"{ground.id}'s {info.name}"
    if name not in found.numbers:
        return "" if kind == "text" else f"{owned} is {_CALLED.get(kind, f'a {kind}')}, and the data have words"
    if kind not in _NUMBERS:
        return f"{owned} is {_CALLED.get(kind, f'a {kind}')}, and the data have numbers"
    if kind == "number" and _has_fractions(name, found):
        return f"{owned} is a whole number"
    values = [number_in(made["values"].get(name, "")) for made in found.profiles.values()]
    signed = {_SIGNS_OF_LENGTH[sign] for sign in found.signs.get(name, ()) if sign in _SIGNS_OF_LENGTH}
    other = sorted(signed - {ground.length_unit})
    if kind == "distance" and other and ground.length_unit in _LENGTHS:
        return f"{owned} is in {_LENGTHS[ground.length_unit]}, and the data are in {_LENGTHS[other[0]]}"
    if info.at_least is not None and min(values) < info.at_least:
        return f"{owned} is at least {info.at_least}, and the data have {min(values)}"
    if info.at_most is not None and max(values) > info.at_most:
        return f"{owned} is at most {info.at_most}, and the data have {max(values)}"
    return ""


def _category_field(found: Imported, ground: TargetRuleset) -> str:
    """The field for the categories of the data: `category`, unless the ruleset means something else by it."""
    info = ground.fields.get("category")
    if info is None or info.type.kind == "text":
        return "category"
    if any(made["category"] for made in found.profiles.values()):
        said = f"category: {ground.id}'s own is {_CALLED.get(info.type.kind, f'a {info.type.kind}')}; that of the data "
        found.report.omit(UNKNOWN_FIGURES, said + "is kept as category_value")
    return "category_value"


def _prices(found: Imported, ground: TargetRuleset) -> dict[str, int]:
    """What each profile costs by its first row, for the ruleset's own field of printed prices."""
    prices: dict[str, int] = {}
    info = ground.fields.get(ground.price)
    for made in found.lists.values():
        for row in made["units"]:
            id_, points = str(row["profile"]), row["points"]
            if not points:
                found.report.omit(NO_PRICE, f"{found.profiles[id_]['name']}: no price, so it costs nothing")
            elif info is not None and info.type.kind in _NUMBERS and (info.type.kind != "number" or not points % 1):
                prices.setdefault(id_, points)
    return prices


def _tell_missing(found: Imported, ground: TargetRuleset, profiles: Mapping[str, Mapping[str, Any]]) -> None:
    """Report the figures that nearly all units of the ruleset have, and none of those that were imported."""
    for name in ground.common:
        if not any(name in row for row in profiles.values()):
            said = f"nearly every unit of {ground.id} has {name}, and the data have none"
            found.report.omit(MISSING, said)


def _with_category(made: dict[str, Any], category: str) -> dict[str, Any]:
    """An army list whose requirements ask for the field that has the categories."""
    if "require" not in made or category == "category":
        return made
    asked = [
        {**one, "of": {**one["of"], "fields": {category: one["of"]["fields"]["category"]}}} for one in made["require"]
    ]
    return {**made, "require": asked}


def _title(title: str, found: Imported, ground: TargetRuleset) -> str:
    """The trait of that title that the ruleset has already, if it takes no values; else a new one."""
    if ground.traits.get(title) is False:
        return f"{title} of {found.system}"
    return title


def _with_titles(row: dict[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    options = [{**one, "traits": [titles[title] for title in one["traits"]]} for one in row.get("options", ())]
    return {**row, "options": options} if options else row


def _has_fractions(name: str, found: Imported) -> bool:
    """Whether a number among the characteristics is no whole one somewhere."""
    return any(number_in(made["values"].get(name, "")) % 1 for made in found.profiles.values())


def _rules(
    found: Imported, fields: Mapping[str, str], category: str, titles: Mapping[str, str], ground: TargetRuleset
) -> str:
    blocks: list[str] = []
    new = {name: word for name, word in fields.items() if word not in ground.fields}
    for name, word in new.items():
        number = "fraction = 0" if _has_fractions(name, found) else "number = 0"
        declared = number if name in found.numbers else 'text = "-"'
        blocks.append(f"    {word}: {declared}" + (f"  # {name}" if name.lower() != word else ""))
    if category not in ground.fields and any(made["category"] for made in found.profiles.values()):
        blocks.append(f'    {category}: text = ""')
    if blocks:
        blocks = ["", "profile of unit", *blocks]
    for title, trait in sorted(found.traits.items()):
        if titles[title] not in ground.traits:
            blocks += ["", *_trait(titles[title], trait)]
    if ground.house and blocks:
        head = f'house rule "{found.system}" for {ground.house}'
        blocks = ["", head, *(f"    {line}" if line else line for line in blocks)]
    lines = [f"{MARK}: {found.system}.", "# What the traits do is yours to write: see docs/language.md.", *blocks]
    return "\n".join(lines) + "\n"


def _trait(title: str, trait: Trait) -> list[str]:
    word = title if re.fullmatch(r"[A-Z][A-Za-z]*", title) else f'"{title}"'
    head = [f"# {trait.about}", f"trait {word}"]
    return [*head, f'    reads "{trait.text}"'] if trait.text else head


def _yaml(data: Any) -> str:
    said = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110, default_flow_style=None)
    return f"{MARK}.\n{said}"


def report_of(found: Imported) -> str:
    """The report as Markdown."""
    from warhost.cli.output import counted

    lines = [
        REPORT_MARK, f"{found.system}: {counted(len(found.profiles), 'profile')}, "
        f"{counted(len(found.traits), 'trait')}, "
        f"{', '.join(str(made['name']) for made in found.lists.values())}.", "",
        "What stands below has no counterpart, or not the same. Names, figures and prices were taken over; traits have "
        "names and do nothing until rules say what.",
    ]  # fmt: skip
    for heading, sentences in found.report.omitted.items():
        lines += ["", f"## {heading} ({sum(sentences.values())})", ""]
        lines += [f"- {said}" + (f" ({times} times)" if times > 1 else "") for said, times in sentences.items()]
    return "\n".join(lines) + "\n"


def is_ours(head: bytes) -> bool:
    """Whether a file that begins so was imported."""
    return head.startswith((MARK.encode(), REPORT_MARK.encode()))


def check(folder: Path, files: Mapping[str, str], ruleset: str = "") -> None:
    """Lay the files into a copy of the ruleset and check it. Raises WarhostError with what is wrong.

    ruleset: the one that a house rule in the folder is for.
    """
    with tempfile.TemporaryDirectory(prefix="warhost-import-") as made:
        copy = _copied(folder, Path(made), files)
        for name, text in files.items():
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        wrong = mistakes(_read(copy, ruleset)[1])
        if wrong:
            listed = "\n".join(p.render() for p in wrong[:5]).replace(f"{made}/", "")
            raise WarhostError(f"what would be written is not in order there, so nothing was written:\n{listed}")


def _copied(folder: Path, made: Path, without: Iterable[str]) -> Path:
    copy = made / folder.resolve().name
    if not folder.exists():  # a house rule that begins with what is imported
        copy.mkdir()
        return copy
    shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".*"))
    for name in without:
        (copy / name).unlink(missing_ok=True)
    return copy
