"""The page for ruleset authors says what is true."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "plugins" / "warhost_hexes" / "README.md"


def test_every_number_and_flag_of_the_plugin_is_named() -> None:
    text = README.read_text("utf-8")
    rules = README.with_name("hexes.rules").read_text("utf-8")
    declared = re.findall(r"^(?:number|flag) (\w+)\(", rules, flags=re.MULTILINE)
    assert len(declared) > 10
    assert [name for name in declared if f"`{name}(" not in text] == []
