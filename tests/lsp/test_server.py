"""The language server, asked as an editor asks it: a tiny game, and Destiny."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from .conftest import ROOT, Editor, edited

pytestmark = pytest.mark.asyncio(loop_scope="module")


# -- mistakes ---------------------------------------------------------------------------------------


async def test_mistakes_are_shown_while_somebody_types_and_go_when_they_are_mended(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    text = path.read_text()
    editor.open(path)
    assert await editor.shown(path) == []
    editor.write(path, text.replace("unit.skill ", "unit.skil "))
    (found,) = await editor.shown(path)
    assert 'has no "skil"' in found.message
    assert 'hint: did you mean "skill"?' in found.message
    assert found.code == "unknown-field"
    lines = editor.texts[editor.uri(path)].split("\n")
    assert "skil" in lines[found.range.start.line][found.range.start.character : found.range.end.character + 8]
    editor.write(path, text)
    assert await editor.shown(path) == []


async def test_a_mistake_in_one_file_is_shown_where_others_suffer_from_it(editor: Editor, hill: Path) -> None:
    units, data = hill / "rules" / "units.rules", hill / "data" / "units.yaml"
    editor.open(units)
    await editor.shown(units)
    assert await editor.shown(units, data) == []
    editor.write(units, units.read_text().replace("skill", "skull"))
    found = await editor.shown(units, data)
    assert {one.code for one in found} == {"unknown-field", "missing-field"}


async def mended(editor: Editor, path: Path, found: lsp.Diagnostic) -> str:
    """The text of a file with the one quick fix for a mistake in it."""
    document = lsp.TextDocumentIdentifier(editor.uri(path))
    actions = await editor.client.text_document_code_action_async(
        lsp.CodeActionParams(document, found.range, lsp.CodeActionContext([found]))
    )
    (action,) = actions or []
    assert isinstance(action, lsp.CodeAction)
    assert action.edit is not None
    changes = action.edit.changes or {}
    return edited(editor.texts[editor.uri(path)], [*changes[editor.uri(path)]])


async def test_data_files_have_their_mistakes(editor: Editor, hill: Path) -> None:
    path = hill / "armies" / "reds.yaml"
    editor.open(path)
    await editor.shown(path)
    editor.write(path, path.read_text().replace("profile: pike", "profile: pyke"))
    (found,) = await editor.shown(path)
    assert found.message.startswith('there is no profile "pyke"')
    assert await mended(editor, path, found) == path.read_text()


@pytest.mark.parametrize("wrong", ["instad of hurt(unit)", "insted of hurt(unit)"])
async def test_a_quick_fix_writes_what_a_line_should_begin_with(editor: Editor, hill: Path, wrong: str) -> None:
    path = hill / "house" / "rain.rules"
    right = wrong.replace("instad of", "instead of").replace("insted of", "instead of")
    path.write_text(f'house rule "Rain" for hill_fight\n    rule "Wet"\n        {right}\n            stop\n')
    editor.open(path)
    await editor.shown(path)
    editor.write(path, path.read_text().replace(right, wrong))
    (found,) = await editor.shown(path)
    assert await mended(editor, path, found) == path.read_text()


async def test_a_house_rule_is_read_with_its_ruleset(editor: Editor, hill: Path) -> None:
    path = hill / "house" / "rain.rules"
    editor.open(path)
    await editor.shown(path)
    editor.write(path, path.read_text().replace("lost > 1", "lust > 1"))
    (found,) = await editor.shown(path)
    assert '"lust"' in found.message


async def test_no_broken_file_is_its_end(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    text = path.read_text()
    editor.open(path)
    for broken in ('number "', "\x00\x01", "(" * 500, "    deep\n  odd\n", text[: len(text) // 2], "procedure x(", ""):
        editor.write(path, broken)
        place = lsp.TextDocumentIdentifier(editor.uri(path)), lsp.Position(0, min(len(broken.split("\n")[0]), 4))
        await editor.client.text_document_completion_async(lsp.CompletionParams(*place))
        await editor.client.text_document_hover_async(lsp.HoverParams(*place))
    manifest = hill / "ruleset.yaml"
    editor.open(manifest)
    for broken in ("", "{", "id: [", "extends: hill_fight\n", "&a [*a]"):
        editor.write(manifest, broken)
        assert await editor.shown(manifest), broken
    editor.write(manifest, manifest.read_text())
    editor.write(path, text)
    assert await editor.shown(path) == []
    assert "strength" in await editor.hover(path, "number |strength")


async def test_a_file_of_no_ruleset_has_nothing_to_say(editor: Editor, tmp_path: Path) -> None:
    path = tmp_path / "notes.yaml"
    path.write_text("a: b\n")
    editor.open(path)
    assert await editor.hover(path, "|a: b") == ""
    assert await editor.complete(path, "a|: b") == []


# -- what names mean --------------------------------------------------------------------------------


async def test_hover_says_what_an_explanation_says(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    said = await editor.hover(path, "number |strength")
    assert "number strength(unit)" in said
    assert "**R-1** Strength" in said
    assert "number strength: `-1 when unit.lost > 2`" in said
    assert "unit.skill: number" in await editor.hover(path, "= unit.|skill ")
    assert "```rules\nunit: unit\n```" in await editor.hover(path, "= |unit.skill")
    army = hill / "armies" / "reds.yaml"
    editor.open(army)
    assert "Pikemen" in await editor.hover(army, "profile: |pike")


async def test_hover_sees_what_is_not_saved(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    more = 'rule "Slow in rain"\n    reads "All are weaker."\n    strength -3 when unit.lost > 1 because "rain"\n'
    editor.open(path)
    editor.write(path, f"{more}\n{path.read_text()}")
    await editor.settle(path)
    assert "-3 when unit.lost > 1" in await editor.hover(path, "number |strength")


async def test_definition_leads_through_the_layers(editor: Editor, hill: Path) -> None:
    path = hill / "house" / "rain.rules"
    editor.open(path)
    lines = (hill / "rules" / "units.rules").read_text().split("\n")
    declared = next(n for n, line in enumerate(lines, 1) if line.startswith("number strength"))
    found = await editor.definition(path, "number |strength")
    assert ("units.rules", declared) in found
    marching = await editor.definition(path, "procedure |march")
    assert [name for name, _ in marching] == ["rain.rules", "units.rules"]
    lost = await editor.definition(path, "unit.|lost += 2")
    assert lost == [("units.rules", next(n for n, line in enumerate(lines, 1) if line.strip().startswith("lost:")))]


async def test_definition_leads_into_the_rules_of_plugins(editor: Editor) -> None:
    path = ROOT / "rulesets" / "destiny" / "rules" / "01_figures.rules"
    editor.open(path)
    ((name, _),) = await editor.definition(path, "    |base_width set to")
    assert name == "field.rules"

async def test_references_are_found_in_rules_data_and_examples(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    found = await editor.references(path, "procedure |march")
    assert {name for name, _ in found} >= {"turn.rules", "units.rules", "rain.rules", "marching.yaml"}
    assert {name for name, _ in await editor.references(path, "    |skill: number")} == {
        "units.rules", "units.yaml", "giants.yaml",
    }  # fmt: skip
    army = hill / "armies" / "reds.yaml"
    editor.open(army)
    assert {name for name, _ in await editor.references(army, "profile: |pike")} == {
        "units.yaml", "giants.yaml", "red_list.yaml", "reds.yaml", "blues.yaml", "marching.yaml",
    }  # fmt: skip


async def test_places_move_with_lines_that_are_written_above_them(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    before = await editor.definition(path, "-1 when unit.|lost")
    editor.write(path, f"# one\n# two\n{path.read_text()}")
    (moved,) = await editor.definition(path, "-1 when unit.|lost")
    assert moved == (before[0][0], before[0][1] + 2)


async def test_the_outline_of_a_file(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    params = lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri(path)))
    found = await editor.client.text_document_document_symbol_async(params)
    names = {one.name: one for one in found or [] if isinstance(one, lsp.DocumentSymbol)}
    assert {"strength", "march", "hurt", "profile of unit"} <= names.keys()
    assert [one.name for one in names["profile of unit"].children or []] == ["skill", "pace"]
    for one in names.values():
        assert one.range.start <= one.selection_range.start
        assert one.selection_range.end <= one.range.end or one.range.start == one.selection_range.start


# -- completion -------------------------------------------------------------------------------------


async def test_completion_knows_what_is_in_scope(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    text = path.read_text()
    await editor.shown(path)

    async def offered(line: str) -> list[str]:
        editor.write(path, text + line.replace("|", ""))
        return await editor.complete(path, line)

    fields = await offered("procedure fight(unit, foe: unit)\n    foe.|\n")
    assert {"skill", "lost", "size", "strength", "may_march"} <= set(fields)
    assert "if" not in fields
    steps = await offered("procedure fight(unit, foe: unit)\n    tally = 1\n    |\n")
    assert {"foe", "tally", "march", "if", "for each", "emit"} <= set(steps)
    assert "else" not in steps
    after_if = await offered("procedure fight(unit)\n    if unit.lost > 1\n        march(unit)\n    |\n")
    assert "else" in after_if
    assert "hurt" in await offered("procedure fight(unit)\n    emit |\n")
    assert {"dry", "wet"} <= set(await offered("flag bad(w: weather) = w is |\n"))
    assert {"number", "noun"} <= set(await offered("nu|\n"))
    assert "house rule" in await offered("hou|\n")
    assert {"weather", "unit", "number"} <= set(await offered("number odd(w: |\n"))
    assert "R-3" in await offered("number odd(unit) = 1  ref |\n")
    assert await offered("# nothing in a comment |\n") == []


async def test_completion_in_data(editor: Editor, hill: Path) -> None:
    army, data = hill / "armies" / "blues.yaml", hill / "data" / "units.yaml"
    editor.open(army)
    editor.open(data)
    text = army.read_text()
    editor.write(army, text.replace("units:", "points: 3\nunits:") + "\n")
    assert {"list", "units", "name"} <= set(await editor.complete(army, "|points"))
    editor.write(army, "kind: army\nid: blues\nname: B\nlist: red_list\nunits:\n  - profile: x\n    size: 6\n")
    assert {"pike"} <= set(await editor.complete(army, "profile: |x"))
    assert {"profile", "size", "options"} <= set(await editor.complete(army, "    |size: 6"))
    assert "red_list" in await editor.complete(army, "list: |red_list")
    editor.write(data, "profiles:\n  man:\n    name: Men\n    skill: 3\n")
    assert {"skill", "pace", "extends", "abstract"} <= set(await editor.complete(data, "    |skill: 3"))


# -- changes ----------------------------------------------------------------------------------------


async def test_renaming_changes_every_place_and_leaves_the_game_in_order(editor: Editor, hill: Path) -> None:
    from warhost.packs import read

    path = hill / "rules" / "units.rules"
    editor.open(path)
    await editor.shown(path)
    for mark, new, files in (
        ("number |strength", "might", {"units.rules", "rain.rules"}),
        ("procedure |march", "walk", {"units.rules", "rain.rules", "turn.rules", "marching.yaml"}),
        ("    |lost: number", "fallen", {"units.rules", "rain.rules", "marching.yaml"}),
        ("    |skill: number", "prowess", {"units.rules", "units.yaml", "giants.yaml"}),
        ("weather: |dry", "fair", {"units.rules", "units.yaml", "giants.yaml"}),
    ):
        changed = await editor.rename(path, mark, new)
        assert set(changed) == files, mark
        for file in hill.rglob("*"):
            if file.name in changed and file.is_file() and (file.name != "units.yaml" or "data" in file.parts):
                file.write_text(changed[file.name])
                if file == path:
                    editor.write(path, changed[file.name])
        for house in ([], ["rain"], ["giants"]):
            assert read(hill, house)[1] == [], (mark, house)
        editor.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(editor.uri(path)))
        )


async def test_renaming_refuses_with_a_reason(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    await editor.shown(path)
    for mark, new, reason in (
        ("number |strength", "lost", "already"),
        ("number |strength", "two words", "is no name"),
        ("number |strength", "not", "word of the rules language"),
        ("flag may_march(|unit)", "who", "says what it is"),
        ("| -1 when unit.lost > 2", "x", "nothing"),
    ):
        with pytest.raises(JsonRpcException, match=reason):
            await editor.rename(path, mark, new)


async def test_a_local_is_renamed_where_it_is_known(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    await editor.shown(path)
    two = "procedure two(unit)\n    n = 2\n    unit.lost += 2 * n\n"
    text = f"procedure one(unit)\n    n = 1\n    unit.lost += n\n{two}"
    editor.write(path, path.read_text() + text)
    changed = await editor.rename(path, "    |n = 1", "count")
    assert changed["units.rules"].endswith(text.replace("n = 1", "count = 1").replace("+= n\n", "+= count\n"))


async def test_layout_is_that_of_the_command(editor: Editor, hill: Path) -> None:
    from warhost_format.layout import format_source

    path = hill / "rules" / "units.rules"
    untidy = "number   odd( unit )=unit.skill+1\n\n\n\nprocedure p( unit )\n  unit.lost=1\n"
    editor.open(path, untidy)
    params = lsp.DocumentFormattingParams(
        lsp.TextDocumentIdentifier(editor.uri(path)), lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    )
    (edit,) = await editor.client.text_document_formatting_async(params) or []
    assert edit.new_text == format_source(untidy, "x")
    editor.write(path, "number (\n")
    assert not await editor.client.text_document_formatting_async(params)


async def test_columns_are_those_of_the_client(editor: Editor, hill: Path) -> None:
    path = hill / "rules" / "units.rules"
    editor.open(path)
    text = path.read_text() + 'procedure shout(unit)\n    say "\U0001f409 {unit} {unit.lost}"\n'
    editor.write(path, text)
    await editor.shown(path)
    assert "lost: number" in await editor.hover(path, "{unit.|lost}")
