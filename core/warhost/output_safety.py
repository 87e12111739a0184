"""What leaves Warhost: text that steers no terminal, and files that are written whole or not at all.

Names and sentences come from rulesets, armies and journals of strangers. Wherever they are shown to people, or to a
program that may show them, they go through `harmless` or `harmless_json`; what is kept goes through `write_whole`.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path

from warhost.errors import UsageError

#: Controls of the terminal (C0 without tab and newline, DEL, C1), of the direction of writing, line separators of
#: Unicode, and halves of characters, which cannot be written at all.
_FOREIGN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")

#: How much of a file is looked at to tell whose it is (bytes).
_HEAD = 4096


def harmless(text: str) -> str:
    """The text with a replacement character for each one that would steer a terminal or hide what is written."""
    return _FOREIGN.sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """JSON that says the same, with such characters as escapes. text: written by `json.dumps`."""
    return _FOREIGN.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def refuse_foreign(
    path: Path, what: str, ours: Callable[[bytes], bool] | None = None, force: bool | None = None
) -> None:
    """Refuse a place where a file may not be written: anything but a regular file in a folder that is there, and a
    file of somebody else's.

    what: how the content is called in messages, such as "the report". ours: whether the first bytes of a file are
    those of such content; None: whatever is there is replaced. force: replace it whosesoever it is; None: nobody can
    ask for that, and the message does not speak of it. Raises UsageError.
    """
    try:
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{what} cannot be written: there is no folder {path.parent}")
        about = path.lstat()
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise _cannot(what, path, error) from error
    if not stat.S_ISREG(about.st_mode):
        raise UsageError(f"{path} is {_kind(about.st_mode)}, not a file; give another name for {what}")
    if ours is None or force or not about.st_size:
        return
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
    except OSError as error:
        raise _cannot(what, path, error) from error
    if not ours(head):
        hint = f"give another name for {what}" + ("" if force is None else ", or say --force to replace it")
        raise UsageError(f"{path} exists already and is something else; {hint}")


def write_whole(
    path: Path, content: str | bytes, what: str = "the file", ours: Callable[[bytes], bool] | None = None,
    force: bool | None = None,
) -> None:  # fmt: skip
    """Write a file beside its place first, then move it there. Raises UsageError, as `refuse_foreign` does."""
    refuse_foreign(path, what, ours, force)
    raw = content.encode("utf-8", "replace") if isinstance(content, str) else content
    try:
        put_whole(path, raw, stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask())
    except OSError as error:
        raise _cannot(what, path, error) from error


def put_whole(path: Path, raw: bytes, mode: int | None = None) -> None:
    """Write a file beside its place, then move it there. Raises OSError.

    mode: its permissions, of a file that must outlast a power cut; None: a cache, for the user alone, that need not.
    """
    handle, name = tempfile.mkstemp(prefix=".warhost-", suffix=".part", dir=path.absolute().parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
            if mode is not None:
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _cannot(what: str, path: Path, error: Exception) -> UsageError:
    reason = getattr(error, "strerror", None) or str(error)
    name = str(path)
    return UsageError(f"{what} cannot be written to {name if len(name) < 300 else name[:300] + ' ..'} ({reason})")


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now
