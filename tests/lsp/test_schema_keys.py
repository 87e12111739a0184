"""Which keys editors offer in files of YAML."""

from __future__ import annotations

from warhost_lsp.schema_keys import properties


def test_the_keys_that_may_stand_somewhere_are_known_by_the_way_there() -> None:
    top = dict(properties("ruleset", []))
    assert {"id", "title", "edition"} <= top.keys()
    assert top["edition"]["description"]
    assert {"extends", "abstract"} <= dict(properties("profiles", ["profiles", "some_profile"])).keys()
    assert "profile" in dict(properties("army", ["units"]))
    assert properties("army", ["nothing", "there"]) == []
