"""The cache: what is put in comes out, what is damaged counts as absent, and nothing can be smuggled in."""

from __future__ import annotations

import copy
import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.errors import mistakes
from warhost.lang import ir
from warhost.lang.tree import Module, Name, NumberBlock, Pos, children
from warhost.packs import cache, load, read
from warhost.packs.lazy import LazySequence
from warhost.packs.parsed import File, Library, ParsedRules, Shelf
from warhost_proof.examples import run_examples

from .conftest import HILL


def tree() -> Module:
    pos = Pos("f.rules", 1, 1, 1, 9)
    return Module((NumberBlock("strength", (), Name("x", pos=pos), ref=("R-1",), pos=pos),), pos=pos)


def only_file() -> Path:
    folder = cache.folder()
    assert folder is not None
    (path,) = folder.glob("*.bin")
    return path


def test_what_is_put_in_comes_out_with_places() -> None:
    assert cache.get("k") is None
    assert cache.put("k", {"tree": tree(), "n": Fraction(1, 3), "code": b"\x00"})
    found = cache.get("k")
    assert found == {"tree": tree(), "n": Fraction(1, 3), "code": b"\x00"}
    assert found["tree"].blocks[0].pos.line == 1


def test_the_folder_is_the_users_own(tmp_path: Path) -> None:
    cache.put("k", 1)
    folder = cache.folder()
    assert folder == tmp_path / "cache"
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o777)
    assert cache.folder() is None
    assert cache.get("k") is None
    assert not cache.put("k", 2)


@given(st.data())
def test_a_file_damaged_at_any_byte_counts_as_absent(data: st.DataObject) -> None:
    cache.put("k", tree())
    path = only_file()
    raw = path.read_bytes()
    at = data.draw(st.integers(0, len(raw) - 1))
    flip = data.draw(st.integers(1, 255))
    path.write_bytes(raw[:at] + bytes([raw[at] ^ flip]) + raw[at + 1 :])
    assert cache.get("k") is None
    cache.put("k", tree())
    assert cache.get("k") == tree()


@given(st.data())
def test_a_file_cut_off_anywhere_counts_as_absent(data: st.DataObject) -> None:
    cache.put("k", tree())
    path = only_file()
    raw = path.read_bytes()
    path.write_bytes(raw[: data.draw(st.integers(0, len(raw) - 1))])
    assert cache.get("k") is None


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch smuggled",)


class Sneaky:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return cache.key_of, ("x",)


class FunctionOfAnAllowedModule:
    def __reduce__(self) -> tuple[object, tuple[Name]]:
        return children, (Name("x"),)


@pytest.mark.parametrize("value", [Evil(), Sneaky(), FunctionOfAnAllowedModule()])
def test_a_forged_entry_runs_nothing(value: object) -> None:
    cache.put("k", 1)
    body = pickle.dumps(value)
    only_file().write_bytes(cache.MARK + hashlib.sha256(body).digest() + body)
    assert cache.get("k") is None
    assert not Path("smuggled").exists()


def test_only_the_newest_are_kept() -> None:
    for i in range(cache.KEEP + 5):
        cache.put(f"k{i}", i)
        path = cache.folder()
        assert path is not None
        os.utime(path / f"k{i}.bin", (i, i))
    cache.put("last", 1)
    assert cache.get("k0") is None
    assert cache.get(f"k{cache.KEEP + 4}") == cache.KEEP + 4
    folder = cache.folder()
    assert folder is not None
    assert len(list(folder.glob("*.bin"))) == cache.KEEP


def test_a_key_cannot_be_a_path() -> None:
    with pytest.raises(ValueError, match="letters"):
        cache.get("../x")


def test_a_folder_that_cannot_be_made_means_no_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("WARHOST_CACHE", str(tmp_path / "file" / "below"))
    assert not cache.put("k", 1)
    assert cache.get("k") is None


def test_a_warm_load_gives_the_same_ruleset_and_an_edit_is_noticed(hill: Path) -> None:
    cold = load(hill)
    warm = load(hill)
    assert [p.block for p in warm.placed] == [p.block for p in cold.placed]
    assert [p.block.pos for p in warm.placed] == [p.block.pos for p in cold.placed]
    assert warm.profiles["pike"].fields == cold.profiles["pike"].fields
    assert warm.digest == cold.digest
    changed = HILL["data/units.yaml"].replace("skill: 4", "skill: 6")
    (hill / "data/units.yaml").write_text(changed)
    assert load(hill).profiles["pike"].fields["skill"] == 6


def test_an_example_may_put_a_modifier_in_force_after_a_warm_load(hill: Path) -> None:
    (hill / "scenarios/open_field.yaml").write_text("id: open_field\nname: Open field\n")
    (hill / "examples").mkdir(exist_ok=True)
    (hill / "examples/strength.yaml").write_text(
        """\
- title: Worn for a turn
  given: {sides: [{name: One, units: [{id: man, profile: pike, size: 1}]}, {name: Two, units: []}]}
  when: "strength(unit: man) -1 until end of turn"
  dice: []
  then: {all: ["strength(man) == 3"]}
"""
    )
    for _ in range(2):
        results = run_examples(load(hill), "Worn")
        assert [r.failures for r in results] == [()]


