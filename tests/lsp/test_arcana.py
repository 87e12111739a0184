"""The server in the largest ruleset: it answers about it, and while it is being checked."""

from __future__ import annotations

import asyncio

import pytest
from lsprotocol import types as lsp

from .conftest import ROOT, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")

MELEE = ROOT / "rulesets" / "arcana" / "rules" / "07_melee.rules"


async def test_it_answers_in_arcana_while_a_change_is_checked(editor: Editor) -> None:
    editor.open(MELEE)
    assert await editor.shown(MELEE) == []
    head = next(line for line in editor.texts[MELEE.as_uri()].split("\n") if line.startswith("number "))
    name = head.removeprefix("number ").partition("(")[0]
    editor.write(MELEE, editor.texts[MELEE.as_uri()] + "\nnumber quite_new(unit) = nonsense\n")
    finished: list[str] = []

    async def check() -> None:
        (found,) = await editor.shown(MELEE)
        assert '"nonsense"' in found.message
        finished.append("check")

    async def ask() -> None:
        assert name in await editor.hover(MELEE, head.replace(name, f"|{name}", 1))
        finished.append("answer")

    await asyncio.gather(check(), ask())
    assert finished == ["answer", "check"]
    assert "quite_new" in await editor.hover(MELEE, "number |quite_new")


async def test_explanations_references_and_data_of_arcana(editor: Editor) -> None:
    list_file = ROOT / "rulesets" / "arcana" / "armies"
    path = next(one for one in sorted(list_file.rglob("*.yaml")) if "profile: " in one.read_text(encoding="utf-8"))
    text = path.read_text(encoding="utf-8")
    editor.open(path)
    at = text.index("profile: ") + len("profile: ")
    before = text[:at]
    document = lsp.TextDocumentIdentifier(editor.uri(path))
    position = lsp.Position(before.count("\n"), len(before.rpartition("\n")[2]))
    said = await editor.client.text_document_hover_async(lsp.HoverParams(document, position))
    assert said is not None
    assert "A unit: " in said.contents.value
    context = lsp.ReferenceContext(True)
    found = await editor.client.text_document_references_async(lsp.ReferenceParams(context, document, position))
    folders = {one.uri.partition("/arcana/")[2].partition("/")[0] for one in found or []}
    assert {"data", "armies"} <= folders
