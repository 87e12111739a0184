"""How long a language server takes to answer: `python benchmarks/editor.py [RULESET] [FILE]`.

Starts `warhost lsp`, opens a file of rules (the longest of the ruleset), and asks about names all over it, first with
nothing else to do and then while a change is being checked. Times are those of the client, with the way there and back;
the last column is the processor time of the server for one answer, which tells more on a machine with other work to do.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from warhost.lang.parser import parse
from warhost.lang.tree import Attribute, Call, Name, walk
from warhost.packs.find import find

PLACES = 60
Ask = Callable[[lsp.TextDocumentIdentifier, lsp.Position], Awaitable[object]]


async def measure(ruleset: str, file: Path) -> None:
    """Print a table of the times."""
    client = Client("benchmark", "1")
    waiting: dict[str, float] = {}
    told = asyncio.Event()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def diagnostics(params: lsp.PublishDiagnosticsParams) -> None:
        waiting[params.uri] = time.perf_counter()
        told.set()

    await client.start_io(sys.executable, "-m", "warhost", "lsp")
    await client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
    client.initialized(lsp.InitializedParams())
    text = file.read_text(encoding="utf-8")
    document = lsp.TextDocumentIdentifier(file.as_uri())
    began = time.perf_counter()
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(file.as_uri(), "rules", 1, text)))
    await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    print(f"{ruleset}: {file.name}, {len(text.splitlines())} lines; ready after {time.perf_counter() - began:.1f} s")

    places = places_in(text, file)
    questions: dict[str, Ask] = {
        "hover": lambda d, p: client.text_document_hover_async(lsp.HoverParams(d, p)),
        "definition": lambda d, p: client.text_document_definition_async(lsp.DefinitionParams(d, p)),
        "references": lambda d, p: client.text_document_references_async(
            lsp.ReferenceParams(lsp.ReferenceContext(True), d, p)
        ),
        "completion": lambda d, p: client.text_document_completion_async(lsp.CompletionParams(d, p)),
        "rename": lambda d, p: renamed(client, d, p),
        "outline": lambda d, p: client.text_document_document_symbol_async(lsp.DocumentSymbolParams(d)),
        "layout": lambda d, p: client.text_document_formatting_async(
            lsp.DocumentFormattingParams(d, lsp.FormattingOptions(4, True))
        ),
    }
    print(f"{'':<28}{'median':>8}{'95 %':>8}{'longest':>8}{'server':>8}   (ms, {len(places)} places)")
    pid = client.server.pid
    for name, ask in questions.items():
        before = used(pid)
        times = [await timed(ask, document, place) for place in places]
        show(name, times, (used(pid) - before) / len(places))

    for name in ("hover", "completion"):
        times = []
        for version, place in enumerate(places[::6], start=2):
            changed = text + f"\n# {name} {version}\n"
            change(client, file, version * 10 + len(name), changed)
            await asyncio.sleep(0.2)  # by now the check runs
            times.append(await timed(questions[name], document, place))
            await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        show(f"{name}, during a check", times)

    checks: list[float] = []
    for version in range(10):
        told.clear()
        began = time.perf_counter()
        change(client, file, 10_000 + version, text.replace("\n\n", f"\n\n# {version}\n\n", 1))
        await told.wait()
        checks.append(waiting[file.as_uri()] - began)
        await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
    show("mistakes after a change", checks)
    await client.shutdown_async(None)
    client.exit(None)


def change(client: LanguageClient, file: Path, version: int, text: str) -> None:
    """The file says something else from now on."""
    document = lsp.VersionedTextDocumentIdentifier(version, file.as_uri())
    whole = lsp.TextDocumentContentChangeWholeDocument(text)
    client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [whole]))


async def renamed(client: LanguageClient, document: lsp.TextDocumentIdentifier, place: lsp.Position) -> object:
    """A renaming, or the reason why there is none: both are answers."""
    try:
        return await client.text_document_rename_async(lsp.RenameParams(document, place, "quite_another_name"))
    except Exception as error:
        return error


def places_in(text: str, file: Path) -> list[lsp.Position]:
    """Names all over the file."""
    module, _ = parse(text, str(file))
    names = [node for node in walk(module) if isinstance(node, Name | Call | Attribute)]
    chosen = names[:: max(len(names) // PLACES, 1)][:PLACES]
    return [lsp.Position(n.pos.end_line - 1, n.pos.end_column - 2) for n in chosen]


async def timed(ask: Ask, document: lsp.TextDocumentIdentifier, place: lsp.Position) -> float:
    """Seconds until the answer is there."""
    began = time.perf_counter()
    await ask(document, place)
    return time.perf_counter() - began


def used(pid: int) -> float:
    """Seconds of processor time that a process has had; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Client(LanguageClient):
    """A client that tells which process serves it."""

    @property
    def server(self) -> asyncio.subprocess.Process:
        assert self._server is not None
        return self._server


def show(name: str, seconds: list[float], server: float | None = None) -> None:
    """One line of the table."""
    times = sorted(1000 * one for one in seconds)
    high = times[min(int(len(times) * 0.95), len(times) - 1)]
    processor = f"{1000 * server:>8.1f}" if server is not None else ""
    print(f"{name:<28}{statistics.median(times):>8.1f}{high:>8.1f}{times[-1]:>8.1f}{processor}")


def main() -> None:
    ruleset = sys.argv[1] if len(sys.argv) > 1 else "arcana"
    folder = find(ruleset).folder
    longest = max((folder / "rules").rglob("*.rules"), key=lambda path: path.stat().st_size)
    asyncio.run(measure(ruleset, Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else longest.resolve()))


if __name__ == "__main__":
    main()
