"""The server: the protocol on one side, homes, states and answers on the other.

One thread reads and checks, the one of the protocol answers from what was known last; so answers do not wait for a
check. Whatever goes wrong with one question or one ruleset is told to the editor and ends nothing else.
"""

from __future__ import annotations

import asyncio
import gc
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from warhost import __version__
from warhost.errors import ContentError, Problem, UsageError
from warhost.lang.place import Pos
from warhost.packs.find import read_bytes
from warhost.packs.yaml_source import decode
from warhost_format.layout import format_source
from warhost_lsp import asking, completing, renaming
from warhost_lsp.asking import Heading, Page
from warhost_lsp.homes import RulesetHome, home_of
from warhost_lsp.meanings import Thing
from warhost_lsp.state import Desk, Found, OpenRuleset

T = TypeVar("T")

#: Seconds without a change before the ruleset is looked at again.
QUIET = 0.12

#: Rulesets of which no file is open that are kept in memory.
KEPT = 2

#: Seconds without a change before garbage is collected.
IDLE = 4.0

#: Seconds after which a check lets an answer go first.
SWITCH = 0.001

_SYMBOLS = {
    "number": lsp.SymbolKind.Number, "flag": lsp.SymbolKind.Boolean, "value": lsp.SymbolKind.Variable,
    "roll": lsp.SymbolKind.Function, "procedure": lsp.SymbolKind.Function, "event": lsp.SymbolKind.Event,
    "table": lsp.SymbolKind.Array, "words": lsp.SymbolKind.Enum, "noun": lsp.SymbolKind.Class,
    "state": lsp.SymbolKind.Struct, "profile": lsp.SymbolKind.Struct, "field": lsp.SymbolKind.Field,
    "house rule": lsp.SymbolKind.Package, "key": lsp.SymbolKind.Key, "phase": lsp.SymbolKind.EnumMember,
    "constraint": lsp.SymbolKind.Constant,
}  # fmt: skip
_COMPLETIONS = {
    "keyword": lsp.CompletionItemKind.Keyword, "local": lsp.CompletionItemKind.Variable,
    "field": lsp.CompletionItemKind.Field, "number": lsp.CompletionItemKind.Value,
    "flag": lsp.CompletionItemKind.Value, "value": lsp.CompletionItemKind.Value,
    "function": lsp.CompletionItemKind.Function, "procedure": lsp.CompletionItemKind.Function,
    "roll": lsp.CompletionItemKind.Function, "event": lsp.CompletionItemKind.Event,
    "noun": lsp.CompletionItemKind.Class, "type": lsp.CompletionItemKind.Class, "words": lsp.CompletionItemKind.Enum,
    "word": lsp.CompletionItemKind.EnumMember, "definition": lsp.CompletionItemKind.Constant,
    "key": lsp.CompletionItemKind.Property,
}  # fmt: skip

_MEANT = re.compile(r'did you mean "([^"]+)"(?: instead of "([^"]+)")?\?')


def serve(port: int | None = None) -> None:
    """Serve one editor until it leaves: on standard input and output, or at a port of this machine."""
    server = make_server()
    gc.disable()  # it would stop the answers for a second now and then: garbage is collected when nobody types
    sys.setswitchinterval(SWITCH)
    if port is not None:
        server.start_tcp("127.0.0.1", port)
        return
    with os.fdopen(os.dup(0), "rb") as given, os.fdopen(os.dup(1), "wb") as told, redirect_stdout(sys.stderr):
        server.start_io(given, told)  # whatever else is printed must not get between the messages


@dataclass(slots=True)
class _Seat:
    """A desk and what is going on at it. asked: changes so far; seen: those that the last look took in."""

    home: RulesetHome
    desk: Desk | None = None
    state: OpenRuleset | None = None
    asked: int = 0
    seen: int = -1
    task: asyncio.Task[None] | None = None
    told: dict[Path, list[Problem]] = field(default_factory=dict)
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)


