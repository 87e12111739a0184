"""Results of `warhost odds` and `warhost balance` against a table that somebody else has made.

    found = compared(read_results(Path("table.json")), read_reference(Path("book.csv")))
    found.rms, found.largest, found.chi_square
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warhost.errors import UsageError, did_you_mean
from warhost.packs.find import read_bytes
from warhost.packs.yaml_source import decode

#: Rare endings share a cell of the chi-square test until it is to be expected so often.
FEWEST = 5.0

Name = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """What was computed: a probability for each name, and from how many trials (0: exactly).

    kind: `rates`, each of which is a probability of its own, or `chances`, which fall into distributions (by the first
    part of their names) that sum to 1. aliases: other names of the parts of names.
    """

    kind: str
    values: Mapping[Name, tuple[float, int]]
    aliases: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Compared:
    """How far results are from a reference.

    cells: how many both know. rms: the root of the mean square difference, largest: the largest, and where.
    chi_square: the statistic, its degrees of freedom and how likely it would be as large by chance; None for exact
    results. missing: names of the reference that the results do not have.
    """

    cells: int
    rms: float
    largest: float
    where: Name
    ours: float
    theirs: float
    chi_square: tuple[float, int, float] | None
    missing: tuple[Name, ...]

    def as_dict(self) -> dict[str, Any]:
        """The object that `warhost compare --json` prints."""
        chi = self.chi_square
        return {
            "cells": self.cells, "rms": self.rms,
            "largest": {"where": list(self.where), "results": self.ours, "reference": self.theirs,
                        "difference": self.largest},
            "chi_square": None if chi is None else {"statistic": chi[0], "freedom": chi[1], "probability": chi[2]},
            "missing": [list(name) for name in self.missing],
        }  # fmt: skip


# -- reading ------------------------------------------------------------------------------------------


def read_results(path: Path) -> Results:
    """What `warhost balance` or `warhost odds` printed with --json, or what the former wrote with --csv.

    Raises UsageError.
    """
    found = _results(path)
    if not found.values:
        raise UsageError(f"{path} has no figures")
    return found


def _results(path: Path) -> Results:
    text = _text(path)
    if not text.lstrip().startswith("{"):
        rows = _rows(text, path)
        trials = {_pair(row): int(row.get("trials") or 0) for row in rows}
        rates = {name: (rate, trials.get(name, 0)) for name, rate in _listed(rows, path).items()}
        return Results("rates", rates, _aliases(part for name in rates for part in name))
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no JSON ({error})") from None
    for marks, read in ((("matrix", "standings"), _of_balance), (("outcome", "losses"), _of_odds)):
        if all(mark in data for mark in marks):
            try:
                return _probable(read(data))
            except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
                raise UsageError(f"{path} is not as Warhost wrote it ({type(error).__name__}: {error})") from None
    raise UsageError(f"{path} is neither an answer of `warhost odds --json` nor a table of `warhost balance --json`")


def _of_balance(data: Mapping[str, Any]) -> Results:
    ids = [row["id"] for row in data["standings"]]
    per_cell = data["trials"] // 2 if data.get("ordered") else data["trials"]
    drawn = {frozenset((p["one"], p["two"])): p["trials"] > 0 for p in (*data["pairings"], *data.get("alone", ()))}
    values: dict[Name, tuple[float, int]] = {
        (one, two): (float(rate), per_cell if drawn.get(frozenset((one, two)), True) else 0)
        for one, row in zip(ids, data["matrix"], strict=True) for two, rate in zip(ids, row, strict=True)
        if rate is not None
    }  # fmt: skip
    named = {row["name"].lower(): row["id"] for row in data["standings"]}
    return Results("rates", values, {**named, **_aliases(ids)})


def _of_odds(data: Mapping[str, Any]) -> Results:
    trials = data["trials"] or 0
    values: dict[Name, tuple[float, int]] = {}
    values |= {("outcome", word): (float(p), trials) for word, p in data["outcome"].items()}
    for side, lost in data["losses"].items():
        values |= {(side, n): (float(p), trials) for n, p in lost.items()}
    for name, sides in data.get("observed", {}).items():
        for side, seen in sides.items():
            values |= {(f"{side} {name}", value): (float(p), trials) for value, p in seen.items()}
    return Results("chances", values, {})


def _probable(found: Results) -> Results:
    """The same results. Raises ValueError when one of them is no probability, or comes from less than no trial."""
    for name, (value, trials) in found.values.items():
        if not (0 <= value <= 1 and isinstance(trials, int) and trials >= 0):
            raise ValueError(f"{' / '.join(map(str, name))} is {value}, from {trials} trials")
    return found


def _aliases(ids: Iterable[str]) -> dict[str, str]:
    """Ids without their numbers of models, where that is enough to tell them apart."""
    short: dict[str, set[str]] = {}
    for one in ids:
        profile, _, rest = one.partition(":")
        options = rest.partition(",")[2]
        short.setdefault(f"{profile}+{options.replace(',', '+')}" if options else profile, set()).add(one)
    return {name: found.pop() for name, found in short.items() if len(found) == 1}


def read_reference(path: Path) -> dict[Name, float]:
    """A table of probabilities in a CSV file.

    Three forms are known by their first line: `one,two,rate` (a line for each rate, with other columns if need be),
    `of,value,probability` (of: `outcome`, `attacker` or `defender`), or a matrix, whose first line and first column are
    names. When any figure is above 1, all are in a hundred. Raises UsageError.
    """
    text = _text(path)
    head = next(csv.reader(text.splitlines()), [])
    names = [one.strip().lower() for one in head]
    if {"one", "two", "rate"} <= set(names):
        found = _listed(_rows(text, path), path)
    elif {"of", "value", "probability"} <= set(names):
        rows = _rows(text, path)
        found = {(row["of"], row["value"]): _figure(row["probability"], path) for row in rows}
    else:
        found = _matrix(text, path)
    if not found:
        raise UsageError(f"{path} has no figures")
    if max(found.values()) > 1:
        found = {name: value / 100 for name, value in found.items()}
    for name, value in found.items():
        if not 0 <= value <= 1:
            raise UsageError(f"{path}: {' / '.join(name)} is {value:g}, which is no probability")
    return found


def _text(path: Path) -> str:
    try:
        text, problems = decode(read_bytes(path), str(path))
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror or error})") from None
    if problems:
        raise UsageError(f"{path} cannot be read ({problems[0].message})")
    return text


def _rows(text: str, path: Path) -> list[dict[str, str]]:
    """Lines by the names of their columns, in small letters."""
    reader = csv.DictReader(text.splitlines())
    if reader.fieldnames is None:
        raise UsageError(f"{path} is empty")
    reader.fieldnames = [name.strip().lower() for name in reader.fieldnames]
    rows = []
    for row in reader:
        if None in row or None in row.values():
            raise UsageError(f"{path}:{reader.line_num}: this line has not as many columns as the first")
        rows.append({name: value.strip() for name, value in row.items()})
    return rows


def _pair(row: Mapping[str, str]) -> Name:
    return row.get("one", ""), row.get("two", "")


def _listed(rows: Sequence[Mapping[str, str]], path: Path) -> dict[Name, float]:
    if rows and not {"one", "two", "rate"} <= rows[0].keys():
        raise UsageError(f"{path} has no columns one, two and rate")
    return {_pair(row): _figure(row["rate"], path) for row in rows}


def _matrix(text: str, path: Path) -> dict[Name, float]:
    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    names = [name.strip() for name in rows[0][1:]] if rows else []
    found: dict[Name, float] = {}
    for row in rows[1:]:
        if len(row) != len(names) + 1:
            raise UsageError(f'{path}: the line of "{row[0]}" has {len(row) - 1} figures, not {len(names)}')
        for name, cell in zip(names, row[1:], strict=True):
            if cell.strip() not in ("", "-"):
                found[(row[0].strip(), name)] = _figure(cell, path)
    return found


def _figure(text: str, path: Path) -> float:
    try:
        value = float(text.strip().removesuffix("%"))
    except ValueError:
        raise UsageError(f'{path}: "{text}" is no number') from None
    if not math.isfinite(value):
        raise UsageError(f'{path}: "{text}" is no number')
    return value


# -- comparing ----------------------------------------------------------------------------------------


def compared(results: Results, reference: Mapping[Name, float]) -> Compared:
    """Both, cell by cell. Raises UsageError when they have nothing in common."""
    pairs: dict[Name, tuple[float, float, int]] = {}
    missing = []
    for name, theirs in reference.items():
        known = tuple(results.aliases.get(part, results.aliases.get(part.lower(), part)) for part in name)
        if known in results.values:
            ours, trials = results.values[known]
            pairs[known] = ours, theirs, trials
        elif results.kind == "chances" and any(known[0] == of for of, *_ in results.values):
            pairs[known] = 0.0, theirs, next(t for n, (_, t) in results.values.items() if n[0] == known[0])
        else:
            missing.append(name)
    if not pairs:
        raise UsageError(_nothing_in_common(results, reference))
    if results.kind == "chances":  # what the reference does not name it takes for impossible
        told = {name[0] for name in pairs}
        pairs |= {n: (p, 0.0, t) for n, (p, t) in results.values.items() if n[0] in told and n not in pairs}
    where, (ours, theirs, _) = max(pairs.items(), key=lambda item: abs(item[1][0] - item[1][1]))
    rms = math.sqrt(math.fsum((a - b) ** 2 for a, b, _ in pairs.values()) / len(pairs))
    chi = _of_rates(pairs.values()) if results.kind == "rates" else _of_chances(pairs)
    return Compared(len(pairs), rms, abs(ours - theirs), where, ours, theirs, chi, tuple(missing))


def _nothing_in_common(results: Results, reference: Mapping[Name, float]) -> str:
    theirs = next(iter(reference))
    known = {part for name in results.values for part in name} | results.aliases.keys()
    hints = (did_you_mean(part, known) for part in theirs if part not in known)
    hint = next((one for one in hints if one), f"the results have {' / '.join(next(iter(results.values)))}")
    return f"the reference has nothing that the results have: {' / '.join(theirs)}, for instance; {hint}"


def _of_rates(pairs: Iterable[tuple[float, float, int]]) -> tuple[float, int, float] | None:
    """Each rate is a count of its own: the sum of the squares of their deviations."""
    parts = []
    for ours, theirs, trials in pairs:
        if trials:
            sure = min(max(theirs, 0.5 / trials), 1 - 0.5 / trials)
            parts.append((ours - theirs) ** 2 * trials / (sure * (1 - sure)))
    if not parts:
        return None
    statistic = math.fsum(parts)
    return statistic, len(parts), tail(statistic, len(parts))


def _of_chances(pairs: Mapping[Name, tuple[float, float, int]]) -> tuple[float, int, float] | None:
    """Pearson's statistic of each distribution, put together."""
    statistic, freedom = 0.0, 0
    for of in dict.fromkeys(name[0] for name in pairs):
        cells = sorted(((b, a, t) for n, (a, b, t) in pairs.items() if n[0] == of), reverse=True)
        if not cells[0][2]:
            return None
        seen = expected = 0.0
        full = 0
        for theirs, ours, trials in cells:
            seen, expected = seen + ours * trials, expected + theirs * trials
            if expected >= FEWEST:
                statistic, full = statistic + (seen - expected) ** 2 / expected, full + 1
                seen = expected = 0.0
        if seen or expected:  # too few for a cell of their own, and not to be left out
            statistic, full = statistic + (seen - expected) ** 2 / max(expected, 0.5), full + 1
        freedom += full - 1
    return statistic, freedom, tail(statistic, freedom)


def tail(statistic: float, freedom: int) -> float:
    """The probability that a chi-square of so many degrees of freedom is as large or larger; 1 with none.

    Q(1/2, x) = erfc(sqrt x), Q(1, x) = e^-x, and Q(a + 1, x) = Q(a, x) + x^a e^-x / Gamma(a + 1).
    """
    if freedom < 1 or statistic <= 0:
        return 1.0
    half = statistic / 2
    found, at = (math.exp(-half), 1.0) if freedom % 2 == 0 else (math.erfc(math.sqrt(half)), 0.5)
    while at < freedom / 2:
        found += math.exp(at * math.log(half) - half - math.lgamma(at + 1))
        at += 1
    return min(found, 1.0)
