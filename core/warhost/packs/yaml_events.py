"""Reading YAML as a stream of events. Only what is not in the cache is read, so this is imported when it is."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from warhost.errors import Problem, nearest
from warhost.packs.yaml_source import MAX_BYTES, Map, Seq, line_column, plain_key, plain_value

try:
    from yaml import CSafeLoader as _Events
except ImportError:  # PyYAML without libyaml: slower, same events
    from yaml import SafeLoader as _Events  # type: ignore[assignment]

MAX_DEPTH = 40
MAX_VALUES = 400_000
MAX_ALIASES = 500
MAX_EXPANSION = 20_000
MAX_PROBLEMS = 50


class _StopError(Exception):
    """Reading cannot go on; the problem has been noted."""


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read. size and height count what is in it, aliases expanded."""

    value: Map | Seq
    anchor: str | None
    line: int
    column: int
    size: int = 1
    height: int = 1
    awaits_value: bool = False
    key: Any = None
    key_line: int = 0
    key_column: int = 0


_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_NAME_BEFORE_BRACE = re.compile(r"\s*(?:- +)*\w+(?= *[{\[])")
_DIRECTIVE = re.compile(r"^%", re.MULTILINE)
_STRANGE_INDENT = re.compile("^[ \t]*[\u00a0\u2000-\u200b\u3000]", re.MULTILINE)


