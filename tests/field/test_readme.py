"""The page for ruleset authors says what is true."""

import re
from pathlib import Path

from warhost_field.binding import ON_FOOT

README = Path(__file__).parents[2] / "plugins" / "warhost_field" / "README.md"


def test_every_number_and_flag_of_the_plugin_is_named() -> None:
    text = README.read_text("utf-8")
    rules = README.with_name("field.rules").read_text("utf-8")
    declared = re.findall(r"^(?:number|flag) (\w+)\(", rules, flags=re.MULTILINE)
    assert len(declared) > 10
    assert [name for name in declared if f"`{name}(" not in text] == []


def test_the_legs_of_free_answers_are_named() -> None:
    text = README.read_text("utf-8")
    assert [leg for leg in (*ON_FOOT, "go", "fly") if f"`{leg}" not in text] == []
