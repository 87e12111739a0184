"""Renaming in whole rulesets: after it the game is in order, and says what it said."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from warhost.errors import UsageError
from warhost.packs import read
from warhost_lsp.asking import Page
from warhost_lsp.homes import RulesetHome
from warhost_lsp.renaming import Edit, rename
from warhost_lsp.state import Desk, OpenRuleset

ROOT = Path(__file__).resolve().parents[2]

#: Of every sort of thing so many are renamed at once, spread over all of them.
EACH = 4


@pytest.fixture
def destiny(tmp_path: Path, own_cache: None) -> Path:
    shutil.copytree(ROOT / "rulesets" / "destiny", tmp_path / "destiny")
    return tmp_path / "destiny"


def looked_at(folder: Path) -> OpenRuleset:
    desk = Desk(RulesetHome(str(folder)))
    return desk.look(desk.problems())


def applied(edits: list[Edit]) -> None:
    """Write what was changed."""
    by_file: dict[Path, list[Edit]] = {}
    for edit in edits:
        by_file.setdefault(edit.path, []).append(edit)
    for path, some in by_file.items():
        lines = path.read_text(encoding="utf-8").split("\n")
        for edit in sorted(some, key=lambda e: (e.pos.line, e.pos.column), reverse=True):
            line = lines[edit.pos.line - 1]
            lines[edit.pos.line - 1] = line[: edit.pos.column - 1] + edit.text + line[edit.pos.end_column - 1 :]
        path.write_text("\n".join(lines), encoding="utf-8")


def test_things_of_every_sort_are_renamed_in_a_whole_ruleset(destiny: Path) -> None:
    """All at once, so that the ruleset is read but once more; the edits of different things do not meet."""
    state = looked_at(destiny)
    assert state.problems == []
    edits: list[Edit] = []
    renamed: dict[str, int] = {}
    kinds = ("number", "flag", "value", "roll", "procedure", "event", "field", "word", "definition", "local", "profile")
    for kind in kinds:
        things = sorted({t for t in state.by_thing if t.kind == kind}, key=lambda t: (t.name, t.of))
        for thing in things[:: max(len(things) // (3 * EACH), 1)]:
            use = next((one for one in state.by_thing[thing] if one.declares), None)
            if use is None or renamed.get(kind, 0) == EACH:
                continue
            path = state.path(use.pos.file)
            page = Page(state, path, path.read_text(encoding="utf-8"))
            new = f"{'Renamed' if kind == 'definition' else 'renamed'}_{kind}_{renamed.get(kind, 0)}"
            try:
                edits += rename(page, use.pos.line, use.pos.column, new)
            except UsageError:
                continue
            renamed[kind] = renamed.get(kind, 0) + 1
    assert set(renamed) == set(kinds), renamed
    applied(edits)
    assert [p.render() for p in read(destiny)[1]] == []
    before, after = state.rules, looked_at(destiny).rules
    assert before is not None
    assert after is not None
    assert len(after.program.templates) == len(before.program.templates)
    assert len(after.placed) == len(before.placed)


def test_a_name_of_a_plugin_is_not_renamed(destiny: Path) -> None:
    state = looked_at(destiny)
    path = destiny / "rules" / "01_figures.rules"
    lines = path.read_text(encoding="utf-8").split("\n")
    number = next(n for n, line in enumerate(lines, 1) if line.strip().startswith("base_width set to"))
    with pytest.raises(UsageError, match="belongs to a plugin"):
        rename(Page(state, path, "\n".join(lines)), number, 6, "breadth")