def read_yaml(text: str, file: str) -> tuple[Any, list[Problem]]:
    """Plain data (Map, Seq, text, int, Fraction, bool, None) and what is wrong. Never raises for bad input.

    Data are None when the text cannot be read to its end.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    reading = _YamlReader(text, file)
    return reading.result(), reading.problems


class _YamlReader:
    def __init__(self, text: str, file: str) -> None:
        self.text, self.file = text, file
        self.problems: list[Problem] = []
        self.values = self.aliases = self.expanded = 0
        self.anchors: dict[str, tuple[Any, int, int] | None] = {}
        self.lines: list[str] | None = None

    def result(self) -> Any:
        try:
            self._refuse_strange_text()
            loader = _Events(self.text)
            try:
                return self._documents(loader)
            finally:
                loader.dispose()
        except _StopError:
            return None
        except yaml.MarkedYAMLError as error:
            self._syntax(error)
        except (yaml.YAMLError, UnicodeError, RecursionError, MemoryError) as error:
            self._problem(0, 0, "yaml-syntax", f"this cannot be read as YAML ({str(error).splitlines()[0]})")
        return None

    # -- problems

    def _problem(self, line: int, column: int, code: str, message: str, hint: str | None = None) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            return
        if self.lines is None:
            self.lines = self.text.split("\n")
        source = self.lines[line - 1] if 0 < line <= len(self.lines) else None
        if source is not None:  # a lone surrogate could not even be printed
            source = source.encode("utf-8", "replace").decode()
        self.problems.append(Problem(self.file, line, column, code, message, hint, source))

    def _fatal(self, line: int, column: int, code: str, message: str, hint: str | None = None) -> _StopError:
        self._problem(line, column, code, message, hint)
        return _StopError()

    def _refuse_strange_text(self) -> None:
        if len(self.text) > MAX_BYTES:
            raise self._fatal(0, 0, "too-large", f"this file is larger than {MAX_BYTES // 1_000_000} MB")
        for pattern, code, what in (
            (_UNPRINTABLE, "strange-character", "an invisible character stands here that a text file may not have"),
            (_STRANGE_INDENT, "strange-character", "this line is indented by a special space; use ordinary spaces"),
            (_DIRECTIVE, "directive", "lines that begin with % are not used here"),
        ):
            found = pattern.search(self.text)
            if found:
                raise self._fatal(*line_column(self.text, found.end() - 1), code, what)

    def _syntax(self, error: yaml.MarkedYAMLError) -> None:
        lines = self.text.split("\n")
        mark, start = error.problem_mark or error.context_mark, error.context_mark
        trouble = error.problem or error.context or ""
        at_end = mark is None or mark.line >= len(lines) or not "".join(lines[mark.line :]).strip()
        if start and (at_end or "unexpected end of stream" in trouble):
            mark = start
        if start and "expected ':'" in trouble:
            mark = start
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        if start and "expected ','" in trouble and (astray := self._left_open(line, start.line)):
            line, column = astray
        elif "mapping values" in trouble and (name := _NAME_BEFORE_BRACE.match(lines[line - 1][: column - 1])):
            column, trouble = name.end() + 1, "expected ':'"
        elif above := self._runs_on(line, column):
            line, column, trouble = above
        found = lines[line - 1][column - 1 : column] if 0 < line <= len(lines) else ""
        message, hint = _in_plain_words(trouble, error.context or "", found)
        if found == ":" and "expected ','" in trouble and (text := _COLON_IN_TEXT.search(lines[line - 1][:column])):
            message, hint = "a text with a colon stands in quotes", f'write {text[1]}: "{text[2]}: .."'
        self._problem(line, column, "yaml-syntax", message, hint)

    def _left_open(self, line: int, begun: int) -> tuple[int, int] | None:
        """Where a { or [ was to be closed, when the line at fault (from 1) stands no further in than the line (from 0)
        in which it was opened, and so does not belong to it: the end of the line before.
        """
        lines = self.text.split("\n")
        inside = [n for n in range(begun, line - 1) if lines[n].strip() and not lines[n].lstrip().startswith("#")]
        if not inside or _indent_of(lines[line - 1]) > _indent_of(lines[begun]):
            return None
        return inside[-1] + 1, len(lines[inside[-1]].rstrip()) + 1

    def _runs_on(self, line: int, column: int) -> tuple[int, int, str] | None:
        """Where a text began that ends just here, lines below: it was to end in its first line. With what is amiss."""
        found: Any = None
        with contextlib.suppress(yaml.YAMLError):  # what is before the mistake has been seen by then
            for token in yaml.scan(self.text, Loader=_Events):
                end = token.end_mark
                if isinstance(token, yaml.ScalarToken) and (end.line + 1, end.column + 1) == (line, column):
                    found = token
        if found is None or found.start_mark.line + 1 == line:
            return None
        begun, missing = found.start_mark, "found unexpected end of stream" if found.style else "expected ':'"
        alone = not self.text.split("\n")[begun.line][: begun.column].strip()
        return (begun.line + 1, begun.column + 1, missing) if found.style or alone else None

    # -- events

    def _documents(self, loader: Any) -> Any:
        documents = 0
        data: Any = None
        while True:
            event = loader.get_event()
            if isinstance(event, yaml.StreamEndEvent):
                return data
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    mark: Any = event.start_mark
                    raise self._fatal(
                        mark.line + 1, 1, "two-documents", "a second document begins here; one file holds one"
                    )
                data = self._nodes(loader)

    def _nodes(self, loader: Any) -> Any:
        """The value of one document. A stack instead of recursion, so that depth costs nothing."""
        file = self.file
        get_event = loader.get_event
        stack: list[_Open] = []
        top: _Open | None = None
        while True:
            event = get_event()
            kind = type(event)
            mark = event.start_mark
            line, column = mark.line + 1, mark.column + 1
            size = height = 1
            if kind is yaml.ScalarEvent:
                if event.tag is not None:
                    raise self._tag(event.tag, line, column)
                if top is not None and type(top.value) is Map and not top.awaits_value:
                    self._key(top, event, line, column)
                    continue
                value = plain_value(event.value) if event.implicit[0] else event.value
                if event.anchor:
                    self.anchors[event.anchor] = (value, 1, 1)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                top = self._open(event, stack, line, column)
                continue
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                done = stack.pop()
                top = stack[-1] if stack else None
                value, size, height = done.value, done.size, done.height
                line, column = done.line, done.column
                if done.anchor:
                    self.anchors[done.anchor] = (value, size, height)
            elif kind is yaml.AliasEvent:
                value, size, height = self._alias(event.anchor, len(stack), line, column)
            else:  # the document ends without a value
                return None
            self.values += 1
            if self.values > MAX_VALUES:
                raise self._fatal(line, column, "too-large", f"this file has more than {MAX_VALUES} values")
            if top is None:
                return value
            top.size += size
            if height >= top.height:
                top.height = height + 1
            holder = top.value
            if type(holder) is Map:
                if not top.awaits_value:
                    raise self._fatal(line, column, "strange-key", "a name or a number must stand before the colon")
                holder[top.key] = value
                holder.marks[top.key] = (file, top.key_line, top.key_column, line, column)
                top.awaits_value = False
            else:
                assert isinstance(holder, Seq)
                holder.append(value)
                holder.marks.append((file, line, column, line, column))

    def _tag(self, tag: str, line: int, column: int) -> _StopError:
        return self._fatal(
            line, column, "tag", "a word after ! is a YAML tag; tags are not used here", "put text with ! in quotes"
        )

    def _key(self, top: _Open, event: Any, line: int, column: int) -> None:
        plain = event.implicit[0]
        key = plain_key(event.value) if plain else event.value
        if plain and key == "<<":
            extends = ", or use `extends`"
            if "examples" in Path(self.file).parts:  # nothing extends anything there
                extends = "; what is the same as a whole is repeated so: given: &name .., and below given: *name"
            hint = f"write the entries out{extends}"
            raise self._fatal(line, column, "merge-key", "merge keys (<<) are not used here", hint)
        assert isinstance(top.value, Map)
        mark = top.value.marks.get(key)
        if mark is not None:
            message = f"{_shown(key)} stands here for the second time; the first is in line {mark[1]}"
            self._problem(line, column, "duplicate-key", message, f'keep one of the two "{key}"')
        if event.anchor:
            self.anchors[event.anchor] = (key, 1, 1)
        top.key, top.key_line, top.key_column, top.awaits_value = key, line, column, True

    def _open(self, event: Any, stack: list[_Open], line: int, column: int) -> _Open:
        if event.tag is not None:
            raise self._tag(event.tag, line, column)
        if stack and type(stack[-1].value) is Map and not stack[-1].awaits_value:
            raise self._fatal(
                line,
                column,
                "strange-key",
                "a name or a number must stand before the colon, not a list or a mapping",
                "text that begins with { or [ needs quotes",
            )
        if len(stack) >= MAX_DEPTH:
            raise self._fatal(line, column, "too-deep", f"this is nested more than {MAX_DEPTH} deep")
        if event.anchor:
            self.anchors[event.anchor] = None  # not to be used before it is closed
        maker = Map if type(event) is yaml.MappingStartEvent else Seq
        opened = _Open(maker(self.file, line, column), event.anchor, line, column)
        stack.append(opened)
        return opened

    def _alias(self, name: str, depth: int, line: int, column: int) -> tuple[Any, int, int]:
        if name not in self.anchors:
            meant = nearest(name, self.anchors)
            hint = f"did you mean *{meant}?" if meant else "text that begins with * needs quotes"
            raise self._fatal(line, column, "unknown-alias", f"*{name} refers to nothing above", hint)
        found = self.anchors[name]
        if found is None:
            raise self._fatal(line, column, "endless-alias", f"*{name} stands inside the very thing that it repeats")
        value, size, height = found
        self.aliases += 1
        self.expanded += size
        if self.aliases > MAX_ALIASES or self.expanded > MAX_EXPANSION:
            raise self._fatal(line, column, "too-many-aliases", "aliases (*name) repeat too much in this file")
        if depth + height > MAX_DEPTH:
            raise self._fatal(line, column, "too-deep", f"with *{name} this is nested more than {MAX_DEPTH} deep")
        return value, size, height


#: A field of a mapping, and what is its value up to a second colon.
_COLON_IN_TEXT = re.compile(r"(\w+): *([^,{}\[\]:'\"]+):$")


def _indent_of(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _shown(key: object) -> str:
    return f'"{key}"' if isinstance(key, str) else str(key)


#: libyaml's words, ours, a hint. The first that fits is taken.
_PHRASES: tuple[tuple[str, str, str | None], ...] = (
    ("mapping values are not allowed", "a colon stands where none can be",
     "indent keys like their neighbours, and quote text that contains `: `"),
    ("expected ':'", "this line has no colon after its name", "write `name: value`"),
    ("did not find expected key", "the indentation of this line fits nothing above",
     "indent it like the lines that it belongs to"),
    ("did not find expected '-' indicator", "a list item (`- ..`) was expected here", "line it up with the others"),
    ("did not find expected ',' or ']'", "a comma or a closing ] is missing before this",
     "close the list with ]"),
    ("did not find expected ',' or '}'", "a comma or a closing } is missing before this",
     "close the mapping with }"),
    ("found unexpected end of stream", "this text is never closed", "add the missing quotation mark"),
    ("found unexpected document indicator", "this text is never closed", "add the missing quotation mark"),
    ("found unknown escape character", "this escape is not known", "write \\\\ for a backslash, or single quotes"),
    ("block sequence entries are not allowed", "a list cannot begin here", "begin it on its own line"),
    ("found undefined tag handle", "a word after ! is a YAML tag; tags are not used here", "use quotes"),
    ("did not find expected node content", "a value was expected here", None),
    ("did not find expected <document start>", "nothing more was expected here", "check the indentation"),
    ("did not find expected alphabetic", "a name was expected after this sign", "text with & or * needs quotes"),
    ("found a tab character", "a tab stands where only spaces can indent", "use spaces"),
)


def _in_plain_words(trouble: str, context: str, found: str) -> tuple[str, str | None]:
    if "cannot start any token" in trouble:
        if found == "\t":
            return "a tab stands where only spaces can indent", "use spaces"
        return f"a value cannot begin with {found or 'this'}", "put it in quotes"
    for theirs, ours, hint in _PHRASES:
        if theirs in trouble:
            return ours, hint
    return f"this is not well-formed YAML: {trouble}" + (f" ({context})" if context else ""), None
