"""What was imported as files of a ruleset: checked in a copy of it first, then written whole or not at all."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from warhost.errors import UsageError, WarhostError, mistakes
from warhost_battlescribe.converting import Imported, Trait, id_of, number_in

#: The first line of every file that is written: by it such files are known again.
MARK = "# Imported from BattleScribe data by `warhost import`"
REPORT_MARK = "# Imported from BattleScribe data\n"

#: Fields that every unit has, whatever the ruleset says.
_OF_ALL = {"id", "name", "ref", "extends", "abstract", "amend", "replace", "remove", "traits", "category"}


@dataclass(slots=True)
class TargetRuleset:
    """What the ruleset has already that is imported into. fields: of units, whether each is a number; required: those
    without a default, each with something to put there; traits: its titles, whether they take no values.
    """

    fields: dict[str, bool] = field(default_factory=dict)
    required: dict[str, Any] = field(default_factory=dict)
    traits: dict[str, bool] = field(default_factory=dict)
    reserved: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    has_traits: bool = True


def names_of(found: Imported) -> list[str]:
    """The files that there will be."""
    name = id_of(found.system, usual="import")
    lists = [f"armies/list_{id_}.yaml" for id_ in found.lists]
    return [f"rules/imported_{name}.rules", f"data/imported_{name}.yaml", *lists, f"IMPORTED_{name}.md"]


def ground_of(folder: Path, own: Iterable[str]) -> TargetRuleset:
    """What a ruleset says without what was imported into it before. Raises UsageError when it is not in order.

    own: the files that will be replaced, which do not count.
    """
    from warhost.lang.lexer import vocabulary
    from warhost.lang.symbols import CORE_FIELDS

    words = vocabulary()
    reserved = {*words.always, *words.at_start, *words.at_block, *CORE_FIELDS["unit"], *CORE_FIELDS[""]}
    ground = TargetRuleset(reserved=reserved)
    with tempfile.TemporaryDirectory(prefix="warhost-import-") as made:
        copy = _copied(folder, Path(made), own)
        from warhost.packs import read

        rules, problems = read(copy)
        wrong = mistakes(problems)
        if rules is None or wrong:
            first = f": {wrong[0].message}" if wrong else ""
            raise UsageError(f"the ruleset in {folder} is not in order (warhost check {folder}){first}")
        program = rules.program
        for name, info in program.nouns["unit"].fields.items():
            ground.fields[name] = info.type.kind in ("number", "fraction", "distance")
            if info.profile and info.required and info.default is None:
                ground.required[name] = _something(info.type, program)
        for (kind, title), definition in program.definitions.items():
            if kind == "trait":
                ground.traits[title] = not definition.params
        ground.has_traits = "trait" in program.kinds
        ground.names = {*program.numbers, *program.nouns, *program.words, *program.kinds, *program.natives}
    return ground


def _something(type_: Any, program: Any) -> Any:
    if type_.kind == "word":
        return next(iter(program.words[type_.name]), "")
    return {"yes_no": "no", "text": "-"}.get(type_.kind, 0)


def files_of(found: Imported, ground: TargetRuleset) -> dict[str, str]:
    """Texts by their paths in the ruleset's folder. Adds to the report what the ruleset made necessary."""
    if not ground.has_traits:
        raise UsageError("the ruleset has no traits: add warhost_psychology to `plugins:` in its ruleset.yaml")
    fields = _fields(found, ground)
    titles = {title: _title(title, found, ground) for title in found.traits}
    profiles: dict[str, dict[str, Any]] = {}
    for id_, made in found.profiles.items():
        row: dict[str, Any] = {"name": made["name"]}
        for characteristic, field_name in fields.items():
            given = made["values"].get(characteristic, "")
            row[field_name] = number_in(given) if characteristic in found.numbers else given or "-"
        for required, value in ground.required.items():
            if required not in row:
                row[required] = value
                said = f'every unit has {required}: {value}, since the ruleset asks for it and the data have none'
                found.report.omit("Figures to fill in", said)
        if made["category"]:
            row["category"] = made["category"]
        if made["traits"]:
            row["traits"] = [titles[title] for title in made["traits"]]
        profiles[id_] = row
    texts = [_rules(found, fields, titles, ground), _yaml({"profiles": profiles})]
    for made in found.lists.values():
        rows = [_with_titles(row, titles) for row in made["units"]]
        texts.append(_yaml({**made, "units": rows}))
    return dict(zip(names_of(found), [*texts, report_of(found)], strict=True))


def _fields(found: Imported, ground: TargetRuleset) -> dict[str, str]:
    """The field of a unit that each characteristic becomes: one that the ruleset has, or a new one."""
    fields: dict[str, str] = {}
    for name in found.characteristics:
        word = id_of(name, usual="figure")
        number = name in found.numbers
        same = ground.fields.get(word) is number and word not in fields.values() and word not in ground.reserved
        if word in ground.reserved or word in _OF_ALL or word in ground.names or (word in ground.fields and not same):
            word = f"{word}_value"
        fields[name] = id_of(word, {*fields.values(), *(ground.fields if not same else ())})
    return fields


def _title(title: str, found: Imported, ground: TargetRuleset) -> str:
    """The trait of that title that the ruleset has already, if it takes no values; else a new one."""
    if ground.traits.get(title) is False:
        return f"{title} of {found.system}"
    return title


def _with_titles(row: dict[str, Any], titles: Mapping[str, str]) -> dict[str, Any]:
    options = [{**one, "traits": [titles[title] for title in one["traits"]]} for one in row.get("options", ())]
    return {**row, "options": options} if options else row


def _rules(found: Imported, fields: Mapping[str, str], titles: Mapping[str, str], ground: TargetRuleset) -> str:
    lines = [f"{MARK}: {found.system}.", "# What the traits do is yours to write: see docs/language.md.", ""]
    new = {name: word for name, word in fields.items() if word not in ground.fields}
    lines.append("profile of unit")
    for name, word in new.items():
        declared = "number = 0" if name in found.numbers else 'text = "-"'
        lines.append(f"    {word}: {declared}" + (f"  # {name}" if name.lower() != word else ""))
    if "category" not in ground.fields:
        lines.append('    category: text = ""')
    if lines[-1] == "profile of unit":
        lines.pop()
    for title, trait in sorted(found.traits.items()):
        if titles[title] in ground.traits:
            continue
        lines += ["", *_trait(titles[title], trait)]
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


def check(folder: Path, files: Mapping[str, str]) -> None:
    """Lay the files into a copy of the ruleset and check it. Raises WarhostError with what is wrong."""
    from warhost.packs import read

    with tempfile.TemporaryDirectory(prefix="warhost-import-") as made:
        copy = _copied(folder, Path(made), files)
        for name, text in files.items():
            path = copy / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        wrong = mistakes(read(copy)[1])
        if wrong:
            listed = "\n".join(p.render() for p in wrong[:5]).replace(f"{made}/", "")
            raise WarhostError(f"what would be written is not in order there, so nothing was written:\n{listed}")


def _copied(folder: Path, made: Path, without: Iterable[str]) -> Path:
    copy = made / folder.resolve().name
    shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".*"))
    for name in without:
        (copy / name).unlink(missing_ok=True)
    return copy
