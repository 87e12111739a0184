"""Finding rulesets by id, edition and path; staying inside their folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warhost.errors import UsageError
from warhost.packs.find import files_of, find, inside, installed, user_folder

from .conftest import Writer


def manifest(id_: str, edition: str = "1") -> dict[str, str]:
    return {"ruleset.yaml": f"id: {id_}\ntitle: {id_.title()}\nedition: '{edition}'\nlength_unit: cm\n"}


def test_by_id_by_edition_and_by_path(write: Writer) -> None:
    old = write("game_old", manifest("game", "9"))
    new = write("game_new", manifest("game", "10"))
    assert find("game").folder == new
    assert find("game@9").folder == old
    assert str(find("game@9")) == "game@9"
    assert find(old).folder == old
    assert find("./game_old").folder == Path("game_old")
    assert find(old / "ruleset.yaml").folder == old


def test_an_earlier_place_wins(write: Writer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = write("second/game", manifest("game", "7"))
    first = write("first/game", manifest("game", "1"))
    monkeypatch.setenv("WARHOST_PATH", f"{first.parent}{os.pathsep}{second.parent}")
    assert find("game").folder == first
    assert find("game@7").folder == second
    own = user_folder() / "mine"
    own.mkdir(parents=True)
    (own / "ruleset.yaml").write_text(manifest("mine")["ruleset.yaml"])
    assert own.is_relative_to(tmp_path)
    assert (find("mine").folder, find("mine").place) == (own, "user")


def test_a_manifest_that_has_changed_is_read_anew(write: Writer) -> None:
    """What manifests say is kept by their text, in memory and in the cache."""
    folder = write("game", manifest("game", "1"))
    assert [str(one) for one in installed() if one.folder == folder] == ["game@1"]
    (folder / "ruleset.yaml").write_text(manifest("other", "2")["ruleset.yaml"])
    assert [str(one) for one in installed() if one.folder == folder] == ["other@2"]
    (folder / "ruleset.yaml").write_text(manifest("game", "1")["ruleset.yaml"])
    assert [str(one) for one in installed() if one.folder == folder] == ["game@1"]


def test_unknown_names_are_told_with_the_nearest_and_the_list(write: Writer) -> None:
    write("hill", manifest("hill_fight", "3"))
    with pytest.raises(
        UsageError,
        match=r'there is no ruleset "hil_fight"; did you mean "hill_fight"\? \(installed: .*hill_fight',
    ):
        find("hil_fight")
    with pytest.raises(UsageError, match="hill_fight has no edition 4; there is 3"):
        find("hill_fight@4")
    with pytest.raises(UsageError, match="there is no folder"):
        find("./nowhere")
    write("empty", {"readme.txt": ""})
    with pytest.raises(UsageError, match=r"it has no ruleset\.yaml$"):
        find("./empty")


def test_a_house_rule_in_the_place_of_a_ruleset(write: Writer) -> None:
    write("", {"wall.rules": 'house rule "Wall" for hill_fight\n    number x() = 1\n'})
    write("gnomes/data", {"gnomes.yaml": "profiles: {}\n"})
    with pytest.raises(UsageError, match=r"wall\.rules is no ruleset; .* lies: hill_fight --house wall\.rules$"):
        find("wall.rules")
    with pytest.raises(UsageError, match=r"gnomes is no ruleset: .* lies: RULESET --house gnomes$"):
        find("gnomes")
    with pytest.raises(UsageError, match=r'there is no folder wal\.rules; did you mean "wall\.rules"\?$'):
        find("wal.rules")


@pytest.mark.parametrize("text", ["", "[", "a: b: c", "3", "id: [x]"])
def test_a_broken_manifest_is_found_by_its_folder(write: Writer, text: str) -> None:
    write("broken", {"ruleset.yaml": text})
    names = [ruleset.folder.name for ruleset in installed()]
    assert "broken" in names


def test_nothing_leads_out_of_a_folder(write: Writer, tmp_path: Path) -> None:
    folder = write("hill", {"house/a.rules": "", "b.rules": ""})
    (tmp_path / "secret.rules").write_text("x")
    (folder / "link.rules").symlink_to(tmp_path / "secret.rules")
    (folder / "far").symlink_to(tmp_path)
    (folder / "near.rules").symlink_to(folder / "b.rules")
    assert inside(folder, "house/a.rules") == folder / "house/a.rules"
    assert inside(folder, "near.rules") == folder / "near.rules"
    for text in (
        "../x",
        "house/../../x",
        "house/../b.rules",
        "/etc/passwd",
        "link.rules",
        "far/secret.rules",
        "",
        "a\\b",
        "C:x",
        "a\0b",
    ):
        assert inside(folder, text) is None, text
    found, problems = files_of(folder, "hill")
    assert [relative for relative, _ in found] == ["b.rules", "house/a.rules", "near.rules"]
    assert sorted((p.file, p.code) for p in problems) == [
        ("hill/far", "outside"),
        ("hill/link.rules", "outside"),
    ]


@given(
    text=st.one_of(
        st.text(max_size=20),
        st.lists(st.sampled_from(["..", "/", "a", ".", "~", "//"]), max_size=6).map("".join),
    )
)
def test_no_text_leads_out_of_a_folder(tmp_path: Path, text: str) -> None:
    path = inside(tmp_path, text)
    if path is not None:
        assert path.resolve().is_relative_to(tmp_path.resolve())


def test_hidden_files_are_left_out(write: Writer) -> None:
    folder = write("hill", {".git/x.rules": "", ".b.yaml": "", "__pycache__/c.rules": "", "a.rules": "", "d.txt": ""})
    assert [relative for relative, _ in files_of(folder, "hill")[0]] == ["a.rules"]
