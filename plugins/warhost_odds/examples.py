"""Examples that say probabilities: worked odds in a ruleset, held against what its rules give.

    - title: Four blows that hit on a 5
      odds: {attacker: "elf_warriors:4", defender: "orc_mob:20", given: [defender.disorder = 1]}
      then: {defender loses: {0: 1/81}, outcome: {both_hold: 1}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from warhost.errors import UsageError, did_you_mean
from warhost_odds.answer import Answer, plain
from warhost_odds.asking import ask
from warhost_odds.section import SIDES

if TYPE_CHECKING:
    from warhost.packs import Ruleset

#: How far a figure with a decimal point may be off when the example does not say (`within`); one that is whole or a
#: fraction of whole numbers is exact.
WITHIN = 5e-4
EXACT = 1e-9


def failures(rules: Ruleset, example: Mapping[str, Any]) -> list[str]:
    """What comes out otherwise than the example's `then` has it. The answer is exact. Raises WarhostError."""
    asked, then = example["odds"], dict(example["then"])
    then.pop("fails", None)
    within = float(_figure(then.pop("within", WITHIN)))
    answer = ask(
        rules, asked["attacker"], asked["defender"], what=asked.get("what"), until=asked.get("until", "round"),
        settings=asked.get("settings"), given=asked.get("given", ()), method="exact", any_size=True,
    )  # fmt: skip
    return [said for key, wanted in then.items() for said in _compared(key, wanted, _found(key, answer), within)]


def _found(key: str, answer: Answer) -> Mapping[str, float] | float:
    """What an answer says under a key of `then`."""
    known: dict[str, Mapping[str, float] | float] = {"outcome": answer.outcome}
    for side in SIDES:
        known[f"{side} loses"] = {plain(n): p for n, p in answer.losses[side].items()}
        known[f"{side} loses on average"] = answer.means[side]
        known[f"{side} loses points on average"] = answer.points_lost[side]
        known |= {
            f"{side} {name}": {plain(v): p for v, p in sides[side].items()} for name, sides in answer.observed.items()
        }
    if key not in known:
        hint = did_you_mean(key, known) or f"there is {', '.join(known)}"
        raise UsageError(f'an answer has no "{key}"; {hint}')
    return known[key]


def _compared(key: str, wanted: Any, found: Mapping[str, float] | float, within: float) -> Iterator[str]:
    if not isinstance(found, Mapping):
        yield from _off(key, wanted, found, within)
        return
    if not isinstance(wanted, Mapping):
        raise UsageError(f'"{key}" wants values with their probabilities, as in {{{next(iter(found))}: 1/2}}')
    for value, chance in wanted.items():
        yield from _off(f"{key}, {plain(value)}", chance, found.get(plain(value), 0.0), within)


def _off(what: str, wanted: Any, found: float, within: float) -> Iterator[str]:
    figure = _figure(wanted)
    if abs(float(figure) - found) > (within if isinstance(wanted, float | Fraction) else EXACT):
        shown = f"{float(wanted):g}" if isinstance(wanted, Fraction) else wanted
        yield f"{what}: expected {shown}, got {found:.6g}"


def _figure(text: Any) -> Fraction | float:
    """A figure; one with a decimal point comes from a file as a Fraction, `1/3` as a text."""
    try:
        if isinstance(text, float):
            return text
        return prod(Fraction(factor.strip()) for factor in str(text).split("*"))
    except (ValueError, ZeroDivisionError):
        raise UsageError(f'"{text}" is no probability and no number: write 0.25, 1/4 or 1/2 * 1/2') from None
