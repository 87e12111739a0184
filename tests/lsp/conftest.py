"""A server as editors start it, and a client that speaks to it as they do."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

ROOT = Path(__file__).resolve().parents[2]

_ENV = {
    **os.environ, "PYTHONPATH": os.pathsep.join(str(ROOT / folder) for folder in ("core", "plugins")), "NO_COLOR": "1",
}  # fmt: skip


class Editor:
    """What a person does in an editor, and what is shown there."""

    def __init__(self, client: LanguageClient) -> None:
        self.client = client
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}

    def uri(self, path: Path) -> str:
        return path.as_uri()

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a file; text: what it says, though not on the disk."""
        said = path.read_text(encoding="utf-8") if text is None else text
        uri = self.uri(path)
        self.texts[uri], self.versions[uri] = said, 1
        language = "rules" if path.suffix == ".rules" else "yaml"
        item = lsp.TextDocumentItem(uri, language, 1, said)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))

    def write(self, path: Path, text: str) -> None:
        """Change what an open file says, without saving it."""
        uri = self.uri(path)
        self.versions[uri] += 1
        self.texts[uri] = text
        document = lsp.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        changes = [lsp.TextDocumentContentChangeWholeDocument(text)]
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, changes))

    def close_all(self) -> None:
        for uri in self.texts:
            self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))
        self.texts.clear()

    async def settle(self, path: Path) -> None:
        """Until the server knows what the files say now: an outline is of the text as it stands."""
        document = lsp.TextDocumentIdentifier(self.uri(path))
        await self.client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))

    async def shown(self, path: Path, of: Path | None = None) -> list[lsp.Diagnostic]:
        """The mistakes that are shown for an open file, or because of it for another one."""
        await self.settle(path)
        return [*self.client.diagnostics.get(self.uri(of or path), ())]

    def place(self, path: Path, mark: str) -> tuple[lsp.TextDocumentIdentifier, lsp.Position]:
        """Where a stretch of an open file begins, or where the sign | stands in it."""
        text = self.texts[self.uri(path)]
        bare = mark.replace("|", "", 1)
        assert text.count(bare) == 1, (text.count(bare), bare)
        at = text.index(bare) + (mark.index("|") if "|" in mark else 0)
        before = text[:at]
        column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        return lsp.TextDocumentIdentifier(self.uri(path)), lsp.Position(before.count("\n"), column)

    async def hover(self, path: Path, mark: str) -> str:
        found = await self.client.text_document_hover_async(lsp.HoverParams(*self.place(path, mark)))
        return found.contents.value if found is not None else ""

    async def definition(self, path: Path, mark: str) -> list[tuple[str, int]]:
        """The files' names and the numbers of lines."""
        found = await self.client.text_document_definition_async(lsp.DefinitionParams(*self.place(path, mark)))
        return [(Path(one.uri).name, one.range.start.line + 1) for one in found or []]

    async def references(self, path: Path, mark: str) -> list[tuple[str, int]]:
        document, position = self.place(path, mark)
        params = lsp.ReferenceParams(lsp.ReferenceContext(True), document, position)
        found = await self.client.text_document_references_async(params)
        return sorted((Path(one.uri).name, one.range.start.line + 1) for one in found or [])

    async def complete(self, path: Path, mark: str) -> list[str]:
        found = await self.client.text_document_completion_async(lsp.CompletionParams(*self.place(path, mark)))
        assert isinstance(found, lsp.CompletionList)
        return [item.label for item in found.items]

    async def rename(self, path: Path, mark: str, new: str) -> Mapping[str, str]:
        """What the files say after a renaming, by their names."""
        document, position = self.place(path, mark)
        edit = await self.client.text_document_rename_async(lsp.RenameParams(document, position, new))
        changed: dict[str, str] = {}
        for uri, edits in (edit.changes or {}).items():
            text = self.texts.get(uri) or Path(uri.removeprefix("file://")).read_text(encoding="utf-8")
            changed[Path(uri).name] = edited(text, edits)
        return changed


def edited(text: str, edits: list[lsp.TextEdit]) -> str:
    """A text of one-byte signs after some edits."""
    lines = text.split("\n")
    for one in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        start, end = one.range.start, one.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[: start.character] + one.new_text + line[end.character :]
    return "\n".join(lines)


def _server(command: list[str]) -> ClientServerConfig:
    return ClientServerConfig(server_command=command, server_env=_ENV)


@pytest_lsp.fixture(
    scope="module", loop_scope="module", config=_server([sys.executable, "-m", "warhost", "lsp"])
)  # fmt: skip
async def client(lsp_client: LanguageClient, own_cache: None) -> AsyncIterator[None]:
    """A server for all the tests of a file."""
    params = lsp.InitializeParams(capabilities=client_capabilities("visual-studio-code"))
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: LanguageClient) -> Iterator[Editor]:
    found = Editor(client)
    yield found
    found.close_all()


@pytest.fixture
def hill(tmp_path: Path) -> Path:
    """A tiny game, saved in a folder of this test's own."""
    from tests.packs.conftest import HILL

    for name, text in HILL.items():
        path = tmp_path / "hill" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "hill"
