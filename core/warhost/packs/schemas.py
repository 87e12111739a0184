"""Checking YAML data against the JSON Schemas in schemas/, with errors in plain sentences.

The schemas are the same files that editors use. They are read and compiled when first needed; jsonschema
itself is imported only for data that do not fit (fastjsonschema tells which do), to say why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warhost.errors import Problem, did_you_mean, is_a_slip
from warhost.lang.place import Pos
from warhost.packs.find import schema_folder
from warhost.packs.spelling import MAX_LENGTH
from warhost.packs.yaml_source import Map, maps, place_of, problem_at

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

NAMES = ("ruleset", "profiles", "army", "scenario", "rulebook", "equivalent", "examples", "battle", "house", "odds")
MAX_ERRORS = 100
MAX_NAMES = 20

_NUMBER_KEYS = {"profiles": ("rows",), "house": ("rows",), "examples": ("then", "state", "choices")}
"""Below which keys of a file numbers may be keys."""


def schema_path(name: str) -> Path:
    """The file of a schema (`ruleset`, `profiles`, ..)."""
    return schema_folder() / f"{name}.schema.json"


@cache
def _contents(name: str) -> Mapping[str, Any]:
    contents: Mapping[str, Any] = json.loads(schema_path(name).read_text("utf-8"))
    return contents


def keys_of(name: str, definition: str) -> list[str]:
    """The keys that a definition of a schema names."""
    return list(_contents(name)["$defs"][definition]["properties"])


def _inlined(schema: Any, name: str) -> Any:
    """The schema with what its `$ref`s lead to in their place: none is recursive, and looking them up for each of
    5,000 profiles takes as long as all the rest.
    """
    if isinstance(schema, list):
        return [_inlined(item, name) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" not in schema:
        return {key: _inlined(value, name) for key, value in schema.items() if key != "$defs"}
    file, _, path = schema["$ref"].partition("#/")
    home = file.removesuffix(".schema.json") or name
    found: Any = _contents(home)
    for step in path.split("/"):
        found = found[step]
    return _inlined(found, home)


def whole(name: str) -> Mapping[str, Any]:
    """A schema as plain data, with what it takes from others in its place. Raises FileNotFoundError."""
    found: Mapping[str, Any] = _inlined(_contents(name), name)
    return found


@cache
def _validator(name: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(whole(name))


@cache
def _quick(name: str) -> Callable[[Any], Any]:
    from fastjsonschema import compile as compiled

    found: Callable[[Any], Any] = compiled(dict(whole(name)), use_default=False)
    return found


def fits(name: str, data: Any) -> bool:
    """Whether the data certainly fit the schema of that name, in a tenth of the time in which jsonschema could tell.
    It may be no where they do: of exact fractions only jsonschema knows that they are numbers.
    """
    from fastjsonschema import JsonSchemaValueException

    try:
        _quick(name)(data)
    except JsonSchemaValueException:
        return False
    return True


def check(name: str, data: Any, file: str) -> list[Problem]:
    """Everything in the data that the schema of that name does not allow. `yes` and `no` become true and false
    below keys that can be nothing else.
    """
    _take_yes_and_no(data, _yes_or_no(name))
    problems = list(_keys_that_are_numbers(data, file, _NUMBER_KEYS.get(name, ())))
    if problems:  # jsonschema takes text keys for granted
        return problems
    if name == "army" and (other := _of_another_kind(data)) is not None:
        return [other]
    if name in _SORTS_OF_FILES and isinstance(data, Map) and (other := _misplaced(name, data) or _headless(name, data)):
        return [other]
    if fits(name, data):
        return []
    for error in _validator(name).iter_errors(data):
        problems.extend(_translated(error, data, file))
        if len(problems) >= MAX_ERRORS:
            break
    of_kind = [p for p in problems if p.message.endswith('lacks "kind"') or p.message.startswith('"kind" must be')]
    found = {(p.line, p.column, p.message): p for p in sorted(of_kind or problems, key=lambda p: p.hint is not None)}
    return [found[key] for key in sorted(found)]  # what else is known of it depends on its kind


@cache
def _yes_or_no(name: str) -> frozenset[str]:
    """The keys that a schema knows as true or false, wherever they stand."""
    found: set[str] = set()
    pending: list[Any] = [_contents(name)]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            keys = part.get("properties")
            if isinstance(keys, dict):
                found.update(key for key, means in keys.items() if means.get("type") == "boolean")
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return frozenset(found)


def _take_yes_and_no(data: Any, keys: Iterable[str]) -> None:
    """`amend: yes` is `amend: true`."""
    pending, seen = [data], set[int]()
    while pending:
        value = pending.pop()
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        seen.add(id(value))
        pending.extend(value.values() if isinstance(value, dict) else value)
        if isinstance(value, Map):
            for key in keys:
                if value.get(key) in ("yes", "no"):
                    value[key] = value[key] == "yes"


def _of_another_kind(data: Any) -> Problem | None:
    """An army that says it is a list, or a list that says it is an army."""
    if not isinstance(data, Map) or data.get("kind") not in ("list", "army"):
        return None
    is_list = any(isinstance(row.get("size"), Map) or "limit" in row for row in maps(data.get("units")))
    if data["kind"] == "list" and "list" in data and not is_list:
        message, hint = 'this is no army list but an army: it says of which list it is', "write kind: army"
    elif data["kind"] == "army" and "list" not in data and is_list:
        message, hint = "this is no army but an army list: its rows say how many there may be", "write kind: list"
    else:
        return None
    return problem_at(data.pos("kind"), "wrong-value", message, hint)


#: Schemas of files that may lie in the wrong folder: that of house rules has no folder of its own.
_SORTS_OF_FILES = ("army", "scenario", "profiles", "house")


@cache
def _keys(name: str) -> frozenset[str]:
    """The keys that a file may have by its schema."""
    return frozenset(_contents(name).get("properties", {}))


def _misplaced(name: str, data: Map) -> Problem | None:
    """A file that by its keys is of another sort than those beside it."""
    kind = data.get("kind")
    if name != "army" and kind in ("list", "army"):
        what = "an army list" if kind == "list" else "an army"
        return problem_at(data.key_pos("kind"), "wrong-folder", f"this is {what}", "put the file into armies/")
    plays = "settings" in data or "board" in data or kind == "scenario"
    if name != "scenario" and plays and "id" in data and data.keys() <= _keys("scenario") | {"kind"}:
        return problem_at(data.key_pos("id"), "wrong-folder", "this is a scenario", "put the file into scenarios/")
    if name in ("army", "scenario") and data and data.keys() <= _keys("profiles"):
        hint = "put the file into data/, that of a house rule beside its rules"
        return problem_at(data.here, "wrong-folder", "these are profiles or tables", hint)
    return None


#: What a house rule may have under one key, and a ruleset has in files of their own.
_OF_FOLDERS = {"lists": "armies/ID.yaml", "armies": "armies/ID.yaml", "scenarios": "scenarios/ID.yaml"}


def _headless(name: str, data: Map) -> Problem | None:
    """Profiles or tables that stand in a file without the key that says what they are."""
    known = _keys(name)
    if name not in ("profiles", "house") or "profiles" in data:
        return None
    heads = [key for key, value in data.items() if key not in known and isinstance(value, Map) and value]
    strange = [key for key in data if key not in known]
    if not heads or heads != strange or any(did_you_mean(str(key), known) for key in heads):
        return None
    are_tables = all("rows" in data[key] for key in heads)
    head, what = ("tables", "a table") if are_tables else ("profiles", "a profile")
    if head in data:
        return None
    pos = data.key_pos(heads[0])
    if name == "profiles" and heads[0] in _OF_FOLDERS:
        there = f"each stands in a file {_OF_FOLDERS[heads[0]]} (`amend: true`: it changes one of the edition below)"
        hint = f"in a ruleset or an edition {there}; all in one file are for house rules"
        return problem_at(pos, "wrong-folder", f'"{heads[0]}" do not stand in data/', hint)
    indented = "" if pos.column > 1 else ", and indent it and the others below by two spaces"
    hint = f"write {head}: in a line above it{indented}"
    return problem_at(pos, "missing-head", f'"{heads[0]}" is {what}, it seems', hint)


def _keys_that_are_numbers(data: Any, file: str, allowed: Sequence[str]) -> Iterator[Problem]:
    pending: list[tuple[Any, bool]] = [(data, False)]
    seen: set[int] = set()
    while pending:
        value, free = pending.pop()
        if not isinstance(value, dict | list) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, list):
            pending.extend((item, free) for item in value)
            continue
        for key, item in value.items():
            if not isinstance(key, str) and not free:
                pos = value.key_pos(key) if isinstance(value, Map) else Pos(file, 1, 1, 1, 2)
                message = f"the number {key} cannot be a name here"
                yield problem_at(pos, "wrong-name", message, "put it in quotes if it is meant as text")
            pending.append((item, free or key in allowed))


# -- sentences -----------------------------------------------------------------------------------

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping (`name: value`)",
    "null": "nothing",
}


def _translated(error: ValidationError, data: Any, file: str) -> Iterator[Problem]:
    path = list(error.absolute_path)
    where = _where(path)
    pos = place_of(data, path, file)
    match error.validator:
        case "additionalProperties":
            yield from _unknown_names(error, pos)
        case "required":
            yield from _missing(error, pos, where)
        case "type":
            yield problem_at(pos, "wrong-type", *_wrong_type(error, where))
        case "enum" | "const":
            value: Any = error.validator_value
            allowed: list[Any] = value if error.validator == "enum" else [value]
            shown = " or ".join(str(word) for word in allowed)
            near = str(error.instance)[:MAX_LENGTH]
            hint = did_you_mean(near, [str(word) for word in allowed]) or f"write {shown}"
            yield problem_at(pos, "wrong-value", f"{where} must be {shown}, not {_show(error.instance)}", hint)
        case "pattern":
            yield from _wrong_name(error, data, path, file, where)
        case "anyOf" | "oneOf" if _one_needed(error):
            hint = f"add {' or '.join(f'`{name}: ..`' for name in _one_needed(error))}"
            yield problem_at(pos, "missing-property", f"{where} lacks {' and '.join(_one_needed(error))}", hint)
        case _:
            yield problem_at(pos, "wrong-value", _measure(error, where))


def _where(path: Sequence[Any]) -> str:
    """The name of what the path leads to, as a sentence begins with it."""
    names = [str(step) for step in path if not isinstance(step, int)]
    if not path:
        return "this file"
    if not names:
        return f"item {path[-1] + 1}"
    if isinstance(path[-1], int):
        return f'item {path[-1] + 1} of "{names[-1]}"'
    return f'"{names[-1]}"'


def _show(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    return f'"{text[:60]}"' if isinstance(value, str) else text


def _unknown_names(error: ValidationError, pos: Pos) -> Iterator[Problem]:
    assert isinstance(error.schema, Mapping)
    known = list(error.schema.get("properties", {}))
    instance: Any = error.instance
    free = [name for name in known if name not in instance]
    for key in islice((key for key in instance if key not in known), MAX_NAMES):
        at = instance.key_pos(key) if isinstance(instance, Map) else pos
        if (colon := colon_missing(instance, key)) is not None:
            yield problem_at(at, "unknown-property", *colon)
            continue
        near = did_you_mean(str(key), free) if len(str(key)) <= MAX_LENGTH else None
        message = f'"{str(key)[:MAX_LENGTH]}" is not known here'
        yield problem_at(at, "unknown-property", message, near or f"known here: {', '.join(known)}")


_RUN_TOGETHER = re.compile(r"(\w+)(:|\s+|(?=\{))(\S.*)")


def colon_missing(holder: Any, key: object) -> tuple[str, str] | None:
    """What is told of a key that is a key and its value in one (`size 3`, `size:3`, `bell {name`)."""
    found = _RUN_TOGETHER.fullmatch(key) if isinstance(key, str) and len(key) <= MAX_LENGTH else None
    if found is None or (holder.get(key) is not None and found[3][0] != "{"):
        return None
    lacking = "a space is" if found[2] == ":" else "a colon and a space are"
    return f'{lacking} missing behind "{found[1]}"', f"write {found[1]}: {found[3]}"


def _missing(error: ValidationError, pos: Pos, where: str) -> Iterator[Problem]:
    instance: Any = error.instance
    required: Any = error.validator_value
    missing = [name for name in required if name not in instance]
    known = error.schema.get("properties", {}) if isinstance(error.schema, Mapping) else {}
    if len(missing) > 2 and "kind" not in missing:  # one mistake: it is not known yet what belongs there
        listed = ", ".join(f'"{name}"' for name in missing[:-1]) + f' and "{missing[-1]}"'
        yield problem_at(pos, "missing-property", f"{where} lacks {listed}", f"needed here: {', '.join(required)}")
        return
    for name in missing:
        every = f"; needed here: {', '.join(required)}" if len(required) > 1 else ""
        others = (key for key in islice(instance, MAX_NAMES) if key not in known)
        near = next((key for key in others if is_a_slip(str(key), name)), None)
        hint = f'did you mean "{name}" instead of "{near}"?' if near is not None else f"add `{name}: ..`{every}"
        yield problem_at(pos, "missing-property", f'{where} lacks "{name}"', hint)


def _one_needed(error: ValidationError) -> list[str]:
    """The keys of which one must be there, when that is all that the alternatives ask for."""
    alternatives: Any = error.validator_value
    wanted = [one.get("required") for one in alternatives if isinstance(one, Mapping)]
    names = [names[0] for names in wanted if isinstance(names, list) and len(names) == 1]
    instance: Any = error.instance
    complete = len(names) == len(alternatives) and isinstance(instance, dict)
    return names if complete and not any(name in instance for name in names) else []


def _wrong_type(error: ValidationError, where: str) -> tuple[str, str | None]:
    types: Any = error.validator_value
    names = [types] if isinstance(types, str) else list(types)
    wanted = " or ".join(_TYPES.get(name, name) for name in names)
    value: Any = error.instance
    hint = None
    if ("string" in names and isinstance(value, int | float)) or ("string" in names and hasattr(value, "numerator")):
        hint = "put it in quotes"
    elif "boolean" in names and isinstance(value, str):
        words = {"yes": "true", "on": "true", "True": "true", "no": "false", "off": "false", "False": "false"}
        hint = f"write {words[value]}" if value in words else None
    elif "array" in names and not isinstance(value, dict):
        items = ", ".join(str(value).split()) if str(value).replace(" ", "").isdecimal() else value
        hint = f"write [{items}]" if value is not None else "write [] for an empty list"
    elif value is not None and not isinstance(value, dict | list) and {"integer", "number"} & set(names):
        hint = f"write a number, such as {where}: 3".replace('"', "")
    elif names == ["object"] and isinstance(error.schema, Mapping) and (keys := error.schema.get("properties")):
        limits = isinstance(value, int) and "max" in keys
        hint = f"write {where}: {{max: {value}}}".replace('"', "") if limits else f"its keys are: {', '.join(keys)}"
    return f"{where} must be {wanted}, not {_show(value)}", hint


def _wrong_name(error: ValidationError, data: Any, path: Sequence[Any], file: str, where: str) -> Iterator[Problem]:
    of_key = "propertyNames" in error.absolute_schema_path
    pos = place_of(data, path, file)
    if of_key:
        holder = _value_at(data, path)
        if isinstance(holder, Map):
            pos = holder.key_pos(error.instance)
        if (colon := colon_missing(holder, error.instance)) is not None:
            yield problem_at(pos, "wrong-name", *colon)
            return
        where = "a name here"
    rule = "small letters, digits and underscores, beginning with a letter"
    if "A-Z" in str(error.validator_value):
        rule = "letters, digits and underscores"
        if "-" in str(error.validator_value).replace("A-Z", "").replace("a-z", "").replace("0-9", ""):
            rule = "letters, digits, dots and hyphens"
    plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in str(error.instance).lower()).strip("_")
    free = rule == "letters, digits and underscores"
    if free:  # case is the author's own
        plain = "".join(c if c.isalnum() and c.isascii() else "_" for c in str(error.instance)).strip("_")
    hint = f"write {plain}" if plain and (free or rule.startswith("small")) and plain[0].isalpha() else None
    yield problem_at(pos, "wrong-name", f"{where} must be of {rule}, not {_show(error.instance)}", hint)


def _value_at(data: Any, path: Sequence[Any]) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


_MEASURES = {
    "minimum": "must be at least {limit}, not {value}",
    "maximum": "must be at most {limit}, not {value}",
    "minItems": "must have at least {limit} item{s}",
    "maxItems": "must have at most {limit} items",
    "minLength": "must not be empty",
    "minProperties": "must not be empty",
    "uniqueItems": "names something twice",
}


def _measure(error: ValidationError, where: str) -> str:
    said = _MEASURES.get(str(error.validator), "is not allowed like this: {message}")
    limit: Any = error.validator_value
    shown = {"limit": limit, "value": error.instance, "s": "" if limit == 1 else "s", "message": error.message}
    return f"{where} {said.format(**shown)}"
