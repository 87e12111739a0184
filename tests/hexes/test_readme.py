"""The page for ruleset authors says what is true."""

import re

from warhost_hexes import readme
from warhost_hexes.readme import README


def test_the_table_of_functions_is_the_functions() -> None:
    text = README.read_text("utf-8")
    assert text == readme.with_table(text), "run: python -m warhost_hexes.readme"


def test_every_number_and_flag_of_the_plugin_is_named() -> None:
    text = README.read_text("utf-8")
    rules = README.with_name("hexes.rules").read_text("utf-8")
    declared = re.findall(r"^(?:number|flag) (\w+)\(", rules, flags=re.MULTILINE)
    assert len(declared) > 10
    assert [name for name in declared if f"`{name}(" not in text] == []