def test_a_warm_shelf_hands_out_what_it_kept(hill: Path) -> None:
    file = File("rules", "turn.rules", "hill/turn.rules", hill / "turn.rules")
    cold = Library()
    first, _ = cold.read(file, "hill")
    cold.save()
    (kept,) = Shelf.of("hill").known.values()
    assert isinstance(kept, ParsedRules)
    assert "said" not in vars(kept)  # unfolded when it is looked at
    second, text = Library().read(file, "hill")
    assert isinstance(first, ParsedRules)
    assert isinstance(second, ParsedRules)
    assert (second.module, second.refs, second.problems) == (first.module, first.refs, first.problems)
    assert text == HILL["turn.rules"]


def test_a_warm_load_looks_at_no_rule_and_no_example(hill: Path) -> None:
    cold, warm = load(hill), load(hill)
    assert not isinstance(cold.placed, LazySequence)
    assert isinstance(warm.placed, LazySequence)
    assert isinstance(warm.examples, LazySequence)
    assert list(warm.placed) == list(cold.placed)
    assert list(warm.removed) == list(cold.removed)
    assert list(warm.examples) == list(cold.examples)


def test_a_ruleset_with_warnings_is_kept_with_them(hill: Path) -> None:
    (hill / "more.rules").write_text("procedure slow_step()\n    stop\n    say \"x\"\n")
    ruleset, problems = read(hill)
    assert ruleset is not None
    assert problems
    assert not mistakes(problems)
    warm, again = read(hill)
    assert warm is not None
    assert isinstance(warm.placed, LazySequence)
    assert again == problems
    assert [p.source for p in again] == [p.source for p in problems]
    (hill / "more.rules").write_text("procedure slow_step()\n    say \"x\"\n")
    assert read(hill)[1] != problems


def empty_slots(node: ir.Routine) -> list[str]:
    """The fields of a function in which nothing stands yet."""
    found = []
    for f in fields(node):
        try:
            object.__getattribute__(node, f.name)
        except AttributeError:
            found.append(f.name)
    return found


def test_a_warm_program_unfolds_a_function_when_somebody_looks_at_it(hill: Path) -> None:
    cold, warm = load(hill).program, load(hill).program
    folded = [f for f in warm.procedures.values() if empty_slots(f)]
    assert [f.key for f in folded] == [f.key for f in cold.procedures.values()]
    (first, *_) = folded
    assert empty_slots(first) == ["pos", "title", "params", "value", "body", "ref"]
    assert not hasattr(first, "of_no_class")
    assert first.pos == cold.procedures[first.key].pos
    assert empty_slots(first) == []
    assert (warm.procedures, warm.numbers, warm.definitions) == (cold.procedures, cold.numbers, cold.definitions)
    lines = [line for number in warm.numbers.values() for line in number.templates]
    assert lines
    assert all(warm.templates[line.key] is line for line in lines)  # what was one thing is one


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda f: pickle.loads(pickle.dumps(f)), replace])
def test_a_copy_of_what_is_folded_is_whole(hill: Path, copied: Callable[[ir.Routine], ir.Routine]) -> None:
    cold = load(hill).program
    for key, function in load(hill).program.procedures.items():
        made = copied(function)
        assert empty_slots(made) == []
        assert made == cold.procedures[key]


NOT_WHEN_WARM = ("jsonschema", "lark", "yaml", "warhost.lang.tree", "warhost.lang.ir", "warhost.lang.lexer")


def modules_after(code: str) -> list[str]:
    """Those of NOT_WHEN_WARM that a fresh Python has imported after some code."""
    script = f"import sys; {code}; print(*[name for name in {NOT_WHEN_WARM} if name in sys.modules])"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True)
    return ran.stdout.split()


def test_a_warm_load_does_without_schemas_parser_and_tree(hill: Path) -> None:
    load(hill)
    by_name = "from warhost.packs import load; assert load('hill').title == 'Hill fight'"
    assert modules_after(by_name) == ["yaml"]  # the first that looks for a name reads all manifests
    assert modules_after(by_name) == []


def test_a_program_from_the_cache_is_had_without_the_syntax_tree(hill: Path) -> None:
    assert load("hill").program is not None
    after = modules_after("from warhost.packs import load; assert load('hill').program.numbers")
    assert after == ["warhost.lang.ir"]


@given(st.data())
def test_a_damaged_cache_changes_nothing(hill: Path, data: st.DataObject) -> None:
    good = load(hill)
    folder = cache.folder()
    assert folder is not None
    for path in folder.glob("*.bin"):
        raw = bytearray(path.read_bytes())
        at = data.draw(st.integers(0, len(raw) - 1))
        raw[at] ^= 0x55
        path.write_bytes(bytes(raw))
    again = load(hill)
    assert again.digest == good.digest
    assert [p.block for p in again.placed] == [p.block for p in good.placed]
