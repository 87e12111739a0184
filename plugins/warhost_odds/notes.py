"""What has to be said of an answer in plain words, because its figures alone say nothing: that nobody loses anything,
that nothing happens at all, and that something given makes no difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from warhost.errors import WarhostError
from warhost_odds.evaluate import Joint, exactly
from warhost_odds.questions import Prepared
from warhost_odds.workings import first_rounds

#: So much work is put into the answer without a thing that is given: some two seconds. Where it takes more no word is
#: said of it.
WORK = 2_000_000

#: Answers that differ by less are the same.
SAME = 1e-12


def of_harmlessness(prepared: Prepared, joint: Joint) -> Iterator[str]:
    """Sentences about an answer in which neither side loses anything."""
    if any(tally[1:] != (0, 0, 0, 0) for tally in joint.joint):
        return
    subject = prepared.question.subject
    what = str(prepared.settings[subject.name]) if subject is not None and subject.type.kind == "kind" else ""
    if not _anything_happens(prepared):
        begins = f"{what} does nothing here" if what else "Nothing happens here"
        yield f"{begins}: no dice are thrown, and nobody loses anything (out of range, say, or without what it takes)."
    elif joint.trials:
        yield f"Nobody lost anything in any of {joint.trials:,} trials."
    elif what:
        yield f"{what} harms nobody by itself, whatever the dice show."
    else:
        yield "Nobody can lose anything as they stand, whatever the dice show."


def of_gains(prepared: Prepared, joint: Joint) -> Iterator[str]:
    """A sentence about each side that loses less than nothing whenever it loses anything."""
    attacker, defender = {tally[1] for tally in joint.joint}, {tally[2] for tally in joint.joint}
    for lost, name in ((attacker, prepared.attacker.name), (defender, prepared.defender.name)):
        if lost - {0} and all(figure <= 0 for figure in lost):
            number = prepared.question.losses
            yield f"{name} only gains here. If nobody can, `{number}` counts what is left and not what is lost."


def _anything_happens(prepared: Prepared) -> bool:
    """Whether dice are thrown, or anything is told, in one of some first rounds."""
    return any(
        record.get("dice") or (record.get("kind") in ("event", "say") and record.get("text"))
        for records in first_rounds(prepared)
        for record in records
    )


def of_what_is_given(
    given: Sequence[str], without: Callable[[Sequence[str]], Prepared], until: str, joint: Joint
) -> Iterator[str]:
    """A sentence about each statement that is given and makes no difference to an exact answer.

    without: sets the question up with these statements alone.
    """
    if joint.method != "exact":
        return
    for i, text in enumerate(given):
        try:
            other = exactly(without([*given[:i], *given[i + 1 :]]), until, WORK)
        except WarhostError:  # too dear, or it cannot even be asked without that
            continue
        if _same(joint, other):
            yield f'"{" ".join(text.split())}" changes nothing: the answer is the same without it.'


def _same(one: Joint, other: Joint) -> bool:
    pairs = [(one.joint, other.joint), *((seen, other.observed.get(key, {})) for key, seen in one.observed.items())]
    return all(abs(a.get(key, 0.0) - b.get(key, 0.0)) < SAME for a, b in pairs for key in a.keys() | b.keys())


__all__ = ["of_gains", "of_harmlessness", "of_what_is_given"]
