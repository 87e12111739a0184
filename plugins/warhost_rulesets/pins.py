"""Which edition the plain name of a ruleset means to this user: the newest, unless one is pinned."""

from __future__ import annotations

from collections.abc import Mapping

from warhost.errors import UsageError, did_you_mean
from warhost.output_safety import write_whole
from warhost.packs.find import Installed, installed, pinned, pins_file

_HEAD = "# The editions that plain names of rulesets mean: `warhost rulesets --pin NAME@EDITION`.\n"


def pin(name: str) -> Installed:
    """Let a plain name mean an edition from now on. name: `my_game@2`. Raises UsageError when it is not installed."""
    wanted, at, edition = name.partition("@")
    known = installed()
    if not at or not edition:
        usual = next((one for one in known if one.id == wanted), None)
        if usual is None:
            names = sorted({one.id for one in known})
            hint = did_you_mean(wanted, names) or f"installed: {', '.join(names)}"
            raise UsageError(f'say NAME@EDITION; there is no ruleset "{wanted}" ({hint})')
        raise UsageError(f"say which edition: NAME@EDITION, as in {usual}")
    found = next((one for one in known if (one.id, one.edition) == (wanted, edition)), None)
    if found is None:
        there = [str(one) for one in known if one.id == wanted] or sorted({one.id for one in known})
        raise UsageError(f"{name} is not installed; there is {', '.join(there)}")
    _write({**pinned(), wanted: edition})
    return found


def unpin(name: str) -> bool:
    """Let a plain name mean the newest edition again; whether it was pinned."""
    pins = dict(pinned())
    there = pins.pop(name.partition("@")[0], None) is not None
    if there:
        _write(pins)
    return there


def _write(pins: Mapping[str, str]) -> None:
    path = pins_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f'{id_}: "{edition}"\n' for id_, edition in sorted(pins.items()))
    write_whole(path, (_HEAD + lines).encode(), "the pinned editions", _is_ours, True)


def _is_ours(head: bytes) -> bool:
    return head.startswith(b"# The editions")