class WarhostServer(LanguageServer):
    """The server with its seats, one for each ruleset (with house rules) of which a file is open."""

    def __init__(self) -> None:
        super().__init__("warhost", __version__)
        self.seats: dict[RulesetHome, _Seat] = {}
        self.open: dict[Path, RulesetHome] = {}
        self.worker = ThreadPoolExecutor(1, "warhost-check")
        self.tidied = False

    # -- files that are open -------------------------------------------------------------------------

    def opened(self, uri: str) -> None:
        """A file is open in the editor: its ruleset is looked at, with the text that the editor has."""
        path = path_of(uri)
        document = self.workspace.get_text_document(uri)
        home = home_of(path, document.source) if path is not None else None
        if path is None or home is None:
            return
        self.open[path] = home
        seat = self.seats.setdefault(home, _Seat(home))
        self._look_later(seat, 0.0)

    def changed(self, uri: str) -> None:
        """The text of an open file has changed."""
        path = path_of(uri)
        if path is None:
            return
        if path not in self.open:
            self.opened(uri)
        elif (seat := self.seats.get(self.open[path])) is not None:
            self._look_later(seat, QUIET)

    def closed(self, uri: str) -> None:
        """A file is no longer open: what is saved counts again."""
        path = path_of(uri)
        home = self.open.pop(path, None) if path is not None else None
        if home is None or path is None:
            return
        seat = self.seats[home]
        if home in self.open.values():
            self._look_later(seat, 0.0)
            return
        gone, seat.told = set(seat.told), {}
        self._publish(gone)
        idle = [one for one in self.seats if one not in self.open.values()]
        for one in idle[:-KEPT]:  # whoever comes back soon need not wait
            del self.seats[one]

    def saved(self) -> None:
        """Something lies otherwise on the disk."""
        for home in set(self.open.values()):
            self._look_later(self.seats[home], 0.0)

    def _unsaved(self) -> dict[Path, str]:
        found = {}
        for uri, document in self.workspace.text_documents.items():
            path = path_of(uri)
            if path is not None and path in self.open:
                found[path] = document.source
        return found

    # -- looking -------------------------------------------------------------------------------------

    def _look_later(self, seat: _Seat, wait: float) -> None:
        """Look at a ruleset again, once nobody types any more."""
        seat.asked += 1
        if seat.task is None or seat.task.done():
            seat.task = asyncio.get_running_loop().create_task(self._look(seat, wait))

    async def _look(self, seat: _Seat, wait: float) -> None:
        while seat.seen < seat.asked:
            number = -1
            while number != seat.asked:  # as long as somebody types
                number = seat.asked
                await asyncio.sleep(wait)
            texts = self._unsaved()
            loop = asyncio.get_running_loop()
            try:
                problems = await loop.run_in_executor(self.worker, partial(_checked, seat, texts))
                self._tell(seat, problems)
                state = await loop.run_in_executor(self.worker, partial(_understood, seat, problems))
                if state.rules is not None or seat.state is None:  # else what was known before is better than nothing
                    seat.state = state
            except UsageError as error:
                self._tell(seat, [_of_the_whole(seat.home, str(error))])
            except Exception as error:  # a defect of ours must not take the editor's server down
                print(traceback.format_exc(), file=sys.stderr)
                said = f"warhost could not look at this, which is a defect in warhost: {type(error).__name__}: {error}"
                self._tell(seat, [_of_the_whole(seat.home, said)])
            async with seat.changed:
                seat.seen = number
                seat.changed.notify_all()
            wait = QUIET
        self._tidy(seat)

    def _tidy(self, seat: _Seat) -> None:
        """Collect what earlier looks have left, unless somebody goes on typing."""
        loop = asyncio.get_running_loop()
        if seat.desk is not None:
            self.worker.submit(seat.desk.project.prepare)
        if not self.tidied:
            self.tidied = True
            self.worker.submit(gc.freeze)  # what the first look has read stays: to look through it takes a second
        asked = seat.asked
        loop.call_later(IDLE, lambda: self.worker.submit(gc.collect) if seat.asked == asked else None)

    def _tell(self, seat: _Seat, problems: Iterable[Problem]) -> None:
        """Publish what is wrong, and what is not wrong any more."""
        told: dict[Path, list[Problem]] = {}
        for problem in problems:
            told.setdefault(Path(problem.file).absolute(), []).append(problem)
        opened = {path for path, home in self.open.items() if home == seat.home}
        before, seat.told = set(seat.told), told if opened else {}
        self._publish({*before, *told, *opened})

    def _publish(self, paths: Iterable[Path]) -> None:
        for path in paths:
            found = dict.fromkeys(p for seat in self.seats.values() for p in seat.told.get(path, ()))
            lines = self.lines(path)
            shown = [self._diagnostic(problem, lines) for problem in sorted(found)]
            uri = self.uri(path)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri=uri, diagnostics=shown))

    def uri(self, path: Path) -> str:
        """The name by which the editor knows a file."""
        known = next((uri for uri in self.workspace.text_documents if path_of(uri) == path), None)
        return known or from_fs_path(str(path)) or path.as_uri()

    def _diagnostic(self, problem: Problem, lines: list[str]) -> lsp.Diagnostic:
        line = max(problem.line, 1)
        text = lines[line - 1] if line <= len(lines) else ""
        column = max(problem.column, 1)
        word = re.compile(r'"[^"]*"?|[\w.-]+|\S').match(text, column - 1)
        pos = Pos(problem.file, line, column, line, word.end() + 1 if word else column + 1)
        hint = f"\nhint: {problem.hint}" if problem.hint else ""
        meant = _MEANT.search(problem.hint or "")
        severity = lsp.DiagnosticSeverity.Warning if problem.is_warning else lsp.DiagnosticSeverity.Error
        return lsp.Diagnostic(
            range=self.range(pos, lines), message=f"{problem.message}{hint}", severity=severity,
            code=problem.code, source="warhost", data={"meant": meant[1], "instead": meant[2]} if meant else None,
        )  # fmt: skip

    # -- places --------------------------------------------------------------------------------------

    def lines(self, path: Path) -> list[str]:
        """The lines of a file, as the editor has it or as it was read."""
        for uri, document in self.workspace.text_documents.items():
            if path_of(uri) == path:
                return lines_of(str(document.source))
        for seat in self.seats.values():
            if seat.state is not None and (label := seat.state.label(path)) is not None:
                return seat.state.text(label).split("\n")
        try:
            return lines_of(decode(read_bytes(path), str(path))[0])
        except OSError:
            return []

    def range(self, pos: Pos, lines: list[str]) -> lsp.Range:
        """A place in the units of the client."""
        ends = [(pos.line, pos.column), (max(pos.end_line, pos.line), max(pos.end_column, 1))]
        start, end = (self._position(line, column, lines) for line, column in ends)
        return lsp.Range(start, end)

    def _position(self, line: int, column: int, lines: list[str]) -> lsp.Position:
        text = lines[line - 1][: column - 1] if 0 < line <= len(lines) else ""
        more = max(column - 1 - len(text), 0)
        units = len(text) if text.isascii() else self.workspace.position_codec.client_num_units(text)
        return lsp.Position(max(line - 1, 0), units + more)

    def location(self, found: Found) -> lsp.Location:
        """A place that was found, as the protocol has it."""
        path = found.path.absolute()
        pos, lines = found.pos, self.lines(path)
        return lsp.Location(self.uri(path), self.range(self.now(path, pos), lines))

    def now(self, path: Path, pos: Pos) -> Pos:
        """Where what was seen stands now, when the file has changed since the last look."""
        for uri, document in self.workspace.text_documents.items():
            if path_of(uri) == path and (home := self.open.get(path)) is not None:
                state = self.seats[home].state
                page = Page(state, path, document.source) if state is not None else None
                line = page.moved.to_new(pos.line) if page is not None and page.moved is not None else pos.line
                if line is not None and line != pos.line:
                    return Pos(pos.file, line, pos.column, pos.end_line + line - pos.line, pos.end_column)
        return pos

    async def page(self, uri: str, latest: bool = False) -> Page | None:
        """A file with what is known of its ruleset: as soon as anything is. latest: with what is known of the text as
        it stands now.
        """
        path = path_of(uri)
        home = self.open.get(path) if path is not None else None
        if path is None or home is None:
            return None
        seat = self.seats[home]
        async with seat.changed:
            wanted = seat.asked if latest else 0
            await seat.changed.wait_for(lambda: seat.seen >= wanted)
        if seat.state is None:
            return None
        return Page(seat.state, path, self.workspace.get_text_document(uri).source)

    async def place(
        self, document: lsp.TextDocumentIdentifier, position: lsp.Position, latest: bool = False
    ) -> tuple[Page, int, int] | None:
        """The page and the line and column that a question is about."""
        page = await self.page(document.uri, latest)
        if page is None:
            return None
        text = page.lines[position.line] if position.line < len(page.lines) else ""
        column = position.character
        if not text.isascii():
            codec = self.workspace.position_codec
            column = next((i for i in range(len(text) + 1) if codec.client_num_units(text[:i]) >= column), len(text))
        return page, position.line + 1, min(column, len(text)) + 1


