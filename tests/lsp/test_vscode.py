"""The extension for VS Code: what its manifest names is there, and means what the library means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from warhost.packs.schemas import NAMES, schema_path
from warhost_lsp.textmate import grammar

FOLDER = Path(__file__).resolve().parents[2] / "plugins" / "warhost_lsp" / "vscode"
MANIFEST = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))


def test_every_file_of_the_manifest_is_there() -> None:
    contributes = MANIFEST["contributes"]
    named = [
        MANIFEST["main"], *(one["configuration"] for one in contributes["languages"]),
        *(one["path"] for one in contributes["grammars"]),
    ]  # fmt: skip
    for name in named:
        assert (FOLDER / name).is_file(), name
    json.loads((FOLDER / "language-configuration.json").read_text(encoding="utf-8"))


def test_grammar_and_manifest_speak_of_one_language() -> None:
    (language,), (given,) = MANIFEST["contributes"]["languages"], MANIFEST["contributes"]["grammars"]
    assert given["language"] == language["id"]
    assert given["scopeName"] == grammar()["scopeName"]
    assert language["extensions"] == [".rules"]


@pytest.mark.parametrize("one", MANIFEST["contributes"]["yamlValidation"], ids=lambda one: one["fileMatch"])
def test_data_files_are_given_schemas_that_there_are(one: dict[str, str]) -> None:
    name = Path(one["url"]).name.removesuffix(".schema.json")
    assert name in NAMES
    assert schema_path(name).is_file()
    copied = (FOLDER / "copy-schemas.js").read_text(encoding="utf-8")
    assert '".schema.json"' in copied


def test_the_usual_command_is_that_of_the_program() -> None:
    from warhost.tools import commands

    command = MANIFEST["contributes"]["configuration"]["properties"]["warhost.command"]["default"]
    assert command[0] == "warhost"
    assert command[1] in {one.name for one in commands()}