def path_of(uri: str) -> Path | None:
    """The file that a URI means; None for what is no file, such as a text that was never saved."""
    if not uri.startswith("file:"):
        return None
    path = to_fs_path(uri)
    return Path(path) if path else None


def lines_of(text: str) -> list[str]:
    """The lines of a text, whatever ends them."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _checked(seat: _Seat, texts: dict[Path, str]) -> list[Problem]:
    """What is wrong now. In the thread that checks."""
    if seat.desk is None:
        seat.desk = Desk(seat.home)
    seat.desk.hold(texts)
    return seat.desk.problems()


def _understood(seat: _Seat, problems: list[Problem]) -> OpenRuleset:
    """What is known now. In the thread that checks."""
    assert seat.desk is not None
    return seat.desk.look(problems)


def _of_the_whole(home: RulesetHome, message: str) -> Problem:
    """Something that is wrong with no line of its own."""
    where = Path(home.house[-1]) if home.house else Path(home.ruleset)
    file = where / "ruleset.yaml" if where.is_dir() else where
    return Problem(str(file), 1, 1, "not-read", message)


# -- questions --------------------------------------------------------------------------------------


def make_server() -> WarhostServer:
    """A server that answers everything it can."""
    server = WarhostServer()
    _documents(server)
    _questions(server)
    _changes(server)
    return server


def _documents(server: WarhostServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.saved()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    async def on_disk(params: lsp.DidChangeWatchedFilesParams) -> None:
        server.saved()

    @server.feature(lsp.SHUTDOWN)
    async def shutdown(params: Any) -> None:
        server.worker.shutdown(wait=False, cancel_futures=True)


def _questions(server: WarhostServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        place = await server.place(params.text_document, params.position)
        said = asking.hover(*place) if place is not None else None
        if place is None or said is None:
            return None
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, said.text)
        return lsp.Hover(content, server.range(said.pos, place[0].lines))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        place = await server.place(params.text_document, params.position)
        return [server.location(one) for one in asking.definitions(*place)] if place is not None else []

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        place = await server.place(params.text_document, params.position)
        if place is None:
            return []
        found = asking.references(*place, params.context.include_declaration)
        return _locations(server, found)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        page = await server.page(params.text_document.uri, latest=True)
        return [_symbol(server, one, page.lines) for one in asking.outline(page)] if page is not None else []

    options = lsp.CompletionOptions(trigger_characters=[".", '"', " "], resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, options)
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        place = await server.place(params.text_document, params.position)
        found, whole = completing.complete(*place) if place is not None else ([], True)
        items = [_item(number, one, params.text_document.uri) for number, one in enumerate(found)]
        return lsp.CompletionList(is_incomplete=not whole, items=items)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    async def resolve(item: lsp.CompletionItem) -> lsp.CompletionItem:
        data = item.data if isinstance(item.data, dict) else {}
        page = await server.page(str(data.get("uri", "")))
        thing = data.get("thing")
        if page is not None and isinstance(thing, list):
            explained = page.state.explained(Thing(*thing))
            if explained is not None:
                item.documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, explained.reads)
        return item


def _locations(server: WarhostServer, found: Iterable[Found]) -> list[lsp.Location]:
    """Places for the client; the lines of each file are looked up once."""
    lines: dict[Path, list[str]] = {}
    uris: dict[Path, str] = {}
    locations = []
    for one in found:
        path = one.path.absolute()
        if path not in lines:
            lines[path], uris[path] = server.lines(path), server.uri(path)
        locations.append(lsp.Location(uris[path], server.range(server.now(path, one.pos), lines[path])))
    return locations


def _symbol(server: WarhostServer, entry: Heading, lines: list[str]) -> lsp.DocumentSymbol:
    whole = server.range(entry.pos, lines)
    head = Pos(entry.pos.file, entry.pos.line, entry.pos.column, entry.pos.line, entry.pos.column + 1)
    kind = _SYMBOLS.get(entry.sort, lsp.SymbolKind.Object)
    below = [_symbol(server, one, lines) for one in entry.below]
    name, place = entry.name or "?", server.range(head, lines)
    return lsp.DocumentSymbol(name, kind, whole, place, detail=entry.sort, children=below)


def _item(number: int, one: completing.Suggestion, uri: str) -> lsp.CompletionItem:
    kind = _COMPLETIONS.get(one.sort, lsp.CompletionItemKind.Text)
    insert = f'"{one.label}"' if one.sort == "definition" and " " in one.label and uri.endswith(".rules") else None
    return lsp.CompletionItem(
        one.label, kind=kind, detail=f"{one.sort} {one.detail}".strip(), sort_text=f"{number:05}", insert_text=insert,
        data={"uri": uri, "thing": list(one.thing) if one.thing is not None else None},
    )  # fmt: skip


def _changes(server: WarhostServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        place = await server.place(params.text_document, params.position, latest=True)
        if place is None:
            return None
        use = _refusing(lambda: renaming.renamed_at(*place))
        return lsp.PrepareRenamePlaceholder(server.range(use.pos, place[0].lines), use.name)

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        place = await server.place(params.text_document, params.position, latest=True)
        if place is None:
            return None
        by_path: dict[Path, list[renaming.Edit]] = {}
        for edit in _refusing(lambda: renaming.rename(*place, params.new_name)):
            by_path.setdefault(edit.path.absolute(), []).append(edit)
        changes: dict[str, list[lsp.TextEdit]] = {}
        for path, edits in by_path.items():
            lines = server.lines(path)
            changes[server.uri(path)] = [lsp.TextEdit(server.range(one.pos, lines), one.text) for one in edits]
        return lsp.WorkspaceEdit(changes=changes)

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    async def layout(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit]:
        uri = params.text_document.uri
        document = server.workspace.get_text_document(uri)
        if not uri.endswith(".rules"):
            return []
        try:
            text = format_source(document.source, uri)
        except ContentError:  # the mistakes are shown anyway; a file with mistakes stays as it is
            return []
        if text == document.source:
            return []
        lines = document.source.split("\n")
        end = lsp.Position(len(lines), 0)
        return [lsp.TextEdit(lsp.Range(lsp.Position(0, 0), end), text)]

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix]))
    async def mend(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        found = []
        for one in params.context.diagnostics:
            told = one.data if isinstance(one.data, dict) else {}
            meant = told.get("meant")
            if not meant:
                continue
            written = [told["instead"]] if told.get("instead") else _QUOTED.findall(_without_hint(one))
            edit = _instead(server, params.text_document.uri, one, str(meant), written)
            if edit is not None:
                changed = lsp.WorkspaceEdit(changes={params.text_document.uri: [edit]})
                found.append(
                    lsp.CodeAction(f"Write {meant}", kind=lsp.CodeActionKind.QuickFix, diagnostics=[one], edit=changed)
                )
        return found


_QUOTED = re.compile(r'"([^"\n]+)"')


def _without_hint(one: lsp.Diagnostic) -> str:
    return one.message.partition("\nhint:")[0]


def _instead(
    server: WarhostServer, uri: str, one: lsp.Diagnostic, meant: str, written: Iterable[str]
) -> lsp.TextEdit | None:
    """A misspelt word, in its line, as it was meant. written: what it may be, the first that stands there is it."""
    lines = lines_of(str(server.workspace.get_text_document(uri).source))
    number = one.range.start.line
    text = lines[number] if number < len(lines) else ""
    for word in written:
        at = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)").search(text)
        if at is not None:
            pos = Pos("", number + 1, at.start() + 1, number + 1, at.end() + 1)
            return lsp.TextEdit(server.range(pos, lines), meant)
    return None


def _refusing(ask: Callable[[], T]) -> T:
    """What cannot be done is told to the person in a sentence."""
    try:
        return ask()
    except UsageError as error:
        raise JsonRpcInvalidParams(str(error)) from None


